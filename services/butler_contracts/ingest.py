"""`ingest.v1`: the one shape in which an event enters (CNX-02, CNX-03.5, SWB-23.1, D6, D15, D54)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final, Literal, Self
from uuid import UUID

from pydantic import Field, ValidationInfo, field_validator, model_validator

from butler_contracts.actions import REFERENCE_MAX
from butler_contracts.base import UUID7, StrictModel, Timestamp, TolerantModel, VersionedRequest, rule_broken
from butler_contracts.bounded_json import RawPayload, TraceContext
from butler_contracts.text import STORABLE, ButlerName, Identity

NORMALIZED_TEXT_MAX: Final = 65_536
ATTACHMENTS_MAX: Final = 100
ATTACHMENT_BYTES_MAX: Final = 2**40
INGEST_V1: Final = "ingest.v1"
TYPED_EVENT_PREFIX: Final = "butlers-send:"
"""How the id of an event begins that no provider had: a person typed it (D88)."""


class SourceChannel(StrEnum):
    """By which kind of channel an event came (CNX-02.2)."""

    TELEGRAM = "telegram"
    SLACK = "slack"
    EMAIL = "email"
    API = "api"
    MCP = "mcp"


class SourceProvider(StrEnum):
    """Who operates the channel (CNX-02.2)."""

    TELEGRAM = "telegram"
    SLACK = "slack"
    GMAIL = "gmail"
    IMAP = "imap"
    INTERNAL = "internal"


class PolicyTier(StrEnum):
    """Queue order (CNX-02.8)."""

    DEFAULT = "default"
    INTERACTIVE = "interactive"
    HIGH_PRIORITY = "high_priority"


class IngestionTier(StrEnum):
    """Tier 1 carries the whole payload, tier 2 a subject or summary only (CNX-02.8)."""

    FULL = "full"
    METADATA = "metadata"


VALID_PAIRS: Final[dict[SourceChannel, tuple[SourceProvider, ...]]] = {
    SourceChannel.TELEGRAM: (SourceProvider.TELEGRAM,),
    SourceChannel.EMAIL: (SourceProvider.GMAIL, SourceProvider.IMAP),
    SourceChannel.API: (SourceProvider.INTERNAL,),
    SourceChannel.MCP: (SourceProvider.INTERNAL,),
    SourceChannel.SLACK: (),
}
"""Which provider goes with which channel; slack has none, so nothing of it is accepted (CNX-02.3, D6)."""


CONNECTOR_SOURCES: Final[Mapping[str, tuple[SourceChannel, SourceProvider]]] = {
    "telegram_bot": (SourceChannel.TELEGRAM, SourceProvider.TELEGRAM),
    "imap": (SourceChannel.EMAIL, SourceProvider.IMAP),
    "gmail": (SourceChannel.EMAIL, SourceProvider.GMAIL),
    "webhook": (SourceChannel.API, SourceProvider.INTERNAL),
    "mcp": (SourceChannel.MCP, SourceProvider.INTERNAL),
}
"""Which channel and provider a connector type submits for; no two types share a pair, so a pair names its type (D3)."""


class IngestSourceV1(StrictModel):
    """Which connector instance observed the event (CNX-02.2)."""

    channel: SourceChannel
    provider: SourceProvider
    endpoint_identity: Identity

    @field_validator("channel")
    @classmethod
    def _slack_has_no_connector(cls, channel: SourceChannel) -> SourceChannel:
        if not VALID_PAIRS[channel]:
            known = ", ".join(name for name, providers in VALID_PAIRS.items() if providers)
            raise rule_broken(
                "", f"'{channel}' is not supported yet: it has no valid provider", f"one of {known}"
            )
        return channel

    @field_validator("provider")
    @classmethod
    def _pair_is_valid(cls, provider: SourceProvider, info: ValidationInfo) -> SourceProvider:
        channel = info.data.get("channel")
        if channel is not None and provider not in VALID_PAIRS[channel]:
            allowed = " or ".join(VALID_PAIRS[channel])
            raise rule_broken("", f"'{provider}' does not go with channel '{channel}'", allowed)
        return provider


class IngestEventV1(StrictModel):
    """Which event of the provider this is (CNX-02.4).

    `external_message_id` is the provider's id of the message inside its thread (Telegram `message_id`,
    RFC 5322 Message-ID): what a reply points at, and what an edit shares with the message it edits.
    `supersedes` is the `external_message_id` of the message that this event edits (D54).
    `in_reply_to` is the `external_message_id` of the message that this one replies to, whoever sent that.
    `pressed` is the reference of a button that somebody pressed, as the provider handed it back; anybody may have made
    it up (ADR 0041).
    """

    external_event_id: Annotated[str, Field(min_length=1, max_length=998), STORABLE]
    external_thread_id: Identity | None = None
    external_message_id: Identity | None = None
    observed_at: Timestamp
    supersedes: Identity | None = None
    # Left out when they say nothing: a Switchboard of the release before refuses unknown fields. It is sent a reply as
    # a message that replies to none.
    in_reply_to: Identity | None = Field(default=None, exclude_if=lambda value: value is None)
    pressed: Annotated[str, Field(min_length=1, max_length=REFERENCE_MAX), STORABLE] | None = Field(
        default=None, exclude_if=lambda value: value is None
    )


class IngestSenderV1(StrictModel):
    """Who sent it, as the provider asserts it (CNX-02.5)."""

    identity: Identity
    display_name: Annotated[str, Field(max_length=256), STORABLE] | None = None


class IngestAttachment(StrictModel):
    """Metadata of an attachment that is fetched when needed, never carried (CNX-02.7)."""

    media_type: Annotated[
        str, Field(max_length=255, pattern=r"^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+$")
    ]
    storage_ref: Identity
    size_bytes: Annotated[int, Field(ge=0, le=ATTACHMENT_BYTES_MAX)]
    filename: Annotated[str, Field(max_length=255), STORABLE] | None = None
    width: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    height: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class IngestPayloadV1(StrictModel):
    """What was said: the provider's own form and the best readable text (CNX-02.6)."""

    raw: RawPayload | None = None
    normalized_text: Annotated[str, Field(min_length=1, max_length=NORMALIZED_TEXT_MAX), STORABLE]
    attachments: Annotated[tuple[IngestAttachment, ...], Field(max_length=ATTACHMENTS_MAX)] = ()


