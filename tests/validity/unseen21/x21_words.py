"""What people say: requests, corrections, announcements and the agent's own short sentences."""

REQUESTS = {
    "fix": ("{fn} in {file} blows up when the {noun} is empty, can you fix it",
            "we get a 500 on the {noun} endpoint since yesterday ({ticket}). find out why and fix it",
            "the {noun} totals are off by one after a retry. start at {file}",
            "{ticket}: duplicate {noun}s after a timeout. please fix, the code is in {file}",
            "customer says their {noun} disappears when they reload, look into {file}",
            "fix the race between two workers that both take the same {noun}",
            "{file} swallows the exception from {fn}, it should surface it"),
    "feature": ("add an option to {fn} so callers can cap the number of {noun}s",
                "we need a way to archive a {noun}. service, storage and handler please; start with {file}",
                "let {file} accept a list of {noun}s as well as one",
                "implement {ticket}: {noun} notes, up to 500 characters, stored with the {noun}",
                "build the bulk {noun} import we talked about, dry-run mode first",
                "add paging to the {noun} list, same scheme as the other lists. {file}",
                "expose the {noun} status over the API, read only"),
    "refactor": ("{file} has become a mess, split {fn} into smaller pieces without changing behaviour",
                 "move the {noun} helpers out of {file} to where they belong",
                 "rename {fn} to something that says what it does, everywhere",
                 "replace the nested ifs in {file} by early returns",
                 "get rid of the global state around {noun}s in {file}",
                 "pull the retry logic for {noun}s into one place"),
    "question": ("how does {fn} decide which {noun} wins?", "where do we set the {noun} limit?",
                 "what happens if a {noun} arrives twice? walk me through {file}",
                 "is anything still calling {fn}?", "why does {file} keep its own copy of the {noun}?",
                 "explain the difference between a closed and an expired {noun} in our code",
                 "which parts would break if we dropped the {noun} column?"),
    "review": ("review the diff on this branch, mostly {file}", "have a look at my last commit, did I miss anything around {noun}s?",
               "review {ticket} before I merge it, be picky about error handling",
               "second pair of eyes on {file} please, I am not sure about {fn}",
               "check the open changes for anything that would hurt under load",
               "does the branch still match what {ticket} asks for?"),
    "data": ("how many {noun}s were created per day last week on staging? write a small script",
             "export all {noun}s without an owner to csv", "backfill the missing {noun} dates, dry run first",
             "compare the {noun} counts in the database with the export",
             "the nightly {noun} job looks short, check the numbers",
             "find {noun}s that have two active rows and list them for me"),
    "ops": ("staging is slow, check the workers and the queue", "the {noun} worker restarts every few minutes, find out why",
            "is staging healthy? pods, queue, database please", "roll the {noun} worker on staging and watch the logs",
            "the health check flaps since noon, have a look", "the {noun} queue grows, see what holds it up"),
    "docs": ("update the docs for {fn}, they still describe the old arguments", "write a short page on how {noun}s flow through the system",
             "the runbook lacks the {noun} part, add it", "README setup steps are outdated, go through them",
             "document the error codes in {file}", "add an example for the {noun} API to the docs"),
    "tests": ("{file} has hardly any tests, add the important ones", "write a regression test for {ticket}",
              "cover the error paths of {fn}", "the {noun} tests are slow, see what can be cut",
              "add a test with two {noun}s that share an id", "port the old {noun} tests to the new fixtures, next to {file}"),
    "release": ("prepare the release: changelog, version, build", "cut a release candidate and check the image comes up",
                "what has gone in since the last release? update the changelog", "bump the version and verify the chart renders",
                "get the hotfix for {noun}s out, build and dry-run only", "finish the release notes and tag it locally"),
    "deps": ("update the outdated dependencies, minor versions only", "drop the library we only use in {file}",
             "the lockfile conflicts with main, sort it out", "bump the http client and fix what breaks",
             "audit says one package is vulnerable, upgrade it", "pin the toolchain so that CI and laptops agree"),
    "perf": ("{fn} takes two seconds for a large {noun}, make it faster", "profile {file}, I suspect the inner loop",
             "memory grows while importing {noun}s, find the leak", "cut the number of queries in {file}",
             "the {noun} list is slow, see whether caching helps", "benchmark {fn} before and after the last change"),
}
KINDS_OF_TASK = tuple(REQUESTS)
CONTEXT = ("it started after the deploy on Tuesday.", "no hurry, but I would like it clean.", "Mara from support asked twice already.",
           "keep the public interface as it is.", "I looked at it for an hour and got nowhere.", "there is a demo at four.",
           "do not touch the migrations.", "we had something like that in spring.", "small commits if you can.",
           "the old behaviour must stay for existing customers.", "ask if the spec is unclear.", "tests should stay green of course.",
           "I will be in a meeting, just go on.", "the ticket has a longer description.", "same conventions as in the rest of the package.")
