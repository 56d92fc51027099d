# ruff: noqa: E501 - patterns stay on one line
"""Messages that only ask what was noted last: "what did I just tell you?", "was hast du notiert?" (pure)."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["recalls"]

_MOST_CHARS: Final = 80
_RECALLS: Final = re.compile(
    r"^\W*+(?:(?:and|so|wait|sorry|hey|und|et|y|oye)\b\W*+)*+(?:"
    r"what (?:did|have) (?:i|we) (?:just |last )?(?:tell|told|say|said|write|written|wrote|send|sent)(?: to)?(?: you)?(?: just now| last| just)?"
    r"|what (?:did|have) you (?:just )?(?:note|noted|save|saved|write|written|keep|kept|record|recorded)(?: down)?(?: just now| last| just)?"
    r"|what was (?:the last thing|my last (?:message|note|entry))(?: i (?:told you|said|wrote))?"
    r"|was (?:habe?|hab) ich (?:dir )?(?:gerade |eben |zuletzt )(?:gesagt|geschrieben|erzahlt|geschickt)"
    r"|was hast du (?:dir )?(?:gerade |eben |zuletzt )?(?:notiert|aufgeschrieben|gespeichert|gemerkt)"
    r"|qu'est-ce que (?:je viens de te (?:dire|ecrire)|je t'ai dit(?: en dernier)?|tu (?:as|viens de) not(?:e|er))|qu'as-tu note|tu as note quoi|que viens-tu de noter"
    r"|que (?:te )?acabo de (?:decir|escribir)(?:te)?|que te (?:he dicho|dije)(?: antes| ahora)?|que (?:has|acabas de) (?:anotado|apuntado|guardado|anotar|apuntar)|que anotaste|que apuntaste"
    r")\W*+$"
)


def recalls(folded: str) -> bool:
    """Return whether a folded message is such a question."""
    return len(folded) <= _MOST_CHARS and _RECALLS.match(folded) is not None
