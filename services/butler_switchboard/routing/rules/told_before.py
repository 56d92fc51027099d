"""Finds the butler that was told what a message asks for, or says is over (pure; ADR 0031, ADR 0092).

What was told is read from the requests of the same chat, never from another butler's records, and matched by the
words by which that butler looks for it itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from butler_kit.tellings.sorts import tells
from butler_kit.textmodel.features import fold
from butler_kit.wording.asked_words import asked_words, share_told
from butler_kit.wording.likeness import content_words
from butler_switchboard.routing.message import RoutingMessage, Spoken
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.rules.entry_words import SAID_BESIDE
from butler_switchboard.routing.rules.follow_up import asks_first, is_plain, own_words

__all__ = ["asks_or_ends", "other_teller", "teller_of", "told_what_is_over"]

_MOST_CHARS: Final = 160
_MOST_WORDS: Final = 14
_A_THIRD: Final = 1 / 3
_HALF: Final = 0.5
_SURELY: Final = 0.85
_LIKELY: Final = 0.6
_MAYBE_DONE: Final = 0.3
"""The bar for being done, which counts only if it names something that was told."""
_WORD: Final = re.compile(r"[^\W\d_]++")


def asks_or_ends(message: RoutingMessage) -> bool:
    """Return whether it asks for something that was told, or says that it is over, and names something."""
    return bool(_asked_for(message) or _said_to_be_over(message, or_changed=True))


def teller_of(message: RoutingMessage, registry: RegistryView) -> Spoken | None:
    """Return who was told most of what a question names, the latest of several; None below a third."""
    told = _tellers(message, registry)
    best = max(told, key=lambda one: told[one], default=None)
    return best if best is not None and told[best] >= _A_THIRD else None


def other_teller(message: RoutingMessage, registry: RegistryView, *, meant: str) -> Spoken | None:
    """Return the other butler that was told most of what a question names, if that is more than `meant` was told.

    An equal share is enough if the household ranks the two (SWB-29.1): it wants to know whether they differ.
    """
    told = _tellers(message, registry)
    own = max((share for one, share in told.items() if one.butler == meant), default=0.0)
    best = max((one for one in told if one.butler != meant), key=lambda one: told[one], default=None)
    if best is None or told[best] < max(_HALF, own):
        return None
    ranked = registry.precedence(best.butler) != registry.precedence(meant)
    return best if told[best] > own or ranked else None


def _tellers(message: RoutingMessage, registry: RegistryView) -> dict[Spoken, float]:
    """Return the earlier messages that have some of what a question names, with their share of it."""
    names = _asked_for(message) if message.told else frozenset()
    if not names:
        return {}
    said = {one: share_told(names, _told(one.to)) for one in message.told if registry.eligible(one.butler)}
    return {one: share for one, share in said.items() if share}


def _asked_for(message: RoutingMessage) -> frozenset[str]:
    """Return the words that name what a question is about."""
    said = own_words(message.text, message.subject)
    if not said or len(said) > _MOST_CHARS or "\n" in said:
        return frozenset()
    found = _WORD.findall(fold(said))
    asks = said.endswith("?") or asks_first(found) or tells("ask", said, _SURELY)
    return _naming(said) if asks and len(found) <= _MOST_WORDS else frozenset()


def _naming(said: str) -> frozenset[str]:
    return frozenset(
        word for word in asked_words(said, fold) if word not in SAID_BESIDE and not is_plain(word)
    )


@lru_cache(maxsize=1024)
def _told(text: str) -> frozenset[str]:
    """Return the words of an earlier message; none if it only asked."""
    folded = fold(text)
    if folded.rstrip().endswith("?") or asks_first(_WORD.findall(folded)):
        return frozenset()
    return content_words(text, fold)


def told_what_is_over(message: RoutingMessage, registry: RegistryView, *, or_changed: bool) -> list[Spoken]:
    """Return who was told most of what a message names as done, or as not taking place.

    A message that asks for a change by name is looked for by all of its words (`or_changed` is false).
    """
    names = _said_to_be_over(message, or_changed=or_changed) if message.told else frozenset()
    shares = {
        one: share_told(names, _told(one.to))
        for one in message.told
        if names and registry.eligible(one.butler)
    }
    most = max(shares.values(), default=0.0)
    return [one for one, share in shares.items() if share == most] if most >= _A_THIRD else []


def _said_to_be_over(message: RoutingMessage, *, or_changed: bool) -> frozenset[str]:
    """Return what the first clause names as over: "tax lady done, she was nice"."""
    said = own_words(message.text, message.subject)
    if not said or len(said) > _MOST_CHARS or "\n" in said or said.endswith("?"):
        return frozenset()
    clause = said.split(",")[0]
    sorts = ("off", "change") if or_changed else ("off",)
    over = tells("done", clause, _MAYBE_DONE) or any(tells(sort, clause, _LIKELY) for sort in sorts)
    return _naming(clause) if over else frozenset()
