"""What lives would take before they are lived, as types."""

from __future__ import annotations

import msgspec


class CellEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """What the lives of one system under one condition would still take."""

    scenario: str
    sut_id: str
    sessions: int
    condition: str
    lives: int
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


class StudyEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """What the lives of a study would still take, in all and cell by cell.

    `finished` lives take nothing more. The figures are `exact` where every life asks the embedded
    reader alone. The cost is None where a model has no price.
    """

    lives: int
    finished: int
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    exact: bool
    cells: list[CellEstimate]
