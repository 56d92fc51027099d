"""Which kind of money matter a sentence speaks of (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from typing import Final

from butler_specialist.profiles.finance.debts import DEBT, debt_of, returned_by
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["EXPENSE", "KINDS", "kind_of"]

EXPENSE: Final = "expense"
KINDS: Final = (EXPENSE, "bill", "subscription", "refund", "income", DEBT)

_REFUND: Final = re.compile(
    r"\b(?:refund\w*|reimburse\w*|money back|got\b.{0,30}\bback|zuruck(?:bekommen|erhalten)"
    r"|erstatt\w*|ruckerstatt\w*|zuruckgezahlt|gutschrift"
    r"|rembours\w*|reembols\w*|devol(?:vi\w*|ucion))"
)
_INCOME: Final = re.compile(
    r"\b(?:salary|wages|payslip|got paid|was paid|were paid|gehalt|lohn|salaire|sueldo|nomina|income"
    r"|einnahme|earned|verdient|received a payment)\b"
)
_PAID: Final = re.compile(
    r"\b(?:paid|spent|bought|receipt|purchased|(?:be|ge)zahlt|gekauft|ausgegeben|quittung|kassenbon"
    r"|paye[es]?|achete|depense|ticket de caisse|recu"
    r"|pagado|pague|pagamos|gaste|gastado|compre|comprado|recibo|cost me|cost us|hat gekostet)\b"
)
_SUBSCRIPTION: Final = re.compile(
    r"\b(?:subscription|membership|renews?|renewal|abo|abonnement|mitgliedschaft|suscripcion|monthly fee"
    r"|verlangert|a month|per month|im monat|par mois|al mes)\b"
)
_BILL: Final = re.compile(
    r"\b(?:bill|invoice|rechnung|mahnung|facture|factura|due|fallig|zahlbar|echeance|vence|to pay"
    r"|please pay|pay|owe|outstanding|uberweis\w*"
    r"|a payer|por pagar|rent|miete|loyer|alquiler|reminder)\b"
)


def kind_of(sentence: Sentence, reading: Reading, *, household: bool) -> str:
    """The kind of a sum in `sentence`; what a stranger writes is at most a demand."""
    for kind, pattern in ((("refund"), _REFUND), ("income", _INCOME)):
        if sentence.has(pattern):
            return kind
    if not household:
        return "bill"
    if returned_by(sentence) is not None:
        return "refund"
    if debt_of(sentence) is not None:
        return DEBT
    if sentence.has(_PAID):
        return EXPENSE
    for kind, pattern in (("subscription", _SUBSCRIPTION), ("bill", _BILL)):
        if sentence.has(pattern):
            return kind
    if reading.has(_PAID):
        return EXPENSE
    return "bill" if reading.has(_BILL) else EXPENSE
