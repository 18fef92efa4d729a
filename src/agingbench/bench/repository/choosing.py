"""The backend that a chain names."""

from __future__ import annotations

from agingbench.bench.repository.backend import Backend
from agingbench.bench.repository.chain import ChainFile
from agingbench.bench.repository.sdist import SdistBackend


def backend_of(file: ChainFile) -> Backend:
    """Build the backend of a chain."""
    return SdistBackend(file)
