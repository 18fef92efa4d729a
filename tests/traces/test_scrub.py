"""Planted secrets go, look-alikes stay."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agingbench.errors import InputError
from agingbench.traces.scrub import Scrubber, scrub, scrub_json

SECRETS = [
    "alice.smith+news@example.co.uk", "bob_jones@mail.example.org", "+1 (415) 555-2671", "415-555-2671",
    "(415) 555-2671", "415.555.2671", "+44 20 7946 0958", "+14155552671", "+49 30 901820",
    "4111 1111 1111 1111", "4111111111111111", "5500-0000-0000-0004", "378282246310005", "3056 930902 5904",
    "123-45-6789", "192.168.1.100", "203.0.113.7", "10.0.0.5", "8.8.8.8", "2001:db8:0:0:8a2e:0:370:7334",
    "fe80::1ff:fe23",
    "2001:db8::8a2e:370:7334", "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AA",
    "sk-proj-abcdefghijklmnopqrstuvwx",
    "sk-abcdefghijklmnopqrstuvwxyz012345", "AKIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv",
    "glpat-abcdefghij0123456789", "xoxb-123456789012-abcdefghijkl", "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "hf_abcdefghijklmnopqrstuvwxyzABCDEF", "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "sk_live_abcdefghijklmnop1234", "SG.abcdefghijklmnopqrst.uvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abc",
    "gsk_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL", "lsv2_pt_abcdef0123456789abcdef0123456789_abcdef0123",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
]  # fmt: skip

# The secret stands inside something that stays.
INSIDE = [
    ("Authorization: Bearer abcdef1234567890abcdef", "abcdef1234567890abcdef"),
    ("https://api.example.com/v1?user=7&access_token=abcd1234efgh&x=1", "abcd1234efgh"),
    ("postgres://bob:hunter2@db.internal/x", "hunter2"),
    ("https://x.example.com/f?X-Amz-Signature=0123456789abcdef", "0123456789abcdef"),
    ("aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nq1w2e3\n-----END RSA PRIVATE KEY-----", "MIIEowIBAAKCAQEA"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk", "b3BlbnNzaC1rZXk"),
    ("/home/alice/work/x.py", "alice"),
    ("/Users/bob.j/x", "bob.j"),
    ("/mnt/home/alice/x", "alice"),
    ("file:///home/alice/x", "alice"),
    ("C:\\Users\\carol\\x", "carol"),
    ('"C:\\\\Users\\\\carol\\\\x"', "carol"),
    ("~/.claude/projects/-Users-dain-workspace-app/x.jsonl", "dain"),
    ("password=hunter22x", "hunter22x"),
    ("OPENAI_API_KEY='a1b2c3d4e5f6a7b8'", "a1b2c3d4e5f6a7b8"),
    ('{"client_secret": "q9w8e7r6t5y4u3i2"}', "q9w8e7r6t5y4u3i2"),
    ("ssh root@203.0.113.9", "203.0.113.9"),
    ("host=198.51.100.23 port=5432", "198.51.100.23"),
    ("curl http://198.51.100.24:8080/x", "198.51.100.24"),
    ("tel:+14155552671", "4155552671"),
    ("x-api-key: a1b2c3d4e5f6a7b8", "a1b2c3d4e5f6a7b8"),
    ('"x-api-key": "a1b2c3d4e5f6a7b8"', "a1b2c3d4e5f6a7b8"),
    ('"Authorization": "Basic dXNlcjpwYXNzd29yZA=="', "dXNlcjpwYXNzd29yZA"),
    ("AccountName=foo;AccountKey=abcdEFGH0123456789/+abcdEFGH==;EndpointSuffix=x", "abcdEFGH0123456789"),
    ("SharedAccessKey=abcdEFGH0123456789/+abcdEFGH=", "abcdEFGH0123456789"),
    ('"SecretAccessKey": "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"', "wJalrXUtnFEMIK7MDENG"),
    ("GITHUB_TOKEN=kDGcrGgVLBeweQCbkGT8kSfzOSrM", "kDGcrGgVLBeweQCbkGT8kSfzOSrM"),
    ('{"token": "6HQxDGJVdktPVT0JrwNVozJz"}', "6HQxDGJVdktPVT0JrwNVozJz"),
    ("password=hunter2", "hunter2"),
    ("PGPASSWORD=letmein psql", "letmein"),
    ("curl -s -u bob:S3cret123 https://x.example.com", "S3cret123"),
    ("https://hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/abcdefghijklmnopqrstuvwx", "abcdefghijklmnop"),
    (r"line\nghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcdefghijkl"),
    (r"line\nsk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "AbCdEfGhIjKl"),
    (r"line\neyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jV", "eyJzdWIiOiIx"),
    (r"line\tC:\\Users\\carol\\x", "carol"),
    (r"C:\Users\Carol Smith\x", "Smith"),
]

LOOK_ALIKES = [
    "version 1.2.3.4", "v2.10.0.15", "Chrome/120.0.0.0", "pkg==1.2.3.4", "foo-1.2.3.4.tar.gz", "2.1.0.4", "1.2.3",
    "2024-01-15", "2024-01-15T10:11:12.123Z", "12:30:45", "1700000000", "1700000000123", "1760000000.123",
    "12345678901234567890", "1234567890123456", "4111111111111112", "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef",
    "550e8400-e29b-41d4-a716-446655440000", "commit a1b2c3d", "127.0.0.1", "0.0.0.0", "std::vector", "a::b",
    "fn::deep::path",
    "max_tokens=100000000", "tokens: 12345678", "toolu_01AbCdEfGhIjKlMnOp", "msg_01AbCdEfGhIjKlMnOp", "file@2x.png",
    "user@host", "@decorator", "sk-learn", "task-12345678901234567890", "src/a.py:120:15", "node@18.2.0", "192.168.1",
    "id 123-456-789", "ISBN 978-3-16-148410-0", "@@ -1203,12 +1203,14 @@", "+1234 lines", "1,234,567.89", "/usr/home",
    "Users guide", "https://x.example.com/home/page", "/Users/Shared/x", "000-12-3456",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "def password(self):", "secret = load()", "api_key: str", "0x1f3a5b7c9d", "3.14159265358979", "999.999.999.999",
    "git@github.com:owner/repo.git", "sk-toggleable__content-toggleable-label", "password = make_password_v2()",
    "docker run -u 1000:1000 x", "token_count: 12345678901234567890", "next_token=parser.next_token_of_line2",
    "PASSWORD=$DB_PASSWORD",
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
def test_planted_secrets_are_gone(secret: str) -> None:
    for text in (secret, f"see {secret} now", f'{{"x": "{secret}"}}', f"({secret}),", f"x: {secret}\n"):
        assert secret not in scrub(text), text


@pytest.mark.parametrize(("text", "secret"), INSIDE)
def test_secrets_inside_something_are_gone(text: str, secret: str) -> None:
    assert secret not in scrub(f"before {text} after")
    assert scrub(f"before {text}").startswith("before ")


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_look_alikes_stay(text: str) -> None:
    assert scrub(f"see {text} now") == f"see {text} now"


def test_json_inside_a_string_stays_json() -> None:
    inner = json.dumps({"text": "first\njane@example.org\nsk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789\nlast"})
    assert json.loads(scrub(inner)) == {"text": "first\n[EMAIL]\n[KEY]\nlast"}


def test_names_and_values_of_json() -> None:
    given = {
        "password": "short",
        "alice@example.com": 1,
        "bob@example.com": [{"to": "/home/eve/x", "n": 3, "ok": None}],
    }
    clean = scrub_json(given)
    assert clean == {"password": "[SECRET]", "[EMAIL]": 1, "[EMAIL]#2": [{"to": "/home/[USER]/x", "n": 3, "ok": None}]}
    assert "alice@example.com" in given


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


words = st.text(st.characters(codec="utf-8"), max_size=30)
planted = st.sampled_from([*SECRETS, *(secret for _, secret in INSIDE if "@" in secret)])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(words, planted), max_size=5), words)
def test_no_planted_secret_survives_in_any_output(pairs: list[tuple[str, str]], end: str) -> None:
    """Between blanks, in any text, as text and as JSON; and scrubbing twice is scrubbing once."""
    text = " ".join(f"{before} {secret}" for before, secret in pairs) + f" {end}"
    clean = scrub(text)
    out = json.dumps(scrub_json({"text": text, "list": [text], text: 1}), ensure_ascii=False)
    for _, secret in pairs:
        assert secret not in clean
        assert secret not in out
    assert scrub(clean) == clean


HOSTILE = [
    "a", "a.", "1", "1-", "@", "a@", "-----BEGIN PRIVATE KEY-----", "://a:", "password:", "password=a", "f:", "2000:",
    "/home/", "+1 ", "1.1.1.", "eyJ", "eyJa-", "-eyJaaaaaaaaaaaaa.", "a_", "key=", "?a_token=", "sk-", "Bearer ",
    "4111 ",
    "-Users-", "SG.aaaaaaaaaaaaaaaaaaaa.", "aws_secret_access_key=", "\\", "a@a.", "[",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_repeated_beginnings_of_secrets(unit: str) -> None:
    """A long text of what looks like the start of a secret; a pattern with a square in it would not come back."""
    clean = scrub(unit * (100_000 // len(unit)))
    assert scrub(clean) == clean


def test_a_key_glued_to_something_else_goes_too() -> None:
    key = "sk-proj-" + "Ab1" * 12
    assert key[8:] not in scrub(f"1.0.15{key}")
    assert scrub("task-ant-colony-optimisation-of-routes") == "task-ant-colony-optimisation-of-routes"
