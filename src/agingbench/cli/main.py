"""The `agingbench` command: finds the subcommand, and turns every failure into one clear line and
an exit code.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback

import click

from agingbench import __version__
from agingbench.errors import AgingBenchError, nearest
from agingbench.registry import plugin_failure

# Beside 0 fine, 1 a negative verdict, 2 wrong input, 3 uncalibrated.
INTERRUPTED = 130
OUR_FAULT = 70

COMMANDS = {
    "demo": "agingbench.cli.demo:demo",
    "run": "agingbench.cli.run:run",
    "study": "agingbench.cli.study:study",
    "merge": "agingbench.cli.study:merge",
    "compare": "agingbench.cli.compare:compare",
    "gate": "agingbench.cli.gate:gate",
    "reproduce": "agingbench.cli.reproduce:reproduce",
    "plan": "agingbench.cli.plan:plan",
    "score": "agingbench.cli.score:score",
    "diagnose": "agingbench.cli.diagnose:diagnose",
    "autopsy": "agingbench.cli.autopsy:autopsy",
    "audit": "agingbench.cli.audit:audit",
    "archive": "agingbench.cli.archive:archive",
    "card": "agingbench.cli.card:card",
    "trials": "agingbench.cli.trials.group:trials",
    "list": "agingbench.cli.listing:listing",
    "validate": "agingbench.cli.validate:validate",
    "resumption": "agingbench.cli.resumption.group:resumption",
    "doctor": "agingbench.cli.doctor:doctor",
}


class LazyGroup(click.Group):
    """Imports a command only when it is asked for, so that the command line starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = nearest(args[0], COMMANDS)
            hint = (
                f"did you mean {' or '.join(close)}?"
                if close
                else f"commands: {', '.join(COMMANDS)}"
            )
            raise click.UsageError(f"no command '{args[0]}'; {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="agingbench")
def cli() -> None:
    """How long does an agent stay reliable, how does it decay, and where does the repair go.

    Start with `agingbench demo`: two lives in seconds, no key needed.

    Exit codes: 0 fine, 1 a negative verdict, 2 wrong input, 3 uncalibrated, 130 interrupted.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    sys.path.append("")  # parts of one's own, module:Class, are found in the folder one stands in
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; every error becomes one line on standard
    error, after the traceback of a plug-in that failed.
    """
    given = sys.argv[1:] if arguments is None else arguments
    try:
        code = cli.main(given or ["--help"], prog_name="agingbench", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        command = (
            error.ctx.command_path
            if isinstance(error, click.UsageError) and error.ctx
            else "agingbench"
        )
        return _fail(f"{error.format_message()} (see `{command} --help`)", 2)
    except (KeyboardInterrupt, click.Abort):
        return _fail(
            "interrupted; what was finished is kept, run the same command to continue", INTERRUPTED
        )
    except SystemExit as left:
        # click and rich leave so, with 1, when whoever reads has closed the pipe; that is no
        # negative verdict.
        return left.code if isinstance(left.code, int) and left.code != 1 else 0
    except Exception as error:
        return _report(error)


def _report(error: Exception) -> int:
    failure = plugin_failure(error)
    if failure is not None:
        click.echo(failure.traceback.rstrip(), err=True)
    if isinstance(error, AgingBenchError):
        return _fail(str(error), error.exit_code)
    if failure is not None:
        kind = type(failure.error).__name__
        return _fail(f"{failure.label} failed with {kind}: {failure.error}", 2)
    if isinstance(error, OSError):
        place = f": {error.filename}" if error.filename else ""
        return _fail(f"{error.strerror or error}{place}", 2)
    # The last line of defence: users get a sentence, developers can ask for more.
    if os.environ.get("AGINGBENCH_TRACEBACK"):
        traceback.print_exc()
    hint = "set AGINGBENCH_TRACEBACK=1 to see where, and please report it"
    return _fail(f"internal error: {type(error).__name__}: {error}; {hint}", OUR_FAULT)


def _fail(message: str, code: int) -> int:
    click.echo(f"agingbench: {' '.join(message.split())}", err=True)
    return code


if __name__ == "__main__":
    main()