OPENERS = ("hi, ", "ok, ", "next: ", "morning! ", "so, ", "hey ", "")
CLOSERS = (" thanks", " please", " thx!", " :)", " - ok?", ".", "")

CORRECTIONS = (
    "no, that's not what I asked for", "that is wrong, {fn} still returns the old list", "still broken, same error as before",
    "you changed the wrong thing, undo it and look at {file} again", "this doesn't work, the {noun} is still empty",
    "not quite: I meant the {noun}, not its parent", "your fix makes it worse, now nothing gets saved",
    "hmm, the answer can't be right, {fn} is never called there", "you missed the second case I described",
    "I said no new dependency", "that isn't fixed. I just tried it", "wrong direction, please start over from {file}",
    "nope, the result is the same as before", "the numbers you gave me are wrong", "you forgot the handler",
    "that broke the build", "please read my message again, I asked for something else", "this is not correct, compare with the docs",
    "why did you delete the check? put it back", "the tests pass but it does the opposite of what I want",
    "you misunderstood, the {noun} must stay open", "it fails right away when I run it", "incorrect, there are two {noun}s in that case",
    "revert that, it is not what we agreed on", "I don't think you looked at {file} at all, the claim is false",
    "doesn't compile on my machine after your change", "the bug is still there", "that was a bad idea, back to the previous version please",
    "you answered a different question", "almost, but the order is reversed now", "your summary is wrong about {fn}",
    "again: only the {noun}s of today, you did all of them", "this solves half of it, the error path is untouched",
    "I can't accept that, you just hid the error", "it's worse than before, undo", "you did it in the wrong layer",
    "that can't be, check once more", "not fixed. look properly this time", "you introduced a typo and now the import fails",
    "actually no - the limit applies per {noun}, you made it global", "the example you wrote does not run",
    "you skipped the part about retries", "same problem again, see the log", "sorry but this is useless, the {noun} never gets there",
    "you overwrote my change", "what you describe is not how it behaves")
TERSE = ("no", "still wrong", "nope, same error", "wrong file", "not it", "undo that", "doesn't work", "still fails", "not what I meant",
         "broke the build", "no. again", "wrong", "that's not it", "bug still there", "revert")
TOLD = ("by the way, {what} is {new} now", "heads up: {what} moved from {old} to {new}", "note that {what} has changed to {new}",
        "{what} is no longer {old}, use {new}", "we switched {what} to {new} this morning", "from now on {what} = {new}",
        "infra changed {what}, it is {new} since today", "fyi {what}: {new} (was {old})", "use {new} as {what} from here on, {old} is gone",
        "new {what}: {new}", "before I forget, {what} became {new}", "please remember {what} is {new} now instead of {old}",
        "they replaced {old}, {what} is now {new}", "{what} got updated, {new}")
WHAT = {"DB_HOST": "the staging database host", "DB_PORT": "the database port", "API_PORT": "the local API port", "REDIS_HOST": "the redis host",
        "RELEASE_BRANCH": "the release branch", "IMAGE_TAG": "the image tag", "KUBE_NAMESPACE": "the staging namespace",
        "EXPORT_BUCKET": "the export bucket", "QUEUE_NAME": "the job queue", "TENANT_ID": "the test tenant id",
        "CHART_VERSION": "the chart version", "TOOLCHAIN_VERSION": "the toolchain version"}

