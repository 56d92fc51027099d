# ruff: noqa: E501 - patterns stay on one line
"""Whether a whole message corrects, or takes back, what was said last: "scratch that", "I meant Clara" (pure).

Switchboard sends such a message to the butler that spoke last; that butler puts right what it noted.

Invariant: short and of one line, or nothing. Linear. What it corrects is not known here; what only may be a
correction (`weak`) is one where something was just told that it fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from butler_kit.wording.amend_words import (
    APART,
    ASIDE_AFTER,
    ASIDE_BEFORE,
    BARE,
    COPULA,
    FORGET,
    FORGET_BECAUSE,
    INSTEAD_OF,
    LEAD,
    NEGATED_VERB,
    NOT_BUT,
    OF_IT,
    PAID,
    TAIL,
)

__all__ = ["Amend", "amend_in"]

_MOST_CHARS: Final = 120
_MOST_WORDS: Final = 14
_MOST_OPENERS: Final = 6
_WORD: Final = re.compile(r"[^\W_]++")
_MOST_STATED: Final = 6
_NUMBERED: Final = re.compile(
    r"(?:\b(?:at|um|on|am|a las?|a|le|el) )?\d[\d.,:]*(?: ?(?:€|euros?|uhr|h|[ap]m))?\W*$", re.IGNORECASE
)
"""A number, an hour or the number of a day."""
_ASKS: Final = re.compile(
    r"(?:what|when|where|who|which|how|did|does|wann|wo|wer|wie|quand|combien|cuando|donde|quien)\b(?!ever)"
    r"|(?:is|are|was|were|ist|sind|war|waren) (?:the|it|that|this|he|she|there|my|our|die|der|das|es|mein\w*|unser\w*)\b(?![^?]{0,30} \d)"
    r"|was (?:ist|war|hat|steht|kostet)\b"
)
"""Behind "wait" or "sorry", a question without its mark: it puts nothing right."""
_COMMA: Final = re.compile(r"[,.:;!–—-]\s*+$")

Force = Literal["sure", "soft", "weak"]


@dataclass(frozen=True, slots=True)
class Amend:
    """What is right, in the message's own words, and what was wrong where it says so.

    `takes_back`: nothing is right instead. `force` is `sure` where it says by itself that something was wrong, `soft`
    where it opens with a "no" or an "actually", `weak` where it only says what something was. `apart`: a comma stands
    behind its opening; `copula`: "it was".
    """

    right: str = ""
    wrong: str = ""
    force: Force = "sure"
    takes_back: bool = False
    apart: bool = False
    copula: bool = False


def amend_in(text: str, fold: Callable[[str], str]) -> Amend | None:
    """What the message corrects; None where it is none, or is too long for one. `fold` keeps the length of a text."""
    said = text.strip()
    if not 0 < len(said) <= _MOST_CHARS or "\n" in said or said.endswith("?"):
        return None
    if not 0 < len(_WORD.findall(said)) <= _MOST_WORDS:
        return None
    folded = fold(said)
    if FORGET.match(folded) or FORGET_BECAUSE.match(folded):
        return Amend(takes_back=True)
    if (alone := BARE.match(said)) is not None:
        return Amend(right=(alone["right"] or alone["other"]).strip(), apart=True)
    return _beside_a_reason(said, folded) or _opened(said, folded, fold)


def _beside_a_reason(said: str, folded: str) -> Amend | None:
    """A number alone that is right, with a few words that say why: "sorry nurse fingers, 148/76"."""
    start, force, _ = _opening(folded)
    if force is not None and (found := ASIDE_BEFORE.match(folded, start)) is not None:
        return Amend(said[found.start("right") : found.end("right")], apart=True)
    found = ASIDE_AFTER.match(folded, start)
    if found is None:
        return None
    end, closing = _closing(folded[: found.end("right")], found.start("right"))
    right = said[found.start("right") : end].strip(" ,.;:!")
    if (force is None and not closing) or _NUMBERED.fullmatch(right) is None:
        return None
    return Amend(right, apart=True)


def _opened(said: str, folded: str, fold: Callable[[str], str]) -> Amend | None:
    """By its opening, its end, or both what is so and what is not."""
    both = NOT_BUT.match(folded)
    if both is not None:
        return _both(said, both, fold)
    start, force, apart = _opening(folded)
    if _ASKS.match(folded, start):
        return None
    end, closing = _closing(folded, start)
    start = start if force or closing or COPULA.match(folded, start) else 0
    if closing:
        force = "sure"
    both = NOT_BUT.match(folded[start:end])
    if both is not None:
        return _both(said[start:end], both, fold)
    right, wrong = _parted(said[start:end], folded[start:end])
    if wrong and NEGATED_VERB.search(fold(right)):
        right, wrong = said[start:end], ""
    whole = right
    found = COPULA.match(fold(right))
    if found is not None:
        right = right[found.end() :]
    if (
        force is None
        and wrong
        and (found is not None or len(_WORD.findall(right)) <= 3 or _is_other(right, wrong))
    ):
        force = "soft"
    if force is None and (found is None or _tells_anew(fold(whole))):
        return None
    return Amend(
        right.strip(" ,.;:!"), wrong, force or "weak", apart=apart or closing, copula=found is not None
    )


def _both(said: str, both: re.Match[str], fold: Callable[[str], str]) -> Amend:
    right, wrong = said[both.start("right") :], said[both.start("wrong") : both.end("wrong")]
    found = COPULA.match(fold(right))
    return Amend(
        right[found.end() if found else 0 :].strip(" ,.;:!"), wrong.strip(" ,.;:!"), "sure", apart=True
    )


def _opening(folded: str) -> tuple[int, Force | None, bool]:
    """Where the openers end, the strongest of them, and whether a comma stands behind the last."""
    place, apart = 0, False
    force: Force | None = None
    for _ in range(_MOST_OPENERS):
        found = LEAD.match(folded, place)
        if found is None:
            break
        if found["filler"] is None:
            force = "sure" if found["sure"] is not None or force == "sure" else "soft"
            apart = _COMMA.search(folded, found.start(), found.end()) is not None
        place = found.end()
    return place, force, apart


def _closing(folded: str, start: int) -> tuple[int, bool]:
    """Where the words end before what closes the message, and whether that says that it is a correction."""
    end, sure = len(folded), False
    for _ in range(2):
        found = TAIL.search(folded, start, end)
        if found is None:
            break
        end, sure = found.start(), sure or found["sure"] is not None
    return end, sure


def _tells_anew(folded: str) -> bool:
    """Whether a payment is named with what it was for, "I paid 51 euros for gas": that is one, and puts none right."""
    found = PAID.match(folded)
    if found is None:
        return False
    rest = OF_IT.sub("", folded[found.end() :])
    return sum(not word.isdigit() for word in _WORD.findall(rest)) > 1


def _is_other(right: str, wrong: str) -> bool:
    """Whether a short statement ends with one number and denies another: "hairdresser is at 3 not 2"."""
    ends = _NUMBERED.search(right) is not None and _NUMBERED.fullmatch(wrong) is not None
    return ends and len(_WORD.findall(right)) <= _MOST_STATED


def _parted(said: str, folded: str) -> tuple[str, str]:
    """What is right, and what is said not to be so."""
    for pattern in (INSTEAD_OF, APART):
        found = pattern.search(folded)
        if found is not None and found.start() > 0:
            right = TAIL.sub("", said[: found.start()])
            return right, said[found.end() :].strip(" ,.;:!")
    return said, ""
