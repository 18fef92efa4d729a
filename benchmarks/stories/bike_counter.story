id: 202
domain: data_analysis
tools: {$: shell, W: save, R: open_file}
=== setup
import csv, datetime as d, math, random
r = random.Random(77)
start = d.datetime(2025, 3, 1)
sites = ['quay', 'station', 'mill', 'hospital', 'stadium', 'campus', 'harbour', 'market', 'zoo', 'brewery']
with open('counts.csv', 'w', newline='') as f:
    w = csv.writer(f); w.writerow(['site', 'time', 'count'])
    for s, name in enumerate(sites):
        for h in range(24 * 61):
            t = start + d.timedelta(hours=h)
            base = 20 + 60 * math.exp(-((t.hour - 8) ** 2) / 6) + 70 * math.exp(-((t.hour - 17) ** 2) / 8)
            if t.weekday() >= 5: base *= .55
            n = max(0, int(r.gauss(base * (1 + s / 10), 6)))
            if name == 'mill' and d.datetime(2025, 3, 20) <= t < d.datetime(2025, 4, 2): n = 0
            if name == 'zoo' and t.month == 4: n *= 2
            if t == d.datetime(2025, 3, 30, 2): continue
            if r.random() < .01: continue
            w.writerow([name, t.strftime('%d.%m.%Y %H:00') if name == 'market' else t.isoformat(sep=' ', timespec='minutes'), n])
open('sites.txt', 'w').write('\n'.join(f'{n};loops={1 + (n == "zoo")};lanes={2 - i % 2}' for i, n in enumerate(sites)) + '\n')
=== session
U> Hello! counts.csv holds hourly bicycle counts of ten sites for March and April 2025, sites.txt a few notes on the hardware. The council wants one figure per site: typical weekday traffic (bicycles per day), and a ranking in ranking.csv. Please tell me about anything odd in the data before you decide something, I know these counters well.
A> I will look at the file first and say what I find.
$> head -4 counts.csv; wc -l counts.csv; cat sites.txt
A> Do all rows parse? I try the dates.
$> python - <<'X'
import csv, collections, datetime as d
bad = collections.Counter()
for r in csv.DictReader(open('counts.csv')):
    try: d.datetime.fromisoformat(r['time'])
    except ValueError: bad[r['site']] += 1
