"""One butler's part in a question to several: what is on today (ADR 0043), what was told (ADR 0092).

Invariant: nothing of such a question is kept. A butler with nothing to say is silent, except the last if nobody had
anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from typing import Final

from butler_contracts.route import TogetherV1
from butler_specialist.changes.wording import MOST_NAMED, Words
from butler_specialist.locale import say
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.calendar_desk import calendar_ahead
from butler_specialist.profiles.listed import Listed, listing_of
from butler_specialist.profiles.reminder_desk import reminders_ahead
from butler_specialist.profiles.reminder_events import day_of
from butler_specialist.profiles.reminder_heard import zone_of
from butler_specialist.profiles.reminder_text import which_text
from butler_specialist.profiles.reply import Reply
from butler_specialist.questions.claiming import COMES
from butler_specialist.questions.periods import Period, period_of
from butler_specialist.questions.spans import LONGEST, last_day
from butler_specialist.questions.wording import ended
from butler_specialist.store.model import Record
from butler_specialist.understanding.reading import Reading
from butler_specialist.understanding.reminder_stops import WHICH

__all__ = ["among_tellers", "asked_together"]

_BIRTHDAY: Final = "birthday"
_NOTE: Final = "note"
_SOON: Final = timedelta(days=14)
"""How far ahead birthdays are listed if no period is named."""
_SILENT: Final = Reply((), "", silent=True)


async def asked_together(reading: Reading, answering: Answering, kept: Sequence[str]) -> Reply:
    """Return what this butler has to say; `kept` are the kinds of its records."""
    together = answering.together
    alone = together is not None and together.last and not together.answered
    if any(WHICH.match(sentence.folded) for sentence in reading.sentences):
        return await _reminders(reading, answering) or (
            Reply((), say(reading.language, "You have no reminders.")) if alone else _SILENT
        )
    text, listed = await _coming(reading, answering, kept)
    if text:
        return Reply((), text, question=listing_of(reading, listed, among=not alone))
    return Reply((), _nothing(reading)) if alone else _SILENT


def among_tellers(reply: Reply, together: TogetherV1, reading: Reading) -> Reply:
    """Return what one of the butlers that may have been told it still has to say.

    The first handles the message as usual, and only leaves out an answer that says nothing. The last keeps nothing,
    and says so if nobody had anything. A silent one still claims what it would have said (ADR 0096).
    """
    if not together.last:
        return reply if reply.keeps or reply.found else _SILENT
    if together.answered:
        return replace(_SILENT, claims=reply.claims)
    return Reply((), _nothing(reading)) if reply.keeps or reply.silent else reply


async def _reminders(reading: Reading, answering: Answering) -> Reply | None:
    if answering.reminders is None or answering.asker is None:
        return None
    waiting = await answering.reminders.find_reminders(answering.asker)
    if not waiting:
        return None
    return Reply((), which_text(waiting, zone_of(reading), reading.language, others=False))


async def _coming(reading: Reading, answering: Answering, kept: Sequence[str]) -> tuple[str, Listed]:
    """Return what is noted for the period, by day and hour, with its reminders; and what is listed."""
    period = period_of(reading, usual="future") or Period(reading.today, None, "")
    today = reading.today
    rows = [
        *await _dated(answering, period, kept, today),
        *await _birthdays(answering, period, kept, today),
    ]
    rows.sort(key=lambda row: (row.occurred_on, row.occurred_at or time.min, row.seq))
    said = [ended(Words(reading.text, reading.usual).entries(rows))] if rows else []
    ahead = await reminders_ahead(reading, answering, period)
    calendar = await calendar_ahead(reading, answering, period, told=None)
    listed = Listed(rows[:MOST_NAMED], len(rows) - len(rows[:MOST_NAMED]) + bool(ahead or calendar))
    return " ".join(filter(None, [*said, ahead, calendar])), listed


async def _dated(answering: Answering, period: Period, kept: Sequence[str], today: date) -> list[Record]:
    """Return the dated records, including notes of a coming day."""
    kinds = tuple(kind for kind in kept if kind in COMES or kind == _NOTE)
    if not kinds:
        return []
    start = period.start - LONGEST if period.start is not None else None
    found = await answering.records.find(kinds, start=start, end=period.end)
    rows = [row for row in found if period.start is None or last_day(row) >= period.start]
    coming = [row for row in rows if row.kind != _NOTE or row.occurred_on > today]
    return [row for row in coming if row.done_on is None and row.details.get("day") != "of the message"]


async def _birthdays(answering: Answering, period: Period, kept: Sequence[str], today: date) -> list[Record]:
    """Return each birthday on its next day."""
    if _BIRTHDAY not in kept:
        return []
    start = period.start or today
    end = period.end or start + _SOON
    known = [
        replace(row, occurred_on=day_of(row, today)) for row in await answering.records.find((_BIRTHDAY,))
    ]
    return [row for row in known if start <= row.occurred_on < end]


def _nothing(reading: Reading) -> str:
    period = period_of(reading, usual="future")
    if period is None:
        return say(reading.language, "I found nothing in what I have noted.")
    return say(reading.language, "I found nothing {period} in what I have noted.", period=period.label)
