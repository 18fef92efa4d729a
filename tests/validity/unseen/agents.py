"""Simulated coding agents: folders of Claude Code session files with a known truth.

    from agents import KINDS, write_agent
    write_agent("reliability", seed=3, sessions=24, folder=Path("/tmp/x"))

Pure standard library; deterministic by (kind, seed, sessions). Truth per kind in KINDS; see README.md.
Written without sight of the tool that is to be tested with it.
"""
from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path


@dataclass(frozen=True)
class Kind:
    expects: str
    mechanism: str | None
    note: str


KINDS: dict[str, Kind] = {
    # ---- healthy: only the work or the surroundings change
    "stationary": Kind("healthy", None, "nothing changes; half of the seeds see small client bumps every few sessions"),
    "task_shift": Kind("healthy", None, "tasks shift gradually from features to bug fixes"),
    "files_grow": Kind("healthy", None, "files grow fourfold: bigger reads, more partial reads, more tokens"),
    "subagents_adopted": Kind("healthy", None, "subagent calls rise from none to 45 % of the larger requests"),
    "mcp_adopted": Kind("healthy", None, "an MCP server replaces shell and grep lookups from the middle on"),
    "client_upgrade": Kind("healthy", None, "client version changes in the middle, no effect"),
    "client_upgrade_usage": Kind("healthy", None, "client upgrade changes only how output_tokens and stop_reason are recorded"),
    "model_upgrade": Kind("healthy", None, "model changes in the middle, no effect"),
    "user_terser": Kind("healthy", None, "prompts shrink to a few words, same work"),
    "giant_session": Kind("healthy", None, "one enormous session late in the life"),
    "tdd_rising": Kind("healthy", None, "failing test first: share of requests rises, so do expected test failures"),
    "plans_after_clear": Kind("healthy", None, "from the middle on sessions start with /clear and a large pasted plan"),
    "holiday_gap": Kind("healthy", None, "25 days of silence in the middle"),
    "other_user_german": Kind("healthy", None, "from the middle on another user, writing German"),
    "instructions_edited": Kind("healthy", None, "CLAUDE.md edited in the middle, no effect"),
    "seasonal_load": Kind("healthy", None, "load swings in two waves: requests per session and task weight"),
    "compactions_harmless": Kind("healthy", None, "compactions become frequent; nothing is lost by them"),
    "events_harmless": Kind("healthy", None, "many /clear, compactions and model swaps, none has an effect"),
    "values_change_more": Kind("healthy", None, "keys get new values more and more often; the agent keeps up"),
    "twins_on_request": Kind("healthy", None, "user asks ever more often for both of two similarly named files"),
    "permissions_tightened": Kind("healthy", None, "user rejections and approval refusals rise; not the agent's errors"),
    "infra_outage": Kind("healthy", None, "three middle sessions full of network errors, then as before"),
    "questions_rise": Kind("healthy", None, "more questions and reviews, fewer changes"),
    "longer_sessions": Kind("healthy", None, "requests per session rise from about 7 to about 18"),
    "hidden_step": Kind("healthy", None, "step, not aging"),
    # ---- aging
    "compression": Kind("aging", "compression", "after compactions told facts are asked again and files re-read, ever more"),
    "compression_rereads": Kind("aging", "compression", "only re-reading of files already read rises"),
    "interference": Kind("aging", "interference", "the similarly named file is read or edited first, ever more often"),
    "revision": Kind("aging", "revision", "old value used after a new one was given (by user or tool), share rising"),
    "revision_tool": Kind("aging", "revision", "as revision; new values come only from tool results"),
    "maintenance": Kind("aging", "maintenance", "after each /clear, compaction or model swap errors and effort rise for a while"),
    "maintenance_growing": Kind("aging", "maintenance", "as maintenance, the shock growing over the life"),
    "reliability": Kind("aging", "reliability", "tool errors 5 % -> 20 %, user corrections 4 % -> 18 %, some German"),
    "reliability_quiet": Kind("aging", "reliability", "only user corrections and redone work rise; tools hardly fail more"),
    "effort_creep": Kind("aging", None, "calls per request x 1.6 without more errors; any mechanism will do"),
    "mix_shift_drift": Kind("aging", "reliability", "features to bug fixes and real drift of errors and corrections"),
    "adoption_drift": Kind("aging", "interference", "MCP adopted in the middle and real drift of wrong-file visits"),
}

# --------------------------------------------------------------------------- settings of one session


@dataclass
class P:
    err: float = 0.05        # agent-made tool errors per call
    corr: float = 0.04       # user corrections per request
    effort: float = 1.0      # factor on search, reading and retries
    reread: float = 0.07     # reads again a file it has in context
    keep: float = 0.65       # share of known files kept over a compaction
    forget: float = 0.06     # told fact is asked or looked up again after a compaction
    wrong: float = 0.02      # twin visited first
    stale: float = 0.04      # old value used after an update
    redo: float = 0.03       # undoes and redoes an edit
    reject: float = 0.008    # user rejections per call
    refuse: float = 0.008    # harness refusals per Bash call
    outage: float = 0.0      # network errors per Bash/MCP call
    mix: dict = field(default_factory=lambda: dict(feature=3, bugfix=3, refactor=1.5, docs=1, test=1.5, question=1.5, ops=1, review=.7))
    sub: float = 0.04
    mcp: float = 0.0
    tdd: float = 0.06
    twins: float = 0.05
    terse: float = 0.12
    german: bool = False
    corr_german: float = 0.15
    size: float = 1.0        # factor on file length
    nreq: tuple = (6, 17)
    growth: float = 1.0      # context growth, drives compactions
    nkeys: tuple = (2, 4)
    updates: int = 1         # new values per key
    tool_updates: float = 0.5
    clear: bool = False
    plan: bool = False
    swap: bool = False       # a model swap inside this session
    swap_to: str = ""
    edit_rules: bool = False
    shock: tuple = (0.0, 1.0, 0.0)  # (errors added, effort factor, corrections added) after an event
    model: str = "claude-sonnet-4-5-20250929"
    version: str = "2.1.29"
    placeholder: bool = True  # output_tokens recorded as a placeholder
    user: str = ""


def _lerp(a: float, b: float, x: float) -> float:
    return a + (b - a) * x


MODELS = ["claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101", "claude-opus-4-6", "claude-sonnet-4-6"]
NICE = {"claude-sonnet-4-5-20250929": "Sonnet 4.5", "claude-opus-4-5-20251101": "Opus 4.5", "claude-opus-4-6": "Opus 4.6", "claude-sonnet-4-6": "Sonnet 4.6"}


