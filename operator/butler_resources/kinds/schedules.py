"""The list `schedules` of the Switchboard: native jobs and prompts, by the clock (SWB-25)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_resources.kinds.base import ResourceModel, TimeZone, each_once
from butler_resources.kinds.rules import Rule

__all__ = ["Job", "Schedule", "Schedules"]

Job = Literal[
    "connector-stats-hourly-rollup",
    "connector-stats-daily-rollup",
    "connector-stats-pruning",
    "eligibility-sweep",
    "memory-consolidation",
    "memory-episode-cleanup",
]
CRON: Final = r"^\S+( +\S+){4}$"


def _is_cron(value: str) -> str:
    from cronsim import CronSim, CronSimError

    try:
        CronSim(value, datetime(2026, 1, 1, tzinfo=UTC))
    except CronSimError as error:
        raise ValueError(
            f"{value!r} is no cron line ({error}); expected five fields such as 0 7 * * 1"
        ) from None
    return value


class Schedule(ResourceModel):
    """One entry: when, and either a native job or a prompt for a session of the runtime."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,62}$", max_length=63)] = Field(
        description="Name of the entry; that of a native job changes when the job runs."
    )
    cron: Annotated[str, StringConstraints(pattern=CRON, max_length=100), AfterValidator(_is_cron)] = Field(
        description="Five fields: minute, hour, day of the month, month, day of the week."
    )
    timezone: TimeZone | None = Field(
        default=None, description="IANA time zone in which `cron` is meant; by default the butler's."
    )
    job: Job | None = Field(default=None, description="Native job to run.")
    prompt: Annotated[str, StringConstraints(min_length=1, max_length=4_000)] | None = Field(
        default=None, description="What a session is asked; needs a runtime family that reads prompts."
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="has(self.job) != has(self.prompt)",
            message="a schedule runs a job or a prompt: give `job` or `prompt`, expected exactly one",
            holds=lambda entry: (entry.job is None) != (entry.prompt is None),
        ),
    )


def _names_differ(entries: tuple[Schedule, ...]) -> tuple[Schedule, ...]:
    each_once(tuple(entry.name for entry in entries))
    return entries


Schedules = Annotated[
    tuple[Schedule, ...],
    AfterValidator(_names_differ),
    Field(json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}),
]
