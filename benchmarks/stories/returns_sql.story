id: 212
domain: data_analysis
tools: {$: sql_shell, W: write_file, R: read_file}
=== setup
import random, sqlite3
r = random.Random(6161)
c = sqlite3.connect('shop.db')
c.executescript('''create table orders(id integer primary key, day text, customer int, channel text);
create table items(order_id int, sku text, qty int, price_cents int);
create table returns(id integer primary key, order_id int, sku text, qty int, day text, reason text);
create table skus(sku text primary key, family text, supplier text);''')
fam = ['boots', 'sandals', 'sneakers', 'slippers', 'loafers', 'clogs', 'brogues', 'mules', 'pumps']
sup = ['Norvik', 'Talma', 'Oyster', 'Brandweer']
skus = []
for f in fam:
    for k in range(6):
        s = f'{f[:3].upper()}{k}'
        skus.append((s, f, sup[(fam.index(f) + k) % 4])); c.execute('insert or ignore into skus values(?,?,?)', skus[-1])
rid = 0
for i in range(1, 2601):
    day = f'2025-{1 + i % 12:02d}-{1 + i % 28:02d}'
    c.execute('insert into orders values(?,?,?,?)', (i, day, r.randint(1, 700), r.choice(['web', 'web', 'shop', 'app'])))
    for s, f, u in r.sample(skus, r.randint(1, 3)):
        q = r.choice([1, 1, 1, 2])
        c.execute('insert into items values(?,?,?,?)', (i, s, q, r.randint(19, 180) * 100 - 1))
        rate = .08 + (.25 if u == 'Talma' and f in ('boots', 'brogues') and int(day[5:7]) >= 7 else 0) + (.04 if f == 'pumps' else 0)
        if r.random() < rate:
            rid += 1
            c.execute('insert into returns values(?,?,?,?,?,?)', (rid, i, s, 1, day, r.choice(['size', 'size', 'quality', 'other']) if rate < .2 else r.choice(['quality', 'quality', 'sole', 'size'])))
            if r.random() < .06:
                rid += 1
                c.execute('insert into returns values(?,?,?,?,?,?)', (rid, i, s, 1, day, 'size'))
for k in range(25): c.execute('insert into orders values(?,?,?,?)', (9000 + k, '2025-06-31', 0, 'test'))
c.commit()
=== session
U> returns went up. why. shop.db
A> Tables first.
$> sqlite3 shop.db ".schema" "select 'orders', count(*) from orders union all select 'items', count(*) from items union all select 'returns', count(*) from returns;"
A> Return rate by month, returns over items:
$> sqlite3 shop.db "select substr(o.day,6,2) m, count(*) items, sum(exists(select 1 from returns r where r.order_id=i.order_id and r.sku=i.sku)) ret from items i join orders o on o.id=i.order_id group by m;"
A> A little up in the second half, and it may sit in one corner. Data quality, before causes.
$> sqlite3 shop.db "select channel, count(*), min(day), max(day) from orders group by channel;"
A> {+p1}25 orders of the channel test, dated 2025-06-31, without items: left out everywhere.
$> sqlite3 shop.db "select count(*) from (select order_id, sku, count(*) n, max(qty) q from returns group by 1, 2 having n > 1);" "select count(*) from returns;"
A> Some returns are booked twice. {+f1}I take the sum of returns.qty over items.qty as the rate.
U> no. scanner books twice. count a line once
A> {-f1}OK. {+p2}A line (order, sku) counts as returned once, however often it was scanned. Rate by family then.
$> sqlite3 shop.db "create view lines as select i.order_id, i.sku, s.family, s.supplier, o.day, o.channel, i.qty, i.price_cents, exists(select 1 from returns r where r.order_id=i.order_id and r.sku=i.sku) ret from items i join orders o on o.id=i.order_id join skus s using(sku) where o.channel<>'test'; select count(*), sum(ret) from lines;"
A> {+p3}The view lines in shop.db holds that; every query goes through it.
@for f | c
@- boots | heavy stuff
@- sandals | summer
@- sneakers | the bulk
@- slippers | gifts
@- loafers | office
@- clogs | gardens
@- brogues | leather
@- mules | few
@- pumps | fitting trouble
A> {{f}} ({{c}}), first half against second:
$> sqlite3 shop.db "select case when day<'2025-07' then 'H1' else 'H2' end h, count(*), sum(ret), round(100.0*sum(ret)/count(*),1) from lines where family='{{f}}' group by h;"
@end
U> boots + brogues. weather?
A> {+f2}Hypothesis weather: autumn rain, so it would grow month by month from September.
$> sqlite3 shop.db "select substr(day,6,2) m, count(*), sum(ret), round(100.0*sum(ret)/count(*),1) from lines where family in ('boots','brogues') group by m;"
A> {-f2}It jumps in July, in the driest month: weather is ruled out. Supplier?
$> sqlite3 shop.db "select supplier, case when day<'2025-07' then 'H1' else 'H2' end h, count(*), round(100.0*sum(ret)/count(*),1) from lines where family in ('boots','brogues') group by 1,2;"
A> {+p4}Only Talma: boots and brogues from Talma jump in July, other suppliers are flat.
U> talma other families?
$> sqlite3 shop.db "select family, case when day<'2025-07' then 'H1' else 'H2' end h, count(*), round(100.0*sum(ret)/count(*),1) from lines where supplier='Talma' group by 1,2;"
A> Flat elsewhere: leather goods only. Reasons given:
$> sqlite3 shop.db "select r.reason, count(distinct r.order_id||r.sku) from returns r join lines l on l.order_id=r.order_id and l.sku=r.sku where l.supplier='Talma' and l.family in ('boots','brogues') and l.day>='2025-07' group by 1 order by 2 desc;"
A> {+p5}Reasons are mostly quality and sole, size comes after them.
U> channel effect?
A> {+f3}Possible: the app launched a new size guide in July, so app orders carry the rise.
$> sqlite3 shop.db "select channel, case when day<'2025-07' then 'H1' else 'H2' end h, count(*), round(100.0*sum(ret)/count(*),1) from lines where supplier='Talma' and family in ('boots','brogues') group by 1,2;"
A> {-f3}All channels rise alike, so not the app.
U> which skus
$> sqlite3 shop.db "select sku, family, count(*), round(100.0*sum(ret)/count(*),1) from lines where supplier='Talma' and family in ('boots','brogues') and day>='2025-07' group by 1,2 order by 4 desc;"
A> All of them. How much money is it?
$> sqlite3 shop.db "select sum(price_cents)/100 from lines where ret and supplier='Talma' and family in ('boots','brogues') and day>='2025-07';"
@let euros (\d+)
A> {+p6}{{euros}} euros of returned goods from July to December.
U> pumps also high?
A> Pumps are a little above the rest, and not since July.
$> sqlite3 shop.db "select case when day<'2025-07' then 'H1' else 'H2' end h, round(100.0*sum(ret)/count(*),1) from lines where family='pumps' group by 1;"
U> ignore pumps. need certainty on talma
A> {+p7}Next: permutation test of the July jump for Talma boots and brogues against other suppliers, 2000 shuffles, in perm.py (not written); then one page talma.md for purchasing.
U> do
@cut
W> perm.py
import random
import sqlite3

