# ruff: noqa: E501 - patterns stay on one line
"""Which household member paid, if not the sender, and whose expenses a question is about (pure)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_kit.wording.folding import fold
from butler_specialist.store.model import Record
from butler_specialist.understanding.household import Whose, teller_key
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["PAYER", "asked_payer", "of_payer", "payer_of", "refunded_by", "without_name"]

PAYER: Final = "payer"
"""A key in a record's details: the name of the member who paid."""
_PAID: Final = (
    r"(?:has |have |just |already )*(?:paid|bought|spent|got|picked up|hat\b[^.!?]{1,80}\b(?:bezahlt|gezahlt|gekauft|ausgegeben|geholt)"
    r"|a (?:deja )?(?:paye|achete|depense)|ha (?:pagado|comprado|gastado)|pago|compro|gasto)"
)
_A_PART: Final = re.compile(
    r"\b(?:half|a third|a quarter|a part|(?:his|her|their) (?:share|part)|halfte|drittel|viertel|(?:seinen|ihren) (?:an)?teil|einen teil"
    r"|moitie|un tiers|un quart|(?:sa|leur) part|mitad|un tercio|su parte)\b"
)
_SPENT: Final = (
    r"\b(?:did|has|have) {name} (?:spend|spent|pay|paid|buy|bought)\b|\bhat {name}\b[^.!?]{{0,60}}\b(?:ausgegeben|bezahlt|gezahlt)\b"
    r"|\b{name} (?:a (?:depense|paye)|ha gastado|ha pagado|gasto|pago)\b|\b(?:a (?:depense|paye)|ha gastado|ha pagado|gasto|pago) {name}\b"
    r"|\b{name}(?:'s| s|s) (?:expenses|spending|ausgaben)\b|\b(?:ausgaben von|depenses de|gastos de) {name}\b"
)

_REFUNDED: Final = re.compile(
    r"^\W*(?:(?:the|die|der|das|la|le|el|los|las) |l')?(?P<who>[^\W\d_][\w'&.-]*)"
    r" (?:has |have |just )*(?:refunded|reimbursed|m'a|nous a|m'ont|hat (?:mir|uns)|haben (?:mir|uns)|me|nos)\b"
)


def refunded_by(sentence: Sentence) -> str | None:
    """Return the shop that refunded money."""
    found = _REFUNDED.match(sentence.folded)
    return sentence.text[found.start("who") : found.end("who")] if found else None


def payer_of(sentence: Sentence, whose: Whose) -> str | None:
    """Return the member who paid all of it, by the stored name; None for the sender and for non-members."""
    if sentence.has(_A_PART):
        return None
    for name in whose.known:
        if sentence.has(re.compile(rf"\b{re.escape(fold(name))} {_PAID}\b")):
            return whose.kept(name)
    return None


def without_name(title: str | None, whose: Whose) -> str | None:
    """Return the title without a leading payer's name."""
    for name in whose.known:
        if title is not None and fold(title).startswith(f"{fold(name)} "):
            return title[len(name) + 1 :]
    return title


def asked_payer(reading: Reading) -> str | None:
    """Return the key of the member whose expenses are asked for."""
    for name in reading.whose.known:
        if re.search(_SPENT.format(name=re.escape(fold(name))), reading.folded):
            return reading.whose.contact(name)
    return None


def of_payer(rows: Sequence[Record], payer: str, whose: Whose) -> list[Record]:
    """Return the rows that the member paid: attributed to them, or told by them without another name."""
    return [row for row in rows if _payer(row, whose) == payer]


def _payer(row: Record, whose: Whose) -> str:
    told = row.details.get(PAYER)
    return whose.key(str(told)) if told else teller_key(row.contact_id, row.channel, row.sender)
