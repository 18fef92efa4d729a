"""The backend that a chain names."""

from __future__ import annotations

from agingbench.bench.repository.backend import Backend
from agingbench.bench.repository.chain import ChainFile


def backend_of(file: ChainFile) -> Backend:
    """Build the backend of a chain."""
    if file.chain.backend == "docker":
        from agingbench.bench.repository.docker import DockerBackend

        return DockerBackend(file)

    from agingbench.bench.repository.sdist import SdistBackend

    return SdistBackend(file)
