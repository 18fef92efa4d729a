"""What a sentence is worth to the next agent: what it states, how sure, how lately, how short."""

from __future__ import annotations

import math
import re
from collections.abc import Collection

from agingbench.resumption.contexts.abandoned import LONGEST, Sentence, turns_away
from agingbench.resumption.contexts.code_names import code_names, reads_as_code
from agingbench.text.wording import count_tokens

FEWEST = 3  # words of a sentence; a shorter one is a heading or a scrap
_SETTLED = re.compile(
    r"\b(?:root cause|the (?:real |actual |main"
    r" )?(?:issue|problem|bug|cause|fix|solution|plan|decision) (?:is|was)"
    r"|confirmed|decided|decision|turns out|caused by|comes from|because|keeping|must|has to|have"
    r" to|needs? to"
    r"|only (?:used|called|accepts|if|when)|so that|which means|means that|should)\b",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"\b(?:not yet|remaining|still (?:need|fail|to|open|missing)|all (?:\w+ )?(?:tests|checks) pass"
    r"|tests? (?:pass|fail)|passes|passed|failing|fails|pre-existing"
    r"|is (?:done|in place|merged|pushed|committed|written|sorted|fixed)"
    r"|now (?:uses|takes|returns|accepts|reads|writes|holds)|exists?|does(?:n't| not)|there is"
    r" no|no \w+ yet"
    r"|missing)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\b(?:next|now (?:let me|i(?:'ll| will| need|'m))|let me|i(?:'ll| will|'m going to| need to|"
    r" should)|remaining"
    r"|then|still (?:need|have) to|to ?do|not yet|needs? to|has to|have to|finally"
    r"|(?:to|must|should) be (?:\w+ed|written)|let's)\b",
    re.IGNORECASE,
)
_INTENT = re.compile(
    r"\W*(?:now |ok(?:ay)?,? |good[.!,]* |great[.!,]* |perfect[.!,]* )*(?:let me|let's|i'll|i"
    r" will|i should|i need"
    r"|i want|i can see|i see|(?:i|we) (?:could|might|may)"
    r"|the user|good|great|perfect|now i|next|first|looking"
    r" at|actually|wait)\b",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"\W*(?:now |next )?(?:i'm \w+ing|i am \w+ing|now (?:\w+"
    r" )?(?:add|fix|run|update|replace|check)\w*)\b",
    re.I,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_VALUE = re.compile(r"`[^`\n]{2,80}`|\b\d[\w.:-]*|\b\w+(?:[./_-]\w+)+")


def is_informative(text: str) -> bool:
    """Whether the sentence states something about a thing with a name, not what is being done."""
    if len(text) > LONGEST or text.endswith((":", "?")) or len(_WORD.findall(text)) < FEWEST:
        return False
    if turns_away(text) or _INTENT.match(text) or _DOING.match(text) or reads_as_code(text):
        return False
    return bool(_VALUE.search(text) or _SETTLED.search(text) or _STANDS.search(text))


def announces_work(text: str) -> bool:
    """Whether the sentence says what is to be done, or what is being done."""
    return _AHEAD.search(text) is not None or _DOING.match(text) is not None


def sentence_worth(sentence: Sentence, last_step: int, next_names: Collection[str]) -> float:
    """Return how much the next agent gets for the tokens that the sentence takes."""
    text = sentence.text
    values = set(_VALUE.findall(text))
    worth = 1.0 + 0.5 * min(4, len(values))
    worth += 2.0 * bool(_SETTLED.search(text)) + 1.5 * bool(_STANDS.search(text))
    worth += 1.5 * bool(code_names(text) & set(next_names))
    age = 1 - sentence.step / last_step if last_step else 0.0
    # By the square root of its length: by the length itself, scraps would come before sentences.
    return worth * (1.2 - age) / math.sqrt(count_tokens(text))
