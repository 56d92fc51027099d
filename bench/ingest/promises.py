"""Guarantees that speed must not break: no duplicates across processes, no accepted message lost in a crash."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.ingest.doors import in_process
from bench.ingest.messages import CONNECTOR, Numbers, an_envelope
from bench.ingest.place import Place
from butler_contracts.errors import ButlerError
from butler_switchboard.ingress.intake import Intake

__all__ = ["Doubled", "Lost", "count_doubled", "count_lost"]

PROCESSES: Final = 4
KEYS: Final = 6_000
CALLERS: Final = 32
_ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True)
class Doubled:
    """Calls of all processes, distinct messages, and how many were stored or reported as new more than once."""

    calls: int
    messages: int
    doubled: int


async def count_doubled(place: Place, database: str, *, seconds: float) -> Doubled:
    """Let four processes submit the same messages; compare their answers with each other and with the inbox."""
    first = Numbers()()
    files = [place.folder / f"rival-{number}.json" for number in range(PROCESSES)]
    async with asyncio.TaskGroup() as group:
        for file in files:
            group.create_task(_rival(place, database, file, first, seconds))
    reports: list[dict[str, Any]] = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for report in reports:
        for number, found in report["ids"].items():
            ids[number].update(found)
    async with place.admin(database) as connection:
        rows = await connection.fetchval("SELECT count(*) FROM switchboard.message_inbox")
        keys = await connection.fetchval("SELECT count(DISTINCT dedupe_key) FROM switchboard.message_inbox")
    two_ids = sum(len(found) - 1 for found in ids.values())
    told_new = sum(report["fresh"] for report in reports) - len(ids)
    doubled = max(two_ids, abs(told_new), rows - keys, abs(rows - len(ids)))
    return Doubled(sum(report["calls"] for report in reports), len(ids), doubled)


async def _rival(place: Place, database: str, out: Path, first: int, seconds: float) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.ingest.rival", str(out), str(first), str(KEYS), str(seconds),
        cwd=_ROOT, env={**os.environ, **place.environment(database)}, stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    if await process.wait():
        raise RuntimeError(f"a rival ended with {process.returncode}")


@dataclass(frozen=True)
class Lost:
    """Messages answered before PostgreSQL was killed, and how many of them are missing afterwards."""

    kills: int
    answered: int
    lost: int


async def count_lost(place: Place, database: str, *, kills: int) -> Lost:
    """Stop PostgreSQL immediately (SIGQUIT) under load, repeatedly; look for every answered message afterwards."""
    answered: set[str] = set()
    numbers = Numbers()
    for _ in range(kills):
        async with in_process(place, database) as switchboard:
            failed = asyncio.Event()
            callers = [
                asyncio.create_task(_until_failure(switchboard.parts.intake, numbers, answered, failed))
                for _ in range(CALLERS)
            ]
            await asyncio.sleep(0.7)
            if place.postgres.pid is not None:
                os.kill(place.postgres.pid, signal.SIGQUIT)
            await asyncio.wait(callers, timeout=60)
            place.postgres.stop()
            place.postgres.start()
    async with place.admin(database) as connection:
        held = await connection.fetch("SELECT request_id::text FROM switchboard.message_inbox")
    return Lost(kills, len(answered), len(answered - {record["request_id"] for record in held}))


async def _until_failure(intake: Intake, numbers: Numbers, answered: set[str], failed: asyncio.Event) -> None:
    while not failed.is_set():
        try:
            answer = await intake.ingest(CONNECTOR, an_envelope(numbers()))
        except ButlerError:
            failed.set()
            return
        answered.add(str(answer.request_id))
