"""Lives the cells of `agingbench run` and `agingbench study` and tells how it went."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agingbench.bench.life.budget import BudgetReached
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.places import out_of
from agingbench.bench.scoring.life_card import LifeCard
from agingbench.bench.studies.cells import Cell, Stock, check
from agingbench.bench.studies.dry_run import check_prices, estimate_study
from agingbench.bench.studies.extending import extend
from agingbench.bench.studies.follow_up import FollowUp
from agingbench.bench.studies.runner import (
    CellResult,
    check_study,
    live_all,
    not_finished,
    require_finished,
)
from agingbench.cards.check import card_json
from agingbench.cards.figures import document_of
from agingbench.cli.lives import draw
from agingbench.cli.output import console, echo, print_json, print_next, shown, typed
from agingbench.cli.watching import LivesBar, watched
from agingbench.engines.build import LOCAL, check_engine, remote_engine
from agingbench.errors import InputError, ModelError
from agingbench.report.comparison import print_estimate
from agingbench.report.diagnosis import print_diagnosis, print_stages
from agingbench.report.lives import print_lives
from agingbench.report.terminal import print_card
from agingbench.trials.runs import add_life, ledger_place


@dataclass(frozen=True)
class Output:
    """Where lives go and how they are told: folder, ledger, JSON or text, figures or none."""

    out: Path
    ledger: str | None
    as_json: bool
    plots: bool = False

    @property
    def place(self) -> str | None:
        """The ledger, None where none is kept."""
        return ledger_place(self.ledger, self.out)

    def add_to_ledger(self, folder: Path) -> None:
        """Add a scored life to the ledger, unless there is none."""
        add_life(self.place, folder)


@dataclass(frozen=True)
class _Unfinished:
    """A life that stopped on its way and can be continued."""

    seed: int
    run_dir: Path
    error: str


# -- one life after the other: `run`


def live_cells(
    cells: list[Cell],
    resources: Resources,
    follow_up: FollowUp,
    output: Output,
    *,
    dry: bool,
    stock: Stock,
) -> None:
    """Live the cells one after the other and print their cards; raises when one has stopped."""
    check(cells, stock, keys=not dry)
    if dry:
        every = [one for cell in cells for one in _with_control(cell)]
        _print_estimate(every, follow_up, output)
        return
    if resources.budget.most is not None:
        check_prices(cells)

    lives: list[tuple[Path, LifeCard]] = []
    failures: list[_Unfinished] = []
    steps = sum(one.sessions + 1 for cell in cells for one in _with_control(cell))
    if follow_up.ladder:
        steps += sum(cell.sessions for cell in cells)
    label = "1 life" if len(cells) == 1 else f"{len(cells)} lives"

    with watched(label, steps, output.as_json, resources.meter) as bar:
        for cell in cells:
            try:
                for one in _with_control(cell):
                    life = one.life(output.out, stock)
                    life.ledger = output.place
                    life.live(resources, bar)
                    if one is cell:
                        follow_up.ask(life, resources, bar)
                    card = life.score()
                    output.add_to_ledger(life.folder.path)
            except (ModelError, BudgetReached) as error:
                path = life.folder.path
                failures.append(_Unfinished(cell.seed, path, str(error)))
                continue
            lives.append((life.folder.path, card))
            if output.plots:
                draw(life.folder, card)

    if lives or failures:
        _print_cards(lives, failures, output)
    if failures:
        first = f"seed {failures[0].seed}: {failures[0].error}"
        raise not_finished(len(failures), len(cells), first, resources)


def extend_life(
    run: Path,
    sessions: int | None,
    resources: Resources,
    follow_up: FollowUp,
    output: Output,
    moved: bool,
    trust: bool,
) -> None:
    """Prolong a life, in another folder when `moved`, and print its card."""
    if sessions is None:
        raise InputError("--extend needs --sessions: how long the life is to be")

    out = output.out if moved else None
    place = ledger_place(output.ledger, out or out_of(run, RunDirectory(run).plan()))
    life = extend(run, sessions, out, resources, trust=trust, ledger=place)
    follow_up.ask(life, resources)
    card = life.score()
    path = life.folder.path
    add_life(place, path)

    if output.plots:
        draw(life.folder, card)
    _print_cards([(path, card)], [], output)


def _with_control(cell: Cell) -> list[Cell]:
    return [cell.without_events(), cell] if cell.controlled else [cell]


def _print_cards(
    lives: list[tuple[Path, LifeCard]], failures: list[_Unfinished], output: Output
) -> None:
    documents = [card_json(card) for _, card in lives]
    if output.as_json:
        folders = [str(path) for path, _ in lives]
        rows = [
            {"run_dir": folder, "card": document}
            for folder, document in zip(folders, documents, strict=True)
        ]
        errors = [
            {
                "run_dir": str(life.run_dir),
                "seed": life.seed,
                "status": "incomplete",
                "error": life.error,
            }
            for life in failures
        ]
        print_json([*rows, *errors])
        return

    screen = console()
    if len(lives) == 1:
        print_card(documents[0], screen)
        print_diagnosis(documents[0], screen)
        screen.print(f"Files: {shown(lives[0][0])}", soft_wrap=True)
        _print_next_of_life(lives[0][0], lives[0][1])
    elif lives:
        print_lives(documents, screen)
        print_stages(documents, screen)
        screen.print(f"Files: {shown(output.out)} ({len(lives)} lives)", soft_wrap=True)
        print_next(f"agingbench report {typed(output.out)}", "curves and tables in a browser")


def _print_next_of_life(folder: Path, card: LifeCard) -> None:
    if isinstance(card.diagnosis, msgspec.UnsetType):
        print_next(f"agingbench diagnose {typed(folder)}", "which stage loses the answers")
    else:
        print_next(f"agingbench report {typed(folder)}", "every lost fact, in a browser")


# -- many at once: `study` and `run --suite`


def live_study(
    cells: Sequence[Cell],
    resources: Resources,
    follow_up: FollowUp,
    output: Output,
    *,
    dry: bool,
    workers: int | None = None,
    stock: Stock,
    engine: str = LOCAL,
) -> None:
    """Live the cells of a study and print a table of them; raises when one has stopped."""
    if dry:
        check(cells, stock, keys=False)
        _print_estimate(cells, follow_up, output)
        return
    check_study(cells, resources, stock)
    check_engine(engine)

    label = "1 life" if len(cells) == 1 else f"{len(cells)} lives"
    transitions = sum(cell.sessions + 1 for cell in cells)
    with ExitStack() as stack:
        distant = remote_engine(engine, workers)
        if distant is not None:
            stack.enter_context(distant)
        one_bar = stack.enter_context(watched(label, len(cells), output.as_json, resources.meter))
        bar = LivesBar(one_bar, len(cells), transitions)
        outcomes = live_all(
            cells,
            output.out,
            resources,
            follow_up=follow_up,
            stock=stock,
            ledger=output.place,
            workers=workers,
            progress=bar.live,
            tell=bar.finish,
            engine=distant,
        )

    failures = [outcome for outcome in outcomes if outcome.error is not None]
    calls = sum(outcome.calls for outcome in outcomes)
    if output.as_json:
        document = {
            "lives": [document_of(_row(outcome)) for outcome in outcomes],
            "failed": len(failures),
            "calls": calls,
            "cost_usd": resources.budget.spent,
        }
        print_json(document)
    else:
        _print_outcomes(outcomes, calls, output)
    require_finished(outcomes, resources)


class StudyRow(msgspec.Struct, frozen=True, kw_only=True):
    """One life of a study, as `--json` lists it."""

    run_dir: str
    scenario: str
    sut_id: str
    seed: int
    sessions: int
    pressure: str
    events: tuple[str, ...]
    calls: int
    content_hash: str | None
    status: str
    error: str | None


def _row(outcome: CellResult) -> StudyRow:
    cell = outcome.cell
    card_hash = outcome.card.content_hash if outcome.card else None
    return StudyRow(
        run_dir=str(outcome.path),
        scenario=cell.scenario,
        sut_id=cell.sut.id,
        seed=cell.seed,
        sessions=cell.sessions,
        pressure=cell.preset,
        events=cell.events,
        calls=outcome.calls,
        content_hash=card_hash or None,
        status=outcome.status,
        error=outcome.error,
    )


def _print_outcomes(outcomes: Sequence[CellResult], calls: int, output: Output) -> None:
    screen = console()
    cards = [card_json(outcome.card) for outcome in outcomes if outcome.card is not None]
    if cards:
        print_lives(cards, screen)
        print_stages(cards, screen)
    files = f"Files: {shown(output.out)} ({len(cards)} lives, {calls} calls in this run)"
    screen.print(files, soft_wrap=True)
    for outcome in outcomes:
        if outcome.error is not None:
            echo(f"{outcome.status}  {outcome.cell.describe()}: {outcome.error}")
    if cards:
        print_next(f"agingbench report {typed(output.out)}", "curves and tables in a browser")


# -- what it would take: `--dry-run`


def _print_estimate(cells: Sequence[Cell], follow_up: FollowUp, output: Output) -> None:
    """Print calls, tokens and cost of what is still to be lived, and the calls of what follows."""
    estimate = estimate_study(cells, output.out)
    if output.as_json:
        print_json(document_of(estimate), "estimate")
    else:
        print_estimate(estimate, console())
    if follow_up.anything:
        calls = follow_up.calls(cells)
        echo(
            f"and at most {calls:,} calls for what is asked of the lives after their end", err=True
        )
