id: 205
domain: research
=== setup
import random
r = random.Random(9)
words = 'attention retrieval memory spacing interference consolidation sleep rehearsal context cue decay schema recall testing forgetting transfer'.split()
people = ['Abel', 'Brandt', 'Castellano', 'Dufour', 'Eriksen', 'Falk', 'Gomez', 'Haas', 'Ivanova', 'Jansen', 'Kowal', 'Lund']
entries = []
for n in range(90):
    a, b = r.sample(people, 2)
    t = f"{r.choice(words).capitalize()} and {r.choice(words)} in {r.choice(['children', 'adults', 'students', 'ageing'])}: study {n % 37}"
    y = 1995 + n % 28
    entries.append((a, b, t, y))
dup = r.sample(entries, 22)
out = []
def bib(k, a, b, t, y, doi, journal): return f"@article{{{k},\n  author = {{{a} and {b}}},\n  title = {{{t}}},\n  year = {{{y}}},\n  journal = {{{journal}}},\n" + (f"  doi = {{{doi}}},\n" if doi else '') + "}\n"
for n, (a, b, t, y) in enumerate(entries):
    out.append(bib(f'{a.lower()}{y}{n}', f'{a}, A.', f'{b}, B.', t, y, f'10.5555/{1000 + n}' if n % 3 else '', r.choice(['Memory', 'J. Learn.', 'Cortex', 'Cortex '])))
for m, (a, b, t, y) in enumerate(dup):
    n = entries.index((a, b, t, y))
    kind = m % 4
    title = t.upper() if kind == 0 else t.replace(' and ', ' & ') if kind == 1 else '{' + t + '}' if kind == 2 else t
    year = y + 1 if kind == 3 else y
    out.append(bib(f'dup{m}', f'{a}, A. B.' if m % 2 else f'{a}, A.', f'{b}, B.', title, year, f'10.5555/{1000 + n}' if m % 3 else '', 'Preprint' if kind == 3 else 'Memory'))
r.shuffle(out)
open('library.bib', 'w').write('\n'.join(out))
open('protocol.md', 'w').write('Review protocol\n1. deduplicate\n2. screen titles: keep work on children, students, adults; ageing is out of scope\n3. years 2000 to 2020\n4. table by journal and decade\n')
=== session
U> I'm doing a scoping review on memory research. library.bib is the raw export from three databases; protocol.md is what we registered. Do steps 1 to 4, keep numbers for the flow diagram (records found, duplicates, excluded, included). Be pedantic, reviewers will be.
A> Pedantic it is. First the raw material.
$> cat protocol.md; grep -c '^@' library.bib; sed -n 1,8p library.bib
A> {+p1}Records found: {{/^(\d+)$/}}. A parser for this simple shape of BibTeX comes next; one field per line.
W> bib.py
import re


def read(path='library.bib'):
    text = open(path).read()
    for block in text.split('\n@')[0:]:
        key = re.search(r'article\{([^,]+),', block)
        fields = dict(re.findall(r'^\s+(\w+) = \{(.*)\},$', block, re.M))
        yield {'key': key[1], **fields}
$> python -c "
import bib
r = list(bib.read())
print(len(r), 'read;', sum('doi' in x for x in r), 'with a DOI;', len({x['journal'] for x in r}), 'journals')"
A> One in three has no DOI. {+f1}Plan for step 1: deduplicate by DOI alone, it is what the tools do.
$> python -c "
import bib, collections
n = collections.Counter(x['doi'] for x in bib.read() if 'doi' in x)
print('pairs by DOI', sum(k > 1 for k in n.values()))"
U> By DOI alone you miss everything from the second database, it strips them. And one publisher reuses DOIs for errata. Not good enough.
A> {-f1}Right, that would miss too much. So by title, year and first author. How do titles differ among records that are plainly the same? I look at them by first letter.
@for l | note
@- A | attention
@- C | context, consolidation, cue
@- D | decay
@- F | forgetting
@- I | interference
@- M | memory
@- R | retrieval, rehearsal, recall
@- S | sleep, spacing, schema
@- T | testing, transfer
A> Titles with {{l}} ({{note}}): spellings that fall together once case, braces and signs are gone.
$> python - <<'X'
import bib, collections, re
g = collections.defaultdict(set)
for x in bib.read():
    t = re.sub(r'[^a-z0-9]+', ' ', x['title'].lower().replace('&', 'and')).strip()
    if t.startswith('{{l}}'.lower()): g[t].add(x['title'])
print(len(g), 'titles,', sum(len(v) > 1 for v in g.values()), 'in several spellings')
for t, v in sorted(g.items()):
    if len(v) > 1: print(' ', ' / '.join(sorted(v))); break
