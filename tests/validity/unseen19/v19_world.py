"""Three teams, their repositories, commands and settings."""

WORLDS = [
 dict(name="newspaper", ext="py", cmt="#", cwds=["/home/mila/work/frontpage", "/Users/desk/src/evening-edition", "/srv/dev/pressroom"],
  nouns="article byline column headline edition teaser galley proof embargo wire caption masthead section layout feed archive obituary ticker supplement photo desk issue print paywall digest quote".split(),
  suf="writer loader planner store filter mapper queue index sync views".split(),
  pkgs=["newsroom", "layout", "archive", "wires", "subscribers", "print_run", "mobile", "search", "comments", "ads", "events", "crosswords"],
  root="src/", test="tests/test_{}.py", manifest="pyproject.toml", config="config/settings.toml",
  t="pytest -q {}", tfail="F..F                                  [100%]\nFAILED {} - AssertionError: expected {} got None\n2 failed, 14 passed in 1.82s", tok="................                      [100%]\n{} passed in 1.{}s",
  lint=["ruff check src", "ruff format --check src", "mypy src"], build=["make bundle", "python -m build", "docker build -t press:{image_tag} ."],
  deploy=["fab -H {staging_host} push --branch {release_branch}", "rsync -az dist/ deploy@{staging_host}:/srv/press", "kubectl set image deploy/press web=press:{image_tag} -n {namespace}"],
  health=["curl -sf http://{staging_host}:{api_port}/health", "curl -s http://{staging_host}:{metrics_port}/metrics | head -20", "kubectl get pods -n {namespace}"],
  query=["psql -d {db_name} -c 'select id, status from {t} limit 20'", "psql -d {db_name} -f sql/{t}.sql", "sqlite3 var/{t}.db 'select count(*) from {t}'"],
  script=["python scripts/{t}_report.py --region {region}", "python -m tools.{t} --bucket {bucket}", "jq '.{t}[] | .id' var/{t}.json"],
  logs=["ssh ops@{staging_host} tail -n 80 /var/log/{t}.log", "journalctl -u {t} -n 50", "kubectl logs deploy/{t} -n {namespace} --tail=60", "redis-cli -n 2 llen {queue}"],
  deps=["pip list --outdated", "uv lock --upgrade-package {t}", "uv sync --python {runtime}"],
  line=["def {a}_{b}({a}, {b}=None):", "    if {a} is None: return {b}", "    {a} = self.{b}.get({a}_id)", "    for {a} in {b}_list:", "        yield {a}.{b}", "    return {a}_{b}(self.{a})", "class {A}{B}:", "    log.info('{a} %s', {b})", "    {b}['{a}'] = {a}.strip()", ""],
  sym="{a}_{b}", missing="Traceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\nModuleNotFoundError: No module named '{}_tools'",),
 dict(name="laboratory", ext="rs", cmt="//", cwds=["/home/bruno/lab/spectro-control", "/Users/kaori/beamline-daemon", "/opt/dev/cryostat"],
  nouns="detector shutter goniometer laser sample cryostat spectrum trigger stage pump valve calibration sweep exposure channel motor encoder vacuum interlock photodiode baseline sensor dewar grating frame scan".split(),
  suf="driver reader planner state filter codec queue registry bus monitor".split(),
  pkgs=["core", "drivers", "sequencer", "calib", "archive", "panel", "safety", "optics", "vacuum", "analysis", "remote", "simulator"],
  root="crates/", test="tests/{}_it.rs", manifest="Cargo.toml", config="etc/instrument.toml",
  t="cargo test {}", tfail="running 16 tests\ntest {} ... FAILED\nthread panicked: assertion `left == right` failed: {}\ntest result: FAILED. 14 passed; 2 failed", tok="running {} tests\ntest result: ok. 0 failed; finished in 0.{}s",
  lint=["cargo clippy --all-targets", "cargo fmt --check", "cargo check --workspace"], build=["cargo build --release", "cross build --target {runtime}", "make firmware TAG={image_tag}"],
  deploy=["scp target/release/daemon lab@{staging_host}:/opt/bin", "ansible-playbook -l {staging_host} site.yml", "git push origin HEAD:{release_branch}"],
  health=["nc -zv {staging_host} {api_port}", "labctl --host {staging_host} status", "curl -s http://{staging_host}:{metrics_port}/metrics | head"],
  query=["labctl query {t} --run {namespace}", "influx query --org lab -f flux/{t}.flux", "sqlite3 {db_name}.db 'select * from {t} limit 20'"],
  script=["python3 tools/{t}_convert.py --store {bucket}", "h5dump -d /{t} runs/{namespace}.h5", "awk -F, '{{print $2}}' out/{t}.csv"],
  logs=["ssh lab@{staging_host} journalctl -u {t} -n 60", "labctl logs {t} --zone {region}", "dmesg | tail -40", "labctl queue show {queue}"],
  deps=["cargo outdated", "cargo update -p {t}", "cargo tree -i {t}"],
  line=["pub fn {a}_{b}(&self, {a}: &{A}) -> Result<{B}> {{", "    let {a} = self.{b}.lock()?;", "    match {a}.{b}() {{", "        Some({b}) => {b}.apply({a}),", "    }}", "pub struct {A}{B} {{", "    {a}: Option<{B}>,", "    tracing::debug!(\"{a} {{}}\", {b});", "    Ok({a}.{b}()?)", ""],
  sym="{a}_{b}", missing="error[E0432]: unresolved import `{}_tools`\n --> crates/core/src/lib.rs:4:5\nerror: could not compile `core` due to previous error",),
 dict(name="ticketshop", ext="ts", cmt="//", cwds=["/home/yusra/code/boxoffice", "/Users/odd/projects/seatmap", "/workspace/venue-shop"],
  nouns="ticket seat venue basket voucher order refund gate barcode season discount hall row presale waitlist invoice payment fee promoter event resale stand wristband customer badge tour".split(),
  suf="service cache planner store guard mapper queue router client widget".split(),
  pkgs=["checkout", "seating", "pricing", "accounts", "scanner", "backoffice", "mailer", "partners", "refunds", "analytics", "kiosk", "loyalty"],
  root="packages/", test="test/{}.spec.ts", manifest="package.json", config="config/default.json",
  t="pnpm vitest run {}", tfail=" FAIL  {}\n   AssertionError: expected undefined to equal '{}'\n Tests  2 failed | 11 passed", tok=" Test Files  1 passed\n      Tests  {} passed\n   Duration  1.{}s",
  lint=["pnpm eslint packages", "pnpm prettier --check .", "pnpm tsc --noEmit"], build=["pnpm build", "docker build -t shop:{image_tag} .", "pnpm --filter web build"],
  deploy=["gh workflow run deploy.yml --ref {release_branch}", "helm upgrade shop chart --set tag={image_tag} -n {namespace}", "flyctl deploy --region {region}"],
  health=["curl -sf https://{staging_host}/healthz", "curl -s localhost:{api_port}/version", "kubectl get deploy -n {namespace}"],
  query=["mysql {db_name} -e 'select id, total from {t} limit 20'", "pnpm tsx scripts/sql.ts {t}", "bq query --dataset_id={db_name} 'select count(*) from {t}'"],
  script=["node scripts/{t}-report.mjs --bucket {bucket}", "pnpm tsx tools/{t}.ts --node {runtime}", "csvcut -c id,{t} var/{t}.csv"],
  logs=["kubectl logs deploy/{t} -n {namespace} --tail=80", "ssh shop@{staging_host} tail -n 60 /var/log/{t}.log", "stern {t} --since 10m", "redis-cli llen {queue}"],
  deps=["pnpm outdated", "pnpm up {t}", "pnpm why {t}"],
  line=["export function {a}{B}({a}: {A}): {B} {{", "  const {a} = await this.{b}.find({a}Id);", "  if (!{a}) return null;", "  for (const {a} of {b}s) {{", "    {b}.push({a}.{b});", "  }}", "export class {A}{B} {{", "  logger.debug({{ {a}, {b} }});", "  return {{ ...{a}, {b} }};", ""],
  sym="{a}{B}", missing="Error [ERR_MODULE_NOT_FOUND]: Cannot find package '{}-tools' imported from /workspace/scripts/run.mjs\n    at packageResolve (node:internal/modules/esm/resolve:857:9)",),
]
LABELS = dict(staging_host="the staging host", prod_host="the production host", db_name="the database name", api_port="the api port",
 metrics_port="the metrics port", release_branch="the release branch", runtime="the runtime version", bucket="the bucket",
 queue="the queue name", image_tag="the image tag", region="the region", namespace="the namespace")


