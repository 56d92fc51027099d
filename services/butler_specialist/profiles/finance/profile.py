"""Money matters: which sums a message states, and what is said of them (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from butler_specialist.profiles.finance import places, questions
from butler_specialist.profiles.finance.kinds import EXPENSE, kind_of
from butler_specialist.profiles.profile import MOST_FACTS, Lookup, Profile
from butler_specialist.questions.periods import month_of
from butler_specialist.questions.wording import count_text, in_sentences, quoted, when_text
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.money import Amount, amount_text, total_text
from butler_specialist.understanding.purpose import for_what, party_of, purpose_of
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["FinanceProfile"]

_ALL_SHOWN: Final = 20
_FIRST_SHOWN: Final = 12
"""Of a longer list the first are named in the answer, all are kept and counted."""
_INSTEAD_OF: Final = re.compile(r"\b(?:instead of|statt|au lieu de|en vez de)\s*$")
_OLD_BEFORE_CHARS: Final = 40
_WAS: Final = re.compile(r"\b(?:was|war|etait|era|costaba)\s*$")
_NOW: Final = re.compile(r"\b(?:now|jetzt|nun|maintenant|ahora)\b|\((?:it )?(?:was|war|etait|era)\b")
_BARE_SUM: Final = re.compile(r"\b\d{1,6}[.,]\d{2}\b(?![.,]\d)|\A\W*\d{1,6}\W*\Z")
_INVOICE_NUMBER: Final = re.compile(
    r"\b(?:invoice|rechnung|facture|factura)(?: (?:no\.?|nr\.?|number"
    r"|n°))? (?P<number>[A-Z0-9][A-Z0-9-]{2,19})\b",
    re.IGNORECASE,
)


class FinanceProfile(Profile):
    """Receipts, invoices, bills and subscriptions."""

    name = "finance"
    triggers = ("receipts", "invoices", "bills", "subscriptions")

    def asked(self, reading: Reading) -> Lookup | None:
        return questions.lookup(reading)

    def answer(self, reading: Reading, rows: Sequence[Record]) -> str:
        return questions.answer(reading, rows)

    def compose(self, reading: Reading, *, household: bool) -> tuple[RecordDraft, ...]:
        sums = _sums(reading)
        if not sums:
            return (_note(reading, household=household),)
        number = _bill_number(reading)
        return tuple(
            _draft(sentence, amount, reading, number=number, household=household)
            for sentence, amount in sums[:MOST_FACTS]
        )

    def stated(self, reading: Reading, drafts: Sequence[RecordDraft]) -> int:
        return max(len(drafts), len(_sums(reading)))

    def compared_with(self, drafts: Sequence[RecordDraft], reading: Reading) -> Lookup | None:
        if "expense" in drafts[0].details:
            return places.recent(reading)
        days = [draft.occurred_on for draft in drafts if draft.kind == EXPENSE]
        if not days:
            return None
        month = month_of(days[0])
        return Lookup((EXPENSE,), month.start, month.end)

    def settled(self, drafts: Sequence[RecordDraft], rows: Sequence[Record]) -> tuple[RecordDraft, ...]:
        return tuple(places.placed(draft, rows) if "expense" in draft.details else draft for draft in drafts)

    def acknowledge(
        self, drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
    ) -> str:
        shown = drafts if len(drafts) <= _ALL_SHOWN else drafts[:_FIRST_SHOWN]
        said = in_sentences(
            [places.place_text(draft, rows) or _sentence_for(draft, reading) for draft in shown]
        )
        if len(drafts) > len(shown):
            said += f" And {len(drafts) - len(shown)} more: {_in_all(drafts)}."
        if not household:
            says = f" It says: {quoted(reading.text)}" if drafts[0].amount is not None else ""
            return f"{said} Recorded only: nothing was paid and nobody answered.{says}"
        month = _month_text(drafts, rows, reading)
        return f"Noted: {said}{f' {month}' if month else ''}"


def _sums(reading: Reading) -> list[tuple[Sentence, Amount]]:
    return [(sentence, amount) for sentence, amount in reading.sums if not _is_old(sentence, amount)]


def _bill_number(reading: Reading) -> str | None:
    found = reading.either(_INVOICE_NUMBER.search)
    return found["number"] if found and re.search(r"\d", found["number"]) else None


def _in_all(drafts: Sequence[RecordDraft]) -> str:
    """What a long list comes to, by kind."""
    kinds = list(dict.fromkeys(draft.kind for draft in drafts))
    return ", ".join(
        f"{count_text(len(of), kind)} of {total_text(of)} in all"
        for kind in kinds
        if (
            of := [
                (d.amount, d.currency)
                for d in drafts
                if d.kind == kind and d.amount is not None and d.currency
            ]
        )
    )


def _is_old(sentence: Sentence, amount: Amount) -> bool:
    """A price that is only named because it no longer holds: beside the one that does."""
    if len(sentence.amounts) < 2:
        return False
    before = sentence.folded[max(0, amount.start - _OLD_BEFORE_CHARS) : amount.start]
    return bool(_INSTEAD_OF.search(before) or (_WAS.search(before) and sentence.has(_NOW)))


def _note(reading: Reading, *, household: bool) -> RecordDraft:
    """A message without a sum; where it names a place and the expense that it belongs to, so does the note."""
    party = reading.either(party_of)
    named = places.expense_named(reading) if party and household else None
    return RecordDraft(
        kind="note",
        occurred_on=reading.today,
        text=reading.text,
        party=party,
        details={"expense": named} if named else {},
    )


def _draft(
    sentence: Sentence, amount: Amount, reading: Reading, *, number: str | None, household: bool
) -> RecordDraft:
    kind = kind_of(sentence, reading, household=household)
    coming = kind in ("bill", "subscription")
    day, named = reading.day_for(sentence, "future" if coming else "past")
    return RecordDraft(
        kind=kind,
        occurred_on=day,
        title=purpose_of(sentence, amount),
        amount=amount.value,
        currency=amount.currency,
        party=party_of(sentence.text),
        code=number if kind == "bill" else None,
        details={} if named else {"day": "of the message"},
        text=reading.text_of(sentence),
    )


def _sentence_for(draft: RecordDraft, reading: Reading) -> str:
    if draft.amount is None or draft.currency is None:
        why = " (its number has no currency)" if _BARE_SUM.search(reading.text) else ""
        kept = f"so it is kept as a note of {when_text(draft.occurred_on)}"
        return f"no amount could be read in {quoted(reading.text)}{why}, {kept}."
    total, what = amount_text(draft.amount, draft.currency), for_what(draft.title)
    if draft.party and draft.party not in (draft.title or ""):
        what += f" ({draft.party})"
    unsaid = bool(draft.details)
    match draft.kind:
        case "bill":
            number = f" (no. {draft.code})" if draft.code and draft.code not in what else ""
            due = "; no due date could be read" if unsaid else f", due on {day_text(draft.occurred_on)}"
            return f"a bill of {total}{what}{number}{due}."
        case "subscription":
            day = "; no day could be read" if unsaid else f", on {day_text(draft.occurred_on)}"
            return f"a subscription of {total}{what}{day}."
        case "refund":
            return f"a refund of {total}{what} on {day_text(draft.occurred_on)}."
        case "income":
            return f"income of {total}{what} on {day_text(draft.occurred_on)}."
    return f"{total}{what} on {day_text(draft.occurred_on)}."


def _month_text(drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading) -> str:
    spent = [draft for draft in drafts if draft.kind == EXPENSE]
    if not spent:
        return ""
    month = month_of(spent[0].occurred_on)
    counted = [*rows, *(draft for draft in spent if _within(draft.occurred_on, month.start, month.end))]
    total = total_text(
        [(item.amount, item.currency) for item in counted if item.amount is not None and item.currency]
    )
    if _within(reading.today, month.start, month.end):
        return f"This month so far: {total}."
    return f"Spent {month.label}: {total}."


def _within(day: date, start: date | None, end: date | None) -> bool:
    return (start is None or start <= day) and (end is None or day < end)
