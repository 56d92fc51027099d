"""What the sender spoke of, if a message asks for that and memory is on (SWB-24.2, ADR 0116).

Invariant: an answer has only the sender's own words, each with its day; nothing of such a question is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from itertools import groupby
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.asked_words import asked_words, share_told
from butler_kit.wording.folding import fold, words
from butler_kit.wording.likeness import content_words
from butler_specialist.locale import joined, noop, say
from butler_specialist.memory.episodes import Episode
from butler_specialist.profiles.answering import Answering, SpokenReader
from butler_specialist.profiles.reply import Reply
from butler_specialist.questions.periods import Period, period_of, without_period
from butler_specialist.questions.wording import more_text, quoted, when_text
from butler_specialist.understanding.about_me import asks_about_me, forgets_all, talked_about
from butler_specialist.understanding.prose import is_carried
from butler_specialist.understanding.reading import Reading

__all__ = ["spoken_reply"]

_SHOWN: Final = 10
_QUOTED: Final = 150
_LEAST: Final = 0.6
_SPOKEN: Final = noop("This is what you wrote to me: {what}.")
_NOTHING: Final = noop("I remember nothing that we talked about.")
_NOTHING_OF_THAT: Final = noop("I do not remember that we talked about that.")
_NOTHING_THEN: Final = noop("I remember nothing that we talked about {period}.")
_SMALL: Final = frozenset(
    words(
        "about other day lately recently time before uber neulich kurzlich mal schon zuletzt vorher propos sujet autre"
        " recemment dernierement sobre acerca otro dia ultimamente recientemente antes"
    )
)
"""Words of such a question that name nothing."""


@dataclass(frozen=True, slots=True)
class _Line:
    day: date
    words: str


async def spoken_reply(reading: Reading, answering: Answering) -> Reply | None:
    """Return what was spoken of in the period, and about the things, that the message names; None if it asks no such.

    What is named with a day may have another day than the talk: where nothing was said then, any day counts.
    """
    topic = talked_about(reading.text)
    if topic is None or answering.spoken is None:
        return None
    period = period_of(reading)
    wanted = asked_words(without_period(topic, reading.today), fold) - _SMALL
    found = await _found(answering.spoken, period, wanted, answering.moment.tzinfo)
    if not found and wanted and period is not None:
        period, found = None, await _found(answering.spoken, None, wanted, answering.moment.tzinfo)
    text = _told(found, reading.language) if found else _nothing(reading.language, period, wanted)
    return Reply((), text, found=bool(found))


async def _found(
    spoken: SpokenReader, period: Period | None, wanted: Collection[str], zone: tzinfo | None
) -> list[_Line]:
    """Return the lines that fit, the newest day first, of each day in the order in which they were said."""
    start, end = (_midnight(period.start, zone), _midnight(period.end, zone)) if period else (None, None)
    lines = [line for one in reversed(await spoken.between(start, end)) for line in _lines(one, wanted, zone)]
    once = dict.fromkeys(lines)
    return sorted(once, key=lambda line: line.day, reverse=True)


def _lines(episode: Episode, wanted: Collection[str], zone: tzinfo | None) -> Iterator[_Line]:
    day = episode.begun_at.astimezone(zone).date()
    for said in episode.words.splitlines():
        if not said.strip() or is_carried(said) or _asks_or_forgets(said):
            continue
        if not wanted or share_told(wanted, content_words(said, fold)) > _LEAST:
            yield _Line(day, said.strip())


def _asks_or_forgets(said: str) -> bool:
    return talked_about(said) is not None or asks_about_me(said) or forgets_all(said)


def _told(found: Sequence[_Line], language: Language) -> str:
    days = [
        f"{joined([quoted(line.words, most=_QUOTED, language=language) for line in lines], language)}"
        f" ({when_text(day, None, language)})"
        for day, lines in groupby(found[:_SHOWN], key=lambda line: line.day)
    ]
    more = [more_text(len(found) - _SHOWN, language)] if len(found) > _SHOWN else []
    return say(language, _SPOKEN, what=joined([*days, *more], language))


def _nothing(language: Language, period: Period | None, wanted: Collection[str]) -> str:
    if wanted:
        return say(language, _NOTHING_OF_THAT)
    return say(language, _NOTHING_THEN, period=period.label) if period else say(language, _NOTHING)


def _midnight(day: date | None, zone: tzinfo | None) -> datetime | None:
    return datetime.combine(day, time(), zone) if day is not None else None
