id: 219
domain: research
tools: {$: terminal, W: write_note, R: read_note}
=== setup
import os
os.makedirs('letters')
L = {
 '01': ('undated', 'Bergen', 'Dear Signe, the comet was so bright last night that the horses were afraid. The ice is still on the fjord. Your Anders'),
 '02': ('3 May', 'Bergen', 'Dear Signe, the Svalen has arrived with 40 barrels of lamp oil, Captain Moe sends greetings. I was 30 yesterday and nobody noticed.'),
 '03': ('Whit Monday', 'Voss', 'Dear Signe, we walked in the procession. Father Lie spoke of the fire at the Exchange as if it were last week and not five years ago.'),
 '04': ('12 August 1861', 'Bergen', 'Dear Signe, forgive the hand, I broke two fingers on the Svalen. Moe has sold her to a Dutchman.'),
 '05': ('undated', 'Hamburg', 'Dear brother, the new bridge is open and I crossed it twice for the pleasure. I have your letter on the comet.'),
 '06': ('1 Sept.', 'Bergen', 'Dear Signe, the bank pays 6 in the hundred now. My fingers are crooked but they write.'),
 '07': ('Christmas Eve', 'Bergen', 'Dear Signe, no ship, no oil, no light. Since the Svalen is gone we sit in the dark. Father Lie is dead.'),
 '08': ('4 March 1862', 'Hamburg', 'Dear Anders, I grieve for Father Lie. Come here. The bridge, which you mock, now bears a railway.'),
 '09': ('undated', 'Bergen', 'Dear Signe, I have asked Karen. She laughed. I take it for a yes. Moe is to be best man, if the Dutch let him.'),
 '10': ('20 June', 'Bergen', 'Dear Signe, married since Sunday. You should have seen the cake, 3 feet of it.'),
 '11': ('undated', 'Voss', 'Dear Signe, Karen has a boy. We call him Lie after the old man.'),
}
for k, (date, place, text) in L.items():
    open(f'letters/{k}.txt', 'w').write(f'Date: {date}\nPlace: {place}\n\n{text}\n')
