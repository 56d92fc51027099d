"""The block `dispatch` of the Switchboard: how long a target may take, when it is tried again, when it is left alone.

SWB-05.4, SWB-13, SWB-34.1, D17, D77: every number of it is a setting.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from butler_resources.kinds.base import DnsName, ResourceModel, each_once
from butler_resources.kinds.settings import setting

__all__ = ["Circuit", "Dispatch", "DispatchTiers", "Retries", "TargetTimeouts", "TierDispatch"]

ACCEPT: Final = "Seconds in which a target must acknowledge its part of a message."
RUN: Final = "Seconds from the start of a target's run to its answer."


class Retries(ResourceModel):
    """Pauses between tries, and how often a target may answer with an error that may pass (SWB-13.2)."""

    base_delay_seconds: float | None = setting(
        "Pause in seconds after the first failure; later ones double.", default=0.5, ge=0.01, le=3600
    )
    max_delay_seconds: float | None = setting("Longest pause in seconds.", default=30, ge=0.01, le=3600)
    max_attempts: int | None = setting(
        "Attempts at most when a target answers with an error that may pass; silence is bounded by time.",
        default=3,
        ge=1,
        le=20,
    )


class Circuit(ResourceModel):
    """When a target that fails is left alone, and for how long (SWB-13.3, D77)."""

    failures: int | None = setting(
        "Calls (for 5 s at least) or runs that fail in a row and open the circuit.", default=5, ge=1, le=1000
    )
    reset_seconds: float | None = setting(
        "Longest pause before the next call that is let through, in seconds; the first ones are 1 and 2 s.",
        default=4,
        ge=0.01,
        le=3600,
    )
    patience_seconds: float | None = setting(
        "Seconds that a message waits for an open circuit, where its tier says nothing else.",
        default=900,
        ge=0.01,
        le=86_400,
    )


class TierDispatch(ResourceModel):
    """How the messages of one tier are treated; what is left out is as for all tiers (SWB-34.1, D77)."""

    patience_seconds: float | None = setting(
        "Seconds for which a target that does not accept is tried.",
        default="900, of tier interactive 60",
        ge=0.01,
        le=86_400,
    )
    circuit_patience_seconds: float | None = setting(
        "The same while the target's circuit is open.",
        default="circuit.patienceSeconds, of tier interactive 4",
        ge=0.01,
        le=86_400,
    )
    max_attempts: int | None = setting(
        "Attempts at most when a target answers with an error that may pass.",
        default="retries.maxAttempts",
        ge=1,
        le=20,
    )
    join: Literal["all", "any"] | None = setting(
        "What a message of several parts needs to count as done. all: each part; any: one of them, whatever became of "
        "the others.",
        default="all",
    )


class DispatchTiers(ResourceModel):
    """One block for each tier that is not to be treated as by default."""

    default: TierDispatch | None = Field(default=None, description="Messages of tier default.")
    interactive: TierDispatch | None = Field(
        default=None, description="Messages of tier interactive: somebody waits for the answer."
    )
    high_priority: TierDispatch | None = Field(default=None, description="Messages of tier high_priority.")


class TargetTimeouts(ResourceModel):
    """The time-outs of one butler (SWB-05.4, SWB-13.1)."""

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
    """Time-outs, retries and circuits of the parts of a message that go to other butlers."""

    accept_timeout_seconds: float | None = setting(ACCEPT, default=5, ge=0.1, le=600)
    run_timeout_seconds: float | None = setting(RUN, default=120, ge=0.1, le=86_400)
    retries: Retries | None = Field(
        default=None, description="Pauses between tries, and how many errors of a target may pass."
    )
    circuit: Circuit | None = Field(
        default=None, description="When a target that fails is left alone, and for how long."
    )
    tiers: DispatchTiers | None = Field(
        default=None, description="Tiers of messages that are treated differently."
    )
    targets: Targets = Field(
        default=(), max_length=50, description="Butlers that may take longer, or shorter, than all others."
    )
