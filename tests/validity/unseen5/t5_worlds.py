"""Workplaces, people and texts of the fifth set. Data and small pure functions only."""

import random

# --------------------------------------------------------------------------- code

CODE = {
    "tidewatch": dict(
        lang="go", users=[("ida.kvist", "/Users/ida.kvist/src/tidewatch"), ("bram", "/home/bram/work/tidewatch")],
        path="internal/{area}/{noun}.go", alt="internal/{area}/{noun}_compat.go", memo="CLAUDE.md",
        areas=["gauge", "forecast", "station", "alert", "ingest", "render", "billing", "archive"],
        nouns=["cache", "router", "window", "series", "merge", "limits", "store", "clock", "parser", "notify", "grid", "lease"],
        test="go test ./internal/{area}/...", build="go build ./...", lint="golangci-lint run", cli="tidectl publish",
        red="--- FAIL: Test{Noun} (0.02s)\n    {noun}_test.go:{n}: got {a}, want {b}\nFAIL\tinternal/{area}\t0.31s",
        green="ok  \ttidewatch/internal/{area}\t0.{n}s",
        code=["func (s *{N}) {f}(ctx context.Context, {v} int) error {{", "\tif {v} > s.{f}Max {{", "\t\treturn fmt.Errorf(\"{f}: %w\", err)",
              "\t}}", "\t{v} := s.{f}.Load()", "\tfor _, {v} := range s.{f} {{", "\tdefer s.mu.Unlock()", "}}", "", "// {f} keeps the {v} in step with the {N}.",
              "\ts.log.Info(\"{f}\", \"{v}\", {k})", "type {N} struct {{", "\t{f} map[string]*{N}", "\tconst {v}Limit = {k}"]),
    "kioskfront": dict(
        lang="ts", users=[("selin", "/Users/selin/dev/kioskfront"), ("tobias", "/Users/tobias/code/kioskfront")],
        path="src/{area}/{Noun}.tsx", alt="src/{area}/{Noun}Legacy.tsx", memo="CLAUDE.md",
        areas=["basket", "catalog", "checkout", "staff", "receipts", "shell", "pairing", "stock"],
        nouns=["panel", "badge", "list", "drawer", "form", "banner", "picker", "summary", "toast", "keypad", "filter", "row"],
        test="pnpm vitest run src/{area}", build="pnpm build", lint="pnpm eslint src", cli="kioskctl rollout",
        red=" FAIL  src/{area}/{Noun}.test.tsx > {noun} > keeps order\nAssertionError: expected {a} to be {b}\n Test Files  1 failed | 3 passed",
        green=" Test Files  4 passed (4)\n      Tests  {n} passed ({n})",
        code=["export function {N}({{ {v}, {f} }}: {N}Props) {{", "  const [{v}, set{N}] = useState({k})", "  useEffect(() => {{ {f}({v}) }}, [{v}])", "  if (!{v}) return null",
              "  return <{N} {v}={{{f}}} />", "}}", "", "// {f} is called once per {v}", "const {f} = ({v}: number) => {v} * {k}", "type {N}Props = {{ {v}: number; {f}: () => void }}",
              "  const {v} = useMemo(() => {f}({k}), [{f}])", "export const {f}Key = '{v}'"]),
    "leafledger": dict(
        lang="cs", users=[("henrike", "/home/henrike/projekte/leafledger"), ("ole", "/home/ole/leafledger")],
        path="src/LeafLedger.{Area}/{Noun}.cs", alt="src/LeafLedger.{Area}/{Noun}Base.cs", memo="CLAUDE.md",
        areas=["nursery", "orders", "invoices", "watering", "stock", "labels", "returns", "season"],
        nouns=["mapper", "service", "rule", "reader", "writer", "quote", "planner", "ledger", "query", "journal", "policy", "batch"],
        test="dotnet test --filter LeafLedger.{Area}", build="dotnet build -c Release", lint="dotnet format --verify-no-changes", cli="leafctl run",
        red="  Failed {Noun}Tests.KeepsTotals [34 ms]\n  Expected: {b}\n  But was:  {a}\nFailed!  - Failed: 1, Passed: {n}",
        green="Passed!  - Failed: 0, Passed: {n}, Skipped: 0",
        code=["public sealed class {N} : I{N}", "{{", "    private readonly int _{v} = {k};", "    public decimal {N}Of(int {v}) => {v} * _{f};", "    if ({v} is null) throw new ArgumentNullException(nameof({v}));",
              "    foreach (var {v} in _{f})", "    {{", "    }}", "}}", "", "    /// <summary>{f} per {v}.</summary>", "    await _{f}.SaveAsync({v}, ct);", "    var {v} = _{f}.Single(x => x.Id == {k});"]),
    "assaypipe": dict(
        lang="py", users=[("nkechi", "/home/nkechi/assaypipe"), ("lorenz", "/data/home/lorenz/assaypipe")],
        path="assaypipe/{area}/{noun}.py", alt="assaypipe/{area}/{noun}_old.py", memo="CLAUDE.md",
        areas=["plates", "reads", "align", "curves", "reports", "limsio", "qc", "barcodes"],
        nouns=["loader", "fit", "table", "schema", "merge", "filters", "export", "scale", "index", "plot", "retry", "ranges"],
        test="pytest -q tests/{area}", build="python -m build", lint="ruff check .", cli="assay submit",
        red="FAILED tests/{area}/test_{noun}.py::test_{noun}_totals - assert {a} == {b}\n1 failed, {n} passed in 2.41s",
        green="{n} passed in 1.8{n}s",
        code=["def {f}({v}, scale={k}):", "    if {v} is None:", "        raise ValueError(\"{v} missing in {f}\")", "    return {v} * scale", "    {v} = [{f}(x) for x in {v}]", "", "class {N}:",
              "    \"\"\"{f} of one {v}.\"\"\"", "    self.{f} = {k}", "    with open({v}) as handle:", "    frame = frame.merge({v}, on=\"{f}\")", "    log.info(\"{f} %s\", {v})", "{f}_LIMIT = {k}"]),
}
IDENT = ["carry", "settle", "trim", "weigh", "resolve", "stitch", "bucket", "anchor", "replay", "drain", "probe", "fold", "rank", "seal", "shift", "expand"]
VARS = ["item", "level", "slot", "total", "offset", "row", "span", "token", "entry", "batch", "depth", "part"]
CLASS = ["Gauge", "Panel", "Quote", "Plate", "Window", "Ticket", "Bundle", "Outline", "Record", "Marker"]

