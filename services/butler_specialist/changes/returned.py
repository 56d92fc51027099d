"""Handles "Diego paid me back": settles the open debt, or reduces it by the sum named (pure).

Invariants: if the sum fits no open debt, none is changed; one in another currency fits none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from butler_specialist.changes.case import Case
from butler_specialist.changes.settled import Settled
from butler_specialist.locale import noop
from butler_specialist.questions.owing import YOU, sides
from butler_specialist.store.model import Record, RecordChange, as_draft
from butler_specialist.understanding.corrections import correction_of
from butler_specialist.understanding.paybacks import Payback, payback_in

__all__ = ["returned"]

_DEBT = "debt"
_RETURNED = "returned"


def returned(case: Case) -> Settled | None:
    """Return None if nothing was paid back, or no open debt fits."""
    owed = _owed(case)
    if not owed:
        return None
    sums = _sums(case)
    if not sums or _total(owed) in sums:
        return _settled(case, owed)
    same = [row for row in owed if row.amount in sums]
    if same:
        return _settled(case, same[:1])
    [row, *others], [paid, *more] = owed, sorted(sums)
    if others or more or row.amount is None or paid > row.amount:
        return None
    after = replace(as_draft(row), amount=row.amount - paid)
    change = RecordChange(row.record_id, row.version, _RETURNED, after)
    said = case.words.tell(noop("A part came back. Still owed: {what}."), what=case.words.entry(after))
    return Settled(said, changes=(change,))


def _owed(case: Case) -> list[Record]:
    """Return the open debts between the two, in the currency of the sum if it names one."""
    sentence = case.request.sentence
    back, named = payback_in(sentence), {one.currency for one in sentence.amounts if not one.assumed}
    debts = [row for row in case.rows if row.kind == _DEBT and row.done_on is None]
    return [row for row in debts if _between(back, row, case) and (not named or row.currency in named)]


def _sums(case: Case) -> set[Decimal]:
    """Return the sums paid back; of a clause without a marked sum, its number."""
    sentence = case.request.sentence
    named = {one.value for one in (*sentence.amounts, *sentence.unmarked)}
    number = correction_of(sentence).value if not named else None
    return named or ({number} if number is not None else set())


def _total(rows: Sequence[Record]) -> Decimal | None:
    """Return what is owed altogether; None if it is in several currencies."""
    alike = len({row.currency for row in rows}) == 1
    return sum((row.amount or Decimal(0) for row in rows), Decimal(0)) if alike else None


def _between(back: Payback | None, row: Record, case: Case) -> bool:
    """Return whether a debt is one between the sender and the person named."""
    if back is None:
        return False
    whose = case.reading.whose
    debtor, creditor = sides(row, whose)
    other, mine = (creditor, debtor) if back.by_me else (debtor, creditor)
    if not back.who:
        return mine == YOU and row.record_id in {one.record_id for one in case.last_rows}
    return mine == YOU and whose.key(other) == whose.key(back.who)


def _settled(case: Case, rows: Sequence[Record]) -> Settled:
    day = case.reading.today
    changes = tuple(
        RecordChange(row.record_id, row.version, _RETURNED, replace(as_draft(row), done_on=day))
        for row in rows
    )
    return Settled(
        case.words.tell(noop("Settled, paid back: {what}."), what=case.words.entries(rows)), changes=changes
    )
