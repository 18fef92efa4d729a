"""Whether a user's turn says that what the agent did was wrong, in several languages."""

from __future__ import annotations

import re

LOOKED_AT = 200  # characters

# What a complaint begins with.
_START = (
    # English
    r"no[,.!: ]",
    r"nope\b|wrong\b|incorrect\b|undo\b|revert\b|roll ?back\b|stop\b",
    r"not (?:quite|right|what|correct|like that)\b",
    r"(?:do|try) (?:it |that )?again\b|again[,!.]",
    r"why (?:did|do|are) you\b",
    r"you (?:broke|forgot|missed|ignored|left|lost|dropped|mixed|did(?:n'?t| not)|still)\b",
    r"i (?:only|just|clearly|specifically|had) (?:meant|wanted|asked|said|ordered)\b|i meant\b",
    r"put (?:it|that|this) back\b|(?:please )?re-?read\b|read (?:my|what i)\b",
    r"still (?:the same|as before|not|no |wrong|missing|old|showing)\b",
    # German
    r"(?:genau )?andersherum\b|falsche[rsnm]?\b|ich (?:wollte|meinte) (?:doch|nur|aber)\b",
    r"ich (?:wollte|meinte) [^.]{1,40}, ",
    r"warum (?:ist|sind|wurden?) .{1,40}\b(?:weg|gelöscht|geändert|entfernt|verschoben)\b",
    r"lies (?:bitte |das |doch )*(?:noch|nochmal|mal)\b|da fehlt\b",
    r"nein[,.!: ]|falsch\b|stimmt nicht\b|nochmal\b|noch (?:ein)?mal\b|rückgängig\b|stopp?\b",
    r"warum hast du\b",
    # French, Spanish, Portuguese, Italian, Dutch
    r"non[,.!: ]|faux\b|annule\b|c'est (?:pas|faux)",
    r"incorrecto\b|eso no\b|está mal\b|deshaz\b",
    r"não[,.!: ]|isso não\b|errado\b",
    r"sbagliato\b|non è\b",
    r"nee[,.!: ]|fout\b|klopt niet\b",
)

# What says so wherever it stands.
_ANYWHERE = (
    # English
    r"that(?:'s|s| is| was) (?:not|wrong|incorrect|broken)|that was(?:n'?t| not)",
    r"not what i (?:asked|wanted|meant|said)",
    r"(?:it|this|that|which) (?:is )?still (?:fails?|failing|broken|does(?:n'?t| not)|wrong)",
    r"does(?:n'?t| not) work|still (?:not working|broken|failing)",
    r"i (?:already )?(?:said|told you|asked (?:you )?(?:for|to)) |as i (?:already )?said",
    r"you did(?:n'?t| not) |you (?:keep|forgot|missed|ignored|broke|misunderstood)",
    r"you(?:'re| are) wrong|stop doing",
    r"i had (?:asked|said|wanted|meant)\b|i (?:only|just) (?:asked|wanted|meant)\b",
    r"(?:put|take|change|bring) (?:it|that|this|them|the .{1,40}?) (?:back|out again)\b",
    r"undo (?:it|that|this)\b|(?:is|are) still (?:as|like|the same as) before\b",
    r"the other way (?:round|around)\b|this does(?:n'?t| not) (?:do|change|help|fix)\b",
    r"we (?:had )?agreed (?:on|that|to)\b|look at (?:it|that|the result) (?:again|once more)",
    r"why (?:did|have) you (?:touch|chang|delet|remov|mov|add|renam)",
    r"you (?:left|dropped) .{0,40}\bout\b|should (?:stay as|have stayed|have been|stay\b)",
    r"that belongs (?:in|to|under)\b|as i (?:wrote|asked|described)",
    r"(?:interrupted|rejected|denied) by (?:the )?user|request interrupted",
    # German
    r"das (?:ist|war|stimmt|geht|funktioniert|klappt) (?:\w+ ){0,2}(?:falsch|nicht|kaputt)",
    r"nicht (?:das|was) ich|immer noch (?:nicht|falsch|kaputt)",
    r"(?:habe ich|ich hab(?:e|s)?|ich hatte) (?:\w+ ){0,3}(?:gesagt|gebeten)",
    r"du hast (?:\w+ ){0,5}(?:vergessen|ignoriert|übersehen|kaputt)",
    r"so (?:war|hatte|habe) (?:\w+ ){0,3}nicht|nicht (?:so )?gemeint",
    r"ich (?:wollte|hatte|habe)\b.{0,60}(?:bekommen|gewollt|bestellt|gemeint|geschrieben)",
    r"wie (?:ich|gesagt)\b.{0,20}(?:schrieb|sagte|geschrieben|gesagt)",
    r"hatte ich (?:gesagt|geschrieben|gebeten)|doch anders (?:abgemacht|besprochen|vereinbart)",
    r"(?:mach|nimm|setz) (?:das|es|die \w+|den \w+) (?:bitte )?(?:rückgängig|zurück|wieder)",
    r"(?:ist|sind|war) (?:\w+ ){0,2}(?:wie vorher|unverändert)",
    r"(?:gar )?nichts (?:getan|geändert|passiert)|(?:da|es) fehlt (?:die|noch|der|das)\b",
    # French, Spanish, Portuguese, Italian, Dutch
    r"ce n'est pas (?:ce que|bon|correct|ça)|j'ai déjà dit",
    r"ça ne (?:marche|fonctionne) (?:pas|toujours)",
    r"no es (?:lo que|correcto)|no funciona|sigue (?:sin|fallando)|ya te dije|está mal",
    r"não (?:é o que|funciona|está certo)|continua (?:errado|falhando)|já (?:te )?disse",
    r"non (?:è quello che|funziona|va bene)|ancora sbagliato|ti ho già detto",
    r"niet wat ik|werkt (?:nog )?(?:steeds )?niet|dat klopt niet",
    # Chinese, Japanese
    r"不对|错了|不是我要|还是不行|重新来|違います|違う|間違|まだ動かない|やり直",
)
_COMPLAINT = re.compile(
    rf"^\W*(?:{'|'.join(_START)})|(?:(?<!\w)|(?<=[\u3040-\u9fff]))(?:{'|'.join(_ANYWHERE)})",
    re.IGNORECASE,
)


def is_complaint(text: str) -> bool:
    """Return whether a turn rejects or corrects what the agent did."""
    return _COMPLAINT.search(text[:LOOKED_AT]) is not None
