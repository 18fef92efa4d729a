"""How well a study overlaps its calls: 12 lives against a server that takes 200 ms per call and has
32 slots.

The ideal wall time is counted from the plans before anything runs. In a life, the tasks of a
session follow each other and its write follows them; the probes of a point need the memory at that
point (at t = 0, session 0) and nothing waits for them. So a call has a number of calls of its own
life before it, and for every r the calls with at least r before them cannot start before r · 200 ms
and then share 32 slots: the ideal is the largest r · 200 ms + calls · 200 ms / 32. With r = 0 that
is the bound of the slots, with the largest r the critical path; both are printed beside it. No
schedule can be faster.

Sequential is all calls one after the other. The server is a process of its own and answers in the
chat completions protocol; the client is the openai SDK, as in a real study. It is imported before
the clock starts, as this package is; everything else that a study does, from planning to the last
card, is on the clock.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import multiprocessing
import os
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from agingbench.bench.life.limits import Endpoints, Resources
from agingbench.bench.life.system import Sut
from agingbench.bench.plan.plan import Plan
from agingbench.bench.studies.cells import Cell
from agingbench.bench.studies.runner import run_study

WANTED = 0.90


def serve(latency: float, slots: int, told: Connection) -> None:
    """Answer every request after `latency` seconds, at most `slots` at once."""

    async def main() -> None:
        free = asyncio.Semaphore(slots)
        served = 0

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal served
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length:")
                )
                body = await reader.readexactly(length)
                async with free:
                    await asyncio.sleep(latency)
                served += 1
                text = "A short summary of it all." if b"<text>" in body else "Done."
                content = json.dumps(
                    {
                        "id": str(served),
                        "object": "chat.completion",
                        "created": 1,
                        "model": "stub",
                        "choices": [
                            {
                                "index": 0,
                                "message": {"role": "assistant", "content": text},
                                "finish_reason": "stop",
                            }
                        ],
                        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
                    }
                ).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: "
                    + str(len(content)).encode()
                    + b"\r\n\r\n"
                    + content
                )
                await writer.drain()

        async def quietly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await talk(reader, writer)
            except (asyncio.IncompleteReadError, ConnectionError):
                writer.close()  # the client has hung up

        server = await asyncio.start_server(quietly, "127.0.0.1", 0, backlog=256)
        told.send(server.sockets[0].getsockname()[1])
        async with server:
            await server.serve_forever()

    asyncio.run(main())


def before(plan: Plan) -> list[int]:
    """For every call of a life, how many of the same life must have ended before it can start.

    The policy compacts once a session, and the server's replies call no tool.
    """
    out = []
    done = 0
    for session in plan.sessions:
        ready = done + (len(session.tasks) if session.index == 0 else 0)
        out += [ready] * len(plan.probes_at(session.index))
        out += range(done, done + len(session.tasks) + 1)
        done += len(session.tasks) + 1
    return out + [done] * len(plan.probes_at(plan.n_sessions))


def fewest_rounds(calls: list[int], slots: int) -> float:
    """The least number of call lengths in which all calls can be over."""
    return max(r + sum(b >= r for b in calls) / slots for r in set(calls))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lives", type=int, default=12)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--slots", type=int, default=32)
    given = parser.parse_args()
    for name in list(os.environ):
        if name.upper().endswith("_PROXY"):
            del os.environ[name]
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve, args=(given.latency, given.slots, there), daemon=True
    )
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    importlib.import_module("openai.types.chat")
    sut = Sut(model="openai:stub", memory="careful_compress", model_options={"base_url": url})
    cells = [Cell("s2", sut, given.sessions, "light", seed=seed) for seed in range(given.lives)]
    plans = [cell.plan() for cell in cells]
    with tempfile.TemporaryDirectory() as folder:
        resources = Resources(Endpoints(given.slots))
        start = time.perf_counter()
        outcomes = run_study(cells, Path(folder), resources, workers=given.lives)
        took = time.perf_counter() - start
    server.terminate()
    assert all(outcome.error is None for outcome in outcomes), [
        outcome.error for outcome in outcomes
    ]
    made = sum(outcome.calls for outcome in outcomes)
    known = [call for plan in plans for call in before(plan)]
    assert made == len(known), f"{made} calls were made, {len(known)} are in the plans"
    ideal = fewest_rounds(known, given.slots) * given.latency
    by_slots = made * given.latency / given.slots
    by_chain = (max(known) + 1) * given.latency
    print(
        f"{given.lives} lives, {made} calls of {given.latency * 1000:.0f} ms, {given.slots} slots"
    )
    print(f"sequential   {made * given.latency:8.1f} s")
    print(
        f"ideal        {ideal:8.1f} s   (slots alone {by_slots:.1f} s, critical path alone"
        f" {by_chain:.1f} s)"
    )
    print(
        f"measured     {took:8.1f} s   {made * given.latency / took:.1f} times the sequential speed"
    )
    print(f"of the ideal {ideal / took:8.2f}     (wanted: {WANTED})")


if __name__ == "__main__":
    main()
