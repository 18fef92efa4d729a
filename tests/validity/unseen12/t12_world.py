"""The company's repository: about 100 files of mixed languages that change by edits and pulls."""
import re

COMPANY = "Kestrel & Lund Cold Chain"
ROOT = "/srv/dev/coldchain"

AREAS = {
    "dispatch": ["services/dispatch/" + x for x in (
        "planner.py", "planner_utils.py", "plan.py", "plans.py", "route.py", "routes.py", "route_cache.py", "eta.py", "eta_model.py",
        "config.py", "models.py", "handlers.py", "handler.py", "tests/test_planner.py", "tests/test_route.py", "tests/test_eta.py")],
    "billing": ["services/billing/" + x for x in (
        "invoice.py", "invoices.py", "invoice_lines.py", "rates.py", "rate_cards.py", "config.py", "models.py", "export.py", "exporter.py",
        "tests/test_invoice.py", "tests/test_rates.py", "tests/test_export.py")],
    "telemetry": ["services/telemetry/" + x for x in (
        "main.go", "ingest.go", "ingest_batch.go", "ingest_test.go", "probe.go", "probes.go", "probe_store.go", "config.go", "store.go",
        "storage.go", "alarm.go", "alarms.go", "alarm_test.go")],
    "gateway": ["services/gateway/" + x for x in (
        "main.go", "server.go", "serve.go", "auth.go", "auth_token.go", "config.go", "limits.go", "limit.go", "server_test.go")],
    "portal": ["web/portal/" + x for x in (
        "src/api.ts", "src/apiClient.ts", "src/shipments.tsx", "src/shipment.tsx", "src/ShipmentTable.tsx", "src/useShipment.ts",
        "src/useShipments.ts", "src/tempChart.tsx", "src/tempCharts.tsx", "src/config.ts", "src/format.ts", "src/formats.ts",
        "tests/format.test.ts", "tests/api.test.ts")],
    "edge": ["edge/agent/src/" + x for x in (
        "main.rs", "sensor.rs", "sensors.rs", "buffer.rs", "buffers.rs", "uplink.rs", "uplink_retry.rs", "config.rs")],
    "db": ["db/" + x for x in (
        "migrations/0031_shipments.sql", "migrations/0032_shipment_legs.sql", "migrations/0033_probes.sql",
        "migrations/0034_probe_readings.sql", "migrations/0035_invoices.sql", "migrations/0036_invoice_lines.sql",
        "queries/daily_temps.sql", "queries/daily_temp.sql", "queries/late_legs.sql", "queries/late_leg_report.sql")],
    "deploy": ["deploy/helm/values.yaml", "deploy/helm/values-stage.yaml", "deploy/helm/values-prod.yaml", "deploy/terraform/main.tf",
               "deploy/terraform/variables.tf", "deploy/terraform/variables_net.tf", "scripts/smoke.sh", "scripts/smoke_all.sh",
               "scripts/backfill.sh", "scripts/backfill_legs.sh", "scripts/rotate_keys.sh", "scripts/rotate_certs.sh"],
    "docs": ["docs/" + x for x in ("architecture.md", "architecture-edge.md", "runbook.md", "runbook-oncall.md", "api.md", "api-v2.md",
                                    "onboarding.md", "onboarding-partners.md", "release.md", "releases.md")],
}
NOUNS = ["shipment", "leg", "probe", "reading", "depot", "carrier", "invoice", "pallet", "reefer", "dock", "tariff", "alarm", "manifest",
         "surcharge", "window", "seal", "slot", "geofence", "handover", "compressor"]
VERBS = ["load", "merge", "validate", "compute", "normalise", "collect", "resolve", "split", "score", "persist", "fetch", "trim", "rank",
         "expand", "reconcile", "schedule", "group", "filter"]
