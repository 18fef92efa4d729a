id: 222
domain: data_analysis
tools: {$: run, W: write, R: read}
=== setup
import csv, random
r = random.Random(4242)
with open('events.csv', 'w', newline='') as f:
    w = csv.writer(f); w.writerow(['user', 'arm', 'day', 'device', 'country', 'visits', 'bought', 'cents'])
    for u in range(1, 6001):
        arm = r.choice('AB'); dev = r.choices(['phone', 'desktop', 'tablet'], [6, 3, 1])[0]
        day = r.randint(1, 14)
        if arm == 'B' and dev == 'tablet' and r.random() < .6: continue
        p = .08 + (.02 if arm == 'B' and dev == 'phone' else 0) + (.03 if day <= 2 and arm == 'B' else 0)
        b = int(r.random() < p)
        c = 0
        if b: c = int(r.lognormvariate(8, .7))
        if u == 3333: b, c, arm, dev = 1, 900000, 'B', 'desktop'
        w.writerow([u, arm, day, dev, r.choice(['NL', 'BE', 'DE']), r.randint(1, 9), b, c])
    for u in r.sample(range(1, 6001), 40): w.writerow([u, 'A', 14, 'phone', 'NL', 1, 0, 0])
open('plan.md', 'w').write('Registered: primary metric conversion (users who bought / users), two-sided, alpha 5 %, 14 days, no peeking.\nSecondary: revenue per user. Segments: device (exploratory).\nDecision: ship B if conversion is up and revenue is not down.\n')
=== session
U> Checkout test finished, events.csv has one row per user, plan.md is what we pre-registered. Is B better? The product lead already tweeted that it is, so be very sure either way.
A> Plan first, then the data.
$> cat plan.md; head -3 events.csv; wc -l < events.csv
A> One row per user?
$> cut -d, -f1 events.csv | sort | uniq -d | wc -l
A> {+p1}Some users occur twice, in the extra rows at the end of the file with arm A. {+f1}Simple handling: keep the last row of each user.
$> python - <<'X'
import csv, collections
rows = list(csv.DictReader(open('events.csv')))
g = collections.defaultdict(list)
for x in rows: g[x['user']].append(x['arm'])
print('twice', sum(len(v) > 1 for v in g.values()), 'in both arms', sum(len(set(v)) > 1 for v in g.values()))
X
U> The last row comes from a logging job that always writes A. So the first row is the true one.
A> {-f1}Not the last, then. {+p2}The first row of each user counts, later rows are a logging job's.
$> cat > ab.py <<'X'
import csv


def users():
    seen = {}
    for x in csv.DictReader(open('events.csv')):
        if x['user'] not in seen:
            x.update(bought=int(x['bought']), cents=int(x['cents']), day=int(x['day']))
            seen[x['user']] = x
    return list(seen.values())
X
python -c "
import ab, collections
print(collections.Counter(x['arm'] for x in ab.users()))"
A> The split should be even. A test for that, before any result:
$> python - <<'X'
import ab, math
u = ab.users(); a = sum(x['arm'] == 'A' for x in u); n = len(u)
z = (a - n / 2) / math.sqrt(n / 4)
print('A %d of %d, z %.2f' % (a, n, z))
X
@let z z ([\d.-]+)
A> {+p3}Sample ratio mismatch: z is {{z}}, B has lost users. Where? I go through days and devices.
@for d | w
@- 1 | launch day
@- 2 | second day
@- 3 | third
@- 4 | fourth
@- 5 | fifth
@- 6 | weekend
@- 7 | weekend
@- 8 | second week
@- 9 | ninth
@- 10 | tenth
@- 11 | eleventh
@- 12 | twelfth
@- 13 | thirteenth
@- 14 | last day
A> Day {{d}}, {{w}}:
$> python -c "
import ab
u = [x for x in ab.users() if x['day'] == {{d}}]
for arm in 'AB':
    v = [x for x in u if x['arm'] == arm]
    print(arm, len(v), 'users', '%.3f' % (sum(x['bought'] for x in v) / len(v)), end='  ')
print()"
@end
A> Spread over all days, so not an outage. Devices:
$> python - <<'X'
import ab, collections
c = collections.Counter((x['device'], x['arm']) for x in ab.users())
for d in ('phone', 'desktop', 'tablet'): print(d, 'A', c[d, 'A'], 'B', c[d, 'B'])
X
A> {+p4}The loss is on tablets: B has far fewer tablet users than A, the new checkout drops them before they are logged.
U> Tablets crash on the new page, we know since yesterday. Can we still conclude anything?
A> {+f2}One could reweight tablets in B up to their number in A.
U> The ones who survive a crash aren't like the ones who didn't. No reweighting.
A> {-f2}True, survivors are selected. {+p5}Tablets are excluded from both arms; the conclusion is limited to phone and desktop.
$> python - <<'X'
import ab, math
u = [x for x in ab.users() if x['device'] != 'tablet']; a = sum(x['arm'] == 'A' for x in u); n = len(u)
print('A %d of %d, z %.2f' % (a, n, (a - n / 2) / math.sqrt(n / 4)))
X
A> Balanced now. Revenue next, outliers first.
$> python -c "
import ab
print(sorted((x['cents'], x['user'], x['arm']) for x in ab.users())[-4:])"
A> {+p6}User 3333 in B has 9000 euros, forty times the next: a bulk order. {+f3}I would simply delete user 3333.
U> A purchase is a purchase for conversion. For revenue cap everybody at the 99.5th percentile, same for both arms, that's our house rule.
A> {-f3}Not deleted. {+p7}Revenue is capped at the 99.5th percentile of buyers in both arms; user 3333 stays in.
$> python -c "
import ab
v = sorted(x['cents'] for x in ab.users() if x['bought'] and x['device'] != 'tablet')
print('cap', v[int(.995 * len(v)) - 1])"
@let cap cap (\d+)
A> The cap is {{cap}} cents. Days 1 and 2 look high in B, a novelty effect perhaps.
U> Plan says 14 days, no fishing. Report it, nothing else.
A> {+p8}All 14 days count, as registered; novelty is only reported. {+p9}Next: write result.py: conversion difference with interval and revenue per user, phone and desktop together, first without segments; nothing has been computed on the primary metric so far.
@cut
W> result.py
import math
import random

