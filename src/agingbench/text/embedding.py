"""Nearness in meaning: sentence vectors of a small encoder, and a guard on what vectors cannot tell
apart.

The encoder is optional (extra `embed`) and never reaches for the network. Cosines of different
encoders do not compare, so a threshold belongs to one encoder: keep its `name` and `weights` beside
it.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import logging
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from agingbench.errors import InputError, MissingExtra
from agingbench.text.matching import numbers
from agingbench.text.wording import sentences, stem, words

PACKAGE = "wordllama"
CONFIG = "l2_supercat"
DIMENSIONS = 256

_loading = threading.Lock()
_encoder: Encoder | None = None


class Encoder(Protocol):
    """Texts to vectors. A text without a single token has the zero vector: it is near to nothing.

    `encode` gives unit rows. `sums` gives them before they are scaled, the sum over the tokens of a
    text: words that say much are long vectors there, words that say little short ones, and sums of
    parts make up the whole.
    """

    name: str
    weights: str

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]: ...
    def sums(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


def available() -> bool:
    """Is the encoder's package installed?"""
    return importlib.util.find_spec(PACKAGE) is not None


def load_encoder() -> Encoder:
    """The encoder of the extra `embed`, loaded once per process; raises MissingExtra without it."""
    global _encoder
    with _loading:
        if _encoder is None:
            _encoder = _WordLlama()
        return _encoder


class _WordLlama:
    """Averages static token vectors; a text's vector does not depend on the texts beside it."""

    def __init__(self) -> None:
        if not available():
            raise MissingExtra("sentence similarity", "embed")
        try:
            with _own_logging():
                package = importlib.import_module(PACKAGE)
                folder = Path(str(package.__file__)).parent
                # Without its own folder as the cache it looks for the tokenizer in a place the
                # wheel does not have.
                model = package.WordLlama.load(
                    CONFIG, cache_dir=folder, dim=DIMENSIONS, disable_download=True
                )
        except (ImportError, OSError, AttributeError, ValueError) as error:
            raise InputError(
                f"the package {PACKAGE} is installed but cannot be used ({type(error).__name__}:"
                f" {error}); install it again with: pip install --force-reinstall"
                " 'agingbench[embed]'"
            ) from error
        self.name = f"{PACKAGE}/{CONFIG}_{DIMENSIONS}"
        self._tokenizer: Any = model.tokenizer
        self._tokenizer.no_padding()
        self._vectors: NDArray[np.float32] = model.embedding
        tokens = sorted(self._tokenizer.get_vocab().items())
        vocabulary = "\n".join(f"{token} {at}" for token, at in tokens)
        self.weights = hashlib.sha256(self._vectors.tobytes() + vocabulary.encode()).hexdigest()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = self.sums(texts)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(lengths > 0, lengths, 1)
        return vectors

    def sums(self, texts: Sequence[str]) -> NDArray[np.float32]:
        sums = np.zeros((len(texts), self._vectors.shape[1]), dtype=np.float32)
        for at, text in enumerate(texts):
            # One by one: the batch call starts threads, which a later fork of the process would
            # trip over.
            ids = self._tokenizer.encode(text, add_special_tokens=False).ids
            if ids:
                rows = np.minimum(ids, len(self._vectors) - 1)
                sums[at] = self._vectors[rows].sum(axis=0)
        return sums


@contextmanager
def _own_logging() -> Iterator[None]:
    """Restore the root logger afterwards: the package configures it on import."""
    root = logging.getLogger()
    handlers = list(root.handlers)
    level = root.level
    try:
        yield
    finally:
        for handler in list(root.handlers):
            if handler not in handlers:
                root.removeHandler(handler)
        root.setLevel(level)


# -- the guard

