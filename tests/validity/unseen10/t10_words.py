"""What people and agents of Kappenwerk say (English and German)."""

# {f} file, {g} another file, {w} thing that was wanted, {h} hall, {t} ticket
ASK_EN = {
"bugfix": [
 "{h} fogger keeps running after the door opens, can you look at {f}",
 "{t}: {w} is off by one interval. fix + test please",
 "got a crash in {f} this morning, see below",
 "the pickers say {w} shows last weeks numbers. find out why",
 "why does {w} stop at midnight? something w/ timezones i guess, probably {f}",
 "ci doesn't like {f} since friday, have a look",
 "{t} again. nobody can reproduce but the log is clear imo. {f}",
 "{w} throws when a hall has zero shelves",
 "fix the rounding in {f}, dont touch the public names",
 "alarm flood from {h} tonight, the debounce in {f} isnt doing anything",
 "can u check why {w} never recovers after a broker restart",
],
"feature": [
 "add {w} to {f}, small as possible",
 "we need {w}. put it next to {f}, tests too",
 "{t}: {w} for the night crew. see the ticket, start with {f}",
 "please build {w}; the panel part can wait",
 "can {f} also handle the second airlock? same shape as the first",
 "new thing: {w}. keep the old route working",
 "let growers override {w} per hall, default stays",
 "export of {w} as csv, semicolon separated, in {f}",
 "make {w} configurable, defualt as today",
 "{f}: accept a list of shelves too, not only one",
],
"ops": [
 "roll the new build to {h} and watch it for a bit",
 "check {h}, humidity graph is flat since 4am",
 "restart the dosing worker and tell me what the queue looks like",
 "run the ramp against {h} in dry mode first",
 "broker in {h} is slow. look at it, change nothing yet",
 "apply the staging config for {h}",
 "prune the old readings on stage, keep 30 days",
 "pls deploy {t} to stage",
 "rotate the certs of the gateway thing, you know the script",
 "does {h} talk to the gateway at all? probe it",
],
"review": [
 "review the branch for {t}, be picky about {f}",
 "what changed in {f} since the last tag?",
 "have a look at the pr of Jonne, mostly {f}",
 "is {f} still used by anything?",
 "explain {f} to me, short, i have a call in 10 min",
 "second pair of eyes on {f} please. no edits",
 "go through {w} and list what could break on a hall with one sensor",
],
"docs": [
 "write the runbook bit about {w}",
 "{f} is outdated, bring it in line with the code",
 "add a section on {w} to {f}",
 "changelog for {t} pls",
 "the onboarding page says nothing about {w}, add 3 sentences",
 "turn my notes into something readable in {f}",
],
"data": [
 "how many flushes did {h} have last month, and the mean weight",
 "pull {w} out of the readings and give me a table",
 "plot script for {w}, save under notebooks/",
 "are there gaps in the readings of {h}? list the 5 longest",
 "compare yield of {h} before and after the new lights",
 "check the csv from the lab, half the rows look weird",
],
"refactor": [
 "split {f}, its too long",
 "rename the helpers in {f}, the names lie. callers too",
 "move {w} out of {f}",
 "{f} and its callers: get rid of the global",
 "type hints for {f} pls",
 "dedupe the parsing in {f}, behaviour stays",
],
"deps": [
 "bump the mqtt client, read the breaking changes first",
 "update the lint stack and fix what falls out in {f}",
 "go.mod is a mess, tidy and see if {f} builds",
 "security mail about a transitive dep, check if we are hit",
 "lockfile conflicts after the merge, sort it out. {f} must build",
],
"tdd": [
 "tests first for {w} please, red then green. {f}",
 "write a failing test for {t}, show me it fails, then fix {f}",
 "tdd: {w}. start with the edge cases",
 "red/green for {f}: empty shelf, one shelf, all shelves",
],
"bagline": [
 "bagging line: {w} in {f}",
 "{t}: seal temp check in {f} fires too late",
 "the new bagline module needs {w}",
 "wire {f} to the scale",
 "bagline {h}: count rejected bags, {f}",
],
}
ASK_DE = {
"bugfix": [
 "{h}: der nebler läuft weiter wenn die tür aufgeht, schau mal in {f}",
 "{t}: {w} ist um ein intervall verschoben. bitte fixen + test",
 "absturz heute früh in {f}, siehe unten",
 "die pflücker sagen {w} zeigt zahlen von letzter woche. warum",
 "{w} hört um mitternacht auf, vermutlich zeitzone, {f}?",
 "ci mag {f} seit freitag nicht, guck mal bitte",
 "rundung in {f} stimmt nicht, öffentliche namen bitte lassen",
 "alarmflut aus {h} heute nacht, das entprellen in {f} greift nicht",
],
"feature": [
 "bitte {w} in {f} einbauen, so klein wie möglich",
 "wir brauchen {w}. neben {f} legen, tests dazu",
 "{t}: {w} für die nachtschicht, fang mit {f} an",
 "kann {f} auch die zweite schleuse? gleiche form wie die erste",
 "export von {w} als csv mit semikolon, in {f}",
 "{w} einstellbar machen, standard wie bisher",
],
"ops": [
 "neuen build auf {h} ausrollen und kurz beobachten",
 "check mal {h}, feuchtekurve ist seit 4 uhr platt",
 "dosierworker neu starten und sagen wie die queue aussieht",
 "rampe gegen {h} erst mal trocken laufen lassen",
 "staging config für {h} anwenden",
 "redet {h} überhaupt mit dem gateway? bitte prüfen",
],
"review": [
 "review den branch zu {t}, bei {f} bitte pingelig",
 "was hat sich in {f} seit dem letzten tag geändert?",
 "wird {f} noch irgendwo benutzt?",
 "erklär mir {f}, kurz, hab in 10 min einen call",
 "zweites augenpaar auf {f} bitte, nichts ändern",
],
"docs": [
 "schreib den runbook teil über {w}",
 "{f} ist veraltet, bitte an den code angleichen",
 "abschnitt zu {w} in {f} ergänzen",
 "changelog für {t} bitte",
],
"data": [
 "wie viele wellen hatte {h} letzten monat, und mittleres gewicht",
 "zieh {w} aus den messwerten und mach eine tabelle",
 "gibts lücken in den messwerten von {h}? die 5 längsten",
 "ertrag von {h} vor und nach dem neuen licht vergleichen",
],
"refactor": [
 "{f} aufteilen, zu lang geworden",
 "helfer in {f} umbenennen, die namen lügen. aufrufer auch",
 "{w} aus {f} rausziehen",
 "typen für {f} bitte",
],
"deps": [
 "mqtt client hochziehen, vorher die breaking changes lesen",
 "lint stack aktualisieren und in {f} aufräumen was rausfällt",
 "lockfile konflikte nach dem merge, bitte lösen. {f} muss bauen",
],
"tdd": [
 "erst tests für {w} bitte, rot dann grün. {f}",
 "schreib einen fehlschlagenden test zu {t}, zeig ihn, dann {f} fixen",
],
"bagline": ["absackung: {w} in {f}", "{t}: siegeltemperatur in {f} greift zu spät"],
}
FOLLOW_EN = ["ok and now {f} the same way", "good. next: {w}", "thx. can you also do {f}", "and the tests for that?",
 "now {h} please", "commit that, then {w}", "one more: {f} has the same problem i think", "continue w/ {t}",
 "great, whats left?", "ok push it. then look at {f}", "nice, that works here. {w} next", "while you are there: {f}",
 "does that also hold for {h}?", "yes do it", "go on", "lets do {w} too before lunch", "perfect. small one: {f}",
 "the build server doesnt have the new lib yet, work around it in {f}", "jonne says no objections. go ahead with {w}",
 "why is {f} not covered? add something", "no rush on the rest, first {w}"]
