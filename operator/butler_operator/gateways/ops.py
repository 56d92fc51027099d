"""The ops API of Switchboard or Messenger (`/ops/v1`), called with a projected token that is read for every call.

Invariant: a caller sees three ends only: an answer, `OpsUnavailable` (try again later), or `OpsRefused` (the service
understood and said no; `OpsNotFound` when it knows nothing by that name).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import httpx

from butler_kit.auth import KeyFileError

__all__ = ["OpsClient", "OpsError", "OpsNotFound", "OpsRefused", "OpsUnavailable"]

ANSWER_TIMEOUT_S: Final = 10.0
_LATER: Final = frozenset({401, 408, 425, 429})
"""401: keys and tokens are replaced while everything runs; a moment later the other side knows them."""


class OpsError(Exception):
    """Base of all; `message` is for a person."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class OpsUnavailable(OpsError):
    """The service does not answer, or not now."""


class OpsRefused(OpsError):
    """The service refused; `status` is HTTP's, `error_class` the taxonomy's."""

    def __init__(self, message: str, *, status: int, error_class: str = "", retryable: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.error_class = error_class
        self.retryable = retryable


class OpsNotFound(OpsRefused):
    """The service knows nothing by that name or id, or has no such path yet."""


class OpsClient:
    """One service of one household; `base_url` ends before `/ops/v1`."""

    def __init__(
        self, http: httpx.AsyncClient, *, base_url: str, service: str, token: Callable[[], str]
    ) -> None:
        self._http = http
        self._base = f"{base_url.rstrip('/')}/ops/v1"
        self._service = service
        self._token = token

    async def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        query: Mapping[str, str] | None = None,
        timeout_s: float = ANSWER_TIMEOUT_S,
    ) -> dict[str, Any]:
        """The JSON object that answers; `path` begins with `/`. Raises `OpsError`s."""
        try:
            response = await self._http.request(
                method,
                f"{self._base}{path}",
                json=body,
                params=query,
                headers=self._headers(idempotency_key),
                timeout=timeout_s,
            )
        except KeyFileError as error:
            raise OpsUnavailable(f"no token for {self._service}: {error}") from error
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise OpsUnavailable(f"{self._service} does not answer: {type(error).__name__}") from error
        return self._read(response)

    def _headers(self, idempotency_key: str | None) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self._token()}"}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        return headers

    def _read(self, response: httpx.Response) -> dict[str, Any]:
        document = _json(response)
        if response.is_success:
            return document
        refusal = document.get("error")
        said: dict[str, Any] = refusal if isinstance(refusal, dict) else {}
        message = f"{self._service}: {said.get('message') or f'HTTP {response.status_code}'}"
        if response.status_code >= 500 or response.status_code in _LATER:
            raise OpsUnavailable(message)
        kind = OpsNotFound if response.status_code == 404 else OpsRefused
        raise kind(
            message,
            status=response.status_code,
            error_class=str(said.get("class") or ""),
            retryable=bool(said.get("retryable")),
        )


def _json(response: httpx.Response) -> dict[str, Any]:
    try:
        document = response.json()
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
