# ruff: noqa: E501 - patterns stay on one line
"""How people say that a sum is only a part of what is due (pure). EN, DE, FR, ES."""

from __future__ import annotations

import re
from typing import Final

from butler_specialist.understanding.sentence import Sentence

__all__ = ["is_part"]

_PART: Final = re.compile(
    r"\b(?:(?:part|half|some|most|rest) of|(?:of|off|towards?) (?:the|my|our|your|that|this|his|her)|inst?al+ments?|deposit|down payment|part[- ]payment"
    r"|davon|teil|teilweise|teilbetrag|anzahlung|angezahlt|abschlag|rate|restbetrag|von (?:der|meiner|unserer|dieser|seiner|ihrer) [^\W\d_]*rechnung"
    r"|partie|acompte|mensualite|sur (?:la|ma|notre|cette) facture|de (?:la|ma|notre|cette) facture"
    r"|parte|a cuenta|anticipo|plazo|de (?:la|mi|nuestra|esta) factura)\b"
)


def is_part(sentence: Sentence) -> bool:
    """Return whether the words allow that more is due; the sums decide whether it is."""
    return _PART.search(sentence.folded) is not None
