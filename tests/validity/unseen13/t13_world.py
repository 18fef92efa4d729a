"""The invented organisation: Harborlight Ferries and its repository `tideline`."""
import random
ROOT = "/home/dev/tideline"
STEMS_PY = ["bookings", "fares", "passengers", "vessels", "schedule", "payments", "refunds", "auth", "webhooks", "settings",
            "manifests", "notify", "loyalty", "cabins"]
STEMS_GO = ["engine", "rules", "cache", "surge", "loader", "server"]
STEMS_TS = ["BookingForm", "FareTable", "SeatMap", "Timetable", "Checkout", "RefundPanel", "useSession", "apiClient"]
DOCS = ["deploy", "onboarding", "pricing", "incidents", "api", "release"]
VERBS = ["load", "apply", "merge", "check", "resolve", "build", "parse", "route", "expire", "assign", "collect", "settle"]
NOUNS = ["quote", "leg", "seat", "crew", "ticket", "voucher", "berth", "manifest", "slot", "tariff", "receipt", "route", "pier", "cargo", "window"]


def paths():
    """-> (all paths, {path: [look-alikes]})"""
    p, twin = [], {}

    def pair(*xs):
        for x in xs:
            if x not in p:
                p.append(x)
            twin.setdefault(x, []).extend(y for y in xs if y != x and y not in twin.get(x, []))
    alt = ["_legacy", "_v1", "_utils", "_helpers", "_base", "_old"]
    for i, s in enumerate(STEMS_PY):
        pair(f"api/{s}.py", f"api/{s}{alt[i % 6]}.py") if i < 10 else p.append(f"api/{s}.py")
    for i, s in enumerate(STEMS_GO):
        pair(f"pricing/{s}.go", f"pricing/{s}_{'legacy' if i % 2 else 'compat'}.go") if i < 4 else p.append(f"pricing/{s}.go")
    for i, s in enumerate(STEMS_TS):
        e = "ts" if s[0].islower() else "tsx"
        pair(f"web/src/{s}.{e}", f"web/src/{'old/' if i % 2 else 'shared/'}{s}.{e}") if i < 6 else p.append(f"web/src/{s}.{e}")
    for s in STEMS_PY[:8]:
        p.append(f"tests/test_{s}.py")
    pair("tests/conftest.py", "tests/integration/conftest.py")
    for i, s in enumerate(["init", "fares", "seat_index", "refund_state", "loyalty", "crew"]):
        p.append(f"db/migrations/{i+1:04d}_{s}.sql")
    pair("db/queries/occupancy.sql", "db/queries/occupancy_daily.sql")
    for s in DOCS:
        p.append(f"docs/{s}.md")
    pair("docs/deploy.md", "docs/deployment.md")
    pair("ops/backfill.sh", "ops/backfill_all.sh")
    pair("ops/rotate_keys.sh", "ops/rotate_logs.sh")
    p.extend(["Makefile", "README.md", "package.json", "pyproject.toml", "go.mod", "ops/smoke.sh"])
    return p, twin


