id: 208
domain: data_analysis
=== setup
import csv, random
r = random.Random(2718)
districts = {'North': (.30, 3.9), 'South': (.25, 3.1), 'East': (.20, 2.6), 'West': (.15, 3.4), 'Centre': (.10, 4.3)}
share = {'North': .45, 'South': .2, 'East': .08, 'West': .12, 'Centre': .15}
rows = []
for i in range(1200):
    d = r.choices(list(share), share.values())[0]
    age = r.randint(16, 90)
    base = districts[d][1] - (age - 50) / 60
    items = [min(5, max(1, round(r.gauss(base, 1)))) for _ in range(8)]
    items[3] = 6 - items[3]
    if r.random() < .05: items = [3] * 8
    for j in range(8):
        if r.random() < .02: items[j] = 9
    minutes = round(max(.4, r.gauss(6, 2)), 1)
    if len(set(items)) == 1: minutes = round(r.uniform(.4, 1.5), 1)
    rows.append([i + 1, d, age, *items, minutes])
for k in (17, 230, 511): rows.append(list(rows[k]))
with open('survey.csv', 'w', newline='') as f:
    w = csv.writer(f); w.writerow(['id', 'district', 'age', *[f'q{k}' for k in range(1, 9)], 'minutes']); w.writerows(rows)
open('codebook.txt', 'w').write('q1-q8: 1 disagree .. 5 agree, 9 no answer. q4 is worded negatively.\nq1 bus q2 tram q3 stops q4 delays q5 price q6 night q7 safety q8 overall\n')
open('census.csv', 'w').write('district,share\nNorth,0.30\nSouth,0.25\nEast,0.20\nWest,0.15\nCentre,0.10\n')
=== session
U> Satisfaction survey on public transport, survey.csv plus codebook and census shares. I need one number per item (weighted mean, 95 % interval) and a short comparison of districts for a slide. Deadline is my train in two hours, but correct beats quick.
A> Reading the codebook before the numbers.
$> cat codebook.txt; cat census.csv; head -3 survey.csv; wc -l < survey.csv
A> Rows against distinct ids:
$> cut -d, -f1 survey.csv | sort | uniq -d; tail -3 survey.csv
A> {+p1}Three ids occur twice, the last three rows are exact copies and are dropped: 1200 respondents. Then codes: 9 means no answer. {+f1}I treat 9 as the scale midpoint 3 so that no one is lost.
$> python - <<'X'
import csv
rows = {r['id']: r for r in csv.DictReader(open('survey.csv'))}
for q in ('q1','q2','q3','q4','q5','q6','q7','q8'):
    print(q, 'no answer', sum(r[q] == '9' for r in rows.values()))
X
U> Midpoint imputation for a satisfaction item? That pulls everything to the middle. Leave them missing, item by item.
A> {-f1}Correct, that would bias it. {+p2}A 9 is missing for that item only; the respondent stays in for the others.
$> cat > data.py <<'X'
import csv

ITEMS = [f'q{k}' for k in range(1, 9)]


def load():
    rows = {}
    for r in csv.DictReader(open('survey.csv')):
        for q in ITEMS:
            r[q] = None if r[q] == '9' else int(r[q])
        r['age'] = int(r['age']); r['minutes'] = float(r['minutes'])
        rows[r['id']] = r
    return list(rows.values())
X
python -c "import data; print(len(data.load()))"
A> Now each item's distribution, since I want to see q4 with my own eyes.
@for q | name
@- q1 | bus
@- q2 | tram
@- q3 | stops
@- q4 | delays, negative wording
@- q5 | price
@- q6 | night
@- q7 | safety
@- q8 | overall
A> {{q}}, {{name}}:
$> python -c "
import collections, data
v = [r['{{q}}'] for r in data.load() if r['{{q}}']]
c = collections.Counter(v)
print([c[k] for k in range(1, 6)], 'mean %.2f' % (sum(v)/len(v)), 'n', len(v))"
@end
A> {+p3}q4 runs the other way and is reversed as 6 − q4 before anything else. Correlations say the same?
$> python - <<'X'
import data, statistics as st
rows = data.load()
for q in ('q1', 'q4', 'q7'):
    pairs = [(r[q], r['q8']) for r in rows if r[q] and r['q8']]
    print(q, 'with q8: %.2f' % st.correlation(*map(list, zip(*pairs))))