def _plan_life(kind: str, r: random.Random, n: int) -> list[P]:
    """Settings per session: agent level from the seed, noise per session, the planted change on top."""
    base = P()
    if kind in ("reliability", "mix_shift_drift"):
        base.err = r.uniform(.045, .055)
    else:
        base.err = r.uniform(.035, .07)
    base.corr = r.uniform(.03, .055)
    base.terse = r.choice([.05, .12, .25])
    base.mix = {k: v * math.exp(r.gauss(0, .3)) for k, v in base.mix.items()}
    base.sub = 0.0 if kind == "subagents_adopted" else r.choice([0, .04, .1])
    base.mcp = 0.0 if kind in ("mcp_adopted", "adoption_drift") else r.choice([0, 0, .2])
    base.model = r.choice(MODELS[:3])
    minor = r.randint(12, 39)
    base.placeholder = True
    if r.random() < .4:
        minor = r.randint(62, 110)
        base.placeholder = False
    base.version = f"2.1.{minor}"
    base.corr_german = r.choice([.05, .2, .4])
    shape = r.choice([1.0, 1.0, 1.4, .75])
    mid = r.uniform(.42, .58)
    cut = max(1, round(mid * n))
    bumps = kind == "stationary" and r.random() < .5
    giant = min(n - 1, round(n * r.uniform(.6, .85)))
    outage = {cut, cut + 1, cut + 2}
    new_model = r.choice([m for m in MODELS if m != base.model])
    cur_model = base.model
    waves = r.uniform(0, 2 * math.pi)
    out = []
    for i in range(n):
        t = i / max(1, n - 1)
        x = t ** shape                       # aging so far, 0..1
        p = replace(base, mix={k: v * math.exp(r.gauss(0, .45)) for k, v in base.mix.items()})
        p.model = cur_model
        p.size = math.exp(r.gauss(0, .15))
        p.growth = math.exp(r.gauss(0, .15))
        p.clear = r.random() < .12
        late = i >= cut
        if bumps:
            p.version = f"2.1.{minor + i // 5}"
        # -- surroundings
        if kind in ("task_shift", "mix_shift_drift"):
            p.mix["feature"] *= _lerp(2.2, .25, t)
            p.mix["bugfix"] *= _lerp(.3, 2.4, t)
        elif kind == "files_grow":
            p.size *= _lerp(.7, 2.8, t)
        elif kind == "subagents_adopted":
            p.sub = _lerp(0, .45, max(0, (t - .2) / .8))
        elif kind in ("mcp_adopted", "adoption_drift"):
            p.mcp = .55 if late else 0.0
        elif kind in ("client_upgrade", "client_upgrade_usage"):
            if late:
                p.version = f"2.1.{minor + 11}"
            if kind == "client_upgrade_usage":
                p.version = "2.1.76" if late else "2.1.38"
                p.placeholder = not late
        elif kind == "model_upgrade":
            p.model = new_model if late else base.model
        elif kind == "user_terser":
            p.terse = _lerp(.05, .9, t)
        elif kind == "giant_session" and i == giant:
            p.nreq = (55, 75)
        elif kind == "tdd_rising":
            p.tdd = _lerp(.05, .9, t)
        elif kind == "plans_after_clear":
            p.clear = p.plan = late and r.random() < .85
        elif kind == "other_user_german":
            p.german = late
            p.corr_german = 1.0 if late else 0.0
            p.user = "jonas" if late else ""
        elif kind == "instructions_edited":
            p.edit_rules = i == cut
        elif kind == "seasonal_load":
            w = math.sin(waves + 4 * math.pi * t)
            lo = round(10 + 4 * w)
            p.nreq = (lo, lo + 6)
            p.mix["feature"] *= math.exp(.5 * w)
        elif kind == "compactions_harmless":
            p.growth *= _lerp(1.0, 2.4, t)
            p.keep, p.forget = .97, 0.0
        elif kind == "values_change_more":
            p.updates = 1 + int(r.random() < t) + int(r.random() < t)
            p.nkeys = (2, 3 + round(2 * t))
        elif kind == "twins_on_request":
            p.twins = _lerp(.03, .45, t)
        elif kind == "permissions_tightened":
            p.reject = _lerp(.008, .06, t)
            p.refuse = _lerp(.008, .14, t)
        elif kind == "infra_outage" and i in outage:
            p.outage = .35
        elif kind == "questions_rise":
            for k in ("question", "review", "docs"):
                p.mix[k] *= _lerp(.5, 3.0, t)
        elif kind == "longer_sessions":
            lo = round(_lerp(6, 15, t))
            p.nreq = (lo, lo + 4)
        if kind == "hidden_step":
            p.clear = False                  # no recorded event near the step
        if kind == "hidden_step" and late:
            p.err += .13
            p.effort *= 1.6
            p.corr += .11
            p.reread += .15
        if kind in ("events_harmless", "maintenance", "maintenance_growing"):
            p.clear = r.random() < .4
            p.swap = r.random() < .3
            p.growth *= 1.35
            if kind == "events_harmless":
                p.keep, p.forget = .97, 0.0
            else:
                a = _lerp(.55, 1.45, x) if kind.endswith("growing") else 1.0
                p.shock = (.15 * a, 1 + .6 * a, .09 * a)
        # -- aging
        if kind == "compression":
            p.growth *= 2.0
            p.keep = _lerp(.85, .1, x)
            p.reread = _lerp(.06, .38, x)
            p.forget = _lerp(.06, .7, x)
        elif kind == "compression_rereads":
            p.growth *= 1.3
            p.keep = _lerp(.75, .2, x)
            p.reread = _lerp(.06, .5, x)
        elif kind in ("interference", "adoption_drift"):
            p.wrong = _lerp(.02, .22, x)
        elif kind in ("revision", "revision_tool"):
            p.stale = _lerp(.05, .38, x)
            p.nkeys = (3, 4)
            p.tool_updates = 1.0 if kind == "revision_tool" else .5
        elif kind in ("reliability", "mix_shift_drift"):
            p.err = _lerp(base.err, .26, x)
            p.corr = _lerp(.04, .18, x)
        elif kind == "reliability_quiet":
            p.err = base.err + .02 * x
            p.corr = _lerp(.04, .24, x)
            p.redo = _lerp(.03, .2, x)
        elif kind == "effort_creep":
            p.effort *= _lerp(1.0, 2.2, x)
        # -- noise between sessions
        z = r.gauss(0, .3)
        o = p.err / (1 - p.err) * math.exp(z)
        p.err = o / (1 + o)
        p.effort *= math.exp(r.gauss(0, .18))
        p.corr = min(.5, p.corr * math.exp(r.gauss(0, .3)))
        p.wrong = min(.6, p.wrong * math.exp(r.gauss(0, .2)))
        if p.swap:
            p.swap_to = cur_model = r.choice([m for m in MODELS if m != p.model])
        out.append(p)
    return out


# --------------------------------------------------------------------------- the project worked on

NOUNS = ["order", "invoice", "account", "session", "shipment", "ledger", "report", "device", "sensor", "ticket", "webhook", "quota", "booking", "payment", "profile", "route", "catalog", "export", "import", "alert", "digest", "tenant", "license", "batch"]
AREAS = ["api", "core", "jobs", "storage", "auth", "ui", "cli", "billing", "search", "sync"]
ROLES = ["service", "handler", "store", "model", "client", "parser", "worker", "view", "policy", "cache"]
VERBS = ["load", "merge", "flush", "validate", "resolve", "render", "publish", "collect", "expire", "normalize", "retry", "split", "index", "attach", "lookup"]
LANGS = {
    "py": dict(ext=".py", test="pytest -q {f}", all="pytest -q", root="src", cmd="python -m", lint="ruff check ."),
    "go": dict(ext=".go", test="go test ./{d}/...", all="go test ./...", root="internal", cmd="go run", lint="golangci-lint run ./..."),
    "ts": dict(ext=".ts", test="npx vitest run {f}", all="npm test", root="packages", cmd="npx tsx", lint="npm run lint"),
}


def _pool(r: random.Random, lang: str, n: int = 700) -> list[str]:
    out = []
    for _ in range(n):
        a, b, v, w = r.choice(NOUNS), r.choice(NOUNS), r.choice(VERBS), r.choice(VERBS)
        k = r.random()
        num = r.randint(2, 900)
        if k < .12:
            s = ""
        elif lang == "py":
            s = r.choice([f"def {v}_{a}({b}_id, limit={num}):", f"    {a} = self.{w}_{b}({a}_id, timeout={num})", f"    if not {a}:", f"        raise ValueError(\"missing {a} {num}\")", f"    for {b} in {a}.{b}s:", f"        yield {v}({b}, {a}=None)", f"    return {{\"{a}\": {b}, \"count\": {num}}}", f"    # {v} the {a} before the {b} is written", f"    log.info(\"{v} {a} %s in %d ms\", {b}, {num})"])
        elif lang == "go":
            A, B, V = a.title(), b.title(), v.title()
            s = r.choice([f"func (s *{A}Store) {V}{B}(ctx context.Context, id string) error {{", f"\t{a}, err := s.{v}{B}(ctx, id, {num})", "\tif err != nil {", f"\t\treturn fmt.Errorf(\"{v} {a}: %w\", err)", "\t}", f"\tfor _, {b} := range {a}.{B}s {{", f"\t\tout = append(out, {b}.{A}ID)", f"\t// {v} must run before {w}", f"\tdefer s.{v}Mu.Unlock()", "}"])
        else:
            A, B = a.title(), b.title()
            s = r.choice([f"export async function {v}{A}(id: string, limit = {num}): Promise<{B}[]> {{", f"  const {a} = await this.{v}{B}(id, {{ retries: {num} }});", f"  if (!{a}) throw new {A}Error('{v} failed');", f"  return {a}.{b}s.map((x) => x.{a}Id);", f"  // {v} {a} after {b}", "}", f"  logger.debug({{ {a}, {b} }}, '{v}');", f"  for (const {b} of {a}.items) {{"])
        out.append(s)
    return out


