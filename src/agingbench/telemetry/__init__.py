"""Telemetry: is a deployed agent aging, read from the traces it already produced."""

from agingbench.telemetry.audit import Audit, audit_events, audit_path, trace_to_card_v11
from agingbench.telemetry.inference.revision import infer_revision
from agingbench.telemetry.profile import Profile, load_profile
from agingbench.telemetry.sessions.extractors import register_extractor
from agingbench.telemetry.sessions.outcomes import OutcomeEvent

__all__ = [
    "Audit",
    "OutcomeEvent",
    "Profile",
    "audit_events",
    "audit_path",
    "infer_revision",
    "load_profile",
    "prepare_trace",
    "register_extractor",
    "trace_to_card_v11",
]


def __getattr__(name: str) -> object:
    # A callable module, function and `python -m` under one name; imported on use, so that running
    # it gives no warning.
    if name == "prepare_trace":
        import importlib

        return importlib.import_module("agingbench.telemetry.prepare_trace")

    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
