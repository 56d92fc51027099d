"""A Switchboard's database and messages to put into it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_kit.auth import Caller, ConnectorBinding, Role
from butler_kit.db import Grant, MigrationSource, SchemaPlan
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from tests.support.database import Database, Provision

__all__ = [
    "BOT",
    "MAILBOX",
    "add_contacts",
    "butler",
    "connector",
    "mail",
    "new_switchboard_database",
    "operator",
    "switchboard_database",
    "telegram",
]

BOT = "telegram:bot:example"
MAILBOX = "imap:home@example.org"

_MESSENGER = "butler_messenger"
SWITCHBOARD_PLAN = SchemaPlan(
    "switchboard",
    "butler_switchboard",
    "password-of-switchboard",
    (MigrationSource("switchboard", "butler_switchboard", "sql/migrations"),),
)
SHARED_PLAN = SchemaPlan(
    "shared",
    _MESSENGER,
    "password-of-messenger",
    (MigrationSource("shared", _MESSENGER, "sql/shared_migrations"),),
    (Grant("butler_switchboard", ("contacts", "contact_info")),),
)


async def switchboard_database(provisioned: Provision) -> Database:
    """A database with the schemas `switchboard` and `shared`, and the household of Ada and Ben.

    It is as Switchboard leaves it when it ends: the partitions of today are there.
    """
    return await provisioned(SWITCHBOARD_PLAN, SHARED_PLAN, lived=with_household)


async def new_switchboard_database(provisioned: Provision) -> Database:
    """The same before any Switchboard has begun on it: without partitions."""
    return await provisioned(SWITCHBOARD_PLAN, SHARED_PLAN, lived=add_contacts)


async def with_household(database: Database) -> None:
    await add_contacts(database)
    pool = await database.pool("switchboard")
    await Retention(pool, RetentionPolicy()).prepare()
    await pool.close()


async def add_contacts(database: Database) -> None:
    people = (
        ("Ada Example", "owner", "1001", "ada@example.org"),
        ("Ben Example", "member", "1002", "ben@example.org"),
    )
    connection = await database.admin()
    try:
        for name, role, telegram_id, address in people:
            contact = uuid4()
            await connection.execute(
                "INSERT INTO shared.contacts (contact_id, name, role) VALUES ($1, $2, $3)",
                contact,
                name,
                role,
            )
            for kind, value in (("telegram", telegram_id), ("email", address)):
                await connection.execute(
                    "INSERT INTO shared.contact_info (contact_id, type, value) VALUES ($1, $2, $3)",
                    contact,
                    kind,
                    value,
                )
    finally:
        await connection.close()


def connector(kind: str = "telegram_bot", endpoint: str = BOT, *, max_tier: str = "interactive") -> Caller:
    """An authenticated connector bound to one source."""
    return Caller(
        subject=f"connector:{kind}:{endpoint}",
        role=Role.CONNECTOR,
        name=None,
        connector=ConnectorBinding(kind, endpoint, max_tier),
        origin=None,
        token_id=str(uuid4()),
        expires_at=datetime(2100, 1, 1, tzinfo=UTC),
    )


def butler(name: str) -> Caller:
    """An authenticated butler."""
    return _person(f"butler:{name}", Role.BUTLER, name)


def operator(name: str = "ada") -> Caller:
    """An authenticated operator."""
    return _person(name, Role.OPERATOR, None)


def _person(subject: str, role: Role, name: str | None) -> Caller:
    return Caller(subject, role, name, None, None, str(uuid4()), datetime(2100, 1, 1, tzinfo=UTC))


def telegram(
    number: int,
    text: str = "hello",
    *,
    sender: str = "1001",
    chat: str = "1001",
    observed_at: datetime | None = None,
    control: Mapping[str, Any] | None = None,
    supersedes: str | None = None,
    message_id: str | None = None,
    pressed: str | None = None,
    replies_to: str | None = None,
) -> IngestEnvelopeV1:
    """A text message to the bot, or a press of a button with that text; `number` is the update id."""
    event = {
        "external_event_id": str(number),
        "external_thread_id": chat,
        "external_message_id": message_id or str(number),
        "observed_at": (observed_at or datetime.now(UTC)).isoformat(),
    }
    if supersedes is not None:
        event["supersedes"] = supersedes
    if replies_to is not None:
        event["in_reply_to"] = replies_to
    if pressed is not None:
        event |= {"external_event_id": f"callback_query:{number}", "pressed": pressed}
    return parse(
        IngestEnvelopeV1,
        {
            "schema_version": "ingest.v1",
            "source": {"channel": "telegram", "provider": "telegram", "endpoint_identity": BOT},
            "event": event,
            "sender": {"identity": sender},
            "payload": {"raw": {"update_id": number, "message": {"text": text}}, "normalized_text": text},
            "control": dict(control or {}),
        },
    )


def mail(
    message_id: str,
    text: str = "hello",
    *,
    sender: str = "ada@example.org",
    headers: Mapping[str, list[str]] | None = None,
    observed_at: datetime | None = None,
    thread: str | None = None,
) -> IngestEnvelopeV1:
    """A mail in the household's mailbox, in the chain that begins with the mail `thread`."""
    return parse(
        IngestEnvelopeV1,
        {
            "schema_version": "ingest.v1",
            "source": {"channel": "email", "provider": "imap", "endpoint_identity": MAILBOX},
            "event": {
                "external_event_id": message_id,
                "external_message_id": message_id,
                "external_thread_id": thread,
                "observed_at": (observed_at or datetime.now(UTC)).isoformat(),
            },
            "sender": {"identity": sender},
            "payload": {
                "raw": {
                    "headers": {"From": [sender], **(headers or {})},
                    "subject": "A subject",
                    "text": text,
                },
                "normalized_text": text,
            },
            "control": {},
        },
    )
