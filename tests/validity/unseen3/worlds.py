"""The workplaces and all texts: repositories, service desks, people, prompts, corrections."""

# A setting: spoken English, spoken German, announced key, key used in calls of `renamed`, nested path, shell option, form of values.
CODING = [
    dict(
        name="berthplan", ext=".go", home="/home/ines/src/berthplan", lang="go",
        dirs=["internal/berth", "internal/tide", "internal/pilot", "internal/dues", "cmd/planner", "pkg/vessel", "pkg/quay", "internal/alerts"],
        stems=[("assign", "assign_tide"), ("window", "windows"), ("queue", "queue_pilot"), ("rate", "rates"), ("merge", "merger")],
        nouns=["tide window", "pilot queue", "berth assignment", "harbour dues", "quay length check", "arrival board", "draught limit", "tug order"],
        test="go test ./{dir}/...", build="go build ./...", lint="golangci-lint run ./{dir}/...", script="./bin/plan", sub=["simulate", "publish", "dryrun"],
        code=["func (p *Planner) {v}{n}(ctx context.Context, in {n}Input) error {{", "\tif in.{n} < p.limit.{n} {{", "\t\treturn fmt.Errorf(\"{v} {n}: %w\", err)", "\t}}", "\tp.log.Debug(\"{v}\", \"{n}\", in.{n})", "\tout = append(out, {n}{{Id: {k}, Slot: {k}}})", "}}", "// {v} keeps the {n} of the last call."],
        settings=[
            ("arrival cut-off", "Anmeldeschluss", "cutoff", "latest_eta", ["intake", "arrivals"], "--cutoff", "time"),
            ("under-keel clearance", "Mindesttiefgang", "clearance_cm", "ukc", ["limits", "keel"], "--clearance-cm", "int"),
            ("dues tariff", "Gebührentabelle", "tariff", "rate_sheet", ["billing", "dues"], "--tariff", "code"),
            ("standby tug", "Bereitschaftsschlepper", "tug", "assist_vessel", ["harbour", "assist"], "--tug", "name"),
            ("noise limit at quay 3", "Lärmgrenze an Kai 3", "noise_db", "max_level", ["quay3", "noise"], "--noise-db", "int"),
            ("publication channel", "Meldekanal", "channel", "feed", ["publish", "to"], "--channel", "code"),
        ],
        queries=[("mcp__portdata__vessel_position", "mcp__portdata__vessel_positions", "imo"), ("mcp__portdata__tide_level", "mcp__portdata__tide_levels", "gauge"), ("mcp__portdata__berth_state", "mcp__portdata__berth_status", "berth"), ("mcp__portdata__notice_get", "mcp__portdata__notice_list", "notice")],
    ),
    dict(
        name="hivescale", ext=".py", home="/Users/okan/work/hivescale", lang="py",
        dirs=["hivescale/ingest", "hivescale/weights", "hivescale/swarm", "hivescale/export", "hivescale/radio", "tools", "hivescale/weather", "hivescale/alarm"],
        stems=[("calibrate", "calibration"), ("series", "series_daily"), ("detector", "detectors"), ("frame", "frames"), ("packet", "packet_v2")],
        nouns=["hive weight", "swarm alarm", "load cell drift", "radio packet", "brood temperature", "apiary list", "honey flow chart", "night baseline"],
        test="pytest -q tests/{dir}", build="python -m build", lint="ruff check {dir}", script="python -m hivescale.cli", sub=["replay", "recompute", "ship"],
        code=["def {v}_{n}(rows, *, limit={k}):", "    kept = [r for r in rows if r.{n} > limit]", "    if not kept:", "        raise ValueError('{v}: no {n}')", "    log.debug('{v} %s', kept[-1].{n})", "    return {{'{n}': kept, 'step': {k}}}", "", "class {v}{n}:", "    \"\"\"Holds the {n} between two calls.\"\"\""],
        settings=[
            ("night baseline hour", "Stunde für die Nachtmessung", "baseline_hour", "ref_at", ["night", "baseline"], "--baseline-hour", "time"),
            ("drift threshold", "Driftschwelle", "drift_g", "max_creep", ["cells", "drift"], "--drift-g", "int"),
            ("gateway", "Gateway", "gateway", "uplink", ["radio", "via"], "--gateway", "code"),
            ("calibration sheet", "Kalibrierblatt", "sheet", "cal_doc", ["cells", "calibration"], "--sheet", "code"),
            ("alarm contact", "Alarmkontakt", "contact", "notify", ["alarm", "who"], "--contact", "name"),
            ("smoothing span", "Glättungsfenster", "span_min", "window_len", ["series", "smooth"], "--span-min", "int"),
        ],
        queries=[("mcp__apiary__hive_card", "mcp__apiary__hive_cards", "hive"), ("mcp__apiary__cell_log", "mcp__apiary__cell_logs", "cell"), ("mcp__apiary__weather_at", "mcp__apiary__weather_on", "site"), ("mcp__apiary__visit_note", "mcp__apiary__visit_notes", "visit")],
    ),
    dict(
        name="choirdesk", ext=".ts", home="/home/teodora/choirdesk", lang="ts",
        dirs=["src/loans", "src/scores", "src/members", "src/rehearsal", "src/print", "src/api", "src/voices", "src/mail"],
        stems=[("loanCard", "loanCards"), ("scoreIndex", "scoreIndexer"), ("seating", "seatings"), ("invite", "invites"), ("copyCount", "copyCounts")],
        nouns=["loan card", "score index", "seating plan", "invitation mail", "copy count", "voice list", "rehearsal calendar", "overdue notice"],
        test="npx vitest run {dir}", build="npm run build", lint="npx eslint {dir}", script="npm run task --", sub=["remind", "inventory", "seat"],
        code=["export function {v}{n}(input: {n}[]): {n} | undefined {{", "  const found = input.find((x) => x.rank === {k});", "  if (!found) return undefined;", "  logger.debug(`{v} ${{found.id}}`);", "  return {{ ...found, {n}: {k} }};", "}}", "// {v}: callers keep the {n} sorted", "const {n} = new Map<string, number>([['{v}', {k}]]);"],
        settings=[
            ("loan period", "Leihfrist", "loan_days", "keep_for", ["loans", "period"], "--loan-days", "int"),
            ("rehearsal room", "Probenraum", "room", "venue", ["rehearsal", "where"], "--room", "code"),
            ("stand-in conductor", "Vertretung der Leitung", "conductor", "lead", ["rehearsal", "who"], "--conductor", "name"),
            ("print profile", "Druckprofil", "profile", "preset", ["print", "with"], "--profile", "code"),
            ("start of the dress rehearsal", "Beginn der Generalprobe", "start", "begins_at", ["concert", "dress"], "--start", "time"),
            ("reserve copies", "Reserveexemplare", "reserve", "spare", ["scores", "extra"], "--reserve", "int"),
        ],
        queries=[("mcp__archive__score_get", "mcp__archive__scores_get", "score"), ("mcp__archive__member_card", "mcp__archive__member_cards", "member"), ("mcp__archive__room_plan", "mcp__archive__room_plans", "room"), ("mcp__archive__loan_state", "mcp__archive__loan_status", "loan")],
    ),
    dict(
        name="kilnwatch", ext=".cs", home="/srv/work/kilnwatch", lang="cs",
        dirs=["src/Firing", "src/Probes", "src/Glaze", "src/Schedule", "src/Web", "src/Energy", "src/Orders", "src/Reports"],
        stems=[("RampStep", "RampSteps"), ("ProbeReader", "ProbeReaders"), ("ConeTable", "ConeTables"), ("BatchPlan", "BatchPlanner"), ("HoldRule", "HoldRules")],
        nouns=["firing curve", "probe offset", "cone table", "glaze batch", "night tariff", "hold time", "kiln order", "shelf plan"],
        test="dotnet test {dir}", build="dotnet build", lint="dotnet format {dir} --verify-no-changes", script="./kw.sh", sub=["fire", "preview", "settle"],
        code=["public {n} {v}{n}(int cone, TimeSpan hold)", "{{", "    var step = _steps.Single(s => s.Cone == {k});", "    if (step is null) throw new InvalidOperationException(\"{v}\");", "    _log.LogDebug(\"{v} {{Cone}}\", cone);", "    return step with {{ Hold = {k} }};", "}}", "/// <summary>{v} of the {n}.</summary>"],
        settings=[
            ("hold at the top", "Haltezeit oben", "hold_min", "soak", ["firing", "top"], "--hold-min", "int"),
            ("probe correction", "Fühlerkorrektur", "offset", "bias", ["probes", "kiln2"], "--offset", "int"),
            ("cone chart", "Kegeltabelle", "chart", "cone_ref", ["tables", "cones"], "--chart", "code"),
            ("start of the night tariff", "Beginn des Nachttarifs", "night_from", "cheap_after", ["energy", "night"], "--night-from", "time"),
            ("person on call", "Rufbereitschaft", "on_call", "reach", ["staff", "night"], "--on-call", "name"),
            ("glaze recipe", "Glasurrezept", "recipe", "formula", ["glaze", "mix"], "--recipe", "code"),
        ],
        queries=[("mcp__plant__kiln_state", "mcp__plant__kiln_status", "kiln"), ("mcp__plant__probe_last", "mcp__plant__probe_latest", "probe"), ("mcp__plant__order_card", "mcp__plant__order_cards", "order"), ("mcp__plant__power_price", "mcp__plant__power_prices", "zone")],
    ),
]

