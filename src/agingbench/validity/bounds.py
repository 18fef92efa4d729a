"""Agents with a known score: they bound every metric, and show that it cannot be fooled.

Each is lived through the same session loop and scored by the same scorer as any other agent. Oracle
knows the gold; Blank, Echo, Refuser and Unrelated (which always names the best sentence of a
foreign passage) know nothing; Dump recites a perfect memory, Reader answers from one. Where tasks
are done through tools, Oracle does what is allowed and declines the rest, Refuser declines all,
Committer does all that is asked, Unrelated and Reader act as the embedded model does, and the
others do nothing. Two guessers know what kind of value is asked for (`guessers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from agingbench.bench.life.life import Life
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import System
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.acts import Act
from agingbench.bench.plan.plan import Plan, Probe, Scenario, Task
from agingbench.bench.plan.pressure import PRESETS
from agingbench.bench.scoring.code_checks import CodeCheck, code_checks
from agingbench.bench.scoring.memory_text import MEMORY_METRICS
from agingbench.bench.scoring.paper import KeywordWatch, headline_curve
from agingbench.bench.scoring.program_checks import program_checks
from agingbench.bench.scoring.score import PAPER, STANDALONE_HEADLINES, life_figures
from agingbench.bench.scoring.ticket_checks import ticket_checks
from agingbench.cards.validity import BoundRow, BoundsReport
from agingbench.interfaces import Agent, Emit, Memory
from agingbench.models.extractive import DONE, REFUSED, Extractive, answer, respond
from agingbench.records import Answer, Event, Message, Tool, Unit
from agingbench.text.forms import in_form
from agingbench.validity.guessers import GUESSERS, guess
from agingbench.validity.workers import run_jobs

KNOW_NOTHING = ("blank", "echo", "refuser", "unrelated")
FLOOR_MEAN = 0.05
FLOOR_MAX = 0.15
RECALL = (*STANDALONE_HEADLINES, "recall")  # names of the recall over all due facts
LONG_ENOUGH = 8  # sessions: in a shorter life too few values compete, and the floor is reported
GUESS_MEAN = 0.10  # of an agent that knows the kind of value, from t = 2 on
GUESS_TOKENS = 1_000  # per session: a smaller first one cannot offer ten values of every kind
GUESS_LIVES = 10  # in fewer a single lucky guess of a fact that is asked often decides
CODE_SEEDS = 5  # lives of each setting whose code is executed; it takes longer than all the rest
LOWER_IS_BETTER = ("cvr", "over_refusal_rate", "undecided_share", "accumulator_error")

# Whose first session the Unrelated agent reads: that of another scenario.
FOREIGN = ("s3", "s1")

Speech = Callable[[str, str], str]
Hand = Callable[[str, str, Sequence[Tool]], Act | None]  # what it does about a task
Program = Callable[[int], Mapping[str, str]]  # its files after so many sessions


class BoundFigure(msgspec.Struct, frozen=True):
    """One figure of one bounding agent in one life; None where the life has nothing to measure."""

    agent: str
    metric: str
    value: float | None
    seed: int


def foreign_passage(plan: Plan) -> str:
    """The first session of another scenario, as long as a medium session, with the same seed."""
    others = (load_scenario(name) for name in FOREIGN)
    other = next(scenario for scenario in others if scenario.id != plan.scenario)
    return _first_session(other.id, plan.seed)


@lru_cache(maxsize=8)
def _first_session(scenario: str, seed: int) -> str:
    return plan_for(load_scenario(scenario), "medium", None, 1, seed).sessions[0].text


class PerfectTexts:
    """What a perfect memory of a life holds at each point, put together once for all agents."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._texts: dict[tuple[int, bool], str] = {}

    def at(self, point: int, history: bool = False) -> str:
        """The text at a point; empty before the first session was written."""
        if point == 0:
            return ""
        if (point, history) not in self._texts:
            sentences = perfect_memory(self.plan, point, history)
            self._texts[point, history] = "\n".join(sentences)
        return self._texts[point, history]


def _no_files(sessions: int) -> Mapping[str, str]:
    return {}


