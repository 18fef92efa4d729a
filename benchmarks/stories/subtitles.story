id: 210
domain: writing
tools: {$: bash, W: write, R: read}
=== setup
import random
r = random.Random(12)
lines = ['I never said that.', 'The boat leaves at six.', 'Who told you about the key?', 'Mother kept bees behind the chapel.', 'You can not be serious!', 'Put the lamp down.', 'We walked until the road ended.', 'Nobody crosses the marsh at night.', 'She wrote every week, then she did not.', 'Is that the doctor\'s hand?', 'Listen. The bell.', 'Forty years, and he still owes me a coat.', 'There was a letter in the flour tin.', 'Don\'t wake the child.', 'He paid in silver, I swear it.']
out = []
t = 4.0
def stamp(x): 
    ms = round(x * 1000)
    return f'{ms//3600000:02d}:{ms//60000%60:02d}:{ms//1000%60:02d},{ms%1000:03d}'
for n in range(1, 121):
    text = r.choice(lines)
    if r.random() < .3: text = text + '\n' + r.choice(lines)
    if n % 9 == 0: text = '- ' + text.replace('\n', '\n- ')
    if n % 13 == 0: text = '<i>' + text + '</i>'
    if n % 17 == 0: text = '[door slams]'
    length = r.uniform(.6, 3.4)
    out.append(f'{n}\n{stamp(t)} --> {stamp(t + length)}\n{text}\n')
    t += length + r.uniform(-.15, 1.2)
    if n == 60: t += 42
open('marsh.srt', 'w').write('\n'.join(out))
open('style.txt', 'w').write('max 42 characters per line, max 2 lines\nreading speed max 17 characters per second\nminimum duration 1.0 s, gap between titles at least 0.08 s\nsounds in brackets stay (for the deaf)\n')
=== session
U> marsh.srt = English subtitles of our short film, style.txt = festival rules. Make it conform. Don't rewrite dialogue unless there's no other way, the author is touchy.
A> I measure before touching a word.
$> cat style.txt; head -12 marsh.srt; grep -c -- '-->' marsh.srt
A> A small module for reading and writing SRT.
W> srt.py
import re


def seconds(text):
    h, m, s, ms = map(int, re.split('[:,]', text))
    return h * 3600 + m * 60 + s + ms / 1000


def stamp(x):
    ms = round(x * 1000)
    return f'{ms // 3600000:02d}:{ms // 60000 % 60:02d}:{ms // 1000 % 60:02d},{ms % 1000:03d}'


def load(path):
    titles = []
    for block in open(path).read().strip().split('\n\n'):
        number, times, *text = block.split('\n')
        start, end = map(seconds, times.split(' --> '))
        titles.append([start, end, '\n'.join(text)])
    return titles


def save(path, titles):
    with open(path, 'w') as f:
        for n, (a, b, text) in enumerate(titles, 1):
            f.write(f'{n}\n{stamp(a)} --> {stamp(b)}\n{text}\n\n')


def plain(text):
    return re.sub(r'</?i>', '', text)
A> Every rule, counted.
$> python - <<'X'
from srt import *
t = load('marsh.srt')
print('titles', len(t))
print('line too long', sum(any(len(l) > 42 for l in plain(x).split('\n')) for _, _, x in t))
print('too fast', sum(len(plain(x).replace('\n', '')) / (b - a) > 17 for a, b, x in t))
print('too short', sum(b - a < 1 for a, b, _ in t))
print('overlap or gap', sum(n[0] - m[1] < .08 - 1e-9 for m, n in zip(t, t[1:])))
X
@let fast too fast (\d+)
A> {{fast}} are too fast, that is the main thing. {+f1}The blunt remedy: shift every start half a second to the left so that each has more time.
U> No no, sync is sacred, starts stay where they are! Only ends may move.
A> {-f1}Starts stay, then. {+p1}Only end times may move; start times are sacred. How much can be won by moving ends up to the next start?
$> python - <<'X'
from srt import *
t = load('marsh.srt')
still = 0
for m, n in zip(t, t[1:] + [[9e9, 0, '']]):
    room = n[0] - .08 - m[0]
    still += len(plain(m[2]).replace('\n', '')) / room > 17
