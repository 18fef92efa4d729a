"""Consolidators by name: one file each; any memory policy of the bench is one as well, by its own
name.
"""

from agingbench.registry import Registry

CONSOLIDATORS = Registry(
    "consolidator",
    "agingbench.consolidators",
    {
        "raw": "agingbench.resumption.contexts.raw:Raw",
        "summary": "agingbench.resumption.contexts.summary:Summary",
        "structured": "agingbench.resumption.contexts.structured:Structured",
        "compaction": "agingbench.resumption.contexts.compaction:Compaction",
    },
    aliases={"naive_concat": "raw", "naive_summary": "summary"},
)
