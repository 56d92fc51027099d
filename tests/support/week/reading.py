"""Reads `examples/week`: a sitting for each file, as those of the bench, with what only a whole household has.

That is a group, roles with limits, and what somebody keeps to themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from pydantic import model_validator as validated

from bench.useful.conversations import Household, Message, Pattern, Patterns, Strict
from bench.useful.loading import Home, check_people, read_model
from bench.useful.sittings import Sitting

__all__ = ["WEEK", "Said", "Sat", "Secret", "Week", "load"]

WEEK: Final = Path(__file__).parents[3] / "examples" / "week"


class Said(Message):
    """One message. `apart` is what its writer is told in their own chat beside the group's answer.

    With `accepts: false` the answer is known to fall short, and `note` says how; `wrong` where it is even false.
    `remembered`: it is about what is known of who writes.
    """

    group: bool = False
    apart: Patterns = ()
    nothing_kept: bool = False
    remembered: bool = False
    accepts: bool = True
    wrong: bool = False

    @validated(mode="after")
    def _says_how_it_falls_short(self) -> Said:
        if self.accepts is bool(self.note) or (self.wrong and self.accepts):
            raise ValueError(
                "expected a note that says how it falls short, and only where `accepts` is false"
            )
        return self


class Sat(Sitting):
    """What is said at one moment of the week."""

    messages: tuple[Said, ...]


class Secret(Strict):
    """What reaches nobody but its owner, before the sitting named in `until`."""

    of: str
    words: Pattern
    until: str | None = None


class Family(Household):
    """Who lives there, the group's chat, what its manifests say beside the demo's, what is whose alone."""

    group: int
    butlers: dict[str, dict[str, Any]]
    secrets: tuple[Secret, ...]


@dataclass(frozen=True)
class Week:
    """The household and its sittings, in their order."""

    family: Family
    sittings: tuple[Sat, ...]

    def home(self, sitting: Sat) -> Home:
        """The household at this sitting's moment."""
        zone = ZoneInfo(self.family.timezone)
        at: datetime = sitting.at.replace(tzinfo=zone)
        return Home("week", at, zone, self.family.people, ((sitting.id, sitting),), self.family.butlers)

    def secrets_at(self, sitting: Sat) -> tuple[Secret, ...]:
        """What is nobody else's business yet."""
        ids = [one.id for one in self.sittings]
        return tuple(
            secret
            for secret in self.family.secrets
            if secret.until is None or ids.index(sitting.id) < ids.index(secret.until)
        )


def load(folder: Path = WEEK) -> Week:
    """The week; `ValueError` names what is wrong in it, and where."""
    family = read_model(folder / "household.yaml", Family)
    sittings = []
    for file in sorted(folder.glob("[0-9]*.yaml")):
        sitting = read_model(file, Sat)
        check_people(file, sitting, family.people)
        sittings.append(sitting)
    return Week(family, tuple(sittings))
