id: 204
domain: writing
tools: {$: terminal, W: write_document, R: read_document}
=== setup
import os, random
r = random.Random(31)
nouns = 'peat moss mires drainage farmers carbon ditches water tables sedges birds villages archives maps memory cattle dams reeds surveys schools'.split()
verbs = 'shape hold feed divide connect mark alter protect teach carry'.split()
adj = 'raised former wet local quiet shared drained old seasonal common'.split()
def sentence(): return f"The {r.choice(adj)} {r.choice(nouns)} {r.choice(verbs)} the {r.choice(adj)} {r.choice(nouns)} and the {r.choice(nouns)} of the {r.choice(adj)} region."
os.makedirs('proposal')
plan = {'01_summary': 24, '02_background': 46, '03_objectives': 20, '04_methods': 52, '05_workplan': 30, '06_impact': 28, '07_team': 16, '08_budget': 14, '09_ethics': 10, '10_references': 18}
for name, n in plan.items():
    title = name[3:].capitalize()
    body = '\n'.join(sentence() + (' We will utilise oral history.' if i % 7 == 3 else '') + (' TODO cite.' if i % 11 == 5 else '') for i in range(n))
    open(f'proposal/{name}.md', 'w').write(f'# {title}\n\n{body}\n')
open('call.txt', 'w').write('Limits (words): summary 300, background 550, objectives 250, methods 700, workplan 400, impact 350, team 250, budget 200, ethics 150.\nTotal without references: 3000. Deadline: 17 April, 12:00 CET.\nHeadings are not counted. Font and margins do not matter, the portal takes plain text.\n')
=== session
U> Dear colleague,

attached you find our proposal on the memory of drained mires, ten sections in the folder proposal, and the text of the call in call.txt. I need your help to bring it below the limits of words before the deadline. I wrote most of it late at night, so there may be leftovers ("TODO cite" and the like). Please do not change the sense of anything without asking me, and keep a record of what was cut, because Ilse wants to reuse the material for the book.

