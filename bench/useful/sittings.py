"""A week: one household that forgets nothing, visited at several moments, and down in between.

`examples/conversations/week/` has `household.yaml` and a file for each sitting, read in the order of their names.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from bench.useful.conversations import Conversation, Household, Pattern, Strict
from bench.useful.loading import EXAMPLES, Home, check_people, read_model

__all__ = ["WEEK", "Ring", "Sitting", "load_week", "sitting_home"]

WEEK = EXAMPLES / "week"


class Ring(Strict):
    """What a member must be told unasked in their chat: a reminder, a missed one, a digest."""

    to: str
    says: Pattern


class Sitting(Conversation):
    """What is said at one local time of the week, and what must ring then."""

    at: datetime
    rings: tuple[Ring, ...] = ()


def load_week(folder: Path = WEEK) -> tuple[Sitting, ...]:
    """Return the sittings in order; `ValueError` names what is wrong, and where."""
    household = read_model(folder / "household.yaml", Household)
    sittings = []
    for file in sorted(folder.glob("*.yaml")):
        if file.name != "household.yaml":
            sitting = read_model(file, Sitting)
            check_people(file, sitting, household.people)
            _check_rings(file, sitting, household)
            sittings.append(sitting)
    if sorted(sittings, key=lambda one: one.at) != sittings:
        raise ValueError(f"{folder.name}: expected sittings that follow one another")
    return tuple(sittings)


def _check_rings(file: Path, sitting: Sitting, household: Household) -> None:
    for ring in sitting.rings:
        if ring.to not in household.people:
            raise ValueError(f"{file.name}: rings: {ring.to!r} is nobody of {', '.join(household.people)}")


def sitting_home(sitting: Sitting, folder: Path = WEEK) -> Home:
    """Return the week's household at this sitting's time."""
    household = read_model(folder / "household.yaml", Household)
    zone = ZoneInfo(household.timezone)
    return Home(
        name=folder.name,
        now=sitting.at.replace(tzinfo=zone),
        zone=zone,
        people=household.people,
        conversations=((sitting.id, sitting),),
    )
