"""A judge that reads paraphrase: what no passage states by its values, the nearest sentence in
meaning may state.

It begins as the deterministic judge does. Where that finds nothing, the figures of `nearness` are
weighed and the unit that comes nearest counts when it passes the threshold of its component.
Whether a mention leaves a forgotten approach open is read by `branches`, as for every mention.
Weights and thresholds stand in `embedding.json`; they were set by `benchmarks/judge_tuning.py` on
grades that gate nothing, for one encoder (extra `embed`).
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib import resources

import msgspec
import numpy as np

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

REVISION = (  # part of what a gate is bound to: raise it whenever a rule here or in `nearness` changes
    "1"
)
SETTINGS = "embedding.json"


class ComponentWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the figures of one component are weighed: a logistic model and the probability from which
    on it is a yes.
    """

    intercept: float
    weights: dict[str, float]
    threshold: float

    def nearest(
        self, context: EncodedContext, claim: EpisodeClaim, background: BackgroundFacts
    ) -> tuple[TextUnit, float] | None:
        """The unit that most probably states the claim, with that probability; None when there is
        no candidate.
        """
        units, table = context.features(claim, background)
        if not units:
            return None
        logits = table @ np.array([self.weights[name] for name in FEATURES]) + self.intercept
        at = int(np.argmax(logits))
        return units[at], float(1 / (1 + np.exp(-logits[at])))


class EmbeddingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`embedding.json`: for which encoder, on which grades, and what came of it per component."""

    encoder: str
    encoder_weights: str
    grades_sha256: str
    grades: int
    components: dict[str, ComponentWeights]
    background: list[str]


def load_settings() -> tuple[EmbeddingSettings, str]:
    """Weights and thresholds as they ship, and the hash of their file."""
    data = (resources.files("agingbench.resumption.judges") / SETTINGS).read_bytes()
    return msgspec.json.decode(data, type=EmbeddingSettings), hashlib.sha256(data).hexdigest()


class EmbeddingJudge:
    """The judge. `identity` names what a gate is bound to: revision, encoder, its weights, and the
    thresholds.
    """

    name = "embedding"
    model: str | None = None

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder or load_encoder()
        self._tuned, digest = load_settings()
        self.tuned_on = self._tuned.grades
        self._background = BackgroundFacts(self._tuned.background, self._encoder)
        self.identity = (
            f"embedding/{REVISION} {self._encoder.name} weights {self._encoder.weights[:16]}"
            f" thresholds {digest[:16]}"
        )
        self._values = DeterministicJudge()
        # A fact to forget is asked about up to three times, and every fact of an episode on the
        # same context.
        self._context = lru_cache(maxsize=2)(lambda text: EncodedContext(text, self._encoder))
        self._near = lru_cache(maxsize=64)(self._find)

    def rule(self, claim: EpisodeClaim, context: str) -> JudgeRuling:
        if claim.component == "forgetting":
            return self._forgotten(claim, context)
        by_value = self._values.rule(claim, context)
        if by_value.label == "yes" or claim.must_not:
            return by_value
        near = self._near(_fact(claim), context)
        return JudgeRuling("yes", context[slice(*near)].strip()) if near else by_value

    def _forgotten(self, claim: EpisodeClaim, context: str) -> JudgeRuling:
        ready = self._context(context)
        mentions = find_passages(claim, context, ready.spans, MENTION)
        if not mentions and (near := self._near(_fact(claim), context)):
            mentions = [near]
        return read_mentions(claim, context, ready.spans, mentions)

    def _find(self, claim: EpisodeClaim, text: str) -> tuple[int, int] | None:
        """The span of the nearest sentence or two, if it is near enough."""
        weighing = self._tuned.components[
            "forgetting" if claim.component == "forgetting" else "preservation"
        ]
        context = self._context(text)
        found = weighing.nearest(context, claim, self._background)
        if found is None or found[1] < weighing.threshold:
            return None
        return context.spans[found[0].first][0], context.spans[found[0].last][1]


def _fact(claim: EpisodeClaim) -> EpisodeClaim:
    # What is asked about the fact has no part in finding it.
    return msgspec.structs.replace(claim, question="", named_dead=(), must_not=())
