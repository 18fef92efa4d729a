id: 225
domain: code
tools: {$: bash, W: edit, R: view}
=== setup
import random
r = random.Random(303)
def trace(name, gen):
    open(f'{name}.trace', 'w').write('\n'.join(f'{t:.3f} {k}' for t, k in gen) + '\n')
import os
os.makedirs('traces'); os.chdir('traces')
trace('steady', [(i * .1, 'a') for i in range(200)])
trace('burst', [(0.0, 'a')] * 50 + [(10.0, 'a')] * 50)
trace('two_keys', [(i * .05, 'ab'[i % 2]) for i in range(300)])
trace('greedy', sorted([(i * .01, 'g') for i in range(900)] + [(i * .5, 'shy') for i in range(18)]))
trace('backwards', [(5, 'a'), (4.5, 'a'), (4.4, 'a'), (6, 'a'), (5.9, 'a'), (30, 'a')] * 4)
trace('poisson', sorted((r.uniform(0, 60), r.choice('xyz')) for _ in range(700)))
trace('long_gap', [(0, 'a'), (1e6, 'a')] + [(1e6 + i * .001, 'a') for i in range(40)])
trace('many_keys', [(i * .01, f'k{i}') for i in range(3000)])
trace('edge', [(i, 'a') for i in range(0, 40, 2)] + [(40 + i * .2, 'a') for i in range(60)])
trace('fraction', [(i / 3, 'a') for i in range(120)])
=== session
U> I need limiter.py: class Limiter(rate, burst) with allow(key, now) -> bool. It guards an API: on average `rate` requests per second and key, bursts up to `burst`. Clock is passed in, no threads for now. traces/*.trace are requests (time key) to test with; say for each what comes out for rate 5, burst 10.
A> Ten traces. A glance at each kind:
$> for f in traces/*.trace; do printf '%-22s %5s requests, %s keys\n' $(basename $f) $(wc -l < $f) $(cut -d' ' -f2 $f | sort -u | wc -l); done
A> {+f1}First version: fixed windows, count requests per key and whole second.
W> limiter.py
class Limiter:
    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.counts = {}

    def allow(self, key, now):
        window = (key, int(now))
        n = self.counts.get(window, 0)
        if n >= self.rate:
            return False
        self.counts[window] = n + 1
        return True
W> replay.py
import collections
import sys

from limiter import Limiter

for path in sys.argv[1:]:
    limiter = Limiter(5, 10)
    got, asked = collections.Counter(), collections.Counter()
    for line in open(path):
        t, key = line.split()
        asked[key] += 1
        got[key] += limiter.allow(key, float(t))
    name = path.split('/')[-1]
    if len(asked) > 4:
        print(name, sum(got.values()), 'of', sum(asked.values()))
    else:
        print(name, *(f'{k}:{got[k]}/{asked[k]}' for k in sorted(asked)))
$> python replay.py traces/steady.trace traces/burst.trace traces/edge.trace
A> {-f1}Bursts of 10 are refused and two windows side by side let 10 through in an instant; fixed windows are no good. {+f2}Second: a sliding log, the times of the last requests per key in a deque.
$> cat > limiter.py <<'X'
import collections


class Limiter:
    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.log = collections.defaultdict(collections.deque)

    def allow(self, key, now):
        log = self.log[key]
        while log and log[0] <= now - self.burst / self.rate:
            log.popleft()
        if len(log) >= self.burst:
            return False
        log.append(now)
        return True
X
python replay.py traces/steady.trace traces/burst.trace traces/greedy.trace
U> memory? we have keys in the millions and burst may be 1000
A> {-f2}A thousand floats a key is too much, the log is out. {+p1}Token bucket it is: two numbers per key, tokens and the time of the last request.
W> limiter.py
class Limiter:
    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.state = {}

    def allow(self, key, now):
        tokens, last = self.state.get(key, (self.burst, now))
        tokens = min(self.burst, tokens + (now - last) * self.rate)
        if tokens < 1:
            self.state[key] = (tokens, now)
            return False
        self.state[key] = (tokens - 1, now)
        return True
A> Each trace with the bucket:
@for t | what
@- steady | ten a second, twice the rate
@- burst | fifty at once, then fifty more
@- two_keys | two alternating keys
@- greedy | one key floods, one is shy
@- backwards | the clock runs backwards at times
@- poisson | random arrivals
@- long_gap | eleven days of silence
@- many_keys | three thousand keys
@- edge | slow, then fast
@- fraction | thirds of a second
A> {{t}}: {{what}}.
$> python replay.py traces/{{t}}.trace
@end
A> backwards is suspicious: with a clock that goes back, tokens are taken away.
$> python - <<'X'
from limiter import Limiter
l = Limiter(5, 10)
for t in (5, 4.5, 4.4, 6): l.allow('a', t); print(t, l.state['a'])
X
A> {+p2}Time that runs backwards must neither add nor take tokens: elapsed is max(0, now − last), and last never moves back.
U> yes, NTP does that to us
A> {+f3}For clocks I could call time.monotonic() inside.
U> the clock is passed in. said so. several processes replay logs with it
A> {-f3}Sorry, yes. {+p3}now is always passed in, limiter.py never reads a clock. Next point: floats. fraction.trace at thirds of a second, does an exact rate lose requests to rounding?
$> python - <<'X'
from limiter import Limiter
l = Limiter(3, 1)
print(sum(l.allow('a', i / 3) for i in range(3000)), 'of 3000 at exactly the rate')
X
@let got (\d+) of 3000
A> {+p4}Rounding: at exactly the rate only {{got}} of 3000 pass, because 0.9999… tokens are less than 1; a tolerance of 1e-9 is needed.
$> python -c "print((1/3 + 1/3 + 1/3) == 1, 0.1 + 0.2)"
U> integers instead? nanoseconds
A> Integers would be exact: time in nanoseconds, and tokens counted in nanoseconds of credit (a request costs 1e9/rate). For rate 3 that is not whole either.
$> python -c "
print(10**9 / 3, 10**9 % 3)"
U> ok tolerance then. keep floats
A> {+p5}Floats stay, with the tolerance. Memory: many_keys keeps a state per key for ever.
$> python - <<'X'
from limiter import Limiter
l = Limiter(5, 10)
for line in open('traces/many_keys.trace'):
    t, k = line.split(); l.allow(k, float(t))
print(len(l.state), 'states')
X
A> {+p6}A bucket that is full again equals a key never seen, so states older than burst/rate seconds can be dropped without changing any answer. When to sweep?
U> no thread. amortise it
A> Every n-th call, n the number of states at the last sweep, costs constant time per call on average.
$> python - <<'X'
n, sweeps, size = 0, 0, 1
for call in range(100000):
    n += 1
    if n >= size: sweeps += 1; n = 0; size = max(1, min(call + 1, 200))
print(sweeps, 'sweeps in 100000 calls with 200 live keys')
X
U> fine. also return how long to wait?
A> {+p7}allow() stays a bool; a second method wait(key, now) gives the seconds until the next request would pass, without taking a token.
$> python - <<'X'
tokens, rate = 0.25, 5
print('wait', (1 - tokens) / rate)
X
A> {+p8}Next: write the final limiter.py (tolerance, backwards clock, sweep, wait) and test_limiter.py with a brute-force model; both still to do.
@cut
W> limiter.py
"""Token buckets per key; the clock is passed in."""

CLOSE = 1e-9


class Limiter:
    def __init__(self, rate, burst):
        if not rate > 0 or not burst >= 1:
            raise ValueError('rate must be above 0 and burst at least 1')
        self.rate, self.burst = rate, burst
        self._state = {}
        self._calls, self._due = 0, 64

    def allow(self, key, now):
        self._sweep(now)
        tokens, last = self._level(key, now)
        passes = tokens >= 1 - CLOSE
        self._state[key] = (max(0.0, tokens - 1) if passes else tokens, last)
        return passes

    def wait(self, key, now):
        tokens, _ = self._level(key, now)
        return 0.0 if tokens >= 1 - CLOSE else (1 - tokens) / self.rate

    def _level(self, key, now):
        tokens, last = self._state.get(key, (self.burst, now))
        elapsed = max(0.0, now - last)
        return min(self.burst, tokens + elapsed * self.rate), max(now, last)

    def _sweep(self, now):
        self._calls += 1
        if self._calls < self._due:
            return
        full = self.burst / self.rate
        self._state = {k: (t, last) for k, (t, last) in self._state.items() if now - last < full}
        self._calls, self._due = 0, max(64, len(self._state))
$> {+c1}python replay.py traces/*.trace; ls limiter.py
A> The exact rate again:
$> python - <<'X'
from limiter import Limiter
for rate in (3, 7, 0.3, 11):
    l = Limiter(rate, 1); print(rate, sum(l.allow('a', i / rate) for i in range(3000)))
X
A> All 3000 now. Tests with a model that uses fractions:
W> test_limiter.py
import random
import unittest
from fractions import Fraction as F

from limiter import Limiter


class Model:
    def __init__(self, rate, burst):
        self.rate, self.burst, self.state = F(rate), F(burst), {}

    def allow(self, key, now):
        tokens, last = self.state.get(key, (self.burst, F(now)))
        now = max(F(now), last)
        tokens = min(self.burst, tokens + (now - last) * self.rate)
        ok = tokens >= 1
        self.state[key] = (tokens - ok, now)
        return ok


class Compare(unittest.TestCase):
    def test_against_exact_arithmetic(self):
        for seed in range(30):
            r = random.Random(seed)
            rate, burst = r.randint(1, 8), r.randint(1, 12)
            ours, exact = Limiter(rate, burst), Model(rate, burst)
            t = 0
            for _ in range(400):
                t += r.choice([0, 1, 2, 3, 50, -1]) / 8
                key = r.choice('abc')
                self.assertEqual(ours.allow(key, t), exact.allow(key, t), (seed, t))

    def test_wait_is_enough_and_not_more(self):
        l = Limiter(4, 2)
        l.allow('a', 0), l.allow('a', 0)
        w = l.wait('a', 0)
        self.assertFalse(l.allow('a', w * .9))
        self.assertTrue(l.allow('a', w))

    def test_memory(self):
        l = Limiter(5, 10)
        for i in range(20000):
            l.allow(f'k{i}', i * .01)
        self.assertLess(len(l._state), 900)

    def test_bad_arguments(self):
        for rate, burst in ((0, 1), (-1, 1), (1, 0), (float('nan'), 1)):
            with self.assertRaises(ValueError):
                Limiter(rate, burst)
$> {+c2}python -m unittest test_limiter.py 2>&1 | tail -3; ls test_limiter.py
U> break it on purpose, does the test notice?
@for what | a | b
@- no tolerance | CLOSE = 1e-9 | CLOSE = 0
@- clock moves back | max(now, last) | now
@- no cap | min(self.burst, tokens + elapsed \* self.rate) | (tokens + elapsed * self.rate)
@- negative elapsed | max(0.0, now - last) | now - last
@- sweep too early | now - last < full | now - last < full / 4
@- never sweep | self._calls < self._due | True
@- wait off | (1 - tokens) \/ self.rate | (1 - tokens)
@- free requests | tokens - 1) if passes | tokens) if passes
A> Mutation "{{what}}":
$> cp limiter.py keep.py; sed -i 's/{{a}}/{{b}}/' limiter.py; cmp -s limiter.py keep.py && echo 'nothing changed'; python -m unittest test_limiter 2>&1 | tail -1; mv keep.py limiter.py
@end
A> One by one that tells which are noticed. Survivors need a test.
$> cat >> test_limiter.py <<'X'

    def test_exact_rate_loses_nothing(self):
        l = Limiter(3, 1)
        self.assertEqual(sum(l.allow('a', i / 3) for i in range(3000)), 3000)
X
python -m unittest test_limiter 2>&1 | tail -1; sed -i 's/CLOSE = 1e-9/CLOSE = 0/' limiter.py; python -m unittest test_limiter 2>&1 | tail -1; sed -i 's/CLOSE = 0/CLOSE = 1e-9/' limiter.py
U> ok what about fairness in greedy.trace
$> python replay.py traces/greedy.trace
A> The shy key gets everything it asked for. Rates over time for the greedy one:
@for s
@- 0
@- 2
@- 4
@- 6
@- 8
A> Second {{s}}:
$> python - <<'X'
from limiter import Limiter
l = Limiter(5, 10); n = 0
for line in open('traces/greedy.trace'):
    t, k = line.split()
    ok = l.allow(k, float(t))
    n += ok and k == 'g' and {{s}} <= float(t) < {{s}} + 1
print(n)
X
@end
U> good. docstring lines for allow and wait, then done
$> python - <<'X'
s = open('limiter.py').read()
s = s.replace("    def allow(self, key, now):\n", "    def allow(self, key, now):\n        \"\"\"Take a token of the key; False if there is none.\"\"\"\n")
s = s.replace("    def wait(self, key, now):\n", "    def wait(self, key, now):\n        \"\"\"Seconds until allow() would pass; takes nothing.\"\"\"\n")
open('limiter.py', 'w').write(s)
X
python -m unittest test_limiter 2>&1 | tail -1; wc -l limiter.py
A> Finished.
U> merged
=== gold
p1 | token bucket: two numbers per key, tokens and the time of the last request | token bucket; two numbers
p2 | time that runs backwards must neither add nor take tokens | backwards; tokens
p3 | now is always passed in, limiter.py never reads a clock | passed in; never reads a clock
p4 | at exactly the rate only {{got}} of 3000 pass; a tolerance of 1e-9 is needed | tolerance; 1e-9
p5 | floats stay, with the tolerance | floats stay
p6 | states older than burst/rate seconds can be dropped without changing any answer | burst/rate; dropped
p7 | allow() stays a bool; a second method wait(key, now) gives the seconds | wait(key, now)
p8 | next: write the final limiter.py (tolerance, backwards clock, sweep, wait) and test_limiter.py with a brute-force model | limiter.py; test_limiter.py; sweep
f1 | fixed windows, count requests per key and whole second | fixed windows
f2 | a sliding log, the times of the last requests in a deque | sliding log
f3 | call time.monotonic() inside | time.monotonic()
c1 | write the final limiter.py | limiter.py | sliding log; fixed windows
c2 | write test_limiter.py with a brute-force model | test_limiter.py
