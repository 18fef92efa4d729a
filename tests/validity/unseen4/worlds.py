"""Workplaces and all texts of the fourth set: four repositories, four desks, three languages. Standard library only."""

# ---------------------------------------------------------------- repositories
REPOS = [
    dict(name="tollgate", ext="rs", path="crates/{m}/src/{s}.rs", modules=["gantry", "billing", "roaming", "fines", "portal"],
         stems=["tariff_table", "plate_match", "axle_class", "passage_log", "invoice_run", "grace_period", "tag_registry", "lane_clock", "refund_case", "dispute_form"],
         things=["axle count", "night tariff", "double passage", "foreign plate", "invoice rounding", "tag hand-over", "grace period", "lane clock skew"],
         test="cargo test -p {m} {s}", lint="cargo clippy -p {m}", build="cargo build --release", ctl="tollctl",
         lines=["pub fn {f}(input: &{T}) -> Result<{T}, GateError> {{", "    let {v} = input.{w}.saturating_sub({n});", "    if {v} > LIMIT_{n} {{ return Err(GateError::{T}); }}",
                "    tracing::debug!({v}, \"{w} {f}\");", "    self.{w}.insert({v}, {n});", "    Ok({T} {{ {v}, ..Default::default() }})", "}}", "", "/// {w} of a {v}, see RFC {n}",
                "impl From<{T}> for Row {{", "    fn from(x: {T}) -> Row {{ Row::new(x.{w}, {n}) }}", "use crate::{w}::{{{T}, {f}}};", "const {v}_MAX: u32 = {n};"]),
    dict(name="orchidlab", ext="ex", path="lib/orchidlab/{m}/{s}.ex", modules=["climate", "irrigation", "stock", "lamps", "journal"],
         stems=["bench_plan", "valve_cycle", "dew_point", "seed_batch", "lamp_curve", "sensor_drift", "feed_recipe", "shade_rule", "alarm_chain", "harvest_note"],
         things=["dew point", "valve lag", "lamp curve at dawn", "sensor drift", "feed recipe", "shade override", "alarm chain", "bench numbering"],
         test="mix test test/{m}/{s}_test.exs", lint="mix credo lib/orchidlab/{m}", build="mix release", ctl="orchidctl",
         lines=["  def {f}(%{T}{{}} = {v}, opts \\\\ []) do", "    {v} |> Map.update(:{w}, {n}, &(&1 + {n}))", "    Logger.debug(\"{f} {w}=#{{{v}.{w}}}\")", "    with {{:ok, {w}}} <- fetch_{w}({v}) do",
                "      {{:ok, %{{{v} | {w}: {n}}}}}", "    end", "  end", "", "  @doc \"{w} of the {v}, in steps of {n}\"", "  alias Orchidlab.{T}", "  @{w}_limit {n}", "  defp fetch_{w}({v}), do: {f}({v}, {n})"]),
    dict(name="scorebook", ext="kt", path="src/main/kotlin/scorebook/{m}/{s}.kt", modules=["fixture", "ranking", "referee", "venue", "feed"],
         stems=["TableOrder", "MatchClock", "PointRule", "SquadList", "CardLedger", "DrawMaker", "PitchSlot", "ResultImport", "AppealDesk", "SeasonRoll"],
         things=["tie-break", "added time", "walk-over points", "squad limit", "card ledger", "draw for round two", "pitch slots", "season roll-over"],
         test="./gradlew test --tests scorebook.{m}.{s}Test", lint="./gradlew ktlintCheck", build="./gradlew assemble", ctl="scorectl",
         lines=["    fun {f}({v}: {T}, limit: Int = {n}): {T} {{", "        val {w} = {v}.{w}.filter {{ it > {n} }}", "        require({w}.isNotEmpty()) {{ \"{w} of {v} is empty\" }}",
                "        log.debug(\"{f} {{}}\", {v})", "        return {v}.copy({w} = {w}.sum() + {n})", "    }}", "", "    /** {w} of a {v}; limit {n} */", "data class {T}(val {w}: Int, val {v}: String)",
                "import scorebook.{w}.{T}", "    private val {v}Limit = {n}", "    override fun toString() = \"{T}(${w})\""]),
    dict(name="parchment", ext="rb", path="app/{m}/{s}.rb", modules=["ingest", "ocr", "catalog", "rights", "viewer"],
         stems=["page_split", "folio_index", "stamp_mask", "line_merge", "hand_guess", "shelf_mark", "loan_notice", "crop_box", "name_authority", "export_bundle"],
         things=["folio numbering", "stamp mask", "line merge on margins", "shelf marks", "crop boxes", "name authority", "loan notices", "export bundle"],
         test="bin/rspec spec/{m}/{s}_spec.rb", lint="bin/rubocop app/{m}", build="bin/rails assets:precompile", ctl="parchctl",
         lines=["  def {f}({v}, limit: {n})", "    {v}.{w}.reject {{ |x| x > {n} }}", "    raise {T}Error, \"{w} missing\" if {v}.nil?", "    logger.debug {{ \"{f} #{{{v}}}\" }}",
                "    @{w}[{v}] ||= {T}.new({n})", "  end", "", "  # {w} of a {v}, at most {n}", "  attr_reader :{w}, :{v}", "require_relative \"{w}\"", "  {w}_LIMIT = {n}", "  scope :{w}, -> {{ where(\"{v} > {n}\") }}"]),
]
WORDS = ["offset", "window", "bucket", "marker", "slot", "quota", "weight", "origin", "stamp", "margin", "carry", "depth", "ratio", "span", "batch", "owner", "signal", "anchor", "phase", "shard"]
VERBS = ["resolve", "merge", "clamp", "collect", "rebuild", "shift", "check", "attach", "expire", "spread", "rank", "trim", "apply", "split", "fold"]
TYPES = ["Entry", "Ledger", "Frame", "Ticket", "Cursor", "Policy", "Batch", "Notice", "Segment", "Profile", "Quote", "Draft"]

