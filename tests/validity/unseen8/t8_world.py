"""The project an agent works on: files with real text that edits change, look-alike names, and changing values."""
PROJECTS = [("harborline", "py", "src/harborline", "/home/mara/work/harborline", ["invoice", "parcel", "carrier", "tariff", "customer", "depot", "refund", "label", "route", "manifest", "claim", "quote"]),
 ("fieldnotes", "ts", "packages/app/src", "/Users/jonas/code/fieldnotes", ["note", "tag", "notebook", "attachment", "reminder", "share", "comment", "template", "search", "revision", "folder", "author"]),
 ("gridmeter", "go", "internal", "/home/ops/gridmeter", ["meter", "reading", "tariff", "outage", "alarm", "gateway", "contract", "forecast", "segment", "bill", "sensor", "feeder"]),
 ("clinicdesk", "py", "clinicdesk", "/srv/dev/clinicdesk", ["patient", "visit", "slot", "referral", "invoice", "doctor", "room", "letter", "insurance", "reminder", "result", "order"]),
 ("tilewright", "ts", "src", "/Users/ines/dev/tilewright", ["tile", "layer", "viewport", "marker", "style", "source", "feature", "label", "cluster", "legend", "export", "basemap"])]
ROLES = ["parser", "service", "store", "view", "builder", "validator", "mapper", "export", "loader", "policy", "client", "router"]
VERBS = ["load", "merge", "check", "apply", "resolve", "collect", "format", "split", "attach", "archive", "assign", "cancel"]
NOUN2 = ["status", "deadline", "owner", "currency", "discount", "priority", "address", "history", "signature", "quota", "channel", "reference"]

class World:
    def __init__(self, rng, idx, nfiles=34):
        self.rng = rng
        self.name, self.lang, self.src, self.root, self.nouns = PROJECTS[idx % len(PROJECTS)]
        self.ext = {"py": ".py", "ts": ".ts", "go": ".go"}[self.lang]
        self.files = {}      # path -> list of lines
        self.funcs = {}      # path -> function names
        self.twin = {}       # path -> look-alike path
        self.targets = []    # the paths requests are about
        self.tests = {}
        self.scale = 1.0
        while len(self.targets) < nfiles: self.new_module()
        self.docs = []
        for d in ["docs/guide.md", "docs/reference.md", "README.md", "CHANGELOG.md", "docs/glossary.md"]:
            self.files[d] = ["# " + d.split("/")[-1], ""] + [f"- The {rng.choice(self.nouns)} has a {rng.choice(NOUN2)} and is {rng.choice(VERBS)}ed at step {i}." for i in range(rng.randint(15, 60))]
            self.docs.append(d)
        self.configs = []
        for d in ["config/settings.yaml", "config/limits.yaml", "deploy/staging.yaml"]:
            self.files[d] = [f"{rng.choice(self.nouns)}_{rng.choice(NOUN2)}_{i}: {rng.randint(1, 900)}" for i in range(rng.randint(12, 30))]
            self.configs.append(d)

    def new_module(self):
        rng = self.rng
        for _ in range(200):
            noun, role = rng.choice(self.nouns), rng.choice(ROLES)
            pkg = rng.choice(["core", "api", "jobs", "billing", "util"])
            stem = f"{noun}_{role}"
            p = f"{self.src}/{pkg}/{stem}{self.ext}"
            if p in self.files: continue
            tw = rng.choice([f"{self.src}/{pkg}/{noun}s_{role}{self.ext}", f"{self.src}/{pkg}/{noun}_{role}s{self.ext}", f"{self.src}/{pkg}/{noun}_{role}2{self.ext}"])
            if tw in self.files: continue
            for q in (p, tw): self._fill(q, noun)
            self.twin[p] = tw
            self.targets.append(p)
            t = {"py": f"tests/test_{stem}.py", "ts": f"{self.src}/{pkg}/{stem}.test.ts", "go": f"{self.src}/{pkg}/{stem}_test.go"}[self.lang]
            if t not in self.files:
                self._fill(t, noun, test=True); self.tests[p] = t
            else: self.tests[p] = t
            return p
        return None

    def _fill(self, p, noun, test=False):
        n = int(self.rng.lognormvariate(4.1, .45) * self.scale)
        self.files[p] = []; self.funcs[p] = []
        self.grow(p, max(20, min(n, 600)), noun, test)

    def grow(self, p, n, noun=None, test=False):
        rng = self.rng; L = self.files[p]; noun = noun or rng.choice(self.nouns); goal = len(L) + n
        if not L:
            L += {"py": [f'"""{noun.title()} handling."""', "from __future__ import annotations", "import logging", "", "log = logging.getLogger(__name__)", ""],
                  "ts": [f'import {{ {noun.title()} }} from "./types";', 'import { log } from "../log";', ""],
                  "go": ["package core", "", 'import (', '\t"context"', '\t"fmt"', ")", ""]}[self.lang]
        while len(L) < goal:
            v, m, q = rng.choice(VERBS), rng.choice(NOUN2), rng.randint(10, 9999)
            fn = f"{'test_' if test else ''}{v}_{noun}_{m}_{q}" if self.lang == "py" else f"{v}{noun.title()}{m.title()}{q}"
            self.funcs[p].append(fn)
            if self.lang == "py":
                L += [f"def {fn}({noun}, {m}=None):", f'    """{v.title()} the {m} of a {noun}."""', f"    limit_{q} = {rng.randint(2, 500)}", f"    if {noun} is None or {m} == {q}:", f"        return None  # {v} {q}",
                      f"    rows = [{noun}_{q} for {noun}_{q} in {noun}.items if {noun}_{q}.{m}]", f'    log.debug("{v} {noun} %s", limit_{q})', f"    return rows[:limit_{q}]", ""]
            elif self.lang == "ts":
                L += [f"export function {fn}({noun}: {noun.title()}, {m}?: string) {{", f"  const limit{q} = {rng.randint(2, 500)};", f"  if (!{noun} || {m} === \"{q}\") return null;", f"  const rows{q} = {noun}.items.filter((x) => x.{m});", f'  log.debug("{v} {noun}", limit{q});', f"  return rows{q}.slice(0, limit{q});", "}", ""]
            else:
                L += [f"// {fn} {v}s the {m}.", f"func {fn}(ctx context.Context, {noun} *Item) ([]Row, error) {{", f"\tconst limit{q} = {rng.randint(2, 500)}", f"\tif {noun} == nil {{", f'\t\treturn nil, fmt.Errorf("{v} {noun} {q}")', "\t}", f"\trows{q} := {noun}.Filter(\"{m}\")", f"\treturn rows{q}[:limit{q}], nil", "}", ""]

    def edit(self, rng, p):
        """Change one to three lines; returns (old, new, line number)."""
        L = self.files[p]
        cand = [i for i, l in enumerate(L) if len(l.strip()) > 8]
        i = rng.choice(cand); j = min(len(L), i + rng.randint(1, 3))
        old = L[i:j]; new = list(old)
        mark = rng.randint(100, 99999)
        c = {"py": "  # see ", "ts": "  // see ", "go": " // see "}[self.lang] if p.endswith(self.ext) else " "
        new[0] = new[0].split(c)[0] + f"{c}{mark}" if rng.random() < .5 else new[0]
        ind = new[0][:len(new[0]) - len(new[0].lstrip())]
        if new == old or rng.random() < .4: new.append(f"{ind}{rng.choice(VERBS)}_{rng.choice(NOUN2)}_{mark} = {rng.randint(1, 99)}")
        L[i:j] = new
        return "\n".join(old), "\n".join(new), i + 1

