"""Rows of the butlers' tables as facts, and whether one of them is the wanted fact (pure).

Invariant: it knows no kinds or columns except a few bookkeeping names, so a new column or table of facts is judged like
the old ones: by the days, times, numbers, currencies and names in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from bench.useful.conversations import Wanted

__all__ = ["Fact", "Moment", "conflict", "fact_of", "folded", "folded_pattern", "holds", "other_amount"]

_BOOKKEEPING = re.compile(
    r"(^|_)(id|seq|ordinal|text|sender|sender_class|channel|lifecycle_state|lease|attempt|version)s?$"
    r"|^(recorded|created|updated|received|accepted|enqueued|started|finished|said|observed|expires|undoable)_"
    r"|^source_"
)
_TAKEN_BACK = re.compile(
    r"^(withdrawn|deleted|cancelled|superseded|removed|undone|retracted|taken_back|revoked)"
)
_DAY = re.compile(r"^\d{4}-\d\d-\d\d$")
_STAMP = re.compile(r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_TIME = re.compile(r"^\d\d:\d\d(:\d\d(\.\d+)?)?$")
_LOOSE = re.compile(r"note|task|todo|fact")
_LISTED = re.compile(r"list|item|task|todo|errand|chore")
_NAMELESS = re.compile(r"[A-Z]{3}|of the message")
_TOLERANCE = timedelta(minutes=1, seconds=30)


def folded(text: str) -> str:
    """Return the text for comparison: one case, one Unicode form, plain quotes and blanks."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(plain.split())


@dataclass(frozen=True)
class Moment:
    """When and where a message was said: days and times are in this zone."""

    at: datetime
    zone: ZoneInfo

    @property
    def day(self) -> date:
        return self.at.astimezone(self.zone).date()


@dataclass(frozen=True)
class Fact:
    """The content of a row, without bookkeeping; `text` is the message that it was read from, if kept.

    `days` is the one day that the row is about, if it names one, else every day in it.
    """

    kind: str
    days: frozenset[date]
    times: frozenset[time]
    stamps: frozenset[datetime]
    numbers: frozenset[float]
    names: tuple[str, ...]
    text: str
    taken_back: bool
    is_done: bool = False

    @property
    def is_loose(self) -> bool:
        """Whether it is words with at most a day, such as a note, which has the day of the message if no other."""
        return bool(_LOOSE.search(self.kind)) and not self.numbers

    @property
    def is_appointment(self) -> bool:
        """Whether it is an appointment, which is kept and told in the words of its clause."""
        return self.kind.endswith("appointment")

    @property
    def has_names(self) -> bool:
        """Whether it says by itself what it is about; else only the words of the message do."""
        return any(
            not (_NAMELESS.fullmatch(one) or _DAY.match(one) or _TIME.match(one) or _STAMP.match(one))
            for one in self.names
        )

    @property
    def is_reminder(self) -> bool:
        """Whether it will ring; its text says what of."""
        return "remind" in self.kind

    def says(self, pattern: str) -> bool:
        """Whether its fields match; for a note, reminder, appointment or row without a name, its text counts too."""
        worded = self.is_loose or not self.has_names or self.is_reminder or self.is_appointment
        where = [*self.names, *([self.text] if worded else [])]
        return any(folded_pattern(pattern).search(folded(one)) for one in where)


def folded_pattern(pattern: str) -> re.Pattern[str]:
    """Return the pattern so that it matches in folded text, where "ß" is "ss", and in unfolded text."""
    return re.compile(pattern.replace("’", "'").replace("ß", "(?:ß|ss)"), re.IGNORECASE)


def fact_of(table: str, row: Mapping[str, Any], *, zone: ZoneInfo, people: Mapping[str, str]) -> Fact:
    """Return the fact of a row as `to_jsonb` gives it; `people` has the names for ids."""
    leaves = list(_leaves(row, people))
    texts = [value for _, value in leaves if isinstance(value, str)]
    stamps = [datetime.fromisoformat(one).astimezone(zone) for one in texts if _STAMP.match(one)]
    local = [one.time().replace(microsecond=0) for one in stamps]
    plain = [time.fromisoformat(one).replace(second=0) for one in texts if _TIME.match(one)]
    days = [date.fromisoformat(one) for one in texts if _DAY.match(one)]
    about = str(row.get("occurred_on") or "")
    return Fact(
        kind=f"{table} {row.get('kind') or ''}".strip().lower(),
        days=frozenset([date.fromisoformat(about)] if about else [*days, *(one.date() for one in stamps)]),
        times=frozenset([*plain, *local]),
        stamps=frozenset(stamps),
        numbers=frozenset(number for _, value in leaves if (number := _number(value)) is not None),
        names=tuple(texts),
        text=str(row.get("text") or ""),
        is_done=row.get("done_on") is not None,
        taken_back=any(_TAKEN_BACK.match(key) and value not in (None, False) for key, value in row.items()),
    )


