"""What people and the agent say."""
import re

TASKS = ["fix", "feature", "review", "ops", "docs", "data", "tests", "refactor", "deps"]
HABITS = {
    "fix": dict(read=30, grep=18, edit=16, test=14, git=8, use=7, run=5, todo=2, glob=3),
    "feature": dict(read=24, grep=12, glob=4, edit=22, write=7, test=10, git=5, use=9, todo=5, run=3),
    "review": dict(read=38, grep=16, git=28, glob=4, use=5, run=5, mcp=4),
    "ops": dict(show=16, use=34, run=18, read=12, git=6, edit=6, grep=4, mcp=4),
    "docs": dict(read=30, grep=12, glob=6, edit=26, write=9, git=8, use=8, web=2),
    "data": dict(run=30, read=16, use=26, write=8, grep=8, edit=6, show=8),
    "tests": dict(test=30, read=22, edit=16, write=8, grep=10, git=4, use=6),
    "refactor": dict(grep=24, read=24, edit=28, test=12, git=6, use=4),
    "deps": dict(run=24, edit=18, read=16, test=14, web=7, git=8, use=9, show=4),
}
EN = {
    "fix": ["{sym} in {file} returns nonsense when {when}. Find out why and repair it.", "{cust} reported that {sympt}. I suspect {file} but I'm not sure.",
            "There is a bug: {sympt}, only when {when}. Can you fix it in {area}?", "Since the last deploy {sympt}. Have a look at {file} and its callers.",
            "The {noun} page shows the wrong value when {when}, please track it down.", "We get alarms at night because {sympt}. It must be something around {sym}.",
            "Somebody broke {sym}. When {when} it throws. Fix without changing the signature.", "Look into ticket KL-{num}: {sympt}.", "{file} leaks memory once {when}, please fix it properly, no hack."],
    "feature": ["Add a way to {verb} a {noun} in {area}; {file} is the place to start.", "{cust} wants to see the {noun} per lane. Build that into {area}.",
                "I'd like {sym} to accept a list as well, so that we can {verb} many at once.", "Implement KL-{num}: when {when} we should {verb} the {noun} automatically.",
                "Let's have an endpoint that can {verb} a {noun}, same style as the others in {file}.", "We need a {noun} filter in {area} for {cust}, defaults as today.",
                "Extend {file} so it can {verb} {num} {noun}s without blocking.", "Build the second half of the {noun} export, the first half is in {file}."],
    "review": ["Review the last commit on {area}, mainly {file}.", "Can you look over what Olek did in {file}? I worry about the case when {when}.", "Second pair of eyes please: is {sym} safe when {when}?",
               "Go through the diff of KL-{num} and tell me what could break for {cust}.", "Read {file} critically and list what you'd change. Don't change anything yet.",
               "Does the {noun} code in {area} follow our own runbook?", "I want an opinion about {sym}: too clever or fine?"],
    "ops": ["Check how the ingest is doing and get it back to normal, {sympt}.", "Prepare the rollout for {cust}, dry run first.", "Something is slow in production, {sympt}. Look at the status and take the usual steps.",
            "Drain one shard and bring it back, note what you did.", "Run the smoke tests on stage and tell me what fails.", "We do the {noun} maintenance tonight, set everything up for it.",
            "Backfill the {noun}s of last week, carefully.", "The canary looks odd when {when}. Verify and adjust."],
    "docs": ["{file} is out of date about the {noun}, please bring it in line with the code.", "Write half a page about how we {verb} a {noun}, for new people.", "The partner asks how {sym} behaves when {when}. Document that.",
             "Add a section to the runbook for the case that {sympt}.", "Clean up the wording in {file}, it reads like a translation.", "Make a short handover note for the night shift about the {noun}."],
    "data": ["How many {noun}s were late last week for {cust}? Give me a small table.", "Export the {noun}s of the pilot and check that nothing is missing.", "Compare the {noun} numbers of stage and production, {sympt}.",
             "I need the readings when {when}, as csv.", "Why does the daily query give {num} rows more than yesterday?", "Fill the missing {noun} values for {cust} and write down how."],
    "tests": ["Write tests for {sym}, mainly when {when}.", "The suite of {area} is flaky, find the culprit.", "We have no test for the case that {sympt}. Add one, red first.", "Get {area} coverage up, start with {file}.",
              "Turn the manual check of the {noun} into a real test.", "Tests of {file} are too slow, make them quicker without mocks everywhere."],
    "refactor": ["{file} has grown too big, split out the {noun} part.", "Rename {sym} everywhere, it is misleading.", "Same code to {verb} a {noun} in three places, make it one.", "Get rid of the globals in {file}.",
                 "Untangle {area} from the {noun} model, behaviour must stay.", "Simplify {sym}; nobody understands it when {when}."],
    "deps": ["Update the http library in {area} and fix what breaks.", "Bump the toolchain for {area}.", "There's a CVE in one of the {area} dependencies (KL-{num}), upgrade it.", "Remove the unused packages from {area}.",
             "Move {area} to the new base image and check it still starts.", "See whether we can drop the fork we use in {file}."],
}
DE = {
    "fix": ["{sym} in {file} liefert Unsinn, sobald {when}. Bitte finden und beheben.", "{cust} meldet: {sympt}. Vermutlich in {area}.", "Seit dem letzten Deploy: {sympt}. Schau dir {file} an.", "Ticket KL-{num} bitte: {sympt}.", "Die Anzeige im Bereich {area} ist falsch, wenn {when}."],
    "feature": ["Bau in {area} eine Möglichkeit ein, den {noun} gesammelt zu verarbeiten; Einstieg ist {file}.", "{cust} möchte den {noun} pro Strecke sehen, bitte umsetzen.", "{sym} soll künftig auch Listen annehmen.", "Bitte KL-{num} umsetzen, Stil wie in {file}."],
    "review": ["Bitte den letzten Commit in {area} durchsehen, vor allem {file}.", "Ist {sym} sicher, wenn {when}?", "Lies {file} kritisch und sag mir, was du ändern würdest. Noch nichts anfassen.", "Geh den Diff zu KL-{num} durch."],
    "ops": ["Prüf bitte den Ingest, denn {sympt}.", "Bereite den Rollout für {cust} vor, erst trocken.", "Smoke-Tests auf Stage laufen lassen und berichten.", "Heute Abend ist Wartung, richte alles dafür her.", "Die {noun}-Daten der letzten Woche nachladen, vorsichtig."],
    "docs": ["{file} ist veraltet, bitte an den Code anpassen.", "Schreib eine halbe Seite dazu, wie {sym} arbeitet.", "Ergänze das Runbook um diesen Fall: {sympt}.", "Kurze Übergabenotiz für die Nachtschicht bitte."],
    "data": ["Wie viele Lieferungen waren letzte Woche bei {cust} zu spät? Kleine Tabelle reicht.", "Vergleiche die Zahlen von Stage und Produktion; {sympt}.", "Ich brauche die Messwerte als csv, und zwar wenn {when}.", "Warum liefert die Tagesabfrage {num} Zeilen mehr als gestern?"],
    "tests": ["Schreib Tests für {sym}, besonders wenn {when}.", "Die Tests in {area} sind wackelig, such die Ursache.", "Für diesen Fall fehlt ein Test: {sympt}.", "Abdeckung von {area} erhöhen, fang mit {file} an."],
    "refactor": ["{file} ist zu groß geworden, lagere den {noun}-Teil aus.", "{sym} überall umbenennen, der Name führt in die Irre.", "Vereinfache {sym}, das versteht keiner mehr.", "Globale Variablen aus {file} entfernen, Verhalten bleibt."],
    "deps": ["Aktualisiere die http-Bibliothek in {area} und behebe die Folgen.", "Ungenutzte Pakete aus {area} entfernen.", "CVE in {area} (KL-{num}), bitte Version anheben.", "{area} auf das neue Basis-Image ziehen."],
}
SHORT = {"fix": ["fix {sym}, {when}", "{file}: {sympt}", "KL-{num} pls"], "feature": ["add {noun} filter, {area}", "{sym}: accept lists", "KL-{num}"], "review": ["review {file}", "check {sym}", "diff KL-{num} ok?"],
         "ops": ["smoke stage", "ingest status + usual steps", "roll out for {cust}"], "docs": ["update {file}", "runbook: {noun}", "handover note"], "data": ["late {noun}s {cust}, table", "csv of {noun}s", "why {num} rows more"],
         "tests": ["tests for {sym}", "flaky: {area}", "coverage {file}"], "refactor": ["split {file}", "rename {sym}", "dedupe {noun} code"], "deps": ["bump {area}", "CVE KL-{num}", "drop unused deps {area}"]}