# query tools of a coding agent: (server, right tool, look-alike tool, argument, kind of answer)
QUERY_TOOLS = [
    ("metrics", "range_values", "values_range", "series"),
    ("tracker", "find_issue", "find_issues", "key"),
    ("store", "select_rows", "select_row", "table"),
    ("ci", "job_log", "log_jobs", "job"),
    ("switches", "get_switch", "get_switches", "name"),
]
EXTRA_TOOLS = ["docs__page_text", "chat__thread", "calendar__free_slots", "wiki__page", "mail__headers", "assets__licence", "tracker__sprint", "ci__artifacts", "store__explain", "metrics__alerts",
               "chat__search", "pager__on_call", "review__comments", "review__checks", "secrets__names", "dns__record", "queue__depth", "cache__stats", "files__quota", "mail__draft"]

# ---------------------------------------------------------------- desks
DESKS = [
    dict(name="northway", noun="shipment", de="Sendung", things=["customs code", "gross weight", "pickup slot", "consignee address", "pallet count", "hazard class"],
         dinge=["Zolltarifnummer", "Bruttogewicht", "Abholzeit", "Empfängeradresse", "Palettenzahl", "Gefahrklasse"], tools=["check_tariff", "quote_lane", "list_carriers", "track_leg"],
         who=["Brandt Keramik", "Ostrava Glas", "Maple & Finch", "Tideline Foods", "Kowalczyk Meble", "Ferro Lucca", "Hallberg Paper", "Quill Toys", "Norrland Timber", "Sable Optics", "Vento Cycles", "Aster Pharma"]),
    dict(name="cedarvet", noun="patient", de="Patientenakte", things=["vaccination date", "weight curve", "owner's phone", "lab result", "medication plan", "next visit"],
         dinge=["Impfdatum", "Gewichtskurve", "Rufnummer", "Laborbefund", "Medikamentenplan", "Folgetermin"], tools=["check_interactions", "lab_status", "list_vets", "price_item"],
         who=["Bello Hartwig", "Minka Osei", "Rocco Lindqvist", "Fleur Mandel", "Socks Petrov", "Luna Abiodun", "Kasimir Roth", "Pepper Jansen", "Nala Duarte", "Wotan Keller", "Biscuit Moore", "Tiger Sanz"]),
    dict(name="halden", noun="loan", de="Fernleihe", things=["due date", "edition", "lending library", "shelf mark", "reader's note", "scan quality"],
         dinge=["Rückgabefrist", "Auflage", "Geberbibliothek", "Signatur", "Lesernotiz", "Scanqualität"], tools=["check_holdings", "copyright_status", "list_partners", "postage"],
         who=["Atlas of Fjords", "Weaving in Ghent", "Letters from Pécs", "The Salt Roads", "Moosflora Nord", "Harbour Songs", "Tin and Trade", "Glass Negatives", "Old Ferries", "Bread Laws", "Maps of Drave", "Winter Almanac"]),
    dict(name="solhof", noun="project", de="Projektakte", things=["roof pitch", "inverter type", "grid permit", "scaffold date", "module count", "meter number"],
         dinge=["Dachneigung", "Wechselrichtertyp", "Netzanmeldung", "Gerüsttermin", "Modulzahl", "Zählernummer"], tools=["check_subsidy", "yield_estimate", "list_crews", "stock_level"],
         who=["Haus Achternbusch", "Hof Wiesinger", "Kita Lerchenweg", "Bäckerei Umlauf", "Scheune Tölke", "Haus Brömmel", "Praxis Yildiz", "Halle Westkamp", "Schule Ahorn", "Haus Pfeilschifter", "Gut Sandow", "Werft Hinrichs"]),
]
MORE_DESK_TOOLS = ["weather_at", "holiday_calendar", "currency_rate", "address_check", "phone_log", "send_sms", "scan_inbox", "print_label", "survey_results", "task_list", "assign_task", "close_task",
                   "invoice_status", "refund_status", "credit_check", "staff_roster", "vehicle_position", "storage_map", "archive_lookup", "tag_list", "mail_merge", "audit_trail", "quota_left", "rate_limit_info"]

