"""Personal data: e-mail addresses, phone, card, account and social security numbers."""

from __future__ import annotations

import re

_ESCAPED = r"\\{1,16}u[0-9a-fA-F]{4}"  # a letter as JSON may write it
_AT = r"(?:@|%40|\\u0040|&#64;)"
# Unicode letters are letters here too; the sign after a backslash is an escape, not the first
# letter of a name.
_EMAIL = re.compile(
    r"(?!(?<=\\)[nrtu])(?:(?<=%3[AaCc])|(?<![\w.%+-])|(?<=\\[nrt]))"
    rf"(?:(?!%3[aAcC]|%40)[\w.%+'-]|{_ESCAPED}){{1,64}}{_AT}(?!\d{{1,4}}x\.)"
    rf"(?:(?:[^\W_]|{_ESCAPED})(?:[\w-]|{_ESCAPED}){{0,63}}\.){{1,6}}"
    rf"(?P<top>xn--[a-z0-9-]{{2,59}}|(?:[^\W\d_]|{_ESCAPED}){{2,24}})(?![\w(])"
)
_NO_TOPS = frozenset(
    """
    png jpg jpeg svg gif webp js ts tsx jsx css scss html json jsonl yaml yml txt toml lock log xml
    csv service socket timer target slice mount device scope path swap exe dll tar gz whl
    """.split()
)
_SSN = re.compile(r"(?<![\w.-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_NAMED_SSN = re.compile(
    r"(?i)(\b(?:ssn|social security(?: (?:number|no\.?))?)\\{0,31}[\"']?[ \t]{0,3}[:=#]?["
    r" \t]{0,3}(?:is )?"
    r"\\{0,31}[\"']?)\d{3}[ -]?\d{2}[ -]?\d{4}(?!\d)"
)
_CARD = re.compile(
    r"(?<![\w.-])(?:(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|6(?:011|4[4-9]\d|5\d{2}|2\d{2})|35[2-8]\d)"
    r"([ -]?)\d{4}\1\d{4}\1\d{4}"
    r"|3[47]\d{2}([ -]?)\d{6}\2\d{5}|3(?:0[0-5]|[689]\d)\d([ -]?)\d{6}\3\d{4})(?![\w-]|\.\d)"
)
_IBAN = re.compile(
    r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
)
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LI": 21, "LT": 20, "LU": 20, "LV": 21,
    "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15,
    "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "XK": 20,
}  # fmt: skip
# Digits after the country code, fewest and most; other codes of three digits take 6 to 10.
_COUNTRIES = {
    "1": (10, 10), "7": (10, 10), "20": (8, 10), "27": (9, 9), "30": (10, 10), "31": (9, 9),
    "32": (8, 9), "33": (9, 9), "34": (9, 9), "36": (8, 9), "39": (8, 11), "40": (9, 9),
    "41": (9, 9), "43": (7, 12), "44": (9, 10), "45": (8, 8), "46": (7, 10), "47": (8, 8),
    "48": (9, 9), "49": (7, 11), "51": (8, 9), "52": (10, 10), "53": (8, 8), "54": (10, 11),
    "55": (10, 11), "56": (9, 9), "57": (10, 10), "58": (10, 10), "60": (8, 10), "61": (9, 9),
    "62": (8, 12), "63": (10, 10), "64": (8, 10), "65": (8, 8), "66": (8, 9), "81": (9, 10),
    "82": (8, 10), "84": (9, 10), "86": (10, 11), "90": (10, 10), "91": (10, 10), "92": (9, 10),
    "93": (9, 9), "94": (9, 9), "95": (7, 10), "98": (10, 10),
}  # fmt: skip
_THREE_DIGITS = re.compile(r"2[1-69]|3[578]|42|5[09]|6[789]|8[0578]|9[679]")
_INTERNATIONAL = re.compile(
    r"(?<![\w+#.-])(?:\(\+[1-9]\d{0,2}\)|(?:\+|00(?=[1-9]\d\d?[ ./-]))[1-9]\d{0,14})"
    r"(?:(?:[ .-]|[ ]?/[ ]?)?\(\d{1,4}\))?(?:[ ./-]?\d{1,5}){0,6}"
    r"(?![\w-]|\.\d)"
)
_NATIONAL = re.compile(
    r"(?<![\w+./#-])(?:(?:1[ .-])?\(\d{3}\)[ .-]?\d{3}[ .-]\d{4}|(?:1[ .-])?[2-9]\d{2}(["
    r" .-])[2-9]\d{2}\1\d{4}"
    r"|\(0[1-9]\d{1,4}\)[ .-]?\d{3,5}[ -]?\d{3,5}|(?!\d{5}-\d{4}\b)0[1-9]\d{1,4}[ ]?[/-]["
    r" ]?\d{3,8}(?:[ -]\d{2,5})?"
    r"|0[1-9]\d{1,3} \d{3,4} \d{3,4}|0[1-9]\d{3} \d{6}|0[1-9]\d{1,2} \d{7,8}"
    r"|0[1-9]([ .-])\d{2}\2\d{2}\2\d{2}\2\d{2}(?!\2[0-9a-fA-F]{2}\b))(?![\w-]|\.\d)"
)
_NAMED_PHONE = re.compile(
    r"(?i)((?<![a-z])(?:tele)?(?:phone|fax|mobile|whatsapp|tel|telefon|handy)(?:["
    r" _-]?(?:number|num|no|nr))?"
    r"\\{0,31}[\"']?\.?[ \t]{0,3}[:=#]{1,2}[ \t]{0,3}\\{0,31}[\"']?)(\+?\(?\d[\d"
    r" ().\-/]{5,20}\d)(?![\w-])"
)
_AUTHOR = re.compile(
    r"(?im)((?:^|\\n|[\"'(`\s])(?:(?:co-)?authored-by|signed-off-by|reviewed-by|acked-by|author"
    r"|committer|tagger|from"
    r"|reply-to):[ \t]{1,4})"
    r"(?![\[\s])[^\n<>\\\"]{2,60}?(?=[ \t]{0,2}<\[EMAIL\])"
)
# The comment of a public key, by default the user and the machine that made it.
_SSH_KEY = (
    r"(?:sk-)?(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3})(?:@openssh\.com)?[ \t]{1,3}"
    r"AAAA[A-Za-z0-9+/]{60,4000}={0,3}[ \t]{1,3}"
)
# Behind a key on a line of its own all is comment; within other text, what names a machine.
_SSH_COMMENT = re.compile(
    rf"(?m)((?:^|(?<=[\x1c-\x1f\"'`=]))[ \t]{{0,8}}{_SSH_KEY})"
    r"(?!\[)[^\s\"'`\\<>][^\n\x1c\"'`\\<>]{0,200}"
    rf"|((?<![\w-]){_SSH_KEY})[^\s\"'`\\<>@\[]{{1,64}}@[\w.-]{{1,100}}"
)
_FINGERPRINT = re.compile(
    r"((?<!\w)\d{3,5} (?:SHA256:[A-Za-z0-9+/]{43}=?|MD5:[0-9a-f:]{47}) )(?!\[)[^\n\x1c\"\\]{1,200}?"
    r"(?= \((?:RSA|DSA|ECDSA|ED25519)(?:-SK)?\))"
)
_KEYGEN = re.compile(
    r"(ssh-keygen\b[^\n\x1c|;]{0,160}?[ \t]-C[ \t]{1,3}\\{0,31}[\"']?)(?!\[|\$)[^\s\"'\\|;]{2,200}"
)


