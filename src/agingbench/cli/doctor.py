"""`agingbench doctor`: is everything here that a run needs?"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import click

from agingbench import __version__
from agingbench.cli.options import epilog, json_option
from agingbench.cli.output import echo, print_json
from agingbench.errors import AgingBenchError

EXTRAS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


class Check(NamedTuple):
    """What was checked, whether it is fine, whether a run needs it, and what was seen."""

    name: str
    ok: bool
    required: bool
    detail: str


@click.command(
    epilog=epilog("agingbench doctor --json", "0 all is well, 1 something needed is broken")
)
@json_option
def doctor(as_json: bool) -> int:
    """Check this machine: Python, packages, a short life, a chart.

    Optional packages may be absent.
    """
    checks = [
        _required("python >= 3.11", _python),
        _required("a life from seed to card, with its chart", _life),
    ]
    checks += [_extra(name, key) for name, key in EXTRAS.items()]
    ok = all(check.ok for check in checks if check.required)

    if as_json:
        rows = [check._asdict() for check in checks]
        print_json({"agingbench": __version__, "ok": ok, "checks": rows})
        return int(not ok)
    echo(f"agingbench {__version__}")
    for check in checks:
        failure = "BROKEN " if check.required else "absent "
        echo(f"  {'ok     ' if check.ok else failure}{check.name}: {check.detail}")
    return int(not ok)


def _required(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, True, True, check())
    except (AgingBenchError, OSError, ImportError, AssertionError) as error:
        return Check(name, False, True, f"{type(error).__name__}: {error}")


def _python() -> str:
    version = sys.version.split()[0]
    assert sys.version_info >= (3, 11), f"this is {version}"
    return version


def _life() -> str:
    from agingbench.bench.life.life import Life
    from agingbench.cards.check import card_json, validate_card
    from agingbench.report.charts import draw_curve

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        life = Life.new("s2", sessions=4, out=out)
        life.live()
        card = life.score()
        document = card_json(card)
        errors = validate_card(document)
        assert not errors, f"the card is not valid: {errors[0]}"
        draw_curve([document], out / "curve.png", None)
        calls = card.cost_and_efficiency.total_calls
        return f"4 sessions, {calls} calls, a valid card, a chart"


def _extra(name: str, key: str) -> Check:
    if importlib.util.find_spec(name) is None:
        return Check(name, False, False, f"not installed; pip install 'agingbench[{name}]'")
    state = "set" if os.environ.get(key) else "not set"
    return Check(name, True, False, f"{metadata.version(name)}, {key} is {state}")
