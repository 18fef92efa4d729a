"""Pages of the viewer from templates: those of reports too, in a frame that links its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from agingbench import __version__
from agingbench.report.pages.charts import PageChart
from agingbench.report.pages.document import page_environment, script_json
from agingbench.view.assets import TEMPLATES


class Screen:
    """The frame around every page: what is viewed and where else one can go."""

    def __init__(self, name: str, has_folder: bool, has_ledger: bool) -> None:
        self.name = name
        self.has_folder = has_folder
        self.has_ledger = has_ledger

    def render(
        self,
        template: str,
        title: str,
        page: Any,
        charts: Sequence[PageChart],
        here: str,
        run: Mapping[str, str],
    ) -> str:
        """A page as HTML; the charts' data stand in it, scripts and styles are linked."""
        specs = script_json({chart.id: chart.spec for chart in charts})
        return (
            page_environment(TEMPLATES)
            .get_template(template)
            .render(
                title=title,
                page=page,
                version=__version__,
                screen=self,
                here=here,
                run=run,
                has_charts=bool(charts),
                charts=Markup(specs),  # noqa: S704 - escaped by script_json
            )
        )
