"""Workplaces, files, records, settings and texts of the sixth set. No planning, no formats."""
import random

# ---------------------------------------------------------------- code workplaces

WORDS = ("queue ledger quota drift probe lease shard relay tariff cursor batch beacon gauge ingress stamp vault mirror spool "
         "digest ticket anchor buffer canary cohort marker window budget bucket signal replica origin profile").split()


def _infra():
    parts = "network compute dns iam queues logging alerts storage cache bastion certs budgets peering volumes images topics secrets quotas".split()
    files = [(f"envs/{e}/{p}.tf", f"envs/{'stage' if e == 'prod' else 'prod'}/{p}.tf") for p in parts for e in ("prod", "stage")]
    charts = "intake matcher notifier gateway reports scheduler exporter archive portal".split()
    for c in charts:
        files += [(f"charts/{c}/values.yaml", f"charts/{c}/values-stage.yaml"), (f"charts/{c}/values-stage.yaml", f"charts/{c}/values.yaml")]
    roles = "haproxy postgres node_exporter wireguard backups".split()
    for r in roles:
        files += [(f"roles/{r}/tasks/main.yml", f"roles/{r}/handlers/main.yml"), (f"roles/{r}/handlers/main.yml", f"roles/{r}/tasks/main.yml")]
    files += [(f"scripts/{s}.sh", None) for s in "drain rotate_keys snapshot smoke cutover".split()]
    return files


def _sql():
    ents = "orders returns shipments customers refunds inventory sessions vouchers subscriptions suppliers payouts visits carts reviews campaigns stores devices tickets".split()
    files = []
    for e in ents:
        files += [(f"models/staging/stg_{e}.sql", f"models/intermediate/int_{e}.sql"), (f"models/intermediate/int_{e}.sql", f"models/staging/stg_{e}.sql")]
    for e in ents[:9]:
        files += [(f"models/marts/{e}_daily.sql", f"models/marts/{e}_weekly.sql"), (f"models/marts/{e}_weekly.sql", f"models/marts/{e}_daily.sql")]
    files += [(f"macros/{m}.sql", None) for m in "surrogate_key fiscal_week pivot_status money".split()]
    files += [(f"analysis/{n}.py", None) for n in "churn basket forecast".split()]
    return files


def _fw():
    devs = "spi uart adc rtc flash can gpio timer watchdog i2c dma pwm qspi usb crc rng lcd eeprom".split()
    files = []
    for d in devs:
        files += [(f"src/drv/{d}.c", f"src/hal/{d}.c"), (f"src/hal/{d}.c", f"src/drv/{d}.c")]
    for d in devs[:8]:
        files += [(f"include/{d}_cfg.h", f"boards/rev_b/{d}_cfg.h"), (f"boards/rev_b/{d}_cfg.h", f"include/{d}_cfg.h")]
    files += [(f"tests/test_{d}.c", None) for d in devs[:7]]
    return files


def _web():
    names = "checkout refund invoice_mailer seat_hold waitlist coupon payout address_check login_throttle export fee_split reminder audit_trail geo_lookup price_sync season_pass voucher_import".split()
    files = []
    for n in names:
        files += [(f"app/services/{n}.rb", f"app/jobs/{n}.rb"), (f"app/jobs/{n}.rb", f"app/services/{n}.rb")]
    comps = "SeatMap PriceTag BasketLine DatePicker VenueCard OrderList RefundForm UserBadge".split()
    for c in comps:
        files += [(f"frontend/components/{c}.vue", f"frontend/components/admin/{c}.vue"), (f"frontend/components/admin/{c}.vue", f"frontend/components/{c}.vue")]
    files += [(f"spec/services/{n}_spec.rb", None) for n in names[:8]] + [("config/routes.rb", None), ("db/seeds.rb", None)]
    return files


