"""The models an agent can be built on: names and where each one lives."""

from agingbench.registry import Registry

MODELS = Registry(
    "model",
    "agingbench.models",
    {
        "extractive": "agingbench.models.extractive:Extractive",
        "scripted": "agingbench.models.scripted:Scripted",
        "openai": "agingbench.models.openai_chat:OpenAIChat",
        "anthropic": "agingbench.models.anthropic_messages:AnthropicMessages",
        "gguf": "agingbench.models.gguf:Gguf",
    },
    extras={"openai": "openai", "anthropic": "anthropic", "gguf": "gguf"},
)
