"""A plan as a time line: when each fact was told, changed, taken back and asked for."""

from __future__ import annotations

import msgspec

from agingbench.report.pages.charts import (
    PageChart,
    TableCell,
    layered,
    named_data,
)
from agingbench.report.pages.walk import AS_LIVED
from agingbench.report.text import plain
from agingbench.trials.run_folder import LifeFiles, PlanRecord

ROW_HEIGHT = 17
HEAD = 60
LONGEST = 54
MARKS = {
    "told": ("circle", "$c1"),
    "changed": ("diamond", "$c2"),
    "taken back": ("cross", "$c4"),
}
ASKED = {"asked, right": "$good", "asked, wrong": "$bad", "asked": "$quiet"}
RIGHT = "correct"
FAILED = "failed"  # the model could not be asked, which is no answer


class PlanPage(msgspec.Struct, frozen=True):
    """A plan as its page shows it."""

    answer: str
    about: str
    events: list[str]
    charts: list[PageChart]


class FactMoment(msgspec.Struct, frozen=True):
    """Something that happens to a fact at a session."""

    fact: str
    t: float
    what: str
    words: str


def plan_page(files: LifeFiles) -> PlanPage:
    """The time line of the plan of a life, with the verdicts where it was scored."""
    plan = files.plan_record()
    verdicts: dict[str, str] = {}
    if files.metrics.exists():
        for row in files.scores().answers:
            if row.condition == AS_LIVED and row.verdict != FAILED:
                verdicts.setdefault(row.probe, row.verdict)
    names = fact_names(plan)
    moments = fact_moments(plan, names, verdicts)
    changes = sum(moment.what == "changed" for moment in moments)
    gone = sum(moment.what == "taken back" for moment in moments)
    answer = (
        f"{len(plan.graph.facts)} facts over {plan.n_sessions} sessions: {changes} changed,"
        f" {gone} taken back, {len(plan.probes)} questions asked"
    )
    about = f"{plain(plan.scenario)} {plain(plan.scenario_version)}, {plain(plan.preset)},"
    events = [f"{plain(event.name)} at session {event.at}" for event in plan.events]
    chart = _chart(plan, names, moments)
    return PlanPage(answer, f"{about} seed {plan.seed}", events, [chart])


def fact_names(plan: PlanRecord) -> dict[str, str]:
    """A short name for each fact, all different."""
    names: dict[str, str] = {}
    used: set[str] = set()
    for fact in plan.graph.facts:
        name = plain(fact.phrase or fact.id)
        if len(name) > LONGEST:
            name = f"{name[: LONGEST - 1]}…"
        if name in used:
            name = f"{name} ({plain(fact.id)})"
        used.add(name)
        names[fact.id] = name
    return names


def fact_moments(
    plan: PlanRecord, names: dict[str, str], verdicts: dict[str, str]
) -> list[FactMoment]:
    """What happens to each fact, in the order of the plan; questions come before their session."""
    moments = []
    for fact in plan.graph.facts:
        for place, version in enumerate(fact.versions):
            what = "told" if place == 0 else "changed"
            words = plain(version.value.text)
            moments.append(FactMoment(names[fact.id], version.session, what, words))
        if fact.retracted_at is not None:
            moments.append(FactMoment(names[fact.id], fact.retracted_at, "taken back", ""))
    for probe in plan.probes:
        verdict = verdicts.get(probe.id)
        what = "asked"
        if verdict is not None:
            what = "asked, right" if verdict == RIGHT else "asked, wrong"
        for fact_id in probe.facts:
            if fact_id in names:
                moments.append(FactMoment(names[fact_id], probe.t, what, plain(probe.question)))
    return moments


def _chart(plan: PlanRecord, names: dict[str, str], moments: list[FactMoment]) -> PageChart:
    import altair as alt

    first_told: dict[str, float] = {}
    for moment in moments:
        if moment.what == "told":
            first_told[moment.fact] = moment.t
    order = sorted(names.values(), key=lambda name: first_told.get(name, 0.0))
    rows = [msgspec.structs.asdict(moment) for moment in moments]
    y = alt.Y("fact:N", title=None, sort=order, axis=alt.Axis(labelLimit=330, grid=True))
    # Above the facts, where it is seen without scrolling past all of them.
    axis = alt.Axis(tickMinStep=1, format="d", grid=False, orient="top", tickCount=12)
    scale = alt.Scale(domain=[0, plan.n_sessions], nice=False)
    x = alt.X("t:Q", title="session", axis=axis, scale=scale)
    asked = [row for row in rows if row["what"] in ASKED]
    told = [row for row in rows if row["what"] in MARKS]
    kinds = list(dict.fromkeys(row["what"] for row in asked))
    tooltip = ["fact:N", "t:Q", "what:N", "words:N"]
    ticks = named_data("asked", asked).mark_tick(thickness=3, size=11, opacity=0.9)
    colour = alt.Scale(
        domain=[*MARKS, *kinds],
        range=[*(pair[1] for pair in MARKS.values()), *(ASKED[kind] for kind in kinds)],
    )
    legend = alt.Legend(title=None, orient="top", columns=3)
    shape = alt.Scale(domain=list(MARKS), range=[pair[0] for pair in MARKS.values()])
    dots = named_data("told", told).mark_point(filled=True, size=70, opacity=1, xOffset=7)
    layers = [
        ticks.encode(x, y, alt.Color("what:N", scale=colour, legend=legend), tooltip=tooltip),
        dots.encode(
            x,
            y,
            alt.Color("what:N", scale=colour, legend=legend),
            alt.Shape("what:N", scale=shape, legend=None),
            tooltip=tooltip,
        ),
    ]
    table = []
    for moment in sorted(moments, key=lambda moment: (order.index(moment.fact), moment.t)):
        texts = [moment.fact, f"{moment.t:g}", moment.what, moment.words]
        table.append([TableCell(text) for text in texts])
    height = HEAD + ROW_HEIGHT * len(order)
    return PageChart(
        "timeline",
        "What was told, changed, taken back and asked for, fact by fact",
        "Dots are what the sessions tell; bars are questions, asked before the text of their"
        " session, in session 0 with the text at hand. The words stand in the table below.",
        layered(layers, height),
        ["fact", "session", "what", "words"],
        table,
    )
