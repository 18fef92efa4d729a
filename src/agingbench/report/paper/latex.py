"""A table in LaTeX with booktabs; every text is escaped, so that it compiles whatever it says."""

from __future__ import annotations

from collections.abc import Sequence

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "—": "---",
    "−": r"\ensuremath{-}",
    "±": r"\ensuremath{\pm}",
    "×": r"\ensuremath{\times}",
    "…": r"\ldots{}",
    "\N{NO-BREAK SPACE}": "~",
}
# The letters beyond ASCII that the font encoding T1 has.
_LETTERS = frozenset(
    [chr(code) for code in range(0xC0, 0x100) if chr(code).isalpha()]
    + list("ĂăĄąĆćČčĎďĐđĘęĚěĞğİĹĺĽľŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž")
)


def latex_table(
    shared: Sequence[str],
    headings: Sequence[str],
    numeric: Sequence[bool],
    rows: Sequence[Sequence[str]],
) -> str:
    """A tabular for `\\usepackage{booktabs}`; what all rows share is a comment above it."""
    columns = "".join("r" if is_number else "l" for is_number in numeric)
    lines = ["% needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}"]
    lines += [f"% {_one_line(text)}" for text in shared]
    lines.append(f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}")
    lines.append("\\toprule")
    lines.append(_row(headings, [False] * len(headings)))
    lines.append("\\midrule")
    before = ""
    for row in rows:
        # The first column is written once for all rows that share it.
        if before and row[0] != before and len(rows) > len({one[0] for one in rows}):
            lines.append("\\addlinespace")
        first = "" if row[0] == before and len(row) > 1 else row[0]
        lines.append(_row([first, *row[1:]], numeric))
        before = row[0]
    lines += ["\\bottomrule", "\\end{tabular}"]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str], numeric: Sequence[bool]) -> str:
    texts = []
    for cell, is_number in zip(cells, numeric, strict=True):
        text = escaped(cell)
        texts.append(text.replace("-", "$-$") if is_number and cell[:1] != "–" else text)
    # An empty group keeps a row that begins with [ or * from being read as an argument of \\.
    return "{}" + " & ".join(texts) + " \\\\"


def _one_line(text: str) -> str:
    return escaped(" ".join(text.split()))


def escaped(text: str) -> str:
    """Text as LaTeX sets it; a sign that it has no letter for is named by its code point."""
    return "".join(_sign(sign) for sign in text)


def _sign(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    if sign == "\n":
        return " "
    if sign in _LETTERS or (sign.isascii() and sign.isprintable()):
        return sign
    return f"[U+{ord(sign):04X}]"
