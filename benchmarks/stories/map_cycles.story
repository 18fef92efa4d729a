id: 224
domain: research
tools: {$: sandbox, W: write, R: read}
=== setup
open('question.md', 'w').write('T_d(n) = n/2 for even n, (3n+d)/2 for odd n, d odd. How many cycles does T_d have among positive n, for d = 1 .. 49? Known for d = 5: 1, 5, 19, 23, 187, 347 are smallest members.\n')
=== session
U> See question.md. I'd like a table: d, number of cycles found, largest smallest-member. And a conjecture if one suggests itself. Exhaustive search up to some bound N is fine but tell me honestly what the bound means.
A> Reading the definition exactly; the map is the shortened one, (3n+d)/2.
$> cat question.md
A> A direct walker. {+f1}To detect a cycle I keep a set of all numbers seen on the walk.
W> cycles.py
def step(n, d):
    return n // 2 if n % 2 == 0 else (3 * n + d) // 2


def minimum(n, d, most=10_000):
    """Smallest member of the cycle that n falls into, None if the walk is too long."""
    seen = set()
    for _ in range(most):
        if n in seen:
            break
        seen.add(n)
        n = step(n, d)
    else:
        return None
    low, m = n, step(n, d)
    while m != n:
        low = min(low, m)
        m = step(m, d)
    return low


def found(d, bound):
    return sorted({minimum(n, d) for n in range(1, bound + 1)})
$> python -c "
from cycles import found
print(found(5, 400))"
A> That reproduces the six known ones for d = 5. How much memory do the sets take for long walks?
$> python - <<'X'
from cycles import step
def length(n, d):
    seen = set()
    while n not in seen: seen.add(n); n = step(n, d)
    return len(seen)
print(max((length(n, 13), n) for n in range(1, 1500)))
X
A> {-f1}Sets are unnecessary: Brent's method finds the cycle with two variables, so the set goes away.
W> cycles.py
def step(n, d):
    return n // 2 if n % 2 == 0 else (3 * n + d) // 2


def minimum(n, d, most=100_000):
    """Smallest member of the cycle that n falls into (Brent), None if the walk is too long."""
    power = length = 1
    slow, fast = n, step(n, d)
    while slow != fast:
        if power == length:
            slow, power, length = fast, power * 2, 0
            if power > most:
                return None
        fast = step(fast, d)
        length += 1
    low = fast
    for _ in range(length):
        fast = step(fast, d)
        low = min(low, fast)
    return low


def found(d, bound):
    return sorted({minimum(n, d) for n in range(1, bound + 1)}, key=lambda m: (m is None, m))
$> python -c "
from cycles import found
print(found(5, 400), found(1, 400))"
A> Same answers. Now d by d, bound 2000 first, to learn how it behaves.
@for d | w
@- 1 | the classical one
@- 3 | three times the classical
@- 7 | seven
@- 9 | a square
@- 11 | eleven
@- 13 | thirteen, many expected
@- 15 | three times five
@- 17 | seventeen
@- 19 | nineteen
@- 21 | three times seven
@- 23 | twenty-three
@- 25 | five squared
A> d = {{d}}, {{w}}:
$> python -c "
from cycles import found
f = found({{d}}, 2000)
print('d={{d}}', len(f), 'cycles, smallest members', f[:12])"
@end
A> {+p2}d = 15 shows the cycles of d = 5 times three: if g divides d, every cycle of d/g times g is one of d. So only primitive cycles, with gcd(n, d) = 1, are new.
U> Right, that's known. Count primitive ones separately.
A> {+p3}The table has two columns of counts: all cycles and primitive cycles (gcd of the smallest member with d is 1).
$> python -c "
from cycles import found
from math import gcd
for d in (5, 15, 25): f = found(d, 1500); print(d, len(f), 'all', sum(gcd(n, d) == 1 for n in f), 'primitive')"
A> Bound: {+f2}Let me guess that N = 10 d is enough for all cycles.
$> python - <<'X'
from cycles import found
for d in (5, 7, 13, 17): print(d, [len(found(d, k * d)) for k in (10, 40, 160)])
X
A> {-f2}Counts still rise from 10 d to 40 d for some, so that guess is wrong.
U> Of course. d=5 has 347 = 69 d.
A> Is there a bound by theory? A cycle with k odd steps among l steps satisfies n (2^l − 3^k) = d · something.
$> python - <<'X'
for l in range(1, 14):
    k = max(k for k in range(l) if 3 ** k < 2 ** l)
    print(l, k, 2 ** l - 3 ** k)
X
A> {+f3}One can also enumerate all parity words up to length 20 and solve for n: that finds cycles whatever their size.
$> python - <<'X'
from math import comb
print(sum(2 ** l for l in range(1, 21)), 'words up to length 20')
X
U> Two million words per d, for 25 d's, in Python? And cycles with l > 20 exist (d=5: the one of 187 has length 27). It would miss what the walk finds.
A> {-f3}Right, it misses the known long ones; words are out. {+p4}The method is walking from all n up to a bound N, and nothing is claimed above it.
$> python -c "
from cycles import step
n = 187; l = 0
while True:
    n = step(n, 5); l += 1
    if n == 187: break
print('length', l)"
A> Length {{/length (\d+)/}}, as you say. To save work: a walk that drops below its start has been decided already.
U> careful: below start only counts if that smaller number was done
A> Numbers are taken in ascending order, so it was. {+f4}Shortcut: stop a walk as soon as it falls below its start or returns to it, six lines in place of Brent.
$> timeout 2 python - <<'X'
from cycles import step
def quick(d, bound):
    out = []
    for n in range(1, bound + 1):
        m = step(n, d)
        while m > n: m = step(m, d)
        if m == n: out.append(n)
    return out
