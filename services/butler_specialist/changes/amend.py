"""Handles a message that corrects, or takes back, what was said last (pure).

Invariant: a message that says something was wrong is never kept as a fact; if it is unclear what it corrects, the
answer says what is noted and how to correct it. A message that only may be a correction is one where it fits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Final

from butler_kit.wording.amends import Amend, amend_in
from butler_kit.wording.folding import fold, words
from butler_kit.wording.likeness import content_words
from butler_specialist.changes.amend_hours import at_of, says_an_hour, says_when, shifted
from butler_specialist.changes.case import Case
from butler_specialist.changes.correct import CORRECTED, applies, put_right
from butler_specialist.changes.named import Named, fitting, named_in, words_of
from butler_specialist.changes.rewording import names_a_thing, reworded
from butler_specialist.changes.settled import Settled, which_one
from butler_specialist.changes.take_back import last_taken_back
from butler_specialist.locale import noop
from butler_specialist.questions.wording import quoted
from butler_specialist.store.earlier import Earlier
from butler_specialist.store.model import Record, RecordChange, as_draft
from butler_specialist.understanding.corrections import Correction, correction_of
from butler_specialist.understanding.money import currency_in

__all__ = ["amend", "amend_rows"]

_FOLLOWED: Final = timedelta(minutes=30)
_LISTED: Final = frozenset({"list_removal"})
_FEW: Final = 3
_NUMBER: Final = re.compile(r"\d++(?:[.,]\d++)?+")
_POINTS: Final = words(
    "him her them gave give only exactly later earlier erst schon nur lieber besser statt plutot seulement solo mejor"
)


def amend(case: Case, meant: Amend) -> Settled | None:
    """Return None if the message corrects nothing after all."""
    told = _told(case, meant.force, case.reading.moment)
    if meant.takes_back:
        return last_taken_back(case)
    if not told:
        return None
    if not meant.right:
        return _noted_is(case, told) if meant.force == "sure" else None
    if _says_two_numbers(case, meant):
        return _noted_is(case, told) if len(meant.right.split()) <= _FEW else None
    settled = _of_an_item(case, meant, told) or _of_values(case, meant, told) or _of_words(case, meant, told)
    said_what = meant.copula and _NUMBER.search(meant.right) is not None
    if settled is not None and settled.changes and not said_what and not _spoke_last(case, told):
        changed = {change.record_id for change in settled.changes}
        rows = [row for row in told if row.record_id in changed]
        if rows and all(_names(case, meant, row) for row in rows):
            return settled
        return which_one(case.said, case.reading.moment, rows, case.words)
    if settled is None and meant.force == "sure" and len(meant.right.split()) <= _FEW:
        return _noted_is(case, told)
    return settled


def amend_rows(case: Case, meant: Amend, rows: Sequence[Record]) -> Settled | None:
    """Amend the entry that was picked."""
    if meant.takes_back:
        return None
    return _of_values(case, replace(meant, force="sure"), rows) or _of_words(case, meant, rows)


def _says_two_numbers(case: Case, meant: Amend) -> bool:
    """Return whether there are two numbers that may be right; a day and a time have numbers of their own."""
    sentence = case.sentence_of(meant.right)
    dated = bool(sentence.days or sentence.times) or says_when(meant.right) or "/" in meant.right
    return not meant.wrong and not dated and len(_NUMBER.findall(meant.right)) > 1


def _told(case: Case, force: str, moment: datetime) -> list[Record]:
    """Return the entries that the last writing message wrote, as they are now."""
    for one in case.earlier[:_FEW]:
        if not one.fresh or (force != "sure" and one.ended_at < moment - _FOLLOWED):
            return []
        rows = {row.record_id: row for row in (*one.told, *(change.now for change in one.changed))}
        standing = [row for row in rows.values() if not row.withdrawn and row.kind not in _LISTED]
        if standing:
            return standing
    return []


def _named(case: Case, meant: Amend) -> frozenset[str]:
    """Return the words of the correction that may name an entry."""
    return named_in(case.sentence_of(meant.right)).words - _POINTS


def _names(case: Case, meant: Amend, row: Record) -> bool:
    """Return whether the correction names its entry: "no, the butcher was 32"."""
    named = _named(case, meant)
    return bool(named) and named <= words_of(row)


def _spoke_last(case: Case, told: Sequence[Record]) -> bool:
    """Return whether no question came since; a later question may be what "no" refers to."""
    since = takewhile(lambda one: not _wrote(one, told), case.earlier)
    return all(amend_in(one.text, fold) is not None for one in since)


def _wrote(one: Earlier, told: Sequence[Record]) -> bool:
    ids = {row.record_id for row in told}
    return any(row.record_id in ids for row in (*one.told, *(change.now for change in one.changed)))


def _of_values(case: Case, meant: Amend, told: Sequence[Record]) -> Settled | None:
    """Correct a sum, a value, a day or a time."""
    right = _correction(case, meant)
    plain = says_when(meant.right) or currency_in(meant.right) is not None
    named = frozenset() if plain else _named(case, meant)
    rows = [row for row in told if named <= words_of(row)]
    if named and len(rows) > 1:
        rows = list(fitting(Named(named), rows, case.reading.today).rows) or rows
    if not rows and named and not right.is_empty:
        found = fitting(named_in(case.sentence_of(meant.right)), case.living, case.reading.today)
        rows = list(found.rows) if meant.force != "weak" else []
    pairs = [(row, at) for row in rows if (at := _for_row(right, row, meant.right, case)) is not None]
    kept = [(row, at) for row, at in pairs if row.amount in right.wrong or row.quantity in right.wrong]
    pairs = kept or pairs
    if len(pairs) == 1:
        [(row, one)] = pairs
        return put_right(case, [row], right=one)
    if pairs:
        return which_one(case.said, case.reading.moment, [row for row, _ in pairs], case.words)
    return _unclear(case, meant) if says_an_hour(meant.right) and rows else None


def _unclear(case: Case, meant: Amend) -> Settled:
    said = noop("“{hour}” may be morning or evening, so the hour stays as it was.")
    return Settled(case.words.tell(said, hour=meant.right))


def _correction(case: Case, meant: Amend) -> Correction:
    right = correction_of(case.sentence_of(meant.right))
    if not meant.wrong:
        return right
    wrong = correction_of(case.sentence_of(meant.wrong))
    numbers = (wrong.value,) if wrong.value is not None else ()
    return replace(right, wrong=(*right.wrong, *numbers))


def _for_row(right: Correction, row: Record, said: str, case: Case) -> Correction | None:
    """Return the correction for this entry.

    A time that may be morning or evening takes the one nearer the old time.
    """
    later = shifted(said, row)
    if later is not None:
        return later
    currency = currency_in(said) if row.amount is not None else None
    if currency is not None:
        return replace(right, value=row.amount, currency=currency)
    at = at_of(said, row)
    if at is not None and row.amount is None and row.quantity is None:
        return replace(right, value=None, at=at, unclear_hour=None)
    return right if not right.is_empty and applies(right, row) else None


def _of_an_item(case: Case, meant: Amend, told: Sequence[Record]) -> Settled | None:
    """Change the number of a list item: "make that 12 eggs"."""
    right = re.sub(r"^\W+|\W+$", "", meant.right)
    named = content_words(right, fold) - {word for word in content_words(right, fold) if word.isdigit()}
    items = [row for row in told if row.kind == "list_item" and row.title]
    same = [row for row in items if named and named == _named_of(row.title or "")]
    if len(same) != 1 or right == same[0].title or not _NUMBER.search(right):
        return None
    [row] = same
    after = replace(as_draft(row), title=right)
    said = noop("Changed from {old} to {new}: {what}.")
    language = case.words.language
    old, new = (quoted(one, language=language) for one in (row.title or "", right))
    return Settled(
        case.words.tell(said, old=old, new=new, what=case.words.list_name(row.code)),
        changes=(RecordChange(row.record_id, row.version, CORRECTED, after),),
    )


def _named_of(title: str) -> frozenset[str]:
    return frozenset(word for word in content_words(title, fold) if not word.isdigit())


def _of_words(case: Case, meant: Amend, told: Sequence[Record]) -> Settled | None:
    """Correct a name, a place or a thing."""
    sentence = case.sentence_of(meant.right)
    if not _is_name(meant) or sentence.days or sentence.times:
        return None
    found = [(row, one) for row in told if (one := reworded(row, meant.right, meant.wrong)) is not None]
    if not found and meant.wrong:
        others = [row for one in case.earlier for row in one.told if not row.withdrawn]
        found = [(row, one) for row in others if (one := reworded(row, meant.right, meant.wrong)) is not None]
    if len(found) > 1:
        return which_one(case.said, case.reading.moment, [row for row, _ in found], case.words)
    if not found:
        return None
    [(row, one)] = found
    change = RecordChange(row.record_id, row.version, CORRECTED, one.after)
    what = case.words.entry(one.after)
    if not one.old:
        return Settled(case.words.tell(noop("Noted with it: {what}."), what=what), changes=(change,))
    language = case.words.language
    said = case.words.tell(
        noop("Changed from {old} to {new}: {what}."),
        old=quoted(one.old, language=language),
        new=quoted(one.new, language=language),
        what=what,
    )
    return Settled(said, changes=(change,))


def _is_name(meant: Amend) -> bool:
    """Return whether the words may name a person, a place or a thing, rather than say how something was."""
    said = meant.right.split()
    if meant.wrong or meant.force == "sure":
        return 0 < len(said) <= _FEW + 1
    proper = all(word[:1].isupper() and "'" not in word for word in said)
    named = proper or names_a_thing(meant.right)
    return 0 < len(said) <= _FEW and named and (meant.copula or meant.apart)


def _noted_is(case: Case, told: Sequence[Record]) -> Settled:
    said = noop(
        "Noted is: {what}. Tell me what is right, like “no, 66” or “no, on Friday at 10:00”, or “delete that”."
    )
    return Settled(case.words.tell(said, what=case.words.entries(told)))
