# ruff: noqa: E501 - patterns stay on one line
"""Which kind of money fact a sentence states (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_specialist.profiles.finance.debts import DEBT, debt_of, returned_by
from butler_specialist.profiles.finance.plans import is_owed_still
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["EXPENSE", "KINDS", "kind_of"]

EXPENSE: Final = "expense"
KINDS: Final = (EXPENSE, "bill", "subscription", "refund", "income", DEBT)

_REFUND: Final = re.compile(
    r"\b(?:refund\w*|reimburse\w*|money back|(?:gave|given|paid) (?:me|us)\b.{0,20}\bback|got\b.{0,30}\bback|zuruck(?:bekommen|erhalten)"
    r"|erstatt\w*|ruckerstatt\w*|zuruckgezahlt|zuruckuberwiesen|gutschrift"
    r"|rembours\w*|reembols\w*|devol(?:vi\w*|ucion)|(?:me|nos) (?:l[oa]s? )?(?:han|ha) devuelto|m'(?:en )?(?:a|ont) rendu|(?:hat|haben) (?:mir|uns)\b.{0,40}\bzuruckgegeben)"
)
_INCOME: Final = re.compile(
    r"\b(?:my|our|the|mein\w*|unser\w*|mon|notre|mi|nuestr[oa]) (?:client|customer|kunde|kundin|kunden|cliente|clienta) (?:has |finally |just |hat |a |ha )*(?:paid|pays|zahlt|bezahlt|gezahlt|paye|pagado|pago)\b"
    r"|\bpaid (?:the|our|my) (?:invoice|bill)\b[^.!?]{0,40}\b(?:landed|came in|came through|arrived|in the account)\b"
    r"|\b(?:salary|wages|payslip|pay ?che(?:ck|que)|got paid|was paid|were paid|gets? paid|bonus|income|earned|sold"
    r"|received a payment|gehalt|lohn|rente (?:ist|kam)|kindergeld|einnahme|verdient|verkauft|uberwiesen bekommen"
    r"|salaire|bourse|allocations?|vendu|gagne|j'ai touche|on a touche|m'a (?:vire|verse)|m'ont (?:paye|vire|verse)"
    r"|sueldo|nomina|beca|vendi(?:do)?|ganado|gane|cobrado|cobre|me (?:han )?(?:pagado|pagaron|ingresado|ingresaron))\b"
    r"|\b(?:got|received|bekommen|j'ai recu|he recibido|recibi) (?:a |an )?(?:[€$£] ?\d|\d+[.,]\d|\d{2}|\d ?(?:€|eur\b|euros?\b|quid\b))"
    r"|\b(?:found|trouve|encontre|encontrado|encontramos) (?:an? |another |un |une |unos )?(?:[€$£] ?)?\d|\d ?(?:€|eur|euros?)\b[^.!?\d]{0,40}\bgefunden\b"
    r"|\d ?(?:€|eur|euros?)?,? (?:(?:have |has |ist |sind |sont |est |han |ha |heute |gestern |auf dem konto )*)(?:came in|come in|came through|eingegangen|arrivee?s? sur|llegado|entrado)\b"
    r"|\b(?:gave|sent) (?:me|us) \W?\d|\b(?:m'a|nous a|m'ont) (?:donne|offert|envoye) \W?\d"
    r"|\b(?:me|nos) (?:ha dado|han dado|dio|dieron|regalo) \W?\d|\b(?:hat|haben) (?:mir|uns) [^.!?]{0,20}\d[^.!?]{0,50}(?:gegeben|geschenkt|zugesteckt|uberwiesen)\b|\bwon \W?\d|\bgewonnen\b"
)
_PAID: Final = re.compile(
    r"\b(?:paid|spent|bought|receipt|purchased|(?:be|ge)zahlt|gekauft|ausgegeben|quittung|kassenbon"
    r"|paye[es]?|achete|depense|ticket de caisse|recu"
    r"|pagado|pague|pagamos|gaste|gastado|compre|comprado|recibo|cost me|cost us|hat gekostet)\b"
)
_SUBSCRIPTION: Final = re.compile(
    r"\b(?:subscription|membership|renews?|renewal|abo|abonnement|mitgliedschaft|suscripcion|monthly fee"
    r"|verlangert|a month|per month|monthly|im monat|pro monat|monatlich|par mois|mensuel\w*|al mes|mensual\w*"
    r"|a year|per year|yearly|im jahr|pro jahr|jahrlich|par an|al ano|subs)\b"
)
_BILL: Final = re.compile(
    r"\b(?:bill|invoice|rechnung|mahnung|facture|factura|due|fallig|zahlbar|echeance|vence|to pay"
    r"|please pay|pay|owe|outstanding|uberweis\w*"
    r"|a payer|a regler|por pagar|hay que pagar\w*|must be paid|to be paid|zu (?:be)?zahlen|rent|miete|loyer|alquiler"
    r"|reminder|instalment|direct debit)\b"
)

_TO_PAY: Final = re.compile(
    r"\b(?:zieht|bucht|ziehen|buchen)\b[^!?]{0,60}\bab\b|\b(?:wird|werden)\b[^!?]{0,40}\b(?:abgebucht|eingezogen)\b|\bva (?:etre )?prelev\w+|\bprelevee?s? le \d|\bse (?:cobra|cargara|carga) el\b|\b(?:lo|la|los|las|me lo|nos lo) (?:cobran|cobraran|cargan|cargaran|pasan) el\b|\bwill be (?:debited|charged|taken)\b|\bse pagan? el \d"
    r"|\bneeds? [€$£]?\d[\d.,]* ?(?:€|eur|euros?|quid|pounds?)?\b.{0,60}\b(?:by|until)\b|\bbrauch\w* .{0,60}\bbis\b|\b(?:a|ai|avons) besoin d.{0,60}\bavant\b|\bnecesita\w* .{0,60}\bantes\b"
    r"|\b(?:must be paid|(?:has|have|needs?) to be paid|to be paid|zu (?:be)?zahlen|bezahlt werden|a payer|a regler"
    r"|hay que pagar\w*|por pagar|a pagar|still (?:have|need) to pay|due (?:on|by)|payable|zahlbar|fallig"
    r"|vencimiento)\b"
)
"""Something to pay, whatever else was paid."""
_WAS: Final = re.compile(r"\b(?:was|were|war|waren|etait|etaient|fue|fueron|era|eran|cobro|cobraron)\b")
"""A past price has been paid, unless something says that it is due."""
_PAPER: Final = re.compile(
    r"\b(?:bill|invoice|rechnung|facture|factura|recibo|amount due|montant|importe|betrag|\w*betrag)\b"
)


_PAPER_CAME: Final = re.compile(
    r"\b(?:bill|invoice|\w*rechnung|facture|factura|recibo|mahnung)\b[^.!?]{0,60}\b(?:came|come|arrived|(?:ist|sind) da|gekommen|eingegangen|arrivee?|llegado|llego)\b"
)
"""A received bill is money to pay."""
_NOT_REFUNDED: Final = re.compile(
    r"\b(?:non|pas|not|nicht|kein\w*|no|sin|sans)\W+(?:\w+ )?(?:refund\w*|reimburse\w*|rembours\w*|erstatt\w*|reembols\w*|devol\w+)"
)


def kind_of(
    sentence: Sentence, reading: Reading, *, household: bool, portions: Sequence[Sentence] = ()
) -> str:
    """Return the kind of a sum in `sentence`; a stranger's is at most a demand.

    If each sum has `portions` of it, the sum's own last: the nearest one up to its own that names a kind decides.
    """
    for one in reversed(portions) if household else ():
        if any(one.has(said) for said in (_REFUND, _INCOME, _PAID)):
            return kind_of(one, reading, household=household)
    for kind, pattern in ((("refund"), _REFUND), ("income", _INCOME)):
        if sentence.has(pattern) and not _is_none(kind, sentence):
            return kind
    if not household:
        return "bill"
    return _between_people(sentence) or _of_a_member(sentence, reading)


def _is_none(kind: str, sentence: Sentence) -> bool:
    """Return whether a word for income means the contrary: a bill came, a part is not refunded."""
    if kind == "income":
        return sentence.has(_PAPER_CAME) and not sentence.has(_PAID)
    return sentence.has(_NOT_REFUNDED)


def _between_people(sentence: Sentence) -> str | None:
    if returned_by(sentence) is not None:
        return "refund"
    return DEBT if debt_of(sentence) is not None else None


def _of_a_member(sentence: Sentence, reading: Reading) -> str:
    if sentence.has(_PAPER_CAME) and not sentence.has(_PAID):
        return "bill"
    if is_owed_still(sentence, reading):
        return "bill"
    if sentence.has(_TO_PAY) or (sentence.has(_PAPER) and reading.has(_TO_PAY)):
        return "bill"
    if sentence.has(_PAID):
        return EXPENSE
    for kind, pattern in (("subscription", _SUBSCRIPTION), ("bill", _BILL)):
        if sentence.has(pattern):
            return kind
    if reading.has(_PAID) or (sentence.has(_WAS) and not sentence.has(_PAPER)):
        return EXPENSE
    return "bill" if reading.has(_BILL) else EXPENSE
