"""A flow of events: what is settled is in the checkpoint when the flow ends."""

from __future__ import annotations

import asyncio
from typing import cast

from butler_connectors.base.flow import Flow
from butler_connectors.base.runner import Runner
from butler_kit.sources.events import Skipped, SourceEvent


class SlowDisk:
    """Settles everything at once; the first checkpoint takes until `free`."""

    def __init__(self) -> None:
        self.saved: list[str] = []
        self.saving = asyncio.Event()
        self.free = asyncio.Event()

    async def settle(self, *_: object) -> bool:
        return True

    async def save(self, cursor: str, _: asyncio.Event) -> None:
        self.saving.set()
        await self.free.wait()
        self.saved.append(cursor)


def event(cursor: str) -> SourceEvent:
    return SourceEvent(f"id {cursor}", cursor, None, Skipped("not for us"))


async def test_what_was_settled_while_an_older_checkpoint_was_written_is_saved_before_the_flow_ends() -> None:
    disk = SlowDisk()
    async with asyncio.timeout(60), asyncio.TaskGroup() as following:
        async with asyncio.TaskGroup() as group:
            flow = Flow(cast(Runner, disk), group)
            following.create_task(flow.follow())
            flow.take([event("1")])
            await disk.saving.wait()
            flow.take([event("2")])
            flow.end()
        flow.close()
        disk.free.set()
    assert (disk.saved, flow.saved) == (["1", "2"], "2")
