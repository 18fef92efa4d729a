"""How the users of Quittenhof word what they want, and what the agent says."""
from f14_world import NOUNS, FIELDS

# name -> habits: chance of opener, of a reason, of a limit, of a closer, lower case, no full stop, nickname
USERS = {
    "mirela": dict(opener=.55, why=.7, limit=.5, closer=.5, lower=0, bare=.1, open=["Hi, ", "Good morning, ", "Could you have a look: ", "When you have a moment: ", "Next one: ", "Please "],
                   close=["Thank you!", "Many thanks.", "Tell me what you find.", "Let me know when I can merge it."]),
    "tjark": dict(opener=.25, why=.35, limit=.3, closer=.15, lower=.9, bare=.85, open=["ok ", "so ", "next: ", "also ", "hey, "],
                  close=["ta", "go", "keep it small", "no essay pls"]),
    "odalys": dict(opener=.4, why=.5, limit=.45, closer=.3, lower=.1, bare=.3, open=["Right, ", "Let's move on. ", "From the board: ", "Now ", "One for you. "],
                   close=["Cheers.", "Ping me if it's odd.", "Push when green.", "I'll review tonight."]),
    "benno": dict(opener=.2, why=.8, limit=.25, closer=.2, lower=.3, bare=.4, open=["Question from the yard. ", "The foreman called. ", "From support: ", "Hm, "],
                  close=["Not urgent.", "They wait for it at gate 3.", "Sorry for the rush.", "Same as last year."]),
    "wilhelmine": dict(opener=.6, why=.6, limit=.6, closer=.45, lower=0, bare=0, open=["Dear agent, ", "I should like the following: ", "If you would, ", "To begin with, ", "After that, "],
                       close=["Kindly summarise at the end.", "I am in meetings until three.", "Do write it up clearly.", "With thanks."]),
    "kofi": dict(opener=.35, why=.3, limit=.4, closer=.35, lower=.6, bare=.6, open=["yo, ", "quick one: ", "new ticket: ", "back again. ", "while you're there, "],
                 close=["cool", "shout if stuck", "ship it after", "then I'm off"]),
}

