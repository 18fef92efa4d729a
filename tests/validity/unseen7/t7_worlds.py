"""Workplaces and words of the seventh set: four repositories, three desks, what people say there."""

# ---------------------------------------------------------------- repositories
# stem -> what people call it
CODE = {
    "hopyard": dict(
        lang="go", ext="go", sides=("internal/api", "internal/worker"), side_words=("api", "worker"),
        test="go test ./...", test_one="go test ./{d} -run Test{S}", lint="golangci-lint run", build="go build ./cmd/hopyard",
        notes="docs/brewhouse.md", conf=("config/limits.yaml", "deploy/compose.yaml", "Makefile", "docs/brewhouse.md", "docs/oncall.md", "go.mod"),
        stems=[("batch", "batch numbering"), ("keg", "keg tracking"), ("recipe", "recipe scaling"), ("tank", "tank levels"), ("yeast", "yeast generations"),
               ("order", "order intake"), ("invoice", "invoice rounding"), ("label", "label printing"), ("route", "delivery routes"), ("taster", "tasting panel scores"),
               ("stock", "stock counts"), ("hop", "hop contracts"), ("malt", "malt lots"), ("shift", "shift handover"), ("sensor", "sensor polling"),
               ("alarm", "temperature alarms"), ("wash", "cleaning cycles"), ("cellar", "cellar map"), ("pump", "pump schedule"), ("audit", "excise audit"),
               ("quota", "export quota"), ("returns", "empties and returns")],
        more=["barrel", "bottle", "canning", "deposit", "duty", "festival", "gas", "glass", "grist", "intake", "lab", "lot", "mash", "pallet", "picking", "pricing", "sample", "silo", "supplier", "tap", "tour", "vendor"]),
    "cartolith": dict(
        lang="py", ext="py", sides=("cartolith/ingest", "cartolith/serve"), side_words=("ingest", "serve"),
        test="pytest -q", test_one="pytest -q tests/test_{s}.py", lint="ruff check cartolith", build="python -m build --wheel",
        notes="docs/projections.md", conf=("pyproject.toml", "conf/sources.toml", "docker/Dockerfile", "docs/projections.md", "docs/runbook.md", ".github/workflows/nightly.yml"),
        stems=[("tiles", "tile pyramid"), ("contour", "contour lines"), ("parcel", "parcel boundaries"), ("hydro", "river network"), ("roads", "road classes"),
               ("terrain", "terrain shading"), ("bounds", "bounding boxes"), ("proj", "projection lookup"), ("raster", "raster windows"), ("mask", "cloud mask"),
               ("legend", "legend entries"), ("zoom", "zoom levels"), ("cache", "tile cache"), ("names", "place names"), ("slope", "slope classes"),
               ("census", "census join"), ("address", "address matching"), ("geoid", "geoid heights"), ("sketch", "sketch import"), ("layers", "layer order"),
               ("clip", "clipping"), ("stitch", "edge stitching")],
        more=["aspect", "basin", "coast", "district", "elev", "forest", "grid", "hex", "index", "junction", "kernel", "lidar", "marker", "nodata", "overlay", "pixel", "quad", "relief", "sampling", "topo", "usage", "vector"]),
    "pennywhistle": dict(
        lang="ts", ext="ts", sides=("apps/player/src", "apps/studio/src"), side_words=("player", "studio"),
        test="pnpm test", test_one="pnpm vitest run {s}", lint="pnpm eslint apps", build="pnpm build",
        notes="docs/audio.md", conf=("package.json", "turbo.json", "apps/player/vite.config.ts", "docs/audio.md", "docs/release.md", ".github/workflows/ci.yml"),
        stems=[("episode", "episode page"), ("chapter", "chapter marks"), ("waveform", "waveform drawing"), ("upload", "upload resume"), ("feed", "feed refresh"),
               ("queue", "play queue"), ("lyrics", "synced lyrics"), ("speed", "playback speed"), ("sleepTimer", "sleep timer"), ("clip", "clip export"),
               ("share", "share links"), ("avatar", "avatar cropping"), ("comments", "comment threads"), ("billing", "billing portal"), ("search", "search box"),
               ("playlist", "playlist order"), ("transcript", "transcript view"), ("cover", "cover images"), ("stats", "listening stats"), ("invite", "invite codes"),
               ("login", "login flow"), ("notify", "push notifications")],
        more=["account", "banner", "captions", "draft", "editor", "follow", "genre", "hotkeys", "intro", "jingle", "library", "mixer", "network", "outro", "pitch", "quality", "rating", "season", "trailer", "undoStack", "volume", "wizard"]),
    "oxbow": dict(
        lang="rs", ext="rs", sides=("crates/gauge/src", "crates/relay/src"), side_words=("gauge", "relay"),
        test="cargo test", test_one="cargo test {s}", lint="cargo clippy --all-targets", build="cargo build --release",
        notes="docs/stations.md", conf=("Cargo.toml", "config/stations.toml", "deploy/oxbow.service", "docs/stations.md", "docs/flood-desk.md", "rust-toolchain.toml"),
        stems=[("level", "water level smoothing"), ("alert", "alert thresholds"), ("pager", "pager rota"), ("siren", "siren test"), ("station", "station registry"),
               ("uplink", "radio uplink"), ("decode", "frame decoding"), ("frame", "frame layout"), ("retry", "retry ladder"), ("clock", "clock skew"),
               ("calib", "sensor calibration"), ("bucket", "rain bucket counts"), ("flood", "flood forecast"), ("archive", "archive rollup"), ("token", "token renewal"),
               ("shape", "hydrograph shape"), ("limit", "rate limits"), ("map", "station map"), ("report", "daily report"), ("mesh", "mesh routing"),
               ("battery", "battery estimate"), ("silt", "silt correction")],
        more=["basin", "bridge", "culvert", "dam", "drift", "echo", "ferry", "gate", "ice", "jetty", "kiosk", "lock", "marsh", "nozzle", "outfall", "probe", "quay", "reach", "sluice", "tide", "valve", "weir"]),
}

