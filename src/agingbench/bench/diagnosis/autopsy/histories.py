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

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.plan.facts import Account, Fact, Reading
from agingbench.bench.plan.plan import Plan
from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.text import matching
from agingbench.text.linking import linked_sentences
from agingbench.text.plain import states_plainly
from agingbench.text.values import Value
from agingbench.traces.files import read_json
from agingbench.trials.autopsy import StepRow
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
class Statement:
    """Something that a session told and a memory may state: a value, or that a value was taken
    back.

    `part` is v0, v1 … for the versions of a fact and `retraction` for its retraction, b0, b1 … for
    the balances of an account and d1, d2 … for its movements.
    """

    owner: str  # the fact or account
    part: str
    session: int
    subject: tuple[str, ...]
    value: Value

    @property
    def takes_back(self) -> bool:
        """Whether it is a retraction."""
        return self.part == "retraction"

    def stated_by(self, reading: Reading, text: str) -> bool:
        """Whether this one sentence says it."""
        if not reading.states_fact(self.subject, self.value):
            return False
        if not self.takes_back:
            return True
        return bool(_TAKES_BACK.search(text)) or not states_plainly(text, self.value)


@dataclass(frozen=True)
class StoreStep:
    """What may change a store: the write of a session, or the lifecycle events at a point."""

    kind: str
    point: int  # the first point that sees the store as it is after the step
    session: int | None = None
    events: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind == WRITE:
            return f"write of session {self.session}"
        return " and ".join(self.events)

    def row(self) -> StepRow:
        """The step as autopsy.json holds it."""
        if self.kind == WRITE and self.session is not None:
            return StepRow(
                step=self.kind,
                point=self.point,
                session=self.session,
            )
        return StepRow(
            step=self.kind,
            point=self.point,
            events=list(self.events),
        )


@dataclass(frozen=True)
class Fate:
    """What became of a statement up to a step: where it was first and last stated, lost, and found
    again.
    """

    state: str
    first_stated: StoreStep | None
    last_stated: StoreStep | None
    lost_at: StoreStep | None  # of what was never written, the write that should have
    losses: tuple[StoreStep, ...] = ()
    returns: tuple[StoreStep, ...] = ()


@dataclass
class History:
    """Which statements each state of a store holds."""

    statements: Sequence[Statement]
    steps: list[StoreStep] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._by_key: dict[str, dict[str | None, list[int]]] = {}
        for number, statement in enumerate(self.statements):
            self._numbers[statement.owner, statement.part] = number
            value = statement.value
            of_kind = self._by_key.setdefault(value.kind, {})
            of_kind.setdefault(matching.key(value), []).append(number)

        # Of every statement, the steps at which it came to be stated, no longer stated, stated …
        self._turns: list[list[int]] = [[] for _ in self.statements]
        self._count = [0] * len(self.statements)
        self._lines: set[str] = set()
        self._in_line: dict[str, tuple[int, ...]] = {}
        self._in_sentence: dict[str, tuple[int, ...]] = {}

    def follow(self, step: StoreStep, text: str) -> None:
        """Take in the text of the store as it is after the next step."""
        lines = set(text.split("\n"))
        changes = Counter[int]()
        for line in lines - self._lines:
            self._in_line[line] = self._numbers_in(line)
            changes.update(self._in_line[line])
        for line in self._lines - lines:
            changes.subtract(self._in_line.pop(line))

        for number, difference in changes.items():
            before = self._count[number]
            after = before + difference
            self._count[number] = after
            if (before > 0) != (after > 0):
                self._turns[number].append(len(self.steps))

        self._lines = lines
        self.steps.append(step)

    def _numbers_in(self, line: str) -> tuple[int, ...]:
        numbers: dict[int, None] = {}
        for linked in linked_sentences(line):
            sentence = linked.whole
            if sentence not in self._in_sentence:
                reading = Reading(sentence)
                hits = []
                for number in self._candidates(sentence):
                    if self.statements[number].stated_by(reading, sentence):
                        hits.append(number)
                self._in_sentence[sentence] = tuple(hits)

            numbers |= dict.fromkeys(self._in_sentence[sentence])
        return tuple(numbers)

    def _candidates(self, sentence: str) -> Iterator[int]:
        for kind, by_key in self._by_key.items():
            for key in (*sorted(matching.keys(sentence, kind)), None):
                yield from by_key.get(key, ())

    @cached_property
    def _step_of_point(self) -> dict[int, int]:
        return {step.point: number for number, step in enumerate(self.steps)}

    @cached_property
    def _write_of_session(self) -> dict[int, int]:
        numbers = {}
        for number, step in enumerate(self.steps):
            if step.session is not None:
                numbers[step.session] = number
        return numbers

    def step_at(self, point: int) -> int:
        """The number of the last step that a probe at this point sees."""
        return self._step_of_point[point]

    def stated(self, statement: Statement, step: int) -> bool:
        """Whether the store holds the statement after this step."""
        turns = self._turns_of(statement)
        return bisect_right(turns, step) % 2 == 1

    def _turns_of(self, statement: Statement) -> list[int]:
        return self._turns[self._numbers[statement.owner, statement.part]]

    def state(self, statement: Statement, step: int) -> tuple[str, StoreStep | None]:
        """What has become of a statement by this step, and where it was lost; for what was never
        written, its own write.
        """
        turns = self._turns_of(statement)
        own_write = self._write_of_session[statement.session]
        count = bisect_right(turns, step)
        if count % 2 == 1:
            return STILL_THERE, None

        latest = turns[count - 1] if count else -1
        if latest > own_write:
            return LOST, self.steps[latest]
        return NEVER_WRITTEN, self.steps[own_write]

    def fate(self, statement: Statement, step: int) -> Fate:
        """What became of a statement from the write of its own session up to this step."""
        state, lost_at = self.state(statement, step)
        if state == NEVER_WRITTEN:
            return Fate(state, None, None, lost_at)

        turns = self._turns_of(statement)
        own_write = self._write_of_session[statement.session]
        is_stated = self.stated(statement, own_write)
        places = [own_write] if is_stated else []
        losses: list[StoreStep] = []
        returns: list[StoreStep] = []
        first_turn = bisect_right(turns, own_write)
        last_turn = bisect_right(turns, step)
        for turn in turns[first_turn:last_turn]:
            is_stated = not is_stated
            if is_stated:
                returns.append(self.steps[turn])
                places.append(turn)
            else:
                losses.append(self.steps[turn])
                places.append(turn - 1)

        first = self.steps[places[0]]
        last = self.steps[step if is_stated else places[-1]]
        return Fate(
            state,
            first,
            last,
            lost_at,
            tuple(losses),
            tuple(returns),
        )


