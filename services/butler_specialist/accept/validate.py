"""PURE: whether a caller may give this butler this work (MSG-13.1, D1, SWB-35.1).

Every refusal is a `validation_error`, raised after the envelope was read and before anything is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from butler_contracts.errors import ValidationFailed
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.auth import Caller, trusted_caller
from butler_specialist.understanding.household import teller_key
from butler_specialist.understanding.urgency import is_urgent

__all__ = ["LANES", "check_acceptable", "lane_of", "order_key", "teller_of", "thread_key"]

LANES: Final = ("high_priority", "interactive", "default")


def check_acceptable(
    envelope: RouteEnvelopeV1,
    caller: Caller,
    *,
    trusted: Sequence[str],
    own_name: str,
    capabilities: Collection[str],
) -> None:
    """Return if the work may be accepted; raise `ValidationFailed` with the reason if not."""
    trusted_caller(caller, trusted)
    claimed = envelope.caller.endpoint_identity if envelope.caller is not None else caller.subject
    if claimed != caller.subject:
        raise ValidationFailed(
            f"caller.endpoint_identity says '{claimed}', the token says '{caller.subject}'"
        )
    if envelope.target.butler != own_name:
        raise ValidationFailed(f"target.butler is '{envelope.target.butler}'; this is '{own_name}'")
    needed = envelope.limits.required_capability
    if needed is not None and needed not in capabilities:
        known = ", ".join(sorted(capabilities))
        raise ValidationFailed(
            f"limits.required_capability '{needed}' is not offered here; there is: {known}"
        )


def lane_of(envelope: RouteEnvelopeV1) -> str:
    """Return the queue lane of the message's policy tier."""
    return envelope.request_context.policy_tier.value


def thread_key(envelope: RouteEnvelopeV1) -> str | None:
    """Return the key whose work is done in order: a conversation at an endpoint (D11).

    None without a thread, and for an emergency.
    """
    context = envelope.request_context
    if context.source_thread_identity is None or is_urgent(envelope):
        return None
    return (
        f"{context.source_channel.value}:{context.source_endpoint_identity}:{context.source_thread_identity}"
    )


def order_key(envelope: RouteEnvelopeV1) -> str | None:
    """Return the ordering key of mails about one invitation, each of which is a thread of its own."""
    invitation = envelope.invitation
    return f"invitation:{invitation.events[0].uid}" if invitation is not None else None


def teller_of(envelope: RouteEnvelopeV1) -> str:
    """Return who wrote: the contact, whichever address they wrote from, else the address (D22)."""
    context, people = envelope.request_context, envelope.people
    household = context.sender_class == "household"
    contact = people.sender if people is not None and household else None
    return teller_key(contact, context.source_channel.value, context.source_sender_identity)
