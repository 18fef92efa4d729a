id: 216
domain: code
tools: {$: bash, W: write, R: read}
=== setup
import os
os.makedirs('samples')
S = {
 'alpha': '[server]\nhost = localhost\nport = 8080\n\n[paths]\nroot = /srv/alpha\n',
 'bravo': '; old style comment\n[server]\nhost=10.0.0.1\nport=0080\ndebug=yes\n',
 'charlie': '[a.b.c]\nx = 1\n[a.b]\ny = 2\n',
 'delta': '[list]\nitems = one, two, three\nempty =\n',
 'echo': '[quotes]\nname = "Ada L."\npath = C:\\temp\\new\nhash = a#b ; note\n',
 'foxtrot': '[dates]\nday = 2024-02-30\nstamp = 2024-01-05T10:00:00Z\n',
 'golf': '[numbers]\nhex = 0x1F\nfloat = 1e3\nbig = 1_000\nminus = -5\nplus = +7\n',
 'hotel': '[dup]\nkey = 1\nkey = 2\n',
 'india': 'orphan = 1\n[later]\nk = v\n',
 'juliet': '[multi]\ntext = first\n  second\n  third\n',
 'kilo': '[Mixed Case]\nSome Key = Value\n[uni]\nname = Zoë\n',
}
for k, v in S.items(): open(f'samples/{k}.ini', 'w').write(v)
=== session
U> We are moving services from INI to TOML. I need ini2toml.py (stdlib only, Python 3.11+, tomllib may be used for checking). samples/ are anonymised real files, eleven of them, each with some nastiness. Rules are up for discussion as you find cases; nothing may be lost silently.
A> Then I read all eleven before I write a line.
@for f | what
@- alpha | the tame one
@- bravo | leading zero, yes
@- charlie | nested names
@- delta | lists and nothing
@- echo | quotes and backslashes
@- foxtrot | dates
@- golf | numbers of all sorts
@- hotel | a key twice
@- india | a key before any section
@- juliet | continuation lines
@- kilo | blanks and letters
A> {{f}}.ini, {{what}}.
R> samples/{{f}}.ini
@end
A> Enough seen. {+f1}My starting point would be configparser from the standard library to read them.
$> python - <<'X'
import configparser, glob
for p in sorted(glob.glob('samples/*.ini')):
    c = configparser.ConfigParser()
    try: c.read(p); print(p[8:-4], 'ok', {s: dict(c[s]) for s in c.sections()} if 'kilo' in p or 'echo' in p else '')
    except Exception as e: print(p[8:-4], type(e).__name__)
X
A> It lower-cases keys, refuses hotel and india, and keeps "a#b ; note" whole.
U> Lower-casing keys is a no-go, services look them up case-sensitively. And option transforms are fragile. Own reader please.
A> {-f1}configparser is out, then. {+p1}An own line reader that keeps the case of keys. How should types be guessed?
W> read_ini.py
def read(path):
    section, entries, last = None, [], None
    for number, raw in enumerate(open(path, encoding='utf-8'), 1):
        line = raw.rstrip('\n')
        if not line.strip() or line.lstrip()[0] in ';#':
            last = None
        elif line[0] in ' \t' and last is not None:
            entries[last][3].append(line.strip())
        elif line.startswith('['):
            section, last = line.strip()[1:-1], None
            entries.append((number, section, None, []))
        else:
            key, _, value = line.partition('=')
            entries.append((number, section, key.strip(), [value.strip()]))
            last = len(entries) - 1
    return entries
$> python -c "
from read_ini import read
for e in read('samples/juliet.ini') + read('samples/india.ini'): print(e)"
A> Reads continuation lines and orphans. {+f2}For values I plan to guess types broadly: yes/no/on/off become booleans, 0080 becomes 80, dates become dates.
$> python - <<'X'
import glob
from read_ini import read
seen = sorted({' '.join(v) for p in glob.glob('samples/*.ini') for _, _, k, v in read(p) if k})
print(len(seen), 'values'); print(seen)
X
U> Guessing broadly burned us in YAML ("no" for Norway). Only what is exactly an integer or a float in TOML's own grammar, and true/false. Everything else is a string.
A> {-f2}No broad guesses. {+p2}Only values that are an integer or float in TOML's own grammar, or true/false, get a type; yes, dates and 0080 stay strings.
$> python - <<'X'
import tomllib
for v in ('8080', '0080', '0x1F', '1e3', '1_000', '-5', '+7', 'yes', 'true', '2024-02-30'):
    try: print(v, type(tomllib.loads(f'x = {v}')['x']).__name__)
    except tomllib.TOMLDecodeError: print(v, 'string')
