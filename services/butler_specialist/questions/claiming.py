"""The claims of an answer when others are asked the same: a day, an hour, a dose (pure; SWB-29.1).

Invariant: values are read from stored fields, never from text, and only if all records that match the question
agree; two appointments of one name claim nothing. A record about a person whom the question does not name is
another matter than one about anybody else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from butler_contracts.claims import SAID_MAX, ClaimV1
from butler_kit.wording.asked_words import asked_words
from butler_kit.wording.folding import fold
from butler_kit.wording.likeness import alike, content_words
from butler_specialist.questions.recognise import asks_when
from butler_specialist.questions.remembered import remembered
from butler_specialist.questions.wording import quoted, short_when
from butler_specialist.store.model import Record
from butler_specialist.understanding.people import person_in
from butler_specialist.understanding.reading import Reading, read

__all__ = ["COMES", "claims_of"]

COMES: Final = frozenset({"appointment", "task", "bill", "reminder", "flight", "train", "bus", "stay"})
"""The kinds of records with a day of their own on which something is to happen."""
_OWED: Final = frozenset({"bill", "subscription", "debt"})
_MOST_ROWS: Final = 500
_MOST_FOUND: Final = 20
_QUOTED_CHARS: Final = 140
_SUBJECT_CHARS: Final = 160


def claims_of(asked: Reading, rows: Sequence[Record]) -> tuple[ClaimV1, ...]:
    """Return the claims of an answer made from `rows`, if they agree on one."""
    wanted = asked_words(asked.text, fold)
    if not wanted:
        return ()
    claimed = _when if asks_when(asked) else _what
    said = {
        tuple((claim.about, claim.has) for claim in claims): claims
        for row in _fitting(asked, rows)[:_MOST_FOUND]
        if (claims := tuple(claimed(row, _matter(row, wanted, asked), asked)))
    }
    return next(iter(said.values())) if len(said) == 1 else ()


def _matter(row: Record, wanted: frozenset[str], asked: Reading) -> str:
    """Return what the question names, with whom else the record is about."""
    who = row.party or ("" if row.amount is not None else _named(row.text, asked))
    of = [word for word in content_words(who, fold) if not any(alike(word, one) for one in wanted)]
    return " ".join([*sorted(wanted), *(f"({word})" for word in sorted(of))])[:_SUBJECT_CHARS]


def _named(text: str, asked: Reading) -> str:
    return next(filter(None, map(person_in, read(text, asked.moment).sentences)), "")


def _fitting(asked: Reading, rows: Sequence[Record]) -> list[Record]:
    """Return the rows that fit the question: upcoming ones, else past ones.

    A note only if its day is to come.
    """
    when = asks_when(asked)
    kinds = COMES if when else _OWED | {"medication", "measurement"}
    able = [
        row
        for row in rows
        if row.kind in kinds or (when and row.kind == "note" and row.occurred_on > asked.today)
        if row.done_on is None and row.details.get("day") != "of the message"
    ]
    found = remembered(asked, able[:_MOST_ROWS])
    return [row for row in found if row.occurred_on >= asked.today] or found if when else found


def _when(row: Record, named: str, asked: Reading) -> Iterator[ClaimV1]:
    """Yield its day, and its hour only for that day: a record without an hour contradicts none."""
    if row.details and row.kind == "task":
        return
    yield _claim(f"day of {named}", row.occurred_on.isoformat(), row, asked)
    if row.occurred_at is not None:
        yield _claim(f"hour of {named} on {row.occurred_on}", f"{row.occurred_at:%H:%M}", row, asked)


def _what(row: Record, named: str, asked: Reading) -> Iterator[ClaimV1]:
    """Yield a dose, of which none is preferred, a sum, or a value of one day.

    Values of several days are all true.
    """
    if row.kind == "medication" and row.quantity is not None:
        often = row.details.get("frequency") or row.details.get("hours") or ""
        dose = f"{row.quantity.normalize():f} {row.unit or ''} {often}"
        yield _claim(f"dose of {named}", dose, row, asked, decidable=False)
    if row.kind == "measurement" and row.quantity is not None:
        second = f"/{row.quantity_second.normalize():f}" if row.quantity_second is not None else ""
        value = f"{row.quantity.normalize():f}{second} {row.unit or ''}"
        yield _claim(f"{row.code} of {named} on {row.occurred_on}", value, row, asked)
    if row.kind in _OWED and row.amount is not None:
        yield _claim(f"sum of {named}", f"{row.amount.normalize():f} {row.currency or ''}", row, asked)


def _claim(subject: str, value: str, row: Record, asked: Reading, *, decidable: bool = True) -> ClaimV1:
    when = short_when(row.occurred_on, row.occurred_at, asked.today, asked.language)
    said = f"{quoted(row.text, most=_QUOTED_CHARS, language=asked.language)} ({when})"
    return ClaimV1(
        subject=subject,
        value=value.strip(),
        said=said[:SAID_MAX],
        language=asked.language,
        decidable=decidable,
    )
