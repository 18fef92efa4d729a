"""Names of the original that users import; what they name lives elsewhere."""

from agingbench.diagnostics.partitioner import DiagnosticResult as DiagnosticResult
