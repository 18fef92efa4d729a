"""Asks a judge about every check and fact of an episode and turns its rulings into verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import get_args

import msgspec

from agingbench.cards.resumption import Component
from agingbench.interfaces import Judge, ReasonedRuling
from agingbench.resumption.episodes.episode import (
    ContinuationCheck,
    Episode,
    EpisodeFact,
    ForgetFact,
)
from agingbench.resumption.judges.claim import (
    EpisodeClaim,
    JudgeRuling,
    RulingLabel,
    Ways,
    verify_quote,
)
from agingbench.resumption.judges.deterministic import DeterministicJudge
from agingbench.text.values import Value

# What a label is worth. `dead` is a dead branch named as dead where the episode accepts that.
WORTH: dict[str, Fraction] = {
    "yes": Fraction(1),
    "no": Fraction(0),
    "omitted": Fraction(1),
    "dead": Fraction(1),
    "mentioned": Fraction(1, 2),
    "open": Fraction(0),
}
FAILED = "failed"


class ItemVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """The decision about one check or fact; `value` is None where the judge failed."""

    component: Component
    item: str
    label: str
    value: float | None
    quote: str = ""
    reason: str = ""
    way: int = 0  # of several acceptable continuations, which one the check belongs to


def judge_episode(judge: Judge, episode: Episode, context: str, answer: str) -> list[ItemVerdict]:
    """Return one verdict per check, fact to preserve and fact to forget, in this order."""
    verdicts = []
    for way, checks in enumerate(episode.gold_continuation):
        for check in checks:
            verdicts.append(judge_item(judge, check, answer, way))
    return [*verdicts, *judge_facts(judge, episode, context)]


def judge_facts(judge: Judge, episode: Episode, context: str) -> list[ItemVerdict]:
    """Return one verdict per fact to preserve and fact to forget, in this order."""
    verdicts = []
    for fact in episode.gold_facts_to_preserve:
        verdicts.append(judge_item(judge, fact, context))
    for forget_fact in episode.gold_facts_to_forget:
        verdicts.append(judge_item(judge, forget_fact, context))
    return verdicts


def judge_item(
    judge: Judge, item: EpisodeFact | ContinuationCheck, text: str, way: int = 0
) -> ItemVerdict:
    """Return the verdict on one item; a check with values is always decided by its values."""
    if isinstance(item, ForgetFact):
        return _judge_forgetting(judge, item, text)
    if isinstance(item, EpisodeFact):
        claim = _fact_claim("preservation", "stated", item)
        return _judge_claim(judge, claim, item.id, text)

    if item.values or item.must_not:
        judge = DeterministicJudge()
    return judge_values(judge, item, text, way)


def judge_values(judge: Judge, item: ContinuationCheck, text: str, way: int) -> ItemVerdict:
    """Return the verdict on what a check says of the text of a continuation."""
    claim = EpisodeClaim(
        component="continuation",
        question="done",
        text=item.check,
        values=_ways(item.values),
        must_not=_ways(item.must_not),
    )
    verdict = _judge_claim(judge, claim, item.id, text)
    return msgspec.structs.replace(verdict, way=way)


def count_failures(verdicts: Sequence[ItemVerdict]) -> int:
    """Count the items that the judge failed on."""
    return sum(verdict.label == FAILED for verdict in verdicts)


def _fact_claim(component: Component, question: str, fact: EpisodeFact) -> EpisodeClaim:
    named_dead = tuple(fact.named_dead) if isinstance(fact, ForgetFact) else ()
    return EpisodeClaim(
        component=component,
        question=question,
        text=fact.sentence,
        values=_ways(fact.values),
        named_dead=named_dead,
    )


def _ways(values: Sequence[Sequence[Value]]) -> Ways:
    return tuple(tuple(entry) for entry in values)


def _ask(judge: Judge, claim: EpisodeClaim, text: str) -> JudgeRuling:
    answer = judge.rule(claim, text)
    labels: dict[str, RulingLabel] = {label: label for label in get_args(RulingLabel)}
    label = labels.get(answer.label)
    if label is None:
        return JudgeRuling("failed", "", f"the judge answered {answer.label!r}, not yes or no")

    reason = answer.reason if isinstance(answer, ReasonedRuling) else ""
    return verify_quote(JudgeRuling(label, answer.quote or "", reason), text)


def _judge_claim(judge: Judge, claim: EpisodeClaim, item: str, text: str) -> ItemVerdict:
    if not text.strip():
        # An empty text states nothing: no judge is needed.
        return ItemVerdict(claim.component, item, "no", 0.0)
    ruling = _ask(judge, claim, text)
    return _verdict(claim.component, item, ruling.label, ruling)


def _judge_forgetting(judge: Judge, fact: ForgetFact, text: str) -> ItemVerdict:
    """Ask whether the approach is mentioned, then whether it is open, then whether it is dead."""
    if not text.strip():
        return ItemVerdict("forgetting", fact.id, "omitted", 1.0)

    def ask(question: str) -> JudgeRuling:
        return _ask(judge, _fact_claim("forgetting", question, fact), text)

    mentioned = ask("mentioned")
    if mentioned.label != "yes":
        label = "omitted" if mentioned.label == "no" else FAILED
        return _verdict("forgetting", fact.id, label, mentioned)

    still_open = ask("open")
    if still_open.label != "no":
        label = "open" if still_open.label == "yes" else FAILED
        return _verdict("forgetting", fact.id, label, still_open)

    if fact.dead_ok:
        dead = ask("dead")
        if dead.label != "no":
            label = "dead" if dead.label == "yes" else FAILED
            return _verdict("forgetting", fact.id, label, dead)

    return _verdict("forgetting", fact.id, "mentioned", mentioned)


def _verdict(component: Component, item: str, label: str, ruling: JudgeRuling) -> ItemVerdict:
    value = None if label == FAILED else float(WORTH[label])
    return ItemVerdict(component, item, label, value, ruling.quote, ruling.reason)
