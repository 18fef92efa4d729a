"""Episodes: the spec's own short form, hostile YAML, traces that are missing or changed, and what
`check` finds.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from agingbench.errors import InputError
from agingbench.resumption.episodes.benchmark_folder import (
    BenchmarkFolder,
    init_benchmark,
    packaged_set,
)
from agingbench.resumption.episodes.check import check_file, check_folder
from agingbench.resumption.episodes.episode import (
    Episode,
    TraceRef,
    load_episode,
    load_episodes,
    select_kind,
)
from agingbench.resumption.episodes.trajectory import (
    MissingTrace,
    count_steps,
    cut_at,
    full_text,
    step_text,
    trajectory_events,
)
from agingbench.resumption.judges.deterministic import DeterministicJudge
from agingbench.resumption.judges.verdict import judge_episode
from agingbench.resumption.runs.resuming_agent import EmbeddedAgent
from agingbench.resumption.runs.score import EpisodeScores, score_verdicts
from tests.resumption.making import DATA, example

SHORT_FORM = """
initial_task: "fix the flake in tests/integration/test_cache.py"
partial_trajectory:
  - the flake comes from a race, the root cause is a shared cache key
  - time.sleep(0.1) retries were tried and abandoned
  - the fix is a per-test cache namespace, the patch is not yet written
gold_continuation:
  - write per-test cache namespace
  - run test 50× to confirm de-flaked
gold_facts_to_preserve:
  - root cause is shared cache key (A)
  - fix is per-test cache namespace (C)
  - patch not yet written
gold_facts_to_forget:
  - time.sleep retries were tried and abandoned (B)
