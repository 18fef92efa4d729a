"""Settings told by users in prose and settings shown by tools; how they change and how they are used."""

HOSTS = ["stg-%02d.kestrel-lund.net", "stage%d.coldchain.internal", "kl-stg-%d.fra.example.net"]


def _num(lo, hi, step):
    return lambda r: str(r.randrange(lo, hi, step))


def _pick(*xs):
    return lambda r: r.choice(xs)


# key, english names, german names, generator, special uses
TOLD = [
    ("staging_host", ["staging host", "stage host"], ["Staging-Host", "Stage-Host"], lambda r: r.choice(HOSTS) % r.randint(2, 98),
     ["curl -fsS https://{v}/healthz", "ssh deploy@{v} 'systemctl is-active ingest'"]),
    ("release_branch", ["release branch", "branch for the release"], ["Release-Branch", "Branch fürs Release"], lambda r: "rel/%d.%d" % (r.choice([2025, 2026]), r.randint(1, 60)),
     ["git push origin HEAD:{v}", "git fetch origin {v}"]),
    ("batch_size", ["batch size", "size of a batch"], ["Batchgröße", "Größe der Batches"], _num(100, 4000, 25), ["./scripts/backfill.sh --batch-size {v} --dry-run"]),
    ("oncall", ["on-call", "oncall person"], ["Bereitschaft", "Rufbereitschaft"], lambda r: r.choice(["mirja", "tobias", "ines", "rasmus", "olek", "femke", "dagny", "paolo", "hui", "sanne", "bram", "aino"]) + r.choice(["", ".k", ".l", ".v", ".s"]),
     ["./scripts/page.sh --to {v} --dry-run"]),
    ("retention", ["retention"], ["Aufbewahrung", "Aufbewahrungsfrist"], lambda r: "%dd" % r.randrange(7, 400, 3), ["psql -c \"select prune_readings('{v}')\" coldchain_stage"]),
    ("tenant", ["tenant"], ["Mandant"], lambda r: r.choice(["nordfrost", "polarbuur", "frigosud", "isvard", "kuldehus", "glacis", "winterhof", "tundra"]) + "-%d" % r.randint(1, 60),
     ["python -m services.billing.export --tenant {v} --out /tmp/export.csv"]),
    ("carrier_code", ["carrier code", "code of the carrier"], ["Frachtführer-Code", "Carrier-Code"], lambda r: "KL" + r.choice("XQRTW") + str(r.randint(10, 99)), ["psql -c \"select count(*) from shipment_legs where carrier = '{v}'\" coldchain_stage"]),
    ("alert_channel", ["alert channel", "channel for alerts"], ["Alarmkanal", "Kanal für Alarme"], lambda r: "#" + r.choice(["cold", "reefer", "ops", "lane", "edge"]) + "-" + r.choice(["alerts", "pager", "fires", "watch", "incidents"]) + r.choice(["", "-eu", "-nord", "-2", "-b2b"]),
     ["./scripts/notify.sh '{v}' 'smoke finished'"]),
    ("threshold", ["threshold", "alarm threshold"], ["Schwelle", "Alarmschwelle"], lambda r: "-%d.%d" % (r.randint(12, 28), r.randint(0, 9)), ["python -m services.dispatch.eta_model --threshold={v} --check"]),
    ("pilot_depot", ["pilot depot", "depot for the pilot"], ["Pilot-Depot", "Depot für den Piloten"], lambda r: r.choice(["Aarhus", "Venlo", "Kolding", "Malmo", "Gdynia", "Bremen", "Tarvisio", "Rungis", "Antwerp", "Turku"]) + r.choice(["-Nord", "-Ost", "-Dock3", "-Hub", "-2"]),
     ["psql -c \"select * from late_legs where depot = '{v}' limit 5\" coldchain_stage"]),
    ("sprint_label", ["sprint label", "label of this sprint"], ["Sprint-Label", "Label vom Sprint"], lambda r: "%d-S%02d" % (r.choice([25, 26]), r.randint(1, 60)), ["gh issue list --label {v} --limit 5"]),
    ("request_timeout", ["timeout", "request timeout"], ["Timeout", "Anfrage-Timeout"], lambda r: "%ds" % r.randint(5, 180), ["./scripts/smoke.sh --timeout {v}"]),
]
TOLD_ = {t[0]: t for t in TOLD}

