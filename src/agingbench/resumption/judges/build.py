"""Builds a judge by name: built in, a model such as "openai:MODEL_ID", or "file.py:Class"."""

from __future__ import annotations

from pathlib import Path

import msgspec

from agingbench.errors import UnknownName
from agingbench.interfaces import Judge
from agingbench.models import MODELS
from agingbench.models.build import build_model
from agingbench.resumption.episodes.trajectory import TOKENIZER
from agingbench.resumption.judges import JUDGES
from agingbench.resumption.judges.model import ModelJudge
from agingbench.resumption.judges.prompts import JudgePrompts


class JudgeIdentity(msgspec.Struct, frozen=True):
    """What a gate is bound to: another judge, model, prompt or tokenizer is uncalibrated again."""

    judge: str
    prompts: dict[str, str]
    tokenizer: str


def build_judge(spec: str, prompts_folder: Path) -> tuple[Judge, JudgeIdentity]:
    """Build the judge that `spec` names, and the identity that its calibration is bound to."""
    prompts = JudgePrompts(prompts_folder)
    judge: Judge
    head = spec.partition(":")[0]
    if spec in JUDGES.names() or spec in JUDGES.aliases:
        judge = JUDGES.build(spec, Judge)
    elif MODELS.aliases.get(head, head) in MODELS.names():
        judge = ModelJudge(build_model(spec), prompts)
    elif ":" in spec:
        judge = JUDGES.build(spec, Judge)
    else:
        raise UnknownName("judge", spec, [*JUDGES.names(), *JUDGES.aliases, *MODELS.names()])
    identity = judge.identity or f"{type(judge).__module__}:{type(judge).__qualname__}"
    return judge, JudgeIdentity(str(identity), prompts.hashes, TOKENIZER)
