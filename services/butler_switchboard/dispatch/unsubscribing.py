"""PURE: a mail that unsubscribes from mails of ours is not a message to anybody (RFC 2369, ADR 0086).

Invariant: no butler is given one and nobody is answered, whether or not its token is valid: only Messenger knows
that, and it does not matter who wrote it.
"""

from __future__ import annotations

from dataclasses import replace

from butler_contracts.ingest import SourceChannel
from butler_contracts.unsubscribing import UnsubscribeWritten, unsubscribe_written
from butler_switchboard.dispatch.model import Plan, PlannedTarget, RequestState
from butler_switchboard.dispatch.plans import nothing_to_do
from butler_switchboard.dispatch.presses import MESSENGER
from butler_switchboard.ingress.message import InboxMessage

__all__ = ["plan_of_unsubscription", "unsubscription"]


def unsubscription(message: InboxMessage) -> UnsubscribeWritten | None:
    """Return the unsubscription in a mail's subject; None for any other message."""
    if message.context.source_channel is not SourceChannel.EMAIL:
        return None
    return unsubscribe_written(message.subject or "")


def plan_of_unsubscription(state: RequestState) -> Plan:
    """Return the plan to Messenger, for history too: an unsubscription says what holds from now on."""
    target = PlannedTarget(1, "s1", MESSENGER, state.message.text)
    return replace(nothing_to_do(state, "unsubscribed"), targets=(target,))