# setting: name as people say it, shell command with {v}, line of code with {v}, values in the order of time
CODE_WORLDS = {
    "saltmarsh": dict(
        user="ines", home="/home/ines/infra/saltmarsh", files=_infra, nice="the estate", extra_dirs=("prod", "stage"),
        tests=["terraform validate", "tflint --recursive", "helm lint charts/{a}", "ansible-playbook site.yml --check --tags {a}"],
        looks=["terraform state list | grep {a}", "kubectl get deploy -A | grep {a}", "helm history {a} --max 5", "dig +short {a}.int.saltmarsh.example",
               "aws ec2 describe-instances --filters Name=tag:app,Values={a} --query 'Reservations[].Instances[].InstanceId'", "kubectl top pod -l app={a}",
               "ansible-inventory --graph {a}", "git log --oneline -8 -- charts/{a}"],
        polls=["kubectl rollout status deploy/{a} --timeout=5s", "terraform show -json plan.out | jq '.complete'"],
        settings=[
            ("cluster context", "kubectl --context {v} get pods", 'kube_context = "{v}"', ["sm-ams-1", "sm-ams-2", "sm-waw-1", "sm-waw-3", "sm-ams-7"]),
            ("namespace for the matcher", "kubectl -n {v} rollout restart deploy/matcher", 'namespace: {v}', ["match-core", "matching", "match-v2", "mt-main", "mt-blue"]),
            ("inventory file", "ansible-playbook -i {v} site.yml --check", 'inventory = {v}', ["hosts.ini", "hosts-2026.yml", "inv/lab.yml", "inv/main.yml", "inv/all.yml"]),
            ("AWS profile", "aws --profile {v} sts get-caller-identity", 'profile = "{v}"', ["salt-ops", "salt-admin-ro", "estate-ops", "estate-ro", "ops-sso"]),
            ("base image tag", "helm upgrade --install gateway charts/gateway --set image.tag={v}", 'tag: "{v}"', ["3.8.1", "3.9.0", "4.0.2", "4.1.0", "4.1.3"]),
            ("var file", "terraform plan -var-file={v}", 'var_file = "{v}"', ["base.tfvars", "common.tfvars", "estate.tfvars", "live.tfvars", "main.tfvars"]),
            ("state bucket", "terraform init -backend-config=bucket={v}", 'bucket = "{v}"', ["sm-tfstate", "sm-state-eu", "estate-state", "estate-tf-2", "tf-live"]),
            ("on-call channel", "scripts/smoke.sh --notify {v}", 'channel: "{v}"', ["#ops-alerts", "#estate-oncall", "#sm-pager", "#run-desk", "#night-watch"]),
        ]),
    "quillfeed": dict(
        user="tobias", home="/Users/tobias/work/quillfeed", files=_sql, nice="the warehouse", extra_dirs=("staging", "marts"),
        tests=["dbt test --select {a}", "dbt compile --select {a}", "sqlfluff lint models --rules core", "pytest analysis -q"],
        looks=["dbt ls --select {a}+", "duckdb wh.db \"select count(*) from {a}\"", "duckdb wh.db \"describe {a}\"", "git log --oneline -8 -- models", "dbt show --select {a} --limit 5",
               "duckdb wh.db \"select max(loaded_at) from {a}\"", "jq '.nodes | keys | length' target/manifest.json"],
        polls=["dbt cloud run get --id 88{n}", "tail -n 3 logs/load_{a}.log"],
        settings=[
            ("dbt target", "dbt run --target {v} --select marts", 'target: {v}', ["analytics_dev", "wh_dev", "wh_pre", "wh_rc", "wh_main"]),
            ("warehouse size", "snow sql -w {v} -q 'select 1'", 'warehouse: {v}', ["LOAD_S", "LOAD_M", "ELT_M", "ELT_XS", "ELT_L"]),
            ("fiscal start", "dbt run --vars 'fiscal_start: {v}'", 'fiscal_start = "{v}"', ["02-01", "04-01", "07-01", "10-01", "01-15"]),
            ("currency table", "dbt run-operation load_fx --args 'table: {v}'", 'fx_table: {v}', ["fx_daily", "fx_mid", "fx_ecb", "fx_close", "fx_noon"]),
            ("retention", "python analysis/prune.py --keep {v}", 'KEEP = "{v}"', ["400d", "365d", "180d", "240d", "90d"]),
            ("sample share", "python analysis/forecast.py --sample {v}", 'SAMPLE = {v}', ["0.05", "0.08", "0.12", "0.2", "0.15"]),
            ("export folder", "rsync -a out/ {v}", 'export_dir = "{v}"', ["s3://qf-out/a", "s3://qf-out/b", "s3://feed-exports", "s3://qf-share", "gs://qf-share"]),
            ("report owner", "python analysis/mail.py --to {v}", 'owner: {v}', ["m.sand@quill", "bi-team@quill", "ops-bi@quill", "k.ohm@quill", "data@quill"]),
        ]),
    "ferrybox": dict(
        user="rhea", home="/home/rhea/src/ferrybox", files=_fw, nice="the firmware", extra_dirs=("drv", "hal"),
        tests=["ctest --test-dir build -R {a}", "make -C build {a}", "cppcheck --quiet src", "ninja -C build check"],
        looks=["arm-none-eabi-nm build/{a}.o | head", "git log --oneline -8 -- src", "rg -c 'TODO' src | sort", "arm-none-eabi-size build/fw.elf", "openocd -c 'targets; exit'",
               "objdump -h build/{a}.o", "cat build/{a}.map | head -20"],
        polls=["tail -n 2 /tmp/hil_{a}.log", "curl -s bench-{n}.lab/status"],
        settings=[
            ("board", "cmake -B build -DBOARD={v}", '#define BOARD "{v}"', ["fb_rev_a", "fb_rev_b", "fb_rev_c", "fb_lite", "fb_rev_d"]),
            ("serial port", "miniterm --port {v} --raw", 'port = "{v}"', ["/dev/ttyUSB0", "/dev/ttyACM0", "/dev/ttyACM1", "/dev/ttyUSB3", "/dev/ttyACM4"]),
            ("baud rate", "flasher --baud {v} build/fw.bin", '#define BAUD {v}', ["57600", "115200", "230400", "460800", "921600"]),
            ("linker script", "make LDSCRIPT={v} fw", 'LDSCRIPT := {v}', ["mem_256k.ld", "mem_512k.ld", "mem_boot.ld", "mem_ab.ld", "mem_1m.ld"]),
            ("bench host", "ssh {v} run-hil", 'bench: {v}', ["bench-2.lab", "bench-4.lab", "bench-9.lab", "rack-1.lab", "rack-3.lab"]),
            ("stack size", "cmake -B build -DSTACK={v}", '#define STACK_BYTES {v}', ["1536", "2048", "3072", "4096", "2560"]),
            ("signing key", "imgtool sign --key {v} build/fw.bin", 'SIGN_KEY = {v}', ["dev1.pem", "dev2.pem", "field.pem", "pilot.pem", "lab7.pem"]),
            ("probe id", "pyocd flash --probe {v} build/fw.hex", 'probe: "{v}"', ["0240B1", "0240C7", "0251A9", "0251D0", "0266F2"]),
        ]),
    "larkspur": dict(
        user="corinna", home="/home/corinna/dev/larkspur", files=_web, nice="the shop", extra_dirs=("services", "jobs"),
        tests=["bin/rspec spec/services/{a}_spec.rb", "bin/rubocop app", "yarn vitest run {a}", "bin/rails zeitwerk:check"],
        looks=["bin/rails routes -g {a}", "git log --oneline -8 -- app", "bin/rails runner 'puts Order.count'", "yarn why vue", "psql -c '\\d {a}s'", "bin/rails db:migrate:status | tail -4",
               "redis-cli llen q:{a}"],
        polls=["gh run view 71{n} --json status", "heroku ps -a lark-{a}"],
        settings=[
            ("review app", "heroku run -a {v} rails c", 'app: "{v}"', ["lark-review", "lark-rv-2", "lark-stage", "lark-pre", "lark-demo"]),
            ("payment endpoint", "curl -s {v}/health", 'endpoint: "{v}"', ["https://pay1.lark.example", "https://pay2.lark.example", "https://pg.lark.example", "https://psp.lark.example", "https://pay.lark.example"]),
            ("feature branch", "git push origin HEAD:{v}", 'branch: {v}', ["summer", "autumn-sale", "next", "release-11", "release-12"]),
            ("hold time", "bin/rails 'seats:release[{v}]'", 'HOLD_MINUTES = {v}', ["10", "12", "15", "8", "20"]),
            ("node version", "nvm exec {v} yarn build", 'node: "{v}"', ["18.19", "20.11", "20.14", "22.3", "22.8"]),
            ("mail template", "bin/rails 'mail:preview[{v}]'", 'template: "{v}"', ["tpl_plain", "tpl_2026", "tpl_warm", "tpl_short", "tpl_brand"]),
            ("queue name", "bin/sidekiq -q {v}", 'queue_as :{v}', ["mailers", "slow", "bulk", "night", "bulk2"]),
            ("image bucket", "aws s3 ls s3://{v}", 'bucket: "{v}"', ["lark-img", "lark-media", "lark-assets", "shop-media", "lark-cdn"]),
        ]),
}


