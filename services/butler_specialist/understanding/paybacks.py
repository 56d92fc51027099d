# ruff: noqa: E501 - patterns stay on one line
"""Who gave money back to whom, or no longer owes: "Diego paid me back", "Becky schuldet mir nichts mehr" (pure).

Invariant: a question whether it came back states nothing. EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from butler_specialist.understanding.sentence import Sentence

__all__ = ["Payback", "payback_in"]

_NAME: Final = r"(?:(?:my|our|meine?[rm]?|unsere?|mon|ma|mi) )?[^\W\d_][\w'-]{1,30}"
_SOME: Final = r"[^.!?]{0,40}?"
_NO_SUM: Final = r"[^.!?\d]{0,40}?"
"""A sum that is no longer owed may be another."""
_BACK: Final = r"(?:zuruckgezahlt|zuruckgegeben|zuruckuberwiesen|wiedergegeben|heimgezahlt)"
_OWES_NO_MORE: Final = r"(?:doesn't|doesnt|does not|don't|dont|do not) owe"
_NO_MORE: Final = r"(?:any ?more|any longer|anything|nothing|a (?:cent|penny)|now)\b"
_TO_ME: Final = tuple(
    re.compile(said)
    for said in (
        rf"(?P<who>{_NAME}) (?:now )?{_OWES_NO_MORE} (?:me|us) {_NO_SUM}{_NO_MORE}|(?P<none>{_NAME}) (?:no longer owes|owes nothing to) (?:me|us)\b",
        rf"(?P<who>{_NAME}) schuldet (?:mir|uns) (?:jetzt |nun |also )?(?:nichts|nix|kein\w*(?: \w+)?)(?: mehr)?\W*$",
        rf"(?P<who>{_NAME}) ne (?:me|nous) doi(?:t|vent) (?:plus|rien)\b",
        rf"(?P<who>{_NAME}) (?:ya )?no (?:me|nos) deben? (?:ya )?(?:nada|mas|dinero)\b",
        rf"(?P<who>{_NAME}) (?:has |just |finally )*(?:gave|given|paid|sent) it back(?: to (?:me|us))?\b",
        rf"(?P<who>{_NAME}) (?:has |have |just |finally |already )*(?:paid|gave|given|sent) (?:me|us) {_SOME}\bback\b",
        rf"(?P<who>{_NAME}) (?:has |just |finally )*(?:paid|gave) back (?:to )?(?:me|us)\b",
        rf"^\W*(?P<who>{_NAME}) (?:has |hat |a |ha )?(?:now |just |jetzt |inzwischen |schon |endlich |enfin |ya )?(?:paid(?: up)?|bezahlt|gezahlt|paye|pagado|pago)(?: (?:now|jetzt|ya))?\W*$",
        rf"^\W*(?P<who>{_NAME}) (?:has|hat|a|ha) (?:me |mir |uns )?(?:heute |schon |jetzt |today |already |deja |hoy |ya )*(?:€ ?)?\d[\d.,]* ?(?:€|euros?|eur)? ?(?:gezahlt|bezahlt|paid|paye|pagado)\b",
        rf"^\W*(?P<who>{_NAME}) (?:has |just |already )*(?:gave|given|paid|sent) (?:me|us) [€$£]?\d[\d.,]* ?(?:€|euros?|eur|quid|pounds?)? ?(?:of it|of that|of them|so far|already)\b",
        rf"^\W*(?P<who>{_NAME}) hat (?:mir|uns) (?:schon )?\d[\d.,]* ?(?:€|euros?|eur)? ?davon (?:gegeben|gezahlt)\b",
        r"^\W*(?P<they>(?:ya )?me (?:ha|han) dado \d[\d.,]*)",
        rf"^\W*(?P<they>(?:me|nos) (?:l[oa]s? )?(?:ha |han )?{_SOME}(?:devuelto|devolvio|devolvieron)|(?:(?:il|elle|on) )?m'(?:en )?a {_SOME}(?:remboursee?|rendu))\b",
        rf"(?P<who>{_NAME}) (?:and i |and me )?(?:are|is) (?:now )?(?:square|even|quits)\b",
        rf"(?P<who>{_NAME}) hat (?:mir|uns) {_SOME}{_BACK}",
        rf"(?P<who>{_NAME}) (?:m'a|nous a) {_SOME}(?:rembourse|rendu)\b",
        rf"(?P<who>{_NAME}) (?:me|nos) (?:l[oa]s? )?(?:ha )?{_SOME}(?:devuelto|devolvio|pagado)\b",
    )
)
_BY_ME: Final = tuple(
    re.compile(said)
    for said in (
        rf"^\W*(?P<they>(?:ich )?hab(?:e)? (?:ihm|ihr|ihnen|es ihm|es ihr) {_SOME}(?:gegeben|bezahlt|uberwiesen|{_BACK}))\b",
        rf"^\W*(?:(?:c'est |c )?bon,? )?(?P<they>(?:je|on) (?:lui|leur) (?:ai|a) {_SOME}(?:rendu|rembourse|paye)|(?:ya )?se l[oa]s? (?:di|he dado|devolvi|he devuelto|pague|he pagado)|(?:ya )?le (?:pague|devolvi|he pagado|he devuelto))\b",
        rf"^\W*(?:i |i've |ive )?(?:just |already |now )?(?P<they>(?:paid|gave) (?:him|her|them) (?:back|it|{_SOME}\d))",
        rf"(?:\b(?:i|we) |^\W*){_OWES_NO_MORE} (?P<who>(?!me\b|us\b|any|a\b|money\b){_NAME}) {_NO_SUM}{_NO_MORE}|\b(?:i|we) no longer owe (?P<none>{_NAME})",
        rf"\b(?:ich|wir) schulden? (?P<who>(?!ihm\b|ihr\b){_NAME}) (?:jetzt |nun )?(?:nichts|nix|kein\w*(?: \w+)?)(?: mehr)?\W*$",
        rf"\b(?:je|on|nous) ne (?:dois|doit|devons) plus (?:rien|d'argent) a (?P<who>{_NAME})",
        rf"\bya no (?:le )?(?:debo|debemos) (?:nada |dinero )?a (?P<who>{_NAME})",
        rf"^\W*(?:just |i've |ive )*(?:gave|given|sent) (?P<who>(?!back\b|it\b|the\b|my\b){_NAME}) {_SOME}\bback\b",
        rf"\b(?:i|we) (?:have |'ve |just |finally )*(?:paid|gave) (?P<who>(?!back\b|it\b){_NAME}) {_SOME}\bback\b",
        rf"(?:\b(?:i|we) |^\W*)(?:have |just )*paid back (?P<who>(?!the\b|my\b){_NAME})",
        rf"^\W*paid (?P<who>(?!back\b|it\b|the\b){_NAME}) back\b",
        rf"\b(?:ich|wir|habe?) (?:habe?n? )?(?P<who>(?!mir\b|uns\b|das\b|die\b|es\b){_NAME}) {_SOME}{_BACK}",
        rf"\b(?:j'ai|on a|nous avons) (?:rembourse|rendu {_SOME}a) (?P<who>(?!l\b|le\b|la\b|les\b){_NAME})",
        rf"\ble (?:he |hemos )?(?:devuelto|devolvi|pagado|pague) {_SOME}\ba (?P<who>{_NAME})",
    )
)
_ASKED: Final = re.compile(r"\W*(?:(?:and|so|und) )?(?:has|did|does|is|are|hat|ist|schuldet)\b")
"""A verb that opens a question, also without a question mark."""
_WHO_WAS_NAMED: Final = re.compile(r"(?:he|she|they|er|sie|il|elle|el|ella|on)$")
"""The person mentioned before."""
_NOBODY: Final = re.compile(
    r"(?:i|we|you|he|she|it|they|who|that|this|has|have|and|was|ich|wir|wer|er|sie|es|je|il|elle|qui|quien|yo|el|ella"
    r"|insurance|versicherung|mutuelle|amazon|zalando|zara|fnac|finanzamt)$"
)


@dataclass(frozen=True, slots=True)
class Payback:
    """Who paid the sender back, or, with `by_me`, whom the sender paid back.

    Empty: the person mentioned before.
    """

    who: str
    by_me: bool = False


@lru_cache(maxsize=64)
def payback_in(sentence: Sentence) -> Payback | None:
    """Return what a clause says about lent money that came back, or is no longer owed."""
    if _ASKED.match(sentence.folded):
        return None
    for by_me, patterns in ((False, _TO_ME), (True, _BY_ME)):
        for pattern in patterns:
            match = pattern.search(sentence.folded)
            who = _who(match) if match is not None else None
            if match is not None and (
                match.groupdict().get("they") or (who and _WHO_WAS_NAMED.match(match[who]))
            ):
                return Payback("", by_me)
            if match is not None and who is not None and not _NOBODY.match(match[who]):
                return Payback(sentence.text[match.start(who) : match.end(who)], by_me)
    return None


def _who(match: re.Match[str]) -> str | None:
    """Return the group that names somebody."""
    return next((name for name in ("who", "none") if match.groupdict().get(name)), None)
