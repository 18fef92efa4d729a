"""The people and their projects: files, look-alikes, settings, programs and outputs."""
from types import SimpleNamespace as NS

TASKS = {  # steps: R open target, r read on, S search, F find, E edit, W write, T test, L lint/build, X own program, V command with a setting, G git, C config, P plan
    "fix": ("SRrET", "SRRSETV", "TSRrEET", "RSRETG", "VSRRVET"), "feature": ("PRRrSEEWLTP", "RSRrEELTV", "PSRREWETG", "CRRSVEEEVLT"),
    "refactor": ("SSRRrEEEL", "SRREEEETL", "FSRrEREETG"), "tests": ("RrSWTET", "SRRWTT", "RVSREWTV"),
    "deploy": ("CVVXV", "GVVXVL", "LVCVVG", "XVRVV"), "data": ("VXVr", "VVSRV", "CVXVX", "VRVXV"),
    "docs": ("RrE", "SRREE", "FRREG"), "review": ("GGRRrS", "GRRSRV", "GVRrTRL"), "explain": ("SSRRr", "FSRRrSR", "VSRRV"),
    "perf": ("XRrEXV", "XSRREXT", "VRSrEEX"), "deps": ("RXTE", "XSREXT", "FRVXLTV"), "logs": ("VVSRE", "VXVRr", "GVSRRET"),
}
TASK_SLIP = {"fix": 1.1, "feature": 1.0, "refactor": 1.1, "tests": 1.0, "deploy": 1.15, "data": 1.1, "docs": .8,
             "review": .85, "explain": .8, "perf": 1.15, "deps": 1.15, "logs": 1.0}


def _p(**k):
    k["settings"] = [(lambda a: NS(key=a[0], sort=a[1], phrase=a[2], cmds=a[3].split(" ;; ")))(line.split("|"))
                     for line in k["settings"].strip().splitlines()]
    for name in ("dirs", "stems", "things", "syms"):
        k[name] = k[name].split(",")
    for name in ("shell", "git", "lines"):
        k[name] = k[name].strip().splitlines()
    return NS(**k)


GIT = """git status --short
git log --oneline -8
git diff --stat HEAD~2
git diff HEAD~1
git stash list
git show --stat HEAD"""

