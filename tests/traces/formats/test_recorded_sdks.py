"""Traces that other software wrote against a model server that counted: our counts equal its own."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agingbench.records import Event, ReadLog
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.collect import collect
from agingbench.traces.reading import read_events
from tests.places import ROOT

RECORDED = Path(__file__).parent / "recorded"
NAMES = sorted(path.stem for path in RECORDED.glob("*.json"))
PACKAGES = {
    "inspect": "inspect_ai",
    "langfuse": "langfuse",
    "langsmith": "langsmith",
    "openai_agents": "openai-agents",
    "openai_agents_responses": "openai-agents",
    "openinference": "openinference-instrumentation-openai",
    "traceloop": "traceloop-sdk",
}
PRODUCTS = ("claude_code", "codex")  # command-line agents, installed with npm


def _counts(events: list[Event]) -> dict[str, int]:
    usages = [event.usage for event in events if event.usage is not None]
    results = [event for event in events if event.role == "tool_result"]
    read = sum(usage.input_tokens or 0 for usage in usages)
    cached = sum(usage.cache_read_tokens or 0 for usage in usages)
    return {
        "sessions": len({event.session_id for event in events}),
        "model_calls": len(usages),
        "tool_calls": sum(event.role == "tool_call" for event in events),
        "tool_errors": sum(event.error_kind is not None for event in results),
        "input_tokens": read + cached,
        "output_tokens": sum(usage.output_tokens or 0 for usage in usages),
    }


def _check(folder: Path, name: str) -> None:
    truth: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    if truth["file"].endswith(".eval") and sys.version_info < (3, 14):
        pytest.importorskip("backports.zstd", reason="zstd archives need backports.zstd")

    log = ReadLog()
    events = list(read_events(folder / truth["file"], log=log))
    counts = _counts(events)
    assert counts == {key: truth[key] for key in counts}
    assert log.n_malformed == 0
    assert sum(event.role == "tool_result" for event in events) == truth["tool_calls"]

    sessions = collect(events, load_profile("generic"))
    assert len(sessions) == truth["sessions"]
    assert sum(session.tool_calls for session in sessions.sessions) == truth["tool_calls"]
    assert sum(session.model_calls for session in sessions.sessions) == truth["model_calls"]


def test_every_recorder_has_a_recording() -> None:
    """No recording is forgotten."""
    assert {*PACKAGES, *PRODUCTS} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_counts_equal_those_of_the_model_server(name: str) -> None:
    """Sessions, calls, errors and tokens are what the server gave."""
    _check(RECORDED, name)


@pytest.mark.parametrize("name", PACKAGES)
@pytest.mark.slow
def test_a_fresh_recording_reads_the_same(name: str, tmp_path: Path) -> None:
    """The software that is installed here writes what our readers count right."""
    try:
        importlib.metadata.version(PACKAGES[name])
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{PACKAGES[name]} is not installed")

    script = ROOT / "benchmarks" / "record_sdk_traces.py"
    command = [sys.executable, str(script), name, "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=300, env=dict(os.environ))
    _check(tmp_path, name)


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.slow
def test_a_fresh_session_of_a_product_reads_the_same(name: str, tmp_path: Path) -> None:
    """The command-line agent that is installed here writes what our readers count right."""
    if not os.environ.get("AGINGBENCH_AGENTS"):
        pytest.skip("AGINGBENCH_AGENTS names no folder with the products in node_modules")

    script = ROOT / "benchmarks" / "record_agent_sessions.py"
    command = [sys.executable, str(script), name, "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=300, env=dict(os.environ))
    _check(tmp_path, name)


def test_a_patch_that_comes_later_ends_its_run(tmp_path: Path) -> None:
    """A LangSmith run posted in one upload and patched in another is one run, with its outputs."""
    end = ("end_time", "outputs", "error")
    lines = []
    for line in (RECORDED / "langsmith.jsonl").read_text().splitlines():
        upload = json.loads(line)
        posts, patches = [], list(upload.get("patch") or [])
        for run in upload.get("post") or []:
            posts.append({key: value for key, value in run.items() if key not in end})
            if run.get("end_time"):
                patches.append(run)
        lines += [json.dumps({"post": posts}), json.dumps({"patch": patches})]

    (tmp_path / "langsmith.jsonl").write_text("\n".join(lines))
    (tmp_path / "langsmith.json").write_text((RECORDED / "langsmith.json").read_text())
    _check(tmp_path, "langsmith")


def test_spans_one_per_file_line_in_any_order_keep_their_session(tmp_path: Path) -> None:
    """The root that names the session may come last, as spans are written when they end."""
    lines = (RECORDED / "openinference.jsonl").read_text().splitlines()
    spans = [json.loads(line) for line in lines]
    roots = [span for span in spans if span["parent_id"] is None]
    rest = [span for span in spans if span["parent_id"] is not None]
    written = "\n".join(json.dumps(span) for span in [*rest, *roots])
    (tmp_path / "openinference.jsonl").write_text(written)
    (tmp_path / "openinference.json").write_text((RECORDED / "openinference.json").read_text())
    _check(tmp_path, "openinference")


def test_a_broken_zstd_archive_is_told(tmp_path: Path) -> None:
    """Members that cannot be unpacked are malformed records, not silence."""
    pytest.importorskip("backports.zstd", reason="zstd archives need backports.zstd")
    data = bytearray((RECORDED / "inspect.eval").read_bytes())
    place = data.index(b"samples/s0_epoch_1.json") + 60
    data[place : place + 40] = b"\x00" * 40
    broken = tmp_path / "broken.eval"
    broken.write_bytes(data)
    log = ReadLog()
    events = list(read_events(broken, log=log))
    assert log.n_malformed == 1
    assert len({event.session_id for event in events}) == 2
