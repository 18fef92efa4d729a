id: 213
domain: writing
tools: {$: sh, W: save_text, R: show_text}
=== setup
import os, random
r = random.Random(33)
os.makedirs('recipes')
R = {
 'almond_cake': ['2 cups flour', '1 1/2 cups sugar', '1/2 cup butter', '4 eggs', '1 tsp salt', '350 F', '1 cup almonds'],
 'barley_soup': ['1 cup barley', '6 cups stock', '2 tbsp oil', '1 lb carrots', '1/2 lb leeks', '1 tsp salt'],
 'corn_bread': ['1 cup cornmeal', '1 cup flour', '1/4 cup sugar', '1 cup milk', '1/3 cup oil', '400 F'],
 'date_bars': ['8 oz dates', '1 cup oats', '3/4 cup flour', '1/2 cup butter', '325 F'],
 'egg_custard': ['2 cups milk', '1/3 cup sugar', '3 eggs', '1/4 tsp nutmeg', '300 F'],
 'fig_jam': ['2 lb figs', '3 cups sugar', '1/4 cup lemon juice', '1 stick cinnamon'],
 'gingerbread': ['2 1/4 cups flour', '1 cup molasses', '1/2 cup butter', '1 tbsp ginger', '350 F'],
 'honey_ham': ['7 lb ham', '1 cup honey', '2 tbsp mustard', '325 F'],
 'irish_stew': ['3 lb lamb', '2 lb potatoes', '4 cups stock', '1 tbsp thyme'],
 'jam_roll': ['1 cup flour', '3/4 cup sugar', '4 eggs', '1 cup jam', '375 F'],
 'kale_pie': ['1 lb kale', '1 1/4 cups flour', '1 stick butter', '6 oz feta', '375 F'],
}
text = {'F': 'Bake at {} until done.'}
for name, items in R.items():
    body = [f'# {name.replace("_", " ").title()}', '']
    body += [f'- {i}' for i in items if not i.endswith(' F')]
    heat = [i for i in items if i.endswith(' F')]
    body += ['', f'Preheat the oven to {heat[0]}.' if heat else 'Use a large pot.', r.choice(['Stir gently.', 'Let it rest 10 minutes.', 'Serve warm.']), f'Serves {r.randint(4, 8)}.']
    open(f'recipes/{name}.md', 'w').write('\n'.join(body) + '\n')
