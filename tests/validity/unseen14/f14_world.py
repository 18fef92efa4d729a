"""The company: Quittenhof, cold stores for fruit growers, and its repository frostlade."""
from datetime import datetime, timedelta

REPO = "frostlade"
HOMES = ["/home/{u}/src/frostlade", "/Users/{u}/code/frostlade", "/home/{u}/work/frostlade"]

VERBS = ("load save merge split rank trim seal open close shift count weigh grade label bind check "
         "apply clamp round group match parse build emit retry queue drain settle audit assign park release "
         "freeze thaw vent scrub log mark price rate sum list find pick scan sync purge stamp").split()
NOUNS = ("lot crate bin pallet chamber setpoint tare brix variety grower dock slot tariff invoice rebate "
         "defrost probe alarm ethylene oxygen scrubber humidity batch ticket receipt ramp shelf truck "
         "season quota surcharge reading sample window lease band sleeve bay door curve").split()
FIELDS = "kilos count degrees ppm days euros brix bars minutes level".split()

# folder -> (language, file stems)
LAYOUT = {
    "services/intake": ("py", "app config errors grading labels models store weigh"),
    "services/intake/tests": ("pytest", "grading labels weigh store"),
    "services/billing": ("py", "app config errors invoices models store tariffs"),
    "services/billing/tests": ("pytest", "invoices tariffs store"),
    "services/chambers": ("go", "main config alarm gas setpoint store defrost alarm_test gas_test setpoint_test"),
    "services/gateway": ("go", "main config auth limits router store router_test"),
    "web/portal/src": ("ts", "config client format session"),
    "web/portal/src/pages": ("tsx", "Lots Docks Invoices Growers"),
    "web/kiosk/src": ("ts", "config client format scanner"),
    "web/kiosk/src/pages": ("tsx", "Weigh Labels Lots"),
    "jobs/nightly": ("py", "config export purge settle store"),
    "fw/probe": ("c", "probe ring uart config"),
    "fw/gate": ("c", "gate ring uart"),
    "infra": ("yaml", "compose alerts"),
    "infra/k8s": ("yaml", "intake billing chambers gateway portal"),
    "infra/terraform": ("tf", "main variables network"),
    "scripts": ("sh", "deploy seed lint backup smoke"),
    "sql": ("sql", "0001_lots 0002_docks 0003_tariffs 0004_readings 0005_invoices 0006_leases"),
    "docs": ("md", "runbook settings grading alarms onboarding"),
    ".": ("md", "README CHANGELOG"),
}
EXTRA = {
    "services/dispatch": ("py", "app config errors models routes slots store"),
    "services/dispatch/tests": ("pytest", "routes slots store"),
    "services/ledger": ("go", "main config entries store totals totals_test"),
    "web/driver/src": ("ts", "config client format queue"),
    "web/driver/src/pages": ("tsx", "Today Docks Lots"),
    "jobs/audit": ("py", "config export trace store"),
    "libs/units": ("py", "mass temperature ratios errors"),
    "fw/lamp": ("c", "lamp ring uart"),
    "services/forecast": ("py", "app config models ripeness store weather"),
    "services/forecast/tests": ("pytest", "ripeness weather"),
}
EXT = {"py": ".py", "pytest": ".py", "go": ".go", "ts": ".ts", "tsx": ".tsx", "c": ".c", "yaml": ".yaml",
       "tf": ".tf", "sh": ".sh", "sql": ".sql", "md": ".md"}
