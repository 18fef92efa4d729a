"""`agingbench chain`: verify the tickets of s8, and find more of them between two releases."""

from __future__ import annotations

import click
import msgspec

from agingbench.cli.groups import CommandEntry, LazyGroup
from agingbench.cli.options import epilog, json_option
from agingbench.cli.output import echo, print_json, print_next
from agingbench.errors import InputError

_HERE = "agingbench.cli.chain"
_CODES = "0 every ticket holds, 1 one does not, 2 wrong input"

COMMANDS = {
    "verify": CommandEntry(
        f"{_HERE}:verify", "Run every ticket: the untouched tree fails, the recorded fix passes"
    ),
    "find": CommandEntry(f"{_HERE}:find", "Find tickets between two releases by running tests"),
}


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    no_args_is_help=False,
    epilog=epilog("agingbench chain verify"),
)
def chain() -> None:
    """Verify and extend the chain of tickets that s8 lives on."""


chain_option = click.option(
    "--chain",
    "name",
    default="",
    metavar="NAME",
    help="Name or YAML file of a chain; by default AGINGBENCH_CHAIN, or the one of this package.",
)
python_option = click.option(
    "--python",
    default="",
    metavar="VERSION",
    help="Python that the tests run with, such as 3.12; by default the chain's first.",
)


@click.command(epilog=epilog("agingbench chain verify 34458 34464 --python 3.12", _CODES))
@click.argument("tickets", nargs=-1, type=int)
@chain_option
@python_option
@click.option("--bumped", is_flag=True, help="With the packages after the dependency bump.")
@json_option
def verify(tickets: tuple[int, ...], name: str, python: str, bumped: bool, as_json: bool) -> int:
    """Run every ticket: the untouched tree fails, the recorded fix passes.

    Runs the TICKETS that are named, else all of the chain. The tests of a
    ticket have to fail on the tree before the fix and pass with the recorded
    hunks, and nothing else may break. Releases are downloaded once.
    """
    from agingbench.bench.repository.backend import SuiteSetting
    from agingbench.bench.repository.chain import load_chain
    from agingbench.bench.repository.verifying import verify_chain
    from agingbench.sandbox.programs import Unavailable

    file = load_chain(name)
    for number in tickets:
        file.chain.ticket(number)
    setting = SuiteSetting(python or file.chain.pythons[0], int(bumped))
    results = []
    try:
        for result in verify_chain(file, setting, tickets):
            results.append(result)
            if not as_json:
                state = result.problem or f"holds, {result.n_tests} tests pass with the fix"
                echo(f"{result.ticket}  {result.branch}  {result.seconds:.1f} s  {state}")
    except Unavailable as error:
        raise InputError(f"tests of a repository need a confinement: {error}") from error

    problems = [result for result in results if result.problem]
    if as_json:
        print_json({"chain": file.chain.name, "tickets": msgspec.to_builtins(results)})
    else:
        held = f"{len(results) - len(problems)} of {len(results)} tickets hold"
        runs_with = results[0].runs_with if results else "nothing"
        echo(f"{file.chain.name}: {held}, run with {runs_with}")
        print_next("agingbench run --scenario s8 --agent claude_code", "live them with an agent")
    return 1 if problems else 0


@click.command(
    epilog=epilog("agingbench chain find 4.2.7 4.2.8 aggregation", "0 done, 2 wrong input")
)
@click.argument("before")
@click.argument("after")
@click.argument("apps", nargs=-1)
@chain_option
@python_option
@json_option
def find(
    before: str, after: str, apps: tuple[str, ...], name: str, python: str, as_json: bool
) -> None:
    """Find tickets between two releases by running tests.

    APPS are folders of tests; by default all that changed. What it prints is
    a proposal for the chain file: a person says which ticket it is.
    """
    from agingbench.bench.repository.backend import SuiteSetting
    from agingbench.bench.repository.chain import load_chain
    from agingbench.bench.repository.finding import find_tickets
    from agingbench.bench.repository.sdist import SdistBackend
    from agingbench.sandbox.programs import Unavailable

    file = load_chain(name)
    for version in (before, after):
        if version not in file.chain.releases:
            known = ", ".join(file.chain.releases)
            raise InputError(f"the chain has no release {version}; it has {known}")
    setting = SuiteSetting(python or file.chain.pythons[0])

    def progress(text: str) -> None:
        if not as_json:
            echo(text, err=True)

    try:
        search = find_tickets(SdistBackend(file), before, after, setting, progress, apps)
    except Unavailable as error:
        raise InputError(f"tests of a repository need a confinement: {error}") from error
    if as_json:
        print_json(msgspec.to_builtins(search))
        return
    for candidate in search.candidates:
        echo(f"hunks {candidate.hunks}")
        for test in candidate.fails:
            echo(f"  fails before, passes after: {test}")
        for test in candidate.breaks:
            echo(f"  breaks with these hunks alone: {test}")
    echo(f"tickets that the release notes name: {', '.join(map(str, search.tickets)) or 'none'}")
