"""What the tables of the viewer show: cells in words, links that sort, filter and turn pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from agingbench.report.layout import MISSING, number
from agingbench.report.series import is_lost_at_once
from agingbench.report.text import plain
from agingbench.trials.columns import TrialRow
from agingbench.trials.inspect.groups import tokens_of
from agingbench.trials.ledger import StoredTrial
from agingbench.view.ledgers import ROWS, TrialPage, VerifyState
from agingbench.view.links import Column, Pager, page_number, pager_of, plain_asked, sorted_columns
from agingbench.view.places import ViewedFolder
from agingbench.view.runs import RunRow

RUN_ROWS = 100
FILE_ROWS = 200
TRACE_SUFFIXES = (".jsonl", ".json", ".gz", ".eval")
SPARK_WIDTH = 100
SPARK_HEIGHT = 20
RUN_COLUMNS = {
    "system": "system",
    "about": "condition",
    "seed": "seed",
    "start": "start",
    "end": "end",
    "half_life": "half-life",
    "aging": "aging",
    "tokens": "tokens",
    "cost": "cost",
    "made": "made",
}
TRIAL_COLUMNS = {
    "trial_id": "trial",
    "kind": "kind",
    "model": "model",
    "memory": "memory",
    "scenario": "scenario",
    "seed": "seed",
    "status": "status",
    "reward": "reward",
    "tokens_in": "tokens",
    "cost_usd": "cost",
    "timestamp": "time",
}
KIND_WORDS = {
    "life": "life",
    "audit": "audit",
    "resumption": "resumption",
    "unfinished": "unfinished",
    "unreadable": "unreadable",
}


class RunCells(msgspec.Struct, frozen=True):
    """A run as the table shows it."""

    row: RunRow
    start: str
    end: str
    half_life: str
    verdict: str
    badge: str
    tokens: str
    cost: str
    made: str
    spark: str


class RunsPage(msgspec.Struct, frozen=True):
    """The table of runs with its filters."""

    answer: str
    about: str
    columns: list[Column]
    rows: list[RunCells]
    pager: Pager
    kinds: list[tuple[str, str]]
    asked: dict[str, str]
    unfinished: int
    verify: str

    @classmethod
    def of(
        cls,
        rows: Sequence[RunRow],
        found: Sequence[RunRow],
        asked: Mapping[str, str],
        trials: int | None,
        verify: str,
    ) -> RunsPage:
        """The page of the rows that were found among all."""
        counts = {kind: sum(row.kind == kind for row in rows) for kind in KIND_WORDS}
        words = [_counted(n, kind) for kind, n in counts.items() if n]
        ledger = "" if trials is None else f"The ledger beside them holds {trials:,} trials"
        page = page_number(asked, len(found), RUN_ROWS)
        first = (page - 1) * RUN_ROWS
        shown = found[first : first + RUN_ROWS]
        return cls(
            answer=", ".join(words) or "No runs here yet",
            about=ledger,
            columns=sorted_columns(RUN_COLUMNS, asked, "made", "/"),
            rows=[_run_cells(row) for row in shown],
            pager=pager_of(asked, "/", page, len(found), RUN_ROWS, "runs"),
            kinds=[(kind, f"{KIND_WORDS[kind]} ({n})") for kind, n in counts.items() if n],
            asked=plain_asked(asked),
            unfinished=counts["unfinished"],
            verify=verify,
        )


def _counted(n: int, kind: str) -> str:
    plurals = {"life": "lives", "audit": "audits", "resumption": "resumption runs"}
    if kind in plurals:
        noun = plurals[kind] if n != 1 else plurals[kind].removesuffix("s").replace("live", "life")
        return f"{n:,} {noun}".replace(" ", "\N{NO-BREAK SPACE}")
    return f"{n:,}\N{NO-BREAK SPACE}{KIND_WORDS[kind]}"


def _run_cells(row: RunRow) -> RunCells:
    verdict, badge = {True: ("yes", "bad"), False: ("no", "good"), None: ("cannot tell", "")}[
        row.aging
    ]
    if row.kind in ("unfinished", "unreadable"):
        verdict, badge = row.reason, "weak"
    elif is_lost_at_once(row.half_life, row.aging):
        verdict, badge = "no, lost at once", "weak"
    return RunCells(
        row=row,
        start=share_text(row.start),
        end=share_text(row.end),
        half_life=row.half_life_words or MISSING,
        verdict=verdict,
        badge=badge,
        tokens=short_count(row.tokens),
        cost=MISSING if row.cost is None else f"${row.cost:,.2f}",
        made=row.made[:16].replace("T", " ") or MISSING,
        spark=spark_points(row.points),
    )


def share_text(share: float | None) -> str:
    """A share in whole percents."""
    return MISSING if share is None else f"{100 * share:.0f} %"


def short_count(count: float | None) -> str:
    """A count with the letter of its size: 12.3 k."""
    if count is None:
        return MISSING
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.1f} {sign}"
    return f"{count:.0f}"


def spark_points(points: Sequence[float | None]) -> str:
    """The points of a small curve in 0..1; empty where fewer than two are known."""
    known = [(place, m) for place, m in enumerate(points) if m is not None]
    if len(known) < 2:
        return ""
    last = max(1, len(points) - 1)
    marks = []
    for place, m in known:
        x = SPARK_WIDTH * place / last
        y = SPARK_HEIGHT * (1 - min(max(m, 0.0), 1.0))
        marks.append(f"{x:.1f},{y:.1f}")
    return " ".join(marks)


# -- trials


class TrialsPage(msgspec.Struct, frozen=True):
    """A page of the table of trials with its filters."""

    answer: str
    verify: VerifyState
    columns: list[Column]
    rows: list[list[str]]
    ids: list[str]
    pager: Pager
    choices: dict[str, list[str]]
    asked: dict[str, str]

    @classmethod
    def of(
        cls,
        found: TrialPage,
        asked: Mapping[str, str],
        choices: dict[str, list[str]],
        verify: VerifyState,
    ) -> TrialsPage:
        """The page of the trials that the ledger gave."""
        noun = "trial" if found.total == 1 else "trials"
        return cls(
            answer=f"{found.total:,} {noun}",
            verify=verify,
            columns=sorted_columns(TRIAL_COLUMNS, asked, "number", "/trials"),
            rows=[_trial_cells(row) for row in found.rows],
            ids=[row.trial_id for row in found.rows],
            pager=pager_of(asked, "/trials", found.page, found.total, ROWS, "trials"),
            choices=choices,
            asked=plain_asked(asked),
        )


def _trial_cells(row: TrialRow) -> list[str]:
    mark = " (replaced)" if row.superseded_by else ""
    return [
        plain(row.trial_id) + mark,
        plain(row.kind or MISSING),
        plain(row.model),
        plain(row.memory or MISSING),
        plain(row.scenario or row.task_id),
        MISSING if row.seed is None else str(row.seed),
        plain(row.status or MISSING),
        number(row.reward, 3),
        short_count(tokens_of(row)),
        MISSING if row.cost_usd is None else f"${row.cost_usd:,.4f}",
        plain(row.timestamp)[:16].replace("T", " "),
    ]


class TrialView(msgspec.Struct, frozen=True):
    """One trial: every column that is known, and its evidence."""

    trial_id: str
    about: str
    facts: list[tuple[str, str]]
    evidence: list[tuple[str, str, str]]
    has_trace: bool

    @classmethod
    def of(cls, row: TrialRow, stored: StoredTrial) -> TrialView:
        """The view of a trial as the ledger holds it."""
        facts = []
        for name in row.__struct_fields__:
            value = msgspec.structs.asdict(row)[name]
            if value not in (None, ""):
                facts.append((name.replace("_", " "), plain(value)))
        facts.append(("added", plain(stored.entry.added_at)))
        evidence = []
        for name, blob in sorted(stored.entry.blobs().items()):
            evidence.append((plain(name), f"{blob.size:,} bytes", blob.sha256))
        outputs = stored.record.outputs
        reward = number(row.reward, 3)
        return cls(
            trial_id=row.trial_id,
            about=f"{plain(row.kind or 'trial')} of {plain(row.model)}, reward {reward}",
            facts=facts,
            evidence=evidence,
            has_trace=bool(outputs.trajectory_path or outputs.conversation_path),
        )


# -- files


class FilesPage(msgspec.Struct, frozen=True):
    """The files of the folder that may be traces."""

    answer: str
    rows: list[tuple[str, str]]
    pager: Pager
    asked: dict[str, str]

    @classmethod
    def of(cls, folder: ViewedFolder, asked: Mapping[str, str]) -> FilesPage:
        """A page of the files whose names hold every word."""
        words = asked.get("q", "").lower().split()
        found = []
        for place, names in folder.walk():
            for name in sorted(names):
                file = place / name
                title = folder.name(file)
                is_trace = name.endswith(TRACE_SUFFIXES) and name not in OTHER_JSON
                in_memory = place.name == "memory"
                if is_trace and not in_memory and all(word in title.lower() for word in words):
                    found.append(file)
        page = page_number(asked, len(found), FILE_ROWS)
        first = (page - 1) * FILE_ROWS
        rows = []
        for file in found[first : first + FILE_ROWS]:
            rows.append((folder.name(file), f"{file.stat().st_size / 1000:,.0f} kB"))
        noun = "file" if len(found) == 1 else "files"
        return cls(
            answer=f"{len(found):,} {noun} that may be traces",
            rows=rows,
            pager=pager_of(asked, "/files", page, len(found), FILE_ROWS, "files"),
            asked=plain_asked(asked),
        )


# What a run folder holds beside its trace.
OTHER_JSON = frozenset(
    {
        "aging_card.json",
        "answers.jsonl",
        "autopsy.json",
        "calibration_answers.jsonl",
        "code_checks.json",
        "control.json",
        "dependency_metrics.json",
        "diagnosis.json",
        "diagnosis_answers.jsonl",
        "identity.json",
        "ledger.head.json",
        "metrics.json",
        "partial.json",
        "plan.json",
        "stops.jsonl",
        "suite.json",
        "sut.json",
        "trial.json",
    }
)
