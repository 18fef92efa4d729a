"""The three scores: the spec's worked example, its toy episode, and consolidators whose score is
known beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from agingbench.interfaces import Judge
from agingbench.records import Event
from agingbench.resumption.episodes.trajectory import full_text, trajectory_events
from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling, verify_quote
from agingbench.resumption.judges.deterministic import DeterministicJudge
from agingbench.resumption.judges.verdict import ItemVerdict, judge_episode
from agingbench.resumption.runs.resuming_agent import EmbeddedAgent
from agingbench.resumption.runs.run import RunSettings, run_benchmark
from agingbench.resumption.runs.score import EpisodeScores, quality, score_verdicts
from agingbench.resumption.runs.scores_file import read_scores
from tests.resumption.making import example, make_benchmark, open_gate


@pytest.mark.parametrize(
    ("components", "wanted"),
    [((0.6, 1.0, 0.0), 0.00), ((0.8, 1.0, 0.5), 0.74), ((0.95, 1.0, 1.0), 0.98)],
)
def test_the_worked_example_of_the_spec(
    components: tuple[float, float, float], wanted: float
) -> None:
    found = EpisodeScores(*components).quality
    assert found is not None
    assert round(found, 2) == wanted


def test_missing_is_missing() -> None:
    assert quality(None, 1.0, 1.0) is None
    with pytest.raises(ValueError, match=r"0\.\.1"):
        quality(1.2, 1.0, 1.0)


CONTEXTS = {
    "summary": "agent tried sleep retries and per-test namespaces; landed on namespaces",
    "structured": "root cause: shared cache key. fix: per-test namespace. patch not yet written.",
}


def toy_quality(context: str) -> float:
    episode = example()
    answer = EmbeddedAgent().resume(episode.initial_task, context).text
    found = score_verdicts(judge_episode(DeterministicJudge(), episode, context, answer)).quality
    assert found is not None
    return found


def test_the_three_contexts_of_the_toy_episode() -> None:
    raw = toy_quality(full_text(trajectory_events(example(), None)))
    summary, structured = (toy_quality(CONTEXTS[name]) for name in ("summary", "structured"))
    assert structured > summary
    assert structured > raw
    assert summary >= raw


class Everything:
    """The whole trajectory."""

    def consolidate(self, task: str, events: Iterable[Event], budget: int) -> str:
        return full_text(events)


@pytest.mark.parametrize(
    ("consolidator", "low", "high"),
    [
        ("tests.resumption.making:Nothing", 0.0, 0.0),
        ("tests.resumption.runs.test_score:Everything", 0.0, 0.0),
        ("tests.resumption.making:GoldList", 0.75, 1.0),
    ],
)
def test_consolidators_whose_quality_is_known(
    tmp_path: Path, consolidator: str, low: float, high: float
) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    result = run_benchmark(tmp_path, RunSettings(consolidator, 4000))
    (row,) = read_scores(result.path / "scores.parquet")
    assert row.status == "scored"
    assert row.quality is not None
    assert low <= row.quality <= high
    if "Everything" in consolidator:
        assert row.forgetting_precision == 0.0
        assert row.preservation_recall == 1.0


def test_what_exceeds_the_budget_is_refused_and_never_cut(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    result = run_benchmark(tmp_path, RunSettings("tests.resumption.making:TooMuch", 100))
    (row,) = read_scores(result.path / "scores.parquet")
    assert row.status == "refused"
    assert row.quality is None
    assert "101 tokens" in (row.reason or "")
    assert (result.path / "contexts" / "000.txt").read_text() == "a" * 401
    assert result.card is None
    assert not (result.path / "aging_card.json").exists()


class Lying(Judge):
    """Says yes to everything, with a quote of its own making."""

    def rule(self, claim: EpisodeClaim, context: str) -> JudgeRuling:
        return JudgeRuling("yes", "words that nobody wrote")


def test_a_quote_that_is_not_in_the_context_is_a_failure_and_no_score() -> None:
    episode = example()
    verdicts = judge_episode(
        Lying(), episode, "fix: per-test namespace", "write the per-test cache namespace"
    )
    judged = [v for v in verdicts if v.component != "continuation"]
    assert {v.label for v in judged} == {"failed"}
    assert all(v.value is None for v in judged)
    assert score_verdicts(verdicts).preservation_recall is None
    assert score_verdicts(verdicts).quality is None


def test_quotes_are_compared_without_case_and_spacing() -> None:
    assert verify_quote(JudgeRuling("yes", "the  FIX"), "It is the fix.").label == "yes"
    assert verify_quote(JudgeRuling("yes", ""), "It is the fix.").label == "failed"
    assert verify_quote(JudgeRuling("no", ""), "It is the fix.").label == "no"


def test_the_best_of_several_continuations_counts() -> None:
    verdicts = [
        ItemVerdict("continuation", "c1", "no", 0.0, way=0),
        ItemVerdict("continuation", "c1", "yes", 1.0, way=1),
        ItemVerdict("continuation", "c2", "yes", 1.0, way=1),
    ]
    assert score_verdicts(verdicts).continuation_correctness == 1.0


NAMED_DEAD = (
    "root cause: shared cache key. time.sleep retries were tried and did not fix the flake;"
    " given up."
)


@pytest.mark.parametrize(
    ("context", "dead_ok", "label"),
    [
        (NAMED_DEAD, False, "mentioned"),
        (NAMED_DEAD, True, "dead"),
        ("sleep retries were tried", True, "mentioned"),
        ("next: add time.sleep(0.5) to the loop", True, "open"),
        ("time.sleep was tried and failed. Next, add time.sleep(0.5) again.", True, "open"),
        ("fix: per-test namespace", False, "omitted"),
    ],
)
def test_a_dead_branch_named_as_dead_counts_only_where_the_episode_allows_it(
    context: str, dead_ok: bool, label: str
) -> None:
    episode = example().model_copy(
        update={
            "gold_facts_to_forget": [
                example().gold_facts_to_forget[0].model_copy(update={"dead_ok": dead_ok})
            ]
        }
    )
    verdict = judge_episode(DeterministicJudge(), episode, context, "")[-1]
    assert verdict.label == label
    assert verdict.value == {"dead": 1.0, "omitted": 1.0, "mentioned": 0.5, "open": 0.0}[label]
