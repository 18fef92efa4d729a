"""From seed to card: cards of every kind of life are valid, and whole lives through the two
protocols add up.
"""

from __future__ import annotations

import json
import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from agingbench.bench.life.places import condition
from agingbench.bench.life.planning import plan_for
from agingbench.bench.life.system import Sut
from agingbench.cards.check import card_hash, load_card, validate_card
from agingbench.errors import InputError, TransportError
from agingbench.memory.append_only import AppendOnly
from agingbench.memory.prompts import COMPACTION, prompt_hash
from agingbench.models.extractive import Extractive
from agingbench.records import Reply
from agingbench.trials.record import read_trial
from tests.bench.lives import part, run_life, score_run, small_plan
from tests.models.stub_server import Body, Says, StubServer

HERE = __name__


# -- cards


class Blank(Extractive):
    """Knows nothing, not even what stands before it."""

    def complete(
        self, messages: Any, tools: Any = (), max_tokens: int = 1024, seed: int | None = None
    ) -> Reply:
        reply = super().complete(messages, tools, max_tokens, seed)
        return Reply("I do not know.", usage=reply.usage) if part(messages) == "probe" else reply


class Forgets(Extractive):
    """Knows day one and nothing after."""

    def complete(
        self, messages: Any, tools: Any = (), max_tokens: int = 1024, seed: int | None = None
    ) -> Reply:
        reply = super().complete(messages, tools, max_tokens, seed)
        return Reply("nothing of note", usage=reply.usage) if part(messages) == "write" else reply


LIVES: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    # preset, model, memory, events
    "plain": ("light", "extractive", "lossy_compress", ()),
    "events": ("light", "extractive", "careful_compress", ("flush_history@2", "recompact@3")),
    "keeps all": ("light", "extractive", "append_only", ()),
    "keeps nothing": ("light", "extractive", "no_memory", ("flush_history@1",)),
    "no pressure": ("none", "extractive", "careful_compress", ()),
    "blank": ("light", f"{HERE}:Blank", "lossy_compress", ()),
    "forgets": ("light", f"{HERE}:Forgets", "lossy_compress", ()),
}


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, Any]]]:
    out = tmp_path_factory.mktemp("lives")
    made = {}
    for name, (preset, model, memory, events) in LIVES.items():
        made[name] = run_life(
            small_plan(events, preset=preset), Sut(model=model, memory=memory), out / name
        )
    return made


@pytest.mark.parametrize("name", LIVES)
def test_the_card_of_every_life_is_valid(
    lives: dict[str, tuple[Path, dict[str, Any]]], name: str
) -> None:
    path, card = lives[name]
    assert validate_card(card) == []
    assert load_card(path / "aging_card.json") == card
    assert card["content_hash"] == card_hash(card)
    assert read_trial(path / "trial.json").trial_id == card["provenance"]["trial_id"]
    assert card["provenance"]["plan_hash"] == small_plan(LIVES[name][3], preset=LIVES[name][0]).hash


@pytest.mark.parametrize("name", LIVES)
def test_no_file_holds_infinity_or_nan(
    lives: dict[str, tuple[Path, dict[str, Any]]], name: str
) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    files = list(lives[name][0].rglob("*.json*"))
    assert {"plan.json", "aging_card.json", "answers.jsonl", "trace.jsonl"} <= {
        file.name for file in files
    }
    for file in files:
        for line in (
            file.read_text().splitlines() if file.suffix == ".jsonl" else [file.read_text()]
        ):
            json.loads(line, parse_constant=refuse)


def test_an_agent_that_is_blank_on_day_one_has_no_half_life(
    lives: dict[str, tuple[Path, dict[str, Any]]],
) -> None:
    headline = lives["blank"][1]["headline"]
    assert headline["m0"] == headline["m_final"] == 0
    assert headline["m0_n"] > 0
    assert headline["half_life"] is None
    assert headline["half_life_reason"]
    assert headline["aging_detected"] is not True


