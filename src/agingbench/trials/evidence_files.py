"""Writes the files that a ledger stores for a trial to a folder, as they were added."""

from __future__ import annotations

from pathlib import Path

from agingbench.errors import InputError, StorageError
from agingbench.traces.files import private_folder, write_atomic
from agingbench.trials.evidence import is_safe_name
from agingbench.trials.ledger import RECORD_FILE, StoredTrial
from agingbench.trials.sealing import stored_files


def write_evidence(stored: StoredTrial, out: Path) -> list[str]:
    """Write the record and its files to a new or empty folder; returns their names.

    Raises InputError, before anything is written, where a file is missing or was changed.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: give a folder that is new or empty")
    files = stored_files(stored)
    for name in files:
        if not is_safe_name(name):
            raise InputError(f"evidence name {name[:80]!r} leads out of a folder; nothing written")
    # The bytes of a record that came with the evidence give way to those that were hashed.
    files[RECORD_FILE] = stored.entry.body.encode()
    for name, data in files.items():
        target = out / name
        try:
            private_folder(target.parent)
        except OSError as error:
            raise StorageError(f"cannot make {target.parent}: {error.strerror}") from error
        write_atomic(target, data, private=True)
    return sorted(files)
