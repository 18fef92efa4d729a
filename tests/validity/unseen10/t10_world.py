"""The repository `hyphal` of Kappenwerk, a grower of speciality mushrooms, and the values that people and tools name."""

HALLS = ["laerche", "birke", "erle", "weide", "ahorn", "buche"]

# look-alike groups: every member resembles the others
_PAIRS = [
 ("ctl/fogger.py", "ctl/foggers.py"), ("ctl/valve_map.py", "ctl/valve_maps.py"), ("ctl/co2_loop.py", "ctl/co2_loops.py"), ("ctl/setpoint.py", "ctl/setpoints.py"),
 ("ctl/airlock.py", "ctl/airlocks.py"), ("ctl/drain_timer.py", "ctl/drain_timers.py"), ("ctl/sensors/sht40.py", "ctl/sensors/sht45.py"), ("ctl/sensors/scd30.py", "ctl/sensors/scd41.py"),
 ("ctl/dose_queue.py", "ctl/dose_queues.py"), ("ctl/night_mode.py", "ctl/night_modes.py"),
 ("flush/forecast.py", "flush/forecasts.py"), ("flush/yield_curve.py", "flush/yield_curves.py"), ("flush/pick_list.py", "flush/picklist.py"), ("flush/calendar_day.py", "flush/calendar_days.py"),
 ("flush/weights_in.py", "flush/weights_out.py"),
 ("panel/src/HallCard.tsx", "panel/src/HallCards.tsx"), ("panel/src/FlushChart.tsx", "panel/src/FlushCharts.tsx"), ("panel/src/useClimate.ts", "panel/src/useClimates.ts"),
 ("panel/src/alarmList.ts", "panel/src/alarmLists.ts"), ("panel/src/shelfGrid.tsx", "panel/src/shelfGrids.tsx"), ("panel/src/api/reading.ts", "panel/src/api/readings.ts"),
 ("spawn/registry.go", "spawn/registry_v2.go"), ("spawn/strain.go", "spawn/strains.go"), ("spawn/incubator.go", "spawn/incubators.go"), ("spawn/label_print.go", "spawn/label_prints.go"),
 ("deploy/broker.yaml", "deploy/brokers.yaml"), ("deploy/stage-1.yaml", "deploy/stage-2.yaml"), ("deploy/compose.dev.yaml", "deploy/compose.ci.yaml"), ("deploy/gateway.yaml", "deploy/gateways.yaml"),
 ("tests/test_fog_ramp.py", "tests/test_fog_ramps.py"), ("tests/test_forecast.py", "tests/test_forecasts.py"), ("tests/test_setpoint.py", "tests/test_setpoints.py"), ("tests/test_dose_queue.py", "tests/test_dose_queues.py"),
 ("docs/runbook-hall.md", "docs/runbook-halls.md"), ("docs/alarms.md", "docs/alarm.md"), ("docs/onboarding-v1.md", "docs/onboarding-v2.md"),
 ("notebooks/yield_2025.py", "notebooks/yield_2026.py"), ("notebooks/gaps_a.py", "notebooks/gaps_b.py"),
 ("migrations/0031_shelf_age.sql", "migrations/0032_shelf_ages.sql"), ("migrations/0040_reading_idx.sql", "migrations/0041_readings_idx.sql"),
]
_HALLF = ["climate.yaml", "valves.yaml", "lights.yaml"]
_SOLO = ["ctl/purge.py", "ctl/scheduler.py", "ctl/mqtt.py", "flush/export_csv.py", "flush/mailer.py", "panel/src/router.tsx", "panel/src/theme.ts", "spawn/main.go", "spawn/handover.go",
 "deploy/Makefile.inc", "docs/changelog.md", "tests/conftest.py", "ctl/selftest.py", "ctl/debounce.py", "panel/src/csvButton.tsx", "ctl/hallstate.py", "flush/substrate_age.py", "docs/gateway.md", "spawn/http.go", "ctl/errors.py"]
