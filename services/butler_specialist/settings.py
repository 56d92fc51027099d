"""A specialist's part of `butler.toml` (CON-4.2, D28, D55, D56)."""

from __future__ import annotations

from typing import Annotated, Self
from zoneinfo import ZoneInfo

from pydantic import Field, model_validator

from butler_contracts.quiet_hours import QuietHours
from butler_kit.config import MOST_SERVERS, BufferConfig, ButlerConfig, ToolServerConfig
from butler_specialist.people.ways import Ways
from butler_specialist.profiles import PROFILES
from butler_specialist.remind.clock import Clock

__all__ = ["SpecialistBuffer", "SpecialistConfig"]


class SpecialistBuffer(BufferConfig):
    """`[buffer]` of a specialist."""

    work_capacity: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    """Unfinished subrequests that may be queued durably; beyond it `route.execute` is refused (CON-5 P3)."""
    scanner_interval_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 10.0
    scanner_grace_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 5.0


class SpecialistConfig(ButlerConfig):
    """A specialist's `butler.toml`; its profile, or its instructions, say what it knows about."""

    buffer: SpecialistBuffer = SpecialistBuffer()
    tools: Annotated[tuple[ToolServerConfig, ...], Field(max_length=MOST_SERVERS)] = ()
    """MCP servers that its model may use, each under a name of its own."""

    @model_validator(mode="after")
    def _its_model_has_what_it_needs(self) -> Self:
        butler = self.butler
        if (butler.instructions is not None or self.tools) and not self.runtime.asks_a_model:
            raise ValueError(
                "instructions and [[tools]] are for a model; choose a [runtime] family that asks one"
            )
        names = [server.name for server in self.tools]
        if len(set(names)) != len(names):
            raise ValueError("two [[tools]] have one name")
        if "calendar" in names and self.modules.calendar is not None:
            raise ValueError("[[tools]] has a server called calendar beside [modules.calendar]; rename it")
        return self

    @model_validator(mode="after")
    def _has_a_known_profile(self) -> Self:
        butler = self.butler
        if butler.role != "specialist":
            raise ValueError(f"butler.role is '{butler.role}'; this program is a specialist")
        if butler.schedule:
            raise ValueError("a specialist runs no schedules, Switchboard does; remove [[butler.schedule]]")
        if butler.profile not in PROFILES and not (butler.profile is None and butler.instructions):
            raise ValueError(
                f"butler.profile is '{butler.profile}'; expected one of {', '.join(PROFILES)}, or instructions"
            )
        modules = self.modules
        if modules.telegram or modules.email or modules.approvals:
            raise ValueError(
                "a specialist has no channels and no approvals, Messenger has; keep [modules.memory] and "
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
    def ways(self) -> Ways:
        """How everybody is told who has nothing of their own (D83)."""
        return Ways(Clock(self.timezone, self.quiet_hours), self.butler.language)

    @property
    def quiet_hours(self) -> QuietHours | None:
        """In which what can wait is not told (D83)."""
        quiet = self.butler.quiet_hours
        return QuietHours.of(quiet) if quiet else None
