id: 218
domain: writing
tools: {$: bash, W: write_file, R: open}
=== setup
import os, random
r = random.Random(64)
chap = ['unpacking', 'safety', 'installation', 'first_start', 'daily_use', 'filters', 'cleaning', 'descaling', 'error_codes', 'storage', 'disposal', 'warranty']
v = [('drip tray', 'waste tray', 'drain tray'), ('brew unit', 'brewing unit', 'brew group'), ('water tank', 'reservoir', 'tank'), ('power switch', 'main switch', 'on/off button'), ('descaler', 'decalcifier', 'descaling agent')]
T = ['Remove the {0} and rinse it.', 'Never open the {1} while the machine is hot.', 'Fill the {2} up to the mark.', 'Press the {3} for two seconds.', 'Pour 100 ml of {4} into the {2}.', 'Check that the {0} sits firmly.', 'If the lamp blinks, empty the {0}.', 'The {1} must click into place.', 'WARNING: Unplug before you touch the {1}.', 'Do not put the {2} into the dishwasher.', 'Please ensure that the {3} is off.', 'It is recommended that the {4} be used monthly.']
os.makedirs('manual')
for n, c in enumerate(chap, 1):
    lines = [f'# {n}. {c.replace("_", " ").capitalize()}', '']
    for k in range(14):
        words = [r.choice(w if c != 'warranty' else w[:1]) for w in v]
        lines.append(T[(k * 5 + n) % 12].format(*words))
    open(f'manual/{n:02d}_{c}.txt', 'w').write('\n'.join(lines) + '\n')
