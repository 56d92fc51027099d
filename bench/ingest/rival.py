"""One of several processes that submit the same messages at once: `bench.ingest.rival OUT FIRST COUNT SECONDS`.

Writes its answers to OUT: the request ids by message, and how often a message was reported as new.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import uvloop

from bench.ingest.messages import CONNECTOR, an_envelope
from bench.ingest.served import admitting
from butler_switchboard.app import tool_server

CALLERS = 32


async def main(first: int, count: int, seconds: float) -> dict[str, Any]:
    """Submit random messages out of `count` until the time is over; return the answers."""
    switchboard = admitting(dict(os.environ))
    ids: dict[int, set[str]] = {}
    fresh = calls = 0
    async with switchboard.running(tool_server(switchboard)):
        lane = asyncio.create_task(switchboard.admit(asyncio.Event()))
        until = time.monotonic() + seconds

        async def caller() -> None:
            nonlocal fresh, calls
            while time.monotonic() < until:
                number = first + random.randrange(count)
                answer = await switchboard.parts.intake.ingest(CONNECTOR, an_envelope(number))
                ids.setdefault(number, set()).add(str(answer.request_id))
                fresh += not answer.duplicate
                calls += 1

        async with asyncio.TaskGroup() as group:
            for _ in range(CALLERS):
                group.create_task(caller())
        lane.cancel()
        await asyncio.wait({lane})
    answers = {str(number): sorted(found) for number, found in ids.items()}
    return {"fresh": fresh, "calls": calls, "ids": answers}


if __name__ == "__main__":
    report = uvloop.run(main(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
    Path(sys.argv[1]).write_text(json.dumps(report), encoding="utf-8")
