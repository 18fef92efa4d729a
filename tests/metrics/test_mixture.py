"""Kinds that nobody named are told by words, and by values where words alone do not tell them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from agingbench.metrics import mixture
from agingbench.metrics.mixture import WordedValues, kind_shares
from agingbench.metrics.permutation import Floats

SESSIONS = 24
PER_SESSION = 5
WORDS_PER_KIND = 6
KINDS = 3
COMMON = 8  # words that say nothing


def requests(seed: int, drift: float = 0.0) -> tuple[WordedValues, NDArray[np.int64]]:
    """Return requests of three kinds, two words of a kind each, and the kind of each request."""
    rng = np.random.default_rng(seed)
    n = SESSIONS * PER_SESSION
    session = np.repeat(np.arange(SESSIONS), PER_SESSION)
    kind = rng.integers(KINDS, size=n)
    words = np.zeros((n, KINDS * WORDS_PER_KIND + COMMON))
    for row in range(n):
        own = rng.choice(WORDS_PER_KIND, 2, replace=False) + WORDS_PER_KIND * kind[row]
        words[row, own] = 1
        words[row, KINDS * WORDS_PER_KIND + rng.integers(COMMON, size=3)] = 1

    centres = np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]])
    values = centres[kind] + rng.normal(0, 0.1, (n, 3))
    values += drift * session[:, None] / SESSIONS * np.array([1.0, -1.0, 0.0])
    return WordedValues(words, values, np.full(n, 0.7), session, SESSIONS), kind


def explained(shares: Floats, kind: NDArray[np.int64]) -> float:
    """Return how much of the true kinds a linear reading of the shares explains."""
    truth = np.eye(KINDS)[kind]
    truth = truth - truth.mean(axis=0)
    design = np.column_stack([np.ones(len(shares)), shares])
    rest = truth - design @ np.linalg.lstsq(design, truth, rcond=None)[0]
    return float(1 - (rest**2).sum() / (truth**2).sum())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("drift", [0.0, 0.5])
def test_words_tell_the_kind_of_a_request_that_was_not_learned_from(
    seed: int, drift: float
) -> None:
    given, kind = requests(seed, drift)
    shares = kind_shares(given, KINDS, np.random.default_rng(0))
    assert shares is not None
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(shares)))
    assert explained(shares, kind) > 0.6


def test_values_without_words_make_no_kind() -> None:
    given, kind = requests(1)
    shuffled = given.words[np.random.default_rng(2).permutation(len(given.words))]
    blind = WordedValues(shuffled, given.values, given.precision, given.session, SESSIONS)
    shares = kind_shares(blind, KINDS, np.random.default_rng(0))
    assert shares is not None
    assert explained(shares, kind) < 0.15


def test_a_drift_over_sessions_is_no_kind() -> None:
    # Words do not change with time, so that what they tell does not either.
    given, _ = requests(3, drift=1.0)
    shares = kind_shares(given, KINDS, np.random.default_rng(0))
    assert shares is not None
    means = np.array([shares[given.session == s].mean(axis=0) for s in range(SESSIONS)])
    time = np.arange(SESSIONS)
    slopes = [abs(np.corrcoef(time, means[:, k])[0, 1]) for k in range(KINDS)]
    assert max(slopes) < 0.5


def test_many_requests_are_told_by_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixture, "MOST_LEARNED", 80)
    given, kind = requests(4)
    shares = kind_shares(given, KINDS, np.random.default_rng(0))
    assert shares is not None
    assert len(shares) == len(kind)
    assert explained(shares, kind) > 0.4


def test_equal_requests_and_numbers_give_equal_kinds() -> None:
    given, _ = requests(5)
    first = kind_shares(given, KINDS, np.random.default_rng(7))
    again = kind_shares(given, KINDS, np.random.default_rng(7))
    assert first is not None
    assert again is not None
    assert (first == again).all()


def test_too_few_requests_have_no_kinds() -> None:
    given, _ = requests(6)
    few = given.chosen(np.arange(3))
    assert kind_shares(few, 8, np.random.default_rng(0)) is None
