id: 228
domain: data_analysis
tools: {$: bash, W: write, R: read}
=== setup
import csv, random
r = random.Random(515)
flats = [f'F{n:02d}' for n in range(1, 13)]
months = ['2025-%02d' % m for m in range(1, 13)]
rows = []
main = {}
for k, f in enumerate(flats):
    z = r.randint(2000, 9000)
    for i, m in enumerate(months):
        use = r.randint(140, 260) + 10 * k
        if f == 'F05' and i >= 6: use = 0
        if f == 'F09' and i == 7: z = 0
        z += use
        v = z
        if f == 'F03' and i == 4: v = z * 10
        if f == 'F11' and i in (2, 3): v = None
        rows.append([f, m, '' if v is None else v])
        main[m] = main.get(m, 0) + use
with open('readings.csv', 'w', newline='') as out:
    w = csv.writer(out); w.writerow(['flat', 'month', 'reading_kwh']); w.writerows(rows)
tot = 40000
with open('main_meter.csv', 'w', newline='') as out:
    w = csv.writer(out); w.writerow(['month', 'reading_kwh'])
    w.writerow(['2024-12', tot])
    for m in months:
        tot += main[m] + 310
        w.writerow([m, tot])
open('contract.txt', 'w').write('Price 31.5 ct/kWh, base fee 12.60 per flat and month. Stairwell and lift (main meter minus flats) are shared equally.\nReadings are end of month; January needs the December reading, which is in the old ledger: see old.txt\n')
old = {f: [x for x in rows if x[0] == f][0][2] - r.randint(150, 250) for f in flats}
open('old.txt', 'w').write('\n'.join(f'{f} {v}' for f, v in old.items()) + '\n')
=== session
U> bill 2025 for the 12 flats please. readings.csv main_meter.csv old.txt contract.txt. I am the caretaker's niece, he is in hospital, so I don't know much but I can look at meters for you.
A> I hope he is well soon. First what he left.
$> cat contract.txt; head -3 readings.csv; head -3 main_meter.csv; cat old.txt | tr '\n' ';'
A> Consumption is the difference of two readings. Flat by flat:
@for f | w
@- F01 | ground floor left
@- F02 | ground floor right
@- F03 | first floor left
@- F04 | first floor right
@- F05 | second floor left
@- F06 | second floor right
@- F07 | third floor left
@- F08 | third floor right
@- F09 | fourth floor left
@- F10 | fourth floor right
@- F11 | attic left
@- F12 | attic right
A> {{f}}, {{w}}.
$> python - <<'X'
import csv
v = [int(open('old.txt').read().split('{{f}} ')[1].split()[0])] + [int(r['reading_kwh']) if r['reading_kwh'] else None for r in csv.DictReader(open('readings.csv')) if r['flat'] == '{{f}}']
print([None if a is None or b is None else b - a for a, b in zip(v, v[1:])])
X
@end
A> {+p1}Four flats are odd: F03 jumps in May (a digit too much), F05 uses nothing from July on, F09 falls to near zero in August, F11 lacks March and April. The others are plain.
U> oh. what can I look at?
A> F05 first: {+f1}zero for six months, I would estimate it from the first half of the year.
U> F05 was empty from July, Mrs Okafor moved to her son. Fuse is out, I saw it.
A> {-f1}Then zero is true. {+p2}F05 was empty from July on, its zero consumption is right and is not estimated; the base fee is due all the same?
U> uncle says on the phone yes, base fee is per flat not per person
A> {+p3}The base fee of 12.60 is due for F05 too, for all twelve months.
$> python -c "print(round(12.60 * 12, 2))"
A> F09 in August: {+f2}a typing error perhaps, I could put the average of July and September there.
$> grep F09 readings.csv | sed -n '6,10p'
U> I looked: F09 has a NEW meter. a sticker says August 2025, started at 0
A> {-f2}Not an error at all. {+p4}F09 got a new meter in August that began at 0, so its August is the reading itself; what the old meter counted in August before the exchange is unknown.
U> uncle: exchange was on the 1st of August in the morning
A> So nothing is missing. {+p5}The exchange was on 1 August in the morning, nothing was lost between the meters.
$> python -c "
import csv
v = [r['reading_kwh'] for r in csv.DictReader(open('readings.csv')) if r['flat'] == 'F09']
print(v[6], v[7], v[8])"
A> F03 in May, a digit too much:
$> grep F03 readings.csv | sed -n '4,6p'
A> Dividing by ten gives a number between its neighbours.
$> python - <<'X'
import csv
v = [int(r['reading_kwh']) for r in csv.DictReader(open('readings.csv')) if r['flat'] == 'F03']
print(v[3], v[4] / 10, v[5])
X
A> {+p6}F03's May reading has a zero too many and is divided by ten. F11 lacks March and April: {+f3}I fill the two months with the average of all other flats.
U> can't you see it from the next reading?
A> {-f3}You are quite right, no average is needed: the reading of May minus that of February covers the three months. {+p7}F11: consumption of March to May is known as a sum and billed as such; for the yearly bill the split does not matter.
$> python - <<'X'
import csv
v = [r['reading_kwh'] for r in csv.DictReader(open('readings.csv')) if r['flat'] == 'F11']
print('March to May together:', int(v[4]) - int(v[1]))
X
A> Does it agree with the main meter? Sum of flats against the main meter, month by month, would show anything forgotten.
$> python - <<'X'
import csv
m = [int(r['reading_kwh']) for r in csv.DictReader(open('main_meter.csv'))]
print([b - a for a, b in zip(m, m[1:])], 'sum', m[-1] - m[0])
X
@let house sum (\d+)
A> {+p8}The main meter counted {{house}} kWh in the year. The rest over the flats is stairwell and lift, shared equally by twelve.
U> by twelve, F05 too?
A> The contract says equally, per flat.
$> grep -o 'shared equally' contract.txt
U> ok uncle agrees
A> {+p9}Next: write bill.py, which makes one file per flat in bills/ and a sum that must equal the main meter; it is not written yet.
U> rounding to cents, and he wants no VAT line, it's included
A> {+p10}Amounts are rounded to cents per line, VAT is included and gets no line.
@cut
W> bill.py
import csv
import pathlib
from decimal import ROUND_HALF_UP, Decimal

