"""A clause with its content, each part read once (pure)."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, cached_property
from typing import Any, Final, Literal, TypeVar

from butler_kit.wording.folding import fold
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.day import Day, Side
from butler_specialist.understanding.denied import left_standing, put_right
from butler_specialist.understanding.figures_of_days import without_days
from butler_specialist.understanding.loose_sums import loose_sums
from butler_specialist.understanding.measurements import Dose, Measurement, find_doses, find_measurements
from butler_specialist.understanding.money import Amount, find_amounts
from butler_specialist.understanding.months import in_their_months
from butler_specialist.understanding.series_days import first_of_a_series
from butler_specialist.understanding.tense import comes_on, is_moved, side_of
from butler_specialist.understanding.times import Moment, find_times, unclear_hour
from butler_specialist.understanding.unmarked import closing_sum, sums_beside, unmarked_sums

__all__ = ["Sentence"]

T = TypeVar("T")

_LABEL: Final = re.compile(
    r"\W*+(?:on|am|le|el|date|datum|fecha|day|tag|jour|dia|of|von|vom|de|du|for|fur|pour|para|due|due date"
    r"|fallig(?: am)?)?"
    r"\W*+"
)
"""What may accompany the day of a heading line: "Yesterday:", "Date: 18 November"."""


@dataclass(frozen=True)
class Sentence:
    """A clause; all places are places in `text`. Clauses of one sentence share the same `line`.

    With a `currency`, sums without one use it. `superseded`: its day and hour are those before something moved.
    `led`: the side of today that the preceding clause gives to one without a verb. `of_money`: it is read by a
    butler that keeps money, `beside` another clause with a sum. `behind` is a coming day; a day without a month is
    the next one after it.
    """

    text: str
    today: date
    line: int = 0
    currency: str = ""
    superseded: bool = False
    led: Side | None = None
    of_money: Literal["", "alone", "beside"] = ""
    behind: date | None = None

    @cached_property
    def folded(self) -> str:
        return fold(self.text)

    @cached_property
    def amounts(self) -> tuple[Amount, ...]:
        named = left_standing(find_amounts(self.text), self.folded)
        if named:
            return self._with_loose(sums_beside(named, self.folded, lambda: self._other_numbers))
        return self.unmarked if self.currency else ()

    @cached_property
    def unmarked(self) -> tuple[Amount, ...]:
        """The sums told without a currency, in that of the sentence."""
        found = left_standing(self._unnamed, self.folded)
        return tuple(replace(amount, currency=self.currency) for amount in found)

    @property
    def _other_numbers(self) -> list[tuple[int, int]]:
        """The places of its days, hours, measurements and doses."""
        found = (self.days, self.times, self.measurements, self.doses)
        return [(one.start, one.end) for kind in found for one in kind]

    @property
    def _unnamed(self) -> tuple[Amount, ...]:
        found = unmarked_sums(self.folded, self._other_numbers)
        return self._with_loose(found) if self.of_money else found

    def _with_loose(self, found: tuple[Amount, ...]) -> tuple[Amount, ...]:
        """Add the sums that only a butler that keeps money reads, in the currency named beside them."""
        if not self.of_money:
            return found
        taken = [*self._other_numbers, *((one.start, one.end) for one in found)]
        beside = bool(found) or self.of_money == "beside"
        loose = left_standing(loose_sums(self.folded, taken, beside=beside), self.folded)
        named = next((one.currency for one in found if one.currency and not one.assumed), None)
        if named is not None:
            loose = tuple(replace(one, currency=named, assumed=False) for one in loose)
        return tuple(sorted([*found, *loose], key=lambda amount: amount.start))

    def in_currency(self, currency: str, *, of_money: Literal["", "alone", "beside"] = "") -> Sentence:
        """Return it with its sums in that currency if they name none.

        One with its own currency is unchanged.
        """
        if currency == self.currency or (self.amounts and not of_money):
            return self
        return self.once(_of_currency, currency, of_money)

    @cached_property
    def named_days(self) -> tuple[Day, ...]:
        """Every day in it, even a denied one, without a sum that looks like one: "Spent 12.11."."""
        found = find_days(self.text, self.today)
        closing = closing_sum(self.folded) if found else None
        stand = [day for day in found if closing is None or day.end <= closing[0]]
        return (
            in_their_months(stand, self.behind, self.today, self.folded)
            if any(day.bare for day in stand)
            else tuple(stand)
        )

    @cached_property
    def days(self) -> tuple[Day, ...]:
        """The days that stand."""
        return () if self.superseded else left_standing(self.named_days, self.folded)

    @cached_property
    def day(self) -> Day | None:
        """The day it is about: the first, the last if something is moved, or that on which a series begins."""
        if len(self.days) > 1 and is_moved(self.folded):
            return self.days[-1]
        return first_of_a_series(self.days, self.folded) or (self.days[0] if self.days else None)

    @cached_property
    def named_times(self) -> tuple[Moment, ...]:
        """Every hour in it, even a denied one."""
        return find_times(self.text)

    @cached_property
    def times(self) -> tuple[Moment, ...]:
        """The hours that stand; only the last if something is moved."""
        found = () if self.superseded else left_standing(self.named_times, self.folded)
        return found[-1:] if len(found) > 1 and is_moved(self.folded) else found

    @cached_property
    def unclear_hour(self) -> str | None:
        return unclear_hour(self.text)

    def side(self, usual: Side) -> Side:
        """Return whether its day is past or to come; `usual` if it does not say."""
        return self._said_side or usual

    @property
    def said_side(self) -> Side | None:
        """The same; None if it does not say."""
        return self._said_side

    @cached_property
    def _said_side(self) -> Side | None:
        return side_of(self.folded, self.day) or self.led

    @cached_property
    def is_to_come(self) -> bool:
        """Whether it says that something is on its day: what was before is not on that day."""
        return any(comes_on(self.folded, day.start) for day in self.days)

    @cached_property
    def is_heading(self) -> bool:
        """Whether it is only a day, for what follows."""
        if len(self.days) != 1:
            return False
        [day] = self.days
        beside = (self.folded[: day.start], self.folded[day.end :])
        return all(_LABEL.fullmatch(text) for text in beside)

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        """The values that stand; a day is none."""
        text = without_days(self.text, self.folded, self.named_days, self.named_times)
        return put_right(find_measurements(text), self.folded)

    @cached_property
    def doses(self) -> tuple[Dose, ...]:
        return find_doses(self.text)

    @cached_property
    def _known(self) -> dict[Hashable, Any]:
        return {}

    def once(self, find: Callable[..., T], *given: Hashable) -> T:
        """Return `find(self, *given)`, cached; it must depend on nothing else."""
        key = (find, *given)
        if key not in self._known:
            self._known[key] = find(self, *given)
        found: T = self._known[key]
        return found

    @cached_property
    def _has(self) -> Callable[[re.Pattern[str]], bool]:
        return cache(lambda pattern: pattern.search(self.folded) is not None)

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Return whether the folded sentence matches; evaluated once per pattern."""
        return self._has(pattern)


def _of_currency(sentence: Sentence, currency: str, of_money: Literal["", "alone", "beside"]) -> Sentence:
    return replace(sentence, currency=currency, of_money=of_money)
