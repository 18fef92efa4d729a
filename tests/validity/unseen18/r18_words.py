"""What the users write and what the agent answers."""

# two voices per kind of work: the first half of every list belongs to one manner, the second to another
ASK = {
    "fix": [
        "The {n} in {a} comes back empty whenever {m} has more than {num} entries. Can you find out why and repair it?",
        "Since Tuesday {fn} throws on {m} without a {col}. Please fix it so that such rows are skipped with a warning.",
        "{t}: {n} gets counted twice if {m} is saved a second time. Fix in {p}, I think.",
        "There is an off-by-one in how {a} cuts {n} into pages, the last page is lost.",
        "customers see a stale {n} after changing {m}, looks like {fn} caches too long, fix that",
        "{f} leaks a handle when {m} fails half way. Close it in every branch.",
        "bug from support ({t}): {col} of {n} is rounded before the sum, should be after",
        "the {n} job in {a} hangs if {m} is slow, give it a limit of {num} seconds and a clear message",
    ],
    "add": [
        "We need {n} to accept a {col} as well. Add it through {a}, default as today.",
        "Please add a small command that lists every {m} older than {num} days.",
        "{t}: add paging to {n}, {num} per page, with a cursor like the one in {f}.",
        "Could {fn} also return the {col}? The {m} screen wants it.",
        "add an export of {n} as csv, columns as in the {m} view",
        "new endpoint for {n} in {a}, read only for now, same auth as {m}",
        "put a retry around the {m} client, {num} attempts, backing off, and count them",
        "let the {n} be filtered by {col}, front end people wait for this ({t})",
    ],
    "restructure": [
        "{f} has become a drawer for everything. Split the {n} part from the {m} part.",
        "Could you pull the shared bits of {n} and {m} into one helper under {a}?",
        "Rename {col} to something that says what it is, in {a} and wherever it is used.",
        "I would like {fn} to take one options value instead of seven arguments.",
        "move everything about {m} out of {p} into its own module",
        "get rid of the global in {f}, pass the {n} in",
        "{a} imports half the world, untangle it so {m} can be used alone",
        "turn the if-chain for {n} in {f} into a table",
    ],
    "explain": [
        "How does {n} travel from {a} to the {m}? I want to understand it before {t}.",
        "What decides whether {fn} uses the {col} or not?",
        "Can you walk me through {f}, mostly the part about {m}?",
        "Where is {n} written for the first time, and who reads it later?",
        "why do we have both {n} and {m}, is there a difference",
        "what happens in {a} when {m} is missing, just tell me, no changes",
        "who calls {fn} and with what {col}",
        "is {f} still used by anything or can it go, check only",
    ],
    "review": [
        "Please look over the branch for {t} before I open it to the others, above all {a}.",
        "Review what Ingmar did with {n}; I worry about the {m} path.",
        "Read the last {num} commits on {a} and tell me what you would not merge.",
        "Is the change in {f} safe when two {m} come in at once?",
        "second pair of eyes on {p} pls, esp. error handling",
        "check the diff against main, anything risky for {n}",
        "review {t}, short list of findings, worst first",
        "look at the open changes in {a}, does {fn} still honour {col}",
    ],
    "deploy": [
        "Roll {a} out to staging and watch it for a minute.",
        "Please build the image and put it on the test machine, {t} needs to be shown at three.",
        "Bring staging to the current state of the release branch, then check that {n} answers.",
        "Deploy what we have and tell me which version is running afterwards.",
        "ship it to staging, smoke test {n}",
        "push a new build, {m} is broken on the test host without it",
        "redeploy {a}, config changed",
        "take staging to {t} and run the migration there",
    ],
    "data": [
        "I dropped a csv of {m} into data/inbox. Tell me how many rows lack a {col}.",
        "Prepare the {n} sample for the demo: {num} rows, no names in it.",
        "Clean up the {m} list we got, duplicates by {col} should go, keep the newest.",
        "Please make a table of {n} by month from the dump, and save the script.",
        "convert the {m} file from the partner into our {n} format",
        "whats the spread of {col} in the last dump, percentiles are enough",
        "merge the two {m} exports on {col} and list what does not match",
        "need numbers for {t}: {n} per region, last {num} weeks",
    ],
    "docs": [
        "The readme of {a} still describes the old {n}. Bring it up to date.",
        "Write half a page for newcomers on how {m} and {n} hang together.",
        "Please document the {col} option, with an example that really runs.",
        "Add a changelog entry for {t}; what matters to users is {n}.",
        "docs for {fn}, params and what it raises",
        "write up how to restore {m} by hand, as a runbook",
        "comment the tricky part in {f}, nothing more",
        "the {n} page has a dead example, repair it",
    ],
    "tests": [
        "{f} has no tests for {m} at all, please cover the usual paths.",
        "Write a test that shows the trouble from {t}, then leave it in.",
        "Can you check {fn} with odd values of {col}: empty, huge, negative?",
        "The tests of {a} take {num} seconds, most of it sleeping. Make them quick.",
        "test for {n} with two {m} at the same time",
        "cover the error branches in {p}",
        "replace the mocks in the {a} tests by the in-memory {m}",
        "add a regression test for {n}, see {t}",
    ],
    "deps": [
        "Raise the {lib} dependency to the next minor and see what breaks.",
        "Do we still need {lib}? If not, drop it.",
        "Please pin {lib}, the build was different on Ola's machine.",
        "There is an advisory for {lib}; update it and run everything.",
        "bump {lib}, tests must stay green",
        "swap {lib} for what the standard library has, only {a} uses it",
        "lock file is out of step after {t}, refresh it",
        "try {lib} latest on a branch, report back",
    ],
    "logs": [
        "Staging logs are full of complaints about {m}. What is it?",
        "Last night {n} stopped for {num} minutes. Please find out from the logs.",
        "Could you see why {a} answers slowly since the last rollout?",
        "The alert for {n} fired again. Is it real this time?",
        "memory on the test host climbs, have a look, suspect {fn}",
        "{num} timeouts on {m} today, where do they come from",
        "{t}: find the request in the logs and say what went on",
        "is the {n} worker alive on staging",
    ],
    "config": [
        "Please raise the limit for {m} to {num} and make it a setting.",
        "Move the {n} switch from code into the settings file.",
        "The ci job for {a} should only run when {a} changes.",
        "Set up a second profile for the demo with its own {m}.",
        "turn off {n} by default, keep the switch",
        "ci is slow, cache the {lib} download",
        "add a make target that starts {a} with the demo {m}",
        "the timeout for {n} must come from the environment, {num} as fallback",
    ],
}
TERSE = {
    "fix": ["fix {n}", "{fn} throws, fix", "{t} fix", "{n} twice in {a}, fix", "{f} broken w/o {col}"],
    "add": ["add {col} to {n}", "{t} add", "paging for {n}", "export {m}", "{fn}: return {col}"],
    "restructure": ["split {f}", "{m} out of {f}", "rename {col} in {a}", "untangle {a}"],
    "explain": ["what does {fn} do", "{n} vs {m}?", "who uses {f}", "{col}, where set?"],
    "review": ["review {t}", "diff ok? {a}", "look at {f}", "risks in {a}?"],
    "deploy": ["deploy {a}", "staging pls", "ship {t}", "build + staging"],
    "data": ["count {m} w/o {col}", "{n} by month", "dedupe {m}", "sample {n}, {num} rows"],
    "docs": ["docs {fn}", "readme {a}", "changelog {t}", "document {col}"],
    "tests": ["tests {f}", "cover {fn}", "test {t}", "{a} tests: {m}"],
    "deps": ["bump {lib}", "pin {lib}", "drop {lib}?", "update {lib}"],
    "logs": ["logs: {m}?", "why slow, {a}", "{n} alert, look", "{t} in logs"],
    "config": ["{m} limit {num}", "{n} off", "ci only {a}", "{n} from env"],
}
ASK_ES = {
    "fix": ["El {n} de {a} sale vacío cuando {m} tiene más de {num} filas, ¿lo puedes arreglar?", "Desde ayer {fn} falla si falta {col}. Corrígelo, por favor.", "{t}: {n} se cuenta dos veces, míralo en {p}.", "arregla {f}, pierde la última página de {m}"],
    "add": ["Necesitamos que {n} acepte también {col}; añádelo en {a}.", "Añade una orden que liste los {m} de más de {num} días.", "¿Puede {fn} devolver además {col}? Lo pide la pantalla de {m}.", "haz una exportación csv de {n}"],
    "restructure": ["Separa en {f} la parte de {n} de la de {m}.", "Saca lo común de {n} y {m} a una función en {a}.", "Cambia el nombre de {col} en todo {a}."],
    "explain": ["¿Cómo llega {n} desde {a} hasta {m}? Solo explícamelo.", "¿Quién llama a {fn} y con qué {col}?", "Cuéntame qué hace {f}, sobre todo con {m}."],
    "review": ["Revisa la rama de {t}, sobre todo {a}.", "Mira los últimos {num} cambios de {a} y dime qué te preocupa.", "¿Es seguro {f} con dos {m} a la vez?"],
    "deploy": ["Sube {a} a pruebas y vigílalo un minuto.", "Construye la imagen y ponla en la máquina de pruebas, es para {t}.", "despliega otra vez {a}, por favor"],
    "data": ["¿Cuántas filas de {m} no tienen {col}?", "Prepara una muestra de {n}, {num} filas, sin nombres.", "Une las dos listas de {m} por {col}."],
    "docs": ["Pon al día el texto de {a}, describe el {n} viejo.", "Documenta la opción {col} con un ejemplo.", "Escribe media página sobre {m} y {n}."],
    "tests": ["{f} no tiene pruebas para {m}; escríbelas.", "Haz una prueba que muestre lo de {t}.", "Prueba {fn} con valores raros de {col}."],
    "deps": ["Sube {lib} a la versión siguiente y mira qué pasa.", "Fija la versión de {lib}.", "¿Hace falta {lib}? Si no, quítalo."],
    "logs": ["Los registros se quejan de {m}, ¿qué es?", "Anoche {n} se paró {num} minutos, busca la causa.", "¿Por qué va lento {a}?"],
    "config": ["Sube el límite de {m} a {num} y hazlo configurable.", "Quita {n} por defecto.", "Que el plazo de {n} venga del entorno."],
}
ASK_PL = {
    "fix": ["{n} w {a} jest puste, gdy {m} ma ponad {num} wpisów. Napraw to proszę.", "Od wczoraj {fn} wywala się bez {col}, popraw.", "{t}: {n} liczy się podwójnie, zobacz w {p}.", "napraw {f}, ginie ostatnia strona {m}"],
    "add": ["Niech {n} przyjmuje też {col}, dodaj to w {a}.", "Dodaj polecenie, które wypisze {m} starsze niż {num} dni.", "Czy {fn} może zwracać także {col}? Potrzebne do {m}.", "zrób eksport {n} do csv"],
    "restructure": ["Rozdziel w {f} część {n} od {m}.", "Wyciągnij wspólny kod {n} i {m} do {a}.", "Zmień nazwę {col} w całym {a}."],
    "explain": ["Jak {n} trafia z {a} do {m}? Tylko wyjaśnij.", "Kto woła {fn} i z jakim {col}?", "Opowiedz, co robi {f}, zwłaszcza z {m}."],
    "review": ["Przejrzyj gałąź {t}, głównie {a}.", "Zobacz ostatnie {num} zmian w {a} i powiedz, co cię martwi.", "Czy {f} jest bezpieczne przy dwóch {m} naraz?"],
    "deploy": ["Wrzuć {a} na testy i popatrz przez minutę.", "Zbuduj obraz i postaw na maszynie testowej, to do {t}.", "wdróż jeszcze raz {a}"],
    "data": ["Ile wierszy {m} nie ma {col}?", "Przygotuj próbkę {n}, {num} wierszy, bez nazwisk.", "Połącz obie listy {m} po {col}."],
    "docs": ["Odśwież opis {a}, mówi o starym {n}.", "Opisz opcję {col} z przykładem.", "Napisz pół strony o {m} i {n}."],
    "tests": ["{f} nie ma testów dla {m}, dopisz.", "Zrób test pokazujący {t}.", "Sprawdź {fn} dla dziwnych {col}."],
    "deps": ["Podnieś {lib} i zobacz, co pęknie.", "Przypnij wersję {lib}.", "Czy {lib} jest potrzebne? Jak nie, usuń."],
    "logs": ["W logach pełno skarg na {m}, co to?", "W nocy {n} stało {num} minut, znajdź przyczynę.", "Dlaczego {a} działa wolno?"],
    "config": ["Podnieś limit {m} do {num} i zrób z tego ustawienie.", "Wyłącz domyślnie {n}.", "Czas dla {n} ma być ze środowiska."],
}
CLAUSES = [
    "No hurry, but before Friday would be good.", "Keep the public names as they are.", "Tiago asked for it this morning.",
    "I tried on my side and gave up after {num} minutes.", "The {m} people will test it by hand.", "Small steps please.",
    "If it touches {a}, say so in the end.", "We had the same in {t}, maybe worth a look.", "Leave {f} alone if you can.",
    "Background: the {n} was built in a rush for the fair.", "A short summary at the end is enough.", "Stay with the style of the neighbours.",
    "It only happens for large {m}.", "The team in Gdynia depends on this.", "Ask me if {col} is unclear.", "Use the {m} fixture for trying it.",
    "I will be in a meeting for an hour.", "This goes out with the next release.", "Do not touch the migrations.", "Thanks for the last one by the way.",
]
CORRECT = [
    "No, that is not what I asked for: only {n} should change, not {m}.", "That's wrong, {col} has to stay optional.",
    "You changed {f}, but I meant the one in {a}. Put it back.", "this still doesn't work, {fn} returns the same as before",
    "not like that. undo the {m} part and keep the rest", "Wrong place, it belongs into {a}.",
    "Hm, you forgot the case without {col}, I mentioned it.", "no no, {num} was meant as an upper bound",
    "I said no new dependency, please take {lib} out again.", "That breaks {m}, revert it and try something simpler.",
    "you misread me, the {n} should be sorted newest first", "Still the old behaviour here, please look again at {f}.",
    "Nope, {fn} is called from two places and you did just one.", "That answer is about {m}, I was asking about {n}.",
    "please don't rename things I did not ask for, {col} must stay", "the number is off, {n} can't be {num}, check again",
]
CORRECT_ES = ["No, no es eso: solo debía cambiar {n}.", "Está mal, {col} tiene que seguir siendo opcional.", "Te equivocaste de archivo, era en {a}.", "sigue sin funcionar, {fn} devuelve lo mismo", "No te pedí tocar {m}, deshazlo.", "Olvidaste el caso sin {col}."]
CORRECT_PL = ["Nie, nie o to chodziło: zmienić się miało tylko {n}.", "Źle, {col} ma zostać opcjonalne.", "Pomyliłeś plik, miało być w {a}.", "dalej nie działa, {fn} zwraca to samo", "Nie prosiłem o {m}, cofnij to.", "Zapomniałeś o przypadku bez {col}."]
RESUME = ["sorry, wrong key, carry on", "ok go on, but start with {f}", "I stopped you because of a call, continue please", "back again. continue with {n}", "go ahead, skip {m} for now"]
RESUME_ES = ["perdona, sigue", "continúa, pero empieza por {f}"]
RESUME_PL = ["przepraszam, kontynuuj", "dalej, ale zacznij od {f}"]
TOLD = ["By the way, {label} is now {value}.", "Note: {label} changed to {value} this morning.", "From today use {value} as {label}.", "({label}: {value}, the old one is gone)", "ops moved things, {label} = {value}"]
TOLD_ES = ["Por cierto, {label} ahora es {value}.", "Desde hoy {label} = {value}."]
TOLD_PL = ["A propos, {label} to teraz {value}.", "Od dziś {label} = {value}."]
REJECT = ["leave this one to me", "first show me the plan for {n}", "do it in {a} instead please", "wait with that until the others are done", "smaller, only {fn}"]

