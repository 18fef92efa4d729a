"""What is true in a life: facts with their versions, links, lists, look-alikes and accounts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import msgspec

from agingbench.text import matching, wording
from agingbench.text.linking import LinkedSentence, linked_sentences
from agingbench.text.values import Value

FOREVER = 10**9  # a point beyond every life


def sessions_before(point: int) -> int:
    """Return how many sessions the agent has read at a point; point 0 lies inside session 0."""
    return max(point, 1)


class Version(msgspec.Struct, frozen=True, omit_defaults=True):
    """One value of a fact, from the session whose text stated it.

    `sentence` states it without help of any other; `passage` is what the session says, where that
    is not the same.
    """

    session: int
    value: Value
    sentence: str
    passage: str = ""


class Fact(msgspec.Struct):
    """One thing the user told; a sentence is about it if it names each word of `subject`."""

    id: str
    family: str  # constraint, note, list, pair, link
    domain: str
    subject: tuple[str, ...]
    phrase: str  # how a question names it: "my monthly dining budget"
    question: str
    versions: list[Version]
    retracted_at: int | None = None
    retraction: str | None = None
    group: str | None = None  # the list it belongs to
    partner: str | None = None  # its look-alike
    points_to: str | None = None  # the fact its value leads to
    retraction_passage: str = ""  # what the session says, where that is not `retraction`

    @property
    def born(self) -> int:
        """The session that first stated the fact."""
        return self.versions[0].session

    def at(self, point: int) -> Version | None:
        """Return the version that holds at a point; None before birth and after retraction."""
        sessions = sessions_before(point)
        if self.retracted_at is not None and self.retracted_at < sessions:
            return None

        current = None
        for version in self.versions:
            if version.session >= sessions:
                break
            current = version
        return current

    def needed_at(self, point: int, history: bool = False) -> list[Version]:
        """Return the version that holds at a point, after the first one where `history` is asked.

        The list is empty where the fact does not hold.
        """
        current = self.at(point)
        if current is None:
            return []
        if history and current is not self.versions[0]:
            return [self.versions[0], current]
        return [current]

    def stale_at(self, point: int) -> list[Value]:
        """Return the values that the text once stated and that no longer hold at this point."""
        sessions = sessions_before(point)
        values = [version.value for version in self.versions if version.session < sessions]

        current = self.at(point)
        if current is None:
            return values
        return [value for value in values if value != current.value]

    def depth_at(self, point: int) -> int:
        """Count the versions that the text has stated by this point."""
        sessions = sessions_before(point)
        return sum(version.session < sessions for version in self.versions)


class Delta(msgspec.Struct, frozen=True, omit_defaults=True):
    """One movement of an account; a negative amount is money spent."""

    session: int
    amount: int
    sentence: str
    passage: str = ""


class Account(msgspec.Struct, dict=True):
    """A running balance: an opening amount and signed movements, each stated in the text."""

    id: str
    name: str
    question: str
    session: int
    opening: int
    sentence: str
    deltas: list[Delta]
    partner: str | None = None
    passage: str = ""
    unit: str = "$"  # what stands before an amount; nothing for a count

    def value(self, amount: int) -> Value:
        """Return an amount of this account as a text states it."""
        return Value("number", f"{self.unit}{amount:,}")

    def balance(self, point: int) -> int | None:
        """Return the balance at this point; None before the account exists."""
        if self.session >= sessions_before(point):
            return None
        return self._balances()[self._delta_count(point)]

    def earlier_balances(self, point: int, most: int = 6) -> list[int]:
        """Return the latest `most` balances that held before this point and no longer hold."""
        now = self.balance(point)
        history = self._balances()[: self._delta_count(point) + 1]
        earlier = [balance for balance in dict.fromkeys(history) if balance != now]
        return earlier[-most:]

    def _delta_count(self, point: int) -> int:
        sessions = sessions_before(point)
        return bisect_left(self.deltas, sessions, key=lambda delta: delta.session)

    def _balances(self) -> list[int]:
        # The balance after no movement, one, two … The list is cached on the account, since a life
        # asks at every point and movements are only appended.
        balances: list[int] = self.__dict__.setdefault("balances", [])
        if len(balances) > len(self.deltas) + 1 or balances[:1] != [self.opening]:
            balances[:] = [self.opening]

        for delta in self.deltas[len(balances) - 1 :]:
            balances.append(balances[-1] + delta.amount)
        return balances


class Span(NamedTuple):
    """A value and the points at which it holds, `first` included and `end` excluded."""

    first: int
    end: int
    value: Value


class FactGraph(msgspec.Struct, dict=True):
    """All facts and accounts of a life."""

    facts: list[Fact] = []
    accounts: list[Account] = []

    @cached_property
    def by_id(self) -> dict[str, Fact]:
        """Facts by their id."""
        return {fact.id: fact for fact in self.facts}

    @cached_property
    def account_by_id(self) -> dict[str, Account]:
        """Accounts by their id."""
        return {account.id: account for account in self.accounts}

    @cached_property
    def _spans(self) -> dict[tuple[str, str], list[Span]]:
        # By (kind, key) of the value.
        spans: dict[tuple[str, str], list[Span]] = {}
        for fact in self.facts:
            ends = [version.session for version in fact.versions[1:]] + [fact.retracted_at]
            for version, end in zip(fact.versions, ends, strict=True):
                value = version.value
                key = matching.key(value)
                if key is None:
                    continue

                last = FOREVER if end is None else end + 1
                span = Span(version.session + 1, last, value)
                spans.setdefault((value.kind, key), []).append(span)
        return spans

    def live_values_in(self, answer: str, kind: str, point: int) -> list[Value]:
        """Return the values of this kind that hold at the point and that the answer carries."""
        now = sessions_before(point)
        values = []
        known = [key for key in matching.keys(answer, kind) if (kind, key) in self._spans]
        for key in sorted(known):
            for span in self._spans[kind, key]:
                if span.first <= now < span.end:
                    values.append(span.value)
        return list(dict.fromkeys(values))

    def live(self, point: int) -> list[Fact]:
        """Return the facts that hold at a point."""
        return [fact for fact in self.facts if fact.at(point) is not None]

    def summary(self) -> dict[str, int]:
        """Count what the dials of a life move: facts, updates, retractions, pairs, links, money."""
        lengths = [len(fact.versions) for fact in self.facts]
        pairs = {frozenset((f.id, f.partner)) for f in self.facts if f.family == "pair"}
        complete = [pair for pair in pairs if None not in pair]
        return {
            "facts": len(self.facts),
            "updates": sum(lengths) - len(lengths),
            "longest_chain": max(lengths, default=0),
            "retractions": sum(fact.retracted_at is not None for fact in self.facts),
            "confusable_pairs": len(pairs),
            "complete_pairs": len(complete),
            "links": sum(fact.points_to is not None for fact in self.facts),
            "accounts": len(self.accounts),
            "deltas": sum(len(account.deltas) for account in self.accounts),
        }


class Reading:
    """A text split and indexed once, so that many facts can be looked up in it."""

    def __init__(self, text: str = "") -> None:
        self._clear()
        self._add(text)

    def follow(self, text: str) -> None:
        """Read another text; if it only extends the current one, index just the new part."""
        tail = text[len(self._text) :]
        if not text.startswith(self._text) or not tail.startswith("\n"):
            self._clear()
            tail = text
        self._add(tail)

    def states(self, value: Value) -> bool:
        """Tell whether any sentence states the value."""
        if value.kind not in self._by_key:
            self._by_key[value.kind] = {}
            self._index(value.kind, 0)

        return self._any_states(self._candidates(value), value)

    def _candidates(self, value: Value) -> Sequence[int]:
        """The sentences that may state the value."""
        index = self._by_key[value.kind]
        key = matching.key(value) or ""
        if value.kind != "name":
            return index.get(key, ())
        return min((index.get(word, ()) for word in key.split(" ")), key=len)

    def states_fact(self, subject: tuple[str, ...], value: Value) -> bool:
        """Tell whether a sentence, with what it refers back to, names the subject and states the
        value.
        """
        return self._any_states(self._naming(subject), value)

    def places(self, subject: tuple[str, ...], value: Value) -> list[int]:
        """Return the numbers of the sentences that do so, in order."""
        named = self._naming(subject)
        return [place for place in named if matching.states(self._sentences[place].text, value)]

    def whole(self, place: int) -> str:
        """Return a sentence with what it refers back to."""
        return self._sentences[place].whole

    def _naming(self, subject: tuple[str, ...]) -> list[int]:
        places: set[int] | None = None
        for ways in _subject_stems(subject):
            part_places: set[int] = set()
            for way in ways:
                part_places |= self._with_all(way)
            places = part_places if places is None else places & part_places
        return sorted(places or ())

    def _any_states(self, places: Iterable[int], value: Value) -> bool:
        return any(matching.states(self._sentences[place].text, value) for place in places)

    def _with_all(self, stems: frozenset[str]) -> set[int]:
        places = [self._by_stem.get(stem, set()) for stem in stems]
        places.sort(key=len)
        return set.intersection(*places) if places else set()

    def _clear(self) -> None:
        self._text = ""
        self._sentences: list[LinkedSentence] = []
        self._by_stem: dict[str, set[int]] = {}
        self._by_key: dict[str, dict[str, list[int]]] = {}

    def _add(self, text: str) -> None:
        first = len(self._sentences)
        self._text += text
        for sentence in linked_sentences(text):
            place = len(self._sentences)
            for word in wording.words(sentence.whole):
                self._by_stem.setdefault(wording.stem(word), set()).add(place)
            self._sentences.append(sentence)

        for kind in self._by_key:
            self._index(kind, first)

    def _index(self, kind: str, first: int) -> None:
        # Names go by their words: all that a sentence might name would be many times as much.
        keys_of = matching.words_of_names if kind == "name" else partial(matching.keys, kind=kind)
        index = self._by_key[kind]
        for place in range(first, len(self._sentences)):
            for key in keys_of(self._sentences[place].text):
                index.setdefault(key, []).append(place)


@lru_cache(maxsize=65536)
def _subject_stems(subject: tuple[str, ...]) -> tuple[tuple[frozenset[str], ...], ...]:
    # Cached, since the same subjects are looked up at every point.
    parts = []
    for part in subject:
        ways = []
        for way in part.split("|"):
            stems = frozenset(wording.stem(word) for word in wording.words(way))
            ways.append(stems)
        parts.append(tuple(ways))
    return tuple(parts)


def states_fact(text: str | Reading, fact: Fact, point: int) -> bool:
    """Tell whether a sentence of the text, with what it refers back to, names the fact and states
    its value at this point.
    """
    version = fact.at(point)
    if version is None:
        return False
    reading = text if isinstance(text, Reading) else Reading(text)
    return reading.states_fact(fact.subject, version.value)
