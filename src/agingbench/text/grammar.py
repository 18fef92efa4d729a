"""How numbers, dates, clock times and versions are written: the patterns that the reader goes by."""

from __future__ import annotations

import re

from agingbench.text.spoken import NUMBER_WORD

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_YEAR = r"(?:(?:,\s{0,2}|\s{1,2}|-)(?P<YEAR>(?:19|20|21)[0-9]{2})(?![\w%]|[.,:/-][0-9]))?"
_AP = r"(?:[ap]\.m\.?|[ap]m)(?!\w)"
_LOOSE_END = r"(?![\w%]|[.,:/][0-9]|-[0-9])"
VERSION_TAIL = r"[-.]?(?:alpha|beta|rc|dev|post|pre)[.-]?[0-9]*|[ab][0-9]+"

# Groups are never possessive here: Python before 3.11.5 mismatches those. What follows them refuses
# shorter matches.
READ = re.compile(
    rf"""
  (?P<iso>(?<![\w-])(?P<iy>[0-9]{{4}})(?P<isep>[-/])(?P<im>0?[1-9]|1[0-2])(?P=isep)(?P<id>{_DAY})
     (?=t[0-9]|(?![\w/-]|\.[0-9])))
| (?P<us>(?<![\w/.-])(?P<ua>[0-9]{{1,2}})/(?P<ub>[0-9]{{1,2}})/(?P<uy>[0-9]{{4}})(?![\w/-]))
| (?P<ym>(?<![\w/.$-])(?:19|20)[0-9]{{2}}-(?:0[1-9]|1[0-2])(?![\w-]))
| (?P<md>(?<!\w)(?P<mm>{_MONTH})(?!\w)\.?(?:\s{{1,2}}|-)(?:the\s)?(?P<mday>{_DAY})(?:st|nd|rd|th)?
     (?P<mspan>\s?-\s?{_DAY}(?:st|nd|rd|th)?(?![0-9:]))?{_LOOSE_END}{_YEAR.replace("YEAR", "my")})
| (?P<dm>(?<![\w$€£/:.,-])(?P<dday>{_DAY})(?P<dof>(?:st|nd|rd|th)(?:\s(?:day\s)?of)?|\sof)?(?:\s{{1,2}}|-)
     (?P<dmon>{_MONTH})(?!\w)\.?{_YEAR.replace("YEAR", "dy")})
| (?P<my_only>(?<!\w){_MONTH}(?!\w)\.?,?\s{{1,2}}(?:19|20)[0-9]{{2}}(?![\w%]|[.,:/-][0-9]))
| (?P<clk>(?:(?<![\w:.,$/])|(?<=[0-9]t))
     (?:(?P<ch>[01]?[0-9]|2[0-3]):(?P<cm>[0-5][0-9])(?::[0-5][0-9](?:\.[0-9]+)?)?z?(?:\s?(?P<cap>{_AP}))?
       |(?P<hh>1[0-2]|0?[1-9])\s?(?:(?P<hap>{_AP})|o'clock)
       |(?P<cword>noon|midnight))(?![\w:]|[.,/][0-9]))
| (?P<ver>(?<![\w.$€£-])
     (?:(?:v\.?|(?:ver|versions?|release)(?!\w)[.:]?\s?v?)(?P<v1>[0-9]++(?:\.[0-9]++)*(?:{VERSION_TAIL})?)
       |(?P<v2>[0-9]++(?:\.[0-9]++){{2,}}(?:{VERSION_TAIL})?)
       |(?P<v3>[0-9]++(?:\.[0-9]++)+(?:{VERSION_TAIL})))(?![\w%]|\.\w|[,:/][0-9]|-[0-9]))
| (?P<num>(?:(?<!\w)(?P<neg>minus|negative)\s)?(?P<sign>(?<![\w)\]-])[-+])?
     (?P<cur>(?:(?<!\w)(?:us|ca?|au?))?\$\s?|[€£¥₹]\s?|(?<!\w)(?:usd|eur|gbp|jpy|inr|cad|aud|chf)\s?)?
     (?P<inner>(?<=[$€£¥₹])-)?
     (?P<n>(?(cur)|(?<![\w/\\@])(?<![0-9][.,:])(?<!\w\.))
       (?:[0-9]{{1,3}}(?:[,\xa0][0-9]{{3}})+(?![0-9]|\xa0[0-9]{{4}})(?:\.[0-9]++)?|[0-9]++(?:\.[0-9]++)?|(?<![\w.])\.[0-9]++))
     (?![0-9]|[.,:/][0-9]|\.[a-z_]))
| (?P<nw>(?<![\w-])(?:an?\s(?=hundred|thousand|million|billion|dozen))?{NUMBER_WORD}
     (?:(?:\s{{1,2}}|-)(?:and\s)?{NUMBER_WORD})*(?!-(?:first|second|thirds?|half|halves|\w{{2,8}}ths?)(?!\w)))
""",
    re.VERBOSE,
)
# Every place where READ can match; trying its long alternation only there makes reading several
# times faster.
MAY_START = re.compile(
    r"[0-9]+|[$€£¥₹]|[-+](?=[0-9$€£¥₹.]|us|eur|gbp|jpy|inr|cad|aud|chf)|\.(?=[0-9])"
    r"|\b(?:an?\s(?=[htmbd])|(?:us|ca?|au?)\$|usd|eur|gbp|jpy|inr|cad|aud|chf|v(?=[0-9.e])|release|noon|midnight"
    rf"|minus\s|negative\s|{_MONTH}|{NUMBER_WORD})"
)
ATTACHED = re.compile(r"[^\W\d_]+|°\s?[cf](?!\w)|°")
NEXT_WORD = re.compile(
    r"(?:[ \t\xa0]{1,2}|\n|-(?=[^\W\d_]{2}))([^\W\d_]+|°\s?[cf](?!\w)|°)(?![\w@]|[.'][\w])"
)
PERCENT = re.compile(r"\s?%|[ \t\xa0-]{1,2}(?:percent(?!age)\w?|per\s?cent|pct)(?!\w)")
PERCENT_POINTS = re.compile(r"[ \t\xa0-]percentage[ -]points?(?!\w)")
PER_SECOND = re.compile(r"\s?/\s?s(?:ec(?:ond)?)?(?!\w)|\sper\s(?:second|sec)(?!\w)")
SCALE_OF_DEGREES = re.compile(r"\s([cf])(?:elsius|ahrenheit)?(?!\w)")
DECADE = re.compile(r"(?:1[89]|20)[0-9]0")
NOT_ONE = re.compile(r"(?:^|\W)(?:no|this|that|which|each|every|any|another|the|some)\s{1,2}$")