def block(rng, ext, i):
    """One real-looking piece of a file."""
    v, n, m = rng.choice(VERBS), rng.choice(NOUNS), rng.choice(NOUNS)
    k = rng.randint(3, 960)
    f = f"{v}_{n}_{i}" if rng.random() < .3 else f"{v}_{n}"
    cam = v + n.title()
    if ext == "py":
        return [f"def {f}({m}_id: int, limit: int = {k}) -> dict:", f'    """{v.title()} the {n} of one {m}."""',
                f"    row = store.fetch(\"{n}\", {m}_id)", f"    if row is None or row[\"{n}_count\"] > limit:",
                f"        log.warning(\"{n} {v} skipped for %s\", {m}_id)", "        return {}",
                f"    row[\"{m}_total\"] = round(row[\"base\"] * {rng.randint(101, 199)/100}, 2)",
                f"    return {{\"{n}\": row, \"ttl\": {k * 3}}}", ""]
    if ext == "go":
        return [f"// {cam} keeps the {n} of a {m} up to date.", f"func (s *Store) {cam}(ctx context.Context, id int64) (*{n.title()}, error) {{",
                f"\tctx, cancel := context.WithTimeout(ctx, {k}*time.Millisecond)", "\tdefer cancel()",
                f"\tit, err := s.db.{n.title()}(ctx, id)", "\tif err != nil {", f"\t\treturn nil, fmt.Errorf(\"{v} {n}: %w\", err)", "\t}",
                f"\tit.Weight = it.Weight*{rng.randint(2, 9)} + {k}", "\treturn it, nil", "}", ""]
    if ext in ("ts", "tsx"):
        return [f"export function {cam}(input: {n.title()}Input): {m.title()}View {{", f"  const max = {k};",
                f"  const items = input.{n}s.filter((x) => x.{m}Id !== undefined).slice(0, max);",
                f"  if (items.length === 0) return {{ kind: '{n}', empty: true }};",
                f"  return {{ kind: '{n}', items, total: items.reduce((a, x) => a + x.price, 0) }};", "}", ""]
    if ext == "sql":
        return [f"-- {v} {n} per {m}", f"CREATE TABLE IF NOT EXISTS {n}_{m}_{i} (", "  id bigserial PRIMARY KEY,", f"  {m}_id bigint NOT NULL,",
                f"  weight numeric(10,2) DEFAULT {k},", "  created_at timestamptz DEFAULT now()", ");", f"CREATE INDEX ON {n}_{m}_{i} ({m}_id);", ""]
    if ext == "md":
        return [f"## {v.title()} the {n}", "", f"The {n} of a {m} is kept for {k} days. Run `make {v}-{n}` before a release and",
                f"look at the {m} board afterwards. If more than {rng.randint(2, 40)} entries are open, tell the harbour desk.", "",
                f"1. open the {m} page", f"2. {v} every {n} older than {k} h", "3. write down who did it", ""]
    if ext == "sh":
        return [f"{v}_{n}() {{", f"  local max={k}", f"  for id in $(psql -At -c \"select id from {n} limit $max\"); do",
                f"    python -m api.{rng.choice(STEMS_PY)} --{m} \"$id\" || echo \"{n} $id failed\"", "  done", "}", ""]
    if ext == "json":
        return [f'    "{v}-{n}-{i}": "^{k % 19}.{k % 7}.{i}",']
    return [f"{v}-{n}-{i}:", f"\tpython -m api.{rng.choice(STEMS_PY)} --max {k}", ""]


HEAD = {"py": ['from __future__ import annotations', 'import logging', '', 'from api import store', '', 'log = logging.getLogger(__name__)', ''],
        "go": ["package pricing", "", "import (", '\t"context"', '\t"fmt"', '\t"time"', ")", ""],
        "tsx": ["import React from 'react';", "import { api } from './apiClient';", ""], "ts": ["import { Config } from './config';", ""],
        "sh": ["#!/usr/bin/env bash", "set -euo pipefail", ""], "json": ["{", '  "dependencies": {'], "md": [], "sql": [], "": [], "toml": ["[project]", 'name = "tideline"'], "mod": ["module harborlight.example/tideline", ""]}


def ext_of(path):
    b = path.rsplit("/", 1)[-1]
    return b.rsplit(".", 1)[1] if "." in b[1:] else ""


def content(rng, path, blocks=None):
    e = ext_of(path)
    out = list(HEAD.get(e, []))
    if e == "md":
        out += [f"# {path.rsplit('/', 1)[-1][:-3].title()}", ""]
    for i in range(blocks or rng.randint(4, 14)):
        out += block(rng, e, i)
    if e == "json":
        out += ['    "left-pad": "^1.3.0"', "  }", "}"]
    return out


