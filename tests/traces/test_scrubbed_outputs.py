"""No planted secret survives in what is written or shown: cards, terminals, fleets, archive
indexes, trials, errors.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agingbench.cli.main import run
from tests.sampling import one_in
from tests.traces.secrets_corpus import Planted, planted

PLANTED = planted()
# A number without a country between two slashes may be anything.
IN_A_NAME = [
    p
    for p in PLANTED
    if not re.search(r"[/\\\n\"]", p.text)
    and len(p.text.encode()) < 120
    and not re.fullmatch(r"[\d ().-]+", p.text)
]


def agingbench(*arguments: object) -> str:
    """Everything a command says, on both streams."""
    out = io.StringIO()
    err = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(a) for a in arguments])
    assert code in (0, 1, 2), err.getvalue()
    return out.getvalue() + err.getvalue()


def claude(session: str, texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A session that holds each text wherever a transcript holds text of the user's or the model's."""
    base = {
        "sessionId": session,
        "cwd": f"/srv/{texts[0]}",
        "version": f"2.0 {texts[-1]}",
        "gitBranch": texts[-1],
    }
    for n, text in enumerate(texts):
        stamp = f"2026-03-{1 + n % 27:02}T10:00:{n % 60:02}Z"
        user = {"role": "user", "content": text}
        call = {
            "type": "tool_use",
            "id": f"t{n}",
            "name": f"Tool {text}" if n % 3 else "Read",
            "input": {"file_path": text},
        }
        reply = {
            "role": "assistant",
            "id": f"m{n}",
            "model": f"model {text}",
            "content": [{"type": "text", "text": text}, call],
        }
        result = {
            "type": "tool_result",
            "tool_use_id": f"t{n}",
            "is_error": not n % 4,
            "content": text,
        }
        yield {
            **base,
            "type": "user",
            "uuid": f"{session}u{n}",
            "timestamp": stamp,
            "message": user,
        }
        yield {
            **base,
            "type": "assistant",
            "uuid": f"{session}a{n}",
            "timestamp": stamp,
            "message": reply,
        }
        back = {"role": "user", "content": [result]}
        yield {
            **base,
            "type": "user",
            "uuid": f"{session}r{n}",
            "timestamp": stamp,
            "message": back,
        }
    yield {**base, "type": f"odd {texts[0]}", "uuid": f"{session}odd"}


def write(folder: Path, name: str, secrets: Sequence[Planted]) -> Path:
    """Transcripts of one project with these secrets in them, whole lines and broken ones."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = [one.text for one in secrets]
    for n in range(3):
        lines = [
            json.dumps(entry, ensure_ascii=bool(n % 2))
            for entry in claude(f"{texts[n % len(texts)]} {n}", texts)
        ]
        lines += [f'{{"type": "user", "message": "{one.text}' for one in secrets]  # torn
        lines += [one.text for one in secrets]  # no JSON at all
        (folder / f"{name}{n}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def survivors(text: str, secrets: Sequence[Planted]) -> list[str]:
    return [
        one.kind for one in secrets if one.secret in text or json.dumps(one.secret)[1:-1] in text
    ]


def outputs(secrets: Sequence[Planted], folder_name: str) -> Iterator[tuple[str, str]]:
    """(which output, its text) of every command that shows or writes something of a trace."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place, "in")
        out = Path(place, "out")
        kept = Path(place, "kept")
        one = write(root / folder_name, "a", secrets)
        write(root / "other", "b", secrets)
        yield "audit", agingbench("audit", one, "--out", out / "one", "--profile", "code_assistant")
        yield "audit --json", agingbench("audit", one, "--json")
        yield "fleet", agingbench("audit", root, "--out", out / "fleet")
        yield "fleet --json", agingbench("audit", root, "--json")
        yield "archive", agingbench("archive", root, "--to", kept)
        yield "archive --json", agingbench("archive", root, "--to", kept, "--json")
        yield "audit of the archive", agingbench("audit", kept, "--json")
        file = one / "a0.jsonl"
        for command in ("trace", "summary", "classify"):
            yield f"trials {command}", agingbench("trials", command, file)
            yield f"trials {command} --json", agingbench("trials", command, file, "--json")
        yield "trials compare", agingbench("trials", "compare", file, one / "a1.jsonl", "--json")
        for written in sorted(out.rglob("*")):
            yield f"name of {written.name}", str(written.relative_to(out))
            if written.is_file():
                yield written.name, written.read_text()
        yield "archive index", (kept / "index.jsonl").read_text()


@pytest.mark.parametrize("part", one_in(3, range(3)))
def test_every_kind_is_gone_from_every_output(part: int) -> None:
    secrets = PLANTED[part::3]
    for name, text in outputs(secrets, "project"):
        left = survivors(text, secrets)
        assert not left, name


@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PLANTED), min_size=1, max_size=5), st.sampled_from(IN_A_NAME))
def test_no_planted_secret_survives_in_any_output_file(
    secrets: list[Planted], in_name: Planted
) -> None:
    for name, text in outputs([*secrets, in_name], in_name.text):
        left = survivors(text, [*secrets, in_name])
        assert not left, name
