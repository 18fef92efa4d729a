"""Which trial a life is: an id drawn once, partial records on the way, times without pauses."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.scoring.files import record_stop
from agingbench.bench.scoring.times import life_timing
from agingbench.bench.studies.extending import extend
from agingbench.cards.check import card_hash, finish_card, validate_card
from agingbench.errors import InputError
from agingbench.records import Event
from agingbench.trials.declarations import UNDECLARED, Declarations, read_declarations
from agingbench.trials.ledger import open_ledger
from agingbench.trials.query import Query
from agingbench.trials.record import read_trial, record_hash
from agingbench.trials.run_folder import AnswerRow, LifeIdentity, Stop
from agingbench.trials.runs import add_life, add_run

DRAWN = re.compile(r"seed_0\.\d{8}-[0-9a-f]{8}$")


def lived(out: Path, ledger: str | None = None, **options: object) -> Life:
    life = Life.new("s1", out=out, sessions=2, pressure="light", events=[], **options)  # type: ignore[arg-type]
    life.ledger = ledger
    life.live()
    life.score()
    return life


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> tuple[Life, Life]:
    """The same life on two nights, in one ledger."""
    folder = tmp_path_factory.mktemp("nights")
    place = str(folder / "ledger.sqlite")
    first = lived(folder / "one", place)
    second = lived(folder / "two", place)
    for life in (first, second):
        add_life(place, life.folder.path)
    return first, second


def test_the_same_life_on_another_night_is_another_trial_with_an_equal_card(
    nights: tuple[Life, Life],
) -> None:
    cards = [life.card() for life in nights]
    ids = [str(card.provenance.trial_id) for card in cards]
    assert ids[0] != ids[1]
    assert all(DRAWN.search(name) for name in ids)
    assert cards[0].content_hash == cards[1].content_hash


def test_the_id_is_one_in_run_in_add_and_on_the_card(
    nights: tuple[Life, Life], tmp_path: Path
) -> None:
    for life in nights:
        path = life.folder.path
        trial = read_trial(path / "trial.json")
        assert trial.trial_id == life.card().provenance.trial_id
        assert record_hash(trial) == life.card().provenance.record_hash
        with open_ledger(tmp_path / "other.sqlite") as ledger:
            add_run(ledger, path)
            assert ledger.get(trial.trial_id).record == trial


def test_scoring_again_and_another_start_keep_the_id(nights: tuple[Life, Life]) -> None:
    life = nights[0]
    before = (life.folder.path / "identity.json").read_bytes()
    again = Life.open(life.folder.path)
    again.live()
    assert again.score().content_hash == life.card().content_hash
    assert (life.folder.path / "identity.json").read_bytes() == before


def test_a_life_is_a_partial_trial_from_its_first_session_on(nights: tuple[Life, Life]) -> None:
    place = nights[0].ledger
    assert place is not None
    with open_ledger(place, create=False) as ledger:
        rows = ledger.list()
        assert [row.completeness for row in rows] == ["partial", "partial", "complete", "complete"]
        partial, complete = rows[0], rows[2]
        assert partial.trial_id == f"{complete.trial_id}.partial-1"
        assert partial.reward is None
        assert partial.superseded_by == complete.trial_id
        result = ledger.get(complete.trial_id).record.outputs.agent_result
        assert result is not None
        assert result["supersedes"] == {
            "trial_id": partial.trial_id,
            "record_hash": partial.record_hash,
        }
        assert [row.trial_id for row in ledger.list(Query(newest=True))] == [
            row.trial_id for row in rows[2:]
        ]
        name = complete.trial_id.rpartition("-")[0]
        assert ledger.resolve(complete.trial_id[:-1]) == complete.trial_id
        with pytest.raises(InputError, match="may be"):
            ledger.resolve(name)
        assert ledger.verify().ok


def test_each_stop_is_a_partial_record_that_names_the_one_before(tmp_path: Path) -> None:
    life = Life.new("s1", out=tmp_path, sessions=2, pressure="light", events=[])
    run = life.folder
    with run:
        run.prepare(life.plan, life.sut.record("s1"))
        run.begin("s1.x.seed_0", UNDECLARED)
        record_stop(run, life.plan, life.scenario, "the endpoint is down")
        first = read_trial(run.partial)
        record_stop(run, life.plan, life.scenario, "still down")
        second = read_trial(run.partial)
    assert first.trial_id.endswith(".partial-1")
    assert second.trial_id.endswith(".partial-2")
    result = second.outputs.agent_result
    assert result is not None
    assert result["supersedes"]["record_hash"] == record_hash(first)
    assert second.evaluation.validity.errors == ["incomplete: still down"]


def test_a_longer_life_is_another_trial(nights: tuple[Life, Life], tmp_path: Path) -> None:
    path = nights[0].folder.path
    longer = extend(path, 3, tmp_path, Resources())
    trial_id = longer.score().provenance.trial_id
    assert trial_id != nights[0].card().provenance.trial_id
    assert DRAWN.search(str(trial_id))
    timing = read_trial(longer.folder.trial).timing
    assert timing.setup_seconds is None  # it began in another folder
    assert timing.total_seconds < 60


def test_a_life_of_a_version_without_drawn_ids_keeps_its_id(
    nights: tuple[Life, Life], tmp_path: Path
) -> None:
    run = RunDirectory(tmp_path)
    (tmp_path / "trace.jsonl").write_text("{}\n")
    run.begin("s1.x.seed_0", UNDECLARED)
    assert run.identity() is None


def test_cards_hashed_with_their_trial_id_stay_valid(nights: tuple[Life, Life]) -> None:
    card = finish_card(nights[0].card().document())
    assert validate_card(card) == []
    renamed = {**card, "provenance": {**card["provenance"], "trial_id": "another"}}
    assert card_hash(renamed) == card["content_hash"]
    assert validate_card({**card, "seed": 7}) != []


# -- what the record says


def test_phases_are_measured_and_tool_calls_have_durations(nights: tuple[Life, Life]) -> None:
    run = nights[0].folder
    timing = read_trial(run.trial).timing
    assert timing.setup_seconds is not None
    assert timing.agent_seconds is not None
    assert timing.verification_seconds is not None


def test_a_pause_between_two_starts_is_no_part_of_the_time() -> None:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    moments = [day, day + timedelta(seconds=5), day + timedelta(hours=9)]
    moments.append(moments[-1] + timedelta(seconds=7))
    events = [
        Event(step=0, role="assistant", timestamp=moment.isoformat(), duration_ms=500)
        for moment in moments
    ]
    starts = [day - timedelta(seconds=2), moments[2] - timedelta(seconds=1)]
    identity = LifeIdentity(trial_id="x", starts=[start.isoformat() for start in starts])
    timing = life_timing(events, [AnswerRow(0, "p", "as_lived", "a")], (), identity)
    assert timing.total_seconds == 13
    assert timing.setup_seconds == 2
    assert timing.agent_seconds == 2
    assert timing.verification_seconds is None

    stop = Stop((day + timedelta(seconds=3)).isoformat(), 0, "down")
    assert life_timing([], [], [stop], identity).total_seconds == 5


def test_nothing_is_declared_for_the_user(nights: tuple[Life, Life], tmp_path: Path) -> None:
    provenance = nights[0].card().provenance
    assert provenance.fork_disclosed is None
    assert provenance.conflict_of_interest is None

    declares = read_declarations({"conflict_of_interest": False}, "--declare")
    life = Life.new("s1", out=tmp_path, sessions=2, pressure="light", events=[])
    life.declares = declares
    life.live()
    provenance = life.score().provenance
    assert (provenance.fork_disclosed, provenance.conflict_of_interest) == (None, False)
    life.declares = Declarations(fork_disclosed=True)  # later, and what was said before stays
    life.live()
    provenance = life.score().provenance
    assert (provenance.fork_disclosed, provenance.conflict_of_interest) == (True, False)


@pytest.mark.parametrize("values", [{"forked": True}, {"fork_disclosed": "perhaps"}])
def test_a_declaration_is_a_known_name_with_yes_or_no(values: dict[str, object]) -> None:
    with pytest.raises(InputError, match="--declare"):
        read_declarations(values, "--declare")


def test_a_study_is_the_experiment_of_its_lives(tmp_path: Path) -> None:
    life = lived(tmp_path, suite="My nightly study")
    trial = read_trial(life.folder.trial)
    assert trial.experiment_id == "My-nightly-study"
    facts = json.loads((life.folder.path / "trial.json").read_text())["outputs"]["agent_result"]
    assert facts["life"]["study"] == "My nightly study"
    assert facts["life"]["sessions"] == 2


def test_status_and_validity_say_what_the_answers_are(tmp_path: Path) -> None:
    life = Life.new("s1", out=tmp_path, sessions=2, pressure="light", events=[])
    life.live()
    run = life.folder
    rows = [json.loads(line) for line in run.answers.read_text().splitlines()]
    for row in rows:
        row["text"] = ""
    run.answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    life.score()
    trial = read_trial(run.trial)
    assert trial.outputs.agent_output is not None
    assert trial.outputs.agent_output.status == "empty"
    assert not trial.evaluation.validity.output_parseable
    assert trial.evaluation.reward == 0

    rows[0] |= {"status": "failed", "reason": "status 503"}
    for row in rows[1:]:
        row["text"] = "I know nothing of it."
    run.answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    life.score()
    trial = read_trial(run.trial)
    assert trial.outputs.agent_output is not None
    assert trial.outputs.agent_output.status == "partial"
    assert any("failed in transport" in error for error in trial.evaluation.validity.errors)
    assert not trial.evaluation.validity.schema_valid
