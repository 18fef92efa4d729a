"""The gate: exact at 0.6, closed without enough labels, bound to judge, prompts and tokenizer, and
never overridden.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np
import pytest

from agingbench.errors import InputError
from agingbench.interfaces import Judge
from agingbench.metrics.agreement import cohen_kappa, kappa_interval
from agingbench.resumption.calibration.calibrate import calibrate, current_gate
from agingbench.resumption.calibration.gate import CalibrationGate, component_gate, missing_labels
from agingbench.resumption.calibration.grades import tuning_file
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import load_episodes
from agingbench.resumption.judges.build import JudgeIdentity, build_judge
from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling
from agingbench.resumption.judges.deterministic import DeterministicJudge
from agingbench.resumption.runs.headline import headline
from agingbench.resumption.runs.run import RunSettings, run_benchmark
from agingbench.resumption.runs.scores_file import read_scores
from tests.cli.conftest import Cli, cli
from tests.resumption.making import (
    PERFECT,
    gate_of,
    good_pairs,
    grade_rows,
    make_benchmark,
    open_gate,
    write_grades,
)

__all__ = ["cli"]


def table(yes_yes: int, yes_no: int, no_yes: int, no_no: int) -> tuple[list[str], list[str]]:
    """Two raters' labels with this 2 × 2 table."""
    pairs = (
        [("yes", "yes")] * yes_yes
        + [("yes", "no")] * yes_no
        + [("no", "yes")] * no_yes
        + [("no", "no")] * no_no
    )
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_kappa_of_exactly_three_fifths_passes_and_059_refuses() -> None:
    at = table(80, 20, 20, 80)
    assert cohen_kappa(*at).value == Fraction(3, 5)
    assert component_gate("preservation", "code", *at).passed
    below = table(795, 205, 205, 795)
    assert cohen_kappa(*below).value == Fraction(59, 100)
    refused = component_gate("preservation", "code", *below)
    assert not refused.passed
    assert "below 0.6" in refused.reasons[0]
    # A hair below, where a float rounded for print would say 0.60.
    hair = table(79999, 20001, 20000, 80000)
    kappa = cohen_kappa(*hair).value
    assert kappa is not None
    assert kappa < Fraction(3, 5)
    assert round(float(kappa), 4) == 0.6


def test_a_kappa_that_is_not_exact_in_floats_is_compared_exactly() -> None:
    hair = component_gate("preservation", "code", *table(399, 101, 100, 400))
    assert not hair.passed
    assert component_gate("preservation", "code", *table(400, 100, 100, 400)).passed


def test_undefined_kappa_refuses() -> None:
    found = component_gate("preservation", "code", ["yes"] * 60, ["yes"] * 60)
    assert found.value is None
    assert not found.passed
    assert any("undefined" in reason for reason in found.reasons)


def test_too_few_of_the_rarer_label_refuse_and_the_missing_ones_are_counted() -> None:
    few = component_gate("preservation", "code", *table(45, 0, 0, 9))
    assert not few.passed
    assert few.rarer == 9
    assert few.missing == 1
    enough = component_gate("preservation", "code", *table(45, 0, 0, 10))
    assert enough.passed
    assert enough.missing == 0
    assert missing_labels(Counter(yes=10), ("yes", "no")) == 40


def test_fewer_than_fifty_refuse() -> None:
    assert not component_gate("preservation", "code", *table(24, 0, 0, 25)).passed
    assert component_gate("preservation", "code", *table(25, 0, 0, 25)).passed


def test_a_wide_interval_is_a_weak_gate() -> None:
    weak = component_gate("preservation", "code", *table(20, 5, 5, 20))
    assert weak.passed
    assert weak.low is not None
    assert weak.low < 0.4
    assert weak.weak
    assert weak.missing_for_bound is not None
    assert weak.missing_for_bound > 0
    strong = component_gate("preservation", "code", *table(100, 10, 10, 100))
    assert strong.passed
    assert not strong.weak
    assert strong.missing_for_bound == 0


def test_a_judge_that_fails_is_not_rewarded_for_it() -> None:
    hand, judged = table(40, 0, 0, 40)
    failing = ["failed"] * 30 + judged[30:]
    assert not component_gate("preservation", "code", hand, failing).passed


def independent_kappa(a: list[str], b: list[str]) -> float | None:
    """Kappa by the disagreement form 1 − Σwo/Σwe over a confusion matrix."""
    names = sorted({*a, *b})
    matrix = np.zeros((len(names), len(names)))
    for x, y in zip(a, b, strict=True):
        matrix[names.index(x), names.index(y)] += 1
    expected = np.outer(matrix.sum(1), matrix.sum(0)) / matrix.sum()
    off = 1 - np.eye(len(names))
    wanted = (off * expected).sum()
    return None if wanted == 0 else float(1 - (off * matrix).sum() / wanted)


