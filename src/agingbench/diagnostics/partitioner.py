"""`DiagnosticResult` under the name that the public documentation gives it."""

from agingbench.metrics.shares import StageShares

# The stage shares of one set of probes: of a session, a mechanism or a whole life.
DiagnosticResult = StageShares