class Repo:
    """Files and their lines; reads and edits are carried out, so a read shows what was written before."""

    def __init__(self, world, seed, scale=1.0, many=1):
        self.w = CODE_WORLDS[world]
        self.name = world
        self.seed = seed
        self.scale = scale
        self.pairs = dict(self.w["files"]())
        if many > 1:
            base = list(self.pairs.items())
            for k in range(2, many + 1):
                for p, t in base:
                    self.pairs[_numbered(p, k)] = _numbered(t, k) if t else None
        self.lines = {}

    def twin(self, path):
        return self.pairs.get(path)

    def length(self, path):
        r = random.Random(f"len|{self.name}|{self.seed}|{path}")
        return int(min(700, max(18, r.lognormvariate(4.0, 0.6) * self.scale)))

    def text(self, path, grown=1.0):
        if path not in self.lines:
            r = random.Random(f"txt|{self.name}|{self.seed}|{path}")
            n = self.length(path)
            self.lines[path] = [code_line(path, r, i) for i in range(n)]
        have = self.lines[path]
        want = int(self.length(path) * grown)
        if want > len(have) + 5:
            r = random.Random(f"grow|{path}|{want}")
            have.extend(code_line(path, r, i) for i in range(len(have), want))
        return have


def _numbered(path, k):
    head, _, tail = path.rpartition("/")
    stem, dot, ext = tail.partition(".")
    return f"{head}/{stem}{k}{dot}{ext}" if not stem.startswith("main") else f"{head}{k}/{tail}"


def code_line(path, r, i):
    w, v, z = r.choice(WORDS), r.choice(WORDS), r.choice(WORDS)
    n = r.randrange(2, 900)
    k = r.random()
    if k < 0.09:
        return ""
    if path.endswith(".tf"):
        return r.choice([f'resource "aws_{w}" "{v}_{n}" {{', f'  {w}_{v} = "{z}-{n}"', f"  count = var.{w}_count", "}", f"  depends_on = [aws_{w}.{v}]", f"  # {w} keeps the {v} apart from the {z}"])
    if path.endswith((".yml", ".yaml")):
        return r.choice([f"{w}:", f"  {v}_{z}: {n}", f"  - name: {w} the {v}", f"    when: {w}_{z} is defined", f"  {w}: \"{v}-{n}\"", f"  # {v} per {z}"])
    if path.endswith(".sql"):
        return r.choice([f"  , {w}.{v}_id", f"  , sum({w}_{v}) as {w}_{z}", f"left join {{{{ ref('{w}_{v}') }}}} as {z} using ({w}_id)", f"where {w}_{v} > {n}", f"-- {w} without {v}", f"  , coalesce({w}_{z}, {n}) as {z}"])
    if path.endswith((".c", ".h")):
        return r.choice([f"static int {w}_{v}(uint8_t {z})", "{", f"    {w}->{v} = {n}u;", f"    if ({w}_{v} != {z}_OK) return -{n % 40};", "}", f"#define {w.upper()}_{v.upper()} {n}", f"/* {w} before {v} */"])
    if path.endswith(".vue"):
        return r.choice([f"  <{w}-{v} :{z}=\"{w}\" />", f"const {w}{v.title()} = computed(() => props.{z} * {n})", "</div>", f"  <div class=\"{w}__{v}\">", f"// {w} hides the {z}"])
    if path.endswith(".py"):
        return r.choice([f"def {w}_{v}({z}):", f"    {w} = {z}[\"{v}\"] * {n}", f"    return {w}", f"# {w} per {v}", f"    frame = frame.join({w}, on=\"{v}_id\")"])
    if path.endswith(".sh"):
        return r.choice([f"{w}_{v}=\"${{{z.upper()}:-{n}}}\"", f"if ! {w} --{v} {n}; then", "fi", f"# {w} first, {v} later", f"{w} | {v} -n {n}"])
    return r.choice([f"def {w}_{v}({z})", f"  {w}.{v}!(amount: {n})", f"  return if {z}.{w}?", "end", f"# {w} must not wait for {v}", f"  validates :{w}_{v}, presence: true"])


