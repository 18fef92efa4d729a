"""A small command-line agent: talks to a model through the Messages API and works in its folder.

It keeps the conversation in its home, offers a shell and tools that read and write files, and notes
what it did where AGINGBENCH_EVENTS says. Words on its command line make it misbehave.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def schema(*names: str) -> dict[str, Any]:
    properties = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": properties, "required": list(names)}


TOOLS = [
    {"name": "Bash", "description": "Runs a command.", "input_schema": schema("command")},
    {"name": "Read", "description": "Reads a file.", "input_schema": schema("file_path")},
    {"name": "Write", "description": "Writes.", "input_schema": schema("file_path", "content")},
]


def do(name: str, given: dict[str, str]) -> tuple[str, int]:
    if name == "Bash":
        done = subprocess.run(
            ["bash", "-c", given["command"]], capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr, done.returncode
    file = Path(given["file_path"])
    if name == "Read":
        return file.read_text(), 0
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(given["content"])
    return "written", 0


def complete(messages: list[Any]) -> Any:
    body = {"model": os.environ["AGINGBENCH_MODEL"], "max_tokens": 1000, "messages": messages}
    host = os.environ["ANTHROPIC_BASE_URL"].removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request(
        "POST",
        "/v1/messages",
        json.dumps({**body, "system": Path("AGENTS.md").read_text(), "tools": TOOLS}),
        {"Content-Type": "application/json", "x-api-key": os.environ["ANTHROPIC_API_KEY"]},
    )
    response = connection.getresponse()
    if response.status != 200:
        sys.exit(f"the model answered {response.status}")
    return json.load(response)


def kill_parent_at(place: Path, prompt: str) -> None:
    """End whoever started this, once, when the prompt is the one that a file holds."""
    mark = place.with_suffix(".done")
    if mark.exists() or place.read_text() != prompt:
        return
    Path("half.txt").write_text("half of the work")
    mark.touch()
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def main() -> None:
    events = []
    file = Path.home() / f"session-{os.environ['AGINGBENCH_CONVERSATION']}.json"
    messages = json.loads(file.read_text()) if file.exists() else []
    prompt = sys.stdin.read()
    messages.append({"role": "user", "content": prompt})
    if "kill" in sys.argv:
        kill_parent_at(Path(sys.argv[-1]), prompt)
    while True:
        reply = complete(messages)
        messages.append({"role": "assistant", "content": reply["content"]})
        results = []
        text = ""
        for block in reply["content"]:
            if block["type"] == "text":
                text += block["text"]
                continue
            result, code = do(block["name"], block["input"])
            told = {"tool": block["name"], "arguments": block["input"]}
            events.append({**told, "result": result, "exit_code": code})
            result = result or "(no output)"
            results.append({"type": "tool_result", "tool_use_id": block["id"], "content": result})
        events.append({"reply": text})
        if not results:
            break
        messages.append({"role": "user", "content": results})
    file.write_text(json.dumps(messages))
    lines = [json.dumps(event) + "\n" for event in events]
    Path(os.environ["AGINGBENCH_EVENTS"]).write_text("".join(lines))
    print(text)


if __name__ == "__main__":
    if "hang" in sys.argv:
        child = subprocess.Popen(["sleep", "60"])
        Path("left.txt").write_text(str(child.pid))
        time.sleep(60)
    if "fail" in sys.argv:
        sys.exit("broken by intent")
    main()
