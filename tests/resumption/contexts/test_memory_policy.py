"""Memory policies as consolidators: those that condense come to fit the budget."""

from __future__ import annotations

import pytest

from agingbench.records import Event
from agingbench.resumption.contexts.build import build_consolidator
from agingbench.text.wording import count_tokens

SAID = (
    "The handler in src/services/notifications/handlers/delivery_{}.py raises"
    " NotificationDeliveryTimeoutError."
)
LONG_WORDS = [
    Event(step=n, session=0, role="assistant", content=SAID.format(n)) for n in range(120)
]


@pytest.mark.parametrize("policy", ["careful_compress", "lossy_compress"])
def test_a_policy_that_condenses_fits_though_words_are_long(policy: str) -> None:
    context = build_consolidator(policy).consolidate(
        "find out why deliveries time out", LONG_WORDS, 400
    )
    assert 200 < count_tokens(context) <= 400
    assert "NotificationDeliveryTimeoutError" in context
