"""Deliveries that are admitted without a Messenger around them: what a store test says, and a process that admits many.

`python -m tests.integration.messenger.admissions PLAN LOG`: PLAN is a JSON file with `limits`, and the `wishes` of this
process, all of which are asked for at one moment. What became of each is written to LOG as JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from butler_contracts.errors import ButlerError
from butler_kit.db import Pool, open_pool
from butler_messenger.admission.limits import AdmissionLimits, RateLimits
from butler_messenger.admission.store import AdmissionStore, NewDelivery
from butler_messenger.delivery.states import Status

__all__ = ["limits_of", "new_delivery"]


def new_delivery(
    key: str | None = None,
    *,
    to: str = "1001",
    origin: str = "finance",
    intent: str = "send",
    channel: str = "telegram",
    thread: str | None = None,
) -> NewDelivery:
    """A delivery as admission makes it, by default of a key of its own."""
    return NewDelivery(
        delivery_id=uuid4(),
        idempotency_key=key or str(uuid4()),
        request_id=None,
        subrequest_id=None,
        origin_butler=origin,
        intent=intent,
        channel=channel,
        contact_id=None,
        target_identity=to,
        thread_identity=thread or f"{channel}:{to}",
        reply_to=None,
        notify_request={"delivery": {"message": "hello"}},
        route_context=None,
        status=Status.PENDING,
        expires_after_s=86_400.0,
    )


def limits_of(*, places: int = 10_000, **rates: Any) -> AdmissionLimits:
    """The default budgets but for `rates`, and places enough."""
    return AdmissionLimits(places, RateLimits(**rates))


async def admit_all(pool: Pool, limits: AdmissionLimits, wishes: list[Mapping[str, Any]]) -> list[str]:
    """Ask for all at one moment; `admitted`, or the class of the refusal, for each."""
    store = AdmissionStore(pool)

    async def one(wish: Mapping[str, Any]) -> str:
        try:
            await store.admit(new_delivery(**wish), limits)
        except ButlerError as refused:
            return refused.error_class.value
        return "admitted"

    return list(await asyncio.gather(*(one(wish) for wish in wishes)))


async def admitted(asked: Mapping[str, Any]) -> list[str]:
    """What became of each wish of a plan."""
    pool = await open_pool(os.environ["BUTLERS_DATABASE_URL"], "messenger", name="admitting", max_size=8)
    try:
        return await admit_all(pool, limits_of(**asked["limits"]), asked["wishes"])
    finally:
        await pool.close()


if __name__ == "__main__":
    plan, log = (Path(argument) for argument in sys.argv[1:])
    log.write_text(json.dumps(asyncio.run(admitted(json.loads(plan.read_text("utf-8"))))), "utf-8")
