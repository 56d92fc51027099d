"""Where a process exports its telemetry to: OTLP over HTTP, named by OpenTelemetry's own variables (SWB-42).

Invariant: without `OTEL_EXPORTER_OTLP_ENDPOINT` no OpenTelemetry module is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal
from uuid import uuid4

from butler_kit.tls import CA_FILE, client_context

__all__ = ["ENDPOINT", "LAST_S", "endpoint_of", "resource_of", "session_of", "trusting_session"]

ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
LAST_S: Final = 2.0
"""Longest wait for a last export, within the grace that a stopped process has; any other has the library's 10 s."""
Signal = Literal["traces", "metrics"]


def endpoint_of(env: Mapping[str, str], signal: Signal) -> str | None:
    """Return the address that takes `signal`; None without an endpoint, or if `OTEL_…_EXPORTER` is `none`."""
    base = env.get(ENDPOINT, "").strip().rstrip("/")
    if not base or env.get(f"OTEL_{signal.upper()}_EXPORTER", "").strip().lower() == "none":
        return None
    return f"{base}/v1/{signal}"


def session_of(env: Mapping[str, str]) -> Any:
    """Return an exporter's session; None, which is the library's own, in a household without authorities."""
    return trusting_session(env) if env.get(CA_FILE) else None


def trusting_session(env: Mapping[str, str]) -> Any:
    """Return a session that trusts the household's own authorities besides the usual ones."""
    import requests
    from requests.adapters import HTTPAdapter

    class Adapter(HTTPAdapter):
        def init_poolmanager(self, *sizes: Any, **more: Any) -> None:
            super().init_poolmanager(*sizes, **more, ssl_context=client_context(env))

    session = requests.Session()
    session.mount("https://", Adapter())
    return session


@cache
def resource_of(service: str) -> Any:
    """Return what a process says of itself, the same with its spans and its metrics.

    The instance is new with every start: replicas would otherwise write to each other's series.
    """
    from opentelemetry.sdk.resources import Resource

    return Resource.create({"service.name": f"butlers.{service}", "service.instance.id": str(uuid4())})
