"""The canonical request context: assigned once, never changed (SWB-01, CNX-04.1, D1, D22)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from butler_contracts.base import UUID7, StrictModel, Timestamp, rule_broken
from butler_contracts.bounded_json import TraceContext
from butler_contracts.ingest import IngestionTier, PolicyTier, SourceChannel
from butler_contracts.text import STORABLE, ButlerName, Identity, Line

ReplyPolicy = Literal["allow", "owner", "none"]
"""allow: the sender is answered; owner: only the owner is told, by `send`; none: nobody is (D22)."""
SenderClass = Literal["household", "other"]
DedupeStrategy = Literal["connector_api"]

_Short = Annotated[str, Field(max_length=128), STORABLE]


class RequestContext(StrictModel):
    """Who asked what, where and when; the root of every subrequest (SWB-01.4).

    `source_message_identity` is the provider's id of the message itself, where a reply or reaction points.
    `observed_at` is when the message was said, where that is not (within the quarter of an hour) when it was received.
    `source_subject` is the subject of the mail that is answered, told to Messenger with an answer.
    `source_sender_name` is how a sender outside the household calls themselves, told to a butler with its work.
    """

    request_id: UUID7
    received_at: Timestamp
    source_channel: SourceChannel
    source_endpoint_identity: Identity
    source_sender_identity: Identity
    source_thread_identity: Identity | None = None
    source_message_identity: Identity | None = None
    idempotency_key: Identity | None = None
    trace_context: TraceContext = Field(default_factory=dict)
    ingestion_tier: IngestionTier = IngestionTier.FULL
    policy_tier: PolicyTier = PolicyTier.DEFAULT
    dedupe_key: Annotated[str, Field(max_length=4_096), STORABLE] | None = None
    dedupe_strategy: DedupeStrategy | None = None
    triage_decision: _Short | None = None
    triage_target: ButlerName | None = None
    triage_rule_id: _Short | None = None
    triage_rule_type: _Short | None = None
    reply_policy: ReplyPolicy = "allow"
    sender_class: SenderClass = "household"
    automatic: bool = False
    # Left out when they say nothing; a butler of the release before refuses them and is sent the work without.
    observed_at: Timestamp | None = Field(default=None, exclude_if=lambda value: value is None)
    source_subject: Line | None = Field(default=None, exclude_if=lambda value: value is None)
    source_sender_name: Line | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def said_at(self) -> datetime:
        """The moment from which "today", "yesterday" and "this month" of the message are counted."""
        return self.observed_at or self.received_at

    @model_validator(mode="after")
    def _only_household_mail_by_a_person_is_answered(self) -> Self:
        if self.reply_policy != "allow":
            return self
        if self.sender_class != "household":
            raise rule_broken(
                "reply_policy", "is 'allow' for a sender outside the household", "'owner' or 'none'"
            )
        if self.automatic:
            raise rule_broken("reply_policy", "is 'allow' for an automatic message", "'owner' or 'none'")
        return self
