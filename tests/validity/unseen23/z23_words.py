"""Wordings shared by the people: corrections, announcements of new values, answers, and German."""


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


CORRECTIONS = lines("""
That's not right, {sym} still gives the old result.
No, that is wrong. I asked for {mod}, not for everything else.
It still fails in exactly the same way as before.
You changed the wrong thing, {mod} is what matters here.
That didn't work.
This broke {mod}, please undo that part and do it properly.
Hmm, the result is the same as before your change.
No no, you misunderstood me. {f} should keep its behaviour.
Your fix doesn't do what I asked for.
I tried it and the bug is still there.
Wrong. Try again.
You said it was done but {sym} is untouched.
That's incorrect, look at {f} again.
Nope, still broken.
Please read my message again, this is not what I wanted.
Why did you do that? I never asked for it. Take it back.
The last change makes it worse, now {mod} is empty.
You forgot half of it, {sym} is missing.
That is the opposite of what I meant.
Your answer is mistaken: {mod} does not work like that.
I don't think that's correct. Check {f} once more.
Not what I meant, I meant the other case.
It compiles but the behaviour is wrong.
You only treated the symptom, the cause is still in {f}.
Same error again after your change.
The numbers you gave me don't add up.
That was the wrong approach, do it the way we discussed.
Sorry, but that isn't it.
Actually that's false, {sym} is called twice.
I just checked, and what you claimed about {mod} isn't true.
You overlooked the case where {mod} is empty.
This is not fixed. See for yourself.
Still seeing it here.
Undo this, it's not what the ticket says.
Did you even run it? It falls over immediately.
You've got it backwards, {f} depends on it and not the other way round.
That solution ignores what I said about {mod}.
Close, but no. The order is still wrong.
The output is off, look at the last line.
Revert your last edit, it was a mistake.
Doesn't help, {mod} behaves as it did this morning.
You missed the point, the problem is in {sym}.
What you did to {f} is not acceptable, please correct it.
Unfortunately this is not right yet.
Again the same mistake with {mod}.
Wait, that can't be right, {sym} returns nothing now.
I meant something different, {mod} must not change at all.
Fix your previous change, it doesn't even start.""")
SHORT_CORRECTIONS = lines("""
no
wrong
still broken
nope, same error
not what i meant
that's wrong
didn't work
undo that
no, the other one
incorrect
same as before
you missed it""")
TOLD = lines("""
By the way, {words} is {new} now.
Heads up: {words} changed to {new}.
Note that {words} is now {new} instead of {old}.
From today on {words} is {new}.
{old} is gone, use {new} for {words}.
They moved us: {words} = {new}.
Also, we replaced {words}, it is {new} from now on.
FYI {words}: {new}
Remember that {words} has become {new}.
Ah and {words} was switched from {old} to {new} this morning.
Please use {new} as {words} from here on.
One more thing, {words} should be {new}, no longer {old}.""")
FOLLOW = lines("""
Good. Next: {ask}
Thanks, works. {ask}
Great. {ask}
ok, {ask}
Now this: {ask}
Perfect, thank you. {ask}
{ask}
{ask}
{ask}
{ask}""")
PREAMBLE = lines("""
I'll look at the relevant code first.
Let me find where this happens.
Let me check {f}.
Now the change itself.
Looking for {sym}.
I'll run this to be sure.
Next, {f}.
Let me see how {mod} is wired up.
Checking the result.
I have what I need, going on.""")
AFTER_SLIP = lines("""
That failed, let me adjust.
That isn't there, trying again.
My mistake, the right form is different.
Let me correct this.
I'll try it another way.""")
AFTER_PICK = lines("""
That's the similarly named one. The right file is {f}.
Not this one, I need {f}.
This is a different module; opening {f}.
I mixed these two up, {f} is the one.""")
DONE = lines("""
Done. {f} now handles this and the checks I ran look fine.
I've updated {f}. {sym} covers the case you described.
Finished: the {mod} part is in place. The change is small and local.
The change is in {f}. Let me know if {mod} should behave differently.
All set. I touched {f} and left the rest of {mod} alone.
{mod} is taken care of. I kept the existing interface of {sym}.
That's it: {sym} was the place to look at, see {f}.
Here is what I found: {mod} goes through {sym} in {f}, the rest follows from it.""")