# ---------------------------------------------------------------- settings: name en, fr/de, key, other key, flag, composite id, value maker
CODE_SETTINGS = [
    ("sandbox tenant", "le tenant de test", "sandbox_tenant", "workspace_ref", "--tenant", "recon/{v}/2026/{n}", "tn-%04d"),
    ("deploy region", "la région de déploiement", "deploy_region", "placement", "--region", "{n}.{v}.jobs", "zone-%03d"),
    ("release train", "le train de release", "release_train", "base_ref", "--train", "{v}/build-{n}", "rt-%02d.4"),
    ("retention window in days", "la durée de rétention en jours", "retention_days", "keep_for", "--keep", "purge-{v}d-{n}", "#90"),
    ("batch size", "la taille de lot", "batch_size", "chunk", "--batch", "import-b{v}-{n}", "#3000"),
    ("read replica", "la réplique de lecture", "read_replica", "dsn_alias", "--replica", "q:{v}:{n}", "pg-r%02d"),
    ("alert channel", "le canal d'alerte", "alert_channel", "notify_to", "--notify", "page/{v}/{n}", "ops-%03d"),
    ("artifact bucket", "le bucket des artefacts", "artifact_bucket", "store", "--bucket", "{v}/art/{n}", "art-%04d"),
    ("signing key", "la clé de signature", "signing_key", "kid", "--kid", "sig.{v}.{n}", "k%05d"),
    ("schema revision", "la révision du schéma", "schema_revision", "layout", "--schema", "mig_{v}_{n}", "s%04d"),
]
DESK_SETTINGS = [
    ("cost centre", "die Kostenstelle", "cost_centre", "charge_to", "--cc", "INV-{v}-{n}", "KS%04d"),
    ("approval limit", "die Freigabegrenze", "approval_limit", "cap", "--limit", "APR{v}/{n}", "#7000"),
    ("pickup depot", "das Abhollager", "depot", "origin_ref", "--depot", "{v}-{n}-OUT", "DP%02d"),
    ("contact desk", "die Anlaufstelle", "contact_desk", "owner_group", "--desk", "{v}:{n}", "desk-%03d"),
    ("price list", "die Preisliste", "price_list", "tariff", "--prices", "Q-{v}-{n}", "PL%03d"),
    ("contract reference", "die Vertragsnummer", "contract_ref", "agreement", "--contract", "{v}#{n}", "V%05d"),
    ("letter template", "die Briefvorlage", "letter_template", "layout_code", "--template", "DOC-{v}-{n}", "T-%03d"),
    ("tax code", "das Steuerkennzeichen", "tax_code", "levy", "--tax", "TX{v}-{n}", "S%02d"),
    ("payment term in days", "die Zahlungsfrist in Tagen", "payment_days", "net", "--net", "PAY-{v}T-{n}", "#80"),
    ("bank reference", "die Bankverbindung", "bank_ref", "settle_via", "--bank", "B-{v}-{n}", "BK-%04d"),
]