CORES = {
    "bugfix": ["{symptom} in the {area} {noun} code, please find out why and fix it", "`{sym}` in {file} gives the wrong {field} when the {noun} is {state}",
               "Growers report that {symptom}; I suspect {file}", "fix {ticket}: {symptom} {when}", "There is an off-by-one in {sym} ({path}), the last {noun} gets lost",
               "{when} the {area} service logs \"no {noun} for {noun2}\". Track that down", "test_{sym} fails on my machine {when}, can you repair it",
               "the {field} of a {noun} is rounded twice in {area}, repair it in {file}", "{area} crashes with a {state} {noun}, stack ends in {sym}"],
    "feature": ["add a way to {verb} a {noun} from {area}, next to {sym}", "{ticket}: growers want to see the {field} of each {noun} on the {area} side",
                "Let {file} accept more than one {noun} per {noun2}", "we need a new endpoint in {area} that gives the {field} per {noun}", "Build the {noun} {verb} step: it starts in {path} and must respect the {noun2}",
                "extend {sym} with an optional {noun2}", "The docks should warn when a {noun} is {state}; put it in {area}", "implement {verb}ing of {noun}s in {area}, {n} at a time"],
    "tests": ["write tests for {sym} in {path}", "{file} has no tests for a {state} {noun}, add some", "Cover the {noun} part of {area} with tests", "please bring the coverage of {file} above {n} percent",
              "Add a regression test for {ticket} ({symptom})", "table tests for {sym}, include the {state} case"],
    "refactor": ["rename the {noun} helpers in {area}, {sym} says nothing about what it does", "split {file}, it does {noun} and {noun2} at once", "Pull the {noun} handling out of {sym} into one place",
                 "{area} has three copies of the {field} sum, make that one", "make {path} easier to read without changing what it does", "move {sym} next to the other {noun} functions and mend the callers"],
    "ops": ["bring {setname} in line everywhere in the manifests", "staging of {area} is {state}, see what is wrong with the deployment", "raise the {field} limit for {area} in the k8s files", "Check that {area} answers on staging and mend the compose file if not",
            "the {noun} alert fires every night, tune it in {file}", "add a health check for {area} to compose", "give {area} {n} more replicas on staging and watch the pods"],
    "question": ["how does {sym} decide that a {noun} is {state}?", "where do we set the {field} of a {noun}?", "Explain to me what {path} does with a {state} {noun}", "Who calls {sym}, and can it be called with no {noun2}?",
                 "what happens {when} if the {noun} is {state}?", "Is there any place in {area} where a {noun} can be {verb}ed twice?", "which parts of {area} depend on the {noun2}?"],
    "docs": ["write down in {file} how a {noun} is {verb}ed", "the runbook says nothing about a {state} {noun}, add a section", "Bring the docs on {noun} up to date with what {area} does now",
             "describe {sym} for new colleagues, half a page", "fix the table of {field} limits in the docs"],
    "review": ["review my branch, mostly {area} and the {noun} changes", "look over the last {n} commits in {area} before I tag", "{ticket} is up for review, read the diff of {file} closely", "Is the change to {sym} safe for a {state} {noun}? Give me a review",
               "second pair of eyes on {path} please, what did I miss {when}"],
    "data": ["how many {noun}s were {verb}ed {when}? query the reporting db", "export the {field} per {noun} for the growers' meeting", "Find {noun}s without a {noun2} in the database and list them", "write a query for the monthly {field} by {noun2}",
             "the numbers of {noun}s look off {when}, compare table and invoices", "add a migration for the {field} of a {noun}"],
    "ci": ["CI is red {when}, find out why", "the {area} job takes {n} minutes, make it quicker", "the build of {area} breaks with a {state} cache, mend it", "{ticket}: flaky {noun} test in the pipeline, look at the last runs",
           "pipeline for {area} stops at lint, sort it out"],
    "release": ["cut a release of {area} with the {noun} fix", "prepare the release notes for {area} and tag it", "get {area} onto staging and smoke test it", "Release day: changelog, tag and staging for {area}",
                "roll {area} back to the image before the {noun} change"],
    "firmware": ["the {noun} loop in {file} takes too long, measure and improve {sym}", "the probe loses a {noun} when the {noun2} is {state}, look at {path}", "shrink {sym}, the image is {n} bytes too large", "bench {area} with a {state} {noun} and speed it up"],
}
SHORT = {
    "bugfix": ["fix {sym}", "{symptom} - fix", "{ticket} pls", "{file} broken", "bug in {file}"], "feature": ["add {noun} {verb}", "{noun} {verb} in {area}", "{sym}: optional {noun2}", "{ticket}"],
    "tests": ["tests for {sym}", "test {file}", "more tests, {area}"], "refactor": ["split {file}", "clean {sym}", "tidy {area}"], "ops": ["{area} staging {state}?", "tune {file}", "{field} limit up, {area}"],
    "question": ["who calls {sym}?", "{noun} {state}, where?", "what's {sym}"], "docs": ["doc {sym}", "runbook: {noun}", "docs {area}"], "review": ["review {area}", "check {file}", "diff ok?"],
    "data": ["count {noun}s", "{field} by {noun}", "query {noun2}"], "ci": ["ci red", "flaky {noun} test", "{area} job slow"], "release": ["release {area}", "tag {area}", "{area} to staging"],
    "firmware": ["speed up {sym}", "{file} too slow", "bench {area}"],
}
FRENCH = {
    "bugfix": ["{symptom} dans le module {area}, trouve la cause et corrige", "`{sym}` dans {file} renvoie une mauvaise valeur quand l'objet {noun} est vide", "les producteurs signalent que {symptom}, je soupçonne {file}", "corrige {ticket} : {symptom} {when}"],
    "feature": ["ajoute la possibilité de gérer un {noun} depuis {area}, à côté de {sym}", "il nous faut un nouveau point d'accès dans {area} pour le champ {field} de chaque {noun}", "{ticket} : étends {sym} avec un {noun2} facultatif", "que {file} accepte plusieurs {noun} par {noun2}"],
    "tests": ["écris des tests pour {sym} dans {path}", "{file} n'a aucun test pour un {noun} vide, ajoutes-en", "ajoute un test de non-régression pour {ticket}"],
    "refactor": ["découpe {file}, il mélange {noun} et {noun2}", "renomme les fonctions {noun} de {area}, {sym} ne dit rien", "rends {path} plus lisible sans changer son comportement"],
    "ops": ["mets {setname} à jour dans tous les manifestes", "le staging de {area} ne répond plus, regarde le déploiement", "l'alerte {noun} se déclenche chaque nuit, règle-la dans {file}", "ajoute un contrôle de santé pour {area} dans compose"],
    "question": ["comment {sym} décide-t-il qu'un {noun} est fermé ?", "où fixe-t-on le champ {field} d'un {noun} ?", "explique-moi ce que fait {path} {when}", "qui appelle {sym} ?"],
    "docs": ["décris dans {file} comment on traite un {noun}", "mets la documentation sur {noun} à jour", "il manque une section {noun} dans le runbook, ajoute-la"],
    "review": ["relis ma branche, surtout {area} et les changements sur {noun}", "jette un œil aux {n} derniers commits de {area} avant que je pose le tag", "{ticket} attend une relecture, lis bien le diff de {file}"],
    "data": ["combien de {noun} {when} ? interroge la base de reporting", "exporte le champ {field} par {noun} pour la réunion des producteurs", "écris une requête pour le total mensuel par {noun2}"],
    "ci": ["la CI est rouge {when}, trouve pourquoi", "le job {area} dure {n} minutes, accélère-le", "test {noun} instable dans le pipeline, regarde les dernières exécutions"],
    "release": ["prépare une version de {area} avec la correction {noun}", "journal, tag et staging pour {area}", "mets {area} en staging et lance les tests de fumée"],
    "firmware": ["la boucle {noun} de {file} est trop lente, mesure et améliore {sym}", "la sonde perd un {noun}, regarde {path}"],
}
SYMPTOMS = ["the {noun} shows a negative {field}", "a {noun} is counted twice", "the {noun2} stays {state}", "{field} are missing on the {noun} slip", "the list of {noun}s comes back empty", "{area} hangs for a minute on the first {noun}",
            "the {noun} of one grower turns up under another", "a {state} {noun} can still be {verb}ed", "every {n}th {noun} is skipped"]
