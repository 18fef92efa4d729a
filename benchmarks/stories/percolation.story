id: 209
domain: research
=== setup
open('notes.txt', 'w').write('Question: threshold p_c for site percolation on the square lattice where a third of the sites is frozen open in stripes (every third row).\nReference without stripes: 0.5927\n')
=== session
U> Estimate the percolation threshold for the striped lattice in notes.txt: spanning top to bottom, square lattice, four neighbours, every third row has its sites open with probability (1+p)/2 instead of p. I want a number with an uncertainty I can defend, by finite-size scaling. Python only. I check in now and then.
A> Let me read the note and set up the smallest thing that can be wrong.
$> cat notes.txt; python --version | cut -d. -f1
A> A simulator with union-find, seeded, and a first sanity check on the plain lattice where the answer is known.
W> perc.py
import random


def spans(size, p, seed, striped):
    r = random.Random(seed)
    parent = list(range(size * size + 2))

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    top, bottom = size * size, size * size + 1
    opened = [False] * (size * size)
    for y in range(size):
        q = (1 + p) / 2 if striped and y % 3 == 0 else p
        for x in range(size):
            i = y * size + x
            if r.random() >= q:
                continue
            opened[i] = True
            if y == 0:
                parent[find(i)] = find(top)
            elif opened[i - size]:
                parent[find(i)] = find(i - size)
            if x and opened[i - 1]:
                parent[find(i)] = find(i - 1)
            if y == size - 1:
                parent[find(i)] = find(bottom)
    return find(top) == find(bottom)


def share(size, p, runs, striped=False, seed=0):
    return sum(spans(size, p, seed * 100003 + k, striped) for k in range(runs)) / runs
$> python -c "
from perc import share
for p in (.5, .55, .59, .63, .7): print(p, share(24, p, 120))"
A> It crosses one half near the known 0.5927. So the code is sound. The striped lattice now, coarse.
$> python -c "
from perc import share
for p in (.40, .45, .50, .55, .60): print(p, share(24, p, 120, True))"
A> Half of the runs span near 0.50. {+f1}Simplest estimator: take the p where half of the runs span at size 24.
$> python -c "
from perc import share
lo, hi = .45, .65
for _ in range(8):
    m = (lo + hi) / 2
    if share(24, m, 150, True) < .5: lo = m
    else: hi = m
print(round(m, 4))"
@let half ([\d.]+)
A> That gives {{half}} at size 24. How does it move with the size?
@for L | word
@- 10 | tiny
@- 12 | small
@- 14 | still small
@- 18 | growing
@- 20 | growing on
@- 28 | past 24
@- 30 | thirty
@- 34 | thirty-four
@- 36 | thirty-six
@- 42 | the largest for now
A> Size {{L}}, {{word}}:
$> python -c "
from perc import share
lo, hi = .45, .65
for _ in range(7):
    m = (lo + hi) / 2
    if share({{L}}, m, 120, True) < .5: lo = m
    else: hi = m
print('L={{L}} half point %.4f' % m)"
@end
A> {-f1}The half point wanders with the size, also because of where the stripes end at the lower edge, so a single size is no estimate. {+p1}Sizes must be multiples of 3, otherwise the pattern of stripes is cut at the bottom edge; all sizes from here on are.
U> Good catch. Which estimator then?
A> {+f2}Common choice: fit the half points against L^(-3/4) with nu = 4/3 and read the intercept.
$> python - <<'X'
from perc import share
pts = []
for L in (9, 15, 21, 30, 42):
    lo, hi = .45, .65
    for _ in range(7):
        m = (lo + hi) / 2
        if share(L, m, 120, True, 3) < .5: lo = m
        else: hi = m
    pts.append((L ** -.75, m))
