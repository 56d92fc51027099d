"""OpenTelemetry spans that cost nothing until `OTEL_EXPORTER_OTLP_ENDPOINT` is set (SWB-42, MSG-14.2).

Invariant: without the variable no OpenTelemetry module is imported; with it, every span carries the request id
(and the delivery's) that `bind_request` named, so traces of different butlers join on it (CON-4.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from threading import Thread
from typing import Any, Final, Protocol

import structlog

from butler_kit.telemetry.otlp import LAST_S, endpoint_of, resource_of, session_of

__all__ = ["Span", "SpanName", "configure_tracing", "current_trace_context", "shutdown_tracing", "span"]

_JOINED: Final = ("request_id", "delivery_id")
"""The keys that `bind_request` sets and every span carries, so that spans, log lines and tables can be joined."""


class SpanName(StrEnum):
    """The spans that the specification names."""

    INGEST = "butlers.switchboard.ingest"
    MESSAGE = "butlers.switchboard.message"
    LLM_DECISION = "butlers.switchboard.routing.llm_decision"
    ROUTE_DISPATCH = "butlers.switchboard.route.dispatch"
    ROUTE_EXECUTE = "butlers.route.execute"
    ROUTE_PROCESS = "butlers.route.process"
    LLM_SESSION = "butlers.llm_session"
    DELIVERY = "butlers.messenger.delivery"
    VALIDATE = "butlers.messenger.validate"
    IDEMPOTENCY_CHECK = "butlers.messenger.idempotency_check"
    RATE_LIMIT_CHECK = "butlers.messenger.rate_limit_check"
    PROVIDER_SEND = "butlers.messenger.provider_send"
    PERSISTENCE_WRITE = "butlers.messenger.persistence_write"


class Span(Protocol):
    """A running span; attribute values are short and hold no secret and no message text."""

    def set_attribute(self, key: str, value: str | bool | int | float, /) -> None: ...


class _NoSpan:
    def set_attribute(self, key: str, value: str | bool | int | float, /) -> None:
        """Drop the attribute: tracing is off."""


_NO_SPAN: Final = _NoSpan()


class _Tracing:
    """The process's tracer, once `configure_tracing` switched it on."""

    provider: Any = None
    tracer: Any = None


def configure_tracing(service: str, env: Mapping[str, str]) -> bool:
    """Start exporting spans over OTLP/HTTP if the environment names an endpoint; say whether it does."""
    endpoint = endpoint_of(env, "traces")
    if endpoint is None or _Tracing.provider is not None:
        return _Tracing.provider is not None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=resource_of(service))
    provider.add_span_processor(
        BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, session=session_of(env)))
    )
    _Tracing.provider, _Tracing.tracer = provider, provider.get_tracer("butlers")
    return True


def shutdown_tracing() -> None:
    """Send what is left, for `LAST_S` at most, and stop; spans are dropped from then on."""
    provider, _Tracing.provider, _Tracing.tracer = _Tracing.provider, None, None
    if provider is not None:
        ending = Thread(target=provider.shutdown, name="tracing-end", daemon=True)
        ending.start()
        ending.join(LAST_S)


@contextmanager
def span(
    name: str, /, parent: Mapping[str, str] | None = None, **attributes: str | bool | int | float
) -> Iterator[Span]:
    """Run the block as a span; `parent` is an envelope's `trace_context`. An exception marks it as failed."""
    tracer = _Tracing.tracer
    if tracer is None:
        yield _NO_SPAN
        return
    bound = structlog.contextvars.get_contextvars()
    marked: dict[str, Any] = {**attributes, **{name: bound[name] for name in _JOINED if name in bound}}
    with tracer.start_as_current_span(
        str(name), context=_extract(parent), attributes=marked, record_exception=False
    ) as running:
        yield running


def current_trace_context() -> dict[str, str]:
    """Return the running span as W3C trace context for an envelope; empty while tracing is off."""
    carrier: dict[str, str] = {}
    if _Tracing.tracer is not None:
        _propagator().inject(carrier)
    return carrier


def _extract(parent: Mapping[str, str] | None) -> Any:
    return _propagator().extract(dict(parent)) if parent else None


def _propagator() -> Any:
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator()