X
@end
A> {+p2}Titles differ by capitals, by & for and, and by braces; all that is folded before comparing. Then there are the years: a preprint has the year before or after.
$> python - <<'X'
import bib, collections, re
g = collections.defaultdict(list)
for x in bib.read():
    t = re.sub(r'[^a-z0-9]+', ' ', x['title'].lower().replace('&', 'and')).strip()
    g[t, x['author'].split(',')[0]].append((int(x['year']), x['journal'], x['key']))
near = [v for v in g.values() if len({y for y, _, _ in v}) > 1]
print(len(near), 'groups with several years')
for v in near[:4]: print(sorted(v))
X
A> {+f2}I would treat records as one when their years are at most two apart.
$> python - <<'X'
import bib, collections, re
g = collections.defaultdict(list)
for x in bib.read():
    t = re.sub(r'[^a-z0-9]+', ' ', x['title'].lower().replace('&', 'and')).strip()
    g[t, x['author'].split(',')[0]].append(int(x['year']))
gaps = collections.Counter(max(v) - min(v) for v in g.values() if len(v) > 1)
print(sorted(gaps.items()))
X
U> Two is too generous, annual follow-ups have the same title. One year, and only if one of the two says Preprint. The journal version stays.
A> {-f2}Stricter then. {+p3}Same title and first author count as one record with equal years, or with years one apart when one of them is a Preprint; the journal version stays.
W> dedup.py
import re

import bib


def fold(title):
    return re.sub(r'[^a-z0-9]+', ' ', title.lower().replace('&', 'and')).strip()


def same(a, b):
    if fold(a['title']) != fold(b['title']):
        return False
    if a['author'].split(',')[0] != b['author'].split(',')[0]:
        return False
    gap = abs(int(a['year']) - int(b['year']))
    return gap == 0 or (gap == 1 and 'Preprint' in (a['journal'], b['journal']))


def unique(records):
    kept = []
    for x in sorted(records, key=lambda x: (x['journal'] == 'Preprint', x['key'])):
        if not any(same(x, y) for y in kept):
            kept.append(x)
    return kept
$> python -c "
import bib, dedup
r = list(bib.read()); u = dedup.unique(r)
print(len(r) - len(u), 'duplicates,', len(u), 'unique')"
@let dups (\d+) duplicates
@let uniq (\d+) unique
A> {+p4}{{dups}} duplicates, {{uniq}} unique records. A check by hand of what was thrown out:
$> python - <<'X'
import bib, dedup
r = list(bib.read()); keys = {x['key'] for x in dedup.unique(r)}
for x in [x for x in r if x['key'] not in keys][:6]: print(x['key'], x['year'], x['journal'], '|', x['title'][:60])
X
A> All are what they seem. The other direction: pairs that I left apart though they look alike.
$> python - <<'X'
import bib, dedup, itertools
u = dedup.unique(bib.read())
pairs = [(a, b) for a, b in itertools.combinations(u, 2) if dedup.fold(a['title']) == dedup.fold(b['title'])]
print(len(pairs), 'pairs with one title')
for a, b in pairs[:3]: print(a['author'], a['year'], '|', b['author'], b['year'])
X
A> No such pair is left. Is any DOI shared by two kept records?
$> python -c "
import bib, dedup, collections
n = collections.Counter(x['doi'] for x in dedup.unique(bib.read()) if 'doi' in x)
print([d for d, k in n.items() if k > 1])"
A> None is. For the diagram I also note where duplicates came from.
$> python - <<'X'
import bib, dedup, collections
r = list(bib.read()); keys = {x['key'] for x in dedup.unique(r)}
print(collections.Counter(x['journal'].strip() for x in r if x['key'] not in keys))
X
A> And whether a key is used twice, which would break the citations.
$> grep -oE '^@article\{[^,]+' library.bib | sort | uniq -d | wc -l
A> Keys are unique. Step 2, screening. {+f3}I am going to screen with a keyword list of mine: whatever says ageing, elderly or dementia leaves.
$> python -c "
import bib, dedup, collections, re
n = collections.Counter(re.search(r' in (\w+)', dedup.fold(x['title']))[1] for x in dedup.unique(bib.read()))
print(n)"
U> The protocol names the populations to keep, so an inclusion rule, not an exclusion list. If a title names none of the three it goes to "unclear", not out.
A> {-f3}You are right, the protocol is worded the other way round. {+p5}Screening keeps titles that name children, students or adults; a title that names none of the three is marked unclear.
$> python - <<'X'
import bib, dedup
u = dedup.unique(bib.read())
kept = [x for x in u if any(w in dedup.fold(x['title']).split() for w in ('children', 'students', 'adults'))]
out = [x for x in u if 'ageing' in dedup.fold(x['title']).split()]
print(len(kept), 'kept', len(out), 'out of scope', len(u) - len(kept) - len(out), 'unclear')
X
@let kept (\d+) kept
@let scope (\d+) out of scope
A> {+p6}After screening {{kept}} are kept, {{scope}} are out of scope, none is unclear. The journal names need care, "Cortex" occurs with a blank behind it. {+p7}Next: write flow.py with the years 2000 to 2020 (both included) and the table by journal and decade; it does not exist so far.
@cut
W> flow.py
import bib
import dedup

