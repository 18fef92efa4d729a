"""The judge that reads paraphrase: what it sees, what it must not see, and what its gate is bound
to.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from agingbench.interfaces import Judge
from agingbench.resumption.calibration.calibrate import calibrate, current_gate
from agingbench.resumption.calibration.gate import CalibrationGate
from agingbench.resumption.calibration.grades import load_grades, load_tuning, tuning_file
from agingbench.resumption.calibration.stored import stored_calibrations
from agingbench.resumption.episodes.benchmark_folder import (
    BenchmarkFolder,
    init_benchmark,
    packaged_set,
)
from agingbench.resumption.episodes.episode import LATE, ForgetFact, load_episodes
from agingbench.resumption.judges import embedding as module
from agingbench.resumption.judges.build import build_judge
from agingbench.resumption.judges.claim import EpisodeClaim, verify_quote
from agingbench.resumption.judges.deterministic import DeterministicJudge
from agingbench.resumption.judges.embedding import EmbeddingJudge, EmbeddingSettings, load_settings
from agingbench.resumption.judges.nearness import (
    FEATURES,
    BackgroundFacts,
    EncodedContext,
    content_words,
    is_prose,
    split_units,
)
from agingbench.resumption.judges.verdict import judge_item
from agingbench.text import embedding as encoders
from agingbench.text.embedding import available
from agingbench.text.values import Value
from tests.cli.conftest import Cli, cli
from tests.places import ROOT
from tests.resumption.making import PERFECT, make_benchmark, write_grades

__all__ = ["cli"]

needs_encoder = pytest.mark.skipif(not available(), reason="the extra `embed` is not installed")
STASH = ForgetFact(id="f1", fact="putting the changes aside with git stash", values=["git stash"])  # type: ignore[list-item]


class Letters:
    """An encoder of no sense at all: words are near when they share letters. It needs no package."""

    name = "letters"
    weights = "0" * 64

    def sums(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array(
            [[t.count(chr(c)) for c in range(97, 123)] for t in texts], dtype=np.float32
        ).reshape(-1, 26)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.sums(texts)


@lru_cache(maxsize=1)
def real() -> EmbeddingJudge:
    return EmbeddingJudge()


def label(judge: Judge, text: str, fact: ForgetFact = STASH) -> str:
    return judge_item(judge, fact, text).label


# ----------------------------------------------------------------------------------------------
# what it reads


@needs_encoder
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Put your changes away in git for now, then go on.", "open"),
        ("Putting the changes away in git was tried and did not help.", "mentioned"),
        ("Use git stash before the switch.", "open"),
        ("git stash was given up.", "mentioned"),
        ("The invoice template got a larger font.", "omitted"),
        ("", "omitted"),
    ],
)
def test_paraphrases_are_mentions_and_read_like_any_mention(text: str, wanted: str) -> None:
    assert label(real(), text) == wanted


@needs_encoder
def test_the_deterministic_judge_is_blind_where_this_one_is_not() -> None:
    text = "Set your changes aside in git for now, then go on."
    assert label(DeterministicJudge(), text) == "omitted"
    assert label(real(), text) == "open"


@needs_encoder
def test_a_dead_branch_counts_as_an_omission_only_where_the_episode_says_so() -> None:
    text = "Putting the changes away in git was tried and did not help."
    assert label(real(), text, STASH.model_copy(update={"dead_ok": True})) == "dead"


@needs_encoder
def test_every_yes_quotes_the_context_and_a_long_one_is_read_through() -> None:
    filler = "".join(
        f"Step {n}: the invoice template of customer {n} got a larger font.\n" for n in range(300)
    )
    text = f"{filler}Put the changes away in git, then go on.\n{filler}"
    claim = EpisodeClaim(
        "forgetting", "mentioned", STASH.sentence, ((Value("name", "git stash"),),)
    )
    ruled = real().rule(claim, text)
    assert ruled.label == "yes"
    assert "changes away" in ruled.quote
    assert verify_quote(ruled, text) == ruled


@needs_encoder
@pytest.mark.parametrize(
    "text", ["...", "1", "\n\n\n", "—", "日本語の文です。", "a" * 100_000, "\x00\ud7ff?"]
)
def test_odd_texts_are_answered(text: str) -> None:
    assert label(real(), text) in ("omitted", "mentioned", "open")


@needs_encoder
def test_a_figure_has_no_paraphrase() -> None:
    claim = EpisodeClaim(
        "preservation",
        "stated",
        "The ticket model listens on port 7211",
        ((Value("number", "7211"),),),
    )
    assert real().rule(claim, "The ticket model can be reached at port 7211.").label == "yes"
    assert real().rule(claim, "The ticket model can be reached at port 2008.").label == "no"
    assert real().rule(claim, "The ticket model listens on a port.").label == "no"


def test_names_of_code_are_read_as_words_and_foreign_ones_left_out() -> None:
    said = [w.text for w in content_words("call readFlagFromFile in src/app_settings.py, v2.5")]
    assert said == ["call", "read", "flag", "file", "src", "app", "settings", "py", "v", "2.5"]
    encoder = Letters()
    context = EncodedContext("the small flag comes fast from readFlagFromDisk", encoder)
    claim = EpisodeClaim("forgetting", "mentioned", "reading by readFlagFromFile")
    units, table = context.features(claim, BackgroundFacts(["something else"], encoder))
    bare = EncodedContext("the small flag comes fast from", encoder).features(
        claim, BackgroundFacts(["something else"], encoder)
    )[1]
    assert len(units) == 1
    names = [FEATURES.index(n) for n in ("whole", "recall", "precision", "values")]
    np.testing.assert_allclose(table[0, names], bare[0, names], atol=1e-6)


def test_units_are_sentences_clauses_and_pairs_of_sentences() -> None:
    text = "1. Write the first hook now, but keep the second hook. 2. Run all slow tests. Done."
    context = EncodedContext(text, Letters())
    units = split_units(text, context.spans)
    assert {(u.first, u.last) for u in units} == {
        (0, 0),
        (1, 1),
        (0, 1),
        (1, 2),
    }  # "Done." alone states nothing
    assert len([u for u in units if (u.first, u.last) == (0, 0)]) == 3


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("Put the changes away, then go on (see `hooks.go`).", True),
        ("- done: Add submodule at public/tokenizer", True),
        ('1067→        print("  python3 extract.py owner/repo")', False),
        ('{"content": "Add a field", "status": "completed"}', False),
        ("for (i = 0; i < n; i++) { total += x[i]; }", False),
        ("```go", False),
    ],
)
def test_code_is_no_paraphrase(text: str, prose: bool) -> None:
    assert is_prose(text) is prose
    assert bool(split_units(text, [(0, len(text))])) is prose


@needs_encoder
def test_the_same_thing_said_of_another_name_is_another_fact() -> None:
    claim = EpisodeClaim(
        "forgetting",
        "mentioned",
        "The owner of models/grand_contract.py is Ulrika Grantham",
        ((Value("name", "models/grand_contract.py"),), (Value("name", "Ulrika Grantham"),)),
    )
    assert (
        real().rule(claim, "The owner of models/grand_contract.py is Anselm Oakhurst now.").label
        == "no"
    )
    assert real().rule(claim, "The grand contract model belongs to Ulrika Grantham.").label == "yes"


def test_pieces_of_work_do_not_change_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Letters()
    claim = EpisodeClaim("forgetting", "mentioned", "a cold start of the cache")
    text = " ".join(f"Sentence {'abcdefghij'[n % 10] * 3} number {n}." for n in range(40))
    background = BackgroundFacts(["warm caches", "old files"], encoder)
    whole = EncodedContext(text, encoder).features(claim, background)[1]
    monkeypatch.setattr("agingbench.resumption.judges.nearness._PIECE", 7)
    np.testing.assert_allclose(EncodedContext(text, encoder).features(claim, background)[1], whole)


# ----------------------------------------------------------------------------------------------
# what binds it


def test_the_gate_is_bound_to_encoder_weights_and_thresholds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = EmbeddingJudge(Letters()).identity
    other = Letters()
    other.weights = "1" * 64
    assert EmbeddingJudge(other).identity != first
    settings, digest = load_settings()
    assert digest[:16] in first
    assert "letters" in first
    monkeypatch.setattr(module, "load_settings", lambda: (settings, "f" * 64))
    assert EmbeddingJudge(Letters()).identity != first


def test_another_encoder_closes_the_gate(tmp_path: Path) -> None:
    benchmark = make_benchmark(tmp_path)
    write_grades(benchmark, PERFECT)
    episodes = load_episodes(benchmark.episodes)
    mine, _ = build_judge("deterministic", benchmark.judges)
    judge = EmbeddingJudge(Letters())
    other = Letters()
    other.weights = "1" * 64
    _, identity = build_judge("deterministic", benchmark.judges)
    bound = type(identity)(judge.identity, identity.prompts, identity.tokenizer)
    calibrate(benchmark, episodes, mine, bound)
    assert current_gate(benchmark, episodes, mine, bound).passed
    moved = type(identity)(EmbeddingJudge(other).identity, identity.prompts, identity.tokenizer)
    closed = current_gate(benchmark, episodes, mine, moved)
    assert not closed.passed
    assert "calibrate this one" in closed.reasons[0]


def test_without_the_extra_the_command_is_told(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    init_benchmark(tmp_path)
    monkeypatch.setattr(encoders, "_encoder", None)
    monkeypatch.setattr(encoders, "PACKAGE", "no_such_package_here")
    told = cli("resumption", "calibrate", "-e", tmp_path, "--judge", "embedding")
    assert told.code == 2
    assert "pip install 'agingbench[embed]'" in told.err


def test_tuning_gate_and_held_out_grades_are_apart() -> None:
    benchmark = BenchmarkFolder(packaged_set())
    tuning = load_tuning(benchmark)
    grades = load_grades(benchmark)
    tuned_with = {g.episode for g in tuning}
    assert not tuned_with & {g.episode for g in grades}
    assert not {g.context_hash for g in tuning} & {g.context_hash for g in grades}
    held = [g for g in grades if g.split == "paraphrase"]
    assert not {g.context_hash for g in held} & {
        g.context_hash for g in grades if g.split == "gate"
    }
    gated = {g.episode for g in grades if g.split == "gate"}
    assert sum(g.label in ("mentioned", "open") for g in held) >= 60
    assert sum(g.label in ("mentioned", "open") for g in held if g.episode not in gated) >= 60
    assert all(g.note for g in held)


def test_the_settings_name_the_grades_they_were_set_on() -> None:
    settings: EmbeddingSettings = load_settings()[0]
    benchmark = BenchmarkFolder(packaged_set())
    assert settings.grades_sha256 == hashlib.sha256(tuning_file(benchmark).read_bytes()).hexdigest()
    assert settings.grades == len(load_tuning(benchmark))
    assert set(settings.components) == {"preservation", "forgetting"}
    assert all(set(part.weights) == set(FEATURES) for part in settings.components.values())


@pytest.mark.slow
@needs_encoder
def test_the_settings_can_be_made_again() -> None:
    script = ROOT / "benchmarks" / "judge_tuning.py"
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "this is what ships" in done.stdout


# ------------------------------------------------------------------------------------------- on the
# public set


@lru_cache(maxsize=1)
def public_gate(folder: Path) -> tuple[CalibrationGate, str]:
    init_benchmark(folder, public=True)
    benchmark = BenchmarkFolder(folder)
    judge, identity = build_judge("embedding", benchmark.judges)
    gate = calibrate(benchmark, load_episodes(benchmark.episodes), judge, identity, retest=True)
    return gate, benchmark.kappa_report.read_text()


@needs_encoder
def test_the_public_gate_and_what_it_promises_of_paraphrases(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    gate, report = public_gate(tmp_path_factory.mktemp("public"))
    assert not gate.passed  # withdrawn for forgetting
    refused = {(part.component, part.domain) for part in gate.components if not part.passed}
    assert {("forgetting", "code"), ("forgetting", LATE)} <= refused
    assert "the judge is withdrawn here" in report
    assert {part.retest for part in gate.components} == {1.0}
    assert gate.tuned_on == load_settings()[0].grades
    assert f"left out here: {gate.tuned_on}" in report
    found = gate.paraphrases
    assert found is not None
    shipped = stored_calibrations(BenchmarkFolder(packaged_set()))
    judges = {stored.identity.judge.partition("/")[0] for stored in shipped}
    assert judges == {"deterministic", "embedding"}
    assert DeterministicJudge.identity in report  # both stand in it, side by side
    assert found.n >= 60
    assert found.recall is not None
    assert found.promised is not None
    assert found.false_alarms is not None
    assert found.recall >= found.promised > found.false_alarms
    assert found.kept is True
    assert (
        found.mentions.kept is False
    )  # what is found by its name is found far more often, and that is said
    assert "which is kept" in report
    assert "a bound that paraphrases do not reach" in report
