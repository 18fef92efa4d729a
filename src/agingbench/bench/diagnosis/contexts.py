"""What the conditions of a diagnosis give an agent to read: its own units, the gold sentences, or
the whole history.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agingbench.bench.plan.facts import Reading, sessions_before
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.records import Unit
from agingbench.text import wording
from agingbench.text.values import Value
from agingbench.text.wording import count_tokens

# What one sentence has to state: of which subject, which value.
Claim = tuple[tuple[str, ...], Value]


def gold_sentences(plan: Plan, probe: Probe) -> list[str]:
    """The sentences of the life that state what the probe asks for, in the order in which the agent
    read them: what holds at its point, and how a fact began where the probe asks for its history.
    """
    rows = []
    for name in probe.facts:
        for version in plan.graph.by_id[name].needed_at(probe.t, probe.asks_history):
            rows.append((version.session, version.sentence))

    if probe.account is not None:
        account = plan.graph.account_by_id[probe.account]
        rows.append((account.session, account.sentence))
        for delta in account.deltas:
            if delta.session < sessions_before(probe.t):
                rows.append((delta.session, delta.sentence))

    rows.sort(key=lambda row: row[0])  # stable: within a session in the order of the plan
    # An account may move twice by the same words, and both count.
    return [sentence for _, sentence in rows]


def claims(plan: Plan, probe: Probe) -> list[Claim]:
    """What a unit may state to be of use to the probe: facts that hold, an account's movements and
    its balance.
    """
    out: list[Claim] = []
    for name in probe.facts:
        fact = plan.graph.by_id[name]
        for version in fact.needed_at(probe.t, probe.asks_history):
            out.append((fact.subject, version.value))

    if probe.account is not None:
        account = plan.graph.account_by_id[probe.account]
        deltas = [d.amount for d in account.deltas if d.session < sessions_before(probe.t)]
        balance = account.balance(probe.t) or 0
        amounts = dict.fromkeys(abs(amount) for amount in [account.opening, *deltas, balance])
        # In words, or as a typed value is called.
        subject = (f"{account.name}|{account.name.replace(' ', '_')}",)
        out += [(subject, account.value(amount)) for amount in amounts]
    return out


def taken_off(plan: Plan, probe: Probe) -> list[Claim]:
    """What once stood on the list that the probe asks for and was taken off it."""
    groups = {plan.graph.by_id[name].group for name in probe.facts} - {None}
    out: list[Claim] = []
    for fact in plan.graph.facts:
        if fact.group in groups and fact.at(probe.t) is None:
            out += [(fact.subject, value) for value in fact.stale_at(probe.t)]
    return out


class Store:
    """The units of a memory, indexed once for as long as they stand, so that a long life stays
    cheap to search.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._readings: dict[str, Reading] = {}
        self._by_stem: dict[str, set[str]] = {}
        self._units: Sequence[Unit] = ()

    def hold(self, units: Sequence[Unit]) -> None:
        """Replace the units, indexing those that are new."""
        self._units = units
        for unit in units:
            text = unit.text
            if text in self._known:
                continue
            self._known.add(text)
            for word in wording.words(text):
                self._by_stem.setdefault(wording.stem(word), set()).add(text)

    def stating(self, claims: Iterable[Claim]) -> list[str]:
        """Return the units that state any of these claims, in the order of the store."""
        texts = set()
        for claim in claims:
            for text in self._naming(claim):
                if self.states(text, claim):
                    texts.add(text)
        return [unit.text for unit in self._units if unit.text in texts]

    def states(self, unit: str, claim: Claim) -> bool:
        """Tell whether this unit states the claim."""
        if unit not in self._readings:
            self._readings[unit] = Reading(unit)
        return self._readings[unit].states_fact(*claim)

    def _naming(self, claim: Claim) -> set[str]:
        # Only units with every word of the subject can name it; "a|b" is either.
        subject, _ = claim
        texts: set[str] | None = None
        for part in subject:
            part_texts: set[str] = set()
            for way in part.split("|"):
                stems = {wording.stem(word) for word in wording.words(way)}
                part_texts |= _with_all(self._by_stem, stems)
            texts = part_texts if texts is None else texts & part_texts
        return texts or set()


def _with_all(index: dict[str, set[str]], stems: set[str]) -> set[str]:
    places = [index.get(stem, set()) for stem in stems]
    places.sort(key=len)
    return set.intersection(*places) if places else set()


def oracle_retrieval(store: Store, plan: Plan, probe: Probe, limit: int | None = None) -> str:
    """The agent's own units that state what the probe needs, whole; beyond the limit only their
    sentences that do.

    A unit may also hold what was taken off a list meanwhile; the units that speak of that again
    then come along.
    """
    probe_claims = claims(plan, probe)
    units = store.stating(probe_claims)
    retractions = [
        claim
        for claim in taken_off(plan, probe)
        if any(store.states(unit, claim) for unit in units)
    ]
    all_units = store.stating([*probe_claims, *retractions]) if retractions else units
    text = "\n\n".join(all_units)
    if limit is None:
        return text
    if count_tokens(text) <= max(limit, count_tokens(oracle_context(plan, probe))):
        return text

    sentences = []
    for unit in units:
        reading = Reading(unit)
        places = {place for claim in probe_claims for place in reading.places(*claim)}
        # What a sentence leans on comes along.
        sentences += [reading.whole(place) for place in sorted(places)]
    return "\n".join(sentences)


def oracle_context(plan: Plan, probe: Probe) -> str:
    """Return the gold facts, one sentence a line."""
    return "\n".join(gold_sentences(plan, probe))


def full_history(plan: Plan, point: int) -> str:
    """Everything that was said in the sessions before a point, in order; at point 0 session 0
    itself.
    """
    return "\n\n".join(session.text for session in plan.sessions[: sessions_before(point)])