GERMAN = {
    "fix": ("{fn} in {file} stürzt ab, wenn {noun} leer ist, bitte beheben", "seit gestern kommt ein 500 bei {noun} ({ticket}), such die Ursache",
            "die Summen bei {noun} sind nach einem Retry falsch, fang bei {file} an"),
    "feature": ("bau in {fn} eine Obergrenze für {noun} ein", "wir brauchen eine Archivfunktion für {noun}, beginne mit {file}",
                "setz {ticket} um: Notizen am {noun}, höchstens 500 Zeichen"),
    "refactor": ("räum {file} auf, {fn} ist viel zu lang", "zieh die Hilfsfunktionen für {noun} an eine Stelle", "mach aus den verschachtelten ifs in {file} frühe Rücksprünge"),
    "question": ("wie entscheidet {fn}, welcher {noun} gewinnt?", "wo steht die Grenze für {noun}?", "was passiert, wenn ein {noun} doppelt kommt? erklär mir {file}"),
    "review": ("schau dir den Diff an, vor allem {file}", "prüf bitte {ticket}, bevor ich merge", "hab ich im letzten Commit etwas übersehen?"),
    "data": ("wie viele {noun} gab es letzte Woche pro Tag? kleines Skript bitte", "exportier alle {noun} ohne Besitzer als csv", "vergleich die Zahlen in der Datenbank mit dem Export"),
    "ops": ("Staging ist langsam, schau nach den Workern und der Queue", "der {noun}-Worker startet dauernd neu, warum?", "läuft Staging? Pods, Queue, Datenbank bitte"),
    "docs": ("die Doku zu {fn} ist veraltet, bitte anpassen", "schreib eine kurze Seite zum Weg eines {noun}", "im Runbook fehlt der Teil zu {noun}"),
    "tests": ("{file} hat kaum Tests, schreib die wichtigsten", "Regressionstest für {ticket} bitte", "deck die Fehlerpfade von {fn} ab"),
    "release": ("bereite das Release vor: Changelog, Version, Build", "was ist seit dem letzten Release passiert? Changelog ergänzen", "Version hochziehen und das Chart prüfen"),
    "deps": ("aktualisier die veralteten Abhängigkeiten, nur Minor", "wirf die Bibliothek raus, die nur {file} braucht", "der Lockfile-Konflikt mit main muss weg"),
    "perf": ("{fn} braucht zwei Sekunden, mach das schneller", "miss mal {file}, ich vermute die innere Schleife", "weniger Abfragen in {file} bitte"),
}
GERMAN_CORRECTIONS = (
    "nein, das war nicht gemeint", "das ist falsch, {fn} liefert immer noch die alte Liste", "geht immer noch nicht, gleicher Fehler",
    "du hast das Falsche geändert, mach es rückgängig", "stimmt nicht, da gibt es zwei {noun}", "der Fehler ist noch da",
    "falsche Richtung, fang nochmal bei {file} an", "du hast den zweiten Fall vergessen", "das funktioniert nicht, gerade probiert",
    "jetzt ist es schlimmer als vorher", "ich hatte nach etwas anderem gefragt", "die Zahlen stimmen nicht",
    "bitte zurück zur alten Version, so geht das nicht", "lies meine Nachricht nochmal, das war nicht die Aufgabe",
    "nicht ganz: es geht um {noun}, nicht um den Rest", "der Build ist jetzt kaputt", "du hast meine Änderung überschrieben",
    "das kann nicht sein, prüf das noch einmal", "wieder derselbe Fehler", "fast, aber die Reihenfolge ist verkehrt")
GERMAN_CONTEXT = ("eilt nicht.", "die Schnittstelle bleibt bitte gleich.", "um vier ist die Vorführung.", "die Migrationen nicht anfassen.",
                  "der Support fragt schon nach.", "bitte kleine Commits.")
GERMAN_TOLD = ("übrigens, {what} ist jetzt {new}", "Achtung: {what} hat sich geändert, {old} ist jetzt {new}", "ab sofort {what} = {new}",
               "{what} ist nicht mehr {old}, nimm {new}", "neu: {what} {new}", "die Infra hat {what} auf {new} umgestellt")

LEAD = ("Let me look at this.", "I'll start with the code involved.", "Checking {thing} now.", "Next, {thing}.", "I want to see {thing} before changing anything.",
        "Looking at {thing}.", "Let me verify that.", "One moment, checking {thing}.", "I'll go through {thing}.", "Now {thing}.")
AFTER_SLIP = ("That was off, trying again.", "Wrong call on my side, once more.", "That failed, adjusting.", "Let me correct that.", "Not found, checking the name.", "Right, the other form.")
WRONG_FILE = ("This is not the one, the code I need lives elsewhere.", "That is a different one with a similar name.", "Not here, looking for the other one.",
              "Wrong module, let me find the right one.")
DONE = {"edit": ("Done. {file} now handles the {noun} case, and the surrounding code is unchanged.", "I changed {fn} in {file}; callers keep working as before.",
                 "That is in place. The change is small and limited to {file}.", "Finished: {file} updated, {noun} handling covered."),
        "look": ("In short: {fn} takes the newest {noun} and drops the rest. The check sits in {file}.", "{file} keeps the state, everything else only reads it.",
                 "I found nothing alarming. Two smaller remarks concern {fn} and its callers.", "The limit comes from {file}; {fn} applies it once per {noun}."),
        "ran": ("Here is what I see: the {noun} numbers look consistent, nothing is stuck.", "Ran it on staging; the output is above. {noun} counts are as expected.",
                "All steps went through, I left the result in the usual place.", "Summary: services up, one {noun} backlog that is draining.")}
SORRY = ("You're right, I'll redo it.", "I see, let me go back to that.", "Understood, fixing it now.", "Thanks for checking, looking again.", "Got it, that was my mistake.")
PEOPLE = (("ines", "Ines Kaltenbach"), ("tobias", "Tobias Wrede"), ("amara", "Amara Osei"), ("luc", "Luc Fontanel"), ("priya", "Priya Raman"),
          ("sven", "Sven Aalto"), ("noor", "Noor Haddad"), ("jun", "Jun Takeda"))
