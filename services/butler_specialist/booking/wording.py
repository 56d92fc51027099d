"""PURE: what an answer says about the calendar, in the sender's language."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from butler_contracts.calendar import Booking, CalendarEvent, FreeTime
from butler_contracts.language import Language
from butler_specialist.locale import count, joined, noop, say
from butler_specialist.questions.wording import quoted, short_when
from butler_specialist.store.bookings import Standing

__all__ = ["booking_text", "conflict_text", "notice_text"]

_WHY: Final = 300


def booking_text(
    standing: Sequence[Standing], zone: ZoneInfo, today: date, language: Language, *, titles: bool = True
) -> str:
    """Return what became of one message's appointments; nothing if the calendar is off.

    Of private ones it says only that they are still in the calendar. Without `titles` it does not say what else is.
    """
    known = [
        one for one in standing if not one.stands.off and (one.record.audience != "private" or one.is_left)
    ]
    booked = sum(one.stands.state == "booked" and one.stands.booking is None for one in known)
    removed = sum(_is_removed(one) for one in known)
    waiting = sum(one.stands.state == "due" and not one.record.withdrawn for one in known)
    parts = []
    if booked:
        parts.append(count(language, "It is in the calendar.", "{number} are in the calendar.", booked))
    if removed:
        parts.append(
            count(
                language,
                "It is no longer in the calendar.",
                "{number} are no longer in the calendar.",
                removed,
            )
        )
    if waiting:
        parts.append(say(language, "The calendar cannot be reached now; it goes in as soon as it can be."))
    parts += [text for one in known if (text := _there(one, zone, today, language, titles=titles))]
    parts += [
        text
        for one in known
        if (text := conflict_text(one, zone, today, language, alone=len(known) == 1, titles=titles))
    ]
    return " ".join(parts)


def _is_removed(one: Standing) -> bool:
    """Return whether our event was removed.

    An event that another program added is removed by that program.
    """
    return one.stands.state == "removed" and one.record.withdrawn and not one.stands.absent


def _there(one: Standing, zone: ZoneInfo, today: date, language: Language, *, titles: bool) -> str:
    """Say that another program added it, and its time there if that differs; empty if the event is ours."""
    booking = one.stands.booking
    if one.stands.state != "booked" or booking is None or booking.event is None:
        return ""
    event, record = booking.event, one.record
    if event.start is None:
        day, at = event.first_day or record.occurred_on, None
    else:
        start = _local(event.start, zone)
        day, at = start.date(), start.time()
    if not titles or (day, at) == (record.occurred_on, record.occurred_at):
        return say(language, "It is in the calendar already.")
    when = short_when(day, at, today, language)
    return say(
        language, "Another program has it in the calendar, on {when}; that is left as it is.", when=when
    )


def conflict_text(
    one: Standing, zone: ZoneInfo, today: date, language: Language, *, alone: bool, titles: bool
) -> str:
    """Say why an appointment is not in the calendar, and when it could be; empty if it is there.

    One that is not to be in the calendar is spoken of only if it is still there.
    """
    if one.stands.state == "refused":
        return _refused(one, language)
    booking = one.stands.booking
    if one.stands.state != "conflict":
        return ""
    what = "" if alone else f"{quoted(one.record.text, language=language)}: "
    said = [what + _in_the_way(booking, one.stands.stands, zone, language, titles=titles)]
    if booking is not None and booking.free:
        wanted = one.record.occurred_on
        times = joined([_free(time, wanted, zone, today, language) for time in booking.free], language)
        said.append(say(language, "Free instead: {times}. Which one shall it be?", times=times))
    else:
        said.append(say(language, "Nothing near it is free."))
    return " ".join(said)


def _refused(one: Standing, language: Language) -> str:
    why = (one.stands.refusal or "")[:_WHY]
    if one.wanted:
        return say(language, "The calendar does not take it: {why}", why=why)
    if not one.is_left:
        return ""
    return say(
        language,
        "It is still in the calendar; delete it there yourself. The calendar does not do it: {why}",
        why=why,
    )


def notice_text(one: Standing, zone: ZoneInfo, today: date, language: Language, *, titles: bool) -> str:
    """Return the later notice to somebody whose appointment was to go into the calendar, or to leave it."""
    text = noop("Your appointment on {when} could not go into the calendar: {what}")
    if one.is_left:
        text = noop("Your appointment on {when} could not be taken out of the calendar: {what}")
    when = short_when(one.record.occurred_on, one.record.occurred_at, today, language)
    head = say(language, text, when=when, what=quoted(one.record.text, language=language))
    return f"{head}\n{conflict_text(one, zone, today, language, alone=True, titles=titles)}"


def _in_the_way(
    booking: Booking | None, stands: bool, zone: ZoneInfo, language: Language, *, titles: bool
) -> str:
    there = booking.conflicts[:1] if booking is not None else ()
    what = "".join(_event(event, zone, language, titles=titles) for event in there)
    if stands:
        return say(language, "In the calendar it stays where it was, for then there is {what}.", what=what)
    return say(language, "It is not in the calendar, for then there is {what}.", what=what)


def _event(event: CalendarEvent, zone: ZoneInfo, language: Language, *, titles: bool) -> str:
    """Return the other event with its start and end; a whole day has no times."""
    named = titles and event.title
    title = quoted(event.title, language=language) if named else say(language, "something else")
    if event.start is None or event.end is None:
        return title
    start, end = _local(event.start, zone), _local(event.end, zone)
    return f"{title} ({start:%H:%M}–{end:%H:%M})"


def _free(free: FreeTime, wanted: date, zone: ZoneInfo, today: date, language: Language) -> str:
    """Return the time, with the day if it is another one."""
    start = _local(free.start, zone)
    if start.date() == wanted:
        return f"{start:%H:%M}"
    return short_when(start.date(), start.time(), today, language)


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone)