def new_value(r, key, w):
    n = r.choice(w["nouns"])
    k = r.randrange(2, 99)
    if key == "staging_host": return f"stg-{n}{k}.lan.example.net"
    if key == "prod_host": return f"{n}{k}.example.org"
    if key == "db_name": return f"{n}_db_{k}"
    if key == "api_port": return str(r.randrange(7000, 9000))
    if key == "metrics_port": return str(r.randrange(9100, 9900))
    if key == "release_branch": return f"release/{r.randrange(20, 30)}.{k}"
    if key == "runtime": return f"{r.randrange(3, 24)}.{k}"
    if key == "bucket": return f"{n}-store-{k}"
    if key == "queue": return f"{n}.jobs.{k}"
    if key == "image_tag": return f"v{r.randrange(1, 9)}.{k}.{r.randrange(20)}"
    if key == "region": return r.choice(["eu-north-", "eu-west-", "zone-", "rack-"]) + str(k)
    return f"{n}-ns{k}"


class File:
    __slots__ = ("path", "pkg", "base", "lines", "twin", "edits")

    def __init__(self, path, pkg, base):
        self.path, self.pkg, self.base, self.lines, self.twin, self.edits = path, pkg, base, None, None, 0


class World:
    def __init__(self, r):
        self.r = r
        self.w = w = r.choice(WORLDS)
        self.cwd = r.choice(w["cwds"])
        self.nouns = r.sample(w["nouns"], 20)
        self.suf = r.sample(w["suf"], 8)
        self.people = r.sample(["Tove", "Anselm", "Priya", "Jorge", "Wanda", "Kofi", "Lien", "Marek", "Signe", "Dario"], 5)
        self.pkgs = r.sample(w["pkgs"], len(w["pkgs"]))
        self.files, self.by_pkg = [], {p: [] for p in self.pkgs}
        src = "" if w["ext"] == "py" else "src/"
        for i, p in enumerate(self.pkgs):
            for _ in range(5):
                base = f"{r.choice(self.nouns)}_{r.choice(self.suf)}"
                q = self.pkgs[(i // 2 * 2 + 1 - i % 2)]  # partner package
                names = [(p, base), (q, base) if r.random() < .5 else (p, base + r.choice(["s", "_v2", "_base", "_ext"]))]
                pair = []
                for pk, b in names:
                    path = f"{w['root']}{pk}/{src}{b}.{w['ext']}"
                    f = next((x for x in self.by_pkg[pk] if x.path == path), None)
                    if f is None:
                        f = File(path, pk, b)
                        self.by_pkg[pk].append(f); self.files.append(f)
                    pair.append(f)
                if pair[0] is not pair[1]:
                    pair[0].twin = pair[0].twin or pair[1]; pair[1].twin = pair[1].twin or pair[0]
        for pk in self.by_pkg: r.shuffle(self.by_pkg[pk])
        self.pool = []
        for _ in range(260):
            a, b = r.choice(self.nouns), r.choice(self.nouns)
            self.pool.append(r.choice(w["line"]).format(a=a, b=b, A=a.title(), B=b.title()))
        self.settings = {k: [new_value(r, k, w), new_value(r, k, w)] for k in LABELS}

    def sym(self):
        r = self.r
        a, b = r.choice(self.nouns), r.choice(self.suf)
        return self.w["sym"].format(a=a, b=b, B=b.title())

    def lines(self, f, scale=1.0):
        r = self.r
        if f.lines is None:
            n = int(min(max(r.lognormvariate(4.1, .45), 20), 170))
            f.lines = [f"{self.w['cmt']} {f.base.replace('_', ' ')} of {f.pkg}"] + r.choices(self.pool, k=n)
            f.edits = 0
        return f.lines

    def output(self, prog):
        r = self.r
        return "\n".join(f"{r.choice(self.nouns)} {r.choice(self.suf)} {r.randrange(1000)} {r.choice(('ok','ready','done','-','idle'))}" for _ in range(r.randrange(2, 9)))