# -- what a plan tells


def statements_of(plan: Plan) -> list[Statement]:
    """Everything that a life's text tells: versions, retractions of list members, balances and
    movements.
    """
    statements: list[Statement] = []
    for fact in plan.graph.facts:
        statements += versions_of(fact)
        retraction = retraction_of(fact)
        if retraction is not None:
            statements.append(retraction)
    for account in plan.graph.accounts:
        statements += balances_of(account)
        statements += movements_of(account)
    return statements


def versions_of(fact: Fact) -> list[Statement]:
    """The values of a fact, in the order in which they were told."""
    return [
        Statement(
            fact.id,
            f"v{number}",
            version.session,
            fact.subject,
            version.value,
        )
        for number, version in enumerate(fact.versions)
    ]


def retraction_of(fact: Fact) -> Statement | None:
    """The retraction of a list's member; other facts are not asked for once they are retracted."""
    if fact.group is None or fact.retracted_at is None:
        return None
    value = fact.versions[-1].value
    return Statement(
        fact.id,
        "retraction",
        fact.retracted_at,
        fact.subject,
        value,
    )


def balances_of(account: Account) -> list[Statement]:
    """What the account held at its opening and after each movement; a balance that is known makes
    everything before it unnecessary.
    """
    balance = account.opening
    balances = [_of_account(account, "b0", account.session, balance)]
    for number, delta in enumerate(account.deltas, 1):
        balance += delta.amount
        balances.append(_of_account(account, f"b{number}", delta.session, balance))
    return balances


def movements_of(account: Account) -> list[Statement]:
    """The movements of an account, in order."""
    return [
        _of_account(account, f"d{number}", delta.session, abs(delta.amount))
        for number, delta in enumerate(account.deltas, 1)
    ]


def _of_account(
    account: Account,
    part: str,
    session: int,
    amount: int,
) -> Statement:
    return Statement(
        account.id,
        part,
        session,
        (account.name,),
        account.value(amount),
    )


# -- what a life's files hold


def history_of(
    run: RunDirectory,
    plan: Plan,
    events: Sequence[Event],
) -> History:
    """Follow a life's store through its snapshots."""
    history = History(statements_of(plan))
    for step, text in states_of(run, plan.n_sessions, events):
        history.follow(step, text)
    return history


def states_of(
    run: RunDirectory,
    sessions: int,
    events: Sequence[Event],
) -> Iterator[tuple[StoreStep, str]]:
    """The store's text after every write, after what a controller did to it then, and after the
    lifecycle events of a point.

    `<t>_written.json` is the store before a controller's actions, `<t>_before.json` before the
    lifecycle events.
    """
    actions, lifecycle_events = _changes_of_memory(events)
    for point in range(1, sessions + 1):
        last = run.snapshot(point - 1).text
        step = StoreStep(WRITE, point, point - 1)
        for name, changes in (("written", actions), ("before", lifecycle_events)):
            file = run.memory / f"{point}_{name}.json"
            if file.exists():
                yield step, _text(file, last)
                names = changes.get(point, ["an event that the trace does not name"])
                step = StoreStep(EVENT, point, events=tuple(names))
        yield step, run.snapshot(point).text


def _changes_of_memory(
    events: Sequence[Event],
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    # By point: what a controller had done, and which lifecycle events there were. Each names the
    # snapshot it led to.
    actions: dict[int, list[str]] = {}
    lifecycle_events: dict[int, list[str]] = {}
    for event in events:
        snapshot = _SNAPSHOT.fullmatch(event.memory or "")
        if snapshot is None or event.lifecycle in (None, WRITE):
            continue
        point = snapshot[1]
        details = event.metadata or {}
        if event.lifecycle == CONTROLLER_ACTION:
            name = f"controller's {details.get('action')}@{point}"
            actions.setdefault(int(point), []).append(name)
        else:
            options = ",".join(f"{key}={value}" for key, value in sorted(details.items()))
            name = f"{event.lifecycle}@{point}"
            if options:
                name += f":{options}"
            lifecycle_events.setdefault(int(point), []).append(name)
    return actions, lifecycle_events


def _text(file: Path, before: str) -> str:
    raw = read_json(file)
    try:
        text = unpack(raw["text"], before)
    except (KeyError, TypeError) as error:
        raise InputError(f"{file}: not a memory snapshot: {error}") from error
    if not isinstance(text, str):
        raise InputError(f"{file}: not a memory snapshot: its text is no text")
    return text