# ---------------------------------------------------------------- desks

# setting: spoken, key (nested, same word as spoken), alias key, values (codes), unit for prose
DESKS = {
    "hollowell": dict(
        user="maud", home="/home/maud/desk", what="patient", nice="practice", idf=lambda r: f"{r.randrange(20, 79)}-{r.randrange(1000, 9999)}",
        names=["Bramble", "Otis", "Pepper", "Juno", "Biscuit", "Clover", "Figaro", "Mabel", "Rollo", "Saffron", "Tilly", "Wren", "Hazel", "Monty", "Pip", "Dandy"],
        second=["Ashdown", "Berrow", "Calder", "Dunmore", "Ellery", "Farrow", "Garside", "Haddon", "Ibbot", "Jessop"], sep=" / ",
        tools=dict(find="patient_lookup", open="chart", open2="chart_archive", hist="visit_list", hist2="visit_invoices", change="slot_move", quote="estimate", send="owner_text", list="day_sheet"),
        fields=["species", "weight_kg", "vaccinated", "allergy", "insurer", "next_visit", "vet", "note"], rid="EST",
        settings=[("out-of-hours fee", "out_of_hours_fee", "ooh_amt", ["48", "55", "62", "68", "75"]), ("lab courier", "lab_courier", "dispatch_cd", ["VLX", "PAWX", "QRUN", "LABGO", "ZIPV"]),
                  ("wormer", "wormer", "prod_sku", ["PNX-5", "DRT-2", "MLB-9", "CST-4", "ENV-1"]), ("deposit", "deposit", "prepay_pct", ["20", "25", "35", "40", "15"]),
                  ("insurer portal", "insurer_portal", "carrier_ep", ["agria-1", "petp-3", "mtl-2", "agria-4", "dlk-1"]), ("surgery room", "surgery_room", "loc", ["R2", "R5", "R7", "R1", "R9"]),
                  ("branch code", "branch_code", "site_cd", ["HWL", "HWM", "HXN", "HYP", "HZQ"]), ("sender name", "sender_name", "from_id", ["HOLVET", "HWVETS", "HOLLOW", "HWPETS", "VETHW"])]),
    "nordkai": dict(
        user="jannik", home="/Users/jannik/nordkai-desk", what="consignment", nice="forwarding desk", idf=lambda r: f"NK{r.randrange(210000, 899999)}",
        names=["Lindqvist Möbel", "Aster Tools", "Baltic Seeds", "Corvid Optics", "Delft Ceramics", "Eider Outdoor", "Fjell Paints", "Gotland Wool", "Halden Pumps", "Iver Marine", "Jarl Cycles", "Kestrel Audio",
               "Lomond Tea", "Marden Glass", "Narvik Steel", "Oland Stone"],
        second=["Gdynia", "Rotterdam", "Aarhus", "Tallinn", "Hull", "Gothenburg", "Bremerhaven", "Antwerp", "Klaipeda", "Riga"], sep=", ",
        tools=dict(find="consignment_search", open="consignment_get", open2="consignment_get_draft", hist="milestone_log", hist2="document_log", change="leg_rebook", quote="rate_quote", send="party_notify", list="sailing_board"),
        fields=["shipper", "gross_kg", "packages", "incoterm", "vessel", "cut_off", "customs", "remark"], rid="QTE",
        settings=[("fuel surcharge", "fuel_surcharge", "baf_pct", ["14.5", "16.0", "17.5", "19.0", "12.5"]), ("customs broker", "customs_broker", "agent_cd", ["KLARA", "ZOLLEX", "BRK-7", "DOGANA", "CUSTO"]),
                  ("preferred carrier", "preferred_carrier", "scac", ["DFDS", "UNFE", "SMLU", "CMDU", "VIKL"]), ("free days", "free_days", "dem_free", ["5", "7", "10", "4", "6"]),
                  ("terminal", "terminal", "pol_term", ["T1W", "T3E", "CT4", "N7", "T9S"]), ("tariff sheet", "tariff_sheet", "trf_rev", ["2026-A", "2026-C", "2026-D", "2026-F", "2026-H"]),
                  ("office code", "office_code", "org_unit", ["HAM2", "HAM4", "LUB1", "KIE3", "RST5"]), ("cut-off time", "cut_off_time", "closing", ["14:00", "15:30", "12:00", "16:15", "11:45"])]),
    "greyfriars": dict(
        user="orla", home="/home/orla/lettings", what="tenancy", nice="lettings office", idf=lambda r: f"GF-{r.choice('ABCDEFG')}{r.randrange(100, 989)}",
        names=["4 Abbot's Row", "14 Abbot's Row", "7 Canon Street", "17 Canon Street", "2 Deanery Close", "12 Deanery Close", "9 Friary Lane", "19 Friary Lane", "3 Minster Walk", "13 Minster Walk", "6 Priory Gate", "16 Priory Gate",
               "8 Chapter Hill", "18 Chapter Hill", "1 Almoner Court", "11 Almoner Court"],
        second=["flat A", "flat B", "flat C", "ground floor", "upper floor", "annexe", "studio", "flat 2", "flat 3", "rear"], sep=", ",
        tools=dict(find="tenancy_find", open="tenancy_view", open2="tenancy_view_former", hist="rent_ledger", hist2="repair_ledger", change="tenancy_amend", quote="charge_calc", send="letter_send", list="due_list"),
        fields=["tenant", "rent", "deposit_held", "start", "break_clause", "pets", "meter", "memo"], rid="CHG",
        settings=[("late fee", "late_fee", "arrears_chg", ["20", "24", "30", "18", "35"]), ("deposit scheme", "deposit_scheme", "tds_ref", ["MYD", "TDS", "DPS", "DSC", "TDX"]),
                  ("contractor", "contractor", "vendor_no", ["PLM-3", "FXT-8", "HNDY-1", "KEEP-6", "PLM-9"]), ("notice period", "notice_period", "ntc_days", ["28", "60", "56", "42", "30"]),
                  ("inspection slot", "inspection_slot", "visit_win", ["AM1", "PM2", "AM3", "PM4", "EV1"]), ("rent index", "rent_index", "uplift_pct", ["3.1", "4.0", "4.8", "2.6", "5.2"]),
                  ("ledger series", "ledger_series", "journal", ["GFA", "GFK", "GFR", "GFX", "GFZ"]), ("letter set", "letter_set", "doc_tpl", ["L20", "L24", "L26", "L31", "L33"])]),
    "aurelia": dict(
        user="emeric", home="/Users/emeric/box-office", what="performance", nice="box office", idf=lambda r: f"AH{r.randrange(26, 28)}-{r.randrange(1000, 9899)}",
        names=["Winterreise", "Winter Songs", "Figaro", "Figaro (family)", "Bach Vespers", "Bach Matins", "Late Quartet", "Late Quintet", "Tango Night", "Tango Matinee", "Silent Film I", "Silent Film II", "Youth Choir", "Youth Brass", "Schubert Day", "Schumann Day"],
        second=["Thu 19:30", "Fri 19:30", "Sat 15:00", "Sat 19:30", "Sun 11:00", "Sun 18:00", "Tue 20:00", "Wed 20:00", "Fri 17:00", "Mon 20:00"], sep=" — ",
        tools=dict(find="event_search", open="event_card", open2="event_template", hist="seat_log", hist2="refund_log", change="event_update", quote="price_build", send="patron_mail", list="week_board"),
        fields=["hall", "capacity", "sold", "house_seats", "doors", "interval", "sponsor", "comment"], rid="PRC",
        settings=[("booking fee", "booking_fee", "svc_chg", ["1.80", "2.20", "2.50", "2.90", "1.50"]), ("student rate", "student_rate", "conc_pct", ["40", "50", "35", "60", "45"]),
                  ("seat plan", "seat_plan", "plan_rev", ["SP-7", "SP-8", "SP-11", "SP-12", "SP-15"]), ("hold release", "hold_release", "rel_hours", ["48", "36", "24", "72", "60"]),
                  ("ticket stock", "ticket_stock", "media_cd", ["IVORY", "SLATE", "AMBER", "MOSS", "COAL"]), ("card processor", "card_processor", "psp", ["ADY-2", "SUM-1", "MOL-4", "WPY-3", "ADY-6"]),
                  ("season code", "season_code", "ssn", ["S26B", "S27A", "S27C", "S27F", "S28A"]), ("usher team", "usher_team", "crew", ["T-red", "T-blue", "T-gold", "T-jade", "T-plum"])]),
}

