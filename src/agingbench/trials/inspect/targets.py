"""What the user names to look at: a trial of a ledger, a run folder or a trace file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agingbench.errors import InputError
from agingbench.trials.inspect.transcripts import AUTO, Transcript, read_files, read_path
from agingbench.trials.ledger import Ledger, StoredTrial


def read_target(
    target: str, ledger: Callable[[], Ledger], format: str = AUTO
) -> tuple[Transcript, StoredTrial | None]:
    """Read an existing path, else the trial whose id is `target` or alone begins with it.

    `ledger` is called only when a trial is needed. Raises InputError when there is neither.
    """
    path = Path(target)
    if _exists(path):
        return read_path(path, format), None
    if "/" in target or path.suffix in (".jsonl", ".json"):
        raise InputError(f"{target}: there is no such file or folder")

    stored = ledger().get(ledger().resolve(target))
    return read_stored(stored), stored


def read_stored(stored: StoredTrial) -> Transcript:
    """Read the trace of a trial in a ledger."""
    outputs = stored.record.outputs
    trajectories = [outputs.trajectory_path] if outputs.trajectory_path else []
    conversations = [outputs.conversation_path] if outputs.conversation_path else []

    transcript = read_files(stored.files, trajectories, conversations)
    transcript.record = stored.record
    transcript.agent_result = outputs.agent_result or {}
    return transcript


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that no file can have
        return False
