"""Companies, repositories, vocabulary, files and settings."""
import random

COMPANIES = {
    "fjordline": {
        "lang": "py", "home": "/home/{u}/work/{repo}", "repos": ["tidewater", "berthplan", "haulbook"],
        "users": ["sunniva", "ingmar", "ola"], "ticket": "FJ",
        "areas": ["routing", "berths", "manifests", "tariffs", "carriers", "drayage", "customs", "tracking", "yards", "rosters", "claims", "depots"],
        "nouns": ["berth plan", "container list", "drayage quote", "gate slot", "tariff table", "customs note", "voyage leg", "reefer alarm", "yard map", "demurrage sum", "pickup window", "driver roster"],
        "words": ["berth", "voyage", "reefer", "gate", "tariff", "leg", "haul", "slot", "manifest", "quay", "draft", "pallet", "seal", "tug"],
        "cols": ["eta_utc", "gross_kg", "seal_no", "port_code", "slot_id", "teu", "carrier_ref", "laden"],
        "libs": ["httpx", "pydantic", "polars", "alembic", "structlog", "orjson"],
        "stems": ["planner", "loader", "quotes", "service", "schema", "store", "rules", "window", "events", "client", "codes", "audit"],
    },
    "kartelle": {
        "lang": "ts", "home": "/Users/{u}/src/{repo}", "repos": ["isoline", "tilewright", "reliefmap"],
        "users": ["marisol", "tiago", "wren"], "ticket": "KT",
        "areas": ["tiles", "labels", "projection", "terrain", "symbols", "gestures", "legend", "sources", "picking", "raster", "print", "offline"],
        "nouns": ["tile pyramid", "label cluster", "contour layer", "hill shade", "scale bar", "glyph atlas", "pan gesture", "legend entry", "vector source", "clip mask", "print sheet", "camera path"],
        "words": ["tile", "glyph", "contour", "camera", "bounds", "pitch", "layer", "atlas", "anchor", "ring", "mask", "zoom", "swatch", "datum"],
        "cols": ["minZoom", "anchorX", "sourceKey", "opacity", "bearing", "tileSize", "crs", "halo"],
        "libs": ["earcut", "gl-matrix", "vitest", "esbuild", "pbf", "kdbush"],
        "stems": ["cache", "layout", "painter", "index", "worker", "transform", "queue", "parser", "style", "bucket", "camera", "hit"],
    },
    "praxikon": {
        "lang": "go", "home": "/srv/dev/{u}/{repo}", "repos": ["terminbuch", "wardclock", "clinicdesk"],
        "users": ["beatriz", "hynek", "ludo"], "ticket": "PX",
        "areas": ["booking", "calendar", "patients", "reminders", "rooms", "billing", "waitlist", "intake", "sync", "reports", "doctors", "consent"],
        "nouns": ["appointment", "room plan", "reminder text", "waiting list", "intake form", "doctor shift", "invoice draft", "consent sheet", "recall date", "slot search", "no-show mark", "insurer export"],
        "words": ["slot", "room", "shift", "patient", "recall", "consent", "invoice", "ward", "visit", "insurer", "form", "desk", "queue", "triage"],
        "cols": ["StartsAt", "RoomID", "InsurerNo", "DurationMin", "Confirmed", "ShiftCode", "RecallOn", "Locale"],
        "libs": ["chi", "pgx", "zerolog", "testify", "ical", "sqlc"],
        "stems": ["handler", "store", "planner", "mailer", "rules", "window", "sync", "model", "filter", "ledger", "notify", "import"],
    },
}
TOOLS = {
    "py": {"ext": "py", "src": "src/{repo}/{a}", "test": "tests/{a}/test_{s}.py", "runtest": ["uv run pytest tests/{a} -q", "pytest -x tests/{a}", "uv run pytest -q -k {w}"],
           "lint": ["uv run ruff check src", "ruff check --fix src/{repo}/{a}", "uv run mypy src/{repo}/{a}"], "build": ["docker build -t {reg}/{repo}:{ver} .", "uv build"],
           "inst": ["uv add {lib}", "uv lock --upgrade-package {lib}", "uv sync"], "man": "pyproject.toml"},
    "ts": {"ext": "ts", "src": "packages/{a}/src", "test": "packages/{a}/test/{s}.test.ts", "runtest": ["npx vitest run packages/{a}", "npm test -w packages/{a}", "npx vitest run -t {w}"],
           "lint": ["npx eslint packages/{a}", "npm run lint", "npx tsc --noEmit -p packages/{a}"], "build": ["npm run build -w packages/{a}", "docker build -t {reg}/{repo}:{ver} ."],
           "inst": ["npm install {lib}", "npm update {lib}", "npm ci"], "man": "package.json"},
    "go": {"ext": "go", "src": "internal/{a}", "test": "internal/{a}/{s}_test.go", "runtest": ["go test ./internal/{a}/...", "go test -run {W} ./internal/{a}", "make test PKG={a}"],
           "lint": ["golangci-lint run ./internal/{a}/...", "go vet ./...", "gofmt -l internal/{a}"], "build": ["go build ./...", "docker build -t {reg}/{repo}:{ver} ."],
           "inst": ["go get {lib}@latest", "go mod tidy", "go mod download"], "man": "go.mod"},
}
LINES = {
    "py": ["def {w}_{x}({y}, {z}=None):", "    if not {y}.{w}:", "        return []", "    {x} = {y}.get('{w}', {n})", "    for {w} in {x}.{z}s():", "        total += {w}.{x} * {n}", "    log.debug('{w} %s', {x})",
           "    return {x}_{z}({y})", "", "class {W}{X}:", "    {w}: int = {n}", "        raise ValueError('{x} without {w}')", "    # {w} comes before {x}", "        {y}.append({w})", "    assert {x} is not None", "        yield {w}, {z}"],
    "ts": ["export function {w}{X}({y}: {Y}, {z} = {n}) {{", "  if (!{y}.{w}) return null;", "  const {x} = {y}.{w} ?? {n};", "  for (const {w} of {x}.{z}s) {{", "    out.push({w}.{x} * {n});", "  }}", "  return {w}{Z}({x});", "}}", "",
           "export interface {W}{X} {{", "  {w}: number;", "  {x}?: {Y};", "  // {w} is kept per {x}", "    this.{w}.set({x}, {n});", "  throw new RangeError('{w} out of {x}');", "  await this.{w}.{x}({n});"],
    "go": ["func (s *{W}) {X}({y} {Y}) error {{", "\tif {y}.{W} == nil {{", "\t\treturn nil", "\t}}", "\t{x} := {y}.{W}({n})", "\tfor _, {w} := range {x}.{Z}s {{", "\t\ttotal += {w}.{X}", "\treturn fmt.Errorf(\"{w}: %w\", err)", "}}", "",
           "type {W}{X} struct {{", "\t{W} int", "\t{X} *{Y}", "\t// {W} is set once per {x}", "\t\tout = append(out, {w})", "\tlog.Info().Int(\"{w}\", {n}).Send()"],
}
LABELS = {"stage_host": "the staging host", "api_port": "the api port", "release_branch": "the release branch", "version": "the build version", "db_host": "the database host", "db_port": "the database port",
          "bucket": "the bucket", "namespace": "the namespace", "registry": "the registry", "service": "the service unit", "log_dir": "the log folder", "region": "the region"}