FIELDS = ["temp_c", "weight_kg", "eta_min", "stop_seq", "tariff_id", "seal_no", "probe_sn", "net_amount", "vat_rate", "lane", "humidity",
          "door_open_s", "setpoint", "dwell_min"]


def camel(s):
    return "".join(w.capitalize() for w in s.split("_"))


def _py(r, path):
    if "/tests/" in path:
        out = ["import pytest", "", "from services.%s import %s" % (path.split("/")[1], path.rsplit("test_", 1)[-1][:-3]), ""]
        for _ in range(r.randint(3, 6)):
            v, n, f, k = r.choice(VERBS), r.choice(NOUNS), r.choice(FIELDS), r.randint(2, 90)
            out += ["", "def test_%s_%s_%d():" % (v, n, k), "    rows = [{\"%s\": %d, \"%s\": \"x%d\"}]" % (f, k, r.choice(FIELDS), k),
                    "    got = %s_%s(rows, limit=%d)" % (v, n, r.randint(1, 50)), "    assert len(got) == 1",
                    "    assert got[0][\"%s\"] == %d" % (f, k), ""]
        return out
    out = ['"""%s of the %s service."""' % (path.rsplit("/", 1)[1][:-3].replace("_", " ").capitalize(), path.split("/")[1]),
           "from __future__ import annotations", "", "import logging", "from dataclasses import dataclass", "",
           "logger = logging.getLogger(__name__)", "", "%s = %d" % (r.choice(FIELDS).upper() + "_MAX", r.randint(10, 900)), ""]
    if r.random() < .6:
        n = r.choice(NOUNS)
        out += ["", "@dataclass", "class %s:" % camel(n)] + ["    %s: %s" % (f, r.choice(["int", "float", "str"])) for f in r.sample(FIELDS, 4)] + [""]
    for _ in range(r.randint(2, 5)):
        v, n, a, f, g, k, m = r.choice(VERBS), r.choice(NOUNS), r.choice(NOUNS) + "s", r.choice(FIELDS), r.choice(FIELDS), r.randint(5, 400), r.randint(1, 99)
        if r.random() < .6:
            out += ["", "def %s_%s(%s, *, limit=%d, strict=True):" % (v, n, a, k),
                    '    """%s every %s up to the limit."""' % (v.capitalize(), n), "    result = []",
                    "    for item in %s[:limit]:" % a, '        value = item.get("%s", %d)' % (f, m), "        if strict and value > %d:" % (m * 7),
                    '            logger.warning("%s of %s above %%s", %d)' % (f, n, m * 7), "            continue",
                    '        result.append({"%s": value, "%s": item["%s"]})' % (f, g, g), "    return result", ""]
        else:
            out += ["", "def %s_%s(%s: dict[str, float]) -> float:" % (v, n, a), "    base = %s.pop(\"%s\", %.2f)" % (a, f, m / 7),
                    "    if base <= 0:", '        raise ValueError("%s must be positive")' % f,
                    "    total = sum(w * %.3f for w in %s.values())" % (m / 31, a), "    return round(base + total / %d, 2)" % k, ""]
    return out


