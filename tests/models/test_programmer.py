"""The program that the embedded model writes: requests become a plan, the plan a program."""

from __future__ import annotations

import pytest

from agingbench.bench.life.planning import plan_for
from agingbench.bench.scoring.program_checks import ProgramRunner
from agingbench.models.programmer import Shown, is_program_request, plan_from, stated_value
from agingbench.sandbox.confinement import available

BEGIN = (
    "Please write a Python command-line program in `logs.py`. A log has these fields, in this order:"
    " `id` (whole number, counted up from 1), `name` (text), `themes` (list of words), `credit` (RIS,"
    " may be left out and is null then). The logs are kept in `kelp_bin.jsonl`. That means, one JSON"
    " object per log and line. The command `add` takes an option for every field but the id."
)
PAIR = (
    "The next two belong together. `keep-by-theme` leaves out everything else and shows only the logs"
    " with the theme. All logs come out of `rank-by-theme`, ordered by theme. The first takes the"
    " theme as its only word. Both print like `list`."
)
VIEW = (
    "Please add the command `locate-reef-tern-maps` to `logs.py`. It takes the id of a log and prints"
    " a JSON object with `id` and `place`, the shelf number of reef-tern-maps, a slash and the id."
)
FIELD = (
    "A migration, please. The first migration adds a field, `mossrank`. It is a whole number from 4"
    " to 31, comes last. Let 17 be the default of `mossrank`. There is to be a command `migrate`."
)
MOVE = (
    "Today we move: The storage moves to `osier_silo.db`. That means, an SQLite database with the"
    " tables `logs` and `trips`; `logs` has one row per log. The command `migrate` takes it over."
)
RENAME = (
    "One name has to change. News about the field that says where a log comes from, which is"
    " vaulttrace now. Its place among the fields stays, and `migrate` renames it."
)


def test_a_request_is_told_from_other_words() -> None:
    for text in (BEGIN, PAIR, VIEW, FIELD, MOVE, RENAME):
        assert is_program_request(text)
    for text in ("Draft a line about `tides.py`.", "Which command leaves logs out?", ""):
        assert not is_program_request(text)


def test_requests_become_a_plan_in_their_order() -> None:
    plan = plan_from([BEGIN, "A note about something else.", PAIR, VIEW, FIELD, MOVE, RENAME])
    assert plan.entry == "logs.py"
    assert [one["name"] for one in plan.fields] == [
        "id",
        "name",
        "themes",
        "vaulttrace",
        "mossrank",
    ]
    assert plan.fields[-1] | {"default": 17, "low": 4, "high": 31} == plan.fields[-1]
    assert (plan.subset, plan.order) == ("keep-by-theme", "rank-by-theme")
    assert plan.store == ("database", "osier_silo.db", ["logs", "trips"])
    assert plan.old_store == plan.store  # the last migration moved nothing
    assert plan.renamed == ("credit", "vaulttrace")
    shown = Shown("place", "joined", "/", "shelf", "reef-tern-maps")
    assert plan.views == {"locate-reef-tern-maps": shown}
    assert plan.subjects() == ["reef-tern-maps"]


def test_a_command_that_is_dropped_is_gone() -> None:
    other = VIEW.replace("reef-tern", "coastal-owl")
    plan = plan_from([BEGIN, VIEW, f"{other} In exchange `locate-reef-tern-maps` goes; good."])
    assert list(plan.views) == ["locate-coastal-owl-maps"]


@pytest.mark.parametrize(
    ("stated", "notes", "value"),
    [
        ("shelf", "reef-tern-maps is on shelf 4410.\nreef-tern-maps moved to shelf 5821.", "5821"),
        ("shelf", "upland-owl-maps is on shelf 4410.", None),
        ("day", "The embargo on reef-tern-maps lasts until January 4, 2028.", "2028-01-04"),
        ("characters", "Previews of reef-tern-maps have 87 characters now.", "87"),
        ("number", "In reef-tern-maps a word weighs 1,204 and that is it.", "1204"),
        ("prefix", "For reef-tern-maps we took fenmont as the prefix.", "fenmont"),
        ("name", "Roland Kapoor looks after reef-tern-maps.", "Roland Kapoor"),
    ],
)
def test_the_latest_sentence_gives_the_value(stated: str, notes: str, value: str | None) -> None:
    assert stated_value(Shown("k", "joined", "/", stated, "reef-tern-maps"), notes) == value


@pytest.mark.skipif(not available()[0], reason=available()[1])
@pytest.mark.parametrize("seed", [0, 3])
def test_the_program_does_what_was_asked_for(seed: int) -> None:
    plan = plan_for("s7", "none", None, 4, seed)
    asked = [task.text.split("\n\n")[-1] for session in plan.sessions for task in session.tasks]
    program = plan_from(asked).program("\n".join(session.text for session in plan.sessions))
    checks = plan.checks_at(4)
    with ProgramRunner() as run:
        outcomes = run({checks[0].entry: program.encode()}, checks)
    wrong = [
        (check.id, outcome.detail)
        for check, outcome in zip(checks, outcomes, strict=True)
        if outcome.status != "passed" and ".view." not in check.id
    ]
    assert wrong == []
    assert any(
        outcome.status == "passed" and ".view." in check.id
        for check, outcome in zip(checks, outcomes, strict=True)
    )
