"""Secrets that follow their name, as in `password: …`, `API_KEY=…` or `<password>…`."""

from __future__ import annotations

import re
import string

from agingbench.traces.scrub.values import Family, is_secret, mixed, placeholder

# Lower case that keeps every letter in its place.
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_LONG_NAMES = (
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "kennwort",
    "contraseña",
)
_SUFFIX = (
    r"(?:_?\d{1,2}|[_-](?:prod|production|dev|test|staging|live|old|new"
    r"|value|base|base64|b64|plain|raw|text))?"
)
_TYPED = (
    r":[ \t]{0,3}(?:(?:str|string|bytes|any|secretstr)=|[a-z_][\w.\[\]|& ]{0,30}?[ \t]{1,3}=(?!=))["
    r" \t]{0,4}"
)
_SIGN = r"(?::=|=>|={1,3}|!={1,2}|:|%3[ad]|(?<=\w)>)[ \t]{0,4}"
_NAMED = re.compile(
    r"(passwords?|passwd|passphrase|passcode|passwort|kennwort|contraseña|pswd|psw|pwd|pw|pass"
    r"|psk|key-data|wep[_-]key|secret|credentials?"
    rf"|token|auth|key(?:_id)?|pat){_SUFFIX}(?:\\{{0,31}}[\"'`]?\]?[ \t]{{0,4}}(?:{_TYPED}|{_SIGN})"
    r"|(?P<spoken>[ \t]{1,2}(?:(?:is|was|ist|to)[ \t]{1,2})?(?=[\"'`\w])))"
)
_NAME_END = re.compile(
    r"(passwords?|passwd|passphrase|passcode|passwort|kennwort|contraseña|pswd|psw|pwd|pw|pass"
    r"|psk|key-data|wep[_-]key|secret|credentials?"
    rf"|token|auth|key(?:_id)?|pat){_SUFFIX}"
)
_BEFORE_KEY = re.compile(
    r"(?:api|access|secret|private|signing|encryption|master|auth|account|sharedaccess|subscription"
    r"|session|consumer"
    r"|license|deploy|storage|service|admin|webhook)[ _-]?$"
)
# Here no digit is needed to know a secret: names in capitals, and those of clouds.
_BEFORE_SURE = re.compile(
    r"(?:aws[ _-]?[a-z_]{0,20}|account|shared[ _-]?access|secret[ _-]?access)[ _-]?$"
)
_BEFORE_TOKEN = re.compile(
    r"(?:api|auth|access|refresh|id|bearer|session|security|private|bot|user|secret|oauth|deploy)["
    r" _-]?$"
)
_BEFORE_PASS = re.compile(
    r"(?:[\"']|(?:db|user|admin|root|smtp|ftp|mail|redis|mysql|pg|ssh|sudo|wifi|proxy|login|http"
    r"|database|become|ansible|vault|bind|store|keystore|truststore|key|cert|pfx|p12|vpn|imap|pop3"
    r"|rcon|rpc|rabbitmq|rabbit|amqp|mongo|ldap|jdbc|wp|wpa|hotspot|router|conn|connection|mqtt|snmp"
    r"|backup|service|svc|app|sa|master|enable|grub|luks|zip|rar|gpg|git|svn|registry|docker|nexus"
    r"|jenkins|sonar|grafana|influx|elastic|es|kafka|sasl|oracle|mssql|sql|postgres|tomcat)[_-]?)$"
)
_OPEN = re.compile(r"[rbfuRBFU]{0,2}(\\{0,31}[\"'`])")
_BARE = re.compile(
    r"(?:[^\s\"'`\\,;&|<>(){}\[\]]|,(?![\s\"'`\\,;&|<>(){}\[\]]|$|[\w.-]{1,40}[\"']?[ \t]?[=:])"
    r"|\\(?![nrtu\"'\\])){1,300}"
)
_REST = re.compile(r"[^\s\"'`\\]{1,300}")
_AFTER_A_STRING = frozenset(" \t,;)]}")
_LONGEST = 400
_LINE_END = re.compile(r"[\n\x1c]|\\{1,16}[nr]")
_LISTED = re.compile(
    r"(?i)((?:name|key)\\{0,31}[\"']?\s{0,4}[=:]\s{0,4}\\{0,31}[\"']?[\w.-]{0,60}?(?:passw(?:or)?d"
    r"|passphrase|secret|token"
    r"|api[_-]?key|access[_-]?key)\\{0,31}[\"']?\s{0,4},?(?:\s|\\n){0,40}-?\s?\\{0,31}[\"']?value\\"
    r"{0,31}[\"']?\s{0,4}[=:]"
    r"\s{0,4}\\{0,31}[\"']?)([^\"'\\\s<>,}]{3,300})"
)
_PHRASE = re.compile(
    r"(?i)((?:mnemonic|(?:seed|recovery|secret|backup)["
    r" _-]?(?:phrase|words))\\{0,31}[\"']?\s{0,3}[:=]?\s{0,3}(?:is )?"
    r"\\{0,31}[\"']?)(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}"
)
_COOKIE_NAME = re.compile(r"(?i)(?:set-)?cookies?")


def clean_assigned(text: str) -> str:
    """The text without the secrets that follow their names."""
    text = _PHRASE.sub(r"\1[SECRET]", _LISTED.sub(_listed, text))
    parts = []
    at = 0

    for named in _NAMED.finditer(text.translate(_LOWER)):
        if named.start() < at:
            continue

        family = _family(text, named.start(), named[1])
        secret = None if family is None else _value(text, named, family)
        if secret is not None:
            start, end = secret
            parts += [text[at:start], "[SECRET]"]
            at = end

    return "".join([*parts, text[at:]])


