"""Asks a second butler if a question names something that butler was told (pure; ADR 0092).

"How heavy is Pickle?" sounds like health, but `general` may know that the cat weighs four kilos. Both are asked one
after the other, as one question; a butler with no answer stays silent.
Invariant: only for the household's own people, only for a question that names what another butler was told in this
conversation; besides the butler that is meant, only one that was told of it is asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from butler_switchboard.routing.message import RoutingMessage, Segment
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.rules.told_before import other_teller
from butler_switchboard.routing.verdict import Target, Verdict

__all__ = ["ASKED_OF_TELLERS", "with_teller"]

ASKED_OF_TELLERS: Final = "asked_of_tellers"


def with_teller(judged: Verdict, message: RoutingMessage, registry: RegistryView) -> Verdict:
    """Return the routing of a question to one butler, followed by one that was told more of what it names."""
    if judged.reason != "routed" or len(judged.targets) != 1:
        return judged
    meant = judged.targets[0]
    told = other_teller(message, registry, meant=meant.butler)
    if told is None:
        return judged
    segment = Segment.whole(message.text, f"names what {told.butler} was told before")
    targets = (meant, Target(told.butler, message.text, segment))
    return replace(judged, targets=targets, order="ordered", reason=ASKED_OF_TELLERS)
