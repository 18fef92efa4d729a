"""Records the long sessions of the public set: a story says what user and agent say and which
commands the agent gives, the commands are really run in an empty folder, and what they print is
recorded.

`python benchmarks/record_sessions.py` records every story of `benchmarks/stories` and writes its
episode into the public set; `--only NAME` records some, `--out DIR` writes elsewhere, `--whole`
prints sessions beyond the cut. The form of a story is in `benchmarks/stories/README.md`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from agingbench.resumption.episodes.benchmark_folder import packaged_set
from agingbench.resumption.episodes.episode import ContinuationCheck, EpisodeFact
from agingbench.resumption.episodes.trajectory import SHORT, full_text
from agingbench.resumption.judges.deterministic import states_all
from agingbench.traces.trajectory import decode_event

STORIES = Path(__file__).parent / "stories"
TURNS = 100  # that a session has at least
LONGEST = 2500  # characters of one output; what is beyond is left out, as marked
SECONDS = 300  # of one command; busy machines are slow, a story that hangs is not waited for
SECTIONS = ("setup", "session", "gold")
ROLES = {"U": "user", "A": "assistant"}
WHERE = "/project"

_SECTION = re.compile(r"^=== (\w+)\n", re.MULTILINE)
_ENTRY = re.compile(r"^(?:([UA$WR])> ?|(@(?:for|-|end|cut|let)))(.*)$")
_SLOT = re.compile(r"\{\{(.+?)\}\}")
_TAG = re.compile(r"\{([+-])(\w+)\} ?")
_PYTHON = re.compile(r'"[^"\n]*/(python3\.\d+/)')

Entry = dict[str, Any]  # an event of an inline trajectory, as YAML holds it


class BadStory(Exception):
    """A story that cannot be recorded, or whose gold does not fit what was recorded."""


@dataclass(frozen=True)
class Line:
    """One entry of a story: who or what (U, A, $, W, R, @for, @cut, @let) and its text."""

    kind: str
    text: str


@dataclass(frozen=True)
class Story:
    """A story as it was written."""

    name: str
    head: dict[str, Any]
    setup: str
    lines: list[Line]
    gold: list[list[str]]


@dataclass
class Recording:
    """The entries of a session, where it is cut, and the steps that were tagged."""

    entries: list[Entry] = field(default_factory=list)
    steps: int = 0
    cut_steps: int = 0
    cut_entries: int = 0
    tags: dict[str, list[int]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    output: str = ""

    def text_of(self, step: int) -> str:
        """Return the text of a step with its result, as a judge reads it."""
        own = [entry for entry in self.entries if entry["at"] == step]
        return full_text(decode_event({"step": 0, **_plain(entry)}) for entry in own)


# -- reading


def read_story(path: Path) -> Story:
    """Read a story file; raises BadStory with what is missing."""
    parts = _SECTION.split(path.read_text(encoding="utf-8"))
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    if tuple(sections) != SECTIONS:
        raise BadStory(f"{path.name}: has the sections {tuple(sections)}, not {SECTIONS}")
    gold = [_columns(line) for line in sections["gold"].splitlines() if line.strip()]
    lines = list(read_lines(sections["session"]))
    return Story(path.stem, yaml.safe_load(parts[0]), sections["setup"], lines, gold)


def read_lines(text: str) -> Iterator[Line]:
    """Yield the entries of a session; a line without a mark belongs to the entry before it."""
    kind, content = "", ""
    for raw in text.splitlines():
        found = _ENTRY.match(raw)
        if found is None:
            content += "\n" + raw
            continue
        if kind:
            yield Line(kind, content.strip("\n"))
        kind, content = found[1] or found[2], found[3]
    if kind:
        yield Line(kind, content.strip("\n"))


def unroll(lines: Sequence[Line]) -> Iterator[tuple[Line, dict[str, str]]]:
    """Yield the entries with loops written out, each with the names of its row."""
    place = 0
    while place < len(lines):
        line = lines[place]
        if line.kind != "@for":
            yield line, {}
            place += 1
            continue
        end = next(n for n in range(place, len(lines)) if lines[n].kind == "@end")
        inside = lines[place + 1 : end]
        rows = [_columns(row.text) for row in inside if row.kind == "@-"]
        body = [row for row in inside if row.kind != "@-"]
        for row in rows:
            names = dict(zip(_columns(line.text), row, strict=True))
            yield from ((entry, names) for entry in body)
        place = end + 1


def _columns(text: str) -> list[str]:
    return [part.strip() for part in text.split(" | ")]


# -- recording


def record(story: Story) -> Recording:
    """Run a story in an empty folder and return what happened."""
    recording = Recording()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        if story.setup.strip():
            code, output = run_command([sys.executable, "-c", story.setup], place)
            if code:
                raise BadStory(f"{story.name}: setup failed\n{output}")
        for line, names in unroll(story.lines):
            _play(line, names, story, recording, place)
    return recording


def _play(
    line: Line, names: dict[str, str], story: Story, recording: Recording, place: Path
) -> None:
    if line.kind == "@cut":
        recording.cut_steps = recording.steps
        recording.cut_entries = len(recording.entries)
        return
    if line.kind == "@let":
        name, pattern = line.text.split(None, 1)
        recording.names[name] = _capture(pattern, recording.output, story)
        return

    recording.steps += 1
    text = fill(line.text, names, recording, story)
    for _, tag in _TAG.findall(text):
        recording.tags.setdefault(tag, [])
    for sign, tag in _TAG.findall(text):
        recording.tags[tag].append(recording.steps if sign == "+" else -recording.steps)
    text = _TAG.sub("", text)
    entries = _say(line.kind, text) if line.kind in ROLES else _call(line.kind, text, story, place)
    recording.entries += [{**entry, "at": recording.steps} for entry in entries]
    if line.kind not in ROLES:
        recording.output = entries[-1].get("stdout", "")


def _say(kind: str, text: str) -> list[Entry]:
    return [{"role": ROLES[kind], "content": text}]


def _call(kind: str, text: str, story: Story, place: Path) -> list[Entry]:
    """Carry out a call and return it with its result."""
    tools = story.head.get("tools", {})
    if kind == "$":
        code, output = run_command(["bash", "-c", text], place)
        tool = tools.get("$", "bash")
        call = {"role": "tool_call", "tool_name": tool, "command": text}
        return [call, {"role": "tool_result", "exit_code": code, "stdout": shorten(output)}]

    name, _, content = text.partition("\n")
    path = place / name
    if kind == "W":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n", encoding="utf-8")
        arguments = {"path": name, "content": content + "\n"}
        output = f"{len(content.splitlines())} lines written to {name}"
    else:
        arguments = {"path": name}
        output = path.read_text(encoding="utf-8")
    tool = tools.get(kind, "write_file" if kind == "W" else "read_file")
    call = {"role": "tool_call", "tool_name": tool, "arguments": arguments}
    return [call, {"role": "tool_result", "exit_code": 0, "stdout": shorten(output)}]


def run_command(command: Sequence[str], place: Path) -> tuple[int, str]:
    """Run a command in the folder with a clean environment; return exit code and output."""
    stamp = "2026-03-02T09:00:00+00:00"
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(place),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "100",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": stamp,
        "GIT_COMMITTER_DATE": stamp,
    }
    done = subprocess.run(
        command,
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    printed = done.stdout.decode(errors="replace").replace("\r\n", "\n")
    output = printed.replace(str(place), WHERE)
    return done.returncode, _PYTHON.sub(r'"\1', output).rstrip("\n")


def shorten(output: str) -> str:
    """Return the output, its middle left out where it is too long."""
    if len(output) <= LONGEST:
        return output
    half = LONGEST // 2
    left_out = len(output) - 2 * half
    return f"{output[:half]}\n[… {left_out} characters left out …]\n{output[-half:]}"


def fill(text: str, names: dict[str, str], recording: Recording, story: Story) -> str:
    """Put values into a text: {{name}}, or {{/pattern/}} for what the last output holds."""

    def value(slot: re.Match[str]) -> str:
        key = slot[1]
        if key.startswith("/") and key.endswith("/"):
            return _capture(key[1:-1], recording.output, story)
        known = {**recording.names, **names}
        if key not in known:
            raise BadStory(f"{story.name}: no value is named {key!r}")
        return known[key]

    return _SLOT.sub(value, text)


def _capture(pattern: str, output: str, story: Story) -> str:
    found = re.search(pattern, output, re.MULTILINE)
    if found is None:
        raise BadStory(f"{story.name}: {pattern!r} is not in the output:\n{output[:1500]}")
    return found[1] if found.groups() else found[0]


# -- the episode


def make_episode(story: Story, recording: Recording) -> dict[str, Any]:
    """Return the episode up to the cut; raises BadStory where the gold does not fit the session."""
    cut = recording.cut_steps
    problems = []
    if recording.steps < TURNS:
        problems.append(f"{recording.steps} steps, {TURNS} are needed")
    if cut < SHORT:
        problems.append(f"cut behind step {cut}, a long trajectory has {SHORT}")
    if not 0.4 <= cut / recording.steps <= 0.6:
        problems.append(f"cut behind {cut} of {recording.steps} steps, not near the middle")

    gold: dict[str, list[dict[str, Any]]] = {"p": [], "f": [], "c": []}
    for row in story.gold:
        cells = [fill(cell, {}, recording, story) for cell in row]
        item = _gold_item(cells)
        problems += _misfits(item, recording)
        gold[item["id"][0]].append(item)
    if problems:
        raise BadStory(f"{story.name}: " + "\n  ".join(problems))

    before = recording.entries[: recording.cut_entries]
    return {
        "id": str(story.head["id"]),
        "domain": story.head["domain"],
        "source": "session",
        "provenance": {
            "session": "recorded by benchmarks/record_sessions.py: what user and agent say is"
            " written, every command was really run in an empty folder and its output recorded",
            "story": f"benchmarks/stories/{story.name}.story",
            "written_by": "a language model; no human has reviewed it",
            "reading": f"cut behind step {cut} of {recording.steps}; facts and checks were written"
            " with the story, before any consolidator was run on it",
        },
        "turns_in_session": recording.steps,
        "initial_task": before[0]["content"],
        "partial_trajectory": [_plain(entry) for entry in before],
        "gold_continuation": gold["c"],
        "gold_facts_to_preserve": gold["p"],
        "gold_facts_to_forget": gold["f"],
    }


def _gold_item(cells: list[str]) -> dict[str, Any]:
    key = "check" if cells[0].startswith("c") else "fact"
    item: dict[str, Any] = {"id": cells[0], key: cells[1], "values": _values(cells[2])}
    if len(cells) > 3:
        item["must_not"] = _values(cells[3])
    return item


def _values(cell: str) -> list[list[str]]:
    return [[way.strip() for way in value.split(" / ")] for value in cell.split(";")]


def _misfits(item: dict[str, Any], recording: Recording) -> list[str]:
    """Return what is wrong with one item: where it must be said, and where given up."""
    name, cut = item["id"], recording.cut_steps
    steps = recording.tags.get(name, [])
    stated = [step for step in steps if step > 0]
    given_up = [-step for step in steps if step < 0]
    if not stated:
        return [f"{name}: no step is tagged {{+{name}}}"]

    parsed: EpisodeFact | ContinuationCheck
    if name.startswith("c"):
        parsed = ContinuationCheck.model_validate(item)
        in_place = min(stated) > cut
    else:
        parsed = EpisodeFact.model_validate(item)
        in_place = max(stated) <= cut
    problems = [] if in_place else [f"{name}: stated in steps {stated}, the cut is behind {cut}"]

    for step in stated:
        if not states_all(recording.text_of(step), parsed.values):
            said = recording.text_of(step)[:300]
            problems.append(f"{name}: step {step} does not state {item['values']}: {said}")
    if name.startswith("f") and not (given_up and stated[0] < given_up[0] <= cut):
        problems.append(f"{name}: stated {stated}, given up {given_up}, the cut is behind {cut}")
    return problems


def _plain(entry: Entry) -> Entry:
    return {key: value for key, value in entry.items() if key != "at" and value != ""}


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as they are read."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def dump(episode: dict[str, Any]) -> str:
    """Return the episode as YAML."""
    return yaml.dump(episode, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def main() -> int:
    """Record the stories and write their episodes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--stories", type=Path, default=STORIES)
    parser.add_argument("--out", type=Path, default=packaged_set() / "episodes")
    parser.add_argument("--only", nargs="*", help="names of stories")
    parser.add_argument("--whole", action="store_true", help="print the sessions")
    options = parser.parse_args()

    failed = 0
    for path in sorted(options.stories.glob("*.story")):
        if options.only and path.stem not in options.only:
            continue
        try:
            story = read_story(path)
            recording = record(story)
            if options.whole:
                for entry in recording.entries:
                    print(yaml.dump(entry, Dumper=_Dumper, sort_keys=False, allow_unicode=True))
            episode = make_episode(story, recording)
        except (BadStory, subprocess.TimeoutExpired) as error:
            print(f"{path.stem}: {error}", file=sys.stderr)
            failed += 1
            continue
        text = dump(episode)
        options.out.mkdir(parents=True, exist_ok=True)
        target = options.out / f"{episode['id']}.yaml"
        target.write_text(text, encoding="utf-8")
        print(
            f"{target.name} {story.name}: cut behind {recording.cut_steps} of"
            f" {recording.steps} steps, {len(text) // 1024} KB"
        )
    return 1 if failed else 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
