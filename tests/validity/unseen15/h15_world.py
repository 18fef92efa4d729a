"""The repository shelfmark of the library service Foldspine: files, settings, and how they change."""

# ruff: noqa: UP031

import random

NOUNS = "loan hold patron fine copy branch courier receipt renewal waitlist crate notice shelf title card kiosk deposit magazine".split()
VERBS = "renew recall reserve weed waive merge route import scan expire sort claim batch relabel settle".split()
FIELDS = "due_on barcode call_number balance pickup_code queue_pos shelf_code lent_at isil copies_out language edition".split()
STATES = "overdue blocked lost withdrawn in_transit duplicate damaged anonymous expired".split()
EXT = {
    "kt": ".kt",
    "py": ".py",
    "ts": ".ts",
    "vue": ".vue",
    "rs": ".rs",
    "sql": ".sql",
    "tf": ".tf",
    "yml": ".yml",
    "md": ".md",
}

# area -> (language, folder of the code, folder of the tests, files of its own, files other areas have as well)
AREAS: dict[str, tuple[str, str, str, list[str], list[str]]] = {
    "circulation": (
        "kt",
        "circulation/src/main",
        "circulation/src/test",
        ["LoanRules", "HoldQueue", "FineLedger", "DueDates", "Recalls"],
        ["Routes", "Config", "Storage"],
    ),
    "catalogue": (
        "kt",
        "catalogue/src/main",
        "catalogue/src/test",
        ["MarcReader", "TitleIndex", "Authority", "CopyMatcher"],
        ["Routes", "Config", "Storage"],
    ),
    "notices": (
        "py",
        "notices/notices",
        "notices/tests",
        ["compose", "schedule", "letters", "sms_gate"],
        ["models", "settings", "client"],
    ),
    "harvest": (
        "py",
        "harvest/harvest",
        "harvest/tests",
        ["oai", "dedupe", "covers", "nightly"],
        ["models", "settings", "client"],
    ),
    "opac": (
        "ts",
        "opac/src",
        "opac/test",
        ["search", "basket", "facets", "account"],
        ["api", "format", "store"],
    ),
    "staffdesk": (
        "ts",
        "staffdesk/src",
        "staffdesk/test",
        ["checkin", "registers", "labels"],
        ["api", "format", "store"],
    ),
    "gatereader": (
        "rs",
        "gatereader/src",
        "gatereader/tests",
        ["antenna", "tagset", "alarm"],
        ["config", "main"],
    ),
}
EXTRA: dict[str, tuple[str, str, str, list[str], list[str]]] = {
    "interloan": (
        "kt",
        "interloan/src/main",
        "interloan/src/test",
        ["Requests", "Partners", "Shipping"],
        ["Routes", "Config", "Storage"],
    ),
    "ebooks": (
        "py",
        "ebooks/ebooks",
        "ebooks/tests",
        ["licences", "vendor_feed"],
        ["models", "settings", "client"],
    ),
    "kidscorner": (
        "ts",
        "kidscorner/src",
        "kidscorner/test",
        ["stickers", "quests"],
        ["api", "format", "store"],
    ),
    "sorter": ("rs", "sorter/src", "sorter/tests", ["belt", "bins"], ["config", "main"]),
}
PLAIN = [
    "infra/cluster/opac.tf",
    "infra/cluster/network.tf",
    "infra/cluster/db.tf",
    "infra/ci/build.yml",
    "infra/ci/nightly.yml",
    "infra/charts/notices.yml",
    "infra/charts/circulation.yml",
    "infra/charts/opac.yml",
    "db/changes/V031__holds.sql",
    "db/changes/V044__fines.sql",
    "db/reports/monthly_loans.sql",
    "db/reports/branch_turnover.sql",
    "docs/architecture.md",
    "docs/oncall.md",
    "docs/notices.md",
    "docs/circulation.md",
    "docs/README.md",
    "notices/README.md",
    "harvest/README.md",
]