FOLLOW_DE = ["ok und jetzt {f} genauso", "gut. weiter mit {w}", "danke. {f} bitte auch", "und die tests dazu?", "jetzt {h} bitte",
 "committen, dann {w}", "noch was: {f} hat glaub das gleiche problem", "weiter mit {t}", "super, was fehlt noch?",
 "läuft hier. als nächstes {w}", "wenn du schon dabei bist: {f}", "gilt das auch für {h}?", "ja mach", "weiter",
 "kein stress mit dem rest, erst {w}", "warum ist {f} nicht abgedeckt? ergänz was"]

WANTS_EN = ["the fog ramp", "the shelf counter", "the co2 purge window", "the picking list", "the night setback", "flush forecast per strain",
 "the alarm digest", "the drain timer", "humidity smoothing", "the airlock handshake", "the substrate age column", "the light schedule",
 "the hall overview", "the strain lookup", "the weekly yield mail", "the incubator handover", "the spore count import", "the valve self test",
 "retry of failed doses", "the harvest calendar"]
WANTS_DE = ["die nebelrampe", "der regalzähler", "das co2 spülfenster", "die pflückliste", "die nachtabsenkung", "die wellenprognose je stamm",
 "die alarmzusammenfassung", "der ablauftimer", "die feuchteglättung", "die schleusenlogik", "die spalte substratalter", "der lichtplan",
 "die hallenübersicht", "die stammsuche", "die wöchentliche ertragsmail", "die übergabe vom inkubator", "der ventil selbsttest", "der erntekalender"]

