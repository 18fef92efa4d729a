"""A clean submission passes; each kind of bad one is refused by its rule and with its reason."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agingbench.bench.leaderboard.check import check_board
from agingbench.bench.leaderboard.places import read_submission, write_board_file
from agingbench.bench.leaderboard.submission import Refused, submit
from agingbench.cards.check import finish_card
from agingbench.cards.leaderboard import SubmittedTrial
from agingbench.errors import InputError
from agingbench.traces.canonical import content_hash
from tests.bench.leaderboard.conftest import PLACE, SUITE, live
from tests.places import ROOT

Edit = Callable[[dict[str, Any]], None]


def edit_card(board: Path, edit: Edit, seed: int = 0, *, hashed: bool = True) -> None:
    """Change a card, with its hash and the one in the submission made right again."""
    file = PLACE.card(board, seed)
    document = json.loads(file.read_bytes())
    edit(document)
    if not hashed:
        file.write_text(json.dumps(document))
        return
    finished = finish_card(document)
    file.write_text(json.dumps(finished))
    edit_trial(board, seed, content_hash=finished["content_hash"])


def edit_trial(board: Path, seed: int, **changes: Any) -> None:
    file = PLACE.submission(board)
    submission = read_submission(file)
    trials: list[SubmittedTrial] = list(submission.trials)
    trials[seed] = msgspec.structs.replace(trials[seed], **changes)
    write_board_file(file, msgspec.structs.replace(submission, trials=trials))


def edit_submission(board: Path, **changes: Any) -> None:
    file = PLACE.submission(board)
    write_board_file(file, msgspec.structs.replace(read_submission(file), **changes))


def refusals(board: Path, **options: Any) -> set[tuple[str, str]]:
    check = check_board(board, SUITE, **options)
    assert check.ok == (not check.problems)
    return {(problem.rule, problem.reason) for problem in check.problems}


def assert_refused(board: Path, rule: str, words: str, **options: Any) -> None:
    found = refusals(board, **options)
    assert any(one == rule and words in reason for one, reason in found), found


def test_a_clean_submission_passes(board: Path, keeper: list[Path]) -> None:
    check = check_board(board, SUITE, base=board, evidence=keeper)
    assert (check.ok, check.entries, check.cards, check.evidence) == (True, 1, 3, 3)


def test_every_rule_of_the_page_is_tried() -> None:
    page = (ROOT / "docs" / "leaderboard.md").read_text()
    _, _, section = page.partition("## What is refused")
    rows = [line for line in section.partition("\n## ")[0].splitlines() if "| yes |" in line]
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert len(rows) >= 12
    assert len(names) >= 12
    tests = "".join(file.read_text() for file in Path(__file__).parent.glob("test_*.py"))
    assert [name for name in sorted(names) if f'"{name}"' not in tests] == []


def test_cards_are_copied_byte_for_byte(board: Path, keeper: list[Path]) -> None:
    for seed, folder in enumerate(keeper):
        assert PLACE.card(board, seed).read_bytes() == (folder / "aging_card.json").read_bytes()


def test_another_plan(tmp_path: Path) -> None:
    lives = live(tmp_path / "runs", "append_only", dials=(("update_rate", 0.5),))
    with pytest.raises(Refused, match="plan: the plan is not that of the default suite: dials"):
        submit(tmp_path / "board", lives, "turned", "ada", suite=SUITE)
    assert not (tmp_path / "board").exists()


def test_another_version_of_the_scenario(board: Path) -> None:
    edit_card(board, lambda card: card.update(scenario_version="1.0.0"))
    assert_refused(board, "plan", "of version 1.0.0; the scenario is at")


def test_two_seeds(board: Path, keeper: list[Path], tmp_path: Path) -> None:
    with pytest.raises(Refused, match="seeds: cards of seeds 0, 1; wanted are 0, 1, 2"):
        submit(tmp_path / "other", keeper[:2], "two", "ada", suite=SUITE)
    PLACE.card(board, 2).unlink()
    assert_refused(board, "seeds", "cards of seeds 0, 1; wanted are 0, 1, 2")


def test_an_edited_figure(board: Path) -> None:
    edit_card(board, lambda card: card["headline"].update(m_final=0.99), hashed=False)
    assert_refused(board, "figures", "the card was changed after it was hashed")


def test_an_edited_figure_with_its_hash(board: Path) -> None:
    edit_card(board, lambda card: card["headline"].update(m_final=0.99))
    assert_refused(board, "figures", "headline.m_final is 0.99, the curve says")
    edit_card(board, lambda card: card["headline"].update(time_average=0.99))
    assert_refused(board, "figures", "reward 0.99 is not that of its trial")


def test_figures_edited_with_every_hash_are_found_from_evidence_only(
    board: Path, keeper: list[Path]
) -> None:
    edit_card(board, lambda card: card["mechanism_metrics"]["compression"].update(score=0.99))
    assert refusals(board) == set()
    assert_refused(board, "evidence", "the card or its trial says otherwise", evidence=keeper)


def test_a_partial_trial(board: Path) -> None:
    edit_trial(board, 1, completeness="partial")
    assert_refused(board, "trial", "the trial is not complete (partial, completed)")


def test_a_life_with_failed_probes(board: Path) -> None:
    edit_card(board, lambda card: card["warnings"].append("failed_probes: 3 % failed"))
    assert_refused(board, "trial", "not a whole life: failed_probes")


def test_a_life_that_has_not_ended(keeper: list[Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(keeper[0], tmp_path / "life"))
    (folder / "aging_card.json").unlink()
    with pytest.raises(InputError, match="this life has not ended"):
        submit(tmp_path / "board", [folder], "half", "ada", suite=SUITE)


@pytest.mark.parametrize("name", ["conflict_of_interest", "fork_disclosed"])
def test_a_missing_declaration(board: Path, name: str) -> None:
    edit_card(board, lambda card: card["provenance"].update({name: None}))
    assert_refused(board, "declaration", f"provenance.{name} is not declared")


def test_a_conflict_that_is_not_explained(board: Path) -> None:
    edit_card(board, lambda card: card["provenance"].update(conflict_of_interest=True))
    assert_refused(board, "declaration", "conflict_of_interest is declared and not explained")


def test_a_fork_that_the_cards_deny(board: Path) -> None:
    edit_submission(board, fork="own prompts")
    assert_refused(board, "declaration", "fork_disclosed is stated here and denied")


def give_the_system(board: Path, **keys: object) -> None:
    """Put keys into the configuration of the submission, and its hash on the cards."""
    submission = read_submission(PLACE.submission(board))
    system = {**submission.configuration, **keys}
    edit_submission(board, configuration=system)
    hashed = content_hash(system)
    for seed in range(3):
        edit_card(board, lambda card: card["sut"].update(config_hash_sha256=hashed), seed)


def test_changed_limits(board: Path) -> None:
    give_the_system(board, agent_options={"max_turns": 99})
    assert refusals(board) == {("limits", "limits were changed: agent_options.max_turns=99")}


def test_an_instruction_beside_the_role(board: Path) -> None:
    give_the_system(board, role="Read every note twice.")
    reason = "the system was given an instruction beside the scenario's role"
    assert refusals(board) == {("role", reason)}


def test_limits_that_are_hidden_from_the_submission(board: Path) -> None:
    edit_card(board, lambda card: card["sut"].update(config_hash_sha256="0" * 64))
    assert_refused(board, "key", "the card is of another system")


def test_a_changed_probe_set(board: Path) -> None:
    edit_card(board, lambda card: card.update(probes_asked="last=2"))
    assert_refused(board, "probes", "only a part of the probes was asked (last=2)")


def test_the_wrong_track(board: Path) -> None:
    shutil.move(board / "model", board / "agent")
    assert_refused(board, "track", "a card of track model lies under agent")


def test_the_wrong_scenario(board: Path) -> None:
    shutil.move(board / "model" / PLACE.scenario, board / "model" / "s3_knowledge_base")
    assert_refused(board, "place", "lies under s3_knowledge_base")


@pytest.mark.parametrize(
    "name", ["keeper_seed0.json", "Keeper__seed0.json", "keeper__seed01.json", "keeper.json"]
)
def test_the_wrong_file_name(board: Path, name: str) -> None:
    file = PLACE.card(board, 0)
    file.rename(file.with_name(name))
    assert_refused(board, "name", "no file of a leaderboard lies here")


def test_the_seed_of_another_card(board: Path) -> None:
    shutil.copy(PLACE.card(board, 1), PLACE.card(board, 0))
    assert_refused(board, "name", "the name says seed 0, the card seed 1")


@pytest.mark.parametrize("key", ["../../x", "a/b", "..", "x", "a__b", "-a", "A", "a" * 65, ""])
def test_a_key_that_escapes(keeper: list[Path], tmp_path: Path, key: str) -> None:
    with pytest.raises(InputError, match="key "):
        submit(tmp_path / "board", keeper, key, "ada", suite=SUITE)
    assert not (tmp_path / "board").exists()


def test_a_card_whose_scenario_is_a_path(keeper: list[Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(keeper[0], tmp_path / "life"))
    card = json.loads((folder / "aging_card.json").read_bytes())
    card["scenario"] = "../../../outside"
    (folder / "aging_card.json").write_text(json.dumps(finish_card(card)))
    with pytest.raises(InputError, match="the leaderboard has no"):
        submit(tmp_path / "board", [folder], "evil", "ada", suite=SUITE)


def test_a_link_out_of_the_folder(board: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    shutil.copy(PLACE.card(board, 0), outside)
    PLACE.card(board, 0).unlink()
    PLACE.card(board, 0).symlink_to(outside)
    assert_refused(board, "name", "a link; a leaderboard holds files only")


def test_a_foreign_schema_version(board: Path) -> None:
    edit_card(board, lambda card: card.update(schema_version="2.0.0"), hashed=False)
    assert_refused(board, "schema", "schema 2.0.0; the leaderboard takes 1.0.0")


@pytest.mark.parametrize("text", ["[]", "{", '"card"', "{}"])
def test_what_is_no_card(board: Path, text: str) -> None:
    PLACE.card(board, 0).write_text(text)
    assert {rule for rule, _ in refusals(board)} == {"schema"}


def test_missing_provenance(board: Path) -> None:
    edit_card(board, lambda card: card["provenance"].update(trial_id=None))
    assert_refused(board, "provenance", "provenance.trial_id is missing")


def test_the_key_of_another(board: Path, loser: list[Path]) -> None:
    with pytest.raises(InputError, match="key keeper is taken"):
        submit(board, loser, "keeper", "eve", suite=SUITE)
    shutil.copy(loser[0] / "aging_card.json", PLACE.card(board, 0))
    assert_refused(board, "key", "the card is of another system (extractive+lossy_compress)")


def test_a_duplicate(board: Path, keeper: list[Path]) -> None:
    submit(board, keeper, "copycat", "eve", suite=SUITE)
    assert_refused(board, "duplicate", "was submitted already")
    assert_refused(board, "duplicate", "the same system stands on the leaderboard already")


def test_cards_without_a_submission(board: Path) -> None:
    PLACE.submission(board).unlink()
    assert_refused(board, "submission", "there is no submission beside the cards")


def test_entries_that_change_or_vanish(clean_board: Path, board: Path) -> None:
    edit_submission(board, submitter="eve")
    assert_refused(board, "history", "was changed", base=clean_board)
    shutil.rmtree(board / "model")
    assert_refused(board, "history", "retracted with a reason, never deleted", base=clean_board)


def test_a_system_that_names_this_machine(keeper: list[Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(keeper[0], tmp_path / "life"))
    system = json.loads((folder / "sut.json").read_bytes())
    system["memory_options"] = {"file": "/home/ada/memory.db"}
    (folder / "sut.json").write_text(json.dumps(system))
    with pytest.raises(InputError, match="names a path of this machine or a key"):
        submit(tmp_path / "board", [folder], "local", "ada", suite=SUITE)