X
A> Yes, negative for q4 only. Next, people who clicked straight through.
$> python - <<'X'
import data
rows = data.load()
straight = [r for r in rows if len({r[q] for q in data.ITEMS}) == 1]
quick = [r for r in rows if r['minutes'] < 2]
both = [r for r in straight if r in quick]
print(len(straight), 'straight-liners', len(quick), 'under two minutes', len(both), 'both')
print('slow straight-liners', len(straight) - len(both))
X
A> {+f2}I exclude everyone who took less than two minutes.
U> Hm, two minutes is arbitrary, and some people read fast. Use the combination: all eight the same AND under two minutes.
A> {-f2}The time alone is not enough, agreed. {+p4}Excluded are respondents with eight equal answers and less than two minutes, both together.
$> python - <<'X'
import data
rows = data.load()
out = [r for r in rows if len({r[q] for q in data.ITEMS}) == 1 and r['minutes'] < 2]
print(len(out), 'excluded', len(rows) - len(out), 'remain')
X
@let remain (\d+) remain
A> {+p5}{{remain}} respondents remain. Weighting: sample against census.
$> python - <<'X'
import collections, csv, data
rows = data.load()
c = collections.Counter(r['district'] for r in rows)
for x in csv.DictReader(open('census.csv')):
    s = c[x['district']] / len(rows)
    print(f"{x['district']:7} sample {s:.3f} census {x['share']} weight {float(x['share'])/s:.2f}")
X
A> East is far under-represented, its weight is {{/East.*weight ([\d.]+)/}}. {+f3}To tame that I trim weights at 1.5.
$> python - <<'X'
import collections, csv, data
rows = data.load(); c = collections.Counter(r['district'] for r in rows)
w = {x['district']: float(x['share']) * len(rows) / c[x['district']] for x in csv.DictReader(open('census.csv'))}
for cap in (9, 1.5):
    v = [(min(w[r['district']], cap), r['q8']) for r in rows if r['q8']]
    print('cap', cap, 'overall %.3f' % (sum(a*b for a, b in v)/sum(a for a, _ in v)), 'effective n %.0f' % (sum(a for a, _ in v)**2/sum(a*a for a, _ in v)))
