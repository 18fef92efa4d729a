"""A chain of tickets of one module family: which releases, which hunks, which tests.

A chain is a YAML file. It holds facts about a repository and no line of its source: what a fix
changes is derived from the releases before and after it when it is needed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

import msgspec
import yaml

from agingbench.errors import InputError, UnknownName

CHAINS = Path(__file__).parent / "chains"
DEFAULT_CHAIN = "django_orm_query"
CHAIN_FILE = "AGINGBENCH_CHAIN"  # a chain file in place of those of this package

# Words of a chain file become names of files, arguments and parts of commands, so each has a form:
# no path leads out of a folder, and no argument passes for an option.
PlainName = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._+-]*\Z")]
NameOrNone = Annotated[str, msgspec.Meta(pattern=r"\A([A-Za-z0-9][A-Za-z0-9._+-]*)?\Z")]
DottedName = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z")]
FolderPath = Annotated[str, msgspec.Meta(pattern=r"\A\w+(/\w+)*\Z")]
Sha256 = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
PythonVersion = Annotated[str, msgspec.Meta(pattern=r"\A[0-9]+\.[0-9]+\Z")]


class Download(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of the package index, by its name and its SHA-256."""

    file: PlainName
    sha256: Sha256


class Wheel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A package that the tests import."""

    name: PlainName
    version: PlainName
    file: PlainName
    sha256: Sha256

    @property
    def download(self) -> Download:
        """The file that it is in."""
        return Download(self.file, self.sha256)


class Ticket(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One issue: its request in our words, where its fix lies and which tests verify it.

    `hunks` are the places, counted from 0, at which the file of the release before differs from the
    one after and which belong to this fix. `fails` are tests that fail before the fix and pass
    after it; `keeps` are test modules in which nothing else may break. With the backend `docker`,
    `instance` names the SWE-bench instance that holds all of this.
    """

    number: int
    title: str
    text: str
    fails: list[DottedName]
    keeps: list[DottedName]
    before: NameOrNone = ""
    after: NameOrNone = ""
    hunks: dict[str, list[int]] = {}
    instance: NameOrNone = ""


class Branch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of releases with its tickets, oldest first."""

    name: str
    tickets: list[Ticket]


class TicketChain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tickets of a module family, and what is needed to run their tests.

    `wheels` and `pythons` hold what the tests run with before a bump and after it.
    """

    name: PlainName
    package: PlainName
    family: FolderPath
    backend: Literal["sdist", "docker"]
    pythons: tuple[PythonVersion, PythonVersion]
    pins: tuple[str, str]  # of the package that the dependency bump is told of
    pinned: str
    branches: list[Branch]
    releases: dict[PlainName, Download] = {}
    wheels: list[list[Wheel]] = []
    instances: NameOrNone = ""  # a file of SWE-bench instances, beside the chain file

    def ticket(self, number: int) -> Ticket:
        """The ticket of a number; raises InputError when the chain has none."""
        for ticket in self.tickets():
            if ticket.number == number:
                return ticket
        raise InputError(f"chain {self.name}: no ticket {number}")

    def tickets(self) -> Iterator[Ticket]:
        """Every ticket, branch by branch."""
        for branch in self.branches:
            yield from branch.tickets

    def is_family(self, path: str) -> bool:
        """Whether a path names a source file of the module family."""
        pure = PurePosixPath(path)
        is_plain = not pure.is_absolute() and ".." not in pure.parts
        return is_plain and pure.suffix == ".py" and pure.is_relative_to(self.family)


class ChainFile(msgspec.Struct, frozen=True):
    """A chain, where it was read from and the SHA-256 of its file."""

    chain: TicketChain
    path: Path
    digest: str


def chain_names() -> list[str]:
    """The chains of this package."""
    return sorted(path.stem for path in CHAINS.glob("*.yaml"))


def load_chain(name: str = "") -> ChainFile:
    """Read a chain by its name or file; by default the one that `AGINGBENCH_CHAIN` names, or ours.

    Raises InputError for a file that is no chain.
    """
    name = name or os.environ.get(CHAIN_FILE, "") or DEFAULT_CHAIN
    if name in chain_names():
        return _read(CHAINS / f"{name}.yaml")
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        return _read(path)
    raise UnknownName("chain", name, chain_names())


def chain_of(name: str) -> ChainFile:
    """The chain that a plan names; raises InputError where it is not the one that is set up."""
    if name in chain_names():
        return _read(CHAINS / f"{name}.yaml")
    chosen = load_chain()
    if chosen.chain.name != name:
        raise InputError(f"the plan needs the chain {name}; name its file in {CHAIN_FILE}")
    return chosen


def _read(path: Path) -> ChainFile:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot read this chain: {error}") from error
    return _parsed(path, data)


@lru_cache(maxsize=8)
def _parsed(path: Path, data: bytes) -> ChainFile:
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        chain = msgspec.convert(yaml.load(data, Loader=loader), TicketChain)  # noqa: S506 -- a safe one
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not YAML: {error}") from error
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {error}") from error
    _check(path, chain)
    return ChainFile(chain, path, hashlib.sha256(data).hexdigest())


def _check(path: Path, chain: TicketChain) -> None:
    numbers = [ticket.number for ticket in chain.tickets()]
    if len(set(numbers)) != len(numbers):
        raise InputError(f"{path}: a ticket stands there twice")
    for ticket in chain.tickets():
        place = f"{path}: ticket {ticket.number}"
        if not ticket.fails:
            raise InputError(f"{place}: needs a test that fails before the fix")
        if chain.backend == "docker":
            if not ticket.instance:
                raise InputError(f"{place}: needs an instance")
            continue
        for release in (ticket.before, ticket.after):
            if release not in chain.releases:
                raise InputError(f"{place}: the chain has no release {release!r}")
        for file in ticket.hunks:
            if not chain.is_family(file):
                raise InputError(f"{place}: {file} is not below {chain.family}")
    if chain.backend == "sdist" and len(chain.wheels) != 2:
        raise InputError(f"{path}: needs wheels before and after the dependency bump")
