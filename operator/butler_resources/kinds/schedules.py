"""The list `schedules`: the Switchboard's native jobs, and prompts of any butler that thinks, by the clock (SWB-25)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints

from butler_resources.kinds.base import ResourceModel, ShortText, TimeZone, each_once
from butler_resources.kinds.rules import Rule
from butler_resources.kinds.settings import setting

__all__ = ["Job", "Schedule", "Schedules", "schedule_rules"]

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
    """A schedule for either a native job or a prompt for a session of the runtime."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,62}$", max_length=63)] = Field(
        description="Name of the entry. The name of a native job reschedules that job."
    )
    cron: Annotated[str, StringConstraints(pattern=CRON, max_length=100), AfterValidator(_is_cron)] = Field(
        description="Cron expression of five fields: minute, hour, day of the month, month, day of the week."
    )
    timezone: TimeZone | None = Field(
        default=None, description="IANA time zone of `cron`. Defaults to the butler's."
    )
    job: Job | None = Field(default=None, description="Switchboard only: native job to run.")
    prompt: Annotated[str, StringConstraints(min_length=1, max_length=4_000, pattern=r"\S")] | None = Field(
        default=None,
        description="Task of a session, in natural language. Needs a runtime with a model. A specialist does it with "
        "its own tools and reports the result.",
    )
    to: ShortText | None = Field(
        default=None,
        description="Specialists only: contact name of the member whose records the session reads and who gets the "
        "result. Defaults to the owner.",
    )
    grace_seconds: int | None = setting(
        "Specialists only: maximum delay of a session in seconds, such as after an outage. Later runs are reported as "
        "missed.",
        default=3600,
        ge=60,
        le=86_400,
    )
    urgency: Literal["low", "normal", "high"] | None = setting(
        "Specialists only: urgency of the result. low: sent with the person's digest, if there is one. high: also sent "
        "in their quiet hours.",
        default="normal",
    )

    RULES: ClassVar[tuple[Rule, ...]] = (
        Rule(
            cel="has(self.job) != has(self.prompt)",
            message="a schedule needs exactly one of `job` and `prompt`",
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


def schedule_rules() -> tuple[Rule, ...]:
    """Those of `ButlerSpec`: who runs what by the clock."""
    return (
        Rule(
            cel="self.role != 'messenger' || !has(self.schedules) || size(self.schedules) == 0",
            message="a messenger has no `schedules`; give them to the switchboard or a specialist",
            holds=lambda spec: spec.role != "messenger" or not spec.schedules,
            path=".schedules",
        ),
        Rule(
            cel="self.role != 'specialist' || !has(self.schedules) || self.schedules.all(entry, has(entry.prompt))",
            message="native jobs run on the switchboard; give the schedule a `prompt`, or move it there",
            holds=lambda spec: spec.role != "specialist" or all(entry.prompt for entry in spec.schedules),
            path=".schedules",
        ),
        Rule(
            cel="self.role == 'specialist' || !has(self.schedules) || "
            "self.schedules.all(entry, !has(entry.to) && !has(entry.graceSeconds) && !has(entry.urgency))",
            message="`to`, `graceSeconds` and `urgency` belong to schedules of a specialist; remove them",
            holds=lambda spec: (
                spec.role == "specialist"
                or all({entry.to, entry.grace_seconds, entry.urgency} == {None} for entry in spec.schedules)
            ),
            path=".schedules",
        ),
        Rule(
            cel="self.runtime.family != 'rules' || !has(self.schedules) || "
            "self.schedules.all(entry, !has(entry.prompt))",
            message="a schedule with `prompt` needs a model; choose a `runtime.family` other than rules, or on the "
            "switchboard give `job`",
            holds=lambda spec: (
                spec.runtime.family != "rules" or all(entry.prompt is None for entry in spec.schedules)
            ),
            path=".schedules",
        ),
    )
