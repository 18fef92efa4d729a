id: 220
domain: code
tools: {$: bash, W: write_file, R: read_file}
=== setup
import os
os.makedirs('pages/guide'); os.makedirs('pages/blog')
P = {
 'index': ['Welcome', '[start](guide/start.html) [blog](blog/index.html) [about](about.html)'],
 'about': ['About', '[home](index.html) [team](team.html#lead) [map](https://example.org/map)'],
 'team': ['Team', '## lead\n[about](about.html)'],
 'guide/start': ['Start', '[next](install.html) [top](../index.html) ![logo](../img/logo.png)'],
 'guide/install': ['Install', '[prev](start.html) [next](use.html#first) [faq](../faq.html)'],
 'guide/use': ['Use', '## first steps\n[prev](install.html) [ref](/guide/reference.html)'],
 'guide/reference': ['Reference', '[use](use.html) [self](#options)\n## options'],
 'blog/index': ['Blog', '[one](2025-one.html) [two](2025-two.html) [feed](feed.xml)'],
 'blog/2025-one': ['One', '[blog](index.html) [draft](three.html)'],
 'blog/2025-two': ['Two', '[blog](index.html) [Start](../Guide/start.html)'],
 'faq': ['FAQ', '[home](index.html) [mail](mailto:x@example.org) [q](?q=1)'],
}
for k, (t, b) in P.items(): open(f'pages/{k}.md', 'w').write(f'# {t}\n\n{b}\n')
os.makedirs('pages/img'); open('pages/img/logo.png', 'wb').write(b'PNG')
=== session
U> build a tiny static site builder: site.py turns pages/**/*.md into out/**/*.html, and `site.py check` reports dead links. ≤ 150 lines, stdlib. I'm the maintainer of three sites with this layout, they all have a different bug. go step by step and commit-sized please
A> Step one: what's there.
$> find pages -type f | sort; cat pages/index.md pages/guide/use.md
A> Step two: a builder that only knows headings, paragraphs and links.
W> site.py
import html
import pathlib
import re
import sys

SOURCE, TARGET = pathlib.Path('pages'), pathlib.Path('out')


def inline(text):
    text = html.escape(text, quote=False)
    text = re.sub(r'!\[([^\]]*)\]\(([^)]+)\)', r'<img alt="\1" src="\2">', text)
    return re.sub(r'\[([^\]]*)\]\(([^)]+)\)', r'<a href="\2">\1</a>', text)


def render(text):
    out = []
    for block in text.split('\n'):
        found = re.match(r'(#+) (.*)', block)
        if found:
            level = len(found[1])
            out.append(f'<h{level}>{inline(found[2])}</h{level}>')
        elif block.strip():
            out.append(f'<p>{inline(block)}</p>')
    return '\n'.join(out) + '\n'


def build():
    for path in sorted(SOURCE.rglob('*.md')):
        target = (TARGET / path.relative_to(SOURCE)).with_suffix('.html')
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(render(path.read_text()))


if __name__ == '__main__':
    build()