MORE_TOOLS = ["calendar_read", "calendar_hold", "inbox_scan", "inbox_label", "contact_card", "contact_merge", "map_route", "fx_rate", "holiday_check", "doc_render", "doc_fetch", "sheet_row", "sheet_sum", "task_add", "task_close",
              "call_log", "voicemail_text", "print_queue", "stock_level", "stock_move", "vat_check", "iban_check", "weather_day", "translate_text", "audit_note", "photo_list", "photo_tag", "queue_depth", "survey_read", "roster_day",
              "badge_lookup", "parcel_track"]


class Desk:
    def __init__(self, world, seed):
        self.w = DESKS[world]
        self.name = world
        r = random.Random(f"desk|{world}|{seed}")
        self.recs, self.twins = {}, {}
        used = set()
        subs = {n: r.sample(self.w["second"], len(self.w["second"])) for n in self.w["names"]}
        for i in range(44):
            name = self.w["names"][i % len(self.w["names"])]
            if len(subs[name]) < 2:
                continue
            sec = subs[name].pop()
            a = self.w["idf"](r)
            d = [k for k, ch in enumerate(a) if ch.isdigit()]
            j = d[-3]
            b = a[:j] + a[j + 1] + a[j] + a[j + 2:] if a[j] != a[j + 1] else a[:j] + str((int(a[j]) + 1) % 10) + a[j + 1:]
            if a in used or b in used:
                continue
            used |= {a, b}
            sec2 = subs[name].pop()
            self.recs[a] = (name, sec)
            self.recs[b] = (name, sec2)
            self.twins[a], self.twins[b] = b, a
        self.ids = list(self.recs)
        self.version = {}

    def label(self, rid):
        n, s = self.recs[rid]
        return f"{n}{self.w['sep']}{s}"

    def card(self, rid):
        r = random.Random(f"card|{self.name}|{rid}")
        v = self.version.get(rid, 0)
        f = self.w["fields"]
        body = {f[0]: r.choice(WORDS), f[1]: round(r.uniform(3, 900), 1), f[2]: r.randrange(1, 400), f[3]: r.choice(WORDS), f[4]: r.choice(WORDS).title(), f[5]: f"2026-{r.randrange(1, 13):02d}-{r.randrange(1, 28):02d}",
                f[6]: {"by": r.choice("anna bo cleo dirk".split()), "rev": 3 + v}, f[7]: " ".join(r.choice(WORDS) for _ in range(7 + v))}
        n, s = self.recs[rid]
        return {"no": rid, "title": n, "sub": s, "body": body}


