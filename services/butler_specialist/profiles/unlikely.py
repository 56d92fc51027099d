# ruff: noqa: E501 - patterns stay on one line
"""Whether a fact read from a clause is none, judged by the clause as a whole (pure; ADR 0091).

Patterns find a sum, a value, a day; a model of the whole clause says whether its sender reports money spent, a
value measured, something fixed. If that clearly speaks against it, the clause is kept in its own words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from butler_kit.tellings.sorts import share_of, sorts_of
from butler_kit.textmodel.features import tokens
from butler_kit.textmodel.lexicon import classes_of
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["may_be_no_fact", "speaks_against"]

CLEARLY: Final = 0.85
"""The share against a fact, of all that speaks for or against it."""
CERTAINLY: Final = 0.97
MOSTLY: Final = 0.5
"""The share of everything that the clause may be."""
_MOST_CLAUSES: Final = 8
"""The most clauses; a longer message is a document, and so is a mail: the model knows what people type."""


@dataclass(frozen=True, slots=True)
class _Sorts:
    """The sorts of clause that such a fact comes from, and those often mistaken for one."""

    of: tuple[str, ...]
    against: tuple[str, ...]


_NO_MONEY: Final = ("price", "off", "maybe")
_NO_VALUE: Final = ("value_not", "price", "maybe", "past")
_VALUE: Final = ("value_me", "value_other")
_VALUES: Final = frozenset({"measurement", "medication"})
_SORTS: Final[Mapping[str, _Sorts]] = {
    "expense": _Sorts(("spent",), ("received", "owed", "due", "past", *_NO_MONEY)),
    "income": _Sorts(("received",), ("spent", "owed", "due", *_NO_MONEY)),
    "refund": _Sorts(("received",), ("spent", "owed", "due", *_NO_MONEY)),
    "bill": _Sorts(("due", "owed", "spent"), ("received", *_NO_MONEY)),
    "measurement": _Sorts(_VALUE, (*_NO_VALUE, "event")),
    "medication": _Sorts((*_VALUE, "event", "remind", "fact"), _NO_VALUE),
    "appointment": _Sorts(("event",), ("maybe", "off", "past")),
}
_OF_NOBODY_NAMED: Final = _Sorts(("value_me",), ("value_other",))
"""A value without a person is the sender's, unless the clause is about somebody whom no rule recognised."""
_SOMEBODY: Final = frozenset({"kin", "pet"})
_BOUGHT: Final = re.compile(
    r"\b(?:bought|spent|cost (?:me|us)|gekauft|ausgegeben|gekostet|achete\w*|depense\w*|coute\w*|compr(?:e|ado|amos)"
    r"|gast(?:e|ado|amos)|costo|costaron)\b"
)
_PAID: Final = re.compile(r"\b(?:paid|bezahlt|paye\w*|pag(?:ue|ado|amos))\b")
"""An explicit payment is believed, unless the model is certain: "paid me"."""
_BILLED: Final = re.compile(
    r"\b(?:bill|invoice|rechnung|facture|factura)\b[^.!?\d]{0,60}\b(?:is|was|comes to|came to|ist|betragt|lautet|uber|von|est|etait|es|era|fue|de)\b[^.!?\d]{0,12}\d"
)
"""A bill named with its sum is believed too."""
_NOT_YET: Final = re.compile(
    r"\b(?:not|never|\w+n't|havent|hasnt|didnt|still|yet|nicht|noch|nie|pas|jamais|encore|no|nunca|todavia|aun)\b"
)


def may_be_no_fact(sentence: Sentence, reading: Reading) -> bool:
    """Return whether to look closer: a clause of a short message probably often mistaken for a fact."""
    if reading.subject or len(reading.sentences) > _MOST_CLAUSES:
        return False
    sorts = sorts_of(sentence.text)
    return any(share_of(sorts, one.against) > MOSTLY for one in (*_SORTS.values(), _OF_NOBODY_NAMED))


def speaks_against(draft: RecordDraft, sentence: Sentence) -> bool:
    """Return whether the clause as a whole is clearly not one that states such a fact."""
    known = _SORTS.get(draft.kind)
    if known is None or (draft.kind == "expense" and sentence.has(_BOUGHT)):
        return False
    sorts, is_value = sorts_of(sentence.text), draft.kind in _VALUES
    paid = draft.kind == "expense" and sentence.has(_PAID) and not sentence.has(_NOT_YET)
    billed = draft.kind == "bill" and sentence.has(_BILLED)
    return _clearly(sorts, known, CERTAINLY if is_value or paid or billed else CLEARLY) or (
        is_value and draft.party is None and _is_of_somebody(sentence, sorts)
    )


def _is_of_somebody(sentence: Sentence, sorts: Mapping[str, float]) -> bool:
    """Return whether a value is that of a relative or an animal named anywhere in the clause."""
    named = any(_SOMEBODY.intersection(classes_of(word)) for word, _ in tokens(sentence.text))
    return named and _clearly(sorts, _OF_NOBODY_NAMED, MOSTLY)


def _clearly(sorts: Mapping[str, float], one: _Sorts, sure: float) -> bool:
    against = share_of(sorts, one.against)
    return against > MOSTLY and against > sure * (against + share_of(sorts, one.of))
