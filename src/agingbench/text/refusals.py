"""Answers that say nothing, or only that the answer is not known."""

from __future__ import annotations

import re
from typing import Final

from agingbench.text.wording import normalise, sentences

_TAIL = r"(?:(?!(?:but|however|maybe|perhaps|though|probably)(?!\w))[^,;:])*"
_NOTHING = (
    r"(?:relevant |such |specific"
    r" )?(?:information|records?|mention|data|memory|notes?|details?|answer"
    r"|knowledge|idea|clue)"
)
_ASIDE = (
    r"(?:(?:it|that|this|the answer|(?:the|that|this|such)"
    r" (?:information|detail|value)|(?:it|that)'s)\s)?"
)
REFUSALS: Final[tuple[str, ...]] = (
    rf"(?:i )?(?:do not|don't|dont|did not|didn't) (?:know|recall|remember|have|see|find){_TAIL}",
    rf"(?:i(?:'m| am) )?not (?:sure|certain|aware){_TAIL}",
    (
        r"(?:i have |i've got |i've |there is |there's |there are |there was )?no"
        rf" {_NOTHING}(?!\w){_TAIL}"
    ),
    rf"(?:there is|there's|there was|i have|i found) nothing(?!\w){_TAIL}",
    r"(?:i )?(?:can't|cannot|can not|could not|couldn't|won't|was unable to|unable to)"
    r" (?:help|assist|answer|find"
    rf"|determine|recall|remember|say|tell|provide|access|locate|share|comply)(?!\w){_TAIL}",
    rf"i(?:'m| am) (?:unable|not able) to{_TAIL}",
    r"(?:the|my|our) (?:memory|notes|records|context|history|text) (?:do|does|did)(?: not|n't)"
    r" (?:contain|mention"
    rf"|include|have|say|specify|state|record|show)(?!\w){_TAIL}",
    rf"{_ASIDE}(?:(?:is|was|are) )?(?:not|isn't|wasn't) (?:in my"
    r" (?:memory|notes|context)|available|provided|known"
    rf"|specified|mentioned|stated|recorded|found|given)(?!\w){_TAIL}",
    rf"{_ASIDE}(?:(?:is|was|are) )?(?:unknown|unavailable)(?!\w){_TAIL}",
    r"n/?a|none|null|nil|nothing|no|pass|no comment|no response|not applicable|(?:i(?:'m| am)"
    r" )?(?:so |very )?sorry"
    r"|i apologi[sz]e|unfortunately",
)
_LEAD = (
    r"(?:(?:well|unfortunately|sorry|i apologi[sz]e|i(?:'m| am) (?:so |very )?sorry|i(?:'m| am)"
    r" afraid|honestly|but|and"
    r"|that|as an ai(?: \w+){0,2}|(?:based on|according to|from) (?:my|the|our) \w+(?:"
    r" \w+)?)[\s,:.-]+)*"
)
_SAYS_SO = re.compile(
    r"\b(?:(?:do|does|did|could|can|was|were|am|is|are|have|has|had|would)(?: not|n't| never)"
    r" (?:\w+ ){0,3}?(?:know|known|recall|remember|have|has|see|find|found|sure|certain|aware"
    r"|able|tell|say|determine|answer|help|provide|access|locate|share|contain|mention|mentioned"
    r"|include|specify|state|stated|record|recorded|show|available|provided|stored|given|told"
    r"|confirm|retrieve|assist|appear|possible|come up|cover|keep|note)"
    r"|cannot|can't|couldn't|unable to|not sure|no idea|no clue|unknown|unclear"
    r"|no (?:\w+ )?(?:information|records?|mention|data|memory|notes?|details?|entry|entries"
    r"|knowledge|recollection|value|trace|answer|such)"
    r"|nothing (?:\w+ )?(?:about|on|in|recorded|stored|found|there|of the|noted|like)"
    r"|never (?:\w+ )?(?:told|mentioned|shared|said|given|recorded|came|saw|been)"
    r"|(?:must|will|i'll|have to|i'd) (?:have to )?pass|pass on this"
    r"|without (?:any )?(?:luck|success)|beyond what|let me (?:look|check|see|think|get)"
    r"|get back to you"
    r"|drawing a blank|draw a blank|(?:would be|i'd be|be) guessing|slipped my mind"
    r"|sorry|apologi[sz]e|afraid|i(?:'d| would) (?:rather not|need|have to)"
    r"|not (?:something|in|on|available|known|recorded|specified|stored|provided|listed|present"
    r"|among)|keep no|have no|has no|haven't|nothing|0 results|no results|faded|forgotten|forgot"
    r"|null|alas|regrettably|unfortunately)\b"
)
_UNKNOWN = re.compile(
    r"(?:it(?:'s| is) |still |currently )?(?:unknown|n/?\.?a\.?|not? (?:known|available|sure"
    r"|certain|found|recorded|stated|specified|provided|given|applicable|on (?:record|file)"
    r"|in (?:my )?(?:memory|notes|records?)|idea|clue|records?|data"
    r"|information|info|answer|entry|value|memory)"
    r"|none|null|nil|undefined|unclear|undetermined|unsure|missing|nothing|blank|tbd|idk|dunno"
    r"|unbekannt|nicht bekannt|weiss nicht|keine ahnung|desconocid[oa]|no (?:lo )?se|inconnue?"
    r"|je ne sais pas|<[a-z ]+>|[?…-]+)(?!\w)(?P<more>.*)",
    re.DOTALL,
)
_REFUSES = re.compile(_LEAD + "(?:" + "|".join(REFUSALS) + r")[\s.!]*")
_MOST_REFUSAL_WORDS = 60


def is_blank_or_refusal(text: str) -> bool:
    """Does an answer say nothing, or only that it is not known (`REFUSALS`)? Any digit makes it an
    answer.
    """
    plain = normalise(text)
    if not re.search(r"\w", plain):
        return True
    if re.search(r"[0-9]", plain) or len(plain.split()) > _MOST_REFUSAL_WORDS:
        return False
    parts = [part for part in sentences(plain) if re.search(r"\w", part)]
    return all(_REFUSES.fullmatch(part.strip("\"'*_ ")) for part in parts)


def is_unknown(text: str) -> bool:
    """Does what was said for a value mean that it is not known ("n/a", "none on record")?"""
    plain = normalise(text).strip(" .!\"'()[]*_")
    if not re.search(r"[\w?]", plain):
        return True
    unknown = _UNKNOWN.match(plain)
    if unknown is not None and not re.search(r"[0-9]", unknown["more"]):
        return True
    return is_blank_or_refusal(text)


def refuses(text: str) -> bool:
    """Does a text that gives none of the values asked for say that it cannot give them?"""
    plain = normalise(text)
    said = [part for part in sentences(plain) if re.search(r"\w", part)]
    only_asks = all(part.rstrip("\"'*_) ").endswith("?") for part in said)
    return only_asks or _SAYS_SO.search(plain) is not None
