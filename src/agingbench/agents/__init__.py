"""The agents by name."""

from agingbench.registry import Registry

AGENTS = Registry(
    "agent",
    "agingbench.agents",
    {
        "react": "agingbench.agents.react:ReactAgent",
        "workspace": "agingbench.agents.workspace_agent:WorkspaceAgent",
        "command": "agingbench.agents.autonomous.command:CommandAgent",
        "claude_code": "agingbench.agents.autonomous.claude_code:ClaudeCodeAgentAdapter",
        "codex": "agingbench.agents.autonomous.codex:CodexAdapter",
        "opencode": "agingbench.agents.autonomous.opencode:OpenCodeAdapter",
        "openhands": "agingbench.agents.autonomous.openhands:OpenHandsAdapter",
    },
)
