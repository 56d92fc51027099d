"""Asks the provider's own records whether they have a delivery (D41)."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from butler_messenger.admission.store import AdmissionStore
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.delivery.decisions import Evidence
from butler_messenger.delivery.outgoing import outgoing_of

__all__ = ["Evidences"]


class Evidences:
    """What is known outside of a delivery that nobody here knows the end of."""

    def __init__(self, store: AdmissionStore, channels: Mapping[str, Channel]) -> None:
        self._store = store
        self._channels = channels

    async def of(self, delivery_id: UUID) -> Evidence:
        """`none` where the channel keeps no records, or the delivery itself is no longer kept."""
        delivery = await self._store.get(delivery_id)
        channel = self._channels.get(delivery.channel) if delivery is not None else None
        if delivery is None or channel is None or not channel.keeps_records:
            return "none"
        return await channel.evidence(outgoing_of(delivery))
