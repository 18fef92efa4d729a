"""Takes secrets and personal data out of text before it is written or shown; look-alikes stay.

Every pattern is bounded, so that the time is linear in the text whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agingbench.errors import InputError

# Text that is itself JSON writes a line break as \n: that n belongs to no word.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
_KEYS = re.compile(
    _START + r"(?:"
    r"sk-(?:(?:ant|proj|svcacct|or-v1|lf)-|(?=[A-Za-z_-]{0,60}\d))[A-Za-z0-9_-]{20,}+|pk-lf-[A-Za-z0-9-]{20,}+"
    r"|(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_[A-Za-z0-9_]{20,}+|gl(?:pat|sa|rt|ptt)[-_][A-Za-z0-9_-]{20,}+"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+|AIza[0-9A-Za-z_-]{30,}+|ya29\.[0-9A-Za-z_-]{20,}+"
    r"|hf_[A-Za-z0-9]{20,}+|npm_[A-Za-z0-9]{30,}+|pypi-[A-Za-z0-9_-]{20,}+|[sr]k_(?:live|test)_[0-9A-Za-z]{16,}+"
    r"|whsec_[A-Za-z0-9+/=]{20,}+|SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+|lsv2_[a-z]{2}_[A-Za-z0-9_]{20,}+"
    r"|gsk_[A-Za-z0-9]{20,}+|xai-[A-Za-z0-9]{20,}+|pplx-[A-Za-z0-9]{20,}+|r8_[A-Za-z0-9]{20,}+"
    r"|dop_v1_[a-f0-9]{40,}+|shp(?:at|ss|ca)_[a-fA-F0-9]{32}|dapi[a-f0-9]{32}|ATATT3[A-Za-z0-9_=-]{20,}+"
    r"|nvapi-[A-Za-z0-9_-]{20,}+|figd_[A-Za-z0-9_-]{20,}+|sbp_[a-f0-9]{40}|tvly-[A-Za-z0-9_-]{20,}+"
    r"|GOCSPX-[A-Za-z0-9_-]{20,}+|hv[sb]\.[A-Za-z0-9_-]{20,}+|lin_api_[A-Za-z0-9]{20,}+|AGE-SECRET-KEY-1[0-9A-Z]{50,}+"
    r"|\d{8,10}:AA[A-Za-z0-9_-]{33}"
    r")(?![A-Za-z0-9])"
)
# So unlike anything else that they need no boundary in front: a key may be glued to a version or a name.
_GLUED_KEYS = re.compile(
    r"sk-(?:ant|proj)-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,}+|gh[pousr]_[A-Za-z0-9]{36,}+|github_pat_[A-Za-z0-9_]{40,}+"
    r"|AIza[0-9A-Za-z_-]{35,}+|xox[abprs]-\d[A-Za-z0-9-]{10,}+"
)
_JWT = re.compile(
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{10,}+\.eyJ[A-Za-z0-9_-]{5,}+(?:\.[A-Za-z0-9_-]*+)?"
)
_AWS_SECRET = re.compile(
    r"(?i)((?:(?:aws_?)?secret_?access_?key|aws_?session_?token|(?:account|sharedaccess)key)"
    r"\\?[\"']?\s{0,4}[=:]\s{0,4}\\?[\"']?)[A-Za-z0-9/+=]{16,}+"
)
_BEARER = re.compile(
    r"(?i)(?<![a-z0-9])((?:bearer|authorization\\?[\"']?:\s{0,4}\\?[\"']?(?:basic|token))\s{1,4})"
    r"[A-Za-z0-9._~+/=-]{8,}+"
)
_URL_TOKEN = re.compile(
    r"(?i)([?&;#](?:[a-z0-9_.-]{0,24}(?:token|api_?key|secret|password|passwd|signature|credential)|sig|key|auth|pwd)=)"
    r"[^&\s\"'<>#\\]{4,}+"
)
_URL_LOGIN = re.compile(r"(?i)([a-z][a-z0-9+.-]{1,20}://)[^\s/@:\"'<>]{0,200}:[^\s/@\"'<>]{1,300}(?=@)")
_ASSIGNED = re.compile(
    r"(?i)(?<![a-z0-9])((?:[a-z0-9]{1,20}[_-]){0,3}(?:(?:pg)?passwords?|passwd|passphrase|secret|secret[_-]?key"
    r"|api[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|client[_-]?secret|private[_-]?token|access[_-]?key)"
    r"\\?[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?)"
    r"(?=[^\s\"'\\,;)}\]]{0,80}\d)(?=[^\s\"'\\,;)}\]]{0,80}[A-Za-z])[^\s\"'\\,;()\[\]{}]{7,}+(?!\()"
)
# Counts and parsers call much a token that is none: here only what is long and mixed is one.
_TOKEN = re.compile(
    r"(?i)(?<![a-z0-9])((?:[a-z0-9]{1,20}[_-]){0,3}token\\?[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?)"
    r"(?=[a-z_-]{0,80}\d)(?=[0-9_-]{0,80}[a-z])[a-z0-9_+/=-]{20,}+(?![(.\[])"
)
_ENV_PASSWORD = re.compile(
    r"(?<![A-Za-z0-9])((?:[A-Z0-9]{1,20}_){0,3}(?:PG)?PASSW(?:OR)?D=[\"']?)[^\s\"'\\$<{(;,&|]{4,}+"
)
_CURL_LOGIN = re.compile(r"(curl\s[^\n]{0,200}?(?:-u|--user)[ =]\s{0,3}[\"']?[^\s:\"'@]{1,60}:)[^\s\"'\\]{3,}+")
_SLACK_HOOK = re.compile(r"(hooks\.slack\.com/(?:services|workflows)/)[A-Za-z0-9/_-]{20,}+")
_EMAIL = re.compile(
    r"(?!(?<=\\)[nrt])[A-Za-z0-9][A-Za-z0-9._%+'-]{0,63}@(?!\d{1,4}x\.)"
    r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,6}[A-Za-z]{2,24}"
    r"(?![A-Za-z0-9])"
)
_SSN = re.compile(r"(?<![\w.-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_CARD = re.compile(
    r"(?<![\w.-])(?:[2456]\d{3}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -]?)\d{6}\2\d{5}|3[068]\d{2}([ -]?)\d{6}\3\d{4})"
    r"(?![\w-]|\.\d)"
)
_PHONE = re.compile(
    r"(?<![\w+./#-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){2,4}"
    r"|(?:1[ .-])?\(\d{3}\)[ .-]?\d{3}[ .-]\d{4}|(?:1[ .-])?[2-9]\d{2}([ .-])[2-9]\d{2}\1\d{4})(?![\w-]|\.\d)"
)
_QUAD = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6 = re.compile(
    r"(?i)(?<![\w:.])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[23][0-9a-f]{3}|f[cdef][0-9a-f]{2})"
    r"(?::[0-9a-f]{1,4}){0,6}::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?)(?![\w:])"
)
_HOME = re.compile(
    r"(?i)((?:/home/|/Users/|(?:\b|(?<=\\[nrt]))[a-z]:[\\/]{1,4}Users[\\/]{1,4}))"
    r"([^\s/\\\"'<>|:*?\[\]$(){}`,;]{1,64}(?: [A-Z][\w.-]{0,30}(?=\\))?)"
)
_WEB = re.compile(r"(?i)https?://[^\s\"'<>]*$")
_HOME_DASHED = re.compile(r"(?<![A-Za-z0-9])(-(?:Users|home)-)([A-Za-z0-9_.]{1,64})(?=-|\b)")
_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# In front of a version, always; and in front of a version only if its numbers are small.
_VERSIONED = re.compile(
    r"(?i)(?:(?<![a-z])(?:version|ver|release|build|rev)[\"']?\s{0,3}[:=]?\s{0,3}[\"'v]{0,2}|[=~<>!^]=\s?|\^|~)$"
)
_MAYBE_VERSIONED = re.compile(r"(?i)[a-z0-9)](?:[@/]|[_-]v?)$")
_SECRET_NAMES = re.compile(
    r"(?i)(?:.*[_-])?(?:password|passwd|passphrase|secret|secret[_-]?key|api[_-]?key|auth[_-]?token"
    r"|access[_-]?token|refresh[_-]?token|client[_-]?secret|private[_-]?key|secretaccesskey|authorization)"
)
_SHARED_HOMES = ("shared", "public", "default", "all users")


class Scrubber:
    """The built-in rules and those of a profile: [{"pattern": regex, "replacement": text}, ...]."""

    def __init__(self, patterns: Iterable[Mapping[str, str]] = ()) -> None:
        self.extra: list[tuple[re.Pattern[str], str]] = []
        for rule in patterns:
            try:
                self.extra.append((re.compile(rule["pattern"]), rule.get("replacement", "[PRIVATE]")))
            except (re.error, KeyError, TypeError) as error:
                raise InputError(f"privacy pattern {dict(rule)!r} cannot be used: {error}") from error

    def text(self, text: str) -> str:
        """The text without what the rules know."""
        for pattern, replacement in self.extra:
            text = pattern.sub(lambda _, fixed=replacement: fixed, text)  # type: ignore[misc]
        return scrub(text)

    def json(self, value: Any) -> Any:
        """A JSON value with every string in it, names included, scrubbed."""
        return _walk(value, self.text, 0)


def scrub(text: str) -> str:
    """The text without e-mail addresses, phone, card and social security numbers, IPs, keys, tokens and user names."""
    if "PRIVATE KEY" in text:
        text = _without_key_blocks(text)
    text = _JWT.sub("[KEY]", _GLUED_KEYS.sub("[KEY]", _KEYS.sub("[KEY]", text)))
    text = _AWS_SECRET.sub(r"\1[KEY]", text)
    text = _BEARER.sub(r"\1[AUTH]", text)
    if "=" in text:
        text = _URL_TOKEN.sub(r"\1[TOKEN]", text)
    if "curl" in text:
        text = _CURL_LOGIN.sub(r"\1[AUTH]", text)
    if "hooks.slack.com/" in text:
        text = _SLACK_HOOK.sub(r"\1[TOKEN]", text)
    if "://" in text:
        text = _URL_LOGIN.sub(r"\1[AUTH]", text)
    if "=" in text or ":" in text:
        for assigned in (_ASSIGNED, _TOKEN, _ENV_PASSWORD):
            text = assigned.sub(r"\1[SECRET]", text)
    if "@" in text:
        text = _EMAIL.sub(_email, text)
    text = _SSN.sub("[SSN]", text)
    text = _CARD.sub(_card, text)
    text = _PHONE.sub(_phone, text)
    text = _QUAD.sub(_quad, text)
    text = _IPV6.sub("[IP]", text)
    text = _HOME.sub(_home, text)
    return _HOME_DASHED.sub(_home, text)


def scrub_json(value: Any) -> Any:
    """A JSON value with every string in it, names included, scrubbed."""
    return _walk(value, scrub, 0)


def _walk(value: Any, clean: Callable[[str], str], depth: int) -> Any:
    if isinstance(value, str):
        return clean(value)
    if depth > 200:
        return "[TOO DEEP]" if isinstance(value, dict | list) else value
    if isinstance(value, list | tuple):
        return [_walk(item, clean, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    found: dict[Any, Any] = {}
    for key, inner in value.items():
        name = clean(key) if isinstance(key, str) else key
        n = 2
        while name in found:  # two names that look alike without their secrets are still two
            name, n = f"{clean(str(key))}#{n}", n + 1
        secret = isinstance(inner, str) and inner and isinstance(key, str) and _SECRET_NAMES.fullmatch(key[:200])
        found[name] = "[SECRET]" if secret else _walk(inner, clean, depth + 1)
    return found


def _without_key_blocks(text: str) -> str:
    parts, at = [], 0
    while found := _KEY_BLOCK.search(text, at):
        end = _KEY_END.search(text, found.end())
        parts += [text[at : found.start()], "[PRIVATE_KEY]"]
        at = end.end() if end else len(text)  # a block without an end is cut off: nothing after it is safe
        if not end:
            break
    return "".join([*parts, text[at:]])


def _email(found: re.Match[str]) -> str:
    """An address of a person; git@host is how every repository is fetched over ssh and names nobody."""
    return found.group() if found.group().lower().startswith("git@") else "[EMAIL]"


def _card(found: re.Match[str]) -> str:
    digits = [int(sign) for sign in found.group() if sign.isdigit()]
    doubled = [2 * digit - 9 if digit > 4 else 2 * digit for digit in digits[-2::-2]]
    valid = (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1
    return "[CARD]" if valid else found.group()


def _phone(found: re.Match[str]) -> str:
    digits = sum(sign.isdigit() for sign in found.group())
    return "[PHONE]" if 8 <= digits <= 15 else found.group()


def _quad(found: re.Match[str]) -> str:
    """An IP address, unless it is written like a version."""
    text, octets = found.group(), [int(part) for part in found.group().split(".")]
    before = found.string[max(0, found.start() - 24) : found.start()]
    if max(octets) > 255 or text in ("127.0.0.1", "0.0.0.0") or octets[0] == 255:  # noqa: S104
        return text
    if any(len(part) > 1 and part.startswith("0") for part in text.split(".")):
        return text
    small = octets[0] != 10 and (max(octets) <= 30 or octets[1:] == [0, 0, 0])
    if _VERSIONED.search(before) or (small and _MAYBE_VERSIONED.search(before)):
        return text
    return text if max(octets) < 10 and len(set(octets)) > 2 else "[IP]"


def _home(found: re.Match[str]) -> str:
    """A user's folder without the user; a page of a web site that happens to lie under /home is no folder."""
    before = found.string[max(0, found.start() - 200) : found.start()]
    if found[2].lower() in _SHARED_HOMES or _WEB.search(before):
        return found.group()
    return f"{found[1]}[USER]"