AREAS = {  # area -> (folders, command for tests, command for building, command for linting)
    "intake": (["services/intake", "services/intake/tests"], "pytest services/intake/tests -q",
               "python -m compileall -q services/intake", "ruff check services/intake"),
    "billing": (["services/billing", "services/billing/tests"], "pytest services/billing/tests -q",
                "python -m compileall -q services/billing", "ruff check services/billing"),
    "chambers": (["services/chambers"], "go test ./services/chambers/...", "go build ./services/chambers",
                 "golangci-lint run ./services/chambers/..."),
    "gateway": (["services/gateway"], "go test ./services/gateway/...", "go build ./services/gateway",
                "golangci-lint run ./services/gateway/..."),
    "portal": (["web/portal/src", "web/portal/src/pages"], "pnpm --filter portal test",
               "pnpm --filter portal build", "pnpm --filter portal lint"),
    "kiosk": (["web/kiosk/src", "web/kiosk/src/pages"], "pnpm --filter kiosk test",
              "pnpm --filter kiosk build", "pnpm --filter kiosk lint"),
    "nightly": (["jobs/nightly"], "pytest jobs/nightly -q", "python -m compileall -q jobs/nightly",
                "ruff check jobs/nightly"),
    "probe": (["fw/probe", "fw/gate"], "make -C fw/probe test", "make -C fw/probe all", "make -C fw/probe tidy"),
    "infra": (["infra", "infra/k8s", "infra/terraform", "scripts"], "scripts/smoke.sh --dry",
              "docker compose -f infra/compose.yaml config -q", "shellcheck scripts/*.sh"),
    "sql": (["sql"], "make sql-check", "make sql-plan", "sqlfluff lint sql"),
    "docs": (["docs", "."], "make docs-links", "make docs", "markdownlint docs"),
}
EXTRA_AREAS = {
    "dispatch": (["services/dispatch", "services/dispatch/tests"], "pytest services/dispatch/tests -q",
                 "python -m compileall -q services/dispatch", "ruff check services/dispatch"),
    "ledger": (["services/ledger"], "go test ./services/ledger/...", "go build ./services/ledger",
               "golangci-lint run ./services/ledger/..."),
    "driver": (["web/driver/src", "web/driver/src/pages"], "pnpm --filter driver test",
               "pnpm --filter driver build", "pnpm --filter driver lint"),
    "audit": (["jobs/audit", "libs/units"], "pytest jobs/audit libs/units -q",
              "python -m compileall -q jobs/audit", "ruff check jobs/audit libs"),
    "lamp": (["fw/lamp"], "make -C fw/lamp test", "make -C fw/lamp all", "make -C fw/lamp tidy"),
    "forecast": (["services/forecast", "services/forecast/tests"], "pytest services/forecast/tests -q",
                 "python -m compileall -q services/forecast", "ruff check services/forecast"),
}
CODE_AREAS = ["intake", "billing", "chambers", "gateway", "portal", "kiosk", "nightly", "probe"]


def camel(words, upper=False):
    text = "".join(w.capitalize() for w in words)
    return text if upper else text[0].lower() + text[1:]


class File:
    __slots__ = ("path", "lang", "lines", "syms", "version", "area", "fresh")

    def __init__(self, path, lang, area, rng, blocks):
        self.path, self.lang, self.area = path, lang, area
        self.version, self.syms, self.fresh = 0, [], False
        stem = path.rsplit("/", 1)[-1].split(".")[0]
        self.lines = head(lang, stem, rng)
        self.grow(rng, blocks)

    def grow(self, rng, blocks):
        for _ in range(blocks):
            words = [rng.choice(VERBS), rng.choice(NOUNS)]
            name = camel(words, self.lang == "tsx") if self.lang in ("go", "ts", "tsx") else "_".join(words)
            if self.lang == "yaml":
                name = "-".join(words)
            if self.lang == "go" and rng.random() < .6:
                name = name[0].upper() + name[1:]
            if name in self.syms:
                words.append(rng.choice(NOUNS))
                name = camel(words) if self.lang in ("go", "ts", "tsx") else "_".join(words)
            self.syms.append(name)
            self.lines += block(self.lang, name, rng)

    def where(self, sym):
        for i, line in enumerate(self.lines):
            if sym in line:
                return i
        return 0