SHOWN = [
    ("image_tag", "json", lambda r: "v%d.%d.%d" % (r.randint(3, 5), r.randint(0, 40), r.randint(0, 30)), ["docker pull registry.kestrel-lund.net/ingest:{v}"]),
    ("replicas", "json", lambda r: str(r.randint(2, 48)), ["kubectl scale deploy/ingest --replicas={v} --dry-run=client"]),
    ("cluster", "json", lambda r: "kl-%s-%d" % (r.choice(["fra", "ams", "cph", "waw", "hel"]), r.randint(1, 40)), ["kubectl --context {v} get pods -n telemetry"]),
    ("ingest_shard", "yaml", lambda r: "shard-%02d%s" % (r.randint(1, 64), r.choice("abcd")), ["fleetctl drain {v} --plan"]),
    ("broker_url", "yaml", lambda r: "amqps://mq-%d.kestrel-lund.net:%d" % (r.randint(1, 60), r.choice([5671, 5672, 5673])), ["fleetctl ping --broker {v}"]),
    ("queue_limit", "yaml", _num(1000, 90000, 500), ["fleetctl queue set-limit {v} --dry-run"]),
    ("leader", "table", lambda r: "node-%s%d" % (r.choice("abcdefgh"), r.randint(10, 99)), ["ssh {v} uptime"]),
    ("api_port", "table", _num(7001, 9990, 3), ["curl -s localhost:{v}/metrics | head -3"]),
    ("cache_ttl", "file", lambda r: "%dm" % r.randint(2, 240), ["redis-cli -n 4 config set kl-cache-ttl {v}"]),
    ("worker_pool", "file", lambda r: "pool-%s-%d" % (r.choice(["std", "hot", "bulk"]), r.randint(1, 60)), ["python -m services.dispatch.handlers --worker-pool {v} --once"]),
    ("snapshot_id", "dash", lambda r: "snap-%06x" % r.getrandbits(24), ["coldctl restore --from {v} --verify-only"]),
    ("canary_weight", "dash", lambda r: "%d%%" % r.randint(1, 60), ["deployctl canary --weight {v} --dry-run"]),
]
SHOWN_ = {s[0]: s for s in SHOWN}
CMDS = {"json": ["deployctl status --env prod -o json", "deployctl status ingest -o json"], "yaml": ["fleetctl config show", "fleetctl config show --section ingest"],
        "table": ["coldctl topology", "coldctl topology --wide"], "dash": ["dash show sla", "dash show sla --last 1h"]}
RUNTIME = "deploy/config/runtime.toml"

TELL = {
    "en": ["btw the {n} is {v} now", "we moved the {n} to {v}", "{n} is {v} from today on", "use {v} as {n} please", "please note that the {n} changed, it's {v}",
           "from now on {v} is our {n}", "for the {n} take {v}", "the {n} should be {v}", "heads up: {v} is the {n} since this morning", "the {n}? that's {v} these days",
           "ops decided on {v} for the {n}", "I set the {n} to {v}", "remember {v}, that's the {n}", "the {n} will be {v} until further notice", "new {n}: {v}",
           "{n} -> {v}", "they gave us {v} as {n}", "we agreed on {v} as the {n} in the standup", "with immediate effect the {n} is {v}", "customer wants {v} as the {n}"],
    "en_old": ["{v} replaces {o} as {n}", "the {n} went from {o} to {v}", "don't use {o} any more for the {n}, it's {v}", "forget {o}, the {n} is {v}", "we switched the {n}, {o} is gone, {v} it is"],
    "de": ["übrigens, {n} ist jetzt {v}", "ab heute gilt {v} als {n}", "bitte {v} als {n} nehmen", "{n} hat sich geändert: {v}", "neu: {n} ist {v}",
           "wir haben {n} auf {v} umgestellt", "für {n} ab sofort {v}", "merk dir bitte: {n} {v}", "laut Betrieb ist {n} nun {v}", "{n} lautet seit heute früh {v}",
           "im Standup beschlossen: {v} als {n}", "{n} bitte auf {v} setzen"],
    "de_old": ["{v} ersetzt {o} als {n}", "{n} war {o}, ist jetzt {v}", "statt {o} gilt für {n} nun {v}", "vergiss {o}, {n} ist {v}"],
}
ASK = {"en": ["Which {n} should I use here?", "Before I go on: what is the {n} at the moment?", "I need the {n} for this step – can you tell me which one applies?",
              "Could you give me the current {n}?", "One question: what should I take as {n}?", "I don't have the {n}. What is it?"],
       "de": ["Welchen Wert soll ich für {n} nehmen?", "Kurze Rückfrage: wie lautet {n} gerade?", "Mir fehlt noch {n} – was gilt hier?", "Was ist aktuell {n}?"]}
