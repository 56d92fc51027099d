"""`/ops/v1/deliveries` and `/ops/v1/channels` of Messenger, for operator and dashboard (interfaces, HTTP)."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from butler_kit.ops.app import ops_router
from butler_kit.ops.inputs import AS_QUERY, Reader, handed
from butler_messenger.tracking.channels import ChannelReader
from butler_messenger.tracking.reader import DeliveryReader
from butler_messenger.tracking.requests import SearchQuestion

__all__ = ["reading_deliveries"]


Tracking = Annotated[DeliveryReader, handed(DeliveryReader)]
reading_deliveries = ops_router()
"""The search, one delivery, and how the channels stand."""


@reading_deliveries.get("/deliveries")
async def search(reader: Tracking, _: Reader, asked: Annotated[SearchQuestion, *AS_QUERY]) -> dict[str, Any]:
    """Deliveries, newest first."""
    return await reader.search(asked.to_filter())


@reading_deliveries.get("/deliveries/{delivery_id}")
async def one(reader: Tracking, _: Reader, delivery_id: UUID) -> dict[str, Any]:
    """One delivery with its attempts and receipts."""
    status = await reader.status(delivery_id)
    attempts = await reader.attempts(delivery_id)
    return {**status, "attempts": attempts["attempts"]}


@reading_deliveries.get("/channels")
async def channels(reader: Annotated[ChannelReader, handed(ChannelReader)], _: Reader) -> dict[str, Any]:
    """How each channel stands, by the last call that was answered."""
    return {"channels": await reader.channels()}
