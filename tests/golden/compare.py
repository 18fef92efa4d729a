"""Reads what commands print, leaves out what may differ, and says where documents differ."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

# What depends on the installed tool and the machine, never on what was measured.
OF_THE_TOOL = {
    "agingbench_version",  # package version
    "git_sha",  # revision of the checkout
    "compute_environment",  # operating system and Python
    "python",  # version of Python
    "tool_versions",  # versions of installed packages
    "runtime_image",  # version of Python again, in a trial record
    "adapter_revision",  # package version and revision, in a trial record
    "consolidator_revision",  # hash of our own source files
    "agent_revision",  # hash of our own source files
    "agingbench",  # package version, as doctor tells it
    "same_revision",  # whether version and revision are those of the recording
}
# What is measured or stamped anew whenever something is lived, imported or audited.
OF_THE_MOMENT = {
    "timestamp",  # when an entry was written or a trial began
    "generated_at",  # when a card was made
    "finished_at",  # when an episode was scored
    "added_at",  # when a trial came into a ledger
    "latency_ms",  # time of one call
    "latency_ms_p50",  # times of calls
    "latency_ms_p95",  # times of calls
    "duration_ms",  # time of one step
    "total_ms",  # times of steps, summed
    "median_ms",  # times of steps
    "longest_ms",  # times of steps
    "week",  # the week in which something was lived
    "weeks",  # those weeks
    "seconds_per_request",  # times of steps
    "seconds",  # time between first and last entry
    "total_seconds",  # time of a trial
    "agent_seconds",  # of its sessions
    "setup_seconds",  # before its first entry
    "verification_seconds",  # of its held-out questions
    "run_id",  # hash over the time of a life's start
    "record_hash",  # hash over a record that holds times
    "entry_hash",  # hash over a chain of such records
    "head",  # the last such hash
    "content_hash",  # hash over a card that holds package version and revision
}
LAST_DIGITS = 1e-12
# The name of a resumption run ends in a hash over package version and our own source files.
_RUN_NAME = re.compile(r"\b([a-z0-9-]+-b\d+)-[0-9a-f]{8}\b")
# The end of a trial's id is drawn when its life starts.
_DRAWN = re.compile(r"\.\d{8}-[0-9a-f]{8}\b")
# A printed version of this tool.
_VERSION = re.compile(r"\b(agingbench(?:,? version)?) \d+\.\d+\.\d+\S*")
# The line of reproduce that appears when version or revision is not that of the recording.
_REVISION = re.compile(r"^revision  recorded with .*\n", re.MULTILINE)
# The version of Python or of an installed package, as doctor tells it in `detail`.
_INSTALLED = re.compile(r"^\d+(?:\.\d+)+(?=$|, )")
# The envelope that later versions of --json put around a document.
_ENVELOPE = {"kind", "version", "data"}


def unwrapped(document: Any) -> Any:
    """The document itself, whether it is bare or lies in an envelope of kind, version and data."""
    if isinstance(document, dict) and set(document) == _ENVELOPE:
        return document["data"]
    return document


def parsed(text: str) -> Any:
    """A printed document: JSON, several lines of JSON as a list, or the text itself."""
    if not text.strip():
        return text
    try:
        return unwrapped(json.loads(text))
    except ValueError:
        pass
    try:
        return [unwrapped(json.loads(line)) for line in text.splitlines() if line.strip()]
    except ValueError:
        return text


def normal(document: Any, work: Path, fresh: bool) -> Any:
    """The document without what may differ; what is null stays null, so that a lost value is seen.

    But for the revision: it is null in a package that was installed, and a hash in a checkout.
    """
    if isinstance(document, dict):
        left_out = OF_THE_TOOL | OF_THE_MOMENT if fresh else OF_THE_TOOL
        if document.get("card_kind") == "trace":  # an audit's card has the package version there
            left_out = left_out | {"scenario_version"}
        found = {}
        for key, value in document.items():
            if key == "git_sha" or (key in left_out and value is not None):
                kept: Any = f"<{key}>"
            elif key == "detail" and isinstance(value, str):
                kept = _INSTALLED.sub("<version>", value)
            else:
                kept = normal(value, work, fresh)
            found[normal(key, work, fresh)] = kept
        return found
    if isinstance(document, list):
        return [normal(value, work, fresh) for value in document]
    if isinstance(document, str):
        text = document.replace(str(work), "<work>")  # the temporary folder
        text = _REVISION.sub("", text)
        text = _DRAWN.sub("", text)
        return _VERSION.sub(r"\1 <version>", _RUN_NAME.sub(r"\1-<hash>", text))
    return document


def differences(old: Any, new: Any, at: str = "$") -> list[str]:
    """Every place where two documents differ, with the old and the new value."""
    if isinstance(old, dict) and isinstance(new, dict):
        found = []
        for key in [*old, *(key for key in new if key not in old)]:
            place = f"{at}.{key}"
            if key not in new:
                found.append(f"{place}: {_short(old[key])} is gone")
            elif key not in old:
                found.append(f"{place}: {_short(new[key])} is new")
            else:
                found += differences(old[key], new[key], place)
        return found
    if isinstance(old, list) and isinstance(new, list):
        found = [
            d
            for i, (a, b) in enumerate(zip(old, new, strict=False))
            for d in differences(a, b, f"{at}[{i}]")
        ]
        if len(old) != len(new):
            found.append(f"{at}: {len(old)} items, now {len(new)}")
        return found
    if isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        return differences(old.split("\n"), new.split("\n"), f"{at}:line") if old != new else []
    same = type(old) is type(new) and old == new
    if isinstance(old, float) and isinstance(new, float):
        # Sums of floats end in other digits on another kind of processor.
        same = math.isclose(old, new, rel_tol=LAST_DIGITS, abs_tol=LAST_DIGITS)
    return [] if same else [f"{at}: {_short(old)}, now {_short(new)}"]


def assert_same(what: str, old: Any, new: Any, most: int = 20) -> None:
    """Fail with the places where the documents differ."""
    found = differences(old, new)
    if found:
        more = [f"... and {len(found) - most} more"] if len(found) > most else []
        raise AssertionError("\n  ".join([f"{what} has changed", *found[:most], *more]))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:157]}..."