ANSWER = {"en": ["{v}", "{v}, as i said", "still {v}", "it's {v}. I told you before", "{v} - see above", "the {n} is {v}", "{v} please"],
          "de": ["{v}", "{v}, hatte ich schon gesagt", "immer noch {v}", "{n} ist {v}, wie gesagt", "{v}, bitte"]}
OPENQ = {"en": [("Should the migration run before or after the nightly export?", "after"), ("Do you want a feature flag for this or straight to everyone?", "flag, default off"),
                ("There are two ways to do this: a new column or a lookup table. Which do you prefer?", "new column is fine"), ("Shall I also update the docs?", "yes, short"),
                ("Should old clients keep working with this change?", "yes for one quarter"), ("Is it fine to drop the legacy endpoint?", "leave it for now")],
         "de": [("Soll die Migration vor oder nach dem Nacht-Export laufen?", "danach"), ("Mit Feature-Flag oder direkt für alle?", "mit Flag, erstmal aus"),
                ("Neue Spalte oder eigene Tabelle?", "neue Spalte reicht"), ("Soll ich die Doku gleich mitziehen?", "ja, aber kurz")]}


class Values:
    """What the agent knows: every value with its history as told or shown."""

    def __init__(self, r):
        self.r = r
        self.told = {}
        self.shown = {}

    def fresh(self, gen, hist):
        r = self.r
        if len(hist) > 3 and r.random() < .05:
            return r.choice(hist[:-1]) if hist[-2] == hist[-1] else hist[-2]
        for _ in range(60):
            v = gen(r)
            if v not in hist:
                return v
        return v

    def tell(self, key):
        t = TOLD_[key]
        h = self.told.setdefault(key, [])
        old = h[-1] if h else None
        v = self.fresh(t[3], h)
        if v == old:
            v = t[3](self.r)
        h.append(v)
        return v, old

    def show(self, group, hazard, blocked):
        """Values of a group as the world has them now; some have changed since."""
        out = []
        for key, g, gen, _ in SHOWN:
            if g != group:
                continue
            h = self.shown.setdefault(key, [])
            if not h or (key not in blocked and self.r.random() < hazard):
                v = self.fresh(gen, h)
                if not h or v != h[-1]:
                    h.append(v)
                    blocked.add(key)
            out.append((key, h[-1]))
        return out

    def use(self, key, rate):
        """(value, replaced, stale)"""
        h = (self.told if key in TOLD_ else self.shown)[key]
        if len(set(h)) < 2:
            return h[-1], 0, 0
        if self.r.random() < rate:
            old = [x for x in h[:-1] if x != h[-1]]
            return (old[-1] if self.r.random() < .8 else self.r.choice(old)), 1, 1
        return h[-1], 1, 0


def render(group, pairs, r, ts):
    d = dict(pairs)
    if group == "json":
        return ('{\n  "service": "ingest",\n  "env": "prod",\n  "image_tag": "%s",\n  "replicas": %s,\n  "ready": true,\n  "cluster": "%s",\n  "updated": "%s",\n  "restarts": %d\n}'
                % (d["image_tag"], d["replicas"], d["cluster"], ts, r.randint(0, 4)))
    if group == "yaml":
        return ("ingest:\n  ingest_shard: %s\n  broker_url: %s\n  queue_limit: %s\n  compression: zstd\n  lag_seconds: %d\nfleet:\n  trucks_online: %d"
                % (d["ingest_shard"], d["broker_url"], d["queue_limit"], r.randint(0, 40), r.randint(200, 900)))
    if group == "table":
        rows = ["NODE        ROLE       STATE    LOAD", "%-11s leader     Ready    0.%d" % (d["leader"], r.randint(10, 99))]
        rows += ["w-%03d       follower   Ready    0.%d" % (r.randint(100, 999), r.randint(10, 99)) for _ in range(3)]
        return "\n".join(rows + ["", "KEY         VALUE", "leader      " + d["leader"], "api_port    " + d["api_port"], "quorum      3/5"])
    return ("SLA dashboard\n-------------\nuptime          99.%d%%\np95 latency     %d ms\nsnapshot id     %s\ncanary weight   %s\nopen alarms     %d"
            % (r.randint(80, 99), r.randint(80, 400), d["snapshot_id"], d["canary_weight"], r.randint(0, 9)))


def runtime_toml(pairs, r):
    d = dict(pairs)
    return ["# runtime settings, written by the platform team", "[cache]", 'backend = "redis"', 'cache_ttl = "%s"' % d["cache_ttl"], "max_entries = 50000", "",
            "[workers]", 'worker_pool = "%s"' % d["worker_pool"], "heartbeat = 15", "", "[metrics]", "enabled = true"]
