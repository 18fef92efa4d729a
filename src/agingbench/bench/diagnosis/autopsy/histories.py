"""When a memory stated what: everything that was told, followed through every write and every
lifecycle event.

A store is compared line by line with the one before it, and only new lines are taken apart, so the
work grows with what was written and not with how long it is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from agingbench import text as matcher
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.plan.facts import Account, Fact, Reading
from agingbench.bench.plan.plan import Plan
from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.text import Value
from agingbench.traces.files import read_json
from agingbench.trials.run_folder import CONTROLLER_ACTION, WRITE
from agingbench.trials.snapshots import unpack

EVENT = "event"
STILL_THERE = "still_there"
NEVER_WRITTEN = "never_written"
LOST = "lost"

_SNAPSHOT = re.compile(r"memory/([0-9]{1,6})\.json")
# How a sentence that names a member of a list and the list says that it is on it no longer.
_TAKES_BACK = re.compile(
    r"\b(?:off|cancel\w*|drop(?:s|ped)?|remov\w+|withdr\w+|retract\w*|revok\w+|delet\w+|forget|no"
    r" longer|not"
    r"|any ?more|any longer|crossed out)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Told:
    """Something that a session's text told and a memory may state: a value, or that a value was
    taken back.
    """

    owner: str  # the fact or account
    part: (
        str  # v0, v1 … its versions, b0, b1 … the balances, d1, d2 … the movements, or `retraction`
    )
    session: int
    subject: tuple[str, ...]
    value: Value

    @property
    def takes_back(self) -> bool:
        return self.part == "retraction"

    def stated_by(self, sentences: Reading, text: str) -> bool:
        """Does this one sentence say it?"""
        if not sentences.states_fact(self.subject, self.value):
            return False
        return (
            not self.takes_back
            or bool(_TAKES_BACK.search(text))
            or not matcher.states_plainly(text, self.value)
        )


@dataclass(frozen=True)
class Step:
    """What may change a store: the write that ends a session, or the lifecycle events at a point."""

    kind: str
    point: int  # the first point that sees the store as it is after the step
    session: int | None = None
    events: tuple[str, ...] = ()

    def __str__(self) -> str:
        return (
            f"write of session {self.session}" if self.kind == WRITE else " and ".join(self.events)
        )

    def as_json(self) -> dict[str, Any]:
        where = {"session": self.session} if self.kind == WRITE else {"events": list(self.events)}
        return {"step": self.kind, "point": self.point, **where}


@dataclass(frozen=True)
class Fate:
    """What became of something told, up to a step: where it was first and last stated, lost, and
    found again.
    """

    state: str
    first_stated: Step | None
    last_stated: Step | None
    lost_at: Step | None  # of what was never written, the write that should have
    losses: tuple[Step, ...] = ()
    returns: tuple[Step, ...] = ()


@dataclass
class History:
    """Which of the things told each state of a store states."""

    told: Sequence[Told]
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.place = {(t.owner, t.part): n for n, t in enumerate(self.told)}
        self._by_key: dict[str, dict[str | None, list[int]]] = {}
        for number, told in enumerate(self.told):
            self._by_key.setdefault(told.value.kind, {}).setdefault(
                matcher.key(told.value), []
            ).append(number)
        self._turns: list[list[int]] = [
            [] for _ in self.told
        ]  # steps at which it was stated, not stated, stated …
        self._count = [0] * len(self.told)
        self._lines: set[str] = set()
        self._in_line: dict[str, tuple[int, ...]] = {}
        self._in_sentence: dict[str, tuple[int, ...]] = {}

    def follow(self, step: Step, text: str) -> None:
        """The store as it is after the next step."""
        lines = set(text.split("\n"))
        number = len(self.steps)
        changed = Counter[int]()
        for line in lines - self._lines:
            changed.update(self._stated_in(line))
        for line in self._lines - lines:
            changed.subtract(self._in_line.pop(line))
        for told, difference in changed.items():
            before = self._count[told]
            after = self._count[told] + difference
            self._count[told] = after
            if (before > 0) != (after > 0):
                self._turns[told].append(number)
        self._lines = lines
        self.steps.append(step)

    def _stated_in(self, line: str) -> tuple[int, ...]:
        found = dict.fromkeys(
            n for sentence in matcher.sentences(line) for n in self._of_sentence(sentence)
        )
        self._in_line[line] = tuple(found)
        return self._in_line[line]

    def _of_sentence(self, sentence: str) -> tuple[int, ...]:
        if sentence not in self._in_sentence:
            reading = Reading(sentence)
            self._in_sentence[sentence] = tuple(
                n for n in self._candidates(sentence) if self.told[n].stated_by(reading, sentence)
            )
        return self._in_sentence[sentence]

    def _candidates(self, sentence: str) -> Iterator[int]:
        for kind, by_key in self._by_key.items():
            for key in (*sorted(matcher.keys(sentence, kind)), None):
                yield from by_key.get(key, ())

    @cached_property
    def _step_of_point(self) -> dict[int, int]:
        return {step.point: number for number, step in enumerate(self.steps)}

    @cached_property
    def _write_of_session(self) -> dict[int, int]:
        return {step.session: n for n, step in enumerate(self.steps) if step.session is not None}

    def step_at(self, point: int) -> int:
        """The last step that a probe at this point sees."""
        return self._step_of_point[point]

    def stated(self, told: Told, step: int) -> bool:
        """Does the store state it after this step?"""
        return bisect_right(self._turns[self.place[told.owner, told.part]], step) % 2 == 1

    def state(self, told: Told, step: int) -> tuple[str, Step | None]:
        """What has become of it by this step, and where it was lost; what was never written, at its
        own write.
        """
        turns = self._turns[self.place[told.owner, told.part]]
        first = self._write_of_session[told.session]
        seen = bisect_right(turns, step)
        if seen % 2 == 1:
            return STILL_THERE, None
        if seen and turns[seen - 1] > first:
            return LOST, self.steps[turns[seen - 1]]
        return NEVER_WRITTEN, self.steps[first]

    def fate(self, told: Told, step: int) -> Fate:
        """What became of it from the write of its own session up to this step."""
        turns = self._turns[self.place[told.owner, told.part]]
        steps = self.steps
        first = self._write_of_session[told.session]
        state, lost_at = self.state(told, step)
        if state == NEVER_WRITTEN:
            return Fate(state, None, None, lost_at)
        now = self.stated(told, first)
        stated_at = [first] if now else []
        losses: list[int] = []
        returns: list[int] = []
        for n in turns[bisect_right(turns, first) : bisect_right(turns, step)]:
            now = not now
            (returns if now else losses).append(n)
            stated_at.append(n if now else n - 1)
        last = steps[step if now else stated_at[-1]]
        return Fate(
            state,
            steps[stated_at[0]],
            last,
            lost_at,
            tuple(steps[n] for n in losses),
            tuple(steps[n] for n in returns),
        )


# -- what a plan tells


def told_by(plan: Plan) -> list[Told]:
    """Everything that a life's text tells: versions, retractions of list members, balances and
    movements.
    """
    out: list[Told] = []
    for fact in plan.graph.facts:
        out += versions_of(fact)
        if (retraction := retraction_of(fact)) is not None:
            out.append(retraction)
    for account in plan.graph.accounts:
        out += [*balances_of(account), *movements_of(account)]
    return out


def versions_of(fact: Fact) -> list[Told]:
    return [
        Told(fact.id, f"v{n}", v.session, fact.subject, v.value)
        for n, v in enumerate(fact.versions)
    ]


def retraction_of(fact: Fact) -> Told | None:
    """The retraction of a list's member; other facts are no longer asked for once they are
    retracted.
    """
    if fact.group is None or fact.retracted_at is None:
        return None
    return Told(fact.id, "retraction", fact.retracted_at, fact.subject, fact.versions[-1].value)


def balances_of(account: Account) -> list[Told]:
    """What the account held at its opening and after each movement: any of them spares what came
    before it.
    """
    running = account.opening
    out = [_of_account(account, "b0", account.session, account.opening)]
    for number, delta in enumerate(account.deltas, 1):
        running += delta.amount
        out.append(_of_account(account, f"b{number}", delta.session, running))
    return out


def movements_of(account: Account) -> list[Told]:
    return [
        _of_account(account, f"d{n}", d.session, abs(d.amount))
        for n, d in enumerate(account.deltas, 1)
    ]


def _of_account(account: Account, part: str, session: int, amount: int) -> Told:
    return Told(account.id, part, session, (account.name,), Value("number", f"${amount:,}"))


# -- what a life's files hold


def history_of(run: RunDirectory, plan: Plan, events: Sequence[Event]) -> History:
    """The history of a life's store, from its snapshots."""
    history = History(told_by(plan))
    for step, text in states_of(run, plan.n_sessions, events):
        history.follow(step, text)
    return history