def test_a_life_that_never_reaches_half_is_censored(
    lives: dict[str, tuple[Path, dict[str, Any]]],
) -> None:
    censored = [
        card["headline"] for _, card in lives.values() if card["headline"]["half_life_censored"]
    ]
    assert censored, "no life of these held out"
    assert all(headline["half_life"] is None for headline in censored)
    crossed = lives["forgets"][1]["headline"]
    assert crossed["m0"] > 0
    assert crossed["half_life_censored"] is False
    assert crossed["half_life"] is not None


def test_mechanisms_without_probes_are_missing_not_zero(
    lives: dict[str, tuple[Path, dict[str, Any]]],
) -> None:
    card = lives["no pressure"][1]
    blocks = card["mechanism_metrics"]
    assert blocks["interference"]["resistance"] is None
    assert blocks["interference"]["confusion_rate"] is None
    assert blocks["revision"]["version_accuracy"] is None
    assert blocks["maintenance"]["delta"] is None
    for mechanism in ("interference", "maintenance"):
        assert f"mechanism_not_exercised:{mechanism}" in card["warnings"]
    assert not any(w == "mechanism_not_exercised:compression" for w in card["warnings"])


def test_the_card_says_which_prompt_compacted(
    lives: dict[str, tuple[Path, dict[str, Any]]],
) -> None:
    hashes = {name: lives[name][1]["provenance"]["prompt_hashes"] for name in LIVES}
    assert hashes["plain"] == {"compaction": prompt_hash(COMPACTION["lossy"])}
    assert hashes["events"] == {"compaction": prompt_hash(COMPACTION["careful"])}
    assert hashes["keeps all"] == hashes["keeps nothing"] == {}


def test_events_are_on_the_card(lives: dict[str, tuple[Path, dict[str, Any]]]) -> None:
    card = lives["events"][1]
    assert card["lifecycle_events"] == ["flush_history@2", "recompact@3"]
    assert card["mechanism_metrics"]["maintenance"]["shock_sessions"] == [2, 3]


def test_equal_lives_have_equal_cards(
    lives: dict[str, tuple[Path, dict[str, Any]]], tmp_path: Path
) -> None:
    _, again = run_life(small_plan(LIVES["plain"][3]), Sut(), tmp_path)
    assert again["content_hash"] == lives["plain"][1]["content_hash"]
    assert lives["keeps all"][1]["content_hash"] != again["content_hash"]


def test_a_life_may_be_moved_and_scored_again(
    lives: dict[str, tuple[Path, dict[str, Any]]], tmp_path: Path
) -> None:
    path, card = lives["plain"]
    moved = tmp_path / "kept" / "elsewhere"
    moved.parent.mkdir()
    path.rename(moved)
    try:
        assert score_run(moved) == card
    finally:
        moved.rename(path)


def test_conditions_that_differ_have_names_that_differ() -> None:
    plans = [small_plan(), small_plan(("flush_history@1",)), small_plan(("flush_history@2",))]
    plans += [
        small_plan(preset="none"),
        small_plan(sessions=2),
        plan_for("s2", "light", {"update_rate": 0.3}, 3),
    ]
    assert len({condition(plan) for plan in plans}) == len(plans)
    assert condition(small_plan()) == condition(small_plan(seed=5))


# -- whole lives through the protocols


class Protocol:
    """A server's side of a life: what it says in which part, what it breaks, and what it charged
    for.
    """

    def __init__(
        self, broken: Callable[[str, str, int], int | None] = lambda kind, text, turn: None
    ) -> None:
        self.broken = broken
        self.lock = threading.Lock()
        self.seen: dict[str, int] = {}
        self.served = self.tokens_in = self.tokens_out = 0
        self.parts: list[str] = []

    def __call__(self, path: str, body: Body) -> tuple[int, Body]:
        text = json.dumps(body)
        last = json.dumps(body["messages"][-1])
        kind = "write" if "<text>" in last else "probe" if "at most 60 words" in text else "task"
        with self.lock:
            turn = self.seen[text] = self.seen.get(text, 0) + 1
            status = self.broken(kind, last, turn)
            if status is not None:
                return status, {
                    "type": "error",
                    "error": {"message": "not now", "type": "x", "code": None},
                }
            self.served += 1
            self.parts.append(kind)
            says = Says(
                {"write": "A short summary.", "task": "Done.", "probe": "It is $250."}[kind],
                input_tokens=100 + self.served,
                output_tokens=10 + self.served % 7,
            )
            self.tokens_in += says.input_tokens
            self.tokens_out += says.output_tokens
            return 200, says.anthropic(body) if path.endswith("/messages") else says.openai(body)


