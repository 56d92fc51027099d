"""Who may submit which messages (pure; D3, D88)."""

from __future__ import annotations

from butler_contracts.ingest import CONNECTOR_SOURCES, TYPED_EVENT_PREFIX, IngestEnvelopeV1
from butler_kit.auth import Caller, Forbidden, Role, authorize_connector

__all__ = ["authorize_submission"]


def authorize_submission(caller: Caller, envelope: IngestEnvelopeV1) -> None:
    """A connector for its own source, an operator for what a person typed. Raises `Forbidden`."""
    if caller.role is Role.OPERATOR:
        _only_what_was_typed(caller, envelope)
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
    """An operator submits messages that a person typed, and speaks for no source: those have connectors (D88)."""
    source = (envelope.source.channel.value, envelope.source.provider.value)
    if source not in CONNECTOR_SOURCES.values():
        raise Forbidden(f"no connector submits for {'/'.join(source)}, so no operator does")
    typed = envelope.event.external_event_id.startswith(TYPED_EVENT_PREFIX)
    if not typed or envelope.control.backfill_job_id:
        raise Forbidden(
            f"'{caller.subject}' is an operator and submits only what a person typed (`butlers send`; its event ids "
            f"begin with '{TYPED_EVENT_PREFIX}'); a source's events, and its history, come with its connector's token"
        )