# ---------------------------------------------------------------- what people write

CODE_ASK = {
    "fix": ["{b} is acting up again since this morning, can you find out why and fix it", "getting `{w}_{v} is nil` out of {b}. please fix", "the {w} part in {b} counts twice, fix that", "fix :\n{w}: unexpected {v} at {p}:{n}\nexit status 1",
            "CI says {b} fails on the {w} check, not on my machine. have a look", "a customer reports the {w} is off by one in {b}", "why does {b} keep {n} old {w} entries? clean that up please", "the {v} timeout in {b} is far too short in practice, sort it out"],
    "feature": ["add a {w} switch to {b}, off by default", "we want {b} to write the {v} into the {w} as well", "can you add {w} support in {b}, same way as we do for {v}", "let's have a per-{w} limit in {b}", "extend {b} so the {v} can be skipped for one {w}",
                "new: {b} should warn when the {w} is older than {n} days"],
    "question": ["what does {b} do with an empty {w}?", "where else is {w}_{v} used?", "can you explain how {b} decides about the {v}", "is there a reason why {b} has its own {w}?", "who writes the {w} that {b} reads?", "do we even need {w} in {b}?"],
    "review": ["eval this feedback on {b}: \"the {w} handling duplicates the {v}\"", "review what's on this branch for {b}", "address pr feedback on {b}", "have a look at {b} with fresh eyes, anything risky around the {w}?"],
    "ops": ["check whether the {w} is healthy after last night", "run the usual checks for {b} and tell me", "how full is the {w} at the moment?", "look up the last changes around {b} and the {v}", "is the {w} run through?", "rotate the {w} and confirm"],
    "small": ["commit", "commit and push", "yes please", "ok do it", "continue", "fix lint", "run the tests", "yes to both", "now the same for {b}"],
    "compare": ["compare {b} with its {o} counterpart and list the differences", "does {b} differ from the {o} one? put both side by side", "bring {b} in line with the {o} version where it makes sense, look at both"],
}
CODE_ASK_DE = {
    "fix": ["{b} spinnt seit heute früh, schau mal warum", "in {b} wird der {w} doppelt gezählt, bitte beheben", "CI meldet {b} rot beim {w}-Schritt, lokal läuft es", "der Timeout für {v} in {b} ist zu kurz, bitte anpassen", "Fehler aus {b}:\n{w}: unexpected {v} in Zeile {n}"],
    "feature": ["bau in {b} einen Schalter für {w} ein, standardmäßig aus", "{b} soll auch den {v} mitschreiben", "bitte in {b} ein Limit je {w} ergänzen", "neu: {b} soll warnen, wenn {w} älter als {n} Tage ist"],
    "question": ["was macht {b}, wenn {w} leer ist?", "wo wird {w}_{v} noch verwendet?", "kannst du mir erklären, wie {b} den {v} bestimmt", "brauchen wir {w} in {b} überhaupt?"],
    "review": ["schau dir {b} noch mal in Ruhe an, gibt es Risiken beim {w}?", "arbeite das Review-Feedback zu {b} ein"],
    "ops": ["prüf bitte, ob {w} nach heute Nacht gesund ist", "lass die üblichen Prüfungen für {b} laufen", "wie voll ist {w} gerade?", "ist der {w}-Lauf durch?"],
    "small": ["commit", "ja bitte", "ok mach das", "weiter", "Tests laufen lassen", "jetzt dasselbe für {b}", "passt, committen und pushen"],
    "compare": ["vergleich {b} mit der {o}-Variante", "leg {b} und die {o}-Version nebeneinander"],
}
DESK_ASK = {
    "look": ["what's the status of {l}?", "pull up {l} for me", "when is {l} next due?", "someone called about {l}, what do we have on file", "is {l} all set?", "anything odd with {l}?"],
    "change": ["please move {l} to next week", "{l}: change the {f}, they confirmed by phone", "update the {f} for {l}", "put {l} on hold until Friday"],
    "quote": ["work out the figure for {l}, usual terms", "prepare the numbers for {l} as always", "price {l} please, standard conditions", "do the calculation for {l}"],
    "send": ["write to {l} that it is ready", "drop {l} a line about the delay", "send {l} the usual confirmation"],
    "list": ["what's on today?", "give me this week's list, anything with {l} first", "who is still open for tomorrow"],
    "know": ["what is our {s} at the moment?", "remind me, which {s} do we use now?", "a new colleague asks for the {s}", "quick one: {s}?", "for the notice board: current {s} and nothing else"],
    "small": ["thanks", "go ahead", "yes please", "ok next", "both, please", "same again for {l}"],
}
DESK_ASK_FR = {
    "look": ["où en est {l} ?", "ouvre-moi {l} s'il te plaît", "quelqu'un a appelé pour {l}, qu'est-ce qu'on a ?", "c'est bon pour {l} ?"],
    "change": ["déplace {l} à la semaine prochaine", "{l} : change le champ {f}, c'est confirmé", "mets {l} en attente jusqu'à vendredi"],
    "quote": ["calcule le montant pour {l}, conditions habituelles", "prépare les chiffres pour {l} comme d'habitude"],
    "send": ["écris à {l} que c'est prêt", "envoie la confirmation habituelle à {l}"],
    "list": ["qu'est-ce qu'il y a aujourd'hui ?", "la liste de la semaine, {l} d'abord"],
    "know": ["c'est quoi notre {s} en ce moment ?", "rappelle-moi le {s} actuel"],
    "small": ["merci", "vas-y", "oui", "d'accord, suivant", "pareil pour {l}"],
}
# plain additions that hold words a careless reader takes for trouble
SPICE = ["no rush", "not urgent, but don't forget the {w} note", "the error page text can stay as it is", "ignore the failing {w} badge, known", "stop at the first {v}", "undo button comes later", "and wrong-number calls are to be skipped",
         "I was wrong about the {w} yesterday, sorry", "never mind the {v}", "that last one was great", "wait for the nightly run, then go"]