n = len(pts); mx = sum(x for x, _ in pts) / n; my = sum(y for _, y in pts) / n
b = sum((x - mx) * (y - my) for x, y in pts) / sum((x - mx) ** 2 for x, _ in pts)
print('intercept %.4f slope %.3f' % (my - b * mx, b))
X
A> The intercept depends on the assumed exponent: with 120 runs per point I cannot see whether nu = 4/3 holds here.
$> python - <<'X'
print('standard error of one share at 120 runs: %.3f' % (.25 / 120) ** .5)
X
U> The stripes are anisotropic. I would not assume nu. Is there an estimator that needs no exponent?
A> {-f2}Then the fit with a fixed exponent is out. {+p2}Crossing method: the curves of spanning probability against p for sizes L and 2L cross near p_c, no exponent is needed.
$> python - <<'X'
from perc import share
for p in (.42, .45, .48, .51, .54):
    print(p, [round(share(L, p, 200, True, L), 2) for L in (12, 24)])
X
A> One sees the order flip. How many runs are needed? I look at the noise of the difference.
$> python - <<'X'
for n in (150, 600, 2400): print(n, 'runs: error of a difference %.3f' % (2 * .25 / n) ** .5)
X
A> {+f3}To save time I would share random numbers: the same seed for L and 2L.
U> Common random numbers across sizes? They don't couple, different lattices. No gain, and you risk correlated errors. Keep seeds apart.
A> {-f3}True, there is nothing to couple. {+p3}Seeds differ by size, and each p uses the same seeds within a size, so that each curve is monotone.
$> python - <<'X'
from perc import share
v = [share(12, p / 100, 200, True, 12) for p in range(48, 62, 2)]
print(v, 'monotone' if v == sorted(v) else 'not monotone')
X
A> Good. What about the time? I count lattice sites rather than seconds.
$> python -c "print(sum(2 * L * L * 400 * 7 for L in (12, 18, 24, 36)))"
U> Budget is fine. Also report the plain lattice with the same method as a control.
A> {+p4}The plain lattice is run as a control with the same method; it must come out at 0.5927 within its error. {+p5}Plan: pairs (12, 24), (18, 36) and (24, 48), 400 runs per point, interpolate the crossing linearly, bootstrap over runs for the error. {+p6}Next: write crossing.py for that; it is not started.
U> Agreed, go.
@cut
W> crossing.py
import random

from perc import spans


def table(size, ps, runs, striped):
    return [[spans(size, p, size * 1000003 + k, striped) for p in ps] for k in range(runs)]


def curve(rows):
    return [sum(column) / len(rows) for column in zip(*rows)]


def cross(ps, small, large):
    gap = [b - a for a, b in zip(small, large)]
    for i in range(len(ps) - 1):
        if gap[i] <= 0 < gap[i + 1]:
            t = -gap[i] / (gap[i + 1] - gap[i])
            return ps[i] + t * (ps[i + 1] - ps[i])
    return None


def estimate(size, ps, runs, striped, draws=100):
    small, large = table(size, ps, runs, striped), table(2 * size, ps, runs, striped)
    value = cross(ps, curve(small), curve(large))
    r = random.Random(size)
    found = []
    for _ in range(draws):
        a = curve(r.choices(small, k=runs)); b = curve(r.choices(large, k=runs))
        c = cross(ps, a, b)
        if c is not None:
            found.append(c)
    mean = sum(found) / len(found)
    return value, (sum((c - mean) ** 2 for c in found) / len(found)) ** .5
