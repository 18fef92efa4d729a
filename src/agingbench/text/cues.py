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
    " originally | at the outset | at the start | at the beginning | in the beginning |"
    " to begin with | to start with | in the old days | once upon a time | back when | first said |"
    " first told | first mentioned | first gave | first wrote | first noted"
)
_ENDING = _NO_LONGER + _phrases(
    "not valid | anymore | any more | cancelled | canceled | cancels | dropped |"
    " removed | retracted | withdrawn | revoked | rescinded | invalid | invalidated | obsolete |"
    " outdated | out of date | expired | discontinued | deprecated | stale | void | off the list |"
    " off the table | off the books | scrapped | scratched | crossed out | crossed off |"
    " struck off | taken off | called off | thrown out | kicked out | abandoned | ancient history |"
    " out the window"
)
_FORWARD = _phrases("old | previous | former | prior")
_OPENING = _IN_PLACE_OF + _phrases(
    "in place of | as opposed to | replaces | replacing | replaced |"
    " supersedes | superseding | superseded | formerly | previously | up from | down from | except"
    " for | except | changed from | took over from | takes over from | taking over from |"
    " taken over from | succeeds | succeeded | succeeding | supplants | supplanted | ousted |"
    " displaced | unseated | knocked | threw out | throw out | throwing out | ditched |"
    " started as | started at | started with | started out as | started out at | started out with |"
    " began as | began at | began with | got rid of | inherited it from | inherited from |"
    " other than |"
    " anything but | everything but | all except | swapped out | swapped | exchanged | traded"
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
    r"|the\s+current|the\s+latest|today|ended|switched|became|add(?:ed)?|kept|keep|set|chose|use|using)(?!\w))"
    r"|:(?=\s+(?:now|the\s+(?:new|current|latest)|it(?:'s|\s+is)\s+(?:\S+\s+){1,4}now)(?!\w))"
)
TURN = re.compile(
    rf"""(?<!\w)(?<!none\s)(?<!n't\sbe\s)(?<!cannot\sbe\s)(?:
  (?P<gone>(?:(?:been|being|is|are|was|were|got)\s+)(?:replaced|superseded)(?:\s+(?:by|with))?
     |(?:replaced|superseded|succeeded|supplanted|displaced|ousted)\s+(?:by|with)
     |in\s+favou?r\s+of)
| (?P<past>{_any_of(_OPENING)})
| (?P<used>used\s+to)
| (?P<now>now|currently|as\s+of\s+today|today)
| (?P<verb>{CHANGE_VERB})
| (?P<from>from)
| (?P<to>to)
| (?P<with>with|by|for)
)(?!\w)""",
    re.VERBOSE,
)
WHOLE_PART = re.compile(
    rf"(?<!\w)(?<!became\s)(?<!become\s)(?<!becomes\s)(?:{_any_of(_BOTH_WAYS)}(?!\s+than)"
    r"|(?:is|are|as|be)\s+(?:(?:the|an?|my|your|our|their|its|his|her)\s+)?"
    r"(?:old|previous|former|prior)(?!\s+enough)"
    r"|(?<!as\s)(?<!like\s)(?<!or\s)(?<!day\s)(?<!night\s)(?<!week\s)before(?=\W*$)"
    r")(?!\w)"
)
ENDS = re.compile(rf"(?<!\w){_any_of(_ENDING)}(?!\w)")
AHEAD = re.compile(
    rf"(?<![\w-])(?<!year\s)(?<!years\s)(?<!months\s){_any_of(_FORWARD)}(?!\w)(?!-\w)"
)
_LINK_WORD = (
    r"(?:the|an?|at|on|in|with|to|by|for|as|of|be|been|being|is|it|it's|its|that|this|have|has|had"
    r"|exactly|actually|really|equal|equals|set|still|any|anymore|called|named|worth|currently|now"
    r"|definitely|certainly|simply|correct|right|true|own|cost|take|use|using|going|go|your|my|our"
    r"|possibly|even|close|like|trust|rely|near|remotely|necessarily)"
)
# What stands before a value that is denied: not, n't, never, and a few words.
NOT_THIS = re.compile(
    r"(?:(?<!\w)(?<!n't\sbe\s)(?<!cannot\sbe\s)(?:not(?!\s+only)|never|neither|nor|hardly|nothing\s+like|nowhere\s+near"
    r"|(?:is|was|are|were|does|do|did|can|wo|ai)nt|(?:far|different|differs?)\s+from"
    r"|different\s+(?:than|to)|unrelated\s+to|nothing\s+to\s+do\s+with|least\s+of\s+all|(?:any|every)(?:thing|one|body|where)?\s+(?:but|other\s+than)"
    r"|(?<!no\s)(?<!not\s)(?:less|more|lower|higher|greater|smaller|fewer|bigger|better|worse)\s+than"
    r"|(?:stop|stopped|avoid|avoids|quit|ceased?|ceases)(?:\s+using)?|besides|without|all\s+but"
    r"|reject(?:s|ed|ing)?|disagree\s+with|doubts?\s+about|least\s+likely|(?:nobody|no\s+one)\s+said"
    r"|(?:in|by)\s+no\s+(?:way|means)"
    r"|under\s+no\s+circumstances|(?:something|someone|somebody|anyone|anything)\s+else\s+than"
    r"|rul(?:e|es|ed|ing)(?:\s+out)?|exclud(?:e|es|ed|ing)|cannot|can\s+not|decided\s+against|confus\w*\s+(?:\w+\s+)?with"
    r"|mix\w*\s+(?:\w+\s+)?up\s+with|mistak\w+\s+(?:\w+\s+)?for"
    r"|if\s+only|i\s+wish|had\s+it"
    r"|nicht|keinesfalls|keineswegs|niemals|niet|jamais|nunca|n'est\s+pas|n'etait\s+pas|no\s+(?:es|era)"
    r"|non\s+e)|n't|≠|!=|❌|✗|✘)\s*"
    rf"(?:{_LINK_WORD}\s+){{0,5}}\W{{0,2}}$"
    r"|(?:^|[,;:.!(—-]\s*|(?:please|just|can|so|and)\s+)"
    r"(?:scratch|scrap|forget|strike|ditch|never\s+mind)\s+(?:about\s+|the\s+){0,2}\W{0,2}$"
    r"|(?:^|[.!;]\s*)(?:wrong|incorrect|false):\s*\W{0,2}$"
    r"|^\W*no\s+\W{0,2}$|(?<!\w)non-$|(?:^|\s)!$"
    # "does not open at A", "is not, as far as I know, A"
    r"|(?:(?<!\w)(?:not|never)|n't)\s+(?!sure|certain|only|just|chang|mov|differ|deviat|until|before)"
    r"\w+\s+(?:by|from|at|on|to|for|in|with|as|is|be|under)\s+(?:the\s+)?\W{0,2}$"
    # "definitely not desk A"
    r"|(?:^|(?<!\w)(?:is|it's|was|that's|answer|definitely|certainly|surely|absolutely)\W)\W*not\s+"
    r"(?!sure|certain|only|just|chang|mov|forg|mistak|wrong|until|before|many|much|far|yet)[a-z]+\s+\W{0,2}$"
    r"|(?:(?<!\w)(?:not|never)|n't),\s[^,;.]{1,40},\s*(?:(?:the|an?|at|on|by|from|to)\s+)?\W{0,2}$"
)
NOT_THOUGHT = re.compile(
    r"(?:(?<!\w)(?:not|never|dont|didnt|wouldnt)|n't)\s+(?:\w+\s+){0,2}?(?:think|believe|say|claim|suppose|reckon"
    r"|assume|bet|swear|guarantee|agree|convinced|true|correct|the\s+case|said|told|mentioned|meant"
    r"|wanted|chose|picked|asked\s+for|mention|list|show|contain|include|support|name|match)\s[^;:]{0,80}$"
    r"|(?<!\w)(?<!no\s)(?<!a\s)(?:doubt|deny|denies|denied|dispute|disagree\s+that|unlikely"
    r"|no\s+way|nothing\s+(?:suggests?|says|said|indicates?|supports?|points\s+to|speaks\s+for)"
    r"|(?:can't|cannot|could\s+not|couldn't)\s+confirm|refuse\s+to\s+(?:say|confirm|accept))"
    r"(?!\w)[^;:]{0,60}$"
)
# What stands before a whole statement that is denied, which may name several values.
FALSE_THAT = re.compile(
    r"(?<!\w)(?:(?<!not\s)(?<!n't\s)"
    r"(?:wrong|mistaken|false|untrue|incorrect|inaccurate|a\s+mistake|a\s+myth|an?\s+error"
    r"|a\s+(?:common\s+)?misconception|a\s+lie|a\s+misunderstanding)\s+(?:to|that)"
    # "Not on the list: A, B"
    r"|not\s+(?:on|in|among|part\s+of|included|listed|approved|allowed|valid|active|members?|current)"
    r"(?!\w)[^.:;,]{0,40}:"
    r"|no\s+(?:reason|evidence|proof|sign|indication|grounds)\s+(?:\w+\s+){0,2}?(?:that|to|of|for))"
    r"(?!\w)(?:(?!,\s*(?:it|that|this|he|she|the|because|since|as|and\s+it)(?!\w)"
    r"|(?<!\w)(?:but|instead|whereas)(?!\w))[^;:]){0,140}$"
)
# What stands behind a value that is denied or that has left.
DENIED_BEHIND = re.compile(
    r"^\W{0,3}(?:,?\s*(?:which|that|who)\s+)?(?:"
    r"(?:is|was|are|were|got|(?:has|have|had)\s+been|(?:would|must|has\s+to|may|might|can|should)\s+be"
    r"|seems?|looks?|sounds?|proved|(?:turned|turns)\s+out(?:\s+to\s+be)?)\s+(?:(?:\w+ly|just|plain|quite|most|very|rather|also)\s+){0,2}(?:not\s+(?:it|right|correct|the|my|your|true|what|who|valid|current|among|on\s+(?:the|it|your)"
    r"|one(?!\w)|an?\s+(?:option|candidate|match))"
    r"|(?:the\s+|an?\s+)?wrong|incorrect|false|untrue|mistaken|inaccurate|ruled\s+out|impossible"
    r"|excluded|rejected|dismissed|discarded|refuted|unlikely|doubtful|implausible|improbable"
    r"|bogus|nonsense|fake|made\s+up|fabricated|invented|in\s+error|off\s+the\s+mark"
    r"|an?\s+(?:\w+\s+)?(?:mistake|error|mix-up|misconception|myth|slip|lie|decoy|typo|red\s+herring))"
    r"|makes?\s+no\s+sense"
    r"|(?:is|was|are|were)n't\s+(?:it|right|correct|the|my|your|true|what|who|valid|current)"
    r"|(?:does|do|did|can|could|has|have|will|would)(?:\s+not|n't)\s+(?:own|hold|have|run|lead"
    r"|belong|apply|fit|match|count|handle|work|live|manage|maintain|chair|sit|hold|be|stand"
    r"|rank|top|come|appear|get|make|serve|report|represent|equal|correspond|describe|identify|refer"
    r"|answer|qualify|start|begin|open|close|use|sign|cover|supply|deliver|arrive|teach|star)"
    r"|(?:has|have|had)\s+(?:nothing|never)"
    r"|never\s+(?:was|were|did|owned|held|had|applied)|can't\s+be|cannot\s+be|isn't|ain't"
    r"|(?:belongs?\s+to|(?:is|was)\s+(?:for|from|of))\s+(?:an?\s+|the\s+|some\s+)?(?:different"
    r"|other|another|someone|somebody|something)"
    r"|it\s+(?:is\s+not|isn't|was\s+not|wasn't|cannot\s+be|can't\s+be)"
    r"|(?:is|was)\s+out\s+of\s+the\s+question|not\s+(?:it|right|correct))(?!\w)"
    r"|^\s*\((?:wrong|incorrect|false|no|not\s+(?:right|correct|valid|it|true))\W*\)|^\s*\?\s*no(?!\w)|^\s*[❌✗✘]"
    r"|^\s*(?:[:,–—-]|\s-)\s*(?:false|wrong|incorrect|no|nope|untrue)\s*(?:[.!;,]|$)"
    r"|^\W{0,5}(?<!\w)not\s*[.!]*$"
    r"|^[^.;!?]{0,20}?,?\s*(?:but|then)?\s*you(?:'re|\s+are|'d\s+be|\s+would\s+be)\s+(?:mistaken|wrong)(?!\w)"
)
_CALLED_WRONG = (
    r"(?:(?:that|this|it|which)(?:'s|\s+is|\s+was|\s+would\s+be|\s+can't\s+be)\s+(?:\w+ly\s+)?"
    r"(?:wrong|incorrect|false|untrue|mistaken|inaccurate|a\s+mistake|right\s+out"
    r"|not\s+(?:right|correct|true|it|so|what|who|how|the\s+case))(?!\w)"
    r"|(?:that|this|it)\s+(?:isn't|wasn't|ain't)\s+(?:it|right|correct|true|so|what|who)(?!\w))"
)
WRONG_LATER = re.compile(
    rf"^[^.;!?]{{0,40}}?(?:,|;|—|-|\sbut)\s*(?:but\s+)?"
    rf"(?:{_CALLED_WRONG}|(?<=but\s)no\s*(?:[.!,;]|$))"
)
WRONG_NEXT = re.compile(rf"^\W*(?:{_CALLED_WRONG}|(?:nope|nah|wrong|incorrect)(?!\w))")
NO_NEXT = re.compile(
    r"^\W*(?:(?:definitely|certainly|absolutely)\s+not|no|nope|nah|never|wrong|incorrect|hardly"
    r"|far\s+from|not\s+(?:at\s+all|really)|i\s+(?:don't|do\s+not)|i\s+doubt|i(?:'d|\s+would)\s+say\s+no(?:t)?"
    r"|(?:that|it)(?:'s|\s+is)\s+not|(?:that|it)\s+(?:isn't|doesn't|can't)|doesn't|not)(?!\w)"
)
_OTHER_TOO = r"(?:(?:,|\s+and)\s+[\w.-]+(?:\s+[\w.-]+){0,3}?){0,2}"
GONE_BEHIND = re.compile(
    rf"^{_OTHER_TOO}\W{{0,2}}\s*(?<!\w)(?:(?:has|have|had|was|were|is|are|got|since|then|later)\s+)*"
    r"(?:left(?!\s+(?:over|are|is|on|in))|withdrew|withdrawn|quit|resigned|retired|departed|gone|out"
    r"|(?:stepped|stood)\s+(?:down|aside)|made\s+(?:room|way)|gave\s+way|moved\s+on"
    r"|dropped\s+out|bowed\s+out|came\s+off|fell\s+off|handed\s+(?:\w+\s+){0,2}over"
    r"|passed\s+(?:\w+\s+)?on|history|off\s+(?:the|it|this)|(?:up\s+)?until|till|became)(?!\w)"
)
NUMBER_GONE_BEHIND = re.compile(
    r"^\W{0,2}\s*(?<!\w)(?:is\s+|was\s+|has\s+)?(?:history|gave\s+way|made\s+(?:room|way)"
    r"|(?:up\s+)?until|till|became|off\s+the\s+(?:list|table))(?!\w)"
)
# "corrected A to B": a verb of change right before the value, and "to" right behind it.
CHANGED_BEFORE = re.compile(rf"(?<!\w){CHANGE_VERB}\s+(?:\w+\s+){{0,2}}\W{{0,2}}$")
TO_BEHIND = re.compile(r"^\W{0,2}\s*(?:in)?to\s")
# A value that another one follows: "A, then B", "A → B", "A and later B", "A, and B since March".
FOLLOWED = re.compile(
    r"(?P<gap>\W{0,3}(?:(?:[^.;:!?]|[.:](?=\d)){0,40}?[\s,(])??)(?:→|->|=>|⟶|➜|(?:and\s+|but\s+)?(?:then|later(?:\s+on)?"
    r"|finally|eventually|afterwards?|after\s+that|followed\s+by|was\s+followed\s+by|which\s+became"
    r"|turned\s+into|gave\s+way\s+to|and\s+now)(?![\w-]))(?P<rest>(?:[^.;!?]|\.(?=\d)){0,400})"
)
ARROW = re.compile(r"\s*(?:→|->|=>|⟶|➜)\s*\w")
# Found from every comma on, also inside a find.
SINCE = re.compile(
    r"(?=[,;]\s*(?:and\s+)?(?P<rest>(?:[^,;.]|[.,](?=\d)){1,40}?)\s(?:since|now|nowadays|these\s+days|at\s+present"
    r"|currently|from\s+then\s+on)(?!\w))"
)
AFTER_THIS = re.compile(r"\s*(?:after|following)\s+(?:being\s+|having\s+been\s+)?\W{0,2}\d")
CUE_WORDS = re.compile(
    rf"(?<!\w)(?:{_any_of((*_BOTH_WAYS, *_ENDING, *_FORWARD, *_OPENING))}"
    r"|now|valid|in|use|it|is|has|been|value|the|one|figure"
    r"|this|that|and|which|currently|since)(?!\w)"
)
NUMBER_LOOK = re.compile(r"\d")
NAME_LOOK = re.compile(r"[A-Z]|\w[_/]\w")
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