BODY = {
    "kt": [
        '    val {a} = {b}.{f} ?: return Outcome.Missing("{f}")',
        "    if ({a}.isEmpty()) return emptyList()",
        '    require({a} > {n}) {{ "{a} below {n}" }}',
        "    {a}s.filter {{ it.{f} == {b} }}.forEach(::{v})",
        '    log.debug("{v} {a} {{}}", {b})',
        "    storage.{v}({a}, limit = {n})",
        "    val {b}By = {a}s.groupBy {{ it.{f} }}",
        "    when ({a}.state) {{ State.{S} -> {v}({b}) else -> Unit }}",
        "    return {a}.copy({f} = {b})",
        "    // {a} may be {s} after the night run",
    ],
    "py": [
        '    {a} = {b}.get("{f}", {n})',
        "    if not {a}:",
        '        raise ValueError("no {a} for {b}")',
        "    for row in {a}_rows[:{n}]:",
        "        out.append((row.{f}, {b}))",
        '    log.info("%s: {v} %d", {a}, {n})',
        "    with session() as db:",
        "        db.{v}({a}, {f}={b})",
        "    {b}s = sorted({a}s, key=lambda x: x.{f})",
        "    # {s} {a}s are handled by {v}",
    ],
    "ts": [
        "  const {a} = {b}s.find((x) => x.{f} === {n});",
        "  if (!{a}) return null;",
        "  await api.{v}({a}.id, {{ {f}: {b} }});",
        "  store.commit('{v}', {a});",
        "  const {b}List = [...{a}s].sort((p, q) => p.{f} - q.{f});",
        "  return {a}s.slice(0, {n});",
        "  console.debug('{v}', {a});",
        "  // {s} {a}: see {b}",
        "  emit('{a}-{v}', {b});",
    ],
    "rs": [
        "    let {a} = {b}.{f}().unwrap_or({n});",
        "    if {a} > {n} {{ return Err(Fault::{S}); }}",
        "    for {a} in {b}s.iter() {{ {v}({a})?; }}",
        "    self.{f} = {a} as u16;",
        '    debug!("{v} {{}}", {a});',
        "    match {a} {{ Some({b}) => {v}({b}), None => () }}",
        "    // {s} tags count once",
        "    {a}s.push({b}.clone());",
    ],
    "sql": [
        "  {a}.{f},",
        "  COUNT(*) FILTER (WHERE {a}.{f} > {n}) AS {b}s,",
        "  LEFT JOIN {a}s ON {a}s.{b}_id = {b}.id",
        "  AND {b}.{f} IS NOT NULL",
        "  -- {s} {a}s are left out",
    ],
    "tf": [
        "  {a}_{f} = {n}",
        '  name = "{a}-{v}"',
        '  tags = {{ unit = "{b}", job = "{v}" }}',
        "  depends_on = [module.{b}]",
        "  # {s} nodes drain first",
    ],
    "yml": [
        "    {a}_{f}: {n}",
        "    - name: {v}-{a}",
        "      run: make {v}-{b}",
        "      timeout: {n}",
        "    # {s}: see on-call notes",
    ],
    "md": [
        "A {a} is {s} when its `{f}` passes {n}.",
        "Run `make {v}-{a}` on the {b} host.",
        "- {v} the {a} first, then the {b}",
        "",
        "The {b} keeps {n} entries per {a}; older ones are dropped at night.",
    ],
}
HEAD = {
    "kt": "fun {name}({a}: {A}, {b}s: List<{B}>): Outcome {{",
    "py": "def {name}({a}, {b}s=None):",
    "ts": "export async function {name}({a}: {A}, {b}s: {B}[]) {{",
    "rs": "pub fn {name}({a}: &{A}, {b}s: &[{B}]) -> Result<u32, Fault> {{",
    "sql": "CREATE OR REPLACE VIEW {name} AS SELECT",
    "tf": 'resource "cluster_unit" "{name}" {{',
    "yml": "  {name}:",
    "md": "## {name}",
}
TAIL = {"kt": "}", "ts": "}", "rs": "}", "tf": "}", "sql": "FROM loans;"}


