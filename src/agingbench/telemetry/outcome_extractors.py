"""Extractors of outcomes under the name that the public documentation gives them."""

from agingbench.telemetry.sessions.extractors import claude_session_flags as claude_session_flags
from agingbench.telemetry.sessions.extractors import git_log as git_log
from agingbench.telemetry.sessions.extractors import record_patterns as record_patterns
from agingbench.telemetry.sessions.extractors import register_extractor as register_extractor
from agingbench.telemetry.sessions.outcomes import OutcomeEvent as OutcomeEvent
