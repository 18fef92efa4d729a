id: 206
domain: operations
tools: {$: run_shell, W: put_file, R: get_file}
=== setup
import os, random
r = random.Random(404)
teams = {'billing': 40, 'search': 25, 'mail': 60, 'photos': 35, 'ledger': 20, 'chat': 45, 'maps': 30, 'forum': 15, 'wiki': 10, 'relay': 50}
for t, n in teams.items():
    os.makedirs(f'srv/{t}/archive')
    for i in range(n):
        day = 1 + i % 28
        month = 1 + i // 28
        kind = r.choice(['log', 'log', 'log', 'dump', 'tmp'])
        size = {'log': r.randint(200, 900), 'dump': r.randint(2000, 9000), 'tmp': r.randint(10, 60)}[kind]
        where = 'archive/' if r.random() < .2 else ''
        open(f'srv/{t}/{where}{t}-2026-{month:02d}-{day:02d}-{i}.{kind}', 'wb').write(b'x' * size)
open('srv/ledger/HOLD', 'w').write('legal hold until 2027-01-31, case 88/25\n')
open('srv/mail/mail-latest.dump', 'wb').write(b'x' * 30000)
os.symlink('mail-latest.dump', 'srv/mail/current')
open('policy.txt', 'w').write('logs: 30 days\ndumps: keep the newest 3 of each team\ntmp: always removable\narchive/: never touched by jobs\ntoday is 2026-02-20\n')
=== session
U> The volume under srv is at 91 %. I need a cleanup script that follows policy.txt, first as a dry run with a list per team that I can send round, then for real in tonight's window. Nothing may be deleted in this session before I have said so.
A> Understood: nothing is deleted until you say so. Sizes and policy first.
$> cat policy.txt; du -sb srv/* | sort -n
A> What kinds of files are there, and how much does each weigh?
$> find srv -type f -printf '%s %f\n' | awk '{n=split($2,p,"."); k=(n>1)?p[n]:"(none)"; s[k]+=$1; c[k]++} END {for (k in s) print k, c[k], s[k]}' | sort
A> Dumps are most of it. {+f1}My first draft selects by modification time: find srv -mtime +30 -delete.
$> find srv -type f -mtime +30 | wc -l
A> {-f1}Zero files: the copy gave everything today's mtime, so modification time says nothing here. {+p1}The age has to come from the date in the file name (team-YYYY-MM-DD-n.kind), counted from 2026-02-20.
U> Yes, names are reliable, they come from the rotation job. By the way photos asked for an exception, they want 60 days.
A> {+f2}I note the exception: photos keeps its logs for 60 days.
$> echo 'photos logs: 60 days' >> policy.txt; tail -2 policy.txt
A> Let me go through the teams so that the list has no surprise in it.
@for t | aside
@- billing | quarter end is far
@- search | should be simple
@- mail | the big one
@- photos | with its exception
@- ledger | a file without a suffix in here
@- chat | many logs
@- maps | medium
@- forum | small
@- wiki | smallest
@- relay | chatty service
A> Team {{t}}: {{aside}}.
$> cd srv/{{t}} && echo "outside archive: $(find . -maxdepth 1 -type f | wc -l), in archive: $(find archive -type f | wc -l)"; ls | grep -v -- '-2026-' | grep -v archive; ls *.dump 2>/dev/null | wc -l
@end
A> Two things came up. {+p2}srv/ledger has a file HOLD (legal hold until 2027-01-31): nothing of ledger may be deleted at all. And srv/mail has a link current that points to mail-latest.dump.
U> Oh. The hold is real, keep your hands off ledger. The link is what the restore job uses.
A> {+p3}So mail-latest.dump and the link current are kept in any case; it carries no date and would not be counted among the newest 3. I write the selection.
W> choose.py
import datetime as d
import pathlib
import re
import sys

TODAY = d.date(2026, 2, 20)
NAME = re.compile(r'-(\d{4})-(\d\d)-(\d\d)-\d+\.(log|dump|tmp)$')


def candidates(team):
    dumps = []
    for path in sorted(team.iterdir()):
        found = NAME.search(path.name)
        if not found or not path.is_file():
            continue
        day = d.date(*map(int, found.groups()[:3]))
        if found[4] == 'tmp' or (found[4] == 'log' and (TODAY - day).days > 30):
            yield path
        elif found[4] == 'dump':
            dumps.append((day, path))
    yield from (path for _, path in sorted(dumps)[:-3])


if __name__ == '__main__':
    for team in sorted(pathlib.Path('srv').iterdir()):
        if (team / 'HOLD').exists():
            continue
        for path in candidates(team):
            print(path.stat().st_size, path)
A> A dry run, sums by team.
$> python choose.py > candidates.txt; wc -l < candidates.txt; awk '{split($2,p,"/"); s[p[2]]+=$1} END {for (t in s) print t, s[t]}' candidates.txt | sort
A> In total:
$> awk '{s+=$1} END {print s}' candidates.txt
@let freed (\d+)
A> {{freed}} bytes would go. {+f3}It still lacks the exception for photos; I will add a table EXCEPTIONS = {'photos': 60} to choose.py.
U> Forget that one. I spoke with Pia from photos, 30 days is fine for them after all. Take the line out of the policy again.
A> {-f2}{-f3}Then photos is like all the others and no table of exceptions is needed. {+p4}policy.txt goes back to its five lines, logs 30 days for everyone.
$> sed -i '/photos logs/d' policy.txt; wc -l < policy.txt
A> Does the limit of 91 % come down far enough?
$> python - <<'X'
import pathlib
total = sum(p.stat().st_size for p in pathlib.Path('srv').rglob('*') if p.is_file() and not p.is_symlink())
go = sum(int(l.split()[0]) for l in open('candidates.txt'))
print(f'{total} in all, {100 * go / total:.0f} % of it goes, the volume would be at {91 * (1 - go / total):.0f} %')
X
@let level at (\d+) %
A> {+p5}The volume would come down to {{level}} %. For the deletion itself: rm in a loop, or move to a trash first?
$> df -B1 --output=target . | tail -1 | wc -l; find srv -type f -links +1 | wc -l
U> Move first. Storage gives me a second volume for a day. Target is trash/, same layout, and a script that brings everything back.
A> {+p6}Agreed: candidates are moved to trash/ with the same layout, and restore.sh brings everything back; nothing is removed with rm tonight. {+p7}Next: write move.py and restore.sh and send the list per team; you have not yet approved the move.
@cut
W> move.py
import pathlib
import shutil
import sys

for line in open('candidates.txt'):
    source = pathlib.Path(line.split(' ', 1)[1].strip())
    target = pathlib.Path('trash') / source.relative_to('srv')
    if '--really' in sys.argv:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(source, target)
    else:
        print(source, '->', target)
$> {+c1}python move.py | head -3; python move.py | wc -l
A> And the way back.
W> restore.sh
#!/bin/sh
set -e
cd trash
find . -type f | while read -r f; do
  mkdir -p "../srv/$(dirname "$f")"
  mv "$f" "../srv/$f"
done
A> The lists to send round, one per team.
@for t | who
@- billing | to Anders
@- search | to Mireille
@- mail | to Tomasz
@- photos | to Pia
@- chat | to Rui
@- maps | to Henrike
@- forum | to Oskar
@- wiki | to Oskar as well
@- relay | to Dagny
A> {{t}}, {{who}}.
$> mkdir -p lists; grep "srv/{{t}}/" candidates.txt > lists/{{t}}.txt; awk '{n++; s+=$1} END {print n+0, "files", s+0, "bytes"}' lists/{{t}}.txt
A> Nothing from its archive in there?
$> grep -c archive lists/{{t}}.txt; true
@end
U> Lists are fine, all answered. Go for the move.
A> Moving now.
$> {+c2}python move.py --really && find trash -type f | wc -l && du -sb srv trash
A> The invariants: ledger untouched, archives untouched, the link works.
$> find srv/ledger -type f | wc -l; find trash -path '*archive*' | wc -l; test -e srv/mail/current && echo current works
A> Does restore.sh really bring all back? I try it on a copy.
$> mkdir copy && cp -r srv trash restore.sh copy/ && cd copy && sh restore.sh && find trash -type f | wc -l && find srv -type f | wc -l; cd .. && rm -r copy
A> It does. For the teams, what is left of dumps:
$> for t in billing mail photos relay; do echo "$t $(ls srv/$t/*-2026-*.dump | wc -l)"; done
A> Three each, as the policy says, and mail has its latest besides.
$> ls -la srv/mail | grep -c latest
U> Write the job for the nightly run, disabled.
W> cleanup.cron
# disabled until storage agrees
#15 3 * * * cd /volume && python choose.py > candidates.txt && python move.py --really
A> A run of the selection now must find nothing.
$> python choose.py | wc -l
A> Nothing left to select; the job would be idle today.
$> printf 'moved %s files, restore with restore.sh within a day\n' "$(find trash -type f | wc -l)" > handover.txt; cat handover.txt
U> good night
=== gold
p1 | the age comes from the date in the file name, counted from 2026-02-20 | file name; 2026-02-20
p2 | srv/ledger has a file HOLD, nothing of ledger may be deleted | ledger; HOLD
p3 | mail-latest.dump and the link current are kept in any case | mail-latest.dump; current
p4 | policy.txt goes back to its five lines, logs 30 days for everyone | 30 days for everyone
p5 | the volume would come down to {{level}} % | {{level}} %
p6 | candidates are moved to trash/ with the same layout, restore.sh brings everything back | trash; restore.sh
p7 | next: write move.py and restore.sh and send the list per team; the move is not yet approved | move.py; restore.sh; list per team
f1 | select by modification time: find srv -mtime +30 -delete | -mtime +30
f2 | photos keeps its logs for 60 days | photos; 60 days
f3 | add a table EXCEPTIONS to choose.py | EXCEPTIONS
c1 | write move.py, which moves candidates to trash | move.py; trash | -mtime +30; EXCEPTIONS
c2 | run move.py only after approval | move.py