MODELS = {"claude_code": ["claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-7"], "codex": ["gpt-5.5", "gpt-5.6-sol"], "generic": ["hx-large-2", "hx-large-3", "hx-medium-3"]}
PEOPLE = ["imani", "t.verhoeven", "rasmus", "mbwilson", "yuki-s", "delphine", "oke", "franziska", "prashant", "noor"]
BRANCHES = ["fix/{s}", "{u}/{s}-cleanup", "main", "feature/{s}", "spike-{s}"]

# ---------------------------------------------------------------- what people say
# slots: {thing} {area} {file} {sym} {rec} {twin}; settings {name} {old} {new}
CODE_ASK = {
    "en": {
        "fix": ["{thing} comes out wrong in {area} since Tuesday, can you find out why and fix it", "Support has two reports about {thing}. Start at {file} and repair it.", "{sym} in {file} blows up on empty input, make it cope",
                "the {thing} thing again: {area} gives half the rows. Please sort it out, no hurry", "Something in {file} drops the last {thing}. It was broken in the old system too, I think. Fix it please."],
        "feature": ["Add a limit for {thing} to {file}, configurable, and cover it with a test", "we need {thing} in the {area} output as well, same shape as the rest", "Let {sym} take an optional cut-off. Don't touch the public signature otherwise.",
                    "Build a small report of {thing} per day into {area}", "{area} should remember who changed {thing}; put it next to {file}"],
        "explain": ["Walk me through how {thing} gets from {area} to the database", "why is {sym} called twice in {file}?", "I have to present {thing} tomorrow; what are the rules in {file}, really?", "where does {area} decide about {thing}? just tell me, no changes"],
        "tidy": ["{file} has grown a lot. Split the helper parts out, behaviour stays", "rename {sym} to something a human can say, everywhere in {area}", "Could you clean up {file}? I never liked that part, nothing is wrong with it though", "get rid of the warnings in {area}"],
        "review": ["Have a look at what's on this branch for {area} before I push", "is {file} safe to ship as it stands?", "go over {thing} once more with fresh eyes and tell me what you'd stop", "second opinion please: {sym} and its callers"],
        "ops": ["the nightly job for {area} needs a kick, then check {thing}", "Check the dashboards for {area}; {thing} looked odd over the weekend", "pull the last numbers on {thing}, I want to see them before lunch", "see whether the queue of {area} is empty now"],
    },
    "fr": {
        "fix": ["{thing} sort de travers dans {area} depuis mardi, trouve pourquoi et corrige", "{sym} plante dans {file} quand l'entrée est vide, rends ça solide", "deux retours du support sur {thing} : commence par {file} et répare"],
        "feature": ["Ajoute une limite pour {thing} dans {file}, réglable, avec un test", "il nous faut aussi {thing} dans la sortie de {area}, même forme que le reste", "{sym} doit accepter un seuil optionnel, sans toucher à la signature publique"],
        "explain": ["Explique-moi comment {thing} arrive de {area} jusqu'à la base", "pourquoi {sym} est appelé deux fois dans {file} ?", "où est-ce que {area} décide pour {thing} ? juste une explication"],
        "tidy": ["{file} a beaucoup grossi, sors les fonctions d'aide, même comportement", "renomme {sym} en quelque chose de lisible, partout dans {area}", "enlève les avertissements dans {area}"],
        "review": ["Regarde ce qu'il y a sur la branche pour {area} avant que je pousse", "est-ce que {file} peut partir tel quel ?", "repasse sur {thing} avec un œil neuf"],
        "ops": ["le job de nuit pour {area} est à relancer, puis vérifie {thing}", "sors les derniers chiffres sur {thing}, je veux les voir avant midi", "regarde si la file de {area} est vide maintenant"],
    },
}
DESK_ASK = {
    "en": {
        "lookup": ["What do we have on {rec}? I need the {thing}", "{rec} is on the phone, what is the {thing}", "can you tell me where {rec} stands", "pull up {rec} please, no rush, and give me the {thing}"],
        "change": ["Please correct the {thing} for {rec}, they sent a new one by mail", "{rec}: put the {thing} in order and leave a note", "update {rec}, the {thing} is wrong in the file since the import", "set the {thing} of {rec} to what the scan says"],
        "letter": ["Write to {rec} about the {thing}, friendly, short", "{rec} is waiting for an answer on the {thing}; draft one", "a reminder to {rec}, please, don't sound strict"],
        "compare": ["Does the {thing} of {rec} agree with the last delivery of papers?", "go through the {thing}s of this week and tell me what is missing, start with {rec}", "check {rec} against the list, I don't trust the {thing}"],
        "plan": ["Find a slot for {rec} next week and check the {thing} before", "who could take over {rec}? mind the {thing}", "prepare {rec} for Thursday, {thing} and all"],
    },
    "de": {
        "lookup": ["Was haben wir zu {rec}? Ich brauche: {thing}", "{rec} ist am Telefon, wie lautet das Feld {thing}", "sag mir bitte, wie weit {rec} ist", "such mal {rec} raus, eilt nicht, mich interessiert: {thing}"],
        "change": ["Bitte bei {rec} das Feld {thing} berichtigen, kam per Post neu", "{rec}: {thing} in Ordnung bringen und eine Notiz dazu", "{rec} aktualisieren, {thing} stimmt seit dem Import nicht mehr", "trag bei {rec} unter {thing} ein, was auf dem Scan steht"],
        "letter": ["Schreib {rec} wegen {thing}, freundlich und kurz", "{rec} wartet auf Antwort zu {thing}; mach einen Entwurf", "eine Erinnerung an {rec}, bitte nicht zu streng"],
        "compare": ["Passt {thing} bei {rec} zu den letzten Unterlagen?", "geh die Woche durch und sag, wo {thing} fehlt, fang bei {rec} an", "prüf {rec} gegen die Liste, ich traue dem Feld {thing} nicht"],
        "plan": ["Such für {rec} einen Termin nächste Woche und schau vorher auf {thing}", "wer könnte {rec} übernehmen? Achte auf {thing}", "bereite {rec} für Donnerstag vor, mit {thing}"],
    },
}
# corrections, in people's own words; half of them hold no word of negation
CORRECT = {
    "en": ["hm, I had asked for {thing}, this is something else", "you changed {what} but it's the other half that was the problem", "Look again at {what}: the sign is flipped now", "that's only half of it. {thing} still behaves as before",
           "no, leave {what} as it was, I meant the part about {thing}", "I don't see {thing} anywhere in what you did", "this isn't what we agreed on, {thing} was supposed to stay optional", "put {what} back please and do {thing} the way I described",
           "Why is {what} touched? Only {thing} was on the list", "the numbers for {thing} are off by one now", "wrong end: {thing} first, then {what}", "You skipped the second part of my message, the one with {thing}",
           "read my message once more please, it says {thing}", "nope, same result for {thing} as this morning", "I'd rather have had {thing}; {what} was fine", "well, now {thing} is gone altogether", "It should be the other way round for {thing}",
           "you are answering a question about {what}, mine was about {thing}", "hold on, {thing} means the incoming side here", "this would have been right last year. {thing} works differently now", "{what} looks different from what you say in your summary",
           "back to the start with {thing} I'm afraid", "that breaks {what}, please take it out again"],
    "de": ["hm, gefragt hatte ich nach {thing}, das hier ist etwas anderes", "du hast {what} geändert, gemeint war aber die andere Hälfte", "schau dir {what} nochmal an: das ist jetzt verdreht", "das ist erst die Hälfte, {thing} ist wie vorher",
           "nein, {what} bleibt so, es ging mir um {thing}", "von {thing} sehe ich in deiner Antwort nichts", "so war das nicht gedacht, {thing} sollte unberührt bleiben", "stell {what} bitte wieder her und mach {thing} so, wie ich es beschrieben habe",
           "warum ist {what} angefasst? Auf der Liste stand {thing}", "falsche Reihenfolge: erst {thing}, dann {what}", "den zweiten Teil meiner Nachricht hast du übergangen, den mit {thing}", "lies bitte nochmal, da steht {thing}",
           "immer noch dasselbe bei {thing} wie heute früh", "mir wäre {thing} lieber gewesen, {what} war in Ordnung", "jetzt ist {thing} ganz verschwunden", "bei {thing} gehört es andersherum", "du beantwortest eine Frage zu {what}, meine war zu {thing}",
           "Moment, mit {thing} ist hier die Eingangsseite gemeint", "letztes Jahr hätte das gestimmt, {thing} läuft inzwischen anders", "{what} sieht anders aus, als du schreibst", "damit fangen wir bei {thing} leider von vorn an", "das macht {what} kaputt, nimm es bitte wieder raus"],
    "fr": ["hm, j'avais demandé {thing}, là c'est autre chose", "tu as changé {what}, le souci était dans l'autre moitié", "regarde encore {what} : le signe est inversé maintenant", "non, laisse {what} comme avant, je parlais de {thing}",
           "je ne vois {thing} nulle part dans ta réponse", "remets {what} en place et fais {thing} comme décrit", "mauvais sens : d'abord {thing}, ensuite {what}", "relis mon message, il parle de {thing}", "toujours le même résultat pour {thing} que ce matin", "du coup {thing} a disparu"],
}
STALE_FIX = {
    "en": ["that's the old {name}, it is {new} now", "{old}? we left that, {new} please", "again with {new} for the {name}, as I wrote", "the {name} is {new} since I told you"],
    "de": ["das ist noch der alte Stand, {name} ist {new}", "{old}? Davon sind wir weg, bitte {new}", "nochmal mit {new}, wie geschrieben", "{name} ist seit meiner Nachricht {new}"],
    "fr": ["c'est l'ancienne valeur, {name} c'est {new}", "{old} ? on a quitté ça, prends {new}", "refais avec {new} comme je l'ai écrit"],
}
TELL = {
    "en": ["{Name} moved from {old} to {new}.", "We are on {new} for the {name} now, {old} is gone.", "Heads up: the {name} is {new} as of today.", "Please take {new} as {name} from here on.", "New {name}: {new}.", "They gave us another {name}, {new} instead of {old}."],
    "de": ["{Name} ist jetzt {new}, nicht mehr {old}.", "Ab heute gilt: {name} {new}.", "Zur Kenntnis: {name} hat gewechselt, von {old} auf {new}.", "Bitte ab jetzt {new} verwenden ({name}).", "{Name} neu: {new}."],
    "fr": ["{Name} passe de {old} à {new}.", "À partir d'aujourd'hui {name}, c'est {new}.", "Pour info : {name} a changé, {new} au lieu de {old}.", "Prends {new} désormais ({name})."],
}
TELL_FIRST = {"en": ["For reference, the {name} is {new}.", "The {name} here is {new}.", "{Name}: {new}."], "de": ["Zur Orientierung: {name} ist {new}.", "{Name}: {new}."], "fr": ["Pour mémoire, {name} : {new}.", "{Name}, c'est {new}."]}
LOOKUP = {"en": "I changed the {name} in the settings, have a look there before you go on.", "de": "Ich habe in den Einstellungen etwas geändert ({name}), schau da bitte nach, bevor du weitermachst.",
          "fr": "J'ai changé {name} dans les réglages, regarde avant de continuer."}
