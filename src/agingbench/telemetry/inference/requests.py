"""What was asked for, as numbers per request, and what it explains of a value.

The effect of requests is estimated from contrasts within sessions alone. Whatever drifts over
sessions, agent or work, cannot enter it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agingbench.metrics.permutation import Floats
from agingbench.metrics.trend import precision_weights
from agingbench.telemetry.sessions.aggregates import TraceSession, UserTurn
from agingbench.telemetry.sessions.entities import has_locator
from agingbench.telemetry.signals.user_turns import corrects

MOST_WORDS = 150
LEAST_SESSIONS = 3  # that a word has to occur in
LEAST_SHARE = 0.01  # of the requests
LEAST_DF = 2.0  # effective degrees of freedom below which requests explain nothing
LEAST_TURNS = 20  # that stand beside others of their session
PENALTIES = np.geomspace(0.1, 1000.0, 13)  # in units of the mean eigenvalue
CAUTION = 1.15  # how much a degree of freedom counts in generalised cross-validation
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True)
class TurnValues:
    """One value (or several parts) per request, and the number of observations behind it."""

    values: Floats  # requests × parts
    counts: Floats


@dataclass(frozen=True)
class Requests:
    """The requests of a trace: the session of each, and its features."""

    n_sessions: int
    turns: list[UserTurn]
    session: NDArray[np.intp]
    features: Floats  # requests × features; a complaint has none
    words: list[str]
    asks: NDArray[np.bool_]  # whether a turn asks for something: complaints do not

    def explained(self, given: TurnValues) -> Floats:
        """Return sessions × parts: what the requests of each session explain, around 0."""
        return self.explained_in(given, self.session, self.n_sessions)

    def explained_in(self, given: TurnValues, group: NDArray[np.intp], n: int) -> Floats:
        """Return groups × parts: what the requests of each group explain, around 0.

        `group` gives the group of every request, below 0 for one that is in none.
        """
        parts = given.values.shape[1]
        result = np.zeros((n, parts))
        beta = self._effects(given.values, precision_weights(given.counts))
        if beta is None:
            return result

        counts = np.where(group >= 0, given.counts, 0.0)
        place = np.maximum(group, 0)
        per_turn = self.features @ beta
        total = np.bincount(place, weights=counts, minlength=n)
        np.add.at(result, place, counts[:, None] * per_turn)
        result /= np.maximum(total, 1e-9)[:, None]

        has_any = total > 0
        if has_any.any():
            result[has_any] -= result[has_any].mean(axis=0)
        return np.asarray(np.where(has_any[:, None], result, 0.0))

    def _effects(self, values: Floats, weight: Floats) -> Floats | None:
        """Return features × parts by weighted ridge within sessions; None where nothing is said."""
        if not self.features.shape[1]:
            return None

        x = self._within_sessions(self.features, weight)
        y = self._within_sessions(values, weight)
        in_company = self._in_company(weight)
        n = int(in_company.sum())
        if n < LEAST_TURNS:
            return None

        root = np.sqrt(weight)[:, None]
        x = (x * root)[in_company]
        y = (y * root)[in_company]

        eigenvalues, axes = np.linalg.eigh(x.T @ x)
        eigenvalues = np.maximum(eigenvalues, 0.0)
        moments = axes.T @ (x.T @ y)
        squares = float((y * y).sum())
        if eigenvalues.max() < 1e-9 or squares < 1e-12:
            return None

        sessions = len(np.unique(self.session[weight > 0]))
        free = n - sessions
        best = squares / max(1.0, free)  # the error without any effect
        chosen: float | None = None
        level = eigenvalues.mean()

        for penalty in PENALTIES * level:
            shrunk = eigenvalues / (eigenvalues + penalty)
            df = float(shrunk.sum())
            if df < LEAST_DF or CAUTION * df >= 0.9 * free:
                continue

            # ‖y − Xβ‖² from the moments alone.
            gain = (2 - shrunk) / (eigenvalues + penalty)
            residual = squares - float((gain[:, None] * moments * moments).sum())
            error = residual * free / (free - CAUTION * df) ** 2
            if error < best:
                best = error
                chosen = float(penalty)

        if chosen is None:
            return None

        return np.asarray(axes @ (moments / (eigenvalues + chosen)[:, None]))

    def _in_company(self, weight: Floats) -> NDArray[np.bool_]:
        """Return which requests stand beside others of their session: only those contrast."""
        weighted = weight > 0
        per_session = np.bincount(self.session[weighted], minlength=self.n_sessions)
        return np.asarray(weighted & (per_session[self.session] >= 2))

    def _within_sessions(self, values: Floats, weight: Floats) -> Floats:
        """Return the values minus the weighted mean of their session."""
        total = np.bincount(self.session, weights=weight, minlength=self.n_sessions)
        sums = np.zeros((self.n_sessions, values.shape[1]))
        np.add.at(sums, self.session, weight[:, None] * values)
        means = sums / np.maximum(total, 1e-12)[:, None]
        return np.asarray(values - means[self.session])

    def session_means(self) -> tuple[Floats, NDArray[np.bool_]]:
        """Return sessions × features over the turns that ask, and which sessions have any."""
        count = np.bincount(self.session[self.asks], minlength=self.n_sessions)
        sums = np.zeros((self.n_sessions, self.features.shape[1]))
        np.add.at(sums, self.session[self.asks], self.features[self.asks])
        means = sums / np.maximum(count, 1)[:, None]
        return means, count > 0


def read_requests(sessions: Sequence[TraceSession]) -> Requests:
    """Return the requests of a trace with their features: words, length, whether a path is named.

    The last two features are always length and path. A complaint is an outcome and no request, so
    that it has no features.
    """
    turns: list[UserTurn] = []
    places: list[int] = []
    for place, session in enumerate(sessions):
        turns.extend(session.turns)
        places.extend([place] * len(session.turns))

    asks = np.array([not (corrects(turn) or turn.asked_again) for turn in turns], dtype=bool)
    session_of = np.array(places, dtype=np.intp)
    n_sessions = len(sessions)
    if not asks.any():
        nothing = np.zeros((len(turns), 0))
        return Requests(n_sessions, turns, session_of, nothing, [], asks)

    words, table = _word_table(turns, places, asks)
    length = np.array([math.log1p(turn.length) for turn in turns])
    path = np.array([float(has_locator(turn.text)) for turn in turns])
    columns = [table, _scaled(length, asks)[:, None], _scaled(path, asks)[:, None]]
    features = np.concatenate(columns, axis=1)
    features[~asks] = 0.0

    return Requests(n_sessions, turns, session_of, features, words, asks)


def _scaled(values: Floats, asks: NDArray[np.bool_]) -> Floats:
    """Return values around 0 with a spread like that of a word."""
    own = values[asks]
    spread = float(own.std())
    if spread < 1e-9:
        return np.zeros_like(values)
    return np.asarray(0.3 * (values - own.mean()) / spread)


def _word_table(
    turns: Sequence[UserTurn], places: Sequence[int], asks: NDArray[np.bool_]
) -> tuple[list[str], Floats]:
    """Return the words that count, and requests × words, each row of length 1."""
    sets: list[set[str]] = []
    in_turns: Counter[str] = Counter()
    in_sessions: dict[str, set[int]] = {}

    for turn, place, asking in zip(turns, places, asks, strict=True):
        words = set(_WORD.findall(turn.text.casefold())) if asking else set()
        sets.append(words)
        in_turns.update(words)
        for word in words:
            in_sessions.setdefault(word, set()).add(place)

    n = int(asks.sum())
    usable = []
    for word, count in in_turns.items():
        often = count >= max(LEAST_SESSIONS, LEAST_SHARE * n) and count < 0.9 * n
        if often and len(in_sessions[word]) >= LEAST_SESSIONS:
            usable.append(word)

    usable.sort(key=lambda word: (-len(in_sessions[word]), word))
    usable = sorted(usable[:MOST_WORDS])
    column = {word: i for i, word in enumerate(usable)}
    table = np.zeros((len(turns), len(usable)))

    for row, words in enumerate(sets):
        for word in words:
            place = column.get(word, -1)
            if place >= 0:
                table[row, place] = math.log(n / in_turns[word])

    length = np.sqrt((table * table).sum(axis=1, keepdims=True))
    return usable, table / np.maximum(length, 1e-9)
