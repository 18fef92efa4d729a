"""Asks only some of a plan's probes, for cheap runs; sessions, facts and questions stay."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agingbench.bench.plan.plan import RETRACTED, Plan, Probe
from agingbench.errors import InputError, UnknownName

HOP = "hop"
# Every plan may have these; a scenario of one's own may have others.
TYPES = (
    "standalone",
    "compare",
    "trend",
    "synthesize",
    "multi_hop",
    HOP,
    "list",
    "account",
    RETRACTED,
)
MECHANISMS = ("compression", "interference", "revision", "maintenance")


def read_selection(text: str) -> str:
    """The one spelling of a selection: words in order of the alphabet, then the cap.

    Raises InputError where it names nothing or two caps.
    """
    words, cap = _parse(text)
    parts = [*sorted(words), *([str(cap)] if cap is not None else [])]
    if not parts:
        raise InputError("--probes: name types, mechanisms or a number per point, as standalone,6")
    return ",".join(parts)


def select_probes(plan: Plan, selection: str) -> Plan:
    """The plan with only the probes that the selection names; all of them where it is empty.

    A word is a type or a mechanism, a number the most probes of a point. Raises InputError for a
    word that means nothing, and where no probe is left.
    """
    if not selection:
        return plan
    words, cap = _parse(selection)
    known = {*TYPES, *MECHANISMS}
    for probe in plan.probes:
        known |= {probe.type, probe.mechanism}
    for word in sorted(words):
        if word not in known:
            raise UnknownName("type or mechanism of probes", word, known)

    probes = []
    for t in range(plan.n_sessions + 1):
        before = plan.probes_at(t)
        named = [probe for probe in before if _is_named(probe, words, plan)]
        asked = named if cap is None else _spread(named, cap)
        probes += _reweighted(before, asked)
    if not probes:
        raise InputError(f"--probes {selection}: this plan (seed {plan.seed}) holds no such probe")
    return msgspec.structs.replace(plan, probes=probes, asked=read_selection(selection))


def _parse(text: str) -> tuple[set[str], int | None]:
    words = set()
    caps = []
    for part in text.split(","):
        word = part.strip()
        if word.isdigit():
            caps.append(int(word))
        elif word:
            words.add(word)
    if len(caps) > 1 or 0 in caps:
        raise InputError(f"--probes {text}: give one number of probes per point, at least 1")
    return words, caps[0] if caps else None


def _is_named(probe: Probe, words: set[str], plan: Plan) -> bool:
    if not words or probe.type in words or probe.mechanism in words:
        return True
    # The hops of a chain are asked with it.
    parent = plan.probe_by_id.get(probe.parent or "")
    return parent is not None and _is_named(parent, words, plan)


def _spread(probes: Sequence[Probe], cap: int) -> list[Probe]:
    """At most `cap` probes in plan order, taken in turn from every type and mechanism."""
    turns: dict[tuple[str, str], int] = {}
    ranks = {}
    for probe in probes:
        kind = (probe.type, probe.mechanism)
        turns[kind] = turns.get(kind, 0) + 1
        ranks[probe.id] = turns[kind]

    alone = [probe for probe in probes if probe.type != HOP]
    first = sorted(alone, key=lambda probe: ranks[probe.id])  # stable: plan order within a turn
    ids: set[str] = set()
    for probe in first:
        hops = [other.id for other in probes if other.parent == probe.id]
        if len(ids) + 1 + len(hops) <= cap:
            ids |= {probe.id, *hops}
    return [probe for probe in probes if probe.id in ids]


def _reweighted(before: Sequence[Probe], asked: Sequence[Probe]) -> list[Probe]:
    """The probes with weights that give each stratum its share again."""
    total = _weight_by_stratum(before)
    left = _weight_by_stratum(asked)
    probes = []
    for probe in asked:
        if probe.weight is not None and left[probe.stratum] < total[probe.stratum]:
            share = total[probe.stratum] / left[probe.stratum]
            probe = msgspec.structs.replace(probe, weight=probe.weight * share)
        probes.append(probe)
    return probes


def _weight_by_stratum(probes: Sequence[Probe]) -> dict[str | None, float]:
    weights: dict[str | None, float] = {}
    for probe in probes:
        if probe.weight is not None:
            weights[probe.stratum] = weights.get(probe.stratum, 0.0) + probe.weight
    return weights
