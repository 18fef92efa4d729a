"""The `agingbench` command: finds the subcommand, and turns every failure into one clear line and
an exit code.
"""

from __future__ import annotations

import gc
import os
import sys

import click

from agingbench import __version__
from agingbench.cli.groups import CommandEntry, LazyGroup, UnknownCommand
from agingbench.cli.options import WrongChoice
from agingbench.cli.output import document_printed, echo, print_error_json
from agingbench.errors import AgingBenchError, UnknownName
from agingbench.text.addresses import plain_address

# Our matrices are small: threads of the linear algebra library wait for each other and cost several
# times what they save. To be set before numpy loads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Plans and traces are many small objects that live long: the garbage collector finds little among
# them, and looks a tenth of the time.
GARBAGE = 20_000  # new objects between two of its rounds

# Beside 0 fine, 1 a negative verdict, 2 wrong input, 3 uncalibrated.
INTERRUPTED = 130
OUR_FAULT = 70

COMMANDS = {
    "demo": CommandEntry(
        "agingbench.cli.demo:demo",
        "Watch three memories age, in seconds and without a key",
    ),
    "run": CommandEntry(
        "agingbench.cli.run:run",
        "Live a scenario with an agent and write its AgingCard",
    ),
    "study": CommandEntry(
        "agingbench.cli.study:study",
        "Live every cell of a study file or a suite",
    ),
    "merge": CommandEntry(
        "agingbench.cli.merge:merge",
        "Join folders of lives, such as the shards of a study",
    ),
    "compare": CommandEntry(
        "agingbench.cli.compare:compare",
        "Compare two systems, paired by seed",
    ),
    "gate": CommandEntry(
        "agingbench.cli.gate:gate",
        "Fail a build when an agent ages worse than its baseline",
    ),
    "reproduce": CommandEntry(
        "agingbench.cli.reproduce:reproduce",
        "Live a recorded life again and report what differs",
    ),
    "plan": CommandEntry(
        "agingbench.cli.plan:plan",
        "Print the plan of a life: sessions, probes, facts, hash",
    ),
    "score": CommandEntry(
        "agingbench.cli.score:score",
        "Score lives again from their files",
    ),
    "diagnose": CommandEntry(
        "agingbench.cli.diagnose:diagnose",
        "Find the stage at which a life loses its answers",
    ),
    "autopsy": CommandEntry(
        "agingbench.cli.autopsy:autopsy",
        "Tell for every failed probe where its facts were lost",
    ),
    "report": CommandEntry(
        "agingbench.cli.report:report",
        "Make one HTML file of lives, audits or resumption runs",
    ),
    "view": CommandEntry(
        "agingbench.cli.view:view",
        "Look at runs, audits, trials and traces in a browser",
    ),
    "export": CommandEntry(
        "agingbench.cli.export:export",
        "Write cards, lives and trials for another platform",
    ),
    "figure": CommandEntry(
        "agingbench.cli.figure:figure",
        "Draw a figure for a paper",
    ),
    "table": CommandEntry(
        "agingbench.cli.table:table",
        "Make a table for a paper",
    ),
    "audit": CommandEntry(
        "agingbench.cli.audit:audit",
        "Tell from its traces whether an agent is getting worse",
    ),
    "watch": CommandEntry(
        "agingbench.cli.watch:watch",
        "Keep transcripts as they come, and tell when an answer changes",
    ),
    "archive": CommandEntry(
        "agingbench.cli.archive:archive",
        "Keep transcripts that clients delete after a while",
    ),
    "card": CommandEntry(
        "agingbench.cli.card:card",
        "Show AgingCards and check them against the schema",
    ),
    "leaderboard": CommandEntry(
        "agingbench.cli.leaderboard:leaderboard",
        "Submit cards, check submissions and build the ranks",
    ),
    "trials": CommandEntry(
        "agingbench.cli.trials.group:trials",
        "Keep trials as evidence: add, verify, import, inspect",
    ),
    "list": CommandEntry(
        "agingbench.cli.listing:listing",
        "List the names that options accept",
    ),
    "validate": CommandEntry(
        "agingbench.cli.validate.group:validate",
        "Check the instruments on agents whose score is known",
    ),
    "resumption": CommandEntry(
        "agingbench.cli.resumption.group:resumption",
        "Measure how well an agent resumes a half-done task",
    ),
    "chain": CommandEntry(
        "agingbench.cli.chain:chain",
        "Verify and extend the chain of tickets that s8 lives on",
    ),
    "serve-model": CommandEntry(
        "agingbench.cli.serve_model:serve_model",
        "Serve the embedded model to command-line agents on this machine",
    ),
    "doctor": CommandEntry(
        "agingbench.cli.doctor:doctor",
        "Check this machine: Python, packages, a short life, a chart",
    ),
    # Names that users type from other places: they work and are not listed.
    "trend": CommandEntry(
        "agingbench.cli.trials.ranking:trend",
        "Tell how systems did night by night, and the cost",
        hidden=True,
    ),
    "import-prime-eval": CommandEntry(
        "agingbench.cli.trials.importing:import_prime",
        "Import a Prime evaluation",
        hidden=True,
    ),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="\b\nExample:\n  agingbench demo",
)
@click.version_option(__version__, "-V", "--version", prog_name="agingbench")
def cli() -> None:
    """Measure how long an agent stays reliable and how it decays.

    Start with `agingbench demo`: three lives in seconds, no key needed.

    With --json every command prints one document: kind, version and data.

    \b
    Exit codes:
      0    done, or a positive verdict
      1    a negative verdict
      2    wrong input
      3    the judge is not calibrated
      70   a fault of ours
      130  interrupted
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(GARBAGE, 10, 10)
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; every error becomes one line on standard
    error, after the traceback of a plug-in that failed.
    """
    words = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in words
    document_printed.set(False)
    try:
        code = cli.main(words or ["--help"], prog_name="agingbench", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        hint = f"see `{_command_path(error)} --help`"
        return _fail(error.format_message(), 2, as_json, _nearest(error), hint)
    except (KeyboardInterrupt, click.Abort):
        return _interrupted(as_json)
    except SystemExit as left:
        # click and rich leave with 1 when the reader has closed the pipe; that is no verdict.
        return left.code if isinstance(left.code, int) and left.code != 1 else 0
    except Exception as error:
        return _interrupted(as_json) if _wraps_interrupt(error) else _report(error, as_json)


def _interrupted(as_json: bool) -> int:
    message = "interrupted; what was finished is kept, run the same command to continue"
    return _fail(message, INTERRUPTED, as_json)


def _wraps_interrupt(error: Exception) -> bool:
    """Whether an error came of Ctrl-C: pydantic makes errors of its own of what our code raises."""
    # What fails while it writes JSON keeps no cause: there only its text names what was raised.
    if type(error).__name__ == "PydanticSerializationError" and "KeyboardInterrupt" in str(error):
        return True
    cause = error.__cause__
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            return True
        cause = cause.__cause__
    return False


def _report(error: Exception, as_json: bool) -> int:
    """Tell an error that is not about the command line and return its exit code."""
    from agingbench.plugin_errors import plugin_failure

    failure = plugin_failure(error)
    if failure is not None:
        echo(plain_address(failure.traceback.rstrip()), err=True)
    if isinstance(error, AgingBenchError):
        return _fail(str(error), error.exit_code, as_json, _nearest(error))
    if failure is not None:
        kind = type(failure.error).__name__
        return _fail(f"{failure.label} failed with {kind}: {failure.error}", 2, as_json)
    if isinstance(error, OSError):
        place = f": {error.filename}" if error.filename else ""
        return _fail(f"{error.strerror or error}{place}", 2, as_json)

    # A fault of ours: users get a sentence, developers can ask for the traceback.
    if os.environ.get("AGINGBENCH_TRACEBACK"):
        import traceback

        traceback.print_exc()
    hint = "set AGINGBENCH_TRACEBACK=1 to see where, and please report it"
    message = f"internal error: {type(error).__name__}: {error}; {hint}"
    return _fail(message, OUR_FAULT, as_json)


def _command_path(error: click.ClickException) -> str:
    if isinstance(error, click.UsageError) and error.ctx:
        return error.ctx.command_path
    return "agingbench"


def _nearest(error: Exception) -> list[str]:
    """The names that were perhaps meant, best first."""
    if isinstance(error, UnknownName):
        return error.suggestions
    if isinstance(error, UnknownCommand | WrongChoice):
        return error.nearest
    if isinstance(error, click.NoSuchOption):
        return list(error.possibilities or ())
    return []


def _fail(
    message: str,
    code: int,
    as_json: bool,
    nearest: list[str] | None = None,
    hint: str | None = None,
) -> int:
    """Tell an error in one line on standard error, with --json on standard output too."""
    from agingbench.report.text import plain

    line = plain(plain_address(message))
    if as_json:
        print_error_json(line, code, nearest or [], hint)
    echo(f"agingbench: {line} ({hint})" if hint else f"agingbench: {line}", err=True)
    return code


if __name__ == "__main__":
    main()
