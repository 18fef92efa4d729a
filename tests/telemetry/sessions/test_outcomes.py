"""Outcomes from a file, from the trace itself and from extractors, linked to sessions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agingbench.errors import InputError
from agingbench.records import Event, ReadLog
from agingbench.telemetry import register_extractor
from agingbench.telemetry.inference.headline import HeadlineFigures, headline
from agingbench.telemetry.inference.infer import infer
from agingbench.telemetry.profile import load_profile
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.sessions.collect import collect
from agingbench.telemetry.sessions.extractors import extract
from agingbench.telemetry.sessions.outcomes import (
    OutcomeEvent,
    link,
    native_outcomes,
    read_outcomes,
)

PROFILE = load_profile("code_assistant")
DAY = 86_400.0


def life(*texts: str) -> TraceSessions:
    events = []
    for number, text in enumerate(texts):
        common = {"step": 0, "session_id": f"s{number}"}
        start = 1_700_000_000.0 + number * DAY
        events += [
            Event(role="user", content="please do it", timestamp=start, **common),  # type: ignore[arg-type]
            Event(role="tool_call", tool_name="Edit", timestamp=start + 1, **common),  # type: ignore[arg-type]
            Event(role="assistant", content="done", timestamp=start + 2, **common),  # type: ignore[arg-type]
            Event(role="user", content=text, timestamp=start + 3, **common),  # type: ignore[arg-type]
        ]
    return collect(events, PROFILE)


def test_a_file_of_outcomes_native_names_mapped_bad_lines_told(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.jsonl"
    path.write_text(
        '{"session_id": 0, "outcome": "success"}\n'
        '{"session_id": "s1", "event": "commit_reverted", "timestamp": "2023-11-15T00:00:00Z"}\n'
        "not json\n"
        '{"session_id": "s1", "outcome": "splendid"}\n'
    )
    log = ReadLog()
    found = read_outcomes(path, PROFILE, log)
    assert [(e.session_id, e.outcome) for e in found] == [("0", "success"), ("s1", "revision_fail")]
    assert [(p.line) for p in log.malformed] == [3, 4]
    with pytest.raises(InputError, match="cannot read"):
        read_outcomes(tmp_path / "none.jsonl", PROFILE, log)


def test_linking_by_id_else_by_time() -> None:
    sessions = life("a", "b")
    events = [
        OutcomeEvent("s0", "success"),
        OutcomeEvent(None, "fail", timestamp=1_700_000_000.0 + DAY + 50),
        OutcomeEvent("nobody", "fail"),
    ]
    curve = link(sessions, events)
    assert curve.rates == [1.0, 0.0]
    assert (curve.linked, curve.unlinked) == (2, 1)


def test_what_the_user_says_next_by_the_profiles_patterns() -> None:
    found = extract(
        life("that's wrong", "thanks!", "please revert that", "and now the tests"),
        ["record_patterns"],
    )
    assert [e.outcome for e in found] == ["fail", "success", "revision_fail"]
    assert extract(collect([], load_profile("generic")), ["record_patterns"]) == []


def test_session_flags_need_a_command_and_not_a_path() -> None:
    found = extract(life("look at src/new/parser.py"), ["claude_session_flags"])
    assert [e.outcome for e in found] == ["fail"]  # the last request was never answered


def test_git_log_counts_commits_after_replies_and_reverts(tmp_path: Path) -> None:
    def git(*words: str, at: float = 0.0) -> None:
        env = {
            "GIT_AUTHOR_DATE": f"@{int(at)} +0000",
            "GIT_COMMITTER_DATE": f"@{int(at)} +0000",
            "PATH": "/usr/bin:/bin",
        }
        name = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(
            ["git", *name, *words], cwd=tmp_path, check=True, capture_output=True, env=env
        )

    git("init", "-q")
    start = 1_700_000_000.0
    git("commit", "--allow-empty", "-m", "long before", at=start - 9 * DAY)
    git("commit", "--allow-empty", "-m", "add parser", at=start + 60)
    git("commit", "--allow-empty", "-m", 'Revert "add parser"', at=start + DAY + 60)
    found = extract(life("a", "b"), [f"git_log:{tmp_path}"])
    assert {(e.session_id, e.outcome) for e in found} == {
        ("s0", "success"),
        ("s1", "revision_fail"),
    }
    with pytest.raises(InputError, match="git repository"):
        extract(life("a"), ["git_log:"])
    with pytest.raises(InputError, match="git"):
        extract(life("a"), [f"git_log:{tmp_path.parent}"])


def test_git_log_runs_no_program_that_the_repository_names(tmp_path: Path) -> None:
    start = 1_700_000_000
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    repository = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)

    def git(*words: str, given: bytes = b"") -> str:
        done = subprocess.run(
            ["git", "-C", str(repository), *words], check=True, capture_output=True, input=given
        )
        return done.stdout.decode().strip()

    who = f"x <x@example.org> {start + 60} +0000"
    tree = git("mktree")
    seal = "-----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----"
    signed = f"tree {tree}\nauthor {who}\ncommitter {who}\ngpgsig {seal}\n\nwork\n"
    commit = git("hash-object", "-t", "commit", "-w", "--stdin", given=signed.encode())
    git("update-ref", "refs/heads/main", commit)
    git("config", "log.showSignature", "true")
    git("config", "gpg.program", str(program))
    assert [e.outcome for e in extract(life("a"), [f"git_log:{repository}"])] == ["success"]
    assert not ran.exists()
    git("log", "--all")  # what the settings would have done
    assert ran.exists()


def test_extractors_of_ones_own() -> None:
    register_extractor(
        "always",
        lambda sessions, argument: [
            {"session_id": s.id, "outcome": argument or "success"} for s in sessions.sessions
        ],
    )
    assert [e.outcome for e in extract(life("a", "b"), ["always:fail"])] == ["fail", "fail"]
    register_extractor(
        "timed", lambda sessions, argument: [{"outcome": "success", "timestamp": argument}]
    )
    (at,) = extract(life("a"), ["timed:2023-11-14T22:13:20Z"])
    assert at.timestamp == 1_700_000_000.0
    assert [e.timestamp for e in extract(life("a"), ["timed:soon"])] == [None]
    register_extractor("broken", lambda sessions, argument: 1 / 0)  # type: ignore[arg-type,return-value]
    with pytest.raises(InputError, match="ZeroDivisionError"):
        extract(life("a"), ["broken"])
    with pytest.raises(InputError, match="without ':'"):
        register_extractor("a:b", lambda sessions, argument: [])


def test_native_events_of_the_trace() -> None:
    events = [
        Event(step=0, role="user", content="go", session_id="a", timestamp=1.0),
        Event(step=0, role="meta", session_id="a", timestamp=2.0, metadata={"event": "pr_merged"}),
        Event(step=0, role="meta", session_id="a", timestamp=3.0, metadata={"event": "lunch"}),
    ]
    assert [e.outcome for e in native_outcomes(collect(events, PROFILE))] == ["success"]
    assert native_outcomes(collect(events, load_profile("generic"))) == []


def test_the_headline_follows_the_outcomes() -> None:
    sessions = life(*["ok"] * 12)

    def told(rates: list[float]) -> HeadlineFigures:
        events = [
            OutcomeEvent(f"s{i}", "success" if k < round(10 * r) else "fail")
            for i, r in enumerate(rates)
            for k in range(10)
        ]
        curve = link(sessions, events)
        return headline(infer(sessions, curve, 199), curve)

    steady = told([0.9] * 12)
    falling = told([1.0] * 3 + [0.3] * 9)
    never = told([0.0] * 12)
    assert (steady.source, steady.half_life, steady.half_life_censored) == (
        "half_life",
        None,
        True,
    )
    assert steady.aging_detected is not True
    assert falling.half_life is not None
    assert falling.m0 == 1.0
    assert falling.m_final == pytest.approx(0.3)
    assert never.half_life is None
    assert never.half_life_censored is None
    assert told([]).source == "behavior_drift_at_repeat"
