"""Learn to tell complaints from requests, and write what was learned as data of the package.

python benchmarks/complaint_training.py [--check]

`complaints/turns.jsonl` holds turns of users with what the agent did before; `{thing}` and the like
stand for anything, and are filled in so that no name decides. `complaints/words.yaml` holds kinds
of words. A logistic regression with a quadratic penalty weighs the marks of a turn. With `--check`
nothing is written: each quarter of the turns is weighed by what the other three taught.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from agingbench.text.complaints import OWN_FILE, ComplaintWeights
from agingbench.text.turn_marks import WordKinds, marks_of, opening

FOLDER = Path(__file__).with_name("complaints")
PENALTY = 3.0
THRESHOLD = 0.9  # set on these turns and on 241 turns of real projects, not on those that report
COPIES = 3  # of a turn with something to fill in
JOINED = 0.4  # what a turn counts that something was put before or behind
LEAST_TURNS = 2  # with a mark that is weighed
LEAST_WEIGHT = 0.02
FOLDS = 4
SLOT = re.compile(r"\{(\w+)\}")

FILES = "app.py src/cart.ts README.md config.yaml utils.go index.html docs/api.md report.tex"
VALUES = "5 20 3.5 UTC 42 Postgres 10:30 JSON 100 v2 Berlin Redis A4 main"
NAMES = "Anna Tom Lopez Meyer Redis Paris checkout login billing"
THINGS = (
    "the header,the table,the cart,the invoice,the sidebar,the export,the cache,the price,"
    "the second paragraph,the login page,the footnote,the parser,the config,the hotel,the tests,"
    "the migration,the button,refund(),the legend,the timezone,the summary,the chart,the index,"
    "the title,the calendar entry,the old endpoint,the retry loop,error handling,the date column"
)
PLURALS = (
    "Rechnungen Tests Links Spalten Fußnoten Preise Buchungen Überschriften Kommentare Tabellen"
    " Termine Adressen Umlaute Knöpfe Zahlen Einträge Bilder Rollen Zeiten Namen"
)
FILLINGS = {
    "file": FILES.split(),
    "value": VALUES.split(),
    "name": NAMES.split(),
    "thing": THINGS.split(","),
    "plural": PLURALS.split(),
}
# What people say before and behind either kind of turn.
BEFORE = {
    "en": ["ok, ", "hm, ", "hey, ", "so ", "well, ", "Hi, ", "ah ", "please ", "dude ", "yeah "],
    "de": ["ok, ", "hm, ", "also ", "na ja, ", "Hallo, ", "ach "],
}
BEHIND = {
    "en": [
        "Use {value} there.",
        "Please look at {file}.",
        "Then run the tests.",
        "Also, {thing} please.",
        "Here is the log.",
        "We need it by Friday.",
        "and {file} too",
    ],
    "de": [
        "Nimm dort {value}.",
        "Bitte schau in {file}.",
        "Dann lass die Tests laufen.",
        "Und die {plural} bitte auch.",
        "Wir brauchen es bis Freitag.",
    ],
}


class LabelledTurn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of turns.jsonl: what a user says, and whether it corrects the agent."""

    language: str
    before: str
    correction: bool
    text: str

    @property
    def after_question(self) -> bool:
        """Whether the agent had asked something."""
        return "asked:" in self.before or "gefragt:" in self.before


@dataclass(frozen=True)
class Example:
    """A turn with everything filled in: what it counts, and where it comes from."""

    place: int
    text: str
    after_question: bool
    correction: bool
    weight: float


@dataclass(frozen=True)
class Learned:
    """The weights of marks, and the score of a turn without any."""

    weights: dict[str, float]
    base: float

    def score(self, marks: set[str]) -> float:
        """Return how much speaks for a complaint."""
        return self.base + sum(self.weights.get(mark, 0.0) for mark in marks)


