"""The subject of a question about money, and which records are about it (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_kit.wording.folding import fold, words
from butler_specialist.locale import noop, say
from butler_specialist.profiles.finance.goods import pattern_of
from butler_specialist.store.model import Record
from butler_specialist.understanding.calendar_words import MONTHS, WEEKDAYS
from butler_specialist.understanding.reading import Reading

__all__ = ["about", "narrowed", "subject_of"]

_THE: Final = (
    r"(?:(?:the|my|our|a|an|die|das|den|dem|der|meinen?|unseren?|la|le|les|un|une|mon|ma|mes|el|los|las|una|mi|mis)"
    r" |l')?"
)
_WHAT: Final = rf"{_THE}(?P<what>[^\W\d_]{{3,}}(?: [^\W\d_]{{3,}})?)"
_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:cuanto|combien) (?:de|d'|en|pour) {_WHAT}",
        rf"\b(?:wie ?viel|was) (?:furs?|beim?|ins) {_WHAT}",
        rf"\b(?:how much cost) {_WHAT}",
        rf"\b(?:on(?! (?:a|est|va|doit|peut|n'a|ait)\b)|for|to|at|furs?|bei|beim|an|pour|chez|en|para|por) {_WHAT}",
        rf"\b(?:c'etait|ca a coute|a coute) combien {_WHAT}",
        r"\b(?:au|aux|al) (?P<what>[^\W\d_]{3,})",
        rf"\b(?:pay|paid|owe|tip|paye|payer|pague|pagamos|pagado)s? (?:a )?{_WHAT}",
        rf"\bhow much (?:was|were|is|are) (?=the |my |our ){_WHAT}",
        rf"\b(?:did|does|hat|haben) (?=the |my |our |das |die |der |den ){_WHAT} (?:cost|gekostet)\b",
        rf"\b(?:do|does|is|are) {_WHAT} cost\b",
        rf"\bhow much (?:is|are|was|were) {_WHAT}",
        rf"\b(?:entrada|coste|precio) (?:de|del) {_WHAT}",
        rf"\b(?:coute|coutent|kostet|kosten|cuestan|costo|costaron|cuesta|kostete|kosteten) {_WHAT}",
        r"\b(?:dem|der|den) (?P<what>[^\W\d_]{3,})(?= (?:schon |bisher )?(?:be|ge)zahlt\b)",
    )
)
_NOT_SUBJECTS: Final = words(
    "this last next month week year monat woche jahr mois semaine annee mes semana ano today yesterday"
    " the total everything things january february march"
    " april may june july august september october november december januar februar marz mai juni juli"
    " oktober dezember average"
    " pay paid spend spent cost date now far all overall altogether sum amount expense expenses bill bills invoice"
    " invoices subscription subscriptions me us them him her it that for with from and"
    " bezahlt gezahlt ausgegeben gekostet insgesamt bisher heute gestern diesen dieses diese dieser letzten letzte"
    " letztes dernier derniere hier aujourd'hui hoy ayer este esta pasado pasada janvier fevrier mars avril juin"
    " juillet aout septembre octobre novembre decembre enero febrero marzo abril mayo junio julio agosto septiembre"
    " octubre noviembre diciembre euro euros eur depense depensee paye combien quels quel quelles encore noch still"
    " left anybody anyone anything somebody someone everybody money geld argent dinero algo alguien jemand jemandem"
    " suis sommes llevo llevamos hab habe again deja together days both all"
    " abo abos abonnement abonnements suscripcion suscripciones tout todo gesamt"
) | {*WEEKDAYS, *MONTHS}


def subject_of(reading: Reading) -> str | None:
    """Return the question's subject, as written."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(reading.folded):
            written = reading.text[match.start("what") : match.end("what")].split()
            if fold(written[0]) not in _NOT_SUBJECTS:
                return " ".join(word for word in written if fold(word) not in _NOT_SUBJECTS)
    return None


def narrowed(rows: Sequence[Record], subject: str) -> tuple[str, list[Record]]:
    """Return the rows about the subject; of two words the first alone may be it."""
    for tried in dict.fromkeys((subject, subject.split()[0])):
        found = _about(rows, tried)
        if found:
            return tried, found
    return subject, []


def _about(rows: Sequence[Record], subject: str) -> list[Record]:
    """Return the rows with that name; of a message without one, all that it told."""
    pattern = pattern_of(subject)
    called = [row for row in rows if pattern.search(fold(f"{row.title or ''} {row.party or ''}"))]
    told, known = {row.text for row in called}, {row.seq for row in called}
    return [
        row
        for row in rows
        if row.seq in known or (row.text not in told and pattern.search(fold(row.text)) is not None)
    ]


def about(reading: Reading, subject: str | None) -> str:
    """Return ` on shoes`, ` at Rewe`; empty without a subject."""
    if subject is None:
        return ""
    found = re.search(rf"\b(?P<at>at|bei|chez)\s+{re.escape(fold(subject))}", reading.folded)
    text = noop(" at {subject}") if found else noop(" on {subject}")
    return say(reading.language, text, subject=subject)