_BAG = [("bagline/seal_temp.py", "bagline/seal_temps.py"), ("bagline/scale.py", "bagline/scales.py"), ("bagline/reject_bin.py", "bagline/reject_bins.py"), ("bagline/label_feed.py", "bagline/label_feeds.py"),
 ("bagline/conveyor.py", "bagline/conveyors.py"), ("bagline/tests/test_scale.py", "bagline/tests/test_scales.py"), ("bagline/web/BagCount.tsx", "bagline/web/BagCounts.tsx"), ("bagline/plc_map.yaml", "bagline/plc_maps.yaml")]

TASK_DIRS = {
 "bugfix": ("ctl/", "flush/", "panel/", "spawn/", "tests/"), "feature": ("ctl/", "flush/", "panel/", "spawn/", "tests/"), "ops": ("deploy/", "halls/", "ctl/"),
 "review": ("ctl/", "flush/", "panel/", "spawn/", "migrations/", "deploy/"), "docs": ("docs/", "ctl/", "halls/"), "data": ("notebooks/", "flush/", "migrations/"),
 "refactor": ("ctl/", "flush/", "panel/", "spawn/"), "deps": ("spawn/", "panel/", "deploy/", "tests/"), "tdd": ("tests/", "ctl/", "flush/"), "bagline": ("bagline/",),
}
_NOUN = "shelf hall strain flush dose valve fog lamp reading batch sensor ramp window crate spawn block drain mist airflow tray".split()
_VERB = "load merge clamp smooth emit poll pick weigh rotate settle purge route label count align decay hold release".split()


def all_files(module=False):
    groups = [list(p) for p in _PAIRS] + [["halls/%s/%s" % (h, f) for h in HALLS] for f in _HALLF] + [[s] for s in _SOLO]
    if module:
        groups += [list(p) for p in _BAG]
    return groups


class Repo:
    """Files whose contents live on through edits."""

    def __init__(self, rng, scale=1.0, groups=None):
        self.rng = rng
        self.scale = scale
        self.twin = {}
        self.paths = []
        self.text = {}
        self.rev = {}
        self.n = 0
        for g in groups or all_files():
            self.add(g)

    def add(self, group):
        for p in group:
            self.paths.append(p)
            self.twin[p] = [q for q in group if q != p]

    def lines(self, p):
        t = self.text.get(p)
        if t is None:
            t = self.text[p] = self.make(p)
            self.rev[p] = 0
        return t

    def make(self, p):
        r = self.rng
        n = int((30 + r.random() ** 2 * 150) * self.scale)
        ext = p.rsplit(".", 1)[-1]
        return [self.line(ext, i) for i in range(n)]

    def line(self, ext, i):
        r = self.rng.random
        a, b, v = _NOUN[int(r() * 20)], _NOUN[int(r() * 20)], _VERB[int(r() * 18)]
        k = int(r() * 90) + 5
        self.n += 1
        s = i % 9
        if ext == "py":
            return ("", "def %s_%s(%s, %s=None):" % (v, a, b, a), "    if %s is None:" % a, "        return %s_%d" % (b, k), "    %s = [x.%s for x in %s if x.%s > %d]" % (a, b, b, a, k),
                    "    log.info('%s %s', %s)" % (v, a, b), "    for %s in %s:" % (a[:2], b), "        %s.%s(%s, step=%d)" % (b, v, a, k), "    return %s" % a)[s]
        if ext in ("ts", "tsx"):
            return ("", "export function %s%s(%s: %s[]) {" % (v, a.title(), b, b.title()), "  const %s = %s.map((x) => x.%s ?? %d);" % (a, b, v, k), "  if (!%s.length) return null;" % a,
                    "  const [%s, set%s] = useState(%d);" % (b, b.title(), k), "  // %s before %s" % (a, b), "  return %s.filter((x) => x.%s > %d);" % (a, b, k), "}", "")[s]
        if ext == "go":
            return ("", "func (s *%s) %s%s(%s int) error {" % (a.title(), v.title(), b.title(), b), "\tif %s < %d {" % (b, k), "\t\treturn fmt.Errorf(\"%s: %s %%d\", %s)" % (v, a, b), "\t}",
                    "\ts.%s = append(s.%s, %s)" % (a, a, b), "\ts.log.Debug(\"%s\", \"%s\", %d)" % (v, b, k), "\treturn nil", "}")[s]
        if ext == "yaml":
            return ("%s_%s:" % (a, b), "  %s_%s: %d" % (v, b, k), "  %s: on" % a, "  %s_list: [%s, %s]" % (v, a, b), "  # %s per %s" % (a, b), "  max_%s: %d" % (b, k * 3), "  %s:" % v, "    - %s_%d" % (b, k), "    - %s" % a)[s]
        if ext == "sql":
            return "ALTER TABLE %s ADD COLUMN %s_%s integer DEFAULT %d;" % (a, v, b, k)
        return ("", "## %s and %s" % (a.title(), b), "The %s is %sd once per %s, then every %d minutes." % (a, v, b, k), "If the %s stays open, %s the %s by hand." % (a, v, b), "",
                "- %s %s" % (v, a), "- check %s on the panel" % b, "Call the hall lead before you %s anything." % v, "")[s]

    def grow(self, p, n):
        t = self.lines(p)
        ext = p.rsplit(".", 1)[-1]
        at = int(self.rng.random() * (len(t) + 1))
        t[at:at] = [self.line(ext, i + 1) for i in range(n)]
        self.rev[p] += 1
        return at


