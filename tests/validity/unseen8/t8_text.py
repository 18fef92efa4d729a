"""Wordings: requests, corrections, announcements, replies."""
import re

# --- English requests by kind of work. Slots: {p} path, {f} function, {n} noun, {v} verb, {k} number, {t} topic
EN = {
"bugfix": [
 "{f} blows up when the {n} is empty, can you fix that", "We get a crash in {p} whenever a {n} has no {n2}. Please find out why and fix it.",
 "there's a bug: {t} counts every {n} twice", "Customers report that {t} shows the wrong {n}. Track it down.",
 "Fix the off-by-one in {f}", "{t} hangs for about {k} seconds if the {n} is missing, pls fix", "The {n} total is rounded the wrong way somewhere in {p}",
 "since yesterday {t} returns None instead of a {n}, look into it", "Sentry has {k} events of KeyError '{n}' from {f}. Can you get rid of that?",
 "Please repair {t}; it ignores the {n2} flag completely.", "why is {f} dropping the last {n}? fix it and make sure the tests pass",
 "I think {p} mishandles unicode in the {n}. Fix please.", "the {n} filter does nothing any more", "duplicate {n} rows after a retry, should be idempotent",
 "timeouts in {t} are not propagated, the caller just sees an empty {n}", "{f} mutates its input, that must not happen",
 "issue #{k}: {t} fails on leap days", "Sorting by {n2} is unstable in {t}, please sort it out"],
"feature": [
 "Add a {n2} option to {t}", "I'd like {f} to accept an optional {n2} and fall back to the {n}", "can we have pagination for {t}? page size {k} by default",
 "Please implement export of each {n} as CSV in {p}", "let users {v} a {n} from the command line", "New requirement: every {n} must carry a {n2}. Implement that end to end.",
 "add caching to {f}, {k} seconds is fine", "Extend {p} so that a {n} can have several {n2}s", "support bulk {v} for {n}s", "We need an audit entry each time somebody tries to {v} a {n}",
 "build a small endpoint that lists the {n}s by {n2}", "hook {t} up to the {n2} service", "make the {n} limit configurable (default {k})",
 "Could you add dry-run to {t}? It should print what it would {v}.", "please add a --verbose switch to {t}", "add retry with backoff around {f}, at most {k} attempts",
 "introduce a {n2} field on the {n} and show it in the summary", "implement soft delete for {n}s"],
"refactor": [
 "{p} has become a mess, split the {n} logic out", "rename {f} to something sensible everywhere", "Please move the {n2} helpers out of {p} and into their own module.",
 "get rid of the duplicated {n} parsing", "Replace the nested ifs in {f} with a table", "turn the {n} dict into a dataclass", "inline {f}, nobody else uses it",
 "clean up the imports and dead code around {t}", "the {n} and {n2} classes share a lot, pull up a base", "Make {f} pure, pass the {n2} in instead of reading it globally",
 "type hints for {p} please", "untangle the circular import between {t} and the {n2} code", "simplify {t}, it is far too clever",
 "I'd like {p} to stop depending on the {n2} package", "extract a function for the {n} validation", "unify the naming: we say {n} here and {n2} there"],
"explain": [
 "how does {t} work?", "Where do we decide which {n} gets a {n2}?", "walk me through {f}", "what calls {f} and with what arguments", "Is it safe to {v} a {n} twice?",
 "can you explain why {p} needs the {n2}", "what happens if the {n} arrives before the {n2}?", "I don't understand the {n} handling in {p}, give me the short version",
 "which parts of the code depend on the {n2} format", "what's the difference between {f} and the one next to it?", "who writes the {n} table?",
 "Summarise {t} for a new colleague, {k} sentences at most", "do we validate the {n2} anywhere", "tell me how a {n} travels from input to storage",
 "find out what the {k} in {p} stands for"],
"docs": [
 "update the docs for {t}", "The README still describes the old {n} format, please correct it", "write a short how-to for {v}ing a {n}", "docstrings for {f} and friends",
 "add a section about {n2}s to the guide", "please document the {n} limit of {k}", "fix the typos and the broken example in the {n} docs", "changelog entry for the {n2} change please",
 "describe the error codes of {t} in the docs", "the quickstart misses the {n2} step", "Make the {n} page shorter and clearer.", "document what {p} expects", "add an example of {v}ing several {n}s to the docs",
 "explain the {n}/{n2} distinction in the glossary"],
"tests": [
 "write tests for {f}", "{p} has no coverage for the empty {n} case, add some tests", "add a regression test for the {n2} bug", "Please cover {t} with unit tests, also the unhappy paths.",
 "parametrize the {n} tests", "the test for {f} is flaky, make it deterministic", "we need a test that a {n} without {n2} is rejected", "test the {k} limit of {t}",
 "replace the sleep in the {n} tests by a fake clock", "more tests around {p} please", "add fixtures for {n} and {n2}", "check that {f} keeps the order of the {n}s, as a test", "raise coverage on {t} a bit"],
"ops": [
 "roll out the {n} change to staging", "please book today's {n} corrections in the back office", "enter the new {n2} data and send the notice", "set up the dispatch for order {k}",
 "update the {n} record and tell the team", "prepare the weekly {n2} run", "push the {n2} settings to the preview system", "the {n} job needs to be scheduled again, same as last week",
 "register {k} new {n}s", "please apply the {n2} settings and check that they arrived", "Dispatch the open {n}s.", "re-run yesterday's {n} import", "adjust the {n} entry for customer {k}", "get the {n2} batch ready for tonight"],
"review": [
 "review my last commit please", "have a look at the diff for {p}, anything wrong?", "can you check the {n} branch before I merge", "second pair of eyes on {f}?", "Review the changes around {t}; focus on error handling.",
 "is the {n2} migration in this branch safe", "look over the PR about {n}s, be picky", "please sanity-check my edits in {p}", "does the new {f} break anything?", "quick review of {t} pls", "go through the uncommitted changes and comment"],
"report": [
 "how many {n}s did we {v} last month", "make a table of {n}s per {n2}", "compute the median {n2} for the {k} largest {n}s", "plot data for {n} growth as csv please", "which {n} has the most {n2}s?",
 "I need numbers about {t} for the board deck", "compare {n} counts week over week", "list the top {k} {n2}s", "give me a breakdown of {n} errors by {n2}", "export {k} sample {n}s for the auditors", "what share of {n}s lacks a {n2}"],
"tdd": [
 "TDD please: first a failing test for {f} with an empty {n}, then the code", "write the failing test for {t} first, show me it's red, then make it green", "red-green for the {n2} rule: test first",
 "start with a test that fails because {f} ignores the {n2}", "test first: {t} must reject a {n} above {k}", "let's drive the {n} change in {p} by tests, red first",
 "add failing specs for {v}ing a {n}, then implement until green", "as always test-first: {n2}s are sorted by {n}", "write the red test for issue #{k}, then fix", "failing test, then fix, for the {n} without {n2}"],
}
TERSE = {
"bugfix": ["fix {f}", "{n} bug again", "crash in {p}", "{t} broken, fix", "#{k}"], "feature": ["add {n2} to {n}", "{t}: dry-run", "csv export", "retry in {f}", "{k} limit configurable"],
"refactor": ["split {p}", "rename {f}", "types for {p}", "dedupe {n} code"], "explain": ["how does {f} work", "who calls {f}?", "{t}?", "what's {p}"],
"docs": ["docs for {f}", "changelog", "fix readme", "document {n2}"], "tests": ["test {f}", "more tests {p}", "cover {t}", "regression test"],
"ops": ["roll out {n}", "dispatch", "book {n}s", "same for {n2}"], "review": ["review", "check diff", "{p} ok?"], "report": ["{n}s per {n2}", "top {k} {n}s", "counts?"], "tdd": ["red test for {f} first"],
}
LEAD = ["", "", "", "", "", "Hi, ", "Hey, ", "ok next: ", "Next one: ", "Morning! ", "One more thing: ", "so, ", "Alright, ", "Also: ", "When you have a moment: ", "quick one, "]
TAIL = ["", "", "", "", "", "", " Keep the public API as it is.", " No rush.", " thanks!", " Please don't touch the migrations.", " Run the tests afterwards.", " Should be small I hope.", " (seen on staging)",
 " Best look at {p} first.", " It probably lives in {p}.", " I suspect {p}.", " see {p}", " The relevant code is in {p} I believe.", " Tell me what you changed.", " As minimal as possible please.",
 " Anna from support asked for it.", " This came up in the {n2} meeting.", " We promised it for Friday.", " It worked in the last release."]
