"""What users and agents say: requests by kind of task, follow-ups, corrections, and the agent's own words."""

ASK = {  # usual user: (full requests, short requests)
    "fix": (["{sym} in {area} throws a LookupError when {field} is null, can you fix it?",
             "we have a bug: the {area} page shows the wrong {field} after a reload. Please find out why and fix it",
             "test_{area} has been failing on main since this morning, have a look and fix whatever broke",
             "the {noun} gets saved twice when you hit {verb} quickly. fix that please, with a test",
             "customers of the north district see {field} off by one in the {area} list. Can you track that down?",
             "{file} crashes on an empty list"],
            ["fix {sym}", "{area} is broken, fix", "bug in {file}: wrong {field}", "null {field} again in {area}"]),
    "feature": (["add a filter by {field} to the {area} list, both in the api and on the page",
                 "I'd like to {verb} several {noun}s at once from the {area} screen. Please build that",
                 "let's add an endpoint that returns the open {noun}s of a {area}, newest first, with paging",
                 "please add {field} to {area} (column, model, api, detail page)",
                 "implement a nightly job that will {verb} every {noun} older than 30 days",
                 "can we send a notification when the {field} of a {noun} changes? make it configurable"],
                ["add {field} to {area}", "bulk {verb} for {noun}s", "paging for {area} list", "csv export for {area}"]),
    "refactor": (["{file} is getting messy, split the {noun} handling out of it without changing behaviour",
                  "rename {field} to {field2} everywhere in {area}",
                  "please get rid of the duplicated {verb} logic between {area} and the other services",
                  "move the {noun} helpers of {area} into core, nothing should change for callers"],
                 ["clean up {file}", "dedupe {sym}", "rename {field} -> {field2} in {area}"]),
    "question": (["how does {area} decide which {noun} to {verb} first?", "where do we set {field}? I can't find it",
                  "what happens in {sym} when the {noun} has no {field}? just explain, no changes",
                  "is it safe to call {sym} twice for the same {noun}?",
                  "why do we keep {field} in both the {area} table and in the cache?"],
                 ["where is {field} set?", "what does {sym} do?", "who calls {sym}?"]),
    "review": (["please review the branch feature/{area}-{verb}, mostly the sql",
                "look over my last commit in {area}, anything that could go wrong with {field}?",
                "can you check PR 4{num} before I merge it? it touches {file}"],
               ["review PR 4{num}", "review last commit", "check feature/{area}-{verb}"]),
    "infra": (["the {area} container on staging keeps restarting, find out why and raise its memory if that's the reason",
               "add a queue for {noun} events in terraform and wire it into staging",
               "ci takes 14 minutes now. Can you see what's slow and cache the node modules?",
               "we need a healthcheck for {area} in compose and in prod.yaml",
               "set {field} as an env variable for {area} on staging and prod"],
              ["bump {area} memory on staging", "add healthcheck for {area}", "ci cache please"]),
    "data": (["how many {noun}s have an empty {field} per district? give me a table",
              "write a migration that backfills {field} of {area} from the readings, in batches of 5000",
              "the monthly report counts closed {noun}s twice, check the query in db/reports.sql",
              "find duplicated {noun}s by serial_no and list the worst 20",
              "load last week's readings into the staging database and check the totals"],
             ["count {noun}s without {field}", "backfill {field}", "dupes in {area}?"]),
    "docs": (["docs/{area}.md is out of date since we changed {field}, please update it",
              "write a short section on how to {verb} a {noun} for the people on call",
              "add the new env variables to the README"],
             ["update docs/{area}.md", "document {sym}"]),
    "tests": (["{sym} has no tests at all, please add some including the edge cases",
               "the coverage of {area} is at 61%, get it above 75",
               "test_{area} is flaky on ci, about one in ten. find the cause"],
              ["tests for {sym}", "unflake test_{area}", "more tests for {area}"]),
}
CONTEXT = ["It came up in the support channel yesterday and two cities have asked about it since.",
           "Take care that the edge boxes still run the old protocol, so don't change the wire format.",
           "I think it started with the release of last week but I'm not sure, the logs only go back five days.",
           "Keep it small, I want to get this into the next release. If you find more, write it down and tell me.",
           "Ruth looked at it before and thought it was the cache, but clearing it did not help.",
           "Follow the way we did it for the other services, there should be a helper for that already."]
