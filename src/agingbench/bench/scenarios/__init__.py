"""The scenarios by name; a scenario is one file that builds plans and names its headline."""

from pathlib import Path

from agingbench.registry import Registry

# Live on releases of a repository, which are downloaded once; checks of all scenarios leave them
# out unless they are named.
NEED_RELEASES = ("s8_swe_bench",)
SCENARIOS = Registry(
    "scenario",
    "agingbench.scenarios",
    {
        "s1_research_literature": (
            "agingbench.bench.scenarios.s1_research_literature.scenario:ResearchLiterature"
        ),
        "s2_lifestyle_assistant": (
            "agingbench.bench.scenarios.s2_lifestyle_assistant.scenario:LifestyleAssistant"
        ),
        "s3_knowledge_base": "agingbench.bench.scenarios.s3_knowledge_base.scenario:KnowledgeBase",
        "s4_software_engineering": (
            "agingbench.bench.scenarios.s4_software_engineering.scenario:SoftwareEngineering"
        ),
        "s5_self_planning": "agingbench.bench.scenarios.s5_self_planning.scenario:SelfPlanning",
        "s6_naturalistic": "agingbench.bench.scenarios.s6_naturalistic.scenario:Naturalistic",
        "s7_research_notes": "agingbench.bench.scenarios.s7_research_notes.scenario:ResearchNotes",
        "s8_swe_bench": "agingbench.bench.scenarios.s8_swe_bench.scenario:SweBench",
    },
    aliases={
        "s1": "s1_research_literature",
        "s2": "s2_lifestyle_assistant",
        "s3": "s3_knowledge_base",
        "s4": "s4_software_engineering",
        "s5": "s5_self_planning",
        "s6": "s6_naturalistic",
        "s7": "s7_research_notes",
        "s8": "s8_swe_bench",
    },
)


def offline_scenarios() -> list[str]:
    """The scenarios that need nothing from outside."""
    return [name for name in SCENARIOS.names() if name not in NEED_RELEASES]


def texts_folder(scenario: str) -> Path:
    """Return the folder of a scenario of this package, where its texts lie beside its code."""
    return Path(__file__).parent / scenario
