"""How the people of Foldspine word what they want, and what the agent says."""

# share of openings, of reasons and of endings; lower case; the words themselves
USERS = {
    "annika": {
        "opening": 0.5,
        "reason": 0.6,
        "ending": 0.4,
        "lower": 0.0,
        "open": [
            "Morning! ",
            "Hello again. ",
            "Could you please: ",
            "A request from the desk: ",
            "Next up. ",
        ],
        "end": [
            "Thanks a lot!",
            "No hurry with this one.",
            "Please keep the commit small.",
            "Tell me if anything is unclear.",
        ],
    },
    "teodor": {
        "opening": 0.3,
        "reason": 0.3,
        "ending": 0.2,
        "lower": 0.9,
        "open": ["hey ", "right, ", "ok next - ", "btw ", "so "],
        "end": ["thx", "keep it simple", "no refactoring along the way", "push when done"],
    },
    "ingeborg": {
        "opening": 0.4,
        "reason": 0.8,
        "ending": 0.5,
        "lower": 0.0,
        "open": ["Ticket from the helpdesk. ", "As discussed: ", "Now then. ", "One more thing. "],
        "end": [
            "I will look at it after lunch.",
            "Write what you changed at the end.",
            "Leave the other branches alone.",
            "Mind the libraries in the south, they run the old desk.",
        ],
    },
    "samir": {
        "opening": 0.35,
        "reason": 0.4,
        "ending": 0.3,
        "lower": 0.5,
        "open": ["Quick one: ", "From the board: ", "Alright, ", "For today: ", "Back to work. "],
        "end": [
            "cheers",
            "ping me when green",
            "I'd like to demo it at four",
            "then we can close it",
        ],
    },
    "lovisa": {
        "opening": 0.25,
        "reason": 0.5,
        "ending": 0.25,
        "lower": 0.1,
        "open": ["Please. ", "Let us do this: ", "I need help. ", "New day, new bug. "],
        "end": ["Run everything before you say it's done.", "Good luck.", "That's all for now."],
    },
}
REASONS = [
    "the {noun} desk in the east branch complains about it",
    "it blocks the {noun2} release",
    "{ticket} has waited for two weeks",
    "the auditors asked for the {field}",
    "we promised it to the branch managers",
    "patrons get a {state} {noun} by mistake",
    "the night run stumbles over it",
    "it came up again on Tuesday",
]