def _leaves(value: Any, people: Mapping[str, str], key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, str) and value in people and key not in ("sender", "contact_id", "recorded_by"):
        yield key, people[value]
    elif _BOOKKEEPING.search(key) or key == "kind":
        return
    elif isinstance(value, Mapping):
        for inner, one in value.items():
            yield from _leaves(one, people, str(inner))
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, people, key)
    elif value is not None:
        yield key, value


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    return float(value) if isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value) else None


def holds(wanted: Wanted, fact: Fact, moment: Moment) -> bool:
    """Return whether this row has everything that was wanted."""
    return not fact.taken_back and all(
        (
            not wanted.amount or any(_near(one, fact.numbers) for one in wanted.amount),
            wanted.currency is None or not fact.numbers or wanted.currency in fact.names,
            not wanted.day or any(day in fact.days for day in wanted.day),
            wanted.time is None or _has_time(wanted.time, fact, moment),
            wanted.number is None or _near(wanted.number, fact.numbers),
            wanted.second is None or _near(wanted.second, fact.numbers),
            wanted.words is None or fact.says(wanted.words),
            wanted.person is None or _names(wanted.person, fact),
            not wanted.reminder or fact.is_reminder,
            not wanted.item or bool(_LISTED.search(fact.kind)),
            wanted.unlike is None or not re.search(wanted.unlike, fact.kind),
        )
    )


def _near(wanted: float, numbers: frozenset[float]) -> bool:
    return any(abs(wanted - one) < 0.005 for one in numbers)


def _has_time(wanted: str, fact: Fact, moment: Moment) -> bool:
    if wanted.startswith("+"):
        due = moment.at + timedelta(minutes=int(wanted[1:-3]))
        return any(abs(stamp - due) <= _TOLERANCE for stamp in fact.stamps) or any(
            abs(datetime.combine(due.astimezone(moment.zone).date(), one, moment.zone) - due) <= _TOLERANCE
            for one in fact.times
        )
    return any(one.strftime("%H:%M") == wanted for one in fact.times)


_KIN = {
    "father": ("papa", "dad", "papá", "vater"),
    "mother": ("mama", "mum", "mom", "maman", "mamá", "mutter"),
    "grandmother": ("oma", "grandma", "nan", "mamie", "abuela"),
    "grandfather": ("opa", "grandpa", "papi", "papy", "abuelo"),
}
"""What a household calls its relatives, by the word that the records may use."""


def _names(person: str, fact: Fact) -> bool:
    kept_as = (kin for kin, said in _KIN.items() if person.casefold() in said)
    return any(fact.says(rf"\b{re.escape(one)}") for one in (person, *kept_as))


def conflict(wanted: Wanted, fact: Fact, moment: Moment, *, alone: bool) -> str | None:
    """Return how this row contradicts what was wanted; None if it is about something else, or says less.

    `alone`: nothing else was wanted of the message, so every row from it is about this.
    """
    if fact.taken_back or not (_is_about(wanted, fact) or (alone and not _is_told_apart(wanted))):
        return None
    if wanted.unlike is not None and re.search(wanted.unlike, fact.kind):
        return f"kept as {fact.kind}"
    filed = {moment.day} if fact.is_loose else set()
    if wanted.day and (fact.days - filed) and not any(day in fact.days for day in wanted.day):
        return f"kept for {_shown(fact.days)}, not {_shown(wanted.day)}"
    if wanted.time and fact.times and not _has_time(wanted.time, fact, moment):
        return f"kept for {_shown(fact.times)}, not {wanted.time}"
    money = [one for one in fact.names if re.fullmatch("[A-Z]{3}", one)]
    if wanted.amount and wanted.currency and money and wanted.currency not in money:
        return f"kept in {_shown(money)}, not {wanted.currency}"
    if wanted.person and wanted.number is not None and not _names(wanted.person, fact):
        return f"kept without {wanted.person}, so as the sender's own"
    return None


def other_amount(wanted: Sequence[Wanted], fact: Fact) -> str | None:
    """Return an amount that nobody named, if amounts were told; None if it is one of them, or no money."""
    amounts = [amount for one in wanted for amount in one.amount]
    money = any(re.fullmatch("[A-Z]{3}", one) for one in fact.names) and fact.numbers
    if fact.taken_back or not amounts or not money or any(_near(one, fact.numbers) for one in amounts):
        return None
    return f"kept as {_shown(fact.numbers)}, not {_shown(amounts)}"


def _is_told_apart(wanted: Wanted) -> bool:
    return bool(wanted.amount or wanted.words or wanted.person) or wanted.number is not None


def _is_about(wanted: Wanted, fact: Fact) -> bool:
    """Return whether it is about this: by number if there is one, else by words or person."""
    if wanted.amount:
        return any(_near(one, fact.numbers) for one in wanted.amount)
    if wanted.number is not None:
        return _near(wanted.number, fact.numbers)
    by_words = wanted.words is not None and fact.says(wanted.words)
    by_name = wanted.words is None and wanted.person is not None and _names(wanted.person, fact)
    return by_words or by_name


def _shown(values: Any) -> str:
    return " / ".join(sorted(str(one) for one in values))
