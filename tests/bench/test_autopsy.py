"""Every failed probe has a story and one cause, and the stories add up."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agingbench.bench.autopsy import FILE, autopsy_run, examine, examine_probe, summary
from agingbench.bench.histories import EVENT, History, Step, told_by
from agingbench.bench.life import WRITE, AnswerRow, live
from agingbench.bench.losses import KINDS, Kept, by_kind, by_step, kept_values, kind_of
from agingbench.bench.plan import Plan, Probe, parse_events
from agingbench.bench.planted import Fault, FaultyAgent, planted_faults
from agingbench.bench.run import load_scenario, plan_for, run_life, score_run
from agingbench.bench.rundir import RunDirectory
from agingbench.bench.stories import CAUSES, STAGES, Examiner
from agingbench.bench.sut import Sut, with_defaults
from agingbench.bench.verdicts import judge
from agingbench.errors import InputError
from agingbench.text import Value

SCENARIOS = ("s1", "s2", "s3", "s4", "s5", "s6")


def life(folder: Path, scenario: str, seed: int, memory: str | None = None, sessions: int | None = None) -> Path:
    """A life of a scenario as it prefers to be lived, or with another memory that suffers a reset half-way."""
    loaded = load_scenario(scenario)
    length = sessions or loaded.default_sessions
    prefers = getattr(loaded, "default_events", None)
    events = ["partial_reset@5"] if memory and length >= 5 else [] if prefers is None or memory else prefers(length)
    sut = Sut(memory=memory) if memory else with_defaults(Sut(), loaded, ())
    plan = plan_for(scenario, "medium", sessions=length, seed=seed, events=parse_events(events, length))
    return run_life(plan, sut, folder)[0]


def check_complete(path: Path) -> dict[str, Any]:
    """Each probe without full credit has one story, each story one cause, and the cause goes with the story."""
    table = json.loads((path / "metrics.json").read_text())["answers"]
    found: dict[str, Any] = json.loads(json.dumps(autopsy_run(path).as_json()))
    assert found == json.loads((path / FILE).read_text())
    failed = [row["probe"] for row in table if row["verdict"] not in ("correct", "failed")]
    assert [story["probe"] for story in found["probes"]] == failed
    assert {row["probe"]: row["verdict"] for row in table if row["probe"] in failed} == {
        story["probe"]: story["verdict"] for story in found["probes"]
    }
    for story in found["probes"]:
        assert story["stage"] == CAUSES[story["cause"]]
        assert story["stage"] in STAGES
        assert story["facts"], story
        lost = [f for f in story["facts"] for f in f.get("missing", [f]) if not f["retrieved"]]
        if story["stage"] in ("write", "store", "retrieval"):
            assert lost, story
        elif story["stage"] == "utilization" and story["type"] != "multi_hop":
            assert all(f["retrieved"] or f["in_answer"] for f in story["facts"]), story
    summed = found["summary"]
    assert sum(summed["causes"].values()) == sum(summed["stages"].values()) == summed["failed_probes"] == len(failed)
    assert summed["causes"] == dict(Counter(story["cause"] for story in found["probes"]))
    return found


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_failed_probe_is_accounted_for(scenario: str, tmp_path: Path) -> None:
    found = check_complete(life(tmp_path, scenario, 3, sessions=6))
    assert found["summary"]["failed_probes"] > 5


@pytest.mark.parametrize("memory", ["append_only", "lossy_episodic", "growing_history", "no_memory"])
def test_every_failed_probe_is_accounted_for_whatever_the_memory(memory: str, tmp_path: Path) -> None:
    found = check_complete(life(tmp_path, "s2", 3, memory, 6))
    causes = found["summary"]["causes"]
    if memory == "append_only":
        assert causes["lost_at_event"] > 5
        assert "never_written" not in causes, "it keeps everything until the event"
    if memory == "no_memory":
        assert set(causes) == {"never_written"}


@pytest.mark.slow
@pytest.mark.parametrize("memory", [None, "append_only"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_failed_probe_of_twenty_lives_is_accounted_for(scenario: str, memory: str | None, tmp_path: Path) -> None:
    if scenario == "s5" and memory:
        pytest.skip("s5 lives in files of its own")
    for seed in range(20):
        check_complete(life(tmp_path, scenario, seed, memory))


@pytest.mark.slow
def test_a_life_of_a_hundred_sessions(tmp_path: Path) -> None:
    check_complete(life(tmp_path, "s2", 0, "append_only", 100))


# -- one story at a time, on a store made by hand


class Store:
    """A life whose store is whatever the test says: it keeps the sentences of all sessions, but for those left out."""

    def __init__(self, plan: Plan, events: Sequence[int] = ()) -> None:
        self.plan, self.events = plan, events
        self.without: dict[tuple[int, str], set[str]] = {}

    def lose(self, sentence: str, at: int, kind: str = WRITE) -> None:
        self.without.setdefault((at, kind), set()).add(sentence)

    def text(self, point: int, kind: str = WRITE) -> str:
        gone = {
            s for (at, how), lost in self.without.items() if at < point or (at == point and how in (kind, WRITE))
            for s in lost
        }  # fmt: skip
        return "\n".join(s for s in self._sentences(point) if s not in gone)

    def _sentences(self, point: int) -> list[str]:
        facts = [v.sentence for f in self.plan.graph.facts for v in f.versions if v.session < point]
        facts += [f.retraction for f in self.plan.graph.facts if f.retraction and (f.retracted_at or 0) < point]
        for account in self.plan.graph.accounts:
            if account.session < point:
                facts += [account.sentence, *(d.sentence for d in account.deltas if d.session < point)]
        return facts

    def story(self, probe: Probe, answer: str, context: str | None = None, **more: Any) -> dict[str, Any]:
        history = History(told_by(self.plan))
        for point in range(1, self.plan.n_sessions + 1):
            history.follow(Step(WRITE, point, point - 1), self.text(point))
            if point in self.events:
                history.follow(Step(EVENT, point, events=(f"recompact@{point}",)), self.text(point, EVENT))
        row = AnswerRow(probe.t, probe.id, "as_lived", answer, context=context, **more)
        return Examiner(self.plan, history, False).story(probe, row, *judge(probe, row, self.plan.graph))


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_for("s2", "heavy", sessions=12, seed=5)


def pick(plan: Plan, kind: str, at: int = 6, **fields: Any) -> Probe:
    """A probe of a type at a point or later."""
    return next(
        p for p in plan.probes if p.type == kind and p.t >= at and all(getattr(p, k) == v for k, v in fields.items())
    )


def gold(probe: Probe) -> str:
    return "; ".join(value.text for value in probe.required)


def sentence(plan: Plan, probe: Probe, number: int = 0) -> str:
    version = plan.graph.by_id[probe.facts[number]].at(probe.t)
    assert version is not None
    return version.sentence


def test_never_written(plan: Plan) -> None:
    probe, store = pick(plan, "standalone", mechanism="compression"), Store(plan)
    store.lose(sentence(plan, probe), 0)
    story = store.story(probe, "I do not know.")
    told = plan.graph.by_id[probe.facts[0]].versions[-1].session
    assert (story["cause"], story["stage"], story["said"]["what"]) == ("never_written", "write", "refusal")
    assert story["facts"][0]["store"] == "never_written"
    assert story["facts"][0]["lost_at"] == {"step": "write", "point": told + 1, "session": told}


@pytest.mark.parametrize("kind", [WRITE, EVENT])
def test_lost_at_a_write_or_at_an_event(plan: Plan, kind: str) -> None:
    probe = next(p for p in plan.probes if p.type == "standalone" and p.mechanism == "compression" and p.lag == 5)
    at = probe.t - 2
    store = Store(plan, events=(at,))
    store.lose(sentence(plan, probe), at, kind)
    story = store.story(probe, "")
    assert (story["cause"], story["said"]["what"]) == (f"lost_at_{kind}", "nothing")
    fact = story["facts"][0]
    assert fact["lost_at"]["step"] == kind
    assert fact["lost_at"]["point"] == at
    assert fact["last_stated"] == (at if kind == EVENT else at - 1)
    assert fact["introduced"] == fact["told_at"] == probe.t - 5


def test_not_retrieved_and_what_was_instead(plan: Plan) -> None:
    probe, store = pick(plan, "standalone", mechanism="interference", at=10), Store(plan)
    fact = plan.graph.by_id[probe.facts[0]]
    rival = plan.graph.by_id[fact.partner or ""].versions[-1]
    story = store.story(probe, rival.value.text, context=rival.sentence)
    assert (story["cause"], story["stage"], story["verdict"]) == ("not_retrieved", "retrieval", "confused")
    assert story["facts"][0]["store"] == "still_there"
    assert story["facts"][0]["lookalike_retrieved"] is True
    assert [(v["relation"], v["fact"]) for v in story["said"]["values"]] == [("lookalike", fact.partner)]
    blind = store.story(probe, "I do not know.", context="")
    assert (blind["cause"], blind["facts"][0]["lookalike_retrieved"]) == ("not_retrieved", False)


def test_read_and_answered_with_something_else(plan: Plan) -> None:
    store = Store(plan)
    revised = pick(plan, "standalone", mechanism="revision")
    old = plan.graph.by_id[revised.facts[0]].versions[0].value.text
    stale = store.story(revised, old)
    assert (stale["cause"], stale["verdict"]) == ("stale_used", "stale")
    assert stale["said"]["values"][0] | {"what": ""} == {
        "value": old, "relation": "stale", "fact": revised.facts[0], "what": "",
        "told_at": plan.graph.by_id[revised.facts[0]].born,
    }  # fmt: skip
    assert stale["facts"][0]["rewritten"]
    pair = pick(plan, "standalone", mechanism="interference", at=10)
    rival = plan.graph.by_id[plan.graph.by_id[pair.facts[0]].partner or ""].versions[-1].value.text
    assert store.story(pair, rival)["cause"] == "lookalike_used"
    both = store.story(pair, f"{gold(pair)}, or {rival}")
    assert (both["cause"], both["verdict"]) == ("recited", "both")
    plain = pick(plan, "standalone", mechanism="compression")
    assert store.story(plain, "I do not know.")["cause"] == "not_used"
    assert store.story(plain, "Something blue and borrowed.")["cause"] == "misread"
    assert store.story(plain, f"It was formerly {gold(plain)}.")["cause"] == "put_in_the_past"


def test_the_value_of_another_fact(plan: Plan) -> None:
    probe = pick(plan, "standalone", mechanism="compression")
    kind = probe.required[0].kind
    other = next(
        f for f in plan.graph.live(probe.t)
        if f.id != probe.facts[0] and f.group is None and f.versions[-1].value.kind == kind
    )  # fmt: skip
    story = Store(plan).story(probe, other.versions[-1].value.text)
    assert story["cause"] == "other_used"
    assert other.id in {v["fact"] for v in story["said"]["values"]}


def test_several_facts_are_judged_by_those_that_the_answer_lacks(plan: Plan) -> None:
    for kind in ("compare", "synthesize"):
        probe, store = pick(plan, kind), Store(plan)
        last = len(probe.facts) - 1
        part = "; ".join(v.text for v in probe.required[:last])
        assert store.story(probe, part)["cause"] == "left_out"
        store.lose(sentence(plan, probe, 0), 0)
        assert store.story(probe, part)["cause"] == "left_out", "the one that is lost was answered all the same"
        store.lose(sentence(plan, probe, last), 0)
        story = store.story(probe, part)
        assert story["cause"] == "never_written"
        assert [f["in_answer"] for f in story["facts"]] == [True] * last + [False]


def test_every_link_of_a_chain_counts(plan: Plan) -> None:
    probe, store = pick(plan, "multi_hop"), Store(plan)
    assert store.story(probe, "Whoever that is.")["cause"] == "not_chained"
    assert store.story(probe, "I do not know.")["cause"] == "not_used"
    store.lose(sentence(plan, probe, len(probe.facts) - 1), 0)
    story = store.story(probe, "Whoever that is.")
    assert story["cause"] == "never_written"
    assert [f["store"] for f in story["facts"]][-1] == "never_written"
    hop = pick(plan, "hop", parent=probe.id)
    assert Store(plan).story(hop, "I do not know.")["cause"] == "not_used"


def test_a_list_fails_by_a_member_or_by_a_retraction(plan: Plan) -> None:
    probe = next(p for p in plan.probes if p.type == "list" and p.stale)
    gone = next(f for f in plan.graph.facts if f.retracted_at is not None and f.versions[0].value in probe.stale)
    store = Store(plan)
    told = f"{gold(probe)}; {gone.versions[0].value.text}"
    kept = store.story(probe, told)
    assert (kept["verdict"], kept["cause"]) == ("both", "recited")
    assert [f["store"] for f in kept["facts"] if f["retraction"]] == ["still_there"]
    assert gone.retraction is not None
    store.lose(gone.retraction, 0)
    story = store.story(probe, told)
    assert story["cause"] == "never_written"
    [taken] = [f for f in story["facts"] if f["retraction"]]
    assert (taken["fact"], taken["retracted"], taken["retrieved"]) == (gone.id, gone.retracted_at, False)
    store.lose(sentence(plan, probe), 0)
    assert store.story(probe, "I do not know.")["cause"] == "never_written"


def test_accounts(plan: Plan) -> None:
    probe, store = pick(plan, "account", account="a0"), Store(plan)
    account = plan.graph.account_by_id["a0"]
    balance = account.balance(probe.t) or 0
    wrong = store.story(probe, f"${balance + 1:,}")
    assert (wrong["cause"], wrong["said"]["error"]) == ("miscalculated", 1.0)
    assert store.story(probe, "I do not know.")["cause"] == "not_used"
    assert store.story(probe, probe.stale[-1].text)["cause"] == "stale_used"
    delta = account.deltas[1]
    store.lose(delta.sentence, 0)
    story = store.story(probe, f"${balance - delta.amount:,}")
    assert story["cause"] == "never_written"
    assert story["said"]["explained_by_missing"] is True
    assert story["facts"][0]["n_missing"] == 1
    assert story["facts"][0]["missing"][0]["value"] == f"${abs(delta.amount):,}"
    later = store.story(probe, f"${balance + 1:,}")
    assert later["said"]["explained_by_missing"] is False


def test_answers_about_an_account_that_give_no_amount_or_take_it_back(plan: Plan) -> None:
    probe, store = pick(plan, "account", account="a0"), Store(plan)
    assert store.story(probe, "Plenty of money.")["cause"] == "misread"
    assert store.story(probe, f"It was formerly {gold(probe)}.")["cause"] in ("put_in_the_past", "stale_used")


def test_whatever_is_answered_has_a_cause_unless_it_is_right(plan: Plan) -> None:
    rng = random.Random(11)
    store, known = Store(plan), [v.value.text for f in plan.graph.facts for v in f.versions]
    words = ["formerly", "no longer", "I do not know.", "not", "now", "$", "12", "\x00", "“”", "…", "balance is", "; "]
    ended = History(told_by(plan))
    for point in range(1, plan.n_sessions + 1):
        ended.follow(Step(WRITE, point, point - 1), store.text(point))
    examiner, causes = Examiner(plan, ended, False), set()
    for probe in plan.probes * 3:
        parts = [*rng.sample(known, 2), *rng.sample(words, 3), *(v.text for v in probe.required)]
        answer = " ".join(rng.sample(parts, rng.randrange(len(parts))))
        context = rng.choice([None, "", store.text(probe.t)[:2000], answer])
        row = AnswerRow(probe.t, probe.id, "as_lived", answer, context=context)
        verdict, value = judge(probe, row, plan.graph)
        story = examiner.story(probe, row, verdict, value)
        assert (story["cause"] is None) == (verdict == "correct")
        causes.add(story["cause"])
    assert causes >= {None, "not_retrieved", "not_used", "recited", "misread", "other_used", "left_out"}


def test_a_balance_in_the_store_spares_what_came_before(plan: Plan) -> None:
    probe = pick(plan, "account", account="a0")
    account = plan.graph.account_by_id["a0"]
    known = account.balance(probe.t - 1)
    moves = [d.sentence for d in account.deltas if d.session == probe.t - 1]
    context = "\n".join([f"The {account.name} holds ${known:,}.", *moves])
    story = Store(plan).story(probe, "$1", context=context)
    assert (story["cause"], story["facts"][0]["known_balance"]) == ("miscalculated", f"${known:,}")
    short = Store(plan).story(probe, f"${known:,}", context=f"The {account.name} holds ${known:,}.")
    assert short["cause"] == "not_retrieved"
    assert short["facts"][0]["n_missing"] == len(moves)
    assert short["said"]["explained_by_missing"] is True


@pytest.mark.parametrize("reason", ["context_overflow", "tool_loop_exhausted"])
def test_a_limit_that_was_hit_is_its_own_cause(plan: Plan, reason: str) -> None:
    probe = pick(plan, "standalone")
    story = Store(plan).story(probe, "", status="unanswered", reason=reason)
    assert (story["cause"], story["stage"]) == (reason, "limit")


def test_day_one_has_the_session_in_front_of_it(plan: Plan) -> None:
    probe = next(p for p in plan.probes if p.t == 0)
    story = Store(plan).story(probe, "I do not know.")
    assert (story["cause"], story["facts"][0]["store"], story["facts"][0]["retrieved"]) == ("not_used", None, True)


@pytest.mark.parametrize(
    "fault", [f for f in planted_faults([0.5]) if not (f.blob and f.stage == "retrieval")], ids=str
)
def test_the_autopsy_of_a_planted_fault_names_its_stage_in_every_story(fault: Fault, tmp_path: Path) -> None:
    # One blob is read as a whole, so a retrieval that misses parts of it leaves no trace in the files.
    plan = plan_for("s6", "heavy", sessions=6, seed=1, events=parse_events(["recompact@3"], 6))
    with RunDirectory(tmp_path) as run:
        run.prepare(plan, {"sut_id": "faulty"})
        live(plan, load_scenario("s6"), FaultyAgent(plan, fault), run)
    found = examine(tmp_path)
    assert len(found.stories) > 5
    assert {story["stage"] for story in found.stories} == {fault.stage}
    if fault.lookalikes:
        said = Counter(story["said"]["what"] for story in found.stories)
        assert said["lookalike"] + said["other"] > said["refusal"]


# -- what they add up to


def test_kinds_of_value_have_names_that_people_use() -> None:
    named = {
        "amount": ("number", "$1,200"), "quantity": ("number", "39.4 milliseconds"), "number": ("number", "461 nodes"),
        "percent": ("percent", "12.5%"), "date": ("date", "March 4"), "time": ("clock", "09:30"),
        "version": ("version", "3.2.1"), "name": ("name", "Ann"), "range": ("range", "$30–$60"), "set": ("set", "a; b"),
    }  # fmt: skip
    for name, (kind, text) in named.items():
        assert kind_of(Value(kind, text)) == name
    assert set(named) == set(KINDS)


def lost(plan: Plan, texts: Sequence[str]) -> list[Kept]:
    history = History(told_by(plan))
    for session, text in enumerate(texts):
        history.follow(Step(WRITE, session + 1, session), text)
    return list(kept_values(plan, history))


def test_what_was_lost_is_counted_where_it_was_lost() -> None:
    plan = plan_for("s2", "light", sessions=3, seed=0)
    store = Store(plan)
    ones = [f for f in plan.graph.facts if f.born == 0 and len(f.versions) == 1 and f.retracted_at is None]
    never, later, flickering, late = (f.versions[0].sentence for f in ones[:4])
    store.lose(never, 0)
    store.lose(later, 3)
    texts = [store.text(1).replace(late, ""), store.text(2).replace(flickering, ""), store.text(3)]
    kept = lost(plan, texts)
    rows = {row["point"]: row for row in by_step([kept])}
    assert [rows[p]["not_written"] for p in (1, 2, 3)] == [2, 0, 0]
    assert [rows[p]["lost"] for p in (1, 2, 3)] == [0, 1, 1]
    assert [rows[p]["came_back"] for p in (1, 2, 3)] == [0, 1, 1]
    assert sum(row["told"] for row in rows.values()) == len(kept)
    assert sum(row["n"] for row in by_kind([kept])) == len(kept)
    assert sum(row["never_written"] for row in by_kind([kept])) == 1, "what came late was written after all"
    assert sum(row["lost"] for row in by_kind([kept])) == 1, "what came back is there"
    ages = {one.told.owner: one.age for one in kept}
    assert [ages[f.id] for f in ones[:4]] == [0, 2, 3, 3]


def test_half_survival_counts_the_writes_that_half_outlive() -> None:
    plan = plan_for("s1", "none", sessions=5, seed=0)
    store = Store(plan)
    for fact in plan.graph.facts:
        if kind_of(fact.versions[0].value) == "name":
            store.lose(fact.versions[0].sentence, fact.born + 3)  # stated at two points, gone at the third
    rows = {row["kind"]: row for row in by_kind([lost(plan, [store.text(t) for t in range(1, 6)])])}
    assert rows["name"]["half_survival"]["value"] == 2
    assert rows["name"]["share_lost"]["value"] == max(row["share_lost"]["value"] for row in rows.values())
    others = [row for kind, row in rows.items() if kind != "name"]
    assert others
    assert all(row["share_lost"]["value"] == 0 and row["half_survival"]["value"] is None for row in others)


def test_lives_are_summed(tmp_path: Path) -> None:
    found = [autopsy_run(life(tmp_path, "s1", seed, sessions=4)) for seed in (0, 1)]
    both, single = summary(found), [summary([one]) for one in found]
    for key in ("probes", "failed_probes", "transport", "lives"):
        assert both[key] == sum(one[key] for one in single)
    assert sum(row["told"] for row in both["losses"]) == sum(row["told"] for one in single for row in one["losses"])
    assert sum(row["n"] for row in both["kinds"]) == sum(row["n"] for one in single for row in one["kinds"])


# -- files


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return life(tmp_path_factory.mktemp("lives"), "s2", 0, "append_only", 6)


@pytest.fixture
def copied(lived: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(lived, tmp_path / "life"))


def test_the_same_files_give_the_same_bytes(copied: Path) -> None:
    autopsy_run(copied)
    first = (copied / FILE).read_bytes()
    autopsy_run(copied)
    assert (copied / FILE).read_bytes() == first
    assert score_run(copied)["headline"], "an autopsy does not stand in the way of scoring"


def test_a_probe_that_was_answered_right_has_a_life_and_no_cause(copied: Path) -> None:
    table = {r.probe: r for r in RunDirectory(copied).answer_rows()}
    wrong = {story["probe"] for story in examine(copied).stories}
    right = next(p for p in table if p not in wrong)
    story = examine_probe(copied, right)
    assert (story["cause"], story["stage"], story["said"]["what"]) == (None, None, "right")
    with pytest.raises(InputError, match=r"no probe 'p99\.0'"):
        examine_probe(copied, "p99.0")


def test_calls_that_broke_are_listed_apart(copied: Path) -> None:
    file = RunDirectory(copied).answers
    rows = RunDirectory(copied).answer_rows()
    rows[3] = msgspec.structs.replace(rows[3], text="", status="failed", reason="timeout")
    file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    found = examine(copied)
    assert found.transport == [rows[3].probe]
    assert rows[3].probe not in {story["probe"] for story in found.stories}
    assert examine_probe(copied, rows[3].probe)["cause"] is None


def test_answers_of_a_diagnosis_beside_them_change_nothing(copied: Path) -> None:
    before = examine(copied).stories
    with RunDirectory(copied).answers.open("ab") as file:
        for row in RunDirectory(copied).answer_rows():
            file.write(msgspec.json.encode(msgspec.structs.replace(row, condition="oracle_context")) + b"\n")
    assert examine(copied).stories == before


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("plan.json", "{}", "not a plan"),
        ("answers.jsonl", '{"t": 1}\n', r"answers\.jsonl:1"),
        ("answers.jsonl", '{"t":1,"probe":"p9.99","condition":"as_lived","text":""}\n', r"p9\.99 is not in the plan"),
        ("memory/3.json", "[]", r"3\.json"),
        ("memory/3.json", '{"t": 3, "state": {}, "text": {"$more": []}}', r"3\.json"),
        ("memory/5_before.json", "{", r"5_before\.json"),
    ],
)
def test_broken_files_are_named(copied: Path, file: str, content: str, complaint: str) -> None:
    (copied / file).write_text(content)
    with pytest.raises(InputError, match=complaint):
        autopsy_run(copied)
    assert not (copied / FILE).exists()


def edited(copied: Path, change: Callable[[dict[str, Any]], None]) -> None:
    plan = json.loads((copied / "plan.json").read_text())
    change(plan)
    (copied / "plan.json").write_text(json.dumps(plan))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda p: p["probes"][0].update(facts=["f9999"]), r"probe p0\.0 asks for nothing"),
        (lambda p: p["probes"][0].update(facts=[]), r"probe p0\.0 asks for nothing"),
        (lambda p: p["probes"][0].update(required=[]), r"probe p0\.0 asks for nothing"),
        (lambda p: p["probes"][0].update(account="a7"), r"probe p0\.0 asks for nothing"),
        (lambda p: p["probes"][-1].update(t=99), r"probe p6\.\d+ asks for nothing"),
        (lambda p: p["probes"][0].update(facts=[p["graph"]["facts"][-1]["id"]]), "does not hold at its point"),
        (lambda p: p["graph"]["facts"][0].update(versions=[]), "f0 is not told"),
        (lambda p: p["graph"]["facts"][0]["versions"][0].update(session=6), "f0 is not told"),
        (lambda p: p["graph"]["facts"][0]["versions"][0].update(session=-1), "f0 is not told"),
        (lambda p: p["graph"]["accounts"][0]["deltas"][0].update(session=5), "a0 is not told"),
        (lambda p: p["graph"]["facts"][0]["versions"][0]["value"].update(kind="soul"), "unknown kind"),
        (lambda p: p["graph"]["facts"][0]["versions"][0]["value"].update(kind="date", text="x"), "cannot be read"),
    ],
)
def test_a_plan_that_does_not_hold_together_is_refused(
    copied: Path, change: Callable[[dict[str, Any]], None], complaint: str
) -> None:
    edited(copied, change)
    with pytest.raises(InputError, match=complaint):
        examine(copied)


def test_a_life_that_has_not_ended_is_refused(copied: Path) -> None:
    trace = RunDirectory(copied).trace
    trace.write_bytes(b"".join(trace.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(InputError, match="has not ended"):
        examine(copied)
