"""The pages of the viewer, each made when it is asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from agingbench.errors import AgingBenchError, InputError
from agingbench.report.chart_frame import drawing
from agingbench.report.pages.build import report_page
from agingbench.report.paper.card_image import card_image
from agingbench.text.addresses import plain_address
from agingbench.trials.inspect.transcripts import read_path
from agingbench.trials.query import Query
from agingbench.trials.run_folder import LifeFiles
from agingbench.view.assets import ASSETS, asset
from agingbench.view.cell_table import CellsPage
from agingbench.view.cells import lives_of, study_cells
from agingbench.view.guard import Guard
from agingbench.view.ledgers import ViewedLedger
from agingbench.view.overlay import MOST, OverlayPage, overlay_page, trial_overlay
from agingbench.view.places import Outside, ViewedFolder
from agingbench.view.rendering import Screen
from agingbench.view.runs import RunIndex, chosen, in_order, life_progress
from agingbench.view.tables import FilesPage, RunsPage, TrialsPage, TrialView
from agingbench.view.timeline import plan_page
from agingbench.view.traces import PAGE, Inspected, TraceCache

NOT_CHANGED = 304
WRONG_INPUT = 400
NOT_THERE = 404
Asked = Mapping[str, str]


class Viewer:
    """What is viewed, a folder, a ledger or both, and how each page is answered."""

    def __init__(self, folder: ViewedFolder | None, ledger: ViewedLedger | None) -> None:
        self.folder = folder
        self.index = None if folder is None else RunIndex(folder)
        self.ledger = ledger
        self.traces = TraceCache()
        place = str(folder.root) if folder is not None else ""
        name = Path(place).name if place else "ledger"
        self.screen = Screen(name, folder is not None, ledger is not None)

    # -- tables

    def home(self, request: Request) -> Response:
        """The table of runs; a ledger alone begins with its trials."""
        if self.index is None:
            return self.trials(request)
        asked = request.query_params
        rows = self.index.rows()
        shown = lives_of(rows, [asked["cell"]]) if asked.get("cell") else rows
        found = chosen(shown, asked.get("q", ""), asked.get("kind", ""))
        order = asked.get("order", "down")
        sort = asked.get("sort", "made")
        ordered = in_order(found, sort, order == "down")
        trials = None if self.ledger is None else self.ledger.counts()
        page = RunsPage.of(rows, ordered, asked, trials, self._verify_words())
        return self._page("runs.html.j2", "Runs", page, here="runs")

    def cells(self, _: Request) -> Response:
        """The cells of the studies in the folder."""
        page = CellsPage.of(study_cells(self._index().rows()))
        return self._page("cells.html.j2", "Cells", page, here="cells")

    def _verify_words(self) -> str:
        return "" if self.ledger is None else self.ledger.verify_state().words

    def trials(self, request: Request) -> Response:
        """A page of the trials of the ledger."""
        ledger = self._ledger()
        found = ledger.trials(request.query_params)
        page = TrialsPage.of(found, request.query_params, ledger.choices(), ledger.verify_state())
        return self._page("trials.html.j2", "Trials", page, here="trials")

    def trial(self, request: Request) -> Response:
        """One trial of the ledger with its evidence."""
        row, stored = self._ledger().trial(_word(request, "id"))
        return self._page("trial.html.j2", row.trial_id, TrialView.of(row, stored), here="trials")

    def files(self, request: Request) -> Response:
        """The files of the folder that may be traces."""
        page = FilesPage.of(self._folder(), request.query_params)
        return self._page("files.html.j2", "Traces", page, here="files")

    # -- one run

    def report(self, request: Request) -> Response:
        """The report of one or several runs, as `agingbench report` makes it."""
        names = self._named_runs(request)
        sources = [self._index().source(name) for name in _some(names)]
        links = [f"/report?{_address(run=name)}" for name in names]
        report = report_page(sources, links=links)
        here = {"name": names[0], "kind": report.kind} if len(names) == 1 else {}
        return self._page(
            report.template, report.title, report.page, report.charts, here="runs", run=here
        )

    def _named_runs(self, request: Request) -> list[str]:
        """The runs that an address names, one by one or by their cells."""
        asked = request.query_params
        names = asked.getlist("run")
        cells = asked.getlist("cell")
        if cells:
            rows = lives_of(self._index().rows(), cells)
            names += [row.name for row in rows if row.kind == "life"]
        return names

    def plan(self, request: Request) -> Response:
        """The facts of a life on a time line."""
        name = _word(request, "run")
        page = plan_page(LifeFiles(self._folder().run(name)))
        run = {"name": name, "kind": "life"}
        return self._page("plan.html.j2", page.answer, page, page.charts, here="runs", run=run)

    def overlay(self, request: Request) -> Response:
        """Several runs or trials over each other."""
        trials = request.query_params.getlist("trial")
        page = self._trial_overlay(trials) if trials else self._run_overlay(request)
        return self._page("overlay.html.j2", page.answer, page, page.charts, here="runs")

    def _run_overlay(self, request: Request) -> OverlayPage:
        names = request.query_params.getlist("run")
        if len(names) > MOST:
            raise InputError(f"{len(names)} are selected; at most {MOST} can be told apart")
        sources = [self._index().source(name) for name in names]
        return overlay_page(sources, [Path(name).name for name in names])

    def _trial_overlay(self, names: Sequence[str]) -> OverlayPage:
        if len(names) > MOST:
            raise InputError(f"{len(names)} are selected; at most {MOST} can be told apart")
        with self._ledger().open() as ledger:
            rows = [row for name in names for row in ledger.list(Query(trial_id=name))]
        return trial_overlay(rows)

    def card(self, request: Request) -> Response:
        """The Lifespan Card of a life as a PNG."""
        name = _word(request, "run")
        source = self._index().source(name)
        if source.kind != "life":
            raise InputError("only a life has a Lifespan Card")
        image = drawing(card_image(source.document), "png")
        disposition = 'inline; filename="lifespan_card.png"'
        return Response(image, 200, {"Content-Disposition": disposition}, "image/png")

    # -- traces

    def trace(self, request: Request) -> Response:
        """The inspector of a trace; its entries are asked for as one scrolls."""
        inspected, title, address = self._inspected(request)
        page = {
            "title": title,
            "address": address,
            "entries": len(inspected.events),
            "errors": len(inspected.errors),
            "bins": inspected.error_bins(),
            "source": inspected.transcript.source,
            "problems": len(inspected.transcript.problems),
            "reason": inspected.transcript.reason,
        }
        is_run = "run" in request.query_params
        run = {"name": title, "kind": "life"} if is_run else {}
        return self._page("trace.html.j2", title, page, here="runs" if is_run else "files", run=run)

    def steps(self, request: Request) -> Response:
        """A page of the entries of a trace as JSON."""
        inspected, _, _ = self._inspected(request)
        start = _number(request, "start", 0)
        return _json(inspected.page(start, _number(request, "count", PAGE)))

    def step(self, request: Request) -> Response:
        """One entry of a trace with its whole text as JSON."""
        inspected, _, _ = self._inspected(request)
        place = _number(request, "place", 0)
        if place >= len(inspected.events):
            raise Outside("the trace has no such entry")
        return _json(inspected.entry(place))

    def find(self, request: Request) -> Response:
        """The place of the next entry that holds a text or is an error, as JSON."""
        inspected, _, _ = self._inspected(request)
        asked = request.query_params
        start = _number(request, "start", 0)
        backwards = asked.get("back") == "1"
        if asked.get("errors") == "1":
            return _json({"place": inspected.find_error(start, backwards)})
        text = asked.get("q", "")
        return _json({"place": inspected.find(text, start, backwards) if text else None})

    def _inspected(self, request: Request) -> tuple[Inspected, str, str]:
        """The trace that a request names, its title, and the address of its parts."""
        asked = request.query_params
        if "trial" in asked:
            trial = asked["trial"]
            ledger = self._ledger()
            trace = self.traces.get(("trial", trial), partial(ledger.transcript, trial))
            return trace, trial, _address(trial=trial)
        name = asked.get("run") or asked.get("file") or ""
        folder = self._folder()
        place = folder.inside(name)
        file = place
        if place.is_dir():
            file = folder.inside(f"{name}/trace.jsonl")
        state = file.stat()
        key = (str(file), state.st_mtime_ns, state.st_size)
        kind = "run" if place.is_dir() else "file"
        return self.traces.get(key, partial(read_path, file)), name, _address(**{kind: name})

    # -- what goes on

    def progress(self, _: Request) -> Response:
        """How far unfinished lives have come, as JSON."""
        if self.index is None:
            return _json({"finished": 0, "lives": []})
        rows = self.index.rows()
        lives = []
        for row in rows:
            if row.kind == "unfinished":
                lives.append(life_progress(row.name, self._folder().inside(row.name)))
        finished = sum(row.kind == "life" for row in rows)
        return _json({"finished": finished, "lives": lives})

    def verify(self, request: Request) -> Response:
        """Whether the ledger is intact; the check begins when it is asked for."""
        ledger = self._ledger()
        if request.query_params.get("check") == "1":
            ledger.check()
        page = {"place": plain_address(ledger.place), "state": ledger.verify_state()}
        return self._page("verify.html.j2", "Is the ledger intact?", page, here="verify")

    def verify_state(self, _: Request) -> Response:
        """How far the check of the ledger has come, as JSON."""
        return _json(self._ledger().verify_state())

    # -- parts

    def _page(
        self,
        template: str,
        title: str,
        page: Any,
        charts: Sequence[Any] = (),
        *,
        here: str,
        run: Mapping[str, str] | None = None,
    ) -> Response:
        return HTMLResponse(self.screen.render(template, title, page, charts, here, run or {}))

    def _folder(self) -> ViewedFolder:
        if self.folder is None:
            raise Outside("only a ledger is viewed; give a folder to see its files")
        return self.folder

    def _index(self) -> RunIndex:
        if self.index is None:
            raise Outside("only a ledger is viewed; give a folder to see its runs")
        return self.index

    def _ledger(self) -> ViewedLedger:
        if self.ledger is None:
            raise Outside("there is no ledger in this folder")
        return self.ledger


def _word(request: Request, name: str) -> str:
    value = request.query_params.get(name, "")
    if not value:
        raise InputError(f"the address names no {name}")
    return value


def _some(names: Sequence[str]) -> Sequence[str]:
    if not names:
        raise InputError("the address names no run")
    return names


def _number(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


def _address(**parts: str) -> str:
    from urllib.parse import urlencode

    return urlencode(parts)


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


# -- the application


def make_app(viewer: Viewer, port: int) -> Starlette:
    """The application; `port` is the one it is reached at."""
    pages: dict[str, Callable[[Request], Response]] = {
        "/": viewer.home,
        "/cells": viewer.cells,
        "/trials": viewer.trials,
        "/trial": viewer.trial,
        "/files": viewer.files,
        "/report": viewer.report,
        "/plan": viewer.plan,
        "/overlay": viewer.overlay,
        "/card.png": viewer.card,
        "/trace": viewer.trace,
        "/steps": viewer.steps,
        "/step": viewer.step,
        "/find": viewer.find,
        "/progress": viewer.progress,
        "/verify": viewer.verify,
        "/verify.json": viewer.verify_state,
    }
    routes = [Route(path, _answering(viewer, page)) for path, page in pages.items()]
    for name in ASSETS:
        routes.append(Route(f"/assets/{name}", partial(_asset, name)))
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, port=port)],
        exception_handlers={NOT_THERE: partial(_nothing_here, viewer)},
    )


def _answering(viewer: Viewer, page: Callable[[Request], Response]) -> Callable[[Request], Any]:
    """A page whose errors are told as a page, in a thread of its own."""

    async def answer(request: Request) -> Response:
        try:
            return await run_in_threadpool(page, request)
        except Outside as error:
            return _told(viewer, request, str(error), NOT_THERE)
        except AgingBenchError as error:
            return _told(viewer, request, str(error), WRONG_INPUT)
        except (AttributeError, KeyError, TypeError, ValueError, OSError) as error:
            # The schema leaves some blocks open, so a valid card may still hold something else.
            text = f"this cannot be shown: {type(error).__name__}: {error}"
            return _told(viewer, request, text, WRONG_INPUT)

    return answer


async def _nothing_here(viewer: Viewer, request: Request, _: Exception) -> Response:
    return _told(viewer, request, "there is no such page", NOT_THERE)


def _told(viewer: Viewer, request: Request, reason: str, status: int) -> Response:
    text = plain_address(reason)
    if request.url.path in ("/steps", "/step", "/find", "/progress", "/verify.json"):
        return Response(msgspec.json.encode({"error": text}), status, media_type="application/json")
    page = {"status": status, "text": text}
    return HTMLResponse(
        viewer.screen.render("error.html.j2", "Not shown", page, (), "", {}), status
    )


async def _asset(name: str, request: Request) -> Response:
    text, kind = await run_in_threadpool(asset, name)
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(None, NOT_CHANGED, {"ETag": tag})
    return Response(text, 200, {"ETag": tag}, kind)
