"""What a life spent and what its running totals were, read from its folder."""

from __future__ import annotations

from typing import Any

import msgspec

from agingbench.metrics.mechanisms import AccountReading
from agingbench.report.pages.walk import AS_LIVED, WalkSources
from agingbench.text.matching import numbers
from agingbench.trials.autopsy import ProbeStory


def account_readings(sources: WalkSources) -> dict[str, list[AccountReading]]:
    """What each account held when it was asked for, beside the amount that the answer named."""
    names = {account.id: account.name for account in sources.plan.graph.accounts}
    verdicts = {row.probe: row.verdict for row in sources.scores.answers}
    readings: dict[str, list[AccountReading]] = {}
    for probe in sources.plan.probes:
        verdict = verdicts.get(probe.id)
        amounts = numbers(probe.required[0].text) if probe.required else []
        is_known = verdict is not None and verdict != "failed"
        if probe.type != "account" or not is_known or not amounts:
            continue
        gold = amounts[0].value
        said: float | None = gold
        if verdict != "correct":
            said = _amount_said(sources.stories.get(probe.id))
        account = probe.account or ""
        reading = AccountReading(probe.t, account, gold, said)
        readings.setdefault(names.get(account, account), []).append(reading)
    return readings


def _amount_said(story: ProbeStory | None) -> float | None:
    if story is None or isinstance(story.said.amount, msgspec.UnsetType):
        return None
    return story.said.amount


def spent_tokens(sources: WalkSources) -> list[tuple[int, int, int]]:
    """Tokens read and written per session; empty where a call does not say them."""
    spent: dict[int, list[int]] = {}
    calls: list[tuple[int, Any]] = [
        (event.session, event.usage)
        for event in sources.events
        if event.session is not None and event.usage is not None
    ]
    calls += [(row.t, row.usage) for row in sources.answers if row.condition == AS_LIVED]
    for t, usage in calls:
        if not usage.calls:
            continue
        if usage.input_tokens is None or usage.output_tokens is None:
            return []
        total = spent.setdefault(t, [0, 0])
        total[0] += usage.input_tokens
        total[1] += usage.output_tokens
    return [(t, total[0], total[1]) for t, total in sorted(spent.items())]
