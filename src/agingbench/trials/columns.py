"""The columns by which trials are found, all of them read from the record.

The first table of a ledger has the columns of `LedgerColumns` and never gets others. What came
later stands in a second table; an entry without a row there, as in an older ledger, is read from
its record.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from agingbench.errors import InputError
from agingbench.trials.life_facts import LifeFacts

NO_DURATION = "duration_not_recorded"
LARGEST_COUNT = 2**63 - 1

# The id of a life of a version that did not say which life it is: condition, seed.
_OLDER_LIFE = re.compile(
    r"\.(?P<condition>(?P<pressure>[a-z_]+)-(?P<sessions>\d+)s(?P<events>(?:-[a-z_]+\d+)*)"
    r"-[0-9a-f]{6})\.seed_(?P<seed>\d+)"
)
_OLDER_EVENT = re.compile(r"-([a-z_]+?)(\d+)(?=-|$)")


class LedgerColumns(msgspec.Struct):
    """The columns of the table `trials`; None is not recorded, never 0."""

    trial_id: str
    experiment_id: str
    dataset_id: str | None
    task_id: str
    task_revision: str
    model: str
    harness: str
    timestamp: str
    status: str | None
    completeness: str
    reward: float | None
    total_seconds: float | None
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    record_hash: str
    supersedes: str | None


class TrialColumns(LedgerColumns):
    """All columns of a trial: those of the table `trials`, then those of `trial_facets`."""

    kind: str | None = None
    scenario: str | None = None
    system_id: str | None = None
    memory: str | None = None
    agent: str | None = None
    condition: str | None = None
    seed: int | None = None
    sessions: int | None = None
    pressure: str | None = None
    events: str | None = None
    study: str | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    advisor_calls: int | None = None
    advisor_input_tokens: int | None = None
    advisor_output_tokens: int | None = None
    setup_seconds: float | None = None
    agent_seconds: float | None = None
    verification_seconds: float | None = None


class TrialRow(TrialColumns):
    """A trial as the ledger lists it."""

    number: int = 0
    superseded_by: str | None = None


TRIAL_COLUMNS = LedgerColumns.__struct_fields__
FACET_COLUMNS = TrialColumns.__struct_fields__[len(TRIAL_COLUMNS) :]
WHOLE_NUMBERS = (
    "seed",
    "sessions",
    "cache_read_tokens",
    "cache_write_tokens",
    "advisor_calls",
    "advisor_input_tokens",
    "advisor_output_tokens",
)
FRACTIONS = ("setup_seconds", "agent_seconds", "verification_seconds")
NUMBERS = frozenset(
    ("reward", "total_seconds", "tokens_in", "tokens_out", "cost_usd", *WHOLE_NUMBERS, *FRACTIONS)
)


def facet_definitions(whole: str, fraction: str) -> str:
    """The columns of the table `trial_facets` in SQL, with a database's names of number types."""
    lines = []
    for name in FACET_COLUMNS:
        kind = "TEXT"
        if name in WHOLE_NUMBERS:
            kind = whole
        elif name in FRACTIONS:
            kind = fraction
        lines.append(f"  {name} {kind}")
    return ",\n".join(lines)


def utc(time: datetime) -> str:
    """A time as the ledger sorts it: UTC, always six decimals."""
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def trial_columns(body: bytes) -> TrialColumns:
    """The columns of a trial, read from its canonical record."""
    record = msgspec.json.decode(body)
    output = record["outputs"]["agent_output"] or {}
    result = record["outputs"]["agent_result"] or {}
    cost = record["cost"] or {}
    timing = record["timing"]
    replaced = _replacement(result)
    columns = TrialColumns(
        trial_id=record["trial_id"],
        experiment_id=record["experiment_id"],
        dataset_id=record["dataset_id"],
        task_id=record["task"]["task_id"],
        task_revision=record["task"]["task_revision"],
        model=record["agent"]["model"],
        harness=record["agent"]["adapter"],
        timestamp=utc(datetime.fromisoformat(record["timestamp"])),
        status=output.get("status"),
        completeness=record["completeness"],
        reward=_fraction(record["evaluation"]["reward"]),
        total_seconds=_total_seconds(record, result),
        tokens_in=_count(cost, "tokens_in"),
        tokens_out=_count(cost, "tokens_out"),
        cost_usd=_fraction(cost.get("estimated_cost_usd")),
        record_hash=hashlib.sha256(body).hexdigest(),
        supersedes=replaced.trial_id if replaced else None,
        cache_read_tokens=_count(cost, "cache_read_tokens"),
        cache_write_tokens=_count(cost, "cache_write_tokens"),
        advisor_calls=_count(cost, "advisor_calls"),
        advisor_input_tokens=_count(cost, "advisor_input_tokens"),
        advisor_output_tokens=_count(cost, "advisor_output_tokens"),
        setup_seconds=_fraction(timing["setup_seconds"]),
        agent_seconds=_fraction(timing["agent_seconds"]),
        verification_seconds=_fraction(timing["verification_seconds"]),
    )
    _describe(columns, record, result)
    for name in TrialColumns.__struct_fields__:
        value = getattr(columns, name)
        if isinstance(value, str) and "\0" in value:
            # A column cannot hold U+0000 in every database; the record itself keeps it.
            setattr(columns, name, value.replace("\0", "\ufffd"))
    return columns