open('brief.txt', 'w').write('House rules for manuals\n- one thing, one name\n- warnings begin with WARNING: and stand on a line of their own\n- imperative, no "please", no passive recommendations\n- the legal chapter (warranty) is approved and must not be edited\n')
=== session
U> The translation agency charges per variant. Our coffee machine manual calls the same part by three names. Please make the terms consistent, twelve chapters in manual/, house rules in brief.txt. Karim from engineering and Lotte from legal have opinions, I pass them on.
A> Brief and a first chapter.
$> cat brief.txt; ls manual; head -8 manual/01_unpacking.txt
A> Which names occur, and how often?
$> for t in 'drip tray' 'waste tray' 'drain tray' 'brew unit' 'brewing unit' 'brew group' 'water tank' 'reservoir' 'power switch' 'main switch' 'on/off button' 'descaler' 'decalcifier' 'descaling agent'; do printf '%-16s %s\n' "$t" "$(grep -ow "$t" manual/*.txt | wc -l)"; done
A> Five parts with three names each. {+f1}Pick by majority: the most frequent name of each part becomes the term.
U> Karim says majority is nonsense, the parts list decides: drip tray, brew group, water tank, main switch. For the descaler he has no part number.
A> {-f1}So not by counting. {+p1}The parts list decides: drip tray, brew group, water tank, main switch. And the fluid?
U> I would say "descaling agent", that's on the bottle.
A> {+p2}The fluid is called descaling agent, as on the bottle. Plain "tank" is the tricky one, it also sits inside "water tank". Chapter by chapter:
@for c | aside
@- 01_unpacking | parts are named for the first time here
@- 02_safety | warnings
@- 03_installation | plumbing
@- 04_first_start | switches
@- 05_daily_use | most read
@- 06_filters | filters
@- 07_cleaning | trays
@- 08_descaling | fluids
@- 09_error_codes | tables
@- 10_storage | winter
@- 11_disposal | recycling
@- 12_warranty | legal, hands off
A> {{c}}: {{aside}}.
$> f=manual/{{c}}.txt; echo "variants $(grep -owE 'waste tray|drain tray|brew unit|brewing unit|reservoir|power switch|on/off button|descaler|decalcifier' $f | wc -l), bare tank $(sed 's/water tank//g' $f | grep -ow tank | wc -l), warnings $(grep -c '^WARNING:' $f), please $(grep -ci please $f), recommended $(grep -c 'is recommended' $f)"
@end
A> {+f2}The quickest would be one sed over manual/*.txt with all replacements.
U> WAIT. Lotte: the warranty chapter is approved text, not a comma may change, even if it has wrong terms.
A> {-f2}Not over all files, then. {+p3}12_warranty.txt is never edited; its checksum is taken now.
$> sha256sum manual/12_warranty.txt | cut -c1-16 | tee warranty.sum
A> Replacement must respect longer names first: "descaling agent" contains no other, but "tank" must not turn "water tank" into "water water tank". I test on one line.
$> echo 'Fill the tank. Fill the water tank. Fill the reservoir.' | perl -pe 's/\b(?<!water )tank\b/water tank/g; s/\breservoir\b/water tank/g'
A> {+p4}Bare "tank" becomes "water tank" only where "water" is not already in front of it.
U> Karim again: in chapter 6 "reservoir" is a different thing! The filter has its own little reservoir.
A> Let me look at the places.
$> grep -n reservoir manual/06_filters.txt
A> {+f4}In 06_filters.txt "reservoir" is left as it is, it is a part of the filter.
U> Hmm, he now says only where it says "filter reservoir". The others there are the tank.
$> grep -c 'filter reservoir' manual/06_filters.txt; true
A> There is no "filter reservoir" in the chapter at all, every one is plain.
U> Then he remembers an older edition. Treat chapter 6 like the rest, please.
A> {-f4}Chapter 6 has no exception, then. {+p6}"reservoir" becomes "water tank" in every chapter but the warranty, 06_filters.txt included.
$> grep -l reservoir manual/*.txt | wc -l
A> Sentences next. "Please ensure that the … is off." {+f3}I turn that into "Make sure that the … has been switched off."
U> Passive! Imperative, the brief says: "Switch off the main switch."
A> {-f3}Right. {+p7}"Please ensure that the main switch is off." becomes "Switch off the main switch."; "It is recommended that X be used monthly." becomes "Use X monthly."
$> grep -hE 'Please|recommended' manual/*.txt | sort | uniq -c | sort -rn | head -5
A> Are warnings on lines of their own everywhere?
$> grep -n 'WARNING' manual/*.txt | grep -vc ':WARNING:'; grep -hc '^WARNING' manual/02_safety.txt
A> They are. Does "hot" appear without a warning? "Never open the … while the machine is hot" sounds like one.
$> grep -h 'Never open' manual/*.txt | wc -l
U> Lotte: yes, that one must be a WARNING too.
A> {+p8}"Never open the brew group while the machine is hot." gets WARNING: in front. {+p9}Next: write terms.py with all these rules, run it on the eleven chapters (not 12), and list the changes in changes.csv for the agency; nothing has been replaced so far.
@cut
W> terms.py
import csv
import pathlib
import re

RULES = [
    (r'\b(?:waste|drain) tray\b', 'drip tray'),
    (r'\b(?:brew|brewing) unit\b', 'brew group'),
    (r'\breservoir\b', 'water tank'),
    (r'(?<!water )\btank\b', 'water tank'),
    (r'\bpower switch\b|on/off button', 'main switch'),
    (r'\bdescaler\b|\bdecalcifier\b', 'descaling agent'),
    (r'Please ensure that the main switch is off\.', 'Switch off the main switch.'),
    (r'It is recommended that the descaling agent be used monthly\.', 'Use the descaling agent monthly.'),
    (r'^Never open', 'WARNING: Never open'),
]
rows = []
for path in sorted(pathlib.Path('manual').glob('*.txt')):
    if path.name.startswith('12_'):
        continue
    lines = path.read_text().splitlines()
    for n, line in enumerate(lines):
        new = line
        for pattern, text in RULES:
            new = re.sub(pattern, text, new)
        if new != line:
            rows.append([path.name, n + 1, line, new])
            lines[n] = new
    path.write_text('\n'.join(lines) + '\n')
if rows:
    with open('changes.csv', 'w', newline='') as f:
        csv.writer(f).writerows(rows)
print(len(rows), 'lines changed')
$> {+c1}python terms.py && head -3 changes.csv
A> A second run must change nothing.
$> python terms.py
A> The warranty is untouched?
$> {+c2}sha256sum manual/12_warranty.txt | cut -c1-16 | diff - warranty.sum && echo 12_warranty.txt untouched
@for c | w
@- 01_unpacking | first
@- 02_safety | second
@- 03_installation | third
@- 04_first_start | fourth
@- 05_daily_use | fifth
@- 06_filters | the disputed one
@- 07_cleaning | seventh
@- 08_descaling | eighth
@- 09_error_codes | ninth
@- 10_storage | tenth
@- 11_disposal | last
A> Reading {{c}} ({{w}}) as it is now, the lines that changed most.
$> grep '^{{c}}.txt' changes.csv | wc -l; sed -n '4,6p' manual/{{c}}.txt
A> Anything forbidden left?
$> grep -nowE 'waste tray|drain tray|brew unit|brewing unit|reservoir|power switch|descaler|decalcifier|Please' manual/{{c}}.txt | wc -l
@end
U> How many words does the agency save?
A> Distinct sentences before and after, that is what they charge for:
$> python - <<'X'
import csv, glob
after = {l for p in glob.glob('manual/*.txt') for l in open(p)}
changed = list(csv.reader(open('changes.csv')))
new = {r[3] + '\n' for r in changed}; old = {r[2] + '\n' for r in changed}
print('distinct sentences now', len(after), 'before', len((after - new) | old))
X
U> Excellent! Add a term list for them?
W> term_list.txt
drip tray
brew group
water tank
main switch
descaling agent
A> Each term in use?
$> while read t; do printf '%-16s %s\n' "$t" "$(grep -ow "$t" manual/*.txt | wc -l)"; done < term_list.txt
A> And a look at double words, a usual accident of replacing.
$> grep -nE '\b(\w+) \1\b' manual/*.txt | wc -l
U> Lotte asks for the number of warnings before printing.
$> grep -c '^WARNING' manual/*.txt | awk -F: '{s+=$2} END {print s}'
A> That many, each on its own line.
U> All approved. Thank you!
=== gold
p1 | the parts list decides: drip tray, brew group, water tank, main switch | parts list; brew group; main switch
p2 | the fluid is called descaling agent | descaling agent
p3 | 12_warranty.txt is never edited | 12_warranty.txt; never edited
p4 | bare "tank" becomes "water tank" only where "water" is not already in front of it | tank; water tank
p6 | "reservoir" becomes "water tank" in every chapter but the warranty, 06_filters.txt included | reservoir; 06_filters.txt; included
p7 | "Please ensure that the main switch is off." becomes "Switch off the main switch." | Switch off the main switch
p8 | "Never open the brew group while the machine is hot." gets WARNING: in front | WARNING; brew group
p9 | next: write terms.py with all these rules, run it on the eleven chapters, and list the changes in changes.csv | terms.py; eleven chapters; changes.csv
f1 | pick by majority: the most frequent name becomes the term | majority
f2 | one sed over manual/*.txt with all replacements | one sed
f3 | turn it into "has been switched off" | has been switched off
f4 | in 06_filters.txt "reservoir" is left as it is, a part of the filter | reservoir; left as it is
c1 | write terms.py and list the changes in changes.csv | terms.py; changes.csv | one sed
c2 | leave 12_warranty.txt untouched | 12_warranty.txt
