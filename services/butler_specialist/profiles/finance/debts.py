# ruff: noqa: E501 - patterns stay on one line
"""Who owes whom: "Tom owes me 20 euros", "j'ai prêté 20 € à Tom" (pure). EN, DE, FR, ES.

Invariant: a debt is never counted as spent; one that was paid back is no longer a debt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from butler_contracts.language import Language
from butler_kit.wording.folding import fold
from butler_specialist.locale import noop, say
from butler_specialist.questions.owing import YOU, sides
from butler_specialist.questions.wording import joined, opened, short_day
from butler_specialist.store.model import Record
from butler_specialist.understanding.money import amount_text
from butler_specialist.understanding.paybacks import payback_in
from butler_specialist.understanding.purpose import for_what
from butler_specialist.understanding.reading import Reading, Sentence

__all__ = ["DEBT", "YOU", "Debt", "debt_of", "debts_asked", "debts_text", "owed_text", "returned_by"]

DEBT: Final = "debt"

_NAME: Final = r"(?:(?:my|our|the|meine?[rm]?|unsere?|mon|ma|mi|nuestr[oa]) )?[^\W\d_][\w'-]{1,30}"
_SUM: Final = r".{0,30}?"
_TO_US: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<who>{_NAME}) (?:still )?owes? (?:me|us)\b",
        rf"(?P<who>{_NAME}) schuldet (?:mir|uns)\b",
        rf"(?P<who>{_NAME}) (?:me|nous) doit\b",
        rf"(?P<who>{_NAME}) (?:me|nos) debe\b",
        rf"(?:\b(?:i|we) (?:have )?|^\W*(?:oh |and |also )?)(?:lent|loaned) (?P<who>(?!\d|the\b|out\b|some\b|an?\b){_NAME})\b",
        rf"(?:^|\b(?:i|we) )lent {_SUM}\bto (?P<who>{_NAME})",
        rf"(?P<who>(?!i\b|we\b){_NAME}) (?:has )?borrowed\b(?!.*\bfrom (?!me\b|us\b))",
        rf"\b(?:ich|wir|habe?) (?:habe?n? )?(?P<who>(?!von\b|mir\b|uns\b|habe\b|haben\b){_NAME}) {_SUM}(?:geliehen|geborgt|ausgelegt|vorgestreckt)",
        rf"(?P<who>{_NAME}) hat (?:sich )?{_SUM}(?:von (?:mir|uns) )(?:geliehen|geborgt)",
        rf"\bj'ai prete {_SUM} a (?P<who>{_NAME})|\bprestado? {_SUM} a (?P<whom>{_NAME})",
        rf"\b(?:le )?(?:preste|he dejado|deje) {_SUM} a (?P<who>{_NAME})",
        rf"(?P<who>{_NAME}) (?:m'a|nous a) emprunte",
    )
)
_BY_US: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:\b(?:i|we) (?:still )?|^\W*(?:and |also )?(?:still )?)owe (?P<who>(?!me\b|us\b|for\b|about\b){_NAME})\b",
        rf"\b(?:ich|wir) schulden? (?P<who>{_NAME})\b",
        rf"(?:^|\b(?:der|die) )(?P<who>(?!der\b|die\b){_NAME}) (?:kriegt|bekommt) noch {_SUM}von (?:mir|uns)\b",
        rf"(?P<who>{_NAME}) (?:still )?gets {_SUM}from (?:me|us)\b",
        rf"\b(?:je|nous|on) (?:dois|devons|doit) {_SUM} a (?P<who>{_NAME})",
        rf"\ble (?:debo|debemos) {_SUM} a (?P<who>{_NAME})",
        rf"\b(?:debo|debemos) {_SUM} a (?P<who>{_NAME})",
        rf"\bborrowed\b {_SUM}from (?P<who>(?!me\b|us\b){_NAME})",
        rf"\bvon (?P<who>(?!mir\b|uns\b){_NAME}) {_SUM}(?:geliehen|geborgt)",
        rf"\bemprunte {_SUM} a (?P<who>{_NAME})",
        rf"(?P<who>(?!i\b|we\b){_NAME}) (?:has |have )?lent (?:me|us)\b",
        rf"(?P<who>{_NAME}) hat (?:mir|uns) {_SUM}(?:geliehen|geborgt|ausgelegt|vorgestreckt)",
        rf"(?P<who>{_NAME}) (?:m'a|nous a) (?:prete|avance)",
        rf"(?P<who>{_NAME}) (?:me|nos) (?:ha )?(?:presto|prestado|dejado \d)",
    )
)
_BY_ME: Final = re.compile(
    r"\b(?:(?:do|did) (?:i|we) (?:still )?owe|(?:i|we) (?:still )?owe|schulden? (?:ich|wir)|(?:je|nous|on) (?:dois|devons|doit)"
    r"|(?:dois|doit|devons)-(?:je|on|nous)|debo|debemos)\b"
)
_OF_SOMEBODY: Final = re.compile(
    r"\b(?:does |do |schuldet |doit |debe )(?P<who>(?!i\b|we\b|you\b|they\b|any|some|he\b|she\b|who\b|mir\b|uns\b|ich\b|wir\b|er\b"
    r"|sie\b|jemand|noch\b|wer\b|encore\b|on\b|il\b|elle\b|de\b|combien\b|quelque|algo\b|alguien\b|dinero\b|el\b|ella\b|my\b|the\b|our\b"
    r"|mein|unser|mon\b|ma\b|mi\b)[^\W\d_][\w'-]{1,30})(?= (?:still )?owe| (?:mir|uns|ich)\b|\W*$)"
)
_TO_ME: Final = re.compile(
    r"\b(?:owes? (?:me|us)|owed to (?:me|us)|schulde[nt]? (?:mir|uns)|(?:me|nous) (?:doit|doivent)|(?:me|nos) deben?)\b"
)
_DUE: Final = re.compile(
    r"\b(?:due|uberweis\w*|bill|invoice|fallig|rechnung|echeance|facture|vence|factura)\b"
)
"""Money owed on a day is a bill."""
_OURS: Final = {
    "my": "your", "our": "your", "mon": "ton", "ma": "ta", "mi": "tu", "nuestro": "vuestro", "nuestra": "vuestra",
    "mein": "dein", "meine": "deine", "unser": "euer", "unsere": "eure",
}  # fmt: skip
_WHO_OWES: Final = _OURS | {"meinem": "dein", "meiner": "deine", "unserem": "euer", "unserer": "eure"}
_WHOM: Final = _OURS | {"meinem": "deinem", "meiner": "deiner", "unserem": "eurem", "unserer": "eurer"}
_SAYS: Final = (noop("you owe {whom} {total}{what}"), noop("{who} owes you {total}{what}"))
_OTHERS: Final = noop("{who} owes {whom} {total}{what}")
_NOT_A_NAME: Final = re.compile(
    r"(?:i|we|you|he|she|it|they|who|that|this|still|ich|wir|wer|je|nous|qui|quien|yo|and|und|et|y|the|sum|money)$"
)


@dataclass(frozen=True, slots=True)
class Debt:
    """Who owes and to whom; the sender is `you`."""

    debtor: str
    creditor: str

    @property
    def other(self) -> str:
        return self.creditor if self.debtor == YOU else self.debtor

    @property
    def details(self) -> dict[str, str]:
        return {"debtor": self.debtor, "creditor": self.creditor}


@lru_cache(maxsize=64)
def debt_of(sentence: Sentence) -> Debt | None:
    """Return the debt between the household and somebody in a sentence; called for each of its sums."""
    if (who := _who(sentence, _TO_US)) is not None:
        return Debt(who, YOU)
    if sentence.has(_DUE):
        return None
    return Debt(YOU, who) if (who := _who(sentence, _BY_US)) is not None else None


def returned_by(sentence: Sentence) -> str | None:
    """Return who gave money back to the household."""
    back = payback_in(sentence)
    return None if back is None or back.by_me else back.who


def _who(sentence: Sentence, patterns: Sequence[re.Pattern[str]]) -> str | None:
    for pattern in patterns:
        for match in pattern.finditer(sentence.folded):
            group = next((name for name, found in match.groupdict().items() if found), None)
            if group is None or _NOT_A_NAME.match(match[group]):
                continue
            return sentence.text[match.start(group) : match.end(group)]
    return None


def owed_text(debtor: str, creditor: str, total: str, what: str, language: Language = "en") -> str:
    """Return `Tom owes you 20.00 EUR for concert tickets`; "my brother" becomes "your brother"."""
    by_us, to_us = _SAYS
    if debtor == YOU:
        return say(language, by_us, whom=_yours(creditor, _WHOM), total=total, what=what)
    if creditor != YOU:
        return say(language, _OTHERS, who=debtor, whom=creditor, total=total, what=what)
    return say(language, to_us, who=_yours(debtor, _WHO_OWES), total=total, what=what)


def _yours(name: str, said: Mapping[str, str]) -> str:
    first, space, rest = name.partition(" ")
    return f"{said.get(first.lower(), first)}{space}{rest}"


def debts_asked(rows: Sequence[Record], reading: Reading) -> list[Record]:
    """Return the open debts that a question is about: all, one side's, or those with a named person."""
    whose, named = reading.whose, fold(reading.text)
    found = [(row, *sides(row, whose)) for row in rows if row.done_on is None]
    if reading.has(_BY_ME):
        found = [one for one in found if one[1] == YOU]
    elif reading.has(_TO_ME):
        found = [one for one in found if one[2] == YOU]
    people = {fold(name) for one in found for name in one[1:]} | {fold(name) for name in whose.known}
    asked = {name for name in people - {YOU} if re.search(rf"\b{re.escape(name)}\b", named)}
    asked |= {match["who"] for match in _OF_SOMEBODY.finditer(named)}
    return [row for row, debtor, creditor in found if not asked or {fold(debtor), fold(creditor)} & asked]


def debts_text(rows: Sequence[Record], reading: Reading) -> str:
    """List every debt separately, without offsetting them."""
    said = [_entry(row, reading) for row in rows if row.amount is not None and row.currency]
    return opened(joined(said, reading.language)) + "."


def _entry(row: Record, reading: Reading) -> str:
    language, (debtor, creditor) = reading.language, sides(row, reading.whose)
    total = amount_text(row.amount, row.currency, language) if row.amount is not None and row.currency else ""
    day = short_day(row.occurred_on, reading.today, language)
    return f"{owed_text(debtor, creditor, total, for_what(row.title, language), language)} ({day})"
