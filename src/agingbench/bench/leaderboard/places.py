"""Where things lie in the folder of a leaderboard, and which names are allowed there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from agingbench.cards.leaderboard import BoardDispute, Retraction, Submission
from agingbench.errors import InputError
from agingbench.traces.files import read_json, write_atomic

TRACKS = ("model", "agent")
RETRACTED = "_retracted"
DISPUTES = "_disputes"
OPERATORS = "operators.json"
README = "README.md"

KEY = re.compile(r"[a-z0-9](?:[a-z0-9.-]|_(?!_)){0,62}[a-z0-9]")
_CARD = re.compile(rf"(?P<key>{KEY.pattern})__seed(?P<seed>0|[1-9][0-9]{{0,5}})\.json")
_SUBMISSION = re.compile(rf"(?P<key>{KEY.pattern})\.submission\.json")
_RETRACTION = re.compile(rf"(?P<key>{KEY.pattern})\.retraction\.json")
_DISPUTE = re.compile(r"(?P<number>[1-9][0-9]{0,5})\.json")
MOST_BYTES = 2_000_000  # of one file; a card takes a fiftieth of it

StructT = Submission | Retraction | BoardDispute


class EntryPlace(msgspec.Struct, frozen=True, order=True):
    """The place of one key: its track, its scenario, and whether it was retracted."""

    track: str
    scenario: str
    key: str
    retracted: bool = False

    def folder(self, root: Path) -> Path:
        """The folder that holds its files."""
        base = root / RETRACTED if self.retracted else root
        return base / self.track / self.scenario

    def card(self, root: Path, seed: int) -> Path:
        """The file of the card of a seed."""
        return self.folder(root) / f"{self.key}__seed{seed}.json"

    def submission(self, root: Path) -> Path:
        """The file of what the submitter states."""
        return self.folder(root) / f"{self.key}.submission.json"

    def retraction(self, root: Path) -> Path:
        """The file with the reason of a retraction."""
        return self.folder(root) / f"{self.key}.retraction.json"


class CardPlace(msgspec.Struct, frozen=True):
    """A card file: whose it is by its name, and of which seed."""

    entry: EntryPlace
    seed: int
    file: Path


def checked_key(key: str) -> str:
    """The key; raises InputError for one that could not be a file name everywhere."""
    if not KEY.fullmatch(key):
        raise InputError(
            f"key {key!r}: give 2 to 64 of a-z, 0-9, '.', '-' and single '_', beginning and ending"
            " with a letter or a digit"
        )
    return key


def card_place(root: Path, file: Path) -> CardPlace | None:
    """What the path of a card says; None where it is no path of a card."""
    match = _CARD.fullmatch(file.name)
    entry = _entry_of(root, file, match)
    if match is None or entry is None:
        return None
    return CardPlace(entry, int(match["seed"]), file)


def submission_place(root: Path, file: Path) -> EntryPlace | None:
    """The entry that a file of a submission belongs to; None where it is none."""
    return _entry_of(root, file, _SUBMISSION.fullmatch(file.name))


def retraction_place(root: Path, file: Path) -> EntryPlace | None:
    """The entry that a file of a retraction belongs to; None where it is none."""
    entry = _entry_of(root, file, _RETRACTION.fullmatch(file.name))
    return entry if entry is not None and entry.retracted else None


def is_dispute(root: Path, file: Path) -> bool:
    """Whether a path is that of a dispute."""
    parts = file.relative_to(root).parts
    return len(parts) == 2 and parts[0] == DISPUTES and bool(_DISPUTE.fullmatch(parts[1]))


def is_free(root: Path, file: Path) -> bool:
    """Whether a file may lie there without being part of a submission."""
    name = file.relative_to(root).as_posix()
    return name in (OPERATORS, README)


def _entry_of(root: Path, file: Path, match: re.Match[str] | None) -> EntryPlace | None:
    parts = file.relative_to(root).parts
    retracted = parts[0] == RETRACTED
    folders = parts[1:-1] if retracted else parts[:-1]
    if match is None or len(folders) != 2 or folders[0] not in TRACKS:
        return None
    return EntryPlace(folders[0], folders[1], match["key"], retracted)


def files_of(root: Path) -> Iterator[Path]:
    """Every file and link below a leaderboard, in order; hidden ones included."""
    if not root.is_dir():
        raise InputError(f"{root}: there is no such folder")
    for path in sorted(root.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            yield path


def entries_of(root: Path) -> list[EntryPlace]:
    """The entries that have a submission, retracted ones included."""
    places = [submission_place(root, file) for file in files_of(root) if not file.is_symlink()]
    return sorted(place for place in places if place is not None)


def read_board_file(file: Path, kind: type[StructT]) -> StructT:
    """A submission, dispute or retraction; raises InputError that names the file and the field."""
    document = read_json(file)
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: not a {kind.__name__} of this version: {error}") from error


def write_board_file(file: Path, value: StructT) -> None:
    """Write a submission, dispute or retraction for people and for git: indented, in order."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(file, msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def read_submission(file: Path) -> Submission:
    """A submission; raises InputError where it is none."""
    submission = read_board_file(file, Submission)
    assert isinstance(submission, Submission)
    return submission


def read_retraction(file: Path) -> Retraction:
    """A retraction; raises InputError where it is none."""
    retraction = read_board_file(file, Retraction)
    assert isinstance(retraction, Retraction)
    return retraction


def read_disputes(root: Path) -> list[BoardDispute]:
    """All disputes of a leaderboard by number."""
    disputes = []
    for file in sorted((root / DISPUTES).glob("*.json")):
        dispute = read_board_file(file, BoardDispute)
        assert isinstance(dispute, BoardDispute)
        disputes.append(dispute)
    return sorted(disputes, key=lambda dispute: dispute.number)


def dispute_file(root: Path, number: int) -> Path:
    """The file of a dispute."""
    return root / DISPUTES / f"{number}.json"


def read_operators(root: Path) -> list[str]:
    """The names of those who may decide on disputes; none where the file is missing."""
    file = root / OPERATORS
    if not file.exists():
        return []
    names = read_json(file)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{file}: give a list of names")
    return list(names)