$> python site.py && find out -type f | wc -l && cat out/team.html
A> Eleven pages. Images are not copied yet:
$> python - <<'X'
s = open('site.py').read()
s = s.replace("def build():\n", "def build():\n    for path in sorted(SOURCE.rglob('*')):\n        if path.is_file() and path.suffix != '.md':\n            target = TARGET / path.relative_to(SOURCE)\n            target.parent.mkdir(parents=True, exist_ok=True)\n            target.write_bytes(path.read_bytes())\n")
open('site.py', 'w').write(s)
X
python site.py; find out -type f | grep -v html
A> Step three, the checker. {+f1}Idea: check the links in the Markdown, before building.
$> grep -ohE '\]\([^)]+\)' pages/*.md pages/*/*.md | sort | uniq -c | sort -rn | head -5
U> nope, check what's published: templates add links later. parse the html in out/
A> {-f1}Makes sense, the sources are the wrong place. {+p1}The checker reads the built HTML in out/, with html.parser. Which kinds of links are there? Page by page.
@for p | w
@- index | front
@- about | about
@- team | team
@- guide/start | guide 1
@- guide/install | guide 2
@- guide/use | guide 3
@- guide/reference | guide 4
@- blog/index | blog list
@- blog/2025-one | post one
@- blog/2025-two | post two
@- faq | questions
A> {{p}} ({{w}}):
$> grep -oE '(href|src)="[^"]+"' out/{{p}}.html | cut -d'"' -f2 | tr '\n' ' '
@end
A> Relative, parent, absolute from the root, fragments, queries, mailto, https. {+p2}Links with a scheme (https, mailto) are not followed; the checker never goes online.
U> right, CI has no network
A> Absolute ones such as /guide/reference.html: {+f2}resolve them against the folder of the page, like relative ones, after stripping the slash.
$> python -c "
import posixpath
print(posixpath.normpath(posixpath.join('guide', '/guide/reference.html'.lstrip('/'))))"
A> {-f2}That gives guide/guide/…, which is wrong. {+p3}A link that begins with a slash is resolved from the root of out/.
U> site #2 lives under a prefix, /docs/. needs an option
A> {+p4}Option --prefix /docs: it is stripped from absolute links before they are resolved; an absolute link without it is dead.
$> python -c "
p = '/docs'; l = '/docs/guide/use.html'
print(l.removeprefix(p))"
A> Case: ../Guide/start.html works on a Mac, not on the server.
$> ls out; test -e out/Guide/start.html && echo exists || echo missing
U> ^ this is the bug of site #3! must be found on macs too
A> {+p5}Case must match exactly, so names are compared with the listing of the folder, not with exists().
$> python -c "
import os
print(sorted(os.listdir('out/guide')))"
A> Fragments: #lead, #first, #options need ids on headings. {+f3}Ids could be numbered: h2-1, h2-2.
$> grep -rn '^## ' pages | cut -d: -f1,3
U> authors write #first for "first steps"? that's a typo then, slug should be first-steps. slugs from the heading text pls
A> {-f3}No numbers. {+p6}A heading's id is the slug of its text: lower case, runs of other characters become a hyphen ("first steps" gives first-steps).
$> python -c "
import re
print([re.sub(r'[^a-z0-9]+', '-', t.lower()).strip('-') for t in ('first steps', 'lead', 'Wie geht’s?')])"
U> two headings with the same text?
A> The second gets -2 behind it, the third -3.
$> printf 'x\nx\nx\n' | awk '{n[$1]++; print $1 (n[$1]>1 ? "-" n[$1] : "")}' | tr '\n' ' '
U> ok
A> {+p7}Exit codes: 0 all links live, 1 dead links (one line each: page, link, reason), 2 usage.
$> wc -l site.py
A> {+p8}Next: put ids on headings in site.py, then write class Links and check() there, with tests in test_site.py; none of that exists yet and the limit is 150 lines.
@cut
$> {+c1}python - <<'X'
s = open('site.py').read()
s = s.replace("def render(text):\n    out = []\n", "def slug(text, seen):\n    name = re.sub(r'[^a-z0-9]+', '-', text.lower()).strip('-')\n    seen[name] = seen.get(name, 0) + 1\n    return name if seen[name] == 1 else f'{name}-{seen[name]}'\n\n\ndef render(text):\n    out, seen = [], {}\n")
s = s.replace("out.append(f'<h{level}>{inline", "out.append(f'<h{level} id=\"{slug(found[2], seen)}\">{inline")
s = s.replace("import html\nimport pathlib", "import argparse\nimport html\nimport html.parser\nimport os\nimport pathlib\nimport posixpath")
s = s[:s.index("if __name__")] + '''class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.ids = [], set()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ('href', 'src') and value:
                self.links.append(value)
            elif name == 'id':
                self.ids.add(value)


def exists(path):
    folder = TARGET
    for part in path.split('/'):
        if not folder.is_dir() or part not in os.listdir(folder):
            return False
        folder = folder / part
    return folder.is_file()


def check(prefix=''):
    pages = {}
    for path in sorted(TARGET.rglob('*.html')):
        parser = Links()
        parser.feed(path.read_text())
        pages[path.relative_to(TARGET).as_posix()] = parser
    dead = []
    for page, parser in pages.items():
        for link in parser.links:
            if re.match(r'[a-z][a-z0-9+.-]*:|//', link):
                continue
            path, _, fragment = link.partition('#')
            path = path.partition('?')[0]
            if path.startswith('/'):
                if not path.startswith(prefix + '/'):
                    dead.append((page, link, 'outside the prefix'))
                    continue
                target = path.removeprefix(prefix).lstrip('/')
            else:
                target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
            if not exists(target):
                dead.append((page, link, 'no such file'))
            elif fragment and target in pages and fragment not in pages[target].ids:
                dead.append((page, link, 'no such heading'))
    return dead


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('command', nargs='?', choices=['build', 'check'], default='build')
    parser.add_argument('--prefix', default='')
    options = parser.parse_args()
    build()
    dead = check(options.prefix) if options.command == 'check' else []
    for line in dead:
        print(*line, sep=': ')
    return bool(dead)


if __name__ == '__main__':
    sys.exit(main())
'''
open('site.py', 'w').write(s)
X
python site.py check; echo "exit $?"; wc -l < site.py
A> Five suspects; are they all truly dead? One by one.
@for l | why
@- faq.html | linked from the guide
@- use.html#first | the heading is "first steps"
@- feed.xml | nobody writes one
@- three.html | a draft
@- Guide/start.html | wrong case
@- team.html#lead | should live
@- guide/reference.html | absolute, should live
@- #options | own page, should live
@- ?q=1 | a query only
A> {{l}}: {{why}}.
$> python site.py check | grep -F '{{l}}' || echo 'not reported'
@end
U> all correct. tests?
W> test_site.py
import os
import pathlib
import tempfile
import unittest