SHORT_DE = {"fix": ["{sym} reparieren, {when}", "KL-{num}"], "feature": ["{noun}-Filter in {area}", "{sym}: Listen"], "review": ["{file} prüfen"], "ops": ["Smoke auf Stage", "Ingest prüfen"], "docs": ["{file} aktualisieren"],
            "data": ["Tabelle für {cust}"], "tests": ["Tests für {sym}"], "refactor": ["{file} aufteilen"], "deps": ["{area} aktualisieren"]}
WHEN = {"en": ["the truck crosses a border", "two probes report in the same second", "the depot closes early", "a leg has no stops", "the clock goes back in autumn", "the cache is cold", "there is more than one tariff", "the list is empty",
               "somebody cancels half way", "the seal number has letters", "the driver changes", "the door stays open", "the token is about to expire", "the uplink drops"],
        "de": ["der LKW die Grenze quert", "zwei Sonden gleichzeitig melden", "das Depot früher schließt", "die Strecke keine Stopps hat", "die Uhr umgestellt wird", "der Cache kalt ist", "die Liste leer ist", "der Fahrer wechselt"]}
SYMPT = {"en": ["arrival times jump by an hour", "invoices come out twice", "the chart stays empty", "readings arrive out of order", "the export stops half way", "alarms are sent to nobody", "the portal loads forever", "rates are rounded the wrong way",
                "the queue grows and never drains", "some pallets vanish from the list", "the login loops", "the edge box restarts every night"],
         "de": ["die Ankunftszeiten springen um eine Stunde", "Rechnungen kommen doppelt", "das Diagramm bleibt leer", "der Export bricht mittendrin ab", "Alarme gehen ins Leere", "das Portal lädt ewig", "die Warteschlange läuft voll", "einige Paletten fehlen in der Liste"]}