ASK_B = {  # the other user
    "fix": ["Would you investigate why {sym} returns stale {field} values? A regression test would be appreciated.",
            "Test_{area} has not passed since the last merge; please examine the matter.", "Operations reports that {area} rejects valid {noun}s. Kindly determine the root cause and correct it."],
    "feature": ["Please extend {area} so that an operator may {verb} a {noun} on behalf of another crew.",
                "A filter by {field} is requested for the {area} overview; please provide it.", "We require an audit entry whenever {field} is altered in {area}. Please implement it."],
    "refactor": ["Please rename {field} to {field2} throughout {area}.", "Please consolidate the {noun} handling within {file}; observable behaviour has to stay identical."],
    "question": ["Could you explain the life cycle of a {noun} within {area}, with references to the code?",
                 "Which components depend upon {sym}? A brief overview suffices.",
                 "Under which circumstances may {field} be negative?"],
    "review": ["Please assess merge request 4{num} with regard to locking and error handling."],
    "infra": ["Please prepare the staging environment for {area}: secrets, healthcheck and an alert on restarts.",
              "The certificate of the {area} gateway expires soon; please automate its renewal.",
              "Kindly reduce the idle cost of {area} on staging, e.g. fewer replicas at night."],
    "data": ["Please determine the distribution of {field} across districts for the last quarter.",
             "Management needs the number of {noun}s resolved within 48 hours, by month.",
             "Please reconcile the {area} totals with those of the ledger and report deviations."],
    "docs": ["Please draft an operations manual page about {area}, suitable for new colleagues."],
    "tests": ["Please provide integration tests which cover {sym} under concurrent access."],
}
ASK_FR = {
    "fix": ["{sym} plante quand {field} est vide, tu peux corriger ?", "la page {area} affiche un mauvais {field} après rechargement, trouve pourquoi et corrige",
            "test_{area} échoue sur main depuis ce matin, regarde s'il te plaît"],
    "feature": ["ajoute un filtre par {field} dans la liste {area}, côté api et côté page", "il faudrait un export csv pour {area}",
                "on aimerait recevoir une alerte quand {field} change, ajoute ça"],
    "refactor": ["{file} devient illisible, sépare la partie {noun} sans changer le comportement", "renomme {field} en {field2} partout dans {area}"],
    "question": ["comment {area} choisit-il le prochain {noun} ?", "où est-ce qu'on définit {field} ? je ne trouve pas", "que fait {sym} exactement ?"],
    "review": ["relis la branche feature/{area}-{verb} s'il te plaît, surtout le sql", "tu peux relire la PR 4{num} ?"],
    "infra": ["le conteneur {area} redémarre sans arrêt en préproduction, trouve pourquoi", "ajoute un healthcheck pour {area} dans compose et prod.yaml"],
    "data": ["combien de {noun}s sans {field} par quartier ? fais-moi un tableau", "écris une migration qui remplit {field} par lots de 5000"],
    "docs": ["docs/{area}.md n'est plus à jour depuis le changement de {field}, mets-le à jour"],
    "tests": ["{sym} n'a aucun test, ajoutes-en avec les cas limites", "test_{area} est instable en ci, trouve la cause"],
}
FOLLOW = {"en": ["good, now do the same for the {area} detail page", "and can you also cover the case where {field} is negative?",
                 "nice. what about {sym}, does it need the same?", "ok. please also update the docs for that",
                 "great, commit that", "and run the whole suite once please", "could you make the limit configurable too"],
          "short": ["same for {sym}", "commit", "also {field}", "docs too", "run all tests", "ok next: {sym}"],
          "b": ["Thank you. Please apply the same to {sym}.", "Very good. Would you also consider {field}?",
                "Please proceed with the commit.", "One addition: the limit ought to be configurable."],
          "fr": ["parfait, fais pareil pour {sym}", "et le cas où {field} est négatif ?", "très bien, tu peux committer", "mets aussi la doc à jour"]}
CORRECT = {"en": ["no, that's not what I meant. It's about {field}, not {field2}", "that's wrong, {sym} must not write to the database. Please change it back",
                  "hm, it still shows the old {field}. you changed the wrong place I think", "not quite: the limit applies per district, not overall",
                  "you forgot the {area} list page"],
           "short": ["no, {field} not {field2}", "wrong file", "still broken", "not that one, {sym}"],
           "b": ["I am afraid this is not what I asked for: it concerns {field}.", "This is incorrect; {sym} must remain read-only.",
                 "You overlooked the {area} overview."],
           "fr": ["non, ce n'est pas ça : il s'agit de {field}, pas de {field2}", "c'est faux, {sym} ne doit pas écrire en base", "tu as oublié la liste {area}"]}
