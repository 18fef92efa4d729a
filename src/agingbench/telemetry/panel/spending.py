"""What an agent took: tokens and dollars by week and model, and how full its context was."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from agingbench.models.prices import PriceList
from agingbench.records import Usage
from agingbench.telemetry.sessions.aggregates import TraceSession, TraceSessions
from agingbench.telemetry.sessions.tokens import DAY, TokenSums

UNKNOWN_MODEL = "unknown model"
UNKNOWN_WEEK = "unknown"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens and dollars of some model calls; `cost_usd` is None where a price is unknown."""

    model_calls: int
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    cost_usd: float | None


class WeekSpending(Spending, frozen=True, kw_only=True):
    """The spending of one week, named by its Monday."""

    week: str


class ModelSpending(Spending, frozen=True, kw_only=True):
    """The spending of one model."""

    model: str


class CellSpending(ModelSpending, frozen=True, kw_only=True):
    """The spending of one model in one week."""

    week: str


class TraceSpending(msgspec.Struct, frozen=True, kw_only=True):
    """The card's `trace_audit.spending`."""

    prices_as_of: str
    total: Spending
    by_week: list[WeekSpending]
    by_model: list[ModelSpending]
    by_week_and_model: list[CellSpending]
    models_without_price: list[str]
    requests: int
    compactions: int
    context_share_mean: float | None  # of the window, over model calls
    context_share_peak: float | None  # of the window, mean over the fullest moment of each session
    context_share_highest: float | None  # the fullest moment of all
    context_share_highest_session: int | None  # the session that holds it, counted from 0
    context_share_highest_time: float | None  # its time


class _Total:
    """Sums that are still being added to."""

    def __init__(self) -> None:
        self.sums = TokenSums()
        self.cost: float | None = 0.0

    def add(self, sums: TokenSums, cost: float | None) -> None:
        own = self.sums
        own.calls += sums.calls
        own.fresh += sums.fresh
        own.cache_read += sums.cache_read
        own.cache_write += sums.cache_write
        own.output += sums.output
        self.cost = None if cost is None or self.cost is None else self.cost + cost

    def spending(self) -> Spending:
        sums = self.sums
        known = self.cost is not None and sums.calls > 0
        return Spending(
            model_calls=sums.calls,
            input_tokens=sums.fresh,
            cache_read_tokens=sums.cache_read,
            cache_write_tokens=sums.cache_write,
            output_tokens=sums.output,
            cost_usd=round(self.cost, 6) if known and self.cost is not None else None,
        )


def trace_spending(trace: TraceSessions, prices: PriceList) -> TraceSpending:
    """Return what the sessions of a trace took, by the prices given."""
    total = _Total()
    weeks: dict[str, _Total] = {}
    models: dict[str, _Total] = {}
    cells: dict[tuple[str, str], _Total] = {}
    without_price: set[str] = set()

    for session in trace.sessions:
        for (model, day), sums in session.bill.items():
            cost = cost_of(sums, model, prices)
            name = model or UNKNOWN_MODEL
            if cost is None:
                without_price.add(name)

            week = week_of(day)
            of_week = weeks.setdefault(week, _Total())
            of_model = models.setdefault(name, _Total())
            of_cell = cells.setdefault((week, name), _Total())
            for one in (total, of_week, of_model, of_cell):
                one.add(sums, cost)

    by_week = []
    for week in sorted(weeks):
        fields = msgspec.structs.asdict(weeks[week].spending())
        by_week.append(WeekSpending(week=week, **fields))

    by_model = []
    for model in sorted(models, key=lambda name: (-models[name].sums.tokens, name)):
        fields = msgspec.structs.asdict(models[model].spending())
        by_model.append(ModelSpending(model=model, **fields))

    by_week_and_model = []
    for week, model in sorted(cells):
        fields = msgspec.structs.asdict(cells[week, model].spending())
        by_week_and_model.append(CellSpending(week=week, model=model, **fields))

    fullest = _fullest_session(trace.sessions)
    peak_time = None if fullest is None else trace.sessions[fullest].peak_time
    peaks = [s.peak_saturation for s in trace.sessions if s.peak_saturation is not None]
    compactions = sum(record.kind == "compaction" for record in trace.lifecycle)
    return TraceSpending(
        prices_as_of=prices.as_of.isoformat(),
        total=total.spending(),
        by_week=by_week,
        by_model=by_model,
        by_week_and_model=by_week_and_model,
        models_without_price=sorted(without_price),
        requests=sum(session.n_turns for session in trace.sessions),
        compactions=compactions,
        context_share_mean=_mean_share(trace.sessions),
        context_share_peak=_mean(peaks),
        context_share_highest=round(max(peaks), 6) if peaks else None,
        context_share_highest_session=fullest,
        context_share_highest_time=peak_time,
    )


def cost_of(sums: TokenSums, model: str | None, prices: PriceList) -> float | None:
    """Return the dollars of some calls: as the trace names them, else by the price list."""
    if sums.calls and not sums.unrecorded:
        return sums.recorded

    cached = sums.cache_read + sums.cache_write
    usage = Usage(sums.fresh + cached, sums.output, sums.cache_read, sums.cache_write)
    name = None if model is None else model.rpartition("/")[2]
    return prices.cost_usd(usage, model, name)


def session_cost(session: TraceSession, prices: PriceList) -> float | None:
    """Return the dollars of a session; None where it made no call or a price is unknown."""
    if not session.bill:
        return None

    total = 0.0
    for (model, _), sums in session.bill.items():
        cost = cost_of(sums, model, prices)
        if cost is None:
            return None
        total += cost

    return total


def week_of(day: int | None) -> str:
    """Return the Monday of a day's week, such as 2026-03-09."""
    if day is None:
        return UNKNOWN_WEEK

    moment = EPOCH + timedelta(days=day)
    monday = moment - timedelta(days=moment.weekday())
    return monday.date().isoformat()


def session_week(session: TraceSession, logical: bool) -> str:
    """Return the week in which a session began."""
    if session.start is None or logical:
        return UNKNOWN_WEEK
    return week_of(int(session.start // DAY))


def _fullest_session(sessions: Sequence[TraceSession]) -> int | None:
    """Return the first session that came closest to the window; None where no window is known."""
    places = [at for at, session in enumerate(sessions) if session.peak_saturation is not None]
    return max(places, key=lambda at: sessions[at].peak_saturation or 0.0, default=None)


def _mean_share(sessions: Sequence[TraceSession]) -> float | None:
    calls = sum(session.window_n for session in sessions)
    if not calls:
        return None
    return round(sum(session.saturation_sum for session in sessions) / calls, 6)


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 6) if values else None