import ab

CAP = {{cap}}
users = [x for x in ab.users() if x['device'] != 'tablet']


def conversion(rows):
    return sum(x['bought'] for x in rows) / len(rows)


def revenue(rows):
    return sum(min(x['cents'], CAP) for x in rows) / len(rows)


def split(rows):
    return [x for x in rows if x['arm'] == 'A'], [x for x in rows if x['arm'] == 'B']


def difference(rows, figure, draws=400, seed=5):
    a, b = split(rows)
    r = random.Random(seed)
    found = sorted(figure(r.choices(b, k=len(b))) - figure(r.choices(a, k=len(a))) for _ in range(draws))
    return figure(b) - figure(a), found[int(.025 * draws)], found[int(.975 * draws)]
$> {+c1}python -c "
import result as r
print('result.py: conversion A %.4f B %.4f' % tuple(map(r.conversion, r.split(r.users))))
print('difference %+.4f (%+.4f to %+.4f)' % r.difference(r.users, r.conversion))"
A> The interval tells. A z test beside it, as registered:
$> python - <<'X'
import math, result as r
a, b = r.split(r.users); p = r.conversion(r.users)
z = (r.conversion(b) - r.conversion(a)) / math.sqrt(p * (1 - p) * (1 / len(a) + 1 / len(b)))
print('z %.2f, p %.4f' % (z, math.erfc(abs(z) / math.sqrt(2))))
X
A> Revenue per user, capped:
$> {+c2}python -c "
import result as r
print('revenue per user, cents: %+.1f (%+.1f to %+.1f)' % r.difference(r.users, r.revenue))"
U> Without cap?
$> python -c "
import result as r
r.CAP = 10**9
print('%+.1f (%+.1f to %+.1f)' % r.difference(r.users, r.revenue))"
A> One user makes that difference, which is why there is a rule. Segments, exploratory:
@for d
@- phone
@- desktop
A> {{d}}:
$> python -c "
import result as r
u = [x for x in r.users if x['device'] == '{{d}}']
print('%+.4f (%+.4f to %+.4f)' % r.difference(u, r.conversion))"
@end
@for c | w
@- NL | Netherlands
@- BE | Belgium
@- DE | Germany
A> {{w}}:
$> python -c "
import result as r
u = [x for x in r.users if x['country'] == '{{c}}']
print('%+.4f (%+.4f to %+.4f)' % r.difference(u, r.conversion))"
@end
U> And novelty?
@for a | b
@- 1 | 2
@- 3 | 4
@- 5 | 6
@- 7 | 8
@- 9 | 10
@- 11 | 12
@- 13 | 14
A> Days {{a}} and {{b}}:
$> python -c "
import result as r
u = [x for x in r.users if {{a}} <= x['day'] <= {{b}}]
print('%+.4f (%+.4f to %+.4f)' % r.difference(u, r.conversion, 200))"
@end
A> The start is higher, later pairs are noisy. Without the first two days, as a remark:
$> python -c "
import result as r
u = [x for x in r.users if x['day'] > 2]
print('%+.4f (%+.4f to %+.4f)' % r.difference(u, r.conversion))"
U> How robust is it to the bootstrap seed?
@for s
@- 1
@- 2
@- 3
A> Seed {{s}}:
$> python -c "
import result as r
print('%+.4f %+.4f' % r.difference(r.users, r.conversion, 300, {{s}})[1:])"
@end
A> Stable in the third decimal.
W> verdict.md
Conversion and revenue are given for phone and desktop; tablets are excluded because the
new page crashed there and lost users. The effect of the first two days is larger.
U> Add the mismatch number, legal wants it.
$> echo "Sample ratio mismatch before exclusion: z {{z}}." >> verdict.md; tail -1 verdict.md
A> And what the test cannot say: anything about tablets.
$> echo 'Nothing can be said about tablets.' >> verdict.md; wc -l < verdict.md
U> The lead will delete his tweet. Thanks.
=== gold
p1 | some users occur twice, in the extra rows at the end of the file | twice; extra rows
p2 | the first row of each user counts | first row
p3 | sample ratio mismatch: z is {{z}} | mismatch; {{z}}
p4 | the loss is on tablets: the new checkout drops them before they are logged | tablets; loss
p5 | tablets are excluded from both arms; the conclusion is limited to phone and desktop | tablets; both arms; phone and desktop
p6 | user 3333 in B has 9000 euros, a bulk order | 3333; bulk order
p7 | revenue is capped at the 99.5th percentile of buyers in both arms | capped; 99.5th percentile
p8 | all 14 days count, as registered; novelty is only reported | 14 days; novelty
p9 | next: write result.py: conversion difference with interval and revenue per user, phone and desktop together | result.py; conversion; revenue per user
f1 | keep the last row of each user | last row of each user
f2 | reweight tablets in B up to their number in A | reweight tablets
f3 | simply delete user 3333 | delete user 3333
c1 | write result.py for the conversion difference | result.py; conversion | reweight tablets; delete user 3333
c2 | compute the revenue per user | revenue per user
