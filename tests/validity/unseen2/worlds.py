"""What the simulated agents work on and how their users talk: six repositories, six users, all texts."""

import random

# --- repositories -----------------------------------------------------------------------------------------------------
# nouns name the files; facts are values that are told, used, replaced and used again. A fact is
# (mode, what it is called, first part of its key, second part or None, how a value looks, tool or command, names).
#   json:      tool call, names = (key of the subject, path of the value)
#   composite: tool call, names = (key of the first part, key of the second part, key of the value)
#   shell:     command with {s} (subject) and {v} (value), names = (command that shows the value, word it prints)

WORLDS = {
    "floodcast": {
        "lang": "py", "other_lang": "rs", "test": "pytest -q", "server": "gaugehub",
        "dirs": ["ingest", "forecast", "alerts", "export"],
        "nouns": ["stage", "rating", "rainfall", "basin", "hydrograph", "snowmelt", "telemetry", "bulletin", "quantile", "reservoir", "calibration", "siren"],
        "verbs": ["interpolate", "route", "clip", "merge", "resample", "validate", "publish", "window"],
        "record": ("gauge", "G-{n}"),
        "facts": [
            ("json", "datum offset", ["KLB", "RHN", "OST", "VAR", "TIS", "MUR"], None, "{a}.{b}", "push_level", ("stn", "lvl.dtmOff")),
            ("composite", "alarm threshold", ["KLB", "RHN", "OST"], ["thaw", "dry", "monsoon"], "{b}{a}", "arm_alarm", ("stn", "szn", "thrQ")),
            ("shell", "rating curve", ["KLB", "RHN", "OST", "VAR"], None, "rc{a}-{b}", "bin/ratectl apply {s} --curve-ref={v} --dry-run", ("bin/ratectl show {s}", "curve-ref")),
        ],
    },
    "seatmap": {
        "lang": "ts", "other_lang": "kt", "test": "npx vitest run", "server": "boxoffice",
        "dirs": ["src/plan", "src/cart", "src/admin", "src/print"],
        "nouns": ["seat", "aisle", "tier", "voucher", "performance", "refund", "balcony", "queue", "season", "usher", "ledger", "wheelchair"],
        "verbs": ["hold", "release", "render", "price", "allocate", "split", "expire", "reseat"],
        "record": ("booking", "BK{n}"),
        "facts": [
            ("json", "layout", ["main hall", "studio", "garden stage", "foyer"], None, "LYT-{b}{a}", "load_house", ("house", "cfg.layoutRev")),
            ("composite", "door code", ["main hall", "studio", "garden stage"], ["matinee", "evening", "late show"], "{a}#{b}", "open_doors", ("house", "slot", "dcode")),
            ("shell", "fee table", ["members", "groups", "schools", "walk-ins"], None, "ft_{a}{b}", "npm run -s fees -- load '{s}' -t {v} --check", ("npm run -s fees -- which '{s}'", "table")),
        ],
    },
    "plateline": {
        "lang": "rb", "other_lang": "py", "test": "bundle exec rspec", "server": "lims",
        "dirs": ["app/assays", "app/plates", "app/reports", "lib/robots"],
        "nouns": ["well", "plate", "primer", "dilution", "sequence", "barcode", "freezer", "batch", "curve", "control", "pipette", "contamination"],
        "verbs": ["pool", "normalise", "scan", "flag", "assign", "thaw", "demultiplex", "archive"],
        "record": ("sample", "S-{n}"),
        "facts": [
            ("json", "plate barcode", ["lot Aspen", "lot Birch", "lot Cedar", "lot Elm", "lot Fir"], None, "PB{a}X{b}", "start_scan", ("lotRef", "tray.bc")),
            ("composite", "Ct cutoff", ["RSV", "FLU-B", "NORO"], ["swab", "saliva", "sewage"], "{a}.{b}", "set_gate", ("assay", "matrix", "ct_max")),
            ("shell", "robot deck", ["washer", "stamper", "sealer"], None, "deck-{b}-{a}", "bin/robot load {s} -D{v} --simulate", ("bin/robot status {s}", "deck")),
        ],
    },
    "dripnet": {
        "lang": "c", "other_lang": "rs", "test": "make check", "server": "fieldbus",
        "dirs": ["fw/core", "fw/radio", "fw/valve", "host/tools"],
        "nouns": ["valve", "pulse", "moisture", "beacon", "mesh", "battery", "schedule", "flow", "frost", "flash", "watchdog", "solenoid"],
        "verbs": ["debounce", "encode", "latch", "wake", "retry", "checksum", "throttle", "drain"],
        "record": ("node", "N{n}"),
        "facts": [
            ("json", "radio slot", ["orchard", "greenhouse", "nursery", "hop yard", "terrace"], None, "{a}{b}", "join_mesh", ("plot", "rf.slotNo")),
            ("composite", "pulse width", ["orchard", "greenhouse", "nursery"], ["spring", "summer", "autumn"], "{b}{a}0", "program_valve", ("plot", "seas", "pw_us")),
            ("shell", "image", ["gw-north", "gw-south", "gw-hill"], None, "img_{a}_{b}", "host/flash.sh {s} IMG={v} VERIFY=1", ("host/flash.sh {s} --info", "IMG")),
        ],
    },
    "trackbook": {
        "lang": "kt", "other_lang": "ts", "test": "./gradlew test", "server": "depot",
        "dirs": ["planner/route", "planner/crew", "planner/stock", "planner/web"],
        "nouns": ["timetable", "turnaround", "platform", "crew", "consist", "headway", "shunt", "diversion", "path", "depot", "signal", "connection"],
        "verbs": ["stable", "couple", "reroute", "roster", "pad", "resolve", "stagger", "recover"],
        "record": ("train", "T{n}"),
        "facts": [
            ("json", "unit set", ["the 06:12", "the 07:48", "the 16:05", "the 19:30", "the sleeper"], None, "U{a}-{b}", "bind_stock", ("svc", "rs.setId")),
            ("composite", "platform plan", ["coast line", "valley line", "ring line"], ["weekday", "saturday", "sunday"], "PP{b}/{a}", "post_plan", ("ln", "dayType", "ppRev")),
            ("shell", "crew rule set", ["north depot", "south depot", "harbour depot"], None, "crs{b}.{a}", "tools/roster --depot '{s}' --ruleset {v} --trial", ("tools/roster --depot '{s}' --print-ruleset", "ruleset")),
        ],
    },
    "vitrine": {
        "lang": "rs", "other_lang": "rb", "test": "cargo test", "server": "registrar",
        "dirs": ["crates/catalog", "crates/loans", "crates/climate", "crates/labels"],
        "nouns": ["object", "loan", "crate", "humidity", "provenance", "inscription", "condition", "insurance", "rotation", "plinth", "courier", "acquisition"],
        "verbs": ["accession", "dedupe", "transcribe", "index", "redact", "pack", "appraise", "localize"],
        "record": ("object", "AC.{n}"),
        "facts": [
            ("json", "climate band", ["case 3", "case 8", "west niche", "vault", "loan crate"], None, "CB-{a}{b}", "pin_case", ("vitr", "env.bandKey")),
            ("composite", "label set", ["west wing", "east wing", "annex"], ["ground floor", "mezzanine", "gallery"], "LS{a}.{b}", "print_labels", ("wing", "lvl", "lblSet")),
            ("shell", "courier slot", ["Lisbon loan", "Graz loan", "Oslo loan"], None, "cs-{b}{a}", "bin/courier reserve '{s}' -s {v} --hold", ("bin/courier show '{s}'", "slot")),
        ],
    },
}

