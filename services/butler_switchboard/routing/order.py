# ruff: noqa: E501 - patterns stay on one line
"""Whether the parts of a message depend on each other: "…, and if that works tell Clara", "first … then …" (pure).

Two things say so: the session that divided the message (`after` of its calls), and the words of the message.

Invariant: of the words, only those at the boundary between two butlers' parts count, so a condition or a "then" inside a part is
that part's own. A condition that could apply to several parts applies to all that follow: what was left undone is
reported, what was done cannot be taken back. Linear: only some characters around each boundary are examined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

from butler_switchboard.routing.message import Segment

__all__ = ["AFTER", "After", "Order", "order_of", "order_told", "says_condition", "without_order"]

Order = Literal["parallel", "ordered", "conditional"]
"""All at once; each after the one before; each only if the one before succeeded."""
After = Literal["always", "success"]
"""When a part may begin, told with its call: after the one before, or only if that one succeeded."""
AFTER: Final[tuple[After, ...]] = ("always", "success")

_LEAD, _INSIDE = 48, 6
"""How far before the beginning of the next part such words may begin, and how far after it."""
_AND: Final = r"(?:(?:and|but|und|aber|et|mais|y|pero),? )?"
_CONDITION: Final = re.compile(
    rf"\b{_AND}(?:"
    r"(?:only )?if (?:(?:that|this|it|all that)(?: all)? (?:works?(?: out)?|worked(?: out)?|goes (?:through|well)|went (?:through|well)|succeed(?:s|ed)|is (?:done|possible|successful))|successful|so)"
    r"|(?:once|as soon as|when) (?:(?:that|this|it)(?:['’]s| is| has been) (?:done|gone through|worked)|done)"
    r"|(?:nur )?(?:wenn|falls|sofern|sobald) (?:das|es|dies)(?: dann| alles)? (?:klappt|geklappt hat|funktioniert(?: hat)?|geht|erledigt ist|gelingt|gelungen ist)"
    r"|(?:seulement )?(?:si (?:[cç]a|cela) (?:marche|a march[eé]|fonctionne|passe)|une fois (?:que )?(?:c['’]est |cela |[cç]a )?fait|d[eè]s que c['’]est fait|quand c['’]est fait)"
    r"|(?:s[oó]lo |solo )?(?:si (?:(?:eso|esto) )?(?:funciona|sale bien|ha funcionado|se puede)|(?:cuando|en cuanto) (?:eso )?est[eé] hecho|una vez hecho)"
    r")\b",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    rf"\b{_AND}(?:after (?:that|this)|afterwards|when you(?:['’]re| are) done|danach|anschlie(?:ß|ss)end|erst danach|ensuite|apr[eè]s [cç]a|apr[eè]s cela|despu[eé]s(?: de eso)?)\b",
    re.IGNORECASE,
)
_FIRST: Final = re.compile(
    r"\W*(?:(?:please|bitte|por favor|s'il te pla[iî]t),? )?(?:first(?: of all)?|zuerst|als erstes|erst|d['’]abord|primero)\b",
    re.IGNORECASE,
)
_THEN: Final = re.compile(rf"\b{_AND}(?:then|dann|puis|luego|entonces)\b", re.IGNORECASE)
_SPACE: Final = r"[\s,;:.–—-]*"
_LEADING: Final = tuple(
    re.compile(rf"{_SPACE}(?:{one.pattern}){_SPACE}", re.IGNORECASE) for one in (_CONDITION, _AFTER, _THEN)
)
_TRAILING: Final = tuple(
    re.compile(rf"[\s,;:–—-]*(?:{one.pattern}){_SPACE}\Z", re.IGNORECASE)
    for one in (_CONDITION, _AFTER, _THEN)
)


def order_told(told: Sequence[After | None]) -> Order:
    """Return what the calls themselves say, in their order; what the first one says means nothing."""
    if "success" in told[1:]:
        return "conditional"
    return "ordered" if len(told) > 1 and all(told[1:]) else "parallel"


def order_of(text: str, segments: Sequence[Segment]) -> Order:
    """Return how the parts, in the order of their calls, depend on each other; `parallel` if not separate."""
    spans = [(one.char_ranges[0][0], one.char_ranges[-1][1]) for one in segments if one.char_ranges]
    if len(spans) < 2 or len(spans) < len(segments):
        return "parallel"
    if any(after[0] < before[1] for before, after in pairwise(spans)):
        return "parallel"
    joints = [_joint(text, before[0], after[0]) for before, after in pairwise(spans)]
    if "conditional" in joints:
        return "conditional"
    return "ordered" if all(joint == "ordered" for joint in joints) else "parallel"


def says_condition(text: str) -> bool:
    """Return whether any part of a message depends on another one's success."""
    return _CONDITION.search(text) is not None


def without_order(part: str) -> str:
    """Return a part without the words that only state its turn; the part itself if nothing else is left."""
    left = part
    for one in _LEADING:
        if found := one.match(left):
            left = left[found.end() :]
    for one in _TRAILING:
        if found := one.search(left, max(0, len(left) - 2 * _LEAD)):
            left = left[: found.start()]
    left = left[found.end() :].lstrip(" ,:") if (found := _FIRST.match(left)) else left
    return left if any(char.isalnum() for char in left) else part


def _joint(text: str, before: int, start: int) -> Order:
    """Return the order stated between the part that begins at `before` and the one that begins at `start`."""
    if _stands(_CONDITION, text, before, start):
        return "conditional"
    follows = _FIRST.match(text, before) is not None and _stands(_THEN, text, before, start)
    return "ordered" if follows or _stands(_AFTER, text, before, start) else "parallel"


def _stands(words: re.Pattern[str], text: str, before: int, start: int) -> bool:
    """Return whether `words` occur at `start`, with no end of a sentence between."""
    for found in words.finditer(text, max(before, start - _LEAD), start + _LEAD + _INSIDE):
        between = text[found.end() : start] if found.end() < start else ""
        if found.start() <= start + _INSIDE and not re.search(r"[.!?\n]", between):
            return True
    return False
