"""PURE: how often an invited appointment recurs, in the words used for reminders."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from butler_contracts.invitation import InvitedEventV1
from butler_contracts.language import Language
from butler_specialist.locale import count, counted
from butler_specialist.profiles.reminder_text import often_text
from butler_specialist.understanding.repeats import DAY_CODES

__all__ = ["often_of"]

_DAY: Final = timedelta(days=1)
_TIMES: Final = counted("once in all", "{number} times in all")
_NTH: Final = ("1", "2", "3", "4", "-1")


def often_of(event: InvitedEventV1, first: datetime, language: Language) -> str | None:
    """Return text such as `every Monday`; `first` is one of its times, by the recipient's clock.

    None if no words are exact: for a rule with more parts than they express, or if its day differs in this zone.
    """
    if event.rule is None:
        return None
    here = event.wall is None or event.wall.date() == first.date()
    parts = dict(part.split("=", 1) for part in event.rule.split(";"))
    if not here or not _can_be_said(parts, first):
        return None
    number = int(parts.pop("COUNT", "0"))
    if "BYDAY" in parts:
        parts["BYDAY"] = parts["BYDAY"].replace("+", "")
    if "T" not in parts.get("UNTIL", "T"):
        parts["UNTIL"] += "T235959"
    said = often_text(";".join(f"{name}={value}" for name, value in parts.items()), first, language)
    return f"{said}, {count(language, *_TIMES, number)}" if number else said


def _can_be_said(parts: Mapping[str, str], first: datetime) -> bool:
    code, days = DAY_CODES[first.weekday()], parts.get("BYDAY", "").replace("+", "")
    if parts["FREQ"] == "DAILY":
        return not days
    if parts["FREQ"] == "WEEKLY":
        return not days or code in days.split(",")
    if "BYSETPOS" in parts or ("BYMONTH" in parts and int(parts["BYMONTH"]) != first.month):
        return False
    if days:
        return parts["FREQ"] == "MONTHLY" and days[:-2] in _NTH and days[-2:] == code
    return parts.get("BYMONTHDAY", str(first.day)) in _days_of(first)


def _days_of(first: datetime) -> tuple[str, ...]:
    """Return the names of the day of the month in a rule."""
    is_last = (first + _DAY).month != first.month
    return (str(first.day), "-1") if is_last else (str(first.day),)