# Service desks: the things that are read and changed are records, each with a look-alike.
DESKS = [
    dict(
        name="lindenhof", groups=["tenancy", "repairs", "heating", "deposits", "keys", "parking", "meters", "contractors"], code="LH",
        people=[("Marlene Voss", "Marlena Voss"), ("Jan Petersen", "Jan Peterson"), ("Aylin Demir", "Aylin Demirel"), ("Kuno Brandt", "Kuno Brand"), ("Sofia Reis", "Sofia Reiss")],
        nouns=["repair request", "heating complaint", "deposit refund", "key handover", "meter reading", "parking space", "moving-out date", "contractor visit"],
        read="tenant_file.open", find="tenant_file.search", write="tenant_file.note", check="letter.preview", use="visits.schedule", config="office.rules",
        settings=[
            ("visiting hours start", "Beginn der Besuchszeit", "from", "earliest", ["visit", "hours"], "", "time"),
            ("plumber on contract", "Vertragsklempner", "plumber", "vendor", ["trades", "water"], "", "name"),
            ("deposit account", "Kautionskonto", "account", "ledger_no", ["money", "deposit"], "", "int"),
            ("letter template", "Briefvorlage", "template", "form", ["mail", "layout"], "", "code"),
            ("cost limit for small repairs", "Grenze für Kleinreparaturen", "limit_eur", "cap", ["repairs", "small"], "", "int"),
            ("key depot", "Schlüsselstelle", "depot", "pickup", ["keys", "where"], "", "code"),
        ],
        queries=[("meters.reading", "meters.readings", "meter"), ("contracts.rent", "contracts.rents", "flat"), ("trades.slot", "trades.slots", "trade"), ("archive.letter", "archive.letters", "letter")],
    ),
    dict(
        name="brightlens", groups=["orders", "frames", "returns", "insurers", "workshop", "fittings", "couriers", "vouchers"], code="BL",
        people=[("Priya Nair", "Priya Nayar"), ("Tom Okafor", "Tom Okafore"), ("Lucia Bianchi", "Lucia Bianco"), ("Henrik Dahl", "Henrik Dahle"), ("Mei Tanaka", "Mei Tanabe")],
        nouns=["lens order", "frame repair", "return parcel", "insurer form", "fitting date", "courier pickup", "voucher balance", "coating claim"],
        read="order_desk.get", find="order_desk.find", write="order_desk.update", check="order_desk.validate", use="workshop.book", config="workshop.settings",
        settings=[
            ("last courier pickup", "letzte Kurierabholung", "pickup", "dispatch_by", ["courier", "last"], "", "time"),
            ("grinding bench", "Schleifplatz", "bench", "station", ["workshop", "grind"], "", "code"),
            ("coating batch", "Beschichtungscharge", "batch", "lot", ["coating", "current"], "", "int"),
            ("insurer contact", "Ansprechperson der Kasse", "contact", "clerk", ["insurer", "who"], "", "name"),
            ("voucher code", "Gutscheincode", "voucher", "promo", ["sales", "voucher"], "", "code"),
            ("return deadline in days", "Rückgabefrist in Tagen", "return_days", "grace", ["returns", "days"], "", "int"),
        ],
        queries=[("stock.lens", "stock.lenses", "sku"), ("parcel.trace", "parcel.track", "parcel"), ("insurer.case", "insurer.cases", "case"), ("calendar.free", "calendar.frees", "shop")],
    ),
    dict(
        name="mossfield", groups=["stands", "artists", "crew", "power", "permits", "catering", "volunteers", "lost_property"], code="MF",
        people=[("Duo Halm", "Duo Halme"), ("Rosa Quint", "Rosa Quinte"), ("The Low Ferries", "Low Ferry"), ("Kiosk Anders", "Kiosk Andersen"), ("Nell Abara", "Nel Abarra")],
        nouns=["stand booking", "sound check", "crew shift", "generator hire", "noise permit", "meal list", "shuttle run", "lost item"],
        read="sheet.fetch", find="sheet.query", write="sheet.amend", check="sheet.lint", use="rota.place", config="rota.policy",
        settings=[
            ("curfew", "Nachtruhe", "curfew", "quiet_from", ["site", "night"], "", "time"),
            ("power hub", "Stromverteiler", "hub", "feed_point", ["power", "main"], "", "code"),
            ("shift lead", "Schichtleitung", "lead", "captain", ["crew", "lead"], "", "name"),
            ("stand fee", "Standgebühr", "fee", "charge", ["stands", "price"], "", "int"),
            ("meal code", "Essensmarke", "meal", "token", ["catering", "mark"], "", "code"),
            ("crowd limit", "Besuchergrenze", "crowd", "headcount_max", ["site", "people"], "", "int"),
        ],
        queries=[("permit.state", "permit.status", "permit"), ("crew.card", "crew.cards", "person"), ("weather.hour", "weather.hours", "field"), ("booking.line", "booking.lines", "booking")],
    ),
]

