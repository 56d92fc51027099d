"""The clauses of a sentence: each states something of its own, with its own day and sum (pure).

Two parts are separate clauses if the second opens with its own subject and has a verb or says to do something, or
asks behind a statement; if both name a day or each states a sum; if one is about the past and the other about a
coming day; if both name an hour of a day's list or of an appointment; or if one is a measured value and the other a
sum, an appointment with its hour or the day on which something will be. "Buy milk, and the thermos" is one clause:
its second part states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.understanding.clause_words import (
    ASKS,
    ASKS_ANEW,
    COSTS,
    GIVEN,
    ITS_VALUE,
    JOINT,
    LIST_OF_A_DAY,
    LISTED,
    NAMED,
    NOT_SO,
    OWES,
    OWNERS,
    PAYS,
    PRONOUNS,
    PUTS,
    RIDE,
    SAYS_TO_DO,
    TELLS_A_SUM,
    TO_BE_DONE,
    USED_UP,
    WORD,
)
from butler_specialist.understanding.dates import find_days
from butler_specialist.understanding.denied import takes_back
from butler_specialist.understanding.list_wants import UNSAID
from butler_specialist.understanding.measurements import find_measurements
from butler_specialist.understanding.money import find_amounts
from butler_specialist.understanding.rows_of_days import days_apart, rows_of_days
from butler_specialist.understanding.tense import (
    comes_on,
    is_appointment,
    opens_with_what_comes,
    side_of,
    states,
)
from butler_specialist.understanding.times import find_times

__all__ = ["clauses"]

_MOST: Final = 24
"""The most clauses of a sentence; a longer one is an enumeration."""


def clauses(sentence: str, today: date) -> tuple[str, ...]:
    """Return the clauses in order; the sentence itself if it is one."""
    folded = fold(sentence)
    joints = list(JOINT.finditer(folded))
    if not joints or len(joints) > _MOST:
        return (sentence,)
    dated = [(day.start, day.end) for day in find_days(sentence, today)]
    rows = rows_of_days(folded)
    cuts, start = [], 0
    free = [joint for joint in joints if not _any_in([*dated, *rows], joint.start(), joint.end())]
    for joint, after in pairwise([*free, None]):
        end = after.start() if after is not None else len(folded)
        if joint is not None and (
            _opens_anew(sentence, folded, dated, start, joint)
            or _are_apart(folded, dated, (start, end), joint)
        ):
            cuts.append(joint)
            start = joint.end()
    return tuple(one for piece in _pieces(sentence, cuts) for one in days_apart(piece))


def _has_value(part: str) -> bool:
    return bool(find_measurements(part))


def _has_sum(part: str) -> bool:
    return bool(find_amounts(part))


def _pieces(sentence: str, cuts: list[re.Match[str]]) -> Iterator[str]:
    ends = [0, *(place for cut in cuts for place in cut.span()), len(sentence)]
    for index, (start, end) in enumerate(pairwise(ends)):
        if index % 2 == 0 and sentence[start:end].strip():
            yield sentence[start:end].strip()


def _any_in(dated: list[tuple[int, int]], start: int, end: int) -> bool:
    return any(first < end and start < last for first, last in dated)


def _are_apart(
    folded: str, dated: list[tuple[int, int]], span: tuple[int, int], joint: re.Match[str]
) -> bool:
    """Return whether the text from the start of `span` to the joint is separate from what follows it."""
    start, end = span
    before, after = folded[start : joint.start()], folded[joint.end() : end]
    if not WORD.search(before) or NOT_SO.match(after) or takes_back(before, after):
        return False
    opens = PRONOUNS.match(after) or (OWNERS.match(after) and states(after))
    loose = "," in joint.group()
    if loose and GIVEN.match(after) and _has_value(before):
        return True
    if opens and (loose or states(before)):
        return True
    earlier, later = _any_in(dated, start, joint.start()), _any_in(dated, joint.end(), end)
    if later and earlier:
        return WORD.search(_bare(folded, dated, joint.end(), end)) is not None
    if _of_two_hours(folded, before, after):
        return True
    value = ITS_VALUE.match(folded, end)
    told = [(start, joint.start()), (joint.end(), value.end() if value is not None else end)]
    if _of_a_value_and_an_entry(folded, dated, told) or _of_a_value_and_a_sum(folded, told):
        return True
    if _of_a_payment_and_an_entry(folded, dated, told) or _of_what_is_used_up(before, after):
        return True
    if _has_sum(before) and not _has_sum(after) and is_appointment(after) and find_times(after):
        return True
    return loose and (later or earlier) and _of_two_times(before, after)


def _opens_anew(
    sentence: str, folded: str, dated: list[tuple[int, int]], start: int, joint: re.Match[str]
) -> bool:
    """Return whether the text after the joint asks, says to do something, states a sum, or names a person."""
    before, after = folded[start : joint.start()], folded[joint.end() :]
    if takes_back(before, after):
        return False
    if ASKS_ANEW.match(after) and not ASKS.match(before) and not TO_BE_DONE.search(before):
        return states(before) or SAYS_TO_DO.match(before) is not None
    if OWES.match(after) and WORD.search(before):
        return True
    stated = states(before) or NAMED.match(sentence, start) is not None
    if SAYS_TO_DO.match(after):
        stated = stated or SAYS_TO_DO.match(before) is not None
        return stated and not TO_BE_DONE.search(before) and not _is_of_one_list(before, after)
    if stated and COSTS.match(after):
        return True
    stated = stated or (SAYS_TO_DO.match(before) is not None and not TO_BE_DONE.search(before))
    if TELLS_A_SUM.match(after):
        another = _has_sum(before) or TELLS_A_SUM.search(before) is not None
        return another or _is_entry(folded, dated, start, joint.start())
    return stated and NAMED.match(sentence, joint.end()) is not None


def _is_of_one_list(before: str, after: str) -> bool:
    """Return whether both parts belong to the list of the second: "add call Tom and buy milk to the list"."""
    return PUTS.match(before) is not None and not LISTED.search(before) and LISTED.search(after) is not None


def _of_two_hours(folded: str, before: str, after: str) -> bool:
    """Return whether each is an entry with its hour: "Friday: dentist 9:00, vet 14:00".

    A ride with two times is one entry.
    """
    listed = LIST_OF_A_DAY.match(folded) is not None and not RIDE.search(folded)
    if not (listed or (is_appointment(before) and is_appointment(after))):
        return False
    return all(find_times(text) and WORD.search(text) for text in (before, after))


def _of_a_value_and_an_entry(folded: str, dated: list[tuple[int, int]], parts: list[tuple[int, int]]) -> bool:
    """Return whether one is a coming day and the other a value: "dentist on Tuesday at 10:00, BP 130/85"."""
    values = [_has_value(folded[start:end]) for start, end in parts]
    if values not in ([True, False], [False, True]):
        return False
    return [_is_entry(folded, dated, start, end) for start, end in parts] == [not value for value in values]


def _of_a_value_and_a_sum(folded: str, parts: list[tuple[int, int]]) -> bool:
    """Return whether one is a sum and the other a body value: "paid 20 EUR for petrol, then BP 130/85"."""
    texts = [folded[start:end] for start, end in parts]
    values, sums = (
        [_has_value(text) for text in texts],
        [_has_sum(text) for text in texts],
    )
    return values != sums and sorted(values) == sorted(sums) == [False, True]


def _of_a_payment_and_an_entry(
    folded: str, dated: list[tuple[int, int]], parts: list[tuple[int, int]]
) -> bool:
    """Return whether one was paid and the other is on a day at an hour.

    For example "paid 20, and on Monday at 8 the plumber comes".
    """
    paid = [PAYS.search(folded[start:end]) is not None for start, end in parts]
    if paid not in ([True, False], [False, True]):
        return False
    start, end = parts[paid.index(False)]
    other = folded[start:end]
    return _any_in(dated, start, end) and bool(find_times(other)) and not find_amounts(other)


def _of_what_is_used_up(before: str, after: str) -> bool:
    """Return whether one says that something is used up and the other is about something else."""
    used = [any(pattern.match(text) for pattern in (*UNSAID, USED_UP)) for text in (before, after)]
    if used not in ([True, False], [False, True]):
        return False
    other = (before, after)[used.index(False)]
    return states(other) or bool(find_amounts(other) or find_times(other) or PAYS.search(other))


def _is_entry(folded: str, dated: list[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether a part is an appointment with its hour, or says that something is on a day."""
    part = folded[start:end]
    if is_appointment(part) and find_times(part):
        return True
    return any(start <= first and last <= end and comes_on(part, first - start) for first, last in dated)


def _of_two_times(before: str, after: str) -> bool:
    """Return whether one is past and the other to come, and the second has words before its verb."""
    sides = {side_of(text, None) for text in (before, after)}
    return sides == {"past", "future"} and not opens_with_what_comes(after)


def _bare(folded: str, dated: list[tuple[int, int]], start: int, end: int) -> str:
    """Return that part of the text without its days and the small words before them."""
    kept = list(folded)
    for first, last in dated:
        kept[first:last] = " " * (last - first)
    return re.sub(r"\b(?:at|on|from|to|um|am|von|bis|a|le|de|el|las|the)\b", " ", "".join(kept[start:end]))
