"""One message as read: its sentences and their content (pure)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import cache, cached_property
from typing import Final, TypeVar

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_kit.wording.language import language_of
from butler_specialist.understanding.clauses import clauses
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.day import Day, Side
from butler_specialist.understanding.denied import is_superseded
from butler_specialist.understanding.gone_by import hour_gone_by
from butler_specialist.understanding.household import NOBODY, Whose
from butler_specialist.understanding.money import Amount
from butler_specialist.understanding.months import to_come_in
from butler_specialist.understanding.prose import own_prose
from butler_specialist.understanding.sentence import Sentence
from butler_specialist.understanding.tense import is_moved, states

__all__ = ["Reading", "Sentence", "Spoken", "When", "read"]

T = TypeVar("T")

_DESCRIPTOR: Final = re.compile(r"\[[^\[\]\n]{1,200}\]")
_KEPT_WITH_EACH: Final = 2_000
_MOST_TALKED: Final = 400
"""The most characters of a casual message; a longer one is a document with numbers of many kinds."""
_SUBJECT: Final = re.compile(
    r"\W*(?:(?:and|und|et|y) )?"
    r"(?:(?:i|we|he|she|they|ich|wir|er|sie|je|on|il|elle|nous|ils|elles|yo|ella|ellos|nosotros)\b|j')"
)
"""A subject: the clause is not the rest of the one before it."""
_DUE: Final = re.compile(r"\W*(?:due|fallig|zahlbar|payable|echeance|vence)")
_DATE: Final = re.compile(r"\W*(?:date|datum|fecha)\W")


@dataclass(frozen=True, slots=True)
class When:
    """The day, and the time if stated, that a fact is about; `named` if the text names the day.

    `unclear` are the words of an ambiguous hour (am or pm).
    """

    day: date
    at: time | None = None
    named: bool = False
    unclear: str | None = None


@dataclass(frozen=True, slots=True)
class Spoken:
    """Whom the conversation's last facts were about, None for the sender.

    `hot` if about their temperature.
    """

    who: str | None
    hot: bool = False


@dataclass(frozen=True)
class Reading:
    """A message's own words, read at `moment` (in the sender's time zone); a mail's `subject` is separate.

    `whose` is who wrote them; `unread` counts the sentences beyond those. `currency` is the household's, empty
    without one. `language` is that of the words, else the person's `usual` one; answers use it. `at_list` is the
    list that the conversation is about, `spoken_of` whom its last facts were about.
    """

    text: str
    sentences: tuple[Sentence, ...]
    carried: str
    moment: datetime
    whose: Whose = NOBODY
    subject: str = ""
    unread: int = 0
    currency: str = ""
    language: Language = "en"
    at_list: str = ""
    usual: Language = "en"
    spoken_of: Spoken | None = None

    @property
    def today(self) -> date:
        return self.moment.date()

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def days(self) -> tuple[Day, ...]:
        """The days of the text itself, else of the subject, else the carried ones."""
        texts = (self.text, self.subject, self.carried)
        return next((days for text in texts if (days := find_days(text, self.today))), ())

    @property
    def said_in(self) -> Language:
        """The language of what is left of the text, else the person's usual one."""
        return language_of(self.text, self.usual)

    @property
    def descriptor(self) -> str | None:
        """The placeholder of a message without words: `[sticker]`, `[voice 12 s]`."""
        whole = self.text.strip()
        return whole if _DESCRIPTOR.fullmatch(whole) else None

    def when(self, sentence: Sentence, side: Side, *, usual: Side | None = None) -> When:
        """Return the day and time of a fact of `sentence`: its own, or from its line, its heading or its mail.

        `side` says where its day lies; with `usual`, the sentence decides and `usual` is the default.
        """
        side = side if usual is None else sentence.side(usual)
        at = sentence.times[0].at if sentence.times else None
        day = self._named_day(sentence, side, at)
        if at is None and side == "past" == sentence.said_side and day in (None, self.today):
            at = hour_gone_by(sentence.text, self.moment.time())
        unclear = sentence.unclear_hour if at is None else None
        return When(day or self.today, at, day is not None, unclear)

    def _named_day(self, sentence: Sentence, side: Side, at: time | None) -> date | None:
        if sentence.day is not None:
            return self._coming(sentence, sentence.day, side, at)
        given = (
            *self._days_of_the_line(sentence, side),
            *(day.on(side) for day in self._leads(sentence, side)),
        )
        return next((meant for meant in given if self._lies_on(meant, side)), None)

    def _coming(self, sentence: Sentence, day: Day, side: Side, at: time | None) -> date:
        """Return the day.

        For today's weekday with a past or unclear hour, or as the target of a move, the next one.
        """
        meant = day.on(side)
        over = at < self.moment.time() if at is not None else self._is_of_another_week(sentence)
        today = day.form == "weekday" and meant == self.today
        return meant + timedelta(days=7) if today and over and side == "future" else meant

    def _is_of_another_week(self, sentence: Sentence) -> bool:
        return is_moved(sentence.folded) or sentence.unclear_hour is not None

    def _days_of_the_line(self, sentence: Sentence, asked: Side) -> Iterator[date]:
        """Yield the days of preceding clauses, nearest first, that do not mean the other side of today."""
        side = sentence.side("nearest")
        for place in range(self._places.get(id(sentence), 0) - 1, -1, -1):
            other = self.sentences[place]
            if other.line != sentence.line:
                return
            if asked == "past" and other.is_to_come:
                continue
            if other.days and side in ("nearest", other.side(side)):
                yield other.days[0].on(other.side(asked) if asked == "nearest" else asked)

    def _leads(self, sentence: Sentence, side: Side) -> Iterator[Day]:
        """Yield the day that a label, a heading, the subject or an earlier message gives to a fact."""
        if side == "future" and self._due is not None:
            yield self._due
        heading = self._headings[self._places.get(id(sentence), 0)] if self.sentences else None
        if heading is not None:
            yield heading
        else:
            yield from self._given_days
        if side == "past" and self._dated is not None:
            yield self._dated

    @cached_property
    def _due(self) -> Day | None:
        """The day of a line that says when something is due, wherever it stands: "Due: 5 December"."""
        return self._labelled(_DUE)

    @cached_property
    def _dated(self) -> Day | None:
        """The day of a line that dates the whole, wherever it stands: "Date: 18 November"."""
        return self._labelled(_DATE)

    def _labelled(self, label: re.Pattern[str]) -> Day | None:
        lines = (line for line in self.sentences if line.is_heading and label.match(line.folded))
        return next((line.days[0] for line in lines), None)

    @cached_property
    def _given_days(self) -> tuple[Day, ...]:
        """For a text without a day: the subject's day, and a "yesterday" that led the whole message."""
        if any(sentence.days for sentence in self.sentences):
            return ()
        carried = find_days(self.carried, self.today)
        leads = carried if len(carried) == 1 and carried[0].form == "relative" else ()
        return (*find_days(self.subject, self.today)[:1], *leads)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(sentence): place for place, sentence in enumerate(self.sentences)}

    @cached_property
    def _headings(self) -> tuple[Day | None, ...]:
        """For each sentence, the last heading up to it."""
        headings: list[Day | None] = []
        for sentence in self.sentences:
            before = headings[-1] if headings else None
            headings.append(sentence.days[0] if sentence.is_heading else before)
        return tuple(headings)

    def _lies_on(self, day: date, side: Side) -> bool:
        return side == "nearest" or (day <= self.today if side == "past" else day >= self.today)

    @cached_property
    def _has(self) -> Callable[[re.Pattern[str]], bool]:
        texts = (self.folded, fold(self.subject))
        return cache(lambda pattern: any(pattern.search(text) for text in texts))

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Return whether the folded text or subject matches; evaluated once per pattern."""
        return self._has(pattern)

    def either(self, find: Callable[[str], T | None]) -> T | None:
        """Return what is found in the text, else in the subject."""
        found = find(self.text)
        return find(self.subject) if found is None else found

    def only(self, sentence: Sentence) -> Reading:
        """Return one clause of it as a reading of its own."""
        return replace(self, text=sentence.text, sentences=(sentence,), subject="", carried="", unread=0)

    def without(self, sentences: Sequence[Sentence]) -> Reading:
        """Return the rest of it, without these clauses."""
        text, gone = self.text, frozenset(sentences)
        for sentence in sentences:
            text = text.replace(sentence.text, "", 1)
        rest = tuple(sentence for sentence in self.sentences if sentence not in gone)
        return replace(self, text=text.strip(" \n,;."), sentences=rest)

    def with_subject(self) -> Reading:
        """Return the same with the subject as its first sentence."""
        return replace(self, sentences=(Sentence(self.subject, self.today, -1), *self.sentences))

    def in_currency(self) -> Reading:
        """Return the same with the household's currency for sums that name none."""
        if not self.currency or self.subject or len(self.text) > _MOST_TALKED:
            return replace(self, sentences=tuple(one.in_currency(self.currency) for one in self.sentences))
        alone = tuple(one.in_currency(self.currency, of_money="alone") for one in self.sentences)
        told = [bool(one.amounts) for one in alone]
        beside = (
            one.in_currency(self.currency, of_money="beside")
            if any(told[:place] + told[place + 1 :])
            else alone[place]
            for place, one in enumerate(self.sentences)
        )
        return replace(self, sentences=tuple(beside))

    @cached_property
    def sums(self) -> tuple[tuple[Sentence, Amount], ...]:
        """The sums in order, each with its sentence."""
        return tuple((sentence, amount) for sentence in self.sentences for amount in sentence.amounts)

    def text_of(self, sentence: Sentence) -> str:
        """Return the text stored with a fact of `sentence`: the message, or the sentence if that is long."""
        return self.text if len(self.text) <= _KEPT_WITH_EACH else sentence.text