PRICE, BASE = Decimal('0.315'), Decimal('12.60')
OLD = dict(line.split() for line in open('old.txt'))


def readings():
    out = {}
    for r in csv.DictReader(open('readings.csv')):
        value = int(r['reading_kwh']) if r['reading_kwh'] else None
        if (r['flat'], r['month']) == ('F03', '2025-05'):
            value //= 10
        out.setdefault(r['flat'], {})[r['month']] = value
    return out


def used(flat, by_month):
    if flat == 'F09':
        return by_month['2025-07'] - int(OLD[flat]) + by_month['2025-12']
    return by_month['2025-12'] - int(OLD[flat])


def cents(x):
    return x.quantize(Decimal('0.01'), rounding=ROUND_HALF_UP)


flats = {f: used(f, m) for f, m in readings().items()}
meter = [int(r['reading_kwh']) for r in csv.DictReader(open('main_meter.csv'))]
house = meter[-1] - meter[0]
shared = house - sum(flats.values())

if __name__ == '__main__':
    out = pathlib.Path('bills')
    out.mkdir(exist_ok=True)
    total = Decimal(0)
    for f, kwh in flats.items():
        lines = [('own use', kwh, cents(kwh * PRICE)), ('stairs and lift', round(shared / 12, 1), cents(shared * PRICE / 12)), ('base fee', 12, cents(BASE * 12))]
        amount = sum(x[2] for x in lines)
        total += amount
        (out / f'{f}.txt').write_text('\n'.join(f'{a:16}{b:>9}{c:>10}' for a, b, c in lines) + f'\n{"total":16}{"":9}{amount:>10}\n')
    print('flats', sum(flats.values()), 'shared', shared, 'house', house, 'total', total)
