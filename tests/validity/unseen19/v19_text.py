"""Sentences the users and agents of the three teams say."""

ASK = {
 "fix": [
  "{file} drops the last {thing} when the {thing2} is empty, please repair that",
  "since yesterday {sym} returns the {thing} twice; find out why and fix it",
  "{person} reports that the {thing} is shown with the wrong {thing2}. I suspect {file}",
  "the {thing} hangs after {n} minutes, the stack ends in {file}, get rid of it",
  "{sym} in {file} ignores the {thing2} flag, that must not be",
  "we lose a {thing} whenever two people touch the same {thing2}. Start at {file}",
  "rounding in {file} is off by one for more than {n} {thing}s",
  "ticket {n}: the {thing} fails if {thing2} has a space in its name, cure it in {file}",
  "the nightly run died in {file} at the {thing} step, can you make it survive a missing {thing2}"],
 "add": [
  "give {file} an option to skip the {thing} when {thing2} is absent",
  "I want a second {thing} next to the one in {file}, limited to {n} entries",
  "add a {thing} counter to {file} and let {sym} report it",
  "we need to export every {thing} as csv; put the code beside {file}",
  "please let {sym} accept a list of {thing}s instead of a single one",
  "implement the {thing} preview that {person} described: {n} rows, grouped by {thing2}",
  "extend {file} so that each {thing} keeps its {thing2}",
  "a small command that prints the {thing} for one {thing2} would help the desk, near {file}"],
 "refactor": [
  "{file} has become a mess, split the {thing} part from the {thing2} part",
  "rename {sym} to something that says it handles a {thing}, everywhere",
  "take the {thing} logic out of {file} and make it its own module",
  "the three copies of the {thing} loop should be one helper, {file} is the best home",
  "turn the nested branches in {file} into a table keyed by {thing}",
  "{sym} takes {n} arguments, group those about the {thing2}",
  "remove the old {thing} path from {file}, nobody uses it any more"],
 "explain": [
  "how does a {thing} get from {file} to the {thing2}?",
  "what exactly does {sym} guarantee about the {thing}?",
  "walk me through {file}, I have never worked on the {thing}",
  "why do we keep {n} copies of each {thing}? {file} seems to be the origin",
  "where is the {thing} decided, in {file} or further down?",
  "I do not understand the relation of {thing} and {thing2} in {file}, explain it for {person}",
  "who calls {sym} and with which {thing2}?"],
 "review": [
  "look over the branch of {person}, it touches the {thing} and {file}",
  "review the last {n} commits with an eye on the {thing2} handling",
  "read the change in {file} critically before I merge it",
  "is the patch for the {thing} safe if the {thing2} comes late?",
  "check what {person} did to {sym}, I only need the serious points",
  "second opinion on the {thing} diff please, focus on {file}"],
 "deploy": [
  "bring the current state to the staging machine and see whether the {thing} answers",
  "roll out build {n} and watch the {thing2} for a moment",
  "please publish the {thing} service, {person} waits for it",
  "put the fix for the {thing} on the test system",
  "restart the {thing} workers and tell me if they come up",
  "release time: tag it, build it, send it to staging, check the {thing}",
  "deploy only the {thing} part, leave the {thing2} alone"],
 "data": [
  "make me a table of all {thing}s from the last {n} weeks with their {thing2}",
  "the {thing} import of {person} has to be cleaned before tomorrow: no empty {thing2}, no doubles",
  "count how many {thing}s lack a {thing2} and list the worst {n}",
  "convert the old {thing} dump into the layout that {file} expects",
  "prepare {n} sample {thing}s for the demo, nothing personal in them",
  "compare the {thing} figures of this month with the last one"],
 "docs": [
  "describe the {thing} in the handbook, the truth is in {file}",
  "the readme still speaks of the former {thing2}; bring it in line with {file}",
  "write a page of about {n} lines on how {sym} treats a {thing}",
  "add doc comments to the public parts of {file}",
  "{person} needs a how-to for the {thing}, short steps only",
  "document which {thing2} values {file} accepts"],
 "tests": [
  "cover {file} with tests, above all the empty {thing}",
  "there is no test for {sym} with more than {n} {thing}s, write some",
  "the {thing} tests are flaky, make those for {file} independent of the clock",
  "write a regression test for what {person} saw with the {thing2}",
  "I want to see {file} fail properly when the {thing} is broken, as tests",
  "test the border cases of the {thing2} parser around {file}"],
 "deps": [
  "raise the library we use for the {thing} to its next minor version",
  "the audit complains about {n} packages, update what is harmless",
  "drop the dependency that only the {thing2} export needs",
  "pin the versions for the {thing} build and try it from scratch",
  "get us off the deprecated {thing2} package"],
 "logs": [
  "look in the logs why the {thing} was late at {n} past six",
  "there were {n} alarms about the {thing2} tonight, what happened?",
  "{person} saw a blank {thing}; can you trace it on staging?",
  "find out from the server how often the {thing2} retry kicks in",
  "memory of the {thing} process climbs, see what the machine says"],
}
CORR = ["no, that is not what I asked for, the {thing2} must stay as it was",
 "that's wrong: you changed the {thing}, I meant the {thing2}",
 "this still does not work, the {thing} comes out empty",
 "not like that. {sym} should not know about the {thing}",
 "you forgot the {thing2}, please redo that part",
 "wrong place, undo it and do it where the {thing} is built",
 "I said {n}, not what you have put there",
 "no. keep the old behaviour for the {thing} and only change the {thing2}",
 "that is incorrect, the {thing2} is checked before the {thing}",
 "you misunderstood me, it is about the {thing} of {person}"]
