"""A life as one piece of data, to be sent to another machine and back."""

from __future__ import annotations

import os
import shutil
import zlib
from pathlib import Path

import msgspec

from agingbench.bench.life.folder import RunDirectory
from agingbench.errors import InputError
from agingbench.traces.files import open_regular, private_folder, write_atomic
from agingbench.trials.evidence import checked_name

LARGEST = 2 << 30  # bytes of the files of one life
LEFT_OUT = (".lock",)


class Parcel(msgspec.Struct, frozen=True):
    """The files of a life by name."""

    files: dict[str, bytes]


def pack(folder: Path) -> bytes:
    """The files of a life's folder as one piece; links and what is half written are left out."""
    files = {}
    for place, folders, names in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            if name in LEFT_OUT or path.suffix == ".tmp" or path.is_symlink():
                continue
            with open_regular(path) as file:
                files[path.relative_to(folder).as_posix()] = file.readall()
    return zlib.compress(msgspec.msgpack.encode(Parcel(files)), 1)


def unpack(data: bytes, folder: Path) -> None:
    """Put the files of a parcel into a folder, as a whole or not at all.

    What the folder held before is replaced. Raises InputError for a parcel that is damaged, too
    large, or names a file outside.
    """
    parcel = _opened(data, folder)
    aside = folder.with_name(f".{folder.name}.arriving")
    shutil.rmtree(aside, ignore_errors=True)
    private_folder(aside)
    for name, content in parcel.files.items():
        target = aside / name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(target, content, private=True)

    former = folder.with_name(f".{folder.name}.former")
    shutil.rmtree(former, ignore_errors=True)
    if folder.exists():
        folder.rename(former)
    aside.rename(folder)
    shutil.rmtree(former, ignore_errors=True)


def _opened(data: bytes, folder: Path) -> Parcel:
    try:
        unfolder = zlib.decompressobj()
        content = unfolder.decompress(data, LARGEST)
        if unfolder.unconsumed_tail:
            raise InputError(f"{folder}: a parcel of more than {LARGEST:,} bytes")
        parcel = msgspec.msgpack.decode(content, type=Parcel)
    except (zlib.error, msgspec.MsgspecError) as error:
        raise InputError(f"{folder}: what came back of this life is damaged ({error})") from error
    for name in parcel.files:
        checked_name(name)
    return parcel


def recover(folder: Path) -> None:
    """Bring back a folder whose replacement was interrupted between its two steps."""
    former = folder.with_name(f".{folder.name}.former")
    if former.exists() and not folder.exists():
        former.rename(folder)


def pack_begun(run: RunDirectory) -> bytes | None:
    """What there is of a life already; None where it has not begun."""
    return pack(run.path) if run.plan_file.exists() else None
