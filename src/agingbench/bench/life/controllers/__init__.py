"""The controllers by name, and the arms of `threshold` that go by names of their own."""

from agingbench.registry import Registry

CONTROLLERS = Registry(
    "controller",
    "agingbench.controllers",
    {
        "threshold": "agingbench.bench.life.controllers.threshold:ThresholdController",
        "write_loss": "agingbench.bench.life.controllers.write_loss:WriteLossController",
    },
    aliases=dict.fromkeys(
        ("conservative", "aggressive", "aggressive_retro", "always_on"), "threshold"
    ),
)

# What an alias adds to the controller behind it.
ALIAS_ARGS: dict[str, dict[str, object]] = {
    "conservative": {"error": 50, "recall": 0.5},
    "aggressive": {"error": 20, "recall": 0.4},
    "aggressive_retro": {"error": 20, "recall": 0.4, "retro": True},
    "always_on": {"always": True},
}