X
A> tomllib itself can decide that, nice: try it, keep int, float and bool. Lists such as "one, two, three"?
U> Leave as string, the services split themselves.
A> {+p3}Lists with commas stay one string. Duplicated keys, hotel:
$> python -c "
from read_ini import read
print([e for e in read('samples/hotel.ini') if e[2]])"
A> {+f3}The last one wins, as most INI readers do?
U> "Nothing may be lost silently." Error with file and line of both.
A> {-f3}Right, so no winner. {+p4}A key that occurs twice is an error that names file and both lines.
$> grep -n 'key' samples/hotel.ini
A> Orphans before the first section (india): they can stand at the top of the TOML, before any table.
U> Fine.
A> {+p5}Keys before the first section go to the top of the TOML file. Comments?
U> Keep whole-line comments, with #. Comments behind a value: "hash = a#b ; note"... hm. What do you think?
A> The old readers took " ;" with a blank before as a comment, and "#" inside a word as text.
$> grep -rn ' ;' samples | wc -l; grep -rn '#' samples | wc -l
U> Then the same: blank plus semicolon starts a comment, # never does inside a value.
A> {+p6}A blank plus semicolon behind a value starts a comment, which is kept with #; a # inside a value is text. The reader drops whole-line comments so far and has to be changed for that. Section names with dots, charlie:
$> python - <<'X'
import tomllib
try: print(tomllib.loads('[a.b.c]\nx = 1\n[a.b]\ny = 2\n'))
except Exception as e: print(e)
X
A> {+p7}Dotted section names become nested tables, and TOML accepts them in that order. Names with blanks must be quoted. {+p8}Next: write ini2toml.py with a test file test_ini2toml.py that converts all samples and reads them back with tomllib; neither is begun.
@cut
W> ini2toml.py
import re
import sys
import tomllib


class Bad(Exception):
    pass


def typed(text):
    try:
        value = tomllib.loads(f'x = {text}')['x']
    except tomllib.TOMLDecodeError:
        value = None
    if isinstance(value, int | float):
        return text
    escaped = text.replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n')
    return f'"{escaped}"'


def name(text):
    return text if re.fullmatch(r'[A-Za-z0-9_-]+', text) else '"' + text.replace('"', '\\"') + '"'


def convert(path):
    out, seen, section, last = [], {}, '', None
    for number, raw in enumerate(open(path, encoding='utf-8'), 1):
        line = raw.rstrip('\n')
        if not line.strip():
            out.append(('', ''))
            last = None
        elif line.lstrip()[0] in ';#':
            out.append(('# ' + line.lstrip()[1:].strip(), ''))
        elif line[0] in ' \t' and last is not None:
            key, value = out[last]
            out[last] = (key, value + '\n' + line.strip())
        elif line.startswith('['):
            section, last = line.strip()[1:-1], None
            out.append(('[' + '.'.join(name(p) for p in section.split('.')) + ']', ''))
        else:
            key, _, value = line.partition('=')
            value, _, note = value.partition(' ;')
            where = (section, key.strip())
            if where in seen:
                raise Bad(f'{path}: {key.strip()} in line {seen[where]} and again in line {number}')
            seen[where] = number
            if note:
                out.append(('# ' + note.strip(), ''))
            out.append((name(key.strip()) + ' = ', value.strip()))
            last = len(out) - 1
    return '\n'.join(k + (typed(v) if k.endswith(' = ') else '') for k, v in out) + '\n'


if __name__ == '__main__':
    try:
        print(convert(sys.argv[1]), end='')
    except Bad as error:
        sys.exit(f'error: {error}')
@for f | hope
@- alpha | should be plain
@- bravo | 0080 as a string
@- charlie | nested
@- delta | an empty value
@- echo | quotes
@- foxtrot | strings
@- golf | typed where TOML says so
@- hotel | an error
@- india | at the top
@- juliet | three lines in one string
@- kilo | quoted names
A> {{f}}: {{hope}}.
$> python ini2toml.py samples/{{f}}.ini; echo "exit $?"
@end
A> As agreed in each. Now the tests, which read everything back.
W> test_ini2toml.py
import glob
import tomllib
import unittest

from ini2toml import Bad, convert


