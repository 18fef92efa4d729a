"""A resumption episode in YAML: the 5-tuple of the spec, read strictly.

Errors name the file and the field.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from agingbench.errors import InputError, nearest
from agingbench.resumption.episodes.parts import EpisodePart, Text
from agingbench.resumption.episodes.strict_yaml import read_yaml
from agingbench.resumption.episodes.workspace import (
    CommandCheck,
    EpisodeWorkspace,
    GoldStep,
)
from agingbench.text.matching import find
from agingbench.text.values import KINDS, Value
from agingbench.traces.canonical import content_hash
from agingbench.traces.files import read_bytes

MOST_BYTES = 32_000_000  # of one episode file; a longer trajectory is referred to, not pasted
LATE = "late-written"  # what the gate calls episodes that the judge's author did not write
_MARK = re.compile(r"\s*\([A-Z]\)\s*$")  # the spec's example marks its facts (A), (B), (C)


def _wrap_alternatives(value: Any) -> Any:
    # One value may be written alone; each entry of the list is needed, each inner list holds ways
    # to write it.
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return value
    return [[entry] if isinstance(entry, str | dict) else entry for entry in value]


def _parse_value(value: Any) -> Value:
    if isinstance(value, Value):
        return value

    parsed = None
    if isinstance(value, str):
        parsed = Value("name", value)
    elif isinstance(value, dict) and set(value) == {"kind", "text"} and value["kind"] in KINDS:
        parsed = Value(value["kind"], str(value["text"]))
    if parsed is None:
        raise ValueError(
            "a value is a text, or {kind, text} with a kind of " + ", ".join(sorted(KINDS))
        )
    find("", parsed)  # raises ValueError when it cannot be read as its kind
    return parsed


EpisodeKind = Literal["executable", "text-only"]
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=80)]
Way = Annotated[Value, BeforeValidator(_parse_value), PlainSerializer(lambda v: [v.kind, v.text])]
Values = Annotated[
    list[Annotated[list[Way], Field(min_length=1)]], BeforeValidator(_wrap_alternatives)
]


class EpisodeFact(EpisodePart):
    """A fact with the values that state it.

    `derived` names the steps that the fact follows from when none of them states it.
    """

    id: Id
    fact: Text
    values: Values = Field(default_factory=list)
    derived: list[Annotated[int, Field(ge=1)]] = Field(default_factory=list)

    @property
    def sentence(self) -> str:
        """The fact without the mark, such as (A), that the spec's example puts behind it."""
        return _MARK.sub("", self.fact)


class ForgetFact(EpisodeFact):
    """A fact that must not be carried forward; naming it as dead is accepted only if `dead_ok`."""

    dead_ok: bool = False
    named_dead: list[Text] = Field(default_factory=list)


class ContinuationCheck(EpisodePart):
    """What a correct continuation contains (`values`) or must not contain (`must_not`).

    Without both a judge decides. In an executable episode `run` is a command that has to come out
    right as well, and the values are those of the agent's final output.
    """

    later: ClassVar[frozenset[str]] = frozenset({"run"})

    id: Id
    check: Text
    values: Values = Field(default_factory=list)
    must_not: Values = Field(default_factory=list)
    run: CommandCheck | None = None