X
U> No trimming. East is the district the council asks about, I won't have it shrunk. We report the effective n beside it.
A> {-f3}Then weights are used in full. {+p6}Weights are census share over sample share by district, untrimmed, with the effective n reported beside every figure.
$> python -c "
import data, collections
a = collections.Counter(min(r['age']//20*20, 80) for r in data.load()); print(sorted(a.items()))"
U> Age too? Do we weight by age?
A> There are no census shares by age here, so age is not weighted; I will say so on the slide.
$> grep -ci age census.csv; true
A> Are ages plausible at all?
$> python -c "
import data
v = sorted(r['age'] for r in data.load()); print(v[0], v[len(v)//2], v[-1])"
A> Sixteen to ninety, fine. Does missingness depend on the district? It would matter for the weights.
$> python - <<'X'
import collections, data
m = collections.Counter(); n = collections.Counter()
for r in data.load():
    n[r['district']] += 8; m[r['district']] += sum(r[q] is None for q in data.ITEMS)
for d in n: print(f'{d:7} {100 * m[d] / n[d]:.1f} % missing')
X
A> About two in a hundred everywhere; nothing to correct.
U> Good. How do you get intervals?
A> {+p7}Intervals by bootstrap over respondents within districts, 1000 draws, seed 7. {+p8}Next: write estimate.py, which does not exist yet: it prints item, weighted mean, interval and effective n, then the district comparison on q8.
@cut
W> estimate.py
import collections
import csv
import random

import data


def sample():
    rows = [r for r in data.load() if not (len({r[q] for q in data.ITEMS}) == 1 and r['minutes'] < 2)]
    for r in rows:
        r['q4'] = None if r['q4'] is None else 6 - r['q4']
    return rows


def weights(rows):
    counts = collections.Counter(r['district'] for r in rows)
    return {x['district']: float(x['share']) * len(rows) / counts[x['district']] for x in csv.DictReader(open('census.csv'))}


def mean(rows, item, w):
    pairs = [(w[r['district']], r[item]) for r in rows if r[item] is not None]
    return sum(a * b for a, b in pairs) / sum(a for a, _ in pairs)


def interval(rows, item, w, draws=1000):
    r = random.Random(7)
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row['district']].append(row)
    found = sorted(mean([x for g in groups.values() for x in r.choices(g, k=len(g))], item, w) for _ in range(draws))
    return found[int(.025 * draws)], found[int(.975 * draws)]


def effective(rows, item, w):
    v = [w[r['district']] for r in rows if r[item] is not None]
    return sum(v) ** 2 / sum(a * a for a in v)
A> Item by item, so that I see each before it goes on the slide.
@for q | name
@- q1 | bus
@- q2 | tram
@- q3 | stops
@- q4 | delays, reversed
@- q5 | price
@- q6 | night
@- q7 | safety
@- q8 | overall
A> The {{name}} item:
$> python -c "
import estimate as e
rows = e.sample(); w = e.weights(rows)
low, high = e.interval(rows, '{{q}}', w, 300)
print('{{q}} %.2f (%.2f to %.2f), effective n %.0f' % (e.mean(rows, '{{q}}', w), low, high, e.effective(rows, '{{q}}', w)))" | tee -a items.txt
@end
A> The full thousand draws for the headline item.
$> {+c1}python -c "
import estimate as e
rows = e.sample(); w = e.weights(rows)
print('q8 weighted mean %.2f' % e.mean(rows, 'q8', w), 'interval %.2f to %.2f' % e.interval(rows, 'q8', w)); print('from estimate.py')"
U> And the districts?
@for d | word
@- North | the largest
@- South | second
@- East | the one they ask about
@- West | fourth
@- Centre | smallest
A> {{d}}, {{word}}.
$> python - <<'X'
import random, estimate as e
v = [r['q8'] for r in e.sample() if r['district'] == '{{d}}' and r['q8'] is not None]
r = random.Random(7)
b = sorted(sum(r.choices(v, k=len(v))) / len(v) for _ in range(1000))
print('{{d}} q8 %.2f (%.2f to %.2f) n %d' % (sum(v)/len(v), b[25], b[974], len(v)))
X
@end
A> {+c2}District comparison on q8: East is lowest and its interval is clear of all others.
$> python - <<'X'
import estimate as e
rows = e.sample(); flat = {d: 1 for d in e.weights(rows)}
print('unweighted %.2f weighted %.2f' % (e.mean(rows, 'q8', flat), e.mean(rows, 'q8', e.weights(rows))))
X
A> Weighting moves the overall value down, as East counts in full.
$> cat items.txt | sort -k2 -n | sed -n '1p;$p'
A> Men at the desk will ask about night service, so the lowest two items by district:
$> python - <<'X'
import estimate as e
rows = e.sample(); one = {d: 1 for d in e.weights(rows)}
for d in sorted(one):
    part = [r for r in rows if r['district'] == d]
    print(d, sorted((round(e.mean(part, q, one), 2), q) for q in e.data.ITEMS)[:2])
X
A> A check of the reversed item: with the others now positive?
$> python - <<'X'
import statistics as st, estimate as e
v = [(r['q4'], r['q8']) for r in e.sample() if r['q4'] and r['q8']]
print('q4 with q8 %.2f' % st.correlation(*map(list, zip(*v))))
X
U> One sentence on exclusions for the footnote please.
A> From the data:
$> python -c "
import data, estimate
n = len(data.load()); k = len(estimate.sample())
print(f'{n - k} of {n} respondents were excluded (eight equal answers in under two minutes).')" | tee footnote.txt
A> Would the conclusion change without the exclusion?
$> python -c "
import data, estimate as e
rows = data.load(); w = e.weights(rows)
print('q8 with everyone %.2f' % e.mean(rows, 'q8', w))"
A> No. And if one weights by district only among those over 60?
$> python -c "
import estimate as e
rows = [r for r in e.sample() if r['age'] >= 60]; w = e.weights(rows)
print('60 and older: q8 %.2f n %d' % (e.mean(rows, 'q8', w), len(rows)))"
A> Older people are less content; worth a remark, no more.
W> slide.md
Overall satisfaction, weighted by district; age is not weighted.
East is clearly below the other districts.
Older respondents are less content.
U> On the train. Thank you!
=== gold
p1 | three ids occur twice and are dropped: 1200 respondents | 1200 respondents
p2 | a 9 is missing for that item only | missing for that item only
p3 | q4 is reversed as 6 − q4 | q4; reversed
p4 | excluded are respondents with eight equal answers and less than two minutes, both together | eight equal answers; both together
p5 | {{remain}} respondents remain | {{remain}}; remain
p6 | weights are census share over sample share by district, untrimmed, with the effective n | untrimmed; effective n
p7 | intervals by bootstrap over respondents within districts, 1000 draws, seed 7 | bootstrap; within districts; 1000 draws
p8 | next: write estimate.py: weighted mean, interval and effective n, then the district comparison on q8 | estimate.py; weighted mean; district comparison; q8
f1 | treat 9 as the scale midpoint 3 | midpoint 3
f2 | exclude everyone who took less than two minutes | exclude everyone
f3 | trim weights at 1.5 | trim weights at 1.5
c1 | write estimate.py and print weighted mean and interval | estimate.py; weighted mean; interval | trim weights
c2 | the district comparison on q8 | q8; district