def test_kappa_agrees_with_an_independent_implementation_on_1000_tables() -> None:
    rng = np.random.default_rng(7)
    for _ in range(1000):
        labels = ["a", "b", "c", "d"][: rng.integers(1, 5)]
        n = int(rng.integers(1, 120))
        a = [labels[i] for i in rng.integers(0, len(labels), n)]
        b = [x if rng.random() < 0.6 else labels[rng.integers(0, len(labels))] for x in a]
        ours = cohen_kappa(a, b).value
        theirs = independent_kappa(a, b)
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            assert float(ours) == pytest.approx(theirs, abs=1e-12)


def coverage(true: tuple[float, float, float, float], n: int, trials: int) -> float:
    """How often the interval of n pairs holds the kappa of the population they are drawn from."""
    population = cohen_kappa(*table(*(round(10_000 * p) for p in true))).value
    assert population is not None
    rng = np.random.default_rng(3)
    held = []
    for _ in range(trials):
        found = kappa_interval(*table(*rng.multinomial(n, true)), n_boot=600)
        if found.low is not None and found.high is not None:
            held.append(found.low <= float(population) <= found.high)
    assert len(held) > 0.9 * trials
    return sum(held) / len(held)


@pytest.mark.parametrize("n", [50, 150])
def test_the_interval_of_kappa_covers(n: int) -> None:
    assert coverage((0.4, 0.1, 0.1, 0.4), n, 300) > 0.9
    assert coverage((0.15, 0.05, 0.05, 0.75), n, 300) > 0.88


# ------------------------------------------------------------------------------------------- a
# folder and its gate


def now(benchmark: BenchmarkFolder) -> CalibrationGate:
    judge, identity = build_judge("deterministic", benchmark.judges)
    return current_gate(benchmark, load_episodes(benchmark.episodes), judge, identity)


def make(benchmark: BenchmarkFolder, pairs: dict[str, list[tuple[str, str]]]) -> CalibrationGate:
    write_grades(benchmark, pairs)
    judge, identity = build_judge("deterministic", benchmark.judges)
    return calibrate(benchmark, load_episodes(benchmark.episodes), judge, identity)


def test_one_component_below_closes_the_gate_and_the_run_refuses(tmp_path: Path, cli: Cli) -> None:
    benchmark = make_benchmark(tmp_path)
    # Of 50: 18 agree on each side, 7 differ each way: kappa 0.44.
    bad = [("yes", "yes")] * 18 + [("no", "no")] * 18 + [("yes", "no")] * 7 + [("no", "yes")] * 7
    assert not make(benchmark, {**PERFECT, "preservation": bad}).passed
    told = cli("resumption", "run", "-e", benchmark.root, "-c", "structured")
    assert told.code == 3
    assert "uncalibrated" in told.out
    (run,) = (path.parent for path in benchmark.runs.glob("*/run.json"))
    (row,) = read_scores(run / "scores.parquet")
    assert row.status == "uncalibrated"
    assert row.calibrated is False
    assert row.quality is None
    assert row.continuation_correctness is None
    assert row.preservation_recall is None
    assert json.loads(row.verdicts)
    assert not (run / "aging_card.json").exists()
    assert cli("resumption", "falsify", "-e", benchmark.root).code == 3
    assert cli("resumption", "compare", run, run).code == 3


def test_nothing_overrides_the_gate(tmp_path: Path, cli: Cli) -> None:
    benchmark = make_benchmark(tmp_path)
    assert not make(
        benchmark, {**PERFECT, "preservation": [("yes", "no")] * 30 + [("no", "yes")] * 30}
    ).passed
    stored = json.loads(gate_of(benchmark).read_text())
    # Neither a flag in the file nor forged labels of the judge open it.
    hand = [
        json.loads(line)["label"] for line in benchmark.reference_grades.read_text().splitlines()
    ]
    gate_of(benchmark).write_text(json.dumps({**stored, "passed": True, "labels": hand}))
    assert cli("resumption", "run", "-e", benchmark.root, "-c", "raw").code == 3
    help_text = cli("resumption", "run", "--help").out
    assert not any(word in help_text for word in ("--force", "--no-gate", "--skip", "--allow"))


