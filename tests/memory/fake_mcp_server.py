"""A memory server for tests: a knowledge graph in a file, spoken over standard input and output.

The first argument may name a way to misbehave: `garbage`, `die`, `stay`,
`endless` (its list of tools has no last page) or `drip` (notices in place of an answer).
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

GRAPH = Path(os.environ["MEMORY_FILE_PATH"])
FAULT = sys.argv[1] if len(sys.argv) > 1 else ""
READERS = ("read_graph", "open_nodes")
WRITERS = ("create_entities", "add_observations", "delete_entities")


def load() -> dict[str, list[str]]:
    if not GRAPH.exists():
        return {}
    entities = [json.loads(line) for line in GRAPH.read_text().splitlines()]
    return {entity["name"]: entity["observations"] for entity in entities}


def save(graph: dict[str, list[str]]) -> None:
    rows = [{"type": "entity", "name": n, "observations": o} for n, o in graph.items()]
    GRAPH.write_text("\n".join(map(json.dumps, rows)))


def shown(graph: dict[str, list[str]]) -> str:
    entities = [{"name": name, "observations": lines} for name, lines in graph.items()]
    return json.dumps({"entities": entities, "relations": []})


def call(name: str, arguments: dict[str, Any]) -> str:
    graph = load()
    if name == "read_graph":
        return shown(graph)
    if name == "open_nodes":
        return shown({n: lines for n, lines in graph.items() if n in arguments["names"]})
    if name == "create_entities":
        for entity in arguments["entities"]:
            graph.setdefault(entity["name"], list(entity["observations"]))
    elif name == "delete_entities":
        graph = {n: lines for n, lines in graph.items() if n not in arguments["entityNames"]}
    else:
        for more in arguments["observations"]:
            if more["entityName"] not in graph:
                raise LookupError(f"Entity with name {more['entityName']} not found")
            graph[more["entityName"]] += more["contents"]
    save(graph)
    return "done"


def result(method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        about = {"name": "fake-memory", "version": "7.1"}
        return {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": about}
    if method == "tools/list":
        tools = [
            {
                "name": name,
                "description": name,
                "inputSchema": {"type": "object"},
                "annotations": {"readOnlyHint": name in READERS},
            }
            for name in (*READERS, *WRITERS)
        ]
        return {"tools": tools, **({"nextCursor": "more"} if FAULT == "endless" else {})}
    if FAULT == "die":
        print("out of memory", file=sys.stderr, flush=True)
        sys.exit(3)
    if FAULT == "garbage":
        return {"content": "no list"}
    try:
        text = call(parameters["name"], parameters["arguments"])
    except LookupError as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    return {"content": [{"type": "text", "text": text}]}


def main() -> None:
    print("a line that is no message", flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        while FAULT == "drip":
            print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}), flush=True)
            time.sleep(0.05)
        if "id" in message:
            answer = result(message["method"], message["params"])
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)
    if FAULT == "stay":
        time.sleep(60)


if __name__ == "__main__":
    main()
