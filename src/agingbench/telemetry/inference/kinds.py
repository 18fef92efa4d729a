"""Kinds of work: requests that are worded alike and take like tools.

A word says little by itself, since each occurs in a handful of requests. Of kinds there are a few,
so that what each explains can be told from a month of sessions.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agingbench.metrics.mixture import WordedValues, kind_shares
from agingbench.telemetry.inference.requests import Requests
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.tool_mix import request_shares, tool_shares

# How many kinds there are is not known: several mixtures say more than one.
NUMBERS = (3, 4, 5, 6, 7, 8)
REQUESTS_PER_KIND = 8
HALF_PRECISE = 4.0  # calls after which the tools of a request tell half of what they can


def by_kinds(requests: Requests, trace: TraceSessions, rng: np.random.Generator) -> Requests:
    """Return the requests with kinds of work as features in place of words."""
    n_words = len(requests.words)
    _, _, names = tool_shares(trace)
    values, calls = request_shares(trace, names)
    words = (requests.features[:, :n_words] > 0).astype(np.float64)
    worded = requests.asks & (words.sum(axis=1) > 0)
    if not worded.any() or len(names) < 2:
        return requests

    precision = calls / (calls + HALF_PRECISE)
    given = WordedValues(
        words[worded],
        values[worded],
        precision[worded],
        requests.session[worded],
        requests.n_sessions,
    )
    tables = []
    for number in NUMBERS:
        if number * REQUESTS_PER_KIND > len(given.words):
            break
        shares = kind_shares(given, number, rng)
        if shares is not None:
            tables.append(shares - shares.mean(axis=0))

    if not tables:
        return requests

    kinds = np.concatenate(tables, axis=1) / np.sqrt(len(tables))
    features = np.zeros((len(worded), kinds.shape[1]))
    features[worded] = kinds
    others = requests.features[:, n_words:]  # length, and whether a path is named
    return replace(requests, features=np.concatenate([features, others], axis=1))