class PerfectMemory(Memory):
    """Holds the current sentence of every true fact and all of every account; what it reads out
    also says how facts that changed began.
    """

    supports = frozenset({"flush_history", "recompact"})

    def __init__(self, texts: PerfectTexts) -> None:
        self.texts = texts
        self.sessions = 0
        self.files: Program = _no_files

    @property
    def text(self) -> str:
        """Everything the memory holds; empty before the first session was written."""
        return self.texts.at(self.sessions)

    def read(self, query: str) -> str:
        """Return the whole memory, whatever the query."""
        return self.texts.at(self.sessions, history=True)

    def write(self, events: Sequence[Event]) -> None:
        """Count the session; what is true after it follows from the plan."""
        self.sessions += 1

    def units(self) -> list[Unit] | None:
        """Return None: the memory is one text."""
        return None

    def dump(self) -> dict[str, Any]:
        """Return the state to save, with the program where the agent wrote one."""
        state: dict[str, Any] = {"sessions": self.sessions}
        files = self.files(self.sessions)
        return {**state, "files": dict(files)} if files else state

    def load(self, state: dict[str, Any]) -> None:
        """Restore a saved state."""
        self.sessions = state["sessions"]

    def apply(self, event: str, **args: Any) -> None:
        """Lose nothing at a lifecycle event."""

    def check_out(self, folder: str, files: Mapping[str, str]) -> None:
        """Leave it: what the agent's files hold follows from the plan."""

    def configure(self, **options: Any) -> None:
        """Ignore the options: there is nothing to configure."""


def perfect_memory(plan: Plan, point: int, history: bool = False) -> list[str]:
    """The sentences of a memory that is complete and up to date at a point.

    With `history` the first sentence of a fact that changed stands before the current one.
    """
    sentences = []
    for fact in plan.graph.facts:
        versions = fact.needed_at(point, history)
        sentences += [version.sentence for version in versions]

    for account in plan.graph.accounts:
        if account.session >= point:
            continue

        sentences.append(account.sentence)
        for delta in account.deltas:
            if delta.session < point:
                sentences.append(delta.sentence)

    return sentences


class BoundAgent(Agent):
    """An agent with a known score: `say` answers a question from a text, `do` replies to a task,
    and `hand` does or declines a task that is done through tools.
    """

    memory: PerfectMemory

    def __init__(self, plan: Plan, say: Speech, do: Speech, hand: Hand | None = None) -> None:
        self.memory = PerfectMemory(PerfectTexts(plan))
        self.say = say
        self.do = do
        self.hand = hand
        self._read: tuple[int, str] = (-1, "")
        self._material = ""  # of the current session

    def _text(self) -> str:
        # Read once per point: every probe of a point sees the same memory.
        if self._read[0] != self.memory.sessions:
            self._read = (self.memory.sessions, self.memory.read(""))

        return self._read[1]

    def act(self, text: str, tools: Sequence[Tool], emit: Emit) -> str:
        """Reply to the task at the end of the session's text."""
        material, _, task = text.rpartition("\n\n")
        self._material = material or self._material
        emit(Event(step=0, role="user", content=text))
        act = None
        if self.hand is not None and any(tool.decides for tool in tools):
            act = self.hand(task, f"{self._text()}\n\n{self._material}", tools)
        if act is not None:
            tool = next(tool for tool in tools if tool.name == act.tool)
            tool.run(act.arguments)
        reply = self.do(task, self._text())
        emit(Event(step=0, role="assistant", content=reply))

        return reply

    def ask(self, question: str, context: str | None = None) -> Answer:
        """Answer from the context, or from the memory where none is put in front of the agent."""
        if context is None:
            context = self._text()

        return Answer(self.say(question, context))

    def end_session(self) -> None:
        """Write the session to the memory."""
        self.memory.write([])
        self._material = ""

    def fork(self) -> BoundAgent:
        """Return the agent itself: asking changes nothing here."""
        return self

    def dump(self) -> dict[str, Any]:
        """Return the state to save."""
        return self.memory.dump()

    def load(self, state: dict[str, Any]) -> None:
        """Restore a saved state."""
        self.memory.load(state)


