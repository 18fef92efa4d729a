"""The rules that a submission is held to; each problem names its rule, its file and the reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from agingbench.bench.leaderboard.places import (
    MOST_BYTES,
    CardPlace,
    EntryPlace,
    card_place,
    read_submission,
)
from agingbench.bench.leaderboard.suite import (
    BoardSuite,
    is_scenario,
    scenario_version,
    turned_limits,
)
from agingbench.cards.check import validate_card
from agingbench.cards.leaderboard import (
    SUBMISSION_VERSION,
    BoardProblem,
    Submission,
    SubmittedTrial,
)
from agingbench.cards.model import SCHEMA_VERSION, Card
from agingbench.errors import InputError
from agingbench.traces.blobs import SHA256
from agingbench.traces.canonical import content_hash
from agingbench.traces.files import read_json

# Warnings on a card that say that a part of the life is not there.
BROKEN = ("no_headline", "failed_probes", "code_not_executed")


class EntryFiles(msgspec.Struct, frozen=True):
    """An entry as it lies on disk: what its submitter states, and its cards by seed."""

    place: EntryPlace
    submission: Submission
    cards: dict[int, Card]


def check_entry(root: Path, place: EntryPlace, suite: BoardSuite) -> list[BoardProblem]:
    """Every rule that an entry breaks."""
    entry, problems = read_entry(root, place)
    if entry is None:
        return problems
    if not is_scenario(place.scenario):
        reason = f"{place.scenario} is not a scenario of this version"
        return [*problems, _problem(root, place.submission(root), "place", reason)]

    for rule, reason in _submission_reasons(entry, suite):
        problems.append(_problem(root, place.submission(root), rule, reason))
    trials = {trial.seed: trial for trial in entry.submission.trials}
    for seed, card in entry.cards.items():
        file = place.card(root, seed)
        reasons = [*_card_reasons(entry, card, seed, suite), *_system_reasons(entry, card)]
        reasons += _trial_reasons(card, trials.get(seed))
        problems += [_problem(root, file, rule, reason) for rule, reason in reasons]
    return problems


def read_entry(root: Path, place: EntryPlace) -> tuple[EntryFiles | None, list[BoardProblem]]:
    """The files of an entry; None, with the problems, where one of them cannot be read."""
    problems = []
    cards = {}
    for found in _card_places(root, place):
        card, reasons = _read_card(found.file)
        problems += [_problem(root, found.file, rule, reason) for rule, reason in reasons]
        if card is not None:
            cards[found.seed] = card

    file = place.submission(root)
    if not file.exists():
        reason = "there is no submission beside the cards; `agingbench leaderboard add` writes it"
        return None, [*problems, _problem(root, file, "submission", reason)]
    try:
        submission = read_submission(file)
    except InputError as error:
        return None, [*problems, _problem(root, file, "submission", str(error))]
    if problems:
        return None, problems
    return EntryFiles(place, submission, cards), []


def _card_places(root: Path, place: EntryPlace) -> list[CardPlace]:
    files = sorted(place.folder(root).glob(f"{place.key}__seed*.json"))
    places = [card_place(root, file) for file in files]
    return [found for found in places if found is not None and found.entry == place]


def _problem(root: Path, file: Path, rule: str, reason: str) -> BoardProblem:
    return BoardProblem(file.relative_to(root).as_posix(), rule, reason.replace(f"{root}/", ""))


# -- one card by itself

Reasons = list[tuple[str, str]]


def _read_card(file: Path) -> tuple[Card | None, Reasons]:
    if file.stat().st_size > MOST_BYTES:
        return None, [("size", f"larger than {MOST_BYTES:,} bytes")]
    try:
        document = read_json(file)
    except InputError as error:
        return None, [("schema", str(error))]

    version = document.get("schema_version") if isinstance(document, dict) else None
    if isinstance(version, str) and version != SCHEMA_VERSION:
        return None, [("schema", f"schema {version}; the leaderboard takes {SCHEMA_VERSION}")]
    errors = validate_card(document)
    reasons = [("figures" if e.startswith("content_hash") else "schema", e) for e in errors]
    if reasons:
        return None, reasons
    try:
        card = Card.read(document)
    except msgspec.ValidationError as error:
        return None, [("schema", str(error))]
    if card.card_kind != "life":
        return None, [("schema", "not the card of a life")]
    if not isinstance(card.content_hash, str):
        return None, [("figures", "the card has no content_hash")]
    return card, []


def _card_reasons(entry: EntryFiles, card: Card, seed: int, suite: BoardSuite) -> Reasons:
    """What a card says against the place it lies at, the suite and its own curve."""
    place = entry.place
    reasons: Reasons = []
    if card.track != place.track:
        reasons.append(("track", f"a card of track {card.track} lies under {place.track}"))
    if card.scenario != place.scenario:
        reasons.append(("place", f"a card of {card.scenario} lies under {place.scenario}"))
        return reasons
    if card.seed != seed:
        reasons.append(("name", f"the name says seed {seed}, the card seed {card.seed}"))
        return reasons
    probes = card.others.get("probes_asked")
    if probes:
        reasons.append(("probes", f"only a part of the probes was asked ({probes})"))
    elif seed in suite.seeds:
        reasons += _plan_reasons(card, suite)
    return [*reasons, *_curve_reasons(card), *_provenance_reasons(card)]


def _plan_reasons(card: Card, suite: BoardSuite) -> Reasons:
    version = scenario_version(card.scenario)
    if card.scenario_version != version:
        return [("plan", f"of version {card.scenario_version}; the scenario is at {version}")]
    if card.provenance.others.get("plan_hash") == suite.plan_hash(card.scenario, card.seed):
        return []
    reason = "the plan is not that of the default suite"
    turned = card.others.get("pressure_turned")
    preset = card.pressure.get("preset")
    if isinstance(turned, dict) and turned:
        reason += f": dials turned: {', '.join(sorted(turned))}"
    elif preset != suite.preset:
        reason += f": pressure {preset} in place of {suite.preset}"
    return [("plan", f"{reason} ({card.n_sessions} sessions)")]


def _curve_reasons(card: Card) -> Reasons:
    """Figures that do not agree with the curve on the same card."""
    values = [m for _, m in card.checkpoints if m is not None]
    if not values:
        return [("trial", "the card has no curve")]
    reasons: Reasons = []
    for name, value in (("m0", values[0]), ("m_final", values[-1])):
        figure = card.headline.figure(name).value
        if figure is None or abs(figure - value) > 1e-9:
            reasons.append(("figures", f"headline.{name} is {figure}, the curve says {value}"))
    return reasons


def _provenance_reasons(card: Card) -> Reasons:
    reasons: Reasons = []
    provenance = card.provenance
    for name in ("agingbench_version", "compute_environment", "trial_id", "record_hash"):
        value = getattr(provenance, name)
        if not isinstance(value, str) or not value:
            reasons.append(("provenance", f"provenance.{name} is missing"))
    if isinstance(provenance.record_hash, str) and not SHA256.fullmatch(provenance.record_hash):
        reasons.append(("provenance", "provenance.record_hash is not a SHA-256"))
    for name in ("conflict_of_interest", "fork_disclosed"):
        if not isinstance(getattr(provenance, name), bool):
            advice = f"run with --declare {name}=no (or yes)"
            reasons.append(("declaration", f"provenance.{name} is not declared; {advice}"))
    return reasons


# -- cards against what the submitter states


def _submission_reasons(entry: EntryFiles, suite: BoardSuite) -> Reasons:
    submission = entry.submission
    place = entry.place
    reasons: Reasons = []
    if submission.version != SUBMISSION_VERSION:
        reasons.append(("submission", f"version {submission.version}, not {SUBMISSION_VERSION}"))
    names = (submission.track, submission.scenario, submission.key)
    if names != (place.track, place.scenario, place.key):
        reasons.append(("key", f"states {'/'.join(names)}, which is another entry"))
    if not submission.submitter.strip():
        reasons.append(("declaration", "the submitter has no name"))
    limits = turned_limits(submission.configuration)
    if limits:
        reasons.append(("limits", f"limits were changed: {', '.join(limits)}"))
    if submission.configuration.get("role"):
        reason = "the system was given an instruction beside the scenario's role"
        reasons.append(("role", reason))

    wanted = list(suite.seeds)
    seeds = sorted(entry.cards)
    if seeds != wanted:
        reasons.append(("seeds", f"cards of seeds {_listed(seeds)}; wanted are {_listed(wanted)}"))
    stated = sorted(trial.seed for trial in submission.trials)
    if stated != seeds:
        reasons.append(("seeds", f"trials of seeds {_listed(stated)} beside {_listed(seeds)}"))
    return [*reasons, *_declaration_reasons(entry)]


def _declaration_reasons(entry: EntryFiles) -> Reasons:
    """Declarations on the cards that the submission does not explain, or denies."""
    reasons: Reasons = []
    statements = {
        "conflict_of_interest": ("conflict", entry.submission.conflict),
        "fork_disclosed": ("fork", entry.submission.fork),
    }
    for name, (option, statement) in statements.items():
        declared = {getattr(card.provenance, name) for card in entry.cards.values()}
        if True in declared and not (statement or "").strip():
            reasons.append(("declaration", f"{name} is declared and not explained; --{option}"))
        if declared == {False} and statement:
            reasons.append(("declaration", f"{name} is stated here and denied on the cards"))
    return reasons


def _system_reasons(entry: EntryFiles, card: Card) -> Reasons:
    if content_hash(entry.submission.configuration) == card.sut.config_hash_sha256:
        return []
    return [("key", f"the card is of another system ({card.sut.sut_id}) than this key's")]


def _trial_reasons(card: Card, trial: SubmittedTrial | None) -> Reasons:
    reasons: Reasons = []
    broken = [text for text in card.warnings if text.startswith(BROKEN)]
    reasons += [("trial", f"not a whole life: {text}") for text in broken]
    if trial is None:
        return reasons
    if trial.completeness != "complete" or trial.status != "completed":
        state = f"{trial.completeness}, {trial.status}"
        reasons.append(("trial", f"the trial is not complete ({state})"))
    names: dict[str, Callable[[], tuple[object, object]]] = {
        "trial_id": lambda: (trial.trial_id, card.provenance.trial_id),
        "record_hash": lambda: (trial.record_hash, card.provenance.record_hash),
        "content_hash": lambda: (trial.content_hash, card.content_hash),
        "reward": lambda: (trial.reward, card.headline.figure("time_average").value),
    }
    for name, pair in names.items():
        stated, on_card = pair()
        if stated != on_card:
            reasons.append(("figures", f"{name} {on_card} is not that of its trial ({stated})"))
    return reasons


def _listed(seeds: Sequence[int]) -> str:
    return ", ".join(str(seed) for seed in seeds) or "none"
