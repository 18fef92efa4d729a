id: 227
domain: operations
tools: {$: bash, W: write_file, R: read_file}
=== setup
import os
os.makedirs('zones')
zones = {}
for n, z in enumerate(['alpenrose.example', 'birkhof.example', 'cabrio.example', 'dorfladen.example', 'eismann.example', 'ferienhaus.example', 'gasthof.example', 'huette.example', 'imker.example', 'jodler.example']):
    ip = f'192.0.2.{10 + n}'
    rows = [('@', 86400 if n % 3 else 3600, 'A', ip), ('www', 86400, 'CNAME', f'{z}.'), ('@', 86400, 'MX', f'10 mail.{z}.'), ('mail', 86400, 'A', '198.51.100.7')]
    if n in (1, 4): rows.append(('@', 300, 'TXT', '"v=spf1 ip4:198.51.100.7 -all"'))
    if n == 2: rows.append(('@', 3600, 'CNAME', 'cabrio.pages.example.net.'))
    if n == 3: rows.append(('shop', 86400, 'CNAME', 'oldshop.example.net.'))
    if n == 5: rows.append(('*', 86400, 'A', ip))
    if n == 6: rows += [('old', 86400, 'A', '192.0.2.99'), ('old', 86400, 'A', '192.0.2.98')]
    if n == 7: rows.append(('cam', 60, 'A', '203.0.113.50'))
    if n == 8: rows.append(('@', 86400, 'MX', '20 backup.imker.example'))
    open(f'zones/{z}', 'w').write('\n'.join(f'{a}\t{t}\tIN\t{k}\t{v}' for a, t, k, v in rows) + '\n')
