id: 229
domain: research
tools: {$: shell, W: put, R: get}
=== setup
import csv, random
r = random.Random(88)
sites = ['orchard', 'heath', 'quarry', 'canal', 'beechwood', 'village', 'meadow', 'bog', 'railway', 'vineyard']
species = [f'sp{n:02d}' for n in range(1, 61)]
with open('catches.csv', 'w', newline='') as f:
    w = csv.writer(f); w.writerow(['site', 'night', 'trap', 'species', 'count'])
    for k, s in enumerate(sites):
        pool = r.sample(species, 18 + 3 * (k % 5) + (8 if s == 'bog' else 0))
        nights = 4 + (k * 3) % 7
        for n in range(1, nights + 1):
            for trap in ('UV', 'sugar') if k % 2 else ('UV',):
                for j, sp in enumerate(pool):
                    c = int(r.expovariate(1) * 12 / (1 + j))
                    if trap == 'sugar': c = c // 3
                    if c: w.writerow([s, n, trap, sp, c])
    w.writerow(['canal', 2, 'UV', 'sp07', 900]); w.writerow(['village', 1, 'UV', 'Sp12', 3]); w.writerow(['heath', 9, 'UV', 'sp61?', 1])
open('field_notes.txt', 'w').write('canal night 2: lamp of the ferry on until 1 am, mass flight\nheath: night 9 does not exist, we left after 7? check\nvillage: labels in another hand\nbog: rain in night 3\n')
=== session
U> We compare moth diversity at ten sites (catches.csv). Effort differs: number of nights, and some sites had a sugar trap besides the UV lamp. Which site is richest, fairly compared? Supervisor wants rarefaction, I'm not sure it's the right thing. Help me to get this right and to write it down.
A> Let us look at effort before diversity.
$> head -3 catches.csv; cat field_notes.txt; python -c "
import csv, collections
n = collections.defaultdict(set)
for r in csv.DictReader(open('catches.csv')): n[r['site'], r['trap']].add(r['night'])
for k, v in sorted(n.items()): print(*k, len(v), 'nights')"
A> Raw species counts to have seen them once. {+f1}As a first ranking I take the number of species per site.
$> python -c "
import csv, collections
s = collections.defaultdict(set)
for r in csv.DictReader(open('catches.csv')): s[r['site']].add(r['species'])
print(sorted(((len(v), k) for k, v in s.items()), reverse=True))"
U> raw counts reward effort, the examiner will laugh
A> {-f1}Agreed, raw counts say who stayed longest. Data problems next.
$> grep -nE 'Sp12|sp61|,900' catches.csv
A> "Sp12" is sp12 in another hand, surely:
$> grep -c 'village,1,UV,sp12' catches.csv
U> yes label is sp12, same species. merge
A> {+p1}Sp12 in the village is sp12 and is merged. heath night 9:
U> we left after night 7, but the moth sp61? was found in the trap the morning after. it's undetermined anyway. out
A> {+p2}The record sp61? of heath is left out, undetermined. And the 900 at the canal, the ferry's lamp:
$> grep -n 'canal,2,.*900' catches.csv; cut -d, -f5 catches.csv | sort -n | tail -3 | tr '\n' ' '
A> {+f2}I cap the 900 at 50.
U> no invented numbers please. what does it do to the analysis?
A> For individual-based rarefaction it dominates the whole site; for sample-based it is one occurrence like any other.
$> python - <<'X'
import csv, collections
t = collections.Counter()
for r in csv.DictReader(open('catches.csv')): t[r['site']] += int(r['count'])
print(t.most_common())
X
A> {-f2}So no cap. {+p3}Rarefaction is sample-based (by nights, presence only), not by individuals; then the mass flight of 900 needs no special treatment.
U> supervisor will ask why. because of clumped catches?
A> Yes: moths come in clumps, individuals are not independent. Two traps: {+f3}I pool UV and sugar, more data for the same night.
$> python - <<'X'
import csv, collections
only = collections.defaultdict(lambda: collections.defaultdict(set))
for r in csv.DictReader(open('catches.csv')): only[r['site']][r['trap']].add(r['species'])
for s, t in sorted(only.items()):
    if 'sugar' in t: print(s, 'only at sugar:', len(t['sugar'] - t['UV']), 'UV', len(t['UV']))