PEOPLE = [
    _p(who="mara", cwd="/Users/mara/code/lumen-shop", ext="ts", hours=(9, 22), config=".env", lower=True, tail=["", " :)", " thx", "!!", ""],
       dirs="src/cart,src/api,src/admin,src/checkout,src/lib,src/mail", stems="order,price_rule,coupon,invoice,stock,session,shipping,basket,refund,webhook,tax,search,image,customer",
       things="the cart,checkout,the coupon form,order mails,stock sync,the admin list,stripe webhooks,product search,invoices,the refund flow",
       syms="applyCoupon,totalOf,syncStock,sendReceipt,priceFor,mergeCarts,verifySignature,loadCustomer,formatMoney,nextInvoiceNo",
       test="pnpm vitest run {x}", lint="pnpm lint", miss="Error: Cannot find module '{m}'\nRequire stack:\n- /Users/mara/code/lumen-shop/scripts/run.js", mods=["dotenv-flow", "p-limit", "zod-form", "csv-parse"],
       show="pnpm run --silent env:print", shell="pnpm build\npnpm tsc --noEmit\npnpm prettier --check src\nnode scripts/seed.js\ndu -sh .next\npnpm why zod\nnpx knip", git=GIT,
       lines="""import { $ } from "./$";
export async function $(input: Input{n}) {
  const row{n} = await db.query($, {n});
  if (!row{n}) return null;
  return $(row{n}, { limit: {n} });
  // keep in step with $ ({n})
  total += item.price * {n};
  logger.debug("$", { step: {n} });
}
export const $_{n} = {n};
  for (const item of items.slice(0, {n})) {
    await $(item, ctx{n});""",
       settings="""DB_HOST|host|the database host|psql -h {v} -U shop -c 'select count(*) from orders' ;; pg_dump -h {v} -U shop -s shop | head -40
DB_PORT|port|the database port|psql -h 127.0.0.1 -p {v} -U shop -c '\\dt' ;; nc -zv 127.0.0.1 {v}
DEPLOY_BRANCH|branch|the deploy branch|git push origin HEAD:{v} ;; git fetch origin {v}
IMAGE_TAG|tag|the image tag|docker pull registry.lumen.shop/web:{v} ;; docker run --rm registry.lumen.shop/web:{v} node -v
STRIPE_ACCOUNT|id|the stripe account|stripe payouts list --stripe-account {v} ;; stripe events list --stripe-account {v} --limit 5
NODE_VERSION|version|the node version|nvm exec {v} pnpm build ;; nvm install {v}
STAGING_HOST|host|the staging host|curl -s https://{v}/health ;; ssh deploy@{v} uptime
ADMIN_PORT|port|the admin port|curl -s http://localhost:{v}/admin/ping ;; lsof -i :{v}
MAIL_TEMPLATE|id|the mail template|node scripts/mail.js --template {v} --dry-run ;; curl -s https://api.mailer.io/templates/{v}
CDN_BUCKET|name|the image bucket|aws s3 ls s3://{v}/img/ ;; aws s3 sync public/img s3://{v}/img
FLY_APP|name|the fly app|fly status -a {v} ;; fly logs -a {v} --no-tail
API_VERSION|version|the api version|curl -s https://api.lumen.shop/{v}/products?limit=3 ;; node scripts/contract.js --api {v}"""),
    _p(who="tomasz", cwd="/home/tomasz/work/ledger-etl", ext="py", hours=(8, 18), config="config/pipeline.toml", lower=False, tail=["", "", " Thanks.", " Please.", ""],
       dirs="etl/load,etl/clean,etl/model,etl/export,dags,etl/common", stems="ledger,account,posting,fx_rate,balance,partition,schema,manifest,snapshot,merchant,checksum,window,report,calendar",
       things="the nightly load,the fx rates,the balance report,the posting partitions,schema checks,the merchant snapshot,late arrivals,the export to finance,backfills,dedup of postings",
       syms="load_partition,normalise_fx,check_schema,merge_postings,build_snapshot,late_rows,write_manifest,roll_balance,dedupe_keys,next_window",
       test="uv run pytest {x} -q", lint="uv run ruff check etl", miss="Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nModuleNotFoundError: No module named '{m}'", mods=["pyarrow_hotfix", "fastparquet", "dateparser", "sqlglot_rs"],
       show="make print-config", shell="uv sync\nuv run mypy etl\nuv run python -m etl.plan --today\ndbt compile\nuv run python scripts/rowcount.py\nls -la data/out\nuv pip list", git=GIT,
       lines="""from etl.common import $
def $(frame, window={n}):
    rows = frame.filter(frame["batch"] > {n})
    log.info("$ took %s rows", {n})
    if rows.is_empty():
        return $(frame, {n})
    key_{n} = hash_columns(rows, ["$"])
    # $ depends on this order ({n})
    out = rows.join(rates, on="$", how="left").head({n})
    raise LedgerError("$ {n}")
LIMIT_{n} = {n}
    yield $(chunk, size={n})""",
       settings="""WAREHOUSE_HOST|host|the warehouse host|psql -h {v} -d ledger -c 'select max(day) from posting' ;; psql -h {v} -d ledger -f sql/late.sql
WAREHOUSE_PORT|port|the warehouse port|psql -h wh -p {v} -d ledger -c '\\dn' ;; nc -zv wh {v}
RAW_BUCKET|name|the raw bucket|gsutil ls gs://{v}/postings/ ;; gsutil du -sh gs://{v}/fx
DATASET|name|the dataset|bq query 'select count(*) from {v}.posting' ;; bq ls {v}
DBT_TARGET|name|the dbt target|dbt run --select balance --target {v} ;; dbt test --target {v}
RELEASE_BRANCH|branch|the release branch|git push origin HEAD:{v} ;; git log --oneline origin/{v} -5
IMAGE_TAG|tag|the worker image tag|docker run --rm ledger/worker:{v} etl --version ;; docker pull ledger/worker:{v}
AIRFLOW_HOST|host|the airflow host|curl -s https://{v}/api/v1/health ;; ssh airflow@{v} airflow dags list
RUN_ID|id|the backfill run id|airflow tasks states-for-dag-run nightly {v} ;; uv run python -m etl.resume --run {v}
FX_FEED|version|the fx feed version|uv run python -m etl.fx --feed {v} ;; curl -s https://fx.internal/feeds/{v}/latest
PROJECT_ID|id|the cloud project|gcloud --project {v} run jobs list ;; gcloud --project {v} logging read severity=ERROR --limit 5
PYTHON_VERSION|version|the python version|uv python install {v} ;; uv run --python {v} pytest -q tests/smoke"""),
    _p(who="jo", cwd="/home/jo/dev/emberfall", ext="rs", hours=(12, 26), config="game.env", lower=True, tail=["", " lol", "", " pls", "..."],
       dirs="src/world,src/render,src/ai,src/ui,src/net,src/audio", stems="chunk,mob,inventory,shader,particle,quest,camera,path,tile,sound,lobby,input,loot,weather",
       things="mob pathing,the inventory screen,chunk loading,the rain shader,loot tables,lobby sync,camera shake,the quest log,input lag,save games",
       syms="spawn_mob,bake_chunk,find_path,roll_loot,draw_rain,sync_lobby,tick_quest,pack_save,blend_camera,mix_sound",
       test="cargo test {x}", lint="cargo clippy --all-targets", miss="error[E0432]: unresolved import `{m}`\n --> src/main.rs:3:5\nerror: could not compile `emberfall` (bin) due to 1 previous error", mods=["glam_ext", "bevy_rain", "kira_sys", "rand_pcg2"],
       show="just env", shell="cargo build --release\ncargo fmt --check\ncargo bench --bench chunks\njust assets\nls -la assets/shaders\ncargo tree -d\ncargo run --example arena", git=GIT,
       lines="""use crate::world::$;
pub fn $(world: &mut World, n: u{n}) -> Option<Tile> {
    let speed = $ * {n}.0;
    if dist < {n}.5 { return None; }
    commands.spawn($Bundle::new({n}));
    // $ must run before physics ({n})
    self.timer.tick(Duration::from_millis({n}));
    for (i, m) in mobs.iter().enumerate().take({n}) {
}
const $_MAX: usize = {n};
    debug!("$ {}", {n});
    let seed = hash(&[$, {n}]);""",
       settings="""LOBBY_HOST|host|the lobby server|ssh game@{v} systemctl status lobby ;; curl -s https://{v}/rooms
LOBBY_PORT|port|the lobby port|nc -zv 127.0.0.1 {v} ;; cargo run --bin lobby -- --port {v}
STEAM_APP|id|the steam app id|steamcmd +app_info_print {v} +quit ;; just upload {v}
BUILD_TAG|tag|the build tag|git tag -l {v} -n3 ;; butler push build/linux jo/emberfall:linux --userversion {v}
PLAYTEST_BRANCH|branch|the playtest branch|git push origin HEAD:{v} ;; git diff --stat origin/{v}
RUST_VERSION|version|the toolchain|cargo +{v} build ;; rustup toolchain install {v}
ASSET_BUCKET|name|the asset bucket|aws s3 ls s3://{v}/packs/ ;; rclone copy assets/packs r2:{v}/packs
SAVE_SCHEMA|version|the save schema|cargo run --bin migrate -- --to {v} ;; just saves-check {v}
CRASH_HOST|host|the crash server|curl -s https://{v}/api/issues ;; scp target/symbols.zip crash@{v}:/in/
SEED|id|the test world seed|cargo run --release -- --seed {v} --frames 600 ;; cargo bench --bench world -- {v}
ROOM|name|the playtest room|just join {v} ;; curl -s http://localhost/rooms/{v}
METRICS_PORT|port|the metrics port|curl -s http://localhost:{v}/metrics ;; cargo run --bin load -- --metrics {v}"""),
    _p(who="ines", cwd="/home/ines/projects/reef-model", ext="R", hours=(8, 20), config="config.yml", lower=False, tail=["", " Thank you!", "", " (for the paper)", ""],
       dirs="R/growth,R/survey,R/bleach,analysis,R/figures,src", stems="coral,transect,sst,cover,mortality,larva,posterior,prior,grid,depth,colony,bootstrap,scenario,season",
       things="the bleaching model,the transect data,figure 3,the posterior checks,larval transport,the sst anomalies,the cover estimates,the sensitivity runs,the depth correction,the supplement table",
       syms="fit_cover,sst_anomaly,draw_posterior,larval_kernel,read_transects,summarise_runs,depth_adjust,plot_scenario,bootstrap_ci,mortality_rate",
       test="Rscript -e 'testthat::test_file(\"{x}\")'", lint="Rscript -e 'lintr::lint_dir(\"R\")'", miss="Error in library({m}) : there is no package called ‘{m}’\nCalls: source -> withVisible -> eval -> eval -> library\nExecution halted", mods=["posteriorx", "rstanarm2", "sfdep", "ncmeta"],
       show="make show-config", shell="Rscript analysis/run_all.R\nmake figures\nRscript -e 'renv::status()'\njulia --project src/transport.jl\nls -lh output\nquarto render paper.qmd\nmake -n", git=GIT,
       lines="""library($)
$ <- function(data, n = {n}) {
  stopifnot(nrow(data) > {n})
  fit_{n} <- glmer(cover ~ sst + (1 | site), data = $)
  draws <- $(fit, chains = 4, iter = {n})
  # $ follows eq. {n}
  out <- dplyr::filter(data, depth < {n})
  message("$: ", {n})
}
ci_{n} <- quantile($, c(.05, .95))
  set.seed({n}); idx <- sample(nrow(data), {n})
  saveRDS($, file.path("output", "run{n}.rds"))""",
       settings="""CLUSTER|host|the cluster login node|ssh ines@{v} squeue -u ines ;; rsync -av output/ ines@{v}:reef/
JOB_ID|id|the job id|sacct -j {v} ;; scontrol show job {v}
PARTITION|name|the partition|sbatch -p {v} jobs/fit.sh ;; sinfo -p {v}
DATA_VERSION|version|the data version|dvc pull -r {v} data/transects ;; Rscript analysis/load.R --data {v}
PAPER_BRANCH|branch|the paper branch|git push origin HEAD:{v} ;; git merge-base HEAD origin/{v}
R_VERSION|version|the R version|rig run -r {v} -e 'sessionInfo()' ;; module load R/{v}
TUNNEL_PORT|port|the notebook port|curl -s http://localhost:{v}/api/status ;; jupyter lab --no-browser --port {v}
SST_PRODUCT|tag|the sst product|Rscript analysis/sst.R --product {v} ;; curl -sI https://podaac.example.org/sst/{v}/grid.nc
DEPOSIT_ID|id|the zenodo deposit|curl -s https://zenodo.org/api/deposit/{v} ;; python3 tools/upload.py --deposit {v}
SCENARIO|name|the main scenario|Rscript analysis/run.R --scenario {v} ;; make output/{v}.rds
SCRATCH|name|the scratch space|ls /scratch/{v} ;; du -sh /scratch/{v}
DB_HOST|host|the survey database|psql -h {v} -d survey -c 'select count(*) from transect' ;; pg_isready -h {v}"""),
    _p(who="devon", cwd="/home/devon/ops/platform-infra", ext="go", hours=(7, 17), config="env/prod.env", lower=True, tail=["", "", " asap", ".", ""],
       dirs="cmd/agent,cmd/proxy,pkg/probe,pkg/rotate,modules/net,pkg/alert", stems="node,cert,ingress,backup,quota,volume,secret,dns,drain,metric,runner,policy,lease,probe",
       things="cert rotation,the backup job,node drain,the ingress,the alert rules,disk usage on the runners,dns failover,the probe agent,quota checks,the nightly restore test",
       syms="RotateCert,DrainNode,ProbeAll,WriteLease,CheckQuota,ResolveDNS,SnapshotVolume,FireAlert,SyncPolicy,NextBackup",
       test="go test ./{x}", lint="golangci-lint run ./...", miss="main.go:7:2: no required module provides package {m}; to add it:\n\tgo get {m}", mods=["github.com/ops/leasex", "golang.org/x/exp/slogx", "k8s.io/probe2", "github.com/acme/dnsx"],
       show="make env", shell="terraform fmt -check\nterraform validate\nkubectl get nodes\nhelm lint charts/probe\ngo vet ./...\ngo build ./...\nansible-lint playbooks\ndf -h", git=GIT,
       lines="""import "platform/pkg/$"
func $(ctx context.Context, n int) error {
	if n > {n} { return fmt.Errorf("$: %d", {n}) }
	ticker := time.NewTicker({n} * time.Second)
	log.Info("$", "step", {n})
	defer $Close({n})
	// $ needs the lease first ({n})
	nodes := list.Take({n})
}
const $Max{n} = {n}
	case err := <-$: return wrap(err, {n})
	res, err := $(ctx, {n})""",
       settings="""BASTION|host|the bastion|ssh ops@{v} uptime ;; ssh ops@{v} journalctl -u probe -n 20
NAMESPACE|name|the namespace|kubectl -n {v} get pods ;; kubectl -n {v} logs deploy/probe --tail 30
CONTEXT|name|the cluster context|kubectl --context {v} get nodes ;; helm --kube-context {v} list
IMAGE_TAG|tag|the probe image tag|helm upgrade probe charts/probe --set image.tag={v} ;; crane digest reg.ops/probe:{v}
TF_WORKSPACE|name|the terraform workspace|terraform workspace select {v} ;; TF_WORKSPACE={v} terraform plan -lock=false
RELEASE_BRANCH|branch|the release branch|git push origin HEAD:{v} ;; git cherry origin/{v}
VAULT_PORT|port|the vault port|curl -s http://127.0.0.1:{v}/v1/sys/health ;; VAULT_ADDR=http://127.0.0.1:{v} vault status
PROM_HOST|host|the prometheus host|promtool query instant https://{v} up ;; curl -s https://{v}/-/ready
INCIDENT|id|the incident id|pd incident get -i {v} ;; opsctl notes {v}
BACKUP_BUCKET|name|the backup bucket|aws s3 ls s3://{v}/daily/ ;; restic -r s3:s3.amazonaws.com/{v} snapshots
K8S_VERSION|version|the kubernetes version|kubeadm upgrade plan {v} ;; kubent --target-version {v}
PROXY_PORT|port|the proxy port|curl -s http://localhost:{v}/stats ;; ss -ltn sport = :{v}"""),
]
PEOPLE_STYLE = {"mara": "hey, ", "tomasz": "", "jo": "yo ", "ines": "Hello! ", "devon": ""}
OWN = {  # requests only this person makes
    "mara": [("deploy", "black friday banner is on, push it live and watch {t}"), ("data", "how many baskets were left behind this week?"), ("fix", "a customer wrote me that {t} charged twice, look at {f}")],
    "tomasz": [("data", "Backfill the missing days of {t} and reconcile the totals."), ("logs", "The DAG failed in {t}; find the failing task."), ("feature", "Add a data contract for {t}, see {f}.")],
    "jo": [("perf", "frame time spikes during {t}, {f} smells"), ("feature", "make {t} feel juicier, {s} in {f}"), ("deploy", "push a playtest build, {t} is in")],
    "ines": [("data", "Rerun {t} with the new data and tell me whether the interval changes."), ("docs", "Referee 2 asks about {t}, please extend the methods text in {f}."), ("explain", "Is {s} the same estimator as in the paper?")],
    "devon": [("logs", "paged again for {t}. root cause?"), ("deploy", "roll {t} out to the canaries"), ("deps", "cve in something {f} uses, bump it")],
}
_A = "amber birch cedar delta ember fjord grove heron iris juno krill lotus maple north onyx pearl quartz river slate tundra".split()
_Z = ["eu.internal", "corp.lan", "int.example.net", "ops.example.org"]


