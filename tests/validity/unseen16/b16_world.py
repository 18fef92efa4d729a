"""The invented product (street-light maintenance) and its repository: files with real, editable text."""

from functools import lru_cache
from zlib import crc32

PRODUCTS = ["lampyris", "glowgrid", "dusklane", "emberpost"]
AREAS = ["outage", "workorder", "crew", "routing", "inventory", "sensor", "billing", "report", "auth", "notify",
         "citymap", "schedule"]
NEW_AREAS = ["tariff", "warranty", "drone", "permit", "weather", "survey", "kiosk", "fleet", "depot", "audit",
             "festival", "solar", "tunnel", "bollard", "metering", "charging"]
VERBS = ["load", "close", "assign", "merge", "expire", "rank", "refresh", "split", "count", "reopen", "archive", "price",
         "validate", "dispatch", "snapshot", "group", "release", "flag", "resolve", "lookup", "publish", "reserve",
         "rotate", "estimate", "drain", "attach", "cancel", "replay", "seal"]
NOUNS = ["ticket", "lamp", "pole", "district", "shift", "part", "reading", "invoice", "badge", "alert", "tile", "slot",
         "batch", "route", "visit", "fixture", "meter"]
FIELDS = ["status", "priority", "due_at", "district_id", "lumen", "voltage", "crew_id", "opened_by", "retries",
          "cost_cents", "closed_at", "zone", "serial_no", "eta_minutes"]
EXT = {"py": ".py", "ts": ".tsx", "go": ".go", "sql": ".sql", "yaml": ".yaml", "md": ".md", "tf": ".tf", "sh": ".sh"}


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(p.capitalize() for p in rest)


def symbol(lang, verb, noun):
    name = f"{verb}_{noun}"
    if lang == "ts":
        return camel(name)
    if lang == "go":
        return "".join(p.capitalize() for p in name.split("_"))
    if lang in ("yaml", "tf"):
        return name.replace("_", "-")
    return name


@lru_cache(maxsize=None)
def block(lang, area, sym, field, other, number):
    """One definition of about seven lines; the first line names the symbol and is unique in a file."""
    if lang == "py":
        return (f"def {sym}(repo, {area}_id: int, limit: int = {number}):",
                f'    """Apply {sym.replace("_", " ")} to one {area}."""',
                f"    row = repo.get({area}_id)",
                "    if row is None:",
                f'        raise LookupError(f"unknown {area} {{{area}_id}}")',
                f"    if row.{field} is None or row.{other} > limit:",
                f"        row.{field} = clock.now()",
                "    repo.save(row)",
                "    return row", "", "")
    if lang == "ts":
        return (f"export function {sym}(rows: {area.capitalize()}Row[], limit = {number}) {{",
                f"  const seen = rows.filter((r) => r.{camel(field)} !== null);",
                "  if (seen.length > limit) {",
                f"    log.warn('{sym}: too many rows', seen.length);",
                "  }",
                f"  return seen.map((r) => ({{ ...r, {camel(other)}: r.{camel(other)} ?? 0 }}));",
                "}", "")
    if lang == "go":
        return (f"func {sym}(ctx context.Context, id int64) (*{area.capitalize()}, error) {{",
                f"\trow, err := store.{area.capitalize()}(ctx, id)",
                "\tif err != nil {",
                f'\t\treturn nil, fmt.Errorf("{sym} %d: %w", id, err)',
                "\t}",
                f"\trow.Weight = row.Weight + {number}",
                "\treturn row, nil", "}", "")
    if lang == "sql":
        return (f"CREATE TABLE {area}_{sym} (", "    id bigserial PRIMARY KEY,", f"    {field} text NOT NULL,",
                f"    {other} integer DEFAULT {number},", "    created_at timestamptz DEFAULT now()", ");",
                f"CREATE INDEX ON {area}_{sym} ({field});", "")
    if lang == "yaml":
        return (f"  {sym}:", f"    image: registry.local/{area}:{number}", "    replicas: 2", "    env:",
                f"      - name: {field.upper()}", f'        value: "{number}"', "    resources:",
                f"      memory: {number * 8}Mi", "")
    if lang == "tf":
        return (f'resource "grid_service" "{sym}" {{', f'  name     = "{area}-{sym}"', f"  capacity = {number}",
                "  tags = {", f'    owner = "{field}"', "  }", "}", "")
    if lang == "sh":
        return (f"{sym}() {{", f'  local target="${{1:-{area}}}"', f"  for i in $(seq 1 {number % 5 + 1}); do",
                f'    curl -fsS "$API/{area}/{field}" > "$TMP/$target.$i" || return 1', "  done", "}", "")
    return (f"## {sym.replace('_', ' ').capitalize()}", "",
            f"The {area} service keeps `{field}` up to date; `{other}` is derived from it.",
            f"By default at most {number} rows are touched in one pass.", "", "```", f"make {area}", "```", "")


