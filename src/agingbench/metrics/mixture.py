"""Kinds that nobody named: requests that are worded alike and lead to like values.

A mixture is learned from words and values together. Words alone then tell the kind of a request, by
a mixture that did not see its session.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.permutation import Floats

ROUNDS = 15  # of learning; later ones hardly change a kind
FOLDS = 24  # groups of sessions that are left out in turn
MOST_LEARNED = 2_000  # requests that a mixture is learned from; more would not change it
BACKGROUND = 30.0  # words that every kind has of all requests: a rare word is no kind
POOLED = 0.5  # how much the noise of all parts counts, against a part's own
TINY = 1e-9


@dataclass(frozen=True)
class WordedValues:
    """One row per request: its words (0 or 1), its values, and how precise these are (0 to 1)."""

    words: Floats
    values: Floats  # requests × parts
    precision: Floats
    session: NDArray[np.intp]
    n_sessions: int

    def chosen(self, rows: NDArray[np.intp]) -> WordedValues:
        """Return some of the requests."""
        return WordedValues(
            self.words[rows],
            self.values[rows],
            self.precision[rows],
            self.session[rows],
            self.n_sessions,
        )

    def session_means(self, values: Floats) -> Floats:
        """Return the weighted mean of each session, for each of its requests."""
        total = np.bincount(self.session, weights=self.precision, minlength=self.n_sessions)
        sums = np.zeros((self.n_sessions, values.shape[1]))
        np.add.at(sums, self.session, self.precision[:, None] * values)
        means = sums / np.maximum(total, TINY)[:, None]
        return np.asarray(means[self.session])


def kind_shares(requests: WordedValues, n_kinds: int, rng: np.random.Generator) -> Floats | None:
    """Return requests × kinds: how likely each kind is by the words; None where there are too few.

    Values enter as contrasts within sessions only, so that no drift over sessions makes a kind.
    """
    n = len(requests.words)
    rows = np.arange(n)
    if n > MOST_LEARNED:
        rows = np.sort(rng.choice(n, MOST_LEARNED, replace=False))
    sample = requests.chosen(rows)

    common = sample.words.sum(axis=0) + 0.5
    common = common / common.sum()
    learned = _learn(sample, n_kinds, common, rng)
    if learned is None:
        return None

    belongs, shares = learned
    words_of_kinds = belongs.T @ sample.words
    fold_of_session = rng.permutation(requests.n_sessions) % FOLDS
    fold = fold_of_session[requests.session]
    sample_fold = fold[rows]
    result = np.zeros((n, n_kinds))

    for one in np.unique(fold):
        seen = sample_fold == one
        others = words_of_kinds - belongs[seen].T @ sample.words[seen]
        log_words = _log_words(others, common)
        own = fold == one
        result[own] = _normalised(np.log(shares) + requests.words[own] @ log_words.T)

    return result


def _learn(
    requests: WordedValues, n_kinds: int, common: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats] | None:
    """Return how much each request belongs to each kind, and how large the kinds are."""
    values = requests.values
    precision = requests.precision
    level = requests.session_means(values)
    centres = _first_centres(values - level, precision, n_kinds, rng)
    if centres is None:
        return None

    parts = values.shape[1]
    free = (parts - 1) / parts if parts > 1 else 1.0  # shares sum to one
    spread = (values - level).var(axis=0).mean() / 2 + TINY
    variance = np.full(parts, spread)
    log_words = np.zeros((n_kinds, requests.words.shape[1]))
    shares = np.full(n_kinds, 1 / n_kinds)
    belongs = np.zeros((len(values), n_kinds))

    for _ in range(ROUNDS):
        apart = (values - level)[:, None, :] - centres[None]
        fit = -0.5 * free * precision[:, None] * (apart * apart / variance).sum(axis=2)
        belongs = _normalised(np.log(shares) + fit + requests.words @ log_words.T)

        size = belongs.sum(axis=0)
        shares = (size + 1) / (size.sum() + n_kinds)
        log_words = _log_words(belongs.T @ requests.words, common)

        weight = belongs * precision[:, None]
        centres = (weight.T @ (values - level)) / (weight.sum(axis=0)[:, None] + 1.0)
        level = requests.session_means(values - belongs @ centres)
        apart = (values - level)[:, None, :] - centres[None]
        own = (weight[:, :, None] * apart * apart).sum(axis=(0, 1)) / max(1.0, weight.sum())
        variance = (1 - POOLED) * own + POOLED * own.mean() + TINY

    return belongs, shares


def _first_centres(
    contrasts: Floats, precision: Floats, n_kinds: int, rng: np.random.Generator
) -> Floats | None:
    """Return contrasts of requests that lie far apart, drawn one after the other."""
    precise = np.flatnonzero(precision >= np.median(precision))
    if len(precise) < n_kinds:
        return None

    candidates = contrasts[precise]
    chosen = [int(rng.integers(len(precise)))]
    for _ in range(n_kinds - 1):
        apart = candidates[:, None, :] - candidates[chosen][None]
        distance = (apart * apart).sum(axis=2).min(axis=1) + TINY
        chosen.append(int(rng.choice(len(precise), p=distance / distance.sum())))

    return np.asarray(candidates[chosen])


def _log_words(counts: Floats, common: Floats) -> Floats:
    """Return kinds × words: how much likelier a word is in a kind than in all requests."""
    total = counts.sum(axis=1, keepdims=True)
    likely = (counts + BACKGROUND * common) / (total + BACKGROUND)
    return np.asarray(np.log(likely / common))


def _normalised(log_likely: Floats) -> Floats:
    """Return rows that sum to one."""
    likely = np.exp(log_likely - log_likely.max(axis=1, keepdims=True))
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))
