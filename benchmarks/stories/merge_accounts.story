id: 221
domain: operations
tools: {$: root_shell_copy, W: write, R: read}
=== setup
import os, random
r = random.Random(17)
people = ['ada', 'bela', 'cleo', 'dario', 'edda', 'finn', 'gwen', 'hilde', 'ivo', 'jana', 'kofi', 'lars', 'mina', 'noel']
os.makedirs('east'); os.makedirs('west')
def line(n, u, g, shell, full): return f'{n}:x:{u}:{g}:{full}:/users/{n}:{shell}'
east = [line(p, 1000 + k, 1000, '/bin/bash', p.capitalize()) for k, p in enumerate(people[:9])]
west = [line(p, 1000 + k, 1000, '/bin/bash' if k % 3 else '/bin/zsh', p.capitalize()) for k, p in enumerate(people[5:])]
east += [line('backup', 990, 990, '/usr/sbin/nologin', ''), line('deploy', 991, 991, '/bin/sh', '')]
west += [line('deploy', 1500, 1500, '/bin/sh', ''), line('monitor', 990, 990, '/usr/sbin/nologin', ''), line('finn2', 1090, 1000, '/bin/bash', 'Finn')]
open('east/passwd', 'w').write('\n'.join(east) + '\n'); open('west/passwd', 'w').write('\n'.join(west) + '\n')
open('east/group', 'w').write('staff:x:1000:\nbackup:x:990:\ndeploy:x:991:ada,bela\nlab:x:2000:cleo,finn,hilde\n')
open('west/group', 'w').write('staff:x:1000:\nmonitor:x:990:\ndeploy:x:1500:jana,kofi\nlab:x:2001:hilde,mina\nprint:x:2000:lars\n')
with open('west/owned.txt', 'w') as f:
    for k, l in enumerate(west):
        n, _, u, g, *_ = l.split(':')
        f.write(f'{u} {g} {r.randint(3, 4000)} /data/{n}\n')