NAMES = ["Falk", "Ordway", "Nadia", "Brix", "Celeste", "Tamsin", "Juri", "Wanda", "Pell", "Otis", "Marit", "Quill"]
VERBS = ["Trim", "Gather", "Settle", "Rank", "Spread", "Fold", "Match", "Carry", "Weigh", "Split"]

TASKS = {
    "en": {
        "feature": ["Add a filter for the {noun} to {thing}.", "We need the {noun} per week as well, in {thing}.", "Let {thing} accept several {noun}s at once.", "Please make the {noun} sortable; {thing} is the place I think.", "Next: {noun}, second column, see {thing}.", "Could you show the {noun} on the overview? No hurry, but today would be nice."],
        "bug": ["The {noun} is off by one since Tuesday, have a look at {thing}.", "{thing} crashes when the {noun} is empty.", "Somebody reported that the {noun} is wrong for old entries. Find out why.", "Duplicate {noun} in the report, probably {thing}.", "The {noun} doesn't update until reload. This was broken in the old system too.", "Log says 'unexpected {noun}', can you trace it?"],
        "question": ["How does {thing} work out the {noun}?", "Where do we decide on the {noun}?", "What would it take to drop the {noun} from {thing}?", "Not sure whether the {noun} is still used, can you check?", "Who calls {thing}?"],
        "refactor": ["Pull the {noun} out of {thing} into its own place.", "{thing} has grown too long, tidy it up. Don't touch the {noun}.", "Rename things around the {noun} so that a newcomer understands them.", "Same again for the {noun}: one way to do it, no three."],
        "docs": ["Write two paragraphs on the {noun}.", "The notes on {thing} are out of date, refresh them.", "Explain the {noun} for the handbook, no jargon.", "Summarise what changed with the {noun} this week."],
        "ops": ["Run the {noun} job again for yesterday.", "Prepare the {noun} for Monday.", "Get the {noun} out to everyone who asked.", "Do the usual for the {noun}.", "Check the {noun} and tell me what's missing."],
    },
    "de": {
        "feature": ["Bitte einen Filter für {noun} in {thing} einbauen.", "Wir brauchen {noun} auch pro Woche, in {thing}.", "{thing} soll mehrere Einträge auf einmal annehmen ({noun}).", "Könntest du {noun} in der Übersicht zeigen? Eilt nicht."],
        "bug": ["{noun} stimmt seit Dienstag nicht mehr, schau bitte in {thing}.", "{thing} stürzt ab, wenn {noun} leer ist.", "Doppelte Einträge bei {noun}, vermutlich {thing}.", "Im Log steht etwas zu {noun}, kannst du das verfolgen?"],
        "question": ["Wie rechnet {thing} das mit {noun} aus?", "Wo entscheiden wir über {noun}?", "Bin nicht sicher, ob {noun} noch gebraucht wird, prüf das mal."],
        "refactor": ["Zieh {noun} aus {thing} heraus.", "{thing} ist zu lang geworden, räum auf, aber {noun} nicht anfassen.", "Benenne die Sachen um {noun} herum verständlicher."],
        "docs": ["Schreib zwei Absätze zu {noun}.", "Die Notizen zu {thing} sind veraltet, bitte auffrischen.", "Erklär {noun} fürs Handbuch."],
        "ops": ["Lass {noun} für gestern noch mal laufen.", "Bereite {noun} für Montag vor.", "Mach das Übliche für {noun}.", "Prüf {noun} und sag mir, was fehlt."],
    },
}
DESK_TASKS = {
    "en": {
        "feature": ["Open a new case for {thing}, it's about the {noun}.", "{thing} wants to move the {noun}, arrange that.", "Set up the {noun} for {thing} and tell them.", "Could you add {thing} to the list for the {noun}? No hurry."],
        "bug": ["{thing} says the {noun} never came. Find out what happened.", "There are two entries for the {noun} of {thing}, sort it out.", "{thing} complains again, this time it's the {noun}. Was wrong last year too.", "The sum for {thing} doesn't add up with the {noun}."],
        "question": ["What did we agree with {thing} on the {noun}?", "Is the {noun} for {thing} still open?", "Not sure whether {thing} has paid, can you look?", "When did {thing} last write about the {noun}?"],
        "refactor": ["Bring the notes on {thing} into order, don't touch the {noun}.", "Close what is finished for {thing}.", "Merge the notes on the {noun} for {thing}."],
        "docs": ["Write a friendly letter to {thing} about the {noun}.", "Two sentences for {thing} on how the {noun} works.", "Sum up the case of {thing} for the new colleague."],
        "ops": ["Do the weekly round for the {noun}, start with {thing}.", "Send out what is due for the {noun}.", "Prepare the {noun} for Monday, {thing} first.", "Check the {noun} of {thing} and tell me what's missing."],
    },
    "de": {
        "feature": ["Leg für {thing} einen Vorgang an, es geht um {noun}.", "{thing} möchte {noun} verschieben, bitte regeln.", "Nimm {thing} in die Liste für {noun} auf, eilt nicht."],
        "bug": ["{thing} sagt, {noun} sei nie angekommen. Klär das bitte.", "Bei {thing} gibt es {noun} doppelt, bring das in Ordnung.", "{thing} beschwert sich wieder, diesmal wegen {noun}."],
        "question": ["Was haben wir mit {thing} zu {noun} vereinbart?", "Ist {noun} bei {thing} noch offen?", "Weiß nicht, ob {thing} bezahlt hat, schau bitte."],
        "refactor": ["Räum die Notizen zu {thing} auf, {noun} nicht anfassen.", "Schließ bei {thing}, was fertig ist."],
        "docs": ["Schreib {thing} einen freundlichen Brief zu {noun}.", "Fass den Fall {thing} für die Kollegin zusammen."],
        "ops": ["Mach die Wochenrunde für {noun}, {thing} zuerst.", "Bereite {noun} für Montag vor, angefangen bei {thing}.", "Prüf {noun} bei {thing} und sag mir, was fehlt."],
    },
}
DESK_SUFFIX = {"en": ["", "", "", " Keep it short.", " I'm off at five.", " Don't forget to date it.", " Call me if it's not clear."], "de": ["", "", "", " Bitte kurz.", " Ich bin um fünf weg.", " Datum nicht vergessen."]}
FIRST = ["Marlene", "Jonas", "Aylin", "Priya", "Tom", "Rosa", "Henrik", "Mei"]
HARD = {"en": ["This one is nasty, take your time. ", "The audit wants this one, it touches everything. ", "Part of the big migration: "], "de": ["Das hier ist knifflig. ", "Gehört zur großen Umstellung: "]}
PREFIX = {"en": ["", "", "", "Morning. ", "ok, ", "Thanks, works. ", "Good. Now: ", "While the other thing runs: ", "One more. "], "de": ["", "", "", "Moin. ", "Danke, passt. ", "Gut. Jetzt: ", "Noch was: "]}
SUFFIX = {"en": ["", "", "", " Don't forget the changelog.", " Keep it small.", " I'm off at five.", " No new dependencies please.", " Take the shortest way."], "de": ["", "", "", " Changelog nicht vergessen.", " Bitte klein halten.", " Ich bin um fünf weg."]}

