"""The folder of a benchmark as the spec lays it out, and how a new one is made."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from agingbench.errors import InputError
from agingbench.resumption.judges.claim import COMPONENTS
from agingbench.traces.files import write_atomic

FOLDER = "benchmark"
EXAMPLE = Path("episodes") / "000.yaml"  # the worked example of the spec
SPEC = "RESUMPTION_BENCHMARK.md"


class BenchmarkFolder:
    """Paths of a benchmark folder.

    `folder` is the benchmark itself, the folder above it, its `episodes`, or a bare folder of
    episode files, whose judges and gate are then looked for beside them.
    """

    def __init__(self, folder: Path) -> None:
        root = folder
        if not (folder / "episodes").is_dir():
            if folder.name == "episodes":
                root = folder.parent
            elif (folder / FOLDER / "episodes").is_dir():
                root = folder / FOLDER

        self.bare = not (root / "episodes").is_dir()
        self.root = root
        self.episodes = root if self.bare else root / "episodes"

    @property
    def judges(self) -> Path:
        """The folder of the prompts: the benchmark's own, or the one in the package."""
        own = self.root / "judges"
        return own if own.is_dir() else packaged_set() / "judges"

    @property
    def calibration(self) -> Path:
        return self.root / "calibration"

    @property
    def reference_grades(self) -> Path:
        """The grades that a judge is held against; the file keeps its first name."""
        return self.calibration / "hand_grades.jsonl"

    @property
    def contexts(self) -> Path:
        return self.calibration / "contexts"

    @property
    def gates(self) -> Path:
        """The calibrations, one file per judge."""
        return self.calibration / "gates"

    @property
    def gate(self) -> Path:
        """The one calibration of folders that an older version made."""
        return self.calibration / "gate.json"

    @property
    def kappa_report(self) -> Path:
        return self.calibration / "kappa_report.md"

    @property
    def judged(self) -> Path:
        """What a judge that asks a model said of each graded item."""
        return self.calibration / "judged.jsonl"

    @property
    def runs(self) -> Path:
        return self.root / "runs"


def packaged_set() -> Path:
    """Return the folder of the public set that ships with the package."""
    return Path(str(resources.files("agingbench.resumption") / "set"))


def init_benchmark(target: Path, *, public: bool = False) -> list[Path]:
    """Make `target`/benchmark and return the files that were written.

    It holds the spec, the judge prompts, and an example episode with empty grades, or the public
    set. Files that exist are left alone.
    """
    source = packaged_set()
    contents = {Path(SPEC): source / SPEC}
    for component in COMPONENTS:
        prompt = Path("judges") / f"{component}_judge.md"
        contents[prompt] = source / prompt

    if public:
        for part in ("calibration", "episodes"):
            for path in sorted((source / part).rglob("*")):
                if path.is_file():
                    contents[path.relative_to(source)] = path
    else:
        # The example is no part of the public set, so it lies beside its episodes.
        contents[EXAMPLE] = source / "example.yaml"

    root = target / FOLDER
    written = []
    for name, path in contents.items():
        if _write_new(root / name, path.read_bytes()):
            written.append(root / name)
    for folder in ("episodes", "judges", "calibration", "runs"):
        _make_folder(root / folder)
    grades = root / "calibration" / "hand_grades.jsonl"
    if not public and _write_new(grades, b""):
        written.append(grades)
    return written


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make {folder}: {error.strerror or error}") from error


def _write_new(path: Path, data: bytes) -> bool:
    """Write a file unless it exists; return whether it was written."""
    if path.exists():
        return False
    _make_folder(path.parent)
    write_atomic(path, data)
    return True