class World:
    """Repository, user, keys. Lives as long as the agent."""

    def __init__(self, r: random.Random):
        self.lang = r.choice(list(LANGS))
        self.L = LANGS[self.lang]
        self.user = r.choice(["mara", "devon", "priya", "tomek", "lucia", "sam", "hana", "oskar"])
        self.repo = r.choice(["harbor", "ledgerline", "fieldkit", "tidepool", "packrat", "northgate", "brightside", "quarry"])
        self.home = r.choice(["/home/{u}/src/{p}", "/Users/{u}/work/{p}", "/Users/{u}/dev/{p}", "/srv/{u}/{p}"])
        self.pool = _pool(r, self.lang)
        root, ext = self.L["root"], self.L["ext"]
        self.files: list[str] = []
        self.twin: dict[str, str] = {}
        for a in r.sample(AREAS, 6):
            for nn in r.sample(NOUNS, 6):
                role = r.choice(ROLES)
                f = f"{root}/{a}/{nn}_{role}{ext}"
                if f in self.twin:
                    continue
                how = r.random()
                if how < .35:
                    b = r.choice([y for y in AREAS if y != a])
                    g = f"{root}/{b}/{nn}_{role}{ext}"
                elif how < .6:
                    g = f"{root}/{a}/{nn}s_{role}{ext}"
                elif how < .8:
                    g = f"{root}/{a}/{nn}_{role}_v2{ext}"
                else:
                    g = f"{root}/{a}/legacy_{nn}_{role}{ext}"
                if g in self.twin or g == f:
                    continue
                self.files.append(f)
                self.twin[f], self.twin[g] = g, f
        self.start = {f: r.randrange(600) for f in self.twin}
        self.len = {f: int(25 + 55 * r.random() ** 2 * 2) for f in self.twin}
        self.begin = datetime(2025, 9, 1, tzinfo=timezone.utc) + timedelta(days=r.randint(0, 140))
        self.inline_side = r.random() < .5
        self.tracker = r.choice(["linear", "jira", "tracker"])
        self.domains = r.sample(DOMAINS, 3)
        self.via_mcp = r.random() < .5
        self.lower = r.random() < .4
        self.please = r.random()
        self.prev_leaf = None

    def cwd(self, user: str) -> str:
        return self.home.format(u=user or self.user, p=self.repo)

    def lines(self, f: str, size: float) -> list[str]:
        n = max(12, int(self.len.get(f, 40) * size))
        s = self.start.get(f, 7)
        pool = self.pool
        if s + n <= len(pool):
            return pool[s:s + n]
        return [pool[(s + k) % len(pool)] for k in range(n)]


# --------------------------------------------------------------------------- keys whose values change
# name, key fields, value field, new value, tell, ask, shell lookup, lookup output, shell use, mcp server


def _ip(r): return f"10.{r.randint(1, 40)}.{r.randint(0, 250)}.{r.randint(2, 250)}"
def _host(r): return f"{r.choice(['app', 'node', 'vm', 'box', 'edge'])}-{r.choice(['a', 'b', 'c', 'd'])}{r.randint(10, 99)}.{r.choice(['internal', 'lan', 'svc.local'])}"
def _branch(r): return r.choice(["release/", "hotfix/", "train/", "rc-"]) + f"{r.randint(1, 9)}.{r.randint(0, 40)}"
def _ticket(r): return f"{r.choice(['OPS', 'CORE', 'PLAT', 'WEB'])}-{r.randint(100, 9800)}"
def _region(r): return f"{r.choice(['eu', 'us', 'ap', 'sa'])}-{r.choice(['west', 'east', 'central', 'south', 'north'])}-{r.randint(1, 3)}"
def _ver(r): return f"{r.randint(0, 9)}.{r.randint(0, 30)}.{r.randint(0, 20)}"
def _port(r): return str(r.randint(3001, 9890))
def _queue(r): return f"{r.choice(['bulk', 'fast', 'mail', 'slow', 'night'])}-{r.randint(1, 60)}"
def _path(r): return f"data/{r.choice(['raw', 'clean', 'export', 'snap'])}/{r.choice(NOUNS)}_{r.randint(2023, 2026)}{r.randint(1, 12):02d}{r.randint(1, 28):02d}.parquet"
def _price(r): return "plan_" + "".join(r.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(9))
def _schema(r): return f"{r.choice(['sales', 'ops', 'stage', 'mart', 'core'])}_{r.randint(1, 48)}"
def _cluster(r): return f"{r.choice(['blue', 'green', 'amber', 'slate'])}-{r.randint(10, 99)}"


@dataclass(frozen=True)
class Domain:
    fields: tuple
    value: str
    make: object
    keys: object
    tell: tuple
    ask: tuple
    look: str
    use: str
    server: str
    get: str
    put: str


_svc = lambda r: (r.choice(NOUNS) + "-" + r.choice(["svc", "api", "worker", "gateway"]),)
DOMAINS = [
    Domain(("service",), "host", _host, _svc, ("{k} runs on {v} now", "heads up, {k} has moved to {v}", "the host for {k} is {v}"), ("restart {k} on its host afterwards", "then tail the log of {k} on the box it runs on", "and check that {k} is up on its host"), "consul kv get services/{k}/host", "ssh {v} sudo systemctl restart {k}", "inventory", "get_service", "restart_service"),
    Domain(("env",), "branch", _branch, lambda r: (r.choice(["staging", "preview", "qa", "canary", "demo", "uat"]),), ("{k} deploys from {v} as of today", "for {k} we use branch {v}", "{k} was switched to {v}"), ("rebase onto the branch of {k} when done", "open the PR against the {k} branch", "compare with what is on the {k} branch"), "cat deploy/{k}/BRANCH", "git fetch origin {v} && git rebase origin/{v}", "deploys", "get_environment", "create_deploy"),
    Domain(("feature",), "ticket", _ticket, lambda r: (r.choice(NOUNS) + " " + r.choice(["rollout", "cleanup", "migration", "redesign"]),), ("the ticket for the {k} is {v}", "we track the {k} under {v} now", "{k} got a new ticket: {v}"), ("commit it under the {k} ticket", "leave a note in the ticket of the {k}", "reference the {k} ticket in the commit"), "gh issue list --search '{k}' --json number,title", "git commit -am '{v}: {k}'", "board", "find_ticket", "add_comment"),
    Domain(("service", "region"), "cluster", _cluster, lambda r: (r.choice(NOUNS) + "-svc", _region(r)), ("{k} is on cluster {v} now", "{k} was moved to {v}", "for {k} the cluster is {v}"), ("scale {k} to three afterwards", "roll {k} once it is merged", "look at the pods of {k}"), "kubectx --list | grep '{k}'", "kubectl --context {v} rollout restart deploy/{k0} -n {k1}", "fleet", "get_placement", "rollout"),
    Domain(("package",), "version", _ver, lambda r: (r.choice(["httpx", "pydantic", "zod", "chi", "sqlx", "redis-client", "protobuf", "arrow", "tokenizers", "vite"]),), ("pin {k} to {v}", "we are on {k} {v} from now on", "{k} must be {v}, the other one has a bug"), ("install the {k} version we use and rerun", "make sure the lockfile has our {k}", "rebuild with our {k}"), "grep -n '{k}' constraints.txt", "make install PKG={k} VERSION={v}", "registry", "get_pin", "install"),
    Domain(("tenant",), "region", _region, lambda r: (r.choice(["acme", "globex", "initech", "umbra", "hooli", "vandelay", "soylent", "stark"]),), ("{k} lives in {v}", "tenant {k} was migrated to {v}", "{k}: region {v} since this morning"), ("run the backfill for {k}", "list the buckets of {k} after that", "warm the cache for {k}"), "tenantctl show {k} | grep region", "tenantctl backfill {k} --region {v}", "tenants", "describe_tenant", "run_backfill"),
    Domain(("dataset",), "path", _path, lambda r: (r.choice(NOUNS) + "_" + r.choice(["daily", "facts", "events", "dim"]),), ("{k} is at {v}", "use {v} for {k}", "new drop of {k}: {v}"), ("rerun the numbers on {k}", "load {k} and print the row count", "and validate {k} with it"), "cat data/CATALOG | grep {k}", "python scripts/load.py --name {k} --input {v}", "lake", "locate", "load_table"),
    Domain(("customer", "plan"), "price_id", _price, lambda r: (r.choice(["kestrel", "lumen", "orbit", "delta", "mosaic"]), r.choice(["basic", "team", "pro", "annual"])), ("price id for {k} is {v}", "{k} has been repriced, {v}", "billing changed {k} to {v}"), ("apply the plan for {k}", "preview the invoice for {k}", "and test checkout for {k}"), "billctl prices --filter '{k}'", "billctl apply --customer {k0} --plan {k1} --price {v}", "billing", "get_price", "apply_price"),
    Domain(("job",), "queue", _queue, lambda r: (r.choice(VERBS) + "_" + r.choice(NOUNS) + "s",), ("{k} goes to queue {v}", "we route {k} through {v} now", "{k} was put on {v}"), ("enqueue {k} once", "requeue the failed {k} runs", "trigger {k} and watch it"), "jobctl inspect {k}", "jobctl enqueue {k} --queue {v}", "jobs", "inspect_job", "enqueue"),
    Domain(("table",), "schema", _schema, lambda r: (r.choice(NOUNS) + "_" + r.choice(["log", "items", "history", "state"]),), ("{k} is in schema {v}", "dba moved {k} to {v}", "read {k} from {v} please"), ("count the rows of {k}", "show me the last rows of {k}", "check {k} for duplicates"), "psql -Atc \"select table_schema from information_schema.tables where table_name='{k}'\"", "psql -c 'select count(*) from {v}.{k}'", "warehouse", "find_table", "query_table"),
    Domain(("service",), "port", _port, _svc, ("{k} listens on {v}", "{k} now uses port {v}", "changed the port of {k} to {v}"), ("curl the health endpoint of {k}", "hit {k} once locally", "check that {k} answers"), "grep -A2 '{k}' docker-compose.yml", "curl -fsS http://localhost:{v}/healthz?name={k}", "local", "get_port", "probe"),
]

