"""IP addresses, and the user's name in home directories, listings and prompts."""

from __future__ import annotations

import ipaddress
import re

_QUAD = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_SIX = re.compile(
    r"(?<![\w:.])[0-9A-Fa-f]{0,4}:(?:[0-9A-Fa-f]{0,4}:){1,6}(?:(?:\d{1,3}\.){3}\d{1,3}"
    r"|[0-9A-Fa-f]{0,4})(?![\w:])"
)
# Private networks, and the address at which a cloud describes itself.
_EVERYONES = ("172.16.0.0", "192.168.0.0", "169.254.169.254")
_RESOLVERS = ((8, 8, 8, 8), (8, 8, 4, 4), (1, 1, 1, 1), (1, 0, 0, 1), (9, 9, 9, 9))
_VERSIONED = re.compile(
    r"(?i)(?:(?<![a-z])(?:version|ver|release|build|rev)[\"']?\s{0,3}[:=]?\s{0,3}[\"'v]{0,2}"
    r"|[=~<>!^]=\s?|\^|~|[<>]\s?)$"
)
# Among the numbers of a drawing, which leave out zeros and blanks.
_DRAWN = re.compile(r"(?<![\d.])-?\d*\.\d+[ ,]$")
_NUMBERED = re.compile(
    r"(?i)(?:[a-z0-9)](?:[@/]|[_-]v?)|(?:section|chapter|§|figure|table|clause|step)\s?)$"
)
_ADDRESSED = re.compile(
    r"(?i)(?:(?<![a-z])(?:ips?|ipv4|ip[_"
    r" -]?addr(?:ess)?|addr(?:ess)?|host(?:name)?|server|node|peer|client|remote"
    r"|gateway|dns|nameserver|from|ping|ssh|inet|listen(?:ing on)?|bind|connect(?:ed)?"
    r" to|route|via|curl|telnet|nc)"
    r"(?:\\{0,31}[\"'])?\s{0,3}[:=]?\s{0,3}(?:\\{0,31}[\"'])?|://|(?<!\w)\w{1,32}@|\[)$"
)
_SEP = r"(?:\\{0,31}/|%2[fF])"
_BACK = r"(?:[\\/]{1,32}|%5[cC]|%2[fF])"
_NAME = r"(?:(?!%2[fF]|%5[cC])[^\s/\\\"'<>|:*?\[\]$(){}`,;&#=!~^])"
_HOME = re.compile(
    rf"(?i)({_SEP}(?:home|users){_SEP}"
    rf"|(?:\b|(?<=\\[nrt])|(?<=%2f))[a-z](?::|%3a){_BACK}(?:users|documents and settings){_BACK}"
    r"|\\{1,32}users\\{1,32})"
    rf"({_NAME}{{1,64}}(?: [A-Z][\w.-]{{0,30}}(?=\\))?)"
)
_TILDE = re.compile(r"((?<![\w/~.\])}])~)[a-z][\w-]{1,31}(?=/)")
_WEB = re.compile(r"(?i)https?://[^\s\"'<>]*$")
_HOME_DASHED = re.compile(
    r"(?<![A-Za-z0-9-])((?:[A-Za-z]-)?-(?:Users|home)-)([A-Za-z0-9_.]{1,64})(?=-|\b)"
)
_WINDOWS_DASHED = re.compile(r"(?<![A-Za-z0-9-])([A-Za-z]--Users-)([A-Za-z0-9_.]{1,64})(?=-|\b)")
_SHARED_HOMES = ("shared", "public", "default", "all users", ".", "..", "...")
_LISTING = re.compile(
    r"((?:(?<![\w-])|(?<=\\n))[-dlbcps](?:[r-][w-][xsStT-]){3}[.+@]?[ \t]{1,4}\d{1,6}[ \t]{1,4})"
    r"([\w.$-]{1,40})([ \t]{1,10})([\w.$-]{1,40})(?=[ \t]{1,20}\d)"
)
_USER_IS = re.compile(
    r"((?<![A-Za-z0-9_])(?:USER|LOGNAME|USERNAME|SUDO_USER)=[\"']?)([A-Za-z_][\w.-]{0,40})(?![\w(/."
    r"])"
)
_PROMPT = re.compile(
    r"(?<![\w.@:/-])(?!(?<=\\)[nrt])([A-Za-z_][\w.-]{0,31})(?=@[A-Za-z][\w.-]{0,62}:[~/])"
)
_PASSWD = re.compile(
    r"((?<![\w.:/-])|(?<=\\n))([a-z_][\w.-]{0,31})(:[x*!]?:\d{1,7}:\d{1,7}:)([^:\n\\]{0,80})(?=:/)"
)
# Accounts that a system has by itself.
_NOBODY = frozenset(
    """
    root wheel staff admin daemon nobody nogroup sys adm bin users everyone system git www-data sudo
    docker runner runneradmin ubuntu debian node vscode ec2-user jovyan
    """.split()
)


