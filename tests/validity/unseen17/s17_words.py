"""Vocabulary and request templates."""

DOMAINS = [
    dict(company="Saltmarsh Freight", repo="tidewagon", areas=["berths", "manifests", "tariffs", "cranes", "customs", "pilotage", "yards", "billing"],
         ents=["berth", "manifest", "tariff", "container", "crane", "pilot", "voyage", "seal", "invoice", "slot", "anchor", "waybill"]),
    dict(company="Kornblume Backwaren", repo="ofenplan", areas=["ovens", "recipes", "orders", "shops", "drivers", "returns", "allergens", "ledger"],
         ents=["oven", "recipe", "order", "shop", "route", "crate", "allergen", "batch", "loaf", "voucher", "shift", "mixer"]),
    dict(company="Northline Trams", repo="pointsman", areas=["timetable", "depots", "fares", "signals", "crews", "display", "incidents", "stops"],
         ents=["timetable", "depot", "fare", "signal", "crew", "headway", "incident", "stop", "vehicle", "duty", "detour", "platform"]),
    dict(company="Gentian Seed Archive", repo="cotyledon", areas=["accessions", "vaults", "viability", "loans", "taxonomy", "labels", "climate", "partners"],
         ents=["accession", "vault", "trial", "loan", "taxon", "label", "reading", "partner", "packet", "harvest", "drawer", "permit"]),
    dict(company="Oboe Hearing", repo="cochlea-hub", areas=["fitting", "devices", "clinics", "audiograms", "firmware", "pairing", "repairs", "claims"],
         ents=["fitting", "device", "clinic", "audiogram", "bundle", "pairing", "repair", "claim", "channel", "earmold", "session", "curve"]),
    dict(company="Pelican Lending Library", repo="spineback", areas=["catalogue", "holds", "branches", "fines", "members", "couriers", "reports", "imports"],
         ents=["title", "hold", "branch", "fine", "member", "courier", "report", "barcode", "shelf", "copy", "reminder", "genre"]),
    dict(company="Windrose Turbines", repo="nacelle", areas=["scada", "forecast", "turbines", "outages", "crews", "parts", "grid", "alerts"],
         ents=["turbine", "forecast", "outage", "blade", "gearbox", "alert", "curtailment", "setpoint", "feeder", "part", "visit", "sensor"]),
    dict(company="Tessera Museums", repo="vitrine", areas=["objects", "exhibits", "tickets", "guides", "loans", "shop", "climate", "media"],
         ents=["object", "exhibit", "ticket", "guide", "loan", "gallery", "caption", "crate", "donor", "poster", "tour", "plinth"]),
]
VERBS = ["load", "merge", "validate", "resolve", "assign", "price", "archive", "publish", "split", "rank", "sync", "normalize", "expire", "schedule", "collect", "render", "lookup", "close", "register", "convert"]
STEMS = ["service", "store", "handlers", "models", "rules", "client", "jobs", "schema", "policy", "cache", "events", "views", "export", "limits", "mapper", "queue"]
SIBLINGS = {"service": "services", "store": "storage", "handlers": "handler_base", "models": "model_utils", "rules": "rules_legacy", "client": "clients", "jobs": "job_runner", "schema": "schemas", "policy": "policies", "cache": "caching", "events": "event_log", "views": "view_helpers", "export": "exporter", "limits": "limiter", "mapper": "mapping", "queue": "queues"}
NEWAREAS = ["gateway", "audit", "search", "webhooks", "mobile", "partnerapi", "insights", "identity", "notify", "archive", "batching", "pricing2", "console", "telemetry"]
USERS = ["mirela", "tobiasw", "anneke", "jorunn", "farid", "oleksa", "pilar", "ngozi", "haruto", "brigid", "wendel", "sunniva"]
SYMPTOMS = ["throws when the list is empty", "rounds the wrong way", "drops the last row", "ignores the time zone", "is called twice per save", "returns stale data after a retry", "hangs on large inputs", "swallows the original exception", "accepts negative amounts", "mixes up upper and lower case", "loses the sort order", "leaks a connection when it fails"]
GOALS = ["a dry-run switch", "paging", "a soft delete", "retries with a pause", "an export as CSV", "a small in-memory cache", "filtering by date", "a bulk endpoint", "an undo for the last change", "rate limiting per tenant", "a status column", "optional notes"]