A> The control first, with few runs.
$> {+c1}python -c "
from crossing import estimate
print('control (plain lattice) %.3f +- %.3f' % estimate(9, [.55, .57, .59, .61, .63], 150, False)); print('with crossing.py')"
U> that's compatible. go on
@for L | runs | word
@- 6 | 200 | a small pair to see the trend
@- 9 | 200 | next pair
@- 12 | 150 | the first planned pair
@- 15 | 120 | between
@- 18 | 100 | the second planned pair
A> Striped, pair ({{L}}, twice that), {{word}}.
$> python -c "
from crossing import estimate
v, e = estimate({{L}}, [.43, .46, .49, .52, .55], {{runs}}, True)
print('L={{L}}: crossing %s +- %.3f' % ('%.3f' % v if v else 'none', e))"
A> Shares at the ends, to see that the window is wide enough:
$> python -c "
from perc import share
print([share(n, p, 60, True, n) for n in ({{L}}, 2 * {{L}}) for p in (.43, .55)])"
@end
A> Where does a finer window put it?
$> {+c2}python - <<'X'
from crossing import estimate
v, e = estimate(12, [.46, .475, .49, .505, .52], 250, True, 60)
print('pair (12, 24) fine:', v and round(v, 3), '+-', round(e, 3))
X
A> I weigh the pairs by their errors.
$> python - <<'X'
from crossing import estimate
pts = [estimate(L, [.43, .46, .49, .52, .55], 120, True, 40) for L in (6, 9, 12, 15)]
pts = [(v, e) for v, e in pts if v]
w = [1 / e ** 2 for _, e in pts]
print('weighted %.3f +- %.3f from %d pairs' % (sum(a * v for a, (v, _) in zip(w, pts)) / sum(w), (1 / sum(w)) ** .5, len(pts)))
X
U> Is there a trend with size?
A> Spearman by hand over the pairs I have:
$> python - <<'X'
from crossing import estimate
v = [estimate(L, [.43, .46, .49, .52, .55], 100, True, 5)[0] for L in (6, 9, 12, 15)]
print([x and round(x, 3) for x in v])
X
A> No monotone trend beyond the errors. Independence of seeds: another set.
@for s
@- 1
@- 2
@- 3
@- 4
@- 5
A> Block {{s}} of seeds, size 12:
$> python -c "
from perc import share
print([round(share(12, p, 80, True, 50 + {{s}}), 2) for p in (.49, .52, .55)])"
@end
A> The blocks scatter as they should. A naive bound for comparison: the mean occupation at the estimate.
$> python -c "
p = .49; print('mean occupation %.3f' % ((2 * p + (1 + p) / 2) / 3))"
A> That is below 0.5927: the stripes help a little beyond their density.
W> result.md
Crossing method, sizes in multiples of 3, seeds apart by size, no exponent assumed.
The plain lattice as a control agrees with 0.5927.
U> Put the pairs in a table, please.
A> Straight from the script:
$> python - <<'X' >> result.md
from crossing import estimate
print('\n| L | crossing | error |\n|---|---|---|')
for L in (6, 9, 12):
    v, e = estimate(L, [.43, .46, .49, .52, .55], 120, True, 40)
    print(f'| {L}, {2 * L} | {v:.3f} | {e:.3f} |')
X
tail -3 result.md
A> Table in. The word "defend": systematic errors I can name are the edge and the window.
$> printf '\nSystematic: open side edges, linear interpolation in a window of 0.12.\n' >> result.md; wc -l result.md
A> And the seeds are written down:
$> printf 'Seeds: size * 1000003 + run.\n' >> result.md; tail -1 result.md
U> Good work. I take it from here.
=== gold
p1 | sizes must be multiples of 3 | multiples of 3
p2 | crossing method: the curves for sizes L and 2L cross near p_c, no exponent is needed | crossing method; 2L
p3 | seeds differ by size | seeds differ by size
p4 | the plain lattice is run as a control and must come out at 0.5927 | control; 0.5927
p5 | plan: pairs (12, 24), (18, 36) and (24, 48), 400 runs per point, bootstrap over runs | 400 runs; bootstrap
p6 | next: write crossing.py for that; it is not started | crossing.py; not started
f1 | take the p where half of the runs span at size 24 | half of the runs
f2 | fit the half points against L^(-3/4) with nu = 4/3 | nu = 4/3
f3 | share random numbers: the same seed for L and 2L | the same seed for L
c1 | write crossing.py and run the control | crossing.py; control | nu = 4/3
c2 | compute the pair (12, 24) | 12, 24