# --------------------------------------------------------------------------- what people write

ASK = {
    "feature": ["add {a} filtering to {f}", "we need a way to {v} a {a} from the {area} side, start in {f}", "implement {v}_{a} in {f}, it should take an optional limit", "{f} should support {v}ing several {a}s at once", "support pagination for {a}s in {f}. default page size 50", "the {b} page needs the {a} count, expose it in {f}", "let {f} accept a dry-run flag and print what it would {v}", "new requirement from the {b} team: {v} every {a} older than 30 days. I think {f} is the right place"],
    "bugfix": ["{f} crashes when the {a} is empty, can you find out why", "users see a stale {a} after {v}, probably in {f}", "there is a race in {f}: two {v} calls, one {a} lost", "the {a} total is off by one in {f}", "got this from production: \"missing {a} {n}\" - comes from {f}, please fix", "{v} returns the wrong {b} for archived {a}s, look at {f}", "timeouts when we {v} many {a}s. {f} line {n} looks odd", "fix the encoding problem in {f}, umlauts in the {a} name get lost"],
    "refactor": ["split {f}, it does too many things", "rename {v}_{a} to {w}_{a} in {f} and all callers", "pull the {a} logic out of {f} into its own function", "remove the dead {b} code in {f}", "{f} and the {area} package share a lot, reduce the duplication", "make {f} use the common {a} type instead of raw maps"],
    "docs": ["write a docstring for the public functions in {f}", "update the notes on {a} {v} in {f}", "explain the {a} limits in a comment at the top of {f}", "the comments in {f} are out of date, fix them"],
    "test": ["add tests for {f}, mainly the empty {a} case", "cover {v}_{a} in {f} with a table test", "the tests of {f} do not check errors, add some", "write a regression test for the {a} bug in {f}"],
    "question": ["how does {f} decide which {a} to {v}?", "who calls {v}_{a}? start from {f}", "is {f} safe to call from two threads?", "what happens to the {b} if {f} fails halfway?", "where do we {v} the {a} config, is it {f}?"],
    "ops": ["the {area} build is red, have a look, I think {f} is involved", "run the linter and fix what it finds in {f}", "bump the {a} job and check the logs", "clean up old {a} branches and show me what is left"],
    "review": ["review my last commit, mostly {f}", "look over the diff of {f} before I push", "does {f} look ok to you? be critical", "check {f} for leftovers from the {a} change"],
}
ASK_DE = {
    "feature": ["füge in {f} einen Filter für {a} hinzu", "wir brauchen {v} für {a}, fang bitte in {f} an", "{f} soll mehrere {a} auf einmal verarbeiten können"],
    "bugfix": ["{f} stürzt ab, wenn {a} leer ist, finde bitte heraus warum", "die Summe der {a} in {f} stimmt nicht, bitte beheben", "nach {v} sieht man alte {a}, vermutlich liegt es an {f}"],
    "refactor": ["teile {f} auf, die Datei macht zu viel", "zieh die Logik für {a} aus {f} heraus", "in {f} ist toter Code zu {b}, entferne ihn"],
    "docs": ["schreib kurze Kommentare zu den öffentlichen Funktionen in {f}", "die Hinweise in {f} sind veraltet, bitte anpassen"],
    "test": ["schreib Tests für {f}, vor allem für leere {a}", "ergänze einen Regressionstest für {a} in {f}"],
    "question": ["wie entscheidet {f}, welches {a} genommen wird?", "was passiert mit {b}, wenn {f} mittendrin scheitert?"],
    "ops": ["der Build von {area} ist rot, schau bitte nach, wohl wegen {f}", "lass den Linter laufen und behebe die Funde in {f}"],
    "review": ["sieh dir bitte meinen letzten Commit an, vor allem {f}", "passt {f} so? sei kritisch"],
}
TERSE = {"feature": ["{v} for {a} in {f}", "{f}: add {a} limit"], "bugfix": ["fix {f}", "{f} broken for empty {a}"], "refactor": ["split {f}", "dedupe {f}"], "docs": ["docs {f}"], "test": ["tests for {f}", "{f} needs tests"], "question": ["what does {f} do", "why {a} in {f}?"], "ops": ["ci red, {f}?", "lint {f}"], "review": ["review {f}", "{f} ok?"]}
OPEN = ["", "", "", "", "ok, next: ", "hey, ", "now ", "alright, ", "one more: ", "next thing. ", "quick one - ", "so, "]
CLOSE = ["", "", "", "", ". keep the change small", ". no new dependencies please", ". run the tests afterwards", ". thanks", ". I'd like to ship this today", ". don't touch the public API", ". ask if something is unclear", ". the {b} part can wait"]
PRAISE = ["nice, ", "great, that works. ", "perfect. ", "thanks! ", "good. "]
CORR_EN = ["no, that's wrong, I said {f}, not the other thing", "that is not what I asked for. please only change {f}", "hm, this doesn't do it. the {a} is still empty", "you missed the point: the limit belongs to the {a}, not to the {b}", "stop. undo that. I wanted the {a} untouched", "I already told you to leave the {b} alone", "wrong again, {f} still fails for me", "nope, that broke the {area} page", "this is still not right, read my message again", "why did you change the {b}? I asked about the {a}", "that's the opposite of what I meant, please revert and do it in {f}", "not correct: {v} must happen before the {a} is saved", "you claimed it passes, it does not. look again", "I didn't ask for a new helper. put it back inline", "please actually do what I wrote, {f} is unchanged", "doesn't work, same error as before", "as I said earlier, {a}s come sorted. your version sorts them again", "this is the third time I say it: no global state in {f}", "ugh, no. the {a} id is a string", "that can't be right, you return the {b} twice"]
CORR_DE = ["nein, das ist falsch, ich meinte {f}", "das stimmt so nicht, {a} darf nicht leer sein", "ich hatte doch gesagt, dass {b} unverändert bleibt", "falsch, bitte rückgängig machen und nur {f} ändern", "das war nicht gemeint, lies bitte noch einmal meine Nachricht", "immer noch derselbe Fehler, du hast {f} gar nicht angepasst", "nicht schon wieder, {v} gehört vor das Speichern", "so geht das nicht, die {area}-Seite ist jetzt kaputt", "du hast das Gegenteil von dem gemacht, was ich wollte"]
THINK = ["The user wants the {a} handling changed. {f} is the place to start; I should see what calls it first.", "Let me look at how {v}_{a} works before touching anything.", "There might be an edge case when the {a} is empty. The tests cover only the normal path.", "I need to check whether the {b} is shared between callers. If so the change has to be made one level up, otherwise only here.", "The simplest approach keeps the signature and adds an optional argument.", "This looks fine. Next step is the test run.", "The error says the {a} is missing, so the lookup happens too early. I will move it after the {b} is loaded and check the other caller as well."]
SAY = ["I'll start with `{f}`.", "Let me look at the code first.", "Checking where this is used.", "Now the change itself.", "Let me run the tests.", "Next, the callers."]
DONE = ["Done. `{f}` now handles an empty {a}, and the tests pass.", "I changed `{f}`: {v} runs before the {b} is stored. No other callers are affected.", "That is in place. The {a} path is covered by a new case; nothing else was touched.", "The cause was the {b} lookup in `{f}`. Fixed there, one line in the caller adapted.", "Summary:\n- `{f}`: {v} takes an optional limit\n- {area}: caller adapted\n- tests: one case added", "`{f}` picks the {a} by its id and falls back to the {b}. Nothing is written on the way."]
DONE_DE = ["Erledigt. `{f}` kommt jetzt mit leerem {a} zurecht, die Tests laufen durch.", "Ich habe `{f}` angepasst, andere Aufrufer sind nicht betroffen.", "Die Ursache lag im Nachschlagen von {b} in `{f}`, dort ist es behoben."]
SLUGS = [["quiet", "brisk", "mellow", "rapid", "velvet", "sunny", "dapper"], ["wandering", "humming", "folding", "drifting", "counting", "weaving"], ["otter", "lantern", "kettle", "meadow", "turing", "harbor", "comet"]]

