"""Whether a user's turn says that what the agent did was wrong, in several languages."""

from __future__ import annotations

import re
from functools import lru_cache

from agingbench.text.case import small_letters

LOOKED_AT = 200  # characters
MOST_TURNS = 16_384  # whose answer is remembered: it is asked for several times

# What may stand before it.
_GREETING = (
    r"(?:(?:hi|hello|hey|hallo|moin|guten (?:morgen|tag)|bonjour|salut|hola|ciao|olá"
    r"|ok(?:ay)?|well|so|hm+|ah|oh|uh|sorry|nun|na ja|tja|ach)\b[\s,.!:;-]*){0,2}"
)
# What a complaint begins with.
_START = (
    # English
    r"no[,.!:]|no (?!hurry|rush|problem|worries|need|pressure|idea|change)",
    r"nope\b|wrong\b|incorrect\b|undo\b|revert\b|roll ?back\b|stop\b",
    r"not (?:quite|right|what|correct|like that)\b",
    r"(?:do|try) (?:it |that )?again\b|again[,!.]",
    r"why (?:did|do|are) you\b",
    r"you (?:broke|forgot|missed|ignored|left|lost|dropped|mixed|did(?:n'?t| not)|still)\b",
    r"i (?:only|just|clearly|specifically|had) (?:meant|wanted|asked|said|ordered)\b|i meant\b",
    r"put (?:it|that|this) back\b|(?:please )?re-?read\b|read (?:my|what i)\b",
    r"look again\b|back to (?:the start|square one|where we)\b|(?:that|this)(?:'s| is) only half\b",
    r"still (?:the same|as before|not|no |wrong|missing|old|showing)\b",
    # German
    r"(?:genau )?andersherum\b|falsche[rsnm]?\b|ich (?:wollte|meinte) (?:doch|nur|aber)\b",
    r"ich (?:wollte|meinte) [^.]{1,40}, ",
    r"warum (?:ist|sind|wurden?) .{1,40}"
    r"\b(?:weg|gelöscht|geändert|entfernt|verschoben|angefasst|anders)\b",
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
    r"(?:put|change|bring|move|set) \S{3,60} back\b|was(?:n'?t| not) on (?:the|my) list\b",
    r"(?:the way|just as|exactly as|like) i (?:\w+ )?(?:described|asked|wrote|said|wanted|told)\b",
    r"you(?:'ve| have)? (?:skipped|overlooked|misread|confused|passed over|left out)\b",
    r"(?:mine|my (?:question|request|point|message)) was (?:about|for|the|to)\b",
    r"you (?:are|were) answering\b|you answered (?:a|another|the wrong)\b",
    r"you (?:changed|edited|moved|renamed|removed|added|touched|fixed|took|used|picked|opened)\b"
    r".{1,60}\b(?:but|instead|though|rather than)\b",
    r"i(?:'d| would) (?:rather|sooner) (?:have (?:had|seen|kept)|you had)\b",
    r"was fine (?:as|before)\b",
    r"(?:is|are) (?:gone|missing|flipped|reversed|swapped|lost|off)(?: \w+){0,3} now\b",
    r"now .{1,40} (?:is|are) (?:gone|missing|flipped|reversed|swapped|broken)\b|off by (?:one|\d)",
    r"(?:still )?(?:behaves?|looks?|works?) (?:just )?(?:as|like|the same as) before\b",
    r"would have been (?:right|correct|fine)\b|only half of (?:it|what|that)\b",
    r"why (?:is|are|was|were) .{1,40} (?:touched|changed|gone|deleted|moved|renamed|different)\b",
    r"i (?:don'?t|do not|can'?t|cannot) (?:see|find) .{1,60} in what you\b",
    r"(?:different|else|other) (?:from|than) what (?:you|i) (?:say|said|wrote|claim|asked|meant)",
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
    r"hast du (?:\w+ ){0,5}(?:übergangen|vergessen|übersehen|überlesen|ausgelassen|weggelassen)",
    r"du hast .{1,60}\b(?:übergangen|überlesen|ausgelassen|weggelassen|verwechselt|verloren)\b",
    r"(?:gemeint|gefragt|gesucht|gewünscht|verlangt) war|es ging (?:mir|doch|ja) (?:doch )?um\b",
    r"meine (?:frage |bitte )?war (?:zu|die|eine|doch)\b|du beantwortest\b",
    r"(?:jetzt|nun) (?:ist|sind) .{1,60}\b(?:weg|verschwunden|verdreht|kaputt|vertauscht)\b",
    r"(?:ist|sind) (?:jetzt|nun) (?:\w+ )?(?:weg|verschwunden|verdreht|kaputt|vertauscht)\b",
    r"(?:fangen|stehen|sind) wir .{0,50}(?:von vorn|am anfang)|lieber gewesen\b",
    r"hätte (?:das|es) (?:\w+ )?gestimmt|immer noch (?:das(?:selbe| gleiche)|wie)\b",
    r"(?:sieht|ist) (?:\w+ )?anders(?: aus)?, als (?:du|ich)\b|ist hier .{1,40} gemeint\b",
    r"schau .{1,60}\bnoch ?mal an\b",
    r"(?:gar )?nichts (?:getan|geändert|passiert)|(?:da|es) fehlt (?:die|noch|der|das)\b",
    # French, Spanish, Portuguese, Italian, Dutch
    r"ce n'est pas (?:ce que|bon|correct|ça)|j'ai déjà dit",
    r"(?:tu as|vous avez|t'as) (?:oublié|sauté|ignoré|confondu|cassé|changé .{1,40} mais)",
    r"(?:je voulais|j'avais (?:demandé|dit)|je parlais de)\b",
    r"(?:toujours|encore) (?:pareil|comme avant)",
    r"(?:has|ha) (?:olvidado|saltado|ignorado|confundido|roto)\b|(?:te )?había pedido|yo quería\b",
    r"sigue (?:igual|como antes)|me refería a\b",
    r"ça ne (?:marche|fonctionne) (?:pas|toujours)",
    r"no es (?:lo que|correcto)|no funciona|sigue (?:sin|fallando)|ya te dije|está mal",
    r"não (?:é o que|funciona|está certo)|continua (?:errado|falhando)|já (?:te )?disse",
    r"non (?:è quello che|funziona|va bene)|ancora sbagliato|ti ho già detto",
    r"niet wat ik|werkt (?:nog )?(?:steeds )?niet|dat klopt niet",
    # Chinese, Japanese
    r"不对|错了|不是我要|还是不行|重新来|違います|違う|間違|まだ動かない|やり直",
)
_COMPLAINT = re.compile(  # of small letters
    rf"^\W*{_GREETING}(?:{'|'.join(_START)})|(?:(?<!\w)|(?<=[\u3040-\u9fff]))(?:{'|'.join(_ANYWHERE)})"
)


def is_complaint(text: str) -> bool:
    """Return whether a turn rejects or corrects what the agent did."""
    return _complains(text[:LOOKED_AT])


@lru_cache(maxsize=MOST_TURNS)
def _complains(text: str) -> bool:
    return _COMPLAINT.search(small_letters(text)) is not None