def value(rng, sort, used):
    """A new value of this sort that has never been used before in this life."""
    while True:
        a, n = rng.choice(_A), rng.randint(11, 97)
        v = {"host": lambda: f"{a}-{n}.{rng.choice(_Z)}", "port": lambda: str(rng.randint(21001, 48999)),
             "branch": lambda: f"release/{a}-{n}", "tag": lambda: f"v{rng.randint(1, 9)}.{rng.randint(10, 40)}.{n}",
             "id": lambda: f"{a[:3]}{rng.randrange(10**7, 10**8)}", "version": lambda: f"{rng.randint(2, 24)}.{rng.randint(10, 40)}.{n}",
             "name": lambda: f"{a}-{rng.choice(_A)}-{n}"}[sort]()
        if v not in used:
            used.add(v)
            return v


GONE = {"host": ("could not resolve host: {v}", 6), "port": ("connect to 127.0.0.1 port {v} failed: Connection refused", 7),
        "branch": ("error: {v}: remote branch was closed, no such ref", 1), "tag": ("Error: manifest for {v} not found: manifest unknown", 1),
        "id": ("Error 404: {v} not found", 1), "version": ("error: version {v} is not available", 1), "name": ("Error: {v} does not exist", 1)}

_GNU = "{p}: unrecognized option '{o}'\nTry '{p} --help' for more information."
OPTION = {"pnpm": " ERR_PNPM_UNKNOWN_OPTION  Unknown option: '{o}'", "uv": "error: unexpected argument '{o}' found\n\nUsage: uv [OPTIONS] <COMMAND>",
          "cargo": "error: unexpected argument '{o}' found\n\nUsage: cargo [OPTIONS] [COMMAND]", "git": "error: unknown option `{o}'\nusage: git [-v | --version] [-C <path>] <command>",
          "kubectl": "error: unknown flag: {o}\nSee 'kubectl --help' for usage.", "docker": "unknown flag: {o}\nSee 'docker --help'.", "go": "flag provided but not defined: {o}\nusage: go [flags] [packages]",
          "Rscript": "Error: unknown option '{o}'\nExecution halted", "aws": "usage: aws [options] <command>\naws: error: unrecognized arguments: {o}",
          "psql": "psql: unrecognized option '{o}'\npsql: hint: Try \"psql --help\" for more information.", "terraform": "flag provided but not defined: {o}"}