def line(rng: random.Random, lang: str) -> str:
    a, b = rng.choice(NOUNS), rng.choice(NOUNS)
    s = rng.choice(STATES)
    return rng.choice(BODY[lang]).format(
        a=a,
        b=b,
        f=rng.choice(FIELDS),
        v=rng.choice(VERBS),
        n=rng.randint(2, 240),
        s=s,
        S=s.title().replace("_", ""),
    )


def symbol(rng: random.Random, lang: str) -> str:
    v, n, f = rng.choice(VERBS), rng.choice(NOUNS), rng.choice(FIELDS)
    parts = rng.choice(
        [[v, n], [v, n, "by", *f.split("_")], [n, *f.split("_")], [v, "all", n + "s"]]
    )
    if lang in ("kt", "ts"):
        return parts[0] + "".join(p.title() for p in parts[1:])
    return " ".join(parts).capitalize() if lang == "md" else "_".join(parts)


class File:
    def __init__(self, path: str, lang: str, area: str, rng: random.Random, units: int) -> None:
        self.path, self.lang, self.area, self.version = path, lang, area, 0
        self.seed, self.units = rng.getrandbits(40), units
        self._lines: list[str] | None = None
        self._syms: list[str] = []
        self.test: File | None = None
        self.is_test = False

    def _make(self) -> list[str]:
        if self._lines is None:
            rng, self._lines = random.Random(self.seed), []
            first = {
                "kt": "package se.foldspine.%s" % self.area,
                "py": '"""%s of %s."""' % (self.path.rsplit("/", 1)[-1], self.area),
                "ts": "import { http } from './http';",
                "rs": "use crate::fault::Fault;",
                "md": "# %s" % self.path,
                "sql": "-- %s" % self.path,
            }.get(self.lang)
            self._lines += [first, ""] if first else []
            self.grow(rng, self.units)
        return self._lines

    def grow(self, rng: random.Random, units: int) -> None:
        lines = self._make()
        for _ in range(units):
            name, a, b = symbol(rng, self.lang), rng.choice(NOUNS), rng.choice(NOUNS)
            if name in self._syms:
                continue
            self._syms.append(name)
            lines.append(HEAD[self.lang].format(name=name, a=a, b=b, A=a.title(), B=b.title()))
            lines += [line(rng, self.lang) for _ in range(rng.randint(4, 15))]
            if self.lang in TAIL:
                lines.append(TAIL[self.lang])
            lines.append("")

    @property
    def lines(self) -> list[str]:
        return self._make()

    @property
    def syms(self) -> list[str]:
        self._make()
        return self._syms

    def where(self, sym: str) -> int:
        return next((i for i, x in enumerate(self.lines) if sym in x), 0)


class Setting:
    def __init__(self, key: str, rng: random.Random) -> None:
        self.key, self.rng = key, rng
        self.old: list[str] = []
        self.value = self.fresh()

    def fresh(self) -> str:
        r = self.rng
        if self.key == "REPORT_DB":
            return "pg-%s-%02d.lib.internal" % (
                r.choice(["ro", "report", "replica", "copy"]),
                r.randint(1, 60),
            )
        if self.key == "PREVIEW_HOST":
            return "%s-%d.preview.foldspine.example" % (
                r.choice(["birch", "alder", "rowan", "aspen", "willow"]),
                r.randint(11, 99),
            )
        if self.key == "COVER_BUCKET":
            return "s3://fs-covers-%s%d" % (
                r.choice(["north", "coast", "lake", "fjord"]),
                r.randint(2, 70),
            )
        if self.key == "KUBE_SPACE":
            return "lib-%s-%d" % (r.choice(["stage", "trial", "accept", "pilot"]), r.randint(2, 40))
        if self.key == "NODE_IMAGE":
            return "registry.foldspine.example/base:%d.%d.%d" % (
                r.randint(3, 9),
                r.randint(0, 20),
                r.randint(0, 9),
            )
        if self.key == "TEST_BRANCH_ID":
            return "SE-%s%d" % (r.choice(["Nb", "Vk", "Os", "Lj"]), r.randint(100, 999))
        return "%s-%d" % (r.choice(["q", "mail", "msg"]), r.randint(1000, 9900))

    def replace(self) -> None:
        new = self.fresh()
        while new == self.value or new in self.old:
            new = self.fresh()
        self.old.append(self.value)
        self.value = new