# ---------------------------------------------------------------- settings
W = ["amber", "birch", "cobalt", "dune", "ember", "fjord", "gannet", "heron", "ivory", "juniper", "kelp", "lagoon", "marsh", "nimbus",
     "osprey", "pelican", "quartz", "reef", "skerry", "tern", "umber", "vesper", "willet", "yarrow"]


def _vals(rng, fmt, n=40):
    seen, out = {}, []
    while len(out) < n:
        v = fmt.format(w=rng.choice(W), x=rng.choice(W), n=rng.randint(11, 98), p=rng.randint(2100, 9700), d=rng.randint(1, 28), m=rng.randint(10, 59))
        if v not in seen:
            seen[v] = 1
            out.append(v)
    return out


# key, value form, English name, German name, command, (mcp tool, argument), (file, line)
TOLD = [
    ("manifest_bucket", "hl-{w}-manifests-{n}", "the bucket for the manifests", "der Bucket für die Manifeste", "aws s3 ls s3://{v}/today/", ("storage__list_objects", "bucket"), ("tmp/sync.env", "MANIFEST_BUCKET={v}")),
    ("pager_channel", "#ops-{w}-{n}", "the channel for alarms", "der Kanal für Alarme", "tide notify --channel '{v}' --text 'run finished'", ("chat__post_message", "channel"), ("tmp/notify.yaml", "channel: \"{v}\"")),
    ("staging_host", "stg-{w}{n}.harborlight.example", "the staging host", "der Staging-Host", "curl -s https://{v}/health", ("http__probe", "host"), ("tmp/smoke.env", "TARGET={v}")),
    ("release_branch", "release/{w}-{n}", "the release branch", "der Release-Branch", "git log --oneline -5 origin/{v}", ("forge__list_commits", "branch"), ("tmp/release.txt", "branch: {v}")),
    ("report_user", "rpt_{w}{n}", "the database user for reports", "der Datenbanknutzer für Berichte", "psql -U {v} -c 'select count(*) from ticket'", ("sql__run_query", "role"), ("tmp/report.ini", "user = {v}")),
    ("proxy_port", "{p}", "the port of the local proxy", "der Port des lokalen Proxys", "ops/smoke.sh --port {v}", ("http__open_tunnel", "port"), ("tmp/proxy.toml", "port = {v}")),
    ("deploy_region", "eu-{w}-{n}", "the region we deploy to", "die Region fürs Deployment", "tide deploy --plan --region {v}", ("cloud__describe_region", "region"), ("tmp/region.tfvars", "region = \"{v}\"")),
    ("ticket_prefix", "HL{p}", "the ticket prefix for commits", "das Ticket-Präfix für Commits", "git commit -m '{v}: tidy up' --allow-empty", ("forge__find_tickets", "prefix"), ("tmp/commit-template.txt", "{v}: <summary>")),
    ("export_hour", "04:{m}:{d:02d}", "the time of the nightly export", "die Uhrzeit des nächtlichen Exports", "tide cron set export --at {v}", ("cron__set_time", "at"), ("tmp/export.cron", "at={v}")),
    ("partner_key", "pk_{w}_{n}", "the key id of the partner port", "die Schlüssel-ID des Partnerhafens", "tide partner ping --key-id {v}", ("partner__fetch_slots", "key_id"), ("tmp/partner.json", "{{\"key_id\": \"{v}\"}}")),
]
SHOWN = [  # + (where it is shown, form, name in that place)
    ("db_primary", "pg-{w}-{n}.internal", "the primary database", "die Primärdatenbank", "psql -h {v} -c 'select 1'", ("sql__explain", "host"), ("tmp/db.env", "PGHOST={v}"), ("file", "config/.env.staging", "env", "DB_PRIMARY_HOST")),
    ("image_tag", "2026.{n}-{w}", "the image tag", "das Image-Tag", "docker pull registry.harborlight.example/api:{v}", ("cloud__get_image", "tag"), ("tmp/image.yaml", "tag: \"{v}\""), ("file", "deploy/prod.yaml", "yaml", "imageTag")),
    ("queue_name", "q-{w}-{x}", "the queue", "die Warteschlange", "tide queue depth {v}", ("queue__depth", "queue"), ("tmp/queue.env", "QUEUE={v}"), ("file", "config/workers.json", "json", "queueName")),
    ("rate_limit", "{p}0", "the rate limit", "das Ratenlimit", "tide bench --rate {v}", ("gateway__dry_run", "rate"), ("tmp/limit.toml", "rate = {v}"), ("file", "config/service.toml", "toml", "rate_limit")),
    ("lead_node", "node-{w}-{n}", "the lead node", "der führende Knoten", "kubectl describe node {v}", ("cloud__node_info", "node"), ("tmp/node.txt", "node: {v}"), ("cmd", "kubectl get nodes -l role=lead", "table", "LEAD")),
    ("cache_url", "redis-{w}{n}:{p}", "the cache address", "die Cache-Adresse", "redis-cli -u redis://{v} ping", ("cache__stats", "address"), ("tmp/cache.env", "CACHE_URL={v}"), ("cmd", "tide cfg show cache", "plain", "cache_url")),
    ("batch_id", "nightly-{w}-{p}", "the id of the nightly batch", "die ID des Nachtlaufs", "tide batch tail {v}", ("batch__status", "batch_id"), ("tmp/batch.txt", "batch={v}"), ("cmd", "tide batch current", "plain", "batch id")),
    ("schema_rev", "rev_{w}{p}", "the schema revision", "die Schemarevision", "alembic upgrade {v}", ("sql__schema_diff", "revision"), ("tmp/schema.ini", "revision = {v}"), ("file", "config/schema.yaml", "yaml", "revision")),
    ("cdn_pool", "pool-{w}-{n}", "the CDN pool", "der CDN-Pool", "tide cdn purge --pool {v}", ("cdn__purge", "pool"), ("tmp/cdn.json", "{{\"pool\": \"{v}\"}}"), ("mcp", "cdn__list_pools", "json", "activePool")),
    ("feature_ring", "ring-{w}-{n}", "the feature ring", "der Feature-Ring", "tide flags push --ring {v}", ("flags__evaluate", "ring"), ("tmp/flags.yaml", "ring: {v}"), ("mcp", "flags__overview", "table", "DEFAULT RING")),
]