X
U> half of the sites have no sugar. pooled is unfair again
A> {-f3}True. {+p4}Only UV catches are compared; sugar is reported apart. Nights per site with UV, and what they hold, one by one:
@for s | w
@- orchard | apples
@- heath | without night 9
@- quarry | stones
@- canal | the ferry
@- beechwood | dark
@- village | lamps
@- meadow | wet
@- bog | rain in night 3
@- railway | dry
@- vineyard | south slope
A> {{s}}: {{w}}.
$> python - <<'X'
import csv, collections
n = collections.defaultdict(set)
for r in csv.DictReader(open('catches.csv')):
    if r['site'] == '{{s}}' and r['trap'] == 'UV' and '?' not in r['species']: n[int(r['night'])].add(r['species'].lower())
print(len(n), 'nights', [len(n[k]) for k in sorted(n)], 'species in all', len(set().union(*n.values())), 'once', sum(sum(x in v for v in n.values()) == 1 for x in set().union(*n.values())))
X
@end
A> {+p5}The least effort is four nights, so all sites are compared at four nights.
U> does the rain night at bog count?
A> A night with rain is a night; leaving it out would favour the bog.
U> ok keep it
A> {+p6}Night 3 of the bog counts in spite of the rain.
$> grep -c '^bog,3' catches.csv
U> rarefied to 4 nights throws away data from sites with 10. can we extrapolate?
A> To twice the least effort is the usual limit, eight nights, with the Chao2 estimator for unseen species.
$> python -c "print('limit of extrapolation:', 2 * 4, 'nights')"
A> {+p7}Both are given: richness at four nights by rarefaction, and at eight nights by extrapolation with Chao2, no further.
$> ls
U> intervals?
A> {+p8}Intervals by bootstrap over nights are too narrow with four nights, so we give the standard error of the exact formula over subsets. {+p9}Next: write rarefy.py with the exact mean over all subsets of four nights, and richness.csv; not begun.
U> ok
A> A word of caution to note already: ten sites, one season.
$> echo 'one season, ten sites' > caveats.txt; cat caveats.txt
U> fair
@cut
W> rarefy.py
import csv
import itertools
import statistics


def nights():
    out = {}
    for r in csv.DictReader(open('catches.csv')):
        if r['trap'] == 'UV' and '?' not in r['species']:
            out.setdefault(r['site'], {}).setdefault(int(r['night']), set()).add(r['species'].lower())
    return out


def rarefied(sets, size):
    found = [len(set().union(*c)) for c in itertools.combinations(sets, size)]
    return statistics.mean(found), statistics.pstdev(found)


def chao2(sets):
    m = len(sets)
    all_species = set().union(*sets)
    seen = [sum(s in x for x in sets) for s in all_species]
    one, two = seen.count(1), seen.count(2)
    return len(all_species) + (m - 1) / m * one * (one - 1) / (2 * (two + 1)), one, two


def extrapolated(sets, size):
    m, have = len(sets), len(set().union(*sets))
    if size <= m:
        return rarefied(sets, size)[0]
    estimate, one, _ = chao2(sets)
    unseen = estimate - have
    if unseen == 0:
        return float(have)
    return have + unseen * (1 - (1 - one / (m * unseen + one)) ** (size - m))


if __name__ == '__main__':
    with open('richness.csv', 'w', newline='') as f:
        out = csv.writer(f)
        out.writerow(['site', 'nights', 'at4', 'sd4', 'at8'])
        for site, by in sorted(nights().items()):
            mean, sd = rarefied(list(by.values()), 4)
            out.writerow([site, len(by), f'{mean:.1f}', f'{sd:.1f}', f'{extrapolated(list(by.values()), 8):.1f}'])
