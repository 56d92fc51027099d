"""PURE: chats in which others read the answer (ADR 0100).

Invariant: what is told there is what everybody there may know; an uncertain chat counts as a group.
"""

from __future__ import annotations

from typing import Final

from butler_contracts.context import RequestContext
from butler_contracts.ingest import SourceChannel

__all__ = ["is_of_several"]

_TO_THE_WRITER_ALONE: Final = frozenset({SourceChannel.EMAIL, SourceChannel.API, SourceChannel.MCP})
"""Channels whose answer goes to the sender alone, whoever else received the message."""


def is_of_several(context: RequestContext) -> bool:
    """Return whether others read the answer: a Telegram group has a number below zero.

    Other chats do not say.
    """
    channel = context.source_channel
    if channel in _TO_THE_WRITER_ALONE:
        return False
    if channel is not SourceChannel.TELEGRAM:
        return True
    return (context.source_thread_identity or "").startswith("-")
