"""What the operator writes into `status`: states and the times at which they changed.

Invariant: nothing here ticks. A figure that grows by itself is read from Switchboard; a status is written when
something happened, and a BackfillJob's progress at most once a minute.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.conditions import Conditions

__all__ = [
    "BackfillJobStatus",
    "BackfillState",
    "ButlerOperationStatus",
    "ButlerStatus",
    "ConnectorStatus",
    "DatabaseStatus",
    "EligibilityStatus",
    "LivenessStatus",
    "OperationPhase",
    "OperationResult",
    "WebhookStatus",
]

Text = Annotated[str, StringConstraints(max_length=4000)]
Identifier = Annotated[str, StringConstraints(max_length=100)]
Count = Annotated[int, Field(ge=0, le=2**53)]


class BackfillState(StrEnum):
    """Switchboard's word for a job (SWB-18.2)."""

    PENDING = "pending"
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    COST_CAPPED = "cost_capped"
    ERROR = "error"


class OperationPhase(StrEnum):
    """How far an operation is; the last three are final."""

    PENDING = "Pending"
    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    EXPIRED = "Expired"

    @property
    def final(self) -> bool:
        """Whether nothing more will happen."""
        return self in (OperationPhase.SUCCEEDED, OperationPhase.FAILED, OperationPhase.EXPIRED)


class _Status(ResourceModel):
    """What every status has."""

    observed_generation: int | None = Field(
        default=None, ge=0, le=2**62, description="Generation of the manifest that this status is about."
    )
    conditions: Conditions = Field(default=(), description="Facts about the resource, one of each type.")


class _RunningStatus(_Status):
    """What the status of whatever becomes pods has."""

    version: Text | None = Field(
        default=None,
        description="Tag or digest of the image that all its pods run; the one before while a roll-out is on its way.",
    )


class EligibilityStatus(ResourceModel):
    """What Switchboard's registry says about routing to the butler (D30)."""

    state: Literal["active", "stale", "quarantined"] = Field(
        description="active ones get new work; stale ones were silent lately; quarantined ones are held out."
    )
    reason: Text = Field(default="", description="Why, in the words of Switchboard or of who asked for it.")
    origin: Literal["automatic", "operator", "manifest"] | None = Field(
        default=None, description="Who put it into quarantine."
    )
    since: AwareDatetime | None = Field(default=None, description="When the state began.")


class LivenessStatus(ResourceModel):
    """What Switchboard's registry says about the connector's heartbeats (CNX-12)."""

    state: Literal["online", "stale", "offline"] = Field(description="By the age of the last heartbeat.")
    since: AwareDatetime | None = Field(default=None, description="When the state was first seen.")
    eligibility: Literal["active", "stale", "quarantined"] | None = Field(
        default=None, description="Whether its messages are taken."
    )


class DatabaseStatus(ResourceModel):
    """One butler's part of the household's database."""

    butler: Identifier = Field(description="Its name.")
    uid: Identifier = Field(description="Of its resource: who comes back under the name has another.")
    reclaim_policy: Literal["retain", "delete"] = Field(description="What its manifest said last.")
    state: Literal["InUse", "Leaving", "Retained", "Dropped"] = Field(
        description="Leaving: deleted, its role is about to be closed. Retained: its role cannot log in, its data is "
        "kept for a butler of the name. Dropped: nothing is left."
    )
    gone_since: AwareDatetime | None = Field(default=None, description="When it was found to be deleted.")


class ButlerStatus(_RunningStatus):
    """What the cluster and Switchboard say about a butler."""

    replicas: int | None = Field(default=None, ge=0, le=1000, description="Pods that exist, ready or not.")
    ready_replicas: int | None = Field(default=None, ge=0, le=1000, description="Pods that are ready.")
    selector: Text | None = Field(
        default=None, description="Label selector of its pods, for autoscalers and `kubectl scale`."
    )
    eligibility: EligibilityStatus | None = Field(
        default=None, description="What Switchboard's registry says about it."
    )
    databases: Annotated[
        tuple[DatabaseStatus, ...],
        Field(json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["butler"]}),
    ] = Field(
        default=(),
        max_length=1000,
        description="Switchboard only: the butlers of the household that have a part of its database, and those that "
        "were deleted.",
    )


class WebhookStatus(ResourceModel):
    """Where a webhook is reached."""

    url: Text | None = Field(
        default=None, description="Where people outside post; condition Published says whether they can."
    )


class ConnectorStatus(_RunningStatus):
    """What the cluster and Switchboard say about a connector."""

    liveness: LivenessStatus | None = Field(
        default=None, description="What Switchboard's registry says about it."
    )
    webhook: WebhookStatus | None = Field(default=None, description="Type webhook: where it is reached.")
    replicas: int | None = Field(
        default=None, ge=0, le=1000, description="With several replicas: pods that exist, ready or not."
    )
    ready_replicas: int | None = Field(
        default=None, ge=0, le=1000, description="With several replicas: pods that read or stand by."
    )


class BackfillJobStatus(_Status):
    """How far a backfill is."""

    job_id: Identifier | None = Field(default=None, description="Switchboard's id of the job.")
    state: BackfillState | None = Field(default=None, description="Switchboard's word for where it is.")
    rows_processed: Count | None = Field(default=None, description="Messages taken so far.")
    rows_skipped: Count | None = Field(default=None, description="Messages passed over so far.")
    cost_spent_cents: Count | None = Field(default=None, description="Spend so far, in cents.")
    cost_spent_today_cents: Count | None = Field(
        default=None, description="Spend of the UTC day of the last progress, in cents: what the cap limits."
    )
    progress_at: AwareDatetime | None = Field(default=None, description="When these figures were written.")
    started_at: AwareDatetime | None = Field(default=None, description="When a connector took the job.")
    finished_at: AwareDatetime | None = Field(default=None, description="When it ended.")
    error: Text | None = Field(default=None, description="The connector's words when it gave up.")


class OperationResult(ResourceModel):
    """What the operation changed."""

    message: Text = Field(default="", description="One line for a person.")
    details: dict[str, Text] = Field(
        default_factory=dict, max_length=20, description="Names and ids for scripts."
    )


class ButlerOperationStatus(_Status):
    """What became of an operation."""

    phase: OperationPhase | None = Field(default=None, description="How far it is.")
    result: OperationResult | None = Field(default=None, description="What it changed, or why it did not.")
    audit_id: Identifier | None = Field(default=None, description="Entry in the audit log.")
    started_at: AwareDatetime | None = Field(default=None, description="When it was first tried.")
    finished_at: AwareDatetime | None = Field(default=None, description="When it reached a final phase.")