# search, read, edit, write, run, chance that a test run fails for good reason
SHAPE = {"feature": ((1, 2), (2, 4), (2, 5), .45, (1, 2), .25), "bugfix": ((1, 3), (2, 4), (1, 2), .05, (1, 3), .35), "refactor": ((1, 2), (2, 5), (3, 6), .15, (1, 1), .2), "docs": ((0, 1), (1, 2), (1, 2), .02, (0, 0), 0), "test": ((0, 1), (1, 2), (0, 1), .9, (1, 2), .35), "question": ((0, 2), (1, 3), (0, 0), 0, (0, 0), 0), "ops": ((0, 1), (0, 1), (0, 2), 0, (2, 4), .3), "review": ((0, 1), (2, 4), (0, 1), 0, (1, 2), .1)}
REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
NET = ["curl: (6) Could not resolve host: registry.internal", "npm ERR! network request to https://registry.npmjs.org failed, reason: connect ETIMEDOUT", "error: RPC failed; HTTP 503 curl 22 The requested URL returned error: 503", "ssh: connect to host git.internal port 22: Network is unreachable", "dial tcp: lookup proxy.golang.org: i/o timeout"]
B62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Key:
    def __init__(self, dom: Domain, r: random.Random):
        self.dom = dom
        self.parts = dom.keys(r)
        self.value = dom.make(r)
        self.old: list[str] = []
        self.told_at = -1          # compactions seen when last told

    @property
    def name(self) -> str:
        return " ".join(self.parts) if len(self.parts) < 2 else f"{self.parts[0]} ({self.parts[1]})"

    def fill(self, s: str, v: str = "") -> str:
        return s.format(k=self.name, k0=self.parts[0], k1=self.parts[-1], v=v)

    def fields(self) -> dict:
        return dict(zip(self.dom.fields, self.parts))