print('with all the room there is:', still)
X
A> That alone leaves {{/is: (\d+)/}} of them too fast. I go through the film in stretches of twelve and look at what is left.
@for a | b | scene
@- 1 | 12 | the arrival
@- 13 | 24 | the kitchen
@- 25 | 36 | the key
@- 37 | 48 | the chapel
@- 49 | 60 | up to the blackout
@- 61 | 72 | after the blackout
@- 73 | 84 | the marsh
@- 85 | 96 | the letter
@- 97 | 108 | the quarrel
@- 109 | 120 | the end
A> Titles {{a}} to {{b}}, {{scene}}.
$> python - <<'X'
from srt import *
t = load('marsh.srt')
for i in range({{a}} - 1, {{b}}):
    m = t[i]; nxt = t[i + 1][0] if i + 1 < len(t) else m[1] + 5
    rate = len(plain(m[2]).replace('\n', '')) / max(.01, nxt - .08 - m[0])
    if rate > 17: print(i + 1, '%.0f per second' % rate, repr(m[2][:50]))
print('looked at {{a}} to {{b}}')
X
@end
A> For the ones left over something else has to give. {+f2}My suggestion: contract the dialogue there, "he is" to "he's", "there is" to "there's", "you are" to "you're".
U> The author says: absolutely not, "You can not be serious" in two words is how she talks. Split off instead? or drop the second speaker? hmm
A> {-f2}Then no contractions anywhere. {+f3}Another way is to split a title of two sentences into two titles, each with half the time.
$> python - <<'X'
from srt import *
t = load('marsh.srt')
two = [i + 1 for i, (a, b, x) in enumerate(t) if '\n' in x]
print(len(two), 'titles with two lines'); print(two[:20])
X
A> Splitting does not change characters per second at all, it only halves both. {-f3}So splitting is pointless.
U> Right. Then merge the short neighbours? Two fast titles in a row, same shot?
A> {+p2}Merging helps: a fast title and its neighbour become one with two lines when the gap between them is under 0.5 s and both have one line.
$> python - <<'X'
from srt import *
t = load('marsh.srt')
can = [i + 1 for i, (m, n) in enumerate(zip(t, t[1:])) if n[0] - m[1] < .5 and '\n' not in m[2] + n[2] and '[' not in m[2] + n[2]]
print(len(can), 'pairs that could merge'); print(can[:15])
X
A> Sounds in brackets are never merged with speech. {+p3}Titles with sounds in brackets stay as they are, the rules want them for the deaf.
U> And italics?
A> Italics are a voice on the phone, I take it?
U> Yes, off-screen. Never merge italics with normal.
A> {+p4}Italics (a voice off-screen) are never merged with upright text.
$> grep -c '<i>' marsh.srt
A> The blackout of 42 seconds after title 60 must not be bridged by a long title either.
$> python - <<'X'
from srt import *
t = load('marsh.srt')
print('gap after 60: %.1f s' % (t[60][0] - t[59][1]))
X
U> Max 6 seconds for any title please, festival mail of this morning.
A> {+p5}New rule: no title longer than 6 seconds. I add it to style.txt.
$> echo 'maximum duration 6.0 s (mail)' >> style.txt; tail -1 style.txt
A> {+p6}Next: write conform.py, which extends ends, merges and checks, and writes marsh_festival.srt; marsh.srt itself is never changed. Nothing of conform.py is written yet.
@cut
W> conform.py
from srt import load, plain, save

GAP, LONGEST, RATE = 0.08, 6.0, 17


def rate(title):
    return len(plain(title[2]).replace('\n', '')) / (title[1] - title[0])


def extend(titles):
    for m, n in zip(titles, titles[1:] + [[1e9, 0, '']]):
        wanted = max(1.0, len(plain(m[2]).replace('\n', '')) / RATE)
        m[1] = min(n[0] - GAP, m[0] + LONGEST, max(m[1], m[0] + wanted))


def mergeable(m, n):
    one = '\n' not in m[2] + n[2] and '[' not in m[2] + n[2]
    return one and n[0] - m[1] < .5 and ('<i>' in m[2]) == ('<i>' in n[2]) and n[1] - m[0] <= LONGEST


def merge(titles):
    out = []
    for t in titles:
        if out and (rate(out[-1]) > RATE or rate(t) > RATE) and mergeable(out[-1], t):
            out[-1] = [out[-1][0], t[1], out[-1][2] + '\n' + t[2]]
        else:
            out.append(list(t))
    return out