$> {+c1}python rarefy.py && column -t -s, richness.csv; ls rarefy.py richness.csv
A> The order at four nights and at eight:
$> tail -n +2 richness.csv | sort -t, -k3,3nr | cut -d, -f1 | tr '\n' ' '; echo; tail -n +2 richness.csv | sort -t, -k5,5nr | cut -d, -f1 | tr '\n' ' '
@for s
@- orchard
@- heath
@- quarry
@- canal
@- beechwood
@- village
@- meadow
@- bog
@- railway
@- vineyard
A> The curve of {{s}}:
$> python -c "
import rarefy
v = list(rarefy.nights()['{{s}}'].values())
print([round(rarefy.extrapolated(v, k), 1) for k in range(1, 9)])"
@end
U> is Chao2 sane everywhere?
$> python -c "
import rarefy
for s, by in sorted(rarefy.nights().items()):
    e, one, two = rarefy.chao2(list(by.values())); print(s, round(e, 1), 'once', one, 'twice', two)"
A> Where "twice" is small the estimate is shaky. Completeness, seen over estimated:
$> python -c "
import rarefy
for s, by in sorted(rarefy.nights().items()):
    v = list(by.values()); print(s, round(len(set().union(*v)) / rarefy.chao2(v)[0], 2), end='; ')
print()"
U> now what if I had done it by individuals, for the examiner?
A> For comparison only, rarefied to the smallest catch:
$> python - <<'X'
import csv, collections, math
t = collections.defaultdict(collections.Counter)
for r in csv.DictReader(open('catches.csv')):
    if r['trap'] == 'UV' and '?' not in r['species']: t[r['site']][r['species'].lower()] += int(r['count'])
n = min(sum(c.values()) for c in t.values())
def logc(a, b): return math.lgamma(a + 1) - math.lgamma(b + 1) - math.lgamma(a - b + 1)
for s, c in sorted(t.items()):
    N = sum(c.values())
    print(s, round(sum(1 - (math.exp(logc(N - k, n) - logc(N, n)) if N - k >= n else 0) for k in c.values()), 1), end='; ')
print(n)
X
A> The canal falls there because of the mass flight, as expected.
@for k
@- 2
@- 3
@- 5
@- 6
A> Would another common effort, {{k}} nights, change the top three?
$> python -c "
import rarefy
n = {s: list(b.values()) for s, b in rarefy.nights().items()}
print(sorted(n, key=lambda s: -rarefy.extrapolated(n[s], {{k}}))[:3])"
@end
A> Similarity between sites, in case they ask what the sites share:
$> python - <<'X'
import rarefy, itertools
n = {s: set().union(*b.values()) for s, b in rarefy.nights().items()}
v = sorted(((len(n[a] & n[b]) / len(n[a] | n[b]), a, b) for a, b in itertools.combinations(sorted(n), 2)), reverse=True)
print('most alike', v[0], 'least', v[-1])
X
U> write it
W> methods.md
Richness was compared by sample-based rarefaction at four nights and extrapolated to eight
(Chao2). Only UV traps were used. Catches were treated as presence per night because moths
come in clumps. One undetermined specimen was left out, one label corrected.
A> And the sentence on what it does not show:
$> {+c2}echo 'Standard deviations are over subsets of nights, not over seasons (richness.csv, four nights).' >> methods.md; cat caveats.txt >> methods.md; tail -2 methods.md
U> supervisor is happy with sample-based. thank you!!
A> Good luck with the examiner.
$> wc -w methods.md
U> :)
=== gold
p1 | Sp12 in the village is sp12 and is merged | sp12; merged
p2 | the record sp61? of heath is left out | sp61; left out
p3 | rarefaction is sample-based (by nights, presence only) | sample-based
p4 | only UV catches are compared; sugar is reported apart | UV; sugar; apart
p5 | all sites are compared at four nights | four nights
p6 | night 3 of the bog counts in spite of the rain | bog; rain; counts
p7 | richness at four nights by rarefaction, and at eight nights by extrapolation with Chao2 | Chao2; eight nights
p8 | intervals: the standard error of the exact formula over subsets | subsets
p9 | next: write rarefy.py with the exact mean over all subsets of four nights, and richness.csv | rarefy.py; richness.csv; subsets
f1 | take the number of species per site as the ranking | number of species per site
f2 | cap the 900 at 50 | at 50
f3 | pool UV and sugar | pool UV and sugar
c1 | write rarefy.py and richness.csv | rarefy.py; richness.csv | pool UV and sugar
c2 | report richness.csv at four nights | richness.csv; four nights