# Corrections, in people's own words; about half hold no word of negation. {thing} {noun} {other}
CORRECT = {
    "en": ["I had asked for the {noun}, this gives me the {other}.", "Read my message again please, it was about the {noun}.", "hm, the {other} has changed as well. Put that back.", "You left half of it out: the {noun} is still as before.", "That belongs in {thing}, where you put it nobody will find it.", "We agreed on one change at a time, remember? Take the {other} out again.", "Look at the result once more. Does that look like a {noun} to you?", "It's the other way round: first the {noun}, then the {other}.", "That's not what I meant, the {noun} should stay.", "No. {thing}, as I wrote.", "wrong {noun}, sorry, again please", "this doesn't do anything for the {noun}", "Why did you touch the {other}? I only wanted the {noun}.", "I said short. This is a page.", "still the same picture here, the {noun} shows the old figures", "Undo that, I'd rather have the {noun} as it was."],
    "de": ["Ich wollte {noun}, bekommen habe ich {other}.", "Lies bitte noch mal, was ich geschrieben hatte: es ging um {noun}.", "Hm, jetzt ist auch {other} anders. Mach das rückgängig.", "Da fehlt die Hälfte, {noun} ist wie vorher.", "Das gehört nach {thing}, dort sucht es sonst keiner.", "Genau andersherum: erst {noun}, dann {other}.", "So war das nicht gemeint, {noun} soll bleiben.", "Nein, {thing}, wie ich schrieb.", "falsche Stelle, bitte noch mal bei {noun}", "Bei mir hat sich an {noun} gar nichts getan.", "Warum ist {other} angefasst? Ich hatte nur {noun} bestellt.", "Kurz, hatte ich gesagt. Das ist eine ganze Seite.", "Schau dir das Ergebnis selbst an. Sieht so {noun} aus?", "Das hatten wir doch anders abgemacht, eine Änderung nach der anderen."],
}
STALE_FIX = {
    "en": ["{spoken} is {new} these days, I mentioned it.", "You used {old}. It's {new}.", "Careful, {old} is history. {new} please.", "Check the {spoken} again, I told you {new}."],
    "de": ["{spoken} ist inzwischen {new}, das hatte ich gesagt.", "Du hast {old} genommen, gilt aber {new}.", "Achtung, {old} ist Geschichte. Bitte {new}."],
}
TELL = {"en": ["The {spoken} is {new}, by the way.", "{spoken}: {new}.", "For {key} take {new}.", "Use {new} as {spoken}."], "de": ["{spoken} ist übrigens {new}.", "{spoken}: {new}.", "Für {key} bitte {new} nehmen."]}
CHANGE = {
    "en": ["From now on the {spoken} is {new} instead of {old}.", "Heads-up: {spoken} moved from {old} to {new}.", "They changed the {spoken}, it's {new} now.", "New {spoken}: {new}. Forget {old}.", "{key} goes to {new}, effective today."],
    "de": ["Ab jetzt gilt als {spoken} {new} statt {old}.", "Zur Info: {spoken} ist von {old} auf {new} gewechselt.", "{spoken} wurde geändert, jetzt {new}.", "Neu bei {spoken}: {new}. {old} bitte vergessen."],
}
LOOKUP = {"en": ["Someone changed the {spoken}, look it up before you start.", "The {spoken} is a new one, it's in the settings."], "de": ["Jemand hat {spoken} geändert, sieh bitte vorher nach.", "{spoken} ist neu, steht in den Einstellungen."]}
ASKVALUE = {"en": ["What's the {spoken} at the moment, for the note to the partners?", "Remind me, which {spoken} holds?", "Put the {spoken} into one sentence for the board.", "Tell the new colleague what the {spoken} is."], "de": ["Was gilt gerade als {spoken}? Für die Rundmail.", "Schreib in einem Satz, was bei {spoken} gilt."]}
SAYVALUE = {"en": ["The {spoken} is {v}.", "{v} holds for the {spoken}.", "At the moment: {v} ({spoken}).", "For the note: {spoken} {v}, valid for everyone."], "de": ["Als {spoken} gilt {v}.", "{spoken}: {v}.", "Für die Rundmail: {spoken} {v}."]}
COMPARE = {"en": " For comparison run it once with the old {old} too.", "de": " Zum Vergleich bitte einmal auch noch mit dem alten {old}."}

