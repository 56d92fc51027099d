"""The ops API of a service, asked as the household's operator; every failure is one line that says what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import httpx

from butler_cli.client.protocol import Hints, Household
from butler_cli.client.refusals import Refusal, refusal_of
from butler_cli.errors import UserError
from butler_contracts.text import excerpt

__all__ = ["NotFound", "OpsClient"]

ANSWER_TIMEOUT_S: Final = 10.0
UNREADABLE_MAX: Final = 60


class NotFound(UserError):
    """The service knows nothing by that name or id (HTTP 404); the message is its own."""


class OpsClient:
    """`GET` and `POST` below `/ops/v1` of one service; use it in a `with` block."""

    def __init__(self, household: Household, service: str = "switchboard") -> None:
        self._household = household
        self._service = service
        self._base = household.url(service, "ops")
        self._http = httpx.Client(timeout=ANSWER_TIMEOUT_S, trust_env=False)

    def __enter__(self) -> OpsClient:
        return self

    @property
    def hints(self) -> Hints:
        """How the household is spoken of."""
        return self._household.hints

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, **query: object) -> dict[str, Any]:
        """The JSON object at `path`; parameters that are None are left out. Raises `UserError`, `NotFound`."""
        params = {key: str(value) for key, value in query.items() if value is not None}
        return self._call("GET", path, params=params)

    def post(self, path: str, body: Mapping[str, Any], *, key: UUID | None = None) -> dict[str, Any]:
        """The JSON object that answers `body`; with the same `key` it is done once. Raises `UserError`, `NotFound`."""
        return self._call("POST", path, body=body, key=key)

    def _call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        key: UUID | None = None,
    ) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._household.token(self._service)}"}
        if key is not None:
            headers["Idempotency-Key"] = str(key)
        try:
            response = self._http.request(
                method, f"{self._base}{path}", params=params, json=body, headers=headers
            )
        except httpx.TimeoutException:
            why = f"did not answer within {ANSWER_TIMEOUT_S:g} s"
            raise self._household.not_answering(self._service, self._base, why) from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise self._household.not_answering(self._service, self._base, "does not answer") from None
        return self._read(response)

    def _read(self, response: httpx.Response) -> dict[str, Any]:
        document = _json(response)
        if response.is_success and isinstance(document, dict):
            return document
        refusal = refusal_of(document)
        if refusal is not None or response.status_code in (401, 403):
            raise self._refused(response.status_code, refusal)
        said = excerpt(" ".join(response.text.split()), limit=UNREADABLE_MAX)
        raise UserError(
            f"{self._base} answered HTTP {response.status_code} with something that is not ours ({said!r}); "
            f"{self._household.hints.foreign}"
        )

    def _refused(self, status: int, refusal: Refusal | None) -> UserError:
        said = refusal.message if refusal is not None else f"HTTP {status}"
        if status == 401:
            return self._household.not_accepting(self._service, said)
        if status == 404:
            return NotFound(said)
        if refusal is None:
            return UserError(f"{self._service} refused: {said}")
        return UserError(refusal.line(self._household.hints))


def _json(response: httpx.Response) -> object:
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None