def _go(r, path):
    out = ["package " + path.split("/")[1], "", "import (", '\t"context"', '\t"fmt"', '\t"time"', ")", "",
           "const max%s = %d" % (camel(r.choice(FIELDS)), r.randint(10, 900)), ""]
    test = path.endswith("_test.go")
    for _ in range(r.randint(3, 6)):
        v, n, f, k, m = r.choice(VERBS), r.choice(NOUNS), r.choice(FIELDS), r.randint(5, 400), r.randint(2, 60)
        if test:
            out += ["func Test%s%s%d(t *testing.T) {" % (v.capitalize(), camel(n), k), "\tgot, err := %s%s(context.Background(), %d)" % (v, camel(n), k),
                    "\tif err != nil {", '\t\tt.Fatalf("%s: %%v", err)' % n, "\t}", "\tif got.%s != %d {" % (camel(f), m),
                    '\t\tt.Errorf("%s = %%d, want %d", got.%s)' % (f, m, camel(f)), "\t}", "}", ""]
        else:
            out += ["// %s%s handles one %s." % (v.capitalize(), camel(n), n), "func (s *Service) %s%s(ctx context.Context, id string, n int) error {" % (v.capitalize(), camel(n)),
                    "\tctx, cancel := context.WithTimeout(ctx, %d*time.Second)" % m, "\tdefer cancel()", "\tfor i := 0; i < n; i += %d {" % k,
                    '\t\tif err := s.%s(ctx, id, i); err != nil {' % v, '\t\t\treturn fmt.Errorf("%s %s %%s: %%w", id, err)' % (v, n), "\t\t}", "\t}",
                    '\ts.log.Info("%s done", "%s", n, "id", id)' % (n, f), "\treturn nil", "}", ""]
    return out


def _ts(r, path):
    out = ['import { http } from "./http";', 'import type { %s } from "./types";' % camel(r.choice(NOUNS)), "",
           "export const %s = %d;" % (r.choice(FIELDS).upper() + "_LIMIT", r.randint(10, 900)), ""]
    for _ in range(r.randint(3, 5)):
        v, n, f, k = r.choice(VERBS), camel(r.choice(NOUNS)), r.choice(FIELDS), r.randint(3, 300)
        if ".test." in path:
            out += ['test("%s %s %d", () => {' % (v, n, k), "  const got = %s%s({ %s: %d });" % (v, n, f, k), "  expect(got.%s).toBe(%d);" % (f, k), "});", ""]
        else:
            out += ["export async function %s%s(id: string, page = %d): Promise<%s[]> {" % (v, n, k, n),
                    "  const res = await http.get(`/v1/%s/${id}?page=${page}`);" % n.lower(), "  if (res.status >= %d) {" % (400 + k % 99),
                    '    throw new Error("%s failed: " + res.status);' % n, "  }", "  return res.data.filter((x: %s) => x.%s > %d);" % (n, f, k), "}", ""]
    if path.endswith("tsx"):
        n = camel(r.choice(NOUNS))
        out += ["export function %sPanel({ rows }: { rows: %s[] }) {" % (n, n), "  const [open, setOpen] = useState(false);", "  return (",
                '    <section className="%s-panel" onClick={() => setOpen(!open)}>' % n.lower(),
                "      {rows.map((r) => <Row key={r.id} value={r.%s} />)}" % r.choice(FIELDS), "    </section>", "  );", "}", ""]
    return out


def _rs(r, path):
    out = ["use std::time::Duration;", "use crate::config::Config;", "", "pub const MAX_%s: usize = %d;" % (r.choice(FIELDS).upper(), r.randint(10, 900)), ""]
    for _ in range(r.randint(3, 5)):
        v, n, f, k = r.choice(VERBS), r.choice(NOUNS), r.choice(FIELDS), r.randint(3, 300)
        out += ["/// %s one %s." % (v.capitalize(), n), "pub fn %s_%s(cfg: &Config, raw: &[u8]) -> Result<u32, Error> {" % (v, n), "    let mut acc = %du32;" % k,
                "    for chunk in raw.chunks(%d) {" % (k % 64 + 2), "        acc = acc.wrapping_add(chunk.len() as u32);",
                "        if acc > cfg.%s {" % f, "            return Err(Error::Overflow(acc));", "        }", "    }", "    Ok(acc / %d)" % (k % 9 + 1), "}", ""]
    return out


