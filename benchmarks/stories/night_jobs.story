id: 215
domain: operations
tools: {$: shell, W: write_file, R: cat}
=== setup
import random
jobs = [
 ('ledger_close', '0 1 * * *', 55, 'db', ''), ('stock_sync', '15 1 * * *', 30, 'db', ''), ('mail_digest', '0 2 * * *', 10, 'mail', 'ledger_close'),
 ('thumbs', '30 1 * * *', 80, 'disk', ''), ('vacuum', '0 2 * * 0', 120, 'db', ''), ('report_pdf', '30 2 * * *', 25, 'cpu', 'ledger_close'),
 ('backup', '0 3 * * *', 90, 'disk', ''), ('index_rebuild', '30 3 * * 3', 75, 'db', ''), ('geo_tiles', '0 4 * * *', 60, 'cpu', ''),
 ('rates_fetch', '45 0 * * *', 5, 'net', ''), ('price_calc', '50 0 * * *', 20, 'cpu', 'rates_fetch'), ('fraud_scan', '15 3 * * *', 50, 'cpu', 'stock_sync'),
]
open('jobs.tsv', 'w').write('name\tcron\tminutes\tuses\tafter\n' + '\n'.join('\t'.join(map(str, j)) for j in jobs) + '\n')
r = random.Random(90)
with open('history.log', 'w') as f:
    for day in range(1, 29):
        for name, cron, minutes, uses, after in jobs:
            m, h, _, _, dow = cron.split()
            if dow != '*' and (day - 1) % 7 != int(dow): continue
            took = minutes + r.randint(-3, 3)
            if name in ('stock_sync',): took += 35
            if name == 'backup' and (day - 1) % 7 == 3: took += 70
            status = 'ok'
            if name == 'fraud_scan' and day % 5 == 0: status = 'late-input'
            f.write(f'2026-02-{day:02d} {int(h):02d}:{int(m):02d} {name} {took} {status}\n')
=== session
U> We have twelve night jobs (jobs.tsv: cron line, planned minutes, resource, dependency; history.log: February as it really went). Everything has to be finished by 06:00 when the shop opens. Complaints: fraud_scan reports "late-input" now and then, Wednesdays are slow. I'd like a new timetable, with reasons, as timetable.tsv. Don't change what a job does, only when it runs.
A> The table and a day of history to begin with.
$> column -t -s$'\t' jobs.tsv; grep 2026-02-04 history.log
A> Planned against real minutes, per job. I take them in the order of the night.
@for j | note
@- rates_fetch | opens the night
@- price_calc | needs the rates
@- ledger_close | the heart of it
@- stock_sync | feeds the fraud scan
@- thumbs | long and on the disk
@- mail_digest | short
@- vacuum | Sundays
@- report_pdf | for the management
@- backup | the other long one
@- fraud_scan | the one that complains
@- index_rebuild | Wednesdays only
@- geo_tiles | last
A> {{j}}: {{note}}.
$> awk -v j={{j}} '$3==j {n++; s+=$4; if ($4>m) m=$4; if ($5!="ok") b++} END {printf "%d runs, mean %.0f, longest %d, not ok %d\n", n, s/n, m, b}' history.log; grep -P '^{{j}}\t' jobs.tsv | cut -f3
@end
A> {+p1}stock_sync takes 65 minutes in truth, not 30; backup goes from 90 to about 160 on Wednesdays. {+f1}The complaint of fraud_scan: start it at 03:45 and its input should be there.
$> awk '$3=="fraud_scan" && $5!="ok" {print $1}' history.log | tr '\n' ' '
A> The late days are every fifth of the month, whatever the weekday. When does stock_sync end on those?
$> awk '$3=="stock_sync" {print $1, 75+$4}' history.log | awk '{split($1,d,"-"); if (d[3]%5==0) print $1, int($2/60)":"$2%60}' | head -3
A> It ends around 02:20, an hour before the scan. So moving the scan does nothing for it.
U> Every fifth day the bank delivers an extra file, it comes at 03:20. I forgot to tell you.
A> {-f1}That explains it; 03:45 would have been luck. {+p2}The bank's extra file arrives at 03:20 every fifth day, fraud_scan must start at 03:30 or later.
$> grep -c late-input history.log
A> Resource clashes next: who runs at the same time on the same resource?
$> cat > clash.py <<'X'
import csv
import sys


def load(path='jobs.tsv'):
    return list(csv.DictReader(open(path), delimiter='\t'))


REAL = {'stock_sync': 65, 'backup': 95}


def span(job, wednesday=False):
    m, h, *_ = job['cron'].split()
    start = int(h) * 60 + int(m)
    minutes = REAL.get(job['name'], int(job['minutes']))
    if wednesday and job['name'] == 'backup':
        minutes = 165
    return start, start + minutes