# spoken name, shell option, key in a call (named differently), values
CODE_SETTINGS = [
    ("retention", "--keep", "ttl", ["14d", "21d", "35d", "60d", "90d"]),
    ("region", "--region", "zone", ["eu-north-3", "eu-west-7", "ap-south-4", "us-mid-2", "sa-east-5"]),
    ("worker pool", "--pool", "runner_group", ["cobalt", "amber", "walnut", "juniper", "granite"]),
    ("quiet window", "--window", "maintenance_slot", ["01:15-02:00", "02:30-03:15", "04:00-04:45", "22:40-23:20", "03:10-03:50"]),
    ("release channel", "--channel", "track", ["heron", "plover", "curlew", "sandpiper", "dunlin"]),
    ("chunk size", "--chunk", "slice", ["480", "640", "960", "1280", "1920"]),
    ("signing profile", "--sign", "cert_alias", ["kestrel-b", "kestrel-c", "osprey-a", "merlin-d", "osprey-f"]),
    ("mail list", "--notify", "recipients", ["tide-duty", "release-eyes", "night-crew", "core-watch", "harbour-ops"]),
]


def code_files(key, rng, n):
    """n files, most with a look-alike: the same name in another part, or a variant beside it."""
    w = CODE[key]
    nouns = list(w["nouns"])
    if n > 90:
        nouns += [a + b for a in w["nouns"] for b in ("_set", "_view", "_job")]
    every = [(a, b) for a in w["areas"] for b in nouns]
    rng.shuffle(every)
    files, by_noun = [], {}
    for area, noun in every[: int(n * 0.8)]:
        f = dict(path=fill(w["path"], area, noun), area=area, noun=noun, n=rng.randint(35, 140), twin=None)
        if rng.random() < 0.22:
            f["n"] = rng.randint(420, 900)
        files.append(f)
        by_noun.setdefault(noun, []).append(f)
    for f in list(files):
        if f["twin"] is None:
            mates = [g for g in by_noun[f["noun"]] if g is not f and g["twin"] is None]
            if mates and rng.random() < 0.7:
                g = rng.choice(mates)
                f["twin"], g["twin"] = g["path"], f["path"]
            elif len(files) < n:
                g = dict(f, path=fill(w["alt"], f["area"], f["noun"]), twin=f["path"], n=rng.randint(35, 140))
                f["twin"] = g["path"]
                files.append(g)
    return files


def fill(text, area, noun, **more):
    big = lambda s: "".join(p.capitalize() for p in s.split("_"))
    return text.format(area=area, noun=noun, Area=big(area), Noun=big(noun), **more)


class Sources:
    """Text of the files, made on demand; an edit changes one line and sometimes adds some."""

    def __init__(self, key, seed):
        self.w, self.seed, self.lines, self.version = CODE[key], f"{key}/{seed}", {}, {}

    def line(self, rng):
        return rng.choice(self.w["code"]).format(f=rng.choice(IDENT), v=rng.choice(VARS), N=rng.choice(CLASS), k=rng.randint(2, 990))

    def get(self, path, n=80):
        have = self.lines.get(path)
        if have is None:
            rng = random.Random(f"{self.seed}/{path}")
            have = self.lines[path] = [self.line(rng) for _ in range(n)]
        elif len(have) < n:
            rng = random.Random(f"{self.seed}/{path}/{n}")
            have.extend(self.line(rng) for _ in range(n - len(have)))
        return have

    def edit(self, path, n=80):
        have = self.get(path, n)
        v = self.version[path] = self.version.get(path, 0) + 1
        rng = random.Random(f"{self.seed}/{path}/e{v}")
        i = rng.randrange(len(have) - 1)
        old, new = have[i: i + 2], [self.line(rng) for _ in range(rng.choice((2, 2, 3, 4)))]
        have[i: i + 2] = new
        return "\n".join(old), "\n".join(new)