REQ = {
 "fix": ["{func} {symptom}, can you find out why and repair it?", "Bug {ticket}: in {area} the {ent} {symptom}. Please fix.", "Since yesterday {func} {symptom}. Look into it, please.", "Customers say the {ent} screen is broken because {func} {symptom}.", "Please repair {file}; it {symptom}.", "There is a regression in {area}: {func} {symptom}. I need it sorted before lunch.", "We got {n} alarms overnight, all out of {func}. My guess is that it {symptom}.", "The nightly {ent} run stops half way. I suspect {file}.", "{ticket} again. {func} {symptom} whenever the {ent} has no owner."],
 "feature": ["Add {goal} to the {ent} handling in {area}.", "We want {goal} for every {ent}. Start in {file}.", "Could you build {goal} for {area}? {ticket} has the wishes of the shop floor.", "New wish from sales: {goal} on the {ent} page.", "Let {func} support {goal}, switched off unless configured.", "Next on the list is {ticket}: {goal} in {area}. Keep it small.", "Teach {area} about {goal}. The {ent} should keep working as it does.", "I would like {goal} when a {ent} is created, and the same for updates."],
 "refactor": ["{file} has become too long. Split it sensibly.", "Rename {func} to something clearer and change every caller.", "Pull the {ent} arithmetic out of {file} into a module of its own.", "The {area} package repeats itself a lot; remove the duplication around {func}.", "Replace the old {ent} dictionary with a proper type across {area}.", "Make {func} free of side effects, the callers in {area} can do the saving.", "Tidy {file}: dead branches, odd names, nested conditions.", "Move everything about the {ent} out of {area} helpers and next to its model."],
 "question": ["How does {func} decide which {ent} comes first?", "Where do we set the default for a new {ent}?", "What happens in {area} if the {ent} is missing?", "Who calls {func}, and is it still needed?", "Can you explain the path of a {ent} from request to table?", "Why are there two ways of closing a {ent} in {area}?", "Is {func} safe when two workers run it at once?", "Which settings influence {area}, roughly?", "Remind me what {file} is for."],
 "review": ["Please look over my branch for {ticket}, mostly {area}.", "Review the last commits on {area} and tell me what worries you.", "I changed {file} this morning. Anything wrong with it?", "Give the open change on {func} a critical reading.", "Could you check whether the {ent} patch by {user} is complete?", "Have a look at the diff before I merge; {area} is the delicate part.", "Second pair of eyes on {file}, please."],
 "infra": ["Deploy the current {area} build to staging and watch the first minutes.", "The staging machine feels slow. Check what is going on there.", "Set up the worker for {area} on the cluster.", "Look at the logs of {area} on staging and tell me why {n} jobs are waiting.", "Please rotate the queue for {area} and check that the consumer picks up.", "Check that the backups of {area} land where they should.", "Bring the preview environment for {ticket} up.", "Is the {ent} worker healthy after the deploy?"],
 "data": ["How many {ent} rows were created in the last {n} days, per branch office?", "Clean the {ent} table: duplicates out, keep the newest.", "Write a script which compares the {ent} export with the database.", "I need the {n} largest {ent} entries by value as a file.", "Some {ent} records lack a date. Find out how many and since when.", "Backfill the new column of {ent} from the old notes.", "Load the sample of {area} and show me the distribution of sizes.", "Check the import of {user} from last week; sums of {ent} look too high."],
 "docs": ["Write a page about {area} for newcomers.", "The readme still describes the old {ent} flow. Bring it up to date.", "Document {func}, with one example.", "Add the missing comments in {file}, short ones.", "Please note in the handbook how {goal} works.", "The changelog has a gap around {ticket}; fill it.", "Draw up a short how-to for restoring a {ent}."],
 "tests": ["Cover {func} with tests, edge cases included.", "{file} has hardly any tests. Add some that matter.", "The test of {ent} is flaky, make it steady.", "Write a test that proves {ticket} is gone.", "Tests for {area} take ages. Can we speed them up?", "Add a test with an empty {ent} and one with {n} of them.", "Bring the fixtures of {area} into order and fix what breaks."],
 "release": ["Prepare the release: version, notes, tag.", "Cut a candidate with the {area} changes in it.", "Bring {ticket} onto the release branch.", "Bump the dependency used by {area} and see that nothing falls over.", "Get the branch ready to merge: rebase, squash, push.", "Publish the image of {area} with the right tag."],
}
SHORT = {
 "fix": ["fix {func}", "{ticket} pls", "{func} {symptom}", "broken: {file}"], "feature": ["{goal} for {ent}", "add {goal}, {area}", "{ticket}: {goal}"],
 "refactor": ["split {file}", "rename {func}", "tidy {area}"], "question": ["who calls {func}?", "{file}, what for?", "default of {ent}?"],
 "review": ["review {area}", "check my {ent} diff", "{file} ok?"], "infra": ["deploy {area}", "staging logs {area}?", "{ent} worker up?"],
 "data": ["count {ent}, {n} days", "dedupe {ent}", "{ent} sums wrong, check"], "docs": ["docs for {area}", "readme {ent}", "comment {file}"],
 "tests": ["tests for {func}", "flaky {ent} test", "cover {file}"], "release": ["release {area}", "tag it, {area}", "bump deps {area}"],
}
CONTEXT = ["We talked about it in the stand-up and nobody objected.", "It came up with a customer in the north who runs more than {n} of these.", "No hurry, but I would be glad to have it off my desk this week.", "{user} knows the history in case something looks strange.", "Please keep to the style of the neighbouring code, the team is touchy about that.", "I tried it myself on Friday evening and gave up after an hour.", "The background is in {ticket}, although half of what stands there is out of date.", "As far as I remember the {ent} part was written in a rush before the trade fair.", "If you find something else that is odd on the way, mention it but leave it alone."]
USER2 = {
 "fix": ["hey! {func} is acting up, it {symptom} :( any idea?", "ugh, {ticket} came back... {ent} again, {symptom}", "so support pinged me, {area} is weird: {symptom}. take a look?"],
 "feature": ["ok so product wants {goal} on {ent}, let's do a first cut", "can we get {goal} in {area}? keep it scrappy", "let's try {goal} behind a flag for {area}"],
 "refactor": ["{file} gives me a headache, clean it up a bit?", "let's get rid of the copy-paste near {func}", "i'd love {func} to be shorter tbh"],
 "question": ["quick one: what does {func} even do?", "where's the {ent} logic living these days?", "dumb question, but why does {area} need {ent} at all?"],
 "review": ["mind eyeballing my {area} changes?", "does {file} look sane to you?", "sanity check on {ticket} pretty please"],
 "infra": ["ship {area} to staging and keep an eye on it", "is the {ent} worker alive? dashboards look off", "staging's crawling, go poke at it", "spin up a preview for {ticket}?"],
 "data": ["pull me the {ent} numbers for the last {n} days", "the {ent} table has dupes, sweep them", "csv of the top {n} {ent}s, go", "something's off in {area} sums, dig in?"],
 "docs": ["jot down how {area} works, half a page", "readme's lying about {ent}, fix it", "write a blurb on {func}"],
 "tests": ["throw some tests at {func}", "{ent} test flaked on me again, tame it", "give {file} a bit of coverage"],
 "release": ["let's cut one, {area} is in", "push the {area} image out", "get {ticket} on the release branch k?"],
}
GERMAN = {
 "fix": ["{func} macht Ärger: Fehler {ticket}. Bitte such die Ursache und behebe sie.", "Seit gestern stimmt der {ent} in {area} nicht mehr, kannst du das reparieren?", "Der nächtliche Lauf bleibt bei {func} hängen."],
 "feature": ["Bau bitte für {area} eine neue Funktion ein, Einzelheiten in {ticket}.", "Beim {ent} fehlt noch ein Filter nach Datum, ergänze ihn in {file}.", "{func} soll künftig auch mehrere {ent} auf einmal annehmen."],
 "refactor": ["{file} ist zu lang geworden, teile die Datei sinnvoll auf.", "Benenne {func} um und passe alle Aufrufer an.", "In {area} steht vieles doppelt, räum das bitte auf."],
 "question": ["Wie entscheidet {func}, welcher {ent} zuerst kommt?", "Wer ruft {func} überhaupt noch auf?", "Wo wird in {area} der Vorgabewert gesetzt?"],
 "review": ["Schau dir bitte meine Änderungen an {area} an.", "Ist {file} so in Ordnung?", "Lies den Zweig zu {ticket} einmal kritisch durch."],
 "infra": ["Spiel den Stand von {area} auf die Testumgebung und beobachte ihn.", "Die Testumgebung ist langsam, schau nach, woran es liegt.", "Läuft der Dienst für {ent} nach dem Ausrollen noch?"],
 "data": ["Wie viele {ent} kamen in den letzten {n} Tagen dazu?", "Entferne die Dubletten beim {ent} und behalte die neuesten.", "Ich brauche die {n} größten {ent} als Datei."],
 "docs": ["Schreib eine Seite über {area} für neue Kollegen.", "Die Anleitung zum {ent} ist veraltet, bring sie auf Stand.", "Beschreibe {func} mit einem kurzen Beispiel."],
 "tests": ["Schreib Tests für {func}, auch für die Randfälle.", "Der Test zum {ent} ist wackelig, mach ihn stabil.", "{file} ist kaum abgedeckt, ergänze sinnvolle Tests."],
 "release": ["Bereite die Auslieferung vor: Version, Notizen, Etikett.", "Bring {ticket} auf den Auslieferungszweig.", "Veröffentliche das Abbild von {area}."],
}
SPANISH = {
 "fix": ["{func} falla desde ayer, busca la causa y arréglalo por favor.", "Error {ticket}: el {ent} en {area} sale mal. ¿Lo reparas?", "El proceso nocturno se queda colgado en {func}."],
 "feature": ["Añade a {area} lo que pide {ticket}, sin complicarlo.", "Al {ent} le falta un filtro por fecha, ponlo en {file}.", "Quiero que {func} acepte varios {ent} a la vez."],
 "refactor": ["{file} es demasiado largo, divídelo con sentido.", "Cambia el nombre de {func} y corrige a quienes lo llaman.", "En {area} hay mucho repetido, ordénalo."],
 "question": ["¿Cómo decide {func} qué {ent} va primero?", "¿Quién usa todavía {func}?", "¿Dónde se fija el valor inicial en {area}?"],
 "review": ["Revisa mis cambios en {area}, por favor.", "¿Está bien {file} tal como quedó?", "Lee con ojo crítico la rama de {ticket}."],
 "infra": ["Despliega {area} en pruebas y vigila los primeros minutos.", "El entorno de pruebas va lento, mira qué pasa.", "¿Sigue vivo el servicio de {ent} tras el despliegue?"],
 "data": ["¿Cuántos {ent} entraron en los últimos {n} días?", "Quita los duplicados de {ent} y deja los más nuevos.", "Necesito los {n} {ent} más grandes en un archivo."],
 "docs": ["Escribe una página sobre {area} para los que llegan.", "La guía de {ent} está anticuada, ponla al día.", "Documenta {func} con un ejemplo corto."],
 "tests": ["Escribe pruebas para {func}, también los casos límite.", "La prueba de {ent} es inestable, estabilízala.", "{file} casi no tiene pruebas, añade algunas."],
 "release": ["Prepara la entrega: versión, notas y etiqueta.", "Lleva {ticket} a la rama de entrega.", "Publica la imagen de {area}."],
}
CORR = {
 "en": ["No, that is not what I asked for. {func} was meant, not its caller.", "That's wrong, the {ent} must keep its old name.", "You misunderstood me: only {file} should change.", "No. Undo the part in {area} and do it the simple way.", "That still doesn't work, the {ent} comes out the same as before.", "Not like that, please. I said without touching {area}.", "You forgot the case with {n} of them.", "Wrong file. I meant {file}.", "No, still broken: it {symptom}.", "That isn't right, the result for {ent} should be {n}.", "I told you to leave {func} as it was. Please put it back.", "Hm, no. You changed too much, revert what is not about the {ent}."],
 "u2": ["nope, not what i meant, {func} only", "that's wrong, {ent} should stay put", "no no, revert that bit in {area}", "still broken: {symptom}", "you missed {file}, that was the point", "not quite right, i asked for {n} not all of them"],
 "de": ["Nein, das war nicht gemeint. Es geht um {func}.", "Das ist falsch, der {ent} muss so heißen wie vorher.", "Immer noch kaputt, bitte schau noch einmal in {file}.", "Falsche Datei, ich meinte {file}.", "Nein, mach die Änderung in {area} rückgängig.", "Das stimmt nicht, du hast den Fall mit {n} vergessen."],
 "es": ["No, no es lo que pedí. Me refería a {func}.", "Está mal, el {ent} tiene que llamarse como antes.", "Sigue roto, vuelve a mirar {file}.", "No era ese archivo, era {file}.", "No, deshaz lo de {area}.", "Eso no es correcto, olvidaste el caso de {n}."],
}
TOLD = {
 "en": ["By the way, {name} is {v} now.", "From today {name} is {v}.", "We moved {name} to {v}.", "Please use {v} as {name} from here on.", "{name} has changed, it is {v}.", "Note: the new {name} is {v}.", "Ops switched {name} over to {v} last night.", "Oh, and {name} became {v}."],
 "en0": ["{name} is {v}.", "For your orientation: {name} is {v}.", "We use {v} as {name}.", "You will need {name}, that is {v}."],
 "de": ["Übrigens ist {name} jetzt {v}.", "Ab heute ist {name} {v}.", "Bitte nimm ab sofort {v} als {name}.", "Die {name} hat sich geändert, sie lautet {v}."],
 "es": ["Por cierto, {name} ahora es {v}.", "Desde hoy {name} es {v}.", "Usa {v} como {name} a partir de ahora.", "Cambió {name}, es {v}."],
}
SAY = ["Let me look at {file} first.", "I'll check how {func} is used.", "Next I look at the {ent} part.", "Now the change itself.", "That explains it, {func} does not expect this.", "I'll go through {area} step by step.", "Let me make sure nothing else depends on it.", "Running it once to see.", "One more place to look at.", "This looks like the right spot.", "Now I verify the result.", "I want to see the neighbouring code too."]
DONE = ["Done. {func} now does what you described; I touched {file} only.", "The cause was in {file}: the {ent} was handled before it was complete. It is corrected.", "Here is the short answer: {func} sorts by age, then by the key of the {ent}.", "I finished the work on {area}. The relevant part is in {file}.", "All set. You may want to glance at {func} once more.", "Summary: {n} places looked at, {file} changed, nothing else affected.", "It is in place now. The {ent} keeps its old behaviour by default.", "I went through {area}; two remarks above, otherwise fine.", "Finished. Tell me if the {ent} should behave differently.", "That is everything for {ticket}, as far as I can see.", "The numbers are in the output above; {ent} is the largest share."]
OOPS = ["That path was wrong.", "My mistake, correcting that.", "That didn't go through, once more.", "I had that wrong; trying again.", "Not the right call, fixing it."]
LOOK = ["That is the one in {wrong}; I need {right}.", "Wrong one of the two, {right} is what this is about.", "Similar name, but not it. On to {right}."]
THINK = ["The request concerns {area}. First the current behaviour of {func}, then the change.", "I should check {file} before I say anything about the {ent}.", "Two options: change {func} or its callers. The first seems smaller.", "The {ent} may be absent here, keep that in mind."]
FRUITS = ["lyra", "corvus", "indus", "vela", "mensa", "norma", "draco", "cetus", "pavo", "fornax", "volans", "hydra", "lupus", "crater", "apus", "ara", "gemma", "tucana", "octans", "scutum"]
