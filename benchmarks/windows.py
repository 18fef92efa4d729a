"""How often an audit gives the same answer when a week of the trace is left out.

python benchmarks/windows.py FOLDER ...
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

# As the command does: threads that wait for each other cost more than the sums.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from agingbench.records import ReadLog
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.traces.reading import groups, read_files
from agingbench.validity.windows import leave_out_weeks

WORDS = {True: "yes", False: "no", None: "open"}


def main() -> None:
    """Print one line per project."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    for folder in parser.parse_args().folders:
        files = [file for group in groups(folder) for file in group.files]
        trace = collect(read_files(files, "auto", ReadLog()), load_profile("code_assistant"))
        found = leave_out_weeks(trace)
        answers = ", ".join(WORDS[answer] for answer in found.without)
        print(
            f"{folder.name} ({len(trace)} sessions): {WORDS[found.whole]}; same answer in"
            f" {found.same} of {len(found.without)} windows, opposite in {found.opposite}"
            f" ({answers})",
            flush=True,
        )


if __name__ == "__main__":
    main()