CODE_PROMPTS = {
    "en": {
        "fix": ["{file}: the {thing} comes out one too high after midnight. Can you fix it?", "Customers see the wrong-currency notice although the {thing} is fine, look into {file}.", "There's a flaky {thing} in {file}, please sort it out. No rush.",
                "the {thing} breaks when the list is empty ({file})", "Bug from support: {thing} vanishes after a reload. Start in {file}.", "Please repair the {thing} handling in {file}; it never worked for long names."],
        "feature": ["Add a {thing} to {file}, same style as the neighbours.", "I'd like the {thing} to be optional. {file} and whatever calls it.", "we need an undo for the {thing}, put it in {file}", "Support two {thing}s at a time in {file}; don't touch the public names.",
                    "Let {file} take the {thing} from the caller instead of the global.", "please make the {thing} sortable, {file} is the place"],
        "tidy": ["{file} has grown a second {thing}, fold them into one.", "Rename the {thing} in {file} so that people stop mixing it up.", "take the dead {thing} code out of {file}", "Split the {thing} part of {file} off, no change in behaviour."],
        "question": ["How does the {thing} get from {file} to the outside?", "Who calls the {thing} in {file}, and why twice?", "where do we decide about the {thing}? I keep forgetting, {file} maybe", "Is the {thing} in {file} safe with two writers?"],
        "review": ["Have a look at my branch, mostly {file} and the {thing}.", "Review the last commit please, {thing} and {file}.", "is {file} ready? the {thing} worries me a little"],
        "ops": ["What does the build say? {thing} was red on main yesterday.", "Please check the logs for the {thing} since this morning.", "bump the lock file and see whether {thing} still passes", "Clean up the old branches around the {thing}."],
        "use": ["Publish the {thing} with our usual settings.", "Run the {thing} job, settings as always.", "ship the {thing}, the usual way", "Start the {thing} run again, standard options."],
        "tell": ["For the notes: what is our {spoken} at the moment?", "Write one line for the {thing} page about the {spoken} we use."],
    },
    "de": {
        "fix": ["{file}: {thing} nach Mitternacht um eins zu hoch, bitte beheben.", "Der Support meldet, dass {thing} nach dem Neuladen verschwindet. Fang bei {file} an.", "In {file} wackelt {thing}, schau mal rein. Eilt nicht.", "{thing} stürzt bei leerer Liste ab ({file})",
                "Kunden bekommen den Falschgeld-Hinweis, obwohl {thing} stimmt, siehe {file}."],
        "feature": ["Bau in {file} bitte {thing} ein, im Stil der Nachbarn.", "Ich hätte {thing} gern wahlweise. {file} und alles, was es aufruft.", "wir brauchen ein Rückgängig für {thing}, am besten in {file}", "{file} soll {thing} vom Aufrufer bekommen und nicht mehr global lesen."],
        "tidy": ["In {file} gibt es {thing} inzwischen doppelt, mach eins daraus.", "Benenne {thing} in {file} um, man verwechselt es ständig.", "wirf den toten Code um {thing} aus {file}"],
        "question": ["Wie kommt {thing} von {file} nach draußen?", "Wer ruft {thing} in {file} auf, und warum zweimal?", "wo entscheiden wir über {thing}? vermutlich {file}"],
        "review": ["Schau dir bitte meinen Zweig an, vor allem {file} und {thing}.", "Bitte den letzten Commit durchsehen, {thing} und {file}."],
        "ops": ["Was sagt der Build? {thing} war gestern rot.", "Sieh bitte in den Logs seit heute früh nach {thing}.", "räum die alten Zweige um {thing} auf"],
        "use": ["Veröffentliche {thing} mit den üblichen Einstellungen.", "Starte den Lauf für {thing}, alles wie immer.", "{thing} bitte ausliefern, wie gehabt"],
        "tell": ["Für die Notizen: was gilt bei uns gerade als {spoken}?"],
    },
}
THINGS = {
    ("code", "en"): ["rounding", "retry", "header", "date filter", "empty state", "sort order", "counter", "lock", "undo stack", "page break", "timeout", "import", "total", "label", "shortcut", "error banner", "fallback", "id mapping", "rejected-rows report", "wrong-postcode list"],
    ("code", "de"): ["Rundung", "Kopfzeile", "Datumsfilter", "Sortierung", "Zähler", "Sperre", "Summe", "Import", "Beschriftung", "Seitenumbruch", "Fehlerliste", "Kürzel"],
    ("desk", "en"): ["date", "amount", "contact", "note", "second page", "address", "attachment", "surcharge", "time", "phone number", "cover letter", "wrong-address list", "cancellation part", "signature"],
    ("desk", "es"): ["el total", "la fecha", "el recibo", "la lista", "el recargo", "la nota", "el horario", "el contacto", "la lista de rechazados", "el plazo"],
}
NOTED = {"en": ["Noted.", "Understood.", "Thanks, noted."], "de": ["Notiert.", "Verstanden."], "es": ["Anotado.", "Entendido."]}
# decisions that only the user can take: topic, ways to ask, answer
TOPICS = [
    ("rounding", ["Should amounts be rounded half up or half even?", "How do you want halves treated when rounding?"], "half even"),
    ("flag", ["Do you want this behind a feature flag?", "Shall it go live directly or sit behind a flag first?"], "behind a flag"),
    ("names", ["Which naming do you prefer for the new functions, verbs or nouns?", "Noun-style or verb-style names?"], "verbs"),
    ("target", ["Which branch should this go to?", "Where shall I base the change, main or the release branch?"], "the release branch"),
    ("old clients", ["Do old clients still have to work with this?", "Is it fine to drop support for the previous clients?"], "keep them working for one more release"),
    ("log level", ["At which level should I log this?", "Log that as debug or as info?"], "debug"),
    ("locale", ["Which locale is the reference for the texts?", "Should I treat British or American English as the source?"], "British"),
    ("tests", ["Do you want table tests or one test per case?", "One big table test, or single tests?"], "table tests"),
    ("dates", ["Should dates stay local or be stored in UTC?", "Store the dates in UTC or as local time?"], "UTC"),
]