SYMPTOMS_FR = ["un {noun} est compté deux fois", "le champ {field} manque sur le bon", "la liste des {noun} revient vide", "{area} se bloque une minute au premier {noun}", "le total {field} est négatif"]
STATES = "closed empty stale half-full unsealed missing locked late frozen unweighed expired duplicate".split()
WHENS = ["last night", "since Monday", "after the defrost", "on the first of the month", "when two trucks arrive at once", "since the last deploy", "at the change of shift", "in the second week of harvest", "over the weekend"]
WHENS_FR = ["depuis lundi", "cette nuit", "après le dégivrage", "le premier du mois", "depuis le dernier déploiement", "au changement d'équipe"]
WHY = ["The foreman at barn {n} waits for it.", "It cost us {n} crates of Conference pears.", "A grower has complained twice.", "We want it in before the harvest.", "It blocks {ticket}.", "It came up in the audit.",
       "The night shift works around it by hand.", "I could not reproduce it at first, with {n} {noun}s I could.", "It is only bad when the {noun2} is {state}.", "Accounting needs it by Friday."]
WHY_FR = ["Le chef d'équipe attend.", "Ça bloque {ticket}.", "Un producteur s'est plaint deux fois.", "On le veut avant la récolte.", "La compta en a besoin vendredi."]
LIMIT = ["Don't touch the {noun2} part.", "Keep the signature of {sym}.", "No new dependencies.", "Run the tests of {area} before you say it's done.", "One commit, please.", "Leave the kiosk as it is.", "Only staging, not production.",
         "Keep it under {n} lines.", "Show me the diff first."]
LIMIT_FR = ["Ne touche pas à la partie {noun2}.", "Pas de nouvelle dépendance.", "Un seul commit.", "Lance les tests de {area} avant de conclure.", "Garde la signature de {sym}."]
OPEN_FR = ["Bonjour, ", "Alors, ", "La suite : ", "Dis-moi, ", "S'il te plaît, ", "Encore une chose : "]
CLOSE_FR = ["Merci !", "Merci d'avance.", "Dis-moi quand c'est prêt.", "Un petit résumé à la fin, s'il te plaît."]
TELL = ["Ops has set {name} to {v}.", "Heads up, {name}: {v} instead of {o}.", "{name} is {v} as of today.", "We had to change {name}, take {v}.", "Forget {o}, {name} is {v}.", "By the way, {name} is {v} now.", "Note: {name} has changed to {v}.", "fyi {name}: {v} (was {o})", "{name} moved to {v} this morning.", "And use {v} for {name} from now on.", "Since yesterday {name} is {v}, not {o}."]
TELL_FR = ["Au fait, {name} est maintenant {v}.", "À noter : {name} passe à {v}.", "Depuis hier {name} vaut {v} et non {o}.", "Pour {name}, prends {v} désormais."]
CORRECT = ["No, that's not what I asked for: it should {verb} the {noun}, not the {noun2}.", "that's wrong, the {field} must stay as it was", "Not quite. I meant {sym2}, not {sym}.", "You changed too much, undo the {noun2} part.",
           "no, the {noun} comes before the {noun2}", "This is still wrong for a {state} {noun}.", "I said no change to the {noun2}. Please take it back."]
