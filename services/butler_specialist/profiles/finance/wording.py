# ruff: noqa: E501 - patterns stay on one line
"""The texts about sums just noted (pure): the sum, its purpose, the day, the month's total."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from butler_contracts.language import Language
from butler_specialist.locale import count, counted, noop, say
from butler_specialist.profiles.finance import places
from butler_specialist.profiles.finance.debts import DEBT, owed_text
from butler_specialist.profiles.finance.facts import ASSUMED, DAY, unmarked_in
from butler_specialist.profiles.finance.kinds import EXPENSE
from butler_specialist.profiles.finance.plans import plans_of
from butler_specialist.questions.periods import month_of
from butler_specialist.questions.wording import ended, in_sentences, quoted, when_text
from butler_specialist.store.model import Record, RecordDraft
from butler_specialist.understanding.money import amount_text, total_text
from butler_specialist.understanding.purpose import for_what
from butler_specialist.understanding.reading import Reading

__all__ = ["bill_text", "noted_text"]

_ALL_SHOWN: Final = 20
_FIRST_SHOWN: Final = 12
"""How many of a longer list the answer names; all are kept and counted."""
_BARE_SUM: Final = re.compile(r"\b\d{1,6}[.,]\d{2}\b(?![.,]\d)|\A\W*\d{1,6}\W*\Z")
_SHARED: Final = re.compile(
    r"\b(?:split|shared?|geteilt|teilen?|partage\w*|a medias|halbe[- ]halbe|moitie[- ]moitie|fifty[- ]fifty|went halves|compart\w+|divid\w*|repart\w*)\b"
)

_DATED: Final = {
    EXPENSE: noop("{total}{what} on {day}."),
    "bill": noop("a bill of {total}{what}, due on {day}."),
    "subscription": noop("a subscription of {total}{what}, on {day}."),
    "refund": noop("a refund of {total}{what} on {day}."),
    "income": noop("income of {total}{what} on {day}."),
}
_UNDATED: Final = {
    "bill": noop("a bill of {total}{what}, without a due date."),
    "subscription": noop("a subscription of {total}{what}."),
}
_IN_ALL: Final = {
    EXPENSE: counted("{number} expense of {total} in all", "{number} expenses of {total} in all"),
    "bill": counted("{number} bill of {total} in all", "{number} bills of {total} in all"),
    "subscription": counted(
        "{number} subscription of {total} in all", "{number} subscriptions of {total} in all"
    ),
    "refund": counted("{number} refund of {total} in all", "{number} refunds of {total} in all"),
    "income": counted("{number} income of {total} in all", "{number} incomes of {total} in all"),
    DEBT: counted("{number} debt of {total} in all", "{number} debts of {total} in all"),
}
_NO_AMOUNT: Final = noop("no amount could be read in {quote}, so it is kept as a note.")
_NO_SUM: Final = noop(
    "no amount could be read in {quote} (nothing says that its number is a sum), so it is kept as a note."
)
_UNMARKED: Final = noop(
    "no amount could be read in {quote} (its number has no currency), so it is kept as a note."
)
_PLANNED: Final = noop("{quote} is kept as a note. It tells of a plan, so no sum is counted.")
_NO_CURRENCY: Final = noop(
    "no currency is named for {number} in {quote} and the household has none (`household.currency` of the"
    " Switchboard), so it is kept as a note and not counted; “{number} EUR” would be."
)


def noted_text(
    drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading, *, household: bool
) -> str:
    """Return a sentence per fact; for a member's message also the month's total."""
    language = reading.language
    if drafts[0].amount is None and drafts[0].occurred_at is not None:
        when = when_text(drafts[0].occurred_on, drafts[0].occurred_at, language)
        quote = quoted(drafts[0].text, language=language)
        return ended(say(language, "Noted for {when}: {quote}", when=when, quote=quote))
    shown = drafts if len(drafts) <= _ALL_SHOWN else drafts[:_FIRST_SHOWN]
    said = in_sentences(
        [places.place_text(draft, rows, language) or _sentence_for(draft, reading) for draft in shown]
    )
    if len(drafts) > len(shown):
        more, whole = len(drafts) - len(shown), _in_all(drafts, language)
        said += " " + say(language, "And {number} more: {all}.", number=more, all=whole)
    if not household:
        return f"{said} {_recorded_text(drafts, reading)}"
    remarks = (
        _assumed_text(drafts, language),
        _shared_text(drafts, reading),
        _month_text(drafts, rows, reading),
    )
    return " ".join([say(language, "Noted: {facts}", facts=said), *filter(None, remarks)])


def _recorded_text(drafts: Sequence[RecordDraft], reading: Reading) -> str:
    """Return what the owner is told besides the facts of a stranger's message."""
    language = reading.language
    only = say(language, "Recorded only: nothing was paid and nobody answered.")
    if drafts[0].amount is None:
        return only
    quote = quoted(reading.text, language=language)
    return only + " " + say(language, "It says: {quote}", quote=quote)