BAD_OPTIONS = ["--fast-mode", "--no-color-out", "--output-all", "--verbose-all", "--quiet-mode", "--jsonl", "--all-targets-too", "--recursive-only"]


def bad_shell(rng, p, cmd):
    """A call of the shell gone wrong by the agent's fault: (command, output, exit code)."""
    prog, kind = cmd.split()[0], rng.random() * (.92 if "=" in cmd.split()[0] else 1)
    if kind < .4:
        o = rng.choice(BAD_OPTIONS)
        return f"{cmd} {o}", OPTION.get(prog, _GNU).format(p=prog, o=o), rng.choice((1, 2))
    if kind < .6:
        m = rng.choice(p.mods)
        return cmd, p.miss.format(m=m), 1
    if kind < .8:
        d = f"{rng.choice(p.dirs)}_{rng.choice(('old', 'core', 'main', 'v2'))}"
        return f"cd {d} && {cmd}", f"bash: line 1: cd: {d}: No such file or directory", 1
    if kind < .92:
        return f'{cmd} | grep "{rng.choice(p.syms)}', "bash: -c: line 1: unexpected EOF while looking for matching `\"'\nbash: -c: line 2: syntax error: unexpected end of file", 2
    return f"{prog}x{cmd[len(prog):]}", f"bash: line 1: {prog}x: command not found", 127