LINES = {
    "py": ("def {v}_{n}(rows, limit={k}):", "    {n} = [r for r in rows if r.{m} > {k}]", "    return {v}({n}, scale={k})", "{N}_MAX = {k}", "# {v} the {n} before {m}", "    if not {n}:", "        raise ValueError('{n} missing')"),
    "ts": ("export function {v}{C}(rows: {C}[], limit = {k}) {{", "  const {n} = rows.filter((r) => r.{m} > {k});", "  return {v}({n}, {k});", "const {N}_MAX = {k};", "// {v} the {n} before {m}", "  if (!{n}) throw new Error('{n} missing');", "}}"),
    "rb": ("def {v}_{n}(rows, limit: {k})", "  {n} = rows.select {{ |r| r.{m} > {k} }}", "  {v}({n}, scale: {k})", "{N}_MAX = {k}", "# {v} the {n} before {m}", "  raise '{n} missing' if {n}.nil?", "end"),
    "c": ("static int {v}_{n}(struct {m} *p, uint16_t lim{k})", "    uint16_t {n} = p->{m} & 0x{k};", "    return {v}({n}, {k});", "#define {N}_MAX {k}", "/* {v} the {n} before {m} */", "    if (!{n}) return -{k};", "}}"),
    "kt": ("fun {v}{C}(rows: List<{C}>, limit: Int = {k}): Int {{", "    val {n} = rows.filter {{ it.{m} > {k} }}", "    return {v}({n}, {k})", "const val {N}_MAX = {k}", "// {v} the {n} before {m}", "    require({n}.isNotEmpty()) {{ \"{n} missing\" }}", "}}"),
    "rs": ("pub fn {v}_{n}(rows: &[{C}], limit: u32) -> u32 {{", "    let {n}: Vec<_> = rows.iter().filter(|r| r.{m} > {k}).collect();", "    {v}(&{n}, {k})", "const {N}_MAX: u32 = {k};", "// {v} the {n} before {m}", "    if {n}.is_empty() {{ return {k}; }}", "}}"),
}
ROLES = ["store", "service", "view", "rules", "client", "form", "cache"]


