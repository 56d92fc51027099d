"""The names of somebody's kin (pure); in German in the dative, since "bei" and "von" precede them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from butler_contracts.language import Language
from butler_specialist.locale import noop, say

__all__ = ["kin_called"]

_YOURS: Final[Mapping[str, str]] = {
    "mother": noop("your mother"),
    "father": noop("your father"),
    "grandmother": noop("your grandmother"),
    "grandfather": noop("your grandfather"),
    "sister": noop("your sister"),
    "brother": noop("your brother"),
    "aunt": noop("your aunt"),
    "uncle": noop("your uncle"),
    "wife": noop("your wife"),
    "husband": noop("your husband"),
    "son": noop("your son"),
    "daughter": noop("your daughter"),
    "baby": noop("your baby"),
    "child": noop("your child"),
}
_THEIRS: Final[Mapping[str, str]] = {
    "mother": noop("{name}'s mother"),
    "father": noop("{name}'s father"),
    "grandmother": noop("{name}'s grandmother"),
    "grandfather": noop("{name}'s grandfather"),
    "sister": noop("{name}'s sister"),
    "brother": noop("{name}'s brother"),
    "aunt": noop("{name}'s aunt"),
    "uncle": noop("{name}'s uncle"),
    "wife": noop("{name}'s wife"),
    "husband": noop("{name}'s husband"),
    "son": noop("{name}'s son"),
    "daughter": noop("{name}'s daughter"),
    "baby": noop("{name}'s baby"),
    "child": noop("{name}'s child"),
}


def kin_called(kin: str, of: str, language: Language) -> str:
    """Return `your mother`, or for somebody else `Tom's mother`."""
    return say(language, _THEIRS[kin], name=of) if of else say(language, _YOURS[kin])
