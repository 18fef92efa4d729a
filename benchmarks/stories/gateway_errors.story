id: 201
domain: operations
=== setup
import random
r = random.Random(5021)
hosts = ['alder', 'birch', 'cedar', 'douglas', 'elm', 'fir', 'ginkgo', 'hazel', 'ivy', 'juniper', 'kapok']
import os
os.makedirs('logs'); os.makedirs('etc')
for n, h in enumerate(hosts):
    rows = []
    for i in range(420):
        minute = i * 3 % 1440
        path = r.choice(['/cart', '/login', '/search', '/export', '/img'])
        status = 200
        ms = r.randint(20, 180)
        if path == '/export':
            ms = r.randint(900, 2400)
            if h in ('cedar', 'hazel', 'kapok') and r.random() < .55:
                status, ms = 502, r.randint(30001, 30080)
        elif r.random() < .01:
            status = r.choice([404, 499])
        rows.append((minute, f"{minute//60:02d}:{minute%60:02d} {h} {path} {status} {ms}"))
    rows.sort()
    open(f'logs/{h}.log', 'w').write('\n'.join(x for _, x in rows) + '\n')
    timeout = 30 if h in ('cedar', 'hazel', 'kapok') else 90
    open(f'etc/{h}.conf', 'w').write(f"proxy_read_timeout {timeout}s\nkeepalive {16 + n}\nupstream exporter-{'b' if timeout == 30 else 'a'}\nbuffer 8k\n")
