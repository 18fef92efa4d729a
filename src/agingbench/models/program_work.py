"""The turn in which the embedded model builds a program with file tools: how far it has come shows
in the calls made so far.

The request is saved in the plan; then the plan is opened, then what the notes say of all that the
program needs; then the program is written and, where a tool for it is offered, started once. A
planted fault of the note keeper is one of the builder, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agingbench.models.notekeeper import (
    ONE_FILE,
    NextStep,
    Turn,
    best_file,
    current_turn,
    files_in,
    next_step,
    note_calls,
    to_open,
    to_save,
)
from agingbench.models.programmer import FIRST_START, PLAN_FILE, is_program_request, plan_from
from agingbench.records import Message, ToolCall

START = "run_program"  # the tool that starts a program of the workspace


def file_step(
    messages: Sequence[Message],
    worth_keeping: Callable[[str], bool],
    is_request: Callable[[str], bool],
    fault: str,
    starts_programs: bool = False,
) -> NextStep:
    """The next step with file tools: of a program where one is asked for, else of notes."""
    turn = current_turn(messages, worth_keeping, is_request)
    if not is_program_request(turn.ask):
        return next_step(messages, worth_keeping, is_request, fault)
    if not turn.results:
        return NextStep((ToolCall(f"note-{turn.place}", "list_files", {}),))
    return ProgramWork(turn, fault).next(starts_programs)


class ProgramWork:
    """A turn with a request for a program, from the list of files on."""

    def __init__(self, turn: Turn, fault: str) -> None:
        self.turn = turn
        self.fault = fault
        names = [call.name for call, _ in turn.results]
        self.n_saved = names.count("append_file") + names.count("write_file")
        self.is_started = START in names
        self.read = [text for call, text in turn.results if call.name == "read_file"]
        files = files_in(turn.results[0][1])
        self.saving = to_save(turn.notes, files, fault, {PLAN_FILE: turn.ask})

    def next(self, starts_programs: bool) -> NextStep:
        """Save and open the plan, open what else is needed, write the program, start it, reply."""
        place = self.turn.place
        files = self.saving.files
        where = ONE_FILE if self.fault == "overwrites" else PLAN_FILE
        has_plan = any(file.path == where for file in files)
        plan_files = to_open([where] if has_plan else [], files, self.fault)
        if not self.n_saved and not self.read and (self.saving.texts or plan_files):
            return NextStep(note_calls(place, self.saving.texts, plan_files, self.fault))

        lines = "\n".join(self.read).splitlines()
        if self.turn.ask not in lines:
            lines.append(self.turn.ask)
        plan = plan_from(lines)
        if len(self.read) <= len(plan_files):
            wanted = [best_file(subject, files) for subject in plan.subjects()]
            paths = to_open(wanted, files, self.fault)
            if paths:
                return NextStep(note_calls(place, {}, paths, self.fault))

        if self.fault == "never_writes" or not plan.entry:
            return NextStep(text="Noted.")
        is_written = self.n_saved > len(self.saving.texts)
        if not is_written:
            program = {"path": plan.entry, "text": plan.program("\n".join(self.read))}
            return NextStep((ToolCall(f"note-{place}", "write_file", program),))
        if starts_programs and not self.is_started:
            words = {"path": plan.entry, "words": list(FIRST_START)}
            return NextStep((ToolCall(f"note-{place}", START, words),))
        return NextStep(text=f"Done: {plan.entry} is up to date.")