def hides(name: str, value: str) -> str | None:
    """What to show in place of a string under this name in JSON; None for the string itself."""
    name = name[-200:]
    lowered = name.translate(_LOWER)
    if _COOKIE_NAME.fullmatch(name):
        return "[COOKIE]" if "=" in value else None
    if lowered in ("authorization", "proxy-authorization"):
        return "[SECRET]"

    ends = next((m for m in _NAME_END.finditer(lowered) if m.end() == len(name)), None)
    family = None if ends is None else _family(f'"{name}', ends.start() + 1, ends[1])
    if family is None or ends is None:
        return None
    # PWD is also the name of the working directory.
    if ends[1] == "pwd" and ("/" in value or "\\" in value):
        return None
    if family == "token" or ends[1] == "auth":
        return "[SECRET]" if is_secret("token", value, quoted=True) or value.endswith("=") else None
    if family == "variable":
        return "[SECRET]" if is_secret(family, value, quoted=True) else None
    return "[SECRET]"


def _family(text: str, start: int, core: str) -> Family | None:
    """The kind of secret that a name announces, from its last word and the text before it."""
    before = text[max(0, start - 24) : start]
    word = text[start : start + len(core)]
    if core in _LONG_NAMES:
        return "password"
    if core in ("pswd", "psw", "pwd", "pw"):
        hump = word[0].isupper() and before[-1:].islower()
        return "password" if hump or not before[-1:].isalnum() else None
    if core == "pass":
        shouted = word == "PASS" and before.endswith("_")
        return "password" if shouted or _BEFORE_PASS.search(before.translate(_LOWER)) else None
    if core == "psk":
        return "password" if not before[-1:].isalnum() else None
    if core in ("key-data", "wep_key", "wep-key"):
        return "key"
    if core in ("secret", "credential", "credentials"):
        return "key"
    if core == "token":
        return "key" if _BEFORE_TOKEN.search(before.translate(_LOWER)) else "token"
    if core.startswith("key") and _BEFORE_KEY.search(before.translate(_LOWER)):
        return "key"
    if core == "auth" and before[-1:] in ("_", '"', "'") and word == "auth":
        return "token"

    shouted = word.isupper() and before[-1:] == "_" and before[-2:-1].isalnum()
    return "variable" if shouted and core in ("key", "auth", "pat") else None


def _listed(match: re.Match[str]) -> str:
    return match.group() if placeholder(match[2]) else f"{match[1]}[SECRET]"


def _value(text: str, named: re.Match[str], family: Family) -> tuple[int, int] | None:
    """Start and end of the value after a name, if it is a secret."""
    spoken = named["spoken"] is not None
    start = named.end()
    if spoken and family in ("token", "variable"):
        return None

    opened = _OPEN.match(text, start)
    if opened is not None:
        begin = opened.end()
        end = _closing(text, opened.end(), opened[1])
        quoted = text[begin:end]
        # In `"PASSWORD=" + x` this quote closes, it opens nothing.
        if quoted[:1] in _AFTER_A_STRING:
            return None
        if is_secret(family, quoted, quoted=True, spoken=spoken):
            return begin, end

        # The closing quote may have been lost, and other text come after the value.
        words = quoted.split(maxsplit=1)
        first = words[0] if words else ""
        is_part = bool(first) and first != quoted and mixed(first, 6)
        if is_part and is_secret(family, first, quoted=True):
            return begin, begin + len(first)
        return None

    bare = _BARE.match(text, start)
    if bare is None:
        return None

    value = bare.group().rstrip(".:!?") if spoken else bare.group()
    # After `=` or `%3d` without a blank comes a value, no sentence.
    tight = named.group().endswith(("=", "d"))
    after = text[bare.end() : bare.end() + (1 if tight else 60)]
    if named.group().endswith(">"):
        after = ""  # the tag that closes

    if not is_secret(
        family,
        value,
        quoted=False,
        after=after,
        spoken=spoken,
        sure=tight and _sure(text, named),
    ):
        return None

    is_directory = named[1] == "pwd" and value[0] in "/~."
    is_test_count = named[1] == "pass" and value.isdigit()
    if is_directory or is_test_count:
        return None
    if spoken:
        return start, start + len(value)

    signs = (
        after[:1] in tuple("(<[{&|)")
        and not value.isalnum()
        and named.group().rstrip().endswith("=")
    )
    # A password with signs in it goes on to the next blank.
    whole = _REST.match(text, start) if signs else None
    return start, (whole or bare).end()


def _sure(text: str, named: re.Match[str]) -> bool:
    word = text[named.start() : named.end(1)]
    before = text[max(0, named.start() - 24) : named.start()]
    return word.isupper() or _BEFORE_SURE.search(before.translate(_LOWER)) is not None


def _closing(text: str, start: int, quote: str) -> int:
    """The end of a quoted value: its closing quote, the end of the line, or a limit."""
    line = _LINE_END.search(text, start, start + _LONGEST)
    limit = line.start() if line else min(len(text), start + _LONGEST)
    at = text.find(quote, start, limit)
    while at > start and text[at - 1] == "\\":
        at = text.find(quote, at + 1, limit)
    return at if at >= 0 else limit
