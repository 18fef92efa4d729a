"""The chain of real issues, on releases of Django.

They are downloaded into the cache of this test run; AGINGBENCH_RELEASES may name a folder that takes
its place and holds them already, such as ~/.cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from agingbench.agents.autonomous.codex import CodexAdapter
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.repository.backend import Files, SuiteSetting
from agingbench.bench.repository.chain import CHAIN_FILE, ChainFile, load_chain
from agingbench.bench.repository.judging import TicketJudge
from agingbench.bench.repository.verifying import verify_chain
from agingbench.bench.scoring.ticket_checks import ticket_checks
from agingbench.errors import InputError
from agingbench.interfaces import Model
from agingbench.memory.workspace import Workspace
from agingbench.models.extractive import Extractive
from agingbench.sandbox.confinement import available
from tests.bench.repository.patching import PatchingModel, patch_commands
from tests.bench.repository.test_judging import (
    ALWAYS_OK,
    HOOKS_THE_RESULT,
    REPORTS_ITSELF,
    REWRITES_TESTS,
    SILENT_ASSERTIONS,
)
from tests.bench.scenarios.test_s8 import only_tickets, states

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
def chain() -> Iterator[ChainFile]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(CHAIN_FILE, raising=False)
        given = os.environ.get("AGINGBENCH_RELEASES")
        if given:
            patch.setenv("XDG_CACHE_HOME", given)
        file = load_chain()
        try:
            TicketJudge(file).backend.before(file.chain.ticket(34458))
        except InputError as error:
            pytest.skip(str(error))
        yield file


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


@pytest.mark.skipif(not os.environ.get("AGINGBENCH_AGENTS"), reason="AGINGBENCH_AGENTS not set")
@pytest.mark.parametrize("is_patched", [True, False])
def test_tickets_through_a_real_product(chain: ChainFile, is_patched: bool) -> None:
    scenario = load_scenario("s8")
    plan = only_tickets(plan_for("s8", "light", {"tokens_per_session": 500}, 3, 0, []))
    model: Model = Extractive("never_writes")
    if is_patched:
        model = PatchingModel(Extractive(), patch_commands(plan, scenario))
    record = InMemory()
    live_plan(plan, scenario, CodexAdapter(model, Workspace()), record)
    checks = ticket_checks(plan, states(plan, record))
    wanted = "passed" if is_patched else "failed"
    assert [check.status for check in checks] == [wanted] * 24
