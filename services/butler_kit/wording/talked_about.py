# ruff: noqa: E501 - patterns stay on one line
"""Questions about what was spoken of: "what did we talk about last week?", "about the boiler?" (pure). EN, DE, FR, ES.

"We" are the writer and who is written to: what was discussed with somebody else is no such question. `fold` is its
caller's way to fold a text: lower case, no accents.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

__all__ = ["talked_about"]

Fold = Callable[[str], str]

_MOST_CHARS: Final = 300
_LEAD: Final = (
    r"^\W*+(?:(?:please|hey|hi|ok|okay|so|and|tell me|remind me|do you (?:still )?(?:know|remember)|butlers?"
    r"|bitte|hallo|und|sag mal|weisst du noch|stp|s'il te plait|et|dis-moi|tu te souviens|por favor|oye|y|dime|recuerdas)\b[\s,!:]*+)*+"
)
_TALKED: Final = r"(?:talk(?:ed|ing)?|spoken|spoke|speak(?:ing)?|chat(?:ted|ting)?|discuss(?:ed|ing)?)"
_GESPROCHEN: Final = r"(?:gesprochen|geredet|besprochen|unterhalten|gequatscht)"
_WHAT: Final = re.compile(
    rf"{_LEAD}(?:"
    rf"(?:what|when)(?: else| exactly)?(?: did we| have we| had we| were we| was it(?: that)? we| we(?:'ve)?)(?: (?:last|just|ever|already|recently|been))? {_TALKED}"
    rf"|(?:woruber|wovon|was|wann) (?:haben|hatten) wir (?P<de>[^.!?]*?)\b{_GESPROCHEN}"
    rf"|(?:woruber|wovon|was) wir (?P<noch>[^.!?]*?)\b{_GESPROCHEN} (?:haben|hatten)"
    r"|(?:de quoi|quand) (?:avons-nous|a-t-on|est-ce qu'on a|est-ce que nous avons|on a|nous avons)(?: deja)? (?:parle|discute)"
    r"|(?:qu'avons-nous|qu'est-ce qu'on a|qu'est-ce que nous avons) discute"
    r"|(?:(?:de|sobre) que|cuando) (?:hablamos|hemos hablado|habiamos hablado|estuvimos hablando|charlamos)"
    r")\b(?P<rest>[^\n]*)$"
)
_WHETHER: Final = re.compile(
    rf"{_LEAD}(?:"
    rf"(?:did|have) we(?: (?:ever|already|once|just|recently))? {_TALKED}"
    rf"|haben wir (?P<de>[^.!?]*?)\b{_GESPROCHEN}"
    r"|(?:avons-nous|a-t-on|est-ce qu'on a|est-ce que nous avons|on a)(?: deja)? (?:parle|discute)"
    r"|(?:hemos|habiamos) hablado"
    r")\b(?P<rest>[^\n]*)\?\W*$"
)
_TO_SOMEBODY: Final = re.compile(r"(?:to|with|mit|zu|au(?! sujet)|aux|avec|con|al|a(?! propos))\b")
_MORE: Final = re.compile(r"[.!?]\s+\w")
_OF: Final = re.compile(
    r"^\W*(?:(?:about|on|over|of|uns|uber|von|de|du|des|del|d'|sobre|acerca|a propos|au sujet)\b[\s']*)*"
)


def talked_about(text: str, fold: Fold) -> str | None:
    """Return the folded words that say of what, or when, empty where nothing does; None for any other message."""
    if len(text) > _MOST_CHARS:
        return None
    folded = fold(text).replace("ß", "ss").strip()
    found = _WHAT.match(folded) or _WHETHER.match(folded)
    if found is None or _MORE.search(folded):
        return None
    inside = next((found[name] for name in ("de", "noch") if found.groupdict().get(name)), "")
    said = f"{inside} {found['rest']}".strip(" ?!.,")
    return None if _TO_SOMEBODY.match(said) else _OF.sub("", said, count=1).strip(" ?!.,")
