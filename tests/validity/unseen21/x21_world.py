"""The world: three invented companies, their repositories and settings, and how files look."""

COMPANIES = (
    dict(name="Brackwater Freight", repo="tidewater", dom="brackwater.io", lang="python", ext=".py", sep="_",
         src="src/tidewater/{p}/{n}.py", test="tests/{p}/test_{n}.py",
         packages="booking customs billing notify routing storage tariffs portal".split(),
         nouns="shipment container manifest invoice berth carrier quote voyage pallet tariff depot waybill".split(),
         env="config/staging.env", yaml="deploy/staging.yaml", manifest="pyproject.toml",
         test_cmd="uv run pytest {t} -q", lint="uv run ruff check {f}", build="uv build --wheel",
         types="uv run mypy src/tidewater/{p}", docs="uv run mkdocs build --strict", outdated="uv pip list --outdated",
         install="uv sync", bench="uv run python bench/bench_{n}.py --repeat 5", script="scripts/{n}.py",
         run="uv run python scripts/{n}.py", tool="uv run --python {v} python scripts/smoke.py"),
    dict(name="Lumenfold", repo="atelier", dom="lumenfold.dev", lang="typescript", ext=".ts", sep="-",
         src="packages/{p}/src/{n}.ts", test="packages/{p}/test/{n}.test.ts",
         packages="canvas palette export billing session comments sharing fonts".split(),
         nouns="layer brush artboard swatch guide stroke comment asset glyph frame snapshot cursor".split(),
         env=".env.staging", yaml="infra/staging.yaml", manifest="package.json",
         test_cmd="pnpm vitest run {t}", lint="pnpm eslint {f}", build="pnpm -r build",
         types="pnpm tsc --noEmit -p packages/{p}", docs="pnpm typedoc --validation", outdated="pnpm outdated -r",
         install="pnpm install --frozen-lockfile", bench="pnpm tsx bench/{n}.bench.ts", script="scripts/{n}.mjs",
         run="node scripts/{n}.mjs", tool="fnm exec --using={v} node scripts/smoke.mjs"),
    dict(name="Orrery Grid", repo="gridkeeper", dom="orrerygrid.net", lang="go", ext=".go", sep="_",
         src="internal/{p}/{n}.go", test="internal/{p}/{n}_test.go",
         packages="meter forecast dispatch tariff outage ingest alarm billing".split(),
         nouns="reading feeder substation interval bid outage sensor curve meter zone breaker load".split(),
         env="configs/staging.env", yaml="deploy/values.staging.yaml", manifest="go.mod",
         test_cmd="go test ./{d}/... -count=1", lint="golangci-lint run ./{d}/...", build="go build ./...",
         types="go vet ./{d}/...", docs="make docs", outdated="go list -u -m all", install="go mod tidy",
         bench="go test -run=^$ -bench=. ./{d}", script="tools/{n}/main.go", run="go run ./tools/{n}",
         tool="GOTOOLCHAIN=go{v} go build ./cmd/gridkeeper"),
)

COMMON = "client models handlers service errors store mapper validation".split()
OWN = ("allocator scheduler pricing_rules deadline digest ledger planner snapshotter geometry throttle importer "
       "renderer reconciler audit_trail calendar_window hash_ring rounding priority_queue envelope checksum "
       "backoff outbox quota fingerprint partitioner replayer localizer session_cache diff_engine hydrator").split()
NEAR = (("user_service", "users_service"), ("order_mapper", "orders_mapper"), ("rate_table", "rates_table"),
        ("event_log", "event_logs"), ("report_builder", "reports_builder"), ("account_view", "accounts_view"),
        ("token_store", "tokens_store"), ("address_parser", "address_parsers"))
VERBS = "load apply merge resolve build validate convert collect assign split refresh record close expire".split()