# commands that use settings, with the plain output of success
USES = [
    ("curl -fsS http://{stage_host}:{api_port}/healthz", "{{\"ok\":true,\"queue\":{num}}}"),
    ("curl -s http://{stage_host}:{api_port}/version", "{{\"build\":\"{num}f{num}\"}}"),
    ("ssh deploy@{stage_host} systemctl status {service} --no-pager", "active (running) since this morning; {num} tasks"),
    ("ssh deploy@{stage_host} tail -n 40 {log_dir}/app.log", "level=info msg=tick n={num}\nlevel=warn msg=\"slow answer\" ms={num}4\nlevel=info msg=tick n={num}1"),
    ("git fetch origin {release_branch}", "From origin\n * branch -> FETCH_HEAD"),
    ("git log --oneline -5 origin/{release_branch}", "3f{num}a1 raise limits\n9c{num}be tidy"),
    ("psql -h {db_host} -p {db_port} -c 'select count(*) from visits'", " count\n-------\n  {num}7\n(1 row)"),
    ("kubectl -n {namespace} rollout status deploy/{service}", "deployment \"web\" successfully rolled out"),
    ("kubectl -n {namespace} get pods", "web-7d-x{num}  1/1 Running 0 3m"),
    ("docker push {registry}/app:{version}", "{num}: digest: sha256 size: 2204"),
    ("aws s3 ls s3://{bucket}/dumps/ --region {region}", "2025-09-02 04:1{num}   88{num}1 dump.csv.gz"),
    ("./deploy/roll.sh --version {version} --region {region}", "rolling ... done in {num}s"),
]
STALE_ERR = {"curl": "curl: (7) Failed to connect to the host: Connection refused", "ssh": "ssh: Could not resolve hostname: Name or service not known", "git": "fatal: couldn't find remote ref",
             "kubectl": "Error from server (NotFound): not found", "psql": "psql: error: connection to server failed: Connection refused", "aws": "An error occurred (NoSuchBucket): the bucket does not exist",
             "docker": "manifest unknown: no such version"}


class File:
    __slots__ = ("path", "area", "stem", "base", "lines", "version")

    def __init__(self, path, area, stem, lines):
        self.path, self.area, self.stem, self.lines, self.version = path, area, stem, lines, 0
        self.base = path.rsplit("/", 1)[-1]