def ok_output(rng, p, cmd):
    """What a program prints when all is well."""
    n = rng.randint(2, 900)
    if cmd.startswith("git"):
        return "\n".join(f"{rng.getrandbits(28):07x} {rng.choice(('fix', 'add', 'clean', 'move'))} {rng.choice(p.things)}" for _ in range(rng.randint(1, 7)))
    if "select" in cmd or "query" in cmd:
        return f" count \n-------\n {n * 37}\n(1 row)"
    return rng.choice((f"ok ({n} ms)", f"done in {n / 100:.2f}s", "", f"{n} items\nno problems found", f"status: healthy\nuptime: {n} min",
                       "\n".join(f"{rng.choice(p.stems)}-{rng.randint(1, 99)}  ready  {rng.randint(1, 80)}d" for _ in range(rng.randint(2, 8)))))


def test_output(rng, p, ok, stem):
    """The report of a test run."""
    n, s = rng.randint(6, 140), rng.choice(p.syms)
    if ok:
        return {"ts": f" ✓ {stem} ({n} tests)\n\n Test Files  1 passed (1)\n      Tests  {n} passed ({n})", "py": f"{'.' * min(n, 60)}\n{n} passed in {n / 20:.2f}s",
                "rs": f"running {n} tests\ntest result: ok. {n} passed; 0 failed; 0 ignored", "R": f"[ FAIL 0 | WARN 0 | SKIP 0 | PASS {n} ]", "go": f"ok  \tplatform/{stem}\t{n / 50:.3f}s"}[p.ext]
    return {"ts": f" FAIL  {stem}.test.ts > {s}\nAssertionError: expected {n} to be {n + 1}\n\n      Tests  1 failed | {n} passed ({n + 1})", "py": f"F{'.' * min(n, 60)}\nE       assert {n} == {n + 1}\nFAILED tests/test_{stem}.py::test_{s}\n1 failed, {n} passed in {n / 20:.2f}s",
            "rs": f"test {stem}::{s} ... FAILED\nassertion `left == right` failed\n  left: {n}\n right: {n + 1}\ntest result: FAILED. {n} passed; 1 failed", "R": f"── Failure: {s} ──\n{n} not equal to {n + 1}.\n[ FAIL 1 | WARN 0 | SKIP 0 | PASS {n} ]",
            "go": f"--- FAIL: Test{s} (0.01s)\n    {stem}_test.go:{n}: got {n}, want {n + 1}\nFAIL\nFAIL\tplatform/{stem}\t0.021s"}[p.ext]


