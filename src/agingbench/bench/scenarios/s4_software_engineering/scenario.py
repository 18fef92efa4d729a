"""s4: a coding assistant that follows a code base over sprints and codes from what was agreed."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from agingbench.bench.plan import pools
from agingbench.bench.plan.code_test import CodeTest
from agingbench.bench.plan.content import (
    LIST_SIZE,
    Chain,
    Content,
    Draft,
    Shape,
    draft_from,
)
from agingbench.bench.plan.corpus import load_corpus
from agingbench.bench.plan.facts import Fact, FactGraph
from agingbench.bench.plan.lookalikes import Lookalikes
from agingbench.bench.plan.plan import Task
from agingbench.bench.plan.pools import Draw, Space, drawn, figure, member, stream
from agingbench.bench.plan.pressure import Pressure
from agingbench.bench.plan.split import Split
from agingbench.bench.plan.weaving import WovenScenario
from agingbench.bench.scenarios.s4_software_engineering.coding import CODERS, FUNCTIONS, Gold
from agingbench.text.values import Value

SCENARIO = "s4_software_engineering"
RETURNS = 0.35  # how often a note is about a module that the notes had of late
_FOLDERS = ("models/", "services/", "workers/", "adapters/", "jobs/", "handlers/")
_SHARED = ("utils/", "lib/", "shared/", "common/")
_HEADS = (
    "amber basic bulk cold core daily dense direct early fast final fixed fresh global grand inner"
    " joint lazy light local long main mixed mobile nested open outer partial plain prime quick"
    " rapid remote secure short signed single sparse static steady total urgent wide"
).split()
_TAILS = (
    "address archive auction basket billing booking branch cargo catalog claim contract courier"
    " credit customer depot dispatch docket export fleet freight goods import invoice ledger"
    " manifest notice order parcel payment pickup quote receipt refund rental return route shipment"
    " stock storage supplier tariff ticket transfer voucher"
).split()
_VERBS = (
    "accept adjust append apply assign build check clean collect combine count derive detect drop"
    " emit encode extract fetch filter fold format guard limit locate mark match merge parse pick"
    " resolve"
).split()
_MODELS = (
    "Account",
    "Bundle",
    "Crate",
    "Delivery",
    "Entry",
    "Folder",
    "Grant",
    "Harvest",
    "Item",
    "Journey",
    "Kiosk",
)
_FIELDS = (
    "_code",
    "_count",
    "_flag",
    "_grade",
    "_height",
    "_label",
    "_owner_id",
    "_price",
    "_status",
    "_weight",
)
_LABELS = ("warehouse note", "supplier remark", "carrier note", "pallet text", "customs remark")
_ROUTES = ("intake", "lookup", "preview", "replay", "search", "submit", "upload", "webhook")
_RELATIONS = ("fallback", "mirror", "successor", "delegate", "upstream")
_CONFIGS = ("limits", "pools", "tuning", "runtime", "capacity", "connections")
_POOL_SIZES = {"minimum": (12, 118), "maximum": (121, 480)}
_SERVICES = ("billing", "gateway", "search", "reports", "scheduler", "exports")
_NAME_PART = re.compile("[A-Z]?[a-z]+")
_CLOSE = "Use what we agreed on and reply with a fenced block of code."


class SoftwareEngineering(WovenScenario):
    """The headline is recall of what code depends on; the written code is also executed."""

    id = SCENARIO
    version = "2.0.0"
    title = "Software engineering"
    headline = "dep_recall"
    mechanisms = ("compression", "interference")
    role = (
        "You are the coding assistant of a software team and stay with it over many sprints. Each"
        " sprint you read the team's notes on modules, limits, dependencies and design decisions,"
        " some of which are changed or withdrawn later. Remember them exactly. When you are asked"
        " for code, reply with one fenced block of Python code that needs nothing but the standard"
        " library."
    )

    def content(self, pressure: Pressure, seed: int) -> Content:
        """Return the code base of one life and what is agreed on about it."""
        return CodeBase(seed)


class CodeBase(Content):
    """The content of one life: a code base that grows, and what the team agrees on about it."""

    shape = Shape(accounts=1, dependency_probes=4)

    def __init__(self, seed: int, scenario: str = SCENARIO) -> None:
        self.seed = seed
        self.corpus = load_corpus(Path(__file__).parent)
        self.split = Split(seed)
        rng = stream(scenario, seed, "spaces")
        heads = [f"{h}_" for h in _HEADS]
        files = [f"{t}.py" for t in _TAILS]
        self.modules = Space(rng, _FOLDERS, heads, files, glue="")
        self.helpers = Space(rng, _SHARED, heads, files, glue="")
        self.functions = Space(rng, _VERBS, _HEADS, _TAILS, glue="_")
        self.fields = Space(rng, _TAILS, _FIELDS, ("", "_raw", "_final", "_hint"), glue="")
        self.classes = Space(
            rng, [t.capitalize() for t in _TAILS], _MODELS, ("", "Draft", "Record", "View"), glue=""
        )
        self.services = Space(rng, _HEADS, _TAILS, glue="-")
        self.subjects = (self.modules, self.functions)
        self.people = Space(rng, self.split.first, self.split.last)
        tables = Space(rng, ("tbl_", "rows_", "log_", "fact_"), heads, _TAILS, glue="")
        self.draws: dict[str, Draw] = {
            "length": drawn(pools.count, 81, 2049),
            "timeout": figure("number", "{} ms", 1001, 9999),
            "schema": pools.version,
            "batch": drawn(pools.count, 51, 4999),
            "port": _code(4),
            "cache": _code(4),
            "owner": member(self.people),
            "import": member(self.helpers),
            "sampling": figure("percent", "{}%", 2, 97, 1),
            "freeze": self.soon,
            "table": member(tables),
            "nightly": _at_night,
        }
        file = f"config/{rng.choice(_CONFIGS)}_v2"
        axes = (
            (f"{file}.yaml", f"{file}_old.yaml"),
            ("staging", "production"),
            ("minimum", "maximum"),
            _SERVICES,
        )
        self.family = Lookalikes(rng, axes)
        # Modules with the kinds of what was agreed on for them.
        self.recent: deque[tuple[str, set[str]]] = deque(maxlen=12)
        self.known = 0  # facts that the lists below have taken in
        self.codable: dict[str, list[int]] = {}  # what code can be asked about -> facts
        self.agreed: list[int] = []
        self.lists: dict[str, list[Fact]] = {}
        self.names: Counter[str] = Counter()  # of functions that were asked for

    def opening(self, rng: Random) -> list[Draft]:
        # What the project starts from may change but is never withdrawn: there is always something
        # to build on.
        return [
            replace(self._agree(rng, kind, self.modules.take()), family="decision", retract="")
            for kind in self.draws
        ]

    def note(self, rng: Random) -> Draft:
        kinds = list(self.draws)
        if self.recent and rng.random() < RETURNS:
            module, old_kinds = rng.choice(self.recent)
            new_kinds = [kind for kind in kinds if kind not in old_kinds]
            kind = rng.choice(new_kinds or ["import"])
            return self._agree(rng, kind, module)

        return self._agree(rng, rng.choice(kinds), self.modules.take())

    def _agree(self, rng: Random, kind: str, module: str) -> Draft:
        kinds = next((kinds for name, kinds in self.recent if name == module), None)
        if kinds is None:
            kinds = set()
            self.recent.append((module, kinds))
        kinds.add(kind)

        words = {"m": module}
        if kind == "import":
            words["w"] = self.functions.take()
        elif kind == "length":
            words["w"] = rng.choice(_LABELS)
        return draft_from(self.corpus, rng, kind, self.draws[kind], words)

    def listing(self, rng: Random, number: int) -> list[Draft]:
        kind = "field" if number % 2 else "middleware"
        owners = self.classes if number % 2 else self.services
        members = self.fields if number % 2 else self.functions
        words = {"x": owners.take()}
        return [self.list_member(rng, number, kind, members, words, domain=kind)] * LIST_SIZE

    def look_alike(self, rng: Random, traits: Sequence[str]) -> Draft:
        file, stage, end, service = traits
        words = {"m": file, "stage": stage, "end": end, "service": service}
        return self.fixed(rng, "pool", drawn(pools.count, *_POOL_SIZES[end]), words, family="pair")

    def chain(self, rng: Random, hops: int) -> Chain:
        route = f"{self.services.take()}-{rng.choice(_ROUTES)}"
        modules = [self.modules.take() for _ in range(hops - 1)]
        return self.chain_over(
            rng,
            modules,
            self.modules,
            _RELATIONS,
            slot="m",
            holds=("connection", _code(3)),
            stands="link",
            named=("handler", {"m": route}),
        )

    # -- tasks: code first, then one or two plans

    def tasks(self, rng: Random, session: int, graph: FactGraph) -> list[Task]:
        self._take_in(graph)
        fact = self._to_code(rng, session, graph)
        name = self._function_name(fact)
        gold = self._gold(fact, session, graph)
        coding = CODERS[fact.domain](name, gold, stream(SCENARIO, self.seed, "calls", session))
        does = coding.does.format(it=fact.phrase)
        text = f"Write the function `{name}({coding.takes})` for {_place(fact)}: {does} {_CLOSE}"
        test = CodeTest(name, coding.cases)
        tasks = [Task(f"t{session}.0", "coding", text, fact.id, "succeed", test, coding.solution)]
        for number in range(1, rng.randint(2, 3)):
            about = self._to_plan(rng, session, graph)
            tasks.append(self._planning(rng, f"t{session}.{number}", about))
        return tasks

    def _planning(self, rng: Random, name: str, about: Fact) -> Task:
        words = {"place": _place(about), "what": _without_place(about)}
        plan = rng.choice(self.corpus.statements.tasks).format(**words)
        return Task(name, "planning", plan, about.id, "cite")

    def _function_name(self, fact: Fact) -> str:
        # One that was asked for before is written anew.
        name = _function_name(fact)
        self.names[name] += 1
        count = self.names[name]
        return name if count == 1 else f"{name}_v{count}"

    def _take_in(self, graph: FactGraph) -> None:
        for index in range(self.known, len(graph.facts)):
            fact = graph.facts[index]
            if fact.family in ("decision", "note"):
                self.agreed.append(index)
            if fact.group is not None:
                self.lists.setdefault(fact.group, []).append(fact)
            if fact.domain in CODERS:
                self.codable.setdefault(fact.domain, []).append(index)
        self.known = len(graph.facts)

    def _to_code(self, rng: Random, session: int, graph: FactGraph) -> Fact:
        """Chooses the fact that code needs: one of an earlier session, so that memory decides."""
        for _ in range(60):
            fact = graph.facts[rng.choice(self.codable[rng.choice(list(self.codable))])]
            parts = self.lists[fact.group] if fact.group else [fact]
            is_live = any(part.retracted_at is None for part in parts)
            last_change = max(max(f.versions[-1].session, f.retracted_at or 0) for f in parts)
            if is_live and (session == 0 or last_change < session):
                return fact
        return graph.facts[0]  # never withdrawn, if just changed

    def _to_plan(self, rng: Random, session: int, graph: FactGraph) -> Fact:
        some = [graph.facts[i] for i in rng.sample(self.agreed, min(12, len(self.agreed)))]
        return next((f for f in some if f.retracted_at is None), graph.facts[0])

    def _gold(self, fact: Fact, session: int, graph: FactGraph) -> Gold:
        parts = self.lists[fact.group] if fact.group else [fact]
        live = [v.value.text for v in (f.at(session + 1) for f in parts) if v is not None]
        return Gold(live)


def _place(fact: Fact) -> str:
    return fact.phrase.partition(" of ")[2] if fact.group else fact.subject[0]


def _without_place(fact: Fact) -> str:
    # "the table of jobs/fixed_ticket.py" is its table where the file was named already.
    place = _place(fact)
    phrase = fact.phrase
    for joint in (f" of {place}", f" in {place}"):
        phrase = phrase.removesuffix(joint)
    return phrase.replace(place, "it")


def _function_name(fact: Fact) -> str:
    # What the function returns, then whose: `retry_wait_fixed_ticket` for jobs/fixed_ticket.py.
    *entities, _ = fact.subject
    if fact.domain == "pool":
        about = "_".join(entities[1:])
    else:
        file = entities[0].rpartition("/")[2]
        about = file.removesuffix(".py")
    words = [FUNCTIONS[fact.domain], *_NAME_PART.findall(about)]
    return "_".join(words).lower()


def _code(digits: int) -> Draw:
    return lambda rng, avoid: pools.code(rng, digits, avoid)


def _at_night(rng: Random, avoid: Sequence[Value]) -> Value:
    return pools.clock(rng, 0, 6, avoid)
