"""The behaviour panel: each figure over all sessions, by week, by model and by client version."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agingbench.models.prices import PriceList
from agingbench.telemetry.panel.figures import FigureKind, Ratio, panel_kinds
from agingbench.telemetry.panel.spending import session_week
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions

UNKNOWN = "unknown"
MOST_CLIENTS = 40


class PanelFigure(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of the panel; a value is None where there was nothing to count."""

    counted: str
    per: str
    scale: str
    rising_is_bad: bool
    value: float | None
    n: float
    by_session: list[float | None]
    n_by_session: list[float]
    by_week: list[float | None]
    by_model: dict[str, float | None]
    by_client: dict[str, float | None]


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """The card's `trace_audit.panel`."""

    weeks: list[str]  # Mondays, in order; empty where the trace has no calendar
    sessions_by_week: list[int]
    models: dict[str, int]  # model -> sessions in which it is used most
    clients: dict[str, int]
    figures: dict[str, PanelFigure]


def behaviour_panel(trace: TraceSessions, prices: PriceList) -> Panel:
    """Return the panel of a trace; figures with nothing to count are left out."""
    weeks = _sessions_by_week(trace)
    models = _grouped([main_model(session) for session in trace.sessions])
    clients = _grouped([session.client or UNKNOWN for session in trace.sessions])
    newest = list(clients)[-MOST_CLIENTS:]
    clients = {name: clients[name] for name in newest}

    figures = {}
    for kind in panel_kinds(trace, prices):
        ratios = [kind.of(session) for session in trace.sessions]
        if sum(per for _, per in ratios) > 0:
            figures[kind.name] = _figure(kind, ratios, list(weeks.values()), models, clients)

    return Panel(
        weeks=list(weeks),
        sessions_by_week=[len(places) for places in weeks.values()],
        models={name: len(places) for name, places in models.items()},
        clients={name: len(places) for name, places in clients.items()},
        figures=figures,
    )


def main_model(session: TraceSession) -> str:
    """Return the model that a session uses most."""
    models = session.models
    return max(models, key=lambda model: (models[model], model), default=UNKNOWN)


def _figure(
    kind: FigureKind,
    ratios: Sequence[Ratio],
    weeks: Sequence[list[int]],
    models: dict[str, list[int]],
    clients: dict[str, list[int]],
) -> PanelFigure:
    return PanelFigure(
        counted=kind.counted,
        per=kind.per,
        scale=kind.scale,
        rising_is_bad=kind.rising_is_bad,
        value=_pooled(ratios, range(len(ratios))),
        n=_rounded(sum(per for _, per in ratios)),
        by_session=[_rounded(counted / per) if per else None for counted, per in ratios],
        n_by_session=[_rounded(per) for _, per in ratios],
        by_week=[_pooled(ratios, places) for places in weeks],
        by_model={name: _pooled(ratios, places) for name, places in models.items()},
        by_client={name: _pooled(ratios, places) for name, places in clients.items()},
    )


def _pooled(ratios: Sequence[Ratio], places: Sequence[int]) -> float | None:
    """Return the sum of counts over the sum of what they are counted per."""
    per = sum(ratios[place][1] for place in places)
    if not per:
        return None

    counted = sum(ratios[place][0] for place in places)
    return _rounded(counted / per)


def _rounded(value: float) -> float:
    return round(float(value), 6)


def _grouped(names: Sequence[str]) -> dict[str, list[int]]:
    """Return the places of each name, in the order of first appearance."""
    groups: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        groups.setdefault(name, []).append(place)

    return groups


def _sessions_by_week(trace: TraceSessions) -> dict[str, list[int]]:
    if trace.logical:
        return {}

    weeks = _grouped([session_week(session, False) for session in trace.sessions])
    return {week: weeks[week] for week in sorted(weeks)}