import site_under_test as site


class Check(unittest.TestCase):
    def make(self, **pages):
        folder = pathlib.Path(tempfile.mkdtemp())
        site.SOURCE, site.TARGET = folder / 'pages', folder / 'out'
        for name, text in pages.items():
            path = site.SOURCE / (name.replace('__', '/') + '.md')
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        site.build()

    def test_case_matters(self):
        self.make(a='[x](B.html)', b='# b')
        self.assertEqual(site.check(), [('a.html', 'B.html', 'no such file')])

    def test_fragment(self):
        self.make(a='[x](b.html#two-words) [y](b.html#two)', b='## Two words')
        self.assertEqual([d[1] for d in site.check()], ['b.html#two'])

    def test_prefix(self):
        self.make(a='[x](/docs/b.html) [y](/b.html)', b='# b')
        self.assertEqual(site.check('/docs'), [('a.html', '/b.html', 'outside the prefix')])

    def test_same_heading_twice(self):
        self.make(a='## x\n## x\n[l](#x-2) [m](#x-3)')
        self.assertEqual([d[1] for d in site.check()], ['#x-3'])
A> site is also the name of a standard module, so the tests import it under another name.
$> {+c2}ln -s site.py site_under_test.py; python -m unittest test_site.py 2>&1 | tail -3
U> good catch with the name. rename the thing to pagemill.py then
$> rm site_under_test.py; mv site.py pagemill.py; sed -i 's/import site_under_test as site/import pagemill as site/' test_site.py; mv test_site.py test_pagemill.py; python -m unittest test_pagemill 2>&1 | tail -1
@for s | t
@- javascript:alert(1) | a script link
@- //cdn.example.org/x.js | without scheme
@- a%20b.html | an escaped blank
@- ../../etc/passwd | out of the tree
@- index.html/ | slash behind a file
@- . | the folder itself
A> Hostile or odd: {{t}}.
$> mkdir -p t/pages && cd t && printf '# t\n\n[x]({{s}})\n' > pages/index.md && python ../pagemill.py check; echo "exit $?"; cd .. && rm -r t
@end
U> %20 should be unquoted
$> sed -i "s/            path = path.partition('?')\[0\]/            path = urllib.parse.unquote(path.partition('?')[0])/; s/^import sys/import sys\nimport urllib.parse/" pagemill.py && mkdir -p t/pages && cd t && printf '# t\n\n[x](a%%20b.html)\n' > pages/index.md && printf '# b\n' > 'pages/a b.md' && python ../pagemill.py check; echo "exit $?"; cd .. && rm -r t
A> Fixed. Final numbers:
$> wc -l pagemill.py; python -m unittest test_pagemill 2>&1 | tail -1
U> under 150, ship
=== gold
p1 | the checker reads the built HTML in out/, with html.parser | built HTML; html.parser
p2 | links with a scheme are not followed; the checker never goes online | never goes online
p3 | a link that begins with a slash is resolved from the root of out/ | slash; root of out
p4 | option --prefix /docs: it is stripped from absolute links | --prefix; stripped
p5 | case must match exactly, names are compared with the listing of the folder | case must match; listing
p6 | a heading's id is the slug of its text | slug
p7 | exit codes: 0 all links live, 1 dead links, 2 usage | exit codes; dead links
p8 | next: put ids on headings in site.py, then write class Links and check() there, with tests in test_site.py; the limit is 150 lines | site.py; check(); test_site.py; 150 lines
f1 | check the links in the Markdown, before building | links in the Markdown
f2 | resolve them against the folder of the page, after stripping the slash | folder of the page
f3 | ids could be numbered: h2-1, h2-2 | h2-1
c1 | write class Links and check() in site.py | Links; site.py | h2-1; links in the Markdown
c2 | write the tests in test_site.py | test_site.py
