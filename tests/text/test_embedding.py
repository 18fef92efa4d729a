"""The sentence encoder (extra `embed`) and the guard on numbers, names, negation and direction."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
from typing import NoReturn

import numpy as np
import pytest

from agingbench.errors import InputError, MissingExtra
from agingbench.text import embedding
from agingbench.text.embedding import available, difference, load_encoder, marks, same_figures

needs_encoder = pytest.mark.skipif(not available(), reason="the extra `embed` is not installed")


@needs_encoder
def test_vectors_are_unit_rows_and_do_not_depend_on_their_neighbours() -> None:
    encoder = load_encoder()
    texts = ["Use Redis for the cache.", "a", "x" * 5000, "Deploy on Friday. " * 500]
    vectors = encoder.encode(texts)
    assert vectors.shape == (4, 256)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(vectors[0], encoder.encode([texts[0]])[0])


@needs_encoder
def test_vectors_agree_with_the_package_itself() -> None:
    import wordllama  # the package's own pooling is the independent computation

    own = wordllama.WordLlama.load(cache_dir=wordllama.__path__[0], disable_download=True)
    texts = ["The patch is not yet written.", "Nous avons gardé PostgreSQL."]
    np.testing.assert_allclose(load_encoder().encode(texts), own.embed(texts, norm=True), atol=1e-5)


@needs_encoder
def test_a_text_without_a_token_is_the_zero_vector_and_never_nan() -> None:
    vectors = load_encoder().encode(["", "word"])
    assert not vectors[0].any()
    assert np.isfinite(vectors).all()
    assert load_encoder().encode([]).shape == (0, 256)


@needs_encoder
def test_a_paraphrase_is_nearer_than_another_sentence() -> None:
    same, again, other = load_encoder().encode(
        [
            "We keep user sessions in Redis.",
            "Login state of users is stored in Redis.",
            "The invoice template got a larger font.",
        ]
    )
    assert same @ again > same @ other + 0.2


@needs_encoder
def test_loading_leaves_the_root_logger_alone_and_asks_no_network() -> None:
    script = (
        "import logging, socket\n"
        "def refuse(*a, **k): raise AssertionError('network')\n"
        "socket.socket.connect = refuse; socket.getaddrinfo = refuse\n"
        "from agingbench.text.embedding import load_encoder\n"
        "e = load_encoder(); e.encode(['hello'])\n"
        "root = logging.getLogger(); print(root.handlers, root.level, e.name)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout.split("\n")[0] == f"[] {logging.WARNING} wordllama/l2_supercat_256", (
        done.stderr
    )


@needs_encoder
def test_the_encoder_is_loaded_once_and_names_its_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(embedding, "_encoder", None)
    first = load_encoder()
    assert load_encoder() is first
    assert len(first.weights) == 64
    int(first.weights, 16)


def test_without_the_package_the_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_encoder", None)
    monkeypatch.setattr(embedding, "PACKAGE", "no_such_package_here")
    with pytest.raises(MissingExtra, match=r"pip install 'agingbench\[embed\]'"):
        load_encoder()


def test_a_broken_package_is_an_input_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_encoder", None)
    monkeypatch.setattr(embedding, "PACKAGE", "json")  # importable, and not an encoder
    with pytest.raises(InputError, match="cannot be used"):
        load_encoder()


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("the budget is $309", "the budget is $450", "numbers"),
        ("wait 5 minutes", "wait 5 hours", "numbers"),
        ("call Dr. Smith today", "call Dr. Smyth today", "names"),
        ("fix src/app.py", "fix src/api.py", "names"),
        ("set `max_retries`", "set `min_retries`", "names"),
        ("the cache is used", "the cache is not used", "negation"),
        ("It doesn't retry", "It retries", "negation"),
        ("deploy to staging", "deploy to production", "opposites"),
        ("add the index", "remove the index", "opposites"),
    ],
)
def test_the_guard_tells_near_twins_apart(first: str, second: str, why: str) -> None:
    assert difference(first, second) == difference(second, first) == why
    assert not same_figures(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("the budget is $309", "the budget stands"),
        ("the budget is $309", "$309 is the whole budget"),
        ("fix the parser", "repair the parser in src/parser.py"),
        ("wait 5 minutes", "wait five minutes"),
        ("add the index and remove the view", "remove the view, add the index"),
        ("", "anything at all"),
    ],
)
def test_what_only_one_text_gives_is_no_difference(first: str, second: str) -> None:
    assert same_figures(first, second)
    assert same_figures(marks(first), marks(second))
