"""`agingbench doctor`: is everything here that a run needs?"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import click

from agingbench import __version__
from agingbench.bench.life.life import plan_for, run_life
from agingbench.bench.life.system import Sut
from agingbench.cards.check import validate_card
from agingbench.cli.options import json_option, print_json
from agingbench.errors import AgingBenchError
from agingbench.report.charts import draw_curve

EXTRAS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


@click.command(epilog="Example: agingbench doctor --json")
@json_option
def doctor(as_json: bool) -> int:
    """Check this machine: Python, packages, a short life from seed to card, a chart.

    Exit 1 when something is broken.
    """
    rows = [
        _required("python >= 3.11", _python),
        _required("a life from seed to card, with its chart", _life),
    ]
    rows += [_extra(name, key) for name, key in EXTRAS.items()]
    ok = all(row["ok"] for row in rows if row["required"])
    if as_json:
        print_json({"agingbench": __version__, "ok": ok, "checks": rows})
    else:
        click.echo(f"agingbench {__version__}")
        for row in rows:
            mark = "ok     " if row["ok"] else "BROKEN " if row["required"] else "absent "
            click.echo(f"  {mark}{row['name']}: {row['detail']}")
    return 0 if ok else 1


def _required(name: str, check: Callable[[], str]) -> dict[str, object]:
    try:
        return {"name": name, "ok": True, "required": True, "detail": check()}
    except (AgingBenchError, OSError, ImportError, AssertionError) as error:
        return {
            "name": name,
            "ok": False,
            "required": True,
            "detail": f"{type(error).__name__}: {error}",
        }


def _python() -> str:
    assert sys.version_info >= (3, 11), f"this is {sys.version.split()[0]}"
    return sys.version.split()[0]


def _life() -> str:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        _, card = run_life(plan_for("s2", sessions=4), Sut(), out)
        errors = validate_card(card)
        assert not errors, f"the card is not valid: {errors[0]}"
        draw_curve([card], out / "curve.png", None)
        return (
            f"4 sessions, {card['cost_and_efficiency']['total_calls']} calls, a valid card, a chart"
        )


def _extra(name: str, key: str) -> dict[str, object]:
    there = importlib.util.find_spec(name) is not None
    detail = (
        f"{metadata.version(name)}, {key} is {'set' if os.environ.get(key) else 'not set'}"
        if there
        else (f"not installed; pip install 'agingbench[{name}]'")
    )
    return {"name": name, "ok": there, "required": False, "detail": detail}
