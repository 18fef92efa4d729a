"""Whether what stands after a name such as `password` is a secret, or code, prose, a type or a
placeholder.
"""

from __future__ import annotations

import re
from typing import Literal

Family = Literal["password", "key", "token", "variable"]

_KEY_WORDS = frozenset(
    """
    password passwords passwd passwort kennwort pwd pass pw psw passphrase passcode secret secrets
    key keys token tokens credential credentials cred creds apikey auth authorization bearer hash
    hashed cookie
    """.split()
)
# What a name is given in code, in a form or in a schema instead of a value.
_LITERALS = frozenset(
    """
    none null nil undefined true false yes no str string strings int integer number bool boolean
    bytes byte text any object char varchar secretstr optional required hidden masked redacted empty
    unset missing invalid incorrect wrong expired changed reset todo tbd input value values data
    user username body form args opts options settings config env ctx req res request state props
    process self this event prompt getpass encrypted plain plaintext raw file stdin vault field type
    name label placeholder readonly disabled enabled default const final static let var new await
    return lambda function async
    """.split()
)
# After a name or an option these words begin a sentence, not a password.
_SENTENCE = frozenset(
    """
    a an the is are was were be to of or and for if in on with from by as at it its not must can may
    should will would your my our their this that option options flag flags argument arguments
    parameter value instead file via using used required invalid incorrect wrong please enter field
    fields characters length match matches forgot reset when where which who but has have had does
    did cannot too only also then else set unset least most more less than e.g need needs missing
    prompt
    """.split()
)
_IDENTIFIER = re.compile(r"[*&@!]?[A-Za-z_]\w*(?:(?:\.|\?\.|::|->)[A-Za-z_]\w*)*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|\?\.|::|->)[A-Za-z_]\w*)+")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TEMPLATE = re.compile(
    r"\$\w+|\$?\{[^{}]*\}|\{\{.*|\$\(.*|<[^<>]*>?|%\w+%?|%\([\w.]+\)s?|#\{.*|\[[^\[\]]*\]?|@\w+@"
    r"|![A-Za-z]\w*|&\w+"
)
_INSIDE_TEMPLATE = re.compile(
    r"\$?\{[\w.()\[\]'\" :!-]*\}|\$\(|\{\{|%s\b|%\(|\$[A-Z_]{3,}|<[a-z][\w -]*>"
)
_MASK = re.compile(
    r"(.)\1{2,}|[*xX.•_-]+"
    r"|.{0,16}(?:\*{3,}|x{4,}|X{4,}|\.{3}|…|REDACTED).{0,24}"
)
_ENVIRONMENT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_PLACEHOLDER = re.compile(
    r"(?i)(?:your|enter|insert|replace|change|put|add|new|old|current|confirm|repeat|use|some)[_"
    r" -].*"
)
_ROOTED = re.compile(r"(?i)(?:[~.]{0,2}/|[a-z]:[\\/]|https?://|file:).*")
_FILE = re.compile(
    r"(?i)(?:[~.]{0,2}/|[a-z]:[\\/]|https?://|file:).*"
    r"|.*\.(?:pem|key|crt|ppk|p12|json|txt|ya?ml|env|toml|py|[jt]sx?|jsonl|csv|log|md|sh|html)"
)
_UUID = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ALGORITHM = re.compile(
    r"(?i)(?:sha|md|utf|base|aes|rsa|des|v|bcrypt|scrypt|argon|oauth|x)-?\d+\w*|\d+[a-z]{0,5}"
)
_TAG = re.compile(r"\[[A-Z_]{2,12}\]")
_SNAKE = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)+")
_WORD_LIKE = re.compile(r"[A-Za-z]+(?:[_.-][A-Za-z]+)*")
# Words with a number behind them now and then; or a time.
_NAME = re.compile(r"[A-Za-z]+\d{0,3}(?:[_.:/-]+(?:[A-Za-z]+\d{0,3}|\d{1,4}))*|\d{4}-\d\d-\d\d.*")
_TOKEN_LIKE = re.compile(r"[A-Za-z0-9_+/=.~:%-]+")


def words_of(name: str) -> list[str]:
    """The words that an identifier is made of, in lower case."""
    return [word.lower() for word in _WORDS.findall(name)]


def placeholder(value: str) -> bool:
    """A variable, a template, a mask, the name of an environment variable, or what was scrubbed
    already.
    """
    if _TAG.match(value) or _MASK.fullmatch(value):
        return True
    return bool(
        _TEMPLATE.fullmatch(value) or _ENVIRONMENT.fullmatch(value) or _PLACEHOLDER.fullmatch(value)
    )


def mixed(value: str, least: int) -> bool:
    """Letters and digits together, long enough to be made by a machine or a careful person."""
    return len(value) >= least and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _a_file(value: str) -> bool:
    """A path or an address; a secret in front of a path is none."""
    first = value.partition("/")[0]
    return _FILE.fullmatch(value) is not None and not (
        len(first) < len(value) and mixed(first, 8) and ":" not in first
    )


