"""What calibration promises of paraphrases: from which of them, kept by which, and where that is
said.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from agingbench.cards.figures import Section
from agingbench.interfaces import Judge
from agingbench.models.scripted import Scripted
from agingbench.records import Message
from agingbench.resumption.calibration.calibrate import calibrate, current_gate
from agingbench.resumption.calibration.paraphrases import ParaphraseRecall, paraphrase_warning
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import load_episodes
from agingbench.resumption.judges.build import JudgeIdentity, build_judge
from agingbench.resumption.judges.model import ModelJudge
from agingbench.resumption.judges.prompts import JudgePrompts
from agingbench.resumption.runs.run import RunSettings, run_benchmark
from tests.resumption.making import PERFECT, grade_rows, make_benchmark, write_grades

SEEN = ("mentioned", "open")
MISSED = ("mentioned", "omitted")
SILENT = ("omitted", "omitted")
ALARM = ("omitted", "open")
Pair = tuple[str, str]
READER = JudgeIdentity("model/reader", {}, "chars/4")


def two_episodes(folder: Path, gate: Sequence[Pair], held: Sequence[Pair]) -> BenchmarkFolder:
    """A benchmark with paraphrases in the episode of the gate and in another one."""
    benchmark = make_benchmark(folder)
    text = (benchmark.episodes / "000.yaml").read_text()
    (benchmark.episodes / "001.yaml").write_text(text.replace('id: "000"', 'id: "001"'))
    near, far = (grade_rows("forgetting", pairs, split="paraphrase") for pairs in (gate, held))
    write_grades(benchmark, PERFECT, [*near, *({**row, "episode": "001"} for row in far)])
    return benchmark


def measured(benchmark: BenchmarkFolder, judge: Judge | None = None) -> ParaphraseRecall:
    built, identity = build_judge("deterministic", benchmark.judges)
    gate = calibrate(
        benchmark, load_episodes(benchmark.episodes), judge or built, READER if judge else identity
    )
    assert gate.passed
    assert gate.paraphrases is not None
    return gate.paraphrases


def report(benchmark: BenchmarkFolder) -> str:
    return benchmark.kappa_report.read_text()


def test_the_promise_rests_on_paraphrases_of_the_gates_episodes_alone(tmp_path: Path) -> None:
    held = [SEEN] * 6 + [MISSED] * 4 + [SILENT] * 3 + [ALARM]
    benchmark = two_episodes(tmp_path, [SEEN] * 10 + [MISSED] * 10, held)
    told = measured(benchmark)
    assert (told.n, told.recall, told.kept) == (10, 0.6, True)
    assert told.promised == pytest.approx(0.2993, abs=1e-4)  # Wilson, 10 of 20
    assert (told.calibration.n, told.calibration.recall) == (20, 0.5)
    assert told.calibration.recall_ci is not None
    assert told.calibration.recall_ci[0] == told.promised
    assert (told.false_alarms, told.false_alarms_n) == (0.25, 4)
    # The gate's own mentions name the approach: all 50 are found, and paraphrases do not come up to
    # that.
    assert (told.mentions.n, told.mentions.recall, told.mentions.kept) == (
        50,
        1.0,
        False,
    )
    assert (
        "a promise of at least 0.30, which is kept. False alarms 0.25 (n = 4). Mentions"
        in report(benchmark)
    )
    assert "a bound that paraphrases do not reach" in report(benchmark)


def test_a_promise_that_is_not_kept_is_told_in_report_and_card(tmp_path: Path) -> None:
    benchmark = two_episodes(tmp_path, [SEEN] * 18 + [MISSED] * 2, [SEEN] * 5 + [MISSED] * 15)
    told = measured(benchmark)
    assert (told.recall, told.kept) == (0.25, False)
    assert "a promise of at least 0.70, which is not kept" in report(benchmark)
    card = run_benchmark(benchmark.root, RunSettings("structured", 2000)).card
    assert card is not None
    assert isinstance(card.resumption.paraphrases, Section)
    assert card.resumption.paraphrases.document() == msgspec.to_builtins(told)
    (warning,) = (w for w in card.warnings if w.startswith("paraphrase:"))
    assert "sees 0.25 of held-out" in warning
    assert "less than its calibration promised (0.70)" in warning
    assert "mostly name the approach, it sees 1.00" in warning


def test_without_paraphrases_on_one_of_the_sides_nothing_is_promised_or_kept(
    tmp_path: Path,
) -> None:
    unkept = measured(benchmark := two_episodes(tmp_path / "a", [MISSED] * 15 + [SEEN] * 5, []))
    assert (unkept.n, unkept.recall, unkept.recall_ci, unkept.kept) == (
        0,
        None,
        None,
        None,
    )
    assert unkept.calibration.recall == 0.25
    assert "none is held out" in report(benchmark)
    assert "0.25" in report(benchmark)
    unpromised = measured(benchmark := two_episodes(tmp_path / "b", [], [SEEN] * 5 + [MISSED] * 5))
    assert (unpromised.recall, unpromised.promised, unpromised.kept) == (0.5, None, None)
    assert "nothing was promised" in report(benchmark)
    assert paraphrase_warning(unkept) is None
    assert paraphrase_warning(None) is None


def reader(messages: Sequence[Message], tools: object) -> str:
    """Stands in for a language model: it knows that waiting between the calls is what sleep retries
    are.
    """
    asked = messages[-1].content
    text = asked.partition("<text>\n")[2].partition("\n</text>")[0]
    if "Approach:" in asked:
        if "bring this approach up" in asked:
            yes = "sleep" in text or "wait" in text
        elif "may still be tried" in asked:
            yes = "add time.sleep" in text or "let it wait" in text
        else:
            yes = "gave up" in text
    else:
        yes = "shared cache key" in text or "namespace" in text
    return json.dumps({"answer": "yes" if yes else "no", "quote": text[:20] if yes else ""})


def test_a_model_judge_keeps_the_promise_on_held_out_paraphrases(tmp_path: Path) -> None:
    said = [
        "let it wait between the calls",
        "one could let it wait a little",
        "waiting was tried before",
    ]
    benchmark = two_episodes(tmp_path, [], [])
    rows = grade_rows("forgetting", [MISSED] * 42, split="paraphrase")
    for number, row in enumerate(rows):
        text = f"{said[number % 3]} ({number})"
        digest = hashlib.sha256(text.encode()).hexdigest()
        row |= {"context": text, "context_hash": digest, "episode": "000" if number < 21 else "001"}
    write_grades(benchmark, PERFECT, rows)
    told = measured(benchmark, ModelJudge(Scripted(reader), JudgePrompts(benchmark.judges)))
    assert (told.n, told.recall, told.kept) == (21, 1.0, True)
    assert told.promised is not None
    assert 0.8 < told.promised < 1.0
    assert paraphrase_warning(told) is None
    # What the model said is kept, so the gate can be looked at again without asking it.
    silent = ModelJudge(Scripted([]), JudgePrompts(benchmark.judges))
    assert current_gate(benchmark, load_episodes(benchmark.episodes), silent, READER).passed
    blind = measured(benchmark)
    assert blind.recall == 0.0
    assert paraphrase_warning(blind) is not None