class IngestControlV1(StrictModel):
    """How the event is to be handled (CNX-02.8); `backfill_job_id` says that it is history, and of which job (D34).

    `policy_tier` is one of `PolicyTier`; any other word is taken for `default`, so that no message is lost to it
    (SWB-07.3, D78).
    """

    idempotency_key: Identity | None = None
    trace_context: TraceContext = Field(default_factory=dict)
    policy_tier: Annotated[str, Field(max_length=64), STORABLE] = PolicyTier.DEFAULT.value
    ingestion_tier: IngestionTier = IngestionTier.FULL
    # Left out when it says nothing: a Switchboard of the release before refuses unknown fields.
    backfill_job_id: UUID | None = Field(default=None, exclude_if=lambda value: value is None)


class IngestEnvelopeV1(VersionedRequest):
    """One event, as a connector submits it (CNX-02.1)."""

    schema_version: Literal["ingest.v1"] = INGEST_V1
    source: IngestSourceV1
    event: IngestEventV1
    sender: IngestSenderV1
    payload: IngestPayloadV1
    control: IngestControlV1

    @model_validator(mode="after")
    def _raw_goes_with_the_tier(self) -> Self:
        tier, raw = self.control.ingestion_tier, self.payload.raw
        if tier is IngestionTier.FULL and raw is None:
            raise rule_broken(
                "payload.raw", "is missing in tier 'full'", "the provider's payload as an object"
            )
        if tier is IngestionTier.METADATA and raw is not None:
            raise rule_broken(
                "payload.raw", "is present in tier 'metadata'", "null: only a subject or summary"
            )
        if tier is IngestionTier.METADATA and len(self.payload.normalized_text) > 2_000:
            problem = "is longer than 2000 characters in tier 'metadata'"
            raise rule_broken("payload.normalized_text", problem, "only a subject or summary")
        return self


class IngestAcceptedResponse(TolerantModel):
    """What an accepted submission gets; a duplicate gets the first's `request_id` (CNX-03.5, SWB-23.2)."""

    request_id: UUID7
    status: Literal["accepted"] = "accepted"
    duplicate: bool = False
    triage_decision: Annotated[str, Field(max_length=64), STORABLE] | None = None
    triage_target: ButlerName | None = None