def head(lang, stem, rng):
    n, m = rng.choice(NOUNS), rng.choice(NOUNS)
    if lang == "py":
        return ['"""%s of a %s."""' % (stem.capitalize(), n), "import logging", "", "from .errors import Refused",
                "", "log = logging.getLogger(__name__)", ""]
    if lang == "pytest":
        return ["import pytest", "", "from .. import %s as unit" % stem.replace("test_", ""), ""]
    if lang == "go":
        return ["package %s" % n, "", "import (", '\t"context"', '\t"fmt"', '\t"time"', ")", ""]
    if lang in ("ts", "tsx"):
        return ['import { %s } from "./%s";' % (camel([rng.choice(VERBS), n]), m), ""]
    if lang == "c":
        return ["#include <stdint.h>", '#include "%s.h"' % stem, ""]
    if lang == "yaml":
        return ["# %s" % stem, "items:"]
    if lang == "tf":
        return ["# %s" % stem, ""]
    if lang == "sh":
        return ["#!/usr/bin/env bash", "set -euo pipefail", ""]
    if lang == "sql":
        return ["-- %s" % stem, "BEGIN;", ""]
    return ["# %s" % stem.capitalize(), ""]


def block(lang, f, rng):
    a, b = rng.choice(NOUNS), rng.choice(NOUNS)
    c, d = rng.choice(FIELDS), rng.choice(FIELDS)
    n, m = rng.randint(2, 480), rng.randint(2, 90)
    form = rng.randrange(3)
    if lang == "py":
        if form == 0:
            return ["def %s(%s, limit=%d):" % (f, a, n), "    if %s is None:" % a,
                    '        raise Refused("no %s for %s")' % (a, b),
                    "    rows = [r for r in %s.rows if r.%s > limit]" % (a, c),
                    "    total = sum(r.%s for r in rows)" % d,
                    '    log.debug("%s %%s", len(rows))' % f, "    return round(total, %d)" % (m % 4), "", ""]
        if form == 1:
            return ["def %s(conn, %s_id):" % (f, a),
                    '    sql = "select %s, %s from %ss where %s_id = %%s limit %d"' % (c, d, b, a, n),
                    "    with conn.cursor() as cur:", "        cur.execute(sql, (%s_id,))" % a,
                    "        found = cur.fetchall()", "    if not found:", "        return None",
                    "    return max(found, key=lambda r: r[1])", "", ""]
        return ["class %s:" % camel(f.split("_"), True), '    """One %s with its %s."""' % (a, b),
                "    %s = %d" % (c, n), "", "    def %s(self, %s):" % (f, b),
                "        if %s.%s >= self.%s:" % (b, c, c), '            return "%s"' % rng.choice(NOUNS),
                "        return %s.%s - %d" % (b, d, m), "", ""]
    if lang == "pytest":
        return ["def test_%s_%s():" % (f, b), "    %s = unit.make(%s=%d, %s=%d)" % (a, c, n, d, m),
                "    got = unit.%s(%s)" % (f, a), "    assert got.%s == %d" % (c, n + m),
                "    with pytest.raises(unit.Refused):", "        unit.%s(None)" % f, "", ""]
    if lang == "go":
        return ["func %s(ctx context.Context, %s float64) (int, error) {" % (f, a),
                "\tconst limit = %d" % n, "\tif %s > limit {" % a,
                '\t\treturn 0, fmt.Errorf("%s above %%d", limit)' % b, "\t}",
                "\tdeadline := time.Duration(%d) * time.Second" % m,
                "\t%s, err := fetch%s(ctx, deadline)" % (b, b.capitalize()), "\tif err != nil {",
                "\t\treturn 0, err", "\t}", "\treturn %s.%s, nil" % (b, c.capitalize()), "}", ""]
    if lang == "ts":
        return ["export async function %s(%s: string, %s = %d) {" % (f, a, c, n),
                "  const res = await fetch(`/api/%ss/${%s}?%s=${%s}`);" % (b, a, c, c),
                "  if (!res.ok) throw new Error(`%s ${res.status}`);" % b,
                "  const %s = await res.json();" % b, "  return %s.%s ?? %d;" % (b, d, m), "}", ""]
    if lang == "tsx":
        return ["export function %s({ %s }: { %s: %s }) {" % (f, a, a, a.capitalize()),
                "  const [%s, set%s] = useState(%d);" % (c, c.capitalize(), n), "  if (!%s) return null;" % a,
                "  return (", '    <section className="%s">' % b, "      <h2>{%s.%s}</h2>" % (a, d),
                "      <Meter value={%s} max={%d} />" % (c, m + n), "    </section>", "  );", "}", ""]
    if lang == "c":
        return ["static uint16_t %s(const struct %s *p)" % (f, a), "{", "    uint16_t acc = %d;" % n,
                "    for (uint8_t i = 0; i < %d; i++)" % (m % 32 + 2), "        acc += p->%s[i] >> %d;" % (c, m % 5 + 1),
                "    if (acc > %d)" % (n + m), "        acc = %d;" % (n + m), "    return acc;", "}", ""]
    if lang == "yaml":
        return ["  - name: %s" % f, "    %s: %d" % (c, n), "    owner: %s" % a, "    every: %ds" % m,
                "    tags: [%s, %s]" % (a, b)]
    if lang == "tf":
        return ['resource "qh_%s" "%s" {' % (a, f), "  %s = %d" % (c, n), '  zone = "eu-%d"' % (m % 4 + 1),
                '  tags = ["%s", "%s"]' % (a, b), "}", ""]
    if lang == "sh":
        return ["%s() {" % f, '  local %s="${1:-%d}"' % (a, n), '  echo "%s ${%s}"' % (f, a),
                "  for i in $(seq 1 %d); do" % (m % 9 + 2), '    curl -sf "http://localhost:${PORT}/%ss" && return 0' % b,
                "    sleep %d" % (m % 6 + 1), "  done", "  return 1", "}", ""]
    if lang == "sql":
        return ["CREATE TABLE %s (" % f, "  id bigint PRIMARY KEY,", "  %s numeric(%d,2) NOT NULL," % (c, m % 9 + 4),
                "  %s integer DEFAULT %d," % (d, n), "  %s_id bigint REFERENCES %ss(id)" % (a, a), ");", ""]
    return ["## %s" % f.replace("_", " ").capitalize(), "",
            "A %s is kept for %d %s; after that the %s is closed." % (a, n, c, b),
            "Ask the %s desk when more than %d %s are open." % (a, m, b + "s"), ""]


