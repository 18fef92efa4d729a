"""Lives inside the real Inspect: equal to native ones, scored from the log, limited, retried."""

from __future__ import annotations

import functools
import math
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.life.life import Life
from agingbench.platforms.figures import life_figures
from tests.platforms.inspect.evals import MODEL, Loopback, inspect_command, loopback, only_log
from tests.report.pages.browser import running_browser

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed: pip install '.[inspect]'")
pytestmark = pytest.mark.slow

SEEDS = 5
SESSIONS = 2
LIFE = ("-T", "memory=careful_compress", "-T", f"sessions={SESSIONS}", "-T", "pressure=light")


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with loopback() as server:
        yield server


@pytest.fixture(scope="module")
def logs(server: Loopback, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluated")
    seeds = ("-T", f"seeds={SEEDS}")
    server.inspect(
        "eval", "agingbench/s3", "--model", MODEL, *seeds, *LIFE, "--log-dir", "logs", folder=folder
    )
    return folder / "logs"


@pytest.fixture(scope="module")
def log(logs: Path) -> Any:
    return only_log(logs)


def native(server: Loopback, seed: int, out: Path) -> Life:
    life = Life.new(
        "s3",
        out=out,
        sessions=SESSIONS,
        seed=seed,
        pressure="light",
        memory="careful_compress",
        model="openai:extractive",
        model_options={"base_url": server.base_url},
    )
    life.live()
    return life


def same(a: float | None, b: float | None) -> bool:
    """Whether two figures are equal; a missing one, None or NaN, equals a missing one."""
    if a is None or math.isnan(a):
        return b is None or math.isnan(b)
    return a == b


def test_every_figure_of_five_seeds_equals_the_native_one(
    server: Loopback, log: Any, tmp_path: Path
) -> None:
    assert log.status == "success"
    assert len(log.samples) == SEEDS
    curves = set()
    for sample in log.samples:
        life = native(server, sample.metadata["seed"], tmp_path)
        card = life.score()
        figures = life_figures(card)
        values = sample.scores["aging"].value
        assert list(values) == list(figures)
        differing = {
            name: (values[name], figures[name])
            for name in figures
            if not same(values[name], figures[name])
        }
        assert differing == {}
        inside = sample.scores["aging"].metadata["card"]
        assert inside["cost_and_efficiency"]["total_calls"] == (
            card.cost_and_efficiency.total_calls
        )
        assert inside["cost_and_efficiency"]["total_input_tokens"] == (
            card.cost_and_efficiency.total_input_tokens
        )
        curves.add(tuple(values[f"m_{t:02d}"] for t in range(SESSIONS + 1)))
    assert len(curves) > 1  # equal because each is its own life, not because all are one


def test_each_session_is_a_span_that_holds_its_calls(log: Any) -> None:
    for sample in log.samples:
        spans = {event.id: event for event in sample.events if event.event == "span_begin"}
        sessions = [span.name for span in spans.values() if span.type == "session"]
        names = [f"session {t}" for t in range(SESSIONS)]
        assert sessions == [*names, "final questions"]
        calls = [event for event in sample.events if event.event == "model"]
        assert len(calls) > SESSIONS
        assert {spans[call.span_id].type for call in calls} == {"session"}
        ended = {event.id for event in sample.events if event.event == "span_end"}
        assert spans.keys() <= ended


def test_a_half_life_that_was_not_reached_is_censored_not_missing(log: Any) -> None:
    results = {score.name: score for score in log.results.scores}
    assert "half_life" not in results  # no mean over those that were reached
    figures = results["half_life_at_least"].metrics
    watched = [sample.scores["aging"].metadata for sample in log.samples]
    censored = sum(about["half_life_censored"] is True for about in watched)
    assert figures["agingbench/half_lives_censored"].value == censored
    shorter = [min(about["half_life"] or SESSIONS, SESSIONS) for about in watched]
    rmst = figures["agingbench/half_lives_rmst"].value
    assert rmst == pytest.approx(sum(shorter) / len(shorter))
    assert math.isnan(figures["agingbench/half_lives_median"].value)  # too few lives


def test_scored_again_from_the_log_alone_without_a_model(logs: Path, tmp_path: Path) -> None:
    (file,) = logs.glob("*.eval")
    shutil.copy(file, tmp_path)
    before = only_log(tmp_path)
    how = ("--action", "overwrite", "--overwrite", "--scorer", "agingbench/aging")
    inspect_command("score", file.name, "--model", "none/none", *how, folder=tmp_path, variables={})
    after = only_log(tmp_path)
    for old, new in zip(before.samples, after.samples, strict=True):
        first = old.scores["aging"].value
        second = new.scores["aging"].value
        assert first.keys() == second.keys()
        assert all(same(first[name], second[name]) for name in first)
        card = old.scores["aging"].metadata["card"]
        again = new.scores["aging"].metadata["card"]
        assert card["content_hash"] == again["content_hash"]


def test_a_sample_out_of_time_is_limited_and_unscored(server: Loopback, tmp_path: Path) -> None:
    server.endpoint.delay = 120.0
    try:
        server.inspect(
            "eval", "agingbench/s3", "--model", MODEL, *LIFE, "--time-limit", "10", folder=tmp_path
        )
    finally:
        server.endpoint.delay = 0.0
    log = only_log(tmp_path / "logs")
    (sample,) = log.samples
    assert log.status == "success"
    assert sample.error is None
    assert sample.limit.type == "time"
    assert math.isnan(sample.scores["aging"].value)
    assert sample.scores["aging"].reason == "life_not_finished"
    assert {score.unscored_samples for score in log.results.scores} == {1}


def test_a_sample_out_of_tokens_is_limited_and_unscored(server: Loopback, tmp_path: Path) -> None:
    server.inspect(
        "eval", "agingbench/s3", "--model", MODEL, *LIFE, "--token-limit", "3000", folder=tmp_path
    )
    (sample,) = only_log(tmp_path / "logs").samples
    assert sample.error is None
    assert sample.limit.type == "token"
    assert math.isnan(sample.scores["aging"].value)


def test_a_broken_sample_is_an_error_and_can_be_retried(server: Loopback, tmp_path: Path) -> None:
    server.endpoint.broken = True
    try:
        server.inspect(
            *("eval", "agingbench/s3", "--model", MODEL, *LIFE),
            *("--max-retries", "0", "--no-fail-on-error", "--log-dir", "broken"),
            folder=tmp_path,
        )
    finally:
        server.endpoint.broken = False
    (sample,) = only_log(tmp_path / "broken").samples
    assert sample.error is not None
    assert sample.limit is None
    assert not sample.scores

    (file,) = (tmp_path / "broken").glob("*.eval")
    server.inspect("eval-retry", str(file), "--log-dir", "again", folder=tmp_path)
    (sample,) = only_log(tmp_path / "again").samples
    assert sample.error is None
    figures = life_figures(native(server, 0, tmp_path).score())
    values = sample.scores["aging"].value
    assert all(same(values[name], figures[name]) for name in figures)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_the_viewer_shows_the_scores_in_a_browser(logs: Path, log: Any, tmp_path: Path) -> None:
    inspect_command(
        *("view", "bundle", "--log-dir", str(logs), "--output-dir", "bundle"),
        folder=tmp_path,
        variables={},
        display=False,
    )
    final = log.results.scores[SESSIONS].metrics["mean"].value
    handler = functools.partial(_Quiet, directory=str(tmp_path / "bundle"))
    site = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        with running_browser() as browser:
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{site.server_port}/index.html")
            page.wait_for_selector("text=agingbench", timeout=60_000)
            listing = page.inner_text("body")
            assert f"{final:.3f}" in listing or f"{final:.2f}" in listing
            page.click("text=/s3/ >> nth=0")
            page.wait_for_selector("text=seed_4", timeout=60_000)
            shown = page.inner_text("body")
    finally:
        site.shutdown()
        site.server_close()
    assert "m_00" in shown
    assert "m_02" in shown