# another user: own tics
LEAD2 = ["", "yo ", "hey claude ", "pls ", "ok so ", "hmm ", "right - "]
TAIL2 = ["", "", " cheers", " ta", " thx", " (in {p})", " - {p} i guess", " no need for tests", " asap pls", " and keep it simple", " lmk"]

DE = {
"bugfix": ["{f} stürzt ab, wenn {n} leer ist, bitte beheben", "In {p} wird {n} doppelt gezählt, schau dir das bitte an", "Der Filter nach {n2} tut nichts mehr", "Seit gestern liefert {t} None zurück, finde heraus warum", "Bitte den Rundungsfehler bei {n} korrigieren", "Ticket {k}: {t} bleibt hängen", "Warum verliert {f} den letzten Eintrag? Bitte reparieren", "Kunden melden falsche Werte in {t}", "Die Sortierung nach {n2} stimmt nicht"],
"feature": ["Baue in {t} eine Option für {n2} ein", "Ich hätte gern einen CSV-Export für {n}", "Bitte {f} um einen optionalen Parameter {n2} erweitern", "Wir brauchen eine Seitenweise Ausgabe, {k} Einträge pro Seite", "Mach das Limit für {n} einstellbar (Standard {k})", "Füge einen Probelauf zu {t} hinzu", "Jeder {n} soll künftig ein Feld {n2} haben", "Wiederholungen bei Fehlern in {f}, höchstens {k} Versuche"],
"refactor": ["{p} ist unübersichtlich geworden, bitte aufteilen", "Benenne {f} überall sinnvoll um", "Entferne die doppelte Prüfung von {n}", "Typangaben für {p} bitte", "Die verschachtelten Bedingungen in {f} vereinfachen", "Zieh die Hilfsfunktionen für {n2} in ein eigenes Modul"],
"explain": ["Wie funktioniert {t}?", "Wo wird entschieden, welcher {n} ein {n2} bekommt?", "Erklär mir bitte {f}", "Was passiert, wenn {n} vor {n2} ankommt?", "Wer ruft {f} auf?", "Wozu braucht {p} das {n2}?"],
"docs": ["Bitte die Doku zu {t} aktualisieren", "Die README beschreibt noch das alte Format von {n}", "Schreib eine kurze Anleitung zu {n2}", "Eintrag im Changelog für {n2}", "Dokumentiere die Grenze von {k} bei {n}"],
"tests": ["Schreib Tests für {f}", "Für {p} fehlt der leere Fall, bitte ergänzen", "Regressionstest für den Fehler mit {n2}", "Bitte {t} mit Unit-Tests abdecken", "Der Test für {f} wackelt, mach ihn stabil"],
"ops": ["Spiel die Änderung an {n} auf Staging ein", "Bitte die heutigen Korrekturen buchen", "Trag die neuen Daten für {n2} ein und verschick die Nachricht", "Bereite den wöchentlichen Lauf vor", "Versand für Auftrag {k} anlegen", "Die Einstellungen für {n2} übertragen und prüfen"],
"review": ["Schau bitte über meinen letzten Commit", "Prüf den Diff von {p}", "Ist der Branch so in Ordnung?", "Zweite Meinung zu {f}?", "Geh die offenen Änderungen durch"],
"report": ["Wie viele {n} hatten wir letzten Monat?", "Tabelle {n} je {n2} bitte", "Die {k} größten {n2} auflisten", "Anteil der {n} ohne {n2}?", "Vergleich der Zahlen zur Vorwoche"],
"tdd": ["Erst ein roter Test für {f}, dann der Code"],
}
LEAD_DE = ["", "", "", "", "Hallo, ", "So, ", "Noch etwas: ", "Als Nächstes: ", "Moin, "]
TAIL_DE = ["", "", "", "", " Danke!", " Liegt vermutlich in {p}.", " Siehe {p}.", " Bitte so klein wie möglich.", " Danach die Tests laufen lassen.", " Eilt nicht.", " Schau zuerst in {p}."]
FR = {
"bugfix": ["{f} plante quand {n} est vide, corrige s'il te plaît", "Il y a un bug dans {p} : {n} est compté deux fois", "Le filtre par {n2} ne marche plus", "Depuis hier {t} renvoie None, trouve pourquoi", "Ticket {k} : {t} reste bloqué", "Pourquoi {f} perd le dernier élément ?"],
"feature": ["Ajoute une option {n2} à {t}", "Je voudrais un export CSV pour {n}", "Peux-tu étendre {f} avec un paramètre {n2} facultatif ?", "Rends la limite de {n} configurable ({k} par défaut)", "Ajoute un mode simulation à {t}", "Chaque {n} doit avoir un champ {n2}"],
"refactor": ["{p} est devenu illisible, découpe-le", "Renomme {f} partout", "Supprime la validation en double de {n}", "Annotations de type pour {p} stp", "Simplifie {t}"],
"explain": ["Comment fonctionne {t} ?", "Explique-moi {f}", "Qui appelle {f} ?", "Que se passe-t-il si {n} arrive avant {n2} ?"],
"docs": ["Mets à jour la doc de {t}", "Le README décrit encore l'ancien format de {n}", "Entrée de changelog pour {n2}", "Documente la limite de {k}"],
"tests": ["Écris des tests pour {f}", "Il manque le cas vide dans {p}", "Test de régression pour {n2}", "Couvre {t} avec des tests unitaires"],
"ops": ["Déploie le changement de {n} sur staging", "Saisis les corrections du jour", "Prépare l'envoi de la commande {k}", "Applique les réglages de {n2} et vérifie"],
"review": ["Relis mon dernier commit", "Regarde le diff de {p}", "La branche est-elle correcte ?", "Un deuxième avis sur {f} ?"],
"report": ["Combien de {n} le mois dernier ?", "Tableau des {n} par {n2}", "Les {k} plus gros {n2}", "Part des {n} sans {n2} ?"],
"tdd": ["D'abord un test rouge pour {f}"],
}
LEAD_FR = ["", "", "", "Bonjour, ", "Ensuite : ", "Bon, ", "Encore une chose : "]
TAIL_FR = ["", "", "", " Merci !", " C'est sans doute dans {p}.", " Voir {p}.", " Le plus petit changement possible.", " Lance les tests après."]

