"""Counts the messages of one topic to a person, exactly, over all replicas (docs/adr/0021)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from butler_kit.db import Connection, NamedQueries
from butler_messenger.admission.store import NewDelivery
from butler_messenger.owner.words import Bounds

__all__ = ["OwnerWindow"]

_SQL: Final = NamedQueries("butler_messenger.sql", "owner.sql")
_ENTER: Final = _SQL["enter_window"]
_LOOK: Final = _SQL["look_into_window"]


class OwnerWindow:
    """The limit of every topic."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds

    async def counted(self, connection: Connection, new: NewDelivery) -> NewDelivery:
        """Return the delivery to store in this transaction: on its own, or collected for a digest."""
        at_once = await connection.fetchval(
            _ENTER, new.channel, new.target_identity, new.topic, self.bounds.window_s, self.bounds.at_once
        )
        return replace(new, collected=not at_once)

    async def would_collect(self, connection: Connection, new: NewDelivery) -> bool:
        """Return whether `counted` would collect it now, without counting it."""
        at_once = await connection.fetchval(
            _LOOK, new.channel, new.target_identity, new.topic, self.bounds.window_s, self.bounds.at_once
        )
        return not at_once