def new_line(lang, rng):
    """A line that an edit puts in."""
    a, c, n = rng.choice(NOUNS), rng.choice(FIELDS), rng.randint(2, 300)
    if lang in ("py", "pytest"):
        return '    log.info("%s %%s", %d)' % (a, n) if n % 2 else "    %s_%s = max(%d, 0)" % (a, c, n)
    if lang == "go":
        return "\t%s%s := min(%d, limit)" % (a, c.capitalize(), n)
    if lang in ("ts", "tsx"):
        return "  const %s%s = clamp(%d);" % (a, c.capitalize(), n)
    if lang == "c":
        return "    uint16_t %s_%s = %du;" % (a, c, n)
    if lang == "yaml":
        return "    %s: %d" % (a, n)
    if lang == "tf":
        return "  %s_%s = %d" % (a, c, n)
    if lang == "sh":
        return '  log "%s %d"' % (a, n)
    if lang == "sql":
        return "-- %s: %d %s" % (a, n, c)
    return "- %s: at most %d %s" % (a.capitalize(), n, c)


class Setting:
    """A named value that changes from time to time."""
    __slots__ = ("key", "say", "say_fr", "make", "uses", "fail", "value", "old", "told", "traced")

    def __init__(self, key, say, say_fr, make, fail, uses):
        self.key, self.say, self.say_fr, self.make, self.fail, self.uses = key, say, say_fr, make, fail, uses
        self.old, self.told, self.value, self.traced = [], False, None, set()    # traced: values that the trace has shown


