"""A model that remembers its replies on disk: the same request is paid for once."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import msgspec

from agingbench.errors import StorageError
from agingbench.interfaces import Model
from agingbench.records import Message, Reply, Tool


class CacheEntry(msgspec.Struct, frozen=True):
    """What a cache file holds; the key inside shows that the file is whole and where it belongs."""

    key: str
    reply: Reply


class ReplyStore(Protocol):
    """Where replies are kept."""

    damaged: int  # replies that were there and could not be read

    def load(self, key: str) -> Reply | None:
        """The reply to a request; None where there is none, or none that can be read."""

    def save(self, key: str, reply: Reply) -> None:
        """Keep a reply; raises StorageError where that fails."""


class ReplyFolder:
    """Replies as files of a folder, as private as the lives they belong to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.damaged = 0

    def path(self, key: str) -> Path:
        """Where the reply to a request lies."""
        return self.folder / key[:2] / f"{key}.json"

    def load(self, key: str) -> Reply | None:
        """The reply to a request; None where there is none, or none that can be read."""
        try:
            entry = msgspec.json.decode(self.path(key).read_bytes(), type=CacheEntry)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError):
            entry = None
        if entry is not None and entry.key == key:
            return entry.reply
        self.damaged += 1
        return None

    def save(self, key: str, reply: Reply) -> None:
        """Keep a reply; raises StorageError where that fails."""
        path = self.path(key)
        part = path.with_name(f".{uuid.uuid4().hex}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as new:
                new.write(msgspec.json.encode(CacheEntry(key, reply)))
            os.replace(part, path)
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            raise StorageError(f"response cache {path}: {error.strerror or error}") from error


class CachedModel(Model):
    """Asks `model` only what was not asked before; a reply from the cache equals the first one, its
    usage included.
    """

    def __init__(self, model: Model, store: Path | ReplyStore) -> None:
        self.model = model
        self.store = ReplyFolder(store) if isinstance(store, Path) else store
        self.name = model.name
        self.hits = 0
        self.misses = 0
        self._guard = threading.Lock()
        self._turns: dict[str, _Turn] = {}

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        key = request_key(self.model, messages, tools, max_tokens, seed)
        with self._turn(key):
            reply = self.store.load(key)
            with self._guard:
                self.hits += reply is not None
                self.misses += reply is None
            if reply is None:
                reply = self.model.complete(messages, tools, max_tokens, seed)
                self.store.save(key, reply)
            return reply

    @property
    def damaged(self) -> int:
        """Replies that were there and could not be read."""
        return self.store.damaged

    def close(self) -> None:
        """Close the model behind."""
        self.model.close()

    @contextmanager
    def _turn(self, key: str) -> Iterator[None]:
        # Threads with the same request wait for the first one instead of paying for it again.
        with self._guard:
            turn = self._turns.setdefault(key, _Turn())
            turn.waiting += 1
        try:
            with turn.lock:
                yield
        finally:
            with self._guard:
                turn.waiting -= 1
                if not turn.waiting:
                    del self._turns[key]


class _Turn:
    """Who waits for one request."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting = 0


def request_key(
    model: Model,
    messages: Sequence[Message],
    tools: Sequence[Tool],
    max_tokens: int,
    seed: int | None,
) -> str:
    """SHA-256 of everything that can change a reply, written as canonical JSON."""
    request = {
        "model": model.cache_identity(),
        "messages": msgspec.to_builtins(list(messages)),
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in tools
        ],
        "max_tokens": max_tokens,
        "seed": seed,
    }
    text = json.dumps(request, sort_keys=True, separators=(",", ":"), default=_plain)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} in a request cannot be part of a cache key")
