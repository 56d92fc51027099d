"""Answers messages that only refer back, from the last turn of the conversation (pure).

Invariant: the answer is in a record of that turn or answers its question; else it says that the message is unclear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import Final
from uuid import UUID

from butler_contracts.language import Language
from butler_kit.wording.language import language_of
from butler_specialist.locale import joined, noop, say
from butler_specialist.questions.asked_again import (
    asked_again,
    names_somebody,
    person_named,
    points_at_somebody,
    with_person_for_pronoun,
)
from butler_specialist.questions.recognise import is_question
from butler_specialist.questions.wording import quoted, when_text
from butler_specialist.store.earlier import Conversation, Earlier
from butler_specialist.store.model import Record
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.follow_ups import Asked, FollowUp, follow_up
from butler_specialist.understanding.money import amount_text, find_amounts, total_text
from butler_specialist.understanding.reading import Reading, read
from butler_specialist.understanding.times import find_times

__all__ = ["Followed", "pointed_at"]

_MOST_CHARS: Final = 600
"""The longest question that is asked again."""
_FOLLOWED: Final = timedelta(minutes=30)
"""How long a message may refer back to an answer, as Switchboard routes it."""
_MOST_TURNS: Final = 5
_SHOWN: Final = 3
_QUOTE: Final = 140
_ANSWERS: Final = re.compile(r"(?:re|aw|antw|tr|rv|sv)\s*:", re.IGNORECASE)
_UNCLEAR: Final = noop("I can't tell what {said} is about; please say it in full.")
_NO_CHOICE: Final = noop("I have not asked anything that {said} would answer; please say it in full.")
_SUM: Final = noop("That was {sum}: {said}.")
_TOGETHER: Final = noop("Together that is {total}: {sums}.")
_TWO: Final = 2
_MOST_SUMMED: Final = 8
_NO_SUM: Final = noop("No sum was named: {said}.")
_DAY: Final = noop("{day}: {said}.")
_NO_DAY: Final = noop("No day was named, so it is noted for {day}: {said}.")
_PLACE: Final = noop("{place}: {said}.")
_NO_PLACE: Final = noop("No place was named: {said}.")
_SAID: Final = noop("You wrote {said}.")


@dataclass(frozen=True, slots=True)
class Followed:
    """The result of a follow-up: a full question, and the text if there is none or it has no answer."""

    text: str
    question: str = ""
    asked: Asked = "other"

    def is_answered_by(self, answer: str) -> bool:
        """Return whether the answer to the last question has what is asked for now."""
        if self.asked in ("sum", "together"):
            return bool(find_amounts(answer))
        return self.asked != "day" or any(character.isdigit() for character in answer)


async def pointed_at(reading: Reading, conversation: Conversation, *, of_people: bool) -> Followed | None:
    """Return the meaning of a message that refers back; None for one that stands for itself.

    The conversation is only read for such a message.
    """
    if reading.subject and _ANSWERS.match(reading.subject) is None:
        return None
    follow = follow_up(reading.text)
    if follow is not None:
        turns = await _turns(reading, conversation)
        if follow.asked == "together" and (said := await _together(turns, conversation, reading)):
            return Followed(said)
        return _followed(follow, turns, reading, of_people=of_people)
    if of_people and points_at_somebody(reading.text) and is_question(reading):
        named = _names_anew(reading, await _turns(reading, conversation))
        return Followed(_unclear(reading), named) if named is not None else None
    return None


def _followed(
    follow: FollowUp, turns: Sequence[Earlier], reading: Reading, *, of_people: bool
) -> Followed | None:
    if follow.asked == "choice":
        return Followed(_asks_in_full(_NO_CHOICE, reading))
    topic, unclear = _topic(turns, reading, of_people=of_people), _unclear(reading)
    if follow.asked == "other":
        if topic is None or topic.told:
            return (
                Followed(unclear) if follow.marked and names_somebody(follow.rest, _names(reading)) else None
            )
        again = _again(topic, follow, reading, of_people=of_people)
        return Followed(unclear, again or "") if again or follow.marked else None
    if topic is None:
        return Followed(unclear)
    if topic.told:
        return Followed(_told(follow, topic, reading))
    return Followed(unclear, topic.text, follow.asked)


async def _together(turns: Sequence[Earlier], conversation: Conversation, reading: Reading) -> str:
    """Return the total of the sums in the last message, or listed in the last answers; empty without two."""
    rows: dict[UUID, Record] = {}
    first = next(iter(turns), None)
    for turn in turns:
        if bool(turn.told) != bool(first is not None and first.told):
            break
        told = turn.told if turn.told else await _shown(turn, conversation)
        rows |= {
            row.record_id: row
            for row in told
            if row.amount is not None and row.currency and not row.withdrawn
        }
        if turn.told and len(rows) > 1:
            break
    if len(rows) < _TWO:
        return ""
    language = language_of(f"{reading.text}\n{first.text if first is not None else ''}", reading.usual)
    summed = [(row.amount, row.currency) for row in rows.values() if row.amount is not None and row.currency]
    each = joined([amount_text(*one, language) for one in summed[:_MOST_SUMMED]], language)
    return say(language, _TOGETHER, total=total_text(summed, language), sums=each)


async def _shown(turn: Earlier, conversation: Conversation) -> Sequence[Record]:
    listed = turn.question is not None and turn.question.shown is not None
    return await conversation.records(turn.question.candidates) if listed and turn.question else ()


def _unclear(reading: Reading) -> str:
    return _asks_in_full(_UNCLEAR, reading)


def _names_anew(reading: Reading, turns: Sequence[Earlier]) -> str | None:
    """Return the question with the last named person for "she" or "his"; None if it is unclear who."""
    if person_named(reading) is not None:
        return None
    for turn in turns:
        named = person_named(_read(turn, reading))
        people = {row.party for row in turn.told if row.party} or {named} - {None}
        if people:
            who = people.pop() or ""
            return with_person_for_pronoun(reading.text, who) if not people else None
    return None


async def _turns(reading: Reading, conversation: Conversation) -> Sequence[Earlier]:
    """Return the last turns of this thread, the newest first."""
    since = reading.moment - _FOLLOWED
    earlier = await conversation.earlier()
    return [one for one in earlier if one.in_thread and one.ended_at >= since][:_MOST_TURNS]


def _asked_in_full(turn: Earlier, question: str) -> Earlier:
    return replace(turn, text=question, told=())


def _topic(turns: Sequence[Earlier], reading: Reading, *, of_people: bool) -> Earlier | None:
    """Return the last turn about something; a follow-up among them stands for the question it meant."""
    for place, turn in enumerate(turns):
        if turn.told:
            kept = tuple(row for row in turn.told if not row.withdrawn)
            return replace(turn, told=kept) if kept else None
        again = follow_up(turn.text)
        if again is None and len(turn.text) <= _MOST_CHARS and is_question(asked := _read(turn, reading)):
            named = _names_anew(asked, turns[place + 1 :]) if points_at_somebody(turn.text) else None
            return turn if named is None else _asked_in_full(turn, named)
        if again is not None and again.asked == "other":
            before = _topic(turns[place + 1 :], reading, of_people=of_people)
            if before is None or before.told:
                return None
            meant = _again(before, again, reading, of_people=of_people)
            return _asked_in_full(turn, meant) if meant is not None else None
    return None


def _again(topic: Earlier, follow: FollowUp, reading: Reading, *, of_people: bool) -> str | None:
    return asked_again(_read(topic, reading), follow.rest, _names(reading), of_people=of_people)


def _names(reading: Reading) -> tuple[str, ...]:
    return tuple(reading.whose.names.values())


def _read(turn: Earlier, reading: Reading) -> Reading:
    moment = turn.ended_at.astimezone(reading.moment.tzinfo)
    return read(turn.text[:_MOST_CHARS], moment, whose=reading.whose, usual=reading.usual)


def _told(follow: FollowUp, topic: Earlier, reading: Reading) -> str:
    """Return what the records of the last turn say about it."""
    rows, language = topic.told[:_SHOWN], reading.said_in
    said = joined([*dict.fromkeys(_quoted(row, language) for row in rows)], language)
    if follow.asked in ("sum", "together"):
        sums = _summed(rows, language)
        return say(language, _SUM if sums else _NO_SUM, sum=sums, said=said)
    if follow.asked == "day":
        return " ".join(dict.fromkeys(_day(row, reading, language) for row in rows))
    if follow.asked == "place":
        places = joined([*dict.fromkeys(row.place for row in rows if row.place)], language)
        return say(language, _PLACE if places else _NO_PLACE, place=places, said=said)
    return say(language, _SAID, said=said)


def _summed(rows: Sequence[Record], language: Language) -> str:
    """Return the sum; of several also the total."""
    found = _sums(rows)
    each = joined([amount_text(*one, language) for one in found], language)
    return f"{total_text(found, language)} ({each})" if len(found) > 1 else each


def _sums(rows: Sequence[Record]) -> list[tuple[Decimal, str]]:
    """Return the noted sums; for a note without one, those in its words."""
    kept = [(row.amount, row.currency) for row in rows if row.amount is not None and row.currency]
    texts = dict.fromkeys(row.text for row in rows)
    named = [(one.value, one.currency) for text in texts for one in find_amounts(text)][:_SHOWN]
    return kept or named


def _day(row: Record, reading: Reading, language: Language) -> str:
    day = when_text(row.occurred_on, row.occurred_at, language)
    named = bool(find_days(row.text, reading.today)) or bool(find_times(row.text))
    return say(language, _DAY if named else _NO_DAY, day=day, said=_quoted(row, language))


def _quoted(row: Record, language: Language) -> str:
    return quoted(row.text, most=_QUOTE, language=language)


def _asks_in_full(text: str, reading: Reading) -> str:
    language = reading.said_in
    return say(language, text, said=quoted(reading.text, language=language))
