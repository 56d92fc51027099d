"""The ops API's paths for how delivery stands and what would become of a notify (MSG-5.1.3, MSG-5.1.4, MSR-10)."""

from __future__ import annotations

from typing import Annotated, Any

from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_BODY, AS_QUERY, Reader, handed
from butler_messenger.health.preflight import Preflight
from butler_messenger.health.questions import LimitsQuestion, NotifyQuestion, QueueQuestion, StatsQuestion
from butler_messenger.health.reader import HealthReader

__all__ = ["asking_of_notifies", "reading_health"]

Health = Annotated[HealthReader, handed(HealthReader)]
Asking = Annotated[Preflight, handed(Preflight)]
reading_health = ops_router()
"""Budgets, queue, figures."""


@reading_health.get("/limits")
async def limits(reader: Health, _: Reader, asked: Annotated[LimitsQuestion, *AS_QUERY]) -> dict[str, Any]:
    """Every budget of the minute, and the pauses of providers."""
    return await reader.limits(asked)


@reading_health.get("/queue")
async def queue(reader: Health, _: Reader, asked: Annotated[QueueQuestion, *AS_QUERY]) -> dict[str, Any]:
    """How many deliveries are under way."""
    return await reader.queue(asked)


@reading_health.get("/stats")
async def stats(reader: Health, _: Reader, asked: Annotated[StatsQuestion, *AS_QUERY]) -> dict[str, Any]:
    """What became of the deliveries of a window."""
    return await reader.stats(asked)


asking_of_notifies = ops_router()
"""Questions about a notify; they change nothing."""


@asking_of_notifies.post("/notify/validate")
async def validate(
    preflight: Asking, caller: Reader, asked: Annotated[NotifyQuestion, AS_BODY]
) -> dict[str, Any]:
    """Whether a notify would pass every check."""
    return await preflight.validate(caller, asked)


@asking_of_notifies.post("/notify/dry-run")
async def dry_run(
    preflight: Asking, caller: Reader, asked: Annotated[NotifyQuestion, AS_BODY]
) -> dict[str, Any]:
    """What would become of a notify now."""
    return await preflight.dry_run(caller, asked)
