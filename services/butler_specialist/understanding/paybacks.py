"""Who gave money back to whom: "Diego paid me back", "ich habe Becky die 20 zurückgegeben" (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from butler_specialist.understanding.sentence import Sentence

__all__ = ["Payback", "payback_in"]

_NAME: Final = r"(?:(?:my|our|meine?[rm]?|unsere?|mon|ma|mi) )?[^\W\d_][\w'-]{1,30}"
_SOME: Final = r"[^.!?]{0,40}?"
_BACK: Final = r"(?:zuruckgezahlt|zuruckgegeben|zuruckuberwiesen|wiedergegeben|heimgezahlt)"
_TO_ME: Final = tuple(
    re.compile(said)
    for said in (
        rf"(?P<who>{_NAME}) (?:has |have |just |finally |already )*(?:paid|gave|given|sent) (?:me|us) {_SOME}\bback\b",
        rf"(?P<who>{_NAME}) (?:has |just |finally )*(?:paid|gave) back (?:to )?(?:me|us)\b",
        rf"(?P<who>{_NAME}) (?:and i |and me )?(?:are|is) (?:now )?(?:square|even|quits)\b",
        rf"(?P<who>{_NAME}) hat (?:mir|uns) {_SOME}{_BACK}",
        rf"(?P<who>{_NAME}) (?:m'a|nous a) {_SOME}(?:rembourse|rendu)\b",
        rf"(?P<who>{_NAME}) (?:me|nos) (?:ha |lo ha )?{_SOME}(?:devuelto|devolvio|pagado)\b",
    )
)
_BY_ME: Final = tuple(
    re.compile(said)
    for said in (
        rf"\b(?:i|we) (?:have |'ve |just |finally )*(?:paid|gave) (?P<who>(?!back\b|it\b){_NAME}) {_SOME}\bback\b",
        rf"(?:\b(?:i|we) |^\W*)(?:have |just )*paid back (?P<who>(?!the\b|my\b){_NAME})",
        rf"^\W*paid (?P<who>(?!back\b|it\b|the\b){_NAME}) back\b",
        rf"\b(?:ich|wir|habe?) (?:habe?n? )?(?P<who>(?!mir\b|uns\b|das\b|die\b|es\b){_NAME}) {_SOME}{_BACK}",
        rf"\b(?:j'ai|on a|nous avons) (?:rembourse|rendu {_SOME}a) (?P<who>(?!l\b|le\b|la\b|les\b){_NAME})",
        rf"\ble (?:he |hemos )?(?:devuelto|devolvi|pagado|pague) {_SOME}\ba (?P<who>{_NAME})",
    )
)
_NOBODY: Final = re.compile(
    r"(?:i|we|you|he|she|it|they|who|that|this|has|have|and|was|ich|wir|wer|er|sie|es|je|il|elle|qui|quien|yo|el|ella"
    r"|insurance|versicherung|mutuelle|amazon|zalando|zara|fnac|finanzamt)$"
)


@dataclass(frozen=True, slots=True)
class Payback:
    """Who gave it back to the writer, or, `by_me`, whom the writer gave it back to."""

    who: str
    by_me: bool = False


@lru_cache(maxsize=64)
def payback_in(sentence: Sentence) -> Payback | None:
    """What a clause tells of money that was lent and came back."""
    for by_me, patterns in ((False, _TO_ME), (True, _BY_ME)):
        for pattern in patterns:
            match = pattern.search(sentence.folded)
            if match is not None and not _NOBODY.match(match["who"]):
                return Payback(sentence.text[match.start("who") : match.end("who")], by_me)
    return None