def _port(lo):
    return lambda r: str(r.randrange(lo, lo + 90))


def _tag(r):
    return "%d.%d.%d" % (r.randint(3, 6), r.randint(0, 30), r.randint(0, 12))


def _date(r):
    return (datetime(2026, 3, 1) + timedelta(days=r.randrange(200))).strftime("%Y-%m-%d")


def _num(*options):
    return lambda r: str(r.choice(options) + r.randrange(0, 9) * 5)


def _host(stem):
    return lambda r: "%s%02d.%s.quittenhof.example" % (stem, r.randint(1, 40), r.choice(["ne", "sw", "mid"]))


def settings():
    refused, unknown = "connect", "manifest"
    return [
        Setting("INTAKE_STAGING_PORT", "the staging port of intake", "le port de staging d'intake", _port(8410), refused,
                ["curl -s localhost:%s/healthz", "curl -s -X POST localhost:%s/lots/replay -d @fixtures/lot.json"]),
        Setting("BILLING_STAGING_PORT", "the billing port on staging", "le port de billing en staging", _port(8530), refused,
                ["curl -s localhost:%s/invoices/open", "curl -sI localhost:%s/healthz"]),
        Setting("GATEWAY_PORT", "the gateway port", "le port de la gateway", _port(8080), refused,
                ["curl -s -H 'X-Dock: 4' localhost:%s/v2/lots", "hey -n 200 -c 8 http://localhost:%s/v2/docks"]),
        Setting("REPORT_DB_HOST", "the host of the reporting db", "l'hôte de la base de reporting", _host("pgr"), refused,
                ["psql -h %s -U frost lots -c 'select count(*) from lots'", "pg_isready -h %s"]),
        Setting("REPORT_DB_PORT", "the port of the reporting db", "le port de la base de reporting", _port(5430), refused,
                ["psql -p %s -U frost lots -c 'table docks limit 5'", "pg_dump -p %s -s lots -f /tmp/lots.sql"]),
        Setting("PROBE_BROKER", "the broker for the probes", "le broker des sondes", _host("mq"), refused,
                ["mosquitto_sub -h %s -t probes/+/temp -C 5", "mosquitto_pub -h %s -t probes/test -m ping"]),
        Setting("CHAMBERS_TAG", "the image tag of chambers", "le tag de l'image chambers", _tag, unknown,
                ["docker pull reg.quittenhof.example/chambers:%s", "kubectl -n cold set image deploy/chambers app=reg.quittenhof.example/chambers:%s"]),
        Setting("PORTAL_TAG", "the portal image tag", "le tag de l'image portal", _tag, unknown,
                ["docker pull reg.quittenhof.example/portal:%s", "scripts/deploy.sh portal --tag %s"]),
        Setting("POSTGRES_TAG", "the postgres image for CI", "l'image postgres de la CI", lambda r: "%d.%d-alpine" % (r.randint(14, 17), r.randint(1, 9)), unknown,
                ["docker run --rm -d -e POSTGRES_PASSWORD=x postgres:%s", "docker pull postgres:%s"]),
        Setting("FREEZE_DATE", "the freeze date", "la date de gel", _date, None,
                ["scripts/deploy.sh plan --not-after %s", "git log --oneline --until=%s -n 8"]),
        Setting("SEASON_START", "the start of the season", "le début de la saison", _date, None,
                ["python jobs/nightly/settle.py --from %s --dry-run", "python jobs/nightly/export.py --since %s --format csv"]),
        Setting("LOT_BATCH", "the batch size for lots", "la taille de lot pour l'import", _num(100, 200, 400), None,
                ["python jobs/nightly/export.py --batch %s", "scripts/seed.sh lots %s"]),
        Setting("ETHYLENE_LIMIT", "the ethylene limit in ppb", "la limite d'éthylène en ppb", _num(50, 90, 140), None,
                ["python tools/alarmcheck.py --ethylene %s", "scripts/smoke.sh alarms --limit %s"]),
        Setting("RATE_LIMIT", "the rate limit per dock", "la limite de débit par quai", _num(40, 80, 160), None,
                ["hey -n 400 -q %s http://localhost/v2/lots", "scripts/smoke.sh gateway --rate %s"]),
        Setting("DEFROST_MINUTES", "the defrost time in minutes", "la durée de dégivrage en minutes", _num(15, 25, 40), None,
                ["go run ./services/chambers/cmd/sim -defrost %s", "scripts/smoke.sh chambers --defrost %s"]),
        Setting("BACKUP_BUCKET", "the backup bucket", "le bucket de sauvegarde", lambda r: "qh-%s-%d" % (r.choice(["larch", "maple", "hazel", "alder"]), r.randint(10, 99)), refused,
                ["aws s3 ls s3://%s/nightly/", "scripts/backup.sh --bucket %s --dry-run"]),
        Setting("KUBE_CONTEXT", "the kube context for staging", "le contexte kube de staging", lambda r: "qh-stage-%s%d" % (r.choice("abcd"), r.randint(1, 9)), refused,
                ["kubectl --context %s -n cold get pods", "kubectl --context %s -n cold logs deploy/intake --tail=20"]),
        Setting("VAT_RATE", "the VAT rate for storage in percent", "le taux de TVA du stockage", lambda r: r.choice(["7", "10", "13", "19", "20", "21"]), None,
                ["python tools/invoice_preview.py --vat %s --grower 1182", "pytest services/billing/tests -q --vat %s"]),
        Setting("TEST_GROWER", "the test grower's number", "le numéro du producteur de test", _port(11800), None,
                ["python tools/invoice_preview.py --grower %s", "curl -s localhost/v2/growers/%s"]),
        Setting("ALERT_CHANNEL", "the alert channel", "le canal d'alerte", lambda r: "#cold-%s-%d" % (r.choice(["watch", "night", "desk"]), r.randint(1, 9)), None,
                ["scripts/deploy.sh notify --channel '%s'", "python tools/alarmcheck.py --post '%s'"]),
    ]