# key, where (0 env, 1 yaml), how values look, commands that use it, what an outdated value does (None: it still works)
SETTINGS = (
    ("DB_HOST", 0, "host:db", ('psql -h {v} -U {repo}_app -d {repo} -c "select count(*) from {noun}s"',
                               "pg_dump -h {v} --schema-only {repo} > /tmp/schema.sql"),
     (2, 'psql: error: could not translate host name "{v}" to address: Name or service not known')),
    ("DB_PORT", 0, "port", ("pg_isready -p {v} -d {repo}", 'psql -p {v} -d {repo} -c "select max(updated_at) from {noun}s"'),
     (2, 'connection to server on port {v} failed: Connection refused')),
    ("API_PORT", 0, "port", ("curl -sS localhost:{v}/healthz", 'curl -sS "http://127.0.0.1:{v}/v1/{noun}s?limit=5"'),
     (7, "curl: (7) Failed to connect to localhost port {v}: Connection refused")),
    ("REDIS_HOST", 0, "host:cache", ("redis-cli -h {v} llen {noun}_jobs", "redis-cli -h {v} --scan --pattern '{noun}:*' | head"),
     (1, "Could not connect to Redis at {v}:6379: Name or service not known")),
    ("RELEASE_BRANCH", 1, "branch", ("git log --oneline -5 origin/{v}", "git diff --stat origin/{v}...HEAD"), None),
    ("IMAGE_TAG", 1, "tag", ("docker pull registry.{dom}/{repo}:{v}",
                             "docker run --rm registry.{dom}/{repo}:{v} {repo} --version"),
     (1, "Error response from daemon: manifest for registry.{dom}/{repo}:{v} not found: manifest unknown")),
    ("KUBE_NAMESPACE", 1, "ns", ("kubectl -n {v} get pods", "kubectl -n {v} logs deploy/{repo}-worker --tail=40"), None),
    ("EXPORT_BUCKET", 0, "bucket", ("aws s3 ls s3://{v}/daily/", "aws s3 cp s3://{v}/daily/{noun}s.csv /tmp/{noun}s.csv"), None),
    ("QUEUE_NAME", 0, "queue", ("aws sqs get-queue-attributes --queue-url https://sqs.eu-west-1.amazonaws.com/441170/{v} --attribute-names All",
                                "./bin/peek --queue {v} --max 3"),
     (254, "An error occurred (AWS.SimpleQueueService.NonExistentQueue): The specified queue does not exist: {v}")),
    ("TENANT_ID", 0, "id", ('curl -sS -H "X-Tenant: {v}" https://staging.{dom}/v1/{noun}s', "./scripts/replay.sh --tenant {v} --since 2h"), None),
    ("CHART_VERSION", 1, "version", ("helm template {repo} oci://registry.{dom}/charts/{repo} --version {v}",
                                     "helm upgrade {repo} oci://registry.{dom}/charts/{repo} --version {v} --dry-run"),
     (1, "Error: chart \"{repo}\" version \"{v}\" not found in registry.{dom}")),
    ("TOOLCHAIN_VERSION", 1, "tool", ("{tool}", "{tool} --verbose"), None),
)
WORDS = "amber birch cobalt dune ember fjord garnet heron indigo juniper kelp larch moss nova onyx pine quartz reed slate tern".split()


def new_value(how, rng, world, taken):
    """A value of this kind that was never used in this life."""
    repo, dom = world["repo"], world["dom"]
    while True:
        word, n = rng.choice(WORDS), rng.randrange(2, 60)
        kind, _, role = how.partition(":")
        v = {"host": f"{role}-{word}{n}.{dom}", "port": str(rng.randrange(15000, 29900)), "branch": f"release/{word}-{n}",
             "tag": f"1.{n}.{rng.randrange(20)}-{rng.getrandbits(28):07x}", "ns": f"{repo}-stg-{word}",
             "bucket": f"{repo}-exports-{word}-{n}", "queue": f"{repo}-{word}-q{n}", "id": f"tn_{rng.getrandbits(32):08x}",
             "version": f"{rng.randrange(3, 9)}.{n}.{rng.randrange(9)}",
             "tool": {"python": f"3.{rng.randrange(9, 14)}.{n % 20}", "typescript": f"{rng.randrange(18, 25)}.{n % 20}.{rng.randrange(5)}",
                      "go": f"1.{rng.randrange(20, 26)}.{n % 15}"}[world["lang"]]}[kind]
        if v not in taken:
            taken.add(v)
            return v


BODY = {
    "python": ("def {f}({a}, *, limit={k}):", '    """{V} the {n} and return it."""', "    {n} = {a}.get(\"{n}_id\")",
               "    if {n} is None:", "        raise LookupError(\"{n} missing\")", "    rows = [{n} for _ in range(limit)]",
               "    log.debug(\"{f} %s\", len(rows))", "    return rows[:{k}]", "", ""),
    "typescript": ("export async function {f}({a}: {T}, limit = {k}): Promise<{T}[]> {{", "  const {n} = {a}.{n}Id;",
                   "  if (!{n}) {{", "    throw new NotFound('{n}');", "  }}", "  const rows = await repo.{n}s({n}, limit);",
                   "  log.debug('{f}', rows.length);", "  return rows.slice(0, {k});", "}}", ""),
    "go": ("func {f}(ctx context.Context, {a} *{T}) ([]{T}, error) {{", "\t{n}, ok := {a}.Lookup(\"{n}\")", "\tif !ok {{",
           "\t\treturn nil, Err{T}Missing", "\t}}", "\trows := make([]{T}, 0, {k})", "\trows = append(rows, {n})",
           "\tlog.Debug(\"{f}\", \"rows\", len(rows))", "\treturn rows, nil", "}}", ""),
}
HEAD = {"python": ["from __future__ import annotations", "", "import logging", "", "log = logging.getLogger(__name__)", ""],
        "typescript": ["import { repo } from '../repo';", "import { log } from '../log';", "import { NotFound } from '../problems';", ""],
        "go": ["package {p}", "", "import (", '\t"context"', ")", ""]}
