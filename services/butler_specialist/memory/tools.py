"""The tools `memory_remember`, `memory_recall`, `memory_forget`, `memory_people`: Switchboard's (ADR 0078, 0116).

Invariant: what is known is told, kept and forgotten of one member at a time; of all it is only said how much there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from butler_contracts.errors import ValidationFailed
from butler_contracts.memory import (
    CLEAN_UP_TOOL,
    CONSOLIDATE_TOOL,
    FORGET_TOOL,
    PEOPLE_TOOL,
    RECALL_TOOL,
    REMEMBER_TOOL,
    SHARE_TOOL,
    ForgetAsked,
    Forgotten,
    KnownPeople,
    Memory,
    Nothing,
    RecallAsked,
    Recalled,
    RememberAsked,
    Remembered,
    SpokenOf,
)
from butler_kit.auth import Caller, Forbidden, Role, trusted_caller
from butler_kit.mcp.server import ToolServer
from butler_kit.time import Clock
from butler_specialist.memory.counted import counted
from butler_specialist.memory.decide import confidence_of, draft_of_statement, until_of
from butler_specialist.memory.store import MemoryStore, Said, words_to_find
from butler_specialist.memory.upkeep import MemoryUpkeep
from butler_specialist.understanding.about_me import AboutMe, statement_in

__all__ = ["MemoryDesk", "register_memory_jobs", "register_memory_sharing", "register_memory_tools"]

_DEADLINE_S: Final = 8.0
_ORDERS: Final = UUID("0199b2c4-6a10-7c3e-9d55-3f0f8f6b7a02")
_THROUGH: Final = "mcp"
_WORDS_SHOWN: Final = 1_000
_MOST_PEOPLE: Final = 500
_JOB_DEADLINE_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class MemoryDesk:
    """What the tools do; days are those of the member's zone. Facts are shared with the butlers `shared_with`."""

    store: MemoryStore
    clock: Clock
    zone_of: Callable[[UUID | None], ZoneInfo]
    half_life_days: int
    shared_with: Sequence[str] = ()

    async def remember(self, asked: RememberAsked) -> Remembered:
        """Keep it with who said it as its source. Raises `ValidationFailed` for what is not said of oneself."""
        told = statement_in(asked.statement)
        if told is None:
            raise ValidationFailed(
                "statement: expected what a person says of themselves, such as 'I live in Graz'"
            )
        today = self.clock.now().astimezone(self.zone_of(asked.person)).date()
        if asked.until is not None and asked.until < today:
            raise ValidationFailed("until: this day is over")
        draft = draft_of_statement(
            AboutMe(told.said, told.statement, told.kind, told.slot), today, until=asked.until
        )
        order = _order(REMEMBER_TOOL, asked.person, asked.idempotency_key)
        record_id, found = await self.store.remember(
            asked.person, draft, order=order, who=asked.said_by, through=asked.said_through.value
        )
        return Remembered(
            record_id=record_id,
            known=found.known is not None,
            superseded=tuple(one.record_id for one in found.supersedes),
        )

    async def recall(self, asked: RecallAsked) -> Recalled:
        """What is known of the member; nothing of anybody else's."""
        words = words_to_find(asked.query or "")
        if asked.query and not words:
            return Recalled()
        found = await self.store.recall(str(asked.person), words, most=asked.most)
        spoken = await self.store.episodes(str(asked.person), words, most=asked.most) if words else ()
        return Recalled(
            memories=tuple(self._shown(one) for one in found),
            episodes=tuple(
                SpokenOf(
                    episode_id=row["episode_id"],
                    said_through=row["source_channel"],
                    begun_at=row["begun_at"],
                    ended_at=row["ended_at"],
                    words=row["words"][:_WORDS_SHOWN],
                )
                for row in spoken
            ),
        )

    async def share(self, asked: RecallAsked, butler: str | None) -> Recalled:
        """What is known of the member, for a butler that the manifest names; what somebody spoke of is not shared.

        Raises `Forbidden` for any other.
        """
        if butler not in self.shared_with:
            raise Forbidden(
                f"nothing is shared with {butler or 'nobody'}; see spec.modules.memory.sharedWith"
            )
        found = (await self.recall(asked)).memories
        today = self.clock.now().astimezone(self.zone_of(asked.person)).date()
        return Recalled(memories=tuple(one for one in found if one.until is None or one.until >= today))

    async def forget(self, asked: ForgetAsked, who: str) -> Forgotten:
        """Withdraw some of it, or erase everything."""
        person = str(asked.person)
        if asked.everything:
            return Forgotten(forgotten=await self.store.erase(person))
        order = _order(FORGET_TOOL, asked.person, asked.idempotency_key)
        gone = await self.store.forget(person, asked.record_ids, order=order, who=who, through=_THROUGH)
        return Forgotten(forgotten=len(gone))

    async def people(self) -> KnownPeople:
        """How much is known of whom; not what."""
        return KnownPeople(people=counted(await self.store.how_much(most=_MOST_PEOPLE)))

    def _shown(self, said: Said) -> Memory:
        record, said_at = said
        today = self.clock.now().astimezone(self.zone_of(record.contact_id)).date()
        return Memory(
            record_id=record.record_id,
            kind="preference" if record.kind == "preference" else "fact",
            statement=record.title or record.text,
            said=record.text,
            said_by=record.sender,
            said_through=record.channel,
            said_at=said_at,
            request_id=record.request_id,
            confidence=round(confidence_of(record, today, self.half_life_days), 3),
            until=until_of(record),
        )


