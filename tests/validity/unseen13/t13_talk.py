"""What the users write: voices, requests, telling of settings, corrections."""
import t13_world as w
TASKS = ["fix", "feature", "review", "ops", "docs", "data", "tests", "deps"]
LONG = {
 "fix": ["the {n} total comes out wrong when a {m} is changed after payment, probably somewhere around {f}, can you find out why and repair it",
         "customers with more than one {n} get an empty page since {day}; I think {f} is involved but I'm not sure",
         "there is a {n} that never expires in production, please look at {f} and whatever calls it and make it behave",
         "rounding in {f} loses a cent for some {m} types, see ticket {t}, we need that gone before {day}"],
 "feature": ["we'd like to let people move a {n} to another {m} without paying twice, {f} seems to be the place to begin",
             "add a way to filter each {n} by {m} and expose it to the web side, keep the style of {f}",
             "harbour desk wants a warning when a {m} has no {n} left, please build a first version next to {f}",
             "could you add an optional upper limit for the {n} in {f} and carry it through to the caller"],
 "review": ["please go through the last changes around {f} and tell me what you'd not merge",
            "a colleague rewrote how we {v} a {n}; read it with fresh eyes, {f} first",
            "is the error handling in {f} any good? I have doubts about the {m} branch in particular",
            "before {day} I need an opinion on the {n} code, especially {f}"],
 "ops": ["the {n} workers were slow tonight, check what state everything is in and bring it back to normal",
         "get the environment ready for the {m} run on {day} and verify that each service answers",
         "something keeps filling the disk, find out which {n} job it is and clean up carefully",
         "roll the current build out to the test environment and watch it for a moment"],
 "docs": ["the page on the {n} is out of date, compare it with {f} and rewrite the part about {m}",
          "write a short guide for new people on how we {v} a {n}",
          "could you tidy {f} up, the headings are a mess and two sections contradict each other",
          "we need notes for the release on {day}, mostly {n} and {m} things"],
 "data": ["how many {n} rows per {m} did we have last week? a small table is enough",
          "the numbers for {n} in the report do not match the ones of the harbour, dig into it",
          "please backfill the missing {m} column for every {n} since {day}",
          "check whether a {m} can have two open {n} rows and list them for me"],
 "tests": ["{f} has hardly any tests, add some for the {n} path and for the odd cases with a {m}",
           "the suite is flaky around the {n}, find the test that depends on the clock",
           "write a regression test for ticket {t}, it was about a {n} without {m}",
           "run everything and get the {n} tests green again"],
 "deps": ["we're behind on some packages, see which can go up without trouble and do those",
          "the linter config differs between {f} and the rest, bring it in line",
          "the go module complains about a missing checksum, sort it out please",
          "move the {n} helper to the new client library, the old one is going away on {day}"]}
TERSE = {
 "fix": ["{f}: {n} total off after {m} change. Fix.", "{t}: {v} {n} returns nil. Root cause + patch.", "Regression in {f}, bisect if needed."],
 "feature": ["{f}: add limit param for {n}, default unlimited.", "New endpoint: list {n} by {m}. Mirror {f}.", "Support {m} in {v}_{n}. {t}."],
 "review": ["Review {f}. Only blocking issues.", "Diff since tag: anything unsafe around {n}?", "{f}: race in {m} path? Check."],
 "ops": ["Verify {n} workers, restart if stale.", "Prep test env for {day}.", "Disk usage {n} job. Trim."],
 "docs": ["{f} vs code: sync.", "Changelog {t}.", "Document {v}/{n} flow, 1 page max."],
 "data": ["Count {n} by {m}, 7d.", "Dupes in {n}? List ids.", "Backfill {m} on {n}."],
 "tests": ["Cover {v}_{n}, edge cases.", "{t}: regression test.", "Flaky {n} test, isolate."],
 "deps": ["Bump minor deps, run suite.", "go.sum broken. Fix.", "Replace {n} client lib."]}
