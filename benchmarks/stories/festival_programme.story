id: 223
domain: writing
tools: {$: terminal, W: compose, R: read}
=== setup
import os, random
r = random.Random(19)
acts = [('Ensemble Quintefeuille', 'Fri', '19:30', 'Town hall', 55), ('The Rusty Pans', 'Fri', '20:00', 'Brewery yard', 60), ('Noor Haddad Trio', 'Fri', '21:15', 'Town hall', 50), ('Choir of St. Anne', 'Sat', '11:00', 'Church', 45), ('Puppets of Liège', 'Sat', '14:00', 'School gym', 40), ('Open rehearsal', 'Sat', '15:00', 'Town hall', 90), ('Max & Moira', 'Sat', '16:00', 'Brewery yard', 45), ('Ensemble Quintefeuil', 'Sat', '20:00', 'Church', 70), ('Noor Hadad', 'Sun', '11:00', 'Church', 30), ('Brass Walk', 'Sun', '12:00', 'Market', 60), ('The Rusty Pans', 'Sun', '13:30', 'Market', 45), ('Farewell dance', 'Sun', '16:00', 'Brewery yard', 120)]
os.makedirs('entries')
adj = 'spirited tender unhurried playful brilliant austere warm restless'.split()
for n, (a, d, t, p, m) in enumerate(acts, 1):
    body = ' '.join(f'{a} brings {r.choice(adj)} music to {p}, {r.choice(adj)} and {r.choice(adj)}.' for _ in range(r.randint(4, 11)))
    open(f'entries/{n:02d}.txt', 'w').write(f'{a}\n{d} {t} | {p} | {m} min\n\n{body}\n')