class Samples(unittest.TestCase):
    def test_all_samples_read_back(self):
        for path in sorted(glob.glob('samples/*.ini')):
            if 'hotel' not in path:
                tomllib.loads(convert(path))

    def test_a_key_twice_names_both_lines(self):
        with self.assertRaisesRegex(Bad, 'line 2 and again in line 3'):
            convert('samples/hotel.ini')

    def test_types(self):
        got = tomllib.loads(convert('samples/golf.ini'))['numbers']
        self.assertEqual(got, {'hex': 31, 'float': 1000.0, 'big': 1000, 'minus': -5, 'plus': 7})

    def test_backslashes_survive(self):
        got = tomllib.loads(convert('samples/echo.ini'))['quotes']
        self.assertEqual(got['path'], 'C:\\temp\\new')
        self.assertEqual(got['hash'], 'a#b')
$> {+c1}python -m unittest test_ini2toml 2>&1 | tail -1; ls ini2toml.py test_ini2toml.py
U> "name = "Ada L."" had quotes in the file. Keep or strip?
A> Kept as they are now, the quotes are part of the string:
$> {+c2}python - <<'X'
import tomllib, ini2toml
print(tomllib.loads(ini2toml.convert('samples/echo.ini')))
X
U> Strip a full pair, the services did.
$> python - <<'X'
s = open('ini2toml.py').read()
s = s.replace("def typed(text):\n", "def typed(text):\n    if len(text) > 1 and text[0] == text[-1] == '\"':\n        text, quoted = text[1:-1], True\n    else:\n        quoted = False\n")
s = s.replace("isinstance(value, int | float):", "isinstance(value, int | float) and not quoted:")
open('ini2toml.py', 'w').write(s)
X
python ini2toml.py samples/echo.ini | head -2; python -m unittest test_ini2toml 2>&1 | tail -1
A> Done, and "8080" in quotes stays a string:
$> printf '[q]\np = "8080"\n' > q.ini; python ini2toml.py q.ini; rm q.ini
A> A few hostile inputs of my own.
@for n | text
@- tab | [s]\nk\t=\t1\n
@- equals | [s]\nurl = http://h/?a=b\n
@- control | [s]\nk = a\x07b\n
@- nan | [s]\nk = nan\n
@- bom | \xef\xbb\xbf[s]\nk = 1\n
@- noclose | [s\nk = 1\n
A> Input "{{n}}":
$> printf '{{text}}' > h.ini; python ini2toml.py h.ini > h.toml; python -c "
import tomllib
try: print(tomllib.load(open('h.toml', 'rb')))
except Exception as e: print('not TOML:', e)"; rm -f h.ini h.toml
@end
U> control char, BOM and the open bracket need care. Errors with line, please.
$> python - <<'X'
s = open('ini2toml.py').read()
s = s.replace("encoding='utf-8')", "encoding='utf-8-sig')")
s = s.replace("        line = raw.rstrip('\\n')\n        if not", "        line = raw.rstrip('\\n')\n        if any(ord(c) < 32 and c != '\\t' for c in line):\n            raise Bad(f'{path}: control character in line {number}')\n        if line.startswith('[') and not line.rstrip().endswith(']'):\n            raise Bad(f'{path}: section without ] in line {number}')\n        if not", 1)
open('ini2toml.py', 'w').write(s)
X
printf '[s\nk = 1\n' > h.ini; python ini2toml.py h.ini; rm h.ini; python -m unittest test_ini2toml 2>&1 | tail -1
A> Errors with line numbers now. All samples once more, counted.
$> for f in samples/*.ini; do python ini2toml.py $f > /dev/null 2>&1 && echo fine || echo error; done | sort | uniq -c
U> Ten fine, one error as wanted. Thanks, shipping it.
=== gold
p1 | an own line reader that keeps the case of keys | own line reader; case of keys
p2 | only values that are an integer or float in TOML's own grammar, or true/false, get a type | TOML's own grammar
p3 | lists with commas stay one string | one string
p4 | a key that occurs twice is an error that names file and both lines | twice; both lines
p5 | keys before the first section go to the top of the TOML file | first section; top
p6 | a blank plus semicolon behind a value starts a comment, kept with # | semicolon; comment
p7 | dotted section names become nested tables | nested tables
p8 | next: write ini2toml.py with a test file test_ini2toml.py that converts all samples and reads them back with tomllib | ini2toml.py; test_ini2toml.py; tomllib
f1 | configparser from the standard library to read them | configparser
f2 | guess types broadly: yes/no/on/off become booleans | guess types broadly
f3 | the last one wins, as most INI readers do | last one wins
c1 | write ini2toml.py and test_ini2toml.py | ini2toml.py; test_ini2toml.py | configparser; last one wins
c2 | read the converted samples back with tomllib | tomllib
