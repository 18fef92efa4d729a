"""The pages of the viewer without a browser: tables, traces, the ledger, progress."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from agingbench.errors import InputError
from agingbench.report.series import read_cards
from agingbench.traces.trajectory import read_trace
from agingbench.trials.inspect.transcripts import Transcript, read_path
from agingbench.trials.ledger import open_ledger
from agingbench.trials.query import Query
from agingbench.trials.run_folder import LifeFiles
from agingbench.view.ledgers import ViewedLedger, read_query
from agingbench.view.overlay import life_labels, week_points
from agingbench.view.places import ViewedFolder
from agingbench.view.runs import RunIndex, RunRow, chosen, in_order, life_progress
from agingbench.view.server import viewer_of
from agingbench.view.tables import RunsPage
from agingbench.view.timeline import fact_moments, fact_names, plan_page
from agingbench.view.traces import SHOWN, Inspected
from tests.report.lives import censored, life, without_headline
from tests.trials.making import record
from tests.view.serving import GOLDEN, Served, copy_ledger, copy_lives, served, write_trace


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("viewed")
    copy_lives(place, "s2_events", "s6", "s6_stopped")
    copy_ledger(place)
    (place / "broken").mkdir()
    (place / "broken" / "aging_card.json").write_text("{")
    return place


@pytest.fixture(scope="module")
def viewer(folder: Path) -> Iterator[Served]:
    with served(folder) as running:
        yield running


def run_name(folder: Path, pattern: str) -> str:
    """The name of the run that holds a file, as an address has it."""
    place = next(folder.glob(pattern)).parent
    return quote(place.relative_to(folder).as_posix())


# -- runs


def test_every_run_is_listed_once_with_what_it_is(folder: Path) -> None:
    rows = {row.name: row for row in RunIndex(ViewedFolder(folder)).rows()}
    kinds = {name.split("/")[0]: row.kind for name, row in rows.items()}
    assert kinds == {
        "s2_events": "life",
        "s6": "life",
        "s6_stopped": "unfinished",
        "broken": "unreadable",
    }
    [stopped] = [row for row in rows.values() if row.kind == "unfinished"]
    assert stopped.reason.startswith(("stopped at", "running at"))


def test_a_row_has_the_figures_of_its_card(folder: Path) -> None:
    for row in RunIndex(ViewedFolder(folder)).rows():
        if row.kind != "life":
            continue
        card = json.loads((folder / row.name / "aging_card.json").read_text())
        assert row.end == card["headline"]["m_final"]
        assert row.points == [m for _, m in card["checkpoints"]]


@pytest.mark.parametrize(
    ("half_life", "aging", "words", "badge"),
    [
        (0.6, False, "no, lost at once", "weak"),
        (0.6, True, "yes", "bad"),
        (3.0, False, "no", "good"),
        (None, False, "no", "good"),
        (None, None, "cannot tell", ""),
    ],
)
def test_a_life_that_lost_half_at_once_is_no_good_no(
    half_life: float | None, aging: bool | None, words: str, badge: str
) -> None:
    row = RunRow(
        name="a", kind="life", system="", about="", made="", half_life=half_life, aging=aging
    )
    [cells] = RunsPage.of([row], [row], {}, None, "").rows
    assert (cells.verdict, cells.badge) == (words, badge)


def test_a_card_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "a" / "aging_card.json"
    file.parent.mkdir()
    file.write_text(json.dumps(life("old")))
    index = RunIndex(ViewedFolder(tmp_path))
    assert [row.system for row in index.rows()] == ["old"]
    file.write_text(json.dumps(life("newer")))
    assert [row.system for row in index.rows()] == ["newer"]


def test_rows_are_found_by_words_and_those_without_a_value_come_last(tmp_path: Path) -> None:
    for name, card in {"a": life("x"), "b": without_headline(), "c": censored(sut="z")}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "aging_card.json").write_text(json.dumps(card))
    rows = RunIndex(ViewedFolder(tmp_path)).rows()
    assert [row.name for row in chosen(rows, "S2_LIFE z", "")] == ["c"]
    assert chosen(rows, "", "audit") == []
    for descending in (True, False):
        assert in_order(rows, "end", descending)[-1].name == "b"
    assert [row.name for row in in_order(rows, "end", True)][:2] == ["c", "a"]


def test_a_life_that_is_being_lived_counts_as_running(folder: Path) -> None:
    place = next(folder.glob("s6_stopped/**/plan.json")).parent
    old = time.time() - 3600
    files = LifeFiles(place)
    for file in (files.plan_file, files.trace, files.answers, files.memory):
        os.utime(file, (old, old))
    assert not life_progress("x", place).running
    os.utime(files.trace)
    progress = life_progress("x", place)
    assert progress.running
    assert 0 < progress.done <= progress.sessions


def test_progress_names_the_lives_under_way(viewer: Served, folder: Path) -> None:
    state = viewer.ask("/progress").json
    assert state["finished"] == len(list(folder.rglob("aging_card.json"))) - 1
    [life_under_way] = state["lives"]
    assert life_under_way["name"].startswith("s6_stopped")


def test_lives_in_an_overlay_have_names_that_differ() -> None:
    cards = [life("m+a", 0), life("m+a", 1), life("m+b", 0)]
    labels = life_labels(read_cards(cards))
    assert labels == ["a, seed 0", "a, seed 1", "b, seed 0"]
    twice = life_labels(read_cards([life("m+a", 0), life("m+a", 0)]))
    assert len(set(twice)) == 2


def test_what_cannot_be_laid_over_each_other_is_told(viewer: Served) -> None:
    for path in ("/overlay", "/report", "/overlay?" + "&".join(["run=x"] * 41)):
        answer = viewer.ask(path)
        assert answer.status == 400
    assert "nothing is selected" in viewer.ask("/overlay").text
    assert viewer.ask("/report?run=broken").status == 400


# -- the plan


def test_the_time_line_holds_every_version_and_every_question(folder: Path) -> None:
    files = LifeFiles(next(folder.glob("s2_events/**/plan.json")).parent)
    plan = files.plan_record()
    names = fact_names(plan)
    assert len(set(names.values())) == len(plan.graph.facts)
    moments = fact_moments(plan, names, {})
    told = [moment for moment in moments if moment.what in ("told", "changed")]
    assert len(told) == sum(len(fact.versions) for fact in plan.graph.facts)
    asked = [moment for moment in moments if moment.what == "asked"]
    known = [fact for probe in plan.probes for fact in probe.facts if fact in names]
    assert len(asked) == len(known)
    [chart] = plan_page(files).charts
    right = [row for row in chart.rows if row[2].text == "asked, right"]
    assert right


def test_a_fleet_links_to_the_report_of_each_audit(tmp_path: Path) -> None:
    steps = json.loads((GOLDEN / "commands" / "audit_project.json").read_text())["steps"]
    stamps = {"content_hash": "0" * 64, "generated_at": "2026-03-01T00:00:00+00:00"}
    card = steps[0]["out"]["card"] | stamps
    del card["trace_audit"]["panel"]  # recorded as a fingerprint
    for name in ("one", "two & 2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "aging_card.json").write_text(json.dumps(card))
    with served(tmp_path) as running:
        answer = running.ask("/report?run=one&run=two%20%26%202")
        assert '<a href="/report?run=two+%26+2">two &amp; 2</a>' in answer.text
        assert running.ask("/report?run=two+%26+2").status == 200


# -- traces


def test_an_error_is_found_in_fifty_thousand_steps(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    write_trace(file, 50_000, {41_234: "disk full", 49_999: "the end"})
    trace = Inspected(Transcript(events=read_trace(file).events))
    assert trace.find_error(0, False) == 41_234
    assert trace.find_error(41_235, False) == 49_999
    assert trace.find_error(49_998, True) == 41_234
    assert trace.find_error(41_233, True) is None
    assert trace.find("DISK FULL", 0, False) == 41_234
    assert trace.find("note 17", 100, True) == 17
    assert sum(trace.error_bins()) == 2
    page = trace.page(41_230, 10)
    assert [entry.place for entry in page] == list(range(41_230, 41_240))
    assert page[4].error == "process"
    assert trace.page(49_990, 100)[-1].place == 49_999
    assert len(trace.page(0, 10**6)) == 200


def test_long_and_secret_texts_are_cut_and_scrubbed(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    key = "sk-ant-api03-" + "A1b2C3d4" * 10
    rows = [
        {"step": 0, "role": "user", "content": "w" * 10_000},
        {"step": 1, "role": "user", "content": f"my key is {key}"},
        {"step": 2, "role": "user", "content": "a\u202eb"},
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    trace = Inspected(read_path(file))
    long, secret, turned = trace.page(0, 10)
    assert len(long.text) == SHOWN
    assert long.cut == 10_000 - SHOWN
    assert len(trace.entry(0).text) == 10_000
    assert key not in secret.text
    assert "\u202e" not in turned.text


def test_steps_of_a_run_of_a_trial_and_of_a_file(viewer: Served, folder: Path) -> None:
    run = run_name(folder, "s6/**/trace.jsonl")
    by_run = viewer.ask(f"/steps?run={run}&count=5").json
    by_file = viewer.ask(f"/steps?file={run}/trace.jsonl&count=5").json
    assert by_run == by_file
    assert len(by_run) == 5
    with open_ledger(GOLDEN / "ledger", create=False) as ledger:
        trials = [row.trial_id for row in ledger.list()]
    entries = viewer.ask(f"/steps?trial={trials[0]}").json
    assert entries[0]["place"] == 0
    assert viewer.ask("/steps?trial=nobody").status == 400
    assert viewer.ask(f"/step?run={run}&place=999999").status == 404


# -- the ledger


def test_pages_filters_and_order_come_from_the_ledger(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.sqlite") as ledger:
        for n in range(120):
            model = "odd_1%" if n % 2 else "even"
            parts = {"agent": {"adapter": "x", "model": model, "configuration": {}}}
            ledger.add(record(f"t-{n:03}", **parts))
    viewed = ViewedLedger(str(tmp_path / "ledger.sqlite"))
    first = viewed.trials({})
    assert (first.total, first.page, first.pages, len(first.rows)) == (120, 1, 3, 50)
    assert first.rows[0].trial_id == "t-119"
    last = viewed.trials({"page": "99", "order": "up"})
    assert (last.page, last.rows[-1].trial_id) == (3, "t-119")
    odd = viewed.trials({"q": "ODD_1%", "sort": "trial_id", "order": "up"})
    assert (odd.total, odd.rows[0].trial_id) == (60, "t-001")
    assert viewed.trials({"q": "oddx1"}).total == 0
    assert viewed.trials({"q": "' OR 1=1 --", "sort": "x; DROP TABLE trials"}).total == 0
    assert read_query({"sort": "x; DROP"}).sort == "number"
    assert viewed.choices()["kind"] == ["rollout"]


def test_records_that_were_replaced_are_shown_only_when_asked_for(folder: Path) -> None:
    viewed = ViewedLedger(str(folder))
    with viewed.open() as ledger:
        everything = ledger.count()
        newest = ledger.count(Query(newest=True))
    assert viewed.trials({}).total == viewed.counts() == newest
    assert viewed.trials({"all": "1"}).total == everything


def test_a_check_tells_what_it_found(tmp_path: Path) -> None:
    copy_ledger(tmp_path)
    with served(tmp_path / "ledger.sqlite") as viewer:
        assert "not checked yet" in viewer.ask("/verify").text
        viewer.ask("/verify?check=1")
        state = viewer.ask("/verify.json").json
        while state["state"] == "checking":
            time.sleep(0.02)
            state = viewer.ask("/verify.json").json
        assert state["state"] == "intact"
        assert state["entries"] > 0
        assert "The ledger is intact" in viewer.ask("/verify").text
        assert "trials" in viewer.ask("/").text  # a ledger alone begins with its trials
        assert viewer.ask("/files").status == 404


def test_a_changed_ledger_is_told(tmp_path: Path) -> None:
    copy_ledger(tmp_path)
    blob = next(file for file in (tmp_path / "ledger.blobs").rglob("*") if file.is_file())
    blob.chmod(0o600)
    blob.write_bytes(b"something else")
    viewed = ViewedLedger(str(tmp_path))
    viewed.check()
    while viewed.verify_state().state == "checking":
        time.sleep(0.02)
    state = viewed.verify_state()
    assert state.state == "changed"
    assert state.problems


def test_viewing_writes_nothing(folder: Path, viewer: Served) -> None:
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*.json*")}
    run = run_name(folder, "s6/**/plan.json")
    for path in ("/", f"/report?run={run}", f"/plan?run={run}", f"/trace?run={run}", "/trials"):
        assert viewer.ask(path).status == 200
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*.json*")} == before


def test_a_place_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        viewer_of(str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="there is no ledger"):
        viewer_of(str(tmp_path / "no.sqlite"))


def test_the_card_of_a_life_is_a_picture(viewer: Served, folder: Path) -> None:
    run = run_name(folder, "s6/**/aging_card.json")
    answer = viewer.ask(f"/card.png?run={run}")
    assert answer.body.startswith(b"\x89PNG")
    assert answer.headers["content-type"] == "image/png"


# -- audits


def test_weeks_of_audits_lie_over_each_other_with_gaps_where_nothing_was_done() -> None:
    weeks = [
        {"project": "a", "week": "2026-01-12", "tokens": 5, "cost_usd": 1.0},
        {"project": "b", "week": "2026-01-12", "tokens": 6, "cost_usd": 2.0},
        {"project": "b", "week": "2026-01-19", "tokens": 7, "cost_usd": 3.0},
    ]
    points = week_points(weeks, "cost_usd")
    found = {(point["series"], point["week"]): point["m"] for point in points}
    assert found == {
        ("a", "2026-01-12"): 1.0,
        ("a", "2026-01-19"): None,
        ("b", "2026-01-12"): 2.0,
        ("b", "2026-01-19"): 3.0,
    }
