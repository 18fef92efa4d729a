id: 226
domain: writing
tools: {$: shell, W: save, R: load}
=== setup
import os
os.makedirs('minutes')
M = {
 '2025-01': ['Decided: the roof is repaired by firm Haller, cost 18,400.', 'Decided: annual fee 60.', 'Anne reports on the well.', 'Action: Piet gets three offers for the fence by March.'],
 '2025-02': ['Decided: the summer party is on 14 June.', 'The fence: nothing new.', 'Action: Ruth writes to the council about the bus stop by April.'],
 '2025-03': ['Decided: the fence is built by Zaun & Co, 5,200.', 'Piet has the three offers (done).', 'Decided: the annual fee is 72 from next year, replacing January\'s.'],
 '2025-04': ['Ruth has written to the council (done).', 'Haller has gone bankrupt. Decided: the decision on the roof is void.', 'Action: Anne finds another roofer by June.'],
 '2025-05': ['Decided: the summer party moves to 21 June because of the elections.', 'Decided: no dogs in the hall.', 'Anne has not found anyone yet.'],
 '2025-06': ['Decided: the roof is repaired by Dachwerk, cost 21,900, in September.', 'Anne: done with the roofer.', 'Action: Piet pays the deposit of 4,000 by July.'],
 '2025-07': ['Piet has paid (done).', 'Decided: dogs are allowed on a lead after all.', 'Action: Ruth orders chairs, 40, by October.'],
 '2025-08': ['No quorum, no decisions. Those present were for 50 chairs.'],
 '2025-09': ['The roof is finished. Decided: Dachwerk is paid in full, 17,900 remaining.', 'Decided: chairs: 45.', 'Action: Anne thanks the donors by November.'],
 '2025-10': ['Chairs ordered, 45 (done).', 'Decided: the hall is hired out at 35 an hour, members 20.', 'Correction of the minutes of September: the remaining sum is 17,400.'],
 '2025-11': ['Anne has thanked the donors (done).', 'Decided: the hire is 38 an hour from January, members stay at 20.', 'Action: Piet drafts the budget by December.'],
 '2025-12': ['The budget is not ready.', 'Decided: the fee of 72 is confirmed.', 'Action: Ruth checks the insurance of the hall by February.'],
}
for k, v in M.items(): open(f'minutes/{k}.txt', 'w').write(f'Minutes {k}\n' + '\n'.join(v) + '\n')
=== session
U> Our association wants a register of decisions for 2025: what holds today, what was changed, which actions are open. Twelve sets of minutes in minutes/. Two pages at most; new board members read it. I was secretary in the spring, Ruth since summer.
A> I read the year from January on and note as I go.
@for m | n
@- 2025-01 | January
@- 2025-02 | February
@- 2025-03 | March
@- 2025-04 | April
@- 2025-05 | May
@- 2025-06 | June
@- 2025-07 | July
@- 2025-08 | August
@- 2025-09 | September
@- 2025-10 | October
@- 2025-11 | November
@- 2025-12 | December
A> {{n}}.
R> minutes/{{m}}.txt
@end
A> {+f1}A register in the order of the minutes, month by month with every decision, would be complete and simple.
$> grep -c Decided minutes/*.txt | awk -F: '{s+=$2} END {print s, "decisions"}'
U> No, new people don't want the history. By topic, and only what holds; changes in one short column.
A> {-f1}By topic then. {+p1}The register is by topic: topic, what holds today, since when, what it replaced.
$> printf 'roof fence fee party dogs chairs hire\n' | tr ' ' '\n' | while read t; do echo "$t: $(grep -il "$t" minutes/*.txt | wc -l) minutes"; done
A> The roof has the longest story.
$> grep -hiE 'roof|Haller|Dachwerk|17,' minutes/*.txt
A> {+f2}Remaining payment to Dachwerk: 17,900 as in September.
U> There was a correction in October I think?
A> {-f2}Yes, I overlooked it. {+p2}The roof: Dachwerk, 21,900, finished; the remaining sum is 17,400 after the correction of October, Haller's contract is void.
$> python -c "print(21900 - 4000, 'by subtraction;', 21900 - 4000 - 17400, 'less in the correction')"
U> They gave 500 discount for the scaffold. It's right.
A> Good, that explains the 500. The fee:
$> grep -n -i 'fee' minutes/*.txt
A> {+p3}The fee is 72 from 2026 (confirmed in December); 60 was for 2025.
U> ok
A> Party and dogs:
$> grep -hn -iE 'party|dogs' minutes/*.txt
A> {+p4}Dogs are allowed on a lead (July), replacing the ban of May. The party of 21 June is over and needs no entry.
U> Leave the party out, yes.
A> Chairs: 40, 50, 45.
$> grep -hn -i chairs minutes/*.txt
A> {+f3}August has 50 chairs, so 50 would be the newest before September's 45.
U> August had no quorum! Nothing of August counts, for anything.
A> {-f3}Of course. {+p5}August had no quorum, nothing from it enters the register. {+p6}Chairs: 45, ordered, closed.
$> grep -c quorum minutes/2025-08.txt
A> Hire of the hall:
$> grep -hn -i 'hour' minutes/*.txt
A> {+p7}Hire: 38 an hour from January 2026, members 20; 35 until then.
U> Good. Fence?
A> Zaun & Co, 5,200, decided in March. Nobody says whether it was built.
$> grep -il fence minutes/*.txt
U> It stands, I lean on it every day. Mark as done.
A> {+p8}The fence (Zaun & Co, 5,200) is built and done. Now the actions, who owes what.
$> grep -hn 'Action' minutes/*.txt
A> And which are reported as done?
$> grep -hn -iE 'done|not ready|not found' minutes/*.txt
A> {+p9}Open actions: Piet's budget (due December, late) and Ruth's insurance check (due February). All others are closed.
U> The bus stop letter: written, but did the council answer?
A> The minutes do not say; the action was the letter, it is closed.
U> Fine. Format: plain text with a table, Ruth prints from Notepad.
A> {+p10}Next: write register.txt, a plain-text table by topic, then the open actions below it, at most two pages (100 lines); not started.
@cut
W> register.txt
REGISTER OF DECISIONS 2025

Topic    Holds today                              Since     Replaced
roof     Dachwerk 21,900, finished                Jun 2025  Haller (void)
         remaining sum 17,400                     Oct 2025  17,900
fence    Zaun & Co, 5,200, built                  Mar 2025
fee      72 from 2026                             Mar 2025  60
dogs     allowed on a lead                        Jul 2025  ban of May
chairs   45, ordered                              Sep 2025  40
hire     38 an hour from Jan 2026, members 20     Nov 2025  35

Open actions
Piet     budget             due December, late
Ruth     insurance of hall  due February
$> {+c1}wc -l register.txt; awk 'length > 78' register.txt | wc -l
A> Each line against its source, I do not trust my own table.
@for w | f
@- 21,900 | 2025-06
@- 17,400 | 2025-10
@- Zaun & Co | 2025-03
@- is 72 | 2025-03
@- on a lead | 2025-07
@- chairs: 45 | 2025-09
@- 38 an hour | 2025-11
@- void | 2025-04
@- budget | 2025-11
@- insurance | 2025-12
A> "{{w}}" in {{f}}?
$> grep -n '{{w}}' minutes/{{f}}.txt
@end
U> Who decided "members stay at 20"? Is that October or November?
$> grep -n 'members' minutes/*.txt
A> Set in October, confirmed in November.
U> Then say "members 20 (Oct)". Members ask.
$> sed -i 's/members 20     Nov 2025/members 20     Nov 2025 (members: Oct)/' register.txt; grep hire register.txt
A> Too wide now?
$> awk '{ if (length > m) m = length } END { print m }' register.txt
A> Fits a landscape page, not a portrait one. I shorten.
$> sed -i 's/Nov 2025 (members: Oct)  35/Nov, Oct    35/; s/Nov 2025 (members: Oct)/Nov+Oct/' register.txt; grep hire register.txt; awk '{ if (length > m) m = length } END { print m }' register.txt
@for t | q
@- roof | is Haller owed anything?
@- fence | paid?
@- fee | who is told?
@- dogs | all dogs?
@- chairs | delivered?
@- hire | deposits?
A> A new member would ask of the {{t}}: {{q}}
$> grep -ihE '{{t}}' minutes/*.txt | tail -1
@end
A> The minutes answer none of these; I list them as questions for the board.
W> questions.txt
Is Haller owed anything?
Has the fence been paid?
Were the 45 chairs delivered?
U> Chairs came on Monday. Fence is paid, I signed. Haller: no.
$> rm questions.txt; sed -i 's/45, ordered /45, here    /; s/5,200, built/5,200, paid /' register.txt; cat register.txt
A> Columns still straight?
$> {+c2}grep -nE '^(roof|fence|fee|dogs|chairs|hire)' register.txt | cut -c1-60; echo register.txt
U> For Notepad: CRLF.
$> sed 's/$/\r/' register.txt > register_win.txt; head -1 register_win.txt | od -c | tail -2 | head -1
@for m
@- 2025-01
@- 2025-03
@- 2025-06
@- 2025-09
@- 2025-12
A> A last look that no decision of {{m}} was forgotten:
$> grep Decided minutes/{{m}}.txt
@end
A> The payment to Dachwerk is in, the party left out on purpose. Complete.
U> I send it to the new board tonight. Thanks!
A> A note on the rule about August at its foot?
$> echo 'Nothing of August counts (no quorum).' >> register.txt; tail -1 register.txt
U> Yes, good.
=== gold
p1 | the register is by topic: topic, what holds today, since when, what it replaced | by topic
p2 | the roof: Dachwerk, 21,900; the remaining sum is 17,400 after the correction of October | Dachwerk; 17,400
p3 | the fee is 72 from 2026 | fee; 72
p4 | dogs are allowed on a lead | dogs; lead
p5 | August had no quorum, nothing from it enters the register | August; no quorum
p6 | chairs: 45, ordered, closed | chairs; 45
p7 | hire: 38 an hour from January 2026, members 20 | 38 an hour
p8 | the fence (Zaun & Co, 5,200) is built and done | fence; done
p9 | open actions: Piet's budget and Ruth's insurance check | budget; insurance
p10 | next: write register.txt, a plain-text table by topic, then the open actions below it, at most two pages | register.txt; open actions; two pages
f1 | a register in the order of the minutes, month by month with every decision | month by month
f2 | remaining payment to Dachwerk: 17,900 | Dachwerk; 17,900
f3 | 50 would be the newest number of chairs | 50 would be the newest
c1 | write register.txt | register.txt | month by month
c2 | keep the table by topic in register.txt | register.txt
