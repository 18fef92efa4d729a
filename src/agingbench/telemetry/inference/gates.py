"""Fair exchanges where neighbours are alike, and an effect that hangs on a single tool."""

from __future__ import annotations

from agingbench.metrics.permutation import Orders, joint_score, p_value
from agingbench.metrics.trend import zero_filled
from agingbench.telemetry.inference.evidence import Mechanism, Signal
from agingbench.telemetry.inference.null_model import LEAST_DAYS, NullModel
from agingbench.telemetry.inference.phases import BLOCK, Phases
from agingbench.telemetry.inference.work import Work
from agingbench.telemetry.sessions.aggregates import TraceSessions
from agingbench.telemetry.signals.compression import growth_without
from agingbench.telemetry.signals.details import MaintenanceDetails, RevisionDetails
from agingbench.telemetry.signals.interference import mix_beyond_work, tool_mix

CARRIES = 0.1  # share of the calls from which a kind of tool counts
LEAST_KINDS = 3  # of tools that carry so much, for one of them to be left out
HALF = 0.5
CORROBORATES = 0.075  # p-value of another signal that makes a growing context a loss


def exchanged_p(
    trace: TraceSessions,
    null: NullModel,
    mechanism: Mechanism,
    phases: Phases,
    work: Work,
) -> float | None:
    """Return the p-value of a mechanism; None where nothing was tested.

    Where neighbouring sessions resemble each other it is the largest over all fair exchanges: of
    sessions, of whole days where days are shared, and of blocks of three sessions; where tasks come
    in many stretches, of these too. Too few blocks leave p at 1.
    """
    test = mechanism.test
    p = mechanism.p
    if p is None and test is not None:
        p = test.p
    if p is None or test is None:
        return p

    details = mechanism.details
    if isinstance(details, RevisionDetails | MaintenanceDetails):
        return p

    exchange = _Exchange(trace, null, mechanism, phases, work)
    if phases.count >= LEAST_DAYS:
        p = max(p, exchange.p_under(null.block_orders(phases.labels)))

    if not phases.serially_correlated:
        return p

    # The largest blocks of which there are enough.
    p = max(p, test.p_days or 0.0)
    n = null.n_sessions
    sizes = [size for size in range(BLOCK, 1, -1) if n / size >= LEAST_DAYS]
    if not sizes:
        return 1.0

    labels = [i // sizes[0] for i in range(n)]
    return max(p, exchange.p_under(null.block_orders(labels)))


class _Exchange:
    """Tests one mechanism again under other orderings."""

    def __init__(
        self,
        trace: TraceSessions,
        null: NullModel,
        mechanism: Mechanism,
        phases: Phases,
        work: Work,
    ) -> None:
        self.trace = trace
        self.null = null
        self.mechanism = mechanism
        self.phases = phases
        self.work = work

    def p_under(self, orders: Orders) -> float:
        """Return the p-value of the mechanism under other orderings."""
        work = self.work
        rho = self.phases.serial.rho_under(orders)
        scores = []
        weights = []

        for signal in self.mechanism.signals:
            if signal.test is None:
                continue
            if signal.name == "tool_mix_drift":
                mix = mix_beyond_work(self.trace, tool_mix(self.trace), work)
                scores.append(mix.fit(orders, work.mix_nuisance).scores)
                weights.append(signal.weight)
            else:
                beside = signal.beside_tools
                values = signal.tested_values()
                fit = work.conditional_fit(values, signal.weights(), orders, rho, beside)
                scores.append(signal.sign * fit.scores)
                weights.append(signal.weight)

        return p_value(joint_score(scores, weights))


def grows_alone(mechanism: Mechanism) -> bool:
    """Return whether the context grows while no other signal of compression speaks for a loss.

    A context that grows is an exposure: what is lost shows in calls and reads.
    """
    leading = mechanism.leading
    if leading is None or leading.name != "context_growth":
        return False

    for signal in mechanism.signals:
        speaks = signal.p is not None and signal.p <= CORROBORATES and signal.large_enough()
        if signal is not leading and speaks:
            return False

    return True


def single_tool(
    trace: TraceSessions, mechanism: Mechanism, null: NullModel, work: Work
) -> str | None:
    """Return the tool without which less than half of the context growth is left; else None."""
    leading = mechanism.leading
    if leading is None or leading.name != "context_growth" or leading.effect is None:
        return None

    calls: dict[str, float] = {}
    for session in trace.sessions:
        for tool, sums in session.growth.items():
            calls[tool] = calls.get(tool, 0.0) + sums[0]

    total = sum(calls.values())
    kinds = [tool for tool, n in calls.items() if n >= CARRIES * total]
    if len(kinds) < LEAST_KINDS:
        return None

    for tool in kinds:
        rest = growth_without(trace, tool)
        adjust(rest, work)
        fit = work.conditional_fit(rest.values(), rest.weights(), null.orders[:1])
        if fit.effect < HALF * leading.effect:
            return tool

    return None


def adjust(signal: Signal, work: Work) -> None:
    """Take out of a signal what the requests of its sessions explain."""
    values = zero_filled(signal.trajectory)[:, None]
    signal.adjusted = work.without_requests(values, signal.turns)[:, 0]