class File:
    """One file of the project; its lines are made when first needed."""
    __slots__ = ("path", "size", "lines", "kin")

    def __init__(self, path, size):
        self.path, self.size, self.lines, self.kin = path, size, None, ()


def add_family(rng, p, files, alike, taken, scale):
    """Add one file, or two or three files with similar names."""
    while True:
        stem = rng.choice(p.stems)
        if rng.random() < .55:
            stem += "_" + rng.choice([x for x in p.stems if x != stem])
        d, e = rng.choice(p.dirs), p.ext
        base = f"{d}/{stem}"
        if alike:
            other = rng.choice([x for x in p.dirs if x != d])
            paths = rng.choice(([f"{base}.{e}", f"{base}s.{e}"], [f"{base}.{e}", f"{other}/{stem}.{e}"], [f"{base}_v1.{e}", f"{base}_v2.{e}", f"{base}.{e}"],
                                [f"{base}_read.{e}", f"{base}_reader.{e}"], [f"{base}_util.{e}", f"{base}_utils.{e}", f"{base}_utility.{e}"]))
        else:
            paths = [f"{base}.{e}"]
        if not taken & {stem}:
            break
        if len(taken) > 140:
            paths = [x.replace(stem, stem + str(len(taken))) for x in paths]
            break
    taken.add(stem)
    new = [File(x, int(rng.lognormvariate(4, .5) * scale) + 12) for x in paths]
    for f in new:
        f.kin = tuple(x for x in new if x is not f)
    files += new


def fill(rng, p, f):
    """Give a file its lines."""
    syms, pool = p.syms, p.lines
    f.lines = [rng.choice(pool).replace("$", rng.choice(syms)).replace("{n}", str(rng.randint(2, 9999))) for _ in range(f.size)]