# -- which system, under which condition


def _describe(columns: TrialColumns, record: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    """Fill in what the record says of the system that was run and of what it was put through."""
    configuration = record["agent"]["configuration"]
    columns.agent = _text(configuration.get("agent")) or columns.harness
    columns.system_id = _text(configuration.get("sut_id"))
    columns.memory = _text(configuration.get("memory"))
    life = _life(result)
    if life is not None:
        _describe_life(columns, life)
    elif columns.task_id.startswith("resumption::"):
        columns.kind = "resumption"
        columns.memory = _text(configuration.get("consolidator"))
        if columns.memory is not None:
            columns.system_id = f"{columns.agent}+{columns.memory}"
        budget = configuration.get("budget")
        columns.condition = f"b{budget}" if isinstance(budget, int) else None
    elif columns.task_id.startswith("telemetry::"):
        columns.kind = "audit"
    elif columns.memory is not None and columns.system_id is not None:
        _describe_older_life(columns, configuration)
    else:
        columns.kind = "rollout"


def _life(result: Mapping[str, Any]) -> LifeFacts | None:
    try:
        life = msgspec.convert(result.get("life"), LifeFacts)
    except msgspec.ValidationError:  # no life, or the word of another harness
        return None
    is_storable = 0 <= life.seed <= LARGEST_COUNT and 0 <= life.sessions <= LARGEST_COUNT
    return life if is_storable else None


def _describe_life(columns: TrialColumns, life: LifeFacts) -> None:
    columns.kind = "life"
    columns.scenario = life.scenario
    columns.system_id = life.system_id
    columns.memory = life.memory
    columns.condition = life.condition
    columns.seed = life.seed
    columns.sessions = life.sessions
    columns.pressure = life.pressure
    columns.events = " ".join(life.events)
    columns.study = life.study


def _describe_older_life(columns: TrialColumns, configuration: Mapping[str, Any]) -> None:
    columns.kind = "life"
    columns.scenario = _text(configuration.get("scenario"))
    match = _OLDER_LIFE.search(columns.trial_id)
    if match is None:
        return
    columns.condition = match["condition"]
    columns.pressure = match["pressure"]
    columns.sessions = int(match["sessions"][:9])
    columns.seed = int(match["seed"][:18])
    events = [f"{name}@{at}" for name, at in _OLDER_EVENT.findall(match["events"])]
    columns.events = " ".join(events)


# -- single values


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _fraction(value: float | None) -> float | None:
    return None if value is None else float(value)


def _count(cost: Mapping[str, Any], name: str) -> int | None:
    value = cost.get(name)
    if value is not None and value > LARGEST_COUNT:
        raise InputError(f"cost.{name} is {value}, more than {LARGEST_COUNT}")
    return value


def _total_seconds(record: Mapping[str, Any], result: Mapping[str, Any]) -> float | None:
    # A record must name a duration; where its source had none, it is flagged, and the 0 in it is
    # not a measurement.
    flags = result.get("flags")
    if isinstance(flags, list) and NO_DURATION in flags:
        return None
    return float(record["timing"]["total_seconds"])


class Replacement(NamedTuple):
    """Which record a later one replaces: its trial and the hash of its content."""

    trial_id: str
    record_hash: str | None


def replacement(body: bytes) -> Replacement | None:
    """The record that a canonical record says it replaces, if any."""
    record = msgspec.json.decode(body)
    return _replacement(record["outputs"]["agent_result"] or {})


def _replacement(result: Mapping[str, Any]) -> Replacement | None:
    supersedes = result.get("supersedes")
    if not isinstance(supersedes, dict) or not isinstance(supersedes.get("trial_id"), str):
        return None
    record_hash = supersedes.get("record_hash")
    return Replacement(
        supersedes["trial_id"], record_hash if isinstance(record_hash, str) else None
    )
