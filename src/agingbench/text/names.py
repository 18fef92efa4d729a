"""Names as whole-word patterns and as tokens."""

from __future__ import annotations

import re

from agingbench.text.english import no_possessive
from agingbench.text.folding import fold

_NAME_TOKEN = re.compile(r"\w+(?:[.'@&]\w+)*|&")


def name_tokens(folded: str) -> list[str]:
    """The words of a folded text as names are compared: no possessives, & is and."""
    return ["and" if t == "&" else no_possessive(t) for t in _NAME_TOKEN.findall(folded)]


def name_pattern(text: str) -> re.Pattern[str]:
    """What finds the name in a folded text as whole words."""
    folded = fold(text)[0].strip()
    found = list(_NAME_TOKEN.finditer(folded))
    if not found:
        raise ValueError(f"the name '{text}' has no word in it")
    # Codes and file names are not stated by a longer code: QX-482 is not in QX-482-B.
    coded = any(char.isdigit() for char in folded) or any("." in m[0] for m in found)
    parts = [r"(?<!\w)(?<!\w[.'@&])", r"(?<!\w-)" if coded else ""]
    for at, match in enumerate(found):
        word = no_possessive(match[0])
        parts.append(r"(?:and|&)" if word in ("and", "&") else re.escape(word))
        if at + 1 < len(found):
            parts.append(r"(?:'s)?" + _gap_pattern(folded[match.end() : found[at + 1].start()]))
    after = folded[found[-1].end() :]
    closing = re.escape(after[: len(after) - len(after.lstrip("+#"))])
    parts += [rf"(?:'s)?{closing}(?!\w|[.'@&]\w|\+\+|\#(?!\w))", r"(?!-\w)" if coded else ""]
    return re.compile("".join(parts))


def _gap_pattern(gap: str) -> str:
    if gap in ("/", "\\", ":", "=", "#"):  # a path is a path
        return re.escape(gap)
    return r"[^\w&]{0,4}[^\w&.'@]" if gap.strip(".- —\t\n\xa0") else r"\.?[\s—-]{1,8}"