def random_like(value: str, least: int = 16) -> bool:
    """Long and mixed, no UUID, date or identifier: what a machine makes for a cookie or a key."""
    if not mixed(value, least) or _UUID.fullmatch(value) or not _TOKEN_LIKE.fullmatch(value):
        return False
    if _a_file(value) or placeholder(value):
        return False
    return not _NAME.fullmatch(value)


def sentence(value: str) -> bool:
    """A message about a password rather than one."""
    words = re.findall(r"[a-zä-ÿ.]+", value.lower())
    return any(word in _SENTENCE or word in _KEY_WORDS for word in words) or len(words) > 8


# Words of messages and rules about passwords; other short words may well be part of one.
_MESSAGE = frozenset(
    """
    must should cannot can't required requires invalid incorrect wrong please enter field fields
    character characters length match matches mismatch forgot forgotten reset missing expired
    changed too short long least most than allowed expected empty blank optional default not don't
    updated created saved hashed stored encrypted protected unset sent hidden contain contains
    containing digit digits letter letters symbol symbols uppercase lowercase error failed denied
    accepted rejected verified unknown same different confirm repeat type choose pick use used using
    needs your authentication login username account email manager vault prompt policy protection
    strength is be are was were
    """.split()
)
_MOST_WORDS = 10


def is_message(value: str) -> bool:
    """A message or a rule about a password rather than words that are one."""
    words = re.findall(r"[a-zà-ÿ']+", value.lower())
    known = any(word in _MESSAGE or word in _KEY_WORDS for word in words)
    return known or len(words) > _MOST_WORDS or value.rstrip()[-1:] in ("?", "…")


def begins_sentence(word: str) -> bool:
    """A word that goes on with a sentence: `--password is read from the terminal`."""
    return word.lower().rstrip(".,:") in _SENTENCE


def is_secret(
    family: Family,
    value: str,
    *,
    quoted: bool,
    after: str = "",
    spoken: bool = False,
    sure: bool = False,
) -> bool:
    """Whether `value` is the secret that a name of this family announces.

    `after` is what follows it in the text; `spoken` says that the name was followed by a blank or a
    verb, as in prose; `sure` that the name leaves no doubt.
    """
    if not value or placeholder(value) or value.lower() in _LITERALS:
        return False
    if family == "password":
        return _password(value, quoted, after, spoken, sure)
    if family == "key":
        return _key(value, quoted, after, spoken, sure)
    if not quoted and after[:1] in ("(", "[", "."):
        return False
    if family == "token":
        return random_like(value, 16)
    return random_like(value, 20)


def _password(
    value: str,
    quoted: bool,
    after: str,
    spoken: bool,
    sure: bool,
) -> bool:
    if spoken and (not mixed(value, 6) or _ALGORITHM.fullmatch(value)):
        return False

    if quoted:
        if any(map(str.isspace, value)):
            return not is_message(value) and not _INSIDE_TEMPLATE.search(value)

        file = _FILE.fullmatch(value) and value.count("/") > 1
        return (
            len(value) > 2
            and value.lower() not in _KEY_WORDS
            and not file
            and not _INSIDE_TEMPLATE.search(value)
        )

    if len(value) < 4 or _code(value, after) or _ROOTED.fullmatch(value):
        return False
    if value.isalpha():
        return not _goes_on(value, after)
    if not sure and _SNAKE.fullmatch(value):
        return False
    return not (value.isdigit() and _goes_on(value, after))


def _key(
    value: str,
    quoted: bool,
    after: str,
    spoken: bool,
    sure: bool,
) -> bool:
    if any(map(str.isspace, value)) or _INSIDE_TEMPLATE.search(value):
        return False
    if _a_file(value) and not (len(value) == 40 and "." not in value):
        return False
    if not quoted and _code(value, after):
        return False

    if quoted and not spoken:
        if _WORD_LIKE.fullmatch(value):  # letters alone: one long word, no compound of plain ones
            plain = value.islower() or value.istitle() or value.isupper()
            return (
                len(value) >= 12
                and value.isalpha()
                and not (plain and set(words_of(value)) & _KEY_WORDS)
            )

        return len(value) >= 6

    return mixed(value, 16 if spoken else 6) or (sure and len(value) >= 8)


def _code(value: str, after: str) -> bool:
    """An expression: a call, an index, an attribute, a variable whose name says what it holds."""
    if not _IDENTIFIER.fullmatch(value):
        return False
    if after[:1] in ("(", "[", "<", ".") or after[:2] in ("?.", "::", "->"):
        return True
    if _DOTTED.fullmatch(value):
        return True
    return bool(set(words_of(value)) & _KEY_WORDS) or value[0] in "*&@"


def _goes_on(value: str, after: str) -> bool:
    """Whether the text goes on as a sentence would."""
    following = re.match(r"[ \t]+([A-Za-z][a-z']*)\b(?![=:(])|[,.]? [a-z]+ [a-z]+", after)
    return value.lower() in _SENTENCE or following is not None