CUST = ["Polarbuur", "Frigo Sud", "Isvard", "Hansa Fisk", "Van Aken", "Glacis Pharma", "Tundra Foods", "Alpina Molk", "the Gdynia team"]
OPEN = {"en": ["", "", "", "ok next. ", "Morning! ", "Not urgent, but: ", "No rush on this one. ", "Actually one more thing. ", "Thanks, works. ", "Great. ", "Before I forget: ", "Different topic now. ", "Small one: ", "Hi, ", "Same area as before. "],
        "de": ["", "", "", "Moin! ", "Danke, passt. ", "Nicht eilig, aber: ", "Nächster Punkt. ", "Kleinigkeit: ", "Anderes Thema: ", "Super. "]}
CLOSE = {"en": ["", "", "", " Keep it small.", " No new dependencies please.", " Tell me when it is done.", " I need it before the demo on Thursday.", " Run the tests afterwards.", " Don't push yet.", " Explain in two sentences what it was.", " Same conventions as always.",
                " Customer is waiting.", " Ask if anything is unclear."],
         "de": ["", "", "", " Bitte klein halten.", " Danach Tests laufen lassen.", " Noch nicht pushen.", " Brauche ich bis Donnerstag.", " Kurz erklären, woran es lag.", " Kunde wartet."]}
CONTEXT = {
    "en": ["Olek looked at it yesterday but had to leave.", "It worked two weeks ago, I have a screenshot.", "I tried it on my laptop and could not reproduce it.", "Sales promised this in the last call, so no way around it.", "The night shift wrote about it in the log, page {num}.",
           "I have no idea how that part works, be patient with me.", "There was a similar thing in spring, see KL-{num}.", "The auditors come next month.", "{cust} pays for this one.", "Most of it should be in {area} already.", "If it takes more than an hour, stop and tell me.",
           "I think {sym} is innocent, but who knows.", "We only have {num} rows of it, so speed does not matter.", "It is the second time this month.", "My guess is the {noun}.", "The design is from Femke, she is on leave.", "On my side everything is merged.", "Let's not make it a big thing.",
           "The drivers complain in the group chat.", "I already told {cust} it will be there this week.", "There may be a comment in the code about it.", "Look at how it is done for the {noun}.", "Nobody dared to touch it since last year.", "In the old system this was a nightly job."],
    "de": ["Olek war gestern schon dran, musste aber weg.", "Vor zwei Wochen ging es noch.", "Bei mir lokal passiert es nicht.", "Der Vertrieb hat es zugesagt.", "Etwas Ähnliches gab es im Frühjahr, siehe KL-{num}.", "Nächsten Monat kommen die Prüfer.", "Das meiste müsste schon in {area} sein.",
           "Wenn es länger als eine Stunde dauert, melde dich.", "Das ist schon das zweite Mal diesen Monat.", "Mein Verdacht ist {sym}.", "Die Fahrer beschweren sich.", "Im alten System war das ein Nachtlauf.", "Seit letztem Jahr hat sich da keiner rangetraut."]}
