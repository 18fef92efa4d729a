"""The files of a life as they travel in an Inspect log, enough to score it anywhere."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import score_folder
from agingbench.bench.scoring.life_card import LifeCard
from agingbench.errors import InputError
from agingbench.traces.files import private_folder, write_atomic
from agingbench.traces.scrub.keys import clean_keys

KEY = "agingbench_life"  # of the store, and of the log
MEMORY = "memory"


def pack_life(run: RunDirectory) -> dict[str, str]:
    """The files of an ended life that its score is made from, by name, without any key."""
    own = (run.plan_file, run.sut_file, run.identity_file, run.trace, run.answers)
    files = [file for file in own if file.exists()]
    files += sorted(run.memory.glob("*.json"))
    names = [file.relative_to(run.path).as_posix() for file in files]
    texts = [clean_keys(file.read_text("utf-8")) for file in files]
    return dict(zip(names, texts, strict=True))


def score_packed(files: Mapping[str, str]) -> LifeCard:
    """Score a life from its packed files; nothing is asked of a model.

    Raises InputError where they are not the files of an ended life.
    """
    with tempfile.TemporaryDirectory(prefix="agingbench-") as folder:
        path = Path(folder)
        private_folder(path / MEMORY)
        for name, text in files.items():
            write_atomic(path / _checked(name), text.encode())
        return score_folder(path)


def _checked(name: str) -> str:
    """The name of a packed file; raises InputError for one that leads out of the life's folder."""
    parts = name.split("/")
    in_memory = len(parts) == 2 and parts[0] == MEMORY
    plain = all(part and part not in (".", "..") and "\\" not in part for part in parts)
    if not plain or not (len(parts) == 1 or in_memory):
        raise InputError(f"a life in an Inspect log has no file {name!r}")
    return name