# What the agent may ask, and the user's answer.
ASKS = {
    "en": [("Which branch should this go to?", "{a}"), ("Who should get the copy?", "{a}, always"), ("Should old entries be kept or moved?", "moved, under {a}"), ("What name do you want for it?", "call it {a}"), ("Which time zone do you want the dates in?", "{a}"), ("How many days back should it go?", "{a}"), ("Which reviewer shall I put down?", "{a}"), ("In what order do you want the columns?", "by {a}")],
    "de": [("Auf welchen Zweig soll das?", "{a}"), ("Wer bekommt die Kopie?", "immer {a}"), ("Alte Einträge behalten oder verschieben?", "verschieben, nach {a}"), ("Wie soll es heißen?", "{a}"), ("In welcher Zeitzone sollen die Daten stehen?", "{a}"), ("Wie viele Tage zurück?", "{a}"), ("Wen trage ich zum Gegenlesen ein?", "{a}"), ("In welcher Reihenfolge die Spalten?", "nach {a}")],
}
ASKWORDS = ["main-next", "Brigitte", "attic", "harvest", "UTC", "45", "Samuel", "surname", "stable-2", "Yusuf", "cellar", "lantern", "Lisbon time", "30", "Greta", "postcode"]
ANSWER_AGAIN = {"en": ["as before, {a}", "{a}", "{a}, same as earlier", "like I wrote above: {a}"], "de": ["wie vorhin, {a}", "{a}", "{a}, steht weiter oben"]}
USE_ANSWER = {"en": ["I'll go with {a}, as you said.", "Keeping {a} for this.", "With {a} as agreed."], "de": ["Ich nehme {a}, wie besprochen.", "Es bleibt bei {a}."]}