def test_a_changed_prompt_judge_tokenizer_or_grade_is_uncalibrated_again(
    tmp_path: Path, cli: Cli
) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    assert now(benchmark).passed
    assert cli("resumption", "run", "-e", benchmark.root, "-c", "structured").code == 0
    judge, identity = build_judge("deterministic", benchmark.judges)
    episodes = load_episodes(benchmark.episodes)
    for other in (
        msgspec.structs.replace(identity, judge="model/other"),
        msgspec.structs.replace(identity, tokenizer="bpe"),
    ):
        assert not current_gate(benchmark, episodes, judge, other).passed
    prompt = benchmark.judges / "forgetting_judge.md"
    before = prompt.read_text()
    prompt.write_text(before + "\nBe strict.\n")
    told = cli("resumption", "run", "-e", benchmark.root, "-c", "structured")
    assert told.code == 3
    assert "prompt for forgetting has changed" in " ".join(told.out.split())
    prompt.write_text(before)
    assert now(benchmark).passed
    lines = benchmark.reference_grades.read_text().splitlines()
    benchmark.reference_grades.write_text(
        "\n".join([lines[0].replace('"yes"', '"no"'), *lines[1:]]) + "\n"
    )
    assert not now(benchmark).passed


def test_grades_used_to_tune_do_not_gate(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    wrong = grade_rows("preservation", [("yes", "no")] * 40, split="tune")
    write_grades(benchmark, PERFECT, wrong)
    judge, identity = build_judge("deterministic", benchmark.judges)
    gate = calibrate(benchmark, load_episodes(benchmark.episodes), judge, identity)
    assert gate.passed
    assert gate.tuned_on == 40
    clash = {**grade_rows("preservation", [("yes", "yes")])[0], "split": "tune"}
    write_grades(benchmark, PERFECT, [clash])
    with pytest.raises(InputError, match="not used to gate"):
        calibrate(benchmark, load_episodes(benchmark.episodes), judge, identity)


def test_the_file_of_tuning_grades_is_kept_apart_from_the_gate(tmp_path: Path, cli: Cli) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    shared = {**grade_rows("preservation", [("yes", "yes")])[0], "split": "tune"}
    tuning_file(benchmark).write_text(json.dumps(shared) + "\n")
    told = cli("resumption", "calibrate", "-e", benchmark.root)
    assert told.code == 2
    assert "not used to gate" in told.err
    assert not now(benchmark).passed
    tuning_file(benchmark).write_text(json.dumps({**shared, "split": "gate"}) + "\n")
    assert "not of the split tune" in cli("resumption", "calibrate", "-e", benchmark.root).err
    tuning_file(benchmark).write_text("{\n")
    assert "line 1: not JSON" in cli("resumption", "calibrate", "-e", benchmark.root).err
    tuning_file(benchmark).write_text("")
    assert now(benchmark).passed


def test_boolean_grades_of_forgetting_are_taken(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    rows = [
        {**r, "label": r["label"] == "omitted"}
        for r in grade_rows("forgetting", good_pairs(("omitted", "open")))
    ]
    write_grades(benchmark, {k: v for k, v in PERFECT.items() if k != "forgetting"}, rows)
    judge, identity = build_judge("deterministic", benchmark.judges)
    assert calibrate(benchmark, load_episodes(benchmark.episodes), judge, identity).passed


def test_a_domain_needs_grades_of_its_own(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    text = (benchmark.episodes / "000.yaml").read_text()
    other = text.replace('id: "000"', 'id: "001"').replace("domain: code", "domain: medicine")
    (benchmark.episodes / "001.yaml").write_text(other)
    result = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    assert result.gate.open_domains == {"code"}
    reason = "medicine: no reference grades, its episodes have verdicts and no scores"
    assert result.gate.reasons == [reason]
    assert result.summary.statuses == {"scored": 1, "uncalibrated": 1}
    assert result.summary.figures["all"]["quality"].n == 1
    assert result.card is not None
    assert "uncalibrated_domains: 1 episodes of medicine have no score" in result.card.warnings
    rows = {row.episode: row for row in read_scores(result.path / "scores.parquet")}
    assert (rows["000"].status, rows["001"].status) == ("scored", "uncalibrated")
    assert rows["001"].quality is None


class Moody(Judge):
    """Gives another answer each time it is asked."""

    model = "moody"
    identity = "moody"

    def __init__(self, offset: int = 0) -> None:
        self.calls = offset

    def rule(self, claim: EpisodeClaim, context: str) -> JudgeRuling:
        self.calls += 1
        return JudgeRuling("yes", context) if self.calls % 2 else JudgeRuling("no")

    def again(self, seed: int) -> Moody:
        return Moody(1)


def test_retest_says_how_often_the_judge_repeats_itself(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    write_grades(benchmark, PERFECT)
    episodes = load_episodes(benchmark.episodes)
    identity = JudgeIdentity("moody", {}, "chars/4")
    gate = calibrate(benchmark, episodes, Moody(), identity, retest=True)
    by_name = {part.component: part.retest for part in gate.components}
    assert by_name["preservation"] == 0.0
    judge, mine = build_judge("deterministic", benchmark.judges)
    steady = calibrate(benchmark, episodes, judge, mine, retest=True)
    assert {part.retest for part in steady.components} == {1.0}


def test_bad_grades_are_told_with_their_line(tmp_path: Path, cli: Cli) -> None:
    benchmark = make_benchmark(tmp_path)
    row = grade_rows("preservation", [("yes", "yes")])[0]
    for bad, said in (
        ("{", "line 2: not JSON"),
        (json.dumps({**row, "label": "perhaps"}), "line 2: label 'perhaps'"),
        (json.dumps({**row, "component": "style"}), "line 2: component"),
        (json.dumps({**row, "context_hash": "../../etc/passwd"}), "line 2: context_hash"),
        (json.dumps({**row, "item": "Z"}), "no preservation item 'Z'"),
        (json.dumps({**row, "episode": "404"}), "no episode '404'"),
        (json.dumps({**row, "context": "another text"}), "does not have the hash"),
    ):
        benchmark.reference_grades.write_text(
            json.dumps(grade_rows("continuation", [("yes", "yes")])[0]) + "\n" + bad + "\n"
        )
        told = cli("resumption", "calibrate", "-e", benchmark.root)
        assert told.code == 2, bad
        assert said in told.err


def test_judges_stand_side_by_side(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    write_grades(benchmark, PERFECT)
    episodes = load_episodes(benchmark.episodes)
    judges: dict[str, Judge] = {"one": DeterministicJudge(), "moody": Moody()}
    for name, judge in judges.items():
        calibrate(benchmark, episodes, judge, JudgeIdentity(name, {}, "chars/4"))
    report = benchmark.kappa_report.read_text()
    assert report.index("## moody") < report.index("## one")  # the newest first
    for name, passed in (("one", True), ("moody", False)):
        gate = current_gate(benchmark, episodes, judges[name], JudgeIdentity(name, {}, "chars/4"))
        assert gate.passed is passed
    third = JudgeIdentity("third", {}, "chars/4")
    assert current_gate(benchmark, episodes, Moody(), third).reasons == [
        "calibrated was the judge moody and one, not third; calibrate this one"
    ]


def test_a_folder_of_an_older_version_keeps_its_gate(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    gate_of(benchmark).rename(benchmark.gate)
    judge, identity = build_judge("deterministic", benchmark.judges)
    assert current_gate(benchmark, load_episodes(benchmark.episodes), judge, identity).passed


def test_a_withdrawn_component_closes_the_gate(tmp_path: Path) -> None:
    class Withdrawn(DeterministicJudge):
        withdrawn: Mapping[str, str] = {"forgetting": "it errs"}

    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    _, identity = build_judge("deterministic", benchmark.judges)
    gate = current_gate(benchmark, load_episodes(benchmark.episodes), Withdrawn(), identity)
    assert not gate.passed
    assert gate.reasons == ["forgetting (code): the judge is withdrawn here: it errs"]


@pytest.mark.parametrize("agrees", [True, False])
def test_a_judge_must_pass_on_late_written_episodes(tmp_path: Path, agrees: bool) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    text = (benchmark.episodes / "000.yaml").read_text()
    late = text.replace('id: "000"', 'id: "001"\nwritten: late')
    (benchmark.episodes / "001.yaml").write_text(late.replace("domain: code", "domain: medicine"))
    pairs = PERFECT if agrees else {**PERFECT, "preservation": [("yes", "no"), ("no", "yes")] * 30}
    rows = [
        {**row, "episode": "001"}
        for component, listed in pairs.items()
        for row in grade_rows(component, listed)
    ]
    write_grades(benchmark, PERFECT, rows)
    judge, identity = build_judge("deterministic", benchmark.judges)
    gate = calibrate(benchmark, load_episodes(benchmark.episodes), judge, identity)
    assert gate.passed is agrees
    assert gate.open_domains == ({"code", "late-written"} if agrees else set())

    result = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    words = headline(result.summary, result.gate)
    if agrees:
        assert next(iter(result.summary.figures)) == "late"
        late, together, graders = words.split("; ")
        assert late == "quality 1.000 (0.207 to 1.000) on 1 late-written episodes"
        assert together.endswith(" on 2 episodes")
        assert graders.startswith("graded by unknown: test (")
        assert words.endswith("no human")
    else:
        assert (words, result.summary.figures) == ("", {})
