"""How weights and thresholds of the judge `embedding` are set: on the tuning grades of the public
set, nothing else.

    python benchmarks/judge_tuning.py            fit, say what cross-validation shows, compare with what ships
    python benchmarks/judge_tuning.py --write    and store it as the judge's settings

Per component a logistic model is fitted to the figures of the nearest unit. Besides the graded
notes it sees what follows from them: a note among others that leave the fact out states what it
states alone (others of its own episode, or of other traces), and a sentence of a note that leaves a
fact out leaves it out as well. The threshold is the lowest one with at most one false alarm in ten,
in every kind of example, when each trace is judged by a model that did not see it; facts with
figures (dates, numbers) are left out of the choice, since their figures decide them. Grades of the
gate and the held-out paraphrases are not opened here.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from agingbench.interfaces import Judge
from agingbench.resumption.calibration.grades import Grade, graded_item, load_tuning, tuning_file
from agingbench.resumption.episodes.benchmark_folder import BenchmarkFolder, packaged_set
from agingbench.resumption.episodes.episode import (
    ContinuationCheck,
    Episode,
    EpisodeFact,
    TraceRef,
    load_episodes,
)
from agingbench.resumption.judges import embedding
from agingbench.resumption.judges.claim import EpisodeClaim, JudgeRuling
from agingbench.resumption.judges.embedding import (
    ComponentWeights,
    EmbeddingSettings,
    load_settings,
)
from agingbench.resumption.judges.nearness import FEATURES, BackgroundFacts, EncodedContext
from agingbench.resumption.judges.verdict import judge_item
from agingbench.text.embedding import Encoder, load_encoder
from agingbench.text.wording import sentences

COMPONENTS = ("preservation", "forgetting")
# Kinds of example: how many notes stand around the graded one, of its own episode and of other
# traces.
AMONG = {
    "alone": (0, 0),
    "among 2 of its own": (2, 0),
    "among 4 of its own": (4, 0),
    "among 15 others": (0, 15),
}
SENTENCE = "sentence"
RIDGE = 0.1
FALSE_ALARMS = 0.1
ROUNDS = 5  # the nearest unit depends on the weights, so both are found in turns
Floats = NDArray[np.float64]


class Example(NamedTuple):
    """A fact, a text, and whether the text states it; the figures are those of the text's units."""

    family: str
    kind: str
    figures: bool
    stated: bool
    table: Floats


class Note(NamedTuple):
    text: str
    stated: dict[tuple[str, str], bool]  # (component, item)


# -----------------------------------------------------------------------------------------------------
# examples


def families(episodes: Sequence[Episode]) -> dict[str, str]:
    """Episodes of one trace belong together: they share facts."""
    where = {e.id: e.partial_trajectory for e in episodes}
    return {name: part.path if isinstance(part, TraceRef) else name for name, part in where.items()}