$> {+c1}python bill.py; ls bills | wc -l; ls bill.py
A> Shared use is {{/shared (\d+)/}} kWh. Each bill before it is printed:
@for f
@- F01
@- F02
@- F03
@- F04
@- F05
@- F06
@- F07
@- F08
@- F09
@- F10
@- F11
@- F12
A> {{f}}:
R> bills/{{f}}.txt
@end
U> F05 pays that much for an empty flat?
A> Half a year of use, its share of the lift and the base fee.
$> python -c "
import bill
print(bill.flats['F05'], 'kWh of its own')"
A> Does the sum agree with the main meter times the price?
$> {+c2}python - <<'X'
import bill
from decimal import Decimal
exact = bill.house * bill.PRICE + 12 * 12 * bill.BASE
print('main meter says', exact)
X
A> Off by cents from rounding only. The shared part, is it plausible per month?
$> python -c "
import bill
print(round(bill.shared / 12), 'kWh a month for stairs and lift')"
U> uncle nods, about 300
@for f | g
@- F03 | May
@- F09 | August
@- F11 | March
A> A note for {{f}}, who will ask about {{g}}.
$> echo "{{f}}: {{g}} was checked at the meter." >> notes.txt; tail -1 notes.txt
@end
A> Who uses most?
$> python -c "
import bill
print(sorted(bill.flats.items(), key=lambda x: -x[1])[:3])"
@for a | b
@- 150 | 1000
@- 1000 | 2000
@- 2000 | 3000
@- 3000 | 5000
A> Flats between {{a}} and {{b}} kWh:
$> python -c "
import bill
print([f for f, k in bill.flats.items() if {{a}} <= k < {{b}}])"
@end
U> can you make an advance for 2026? a twelfth, rounded up to 5 euros
$> python - <<'X'
import bill, math
from decimal import Decimal
for f, kwh in bill.flats.items():
    year = bill.cents(kwh * bill.PRICE) + bill.cents(bill.shared * bill.PRICE / 12) + 12 * bill.BASE
    print(f, math.ceil(year / 12 / 5) * 5, end='; ')
print()
X
A> For F05 that is too high if it stays empty, or too low if someone moves in.
U> F05 new tenant in March. set 60
$> echo 'F05 advance 60 (new tenant in March)' >> notes.txt; cat notes.txt
A> One page with all totals for your uncle:
$> grep -H total bills/*.txt | sed 's/bills.//; s/.txt:total//' | tr -s ' ' | tee summary.txt
A> Sum of the page:
$> awk '{s+=$2} END {printf "%.2f\n", s}' summary.txt
U> he's smiling. thank you so much
=== gold
p1 | four flats are odd: F03 jumps in May, F05 uses nothing from July on, F09 falls in August, F11 lacks March and April | F03; F05; F09; F11
p2 | F05 was empty from July on, its zero consumption is right | F05; empty
p3 | the base fee of 12.60 is due for F05 too | base fee; F05
p4 | F09 got a new meter in August that began at 0 | F09; new meter
p5 | the exchange was on 1 August in the morning, nothing was lost | exchange; 1 August
p6 | F03's May reading has a zero too many and is divided by ten | F03; divided by ten
p7 | F11: consumption of March to May is known as a sum | F11; known as a sum
p8 | the main meter counted {{house}} kWh; the rest is stairwell and lift, shared equally by twelve | {{house}} kWh; shared equally
p9 | next: write bill.py, which makes one file per flat in bills/ and a sum that must equal the main meter | bill.py; bills; main meter
p10 | amounts are rounded to cents per line, VAT is included and gets no line | cents; VAT
f1 | zero for six months, estimate it from the first half of the year | estimate it from the first half
f2 | put the average of July and September there | July and September
f3 | fill the two months with the average of all other flats | average of all other flats
c1 | write bill.py and the files in bills | bill.py; bills | average of all other flats
c2 | compare the sum with the main meter | main meter
