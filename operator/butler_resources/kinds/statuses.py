"""What the operator writes into `status`: states and the times at which they changed.

Invariant: nothing here ticks. A figure that grows by itself is read from Switchboard; a status is written when
something happened, and a BackfillJob's progress at most once a minute.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from butler_resources.kinds.base import ResourceModel
from butler_resources.kinds.conditions import Conditions

__all__ = [
    "DATABASES_MOST",
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
DATABASES_MOST: Final = 3_000
"""Entries of `status.databases`; their object stays well below the 1.5 MB that the API server stores of one."""


class BackfillState(StrEnum):
    """State of a job at Switchboard (SWB-18.2)."""

    PENDING = "pending"
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    COST_CAPPED = "cost_capped"
    ERROR = "error"


class OperationPhase(StrEnum):
    """Phase of an operation; the last three are final."""

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
    """Fields of every status."""

    observed_generation: int | None = Field(
        default=None, ge=0, le=2**62, description="Generation of the manifest that this status reflects."
    )
    conditions: Conditions = Field(default=(), description="Conditions of the resource, one of each type.")


class _RunningStatus(_Status):
    """Fields of the status of a resource with pods."""

    version: Text | None = Field(
        default=None,
        description="Tag or digest of the image that all its pods run; the previous one during a rollout.",
    )
    replicas: int | None = Field(default=None, ge=0, le=1000, description="Number of pods, ready or not.")
    ready_replicas: int | None = Field(default=None, ge=0, le=1000, description="Number of ready pods.")
    selector: Text | None = Field(
        default=None, description="Label selector of its pods, for autoscalers and `kubectl scale`."
    )


class EligibilityStatus(ResourceModel):
    """Eligibility of the butler for routing, from Switchboard's registry (D30)."""

    state: Literal["active", "stale", "quarantined"] = Field(
        description="active: gets new work. stale: silent recently. quarantined: excluded from routing."
    )
    reason: Text = Field(default="", description="Reason given by Switchboard or the requester.")
    origin: Literal["automatic", "operator", "manifest"] | None = Field(
        default=None, description="Origin of the quarantine."
    )
    since: AwareDatetime | None = Field(default=None, description="When the state began.")


class LivenessStatus(ResourceModel):
    """Heartbeats of the connector, from Switchboard's registry (CNX-12)."""

    state: Literal["online", "stale", "offline"] = Field(
        description="State by the age of the last heartbeat."
    )
    since: AwareDatetime | None = Field(default=None, description="When the state was first seen.")
    eligibility: Literal["active", "stale", "quarantined"] | None = Field(
        default=None, description="Whether its messages are accepted."
    )


class DatabaseStatus(ResourceModel):
    """One butler's part of the household's database."""

    butler: Identifier = Field(description="Name of the butler.")
    uid: Identifier = Field(description="UID of its resource. A new butler of the same name has another.")
    reclaim_policy: Literal["retain", "delete"] = Field(description="Last policy in its manifest.")
    state: Literal["InUse", "Leaving", "Retained", "Dropped"] = Field(
        description="Leaving: deleted, its role is about to be locked. Retained: its role cannot log in, its data is "
        "kept for a butler of the same name. Dropped: nothing is left."
    )
    gone_since: AwareDatetime | None = Field(default=None, description="When its deletion was detected.")


class ButlerStatus(_RunningStatus):
    """Observed state of a butler."""

    eligibility: EligibilityStatus | None = Field(
        default=None, description="State in Switchboard's registry."
    )
    databases: Annotated[
        tuple[DatabaseStatus, ...],
        Field(json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["butler"]}),
    ] = Field(
        default=(),
        max_length=DATABASES_MOST,
        description="Switchboard only: butlers with a part of the household's database, including deleted ones.",
    )


class WebhookStatus(ResourceModel):
    """Address of a webhook."""

    url: Text | None = Field(
        default=None, description="External URL to post to. Condition Published says whether it is reachable."
    )


class ConnectorStatus(_RunningStatus):
    """Observed state of a connector."""

    liveness: LivenessStatus | None = Field(default=None, description="State in Switchboard's registry.")
    webhook: WebhookStatus | None = Field(default=None, description="Type webhook: its address.")


class BackfillJobStatus(_Status):
    """Progress of a backfill."""

    job_id: Identifier | None = Field(default=None, description="ID of the job at Switchboard.")
    state: BackfillState | None = Field(default=None, description="State of the job at Switchboard.")
    rows_processed: Count | None = Field(default=None, description="Messages accepted so far.")
    rows_skipped: Count | None = Field(default=None, description="Messages skipped so far.")
    cost_spent_cents: Count | None = Field(default=None, description="Spend so far, in cents.")
    cost_spent_today_cents: Count | None = Field(
        default=None, description="Spend on the UTC day of the last progress, in cents. The cap limits this."
    )
    progress_at: AwareDatetime | None = Field(default=None, description="When these figures were written.")
    started_at: AwareDatetime | None = Field(default=None, description="When a connector took the job.")
    finished_at: AwareDatetime | None = Field(default=None, description="When it ended.")
    error: Text | None = Field(default=None, description="Error of the connector when it gave up.")


class OperationResult(ResourceModel):
    """Result of an operation."""

    message: Text = Field(default="", description="Result in one human-readable line.")
    details: dict[str, Text] = Field(
        default_factory=dict, max_length=20, description="Names and ids for scripts."
    )


class ButlerOperationStatus(_Status):
    """Observed state of an operation."""

    phase: OperationPhase | None = Field(default=None, description="Phase of the operation.")
    result: OperationResult | None = Field(
        default=None, description="What the operation changed, or why it changed nothing."
    )
    audit_id: Identifier | None = Field(default=None, description="ID of its entry in the audit log.")
    started_at: AwareDatetime | None = Field(default=None, description="When it was first attempted.")
    finished_at: AwareDatetime | None = Field(default=None, description="When it reached a final phase.")