CORRECT = {
    "en": ["I meant {file}, you went for its neighbour.", "Hm, the {thing} was supposed to stay as it is.", "please put {file} back the way it was, I only wanted the {thing}", "I asked for the {thing} and got something about the {thing2}.",
           "this does exactly the same as before, have another look", "nope. {thing}, as written above", "You skipped the second half of my message.", "The {thing} is missing entirely.", "wait, why did {file} change? Roll that one back.", "Looks off: the {thing} shows up twice now.",
           "that isn't it. The {thing} should come first", "Once more please, and leave the {thing2} alone this time.", "Sorry, but that broke the {thing} for me.", "It's the {thing} that has to change, not the {thing2}.", "Read my message again please: only {file}.", "ugh, now the {thing} is gone",
           "Almost – the {thing} has to be the other way round.", "We agreed on the small version. This is the big one.", "Who asked for a new {thing}? Take it out.", "Same slip as yesterday, the {thing} is off by one.", "You did half of it; the {thing} half is still open.",
           "My question was about the {thing}, the answer is about the {thing2}.", "Doesn't match what I see here, the {thing} is unchanged.", "Revert please, I'd rather have this in {file}.", "incorrect, the {thing} comes from the settings", "hmm no, the other direction",
           "It says done, yet the {thing} fails here just like this morning.", "That was meant for {file}."],
    "de": ["Gemeint war {file}, du hast das daneben genommen.", "Moment, {thing} sollte so bleiben.", "bitte {file} wieder zurück auf den alten Stand, es ging nur um {thing}", "Ich wollte {thing} und bekomme etwas über {thing2}.", "das verhält sich genau wie vorher, schau nochmal hin",
           "nee, {thing}, steht doch oben", "Die zweite Hälfte meiner Nachricht fehlt.", "{thing} fehlt komplett.", "Warum hat sich {file} geändert? Bitte rückgängig machen.", "Sieht schief aus: {thing} taucht jetzt doppelt auf.", "So war das nicht gedacht, zuerst kommt {thing}.",
           "Bitte nochmal, und {thing2} diesmal in Ruhe lassen.", "Damit ist bei mir {thing} kaputt.", "Es geht um {thing} und nicht um {thing2}.", "Lies bitte genauer: nur {file}.", "hä, jetzt ist {thing} weg", "Fast, aber {thing} gehört andersherum.",
           "Ausgemacht war die kleine Lösung, das hier ist die große.", "Wer hat denn nach etwas Neuem gefragt? Nimm {thing} wieder raus.", "Gleicher Patzer wie gestern, {thing} liegt um eins daneben.", "Halb fertig, {thing} steht noch aus.", "stimmt so leider nicht, {thing} kommt aus den Einstellungen",
           "Du meldest fertig, aber {thing} scheitert hier wie heute früh.", "falsche Richtung, bitte umdrehen"],
    "es": ["Me refería a {file}, has tomado el de al lado.", "Espera, eso tenía que quedarse como estaba.", "por favor, deja {file} como antes", "Te pedí {thing} y me hablas de {thing2}.", "sigue igual que antes, míralo otra vez", "así no; primero {thing}", "Falta la segunda parte de mi mensaje.",
           "Ahora {thing} sale dos veces.", "Casi, pero {thing} va al revés.", "Eso es del otro expediente.", "Nadie pidió cambiar {thing}, quítalo.", "dices que está hecho, pero {thing} no aparece"],
}
REDIRECT = {
    "en": ["Hold on, do the {thing} first.", "stop there, I found it myself; carry on with {file}", "Let me take this one over. Next: the {thing} in {file}.", "that takes too long, just tell me where the {thing} is", "one moment – smaller steps, begin with {file}", "leave it, the {thing} matters more right now", "Pause. What are you up to? Only {file} please."],
    "de": ["Moment, zuerst {thing}.", "halt, das habe ich selbst gefunden; weiter mit {file}", "Das dauert zu lange, sag mir nur, wo {thing} steckt.", "Pause. Bitte nur {file}."],
    "es": ["Para un momento, primero {thing}.", "déjalo, ya lo tengo; sigue con {file}", "Tarda demasiado, dime solo dónde está {thing}."],
}
REPLY = {"en": (["{a}", "{a} please", "{a} I think"], ["{a}", "{a}, as I said", "{a} please", "Still {a}."]), "de": (["{a}", "{a} bitte"], ["{a}", "{a}, wie gesagt"]), "es": (["{a}", "{a}, por favor"], ["{a}", "{a}, como te dije"])}
OLD_WANTED = {"en": " But this once with the old {spoken}, {old}.", "de": " Dieses eine Mal aber noch mit {old} ({spoken}).", "es": " Pero esta vez con {old} ({spoken})."}
OTHER_TOPICS = {
    "de": [("Rundung", ["Soll kaufmännisch gerundet werden?", "Wie sollen Hälften gerundet werden?"], "kaufmännisch"), ("Zweig", ["Auf welchen Zweig soll das?", "Wohin soll die Änderung, main oder Release?"], "Release"),
           ("Schalter", ["Soll das hinter einen Schalter?", "Gleich scharf schalten oder erst hinter einem Schalter?"], "hinter einen Schalter"), ("Protokoll", ["Auf welcher Stufe protokollieren?", "Soll das als Debug ins Protokoll?"], "Debug")],
    "es": [("copia", ["¿Pongo a alguien en copia?", "¿Quién más debe recibirlo?"], "a la oficina"), ("tono", ["¿Formal o informal?", "¿Trato de usted?"], "formal"), ("moneda", ["¿En qué moneda van las cifras?", "¿Euros o moneda local?"], "euros"),
           ("borrador", ["¿Lo envío o lo dejo en borrador?", "¿Borrador o envío?"], "borrador")],
}
ANSWER = {
    ("code", "en"): dict(did=["Done. {file} now handles the {thing}; the checks pass.", "I changed the {thing} in {file} and left the rest as it was.", "That's in. I also looked at the callers; nothing else depends on it.", "Finished: {file} and its test."],
                         looked=["It is decided in {file}, and passed on from there unchanged.", "Here is what I found: it is read once in {file} and kept.", "Looks fine to me. One remark on {file}: the {thing} could be simpler.", "All as expected."]),
    ("code", "de"): dict(did=["Erledigt. {file} ist angepasst, die Prüfungen laufen durch.", "In {file} geändert, der Rest ist wie vorher.", "Fertig, {file} samt Test."], looked=["Das wird in {file} entschieden und von dort weitergereicht.", "Sieht gut aus, alles wie erwartet.", "Gelesen wird das einmal in {file}."]),
    ("desk", "en"): dict(did=["Done, {name} now has {field} {value}.", "I have updated {name} ({rid}).", "Changed and noted for {name}."], looked=["For {name} the {field} is on file; nothing else is open.", "Here is the overview. {name} stands out because of the {field}.", "All prepared for {name}.", "That is settled for {name}."]),
    ("desk", "es"): dict(did=["Hecho, {name} está al día.", "He cambiado {field} de {name}."], looked=["He revisado {name}; todo en orden.", "Listo, {name} queda preparado.", "Aquí tienes el resumen."]),
}
LONG = [" I kept the change small on purpose: the surrounding code has its own conventions and I did not want to mix two things in one step.", " If you want, I can follow up with a short note for the team that explains what moved and why.", " One thing to keep in mind is that the order of the calls matters here, so the next change should go through the same place.", " I went through the related spots one by one and compared them with what you described before I decided."]
SAY = {
    "en": ["Let me look at that.", "Next, the other side of it.", "I'll check this first.", "Now the change itself.", "Good, on to the next part.", "Let me see who uses it."],
    "de": ["Ich sehe mir das an.", "Jetzt die andere Seite.", "Das prüfe ich zuerst.", "Nun die Änderung selbst."],
    "es": ["Lo miro.", "Ahora la otra parte.", "Primero compruebo esto."],
}
OOPS = ["That is the other one, I need {file}.", "Not this one; {file} is what was asked for.", "Similar name. The right one is {file}."]