def _in_all(drafts: Sequence[RecordDraft], language: Language) -> str:
    """Return the totals of a long list, by kind."""
    sums: dict[str, list[tuple[Decimal, str]]] = {}
    for draft in drafts:
        if draft.amount is not None and draft.currency:
            sums.setdefault(draft.kind, []).append((draft.amount, draft.currency))
    return ", ".join(
        count(language, *_IN_ALL[kind], len(of), total=total_text(of, language)) for kind, of in sums.items()
    )


def _sentence_for(draft: RecordDraft, reading: Reading) -> str:
    if draft.amount is None or draft.currency is None:
        return _unread_text(draft, reading)
    return _sum_text(draft, draft.amount, draft.currency, reading.language)


def bill_text(draft: RecordDraft, language: Language) -> str:
    """Return `a bill of 84.20 EUR for electricity, due on Friday, 27 November 2026.`

    Its amount and currency are known.
    """
    if draft.amount is None or draft.currency is None:
        return quoted(draft.text, language=language)
    return _sum_text(draft, draft.amount, draft.currency, language)


def _sum_text(draft: RecordDraft, amount: Decimal, currency: str, language: Language) -> str:
    total, what = amount_text(amount, currency, language), for_what(draft.title, language)
    if draft.party and draft.party not in (draft.title or "") and draft.kind != DEBT:
        what += f" ({draft.party})"
    if draft.kind == "bill":
        what = _numbered(what, draft.code, language)
    unsaid, day = DAY in draft.details, when_text(draft.occurred_on, draft.occurred_at, language)
    text = _UNDATED.get(draft.kind) if unsaid else None
    if draft.kind == DEBT:
        who = str(draft.details["debtor"]), str(draft.details["creditor"])
        said = owed_text(*who, total, what, language)
        return say(language, "{debt} (noted for {day}).", debt=said, day=day)
    return say(language, text or _DATED[draft.kind], total=total, what=what, day=day)


def _numbered(what: str, number: str | None, language: Language) -> str:
    if not number or number in what:
        return what
    said = say(language, "no. {number}", number=number)
    return f"{what[:-1]} {said})" if what.endswith(")") else f"{what} ({said})"


def _unread_text(draft: RecordDraft, reading: Reading) -> str:
    language = reading.language
    unmarked, quote = unmarked_in(reading), quoted(reading.text, language=language)
    if plans_of(reading):
        return say(language, _PLANNED, quote=quote)
    if unmarked is not None and not reading.currency:
        return say(language, _NO_CURRENCY, number=unmarked.value, quote=quote)
    text = _NO_AMOUNT
    if _BARE_SUM.search(reading.text):
        text = _NO_SUM if reading.currency else _UNMARKED
    return say(language, text, quote=quote)


def _assumed_text(drafts: Sequence[RecordDraft], language: Language) -> str:
    """Say which currency was assumed if none was named."""
    taken = [draft.currency for draft in drafts if ASSUMED in draft.details]
    text = noop("No currency was named; I took {currency}, the household's.")
    return say(language, text, currency=taken[0]) if taken else ""


def _shared_text(drafts: Sequence[RecordDraft], reading: Reading) -> str:
    shared = reading.has(_SHARED) and any(draft.kind == EXPENSE for draft in drafts)
    text = noop("That is the whole sum: I do not work out who owes which share.")
    return say(reading.language, text) if shared else ""


def _month_text(drafts: Sequence[RecordDraft], rows: Sequence[Record], reading: Reading) -> str:
    spent = [draft for draft in drafts if draft.kind == EXPENSE]
    if not spent:
        return ""
    language = reading.language
    month = month_of(spent[0].occurred_on, language)
    counted = [*rows, *(draft for draft in spent if _within(draft.occurred_on, month.start, month.end))]
    sums = [(item.amount, item.currency) for item in counted if item.amount is not None and item.currency]
    total = total_text(sums, language)
    if _within(reading.today, month.start, month.end):
        return say(language, "This month so far: {total}.", total=total)
    return say(language, "Spent {period}: {total}.", period=month.label, total=total)


def _within(day: date, start: date | None, end: date | None) -> bool:
    return (start is None or start <= day) and (end is None or day < end)