LINES = {
    "go": ["\tif {a}.{B} > {n} {{ return nil, fmt.Errorf(\"{a} {b}: %w\", err{n}) }}", "\t{a}{n} := s.{B}(ctx, {n})", "func (s *{A}Store) {B}{n}(ctx context.Context) error {{",
           "\t// {b} stays below {n} for the {a}", "\tout = append(out, {A}{{{B}: {n}}})", "\tlog.Debug(\"{a}\", \"{b}\", {n})", "const {a}{B}Max = {n}", "\treturn s.{a}.{B}({n}), nil", "}}  // {a}{n}"],
    "py": ["    if {a}.{b} > {n}:  # {a} guard {n}", "        {a}_{b} = self._{b}[{n}]", "def {a}_{b}_{n}({b}, *, limit={n}):", "    \"\"\"Return the {b} of the {a}, at most {n}.\"\"\"",
           "    out.append(({n}, {a}.{b}))", "    log.debug(\"{a} %s\", {b}_{n})", "{A}_{B} = {n}", "    return {a}.{b}[:{n}]", "    assert {a}_{b} != {n}"],
    "ts": ["  if ({a}.{b} > {n}) throw new RangeError('{a} {b} {n}');", "  const {a}{n} = use{B}({n});", "export function {a}{B}{n}({b}: number) {{", "  // {b} is in steps of {n} for the {a}",
           "  items.push({{ {b}: {n}, kind: '{a}' }});", "  console.debug('{a}', {b}{n});", "export const {a}{B} = {n};", "  return {a}.{b}.slice(0, {n});", "  useEffect(() => set{B}({n}), [{a}]);"],
    "rs": ["    if {a}.{b} > {n} {{ return Err({A}Error::{B}({n})); }}", "    let {a}_{n} = self.{b}({n})?;", "pub fn {a}_{b}_{n}(&self) -> Result<{A}> {{", "    // {b} is clamped to {n} per {a}",
           "    out.push({A} {{ {b}: {n} }});", "    debug!(\"{a} {b} {n}\");", "const {A}_{B}: u32 = {n};", "    Ok(self.{a}.{b}().min({n}))", "    assert_ne!({a}_{b}, {n});"],
}
WORDS = "amount bound count delay entry factor group height input joint kind left margin name offset phase quality range size target unit value width zone level state token order owner label".split()

