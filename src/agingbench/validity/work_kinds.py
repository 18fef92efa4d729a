"""What simulated users ask for: kinds of work, their words, and the tools that they take."""

from __future__ import annotations

from dataclasses import dataclass

TOOLS = (
    "Read",
    "Edit",
    "Bash",
    "Grep",
    "Write",
    "Glob",
)
ADOPTED = {
    "subagents": ("Task",),
    "mcp": ("mcp__db__query", "mcp__tickets__get"),
}


@dataclass(frozen=True)
class WorkKind:
    """One kind of work: words of its requests, its tools, calls per request, and errors."""

    words: tuple[str, ...]
    german: tuple[str, ...]
    tools: tuple[float, ...]  # weights in the order of TOOLS
    calls: float  # median per request
    error_rate: float
    names_path: float  # share of requests that name a file
    programs: tuple[str, ...]


KINDS = (
    WorkKind(
        words=("fix", "bug", "crash", "traceback", "failing", "broken", "regression", "error"),
        german=("behebe", "fehler", "absturz", "kaputt", "fehlschlag", "ausnahme"),
        tools=(0.34, 0.20, 0.28, 0.14, 0.01, 0.03),
        calls=11.0,
        error_rate=0.05,
        names_path=0.5,
        programs=("pytest", "git", "python"),
    ),
    WorkKind(
        words=("add", "feature", "option", "support", "implement", "endpoint", "button"),
        german=("ergänze", "funktion", "unterstützung", "baue", "schalter", "knopf"),
        tools=(0.22, 0.36, 0.18, 0.06, 0.13, 0.05),
        calls=14.0,
        error_rate=0.03,
        names_path=0.4,
        programs=("npm", "git", "pytest"),
    ),
    WorkKind(
        words=("explain", "how", "why", "understand", "overview", "question", "meaning"),
        german=("erkläre", "warum", "wieso", "überblick", "frage", "bedeutung"),
        tools=(0.55, 0.01, 0.06, 0.28, 0.00, 0.10),
        calls=4.0,
        error_rate=0.01,
        names_path=0.3,
        programs=("ls", "cat"),
    ),
    WorkKind(
        words=("refactor", "clean", "rename", "split", "simplify", "module", "duplicate"),
        german=("räume", "vereinfache", "umbenennen", "aufteilen", "modul", "doppelt"),
        tools=(0.26, 0.46, 0.10, 0.10, 0.04, 0.04),
        calls=16.0,
        error_rate=0.02,
        names_path=0.6,
        programs=("ruff", "git", "pytest"),
    ),
    WorkKind(
        words=("document", "readme", "docstring", "changelog", "guide", "tutorial", "page"),
        german=("dokumentiere", "anleitung", "beschreibung", "seite", "leitfaden"),
        tools=(0.30, 0.22, 0.04, 0.08, 0.32, 0.04),
        calls=7.0,
        error_rate=0.01,
        names_path=0.4,
        programs=("ls", "git"),
    ),
    WorkKind(
        words=("deploy", "release", "server", "rollout", "logs", "container", "cluster"),
        german=("ausliefern", "freigabe", "rechner", "protokolle", "behälter"),
        tools=(0.10, 0.04, 0.74, 0.06, 0.02, 0.04),
        calls=10.0,
        error_rate=0.06,
        names_path=0.1,
        programs=("kubectl", "docker", "git"),
    ),
)

COMMON_WORDS = (
    "please", "the", "can", "you", "this", "that", "now", "then", "next", "also", "check",
    "make", "sure", "project", "thing", "again", "first", "after",
)  # fmt: skip
TOPICS = (
    "parser", "cache", "login", "billing", "search", "report", "export", "scheduler", "queue",
    "settings", "profile", "upload", "editor", "metrics",
)  # fmt: skip
COMPLAINTS = (
    "no, that is wrong, I asked for something else",
    "that's not what I asked for, try again",
    "it still fails, you did not fix it",
    "nein, das ist falsch, bitte noch einmal",
)

# Every file has a twin of nearly the same name.
FILES = (
    "order", "invoice", "session", "account", "article", "shipment", "product", "payment",
    "message", "calendar", "archive", "network", "storage", "template", "webhook", "voucher",
    "language", "customer", "document", "schedule",
)  # fmt: skip
TWINS: dict[str, str] = {}
for _name in FILES:
    TWINS[f"src/{_name}_view.py"] = f"src/{_name}s_view.py"
    TWINS[f"src/{_name}s_view.py"] = f"src/{_name}_view.py"
_NAMED = tuple(TWINS)


def file_name(number: int) -> str:
    """Return the name of a file of the simulated project; later ones are numbered."""
    return _NAMED[number] if number < len(_NAMED) else f"src/part{number}.py"
