"""Confusion among what is still stored: a loss of the store is not sold as interference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from agingbench.bench.plan.facts import Reading, states_fact
from agingbench.bench.plan.plan import Plan, Probe
from agingbench.metrics.intervals import MISSING, Estimate, clustered_mean
from agingbench.metrics.mechanisms import ProbeOutcome

ERRORS = ("confused", "both", "wrong")
LOOKALIKES = "interference"
PLAIN = "compression"

Outcomes = Sequence[tuple[Probe, ProbeOutcome]]


class StoredShares(msgspec.Struct, frozen=True, kw_only=True):
    """How look-alikes do beside plain facts of the same age, with the store taken into account.

    `confusion_given_stored` is the share of wrong answers (another value given, alone or beside the
    right one) among the probes of look-alikes whose fact the memory still states; silence is no
    confusion. Plain facts are weighted to the lags of the look-alikes.
    """

    confusion_given_stored: Estimate = MISSING
    plain_error_given_stored: Estimate = MISSING
    stored_share: Estimate = MISSING
    plain_stored_share: Estimate = MISSING


class StoreWatch:
    """Notes, while the texts of a memory pass by, which probed facts each of them states."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.stored: dict[str, bool] = {}
        self._reading = Reading()
        self._has_lookalikes = any(probe.mechanism == LOOKALIKES for probe in plan.probes)

    def watch(self, texts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Pass the texts on, point by point."""
        for t, text in texts:
            if t >= 1 and self._has_lookalikes:
                self._note(t, text)
            yield t, text

    def _note(self, t: int, text: str) -> None:
        self._reading.follow(text)
        for probe in self.plan.probes_at(t):
            if probe.type == "standalone" and probe.mechanism in (LOOKALIKES, PLAIN):
                fact = self.plan.graph.by_id[probe.facts[0]]
                self.stored[probe.id] = states_fact(self._reading, fact, t)


def stored_shares(outcomes: Outcomes, stored: Mapping[str, bool]) -> StoredShares:
    """Compare look-alikes with plain facts of the same age, by what the memory states of them."""
    answered = [
        (probe, outcome)
        for probe, outcome in outcomes
        if probe.id in stored and outcome.value is not None
    ]
    pairs = [row for row in answered if row[0].mechanism == LOOKALIKES]
    plain = [row for row in answered if row[0].mechanism == PLAIN]
    if not pairs:
        return StoredShares()

    kept_pairs = [row for row in pairs if stored[row[0].id]]
    kept_plain = [row for row in plain if stored[row[0].id]]
    return StoredShares(
        confusion_given_stored=_share_of_errors(kept_pairs, kept_pairs),
        plain_error_given_stored=_share_of_errors(kept_plain, kept_pairs),
        stored_share=_share_stored(pairs, pairs, stored),
        plain_stored_share=_share_stored(plain, pairs, stored),
    )


def _share_of_errors(rows: Outcomes, like: Outcomes) -> Estimate:
    values = [float(outcome.verdict in ERRORS) for _, outcome in rows]
    return _mean_at_lags(rows, values, like)


def _share_stored(rows: Outcomes, like: Outcomes, stored: Mapping[str, bool]) -> Estimate:
    values = [float(stored[probe.id]) for probe, _ in rows]
    return _mean_at_lags(rows, values, like)


def _mean_at_lags(rows: Outcomes, values: Sequence[float], like: Outcomes) -> Estimate:
    """The mean over probes, weighted to the lags that `like` has; other lags are left out."""
    own = Counter(probe.lag for probe, _ in rows)
    wanted = Counter(probe.lag for probe, _ in like)

    kept = []
    weights = []
    facts = []
    for (probe, _), value in zip(rows, values, strict=True):
        if wanted[probe.lag]:
            kept.append(value)
            weights.append(wanted[probe.lag] / own[probe.lag])
            facts.append(probe.cluster)
    return clustered_mean(kept, weights, facts) if kept else MISSING