USING = {
    "REPORT_DB": [
        'psql -h {x} -d lending -c "select {field}, count(*) from {noun}s group by 1 limit 20"',
        "psql -h {x} -d lending -Atc \"select count(*) from {noun}s where state = '{state}'\"",
        "pg_dump -h {x} -d lending -t {noun}s --schema-only | head -40",
    ],
    "PREVIEW_HOST": [
        "curl -s https://{x}/{area}/health",
        "curl -s -o /dev/null -w '%{{http_code}}' https://{x}/api/{noun}s?limit=3",
        "BASE_URL=https://{x} npx playwright test {noun}.spec.ts",
    ],
    "COVER_BUCKET": [
        "aws s3 ls {x}/{noun}s/ --summarize | tail -3",
        "aws s3 cp build/{noun}.json {x}/{noun}s/",
    ],
    "KUBE_SPACE": [
        "kubectl -n {x} get pods -l app={area}",
        "kubectl -n {x} logs deploy/{area} --since=20m | tail -40",
        "kubectl -n {x} rollout status deploy/{area}",
    ],
    "NODE_IMAGE": ["docker pull {x}", "docker run --rm {x} cat /etc/os-release | head -2"],
    "TEST_BRANCH_ID": [
        "./bin/seed --branch {x} --{noun}s {n}",
        "./bin/replay --branch {x} --since 2d",
    ],
    "QUEUE": ["./bin/queue peek {x} --max {n}", "./bin/queue depth {x}"],
}


class World:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.files: dict[str, File] = {}
        self.names: list[str] = []
        self.settings = [Setting(k, rng) for k in USING]
        for area in AREAS:
            self.add_area(area)
        for path in PLAIN:
            lang = path.rsplit(".", 1)[-1]
            self.files[path] = File(
                path,
                lang,
                {"infra": "infra", "docs": "docs", "db": "db"}.get(
                    path.split("/")[0], path.split("/")[0]
                ),
                rng,
                rng.randint(3, 9),
            )

    def add_area(self, area: str) -> None:
        lang, src, _, own, shared = AREAS.get(area) or EXTRA[area]
        self.names.append(area)
        for name in own + shared:
            self.add_file("%s/%s%s" % (src, name, EXT[lang]), area)

    def add_file(self, path: str, area: str) -> None:
        lang, _, tests, _, _ = AREAS.get(area) or EXTRA[area]
        name = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        r = self.rng
        f = self.files[path] = File(
            path, lang, area, r, max(3, min(26, round(r.lognormvariate(2.0, 0.5))))
        )
        test = {
            "kt": name + "Test",
            "py": "test_" + name,
            "ts": name + ".spec",
            "rs": name + "_it",
        }[lang]
        f.test = File("%s/%s%s" % (tests, test, EXT[lang]), lang, area, r, r.randint(3, 9))
        f.test.is_test = True
        if r.random() < 0.85:
            self.files[f.test.path] = f.test

    def twins(self, f: File) -> list[File]:
        name = f.path.rsplit("/", 1)[-1]
        return [g for g in self.files.values() if g is not f and g.path.endswith("/" + name)]

    def of(self, area: str) -> list[File]:
        return [f for f in self.files.values() if f.area == area]
