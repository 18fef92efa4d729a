"""`agingbench leaderboard`: submit cards, check submissions, settle disputes, build the site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from agingbench.cli.groups import CommandEntry, LazyGroup
from agingbench.cli.options import (
    ANY_PATH,
    FILE,
    FOLDER,
    OneOf,
    epilog,
    json_option,
    out_option,
    trust_option,
)
from agingbench.cli.output import console, echo, print_json, print_next, shown, typed

if TYPE_CHECKING:
    from agingbench.bench.leaderboard.places import EntryPlace
    from agingbench.cards.leaderboard import Decision

_HERE = "agingbench.cli.leaderboard"
BOARD = Path("leaderboard")

COMMANDS = {
    "add": CommandEntry(f"{_HERE}:add", "Submit the lives of a system under a key"),
    "check": CommandEntry(f"{_HERE}:check", "Hold every submission to the rules"),
    "build": CommandEntry(f"{_HERE}:build", "Rank the systems and write the page"),
    "dispute": CommandEntry(f"{_HERE}:dispute", "Open a dispute about an entry"),
    "decide": CommandEntry(f"{_HERE}:decide", "Decide on a dispute as an operator"),
}

board_option = click.option(
    "--board",
    type=FOLDER,
    default=BOARD,
    show_default=True,
    help="Folder of the leaderboard.",
)


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    no_args_is_help=False,
    epilog=epilog("agingbench leaderboard check"),
)
def leaderboard() -> None:
    """Submit cards, check submissions and build the ranks."""


@click.command(
    epilog=epilog(
        "agingbench leaderboard add runs --key my-memory --submitter me",
        "0 submitted, 2 wrong input or refused, with every reason",
    )
)
@click.argument("runs", nargs=-1, required=True, type=ANY_PATH)
@click.option("--key", required=True, help="Name of the entry, such as acme-memory-2.")
@click.option("--submitter", required=True, help="Who submits: a name or a GitHub account.")
@click.option("--conflict", default=None, help="The conflict of interest that was declared.")
@click.option("--fork", default=None, help="What was changed in a fork that was declared.")
@board_option
@json_option
def add(
    runs: tuple[Path, ...],
    key: str,
    submitter: str,
    conflict: str | None,
    fork: str | None,
    board: Path,
    as_json: bool,
) -> None:
    """Submit the lives of a system under a key.

    RUNS are run directories or folders that hold some: the seeds 0, 1 and 2 of
    one scenario under the default settings. The cards are copied as they are; a
    submission beside them states the system and its trials. Whatever breaks a
    rule is refused, and nothing is written.
    """
    from agingbench.bench.leaderboard.submission import submit
    from agingbench.cli.lives import lives_below

    lives = [life for run in runs for life in lives_below(run)]
    place = submit(board, lives, key, submitter, conflict=conflict, fork=fork)
    folder = place.folder(board)
    if as_json:
        files = sorted(str(file) for file in folder.glob(f"{key}[_.]*.json"))
        print_json({"key": key, "track": place.track, "scenario": place.scenario, "files": files})
        return
    echo(f"submitted {key} to {shown(folder)}")
    print_next(f"agingbench leaderboard build --board {typed(board)}", "the ranks, in a browser")


@click.command(
    epilog=epilog(
        "agingbench leaderboard check --base ../main/leaderboard",
        "0 all rules hold, 1 one is broken, 2 wrong input",
    )
)
@board_option
@click.option(
    "--base",
    type=FOLDER,
    default=None,
    help="The leaderboard before the change; its entries must stay as they are.",
)
@click.option(
    "--evidence",
    type=ANY_PATH,
    multiple=True,
    metavar="RUNS",
    help="Run folders: score their lives again and compare; repeatable.",
)
@trust_option
@json_option
def check(
    board: Path, base: Path | None, evidence: tuple[Path, ...], trust: bool, as_json: bool
) -> int:
    """Hold every submission to the rules.

    From the cards alone, a figure that was edited together with every hash
    cannot be seen: --evidence scores the lives again from their files.
    """
    from agingbench.bench.leaderboard.check import check_board
    from agingbench.cards.figures import document_of
    from agingbench.cli.lives import lives_below

    lives = [life for runs in evidence for life in lives_below(runs)]
    result = check_board(board, base=base, evidence=lives, trust=trust)
    if as_json:
        print_json(document_of(result))
    else:
        for problem in result.problems:
            echo(f"{problem.file}: {problem.rule}: {problem.reason}")
        verdict = "all rules hold" if result.ok else f"{len(result.problems)} problems"
        compared = f", {result.evidence} scored again" if evidence else ""
        echo(f"{result.entries} entries, {result.cards} cards{compared}: {verdict}")
    return int(not result.ok)


@click.command(epilog=epilog("agingbench leaderboard build --out site/index.html"))
@board_option
@out_option("Page that is written.", Path("leaderboard.html"), type=FILE)
@json_option
def build(board: Path, out: Path, as_json: bool) -> None:
    """Rank the systems and write the page.

    A system is ranked by its mean over seeds, and told apart from another only
    where the 95 % interval of their difference leaves out 0; all others are tied.
    The page is one file that opens by double-click.
    """
    from agingbench.bench.leaderboard.ranking import build_board
    from agingbench.cards.figures import document_of
    from agingbench.report.leaderboard import print_board
    from agingbench.report.pages.leaderboard import write_board_page

    result = build_board(board)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_board_page(result, out)
    if as_json:
        print_json({"file": str(out), "leaderboard": document_of(result)})
        return
    print_board(result, console())
    echo(f"wrote {shown(out)}")


@click.command(
    epilog=epilog(
        'agingbench leaderboard dispute model/s2_lifestyle_assistant/acme --by me --claim "…"'
    )
)
@click.argument("entry", metavar="TRACK/SCENARIO/KEY")
@click.option("--claim", required=True, help="What is wrong with the entry, and how one can see.")
@click.option("--by", "opened_by", required=True, help="Who opens the dispute.")
@board_option
@json_option
def dispute(entry: str, claim: str, opened_by: str, board: Path, as_json: bool) -> None:
    """Open a dispute about an entry.

    The entry stays, marked as disputed, until two operators agree.
    """
    from agingbench.bench.leaderboard.disputes import open_dispute
    from agingbench.cards.figures import document_of

    opened = open_dispute(board, _entry(entry), claim, opened_by)
    if as_json:
        print_json(document_of(opened))
        return
    echo(f"opened dispute {opened.number} about {entry}")


@click.command(
    epilog=epilog('agingbench leaderboard decide 1 --operator ann --decision retract --reason "…"')
)
@click.argument("number", type=click.IntRange(1))
@click.option("--operator", required=True, help="Who decides; named in operators.json.")
@click.option("--decision", required=True, type=OneOf(("keep", "retract")), help="keep or retract.")
@click.option("--reason", required=True, help="Why; it stays beside the entry.")
@board_option
@json_option
def decide(
    number: int, operator: str, decision: str, reason: str, board: Path, as_json: bool
) -> None:
    """Decide on a dispute as an operator.

    When a second operator agrees to retract, the entry moves to _retracted with
    its reason; it is never deleted.
    """
    from agingbench.bench.leaderboard.disputes import decide as add_ruling
    from agingbench.cards.figures import document_of

    decided = add_ruling(board, number, operator, cast("Decision", decision), reason)
    if as_json:
        print_json({**document_of(decided), "outcome": decided.outcome})
        return
    state = decided.outcome or "open: another operator must agree"
    echo(f"dispute {number}: {state}")


def _entry(text: str) -> EntryPlace:
    from agingbench.bench.leaderboard.places import TRACKS, EntryPlace, checked_key
    from agingbench.bench.leaderboard.suite import is_scenario
    from agingbench.errors import InputError

    parts = text.split("/")
    if len(parts) != 3 or parts[0] not in TRACKS or not is_scenario(parts[1]):
        raise InputError(f"{text}: name the entry as model/s2_lifestyle_assistant/KEY")
    return EntryPlace(parts[0], parts[1], checked_key(parts[2]))
