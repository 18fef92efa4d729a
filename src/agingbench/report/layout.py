"""Building blocks of the terminal: tables, numbers, small curves, and ASCII where needed."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from agingbench.report.text import plain, printable_lines

MISSING = "–"
BLOCKS = "▁▂▃▄▅▆▇█"
WIDEST_CURVE = 40

# What a console that knows no Unicode gets in place of the few signs used here.
_ASCII = str.maketrans(
    {
        **dict(zip(BLOCKS, "_.:-=+*#", strict=True)),
        "–": "-",
        "−": "-",
        "…": "~",
        "·": ",",
        "─": "-",
        "×": "x",
    }
)


def show(console: Console, *parts: RenderableType) -> None:
    """Print the parts below each other; without a terminal as text with no trailing blanks."""
    if console.is_terminal and not console.options.ascii_only:
        console.print(Segments(_safe_segments(console, parts)), highlight=False, end="")
        return

    page = io.StringIO()
    plain_console = Console(
        file=page,
        width=console.width,
        color_system=None,
        highlight=False,
        markup=False,
        emoji=False,
    )
    plain_console.print(*parts, sep="\n")
    lines = [line.rstrip() for line in printable_lines(page.getvalue()).split("\n")]
    text = "\n".join(lines)
    if console.options.ascii_only:
        text = text.translate(_ASCII).encode("ascii", "replace").decode()
    console.out(text, end="", highlight=False)


def _safe_segments(console: Console, parts: Sequence[RenderableType]) -> list[Segment]:
    """The parts as a terminal gets them; what a text holds of control characters is not sent."""
    segments = []
    options = console.options.update(markup=False, highlight=False)
    for segment in console.render(Group(*parts), options):
        text = segment.text if segment.control else printable_lines(segment.text)
        segments.append(Segment(text, segment.style, segment.control))
    return segments


def grid(rows: Sequence[tuple[str, Text]]) -> Table:
    """Lines of a dim label and its text."""
    table = Table.grid(padding=(0, 1))
    table.add_column(width=12, style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in rows:
        table.add_row(label, text)
    return table


def bare_table(first: str, *columns: tuple[str, Any], narrow: bool = False) -> Table:
    """A table without lines whose first column gives way when space is short."""
    gap = 1 if narrow else 2
    table = Table(
        box=None,
        pad_edge=False,
        padding=(0, gap, 0, 0),
        header_style="bold",
    )
    table.add_column(first, overflow="fold")
    for head, side in columns:
        table.add_column(head, justify=side, no_wrap=True)
    return table


def number(value: object, decimals: int = 2, signed: bool = False) -> str:
    """A figure with so many decimals; a dash for what is none."""
    # A foreign card may hold anything where the schema leaves it free.
    if not isinstance(value, int | float) or isinstance(value, bool):
        return MISSING
    # Rounded first, so that nothing is shown as −0.00.
    rounded = round(value, decimals) + 0.0
    if signed and rounded:
        return f"{rounded:+.{decimals}f}"
    return f"{rounded:.{decimals}f}"


def whole(value: float | None) -> str:
    """A count or an average of counts with its thousands apart; a dash where there is none."""
    return MISSING if value is None else f"{value:,.0f}"


def interval_text(ci: Sequence[float | None] | None, decimals: int, signed: bool) -> str:
    """Both ends of an interval; a dash where there is none."""
    low, high = ci or (None, None)
    if low is None and high is None:
        return MISSING
    return f"{number(low, decimals, signed)} to {number(high, decimals, signed)}"


def in_words(name: str) -> str:
    """The name of a field as people read it."""
    return plain(name).replace("_", " ")


def block(share: float) -> str:
    """The block whose height is a share of 0..1; other values are clipped."""
    height = min(max(share, 0.0), 1.0)
    return BLOCKS[min(int(height * len(BLOCKS)), len(BLOCKS) - 1)]


def sparkline(curve: Sequence[tuple[float, float | None]], most: int = WIDEST_CURVE) -> str:
    """A curve in 0..1 as a line of blocks; long curves are averaged, a missing point is a dash."""
    step = max(1, math.ceil(len(curve) / most))
    marks = []
    for start in range(0, len(curve), step):
        values = [m for _, m in curve[start : start + step] if m is not None]
        if values:
            marks.append(block(sum(values) / len(values)))
        else:
            marks.append(MISSING)
    return "".join(marks)
