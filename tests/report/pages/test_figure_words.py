"""The words under each figure of a life's page."""

from __future__ import annotations

from agingbench.report.pages.figure_words import FIGURE_WORDS, figure_words
from agingbench.report.terminal import MECHANISM_FIGURES


def test_every_figure_that_is_shown_is_explained_and_no_other() -> None:
    shown = {(name, figure) for name, figures in MECHANISM_FIGURES.items() for figure in figures}
    assert set(FIGURE_WORDS) == shown
    assert figure_words("revision", "cvr").startswith("rules broken")
    assert figure_words("revision", "something else") == ""
