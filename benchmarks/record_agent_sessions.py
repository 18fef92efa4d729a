"""Session files of real command-line agents, against a model server of our own that counts.

`AGINGBENCH_AGENTS=FOLDER python benchmarks/record_agent_sessions.py claude_code codex --out DIR`
with the products installed in FOLDER by npm. Each leaves its session files in `DIR/NAME` and the
counts of the server in `DIR/NAME.json`; `tests/traces/formats/test_recorded_sdks.py` holds our
readers against them. Nothing leaves this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agingbench.agents.autonomous import claude_code, codex
from agingbench.interfaces import Model
from agingbench.models.hands import RUN, hands_for
from agingbench.models.serving.server import ServedModel, serving
from agingbench.records import Message, Reply, Tool, ToolCall, Usage

SESSIONS = 3
REQUESTS = ("What do alpha.txt and beta.txt say?", "Thanks. Say it again, please.")
FILES = {"alpha.txt": "one\n", "beta.txt": "two\n"}
# Commands of the next reply by the results there are so far. The second one fails, the last reply
# makes two calls at once; then it answers.
SCRIPT = {
    0: ("cat alpha.txt",),
    1: ("cat missing.txt",),
    2: ("cat beta.txt", "cat alpha.txt"),
}
CACHED = 40
WRITTEN = 20
SECONDS = 120
MODEL = "stub-1"
PROMPT = 200  # characters of a product's system prompt that are kept


@dataclass
class Given:
    """What the server gave: the truth that a reader of the session files has to find."""

    sessions: int = SESSIONS
    model_calls: int = 0
    tool_calls: int = 0
    tool_errors: int = 0
    input_tokens: int = 0  # cached ones included
    output_tokens: int = 0


class ScriptedShell(Model):
    """Runs the commands of the script with the shell on offer, and counts what it gave."""

    name = MODEL

    def __init__(self) -> None:
        self.given = Given()

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        max_tokens: int = 1024,
        seed: int | None = None,
    ) -> Reply:
        """The next calls, or the answer; requests without tools are a product's own."""
        hands = hands_for(tools)
        tokens = 1000 + 10 * len(messages)
        usage = Usage(tokens, WRITTEN, CACHED, calls=1)
        if hands is None:
            return Reply("A title", usage=usage)

        results = sum(message.role == "tool" for message in messages)
        commands = SCRIPT.get(results, ())
        acts = [ToolCall("", RUN, {"command": command}) for command in commands]
        given = self.given
        given.model_calls += 1
        given.tool_calls += len(commands)
        given.tool_errors += commands.count("cat missing.txt")
        given.input_tokens += tokens
        given.output_tokens += WRITTEN
        text = "" if commands else "Alpha says one and beta says two."
        return Reply(text, tuple([hands.call(act, ()) for act in acts]), usage)


@dataclass
class Place:
    """The folders of a product and the address of its model."""

    program: str
    home: Path
    work: Path
    url: str

    def run(self, words: Sequence[str], variables: dict[str, str], prompt: str) -> str:
        """Run the product in an environment of its own; return what it printed."""
        environment = {
            "PATH": f"{os.path.dirname(self.program)}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            **variables,
        }
        done = subprocess.run(
            [self.program, *words],
            input=prompt,
            cwd=self.work,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{self.program}: {done.stderr[-500:]} {done.stdout[-500:]}")
        return done.stdout


def record_claude_code(place: Place) -> list[Path]:
    """Sessions of `claude -p`, each continued once."""
    settings = place.home / "settings.json"
    settings.write_text(json.dumps(claude_code.SETTINGS))
    variables = {
        "CLAUDE_CONFIG_DIR": str(place.home / ".claude"),
        "ANTHROPIC_API_KEY": "stub",
        "ANTHROPIC_BASE_URL": place.url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    }
    words = ["-p", "--output-format", "json", "--model", MODEL, "--tools", "Bash"]
    words += ["--setting-sources", "project", "--settings", str(settings)]
    words += ["--strict-mcp-config", "--disable-slash-commands"]
    for _ in range(SESSIONS):
        session = str(uuid.uuid4())
        for request, option in zip(REQUESTS, ("--session-id", "--resume"), strict=True):
            place.run([*words, option, session], variables, request)

    return sorted((place.home / ".claude" / "projects").glob("*/*.jsonl"))


def record_codex(place: Place) -> list[Path]:
    """Sessions of `codex exec`, each continued once."""
    folder = place.home / ".codex"
    folder.mkdir()
    text = codex.SETTINGS.format(
        model=json.dumps(MODEL),
        url=json.dumps(f"{place.url}/v1"),
        key=codex.KEY_VARIABLE,
        sandbox="danger-full-access",  # the commands are ours
    )
    (folder / "config.toml").write_text(text)
    variables = {"CODEX_HOME": str(folder), codex.KEY_VARIABLE: "stub"}
    options = ["--json", "--skip-git-repo-check", "-"]
    for _ in range(SESSIONS):
        printed = place.run(["exec", *options], variables, REQUESTS[0])
        started: dict[str, Any] = json.loads(printed.splitlines()[0])
        again = ["exec", "resume", started["thread_id"], *options]
        place.run(again, variables, REQUESTS[1])

    return sorted((folder / "sessions").glob("*/*/*/rollout-*.jsonl"))


RECORDERS: dict[str, tuple[str, Callable[[Place], list[Path]]]] = {
    "claude_code": ("claude", record_claude_code),
    "codex": ("codex", record_codex),
}


def record(name: str, products: Path, out: Path) -> dict[str, Any]:
    """Record one product; return the server's counts, which stand beside the files too."""
    program_name, recorder = RECORDERS[name]
    program = products / "node_modules" / ".bin" / program_name
    model = ScriptedShell()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        work = Path(scratch) / "work"
        home.mkdir()
        work.mkdir()
        for name_of_file, content in FILES.items():
            (work / name_of_file).write_text(content)
        with serving(ServedModel(model)) as port:
            place = Place(str(program), home, work, f"http://127.0.0.1:{port}")
            files = recorder(place)

        folder = out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in files:
            text = file.read_text().replace(scratch, "/home/agent")
            (folder / file.name).write_text(_without_prompt(text))

    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    made_by = f"{name} {told.stdout.strip()}"
    truth = {"file": name, "made_by": made_by, **vars(model.given)}
    (out / f"{name}.json").write_text(json.dumps(truth, indent=1) + "\n")
    return truth


def _without_prompt(text: str) -> str:
    """Session lines with the product's own system prompt cut: it is long, and not ours."""
    lines = []
    for line in text.splitlines():
        record = json.loads(line)
        prompt = (record.get("payload") or {}).get("base_instructions")
        if isinstance(prompt, dict):
            prompt["text"] = prompt["text"][:PROMPT]
            line = json.dumps(record, ensure_ascii=False)
        lines.append(line)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Record the products that were named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=RECORDERS)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    products = os.environ.get("AGINGBENCH_AGENTS")
    if not products:
        raise SystemExit("set AGINGBENCH_AGENTS to the folder of node_modules with the products")
    for name in options.names:
        print(record(name, Path(products), options.out))


if __name__ == "__main__":
    main()
