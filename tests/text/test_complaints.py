"""Complaints are told from requests, in several languages."""

from __future__ import annotations

import pytest

from agingbench.text.complaints import is_complaint


@pytest.mark.parametrize(
    "text",
    [
        "no, that is wrong",
        "That's not what I asked for, the table should stay",
        "it still fails on the second file",
        "undo that please",
        "[Request interrupted by user]",
        "Hi, no, leave the header alone",
        "you changed the parser but it was the writer that failed",
        "put config.toml back please",
        "do the export the way I described",
        "well, now the totals are gone",
        "you skipped the second part of my message",
        "Hallo, nein, das bleibt so",
        "den zweiten Teil hast du übergangen",
        "jetzt ist die Spalte ganz verschwunden",
        "nein, das ist falsch",
        "das habe ich dir doch schon gesagt: ich habe es gesagt",
        "immer noch kaputt",
        "ce n'est pas ce que je voulais",
        "no funciona, sigue fallando",
        "não é o que pedi",
        "non funziona ancora",
        "dat klopt niet",
        "还是不行，错了",
        "違います、やり直して",
    ],
)
def test_a_complaint_is_one(text: str) -> None:
    assert is_complaint(text)


@pytest.mark.parametrize(
    "text",
    [
        "add a button to the settings page",
        "note the number of rows in the report",
        "fix the failing test in the parser",
        "warum ist der Cache so langsam?",
        "explique comment marche le cache",
        "nothing else for today, thanks",
        "Hi, no hurry, but look into the export",
        "you can change the parser if you like",
        "Hallo, trag bitte die neue Nummer ein",
        "",
    ],
)
def test_a_request_is_none(text: str) -> None:
    assert not is_complaint(text)
