id: 214
domain: research
tools: {$: bash, W: write_file, R: read_file}
=== setup
import csv, random
r = random.Random(55)
codes = ['cost', 'trust', 'habit', 'access', 'family', 'fear']
rows = []
for i in range(1, 181):
    true = r.choices(codes, [30, 25, 15, 12, 10, 8])[0]
    a = true if r.random() < .9 else r.choice(codes)
    b = true if r.random() < .82 else r.choice(codes)
    if true == 'trust' and r.random() < .5: b = 'fear'
    interview = 'I%02d' % (1 + (i - 1) // 15)
    rows.append([i, interview, a, b])
with open('codes.csv', 'w', newline='') as f:
    w = csv.writer(f); w.writerow(['segment', 'interview', 'mara', 'jon']); w.writerows(rows)
open('codebook.md', 'w').write('cost: money\ntrust: confidence in doctors\nhabit: routines\naccess: distance, opening hours\nfamily: relatives decide\nfear: being afraid of results\n')
=== session
U> We coded 12 interviews (180 segments) with two coders, Mara and Jon. Reviewer 2 asks for intercoder agreement "with an appropriate coefficient", and whether the codebook holds. Please compute it from codes.csv and tell us what to do about bad codes. Method section in agreement.md at the end.
A> I begin with the raw table.
$> head -4 codes.csv; cat codebook.md; python -c "
import csv, collections
r = list(csv.DictReader(open('codes.csv')))
print(len(r)); print(collections.Counter(x['mara'] for x in r)); print(collections.Counter(x['jon'] for x in r))"
A> Jon uses fear much more often than Mara. {+f1}A first figure for the reviewer could be percent agreement.
$> python -c "
import csv
r = list(csv.DictReader(open('codes.csv')))
print('%.3f' % (sum(x['mara'] == x['jon'] for x in r) / len(r)))"
@let raw ([\d.]+)
U> Reviewer 2 will shred percent agreement. It must be chance-corrected.
A> {-f1}Then raw agreement ({{raw}}) is only mentioned beside the coefficient. {+p1}The coefficient has to be chance-corrected.
W> agree.py
import collections
import csv


def rows():
    return list(csv.DictReader(open('codes.csv')))


def kappa(pairs):
    n = len(pairs)
    same = sum(a == b for a, b in pairs) / n
    left = collections.Counter(a for a, _ in pairs)
    right = collections.Counter(b for _, b in pairs)
    chance = sum(left[c] * right[c] for c in left) / n ** 2
    return (same - chance) / (1 - chance)


def alpha(pairs):
    values = collections.Counter(v for p in pairs for v in p)
    n = sum(values.values())
    differ = sum(a != b for a, b in pairs) / len(pairs)
    expected = 1 - sum(k * (k - 1) for k in values.values()) / (n * (n - 1))
    return 1 - differ / expected
$> python -c "
import agree
p = [(x['mara'], x['jon']) for x in agree.rows()]
print('kappa %.3f alpha %.3f' % (agree.kappa(p), agree.alpha(p)))"
A> {+f2}I would report Cohen's kappa, it is the best known.
U> One interview was coded by a third person after the summer (Lea, not in the file yet), so we need something for more than two coders and missing values.
A> {-f2}Kappa is for two coders only. {+p2}We report Krippendorff's alpha, nominal, because a third coder (Lea) with missing values will come. By interview, since one may spoil the rest.
@for i | who
@- I01 | the pilot
@- I02 | a farmer
@- I03 | a nurse
@- I04 | a retired teacher
@- I05 | a student
@- I06 | a driver
@- I07 | a widow
@- I08 | a shop owner
@- I09 | a father of four
@- I10 | a translator
@- I11 | a gardener
@- I12 | the last one
A> {{i}}, {{who}}:
$> python -c "
import agree
p = [(x['mara'], x['jon']) for x in agree.rows() if x['interview'] == '{{i}}']
print('{{i}} alpha %.2f' % agree.alpha(p), 'differ', sum(a != b for a, b in p), 'of', len(p))"
@end
A> No interview is out of line by itself, the disagreement is spread. {+f3}Dropping the worst interview would lift the figure; I could recompute without it.
$> python - <<'X'
import agree
rows = agree.rows()
by = {i: agree.alpha([(x['mara'], x['jon']) for x in rows if x['interview'] != i]) for i in sorted({x['interview'] for x in rows})}
best = max(by, key=by.get); print('best without', best, '%.3f' % by[best])
X
U> Absolutely not, that's cherry-picking. All twelve stay.
A> {-f3}All twelve stay, of course. {+p3}No interview is left out. Which codes disagree, then?
$> python - <<'X'
import agree, collections
c = collections.Counter((x['mara'], x['jon']) for x in agree.rows() if x['mara'] != x['jon'])
for (a, b), n in c.most_common(6): print(f'Mara {a}, Jon {b}: {n}')
X
@let tf Mara trust, Jon fear: (\d+)
A> {+p4}The main confusion is trust against fear: {{tf}} segments that Mara codes as trust are fear for Jon. Each code alone, against all the rest:
$> python - <<'X'
import agree
for code in ('cost', 'trust', 'habit', 'access', 'family', 'fear'):
    p = [(x['mara'] == code, x['jon'] == code) for x in agree.rows()]
    print(f'{code:7} alpha {agree.alpha(p):.2f}')
X
A> Two codes are weak, trust and fear. What if they were one code?
$> python - <<'X'
import agree
m = {'trust': 'doctor', 'fear': 'doctor'}
p = [(m.get(x['mara'], x['mara']), m.get(x['jon'], x['jon'])) for x in agree.rows()]
print('merged: alpha %.3f' % agree.alpha(p))
X
@let merged ([\d.]+)$
U> Merging is tempting but fear is our main finding. We can't merge it away. Better: a sharper definition and recoding of the disputed segments.
A> {+p5}trust and fear are not merged, fear is the main finding; the disputed trust/fear segments are coded anew with a sharper definition. How many segments would that be?
$> python -c "
import agree
d = [x['segment'] for x in agree.rows() if {x['mara'], x['jon']} == {'trust', 'fear'}]
print(len(d), 'segments:', ' '.join(d))"
@let disputed (\d+) segments
A> {+p6}{{disputed}} segments are disputed. Both coders should do them blind, plus as many undisputed ones mixed in, else they know which are disputed.
U> Good idea. Lea too?
A> Lea too, then alpha has three coders there.
$> python -c "
import random, agree
r = random.Random(3)
d = [x['segment'] for x in agree.rows() if {x['mara'], x['jon']} == {'trust', 'fear'}]
same = [x['segment'] for x in agree.rows() if x['mara'] == x['jon'] and x['mara'] in ('trust', 'fear')]
print(len(same), 'undisputed trust or fear segments to mix in')"
U> Definition: fear only if a result or illness is named, else trust.
A> {+p7}Sharper definition: fear only if a result or an illness is named, otherwise trust. {+p8}Next: write recode_sheet.csv with the disputed segments and as many undisputed ones in random order (seed 3), then put the definition into codebook.md; both are still to do.
@cut
$> {+c1}python - <<'X'
import csv, random, agree
r = random.Random(3)
rows = agree.rows()
d = [x for x in rows if {x['mara'], x['jon']} == {'trust', 'fear'}]
same = [x for x in rows if x['mara'] == x['jon'] and x['mara'] in ('trust', 'fear')]
pick = d + r.sample(same, min(len(same), len(d)))
r.shuffle(pick)
with open('recode_sheet.csv', 'w', newline='') as f:
    w = csv.writer(f); w.writerow(['segment', 'interview', 'code'])
    w.writerows([x['segment'], x['interview'], ''] for x in pick)
print(len(pick), 'rows in recode_sheet.csv')
X
A> No trace of who coded what in the sheet:
$> head -3 recode_sheet.csv; grep -cE 'trust|fear|mara|jon' recode_sheet.csv; true
A> Codebook.
$> {+c2}sed -i 's/^trust:.*/trust: confidence in doctors, and every worry that names no result or illness/; s/^fear:.*/fear: only if a result or an illness is named/' codebook.md && cat codebook.md
U> Jon is back with his sheet in an hour, in the meantime give us confidence intervals.
A> Bootstrap over interviews, they are the units that were drawn.
$> python - <<'X'
import random, agree, collections
g = collections.defaultdict(list)
for x in agree.rows(): g[x['interview']].append((x['mara'], x['jon']))
r = random.Random(11); v = sorted(agree.alpha([p for k in r.choices(list(g), k=12) for p in g[k]]) for _ in range(1000))
print('alpha 95 %% from %.2f to %.2f' % (v[25], v[974]))
X
A> Code by code with the same method.
@for c | hint
@- cost | the most frequent
@- trust | disputed
@- habit | clear
@- access | clear too
@- family | rare
@- fear | disputed as well
A> {{c}}, {{hint}}:
$> python - <<'X'
import random, agree, collections
g = collections.defaultdict(list)
for x in agree.rows(): g[x['interview']].append((x['mara'] == '{{c}}', x['jon'] == '{{c}}'))
r = random.Random(11); v = sorted(agree.alpha([p for k in r.choices(list(g), k=12) for p in g[k]]) for _ in range(300))
print('{{c}} from %.2f to %.2f' % (v[7], v[292]))
X
@end
U> Here is what Jon said by phone: he follows the new definition, nearly all his fear become trust unless illness is named. Simulate what alpha would be if a share s of disputed ones is resolved.
@for s
@- 0
@- 20
@- 40
@- 60
@- 80
@- 100
A> {{s}} percent resolved:
$> python - <<'X'
import random, agree
r = random.Random(4)
p = []
for x in agree.rows():
    a, b = x['mara'], x['jon']
    if {a, b} == {'trust', 'fear'} and r.random() * 100 < {{s}}: b = a
    p.append((a, b))
print('alpha %.3f' % agree.alpha(p))
X
@end
A> Above 0.8 needs most of them. A version of alpha that takes missing values, for Lea:
$> cat >> agree.py <<'X'


def alpha_many(units):
    units = [[v for v in u if v] for u in units]
    units = [u for u in units if len(u) > 1]
    values = collections.Counter(v for u in units for v in u)
    n = sum(values.values())
    differ = sum(sum(a != b for a in u for b in u) / (len(u) - 1) for u in units) / n
    return 1 - differ / (1 - sum(k * (k - 1) for k in values.values()) / (n * (n - 1)))
X
python -c "
import agree
u = [(x['mara'], x['jon']) for x in agree.rows()]
print('%.6f %.6f' % (agree.alpha(u), agree.alpha_many(u)))"
A> Both agree on two coders. With holes:
$> python -c "
import agree
print('%.3f' % agree.alpha_many([('cost', 'cost', None), ('fear', 'trust', 'trust'), (None, 'habit', 'habit'), ('cost', None, None)]))"
U> Method section, please.
W> agreement.md
Agreement is Krippendorff's alpha (nominal), which takes missing values and more than two
coders. Intervals: bootstrap over the twelve interviews. Segments on which trust and fear
disagreed were coded anew, blind, among as many undisputed ones, with a sharper definition.
A> The figures beneath:
$> python -c "
import agree
p = [(x['mara'], x['jon']) for x in agree.rows()]
print('Before recoding: alpha %.2f, raw agreement %.2f.' % (agree.alpha(p), sum(a == b for a, b in p)/len(p)))" | tee -a agreement.md
A> The values after recoding get a line when the sheets are in.
$> echo 'After recoding: (sheets pending)' >> agreement.md; tail -2 agreement.md
U> That will do for today.
A> Left to do: the three sheets, then alpha_many over all.
$> ls; wc -l < recode_sheet.csv
U> Thanks!
=== gold
p1 | the coefficient has to be chance-corrected | chance-corrected
p2 | we report Krippendorff's alpha because a third coder (Lea) will come | Krippendorff's alpha; Lea
p3 | no interview is left out | no interview is left out
p4 | the main confusion is trust against fear: {{tf}} segments | trust; fear; {{tf}} segments
p5 | trust and fear are not merged, fear is the main finding | not merged; fear
p6 | {{disputed}} segments are disputed | {{disputed}} segments
p7 | sharper definition: fear only if a result or an illness is named | fear only if
p8 | next: write recode_sheet.csv with the disputed segments and as many undisputed ones, then put the definition into codebook.md | recode_sheet.csv; codebook.md
f1 | percent agreement as the figure for the reviewer | percent agreement
f2 | report Cohen's kappa | report Cohen's kappa
f3 | drop the worst interview and recompute without it | worst interview
c1 | write recode_sheet.csv | recode_sheet.csv | worst interview
c2 | put the definition into codebook.md | codebook.md
