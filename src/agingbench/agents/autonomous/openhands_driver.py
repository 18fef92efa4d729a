"""Gives OpenHands one prompt; runs in OpenHands' own environment and imports nothing of ours.

Usage: openhands_driver.py WORKSPACE RECORD CONVERSATION MODEL URL INSTRUCTIONS TURNS
The prompt comes on standard input and the key in LLM_API_KEY; every event goes out as a line.
"""

from __future__ import annotations

import importlib
import os
import sys
import uuid
from typing import Any


def main(
    workspace: str,
    record: str,
    conversation: str,
    model: str,
    url: str,
    instructions: str,
    turns: str,
) -> None:
    """Open or continue the conversation and run it to its end."""
    sdk: Any = importlib.import_module("openhands.sdk")
    terminal: Any = importlib.import_module("openhands.tools.terminal")
    editor: Any = importlib.import_module("openhands.tools.file_editor")
    with open(instructions, encoding="utf-8") as file:
        context = sdk.AgentContext(system_message_suffix=file.read())
    llm = sdk.LLM(model=model, base_url=url or None, api_key=os.environ["LLM_API_KEY"])
    tools = [
        sdk.Tool(name=terminal.TerminalTool.name),
        sdk.Tool(name=editor.FileEditorTool.name),
    ]

    def tell(event: Any) -> None:
        print(event.model_dump_json(), flush=True)

    talk = sdk.Conversation(
        agent=sdk.Agent(llm=llm, tools=tools, agent_context=context),
        workspace=sdk.LocalWorkspace(working_dir=workspace),
        persistence_dir=record,
        conversation_id=uuid.UUID(conversation),
        callbacks=[tell],
        max_iteration_per_run=int(turns),
        visualizer=None,
        delete_on_close=False,
    )
    talk.send_message(sys.stdin.read())
    talk.run()
    talk.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
