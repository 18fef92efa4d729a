"""The long sessions of the public set: enough of them run without extras and traces, no two are
alike, and the recorder refuses a story whose gold does not fit what was recorded.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from agingbench.resumption.episodes.benchmark_folder import packaged_set
from agingbench.resumption.episodes.check import check_file
from agingbench.resumption.episodes.episode import Episode, load_episode
from agingbench.resumption.episodes.trajectory import count_steps, full_text, trajectory_events
from tests.places import ROOT

EPISODES = packaged_set() / "episodes"
RECORDED = sorted(EPISODES.glob("2*.yaml"))
STORIES = ROOT / "benchmarks" / "stories"


def text_of(episode: Episode) -> str:
    return full_text(trajectory_events(episode, None))


def lines_of(episode: Episode) -> set[str]:
    return {line.strip() for line in text_of(episode).splitlines() if line.strip()}


def recorder() -> ModuleType:
    """The script, which lies in no package."""
    name = "record_sessions"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def recorded() -> list[Episode]:
    return [load_episode(path) for path in RECORDED]


def test_thirty_long_sessions_pass_the_check_on_a_bare_install() -> None:
    reports = [check_file(path) for path in RECORDED]
    assert [report for report in reports if report.problems or report.skipped] == []
    assert len([report for report in reports if report.stratum == "long"]) >= 30


def test_recorded_sessions_have_a_hundred_turns_and_are_cut_near_the_middle(
    recorded: list[Episode],
) -> None:
    for episode in recorded:
        turns = episode.turns_in_session or 0
        assert turns >= 100, episode.id
        steps = count_steps(trajectory_events(episode, None))
        assert 0.4 <= steps / turns <= 0.6, episode.id


def test_recorded_sessions_are_of_five_domains_and_have_facts_of_every_kind(
    recorded: list[Episode],
) -> None:
    domains = [episode.domain for episode in recorded]
    wanted = {"code", "data_analysis", "operations", "writing", "research"}
    assert set(domains) == wanted
    assert min(domains.count(domain) for domain in wanted) >= 6
    for episode in recorded:
        assert len(episode.gold_facts_to_preserve) >= 5, episode.id
        assert len(episode.gold_facts_to_forget) >= 3, episode.id
        assert len(episode.gold_continuation[0]) >= 2, episode.id


def test_no_two_recorded_sessions_share_a_fifth_of_their_lines(recorded: list[Episode]) -> None:
    lines = {episode.id: lines_of(episode) for episode in recorded}
    for (a, first), (b, second) in itertools.combinations(lines.items(), 2):
        assert len(first & second) <= min(len(first), len(second)) / 5, (a, b)


def test_every_recorded_session_has_its_story(recorded: list[Episode]) -> None:
    heads = {}
    for path in STORIES.glob("*.story"):
        head = yaml.safe_load(path.read_text(encoding="utf-8").split("\n===")[0])
        heads[f"benchmarks/stories/{path.name}"] = str(head["id"])
    assert len(heads) == len(recorded)
    for episode in recorded:
        assert isinstance(episode.provenance, dict)
        assert heads[episode.provenance["story"]] == episode.id


STORY = """id: 999
domain: operations
=== setup
open('n.txt', 'w').write('7')
=== session
U> count the sheep
A> {+f1}I guess that there are 12 sheep.
$> cat n.txt
@let sheep (\\d+)
A> {-f1}{+p1}The file says {{sheep}} sheep, the guess is dropped. {+p2}Next: write sheep.txt.
@for word | number
ROWS
A> The {{word}} look, number {{number}}.
R> n.txt
@end
@cut
W> sheep.txt
{{sheep}}
A> {+c1}sheep.txt is written.
@for word
REST
A> Once more, {{word}}.
R> sheep.txt
@end
=== gold
p1 | the file says {{sheep}} sheep | 7 sheep
p2 | next: write sheep.txt | sheep.txt
f1 | there are 12 sheep | 12 sheep
c1 | write sheep.txt | sheep.txt | 12 sheep
"""


def toy(tmp_path: Path, **changes: str) -> Any:
    """The toy story, each of its rows two steps, with changes made to its text."""
    rows = "\n".join(f"@- w{n} | {n}" for n in range(25))
    text = STORY.replace("ROWS", rows).replace("REST", rows.replace(" | ", ""))
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "toy.story"
    path.write_text(text, encoding="utf-8")
    return recorder().read_story(path)


def test_a_story_is_played_and_cut(tmp_path: Path) -> None:
    script = recorder()
    story = toy(tmp_path)
    episode = script.make_episode(story, script.record(story))
    path = tmp_path / "999.yaml"
    path.write_text(script.dump(episode), encoding="utf-8")
    report = check_file(path)
    assert report.problems == []
    assert report.steps == 54
    loaded = load_episode(path)
    assert loaded.turns_in_session == 106
    assert "The file says 7 sheep, the guess is dropped." in text_of(loaded)
    assert "sheep.txt is written" not in text_of(loaded)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{+p1}", "", "no step is tagged {+p1}"),
        ("| 7 sheep", "| 8 sheep", "p1: step 4 does not state"),
        ("{-f1}", "", "f1: stated [2], given up []"),
        ("{+c1}sheep", "sheep", "no step is tagged {+c1}"),
        ("@cut\n", "", "not near the middle"),
    ],
)
def test_a_story_whose_gold_does_not_fit_is_refused(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    script = recorder()
    story = toy(tmp_path, **{old: new})
    with pytest.raises(script.BadStory) as refusal:
        script.make_episode(story, script.record(story))
    assert said in str(refusal.value)


def test_a_name_without_a_value_is_refused(tmp_path: Path) -> None:
    script = recorder()
    story = toy(tmp_path, **{"{{number}}": "{{nothing}}"})
    with pytest.raises(script.BadStory, match="no value is named 'nothing'"):
        script.record(story)


def test_a_command_runs_in_the_folder_with_a_clean_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "swordfish")
    script = recorder()
    code, output = script.run_command(["bash", "-c", "pwd; echo $SECRET; exit 3"], tmp_path)
    assert (code, output) == (3, "/project")


def test_long_output_loses_its_middle() -> None:
    script = recorder()
    shortened = script.shorten("a" * 2000 + "b" * 2000)
    assert shortened.startswith("a" * 1250)
    assert shortened.endswith("b" * 1250)
    assert "[… 1500 characters left out …]" in shortened


@pytest.mark.slow
def test_a_shipped_session_is_recorded_again_as_it_was() -> None:
    script = recorder()
    story = script.read_story(STORIES / "recipe_units.story")
    episode = script.make_episode(story, script.record(story))
    shipped = EPISODES / f"{episode['id']}.yaml"
    assert script.dump(episode) == shipped.read_text(encoding="utf-8")