SPICE_DE = ["keine Eile", "die Fehlerseite bleibt wie sie ist", "das falsche Datum in der Vorlage kenne ich, egal", "nicht anfassen: {w}", "super gestern übrigens", "mein Fehler mit dem {v} gestern"]

CORR_CODE = [
    "it is still there, the {w} shows up exactly as before", "hm, that is the {v}, I meant the {w}", "still the same with {b} :(", "you've done more than is necessary, take the {v} part out again", "that's not what the {w} is for", "I asked for one line, this rewrites half of {b}",
    "the old behaviour came back with your change", "this breaks the {v}, did you try it?", "Nope, same output as before", "please put the comment back that you took out of {b}", "the {w} should have stayed as it was", "you left out the {v} completely",
    "wrong way round: {w} first, then {v}", "I don't think that's right, {b} has no {w}", "we lost the {v} somehow", "that doesn't sound right, we never had a {w} in there", "reads fine but it does the opposite of what I said", "you forgot {b}",
    "why is {b} touched at all? revert that one", "look again, the {w} is computed two lines above", "that answers a different question", "the number can't be right, there are {n} of them", "not in {b}. In the other place we talked about", "it runs now but the {v} is gone",
    "this is the third {w} in there, one is enough", "as I said at the start, no new dependency", "you're guessing. open the file and tell me what it says", "half of it is missing", "didn't we agree on keeping {w}?", "I can't use it like that, the {v} must come out empty",
]
CORR_CODE_DE = [
    "das ist immer noch so, {w} taucht genauso auf wie vorher", "ich meinte {w}, du hast {v} geändert", "bei mir unverändert :(", "das war jetzt deutlich mehr als nötig, nimm den {v}-Teil wieder raus", "dafür ist {w} nicht da", "eine Zeile hätte gereicht, du hast halb {b} umgeschrieben",
    "jetzt ist der alte Zustand wieder da", "damit geht {v} kaputt, hast du es probiert?", "nee, gleiche Ausgabe wie vorhin", "der Kommentar in {b} sollte drinbleiben", "{w} hättest du lassen sollen", "{v} fehlt komplett", "genau andersherum: erst {w}, dann {v}",
    "kann nicht sein, {b} hat gar kein {w}", "irgendwo ist uns {v} verloren gegangen", "das klingt falsch, so etwas hatten wir da nie", "liest sich gut, macht aber das Gegenteil", "{b} hast du vergessen", "warum ist {b} überhaupt angefasst? bitte zurücknehmen",
    "schau noch mal hin, {w} steht zwei Zeilen drüber", "das beantwortet eine andere Frage", "die Zahl stimmt nicht, es sind {n}", "nicht in {b}, an der anderen Stelle, über die wir geredet haben", "läuft zwar, aber {v} ist weg", "wie am Anfang gesagt: keine neue Abhängigkeit",
    "du rätst. mach die Datei auf und sag mir, was drinsteht", "die Hälfte fehlt", "so kann ich das nicht brauchen, {v} muss leer rauskommen", "wir hatten uns doch auf {w} geeinigt", "das dritte {w} da drin, eins reicht",
]
CORR_DESK = [
    "that's the other one, I asked about {l}", "they were told something else on the phone, please check {l} again", "the {f} is still the old one", "you wrote to the wrong person", "I said next week, this is the week after", "hm, the sum is too low, look at the {f} once more", "{l} was meant to stay put",
    "the letter has the {f} twice", "that isn't what they ordered", "you skipped the {f}", "we don't do that for {l}, take it back out", "looks like yesterday's list", "it should have been on hold, they just called me", "please read the note on {l} before you answer", "not that tone, and the {f} is missing",
    "now it's booked two times", "half the answer is about somebody else", "the date can't be, that was a Sunday",
]
CORR_DESK_FR = ["ce n'est pas le bon, je parlais de {l}", "le champ {f} est toujours l'ancien", "j'avais dit la semaine prochaine", "le total me paraît trop bas, regarde encore", "tu as oublié le {f}", "c'est réservé deux fois maintenant", "la moitié de la réponse concerne quelqu'un d'autre", "relis la note avant de répondre"]

