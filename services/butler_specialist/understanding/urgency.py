"""PURE: which routed messages wait for no other: a household member may be in danger (docs/adr/0104)."""

from __future__ import annotations

from typing import Final

from butler_contracts.route import RouteEnvelopeV1
from butler_specialist.understanding.emergencies import is_emergency
from butler_specialist.understanding.reading import read

__all__ = ["is_urgent"]

_MOST_CHARS: Final = 1_000
"""The most characters read, in a millisecond while Switchboard waits; nobody in danger writes more."""


def is_urgent(envelope: RouteEnvelopeV1) -> bool:
    """Return whether the message is urgent; always the same for the same message."""
    context, prompt = envelope.request_context, envelope.input.prompt
    if context.sender_class != "household" or len(prompt) > _MOST_CHARS:
        return False
    return is_emergency(read(prompt, context.said_at))
