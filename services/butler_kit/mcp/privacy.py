"""Keeps message contents out of the SDK's log (MSG-13), and lost connections from being logged as crashes.

The SDK logs whole messages at debug level, its parse errors quote their input, and a peer that goes away leaves a
traceback. Invariants: of a validation error only the fact is logged; a lost connection is one line.
"""

from __future__ import annotations

import logging
from typing import Final

import httpx2
from pydantic import ValidationError

__all__ = ["keep_bodies_out_of_the_log"]

_QUOTING_LOGGERS: Final = (
    "mcp.client.session",
    "mcp.client.sse",
    "mcp.client.streamable_http",
    "mcp.server.runner",
    "mcp.server.sse",
    "mcp.server.streamable_http",
    "mcp.shared.jsonrpc_dispatcher",
)


class _Readable(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if isinstance(error, ValidationError):
            record.msg, record.args = f"{record.getMessage()} ({error.error_count()} problems)", ()
            record.exc_info = record.exc_text = None
        elif isinstance(error, httpx2.TransportError | OSError):
            # The next caller connects again and gets any failure itself.
            why = str(error) or type(error).__name__
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.msg, record.args = f"the connection to the peer was lost: {why}", ()
            record.exc_info = record.exc_text = None
        return True


_FILTER: Final = _Readable()


def keep_bodies_out_of_the_log() -> None:
    """Silence the SDK below INFO and make its lines readable; may be called any number of times."""
    for name in _QUOTING_LOGGERS:
        logger = logging.getLogger(name)
        logger.addFilter(_FILTER)
        logger.setLevel(logging.INFO)
