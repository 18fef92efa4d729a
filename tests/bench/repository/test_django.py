"""The chain of real issues: downloads releases of Django where the cache does not hold them."""

from __future__ import annotations

import pytest

from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.repository.backend import Files, SuiteSetting
from agingbench.bench.repository.chain import CHAIN_FILE, ChainFile, load_chain
from agingbench.bench.repository.judging import TicketJudge
from agingbench.bench.repository.verifying import verify_chain
from agingbench.bench.scoring.ticket_checks import ticket_checks
from agingbench.errors import InputError
from agingbench.sandbox.confinement import available
from tests.bench.repository.test_judging import (
    ALWAYS_OK,
    HOOKS_THE_RESULT,
    REPORTS_ITSELF,
    REWRITES_TESTS,
    SILENT_ASSERTIONS,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not available()[0], reason=available()[1] or "can be confined"),
]
SETTING = SuiteSetting("3.11")
QUERY = "django/db/models/sql/query.py"
ONE_KNOWN_TEST = """
import unittest
true_call = unittest.TestCase.__call__
def call(self, *words, **named):
    if "test_defer_fk_attname" in self.id():
        result = words[0]
        result.startTest(self); result.addSuccess(self); result.stopTest(self)
        return result
    return true_call(self, *words, **named)
unittest.TestCase.__call__ = call
"""
PATCHES = {
    "patches unittest": ALWAYS_OK,
    "targets one known test": ONE_KNOWN_TEST,
    "silences assertions": SILENT_ASSERTIONS,
    "writes the report itself": REPORTS_ITSELF,
    "rewrites tests and runner at run time": REWRITES_TESTS,
    "hooks the result of our runner": HOOKS_THE_RESULT,
    "exits early": "\nimport os\nos._exit(0)\n",
}


@pytest.fixture(scope="module")
def chain() -> ChainFile:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(CHAIN_FILE, raising=False)
        file = load_chain()
    try:
        TicketJudge(file).backend.before(file.chain.ticket(34458))
    except InputError as error:
        pytest.skip(str(error))
    return file


def test_every_ticket_holds(chain: ChainFile) -> None:
    results = list(verify_chain(chain, SETTING))
    assert len(results) == 21
    assert {result.ticket: result.problem for result in results if result.problem} == {}


@pytest.mark.parametrize("name", PATCHES)
def test_no_hostile_patch_passes(chain: ChainFile, name: str) -> None:
    judge = TicketJudge(chain)
    ticket = chain.chain.ticket(34458)
    before = judge.backend.before(ticket)
    family: Files = {**before, QUERY: before[QUERY] + PATCHES[name]}
    outcome = judge.resolved(ticket, family, SETTING)
    assert outcome.status == "failed"


def test_gold_work_scores_one_after_a_bump_and_a_switch(chain: ChainFile) -> None:
    scenario = load_scenario("s8")
    plan = plan_for("s8", "light", {"tokens_per_session": 500}, 8, 0)
    states = [(point, {"files": dict(scenario.solution(plan, point))}) for point in range(1, 9)]
    checks = ticket_checks(plan, states)
    assert {check.status for check in checks} == {"passed"}
    assert len(checks) == 64
