# ruff: noqa: E501 - patterns stay on one line
"""What a clause says beside its fact: "paid 12 EUR for parking, BP 130/85" (pure).

Invariant: each sum, value, day and clear hour of a short message is in a record, or the part that names it is quoted;
so is what it says of another matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold, words
from butler_specialist.profiles.leftover import is_courtesy
from butler_specialist.questions.recognise import asks
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.day import Day
from butler_specialist.understanding.denied import takes_back
from butler_specialist.understanding.joints import ANDS
from butler_specialist.understanding.measurements import Measurement
from butler_specialist.understanding.money import Amount, amount_text
from butler_specialist.understanding.purpose import FILLERS
from butler_specialist.understanding.reading import Reading, Sentence
from butler_specialist.understanding.tense import states
from butler_specialist.understanding.times import Moment

__all__ = ["beside_facts"]

_JOINT: Final = re.compile(rf"[,;](?!\d)\s*(?:{ANDS})?|\s{ANDS}")
_NOT_SO: Final = re.compile(r"\W*(?:not|nicht|pas|no|instead of|statt|rather than)\b")
"""Words of denial, which are in no fact: "on Friday, not Thursday"."""
_DECIMAL: Final = re.compile(r"(?<![\w.,/:+-])\d{1,4}[.,]\d{1,2}(?![\d:/-]|[.,]\d)(?!\w)")
_FOR_A_THING: Final = re.compile(
    r"(?<![\w.,:-])(?<!table )(?<!room )(?<!no\. )\d{1,4}(?= (?:on|fur|furs|bei|beim|chez) [a-z])"
    r"|(?:(?<=about )|(?<=etwa )|(?<=circa )|(?<=environ )|(?<=unos )|(?<=pays )|(?<=zahlt )|(?<=covers ))\d{1,4}\b(?! ?(?:km|kg|minut|min\b|hours?|stunden))"
)
_OF_ALLERGIES: Final = words(
    "gegen auf aux allergic allergy allergisch allergie allergique alergico alergica alergia"
)
_WHOLE: Final = re.compile(
    r"(?<![\w.,:])(?!(?:19|20)\d\d\b)\d{1,4}(?![\w.:]|,\d)(?! ?(?:days?|weeks?|months?|years?|hours?|minutes?|times?|x|tage?n?|wochen?"
    r"|monate?n?|jahre?n?|stunden?|minuten?|mal|jours?|semaines?|mois|ans|heures?|fois|dias?|semanas?|meses|anos|horas?|veces)\b)"
)
"""A number that is neither a time nor a frequency."""
_VALUES: Final = frozenset({"measurement", "medication", "allergy"})
_SPAN: Final = re.compile(
    r"\b(?:since|until|till|by|valid|seit|bis|gultig|depuis|jusqu'?(?:au?|en)?|desde|hasta)\W+(?:\w+\W+){0,2}$"
)
"""A day that ends a span, which no fact has a field for."""
_SUMS: Final = frozenset({"expense", "bill", "subscription", "refund", "income", "debt"})
_DID_NOT: Final = re.compile(r"\b(?:did|could|ca|have|has)(?:n't| not)\b|\bno (?:fui|fue|he|ha|pude)\b")
_UNQUOTED: Final = frozenset(
    {*_SUMS, *_VALUES, "flight", "train", "bus", "stay", "birthday", "contact", "meeting"}
)
"""Kinds whose answer does not repeat the clause."""
_LONG: Final = 5
_FEWEST_WORDS: Final = 2
"""The fewest words of another matter without a verb."""
_MOST_CHARS: Final = 400
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_DETAIL: Final = re.compile(
    r"\b(?:due|payable|fallig|zahlbar|echeance|a payer|vence|vencimiento|por pagar|order|ref\w*|receipt|booking|beleg\w*|bestell\w*|auftrag\w*|commande|pedido|card|cash|bar|karte|carte|tarjeta|efectivo|split|shared|geteilt|thanks|danke|merci|gracias)\b"
)
"""Words about the payment itself."""
_OF_THE_FACT: Final = re.compile(
    r"\b(?:before|after|breakfast|lunch|dinner|fasting|empty stomach|arm|left|right|sitting|standing|lying|resting|in bed|pulse|device|scales?|twice|daily|every|tablets?|pills?"
    r"|vor|nach|fruhstuck|mittagessen|abendessen|nuchtern|linke?[rnms]?|rechte?[rnms]?|im (?:sitzen|liegen|stehen|bett)|waage|taglich|tabletten?"
    r"|avant|apres|petit.dejeuner|dejeuner|diner|a jeun|bras|gauche|droite?|assise?|debout|couchee?|au lit|balance|par jour|comprimes?"
    r"|antes|despues|desayuno|almuerzo|comida|cena|ayunas|brazo|izquierd[oa]|derech[oa]|sentad[oa]|de pie|tumbad[oa]|en la cama|bascula|al dia|pastillas?|comprimidos?"
    r"|seat\w*|coach|carriage|wagon|gate|platform|terminal|aisle|window|luggage|baggage|ticket|class|nonstop|direct|via|layover|stopover|breakfast included|nights?"
    r"|sitz\w*|wagen|gleis|bahnsteig|gang|fenster|gepack|koffer|klasse|uber|umstieg|umsteigen|zimmer|nachte?|fruhstuck"
    r"|siege|place|voiture|quai|voie|couloir|fenetre|bagages?|classe|escale|correspondance|chambre|nuits?"
    r"|asiento|vagon|coche|anden|via|puerta|pasillo|ventana|equipaje|clase|escala|transbordo|habitacion|noches?"
    r"|turns?|turning|born|wird|geboren|fete|naquit|nee?|cumple|nacio|mobile|phone|landline|handy|festnetz|portable|fixe|movil|fijo)\b"
)
"""Words about a value, a journey, a birthday or a number itself."""
_MOST_CLAUSES: Final = 12
"""The most clauses; a longer message is a document, and so is a mail, whose body repeats what it states."""
_MOST_PARTS: Final = 12


def beside_facts(
    sentences: Sequence[Sentence], drafts: Sequence[RecordDraft], said: str, reading: Reading
) -> tuple[Sentence, ...]:
    """Return the parts of these clauses that name something which is in no fact and not in the answer."""
    if reading.subject or len(reading.sentences) > _MOST_CLAUSES:
        return ()
    known, told = _Known(drafts, said, reading.language), fold(said)
    return tuple(
        part
        for sentence in sentences
        if not asks(sentence) and not sentence.is_heading
        for part in (*_unnamed(sentence, known, drafts, told), *_of_another_matter(sentence, drafts, told))
    )


def _unnamed(
    sentence: Sentence, known: _Known, drafts: Sequence[RecordDraft], told: str
) -> Iterator[Sentence]:
    """Yield the parts that name something which is in no fact, and what is said beside sums."""
    for part in _parts(sentence):
        if _NOT_SO.match(part.folded) or fold(part.text) in told:
            continue
        if not known.has_all_of(part) or _is_unsaid(part, drafts, told):
            yield part


def _of_another_matter(sentence: Sentence, drafts: Sequence[RecordDraft], told: str) -> Iterator[Sentence]:
    """Yield what a clause with a value, a journey or a person's fact says of something else: "faltan huevos y arroz"."""
    kinds = {draft.kind for draft in drafts}
    if not kinds <= _UNQUOTED or _is_beside_sums(kinds):
        return
    run: list[tuple[int, int]] = []
    for start, end in (*_spans(sentence), (-1, -1)):
        part = replace(sentence, text=sentence.text[start:end].strip()) if start >= 0 else None
        if part is not None and _own_words(part, told) and not _is_about_the_fact(part):
            run.append((start, end))
            continue
        if run:
            whole = replace(sentence, text=sentence.text[run[0][0] : run[-1][1]].strip())
            if len(_own_words(whole, told)) >= _FEWEST_WORDS or states(whole.folded):
                yield whole
        run = []


