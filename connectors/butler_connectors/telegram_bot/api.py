"""The one call of the Bot API that a connector needs: `getUpdates`, with every way it can fail (CNX-08.1).

https://core.telegram.org/bots/api#getupdates. Invariants: the token appears in no error text; an answer is
bounded in size and in time.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import httpx

from butler_connectors.base.metrics import ConnectorMetrics, SourceFault

__all__ = ["BotApi", "PollFault"]

_ANSWER_MAX_BYTES: Final = 32 * 1024 * 1024
_MARGIN_S: Final = 15.0
_ALLOWED: Final = ("message", "edited_message", "channel_post", "edited_channel_post")

FaultKind = Literal[
    "http_error", "rate_limited", "unauthorized", "conflict", "timeout", "connection_error", "bad_answer"
]


class PollFault(SourceFault):
    """A poll that gave no updates, for the reason `kind`."""

    def __init__(self, kind: FaultKind, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message, kind=kind, retry_after_s=retry_after_s)


class BotApi:
    """Polls one bot; `aclose` when done. `stall_s` bounds a whole call, whatever trickles in."""

    def __init__(
        self, *, base_url: str, token: Callable[[], str], metrics: ConnectorMetrics, stall_s: float
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._metrics = metrics
        self._stall_s = stall_s
        self._http = self._new_client()

    async def get_updates(
        self, *, offset: int | None, timeout_s: int, limit: int = 100
    ) -> Sequence[dict[str, Any]]:
        """The next updates, oldest first; raises `PollFault`. An offset confirms everything below it."""
        parameters: dict[str, Any] = {"timeout": timeout_s, "limit": limit, "allowed_updates": list(_ALLOWED)}
        if offset is not None:
            parameters["offset"] = offset
        with self._metrics.track_source_call("getUpdates"):
            status, body = await self._post("getUpdates", parameters, timeout_s)
            return _updates(status, body)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _post(
        self, method: str, parameters: dict[str, Any], timeout_s: int
    ) -> tuple[httpx.Response, bytes]:
        timeout = httpx.Timeout(10.0, read=timeout_s + _MARGIN_S)
        url = f"{self._base_url}/bot{self._token()}/{method}"
        try:
            async with asyncio.timeout(self._stall_s):
                async with self._http.stream("POST", url, json=parameters, timeout=timeout) as response:
                    return response, await _read(response)
        except (TimeoutError, httpx.TimeoutException):
            # A connection that went silent is not used again.
            await self._http.aclose()
            self._http = self._new_client()
            raise PollFault("timeout", "the Bot API did not answer in time") from None
        except httpx.HTTPError as error:
            raise PollFault(
                "connection_error", f"the Bot API cannot be reached ({type(error).__name__})"
            ) from None
        except httpx.InvalidURL:
            raise PollFault(
                "connection_error", "TELEGRAM_API_BASE_URL or the token makes no valid URL"
            ) from None

    def _new_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(limits=httpx.Limits(max_connections=2, max_keepalive_connections=1))


async def _read(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _ANSWER_MAX_BYTES:
            raise PollFault("bad_answer", f"the Bot API's answer is larger than {_ANSWER_MAX_BYTES} bytes")
    return bytes(body)


def _updates(response: httpx.Response, body: bytes) -> Sequence[dict[str, Any]]:
    answer = _decoded(body)
    if response.status_code != 200 or answer.get("ok") is not True:
        raise _refusal(response, answer)
    result = answer.get("result")
    if not isinstance(result, list):
        raise PollFault("bad_answer", "the Bot API's answer holds no list of updates")
    usable = [item for item in result if isinstance(item, dict) and _is_id(item.get("update_id"))]
    if result and not usable:
        raise PollFault("bad_answer", "the Bot API's answer holds no update with an id")
    return usable


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62


def _refusal(response: httpx.Response, answer: dict[str, Any]) -> PollFault:
    code = response.status_code
    said = answer.get("description")
    text = f"HTTP {code}: {str(said)[:200]}" if said else f"HTTP {code}"
    if code == 429:
        return PollFault(
            "rate_limited",
            f"the Bot API asks to slow down ({text})",
            retry_after_s=_retry_after(response, answer),
        )
    if code in (401, 404):
        return PollFault(
            "unauthorized", f"the Bot API refuses the bot's token ({text}); check TELEGRAM_BOT_TOKEN"
        )
    if code == 409:
        return PollFault("conflict", f"another process polls this bot, or a webhook is set ({text}); stop it")
    if code == 200:
        return PollFault("bad_answer", "the Bot API's answer is not what it documents")
    return PollFault(
        "http_error", f"the Bot API failed ({text})", retry_after_s=_retry_after(response, answer)
    )


def _retry_after(response: httpx.Response, answer: dict[str, Any]) -> float | None:
    parameters = answer.get("parameters")
    candidates = [parameters.get("retry_after") if isinstance(parameters, dict) else None]
    candidates.append(response.headers.get("retry-after"))
    for candidate in candidates:
        try:
            seconds = float(candidate)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            continue
        if 0 <= seconds <= 86_400:
            return seconds
    return None
