"""zip files packed with zstd, as Inspect writes its logs; Python itself reads them from 3.14."""

from __future__ import annotations

import importlib
import sys
import zipfile
from collections.abc import Iterable
from typing import IO, cast

METHOD = 93  # of zip: zstd
_BACKPORT = "backports.zstd"


def needs_zstd(members: Iterable[zipfile.ZipInfo]) -> bool:
    """Whether a member is packed in a way that Python's own zipfile cannot unpack yet."""
    if sys.version_info >= (3, 14):
        return False
    return any(member.compress_type == METHOD for member in members)


def open_zstd(stream: IO[bytes]) -> zipfile.ZipFile | None:
    """The archive opened by the backport of Python 3.14's zipfile; None where it is missing."""
    try:
        backport = importlib.import_module(f"{_BACKPORT}.zipfile")
    except ImportError:
        return None

    # Another class of the same make: it has every member of the standard one.
    return cast(zipfile.ZipFile, backport.ZipFile(stream))


def zstd_errors() -> tuple[type[Exception], ...]:
    """What the backport raises for a broken member; nothing before it was needed."""
    backport = sys.modules.get(f"{_BACKPORT}.zipfile")
    if backport is None:
        return ()

    zstd = importlib.import_module(_BACKPORT)
    return backport.BadZipFile, zstd.ZstdError
