"""Sessions that rest while others are read: packed in blocks, and woken when they go on.

A trace may have a million sessions that hold little. As objects each takes kilobytes; packed it
takes about a hundred bytes.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import msgspec

from agingbench.telemetry.sessions.aggregates import TraceSession
from agingbench.traces.name_table import NameTable

FASTEST = 1  # of the levels of zlib


class RestingSessions:
    """Blocks of packed sessions, found by the names of those in them."""

    def __init__(self) -> None:
        self._blocks: dict[int, bytes] = {}
        self._block_of = NameTable()
        self._count = 0  # blocks so far, woken ones included
        self._encoder = msgspec.msgpack.Encoder(enc_hook=_pack)

    def __contains__(self, name: str) -> bool:
        return self._block_of.get(name) is not None

    def rest(self, sessions: Sequence[TraceSession]) -> bool:
        """Pack sessions; return whether they could be packed, otherwise nothing has changed."""
        shared = [session for session in sessions if _untie(session)]
        try:
            data = self._encoder.encode(sessions)
            _decoder().decode(data)
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError):
            # Such as half a surrogate pair: what cannot be packed stays as it is.
            for session in shared:
                _tie(session)
            return False

        number = self._count
        self._count += 1
        self._blocks[number] = zlib.compress(data, FASTEST)
        for session in sessions:
            self._block_of.put(session.id, number)
        return True

    def wake(self, name: str) -> list[TraceSession]:
        """Return the session of a name with all that were packed with it; nothing without one."""
        number = self._block_of.get(name)
        if number is None:
            return []

        sessions = self._unpacked(self._blocks.pop(number))
        for session in sessions:
            self._block_of.drop(session.id)
        return sessions

    def all(self) -> Iterator[TraceSession]:
        """Yield every session in the order of packing; what was yielded is no longer here."""
        self._block_of = NameTable()
        for number in list(self._blocks):
            yield from self._unpacked(self._blocks.pop(number))

    def _unpacked(self, block: bytes) -> list[TraceSession]:
        sessions = _decoder().decode(zlib.decompress(block))
        for session in sessions:
            if session.reading.turn_is_last:
                _tie(session)
        return sessions


@cache
def _decoder() -> msgspec.msgpack.Decoder[list[TraceSession]]:
    """Made where a session first rests: most traces have too few for that."""
    return msgspec.msgpack.Decoder(list[TraceSession], dec_hook=_unpack)


def _untie(session: TraceSession) -> bool:
    """Let the current turn be told by the last one kept, where it is the same object."""
    reading = session.reading
    reading.turn_is_last = bool(session.turns) and session.turns[-1] is reading.turn
    if reading.turn_is_last:
        reading.turn = None
    return reading.turn_is_last


def _tie(session: TraceSession) -> None:
    session.reading.turn = session.turns[-1]
    session.reading.turn_is_last = False


def _pack(value: Any) -> bytes:
    if isinstance(value, array):
        return value.tobytes()
    raise TypeError(f"cannot pack {type(value).__name__}")


def _unpack(kind: type, value: Any) -> array[int]:
    return array("i", value)