GER = {
 "fix": ["in {f} stimmt die Summe für {n} nicht mehr, sobald jemand die {m} ändert, schau dir das bitte an und repariere es",
         "seit {day} bekommen einige Kunden eine leere Seite bei {n}, vermutlich liegt es an {f}",
         "Ticket {t}: die {n} läuft nie ab, bitte die Ursache suchen und beheben"],
 "feature": ["wir möchten {n} auf eine andere {m} umbuchen können, fang am besten bei {f} an",
             "bau bitte einen Filter für {n} nach {m} ein, im Stil von {f}", "das Hafenbüro wünscht sich eine Warnung, wenn für {m} keine {n} mehr frei ist"],
 "review": ["lies bitte {f} durch und sag mir, was du so nicht übernehmen würdest", "ist die Fehlerbehandlung in {f} brauchbar? Mir gefällt der Teil mit {m} nicht",
            "ein Kollege hat {n} umgebaut, ich hätte gern eine zweite Meinung dazu"],
 "ops": ["die Worker für {n} waren heute Nacht langsam, prüf den Zustand und bring das in Ordnung", "bereite bitte die Umgebung für {day} vor und prüfe, ob alle Dienste antworten",
         "irgendein Job schreibt die Platte voll, finde heraus welcher"],
 "docs": ["die Seite zu {n} ist veraltet, gleich sie mit {f} ab", "schreib eine kurze Anleitung für neue Leute zu {n} und {m}", "räum {f} auf, die Überschriften passen nicht"],
 "data": ["wie viele {n} je {m} hatten wir letzte Woche? Eine kleine Tabelle reicht", "die Zahlen zu {n} passen nicht zum Bericht, geh dem bitte nach", "füll die fehlenden {m} für {n} seit {day} nach"],
 "tests": ["{f} hat kaum Tests, ergänze welche für {n}", "die Tests rund um {n} sind wackelig, such die Ursache", "schreib einen Regressionstest zu {t}"],
 "deps": ["ein paar Pakete sind veraltet, heb an, was ohne Ärger geht", "go.sum ist kaputt, bitte richten", "der Linter meckert in {f}, bring das auf Stand"]}
DAY = ["monday", "tuesday", "wednesday", "thursday", "friday", "last week", "the holidays"]
DAYDE = ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag"]
OPEN = {"dov": ["hey ", "ok so ", "hmm ", "quick one, ", "sry another thing, ", ""], "ingrid": [""], "thorsten": ["Moin, ", "Hallo, ", "So, ", "Noch etwas: ", ""],
        "amara": ["Good morning! ", "Hello again, ", "When you have a moment: ", "Thank you for the last one. Now, "]}
END = {"dov": [" thx", " pls", "", " no rush", " and dont touch the rest"], "ingrid": ["", "", " No refactor.", " Small diff."], "thorsten": [" Danke.", "", " Bitte keine großen Umbauten.", " Danke dir!"],
       "amara": [" Please explain what you did in two or three sentences, so that I can pass it on to the harbour desk.", " Many thanks.", " If anything is unclear, rather leave it out and tell me."]}


def typos(rng, s):
    out = []
    for word in s.lower().split(" "):
        if len(word) > 4 and word.isalpha() and rng.random() < .12:
            i = rng.randrange(1, len(word) - 2)
            word = word[:i] + word[i + 1] + word[i] + word[i + 2:]
        out.append(word)
    return " ".join(out).replace("'", "")


def request(rng, who, task, f, terser=0.0, german=False):
    ger = who == "thorsten" or german
    bank = GER if ger else (TERSE if who == "ingrid" else LONG)
    base = f.rsplit("/", 1)[-1] if rng.random() < .4 else f
    core = rng.choice(bank[task]).format(f=base, n=rng.choice(w.NOUNS), m=rng.choice(w.NOUNS), v=rng.choice(w.VERBS),
                                         t=f"HL-{rng.randint(200, 4800)}", day=rng.choice(DAYDE if ger else DAY))
    if terser > 0 and rng.random() < terser:
        k = max(4, int(len(core.split()) * (1 - .75 * terser)))
        return " ".join(core.split()[:k]).rstrip(",.")
    if who == "ingrid" and not ger:
        return core + rng.choice(END["ingrid"])
    o, e = rng.choice(OPEN["thorsten" if ger and who != "thorsten" else who]), rng.choice(END["thorsten" if ger else who])
    if who == "dov" and not ger:
        return o + typos(rng, core) + e
    core = core if o and o[-2] in ",:" else core[0].upper() + core[1:]
    return (o + core).rstrip(".") + "." + e