class World:
    """Repository and settings of one agent; it changes while the agent works."""

    def __init__(self, rng):
        self.rng, self.files, self.areas = rng, {}, {}
        for area in AREAS:
            self.add_area(area, AREAS, LAYOUT)
        self.waiting = [(a, EXTRA_AREAS[a]) for a in EXTRA_AREAS]
        self.alike()
        self.settings = settings()
        for s in self.settings:
            s.value = s.make(rng)
        self.fixed = 0

    def add_area(self, area, source, layout, fresh=False, new=None):
        self.areas[area] = source[area]
        for folder in source[area][0]:
            lang, stems = layout[folder]
            for stem in stems.split():
                name = ("test_" + stem if lang == "pytest" else stem) + EXT[lang]
                path = name if folder == "." else folder + "/" + name
                f = File(path, lang, area, self.rng, self.rng.randint(5, 13))
                f.fresh = fresh
                if lang == "md" and stem == "settings":
                    f.lines.append("Values live in config/frostlade.env.")
                if new is None:
                    self.files[path] = f
                else:
                    new.append(f)

    def alike(self):
        by = {}
        for p in self.files:
            by.setdefault(p.rsplit("/", 1)[-1], []).append(p)
        self.twins = {p: [q for q in group if q != p] for group in by.values() for p in group if len(group) > 1}

    def in_area(self, area, fresh=None):
        return [f for f in self.files.values() if f.area == area and (fresh is None or f.fresh == fresh)]

    def change(self, s, told):
        for _ in range(9):
            v = s.make(self.rng)
            if v != s.value and v not in s.old:
                break
        s.old.append(s.value)
        s.value, s.told = v, told