def _is_about_the_fact(part: Sentence) -> bool:
    """Return whether it is a detail, another leg with its day, or what did not happen because of it."""
    if part.times or any(day.day != part.today for day in part.days):
        return True
    return _OF_THE_FACT.search(part.folded) is not None or _DID_NOT.search(part.folded) is not None


def _is_beside_sums(kinds: set[str]) -> bool:
    return kinds <= _SUMS or kinds == {"allergy"}


def _is_unsaid(part: Sentence, drafts: Sequence[RecordDraft], told: str) -> bool:
    """Return whether a part beside sums says something else, of which the answer has no word."""
    kinds = {draft.kind for draft in drafts}
    if not kinds or not _is_beside_sums(kinds):
        return False
    return sum(len(draft.text) for draft in drafts[:1]) <= _MOST_CHARS and bool(_own_words(part, told))


def _own_words(part: Sentence, told: str) -> set[str]:
    """Return the words of a part that says something else; none if the answer has one of them, or it is a detail."""
    if part.amounts or part.unmarked or is_courtesy(part) or _NOT_SO.match(part.folded):
        return set()
    bare = list(part.folded)
    moments = [(one.start, one.end) for one in part.days] + [(one.start, one.end) for one in part.times]
    for start, end in moments:
        bare[start:end] = " " * (end - start)
    left = "".join(bare)
    if _DETAIL.search(left) or any(character.isdigit() for character in left):
        return set()
    own = {word for word in _WORD.findall(left) if word not in FILLERS and word not in _OF_ALLERGIES}
    return own if not any(_is_in(word, told) for word in own) else set()


