"""Reference grades: one graded item per line, who graded it, and the text that was read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from agingbench.cards.resumption import Component
from agingbench.errors import InputError
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder
from agingbench.resumption.episodes.episode import ContinuationCheck, Episode, EpisodeFact
from agingbench.traces.files import read_bytes

LABELS: dict[Component, tuple[str, ...]] = {
    "continuation": ("yes", "no"),
    "preservation": ("yes", "no"),
    "forgetting": ("omitted", "mentioned", "open"),
}
# What a grade is for: deciding the gate, tuning a judge, or measuring how a judge reads
# paraphrases.
Split = Literal["gate", "tune", "paraphrase"]


class Grader(BaseModel):
    """Who graded, of which kind, and how; the report quotes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    kind: Literal["human", "model", "unknown"]
    how: str = ""


class Grade(BaseModel):
    """One graded item; `context_hash` names the text in calibration/contexts by its SHA-256."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    component: Component
    episode: str = Field(min_length=1)
    item: str = Field(min_length=1)
    context_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    label: str
    grader: Grader
    note: str = ""
    split: Split = "gate"
    context: str | None = None
    way: int = Field(default=0, ge=0)

    @field_validator("grader", mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        # "human:anna" is enough where nothing more is to be said.
        if isinstance(value, str):
            kind, colon, name = value.partition(":")
            return {"name": name or value, "kind": kind if colon else "unknown"}
        return value

    @field_validator("label", mode="before")
    @classmethod
    def _label(cls, value: Any) -> Any:
        if isinstance(value, bool):
            return "yes" if value else "no"
        return value.strip().casefold() if isinstance(value, str) else value

    @property
    def key(self) -> tuple[str, str, str, int, str]:
        return self.component, self.episode, self.item, self.way, self.context_hash


def load_grades(benchmark: BenchmarkFolder) -> list[Grade]:
    """Return all grades of a benchmark; raises InputError with the line for a wrong one."""
    path = benchmark.reference_grades
    if not path.is_file():
        raise InputError(f"{path}: no reference grades; one JSON object per line, 50 per component")
    grades = _read_grades(path)
    tuning_keys = {grade.key for grade in load_tuning(benchmark)}
    for grade in grades:
        if grade.split != "tune" and grade.key in tuning_keys:
            raise InputError(
                f"{path}: {grade.component} {grade.episode}/{grade.item} is in"
                f" {tuning_file(benchmark).name} as well; grades used to tune a judge are not"
                " used to gate it"
            )
    return grades


def tuning_file(benchmark: BenchmarkFolder) -> Path:
    """Return the path of the grades that a judge was tuned with."""
    return benchmark.calibration / "tuning_grades.jsonl"


def load_tuning(benchmark: BenchmarkFolder) -> list[Grade]:
    """Return the grades that a judge was tuned with, all of the split `tune`; [] without a file."""
    path = tuning_file(benchmark)
    grades = _read_grades(path) if path.is_file() else []
    for grade in grades:
        if grade.split != "tune":
            raise InputError(
                f"{path}: {grade.component} {grade.episode}/{grade.item} is not of the split tune"
            )
    return grades


def _read_grades(path: Path) -> list[Grade]:
    grades: list[Grade] = []
    for number, line in enumerate(read_bytes(path).split(b"\n"), start=1):
        if line.strip():
            grades.append(_parse_grade(line, f"{path}: line {number}"))
    _require_consistent(grades, path)
    return grades


def _parse_grade(line: bytes, where: str) -> Grade:
    try:
        grade = Grade.model_validate(json.loads(line.decode()))
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: not UTF-8") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({error})") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "row"
        raise InputError(f"{where}: {field}: {first['msg']}") from error

    # The spec grades forgetting as a boolean: was the fact left out?
    allowed: tuple[str, ...] = ("yes", "no")
    if grade.component == "forgetting":
        allowed = (*LABELS["forgetting"], "dead", *allowed)
    if grade.label not in allowed:
        raise InputError(f"{where}: label '{grade.label}' is none of {', '.join(allowed)}")
    return grade


def _require_consistent(grades: Sequence[Grade], path: Path) -> None:
    seen: dict[tuple[object, ...], Grade] = {}
    for grade in grades:
        other = seen.setdefault(grade.key, grade)
        if other.split != grade.split:
            raise InputError(
                f"{path}: {grade.component} {grade.episode}/{grade.item} is in the splits"
                f" {other.split} and {grade.split}; grades used to tune a judge are not used to"
                " gate it"
            )
        if other is not grade:
            raise InputError(
                f"{path}: {grade.component} {grade.episode}/{grade.item} is graded twice on one"
                " text"
            )
    kinds = {grade.label in ("yes", "no") for grade in grades if grade.component == "forgetting"}
    if len(kinds) > 1:
        raise InputError(
            f"{path}: forgetting is graded yes/no in some rows and omitted/mentioned/open in others"
        )


def graded_text(grade: Grade, benchmark: BenchmarkFolder) -> str:
    """Return the text that was graded; raises InputError if it does not have its hash."""
    if grade.context is not None:
        text = grade.context
    else:
        path = benchmark.contexts / f"{grade.context_hash}.txt"
        text = read_bytes(path).decode("utf-8", "replace")
    if hashlib.sha256(text.encode()).hexdigest() != grade.context_hash:
        raise InputError(
            f"calibration text {grade.context_hash[:12]}… does not have the hash of its name"
        )
    return text


def graded_item(grade: Grade, episodes: dict[str, Episode]) -> EpisodeFact | ContinuationCheck:
    """Return the fact or check that was graded; raises InputError if no episode holds it."""
    episode = episodes.get(grade.episode)
    if episode is None:
        raise InputError(f"hand_grades.jsonl: no episode '{grade.episode}' in the set")
    items: list[EpisodeFact | ContinuationCheck] = []
    if grade.component == "continuation" and grade.way < len(episode.gold_continuation):
        items = list(episode.gold_continuation[grade.way])
    elif grade.component == "preservation":
        items = list(episode.gold_facts_to_preserve)
    elif grade.component == "forgetting":
        items = list(episode.gold_facts_to_forget)
    for item in items:
        if item.id == grade.item:
            return item
    raise InputError(
        f"hand_grades.jsonl: episode '{grade.episode}' has no {grade.component} item '{grade.item}'"
    )