class Repo:
    """Files of one repository. Every file has a look-alike; contents change when they are edited."""

    def __init__(self, name, seed, lang=None):
        self.spec, self.name = WORLDS[name], name
        self.lang = lang or self.spec["lang"]
        rng = random.Random(f"repo {name} {self.lang} {seed}")
        self.files, self.alike, self.text = [], {}, {}
        for noun in self.spec["nouns"]:
            for role in rng.sample(ROLES, 6):
                here, there = rng.sample(self.spec["dirs"], 2)
                ext = self.lang
                path = f"{here}/{noun}_{role}.{ext}"
                twin = rng.choice([
                    f"{here}/{noun}s_{role}.{ext}", f"{there}/{noun}_{role}.{ext}", f"{here}/old/{noun}_{role}.{ext}",
                    f"{here}/{noun}_{role}2.{ext}", f"{here}/{noun}_{rng.choice(ROLES)}_{role}.{ext}",
                ])
                if path in self.alike or twin in self.alike or path == twin:
                    continue
                self.files.append(path)
                self.alike[path], self.alike[twin] = twin, path
        for path in self.alike:
            self.text[path] = self._lines(path, rng, rng.choice([24, 30, 40, 60, 90]))
        rng.shuffle(self.files)

    def _lines(self, path, rng, length):
        stem = path.rsplit("/", 1)[1].split("_")[0].split(".")[0]
        nouns, verbs = self.spec["nouns"], self.spec["verbs"]
        out = []
        for _ in range(length):
            n = stem if rng.random() < 0.6 else rng.choice(nouns)
            out.append(rng.choice(LINES[self.lang]).format(v=rng.choice(verbs), n=n, m=rng.choice(nouns), k=rng.randint(2, 990), N=n.upper(), C=n.capitalize()))
        return out

    def grow(self, path, rng, factor):
        """A longer file than it was at the beginning."""
        want = int(len(self.text[path]) * factor)
        self.text[path] += self._lines(path, rng, max(0, want - len(self.text[path])))


# --- users ------------------------------------------------------------------------------------------------------------
# {o}: thing to work on, {f}: file, {v}: verb, {m}: another thing