CORR_EN = [
 "No, that's not what I asked for. {x}", "that's wrong, {x}", "You changed the wrong place, {x}", "Nope, {x}", "I said {x2}, not this. Please redo it.", "hm, you misread me: {x}",
 "Please undo that, {x}", "That isn't right. {x}", "you forgot half of it, {x}", "not like that! {x}", "Stop, wrong direction: {x}", "I already told you: {x}", "this is still broken, you didn't fix what I described. {x}",
 "Revert your last change please, {x}", "ugh no. {x}", "That is the opposite of what I wanted, {x}", "you did it for the wrong {n}, {x}", "Incorrect: {x}", "Why did you touch that? {x}", "I asked you not to do this; {x}",
 "wrong {n}. {x}", "That answer makes no sense, {x}", "again not what I meant - {x}", "You've missed the point: {x}", "no no, {x}", "The result is false, {x}", "it doesn't do what I said. {x}", "roll that back, {x}", "Actually I wanted something else: {x}", "you mixed up {n} and {n2}, {x}"]
CORR_X = ["I meant the {n}, not the {n2}", "it has to be {f}", "the {n2} must stay as it was", "only the {n} should change", "look at {p} instead", "it should {v} the {n}", "the limit is {k}", "leave the {n2} alone", "do it in {p}", "use the existing {f}"]
CORR_DE = [
 "Nein, das war nicht gemeint. {x}", "Das ist falsch, {x}", "Du hast die falsche Stelle geändert, {x}", "So nicht! {x}", "Ich hatte gesagt: {x}", "Bitte mach das rückgängig, {x}", "Das stimmt so nicht. {x}", "Du hast mich missverstanden: {x}",
 "Falscher {n}, {x}", "Die Hälfte fehlt, {x}", "Das ist genau das Gegenteil von dem, was ich wollte, {x}", "Nochmal: {x}", "Das hatte ich dir schon gesagt, {x}", "Warum hast du das angefasst? {x}", "Nee, {x}", "Immer noch kaputt, {x}", "Stopp, falsche Richtung: {x}",
 "Du verwechselst {n} und {n2}, {x}", "Nimm die letzte Änderung zurück, {x}", "Das Ergebnis ist falsch, {x}", "Ich wollte etwas anderes: {x}", "Leider daneben, {x}", "Das habe ich nicht verlangt. {x}", "Bitte korrigieren, {x}"]
