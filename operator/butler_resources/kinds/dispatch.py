"""The block `dispatch` of the Switchboard: how long a target may take, when it is tried again, when it is left alone.

SWB-05.4, SWB-13, SWB-34.1, D17, D77: every number of it is a setting.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from butler_resources.kinds.base import DnsName, ResourceModel, each_once
from butler_resources.kinds.settings import setting

__all__ = ["Circuit", "Dispatch", "DispatchTiers", "Retries", "TargetTimeouts", "TierDispatch"]

ACCEPT: Final = "Timeout in seconds for a target to acknowledge its part of a message."
RUN: Final = "Timeout in seconds from the start of a target's run to its answer."


class Retries(ResourceModel):
    """Retry delays, and the maximum number of attempts after retryable errors (SWB-13.2)."""

    base_delay_seconds: float | None = setting(
        "Delay in seconds after the first failure. Later delays double.", default=0.5, ge=0.01, le=3600
    )
    max_delay_seconds: float | None = setting("Maximum delay in seconds.", default=30, ge=0.01, le=3600)
    max_attempts: int | None = setting(
        "Maximum number of attempts when a target answers with a retryable error. Silence is limited by time instead.",
        default=3,
        ge=1,
        le=20,
    )


class Circuit(ResourceModel):
    """Circuit breaker for a failing target (SWB-13.3, D77)."""

    failures: int | None = setting(
        "Number of consecutive failed calls (over at least 5 s) or runs that open the circuit.",
        default=5,
        ge=1,
        le=1000,
    )
    reset_seconds: float | None = setting(
        "Maximum delay in seconds before an open circuit lets a call through. The first delays are 1 and 2 s.",
        default=4,
        ge=0.01,
        le=3600,
    )
    patience_seconds: float | None = setting(
        "Seconds that a message waits for an open circuit, unless its tier sets another value.",
        default=900,
        ge=0.01,
        le=86_400,
    )


class TierDispatch(ResourceModel):
    """Settings of one tier. Fields that are not set are as for all tiers (SWB-34.1, D77)."""

    patience_seconds: float | None = setting(
        "Seconds to keep trying a target that does not accept.",
        default="900, of tier interactive 60",
        ge=0.01,
        le=86_400,
    )
    circuit_patience_seconds: float | None = setting(
        "Seconds to keep trying while the target's circuit is open.",
        default="circuit.patienceSeconds, of tier interactive 4",
        ge=0.01,
        le=86_400,
    )
    max_attempts: int | None = setting(
        "Maximum number of attempts when a target answers with a retryable error.",
        default="retries.maxAttempts",
        ge=1,
        le=20,
    )
    accept_timeout_seconds: float | None = setting(
        f"{ACCEPT} That of a target counts first.", default="dispatch.acceptTimeoutSeconds", ge=0.1, le=600
    )
    run_timeout_seconds: float | None = setting(
        f"{RUN} That of a target counts first.", default="dispatch.runTimeoutSeconds", ge=0.1, le=86_400
    )
    queue_wait_seconds: float | None = setting(
        "Seconds that a part may wait at its target for its turn.",
        default="that of route.v1, 900 where somebody waits for the answer, otherwise 86400",
        ge=1,
        le=86_400,
    )
    join: Literal["all", "any"] | None = setting(
        "When a message with several parts is done. all: every part is done. any: one part is done, whatever the "
        "outcome of the others.",
        default="all",
    )


class DispatchTiers(ResourceModel):
    """Settings by tier, for tiers with other than the default settings."""

    default: TierDispatch | None = Field(default=None, description="Messages of tier default.")
    interactive: TierDispatch | None = Field(
        default=None, description="Messages of tier interactive: somebody waits for the answer."
    )
    high_priority: TierDispatch | None = Field(default=None, description="Messages of tier high_priority.")


class TargetTimeouts(ResourceModel):
    """Timeouts of one butler (SWB-05.4, SWB-13.1)."""

    butler: DnsName = Field(description="Name of the butler.")
    accept_timeout_seconds: float | None = setting(
        ACCEPT, default="dispatch.acceptTimeoutSeconds", ge=0.1, le=600
    )
    run_timeout_seconds: float | None = setting(RUN, default="dispatch.runTimeoutSeconds", ge=0.1, le=86_400)


def _butlers_differ(entries: tuple[TargetTimeouts, ...]) -> tuple[TargetTimeouts, ...]:
    each_once(tuple(entry.butler for entry in entries))
    return entries


Targets = Annotated[
    tuple[TargetTimeouts, ...],
    AfterValidator(_butlers_differ),
    Field(json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["butler"]}),
]


class Dispatch(ResourceModel):
    """Timeouts, retries and circuit breakers for parts of messages sent to other butlers."""

    accept_timeout_seconds: float | None = setting(ACCEPT, default=5, ge=0.1, le=600)
    run_timeout_seconds: float | None = setting(RUN, default=120, ge=0.1, le=86_400)
    retries: Retries | None = Field(
        default=None, description="Retry delays, and the maximum number of attempts after retryable errors."
    )
    circuit: Circuit | None = Field(default=None, description="Circuit breaker for a failing target.")
    tiers: DispatchTiers | None = Field(default=None, description="Settings by tier of the message.")
    targets: Targets = Field(default=(), max_length=50, description="Timeouts of individual butlers.")
