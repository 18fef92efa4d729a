"""Where agents keep their transcripts on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from agingbench.errors import InputError

# The folder of each client, its own variable for another place, and the transcripts in it.
CLIENTS = (
    ("CLAUDE_CONFIG_DIR", ".claude", "projects"),
    ("CODEX_HOME", ".codex", "sessions"),
)


def transcript_places() -> list[Path]:
    """The folders of transcripts that are on this machine; raises InputError without any."""
    looked = []
    found = []
    for variable, folder, name in CLIENTS:
        own = os.environ.get(variable)
        base = Path(own) if own else Path.home() / folder
        place = base / name
        looked.append(place)
        if place.is_dir() and any(place.iterdir()):
            found.append(place)
    if not found:
        names = " or ".join(str(place) for place in looked)
        raise InputError(
            f"no PATH given, and no transcripts in {names}; give the file or folder of a trace"
            " (`agingbench list formats` says which can be read)"
        )
    return found