# ---------------------------------------------------------------- what developers ask
# {t} topic, {f} path, {b} file name, {s} side word, {n} number, {w} word
CODE_ASK = {
    "fix": ["The {t} is off by one on the {s} side, {f} is where it happens. Please repair it.",
            "Customers report that the {t} shows {n} twice. I suspect {f}, can you find out and fix it?",
            "bug: {t} crashes when {w} is empty ({f})",
            "since yesterday {f} ignores the {w}. make it respect it again",
            "Somebody broke the {t}; the {w} gets lost between two calls. Look at {f} and mend that.",
            "{b} in {s} swallows an exception around {w}. It should surface, with a proper message.",
            "There is a race in {f}: two {t} updates at the same moment and the {w} is gone.",
            "why does the {t} jump to {n}? sort it out please, {f}",
            "The {w} in {f} is compared as text, that cannot work past {n}. Correct the comparison.",
            "ticket {n}: {t} stops after the first page. start with {f}",
            "The wrong-way icon in the {t} never goes away, even with a valid {w}. {f} draws it."],
    "feature": ["I'd like the {t} to support a second {w}. Extend {f} accordingly, keep the old behaviour as default.",
                "Add a switch for the {w} to the {t} ({f}), default off.",
                "We need {t} per {w}. Build it in {f}, nothing fancy.",
                "Please teach {f} to accept {n} entries at a time instead of one.",
                "new: let people undo the last change in the {t}. {f} is the place",
                "could you add a {w} column to the {t} export? {f}",
                "Next up is a dry-run mode for the {t}. It lives in {f}; print what would be done.",
                "introduce a {w} limit of {n} in {f} and make it configurable",
                "For the {t} I want a small {w} cache on the {s} side. {f}.",
                "Implement pagination for the {t}, {n} per page, starting from {f}."],
    "refactor": ["{f} has grown too long, pull the {w} part out into its own function.",
                 "Tidy up {f}: the {t} has three ways to compute the {w}, one is enough.",
                 "rename {w} to {w}Raw in {f}, everywhere it is used",
                 "Please simplify the nesting in {f}. Behaviour must stay identical.",
                 "the {t} and its neighbours repeat the same {w} handling. unify, begin with {f}",
                 "Get rid of the global in {f}, pass the {w} in instead.",
                 "split the {t} from the {w} code in {f}, I can no longer follow it",
                 "Make {f} use the shared {w} helper like the others do."],
    "explain": ["How does the {t} decide on the {w}? Walk me through {f}.",
                "Where is the {w} of the {t} set? I only see {f}.",
                "What happens in {f} when the {w} exceeds {n}?",
                "Can you explain to me why {f} calls the {w} twice?",
                "is the {t} on the {s} side safe to call from two threads?",
                "who uses {f}? I'd like to know before I touch it",
                "Give me an overview of the {t}: which files, which way the {w} travels.",
                "what's the difference between the two {t} modules? mostly interested in {f}",
                "Does anything still depend on the old {w} in {f}?"],
    "review": ["Please review my branch, mostly the changes around the {t} in {f}.",
               "have a critical look at the last commit, the {w} part in {f} worries me",
               "Review the diff in {f} before I push. Anything I forgot about the {w}?",
               "A colleague opened PR {n} for the {t}. Is it sound? He changed {f}.",
               "Check whether {f} follows our rules for the {w}; list what you find, change nothing.",
               "read through PR {n} and tell me if the {t} would survive an empty {w}",
               "second pair of eyes please: {f}, the {w} arithmetic"],
    "tests": ["Write tests for the {t} in {f}, especially an empty {w}.",
              "{f} has hardly any coverage, add cases for {w} of 0, 1 and {n}.",
              "Please add a regression test for ticket {n}, {t}, see {f}.",
              "the test of {f} is slow, make it use the fake {w}",
              "Cover the failure branch in {f}: no {w}, error expected.",
              "turn the three copied tests of the {t} into a table, {f} is what they exercise",
              "I want a property test for the {w} in {f}."],
    "docs": ["Document the {t}: what the {w} means, with an example. The code is {f}.",
             "The README says nothing on the {w}; add a paragraph from what {f} does.",
             "Please write a changelog entry for the {t}.",
             "comment on {f} is outdated, it still speaks of {n} {w}s. bring it up to date",
             "Write a short how-to for the on-call people about the {t}, based on {f}.",
             "describe the error codes of the {t} in the docs, {f} has them all"],
    "ops": ["The nightly build is red since {n} runs. What is going on?",
            "Bump the {w} library and see whether everything still builds.",
            "can you check the logs of the staging box for the {t}? something restarts every {n} minutes",
            "Prepare the release: version, tag, notes. Don't push yet.",
            "how much space do the build artefacts take? clean up what is older than {n} days",
            "Look into the CI timing, the {t} job takes {n} minutes.",
            "please rebase this on main and tell me about conflicts",
            "Which processes hold port {n}? stop the stale one and start the {t} again"],
    "commit": ["commit", "commit this please", "commit and push", "looks good, commit", "ok, put that in a commit with a decent message", "great, commit.", "fine. commit it on a branch of its own", "thanks, please commit"],
}
CODE_SHORT = {
    "fix": ["{f}: {w} wrong, fix", "fix {t}", "{t} broken again, {f}", "{w} bug in {b} ({s})", "{f} crashes, {n}"],
    "feature": ["{f}: add {w} switch", "{t}: support {n} {w}s", "add {w} to {t}", "{w} limit {n} in {f}"],
    "refactor": ["{f}: extract {w}", "tidy {f}", "rename {w} in {f}", "dedupe {t}"],
    "explain": ["{f}, what does {w} do?", "who calls {b} ({s})?", "{t}: how?", "why {n} in {f}?"],
    "review": ["review {f}", "PR {n}, ok?", "check diff of {b} ({s})", "review last commit"],
    "tests": ["tests for {f}", "cover {w}=0 in {b} ({s})", "regression test {n}, {f}", "{t} tests"],
    "docs": ["doc {t}", "changelog {t}", "update comment in {f}", "readme: {w}"],
    "ops": ["ci red, why?", "bump {w}", "logs {t}", "release notes", "rebase"],
    "commit": ["commit", "commit+push", "ok commit"],
}
OPEN = ["Hi, ", "Morning. ", "One more thing: ", "Next: ", "Ok, ", "Thanks. ", "Great. ", "Right, ", "Now that this is done: ", "Before lunch: ", "Quick one - ", "While we're at it: ", "Nice. ", "Good, no complaints. "]
CLOSE = [" No hurry.", " Run the checks afterwards.", " Keep it small.", " Tell me in two sentences what you did.", " The error page can stay as it is.", " I'll be in a meeting until two.", " Never mind the warnings.",
         " It's for the demo on Thursday.", " If you find nothing wrong, fine too.", " Please don't touch the vendored code.", " Same style as the rest, please.", " Stop at the first problem you hit.", " Nobody else works on it today.",
         " That's all for this one.", " It isn't urgent.", " Ask the logs, not me :)", " I rely on you here."]

