"""Keeps the SDK's log from repeating what messages say (MSG-13).

The SDK logs whole messages at debug level, and its parse errors quote their input.
Invariant: of a validation error only the fact is logged.
"""

from __future__ import annotations

import logging
from typing import Final

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


class _WithoutInput(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        if isinstance(error, ValidationError):
            record.msg, record.args = f"{record.getMessage()} ({error.error_count()} problems)", ()
            record.exc_info = record.exc_text = None
        return True


_FILTER: Final = _WithoutInput()


def keep_bodies_out_of_the_log() -> None:
    """Silence the SDK below INFO and strip quoted input; may be called any number of times."""
    for name in _QUOTING_LOGGERS:
        logger = logging.getLogger(name)
        logger.addFilter(_FILTER)
        logger.setLevel(logging.INFO)
