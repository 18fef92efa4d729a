"""Consolidators by name; any memory policy of the bench is one as well, by its own name."""

from agingbench.registry import Registry

CONSOLIDATORS = Registry(
    "consolidator",
    "agingbench.consolidators",
    {
        "raw": "agingbench.resumption.contexts.raw:RawConsolidator",
        "summary": "agingbench.resumption.contexts.summary:SummaryConsolidator",
        "structured": "agingbench.resumption.contexts.structured:StructuredConsolidator",
        "compaction": "agingbench.resumption.contexts.compaction:CompactionConsolidator",
    },
    aliases={"naive_concat": "raw", "naive_summary": "summary"},
)
