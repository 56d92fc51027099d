"""Routes what people say of themselves, and questions about it, to the butler that remembers it (pure; ADR 0078).

Invariant: everything that one person asks to be remembered is in one memory, so that a question about it is answered
in full. A text with a day or a number may be another butler's entry, and is routed like any message.
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
from butler_switchboard.routing.verdict import Provenance, Verdict, verdict

__all__ = ["REMEMBERED", "verdict_of_memory"]

REMEMBERED: Final = "remembered"
_MOST_CHARS: Final = 300
_NUMBER: Final = re.compile(r"\d")


def verdict_of_memory(message: RoutingMessage, registry: RegistryView) -> Verdict | None:
    """Return the routing of a member's message if it is only about memory; None also if nobody remembers."""
    if message.sender_class != "household" or message.automatic or message.headline or message.subject:
        return None
    name = _who_remembers(registry)
    if name is None or not _is_of_memory(message.text.strip()):
        return None
    segment = Segment.whole(message.text, "is to be remembered of who wrote it, or asks for what is")
    call, source = RouteCall(name, message.text, segment), Provenance("policy", REMEMBERED, "")
    return replace(verdict([call], registry, message, 0.0, provenance=source, policy=True), reason=REMEMBERED)


def _who_remembers(registry: RegistryView) -> str | None:
    """Return `general` if it remembers, else the first by name."""
    names = [one.name for one in registry.butlers if one.eligible and CAPABILITY in one.capabilities]
    return GENERAL if GENERAL in names else next(iter(names), None)


def _is_of_memory(text: str) -> bool:
    if len(text) > _MOST_CHARS:
        return False
    if asks_about_me(text, fold) or forgets_all(text, fold):
        return True
    told = told_about_me(text, fold)
    if len(told) != 1 or told[0].said != text:
        return False
    return not names_a_day(text) and (_NUMBER.search(text) is None or told[0].slot.startswith("my:"))
