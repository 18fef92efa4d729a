"""Trace formats by name; a format is one file, or one folder that holds all of it."""

from agingbench.registry import Registry

FORMATS = Registry(
    "trace format",
    "agingbench.formats",
    {
        "claude_code": "agingbench.traces.formats.claude_code.format:ClaudeCode",
        "codex": "agingbench.traces.formats.codex:Codex",
        "gemini_cli": "agingbench.traces.formats.gemini_cli:GeminiCli",
        "opencode": "agingbench.traces.formats.opencode:OpenCode",
        "generic": "agingbench.traces.formats.generic:Generic",
        "openai_agents": "agingbench.traces.formats.openai_agents:OpenAiAgents",
        "openai_assistants": "agingbench.traces.formats.openai_assistants:OpenAiAssistants",
        "openhands": "agingbench.traces.formats.openhands:OpenHands",
        "langfuse": "agingbench.traces.formats.langfuse:Langfuse",
        "langsmith": "agingbench.traces.formats.langsmith:Langsmith",
        "otlp": "agingbench.traces.formats.otlp.format:Otlp",
        "swe_agent": "agingbench.traces.formats.swe_agent:SweAgent",
        "pi": "agingbench.traces.formats.pi:Pi",
        "atif": "agingbench.traces.formats.atif.format:Atif",
        "inspect": "agingbench.traces.formats.inspect.format:Inspect",
        "verifiers": "agingbench.traces.formats.verifiers:Verifiers",
        "trajectory": "agingbench.traces.formats.trajectory:Trajectory",
    },
)