CORRECT_FR = ["Non, ce n'est pas ce que j'ai demandé : c'est le {noun}, pas le {noun2}.", "C'est faux, le champ {field} doit rester tel quel.", "Pas tout à fait. Je parlais de {sym2}, pas de {sym}.", "Toujours faux pour un {noun} vide."]
AGAIN = ["{v}, as I told you.", "I already said: {v}.", "that was {v}, see above", "{v}. I mentioned it before."]
AGAIN_FR = ["{v}, je te l'ai déjà dit.", "Je l'ai dit plus haut : {v}."]
NOTICE = ["{name} is {v} by now, not {o}; once more.", "That was the former value ({o}). With {v}:", "Wait, {key} changed to {v}.", "Wrong one: {o} is out of date. Using {v}.", "I took the old {key}; repeating it."]
NOTICE_FR = ["{key} vaut maintenant {v}, pas {o} ; je recommence.", "C'était l'ancienne valeur, je reprends avec {v}."]
OLD = ["{o} is the old value, it's {v}", "You used {o}. I told you that {name} is {v}.", "no no, {v} - {o} is gone", "Careful: {name} is not {o} any more, take {v}."]
OLD_FR = ["{o}, c'est l'ancienne valeur : prends {v}.", "Non, {name} vaut {v} maintenant."]
VALUES = ["What you need to know about our setup: ", "Values for staging, so you needn't ask: ", "Keep in mind: ", "Our figures at present: "]
ASK = ["Before I go on: what is {name} at present?", "Which value should I use for {name}?", "I need {name} for this. Can you tell me?", "What is {name} set to now?"]
ASK_FR = ["Avant de continuer : quelle est la valeur actuelle pour {name} ?", "Que dois-je prendre pour {name} ?"]
NEWQ = ["Should this cover the kiosk as well?", "Two ways are open: a new column, or a join on {noun2}. Which do you prefer?", "Do you want the {noun} check before or after the {noun2}?", "Shall I keep the old name as an alias?"]
NEWQ_FR = ["Faut-il couvrir le kiosque aussi ?", "Je garde l'ancien nom comme alias ?"]
REPLY = ["yes please", "the second", "no, leave that", "before, please", "as you think best", "Only here.", "the simpler one"]
REPLY_FR = ["oui, s'il te plaît", "la seconde option", "non, laisse", "comme tu veux"]
STOP = ["wait, do {file} first", "hold on, I found it already - just tidy {file}", "stop, wrong branch; I have switched, go on", "Hang on, skip the tests for now and look at {sym}."]
STOP_FR = ["attends, commence par {file}", "stop, mauvaise branche ; c'est changé, continue"]
LEAD = {"search": ["Let me find where {sym} is used.", "I'll look for {noun} in {area}.", "Searching for the callers first.", "Where does {noun} come in?"], "read": ["Let me read {file}.", "Now {file}.", "I'll look at the code around {sym}.", "Opening {file} to see what it does."],
        "edit": ["Now the change in {file}.", "I'll change {sym}.", "This is the place; editing it.", "Making the change."], "test": ["Running the tests of {area}.", "Let me check that with the tests.", "Now the tests."],
        "ops": ["Checking staging.", "Let me see what is running.", "I'll use the current value."], "redo": ["You're right, I'll put that right.", "Understood, changing it."], "sorry": ["That did not work; trying again.", "Wrong form of the call, once more.", "Let me correct that."]}
LEAD_FR = {"search": ["Je cherche où {sym} est utilisé.", "Je cherche {noun} dans {area}."], "read": ["Je lis {file}.", "Maintenant {file}."], "edit": ["Je modifie {sym}.", "Voici le changement dans {file}."], "test": ["Je lance les tests de {area}."],
           "ops": ["Je vérifie le staging."], "redo": ["D'accord, je corrige."], "sorry": ["Cela n'a pas marché, je recommence."]}
DONE = ["Done. `{sym}` in {path} now handles a {state} {noun}; the tests of {area} pass.", "I changed {file}: the {field} of a {noun} is taken once. Nothing else is touched.", "{area} now does what you described. The main change is in {path}.", "Finished: {sym} keeps the {noun2}, and I added a check for a {state} {noun}."]
SEEN = ["`{sym}` looks at the {field} of the {noun} and treats it as {state} above {n}. It is called from {area} only.", "The {noun} is set in {path}; {sym} reads it and falls back to {n} {field}.", "In short: {file} takes the {noun}, and the {noun2} is left alone unless it is {state}."]
DONE_FR = ["C'est fait. `{sym}` dans {path} traite désormais ce cas ; les tests de {area} passent.", "J'ai modifié {file} ; le reste n'est pas touché."]
SEEN_FR = ["`{sym}` lit le champ {field} du {noun} ; au-dessus de {n} il le ferme. Appelé seulement depuis {area}.", "Le {noun} est défini dans {path} ; {sym} le lit."]
THINK = ["The user wants a change around {sym}. I should look at {path} and its tests before I touch anything.", "{sym} takes the {noun} first. If it is {state} the {field} would be wrong, so the guard belongs there.", "Two places use this: {area} and the tests. Start with {file}.",
         "The output shows {n} {field}; that fits the report. Next step is the edit."]