def states_of(
    run: RunDirectory, sessions: int, events: Sequence[Event]
) -> Iterator[tuple[Step, str]]:
    """The store's text after every write, after what a controller did to it then, and after the
    events of a point.

    `<t>_written.json` is the store before a controller's actions, `<t>_before.json` before the
    lifecycle events.
    """
    acted, suffered = _done_to_memory(events)
    for point in range(1, sessions + 1):
        last = run.snapshot(point - 1).text
        states = [
            (_text(file, last), names.get(point, ["an event that the trace does not name"]))
            for name, names in (("written", acted), ("before", suffered))
            if (file := run.memory / f"{point}_{name}.json").exists()
        ]
        step = Step(WRITE, point, point - 1)
        for text, names in states:
            yield step, text
            step = Step(EVENT, point, events=tuple(names))
        yield step, run.snapshot(point).text


def _done_to_memory(events: Sequence[Event]) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    # By point: what a controller had done, and which lifecycle events there were. Each names the
    # snapshot it led to.
    acted: dict[int, list[str]] = {}
    suffered: dict[int, list[str]] = {}
    for event in events:
        left = _SNAPSHOT.fullmatch(event.memory or "")
        if left is None or event.lifecycle in (None, WRITE):
            continue
        told = event.metadata or {}
        if event.lifecycle == CONTROLLER_ACTION:
            acted.setdefault(int(left[1]), []).append(
                f"controller's {told.get('action')}@{left[1]}"
            )
        else:
            tail = ",".join(f"{key}={value}" for key, value in sorted(told.items()))
            suffered.setdefault(int(left[1]), []).append(
                f"{event.lifecycle}@{left[1]}" + (f":{tail}" if tail else "")
            )
    return acted, suffered


def _text(file: Path, before: str) -> str:
    raw = read_json(file)
    try:
        text = unpack(raw["text"], before)
    except (KeyError, TypeError) as error:
        raise InputError(f"{file}: not a memory snapshot: {error}") from error
    if not isinstance(text, str):
        raise InputError(f"{file}: not a memory snapshot: its text is no text")
    return text