BEFORE = {"en": ["Let me look at {thing}.", "Checking the {noun} first.", "Now {thing}.", "I want to see how the {noun} gets there.", "Next, {thing}."], "de": ["Ich sehe mir {thing} an.", "Zuerst {noun}.", "Jetzt {thing}."]}
DONE = {"en": ["Done. The {noun} is in {thing}.", "The {noun} is handled, {thing} holds the change.", "Finished; I checked the {noun} and it behaves.", "That's in place now.", "The {noun} comes from {thing}, nothing else is involved."], "de": ["Erledigt, {noun} steht in {thing}.", "Fertig, {noun} ist geprüft.", "Das ist jetzt drin."]}
LONG = {"en": [" I kept the old behaviour for everything else and added a short comment where the order matters. If you want it stricter, the place to change is the check right at the top.", " Two things are worth knowing: the list is sorted before it is stored, and entries without a date come last. Both were so before."], "de": [" Sonst bleibt alles beim Alten; wo die Reihenfolge wichtig ist, steht ein kurzer Kommentar.", " Zwei Dinge: die Liste wird vorher sortiert, und Einträge ohne Datum kommen zuletzt."]}
OOPS = {"en": ["That was {wrong}; the one I need is {right}.", "Different one. {right} it is.", "Mixed up, {right}."], "de": ["Das war {wrong}, ich brauche {right}.", "Anderer Eintrag, {right}."]}
FIXED = {"en": ["I see. Changed.", "Right, corrected.", "Understood, it's as you wanted now.", "Sorry, fixed.", "Ok."], "de": ["Verstanden, geändert.", "Stimmt, jetzt passt es.", "Ist korrigiert.", "Ok."]}
REDIRECT = {"en": ["hold on, do the {noun} first", "stop there. {thing} and only that", "wait, that goes in a direction I don't want, leave the {other} alone", "let me say it differently: only the {noun}"], "de": ["Moment, erst {noun}", "Halt, nur {thing}", "Warte, {other} bitte in Ruhe lassen"]}
GO_ON = {"en": ["skip that, go on", "I'll do that one myself, continue", "fine without, carry on"], "de": ["lass das aus, weiter", "das mache ich selbst, mach weiter"]}
ONPURPOSE = {"en": [" Write the failing test first, then make it pass.", " Test first, I want to see it red."], "de": [" Erst der fehlschlagende Test, dann der Rest."]}
SUMMARY = ["This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nAnalysis:\nThe user works on {name}. So far the {noun} and the {other} were handled.\n\nFiles and records seen: {seen}\n\nPending: the {noun}."]
GERMAN_NOUN = "„{}“"