def clean_places(text: str) -> str:
    """The text without IP addresses and without the user names of home directories."""
    text = _QUAD.sub(_quad, text)
    if ":" in text:
        text = _SIX.sub(_six, text)
        text = _PROMPT.sub(_prompt, text) if "@" in text else text
        text = _PASSWD.sub(_passwd, text) if ":/" in text else text

    text = _TILDE.sub(r"\1[USER]", text) if "~" in text else text
    text = _HOME_DASHED.sub(_home, _WINDOWS_DASHED.sub(_home, _HOME.sub(_home, text)))
    text = _LISTING.sub(_listing, text) if "rw" in text else text
    return _USER_IS.sub(_user_is, text) if "USER" in text or "LOGNAME" in text else text


def _quad(match: re.Match[str]) -> str:
    """An IP address, unless it is written like a version, is this machine, or is the name of a
    network.
    """
    text = match.group()
    string = match.string
    parts = text.split(".")
    octets = tuple(map(int, parts))
    if max(octets) > 255 or any(len(part) > 1 and part[0] == "0" for part in parts):
        return text
    if octets[0] in (0, 127, 255) or octets[1:] == (0, 0, 0) or text in _EVERYONES:
        return text

    before = string[max(0, match.start() - 60) : match.start()]
    after = string[match.end() : match.end() + 7]
    if _VERSIONED.search(before):
        return text

    addressed = _ADDRESSED.search(before) or re.match(
        r":\d{2,5}\b|/(?:[89]|[12]\d|3[0-2])\b", after
    )
    if addressed or octets[0] == 10 or octets in _RESOLVERS:
        if octets[0] == 10 and max(octets) <= 31 and _NUMBERED.search(before):
            return text
        return "[IP]"

    if re.match(r"-[A-Za-z]", after) or (octets[0] < 32 and _DRAWN.search(before)):
        return text

    small = max(octets) <= 31 or (octets[0] <= 31 and sum(octet < 10 for octet in octets) > 2)
    return text if small else "[IP]"


def _six(match: re.Match[str]) -> str:
    """An IPv6 address that somebody has; `::1`, slices, times and names of C++ are none."""
    text = match.group()
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return text

    mapped = address.ipv4_mapped
    if mapped is not None:
        return text if mapped.is_loopback or mapped.is_unspecified else "[IP]"

    first = int(address) >> 112
    routed = 0x2000 <= first <= 0x3FFF or first >= 0xFC00 or first == 0x64
    groups = [group for group in text.split(":") if group]
    plain = text.isascii() and not re.search("[A-Fa-f]", text)

    return "[IP]" if routed and len(groups) > 1 and not (plain and len(groups) < 3) else text


def _home(match: re.Match[str]) -> str:
    """A user's folder without the user; a page of a web site that happens to lie under /home is no
    folder.
    """
    before = match.string[max(0, match.start() - 200) : match.start()]
    if match[2].lower() in _SHARED_HOMES or _WEB.search(before):
        return match.group()
    return f"{match[1]}[USER]"


def _listing(match: re.Match[str]) -> str:
    names = []
    for name in (match[2], match[4]):
        is_nobody = name.lower() in _NOBODY or name.isdigit()
        names.append(name if is_nobody else "[USER]")

    owner, group = names
    return f"{match[1]}{owner}{match[3]}{group}"


def _user_is(match: re.Match[str]) -> str:
    return match.group() if match[2].lower() in _NOBODY else f"{match[1]}[USER]"


def _prompt(match: re.Match[str]) -> str:
    return match.group() if match[1].lower() in _NOBODY else "[USER]"


def _passwd(match: re.Match[str]) -> str:
    name = match[2]
    full_name = match[4]
    if name in _NOBODY or int(match[3].split(":")[2]) < 1000:
        return match.group()
    return f"{match[1]}[USER]{match[3]}{'[NAME]' if full_name.strip(',') else full_name}"
