# ruff: noqa: E501 - patterns stay on one line
"""Finds the stored entries that a request names (pure): by word, sum, day and kind. EN, DE, FR, ES.

Invariant: every word that is not grammar has to fit; an entry is never matched by a word it does not have, except
for the same word in another language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from butler_kit.wording.folding import fold, words
from butler_kit.wording.likeness import meaning_of
from butler_specialist.changes.grammar import GRAMMAR
from butler_specialist.store.model import Record
from butler_specialist.understanding.corrections import when_spans
from butler_specialist.understanding.day import Day
from butler_specialist.understanding.sentence import Sentence

__all__ = [
    "KIND_WORDS",
    "Found",
    "Named",
    "fitting",
    "is_open",
    "named_by",
    "named_in",
    "open_rows",
    "words_of",
]

_KINDS: Final = {
    "expense": words(
        "expense expenses spending ausgabe ausgaben depense depenses gasto gastos purchase einkauf"
    ),
    "bill": words("bill bills invoice invoices rechnung rechnungen facture factures factura facturas"),
    "subscription": words("subscription subscriptions membership abo abonnement mitgliedschaft suscripcion"),
    "refund": words("refund erstattung remboursement reembolso"),
    "income": words("income salary gehalt salaire sueldo einnahme"),
    "debt": words("debt debts schulden dette deuda"),
    "appointment": words(
        "appointment appointments termin termine rendez vous rendezvous cita citas meeting treffen visit date"
    ),
    "task": words(
        "task tasks todo aufgabe aufgaben tache taches tarea tareas reminder erinnerung rappel recordatorio"
    ),
    "reminder": words("task tasks todo reminder reminders aufgabe erinnerung rappel recordatorio"),
    "list_item": words("shopping list liste lista einkaufsliste courses compra"),
    "birthday": words("birthday birthdays geburtstag anniversaire cumpleanos"),
    "meeting": words("meeting visit treffen besuch rencontre encuentro"),
    "gift": words("gift present geschenk cadeau regalo"),
    "contact": words("contact number address phone kontakt nummer adresse numero contacto"),
    "note": words("note notes notiz notizen nota notas"),
    "measurement": words(
        "measurement value messung wert mesure medida blood pressure weight pulse temperature"
    ),
    "medication": words("medication pill tablet dose medikament tablette medicament medicamento pastilla"),
    "allergy": words("allergy allergie alergia"),
    "flight": words(
        "flight flights flug vol vuelo fly flying flies fliegen fliege fliegt avion plane volar volamos"
    ),
    "train": words("train zug tren take taking nehmen fahren fahre prenons prendre tomamos cogemos"),
    "bus": words("bus autobus"),
    "stay": words("hotel stay unterkunft sejour estancia booking buchung reservation reserva"),
}
"""The names of each kind of entry."""
KIND_WORDS: Final = frozenset().union(*_KINDS.values())
_COMING: Final = frozenset({"appointment", "task", "reminder", "flight", "train", "bus", "stay"})
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_NAMES_NOTHING: Final = re.compile(
    r"^\W*(?:(?:small |slight |quick )?change of plans?|(?:the |our )?plans? (?:has |have )?changed|plananderung|changement de (?:programme|plan)|cambio de planes?)\b"
    r"|\b(?:starts?|begins?|beginnt|commence|empieza)(?= (?:now|jetzt|nun|maintenant|ahora|at|um|a)\b)"
    r"|\bsame (?:day|time|place)\b|\b(?:am )?(?:gleiche[nrs]?|selbe[nrs]?) (?:tag|ort|zeit)\b|\b(?:le )?meme (?:jour|endroit)\b|\b(?:el )?mismo (?:dia|sitio)\b"
)
"""Phrases that accompany a change: "change of plan, …, same day"."""
_STEM: Final = 6
"""The fewest letters of a word that can stand for a longer one."""
_LAST: Final = re.compile(r"\b(?:last|latest|letzte[rns]?|derniere?|ultim[oa])\b")


@dataclass(frozen=True, slots=True)
class Named:
    """How a clause names an entry; `last` means the one that was told last."""

    words: frozenset[str]
    days: tuple[Day, ...] = ()
    sums: tuple[Decimal, ...] = ()
    last: bool = False

    @property
    def is_bare(self) -> bool:
        """Whether it names nothing: "that", "the last one"."""
        return not self.words and not self.days and not self.sums


@dataclass(frozen=True, slots=True)
class Found:
    """The entries that a clause names; not `exact` if the words fit but the day or the sum does not."""

    rows: tuple[Record, ...]
    exact: bool = True


def named_in(sentence: Sentence, *, days: Sequence[Day] = (), sums: Sequence[Decimal] = ()) -> Named:
    """Return the words that may name an entry; `days` and `sums` also identify it."""
    kept = list(sentence.folded)
    spared = [match.span() for match in _NAMES_NOTHING.finditer(sentence.folded)]
    for start, end in (*when_spans(sentence), *spared):
        kept[start:end] = " " * (end - start)
    return Named(
        frozenset(_one(word) for word in _WORD.findall("".join(kept)) if word not in GRAMMAR),
        tuple(days),
        tuple(sums),
        sentence.has(_LAST),
    )


def named_by(said: str) -> Named:
    """Return how plain words name an entry, without a day or a sum."""
    return Named(frozenset(_one(word) for word in _WORD.findall(fold(said)) if word not in GRAMMAR))


def fitting(named: Named, rows: Sequence[Record], today: date) -> Found:
    """Return the named entries, the newest first; only upcoming ones if there are any."""
    found = [row for row in rows if not named.is_bare and named.words <= words_of(row)]
    # The text of a clause with several facts belongs to each of them: the entry's name comes first.
    found = [row for row in found if named.words <= _called(row)] or found
    found = found or [row for row in rows if not named.is_bare and _compounded(named.words, words_of(row))]
    found = found or [row for row in rows if not named.is_bare and _translated(named.words, words_of(row))]
    exact = True
    for wanted, narrower in (
        (named.sums, [row for row in found if row.amount in named.sums or row.quantity in named.sums]),
        (named.days, [row for row in found if _is_of(row, named.days)]),
    ):
        exact = exact and not (wanted and not narrower)
        found = narrower or found
    if not exact and not named.words:
        return Found((), exact=False)
    coming = [
        row for row in found if row.kind in _COMING and row.occurred_on >= today and row.done_on is None
    ]
    ordered = sorted(coming or found, key=lambda row: row.seq, reverse=True)
    return Found(tuple(ordered[:1] if named.last else ordered), exact=exact)


def _compounded(named: frozenset[str], said: frozenset[str]) -> bool:
    """Return whether each word starts one of the entry's words, as "Zahnarzt" starts "Zahnarzttermin"."""
    return bool(named) and all(
        word in said or (len(word) >= _STEM and any(other.startswith(word) for other in said))
        for word in named
    )


