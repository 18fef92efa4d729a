"""Secrets known by where they stand: in a header, a cookie, a URL, a command line, a file of
logins.
"""

from __future__ import annotations

import re

from agingbench.traces.scrub.values import (
    begins_sentence,
    is_secret,
    mixed,
    placeholder,
    random_like,
)

_Q = r"\\{0,31}[\"']"
_HEADER = re.compile(
    rf"(?i)((?<![a-z])(?:proxy-)?authorization(?:{_Q})?\]?[ \t]{{0,4}}[:=][ \t]{{0,4}}(?:f?{_Q})?)"
    r"(?:(basic|bearer|token|apikey|api-key|key|negotiate|ntlm|bot)([ \t]{1,4}))?"
    r"([^\s\"'\\<>]{4,})([^\"'\\\n\x1c]{0,2000})"
)
_PARAMETERS = re.compile(
    rf"(?i)((?<![a-z])(?:proxy-)?authorization(?:{_Q})?\]?[ \t]{{0,4}}[:=][ \t]{{0,4}}(?:f?{_Q})?"
    r"(?:digest|oauth|hawk|signature|aws4-hmac-sha256)[ \t]{1,4})"
    r"(?:[\w-]{1,30}=(?:\\{0,31}\"[^\"\\\n\x1c]{0,500}\\{0,31}\"?|[^\s,\"'\\]{1,500})[,"
    r" ]{0,3}){1,30}"
)
_BEARER = re.compile(
    r"(?i)(?<![a-z0-9])(bearer(?:[ \t]{1,4}|%20|\+|:[ \t]{0,2}))([A-Za-z0-9._~+/=-]{12,})"
)
_COOKIES = re.compile(
    rf"(?i)((?<![a-z])(?:set-)?cookie2?(?:{_Q})?[ \t]{{0,3}}[:=][ \t]{{0,3}}(?:{_Q})?)"
    r"(?=[!#$%&*+.^_|~\w-]{1,80}=)([^\"'\\\r\n\x1c]{3,4000})"
)
_SESSION = re.compile(
    r"((?<![\w.-])(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|ASPSESSIONID[A-Z]{8}|connect\.sid"
    r"|sessionid|csrftoken"
    r"|XSRF-TOKEN|cf_clearance|__(?:Secure|Host)-[\w.-]{1,60}|remember_(?:me_)?token"
    r"|[a-z0-9_]{1,30}_session|session|sid)"
    rf"(?:{_Q})?[ \t]{{0,3}}[=:][ \t]{{0,3}}(?:{_Q})?)([^\s\"'`\\;,&<>(){{}}\[\]]{{12,}})"
)
_URL_LOGIN = re.compile(
    r"(?i)([a-z][a-z0-9+.-]{1,20}:(?:\\?/){2})"
    r"((?!\[AUTH\])[^\s/@:\"'<>\\]{0,200}:[^\s/\"'<>\\]{1,300}|[^\s/@:\"'<>\\?#]{1,200})"
    r"(?=@[\w\[%$.{-])"
)
_NOBODY = ("git", "hg", "svn", "anonymous")
_DSN = re.compile(r"(?<![\w.-])[\w.-]{1,60}:[^\s@/\"'\\]{1,200}(?=@(?:tcp|unix)\()")
_URL_VALUE = re.compile(
    r"(?i)((?:[?&;#]|\\u0026|%26|%3f)(?:[a-z0-9_.-]{0,24}(?:token|api[_-]?key|secret|password"
    r"|passwd|signature|credential)"
    r"|(?P<weak>sig|key|auth|pwd|code|session|sid|jwt))(?:=|%3d))([^&\s\"'<>#\\]{4,})"
)
# Whatever a value is called: in a query, what a machine made is a pass.
_QUERY = re.compile(r"(?i)(?<=[a-z0-9]://)[^\s\"'<>\\?]{1,300}\?[^\s\"'<>\\]{3,4000}")
_QUERY_VALUE = re.compile(r"([?&;][\w.~%\[\]-]{1,80}=)([^&;#]{16,})")
_HOOKS = re.compile(
    r"(?i)(hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/(?:v\d{1,2}/"
    r")?webhooks/"
    r"|[\w.-]{1,60}\.webhook\.office\.com/webhookb2/|hooks\.zapier\.com/hooks/catch/"
    r"|api\.telegram\.org/(?:file/)?bot"
    r"|outlook\.office\.com/webhook/)[A-Za-z0-9/_@:.-]{8,}"
)
_NETRC = re.compile(
    r"(?i)((?:\bmachine\s{1,4}\S{1,100}|\bdefault)\s{1,4}login\s{1,4})\S{1,100}(\s{1,4}password\s{1"
    r",4})\S{1,200}"
)
_PGPASS = re.compile(
    r"((?<![^\s\"'(`])[\w.*-]{1,80}:(?:543\d|6432|\*):[\w*-]{1,60}:[\w*-]{1,60}:)[^\s\"'\\]{3,200}"
)
_SQL = re.compile(
    r"(?i)(\bidentified(?: with [\w\"'`]{1,40})? by |\bwith (?:encrypted )?password )"
    r"(\\{0,31}['\"])[^'\"\\\n\x1c]{1,200}"
)