ASK = {
    "feature": ["could you make the {o} part {v} the {m} as well", "add a way to {v} the {o} per {m}", "we need {o} to {v} when a {m} comes in late", "let {f} accept a {m} list and {v} it", "teach the {o} code to {v} more than one {m} at a time"],
    "bug": ["{o} comes out empty whenever the {m} is zero, please find out why", "the {o} screen hangs if you {v} twice, have a look at {f}", "something in {f} drops the last {m}", "users report a doubled {o} after they {v} the {m}", "the nightly {o} job died on a {m} without a date"],
    "refactor": ["split {f}, it does {o} and {m} at once", "pull the {v} logic out of {f}", "rename the {o} helpers so they match the {m} ones", "get rid of the duplicated {o} checks around {f}"],
    "tests": ["cover the {o} edge cases with tests", "write a test that shows what {f} does with an odd {m}", "the {o} tests are slow, can they run without {m}", "add a regression test for the {m} case in {f}"],
    "question": ["where do we {v} the {o}?", "how does {f} know which {m} to take?", "what would happen to {o} if I removed the {m} cache?", "is anything still calling the {o} {v} helper?"],
    "docs": ["write two paragraphs on how {o} and {m} relate for the wiki", "document the options of {f}", "update the comments in {f}, they still talk about the old {m}"],
}
DETAIL = ["It came up with the {m} people yesterday.", "Keep the public names as they are.", "Don't forget the {m} case.", "No rush on the {o} side though.", "The rest of {f} can stay.", "Not sure whether {m} matters here.", "There is a note on it in the {m} ticket, but it is thin.", "Same style as in the {m} code, please.", "I would like it to be readable for someone new to {o}."]
TELL = ["for {s} the {w} is {x}", "btw {w} of {s}: {x}", "use {x} as {w} when you deal with {s}", "{s} runs with {w} {x}", "note that the {w} for {s} is {x}"]
CHANGE = ["scrap that, {s} got a new {w} this morning: {x}", "{s} has been moved over to {x} ({w})", "the {w} of {s} isn't {old} any longer, they settled on {x}", "heads-up, {w} for {s} is {x} from now on", "we swapped the {w} for {s}, it is {x} now", "forget {old}; {s} goes with {x}", "{s}: {w} went from {old} to {x} after the review"]
SET = ["switch the {w} of {s} to {x}", "please set {s} to {w} {x}", "put {x} in as the {w} of {s}"]
CHECK = ["what is the {w} of {s} at the moment? look it up and go with that", "they may have touched the {w} of {s}, look at the live one", "pull the current {w} for {s}"]
USE = ["run it for {s}", "do the {s} one now", "and push {s} with its {w}", "apply the {w} for {s}", "go ahead with {s}", "now the usual step for {s}"]
ASK_AGAIN = ["Which {w} should I use for {s}?", "Before I go on: what is the {w} for {s}?", "I need the {w} of {s} for this. Could you give it to me?", "What {w} does {s} run with?"]
ANSWER_AGAIN = ["it's {x}, as above", "{x}. I gave you that earlier", "{x}", "still {x}", "you have it already: {x}", "the {w} is {x}, we went through this"]
CORRECT = [
    "that's the wrong end of it. I meant the {m} side, {f} should stay as it was", "hm, {o} looks worse than before. put it back and touch only the {m} bit", "you took the {m} branch again, the other one please",
    "this isn't what I described, read my message once more", "nope, still empty", "the {o} total is off by one now, it was fine this morning", "why did {f} change? nobody asked for that, revert it",
    "I'd rather have it the way I said: one {m} per {o}", "you broke the import in {f}", "wait, stop. wrong {m}.", "half of it is missing, the {m} case isn't handled at all", "that compiles but it ignores the {m}",
    "it still hangs, so that wasn't the reason", "please undo the last edit, {o} must not depend on {m}", "the test you wrote passes even without the fix, so it tests nothing", "close, but the {o} order is reversed",
    "you answered a different question, I wanted to know about {m}", "this fails on my machine straight away", "that can't be right, a {o} never has two of them",
]
CORRECT_VALUE = ["{old} is gone, {s} has {x}", "that's the previous {w}. {x} please", "you used {old} for {s}, we changed that", "wrong {w}, it should have been {x}", "look again at what I said on {s}: {x}", "{s} isn't on {old} any more!"]
THANKS = ["good.", "ok,", "thanks, works.", "nice.", "fine so far.", "alright,", "perfect.", "yep."]

SPANISH = {
    "ask": {
        "feature": ["¿puedes hacer que {o} también trate {m}?", "añade una forma de agrupar {o} por {m}", "necesitamos que {f} acepte varios {m}"],
        "bug": ["{o} sale vacío cuando {m} es cero, mira por qué", "la pantalla de {o} se queda colgada, revisa {f}", "algo en {f} pierde el último {m}"],
        "refactor": ["separa {f}, hace {o} y {m} a la vez", "saca la lógica de {m} fuera de {f}"],
        "tests": ["escribe pruebas para los casos raros de {o}", "falta una prueba de {m} en {f}"],
        "question": ["¿dónde se calcula {o}?", "¿cómo sabe {f} qué {m} tomar?"],
        "docs": ["documenta las opciones de {f}", "explica en dos párrafos la relación entre {o} y {m}"],
    },
    "detail": ["Lo pidieron ayer los de {m}.", "No cambies los nombres públicos.", "El resto de {f} se queda igual.", "Sin prisa."],
    "tell": ["para {s}, {w}: {x}", "usa {x} como {w} de {s}", "{s} va con {w} {x}"],
    "change": ["olvida {old}; {s} ahora va con {x}", "el {w} de {s} cambió esta mañana: {x}", "{s} ya no usa {old}, ahora es {x}"],
    "set": ["pon {x} como {w} de {s}", "cambia el {w} de {s} a {x}"],
    "check": ["mira cuál es el {w} actual de {s} y usa ese"],
    "use": ["hazlo para {s}", "aplica el {w} de {s}", "ahora el paso de siempre con {s}"],
    "answer": ["es {x}, ya lo dije", "{x}", "sigue siendo {x}"],
    "correct": ["eso no es lo que pedí, era el lado de {m}", "deja {f} como estaba, por favor", "sigue vacío", "has cogido otra vez el {m} equivocado", "falta la mitad, {m} no está tratado", "has roto el import de {f}", "casi, pero el orden de {o} está al revés"],
    "value": ["{old} ya no vale, {s} tiene {x}", "ese {w} es el de antes, es {x}", "has usado {old} para {s} y eso cambió"],
    "thanks": ["bien.", "vale,", "gracias.", "perfecto."],
}
ENGLISH = {"ask": ASK, "detail": DETAIL, "tell": TELL, "change": CHANGE, "set": SET, "check": CHECK, "use": USE, "answer": ANSWER_AGAIN, "correct": CORRECT, "value": CORRECT_VALUE, "thanks": THANKS}