# settings: how people say that something changed
CHANGED = {
    "en": ["From today the {spoken} is {new} (was {old}).", "{spoken}: {new} instead of {old} from now on.", "By the way, they moved the {spoken} to {new}.", "Please note the {spoken} is {new} now.", "we dropped {old}, the {spoken} is {new} as of this week", "New {spoken}: {new}."],
    "de": ["Ab heute gilt als {spoken} {new} (bisher {old}).", "{spoken}: künftig {new} statt {old}.", "Übrigens, {spoken} ist jetzt {new}.", "neu bei {spoken}: {new}"],
    "es": ["Desde hoy {spoken} es {new} (antes {old}).", "{spoken}: {new} en lugar de {old}.", "Ojo, {spoken} pasa a {new}."],
}
BACK = ["We're going back to {new} for the {spoken}.", "{spoken} returns to {new}, {old} was a bad idea.", "the {spoken} is {new} once more, forget {old}"]
HANDOVER = {"en": ("Before we start, what applies from now on: ", "And the rest of the list: "), "de": ("Vorweg, was ab jetzt gilt: ", "Und der Rest der Liste: "), "es": ("Antes de empezar, lo que vale ahora: ", "Y el resto: ")}
UNTIL = {"en": "until last month", "de": "bis letzten Monat", "es": "hasta el mes pasado"}
TELL = {
    "en": ["Our {spoken} is {v}.", "You can say: the {spoken} is currently {v}.", "Draft: \"Thank you for asking. We work with {v} ({spoken}).\"", "The {spoken}? {v}, for everything booked now."],
    "de": ["Als {spoken} gilt {v}.", "{spoken}: derzeit {v}."],
    "es": ["{spoken}: ahora {v}.", "Puedes decir que {spoken} es {v}."],
}
STALE_FIX = {
    "en": ["The {spoken} is {new} these days.", "you used {old}; it's {new} since we changed it", "{new} please, as I told you", "that went out with {old}, do it over with {new}"],
    "de": ["{spoken} ist inzwischen {new}.", "da steht noch {old}, bitte mit {new} wiederholen"],
    "es": ["{spoken} ya es {new}.", "pusiste {old}, tiene que ser {new}"],
}

