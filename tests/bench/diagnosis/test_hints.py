"""The diagnosis as files hold it, and the hint: worded from the measured shares, absent where none
is supported.
"""

from __future__ import annotations

import json

import pytest

from agingbench.bench.diagnosis.hints import (
    FIRST,
    TRY,
    diagnosis_cell,
    diagnosis_document,
    mechanism_shares,
    repair_hint,
)
from agingbench.bench.diagnosis.ladder import Diagnosis
from agingbench.bench.life.planning import plan_for
from agingbench.metrics.shares import STAGES, STORE, Rungs, shares, store_change
from agingbench.records import Usage

PLAN = plan_for("s2", "light", sessions=2)
Marks = tuple[float, float, float]


def rows(marks: Marks, n: int, mechanism: str = "compression", blob: bool = False) -> list[Rungs]:
    one, two, three = marks
    return [
        Rungs(1, f"{mechanism}{f}", mechanism, one, None if blob else two, three, blob)
        for f in range(n)
    ]


def diagnosis(*parts: list[Rungs], end_to_end: bool = False) -> Diagnosis:
    whole = [row for part in parts for row in part]
    names = dict.fromkeys(row.mechanism for row in whole)
    return Diagnosis(
        life=shares(whole),
        sessions={1: shares(whole)},
        mechanisms={name: shares(r for r in whole if r.mechanism == name) for name in names},
        events=[],
        undisturbed=None,
        end_to_end=end_to_end,
        excluded={},
        usage=Usage(),
    )


FAULTS = {"write": (0.0, 0.0, 1.0), "retrieval": (0.0, 1.0, 1.0), "utilization": (0.0, 0.0, 0.0)}


@pytest.mark.parametrize(("stage", "marks"), FAULTS.items())
def test_a_hint_names_the_stage_what_to_try_and_the_measured_evidence(
    stage: str, marks: Marks
) -> None:
    found = repair_hint(diagnosis(rows(marks, 30), rows((1.0, 1.0, 1.0), 10, "revision")))
    assert found is not None
    assert (found.stage, found.mechanism) == (stage, "compression")
    assert found.advice == TRY[stage]
    assert found.evidence.startswith("75% (")
    assert "n = 40" in found.evidence
    assert "Most of it shows in compression probes: 100% (" in found.evidence


def test_a_hint_without_support_is_absent() -> None:
    assert repair_hint(diagnosis(rows((1.0, 1.0, 1.0), 30))) is None
    assert repair_hint(diagnosis(rows((0.0, 0.0, 1.0), 1))) is None
    anomaly = diagnosis(rows((1.0, 0.0, 1.0), 30))
    assert anomaly.life.diagnostic_anomaly
    assert repair_hint(anomaly) is None


def test_what_shows_in_one_mechanism_changes_what_to_try_first() -> None:
    for (stage, mechanism), first in FIRST.items():
        marks = FAULTS.get(stage, (0.0, 0.0, 1.0))
        blob = stage == "write+retrieval"
        found = repair_hint(
            diagnosis(
                rows(marks, 30, mechanism, blob), rows((1.0, 1.0, 1.0), 10, "compression", blob)
            )
        )
        assert found is not None
        assert (found.stage, found.mechanism) == (stage, mechanism)
        assert found.advice == f"{first}; then {TRY[stage]}"


def test_every_stage_has_something_to_try() -> None:
    assert set(TRY) == {*STAGES.values(), STORE}
    assert {stage for stage, _ in FIRST} <= set(TRY)


def test_an_agent_that_owns_its_loop_is_told_so() -> None:
    found = repair_hint(diagnosis(rows((0.0, 1.0, 1.0), 30), end_to_end=True))
    assert found is not None
    assert "owns its loop" in found.evidence


def test_an_anomaly_is_listed_and_has_no_shares_anywhere() -> None:
    found = diagnosis(rows((1.0, 0.0, 1.0), 30), rows((0.0, 1.0, 1.0), 2, "revision"))
    told = diagnosis_document(found, PLAN).document()
    assert told["anomalies"] == ["life", "session 1", "mechanism compression"]
    assert told["shares"] is None
    assert told["accuracy"]["as_lived"]["value"] == pytest.approx(30 / 32)
    assert told["stage"] is None
    blocks = mechanism_shares(found)
    assert blocks["compression"].document() == {"diagnostic_anomaly": True}
    assert blocks["revision"].figure("retrieval_share").value == 1.0
    json.dumps(told, allow_nan=False)


def test_a_cell_without_probes_claims_nothing() -> None:
    cell = diagnosis_cell(shares([]))
    assert (cell.n, cell.shares, cell.accuracy) == (0, None, {})


def test_the_change_of_the_store_stands_in_the_maintenance_block() -> None:
    before = rows((1.0, 1.0, 1.0), 15)
    after = rows((0.0, 0.0, 1.0), 15)
    change = store_change("flush_history@1", 1, list(zip(before, after, strict=True)))
    whole = shares(rows((0.0, 0.0, 1.0), 30))
    found = Diagnosis(
        life=whole,
        sessions={1: whole},
        mechanisms={"maintenance": whole},
        events=[change],
        undisturbed=shares([]),
        end_to_end=False,
        excluded={},
        usage=Usage(),
    )
    block = mechanism_shares(found)["maintenance"].document()
    assert (block["delta_s"], block["delta_s_n"]) == (1.0, 15)
    told = repair_hint(found)
    assert told is not None
    assert told.stage == "store"
    assert told.evidence.startswith("flush_history@1 took 100% (")
    assert "before it 0% were missing, after it 100%" in told.evidence
