"""The chat template of a GGUF file, read from its header."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agingbench.errors import ToolsUnsupported
from agingbench.models.gguf import Gguf
from agingbench.models.gguf_header import chat_template
from agingbench.records import Message, Tool

TOOL = Tool("check", "Says ok.", {"type": "object"}, lambda _: "ok")


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def header(template: str | None) -> bytes:
    entries = [
        text("general.architecture") + struct.pack("<I", 8) + text("llama"),
        text("llama.context_length") + struct.pack("<II", 4, 2048),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b"),
        text("tokenizer.ggml.scores") + struct.pack("<IIQ", 9, 6, 2) + bytes(8),
        text("tokenizer.ggml.add_bos") + struct.pack("<IB", 7, 1),
    ]
    if template is not None:
        entries.append(text("tokenizer.chat_template") + struct.pack("<I", 8) + text(template))
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries)


@pytest.mark.parametrize("template", [None, "{{ messages }}", "{% if tools %}…{% endif %}"])
def test_the_template_is_read(tmp_path: Path, template: str | None) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(header(template))
    assert chat_template(path) == template


@given(st.integers(0, 400), st.binary(max_size=40))
def test_broken_files_have_no_template(
    tmp_path_factory: pytest.TempPathFactory, cut: int, noise: bytes
) -> None:
    path = tmp_path_factory.mktemp("gguf") / "m.gguf"
    path.write_bytes(header("{{ messages }}")[:cut] + noise)
    assert chat_template(path) in (None, "{{ messages }}") or cut > 0
    assert chat_template(path.with_name("none.gguf")) is None


def test_a_file_whose_template_has_no_tools_says_so_before_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    path = tmp_path / "m.gguf"
    path.write_bytes(header("{{ messages }}"))
    with pytest.raises(ToolsUnsupported, match="has no tools"):
        Gguf(str(path)).complete([Message("user", "Hi")], [TOOL])
