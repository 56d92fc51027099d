"""Holds a delivery until somebody has approved it (MSR-03.1).

Invariant: a `pending_approval` delivery and its request for an approval exist together or not at all; it is in no
queue and has used no budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from butler_contracts.errors import OverloadRejected
from butler_kit.db import Connection, NamedQueries
from butler_messenger.admission.store import AdmissionStore, NewDelivery
from butler_messenger.approvals.gate import MOST_WAITING, Gate
from butler_messenger.delivery.channels.port import Channel
from butler_messenger.delivery.outgoing import Wished, outgoing_of
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.states import Status

__all__ = ["Holding"]

_SQL: Final = NamedQueries("butler_messenger.sql", "approvals.sql")
_ALLOWS: Final = NamedQueries("butler_messenger.sql", "approval_rules.sql")["allows"]
_COME_AGAIN_S: Final = 600.0


class Holding:
    """Without a gate it holds nothing."""

    def __init__(self, gate: Gate | None, channels: Mapping[str, Channel], store: AdmissionStore) -> None:
        self._gate = gate
        self._channels = channels
        self._store = store

    def tool_of(self, wished: Wished) -> str | None:
        """Return the tool that needs the approval; None if none is needed."""
        channel = self._channels.get(wished.channel)
        if self._gate is None or channel is None or wished.target_identity is None:
            return None
        tool = channel.tool_for(outgoing_of(wished))
        return tool if self._gate.holds(tool, wished.intent) else None

    async def admit(
        self, connection: Connection, new: NewDelivery, tool: str
    ) -> tuple[Delivery | None, bool]:
        """Store it as waiting, and return it with whether a rule allows it; None if its key is known.

        The caller releases an allowed one after the commit. Raises `OverloadRejected` if too many wait.
        """
        if await self._store.is_known(connection, new.idempotency_key):
            return None, False
        await self._check_room(connection)
        held = replace(new, status=Status.PENDING_APPROVAL, expires_after_s=self._patience_s, topic=None)
        stored = await self._store.insert(connection, held)
        if stored is None:
            return None, False
        return stored, await connection.fetchval(_SQL["request"], stored.delivery_id, tool) is not None

    async def allows(self, connection: Connection, new: NewDelivery, tool: str) -> bool:
        """Return whether a rule allows it now."""
        allowed: bool = await connection.fetchval(
            _ALLOWS, new.origin_butler, new.channel, new.target_identity, tool
        )
        return allowed

    async def hold(self, connection: Connection, delivery: Delivery) -> bool:
        """Hold a `pending` delivery that is in no queue yet, if it has to wait; return whether it has to.

        One that a rule allows is held as well, and released by the next sweep of approved deliveries.
        """
        tool = self.tool_of(delivery)
        if tool is None:
            return False
        await connection.execute(_SQL["hold"], delivery.delivery_id, self._patience_s)
        await connection.execute(_SQL["request"], delivery.delivery_id, tool)
        return True

    @property
    def _patience_s(self) -> float:
        return self._gate.expires_after_s if self._gate is not None else 0.0

    async def _check_room(self, connection: Connection) -> None:
        waiting: int = await connection.fetchval(_SQL["open_count"])
        if waiting >= MOST_WAITING:
            raise OverloadRejected(
                f"{waiting} messages wait for an approval; it comes again when some are decided",
                retry_after_s=_COME_AGAIN_S,
            )
