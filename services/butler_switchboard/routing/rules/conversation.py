"""Routes a message that only points back, or answers a question, to the butler that spoke last (SWB-03.4; pure).

Invariant: only for the household's own people, only within `FOLLOWED`, only to a butler that may be chosen now, and
never away from a butler that the message's own shapes (a sum, a dose, a flight) speak for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from butler_switchboard.routing.message import RoutingMessage, Spoken
from butler_switchboard.routing.registry_view import GENERAL, RegistryView
from butler_switchboard.routing.rules.follow_up import own_words, pointing
from butler_switchboard.routing.rules.phrases import reads_as_answer
from butler_switchboard.routing.rules.scoring import Assessment

__all__ = ["FOLLOWED", "asked_last", "may_answer", "may_follow", "spoke_last"]

FOLLOWED: Final = timedelta(minutes=30)
"""How long after an answer a message may still point back at it."""
_COURTESY: Final = 0.6
_MEANT: Final = 0.5
_ASKED: Final = re.compile(
    r"\?\s*$|^\W*(?:and|so|und|et|y)?\W*(?:what|how|when|where|who|which|did|do|does|wie|was|wann|wo|wer|welche\w*|combien|quand|qui|quoi|quel\w*|où|cuánto|cuanto|cuándo|qué|quién|cuál)\b"
    r"|\b(?:c'est|quand|combien|quoi)\s*$",
    re.IGNORECASE,
)
"""Marks an earlier message as a question."""


def may_follow(message: RoutingMessage) -> bool:
    """Return whether the last speaker matters to this message at all."""
    if message.sender_class != "household" or message.automatic:
        return False
    return pointing(message.text, subject=message.subject) is not None


def may_answer(message: RoutingMessage) -> bool:
    """Return whether it may be the answer to a question that a butler asked in its conversation."""
    return message.sender_class == "household" and not message.automatic and reads_as_answer(message.text)


def asked_last(message: RoutingMessage, registry: RegistryView, *, clear: str | None) -> Spoken | None:
    """Return the butler whose question was the last word of the conversation, if the message reads as its answer."""
    last = next(iter(message.spoke), None)
    if last is None or not last.asks or last.ago > FOLLOWED or not registry.eligible(last.butler):
        return None
    return last if clear is None and may_answer(message) else None


def spoke_last(
    message: RoutingMessage, registry: RegistryView, look: Callable[[str], Assessment], *, clear: str | None
) -> Spoken | None:
    """Return whom a message that points back answers; `clear` is the specialist it would go to otherwise."""
    how = pointing(message.text, subject=message.subject) if may_follow(message) else None
    spoken = _last(message, registry, look) if how is not None else []
    if not spoken:
        return None
    if how == "asking on" and not _ASKED.search(spoken[0].to or ""):
        return None
    if how != "only" and clear in {one.butler for one in spoken}:
        return None
    said = look(own_words(message.text, message.subject))
    meant = next((one for one in spoken if said.of(one.butler) >= _MEANT), spoken[0])
    if (
        how != "only"
        and clear is not None
        and (how in ("leaning", "asking on") or said.evidence or meant.butler == GENERAL)
    ):
        return None
    return meant


def _last(message: RoutingMessage, registry: RegistryView, look: Callable[[str], Assessment]) -> list[Spoken]:
    """Return who answered the last message that was more than a courtesy, the latest first."""
    recent = [one for one in message.spoke if one.ago <= FOLLOWED and registry.eligible(one.butler)]
    told = [one for one in recent if not one.to or look(one.to).neutral < _COURTESY]
    first = next(iter(told or recent), None)
    return [one for one in recent if first is not None and one.request == first.request]
