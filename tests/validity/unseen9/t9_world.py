"""The Kelpline repository: files with contents that live on, look-alikes, values."""
from __future__ import annotations
import datetime as dt
from t9_words import MODS, STEMS, SYMS

VERBS = ["fetch", "merge", "count", "check", "build", "price", "sort", "store", "parse", "trim", "hold", "clear"]
NOUNS = ["row", "leg", "sailing", "party", "slot", "cap", "seat", "voucher", "berth", "notice", "quay", "plate", "fee", "window", "offset", "deck"]


class File:
    __slots__ = ("path", "lines", "rev", "twin", "mod")

    def __init__(self, path, mod):
        self.path, self.mod, self.lines, self.rev, self.twin = path, mod, None, 0, None

    @property
    def base(self):
        return self.path.rsplit("/", 1)[-1]


class World:
    def __init__(self, rng, more=0):
        self.rng = rng
        self.files, self.by_mod = {}, {m: [] for m in MODS}
        self.grow_factor = 1.0
        for m in MODS:
            for s in rng.sample(STEMS, 6):
                f = self.add(f"services/{m}/{s}.py", m)
                if rng.random() < .75:
                    self.twin(f, rng.choice([f"services/{m}/{s}_legacy.py", f"services/{m}/{s}_v2.py", f"services/{m}_export/{s}.py", f"services/{m}/{s}_utils.py"]))
            for s in rng.sample(["Panel", "Table", "Form", "Badge", "hooks"], 3):
                p = f"apps/desk/src/{m}/{m.capitalize() if s != 'hooks' else ''}{s}.ts{'x' if s != 'hooks' else ''}"
                f = self.add(p, m)
                if rng.random() < .75:
                    self.twin(f, p.replace("apps/desk/", "apps/kiosk/"))
            for s in rng.sample(STEMS, 3):
                self.add(f"tests/{m}/test_{s}.py", m)
            self.add(f"docs/{m}.md", m)
            f = self.add(f"ops/{m}.yaml", m)
            self.twin(f, f"ops/{m}.example.yaml")
            self.add(f"db/migrations/{rng.randint(100, 480):04d}_{m}.sql", m)
        self.n = 0

    def add(self, path, mod):
        f = self.files.get(path)
        if f is None:
            f = self.files[path] = File(path, mod)
            self.by_mod[mod].append(f)
        return f

    def twin(self, f, path):
        if path in self.files:
            return
        t = File(path, f.mod)
        self.files[path] = t
        f.twin, t.twin = t, f

    def line(self, path, k):
        r = self.rng.random
        v, n, n2 = VERBS[int(r() * 12)], NOUNS[int(r() * 16)], NOUNS[int(r() * 16)]
        sym = SYMS[int(r() * len(SYMS))]
        e = path.rsplit(".", 1)[-1]
        j = int(r() * 5)
        if e == "py":
            return (f"def {v}_{n}({n2}, limit={k}):", f"    {n}_{n2} = {sym}({n2}, {k})", f"    if {n} is None or {n2}.{n} > {k}:", f"    return {sym}({n}, {n2}) + {k}", f"    # {v} the {n} before the {n2} ({k})")[j]
        if e in ("ts", "tsx"):
            return (f"export function {v}{n.capitalize()}({n2}: {n.capitalize()}[]) {{ // {k}", f"  const {n}{k} = {v}({n2});", f"  if (!{n} || {n2}.length > {k}) return null;", f"  return <{n.capitalize()}Row key={{{k}}} {n2}={{{n2}}} />;", f"  // {v} {n} per {n2} ({k})")[j]
        if e == "md":
            return (f"## {v.capitalize()} a {n} ({k})", f"The {n2} holds every {n} until the {n2} is {v}ed; see step {k}.", f"- {v} the {n}, then the {n2} ({k})", f"Staff can {v} up to {k} {n2}s per {n}.", f"Note {k}: a {n} without {n2} is skipped.")[j]
        if e == "sql":
            return (f"ALTER TABLE {n} ADD COLUMN {n2}_{k} integer;", f"CREATE INDEX {n}_{n2}_{k} ON {n} ({n2});", f"UPDATE {n} SET {n2} = {k} WHERE {n2} IS NULL;", f"-- {v} {n} {k}", f"SELECT count(*) FROM {n} WHERE {n2} > {k};")[j]
        return (f"  {n}_{n2}: {k}", f"  {v}_{n}: \"{n2}-{k}\"", f"  - name: {n}-{k}", f"    {n2}: {v}", f"  # {v} {n} {k}")[j]

    def content(self, f):
        if f.lines is None:
            n = int(min(190, max(14, self.rng.lognormvariate(4.0, .45))) * self.grow_factor)
            f.lines = [self.line(f.path, k) for k in range(1, n + 1)]
        return f.lines

    def edit(self, f, extra=0):
        """Change a run of lines; returns old, new, original text."""
        L, rng = self.content(f), self.rng
        orig = "\n".join(L)
        at, ln = rng.randrange(max(1, len(L) - 3)), rng.randint(1, 3)
        old = L[at:at + ln]
        add = (rng.choice([0, 0, 1, 2, 3]) if len(L) < 180 else 0) + extra
        new = [self.line(f.path, rng.randint(200, 9999)) for _ in range(len(old) + add)]
        L[at:at + ln] = new
        f.rev += 1
        return "\n".join(old), "\n".join(new), orig

    def new_file(self, mod):
        self.n += 1
        r = self.rng
        p = r.choice([f"tests/{mod}/test_{r.choice(VERBS)}_{r.choice(NOUNS)}_{self.n}.py", f"services/{mod}/{r.choice(VERBS)}_{r.choice(NOUNS)}_{self.n}.py", f"docs/howto/{r.choice(NOUNS)}-{self.n}.md"])
        f = self.add(p, mod)
        f.lines = [self.line(p, k) for k in range(1, r.randint(10, 45))]
        return f


def fresh_value(rng, key, day):
    if key == "tides_port":
        return str(rng.randint(4100, 9890))
    if key == "staging_host":
        return f"berth-{rng.choice('abcdefghkmnp')}{rng.randint(2, 98)}.kelpline.net"
    if key == "release":
        return f"r-{rng.randint(2100, 9900)}"
    if key == "account":
        return f"AC-{rng.randint(10000, 99999)}"
    if key == "season_start":
        return (dt.date(2026, 4, 1) + dt.timedelta(days=rng.randint(0, 180))).isoformat()
    if key == "database":
        return f"ferry_stage_{rng.randint(11, 99)}"
    if key == "branch":
        return f"pier/{rng.choice(NOUNS)}-{rng.choice(VERBS)}-{rng.randint(10, 99)}"
    if key == "queue":
        return f"manifest-{rng.choice(NOUNS)}-{rng.randint(10, 99)}"
    return f"kelpline-scans-{rng.choice(['eu', 'no', 'dk'])}{rng.randint(10, 99)}"