def clean_personal(text: str) -> str:
    """The text without personal data."""
    if "AAAA" in text:
        text = _SSH_COMMENT.sub(lambda m: f"{m[1] or m[2]}[COMMENT]", text)
    if "SHA256:" in text or "MD5:" in text:
        text = _FINGERPRINT.sub(r"\1[COMMENT]", text)
    if "ssh-keygen" in text:
        text = _KEYGEN.sub(r"\1[COMMENT]", text)
    if "@" in text or "%40" in text or "0040" in text or "&#64;" in text:
        text = _EMAIL.sub(_email, text)
        if "<[EMAIL]" in text:
            text = _AUTHOR.sub(r"\1[NAME]", text)

    text = _NAMED_SSN.sub(r"\1[SSN]", _SSN.sub("[SSN]", text))
    text = _IBAN.sub(_iban, _CARD.sub(_card, text))
    text = _NAMED_PHONE.sub(_named_phone, text)
    return _NATIONAL.sub(_national, _INTERNATIONAL.sub(_international, text))


def _email(match: re.Match[str]) -> str:
    """An address of a person; git@host is how every repository is fetched over ssh and names
    nobody.
    """
    top = match["top"]
    if "\\" in top:
        return "[EMAIL]"

    a_file = top.lower() in _NO_TOPS or not (top.islower() or top.isupper() or not top.isascii())
    a_file |= top == "md" and match.group().removesuffix(".md").rpartition("@")[2].isupper()
    return match.group() if a_file or match.group().lower().startswith("git@") else "[EMAIL]"


