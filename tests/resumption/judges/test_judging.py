"""Who resumes and who judges: what an agent and a model judge get to see, and how replies are read."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from agingbench.errors import InputError, TransportError
from agingbench.models.scripted import Scripted
from agingbench.resumption.episodes.benchmark_folder import packaged_set
from agingbench.resumption.judges.claim import EpisodeClaim
from agingbench.resumption.judges.model import ModelJudge, read_reply
from agingbench.resumption.judges.prompts import JudgePrompts
from agingbench.resumption.runs.other_agents import ModelAgent
from agingbench.resumption.runs.resuming_agent import resume
from agingbench.resumption.runs.run import RunSettings, run_benchmark
from agingbench.resumption.runs.scores_file import read_scores
from tests.resumption.making import example, make_benchmark, open_gate


def test_hand_overs_are_scored_apart(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    open_gate(benchmark)
    loaded = yaml.safe_load((benchmark.episodes / "000.yaml").read_text())
    other = {
        **loaded,
        "id": "001",
        "resume_with": {"prompt": "Be brief.", "tools": [{"name": "shell"}]},
    }
    (benchmark.episodes / "001.yaml").write_text(yaml.safe_dump(other))
    result = run_benchmark(benchmark.root, RunSettings("structured", 2000))
    assert result.summary.figures["all"]["quality"].n == 1
    assert result.summary.figures["handover"]["quality"].n == 1
    assert {row.episode: row.handover for row in read_scores(result.path / "scores.parquet")} == {
        "000": False,
        "001": True,
    }


def test_the_resuming_agent_sees_task_and_context_and_never_the_trajectory() -> None:
    model = Scripted(["1. write it"])
    given = example().model_dump(mode="json")
    assert given["initial_task"]
    said = resume(ModelAgent(model), example(), "fix: per-test namespace")
    assert said.text == "1. write it"
    (call,) = model.calls
    seen = "\n".join(message.content for message in call.messages)
    assert "fix: per-test namespace" in seen
    assert example().initial_task in seen
    assert "time.sleep" not in seen


def test_a_model_judge_sees_one_fact_and_must_quote() -> None:
    prompts = JudgePrompts(packaged_set() / "judges")
    claim = EpisodeClaim("preservation", "stated", "the fix is {context} a namespace")
    model = Scripted(
        ['{"answer": "yes", "quote": "a namespace"}', "no idea", "ANSWER: no\nQUOTE:", "{"]
    )
    judge = ModelJudge(model, prompts)
    assert judge.rule(claim, "it is a namespace {claim}").label == "yes"
    asked = model.calls[0].messages[0].content
    assert asked.count("the fix is {context} a namespace") == 1
    assert asked.count("it is a namespace {claim}") == 1
    assert judge.rule(claim, "x").label == "failed"
    assert judge.rule(claim, "x").label == "no"
    assert judge.rule(claim, "x").label == "failed"


def test_a_judge_that_cannot_be_reached_failed() -> None:
    judge = ModelJudge(Scripted([TransportError("down")]), JudgePrompts(packaged_set() / "judges"))
    assert judge.rule(EpisodeClaim("preservation", "stated", "a"), "b").label == "failed"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ('{"answer": "Yes", "quote": "q"}', "yes"),
        ('Sure: {"answer": "no"}', "no"),
        ('{"answer": true}', "failed"),
        ("[]", "failed"),
        ("", "failed"),
        ('{"answer": "yes", "quote": 7}', "yes"),
    ],
)
def test_replies_of_a_judge(text: str, label: str) -> None:
    assert read_reply(text).label == label


def test_prompts_lacking_a_part_are_refused(tmp_path: Path) -> None:
    for file in (packaged_set() / "judges").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "forgetting_judge.md").write_text(
        "## prompt\n\n{question} {claim} {context}\n\n## mentioned\n\nx\n"
    )
    with pytest.raises(InputError, match="'## open'"):
        JudgePrompts(tmp_path)