CORR_EN = [
 "I asked for {w}, this is something else.", "{w}. That was the whole request.", "hm. {w} please, and only that",
 "let me rephrase: {w}, in {f}, nothing around it", "cool, but i wanted {w}", "sorry, i was probably unclear - it's about {w}, in {f}",
 "wrong place. {f}", "thats the opposite of what i meant", "you changed {g}, it should have been {f}", "back please. {w} first, then the rest",
 "{f}. not {g}.", "please put it back the way it was and do {w}", "what i said was {w}", "did you read my message? {w}",
 "ehm, {f}?", "nope", "that breaks the night shift, undo. then {w} as described", "again: {w}",
 "Lovely. Now the thing I actually asked about: {w}", "impressive diff for a one line change. just {w} please", "one line would have done. {w}, thats it",
 "the sentence was '{w}'. Nothing about {g} in there", "almost. {w} should stay as it is in {f}, only the default changes",
 "you left out half: {w} as well", "still the same behaviour here, {w} is unchanged", "doesnt do anything on my side, {w} looks like before",
 "i'd rather have {w} handled in {f} like i wrote", "the other one. {f}", "{f} was the file, see my first message", "this removes the check we need. {w} has to keep it",
 "that's a workaround, i want {w} fixed", "please stick to {w}", "too much. revert everything but {f}", "hmm thats not it, look at {w} again",
 "Would you mind going back to what I described? {w}, in {f}.", "great, now the tests are gone. restore them and do {w}", "since when is {g} part of {w}?",
 "why did you touch {g}", "stop guessing, {w} is described in {t}", "as i wrote: {w}", "wasnt the point. point is {w}",
 "i can see {g} in the diff. it was about {f}", "that is the 2nd time {w} comes out wrong", "{w} needs to be per hall, that was the point of the ticket",
 "you forgot {f}", "Thanks, though the plan was {w} without a new dependency.", "ok undo, other way round: {f} calls it, {g} stays dumb"]
CORR_DE = [
 "gefragt war {w}, das hier ist was anderes", "{w}. mehr wollte ich gar nicht", "hm. bitte nur {w}", "nochmal anders gesagt: {w}, in {f}, drumherum nichts",
 "schön, aber ich wollte {w}", "war wohl unklar von mir - es geht um {w}, in {f}", "falsche stelle. {f}", "das ist das gegenteil von dem was ich meinte",
 "du hast {g} geändert, gemeint war {f}", "zurück bitte. erst {w}, dann der rest", "{f}. nicht {g}.", "bitte wieder so wie es war und dann {w}",
 "gesagt hatte ich {w}", "hast du meine nachricht gelesen? {w}", "äh, {f}?", "nö", "so fällt die nachtschicht aus, rückgängig. dann {w} wie beschrieben",
 "nochmal: {w}", "Hübsch. Und jetzt das, worum es ging: {w}", "beeindruckender diff für eine zeile. nur {w} bitte", "eine zeile hätte gereicht. {w}, fertig",
 "der satz war '{w}', von {g} stand da nichts", "fast. {w} soll in {f} bleiben, nur der standard ändert sich", "die hälfte fehlt: {w} auch",
 "hier immer noch dasselbe, {w} ist unverändert", "bei mir passiert nichts, {w} sieht aus wie vorher", "mir wäre {w} in {f} lieber, so wie geschrieben",
 "die andere. {f}", "{f} war die datei, siehe erste nachricht", "damit fliegt die prüfung raus die wir brauchen. {w} muss sie behalten",
 "das ist ein workaround, ich will {w} repariert haben", "bleib bitte bei {w}", "zu viel. alles zurück außer {f}", "hmm das ists nicht, schau {w} nochmal an",
 "Könntest du bitte zu dem zurück, was ich beschrieben hatte? {w}, in {f}.", "toll, jetzt sind die tests weg. wiederherstellen und {w}",
 "seit wann gehört {g} zu {w}?", "warum fasst du {g} an", "nicht raten, {w} steht in {t}", "wie geschrieben: {w}", "darum gings nicht. es geht um {w}",
 "ich seh {g} im diff. gemeint war {f}", "das ist das zweite mal dass {w} falsch rauskommt", "{w} muss pro halle sein, das war der sinn vom ticket",
 "{f} vergessen", "Danke, der Plan war allerdings {w} ohne neue Abhängigkeit.", "ok zurück, andersrum: {f} ruft auf, {g} bleibt dumm"]

