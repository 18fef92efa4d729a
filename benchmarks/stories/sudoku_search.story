id: 207
domain: code
tools: {$: exec, W: create, R: view}
=== setup
puzzles = {
 'a_easy': '530070000600195000098000060800060003400803001700020006060000280000419005000080079',
 'b_daily': '003020600900305001001806400008102900700000008006708200002609500800203009005010300',
 'c_paper': '200080300060070084030500209000105408000000000402706000301007040720040060004010003',
 'd_train': '000000907000420180000705026100904000050000040000507009920108000034059000507000000',
 'e_club': '030050040008010500460000012070502080000603000040109030250000098001020600080060020',
 'f_hard': '400000805030000000000700000020000060000080400000010000000603070500200000104000000',
 'g_evil': '850002400720000009004000000000107002305000900040000000000080070017000000000036040',
 'h_sparse': '000000010400000000020000000000050407008000300001090000300400200050100000000806000',
 'i_star': '800000000003600000070090200050007000000045700000100030001000068008500010090000400',
 'j_last': '100007090030020008009600500005300900010080002600004000300000010040000007007000300',
}
import os
os.makedirs('puzzles')
for k, v in puzzles.items(): open(f'puzzles/{k}.txt', 'w').write('\n'.join(v[i:i+9].replace('0', '.') for i in range(0, 81, 9)) + '\n')
=== session
U> hi :) toy project. solver.py that solves all of puzzles/*.txt. i care about how many guesses it needs, not seconds. target: under 300 guesses for every single one. pure python, no numpy, keep it below 80 lines
A> Guesses as the measure, that is a clean target. A look at the puzzles.
$> ls puzzles; cat puzzles/f_hard.txt; for f in puzzles/*.txt; do printf '%s ' $(basename $f .txt); tr -d '.\n' < $f | wc -c; done
A> Between 17 and 32 givens. {+f1}Start simple: plain backtracking, first empty cell, digits in order.
W> solver.py
import sys


def read(path):
    return [int(c) if c != '.' else 0 for c in open(path).read() if c in '.123456789']


def peers(i):
    r, c = divmod(i, 9)
    b = r // 3 * 27 + c // 3 * 3
    row = {r * 9 + k for k in range(9)}
    col = {k * 9 + c for k in range(9)}
    box = {b + y * 9 + x for y in range(3) for x in range(3)}
    return (row | col | box) - {i}


PEERS = [peers(i) for i in range(81)]
LIMIT = 20000


class TooMany(Exception):
    pass


def solve(grid, count):
    try:
        i = grid.index(0)
    except ValueError:
        return grid
    for d in range(1, 10):
        if all(grid[p] != d for p in PEERS[i]):
            count[0] += 1
            if count[0] > LIMIT:
                raise TooMany
            grid[i] = d
            if solve(grid, count):
                return grid
    grid[i] = 0
    return None


if __name__ == '__main__':
    for path in sys.argv[1:]:
        count = [0]
        try:
            done = solve(read(path), count)
            print(path, count[0], 'solved' if done else 'none')
        except TooMany:
            print(path, 'more than', LIMIT)
$> python solver.py puzzles/*.txt
A> {-f1}Hopeless beyond the easy ones; plain backtracking is abandoned. Next idea: always take the cell with the fewest candidates.
$> python - <<'X'
s = open('solver.py').read()
s = s.replace("""    try:
        i = grid.index(0)
    except ValueError:
        return grid
    for d in range(1, 10):
        if all(grid[p] != d for p in PEERS[i]):
""", """    empty = [i for i in range(81) if not grid[i]]
    if not empty:
        return grid
    options = {i: set(range(1, 10)) - {grid[p] for p in PEERS[i]} for i in empty}
    i = min(empty, key=lambda i: (len(options[i]), i))
    for d in sorted(options[i]):
        if True:
""")
open('solver.py', 'w').write(s)
X
python solver.py puzzles/*.txt
A> Much better, but a forced cell counts as a guess there. {+p1}A guess is counted only where a cell has two candidates or more; forced cells are free. Is that how you see it?
U> yes thats what i mean
A> I change the count. And measure each puzzle alone.
$> sed -i 's/            count\[0\] += 1/            count[0] += len(options[i]) > 1/' solver.py && grep -n 'count\[0\] +=' solver.py
@for p | mood
@- a_easy | warm up
@- b_daily | newspaper
@- c_paper | another newspaper
@- d_train | commuter
@- e_club | chess club
@- f_hard | known beast
@- g_evil | named well
@- h_sparse | 17 givens
@- i_star | the famous one
@- j_last | last
A> {{p}} ({{mood}}):
$> python solver.py puzzles/{{p}}.txt
@end
U> so which are above 300?
$> python solver.py puzzles/*.txt | awk '$2 > 300'
A> Those need more than choosing well. {+f2}One thing I want to test is a random order of digits with restarts: seeds 0 to 4, restart after 200 guesses.
$> sed -e 's/for d in sorted(options\[i\])/for d in random.sample(sorted(options[i]), len(options[i]))/' -e 's/^import sys/import random\nimport sys/' solver.py > lucky.py; for s in 0 1 2 3 4; do sed "s/^import random/import random\nrandom.seed($s)/" lucky.py > lucky_$s.py; python lucky_$s.py puzzles/f_hard.txt puzzles/h_sparse.txt | awk '{print $2}' | tr '\n' ' '; done; echo
U> random = different answer each day? nope. deterministic please
A> {-f2}Fair, restarts are dropped. {+p2}The solver must be deterministic. I remove the files of that test.
$> rm lucky*.py; ls
A> Hidden singles: a digit that has only one place left in a row, column or box is forced as well. I count how often that would strike at the start of each puzzle.
$> python - <<'X'
import glob
from solver import PEERS, read
units = [[r*9+k for k in range(9)] for r in range(9)] + [[k*9+c for k in range(9)] for c in range(9)] + [[(b//3*3+y)*9+b%3*3+x for y in range(3) for x in range(3)] for b in range(9)]
for path in sorted(glob.glob('puzzles/*.txt')):
    g = read(path)
    opt = {i: set(range(1, 10)) - {g[p] for p in PEERS[i]} for i in range(81) if not g[i]}
    hidden = {(i, d) for u in units for d in range(1, 10) for i in [[i for i in u if d in opt.get(i, ())]] if len(i) == 1 for i in i}
    print(path[8:-4], 'naked', sum(len(o) == 1 for o in opt.values()), 'hidden', len(hidden))
X
A> {+p3}Hidden singles strike far more often than naked ones, also in the hard puzzles: they are the next rule to build in.
A> How many candidates are left on average, to know where the search is wide?
$> python - <<'X'
import glob
from solver import PEERS, read
for path in sorted(glob.glob('puzzles/*.txt'))[5:]:
    g = read(path)
    v = [len(set(range(1, 10)) - {g[p] for p in PEERS[i]}) for i in range(81) if not g[i]]
    print(path[8:-4], '%.1f candidates per empty cell' % (sum(v) / len(v)))
X
U> and x-wing? thats the cool stuff
A> {+f3}I could do X-wing as well: rows in pairs with a digit in the same two columns. I try to see how often it fires.
$> python - <<'X'
import glob, itertools
from solver import PEERS, read
for path in sorted(glob.glob('puzzles/*.txt'))[5:]:
    g = read(path)
    opt = {i: set(range(1, 10)) - {g[p] for p in PEERS[i]} for i in range(81) if not g[i]}
    fires = 0
    for d in range(1, 10):
        rows = [[c for c in range(9) if d in opt.get(r*9+c, ())] for r in range(9)]
        for a, b in itertools.combinations(range(9), 2):
            fires += len(rows[a]) == 2 and rows[a] == rows[b]
    print(path[8:-4], 'X-wings at the start:', fires)
X
A> {-f3}Nothing at all at the start, and it costs twenty lines of the eighty: X-wing is not worth it.
$> wc -l solver.py
U> ok ok. what about lines, we stay < 80?
A> {+p4}solver.py has {{/(\d+)/}} lines now and must stay below 80. {+p5}Decision: choose among all units as well, i.e. branch on the smallest of cell candidates and digit places in a unit; a size of 1 is forced. {+p6}Next: write that as function choices() in solver.py, it is not in there yet; the target is under 300 guesses for each puzzle.
@cut
$> {+c1}python - <<'X'
s = open('solver.py').read()
s = s.replace("""PEERS = [peers(i) for i in range(81)]
""", """PEERS = [peers(i) for i in range(81)]
UNITS = [{r * 9 + k for k in range(9)} for r in range(9)]
UNITS += [{k * 9 + c for k in range(9)} for c in range(9)]
UNITS += [{(b // 3 * 3 + y) * 9 + b % 3 * 3 + x for y in range(3) for x in range(3)} for b in range(9)]
""")
s = s.replace("""def solve(grid, count):""", """def choices(grid):
    options = {i: set(range(1, 10)) - {grid[p] for p in PEERS[i]} for i in range(81) if not grid[i]}
    best = min(([(i, d) for d in sorted(o)] for i, o in sorted(options.items())), key=len, default=None)
    for unit in UNITS:
        missing = set(range(1, 10)) - {grid[i] for i in unit}
        for d in sorted(missing):
            places = [(i, d) for i in sorted(unit) if d in options.get(i, ())]
            if len(places) < len(best):
                best = places
    return best


def solve(grid, count):""")
a = s.index("    empty = ["); b = s.index("    return None")
s = s[:a] + """    if 0 not in grid:
        return grid
    ways = choices(grid)
    for i, d in ways:
        count[0] += len(ways) > 1
        if count[0] > LIMIT:
            raise TooMany
        grid[i] = d
        if solve(grid, count):
            return grid
        grid[i] = 0
""" + s[b:]
open('solver.py', 'w').write(s)
X
python solver.py puzzles/*.txt
A> All solved. Which is worst now?
$> {+c2}python solver.py puzzles/*.txt | sort -k2 -n | tail -2; echo "target: under 300 guesses"
U> niiice. below 80 lines?
$> wc -l solver.py
A> Is every solution right? Check rows, columns and boxes, and the givens, one by one.
@for p | tag
@- a_easy | first
@- b_daily | second
@- c_paper | third
@- d_train | fourth
@- e_club | fifth
@- f_hard | sixth
@- g_evil | seventh
@- h_sparse | eighth
@- i_star | ninth
@- j_last | tenth
A> {{tag}}, {{p}}:
$> python - <<'X'
from solver import UNITS, read, solve
given = read('puzzles/{{p}}.txt'); count = [0]
done = solve(list(given), count)
right = all({done[i] for i in u} == set(range(1, 10)) for u in UNITS)
kept = all(a in (0, b) for a, b in zip(given, done))
print('valid' if right and kept else 'WRONG', count[0], ''.join(map(str, done[:9])))
X
@end
U> are they unique?
A> I count solutions up to two by letting the search go on.
@for p
@- a_easy
@- d_train
@- f_hard
@- g_evil
@- h_sparse
@- i_star
@- j_last
A> Unique, {{p}}?
$> python - <<'X'
from solver import choices, read
def count(g, most=2):
    if 0 not in g: return 1
    n = 0
    for i, d in choices(g):
        g[i] = d
        n += count(g, most - n)
        g[i] = 0
        if n >= most: break
    return n
print('{{p}}', count(read('puzzles/{{p}}.txt')))
X
@end
U> cool cool. print the grid nicely?
$> cat >> solver.py <<'X'


def show(grid):
    return '\n'.join(' '.join(map(str, grid[r:r + 9])) for r in range(0, 81, 9))
X
python -c "
from solver import *
print(show(solve(read('puzzles/i_star.txt'), [0])))"; wc -l solver.py
A> Still below the limit. An impossible puzzle should say so:
$> sed '1s/^8/88/; 1s/.$//' puzzles/i_star.txt > bad.txt; head -1 bad.txt; python solver.py bad.txt; rm bad.txt
A> Says none. Total guesses over all ten, for your notes:
$> python solver.py puzzles/*.txt | awk '{s+=$2} END {print s}'
U> thats it, merci
=== gold
p1 | a guess is counted only where a cell has two candidates or more, forced cells are free | guess; two candidates
p2 | the solver must be deterministic | deterministic
p3 | hidden singles strike far more often than naked ones and are the next rule to build in | hidden singles
p4 | solver.py must stay below 80 lines | solver.py; below 80
p5 | decision: branch on the smallest of cell candidates and digit places in a unit | branch on the smallest
p6 | next: write function choices() in solver.py; the target is under 300 guesses for each puzzle | choices(); solver.py; under 300
f1 | plain backtracking, first empty cell, digits in order | plain backtracking
f2 | a random order of digits with restarts | restarts
f3 | do X-wing: rows in pairs with a digit in the same two columns | X-wing
c1 | write choices() in solver.py | choices(); solver.py / solver | restarts; X-wing
c2 | check that each puzzle takes under 300 guesses | under 300