REDIRECT = ["let us do something else first: {inner}", "hold that for later. {inner}",
 "sorry, phone call. More urgent now: {inner}", "we can come back to this, now {inner}"]
OPEN = {
 "mila": ["", "", "Morning. ", "Hi, ", "One more: ", "Next thing. ", "When you are done there, "],
 "bruno": ["", "", "", "ok ", "so ", "right, ", "now "],
 "yusra": ["", "Could you help me here? ", "Good day. ", "Thank you. ", "As discussed with the team: ", ""],
 "odd": ["", "", "hm. ", "new topic - ", "quick one: "]}
CLOSE = {
 "mila": ["", "", " Please do not touch anything else.", " Tell me before you commit.", " Thanks!"],
 "bruno": ["", "", "", " asap", " pls", " and keep it small"],
 "yusra": ["", " I would like to understand what you change and why, so add two sentences at the end.",
           " It has no hurry, but it has to be right for the meeting.", " If anything is unclear, ask me first.", ""],
 "odd": ["", "", " ...if that makes sense", " (no rush)", ""]}
TERSE = {"fix": "fix {thing} in {file}", "add": "add {thing} to {file}", "refactor": "clean up {file}",
 "explain": "what does {sym} do?", "review": "review {thing} diff", "deploy": "ship {thing}",
 "data": "table of {thing}s, {n} weeks", "docs": "docs for {file}", "tests": "tests for {file}",
 "deps": "bump {thing} lib", "logs": "logs: {thing}?"}
TOLD = ["By the way, {label} is now {value}.", "Note that {label} has changed to {value}.",
 "From today {label} is {value}, no longer {old}.", "Ops moved {label}: use {value}.",
 "({label}: {value} since this morning)"]

ITALIAN = {
 "fix": ["in {file} si perde l'ultimo {thing} se {thing2} è vuoto, sistemalo", "{sym} restituisce due volte {thing}, trova la causa",
         "da ieri {thing} arriva con {thing2} sbagliato, guarda in {file}"],
 "add": ["aggiungi a {file} un'opzione per saltare {thing}", "vorrei che {sym} accettasse più {thing} insieme", "serve un contatore di {thing} in {file}, massimo {n}"],
 "refactor": ["dividi {file}: da una parte {thing}, dall'altra {thing2}", "togli da {file} il vecchio percorso di {thing}"],
 "explain": ["come passa {thing} da {file} a {thing2}?", "spiegami che cosa fa {sym} con {thing}", "chi chiama {sym} e perché?"],
 "review": ["rileggi le ultime {n} modifiche su {thing}", "controlla la modifica di {person} a {file}"],
 "deploy": ["porta la versione attuale in prova e guarda se {thing} risponde", "pubblica {thing}, {person} sta aspettando"],
 "data": ["fammi una tabella di tutti i {thing} delle ultime {n} settimane", "quanti {thing} non hanno {thing2}? elenca i primi {n}"],
 "docs": ["descrivi {thing} nel manuale partendo da {file}", "scrivi una pagina su come {sym} tratta {thing}"],
 "tests": ["scrivi le prove per {file}, soprattutto con {thing} vuoto", "manca una prova di {sym} con più di {n} {thing}"],
 "deps": ["aggiorna la libreria usata per {thing}", "togli la dipendenza che serve solo a {thing2}"],
 "logs": ["guarda nei log perché {thing} era in ritardo", "stanotte {n} allarmi su {thing2}, che cosa è successo?"],
 "corr": ["no, non è quello che ho chiesto, {thing2} deve restare com'era", "è sbagliato: hai cambiato {thing}, intendevo {thing2}",
          "non funziona ancora, {thing} esce vuoto", "hai dimenticato {thing2}, rifai quella parte", "non così, {sym} non deve conoscere {thing}"],
 "told": ["A proposito, {label} adesso è {value}.", "Da oggi {label}: {value}, non più {old}."],
 "open": ["", "Ciao, ", "Allora, ", "Buongiorno. ", "Poi "], "close": ["", "", " Grazie.", " Non toccare altro.", " per favore"]}
