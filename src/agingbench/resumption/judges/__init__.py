"""Judges by name; any other name is a model that is asked with the prompts of `judges/*.md`."""

from agingbench.registry import Registry

JUDGES = Registry(
    "judge",
    "agingbench.judges",
    {
        "deterministic": "agingbench.resumption.judges.deterministic:DeterministicJudge",
        "embedding": "agingbench.resumption.judges.embedding:EmbeddingJudge",
    },
    aliases={"embedded": "deterministic"},
)
