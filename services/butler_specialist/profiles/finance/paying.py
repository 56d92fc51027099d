# ruff: noqa: E501 - patterns stay on one line
"""Whether a bill is paid, what is open, whether somebody paid back: from the records alone (pure).

Invariant: "yes" is only said about a payment recorded under every word of the question; else the records are quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from butler_kit.wording.folding import fold, words
from butler_specialist.changes.named import fitting, named_in
from butler_specialist.changes.wording import Words
from butler_specialist.locale import noop
from butler_specialist.profiles.finance.debts import DEBT
from butler_specialist.profiles.finance.kinds import EXPENSE
from butler_specialist.questions.owing import YOU, sides
from butler_specialist.questions.periods import Period, period_of, period_words
from butler_specialist.questions.recognise import asks
from butler_specialist.store.model import Record
from butler_specialist.understanding.dates import day_text
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["kinds_asked", "open_rows", "paying_text"]

_PAID_OF: Final = ("bill", EXPENSE, DEBT)
"""The kinds that say whether something is paid."""
_BACK_OF: Final = (DEBT, "refund")
"""The kinds that say whether somebody paid back."""
_OTHERWISE: Final = re.compile(
    r"^\W*+(?:(?:and|und|et|y)\b\W*+)?(?:how|what|which|who|when|where|why|wie|was|welche\w*|wer|wann|wo|warum|combien|quel\w*|qui\b|qu'(?!est-ce que j)|quand|ou\b"
    r"|que\b|cuant\w*|cual\w*|quien\w*|cuando|donde)\b|\b(?:combien|salary|wages|gehalt|lohn|salaire|sueldo|nomina)\b"
)
"""Words that ask for more than a yes or a no."""
_PAID: Final = re.compile(
    r"\b(?:is|are|was|were|has|have) (?!i\b|we\b|he\b|she\b|they\b|it\b).{1,80}\b(?:paid|settled)\b(?! (?:me|us|back)\b)"
    r"|\b(?:did|have|has) (?:i|we|any(?:one|body)|some(?:one|body)) (?:already |ever |yet )*(?:pay|paid|settled?)\b"
    r"|\b(?:ist|sind|wurden?) .{1,80}\b(?:be|ge)zahlt\b|\b(?:ist|sind|wurden?) .{1,80}\b(?:beglichen|uberwiesen)\b"
    r"|\b(?:habe?|haben|hat) (?:ich|wir|man|jemand) .{1,80}\b(?:bezahlt|gezahlt|uberwiesen|beglichen)\b"
    r"|\b(?:est|sont)(?:-(?:il|elle|ils|elles))? (?:deja |bien |enfin )?(?:paye|regle)e?s?\b"
    r"|\b(?:(?:ai|a-t)-(?:je|on)|avons-nous|j'ai|on a) (?:deja |bien )?(?:paye|regle)\b"
    r"|\b(?:esta|estan) (?:ya )?pagad[oa]s?\b|\b(?:he|hemos|se ha|ha) (?:ya )?(?:sido )?pagad[oa]\b|\b(?:pague|pagamos)\b"
)
_OPEN: Final = re.compile(
    r"\b(?:what(?:'s| is| are)?|is anything)\b.{0,20}\b(?:open|unpaid|outstanding|overdue)\b"
    r"|\b(?:was ist|ist)\b.{0,20}\b(?:offen|unbezahlt|uberfallig)\w*"
    r"|\bqu'est-ce qui (?:est|reste)(?: encore)? (?:ouvert|impaye|a (?:payer|regler))|\bque reste-t-il a (?:payer|regler)|\bquelles factures (?:sont|restent)\b.{0,20}\b(?:impayees|ouvertes|a (?:payer|regler))"
    r"|\bque\b.{0,20}\b(?:pendientes?|por pagar|sin pagar)\b"
)
_BACK: Final = re.compile(
    r"\b(?:pay|paid|give|gave|given) (?:me|us)\b.{0,30}\bback\b|\bpaid back\b|\bzuruck(?:gezahlt|gegeben|bezahlt|uberwiesen)\b"
    r"|\b(?:m'a|nous a|m'a-t-(?:il|elle)|a-t-(?:il|elle)) .{0,20}(?:rembourse|rendu)\b|\b(?:devuelto|devolvio)\b"
)
_WORDLESS: Final = words(
    "bill bills invoice invoices rechnung rechnungen facture factures factura facturas pay yet everything anything ever still"
    " alles etwas schon bisher deja bien tout quelque chose est-ce que est-elle est-il elle ils elles avons ai-je a-t-on todo algo"
    " esta estan pagada pagadas pagados payees payes payer regle reglees regles enfin anyone anybody someone somebody jemand man"
    " wurde wurden sind haben hemos sido gezahlt this last next month week year diesen diese dieser monat woche jahr letzten mois"
    " moi semaine annee cette mes semana ano pasado derniere settled"
)
_NOT_YET: Final = noop("Not paid yet: {what}.")
_YES: Final = noop("Yes, paid on {day}: {what}.")
_BEFORE: Final = noop("Paid before: {what}.")
_NOTED_PAID: Final = noop("Noted as paid on {day}: {what}.")
_UNKNOWN: Final = noop(
    "Neither a bill nor a payment of “{subject}” is noted here, so I cannot say whether it is paid."
)
_NO_PAYMENT: Final = noop("No payment of that is noted {period}.")
_ALL_PAID: Final = noop("No unpaid bill is noted.")
_NOT_BACK: Final = noop("Not yet, as noted: {what}.")
_IS_BACK: Final = noop("Yes, paid back on {day}: {what}.")
_NO_DEBT: Final = noop("Neither such a debt nor a refund is noted here, so I cannot say.")


def kinds_asked(reading: Reading) -> tuple[str, ...]:
    """Return the kinds that answer a question about paying; empty if there is none."""
    if _asks_paid(reading) is not None or _asks_open(reading):
        return _PAID_OF
    return _BACK_OF if _asks_back(reading) else ()


def paying_text(rows: Sequence[Record], reading: Reading) -> str | None:
    """Say whether something is paid, what is not, or whether somebody paid back; None if none is asked."""
    if (sentence := _asks_paid(reading)) is not None:
        return _paid_text(sentence, rows, reading)
    if _asks_open(reading):
        return _open_text(rows, reading)
    return _back_text(rows, reading) if _asks_back(reading) else None


def _asks_paid(reading: Reading) -> Sentence | None:
    """Return the clause that asks whether something is paid."""
    if reading.sums:
        return None
    return next((one for one in reading.sentences if _is_asked(one, _PAID) and not one.has(_BACK)), None)


def _asks_open(reading: Reading) -> bool:
    """Return whether it asks what is not paid yet."""
    return any(asks(one) and one.has(_OPEN) for one in reading.sentences)


def _asks_back(reading: Reading) -> bool:
    """Return whether it asks if somebody gave money back."""
    return not reading.sums and any(_is_asked(one, _BACK) for one in reading.sentences)


def _is_asked(sentence: Sentence, pattern: re.Pattern[str]) -> bool:
    return asks(sentence) and sentence.has(pattern) and not sentence.has(_OTHERWISE)


def _paid_text(sentence: Sentence, rows: Sequence[Record], reading: Reading) -> str:
    """Say whether what the question names is paid; if it names nothing, what is not."""
    said, wanted = Words(reading.text, reading.usual), _named(sentence, reading)
    if not wanted:
        return _open_text(rows, reading)
    found, surely = _about(sentence, wanted, rows, reading)
    if not found:
        return said.tell(_UNKNOWN, subject=_in_its_words(sentence, wanted))
    if (period := period_of(reading)) is not None:
        found = [row for row in found if _is_in(_paid_on(row) or row.occurred_on, period)]
    return _state_text(found, period, reading, surely=surely)


def _state_text(rows: Sequence[Record], period: Period | None, reading: Reading, *, surely: bool) -> str:
    """Say what is not paid and what was paid last."""
    said, today = Words(reading.text, reading.usual), reading.today
    unpaid = [row for row in rows if _paid_on(row) is None]
    paid = [row for row in rows if _paid_on(row) is not None]
    paid.sort(key=lambda row: (_paid_on(row) or today, row.kind != EXPENSE, row.seq))
    if unpaid:
        before = [said.tell(_BEFORE, what=said.entry(paid[-1]))] if paid else []
        return " ".join([said.tell(_NOT_YET, what=said.entries(unpaid)), *before])
    if not paid:
        return said.tell(_NO_PAYMENT, period=period.label if period else "")
    day = day_text(_paid_on(paid[-1]) or today, said.language)
    return said.tell(_YES if surely else _NOTED_PAID, day=day, what=said.named(paid[-1]))


def open_rows(rows: Sequence[Record], reading: Reading) -> list[Record]:
    """Return the unpaid bills and the household's debts, the next first; nothing if that is not asked."""
    return _unpaid(rows, reading) if _asks_open(reading) else []


