"""Runs what an executable episode holds: its gold steps, and its checks on a finished workspace."""

from __future__ import annotations

import msgspec

from agingbench.resumption.episodes.workspace import CommandCheck, EpisodeWorkspace, GoldStep
from agingbench.sandbox.workshop import CommandResult, Workshop

SHELL = "sh"
DETAIL = 300  # characters


class CheckOutcome(msgspec.Struct, frozen=True):
    """Whether a command check came out right, what it printed, and what was wrong."""

    passed: bool
    stdout: str = ""
    reason: str = ""


def run_shell(workshop: Workshop, command: str) -> CommandResult:
    """Run a line as an agent writes it; the shell is that of the confinement."""
    return workshop.run([SHELL, "-c", command])


def replay_gold(workshop: Workshop, workspace: EpisodeWorkspace) -> None:
    """Take the gold steps one after the other."""
    for step in workspace.gold_steps:
        take_step(workshop, step)


def take_step(workshop: Workshop, step: GoldStep) -> None:
    """Take one gold step."""
    if step.tool == "run":
        run_shell(workshop, step.command or "")
    else:
        workshop.write(step.path or "", (step.text or "").encode())


def run_check(workshop: Workshop, check: CommandCheck) -> CheckOutcome:
    """Run a check on a copy of the workspace and compare, outside of it, what it printed."""
    extra = {path: text.encode() for path, text in check.files.items()}
    result = workshop.copy(extra).run(check.command, check.stdin)
    stdout = _plain_lines(result.stdout)
    if result.problem:
        return CheckOutcome(False, stdout[:DETAIL], result.problem)
    if result.exit_code != check.exit_code:
        reason = f"exit code {result.exit_code}, not {check.exit_code}"
        return CheckOutcome(False, stdout[:DETAIL], reason)
    if stdout != _plain_lines(check.stdout):
        return CheckOutcome(False, stdout[:DETAIL], "prints something else")
    return CheckOutcome(True, stdout[:DETAIL])


def _plain_lines(text: str) -> str:
    """The text without blanks at the ends of lines and without blank lines around it."""
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(lines).strip("\n")