def bound_agent(name: str, plan: Plan) -> BoundAgent:
    """Return one of the bounding agents for a plan."""
    if name == "oracle":
        return _oracle(plan)
    if name in GUESSERS:
        return _guesser(name, plan)
    if name == "committer":
        return _committer(plan)

    passage = foreign_passage(plan) if name == "unrelated" else ""

    def echo(question: str, text: str) -> str:
        return question

    def refuse(question: str, text: str) -> str:
        return "I'm sorry, I can't help with that."

    def answer_from_passage(question: str, text: str) -> str:
        return answer(question, passage, enough=0)

    def respond_from_passage(question: str, text: str) -> str:
        return respond(question, passage)

    def recite(question: str, text: str) -> str:
        return text

    speeches: dict[str, tuple[Speech, Speech]] = {
        "blank": (_silence, _silence),
        "echo": (echo, echo),
        "refuser": (refuse, refuse),
        "unrelated": (answer_from_passage, respond_from_passage),
        "dump": (recite, recite),
        "reader": (answer, respond),
    }
    say, do = speeches[name]

    def decline(request: str, text: str, tools: Sequence[Tool]) -> Act:
        return Act("decline", {"reason": refuse(request, text)})

    def act_from_passage(request: str, text: str, tools: Sequence[Tool]) -> Act | None:
        return embedded_act(request, passage, tools)

    hands: dict[str, Hand] = {
        "refuser": decline,
        "unrelated": act_from_passage,
        "reader": embedded_act,
    }
    return BoundAgent(plan, say, do, hands.get(name))


def embedded_act(request: str, text: str, tools: Sequence[Tool]) -> Act | None:
    """What the embedded model does about a request, with this text in its memory."""
    messages = [Message("system", f"<memory>{text}</memory>"), Message("user", request)]
    calls = Extractive().complete(messages, tools).tool_calls
    return Act(calls[0].name, dict(calls[0].arguments)) if calls else None


def gold_answer(probe: Probe) -> str:
    """The right answer to a probe, in its form."""
    values = [value.text for value in probe.required]
    return in_form(probe.form, values, probe.labels, probe.choice)


AGENTS = ("oracle", *KNOW_NOTHING, *GUESSERS, "committer", "dump", "reader")


def _guesser(name: str, plan: Plan) -> BoundAgent:
    guesses: dict[tuple[int, str], str] = {}
    for probe in plan.probes:
        guesses[probe.t, probe.prompt] = guess(name, plan, probe)

    agent: BoundAgent

    def say(question: str, text: str) -> str:
        return guesses[agent.memory.sessions, question]

    agent = BoundAgent(plan, say, _silence)
    return agent


def _committer(plan: Plan) -> BoundAgent:
    tasks = _tasks_by_request(plan)
    agent: BoundAgent

    def hand(request: str, text: str, tools: Sequence[Tool]) -> Act | None:
        task = tasks[agent.memory.sessions, request]
        if task.asks is None:
            return None
        arguments = dict(task.asks.arguments)
        if task.cites is not None:
            arguments[task.cites] = "whatever it was"
        return _accepted(task.asks.tool, arguments, tools)

    agent = BoundAgent(plan, _silence, _silence, hand)
    return agent


def _silence(question: str, text: str) -> str:
    return ""


def _tasks_by_request(plan: Plan) -> dict[tuple[int, str], Task]:
    # By session too: a rule may change, and the same request then ends the other way.
    tasks: dict[tuple[int, str], Task] = {}
    for session in plan.sessions:
        for task in session.tasks:
            request = task.text.rpartition("\n\n")[2]
            tasks[session.index, request] = task
    return tasks


def _oracle(plan: Plan) -> BoundAgent:
    tasks = _tasks_by_request(plan)
    gold: dict[tuple[int, str], str] = {}
    for probe in plan.probes:
        gold[probe.t, probe.prompt] = gold_answer(probe)

    agent: BoundAgent

    def say(question: str, text: str) -> str:
        return gold[agent.memory.sessions, question]

    def do(request: str, text: str) -> str:
        task = tasks[agent.memory.sessions, request]
        if task.solution is not None:
            return f"```python\n{task.solution}```"

        return REFUSED if task.expected == "flag" else DONE

    def hand(request: str, text: str, tools: Sequence[Tool]) -> Act | None:
        task = tasks[agent.memory.sessions, request]
        return _right_act(plan, agent.memory.sessions, task, tools)

    agent = BoundAgent(plan, say, do, hand)
    return agent