CORR_DE_X = ["ich meinte {n} und nicht {n2}", "es muss {f} sein", "{n2} soll so bleiben, wie es war", "nur {n} sollte sich ändern", "schau stattdessen in {p}", "die Grenze ist {k}", "lass {n2} in Ruhe", "mach es in {p}", "nimm das vorhandene {f}"]
CORR_FR = ["Non, ce n'est pas ce que je voulais, {x}", "C'est faux, {x}", "Tu as modifié le mauvais endroit, {x}", "Annule ça, {x}", "Tu m'as mal compris : {x}", "Pas comme ça, {x}"]
CORR_FR_X = ["je parlais de {n}, pas de {n2}", "il fallait {f}", "regarde plutôt {p}", "la limite est {k}", "laisse {n2} tranquille"]

SET_EN = ["{key} is {val}", "use {val} as the {key}", "the {key} for this is {val}", "{key}: {val}", "we go with {key} {val}", "take {key} {val}"]
REPL_EN = ["the {key} changed: it is {val} now, no longer {old}", "please switch the {key} from {old} to {val}", "{key} is {val} from now on instead of {old}", "forget {old}, the {key} is {val}", "correction from sales: {key} = {val} (was {old})", "new {key}: {val}. {old} is out of use", "they moved the {key} to {val}, so {old} no longer applies", "update: {key} {old} -> {val}"]
SET_DE = ["{key} ist {val}", "nimm {val} als {key}", "{key}: {val}"]
REPL_DE = ["{key} hat sich geändert: jetzt {val} statt {old}", "ab jetzt ist {key} {val}, nicht mehr {old}", "neu: {key} {val} ({old} gilt nicht mehr)"]
SET_FR = ["{key} est {val}", "{key} : {val}"]
REPL_FR = ["{key} a changé : {val} au lieu de {old}", "désormais {key} = {val}, plus {old}"]
BYHAND = ["I just edited {p} by hand, please take it from there and adapt the {n}", "fyi I changed {p} myself a minute ago. Now adjust the {n2} accordingly", "I have reworked {p} in my editor, re-read it and continue with the {n}"]