def register_memory_tools(
    server: ToolServer, desk: Callable[[], MemoryDesk], *, trusted: Sequence[str]
) -> None:
    """Offer the four; `desk` is asked for at each call."""

    @server.tool(REMEMBER_TOOL, RememberAsked, roles=(Role.SWITCHBOARD,), deadline_s=_DEADLINE_S)
    async def remember(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Keep what a member says of themselves; what it contradicts is known no longer."""
        trusted_caller(caller, trusted)
        return (await desk().remember(RememberAsked(**args))).to_wire()

    @server.tool(RECALL_TOOL, RecallAsked, roles=(Role.SWITCHBOARD,), deadline_s=_DEADLINE_S)
    async def recall(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """What is known about a member, each with its source."""
        trusted_caller(caller, trusted)
        return (await desk().recall(RecallAsked(**args))).to_wire()

    @server.tool(FORGET_TOOL, ForgetAsked, roles=(Role.SWITCHBOARD,), deadline_s=_DEADLINE_S)
    async def forget(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Know some of it no longer, or erase everything."""
        trusted_caller(caller, trusted)
        return (await desk().forget(ForgetAsked(**args), _who(caller))).to_wire()

    @server.tool(PEOPLE_TOOL, Nothing, roles=(Role.SWITCHBOARD,), deadline_s=_DEADLINE_S)
    async def people(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """How much is known of whom, without a word of it."""
        trusted_caller(caller, trusted)
        return (await desk().people()).to_wire()


def register_memory_sharing(
    server: ToolServer, desk: Callable[[], MemoryDesk], *, trusted: Sequence[str]
) -> None:
    """Offer what is shared; `desk` is asked for at each call. A butler that shares with nobody has no such tool."""

    @server.tool(SHARE_TOOL, RecallAsked, roles=(Role.SWITCHBOARD,), deadline_s=_DEADLINE_S)
    async def share(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """What is known about a member, for the butler on whose behalf it is asked (D69)."""
        trusted_caller(caller, trusted)
        return (await desk().share(RecallAsked(**args), caller.origin)).to_wire()


def register_memory_jobs(
    server: ToolServer, upkeep: Callable[[], MemoryUpkeep], *, trusted: Sequence[str]
) -> None:
    """Offer what the schedules start; `upkeep` is asked for at each call."""

    @server.tool(CONSOLIDATE_TOOL, Nothing, roles=(Role.SWITCHBOARD,), deadline_s=_JOB_DEADLINE_S)
    async def consolidate(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Fold messages into episodes; merge, supersede and drop what is known."""
        trusted_caller(caller, trusted)
        return await upkeep().consolidate()

    @server.tool(CLEAN_UP_TOOL, Nothing, roles=(Role.SWITCHBOARD,), deadline_s=_JOB_DEADLINE_S)
    async def clean_up(caller: Caller, args: dict[str, Any]) -> dict[str, Any]:
        """Delete episodes and forgotten records whose time is over."""
        trusted_caller(caller, trusted)
        return await upkeep().clean_up()


def _order(tool: str, person: UUID, key: str) -> UUID:
    return uuid5(_ORDERS, f"{tool}:{person}:{key}")


def _who(caller: Caller) -> str:
    return caller.name or caller.role
