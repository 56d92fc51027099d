# ruff: noqa: E501 - word lists stay on one line
"""Quotes what was told in a question's words if no answer has them: the last resort (pure).

Invariant: it is quoted as it was told, with its day; nothing is concluded from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from butler_kit.wording.asked_words import asked_words
from butler_kit.wording.folding import fold, words
from butler_specialist.changes.named import KIND_WORDS
from butler_specialist.profiles.general.wording import found_text, nearest_text
from butler_specialist.questions.nothing import Nothing
from butler_specialist.questions.remembered import is_named_in, nearest, remembered
from butler_specialist.store.model import Record
from butler_specialist.understanding.reading import Reading

__all__ = ["is_settled", "quoted_kinds", "with_quotes"]

_MOST: Final = 3
_LEAST: Final = 0.7
_NO_SAYING: Final = frozenset({"list_item", "list_removal", "document", "measurement", "medication"})
"""Kinds that are answered by their current state, whatever their words were."""
_OF_ALL: Final = KIND_WORDS | words(
    "spend spent spending pay paid pays cost costs bought buy month months week weeks year years owe owed owes money total sum much"
    " ausgegeben ausgeben bezahlt gezahlt zahlen kostet gekostet gekauft monat monate woche wochen jahr geld offen schulde schuldet summe"
    " depense depenser paye payer coute acheter mois semaine semaines annee argent dois doit total"
    " gastado gaste pagado pague pagar costado comprado mes meses semana semanas ano dinero debo debe debemos"
    " january february march april june july august september october november december januar februar marz mai juni juli oktober dezember"
    " janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    " monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag"
    " lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miercoles jueves viernes sabado domingo"
    " ci cela tomorrow yesterday tonight weekend morgen gestern heute wochenende demain hier aujourd'hui manana ayer hoy"
)
"""Words of a question about all of a kind, or about a time."""


def quoted_kinds(kept: Sequence[str]) -> tuple[str, ...]:
    """Return those of a butler's kinds whose text is what somebody told."""
    return tuple(kind for kind in kept if kind not in _NO_SAYING)


def is_settled(answer: str, asked: Reading) -> bool:
    """Return whether the answer suffices: it covers what the question names, or says what may be meant.

    For all bills of a month, none if none is known: such a question names nothing else.
    """
    if isinstance(answer, Nothing) and answer.settled:
        return True
    return _is_of_all(asked) or (not isinstance(answer, Nothing) and is_named_in(asked, answer))


def _is_of_all(asked: Reading) -> bool:
    return asked_words(asked.text, fold) <= _OF_ALL


def with_quotes(answer: str, asked: Reading, rows: Sequence[Record]) -> str:
    """Return the answer, and what else was told that has the words of the question."""
    told = {row.text: row for row in rows if _stands(row) and row.text not in answer}
    found = remembered(asked, list(told.values()), least=_LEAST)
    if found:
        said = found_text(found[:_MOST], asked)
        return said if isinstance(answer, Nothing) and answer.vague else f"{answer} {said}"
    near = nearest(asked, list(told.values()))[:_MOST] if isinstance(answer, Nothing) else []
    return Nothing(f"{answer} {nearest_text(near, asked)}", settled=True) if near else answer


def _stands(row: Record) -> bool:
    """Return whether it is as it was told, and not done."""
    return row.version == 1 and row.done_on is None