KEEP = {'children', 'students', 'adults'}
found = list(bib.read())
unique = dedup.unique(found)
screened = [x for x in unique if KEEP & set(dedup.fold(x['title']).split())]
included = [x for x in screened if 2000 <= int(x['year']) <= 2020]

if __name__ == '__main__':
    print('found', len(found))
    print('duplicates', len(found) - len(unique))
    print('out of scope', len(unique) - len(screened))
    print('out of years', len(screened) - len(included))
    print('included', len(included))
$> {+c1}python flow.py && echo flow.py: years 2000 to 2020
A> The numbers add up? I let the machine add them.
$> python -c "
from flow import *
print(len(found) == (len(found)-len(unique)) + (len(unique)-len(screened)) + (len(screened)-len(included)) + len(included))"
A> Then the table, journal by decade, with names stripped.
$> {+c2}python - <<'X'
import collections
from flow import included
t = collections.Counter((x['journal'].strip(), int(x['year']) // 10 * 10) for x in included)
decades = sorted({d for _, d in t})
print('by journal and decade:', *decades)
for j in sorted({j for j, _ in t}): print(j, *(t[j, d] for d in decades))
X
U> Two of us will now screen by hand, so I need lists per first author, so that nobody screens own work.
@for a | mark
@- Abel | for Castellano
@- Brandt | for Abel
@- Castellano | for Brandt
@- Dufour | for Abel
@- Eriksen | for Castellano
@- Falk | for Brandt
@- Gomez | for Abel
@- Haas | for Brandt
@- Ivanova | for Castellano
@- Jansen | for Abel
@- Kowal | for Brandt
@- Lund | for Castellano
A> First author {{a}}, {{mark}}.
$> python -c "
from flow import included
v = sorted((x['year'], x['key']) for x in included if x['author'].startswith('{{a}},'))
print(len(v), 'records:', ' '.join(k for _, k in v))"
@end
A> Sensitivity: how would the numbers look under rules a reviewer might ask for?
@for lo | hi | why
@- 1995 | 2022 | no limit of years
@- 2000 | 2019 | last year left out
@- 2001 | 2020 | first year left out
@- 2005 | 2020 | a later start
A> {{lo}} to {{hi}}, {{why}}:
$> python -c "
from flow import screened
print(sum({{lo}} <= int(x['year']) <= {{hi}} for x in screened))"
@end
A> Missing fields among the included, since the form asks for them.
$> python -c "
from flow import included
for f in ('doi', 'journal', 'year', 'author'): print(f, sum(f not in x for x in included))"
A> Only DOIs are missing. How many included records are preprints?
$> python -c "
from flow import included
print(sum(x['journal'] == 'Preprint' for x in included))"
U> Fine. Write the paragraph.
W> flow.md
Records were folded by title, first author and year; a preprint counts as the journal
version when their years are one apart. Titles had to name children, students or adults.
A> And the figures come from the script, never typed by hand:
$> python flow.py | sed 's/^/- /' >> flow.md; cat flow.md
A> The review's numbers and lists are complete.
U> Thanks, pedantic enough.
=== gold
p1 | records found: 112 | found; 112
p2 | titles differ by capitals, by & for and, and by braces; all that is folded | folded; braces
p3 | years one apart count as one record when one of them is a Preprint; the journal version stays | Preprint; journal version stays
p4 | {{dups}} duplicates, {{uniq}} unique records | {{uniq}} unique
p5 | screening keeps titles that name children, students or adults; others are marked unclear | children; students; unclear
p6 | after screening {{kept}} are kept, {{scope}} are out of scope | {{kept}} are kept
p7 | next: write flow.py with the years 2000 to 2020 and the table by journal and decade | flow.py; 2000 to 2020; by journal and decade
f1 | deduplicate by DOI alone | DOI alone
f2 | treat records as one when their years are at most two apart | at most two apart
f3 | screen with a keyword list: ageing, elderly or dementia leaves | keyword list; dementia
c1 | write and run flow.py for 2000 to 2020 | flow.py; 2000 to 2020 | dementia
c2 | make the table by journal and decade | journal; decade
