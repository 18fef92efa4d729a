"""From rulings to the three scores of an episode and their geometric mean; any zero is zero,
missing stays missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import msgspec

from agingbench.interfaces import Judge
from agingbench.resumption.episodes.episode import (
    ContinuationCheck,
    Episode,
    EpisodeFact,
    ForgetFact,
)
from agingbench.resumption.judges.claim import (
    COMPONENTS,
    Component,
    EpisodeClaim,
    JudgeRuling,
    Ways,
    verify_quote,
)
from agingbench.resumption.judges.deterministic import DeterministicJudge
from agingbench.text import Value

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
    """What was decided about one item; `value` is None where the judge failed."""

    component: Component
    item: str
    label: str
    value: float | None
    quote: str = ""
    reason: str = ""
    way: int = 0  # of several acceptable continuations, which one the check belongs to


class EpisodeScores(msgspec.Struct, frozen=True):
    """The three components and their geometric mean."""

    continuation_correctness: float | None
    preservation_recall: float | None
    forgetting_precision: float | None

    @property
    def quality(self) -> float | None:
        """(c · p · f)^(1/3); None when a component is missing."""
        return quality(
            self.continuation_correctness, self.preservation_recall, self.forgetting_precision
        )


def quality(c: float | None, p: float | None, f: float | None) -> float | None:
    """The geometric mean of the three components."""
    if c is None or p is None or f is None:
        return None
    for name, score in (("continuation", c), ("preservation", p), ("forgetting", f)):
        if not 0 <= score <= 1:
            raise ValueError(f"{name} must lie in 0..1, not {score}")
    return float((c * p * f) ** (1 / 3))


# ------------------------------------------------------------------------------------------------------
# judging


def judge_episode(judge: Judge, episode: Episode, context: str, answer: str) -> list[ItemVerdict]:
    """One verdict per check, fact to preserve and fact to forget, in this order."""
    verdicts = [
        judge_item(judge, check, answer, way)
        for way, checks in enumerate(episode.gold_continuation)
        for check in checks
    ]
    verdicts += [judge_item(judge, fact, context) for fact in episode.gold_facts_to_preserve]
    return verdicts + [judge_item(judge, fact, context) for fact in episode.gold_facts_to_forget]


def judge_item(
    judge: Judge, item: EpisodeFact | ContinuationCheck, text: str, way: int = 0
) -> ItemVerdict:
    """The verdict on one item. Checks that values decide are decided by values, whatever the judge."""
    if isinstance(item, ForgetFact):
        return _forgotten(judge, item, text)
    if isinstance(item, EpisodeFact):
        return _simple(judge, _claim("preservation", "stated", item), item.id, text)
    by_values = bool(item.values or item.must_not)
    ruled = _simple(DeterministicJudge() if by_values else judge, _check_claim(item), item.id, text)
    return msgspec.structs.replace(ruled, way=way)


def _claim(component: Component, question: str, fact: EpisodeFact) -> EpisodeClaim:
    dead = tuple(fact.named_dead) if isinstance(fact, ForgetFact) else ()
    return EpisodeClaim(component, question, fact.sentence, _ways(fact.values), (), dead)


def _check_claim(check: ContinuationCheck) -> EpisodeClaim:
    return EpisodeClaim(
        "continuation", "done", check.check, _ways(check.values), _ways(check.must_not)
    )


def _ways(values: Sequence[Sequence[Value]]) -> Ways:
    return tuple(tuple(entry) for entry in values)


def _ask(judge: Judge, claim: EpisodeClaim, text: str) -> JudgeRuling:
    given = judge.rule(claim, text)
    if given.label not in ("yes", "no", FAILED):
        return JudgeRuling("failed", "", f"the judge answered {given.label!r}, not yes or no")
    made = JudgeRuling(given.label, given.quote or "", getattr(given, "reason", ""))  # type: ignore[arg-type]
    return verify_quote(made, text)


def _simple(judge: Judge, claim: EpisodeClaim, item: str, text: str) -> ItemVerdict:
    if not text.strip():
        return ItemVerdict(
            claim.component, item, "no", 0.0
        )  # nothing states nothing: no judge is needed
    ruled = _ask(judge, claim, text)
    return _verdict(claim.component, item, ruled.label, ruled)


def _forgotten(judge: Judge, fact: ForgetFact, text: str) -> ItemVerdict:
    def ask(question: str) -> JudgeRuling:
        return _ask(judge, _claim("forgetting", question, fact), text)

    if not text.strip():
        return ItemVerdict("forgetting", fact.id, "omitted", 1.0)
    mentioned = ask("mentioned")
    if mentioned.label != "yes":
        return _verdict(
            "forgetting", fact.id, "omitted" if mentioned.label == "no" else FAILED, mentioned
        )
    still_open = ask("open")
    if still_open.label != "no":
        return _verdict(
            "forgetting", fact.id, "open" if still_open.label == "yes" else FAILED, still_open
        )
    if fact.dead_ok:
        dead = ask("dead")
        if dead.label != "no":
            return _verdict("forgetting", fact.id, "dead" if dead.label == "yes" else FAILED, dead)
    return _verdict("forgetting", fact.id, "mentioned", mentioned)


def _verdict(component: Component, item: str, label: str, ruled: JudgeRuling) -> ItemVerdict:
    value = None if label == FAILED else float(WORTH[label])
    return ItemVerdict(component, item, label, value, ruled.quote, ruled.reason)


# ------------------------------------------------------------------------------------------------------
# scoring


def score_verdicts(verdicts: Iterable[ItemVerdict]) -> EpisodeScores:
    """The components: shares over the items that were judged; of several continuations the best one
    counts.
    """
    listed = list(verdicts)
    means: dict[str, float | None] = {}
    for component in COMPONENTS:
        mine = [v for v in listed if v.component == component]
        ways = sorted({v.way for v in mine})
        shares = [s for way in ways if (s := _share([v for v in mine if v.way == way])) is not None]
        means[component] = max(shares) if shares else None
    return EpisodeScores(means["continuation"], means["preservation"], means["forgetting"])


def _share(verdicts: Sequence[ItemVerdict]) -> float | None:
    judged = [WORTH[v.label] for v in verdicts if v.label != FAILED]
    return float(sum(judged, Fraction(0)) / len(judged)) if judged else None


def count_failures(verdicts: Iterable[ItemVerdict]) -> int:
    """How many items the judge failed on."""
    return sum(v.label == FAILED for v in verdicts)