print(quick(5, 400))
X
echo "exit $?"
A> It hangs. Which start?
$> python - <<'X'
from cycles import step
n, w = 3, [3]
for _ in range(12): n = step(n, 5); w.append(n)
print(w)
X
A> {-f4}3 falls into the cycle of 19, which lies wholly above it, so the walk neither returns nor goes below: the shortcut is a dead end. {+p5}Brent stays, with a memory of what each decided number leads to.
U> ha. I should have seen that. odd starts only?
A> An even start halves until it is odd or small, so odd starts suffice. {+p6}The statement is then: all cycles into which some n up to N falls, with N = 2000 for every odd d up to 49. {+p7}Next: write table.py over odd n up to N = 2000, columns d, all, primitive, largest smallest member, to table.csv; it is not written.
U> yes. also think about what the counts should average to
@cut
W> table.py
import csv
from math import gcd

from cycles import minimum, step


def members(d, bound):
    known = {}
    for n in range(1, bound + 1, 2):
        m, path = n, []
        for _ in range(60):
            if m in known:
                break
            path.append(m)
            m = step(m, d)
        low = known.get(m) or minimum(m, d)
        known.update(dict.fromkeys(path, low))
    return sorted(set(known.values()))


if __name__ == '__main__':
    with open('table.csv', 'w', newline='') as f:
        out = csv.writer(f)
        out.writerow(['d', 'all', 'primitive', 'largest'])
        for d in range(1, 50, 2):
            found = members(d, 2000)
            out.writerow([d, len(found), sum(gcd(n, d) == 1 for n in found), found[-1]])
$> {+c1}python table.py; column -t -s, table.csv | head -12; ls table.py table.csv
A> Against the earlier method, without the memory:
@for d
@- 1
@- 5
@- 7
@- 11
@- 13
@- 17
@- 19
@- 23
@- 25
A> d = {{d}}, both methods:
$> python -c "
from table import members
from cycles import found
a = members({{d}}, 800); b = found({{d}}, 800)
print(len(a), a == b)"
@end
U> good. rest of table?
$> {+c2}column -t -s, table.csv | tail -14
A> How stable is it in N?
@for n
@- 500
@- 1000
@- 2000
@- 4000
@- 8000
A> N = {{n}}, total over all d:
$> python -c "
from table import members
print(sum(len(members(d, {{n}})) for d in range(1, 50, 2)))"
@end
A> It grows slowly and flattens. Divisibility: is "all" the sum of primitive counts over divisors?
@for d | g
@- 9 | 1, 3
@- 15 | 1, 3, 5
@- 21 | 1, 3, 7
@- 25 | 1, 5
@- 27 | 1, 3, 9
@- 33 | 1, 3, 11
@- 35 | 1, 5, 7
@- 45 | 1, 3, 5, 9, 15
A> d = {{d}}, divisors {{g}}:
$> python - <<'X'
import csv
t = {int(r['d']): r for r in csv.DictReader(open('table.csv'))}
print(t[{{d}}]['all'], sum(int(t[k]['primitive']) for k in t if {{d}} % k == 0))
X
@end
A> Equal up to the effect of the bound. For d = 3k there are no primitive ones?
$> awk -F, '$1 % 3 == 0 && NR > 1 {print $1, $3}' table.csv | tr '\n' ';'
U> of course, (3n+d)/2 with 3|d makes everything divisible by 3
A> Yes: a cycle's members are multiples of 3 then. So d = 3k counts as d = k.
$> python - <<'X'
import csv
t = {int(r['d']): int(r['all']) for r in csv.DictReader(open('table.csv'))}
print([(d, t[d], t[d // 3]) for d in t if d % 3 == 0])
X
A> The average primitive count for d coprime to 6:
$> awk -F, 'NR>1 && $1%3 {n++; s+=$3} END {printf "%.2f over %d values\n", s/n, n}' table.csv
W> remarks.md
All cycles into which some n up to 2000 falls; nothing is claimed above.
If 3 divides d, the cycles are those of d/3 times 3.
Conjecture: the number of primitive cycles is finite for every d and at least 1 for d coprime to 6.
U> the second half is provable: n = d gives the cycle of... no that is the trivial one, not primitive. leave as conjecture
A> Left so. Which d has most?
$> sort -t, -k3,3nr table.csv | head -2
U> thanks, very nice
=== gold
p2 | if g divides d, every cycle of d/g times g is one of d; only primitive cycles are new | primitive cycles
p3 | the table has two columns of counts: all cycles and primitive cycles | two columns; primitive
p4 | walking from all n up to a bound N, and nothing is claimed above it | bound N; nothing is claimed above
p5 | Brent stays, with a memory of what each decided number leads to | Brent stays; memory
p6 | all cycles into which some n up to N falls, with N = 2000 for every odd d up to 49 | N = 2000; up to 49
p7 | next: write table.py over odd n up to N = 2000, columns d, all, primitive, largest smallest member, to table.csv | table.py; table.csv; N = 2000
f1 | keep a set of all numbers seen on the walk | set of all numbers
f2 | N = 10 d is enough for all cycles | N = 10 d
f3 | enumerate all parity words up to length 20 | parity words
f4 | stop a walk as soon as it falls below its start or returns to it | falls below its start
c1 | write table.py and make table.csv | table.py; table.csv | parity words; falls below its start
c2 | show the table in table.csv | table.csv
