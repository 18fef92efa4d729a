id: 211
domain: operations
=== setup
import hashlib, os, pathlib, random, subprocess, tarfile
r = random.Random(8)
sets = ['accounts', 'images', 'contracts', 'payroll', 'mailboxes', 'sources', 'metrics', 'scans', 'letters', 'maps', 'plans', 'tickets']
os.makedirs('vault')
for n, s in enumerate(sets):
    base = pathlib.Path('tmp') / s
    base.mkdir(parents=True)
    lines = []
    for k in range(6):
        data = bytes(r.randrange(32, 127) for _ in range(r.randint(100, 700)))
        (base / f'{s}_{k}.dat').write_bytes(data)
        lines.append(f'{hashlib.sha256(data).hexdigest()}  {s}/{s}_{k}.dat')
    if s == 'payroll': (base / f'{s}_2.dat').write_bytes(b'')
    if s == 'scans': (base / f'{s}_4.dat').unlink()
    def tidy(i): i.mtime = 1770000000; i.uid = i.gid = 0; i.uname = i.gname = ''; return i
    with tarfile.open(f'vault/{s}.tar', 'w') as t: t.add(base, s, filter=tidy)
    pathlib.Path(f'vault/{s}.sha256').write_text('\n'.join(lines) + '\n')
p = pathlib.Path('vault/metrics.tar'); b = bytearray(p.read_bytes()); b[1100] ^= 1; p.write_bytes(bytes(b))
p = pathlib.Path('vault/maps.tar'); p.write_bytes(p.read_bytes()[:2600])
import shutil; shutil.rmtree('tmp')
pathlib.Path('runbook.txt').write_text('Restore test, quarterly. For each set: unpack, compare with .sha256, report OK or what is damaged.\nOwner of the report: Farida. Sets with personal data: payroll, mailboxes, letters (unpack only under secure/).\n')
=== session
U> Quarterly restore test please. vault/ holds the twelve sets. The runbook is in runbook.txt. Report in report.txt for Farida, she reads it on paper, so short.
A> Runbook first.
$> cat runbook.txt; ls vault
A> {+p1}payroll, mailboxes and letters hold personal data and may be unpacked only under secure/. The others go to out/.
$> mkdir -p out secure; chmod 700 secure; ls -ld secure | cut -c1-10
A> {+f1}A fast pass would be enough for the unsuspicious sets: check with tar -tf that each archive can be listed.
$> for f in vault/*.tar; do printf '%s ' $(basename $f); tar -tf $f > /dev/null 2>&1 && echo lists || echo cannot be listed; done
U> Listing is not restoring. Two years ago we had lists without content. Unpack and compare, every one.
A> {-f1}Then listing does not count as a test. One set after the other: unpack and sha256sum.
@for s | where | say
@- accounts | out | starting with accounts
@- images | out | images
@- contracts | out | contracts
@- payroll | secure | payroll, in the secure folder
@- mailboxes | secure | mailboxes, secure too
@- sources | out | the sources
@- metrics | out | metrics
@- scans | out | scanned paper
@- letters | secure | letters, secure
@- maps | out | maps
@- plans | out | plans
@- tickets | out | and tickets
A> Now {{say}}.
$> tar -xf vault/{{s}}.tar -C {{where}} 2>&1 | tail -1; cd {{where}} && sha256sum -c ../vault/{{s}}.sha256 2>&1 | grep -v ': OK$' | cut -c1-80; echo "{{s}}: $(sha256sum -c ../vault/{{s}}.sha256 2>/dev/null | grep -c ': OK$') of 6 fine"
@end
A> {+p2}Damaged are four of twelve: payroll, metrics, scans and maps; the other eight are complete. The four in detail.
$> ls -l secure/payroll | awk 'NR>1 {print $5, $9}'; ls out/scans; ls out/maps 2>/dev/null | wc -l
A> {+p3}payroll_2.dat is empty (0 bytes), scans_4.dat is not in its archive at all. metrics:
$> cd out && sha256sum -c ../vault/metrics.sha256 2>/dev/null | grep -v OK; head -c 60 metrics/metrics_0.dat | od -c | head -2
A> {+p4}metrics has one wrong file, metrics_0.dat, the archive differs by single bytes; maps.tar ends in the middle, after {{/(metrics)/}} this is the second broken medium.
$> stat -c '%n %s' vault/maps.tar vault/plans.tar vault/tickets.tar
U> Can the four be repaired?
A> {+f2}For metrics I could flip bits until the checksum fits, a single-bit search over the file.
$> python - <<'X'
import hashlib, pathlib
want = pathlib.Path('vault/metrics.sha256').read_text().split()[0]
data = bytearray(pathlib.Path('out/metrics/metrics_0.dat').read_bytes())
for i in range(len(data) * 8):
    data[i // 8] ^= 1 << (i % 8)
    if hashlib.sha256(data).hexdigest() == want: print('found: bit', i % 8, 'of byte', i // 8); break
    data[i // 8] ^= 1 << (i % 8)
else: print('not found')
X
U> Clever, but auditors will not like a file that we "found". We restore from the second site or not at all. Drop that, and don't mention it in the report.
A> {-f2}Dropped; no repaired bits. {+p5}Damaged sets are restored from the second site or not at all.
$> ls out/metrics | wc -l
A> {+f3}I would ask the second site for everything, all twelve sets, to be safe.
U> Their line is slow, 40 hours for everything. Only what is damaged, and only the damaged files where we can name them.
A> {-f3}Then by file. {+p6}The request to the second site names payroll_2.dat, scans_4.dat, metrics_0.dat, and maps as a whole set.
$> cd out; sha256sum -c ../vault/maps.sha256 2>/dev/null | grep -c OK
A> How much of maps survived matters little, it is requested whole. Sizes for the request, from the neighbours:
$> du -sb secure/payroll out/scans out/metrics out/plans | awk '{print $1, $2}'
U> Also: the secure folder must be wiped after the test, today, before I leave at five.
A> {+p7}secure/ is wiped today before five o'clock, after the report. {+p8}Next: write request.txt for the second site, then report.txt; neither exists.
@cut
$> {+c1}printf 'payroll/payroll_2.dat\nscans/scans_4.dat\nmetrics/metrics_0.dat\nmaps/ (all)\n' > request.txt; cat request.txt
A> For each line of the request the checksum that the delivered file must have.
@for f | s
@- payroll_2.dat | payroll
@- scans_4.dat | scans
@- metrics_0.dat | metrics
@- maps_0.dat | maps
@- maps_1.dat | maps
@- maps_2.dat | maps
@- maps_3.dat | maps
@- maps_4.dat | maps
@- maps_5.dat | maps
A> {{f}}:
$> grep {{f}} vault/{{s}}.sha256 | tee -a expected.txt | cut -c1-16
@end
A> Nine files. The eight good sets get a second look from a fresh unpacking, as the runbook's owner once asked.
@for s | w
@- accounts | out
@- images | out
@- contracts | out
@- mailboxes | secure
@- sources | out
@- letters | secure
@- plans | out
@- tickets | out
A> {{s}} again, fresh.
$> rm -rf {{w}}/{{s}} && tar -xf vault/{{s}}.tar -C {{w}} && cd {{w}} && sha256sum --quiet -c ../vault/{{s}}.sha256 && echo same
@end
U> Fine. The report.
W> report.txt
Restore test, first quarter. Twelve sets, eight complete.

Damaged: payroll (1 file empty), scans (1 file missing), metrics (1 file wrong),
maps (archive ends early). Requested from the second site, see request.txt.
A> Short enough for paper?
$> {+c2}wc -w report.txt; wc -l < report.txt
U> Add how it will be checked.
$> echo 'Deliveries are compared with expected.txt before they are put back.' >> report.txt; tail -1 report.txt
A> Then the secure folder.
$> find secure -type f -exec shred -u {} + && rm -r secure && ls
A> Gone. Is anything personal left under out?
$> ls out | grep -E 'payroll|mailboxes|letters' | wc -l
A> Nothing. The working copies under out go as well, they are not needed.
$> rm -r out; ls
U> Second site answers: which of ours is the right time stamp for the set?
A> From the archives:
$> tar -tvf vault/scans.tar | awk '{print $4}' | sort -u
A> All from that day.
$> tar -tvf vault/payroll.tar | awk '{print $4}' | sort -u; sort -u expected.txt | wc -l
A> Nine expected checksums stand ready; report.txt is for Farida.
U> Printed. Done at 16:40, thank you.
=== gold
p1 | payroll, mailboxes and letters may be unpacked only under secure/ | payroll; mailboxes; secure
p2 | damaged are four of twelve: payroll, metrics, scans and maps | payroll; metrics; scans; maps
p3 | payroll_2.dat is empty, scans_4.dat is not in its archive | payroll_2.dat; scans_4.dat
p4 | metrics has one wrong file, metrics_0.dat | metrics_0.dat
p5 | damaged sets are restored from the second site or not at all | second site
p6 | the request to the second site names payroll_2.dat, scans_4.dat, metrics_0.dat, and maps as a whole set | request; maps; metrics_0.dat
p7 | secure/ is wiped today before five o'clock, after the report | secure; wiped; five
p8 | next: write request.txt for the second site, then report.txt; neither exists | request.txt; report.txt
f1 | check with tar -tf that each archive can be listed | tar -tf
f2 | flip bits until the checksum fits | flip bits
f3 | ask the second site for everything, all twelve sets | all twelve sets
c1 | write request.txt with payroll_2.dat, scans_4.dat, metrics_0.dat and maps | request.txt | flip bits
c2 | write report.txt | report.txt
