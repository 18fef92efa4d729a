"""Deployment profiles: outcome rules, session detection, weights, windows, privacy patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import yaml

from agingbench.errors import InputError, UnknownName
from agingbench.traces.canonical import content_hash

MECHANISMS = ("compression", "interference", "revision", "maintenance")
OUTCOMES = ("success", "fail", "user_rejected", "abandoned", "revision_fail")
NAMES = ("generic", "code_assistant")
SIMILARITIES = ("words", "embed")
_KEYS = (
    "deployment_type",
    "session_detection",
    "outcome_rules",
    "subject_linkage",
    "mechanism_weights",
    "tools",
    "context_windows",
    "revision",
    "similarity",
    "privacy_patterns",
)


class Profile(msgspec.Struct, frozen=True):
    """One profile as it is applied, overrides merged in."""

    name: str
    deployment_type: str
    idle_gap_seconds: float
    reset_commands: frozenset[str]
    native_outcomes: dict[str, str]
    patterns: dict[str, tuple[re.Pattern[str], ...]]
    subject_linkage: frozenset[str]
    mechanism_weights: dict[str, float]
    bookkeeping: frozenset[str]
    context_windows: dict[str, int]
    base_stale_rate: float
    privacy_patterns: tuple[tuple[str, str], ...]
    rules_hash: str
    similarity: str = "words"  # how repeated requests are found

    def window(self, model: str | None) -> int | None:
        """Return the context window of a model in tokens; None for a model that is not listed."""
        if not model:
            return None

        name = model.rpartition("/")[2].casefold()
        if "[1m]" in name:
            return 1_000_000

        prefixes = [prefix for prefix in self.context_windows if name.startswith(prefix)]
        if not prefixes:
            return None

        return self.context_windows[max(prefixes, key=len)]


def load_profile(
    name: str | Profile = "generic",
    overrides: Mapping[str, Any] | None = None,
) -> Profile:
    """Return a profile by name or from a YAML file, with overrides merged in deeply.

    Raises UnknownName for another name or setting, InputError for a file that holds no profile.
    """
    if isinstance(name, Profile):
        if overrides:
            raise InputError("overrides go with a profile's name, not with a loaded profile")
        return name

    settings = _packaged("generic")
    if name in NAMES:
        settings = _merge(settings, _packaged(name)) if name != "generic" else settings
    elif name.endswith((".yaml", ".yml")):
        settings = _merge(settings, _from_file(Path(name)))
    else:
        raise UnknownName("profile", name, NAMES)

    if overrides:
        for key in overrides:
            if key not in _KEYS:
                raise UnknownName("profile setting", str(key), _KEYS)

        settings = _merge(settings, overrides)

    return _build(Path(name).stem if name not in NAMES else name, settings)


def profile_for(trace_format: str, coding: bool) -> tuple[str, str]:
    """Return the profile for traces of a format when none was named, and why it is this one."""
    if coding:
        return "code_assistant", f"{trace_format} traces come from software-engineering agents"
    return "generic", f"{trace_format} traces may come from any agent"


def _packaged(name: str) -> dict[str, Any]:
    folder = resources.files("agingbench.telemetry") / "profiles"
    text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
    settings: dict[str, Any] = yaml.safe_load(text)
    return settings


def _from_file(path: Path) -> dict[str, Any]:
    try:
        settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read profile {path}: {error.strerror or error}") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: not a YAML profile ({' '.join(str(error).split())})") from error

    if not isinstance(settings, dict) or not set(settings) <= set(_KEYS):
        raise InputError(f"{path}: a profile holds only {', '.join(_KEYS)}")
    return settings


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        old = merged.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            merged[key] = _merge(old, value)
        else:
            merged[key] = value

    return merged


def _build(name: str, settings: dict[str, Any]) -> Profile:
    """Return the profile that the settings describe; raises InputError where one is missing."""
    try:
        sessions = settings["session_detection"]
        rules = settings["outcome_rules"]
        weights = settings["mechanism_weights"]
        windows = settings["context_windows"]
        rules_hash = content_hash([rules, settings["deployment_type"]])

        patterns = {}
        for outcome, expressions in rules["patterns"].items():
            compiled = [re.compile(text, re.IGNORECASE) for text in expressions or ()]
            patterns[str(outcome)] = tuple(compiled)

        privacy_patterns = []
        for entry in settings["privacy_patterns"]:
            re.compile(str(entry["pattern"]))
            privacy_patterns.append((str(entry["pattern"]), str(entry["replacement"])))

        profile = Profile(
            name=name,
            deployment_type=str(settings["deployment_type"]),
            idle_gap_seconds=60.0 * float(sessions["fallback_idle_gap_minutes"]),
            reset_commands=_folded(sessions["reset_commands"]),
            native_outcomes={str(event): str(o) for event, o in rules["native"].items()},
            patterns=patterns,
            subject_linkage=frozenset(str(key) for key in settings["subject_linkage"]),
            mechanism_weights={str(mechanism): float(w) for mechanism, w in weights.items()},
            bookkeeping=_folded(settings["tools"]["bookkeeping"]),
            context_windows={str(model).casefold(): int(n) for model, n in windows.items()},
            base_stale_rate=float(settings["revision"]["base_stale_rate"]),
            privacy_patterns=tuple(privacy_patterns),
            rules_hash=f"sha256:{rules_hash[:32]}",
            similarity=str(settings["similarity"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, re.error) as error:
        raise InputError(f"profile {name}: {type(error).__name__}: {error}") from error

    _check(profile)
    return profile


def _folded(names: Iterable[Any]) -> frozenset[str]:
    return frozenset(str(name).casefold() for name in names)


def _check(profile: Profile) -> None:
    """Raise UnknownName or InputError where a setting has an impossible value."""
    if profile.similarity not in SIMILARITIES:
        raise UnknownName("similarity", profile.similarity, SIMILARITIES)

    for outcome in (*profile.native_outcomes.values(), *profile.patterns):
        if outcome not in OUTCOMES:
            raise UnknownName("outcome", outcome, OUTCOMES)

    for mechanism, weight in profile.mechanism_weights.items():
        if mechanism not in MECHANISMS:
            raise UnknownName("mechanism", mechanism, MECHANISMS)
        if not 0 < weight < 1000:
            raise InputError(f"profile {profile.name}: the weight of {mechanism} must be positive")

    if not 0 < profile.base_stale_rate < 1 or profile.idle_gap_seconds <= 0:
        raise InputError(
            f"profile {profile.name}: base_stale_rate must be between 0 and 1, and the idle gap"
            " positive"
        )