_ORACLE = re.compile(
    r"((?:\b(?:sqlplus|sqlldr|expdp|impdp)[ \t]{1,3}(?:-\w["
    r" \t]{1,3})?|thin:)[\w$]{1,40}/)[^\s@\"'\\/]{1,100}(?=@)"
)
_NET_USER = re.compile(r"(?i)(\bnet user \S{1,60} )(?!/)[^\s\"']{3,100}(?= /add)")
_AUTH_PAIR = re.compile(
    rf"((?:\bauth[ \t]?=[ \t]?|BasicAuth)\([ \t]?{_Q}[^\"'\\\n\x1c]{{1,80}}{_Q}[ \t]?,[ \t]?{_Q})"
    rf"[^\"'\\\n\x1c]{{1,100}}(?={_Q})"
)

_SETTER = re.compile(
    r"(?i)(\b(?:define|setenv|putenv|setdefault|setproperty|setitem|put|set)\(["
    rf" \t]?{_Q}[\w.-]{{0,60}}"
    rf"(?:passw(?:or)?d|passphrase|secret|token|api_?key){_Q}[ \t]?,["
    rf" \t]?{_Q})([^\"'\\\n\x1c]{{3,200}})"
)

_VALUE = (
    r"(?:(?P<q>\\{0,31}[\"'])(?P<quoted>[^\"'\\\n\x1c]{1,200})"
    r"|(?P<bare>[^\s\"'\\|;&<>()`-][^\s\"'\\|;&<>()`]{0,200}))"
)
_GAP = r"\b[^\n\x1c|;]{0,160}?[ \t]"


def _option(
    hint: str,
    commands: str,
    option: str,
    gap: str = r"[ \t]{1,3}",
) -> tuple[str, re.Pattern[str]]:
    """What any text with such a command holds, and the pattern of it."""
    return hint, re.compile(rf"(?P<head>(?<![\w.-])(?:{commands}){_GAP}(?:{option}){gap}){_VALUE}")


# Commands that take a password with an option of one letter; `-p` of ssh, docker run or mkdir is
# none.
_OPTIONS = (
    _option("mysql", r"mysql(?:dump|admin|import|show|slap|pump|sh)?", r"-p", ""),
    _option("mariadb", r"mariadb(?:-dump|-admin)?", r"-p", ""),
    _option("sshpass", r"sshpass", r"-p", r"[ \t]{0,3}"),
    _option(
        " login",
        r"(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|oc|az|cf)[ \w]{0,20} login",
        r"-p",
    ),
    _option("mongo", r"mongo(?:sh|dump|restore|import|export)?", r"-p"),
    _option("redis-cli", r"redis-cli", r"-a"),
    _option("zip", r"unzip|zip|zipcloak", r"-P"),
    _option("sqlcmd", r"sqlcmd|bcp|isql", r"-P"),
    _option("7z", r"7z[ar]?", r"-h?p", ""),
    _option("ldap", r"ldap(?:search|modify|add|delete|passwd|whoami)", r"-w"),
    _option("ssh-keygen", r"ssh-keygen", r"-[NP]"),
    _option("keytool", r"keytool", r"-(?:store|key|new|srcstore|deststore)pass"),
    _option("openssl", r"openssl", r"-pass(?:in|out)?[ \t]{1,3}pass:", ""),
    _option("openssl", r"openssl[ \t]{1,3}(?:enc|aes\S{0,20})", r"-[kK]"),
    _option("xfreerdp", r"xfreerdp", r"/p:", ""),
    _option(
        "htpasswd",
        r"htpasswd",
        r"-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}[ \t]{1,3}\S{1,100}[ \t]{1,3}\S{1,60}",
    ),
)
_CURL = re.compile(
    r"((?<![\w.-])(?:curl|https?|xh|smbclient|lftp|wget)\b[^\n\x1c|;]{0,200}?[ \t]"
    r"(?:-u|-U|-a|--user|--proxy-user|--auth)[ =]?[ \t]{0,3}"
    r"\\{0,31}[\"']?[^\s:\"'@%,\\/$]{1,60}[:%,])(?!\d{1,5}\b)[^\s\"'\\$|;&]{3,}"
)
_CURL_COOKIE = re.compile(
    r"(curl\b[^\n\x1c|;]{0,200}?[ \t](?:-b|--cookie)[ =][ \t]{0,3}\\{0,31}[\"']?)"
    r"(?=[\w.-]{1,60}=)[^\"'\\\n\x1c]{3,2000}"
)
_LONG_OPTION = re.compile(
    r"(?P<head>(?<![\w-])--?(?:[a-z]{1,20}-){0,3}(?P<name>passw(?:or)?d|passphrase|pass|pw|token"
    r"|api-?key|secret|secret-key"
    rf"|secret-access-key|access-key|client-secret)[ \t]{{1,3}}){_VALUE}"
)
_PIPED = re.compile(
    r"((?:echo|printf)[ \t]{1,3}(?:-[neE]{1,3}[ \t]{1,3})?(?P<q>\\{0,31}[\"']?))"
    r"(?P<bare>[^\s\"'|$<>`\\-][^\"'|$<>`\\\n\x1c]{0,200})"
    r"(?=(?P=q)(?:\\n)?[ \t]{0,3}\|[ \t]{0,3}(?:sudo[^\n\x1c|]{0,40}?"
    r" -S\b|chpasswd|passwd|kinit|cryptsetup|su\b"
    r"|[^\n\x1c|]{0,120}(?:--password-stdin|--stdin|--passphrase-fd)))"
)