def _sql(r, path):
    n = path.rsplit("/", 1)[1][:-4]
    if "migrations" in path:
        t = n[5:]
        out = ["-- migration %s" % n, "BEGIN;", "CREATE TABLE IF NOT EXISTS %s (" % t, "    id bigserial PRIMARY KEY,"]
        out += ["    %s %s%s," % (f, r.choice(["numeric(9,2)", "integer", "text"]), r.choice(["", " NOT NULL", " DEFAULT %d" % r.randint(0, 50)])) for f in r.sample(FIELDS, 7)]
        out += ["    created_at timestamptz NOT NULL DEFAULT now()", ");"]
        out += ["CREATE INDEX %s_%s_idx ON %s (%s);" % (t, f, t, f) for f in r.sample(FIELDS, 3)] + ["COMMIT;"]
        return out
    f, g = r.sample(FIELDS, 2)
    return ["-- %s" % n.replace("_", " "), "WITH base AS (", "    SELECT id, %s, %s, date_trunc('day', created_at) AS day" % (f, g), "    FROM shipment_legs",
            "    WHERE %s > %d" % (f, r.randint(1, 90)), "), agg AS (", "    SELECT day, avg(%s) AS a, max(%s) AS m" % (f, g), "    FROM base GROUP BY day", ")",
            "SELECT day, round(a, 2), m FROM agg", "ORDER BY day DESC", "LIMIT %d;" % r.randint(20, 400)]


def _cfg(r, path):
    out = ["# %s" % path]
    for s in r.sample(["dispatch", "billing", "telemetry", "gateway", "portal"], 4):
        if path.endswith(".tf"):
            out += ['resource "kl_service" "%s" {' % s, '  subnet  = "10.%d.%d.0/24"' % (r.randint(1, 90), r.randint(1, 250)), "  disk_gb = %d" % r.randint(10, 90),
                    "  labels = { team = \"%s\" }" % r.choice(NOUNS), "}", ""]
        elif path.endswith(".sh"):
            out += ["%s_%s() {" % (r.choice(VERBS), s), "  local n=${1:-%d}" % r.randint(2, 60), '  for i in $(seq 1 "$n"); do', '    echo "%s $i"' % s,
                    "    sleep 0.%d" % r.randint(1, 9), "  done", "}", ""]
        else:
            out += ["%s:" % s, "  resources:", "    cpu: %dm" % (r.randint(1, 20) * 50), "    memory: %dMi" % (r.randint(2, 40) * 32),
                    "  probes:", "    liveness: /healthz/%s" % s, "    periodSeconds: %d" % r.randint(4, 40), "  affinity: %s" % r.choice(NOUNS)]
    return out


def _md(r, path):
    out = ["# " + path.rsplit("/", 1)[-1][:-3].replace("-", " ").capitalize(), ""]
    for _ in range(r.randint(4, 8)):
        v, n, m = r.choice(VERBS), r.choice(NOUNS), r.choice(NOUNS)
        out += ["## %s the %s" % (v.capitalize(), n), "", "Every %s belongs to one %s; the %s service will %s it within %d minutes." % (n, m, r.choice(list(AREAS)), v, r.randint(2, 50)),
                "Ask the %s team before you change the `%s` field." % (r.choice(["reefer", "lane", "tariff", "edge"]), r.choice(FIELDS)), "",
                "- %s: see `%s`" % (n, r.choice(FIELDS)), "- limit: %d per day" % r.randint(10, 900), ""]
    return out


def make(path, r):
    ext = path.rsplit(".", 1)[-1]
    f = {"py": _py, "go": _go, "ts": _ts, "tsx": _ts, "rs": _rs, "sql": _sql, "md": _md}.get(ext, _cfg)
    return f(r, path)


def is_test(p):
    return "/tests/" in p or p.endswith("_test.go") or ".test." in p


def _stem(p):
    b = p.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return re.sub(r"[^a-z]", "", re.sub(r"^(use|\d+_)", "", b).lower())


