"""What the texts of lives measure, and the bars they are held to."""

from __future__ import annotations

import msgspec
import pytest

from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.plan.facts import Version
from agingbench.bench.plan.plan import Plan
from agingbench.validity.texts import measure_texts, texts


def life(seed: int = 5) -> Plan:
    return plan_for(load_scenario("s1"), "medium", None, 4, seed)


def with_passages(plan: Plan, passage: str) -> Plan:
    for fact in plan.graph.facts:
        fact.versions = [
            msgspec.structs.replace(version, passage=passage.format(v=version.value.text))
            for version in fact.versions
        ]
    return plan


def test_a_passage_that_does_not_name_its_subject_is_found() -> None:
    measure = measure_texts(with_passages(life(), "It is {v}."))
    assert len(measure.unstated) == measure.n_facts


def test_the_overlap_is_the_share_of_the_question_that_the_statement_repeats() -> None:
    plan = life()
    for fact in plan.graph.facts:
        version = fact.versions[0]
        fact.versions = [Version(version.session, version.value, version.sentence, fact.question)]
    assert measure_texts(plan).overlap == 1.0
    assert measure_texts(with_passages(life(), "Nothing alike: {v}.")).overlap < 0.2


def test_sentences_that_occur_twice_are_counted() -> None:
    plan = life()
    session = plan.sessions[0]
    plan.sessions = [session, session]
    assert measure_texts(plan).repeated == 1.0


@pytest.mark.parametrize("scenario", ["s1"])
def test_a_report_has_a_row_per_scenario_and_names_what_is_missed(scenario: str) -> None:
    report = texts([scenario], [0], 3)
    assert [row.scenario for row in report.rows] == ["s1_research_literature"]
    assert report.ok == (report.broken == [])
