"""Handles "remind me of bills" and "stop reminding me of bills": every butler is asked (pure; ADR 0061).

Invariant: only the butler that keeps these records promises anything, and only what will be sent; nobody stops a
reminder that is not theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold, words
from butler_kit.wording.standing import Standing, Topic, standing_in
from butler_specialist.locale import count, counted, joined, noop, say
from butler_specialist.profiles.answering import Answering
from butler_specialist.profiles.reminder_events import words_of
from butler_specialist.profiles.reminder_heard import stops_of, zone_of
from butler_specialist.profiles.reminder_text import stopped_text
from butler_specialist.profiles.reply import Reply
from butler_specialist.store.model import StandingWish
from butler_specialist.understanding.reading import Reading
from butler_specialist.upcoming.leads import DEFAULT_LEADS

__all__ = ["standing_reply"]

_WANTED: Final[Mapping[Topic, str]] = {
    "bills": noop("I will remind you of each bill that you tell me, at 09:00 on the day before it is due."),
    "birthdays": noop("I will remind you of each birthday that you tell me, at 09:00 on the day before."),
    "departures": noop(
        "I will remind you of each departure that you tell me, at 18:00 on the evening before and three hours before."
    ),
    "tablets": noop(
        "I will remind you of each medicine whose hours you tell me, at those hours, for as long as it is taken."
    ),
}
_WANTED_AHEAD: Final[Mapping[Topic, str]] = {
    "bills": noop("I will remind you of each bill that you tell me, at 09:00 {days}."),
    "birthdays": noop("I will remind you of each birthday that you tell me, at 09:00 {days}."),
    "departures": noop(
        "I will remind you of each departure that you tell me, at 18:00 {days}, and three hours before."
    ),
}
_DAYS_BEFORE: Final = counted("{number} day before", "{number} days before")
_UNWANTED: Final[Mapping[Topic, str]] = {
    "bills": noop("I will not remind you of bills by myself any more."),
    "birthdays": noop("I will not remind you of birthdays by myself any more."),
    "departures": noop("I will not remind you of departures by myself any more."),
    "tablets": noop("I will not remind you of medicines by myself any more."),
}
_CALLED: Final[Mapping[Topic, frozenset[str]]] = {
    "bills": words("bill invoice rechnung rechnungen facture factura"),
    "birthdays": words("birthday"),
    "tablets": words(
        "tablet pill medicine medication med tablette tabletten medikament medikamente medizin medicament"
        " comprime pastilla medicamento"
    ),
    "departures": words(
        "departure flight train trip abreise abfahrt flug depart vol voyage salida vuelo viaje"
    ),
}
"""Words as `words_of` returns them."""
_UNREACHABLE: Final = noop(
    "I cannot remind you: I have no Telegram or mail address of yours to which I may write first."
)
_NOBODY: Final = noop("No butler that I could ask keeps that, so there is nothing to remind you of.")
_SILENT: Final = Reply((), "", silent=True)


async def standing_reply(reading: Reading, answering: Answering, topics: Sequence[Topic]) -> Reply | None:
    """Return the reply to such a wish; None for any other message.

    `topics` are those of this butler's records.
    """
    wish = standing_in(reading.text, fold)
    if wish is None or answering.asker is None or reading.subject:
        return None
    if wish.topic in topics:
        return await _followed(wish, reading, answering)
    stopped = await _stopped(wish, reading, answering)
    if stopped is not None or answering.together is None:
        return stopped
    alone = answering.together.last and not answering.together.answered
    return Reply((), say(reading.said_in, _NOBODY)) if alone else _SILENT


async def _followed(wish: Standing, reading: Reading, answering: Answering) -> Reply:
    language = reading.said_in
    if wish.wanted and not answering.reachable:
        return Reply((), say(language, _UNREACHABLE))
    said = StandingWish(wish.topic, wish.wanted, language, wish.leads)
    text = _wanted_text(wish, language) if wish.wanted else say(language, _UNWANTED[wish.topic])
    stopped = await _stopped(wish, reading, answering)
    if stopped is None:
        return Reply((), text, wishes=(said,))
    return Reply((), f"{text} {stopped.text}", reminder_stops=stopped.reminder_stops, wishes=(said,))


def _wanted_text(wish: Standing, language: Language) -> str:
    if wish.leads in ((), DEFAULT_LEADS):
        return say(language, _WANTED[wish.topic])
    said = [
        count(language, *_DAYS_BEFORE, lead) if lead else say(language, "on the day") for lead in wish.leads
    ]
    return say(language, _WANTED_AHEAD[wish.topic], days=joined(said, language))


async def _stopped(wish: Standing, reading: Reading, answering: Answering) -> Reply | None:
    """Stop the one reminder that the person asked for explicitly, by that name."""
    if wish.wanted or answering.reminders is None or answering.asker is None:
        return None
    waiting = await answering.reminders.find_reminders(answering.asker)
    meant = [one for one in waiting if one.source == "asked" and _CALLED[wish.topic] & words_of(one.text)]
    if len(meant) != 1:
        return None
    text = stopped_text(meant, zone_of(reading), reading.said_in)
    return Reply((), text, reminder_stops=stops_of(meant))