CODE_FIX_UP = [  # corrections of code work, first half with a negation, second half without
    "no, that's not what I meant. the {w} should stay, only the {t} changes", "That isn't right, the {w} is still {n}.", "not there - in the {s} one please", "you did not touch the {w} at all",
    "I never asked for a new option, take it out again", "doesn't work, {n} is still accepted", "nope, same crash as before in {b}", "That's wrong, {w} counts from one here.",
    "please don't rewrite the whole file, I wanted two lines", "this can't be it: the {t} is empty now", "no no, keep the old signature",
    "I had asked for the {w}, you changed the one next to it.", "hmm, the {t} now shows {n} for everybody. Put that right.", "You've gone further than I wanted, bring back the {w} part.",
    "read my message once more: the {s} side, just the {w}", "the opposite please: larger {w} first", "Still {n}. Look again at {b}.", "that breaks the {t}, go back to how it was and try with the {w} only",
    "I said two lines. This is eighty.", "you forgot the {w}", "closer, but the {w} belongs before the {t}", "The {t} has to survive this. It is gone from {b} - restore it.", "again: {b} is generated, change the template",
    "you mixed up {w} and its maximum in {b}"]

SHELL = {
    "look": ["git status --short", "git log --oneline -{n}", "git diff --stat", "ls -la {d}", "git branch -a", "wc -l {d}/*", "git diff HEAD~1 -- {f}", "git show --stat HEAD"],
    "ops": ["gh run list --limit {n}", "gh run view {n} --log-failed", "docker compose ps", "docker compose logs --tail={n} {s}", "df -h .", "du -sh {d}", "journalctl -u {s} -n {n} --no-pager", "lsof -i :{n}", "git tag --list | tail -{n}", "git fetch origin && git rebase origin/main", "curl -s localhost:{n}/health", "env | grep -i {w}"],
}

