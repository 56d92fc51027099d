"""Handles "cancel the second one", "both" and "the one on Friday", said of what the last answer listed (pure).

Invariant: only entries that the answer showed are changed, by the places at which it showed them; if a place may be
another's, or the list went on unseen, the answer asks which one is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from butler_specialist.changes.case import Case
from butler_specialist.changes.correct import applies, put_right
from butler_specialist.changes.named import named_in, open_rows
from butler_specialist.changes.settled import Settled, which_one
from butler_specialist.changes.take_back import withdraw
from butler_specialist.changes.tick import finish
from butler_specialist.locale import noop
from butler_specialist.store.earlier import Earlier
from butler_specialist.store.model import Question, Record
from butler_specialist.understanding.corrections import correction_of
from butler_specialist.understanding.list_done import EVERYTHING
from butler_specialist.understanding.places import PLACE_WORDS, Placed, placed_in
from butler_specialist.understanding.requests import Wish
from butler_specialist.understanding.sentence import Sentence

__all__ = ["last_listing", "pointed", "points_at_a_list"]

_FOLLOWED: Final = timedelta(minutes=30)
_MOST_TURNS: Final = 5
_BESIDE: Final = frozenset({"list_removal", "expense"})
"""Records that are made along with an action on an entry."""
_TICKED: Final = frozenset({"task", "reminder", "bill", "subscription", "list_item", "appointment"})


def points_at_a_list(sentence: Sentence) -> Placed | None:
    """Return how a clause points at entries without naming them."""
    found = placed_in(sentence.folded) if not sentence.has(EVERYTHING) else None
    if found is None or (found.by == "one" and not sentence.days):
        return None
    named = named_in(replace(sentence, text=PLACE_WORDS.sub(" ", sentence.folded)))
    return found if not named.words else None


def last_listing(case: Case) -> Question | None:
    """Return the last list shown in the thread; None if something was told or asked back since."""
    since = case.reading.moment - _FOLLOWED
    for one in case.earlier[:_MOST_TURNS]:
        if not one.in_thread or not one.fresh or one.ended_at < since or _is_new(one):
            return None
        if one.question is not None:
            return one.question
    return None


def _is_new(one: Earlier) -> bool:
    beside = _BESIDE if one.changed else _BESIDE - {"expense"}
    told = any(row.kind not in beside for row in one.told)
    return told or (one.question is not None and one.question.shown in (None, "open"))


def pointed(case: Case, listing: Question, rows: Sequence[Record | None]) -> Settled | None:
    """Apply the request to the entries meant; `rows` stand at their places, None for one that is gone."""
    placed = points_at_a_list(case.request.sentence)
    if placed is None:
        return None
    chosen = _chosen(placed, listing, rows, case)
    standing = _standing(rows if chosen is None else chosen, case)
    if not standing:
        return Settled(case.words.tell(noop("That one is no longer noted; nothing is changed.")))
    if chosen is None:
        return which_one(case.said, case.reading.moment, standing, case.words)
    return _applied(case, standing)


def _standing(rows: Sequence[Record | None], case: Case) -> list[Record]:
    return [row for row in rows if row is not None and _is_there(row, case)]


def _chosen(
    placed: Placed, listing: Question, rows: Sequence[Record | None], case: Case
) -> list[Record | None] | None:
    """Return the entries at the places meant; None if it is unclear which."""
    if placed.by == "one":
        of_it = [row for row in rows if row is not None and _is_of_its_day(row, case)]
        return list(of_it) if len(of_it) == 1 else None
    whole, number = listing.shown == "whole", len(rows)
    if placed.by == "both":
        return list(rows) if whole and number == 2 else None
    if placed.by == "all":
        return list(rows) if whole else None
    if listing.shown == "among" or placed.place >= number or (placed.place < 0 and not whole):
        return None
    return [rows[placed.place]]


def _is_of_its_day(row: Record, case: Case) -> bool:
    return any(row.occurred_on in (day.day, day.before, day.after) for day in case.request.sentence.days)


def _is_there(row: Record, case: Case) -> bool:
    if row.withdrawn:
        return False
    return row.kind != "list_item" or any(row.record_id == one.record_id for one in open_rows(case.rows))


def _applied(case: Case, rows: Sequence[Record]) -> Settled | None:
    if case.request.wish is Wish.TAKE_BACK:
        return withdraw(case, rows)
    if case.request.wish is Wish.TICK:
        done = [row for row in rows if row.kind in _TICKED and row.done_on is None]
        said = noop("That is nothing to be ticked off, or is done already; nothing is changed: {what}.")
        return finish(case, done) if done else Settled(case.words.tell(said, what=case.words.entries(rows)))
    right = correction_of(case.request.sentence)
    fitting = [row for row in rows if applies(right, row)]
    if right.is_empty or not fitting:
        said = noop("That entry has no such value, so it stays: {what}.")
        return Settled(case.words.tell(said, what=case.words.entries(rows)))
    return put_right(case, fitting)