WISHES = ["nice. a bit shorter please", "can the heading go above the list", "good, and now in a table", "looks right, one more thing: sort it by {w}", "great, call it {w}_{v} instead", "fine, put a blank line in between", "good as is, add an example too", "ok, make the {w} bold while you're there",
          "works! could the order be {v}, {w}", "perfect, now a version for the newcomers", "could you round that to whole numbers", "let's also mention the {v}"]

REJECT_WHY = ["use the existing helper for the {w}", "leave that file alone, it is generated", "ask me before you touch {b}", "not with sed, edit it properly", "I'd rather have this in {b}", "that would restart the {w} for everybody", "too broad, only the {v} line", "read {b} first", "that's the wrong direction, keep the {w}",
              "I'll do the {v} myself, skip this"]
STOP_NEXT = ["hold on, the {w} must not change. only {b}", "do not run that here, read {b} instead", "that takes too long, just look at {b}", "you are in the wrong place, it's {b}", "stop adding things. {w} only", "resume, but leave the {v} alone"]

CHANGE_NOTE = ["Heads-up: {s} is {new} from now on, {old} is gone.", "we switched the {s} this morning, it's {new} now (was {old})", "fyi {s} → {new}. {old} no longer works for us", "Please note: the {s} changed from {old} to {new}.", "new {s}: {new}. forget {old}"]
CHANGE_NOTE_FR = ["À noter : {s} passe de {old} à {new}.", "{s} : c'est {new} maintenant, plus {old}"]
STALE_FIX = ["that's the old {s}, it is {new}", "{new}, not {old}", "we changed the {s}, remember? {new}", "the {s} has been {new} for a while now", "please again with {new}"]
STALE_FIX_FR = ["c'est l'ancien {s}, maintenant c'est {new}"]

ASKS = [("target branch", "Which branch should this go to?", "Shall I base this on main or on the release branch?", ["main", "the release branch", "a new branch off main"]),
        ("ticket", "Is there a ticket number I should put into the commit message?", "Which ticket do I reference?", ["OPS-{n}", "none, leave it out", "same as last one, LK-{n}"]),
        ("reviewer", "Who reviews this?", "Whom should I put down as reviewer?", ["Milan", "nobody, I'll look myself", "the platform people"]),
        ("tests", "Do you want a test for every case or one smoke test?", "How thorough should the tests be, one or all cases?", ["one smoke test", "all cases", "skip tests today"]),
        ("window", "When may I restart things?", "Is a restart fine right now, or is there a window?", ["after 18:00", "any time", "only on request"]),
        ("style", "Should I keep the old naming?", "Old names or new names?", ["keep the old names", "new names", "whatever is shorter"]),
        ("docs", "Update the README along with it?", "Does the README get a line, too?", ["yes, one line", "no", "only the changelog"]),
        ("scope", "Only this environment, or the others as well?", "Is this for one environment or for all?", ["just this one", "all of them", "this one and the lab"]),
        ("rollback", "If it goes wrong, roll back or fix forward?", "Do you prefer rollback or a fix forward?", ["roll back", "fix forward", "call me"]),
        ("units", "Milliseconds or seconds?", "Which unit do you want there, ms or s?", ["seconds", "ms", "as it was"])]
ASK_REPLY_AGAIN = ["as I wrote: {a}", "{a}", "already told you, {a}", "same answer as before: {a}", "{a} (see above)"]

ALIKE_SAY = ["That is the {o} side, not the one asked for. Opening the right one.", "Hm, this belongs to {o}. Switching to {b}.", "Not this one. The request is about {b}.", "I opened the {o} counterpart by mistake.", "Similar name, other place. Now {b}.", ""]
REVERT_SAY = ["Wrong file, that was the {o} copy. Reverting it.", "I patched the counterpart. Undoing that and doing it in {b}.", "That change belongs in {b}; restoring this one."]
REC_SAY = ["That is another {what} with nearly the same number. Opening {r}.", "Same name, different one. Taking {r}.", "Not the right {what}.", ""]
TOOL_SAY = ["That tool covers something else; using the right one.", "Wrong tool for this.", ""]
TALK = ["Let me check {b} first.", "I'll start with the {w}.", "Now the {v} part.", "Next, {b}.", "Good. Let me see how the {w} is wired.", "One more look before I change anything.", "I have what I need.", "Running the checks now."]
ANSWER = ["Done. {b} now handles the {w}; the {v} stays as it was.", "Finished: the {w} in {b} is in place and the checks ran.", "{b} was the place. The {v} is read before the {w}, that is all.", "Changed {b}, nothing else touched.", "Summary:\n\n- {b}: {w}\n- {v} unchanged\n- checks as shown above",
          "The {w} is set in {b} and used in two places."]
ANSWER_ASKED = ["Short answer: {b} reads the {w} before the {v}; nothing else depends on it.", "It is used in two places, both shown above. {b} is the one that decides.", "Nothing unusual: the {w} is as expected, the {v} is quiet.", "Only {b} writes the {w}. The {v} is derived from it.",
                "As far as I can see {b} is fine. I would keep the {w} and drop the {v} some day."]
ANSWER_SMALL = ["Done.", "Committed.", "OK, done.", "That is in."]
ANSWER_DESK = ["{l}: everything as listed above.", "Done for {l}.", "{l} is up to date; the {f} is noted.", "Here is what we have on {l}: see the card above. Nothing is overdue.", "Sent."]
