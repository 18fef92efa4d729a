"""Runtime control: what a controller sees, what it may do and when, and that a stopped life goes on
alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agingbench.agents.react import ReactAgent
from agingbench.bench.life.actions import ACTIONS, REREAD, Action, check_actions, perform
from agingbench.bench.life.control import Steering, build_controller
from agingbench.bench.life.folder import RunDirectory
from agingbench.bench.life.life import Life
from agingbench.bench.life.limits import Resources
from agingbench.bench.life.loop import live_plan
from agingbench.bench.life.planning import load_scenario, plan_for
from agingbench.bench.life.signals import Signals
from agingbench.bench.life.system import Sut, build, sut_from_record, with_defaults
from agingbench.bench.life.transitions import InMemory
from agingbench.bench.plan.plan import Plan, parse_events
from agingbench.bench.scoring.score import LifeRecord, life_figures
from agingbench.bench.studies.cells import Cell, check
from agingbench.bench.studies.estimates import total
from agingbench.bench.studies.extending import extend
from agingbench.bench.studies.grid import load_study
from agingbench.bench.studies.reproducing import reproduce
from agingbench.bench.studies.runner import run_study
from agingbench.errors import InputError, RunConflict
from agingbench.memory.build import build_memory
from agingbench.models.extractive import Extractive
from agingbench.records import Message
from agingbench.trials.run_folder import CONTROLLER_ACTION, SIGNALS, SystemRecord
from tests.bench.lives import SCENARIO, normal_files, playing, run_life

HERE = "tests.bench.life.test_control"


def plan(sessions: int = 6, events: Sequence[str] = (), seed: int = 0, sentinels: int = 1) -> Plan:
    return plan_for(
        "s2", "light", {"sentinels": sentinels}, sessions, seed, parse_events(events, sessions)
    )


def lived(sut: Sut, of: Plan) -> tuple[InMemory, Steering | None]:
    built = build(sut, SCENARIO.role)
    keeper = InMemory()
    control = Steering(built.controller, of) if built.controller is not None else None
    live_plan(of, SCENARIO, built.agent, keeper, meter=built.meter, steering=control)
    return keeper, control


def figures(sut: Sut, of: Plan) -> dict[str, float | None]:
    keeper, _ = lived(sut, of)
    return life_figures(LifeRecord(of, keeper.events, keeper.answers, keeper.texts), memory=False)


def said(keeper: InMemory) -> list[tuple[str, str]]:
    return [(row.probe, row.text) for row in keeper.answers]


class Wants:
    """Asks for the same actions after every session."""

    monitor = "scored"

    def __init__(self, name: str = "enable_typed_state", warmup: int = 1, **args: Any) -> None:
        self.warmup = warmup
        self.action = Action(name, args, "because")

    @property
    def may(self) -> tuple[Action, ...]:
        return (self.action,)

    def decide(self, past: Sequence[Signals]) -> list[Action]:
        return [self.action]


class Blind(Wants):
    """The same without gold."""

    monitor = "gold_free"


class Moody:
    """Decides otherwise in each process, which no controller may."""

    monitor = "gold_free"
    warmup = 1
    may = (Action("enable_typed_state"),)
    wants = True

    def decide(self, past: Sequence[Signals]) -> list[Action]:
        return [*self.may] if self.wants else []


class Broken(Blind):
    """Breaks, or names what it did not declare."""

    def decide(self, past: Sequence[Signals]) -> list[Action]:
        return [Action("recompact")] if len(past) > 2 else [self.action] if len(past) < 2 else [][0]


class Lacking:
    """No controller at all."""


# -- decisions


def after(session: int, **scores: float) -> Signals:
    return Signals(session, 100, 2, 100, 50, 0.5, 10, 2, 1, scores)


@pytest.mark.parametrize(
    ("arm", "scores", "names"),
    [
        ("conservative", {"accumulator_error": 50.0, "m": 0.5}, []),
        ("conservative", {"accumulator_error": 50.5, "m": 0.5}, ["enable_typed_state"]),
        ("conservative", {"accumulator_error": 0.0, "m": 0.49}, ["switch_prompt"]),
        ("aggressive", {"accumulator_error": 20.5, "m": 0.45}, ["enable_typed_state"]),
        ("aggressive", {"accumulator_error": 20.0, "m": 0.39}, ["switch_prompt"]),
        ("aggressive", {}, []),
        ("aggressive_retro", {"accumulator_error": 21.0}, ["enable_typed_state", "recompact"]),
        ("aggressive_retro", {"m": 1.0}, []),
        ("always_on", {}, ["enable_typed_state", "switch_prompt"]),
        (
            "threshold:error=5,recall=null",
            {"accumulator_error": 6.0, "m": 0.0},
            ["enable_typed_state"],
        ),
        ("threshold", {"accumulator_error": 51.0}, ["enable_typed_state"]),
    ],
)
def test_thresholds(arm: str, scores: dict[str, float], names: list[str]) -> None:
    assert [
        action.name for action in build_controller(arm).decide([after(0), after(1, **scores)])
    ] == names


def test_the_last_session_decides_and_says_why() -> None:
    bad = after(1, accumulator_error=100.0)
    good = after(2, accumulator_error=1.0)
    controller = build_controller("aggressive")
    assert controller.decide([bad, good]) == []
    assert controller.decide([good, bad])[0].reason == "accumulator_error 100 > 20"


@pytest.mark.parametrize(
    ("lost", "before", "ratio", "sentinels", "tokens", "names"),
    [
        (2, 2, 0.4, 1, 1000, []),
        (3, 0, 0.4, 1, 1000, ["enable_typed_state"]),
        (3, 0, 0.4, 0, 1000, []),
        (3, 0, 0.4, 1, 100, []),  # two calls of 8 tokens would be 16 % of the session
        (3, 0, 0.4, 1, None, ["enable_typed_state"]),
        (6, 6, 0.4, 0, 1000, ["switch_prompt"]),
        (6, 5, 0.4, 0, 1000, []),
        (6, 6, 0.6, 0, 1000, []),
        (6, 6, None, 0, 1000, []),
    ],
)
def test_the_controller_without_gold(
    lost: int,
    before: int,
    ratio: float | None,
    sentinels: int,
    tokens: int | None,
    names: list[str],
) -> None:
    past = [
        Signals(t, tokens, 2, 100, 50, ratio, 10, n, sentinels) for t, n in ((1, before), (2, lost))
    ]
    assert [action.name for action in build_controller("write_loss").decide(past)] == names


def test_no_number_is_no_loss() -> None:
    past = [Signals(t, None, 0, 0, 0, None, 0, 0, 3) for t in (0, 1)]
    assert build_controller("write_loss").decide(past) == []


# -- names


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("agressive", "did you mean aggressive"),
        ("thresold:error=20", "did you mean threshold"),
        ("non", "did you mean none"),
        ("threshold:eror=20", "did you mean error"),
        ("threshold:error", "key=value"),
        ("threshold:error=[", "cannot be read"),
        ("threshold:error=lots", "error must be a number"),
        ("threshold:error=-1", "error must be a number"),
        ("threshold:error=.nan", "error must be a number"),
        ("threshold:error=.inf", "error must be a number"),
        ("threshold:retro=1", "true or false"),
        ("write_loss:loss=2", "between 0 and 1"),
        ("aggressive:prompt=gentle", "unknown compaction prompt"),
        ("nowhere.at.all:Thing", "cannot import"),
        (f"{HERE}:Wantz", "did you mean Wants"),
        (f"{HERE}:Lacking", "lacks decide"),
        (f"{HERE}:Wants:warmup=soon", "warmup must be"),
        (f"{HERE}:Wants:name=fly", "unknown action"),
        (f"{HERE}:Wants:name=set_top_k,k=3", "k best"),
        (f"{HERE}:Wants:name=switch_prompt", "say which prompt"),
        ("", "unknown controller"),
    ],
)
def test_mistakes_are_told_before_anything_runs(spec: str, told: str) -> None:
    agent = build(Sut(controller=f"{HERE}:Blind"), "").agent
    with pytest.raises(InputError, match=told):
        check_actions(build_controller(spec).may, agent)
    with pytest.raises(InputError, match=told):
        build(Sut(controller=spec), "")


def test_what_a_memory_cannot_do_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not support prompt_update"):
        build(Sut(memory="append_only", controller="aggressive"), "")
    with pytest.raises(InputError, match=r"s2.*does not support prompt_update"):
        check([Cell("s2", Sut(memory="append_only", controller="aggressive"), 2)])
    build(Sut(memory="append_only", controller="threshold:recall=null"), "")


def test_an_overlay_takes_what_a_scenario_prefers_for_the_policy_inside() -> None:
    scenario = load_scenario("s3")
    sut = with_defaults(Sut(memory="typed_state+careful_compress"), scenario, {"memory"})
    assert (
        sut.memory_options
        == with_defaults(Sut(memory="careful_compress"), scenario, {"memory"}).memory_options
        != {}
    )
    assert build(sut, "").agent.dump()["memory"]["inner"]["words"] == sut.memory_options["words"]
    same = [
        Sut(memory="typed_state"),
        Sut(memory="typed_state", memory_options={"inner": "lossy_compress"}),
    ]
    assert {one.id for one in same} == {Sut(memory="typed_state+lossy_compress").id}


def test_none_is_the_system_itself() -> None:
    assert Sut(controller="none").record("s2") == Sut().record("s2")
    assert build(Sut(controller="none"), "").controller is None
    assert "controller" not in Sut().record("s2").document()


@pytest.mark.parametrize(
    "arm", ["aggressive", "threshold:error=20,recall=0.4", f"{HERE}:Wants:name=recompact"]
)
def test_a_controlled_system_comes_back_from_its_record(arm: str) -> None:
    sut = Sut(memory="typed_state+careful_compress", controller=arm)
    file = json.dumps(sut.record("s2").document())
    back = sut_from_record(SystemRecord.read(json.loads(file)))
    assert back.record("s2") == sut.record("s2")
    assert (back.arm, back.memory_options) == (arm, {})


@pytest.mark.parametrize(
    ("warmup", "told"), [(1, "failed with IndexError"), (2, "no action that its `may` declares")]
)
def test_a_controller_that_breaks_stops_the_life_in_one_line(
    warmup: int, told: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=told):
        run_life(plan(4), Sut(controller=f"{HERE}:Broken:warmup={warmup}"), tmp_path)


# -- what it sees


@pytest.mark.parametrize("scenario", ["s1", "s2", "s4", "s6"])
def test_scores_are_those_of_the_record(scenario: str, tmp_path: Path) -> None:
    # Typed state reads marked amounts, so that balances are answered with a number.
    marked = "sentinels" in load_scenario(scenario).own_dials
    of = plan_for(scenario, "light", {"sentinels": 1} if marked else {}, sessions=6)
    memory = "typed_state+careful_compress" if marked else "careful_compress"
    path, card = run_life(
        of, Sut(memory=memory, controller="threshold:error=1000000,recall=0"), tmp_path
    )
    run = RunDirectory(path)
    seen = {
        e.session: (e.metadata or {})["signals"]["scores"]
        for e in run.events()
        if e.lifecycle == SIGNALS
    }
    assert list(seen) == list(range(6))
    shown = {t: scores["m"] for t, scores in seen.items() if "m" in scores}
    known = {t: m for t, m in card["checkpoints"][:-1] if m is not None}
    assert shown == {t: pytest.approx(known[t]) for t in shown}
    assert set(known) - set(shown) <= {0}
    errors = {
        t: scores["accumulator_error"]
        for t, scores in seen.items()
        if "accumulator_error" in scores
    }
    trajectory = json.loads(run.metrics.read_text())["accumulator_error"]["trajectory"]
    recorded = {
        point["t"]: point["absolute"]
        for point in trajectory
        if point["absolute"] is not None and point["t"] in seen
    }
    assert errors == {t: pytest.approx(error) for t, error in recorded.items()}
    if of.graph.accounts:
        assert errors


def shown(keeper: InMemory) -> list[dict[str, Any]]:
    """The signals of a life without what is a matter of the machine."""
    seen = [(e.metadata or {})["signals"] for e in keeper.events if e.lifecycle == SIGNALS]
    return [{k: v for k, v in signals.items() if k != "latency_ms"} for signals in seen]


def test_without_gold_no_score_is_shown_and_gold_changes_nothing() -> None:
    of = plan(5)
    asked, _ = lived(Sut(controller=f"{HERE}:Blind"), of)
    seen = shown(asked)
    assert seen
    assert not any("scores" in one for one in seen)
    blank = msgspec.structs.replace(
        of, probes=[msgspec.structs.replace(p, required=p.required[:0]) for p in of.probes]
    )
    other, _ = lived(Sut(controller=f"{HERE}:Blind"), blank)
    assert shown(other) == seen


def test_signals_hold_no_gold_and_measure_the_write() -> None:
    of = plan(5)
    keeper, control = lived(
        Sut(memory="lossy_compress", controller=f"{HERE}:Wants:name=recompact,warmup=9"), of
    )
    assert control is not None
    texts = dict(keeper.texts)
    for signals in control.past:
        t = signals.session
        assert signals.sentinels == sum(
            delta.session == t for a in of.graph.accounts for delta in a.deltas
        ) + sum(account.session == t for account in of.graph.accounts)
        assert signals.numbers >= signals.numbers_lost >= 0
        assert (signals.memory_tokens > 0) == bool(texts[t + 1])
        assert set(msgspec.to_builtins(signals)) <= set(Signals.__struct_fields__)
        assert all(isinstance(value, float) for value in (signals.scores or {}).values())


# -- the overlay in a life


@pytest.mark.parametrize(
    "inner",
    ["lossy_compress", pytest.param("careful_compress", marks=pytest.mark.slow), "append_only"],
)
def test_the_overlay_keeps_every_balance_that_sentinels_mark(inner: str) -> None:
    for seed in range(2):
        of = plan(10, seed=seed)
        plain, typed = (
            figures(Sut(memory=memory), of) for memory in (inner, f"typed_state+{inner}")
        )
        assert (typed["accumulator_error"], typed["accumulator_accuracy"]) == (0.0, 1.0)
        assert (plain["accumulator_accuracy"] or 0.0) < 0.8


def test_without_sentinels_the_overlay_changes_no_answer() -> None:
    of = plan(6, sentinels=0)
    plain, typed = (
        lived(Sut(memory=memory), of)[0]
        for memory in ("careful_compress", "typed_state+careful_compress")
    )
    assert said(plain) == said(typed)
    assert plain.texts == typed.texts


def test_a_reply_full_of_sentinels_moves_no_balance() -> None:
    of = plan(4)
    inner = build_memory("typed_state+append_only", Extractive())

    def shout(kind: str, messages: Sequence[Message]) -> str:
        return "[ACCUM_INIT:household_account:1] [ACCUM:household_account:-999] Done."

    agent = ReactAgent(playing(shout), inner, SCENARIO.role)
    keeper = InMemory()
    live_plan(of, SCENARIO, agent, keeper)
    account = of.graph.accounts[0]
    shown = json.loads(keeper.texts[-1][1].partition("\n\n")[0])
    assert shown[account.name.replace(" ", "_")] == account.balance(4)


# -- what it does


def test_always_on_is_the_careful_overlay_from_the_first_day() -> None:
    of = plan(8)
    controlled, _ = lived(Sut(memory="lossy_compress", controller="always_on"), of)
    plain, _ = lived(Sut(memory="typed_state+careful_compress"), of)
    assert said(controlled) == said(plain)
    assert controlled.texts[1:] == plain.texts[1:]


def test_a_controller_that_does_nothing_changes_nothing() -> None:
    of = plan(6)
    controlled, control = lived(Sut(controller="threshold:error=100000,recall=0"), of)
    plain, _ = lived(Sut(), of)
    assert control is not None
    assert control.taken == []
    assert said(controlled) == said(plain)
    assert controlled.texts == plain.texts


def test_actions_wait_for_the_warm_up_are_taken_once_and_hold() -> None:
    of = plan(6)
    keeper, control = lived(Sut(memory="lossy_compress", controller=f"{HERE}:Wants"), of)
    assert control is not None
    (event,) = [e for e in keeper.events if e.lifecycle == CONTROLLER_ACTION]
    assert (event.session, event.metadata) == (
        1,
        {"action": "enable_typed_state", "args": {}, "reason": "because", "at": 2},
    )
    shown = [t for t, text in keeper.texts if text.startswith("{")]
    assert shown == [2, 3, 4, 5, 6]
    before = [row for row in keeper.answers if row.t < 2]
    plain, _ = lived(Sut(memory="lossy_compress"), of)
    assert [row.text for row in before] == [row.text for row in plain.answers if row.t < 2]


@pytest.mark.parametrize(
    ("sut", "seen"),
    [
        (
            Sut(
                memory="lossy_compress",
                controller=f"{HERE}:Wants:name=switch_prompt,prompt=careful",
            ),
            "careful",
        ),
        (Sut(memory="lossy_episodic", controller=f"{HERE}:Wants:name=set_top_k,k=2"), 2),
    ],
)
def test_settings_hold_to_the_end(sut: Sut, seen: Any, tmp_path: Path) -> None:
    path, _ = run_life(plan(4), sut, tmp_path)
    run = RunDirectory(path)
    key = "prompt" if seen == "careful" else "k"
    values = [run.snapshot(t).state["memory"][key] for t in range(5)]
    assert values[:2] != [seen, seen]
    assert values[2:] == [seen] * 3


def test_recompacting_keeps_the_prompt_and_both_snapshots(tmp_path: Path) -> None:
    sut = Sut(memory="lossy_compress", controller=f"{HERE}:Wants:name=recompact,prompt=careful")
    path, card = run_life(plan(4), sut, tmp_path)
    run = RunDirectory(path)
    assert [run.snapshot(t).state["memory"]["prompt"] for t in range(5)] == ["lossy"] * 5
    assert (run.memory / "2_written.json").exists()
    (event,) = [e for e in run.events() if e.lifecycle == CONTROLLER_ACTION]
    assert event.usage is not None
    assert event.usage.calls == 1
    assert card["control"]["actions"][0]["args"] == {"prompt": "careful"}


def test_a_forced_reread_is_in_every_later_prompt() -> None:
    agent = ReactAgent(Extractive(), build_memory("append_only", Extractive()), "A role.")
    for _ in range(2):
        perform(Action("force_reread"), agent)
    assert agent.role == f"A role.\n\n{REREAD}"
    assert agent.fork().role == agent.role
    assert set(ACTIONS) == {
        "enable_typed_state",
        "switch_prompt",
        "recompact",
        "force_reread",
        "set_top_k",
        "set_budget",
        "append",
        "flush",
    }


# -- on the card and on disk


@pytest.mark.parametrize(("arm", "monitor"), [("always_on", "scored"), ("write_loss", "gold_free")])
def test_the_card_says_who_steered(arm: str, monitor: str, tmp_path: Path) -> None:
    path, card = run_life(plan(4), Sut(controller=arm), tmp_path)
    assert (card["monitor"], card["control"]["arm"], card["control"]["monitor"]) == (
        monitor,
        arm,
        monitor,
    )
    traced = [e for e in RunDirectory(path).events() if e.lifecycle == CONTROLLER_ACTION]
    assert len(traced) == len(card["control"]["actions"]) > 0
    for event, action in zip(traced, card["control"]["actions"], strict=True):
        assert action["reason"]
        assert (action["t"], action["session"]) == ((event.metadata or {})["at"], event.session)
    assert card["sut"]["memory_policy_type"] == "summarize_store"
    assert path.parts[-3].endswith(f"+{arm}")


def test_the_card_of_an_idle_overlay_says_so(tmp_path: Path) -> None:
    name = "typed_state_without_sentinels"
    for sut, sentinels, told in (
        (Sut(memory="typed_state"), 0, True),
        (Sut(memory="typed_state+append_only"), 1, False),
        (Sut(controller="always_on"), 0, True),
        (Sut(), 0, False),
    ):
        _, card = run_life(plan(2, sentinels=sentinels), sut, tmp_path / str(sentinels))
        assert any(warning.startswith(name) for warning in card["warnings"]) == told


class Stopped(Exception):
    """Raised in the middle of a life."""


def stop_after(unit: int) -> Callable[[int], None]:
    def progress(t: int) -> None:
        if t == unit:
            raise Stopped

    return progress


ARMS = [
    "aggressive_retro",
    pytest.param("always_on", marks=pytest.mark.slow),
    pytest.param("write_loss", marks=pytest.mark.slow),
    f"{HERE}:Wants:name=force_reread",
]


@pytest.mark.parametrize("arm", ARMS)
def test_a_stopped_life_goes_on_alike_from_every_unit(arm: str, tmp_path: Path) -> None:
    of = plan(5, ["recompact@2", "flush_history@4"])
    sut = Sut(memory="careful_compress", controller=arm)
    whole, _ = run_life(of, sut, tmp_path / "whole")
    assert [e for e in RunDirectory(whole).events() if e.lifecycle == CONTROLLER_ACTION]
    for unit in range(5):
        out = tmp_path / str(unit)
        with pytest.raises(Stopped):
            run_life(of, sut, out, progress=stop_after(unit))
        path, _ = run_life(of, sut, out)
        assert normal_files(path) == normal_files(whole)


def test_probes_asked_at_once_change_nothing(tmp_path: Path) -> None:
    of = plan(5)
    sut = Sut(memory="careful_compress", controller="aggressive_retro")
    one, many = (
        run_life(of, sut, tmp_path / str(workers), workers=workers)[0] for workers in (1, 4)
    )
    assert normal_files(one) == normal_files(many)


def test_a_controller_that_changed_its_mind_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = plan(5)
    sut = Sut(controller=f"{HERE}:Moody")
    for first in (True, False):
        monkeypatch.setattr(Moody, "wants", first)
        with pytest.raises(Stopped):
            run_life(of, sut, tmp_path / str(first), progress=stop_after(3))
        monkeypatch.setattr(Moody, "wants", not first)
        with pytest.raises(RunConflict, match="decides otherwise"):
            run_life(of, sut, tmp_path / str(first))


@pytest.mark.parametrize(("name", "odd"), [(SIGNALS, "tokens"), (CONTROLLER_ACTION, "at")])
def test_a_damaged_record_of_control_is_told(name: str, odd: str, tmp_path: Path) -> None:
    of = plan(4)
    sut = Sut(controller=f"{HERE}:Wants")
    with pytest.raises(Stopped):
        run_life(of, sut, tmp_path, progress=stop_after(2))
    run = next(RunDirectory(file.parent) for file in tmp_path.rglob("plan.json"))
    lines = run.trace.read_text().splitlines(keepends=True)
    run.trace.write_text(
        "".join(x.replace(f'"{odd}":', '"odd":') if f'"{name}"' in x else x for x in lines)
    )
    with pytest.raises(InputError, match="cannot be read"):
        run_life(of, sut, tmp_path)


@pytest.mark.parametrize(
    "arm",
    [
        "aggressive_retro",
        pytest.param(f"{HERE}:Wants:name=force_reread", marks=pytest.mark.slow),
        f"{HERE}:Wants:name=recompact,warmup=9",
    ],
)
def test_a_controlled_life_is_extended_and_reproduced(arm: str, tmp_path: Path) -> None:
    sut = Sut(memory="careful_compress", controller=arm)
    events = ("recompact@10",)
    dials = (("sentinels", 1),)
    short, long = (Cell("s2", sut, n, "light", dials, events, control=False) for n in (10, 12))
    run_study([short], tmp_path / "out", Resources())
    run_study([long], tmp_path / "fresh", Resources())
    longer = extend(short.place(tmp_path / "out").path, 12, None, Resources(), trust=True)
    path, card = longer.folder.path, longer.score()
    assert normal_files(path) == normal_files(long.place(tmp_path / "fresh").path)
    assert card.document()["control"]["actions"]
    result = reproduce(path, tmp_path / "again", Resources(), trust=True)
    assert (result.same, result.answers, result.figures) == (True, [], [])


def test_an_estimate_counts_what_control_costs(tmp_path: Path) -> None:
    of = plan(5)
    sut = Sut(controller="aggressive_retro")
    _, card = run_life(of, sut, tmp_path)
    guess = total(Life(of, SCENARIO, sut).estimate())
    cost = card["cost_and_efficiency"]
    assert (guess.input_tokens, guess.calls) == (cost["total_input_tokens"], cost["total_calls"])


def test_controllers_are_an_axis_of_a_grid(tmp_path: Path) -> None:
    file = tmp_path / "grid.yaml"
    file.write_text(
        "sessions: 3\npressures: {preset: light, dials: {sentinels: 1}}\ncontrollers: [none,"
        " always_on]\n"
    )
    cells = load_study(str(file)).cells
    assert [cell.sut.arm for cell in cells] == [None, "always_on"]
    cards = [outcome.card for outcome in run_study(cells, tmp_path / "out", Resources())]
    assert [card is not None and "control" in card.document() for card in cards] == [False, True]
    file.write_text("controllers: [3]\n")
    with pytest.raises(InputError, match="a controller must be"):
        load_study(str(file))
    file.write_text("controllers: agressive\nsessions: 2\n")
    with pytest.raises(InputError, match="did you mean aggressive"):
        check(load_study(str(file)).cells)