def clean_contexts(text: str) -> str:
    """The text without the secrets that headers, cookies, URLs and command lines carry."""
    lowered = text.lower()
    if "authorization" in lowered or "bearer" in lowered:
        text = _BEARER.sub(_bearer, _HEADER.sub(_header, _PARAMETERS.sub(r"\1[AUTH]", text)))
    if "cookie" in lowered:
        text = _CURL_COOKIE.sub(r"\1[COOKIE]", _COOKIES.sub(r"\1[COOKIE]", text))
    if "s" in lowered and ("=" in text or ":" in text):
        text = _SESSION.sub(_session, text)
    if "=" in text or "%3" in text:
        text = _URL_VALUE.sub(_url_value, text)
        text = _QUERY.sub(_query, text)
    if "hook" in text or "api.telegram" in text:
        text = _HOOKS.sub(r"\1[TOKEN]", text)
    if "@" in text:
        text = _DSN.sub("[AUTH]", _ORACLE.sub(r"\1[SECRET]", _URL_LOGIN.sub(_login, text)))
    if "(" in text:
        text = _SETTER.sub(_setter, text)
    if "uth" in text:
        text = _AUTH_PAIR.sub(r"\1[SECRET]", text)
    if "login" in lowered or ":" in text:
        text = _PGPASS.sub(r"\1[SECRET]", _NETRC.sub(r"\1[USER]\2[SECRET]", text))
    if " by " in lowered or "password" in lowered:
        text = _SQL.sub(r"\1\2[SECRET]", text)
    return _commands(text)


def _commands(text: str) -> str:
    if "/add" in text:
        text = _NET_USER.sub(r"\1[SECRET]", text)
    for hint, pattern in _OPTIONS:
        if hint in text:
            text = pattern.sub(_option_value, text)
    if "-" in text:
        text = _LONG_OPTION.sub(_option_value, _CURL.sub(r"\1[AUTH]", text))
    return _PIPED.sub(r"\1[SECRET]", text) if "|" in text else text


def _header(match: re.Match[str]) -> str:
    head, scheme, gap, value, rest = match.groups()
    if scheme is None:
        if mixed(value, 8) and not placeholder(value):
            return f"{head}[AUTH]{rest}"
        return match.group()

    plain = value.isalpha() and (value.islower() or value.isupper())
    if plain or placeholder(value) or value[0] in "${(" or not any(map(str.isalnum, value)):
        return match.group()
    return f"{head}{scheme}{gap}[AUTH]{rest}"


def _bearer(match: re.Match[str]) -> str:
    return f"{match[1]}[AUTH]" if random_like(match[2], 12) or len(match[2]) > 60 else match.group()


def _setter(match: re.Match[str]) -> str:
    return f"{match[1]}[SECRET]" if is_secret("password", match[2], quoted=True) else match.group()


def _session(match: re.Match[str]) -> str:
    return f"{match[1]}[COOKIE]" if random_like(match[2], 12) else match.group()


def _login(match: re.Match[str]) -> str:
    """A login in a URL; the account under which every repository is fetched names nobody."""
    if match[2] in _NOBODY or placeholder(match[2]):
        return match.group()
    return f"{match[1]}[AUTH]"


def _query(match: re.Match[str]) -> str:
    return _QUERY_VALUE.sub(_query_value, match.group())


def _query_value(match: re.Match[str]) -> str:
    return f"{match[1]}[TOKEN]" if random_like(match[2], 16) else match.group()


def _url_value(match: re.Match[str]) -> str:
    value = match[3]
    if placeholder(value) or (match["weak"] is not None and not mixed(value, 8)):
        return match.group()
    return f"{match[1]}[TOKEN]"


def _option_value(match: re.Match[str]) -> str:
    value = match["quoted"] or match["bare"]
    quoted = match["q"] is not None
    name = match.groupdict().get("name")

    if name is None:
        harmless = placeholder(value)
    elif name.startswith(("pass", "pw")):
        harmless = (
            value.isupper()
            or begins_sentence(value)
            or not is_secret("password", value, quoted=quoted)
        )
    else:
        harmless = not (mixed(value, 8) and is_secret("key", value, quoted=True))

    return match.group() if harmless else f"{match['head']}{match['q'] or ''}[SECRET]"
