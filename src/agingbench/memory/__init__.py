"""The memory policies by name, and the two compaction endpoints that go by names of their own."""

from agingbench.registry import Registry

MEMORY = Registry(
    "memory policy",
    "agingbench.memory",
    {
        "no_memory": "agingbench.memory.no_memory:NoMemory",
        "append_only": "agingbench.memory.append_only:AppendOnly",
        "summarize_store": "agingbench.memory.summarize_store:SummarizeStore",
        "growing_history": "agingbench.memory.growing_history:GrowingHistory",
        "lossy_episodic": "agingbench.memory.lossy_episodic:LossyEpisodic",
        "anthropic_memory": "agingbench.memory.anthropic_memory:AnthropicMemory",
        "mem0": "agingbench.memory.mem0:Mem0",
        "langgraph": "agingbench.memory.langgraph:LangGraph",
        "langmem": "agingbench.memory.langgraph:LangMem",
        "mcp": "agingbench.memory.mcp:Mcp",
        "workspace": "agingbench.memory.workspace:Workspace",
        "typed_state": "agingbench.memory.typed_state:TypedState",
    },
    aliases={"lossy_compress": "summarize_store", "careful_compress": "summarize_store"},
    extras={"mem0": "mem0", "langgraph": "langgraph", "langmem": "langgraph"},
)

# What an alias adds to the policy behind it.
ALIAS_OPTIONS: dict[str, dict[str, object]] = {
    "lossy_compress": {"prompt": "lossy"},
    "careful_compress": {"prompt": "careful"},
}
