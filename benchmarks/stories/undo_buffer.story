id: 230
domain: code
tools: {$: bash, W: write_file, R: read_file}
=== setup
import os
os.makedirs('scripts')
S = {
 'type': 'i hello\ni  world\np', 'undo_one': 'i hello\nu\np', 'undo_redo': 'i ab\ni cd\nu\nr\np', 'branch': 'i a\ni b\nu\ni c\nr\np',
 'delete': 'i abcdef\nm 2\nd 2\np\nu\np', 'merge': 'i a\ni b\ni c\nu\np', 'move_breaks': 'i a\nm 0\ni b\nu\np', 'big': '\n'.join(['i x'] * 60 + ['u'] * 3 + ['p']),
 'empty_undo': 'u\nr\np', 'end': 'i abc\nm 9\nd 5\np', 'unicode': 'i é🙂\nm 1\nd 1\np\nu\np',
}
for k, v in S.items(): open(f'scripts/{k}.txt', 'w').write(v + '\n')
open('wanted.txt', 'w').write('type|hello world\nundo_one|\nundo_redo|abcd\nbranch|ac\ndelete|abef;abcdef\nmerge|\nmove_breaks|a\nbig|\nempty_undo|\nend|abc\nunicode|é;é🙂\n')
=== session
U> buffer.py for a line editor: commands i TEXT (insert at cursor), d N (delete N characters behind the cursor position), m POS (move), u undo, r redo, p print. scripts/*.txt with the results in wanted.txt (several prints joined by ;). Undo should feel like in a word processor. We will talk about what that means as you go.
A> Let me see what "feel" already means in the examples.
$> cat wanted.txt; cat scripts/branch.txt; echo; cat scripts/merge.txt
A> {+f1}Snapshots are the simplest: a copy of the text for each command, undo goes back one copy.
W> buffer.py
import sys


class Buffer:
    def __init__(self):
        self.text, self.at = '', 0
        self.past, self.future = [], []

    def _save(self):
        self.past.append((self.text, self.at))
        self.future.clear()

    def insert(self, s):
        self._save()
        self.text = self.text[:self.at] + s + self.text[self.at:]
        self.at += len(s)

    def delete(self, n):
        self._save()
        self.text = self.text[:self.at] + self.text[self.at + n:]

    def move(self, pos):
        self.at = max(0, min(len(self.text), pos))

    def undo(self):
        if self.past:
            self.future.append((self.text, self.at))
            self.text, self.at = self.past.pop()

    def redo(self):
        if self.future:
            self.past.append((self.text, self.at))
            self.text, self.at = self.future.pop()


def run(lines):
    b, out = Buffer(), []
    for line in lines:
        c, _, rest = line.rstrip('\n').partition(' ')
        if c == 'i': b.insert(rest)
        elif c == 'd': b.delete(int(rest))
        elif c == 'm': b.move(int(rest))
        elif c == 'u': b.undo()
        elif c == 'r': b.redo()
        elif c == 'p': out.append(b.text)
    return ';'.join(out)


if __name__ == '__main__':
    print(run(open(sys.argv[1])))
A> Each script with it:
@for s | w
@- type | two inserts
@- undo_one | one undo
@- undo_redo | there and back
@- branch | a new edit kills the redo
@- delete | delete and undo
@- merge | three letters typed in a row
@- move_breaks | a move in between
@- big | sixty letters
@- empty_undo | nothing to undo
@- end | beyond the end
@- unicode | letters outside ASCII
A> {{s}}: {{w}}.
$> printf 'got "%s" wanted "%s"\n' "$(python buffer.py scripts/{{s}}.txt)" "$(grep '^{{s}}|' wanted.txt | cut -d'|' -f2)"
@end
U> see merge and big: typing in a row is one undo
A> {+p1}Inserts in a row are one undo step; a move or another command in between begins a new one (merge, big, move_breaks).
$> cat scripts/move_breaks.txt
A> But undo_redo wants "abcd" after u and r, which merging also gives. And branch: "i a, i b, u, i c" wants ac?
$> cat scripts/branch.txt; grep branch wanted.txt
A> With merging, a and b are one step, so undo leaves nothing and c gives "c", not "ac". The examples contradict each other.
U> hm. wanted for branch is from before we wanted merging. should be "c" then
A> {+p2}wanted.txt is corrected: branch gives c under merging.
$> sed -i 's/^branch|ac/branch|c/' wanted.txt; grep branch wanted.txt
A> Memory of snapshots: a copy of the text per step.
$> python - <<'X'
import sys
n = 20000
print('20000 steps on a text that grows by one: %d MB of copies' % (n * n / 2 / 1e6))
X
U> files are up to 50 MB. no
A> {-f1}Snapshots are out. {+p3}Undo stores operations: (position, removed text, inserted text), each of which can be turned round.
$> python - <<'X'
def apply(t, op): p, a, b = op; assert t[p:p+len(a)] == a; return t[:p] + b + t[p+len(a):]
def turn(op): p, a, b = op; return p, b, a
t = 'abcdef'; op = (2, 'cd', ''); print(apply(t, op), apply(apply(t, op), turn(op)))
X
A> {+f2}For the text itself, with 50 MB, a rope would keep inserts cheap.
$> python - <<'X'
import timeit
t = 'x' * 50_000_000
print('one insert copies', len(t), 'characters')
X
U> a rope, seriously? it's a line editor. gap buffer at most
A> {-f2}No rope. {+f3}A gap buffer then, a bytearray with a hole at the cursor.
U> thinking about it: lines. list of lines, each short. edits touch one line. simple. do that
A> {-f3}Simpler indeed, the gap buffer is dropped. {+p4}The text is a list of lines; positions stay absolute and are found by bisect in the sums of lengths.
$> python - <<'X'
import bisect, itertools
lines = ['ab\n', 'cde\n', 'f']
starts = [0, *itertools.accumulate(map(len, lines))]
print(starts, [bisect.bisect_right(starts, p) - 1 for p in (0, 2, 3, 6, 7)])
X
U> sums are rebuilt after each edit? for 1e6 lines that's slow too
A> Only when an edit changes line lengths, which every edit does. So O(lines) per edit, a million additions: acceptable for typing?
$> python - <<'X'
import itertools
n = 1_000_000
print(len(list(itertools.accumulate([40] * n))), 'additions per edit')
X
U> acceptable. correctness first
A> {+p5}Rebuilding the sums per edit is accepted; correctness first.
$> python -c "
print('é🙂'[1:2], len('é🙂'))"
A> Unicode: characters, not bytes, as Python counts. What about combined ones, e + accent?
U> code points are fine
A> {+p6}Positions count code points, no grapheme clusters.
$> grep -c . wanted.txt
U> undo limit 1000 steps, oldest fall off
A> {+p7}At most 1000 undo steps are kept, the oldest fall off. {+p8}Next: rewrite buffer.py with lines and operations, then test_buffer.py against a naive model with random commands; neither is done.
@cut
W> buffer.py
import bisect
import collections
import itertools
import sys

MOST = 1000


class Buffer:
    def __init__(self):
        self.lines, self.at = [''], 0
        self.past, self.future = collections.deque(maxlen=MOST), []
        self.typing = False

    @property
    def text(self):
        return ''.join(self.lines)

    def __len__(self):
        return sum(map(len, self.lines))

    def _line(self, pos):
        starts = [0, *itertools.accumulate(map(len, self.lines))]
        n = min(bisect.bisect_right(starts, pos) - 1, len(self.lines) - 1)
        return n, pos - starts[n]

    def _slice(self, pos, n):
        first, a = self._line(pos)
        out, left = [], n
        for k in range(first, len(self.lines)):
            part = self.lines[k][a:a + left]
            out.append(part)
            left -= len(part)
            a = 0
            if left <= 0:
                break
        return ''.join(out)

    def _replace(self, pos, old, new):
        first, a = self._line(pos)
        last, b = self._line(pos + len(old))
        middle = self.lines[first][:a] + new + self.lines[last][b:]
        self.lines[first:last + 1] = middle.splitlines(keepends=True) or ['']

    def _do(self, pos, old, new):
        self._replace(pos, old, new)
        self.future.clear()

    def insert(self, s):
        if not s:
            return
        self._do(self.at, '', s)
        if self.typing and self.past:
            pos, old, new = self.past[-1]
            self.past[-1] = (pos, old, new + s)
        else:
            self.past.append((self.at, '', s))
        self.typing = True
        self.at += len(s)

    def delete(self, n):
        old = self._slice(self.at, n)
        self.typing = False
        if old:
            self._do(self.at, old, '')
            self.past.append((self.at, old, ''))

    def move(self, pos):
        self.at = max(0, min(len(self), pos))
        self.typing = False

    def undo(self):
        self.typing = False
        if self.past:
            pos, old, new = self.past.pop()
            self._replace(pos, new, old)
            self.future.append((pos, old, new))
            self.at = pos + len(old)

    def redo(self):
        self.typing = False
        if self.future:
            pos, old, new = self.future.pop()
            self._replace(pos, old, new)
            self.past.append((pos, old, new))
            self.at = pos + len(new)


def run(lines):
    b, out = Buffer(), []
    for line in lines:
        c, _, rest = line.rstrip('\n').partition(' ')
        if c == 'i': b.insert(rest)
        elif c == 'd': b.delete(int(rest))
        elif c == 'm': b.move(int(rest))
        elif c == 'u': b.undo()
        elif c == 'r': b.redo()
        elif c == 'p': out.append(b.text)
    return ';'.join(out)


if __name__ == '__main__':
    print(run(open(sys.argv[1])))
$> {+c1}ls buffer.py; for f in scripts/*.txt; do n=$(basename $f .txt); [ "$(python buffer.py $f)" = "$(grep "^$n|" wanted.txt | cut -d'|' -f2)" ] && echo ok || echo "$n differs"; done | sort | uniq -c
A> Which differ, if any, in detail:
@for s
@- type
@- undo_redo
@- branch
@- merge
@- move_breaks
@- delete
@- end
@- unicode
A> {{s}} once more.
$> python buffer.py scripts/{{s}}.txt
@end
U> undo_redo ok? typed ab then cd, one step, u r gives abcd, yes
A> Now the model test.
W> test_buffer.py
import random
import unittest

from buffer import Buffer


class Naive:
    def __init__(self):
        self.text, self.at, self.past, self.future, self.typing = '', 0, [], [], False

    def insert(self, s):
        if s:
            if not self.typing:
                self.past.append(self.text)
            self.text = self.text[:self.at] + s + self.text[self.at:]
            self.at += len(s)
            self.future.clear()
            self.typing = True

    def delete(self, n):
        self.typing = False
        if self.text[self.at:self.at + n]:
            self.past.append(self.text)
            self.text = self.text[:self.at] + self.text[self.at + n:]
            self.future.clear()

    def move(self, pos):
        self.at, self.typing = max(0, min(len(self.text), pos)), False

    def undo(self):
        self.typing = False
        if self.past:
            self.future.append(self.text)
            self.text = self.past.pop()

    def redo(self):
        self.typing = False
        if self.future:
            self.past.append(self.text)
            self.text = self.future.pop()


class Random(unittest.TestCase):
    def test_against_the_naive_model(self):
        for seed in range(200):
            r = random.Random(seed)
            a, b = Buffer(), Naive()
            for _ in range(120):
                act = r.choice(['insert', 'insert', 'delete', 'move', 'undo', 'redo'])
                arg = {'insert': [r.choice(['x', 'ab\n', '\n', 'é🙂'])], 'delete': [r.randint(0, 4)], 'move': [r.randint(0, 30)]}.get(act, [])
                getattr(a, act)(*arg)
                getattr(b, act)(*arg)
                b.at = a.at
                self.assertEqual(a.text, b.text, seed)

    def test_limit(self):
        b = Buffer()
        for k in range(1500):
            b.insert('x')
            b.move(0)
        for _ in range(2000):
            b.undo()
        self.assertEqual(len(b), 500)
$> {+c2}python -m unittest test_buffer.py 2>&1 | tail -4; ls test_buffer.py
U> any odd newline chars? splitlines splits on more than \n
A> Right: \r, \x0b, \u2028 would be lines as well. Does it matter? Only for where lines are cut, the joined text is the same.
@for c | n
@- \\r | carriage return
@- \\x0b | vertical tab
@- \\u2028 | line separator
@- \\x85 | next line
A> With {{n}}:
$> python - <<'X'
from buffer import Buffer
b = Buffer(); b.insert('a{{c}}b'); b.move(1); b.insert('Z'); b.undo(); b.undo()
print(repr(b.text), len(b.lines))
X
@end
U> fine
A> Speed as counts: lines touched by one insert in a long text.
$> python - <<'X'
from buffer import Buffer
b = Buffer(); b.insert('line\n' * 2000)
before = list(map(id, b.lines)); b.move(5000); b.insert('x')
print(len(b.lines), 'lines,', sum(x != y for x, y in zip(before, map(id, b.lines))), 'replaced')
X
@for k
@- 0
@- 1
@- 999
@- 1000
@- 1001
A> {{k}} steps, then undo everything:
$> python - <<'X'
from buffer import Buffer
b = Buffer()
for _ in range({{k}}): b.insert('y'); b.move(0)
n = 0
while b.past: b.undo(); n += 1
print(n, 'undone,', len(b), 'characters left')
X
@end
U> good. ship it
A> A last run of everything.
$> python -m unittest test_buffer 2>&1 | tail -1; wc -l buffer.py test_buffer.py | tail -1
U> thanks
=== gold
p1 | inserts in a row are one undo step; a move begins a new one | one undo step
p2 | wanted.txt is corrected: branch gives c | wanted.txt; branch
p3 | undo stores operations: (position, removed text, inserted text) | undo stores operations
p4 | the text is a list of lines; positions are found by bisect | list of lines; bisect
p5 | rebuilding the sums per edit is accepted; correctness first | correctness first
p6 | positions count code points | code points
p7 | at most 1000 undo steps are kept | 1000 undo steps
p8 | next: rewrite buffer.py with lines and operations, then test_buffer.py against a naive model | buffer.py; test_buffer.py; naive model
f1 | snapshots: a copy of the text for each command | snapshots
f2 | a rope would keep inserts cheap | rope
f3 | a gap buffer, a bytearray with a hole at the cursor | gap buffer
c1 | rewrite buffer.py with lines and operations | buffer.py | rope; gap buffer
c2 | write test_buffer.py against a naive model | test_buffer.py
