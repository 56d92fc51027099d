"""The texts about a schedule that was missed or failed, in its recipient's language (pure; ADR 0097)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from butler_contracts.budgets import ends_a_budget
from butler_contracts.errors import ErrorDetail
from butler_contracts.uncertain import UNCERTAIN
from butler_specialist.locale import noop, say
from butler_specialist.people.ways import Ways
from butler_specialist.remind.wording import moment_text
from butler_specialist.schedules.decide import MOST_COUNTED
from butler_specialist.store.scheduled import Scheduled
from butler_specialist.work.decide import MISSED

__all__ = ["failure_text", "unknown_text"]

_MISSED: Final = noop("Missed: the schedule {name}, due {when}. I could not begin it then.")
_MISSED_TIMES: Final = noop(
    "Missed {count} times: the schedule {name}, last due {when}. I could not begin it then."
)
_UNCERTAIN: Final = noop("The schedule {name}, due {when}: {said}")
_BUDGET: Final = noop(
    "The schedule {name}, due {when}, came to no end: what it may take or cost is used up. Nothing was noted."
)
_FAILED: Final = noop(
    "The schedule {name}, due {when}, came to no end, and nothing was noted. The log of {butler} has the reason."
)
_UNKNOWN: Final = noop(
    "The schedule {name} is for {person}, whom the contacts do not name; it does not run until they do."
)


def failure_text(scheduled: Scheduled, error: ErrorDetail, *, butler: str, ways: Ways, now: datetime) -> str:
    """Return one line, by the recipient's clock."""
    said = {"name": f"“{scheduled.name}”", "when": moment_text(scheduled.due_at, now, ways.clock.zone)}
    language = ways.language
    if error.original_class == MISSED and scheduled.count > 1:
        count = f"{scheduled.count}+" if scheduled.count == MOST_COUNTED else scheduled.count
        return say(language, _MISSED_TIMES, **said, count=count)
    if error.original_class == MISSED:
        return say(language, _MISSED, **said)
    if error.original_class == UNCERTAIN:
        return say(language, _UNCERTAIN, **said, said=error.message)
    if ends_a_budget(error):
        return say(language, _BUDGET, **said)
    return say(language, _FAILED, **said, butler=butler)


def unknown_text(scheduled: Scheduled, ways: Ways) -> str:
    """Return what the owner is told about a schedule for an unknown person."""
    return say(ways.language, _UNKNOWN, name=f"“{scheduled.name}”", person=f"“{scheduled.to}”")
