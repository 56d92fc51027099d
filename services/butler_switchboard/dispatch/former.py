"""Reads the former versions of an edited message (D54)."""

from __future__ import annotations

from butler_kit.db import NamedQueries, Pool, acquire
from butler_switchboard.dispatch.model import RequestState
from butler_switchboard.dispatch.state import load_request
from butler_switchboard.ingress.message import InboxMessage

__all__ = ["FormerVersions"]

_FORMER = NamedQueries("butler_switchboard", "sql/ingress.sql")["former_versions"]


class FormerVersions:
    """The versions of a message that the same sender sent before, newest first."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def of(self, message: InboxMessage) -> tuple[RequestState, ...]:
        """Return the versions; empty if the message edits none that is still known. Raises `Unreadable`."""
        if message.supersedes is None:
            return ()
        context = message.context
        async with acquire(self._pool, doing="reading an edited message") as connection:
            rows = await connection.fetch(
                _FORMER,
                context.source_endpoint_identity,
                context.source_thread_identity,
                message.supersedes,
                context.source_sender_identity,
                message.request_id,
            )
            found = [await load_request(connection, row["request_id"]) for row in rows]
        return tuple(state for state in found if state is not None)