# values: {k} spoken key, {v} new, {o} old
TELL_EN = ["{k} is {v}", "btw {k}: {v}", "use {v} as {k}", "({k} = {v})", "{k} would be {v}", "for {k} take {v}", "you need the {k}, it's {v}", "{k} {v}"]
CHANGE_EN = ["{k} is {v} now", "{k} changed to {v}", "we moved {k} from {o} to {v}", "{k}: {o} -> {v}", "forget {o}, {k} is {v} from today",
 "new {k}: {v}", "heads up, {k} got switched to {v} last night", "it's {v} instead of {o} for the {k}", "{k} is no longer {o} but {v}", "they gave us a different {k}, {v}",
 "since this morning {k} = {v}", "infra replaced the {k}, take {v}", "please use {v} for {k} from here on", "scrap the old {k}, {v} it is", "{v} is the {k} going forward"]
TELL_DE = ["{k} ist {v}", "übrigens {k}: {v}", "nimm {v} als {k}", "({k} = {v})", "als {k} bitte {v}", "du brauchst noch {k}, ist {v}", "{k} {v}"]
CHANGE_DE = ["{k} ist jetzt {v}", "{k} wurde auf {v} geändert", "{k} von {o} auf {v} umgezogen", "{k}: {o} -> {v}", "vergiss {o}, {k} ist ab heute {v}",
 "neu bei {k}: {v}", "achtung, {k} ist seit gestern {v}", "{v} statt {o} bei {k}", "{k} ist nicht mehr {o} sondern {v}", "wir haben {k} gewechselt, {v}",
 "seit heute früh {k} = {v}", "bitte ab jetzt {v} für {k}", "das alte {k} ist weg, {v} gilt", "die it hat {k} ausgetauscht, nimm {v}"]

AGAIN_EN = ["Before I go on: what is the {k} I should use?", "Which {k} do you want me to use here?", "I need the {k} to continue. Could you give it to me?",
 "Could you tell me the {k}?", "One thing is open: the {k}. What should it be?", "Can you remind me what the {k} was?", "I don't have a value for the {k}; what is it?",
 "To run this I need the {k} – can you share it?", "What's the {k} for this?", "Please confirm which {k} applies, then I'll continue."]
AGAIN_DE = ["Bevor ich weitermache: welcher Wert gilt für {k}?", "Was soll ich für {k} nehmen?", "Mir fehlt noch {k}. Kannst du mir das geben?", "Kannst du mir {k} nennen?",
 "Eine Sache ist offen: {k}. Was soll es sein?", "Wie war nochmal {k}?", "Für {k} habe ich keinen Wert, was gilt?", "Welches {k} möchtest du hier?", "Bitte sag mir kurz {k}, dann mache ich weiter."]
REPLY_EN = ["{v}", "{v}", "its {v}", "{v}, same as above", "{k} {v}", "{v} like before", "see above, {v}", "{v} ...", "the {k} is {v}", "{v} (scroll up)"]
REPLY_DE = ["{v}", "{v}", "ist {v}", "{v}, wie oben", "{k} {v}", "{v} wie vorher", "siehe oben, {v}", "{v} ...", "{v} (steht oben)"]
FRESHQ_EN = ["Should I also update the changelog for this?", "Do you want this behind a flag or always on?", "There are two callers in the panel. Adapt both, or leave them for a follow-up?",
 "Should the old route answer with a redirect or a 410?", "Do you want a migration for existing rows, or only new ones?", "Shall I squash this into one commit?"]
FRESHQ_DE = ["Soll ich das Changelog gleich mit anpassen?", "Hinter einem Schalter oder immer an?", "Es gibt zwei Aufrufer im Panel. Beide anpassen oder später?", "Soll ich das in einen Commit zusammenfassen?"]
FRESHA_EN = ["yes", "no, later", "both", "your call", "leave it", "always on", "flag", "one commit", "yes please, short"]
FRESHA_DE = ["ja", "nein, später", "beide", "entscheide du", "lass", "immer an", "ein commit", "ja bitte, kurz"]

CHAT_EN = ["I was thinking about this on the train and the more I look at it the more it seems to me the shelf logic and the hall logic grew together over the years without anybody deciding it.",
 "For context: the growers look at this screen with gloves on, so whatever we do has to work with very few taps.", "Mirja from the lab will want to see the outcome on Thursday, she's kind but precise.",
 "Take your time, I'd rather have it right than today.", "The background is that hall builders wired the second sensor row differently and we only found out when the readings drifted.",
 "If you see something odd on the way, tell me about it at the end, I keep a list.", "By the way the demo went really well, people liked the calm colours.",
 "I attached what I know, the rest is folklore, and folklore in this company is mostly right.", "Last time we did something similar it took an afternoon, so no worries if it's a bit longer."]