# ---------------------------------------------------------------- desks
PEOPLE = ["Abernathy", "Ferreira", "Castellanos", "Dunmore", "Eastwick", "Fontaine", "Garside", "Hollander", "Ibarra", "Jankowski", "Kowalczyk", "Lindqvist", "Mortensen", "Nakagawa", "Oyelaran", "Pettigrew", "Quirke", "Rasmussen",
          "Sandoval", "Thackeray", "Umarov", "Vandermeer", "Whitlock", "Yilmaz", "Zielinski", "Bergstrom", "Calloway", "Delacroix", "Ekwueme", "Fairclough",
          "Grigorian", "Hathaway", "Iversen", "Jacquard", "Kilbride", "Lombardi", "Mbeki", "Northcott", "Osterman", "Pargeter", "Radcliffe", "Stavros"]
FIRST = ["Ada", "Bruno", "Clara", "Dmitri", "Elsa", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kemi", "Lukas", "Mina", "Nils", "Olga", "Pablo", "Rosa", "Stefan", "Tilda", "Viktor"]
TOWNS = ["Harrow Lane", "Mill Street", "Quay Side", "Orchard Close", "Station Road", "Castle Hill", "Ferry Row", "Abbey Walk", "Dock Road", "Chapel Bank"]
DESKS = {
    "maplecourt": dict(noun="loan account", nouns="loan accounts", server="circulation", ref="LB-{}", linked="patron card", linked_key="patron",
        find="search_accounts", find2="query_accounts", open="get_account", open2="fetch_account_card", open_twin="get_account_archived", link="get_patron", link2="read_patron_card", hist="list_loans", hist2="list_account_events", hist_twin="list_loans_closed",
        note="add_remark", note2="append_note", msg="send_notice", report="loan_statistics", plan="reserve_reading_room",
        acts=[("renew_loan", "extend the loans"), ("waive_fine", "waive the fine"), ("place_hold", "put a hold on the atlas"), ("issue_card", "issue a new card"), ("transfer_items", "move the items to the other branch")],
        things=["overdue atlas", "music scores", "children's shelf", "inter-library parcel", "reading group", "lost paperback"],
        settings=[("loan_period", "loan period", ["21d", "28d", "35d"]), ("fine_rate", "fine rate", ["0.15", "0.20", "0.25"]), ("branch_code", "branch code", ["MC-02", "MC-05", "MC-09"]), ("hold_shelf", "hold shelf", ["B4", "C1", "D7"]),
                  ("notice_form", "notice form", ["N12", "N14", "N19"]), ("card_series", "card series", ["K7", "K8", "K9"]), ("courier", "courier", ["velopost", "redvan", "northline"]), ("desk_phone", "desk phone", ["4410", "4472", "4495"])],
        rename={"loan_period": "days_out", "fine_rate": "per_day", "branch_code": "site", "hold_shelf": "pickup_bin", "notice_form": "template", "card_series": "stock_prefix", "courier": "carrier", "desk_phone": "callback"}),
    "kestrel": dict(noun="claim", nouns="claims", server="claimsdesk", ref="KT{}", linked="policy", linked_key="policy",
        find="find_claims", find2="query_claims", open="get_claim", open2="fetch_claim_sheet", open_twin="get_claim_legacy", link="get_policy", link2="read_policy_extract", hist="list_payments", hist2="list_claim_events", hist_twin="list_payments_reversed",
        note="add_file_note", note2="append_comment", msg="send_letter", report="reserve_overview", plan="book_assessor",
        acts=[("set_reserve", "set the reserve"), ("approve_payment", "approve the payment"), ("request_documents", "ask for the missing receipts"), ("assign_handler", "hand it to the recovery team"), ("close_claim", "close it as settled")],
        things=["cancelled flight", "lost suitcase", "sprained ankle in Oslo", "stolen camera", "storm damage to the caravan", "missed ferry"],
        settings=[("excess", "standard excess", ["90", "120", "150"]), ("reserve_code", "reserve code", ["RS-31", "RS-44", "RS-52"]), ("letter_set", "letter set", ["L2024", "L2025", "L2026"]), ("fx_table", "exchange table", ["weekly", "daily", "monthly"]),
                  ("assessor_pool", "assessor pool", ["west", "inland", "coastal"]), ("pay_run", "payment run", ["tue", "wed", "fri"]), ("limit_band", "limit band", ["b40", "b55", "b60"]), ("tax_mark", "tax mark", ["T5", "T7", "T8"])],
        rename={"excess": "deductible", "reserve_code": "booking_key", "letter_set": "stationery", "fx_table": "rates_from", "assessor_pool": "panel", "pay_run": "disburse_on", "limit_band": "authority", "tax_mark": "levy"}),
    "brightwell": dict(noun="service job", nouns="service jobs", server="fieldservice", ref="BW-{}", linked="site", linked_key="site",
        find="find_jobs", find2="query_jobs", open="get_job", open2="fetch_job_sheet", open_twin="get_job_template", link="get_site", link2="read_site_profile", hist="list_visits", hist2="list_job_events", hist_twin="list_visits_planned",
        note="log_note", note2="append_entry", msg="send_update", report="workload_report", plan="schedule_visit",
        acts=[("order_part", "order the replacement inverter"), ("create_quote", "make the quote"), ("assign_engineer", "give it to another engineer"), ("raise_invoice", "raise the invoice"), ("register_warranty", "register the warranty")],
        things=["noisy inverter", "cracked panel", "meter swap", "battery upgrade", "bird netting", "string fault"],
        settings=[("labour_rate", "labour rate", ["54", "58", "61"]), ("price_list", "price list", ["PL-8", "PL-9", "PL-11"]), ("depot", "depot", ["eastgate", "southfield", "riverside"]), ("vat_code", "VAT code", ["V20", "V12", "V05"]),
                  ("warranty_class", "warranty class", ["W3", "W5", "W6"]), ("callout_band", "call-out band", ["C1", "C2", "C4"]), ("part_series", "part series", ["SX4", "SX5", "SX7"]), ("slot_length", "slot length", ["90m", "105m", "120m"])],
        rename={"labour_rate": "hourly", "price_list": "catalogue", "depot": "ship_from", "vat_code": "tax_key", "warranty_class": "cover", "callout_band": "travel_tier", "part_series": "family", "slot_length": "duration"}),
}
# {p} person, {pl} place, {r} reference, {N} noun, {L} linked, {th} thing, {act} wish, {n} number, {m} remark
DESK_ASK = {
    "lookup": ["What is the state of the {N} of {p}, {pl}?", "{p} from {pl} is on the phone about the {th}. What do we have?", "Please pull up {r}, {p}.", "how far are we with {p} ({r})?", "Has anything arrived for {p}, {pl}? It concerns the {th}.",
               "Can you look into {r} and tell me who dealt with it last?", "where does {p}'s {N} stand, the one at {pl}", "Someone wants to know about the {th}: {p}, {pl}. Give me the short version."],
    "act": ["Please {act} for {p}, {pl}, usual terms.", "{p} ({r}): {act}.", "We agreed with {p} from {pl} to {act}. Enter it, standard settings.", "could you {act} on {r}? as always", "{act} for {p} please, {pl}. Nothing special.",
            "On {r}: {act}, our normal conditions.", "The boss said yes to {p}, {pl}. So {act}.", "next: {r}, {act}"],
    "message": ["Write to {p} ({r}) that the {th} takes until the {n}th.", "Let {p}, {pl}, know we need another {n} days.", "send {p} a friendly reminder, {r}", "Please answer {p} from {pl}: yes, the {th} is covered.", "Drop {p} a line about the {th}, {r}. Polite but firm.",
                "{p} ({pl}) wrote that the error message came up again. Thank them and say we're on it."],
    "schedule": ["Find a date for {p}, {pl}, week {n}.", "book something for {r} in the morning of the {n}th", "Can we fit in {p} from {pl} before the {n}th?", "Move the appointment of {p} ({r}) to week {n}.", "{p}, {pl} cannot come on the {n}th, offer another day"],
    "history": ["What happened so far with {p}, {pl}? I need all dates.", "List the whole history of {r}.", "how often did we deal with {p} ({pl}) this year?", "Show me everything since the {n}th on {r}, {p}.", "went anything back and forth on {r}? give me the sequence"],
    "summary": ["Summarise this week's {Ns}, {n} lines at most.", "How many {Ns} are open longer than {n} days?", "Prepare the figures for the Monday round.", "give me the top {n} {Ns} by age", "Statistics for the last {n} days please, split by handler."],
    "note": ["Put a note on {r}: {m}.", "please record for {p}, {pl}: {m}", "{r} - note that {m}", "Add to the file of {p} ({pl}) that {m}."],
    "compare": ["Is {p} ({r}) the same person as the one at {pl}? Compare the {L} data.", "Check {r} against its {L}. Does everything agree?", "compare what {p} from {pl} told us with the {L} please", "Do the dates on {r} fit the {L}?"],
}
DESK_SHORT = {
    "lookup": ["{r}?", "status {p}, {pl}", "{p} {pl}, what's up", "{r} {p}"], "act": ["{r}: {act}", "{act}, {p} {pl}", "{p}, {pl} - {act}"],
    "message": ["tell {p} ({r}) {n} days more", "remind {p} {pl}", "{r}: write, {th} covered"], "schedule": ["{r} week {n}", "date for {p}, {pl}", "{p} ({r}) to the {n}th"],
    "history": ["history {r}", "{p} {pl}, all dates"], "summary": ["open > {n} days?", "week in {n} lines", "monday figures"], "note": ["{r}: {m}", "note {p} {pl}: {m}"], "compare": ["{r} vs {L}", "{p} {pl}: {L} ok?"],
}
DESK_ES = {
    "lookup": ["¿En qué estado está {r}, de {p}?", "Llama {p}, de {pl}, por lo suyo. ¿Qué tenemos?", "Busca por favor {r} y dime quién lo llevó la última vez.", "¿cómo va lo de {p} ({pl})?"],
    "act": ["Por favor, para {p} ({r}): {act}. Con las condiciones de siempre.", "{r}: {act}, lo habitual.", "Quedamos así con {p}, {pl}: {act}. Regístralo.", "haz lo de siempre en {r}: {act}"],
    "message": ["Escribe a {p} ({r}) que tardamos {n} días más.", "Avísale a {p}, {pl}, de que todo está cubierto.", "manda un recordatorio amable a {p}, {r}"],
    "schedule": ["Busca fecha para {p}, {pl}, en la semana {n}.", "Cambia la cita de {p} ({r}) al día {n}.", "reserva algo para {r} por la mañana"],
    "history": ["¿Qué ha pasado hasta ahora con {r}?", "Dame todas las fechas de {p}, {pl}.", "enséñame el historial de {r}"],
    "summary": ["Resume la semana en {n} líneas.", "¿Cuántos casos llevan abiertos más de {n} días?", "Prepara las cifras para el lunes."],
    "note": ["Anota en {r}: {m}.", "apunta para {p}, {pl}: {m}"], "compare": ["Compara {r} con sus datos maestros, ¿coincide todo?", "¿es {p} ({r}) la misma persona que la de {pl}?"],
}
REMARKS = ["prefers calls after four", "no voicemail please", "has moved, new address follows", "rang twice, never angry", "wants everything in writing", "the neighbour has the key", "asked for the wrong-number form", "documents complete", "does not read e-mail", "paid in cash"]
REMARKS_ES = ["prefiere llamadas por la tarde", "no quiere correo", "ha cambiado de dirección", "los documentos están completos", "el vecino tiene la llave"]
DESK_FIX_UP = ["no, the other {p}, from {pl}", "That's not what I asked, it's about the {th}.", "not a letter, a note on the file", "you haven't entered it, the sheet still says {n}", "don't send that yet, the date is off", "wrong amount, we agreed on {n}", "no, nothing about the {th} in there please", "That can't be right, {n} days is too long.",
               "I meant {r}.", "read it again, they asked for week {n}", "you addressed the neighbour, it goes to {p}", "It should have been the {n}th. Change it.", "please put back what was there before and only alter the date", "half of it is missing: the {th} too", "the tone is too stiff, I asked for friendly", "that went to the file of someone else, move it over to {p}"]
ES_FIX_UP = ["no, el otro, el de {pl}", "eso no es lo que pedí, se trata de {r}", "la fecha está mal, era el {n}", "no lo has guardado", "me refería a {r}", "léelo otra vez: semana {n}", "falta la mitad", "tenía que ir a {p}, cámbialo", "déjalo como estaba y cambia solo la fecha", "demasiado seco, lo quería amable"]

# what the user tells at the start of a session, and what is needed of it later
TOLD = [("channel", "post the results to {}", ["#frontdesk", "#ops-daily", "#hall-two", "#night-team"], ["Which channel should the result go to?", "Where would you like me to post this?"], ["as I wrote this morning, {}", "{}, see above", "told you at the start: {}"]),
        ("sign", "sign as {}", ["Ines", "Mr Tolland", "the evening team", "Petra K."], ["Whose name should go under it?", "How shall I sign this one?"], ["{}, same as everything today", "I gave you that: {}", "{} - it was in my first message"]),
        ("cc", "copy {} on everything", ["accounts", "the branch lead", "Oskar", "legal"], ["Should anybody be copied in?", "Who gets a copy of this?"], ["{}, I mentioned it earlier", "we settled that: {}", "{} of course, like before"]),
        ("cut", "treat everything before {} as closed", ["the 3rd", "Monday noon", "the 12th", "last Friday"], ["From which date on do you count it as open?", "What is the cut-off date here?"], ["{} - already said", "see the beginning of this chat, {}", "{}, unchanged"])]

STOP_REASON = ["leave that one alone, it belongs to someone else", "wait, use the staging box", "hold on - first show me what you intend", "that directory is shared, work in a copy", "too much at once, one file at a time please", "I'd rather do this step myself"]
AFTER_STOP = ["ok, only the {w} bit please", "go on, but with the smaller change we talked about", "let me put it differently: first {f}, the rest later", "carry on with the {t}, leave the other part", "sorry, phone. Start with {f}."]
DESK_AFTER_STOP = ["ok, only {r} please", "go on, but leave out the {th}", "first {p}, the rest later", "carry on, just shorter"]
SMALL_TALK = ["yes please", "continue", "go ahead", "ok do it", "sure", "both please", "the first option", "thanks, go on"]

DONE = ["Done.", "That is in place now.", "Finished; details below.", "Here is what I found.", "All set.", "I've made the change.", "Completed."]
DETAIL = ["The relevant part is in `{b}`; the {w} is handled there.", "I kept the change small and left the neighbouring code alone.", "The checks pass.", "One thing to note: the {w} is read once and then kept.", "Nothing else depended on it.", "It now covers the case you described.", "The {t} behaves as before otherwise.", "There were {n} places, all of them in one file."]
DESK_DETAIL = ["The entry is saved under {r}.", "{p} has been informed.", "There are {n} items, none of them overdue.", "The last contact was on the {n}th.", "Everything agrees with the {L}.", "I noted the conversation on the file."]
BEFORE = ["Let me look at the relevant part first.", "I'll start with the file you named.", "Checking how this is used.", "Now the change itself.", "Let me verify that.", "I'll have a look.", "Next I look for the callers.", "Now I run the checks."]
DESK_BEFORE = ["Let me pull up the record.", "One moment, I'm looking it up.", "Now I enter it.", "Checking the details.", "I'll search for it first."]
THINK = ["The user wants a small change here. I should find the place first.", "Two modules carry this name, so I need to be careful about the side.", "I should check the callers before changing anything.", "The record is probably under the surname.", "Let me think about what else depends on this value."]

# ---------------------------------------------------------------- Spanish at the desk
ACT_ES = {"renew_loan": "prolonga los préstamos", "waive_fine": "perdona la multa", "place_hold": "reserva el atlas", "issue_card": "emite un carné nuevo", "transfer_items": "pasa los libros a la otra sucursal",
          "set_reserve": "fija la reserva", "approve_payment": "aprueba el pago", "request_documents": "pide los recibos que faltan", "assign_handler": "pásalo al equipo de recobros", "close_claim": "ciérralo como liquidado",
          "order_part": "pide el inversor de repuesto", "create_quote": "haz el presupuesto", "assign_engineer": "dáselo a otro técnico", "raise_invoice": "emite la factura", "register_warranty": "registra la garantía"}
TOLD_ES = {"channel": ("publica los resultados en {}", ["¿En qué canal lo publico?"], ["como escribí antes, {}", "{}, mira arriba"]), "sign": ("firma como {}", ["¿A nombre de quién firmo?"], ["{}, igual que todo hoy", "ya te lo di: {}"]),
           "cc": ("con copia a {}", ["¿Pongo a alguien en copia?"], ["{}, ya lo dije", "{} claro, como antes"]), "cut": ("da por cerrado lo anterior a {}", ["¿Desde qué fecha cuenta como abierto?"], ["{}, ya está dicho", "{}, sin cambios"])}
BEFORE_ES = ["Un momento, lo busco.", "Voy a abrir la ficha.", "Ahora lo registro.", "Compruebo los datos."]
AFTER_STOP_ES = ["vale, solo {r} por favor", "sigue, pero primero {p}", "continúa, más breve"]