HEADS = {"py": ("from __future__ import annotations", "", "from {p}.core import clock, errors", "", ""),
         "ts": ("import {{ log }} from '../log';", "import type {{ {A}Row }} from './types';", ""),
         "go": ("package {a}", "", 'import (', '\t"context"', '\t"fmt"', ")", ""),
         "sql": ("-- migration for {a}", "BEGIN;", ""), "yaml": ("version: 2", "services:"),
         "tf": ('terraform {{ required_version = ">= 1.6" }}', ""), "sh": ("#!/usr/bin/env bash", "set -euo pipefail", ""),
         "md": ("# {A}", "", "Notes on the {a} part of {p}.", "")}


@lru_cache(maxsize=None)
def content(product, path, lang, area, blocks):
    h = crc32(path.encode())
    lines = [x.format(p=product, a=area, A=area.capitalize()) for x in HEADS[lang]]
    syms = []
    for i in range(blocks):
        sym = symbol(lang, VERBS[(h + i * 7) % 29], NOUNS[(h // 31 + i * 5) % 17])
        syms.append(sym)
        lines += block(lang, area, sym, FIELDS[(h + i) % 14], FIELDS[(h + i + 3) % 14], 10 + (h // 97 + i * 13) % 90)
    return tuple(lines), tuple(syms)


class File:
    __slots__ = ("path", "lang", "area", "base", "blocks", "lines", "syms", "version", "shown")

    def __init__(self, product, path, lang, area, blocks=None):
        self.path, self.lang, self.area = path, lang, area
        self.base = self.blocks = blocks or 4 + crc32(path.encode()) // 11 % 4
        lines, syms = content(product, path, lang, area, self.blocks)
        self.lines, self.syms, self.version, self.shown = list(lines), list(syms), 0, {}

    def grow(self, product, factor):
        """Other people's merged work: the file is made longer by whole definitions."""
        want = min(28, round(self.base * factor))
        if want > self.blocks:
            old, _ = content(product, self.path, self.lang, self.area, self.blocks)
            new, syms = content(product, self.path, self.lang, self.area, want)
            self.lines += new[len(old):]
            self.syms, self.blocks, self.version, self.shown = list(syms), want, self.version + 1, {}

    def anchor(self, sym):
        word = sym.replace("_", " ").capitalize() if self.lang == "md" else sym
        for i, line in enumerate(self.lines):
            if word in line:
                return i
        return 0

    def edit(self, rng, note):
        """A small change near one definition; returns (old, new, line number), both as text."""
        i = self.anchor(rng.choice(self.syms))
        old = self.lines[i:i + 3]
        new = list(old)
        pad = {"py": "    ", "go": "\t", "ts": "  ", "sh": "  ", "sql": "    ", "yaml": "    ", "tf": "  "}.get(self.lang, "")
        mark = {"py": "# ", "sql": "-- ", "yaml": "# ", "tf": "# ", "sh": "# ", "md": ""}.get(self.lang, "// ")
        f, n = rng.choice(FIELDS), rng.randrange(2, 90)
        kind = rng.random()
        if kind < 0.5 or len(old) < 3:
            extra = {"py": f"    limit = min(limit, settings.{f}_max or {n})", "go": f'\tlog.Debug("{f}", "max", {n})',
                     "ts": f"  if (limit < {n}) log.debug('{camel(f)}', limit);", "sh": f'  echo "{f}: {n}" >&2',
                     "sql": f"    {f}_{n} integer,", "yaml": f"    # {f} limit {n}", "tf": f'  # {f} = {n}'}
            new.insert(2 if self.lang in ("py", "md") else 1, extra.get(self.lang, f"Set `{f}` to {n} for small districts."))
        elif kind < 0.85:
            new[-1] = f"{pad}{mark}{note} ({f} {n})" if not old[-1].strip() else old[-1].rstrip() + (
                f"  {mark}{f} <= {n}" if self.lang != "md" else f" See also `{f}` ({n}).")
        else:
            new[1] = f"{pad}{mark}{note}: {f} at most {n}"
        if self.lang == "py" and kind >= 0.85:
            new[1] = f'    """{note.capitalize()}: {f} at most {n}."""'
        self.lines[i:i + 3] = new
        self.version += 1
        self.shown = {}
        return "\n".join(old), "\n".join(new), i + 1


def package(product, area):
    """The files of one area of the product."""
    h = crc32(area.encode())
    out = [(f"api/{product}/{area}/{n}.py", "py") for n in ("models", "service", "routes", "repo")[:3 + h % 2]]
    out += [(f"api/tests/test_{area}.py", "py"), (f"web/src/{area}/{area.capitalize()}List.tsx", "ts"),
            (f"web/src/{area}/{area.capitalize()}Detail.tsx", "ts"), (f"db/migrations/{h % 90 + 10:04d}_{area}.sql", "sql"),
            (f"docs/{area}.md", "md")]
    if h % 3:
        out += [(f"edge/{area}/handler.go", "go"), (f"edge/{area}/handler_test.go", "go")]
    if h % 5 < 2:
        out += [(f"web/src/{area}/use{area.capitalize()}.tsx", "ts")]
    return out


COMMON = [("deploy/compose.yaml", "yaml"), ("deploy/staging.yaml", "yaml"), ("deploy/prod.yaml", "yaml"),
          (".github/workflows/ci.yaml", "yaml"), ("infra/main.tf", "tf"), ("infra/queues.tf", "tf"), ("infra/dns.tf", "tf"),
          ("scripts/seed.sh", "sh"), ("scripts/backup.sh", "sh"), ("README.md", "md"), ("docs/architecture.md", "md"),
          ("CLAUDE.md", "md"), ("db/views.sql", "sql"), ("db/reports.sql", "sql"), ("edge/main.go", "go"),
          ("web/src/log.ts", "ts"), ("scripts/load_readings.py", "py"), ("scripts/dedupe_poles.py", "py")]


class World:
    def __init__(self, rng):
        self.product = rng.choice(PRODUCTS)
        self.areas = rng.sample(AREAS, rng.randrange(6, 9))
        self.files, self.by_area, self.order = {}, {}, []
        for path, lang in COMMON:
            self.add(path, lang, "core")
        for area in self.areas:
            self.add_area(area)

    def add(self, path, lang, area, blocks=None):
        f = File(self.product, path, lang, area, blocks)
        self.files[path] = f
        self.by_area.setdefault(area, []).append(f)
        return f

    def add_area(self, area):
        if area not in self.areas:
            self.areas.append(area)
        for path, lang in package(self.product, area):
            self.add(path, lang, area)

    def of(self, *langs, area=None):
        pool = self.by_area[area] if area else self.files.values()
        got = [f for f in pool if f.lang in langs]
        return got or [f for f in self.files.values() if f.lang in langs]
