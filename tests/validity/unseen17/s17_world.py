"""Company, repository, files and settings of one life."""
from s17_words import DOMAINS, VERBS, STEMS, SIBLINGS, NEWAREAS, USERS, FRUITS

LANGS = {
 "py": dict(ext="py", src="src/{repo}/{area}", test="tests/{area}/test_{stem}.py", runt="pytest {t} -q", lint="ruff check src", fmt="ruff format src"),
 "ts": dict(ext="ts", src="packages/{area}/src", test="packages/{area}/test/{stem}.spec.ts", runt="npx vitest run {t}", lint="npx eslint packages", fmt="npx prettier -w packages"),
 "go": dict(ext="go", src="internal/{area}", test="internal/{area}/{stem}_test.go", runt="go test ./{d}/... -run {T}", lint="golangci-lint run ./...", fmt="gofmt -w internal"),
}


class File:
    __slots__ = ("path", "area", "stem", "n", "like", "ver")

    def __init__(self, path, area, stem, n):
        self.path, self.area, self.stem, self.n, self.like, self.ver = path, area, stem, n, None, 0


class Setting:
    __slots__ = ("key", "name", "keys", "cmds", "make", "cur", "old", "known")

    def __init__(self, key, name, keys, cmds, make):
        self.key, self.name, self.keys, self.cmds, self.make = key, name, keys, cmds, make
        self.old, self.known, self.cur = [], False, None

    def change(self, rng):
        seen = set(self.old) | {self.cur}
        for _ in range(40):
            v = self.make(rng)
            if v not in seen:
                break
        if self.cur is not None:
            self.old.append(self.cur)
        self.cur = v


def settings(rng, repo, tld):
    w = lambda r: r.choice(FRUITS)
    num = lambda lo, hi: (lambda r: str(r.randrange(lo, hi)))
    S = [
     ("staging_host", "staging host", ["STAGING_HOST", "stagingHost", "staging.host", "stg_hostname"], ["curl -s https://{v}/healthz", "ssh deploy@{v} uptime", "curl -sI https://{v}/login | head -5"], lambda r: f"stg-{w(r)}{r.randrange(2, 40)}.{tld}"),
     ("db_host", "database host", ["DB_HOST", "database.host", "pgHost", "db-hostname"], ["psql -h {v} -U reader -c 'select count(*) from {ent}s'", "pg_isready -h {v}", "psql -h {v} -U reader -c '\\d {ent}s'"], lambda r: f"pg-{w(r)}-{r.randrange(2, 60)}.int.{tld}"),
     ("db_port", "database port", ["DB_PORT", "database.port", "pgPort"], ["psql -p {v} -U reader -c 'select max(id) from {ent}s'", "pg_dump -p {v} -t {ent}s --schema-only"], num(15432, 19990)),
     ("release_branch", "release branch", ["RELEASE_BRANCH", "release.branch", "releaseBranch"], ["git push origin HEAD:{v}", "git log --oneline -8 origin/{v}", "git rebase origin/{v}"], lambda r: f"release/{r.randrange(3, 30)}.{r.randrange(1, 20)}-{w(r)}"),
     ("image_tag", "image tag", ["IMAGE_TAG", "image.tag", "containerTag"], ["docker pull registry." + tld + "/" + repo + ":{v}", "docker run --rm registry." + tld + "/" + repo + ":{v} --version"], lambda r: f"{r.randrange(2, 30)}.{r.randrange(1, 30)}.{r.randrange(1, 30)}-{w(r)}"),
     ("cluster", "cluster context", ["KUBE_CONTEXT", "cluster.context", "kubeContext", "k8s_ctx"], ["kubectl --context {v} get pods -n {area}", "kubectl --context {v} logs deploy/{area} --tail=40", "kubectl --context {v} rollout status deploy/{area}"], lambda r: f"k8s-{w(r)}-{r.choice('abcdef')}{r.randrange(1, 30)}"),
     ("bucket", "backup bucket", ["BACKUP_BUCKET", "backup.bucket", "backupBucketName"], ["aws s3 ls s3://{v}/{area}/ --human-readable", "aws s3 cp s3://{v}/{area}/latest.json /tmp/"], lambda r: f"{repo}-bak-{w(r)}-{r.randrange(100, 999)}"),
     ("queue", "job queue", ["JOB_QUEUE", "queue.name", "queueName"], ["./bin/queue depth --name {v}", "./bin/queue peek --name {v} --limit 5"], lambda r: f"{w(r)}-jobs-{r.randrange(10, 99)}"),
     ("cache_host", "cache host", ["CACHE_HOST", "cache.host", "redisHost", "REDIS_NODE"], ["redis-cli -h {v} info memory", "redis-cli -h {v} --scan --pattern '{ent}:*' | head"], lambda r: f"kv-{w(r)}-{r.randrange(2, 60)}.int.{tld}"),
     ("project_id", "cloud project id", ["CLOUD_PROJECT", "cloud.project_id", "projectId"], ["gcloud run services list --project {v}", "gcloud logging read severity=ERROR --project {v} --limit 10"], lambda r: f"{w(r)}-{r.choice(['prod', 'main', 'core'])}-{r.randrange(100000, 999999)}"),
     ("api_port", "local API port", ["API_PORT", "server.port", "apiPort", "http_listen"], ["curl -s localhost:{v}/api/{ent}s", "curl -s -X POST localhost:{v}/api/{ent}s -d @/tmp/{ent}.json", "lsof -i :{v}"], num(20110, 29990)),
     ("sdk_version", "SDK version", ["SDK_VERSION", "sdk.version", "sdkVersion"], ["./bin/sdk install {v}", "./bin/sdk diff --from 1.0.0 --to {v}"], lambda r: f"{r.randrange(2, 20)}.{r.randrange(10, 40)}.{r.randrange(10, 40)}"),
     ("tenant", "test tenant", ["TEST_TENANT", "tenant.id", "testTenantId"], ["./bin/admin tenant show {v}", "./bin/admin seed --tenant {v} --area {area}"], lambda r: f"tn_{w(r)}_{r.randrange(1000, 9999)}"),
     ("board", "dashboard id", ["DASHBOARD_ID", "grafana.dashboard", "dashboardUid"], ["./bin/metrics panel --board {v} --last 6h", "./bin/metrics export --board {v} --csv"], lambda r: f"brd-{w(r)}-{r.randrange(1000, 9999)}"),
    ]
    out = [Setting(*s) for s in S]
    for s in out:
        s.change(rng)
    return out