"""


def test_the_short_form_of_the_spec_is_read_and_passes_the_check(tmp_path: Path) -> None:
    path = tmp_path / "007.yaml"
    path.write_text(SHORT_FORM)
    episode = load_episode(path)
    assert episode.id == "007"
    assert episode.gold_continuation[0][0].check == "write per-test cache namespace"
    assert episode.gold_facts_to_preserve[0].sentence == "root cause is shared cache key"
    assert check_file(path).problems == []
    assert count_steps(trajectory_events(episode, None)) == 3


def changed(tmp_path: Path, **fields: Any) -> Path:
    """The worked example with other fields."""
    loaded = yaml.safe_load((packaged_set() / "example.yaml").read_text())
    path = tmp_path / "x.yaml"
    path.write_text(yaml.safe_dump({**loaded, **fields}))
    return path


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"initial_task": " "}, "initial_task: Value error, must not be blank"),
        ({"gold_facts_to_forget": []}, "gold_facts_to_forget"),
        (
            {"gold_facts_to_forget": [{"fact": "a", "dead": True}]},
            "[0].dead: no such field; did you mean dead_ok?",
        ),
        (
            {"gold_facts_to_preserve": ["same"], "gold_facts_to_forget": ["same"]},
            "may not be in both lists",
        ),
        (
            {"gold_facts_to_preserve": [{"fact": "a", "values": [{"kind": "date", "text": "x"}]}]},
            "cannot be read as",
        ),
        ({"id": "../up"}, "id:"),
        (
            {"partial_trajectory": {"path": "../../etc/passwd", "at": 3}},
            "stay inside the data folder",
        ),
        ({"partial_trajectory": {"path": "/etc/passwd", "at": 3}}, "must be relative"),
        ({"partial_trajectory": {"path": "a.jsonl", "at": 0}}, "at:"),
    ],
)
def test_wrong_fields_are_told_with_file_and_place(
    tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    path = changed(tmp_path, **fields)
    with pytest.raises(InputError) as told:
        load_episode(path)
    assert said in str(told.value)
    assert str(path) in str(told.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1, 2", "line [12], column"),
        ("a: " + "{a: " * 3000, "nested more than 60 deep"),
        ("- 1", "an episode is a mapping"),
        ("", "an episode is a mapping"),
        ("a: &x [1]\nb: *x\n", "aliases are not used"),
        ("!!python/object/apply:os.system ['true']", "not YAML"),
        ("a: " + "[" * 3000, "x.yaml"),
        ("id: a\nid: b\n", "line 2, column 1: not YAML \\('id' occurs twice"),
        ("a: !!map [b]\n", "expected a mapping"),
    ],
)
def test_what_is_no_yaml_is_told(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        load_episode(path)


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"a: b\n" * 7_000_000)
    with pytest.raises(InputError, match="at most"):
        load_episode(path)


def test_a_bad_entry_of_the_trajectory_is_told_with_its_place(tmp_path: Path) -> None:
    episode = load_episode(
        changed(
            tmp_path, partial_trajectory=[{"role": "assistant", "content": "a"}, {"role": "boss"}]
        )
    )
    with pytest.raises(InputError, match=r"partial_trajectory\[1\]: role is 'boss'"):
        trajectory_events(episode, None)


def test_check_says_what_is_wrong(tmp_path: Path) -> None:
    path = changed(
        tmp_path,
        gold_facts_to_preserve=[
            {"id": "p1", "fact": "the moon is made of cheese", "values": ["cheese"]},
            {"id": "p2", "fact": "it is nearly done", "values": ["almost finished"]},
            {"id": "p3", "fact": "nothing is written", "derived": [400]},
            {"id": "p4", "fact": "time.sleep is bad", "values": ["time.sleep"]},
            {"id": "p5", "fact": "the patch is missing", "derived": [14]},
        ],
        gold_facts_to_forget=[
            {"id": "f1", "fact": "a rewrite in Rust", "values": ["Rust"]},
            {
                "id": "f2",
                "fact": "time.sleep retries",
                "values": ["time.sleep"],
                "named_dead": ["sleep is out"],
            },
        ],
    )
    told = "\n".join(check_file(path).problems)
    assert "fact p1: not stated in the trajectory" in told
    assert "fact p2: its sentence does not state its values" in told
    assert "fact p3: derived from step 400" in told
    assert "fact p4 states what fact f2 is to forget" in told
    assert "p5" not in told
    assert "fact f1: to be forgotten, but the trajectory does not state it" in told
    assert "fact f2: says how it reads as dead" in told


def test_one_broken_file_costs_itself_only(tmp_path: Path) -> None:
    init_benchmark(tmp_path)
    folder = BenchmarkFolder(tmp_path).episodes
    (folder / "001.yaml").write_text("{")
    (folder / "002.yaml").write_text((folder / "000.yaml").read_text())
    found = {c.file: c for c in check_folder(tmp_path)}
    assert found["000.yaml"].problems == []
    assert "not YAML" in found["001.yaml"].problems[0]
    assert "is that of 000.yaml" in found["002.yaml"].problems[0]
    (folder / "001.yaml").unlink()
    with pytest.raises(InputError, match="occurs in another file"):
        load_episodes(folder)


# ----------------------------------------------------------------------------------------------
# traces and steps


def trace(folder: Path, n: int = 6) -> Path:
    """A trace of ours with n messages, each followed by a call and its result."""
    path = folder / "t.jsonl"
    lines: list[dict[str, Any]] = [{"version": 1, "format": "aec-bench-trajectory"}]
    for i in range(n):
        lines += [
            {"step": i, "role": "assistant", "content": f"message {i}"},
            {
                "step": i,
                "role": "tool_call",
                "tool_name": "bash",
                "command": f"make {i}",
                "tool_call_id": str(i),
            },
            {"step": i, "role": "tool_result", "stdout": f"done {i}", "tool_call_id": str(i)},
        ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_result_belongs_to_the_step_of_its_call(tmp_path: Path) -> None:
    path = trace(tmp_path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    episode = example().model_copy(
        update={"partial_trajectory": TraceRef(path="t.jsonl", at=4, sha256=digest)}
    )
    events = trajectory_events(episode, tmp_path)
    assert count_steps(events) == 4
    assert events[-1].stdout == "done 1"
    assert step_text(events, 4) == "tool call bash: make 1\ntool result: done 1"
    assert step_text(events, 99) == ""
    with pytest.raises(InputError, match="has 4 steps, it cannot be cut at 5"):
        cut_at(events, 5, "t")


def test_a_missing_or_changed_trace_is_told(tmp_path: Path) -> None:
    path = trace(tmp_path)
    ref = TraceRef(path="t.jsonl", at=2, sha256="0" * 64)
    episode = example().model_copy(update={"partial_trajectory": ref})
    with pytest.raises(MissingTrace, match="--data"):
        trajectory_events(episode, None)
    with pytest.raises(InputError, match="hash differs"):
        trajectory_events(episode, tmp_path)
    path.unlink()
    with pytest.raises(MissingTrace, match="not in the data folder"):
        trajectory_events(episode, tmp_path)
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "t.jsonl").symlink_to("/etc/hostname")
    with pytest.raises(InputError, match="leads out"):
        trajectory_events(episode, tmp_path / "inside")


# -------------------------------------------------------------------------------------------------
# the public set


@cache
def public_set() -> tuple[Episode, ...]:
    """The episodes that ship, read once: there are many, and nothing may change them."""
    return tuple(load_episodes(packaged_set() / "episodes"))


def test_the_public_set_has_the_shape_of_the_spec() -> None:
    episodes = public_set()
    checked = [check_file(packaged_set() / "episodes" / f"{e.id}.yaml") for e in episodes]
    assert [c for c in checked if c.problems] == []
    inline = [c for c in checked if c.skipped is None]
    assert len(inline) >= 10
    assert {e.source for e in episodes} == {"trace", "life", "session"}
    referred = {
        e.id: e.partial_trajectory for e in episodes if isinstance(e.partial_trajectory, TraceRef)
    }
    assert all(ref.sha256 for ref in referred.values())
    steps_of = {c.episode: c.steps for c in inline} | {
        name: ref.at for name, ref in referred.items()
    }
    long = [name for name, n in steps_of.items() if n is not None and n >= 50]
    short = [name for name, n in steps_of.items() if n is not None and 20 <= n <= 45]
    assert len(long) >= 30
    assert len(short) >= 15
    assert {*long, *short} >= {e.id for e in episodes if e.kind == "text-only"}
    of_100 = [e for e in episodes if e.id in long and (e.turns_in_session or 0) >= 100]
    assert len(of_100) >= 30
    assert all(e.provenance for e in episodes)
    own = [e for e in episodes if e.source == "session" and (e.turns_in_session or 0) >= 100]
    assert len({e.initial_task for e in own}) >= 3
    for e in own:
        assert isinstance(e.partial_trajectory, list)
        said = " ".join(str(value) for entry in e.partial_trajectory for value in entry.values())
        assert not re.search(r"/(?:home|root|tmp|Users|work)/", said), e.id


def bound(context_of: Callable[[Episode], str], episode: Episode) -> EpisodeScores:
    """What a context gets with the embedded agent and judge."""
    context = context_of(episode)
    answer = EmbeddedAgent().resume(episode.initial_task, context).text if context else ""
    return score_verdicts(judge_episode(DeterministicJudge(), episode, context, answer))


def gold_list(episode: Episode) -> str:
    return "\n".join(fact.sentence for fact in episode.gold_facts_to_preserve)


def test_the_gold_list_is_high_and_nothing_is_zero_on_every_public_episode() -> None:
    # What the others score is what an agent does in their workspace.
    episodes = select_kind(public_set(), "text-only")
    # And of late-written ones nothing was made to fit.
    episodes = [episode for episode in episodes if episode.written != "late"]
    found = [bound(gold_list, episode).quality or 0.0 for episode in episodes]
    assert min(found) >= 0.5
    assert sum(found) / len(found) > 0.9
    assert {bound(lambda _: "", episode).quality for episode in episodes} == {0.0}


def test_everything_is_zero_on_every_public_episode_that_is_complete() -> None:
    episodes = [e for e in public_set() if isinstance(e.partial_trajectory, list)]
    assert len(episodes) >= 10
    scores = [
        bound(lambda e: full_text(trajectory_events(e, None)), episode) for episode in episodes
    ]
    assert {s.forgetting_precision for s in scores} == {0.0}
    assert {s.preservation_recall for s in scores} == {1.0}
    assert {s.quality for s in scores} == {0.0}


@pytest.mark.skipif(not DATA.is_dir(), reason="the public traces are not at ../shared/data")
@pytest.mark.parametrize("name", ["001", "011", "018", "105", "111"])
def test_public_episodes_fit_their_traces(name: str) -> None:
    found = check_file(packaged_set() / "episodes" / f"{name}.yaml", DATA)
    assert found.problems == []
    assert found.skipped is None


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the public traces are not at ../shared/data")
def test_the_public_set_fits_its_traces() -> None:
    found = check_folder(packaged_set(), DATA)
    assert [(c.episode, c.problems) for c in found if c.problems] == []
    assert [c.episode for c in found if c.skipped] == []
    for episode in public_set():
        assert (
            bound(lambda e: full_text(trajectory_events(e, DATA)), episode).forgetting_precision
            == 0.0
        ), episode.id
