# ruff: noqa: E501 - patterns stay on one line
"""The sum, the sender and the due day of a bill, an order or a ticket by mail (pure). EN, DE, FR, ES.

Invariant: if a document names a total, its parts are not counted beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from butler_specialist.understanding.money import Amount
from butler_specialist.understanding.prose import one_line
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["due_in", "due_of", "is_labelled", "sender_in", "without_parts"]

_LABEL: Final = re.compile(
    r"^\W*(?:(?:the |your |ihr |votre |tu |su )?(?:(?:order|grand|invoice|basket|final|new) )?(?:total|amount|balance|sum)(?: (?:due|payable|to pay|paid|charged|amount|price|including vat|incl\. vat))?"
    r"|(?:gesamt\w*|rechnungs?betrag|endbetrag|zahlbetrag|summe|betrag|zu zahlen(?:der betrag)?|brutto\w*)"
    r"|(?:montant|total|somme|net)(?: (?:total|ttc|a payer|a regler|du|de la commande))*|importe(?: (?:total|a pagar))?|total (?:a pagar|del pedido|factura)|price|preis|prix|precio)"
    r"\b[^\d€$£]{0,25}[€$£]? ?(?:eur|gbp|usd|chf)? ?\d"
)
_TOTAL: Final = re.compile(
    r"\b(?:total|due|payable|gesamt\w*|rechnungs?betrag|endbetrag|zahlbetrag|zu zahlen|ttc|a payer|a regler|a pagar)\b"
)
_PART: Final = re.compile(r"^\W*(?:sub-?total|zwischensumme|sous-total|netto\w*|total (?:ht|hors))\b")
_DUE: Final = re.compile(
    r"\b(?:due|payable|pay(?:ment)? by|paid by|fallig\w*|zahlbar|zahlungsziel|zu (?:be)?zahlen|bezahlen|echeance|a payer|a regler|vence|vencimiento|pagarl[oa]s?|a pagar|por pagar|antes del?)\b"
)
_DUE_ON: Final = re.compile(
    r"\b(?:due|payable|pay(?:ment|able)?|paid|fallig\w*|zahlbar|zahlung|(?:be)?zahlen|echeance|payer|regler|payable|vence|vencimiento|pagar\w*)"
    r"(?: (?:on|by|until|before|no later than|am|bis(?: zum| spatestens)?|zum|le|avant(?: le)?|au plus tard le|jusqu'au|el|antes del?|hasta el|dia))*\W*$"
)
_NEAR: Final = 40
_FROM: Final = re.compile(
    r"^\W*(?:from|von|de)\s*:\s*\"?(?P<who>[^<\"\n@]{2,60}?)\"?\s*(?:<|\[|\(|$)", re.IGNORECASE | re.MULTILINE
)
_MOST_CHARS: Final = 40


def without_parts(
    found: Sequence[tuple[Sentence, Amount]], reading: Reading
) -> list[tuple[Sentence, Amount]]:
    """Return the sums of a message; of a mail with a line for its total, only that."""
    labelled = [one for one in found if is_labelled(one[0])]
    if len(found) < 2 or not labelled or not reading.subject:
        return list(found)
    totals = [one for one in labelled if one[0].has(_TOTAL)] or labelled
    return [max(totals, key=lambda one: one[1].value)]


def is_labelled(sentence: Sentence) -> bool:
    """Return whether a line is only a sum and its name: "Amount due: 143.27 EUR"."""
    return len(sentence.text) <= 80 and sentence.has(_LABEL) and not sentence.has(_PART)


def due_in(reading: Reading) -> date | None:
    """Return the day of the clause that says when something is to be paid."""
    lines = (one for one in reading.sentences if one.days and one.has(_DUE))
    return next((one.days[0].on("future") for one in lines), None)


def due_of(sentence: Sentence, reading: Reading) -> date | None:
    """Return the due day that the line gives beside another: "for the work of 30 January, due 1 March"."""
    line = [(one, day) for one in reading.sentences if one.line == sentence.line for day in one.days]
    if len(line) < 2:
        return None
    due = [
        (one, day) for one, day in line if _DUE_ON.search(one.folded[max(0, day.start - _NEAR) : day.start])
    ]
    own = [(one, day) for one, day in due if one is sentence]
    return next((day.on("future") for _, day in own or due), None)


def sender_in(reading: Reading) -> str | None:
    """Return who sent the forwarded mail."""
    found = _FROM.search(reading.text)
    return one_line(found["who"].strip(), most=_MOST_CHARS) if found else None
