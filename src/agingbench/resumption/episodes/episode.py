"""A resumption episode: the 5-tuple of the spec as YAML, read strictly, with errors that name file
and field.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from agingbench.errors import InputError, nearest
from agingbench.resumption.episodes.strict_yaml import read_yaml
from agingbench.text.matching import find
from agingbench.text.values import KINDS, Value
from agingbench.traces.canonical import content_hash
from agingbench.traces.files import read_bytes

MOST_BYTES = 32_000_000  # of one episode file; a longer trajectory is referred to, not pasted
_MARK = re.compile(r"\s*\([A-Z]\)\s*$")  # the spec's example marks its facts (A), (B), (C)


def _told(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text.strip()


def _alternatives(value: Any) -> Any:
    # One value may be written alone; each entry of the list is needed, each inner list holds ways
    # to write it.
    if isinstance(value, str):
        value = [value]
    return (
        [[v] if isinstance(v, str | dict) else v for v in value]
        if isinstance(value, list)
        else value
    )


def _readable(value: Any) -> Value:
    if isinstance(value, Value):
        return value
    made = Value("name", value) if isinstance(value, str) else None
    if isinstance(value, dict) and set(value) == {"kind", "text"} and value["kind"] in KINDS:
        made = Value(value["kind"], str(value["text"]))
    if made is None:
        raise ValueError(
            "a value is a text, or {kind, text} with a kind of " + ", ".join(sorted(KINDS))
        )
    find("", made)  # raises ValueError when it cannot be read as its kind
    return made


Text = Annotated[str, AfterValidator(_told)]
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
Way = Annotated[Value, BeforeValidator(_readable), PlainSerializer(lambda v: [v.kind, v.text])]
Values = Annotated[list[Annotated[list[Way], Field(min_length=1)]], BeforeValidator(_alternatives)]


class _EpisodePart(BaseModel):
    # The name of a field that does not exist is a mistake that would otherwise go unseen.
    model_config = ConfigDict(
        extra="forbid", frozen=True, arbitrary_types_allowed=True, coerce_numbers_to_str=False
    )


class EpisodeFact(_EpisodePart):
    """A fact with the values that state it. `derived` names the steps a fact follows from when none
    states it.
    """

    id: Id
    fact: Text
    values: Values = Field(default_factory=list)
    derived: list[Annotated[int, Field(ge=1)]] = Field(default_factory=list)

    @property
    def sentence(self) -> str:
        """The fact without the mark that the spec's example puts behind it."""
        return _MARK.sub("", self.fact)


class ForgetFact(EpisodeFact):
    """A fact that must not be carried forward. Naming it as dead is accepted only where `dead_ok`
    says so.
    """

    dead_ok: bool = False
    named_dead: list[Text] = Field(default_factory=list)


class ContinuationCheck(_EpisodePart):
    """One thing a correct continuation contains (`values`) and does not (`must_not`); without both
    a judge decides.
    """

    id: Id
    check: Text
    values: Values = Field(default_factory=list)
    must_not: Values = Field(default_factory=list)


