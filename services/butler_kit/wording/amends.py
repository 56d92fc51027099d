# ruff: noqa: E501 - patterns stay on one line
"""Messages that correct, or take back, what was said last: "scratch that", "I meant Clara" (pure).

Switchboard sends such a message to the butler that spoke last; that butler corrects its note.

Invariant: only a short message of one line counts. Linear. What it corrects is not known here; a possible correction
(`weak`) is one only if something that it fits was just told.
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
"""After "wait" or "sorry", a question without its mark: it corrects nothing."""
_COMMA: Final = re.compile(r"[,.:;!–—-]\s*+$")

Force = Literal["sure", "soft", "weak"]


@dataclass(frozen=True, slots=True)
class Amend:
    """What is right, in the message's own words, and what was wrong, if it says so.

    `takes_back`: nothing is right instead. `force` is `sure` if its words alone mean that something was wrong, `soft`
    if it opens with a "no" or an "actually", `weak` if it only says what something was. `apart`: a comma follows its
    opening; `copula`: it has words such as "it was".
    """

    right: str = ""
    wrong: str = ""
    force: Force = "sure"
    takes_back: bool = False
    apart: bool = False
    copula: bool = False


def amend_in(text: str, fold: Callable[[str], str]) -> Amend | None:
    """Return the correction in a message; None without one, or if it is too long. `fold` keeps the length."""
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
    """Return the correction in a lone number with a few words that say why: "sorry nurse fingers, 148/76"."""
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
    """Return the correction that an opening, a closing, or naming both right and wrong gives away."""
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
    """Return where the openers end, the force of the strongest, and whether a comma follows the last."""
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
    """Return where the words before the closing end, and whether the closing marks a correction."""
    end, sure = len(folded), False
    for _ in range(2):
        found = TAIL.search(folded, start, end)
        if found is None:
            break
        end, sure = found.start(), sure or found["sure"] is not None
    return end, sure


def _tells_anew(folded: str) -> bool:
    """Return whether it tells of a new payment for something, "I paid 51 euros for gas": no correction."""
    found = PAID.match(folded)
    if found is None:
        return False
    rest = OF_IT.sub("", folded[found.end() :])
    return sum(not word.isdigit() for word in _WORD.findall(rest)) > 1


def _is_other(right: str, wrong: str) -> bool:
    """Return whether a short text ends with one number and denies another: "hairdresser is at 3 not 2"."""
    ends = _NUMBERED.search(right) is not None and _NUMBERED.fullmatch(wrong) is not None
    return ends and len(_WORD.findall(right)) <= _MOST_STATED


def _parted(said: str, folded: str) -> tuple[str, str]:
    """Return what is right, and what is said to be wrong."""
    for pattern in (INSTEAD_OF, APART):
        found = pattern.search(folded)
        if found is not None and found.start() > 0:
            right = TAIL.sub("", said[: found.start()])
            return right, said[found.end() :].strip(" ,.;:!")
    return said, ""
