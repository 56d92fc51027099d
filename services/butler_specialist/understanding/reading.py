"""One message as it is understood: its sentences with what stands in each (pure)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Final

from butler_specialist.understanding.dates import Day, Side, find_days
from butler_specialist.understanding.folding import fold
from butler_specialist.understanding.measurements import Dose, Measurement, find_doses, find_measurements
from butler_specialist.understanding.money import Amount, find_amounts
from butler_specialist.understanding.prose import own_prose
from butler_specialist.understanding.times import Moment, find_times

__all__ = ["Reading", "Sentence", "read"]

_DESCRIPTOR: Final = re.compile(r"\[[^\[\]\n]{1,200}\]")


@dataclass(frozen=True)
class Sentence:
    """A sentence; all places are places in `text`."""

    text: str
    today: date

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        return find_amounts(self.text)

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

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether the folded sentence matches."""
        return pattern.search(self.folded) is not None


@dataclass(frozen=True)
class Reading:
    """A message's own words, by `sender`, read on `moment` (the household's time zone)."""

    text: str
    sentences: tuple[Sentence, ...]
    carried: str
    moment: datetime
    sender: str = ""

    @property
    def today(self) -> date:
        return self.moment.date()

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def days(self) -> tuple[Day, ...]:
        """The days of the own text, else those that are carried."""
        return find_days(self.text, self.today) or find_days(self.carried, self.today)

    @property
    def descriptor(self) -> str | None:
        """What stands for a message without words: `[sticker]`, `[voice 12 s]`."""
        whole = self.text.strip()
        return whole if _DESCRIPTOR.fullmatch(whole) else None

    def day_for(self, sentence: Sentence, side: Side) -> tuple[date, bool]:
        """The day that a fact of `sentence` is about, and whether the text names it."""
        named = sentence.days or self.days
        return (named[0].on(side), True) if named else (self.today, False)

    def has(self, pattern: re.Pattern[str]) -> bool:
        return pattern.search(self.folded) is not None

    def all_amounts(self) -> Iterator[tuple[Sentence, Amount]]:
        for sentence in self.sentences:
            for amount in sentence.amounts:
                yield sentence, amount


def read(prompt: str, moment: datetime, *, sender: str = "") -> Reading:
    """Read a prompt that came at `moment`, which is aware and in the household's time zone."""
    prose = own_prose(prompt)
    today = moment.date()
    sentences = tuple(Sentence(sentence, today) for sentence in prose.sentences)
    return Reading(prose.text, sentences, prose.carried, moment, sender)
