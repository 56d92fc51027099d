"""What is told of a schedule that came to nothing, in each language, by the clock of whom it is for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import get_args
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.budgets import Bound
from butler_contracts.errors import ErrorDetail, InternalFailure, TimedOut
from butler_contracts.language import Language
from butler_contracts.uncertain import UNCERTAIN
from butler_specialist.people.ways import Ways
from butler_specialist.remind.clock import Clock
from butler_specialist.schedules.decide import MOST_COUNTED
from butler_specialist.schedules.wording import failure_text, unknown_text
from butler_specialist.store.scheduled import Scheduled
from butler_specialist.work.decide import MISSED

SEVEN = datetime(2026, 11, 23, 6, 0, tzinfo=UTC)


def error(kind: str, message: str = "x") -> ErrorDetail:
    return InternalFailure(message, details={"original_class": kind}).to_detail()


def said(
    problem: ErrorDetail, *, count: int = 1, language: Language = "en", later: timedelta = timedelta()
) -> str:
    scheduled = Scheduled("bills", SEVEN, SEVEN, count=count)
    ways = Ways(Clock(ZoneInfo("Europe/Berlin")), language)
    return failure_text(scheduled, problem, butler="finance", ways=ways, now=SEVEN + later)


def test_a_missed_one_says_when_it_was_due_by_the_persons_clock_and_how_often() -> None:
    assert said(error(MISSED)) == "Missed: the schedule “bills”, due 07:00. I could not begin it then."
    assert said(error(MISSED), later=timedelta(days=1)).startswith(
        "Missed: the schedule “bills”, due 2026-11-23 07:00."
    )
    assert said(error(MISSED), count=3).startswith("Missed 3 times: the schedule “bills”, last due 07:00.")
    assert said(error(MISSED), count=MOST_COUNTED).startswith("Missed 1000+ times:")


def test_what_was_called_outside_is_said_and_an_end_of_ours_names_the_log() -> None:
    assert said(error(UNCERTAIN, "This was done: x.")).endswith("due 07:00: This was done: x.")
    assert "used up" in said(error(Bound.DAY_CENTS.value))
    assert said(TimedOut("it took too long").to_detail()).endswith("The log of finance has the reason.")


@pytest.mark.parametrize("language", get_args(Language))
def test_every_line_is_one_line_in_each_language_and_names_the_schedule(language: Language) -> None:
    kinds = (MISSED, UNCERTAIN, Bound.DAY_CENTS.value, "other")
    lines = [said(error(kind), language=language) for kind in kinds] + [
        said(error(MISSED), count=2, language=language)
    ]
    unknown = Scheduled("bills", SEVEN, SEVEN, to="Bernd")
    lines.append(unknown_text(unknown, Ways(Clock(ZoneInfo("UTC")), language)))
    assert all("“bills”" in line and "\n" not in line and "{" not in line for line in lines)
    assert len(set(lines)) == len(lines)
    if language != "en":
        assert not any(line in {said(error(kind)) for kind in (MISSED, "other")} for line in lines)