DUTCH = {
 "fix": ["{file} raakt de laatste {thing} kwijt als {thing2} leeg is, los dat op", "{sym} geeft {thing} dubbel terug, zoek uit waarom",
         "sinds gisteren staat bij {thing} de verkeerde {thing2}, kijk in {file}"],
 "add": ["geef {file} een optie om {thing} over te slaan", "ik wil dat {sym} meer dan één {thing} aanneemt", "er moet een teller voor {thing} in {file}, hoogstens {n}"],
 "refactor": ["splits {file} in een deel voor {thing} en een deel voor {thing2}", "haal het oude pad voor {thing} uit {file}"],
 "explain": ["hoe komt een {thing} van {file} bij {thing2}?", "leg me uit wat {sym} met {thing} doet", "wie roept {sym} aan en waarom?"],
 "review": ["bekijk de laatste {n} wijzigingen aan {thing}", "lees de wijziging van {person} in {file} kritisch na"],
 "deploy": ["zet de huidige stand op de testmachine en kijk of {thing} antwoordt", "breng {thing} uit, {person} wacht erop"],
 "data": ["maak een tabel van alle {thing} van de laatste {n} weken", "hoeveel {thing} hebben geen {thing2}? noem de eerste {n}"],
 "docs": ["beschrijf {thing} in het handboek, uitgaande van {file}", "schrijf een bladzijde over hoe {sym} met {thing} omgaat"],
 "tests": ["schrijf tests voor {file}, vooral met een lege {thing}", "er is geen test voor {sym} met meer dan {n} {thing}"],
 "deps": ["werk de bibliotheek voor {thing} bij", "verwijder de afhankelijkheid die alleen {thing2} nodig heeft"],
 "logs": ["kijk in de logs waarom {thing} te laat was", "vannacht {n} meldingen over {thing2}, wat is er gebeurd?"],
 "corr": ["nee, dat vroeg ik niet, {thing2} moet blijven zoals het was", "dat klopt niet: je hebt {thing} veranderd, ik bedoelde {thing2}",
          "het werkt nog steeds niet, {thing} blijft leeg", "je bent {thing2} vergeten, doe dat deel opnieuw", "niet zo, {sym} mag {thing} niet kennen"],
 "told": ["Trouwens, {label} is nu {value}.", "Vanaf vandaag is {label} {value}, niet meer {old}."],
 "open": ["", "Hoi, ", "Zo, ", "Goedemorgen. ", "Dan "], "close": ["", "", " Bedankt.", " Verder niets aanraken.", " graag"]}

SAY = ["Let me look at {x}.", "I start with {x}.", "Next comes {x}.", "Now {x}.", "That narrows it down to {x}.",
 "I need to see {x} first.", "The trail leads to {x}.", "Good, on to {x}.", "This depends on {x}, so I check that."]
DONE = ["Done: {x} now treats the {thing} as you described. I changed {n} places.",
 "Finished. The {thing} goes through {x} and the {thing2} is left alone.",
 "In short: {x} owns the {thing}, and the {thing2} only passes through.",
 "That is settled; {x} behaves for the {thing} and I saw no side effect on the {thing2}.",
 "Here is the result. {x} handles {n} cases of the {thing}; the {thing2} needs no change.",
 "I have gone through {x}. The {thing} is sound, the {thing2} deserves a look some day."]
SORRY = ["You are right, I take the {thing2} instead.", "Understood, I correct that in {x}.", "I see, my reading of {thing} was off. Changing it."]
