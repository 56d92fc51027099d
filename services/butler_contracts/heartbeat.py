"""`connector.heartbeat.v1`: liveness and counters of one connector instance (CNX-11, D10, D15, D31)."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from butler_contracts.base import UUID4, StrictModel, Timestamp, VersionedRequest, rule_broken
from butler_contracts.bounded_json import Capabilities
from butler_contracts.text import STORABLE, Identity

HEARTBEAT_V1: Final = "connector.heartbeat.v1"
CURSOR_MAX: Final = 4_096
INTERVAL_BOUNDS_S: Final = (30, 300)
"""CNX-11.6; what `capabilities.heartbeat_interval_s` may say."""

Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
Reason = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


class ConnectorIdentityV1(StrictModel):
    """Which process this is; a new `instance_id` means a restart (CNX-11.2)."""

    connector_type: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
    endpoint_identity: Identity
    instance_id: UUID4
    version: Annotated[str, Field(max_length=64), STORABLE] | None = None


class ConnectorStatusV1(StrictModel):
    """How it does; anything but healthy says why (CNX-11.3)."""

    state: Literal["healthy", "degraded", "error"]
    error_message: Annotated[str, Field(min_length=1, max_length=2_000), STORABLE] | None = None
    uptime_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]

    @model_validator(mode="after")
    def _trouble_is_explained(self) -> Self:
        if self.state != "healthy" and self.error_message is None:
            raise rule_broken(
                "error_message", f"is missing in state '{self.state}'", "what is wrong, in words"
            )
        return self


class ConnectorCountersV1(StrictModel):
    """Counters that only grow while the process lives (CNX-11.4).

    `messages_skipped` counts by reason what was not submitted (tier 3, D10); `messages_refused` counts what
    was refused for good and is kept in the connector's spool (D15). `messages_parked` is no counter but a level: how
    many messages wait in the connector because Switchboard fails on them.
    """

    messages_ingested: Count = 0
    messages_failed: Count = 0
    source_api_calls: Count = 0
    checkpoint_saves: Count = 0
    dedupe_accepted: Count = 0
    messages_skipped: Annotated[dict[Reason, Count], Field(max_length=32)] = Field(default_factory=dict)
    messages_refused: Count = 0
    # Left out when it says nothing: a Switchboard of the release before refuses unknown fields.
    messages_parked: Count = Field(default=0, exclude_if=lambda waiting: waiting == 0)


class ConnectorCheckpointV1(StrictModel):
    """Where the connector resumes (CNX-11.5)."""

    cursor: Annotated[str, Field(min_length=1, max_length=CURSOR_MAX), STORABLE]
    updated_at: Timestamp


class ConnectorHeartbeatV1(VersionedRequest):
    """One beat (CNX-11.1)."""

    schema_version: Literal["connector.heartbeat.v1"] = HEARTBEAT_V1
    connector: ConnectorIdentityV1
    status: ConnectorStatusV1
    counters: ConnectorCountersV1
    checkpoint: ConnectorCheckpointV1 | None = None
    capabilities: Capabilities = Field(default_factory=dict)
    sent_at: Timestamp

    @field_validator("capabilities")
    @classmethod
    def _interval_is_in_bounds(cls, value: dict[str, Any]) -> dict[str, Any]:
        interval = value.get("heartbeat_interval_s")
        if interval is None:
            return value
        low, high = INTERVAL_BOUNDS_S
        number = isinstance(interval, int | float) and not isinstance(interval, bool)
        if not number or not low <= interval <= high:
            raise rule_broken(
                "heartbeat_interval_s", "is out of bounds", f"a number of seconds from {low} to {high}"
            )
        return value
