"""Keys and tokens that are known by their form alone, vendor by vendor.

The forms are greedy and end in a class that holds everything their prefix does, or have a fixed
length: nothing is tried twice, so the time is linear in the text.
"""

from __future__ import annotations

import re

# Text that is itself JSON writes a line break as \n: that n belongs to no word.
_START = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))"
_END = r"(?![A-Za-z0-9])"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

_MODELS = (
    r"sk-(?:ant|proj|svcacct|admin|or-v1|or|lf|helicone)-[A-Za-z0-9_-]{20,}",
    r"sk-(?=[a-z]{0,60}[A-Z0-9])[A-Za-z0-9]{20,}",
    r"pk-lf-[A-Za-z0-9-]{20,}",
    r"AIza[0-9A-Za-z_-]{30,}",
    r"AQ\.Ab[0-9A-Za-z_-]{30,}",
    r"gsk_[A-Za-z0-9]{20,}",
    r"xai-[A-Za-z0-9]{20,}",
    r"pplx-[A-Za-z0-9]{20,}",
    r"r8_[A-Za-z0-9]{20,}",
    r"(?:hf|api_org)_[A-Za-z0-9]{20,}",
    r"nvapi-[A-Za-z0-9_-]{20,}",
    r"tvly-[A-Za-z0-9_-]{20,}",
    r"lsv2_[a-z]{2}_[A-Za-z0-9_]{20,}",
    r"(?:csk|pa)-(?=[a-z]{0,60}[A-Z0-9])[A-Za-z0-9_]{36,}",
    r"fc-[0-9a-f]{32}" + _END,
    r"fw_(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{20,}",
    r"sk_[0-9a-f]{48}" + _END,
    r"key_[0-9a-f]{64}" + _END,
    r"jina_[A-Za-z0-9_-]{40,}",
    r"pcsk_[A-Za-z0-9_]{40,}",
    r"e2b_[0-9a-f]{40}" + _END,
    r"rpa_[A-Z0-9]{40,}",
    r"wandb_v1_[A-Za-z0-9_]{20,}",
    r"esecret_[A-Za-z0-9]{20,}",
)
_CLOUDS = (
    r"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|APKA)[0-9A-Z]{16}" + _END,
    r"ABSK[A-Za-z0-9+/]{80,}={0,2}",
    r"amzn\.mws\." + _UUID,
    r"ya29\.[0-9A-Za-z_-]{20,}",
    r"1//0[A-Za-z0-9_-]{36,}",
    r"GOCSPX-[A-Za-z0-9_-]{20,}",
    r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{60,}",
    r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,}",
    r"do[opr]_v1_[a-f0-9]{40,}",
    r"HRKU-[A-Za-z0-9_-]{30,}",
    r"f(?:m\d|o1)_[A-Za-z0-9_-]{40,}[A-Za-z0-9+/=_-]*",
    r"nfp_[A-Za-z0-9]{36,}",
    r"rnd_[A-Za-z0-9]{28,}",
    r"vc[kpiar]_[A-Za-z0-9]{24,}",
    r"sb(?:p_(?:v0_)?[a-f0-9]{40}|_secret_[A-Za-z0-9_-]{20,})",
    r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}",
    r"n(?:pg_(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{10,}|api_[a-z0-9]{40,})",
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{38,}",
    r"hv[sbr]\.[A-Za-z0-9_-]{20,}",
    r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}",
    r"pul-[0-9a-f]{40}" + _END,
    r"dapi[a-f0-9]{32}(?:-\d)?" + _END,
    r"dose?_v1_[a-f0-9]{40,}",
    r"LTAI[A-Za-z0-9]{12,30}" + _END,
    r"AKID[A-Za-z0-9]{32}" + _END,
    r"sha256~[A-Za-z0-9_-]{40,}",
    r"tskey-[a-z]{2,12}-[A-Za-z0-9-]{16,}",
    r"ops_eyJ[A-Za-z0-9+/=_-]{60,}",
    r"AGE-SECRET-KEY-1[0-9A-Z]{50,}",
)
_CODE = (
    r"gh[pousr]_[A-Za-z0-9]{20,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"gl(?:pat|sa|rt|dt|cbt|ptt|ft|soat|agent|oas|imt|ffct)[-_][A-Za-z0-9_-]{20,}",
    r"GR1348941[A-Za-z0-9_-]{20,}",
    r"AT(?:ATT3|CTT3|BB|TA)[A-Za-z0-9_=.-]{20,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"pypi-[A-Za-z0-9_-]{20,}",
    r"rubygems_[0-9a-f]{40,}",
    r"oy2[a-z0-9]{43}" + _END,
    r"dckr_[po]at_[A-Za-z0-9_-]{20,}",
    r"CLOJARS_[0-9a-f]{60}",
    r"AKCp[A-Za-z0-9]{60,}",
    r"CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,}_[0-9a-f]{40}",
    r"bku[at]_[a-z0-9]{40}",
    r"sq[pua]_[0-9a-f]{40}",
    r"glc_[A-Za-z0-9+/=]{32,}",
    r"NR(?:AK|JS|II|AA)-[A-Za-z0-9-]{20,}",
    r"sntry[su]_[A-Za-z0-9+/=_-]{40,}",
    r"dbt[cu]_[A-Za-z0-9_+/=-]{30,}",
    r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}",
    r"figd_[A-Za-z0-9_-]{20,}",
    r"lin_(?:api|oauth)_[A-Za-z0-9]{20,}",
    r"ntn_[A-Za-z0-9]{40,}",
    r"secret_[A-Za-z0-9]{43}" + _END,
    r"CFPAT-[A-Za-z0-9_-]{40,}",
    r"tfp_[A-Za-z0-9_.=-]{40,}",
    r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",
    r"sl\.[A-Za-z0-9_-]{100,}",
    r"[01]/\d{16}:[0-9a-f]{32}" + _END,
)
_MESSAGES = (
    r"xox[abcdeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}",
    r"x(?:app|wfp)-[A-Za-z0-9-]{10,}",
    r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    r"mfa\.[A-Za-z0-9_-]{60,}",
    r"\d{8,10}:AA[A-Za-z0-9_-]{33}",
    r"(?:AC|SK)[0-9a-f]{32}" + _END,
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"key-[0-9a-f]{32}" + _END,
    r"[0-9a-f]{32}-(?:us\d{1,2}|[0-9a-f]{8}-[0-9a-f]{8})" + _END,
    r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}",
    r"re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,}",
    r"A{20,40}[A-Za-z0-9]{3,60}%[0-9A-Fa-f]{2}[A-Za-z0-9%]{20,}",
    r"EAA[A-Za-z0-9]{80,}",
)
_PAYMENTS = (
    r"[srp]k_(?:live|test|prod)_[0-9A-Za-z]{16,}",
    r"whsec_[A-Za-z0-9+/=]{20,}",
    r"shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}" + _END,
    r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20,}",
    r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
    r"rzp_(?:live|test)_[A-Za-z0-9]{14,}",
    r"access-(?:sandbox|development|production)-" + _UUID,
    r"EZ[AT]K[A-Za-z0-9]{54}",
    r"pk_\d{5,10}_[A-Z0-9]{32}",
    r"[ps]k\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}",
)
# Private keys without the lines around them (PKCS 1 and 8, elliptic curves, OpenSSH), and hashed
# passwords.
_BODIES = (
    r"MII[A-Za-z0-9+/]{1,4}IBA[AD][A-Za-z0-9+/]{20,}={0,2}",
    r"(?:MHcCAQEEI|MHQCAQEEI|MIGHAgEAMBMGByqGSM49|MC4CAQAwBQYDK2Vw|b3BlbnNzaC1rZXktdj)[A-Za-z0-9+/]"
    r"{20,}={0,2}",
    r"\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|(?:1|5|6|apr1|y)\$[^\s$:\"'\\]{1,60}\$[^\s:\"'\\]{8,})",
    r"\$argon2(?:id|i|d)\$[^\s:\"'\\]{20,}",
)
_FORMS = re.compile(
    _START + "(?:" + "|".join((*_MODELS, *_CLOUDS, *_CODE, *_MESSAGES, *_PAYMENTS, *_BODIES)) + ")"
)
# So unlike anything else that they need no boundary in front: a key may be glued to a version or a
# name.
_GLUED = re.compile(
    r"sk-(?:ant|proj)-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{36,}"
    r"|github_pat_[A-Za-z0-9_]{40,}"
    r"|AIza[0-9A-Za-z_-]{35,}|xox[abprs]-\d[A-Za-z0-9-]{10,}|glpat-[A-Za-z0-9_-]{20,}"
)
_JWT = re.compile(
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%20))eyJ(?:[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}(?:\.["
    r"A-Za-z0-9_-]*){0,3}"
    r"|(?:hbGciOi|0eXAiOi|rIjoi|raWQiOi)[A-Za-z0-9_-]{10,})"
)
# The secret half of a pair stands beside the half that is known by its form.
_AWS_PAIR = re.compile(
    r"((?:AKIA|ASIA)[0-9A-Z]{16}[^A-Za-z0-9/+]{1,12})([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
)
_TWILIO_PAIR = re.compile(
    r"((?<![A-Za-z0-9])(?:AC|SK)[0-9a-f]{32}[^A-Za-z0-9]{1,12})([0-9a-f]{32})(?![A-Za-z0-9])"
)


def key_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each key that is known by its form, none within another."""
    spans: list[tuple[int, int]] = []
    matches = [m.span() for form in (_FORMS, _GLUED, _JWT) for m in form.finditer(text)]
    for start, end in sorted(matches):
        if not spans or start >= spans[-1][1]:
            spans.append((start, end))
    return spans


def clean_keys(text: str) -> str:
    """The text without the keys and tokens that are known by their form."""
    text = _TWILIO_PAIR.sub(r"\1[KEY]", _AWS_PAIR.sub(r"\1[KEY]", text))
    return _JWT.sub("[KEY]", _GLUED.sub("[KEY]", _FORMS.sub("[KEY]", text)))
