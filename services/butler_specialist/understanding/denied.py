# ruff: noqa: E501 - patterns stay on one line
"""What a text names only to deny it: "not Saturday but Sunday", "tomorrow, no wait, Thursday" (pure). EN, DE, FR, ES.

Invariant: a day, an hour or a sum that is denied, given up or taken back is not kept; what was left standing is, or
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, Protocol, TypeVar

__all__ = ["is_superseded", "left_standing", "put_right", "takes_back"]


class _Placed(Protocol):
    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


T = TypeVar("T", bound=_Placed)

_BETWEEN: Final = (
    r"(?:[ ,]*(?:on|at|the|this|coming|for|from|to|am|um|den|dem|der|diesen|kommenden|auf|fur|von|le|la|les|ce|cette|du|des"
    r"|a|au|pour|el|los|las|este|al|de|del|para|next|as planned|as agreed|like we said|as i said|wie besprochen|wie geplant"
    r"|wie gesagt|comme prevu|comme convenu|como dije|como quedamos))*[ ,]*"
)
_DENIED: Final = re.compile(
    rf"(?:(?<!why )(?<!if )(?<!or )\b(?:not|isn't|isnt|wasn't|aren't)|(?<!warum )(?<!wieso )(?<!wenn )(?<!ob )(?<!oder )(?<!vergiss )(?<!vergiss bitte )(?<!vergesst )\b(?:doch )?nicht(?: mehr)?"
    rf"|(?<!pourquoi )(?<!si )(?<!ou )(?<!n'oublie )(?<!n'oubliez )\b(?:pas|plus)(?= (?:le|la|a|au|ce|du|comme)\b| \d| (?:lun|mar|mer|jeu|ven|sam|dim)\w*di)"
    rf"|(?<!por que )(?<!o )\b(?:ya )?no(?= (?:el|la|los|las|a las?|este|para|como)\b)"
    rf"|\b(?:instead of|rather than|originally|initially|statt|anstatt|ursprunglich|zunachst|initialement|a l'origine|au lieu d[eu]|plutot que"
    rf"|en vez del?|en lugar del?|originalmente|inicialmente))(?! until| till| before| only){_BETWEEN}$"
)
_TAKES_BACK: Final = re.compile(
    r"\b(?:no,? wait|wait,? no|no,? i mean|i mean|i meant|no,? sorry|sorry|oops|scratch that|make that|correction|or rather"
    r"|(?:ach|ah|ah?h?m?) nein|nein,? (?:warte|doch|halt|sorry)|quatsch|ich meine|ich meinte|vielmehr|besser gesagt|beziehungsweise nein"
    r"|non,? pardon|pardon|enfin non|non,? attends|je veux dire|je voulais dire|ou plutot|euh non"
    r"|digo|perdon|no,? espera|mejor dicho|quiero decir|queria decir|ay no)\b[ ,.:…-]*"
    r"|\b(?:no|nope|nein|nee|non|nan)(?:,|\.{2,}|…| [-–])[ ,.:…-]*"
)
_NUMBER: Final = re.compile(r"(?:it's |it was |was |is |es war |es sind |c'est |es |era )?(?P<n>\d)")
_BEFORE: Final = 60
"""The characters before a day in which it may be denied."""
_NEAR: Final = 14
"""The most characters between the words that take back and the replacement."""
_MOST: Final = 64
"""The most days, hours or sums of one clause that are checked; nobody names more."""
_WAS_TO_BE: Final = re.compile(
    r"\b(?:scheduled|planned|supposed|meant|due|was|were|geplant|angesetzt|vorgesehen|war|sollte|prevue?s?|devait|etait|previst[oa]s?|programad[oa]s?"
    r"|estaba|era|iba a)\b"
)


def left_standing(items: Sequence[T], folded: str) -> tuple[T, ...]:
    """Return those that the folded text neither denies nor replaces by another of them."""
    if not items or len(items) > _MOST:
        return tuple(items)
    kept = tuple(one for one in items if not _is_denied(folded, one.start))
    for start, end in _taken_back(folded):
        if any(end - 1 <= one.start <= end + _NEAR for one in kept):
            kept = tuple(one for one in kept if one.end > start)
    return kept


def takes_back(before: str, after: str) -> bool:
    """Return whether the second part continues what the first gave up: "on Friday, no wait" | "Saturday"."""
    opens = _TAKES_BACK.match(after)
    return opens is not None or any(
        match.end() >= len(before) for match in _TAKES_BACK.finditer(f"{before}, ")
    )


def put_right(items: Sequence[T], folded: str) -> tuple[T, ...]:
    """Return those that stand; none before a number that replaces them: "140/90, sorry 130/90"."""
    kept = left_standing(items, folded)
    for _, end in _taken_back(folded) if kept else ():
        number = _NUMBER.match(folded, end)
        if number is not None and not any(one.start <= number.start("n") < one.end for one in kept):
            kept = tuple(one for one in kept if one.start >= end)
    return kept


def is_superseded(folded: str) -> bool:
    """Return whether a clause only says where something was to be, before another says where it moved."""
    return _WAS_TO_BE.search(folded) is not None


def _is_denied(folded: str, start: int) -> bool:
    return _DENIED.search(folded[max(0, start - _BEFORE) : start]) is not None


@lru_cache(maxsize=64)
def _taken_back(folded: str) -> tuple[tuple[int, int], ...]:
    return tuple(match.span() for match in islice(_TAKES_BACK.finditer(folded), _MOST))
