"""Passwords as people tell them, "the password for the router is …", and phrases of words."""

from __future__ import annotations

import re

from agingbench.traces.scrub.values import is_message, mixed, placeholder

_NAME = r"(?:pass(?:word|wd|phrase|code)|passwort|kennwort|contraseña|login|pin(?:[ -]code)?)"
_HINTS = ("pass", "kennwort", "contraseña", "login", "pin")
_FOR = r"(?:for|of|to|on|in|at|f(?:ü|ue|\\{1,16}u00fc)r|zu|zum|zur|vom|von|para|de)"
_VERB = r"(?:is|was|ist|war|lautet|es|=)"
# What the password is for: a few words, up to the verb.
_TOLD = re.compile(
    rf"(?i)(\b{_NAME}[ \t]{{1,2}}{_FOR}\b"
    rf"[^\n\x1c.;!?\"]{{1,80}}?(?:[:=]|(?<=[ \t]){_VERB}(?:[ \t]{{1,2}}now)?:?)[ \t]{{1,3}})"
    r"(?:(?P<q>\\{0,31}[\"'`])(?P<quoted>[^\"'`\\\n\x1c]{2,200})"
    r"|(?P<bare>[^\s\"'`\\<>(){}\[\],;]{3,200}))"
)
# In quotes even plain words are told, whatever the password is for.
_QUOTED = re.compile(
    rf"(?i)(\b{_NAME}[ \t]{{1,2}}{_VERB}[ \t]{{1,3}}(?P<q>\\{{0,31}}[\"'`]))"
    r"(?P<quoted>[^\"'`\\\n\x1c]{4,200})(?=(?P=q))"
)
# Words of a phrase, told or assigned without quotes, up to the end of the clause.
_PHRASE = re.compile(
    r"(?i)(\b(?P<name>pass[ -]?phrase|passwords?|passwort)\b\\{0,31}[\"']?"
    r"(?:[ \t]{1,2}(?:for|of|to|on)\b[^\n\x1c.;!?\"=:]{1,60}?)?"
    r"[ \t]{0,3}(?P<verb>[:=]|(?<=[ \t])(?:is|was|ist)\b)[ \t]{1,3})"
    r"(?P<words>[a-z]{2,14}(?:[ -][a-z0-9]{1,14}){2,9})"
    r"(?=[ \t]{0,3}(?:[.,;!)\]}]{0,2}(?:$|[\s\x1c\"'`\\])))"
)
# Endings of words that describe a password rather than being one.
_DESCRIBES = re.compile(
    r"(?i).*(?:ed|ing|ly|able|ible|ent|ant|ive|ory|ary|ful|ous|less|ic|al)|.*n't"
)
_ADJECTIVES = frozenset(
    """
    correct wrong same different empty blank short long weak strong safe secure unknown public
    private random unique fresh here there below above known kept set right fine okay gone lost
    hidden sent written given taken shown chosen stored yours mine hers theirs what how why up down
    now still always never just very plain broken stale valid case nothing none something anything
    """.split()
)
_END = re.compile(r"[.!?]?(?:$|[\s\x1c\"'`)\]},;]|\\)")


def clean_spoken(text: str) -> str:
    """The text without passwords that sentences tell."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return text
    text = _PHRASE.sub(_phrase, text)
    return _TOLD.sub(_told, _QUOTED.sub(_quoted, text))


def _phrase(match: re.Match[str]) -> str:
    words = match["words"]
    if is_message(words) or placeholder(words):
        return match.group()
    of_phrase = match["name"].lower().startswith(("pass phrase", "pass-phrase", "passphrase"))
    count = len(re.split("[ -]", words))
    # After `password` most words in a row are prose, so all of them have to be words of a phrase.
    if not of_phrase and (count < 4 or match["verb"] not in ":=" or _has_little_words(words)):
        return match.group()
    return f"{match[1]}[SECRET]"


def _quoted(match: re.Match[str]) -> str:
    words = match["quoted"]
    if is_message(words) or placeholder(words) or words.lower() in _ADJECTIVES:
        return match.group()
    return f"{match[1]}[SECRET]"


def _has_little_words(words: str) -> bool:
    return any(len(word) < 3 for word in re.split("[ -]", words))


def _told(match: re.Match[str]) -> str:
    quoted = match["quoted"]
    if quoted is not None:
        if placeholder(quoted) or is_message(quoted):
            return match.group()
        return f"{match[1]}{match['q']}[SECRET]"

    bare = match["bare"].rstrip(".:!?")
    rest = match["bare"][len(bare) :]
    if placeholder(bare) or not _could_be_told(bare, match):
        return match.group()
    return f"{match[1]}[SECRET]{rest}"


def _could_be_told(value: str, match: re.Match[str]) -> bool:
    """Whether the word after "is" is the password: mixed, or a plain word that ends the clause."""
    if mixed(value, 4) or (value.isdigit() and len(value) >= 4):
        return True
    inner_signs = any(not sign.isalnum() for sign in value[1:-1].replace("-", "").replace("'", ""))
    if inner_signs and len(value) >= 6 and "/" not in value:
        return True
    if not value.isalpha() or len(value) < 5 or is_message(value):
        return False
    if value.lower() in _ADJECTIVES or _DESCRIBES.fullmatch(value):
        return False
    return _END.match(match.string, match.end()) is not None