class TraceRef(_EpisodePart):
    """A trace that stays where it is: path below the data folder, how many steps of it count, and
    the file's hash.
    """

    path: Text
    at: Annotated[int, Field(ge=1)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    format: Text = "auto"

    @model_validator(mode="after")
    def _stays_inside(self) -> TraceRef:
        parts = PurePosixPath(self.path).parts
        if (
            PurePosixPath(self.path).is_absolute()
            or PureWindowsPath(self.path).anchor
            or ".." in parts
        ):
            raise ValueError(f"path {self.path!r} must be relative and stay inside the data folder")
        return self


class ToolInfo(_EpisodePart):
    """A tool that the resuming agent is told about."""

    name: Text
    description: str = ""


class HandOver(_EpisodePart):
    """Who resumes when it is not the same agent: another model, prompt or tool set. Scored apart."""

    model: Text | None = None
    prompt: Text | None = None
    tools: list[ToolInfo] | None = None


class Episode(_EpisodePart):
    """One test case. `source` says where the trajectory comes from, `provenance` in detail."""

    id: Id
    initial_task: Text
    partial_trajectory: TraceRef | list[dict[str, Any]]
    gold_continuation: Annotated[
        list[Annotated[list[ContinuationCheck], Field(min_length=1)]], Field(min_length=1)
    ]
    gold_facts_to_preserve: Annotated[list[EpisodeFact], Field(min_length=1)]
    gold_facts_to_forget: Annotated[list[ForgetFact], Field(min_length=1)]
    domain: Id = "code"
    source: Literal["trace", "life", "session", "example", "unknown"] = "unknown"
    provenance: str | dict[str, Any] | None = None
    turns_in_session: Annotated[int, Field(ge=1)] | None = None
    tools: list[ToolInfo] = Field(default_factory=list)
    resume_with: HandOver | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Episode:
        facts: Sequence[EpisodeFact] = [*self.gold_facts_to_preserve, *self.gold_facts_to_forget]
        _distinct("fact id", [f.id for f in facts])
        _distinct("fact", [f.sentence.casefold() for f in facts])
        for number, trajectory in enumerate(self.gold_continuation):
            _distinct(f"check id in gold_continuation {number + 1}", [c.id for c in trajectory])
        return self

    @property
    def hash(self) -> str:
        """SHA-256 of the episode as it was written: another fact, check or cut is another episode."""
        return content_hash(self.model_dump(mode="json"))


def _distinct(what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the {what} {name!r} occurs twice; a fact may not be in both lists")


# -------------------------------------------------------------------------------------------------------
# reading


def load_episode(path: Path) -> Episode:
    """The episode in a YAML file; the file's name is its id unless it gives one."""
    data = read_bytes(path)
    if len(data) > MOST_BYTES:
        raise InputError(
            f"{path}: {len(data)} bytes; an episode has at most {MOST_BYTES}, refer to longer"
            " traces"
        )
    loaded = read_yaml(data, path)
    if not isinstance(loaded, dict):
        raise InputError(
            f"{path}: an episode is a mapping with initial_task, partial_trajectory and gold_*"
            " fields"
        )
    try:
        return Episode.model_validate(_spelled_out(loaded, path.stem))
    except ValidationError as error:
        raise InputError(f"{path}: {_problems(error)}") from error


def episode_files(folder: Path) -> list[Path]:
    """The episode files of a folder, in order."""
    if not folder.is_dir():
        raise InputError(
            f"{folder}: no such folder of episodes; `agingbench resumption init` makes one"
        )
    found = sorted(p for p in folder.iterdir() if p.suffix in (".yaml", ".yml") and p.is_file())
    if not found:
        raise InputError(f"{folder}: holds no episode (*.yaml)")
    return found


def load_episodes(folder: Path) -> list[Episode]:
    """All episodes of a folder; an id that occurs twice is refused, since scores go by id."""
    episodes: dict[str, Episode] = {}
    for path in episode_files(folder):
        episode = load_episode(path)
        if episode.id in episodes:
            raise InputError(
                f"{path}: the episode id '{episode.id}' occurs in another file of the folder"
            )
        episodes[episode.id] = episode
    return list(episodes.values())


def _spelled_out(loaded: dict[str, Any], stem: str) -> dict[str, Any]:
    """The short forms of the spec written out: plain sentences as facts and checks, one list as one
    trajectory.
    """
    out = dict(loaded)
    out.setdefault("id", stem)
    if isinstance(out["id"], int):
        out["id"] = f"{out['id']:03d}"
    for name, prefix in (("gold_facts_to_preserve", "p"), ("gold_facts_to_forget", "f")):
        if isinstance(out.get(name), list):
            out[name] = [
                _numbered(item, prefix, n, "fact") for n, item in enumerate(out[name], start=1)
            ]
    ways = out.get("gold_continuation")
    if isinstance(ways, list) and ways:
        ways = ways if all(isinstance(way, list) for way in ways) else [ways]
        out["gold_continuation"] = [
            [_numbered(item, "c", n, "check") for n, item in enumerate(way, start=1)]
            for way in ways
        ]
    trajectory = out.get("partial_trajectory")
    if isinstance(trajectory, list):
        out["partial_trajectory"] = [
            {"role": "assistant", "content": entry} if isinstance(entry, str) else entry
            for entry in trajectory
        ]
    return out


def _numbered(item: Any, prefix: str, number: int, key: str) -> Any:
    if isinstance(item, str):
        item = {key: item}
    if isinstance(item, dict) and "id" not in item:
        item = {"id": f"{prefix}{number}", **item}
    return item


def _problems(error: ValidationError, most: int = 4) -> str:
    told = list(dict.fromkeys(f"{_place(e['loc'])}: {_told_wrong(e)}" for e in error.errors()))
    return "; ".join(told[:most]) + (f"; and {len(told) - most} more" if len(told) > most else "")


def _told_wrong(error: ErrorDetails) -> str:
    if error["type"] != "extra_forbidden":
        return error["msg"]
    parts = (Episode, ForgetFact, ContinuationCheck, TraceRef, HandOver, ToolInfo)
    close = nearest(
        str(error["loc"][-1]), {name for part in parts for name in part.model_fields}, most=1
    )
    return "no such field" + (f"; did you mean {close[0]}?" if close else "")


def _place(loc: tuple[int | str, ...]) -> str:
    parts: Iterator[str] = (
        f"[{p}]" if isinstance(p, int) else f".{p}" for p in loc if p not in ("TraceRef",)
    )
    return "".join(parts).removeprefix(".") or "episode"


def set_hash(episodes: Sequence[Episode]) -> str:
    """SHA-256 over the episodes by id: which set a run was scored on."""
    listed = sorted((episode.id, episode.hash) for episode in episodes)
    return hashlib.sha256(repr(listed).encode()).hexdigest()
