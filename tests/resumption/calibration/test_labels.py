"""Labels that cost a model call: kept as they come, taken over by whom they belong to, and by
nobody else.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agingbench.errors import InputError
from agingbench.resumption.calibration.calibrate import calibrate
from agingbench.resumption.calibration.gate import CalibrationGate
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import load_episodes
from agingbench.resumption.judges.build import JudgeIdentity, build_judge
from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling
from agingbench.resumption.judges.deterministic import DeterministicJudge
from tests.models.stub_server import Says, StubServer
from tests.resumption.making import PERFECT, gate_of, grade_rows, make_benchmark, write_grades

IDENTITY = JudgeIdentity("model/counting", {"forgetting": "a"}, "chars/4")


class Counting(DeterministicJudge):
    """Stands in for a model: knows what it was asked, and breaks off where it is told to."""

    model = "counting"

    def __init__(
        self, most: int | None = None, broken: Iterable[int] = (), reason: str = ""
    ) -> None:
        self.asked: list[EpisodeClaim] = []
        self._most = most
        self._broken = set(broken)
        self._reason = reason

    def rule(self, claim: EpisodeClaim, context: str) -> JudgeRuling:
        if len(self.asked) == self._most:
            raise KeyboardInterrupt
        self.asked.append(claim)
        if len(self.asked) in self._broken:
            return JudgeRuling("failed", "", self._reason)
        return super().rule(claim, context)


def judged(
    benchmark: BenchmarkFolder,
    judge: Counting,
    identity: JudgeIdentity = IDENTITY,
    retest: bool = False,
) -> CalibrationGate:
    return calibrate(benchmark, load_episodes(benchmark.episodes), judge, identity, retest=retest)


def graded(folder: Path) -> BenchmarkFolder:
    benchmark = make_benchmark(folder)
    write_grades(benchmark, PERFECT)
    return benchmark


def test_an_interrupted_calibration_asks_for_the_rest_only(tmp_path: Path) -> None:
    whole = Counting()
    expected = judged(graded(tmp_path / "whole"), whole)
    benchmark = graded(tmp_path / "parts")
    with pytest.raises(KeyboardInterrupt):
        judged(benchmark, Counting(most=100))
    assert not benchmark.gates.exists()
    kept = benchmark.judged.read_bytes()
    with benchmark.judged.open("ab") as file:
        file.write(b'{"judge": "torn')  # as a kill in the middle of a line leaves it
    rest = Counting()
    assert judged(benchmark, rest) == expected
    # One grade may have been in the middle of its questions.
    assert len(whole.asked) - 100 <= len(rest.asked) <= len(whole.asked) - 98
    assert benchmark.judged.read_bytes().startswith(kept)
    assert (
        gate_of(benchmark).read_bytes()
        == gate_of(BenchmarkFolder(tmp_path / "whole/benchmark")).read_bytes()
    )
    idle = Counting()
    assert judged(benchmark, idle) == expected
    assert idle.asked == []


def test_labels_belong_to_judge_prompts_tokenizer_fact_and_text(tmp_path: Path) -> None:
    benchmark = graded(tmp_path)
    first = Counting()
    judged(benchmark, first)
    for other in (
        msgspec.structs.replace(IDENTITY, judge="model/other"),
        msgspec.structs.replace(IDENTITY, prompts={"forgetting": "b"}),
        msgspec.structs.replace(IDENTITY, tokenizer="bpe"),
    ):
        judged(benchmark, again := Counting(), other)
        assert len(again.asked) == len(first.asked)
    more = grade_rows("preservation", [("yes", "yes")] * 3, split="tune")
    write_grades(benchmark, PERFECT, more)
    judged(benchmark, added := Counting())
    assert len(added.asked) == 3
    path = benchmark.episodes / "000.yaml"
    text = path.read_text()
    assert "sleep" in text
    path.write_text(text.replace("sleep", "pause"))
    judged(benchmark, reworded := Counting())
    assert {claim.component for claim in reworded.asked} >= {"forgetting"}


def test_a_second_asking_is_kept_apart_from_the_first(tmp_path: Path) -> None:
    benchmark = graded(tmp_path)
    judged(benchmark, first := Counting())
    judged(benchmark, second := Counting(), retest=True)
    assert len(second.asked) == len(first.asked)
    judged(benchmark, third := Counting(), retest=True)
    assert third.asked == []


def test_a_call_that_broke_is_made_again_and_an_unreadable_reply_is_not(tmp_path: Path) -> None:
    for reason, repeated in (("TransportError: no route", 1), ("the reply holds no answer", 0)):
        benchmark = graded(tmp_path / str(repeated))
        gate = judged(benchmark, Counting(broken=[60], reason=reason))
        assert sum(part.failed for part in gate.components) == 1
        judged(benchmark, again := Counting())
        assert len(again.asked) == repeated


def test_a_judge_that_costs_nothing_leaves_no_labels(tmp_path: Path) -> None:
    benchmark = graded(tmp_path)
    judge, identity = build_judge("deterministic", benchmark.judges)
    calibrate(benchmark, load_episodes(benchmark.episodes), judge, identity)
    assert not benchmark.judged.exists()


def test_a_broken_file_of_labels_is_told_with_its_line(tmp_path: Path) -> None:
    benchmark = graded(tmp_path)
    benchmark.judged.write_text('{"judge": 1}\n{}\n')
    with pytest.raises(InputError, match=r"judged\.jsonl: line 1: not a label of a judge"):
        judged(benchmark, Counting())


# ------------------------------------------------------------------------------------------- a
# process and a server


class HeldReader:
    """A model that says yes with the first words of the text, as often as it is let."""

    def __init__(self) -> None:
        self._left = threading.Semaphore(0)

    def let(self, times: int) -> None:
        self._left.release(times)

    def __call__(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self._left.acquire(timeout=300)
        text = body["messages"][-1]["content"].partition("<text>\n")[2].partition("\n</text>")[0]
        return 200, Says(json.dumps({"answer": "yes", "quote": text[:10]})).openai(body)


def command(benchmark: BenchmarkFolder, server: StubServer) -> subprocess.Popen[str]:
    line = [
        sys.executable,
        "-m",
        "agingbench",
        "resumption",
        "calibrate",
        "-e",
        str(benchmark.root),
        "--judge",
    ]
    env = {**os.environ, "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.openai_url}
    return subprocess.Popen(
        [*line, "openai:stub"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines() if path.is_file() else []


def test_a_calibration_that_is_killed_or_interrupted_pays_for_nothing_twice(tmp_path: Path) -> None:
    benchmark = graded(tmp_path)
    reader = HeldReader()
    with StubServer(reader) as server:
        kept: list[bytes] = []
        for sent, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
            process = command(benchmark, server)
            before = len(kept)
            reader.let(30)  # far from all questions
            while len(lines_of(benchmark.judged)) < before + 5:
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(sent)
            reader.let(4)  # what is under way may end
            told = process.communicate()[1]
            assert process.returncode == code, told
            assert ("run the same command to continue" in told) is (sent == signal.SIGINT)
            assert lines_of(benchmark.judged)[:before] == kept
            kept = [line for line in benchmark.judged.read_bytes().split(b"\n")[:-1] if line]
            assert len(kept) >= before + 5
        assert not benchmark.gates.exists()
        reader.let(100_000)
        last = command(benchmark, server)
        last.communicate()
        assert last.returncode == 3  # a judge that says yes to everything
        assert lines_of(benchmark.judged)[: len(kept)] == kept
        assert len(lines_of(benchmark.judged)) == len(
            json.loads(gate_of(benchmark).read_text())["labels"]
        )
        asked = [seen.body["messages"][-1]["content"] for seen in server.requests]
        # What was under way when it was stopped is all that may be asked twice: two questions each
        # time.
        assert len(asked) - len(set(asked)) <= 4
