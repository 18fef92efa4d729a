"""The Pareto front: the points that no other point beats on value and cost at once."""

from __future__ import annotations

from collections.abc import Sequence


def pareto_front(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Return for each (value, cost) whether no other point is at least as good in both.

    Equal points do not beat each other.
    """
    front = []
    for value, cost in points:
        beaten = False
        for other_value, other_cost in points:
            is_same = (other_value, other_cost) == (value, cost)
            if not is_same and other_value >= value and other_cost <= cost:
                beaten = True

        front.append(not beaten)

    return front
