"""A judge that reads paraphrase: the sentence nearest in meaning may state a claim.

It begins as the deterministic judge does. Where that finds nothing, the figures of `nearness` are
weighed and the nearest unit counts when it passes the threshold of its component. Whether a mention
leaves a forgotten approach open is read by `branches`. Weights and thresholds stand in
`embedding.json`; `benchmarks/judge_tuning.py` set them on grades that gate nothing, for one encoder
(extra `embed`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

import msgspec
import numpy as np

from agingbench.interfaces import Judge
from agingbench.resumption.judges.branches import read_mentions
from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling
from agingbench.resumption.judges.deterministic import MENTION, DeterministicJudge, find_passages
from agingbench.resumption.judges.nearness import (
    FEATURES,
    BackgroundFacts,
    EncodedContext,
    TextUnit,
)
from agingbench.text.embedding import Encoder, load_encoder

# Part of what a gate is bound to: raise it whenever a rule here or in `nearness` changes.
REVISION = "1"
SETTINGS = "embedding.json"


class ComponentWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A logistic model over the features, and the probability from which on it is a yes."""

    intercept: float
    weights: dict[str, float]
    threshold: float

    def nearest(
        self, context: EncodedContext, claim: EpisodeClaim, background: BackgroundFacts
    ) -> tuple[TextUnit, float] | None:
        """Return the unit that most probably states the claim, and that probability.

        None when there is no candidate.
        """
        units, table = context.features(claim, background)
        if not units:
            return None
        weights = np.array([self.weights[name] for name in FEATURES])
        logits = table @ weights + self.intercept
        best = int(np.argmax(logits))
        probability = float(1 / (1 + np.exp(-logits[best])))
        return units[best], probability


class EmbeddingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """embedding.json: the weights per component, and the encoder and grades they were set with."""

    encoder: str
    encoder_weights: str
    grades_sha256: str
    grades: int
    components: dict[str, ComponentWeights]
    background: list[str]


def load_settings() -> tuple[EmbeddingSettings, str]:
    """Return the settings that ship with the package, and the hash of their file."""
    data = (resources.files("agingbench.resumption.judges") / SETTINGS).read_bytes()
    return msgspec.json.decode(data, type=EmbeddingSettings), hashlib.sha256(data).hexdigest()


class EmbeddingJudge(Judge):
    """The judge; `identity` names its revision, encoder, encoder weights and thresholds."""

    name = "embedding"
    model: str | None = None
    withdrawn: Mapping[str, str] = {
        "forgetting": "kappa 0.31 on episodes whose facts its author did not write"
    }

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder or load_encoder()
        self._settings, digest = load_settings()
        self.tuned_on = self._settings.grades
        self._background = BackgroundFacts(self._settings.background, self._encoder)
        self.identity = (
            f"embedding/{REVISION} {self._encoder.name} weights {self._encoder.weights[:16]}"
            f" thresholds {digest[:16]}"
        )
        self._by_values = DeterministicJudge()
        # A fact to forget is asked about up to three times, and every fact of an episode on the
        # same context.
        self._encode = lru_cache(maxsize=2)(lambda text: EncodedContext(text, self._encoder))
        self._nearest_span = lru_cache(maxsize=64)(self._find_nearest_span)

    def rule(self, claim: EpisodeClaim, context: str) -> JudgeRuling:
        """Rule by values first; where nothing states the claim, by the nearest sentence."""
        if claim.component == "forgetting":
            spans = self._encode(context).spans
            mentions = find_passages(claim, context, spans, MENTION)
            if not mentions and (near := self._nearest_span(_bare_fact(claim), context)):
                mentions = [near]
            return read_mentions(claim, context, spans, mentions)

        by_values = self._by_values.rule(claim, context)
        if by_values.label == "yes" or claim.must_not:
            return by_values
        near = self._nearest_span(_bare_fact(claim), context)
        if near is None:
            return by_values
        return JudgeRuling("yes", context[slice(*near)].strip())

    def _find_nearest_span(self, claim: EpisodeClaim, text: str) -> tuple[int, int] | None:
        """Return the span of the nearest sentence or two, or None if it is not near enough."""
        component = "forgetting" if claim.component == "forgetting" else "preservation"
        weights = self._settings.components[component]
        context = self._encode(text)
        nearest = weights.nearest(context, claim, self._background)
        if nearest is None:
            return None
        unit, probability = nearest
        if probability < weights.threshold:
            return None
        return context.spans[unit.first][0], context.spans[unit.last][1]


def _bare_fact(claim: EpisodeClaim) -> EpisodeClaim:
    # The question about a fact has no part in finding it.
    return msgspec.structs.replace(claim, question="", named_dead=(), must_not=())
