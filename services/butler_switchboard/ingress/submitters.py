"""Who may submit which messages (pure; D3, D47, D88)."""

from __future__ import annotations

from typing import Final

from butler_contracts.ingest import CONNECTOR_SOURCES, TYPED_EVENT_PREFIX, IngestEnvelopeV1
from butler_kit.auth import Caller, Forbidden, Role, authorize_connector

__all__ = ["MESSENGER", "authorize_submission"]

MESSENGER: Final = "messenger"
"""The name of the one butler that may submit (`operations.routers.declaring` gives it to no other role)."""


def authorize_submission(caller: Caller, envelope: IngestEnvelopeV1, *, mailbox: str | None = None) -> None:
    """Let a connector submit for its own source, an operator what a person typed, Messenger for its `mailbox`.

    Raises `Forbidden`.
    """
    if caller.role is Role.OPERATOR:
        _only_what_was_typed(caller, envelope)
    elif caller.role is Role.BUTLER and caller.name == MESSENGER:
        _only_its_mailbox(caller, envelope, mailbox)
    else:
        _only_its_own_source(caller, envelope)


def _only_its_own_source(caller: Caller, envelope: IngestEnvelopeV1) -> None:
    kind = caller.connector.connector_type if caller.connector else ""
    authorize_connector(caller, kind, envelope.source.endpoint_identity)
    allowed = CONNECTOR_SOURCES.get(kind)
    if allowed != (envelope.source.channel.value, envelope.source.provider.value):
        raise Forbidden(
            f"'{caller.subject}' is a {kind} connector; it submits for "
            f"{'/'.join(allowed) if allowed else 'no known source'}, not for "
            f"{envelope.source.channel}/{envelope.source.provider}"
        )


def _only_what_was_typed(caller: Caller, envelope: IngestEnvelopeV1) -> None:
    """Let an operator submit only what a person typed: sources have connectors that speak for them (D88)."""
    source = (envelope.source.channel.value, envelope.source.provider.value)
    if source not in CONNECTOR_SOURCES.values():
        raise Forbidden(f"no connector submits for {'/'.join(source)}, so no operator does")
    typed = envelope.event.external_event_id.startswith(TYPED_EVENT_PREFIX)
    if not typed or envelope.control.backfill_job_id:
        raise Forbidden(
            f"'{caller.subject}' is an operator and submits only what a person typed (`butlers send`; its event ids "
            f"begin with '{TYPED_EVENT_PREFIX}'); a source's events, and its history, come with its connector's token"
        )


def _only_its_mailbox(caller: Caller, envelope: IngestEnvelopeV1, mailbox: str | None) -> None:
    """Let Messenger submit its manifest's mailbox, as that mailbox's connector would (D47, ADR 0088)."""
    source = (
        envelope.source.channel.value,
        envelope.source.provider.value,
        envelope.source.endpoint_identity,
    )
    if mailbox is None:
        raise Forbidden(
            f"'{caller.subject}' has no mailbox on record; "
            "set spec.modules.email.bot.inbox in the messenger's manifest and apply it"
        )
    if source != (*CONNECTOR_SOURCES["imap"], mailbox) or envelope.control.backfill_job_id:
        raise Forbidden(
            f"'{caller.subject}' submits what arrives in its mailbox '{mailbox}', "
            f"not for {'/'.join(source[:2])} '{source[2]}', and no history"
        )
