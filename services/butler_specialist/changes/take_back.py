"""Handles "cancel that", "delete the Lidl expense", "remove bread" and "clear the shopping list" (pure)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from butler_kit.wording.folding import words
from butler_specialist.changes.case import Case
from butler_specialist.changes.correct import CORRECTED, MOVED
from butler_specialist.changes.listed import listed
from butler_specialist.changes.named import Found, Named, fitting, named_in, open_rows
from butler_specialist.changes.settled import Settled, which_one
from butler_specialist.changes.undo import UNDONE, WITHDRAWN, last_written, taken_back, written
from butler_specialist.locale import noop
from butler_specialist.store.earlier import Earlier
from butler_specialist.store.model import PRIVATE, Record, RecordChange, RecordDraft, as_draft
from butler_specialist.store.visibility import made_of
from butler_specialist.understanding.list_done import dropped_in
from butler_specialist.understanding.list_names import SHOPPING, TASKS, list_meant
from butler_specialist.understanding.negations import NEGATION, says_not
from butler_specialist.understanding.request_words import PUTS_BACK
from butler_specialist.understanding.sentence import Sentence
from butler_specialist.understanding.told_words import CALLED_OFF, FORGETS, REMOVES

__all__ = ["WITHDRAWN", "last_taken_back", "take_back", "withdraw"]

_UNDO: Final = re.compile(
    r"\b(?:undo|revert|take back|take (?:that|it|this) back|ruckgangig|zuruck|deshaz\w*|deshacer"
    r"|annule[rz]? la derniere|(?:the|that|last|my) change|anderung|modification|cambio)\b"
)
_PUTS_BACK: Final = re.compile(PUTS_BACK)
_AGAIN: Final = words(
    "add restore please stell stelle setz setze trag trage nimm mach rein drauf hin remet remettez vuelve poner"
    " recupera pon nuevo"
)
"""Words of a wish to restore something that name no entry."""
_CANCELS: Final = re.compile(
    r"\b(?:cancel\w*|delete|remove|erase|withdraw|discard|drop|scrap|stornier\w*|losch\w*|streich\w*|entfern\w*"
    r"|annule[rz]?|(?:supprime|efface|enleve)[rz]?|borra\w*|anula\w*|elimina\w*|quita\w*)\b"
)
"""Words that remove an entry, rather than undo the last change to it."""
_WHOLE_LIST: Final = re.compile(
    r"\b(?:clear|empty|wipe|reset|delete|leere?|losche?|vide[rz]?|efface[rz]?|vaci(?:a|ar|e)|borra)\b"
    r".{0,60}?\b(?:(?:to-?do|task|aufgaben)[- ]?list\w*|(?:[^\W\d_]+[- ]?)?list[ea]?)\b"
)
_TASKS: Final = re.compile(r"\b(?:to-?do|tasks?|aufgaben|taches|tareas)")
_SHOPPING: Final = re.compile(r"\b(?:shopping|grocer\w+|einkaufs\w*|courses|compras?)")
_CANCELLED: Final = re.compile(r"\b(?:cancel\w*|stornier\w*|annul\w*|sage?|absag\w*|cancela\w*|anula\w*)\b")
_LEFT_STANDING: Final = frozenset({CORRECTED, MOVED, "edited", UNDONE})
"""Causes of changes that left the entry in place."""
_BESIDE: Final = re.compile(
    r"\b(?:elle|ella|ello|finalement|finally|leider|unfortunately|malheureusement|lamentablemente|doch|sie|es|ce|ca|that"
    r"|which|today|now|after all|al final)\b"
)
_OUTSIDE: Final = frozenset({"appointment", "subscription", "flight", "train", "bus", "stay"})
"""Kinds that others have to be told about, too."""
_KEPT: Final = frozenset({"note", "task", "reminder", "meeting"})
"""Other kinds with a day that may be called off."""


def take_back(case: Case) -> Settled | None:
    """Return None if nothing is asked after all: a clause that only may mean an entry means none."""
    sentence = case.request.sentence
    sums = tuple(amount.value for amount in sentence.amounts)
    named = named_in(sentence, days=sentence.days, sums=sums)
    if sentence.has(_WHOLE_LIST) and not case.request.told:
        return _cleared(case)
    if not case.request.told and sentence.has(_PUTS_BACK):
        return _put_back(case, replace(named, words=named.words - _AGAIN))
    if named.is_bare:
        return _called_off(case) if case.request.told else last_taken_back(case)
    if case.request.told:
        return _off_the_list(case) or _called_off(case) or _forgotten(case) or _denied(case)
    found = fitting(named, case.living, case.reading.today)
    if not found.rows:
        return Settled(
            case.words.tell(
                noop("I found nothing noted that fits “{asked}”; nothing is changed."), asked=case.asked
            )
        )
    if found.exact and len(found.rows) == 1:
        return withdraw(case, found.rows)
    return which_one(case.said, case.reading.moment, found.rows, case.words)


def _put_back(case: Case, named: Named) -> Settled | None:
    """Restore the entry of that name taken back within a day.

    None if there is none, as it may be a chore at home.
    """
    gone = [
        (one, change)
        for one in case.earlier
        for change in one.changed
        if one.fresh and change.stands and change.now.withdrawn and not change.former.withdrawn
    ]
    found = fitting(named, [change.former for _, change in gone], case.reading.today)
    if named.is_bare or not found.rows:
        return None
    if len(found.rows) > 1:
        return which_one(case.said, case.reading.moment, found.rows, case.words)
    [row] = found.rows
    one, change = next(pair for pair in gone if pair[1].former is row)
    undoes = one.request_id if len(one.changed) == 1 and not one.told else None
    back = RecordChange(change.now.record_id, change.now.version, UNDONE, as_draft(row), undoes=undoes)
    return Settled(case.words.tell(noop("Put back: {what}."), what=case.words.entry(row)), changes=(back,))


def withdraw(case: Case, rows: Sequence[Record]) -> Settled:
    """Withdraw the entries; list items are taken off their list."""
    items = [row for row in rows if row.kind == "list_item"]
    others = [row for row in rows if row.kind != "list_item"]
    said = [_taken_off(case, items)] if items else []
    if others:
        said.append(
            case.words.tell(
                noop("Deleted: {what}. “undo” puts it back within a day."), what=case.words.entries(others)
            )
        )
    if any(row.kind in _OUTSIDE for row in others) and case.request.sentence.has(_CANCELLED):
        said.append(
            case.words.tell(noop("I only keep notes: nobody else was told, and nothing else is cancelled."))
        )
    changes = tuple(RecordChange(row.record_id, row.version, WITHDRAWN) for row in others)
    return Settled(" ".join(said), changes=changes, records=removals(case, items))


def removals(case: Case, items: Sequence[Record]) -> tuple[RecordDraft, ...]:
    """Return the records that take the items off their lists."""
    today, text = case.reading.today, case.request.sentence.text
    return tuple(
        made_of(item, RecordDraft("list_removal", today, text, item.title, code=item.code)) for item in items
    )


def _taken_off(case: Case, items: Sequence[Record]) -> str:
    return case.words.tell(
        noop("Taken off the {name} list: {what}."),
        name=case.words.list_name(items[0].code),
        what=case.words.entries(items),
    )


def last_taken_back(case: Case) -> Settled:
    """Take back what the last message wrote; if it only asked, ask which of the last entries is meant."""
    if case.request.sentence.has(_UNDO):
        return taken_back(last_written(case.earlier), case.words)
    last = next(iter(case.earlier), None)
    if last is not None and case.request.sentence.has(_CANCELS) and (rows := _only_changed(last)):
        return _withdrawn_whole(case, rows)
    if last is not None and written(last):
        return taken_back(last_written(case.earlier), case.words, cancelled=True)
    recent = [row for one in case.earlier for row in reversed(one.told) if not row.withdrawn]
    if not recent:
        return taken_back(None, case.words)
    return which_one(case.said, case.reading.moment, recent[:5], case.words)


def _only_changed(last: Earlier) -> list[Record]:
    """Return the entries that a message only changed; none if it also told or took back any."""
    stood = [change for change in last.changed if change.cause in _LEFT_STANDING]
    whole = last.fresh and not last.told and len(stood) == len(last.changed)
    if not whole or not all(change.stands and not change.now.withdrawn for change in stood):
        return []
    return [change.now for change in stood]


def _withdrawn_whole(case: Case, rows: Sequence[Record]) -> Settled:
    """Withdraw the entries themselves and say so, since "that" may have meant their last change."""
    said = noop(
        "Deleted, the entry itself and not only its change: {what}. “undo” puts it back within a day."
    )
    changes = tuple(RecordChange(row.record_id, row.version, WITHDRAWN) for row in rows)
    return Settled(case.words.tell(said, what=case.words.entries(rows)), changes=changes)


def _off_the_list(case: Case) -> Settled | None:
    """Handle "remove bread": only what is on a list now; with a day it is a task."""
    sentence = case.request.sentence
    if sentence.days or sentence.times or not any(row.kind == "list_item" for row in case.rows):
        return None
    items = listed(case, dropped_in(sentence))
    if items:
        return withdraw(case, items)
    if not sentence.has(REMOVES):
        return None
    said = noop("Nothing on a list fits “{asked}”; nothing is changed. “todo: {asked}” keeps it as a task.")
    return Settled(case.words.tell(said, asked=case.asked))


def _called_off(case: Case) -> Settled | None:
    """Withdraw the one upcoming entry that is named, or was told last, if a clause calls it off."""
    sentence = case.request.sentence
    if not sentence.has(CALLED_OFF):
        return None
    said = _BESIDE.sub(" ", CALLED_OFF.sub(" ", sentence.folded))
    named = named_in(case.sentence_of(said), days=sentence.days)
    today = case.reading.today
    found = fitting(named, case.living, today) if named.words else Found(tuple(case.last_rows))
    coming = [row for row in found.rows if row.kind in _OUTSIDE | _KEPT and row.occurred_on >= today]
    return withdraw(case, coming) if len(coming) == 1 and found.exact else None


def _denied(case: Case) -> Settled | None:
    """Withdraw the one upcoming journey or appointment that a clause denies: "we're not flying to Rome"."""
    sentence = case.request.sentence
    if not says_not(sentence):
        return None
    left = _BESIDE.sub(" ", NEGATION.sub(" ", sentence.folded))
    named = named_in(case.sentence_of(left), days=sentence.days)
    found = fitting(named, case.living, case.reading.today) if named.words else Found(())
    coming = [row for row in found.rows if row.kind in _OUTSIDE and row.occurred_on >= case.reading.today]
    return withdraw(case, coming) if len(coming) == 1 and found.exact else None


def _forgotten(case: Case) -> Settled | None:
    """Withdraw the one entry to be forgotten: from the last messages, or from what is known of the sender."""
    found = FORGETS.match(case.request.sentence.folded)
    if found is None:
        return None
    start, end = next(found.span(name) for name in found.groupdict() if found[name] is not None)
    told = [row for one in case.earlier if one.fresh for row in one.told if not row.withdrawn]
    known = [row for row in case.living if row.kind in PRIVATE]
    named = named_in(case.sentence_of(_THING.sub("", case.said[start:end])))
    for rows in (told, known):
        fits = fitting(named, rows, case.reading.today) if named.words else Found(())
        if len(fits.rows) == 1 and fits.exact:
            return withdraw(case, fits.rows)
    return None


_THING: Final = re.compile(r" (?:thing|stuff|bit|business|part)\W*$", re.IGNORECASE)
"""Filler nouns: "the coriander thing"."""


def _cleared(case: Case) -> Settled:
    sentence = case.request.sentence
    rows, named = open_rows(case.rows), list_meant(sentence.folded)
    if named == TASKS or (named is None and sentence.has(_TASKS)):
        tasks = [row for row in rows if row.kind == "task" or (row.kind == "list_item" and row.code == TASKS)]
        return _emptied(case, tasks)
    name = named or _unnamed(sentence, {row.code or "" for row in rows if row.kind == "list_item"})
    return _emptied(case, [row for row in rows if row.kind == "list_item" and row.code == name])


def _unnamed(sentence: Sentence, names: Collection[str]) -> str | None:
    """Return the list that a clause means without saying "… list": one whose word it has, else the only one."""
    spoken = next((name for name in sorted(names) if name and name in sentence.folded), None)
    if spoken is not None or sentence.has(_SHOPPING):
        return spoken or SHOPPING
    return next(iter(names), SHOPPING) if len(names) <= 1 else None


def _emptied(case: Case, rows: Sequence[Record]) -> Settled:
    """Take everything off a list."""
    if not rows:
        return Settled(case.words.tell(noop("That list is empty already.")))
    settled, empty = withdraw(case, rows), case.words.tell(noop("That list is empty now."))
    return replace(settled, text=f"{settled.text} {empty}")