REDIRECT = {"en": ["wait, pull main first, there was a merge a minute ago", "hold on, let's do only the api part today", "one moment, use the staging database for this",
                   "let me add: we only need that for {area}"],
            "short": ["api only for now", "pull main first", "use staging"],
            "b": ["A moment, please: kindly restrict this to {area} for now.", "Please fetch the latest main beforehand."],
            "fr": ["attends, récupère d'abord main", "on fait seulement la partie api aujourd'hui"]}
SAY = {
    "en": {"search": ["Let me find where this is used.", "I'll search for the callers first.", "Looking for `{x}` in the code."],
           "read": ["Let me read that file.", "I'll look at `{x}`.", "Now the code around it.", "Checking how `{x}` does it."],
           "edit": ["Now I'll make the change.", "The cause is clear: the check comes too late. Fixing it in `{x}`.", "Next, `{x}`."],
           "write": ["I'll add a new file for this.", "Creating `{x}`."],
           "run": ["Let me run it.", "Running the checks.", "Let me verify that."],
           "plan": ["This has several steps, so I'll note them down."],
           "sub": ["I'll have a sub-agent explore this part."],
           "slip": ["That was not right, let me try again.", "Wrong one; correcting.", "Let me use the right name."],
           "fail": ["One test still fails; the fixture has no `{x}`.", "That fails because the limit is checked before. Adjusting.", "Expected, the test data is older."],
           "done": ["Done. `{x}` now handles an empty {f}, and the tests of {a} pass.", "That's in: {a} takes {f} into account, the change is in `{x}`.",
                    "I changed `{x}` and checked it with the tests of {a}. Nothing else uses {f} here.",
                    "Finished. Summary:\n\n- `{x}`: new handling of {f}\n- tests for {a} adapted\n\nTell me if you want it behind a flag."],
           "answer": ["{a} sorts by {f} and then by age; it happens in `{x}`. A {f} of null sorts last.",
                      "It is set in `{x}` when the row is saved, and nowhere else. The cache holds a copy for ten minutes.",
                      "Short answer: yes. `{x}` takes a lock on the row, so a second call finds {f} already set and returns early.",
                      "Two remarks: the index on {f} is missing, and `{x}` swallows an error. Otherwise it looks good."]},
    "fr": {"search": ["Je cherche d'abord les appels.", "Cherchons `{x}` dans le code.", "Voyons où c'est utilisé."],
           "read": ["Je lis ce fichier.", "Regardons `{x}`.", "Voyons le code autour.", "Je vérifie comment `{x}` s'y prend."],
           "edit": ["Je fais la modification.", "La cause est claire : le contrôle vient trop tard. Je corrige dans `{x}`.", "Ensuite, `{x}`."],
           "write": ["J'ajoute un nouveau fichier.", "Je crée `{x}`."], "run": ["Je lance la commande.", "Je lance les contrôles.", "Vérifions."],
           "plan": ["Il y a plusieurs étapes, je les note."], "sub": ["Je confie cette exploration à un sous-agent."],
           "slip": ["Ce n'était pas le bon nom, je recommence.", "Je corrige.", "Prenons le bon nom."],
           "fail": ["Un test échoue encore, il manque `{x}` dans les données.", "Ça échoue car la limite est contrôlée avant. J'adapte.", "C'est attendu, les données sont anciennes."],
           "done": ["C'est fait : `{x}` gère maintenant {f} vide et les tests de {a} passent.", "C'est en place : {a} tient compte de {f}, le changement est dans `{x}`.",
                    "J'ai modifié `{x}` et vérifié avec les tests de {a}. Rien d'autre n'utilise {f} ici.",
                    "Terminé. En résumé :\n\n- `{x}` : nouvelle gestion de {f}\n- tests de {a} adaptés"],
           "answer": ["{a} trie par {f} puis par ancienneté, dans `{x}`. Un {f} vide vient en dernier.",
                      "C'est défini dans `{x}` au moment de l'enregistrement, nulle part ailleurs.",
                      "En bref : oui. `{x}` verrouille la ligne, un second appel trouve {f} déjà rempli.",
                      "Deux remarques : il manque l'index sur {f}, et `{x}` avale une erreur. Sinon c'est bon."]}}
