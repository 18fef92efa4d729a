"""Diagnosis of lives on disk: the same as in memory, gone on with after a stop, held to a sum, and
asked of all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agingbench.bench.diagnosis.contexts import full_history
from agingbench.bench.diagnosis.hints import diagnosis_document
from agingbench.bench.diagnosis.ladder import P1, wanted_rows
from agingbench.bench.diagnosis.recorded import AnswerFile
from agingbench.bench.life.budget import Budget, BudgetReached
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.system import Sut
from agingbench.bench.scoring.files import pretty
from agingbench.cards.check import validate_card
from agingbench.errors import InputError
from agingbench.models.extractive import Extractive
from agingbench.records import Message, Reply, Tool
from agingbench.trials.run_folder import AnswerRow, read_answers
from tests.bench.diagnosis.diagnosed import Lived, agent, s2_plan
from tests.bench.lives import diagnose_run, run_life, score_run

HERE = __name__


class Counts(Extractive):
    """Counts what it is asked, and may be killed."""

    calls = 0
    most = 10**9

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        if Counts.calls >= Counts.most:
            raise KeyboardInterrupt
        Counts.calls += 1
        return super().complete(messages, tools, max_tokens, seed)


@pytest.fixture
def counts() -> type[Counts]:
    Counts.calls = 0
    Counts.most = 10**9
    return Counts


def lived_on_disk(
    out: Path, sut: Sut | None = None, events: Sequence[str] = ("flush_history@3",)
) -> Path:
    plan = s2_plan(events, sessions=4)
    return run_life(plan, sut or Sut(memory="append_only"), out)[0]


def shown(path: Path) -> Any:
    return json.loads(RunDirectory(path).diagnosis.read_text())


def test_a_life_on_disk_is_diagnosed_like_the_same_life_in_memory_and_scoring_changes_nothing(
    tmp_path: Path,
) -> None:
    path = lived_on_disk(tmp_path)
    answers = RunDirectory(path).answers.read_bytes()
    calls = diagnose_run(path, Resources())
    card = score_run(path)
    plan = RunDirectory(path).plan()
    lived = Lived(plan, agent())
    assert (
        card["diagnosis"]
        == shown(path)
        == json.loads(pretty(diagnosis_document(lived.found, plan)))
    )
    assert validate_card(card) == []
    assert RunDirectory(path).answers.read_bytes() == answers
    assert calls == len([key for key in wanted_rows(plan) if key[0] != f"{P1}_before"]) + 2 * 24
    assert diagnose_run(path, Resources()) == 0
    assert score_run(path) == card
    for name in ("write_share", "retrieval_share", "utilization_share"):
        block = card["mechanism_metrics"]["compression"]
        assert block[name] is not None
        assert len(block[f"{name}_ci"]) == 2
        assert block[f"{name}_n"] > 0
    assert (
        card["mechanism_metrics"]["maintenance"]["delta_s"]
        == card["diagnosis"]["events"][0]["delta_s"]["value"]
    )
    assert card["cost_and_efficiency"]["total_calls"] < card["diagnosis"]["cost"]["total_calls"] * 5


def test_what_the_diagnosis_took_is_counted_apart_from_the_life(tmp_path: Path) -> None:
    path = lived_on_disk(tmp_path)
    before = score_run(path)["cost_and_efficiency"]
    diagnose_run(path, Resources())
    card = score_run(path)
    assert card["cost_and_efficiency"] == before
    rows = read_answers(RunDirectory(path).diagnosis_answers)
    assert card["diagnosis"]["cost"]["total_calls"] == sum(row.usage.calls for row in rows)


def test_a_diagnosis_that_was_killed_goes_on_and_makes_no_call_twice(
    tmp_path: Path, counts: type[Counts]
) -> None:
    sut = Sut(model=f"{HERE}:Counts", memory="append_only")
    whole = lived_on_disk(tmp_path / "a", sut)
    cut = lived_on_disk(tmp_path / "b", sut)
    counts.calls = 0
    diagnose_run(whole, Resources(), calibrate=True)
    needed = counts.calls
    counts.calls = 0
    for most in (7, 30, 65, 10**9):
        counts.most = most
        try:
            diagnose_run(cut, Resources(), calibrate=True)
        except KeyboardInterrupt:
            file = RunDirectory(cut).diagnosis_answers
            assert len(file.read_bytes().splitlines()) >= most
            card = score_run(cut)
            assert "diagnosis" not in card
            assert any(w.startswith("diagnosis_incomplete") for w in card["warnings"])
            file.write_bytes(file.read_bytes() + b'{"t":1,"pro')  # and a line that was cut off
    assert counts.calls == needed
    assert score_run(cut)["diagnosis"] == score_run(whole)["diagnosis"]
    names = {"diagnosis_answers", "calibration_answers"}
    for name in names:
        one, other = (read_answers(getattr(RunDirectory(p), name)) for p in (whole, cut))
        assert [msgspec.structs.replace(r, latency_ms=None) for r in one] == [
            msgspec.structs.replace(r, latency_ms=None) for r in other
        ]


def test_with_many_workers_the_files_are_the_same(tmp_path: Path, counts: type[Counts]) -> None:
    path = lived_on_disk(tmp_path, Sut(model=f"{HERE}:Counts", memory="append_only"))
    diagnose_run(path, Resources(probes_at_once=1))
    one = RunDirectory(path).diagnosis_answers.read_bytes()
    RunDirectory(path).diagnosis_answers.unlink()
    diagnose_run(path, Resources(probes_at_once=8))
    strip = [
        msgspec.structs.replace(r, latency_ms=None)
        for r in read_answers(RunDirectory(path).diagnosis_answers)
    ]
    RunDirectory(path).diagnosis_answers.write_bytes(one)
    again = [
        msgspec.structs.replace(r, latency_ms=None)
        for r in read_answers(RunDirectory(path).diagnosis_answers)
    ]
    assert strip == again


def test_replies_that_the_cache_holds_are_not_asked_for(
    tmp_path: Path, counts: type[Counts]
) -> None:
    path = lived_on_disk(tmp_path, Sut(model=f"{HERE}:Counts", memory="append_only"))
    resources = Resources(cache=tmp_path / "cache")
    diagnose_run(path, resources, calibrate=True)
    made = counts.calls
    for file in (RunDirectory(path).diagnosis_answers, RunDirectory(path).calibration_answers):
        file.unlink()
    diagnose_run(path, resources, calibrate=True)
    assert counts.calls == made


class Priced(Counts):
    """Costs money."""

    name = "openai:gpt-4o-mini"

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        reply = super().complete(messages, tools, max_tokens, seed)
        return msgspec.structs.replace(
            reply, usage=msgspec.structs.replace(reply.usage, cost_usd=None)
        )


@pytest.mark.parametrize("workers", [1, 4])
def test_no_more_is_spent_than_may_be_and_more_money_goes_on(
    tmp_path: Path, counts: type[Counts], workers: int
) -> None:
    path = lived_on_disk(tmp_path, Sut(model=f"{HERE}:Priced", memory="append_only"))
    counts.calls = 0
    budget = Budget(0.002)
    with pytest.raises(BudgetReached, match="nothing is lost"):
        diagnose_run(path, Resources(budget=budget, probes_at_once=workers))
    made = counts.calls
    assert made > 10
    assert 0.001 < budget.spent <= 0.002
    kept = [
        r for r in read_answers(RunDirectory(path).diagnosis_answers) if r.status != "abstained"
    ]
    assert len(kept) == made
    rest = diagnose_run(path, Resources(probes_at_once=workers))
    asked = [key for key in wanted_rows(RunDirectory(path).plan()) if key[0] != f"{P1}_before"]
    assert made + rest == len(asked) == counts.calls


def test_a_failed_call_is_made_again_the_next_time(tmp_path: Path) -> None:
    path = lived_on_disk(tmp_path)
    diagnose_run(path, Resources())
    file = AnswerFile(RunDirectory(path).diagnosis_answers)
    rows = file.rows()
    good = rows[-1]
    file.replace([*rows[:-1], AnswerRow(good.t, good.probe, good.condition, "", "failed", "gone")])
    assert score_run(path)["diagnosis"]["n_excluded"] == 1
    assert diagnose_run(path, Resources()) == 1
    assert score_run(path)["diagnosis"]["n_excluded"] == 0


def test_calls_grow_with_the_probes_and_not_faster() -> None:
    made = []
    for sessions in (6, 12, 24):
        plan = plan_for("s3", "light", sessions=sessions)
        lived = Lived(plan, agent(), load_scenario("s3"))
        probes = sum(p.t > 0 and bool(p.required) for p in plan.probes)
        assert lived.found.usage.calls == 2 * probes
        made.append(lived.found.usage.calls / probes)
    assert made == [2.0, 2.0, 2.0]


def test_a_life_that_has_not_ended_or_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a run directory"):
        diagnose_run(tmp_path, Resources())
    path = lived_on_disk(tmp_path)
    lines = RunDirectory(path).trace.read_bytes().splitlines(keepends=True)
    RunDirectory(path).trace.write_bytes(b"".join(lines[:-1]))
    with pytest.raises(InputError, match="has not ended"):
        diagnose_run(path, Resources())


def test_broken_files_are_named(tmp_path: Path) -> None:
    path = lived_on_disk(tmp_path)
    run = RunDirectory(path)
    run.diagnosis_answers.write_bytes(b'{"t":1}\n')
    with pytest.raises(InputError, match=r"diagnosis_answers\.jsonl:1"):
        diagnose_run(path, Resources())
    run.diagnosis_answers.unlink()
    (run.memory / "2.json").write_text("{}")
    with pytest.raises(InputError, match=r"2\.json: not a memory snapshot"):
        diagnose_run(path, Resources())
    (run.memory / "2.json").write_text('{"t": 2, "state": {"memory": {}}, "text": ""}')
    with pytest.raises(InputError, match=r"memory/2\.json: this agent cannot take up the state"):
        diagnose_run(path, Resources())
    for broken in ("{}", "[]", "3", '{"model": 3}'):
        run.sut_file.write_text(broken)
        with pytest.raises(InputError, match=r"sut\.json: not the record of a system"):
            diagnose_run(path, Resources())


def test_the_whole_history_is_every_session_before_the_point_in_order() -> None:
    plan = s2_plan(sessions=3)
    assert full_history(plan, 0) == full_history(plan, 1) == plan.sessions[0].text
    assert full_history(plan, 3) == "\n\n".join(s.text for s in plan.sessions)