open('task.txt', 'w').write('Move the web servers 192.0.2.10-19 to 203.0.113.10-19 (same last number) on 12 March, 22:00. Mail stays at 198.51.100.7.\nProvider takes one file per zone by upload; changes are live after at most one minute.\n')
=== session
U> Moin, ten customer zones, web servers get new addresses on 12 March at 22:00, see task.txt. I want the zone files for the move and a rollback. And if you see rubbish in the zones, tell me. Gruß, Thies
A> Moin Thies. Reading task and one zone.
$> cat task.txt; column -t zones/alpenrose.example; ls zones | wc -l
A> All types and times to live at a glance.
$> cat zones/* | awk '{print $4, $2}' | sort | uniq -c
A> Most records have a TTL of 86400, a day. {+f1}If I just change the addresses at 22:00, visitors see the old server for up to a day; we could live with that by keeping both servers up.
U> Nope, the old rack goes off at 23:00 sharp.
A> {-f1}Then caches must be short before. {+p1}Two steps: first lower the TTL of all A records that change to 300, at least a day before (by 11 March, 22:00), then change the addresses.
$> date -u -d '2026-03-11 22:00' '+%A, %d %B %H:%M'
A> Now the zones one by one, for rubbish.
@for z | say
@- alpenrose | first
@- birkhof | has SPF
@- cabrio | a CNAME at the top?
@- dorfladen | a shop elsewhere
@- eismann | SPF again
@- ferienhaus | a wildcard
@- gasthof | something called old
@- huette | a camera
@- imker | two mail hosts
@- jodler | last
A> {{z}}: {{say}}.
$> grep -vE 'www|mail\s' zones/{{z}}.example
@end
A> {+p2}cabrio has a CNAME beside other records at its top, which is not allowed; imker's second MX lacks the dot at its end, so it means backup.imker.example.imker.example.
U> Oh. cabrio: they have a page builder. What wins?
A> Undefined; some servers answer with the CNAME alone, then mail is gone. {+f2}Fix: let cabrio keep the CNAME and take its A record out.
U> They canceled the page builder in January. CNAME goes, A stays.
A> {-f2}The other way round, then. {+p3}cabrio: the CNAME at the top is deleted, its A record stays and moves.
$> grep -c CNAME zones/cabrio.example
A> imker:
U> the dot is my mistake, add it
A> {+f4}imker: the second MX becomes "20 backup.imker.example." with the dot. Does backup.imker.example exist at all?
$> grep -c '^backup' zones/imker.example; true
A> It has no address in the zone.
U> Hm, then no backup MX. Delete the record instead of adding a dot.
A> {-f4}So it goes. {+p5}imker's second MX is deleted, since backup has no address.
$> grep -n 'MX' zones/imker.example
A> gasthof has two "old" addresses, 192.0.2.98 and .99, not in the range that moves.
U> Those machines are scrap since 2023. Delete both.
A> {+p6}gasthof: both old records are deleted.
$> grep -l '192.0.2.9[89]' zones/*
A> huette: cam with TTL 60 at 203.0.113.50, already in the new network, untouched. The wildcard of ferienhaus points to its web server, so it moves too.
$> grep -h '192.0.2' zones/ferienhaus.example
A> {+p7}ferienhaus: the wildcard record moves together with the web server. SPF: ip4 is the mail host only, so nothing to do.
$> grep -h spf zones/*
A> {+f3}For the rollback I would keep one list of old addresses by hand.
U> by hand at 22:30 with a beer? no. complete files, ready to upload
A> {-f3}Complete files it is. {+p8}Three sets of complete files: step1/ (TTL 300 and the clean-up), step2/ (new addresses), rollback/ (old addresses with TTL 300).
$> sed -n 1p zones/jodler.example
U> and after the move TTL back up
A> A fourth set, step3/, TTL 86400 with the new addresses, for the 13th. {+p9}Next: write zonemove.py, which makes step1, step2, step3 and rollback from zones/; nothing of it is there yet.
U> jo, mach
A> One question before: should www follow? They are CNAMEs to the top, so they follow by themselves, but their TTL is a day.
U> then lower them too, can't hurt
A> {+p10}The TTL of the www CNAMEs is lowered to 300 as well.
@cut
W> zonemove.py
import pathlib
import re

DROP = [('cabrio.example', '@', 'CNAME'), ('imker.example', '@', 'MX', '20'), ('gasthof.example', 'old', 'A')]


def dropped(zone, row):
    name, _, _, kind, value = row
    return any((zone, name, kind) == d[:3] and (len(d) < 4 or value.startswith(d[3] + ' ')) for d in DROP)


def moved(value):
    return re.sub(r'^192\.0\.2\.(1\d)$', r'203.0.113.\1', value)


def write(folder, ttl, new):
    out = pathlib.Path(folder)
    out.mkdir(exist_ok=True)
    for path in sorted(pathlib.Path('zones').iterdir()):
        lines = []
        for line in path.read_text().splitlines():
            row = line.split('\t')
            if dropped(path.name, row):
                continue
            changes = moved(row[4]) != row[4] or row[0] == 'www'
            if changes and ttl:
                row[1] = str(ttl)
            if new:
                row[4] = moved(row[4])
            lines.append('\t'.join(row))
        (out / path.name).write_text('\n'.join(lines) + '\n')


write('step1', 300, False)
write('step2', 300, True)
write('step3', 86400, True)
write('rollback', 300, False)
print('written')
$> {+c1}python zonemove.py && ls -d step1 step2 step3 rollback && ls zonemove.py
@for z | look
@- alpenrose | plain
@- birkhof | SPF intact
@- cabrio | no CNAME at the top
@- dorfladen | shop untouched
@- eismann | SPF intact
@- ferienhaus | wildcard moved
@- gasthof | no old
@- huette | cam untouched
@- imker | one MX
@- jodler | plain
A> {{z}}, {{look}}: differences of steps 1 and 2.
$> diff step1/{{z}}.example step2/{{z}}.example | grep '^>' | cut -f1,2,5; diff zones/{{z}}.example step1/{{z}}.example | grep -c '^<'
@end
U> top. mail untouched?
$> {+c2}for d in step1 step2 step3 rollback; do echo $d $(cat $d/* | grep -c '198.51.100.7') $(cat $d/* | grep -c MX); done
A> Same numbers in all sets. A syntax check of my own: no CNAME beside others, names end with a dot.
$> python - <<'X'
import pathlib, collections
bad = []
for p in sorted(pathlib.Path('step2').iterdir()):
    kinds = collections.defaultdict(set)
    for l in p.read_text().splitlines():
        n, t, _, k, v = l.split('\t'); kinds[n].add(k)
        if k in ('CNAME', 'MX') and not v.endswith('.'): bad.append((p.name, v))
    bad += [(p.name, n) for n, k in kinds.items() if 'CNAME' in k and len(k) > 1]
print('problems', bad)
X
A> Clean. Is rollback the same as step1? It must be.
$> diff -r step1 rollback && echo identical
U> then why two folders
A> So that nobody has to think at 22:30. A timetable?
W> timetable.txt
10 March 20:00  upload step1
12 March 22:00  upload step2
12 March 22:30  decide: stay, or upload rollback
13 March 09:00  upload step3
U> 10 March 20:00 I'm at choir. 10 March noon.
$> sed -i 's/10 March 20:00/10 March 12:00/' timetable.txt; head -1 timetable.txt
A> Still more than a day before. A script for checking after the upload, printing what each zone should answer:
$> for z in step2/*; do printf '%s %s\n' $(basename $z) $(awk '$1=="@" && $4=="A" {print $5}' $z); done > expect.txt; cat expect.txt
@for z | n
@- alpenrose | 10
@- birkhof | 11
@- cabrio | 12
@- dorfladen | 13
@- eismann | 14
@- ferienhaus | 15
@- gasthof | 16
@- huette | 17
@- imker | 18
@- jodler | 19
A> {{z}} must end with .{{n}}:
$> grep '^{{z}}' expect.txt | grep -c '203.0.113.{{n}}$'
@end
U> allens klor. anything else odd?
A> dorfladen's shop points to oldshop.example.net; is that alive?
U> no, delete... wait, ask them first. not now
$> echo 'ask dorfladen about shop (CNAME to oldshop.example.net)' > later.txt; cat later.txt
A> Noted and left as it is.
$> grep -c shop step3/dorfladen.example
A> Total records before and after:
$> cat zones/* | wc -l; cat step3/* | wc -l
U> minus four, right. Dank di!
=== gold
p1 | first lower the TTL of all A records that change to 300, by 11 March, 22:00, then change the addresses | TTL; 300; 11 March
p2 | cabrio has a CNAME beside other records at its top, which is not allowed | cabrio; not allowed
p3 | cabrio: the CNAME at the top is deleted, its A record stays and moves | cabrio; CNAME; deleted
p5 | imker's second MX is deleted, since backup has no address | imker; second MX; deleted
p6 | gasthof: both old records are deleted | gasthof; deleted
p7 | ferienhaus: the wildcard record moves together with the web server | ferienhaus; wildcard
p8 | sets of complete files: step1/ (TTL 300 and the clean-up), step2/ (new addresses), rollback/ | step1; step2; rollback
p9 | next: write zonemove.py, which makes step1, step2, step3 and rollback from zones/ | zonemove.py; step3; rollback
p10 | the TTL of the www CNAMEs is lowered to 300 as well | www; 300
f1 | just change the addresses at 22:00, keeping both servers up | both servers up
f2 | let cabrio keep the CNAME and take its A record out | keep the CNAME
f3 | keep one list of old addresses by hand | by hand
f4 | imker: the second MX becomes "20 backup.imker.example." with the dot | imker; with the dot
c1 | write zonemove.py for step1, step2, step3 and rollback | zonemove.py; rollback | by hand
c2 | check that mail is untouched in step1, step2 and rollback | step2; rollback