def _translated(named: frozenset[str], said: frozenset[str]) -> bool:
    """Return whether each word is one of the entry's, or its translation: "Zahnarzt" for "Dentist at 9"."""
    return bool(named) and all(
        word in said or any(meaning_of(word) & meaning_of(other) for other in said) for word in named
    )


def words_of(row: Record) -> frozenset[str]:
    """Return the words that may name an entry: its own, and those for its kind."""
    return _called(row) | _ones(row.text)


def _called(row: Record) -> frozenset[str]:
    said = f"{row.title or ''} {row.party or ''} {row.place or ''}"
    return _ones(said) | {_one(word) for word in _KINDS.get(row.kind, ())}


def _ones(said: str) -> frozenset[str]:
    return frozenset(_one(word) for word in _WORD.findall(fold(said)))


def is_open(row: Record) -> bool:
    """Return whether it is something to be done or paid that is still open."""
    return row.kind in ("task", "reminder", "bill", "subscription") and row.done_on is None


def open_rows(rows: Sequence[Record]) -> list[Record]:
    """Return what can be ticked off: open tasks and bills, and what is on a list now."""
    items: dict[tuple[str, str], Record] = {}
    for row in sorted(rows, key=lambda row: row.seq):
        key = (row.code or "", fold(row.title or ""))
        if row.kind == "list_removal":
            items.pop(key, None)
        elif row.kind == "list_item":
            items.setdefault(key, row)
    return [*(row for row in rows if is_open(row)), *items.values()]


def _is_of(row: Record, days: Sequence[Day]) -> bool:
    return any(row.occurred_on in (day.day, day.before, day.after) for day in days)


def _one(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word
