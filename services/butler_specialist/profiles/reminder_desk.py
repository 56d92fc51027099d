"""What a profile reads from the stores to handle what a message wants of reminders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reminder_heard import Heard, ahead_text
from butler_specialist.profiles.reminder_moves import moved
from butler_specialist.profiles.reminder_text import full_text
from butler_specialist.profiles.reminding import (
    completed,
    heard_of,
    last_turn,
    restored,
    says_only_when,
    speaks_of_reminders,
    takes_back,
)
from butler_specialist.questions.periods import Period
from butler_specialist.store.model import MOST_WAITING, Reminder
from butler_specialist.understanding.moves import move_in
from butler_specialist.understanding.reading import Reading

__all__ = ["heard_about_reminders", "reminders_ahead"]


async def heard_about_reminders(
    reading: Reading, answering: Answering, kept: tuple[str, ...]
) -> Heard | None:
    """Handle reminders; None if the message wants nothing of them. `kept` are the profile's kinds."""
    if answering.reminders is None or answering.asker is None:
        return None
    only_when, move = says_only_when(reading), move_in(reading.text, reading.today)
    looks_back = only_when or move is not None or takes_back(reading)
    earlier = await answering.conversation.earlier() if looks_back else ()
    whole = completed(reading, earlier) if only_when else reading
    reading, move = whole, move if whole is reading else None
    last = last_turn(earlier)
    if last is None and not (move and move.named) and not speaks_of_reminders(reading):
        return None
    waiting = await answering.reminders.find_reminders(answering.asker)
    rows = await answering.records.find(kept)
    asked_for = [one for one in waiting if one.record_id is None]
    if last is not None and takes_back(reading):
        stopped = await answering.reminders.find_stopped(answering.asker, last.request_id)
        if (back := restored(reading, last, waiting, stopped, reachable=answering.reachable)) is not None:
            return back
    if move is not None and (heard := moved(move, reading, asked_for, rows, last)) is not None:
        return heard
    heard = heard_of(reading, rows, waiting, reachable=answering.reachable, last=last, quiet=answering.quiet)
    if heard is None or not heard.drafts:
        return heard
    return _within_bound(heard, await _all_waiting(answering, waiting), reading)


async def _all_waiting(answering: Answering, shown: Sequence[Reminder]) -> Sequence[Reminder]:
    """Return all reminders of the sender; in a group the others read only those of the group."""
    if not answering.in_group or answering.own_reminders is None or answering.asker is None:
        return shown
    return await answering.own_reminders.find_reminders(answering.asker)


def _within_bound(heard: Heard, waiting: Sequence[Reminder], reading: Reading) -> Heard:
    """PURE: refuse new reminders of a person for whom as many wait as are kept."""
    if len(waiting) + len(heard.drafts) - len(heard.stops) <= MOST_WAITING:
        return heard
    return replace(heard, text=full_text(reading.language), drafts=(), stops=(), question=None)


async def reminders_ahead(reading: Reading, answering: Answering, period: Period | None) -> str:
    """Return the reminders of the period of a question about what is to be done."""
    if period is None or answering.reminders is None or answering.asker is None:
        return ""
    return ahead_text(await answering.reminders.find_reminders(answering.asker), period, reading)
