"""A policy around a store that lives outside our own objects: an index, a database, a process.

The state is plain JSON and stays with the policy; the store is built from it when it is first
needed. Copies share a store for as long as nobody writes: a copy that is only asked costs nothing,
and whoever writes while others look on builds a store of its own first. The last one that lets go
of a store closes it, at the latest when its policy is garbage.
"""

from __future__ import annotations

import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Generic, Protocol, Self, TypeVar

from agingbench.memory.policy import Policy


class OutsideStore(Protocol):
    """What a policy keeps outside."""

    def close(self) -> None:
        """Release processes and files."""


S = TypeVar("S", bound=OutsideStore)


class SharedStore(Generic[S]):
    """A store with the number of policies that hold it, used by one of them at a time."""

    def __init__(self, build: Callable[[], S]) -> None:
        self._build = build
        self._store: S | None = None
        self._in_use = threading.RLock()
        self._counting = threading.Lock()
        self._holders = 0

    @contextmanager
    def use(self) -> Iterator[S]:
        """The store, built on first use, for one holder at a time."""
        with self._in_use:
            if self._store is None:
                self._store = self._build()
            yield self._store

    def take(self, holder: object) -> Callable[[], object]:
        """Hold the store for as long as `holder` lives; call the result to let go earlier."""
        with self._counting:
            self._holders += 1
        return weakref.finalize(holder, self._let_go)

    def is_shared(self) -> bool:
        """Whether somebody else holds it too."""
        with self._counting:
            return self._holders > 1

    def _let_go(self) -> None:
        with self._counting:
            self._holders -= 1
            is_last = self._holders == 0
        if is_last and self._store is not None:
            self._store.close()
            self._store = None


class Outside(Policy, Generic[S]):
    """Base of the policies whose store is outside; `state` is what it was last known to hold.

    `state` is replaced, never changed, so that copies and snapshots can share it.
    """

    def __init__(self) -> None:
        self.state: dict[str, Any] = self.empty_state()
        self._shared: SharedStore[S] | None = None
        self._let_go: Callable[[], object] | None = None

    @abstractmethod
    def empty_state(self) -> dict[str, Any]:
        """What a new store holds."""

    @abstractmethod
    def open_store(self, state: dict[str, Any]) -> S:
        """A new store that holds this state."""

    @abstractmethod
    def state_of(self, store: S) -> dict[str, Any]:
        """What a store holds, as JSON."""

    @abstractmethod
    def twin(self) -> Self:
        """A new policy with the same options, for `copy`."""

    def dump(self) -> dict[str, Any]:
        return dict(self.state)

    def load(self, state: dict[str, Any]) -> None:
        if state != self.state:
            self.replace_state(state)

    def replace_state(self, state: dict[str, Any]) -> None:
        """Hold this from here on; a store with something else is let go."""
        self.close()
        self.state = dict(state)

    def copy(self) -> Self:
        twin = self.twin()
        twin.state = self.state
        twin._hold(self._held())
        return twin

    def close(self) -> None:
        """Let go of the store; it is built again when it is needed."""
        if self._let_go is not None:
            self._let_go()
        self._shared = None
        self._let_go = None

    def flush_history(self) -> None:
        """The store is emptied."""
        self.replace_state(self.empty_state())

    @contextmanager
    def reading(self) -> Iterator[S]:
        """The store, to look things up in; nobody else uses it meanwhile."""
        with self._held().use() as store:
            yield store

    @contextmanager
    def writing(self) -> Iterator[S]:
        """A store of this policy alone, to be changed; what it then holds is the state.

        After an error the state is what it was, and the store is let go.
        """
        if self._shared is not None and self._shared.is_shared():
            self.close()
        try:
            with self._held().use() as store:
                yield store
                state = self.state_of(store)
        except BaseException:
            self.close()
            raise
        self.state = state

    def _held(self) -> SharedStore[S]:
        """The store that this policy holds, built or not."""
        if self._shared is None:
            # Another policy builds it: the store must not keep this one from being garbage.
            build = partial(self.twin().open_store, self.state)
            self._hold(SharedStore(build))
        assert self._shared is not None
        return self._shared

    def _hold(self, shared: SharedStore[S]) -> None:
        self._shared = shared
        self._let_go = shared.take(self)
