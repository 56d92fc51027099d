"""Messages of the inbox as far as their statistics need them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from butler_contracts.ingest import CONNECTOR_SOURCES, SourceChannel, SourceProvider

__all__ = ["Message", "add_messages"]

_CONNECTORS: Final = {pair: connector_type for connector_type, pair in CONNECTOR_SOURCES.items()}


@dataclass(frozen=True, slots=True)
class Message:
    """`outcomes`: the butlers it was dispatched to, None before it is routed."""

    request_id: UUID
    received_at: datetime
    channel: str
    provider: str
    endpoint: str
    outcomes: tuple[str, ...] | None
    backfill: UUID | None = None

    @property
    def connector(self) -> str:
        """The type of connector that brings messages of this channel and provider."""
        return _CONNECTORS[SourceChannel(self.channel), SourceProvider(self.provider)]

    @property
    def butlers(self) -> tuple[str, ...]:
        return self.outcomes or ()


async def add_messages(connection: asyncpg.Connection, messages: Iterable[Message]) -> None:
    """Put them into the inbox as if they had ended."""
    rows = [
        (
            one.request_id, one.received_at, one.channel, one.provider, one.endpoint,
            None if one.outcomes is None else json.dumps([{"target_butler": name} for name in one.outcomes]),
            one.backfill,
        )
        for one in messages
    ]  # fmt: skip
    await connection.executemany(
        "INSERT INTO message_inbox (request_id, received_at, schema_version, source_channel, source_provider,"
        " source_endpoint_identity, source_sender_identity, external_event_id, policy_tier, ingestion_tier,"
        " sender_class, reply_policy, dedupe_key, request_context, raw_payload, normalized_text, lifecycle_state,"
        " dispatch_outcomes, backfill_job_id)"
        " VALUES ($1, $2, 'ingest.v1', $3, $4, $5, 's', $1::uuid::text, 'default', 'full', 'household', 'allow',"
        " $1::uuid::text, '{}', '{}', 'x', 'parsed', $6::text::json, $7)",
        rows,
    )
