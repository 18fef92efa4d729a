"""One life: the plan, the scenario it was made from, the system that lives it, and its record.

Everything that is done with a life goes through `Life`: the commands, studies, reproductions and
extensions, Python users and the tests. Plan, scenario and system are built once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agingbench.bench.diagnosis.ladder import Diagnosis, diagnose_life, diagnosis_of
from agingbench.bench.diagnosis.recorded import ask_bounds_on_disk, ask_ladder_on_disk
from agingbench.bench.life.budget import BudgetReached
from agingbench.bench.life.control import Steering
from agingbench.bench.life.demands import event_demands, scenario_demands, system_demands
from agingbench.bench.life.environment import environment
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.lifecycle import check_events, default_events, fork_of
from agingbench.bench.life.limits import LifeLimits, Resources
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.outage import ask_failed_again, has_failed_answers
from agingbench.bench.life.places import directory_of, life_name
from agingbench.bench.life.planning import plan_for, shared_scenario, spec_of
from agingbench.bench.life.system import Sut, System, build, sut_from_record, with_defaults
from agingbench.bench.life.transitions import MODEL_SWAP, InMemory, Transition
from agingbench.bench.plan.plan import Plan, Scenario, parse_events
from agingbench.bench.scoring.code_checks import CodeCheck
from agingbench.bench.scoring.files import pretty, record_partial, record_stop, score_files
from agingbench.bench.scoring.life_card import LifeCard
from agingbench.bench.scoring.paired import link_control
from agingbench.bench.scoring.score import LifeRecord, owns_workspace
from agingbench.bench.studies.estimates import EMBEDDED, TransitionCosts, forecast, is_embedded
from agingbench.cards.check import load_card
from agingbench.cards.model import Card
from agingbench.errors import InputError, ModelError
from agingbench.interfaces import Model
from agingbench.models.build import build_model
from agingbench.records import Usage
from agingbench.traces.files import write_atomic
from agingbench.trials.declarations import UNDECLARED, Declarations
from agingbench.trials.run_folder import read_answers
from agingbench.trials.runs import add_life
from agingbench.trust import require_trust

Progress = Callable[[int], None]

# How many transitions a life with a hosted model may be ahead of its record: what a kill can cost
# in addition to the transition it hits.
AHEAD = 1


class Life:
    """One life, to be lived, scored and diagnosed.

    `system` is a description to build from or a system that was built; `record` is the folder of
    the life, or keeps it in memory. `control` is the folder of the same life without its events,
    `ledger` where its records are kept as it goes, `declares` what the user declares of it.
    """

    def __init__(
        self,
        plan: Plan,
        scenario: Scenario,
        system: Sut | System,
        record: RunDirectory | InMemory | None = None,
        *,
        sut: Sut | None = None,
        suite: str | None = None,
        control: RunDirectory | None = None,
        ledger: str | None = None,
        declares: Declarations = UNDECLARED,
    ) -> None:
        self.plan = plan
        self.scenario = scenario
        self.record = record if record is not None else InMemory()
        self.suite = suite
        self.control = control
        self.ledger = ledger
        self.declares = declares
        self._sut = system if isinstance(system, Sut) else sut
        self._system = system if isinstance(system, System) else None
        self._swapped: dict[str, Model] = {}

    # -- from names, and from disk

    @classmethod
    def new(
        cls,
        scenario: str | Scenario = "s2",
        *,
        out: Path | None = None,
        sessions: int | None = None,
        seed: int = 0,
        pressure: str = "medium",
        dials: Mapping[str, Any] | None = None,
        events: Sequence[str] | None = None,
        suite: str | None = None,
        **system: Any,
    ) -> Life:
        """Plan a life as `agingbench run` does; `system` holds keys of Sut such as `memory`.

        `model` may be a Model, which is recorded by its name. The life is recorded below `out`, or
        in memory without one. Without `events`, those that the scenario prefers and the memory
        supports take place.
        """
        if isinstance(scenario, str):
            scenario = shared_scenario(scenario)
        model = system.get("model")
        own_model = model if isinstance(model, Model) else None
        if own_model is not None:
            system["model"] = own_model.name
        sut = with_defaults(Sut(**system), scenario, system.keys())
        length = sessions or scenario.default_sessions
        built = build(sut, scenario.role, own_model)
        if events is None:
            events = default_events(scenario, length, built.agent)
        parsed = parse_events(events, length)
        plan = plan_for(
            scenario,
            pressure,
            dials,
            length,
            seed,
            parsed,
        )
        folder = directory_of(out, plan, sut) if out is not None else None
        return cls(
            plan,
            scenario,
            built,
            folder,
            sut=sut,
            suite=suite,
        )

    @classmethod
    def open(cls, path: Path, *, trust: bool = False) -> Life:
        """The life in a run folder, as its files describe it; raises InputError where none is.

        Raises UntrustedFile, before anything is loaded, where its files name code and `trust` does
        not say that it may run.
        """
        run = RunDirectory(path)
        plan = run.plan()
        record = run.sut()
        try:
            sut = sut_from_record(record)
        except ValidationError as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise InputError(f"{run.sut_file}: not the record of a system ({reason})") from error
        demands = [*scenario_demands(record.scenario), *system_demands(sut)]
        require_trust(run.sut_file, demands, trust)
        require_trust(run.plan_file, event_demands(plan.events), trust)
        return cls(
            plan,
            shared_scenario(record.scenario),
            sut,
            run,
            suite=run.suite(),
        )

    def again(self, out: Path) -> Life:
        """The same life, to be lived once more below `out`."""
        folder = directory_of(out, self.plan, self.sut)
        return Life(
            self.plan,
            self.scenario,
            self.sut,
            folder,
            suite=self.suite,
        )

    # -- what it is made of

    @property
    def sut(self) -> Sut:
        """The description of the system; raises InputError where a life has only an agent."""
        if self._sut is None:
            raise InputError("this life was made from an agent, not from a described system")
        return self._sut

    @property
    def system(self) -> System:
        """The system, built on first use."""
        if self._system is None:
            self._system = build(self.sut, self.scenario.role)
        return self._system

    @property
    def folder(self) -> RunDirectory:
        """The folder of the life; raises InputError for one in memory."""
        if not isinstance(self.record, RunDirectory):
            raise InputError("this life is kept in memory; give it an `out` folder")
        return self.record

    @cached_property
    def embedded(self) -> bool:
        """Whether the life asks no model but the embedded reader."""
        return is_embedded(self.sut, [str(event) for event in self.plan.events])

    # -- living

    def live(
        self,
        resources: Resources | None = None,
        progress: Progress | None = None,
        begun: Transition | None = None,
        entering: Progress | None = None,
    ) -> int:
        """Live the life, or what is left of it; returns how many calls reached a model.

        `entering` is called with each point before its transition, `progress` once that is on disk.
        `begun` holds the events and answers of a transition whose session is still to come; they
        are not repeated. Failed probes of a life that has ended are asked again. Raises Stopped,
        BudgetReached or a ModelError between two transitions; the last two are written down.
        """
        try:
            return self._live(resources or Resources(), progress, begun, entering)
        finally:
            self.close()

    def close(self) -> None:
        """Release what the system holds outside, such as processes; the life can still go on."""
        if self._system is not None:
            self._system.close()

    def _live(
        self,
        resources: Resources,
        progress: Progress | None,
        begun: Transition | None,
        entering: Progress | None,
    ) -> int:
        check_events(self.plan.events, self.system.agent)
        self._build_swapped_models()
        if isinstance(self.record, InMemory):
            self._live_in_memory(progress)
            return 0
        capped = resources.budget.most is not None and not self.embedded
        costs = self.estimate(worst_case=True) if capped else None
        limits = LifeLimits(resources, embedded=self.embedded, costs=costs)
        with self.record as run:
            try:
                if run.plan_file.exists() and run.ended() and has_failed_answers(run):
                    self._ask_failed_again(run, limits)
                else:
                    self._live_in(run, limits, progress, begun, entering)
            except (ModelError, BudgetReached) as error:
                record_stop(run, self.plan, self.scenario, str(error))
                add_life(self.ledger, run.path)
                raise
        return limits.foresight.calls

    def _ask_failed_again(self, run: RunDirectory, limits: LifeLimits) -> None:
        system = self.system
        if system.model is not None:
            system.use(limits.limit(system.model))
        with closing(fork_of(system.twin)) as fork:
            ask_failed_again(
                run,
                self.plan,
                fork,
                workers=limits.probes_at_once,
                swap=lambda name: system.use(limits.limit(self._swapped[name])),
            )

    def _live_in(
        self,
        run: RunDirectory,
        limits: LifeLimits,
        progress: Progress | None,
        begun: Transition | None,
        entering: Progress | None,
    ) -> None:
        run.prepare(self.plan, self.sut.record(spec_of(self.scenario)))
        if self.suite is not None and not run.suite_file.exists():
            write_atomic(run.suite_file, pretty({"suite_id": self.suite}))
        run.begin(life_name(self.plan, self.sut.id), self.declares)
        system = self.system
        if system.model is not None:
            system.use(limits.limit(system.model))
        # Under a cap, a life ends one transition before it begins the next.
        ahead = 0 if self.embedded or limits.foresight.costs is not None else AHEAD
        controller = system.controller

        def committed(t: int) -> None:
            self._begin_trial(run)
            if progress is not None:
                progress(t)

        def enter(t: int) -> None:
            limits.enter(t, self.plan.n_sessions + 1 - t)
            if entering is not None:
                entering(t)

        run.finish_commit()
        self._begin_trial(run)  # where the last start ended before it could
        try:
            live_plan(
                self.plan,
                self.scenario,
                system.agent,
                run,
                meter=system.meter,
                workers=limits.probes_at_once,
                ahead=ahead,
                enter=enter,
                progress=committed,
                about=environment(system),
                swap=lambda name: system.use(limits.limit(self._swapped[name])),
                steering=Steering(controller, self.plan, run.events) if controller else None,
                begun=begun,
            )
        finally:
            limits.foresight.leave()

    def _begin_trial(self, run: RunDirectory) -> None:
        """Make a life whose first session is on disk a partial trial."""
        if run.points() > 1 and not run.partial.exists() and not run.ended():
            record_partial(run, self.plan, self.scenario)
            add_life(self.ledger, run.path)

    def _live_in_memory(self, progress: Progress | None) -> None:
        system = self.system
        assert isinstance(self.record, InMemory)
        live_plan(
            self.plan,
            self.scenario,
            system.agent,
            self.record,
            meter=system.meter,
            progress=progress,
            swap=lambda name: system.use(self._swapped[name]),
            steering=Steering(system.controller, self.plan) if system.controller else None,
        )

    def _build_swapped_models(self) -> None:
        # Before the life starts, so that a wrong name is told at once.
        for event in self.plan.events:
            if event.name == MODEL_SWAP and event.args["model"] not in self._swapped:
                self._swapped[event.args["model"]] = build_model(event.args["model"])

    def estimate(self, *, worst_case: bool = False) -> list[Usage]:
        """What each transition of the life takes; exact with the embedded reader, which is lived.

        With `worst_case`, what a controller may do once is counted wherever it may come.
        """
        # A product is not started to foresee what it takes.
        is_lived = self.embedded and not self.system.agent.owns_loop
        if not is_lived:
            return forecast(self.plan, self.scenario, self.sut, worst_case=worst_case)
        costs = TransitionCosts()
        Life(self.plan, self.scenario, self.sut, costs).live()
        return costs.usages

    # -- what came of it

    def evidence(self, code: Sequence[CodeCheck] = ()) -> LifeRecord:
        """The events, the answers and the memory's texts of the life, to be scored."""
        record = self.record
        if isinstance(record, InMemory):
            return LifeRecord(
                self.plan,
                record.events,
                record.answers,
                record.texts,
                code,
            )
        texts = record.texts(self.plan.n_sessions)
        return LifeRecord(
            self.plan,
            record.events(),
            record.answer_rows(),
            texts,
            code,
        )

    def score(self) -> LifeCard:
        """Write metrics, trial and card from the files and return the card.

        A life with a control that has ended is scored against it.
        """
        run = self.folder
        if self.control is not None and self.control.ended():
            write_atomic(run.control_file, pretty(link_control(run, self.control)))
        return score_files(run, self.plan, self.scenario)

    def card(self) -> Card:
        """The card of the life; it is scored first where that was not done."""
        file = self.folder.card
        return Card.read(load_card(file)) if file.exists() else self.score()

    def diagnose(
        self,
        resources: Resources | None = None,
        *,
        ladder: bool = True,
        calibrate: bool = False,
        progress: Progress | None = None,
    ) -> int:
        """Ask what the diagnosis (`ladder`) and the bounds still lack; returns the calls made.

        The bounds are asked of the embedded reader always, of another model to `calibrate`. The
        answers lie in the folder afterwards; `score` says what they mean.
        """
        if isinstance(self.record, InMemory):
            self._diagnose_in_memory()
            return 0
        try:
            return self._diagnose(resources or Resources(), ladder, calibrate, progress)
        finally:
            self.close()

    def _diagnose(
        self, resources: Resources, ladder: bool, calibrate: bool, progress: Progress | None
    ) -> int:
        record = self.folder
        if not record.ended():
            raise InputError(
                f"{record.path}: this life has not ended; run it again to its end, then diagnose it"
            )
        limits = LifeLimits(resources, embedded=self.embedded)
        system = self.system
        with record as run:
            if system.model is not None:
                system.use(limits.limit(system.model))
            if ladder:
                with closing(fork_of(system.twin)) as fork:
                    ask_ladder_on_disk(
                        run,
                        self.plan,
                        fork,
                        workers=limits.probes_at_once,
                        swap=lambda name: system.use(limits.limit(build_model(name))),
                        progress=progress,
                    )
            if calibrate or self.sut.model == EMBEDDED:
                if system.model is not None:
                    system.use(limits.limit(system.model))
                ask_bounds_on_disk(run, self.plan, system.twin, workers=limits.probes_at_once)
        return limits.foresight.calls

    def _diagnose_in_memory(self) -> None:
        record = self.record
        assert isinstance(record, InMemory)
        system = self.system
        if system.model is not None:
            system.use(system.model)
        with closing(fork_of(system.twin)) as fork:
            diagnose_life(
                self.plan,
                fork,
                record.answers,
                record.states,
                events=record.events,
                done=record.diagnosis_answers,
                keep=record.diagnosis_answers.append,
                swap=system.swap,
            )

    def diagnosis(self) -> Diagnosis:
        """The diagnosis of a life, from the answers that `diagnose` asked for."""
        evidence = self.evidence()
        record = self.record
        rows = (
            record.diagnosis_answers
            if isinstance(record, InMemory)
            else read_answers(record.diagnosis_answers)
        )
        by_itself = owns_workspace(evidence.events)
        return diagnosis_of(self.plan, evidence.answers, rows, end_to_end=by_itself)


def score_folder(path: Path, *, trust: bool = False) -> LifeCard:
    """Score the life in a run folder from its files; its system is not loaded.

    Raises UntrustedFile where its scenario is code and `trust` does not say that it may run.
    """
    run = RunDirectory(path)
    plan = run.plan()
    name = run.sut().scenario
    require_trust(run.sut_file, scenario_demands(name), trust)
    return score_files(run, plan, shared_scenario(name))
