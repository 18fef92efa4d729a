"""The words that put a value into the past or hand over to a new one."""

from __future__ import annotations

import re
from typing import Final

CHANGE_VERB = (
    r"(?:chang|mov|rais|lower|increas|decreas|drop|updat|switch|cut|reduc|ris|rose|fell|fall|grew|grow|shift|adjust"
    r"|revis|bump|scal|expand|upgrad|downgrad|migrat|correct|renam|reschedul|went|go|goes|gone|jump|climb|shrank|shrunk"
    r"|set|reset|amend|alter|modif|replac|transition)(?:s|ed|d|es|e|ing|ped|ping|ting|ging|n|y|ied|ies)?"
)


def _phrases(listed: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in listed.split("|"))


_BOTH_WAYS = _phrases(
    "was | were | had been | used to | earlier | before that | back then | at first | initially |"
    " originally"
)
_ENDING = _phrases(
    "no longer | not valid | anymore | any more | cancelled | canceled | cancels | dropped |"
    " removed | retracted | withdrawn | revoked | rescinded | invalid | invalidated | obsolete |"
    " outdated | out of date | expired | discontinued | deprecated | stale | void"
)
_FORWARD = _phrases("old | previous | former | prior")
_OPENING = _phrases(
    "instead of | rather than | in place of | as opposed to | replaces | replacing | replaced |"
    " supersedes | superseding | superseded | formerly | previously | up from | down from | except"
    " for | except | changed from"
)
PAST_CUES: Final[tuple[str, ...]] = (
    *_BOTH_WAYS,
    *_ENDING,
    *_FORWARD,
    *_OPENING,
    "before",
    "not",
    "n't",
    "replaced by",
)


def _any_of(phrases: tuple[str, ...]) -> str:
    ordered = sorted(phrases, key=len, reverse=True)
    return "(?:" + "|".join(p.replace(" ", r"\s+") for p in ordered) + ")"


CLAUSE_END = re.compile(
    r"[;()\[\]\n]|,(?!\d)|—|--|\s-\s|(?<!\w)(?:but|while|whereas|although|though|however|because|yet|whilst)(?!\w)"
    r"|(?<!\w)and\s+(?=(?:now|currently|is|are|was|were|used|it|it's|no|not|the\s+new|the\s+current|the\s+latest|today"
    r"|add(?:ed)?|kept|keep|set|chose|use|using)(?!\w))"
    r"|:(?=\s+(?:now|the\s+(?:new|current|latest)|it(?:'s|\s+is)\s+(?:\S+\s+){1,4}now)(?!\w))"
)
TURN = re.compile(
    rf"""(?<!\w)(?:
  (?P<gone>(?:(?:been|being|is|are|was|were|got)\s+)(?:replaced|superseded)(?:\s+(?:by|with))?
     |(?:replaced|superseded)\s+(?:by|with))
| (?P<past>{_any_of(_OPENING)})
| (?P<used>used\s+to)
| (?P<now>now|currently|as\s+of\s+today|today)
| (?P<verb>{CHANGE_VERB})
| (?P<from>from)
| (?P<to>to)
| (?P<with>with|by)
)(?!\w)""",
    re.VERBOSE,
)
WHOLE_PART = re.compile(
    rf"(?<!\w)(?:{_any_of(_BOTH_WAYS)}(?!\s+than)"
    r"|(?:is|are|as|be)\s+(?:(?:the|an?|my|your|our|their|its|his|her)\s+)?(?:old|previous|former|prior)(?!\s+enough)"
    r"|(?<!as\s)(?<!like\s)(?<!or\s)(?<!day\s)(?<!night\s)(?<!week\s)before(?=\W*$)"
    r")(?!\w)"
)
ENDS = re.compile(rf"(?<!\w){_any_of(_ENDING)}(?!\w)")
AHEAD = re.compile(
    rf"(?<![\w-])(?<!year\s)(?<!years\s)(?<!months\s){_any_of(_FORWARD)}(?!\w)(?!-\w)"
)
NOT_THIS = re.compile(r"(?:(?<!\w)not|n't)\s+(?:(?:the|an?|at|on|in|with|to|by|for)\s+){0,2}$")
CUE_WORDS = re.compile(
    rf"(?<!\w)(?:{_any_of((*_BOTH_WAYS, *_ENDING, *_FORWARD, *_OPENING))}"
    r"|now|valid|in|use|it|is|has|been|value|the|one|figure|this|that|and|which|currently|since)(?!\w)"
)
BARE_VALUE = re.compile(r"\W*0+\W*")  # values are masked with zeros before cues are looked for
RELATIVE = re.compile(
    r"\s*(?:which|that|who)\s+(?:was|were|has|have|had|is\s+no|are\s+no|used)(?!\w)"
)


def has_cue(clause: str) -> bool:
    """Does any past cue stand in the clause?"""
    if ENDS.search(clause) or WHOLE_PART.search(clause) or AHEAD.search(clause):
        return True
    return any(turn.lastgroup in ("past", "gone") for turn in TURN.finditer(clause))