# ---- values that users or tools state and replace
def _d(r): return f"2026-{r.randint(1,12):02d}-{r.randint(1,28):02d}"
KEYS = {"warehouse": lambda r: f"WH-{r.randint(1000,9999)}", "ship_date": _d, "carrier_code": lambda r: f"CR{r.randint(100,999)}{r.choice('ABCDEFGH')}", "assignee": lambda r: r.choice(["lena", "omar", "priya", "tomasz", "keiko", "sven", "ruth", "ugo"]) + "." + r.choice(["hahn", "costa", "rao", "lind", "sato", "weber", "moss", "diaz"]) + str(r.randint(2, 99)),
 "cost_center": lambda r: f"{r.randint(40000,49999)}", "preview_port": lambda r: str(r.randint(8100, 9899)), "bucket": lambda r: f"exports-{r.choice(['eu','us','ap'])}-{r.randint(100,999)}", "rate_limit": lambda r: str(r.randint(110, 990)), "po_number": lambda r: f"PO-{r.randint(20000,99999)}",
 "notify_channel": lambda r: f"#{r.choice(['ops','desk','billing','rollout'])}-{r.randint(10,99)}", "release_branch": lambda r: f"release/{r.randint(3,9)}.{r.randint(10,60)}", "price_list": lambda r: f"PL{r.randint(2020,2029)}-{r.randint(100,999)}", "db_host": lambda r: f"db-{r.randint(11,99)}.internal", "contact": lambda r: f"{r.choice(['info','desk','orders','team'])}{r.randint(10,999)}@example.org",
 "batch_size": lambda r: str(r.randint(210, 4990)), "discount_code": lambda r: f"{r.choice(['SPRING','LOYAL','TRADE','FAIR'])}{r.randint(10,999)}", "room": lambda r: f"R{r.randint(1,9)}.{r.randint(100,399)}", "deadline": _d, "vat_scheme": lambda r: f"V{r.randint(10,99)}-{r.choice('KLMN')}", "queue_name": lambda r: f"q-{r.choice(['fast','bulk','night'])}-{r.randint(100,999)}"}
