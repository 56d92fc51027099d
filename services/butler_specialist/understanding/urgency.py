"""PURE: which routed messages wait for no other: somebody of the household may be in danger (docs/adr/0104)."""

from __future__ import annotations

from typing import Final

from butler_contracts.route import RouteEnvelopeV1
from butler_specialist.understanding.emergencies import is_emergency
from butler_specialist.understanding.reading import read

__all__ = ["is_urgent"]

_MOST_CHARS: Final = 1_000
"""Who is in danger writes no more, and to read it takes a millisecond: it is asked while Switchboard waits."""


def is_urgent(envelope: RouteEnvelopeV1) -> bool:
    """The same for the same message, whenever it is asked."""
    context, prompt = envelope.request_context, envelope.input.prompt
    if context.sender_class != "household" or len(prompt) > _MOST_CHARS:
        return False
    return is_emergency(read(prompt, context.said_at))