def read_turns() -> list[LabelledTurn]:
    """Return the turns to learn from."""
    lines = (FOLDER / "turns.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=LabelledTurn) for line in lines]


def fill(text: str, rng: random.Random) -> str:
    """Return a text with something in place of its slots."""
    return SLOT.sub(lambda slot: rng.choice(FILLINGS.get(slot.group(1), [slot.group()])), text)


def examples_of(turns: list[LabelledTurn], seed: int) -> list[Example]:
    """Return the turns filled in several times, and with something before and behind them."""
    rng = random.Random(seed)
    examples = []
    for place, turn in enumerate(turns):
        copies = COPIES if SLOT.search(turn.text) else 1
        versions = [(fill(turn.text, rng), 1.0 / copies) for _ in range(copies)]
        if turn.language in BEHIND and not turn.after_question:
            text = fill(turn.text, rng)
            end = fill(rng.choice(BEHIND[turn.language]), rng)
            versions.append((f"{text}{' ' if text[-1] in '.!?' else '. '}{end}", JOINED))
            start = rng.choice(BEFORE[turn.language])
            versions.append((f"{start}{text[0].lower()}{text[1:]}", JOINED))

        for text, weight in versions:
            examples.append(Example(place, text, turn.after_question, turn.correction, weight))

    return examples


def learn(examples: list[Example], kinds: WordKinds) -> Learned:
    """Return the weights that tell the examples apart."""
    marks = [marks_in(example.text, example.after_question, kinds) for example in examples]
    turns_with = {(mark, e.place) for e, own in zip(examples, marks, strict=True) for mark in own}
    counts = Counter(mark for mark, _ in turns_with)
    names = sorted(mark for mark, n in counts.items() if n >= LEAST_TURNS)
    columns = {mark: column for column, mark in enumerate(names)}

    places = [[columns[mark] for mark in own if mark in columns] for own in marks]
    ends = np.cumsum([0, *map(len, places)])
    flat = np.array([column for own in places for column in own])
    table = csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(examples), len(names)))
    across = table.T.tocsr()
    label = np.array([1.0 if example.correction else -1.0 for example in examples])
    weight = np.array([example.weight for example in examples])

    def loss(values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        own = values[:-1]
        score = label * (table @ own + values[-1])
        total = (weight * np.logaddexp(0, -score)).sum() + PENALTY / 2 * (own**2).sum()
        pull = -label * weight / (1 + np.exp(score))
        return float(total), np.append(across @ pull + PENALTY * own, pull.sum())

    options = {"maxiter": 300}
    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", options=options)
    values = dict(zip(names, map(float, found.x[:-1]), strict=True))
    kept = {mark: round(value, 2) for mark, value in values.items() if abs(value) >= LEAST_WEIGHT}
    return Learned(kept, round(float(found.x[-1]), 2))


def marks_in(text: str, after_question: bool, kinds: WordKinds) -> set[str]:
    """Return the marks of a whole turn."""
    return marks_of(opening(text), len(text), after_question, kinds)


def check(turns: list[LabelledTurn], kinds: WordKinds) -> None:
    """Print what is found of turns that were not learned from."""
    folds = np.random.default_rng(0).integers(0, FOLDS, len(turns))
    rng = random.Random(9)
    found: Counter[tuple[str, bool]] = Counter()
    total: Counter[tuple[str, bool]] = Counter()
    for fold in range(FOLDS):
        others = [turn for turn, own in zip(turns, folds, strict=True) if own != fold]
        learned = learn(examples_of(others, fold), kinds)
        for turn, own in zip(turns, folds, strict=True):
            if own != fold:
                continue
            key = (turn.language, turn.correction)
            marks = marks_in(fill(turn.text, rng), turn.after_question, kinds)
            found[key] += learned.score(marks) > THRESHOLD
            total[key] += 1

    for language in sorted({turn.language for turn in turns}):
        right, wrong = (language, True), (language, False)
        print(
            f"{language}: {found[right]} of {total[right]} complaints found,"
            f" {found[wrong]} of {total[wrong]} requests taken for one"
        )


def main() -> None:
    """Learn and write, or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    words = yaml.safe_load((FOLDER / "words.yaml").read_text(encoding="utf-8"))
    kinds = WordKinds(words["kinds"], words["signs"])
    turns = read_turns()
    if options.check:
        check(turns, kinds)
        return

    learned = learn(examples_of(turns, 1), kinds)
    weights = ComplaintWeights(
        words["kinds"], words["signs"], learned.base, THRESHOLD, learned.weights
    )
    data = json.dumps(msgspec.to_builtins(weights), ensure_ascii=False, indent=0)
    OWN_FILE.write_text(f"{data}\n", encoding="utf-8")
    print(f"{OWN_FILE.name}: {len(learned.weights)} marks, {OWN_FILE.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