def _is_in(word: str, told: str) -> bool:
    """Return whether the answer has the word; a short one as a word of its own: "sun" is not in "Sunday"."""
    if len(word) >= _LONG:
        return word in told
    return re.search(rf"\b{word}\b", told) is not None


_Placed = Day | Amount | Moment | Measurement


class _Known:
    """The values, days and hours of the facts, including their details."""

    def __init__(self, drafts: Sequence[RecordDraft], said: str, language: Language) -> None:
        self._said, self._language = said, language
        self._sums = any(draft.amount is not None for draft in drafts)
        self._of_health = {draft.kind for draft in drafts} <= _VALUES
        self._numbers: set[Decimal] = set()
        self._days: set[date] = set()
        self._written: set[str] = set()
        for draft in drafts:
            numbers = (draft.amount, draft.quantity, draft.quantity_second)
            self._numbers |= {number for number in numbers if number is not None}
            self._days.add(draft.occurred_on)
            self._written |= {str(value).zfill(5) for value in draft.details.values()}
            self._written |= set(str(draft.details.get("hours", "")).split())
            if draft.occurred_at is not None:
                self._written.add(draft.occurred_at.strftime("%H:%M"))

    def has_all_of(self, part: Sentence) -> bool:
        """Return whether everything that the part names is in some fact."""
        values = [*(one.value for one in part.measurements), *(one.amount for one in part.doses)]
        hours = [one.at.strftime("%H:%M") for one in part.times if one.at is not None]
        return (
            all(value in self._numbers for value in (*values, *_decimals(part)))
            and (not self._of_health or all(self._has_number(one) for one in _whole_numbers(part)))
            and all(self._has_sum(one) for one in part.amounts)
            and (not self._sums or all(self._has_number(one) for one in _like_sums(part)))
            and all(not self._sums or one.value in self._numbers for one in part.unmarked)
            and all(hour in self._written for hour in hours)
            and all(
                self._has_day({day.day, day.before, day.after})
                for day in part.days
                if not _SPAN.search(part.folded[: day.start])
            )
        )

    def _has_number(self, number: Decimal) -> bool:
        return number in self._numbers or re.search(rf"(?<!\d)0?{number}(?!\d)", self._said) is not None

    def _has_sum(self, amount: Amount) -> bool:
        """Return whether a fact has the sum; if none has any, the answer names each of them."""
        if not self._sums or amount.value in self._numbers:
            return True
        return amount_text(amount.value, amount.currency, self._language) in self._said

    def _has_day(self, meanings: set[date]) -> bool:
        if meanings & self._days or {day.isoformat() for day in meanings} & self._written:
            return True
        return any((day.month, day.day) == (one.month, one.day) for day in meanings for one in self._days)


def _whole_numbers(part: Sentence) -> Iterator[Decimal]:
    """Yield whole numbers that are neither a day, an hour nor a sum: "Stefan nur 5"."""
    held = _places((*part.days, *part.amounts, *part.times))
    for number in _WHOLE.finditer(part.folded):
        if not any(start < number.end() and number.start() < end for start, end in held):
            yield Decimal(number.group())


def _like_sums(part: Sentence) -> Iterator[Decimal]:
    """Yield numbers that may be sums by the words next to them: "like 12 on food"."""
    held = _places((*part.days, *part.amounts, *part.times, *part.measurements))
    for number in _FOR_A_THING.finditer(part.folded):
        if not any(start < number.end() and number.start() < end for start, end in held):
            yield Decimal(number.group())


def _decimals(part: Sentence) -> Iterator[Decimal]:
    """Yield decimal numbers that are no sum: "38,5 Fieber"."""
    held = _places((*part.days, *part.amounts, *part.times))
    for number in _DECIMAL.finditer(part.text):
        if not any(start < number.end() and number.start() < end for start, end in held):
            yield Decimal(number.group().replace(",", "."))


def _places(found: Iterable[_Placed]) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in found]


def _parts(sentence: Sentence) -> Iterator[Sentence]:
    """Yield its parts between commas and joining words, never splitting a day, sum or value."""
    for start, end in _spans(sentence):
        yield replace(sentence, text=sentence.text[start:end].strip())


def _spans(sentence: Sentence) -> list[tuple[int, int]]:
    """Return the places of its parts; none if there are too many."""
    held = _places((*sentence.days, *sentence.amounts, *sentence.measurements, *sentence.times))
    cuts = [
        cut.span()
        for cut in _JOINT.finditer(sentence.folded)
        if not any(start < cut.end() and cut.start() < end for start, end in held)
        and not takes_back(sentence.folded[: cut.start()], sentence.folded[cut.end() :])
    ]
    if len(cuts) >= _MOST_PARTS:
        return []
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(sentence.text)]
    return [(a, b) for a, b in zip(starts, ends, strict=True) if sentence.text[a:b].strip()]