def _right_act(plan: Plan, session: int, task: Task, tools: Sequence[Tool]) -> Act | None:
    """The act that a task expects: it declines, or does what is asked with what holds now."""
    if task.asks is None:
        return None
    if task.expected == "flag":
        return Act("decline", {"reason": "A rule forbids it."})

    arguments = dict(task.asks.arguments)
    version = plan.graph.by_id[task.fact].at(session + 1)
    if task.cites is not None and version is not None:
        arguments[task.cites] = version.value.text
    return _accepted(task.asks.tool, arguments, tools)


def _accepted(name: str, arguments: Mapping[str, Any], tools: Sequence[Tool]) -> Act:
    """An act with those of the arguments that its tool takes."""
    tool = next(tool for tool in tools if tool.name == name)
    accepted = tool.parameters["properties"]
    return Act(name, {key: value for key, value in arguments.items() if key in accepted})


def bounds_of_seed(
    scenario_name: str,
    preset: str,
    sessions: int,
    seed: int,
    execute: bool = False,
) -> list[BoundFigure]:
    """Return every figure of every bounding agent in one life; `execute` runs the code it wrote."""
    scenario = load_scenario(scenario_name)
    plan = plan_for(scenario, preset, None, sessions, seed)
    texts = PerfectTexts(plan)
    results = []

    for name in AGENTS:
        record = InMemory()
        agent = bound_agent(name, plan)
        agent.memory.texts = texts
        agent.memory.files = _program_of(name, plan, scenario)
        life = Life(plan, scenario, System.of_agent(agent), record)
        life.live()

        code = _executed(plan, record) if execute else []
        # At point 1 a guess is drawn from the very session that told the fact.
        first_point = 2 if name in GUESSERS else 1
        figures = life_figures(
            life.evidence(code),
            memory=name == "reader",
            first_point=first_point,
        )

        for metric, value in figures.items():
            whose = "perfect_memory" if reads_memory(metric) else name
            results.append(BoundFigure(whose, metric, value, seed))

    if reads_memory(plan.headline):
        value = _keywords_in_passage(plan)
        results.append(BoundFigure("unrelated", f"{PAPER}headline.{plan.headline}", value, seed))
    return results


def _program_of(name: str, plan: Plan, scenario: Scenario) -> Program:
    """What an agent keeps as its program: a right one, its request, or nothing."""
    if not plan.checks_workspace:
        return _no_files
    entry = plan.checks[0].entry if plan.checks else "notes/ticket.md"

    def right(sessions: int) -> Mapping[str, str]:
        return scenario.solution(plan, sessions)

    def request(sessions: int) -> Mapping[str, str]:
        if sessions == 0:
            return {}
        tasks = plan.sessions[sessions - 1].tasks
        texts = [task.text for task in tasks if task.solution is not None or plan.tickets]
        return {entry: texts[0]}

    programs: dict[str, Program] = {"oracle": right, "echo": request}
    return programs.get(name, _no_files)


def _executed(plan: Plan, record: InMemory) -> list[CodeCheck]:
    states = [(t, record.states[str(t)]) for t in range(1, plan.n_sessions + 1)]
    programs = program_checks(plan, states) + ticket_checks(plan, states)
    return code_checks(plan, record.events) + programs


def _keywords_in_passage(plan: Plan) -> float | None:
    """The paper's headline of a memory that holds nothing but a foreign passage."""
    passage = foreign_passage(plan)
    watch = KeywordWatch(plan)
    for _ in watch.watch((t, passage) for t in range(1, plan.n_sessions + 1)):
        pass
    curve = headline_curve(plan, [], watch)
    return sum(m for _, m, _ in curve) / len(curve) if curve else None


def reads_memory(metric: str) -> bool:
    """Whether a figure reads the memory's text, which is perfect for every agent here."""
    return metric.rpartition(".")[2] in MEMORY_METRICS


