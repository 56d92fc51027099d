# ruff: noqa: E501 - patterns stay on one line
"""The money matters that a message states, as records (pure).

Invariant: a sum that names no currency is one of the household's, or no sum at all; the record says which it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from butler_kit.wording.folding import fold
from butler_specialist.profiles.finance import documents, payers, places
from butler_specialist.profiles.finance.debts import DEBT, Debt, debt_of, returned_by
from butler_specialist.profiles.finance.kinds import kind_of
from butler_specialist.profiles.finance.plans import is_asked, is_planned, of_a_plan
from butler_specialist.profiles.subject import MOST_FACTS
from butler_specialist.questions.recognise import is_question
from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.doubts import spends_nothing
from butler_specialist.understanding.money import Amount
from butler_specialist.understanding.portions import portion_of, portions_up_to
from butler_specialist.understanding.purpose import party_of, purpose_of, told_purpose
from butler_specialist.understanding.reading import Reading, Sentence, When

__all__ = ["ASSUMED", "DAY", "facts_of", "stated_by", "states_a_sum_of", "unmarked_in"]

ASSUMED: Final = "currency"
"""Key of a record's details: its sum named no currency."""
DAY: Final = "day"
"""Key of a record's details: its day is that of the message, which named none."""

_SUBJECT_CHARS: Final = 60
_MOST_TOGETHER: Final = 12
"""Clauses that are read beside each other for each of them."""
_SAYS_NOTHING: Final = re.compile(
    r"\W*(?:urgent|important|hello|hi|hey|question|fyi|info|reminder|note|money|hallo|wichtig|dringend|frage|notiz|geld"
    r"|bonjour|salut|important|note|argent|hola|urgente|importante|nota|pregunta|dinero)\b\W*$"
)
_OLD_BEFORE_CHARS: Final = 40
_INSTEAD_OF: Final = re.compile(r"\b(?:instead of|statt|au lieu de|en vez de)\s*$")
_PART_OF: Final = re.compile(
    r"\b(?:davon|darunter|of which|including|incl\.?|inkl\.?|inklusive|einschliesslich|dont|y compris|de (?:los|las) (?:cuales|que)|de ell[oa]s|incluid[oa]s?|incluyendo)"
    r"(?: (?:about|etwa|ca\.?|environ|unos|unas|auch|noch))?\s*$"
)
"""Before a sum that is in the other one already."""
_FOR_LATER: Final = re.compile(
    r"\b(?:booked|reserved|up ?front|in advance|tickets?|tix|gebucht|reserviert|karten|im voraus|reserve|reservation|buchung|booking|d'avance|reserva|billets?|reservado|por adelantado|entradas?|billetes?)\b"
)
"""What is paid for a day to come."""
_LONG_AGO_DAYS: Final = 60
_WAS: Final = re.compile(r"\b(?:was|war|etait|era|costaba)\s*$")
_NOW: Final = re.compile(r"\b(?:now|jetzt|nun|maintenant|ahora)\b|\((?:it )?(?:was|war|etait|era)\b")
_INVOICE_NUMBER: Final = re.compile(
    r"\b(?:invoice|rechnung|facture|factura)(?: (?:no\.?|nr\.?|number"
    r"|n°))? (?P<number>[A-Z0-9][A-Z0-9-]{2,19})\b(?! ?(?:€|\$|£|eur|usd|gbp|chf|dollar|pound))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Mail:
    """What a whole message says of each of its sums: the number of the bill, when it is due, who sent it."""

    number: str | None
    due: date | None
    sender: str | None


def facts_of(reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
    """Each sum with what is said of it, or the message as a note.

    What a stranger writes without a currency is no sum of ours, and a question states none.
    """
    reading = _as_stated(reading, household=household)
    sums = _told(reading) if household else _sums(reading)
    if not sums:
        return (_note(reading, household=household),)
    mail = _Mail(_bill_number(reading), documents.due_in(reading), documents.sender_in(reading))
    drafts = (_draft(*found, reading, mail, household=household) for found in sums[:MOST_FACTS])
    return _titled(tuple(drafts), reading) if household else tuple(drafts)


def states_a_sum(reading: Reading) -> bool:
    """Whether `facts_of` a member's message has a fact, without making any."""
    return bool(_told(_as_stated(reading, household=True)))


def states_a_sum_of(sentence: Sentence, reading: Reading) -> bool:
    """Whether a clause of a member's message has a fact there, beside the others."""
    if reading.subject or len(reading.sentences) > _MOST_TOGETHER:
        return states_a_sum(reading.only(sentence))
    return any(one.text == sentence.text for one, _ in _told(_as_stated(reading, household=True)))


def stated_by(reading: Reading, drafts: Sequence[RecordDraft]) -> int:
    """How many facts the message states, of which `drafts` may be the first ones."""
    if any(ASSUMED in draft.details for draft in drafts):
        reading = reading.in_currency()
    return max(len(drafts), len(_told(reading)))


def unmarked_in(reading: Reading) -> Amount | None:
    """The first sum that is told without a currency."""
    return next((amount for sentence in reading.sentences for amount in sentence.unmarked), None)


def _as_stated(reading: Reading, *, household: bool) -> Reading:
    return reading.in_currency() if household and not is_question(reading) else reading


def _sums(reading: Reading) -> list[tuple[Sentence, Amount]]:
    return documents.without_parts([one for one in reading.sums if not _is_old(*one)], reading)


def _told(reading: Reading) -> list[tuple[Sentence, Amount]]:
    """The sums that a member says were paid, came or are due."""
    sums = _sums(reading)
    clauses = {id(sentence): sentence for sentence, _ in sums}
    told = {key for key, one in clauses.items() if not is_asked(one) and not of_a_plan(one, reading)}
    return [one for one in sums if id(one[0]) in told and not _is_only_planned(*one)]


def _is_only_planned(sentence: Sentence, amount: Amount) -> bool:
    """Whether the words about one of several sums say that nobody spent it."""
    portion, _ = portion_of(sentence, amount)
    if portion is sentence:
        return False
    return is_planned(portion) or (spends_nothing(portion) and debt_of(sentence) is None)


def _is_old(sentence: Sentence, amount: Amount) -> bool:
    """A price that no longer holds, beside the one that does, or that another one has in it: "of which 12 for wine"."""
    before = sentence.folded[max(0, amount.start - _OLD_BEFORE_CHARS) : amount.start]
    if _PART_OF.search(before):
        return True
    if len(sentence.amounts) < 2:
        return False
    return bool(_INSTEAD_OF.search(before) or (sentence.has(_NOW) and _WAS.search(before)))


def _bill_number(reading: Reading) -> str | None:
    found = reading.either(_INVOICE_NUMBER.search)
    return found["number"] if found and re.search(r"\d", found["number"]) else None


def _note(reading: Reading, *, household: bool) -> RecordDraft:
    """A message without a sum; where it names a place and the expense that it belongs to, so does the note."""
    if household and (appointment := _appointment(reading)) is not None:
        return appointment
    party = reading.either(party_of)
    named = places.expense_named(reading) if party and household else None
    return RecordDraft(
        kind="note",
        occurred_on=reading.today,
        text=reading.text,
        party=party,
        details={"expense": named} if named else {},
    )


def _appointment(reading: Reading) -> RecordDraft | None:
    """What has no sum but a day to come and its hour: "the plumber comes on Thursday between 8 and 10"."""
    if reading.subject or is_question(reading):
        return None
    for sentence in reading.sentences:
        when = reading.when(sentence, "future", usual="future")
        if (
            when.named
            and when.at is not None
            and when.day >= reading.today
            and sentence.side("future") == "future"
        ):
            return RecordDraft("note", when.day, reading.text, occurred_at=when.at)
    return None


def _draft(
    sentence: Sentence, amount: Amount, reading: Reading, mail: _Mail, *, household: bool
) -> RecordDraft:
    portions = portions_up_to(sentence, amount)
    kind = kind_of(sentence, reading, household=household, portions=portions)
    coming = kind in ("bill", "subscription")
    when = reading.when(sentence, "future" if coming else "past", usual="past" if kind == "income" else None)
    if kind == "bill" and (own := documents.due_of(sentence, reading)) is not None:
        when = When(own, named=True)
    if kind == "bill" and not when.named and mail.due is not None:
        when = When(mail.due, named=True)
    if (
        kind == DEBT and not sentence.days and when.day != reading.today
    ):  # the day of another clause is of what is told there
        when = When(reading.today)
    if kind == "expense" and when.day > reading.today:  # the day of a warranty, not of what was paid
        when = When(reading.today)
    if kind == "expense" and _is_for_later(when.day, reading):
        when = When(reading.today)
    details: dict[str, Any] = {} if when.named else {DAY: "of the message"}
    if amount.assumed:
        details[ASSUMED] = "of the household"
    portion, its_own = portion_of(sentence, amount)
    draft = RecordDraft(
        kind=kind,
        occurred_on=when.day,
        occurred_at=when.at,
        title=None if documents.is_labelled(sentence) and reading.subject else purpose_of(portion, its_own),
        amount=amount.value,
        currency=amount.currency,
        party=party_of(portion.text) or mail.sender,
        code=mail.number if kind == "bill" else None,
        details=details,
        text=reading.text_of(sentence),
    )
    if (payer := payers.payer_of(sentence, reading.whose)) is not None:
        title = payers.without_name(draft.title, reading.whose)
        draft = replace(draft, title=title, details={**draft.details, payers.PAYER: payer})
    debt, giver = (debt_of(sentence) if kind == DEBT else None), returned_by(sentence)
    if debt is not None:
        return _between(draft, debt, sentence, amount)
    giver = giver or payers.refunded_by(sentence)
    if kind == "refund" and giver is not None:
        return replace(draft, title=told_purpose(sentence, amount), party=giver)
    return draft


def _is_for_later(day: date, reading: Reading) -> bool:
    """Whether its day is that of what was paid ahead, and not one of months ago: "tickets for 11 December, 38 each"."""
    if (reading.today - day).days <= _LONG_AGO_DAYS:
        return False
    dated = (one for one in reading.sentences if any(named.before == day < named.after for named in one.days))
    return any(len(one.days) > 1 or reading.has(_FOR_LATER) for one in dated)


def _between(draft: RecordDraft, debt: Debt, sentence: Sentence, amount: Amount) -> RecordDraft:
    """The draft as a debt: what is left of the sentence is about the two, not what it is for."""
    return replace(
        draft,
        title=told_purpose(sentence, amount),
        party=debt.other,
        details={**draft.details, **debt.details},
    )


def _titled(drafts: tuple[RecordDraft, ...], reading: Reading) -> tuple[RecordDraft, ...]:
    """The one sum of a mail is about what its subject says, where the body says nothing else."""
    [first, *others] = drafts
    subject = reading.subject
    if others or first.title is not None or first.kind == DEBT:
        return drafts
    if not 2 < len(subject) <= _SUBJECT_CHARS or _SAYS_NOTHING.match(fold(subject)):
        return drafts
    return (replace(first, title=subject),)
