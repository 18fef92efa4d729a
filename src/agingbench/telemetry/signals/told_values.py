"""Outdated values found from what was said: which words go with which value, and what held when.

A *subject* is a word or two that sentences with values have in common. No list of words decides:
a subject is accepted where, of the values that were told with it, calls and answers mostly give the
one told last. It needs no argument that says which thing is meant, so a value is found however it
is packed, and under whatever name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import msgspec
import numpy as np

from agingbench.records import Source
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.slot_log import LEAST_LENGTH, SlotUse
from agingbench.telemetry.sessions.told_log import Mention, Statement, ToldLog
from agingbench.telemetry.signals.value_uses import MOST_EVIDENCE, ValueUses

LEAST_STATEMENTS = 3  # of a subject
LEAST_VALUES = 2  # that were told of it
LEAST_COMMON = (4, 3)  # the same, where its values are told of other things as well
LEAST_OPPORTUNITIES = 8  # of a subject
LEAST_OF_ITS_OWN = 4  # of one whose values are told of nothing else
CURRENT = 0.6  # share of the opportunities in which the value told last is given
EXPECTED = 0.75  # the same, below which a subject is rather a mixture of several
SAME_SHAPE = 0.7  # share of the values of a subject that are written alike
COMMON = 0.2  # share of all sentences of the user above which a word names nothing
SELDOM = 0.1  # share of its uses in small letters, up to which a word is a name
BEYOND_CHANCE = 0.2  # what that share exceeds the one of blind choice by
TOLD_AGAIN = 0.7  # values over mentions in statements, above which each is told once
KEPT = 0.3  # share of the uses in a later session than it was told in, below which that is an id
RECENT = 4  # last values of a subject that count; an older one is no slip
LATER = 0.3  # share of the uses that come after the turn in which their value was told
RETURNS = 0.35  # share of the changes that go back to an earlier value, at most
USUAL = 0.3  # share of the statements above which a word says nothing
SLOT = 0.04  # share of an argument's values that are of a subject, for it to count
LEAST_IN_SLOT = 3
MOST_SUBJECTS = 600  # words and pairs that are looked at
MOST_STATEMENTS = 6_000
MOST_VALUES = 4  # of one statement
MOST_ALIASES = 3
HALF = 0.5
MOSTLY = 0.8
_FILE = re.compile(  # the name of a file is no setting
    r"\.(?:[jt]sx?|py|rs|go|java|kt|rb|c|h|cc|cpp|sql|md|txt|csv|json|ya?ml|toml|sh|html|css|log)$"
)
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_LETTERS = re.compile(r"[^\W\d_]+")

Subject = tuple[int, ...]  # the words that a statement has to hold


class Given(msgspec.Struct, frozen=True, gc=False):
    """One use of a value of which several had been told."""

    time: float
    session: int
    record: int  # the call, or the sentence of the agent
    value: int
    current: int
    source: Source | None
    is_exact: bool  # the value is told of nothing else

    @property
    def stale(self) -> bool:
        """Whether another value had replaced it."""
        return self.value != self.current


@dataclass
class Held:
    """Which value held since when, and the uses of these values."""

    subjects: list[Subject]
    statements: set[int]
    times: list[float] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    uses: list[Given] = field(default_factory=list)
    turns: list[int] = field(default_factory=list)  # in which each value was told
    chance: float = 0.0
    sessions: list[int] = field(default_factory=list)  # in which each value was told
    told_once: bool = False
    is_own: bool = False  # its values are told of nothing else
    later: int = 0  # uses after the turn in which the value that holds was told
    kept: int = 0  # uses after the session in which it was told

    @property
    def gain(self) -> float:
        """How much speaks for this being one subject."""
        return self.beyond(CURRENT if self.is_own else EXPECTED)

    def beyond(self, share: float) -> float:
        """Return the uses of what was told last, beyond a share of all."""
        current = sum(not use.stale for use in self.uses)
        return current - share * len(self.uses)

    def is_one(self) -> bool:
        """Return whether what is given is mostly what was told last."""
        n = len(self.uses)
        least = LEAST_OF_ITS_OWN if self.is_own else LEAST_OPPORTUNITIES
        if n < least or self.later < LATER * n:
            return False
        if self.told_once and self.kept < KEPT * n:
            return False

        share = sum(not use.stale for use in self.uses) / n
        return share >= max(CURRENT, self.chance / n + BEYOND_CHANCE)


def told_uses(trace: TraceSessions, without: frozenset[Source | None]) -> ValueUses:
    """Return the uses of all accepted subjects, in order of time; records of `without` not."""
    log = trace.told
    if len(log.statements) < LEAST_STATEMENTS or not log.mentions:
        return _value_uses(log, [], 0)

    reader = _Reader(log, trace)
    rows: list[Given] = []
    subjects = reader.subjects()
    for held in subjects:
        for use in held.uses:
            if use.source not in without:
                rows.append(use)

    rows.sort(key=lambda row: (row.time, row.session))
    exact = sum(row.is_exact for row in rows)
    return _value_uses(log, rows, len(subjects), exact)


def _value_uses(log: ToldLog, rows: Sequence[Given], subjects: int, exact: int = 0) -> ValueUses:
    hits = np.array([float(row.stale) for row in rows])
    stale = [row for row in rows if row.stale][-MOST_EVIDENCE:]
    return ValueUses(
        session=np.array([row.session for row in rows], dtype=np.intp),
        stale=hits,
        value=hits,
        entities=subjects,
        exact=exact,
        evidence=[(row.session, row.source) for row in stale],
        given=[(log.texts[row.value], log.texts[row.current]) for row in stale],
        places=frozenset([row.source for row in rows]),
    )


class _Reader:
    """Looks for subjects in what one trace tells."""

    def __init__(self, log: ToldLog, trace: TraceSessions) -> None:
        self.log = log
        self.rank = {session.arrival: i for i, session in enumerate(trace.sessions)}
        self.timed = not trace.logical
        self.mentions_of: dict[int, list[int]] = {}
        self.slot_sizes: dict[int, int] = {}
        self.taken: set[tuple[int, int]] = set()
        self.shapes: dict[int, str] = {}
        self._index_mentions()
        self.own_uses: dict[str, list[SlotUse]] = {}  # by the text of the value
        for use in trace.slots.uses:
            for value in use.values:
                self.own_uses.setdefault(trace.slots.texts[value], []).append(use)

        self.slot_texts = trace.slots.texts
        self.statements = self._with_values()
        self.statements_of: dict[int, int] = {}  # value -> how many statements tell it
        for values in self.statements.values():
            for value in values:
                self.statements_of[value] = self.statements_of.get(value, 0) + 1

    def _when(self, row: Statement | Mention | SlotUse) -> float:
        if self.timed and row.time == row.time:
            return row.time + row.order * 1e-9
        return self.rank[row.session] + row.order * 1e-9

    def _index_mentions(self) -> None:
        for number, row in enumerate(self.log.mentions):
            if row.session not in self.rank:
                continue
            self.slot_sizes[row.slot] = self.slot_sizes.get(row.slot, 0) + 1
            for word in row.words:
                self.mentions_of.setdefault(word, []).append(number)

    def _with_values(self) -> dict[int, tuple[int, ...]]:
        """Return the values of the statements that tell any, by the number of the statement."""
        found = {}
        for number, row in enumerate(self.log.statements):
            if row.session not in self.rank:
                continue
            values = tuple([word for word in row.marked if self._may_be_value(word)])
            if 0 < len(values) <= MOST_VALUES:
                found[number] = values
            if len(found) >= MOST_STATEMENTS:
                break

        return found

    def _may_be_value(self, word: int) -> bool:
        """Return whether a word that looks like a value is given anywhere, and is no plain word."""
        log = self.log
        text = log.texts[word]
        if len(text) >= LEAST_LENGTH and _has_digit(text):
            return True
        if word not in self.mentions_of:
            return False

        return log.plain.get(word, 0) <= SELDOM * log.said.get(word, 0) or _has_digit(text)

    def _shape(self, value: int) -> str:
        found = self.shapes.get(value)
        if found is None:
            found = self.shapes[value] = shape_of(self.log.texts[value])
        return found

    def subjects(self) -> list[Held]:
        """Return the accepted subjects, the clearest first; each use belongs to one of them."""
        candidates = []
        for subject, numbers in self._candidates().items():
            held = self._held([subject], numbers)
            if held is not None and held.gain > 0:
                candidates.append(held)

        candidates.sort(key=lambda held: -held.gain)
        accepted = []
        for held in candidates:
            fresh = self._held(held.subjects, held.statements)
            if fresh is None or not fresh.is_one():
                continue

            fresh = self._with_aliases(fresh, candidates)
            self.taken.update((use.record, use.value) for use in fresh.uses)
            accepted.append(fresh)

        return accepted

    def _with_aliases(self, held: Held, others: Iterable[Held]) -> Held:
        """Return a subject with other words for it: those told with the same values."""
        best = held
        for _ in range(MOST_ALIASES):
            own = set(best.values)
            grown = best
            for other in others:
                shared = len(own & set(other.values))
                if shared < 2 or shared < HALF * min(len(own), len(set(other.values))):
                    continue
                if other.statements <= best.statements:
                    continue

                both = self._held(
                    [*best.subjects, *other.subjects], best.statements | other.statements
                )
                if (
                    both is not None
                    and both.is_one()
                    and both.beyond(CURRENT) > grown.beyond(CURRENT)
                ):
                    grown = both
            if grown is best:
                break
            best = grown

        return best

    def _candidates(self) -> dict[Subject, set[int]]:
        """Return words and pairs of neighbouring words with the statements that hold them."""
        found: dict[Subject, set[int]] = {}
        for number, values in self.statements.items():
            row = self.log.statements[number]
            words = [word for word in row.words if word not in values and self._names(word)]
            for place, word in enumerate(words):
                found.setdefault((word,), set()).add(number)
                for other in words[place + 1 : place + 3]:
                    found.setdefault((word, other), set()).add(number)

        most = max(3 * LEAST_STATEMENTS, USUAL * len(self.statements))
        kept = {}
        for subject, numbers in found.items():
            if not LEAST_STATEMENTS <= len(numbers) <= most:
                continue
            told = {value for number in numbers for value in self.statements[number]}
            if len(told) >= LEAST_VALUES:
                kept[subject] = numbers

        ranked = sorted(kept, key=lambda subject: (-len(kept[subject]), subject))
        return {subject: kept[subject] for subject in ranked[:MOST_SUBJECTS]}

    def _names(self, word: int) -> bool:
        """Return whether a word may say what a sentence is about."""
        sentences = max(1, self.log.sentences)
        return len(self.log.texts[word]) > 2 and self.log.said.get(word, 0) <= COMMON * sentences

    def _usual_shape(self, numbers: set[int]) -> str | None:
        """Return how most values of some statements are written; None where they differ."""
        counts: dict[str, int] = {}
        for number in numbers:
            for shape in {self._shape(value) for value in self.statements[number]}:
                counts[shape] = counts.get(shape, 0) + 1

        shape = max(counts, key=lambda one: (counts[one], one))
        return shape if counts[shape] >= SAME_SHAPE * len(numbers) else None

    def _held(self, subjects: list[Subject], numbers: set[int]) -> Held | None:
        """Return what held of a subject and when, with the uses of its values."""
        held = Held(subjects, numbers)
        shape = self._usual_shape(numbers)
        if shape is None:
            return None

        known: set[int] = set()
        returns = 0
        for number in sorted(numbers, key=lambda n: self._when(self.log.statements[n])):
            current = held.values[-1] if held.values else None
            row = self.log.statements[number]
            told = [value for value in self.statements[number] if self._shape(value) == shape]
            value = _announced(row, told, known, current) if told else None
            if value is None or value == current:
                continue

            returns += value in known
            known.add(value)
            held.times.append(self._when(row))
            held.values.append(value)
            held.turns.append(row.turn)
            held.sessions.append(self.rank[row.session])

        if len(known) < LEAST_VALUES or returns > RETURNS * (len(held.values) - 1):
            return None

        mentions = 0
        for number in numbers:
            mentions += sum(value in known for value in self.statements[number])
        held.told_once = len(known) > TOLD_AGAIN * mentions
        texts = [self.log.texts[value] for value in known]
        held.is_own = all(len(text) >= LEAST_LENGTH and not _FILE.search(text) for text in texts)
        held.is_own &= mentions >= MOSTLY * sum(self.statements_of[value] for value in known)
        if held.is_own:
            self._add_own_uses(held, known)
        elif held.told_once or len(numbers) < LEAST_COMMON[0] or len(known) < LEAST_COMMON[1]:
            return None

        self._add_uses(held, known)
        return held

    def _add_uses(self, held: Held, known: set[int]) -> None:
        own = {use.record for use in held.uses}
        rows: dict[int, list[int]] = {}
        slots: dict[int, int] = {}
        for value in known:
            for number in self.mentions_of.get(value, ()):
                if self.log.mentions[number].record in own:
                    continue
                slot = self.log.mentions[number].slot
                rows.setdefault(number, []).append(value)
                slots[slot] = slots.get(slot, 0) + 1

        usual = set()
        for slot, n in slots.items():
            if n >= max(LEAST_IN_SLOT, SLOT * self.slot_sizes[slot]):
                usual.add(slot)

        for number, values in rows.items():
            mention = self.log.mentions[number]
            if mention.slot < 0:
                if not _is_about(mention, held.subjects):
                    continue
            elif mention.slot not in usual:
                continue

            self._add_use(held, mention, values)

    def _add_use(self, held: Held, mention: Mention, values: list[int]) -> None:
        source = self.log.sources[mention.place]
        asked = self.log.turns.get(mention.asked, frozenset())
        self._add(held, mention, values, asked, mention.asked, source)

    def _add_own_uses(self, held: Held, known: set[int]) -> None:
        """Add the calls that give values which are told of nothing else, wherever they stand."""
        values_of = {self.log.texts[value]: value for value in known}
        rows: dict[int, SlotUse] = {}
        for text in values_of:
            rows.update((use.order, use) for use in self.own_uses.get(text, ()))

        for use in rows.values():
            if use.session in self.rank:
                texts = [self.slot_texts[value] for value in use.values]
                values = [values_of[text] for text in texts if text in values_of]
                asked = {values_of.get(self.slot_texts[value], -1) for value in use.asked}
                self._add(held, use, values, asked, use.turn, use.source)

    def _add(
        self,
        held: Held,
        row: Mention | SlotUse,
        values: list[int],
        asked: AbstractSet[int],
        turn: int,
        source: Source | None,
    ) -> None:
        """Add a use of one of the last values; `asked` are those that the user names himself."""
        time = self._when(row)
        place = bisect_left(held.times, time)
        before = held.values[:place]
        recent = list(dict.fromkeys(reversed(before)))[:RECENT]
        given = [value for value in values if value in recent]
        if len(recent) < 2 or not given:
            return

        current = before[-1]
        value = current if current in given else given[0]
        if (row.record, value) in self.taken or (value != current and value in asked):
            return

        session = self.rank[row.session]
        held.later += held.turns[place - 1] != turn
        held.kept += held.sessions[place - 1] < session
        held.chance += 1 / len(recent)
        is_exact = held.is_own
        held.uses.append(Given(time, session, row.record, value, current, source, is_exact))


def shape_of(text: str) -> str:
    """Return how a value is written: its runs of digits and of letters, and what joins them."""
    return _LETTERS.sub("a", _DIGITS.sub("9", text))


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _is_about(mention: Mention, subjects: Sequence[Subject]) -> bool:
    words = set(mention.words)
    return any(words.issuperset(subject) for subject in subjects)


def _announced(
    row: Statement, values: Sequence[int], known: set[int], current: int | None
) -> int | None:
    """Return the value that holds by a statement; None where it says nothing of that."""
    holding = [value for value in values if value not in row.past]
    if len(holding) == 1 and len(values) > 1:
        return holding[0]

    fresh = [value for value in values if value not in known]
    if len(fresh) == 1:
        return None if fresh[0] in row.past else fresh[0]
    if fresh:
        return None

    if len(values) == 1:
        return None if row.denies else values[0]
    return current if current in values else None