open('facts.txt', 'w').write('Exchange fire, Bergen: 30 May 1855\nGreat comet seen: 29 June to 20 August 1861; another: 4 to 20 October 1858\nFjord ice at Bergen: winters; latest thaw on record 24 April 1858\nBridge at Hamburg opened: 10 October 1858; railway on it from 1 February 1862\nAnders Holm baptised 9 May 1830, born a week before\nBank of Bergen: 6 % from 15 August 1861 to January 1863\nEaster Sunday: 1860 8 April, 1861 31 March, 1862 20 April, 1863 5 April\nFather Lie buried 22 December 1861\nParish book: Anders Holm and Karen Dahl married 15 June 1862; a son Lie Holm baptised 3 May 1863\n')
=== session
U> Dear assistant, for an edition of eleven family letters (letters/) I need a date or a range for each, with the reasoning, since most of them carry no year. facts.txt has what I collected from archives. Some of my facts may be wrong, please tell me when the letters contradict them. Result: timeline.csv. Slow and careful, please; an edition lives for a hundred years.
A> Slow and careful. I read the letters in the order of the archive's numbers.
@for n | note
@- 01 | the comet
@- 02 | a birthday
@- 03 | a procession
@- 04 | the first with a full date
@- 05 | from Hamburg, undated
@- 06 | the bank
@- 07 | a dark Christmas
@- 08 | full date again
@- 09 | a proposal
@- 10 | a wedding
@- 11 | a child
A> Letter {{n}}: {{note}}.
R> letters/{{n}}.txt
@end
A> And the facts.
R> facts.txt
A> {+p1}Fixed points: letter 04 is of 12 August 1861 and letter 08 of 4 March 1862. Now the others, by evidence. Letter 02, the birthday: born a week before 9 May 1830.
$> python -c "
import datetime as d
b = d.date(1830, 5, 9) - d.timedelta(7)
print('born', b, '- 30 on', b.replace(year=1860), '- letter', b.replace(year=1860) + d.timedelta(1))"
A> {+p2}Letter 02: 3 May 1860, because he was 30 the day before. That fits the 2nd of May exactly.
U> Convincing.
A> Letter 01, comet and ice together. {+f1}The great comet of 1861 is the natural candidate: late June 1861.
$> grep -E 'comet|ice' facts.txt
A> {-f1}Ice on the fjord in late June is impossible, so not that comet. {+f2}The other one, October 1858, then.
U> Ice in October? In Bergen? Hardly.
A> {-f2}You are right, that is impossible too. The fjord has ice in winter up to 24 April at the latest, and neither comet of the list was visible then. So a comet is missing from the list, or "ice" is meant otherwise.
$> grep -n comet letters/*.txt | cut -c1-70
A> Letter 05 answers "your letter on the comet" and says that the new bridge is open, which was on 10 October 1858.
$> python - <<'X'
import datetime as d
print('bridge', d.date(1858, 10, 10), 'comet until', d.date(1858, 10, 20))
X
A> {+f3}If letter 05 is of autumn 1858, letter 01 would be of October 1858 in spite of the ice.
U> Post from Bergen to Hamburg took two to three weeks. And I have now looked it up: there was a comet in April 1854? no - Donati was visible with the naked eye from September 1858. I also find: a bright comet in late February and March 1859? I can't confirm that one, ignore it.
A> Ignored. Donati from September on makes October possible for the comet but not for the ice. What does "ice" mean in his letters, does he use it elsewhere?
$> grep -ilw ice letters/*.txt; grep -o 'still on the fjord' letters/01.txt
A> "Still" speaks of spring. {+p3}Letter 01 stays open: comet and ice contradict each other under the facts we have; the edition prints "1858?, before letter 05" with both reasons.
U> Good. I prefer an honest question mark.
A> {-f3}So no firm October for it. {+p4}Letter 05: after 10 October 1858, the opening of the bridge, and before 1 February 1862, the railway, which it does not mention.
$> python -c "
import datetime as d
print((d.date(1862,2,1) - d.date(1858,10,10)).days, 'days wide')"
A> Narrower? "New" bridge: he crosses it for pleasure, so soon after. I say autumn 1858 to 1859 as probable. Letter 03, Whit Monday, "five years ago" for the Exchange fire of 30 May 1855:
$> python - <<'X'
import datetime as d
for y, e in ((1860, d.date(1860, 4, 8)), (1861, d.date(1861, 3, 31))):
    print(y, 'Whit Monday', e + d.timedelta(50))
X
A> {+p5}Letter 03: Whit Monday 28 May 1860, nearly five years to the day after the fire.
U> The sermon on the anniversary! Lovely.
A> Letter 06: 1 September, six in the hundred, fingers crooked.
$> python -c "
print('6 % from August 1861 to January 1863: 1 September of 1861 or 1862; fingers broken in August 1861')"
A> {+p6}Letter 06: 1 September 1861; the bank's rate leaves 1861 and 1862, "crooked but they write" three weeks after the accident decides for 1861.
U> Hm, crooked fingers after three weeks, or a year later? "they write" could be either.
A> Fair. In 1862 he was married since June, and letter 06 does not say a word of Karen.
U> Accept 1861, mark it as probable.
A> {+p7}Letter 06 is marked as probable, not certain. Letter 07, Christmas Eve: no oil since the Svalen is gone, Father Lie dead.
$> grep -n 'Lie' facts.txt letters/*.txt | cut -c1-80
A> {+p8}Letter 07: 24 December 1861, two days after Father Lie's burial. Letters 09, 10 and 11 remain. {+p9}Next: date letters 09, 10 and 11 from the parish book, then write timeline.csv (letter, from, to, certainty, reason), which does not exist yet.
@cut
A> Letter 10: "married since Sunday", 20 June.
$> {+c1}python - <<'X'
import datetime as d
w = d.date(1862, 6, 15); print('letters 09, 10, 11: wedding', w, w.strftime('%A'), '- 20 June is', (d.date(1862, 6, 20) - w).days, 'days later')
X
A> The parish book has 15 June 1862, a Sunday: letter 10 is of 20 June 1862.
$> cat letters/09.txt | tail -1
A> Letter 09: the proposal, before the wedding; Moe is with the Dutch, so after August 1861. After Christmas Eve, where he sits in the dark and names no Karen?
U> An argument from silence, but all right as "probable".
$> python -c "
import datetime as d
print('banns take three Sundays, so the proposal not later than', d.date(1862, 6, 15) - d.timedelta(21))"
A> Letter 09: between 25 December 1861 and 25 May 1862, probable. Does letter 08 of March know of Karen?
$> grep -c Karen letters/08.txt; true
A> Signe writes "Come here", which one does not write to a man about to marry. So after 4 March 1862 plus the post.
$> python -c "
import datetime as d
print(d.date(1862,3,4) + d.timedelta(14))"
U> I like that. From mid-March to 25 May 1862.
A> Letter 11: the boy. Baptised on 3 May 1863; the letter may come before or after.
$> python -c "
import datetime as d
print('nine months after the wedding:', d.date(1862, 6, 15) + d.timedelta(274))"
A> Between 16 March and, say, June 1863. He says "We call him Lie", so named already or soon.
$> grep Place letters/11.txt letters/03.txt
U> In Voss they'd be at Whitsun, as in letter 03.
A> Whit Sunday 1863:
$> python -c "
import datetime as d
print(d.date(1863, 4, 5) + d.timedelta(49))"
A> Possible, not provable. I keep the range.
W> timeline.csv
letter,from,to,certainty,reason
01,1858?,1858?,open,comet and ice contradict each other
02,1860-05-03,1860-05-03,certain,thirty the day before
03,1860-05-28,1860-05-28,certain,five years after the fire
04,1861-08-12,1861-08-12,dated,
05,1858-10-10,1862-02-01,range,bridge open and no railway yet
06,1861-09-01,1861-09-01,probable,bank rate and broken fingers
07,1861-12-24,1861-12-24,certain,Father Lie dead
08,1862-03-04,1862-03-04,dated,
09,1862-03-18,1862-05-25,probable,after letter 08 and before the banns
10,1862-06-20,1862-06-20,certain,parish book
11,1863-03-16,1863-06-30,range,baptism
$> {+c2}python - <<'X'
import csv
rows = list(csv.DictReader(open('timeline.csv')))
print(len(rows), 'rows in timeline.csv;', [r['letter'] for r in sorted(rows, key=lambda r: r['from'])])
X
A> Weekdays of all certain dates, a last check against the calendar.
@for n | y | m | d
@- 02 | 1860 | 5 | 3
@- 03 | 1860 | 5 | 28
@- 04 | 1861 | 8 | 12
@- 06 | 1861 | 9 | 1
@- 07 | 1861 | 12 | 24
@- 08 | 1862 | 3 | 4
@- 10 | 1862 | 6 | 20
A> Letter {{n}}:
$> python -c "
import datetime as d
print(d.date({{y}}, {{m}}, {{d}}).strftime('%A %d %B %Y'))"
@end
U> Do internal references agree with this order?
@for a | b | why
@- 01 | 05 | 05 answers 01
@- 02 | 04 | the Svalen sails, then is sold
@- 04 | 06 | fingers break, then write
@- 04 | 07 | Svalen sold, then no oil
@- 07 | 08 | Lie dies, Signe grieves
@- 08 | 09 | come here, then Karen
@- 09 | 10 | proposal, wedding
@- 10 | 11 | wedding, child
A> {{a}} before {{b}}: {{why}}.
$> python - <<'X'
import csv
t = {r['letter']: r for r in csv.DictReader(open('timeline.csv'))}
print(t['{{a}}']['from'], '<=', t['{{b}}']['to'], t['{{a}}']['from'][:4] <= t['{{b}}']['to'][:4])
X
@end
A> All agree. Your facts against the letters: one conflict, the comet.
$> printf 'Contradiction: no comet of the list was visible while the fjord had ice (letter 01).\n' > contradictions.txt; cat contradictions.txt
U> I'll ask the observatory.
A> When they answer, only letters 01 and 05 are affected:
$> grep -E '^0[15]' timeline.csv
U> Thank you. That was a pleasure to read.
=== gold
p1 | fixed points: letter 04 is of 12 August 1861 and letter 08 of 4 March 1862 | 12 August 1861; 4 March 1862
p2 | letter 02: 3 May 1860 | 02; 3 May 1860
p3 | letter 01 stays open: comet and ice contradict each other | letter 01; stays open
p4 | letter 05: after 10 October 1858, the opening of the bridge | 05; 10 October 1858
p5 | letter 03: Whit Monday 28 May 1860 | 28 May 1860
p6 | letter 06: 1 September 1861 | 1 September 1861
p7 | letter 06 is marked as probable | 06; probable
p8 | letter 07: 24 December 1861 | 24 December 1861
p9 | next: date letters 09, 10 and 11 from the parish book, then write timeline.csv | 09; 11; parish book; timeline.csv
f1 | the great comet of 1861 is the natural candidate: late June 1861 | late June 1861
f2 | the other one, October 1858 | the other one; October 1858
f3 | letter 01 would be of October 1858 in spite of the ice | in spite of the ice
c1 | date letters 09, 10 and 11 | 09; 11 | late June 1861
c2 | write timeline.csv | timeline.csv
