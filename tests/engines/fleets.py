"""A small fleet of projects, with outcomes of some of their sessions."""

from __future__ import annotations

import json
from pathlib import Path


def write_fleet(folder: Path, projects: int, sessions: int = 3) -> Path:
    """Write the projects and return the file of the outcomes, beside them."""
    outcomes = []
    for project in range(projects):
        place = folder / f"-srv-p{project:02d}"
        place.mkdir(parents=True)
        for session in range(sessions):
            name = f"{project:02d}-{session}"
            lines = [_line(name, session, at) for at in range(4)]
            (place / f"{name}.jsonl").write_text("".join(lines))
            outcome = "success" if (project + session) % 3 else "fail"
            outcomes.append({"session_id": name, "outcome": outcome})
        (place / "notes.txt").write_text("no trace")

    file = folder.parent / "outcomes.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in outcomes))
    return file


def _line(name: str, session: int, at: int) -> str:
    record = {
        "type": "user",
        "uuid": f"{name}-{at}",
        "sessionId": name,
        "cwd": "/srv/shop",
        "version": "2.1.29",
        "timestamp": f"2026-03-{session + 1:02d}T10:00:{at:02d}.000Z",
        "message": {"role": "user", "content": f"look at part {at}"},
    }
    return json.dumps(record) + "\n"