REPLY = ["Let me look at the code first.", "I'll start by finding where this happens.", "Checking the {n} handling.", "Let me read the relevant file.", "Now I'll make the change.", "Let me verify that.", "Looking at how the {n2} is used.", "I'll run the checks.", "That narrows it down.", "Next, the {n} side.", "Good, that matches what I expected.", "One more place to look at."]
DONE = ["Done. {f} now handles the {n} properly and the {n2} stays untouched.", "I changed {p}; the {n} is treated as described. Let me know if anything else is needed.", "Finished: the {n2} part is in place and verified.", "Here is the summary: the {n} goes through {f}, then the {n2} is attached in {p}.", "All set. The change is limited to {p}.", "That's it. I kept the {n2} as it was and only touched the {n}."]
DONE_DE = ["Fertig. {f} behandelt {n} jetzt richtig.", "Ich habe {p} angepasst, {n2} bleibt unverändert.", "Erledigt, die Änderung beschränkt sich auf {p}."]
DONE_FR = ["Terminé : {f} gère {n} correctement.", "J'ai modifié {p}, {n2} reste inchangé."]
RETRY = ["That failed, let me correct the call.", "Wrong argument on my side, trying again.", "My mistake, fixing that.", "That does not exist; retrying."]
WRONGFILE = ["That is not the file I need.", "Wrong file, the right one has a similar name.", "This one is different, opening the other."]

LANGS = {"en": (EN, LEAD, TAIL, CORR_EN, CORR_X, SET_EN, REPL_EN), "en2": (EN, LEAD2, TAIL2, CORR_EN, CORR_X, SET_EN, REPL_EN),
 "de": (DE, LEAD_DE, TAIL_DE, CORR_DE, CORR_DE_X, SET_DE, REPL_DE), "fr": (FR, LEAD_FR, TAIL_FR, CORR_FR, CORR_FR_X, SET_FR, REPL_FR)}

def fill(text, slots):
    return re.sub(r"\{(\w+)\}", lambda m: str(slots.get(m.group(1), m.group(0))), text)

def typo(rng, s):
    if len(s) < 12: return s
    words = s.split(" ")
    cand = [i for i, w in enumerate(words) if len(w) > 4 and w.isalpha()]
    if not cand: return s
    i = rng.choice(cand); w = words[i]; j = rng.randrange(1, len(w) - 2)
    words[i] = rng.choice([w[:j] + w[j+1] + w[j] + w[j+2:], w[:j] + w[j+1:], w[:j] + w[j] + w[j:]])
    return " ".join(words)
