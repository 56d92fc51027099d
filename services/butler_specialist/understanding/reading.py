"""One message as it is understood: its sentences with what stands in each (pure)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache, cached_property
from typing import Final, TypeVar

from butler_specialist.understanding.dates import Day, Side, find_days
from butler_specialist.understanding.folding import fold
from butler_specialist.understanding.household import NOBODY, Whose
from butler_specialist.understanding.measurements import Dose, Measurement, find_doses, find_measurements
from butler_specialist.understanding.money import Amount, find_amounts
from butler_specialist.understanding.prose import own_prose
from butler_specialist.understanding.times import Moment, find_times
from butler_specialist.understanding.unmarked import unmarked_sums

__all__ = ["Reading", "Sentence", "read"]

T = TypeVar("T")

_DESCRIPTOR: Final = re.compile(r"\[[^\[\]\n]{1,200}\]")
_KEPT_WITH_EACH: Final = 2_000


@dataclass(frozen=True)
class Sentence:
    """A sentence; all places are places in `text`. With a `currency`, sums without one are of it."""

    text: str
    today: date
    currency: str = ""

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        named = find_amounts(self.text)
        return named if named or not self.currency else self.unmarked

    @cached_property
    def unmarked(self) -> tuple[Amount, ...]:
        """The sums that are told without a currency, in that of the sentence."""
        taken = [(day.start, day.end) for day in self.days]
        taken += [(moment.start, moment.end) for moment in self.times]
        taken += [(measured.start, measured.end) for measured in self.measurements]
        taken += [(dose.start, dose.end) for dose in self.doses]
        found = unmarked_sums(self.folded, taken)
        return tuple(replace(amount, currency=self.currency) for amount in found)

    @cached_property
    def days(self) -> tuple[Day, ...]:
        return find_days(self.text, self.today)

    @cached_property
    def times(self) -> tuple[Moment, ...]:
        return find_times(self.text)

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        return find_measurements(self.text)

    @cached_property
    def doses(self) -> tuple[Dose, ...]:
        return find_doses(self.text)

    @cached_property
    def _has(self) -> Callable[[re.Pattern[str]], bool]:
        return cache(lambda pattern: pattern.search(self.folded) is not None)

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether the folded sentence matches; asked once for each of its facts."""
        return self._has(pattern)


@dataclass(frozen=True)
class Reading:
    """A message's own words, read on `moment` (the household's time zone); a mail's `subject` apart.

    `whose` is who wrote them; `unread` sentences are beyond those. `currency` is the household's, empty without one.
    """

    text: str
    sentences: tuple[Sentence, ...]
    carried: str
    moment: datetime
    whose: Whose = NOBODY
    subject: str = ""
    unread: int = 0
    currency: str = ""

    @property
    def today(self) -> date:
        return self.moment.date()

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def days(self) -> tuple[Day, ...]:
        """The days of the own text, else those of the subject, else those that are carried."""
        texts = (self.text, self.subject, self.carried)
        return next((days for text in texts if (days := find_days(text, self.today))), ())

    @property
    def descriptor(self) -> str | None:
        """What stands for a message without words: `[sticker]`, `[voice 12 s]`."""
        whole = self.text.strip()
        return whole if _DESCRIPTOR.fullmatch(whole) else None

    def day_for(self, sentence: Sentence, side: Side) -> tuple[date, bool]:
        """The day that a fact of `sentence` is about, and whether the text names it."""
        named = sentence.days or self.days
        return (named[0].on(side), True) if named else (self.today, False)

    @cached_property
    def _has(self) -> Callable[[re.Pattern[str]], bool]:
        texts = (self.folded, fold(self.subject))
        return cache(lambda pattern: any(pattern.search(text) for text in texts))

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether the folded text or the folded subject matches; asked once for each of its facts."""
        return self._has(pattern)

    def either(self, find: Callable[[str], T | None]) -> T | None:
        """What is found in the text, else in the subject."""
        found = find(self.text)
        return find(self.subject) if found is None else found

    def with_subject(self) -> Reading:
        """The same, with the subject as its first sentence."""
        return replace(self, sentences=(Sentence(self.subject, self.today), *self.sentences))

    def in_currency(self) -> Reading:
        """The same, in which a sum without a currency is one of the household's."""
        return replace(self, sentences=tuple(replace(one, currency=self.currency) for one in self.sentences))

    @cached_property
    def sums(self) -> tuple[tuple[Sentence, Amount], ...]:
        """The sums in order, each with its sentence."""
        return tuple((sentence, amount) for sentence in self.sentences for amount in sentence.amounts)

    def text_of(self, sentence: Sentence) -> str:
        """What is kept with a fact of `sentence`: the message, of a long one the sentence alone."""
        return self.text if len(self.text) <= _KEPT_WITH_EACH else sentence.text


def read(prompt: str, moment: datetime, *, whose: Whose = NOBODY, currency: str = "") -> Reading:
    """Read a prompt that came at `moment`, which is aware and in the household's time zone."""
    prose = own_prose(prompt)
    today = moment.date()
    sentences = tuple(Sentence(sentence, today) for sentence in prose.sentences)
    return Reading(prose.text, sentences, prose.carried, moment, whose, prose.subject, prose.unread, currency)
