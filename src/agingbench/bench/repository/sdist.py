"""The backend that needs no container: source distributions hold code and tests of a release.

The code is the release before the fix with the module family laid over it, the tests are those of
the release after it. Both are mounted read-only into a confinement.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

from agingbench.bench.repository.backend import Endings, Files, SuiteSetting, read_report
from agingbench.bench.repository.chain import ChainFile, Ticket, TicketChain
from agingbench.bench.repository.downloads import fetch, unpacked
from agingbench.bench.repository.hunks import with_hunks
from agingbench.errors import InputError
from agingbench.sandbox.interpreters import Interpreter, described, interpreter_for
from agingbench.sandbox.programs import BrokenRun
from agingbench.sandbox.suites import PACKAGES, REPORT, run_suite

SETTINGS = "agingbench_settings"
RUNNER = "agingbench_runner"
START = "agingbench_start"
TESTS = "tests"
_HERE = Path(__file__).parent
_SETTINGS_TEXT = f'from test_sqlite import *\n\nTEST_RUNNER = "{RUNNER}.Runner"\n'
_COMPILE_SECONDS = 300


class SourceReleases:
    """Releases of a package, unpacked in the cache."""

    def __init__(self, chain: TicketChain) -> None:
        self.chain = chain
        self.package = PurePosixPath(chain.family).parts[0]

    def tree(self, version: str) -> Path:
        """The folder of a release; it is downloaded and unpacked where it is not there yet."""
        download = self.chain.releases[version]
        archive = fetch(self.chain.package, download)
        name = f"{self.package}-{version}-{download.sha256[:12]}"
        return unpacked(archive, name, self._is_wanted, strip=1)

    def _is_wanted(self, path: PurePosixPath) -> bool:
        # Translations are most of a release, and no test of ours needs more than English.
        parts = path.parts
        if parts[0] == "docs":
            return parts[1:2] == ("releases",)
        if parts[0] not in (self.package, TESTS):
            return False
        if "locale" in parts and parts[0] == self.package:
            language = parts[parts.index("locale") + 1]
            return language in ("en", "__init__.py") and path.suffix != ".po"
        return path.suffix not in (".po", ".svg", ".woff", ".woff2", ".gz", ".zip")

    def family(self, version: str) -> dict[str, str]:
        """The sources of the module family in a release, by path."""
        return _family(self.tree(version), self.chain.family)

    def wheels(self, bumped: int) -> list[Path]:
        """The folders of the packages that the tests import."""
        folders = []
        for wheel in self.chain.wheels[bumped]:
            archive = fetch(wheel.name, wheel.download)
            name = f"{wheel.name}-{wheel.version}-{wheel.sha256[:12]}"
            folders.append(unpacked(archive, name, _is_anything, strip=0))
        return folders


def _is_anything(path: PurePosixPath) -> bool:
    return True


@lru_cache(maxsize=64)
def _family(tree: Path, family: str) -> dict[str, str]:
    files = sorted((tree / family).rglob("*.py"))
    return {path.relative_to(tree).as_posix(): path.read_text(encoding="utf-8") for path in files}


class SdistBackend:
    """Runs tests of later releases on code of earlier ones."""

    def __init__(self, file: ChainFile) -> None:
        self.chain = file.chain
        self.releases = SourceReleases(file.chain)

    def before(self, ticket: Ticket) -> Files:
        """The module family of the release before the fix."""
        return self.releases.family(ticket.before)

    def gold(self, ticket: Ticket) -> Files:
        """The module family of the release before, with the hunks of the fix."""
        before = self.before(ticket)
        after = self.releases.family(ticket.after)
        changed = {}
        for path, numbers in ticket.hunks.items():
            try:
                changed[path] = with_hunks(before.get(path, ""), after.get(path, ""), numbers)
            except ValueError as error:
                raise InputError(
                    f"chain {self.chain.name}, ticket {ticket.number}, {path}: {error}"
                ) from error
        return {**before, **changed}

    def test_source(self, ticket: Ticket, module: str) -> str:
        """The source of a test module in the release after the fix."""
        path = self.releases.tree(ticket.after) / TESTS / _module_path(module)
        try:
            return path.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"ticket {ticket.number}: no test module {module}") from error

    def described(self, ticket: Ticket, setting: SuiteSetting) -> str:
        """The Python and the wheels that tests run with on this machine."""
        wheels = [f"{wheel.name} {wheel.version}" for wheel in self.chain.wheels[setting.wheels]]
        return ", ".join([described(setting.python), *wheels])

    def run(
        self,
        ticket: Ticket,
        family: Files,
        modules: Files,
        labels: Sequence[str],
        setting: SuiteSetting,
    ) -> Endings:
        """Run tests of the release after the fix on the release before it, confined."""
        python = interpreter_for(setting.python)
        code = self.releases.tree(ticket.before)
        tests = self.releases.tree(ticket.after) / TESTS
        package = self.releases.package
        compile_tree(code / package, python)
        with tempfile.TemporaryDirectory(prefix="agingbench-tests-") as scratch:
            root = Path(scratch)
            root.chmod(0o755)
            folders = {f"code/{package}": code / package}
            folders[f"code/{self.chain.family}"] = self._family_folder(root, code, family)
            folders[TESTS] = tests
            folders |= _test_folders(root, tests, modules)
            folders["ours"] = _own_folder(root)
            wheels = self.releases.wheels(setting.wheels)
            folders |= {f"wheel{number}": folder for number, folder in enumerate(wheels)}
            argv = _command(labels)
            variables = {"PYTHONHASHSEED": "0", "AGINGBENCH_REPORT": REPORT}
            if not python.is_ours:
                folders["python"] = Path(python.prefix)
                minor = python.version.rpartition(".")[0]
                argv[0] = f"{PACKAGES}/python/bin/python{minor}"
                variables["LD_LIBRARY_PATH"] = f"{PACKAGES}/python/lib"
            places = [f"{PACKAGES}/code", f"{PACKAGES}/ours"]
            places += [f"{PACKAGES}/wheel{number}" for number in range(len(wheels))]
            variables["PYTHONPATH"] = ":".join(places)
            ending = run_suite(folders, argv, variables, f"{PACKAGES}/{TESTS}")
        if ending.report is None:
            words = "ran out of time" if ending.code is None else f"exit code {ending.code}"
            raise BrokenRun(f"the tests left no report ({words}): {_last_line(ending.output)}")
        return read_report(ending.report)

    def _family_folder(self, root: Path, code: Path, family: Files) -> Path:
        """Lay out a state of the family; what is as released keeps its compiled form."""
        folder = root / "family"
        folder.mkdir()
        released = _family(code, self.chain.family)
        for path, text in family.items():
            if not self.chain.is_family(path):
                raise InputError(f"{path} is not a source file below {self.chain.family}")
            place = folder / PurePosixPath(path).relative_to(self.chain.family)
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
            except OSError as error:
                raise BrokenRun(f"{path} cannot be laid out: {error}") from error
            if released.get(path) == text:
                _copy_compiled(code / path, place)
        _make_readable(folder)
        return folder


def _command(labels: Sequence[str]) -> list[str]:
    # Without `site`, no file of the interpreter's or of the user's is run before the tests.
    argv = ["python3", "-S", "-s", "-B", "-W", "ignore"]
    argv += [f"{PACKAGES}/ours/{START}.py", "runtests.py"]
    return [*argv, f"--settings={SETTINGS}", "--parallel=1", "-v0", *labels]


def own_files() -> dict[str, str]:
    """The files of ours that tests are run with, by name."""
    return {
        f"{START}.py": (_HERE / "start.py.txt").read_text(encoding="utf-8"),
        f"{RUNNER}.py": (_HERE / "runner.py.txt").read_text(encoding="utf-8"),
        f"{SETTINGS}.py": _SETTINGS_TEXT,
    }


def _own_folder(root: Path) -> Path:
    folder = root / "ours"
    folder.mkdir()
    for name, text in own_files().items():
        (folder / name).write_text(text, encoding="utf-8")
    _make_readable(folder)
    return folder


def _test_folders(root: Path, tests: Path, modules: Files) -> dict[str, Path]:
    """The folders of the test packages whose modules are replaced, as copies."""
    folders: dict[str, Path] = {}
    for module, text in modules.items():
        path = _module_path(module)
        app = path.parts[0]
        name = f"{TESTS}/{app}"
        if name not in folders:
            folders[name] = root / f"test-{app}"
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(tests / app, folders[name], ignore=ignored)
        place = folders[name].joinpath(*path.parts[1:])
        place.write_text(text, encoding="utf-8")
        _make_readable(folders[name])
    return folders


def _module_path(module: str) -> PurePosixPath:
    parts = module.split(".")
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise InputError(f"{module!r} does not name a test module")
    return PurePosixPath(*parts[:-1], f"{parts[-1]}.py")


def _make_readable(folder: Path) -> None:
    # The tests run as nobody.
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no output"


def _copy_compiled(released: Path, place: Path) -> None:
    for compiled in (released.parent / "__pycache__").glob(f"{released.stem}.*.pyc"):
        folder = place.parent / "__pycache__"
        folder.mkdir(exist_ok=True)
        shutil.copyfile(compiled, folder / compiled.name)


def compile_tree(folder: Path, python: Interpreter) -> None:
    """Compile the sources of a release once for a Python; to compile is not to run them."""
    mark = folder.parent / f".compiled-{python.version}"
    if mark.exists():
        return
    argv = [python.program or sys.executable, "-I", "-S", "-m", "compileall", "-q"]
    argv += ["--invalidation-mode", "unchecked-hash", "-x", "/(gis|locale)/", str(folder)]
    try:
        subprocess.run(  # noqa: S603 -- a list of our own making
            argv, capture_output=True, timeout=_COMPILE_SECONDS, check=False
        )
        mark.touch()
    except (OSError, subprocess.TimeoutExpired):
        return  # the tests compile what they need themselves, run by run
