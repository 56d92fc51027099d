"""Handles "done", "got the eggs" and "paid the electricity bill" (pure).

A bill paid without naming the sum is recorded as spent, once; a sum that is named is recorded like any other,
whichever entry it closes. A part of a bill, by the words and by the sum, makes the bill smaller.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from butler_kit.tellings.sorts import tells
from butler_kit.wording.asked_words import share_told
from butler_kit.wording.folding import fold
from butler_kit.wording.likeness import content_words
from butler_specialist.changes.case import Case
from butler_specialist.changes.grammar import GRAMMAR
from butler_specialist.changes.listed import listed
from butler_specialist.changes.named import fitting, is_open, named_in, open_rows
from butler_specialist.changes.over import over
from butler_specialist.changes.returned import returned
from butler_specialist.changes.settled import Settled, which_one
from butler_specialist.changes.take_back import removals
from butler_specialist.locale import noop
from butler_specialist.store.model import Record, RecordChange, RecordDraft, as_draft
from butler_specialist.store.visibility import made_of
from butler_specialist.understanding.done_words import done_stems, is_verb, may_be_done
from butler_specialist.understanding.list_done import BOTH, EVERYTHING, taken_in
from butler_specialist.understanding.list_names import PACKING, SHOPPING, TASKS, list_meant, says_packed
from butler_specialist.understanding.part_paid import is_part

__all__ = ["DONE", "finish", "paid", "tick"]

DONE: Final = "done"
_PAID: Final = frozenset({"bill", "subscription"})
_PART_PAID: Final = "part_paid"
_HALF: Final = 0.5
_TWO: Final = 2
_SURELY: Final = 0.8
_PAIR: Final = ("one", "other")


def tick(case: Case) -> Settled | None:
    """Return None if it only may be a request and nothing of the kind is open."""
    if case.request.likely:
        return _likely_done(case)
    if (back := returned(case) or over(case)) is not None:
        return back
    named, rows = named_in(case.request.sentence), open_rows(case.rows)
    if case.request.sentence.has(EVERYTHING):
        return _everything(case, rows)
    if case.request.sentence.has(BOTH):
        last = {row.record_id for row in case.last_rows}
        both = [row for row in rows if row.record_id in last]
        return finish(case, both) if len(both) == len(_PAIR) else None
    if named.is_bare:
        return _that(case)
    items = listed(case, taken_in(case.request.sentence))
    if items:
        return finish(case, items)
    found = fitting(named, [row for row in rows if row.kind != "list_item"], case.reading.today).rows
    sums = bool(case.request.sentence.amounts or case.request.sentence.unmarked)
    if len(found) == 1:
        return replace(finish(case, found), beside=sums)
    if found and not (sums and case.request.told):
        return which_one(case.said, case.reading.moment, found, case.words)
    if case.request.told:
        return None
    said = noop("I found nothing open that fits “{asked}”; nothing is changed.")
    return Settled(case.words.tell(said, asked=case.asked))


def _likely_done(case: Case) -> Settled | None:
    """Finish the one task named by a clause that only as a whole says something is done; else what was told last.

    The less certain that is, the more of its words have to be the task's. A list item is never meant: what has run
    out may have to be bought.
    """
    clause = case.said.split(",")[0]
    surely = tells("done", clause, _SURELY)
    tasks = [row for row in open_rows(case.rows) if row.kind == "task"]
    if named_in(case.request.sentence).is_bare:
        return _that(case) if surely and case.last_rows else _by_its_verb(case, tasks)
    said = content_words(clause, fold) - GRAMMAR
    found = [row for row in tasks if _names(said, row, surely=surely)]
    return finish(case, found) if len(found) == 1 else _by_its_verb(case, tasks)


def _by_its_verb(case: Case, tasks: Sequence[Record]) -> Settled | None:
    """Finish the one task whose verb the clause says is done, or ask whether it is meant.

    It is sure where every other word is the task's too: "Wasser ist abgestellt" of "Wasser abstellen". With none of
    its words it is about something else.
    """
    text = case.request.sentence.text
    stems = done_stems(text) if may_be_done(case.request.sentence) else frozenset()
    found = [row for row in tasks if any(is_verb(word, stems) for word in _called(row))]
    if len(found) != 1:
        return None
    others = {word for word in content_words(text, fold) - GRAMMAR if not done_stems(word)}
    if others and others <= _called(found[0]):
        return finish(case, found)
    if others and not others & _called(found[0]):
        return None
    return which_one(case.said, case.reading.moment, found, case.words)


def _called(row: Record) -> frozenset[str]:
    return frozenset(fold(row.title or row.text).split())


def _names(said: Collection[str], row: Record, *, surely: bool) -> bool:
    """Return whether all words of either are in the other; if surely done, half of them and at least two."""
    called = content_words(row.title or row.text, fold) - GRAMMAR
    if not said or not called:
        return False
    share = min(share_told(called, said), share_told(said, called))
    return share == 1.0 or (surely and share >= _HALF and share * len(said) >= _TWO)


def paid(case: Case) -> Settled | None:
    """Close the open bill that a sum was paid for, beside the expense; None if none fits, or several do."""
    named = named_in(case.request.sentence)
    bills = [row for row in open_rows(case.rows) if row.kind == "bill"]
    found = fitting(named, bills, case.reading.today).rows
    sums = {amount.value for amount in (*case.request.sentence.amounts, *case.request.sentence.unmarked)}
    same = [row for row in found if row.amount in sums] or list(found)
    if len(same) != 1:
        return None
    return replace(_partly(case, same[0]) or finish(case, same), beside=True)


def _partly(case: Case, bill: Record) -> Settled | None:
    """Make a bill smaller by a part of it; None if the sum may be all of it."""
    sentence = case.request.sentence
    sums = {one.value for one in sentence.amounts if one.assumed or one.currency == bill.currency}
    sums |= {one.value for one in sentence.unmarked}
    if bill.amount is None or len(sums) != 1 or not is_part(sentence):
        return None
    left = bill.amount - sums.pop()
    if not 0 < left < bill.amount:
        return None
    after = replace(as_draft(bill), amount=left)
    said = case.words.tell(noop("A part is paid. Still to pay: {what}."), what=case.words.entry(after))
    return Settled(said, changes=(RecordChange(bill.record_id, bill.version, _PART_PAID, after),))


def finish(case: Case, rows: Sequence[Record]) -> Settled:
    """Finish the rows: tasks are done, bills are paid, items are taken off their list."""
    day = _day(case)
    items = [row for row in rows if row.kind == "list_item"]
    others = [row for row in rows if row.kind != "list_item"]
    changes = tuple(
        RecordChange(row.record_id, row.version, DONE, replace(as_draft(row), done_on=day))
        for row in others
        if row.kind != "subscription"  # it will be due again
    )
    spent = tuple(_spent(case, row, day) for row in others if _is_spent(case, row))
    return Settled(
        _said(case, items, others, spent), changes=changes, records=(*removals(case, items), *spent)
    )


def _that(case: Case) -> Settled:
    """Finish what the last message told, if it is something to be done."""
    rows = [row for row in case.last_rows if is_open(row) or row.kind == "list_item"]
    if len(rows) == 1:
        return finish(case, rows)
    rows = rows or open_rows(case.rows)
    if not rows:
        return Settled(case.words.tell(noop("Nothing is open that I could tick off.")))
    return which_one(case.said, case.reading.moment, sorted(rows, key=lambda row: -row.seq), case.words)


def _everything(case: Case, rows: Sequence[Record]) -> Settled | None:
    """Finish everything on the list that is meant. None if nothing is open."""
    items = [row for row in rows if row.kind == "list_item" or (row.kind == "task" and row.details)]
    names = {_list_of(row) for row in items}
    named = list_meant(case.request.sentence.folded)
    wanted = named if named is not None else _unnamed(case, names)
    if wanted in names:
        return finish(case, [row for row in items if _list_of(row) == wanted])
    if not names or named == TASKS:  # of the tasks, those with a day may be open
        return None
    return Settled(case.words.tell(noop("That list is empty already.")))


def _unnamed(case: Case, names: Collection[str]) -> str | None:
    """Return the list that a clause without its name means: the last one, else the shopping list, else any."""
    last = sorted({_list_of(row) for row in case.last_rows if row.kind in ("list_item", "task")})
    if says_packed(case.request.sentence.folded):
        bags = [name for name in (*last, *sorted(names)) if name not in (SHOPPING, TASKS)]
        return next((name for name in (PACKING, *bags) if name in names), None)
    return next((name for name in (*last, SHOPPING, *sorted(names)) if name in names), None)


def _list_of(row: Record) -> str:
    return row.code or SHOPPING if row.kind == "list_item" else TASKS


def _day(case: Case) -> date:
    when = case.reading.when(case.request.sentence, "past", usual="past")
    return min(when.day, case.reading.today)


def _is_spent(case: Case, row: Record) -> bool:
    sentence = case.request.sentence
    return row.kind in _PAID and row.amount is not None and not sentence.amounts and not sentence.unmarked


def _spent(case: Case, row: Record, day: date) -> RecordDraft:
    spent = RecordDraft(
        "expense", day, case.said, row.title, amount=row.amount, currency=row.currency, party=row.party
    )
    return made_of(row, spent)


def _said(case: Case, items: Sequence[Record], others: Sequence[Record], spent: Sequence[RecordDraft]) -> str:
    words, said = case.words, list[str]()
    if items:
        name = words.list_name(items[0].code)
        said.append(
            words.tell(noop("Taken off the {name} list: {what}."), name=name, what=words.entries(items))
        )
    bills = [row for row in others if row.kind == "bill"]
    tasks = [row for row in others if row.kind not in _PAID]
    if tasks:
        said.append(words.tell(noop("Done: {what}."), what=words.entries(tasks)))
    if bills:
        said.append(words.tell(noop("Paid: {what}."), what=words.entries(bills)))
    said += [words.tell(noop("Noted as spent: {what}."), what=words.entry(draft)) for draft in spent]
    return " ".join(said)