_QUOTED = re.compile(
    r"`([^`\n]{1,80})`|\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|(?<!\w)'([^'\n]{1,80})'(?!\w)"
)
_CHUNK = re.compile(r"[\w.@/~-]+")
# app.py, max_retries, camelCase, a/b
_NAME = re.compile(r"\w\.[A-Za-z_]|[A-Za-z0-9]_[A-Za-z0-9]|[a-z0-9][A-Z]|/\w")
_PROPER = re.compile(r"\b[A-Z][A-Za-z]+\b")
_FIRST_WORD = re.compile(r"\W*\w+")  # its capital says nothing
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE
)
_OPPOSITES = tuple(
    (frozenset(stem(w) for w in a.split()), frozenset(stem(w) for w in b.split()))
    for a, b in (
        (
            "add added adding create insert install include",
            "remove removed removing delete drop uninstall exclude",
        ),
        ("enable enabled activate allow", "disable disabled deactivate forbid deny block"),
        ("start open begin launch", "stop close end shutdown"),
        ("increase raise upgrade expand grow", "decrease lower downgrade shrink reduce"),
        ("staging", "production prod"),
        ("accept approve", "reject refuse"),
        ("encrypt encode compress", "decrypt decode decompress"),
        ("import upload push", "export download pull"),
        ("show", "hide"),
        ("lock", "unlock"),
        ("merge join", "split separate"),
        ("minimum min", "maximum max"),
    )
)
_DIRECTIONS = frozenset(word for pair in _OPPOSITES for side in pair for word in side)


class Marks(NamedTuple):
    """What two texts must agree on to mean the same, however near their vectors are."""

    numbers: frozenset[tuple[float, str | None]]
    names: frozenset[str]
    negated: bool
    stems: frozenset[str]


def code_name(chunk: str) -> str | None:
    """The path, dotted, snake_case or camelCase name that a run of such characters is, or None."""
    name = chunk.strip(".-@~")
    if name.casefold() in ("e.g", "i.e") or not _NAME.search(name):
        return None
    return name


@lru_cache(maxsize=16384)
def marks(text: str) -> Marks:
    """The numbers, names (quoted, code, paths, capitalised), negation and words of opposite meaning
    in a text.
    """
    names: set[str] = set()
    for groups in _QUOTED.findall(text):
        names.add(next(filter(None, groups)))
    for chunk in _CHUNK.findall(text):
        name = code_name(chunk)
        if name is not None:
            names.add(name)
    for sentence in sentences(text):
        names.update(_PROPER.findall(_FIRST_WORD.sub("", sentence, count=1)))

    quantities = numbers(text)
    stems = frozenset(stem(word) for word in words(text))
    return Marks(
        numbers=frozenset((quantity.value, quantity.unit) for quantity in quantities),
        names=frozenset(name.strip(" .,:;").casefold() for name in names),
        negated=_NEGATION.search(text) is not None,
        stems=stems & _DIRECTIONS,
    )


def difference(first: str | Marks, second: str | Marks) -> str | None:
    """Why the two cannot mean the same: numbers, names, negation or opposites; None if they can.

    What only one of them gives is no difference: "the budget" may be "the budget of $309", but $450
    is not $309.
    """
    a = marks(first) if isinstance(first, str) else first
    b = marks(second) if isinstance(second, str) else second
    if not (_within(_amounts(a), _amounts(b)) and _same_units(a, b)):
        return "numbers"
    if not _within(a.names, b.names):
        return "names"
    if a.negated != b.negated:
        return "negation"
    for one, other in _OPPOSITES:
        opposed = a.stems & one and b.stems & other
        crossed = a.stems & other and b.stems & one
        if opposed and not (a.stems & other or b.stems & one):
            return "opposites"
        if crossed and not (a.stems & one or b.stems & other):
            return "opposites"
    return None


def same_figures(first: str | Marks, second: str | Marks) -> bool:
    """Do the two agree in numbers, names, negation and direction? The encoder judges the rest."""
    return difference(first, second) is None


def _within(a: frozenset[Any], b: frozenset[Any]) -> bool:
    return a <= b or b <= a


def _amounts(text: Marks) -> frozenset[float]:
    return frozenset(value for value, _ in text.numbers)


def _same_units(a: Marks, b: Marks) -> bool:
    for amount in _amounts(a) & _amounts(b):
        units_a = {unit for value, unit in a.numbers if value == amount and unit}
        units_b = {unit for value, unit in b.numbers if value == amount and unit}
        if units_a and units_b and not units_a & units_b:
            return False
    return True
