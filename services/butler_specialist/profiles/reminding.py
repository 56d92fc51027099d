"""Handles reminders in a message: set, stopped, listed; the rest of it is for the profile (D67, ADR 0036).

Invariants: what is promised is exactly what the store is asked for; a promise is made only if the asker can be
reached; nobody stops a reminder that is not theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta
from typing import Final

from butler_contracts.language import Language
from butler_contracts.quiet_hours import QuietHours
from butler_kit.wording.amends import amend_in
from butler_kit.wording.folding import fold, words
from butler_kit.wording.language import language_of
from butler_specialist.profiles.leftover import is_courtesy
from butler_specialist.profiles.reminder_back import set_again
from butler_specialist.profiles.reminder_events import Event, before_event, event_of
from butler_specialist.profiles.reminder_heard import Heard, answered, stops_of, zone_of
from butler_specialist.profiles.reminder_quiet import can_wait, quiet_text
from butler_specialist.profiles.reminder_text import (
    asked_text,
    stopped_text,
    unclear_text,
)
from butler_specialist.store.earlier import Earlier
from butler_specialist.store.model import (
    DATE_GRACE,
    GRACE,
    MOST_REMINDERS,
    Question,
    Record,
    Reminder,
    ReminderDraft,
)
from butler_specialist.understanding.moments import said_in
from butler_specialist.understanding.plain_when import plain_when
from butler_specialist.understanding.prose import one_line
from butler_specialist.understanding.reading import Reading, Sentence, read
from butler_specialist.understanding.reminder_stops import COMING, WHICH, stop_in
from butler_specialist.understanding.reminders import (
    ReminderAsked,
    ReminderUnclear,
    Wanted,
    continued_in,
    only_when,
    reminders_of,
    wanted_in,
    wishes_in,
)
from butler_specialist.understanding.requests import Wish, object_words, requests_in

__all__ = [
    "completed",
    "heard_of",
    "last_turn",
    "restored",
    "says_only_when",
    "speaks_of_reminders",
    "takes_back",
]

_TEXT_CHARS: Final = 300
_LOOKED_AT: Final = 8
"""The most clauses read; a message about reminders has no more."""
_SAID_BESIDE: Final = words(
    "thank danke merci gracia sorry actually wait mach mache ruckgangig deshazlo olvidalo laisse tomber never"
    " mind vergis wieder again"
)
"""Words around "cancel that" that name nothing, without a final s."""
_ASKED_FOR: Final = timedelta(hours=1)
"""How long a bare time answers the question for it."""


@dataclass(slots=True)
class _Wishes:
    """The reminder requests of a message, and its other sentences."""

    wanted: list[tuple[Wanted, Sentence]] = field(default_factory=list)
    rest: list[Sentence] = field(default_factory=list)


def takes_back(reading: Reading) -> bool:
    """Return whether a message only takes back what was said last: "cancel that"."""
    amend = amend_in(reading.text, fold)
    if amend is not None and amend.takes_back:
        return True
    requests = requests_in(reading)
    bare = [
        one
        for one in requests
        if one.wish is Wish.TAKE_BACK and not object_words(one.sentence) - _SAID_BESIDE
    ]
    return bool(bare) and all(
        any(sentence is one.sentence for one in bare) or is_courtesy(sentence)
        for sentence in reading.sentences
    )


def says_only_when(reading: Reading) -> bool:
    """Return whether a message is only a time: the answer to "When?"."""
    return len(reading.sentences) == 1 and only_when(reading.text, reading.today)


def speaks_of_reminders(reading: Reading) -> bool:
    """Return whether a message asks for a reminder, ends one, or asks which there are."""
    if any(one.wish is Wish.REMIND for one in requests_in(reading)):
        return True
    some = reading.sentences[:_LOOKED_AT] if len(reading.sentences) <= _LOOKED_AT else ()
    return any(WHICH.match(one.folded) or COMING.match(one.folded) or stop_in(one.folded) for one in some)


def last_turn(earlier: Sequence[Earlier]) -> Earlier | None:
    """Return the last turn of the thread."""
    return next((one for one in earlier if one.in_thread), None)


def completed(reading: Reading, earlier: Sequence[Earlier]) -> Reading:
    """Return a message that only says when as the request that asked for it; any other unchanged."""
    last = last_turn(earlier)
    asked = last.question if last is not None else None
    if asked is None or asked.candidates or asked.shown or reading.moment - asked.moment > _ASKED_FOR:
        return reading
    return read(
        f"{asked.text.rstrip(' .!?')} {reading.text}",
        reading.moment,
        whose=reading.whose,
        usual=reading.usual,
    )


def restored(
    reading: Reading,
    last: Earlier,
    waiting: Sequence[Reminder],
    stopped: Sequence[Reminder],
    *,
    reachable: bool,
) -> Heard | None:
    """Set the reminders again that the last message stopped; None if it stopped none, or moved them."""
    if not stopped or not reachable or any(one.request_id == last.request_id for one in waiting):
        return None
    again = set_again(stopped, reading.moment, reading.said_in)
    return Heard(again.text, _beside(reading, last), again.drafts)


def _beside(reading: Reading, last: Earlier) -> Reading:
    """Return what "cancel that" means besides reminders: the entries of the last message, if any."""
    return reading if last.told or last.changed else replace(reading, sentences=())


def heard_of(
    reading: Reading,
    rows: Sequence[Record],
    waiting: Sequence[Reminder],
    *,
    reachable: bool,
    last: Earlier | None = None,
    quiet: QuietHours | None = None,
) -> Heard | None:
    """Handle reminders, given the household's records and the person's reminders; None if nothing is to be done.

    `last` is the last turn: "cancel that" takes back the reminders that it set, and the facts beside them.
    """
    just = [
        one
        for one in waiting
        if last is not None and one.request_id == last.request_id and one.record_id is None
    ]
    if last is not None and just and takes_back(reading):
        language = reading.said_in
        beside = _beside(reading, last)
        return Heard(stopped_text(just, zone_of(reading), language), beside, (), stops_of(just))
    language = language_of(f"{reading.subject}\n{reading.text}", reading.usual)
    wishes = _wishes(reading) if reachable else _Wishes()
    if wishes.wanted:
        rest = replace(reading, sentences=tuple(wishes.rest), text=_text_of(reading, wishes))
        return _set(wishes, rows, rest, language, quiet, last.told if last is not None else ())
    for sentence in reading.sentences[:_LOOKED_AT]:
        heard = answered(sentence, rows, waiting, reading, language)
        if heard is not None:
            return heard
    return None


def _wishes(reading: Reading) -> _Wishes:
    asking = {id(one.sentence) for one in requests_in(reading) if one.wish is Wish.REMIND}
    found, line = _Wishes(), -1
    for whole in reading.sentences:
        parts = wishes_in(whole.text) if id(whole) in asking else (whole.text,)
        for sentence in (replace(whole, text=part) for part in parts):
            wanted = wanted_in(sentence.text, reading.today) if id(whole) in asking else None
            if wanted is None and found.wanted and _finishes(found.wanted[-1], sentence, reading):
                found.wanted[-1] = _finished(found.wanted[-1], sentence, reading)
                continue
            if wanted is None and found.wanted and sentence.line == line:
                wanted = continued_in(sentence.text, reading.today)
            if wanted is None:
                found.rest.append(sentence)
                continue
            line = sentence.line
            if wanted.before:
                found.rest.append(replace(sentence, text=wanted.before))
            found.wanted.append((wanted, sentence))
    return found


def _finishes(asked: tuple[Wanted, Sentence], sentence: Sentence, reading: Reading) -> bool:
    """Return whether a clause completes the request before it: "remind me of the bins? Thursday evening"."""
    said = asked[0].said
    open_still = not (said.names_a_day or said.names_an_hour)
    return open_still and only_when(sentence.text, reading.today)


def _finished(
    asked: tuple[Wanted, Sentence], sentence: Sentence, reading: Reading
) -> tuple[Wanted, Sentence]:
    wanted = asked[0]
    return replace(wanted, said=said_in(plain_when(sentence.text, reading.today), reading.today)), asked[1]


def _text_of(reading: Reading, wishes: _Wishes) -> str:
    text = reading.text
    for wanted, sentence in wishes.wanted:
        text = text.replace(sentence.text, wanted.before, 1)
    return text.strip(" \n,;.")


def _set(
    wishes: _Wishes,
    rows: Sequence[Record],
    rest: Reading,
    language: Language,
    quiet: QuietHours | None,
    just: Sequence[Record],
) -> Heard:
    found: list[ReminderAsked | ReminderUnclear] = []
    for wanted, _ in wishes.wanted[:MOST_REMINDERS]:
        wanted = replace(wanted, text=one_line(wanted.text, most=_TEXT_CHARS))
        found += _moments(wanted, rows, rest, just)
    asked = [one for one in found if isinstance(one, ReminderAsked)][:MOST_REMINDERS]
    unclear = [one for one in found if isinstance(one, ReminderUnclear)]
    said = [asked_text(one, language) for one in asked] + [unclear_text(one, language) for one in unclear]
    drafts = tuple(_draft(one, language) for one in asked)
    said += quiet_text(drafts, quiet, language)
    question = _question(wishes, unclear, rest) if unclear and not asked else None
    return Heard(" ".join(dict.fromkeys(said)), rest, drafts, question=question)


def _question(wishes: _Wishes, unclear: Sequence[ReminderUnclear], rest: Reading) -> Question | None:
    """Return the question asked back, if a bare time answers it."""
    if len(wishes.wanted) != 1 or not unclear[0].text or unclear[0].lacks not in ("when", "hour", "event"):
        return None
    return Question(wishes.wanted[0][1].text, rest.moment, ())


def _moments(
    wanted: Wanted, rows: Sequence[Record], rest: Reading, just: Sequence[Record]
) -> Sequence[ReminderAsked | ReminderUnclear]:
    if wanted.said.ahead is None:
        return reminders_of(wanted, rest.moment)
    event = event_of(wanted, rows, rest, just)
    if not isinstance(event, Event):
        return [event]
    return [before_event(wanted, event, rest.moment)]


def _draft(asked: ReminderAsked, language: Language) -> ReminderDraft:
    grace = DATE_GRACE if asked.assumed == "hour" else GRACE
    return ReminderDraft(
        asked.text,
        asked.due.astimezone(UTC),
        asked.zone,
        asked.rule,
        grace,
        "asked",
        language,
        can_wait(asked),
        elapses=asked.elapses,
    )
