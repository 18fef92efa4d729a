id: 203
domain: code
=== setup
import os, subprocess, pathlib
def git(*a): subprocess.run(['git', '-c', 'user.name=Noor', '-c', 'user.email=noor@example.org', *a], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
git('init', '-q', '-b', 'trunk', '.')
P = pathlib.Path
P('invoice').mkdir()
P('invoice/__init__.py').write_text('')
money = '''from decimal import Decimal, ROUND_HALF_EVEN\n\n\ndef cents(value):\n    """Return an amount with two places."""\n    return Decimal(str(value)).quantize(Decimal('0.01'), rounding=ROUND_HALF_EVEN)\n'''
tax = '''from invoice.money import cents\n\nRATE = '0.19'\n\n\ndef tax(net):\n    from decimal import Decimal\n    return cents(Decimal(str(net)) * Decimal(RATE))\n'''
total = '''from invoice.money import cents\nfrom invoice.tax import tax\n\n\ndef total(lines):\n    """Sum of net amounts plus tax, per line."""\n    return sum((cents(x) + tax(x) for x in lines), cents(0))\n'''
P('invoice/money.py').write_text(money); P('invoice/tax.py').write_text(tax); P('invoice/total.py').write_text(total)
P('examples.txt').write_text('10.00 -> 11.90\n0.125 -> 0.15\n19.99 5.01 -> 29.75\n100 200 300 -> 714.00\n2.675 2.675 -> 6.38\n')
def commit(text): git('add', '-A'); git('commit', '-q', '-m', text)
commit('invoice totals')
steps = [
 ('docs: how totals are built', lambda: P('README').write_text('Totals are per line.\n')),
 ('add currency sign', lambda: P('invoice/sign.py').write_text("SIGN = {'EUR': '€'}\n")),
 ('add pounds', lambda: P('invoice/sign.py').write_text("SIGN = {'EUR': '€', 'GBP': '£'}\n")),
 ('format amounts', lambda: P('invoice/show.py').write_text("from invoice.sign import SIGN\n\n\ndef show(x, code='EUR'):\n    return f'{x:.2f} {SIGN[code]}'\n")),
 ('import Decimal at the top of tax', lambda: P('invoice/tax.py').write_text(tax.replace('    from decimal import Decimal\n', '').replace('from invoice', 'from decimal import Decimal\n\nfrom invoice'))),
 ('discounts', lambda: P('invoice/discount.py').write_text("from decimal import Decimal\n\nfrom invoice.money import cents\n\n\ndef discount(x, percent):\n    return cents(Decimal(str(x)) * (100 - percent) / 100)\n")),
 ('speed: avoid str round trip in cents', lambda: P('invoice/money.py').write_text(money.replace('Decimal(str(value))', 'Decimal(value)'))),
 ('show: thousands separator', lambda: P('invoice/show.py').write_text(P('invoice/show.py').read_text().replace(':.2f', ':,.2f'))),
 ('dollars', lambda: P('invoice/sign.py').write_text("SIGN = {'EUR': '€', 'GBP': '£', 'USD': '$'}\n")),
 ('rounding half up as the accountant asked', lambda: P('invoice/money.py').write_text(P('invoice/money.py').read_text().replace('HALF_EVEN', 'HALF_UP'))),
 ('README: rates', lambda: P('README').write_text('Totals are per line. Rate 19 %.\n')),
 ('yen', lambda: P('invoice/sign.py').write_text("SIGN = {'EUR': '€', 'GBP': '£', 'USD': '$', 'JPY': '¥'}\n")),
]
for text, act in steps: act(); commit(text)
git('config', 'user.name', 'Noor'); git('config', 'user.email', 'noor@example.org')
=== session
U> Totals are off by a cent since some time last month: examples.txt has what accounting expects ("net amounts -> total"). Find the commit that broke it, fix it without reverting anything people rely on, and leave a test. The repo is small, the history is linear.
A> I look at the history and the code before I form an opinion.
$> git log --oneline | cat; ls invoice
A> Thirteen commits. The expected values:
$> cat examples.txt; cat invoice/money.py invoice/total.py
A> A script that compares the examples with the code, so that each commit can be judged the same way.
W> check.py
import sys
from invoice.total import total

bad = 0
for line in open('examples.txt'):
    nets, wanted = line.split('->')
    got = total([float(x) for x in nets.split()])
    if f'{got:.2f}' != wanted.strip():
        bad += 1
        print(nets.strip(), 'gives', got, 'wanted', wanted.strip())
print('wrong:', bad)
sys.exit(bool(bad))
A> On trunk:
$> python check.py
A> {{/wrong: (\d+)/}} of 5 wrong. {+f1}The commit that changed rounding to ROUND_HALF_UP looks guilty: my first idea is to go back to ROUND_HALF_EVEN in money.py.
$> cp invoice/money.py keep.py; sed -i 's/HALF_UP/HALF_EVEN/' invoice/money.py; python check.py; cp keep.py invoice/money.py; rm keep.py
U> Stop, half up was asked for by the accountant and is right. Please leave that alone whatever happens.
A> {-f1}Sorry; rounding half up stays as the accountant asked. {+p1}So ROUND_HALF_UP in invoice/money.py is not to be touched. I bisect by hand, oldest first, and keep check.py outside the tree so that each checkout has it.
$> mkdir -p .git/tools && mv check.py examples.txt .git/tools/ && git status --short
@for n | word
@- 12 | the very first
@- 11 | docs only
@- 10 | currency signs
@- 9 | pounds
@- 8 | formatting
@- 7 | an import moved
@- 6 | discounts come in
@- 5 | the speed change
@- 4 | separators
@- 3 | dollars
@- 2 | the rounding rule
@- 1 | rates in the README
A> trunk~{{n}}: {{word}}.
$> rm -rf .git/view && mkdir .git/view && git archive trunk~{{n}} | tar -x -C .git/view && cp .git/tools/examples.txt .git/view/ && git log -1 --format=%s trunk~{{n}} && cd .git/view && PYTHONPATH=. python ../tools/check.py | tail -2
@end
A> With the old rounding one example is wrong from the start, the one with 0.125: that is what half up was meant to mend. To find what breaks the others I should hold the rounding fixed at half up and only vary the rest.
U> Makes sense.
@for n | word
@- 6 | before the speed change
@- 5 | the speed change itself
@- 4 | right after it
A> With half up forced, trunk~{{n}} ({{word}}):
$> rm -rf .git/view && mkdir .git/view && git archive trunk~{{n}} | tar -x -C .git/view && cp .git/tools/examples.txt .git/view/ && cd .git/view && sed -i 's/HALF_EVEN/HALF_UP/g' invoice/money.py && PYTHONPATH=. python ../tools/check.py | tail -3
@end
A> {+p2}That settles it: the culprit is "speed: avoid str round trip in cents" (trunk~5); Decimal(value) takes the binary value of a float, 2.675 becomes a little less than 2.675 and is rounded down.
U> Why was it made faster at all?
A> I measure what it saves, as a count of operations rather than in seconds.
$> python - <<'X'
import dis, invoice.money as m
print(sum(1 for _ in dis.get_instructions(m.cents)), 'instructions in cents')
from decimal import Decimal
print(Decimal(2.675)); print(Decimal('2.675'))
X
A> One call of str per amount. {+f2}A way that keeps the speed: let cents round twice, quantize to 0.0001 and then to 0.01, which swallows the binary noise.
$> python - <<'X'
from decimal import Decimal as D, ROUND_HALF_UP as U
def twice(v): return D(v).quantize(D('0.0001'), rounding=U).quantize(D('0.01'), rounding=U)
for v in (0.05, 1.005, 2.675, 0.00496, 1.00499999): print(v, twice(v), D(str(v)).quantize(D('0.01'), rounding=U))
X
A> {-f2}1.00499999 and 0.00496 come out a cent too high: rounding twice is a dead end. {+p3}The fix is Decimal(str(value)) for floats while Decimal and int go in as they are; callers that pass Decimals keep their speed.
U> OK but please no isinstance ladder, we had that. One line if possible.
A> {+p4}One line then: Decimal(str(value)) for every type, since str of a Decimal or int is exact; no isinstance in cents.
$> python -c "
from decimal import Decimal as D
print(all(D(str(x)) == x for x in (D('1.10'), 7, D('-0.005'))))"
A> {+f3}For the test I planned tests/test_total.py with unittest, one method per example.
U> We use doctest here, put the examples into the docstring of total, please.
A> {-f3}Doctest then. {+p5}The examples of examples.txt become doctests in the docstring of total in invoice/total.py; accounting keeps its own list, so examples.txt must go back to the top folder unchanged. {+p6}Next: edit invoice/money.py, which is still unchanged, then the docstring, then commit.
@cut
$> {+c1}mv .git/tools/examples.txt examples.txt && sed -i 's/Decimal(value)/Decimal(str(value))/' invoice/money.py && git diff --stat && cat invoice/money.py
A> Against accounting's list:
$> PYTHONPATH=. python .git/tools/check.py
A> All five agree. Now the docstring.
$> python - <<'X'
p = 'invoice/total.py'
s = open(p).read()
examples = ''
for line in open('examples.txt'):
    nets, wanted = line.split('->')
    examples += f"    >>> print(total([{', '.join(nets.split())}]))\n    {wanted.strip()}\n"
s = s.replace('"""Sum of net amounts plus tax, per line."""', f'"""Sum of net amounts plus tax, per line.\n\n{examples}    """')
open(p, 'w').write(s)
X
cat invoice/total.py
A> Run it.
$> {+c2}python -m doctest invoice/total.py && echo doctests of invoice/total.py pass
A> Do they fail without the mend? I try that, a test that cannot fail is none.
$> sed -i 's/Decimal(str(value))/Decimal(value)/' invoice/money.py; python -m doctest invoice/total.py | grep -c '^Failed example'; sed -i 's/Decimal(value)/Decimal(str(value))/' invoice/money.py
A> Good. Other callers of cents, one amount at a time over a wide range: compare with exact arithmetic in cents.
@for a | b
@- 0 | 100
@- 100 | 1000
@- 1000 | 2500
@- 2500 | 5000
@- 5000 | 9999
@- 9999 | 12345
@- 12345 | 20000
@- 20000 | 31000
@- 31000 | 40000
@- 40000 | 50000
A> From {{a}} to {{b}} cents:
$> python - <<'X'
from invoice.tax import tax
from fractions import Fraction
wrong = 0
for c in range({{a}}, {{b}}):
    exact = Fraction(c * 19, 100)
    up = int(exact + Fraction(1, 2))
    wrong += int(tax(c / 100) * 100) != up
print({{b}} - {{a}}, 'amounts,', wrong, 'wrong')
X
@end
U> And discounts?
A> They multiply Decimals, but the same cents is at their end.
$> python - <<'X'
from invoice.discount import discount
print(discount(19.99, 10), discount(0.05, 50), discount(2.675, 0))
X
A> As they should be. Negative amounts, credit notes:
$> python -c "
from invoice.total import total
print(total([-19.99, 19.99]), total([-0.05]))"
A> Symmetric. I commit in two steps.
$> git add invoice/money.py && git commit -qm "cents: read floats by their shortest text, as before" && git log -1 --format='%s' | cat
A> And the examples:
$> git add invoice/total.py && git commit -qm "total: accounting's examples as doctests" && git log --oneline -3 --format=%s | cat
U> examples.txt untouched?
A> Yes:
$> git status --short; git diff HEAD~2 --stat -- examples.txt | wc -l
A> One more look at which files changed over both commits.
$> git diff --stat HEAD~2 | cat
A> The helper in .git/tools goes away too.
$> rm -rf .git/tools .git/view; ls -A
@for f | what
@- invoice/show.py | formatting
@- invoice/sign.py | signs
@- invoice/discount.py | discounts
@- invoice/tax.py | tax
A> Last, {{f}} ({{what}}) still imports and has no doctest that breaks.
$> python -m doctest {{f}} && wc -l {{f}}
@end
A> Finished: the culprit was the speed change, cents is mended in one line, half up is as it was, and the examples are doctests.
U> Great, merged.
=== gold
p1 | ROUND_HALF_UP in invoice/money.py is not to be touched | ROUND_HALF_UP; not to be touched
p2 | the culprit is the commit "speed: avoid str round trip in cents" | avoid str round trip; culprit
p3 | the fix is Decimal(str(value)) | Decimal(str(value))
p4 | one line for every type, no isinstance in cents | no isinstance
p5 | the examples of examples.txt become doctests in the docstring of total in invoice/total.py | doctests; invoice/total.py
p6 | next: edit invoice/money.py, which is still unchanged, then the docstring, then commit | invoice/money.py; docstring; commit
f1 | go back to ROUND_HALF_EVEN in money.py | ROUND_HALF_EVEN
f2 | round twice, quantize to 0.0001 and then to 0.01 | quantize to 0.0001
f3 | a file tests/test_total.py with unittest | tests/test_total.py
c1 | edit invoice/money.py to use Decimal(str(value)) | invoice/money.py; Decimal(str(value)) | tests/test_total.py
c2 | put doctests into invoice/total.py | invoice/total.py; doctests