SETIT = {"en": "Set the {name} to {new} in the settings please.", "de": "Stell in den Einstellungen bitte um: {name} auf {new}.", "fr": "Mets {name} à {new} dans les réglages."}
USE = {
    "call": {"en": ["and then start the transfer with our {name}", "run the export on our {name} afterwards", "after that kick off the sync, usual {name}", "send it through with the {name} we use"],
             "de": ["und danach die Übergabe starten ({name} wie üblich)", "dann den Export anstoßen, {name} wie bei uns üblich", "anschließend den Abgleich laufen lassen, {name} wie gehabt"],
             "fr": ["et lance le transfert ensuite ({name} habituel)", "puis démarre l'export, {name} comme d'habitude"]},
    "prose": {"en": ["and remind me what our {name} is, for the mail to accounting", "also, which {name} do I put on the form?", "what is our {name} at the moment, by the way?"],
              "de": ["und sag mir noch, {name}, was steht da bei uns, für die Buchhaltung", "und {name}: was trage ich ins Formular ein?"],
              "fr": ["et rappelle-moi {name} pour le mail à la compta", "au fait, {name}, c'est quoi en ce moment ?"]},
    "old": {"en": ["and run it with the old {name} ({old}) too, for comparison", "do that one with the former {name}, {old}, I want to compare"],
            "de": ["und einmal noch mit dem alten Stand ({name} {old}), zum Vergleich"], "fr": ["et une fois avec l'ancienne valeur ({old}) pour comparer"]},
}
SAY_VALUE = {"en": ["Our {name} is {v}.", "For the form: {name} {v}.", "The {name} we use is {v}."], "de": ["Für das Formular: {name} {v}.", "Bei uns: {name} {v}."], "fr": ["Pour le mail : {name}, {v}."]}
# needs that are asked for: (topic, question, answers)
NEEDS = {
    "en": [("tone", ["Should I keep the formal wording here, or the short one?", "Formal wording or the short one?", "Before I write: do you want it formal or short?"], ["short one", "the formal wording", "formal, as on our letterhead"]),
           ("format", ["Which format would you like, a table or a list?", "Table or list for the result?", "How shall I lay it out, as a table or as a list?"], ["a table", "list is fine", "table with totals"]),
           ("copy", ["Who gets a copy of this?", "Should anyone be copied in, and who?", "To whom does the copy go?"], ["Marit in dispatch", "only the branch office", "copy to the archive box"]),
           ("deadline", ["By when does this have to be finished?", "What is the deadline for this?", "When do you need it?"], ["by the 14th", "end of next week", "before the audit on Monday"]),
           ("scope", ["Does this cover the archived ones too, or only what is open?", "Only the open ones, or archived ones as well?"], ["only what is open", "archived ones too", "open ones and those of last month"]),
           ("sign", ["Whose name goes under it?", "Who signs this?", "Which name should stand at the end?"], ["mine", "the team's", "Dr. Holm's"])],
    "de": [("tone", ["Soll ich hier förmlich schreiben oder kurz?", "Förmlich oder lieber kurz?"], ["kurz", "förmlich bitte"]), ("format", ["Welche Form hättest du gern, Tabelle oder Liste?", "Als Tabelle oder als Liste?"], ["Tabelle", "eine Liste reicht"]),
           ("copy", ["Wer bekommt eine Kopie?", "An wen geht die Kopie?"], ["Marit aus der Disposition", "nur die Zweigstelle"]), ("deadline", ["Bis wann muss das fertig sein?", "Welche Frist gilt dafür?"], ["bis zum 14.", "Ende nächster Woche"]),
           ("scope", ["Gilt das auch für die archivierten oder nur für offene?", "Nur offene oder archivierte auch?"], ["nur offene", "archivierte auch"]), ("sign", ["Wessen Name kommt darunter?", "Wer unterschreibt?"], ["meiner", "der vom Team"])],
    "fr": [("format", ["Quel format veux-tu, un tableau ou une liste ?", "Tableau ou liste ?"], ["un tableau", "une liste suffit"]), ("scope", ["Est-ce que cela vaut aussi pour les archives, ou seulement pour ce qui est ouvert ?"], ["seulement ce qui est ouvert", "les archives aussi"]),
           ("deadline", ["Pour quand faut-il avoir fini ?", "C'est pour quand ?"], ["pour le 14", "fin de la semaine prochaine"])],
}
ANSWER_AGAIN = {"en": ["{a}", "{a}, same as before", "as I said: {a}", "{a}."], "de": ["{a}", "wie gesagt: {a}", "{a}, wie vorhin"], "fr": ["{a}", "comme dit : {a}"]}
AFTER_STOP = {"en": ["let's do it differently: leave {what} alone and look at {thing}", "ok, smaller steps please. {thing} only", "wait. first tell me what you plan with {what}", "stop there, {thing} is what I need now"],
              "de": ["machen wir es anders: {what} in Ruhe lassen, {thing} ansehen", "kleinere Schritte bitte, nur {thing}"], "fr": ["on fait autrement : laisse {what}, regarde {thing}", "plus petit s'il te plaît, juste {thing}"]}