BEFORE = ["I'll start with {f}.", "Looking at how {n} is handled.", "Next, {m}.", "Let me see where {fn} is used.", "Now the change itself.", "Checking {a} before touching anything.",
          "That gives the picture; on to {col}.", "One more place to look at.", "Running it to be sure.", "Two callers so far.", "The {m} side seems to be the relevant one.", "This part is straightforward."]
AGAIN = ["Trying that again.", "Let me use the right form.", "Once more, properly.", "I mistyped that; repeating it.", "Different way round."]
DONE = {
    "fix": ["Repaired: {fn} in `{p}` now handles {m} without {col}. Tests around {a} pass.", "The cause was the order in which {n} and {m} were read. It is in `{f}`, with a guard for the empty case."],
    "add": ["{n} now takes {col}; the default is as before. New code sits in `{p}`.", "Added, with {num} as the default. `{fn}` is the entry point."],
    "restructure": ["`{f}` is split; nothing outside {a} had to change.", "The shared part of {n} and {m} lives in one helper now, callers are updated."],
    "explain": ["In short: {a} builds {n}, `{fn}` fills {col}, and {m} only reads it. See `{p}`.", "`{fn}` decides by {col}; when it is missing the {m} value is taken."],
    "review": ["Three remarks: {n} may be read before it is set, {col} is unchecked in `{f}`, and the naming of {m}. The rest looks sound.", "Nothing blocking. I would add one case for {m}, and `{fn}` could be shorter."],
    "deploy": ["Staging runs the new build and {n} answers.", "Rolled out; health check is green, {m} warmed up in {num} seconds."],
    "data": ["{num} rows lack {col}; the script is kept under `tools/`.", "Done: the table of {n} is in `data/out`, duplicates by {col} removed."],
    "docs": ["The page on {n} is current again and has an example for {col}.", "Wrote the section about {m}, linked from the readme of {a}."],
    "tests": ["Added {num} cases for `{fn}`, covering {m} with and without {col}.", "The tests for {a} now include the trouble case."],
    "deps": ["{lib} is updated and everything still builds.", "{lib} is pinned; lock file refreshed."],
    "logs": ["The noise comes from {m} being retried while {n} is still open.", "It was a slow {m}; `{fn}` waited for it. Nothing lost."],
    "config": ["The limit for {m} is a setting now, {num} by default.", "Moved {n} into the settings file and described it."],
    "rules": ["The instruction file has the new rules now."],
}
CARE = ["Nothing else was touched.", "Tell me if {col} should be stricter.", "I left {f} as it was.", "Worth a look later: {m}.", ""]
ACK = ["You are right, I will set that straight.", "Understood, only {n} then.", "Sorry, I took the other {m}. Changing it.", "I see, back to {f}."]

STYLES = [
    {"lower": 0, "pre": ["", "", "Hi! ", "Good morning. "], "post": ["", "", " Thanks!", " Thank you."], "clauses": 0.7},
    {"lower": 1, "pre": ["", "", "ok ", "next: "], "post": ["", "", " thx", ""], "clauses": 0.25},
    {"lower": 0, "pre": ["", "", "So, ", ""], "post": ["", "", " Cheers", ""], "clauses": 0.5},
    {"lower": 1, "pre": ["", "hey, ", "hm, ", ""], "post": ["", "", " :)", " pls"], "clauses": 0.4},
]