GERMAN_ASKS = {
    "bugfix": ["In {f} steckt ein Fehler, bitte beheben.", "{sym} liefert falsche Werte, schau dir das bitte an und korrigiere es.", "Die Anzeige von {mod} bleibt leer, bitte finde die Ursache."],
    "feature": ["Bitte baue in {f} eine Sortierung ein.", "Wir brauchen für {mod} noch einen Export.", "Ergänze {mod} um eine Suche, fang mit {f} an."],
    "refactor": ["Bitte räume {f} auf.", "{f} und {f2} machen fast dasselbe, führe sie zusammen.", "Zieh die Logik von {mod} in eine eigene Klasse."],
    "tests": ["Schreib bitte Tests für {f}.", "Für {sym} fehlt ein Test mit leerer Eingabe.", "Bitte {mod} besser mit Tests abdecken."],
    "docs": ["Dokumentiere bitte {f}.", "Die Anleitung zu {mod} ist veraltet, bitte überarbeiten.", "Schreib einen Eintrag ins Changelog zu {mod}."],
    "deploy": ["Bitte stell die Änderung an {mod} bereit.", "Mach ein neues Release mit {mod}.", "Spiel den Stand auf das Testsystem."],
    "config": ["Leg bitte eine Einstellung für {mod} an.", "Die Konfiguration rund um {f} braucht Pflege.", "Schalte {mod} für die Testumgebung frei."],
    "deps": ["Aktualisiere die Bibliotheken, {f} ist betroffen.", "Bitte die alte Abhängigkeit von {mod} entfernen.", "Prüfe, ob {f} mit der neuen Version läuft."],
    "investigate": ["Warum ist {mod} so langsam?", "Wo wird {sym} aufgerufen?", "Was unterscheidet {f} von {f2}?"],
    "review": ["Sieh dir bitte meine Änderungen in {f} an.", "Ist {sym} so in Ordnung?", "Prüfe bitte {f2} vor dem Zusammenführen."],
    "perf": ["{mod} ruckelt, bitte schneller machen.", "{sym} braucht zu viel Speicher.", "Bitte finde heraus, wo in {f} die Zeit bleibt."],
    "data": ["Importiere bitte die Daten für {mod}.", "Zähle die Zeilen ohne Kennung in {mod}.", "Wandle die alten Daten von {mod} um, siehe {f}."]}
GERMAN_CORRECTIONS = lines("""
Das stimmt nicht, {sym} liefert immer noch das alte Ergebnis.
Nein, das ist falsch.
Das habe ich so nicht gemeint.
Geht immer noch nicht.
Der Fehler ist weiterhin da.
Du hast das Falsche geändert, es ging um {mod}.
Bitte mach das rückgängig, das wollte ich nicht.
So war das nicht gedacht, lies meine Nachricht noch einmal.
Leider falsch, schau noch einmal in {f}.
Jetzt ist {mod} ganz kaputt.
Das hat nichts gebracht, gleiche Meldung wie vorher.
Du hast die Hälfte vergessen, {sym} fehlt.
Das ist genau verkehrt herum.
Stimmt so nicht, die Zahlen passen nicht.
Deine Änderung funktioniert nicht.
Falsche Stelle, das Problem liegt in {f}.
Nicht richtig, bitte noch einmal.
Ich habe es ausprobiert, es klappt nicht.""")
GERMAN_TOLD = lines("""
Übrigens: {words} ist jetzt {new}.
Bitte ab sofort {new} verwenden, nicht mehr {old} ({words}).
Achtung, {words} wurde auf {new} geändert.
{words}: neu ist {new}.""")
GERMAN_FOLLOW = lines("""
Gut. {ask}
Danke, passt. {ask}
{ask}
{ask}
Weiter: {ask}""")
GERMAN_DONE = lines("""
Erledigt. Die Änderung steckt in {f}.
{sym} ist angepasst, {mod} verhält sich jetzt wie beschrieben.
Fertig: {f} ist überarbeitet, der Rest bleibt unberührt.
Das Ergebnis: {mod} läuft über {sym}, siehe {f}.""")
