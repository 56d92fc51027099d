"""Asks Switchboard what became of a request (D19): state, and the reply once there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from butler_connectors.base.metrics import ConnectorMetrics, SourceFault

if TYPE_CHECKING:
    import httpx

__all__ = ["RequestReader", "submitter_of"]

_TIMEOUT_S: Final = 10.0
_ANSWER_MAX_BYTES: Final = 4 * 1024 * 1024


class RequestReader:
    """Reads `GET /ops/v1/requests/{id}` with the connector's own token, which sees its own requests only.

    The HTTP library is loaded for the first caller that waits for an answer.
    """

    def __init__(self, switchboard_url: str, token: Callable[[], str], metrics: ConnectorMetrics) -> None:
        url = urlsplit(switchboard_url)
        path = url.path.rstrip("/").removesuffix("/sse").removesuffix("/mcp")
        self._base = url._replace(path=f"{path}/ops/v1/requests/", query="").geturl()
        self._token = token
        self._metrics = metrics
        self._http: httpx.AsyncClient | None = None

    async def read(self, request_id: UUID) -> Mapping[str, Any] | None:
        """Switchboard's view of the request; None for one that is not ours. Raises `SourceFault`, `KeyFileError`."""
        import httpx

        if self._http is None:
            self._http = httpx.AsyncClient(timeout=_TIMEOUT_S, trust_env=False)
        headers = {"authorization": f"Bearer {self._token()}"}
        try:
            response = await self._http.get(f"{self._base}{request_id}", headers=headers)
        except httpx.HTTPError as error:
            self._metrics.error(error, "read_request")
            raise SourceFault(f"Switchboard cannot be reached ({type(error).__name__})") from None
        if response.status_code in (403, 404):
            return None
        found = _object(response)
        if found is None:
            raise SourceFault(f"Switchboard does not tell about requests (HTTP {response.status_code})")
        return found

    async def __aenter__(self) -> RequestReader:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._http is not None:
            await self._http.aclose()


def submitter_of(view: Mapping[str, Any]) -> str | None:
    """Who submitted the request, as the webhook itself noted it in the payload."""
    here: Any = view
    for key in ("envelope", "payload", "raw", "submitter"):
        here = here.get(key) if isinstance(here, Mapping) else None
    return here if isinstance(here, str) else None


def _object(response: httpx.Response) -> Mapping[str, Any] | None:
    if response.status_code != 200 or len(response.content) > _ANSWER_MAX_BYTES:
        return None
    try:
        found = response.json()
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