# ---------------------------------------------------------------- values
# key, English words, German words, how it is made, nested path for MCP arguments
_TOLD = [
 ("broker_port", "broker port", "broker port", "port", ("broker", "port")), ("gateway_host", "gateway host", "gateway host", "host", ("gateway", "host")),
 ("pilot_strain", "pilot strain", "pilotstamm", "strain", ("trial", "pilot_strain")), ("firmware_version", "firmware version", "firmware version", "version", ("device", "firmware_version")),
 ("freeze_date", "freeze date", "freeze datum", "date", ("release", "freeze_date")), ("hall_lead", "hall lead", "hallenleitung", "name", ("contact", "hall_lead")),
 ("fog_profile", "fog profile", "nebelprofil", "flag", ("fog", "profile")), ("pick_limit", "pick limit", "pflücklimit", "num4", ("picking", "limit")),
 ("readings_bucket", "readings bucket", "messwert bucket", "bucket", ("store", "readings_bucket")), ("poll_timeout", "poll timeout", "poll timeout", "ms", ("poll", "timeout_ms")),
 ("alarm_channel", "alarm channel", "alarmkanal", "chan", ("notify", "alarm_channel")), ("tenant_id", "tenant id", "mandanten id", "tenant", ("auth", "tenant_id")),
]
_SHOWN = [
 ("release_tag", "release tag", "release tag", "tag", ("release", "tag")), ("stage_pod", "stage pod", "stage pod", "pod", ("stage", "pod")), ("batch_id", "batch id", "chargen id", "batch", ("batch", "id")),
 ("lease_holder", "lease holder", "lease halter", "host", ("lease", "holder")), ("build_number", "build number", "build nummer", "num5", ("build", "number")), ("schema_rev", "schema rev", "schema rev", "hex", ("schema", "rev")),
 ("metrics_port", "metrics port", "metrics port", "port", ("metrics", "port")), ("queue_name", "queue name", "queue name", "queue", ("queue", "name")),
]
_TWO = [("co2_ceiling", "co2 ceiling", "co2 obergrenze", "ppm"), ("fog_seconds", "fog seconds", "nebelsekunden", "num3"), ("light_start", "light start", "lichtbeginn", "clock"), ("drain_minutes", "drain minutes", "ablaufminuten", "num3")]
_NAMES = "Ylva Odalys Ruben Sunniva Tarek Mirthe Anselm Kaja Benedek Oona Ferran Liselott Dragan Hedda Ilian Maarit Noor Piet Quirin Rosalie Severin Thekla Ulrik Vesna Wenzel Xenia Yorick Zelda Arvid Brita Corentin Dunja Eilif Friedl Gorm Hjalte".split()
_ADJ = "slate amber quiet mossy north pale brisk cedar coral dusk ember fable gale hazel ivory juniper kelp lunar maple nimbus".split()