class Session:
    def __init__(self, w: World, p: P, r: random.Random, start: datetime):
        self.w, self.p, self.r, self.t = w, p, r, start
        self.out: list[dict] = []
        self.sid = self.uid()
        self.parent = None
        self.cwd = w.cwd(p.user)
        self.branch = r.choice(["main", "main", f"{w.user}/{r.choice(VERBS)}-{r.choice(NOUNS)}", f"fix/{r.choice(NOUNS)}-{r.choice(VERBS)}", f"feat/{r.choice(NOUNS)}"])
        self.slug = "-".join(r.choice(x) for x in SLUGS)
        self.model = p.model
        self.ctx = r.randint(17000, 27000)
        self.cached = 0
        self.known: set[str] = set()
        self.compactions = 0
        self.shock_left = 0
        self.focus = r.sample(w.files, min(len(w.files), r.randint(6, 11)))
        self.side = False
        self.todo_prompt: list[str] = []

    # -- identifiers, time
    def uid(self) -> str:
        h = f"{self.r.getrandbits(128):032x}"
        return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"

    def b62(self, n: int) -> str:
        x = self.r.getrandbits(6 * n)
        s = []
        for _ in range(n):
            s.append(B62[(x & 63) % 62])
            x >>= 6
        return "".join(s)

    def tick(self, lo: float, hi: float) -> None:
        self.t += timedelta(seconds=lo + (hi - lo) * self.r.random())

    def stamp(self) -> str:
        return self.t.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.t.microsecond // 1000:03d}Z"

    def rec(self, typ: str, **kw) -> dict:
        d = dict(parentUuid=self.parent, isSidechain=self.side, userType="external", cwd=self.cwd, sessionId=self.sid, version=self.p.version, gitBranch=self.branch)
        if len(self.out) > 6:
            d["slug"] = self.slug
        d["type"] = typ
        d.update(kw)
        d["uuid"] = self.uid()
        d["timestamp"] = self.stamp()
        self.parent = d["uuid"]
        self.out.append(d)
        return d

    # -- current strength of things
    def shocked(self) -> bool:
        return self.shock_left > 0

    def err(self) -> float:
        return min(.6, self.p.err + (self.p.shock[0] if self.shocked() else 0))

    def effort(self) -> float:
        return self.p.effort * (self.p.shock[1] if self.shocked() else 1)

    def corr(self) -> float:
        return min(.6, self.p.corr + (self.p.shock[2] if self.shocked() else 0))

    def event(self) -> None:
        if self.p.shock[0]:
            self.shock_left = self.r.randint(4, 6)

    # -- text
    def words(self, f: str | None = None) -> dict:
        r = self.r
        f = f or r.choice(self.focus)
        return dict(f=f, a=r.choice(NOUNS), b=r.choice(NOUNS), v=r.choice(VERBS), w=r.choice(VERBS), area=f.split("/")[1], n=r.randint(4, 400))

    def fmt(self, s: str, f: str | None = None) -> str:
        return s.format(**self.words(f))

    # -- records
    def user(self, text: str, **kw) -> None:
        self.tick(8, 240) if self.out else None
        mid = self.uid()
        self.out.append(dict(type="file-history-snapshot", messageId=mid, snapshot=dict(messageId=mid, trackedFileBackups={}, timestamp=self.stamp()), isSnapshotUpdate=False))
        content = text if self.r.random() < .9 else [dict(type="text", text=text)]
        d = self.rec("user", message=dict(role="user", content=content), **kw)
        if self.r.random() < .6:
            d.update(thinkingMetadata=dict(maxThinkingTokens=31999), todos=[], permissionMode="default")
        self.ctx += len(text) // 4 + 20

    def local(self, name: str, stdout: str) -> None:
        self.rec("user", message=dict(role="user", content="<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user explicitly asks you to.</local-command-caveat>"), isMeta=True)
        self.rec("user", message=dict(role="user", content=f"<command-name>/{name}</command-name>\n            <command-message>{name}</command-message>\n            <command-args></command-args>"))
        self.rec("user", message=dict(role="user", content=f"<local-command-stdout>{stdout}</local-command-stdout>"))

    def assistant(self, blocks: list[dict], end: bool = False) -> dict:
        """One API message, written as one line per block with repeated usage, as the client does."""
        r = self.r
        self.tick(2, 14)
        chars = sum(len(json.dumps(b.get("input", ""))) + len(b.get("text", "")) + len(b.get("thinking", "")) for b in blocks)
        real = chars // 4 + 30
        new = max(40, self.ctx - self.cached)
        usage = dict(input_tokens=r.randint(1, 10), cache_creation_input_tokens=new, cache_read_input_tokens=self.cached, cache_creation=dict(ephemeral_5m_input_tokens=new, ephemeral_1h_input_tokens=0), output_tokens=r.randint(1, 12) if self.p.placeholder else real, service_tier="standard")
        self.cached = self.ctx
        self.ctx += int((real + r.randint(250, 1500)) * self.p.growth)
        mid, req = "msg_01" + self.b62(22), "req_011C" + self.b62(20)
        stop = None if self.p.placeholder else ("end_turn" if end else "tool_use")
        d = {}
        for b in blocks:
            d = self.rec("assistant", message=dict(model=self.model, id=mid, type="message", role="assistant", content=[b], stop_reason=stop, stop_sequence=None, usage=usage), requestId=req)
        return d

    def say(self, text: str, end: bool = True) -> None:
        blocks = []
        if self.r.random() < .35:
            blocks.append(self.think())
        blocks.append(dict(type="text", text=text))
        self.assistant(blocks, end)

    def think(self) -> dict:
        r = self.r
        t = " ".join(self.fmt(r.choice(THINK)) for _ in range(r.randint(1, 4)))
        return dict(type="thinking", thinking=t, signature="Er" + self.b62(60 + len(t) // 6) + "=")

    def call(self, name: str, inp: dict, result: str, rich: object = None, error: bool = False, text: str | None = None) -> None:
        """tool_use and its tool_result."""
        r = self.r
        tid = "toolu_01" + self.b62(22)
        blocks = []
        if r.random() < .25:
            blocks.append(self.think())
        if text or r.random() < .2:
            blocks.append(dict(type="text", text=text or self.fmt(r.choice(SAY))))
        blocks.append(dict(type="tool_use", id=tid, name=name, input=inp))
        a = self.assistant(blocks)
        src = a["uuid"]
        if r.random() < .12:
            self.rec("progress", data=dict(type="hook_progress", hookEvent="PostToolUse", hookName=f"PostToolUse:{name}", command="callback"), parentToolUseID=tid, toolUseID=tid)
        self.tick(.2, 3 if name not in ("Bash", "Task") else 40)
        if name.startswith("mcp__") or name == "Task":
            content: object = [dict(type="text", text=result)]
        else:
            content = result
        if error:
            block = dict(type="tool_result", content=result, is_error=True, tool_use_id=tid)
            bare = result.replace("<tool_use_error>", "").replace("</tool_use_error>", "")
            res: object = "User rejected tool use" if result is REJECTED else "Error: " + bare
        else:
            block = dict(tool_use_id=tid, type="tool_result", content=content)
            if name == "Bash":
                block["is_error"] = False
            res = rich if rich is not None else content
        self.rec("user", message=dict(role="user", content=[block]), toolUseResult=res, sourceToolAssistantUUID=src)
        self.ctx += len(result) // 4
        if not self.side and self.ctx > 166000:
            self.compact()

    def compact(self) -> None:
        r, p = self.r, self.p
        self.tick(20, 90)
        last, self.parent = self.parent, None
        self.rec("system", subtype="compact_boundary", content="Conversation compacted", isMeta=False, level="info", logicalParentUuid=last, compactMetadata=dict(trigger=r.choice(["auto", "auto", "auto", "manual"]), preTokens=self.ctx))
        text = "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nAnalysis:\n" + "\n".join(f"{i + 1}. {self.fmt(r.choice(DONE))}" for i in range(r.randint(4, 9))) + "\n\nFiles touched:\n" + "\n".join("- " + f for f in sorted(self.known)[:12]) + "\n\nPlease continue the conversation from where we left off without asking the user any further questions. Continue with the last task that you were asked to work on."
        self.rec("user", message=dict(role="user", content=text), isVisibleInTranscriptOnly=True, isCompactSummary=True)
        self.known = {f for f in sorted(self.known) if r.random() < p.keep}
        self.ctx, self.cached = r.randint(26000, 38000), 0
        self.compactions += 1
        self.event()

    # -- tools
    def abs(self, f: str) -> str:
        return f"{self.cwd}/{f}"

    def gate(self, name: str, inp: dict) -> bool:
        """User rejections, refusals and outages: not the agent's doing. True when the call went no further."""
        r, p = self.r, self.p
        if name == "Bash" and r.random() < p.refuse:
            self.call(name, inp, "This command requires approval", error=True)
            return False  # approved on the second try
        if name in ("Bash", "Edit", "Write") and r.random() < p.reject:
            self.call(name, inp, REJECTED, error=True)
            self.rec("user", message=dict(role="user", content=[dict(type="text", text="[Request interrupted by user for tool use]")]))
            self.user(self.fmt(r.choice(["go on, but smaller steps", "skip that one, continue", "not now, leave {f} for later and continue", "ok you can continue without it", "do it without that command"])))
            return True
        if p.outage and (name == "Bash" or name.startswith("mcp__")) and r.random() < p.outage:
            self.call(name, inp, "Exit code 1\n" + r.choice(NET), error=True)
        return False

    def read(self, f: str, text: str | None = None) -> None:
        r = self.r
        lines = self.w.lines(f, self.p.size)
        if r.random() < self.err():
            bad = f.replace("/", "/" + r.choice(["pkg", "lib", "common"]) + "/", 1)
            if r.random() < .7:
                self.call("Read", dict(file_path=self.abs(bad)), "<tool_use_error>File does not exist.</tool_use_error>", error=True)
            else:
                self.call("Read", dict(file_path=self.abs(f), offset=9000, limit=50), f"<tool_use_error>Offset 9000 is beyond the end of the file ({len(lines)} lines).</tool_use_error>", error=True)
        parts = [(0, len(lines))]
        if len(lines) > 110:
            n = min(3, 1 + len(lines) // 130)
            step = len(lines) // n
            parts = [(k * step, step) for k in range(n) if k == 0 or r.random() < .6]
        elif len(lines) > 50 and r.random() < .25:
            o = r.randint(5, len(lines) - 30)
            parts = [(o, 25)]
        for o, n in parts:
            body = lines[o:o + n]
            inp = dict(file_path=self.abs(f))
            if (o, n) != (0, len(lines)):
                inp.update(offset=o + 1, limit=n)
            self.call("Read", inp, "\n".join(f"{o + i + 1:6d}→{s}" for i, s in enumerate(body)), dict(type="text", file=dict(filePath=self.abs(f), content="\n".join(body), numLines=len(body), startLine=o + 1, totalLines=len(lines))), text=text)
            text = None
        self.known.add(f)

    def edit(self, f: str, text: str | None = None) -> None:
        r = self.r
        lines = self.w.lines(f, self.p.size)
        k = r.randrange(max(1, len(lines) - 3))
        old = "\n".join(lines[k:k + r.randint(1, 3)]) or lines[0] or "pass"
        new = old + "\n" + r.choice(self.w.pool) if r.random() < .6 else old.replace("missing", "unknown").replace("limit", "max_items") + "\n" + self.fmt("# {v} {a}" if self.w.lang == "py" else "// {v} {a}")
        inp = dict(replace_all=False, file_path=self.abs(f), old_string=old, new_string=new)
        if f not in self.known:
            self.read(f)
        if self.gate("Edit", inp):
            return
        if r.random() < self.err():
            bad = dict(inp, old_string=old.replace(" ", "  ", 1) + "\n" + r.choice(self.w.pool))
            msg = r.choice([f"String to replace not found in file.\nString: {bad['old_string']}", f"String to replace not found in file.\nString: {bad['old_string']}", "Found 2 matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.", "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it."])
            self.call("Edit", bad, f"<tool_use_error>{msg}</tool_use_error>", error=True)
            if msg.startswith("File has been"):
                self.read(f)
        patch = [dict(oldStart=k + 1, oldLines=old.count("\n") + 1, newStart=k + 1, newLines=new.count("\n") + 1, lines=["-" + s for s in old.split("\n")] + ["+" + s for s in new.split("\n")])]
        self.call("Edit", inp, f"The file {self.abs(f)} has been updated successfully.", dict(filePath=self.abs(f), oldString=old, newString=new, originalFile="\n".join(lines), structuredPatch=patch, userModified=False, replaceAll=False), text=text)
        if r.random() < self.p.redo:
            back = dict(inp, old_string=new, new_string=old)
            self.call("Edit", back, f"The file {self.abs(f)} has been updated successfully.", dict(filePath=self.abs(f), oldString=new, newString=old, originalFile="\n".join(lines), structuredPatch=patch, userModified=False, replaceAll=False), text=r.choice(["That was not right, reverting this change.", "I made a mistake there, undoing it.", "Actually, wait. This belongs elsewhere; putting it back first."]))
            self.call("Edit", inp, f"The file {self.abs(f)} has been updated successfully.", dict(filePath=self.abs(f), oldString=old, newString=new, originalFile="\n".join(lines), structuredPatch=patch, userModified=False, replaceAll=False))

    def write(self, f: str) -> None:
        r = self.r
        n = r.randint(12, 60)
        body = "\n".join(r.choice(self.w.pool) for _ in range(n))
        inp = dict(file_path=self.abs(f), content=body)
        if self.gate("Write", inp):
            return
        self.call("Write", inp, f"File created successfully at: {self.abs(f)}", dict(type="create", filePath=self.abs(f), content=body, structuredPatch=[], originalFile=None))
        self.known.add(f)

    def grep(self, f: str) -> None:
        r, w = self.r, self.w
        a, v = r.choice(NOUNS), r.choice(VERBS)
        if r.random() < self.err():
            gone = f"{w.L['root']}/{r.choice(NOUNS)}s"
            self.call("Grep", dict(pattern=f"{v}_{a}", path=gone), f"<tool_use_error>Path does not exist: {gone}</tool_use_error>", error=True)
        hits = sorted({f, *r.sample(w.files, r.randint(0, 5))})
        if self.p.mcp and r.random() < self.p.mcp:
            self.call("mcp__codeindex__search_symbols", dict(query=f"{v} {a}", limit=20), json.dumps([dict(path=h, line=r.randint(3, 200), symbol=f"{v}_{a}") for h in hits], indent=1))
        elif r.random() < .2:
            self.call("Glob", dict(pattern=f"**/*{a}*{w.L['ext']}"), "\n".join(self.abs(h) for h in hits), dict(filenames=[self.abs(h) for h in hits], durationMs=r.randint(4, 300), numFiles=len(hits), truncated=False))
        elif r.random() < .5:
            self.call("Grep", dict(pattern=f"{v}_?{a}", path=self.cwd, output_mode="files_with_matches"), f"Found {len(hits)} files\n" + "\n".join(hits), dict(mode="files_with_matches", filenames=hits, numFiles=len(hits)))
        else:
            c = "\n".join(f"{h}:{r.randint(3, 200)}:{r.choice(w.pool)}" for h in hits)
            self.call("Grep", {"pattern": f"{v}.*{a}", "path": w.L["root"], "output_mode": "content", "-n": True}, c, dict(mode="content", numFiles=0, filenames=[], content=c, numLines=len(hits)))

    def bash(self, cmd: str, out: str, desc: str, fail: bool = False) -> None:
        r = self.r
        inp = dict(command=cmd, description=desc)
        if self.gate("Bash", inp):
            return
        if r.random() < self.err():
            bad, msg = r.choice([(cmd + " --no-color=1", "error: unrecognized option '--no-color=1'"), ("cd " + r.choice(NOUNS) + "s && " + cmd, f"bash: line 1: cd: {r.choice(NOUNS)}s: No such file or directory"), (cmd.replace(" ", " -- ", 1), "usage error: unexpected argument '--'"), (cmd.split()[0] + "x " + " ".join(cmd.split()[1:]), f"bash: {cmd.split()[0]}x: command not found")])
            self.call("Bash", dict(command=bad, description=desc), "Exit code " + r.choice(["1", "2", "127"]) + "\n" + msg, error=True)
        if fail:
            self.call("Bash", inp, "Exit code 1\n" + out, error=True)
        else:
            self.call("Bash", inp, out, dict(stdout=out, stderr="", interrupted=False, isImage=False))

    def tests(self, f: str, fail: bool) -> None:
        r, w = self.r, self.w
        cmd = w.L["test"].format(f=self.testfile(f), d=f.rsplit("/", 1)[0]) if r.random() < .7 else w.L["all"]
        n, a, v = r.randint(6, 140), r.choice(NOUNS), r.choice(VERBS)
        if fail:
            k = r.randint(1, 4)
            body = "\n".join(f"FAILED {self.testfile(f)}::test_{r.choice(VERBS)}_{r.choice(NOUNS)} - AssertionError: expected {r.randint(1, 50)}, got {r.randint(51, 99)}" for _ in range(k))
            self.bash(cmd, f"{body}\n{k} failed, {n} passed in {r.uniform(.4, 30):.2f}s", f"Run tests for {a}", True)
        else:
            self.bash(cmd, "." * min(n, 60) + f"\n{n} passed in {r.uniform(.4, 30):.2f}s", f"Run {v} tests")

    def testfile(self, f: str) -> str:
        base = f.rsplit("/", 1)[1]
        return {"py": f"tests/test_{base}", "go": f.replace(".go", "_test.go"), "ts": f.replace(".ts", ".test.ts")}[self.w.lang]

    def task(self, f: str) -> None:
        r = self.r
        prompt = self.fmt("Explore how {a} is handled around {f}, list the callers of {v}_{a} and the tests that cover it. Report paths and line numbers.", f)
        report = "## Findings\n" + "\n".join(f"- `{x}`: {self.fmt(r.choice(DONE), x)}" for x in r.sample(self.w.files, 4))
        aid = f"a{self.r.getrandbits(24):06x}"
        tid = "toolu_01" + self.b62(22)
        a = self.assistant([dict(type="tool_use", id=tid, name="Task", input=dict(subagent_type="Explore", description="Explore " + f.rsplit("/", 1)[1], prompt=prompt))])
        main, ctx, cached, known = self.parent, self.ctx, self.cached, set(self.known)
        n = r.randint(3, 7)
        if self.w.inline_side:
            self.side, self.parent, self.ctx, self.cached = True, None, 9000, 0
            self.rec("user", message=dict(role="user", content=prompt))
            for _ in range(n):
                r.choice([self.grep, self.read, self.read])(r.choice(self.w.files))
            self.say(report)
        else:
            self.rec("progress", data=dict(message=dict(type="user", message=dict(role="user", content=[dict(type="text", text=prompt)]), uuid=self.uid(), timestamp=self.stamp()), normalizedMessages=[], type="agent_progress", prompt=prompt, agentId=aid), toolUseID="agent_msg_01" + self.b62(22), parentToolUseID=tid)
            main = self.parent
        self.side, self.parent, self.ctx, self.cached, self.known = False, main, ctx, cached, known
        self.tick(30, 120)
        block = dict(tool_use_id=tid, type="tool_result", content=[dict(type="text", text=report), dict(type="text", text=f"agentId: {aid} (for resuming to continue this agent's work if needed)")])
        self.rec("user", message=dict(role="user", content=[block]), toolUseResult=dict(status="completed", prompt=prompt, agentId=aid, content=[dict(type="text", text=report)], totalDurationMs=r.randint(20000, 110000), totalTokens=r.randint(20000, 90000), totalToolUseCount=n, usage=dict(input_tokens=4, cache_creation_input_tokens=900, cache_read_input_tokens=60000, output_tokens=r.randint(300, 2500), service_tier="standard")), sourceToolAssistantUUID=a["uuid"])
        self.ctx += len(report) // 4

    # -- keys
    def lookup(self, k: Key) -> None:
        d, r = k.dom, self.r
        if self.w.via_mcp or self.p.mcp:
            name = f"mcp__{d.server}__{d.get}"
            if self.p.outage and r.random() < self.p.outage:
                self.call(name, k.fields(), "Error: " + r.choice(NET), error=True)
            self.call(name, k.fields(), json.dumps({**k.fields(), d.value: k.value, "updated_at": self.stamp()}))
        else:
            out = r.choice([k.value, f"{d.value}: {k.value}", json.dumps({**k.fields(), d.value: k.value})])
            self.call("Bash", dict(command=k.fill(d.look), description=f"Look up {d.value}"), out, dict(stdout=out, stderr="", interrupted=False, isImage=False))

    def use(self, k: Key, v: str, ok: bool) -> None:
        d, r = k.dom, self.r
        if self.w.via_mcp or self.p.mcp:
            name, inp = f"mcp__{d.server}__{d.put}", {**k.fields(), d.value: v}
            if ok:
                self.call(name, inp, json.dumps({"status": "ok", **k.fields(), "took_ms": r.randint(20, 900)}))
            else:
                self.call(name, inp, f"Error: {d.value} {v} is not valid for {k.name}", error=True)
        else:
            cmd = k.fill(d.use, v)
            if ok:
                out = r.choice(["ok", "done", f"{r.randint(1, 900)} rows", "finished in %.1fs" % r.uniform(.2, 30)])
                self.call("Bash", dict(command=cmd, description=f"Run against {k.name}"), out, dict(stdout=out, stderr="", interrupted=False, isImage=False))
            else:
                self.call("Bash", dict(command=cmd, description=f"Run against {k.name}"), "Exit code 1\n" + r.choice([f"{v}: not found", f"no such {d.value}: {v}", "connection refused"]), error=True)

    def act_use(self, k: Key) -> None:
        r, p = self.r, self.p
        lost = self.compactions > k.told_at
        if lost and r.random() < p.forget:
            how = r.random()
            if how < .45:
                self.say(r.choice([f"Which {k.dom.value} should I use for {k.name}?", f"Before I go on: what is the {k.dom.value} of {k.name}?", f"I don't have the {k.dom.value} for {k.name}. Could you tell me?"]))
                self.user(r.choice([f"I told you already, it's {k.value}", f"{k.value}, as I wrote above", f"again: {k.value}", f"you had that before. {k.value}", f"{k.value}"]))
            else:
                self.lookup(k)
            k.told_at = self.compactions
        if k.old and r.random() < p.stale:
            how = r.random()
            if how < .45:
                self.use(k, k.old[-1], False)
                if r.random() < .5:
                    self.lookup(k)
                self.use(k, k.value, True)
            else:
                self.use(k, k.old[-1], True)
                if how < .75:
                    self.todo_prompt.append(r.choice([f"that was the old {k.dom.value}. {k.name} is {k.value} now", f"no, {k.name}: {k.value}, I gave you the new one", f"you used {k.old[-1]} again, it has to be {k.value}", f"das war der alte Wert, {k.name} ist jetzt {k.value}"]))
        else:
            self.use(k, k.value, True)

    # -- one request
    def visit(self, f: str, change: bool) -> None:
        """Bring a file into view (and perhaps the wrong one first)."""
        r, p, tw = self.r, self.p, self.w.twin.get(f)
        if tw and r.random() < p.wrong:
            said = r.choice([f"That is `{tw}`, I need `{f}`.", f"Wrong file, the right one is `{f}`.", f"This is not the one you meant; opening `{f}`.", "Hm, similar name but another module."])
            if change and r.random() < .4:
                self.edit(tw)
                self.bash(f"git checkout -- {tw}", "Updated 1 path from the index", "Undo edit in wrong file")
            else:
                self.read(tw)
            if f in self.known:
                self.say(said, end=False)
            else:
                self.read(f, text=said)
        elif f not in self.known or r.random() < p.reread:
            self.read(f)

    def work(self, kind: str, f: str, extra: list[str]) -> None:
        r, p = self.r, self.p
        s, rd, ed, wr, rn, pf = SHAPE[kind]
        e = self.effort()
        cnt = lambda lo, hi, m: int(r.randint(lo, hi) * m + r.random()) if hi else 0
        # rounding keeps the mean: int(x + u)
        if p.sub and kind in ("feature", "refactor", "bugfix", "question") and r.random() < p.sub:
            self.task(f)
            s = (0, 1)
        for _ in range(cnt(*s, e)):
            self.grep(f)
        changed = kind not in ("question", "review")
        self.visit(f, changed)
        for x in extra:
            self.visit(x, False)
        near = [x for x in self.focus if x != f]
        for _ in range(cnt(*rd, e) - 1):
            x = r.choice(near) if r.random() < .85 else r.choice(self.w.files)
            self.visit(x, False)
        if kind == "review":
            self.bash("git diff HEAD~1 --stat", f" {f} | {r.randint(2, 60)} ++--\n 1 file changed", "Show diff")
        if r.random() < p.tdd and kind in ("feature", "bugfix", "refactor"):
            self.write(self.testfile(f))
            for _ in range(r.randint(1, 3)):
                self.tests(f, True)
        for i in range(cnt(*ed, .75 + .25 * e)):
            self.edit(f if i == 0 or r.random() < .65 else r.choice(near))
        if r.random() < wr:
            self.write(self.testfile(f) if kind == "test" or r.random() < .6 else f.rsplit("/", 1)[0] + f"/{r.choice(NOUNS)}_{r.choice(VERBS)}{self.w.L['ext']}")
        for _ in range(cnt(*rn, e)):
            if kind == "ops" and r.random() < .6:
                cmd, out = r.choice([("git status --short", " M " + f), ("git log --oneline -5", "\n".join(f"{r.getrandbits(28):07x} {self.fmt('{v} {a}')}" for _ in range(5))), (self.w.L["lint"], "All checks passed"), ("git branch --merged", "  main\n  fix/" + r.choice(NOUNS)), ("docker compose ps", "NAME   STATUS\ndb     Up 3 hours")])
                self.bash(cmd, out, "Check state")
            else:
                bad = r.random() < pf
                self.tests(f, bad)
                if bad:
                    self.edit(f)
                    self.tests(f, False)

    def prompt(self, kind: str, f: str, extra: list[str], tails: list[str]) -> str:
        r, p, w = self.r, self.p, self.w
        if p.german:
            s = self.fmt(r.choice(ASK_DE[kind]), f)
        elif r.random() < p.terse:
            s = self.fmt(r.choice(TERSE[kind]), f)
        else:
            s = self.fmt(r.choice(ASK[kind]), f)
            if r.random() < .15 and len(self.out) > 8:
                s = r.choice(PRAISE) + s
            elif r.random() < .6:
                s = r.choice(OPEN) + s
            if r.random() < .5:
                s += self.fmt(r.choice(CLOSE), f)
            if w.please > .7 and r.random() < .3:
                s = "please " + s
        for x in extra:
            s += (f", sieh dir dabei auch {x} an" if p.german else r.choice([f", and look at {x} as well", f" - {x} has nearly the same name, check both", f"; do the same in {x}"]))
        for x in tails:
            s += r.choice([". ", "; ", ", and ", "\n"]) + x
        if not w.lower and not p.german:
            s = s[0].upper() + s[1:]
        return s

    def plan_text(self) -> str:
        r = self.r
        out = ["Implement the following plan:", "", self.fmt("# Plan: {v} {a}s in {area}"), "", "## Context", ""]
        out += [" ".join(self.fmt(r.choice(THINK)) for _ in range(4)) for _ in range(2)]
        for i in range(r.randint(5, 10)):
            f = r.choice(self.focus)
            out += ["", f"## Step {i + 1}: `{f}`", ""]
            out += ["- " + self.fmt(r.choice(ASK["feature"] + ASK["refactor"]), f) for _ in range(r.randint(3, 6))]
            out += ["```", *self.w.lines(f, 1)[:r.randint(4, 14)], "```"]
        return "\n".join(out)

    def run(self) -> None:
        r, p, w = self.r, self.p, self.w
        if w.prev_leaf and r.random() < .2:
            self.out.append(dict(type="summary", summary=self.fmt("{v} {a} in {area}").title(), leafUuid=w.prev_leaf))
        if r.random() < .3:
            self.rec("progress", data=dict(type="hook_progress", hookEvent="SessionStart", hookName="SessionStart:startup", command="bash scripts/hello.sh"), parentToolUseID=self.uid(), toolUseID=self.uid())
        if p.clear:
            self.local("clear", "")
            self.event()
        n = r.randint(*p.nreq)
        # script of the keys: told, used, updated, used, used
        keys = [Key(r.choice(w.domains), r) for _ in range(r.randint(*p.nkeys))]
        names = set()
        keys = [k for k in keys if not (k.name in names or names.add(k.name))]
        script: dict[int, list] = {}
        for k in keys:
            acts = ["tell", "use"] + ["update", "use", "use"] * p.updates
            acts = acts[:n]                       # one act per request, so that order is never in doubt
            at = sorted(r.sample(range(n), len(acts)))
            for i, a in zip(at, acts):
                script.setdefault(i, []).append((a, k))
        swap_at = r.randint(1, max(1, n - 4)) if p.swap else -1
        tags, wts = list(p.mix), list(p.mix.values())
        i = 0
        while i < n:
            t0 = self.t
            if i == swap_at:
                self.model = p.swap_to
                self.tick(5, 60)
                self.local("model", f"Set model to \x1b[1m{NICE[self.model]}\x1b[22m")
                self.event()
            kind = r.choices(tags, wts)[0]
            f = r.choice(self.focus)
            extra = [w.twin[f]] if r.random() < p.twins else []
            tails, acts = [], []
            for a, k in script.get(i, []):
                if a == "use":
                    if k.told_at >= 0:
                        tails.append(k.fill(r.choice(k.dom.ask)))
                        acts.append(("use", k))
                    continue
                if a == "update":
                    k.old.append(k.value)
                    while k.value in k.old:
                        k.value = k.dom.make(r)
                k.told_at = self.compactions
                if r.random() < (p.tool_updates if a == "update" else .4):
                    tails.append(k.fill(r.choice(["check which " + k.dom.value + " {k} has at the moment", "look up the current " + k.dom.value + " of {k}"])))
                    acts.append(("look", k))
                else:
                    tails.append(k.fill(r.choice(k.dom.tell), k.value))
            if i == 0 and p.plan:
                self.user(self.plan_text())
                for g in r.sample(self.focus, min(4, len(self.focus))):
                    self.visit(g, True)
                    self.edit(g)
                self.tests(f, r.random() < .3)
                if tails:
                    self.say(self.fmt(r.choice(DONE), f))
                    self.user(self.prompt("ops", f, [], tails))
            elif p.edit_rules and i == n // 2:
                self.user(self.prompt("docs", f, [], ["and add to CLAUDE.md: run the linter before every commit, keep functions short"] + tails))
                self.known.add("CLAUDE.md")
                self.edit("CLAUDE.md", text="I'll add the rule to CLAUDE.md.")
            else:
                self.user(self.prompt(kind, f, extra, tails))
                self.work(kind, f, extra)
            for a, k in acts:
                self.lookup(k) if a == "look" else self.act_use(k)
                if a == "look":
                    k.told_at = self.compactions
            self.say(self.fmt(r.choice(DONE_DE if p.german else DONE), f))
            self.turn_end(t0)
            fix = self.todo_prompt
            self.todo_prompt = []
            if fix:
                self.user(fix[0])
                k = next((k for _, k in acts if k.value in fix[0]), None)
                if k:
                    self.use(k, k.value, True)
                self.say(r.choice(["Sorry, I used the old value. Done with the new one.", "Right, corrected.", "You are right, redone."]))
            elif r.random() < self.corr():
                de = p.german or r.random() < p.corr_german
                self.user(self.fmt(r.choice(CORR_DE if de else CORR_EN), f))
                self.visit(f, True)
                for _ in range(r.randint(1, 2)):
                    self.edit(f)
                if r.random() < .6:
                    self.tests(f, r.random() < .2)
                self.say(r.choice(["You're right, sorry. ", "Understood, corrected. ", "My mistake. ", "Fixed as you described. "]) + self.fmt(r.choice(DONE), f))
            if self.shock_left:
                self.shock_left -= 1
            i += 1
        w.prev_leaf = self.parent

    def turn_end(self, t0: datetime) -> None:
        if self.r.random() < .3:
            self.rec("system", subtype="turn_duration", durationMs=int((self.t - t0).total_seconds() * 1000), isMeta=False)


def write_agent(kind: str, seed: int, sessions: int, folder: Path) -> None:
    """Write `sessions` session files of one simulated agent into `folder`."""
    if kind not in KINDS:
        raise KeyError(kind)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    r = random.Random(f"{kind}|{seed}|{sessions}")
    world = World(r)
    life = _plan_life(kind, r, sessions)
    t = world.begin + timedelta(hours=r.uniform(7, 10))
    gap_at = round(sessions * r.uniform(.45, .6)) if kind == "holiday_gap" else -1
    for i, p in enumerate(life):
        if i:
            if p.clear and i != gap_at:
                t += timedelta(minutes=r.uniform(2, 25))
            else:
                days = min(6.0, r.expovariate(1 / 1.9))
                if kind == "seasonal_load":
                    days *= 18 / max(6, p.nreq[0] + p.nreq[1])
                t = (t + timedelta(days=days)).replace(hour=r.randint(7, 17), minute=r.randint(0, 59), second=r.randint(0, 59)) if days > .6 else t + timedelta(hours=r.uniform(.3, 3))
                if i == gap_at:
                    t += timedelta(days=25)
                while t.weekday() > 4 and r.random() < .85:
                    t += timedelta(days=1)
        if t <= (last if i else t - timedelta(1)):
            t = last + timedelta(minutes=r.uniform(3, 40))
        s = Session(world, p, r, t)
        s.run()
        t = last = s.t
        dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        (folder / f"{s.sid}.jsonl").write_text("\n".join(map(dump, s.out)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    import sys
    write_agent(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