def settings(rng):
    out = []
    for kind, rows in (("told", TOLD), ("shown", SHOWN)):
        for r in rows:
            out.append({"kind": kind, "key": r[0], "en": r[2], "de": r[3], "cmd": r[4], "mcp": r[5], "file": r[6],
                        "where": r[7] if len(r) > 7 else None, "vals": _vals(rng, r[1]), "i": -1, "hist": []})
    return out


SIDE = {"env": ["LOG_LEVEL=info", "WORKERS=6", "TZ=Europe/Copenhagen"], "yaml": ["service: tideline", "replicas: 6", "strategy: rolling"],
        "json": ['"service": "tideline"', '"retries": 5', '"drainSeconds": 30'], "toml": ["[gateway]", "workers = 6", "burst = 40"]}


def render(form, name, value, n=0):
    """Lines in which a tool or a file shows the value."""
    if form == "env":
        return [SIDE["env"][0], f"{name}={value}", *SIDE["env"][1:]]
    if form == "yaml":
        return [*SIDE["yaml"][:2], f"{name}: {value}", SIDE["yaml"][2]]
    if form == "json":
        return ["{", f"  {SIDE['json'][0]},", f'  "{name}": "{value}",', f"  {SIDE['json'][1]},", f"  {SIDE['json'][2]}", "}"]
    if form == "toml":
        return [*SIDE["toml"][:2], f"{name} = {value}" if value.isdigit() else f'{name} = "{value}"', SIDE["toml"][2]]
    if form == "table":
        return [f"{name:<24}{'STATUS':<10}AGE", f"{value:<24}{'Ready':<10}{n % 90 + 2}d"]
    return [f"service: tideline", f"{name}: {value}", f"checked: {n % 60} s ago"]