def alike(a, b):
    """True when the two paths are easily taken for one another."""
    if a == b or is_test(a) != is_test(b):
        return False
    if a.rsplit("/", 1)[-1] == b.rsplit("/", 1)[-1]:
        return True
    x, y = _stem(a), _stem(b)
    if a.rsplit(".", 1)[-1][:2] != b.rsplit(".", 1)[-1][:2]:
        return False
    k = min(len(x), len(y))
    return (k >= 4 and x[:k] == y[:k]) or (k >= 3 and x[:3] == y[:3] and a.rsplit("/", 1)[0] == b.rsplit("/", 1)[0])


_BASE = [p for ps in AREAS.values() for p in ps]
_ALIKE = {p: [q for q in _BASE if alike(p, q)] for p in _BASE}


class Repo:
    def __init__(self, r):
        self.r = r
        self.areas = {a: list(ps) for a, ps in AREAS.items()}
        self.files = {}
        for p in _BASE:
            self.files[p] = make(p, r)
        for p in ("README.md", "docker-compose.yml"):
            self.files[p] = make(p, r)
        self.files["Makefile"] = ["# build", "test:", "\tpytest -q services", "\tgo test ./...", "lint:", "\truff check .", "\tgolangci-lint run", "smoke:", "\t./scripts/smoke.sh"]
        self.alike = {p: list(q) for p, q in _ALIKE.items()}
        self.commit = "%07x" % r.getrandbits(28)
        self.area_of = {p: a for a, ps in self.areas.items() for p in ps}

    def add(self, area):
        r = self.r
        base = r.choice(self.areas[area])
        head, tail = base.rsplit("/", 1)
        stem, ext = tail.split(".", 1)
        p = "%s/%s_%s.%s" % (head, stem, r.choice(NOUNS), ext)
        if p in self.files:
            return None
        self.files[p] = make(p, r)
        self.areas[area].append(p)
        self.area_of[p] = area
        self.alike[p] = [q for q in self.area_of if alike(p, q)]
        for q in self.alike[p]:
            self.alike.setdefault(q, []).append(p)
        return p

    def change(self, path, grow=0):
        """One edit: (old_string, new_string, line)."""
        r, L = self.r, self.files[path]
        cand = [i for i, s in enumerate(L) if len(s.strip()) > 8] or [0]
        i = r.choice(cand)
        j = i + 1
        lo = i
        text = "\n".join(L)
        while lo > 0 and text.count("\n".join(L[lo:j])) > 1:
            lo -= 1
        old = L[lo:j]
        line = L[i]
        ind = line[:len(line) - len(line.lstrip())]
        nums = re.findall(r"\b\d+\b", line)
        c = {"py": "#", "yaml": "#", "sh": "#", "tf": "#", "yml": "#", "sql": "--", "md": "-"}.get(path.rsplit(".", 1)[-1], "//")
        if nums and r.random() < .6:
            k = r.choice(nums)
            new = [re.sub(r"\b%s\b" % k, str(int(k) + r.randint(1, 9)), line, count=1)]
        else:
            new = [line, ind + "%s %s the %s before the %s (%s-%d)" % (c, r.choice(VERBS), r.choice(NOUNS), r.choice(NOUNS), "KL", r.randint(200, 9999))]
        for _ in range(grow):
            new.append(ind + "%s %s_%s: %d" % (c, r.choice(VERBS), r.choice(NOUNS), r.randint(1, 9999)))
        L[lo:j] = old[:-1] + new
        return "\n".join(old), "\n".join(old[:-1] + new), lo

    def symbol(self, path):
        for s in self.files[path]:
            m = re.match(r"\s*(?:def|func(?: \([^)]*\))?|export (?:async )?function|pub fn|CREATE TABLE IF NOT EXISTS|resource \"kl_service\")\s+\"?(\w+)", s)
            if m and self.r.random() < .5:
                return m.group(1)
        return self.r.choice(FIELDS)

    def hits(self, word, limit=12):
        out = []
        for p, L in self.files.items():
            for i, s in enumerate(L):
                if word in s:
                    out.append((p, i + 1, s))
                    if len(out) >= limit:
                        return out
        return out