rows = sqlite3.connect('shop.db').execute(
    "select supplier = 'Talma', day >= '2025-07', ret from lines where family in ('boots', 'brogues') order by order_id, sku"
).fetchall()


def effect(labels):
    cells = {}
    for talma, (_, late, ret) in zip(labels, rows):
        n, k = cells.get((talma, late), (0, 0))
        cells[talma, late] = (n + 1, k + ret)
    rate = {key: k / n for key, (n, k) in cells.items()}
    return (rate[1, 1] - rate[1, 0]) - (rate[0, 1] - rate[0, 0])


r = random.Random(1)
labels = [t for t, _, _ in rows]
seen = effect(labels)
above = 0
for _ in range(2000):
    r.shuffle(labels)
    above += effect(labels) >= seen
print('effect %.3f, %d of 2000 shuffles reach it' % (seen, above))
$> {+c1}python perm.py
A> Each family alone as a control.
@for f
@- boots
@- brogues
@- sandals
@- sneakers
@- slippers
@- loafers
@- clogs
@- mules
@- pumps
A> {{f}}:
$> sed "s/family in ('boots', 'brogues')/family = '{{f}}'/" perm.py > one.py && python one.py; rm one.py
@end
U> months?
@for m | w
@- 07 | July
@- 08 | August
@- 09 | September
@- 10 | October
@- 11 | November
@- 12 | December
A> {{w}}, Talma leather:
$> sqlite3 shop.db "select count(*), sum(ret), round(100.0*sum(ret)/count(*),1) from lines where supplier='Talma' and family in ('boots','brogues') and substr(day,6,2)='{{m}}';"
@end
A> No month stands out, it is the whole half-year.
$> sqlite3 shop.db "select count(distinct customer) from lines l join orders o on o.id=l.order_id where ret and supplier='Talma' and family in ('boots','brogues') and l.day>='2025-07';"
A> {{/(\d+)/}} customers, so no single serial returner.
$> sqlite3 shop.db "select customer, count(*) n from lines l join orders o on o.id=l.order_id where ret group by 1 order by n desc, 1 limit 3;"
U> write
W> talma.md
# Talma leather

Boots and brogues from Talma come back far more often since July; other suppliers and
other Talma families do not. Customers name quality and the sole.
A> Figures from the database:
$> {+c2}sqlite3 -markdown shop.db "select case when day<'2025-07' then 'Jan-Jun' else 'Jul-Dec' end half, count(*) sold, sum(ret) returned, round(100.0*sum(ret)/count(*),1) percent from lines where supplier='Talma' and family in ('boots','brogues') group by 1;" >> talma.md; cat talma.md
U> euro
$> echo "Returned goods July to December: {{euros}} euros." >> talma.md; tail -1 talma.md
A> Does it hold per piece as well, by quantity?
$> sqlite3 shop.db "select case when day<'2025-07' then 'H1' else 'H2' end h, sum(qty), sum(ret*qty) from lines where supplier='Talma' and family in ('boots','brogues') group by 1;"
A> Same picture. The view can stay?
U> drop it
$> sqlite3 shop.db "drop view lines; select name from sqlite_master where type='view';"; echo gone
A> Dropped; queries are in the page's history.
U> ok
=== gold
p1 | 25 orders of the channel test, dated 2025-06-31, are left out | channel test; left out
p2 | a line (order, sku) counts as returned once, however often it was scanned | once; scanned
p3 | the view lines in shop.db holds that; every query goes through it | view lines
p4 | boots and brogues from Talma jump in July, other suppliers are flat | Talma; July; boots
p5 | reasons are mostly quality and sole | quality and sole
p6 | {{euros}} euros of returned goods from July to December | {{euros}} euros
p7 | next: permutation test for Talma boots and brogues, 2000 shuffles, in perm.py; then talma.md for purchasing | perm.py; talma.md; 2000 shuffles
f1 | the sum of returns.qty over items.qty as the rate | returns.qty
f2 | weather: autumn rain | autumn rain
f3 | the app launched a new size guide in July | size guide
c1 | write perm.py with 2000 shuffles | perm.py; 2000 shuffles | autumn rain; size guide
c2 | write talma.md | talma.md
