"""Planted secrets go, look-alikes stay; scrubbing twice is scrubbing once; hostile text costs what
any text costs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.errors import InputError
from agingbench.traces.scrub.keys import clean_keys
from agingbench.traces.scrub.scrubber import Scrubber, scrub, scrub_json
from tests.batches import batches
from tests.traces.look_alikes import LOOK_ALIKES
from tests.traces.secrets_corpus import ALNUM, URL, Planted, keys, noise, planted

PLANTED = planted()
KEYS = keys()
AROUND = [
    "{}",
    "see {} now",
    '{{"x": "{}"}}',
    "({}),",
    "x: {}\n",
    "first\n{}\nlast",
    "`{}`",
    "- {}",
]


def test_the_corpus_is_large_and_holds_no_literal_key() -> None:
    assert len({p.kind for p in PLANTED}) > 300
    assert len(set(LOOK_ALIKES)) > 230
    for name in ("secrets_corpus.py", "look_alikes.py", "test_scrub.py"):
        source = (Path(__file__).parent / name).read_text()
        assert clean_keys(source) == source, name


@pytest.mark.parametrize("secrets", batches(PLANTED))
def test_planted_secrets_are_gone(secrets: Sequence[Planted]) -> None:
    for one in secrets:
        for around in AROUND:
            text = around.format(one.text)
            clean = scrub(text)
            assert one.secret not in clean, (one.kind, text)
            assert scrub(clean) == clean, one.kind


@pytest.mark.parametrize("secrets", batches(PLANTED))
def test_json_that_holds_a_secret_stays_json_without_it(secrets: Sequence[Planted]) -> None:
    """A transcript is JSON, and a tool result in it is often JSON again."""
    for one in secrets:
        inner = json.dumps({"stdout": f"first line\n{one.text}\nlast line", "n": 1})
        for text in (inner, json.dumps({"content": inner})):
            clean = scrub(text)
            json.loads(clean)
            assert one.secret not in clean, one.kind
            assert json.dumps(one.secret, ensure_ascii=True)[1:-1] not in clean, one.kind
            assert "last line" in clean, one.kind


@pytest.mark.parametrize("texts", batches(LOOK_ALIKES))
def test_look_alikes_stay(texts: Sequence[str]) -> None:
    for text in texts:
        for around in ("{}", "see {} now", "x\n{}\ny", "({}),"):
            assert scrub(around.replace("{}", text)) == around.replace("{}", text)


def test_json_inside_a_string_stays_json() -> None:
    inner = json.dumps({"text": f"first\njane@example.org\n{KEYS['anthropic']}\nlast"})
    assert json.loads(scrub(inner)) == {"text": "first\n[EMAIL]\n[KEY]\nlast"}


def test_names_and_values_of_json() -> None:
    given = {
        "password": "short",
        "alice@example.com": 1,
        "bob@example.com": [{"to": "/home/eve/x", "n": 3, "ok": None}],
    }
    clean = scrub_json(given)
    assert clean == {
        "password": "[SECRET]",
        "[EMAIL]": 1,
        "[EMAIL]#2": [{"to": "/home/[USER]/x", "n": 3, "ok": None}],
    }
    assert "alice@example.com" in given


@pytest.mark.parametrize(
    "value",
    [
        {"dbPassword": "x"},
        {"pass": "x"},
        {"client_secret": "x"},
        {"apiKey": "x"},
        {"X-Api-Key": "x"},
        {"Authorization": "x"},
        {"headers": [["Cookie", "a=x"], ["Proxy-Authorization", "x"]]},
        {"Set-Cookie": ["a=x"]},
        {"env": [{"name": "DB_PASSWORD", "value": "x"}, {"key": "API_TOKEN_SECRET", "value": "x"}]},
        {"auths": {"docker": {"auth": "x" * 20 + "1=="}}},
        {"passwords": ["x", "x"]},
        {"private_key_id": "x"},
        {"db": {"auth": {"passwd": "x"}}},
        {"session_token": "x"},
        {"GITHUB_TOKEN": "x1" * 10},
        {"pwd": "x-secret"},
    ],
)
def test_a_name_hides_its_string(value: Any) -> None:
    assert "x" not in json.dumps(scrub_json(value)).lower().replace("x-api", "").replace(
        "proxy", ""
    )


@pytest.mark.parametrize(
    "value",
    [
        {"token": "the", "tokens": 5, "token_count": "7", "max_tokens": "100"},
        {"pwd": "/srv/app"},
        {"key": "value"},
        {"secretName": "db"},
        {"api_key_env": "SOME_API_KEY"},
        {"cookie": "chocolate"},
        {"passed": "yes"},
        {"auth": "basic"},
        {"compass": "north", "bypass": "x"},
        {"pair": ["a", "b"]},
        {"name": "PORT", "value": "80"},
        {"password": None},
        {"password": {"type": "string"}},
        {"pass": 12, "fail": 3},
        {"primary_key": "id"},
        {"password": ""},
    ],
)
def test_other_names_hide_nothing(value: Any) -> None:
    assert scrub_json(value) == value


def test_a_number_as_a_password() -> None:
    assert scrub_json({"password": 123456, "n": 123456}) == {"password": "[SECRET]", "n": 123456}


def test_deep_json_does_not_recurse_for_ever() -> None:
    deep: Any = "alice@example.com"
    for _ in range(5000):
        deep = [deep]
    shallow = scrub_json(deep)
    for _ in range(150):
        shallow = shallow[0]
    assert "alice" not in repr(shallow)


def test_patterns_of_a_profile() -> None:
    own = Scrubber([{"pattern": r"TICKET-\d+", "replacement": r"[T\1]"}, {"pattern": "zebra"}])
    assert own.text("TICKET-12 zebra alice@example.com") == r"[T\1] [PRIVATE] [EMAIL]"
    assert own.json({"a": ["TICKET-1"]}) == {"a": [r"[T\1]"]}
    with pytest.raises(InputError, match="privacy pattern"):
        Scrubber([{"pattern": "("}])
    with pytest.raises(InputError, match="privacy pattern"):
        Scrubber([{"replacement": "x"}])


def test_what_surrounds_a_key_block_stays() -> None:
    block = next(p for p in PLANTED if p.kind == "private key escaped cut off")
    assert (
        scrub(f"before {block.text}\nand a sentence after it")
        == "before x [PRIVATE_KEY]\nand a sentence after it"
    )
    named = 'start, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"'
    assert scrub(named) == named


def test_a_key_glued_to_something_else_goes_too() -> None:
    key = "-".join(["sk", "proj", "Ab1" * 12])
    assert key[8:] not in scrub(f"1.0.15{key}")
    assert key[8:] not in scrub(f"-{key}\n+other")  # a line that a diff takes away
    assert (
        scrub("task-ant-colony-optimisation-of-routes") == "task-ant-colony-optimisation-of-routes"
    )


words = st.text(st.characters(codec="utf-8"), max_size=30)


@settings(deadline=None)
@given(st.lists(st.tuples(words, st.sampled_from(sorted(KEYS))), max_size=5), words)
def test_no_key_survives_between_blanks_in_any_text(pairs: list[tuple[str, str]], end: str) -> None:
    """As text and as JSON, as a value, in a list and as a name; and scrubbing twice is scrubbing
    once.
    """
    text = " ".join(f"{before} {KEYS[kind]}" for before, kind in pairs) + f" {end}"
    clean = scrub(text)
    out = json.dumps(scrub_json({"text": text, "list": [text], text: 1}), ensure_ascii=False)
    for _, kind in pairs:
        assert KEYS[kind] not in clean
        assert KEYS[kind] not in out
    assert scrub(clean) == clean


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([*(p.text for p in PLANTED), *LOOK_ALIKES]), max_size=6),
    st.sampled_from(["", " ", "\n", "\\n", '"', ","]),
)
def test_scrubbing_twice_is_scrubbing_once(texts: list[str], between: str) -> None:
    once = scrub(between.join(texts))
    assert scrub(once) == once


@settings(max_examples=60, deadline=None)
@given(st.text(f"{ALNUM[:3]}{URL[-2:]}:=@./\\\"'+ \n0123456789[]", max_size=200))
def test_any_text_is_scrubbed_once(text: str) -> None:
    assert scrub(scrub(text)) == scrub(text)


HOSTILE = [
    "a", "a.", "1", "1-", "@", "a@", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "://a:",
    "password:", "password=a", "password='", "password is ", "f:", "2000:", "::", "/home/", "~a/", "C:\\Users\\",
    "+1 ", "+1(", "01 ", "1.1.1.", "eyJ", "eyJa-", "-eyJaaaaaaaaaaaaa.", "a_", "key=", "?a_token=", "sk-",
    "Bearer ", "4111 ", "-Users-", "SG.aaaaaaaaaaaaaaaaaaaa.", "aws_secret_access_key=", "\\", "a@a.", "[", "A",
    "DE12 ABCD ", "mysql -p ", "curl -u ", "openssl -pass ", "htpasswd -b ", "docker a login ", "Cookie: a=",
    "authorization: digest a=", "echo a | ", "x:y@tcp(", "machine a login ", "name=token,value=",
    "seed phrase abc ", "Author: a", "drwxr-xr-x 1 a ", "$6$", "a,", "--a-b-c-", "é@", "%40",
    "aaaaaaaaaaaaaa.atlasv1.", "Maaaaaaaaaaaaaaaaaaaaaaaaa.", "user:x:1:1:", "aB1\n-----END PRIVATE KEY-----",
    '\\"password\\": \\"', "-----BEGIN PRIVATE KEY-----\nAb1",
    "password for a ", "passphrase: ab ", "%41", "QUFB", "ssh-rsa AAAA", "COPY a (b) FROM stdin;\n1\n",
    "https://a?b=c&", 'the password is "',
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_repeated_beginnings_of_secrets(unit: str) -> None:
    """A long text of what looks like the start of a secret; a pattern with a square in it would not
    come back.
    """
    clean = scrub(unit * (10_000 // len(unit)))
    assert scrub(clean) == clean


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_a_megabyte_of_beginnings(unit: str) -> None:
    clean = scrub(unit * (1_000_000 // len(unit)))
    assert scrub(clean) == clean


def test_noise_is_the_same_every_time() -> None:
    assert noise("a", 12) == noise("a", 12) != noise("b", 12)