def clashes(jobs, weekday):
    today = [j for j in jobs if j['cron'].split()[4] in ('*', str(weekday))]
    for i, a in enumerate(today):
        for b in today[i + 1:]:
            (s, e), (t, f) = span(a, weekday == 3), span(b, weekday == 3)
            if a['uses'] == b['uses'] and s < f and t < e:
                yield a['name'], b['name'], a['uses'], min(e, f) - max(s, t)


if __name__ == '__main__':
    for c in clashes(load(*sys.argv[2:]), int(sys.argv[1])):
        print(*c)
X
for d in 0 1 3; do echo "weekday $d"; python clash.py $d; done
A> Two pairs on ordinary nights, a third on Sundays. {+f2}A tempting way out: run the heavy ones one after the other, a single queue for all twelve.
$> python - <<'X'
import clash
for d in (1, 3, 0):
    print('weekday', d, sum(b - a for a, b in (clash.span(j, d == 3) for j in clash.load() if j['cron'].split()[4] in ('*', str(d)))), 'minutes in a single queue')
X
A> {-f2}From 00:45 that lasts until after 08:00, on Wednesdays until 10:00, so a single queue is out. {+p3}Only jobs on the same resource must not overlap; different resources may run side by side.
U> Yes. And the database people say vacuum may not run within an hour of ledger_close, before or behind.
A> {+p4}vacuum keeps an hour's distance from ledger_close on both sides. The window:
$> python -c "
print('window 00:45 to 06:00 =', 6*60 - 45, 'minutes')"
A> Per resource, does it fit at all?
$> python - <<'X'
import clash, collections
for d in (1, 3, 0):
    s = collections.Counter()
    for j in clash.load():
        if j['cron'].split()[4] in ('*', str(d)):
            a, b = clash.span(j, d == 3); s[j['uses']] += b - a
    print('weekday', d, dict(s))
X
A> The database on Sundays: 55 + 65 + 120 minutes and an hour between. It fits, barely.
U> Could index_rebuild move to another day?
A> {+f3}index_rebuild could go to Monday night, where nothing special runs.
$> grep -c 'index_rebuild' history.log; awk '$3=="index_rebuild" {print $1}' history.log | tr '\n' ' '
U> Monday is the big delivery. Take Tuesday, or leave it. Hm. Tuesday.
A> {-f3}Not Monday, then. {+p5}index_rebuild moves to Tuesday (weekday 2), so Wednesday keeps only the long backup.
$> python - <<'X'
import clash
j = [dict(x) for x in clash.load()]
for x in j:
    if x['name'] == 'index_rebuild': x['cron'] = '30 3 * * 2'
for d in (2, 3): print(d, list(clash.clashes(j, d)))
X
A> The disk: thumbs from 01:30 to 02:50, backup from 03:00, on Wednesdays until 05:45. It just ends before six.
U> 15 minutes of air on Wednesdays is too little for me. At least 30 please, for every job every night.
A> {+p6}Every job must be through by 05:30, half an hour of air. So backup starts at 02:30 at the latest on Wednesdays, and thumbs has to end before that. {+p7}Next: write place.py, which searches start times on a grid of 5 minutes under these rules, and prints timetable.tsv; neither is there yet.
@cut
W> place.py
import csv
import itertools

import clash

DAYS = range(7)
LAST = 5 * 60 + 30
jobs = [dict(j) for j in clash.load()]
for j in jobs:
    if j['name'] == 'index_rebuild':
        j['cron'] = '30 3 * * 2'


def length(job, day):
    s, e = clash.span(job, day == 3)
    return e - s


def fits(job, start, placed, day):
    if job['cron'].split()[4] not in ('*', str(day)):
        return True
    end = start + length(job, day)
    if end > LAST or start < 45:
        return False
    if job['name'] == 'fraud_scan' and start < 210:
        return False
    for other, begin in placed:
        if other['cron'].split()[4] not in ('*', str(day)):
            continue
        finish = begin + length(other, day)
        if other['uses'] == job['uses'] and start < finish and begin < end:
            return False
        if job['after'] == other['name'] and start < finish:
            return False
        if {job['name'], other['name']} == {'vacuum', 'ledger_close'} and start < finish + 60 and begin < end + 60:
            return False
    return True


def place(todo, placed):
    if not todo:
        return placed
    job = todo[0]
    for start in range(45, LAST, 5):
        if all(fits(job, start, placed, d) for d in DAYS):
            found = place(todo[1:], [*placed, (job, start)])
            if found:
                return found
    return None


