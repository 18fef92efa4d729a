"""How the embedded model extracts memories where a memory product asks it to.

It hands over, one by one and word for word, the statements of the user that a careful compaction
would keep: as the JSON object that mem0 asks for, or as calls of the tool `Memory` that langmem
offers. It brings nothing up to date and merges nothing; what changed is one more memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from agingbench.records import Message, Tool, ToolCall
from agingbench.text.wording import sentences

TOOL = "Memory"
_NEW_MESSAGES = re.compile(
    r"^## New Messages\n(.*?)^## Observation Date$", re.DOTALL | re.MULTILINE
)
_SPEAKER = re.compile(r"^(user|assistant|system): ", re.MULTILINE)
_SESSION = re.compile(r"<session_([\w-]+)>\n(.*)</session_\1>", re.DOTALL)
_TITLE = re.compile(r"^=+ (Human|Ai|System|Tool) Message =+$", re.MULTILINE)

Test = Callable[[str], bool]


def extraction(
    messages: Sequence[Message], tools: Sequence[Tool], worth_keeping: Test
) -> tuple[str, tuple[ToolCall, ...]] | None:
    """The reply to a request for memories, as text or as calls; None where there is no such one."""
    request = messages[-1].content
    listed = _NEW_MESSAGES.search(request)
    if listed is not None and request.rstrip().endswith("# Output:"):
        kept = _kept(_said_by(_SPEAKER, "user", listed[1]), worth_keeping)
        memories = [
            {"id": str(number), "text": text, "attributed_to": "user"}
            for number, text in enumerate(kept)
        ]
        return json.dumps({"memory": memories}, ensure_ascii=False), ()

    session = _SESSION.search(request)
    if session is not None and any(tool.name == TOOL for tool in tools):
        kept = _kept(_said_by(_TITLE, "Human", session[2]), worth_keeping)
        calls = [
            ToolCall(f"memory-{number}", TOOL, {"content": text})
            for number, text in enumerate(kept)
        ]
        return "", tuple(calls)
    return None


def _said_by(heading: re.Pattern[str], speaker: str, text: str) -> list[str]:
    """What one speaker says in a conversation whose parts stand under headings."""
    _, *parts = heading.split(text)
    return [said for who, said in zip(parts[::2], parts[1::2], strict=True) if who == speaker]


def _kept(texts: Sequence[str], worth_keeping: Test) -> list[str]:
    kept = [
        sentence
        for text in texts
        for paragraph in text.split("\n\n")
        for sentence in sentences(paragraph)
        if worth_keeping(sentence)
    ]
    return list(dict.fromkeys(kept))