TAIL = {"en": {"done": ["The old behaviour stays for {n} other callers.", "I left the {n} older rows as they are.", "The suite takes about {n} seconds now.",
                        "One thing I noticed: line {n} of the same file has a similar check.", "No migration is needed.", "Tell me if {n} is too low as a limit."],
               "answer": ["The relevant part starts at line {n}.", "There are {n} callers in all.", "The docs say otherwise, by the way.", "On staging {n} rows are affected.",
                          "I changed nothing."]},
        "fr": {"done": ["L'ancien comportement reste pour {n} autres appels.", "Je n'ai pas touché aux {n} anciennes lignes.", "La suite prend environ {n} secondes.",
                        "À noter : la ligne {n} du même fichier a un contrôle semblable.", "Aucune migration n'est nécessaire.", "Dites-moi si la limite de {n} est trop basse."],
               "answer": ["La partie utile commence à la ligne {n}.", "Il y a {n} appels en tout.", "La documentation dit autre chose, d'ailleurs.",
                          "En préproduction, {n} lignes sont concernées.", "Je n'ai rien modifié."]}}
PLAN_STEPS = ["Add the column {field} to the {area} table and backfill it in batches of 5000.",
              "Extend the model and the repository of {area}; keep the old name as an alias for one release.",
              "Return {field} from the list and the detail endpoint, null when unknown.",
              "Show it on the detail page below the {noun}, formatted like the other dates.",
              "Emit an event when {field} changes, so that notify can pick it up.",
              "Write tests: empty value, value in the past, two writers at once.",
              "Update docs/{area}.md and mention the new setting.",
              "Check the effect on the nightly report; the view groups by {field2} at the moment."]


def request(rng, kind, slots, lang="en", user="a", terse=None):
    """One request. terse: None for the usual blend, or 0 (long) to 1 (very short)."""
    if lang == "fr":
        return (rng.choice(["", "", "", "salut, ", "autre chose : ", "tiens, ", "bon, "]) + rng.choice(ASK_FR[kind]).format(**slots)
                + rng.choice(["", "", "", ". Ruth l'avait déjà vu la semaine dernière.", ". Reste simple, c'est pour la prochaine version.",
                              ". Attention, les boîtiers utilisent encore l'ancien protocole.", ". Deux villes l'ont demandé depuis."]).replace("?.", "?"))
    if user == "b":
        text = rng.choice(ASK_B[kind]).format(**slots)
        return (rng.choice(["", "", "", "Good morning. ", "Another matter: ", "Next item. "]) + text
                + rng.choice(["", "", "", " The deadline is the end of the week.", " Two municipalities have inquired about it.",
                              " Kindly keep the change small.", " The edge devices must not be affected."]))
    long, short = (0.25, 0.2) if terse is None else (0.65 * (1 - terse), 0.03 + 0.87 * terse)
    x = rng.random()
    if x < short:
        return rng.choice(ASK[kind][1]).format(**slots)
    text = rng.choice(ASK[kind][0]).format(**slots)
    if x > 1 - long:
        text += ". ".join(["", *rng.sample(CONTEXT, 1 if terse is None or terse > 0.3 else 2)]).replace("?.", "?").replace("..", ".")
    return text


def reply(rng, table, slots, lang="en", user="a", terse=None):
    key = "fr" if lang == "fr" else "b" if user == "b" else "en"
    if key == "en" and rng.random() < (0.25 if terse is None else 0.05 + 0.85 * terse):
        key = "short"
    return rng.choice(table[key]).format(**slots)


def plan(rng, slots):
    steps = rng.sample(PLAN_STEPS, rng.randrange(5, 9))
    body = "\n\n".join(f"### Step {i}\n\n{s.format(**slots)}\n\n- file: `{slots['file']}`\n- check: `make test-{slots['area']}`"
                       for i, s in enumerate(steps, 1))
    return (f"# Plan: {slots['field']} for {slots['area']}\n\n## Context\n\nThe {slots['area']} service does not know {slots['field']} yet; "
            f"crews ask for it on every {slots['noun']}.\n\n## Steps\n\n{body}\n\n## Out of scope\n\nThe edge protocol and the billing export.")


def say(rng, lang, kind, **slots):
    text = rng.choice(SAY[lang][kind]).format(**slots)
    if kind in TAIL[lang]:
        for tail in rng.sample(TAIL[lang][kind], rng.choice((0, 1, 1, 2))):
            text += " " + tail.format(n=rng.randrange(3, 90))
    return text
