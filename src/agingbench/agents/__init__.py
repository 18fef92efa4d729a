"""The agents by name."""

from agingbench.registry import Registry

AGENTS = Registry(
    "agent",
    "agingbench.agents",
    {
        "react": "agingbench.agents.react:ReactAgent",
        "workspace": "agingbench.agents.workspace_agent:WorkspaceAgent",
        "command": "agingbench.agents.autonomous.command:CommandAgent",
    },
)