CORR_A = {"en": ["no, that's not what I asked for.", "That is wrong.", "Not what I meant.", "hm no.", "you changed the wrong thing.", "Wrong direction.", "I said the opposite.", "this doesn't do what I asked.", "please undo that.", "Nope.", "why did you touch that?",
                 "That's not right, look again.", "you misread me.", "No - stop and revert.", "still wrong.", "that broke it.", "I didn't ask for this."],
          "de": ["Nein, so war das nicht gemeint.", "Das stimmt so nicht.", "Falsch verstanden.", "Das ist die falsche Stelle.", "Bitte rückgängig machen.", "Ich hatte das Gegenteil gesagt.", "Das ist nicht, was ich wollte.", "Nee, falsch.", "Warum hast du das angefasst?",
                 "Das ist immer noch verkehrt.", "So geht das nicht.", "Jetzt ist es kaputt."]}
CORR_B = {"en": ["I wanted only the {noun} part in {file}.", "It was about {sym}, not its caller.", "Only when {when}, everything else must stay as it was.", "{file} should stay untouched.", "Do it for {cust} only.", "The {noun} must keep its name.",
                 "Take the simple way, no new class.", "Leave the tests alone and change the code.", "Put it back and {verb} the {noun} instead.", "The order is wrong, {sym} comes first."],
          "de": ["Es ging nur um den {noun}-Teil in {file}.", "Gemeint war {sym}, nicht der Aufrufer.", "Nur wenn {when}, der Rest bleibt.", "{file} bleibt, wie sie war.", "Nur für {cust}.", "Lass die Tests in Ruhe und ändere den Code.", "Nimm den einfachen Weg."]}
RESUME = {"en": ["wait, first show me the diff, then go on", "sorry, meeting. just finish the {noun} part", "hold on - start with {file}", "ok continue, but skip the docs", "one sec, I have to restart the box. go ahead now"],
          "de": ["Moment, zeig mir erst den Diff, dann weiter", "sorry, Besprechung. mach nur den {noun}-Teil fertig", "warte – fang mit {file} an", "ok, weiter, aber ohne Doku"]}
START = {"en": ["I'll start with {file}.", "Let me look at how {area} does this today.", "Looking at the code first.", "Let me find where {sym} is used.", "I'll check the current state before changing anything.", "Let me see.", "Reading the relevant parts of {area}.", "First the callers of {sym}."],
         "de": ["Ich schaue mir zuerst {file} an.", "Ich sehe nach, wie {area} das heute macht.", "Erst ein Blick in den Code.", "Ich suche, wo {sym} benutzt wird.", "Zuerst der aktuelle Stand."]}
MID = {"en": ["Now the change itself.", "That explains it.", "Let me check the test.", "The {noun} is handled elsewhere, looking there.", "Good, next step.", "This needs the {noun} as well.", "Let me verify that.", "One caller left."],
       "de": ["Jetzt die eigentliche Änderung.", "Das erklärt es.", "Ich prüfe den Test.", "Gut, nächster Schritt.", "Das verifiziere ich kurz."]}
DONE = {"en": ["Done. {sym} now copes with the case that {when}; I changed {file} and nothing else.", "Finished: the {noun} handling in {area} is in place.", "That's it. The cause was the way {sym} treated the {noun}.", "Summary:\n- looked at {area}\n- adjusted {file}\n- checked the {noun} path",
               "Ready. You may want to look at {file} before merging.", "All set; {sym} behaves as described.", "I've gone through it. Two remarks: the {noun} lookup is slow, and {sym} could be shorter."],
        "de": ["Fertig. {sym} kommt jetzt damit zurecht, wenn {when}; geändert ist nur {file}.", "Erledigt: der {noun}-Teil in {area} steht.", "Das war's. Ursache war der Umgang von {sym} mit dem {noun}.", "Zusammenfassung:\n- {area} angesehen\n- {file} angepasst\n- {noun} geprüft"]}