class Slot:
    __slots__ = ("key", "en", "de", "kind", "nest", "cat", "hall", "values", "known", "told_in")

    def __init__(self, key, en, de, kind, nest, cat, hall=None):
        self.key, self.en, self.de, self.kind, self.nest, self.cat, self.hall = key, en, de, kind, nest, cat, hall
        self.values, self.known, self.told_in = [], -1, -1

    def spoken(self, lang):
        s = self.de if lang == "de" else self.en
        if self.hall:
            return "%s in %s" % (s, self.hall.title())
        return s

    @property
    def name(self):
        return "%s/%s" % (self.hall, self.key) if self.hall else self.key


def make_slots(rng, mix):
    """mix: weights of told / shown / two-part values among the eleven slots of a life."""
    out = []
    n = {"told": round(11 * mix[0]), "shown": round(11 * mix[1]), "two": round(11 * mix[2])}
    for x in rng.sample(_TOLD, min(n["told"], len(_TOLD))):
        out.append(Slot(*x, "told"))
    for x in rng.sample(_SHOWN, min(n["shown"], len(_SHOWN))):
        out.append(Slot(*x, "shown"))
    pairs = [(h, t) for h in HALLS[:4] for t in _TWO]
    for h, (k, en, de, kind) in rng.sample(pairs, n["two"]):
        out.append(Slot(k, en, de, kind, ("limits", k), "two", h))
    rng.shuffle(out)
    return out


def fresh_value(rng, kind, used):
    for _ in range(200):
        r = rng.random
        v = {
            "port": lambda: str(17000 + int(r() * 2999)), "host": lambda: "%s-%d.kw.lan" % (_ADJ[int(r() * 20)], 2 + int(r() * 60)), "strain": lambda: "PE-%d" % (2100 + int(r() * 700)),
            "version": lambda: "%d.%d.%d" % (3 + int(r() * 4), int(r() * 20), int(r() * 9)), "date": lambda: "2026-%02d-%02d" % (5 + int(r() * 7), 1 + int(r() * 28)), "name": lambda: _NAMES[int(r() * len(_NAMES))],
            "flag": lambda: "%s-%s" % (_ADJ[int(r() * 20)], "soft hard wide slim".split()[int(r() * 4)]), "num4": lambda: str(1200 + int(r() * 790) * 10), "num5": lambda: str(41000 + int(r() * 8000)),
            "num3": lambda: str(130 + int(r() * 800)), "bucket": lambda: "kw-%s-%d" % (_ADJ[int(r() * 20)], 10 + int(r() * 80)), "ms": lambda: str(2050 + int(r() * 130) * 50), "chan": lambda: "#alarm-%s" % _ADJ[int(r() * 20)],
            "tenant": lambda: "tn_%04x" % int(r() * 65535), "tag": lambda: "v26.%d.%d" % (int(r() * 40), int(r() * 9)), "pod": lambda: "ctl-%s-%04x" % (_ADJ[int(r() * 20)], int(r() * 65535)),
            "batch": lambda: "B%d-%03d" % (20 + int(r() * 9), int(r() * 999)), "hex": lambda: "%08x" % int(r() * 0xffffffff), "queue": lambda: "q.%s.%d" % (_ADJ[int(r() * 20)], 10 + int(r() * 80)),
            "ppm": lambda: str(815 + int(r() * 190) * 5), "clock": lambda: "%02d:%02d" % (3 + int(r() * 6), int(r() * 59)),
        }[kind]()
        if v not in used:
            used.add(v)
            return v
    v = "%s%d" % (v, len(used))
    used.add(v)
    return v
