"""Secrets and look-alikes that were written without sight of the scrubber."""

from __future__ import annotations

import hashlib

from tests.traces.blind.score import FILE, SHA256, blind_texts, score


def test_the_texts_are_those_that_were_written() -> None:
    assert hashlib.sha256(FILE.read_bytes()).hexdigest() == SHA256
    assert len(blind_texts("tune")) + len(blind_texts("report")) == 90


def test_the_half_to_tune_on_holds() -> None:
    result = score("tune")
    assert (len(result.leaked), len(result.changed)) == (0, 0)


def test_the_half_to_report_is_as_published() -> None:
    result = score("report")
    assert (result.secrets, result.look_alikes) == (34, 14)
    assert len(result.leaked) <= 1
    assert len(result.changed) <= 1