PLAN = ["# {title}\n\n## Goal\n{goal}\n\n## Background\n{why} {why2}\n\n## Steps\n{steps}\n\n## Checks\n- `{test}`\n- by hand: {check}\n\n## Not part of this\n- {limit}\n- {limit2}\n"]


def slots(rng, target, area, french=False):
    f, sym = target
    d = dict(file=f.path.rsplit("/", 1)[-1], path=f.path, sym=sym, sym2=rng.choice(f.syms), area=area, noun=rng.choice(NOUNS),
             noun2=rng.choice(NOUNS), field=rng.choice(FIELDS), n=rng.randint(3, 60), state=rng.choice(STATES),
             when=rng.choice(WHENS_FR if french else WHENS), ticket="QH-%d" % rng.randint(310, 2980),
             verb=rng.choice(["sort", "sign", "seal", "count", "weigh", "book", "load", "collect"]), setname="the image tag")
    if french:
        d["setname"] = "le tag de l'image"
    d["symptom"] = rng.choice(SYMPTOMS_FR if french else SYMPTOMS).format(**d)
    return d


def request(rng, kind, d, user, terse, french, tell=None):
    """The words of one request. terse 0 = full sentences, 1 = a few words."""
    u = USERS[user]
    if not french and rng.random() < terse:
        text = rng.choice(SHORT[kind]).format(**d)
        if rng.random() < .5 * (1 - terse):
            text += ", " + rng.choice(LIMIT).format(**d).lower().rstrip(".")
        text = text.lower() if rng.random() < .7 else text
        return text + (". " + tell.rstrip(".") if tell else "")
    bank = (FRENCH, OPEN_FR, WHY_FR, LIMIT_FR, CLOSE_FR) if french else (CORES, u["open"], WHY, LIMIT, u["close"])
    core = rng.choice(bank[0][kind]).format(**d)
    head = rng.choice(bank[1]) if rng.random() < u["opener"] else ""
    text = head + (core if not head or core[0] == "`" or head[-2] in ".!" else core[0].lower() + core[1:] if core[1:2].islower() else core)
    if not text.endswith("?"):
        text += "."
    for share, words in ((u["why"], bank[2]), (u["limit"], bank[3])):
        if rng.random() < share * (1 - terse):
            text += " " + rng.choice(words).format(**d)
    if tell:
        text += (" " if rng.random() < .7 else "\n\n") + tell
    if rng.random() < u["closer"] * (1 - terse):
        text += " " + rng.choice(bank[4])
    if rng.random() < u["lower"]:
        text = text[0].lower() + text[1:] if text[1:2].islower() else text
    else:
        text = text[0].upper() + text[1:] if text[0].isalpha() and not text.startswith(d["sym"]) else text
    if rng.random() < u["bare"]:
        text = text.rstrip(".")
    return text


def plan_text(rng, d, test):
    steps = ["Read `{path}` and the tests beside it.", "Add a guard for a {state} {noun} to `{sym}`.", "Give the {noun2} its own {field} and keep the old one readable.", "Pass the {noun} through from the caller.",
             "Write the {field} to the log once per {noun}.", "Add a test with {n} {noun}s.", "Mend the callers of `{sym2}`.", "Update the changelog.", "Document the {field} limit in docs/settings.md."]
    chosen = [steps[0]] + rng.sample(steps[1:], rng.randint(4, 8))
    lines = "\n".join("%d. %s\n   - %s" % (i + 1, s.format(**d), rng.choice(WHY + LIMIT).format(**d)) for i, s in enumerate(chosen))
    return PLAN[0].format(title=rng.choice(["Plan: {verb} a {noun} in {area}", "{noun} handling in {area}", "Implementation plan for {ticket}"]).format(**d).capitalize(),
                          goal=rng.choice(CORES["feature"]).format(**d).capitalize() + ".", why=rng.choice(WHY).format(**d), why2=rng.choice(WHY).format(**d), steps=lines, test=test,
                          check="a %(state)s %(noun)s at dock %(n)d is refused" % d, limit=rng.choice(LIMIT).format(**d), limit2=rng.choice(LIMIT).format(**d))