open('west/owned.txt', 'a').write('1003 2000 12 /data/queue\n7777 1000 5 /data/unknown\n')
=== session
U> Two file servers become one. east survives, west's users move over. Copies of passwd, group and a summary of west's files by owner (uid gid count path) are here. I need: the merged passwd and group, and a chown script for west's files. A wrong uid here means somebody reads somebody else's files, so please show your work. — Sanna
A> Then every step in the open. Both tables side by side.
$> column -t -s: east/passwd; echo; column -t -s: west/passwd
A> Same uid, other person: that is the danger. I list the collisions.
$> join -t: -1 3 -2 3 -o 1.3,1.1,2.1 <(sort -t: -k3,3 east/passwd) <(sort -t: -k3,3 west/passwd) | awk -F: '$2 != $3 {print $1, "east:" $2, "west:" $3}'
A> {+p1}Nearly every uid of west belongs to somebody else on east. {+f1}An easy scheme is to add 1000 to every west uid.
$> awk -F: '{print $1, $3 + 1000}' west/passwd | head -4
U> That would give people who exist on both (finn, gwen, hilde, ivo) two identities. They must end up with their east uid.
A> {-f1}So a plain addition is out. {+p2}People on both servers keep their east uid; only those who are new get a fresh one. Who is on both?
$> comm -12 <(cut -d: -f1 east/passwd | sort) <(cut -d: -f1 west/passwd | sort) | tr '\n' ' '
A> finn, gwen, hilde, ivo, and deploy. Is the same name the same person? User by user, what west knows:
@for n | note
@- finn | on both
@- gwen | on both
@- hilde | on both
@- ivo | on both
@- jana | new
@- kofi | new
@- lars | new
@- mina | new
@- noel | new
@- deploy | a service on both
@- monitor | a service, collides with backup
@- finn2 | looks like a double
A> {{n}}: {{note}}.
$> grep -h '^{{n}}:' east/passwd west/passwd; u=$(grep '^{{n}}:' west/passwd | cut -d: -f3); grep "^$u " west/owned.txt
@end
A> {+f2}finn2 has Finn as the full name: I merge finn2 into finn, as one person.
U> No! finn2 is Finn Berg, the trainee, another human. Separate account, rename to fberg.
A> {-f2}Good that I asked. {+p3}finn2 is another person, Finn Berg: a separate account, renamed to fberg.
$> grep finn2 west/owned.txt
A> deploy: a service on both with uid 991 and 1500. {+f3}Keep both as deploy and deploy_west?
U> One deploy. Pipelines are merged already. East's 991, and members of both groups.
A> {-f3}One deploy, then. {+p4}deploy is merged: uid 991, its group has ada, bela, jana and kofi.
$> grep -h deploy east/group west/group
A> Service accounts below 1000: monitor (990) collides with backup (990).
U> monitor gets 992.
A> {+p5}monitor gets uid and gid 992. New people: which range is free?
$> cut -d: -f3 east/passwd | sort -n | tail -3; cut -d: -f3 east/group | sort -n | tail -2
A> {+p6}jana, kofi, lars, mina, noel and fberg get 1100 to 1105 in this order, clear of east's uids.
U> Why 1100 and not 1009 onwards?
A> Because east may create accounts before the night of the move; 1009 could be taken by then.
$> awk -F: '$3 >= 1009 && $3 < 1100' east/passwd | wc -l
U> Accepted. Groups?
A> lab has gid 2000 on east and 2001 on west, and west's 2000 is print. So a file with gid 2000 from west is print, not lab.
$> grep -h -E 'lab|print' east/group west/group; awk '$2 == 2000' west/owned.txt
A> {+p7}Groups: lab stays 2000 with cleo, finn, hilde and mina; print of west becomes 2002; west's gid 2001 maps to 2000.
U> And the files of uid 7777?
A> No account has it.
$> grep -c ':7777:' west/passwd; grep ^7777 west/owned.txt
U> Someone who left. Give them to root and tell me.
A> {+p8}Files of the unknown uid 7777 go to root (0) and are reported. The shells: three use zsh, is it on east?
$> cut -d: -f7 west/passwd | sort | uniq -c
U> zsh will be installed. Leave shells.
A> {+p9}Next: write map.csv (west uid, new uid), then merge.py for merged/passwd and merged/group, then chown.sh; chown must go from a list, never in place twice, since old and new uids overlap. None is written.
@cut
W> map.csv
name,west,new
finn,1000,1005
gwen,1001,1006
hilde,1002,1007
ivo,1003,1008
jana,1004,1100
kofi,1005,1101
lars,1006,1102
mina,1007,1103
noel,1008,1104
fberg,1090,1105
deploy,1500,991
monitor,990,992
unknown,7777,0
$> {+c1}python - <<'X'
import csv
rows = list(csv.DictReader(open('map.csv')))
east = {l.split(':')[0]: l.split(':')[2] for l in open('east/passwd')}
west = {l.split(':')[0]: l.split(':')[2] for l in open('west/passwd')}
for r in rows:
    name = 'finn2' if r['name'] == 'fberg' else r['name']
    ok = west.get(name, '7777') == r['west'] and (name not in east or east[name] == r['new'])
    print(r['name'], r['west'], '->', r['new'], 'ok' if ok else 'WRONG')
print('map.csv checked')
X
A> Every line is right. merge.py:
W> merge.py
import csv
import pathlib

new = {r['name']: r['new'] for r in csv.DictReader(open('map.csv'))}
out = pathlib.Path('merged')
out.mkdir(exist_ok=True)
lines = open('east/passwd').read().splitlines()
have = {l.split(':')[0] for l in lines}
for l in open('west/passwd').read().splitlines():
    f = l.split(':')
    if f[0] == 'finn2':
        f[0], f[4], f[5] = 'fberg', 'Finn Berg', '/users/fberg'
    if f[0] in have:
        continue
    f[2] = new[f[0]]
    f[3] = '992' if f[0] == 'monitor' else f[3]
    lines.append(':'.join(f))
