"""The background tasks of a serving specialist, and its heartbeat."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, Final

from butler_kit.db import answers
from butler_kit.membership import IntroductionCard, Registration
from butler_kit.service import Supervised, repeat
from butler_kit.time import wait_until_set
from butler_specialist.retention import prune
from butler_specialist.wiring import Specialist

__all__ = ["Duties"]

_PRUNE_EVERY_S: Final = 3600.0
_LOOK_EVERY_S: Final = 60.0


class Duties:
    """The background tasks of one instance."""

    def __init__(self, specialist: Specialist) -> None:
        self._of = specialist

    async def observe(self) -> dict[str, Any]:
        """Return the content of a heartbeat."""
        depth = sum((await self._of.parts.queue.depth()).values())
        self._of.route_metrics.depth(depth)
        self._of.reminder_metrics.waiting(await self._of.parts.reminders.waiting())
        return {
            "queue_depth": depth,
            "in_hand": self._of.parts.runner.in_hand,
            "runtime": self._standing(),
        }

    def _standing(self) -> dict[str, Any]:
        """Return the state of the runtime; if that has no fault, the fault of its tool servers."""
        word = self._of.thinking.standing.to_wire()
        if word["fault"] is None and self._of.tool_servers is not None:
            word["fault"] = self._of.tool_servers.fault()
        return word

    async def work(self, stopping: asyncio.Event) -> None:
        """Work on the queue; the scanner finds what an earlier process left behind (SWB-17.3)."""
        await self._of.parts.runner.run_until(stopping)

    async def remind(self, stopping: asyncio.Event) -> None:
        await self._of.parts.reminding.run_until(stopping)

    async def hold(self, stopping: asyncio.Event) -> None:
        """Work on held calls, for a butler that has tools or had them when a call was held."""
        while self._of.tool_servers is None and not await self._of.parts.held.any_waits():
            # An instance that still has the tools may hold one more before it is replaced.
            await wait_until_set(stopping, _LOOK_EVERY_S)
            if stopping.is_set():
                return
        await self._of.parts.holding.run_until(stopping)

    async def follow(self, stopping: asyncio.Event) -> None:
        await self._of.parts.upcoming.run(stopping)

    async def keep_schedules(self, stopping: asyncio.Event) -> None:
        """Queue the schedules that are due."""
        await self._of.parts.schedules.run(stopping)

    async def book(self, stopping: asyncio.Event) -> None:
        """Bring the calendar in line with the appointments."""
        if self._of.parts.bookings is not None:
            await self._of.parts.bookings.run(stopping)

    async def think(self, stopping: asyncio.Event) -> None:
        """Watch the model's server and the tool servers."""
        async with asyncio.TaskGroup() as looks:
            looks.create_task(self._of.thinking.run(stopping))
            if self._of.tool_servers is not None:
                looks.create_task(self._of.tool_servers.run(stopping))

    async def prune(self, stopping: asyncio.Event) -> None:
        await repeat(
            lambda: prune(self._of.parts.pool), every_s=_PRUNE_EVERY_S, stopping=stopping, what="retention"
        )

    async def register(self, tools: tuple[str, ...], stopping: asyncio.Event) -> None:
        butler = self._of.config.butler
        card = IntroductionCard(
            description=butler.description,
            triggers=tuple(butler.triggers or self._of.profile.triggers),
            capabilities=self._of.capabilities,
            tools=tools,
            required_information=butler.required_information,
        )
        await Registration(
            self._of.switchboard, card=card, observe=self.observe, answered=self._of.parts.people.heard
        ).run(stopping)

    async def check_database(self) -> str | None:
        await answers(self._of.parts.pool)
        return None

    async def check_queue(self) -> str | None:
        await self._of.parts.queue.depth()
        return None

    def background(self, tools: tuple[str, ...]) -> tuple[Supervised, ...]:
        """Return the tasks that run while it serves; those that drain finish what they have begun."""
        return (
            Supervised("work", self.work, drains=True),
            Supervised("reminders", self.remind, drains=True),
            Supervised("held_calls", self.hold, drains=True),
            Supervised("upcoming", self.follow),
            Supervised("schedules", self.keep_schedules),
            Supervised("bookings", self.book),
            Supervised("thinking", self.think),
            Supervised("register", partial(self.register, tools)),
            Supervised("retention", self.prune),
        )