print(dict(bad))
X
A> {+p1}The site market writes its dates as day.month.year, {{/market': (\d+)/}} rows; the others are ISO. I write a loader that reads both.
W> load.py
import csv
import datetime as d


def rows():
    for r in csv.DictReader(open('counts.csv')):
        text = r['time']
        form = '%d.%m.%Y %H:%M' if '.' in text else '%Y-%m-%d %H:%M'
        yield r['site'], d.datetime.strptime(text, form), int(r['count'])
A> Gaps next: how many of the 1464 hours does each site have?
$> python -c "
import collections, load
n = collections.Counter(s for s, _, _ in load.rows())
for s, k in n.items(): print(s, k, 1464 - k)
"
A> About one hour in a hundred is missing everywhere. {+f1}My plan for the gaps: fill missing hours by linear interpolation between the neighbours.
U> Careful there. When the modem drops it drops around the peak, neighbours in the morning are half of the peak. Please do not invent traffic.
A> {-f1}Understood, nothing is filled in. {+p2}A day counts only if it has at least 22 of its 24 hours, and its total is scaled to 24.
$> python -c "
import collections, load
days = collections.defaultdict(list)
for s, t, c in load.rows(): days[s, t.date()].append(c)
print('days', len(days), 'with 22 hours or more', sum(len(v) >= 22 for v in days.values()))
print('shortest day', min(len(v) for v in days.values()))
"
A> Now zeros: a counter that says 0 at five in the afternoon is broken, not quiet. Site by site.
@for s | note
@- quay | the oldest counter
@- station | the busy underpass
@- mill | by the weir
@- hospital | two lanes
@- stadium | match days could show
@- campus | term ends in March
@- harbour | wind
@- market | the one with the odd dates
@- zoo | two loops according to sites.txt
@- brewery | last one
A> {{s}}: {{note}}.
$> python -c "
import load
v = [(t, c) for s, t, c in load.rows() if s == '{{s}}' and t.hour == 17]
z = [t.date().isoformat() for t, c in v if c == 0]
m = sum(c for t, c in v if t.month == 3) / sum(t.month == 3 for t, c in v)
a = sum(c for t, c in v if t.month == 4) / sum(t.month == 4 for t, c in v)
print('zero days', len(z), z[:1], z[-1:], 'March %.0f April %.0f' % (m, a))
"
@end
A> Two oddities. {+p3}mill reports 0 from 20 March to 1 April, 13 days. And zoo doubles from March to April.
U> mill: the road was dug up, correct zeros for the council? No wait, the cycle path was open, the loop was cut. So drop these days. zoo: I believe the animals were popular.
A> {+p4}So the 13 days of mill are dropped as a cut loop. {+f2}For zoo I follow you and keep zoo as counted, the doubling is taken as real visitors.
$> python -c "
import load, collections
n = collections.defaultdict(list)
for s, t, c in load.rows():
    if s == 'zoo' and t.month == 4: n[t.hour].append(c)
print('odd counts in April:', sum(c % 2 for v in n.values() for c in v), 'of', sum(map(len, n.values())))
print('odd counts in March:', sum(c % 2 for s, t, c in load.rows() if s == 'zoo' and t.month == 3))
"
A> In April not a single odd number among {{/of (\d+)/}}, in March about half are odd. With loops=2 in sites.txt that means each bicycle is counted by both loops since 1 April.
U> Ha! You are right, they commissioned the second loop then. Divide by two.
A> {-f2}So not visitors. {+p5}zoo is halved from 1 April on because both loops count.
$> python -c "
import load
a = [c/2 for s,t,c in load.rows() if s=='zoo' and t.month==4 and t.hour==17]
print('zoo at 17 in April, halved: %.0f' % (sum(a)/len(a)))
"
A> That is in line with March. Are there single absurd hours left anywhere, a count no counter can reach?
$> python -c "
import load
top = sorted(((c, s, t) for s, t, c in load.rows() if not (s == 'zoo' and t.month == 4)), reverse=True)[:4]
for c, s, t in top: print(c, s, t)
"
A> Nothing absurd, the maximum is {{/(\d+) \w+/}}. Duplicated hours?
$> python -c "
import load, collections
n = collections.Counter((s, t) for s, t, _ in load.rows())
print('twice:', sum(k > 1 for k in n.values()))
"
A> None twice. Typical weekday: mean or median? {+f3}I take the mean over weekdays, the council knows means.
$> python -c "
import load, collections, statistics as st
d = collections.defaultdict(list)
for s, t, c in load.rows():
    if t.weekday() < 5: d[s, t.date()].append(c)
for s in ('quay', 'stadium', 'campus'):
    v = [sum(x)*24/len(x) for (n, _), x in d.items() if n == s and len(x) >= 22]
    print(s, 'mean %.0f median %.0f' % (st.mean(v), st.median(v)))
"
U> Easter is in there (18 and 21 April), so median please, and leave the two holidays out all the same.
A> {-f3}Median it is. {+p6}The figure is the median over weekdays without 18 and 21 April. And 30 March has 23 hours because of the clock change, a Sunday anyway. {+p7}Next: write ranking.py, which applies these rules and writes ranking.csv; nothing of it exists yet.
@cut
W> ranking.py
import collections
import csv
import datetime as d
import statistics

import load

HOLIDAYS = {d.date(2025, 4, 18), d.date(2025, 4, 21)}
CUT = (d.date(2025, 3, 20), d.date(2025, 4, 1))
days = collections.defaultdict(list)
for site, time, count in load.rows():
    day = time.date()
    if site == 'zoo' and time.month == 4:
        count /= 2
    if site == 'mill' and CUT[0] <= day <= CUT[1]:
        continue
    days[site, day].append(count)
totals = collections.defaultdict(list)
for (site, day), counts in days.items():
    if len(counts) >= 22 and day.weekday() < 5 and day not in HOLIDAYS:
        totals[site].append(sum(counts) * 24 / len(counts))
ranks = sorted(((statistics.median(v), s, len(v)) for s, v in totals.items()), reverse=True)
with open('ranking.csv', 'w', newline='') as f:
    out = csv.writer(f)
    out.writerow(['rank', 'site', 'weekday', 'days'])
    for n, (value, site, used) in enumerate(ranks, 1):
        out.writerow([n, site, round(value), used])
A> The rules are all in there.
$> {+c1}python ranking.py && cat ranking.csv
A> Now I look at how firm each place is: resample the days of each site.
@for s | word
@- quay | the lowest first
@- station | close to quay
@- mill | fewer days
@- hospital | middle
@- stadium | middle as well
@- campus | sixth
@- harbour | seventh
@- market | eighth
@- zoo | halved in April
@- brewery | the top
A> {{s}}, {{word}}.
$> python - <<'X'
import random, statistics, ranking
r = random.Random(1)
v = ranking.totals['{{s}}']
m = sorted(statistics.median(r.choices(v, k=len(v))) for _ in range(400))
print('{{s}} median %.0f, 95 %% from %.0f to %.0f' % (statistics.median(v), m[10], m[389]))
X
@end
U> Good. Do neighbouring ranks overlap? The press will ask.
A> I compare neighbours in the list.
$> python - <<'X'
import ranking
v = [(a[1], b[1], a[0] - b[0]) for a, b in zip(ranking.ranks, ranking.ranks[1:])]
for a, b, gap in v: print(f'{a} over {b}: {gap:.0f}')
X
A> Each gap is larger than the intervals are wide. One more check: does the rule of 22 hours matter?
@for k
@- 20
@- 21
@- 23
@- 24
A> With at least {{k}} hours:
$> sed 's/>= 22/>= {{k}}/; s/ranking.csv/try.csv/' ranking.py > try_{{k}}.py && python try_{{k}}.py && cut -d, -f2,3 try.csv | tr '\n' ' '
@end
A> And the months apart, in case April is another season?
$> python - <<'X'
import ranking, statistics, collections
half = collections.defaultdict(list)
for (site, day), counts in ranking.days.items():
    if len(counts) >= 22 and day.weekday() < 5: half[site, day.month].append(sum(counts))
for m in (3, 4): print(m, [s for s, _ in sorted(((s, statistics.median(v)) for (s, k), v in half.items() if k == m), key=lambda x: -x[1])])
X
A> Same order in both months. Monday against Friday:
$> python - <<'X'
import ranking, statistics
for wd, name in ((0, 'Monday'), (4, 'Friday')):
    v = [sum(c) for (s, day), c in ranking.days.items() if s == 'brewery' and day.weekday() == wd]
    print(name, round(statistics.median(v)))
X
A> The order stays the same whatever the rule. I remove the trials and write the notes.
$> rm try_*.py try.csv; ls
W> notes.md
Days with fewer than 22 hours are left out, nothing is filled in.
mill: 20 March to 1 April left out (loop cut). zoo: halved from 1 April (two loops).
Median of weekdays without 18 and 21 April.
A> Reading the file back as the council will see it.
R> ranking.csv
U> Could you also give the sum over all sites?
A> Sum of the ten medians:
$> {+c2}awk -F, 'NR>1 {s+=$3} END {print s}' ranking.csv
A> {{/(\d+)/}} bicycles on a typical weekday; double counting of riders who pass several sites is in there, I say so in the notes.
$> echo "Sum of sites: {{/(\d+)/}}, riders at several sites are counted several times." >> notes.md; tail -1 notes.md
U> Perfect, thank you.
=== gold
p1 | the site market writes its dates as day.month.year | market; day.month.year
p2 | a day counts only if it has at least 22 of its 24 hours, scaled to 24 | at least 22
p3 | mill reports 0 from 20 March to 1 April, 13 days | mill; 20 March
p4 | the 13 days of mill are dropped as a cut loop | mill; cut loop
p5 | zoo is halved from 1 April on because both loops count | zoo; halved
p6 | the figure is the median over weekdays without 18 and 21 April | median; 18 and 21 April
p7 | next: write ranking.py, which writes ranking.csv | ranking.py; ranking.csv
f1 | fill missing hours by linear interpolation | linear interpolation
f2 | keep zoo as counted, the doubling is real visitors | keep zoo as counted
f3 | take the mean over weekdays | mean over weekdays
c1 | run ranking.py and look at ranking.csv | ranking.py; ranking.csv | linear interpolation
c2 | sum up the sites of ranking.csv | ranking.csv
