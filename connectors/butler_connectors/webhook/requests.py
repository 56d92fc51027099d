"""Asks Switchboard for the state of a request, and the reply once there is one (D19)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

import aiohttp

from butler_connectors.base.metrics import ConnectorMetrics
from butler_kit.sources.faults import SourceFault

__all__ = ["RequestReader", "submitter_of"]

_TIMEOUT_S: Final = 10.0
_ANSWER_MAX_BYTES: Final = 4 * 1024 * 1024


class RequestReader:
    """Reads `GET /ops/v1/requests/{id}` with the connector's own token, which sees its own requests only."""

    def __init__(self, switchboard_url: str, token: Callable[[], str], metrics: ConnectorMetrics) -> None:
        url = urlsplit(switchboard_url)
        path = url.path.rstrip("/").removesuffix("/sse").removesuffix("/mcp")
        self._base = url._replace(path=f"{path}/ops/v1/requests/", query="").geturl()
        self._token = token
        self._metrics = metrics
        self._http: aiohttp.ClientSession | None = None

    async def read(self, request_id: UUID) -> Mapping[str, Any] | None:
        """Return Switchboard's view of a request; None if not ours. Raises `SourceFault`, `KeyFileError`."""
        headers = {"authorization": f"Bearer {self._token()}"}
        try:
            async with self._opened().get(
                f"{self._base}{request_id}", headers=headers, allow_redirects=False
            ) as response:
                status, body = response.status, await _body(response)
        except (aiohttp.ClientError, OSError) as error:
            self._metrics.error(error, "read_request")
            raise SourceFault(f"Switchboard cannot be reached ({type(error).__name__})") from None
        if status in (403, 404):
            return None
        found = _object(body) if status == 200 else None
        if found is None:
            raise SourceFault(f"Switchboard does not tell about requests (HTTP {status})")
        return found

    def _opened(self) -> aiohttp.ClientSession:
        if self._http is None:
            self._http = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=_TIMEOUT_S), cookie_jar=aiohttp.DummyCookieJar()
            )
        return self._http

    async def __aenter__(self) -> RequestReader:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._http is not None:
            await self._http.close()


def submitter_of(view: Mapping[str, Any]) -> str | None:
    """Return the submitter of the request, as the webhook itself recorded it in the payload."""
    here: Any = view
    for key in ("envelope", "payload", "raw", "submitter"):
        here = here.get(key) if isinstance(here, Mapping) else None
    return here if isinstance(here, str) else None


async def _body(response: aiohttp.ClientResponse) -> bytes | None:
    """Return the whole body; None if it is larger than any request's view."""
    try:
        await response.content.readexactly(_ANSWER_MAX_BYTES)
    except asyncio.IncompleteReadError as whole:
        return whole.partial
    return None


def _object(body: bytes | None) -> Mapping[str, Any] | None:
    try:
        found = None if body is None else json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
