"""Structured logs on stderr: one JSON object per line, with the request it belongs to, without secrets.

Everything goes through the same processors, the libraries' own loggers too, so that redaction sees every line. Our own
events are rendered and written directly; only the libraries' records go through `logging`.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager, suppress
from typing import Any, Final, TextIO
from uuid import UUID

import structlog
from structlog.typing import FilteringBoundLogger, Processor

from butler_kit.telemetry.redaction import redact, redact_text

__all__ = ["bind_request", "configure_logging", "get_logger"]

_QUIET: Final = (
    "httpx",
    "httpx2",
    "httpcore",
    "mcp",
    "uvicorn.access",
    "uvicorn.error",
    "asyncio",
    "telegram",
    "sse_starlette",
)
"""Libraries whose informative lines repeat ours or show URLs."""


def configure_logging(service: str, level: str, fmt: str, stream: TextIO | None = None) -> None:
    """Send all logging of this process to `stream` (stderr) as `json` or `console` lines named `service`."""
    sink = stream or sys.stderr
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.StackInfoRenderer(),
        structlog.stdlib.ExtraAdder(),
        structlog.processors.format_exc_info,
        _redact_event,
        # After redaction: what these add is ours.
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _service_name(service),
    ]
    structlog.configure(
        processors=[*shared, _renderer(fmt)],
        logger_factory=lambda *name: _Lines(sink, *name),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=False,
    )
    _install(_formatter(shared, fmt), level, sink)


def get_logger(name: str) -> FilteringBoundLogger:
    """Return the logger of a module: `log.info("event in words", key=value)`."""
    logger: FilteringBoundLogger = structlog.get_logger(name)
    return logger


@contextmanager
def bind_request(request_id: UUID | str, **more: str) -> Iterator[None]:
    """Name the request on every log line and span inside the block, in this task and those it starts."""
    with structlog.contextvars.bound_contextvars(request_id=str(request_id), **more):
        yield


class _Lines:
    """The sink of our own events: each rendered line is written whole, and at once."""

    def __init__(self, stream: TextIO, name: str = "") -> None:
        self.name = name
        self._stream = stream

    def msg(self, line: str) -> None:
        # As with `logging`, a log that cannot be written (full disk, closed pipe) stops nobody's work.
        with suppress(OSError, ValueError):
            self._stream.write(line + "\n")
            self._stream.flush()

    debug = info = warning = error = critical = exception = msg


def _renderer(fmt: str) -> Processor:
    if fmt == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    return structlog.dev.ConsoleRenderer(colors=False)


def _formatter(shared: list[Processor], fmt: str) -> logging.Formatter:
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _renderer(fmt)],
    )


def _install(formatter: logging.Formatter, level: str, stream: TextIO) -> None:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _service_name(service: str) -> Processor:
    def add(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        event["service"] = service
        return event

    return add


def _redact_event(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    # Names that begin with an underscore are structlog's own and never rendered.
    for key in list(event):
        if key == "event":
            event[key] = redact_text(str(event[key]))
        elif not key.startswith("_"):
            event[key] = redact(event[key], key)
    return event