open('letter.txt', 'w').write('From the publisher: European edition. Grams and millilitres, Celsius. Spoons may stay (tsp, tbsp). Round so that a cook can measure it. British spelling. Manuscript due on the 9th.\n')
=== session
U> Good morning! My grandmother's book is going to be printed in Europe, and the publisher wants metric. letter.txt has their wishes, the recipes are in recipes/. Could you convert them? I know a little about cooking and nothing about computers, so please explain in plain words.
A> Good morning! I start by reading the letter and one recipe, nothing is changed yet.
$> cat letter.txt; cat recipes/almond_cake.md; ls recipes | wc -l
A> Eleven recipes. Every measure that occurs, to see what has to be converted:
$> grep -ohE '(cups?|lb|oz|tbsp|tsp|stick|F)\b' recipes/*.md | sort | uniq -c
A> Cups are the difficult ones: a cup is a volume, and the publisher wants grams for dry things. {+f1}The simplest rule would be to write every cup as 240 ml, dry or wet.
U> Oh no, nobody in Europe measures flour in millilitres. My sister in Ghent weighs everything.
A> {-f1}Thank you, that settles it: dry goods in grams. {+p1}Liquids become millilitres (a cup is 240 ml) and dry goods become grams. For that I need the weight of a cup for each thing.
$> grep -hE 'cups? ' recipes/*.md | sed -E 's/^- [0-9 \/]+ cups? //' | sort | uniq -c
A> {+f2}I know usual tables: flour 125 g a cup, sugar 200 g, butter 227 g, oats 90 g.
U> Grandmother scooped! Her cup of flour was heavy, I weighed it with her once: 140 grams. Please use hers for flour. The sugar is right.
A> {-f2}Good to know. {+p2}Grandmother's cup of flour weighs 140 g; sugar is 200 g a cup. I write the weights down in one small file.
W> weights.txt
flour 140
sugar 200
butter 227
almonds 145
barley 200
cornmeal 150
oats 90
jam 320
molasses 340
honey 340
A> Jam, molasses and honey are thick, a European cook weighs them. Now one recipe after the other, to see each line before I decide anything.
@for f | remark
@- almond_cake | the first page of the book
@- barley_soup | stock is a liquid
@- corn_bread | milk and oil are liquids
@- date_bars | ounces here
@- egg_custard | nutmeg by the spoon
@- fig_jam | a stick of cinnamon, careful
@- gingerbread | molasses
@- honey_ham | seven pounds
@- irish_stew | pounds again
@- jam_roll | a cup of jam
@- kale_pie | a stick of butter
A> {{f}}: {{remark}}.
$> grep -nE 'cup|lb|oz|stick| F' recipes/{{f}}.md
@end
A> {+p3}A "stick" is two things: a stick of butter is 113 g, a stick of cinnamon stays a stick. Next, the oven.
U> Gas marks too? My sister has a gas oven.
A> {+f3}I can add gas marks: 350 F would be 180 °C (gas mark 4).
$> grep -ohE '[0-9]+ F' recipes/*.md | sort | uniq -c
U> I asked the publisher: no gas marks in this series. Celsius only, please.
A> {-f3}Then Celsius alone. {+p4}Oven temperatures are given in Celsius only, rounded to ten: 300, 325, 350, 375 and 400 F become 150, 160, 180, 190 and 200 °C.
$> for f in 300 325 350 375 400; do echo "$f F = $(( (f - 32) * 5 / 9 )) C, cut to whole degrees"; done
A> Rounding of weights, "so that a cook can measure it". What would the raw figures look like?
$> python - <<'X'
for what, cups in (('flour', 2.25), ('flour', .75), ('sugar', 1/3), ('butter', .5), ('almonds', 1)):
    g = dict(l.split() for l in open('weights.txt'))[what]
    print(what, cups, 'cups =', round(float(g) * cups, 1), 'g')
X
A> {+p5}Rounding: below 100 g to 5, from 100 g to 10, from 1000 g to 50; millilitres the same way.
U> Is 113 for the butter stick then 110?
A> Yes, 110 g.
$> python -c "print(round(113 / 10) * 10)"
U> Fine, a knife's tip. Pounds?
A> {+p6}A pound is 454 g, so 1 lb becomes 450 g and 7 lb become 3.2 kg; from 1000 g on I write kilograms.
$> python -c "
for lb in (.5, 1, 2, 3, 7): print(lb, 'lb', round(lb * 454))"
U> And spelling? "molasses" is treacle over there, isn't it?
A> British cooks say black treacle. {+p7}Spelling is British, and molasses becomes black treacle. {+p8}Next: write convert.py that puts converted copies into metric/; the originals in recipes/ stay as they are. It is not written so far.
@cut
W> convert.py
import pathlib
import re
from fractions import Fraction

WEIGHT = dict(line.split() for line in open('weights.txt'))
OVEN = {'300': 150, '325': 160, '350': 180, '375': 190, '400': 200}


def number(text):
    return float(sum(Fraction(part) for part in text.split()))


def neat(value, unit):
    step = 5 if value < 100 else 10 if value < 1000 else 50
    value = round(value / step) * step
    if value >= 1000:
        return f"{value / 1000:g} {'kg' if unit == 'g' else 'l'}"
    return f'{value} {unit}'


def line(text):
    found = re.match(r'- ([\d /]+) (cups?|lb|oz|stick) (.*)', text)
    if found:
        amount, unit, thing = number(found[1]), found[2], found[3]
        if unit == 'lb':
            return f"- {neat(amount * 454, 'g')} {thing}"
        if unit == 'oz':
            return f"- {neat(amount * 28.35, 'g')} {thing}"
        if unit == 'stick':
            return f"- {neat(amount * 113, 'g')} {thing}" if thing == 'butter' else text
        if thing in WEIGHT:
            return f"- {neat(amount * float(WEIGHT[thing]), 'g')} {thing}"
        return f"- {neat(amount * 240, 'ml')} {thing}"
    return re.sub(r'(\d+) F\b', lambda m: f'{OVEN[m[1]]} °C', text)


out = pathlib.Path('metric')
out.mkdir(exist_ok=True)
for path in sorted(pathlib.Path('recipes').glob('*.md')):
    text = '\n'.join(line(x) for x in path.read_text().splitlines())
    (out / path.name).write_text(text.replace('molasses', 'black treacle') + '\n')
print(len(list(out.iterdir())), 'recipes converted')
$> {+c1}python convert.py; ls metric | head -3
A> I go through them with you, old beside new.
@for f | word
@- almond_cake | Two cups of flour
@- barley_soup | Six cups of stock
@- corn_bread | Cornmeal
@- date_bars | Dates
@- egg_custard | Custard
@- fig_jam | The cinnamon stick
@- gingerbread | Treacle
@- honey_ham | The ham
@- irish_stew | The stew
@- jam_roll | Jam by weight
@- kale_pie | Butter
A> {{word}}, {{f}}:
$> diff recipes/{{f}}.md metric/{{f}}.md | grep '^>' | cut -c3-
@end
U> The custard says 80 grams of sugar? wait, it says 65. Good, she used little.
A> Yes, a third of a cup. Is there any old measure left?
$> {+c2}grep -nE 'cup|lb\b|oz\b| F\b|molasses' metric/*.md; echo "looked through metric/"
U> Spoons stayed?
$> grep -c -E 'tsp|tbsp' metric/*.md | grep -v ':0'
A> They did, as the publisher allows.
U> Could every recipe say "Serves" at the top instead of the end?
A> Let me move that line under the title.
$> python - <<'X'
import pathlib
for p in sorted(pathlib.Path('metric').glob('*.md')):
    lines = p.read_text().splitlines()
    serves = [l for l in lines if l.startswith('Serves')]
    rest = [l for l in lines if not l.startswith('Serves')]
    p.write_text('\n'.join([rest[0], '', *serves, *rest[1:]]) + '\n')
X
head -5 metric/honey_ham.md
@for t
@- 150
@- 160
@- 180
@- 190
@- 200
A> Recipes at {{t}} degrees:
$> grep -l '{{t}} °C' metric/*.md | xargs -n1 basename | tr '\n' ' '
@end
U> My sister wants to try three of them first. Shortest ones?
$> wc -l metric/*.md | sort -n | head -3
A> Those three. A title list for the contents page:
$> grep -h '^# ' metric/*.md | cut -c3- | nl
U> Perfect. One file for the publisher, please.
$> for f in metric/*.md; do cat $f; echo; done > manuscript.md; wc -w manuscript.md
A> manuscript.md is for the publisher, before the 9th. The originals are untouched:
$> ls recipes | wc -l; grep -c cup recipes/almond_cake.md
U> You were very patient. Thank you!
=== gold
p1 | liquids become millilitres and dry goods become grams | millilitres; grams
p2 | grandmother's cup of flour weighs 140 g; sugar is 200 g | flour; 140 g
p3 | a stick of butter is 113 g, a stick of cinnamon stays a stick | butter; 113 g; cinnamon
p4 | oven temperatures are given in Celsius only, rounded to ten | Celsius only
p5 | rounding: below 100 g to 5, from 100 g to 10 | rounding; 100 g to 10
p6 | a pound is 454 g, from 1000 g on in kilograms | 454 g; kilograms
p7 | spelling is British, and molasses becomes black treacle | black treacle
p8 | next: write convert.py that puts converted copies into metric/; the originals in recipes/ stay as they are | convert.py; metric; recipes
f1 | write every cup as 240 ml, dry or wet | every cup as 240 ml
f2 | flour 125 g a cup | 125 g
f3 | add gas marks: gas mark 4 | gas mark 4
c1 | write convert.py and put copies into metric/ | convert.py; metric | gas mark 4; 125 g
c2 | look through metric/ for old measures | metric