class World:
    """One company project: files, words, settings."""

    def __init__(self, rng, areas=6, per_area=13):
        self.rng = rng
        self.name = rng.choice(sorted(COMPANIES))
        c = self.c = COMPANIES[self.name]
        self.lang, self.tools = c["lang"], TOOLS[c["lang"]]
        self.repo = rng.choice(c["repos"])
        self.users = rng.sample(c["users"], 2)
        self.cwd = c["home"].format(u=self.users[0], repo=self.repo)
        self.nouns = rng.sample(c["nouns"], 10)
        self.words = rng.sample(c["words"], 11)
        self.cols = rng.sample(c["cols"], 7)
        self.all_areas = rng.sample(c["areas"], len(c["areas"]))
        self.per_area = per_area
        self.pool = [self._line() for _ in range(700)]
        self.files, self.by_area, self.paths = [], {}, set()
        self.scale = 1.0
        for a in self.all_areas[:areas]:
            self.add_area(a)
        self.values, self.old = {}, {}
        for k in LABELS:
            self.values[k] = self._value(k)

    def _line(self):
        r = self.rng
        w, x, y, z = r.sample(self.words, 4)
        return r.choice(LINES[self.lang]).format(w=w, x=x, y=y, z=z, W=w.capitalize(), X=x.capitalize(), Y=y.capitalize(), Z=z.capitalize(), n=r.randint(2, 900))

    def new_lines(self, n):
        o = self.rng.randrange(len(self.pool))
        out = (self.pool[o:] + self.pool[:o]) * (1 + n // len(self.pool))
        return out[:n]

    def add_file(self, area, path=None, stem=None, lines=None):
        r, t = self.rng, self.tools
        if path is None:
            d = t["src"].format(repo=self.repo, a=area)
            for _ in range(30):
                stem = r.choice(self.c["stems"])
                if r.random() < 0.6:
                    stem = r.choice(self.words) + "_" + stem
                path = f"{d}/{stem}.{t['ext']}"
                if path not in self.paths:
                    break
            else:
                stem = f"{stem}{len(self.files)}"
                path = f"{d}/{stem}.{t['ext']}"
        if lines is None:
            lines = self.new_lines(max(15, int(min(230, r.lognormvariate(4.1, 0.55)) * self.scale)))
        f = File(path, area, stem or path.rsplit("/", 1)[-1].split(".")[0], lines)
        self.files.append(f)
        self.paths.add(path)
        self.by_area.setdefault(area, []).append(f)
        return f

    def add_area(self, a):
        for _ in range(self.per_area):
            self.add_file(a)

    def grow_to(self, scale):
        if scale > self.scale:
            f = scale / self.scale
            self.scale = scale
            for x in self.files:
                x.lines.extend(self.new_lines(round(len(x.lines) * (f - 1))))
                x.version += 1

    def _value(self, k):
        r, n = self.rng, self.rng.randint
        w = r.choice(self.words).lower()
        return {
            "stage_host": lambda: f"{w}-stage{n(1, 40)}.{self.name}.example", "api_port": lambda: str(n(4000, 9900)), "release_branch": lambda: f"release/{n(2, 9)}.{n(0, 30)}",
            "version": lambda: f"{n(2, 9)}.{n(0, 30)}.{n(0, 60)}", "db_host": lambda: f"db-{w}{n(1, 60)}.{self.name}.example", "db_port": lambda: str(n(5433, 6900)),
            "bucket": lambda: f"{self.name}-{w}-{n(10, 99)}", "namespace": lambda: f"{w}-{r.choice(['qa', 'demo', 'pre'])}{n(1, 30)}", "registry": lambda: f"reg{n(1, 50)}.{self.name}.example",
            "service": lambda: f"{self.repo}-{w}{n(1, 40)}", "log_dir": lambda: f"/var/log/{self.repo}/{w}{n(1, 40)}", "region": lambda: f"{r.choice(['north', 'west', 'east'])}-{n(1, 30)}",
        }[k]()

    def change(self, k):
        self.old[k] = self.values[k]
        while self.values[k] == self.old[k]:
            self.values[k] = self._value(k)

    def slots(self, area, f=None):
        r = self.rng
        f = f or r.choice(self.by_area[area])
        n, m = r.sample(self.nouns, 2)
        w, x = r.sample(self.words, 2)
        fn = {"py": f"{w}_{x}", "ts": w + x.capitalize(), "go": w.capitalize() + x.capitalize()}[self.lang]
        return {"n": n, "m": m, "a": area, "f": f.base, "p": f.path, "fn": fn, "col": r.choice(self.cols), "num": r.randint(3, 95), "t": f"{self.c['ticket']}-{r.randint(200, 4200)}", "lib": r.choice(self.c["libs"]),
                "w": w, "W": w.capitalize(), "s": f.stem, "repo": self.repo, "reg": "local", "ver": "dev"}
