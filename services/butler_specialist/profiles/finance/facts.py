# ruff: noqa: E501 - patterns stay on one line
"""The money facts that a message states, as records (pure).

Invariant: a sum without a currency is in the household's, or is no sum at all; the record says which it was.
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
from butler_specialist.understanding.tense import comes_on

__all__ = ["ASSUMED", "DAY", "facts_of", "stated_by", "states_a_sum_of", "unmarked_in"]

ASSUMED: Final = "currency"
"""A key in a record's details: its sum named no currency."""
DAY: Final = "day"
"""A key in a record's details: its day is that of the message, which named none."""

_SUBJECT_CHARS: Final = 60
_MOST_TOGETHER: Final = 12
"""The most clauses that are read together for each of them."""
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
"""Words before a sum that another one already includes."""
_FOR_LATER: Final = re.compile(
    r"\b(?:booked|reserved|up ?front|in advance|tickets?|tix|gebucht|reserviert|karten|im voraus|reserve|reservation|buchung|booking|d'avance|reserva|billets?|reservado|por adelantado|entradas?|billetes?)\b"
)
"""A payment for a coming day."""
_LONG_AGO_DAYS: Final = 60
_UNTIL: Final = re.compile(
    r"\b(?:until|till|to|through|valid|bis|bis zum|gultig|jusqu'(?:au?|en)|hasta)(?: (?:the|zum|den|le|el|end|ende|fin))*\W*$"
)
"""Words before the end of what was paid for."""
_BIRTHDAY: Final = re.compile(r"\b(?:birthday|geburtstag|anniversaire|cumpleanos)\b")
_COSTS: Final = re.compile(r"\b(?:costs?|kostet|kosten|coutent?|cuestan?|worth|wert)\s*$")
"""A price beside what was paid."""
_WAS: Final = re.compile(r"\b(?:was|war|etait|era|costaba)\s*$")
_NOW: Final = re.compile(r"\b(?:now|jetzt|nun|maintenant|ahora)\b|\((?:it )?(?:was|war|etait|era)\b")
_INVOICE_NUMBER: Final = re.compile(
    r"\b(?:invoice|rechnung|facture|factura)(?: (?:no\.?|nr\.?|number"
    r"|n°))? (?P<number>[A-Z0-9][A-Z0-9-]{2,19})\b(?! ?(?:€|\$|£|eur|usd|gbp|chf|dollar|pound))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Mail:
    """What a whole message says about each of its sums: the bill's number, due day and sender."""

    number: str | None
    due: date | None
    sender: str | None


def facts_of(reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
    """Return each sum with what is said about it, or the message as a note.

    A stranger's sum without a currency does not count, and a question states none.
    """
    reading = _as_stated(reading, household=household)
    sums = _told(reading) if household else _sums(reading)
    if not sums:
        return (_note(reading, household=household),)
    mail = _Mail(_bill_number(reading), documents.due_in(reading), documents.sender_in(reading))
    drafts = (_draft(*found, reading, mail, household=household) for found in sums[:MOST_FACTS])
    return _titled(tuple(drafts), reading) if household else tuple(drafts)


def states_a_sum(reading: Reading) -> bool:
    """Return whether `facts_of` finds a fact in a member's message, without making any."""
    return bool(_told(_as_stated(reading, household=True)))


def states_a_sum_of(sentence: Sentence, reading: Reading) -> bool:
    """Return whether a clause of a member's message states a fact there, beside the others."""
    if reading.subject or len(reading.sentences) > _MOST_TOGETHER:
        return states_a_sum(reading.only(sentence))
    return any(one.text == sentence.text for one, _ in _told(_as_stated(reading, household=True)))


def stated_by(reading: Reading, drafts: Sequence[RecordDraft]) -> int:
    """Return how many facts the message states, of which `drafts` may be the first."""
    if any(ASSUMED in draft.details for draft in drafts):
        reading = reading.in_currency()
    return max(len(drafts), len(_told(reading)))


def unmarked_in(reading: Reading) -> Amount | None:
    """Return the first sum without a currency."""
    return next((amount for sentence in reading.sentences for amount in sentence.unmarked), None)


def _as_stated(reading: Reading, *, household: bool) -> Reading:
    return reading.in_currency() if household and not is_question(reading) else reading


def _sums(reading: Reading) -> list[tuple[Sentence, Amount]]:
    return documents.without_parts([one for one in reading.sums if not _is_old(*one)], reading)


def _told(reading: Reading) -> list[tuple[Sentence, Amount]]:
    """Return the sums that a member says were paid, received or are due."""
    sums = _sums(reading)
    clauses = {id(sentence): sentence for sentence, _ in sums}
    told = {key for key, one in clauses.items() if not is_asked(one) and not of_a_plan(one, reading)}
    return [one for one in sums if id(one[0]) in told and not _is_only_planned(*one)]


def _is_only_planned(sentence: Sentence, amount: Amount) -> bool:
    """Return whether the words about one of several sums say that nobody spent it."""
    portion, _ = portion_of(sentence, amount)
    if portion is sentence:
        return False
    return is_planned(portion) or (spends_nothing(portion) and debt_of(sentence) is None)


def _is_old(sentence: Sentence, amount: Amount) -> bool:
    """Return whether it is a price beside what was paid, or part of another: "of which 12 for wine"."""
    before = sentence.folded[max(0, amount.start - _OLD_BEFORE_CHARS) : amount.start]
    if _PART_OF.search(before):
        return True
    if len(sentence.amounts) < 2:
        return False
    return bool(
        _INSTEAD_OF.search(before) or _COSTS.search(before) or (sentence.has(_NOW) and _WAS.search(before))
    )


def _bill_number(reading: Reading) -> str | None:
    found = reading.either(_INVOICE_NUMBER.search)
    return found["number"] if found and re.search(r"\d", found["number"]) else None


def _note(reading: Reading, *, household: bool) -> RecordDraft:
    """Return a message without a sum as a note, with its place and the expense it belongs to, if named."""
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
    """Return an event without a sum: "the plumber comes on Thursday between 8 and 10"."""
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
    ):  # the day of another clause belongs to what is told there
        when = When(reading.today)
    if kind == "expense" and (  # the day of a warranty, a ticket or a party, not of the payment
        when.day > reading.today or _is_for_later(when.day, reading) or _is_of_what_comes(sentence)
    ):
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


def _is_of_what_comes(sentence: Sentence) -> bool:
    """Return whether its day ends a span or is that of something to come: "paid until 30.6.", "it's the 26th"."""
    if sentence.day is None or _BIRTHDAY.search(sentence.folded):
        return False
    until = _UNTIL.search(sentence.folded, 0, sentence.day.start)
    return until is not None or comes_on(sentence.folded, sentence.day.start)


def _is_for_later(day: date, reading: Reading) -> bool:
    """Return whether its day is in the future, rather than months ago: "tickets for 11 December, 38 each"."""
    if (reading.today - day).days <= _LONG_AGO_DAYS:
        return False
    dated = (one for one in reading.sentences if any(named.before == day < named.after for named in one.days))
    return any(len(one.days) > 1 or reading.has(_FOR_LATER) for one in dated)


def _between(draft: RecordDraft, debt: Debt, sentence: Sentence, amount: Amount) -> RecordDraft:
    """Return the draft as a debt: the rest of the sentence is about the two people, not its purpose."""
    return replace(
        draft,
        title=told_purpose(sentence, amount),
        party=debt.other,
        details={**draft.details, **debt.details},
    )


def _titled(drafts: tuple[RecordDraft, ...], reading: Reading) -> tuple[RecordDraft, ...]:
    """Title a mail's only sum by its subject, if the body says nothing else."""
    [first, *others] = drafts
    subject = reading.subject
    if others or first.title is not None or first.kind == DEBT:
        return drafts
    if not 2 < len(subject) <= _SUBJECT_CHARS or _SAYS_NOTHING.match(fold(subject)):
        return drafts
    return (replace(first, title=subject),)
