"""The one canonical form of JSON data and its hash: equal evidence has equal bytes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from agingbench.errors import InputError


def canonical_json(obj: Any) -> bytes:
    """JSON with sorted keys, compact, in UTF-8, with finite numbers only; raises InputError for
    what has no such form.
    """
    try:
        # Keys that are not strings sort differently once they have been written, so the sorting is
        # done on what a reader of the file would see.
        plain = json.loads(json.dumps(obj, allow_nan=False))
        text = json.dumps(
            plain,
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
            allow_nan=False,
        )

        return text.encode()
    except UnicodeEncodeError as error:
        raise InputError("no canonical JSON form: text with a lone surrogate") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"no canonical JSON form: {error}") from error


def content_hash(obj: Any) -> str:
    """SHA-256, in hex, of the canonical form."""
    return hashlib.sha256(canonical_json(obj)).hexdigest()