DEF = {"python": "def ", "typescript": "export async function ", "go": "func "}
GUARD = {"python": "    # checked: {w}", "typescript": "  // checked: {w}", "go": "\t// checked: {w}"}


class File:
    """One file of the repository: its path, its lines and which others look like it."""

    def __init__(self, path, package, name, lines, twins=()):
        self.path, self.package, self.name, self.lines, self.twins = path, package, name, lines, list(twins)
        self.short = f"{package}/{path.rsplit('/', 1)[-1]}" if package else path


def names(rng, world):
    verb, noun = rng.choice(VERBS), rng.choice(world["nouns"])
    if world["lang"] == "python":
        return verb, noun, f"{verb}_{noun}"
    return verb, noun, (verb if world["lang"] == "typescript" else verb.title()) + noun.title()


def more_lines(rng, world, lines, count):
    """Append functions until about count more lines are there; names stay unique in the file."""
    want, body = len(lines) + count, BODY[world["lang"]]
    while len(lines) < want:
        verb, noun, fn = names(rng, world)
        block = "\n".join(body).format(f=f"{fn}_{len(lines)}" if world["sep"] == "_" and world["lang"] == "python" else f"{fn}{len(lines)}",
                                       a=rng.choice(("src", "item", "batch", "req")), n=noun, V=verb.title(), T=noun.title(),
                                       k=rng.randrange(5, 500))
        lines.extend(block.split("\n"))


class Repo:
    """The files of one life, look-alikes known, and the twelve settings with their history."""

    def __init__(self, rng, world, packages=7):
        self.rng, self.world, self.files, self.by_base = rng, world, [], {}
        self.packages = rng.sample(world["packages"], packages)
        self.own = rng.sample(OWN, len(OWN))
        pairs = rng.sample(NEAR, 6)
        for i, p in enumerate(self.packages):
            self.add_package(p, pairs[i] if i < len(pairs) else None)
        self.taken, self.old, self.value = set(), {}, {}
        for key, _, how, *_ in SETTINGS:
            self.value[key], self.old[key] = new_value(how, rng, world, self.taken), []
        self.config = [File(world["env"], "", "env", []), File(world["yaml"], "", "yaml", [])]
        self.rules = File("RULES", "", "rules", [f"# {world['repo']}", "", "- Small commits, one topic each.", "- Run the linter before you commit."])
        self.notes = [File(n, "", n, [f"# {n[:-3]}", ""] + [f"- {rng.choice(VERBS)} {rng.choice(world['nouns'])} ({i})" for i in range(rng.randrange(20, 60))])
                      for n in ("README.md", "CHANGELOG.md", "docs/architecture.md", "docs/runbook.md", "docs/onboarding.md")]
        self.show_config()

    def make(self, pattern, p, n, size):
        n = n.replace("_", self.world["sep"])
        lines = [x.replace("{p}", p) for x in HEAD[self.world["lang"]]]
        more_lines(self.rng, self.world, lines, size)
        return File(pattern.format(p=p, n=n), p, n, lines)

    def add(self, p, n):
        f = self.make(self.world["src"], p, n, self.rng.randrange(30, 190))
        self.files.append(f)
        f.test = self.make(self.world["test"], p, n, self.rng.randrange(20, 80))
        return f

    def add_package(self, p, pair=None):
        for n in self.rng.sample(COMMON, 3):
            f = self.add(p, n)
            for other in self.by_base.setdefault(n, []):
                f.twins.append(other), other.twins.append(f)
            self.by_base[n].append(f)
        for _ in range(2):
            if self.own:
                self.add(p, self.own.pop())
        if pair:
            a, b = self.add(p, pair[0]), self.add(p, pair[1])
            a.twins.append(b), b.twins.append(a)

    def show_config(self):
        for i, style in enumerate(("{k}={v}", "  {k}: {v}")):
            self.config[i].lines = [("# staging" if not i else "staging:")] + [
                style.format(k=k if not i else camel(k), v=self.value[k]) for k, where, *_ in SETTINGS if where == i] + (
                    ["LOG_LEVEL=info", "FEATURE_AUDIT=on"] if not i else ["  replicas: 3", "  logLevel: info"])

    def change(self, row):
        """Give one setting a new value; the replaced one is kept."""
        key = row[0]
        self.old[key].append(self.value[key])
        self.value[key] = new_value(row[2], self.rng, self.world, self.taken)
        self.show_config()
        return self.old[key][-1], self.value[key]


def camel(key):
    first, *rest = key.lower().split("_")
    return first + "".join(x.title() for x in rest)
