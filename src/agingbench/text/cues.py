"""The lexicon of "no longer": words that put something into the past, end it or hand over to its
successor. The sets differ by purpose: a value in an answer, an approach in a note, a sentence that
turns away, a user who takes something back or corrects the agent.
"""

from __future__ import annotations

import re
from typing import Final

CHANGE_VERB = (
    r"(?:chang|mov|rais|lower|increas|decreas|drop|updat|switch|cut|reduc|ris|rose|fell|fall"
    r"|grew|grow|shift|adjust|revis|bump|scal|expand|upgrad|downgrad|migrat|correct|renam"
    r"|reschedul|went|go|goes|gone"
    r"|jump|climb|shrank|shrunk|set|reset|amend|alter|modif|replac|transition)"
    r"(?:s|ed|d|es|e|ing|ped|ping|ting|ging|n|y|ied|ies)?"
)


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in text.split(" | "))


# -- phrases that several sets share

_NO_LONGER = _phrases("no longer")
_IN_PLACE_OF = _phrases("instead of | rather than")

# -- a value in an answer: does it hold now? (used by `plain`)

_BOTH_WAYS = _phrases(
    "was | were | had been | used to | earlier | before that | back then | at first | initially |"
    " originally"
)
_ENDING = _NO_LONGER + _phrases(
    "not valid | anymore | any more | cancelled | canceled | cancels | dropped |"
    " removed | retracted | withdrawn | revoked | rescinded | invalid | invalidated | obsolete |"
    " outdated | out of date | expired | discontinued | deprecated | stale | void"
)
_FORWARD = _phrases("old | previous | former | prior")
_OPENING = _IN_PLACE_OF + _phrases(
    "in place of | as opposed to | replaces | replacing | replaced |"
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
    longest_first = sorted(phrases, key=len, reverse=True)
    alternatives = [phrase.replace(" ", r"\s+") for phrase in longest_first]
    return "(?:" + "|".join(alternatives) + ")"


CLAUSE_END = re.compile(
    r"[;()\[\]\n]|,(?!\d)|—|--|\s-\s"
    r"|(?<!\w)(?:but|while|whereas|although|though|however|because|yet|whilst)(?!\w)"
    r"|(?<!\w)and\s+(?=(?:now|currently|is|are|was|were|used|it|it's|no|not|the\s+new"
    r"|the\s+current|the\s+latest|today|add(?:ed)?|kept|keep|set|chose|use|using)(?!\w))"
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
    r"|(?:is|are|as|be)\s+(?:(?:the|an?|my|your|our|their|its|his|her)\s+)?"
    r"(?:old|previous|former|prior)(?!\s+enough)"
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
    r"|now|valid|in|use|it|is|has|been|value|the|one|figure"
    r"|this|that|and|which|currently|since)(?!\w)"
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


# -- approaches, statements and corrections in running text


def _whole_words(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.IGNORECASE)


# A note says of an approach that it was given up.
GIVEN_UP: Final = _whole_words(
    _NO_LONGER
    + _IN_PLACE_OF
    + _phrases(
        r"abandon\w* | g[ia]ve up | giving up | given up | reject\w* | revert\w*"
        r" | rul(?:ed|ing) out | dead[ -]end | discard\w* | undid | dropped | drop | scrapped"
        r" | backed out | rolled back"
        r" | removed | remov(?:e|ing) | fail(?:s|ed|ing)? | avoid | obsolete | superseded"
        r" | unnecessary | dismissed | disproved | excluded | wrong (?:approach|track|lead)"
        r" | no effect"
        r" | not (?:needed|an option|the (?:cause|problem|issue|fix|reason)|viable|worth"
        r"|enough|possible|useful|working) | without (?:fixing|success|effect|helping)"
        r" | replaced(?: by| with)? | never | cannot"
        r" | (?:did|does|do|could|can|would|will|was|is)(?:n['’]t| not)"
        r" | turned out (?:to be )?(?:wrong|false) | stopped (?:using|trying)"
    )
)
# A note says of an approach that it belongs to the past, without saying how it ended.
ONCE_TRIED: Final = _whole_words(
    _phrases(
        "tried | attempted | considered | explored | experimented | initially | at first |"
        " originally | earlier | previously | was | were | had | used to | looked (?:at|into) |"
        " first attempt | started with"
    )
)
# A sentence of a session turns away from what was being done.
TURNS_AWAY: Final = _whole_words(
    _NO_LONGER
    + _IN_PLACE_OF
    + _phrases(
        r"revert(?:ed|ing)? | undo | undid | abandon\w* | g[ia]v(?:e|ing) up"
        r" | roll(?:ed|ing)? back | back(?:ed|ing) out | scrap(?:ped)?"
        r" | (?:did|does|do|would|will|could|can)(?:n't| not) (?:work|help|fix|solve|matter|exist)"
        r" | (?:is|was|are|were)(?:n't| not)"
        r" (?:the (?:issue|problem|cause|right|fix)|working|needed"
        r"|necessary|enough|possible|from|in the)"
        r" | wrong (?:approach|track|assumption|path) | dead end | didn't (?:help|work|fix)"
        r" | still fail\w* | no effect | (?:different|another|simpler|better) approach"
        r" | that failed"
        r" | overkill | overcomplicat\w* | too (?:complex|complicated) | unnecessary"
        r" | not (?:viable|worth) | correction"
        r" | (?:can't|cannot) (?:read|use|run|access|reach|find)"
    )
)
# A user takes back what was stated before.
WITHDRAWS: Final = _whole_words(
    _NO_LONGER + _phrases("withdrawn | removed | retracted | cancelled | do not build on")
)
# A user tells the agent that it works from something outdated.
CORRECTS: Final = _whole_words(
    _NO_LONGER
    + _phrases(
        r"i (?:already )?(?:said|told you|asked) | as i said | that'?s (?:outdated|old|no longer)"
        r" | not any ?more | we changed (?:that|it) | (?:it|that) (?:is|was) (?:now|changed)"
        r" | you'?re using the old | use the new | should be .{1,40} not[ ]"
    )
)
# A note of the embedded model says that a thing is off.
CALLED_OFF: Final = _whole_words(
    _NO_LONGER
    + _phrases("cancelled | canceled | off | forget | any longer | removed | crossed out")
)
