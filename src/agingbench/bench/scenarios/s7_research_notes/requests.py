"""What the user asks for: the program at first, then its commands and migrations.

The texts have gaps and alternatives like those of the corpus. A sentence that states a fact is told
by the weaver and handed in; the rest says how the program is to behave, and nothing that is asked
for later.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from agingbench.bench.plan.filler import Filler
from agingbench.bench.plan.templates import Filling
from agingbench.bench.scenarios.s7_research_notes.design import (
    BODY,
    GRADE,
    HEADING,
    ID,
    LABELS,
    ORIGIN,
    Design,
    Field,
)
from agingbench.bench.scenarios.s7_research_notes.development import (
    ADD_FIELD,
    MOVE_STORE,
    STORE_FORMATS,
    Change,
    Development,
)

_BEGIN = (
    "[[Now to the thing itself|To begin with|First of all]]: [[please write|I need]] a Python"
    " command-line program in `{entry}`, [[built with {library}|using {library}]]. {A:noun} has"
    " these fields, in this order: {fields}. {origin} {store} [[That means|In other words]],"
    " {format}. The command `add` takes an option for every field but the id, named like the field"
    " ({options}; {labels} as one text with commas between the words), and prints the new {noun};"
    " `list` prints all {nouns} by id. {A:noun} is always printed as one JSON object on a line of"
    " its own, its fields in the order above, and nothing else is printed. [[An option or a command"
    " that does not exist|A command or an option that is not there]] ends the program with an exit"
    " code other than 0. Whenever something that we agreed on changes, [[change the program with"
    " it|the program changes with it]], and keep the plan of it in `notes/plan.md` up to date."
)
_PAIR = (
    "[[The next two belong together|Two commands for `{entry}` today]]. {subset} {order} The first"
    " takes the {label} as its only word; the second takes none, goes by the first of the"
    " {labels}, and then by id. Both print like `list`."
)
VERBS = {
    "width": "preview",
    "interval": "review",
    "points": "score",
    "prefix": "cite",
    "curator": "sign",
    "shelf": "locate",
    "release": "stamp",
    "embargo": "embargo",
}
_VIEW_OPENINGS = (
    "[[Please add|I would like]] the command `{command}` [[to|in]] `{entry}`.",
    "`{entry}` [[should get|needs]] another command, `{command}`.",
    "For the people of {x}: a command `{command}` in `{entry}`.",
)
_VIEWS = {
    "width": (
        "It takes the id of {a:noun} and prints a JSON object with `id` and `text`, the beginning"
        " of the {body}, cut off at the preview width [[that {x} was given|that holds for {x}]]."
    ),
    "interval": (
        "It takes the id of {a:noun} and a day as `--from` (like 2027-05-31), and prints a JSON"
        " object with `id` and `date`, the day of the next look, which is so much later as we"
        " [[settled|agreed]] for {x}."
    ),
    "points": (
        "It takes the id of {a:noun} and prints a JSON object with `id` and `score`, the number of"
        " words of the {body} times what a word [[is worth in {x}|counts in {x}]]."
    ),
    "prefix": (
        "It takes the id of {a:noun} and prints a JSON object with `id` and `key`, which is the"
        " prefix of {x}, a hyphen and the id."
    ),
    "curator": (
        "It takes the id of {a:noun} and prints a JSON object with `id` and `line`, the {heading},"
        " a comma, a blank and the full name of whoever looks after {x}."
    ),
    "shelf": (
        "It takes the id of {a:noun} and prints a JSON object with `id` and `place`, the shelf"
        " number of {x}, a slash and the id."
    ),
    "release": (
        "It takes the id of {a:noun} and prints a JSON object with `id` and `stamp`, the release"
        " that {x} is described by, a plus sign and the id."
    ),
    "embargo": (
        "It takes the id of {a:noun} and prints a JSON object with `id` and `until`, the last day"
        " of the embargo on {x}, written like 2027-05-31."
    ),
}
_DROP = "In exchange `{dropped}` goes; nobody [[uses|has used]] it [[any more|for weeks]]."
_ADD_FIELD = (
    "[[The schema has to change|A migration, please]]. {field} It is a whole number from {low} to"
    " {high}, comes last, has an option of its own in `add`, and anything outside is refused with"
    " an exit code other than 0. {default} Every new {noun} has it. For what is stored already"
    " there is to be a command `migrate`, which fills it in. And please bring `notes/plan.md` up to"
    " date."
)
_MOVE_STORE = (
    "[[The big one today|Today we move]]: {store} [[That means|In other words]], {format}. The"
    " command `migrate` takes over what lies in the old place, and from then on nothing is written"
    " there. Everything else stays as it is, and `notes/plan.md` says where things are."
)
_RENAME_FIELD = (
    "[[A small migration|One name has to change]]. {origin} Its place among the fields stays, the"
    " option of `add` is called like it, and `migrate` renames it in what is stored already. Please"
    " put it into `notes/plan.md` as well."
)
_KINDS = {
    HEADING: "text",
    BODY: "text",
    LABELS: "list of words",
    GRADE: "whole number",
}


def begin_text(
    development: Development, rng: Random, filler: Filler, passages: Mapping[str, str]
) -> str:
    """The request that begins the program."""
    design = development.design
    words = _words(design) | {
        "library": design.library,
        "fields": ", ".join(_described(one, development) for one in design.fields),
        "options": ", ".join(f"`--{one.name}`" for one in design.fields[1:]),
        "format": format_text(design),
        "origin": passages["origin"],
        "store": passages["store"],
    }
    return Filling(rng, words, filler).text(_BEGIN)


def pair_text(
    development: Development, rng: Random, filler: Filler, passages: Mapping[str, str]
) -> str:
    """The request for the two commands that are easily taken for each other."""
    words = _words(development.design) | {
        "label": development.label,
        "subset": passages["subset"],
        "order": passages["order"],
    }
    return Filling(rng, words, filler).text(_PAIR)


def view_text(
    design: Design,
    rng: Random,
    filler: Filler,
    kind: str,
    command: str,
    collection: str,
    dropped: str,
) -> str:
    """The request for a command that prints what was agreed on for a collection."""
    words = _words(design) | {"command": command, "x": collection, "dropped": dropped}
    parts = [rng.choice(_VIEW_OPENINGS), _VIEWS[kind]]
    if dropped:
        parts.append(_DROP)
    return Filling(rng, words, filler).text(" ".join(parts))


def migration_text(
    design: Design, change: Change, rng: Random, filler: Filler, passages: Mapping[str, str]
) -> str:
    """The request for a migration; the design is the one after it."""
    words = {**_words(design), **passages, "format": format_text(design)}
    if change.grade is not None:
        words |= {"low": str(change.grade.low), "high": str(change.grade.high)}
    template = _RENAME_FIELD
    if change.kind == ADD_FIELD:
        template = _ADD_FIELD
    elif change.kind == MOVE_STORE:
        template = _MOVE_STORE
    return Filling(rng, words, filler).text(template)


def format_text(design: Design) -> str:
    """How the store holds its records, in words."""
    store = design.store
    tables = " and ".join(f"`{table}`" for table in store.tables)
    first = store.tables[0] if store.tables else ""
    return STORE_FORMATS[store.kind].format(
        noun=design.noun, nouns=design.nouns, tables=tables, table=first
    )


def _words(design: Design) -> dict[str, str]:
    return {
        "entry": design.entry,
        "noun": design.noun,
        "nouns": design.nouns,
        "labels": design.field(LABELS).name,
        "body": design.field(BODY).name,
        "heading": design.field(HEADING).name,
    }


def _described(one: Field, development: Development) -> str:
    if one.kind == ID:
        return f"`{one.name}` (whole number, counted up from 1)"
    if one.kind == ORIGIN:
        form = development.origin_format
        return f"`{one.name}` ({form}, may be left out and is null then)"
    return f"`{one.name}` ({_KINDS.get(one.kind, 'text')})"
