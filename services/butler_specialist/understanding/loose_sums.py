# ruff: noqa: E501 - patterns stay on one line
"""Sums of a message that is surely about money: "12 for lunch and 7 for the bus", "el fontanero cobró 130" (pure).

For example also "bread 3.20". Only a butler that keeps money reads them: elsewhere such a number counts, measures
or dates something. EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice
from typing import Final

from butler_specialist.understanding.money import MOST_SUMS, Amount
from butler_specialist.understanding.numerals import numeral_before
from butler_specialist.understanding.unmarked import (
    CLOCK,
    FOUND,
    NUMBERED_PAPER,
    amount_of,
    around,
    covered,
    is_exact,
    may_be,
    within,
)

__all__ = ["NOT_YET", "loose_sums"]

_AROUND: Final = 60
_FOR_SOMETHING: Final = re.compile(
    r" (?:(?:quid|each) )?(?:(?:for|on|at|to|fur|furs|bei|beim|ans|zum|in der|an (?=die |den |das )|im|pour|chez|au|aux|dans|por|para|al|en|de|del|du) |(?:a l|d)')(?:(?:the|a|an|my|our|la|el|le|die|das|der|den|dem) )?[^\W\d_]"
    r"(?!\w* (?:o'clock|uhr|hours?|stunden|heures|horas)\b)"
)
_NOT_OF_A_SUM: Final = re.compile(
    r"\b(?:for|fur|pour|para|table|tisch|seats?|party of|size|grosse|taille|talla|number|nummer|than|als|que|meter|zahler|compteur|contador|locker|pin|code"
    r"|chapter|kapitel|season|episode|row|kilometer|km|age|aged|turned|turns|like|wie|the|den|die|am|le|el)\s$"
)
_PAYING: Final = re.compile(
    r"\b(?:paid|bezahlt|gezahlt|paye|pague|pagado|gave|give|given|wants?|charge[ds]?|came to|comes to|transferred|wired|sent|left|dropped|blew|forked out|shelled out|chipped in|got|won|sold|quoted|asked?|gegeben|gibt|will|verlangt|gespendet"
    r"|zugesteckt|hingelegt|geblecht|abgeknopft|gekriegt|kriegt|bekommt|bekommen|gewonnen|uberwiesen|donne|demande|lache|claque|file|pris|vire|gagne|touche"
    r"|cobro|cobra|cobraron|cobran|pidio|pide|piden|di|dio|dimos|solte|solto|puse|saco|sali\w*|gane|ganado|hice un bizum de|bizum de|presto|preste|ingrese)"
    r"(?: [^\W\d_][\w']*){0,4} $"
)
_BEHIND_VERB: Final = re.compile(
    r" ?(?:$|[,;!?)]|\.(?!\d)|(?:for|on|to|at|from|and|but|back|off|fur|von|an|bei|und|aber|gekriegt|gegeben|zugesteckt|gespendet|hingelegt|pour|a|de|et|mais|por|para|y|pero|en"
    r"|deposit|tip|anzahlung|kaution|trinkgeld|acompte|caution|pourboire|deposito|senal|fianza|propina)\b)"
)
_WAS: Final = re.compile(r"\b(?:was|were|is|came to|war|waren|ist|etait|est|fue|era|eran|[^\W\d_]{3,}) $")
_COUNTS: Final = re.compile(
    r"\b(?:locker|room|table|number|code|pin|seats?|gate|platform|meter|zimmer|tisch|nummer|gleis|salle|numero|mesa|habitacion)\b"
)
"""A clause that counts things."""
_NAMES_NOTHING: Final = re.compile(
    r"^\W*(?:(?:actually|it|that|this|was|is|were|es|das|war|waren|ist|c'est|c'etait|etait|eran|era|fue|no|nein|non|sorry|and|und|et|y|in|fact|en|fait)\b\W*)+$"
)
"""Words that only say what something was."""
_RATE: Final = re.compile(
    r" ?(?:an?|per|pro|die|de l'|la|por) ?(?:hour|day|stunde|std|tag|heure|jour|hora|dia)\b"
)
"""An hourly rate is not what was paid."""
_DUE: Final = re.compile(r" (?:is )?(?:due|fallig|payable|zahlbar|a payer|por pagar)\b")
NOT_YET: Final = r"(?:not yet|noch nicht|pas encore|todavia no|aun no)"
_UNPAID: Final = re.compile(rf",? {NOT_YET}\b")
_COST: Final = re.compile(
    r"[^\W\d_]{3,} (?:was|were|came to|war|waren|etait|fue|era|eran) (?:only |just |nur |about )?$"
)
_BEHIND_COST: Final = re.compile(r"[.!]*\s*$|,? (?:and|und|et|y)\b|[,;] ")
_EACH: Final = re.compile(
    r" (?:each|apiece|per head|pro (?:person|nase|kopf)|jeder|jede|chacune?|par personne|cada un[oa]|por cabeza)\b"
)
_SO_MANY: Final = re.compile(
    r"\b(?:each|apiece|je|jeweils|chacune?|(?:la )?piece|cada un[oa])\W+(?:(?:i|we|and|got|bought|took|ordered|hab\w*|pris|compre)\W+){1,3}$"
)
"""Words before a count at a unit price: "45 each, got 2"."""
_ENDS: Final = re.compile(r" ?(?:[.!]*\s*$|, (?:not|nicht|pas|no)\b)")


_IN_TOTAL: Final = re.compile(
    r"(?<= )(?:in total|in all|altogether|all in|zusammen|insgesamt|en tout|au total|en total)\b"
)
"""Words after a number in words: "forty five each so ninety in total"."""


def loose_sums(folded: str, taken: Iterable[tuple[int, int]], *, beside: bool) -> tuple[Amount, ...]:
    """Return the sums of a folded clause, without a currency.

    `beside`: another clause of the message has one.
    """
    other = covered(folded, taken)
    numbers = list(islice((one for one in FOUND.finditer(folded) if not within(one, other)), MOST_SUMS))
    told = [match for match in numbers if may_be(match) and _is_told(match)]
    if told or beside:
        starts = {match.start() for match in told}
        told += [one for one in numbers if one.start() not in starts and may_be(one) and _closes(one)]
    spoken = () if told else _spoken(folded)
    return tuple(sorted([*map(amount_of, told), *spoken], key=lambda amount: amount.start))


def _spoken(folded: str) -> Iterator[Amount]:
    """Yield a total in words."""
    for match in _IN_TOTAL.finditer(folded):
        number = numeral_before(folded, match.start())
        if number is not None and number[0] > 1:
            yield Amount(Decimal(number[0]), "", number[1], match.start() - 1, assumed=True)


def _is_told(match: re.Match[str]) -> bool:
    before, after = around(match, _AROUND)
    if _RATE.match(after):
        return False
    if NUMBERED_PAPER.search(before) or _NAMES_NOTHING.match(before) or _SO_MANY.search(before):
        return False
    exact = is_exact(match) and not CLOCK.fullmatch(match["number"])
    if exact or any(one.match(after) for one in (_EACH, _DUE, _UNPAID)):
        return True
    if _COST.search(before) and _BEHIND_COST.match(after):
        return True
    if _PAYING.search(before) and _BEHIND_VERB.match(after):
        return True
    return (
        not (_NOT_OF_A_SUM.search(before) or _COUNTS.search(match.string))
        and _FOR_SOMETHING.match(after) is not None
    )


def _closes(match: re.Match[str]) -> bool:
    """Return whether it follows a word at the end of its clause, like the next entry of a list."""
    before, after = around(match, _AROUND)
    if NUMBERED_PAPER.search(before):
        return False
    return bool(_ENDS.match(after) and _WAS.search(before) and not _NOT_OF_A_SUM.search(before))