With kind regards, Benedikt
A> Dear Benedikt, I begin with the call and the sizes of the sections.
$> cat call.txt; wc -w proposal/*.md
A> Those counts include the headings. The call does not count them, so I count again without the first line of each file.
$> for f in proposal/*.md; do printf '%s ' $(basename $f .md); tail -n +2 $f | wc -w; done
A> I want each section beside its limit.
W> count.py
import pathlib, re
limits = dict(re.findall(r'(\w+) (\d+)', open('call.txt').read().split('.')[0]))
total = 0
for path in sorted(pathlib.Path('proposal').glob('*.md')):
    name = path.stem[3:]
    words = len(path.read_text().split('\n', 1)[1].split())
    limit = int(limits.get(name, 0))
    total += words if limit else 0
    if limit:
        print(f'{name:11} {words:5} {limit:5} {words - limit:+5}')
print('total', total, 3000, total - 3000)
$> python count.py
A> In sum {{/total (\d+)/}} words against 3000. {+f1}A quick way to get there: cut every section by the same share, about fifteen words in a hundred, from the end of each.
U> Dear colleague,

I would rather not. The methods were praised by the reviewers of the last round and should stay as long as the call permits, whereas the background is something I could talk about for hours and therefore did. Take what you need from the background first, please.

Benedikt
A> {-f1}Then no equal shares. {+p1}The background pays first, methods stay as long as their limit of 700 permits. Let me see the leftovers, section by section, before I cut anything.
@for f | remark
@- 01_summary | the part everyone reads
@- 02_background | the long one
@- 03_objectives | short
@- 04_methods | praised last time
@- 05_workplan | dates in here
@- 06_impact | for the ministry
@- 07_team | names
@- 08_budget | figures
@- 09_ethics | interviews
@- 10_references | not counted
A> Section {{f}}, {{remark}}.
$> printf 'TODO: '; grep -c 'TODO' proposal/{{f}}.md; printf 'utilise: '; grep -o 'utilise' proposal/{{f}}.md | wc -l; printf 'sentences: '; grep -o '\.' proposal/{{f}}.md | wc -l
@end
A> "TODO cite." stands in nearly every section, and "We will utilise oral history." comes back again and again. {+f2}Shall I look for citations and replace each "TODO cite" by a reference to the list in section 10?
U> Dear colleague,

no need: those were notes to myself and the claims are common knowledge in the field; simply take the words "TODO cite." out. And of the sentence on oral history one in the methods is enough.

B.
A> {-f2}So no references are added. {+p2}All "TODO cite." go, and "We will utilise oral history." stays once, in the methods, with "use" for "utilise".
$> mkdir -p cut && cp -r proposal cut/original && sed -i 's/ TODO cite\.//' proposal/*.md && grep -c TODO proposal/*.md | grep -v ':0' ; echo none left
A> {+p3}The text as you sent it is in cut/original, for Ilse. Now the sentence on oral history, everywhere but in the methods:
$> for f in proposal/*.md; do case $f in *methods*) ;; *) sed -i 's/ We will utilise oral history\.//' $f;; esac; done; python - <<'X'
p = 'proposal/04_methods.md'
s = open(p).read()
first, mark, rest = s.partition(' We will utilise oral history.')
open(p, 'w').write(first + ' We will use oral history.' + rest.replace(mark, ''))
X
python count.py
A> That alone helps. What is left over is in {{/(background).*\+/}} and a few others. Are there sentences that stand twice?
$> cat proposal/*.md | grep '^The' | sort | uniq -d | wc -l
A> No doubles. I could shorten sentences by taking out adjectives.
$> grep -oE '\b(raised|former|wet|local|quiet|shared|drained|old|seasonal|common)\b' proposal/02_background.md | wc -l
A> {{/(\d+)/}} adjectives in the background. {+f3}My proposal: strip the adjectives from all sentences of the background, that saves enough and loses no sentence.
U> Dear colleague,

please don't, "drained" and "raised" are the whole point, a mire without them is just a wet place. Whole sentences are better. Take the last ones of the background, they were written last and at the worst hour.

Benedikt
A> {-f3}Agreed, the adjectives stay. {+p4}Whole sentences are cut from the end of the background until it fits; each goes to cut/removed.md with the name of its section.
$> python count.py | grep -E 'background|total'
A> How long are its sentences? If the last ones are short it takes more of them.
$> tail -8 proposal/02_background.md | awk '{print NF}' | tr '\n' ' '
A> Fourteen words each, so about seven will go. Does any later section lean on them? I look for words like "above" or "as said".
$> grep -nE 'above|as said|see section' proposal/*.md | wc -l
A> No references back, they can go safely.
U> One more thing before you go on. Our research office writes that the total is now 2800, the call was amended yesterday. The limits of the single sections remain.
A> {+p5}Noted: the total limit is 2800 now, the single limits remain. I correct call.txt and the counter.
$> sed -i 's/Total without references: 3000/Total without references: 2800/' call.txt && sed -i 's/3000/2800/g' count.py && python count.py | tail -1
A> So {{/total \d+ 2800 (-?\d+)/}} against the new total. {+p6}Next: write trim.py, which moves the last sentences of 02_background.md to cut/removed.md; after the background I ask you which section pays next. trim.py is not written yet.
@cut
W> trim.py
import sys
name, limit = sys.argv[1], int(sys.argv[2])
path = f'proposal/{name}.md'
lines = open(path).read().rstrip('\n').split('\n')
gone = []
while sum(len(x.split()) for x in lines[1:]) > limit:
    gone.insert(0, lines.pop())
open(path, 'w').write('\n'.join(lines) + '\n')
with open('cut/removed.md', 'a') as out:
    out.write(f'## {name}\n\n' + '\n'.join(gone) + '\n\n')
print(name, len(gone), 'sentences moved')
$> {+c1}python trim.py 02_background 550 && grep -c '^The' cut/removed.md
A> The background fits. The table again.
$> python count.py
U> Dear colleague, then the impact and the workplan may pay as well, down to their limits, and only then the methods. Benedikt
@for f | limit | word
@- 05_workplan | 400 | the workplan
@- 06_impact | 350 | the impact
@- 04_methods | 700 | and the methods, to 700 and no lower
@- 01_summary | 300 | the summary has its own limit too
@- 03_objectives | 250 | objectives
@- 07_team | 250 | team
@- 08_budget | 200 | budget
@- 09_ethics | 150 | ethics
A> Now {{word}}.
$> python trim.py {{f}} {{limit}}
A> How does it end now? A section must not stop in the middle of a thought.
$> tail -1 proposal/{{f}}.md
@end
A> All sections through. The total:
$> {+c2}python count.py | tail -1
A> A last look for odd leftovers: double blanks, empty lines, the word utilise.
$> grep -nE '  |utilise|TODO' proposal/*.md | head -3; echo looked
U> And Ilse's record?
A> Everything that left the text is in one file, with its section.
$> grep -c '^The' cut/removed.md; grep '^##' cut/removed.md
A> I compare: what was there in the beginning must be in the proposal or in the record.
$> python - <<'X'
import pathlib
now = ''.join(p.read_text() for p in pathlib.Path('proposal').glob('*.md')) + open('cut/removed.md').read()
lost = 0
for p in pathlib.Path('cut/original').glob('*.md'):
    for line in p.read_text().splitlines():
        core = line.replace(' TODO cite.', '').replace(' We will utilise oral history.', '')
        lost += core not in now
print('lost lines:', lost)
X
A> Nothing lost. A plain text for the portal:
$> for f in proposal/*.md; do sed 's/^# //' $f; echo; done > portal.txt; wc -w portal.txt
A> The first lines as they will look:
$> head -4 portal.txt
U> Dear colleague, the portal complains about lines longer than 200 characters. Can you wrap them?
A> Wrapped at 80.
$> fold -s -w 80 portal.txt > wrapped.txt && mv wrapped.txt portal.txt && awk '{ if (length($0) > m) m = length($0) } END { print "longest line", m }' portal.txt
A> Dear Benedikt, portal.txt is ready well before 17 April, 12:00; what was cut is in cut/removed.md for Ilse.
U> Splendid. Thank you very much indeed.
=== gold
p1 | the background pays first, methods stay as long as their limit of 700 permits | background; 700
p2 | all "TODO cite." go, the sentence on oral history stays once, in the methods | TODO cite; oral history; stays once
p3 | the text as it was sent is in cut/original, for Ilse | cut/original; Ilse
p4 | whole sentences are cut from the end of the background, each goes to cut/removed.md | whole sentences; cut/removed.md
p5 | the total limit is 2800 now, the single limits remain | 2800
p6 | next: write trim.py, which moves the last sentences of 02_background.md to cut/removed.md; it is not written yet | trim.py; 02_background.md; cut/removed.md
f1 | cut every section by the same share | same share
f2 | replace each "TODO cite" by a reference to the list in section 10 | section 10
f3 | strip the adjectives from all sentences of the background | strip the adjectives
c1 | trim 02_background.md with trim.py | trim.py; 02_background.md / 02_background | strip the adjectives
c2 | get the total below 2800 | 2800
