"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypedDict, TypeVar

import click

from agingbench.cli.completion import complete, complete_words
from agingbench.errors import InputError, nearest

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

SUITES = ("lite", "core", "full", "pressure_sweep")  # those of studies, without importing them
PROFILES = ("auto", "generic", "code_assistant")  # those of telemetry, without importing it
SEEDS_HELP = "A count (3), a range (0-99) or a list (1,5,9)."
FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False)
ANY_PATH = click.Path(path_type=Path)

_EXAMPLE_WIDTH = 72
_DONE_OR_WRONG = "0 done, 2 wrong input"


# -- how help ends


def epilog(example: str, codes: str = _DONE_OR_WRONG) -> str:
    """The end of a command's help: an example and the exit codes."""
    # A value stays on the line of its option.
    joined = re.sub(r"(--[\w-]+) (?!-)", "\\1\N{NO-BREAK SPACE}", example)
    lines = textwrap.wrap(joined, _EXAMPLE_WIDTH, break_long_words=False, break_on_hyphens=False)
    text = " \\\n      ".join(lines).replace("\N{NO-BREAK SPACE}", " ")
    return f"\b\nExample:\n  {text}\n\nExit codes: {codes}."


# -- kinds of options and values


class AliasOption(click.Option):
    """An option that also accepts flags which its help does not show."""

    def __init__(self, *args: Any, aliases: Sequence[str] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        self.aliases = tuple(aliases)

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser accept the documented flags and the aliases."""
        documented = self.opts
        self.opts = [*documented, *self.aliases]
        super().add_to_parser(parser, ctx)
        self.opts = documented


class WrongChoice(click.BadParameter):
    """A value that is not among the choices; carries the nearest ones."""

    def __init__(self, value: str, choices: Sequence[str]) -> None:
        self.nearest = nearest(value, choices)
        hint = f"choose from {', '.join(choices)}"
        if self.nearest:
            hint = f"did you mean {' or '.join(self.nearest)}?"
        super().__init__(f"'{value}' is not a choice; {hint}")


class OneOf(click.Choice):  # type: ignore[type-arg]
    """One of several words; a wrong one is told with the nearest right ones."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value, or raise WrongChoice."""
        if value not in self.choices:
            error = WrongChoice(str(value), [str(choice) for choice in self.choices])
            error.param = param
            error.ctx = ctx
            raise error
        return str(value)


# -- shared options


def compose(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """One decorator that adds several options, in the order in which help lists them."""

    def decorate(command: F) -> F:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def json_option(command: F) -> F:
    """`--json`: print one JSON document in place of text."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def trust_option(command: F) -> F:
    """`--trust`: let code that a file or a run folder names run."""
    return click.option(
        "--trust",
        is_flag=True,
        help="Let code that the file or folder names run; read it first.",
    )(command)


def out_option(
    help: str,
    default: Path | None = None,
    *,
    required: bool = False,
    type: click.Path = FOLDER,
    aliases: Sequence[str] = (),
) -> Callable[[F], F]:
    """`--out`: the place that is written to."""
    return click.option(
        "--out",
        "-o",
        cls=AliasOption,
        aliases=aliases,
        type=type,
        default=default,
        required=required,
        show_default=default is not None,
        help=help,
    )


def ledger_option(default: str | None = None) -> Callable[[F], F]:
    """`--ledger`: the ledger of trials, passed as `place`.

    Without a default the ledger lies beside what the command writes, and `none` keeps no ledger.
    """
    text = "Ledger of trials: a file, a folder or a postgresql:// URL"
    if default is None:
        metavar = "PATH|URL|none"
        text += "; none keeps no ledger.  [default: OUT/ledger.sqlite]"
    else:
        metavar = "PATH|URL"
        text += "."
    return click.option(
        "--ledger",
        "-l",
        "place",
        cls=AliasOption,
        aliases=["--ledger-root"],
        default=default,
        envvar="AGINGBENCH_LEDGER",
        show_default=default is not None,
        metavar=metavar,
        help=text,
    )


def declare_option(command: F) -> F:
    """`--declare NAME=yes|no`: what the user declares of the lives."""
    return click.option(
        "--declare",
        "declared",
        multiple=True,
        metavar="NAME=yes|no",
        help="Declare fork_disclosed or conflict_of_interest on the cards; repeatable.",
    )(command)


def profile_option(command: F) -> F:
    """`--profile`: how a trace is read and judged."""
    return click.option(
        "--profile",
        default="auto",
        show_default=True,
        metavar="NAME|FILE",
        shell_complete=complete_words(PROFILES),
        help="generic, code_assistant or a YAML file; auto takes code_assistant for coding agents.",
    )(command)


def price_option(command: F) -> F:
    """`--price`: what a model costs, in the user's own figures."""
    return click.option(
        "--price",
        "own_prices",
        multiple=True,
        metavar="MODEL=IN,OUT[,READ,WRITE]",
        help="US dollars per million tokens of a model, before our dated list; repeatable.",
    )(command)


def format_option(command: F) -> F:
    """`--format`: how a trace file is read."""
    return click.option(
        "--format",
        "trace_format",
        default="auto",
        show_default=True,
        metavar="NAME",
        shell_complete=complete("format", "auto"),
        help="Format of the traces (see `agingbench list formats`).",
    )(command)


scenario_option = click.option(
    "--scenario",
    "-s",
    default=None,
    metavar="NAME",
    shell_complete=complete("scenario"),
    help="Scenario, such as s2 (see `agingbench list scenarios`).",
)

max_cost_option = click.option(
    "--max-cost",
    type=click.FloatRange(0, min_open=True),
    default=None,
    metavar="USD",
    help="Spend at most this many dollars, earlier starts in OUT included.",
)

engine_option = click.option(
    "--engine",
    default="local",
    show_default=True,
    metavar="local|ray[:ADDRESS]",
    help="Where it runs: here, or on a Ray cluster, with the extra of that name.",
)

cache_option = click.option(
    "--cache/--no-cache",
    default=True,
    help="Keep replies of remote models under OUT/.cache.",
)


probes_option = click.option(
    "--probes",
    default=None,
    metavar="SELECTION",
    help="Ask only these types or mechanisms, or so many a point: standalone,6.",
)


class LifeOptions(TypedDict):
    """The values of `life_options`."""

    scenario: str | None
    sessions: int | None
    seeds: str | None
    seed: int | None
    pressure: str | None
    dials: tuple[str, ...]
    events: tuple[str, ...]


# What makes a plan: scenario, length, seeds, pressure, dials, events.
life_options = compose(
    scenario_option,
    click.option(
        "--sessions",
        "-n",
        type=click.IntRange(1, 10_000),
        default=None,
        help="Length of the life.",
    ),
    click.option("--seeds", default=None, metavar="SEEDS", help=SEEDS_HELP),
    click.option("--seed", type=click.IntRange(0), default=None, help="One seed."),
    click.option(
        "--pressure",
        "-p",
        default=None,
        metavar="NAME",
        shell_complete=complete("pressure"),
        help="none, light, medium (default) or heavy.",
    ),
    click.option(
        "--dial",
        "-d",
        "dials",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set one dial of the pressure; repeatable.",
    ),
    click.option(
        "--events",
        "-e",
        multiple=True,
        metavar="NAME@POINT",
        help="Lifecycle event, such as flush_history@4; repeatable.",
    ),
)


# -- values of options


def parse_seeds(text: str) -> list[int]:
    """Read the seeds of `--seeds`: a count, a range or a list."""
    from agingbench.bench.studies.seeds import read_seeds

    return read_seeds(text)


def chosen_seeds(seeds: str | None, seed: int | None) -> list[int]:
    """The seeds of `--seeds` or `--seed`; seed 0 when neither is given."""
    if seeds is not None and seed is not None:
        raise InputError("give --seeds or --seed, not both")
    if seeds is not None:
        return parse_seeds(seeds)
    return [0 if seed is None else seed]


def parse_pairs(items: Iterable[str], option: str) -> dict[str, Any]:
    """Read NAME=VALUE options; values are YAML scalars, so numbers are numbers."""
    import yaml

    pairs: dict[str, Any] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise InputError(f"{option} '{item}': write NAME=VALUE")
        try:
            pairs[name.strip()] = yaml.safe_load(value) if value.strip() else ""
        except yaml.YAMLError as error:
            raise InputError(
                f"{option} '{item}': the value cannot be read as YAML; put it in quotes"
            ) from error
    return pairs


def split_events(items: Iterable[str]) -> list[str]:
    """Split options that hold several events, separated by commas or spaces."""
    parts = [part for item in items for part in re.split(r"\s+|,(?=[a-z_]+@)", item)]
    return [part for part in parts if part]