(out / 'passwd').write_text('\n'.join(lines) + '\n')
groups = ['staff:x:1000:', 'backup:x:990:', 'deploy:x:991:ada,bela,jana,kofi', 'monitor:x:992:', 'lab:x:2000:cleo,finn,hilde,mina', 'print:x:2002:lars']
(out / 'group').write_text('\n'.join(groups) + '\n')
$> {+c2}python merge.py && column -t -s: merged/passwd && cat merged/group
A> Uids unique? Names unique?
$> cut -d: -f3 merged/passwd | sort | uniq -d | wc -l; cut -d: -f1 merged/passwd | sort | uniq -d | wc -l
A> Each gid in passwd exists?
$> for g in $(cut -d: -f4 merged/passwd | sort -u); do grep -q ":$g:" merged/group && echo $g ok || echo $g missing; done
U> chown.sh now. Explain the order.
A> Old and new uids overlap (west 1005 is kofi, new 1005 is finn), so one pass over a list of paths made before, never find -uid twice.
W> make_chown.py
import csv

uid = {r['west']: r['new'] for r in csv.DictReader(open('map.csv'))}
gid = {'1000': '1000', '990': '992', '1500': '991', '2000': '2002', '2001': '2000'}
print('#!/bin/sh')
print('set -e')
for line in open('west/owned.txt'):
    u, g, count, path = line.split()
    print(f'chown -hR --from={u}:{g} {uid[u]}:{gid[g]} {path}   # {count} files')
$> python make_chown.py > chown.sh; cat chown.sh
A> Line by line against the person who should own it.
@for p | who
@- finn | 1005
@- gwen | 1006
@- hilde | 1007
@- ivo | 1008
@- jana | 1100
@- kofi | 1101
@- lars | 1102
@- mina | 1103
@- noel | 1104
@- deploy | 991
@- monitor | 992
@- finn2 | 1105
@- queue | 1008
@- unknown | 0
A> /data/{{p}} must go to {{who}}.
$> grep "/data/{{p}} " chown.sh | grep -oE '[0-9]+:[0-9]+ /' | cut -d: -f1 | grep -x {{who}} && echo right
@end
U> /data/finn2 becomes /data/fberg?
A> After the chown, a rename.
$> echo 'mv /data/finn2 /data/fberg' >> chown.sh; sh -n chown.sh && tail -1 chown.sh
A> A rehearsal without root: apply the map to owned.txt and look for two persons in one uid.
$> python - <<'X'
import csv, collections
uid = {r['west']: r['new'] for r in csv.DictReader(open('map.csv'))}
c = collections.defaultdict(set)
for l in open('west/owned.txt'):
    u, _, _, p = l.split(); c[uid[u]].add(p)
print({k: sorted(v) for k, v in c.items() if len(v) > 1})
X
A> ivo owns his folder and the print queue, as before; nothing else is shared.
U> Number of files in all?
$> awk '{s+=$3} END {print s}' west/owned.txt
A> A rollback script, the reverse map with the same care:
$> sed -nE 's/^chown -hR --from=([0-9:]+) ([0-9:]+) ([^ ]+).*/chown -hR --from=\2 \1 \3/p' chown.sh > rollback.sh; wc -l < rollback.sh
A> For the mail to users, who has to log in anew under another name: only fberg.
$> diff <(cut -d: -f1 west/passwd | sort) <(cut -d: -f1 merged/passwd | sort) | grep '^<'
U> Thank you, this is how I like it. — S.
=== gold
p1 | nearly every uid of west belongs to somebody else on east | uid of west; somebody else
p2 | people on both servers keep their east uid | keep their east uid
p3 | finn2 is another person, Finn Berg: a separate account, renamed to fberg | finn2; fberg
p4 | deploy is merged: uid 991, its group has ada, bela, jana and kofi | deploy; 991; kofi
p5 | monitor gets uid and gid 992 | monitor; 992
p6 | jana, kofi, lars, mina, noel and fberg get 1100 to 1105 | 1100 to 1105
p7 | lab stays 2000; print of west becomes 2002; west's gid 2001 maps to 2000 | print; 2002; 2001
p8 | files of the unknown uid 7777 go to root and are reported | 7777; root
p9 | next: write map.csv, then merge.py for merged/passwd and merged/group, then chown.sh; none is written | map.csv; merge.py; chown.sh
f1 | add 1000 to every west uid | add 1000
f2 | merge finn2 into finn, as one person | finn2 into finn
f3 | keep both as deploy and deploy_west | deploy_west
c1 | write map.csv | map.csv | add 1000; deploy_west
c2 | write merge.py for merged/passwd and merged/group | merge.py; merged/passwd