def asked_through(server: StubServer, protocol: str, **more: Any) -> Sut:
    url = server.openai_url if protocol == "openai" else server.url
    return Sut(
        model=f"{protocol}:stub", memory="careful_compress", model_options={"base_url": url, **more}
    )


def expected_calls() -> int:
    plan = small_plan()
    return sum(len(s.tasks) for s in plan.sessions) + len(plan.probes) + plan.n_sessions


@pytest.fixture
def prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "prices.json"
    file.write_text(
        json.dumps(
            {
                "as_of": "2026-01-01",
                "usd_per_million_tokens": {"stub": {"input": 1000.0, "output": 5000.0}},
            }
        )
    )
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("AGINGBENCH_PRICES", str(file))


@pytest.mark.usefixtures("prices")
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_a_whole_life_adds_up_and_busy_servers_are_asked_again(
    protocol: str, tmp_path: Path
) -> None:
    def busy(kind: str, text: str, turn: int) -> int | None:
        return {1: 429, 2: 500}.get(turn) if kind in ("write", "task") and "Book" in text else None

    stub = Protocol(busy)
    with StubServer(stub) as server:
        path, card = run_life(small_plan(), asked_through(server, protocol), tmp_path, workers=4)
    assert stub.served == expected_calls()
    assert len(server.requests) > stub.served  # some were asked again
    cost = card["cost_and_efficiency"]
    assert (cost["total_calls"], cost["total_input_tokens"], cost["total_output_tokens"]) == (
        stub.served,
        stub.tokens_in,
        stub.tokens_out,
    )
    assert cost["total_cost_usd"] == pytest.approx(stub.tokens_in / 1000 + stub.tokens_out / 200)
    assert validate_card(card) == []
    assert not any("failed" in warning for warning in card["warnings"])
    assert card["sut"]["model_provider"] == protocol
    rows = [json.loads(line) for line in (path / "answers.jsonl").read_text().splitlines()]
    assert {row["text"] for row in rows} == {"It is $250."}
    assert [row["probe"] for row in rows] == [
        p.id for t in range(4) for p in small_plan().probes_at(t)
    ]
    trial = read_trial(path / "trial.json")
    assert trial.cost is not None
    assert (trial.cost.tokens_in, trial.cost.tokens_out) == (stub.tokens_in, stub.tokens_out)


@pytest.mark.usefixtures("prices")
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_probes_that_always_fail_are_failed_and_never_wrong(protocol: str, tmp_path: Path) -> None:
    plan = small_plan()
    victim = next(p for p in plan.probes_at(2) if p.weight is None)

    def dead(kind: str, text: str, turn: int) -> int | None:
        return 500 if kind == "probe" and json.dumps(victim.question)[1:-1] in text else None

    stub = Protocol(dead)
    with StubServer(stub) as server:
        sut = asked_through(server, protocol, max_retries=1)
        path, card = run_life(plan, sut, tmp_path, workers=4)
    lost = [p.id for p in plan.probes if p.question == victim.question]
    rows = [json.loads(line) for line in (path / "answers.jsonl").read_text().splitlines()]
    assert [row["probe"] for row in rows if row.get("status") == "failed"] == lost
    table = json.loads((path / "metrics.json").read_bytes())["answers"]
    assert {(r["verdict"], r["value"]) for r in table if r["probe"] in lost} == {("failed", None)}
    assert "failed" not in {r["verdict"] for r in table if r["probe"] not in lost}
    assert stub.served == card["cost_and_efficiency"]["total_calls"] == expected_calls() - len(lost)
    assert card["cost_and_efficiency"]["total_input_tokens"] == stub.tokens_in