def _open_text(rows: Sequence[Record], reading: Reading) -> str:
    unpaid, said = _unpaid(rows, reading), Words(reading.text, reading.usual)
    return said.tell(_NOT_YET, what=said.entries(unpaid)) if unpaid else said.tell(_ALL_PAID)


def _unpaid(rows: Sequence[Record], reading: Reading) -> list[Record]:
    debts = [row for row in rows if row.kind == DEBT and sides(row, reading.whose)[0] == YOU]
    unpaid = [row for row in rows if row.kind == "bill"] + debts
    return sorted((row for row in unpaid if row.done_on is None), key=lambda row: (row.occurred_on, row.seq))


def _back_text(rows: Sequence[Record], reading: Reading) -> str | None:
    """Say whether a named person's debt was paid back; None if there is no such debt but a refund."""
    said, named = Words(reading.text, reading.usual), reading.folded
    debts = [row for row in rows if row.kind == DEBT and _names_one_of(named, row, reading)]
    unpaid = [row for row in debts if row.done_on is None]
    if unpaid:
        return said.tell(_NOT_BACK, what=said.entries(unpaid))
    if debts:
        last = max(debts, key=lambda row: (row.done_on or date.min, row.seq))
        day = day_text(last.done_on or reading.today, said.language)
        return said.tell(_IS_BACK, day=day, what=said.named(last))
    return None if any(row.kind == "refund" for row in rows) else said.tell(_NO_DEBT)


