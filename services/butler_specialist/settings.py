"""A specialist's part of `butler.toml` (CON-4.2, D28, D55, D56)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import Field, model_validator

from butler_contracts.notify import Urgency
from butler_contracts.quiet_hours import QuietHours
from butler_contracts.text import STORABLE
from butler_kit.config import (
    MOST_SERVERS,
    BufferConfig,
    ButlerConfig,
    ButlerSection,
    ScheduleConfig,
    ToolServerConfig,
)
from butler_kit.config.section import Section
from butler_specialist.people.ways import Ways
from butler_specialist.profiles import PROFILES, kinds_of
from butler_specialist.remind.clock import Clock
from butler_specialist.schedules.decide import Entry

__all__ = ["PromptConfig", "SpecialistBuffer", "SpecialistConfig", "SpecialistSection"]


class SpecialistBuffer(BufferConfig):
    """`[buffer]` of a specialist."""

    work_capacity: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    """Unfinished subrequests that may be queued durably; beyond it `route.execute` is refused (CON-5 P3)."""
    scanner_interval_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 10.0
    scanner_grace_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 5.0


class PromptConfig(ScheduleConfig):
    """`[[butler.schedule]]` of a specialist: a prompt by the clock, for the owner or for a member (ADR 0097)."""

    dispatch_mode: Literal["prompt"]
    prompt: Annotated[str, Field(min_length=1, max_length=4_000, pattern=r"\S"), STORABLE]
    to: Annotated[str, Field(min_length=1, max_length=200), STORABLE] | None = None
    """A member as the contacts name them; without one the owner."""
    grace_s: Annotated[float, Field(ge=60, le=86_400, allow_inf_nan=False)] = 3600.0
    """How late its session may begin; what is later is reported missed."""
    urgency: Urgency = "normal"
    """Whether what it tells waits for the digest of its person, for the end of their quiet hours, or for nothing."""


class SpecialistSection(ButlerSection):
    """`[butler]` of a specialist."""

    schedule: Annotated[tuple[PromptConfig, ...], Field(max_length=50)] = ()


class PrivacyConfig(Section):
    """`[privacy]`: kinds of records that are the household's or their teller's alone, against what the profile says."""

    household: Annotated[tuple[str, ...], Field(max_length=50)] = ()
    private: Annotated[tuple[str, ...], Field(max_length=50)] = ()

    @model_validator(mode="after")
    def _says_each_once(self) -> Self:
        both = sorted(set(self.household) & set(self.private))
        if both:
            raise ValueError(f"privacy: '{both[0]}' is in household and in private; expected one of them")
        return self


class SpecialistConfig(ButlerConfig):
    """A specialist's `butler.toml`; its profile, or its instructions, say what it knows about."""

    butler: SpecialistSection
    privacy: PrivacyConfig = PrivacyConfig()
    buffer: SpecialistBuffer = SpecialistBuffer()
    tools: Annotated[tuple[ToolServerConfig, ...], Field(max_length=MOST_SERVERS)] = ()
    """MCP servers that its model may use, each under a name of its own."""

    @model_validator(mode="after")
    def _its_model_has_what_it_needs(self) -> Self:
        butler = self.butler
        if (butler.instructed or self.tools) and not self.runtime.asks_a_model:
            raise ValueError(
                "instructions and [[tools]] are for a model; choose a [runtime] family that asks one"
            )
        if butler.instructions is not None and butler.instructions_file_env is not None:
            raise ValueError("instructions and instructions_file_env are both given; keep one")
        names = [server.name for server in self.tools]
        _check_each_once("[[tools]]", names)
        if "calendar" in names and self.modules.calendar is not None:
            raise ValueError("[[tools]] has a server called calendar beside [modules.calendar]; rename it")
        return self

    @model_validator(mode="after")
    def _can_run_its_schedules(self) -> Self:
        _check_each_once("[[butler.schedule]]", [entry.name for entry in self.butler.schedule])
        if self.butler.schedule and not self.runtime.asks_a_model:
            raise ValueError(
                f"schedule '{self.butler.schedule[0].name}' has a prompt, which the runtime family 'rules' cannot "
                "read; choose another runtime.family"
            )
        return self

    @model_validator(mode="after")
    def _keeps_what_it_shares(self) -> Self:
        kept = kinds_of(self.butler.profile)
        if not kept:
            return self
        unknown = [kind for kind in (*self.privacy.household, *self.privacy.private) if kind not in kept]
        if unknown:
            raise ValueError(
                f"privacy: this butler keeps no '{unknown[0]}'; expected of {', '.join(sorted(kept))}"
            )
        return self

    @model_validator(mode="after")
    def _has_a_known_profile(self) -> Self:
        butler = self.butler
        if butler.role != "specialist":
            raise ValueError(f"butler.role is '{butler.role}'; this program is a specialist")
        if butler.profile not in PROFILES and not (butler.profile is None and butler.instructed):
            raise ValueError(
                f"butler.profile is '{butler.profile}'; expected one of {', '.join(PROFILES)}, or instructions"
            )
        modules = self.modules
        if modules.telegram or modules.email or modules.approvals or modules.attachments:
            raise ValueError(
                "a specialist has no channels, no files and no approvals, Messenger has; keep [modules.memory] and "
                "[modules.calendar] only"
            )
        if modules.calendar is not None and modules.calendar.model_fields_set - {"appointment_minutes"}:
            raise ValueError(
                "the calendar's account is Messenger's; of [modules.calendar] keep appointment_minutes only"
            )
        return self

    @property
    def timezone(self) -> ZoneInfo:
        """The household's, for "today" and "this month" (D56)."""
        return ZoneInfo(self.butler.timezone)

    @property
    def schedules(self) -> tuple[Entry, ...]:
        """What it does by the clock."""
        return tuple(
            Entry(
                name=entry.name,
                cron=entry.cron,
                zone=ZoneInfo(entry.timezone or self.butler.timezone),
                prompt=entry.prompt,
                to=entry.to,
                grace=timedelta(seconds=entry.grace_s),
                urgency=entry.urgency,
            )
            for entry in self.butler.schedule
        )

    @property
    def ways(self) -> Ways:
        """How everybody is told who has nothing of their own (D83)."""
        return Ways(Clock(self.timezone, self.quiet_hours), self.butler.language)

    @property
    def quiet_hours(self) -> QuietHours | None:
        """In which what can wait is not told (D83)."""
        quiet = self.butler.quiet_hours
        return QuietHours.of(quiet) if quiet else None


def _check_each_once(table: str, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        raise ValueError(f"two {table} have one name")
