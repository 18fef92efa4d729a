"""Cards, lives and trials as Inspect logs: read by Inspect, and scored again by it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from agingbench.platforms.items import ExportItem, find_items
from agingbench.trials.ledger import open_ledger
from tests.platforms.inspect.evals import inspect_command
from tests.platforms.lives import SECRET, SESSIONS

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed: pip install '.[inspect]'")
pytestmark = pytest.mark.slow


def test_a_life_becomes_a_log_that_inspect_scores_again(item: ExportItem, tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    from agingbench.platforms.inspect.logs import write_inspect_logs

    (file,) = write_inspect_logs([item], tmp_path)
    log = read_eval_log(str(file))
    (sample,) = log.samples or []
    values = sample.scores["aging"].value
    measured = {name: value for name, value in values.items() if not math.isnan(value)}
    assert measured == item.measured
    means = {score.name: score.metrics for score in log.results.scores}
    assert means["m_00"]["mean"].value == item.figures["m_00"]
    spans = [event for event in sample.events if event.event == "span_begin"]
    assert len(spans) == SESSIONS + 1
    calls = [event for event in sample.events if event.event == "model"]
    assert sum(call.output.usage.output_tokens for call in calls) > 0
    assert SECRET not in log.model_dump_json()

    how = ("--scorer", "agingbench/aging", "--model", "none/none", "--action", "overwrite")
    inspect_command("score", file.name, *how, "--overwrite", folder=tmp_path, variables={})
    (again,) = read_eval_log(str(file)).samples or []
    second = again.scores["aging"].value
    assert {name: value for name, value in second.items() if not math.isnan(value)} == measured


def test_trials_of_a_ledger_become_a_log(folder: Path, tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    from agingbench.platforms.inspect.logs import write_inspect_logs

    place = tmp_path / "ledger.sqlite"
    with open_ledger(place) as ledger:
        ledger.add_folder(folder)
    (item,) = find_items([str(place)])
    (file,) = write_inspect_logs([item], tmp_path / "logs")
    (sample,) = read_eval_log(str(file)).samples or []
    assert sample.scores["aging"].value["reward"] == item.figures["reward"]
