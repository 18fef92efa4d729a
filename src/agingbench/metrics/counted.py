"""Rare hits beyond what was expected, on a scale on which chance is as large at every level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agingbench.metrics.permutation import Floats

LEAST_EXPECTED = 0.02  # share of the trials: below it, roots of rare hits say little


@dataclass(frozen=True)
class CountedHits:
    """Hits among trials, and how many hits are usual among such trials."""

    hits: Floats
    expected: Floats
    trials: Floats

    def excess(self) -> Floats:
        """Return the share of hits beyond what was expected; 0 without any trial."""
        beyond = (self.hits - self.expected) / np.maximum(self.trials, 1.0)
        return np.asarray(np.where(self.trials > 0, beyond, 0.0))

    def beyond(self, explained: Floats | None = None) -> Floats:
        """Return the root of the share of hits minus the root of the share that was expected.

        The variance of a count grows with the count; that of its root does not (Anscombe).
        `explained` is a share of the trials, more or less, that is to be expected too.
        """
        trials = np.maximum(self.trials, 1.0)
        expected = self.expected
        if explained is not None:
            expected = expected + self.trials * explained

        expected = np.maximum(expected, LEAST_EXPECTED * self.trials)
        roots = np.sqrt((self.hits + 3 / 8) / trials)
        usual = np.sqrt((expected + 1 / 8) / trials)
        return np.asarray(np.where(self.trials > 0, roots - usual, 0.0))