GLOOM_EN = ["ci is broken again, not you", "i hate this vendor, nothing works as documented", "the build farm failed all night, awful", "bad day, the gateway supplier got it wrong again",
 "terrible weather, terrible network, sorry for the mood", "the lab sent wrong numbers again, useless", "no, i have no idea what procurement broke this time", "stupid printer never works",
 "this ticket system is garbage", "our landlord refuses to fix the damn chiller", "ugh. another failed audit, their fault not ours"]
COMPARE_EN = ["compare {f} with {g} and tell me what differs", "are {f} and {g} still in sync? list differences", "{f} vs {g}: which one is called from where", "look at both {f} and {g}, i want them aligned"]
MORE_EN = ["also {w}", "then {f} the same", "afterwards check {h}", "and a test for it", "update the runbook for that", "and {w} for every hall", "clean up {f} on the way", "add it to the panel too"]
PLAN_HEAD = ["# Plan: {w}\n\nContext: {t}. Implement the following plan step by step.\n", "Implement the following plan:\n\n# {w} ({t})\n", "here is the plan we agreed on, go\n\n## {w}\n"]
PLAN_STEP = ["{n}. Read `{f}` and collect every place that deals with {w}.", "{n}. Introduce a small type for it in `{f}`; keep the old name as alias.", "{n}. Adapt `{f}`; the callers keep their signature.",
 "{n}. Extend the tests next to `{f}`: empty hall, one shelf, shelf without sensor.", "{n}. Check the panel side in `{f}`, only if the field is shown there.", "{n}. Update `{f}` and the runbook paragraph about {w}.",
 "{n}. Run the suite and the linter, then commit with `{t}` in the subject."]
CLAUDE_MD_ASK = "put it in CLAUDE.md: after every edit run make fmt and the linter on the touched file. i want that as a habit"

SAY_EN = ["Let me look at {f} first.", "I'll check how {w} is wired.", "Found it. The guard in {f} comes too late.", "Now the tests.", "Let me verify that.", "Next, {f}.", "That narrows it down.",
 "I'll make the change in {f}.", "Running the checks now.", "Looking at the callers.", "Good, that matches the ticket.", "I'll keep this minimal.", "One moment, checking {h}.", "The config confirms it."]
SAY_DE = ["Ich sehe mir zuerst {f} an.", "Ich prüfe, wie das verdrahtet ist.", "Gefunden, die Prüfung in {f} kommt zu spät.", "Jetzt die Tests.", "Das prüfe ich kurz.", "Weiter mit {f}.", "Das grenzt es ein.", "Ich ändere das in {f}.",
 "Ich lasse die Prüfungen laufen.", "Ich schaue auf die Aufrufer.", "Das passt zum Ticket.", "Einen Moment, {h} wird geprüft."]
DONE_EN = ["Done. {f} now handles this; tests around it pass. I left the public names alone.", "{w}: changed in {f}, covered by a test, nothing else touched.", "Finished. Summary:\n\n- `{f}` adapted\n- tests green\n- no config change",
 "The cause was in `{f}`: the interval was computed before the hall offset was applied. Fixed and verified.", "All set. {h} answers and the numbers look plausible.", "I went through it; the notes are above. Nothing blocking.",
 "Updated `{f}`. Let me know if the wording should be shorter."]
DONE_DE = ["Fertig. {f} kann das jetzt, die Tests darum laufen durch.", "{w}: in {f} geändert, mit Test, sonst nichts angefasst.", "Erledigt. Kurz:\n\n- `{f}` angepasst\n- Tests grün\n- keine Konfiguration geändert",
 "Ursache lag in `{f}`: das Intervall wurde vor dem Hallenversatz berechnet. Behoben und geprüft.", "Passt. {h} antwortet, die Zahlen sind plausibel.", "Durchgesehen, Notizen stehen oben, nichts Blockierendes."]
THINK = ["The user wants {w}. The likely place is {f}; I should look at how the interval is derived before changing anything.", "Two candidates here. {f} owns the state, the other one only formats it.",
 "The test should fail for the right reason first.", "I should keep the public names. The smallest change is the guard at the top.", "Readings come in per shelf, so the hall total is a sum; check for None.", "Let me see whether something else depends on {w}."]
