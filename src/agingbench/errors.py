"""The exceptions of AgingBench: everything a user can run into, in one tree.

AgingBenchError
├── InputError            wrong input: a name, a file, an option, a directory      exit 2
│   ├── UnknownName       a name that no registry knows; suggests the nearest ones
│   ├── MissingExtra      an optional package is not installed; says the command
│   ├── MissingKey        a provider wants a key and none is set
│   ├── UntrustedFile     a file names code and was not said to be trusted
│   ├── ToolsUnsupported  the model takes no tools of its own; agents then write them as text
│   ├── RunConflict       the run directory belongs to another plan or another process
│   └── StorageError      the disk refused a write; what was there before is intact
├── NotFinished           lives that stopped on the way; the same command continues      exit 1
└── ModelError            a model could not be asked
    ├── TransportError    the call broke after its retries: `failed`, never `wrong`
    │   ├── Unreachable   nothing listens at the address; nothing was sent
    │   └── BrokenReply   the server answered, and the reply cannot be used
    ├── ContextOverflow   the prompt does not fit the model: `unanswered`, it grows with age
    └── Outage            too few calls of a session came back: the life stops and can continue
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AgingBenchError(Exception):
    """Base of all errors that are told to the user in one line."""

    exit_code = 2


class InputError(AgingBenchError):
    """The user gave something that cannot be used."""


class UnknownName(InputError):
    """A name that is not in its table; the message carries the nearest valid names."""

    def __init__(self, kind: str, name: str, valid: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        names = sorted(set(valid))
        self.suggestions = nearest(name, names)
        hint = (
            f"did you mean {' or '.join(self.suggestions)}?"
            if self.suggestions
            else f"known: {', '.join(names) or 'none'}"
        )
        super().__init__(f"unknown {kind} '{name}'; {hint}")


class MissingExtra(InputError):
    """An optional package is needed and not there."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs an optional package; install it with: pip install 'agingbench[{extra}]'"
        )


class MissingKey(InputError):
    """A provider needs a key."""


class UntrustedFile(InputError):
    """A file names code, or a server for a key, and the user did not say that it is trusted."""


class ToolsUnsupported(InputError):
    """The model, or the server that runs it, takes no tools."""


class RunConflict(InputError):
    """The run directory is taken by another plan or another process."""


class StorageError(InputError):
    """A write failed (disk full, no permission); nothing already written was damaged."""


class ModelError(AgingBenchError):
    """A model could not be asked."""


class TransportError(ModelError):
    """The call failed after its retries; the probe is `failed` and counts for nothing."""


class Unreachable(TransportError):
    """Nothing listens at the address of a model; nothing was sent."""


class BrokenReply(TransportError):
    """The server answered, but with something that is no reply."""


class ContextOverflow(ModelError):
    """The prompt is longer than the model takes."""


class Outage(ModelError):
    """Too few calls came back to go on; the life stops before this session and can continue."""


class NotFinished(AgingBenchError):
    """Some lives are not finished; the same command continues them."""

    exit_code = 1


def nearest(name: str, valid: Iterable[str], most: int = 3) -> list[str]:
    """The valid names closest to `name`, best first: prefixes before look-alikes."""
    names = list(valid)
    longer = [valid_name for valid_name in names if name and valid_name.startswith(name)]
    close = difflib.get_close_matches(name, names, n=most, cutoff=0.5)
    return list(dict.fromkeys(longer + close))[:most]