open('etc/exporter-a.env', 'w').write('WORKERS=12\nSTATEMENT_TIMEOUT=75\nPAGE=5000\n')
open('etc/exporter-b.env', 'w').write('WORKERS=4\nSTATEMENT_TIMEOUT=75\nPAGE=50000\n')
open('deploys.txt', 'w').write('Mon 08:10 kapok exporter-b enabled\nMon 08:12 cedar exporter-b enabled\nMon 08:15 hazel exporter-b enabled\nMon 09:40 all keepalive raised\nTue 07:00 all buffer 4k -> 8k\n')
=== session
U> customers see 502. find why, write postmortem.md. logs/ and etc/ are copies, prod is not reachable from here
A> Looking at what there is.
$> ls logs etc; head -3 logs/alder.log; cat deploys.txt
A> Eleven gateways, one line per request: time, host, path, status, milliseconds. Count by status.
$> cat logs/*.log | awk '{print $4}' | sort | uniq -c
A> {{/(\d+) 502/}} answers with 502. By host next.
$> grep -h ' 502 ' logs/*.log | awk '{print $2}' | sort | uniq -c
U> buffer changed tuesday, must be that
A> {+f1}Working theory then: the larger buffer 8k of Tuesday breaks the upstream replies. I compare the hours.
$> grep -h ' 502 ' logs/*.log | cut -c1-2 | sort | uniq -c | head -24
A> The errors are spread evenly over the day and every host has that buffer.
$> grep -c 'buffer 8k' etc/*.conf
A> {-f1}All eleven have it, three have errors. The buffer is ruled out.
U> ok. keepalive?
A> {+f2}Keepalive then: raise keepalive to 64 everywhere is the obvious lever if connections are cut. Reading it per host, gateway by gateway.
@for h | word
@- alder | starting at the top
@- birch | one with no errors
@- cedar | this one has errors
@- douglas | quiet one
@- elm | elm now
@- fir | fir, quiet too
@- ginkgo | going on
@- hazel | a bad one again
@- ivy | nearly through
@- juniper | last quiet one
@- kapok | and the third bad one
A> {{h}}: {{word}}.
$> grep -E 'keepalive|timeout|upstream' etc/{{h}}.conf; echo "502s on {{h}}: $(grep -c ' 502 ' logs/{{h}}.log) of $(grep -c /export logs/{{h}}.log) exports"
@end
A> {-f2}Keepalive grows from host to host and has nothing to do with it: ivy is higher than hazel and clean. {+p1}What the three bad hosts cedar, hazel and kapok share is proxy_read_timeout 30s and upstream exporter-b.
$> grep -h ' 502 ' logs/*.log | awk '{print $3}' | sort | uniq -c; grep -h ' 502 ' logs/*.log | awk '{print $5}' | sort -n | sed -n '1p;$p'
A> {+p2}Only /export fails, and each failure takes just over 30 seconds (30001 ms and up): the gateway gives up, not the exporter.
U> so raise to 90 like the others, done
A> {+f3}I write the change: set proxy_read_timeout to 90s on the three hosts.
$> mkdir -p change; for h in cedar hazel kapok; do sed 's/proxy_read_timeout 30s/proxy_read_timeout 90s/' etc/$h.conf > change/$h.conf; done; diff etc/cedar.conf change/cedar.conf
A> Before you ship that, the exporters themselves.
$> diff etc/exporter-a.env etc/exporter-b.env; true
A> {+p3}exporter-b reads pages of 50000 rows with 4 workers, exporter-a pages of 5000 with 12. Its queries are long because of PAGE=50000; the longer gateway time would hide that until the statement timeout of 75 seconds strikes.
U> hm. dba says statement timeout stays
A> {+p4}Noted: STATEMENT_TIMEOUT stays at 75. {-f3}Then 90 seconds at the gateway only turns a 502 into a 500 fifteen seconds earlier. I take the change folder away.
$> rm -r change; ls
U> fix the page then. and no restarts before thursday, audit
A> {+p5}Agreed: set PAGE=5000 and WORKERS=12 on exporter-b, nothing is restarted before Thursday because of the audit. {+p6}Next: write change/exporter-b.env and then postmortem.md, which is not begun.
@cut
$> {+c1}mkdir -p change && sed 's/PAGE=50000/PAGE=5000/; s/WORKERS=4/WORKERS=12/' etc/exporter-b.env > change/exporter-b.env; cat change/exporter-b.env
A> The change file is there. For the postmortem I need impact per host and hour.
@for h | why
@- cedar | enabled at 08:12
@- hazel | enabled at 08:15
@- kapok | enabled at 08:10
A> {{h}}, {{why}} on Monday: failures by hour.
$> grep ' 502 ' logs/{{h}}.log | cut -c1-2 | uniq -c | awk '{printf "%s:%s ", $2, $1} END {print ""}'
A> And its share of failed exports.
$> awk '$3=="/export" {n++; if ($4==502) b++} END {printf "%d of %d exports failed, %.0f%%\n", b, n, 100*b/n}' logs/{{h}}.log
@end
U> need totals over all too
A> Over all gateways.
$> cat logs/*.log | awk '$3=="/export" {n++; if ($4==502) b++} END {print b, n}'
A> {{/(\d+) \d+/}} of {{/\d+ (\d+)/}} exports. Healthy exports take how long?
$> cat logs/*.log | awk '$3=="/export" && $4==200 {print $5}' | sort -n | awk '{a[NR]=$1} END {print "median", a[int(NR/2)], "max", a[NR]}'
A> Well below 30 seconds. So with small pages the default time is enough.
@for h | remark
@- alder | reference
@- birch | same
@- douglas | same again
@- elm | fine
@- fir | fine too
@- ginkgo | in line
@- ivy | in line too
@- juniper | last one
A> Check that nothing else hides on {{h}} ({{remark}}).
$> awk '{s[$4]++} END {for (k in s) printf "%s=%d ", k, s[k]; print ""}' logs/{{h}}.log | tr ' ' '\n' | sort | tr '\n' ' '
@end
A> Nothing but a few 404 and 499. I write it.
W> postmortem.md
# Exports failed with 502

Three gateways were moved to exporter-b on Monday. Its pages of 50000 rows made single
queries longer than the 30 seconds that these gateways wait.

Change: PAGE=5000, WORKERS=12 on exporter-b, restart on Thursday after the audit.
The statement timeout stays at 75 seconds.
U> add why the gateways differ
A> From the deploy log: they got the new upstream with a fresh template.
$> {+c2}printf '\nThe three gateways also came with a template whose timeout is 30 seconds; the others have 90.\n' >> postmortem.md; wc -w postmortem.md
A> A check that every host named is right.
$> for h in cedar hazel kapok; do grep -l exporter-b etc/$h.conf; done
A> And that the change has only the two lines.
$> diff etc/exporter-b.env change/exporter-b.env | grep -c '^>'
U> who restarts
A> Whoever is on duty on Thursday; the note says so.
$> printf 'Restart: duty engineer, Thursday.\n' >> postmortem.md; tail -2 postmortem.md
A> Done: change/exporter-b.env and postmortem.md.
U> thx
=== gold
p1 | the bad hosts cedar, hazel and kapok share proxy_read_timeout 30s and upstream exporter-b | cedar; hazel; kapok; exporter-b
p2 | only /export fails, each failure just over 30 seconds | /export; 30 seconds / 30001 ms
p3 | exporter-b reads pages of 50000 rows with 4 workers | exporter-b; 50000
p4 | STATEMENT_TIMEOUT stays at 75 | STATEMENT_TIMEOUT / statement timeout; 75
p5 | agreed: set PAGE=5000 and WORKERS=12 on exporter-b, nothing is restarted before Thursday | PAGE=5000; Thursday
p6 | next: write change/exporter-b.env and then postmortem.md, which is not begun | change/exporter-b.env; postmortem.md
f1 | the larger buffer 8k of Tuesday breaks the replies | buffer 8k
f2 | raise keepalive to 64 everywhere | keepalive to 64
f3 | set proxy_read_timeout to 90s on the three hosts | proxy_read_timeout to 90s
c1 | write change/exporter-b.env with PAGE=5000 | change/exporter-b.env; PAGE=5000 | keepalive to 64
c2 | write postmortem.md | postmortem.md
