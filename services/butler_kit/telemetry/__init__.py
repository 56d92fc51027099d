"""Telemetry of a process: logs, metrics and spans under the specification's names (SWB-42, MSG-14, CON-4)."""

from butler_kit.telemetry.buffer import BufferMetrics
from butler_kit.telemetry.exporting import configure_metrics, exported
from butler_kit.telemetry.instruments import (
    BUFFER,
    CALENDAR,
    MESSENGER,
    REMINDER,
    ROUTE,
    SCHEDULE,
    SPAWNER,
    SWITCHBOARD,
    Instrument,
    prometheus_name,
)
from butler_kit.telemetry.logs import bind_request, configure_logging, get_logger
from butler_kit.telemetry.metrics import Metrics
from butler_kit.telemetry.redaction import redact, redact_text
from butler_kit.telemetry.tracing import (
    Span,
    SpanName,
    configure_tracing,
    current_trace_context,
    shutdown_tracing,
    span,
)

__all__ = [
    "BUFFER",
    "CALENDAR",
    "MESSENGER",
    "REMINDER",
    "ROUTE",
    "SCHEDULE",
    "SPAWNER",
    "SWITCHBOARD",
    "BufferMetrics",
    "Instrument",
    "Metrics",
    "Span",
    "SpanName",
    "bind_request",
    "configure_logging",
    "configure_metrics",
    "configure_tracing",
    "current_trace_context",
    "exported",
    "get_logger",
    "prometheus_name",
    "redact",
    "redact_text",
    "shutdown_tracing",
    "span",
]
