"""Words that only mean a change where such an entry is kept: "remove bread", "the plumber was 140, not 130" (pure).

All are matched against a folded clause from its start. EN, DE, FR, ES.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["INSTEAD", "MOVED", "PAID", "REMOVES", "RIGHTS"]

_LEAD: Final = r"^\W*+(?:(?:please|ok|no|and|bitte|nein|non|et|por favor|s'il te plait)\b[\s,]*+)*+"
REMOVES: Final = re.compile(
    _LEAD
    + r"(?:(?:remove|take off|cross off|cross out|strike|drop|scratch|streiche?|entferne?|enleve[rz]?|retire[rz]?"
    r"|quita|tacha|elimina) (?!your|ihre|votre).{2,60}|.{2,40}\b(?:streichen|entfernen))\W*$"
)
"""Something to be taken off, without saying off what."""
RIGHTS: Final = re.compile(
    r"^.{2,80}?\b(?:was|were|is|are|cost|war|waren|ist|sind|kostete|hat|etait|est|a coute|fue|era|es|costo)\b.{0,40}?"
    r"(?:\d|day|tag|di\b|dredi|nes\b|oles\b|ves\b|ado\b|ingo\b|woch\b|manche).{0,24}?,? "
    r"\b(?:not|nicht|pas|no|instead of|statt|au lieu de|en vez de)\b.{0,20}?"
    r"(?:\d|day|tag|di\b|dredi|nes\b|oles\b|ves\b|ado\b|ingo\b|woch\b|manche)"
)
"""Something that is so and not so."""
INSTEAD: Final = re.compile(
    r"^\W*+(?:no|nope|sorry|oops|actually|wait|correction|nein|doch|eigentlich|korrektur|non|pardon|en fait|perdon"
    r"|en realidad)\b[\s,:.!-]+.{1,80}$"
)
"""A day or an hour that is said against what was understood: "no, on Friday"."""
MOVED: Final = re.compile(
    r"\b(?:moved|rescheduled|postponed|shifted|verschoben|verlegt|reportee?|deplacee?|decalee?|aplazad[oa]|cambiad[oa]"
    r"|movid[oa])\b"
)
"""Something that is of another day than before."""
PAID: Final = re.compile(
    r"^\W*+(?:(?:i|we|just|already|finally|ich|wir|j'ai|on a|nous avons|ya|i've|we've|i have|we have|he|hemos)\b"
    r"[\s,]*+)*+"
    r"(?:(?:paid|settled|paye|regle|pague|pagamos|pagado) .|(?:habe?n? )?.{1,80}\b(?:bezahlt|uberwiesen|beglichen)\b)"
)
"""A bill that was paid, with its sum."""