def read(
    prompt: str, moment: datetime, *, whose: Whose = NOBODY, currency: str = "", usual: Language = "en"
) -> Reading:
    """Read a prompt that came at `moment`, which is aware and in the sender's time zone."""
    prose = own_prose(prompt)
    today = moment.date()
    sentences = tuple(
        Sentence(clause, today, line)
        for line, sentence in enumerate(prose.sentences)
        for clause in clauses(sentence, today)
    )
    sentences = _as_moved(_as_led(_in_their_months(sentences, today))) or (Sentence(prose.text, today),)
    language = language_of(f"{prose.subject}\n{prose.text}", usual)
    return Reading(
        text=prose.text,
        sentences=sentences,
        carried=prose.carried,
        moment=moment,
        whose=whose,
        subject=prose.subject,
        unread=prose.unread,
        currency=currency,
        language=language,
        usual=usual,
    )


def _in_their_months(sentences: tuple[Sentence, ...], today: date) -> tuple[Sentence, ...]:
    """Give a day without a month that of the clause before it, if that is to come."""
    told: list[Sentence] = []
    for one in sentences:
        before = told[-1] if told else None
        behind = to_come_in(before.named_days, today) if before and before.line == one.line else None
        told.append(
            replace(one, behind=behind) if behind and any(day.bare for day in one.named_days) else one
        )
    return tuple(told)


def _as_led(sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Give a clause with a day and no verb the tense of the one before it: "Leo has …, Clara a haircut"."""
    told: list[Sentence] = []
    for one in sentences:
        before = told[-1] if told else None
        goes_on = before is not None and before.line == one.line and one.days and not _opens(one)
        told.append(replace(one, led=before.said_side) if before is not None and goes_on else one)
    return tuple(told)


def _opens(sentence: Sentence) -> bool:
    """Return whether a clause is a statement of its own."""
    return states(sentence.folded) or _SUBJECT.match(sentence.folded) is not None


def _as_moved(sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Drop days from which something moved: "was planned for the 12th, has been moved to the 26th"."""
    moved = [place for place, one in enumerate(sentences) if one.days and is_moved(one.folded)]
    return tuple(
        replace(one, superseded=True)
        if one.days and is_superseded(one.folded) and any(_moves(place, one, sentences, to) for to in moved)
        else one
        for place, one in enumerate(sentences)
    )


def _moves(place: int, one: Sentence, sentences: Sequence[Sentence], to: int) -> bool:
    return place < to and one.line == sentences[to].line