def tell(rng, who, items, german=False):
    """-> text telling [(setting, value)], form"""
    ger = who == "thorsten" or german
    form = rng.choice(["passing", "list", "note"]) if len(items) < 2 else rng.choice(["list", "note"])
    n = "de" if ger else "en"
    if form == "passing":
        s, v = items[0]
        if ger:
            return rng.choice([f"Übrigens, {s[n]} ist jetzt {v}.", f"Ach ja, {s[n]} lautet ab sofort {v}.", f"Nimm dabei bitte {v}, das ist jetzt {s[n]}."])
        if who == "ingrid":
            return rng.choice([f"FYI {s[n]} is {v} now.", f"{s[n][0].upper() + s[n][1:]}: {v} from here on.", f"Use {v} ({s[n]})."])
        return rng.choice([f"btw {s[n]} is {v} now, so go with that one", f"oh and they moved {s[n]} to {v}", f"by the way from today {s[n]} is {v}, keep that in mind for later"])
    if form == "list":
        return ("Für alles Weitere gilt:\n" if ger else rng.choice(["few things to know:\n", "Current values, please use these:\n", "for the record\n"])) + "\n".join(f"- {s[n].split(' ', 1)[1]}: {v}" for s, v in items)
    head = "Aus dem Protokoll von heute:\n" if ger else rng.choice(["pasting from the handover note:\n", "From the platform mail:\n"])
    mid = "wir haben umgestellt, " if ger else "we switched over this morning. "
    return head + "\n".join(f"> {mid if i == 0 else ''}{s[n]} {'ist' if ger else 'is'} {v}." for i, (s, v) in enumerate(items)) + ("\n> Gruß, Plattform" if ger else "\n> cheers, platform team")


def correction(rng, who, german=False, stale=None):
    if who == "thorsten" or german:
        if stale:
            return f"Nein, das ist der alte Wert, {stale['de']} ist {stale['hist'][-1]}. Bitte noch einmal."
        return rng.choice(["Nein, so war das nicht gemeint. Mach das bitte rückgängig und lass die Schnittstelle, wie sie war.", "Das ist falsch, ich wollte nur die Meldung geändert haben.", "Stopp, falsche Stelle. Es geht um den anderen Aufruf."])
    if stale:
        return rng.choice([f"no thats the old one, {stale['en']} is {stale['hist'][-1]}", f"Wrong value. {stale['hist'][-1]}, as told."])
    return {"ingrid": rng.choice(["Wrong. Revert, keep the signature.", "No. I said only the message, not the logic.", "Incorrect, other call site."]),
            "amara": "I am afraid that is not what I asked for, please undo the second part and leave the interface as it was."}.get(
        who, rng.choice(["no thats not what i meant, undo that and only change the message", "nope wrong place, i meant the other call", "hm no, you broke the interface, put it back pls"]))


def ask(rng, s, german=False):
    return f"Welcher Wert gilt denn für „{s['de'].split(' ', 1)[1]}“?" if german else rng.choice([f"Before I go on: what is {s['en']}?", f"Which value should I use for {s['en']}?", f"Could you tell me {s['en']}?"])


SAY = ["Let me look at the code first.", "I'll check how this is used.", "Now the change itself.", "Running the checks.", "Found the place.", "This matches what I expected.",
       "Next I look at the callers.", "That is the cause, the limit is compared with the wrong field.", "I'll keep the diff small.", "One more look before I finish."]
SAYDE = ["Ich sehe mir zuerst den Code an.", "Jetzt die eigentliche Änderung.", "Ich prüfe, wo das aufgerufen wird.", "Die Stelle ist gefunden.", "Ich lasse die Prüfungen laufen."]
DONE = ["Done. I changed {f} and the checks I ran are fine.", "That should do it: the {n} is handled in {f} now.", "Finished. Summary: {f} was the place, the rest stays as it is.",
        "Here is what I found: the {n} goes through {f}, and nothing else touches it.", "All set, let me know if you also want it for the {m}."]
DONEDE = ["Fertig. Ich habe {f} angepasst, der Rest bleibt unverändert.", "Erledigt, {n} läuft jetzt über {f}.", "Ergebnis: {f} war die Ursache, {m} ist nicht betroffen."]
THINK = ["The user wants the {n} handled. I should start from {f} and see who calls it.", "If the {m} is missing the function returns early; that may explain it.",
         "There may be two places. {f} first, then the tests.", "I need to be careful not to change the interface of {f}."]
PLAN = """Implement the following plan:

# Plan: {v} {n} per {m}

## Context

At the moment every {n} is handled in {f}, and the {m} is looked up twice. This plan moves the lookup to one place.

## Steps

1. In `{f}`: take the {m} as an argument, keep the old signature for callers outside.
2. In `{g}`: pass it on, drop the second lookup.
3. Add a guard for an empty {n}; log at level warning.
4. Extend the tests in `{h}` with one case per branch.
5. Documentation: one paragraph, no screenshots.

## Files

| File | Change |
|---|---|
| {f} | new argument |
| {g} | caller |
| {h} | tests |

## Not part of this

- the {k} screen
- migrations
{more}
## Verification

- `make test` passes
- a {n} without {m} shows up in the log once
"""