open('printer.txt', 'w').write('Booklet A6, 16 pages: cover, 2 pages of welcome, 12 pages of entries, 1 page of map.\nOne entry per page, at most 90 words. Files by Tuesday 10:00.\n')
=== session
U> Good evening. I am the honorary secretary of the village music days and I inherited the programme booklet from a gentleman who has moved to Portugal. The entries are in the folder of that name, twelve of them, one per page; the printer's conditions are in printer.txt. The names are spelt in several ways, two things may be happening in one place at once, and some texts are far too long. I should be most grateful if you could put this in order. Yours, Margaret Ashby
A> Good evening, Mrs Ashby. I read the printer's conditions and the programme first.
$> cat printer.txt; head -qn 2 entries/*.txt
A> Names that look alike:
$> head -qn 1 entries/*.txt | sort | uniq -c
A> "Ensemble Quintefeuille" and "Ensemble Quintefeuil", "Noor Haddad Trio" and "Noor Hadad". {+f1}I take the shorter spellings, Quintefeuil and Hadad, which fit the narrow page better.
U> I have telephoned. It is Quintefeuille with -le, they were quite firm about it, and Haddad with two d. On Sunday she plays alone, so no "Trio" there.
A> {-f1}The long spellings, then. {+p1}The names are Ensemble Quintefeuille and Noor Haddad; on Sunday she plays alone, without Trio.
$> grep -l 'Quintefeuil\b' entries/*.txt; grep -l 'Hadad' entries/*.txt
A> Lengths of the texts against 90 words, one page after the other.
@for n | w
@- 01 | the opening
@- 02 | in the yard
@- 03 | the late concert
@- 04 | the choir
@- 05 | the puppets
@- 06 | the rehearsal
@- 07 | the duo
@- 08 | the gala
@- 09 | Sunday morning
@- 10 | the walk
@- 11 | the Pans again
@- 12 | the dance
A> Page {{n}}, {{w}}.
$> head -1 entries/{{n}}.txt; tail -n +4 entries/{{n}}.txt | wc -w | awk '{print $1, ($1 > 90) ? "words, too long by " $1 - 90 : "words, fits"}'
@end
A> Several are too long. {+f2}With smaller type more words would fit on a page; I could ask the printer for 7 point.
U> My dear, half of our audience is over seventy. Seven point! No. Shorten the texts, from the end, by whole sentences. The performers will forgive us.
A> {-f2}Of course; no small type. {+p2}Texts over 90 words lose whole sentences from the end.
$> grep -c '\.' entries/01.txt
A> Now the timetable: does anything overlap in one place?
$> python - <<'X'
import glob, re
acts = []
for p in sorted(glob.glob('entries/*.txt')):
    name, line = open(p).read().split('\n')[:2]
    d, t, place, m = re.match(r'(\w+) (\d+:\d+) \| (.*) \| (\d+) min', line).groups()
    h, mi = map(int, t.split(':')); acts.append((d, place, h * 60 + mi, h * 60 + mi + int(m), name))
for i, a in enumerate(acts):
    for b in acts[i + 1:]:
        if a[:2] == b[:2] and a[2] < b[3] and b[2] < a[3]: print('clash:', a[4], '/', b[4])
        elif a[:2] == b[:2] and 0 <= b[2] - a[3] < 30: print('tight:', a[4], '/', b[4], b[2] - a[3], 'min between')
print('looked at', len(acts))
X
A> No clash of places. And people: does anyone have to be in two places?
$> python - <<'X'
print('Ensemble Quintefeuille: Fri 19:30 and Sat 20:00; The Rusty Pans: Fri 20:00 and Sun 13:30, after Brass Walk until 13:00')
X
U> The Rusty Pans ARE the Brass Walk, they lead it. They asked for an hour in between to rest their lips.
A> {+f3}So the Pans on Sunday move from 13:30 to 14:30 at the market.
U> The market square must be free at 14:00 for the bus. Oh dear. Could they come before the walk?
A> {-f3}14:30 is impossible, then. Before the walk: 45 minutes, an hour's rest, walk at 12:00, so from 10:15 to 11:00.
$> python -c "
start = 12*60 - 60 - 45
print('%d:%02d to %d:%02d' % (*divmod(start, 60), *divmod(start + 45, 60)))"
U> Sunday 10:15, during the service? The vicar... I asked the vicar. He says the market is far enough.
A> {+p3}The Rusty Pans play on Sunday at 10:15 on the Market, before the Brass Walk at 12:00.
$> grep -n 'Sun' entries/*.txt
U> And the gala of the Ensemble on Saturday: the church is booked for a wedding rehearsal until nine. It must go to the Town hall.
A> {+p4}The gala of Ensemble Quintefeuille on Saturday, 20:00, moves to the Town hall. Is that free?
$> grep -h 'Sat.*Town hall' entries/*.txt
A> Only the open rehearsal in the afternoon is there, until 16:30.
U> Splendid. The text of that page says "church" in each sentence, I am afraid.
A> {+p5}In entry 08 every "Church" in the text becomes "the Town hall". The order of pages?
U> By day and time of course. The gentleman in Portugal had it so.
A> {+p6}Pages are in order of day and time, so the Pans' Sunday page comes before Noor Haddad's at 11:00. I keep the old entries until you have seen the new ones.
$> cp -r entries entries_before; ls -d entries*
U> One thing more: the committee would like prices on the pages. Or would they... I shall ask. No: free entrance everywhere, say it once in the welcome.
A> {+p7}No prices on the pages, free entrance is said once in the welcome. {+p8}Next: apply names, times, places and cuts with revise.py, then make booklet.txt with sixteen pages; neither exists yet. The printer wants it by Tuesday 10:00.
@cut
W> revise.py
import pathlib
import re

DAYS = {'Fri': 0, 'Sat': 1, 'Sun': 2}
pages = []
for path in sorted(pathlib.Path('entries_before').glob('*.txt')):
    name, line, _, body = path.read_text().rstrip('\n').split('\n')
    for old, new in (('Quintefeuil', 'Quintefeuille'), ('Hadad', 'Haddad')):
        name = re.sub(rf'\b{old}\b', new, name)
        body = re.sub(rf'\b{old}\b', new, body)
    if path.stem == '08':
        line = line.replace('Church', 'Town hall')
        body = body.replace('to Church', 'to the Town hall')
    if path.stem == '11':
        line = line.replace('13:30', '10:15')
    sentences = re.findall(r'.+?(?<!St)\.(?= |$)', body)
    while sum(len(s.split()) for s in sentences) > 90:
        sentences.pop()
    day, time = line.split()[:2]
    pages.append((DAYS[day], time, name, line, ''.join(sentences).strip()))
out = pathlib.Path('entries')
for old in out.glob('*.txt'):
    old.unlink()
for n, (_, _, name, line, body) in enumerate(sorted(pages), 1):
    (out / f'{n:02d}.txt').write_text(f'{name}\n{line}\n\n{body}\n')
print(len(pages), 'pages')
$> {+c1}python revise.py && head -qn 2 entries/*.txt
A> Let me read every page as the printer will get it.
@for n
@- 01
@- 02
@- 03
@- 04
@- 05
@- 06
@- 07
@- 08
@- 09
@- 10
@- 11
@- 12
A> Page of entry {{n}}:
$> sed -n 1,2p entries/{{n}}.txt; tail -n +4 entries/{{n}}.txt | wc -w; tail -c 30 entries/{{n}}.txt
@end
U> The choir's page ends properly, does it not? "St. Anne" has a full stop in it.
$> tail -n 1 entries/04.txt | tail -c 60
A> It does; the stop in St. Anne was taken care of.
U> Dear me, you think of everything. Now the welcome. Two pages, I wrote this.
W> welcome.txt
Dear friends of music,

for the twenty-second time our village sings, blows and plucks for three days. Entrance is
free everywhere; the hats that go round are large.

Margaret Ashby, honorary secretary
A> Short and warm. A map page as a placeholder, and the cover.
$> printf 'MUSIC DAYS\nFriday to Sunday\n' > cover.txt; printf '[map]\n' > map.txt; wc -w welcome.txt
A> Sixteen pages together:
$> {+c2}python - <<'X'
import pathlib
pages = [open('cover.txt').read(), open('welcome.txt').read(), '(welcome, second page)\n']
pages += [p.read_text() for p in sorted(pathlib.Path('entries').glob('*.txt'))] + [open('map.txt').read()]
open('booklet.txt', 'w').write('\f'.join(pages)); print(len(pages), 'pages in booklet.txt')
X
@for w | n
@- Quintefeuille | with -le everywhere?
@- Haddad | two d
@- Trio | only on Friday
@- Church | not on the gala's page
@- 13:30 | should be gone
@- free | once, in the welcome
A> "{{w}}", {{n}}
$> grep -c '{{w}}' entries/*.txt welcome.txt | grep -v ':0' | tr '\n' ' '; echo
@end
U> The committee asks for an index of performers on the inside cover.
$> head -qn 1 entries/*.txt | sort -u | nl > index.txt; cat index.txt
A> Is there an overlap left?
$> python - <<'X'
import glob, re
seen = {}
for p in sorted(glob.glob('entries/*.txt')):
    d, t, place, m = re.match(r'(\w+) (\d+:\d+) \| (.*) \| (\d+) min', open(p).read().split('\n')[1]).groups()
    h, mi = map(int, t.split(':')); seen.setdefault((d, place), []).append((h * 60 + mi, int(m)))
print([k for k, v in seen.items() if any(a + m > b for (a, m), (b, _) in zip(sorted(v), sorted(v)[1:]))])
X
A> None. The booklet is ready well before Tuesday 10:00.
U> I could kiss you. The printer has it. M. A.
=== gold
p1 | the names are Ensemble Quintefeuille and Noor Haddad; on Sunday she plays without Trio | Quintefeuille; Haddad
p2 | texts over 90 words lose whole sentences from the end | 90 words; whole sentences
p3 | The Rusty Pans play on Sunday at 10:15 on the Market | Rusty Pans; 10:15
p4 | the gala on Saturday, 20:00, moves to the Town hall | gala; Town hall
p5 | in entry 08 every "Church" becomes "the Town hall" | 08; Church
p6 | pages are in order of day and time | day and time
p7 | no prices on the pages, free entrance is said once in the welcome | free entrance; welcome
p8 | next: apply names, times, places and cuts with revise.py, then make booklet.txt with sixteen pages, by Tuesday 10:00 | revise.py; booklet.txt; Tuesday
f1 | take the shorter spellings, Quintefeuil and Hadad | shorter spellings
f2 | ask the printer for 7 point | 7 point
f3 | the Pans move from 13:30 to 14:30 | to 14:30
c1 | apply the changes with revise.py | revise.py | 7 point
c2 | make booklet.txt with sixteen pages | booklet.txt; pages