if __name__ == '__main__':
    titles = load('marsh.srt')
    extend(titles)
    titles = merge(titles)
    extend(titles)
    save('marsh_festival.srt', titles)
    print(len(titles), 'titles,', sum(rate(t) > RATE + .01 for t in titles), 'too fast')
$> {+c1}python conform.py; ls marsh_festival.srt
A> Which are still too fast? For the author.
$> python - <<'X'
from srt import load
from conform import rate
for n, t in enumerate(load('marsh_festival.srt'), 1):
    if rate(t) > 17.01: print(n, '%.1f' % rate(t), repr(t[2]))
X
U> I show her those few. She allows cutting the second sentence in such cases if it's a repeat.
A> Which repeat a line within the last ten titles?
$> python - <<'X'
from srt import load, plain
from conform import rate
t = load('marsh_festival.srt')
for n, m in enumerate(t):
    if rate(m) > 17.01:
        before = ' '.join(plain(x[2]) for x in t[max(0, n - 10):n])
        again = [l for l in plain(m[2]).split('\n') if l.strip('- ') in before]
        print(n + 1, 'repeats' if again else 'no repeat', again)
X
A> Now the rules again, stretch by stretch.
@for a | b | scene
@- 0 | 40 | arrival to kitchen
@- 40 | 90 | key and chapel
@- 90 | 140 | blackout
@- 140 | 190 | the road
@- 190 | 240 | the marsh
@- 240 | 290 | the letter
@- 290 | 340 | quarrel
@- 340 | 400 | towards the end
A> Seconds {{a}} to {{b}}, {{scene}}: gaps and lengths.
$> python - <<'X'
from srt import load
t = [x for x in load('marsh_festival.srt') if {{a}} <= x[0] < {{b}}]
gaps = [n[0] - m[1] for m, n in zip(t, t[1:])]
print(len(t), 'titles', 'least gap %.2f' % min(gaps, default=9), 'longest %.2f' % max((x[1] - x[0] for x in t), default=0))
X
@end
U> least gap ok?
A> At 0.08 or more everywhere. Line lengths:
$> awk 'length($0) > 42 && !/-->/' marsh_festival.srt | wc -l
A> Starts unchanged? Each start in the new file must exist in the old one.
$> {+c2}python - <<'X'
from srt import load
old = {round(t[0], 3) for t in load('marsh.srt')}
print('starts that moved:', sum(round(t[0], 3) not in old for t in load('marsh_festival.srt')))
X
A> None moved. Dialogue unchanged?
$> python - <<'X'
from srt import load
words = lambda p: ' '.join(t[2] for t in load(p)).split()
print(words('marsh.srt') == words('marsh_festival.srt'))
X
@for w
@- door slams
@- You can not be serious
@- bees
@- flour tin
@- Forty years
@- silver
A> Spot check: "{{w}}" as often as before?
$> grep -c '{{w}}' marsh.srt marsh_festival.srt
@end
A> Italics still balanced?
$> echo "$(grep -o '<i>' marsh_festival.srt | wc -l) opened, $(grep -o '</i>' marsh_festival.srt | wc -l) closed"
U> Encoding? They want UTF-8 with CRLF.
$> sed 's/$/\r/' marsh_festival.srt > marsh_upload.srt; file marsh_upload.srt | cut -c1-60; tail -c 4 marsh_upload.srt | od -c | head -1
A> A last total:
$> grep -c -- '-->' marsh_upload.srt
A> marsh_upload.srt is ready, marsh.srt is as it was; the list of fast ones is above.
U> wonderful
=== gold
p1 | only end times may move, start times are sacred | start times; sacred
p2 | merging helps: a fast title and its neighbour when the gap is under 0.5 s and both have one line | merging; 0.5 s
p3 | titles with sounds in brackets stay as they are | brackets; stay
p4 | italics are never merged with upright text | italics; never merged
p5 | no title longer than 6 seconds | 6 seconds
p6 | next: write conform.py, which writes marsh_festival.srt; marsh.srt itself is never changed | conform.py; marsh_festival.srt
f1 | shift every start half a second to the left | half a second to the left
f2 | contract the dialogue, "he is" to "he's" | contract the dialogue
f3 | split a title of two sentences into two titles | split a title
c1 | write conform.py and make marsh_festival.srt | conform.py; marsh_festival.srt | contract the dialogue
c2 | check that no start moved | start / starts
