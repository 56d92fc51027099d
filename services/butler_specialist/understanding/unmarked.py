# ruff: noqa: E501 - patterns stay on one line
"""Sums told without a currency: "Spent 23,40 at Lidl" (pure). EN, DE, FR, ES.

A number is one only in a sentence about paying, a price or a shop. With two decimal places (or the mark "35,-") it
may stand anywhere there; a whole number only directly after the word that says so, or after another sum: "25 at
Boots and 60 at H&M". What reads as a time, a day, a measure, a count, a number of a booking, a room or a phone is
never one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from butler_specialist.understanding.money import MOST_SUMS, NUMBER, Amount, number_of
from butler_specialist.understanding.purchases import names_a_purchase
from butler_specialist.understanding.slang import slang_sums

__all__ = [
    "CLOCK",
    "FOUND",
    "NUMBERED_PAPER",
    "amount_of",
    "around",
    "closing_sum",
    "covered",
    "is_exact",
    "may_be",
    "sums_beside",
    "unmarked_sums",
    "within",
]

_LARGEST: Final = 100_000
_AROUND: Final = 90
"""How far around a number the words that classify it are looked for."""

_PAYING: Final = (
    r"paid|pays?|spent|spend|costs?|came to|comes to|lent|owes?|tipped|earned|refunded|reimbursed|charged|borrowed|(?:be|ge)zahlt"
    r"|ausgegeben|gelassen|(?:ge)?kostet|kosten|schulde[tn]?|verdient|uberwiesen|geliehen|erstattet|zuruckbekommen"
    r"|paye|depense|coutent|coute|prete|doit|dois|devons|emprunte|rembourse|laisse|touche"
    r"|pague|pago|pagado|pagamos|gaste|gastado|gastamos|cuestan?|costo|costado|preste|prestado|debe|debo|debemos"
    r"|devolvio|devuelto|devolvieron|dejado|cobrado|ingresado"
)
_BUYING: Final = r"bought|purchased|gekauft|achete|compre|comprado|compramos"
_PRICED: Final = (
    r"bill|price|rent|fee|fare|invoice|receipt|salary|wages|subscription|membership|refund|deposit|bonus"
    r"|rechnung|preis|miete|gebuhr|beitrag|quittung|kassenbon|gehalt|lohn|abo|trinkgeld|erstattung"
    r"|facture|prix|loyer|recu|ticket de caisse|salaire|abonnement"
    r"|factura|precio|alquiler|recibo|sueldo|nomina|suscripcion"
)
_EACH: Final = (
    r"(?:a|per|each|every|pro|im|jeden|par|al|por) (?:month|year|week|monat|jahr|woche|mois|an|mes|ano)\b"
)
_MONEY: Final = re.compile(rf"\b(?:{_PAYING}|{_BUYING}|{_PRICED})\b(?!')|{_EACH}")

FOUND: Final = re.compile(
    rf"(?<![\w.,:/#°+*=&@-])(?P<number>{NUMBER})(?P<kilo>k)?(?P<mark>[.,]-{{1,2}})?(?![\w/:%°+*-]|[.,]\d| ?[-/] ?\d)"
)
_DECIMAL: Final = re.compile(r"[.,]\d{2}$")
_LEADING_ZERO: Final = re.compile(r"0\d")
_LONG: Final = re.compile(r"\d{6}")

_NUMBERED: Final = re.compile(
    r"\b(?:at|um|gegen|by|until|till|before|after|since|from|am|vom|zum|bis|ab|seit|on|in|im|el|le|du|au|del|en|a las)"
    r" *$|\b(?:no|nr|num|number|nummer|numero|order|booking|reference|ref|buchung|reservation|reserva|room|zimmer"
    r"|flat|seat|apartment|gate|coach|page|line|bus|tram|route|tel|phone|call|handy|iban|card|karte|carte|tarjeta|konto|account|code|pin"
    r"|plz|zip|version|size|grosse|taille|talla|age|aged|week|kw|level|top|date|datum)[.:]? *$|(?:#|n°) *$"
)
_RIDDEN: Final = re.compile(r"\b(?:bus|tram|flat|seat) $")
"""Things that have numbers, but none with cents."""
NUMBERED_PAPER: Final = re.compile(
    r"\b(?:invoice|receipt|rechnung|quittung|facture|factura|recibo|bill)[.:]? *$"
)
_COUNTED: Final = re.compile(
    r" (?:to|or|of|bis|oder|von|ou|hasta|o|a|de) \d"
    r"| ?(?:percent|prozent|kms?|kilometers?|kilometres?|cm|mm|mi|miles?|meilen|m|kg|g|mg|gr|lbs?|l|ml|liters?|litres?"
    r"|litros?|liter|h|hrs?|hours?|std|stunden?|heures?|horas?|min|minutes?|minuten?|minutos?|sec|uhr|days?|tage?n?"
    r"|jours?|dias?|weeks?|wochen?|semaines?|semanas?|months?|monate?n?|mois|meses|years?|jahre?n?|ans|anos|times|mal"
    r"|fois|veces|x|pm|am|[ap]\.m|c|f|kwh|gb|mb|points?|punkte|stars?|bpm|mmhg|mmol|people|personen?|personnes?"
    r"|personas?)\b"
)
_OTHER_MONEY: Final = (
    r"(?:dirhams?|baht|won|rupees?|rupien|roupies|rupias?|pesos?|reals?|reais|liras?|lire|forint|koruna|kronor|krona"
    r"|kroner|couronnes|coronas|lei|leva|lew|shekels?|schekel|rand|rubles?|roubles?|crowns?|dinars?|hryvnia|renminbi"
    r"|yuan|ringgit|rupiah|dong|riyals?|bitcoins?|btc|credits?|million(?:en|s)?|mio|thousand|tausend|mille?|cents?)"
)
_OTHER_BEFORE: Final = re.compile(rf"\b{_OTHER_MONEY} $")
_OTHER_AFTER: Final = re.compile(rf" {_OTHER_MONEY}\b")
_AFTER_PAYING: Final = re.compile(
    rf"\b(?:{_PAYING})(?: (?!(?:for|fur|pour|por|para)\b)[^\W\d_][\w'-]*){{0,4}} $"
)
_AFTER_PRICE: Final = re.compile(
    rf"\b(?:(?:{_PRICED})\b[^.!?\d]{{0,40}}\b(?:is|was|are|came to|of|over|ist|war|betragt|von|uber|est|etait|es|era)"
    rf"|(?:{_PRICED})(?:\b[^.!?\d]{{0,40}}:)?|(?:{_BUYING})\b[^.!?\d]{{0,60}}\b(?:for|fur|pour|por))"
    r" (?:about |only |just |nur |etwa |rund |environ |solo )?$"
)
_FILLED: Final = re.compile(
    r"\b(?:filled(?: (?:it|her|the car|the tank|the van))?(?: up)?(?: (?:the car|the tank|the van))?|tanked|getankt|(?:fait|fais) le plein|(?:llene|llenado|lleno)(?: el deposito)?) (?:for|with|fur|um|pour|por) $"
)
"""The price of a full tank."""
_BEFORE_EACH: Final = re.compile(r"\b(?:is|was|are|now|ist|kostet|est|coute|es|cuesta|for|fur|pour|por|at) $")
_EACH_AFTER: Final = re.compile(rf" {_EACH}")
_PAID_AFTER: Final = re.compile(
    r" (?:(?:fur|bei|an|am|im|in) [^.!?\d]{1,60} )?(?:bezahlt|gezahlt|ausgegeben|gekostet|uberwiesen|gelassen|geliehen|geborgt|ausgelegt|vorgestreckt)\b"
)
_ENDS: Final = re.compile(
    r" ?(?:$|[,;!?)\n]|\.(?!\d)| -|(?:for|on|at|to|from|with|by|via|and|each|cash|back|today|yesterday|this|last|due"
    r"|fur|bei|an|mit|und|bar|heute|gestern|zuruck|fallig|bezahlt|gezahlt|ausgegeben|gekostet|uberwiesen|gelassen"
    r"|pour|chez|a|au|aux|avec|et|hier|del|de (?:la|los|las)|para|por|en|al|con|y|ayer|hoy|in|im|is|was|ist|war|est|es)\b|"
    + _EACH
    + ")"
)
_BEHIND: Final = re.compile(r"[^\W\d], $")
_AT_THE_END: Final = re.compile(r"\W*$")
_FOR: Final = re.compile(r" (?:for|fur|pour|por|para) [^\W\d]")
CLOCK: Final = re.compile(r"(?:[7-9]|1\d|2[0-3])\.(?:00|15|30|45)")
"""A number that may also be an hour, if nothing is about paying."""
_MORE: Final = re.compile(r"\b(?:another|a further|noch|weitere|nochmal|encore|otros|otras|un autre) $")
_AND: Final = re.compile(
    r"(?:[,;]|\b(?:and|und|et|y|plus|mas|then|dann|puis|luego))(?: (?:about|only|nur|dann))? $"
)
_AT: Final = re.compile(
    r" (?:at|for|on|to|bei|beim|bei der|fur|in der|im|an der|chez|pour|a la|a l'|au|aux|dans|en|por|para|al)\b"
)
_THING: Final = re.compile(
    r"(?:^|[^\W_] )(?!(?:\w*(?:day|tag|woch|di|bado|ingo)|today|tomorrow|heute|morgen|demain|hoy|manana|ist|is|est|es|was|war|at|um|on|in|von|from|bis|vers|nach|ran|lief|pb)\b)[^\W\d_]{3,},? $"
)
_THING_BEHIND: Final = re.compile(r" (?:for |fur |pour |para |por )?(?!(?:uhr|h|pm|am)\b)[^\W\d_]{3,}")
"""With cents beside it, what they were paid for."""
_LISTED_THING: Final = re.compile(r"\d[.,]\d{2}, (?:eine?n? |une? |an? |el |la |le )?[^\W\d_]{3,} $")
"""After a sum with cents, the next thing of a row: "Tanken 58,12, Waschanlage 11"."""
_TIP: Final = re.compile(r" (?:tip|trinkgeld|pourboire|propina)\b")
_CLOSING: Final = re.compile(
    r"(?:\b(?:spent|costs?|ausgegeben|(?:ge)?kostet|coute|depense|gaste|gastado|cuesta|costo)"
    r"|(?:^\W*|\b(?:i|we|i've|we've) )paid|(?:^\W*|\bj'ai |\bnous avons )paye|^\W*(?:pague|pagamos))"
    r" (?:about |only |just |nur |etwa |environ |solo )?(?P<sum>\d{1,2}\.\d{2})\.\s*$"
)


def closing_sum(folded: str) -> tuple[int, int] | None:
    """Return the place of a sum without a currency that only a full stop makes look like a day: "Spent 12.11."."""
    match = _CLOSING.search(folded)
    return match.span("sum") if match else None


def unmarked_sums(folded: str, taken: Iterable[tuple[int, int]]) -> tuple[Amount, ...]:
    """Return the sums of a folded sentence, without a currency; `taken` are the spans of something else."""
    slang = list(slang_sums(folded))
    other = covered(folded, [*taken, *((one.start, one.end) for one in slang)])
    paid, bought = _MONEY.search(folded) is not None, names_a_purchase(folded)
    matches = list(islice((one for one in FOUND.finditer(folded) if not within(one, other)), MOST_SUMS))
    told = [match for match in matches if _is_told(match, paid=paid, bought=bought)]
    if told or slang or paid or bought:
        alone = not told and not slang
        known = {match.start() for match in told}
        told += [one for one in matches if one.start() not in known and _goes_on(one, alone=alone)]
    return tuple(sorted([*slang, *map(amount_of, told)], key=lambda amount: amount.start))


def sums_beside(
    named: Sequence[Amount], folded: str, taken: Callable[[], Iterable[tuple[int, int]]]
) -> tuple[Amount, ...]:
    """Return `named` and the sums after them in the same currency: "20 € at Lidl and 7.50 at the baker".

    `taken` is only called if there is another number at all.
    """
    own = covered(folded, ((one.start, one.end) for one in named))
    after = FOUND.finditer(folded, named[0].end)
    others = list(islice((match for match in after if not within(match, own)), MOST_SUMS - len(named)))
    other = covered(folded, taken()) if others else b""
    found = list(named)
    for match in others:
        if not within(match, other) and _goes_on(match, alone=False):
            before = [one for one in named if one.end <= match.start()]
            found.append(replace(amount_of(match), currency=before[-1].currency, assumed=False))
    return tuple(sorted(found, key=lambda amount: amount.start))


def covered(folded: str, spans: Iterable[tuple[int, int]]) -> bytes:
    """Return a mask with a one for each character of the spans."""
    ones = bytearray(len(folded))
    for start, end in spans:
        ones[start:end] = b"\x01" * (end - start)
    return bytes(ones)


def within(match: re.Match[str], ones: bytes) -> bool:
    """Return whether any of it is covered."""
    return ones.find(1, match.start(), match.end()) >= 0


def amount_of(match: re.Match[str]) -> Amount:
    """Return a number as a sum without a currency."""
    value = number_of(match["number"]) * (1000 if match["kilo"] else 1)
    return Amount(value, "", match.start(), match.end(), assumed=True)


def around(match: re.Match[str], most: int = _AROUND) -> tuple[str, str]:
    """Return the text before and after a number, up to `most` characters each."""
    folded = match.string
    return folded[max(0, match.start() - most) : match.start()], folded[match.end() : match.end() + most]


def may_be(match: re.Match[str]) -> bool:
    """Return whether nothing around a number says that it is something else."""
    before, after = around(match)
    if _LEADING_ZERO.match(match["number"]) or not 0 < amount_of(match).value < _LARGEST:
        return False
    numbered = _NUMBERED.search(before) and not (is_exact(match) and _RIDDEN.search(before))
    return not (numbered or _COUNTED.match(after) or _has_another_unit(before, after))


def is_exact(match: re.Match[str]) -> bool:
    """Return whether it is written as sums are: with cents, or "35,-"."""
    return bool(match["mark"] or _DECIMAL.search(match["number"])) and not match["kilo"]


def _is_told(match: re.Match[str], *, paid: bool, bought: bool) -> bool:
    if not (paid or is_exact(match)) or not may_be(match):
        return False
    before, after = around(match)
    if is_exact(match):
        thing = bought or bool(_FOR.match(after)) or bool(_THING.search(before) or _THING_BEHIND.match(after))
        return paid or (thing and not CLOCK.fullmatch(match["number"]))
    return paid and not _LONG.search(match["number"]) and _is_told_as_a_sum(before, after)


def _goes_on(match: re.Match[str], *, alone: bool) -> bool:
    """Return whether it is one more sum: "and 60 at H&M", "another 12"; `alone` if there is none before."""
    before, after = around(match)
    if not may_be(match) or _LONG.search(match["number"]):
        return False
    if _MORE.search(before):
        return is_exact(match) or bool(_ENDS.match(after))
    if alone:
        return False
    listed = _LISTED_THING.search(before) is not None and _ENDS.match(after) is not None
    return listed or bool(_AND.search(before) and (_AT.match(after) or _TIP.match(after)))


def _has_another_unit(before: str, after: str) -> bool:
    """Return whether there is an unknown currency, by its word or its sign."""
    signs = (before.rstrip(" ")[-1:], after.lstrip(" ")[:1])
    signed = any(sign and unicodedata.category(sign) == "Sc" for sign in signs)
    return signed or bool(_OTHER_BEFORE.search(before) or _OTHER_AFTER.match(after))


def _is_told_as_a_sum(before: str, after: str) -> bool:
    """Return whether the words around a whole number make it a sum paid or a price."""
    if NUMBERED_PAPER.search(before) or not _ENDS.match(after):
        return False
    if (
        _AFTER_PAYING.search(before)
        or _FILLED.search(before)
        or _AFTER_PRICE.search(before)
        or _PAID_AFTER.match(after)
    ):
        return True
    if _BEHIND.search(before) and _AT_THE_END.match(after):
        return True
    return bool(_BEFORE_EACH.search(before) and _EACH_AFTER.match(after))