CORE: dict[str, list[str]] = {
    "fix": [
        "a {state} {noun} shows up twice in {area}, find the cause and fix it",
        "{sym} returns the wrong {field} for a {state} {noun}",
        "{ticket}: {area} throws when the {noun} has no {field}",
        "the {noun} total in {file} is off by one after a {verb}",
        "repair {path}, it ignores the {field} of the {noun2}",
        "since the last deploy {area} loses a {noun} now and then, have a look at {sym}",
        "when a {noun} is {state} the page in {area} stays blank, please fix",
    ],
    "feature": [
        "let staff {verb} a {noun} from {area}",
        "{ticket}: add the {field} to every {noun} that {area} returns",
        "we want {area} to {verb} {noun}s in groups of {n}",
        "build an endpoint that lists {state} {noun}s with their {field}",
        "teach {sym} about {state} {noun2}s",
        "patrons should be able to {verb} their {noun} online, start in {path}",
    ],
    "tests": [
        "{file} has next to no tests, write some for {sym}",
        "cover the {state} {noun} case in {area}",
        "add a regression test for {ticket}",
        "I'd like tests for what {sym} does with a {state} {noun2}",
    ],
    "refactor": [
        "{file} does too much, pull the {noun} part out",
        "rename {sym} to something honest and mend the callers",
        "tidy up the {noun} handling in {area} without changing what it does",
        "the {field} is computed in three places in {area}, make it one",
    ],
    "infra": [
        "{area} on the trial cluster restarts all the time, see why",
        "raise the memory of {area} in the charts",
        "the nightly build of {area} takes {n} minutes, bring it down",
        "add an alert for {state} {noun}s",
        "{ticket}: pipeline red at the {noun} step, look into it",
        "move {area} to the new node image",
    ],
    "data": [
        "how many {noun}s are {state} per branch? a table is enough",
        "the monthly {noun} report disagrees with the desk, compare the {field}",
        "write a migration for the {field} of a {noun}",
        "clean up the {state} {noun}s from the import, dry run first",
        "give me the top {n} titles by {noun} count",
    ],
    "question": [
        "how does {area} decide that a {noun} is {state}?",
        "who calls {sym} and with which {noun2}?",
        "explain {file} to me, mostly the {noun} part",
        "where does the {field} of a {noun} come from?",
        "what would break if {sym} returned nothing?",
    ],
    "docs": [
        "document what {sym} does with {state} {noun}s",
        "the on-call notes lack a section on the {noun} job of {area}",
        "bring the docs of {area} in line with the code",
        "write half a page about {noun}s for new colleagues",
    ],
    "review": [
        "review the branch, mostly {area}",
        "read the last {n} commits in {area} with a critical eye",
        "is the change to {sym} safe for {state} {noun}s?",
        "second look at {path} before I merge, please",
    ],
    "deps": [
        "bump the libraries of {area} and see that it still builds",
        "{area} uses an old http client, upgrade it",
        "security notice for a {noun} dependency of {area}, update",
    ],
    "perf": [
        "{sym} is slow with {n} thousand {noun}s, make it faster",
        "searching {noun}s in {area} takes {n} hundred ms, profile it",
        "{ticket}: the {noun} list of {area} loads forever",
    ],
}
SHORT = {
    "fix": ["fix {sym}", "{ticket}", "{state} {noun} twice in {area}", "{file}: wrong {field}"],
    "feature": ["{verb} {noun} in {area}", "{field} in {area} api", "{ticket} next"],
    "tests": ["tests {file}", "test {sym}"],
    "refactor": ["clean up {file}", "rename {sym}"],
    "infra": ["{area} restarts?", "nightly red, {area}", "more memory {area}"],
    "data": ["{noun}s per branch?", "{state} {noun} count", "migration {field}"],
    "question": ["who calls {sym}?", "{field}, where from?"],
    "docs": ["docs {sym}", "oncall: {noun}"],
    "review": ["review {area}", "{file} ok?"],
    "deps": ["bump {area}", "update deps {area}"],
    "perf": ["{sym} slow", "profile {area}"],
}
SPANISH: dict[str, list[str]] = {
    "fix": [
        "en {area} aparece dos veces el mismo {noun}, busca la causa y arréglalo",
        "{sym} devuelve mal el campo {field} cuando el {noun} está vacío",
        "{ticket}: {area} falla si no hay {field}",
        "corrige {path}, no tiene en cuenta el {noun2}",
    ],
    "feature": [
        "quiero que el personal pueda hacer {verb} desde {area}",
        "{ticket}: añade {field} a todo lo que devuelve {area}",
        "hace falta un punto de acceso con la lista de {noun} y su {field}",
        "amplía {sym} para que acepte un {noun2} opcional",
    ],
    "tests": [
        "casi no hay pruebas en {file}, escribe algunas para {sym}",
        "añade una prueba de regresión para {ticket}",
        "cubre el caso del {noun} sin {field} en {area}",
    ],
    "refactor": [
        "{file} hace demasiadas cosas, separa la parte de {noun}",
        "cambia el nombre de {sym} por uno más claro y ajusta las llamadas",
        "ordena el código de {area} sin cambiar lo que hace",
    ],
    "infra": [
        "{area} se reinicia todo el tiempo en el clúster de pruebas, mira por qué",
        "sube la memoria de {area} en los charts",
        "la compilación nocturna de {area} está en rojo, revísala",
        "pon una alerta para {noun}",
    ],
    "data": [
        "¿cuántos registros de {noun} hay por biblioteca? me basta una tabla",
        "escribe una migración para el campo {field} de {noun}",
        "el informe mensual de {noun} no cuadra, compara el {field}",
    ],
    "question": [
        "¿cómo decide {area} el estado de un {noun}?",
        "¿quién llama a {sym} y con qué {noun2}?",
        "explícame {file}, sobre todo lo de {noun}",
        "¿de dónde sale el campo {field}?",
    ],
    "docs": [
        "documenta lo que hace {sym}",
        "falta un apartado sobre {noun} en las notas de guardia",
        "pon al día la documentación de {area}",
    ],
    "review": [
        "revisa la rama, sobre todo {area}",
        "mira con ojo crítico los últimos {n} commits de {area}",
        "¿es seguro el cambio en {sym}?",
    ],
    "deps": [
        "actualiza las bibliotecas de {area} y comprueba que compila",
        "{area} usa un cliente http viejo, cámbialo",
    ],
    "perf": [
        "{sym} va lento con {n} mil filas, acelera eso",
        "la búsqueda en {area} tarda mucho, mide y mejora",
    ],
}
REASONS_ES = [
    "el mostrador de la sede este se queja",
    "{ticket} lleva dos semanas esperando",
    "lo pidieron los auditores",
    "la tarea nocturna tropieza con eso",
    "se lo prometimos a las bibliotecas",
]
END_ES = [
    "Gracias.",
    "Sin prisa.",
    "Que el commit sea pequeño, por favor.",
    "Avísame si algo no queda claro.",
    "Luego lo miro yo.",
]
MORE = [
    "also do the same for {sym}",
    "and while you are in {file}, drop the unused {noun} part",
    "good. can you also log the {field}?",
    "fine, now the {state} case as well",
    "great, commit it",
    "does that cover a {state} {noun2} too?",
    "now run the whole suite of {area}",
]
MORE_SHORT = ["and {sym}", "commit", "log {field} too", "{state} too", "run all"]
MORE_ES = [
    "haz lo mismo con {sym}",
    "y de paso registra el {field} en el log",
    "bien, ahora haz el commit",
    "¿eso vale también para {noun2}?",
    "ahora pasa todas las pruebas de {area}",
]
CORRECT = [
    "No, I meant {file}, not that one.",
    "that is not what I asked, the {noun} must stay {state}",
    "please undo the last bit, {sym} has to keep its signature",
    "wrong branch of the if, look again at {field}",
    "Hm, not like that. Use the helper that {area} already has.",
]
CORRECT_ES = [
    "No, me refería a {file}.",
    "Eso no es lo que pedí, {sym} tiene que conservar su firma.",
    "Deshaz lo último, por favor, y usa lo que ya hay en {area}.",
]
STOPPED = [
    "wait, first look at {file}",
    "stop, the {noun} part was done by a colleague yesterday. only do {sym}",
    "hold on. smaller steps please",
    "let me rebase first... ok, go on",
]
STOPPED_ES = ["espera, mira primero {file}", "para, solo cambia {sym}", "un momento... vale, sigue"]
VALUE = [
    "By the way, {key} is {value} from now on.",
    "note: {key} moved, it is {value} now.",
    "We changed {key} to {value} last night, use that.",
    "({key} = {value} since today)",
]
VALUE_ES = ["Por cierto, {key} es ahora {value}.", "Ojo: desde hoy {key} = {value}."]
STALE = ["{key} is no longer {old}, I told you. It's {value}.", "that's the old {key}, use {value}"]
STALE_ES = ["{key} ya no es {old}, ahora es {value}."]
PLAN_STEPS = [
    "Read `{path}` and list every place that touches the {field}.",
    "Add `{sym}` with a guard for {state} {noun}s.",
    "Keep the storage layout; only the {noun2} view changes.",
    "Extend the tests with a {state} {noun} and one without {field}.",
    "Log the {noun} id when the guard fires, at most once a minute.",
    "Update the notes in docs/ for {area}.",
    "Do not change the public names in `{file}`.",
    "Handle an empty list of {noun2}s first and return early.",
    "Check the callers in {area} and adapt them.",
    "Run the suite of {area} and the linter.",
]
LEAD = {
    "look": [
        "Let me look at {file} first.",
        "I'll start with where the {noun} comes from.",
        "Checking how {area} uses {sym}.",
        "First the code around {sym}.",
        "Reading the {noun} part.",
        "I want to see the callers before touching anything.",
    ],
    "edit": [
        "Now the change in {file}.",
        "The guard for {state} {noun}s goes in here.",
        "Making the edit in {sym}.",
        "This should keep the {field} intact.",
        "Adapting {file}.",
    ],
    "test": [
        "Running the tests of {area}.",
        "Let me see whether it holds.",
        "Now the suite.",
        "Checking with the tests.",
    ],
    "red": [
        "One test still fails, the {noun} case.",
        "As expected, that is red for now.",
        "The failure is about {field}; the change is not complete yet.",
        "Not there yet.",
    ],
    "again": [
        "That did not work, trying it differently.",
        "Wrong path, let me find the right one.",
        "The text differs from what I had, looking again.",
        "My mistake, once more.",
        "Right, that does not exist here.",
    ],
}
LEAD_ES = {
    "look": [
        "Miro primero {file}.",
        "Empiezo por ver de dónde sale el {noun}.",
        "Voy a ver quién usa {sym}.",
    ],
    "edit": ["Ahora el cambio en {file}.", "Ajusto {sym}."],
    "test": ["Paso las pruebas de {area}.", "Veamos si funciona."],
    "red": ["Todavía falla una prueba.", "Como era de esperar, aún está en rojo."],
    "again": [
        "No ha funcionado, lo intento de otra manera.",
        "La ruta no era esa.",
        "Error mío, otra vez.",
    ],
}
DONE = [
    "Done. {sym} in {file} now handles a {state} {noun}; the tests of {area} pass.",
    "I changed {file} so that the {field} is kept. Nothing else is affected.",
    "Finished: the {noun} no longer shows up twice. The cause was the early return in {sym}.",
    "The change is in {file}, with a test next to it.",
    "That is in place. {noun}s without {field} are skipped now and logged once.",
    "All green. I left the callers in {area} as they are.",
]
ANSWER = [
    "A {noun} is {state} when its {field} is older than {n} days; {sym} in {file} decides it, and {area} only shows the result.",
    "{sym} is called from {n} places, all in {area}; the {noun2} is always set there.",
    "The {field} is written by the import and read in {path}. Nothing else changes it.",
    "I found two weak points: {sym} trusts the {field}, and the {noun} list is read twice. The rest looks fine to me.",
    "There are {n} {noun}s that are {state}; most belong to two branches.",
]
DONE_ES = [
    "Listo. {sym} en {file} ya trata bien el {noun} y las pruebas de {area} pasan.",
    "He cambiado {file} para que no se pierda el {field}.",
    "Ya está, con una prueba al lado. El resto de {area} queda igual.",
]
ANSWER_ES = [
    "Lo decide {sym} en {file}, según el {field}; {area} solo muestra el resultado.",
    "Hay {n} casos; casi todos vienen de dos bibliotecas.",
    "He encontrado dos puntos débiles en {sym}; lo demás me parece bien.",
]
THINK = [
    "The {noun} path goes through {sym}. I should see what happens when {field} is missing before I edit.",
    "Probably {file} is the right place. Tests first or edit first? The change is small.",
    "The user wants the {state} case only, so keep it narrow.",
    "If {sym} returns early the {noun2} never gets written. That explains the report.",
]
PAGES = [
    "https://docs.example.org/kotlin/coroutines/flow",
    "https://docs.example.org/vue/guide/reactivity",
    "https://registry.example.org/crates/rfid-tags/changelog",
    "https://www.example.org/oai-pmh/guidelines",
    "https://docs.example.org/terraform/cluster-unit",
]
RULES = [
    [
        "# shelfmark",
        "",
        "Lending software for public libraries.",
        "",
        "- Kotlin services: circulation, catalogue. Python: notices, harvest. Web: opac, staffdesk. Rust: gatereader.",
        "- `./gradlew :circulation:test`, `uv run pytest notices`, `npm --prefix opac test`, `cargo test -p gatereader`.",
        "- Ask before touching db/changes.",
        "- Addresses of the trial systems: infra/trial.env",
    ],
    [
        "# Notes for agents",
        "",
        "## Map",
        "Services sit in the top folder, one each. infra/ has charts and pipelines.",
        "## Habits",
        "- small commits",
        "- no new dependencies without a ticket",
        "- trial addresses change, see infra/trial.env",
    ],
]
