"""PURE: the answers to an invitation, in the recipient's language; one sentence, and what it does not do."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, time
from typing import Final
from zoneinfo import ZoneInfo

from butler_contracts.invitation import Answered, InvitationV1, InvitedEventV1, Unclear
from butler_contracts.language import Language
from butler_specialist.invited.decide import Verdict, What
from butler_specialist.invited.facts import Facts
from butler_specialist.invited.often import often_of
from butler_specialist.locale import noop, say
from butler_specialist.questions.wording import ended, quoted, when_text
from butler_specialist.understanding.dates import day_text

__all__ = ["UNTITLED", "beside_text", "stranger_text", "too_many_text", "verdict_text"]

UNTITLED: Final = noop("Appointment")
_SAID: Final[Mapping[What, str]] = {
    "noted": noop("Noted for {when}: {quote}"),
    "again": noop("It takes place again, noted for {when}: {quote}"),
    "moved": noop("Moved to {when}: {quote}"),
    "changed": noop("Changed, noted for {when}: {quote}"),
    "same": noop("Noted already, for {when}: {quote}"),
    "older": noop("That is an older version of {quote}; what is noted stays as it is"),
    "called_off": noop("Called off and taken back: {quote} ({when})"),
    "called_off_of_series": noop(
        "Called off and taken back: {quote} ({when}). The later times of the series are not noted"
    ),
    "called_off_elsewhere": noop(
        "A time of {quote} is called off that is not noted here; nothing is changed"
    ),
    "called_off_unknown": noop("{quote} is called off; it was not noted here"),
    "already_off": noop("{quote} is called off and taken back already; nothing is changed"),
    "not_theirs": noop(
        "{quote} is noted from another invitation, which only who sent it or its organizer can change;"
        " nothing is changed"
    ),
    "taken_back": noop("{quote} was taken back here; nothing is changed"),
    "not_done": noop("Of {quote} something is asked that I do not do; nothing is changed"),
}
_UNCLEAR: Final[Mapping[Unclear, str]] = {
    "time": noop(
        "The invitation to {quote} does not say for certain when it is, so nothing is noted;"
        " write it to me with its day and hour"
    ),
    "rule": noop(
        "The invitation to {quote} has a rule that I cannot follow, so nothing is noted;"
        " write it to me with its day and hour"
    ),
    "over": noop("{quote} is over, so nothing is noted"),
}
_ANSWERED: Final[Mapping[Answered, str]] = {
    "accepted": noop("{name} accepts the invitation to {quote}; nothing is changed"),
    "declined": noop("{name} declines the invitation to {quote}; nothing is changed"),
    "tentative": noop("{name} may come to {quote}; nothing is changed"),
}
_ANSWER: Final = noop("An answer to the invitation to {quote} came; nothing is changed")
_PROPOSED: Final = noop("Another time is proposed for {quote}: {when}. Nothing is changed")
_DETAILED: Final = frozenset({"noted", "again", "moved", "changed"})


def verdict_text(verdict: Verdict, zone: ZoneInfo, language: Language) -> str:
    """Return what became of one appointment."""
    event, facts = verdict.event, verdict.facts
    text = _text(verdict)
    named = event.title or (verdict.record.text if verdict.record is not None else None)
    quote = quoted(named or say(language, UNTITLED), language=language)
    name = quoted(event.answered_by or say(language, "somebody"), language=language)
    said = ended(say(language, text, quote=quote, when=_when(verdict, language), name=name))
    if verdict.what not in _DETAILED or facts is None:
        return said
    details = _details(event, facts, language)
    return " ".join(filter(None, (said, *details, _repeats(event, facts, zone, language))))


def beside_text(invitation: InvitationV1, language: Language) -> str:
    """Say that the rest of the mail was not read; empty if there is none, or somebody has read it."""
    if not invitation.apart:
        return ""
    return say(language, "I have read the invitation alone, and nothing else of the mail.")


def too_many_text(invitation: InvitationV1, language: Language) -> str:
    """Say that a file has too many appointments for an invitation."""
    number = len(invitation.events) + invitation.more
    return say(
        language,
        "The file has {number} appointments, too many for an invitation; none is noted.",
        number=number,
    )


def stranger_text(invitation: InvitationV1, zone: ZoneInfo, language: Language, facts: Facts | None) -> str:
    """Return what the owner is told about an invitation from outside the household."""
    event = invitation.events[0]
    quote = quoted(event.title or say(language, UNTITLED), language=language)
    if invitation.method not in (None, "publish", "request") or facts is None:
        return say(
            language, "A calendar's mail about {quote}; nothing is noted or changed by it.", quote=quote
        )
    when = _when_of(facts, language)
    said = say(
        language,
        "An invitation to {quote}, for {when}; it is not noted. Forward it to me, and it is.",
        quote=quote,
        when=when,
    )
    return " ".join(filter(None, (said, _repeats(event, facts, zone, language))))


def _text(verdict: Verdict) -> str:
    if verdict.what == "unclear":
        return _UNCLEAR[verdict.event.unclear or "time"]
    if verdict.what == "answered":
        answered = verdict.event.answered
        return _ANSWERED[answered] if answered is not None else _ANSWER
    if verdict.what == "proposed":
        return _PROPOSED
    return _SAID[verdict.what]


def _when(verdict: Verdict, language: Language) -> str:
    """Return when it is recorded; if it was taken back, when it was."""
    record, facts = verdict.record, verdict.facts
    if record is not None and verdict.what not in _DETAILED and verdict.what != "proposed":
        return when_text(record.occurred_on, record.occurred_at, language)
    return _when_of(facts, language) if facts is not None else say(language, "no certain time")


def _when_of(facts: Facts, language: Language) -> str:
    return when_text(facts.day, facts.at, language)


def _details(event: InvitedEventV1, facts: Facts, language: Language) -> list[str]:
    """Return how long, where, and by whom."""
    parts = []
    if facts.ends is not None:
        parts.append(say(language, "Until {end}.", end=_end(facts.day, facts.ends, language)))
    if facts.last_day is not None:
        parts.append(say(language, "Until {end}.", end=day_text(facts.last_day, language)))
    if facts.place is not None:
        parts.append(ended(say(language, "Place: {place}", place=quoted(facts.place, language=language))))
    organizer = event.organizer_name or event.organizer
    if organizer is not None:
        name = quoted(organizer, language=language)
        parts.append(ended(say(language, "Invited by {name}", name=name)))
    return parts


def _end(day: object, ends: datetime, language: Language) -> str:
    at = ends.time()
    return f"{at:%H:%M}" if ends.date() == day else when_text(ends.date(), at, language)


def _repeats(event: InvitedEventV1, facts: Facts, zone: ZoneInfo, language: Language) -> str:
    """Say that it recurs, how often if words can say it exactly, and that only one occurrence is recorded."""
    if event.next is None:
        return ""
    first = datetime.combine(facts.day, facts.at or time(0), tzinfo=zone)
    often = often_of(event, first, language)
    if often is None:
        return say(language, "It comes again by a rule of its own; only this time is noted.")
    return say(language, "It comes again {often}; only this time is noted.", often=often)
