"""Records the executable episodes of the public set from stories.

A story (`benchmarks/workspaces/*.yaml`) is an episode whose trajectory is written as turns: `U` and
`A` are what user and agent say, `$` a command, `W` a file that is written. Commands are really run,
in the confinement that episodes are run in, and what they print is recorded; the files behind the
last turn are the workspace at the cut.

`python benchmarks/record_workspaces.py [NAME…]` writes the episodes into the public set.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import yaml

from agingbench.resumption.episodes.benchmark_folder import packaged_set
from agingbench.resumption.episodes.check import check_file
from agingbench.resumption.episodes.replay import run_shell
from agingbench.resumption.runs.workbench import result_text
from agingbench.sandbox.workshop import Workshop, workshop

STORIES = Path(__file__).parent / "workspaces"
PROVENANCE = {
    "session": "recorded by benchmarks/record_workspaces.py: what user and agent say is written,"
    " every command was really run and its output recorded",
    "written_by": "a language model; no human has reviewed it",
}
Entry = dict[str, Any]  # an event of an inline trajectory, as YAML holds it


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as they are read."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def play(turn: dict[str, Any], shop: Workshop) -> list[Entry]:
    """Play one turn and return its entries."""
    ((kind, content),) = turn.items()
    if kind == "U":
        return [{"role": "user", "content": content}]
    if kind == "A":
        return [{"role": "assistant", "content": content}]
    if kind == "$":
        call = {"role": "tool_call", "tool_name": "run", "command": content}
        result = run_shell(shop, content)
        output = result_text(result)
        outcome: Entry = {"role": "tool_result", "exit_code": result.exit_code}
        return [call, {**outcome, "stdout": output} if output else outcome]

    shop.write(content["path"], content["text"].encode())
    call = {"role": "tool_call", "tool_name": "write", "arguments": dict(content)}
    return [call, {"role": "tool_result", "exit_code": 0, "stdout": f"wrote {content['path']}"}]


def record(story: dict[str, Any]) -> dict[str, Any]:
    """Return the episode of a story."""
    files = {path: text.encode() for path, text in story.pop("files").items()}
    entries: list[Entry] = []
    with workshop(files) as shop:
        for turn in story.pop("turns"):
            entries += play(turn, shop)
    left = {path: data.decode() for path, data in sorted(shop.files.items())}
    gold = {name: story.pop(name) for name in ("most_steps", "gold_steps", "gold_output")}
    facts = {name: story.pop(name) for name in list(story) if name.startswith("gold_")}
    return {
        **story,
        "source": "session",
        "provenance": PROVENANCE,
        "partial_trajectory": entries,
        **facts,
        "workspace": {"files": left, **gold},
    }


def main(names: list[str]) -> int:
    """Record the stories, write their episodes and say what is wrong with them."""
    wrong = 0
    for path in sorted(STORIES.glob("*.yaml")):
        if names and path.stem not in names:
            continue
        episode = record(yaml.safe_load(path.read_text(encoding="utf-8")))
        target = packaged_set() / "episodes" / f"{episode['id']}.yaml"
        text = yaml.dump(episode, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
        target.write_text(text, encoding="utf-8")
        report = check_file(target)
        print(f"{target.name} {path.stem}: {report.steps} steps")
        for problem in report.problems:
            print(f"  {problem}")
            wrong += 1
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
