"""Routes what people say of themselves, and questions about it, to the butlers that remember (pure; ADR 0078, 0110).

Invariants: what one person asks to be remembered goes to one memory, and what concerns all that is known of them to
every one, whatever rule or reply says otherwise. A text with a day or a number may be another butler's entry, and is
routed like any message.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from butler_contracts.memory import CAPABILITY
from butler_kit.textmodel.features import fold
from butler_kit.wording.about_me import asks_about_me, forgets_all, told_about_me
from butler_switchboard.routing.everybody import names_a_day
from butler_switchboard.routing.message import RouteCall, RoutingMessage, Segment
from butler_switchboard.routing.registry_view import GENERAL, RegistryView
from butler_switchboard.routing.verdict import Provenance, Target, Verdict, verdict

__all__ = ["ASKED_OF_MEMORIES", "FORGOTTEN_BY_ALL", "REMEMBERED", "verdict_of_memories", "verdict_of_memory"]

REMEMBERED: Final = "remembered"
ASKED_OF_MEMORIES: Final = "asked_of_memories"
FORGOTTEN_BY_ALL: Final = "forgotten_by_all"
_MOST_CHARS: Final = 300
_NUMBER: Final = re.compile(r"\d")


def verdict_of_memory(message: RoutingMessage, registry: RegistryView) -> Verdict | None:
    """Return the routing of a member's message if it only tells something to remember; None if nobody remembers."""
    name = _who_remembers(registry)
    if name is None or not _is_a_members_chat(message) or not _is_to_be_remembered(message.text.strip()):
        return None
    return _to_one(name, message, registry)


def verdict_of_memories(message: RoutingMessage, registry: RegistryView) -> Verdict | None:
    """Return the routing of a member's message that asks for all that is known of them, or to have it forgotten.

    Each butler that remembers is asked in turn, `general` last. An order to forget waits for those that may not be
    asked now (ADR 0084). None for any other message, and if nobody remembers.
    """
    text = message.text.strip()
    forgets = forgets_all(text, fold)
    if not _is_a_members_chat(message) or not (forgets or asks_about_me(text, fold)):
        return None
    names = _all_who_remember(registry)
    asked = [name for name in names if registry.eligible(name)]
    away = [name for name in names if not registry.eligible(name)] if forgets else []
    if len(asked) + len(away) < 2:
        return _to_one(asked[0], message, registry) if asked else None
    segment = Segment.whole(message.text, "concerns all that is known of who wrote it")
    return Verdict(
        targets=tuple(Target(name, message.text, segment, away=name in away) for name in (*asked, *away)),
        fallback=False,
        reason=FORGOTTEN_BY_ALL if forgets else ASKED_OF_MEMORIES,
        confidence=1.0,
        prompt_version="",
        model_version=REMEMBERED,
        family="policy",
        order="ordered",
    )


def _is_a_members_chat(message: RoutingMessage) -> bool:
    own = message.sender_class == "household" and not message.automatic
    return own and not message.headline and not message.subject


def _to_one(name: str, message: RoutingMessage, registry: RegistryView) -> Verdict:
    segment = Segment.whole(message.text, "is to be remembered of who wrote it, or asks for what is")
    call, source = RouteCall(name, message.text, segment), Provenance("policy", REMEMBERED, "")
    return replace(verdict([call], registry, message, 0.0, provenance=source, policy=True), reason=REMEMBERED)


def _all_who_remember(registry: RegistryView) -> list[str]:
    names = [one.name for one in registry.butlers if CAPABILITY in one.capabilities]
    return sorted(names, key=lambda name: (name == GENERAL, name))


def _who_remembers(registry: RegistryView) -> str | None:
    """Return `general` if it remembers, else the first by name."""
    names = [name for name in _all_who_remember(registry) if registry.eligible(name)]
    return GENERAL if GENERAL in names else next(iter(names), None)


def _is_to_be_remembered(text: str) -> bool:
    if len(text) > _MOST_CHARS:
        return False
    told = told_about_me(text, fold)
    if len(told) != 1 or told[0].said != text:
        return False
    return not names_a_day(text) and (_NUMBER.search(text) is None or told[0].slot.startswith("my:"))