@pytest.mark.parametrize(("share", "headline"), [(0.03, True), (0.09, False)])
def test_too_many_failures_leave_no_headline(share: float, headline: bool, tmp_path: Path) -> None:
    plan = plan_for("s2", "light", sessions=10)
    heads = [p for p in plan.probes if p.weight is not None]
    FailsSome.left = round(share * len(heads))
    FailsSome.heads = {p.prompt for p in heads}
    path, card = run_life(plan, Sut(model=f"{HERE}:FailsSome"), tmp_path)
    assert FailsSome.left == 0
    assert validate_card(card) == []
    told = [w for w in card["warnings"] if "failed" in w]
    assert len(told) == 1
    figures = [card["headline"][name] for name in ("m0", "m_final", "decay_slope")]
    if headline:
        assert told[0].startswith("failed_probes:")
        assert None not in figures
    else:
        assert told[0].startswith("no_headline:")
        assert figures == [None] * 3
        assert card["headline"]["half_life"] is None
        assert card["headline"]["aging_detected"] is None
    assert score_run(path) == card


class FailsSome(Extractive):
    """Breaks on every third probe of the headline that comes by, as often as it is told."""

    left: ClassVar[int] = 0
    seen: ClassVar[int] = 0
    heads: ClassVar[set[str]] = set()

    def complete(
        self, messages: Any, tools: Any = (), max_tokens: int = 1024, seed: int | None = None
    ) -> Reply:
        if part(messages) == "probe" and messages[-1].content in FailsSome.heads:
            FailsSome.seen += 1
            if FailsSome.left and FailsSome.seen % 3 == 0:
                FailsSome.left -= 1
                raise TransportError("dead")
        return super().complete(messages, tools, max_tokens, seed)


@pytest.mark.usefixtures("prices")
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_a_second_life_over_the_same_cache_asks_nothing(protocol: str, tmp_path: Path) -> None:
    with StubServer(Protocol()) as server:
        sut = asked_through(server, protocol)
        _, first = run_life(
            small_plan(), sut, tmp_path / "one", cache=tmp_path / "cache", workers=4
        )
        asked = len(server.requests)
        _, second = run_life(
            small_plan(), sut, tmp_path / "two", cache=tmp_path / "cache", workers=4
        )
        assert len(server.requests) == asked
        assert second["content_hash"] == first["content_hash"]
        other = asked_through(server, protocol, temperature=0.7)
        run_life(small_plan(), other, tmp_path / "three", cache=tmp_path / "cache", workers=4)
        assert len(server.requests) > asked


@pytest.mark.usefixtures("prices")
def test_a_life_stopped_by_a_dead_server_continues(tmp_path: Path) -> None:
    broken = [True]

    def dead(kind: str, text: str, turn: int) -> int | None:
        return 500 if kind == "write" and broken[0] and "A short summary." in text else None

    stub = Protocol(dead)
    with StubServer(stub) as server:
        sut = asked_through(server, "openai", max_retries=0)
        with pytest.raises(TransportError, match="did not answer: status 500"):
            run_life(small_plan(), sut, tmp_path)
        broken[0] = False
        _, card = run_life(small_plan(), sut, tmp_path)
    assert stub.parts.count("write") == small_plan().n_sessions
    # The unit that was stopped is lived again; the card counts the life that is on disk, once.
    assert card["cost_and_efficiency"]["total_calls"] == expected_calls() < stub.served


def test_an_answer_twice_or_never_is_told(tmp_path: Path) -> None:
    path, _ = run_life(plan_for("s2", sessions=2), Sut(), tmp_path)
    lines = (path / "answers.jsonl").read_bytes().splitlines(keepends=True)
    (path / "answers.jsonl").write_bytes(b"".join([*lines[1:], lines[3]]))
    with pytest.raises(InputError, match=r"p0\.0 0 times"):
        score_run(path)


def test_a_path_among_the_options_does_not_reach_the_card(tmp_path: Path) -> None:
    class Kept(AppendOnly):
        def __init__(self, place: str = "") -> None:
            super().__init__()

    sys.modules["kept_memory"] = types.SimpleNamespace(Kept=Kept)  # type: ignore[assignment]
    sut = Sut(memory="kept_memory:Kept", memory_options={"place": "/home/somebody/store"})
    _, card = run_life(plan_for("s2", sessions=2), sut, tmp_path)
    assert card["sut"]["memory_options"] == {"place": "<path>"}