USERS = {
    "ines": {"lower": False, "detail": 0.7, "thanks": 0.3, "hello": ["Hi, ", "", "", "Morning. "], "tail": ["", "", " Thanks!", " Thank you."]},
    "tobi": {"lower": True, "detail": 0.15, "thanks": 0.15, "hello": ["", "", "so "], "tail": ["", "", "", " k?"]},
    "okonkwo": {"lower": False, "detail": 0.9, "thanks": 0.1, "hello": ["Please note the following. ", "", ""], "tail": ["", " Report when done.", ""]},
    "maya": {"lower": True, "detail": 0.45, "thanks": 0.5, "hello": ["hey, ", "", "ok "], "tail": ["", " :)", " 🙏", ""]},
    "reinholt": {"lower": False, "detail": 0.5, "thanks": 0.2, "hello": ["", "", "Next: "], "tail": ["", ""]},
    "lucia": {"lower": False, "detail": 0.5, "thanks": 0.3, "hello": ["Hola, ", "", ""], "tail": ["", " Gracias.", ""]},
}

# --- what the agent says ----------------------------------------------------------------------------------------------
INTRO = [
    "I'll look at {f} first.", "Let me see how {o} is put together.", "Starting with the {o} code.", "On it: {f}, then {m}.", "I'll trace where {m} enters.", "Next, the place that calls {v}.", "Now the {m} side.",
    "That should be near the {v} step.", "One more look before I change it.", "The {o} rules come next.", "Checking what {m} expects.", "Going through {f} from the top.", "Small change here.", "Let me confirm that with the code.",
]
LONG = [
    " The {o} path and the {m} path meet in one place, so I want to know which of the two owns the state before I change anything.", " My plan is to keep the outer interface, move the {m} handling down one level, and leave everything that only concerns {o} alone.",
    " There are two callers that I have to keep in mind, one in the {m} part and one that runs at night.", " If {v} is called before the {m} is there, the {o} keeps its default, and that is what people see.", " I could either pass the {m} through or read it where it is needed; the second touches fewer files.",
    " The names suggest that {o} owns this, though the {m} code writes to it as well.", " The tests cover the plain {o} only, so I will not lean on them here.", " What matters is the order: first {v}, then whatever {m} does with it.", " A flag would be the quick way, but {f} has too many of those.",
]
REPORT = [
    " The {m} callers did not have to change.", " I left a comment where the order matters.", " One thing you may want to look at: {m} has the same pattern in another place.", " The change is small, most of it sits in {f}.", " Nothing outside the {o} part was touched.",
    " I kept the old name as an alias, so the {m} code still compiles.", " If you want, I can do the same for {m}.", " The {v} step is now explicit.", " It behaves the same for an empty {m}.",
]
DONE = ["Done. {f} now handles the {m}.", "That is in; tests for {o} pass.", "Changed {f} and left the {m} code alone.", "Finished: {o} goes first, {m} after it.", "The {o} part is in place.", "Ready. {v} takes the {m} into account.", "{f} is updated.", "It's done the way you described."]
ANSWERED = ["It happens in {f}: the {o} is built there and handed to {m}.", "{f} decides that, by the {m} it gets.", "Nothing else calls it; only {f} does, through {m}.", "The {o} would still work, the {m} lookup would be slower."]
WRONG_FILE = ["That is {a}, not the one I want; {f} it is.", "Similar name, wrong file. Opening {f}.", "Not this one.", "", "", "Hm, {a} only looks like it.", ""]
WRONG_RECORD = ["That is {a}; I need {b}.", "Other number. Again with {b}.", "", "", "Not {a}."]
WRONG_TOOL = ["That call lists something else; the other one is what I need.", "", "", "Not that endpoint."]
SORRY = ["You're right, fixing that.", "I see. Going back over it.", "Understood, the other way round.", "Right, I misread it."]
FIND_AGAIN = ["Where was {f} again?", "", "Looking for {o} once more.", ""]
SLIP = {False: ["do it, misclicked", "go on without asking", "sorry, my hand slipped. carry on"], True: ["hazlo, me equivoqué de botón", "sigue sin preguntar"]}