def notes_of(grades: Sequence[Grade]) -> dict[str, list[Note]]:
    """The graded notes by episode."""
    found: dict[str, dict[str, dict[tuple[str, str], bool]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for grade in grades:
        if grade.split != "tune" or grade.context is None:
            sys.exit(
                "the file of tuning grades holds a row of another split, or one without its text"
            )
        found[grade.episode][grade.context][grade.component, grade.item] = grade.label not in (
            "no",
            "omitted",
        )
    return {
        episode: [Note(text, stated) for text, stated in notes.items()]
        for episode, notes in found.items()
    }


class _ClaimVectors(Judge):
    """A judge that keeps what it was asked."""

    claim: EpisodeClaim

    def rule(self, claim: EpisodeClaim, context: str) -> JudgeRuling:
        self.claim = claim
        return JudgeRuling("no")


def claim_of(item: EpisodeFact | ContinuationCheck) -> EpisodeClaim:
    """The claim as judges are asked it."""
    asked = _ClaimVectors()
    judge_item(asked, item, "any text")
    return asked.claim


class Maker:
    """Makes the examples; contexts are read once."""

    def __init__(
        self, episodes: Sequence[Episode], grades: Sequence[Grade], encoder: Encoder
    ) -> None:
        self.notes = notes_of(grades)
        self.family = families(episodes)
        self._encoder = encoder
        self._ready = dict[str, EncodedContext]()
        self._drawn = random.Random(0)
        by_id = {e.id: e for e in episodes}
        self._background: dict[str, BackgroundFacts] = {}
        self.claims: dict[tuple[str, str, str], EpisodeClaim] = {
            (g.component, g.episode, g.item): claim_of(graded_item(g, by_id)) for g in grades
        }

    def facts(self, without: str | None = None) -> list[str]:
        """The background: the graded facts, without those of one trace when its examples are made."""
        return [
            claim.text
            for (_, episode, _), claim in self.claims.items()
            if self.family[episode] != without
        ]

    def examples(self, component: str) -> list[Example]:
        """A note alone, the same note among others, and the sentences of notes that leave the fact
        out.
        """
        out: list[Example] = []
        for (of, episode, item), claim in self.claims.items():
            others = [
                n
                for e, notes in self.notes.items()
                if self.family[e] != self.family[episode]
                for n in notes
            ]
            for note in self.notes[episode] if of == component else []:
                stated = note.stated[component, item]
                silent = [
                    n
                    for n in self.notes[episode]
                    if n is not note and not n.stated[component, item]
                ]
                for kind, (own, foreign) in AMONG.items():
                    around = self._drawn.sample(silent, min(own, len(silent))) + self._drawn.sample(
                        others, foreign
                    )
                    around.insert(self._drawn.randint(0, len(around)), note)
                    text = "\n".join(part.text for part in around)
                    out.append(self._example(episode, kind, claim, stated, text))
                parts = sentences(note.text)
                if not stated and len(parts) > 1:
                    out += [self._example(episode, SENTENCE, claim, False, part) for part in parts]
        return out

    def _example(
        self, episode: str, kind: str, claim: EpisodeClaim, stated: bool, text: str
    ) -> Example:
        if text not in self._ready:
            self._ready[text] = EncodedContext(text, self._encoder)
        family = self.family[episode]
        if family not in self._background:
            self._background[family] = BackgroundFacts(self.facts(without=family), self._encoder)
        figures = any(all(way.kind != "name" for way in entry) for entry in claim.values)
        table = self._ready[text].features(claim, self._background[family])[1]
        return Example(family, kind, figures, stated, table)


# ------------------------------------------------------------------------------------------------------
# fitting


def nearest(example: Example, weights: Floats) -> Floats:
    """The figures of the unit that comes nearest under these weights."""
    row: Floats = example.table[int(np.argmax(example.table @ weights))]
    return row


def fit(examples: Sequence[Example]) -> Floats:
    """Intercept and weights; examples without a candidate teach nothing."""
    used = [e for e in examples if len(e.table)]
    stated = np.array([float(e.stated) for e in used])
    counts = np.array([0.5 if e.kind == SENTENCE else 1.0 for e in used])  # many of them are alike
    found = np.array([0.0, 1, 1, 0, 1, 0, 0])
    for _ in range(ROUNDS):
        rows = np.array([[1.0, *nearest(e, found[1:])] for e in used])
        found = _logistic(rows, stated, counts)
    return found


def _logistic(rows: Floats, stated: Floats, counts: Floats) -> Floats:
    ridge = RIDGE * np.eye(rows.shape[1])
    ridge[0, 0] = 0
    found: Floats = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (counts * (stated - chance)) - ridge @ found
        bend = (rows * (counts * chance * (1 - chance))[:, None]).T @ rows + ridge
        found = found + np.linalg.solve(bend, slope)
    return found


def chances(examples: Sequence[Example], found: Floats) -> Floats:
    """The probability of each example; 0 without a candidate."""
    return np.array(
        [
            (
                1 / (1 + np.exp(-(found[0] + nearest(e, found[1:]) @ found[1:])))
                if len(e.table)
                else 0.0
            )
            for e in examples
        ]
    )


def left_out(examples: Sequence[Example]) -> Floats:
    """Each example by a model that saw no example of its trace."""
    out: Floats = np.zeros(len(examples))
    for family in sorted({e.family for e in examples}):
        found = fit([e for e in examples if e.family != family])
        mine = [at for at, e in enumerate(examples) if e.family == family]
        out[mine] = chances([examples[at] for at in mine], found)
    return out


def threshold_of(examples: Sequence[Example], chance: Floats) -> float:
    """The lowest threshold at which no kind of example has more false alarms than are allowed."""
    for threshold in np.arange(0.05, 1.0, 0.05).round(2):
        shares = [
            np.mean([chance[at] >= threshold for at, e in enumerate(examples) if _silent(e, kind)])
            for kind in AMONG
        ]
        if max(shares) <= FALSE_ALARMS:
            return float(threshold)
    return 1.0


def _silent(example: Example, kind: str) -> bool:
    return example.kind == kind and not example.figures and not example.stated


def shares(
    examples: Sequence[Example], chance: Floats, threshold: float, kind: str, figures: bool
) -> str:
    """Recall and false alarms of one kind of example."""
    mine = [at for at, e in enumerate(examples) if e.kind == kind and e.figures == figures]
    parts = []
    for name, wanted in (("recall", True), ("false alarms", False)):
        said = [chance[at] >= threshold for at in mine if examples[at].stated is wanted]
        parts.append(
            f"{name} {sum(said) / len(said):.2f} of {len(said)}" if said else f"{name} of none"
        )
    return ", ".join(parts)


def same(one: EmbeddingSettings, other: EmbeddingSettings) -> bool:
    """Equal but for what another machine's arithmetic may change."""
    if msgspec.structs.replace(one, components={}) != msgspec.structs.replace(other, components={}):
        return False
    pairs = [(one.components[name], other.components[name]) for name in COMPONENTS]
    return all(
        a.threshold == b.threshold
        and np.allclose(
            [a.intercept, *a.weights.values()], [b.intercept, *b.weights.values()], atol=0.01
        )
        for a, b in pairs
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--write", action="store_true", help="store the result as the judge's settings"
    )
    write = parser.parse_args().write
    benchmark = BenchmarkFolder(packaged_set())
    encoder = load_encoder()
    grades = load_tuning(benchmark)
    maker = Maker(load_episodes(benchmark.episodes), grades, encoder)
    components: dict[str, ComponentWeights] = {}
    for component in COMPONENTS:
        examples = maker.examples(component)
        chance = left_out(examples)
        threshold = threshold_of(examples, chance)
        found = fit(examples).round(4)
        named = dict(zip(FEATURES, map(float, found[1:]), strict=True))
        components[component] = ComponentWeights(float(found[0]), named, threshold)
        print(f"{component}: intercept {found[0]:.2f}, {named}, threshold {threshold}")
        for kind in (*AMONG, SENTENCE):
            print(f"  {kind}, left out: {shares(examples, chance, threshold, kind, False)}")
        print(
            f"  alone, with figures, left out: {shares(examples, chance, threshold, 'alone', True)}"
        )
    digest = hashlib.sha256(tuning_file(benchmark).read_bytes()).hexdigest()
    made = EmbeddingSettings(
        encoder.name, encoder.weights, digest, len(grades), components, maker.facts()
    )
    if write:
        path = Path(embedding.__file__).with_name(embedding.SETTINGS)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")
        print(f"written to {path.name}")
    elif not same(made, load_settings()[0]):
        sys.exit("this is not what ships; --write stores it")
    else:
        print("this is what ships")


if __name__ == "__main__":
    main()