def _card(match: re.Match[str]) -> str:
    digits = [int(sign) for sign in match.group() if sign.isdigit()]
    doubled = [2 * digit - 9 if digit > 4 else 2 * digit for digit in digits[-2::-2]]
    valid = (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1
    return "[CARD]" if valid else match.group()


def _iban(match: re.Match[str]) -> str:
    bare = match.group().replace(" ", "")
    length = _IBAN_LENGTHS.get(bare[:2])
    if length is None or len(bare) < length:
        return match.group()

    # What follows in capitals may have been read along with it.
    places = [n for n, sign in enumerate(match.group(), 1) if sign != " "]
    bare = bare[:length]
    rest = match.group()[places[length - 1] :]
    if rest and rest[0] != " ":
        return match.group()

    number = "".join(str(int(sign, 36)) for sign in bare[4:] + bare[:4])
    return f"[IBAN]{rest}" if int(number) % 97 == 1 else match.group()


def _international(match: re.Match[str]) -> str:
    """A number that the country it names could give out; offsets and added lines of a diff are
    none.
    """
    text = match.group()
    rest = ""
    while not _could_be_dialled(text):
        cut = max(text.rfind(sign) for sign in " ./-")  # the last group may belong to what follows
        if cut < 5:
            return match.group()
        text, rest = text[:cut], text[cut:] + rest

    return f"[PHONE]{rest}"


def _could_be_dialled(text: str) -> bool:
    digits = re.sub(r"\D", "", re.sub(r"\(0\)", "", text))
    digits = digits[2:] if text.startswith("00") else digits
    code = next((digits[:n] for n in (1, 2) if digits[:n] in _COUNTRIES), None)
    if code is None and _THREE_DIGITS.match(digits):
        code = digits[:3]
    if code is None:
        return False

    least, most = _COUNTRIES.get(code, (6 if re.search(r"[ ./-]", text) else 7, 10))
    number = digits[len(code) :]
    if not least <= len(number) <= most:
        return False
    return code != "1" or not (number[0] in "01" or number[3] in "01")


def _national(match: re.Match[str]) -> str:
    digits = sum(map(str.isdigit, match.group()))
    before = match.string[max(0, match.start() - 4) : match.start()]
    in_a_dump = match[2] and re.search(r"(?<![A-Za-z0-9])[0-9a-fA-F]{2}[ .-]$", before)
    return "[PHONE]" if 9 <= digits <= 13 and not in_a_dump else match.group()


def _named_phone(match: re.Match[str]) -> str:
    return f"{match[1]}[PHONE]" if 7 <= sum(map(str.isdigit, match[2])) <= 15 else match.group()
