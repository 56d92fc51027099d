"""The tool through which Switchboard asks what is on today, for a member's digest (ADR 0058).

The question is the one a person would ask ("what's on today?", ADR 0043), so a digest says the same as an answer to
it. The call stores nothing and tells nobody, and only Switchboard may make it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from butler_contracts.day import DAY_TOOL, DayAsked, DayTold
from butler_contracts.route import TogetherV1
from butler_kit.auth import Caller, Role, trusted_caller
from butler_kit.mcp.server import ToolServer
from butler_specialist.locale import say
from butler_specialist.people.eyes import Eyes, OfPersons, SeenRecords
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.profile import Profile
from butler_specialist.store.model import Asker
from butler_specialist.store.reminder_model import ReminderReader
from butler_specialist.store.visibility import Policy, Viewer

__all__ = ["Day", "register_day_tool"]

_DEADLINE_S: Final = 5.0
_AMONG_OTHERS: Final = TogetherV1(answered=0, last=False)
"""Other butlers are asked too, so one with nothing to say stays silent."""


class Day:
    """Answers from the records of this butler and the reminders of one member."""

    def __init__(
        self,
        profile: Profile,
        records: OfPersons,
        reminders: ReminderReader,
        zone_of: Callable[[UUID | None], ZoneInfo],
        policy: Policy,
    ) -> None:
        self._policy = policy
        self._profile = profile
        self._records = records
        self._reminders = reminders
        self._zone_of = zone_of

    async def told(self, asked: DayAsked) -> DayTold:
        """Return what is on that day; the text is empty where there is nothing."""
        viewer = Viewer(str(asked.contact_id), self._policy, family=not asked.guest)
        answering = Answering(
            moment=asked.at.astimezone(self._zone_of(asked.contact_id)),
            household=True,
            usual=asked.language,
            records=SeenRecords(self._records, Eyes(asked.contact_id, self._zone_of), viewer),
            reminders=self._reminders,
            asker=Asker(asked.contact_id, "", ""),
            together=_AMONG_OTHERS,
        )
        reply = await self._profile.respond(say(asked.language, "What is on today?"), answering)
        return DayTold(
            heading=say(asked.language, "This is on today:"),
            left_out=say(asked.language, "I could not ask {names}.", names="{names}"),
            text="" if reply.silent else reply.text,
        )


def register_day_tool(server: ToolServer, day: Callable[[], Day], *, trusted: Sequence[str]) -> None:
    """Register the tool; `day` is called on each request."""

    @server.tool(DAY_TOOL, DayAsked, roles=(Role.SWITCHBOARD,), deadline_s=_DEADLINE_S)
    async def day_read(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """What is kept of a day for one member of the household."""
        trusted_caller(caller, trusted)
        return (await day().told(DayAsked(**args))).to_wire()
