"""A provider that keeps the truth of what people saw, and what one call and the process that makes it meet.

A process may be killed, or stand still, before its marker, in the call, or while it reads the provider's records.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from uuid import UUID

from butler_contracts.errors import ErrorClass
from butler_messenger.delivery.channels.port import Mark, Outgoing
from butler_messenger.delivery.decisions import Evidence
from butler_messenger.delivery.outcomes import (
    Ambiguous,
    Failure,
    ProviderOutcome,
    Refused,
    Sent,
    Throttled,
    Unreachable,
)
from tests.faults.machines.stage import Stage

__all__ = [
    "BEHAVIOURS",
    "ENDS",
    "GOES_ON",
    "KILLED_IN_CALL",
    "LATE_READINGS",
    "LATE_WORDS",
    "RESCUES",
    "SENDS",
    "Behaviour",
    "Killed",
    "Provider",
    "ScriptedChannel",
]

ENDS = {"sent", "failed", "uncertain", "dead_lettered"}


class Killed(BaseException):
    """The process is gone: nothing of it runs any more."""


@dataclass(frozen=True)
class Behaviour:
    """What the provider and the process do in one call; `reaches`: people see it."""

    ends: str
    reaches: bool = False
    stalls: str = ""
    killed: str = ""


SENDS = Behaviour("sent", reaches=True)
KILLED_IN_CALL = Behaviour("", killed="after mark")
KILLS = [
    Behaviour("", killed="before mark"),
    KILLED_IN_CALL,
    Behaviour("", reaches=True, killed="after call"),
]
LATE_WORDS = [
    *(
        Behaviour(end, stalls="in call")
        for end in ("refused", "refused for good", "throttled", "silent", "unreachable")
    ),
    Behaviour("sent", reaches=True, stalls="in call"),
    Behaviour("silent", reaches=True, stalls="in call"),
    Behaviour("sent", reaches=True, stalls="before mark"),
    Behaviour("refused", stalls="connecting"),
    Behaviour("unreachable", stalls="connecting"),
]
"""What a process says that has stood still meanwhile."""
LATE_READINGS = [
    Behaviour("sent", reaches=True, stalls="in records"),
    Behaviour("no records", stalls="in records"),
]
"""What it has read of the provider's records before it stood still."""
BEHAVIOURS = [
    SENDS,
    *(Behaviour(end) for end in ("refused", "refused for good", "throttled", "silent", "unreachable")),
    Behaviour("silent", reaches=True),
    *KILLS,
    *LATE_WORDS,
    *LATE_READINGS,
]
GOES_ON = [one for one in BEHAVIOURS if not one.stalls]
RESCUES = [
    SENDS,
    *KILLS,
    Behaviour("silent", reaches=True),
    Behaviour("refused for good"),
    Behaviour("sent", reaches=True, stalls="in call"),
]
"""What whoever takes over meets: a call that is left open tells most."""


def outcome(ends: str) -> ProviderOutcome:
    match ends:
        case "sent":
            return Sent("provider-id")
        case "throttled":
            return Throttled(20.0)
        case "silent":
            return Ambiguous(Failure(ErrorClass.TIMEOUT, "no answer", retryable=True))
        case "unreachable":
            return Unreachable(Failure(ErrorClass.TARGET_UNAVAILABLE, "no connection", retryable=True))
        case _:
            retryable = ends == "refused"
            return Refused(Failure(ErrorClass.TARGET_UNAVAILABLE, "refused", retryable=retryable))


@dataclass
class Provider:
    """What people see, and what the next call meets; `confirms`: the word that a stalled process has is a receipt."""

    stage: Stage
    seen: Counter[tuple[UUID, int]] = field(default_factory=Counter)
    overtaken: list[str] = field(default_factory=list)
    unanswered: set[tuple[UUID, int]] = field(default_factory=set)
    repeated: list[str] = field(default_factory=list)
    next: Behaviour = SENDS
    stalled: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    confirms: bool = False

    async def stand_still(self, *, confirms: bool = False) -> None:
        go_on = self.go_on = asyncio.Event()
        self.confirms = confirms
        self.stalled.set()
        await go_on.wait()

    def call(self, outgoing: Outgoing, part: int, *, may_repeat: bool) -> None:
        """A call is under way; where nobody knows what the one before it did, this one may double it."""
        if (outgoing.delivery_id, part) in self.unanswered and not may_repeat:
            self.repeated.append(f"{outgoing.delivery_id} was called again in the dark")
        self.unanswered.add((outgoing.delivery_id, part))

    def answer(self, outgoing: Outgoing, part: int, ends: str) -> ProviderOutcome:
        if ends != "silent":
            self.unanswered.discard((outgoing.delivery_id, part))
        return outcome(ends)

    async def show(self, outgoing: Outgoing, part: int) -> None:
        self.seen[outgoing.delivery_id, part] += 1
        earlier = await self.stage.pool.fetch(
            "SELECT other.delivery_id, other.status FROM delivery_requests AS own"
            " JOIN delivery_requests AS other ON other.thread_identity = own.thread_identity"
            " AND other.reply_to::int < own.reply_to::int WHERE own.delivery_id = $1",
            outgoing.delivery_id,
        )
        late = [row["delivery_id"] for row in earlier if row["status"] not in ENDS]
        if late:
            self.overtaken.append(f"{outgoing.delivery_id} was seen before {late} had ended")


class ScriptedChannel:
    """`email` keeps records and files by itself; `telegram` has neither."""

    def __init__(self, name: str, provider: Provider) -> None:
        self.name, self._provider = name, provider
        self.keeps_records = self.autofile = name == "email"
        self.carries_files = False

    def tool_for(self, outgoing: Outgoing) -> str:
        return f"{self.name}_send_message"

    def part_count(self, outgoing: Outgoing) -> int:
        return len(outgoing.message.split())

    def enclosed(self, outgoing: Outgoing, part: int) -> tuple[int, ...]:
        return ()

    async def send(self, outgoing: Outgoing, *, part: int, mark: Mark) -> ProviderOutcome:
        provider, this = self._provider, self._provider.next
        if this.killed == "before mark":
            raise Killed
        if this.stalls in ("before mark", "connecting"):
            await provider.stand_still()
        if this.stalls == "connecting":
            return outcome(this.ends)
        await mark()
        provider.call(outgoing, part, may_repeat=self.keeps_records or outgoing.intent == "reply")
        if this.killed == "after mark":
            raise Killed
        if this.reaches:
            await provider.show(outgoing, part)
        if this.killed:
            raise Killed
        if this.stalls == "in call":
            await provider.stand_still(confirms=this.ends == "sent")
        return provider.answer(outgoing, part, this.ends)

    async def evidence(self, outgoing: Outgoing) -> Evidence:
        this = self._provider.next
        found = (outgoing.delivery_id, 0) in self._provider.seen
        if this.stalls == "in records":
            await self._provider.stand_still(confirms=found)
        if found:
            return "found"
        return "unavailable" if this.ends == "no records" else "not_found"

    async def records_problem(self) -> str | None:
        return None

    def record_id(self, outgoing: Outgoing) -> str:
        return f"<{outgoing.delivery_id}@test>"

    async def aclose(self) -> None: ...
