"""What people see of a request's life, and whether they see it at all (pure; SWB-08, D20, D21, D22)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final
from uuid import UUID

from butler_contracts.actions import ActionV1
from butler_contracts.context import RequestContext
from butler_contracts.ingest import SourceChannel
from butler_contracts.language import Language
from butler_contracts.notify import NotifyDelivery, NotifyRequestV1
from butler_switchboard.dispatch.failure_words import cancelled_text, completed_text

__all__ = [
    "CANCELLED",
    "ENDED_BY_OPERATOR",
    "FORCE_COMPLETED",
    "INTERACTIVE_CHANNELS",
    "MESSENGER",
    "Lifecycle",
    "end_text",
    "error_reply",
    "is_interactive",
    "reaction",
]

SWITCHBOARD: Final = "switchboard"
MESSENGER: Final = "messenger"
CANCELLED: Final = "cancelled"
FORCE_COMPLETED: Final = "force_completed"
ENDED_BY_OPERATOR: Final = (CANCELLED, FORCE_COMPLETED)


class Lifecycle(StrEnum):
    """The user-visible states."""

    PROGRESS = "PROGRESS"
    PARSED = "PARSED"
    ERRORED = "ERRORED"


GLYPHS: Final[dict[Lifecycle, str]] = {
    Lifecycle.PROGRESS: "👀",
    Lifecycle.PARSED: "✅",
    Lifecycle.ERRORED: "👾",
}
"""Eye, check mark, space invader; Messenger replaces a glyph that the provider refuses (D21)."""

INTERACTIVE_CHANNELS: Final = frozenset({SourceChannel.TELEGRAM, SourceChannel.API, SourceChannel.MCP})


def is_interactive(channel: str) -> bool:
    """Return whether this channel has a user-visible lifecycle (D20)."""
    return channel in INTERACTIVE_CHANNELS


def reaction(context: RequestContext, state: Lifecycle) -> NotifyRequestV1 | None:
    """Return the reaction that shows `state`, or None if there is nobody to show it to."""
    shown = (
        context.source_channel is SourceChannel.TELEGRAM
        and context.reply_policy == "allow"
        and context.source_thread_identity is not None
        and context.source_message_identity is not None
    )
    if not shown:
        return None
    return NotifyRequestV1(
        origin_butler=SWITCHBOARD,
        delivery=NotifyDelivery(intent="react", channel="telegram", emoji=GLYPHS[state]),
        request_context=context,
    )


def error_reply(
    context: RequestContext, text: str, actions: tuple[ActionV1, ...] = ()
) -> NotifyRequestV1 | None:
    """Return the reply that says what failed; None for strangers, machines, and answers read elsewhere.

    `actions` are Switchboard's own buttons under it, where the channel has any.
    """
    if context.reply_policy != "allow":
        return None
    if context.source_channel is SourceChannel.TELEGRAM and context.source_thread_identity is not None:
        delivery = NotifyDelivery(intent="reply", channel="telegram", message=text, actions=actions)
    elif context.source_channel is SourceChannel.EMAIL:
        delivery = NotifyDelivery(intent="reply", channel="email", message=text)
    else:
        return None
    return NotifyRequestV1(origin_butler=SWITCHBOARD, delivery=delivery, request_context=context)


def end_text(state: str, request_id: UUID, language: Language) -> str:
    """Return the text for the sender of a message that an operator ended."""
    return (cancelled_text if state == CANCELLED else completed_text)(request_id, language)