order = ['rates_fetch', 'price_calc', 'ledger_close', 'backup', 'stock_sync', 'fraud_scan', 'vacuum', 'index_rebuild', 'thumbs', 'report_pdf', 'mail_digest', 'geo_tiles']
if __name__ == '__main__':
    plan = place(sorted(jobs, key=lambda j: order.index(j['name'])), [])
    print('no timetable' if plan is None else 'found')
    if plan:
        with open('timetable.tsv', 'w') as f:
            for job, start in sorted(plan, key=lambda p: p[1]):
                f.write(f"{job['name']}\t{start // 60:02d}:{start % 60:02d}\t{job['cron'].split()[4]}\n")
$> {+c1}python place.py && cat timetable.tsv
A> A timetable exists. The rules, checked by a program that knows nothing of the search:
W> verify.py
import sys

import clash

day = int(sys.argv[1])
starts = {}
for line in open('timetable.tsv'):
    name, at, dow = line.split()
    h, m = map(int, at.split(':'))
    if dow in ('*', str(day)):
        starts[name] = h * 60 + m
jobs = {j['name']: j for j in clash.load()}
ends = {}
for name, s in starts.items():
    a, b = clash.span(jobs[name], day == 3)
    ends[name] = s + b - a
bad = [n for n in ends if ends[n] > 330]
for a in starts:
    for b in starts:
        if a < b and jobs[a]['uses'] == jobs[b]['uses'] and starts[a] < ends[b] and starts[b] < ends[a]:
            bad.append((a, b))
    need = jobs[a]['after']
    if need in ends and starts[a] < ends[need]:
        bad.append((need, 'before', a))
print(len(starts), 'jobs, last ends', '%02d:%02d' % divmod(max(ends.values()), 60), 'problems', bad)
@for d | w
@- 0 | Sunday with vacuum
@- 1 | Monday
@- 2 | Tuesday with the index
@- 3 | Wednesday, long backup
@- 4 | Thursday
@- 5 | Friday
@- 6 | Saturday
A> {{w}}:
$> python verify.py {{d}}
@end
U> And fraud_scan?
$> {+c2}grep fraud_scan timetable.tsv; echo "the bank's file arrives at 03:20"
A> After the file, as wanted. How sensitive is it: each job ten minutes longer?
@for j
@- ledger_close
@- stock_sync
@- thumbs
@- backup
@- vacuum
@- fraud_scan
@- geo_tiles
@- report_pdf
A> {{j}} plus ten minutes, any clash?
$> sed "s/minutes = REAL.get(job\['name'\], int(job\['minutes'\]))/minutes = REAL.get(job['name'], int(job['minutes'])) + 10 * (job['name'] == '{{j}}')/" clash.py > keep.tmp && cp clash.py clash.bak && cp keep.tmp clash.py && for d in 0 2 3; do python verify.py $d | sed 's/.*problems/problems/'; done | sort | uniq -c; mv clash.bak clash.py; rm keep.tmp
@end
U> Good to know where it is tight. cron lines please.
$> awk -F'\t' '{split($2,t,":"); printf "%d %d * * %s %s\n", t[2], t[1], $3, $1}' timetable.tsv | tee crontab.txt
A> That is crontab.txt. Did any start stay the same?
$> python - <<'X'
import clash
new = dict(l.split('\t')[:2] for l in open('timetable.tsv'))
for j in clash.load():
    m, h, *_ = j['cron'].split()
    old = f'{int(h):02d}:{int(m):02d}'
    print(f"{j['name']:14} {old} -> {new[j['name']]}")
X
A> A table of old and new for the announcement, as above. Reasons:
W> reasons.md
- stock_sync needs 65 minutes, the plan said 30.
- fraud_scan waits for the bank's file of 03:20.
- index_rebuild goes to Tuesday, Wednesday keeps the long backup.
- Everything is through by 05:30.
U> I'll roll it out on Thursday. Great.
=== gold
p1 | stock_sync takes 65 minutes in truth, not 30; backup about 160 on Wednesdays | stock_sync; 65 minutes
p2 | the bank's extra file arrives at 03:20, fraud_scan must start at 03:30 or later | fraud_scan; 03:30
p3 | only jobs on the same resource must not overlap | same resource
p4 | vacuum keeps an hour's distance from ledger_close | vacuum; ledger_close
p5 | index_rebuild moves to Tuesday | index_rebuild; Tuesday
p6 | every job must be through by 05:30 | 05:30
p7 | next: write place.py, which searches start times, and prints timetable.tsv | place.py; timetable.tsv
f1 | start fraud_scan at 03:45 | 03:45
f2 | a single queue for all twelve | single queue
f3 | index_rebuild goes to Monday night | index_rebuild; Monday night
c1 | write place.py and make timetable.tsv | place.py; timetable.tsv | single queue; Monday night
c2 | check that fraud_scan starts after the bank's file | fraud_scan
