"""What makes an episode executable: files at the cut, gold steps, and checks that are commands."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from agingbench.resumption.episodes.parts import EpisodePart, Text
from agingbench.sandbox.workshop import MOST_BYTES, WorkshopError, checked_path

MOST_STEPS = 20


def _inside(path: str) -> str:
    try:
        return checked_path(path)
    except WorkshopError as error:
        raise ValueError(str(error)) from error


FilePath = Annotated[str, AfterValidator(_inside)]
FileTexts = dict[FilePath, str]


class CommandCheck(EpisodePart):
    """A command that is run on the finished workspace, from outside and without a shell.

    `files` are laid over the workspace for this check alone, so nothing that the agent left there
    takes their place. What is expected never enters the confinement.
    """

    command: Annotated[list[str], Field(min_length=1)]
    stdout: Text
    stdin: str = ""
    files: FileTexts = Field(default_factory=dict)
    exit_code: int = 0

    @model_validator(mode="after")
    def _program_of_the_system(self) -> CommandCheck:
        program = self.command[0]
        if not program or "/" in program:
            raise ValueError(
                f"the program {program!r} must be a bare name, such as python3: a check runs"
                " nothing that lies in the workspace by itself"
            )
        return self


class GoldStep(EpisodePart):
    """One step of a correct continuation: a file that is written, or a command."""

    tool: Literal["write", "run"]
    path: FilePath | None = None
    text: str | None = None
    command: Text | None = None

    @model_validator(mode="after")
    def _complete(self) -> GoldStep:
        if self.tool == "run":
            complete = self.command is not None and self.path is None and self.text is None
        else:
            complete = self.command is None and self.path is not None and self.text is not None
        if not complete:
            raise ValueError("a step is {tool: write, path, text} or {tool: run, command}")
        return self


class EpisodeWorkspace(EpisodePart):
    """The workspace as it was at the cut, and one continuation that passes every check."""

    files: Annotated[FileTexts, Field(min_length=1)]
    gold_steps: Annotated[list[GoldStep], Field(min_length=1)]
    gold_output: Text
    most_steps: Annotated[int, Field(ge=1, le=200)] = MOST_STEPS

    @model_validator(mode="after")
    def _fits(self) -> EpisodeWorkspace:
        size = sum(len(text.encode()) for text in self.files.values())
        if size > MOST_BYTES:
            raise ValueError(f"{size} bytes of files; a workspace holds at most {MOST_BYTES}")
        if len(self.gold_steps) > self.most_steps:
            raise ValueError(
                f"{len(self.gold_steps)} gold steps are more than most_steps ({self.most_steps})"
            )
        return self

    @property
    def data(self) -> dict[str, bytes]:
        """The files as bytes by path."""
        return {path: text.encode() for path, text in self.files.items()}
