"""Studies by name: the suites, and the study files that ship with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agingbench.bench.life.system import read_yaml
from agingbench.bench.plan.pressure import PRESETS
from agingbench.errors import InputError, UnknownName, nearest

YAML_SUFFIXES = (".yaml", ".yml")
SHIPPED_FOLDER = "studies"  # their folder in the repository, which commands and docs name

# A wheel holds the shipped studies beside this file; a checkout has them at its root.
_IN_WHEEL = Path(__file__).parent / "shipped"
_IN_CHECKOUT = Path(__file__).parents[4] / SHIPPED_FOLDER

# The agents of s5 and s7 own files, whatever memory the other scenarios are run with.
_S7 = {"scenarios": ["s7"], "memories": ["workspace"]}
_FILES = {"scenarios": ["s5", "s7"], "memories": ["workspace"]}

# Suites name no system of their own, so that any system can be put through them.
SUITES: dict[str, dict[str, Any]] = {
    "lite": {
        "title": "s1, s2 and s7 with 10 sessions",
        "sessions": 10,
        "seeds": 3,
        "grids": [{"scenarios": ["s1", "s2"]}, _S7],
    },
    "core": {
        "title": "s1 to s4 and s6",
        "scenarios": ["s1", "s2", "s3", "s4", "s6"],
        "seeds": 3,
    },
    "full": {
        "title": "all seven scenarios",
        "seeds": 3,
        "grids": [{"scenarios": ["s1", "s2", "s3", "s4", "s6"]}, _FILES],
    },
    "pressure_sweep": {
        "title": "s2, s3 and s6 under every pressure preset",
        "scenarios": ["s2", "s3", "s6"],
        "pressures": list(PRESETS),
        "seeds": 3,
    },
}


def shipped_studies() -> dict[str, Path]:
    """The study files that ship with the package, by name."""
    folder = _IN_WHEEL if _IN_WHEEL.is_dir() else _IN_CHECKOUT
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def study_titles() -> dict[str, str]:
    """The title of every suite and every shipped study, by name."""
    titles = {name: str(suite["title"]) for name, suite in SUITES.items()}
    for name, path in shipped_studies().items():
        titles[name] = str(read_study_file(path).get("title", name))
    return titles


def find_study_file(spec: str) -> Path:
    """Return the study file of a path or a name.

    A file of the user comes before a shipped one. `pressure`, `pressure.yaml` and
    `studies/pressure.yaml` all mean the shipped study where there is no such file. Raises
    InputError for anything else.
    """
    path = Path(spec)
    if path.exists() and not path.is_dir():
        return path

    shipped = shipped_studies()
    is_yaml = path.suffix in YAML_SUFFIXES
    name = path.stem if is_yaml else path.name
    if path.parent in (Path(), Path(SHIPPED_FOLDER)) and name in shipped:
        return shipped[name]

    if is_yaml:
        names = nearest(name, shipped)
        hint = f"; did you mean the shipped study {' or '.join(names)}?" if names else ""
        raise InputError(f"{spec}: there is no such study file{hint}")
    if path.is_dir():
        raise InputError(f"{spec}: this is a folder; name a study file in it")
    raise UnknownName("study", spec, [*SUITES, *shipped])


def read_study_file(path: Path) -> dict[Any, Any]:
    """The keys of a study file, unchecked; raises InputError where it cannot be read."""
    return read_yaml(path, "study", "`scenarios:` and `seeds:`")
