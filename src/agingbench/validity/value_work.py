"""Calls that look a value up and use it, under many names: what revision has to see from data."""

from __future__ import annotations

import json

import numpy as np

# How a domain names its things: tool that shows, tool that uses, keys, value as shown and as given.
DOMAINS: tuple[tuple[str, str, tuple[str, ...], str, str], ...] = (
    ("service_info", "deploy_service", ("service",), "version", "version"),
    ("lookup_host", "connect", ("hostname",), "port", "port"),
    ("crm_customer", "send_offer", ("customer",), "tier", "tier"),
    ("flag_status", "apply_flag", ("feature",), "rollout", "percentage"),
    ("price_of", "place_order", ("sku",), "unit_price", "price"),
    ("rota", "page_person", ("team",), "on_call", "person"),
    ("warehouse", "reserve", ("item", "site"), "shelf", "shelf"),
    ("cluster_view", "scale", ("cluster", "region"), "nodes", "nodes"),
    ("contract", "invoice", ("account",), "currency", "currency"),
    ("schema_of", "run_migration", ("table", "schema"), "revision", "target_revision"),
)
THINGS = 8


class ValueWork:
    """One domain: its things, their values, and when these change."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        domain = DOMAINS[int(rng.integers(len(DOMAINS)))]
        self.shows, self.uses, self.keys, self.shown, self.given = domain
        self.history: dict[int, list[str]] = {}

    def call(self, stale_rate: float) -> tuple[str, dict[str, object], str]:
        """Return tool, arguments and result of a call that shows or uses a value."""
        rng = self.rng
        thing = int(rng.integers(THINGS))
        values = self.history.setdefault(thing, [])
        if not values or rng.random() < 0.35:
            return self._show(thing, values)

        value = values[-1]
        if len(values) > 1 and rng.random() < stale_rate:
            value = values[int(rng.integers(len(values) - 1))]

        arguments: dict[str, object] = {**self._key(thing), self.given: value}
        return self.uses, arguments, "ok"

    def _show(self, thing: int, values: list[str]) -> tuple[str, dict[str, object], str]:
        rng = self.rng
        if not values or rng.random() < 0.35:
            values.append(f"{int(rng.integers(1, 9))}.{int(rng.integers(100))}")

        key = self._key(thing)
        result = {**key, self.shown: values[-1], "checked": True}
        return self.shows, dict(key), json.dumps(result)

    def _key(self, thing: int) -> dict[str, object]:
        if len(self.keys) == 1:
            return {self.keys[0]: f"{self.keys[0]}-{thing}"}

        first = {self.keys[0]: f"{self.keys[0]}-{thing // 3}"}
        return {**first, self.keys[1]: f"{self.keys[1]}-{thing % 3}"}