class World:
    def __init__(self, rng):
        self.rng = rng
        d = rng.choice(DOMAINS)
        self.company, self.repo = d["company"], d["repo"]
        self.areas, self.ents = list(d["areas"]), list(d["ents"])
        rng.shuffle(self.areas)
        rng.shuffle(self.ents)
        self.langname = rng.choice(list(LANGS))
        self.lang = LANGS[self.langname]
        self.user, self.user2 = rng.sample(USERS, 2)
        self.colleagues = [u for u in USERS if u not in (self.user, self.user2)]
        self.root = rng.choice(["/home/{u}/code/{r}", "/Users/{u}/dev/{r}", "/srv/work/{u}/{r}"]).format(u=self.user, r=self.repo)
        self.tick = rng.choice(["OPS", "DEV", "TK", "BZ", "CORE"])
        self.tld = self.repo.replace("-", "") + rng.choice([".example", ".test", ".invalid"])
        self.settings = settings(rng, self.repo, self.tld)
        self.files, self.by_area, self.by_stem = [], {}, {}
        self.newareas = list(NEWAREAS)
        rng.shuffle(self.newareas)
        for a in self.areas:
            self.add_area(a)
        self._lines = {}
        self.funcs = {}

    def add_area(self, a):
        rng = self.rng
        base = self.lang["src"].format(repo=self.repo.replace("-", "_"), area=a)
        e = rng.sample(self.ents, 6)
        names = list(STEMS) + [f"{x}_{rng.choice(STEMS)}" for x in e] + [f"{x}s" for x in e[:4]]
        names += [SIBLINGS[s] for s in rng.sample(STEMS, 5)]
        L = []
        for s in dict.fromkeys(names):
            f = File(f"{base}/{s}.{self.lang['ext']}", a, s, int(min(130, max(22, rng.lognormvariate(4.0, .45)))))
            L.append(f)
            self.by_stem.setdefault(s, []).append(f)
        self.by_area[a] = L
        self.files += L

    def lookalike(self, f, rng):
        same = [g for g in self.by_stem.get(f.stem, ()) if g is not f]
        sib = [g for g in self.by_area[f.area] if g is not f and (g.stem.startswith(f.stem[:5]) or g.stem.endswith(f.stem[-5:]))]
        if sib and (not same or rng.random() < .4):
            return rng.choice(sib)
        return rng.choice(same) if same else rng.choice([g for g in self.by_area[f.area] if g is not f])

    def func(self, f, i):
        v = VERBS[(hash_(f.path) + 7 * i) % len(VERBS)]
        e = self.ents[(hash_(f.path) // 7 + i) % len(self.ents)]
        return f"{v}_{e}" if self.langname == "py" else v + e.capitalize() if self.langname == "ts" else v.capitalize() + e.capitalize()

    def lines(self, f, n):
        L = self._lines.get(f.path)
        if L is None:
            L = self._lines[f.path] = []
        i = len(L) // 9
        while len(L) < n:
            fn = self.func(f, i)
            e = self.ents[(hash_(f.path) + i) % len(self.ents)]
            if self.langname == "py":
                L += [f"def {fn}({e}, store, limit={10 + i}):", f'    """{fn} for {f.area}, part {i}."""', f"    rows = store.fetch('{e}', limit)", "    if not rows:", f"        return {i}", f"    total = sum(r.{e}_value for r in rows)", f"    log.info('{f.stem} %s', total)", f"    return total - {i}", ""]
            elif self.langname == "ts":
                L += [f"export function {fn}({e}: Row, store: Store, limit = {10 + i}) {{", f"  // {f.area}, part {i}", f"  const rows = store.fetch('{e}', limit);", f"  if (!rows.length) return {i};", f"  const total = rows.reduce((a, r) => a + r.{e}Value, 0);", f"  log.info('{f.stem}', total);", f"  return total - {i};", "}", ""]
            else:
                L += [f"func {fn}({e} Row, store *Store, limit int) (int, error) {{", f"\t// {f.area}, part {i}", f'\trows, err := store.Fetch("{e}", limit)', "\tif err != nil {", f"\t\treturn {i}, err", "\t}", f'\tlog.Info("{f.stem}", len(rows))', f"\treturn len(rows) - {i}, nil", "}"]
            i += 1
        return L


_h = {}


def hash_(s):
    v = _h.get(s)
    if v is None:
        v = 5381
        for c in s:
            v = (v * 33 + ord(c)) & 0xFFFFFFF
        _h[s] = v
    return v
