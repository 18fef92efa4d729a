"""The scenarios by name; a scenario is one file that builds plans and names its headline."""

from agingbench.registry import Registry

SCENARIOS = Registry(
    "scenario",
    "agingbench.scenarios",
    {"s2_lifestyle_assistant": "agingbench.bench.scenarios.s2_lifestyle_assistant:LifestyleAssistant"},
    aliases={"s2": "s2_lifestyle_assistant"},
)