class TraceRef(EpisodePart):
    """A trace outside the episode: path below the data folder, steps to use, and its hash."""

    path: Text
    at: Annotated[int, Field(ge=1)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    format: Text = "auto"

    @model_validator(mode="after")
    def _stays_inside(self) -> TraceRef:
        path = PurePosixPath(self.path)
        is_absolute = path.is_absolute() or bool(PureWindowsPath(self.path).anchor)
        if is_absolute or ".." in path.parts:
            raise ValueError(f"path {self.path!r} must be relative and stay inside the data folder")
        return self


class ToolInfo(EpisodePart):
    """A tool that the resuming agent is told about."""

    name: Text
    description: str = ""


class HandOver(EpisodePart):
    """Another model, prompt or tool set that resumes; such episodes are scored apart."""

    model: Text | None = None
    prompt: Text | None = None
    tools: list[ToolInfo] | None = None


class Episode(EpisodePart):
    """One test case; `source` and `provenance` say where its trajectory comes from.

    With a `workspace` it is executable: the resuming agent acts on the files. Without, it is
    text-only: the agent says what it would do next.
    """

    later: ClassVar[frozenset[str]] = frozenset({"workspace", "written"})

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
    workspace: EpisodeWorkspace | None = None
    # late: written when the rules of consolidators and judges were fixed, by another author.
    written: Literal["late"] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Episode:
        facts: Sequence[EpisodeFact] = [*self.gold_facts_to_preserve, *self.gold_facts_to_forget]
        _require_distinct("fact id", [f.id for f in facts])
        _require_distinct("fact", [f.sentence.casefold() for f in facts])
        for number, trajectory in enumerate(self.gold_continuation):
            _require_distinct(
                f"check id in gold_continuation {number + 1}", [c.id for c in trajectory]
            )
            for check in trajectory:
                self._require_matching(check)
        return self

    def _require_matching(self, check: ContinuationCheck) -> None:
        if self.workspace is None and check.run is not None:
            raise ValueError(f"check {check.id} runs a command, but the episode has no workspace")
        if self.workspace is not None and check.run is None:
            raise ValueError(
                f"check {check.id} runs no command; every check of an executable episode does"
            )

    @property
    def gate_domain(self) -> str:
        """The name of the gate that speaks for the episode: its domain, or that of late ones."""
        return LATE if self.written == "late" else self.domain

    @property
    def kind(self) -> EpisodeKind:
        """Whether the resuming agent acts on a workspace or says what it would do."""
        return "text-only" if self.workspace is None else "executable"

    @property
    def hash(self) -> str:
        """The SHA-256 of the content: another fact, check or cut is another episode."""
        return content_hash(self.model_dump(mode="json"))


def _require_distinct(what: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the {what} {name!r} occurs twice; a fact may not be in both lists")


def load_episode(path: Path) -> Episode:
    """Read a YAML file; its name is the episode's id unless it gives one.

    Raises InputError, with file and field, for anything that is no episode.
    """
    data = read_bytes(path)
    if len(data) > MOST_BYTES:
        raise InputError(
            f"{path}: {len(data)} bytes; an episode has at most {MOST_BYTES}, refer to longer"
            " traces"
        )
    content = read_yaml(data, path)
    if not isinstance(content, dict):
        raise InputError(
            f"{path}: an episode is a mapping with initial_task, partial_trajectory and gold_*"
            " fields"
        )
    try:
        return Episode.model_validate(_expand_short_forms(content, path.stem))
    except ValidationError as error:
        raise InputError(f"{path}: {_error_text(error)}") from error


def episode_files(folder: Path) -> list[Path]:
    """Return the episode files of a folder, sorted; raises InputError if there is none."""
    if not folder.is_dir():
        raise InputError(
            f"{folder}: no such folder of episodes; `agingbench resumption init` makes one"
        )
    files = sorted(p for p in folder.iterdir() if p.suffix in (".yaml", ".yml") and p.is_file())
    if not files:
        raise InputError(f"{folder}: holds no episode (*.yaml)")
    return files


def load_episodes(folder: Path) -> list[Episode]:
    """Read all episodes of a folder; an id that occurs twice raises InputError."""
    episodes: dict[str, Episode] = {}
    for path in episode_files(folder):
        episode = load_episode(path)
        if episode.id in episodes:
            raise InputError(
                f"{path}: the episode id '{episode.id}' occurs in another file of the folder"
            )
        episodes[episode.id] = episode
    return list(episodes.values())


def select_kind(episodes: Sequence[Episode], kind: EpisodeKind | None) -> list[Episode]:
    """Return the episodes of one kind, or all; raises InputError if there is none of it."""
    chosen = [episode for episode in episodes if kind in (None, episode.kind)]
    if not chosen:
        raise InputError(f"no episode of the {len(episodes)} is {kind}")
    return chosen


def set_hash(episodes: Sequence[Episode]) -> str:
    """Return the SHA-256 of the episodes by id: which set a run was scored on."""
    hashes = sorted((episode.id, episode.hash) for episode in episodes)
    return hashlib.sha256(repr(hashes).encode()).hexdigest()


def _expand_short_forms(content: dict[str, Any], stem: str) -> dict[str, Any]:
    """Write out the short forms of the spec.

    Plain sentences become facts and checks, and one list becomes one continuation.
    """
    out = dict(content)
    out.setdefault("id", stem)
    if isinstance(out["id"], int):
        out["id"] = f"{out['id']:03d}"

    for name, prefix in (("gold_facts_to_preserve", "p"), ("gold_facts_to_forget", "f")):
        facts = out.get(name)
        if isinstance(facts, list):
            out[name] = _numbered(facts, prefix, "fact")

    ways = out.get("gold_continuation")
    if isinstance(ways, list) and ways:
        if not all(isinstance(way, list) for way in ways):
            ways = [ways]
        out["gold_continuation"] = [_numbered(way, "c", "check") for way in ways]

    trajectory = out.get("partial_trajectory")
    if isinstance(trajectory, list):
        entries = []
        for entry in trajectory:
            if isinstance(entry, str):
                entry = {"role": "assistant", "content": entry}
            entries.append(entry)
        out["partial_trajectory"] = entries
    return out


def _numbered(items: list[Any], prefix: str, key: str) -> list[Any]:
    """Return the items as mappings, each with an id; what is no text or mapping stays as it is."""
    numbered = []
    for number, item in enumerate(items, start=1):
        entry = {key: item} if isinstance(item, str) else item
        if isinstance(entry, dict) and "id" not in entry:
            entry = {"id": f"{prefix}{number}", **entry}
        numbered.append(entry)
    return numbered


def _error_text(error: ValidationError, most: int = 4) -> str:
    lines = [f"{_field_path(e['loc'])}: {_error_reason(e)}" for e in error.errors()]
    distinct = list(dict.fromkeys(lines))
    text = "; ".join(distinct[:most])
    if len(distinct) > most:
        text += f"; and {len(distinct) - most} more"
    return text


def _error_reason(error: ErrorDetails) -> str:
    if error["type"] != "extra_forbidden":
        return error["msg"]
    parts = (
        Episode,
        ForgetFact,
        ContinuationCheck,
        TraceRef,
        HandOver,
        ToolInfo,
        EpisodeWorkspace,
        CommandCheck,
        GoldStep,
    )
    fields = {name for part in parts for name in part.model_fields}
    close = nearest(str(error["loc"][-1]), fields, most=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"no such field{hint}"


def _field_path(loc: tuple[int | str, ...]) -> str:
    path = ""
    for part in loc:
        if part != "TraceRef":
            path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return path.removeprefix(".") or "episode"