def bounds(
    scenarios: Sequence[str],
    seeds: Sequence[int],
    sessions: int,
    presets: Sequence[str],
    workers: int = 1,
    progress: Callable[[], None] | None = None,
) -> BoundsReport:
    """Return a row per scenario, pressure, agent and metric, and every bound that is broken."""
    rows: list[BoundRow] = []

    for scenario in scenarios:
        for preset in presets:
            # Only the first few lives have their code executed.
            jobs = [
                (scenario, preset, sessions, seed, number < CODE_SEEDS)
                for number, seed in enumerate(seeds)
            ]
            values: dict[tuple[str, str], list[float]] = {}

            for figures in run_jobs(bounds_of_seed, jobs, workers):
                for figure in figures:
                    if figure.value is not None:
                        key = (figure.agent, figure.metric)
                        values.setdefault(key, []).append(figure.value)

                if progress:
                    progress()

            for (agent, metric), lives in values.items():
                row = BoundRow(
                    scenario=load_scenario(scenario).id,
                    agent=agent,
                    metric=metric,
                    pressure=preset,
                    sessions=sessions,
                    min=min(lives),
                    mean=sum(lives) / len(lives),
                    max=max(lives),
                    n=len(lives),
                )
                rows.append(row)

    paper = [row for row in rows if row.metric.startswith(PAPER)]
    ours = [row for row in rows if not row.metric.startswith(PAPER)]
    higher = [row for row in ours if row.metric not in LOWER_IS_BETTER]
    lower = [row for row in ours if row.metric in LOWER_IS_BETTER]
    broken = [*broken_bounds(higher), *broken_conduct(lower)]

    return BoundsReport(higher, lower, broken, ok=not broken, paper=paper)


def broken_bounds(rows: Sequence[BoundRow]) -> Iterator[str]:
    """Yield every bound that a row breaks, in words."""
    reader_means = {}
    for row in rows:
        if row.agent == "reader":
            reader_means[row.scenario, row.pressure, row.metric] = row.mean

    for row in rows:
        agent = row.agent
        mean = row.mean
        key = (row.scenario, row.pressure, row.metric)
        where = " ".join(key)

        if agent in ("oracle", "perfect_memory") and row.min < 1.0:
            yield f"{where}: {agent} scores {row.min:.3f} in its worst life, not 1"

        if agent in KNOW_NOTHING and (mean > FLOOR_MEAN or row.max > FLOOR_MAX):
            yield f"{where}: {agent} scores {mean:.3f} on average and {row.max:.3f} at most"

        is_guess = agent in GUESSERS and row.metric in RECALL
        if is_guess and _guesses_compete(row) and mean > GUESS_MEAN:
            yield f"{where}: {agent} scores {mean:.3f} on average from t = 2 on"

        if agent == "dump" and mean > reader_means[key]:
            yield f"{where}: dump ({mean:.3f}) beats reader"


def _guesses_compete(row: BoundRow) -> bool:
    """Return whether enough values and lives stand against a guess; else its floor is reported."""
    preset = PRESETS.get(row.pressure)
    is_small = preset is not None and preset.tokens_per_session < GUESS_TOKENS
    return row.sessions >= LONG_ENOUGH and row.n >= GUESS_LIVES and not is_small


# What agents get whose conduct is known, on the figures where lower is better.
CONDUCT = {
    ("oracle", "cvr"): 0.0,
    ("oracle", "over_refusal_rate"): 0.0,
    ("refuser", "cvr"): 0.0,
    ("refuser", "over_refusal_rate"): 1.0,
    ("committer", "cvr"): 1.0,
    ("committer", "over_refusal_rate"): 0.0,
}


def broken_conduct(rows: Sequence[BoundRow]) -> Iterator[str]:
    """Yield every figure of conduct that is not what the agent did, in words."""
    for row in rows:
        known = CONDUCT.get((row.agent, row.metric))
        if known is None or row.min == row.max == known:
            continue
        where = f"{row.scenario} {row.pressure} {row.metric}"
        yield f"{where}: {row.agent} has {row.min:.3f} to {row.max:.3f}, not {known:g}"