def _names_one_of(folded: str, row: Record, reading: Reading) -> bool:
    others = [side for side in sides(row, reading.whose) if side != YOU]
    return any(re.search(rf"\b{re.escape(fold(other))}\b", folded) for other in others)


def _in_its_words(sentence: Sentence, wanted: frozenset[str]) -> str:
    """Return what is asked about, as written."""
    spans = [(at, at + len(word)) for word in wanted if (at := sentence.folded.find(word)) >= 0]
    return sentence.text[min(start for start, _ in spans) : max(end for _, end in spans)] if spans else ""


def _named(sentence: Sentence, reading: Reading) -> frozenset[str]:
    """Return what is asked about, without the words for paying and for its period."""
    of_time = words(fold(period_words(sentence.text, reading.today)))
    return named_in(sentence).words - _WORDLESS - of_time


def _about(
    sentence: Sentence, wanted: frozenset[str], rows: Sequence[Record], reading: Reading
) -> tuple[list[Record], bool]:
    """Return the entries that have all of it, in any language; and whether they have it in their name."""
    owed = [row for row in rows if row.kind != DEBT or sides(row, reading.whose)[0] == YOU]
    named = named_in(sentence)
    found = fitting(type(named)(wanted), owed, date.max).rows
    called = [row for row in found if _is_called(row, wanted)]
    return (called or list(found)), bool(called)


def _is_called(row: Record, wanted: frozenset[str]) -> bool:
    called = fold(f"{row.title or ''} {row.party or ''} {row.place or ''}")
    return all(word in called for word in wanted)


def _paid_on(row: Record) -> date | None:
    return row.occurred_on if row.kind == EXPENSE else row.done_on


def _is_in(day: date, period: Period) -> bool:
    return (period.start is None or period.start <= day) and (period.end is None or day < period.end)