DONE = {
    "en": ["Done. {what} now handles {thing}; {n} places touched.", "{thing} goes through {what}. The checks I ran are green.", "I changed {what} and left the rest alone. {thing} is covered.", "In short: {what} decides, {thing} follows from it.", "Finished with {what}. One thing to know: {thing} is read before the limit applies."],
    "de": ["Erledigt. {what} ist auf dem Stand, {thing} geprüft.", "{thing} steht nun bei {what}. Mehr war nicht nötig.", "Fertig mit {what}. Zu {thing} liegt eine Notiz bei."],
    "fr": ["C'est fait. {what} gère maintenant {thing}.", "{thing} passe par {what}. Les vérifications sont vertes.", "Terminé pour {what}, le reste n'a pas bougé."],
}
BEFORE = {
    "en": ["Let me look at {what}.", "Checking {what} next.", "I want to see how {thing} is used first.", "Now {what}.", "Good, that narrows it down to {what}.", "One more look before I go on.", "This part depends on {thing}."],
    "de": ["Ich sehe mir {what} an.", "Als Nächstes {what}.", "Erst prüfe ich {thing}.", "Gut, weiter mit {what}."],
    "fr": ["Je regarde {what}.", "Ensuite {what}.", "Je vérifie d'abord {thing}."],
}
LONGER = {
    "en": ["The reason is that {thing} is kept in two places and only one of them is refreshed when a row arrives late. I would not change the other place now.", "I compared this with the neighbouring parts, and they follow the same pattern, so {what} stays consistent with them.", "If you prefer, {thing} can be made stricter later; for the moment the old behaviour is kept for existing data."],
    "de": ["Der Grund: {thing} wird an zwei Stellen geführt und nur eine davon aktualisiert, wenn etwas spät eintrifft.", "Ich habe das mit den Nachbarfällen verglichen, {what} passt dazu."],
    "fr": ["La raison : {thing} est tenu à deux endroits et un seul est rafraîchi quand une ligne arrive tard.", "J'ai comparé avec les parties voisines, {what} reste cohérent."],
}
WRONG_PLACE = {"en": ["That is the neighbour, I need {what}.", "Similar name; the right one is {what}.", "This belongs to something else. Going to {what}."], "de": ["Ähnlicher Name, gemeint ist {what}.", "Das gehört woanders hin, also {what}."], "fr": ["Nom voisin ; le bon est {what}."]}
BOTH = {"en": ["{file} and {twin} should behave the same; read both and carry the change for {thing} over", "port what {file} does for {thing} to {twin}"], "de": ["{rec} und {twin} abgleichen, beide ansehen ({thing})"], "fr": ["{file} et {twin} doivent se comporter pareil ; lis les deux et reporte {thing}"]}
RED_FIRST = {"en": "Write the test for {thing} first and let me see it fail, then the code.", "de": "Erst den Test, er soll rot sein.", "fr": "D'abord le test pour {thing}, montre-moi qu'il échoue, ensuite le code."}
MEMO = {"en": "Put a line into {memo}: changes to {thing} need a changelog entry. Then go on with {file}.", "de": "Trag in {memo} ein: {thing} nur mit Notiz.", "fr": "Ajoute une ligne dans {memo} : {thing} demande une entrée au changelog."}
GO_ON = {"en": ["carry on with {thing}", "next: the same for {thing} in {area}", "and now {file}", "good. same idea, but for {thing}"], "de": ["weiter mit {rec}", "gut. jetzt dasselbe für {rec}, Feld {thing}"], "fr": ["continue avec {thing}", "pareil pour {thing} dans {area}"]}
JOBS = {"transfer": "transfer", "export": "export", "Export": "export", "sync": "sync", "Abgleich": "sync", "Übergabe": "transfer"}
DONE_DESK = {
    "en": ["{rec} is up to date, {thing} checked.", "I have put the {thing} of {rec} in order and left a note.", "Here is what we have on {rec}: the {thing} is as in the file, nothing else is open.", "Done with {rec}. The {thing} agrees with the papers.", "{rec}: {thing} looked up, {n} entries, the last one from this month."],
    "de": DONE["de"] + ["{rec}: {thing} nachgesehen, {n} Einträge.", "Bei {rec} passt {thing} zu den Unterlagen."],
    "fr": DONE["fr"],
}
LONGER_DESK = {
    "en": ["The scan and the file differed by one digit, I went by the scan. If {rec} calls again, the note says so.", "Two older entries on {thing} are still there; I left them, since nobody asked for a clean-up.", "The {thing} was last touched in spring, so it is worth a second look when the papers arrive."],
    "de": LONGER["de"] + ["Scan und Akte wichen um eine Ziffer ab, maßgeblich war der Scan.", "Zwei ältere Einträge zu {thing} habe ich stehen lassen."],
    "fr": LONGER["fr"],
}