# --------------------------------------------------------------------------- desk

# settings: spoken, key, key named differently, nested place, values, composite (None = not part of an id)
DESK = {
    "marlow": dict(
        server="eventdesk", noun="event", users=[("june", "/Users/june/marlow"), ("pascal", "/Users/pascal/marlow-desk")], prefix="EV",
        heads=["Alder", "Harrow", "Brook", "Penn", "Castell", "Dray", "Fenn", "Gorse", "Hollin", "Kerr"], tails=["Wedding", "Jubilee", "Summer Lunch", "Trade Evening", "Rehearsal Dinner", "Board Supper", "Garden Party"],
        fields=["guests", "menu", "hall", "waiters", "deposit", "wine", "cake", "access"],
        settings=[
            ("final headcount deadline", "headcount_deadline", "lock_days_before", "terms.guests.lock", ["6 days", "9 days", "11 days", "13 days"], None),
            ("corkage", "corkage", "bottle_fee", "pricing.extras.bottle", ["7.40", "8.20", "9.60", "11.30"], None),
            ("delivery slot", "delivery_slot", "arrives_between", "logistics.van.slot", ["07:10-07:50", "08:20-09:00", "09:40-10:20", "06:30-07:10"], None),
            ("linen supplier", "linen_supplier", "textiles_from", "logistics.linen.vendor", ["Weir & Loft", "Sallow Linen", "Quayside Textiles", "Tern Hire"], None),
            ("quote series", "quote_no", "reference", "header.doc.number", ["26C", "26D", "26F", "26H"], "Q-{v}-{n:04d}"),
            ("menu edition", "menu_code", "card", "header.menu.code", ["M31", "M32", "M34", "M37"], "{v}/{n:03d}"),
            ("kitchen lot", "lot", "prep_ref", "kitchen.prep.lot", ["KL5", "KL6", "KL8", "KL9"], "{v}.{n:03d}-A"),
            ("deposit voucher range", "voucher", "receipt_ref", "billing.deposit.voucher", ["DV70", "DV72", "DV75", "DV78"], "{v}{n:04d}")]),
    "brightwell": dict(
        server="claimsuite", noun="claim", users=[("adaeze", "/home/adaeze/brightwell"), ("rowan", "/home/rowan/bw")], prefix="CL",
        heads=["Okafor", "Merrin", "Tansley", "Whitcombe", "Ashdown", "Pereira", "Lindqvist", "Barrow", "Dunmore", "Vance"], tails=["water damage", "hail", "rear collision", "burglary", "boiler", "glass breakage", "storm roof"],
        fields=["reserve", "adjuster", "phase", "excess", "contractor", "photos", "police_ref", "invoice"],
        settings=[
            ("small-claims limit", "small_limit", "fast_track_up_to", "rules.fast.limit", ["1,150", "1,400", "1,750", "2,050"], None),
            ("call-back time", "callback", "respond_within", "service.sla.callback", ["5 h", "9 h", "26 h", "30 h"], None),
            ("glass partner", "glass_partner", "assigned_workshop", "vendors.glass.name", ["Clearpane", "Vitrum Nord", "Halo Screens", "Panefix"], None),
            ("reserve rate", "reserve_rate", "provision_pct", "finance.reserve.rate", ["12.5", "14.5", "16.5", "18.5"], None),
            ("letter series", "letter_no", "outgoing_ref", "letters.header.no", ["L4K", "L4M", "L4P", "L4R"], "{v}-{n:05d}"),
            ("payment batch", "batch_id", "run_ref", "payment.run.id", ["PB61", "PB63", "PB66", "PB67"], "BW/{v}/{n:04d}"),
            ("survey form", "form_id", "questionnaire", "survey.form.id", ["S12e", "S13a", "S13c", "S14b"], "{v}#{n:03d}"),
            ("recovery file range", "recovery_file", "subrogation_ref", "legal.recovery.file", ["RX2", "RX3", "RX5", "RX7"], "{v}_{n:04d}")]),
    "ostervik": dict(
        server="berthbook", noun="call", users=[("sindre", "/home/sindre/havn"), ("maja", "/home/maja/ostervik")], prefix="PC",
        heads=["Nordlys", "Havørn", "Solvind", "Brattholm", "Tindra", "Vestfjord", "Kvitøy", "Skarven", "Marstein", "Utsira"], tails=["I", "II", "III", "Star", "Spirit", "Trader", "Express"],
        fields=["berth", "draught", "pilot", "water", "waste", "agent", "eta", "cargo"],
        settings=[
            ("tug company", "tug_company", "towage_by", "services.tug.company", ["Ytre Slep", "Bergebas", "Fjordtau", "Kaislep"], None),
            ("quay fee", "quay_fee", "berth_tariff", "tariff.quay.rate", ["3.85", "4.15", "4.65", "5.05"], None),
            ("pilot notice", "pilot_notice", "advance_notice", "services.pilot.notice", ["7 h", "11 h", "17 h", "20 h"], None),
            ("silent hours", "silent_hours", "noise_ban", "rules.noise.hours", ["21:40-06:10", "22:20-05:50", "23:10-06:40", "20:50-05:20"], None),
            ("declaration series", "declaration", "customs_ref", "customs.doc.no", ["D8A", "D8C", "D8E", "D9B"], "{v}-{n:05d}"),
            ("waste ticket range", "waste_ticket", "disposal_ref", "services.waste.ticket", ["WT31", "WT33", "WT36", "WT38"], "{v}/{n:04d}"),
            ("crane roster", "roster_slot", "crane_ref", "cranes.plan.slot", ["CR5", "CR6", "CR8", "CR9"], "{v}:{n:03d}"),
            ("gate list", "gate_pass", "access_ref", "gate.pass.id", ["G26x", "G26z", "G27b", "G27d"], "{v}.{n:04d}")]),
    "papyr": dict(
        server="loanroom", noun="loan", users=[("mireille", "/Users/mireille/papyr"), ("anselm", "/Users/anselm/papyr")], prefix="LN",
        heads=["Study of Hands", "Winter Harbour", "Seated Scribe", "Blue Ewer", "Map of the Delta", "Orchard Door", "Three Reeds", "Salt Road", "Night Ferry", "Copper Mask"], tails=["(sketch)", "(copy)", "no. 2", "no. 3", "(fragment)", "(print)", "(cast)"],
        fields=["courier", "crate", "humidity", "lux", "insurance", "venue", "return", "condition"],
        settings=[
            ("light limit", "lux_limit", "max_illuminance", "care.light.lux", ["45", "55", "65", "85"], None),
            ("courier firm", "courier_firm", "carried_by", "transport.courier.firm", ["Artex Rhône", "Muse Cargo", "Halden Fine Art", "Sable & Fils"], None),
            ("rest period", "rest_period", "cooldown", "care.rest.period", ["16 weeks", "22 weeks", "28 weeks", "34 weeks"], None),
            ("opening hour for crates", "crate_hour", "unpack_from", "transport.crate.hour", ["08:40", "10:20", "13:10", "14:50"], None),
            ("contract series", "contract_no", "agreement_ref", "contract.head.no", ["V18", "V19", "V21", "V23"], "{v}-{n:04d}"),
            ("crate register", "crate_id", "box_ref", "transport.crate.id", ["KB2", "KB3", "KB5", "KB8"], "{v}.{n:03d}"),
            ("seal range", "seal", "closure_ref", "transport.seal.no", ["SG40", "SG43", "SG45", "SG49"], "{v}{n:03d}"),
            ("insurance schedule", "policy_ref", "cover_ref", "insurance.policy.ref", ["IS7", "IS8", "IS9", "IS11"], "{v}/{n:04d}")]),
}
DESK_PROMPTS = {
    "en": {
        "enquiry": ["Somebody called about {name}: what is the {field} there?", "What do we have on {name} ({rid})? The {field} mostly.", "{name} wants to know about the {field}, no hurry", "Is the {field} settled for {name}?"],
        "change": ["Please set the {field} of {name} ({rid}) to {value}.", "{name}: {field} changes to {value}, and leave a note.", "the {field} for {name} is {value} now, don't touch the rest", "Update {name}, {field} {value}; I never liked the first figure anyway."],
        "report": ["Give me an overview of the open ones with their {field}.", "Which ones still lack a {field} this week?", "List everything rejected or late, by {field}.", "how many are waiting because of the {field}?"],
        "message": ["Write to {name} that the {field} is confirmed.", "Remind {name} ({rid}) of the {field}, friendly please.", "send {name} the summary with the {field}"],
        "check": ["Compare {name} with the papers, I think the {field} is off.", "Could you double-check the {field} of {name}?", "Please go through {name} before it is closed, above all the {field}."],
        "use": ["Prepare the papers for {name} with our usual terms.", "{name} ({rid}) can go out, standard terms.", "Book {name} the usual way.", "Issue the documents for {name}, everything as always."],
        "tell": ["What do I tell {name} about the {spoken}?", "{name} asks for our {spoken}, draft two lines.", "quick one: our {spoken}? {name} is on the phone"],
    },
    "es": {
        "enquiry": ["Han llamado por {name}: ¿qué consta en {field}?", "¿Qué tenemos de {name} ({rid})? Sobre todo {field}."],
        "change": ["Pon {field} de {name} ({rid}) en {value}, por favor.", "{name}: {field} pasa a {value}, y deja una nota."],
        "report": ["Dame un resumen de los abiertos con su {field}.", "¿Cuáles siguen sin {field} esta semana?"],
        "message": ["Escribe a {name} que {field} está confirmado.", "Recuérdale a {name} lo de {field}."],
        "check": ["Compara {name} con los papeles, creo que {field} no cuadra.", "¿Puedes repasar {field} de {name}?"],
        "use": ["Prepara los papeles de {name} con las condiciones de siempre.", "{name} ({rid}) puede salir, condiciones habituales."],
        "tell": ["¿Qué le digo a {name} sobre {spoken}?"],
    },
}
DESK_TOPICS = [
    ("cc", ["Should I copy anyone on this?", "Who else should get the message?"], "copy the office"),
    ("tone", ["Formal or informal wording?", "Do you want first names in the letter?"], "formal"),
    ("partial", ["May I book it in parts?", "Is a partial booking all right?"], "only in one piece"),
    ("currency", ["Which currency should the figures be in?", "Shall I quote in euro or in the local currency?"], "euro"),
    ("draft", ["Send at once, or leave it as a draft?", "Draft or send?"], "leave a draft"),
    ("history", ["Shall I keep the earlier entries visible?", "Should the old entries be hidden?"], "keep them visible"),
    ("print", ["Do you need a printed copy?", "PDF only, or on paper too?"], "PDF only"),
    ("priority", ["Which ones go first, the oldest or the largest?", "Order by age or by size?"], "the oldest"),
    ("weekend", ["Does Saturday count as a working day?", "Should I count Saturdays?"], "no, weekdays only"),
]
MORE_TOOLS = ["get_weather", "convert_units", "list_holidays", "get_route", "scan_inbox", "read_attachment", "post_to_board", "get_stock", "check_vat", "list_rooms", "get_contact", "list_contacts", "get_rates", "count_open", "sum_amounts", "get_calendar", "list_calendar", "translate_text", "make_pdf", "get_pdf_text",
              "list_tasks", "get_task", "get_template", "list_templates", "get_user", "list_users", "get_invoice", "list_invoices", "get_payment", "list_payments", "get_letter", "list_letters", "get_photo", "list_photos"]


def desk_records(key, rng, n):
    """n records, most with one of similar name and number."""
    w, out = DESK[key], []
    every = [(a, b) for a in w["heads"] for b in w["tails"]]
    rng.shuffle(every)
    for i in range(0, n - 1, 2):
        head, tail = every[(i // 2) % len(every)]
        number = rng.randint(20, 98) * 100 + rng.choice((12, 13, 23, 34, 45, 56, 67, 78))
        mate = number // 100 * 100 + number % 10 * 10 + number // 10 % 10
        other = rng.choice([t for t in w["tails"] if t != tail])
        a = dict(id=f"{w['prefix']}-{number}", name=f"{head} {tail}", v=0)
        b = dict(id=f"{w['prefix']}-{mate}", name=f"{head} {other}" if rng.random() < 0.6 else f"{head}{rng.choice('se')} {tail}", v=0)
        a["twin"], b["twin"] = b["id"], a["id"]
        out += [a, b]
    seen, unique = set(), []
    for r in out:
        if r["id"] not in seen:
            seen.add(r["id"])
            unique.append(r)
    for r in unique:
        if r["twin"] not in seen or r["twin"] == r["id"]:
            r["twin"] = None
    return unique
