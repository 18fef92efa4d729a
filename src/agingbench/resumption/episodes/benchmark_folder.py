"""The folder of a benchmark, laid out as the spec says; one class owns all of its paths."""

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
    """Paths of a benchmark folder. `given` is the folder itself, the one above it, or its
    `episodes`.
    """

    def __init__(self, given: Path) -> None:
        root = given
        if given.name == "episodes" and not (given / "episodes").is_dir():
            root = given.parent
        elif not (given / "episodes").is_dir() and (given / FOLDER / "episodes").is_dir():
            root = given / FOLDER
        # A bare folder of YAML files is taken as well; its judges and gate are then looked for
        # beside it.
        self.bare = not (root / "episodes").is_dir()
        self.root = root
        self.episodes = root if self.bare else root / "episodes"

    @property
    def judges(self) -> Path:
        """The folder of the prompts: the benchmark's own, or the ones in the package."""
        own = self.root / "judges"
        return own if own.is_dir() else packaged_set() / "judges"

    @property
    def calibration(self) -> Path:
        return self.root / "calibration"

    @property
    def hand_grades(self) -> Path:
        return self.calibration / "hand_grades.jsonl"

    @property
    def contexts(self) -> Path:
        return self.calibration / "contexts"

    @property
    def gate(self) -> Path:
        return self.calibration / "gate.json"

    @property
    def kappa_report(self) -> Path:
        return self.calibration / "kappa_report.md"

    @property
    def judged(self) -> Path:
        """What a model said of the grades, kept as it came."""
        return self.calibration / "judged.jsonl"

    @property
    def runs(self) -> Path:
        return self.root / "runs"


def packaged_set() -> Path:
    """The public set that ships with the package, in the same layout."""
    return Path(str(resources.files("agingbench.resumption") / "set"))


def init_benchmark(target: Path, *, public: bool = False) -> list[Path]:
    """Make `target`/benchmark: the spec, the judge prompts, an example episode, empty grades; or
    the public set.

    Files that exist are left alone and not listed in what is returned.
    """
    root = target / FOLDER
    files = [Path(SPEC), *(Path("judges") / f"{c}_judge.md" for c in COMPONENTS)]
    source = packaged_set()
    if public:
        parts = ("episodes", "calibration")
        files += sorted(
            p.relative_to(source)
            for part in parts
            for p in (source / part).rglob("*")
            if p.is_file()
        )
    else:
        files.append(EXAMPLE)
    written = []
    for name in files:
        if _place(root / name, _packaged_file(name).read_bytes()):
            written.append(root / name)
    for folder in ("episodes", "judges", "calibration", "runs"):
        _made(root / folder)
    if not public and _place(root / "calibration" / "hand_grades.jsonl", b""):
        written.append(root / "calibration" / "hand_grades.jsonl")
    return written


def _packaged_file(name: Path) -> Path:
    # The example is no part of the public set, so it lies beside its episodes.
    return packaged_set() / ("example.yaml" if name == EXAMPLE else name)


def _made(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make {folder}: {error.strerror or error}") from error


def _place(path: Path, data: bytes) -> bool:
    if path.exists():
        return False
    _made(path.parent)
    write_atomic(path, data)
    return True