SORRY = {"en": ["Understood, I'll put that right.", "Right, reverting that part.", "I see, only the {noun}. Changing it now.", "You're right, I misread it."], "de": ["Verstanden, ich korrigiere das.", "Stimmt, ich nehme das zurück.", "Alles klar, nur der {noun}."]}
OOPS = {"en": ["That's the other one, I need {file}.", "Not this file; {file} is the right one.", "Similar name, wrong module.", ""], "de": ["Das ist die andere Datei, ich brauche {file}.", "Ähnlicher Name, falsches Modul.", ""]}
THINK = ["The user wants me to look at {area}. {file} probably holds the relevant code. I should check the callers of {sym} before I touch anything.", "Two options: change {sym} or its callers. Changing {sym} is smaller. But what happens when {when}?",
         "The test output points to the {noun}. Let me check how it is built.", "I should keep this small. The {noun} code is shared with billing, so the signature must stay.", "Before editing, read {file} and see how the {noun} gets its default.", "That matches what {cust} reported.", "Nothing in {file} handles this. Maybe the callers do.", "So far so good. The remaining question is where the {noun} comes from.", "I could add a parameter to {sym}, but the default must stay as it is today.", "The name suggests that {sym} does more than it does. I need to read it.",
         "If I change this, the export changes as well; {cust} uses it.", "Let me be careful: {area} runs in production and there is no flag.", "A small helper would do. No, inline is easier to read.", "Which file is it? The one in {area}, I think {file}.", "First make it fail, then fix it.", "The log line is misleading, the real cause is earlier.", "I have what I need for the {noun}. Next the summary."]

_TYPO = {"the": "teh", "please": "pls", "you": "u", "because": "bc", "and": "n", "something": "smth", "with": "w/", "that": "taht", "about": "abuot", "bitte": "bitet", "nicht": "nciht"}


def style(text, voice, r):
    if voice == "sloppy":
        out = []
        for w in text.split(" "):
            core = w.strip(".,:;!?")
            if re.fullmatch(r"[A-Za-zÄÖÜäöüß']+", core) and (core[1:].islower() or len(core) == 1):
                if core.lower() in _TYPO and r.random() < .2:
                    w = w.replace(core, _TYPO[core.lower()])
                elif len(core) > 5 and core.isalpha() and r.random() < .05:
                    i = r.randrange(1, len(core) - 2)
                    w = w.replace(core, core[:i] + core[i + 1] + core[i] + core[i + 2:])
                w = w.lower()
            out.append(w)
        text = " ".join(out)
        text = re.sub(r"[.]$", "", text)
        if r.random() < .3:
            text = text.replace(", ", " ")
    return text


def plan_text(r, slot):
    L = ["Implement the following plan:", "", "# Plan: %s the %s in %s" % (slot["verb"], slot["noun"], slot["area"]), "", "## Context", "", "`%s` is used by several callers. %s reported that it fails when %s." % (slot["sym"], slot["cust"], slot["when"]), "", "## Steps", ""]
    for i in range(r.randint(6, 16)):
        L += ["### %d. %s" % (i + 1, r.choice(["Extend", "Check", "Move", "Adjust", "Test", "Document"]) + " `%s`" % r.choice(slot["files"])), "",
              "- %s" % r.choice(["keep the signature", "no new dependency", "handle the empty list", "add a case for cancelled legs", "log once per run"]), "- %s" % r.choice(["then run the tests", "one commit", "see the runbook", "wait for review"]), ""]
        if r.random() < .4:
            L += ["```python", "def %s_step_%d(rows):" % (slot["verb"], i), "    return [x for x in rows if x.get(\"%s\")]" % slot["noun"], "```", ""]
    return "\n".join(L + ["## Verification", "", "- all tests of %s green" % slot["area"], "- smoke on stage"])


RULES = ["# Coldchain – notes for agents", "", "- Python 3.11 for services, Go 1.22 for telemetry and gateway", "- run the tests of the service you touched", "- commit messages in English, KL-number first", "- never edit an applied migration", "- ask before deleting data"]
RULES_NEW = ["- run `make lint` before every commit", "- list the folder before you add a file", "- keep a todo list for anything with more than two steps"]
