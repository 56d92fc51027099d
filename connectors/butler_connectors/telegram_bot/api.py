"""The Bot API calls that a connector needs: `getUpdates`, with every way it can fail (CNX-08.1), and the
acknowledgement of a press, which says nothing to anybody.

https://core.telegram.org/bots/api#getupdates and #answercallbackquery, with python-telegram-bot's `Bot`. Invariants:
the token appears in no error text; an answer is bounded in size and in time; an update is passed on as it came,
whatever it holds.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from butler_connectors.base.metrics import ConnectorMetrics
from butler_connectors.telegram_bot.faults import BadAnswer, PollFault, fault_of
from butler_connectors.telegram_bot.normalize import UPDATE_KINDS
from butler_kit.botapi import Bot, BotRequest, bot_of, error

__all__ = ["BotApi"]

_CONNECT_S: Final = 10.0
_MARGIN_S: Final = 15.0
"""How much later than requested an answer may begin."""
_ACKNOWLEDGE_S: Final = 10.0
_NOTHING: Final = b'{"ok":true,"result":[]}'


class BotApi:
    """Polls one bot, one poll at a time, once entered. `stall_s` bounds a whole call, even a trickle."""

    def __init__(
        self, *, base_url: str, token: Callable[[], str], metrics: ConnectorMetrics, stall_s: float
    ) -> None:
        self._base_url = base_url
        self._token = token
        self._metrics = metrics
        self._stall_s = stall_s
        self._updates = _AsTheyCame()
        self._calls = BotRequest(connections=2, connect_timeout_s=_CONNECT_S, read_timeout_s=_ACKNOWLEDGE_S)

    async def get_updates(
        self, *, offset: int | None, timeout_s: int, limit: int
    ) -> Sequence[dict[str, Any]]:
        """Return the next updates, oldest first; raises `PollFault`. An offset confirms all below it."""
        with self._metrics.track_source_call("getUpdates"):
            try:
                async with asyncio.timeout(self._stall_s):
                    await self._bot(self._updates).get_updates(
                        offset=offset, timeout=timeout_s, limit=limit, allowed_updates=UPDATE_KINDS
                    )
            except TimeoutError:
                raise PollFault("timeout", "the Bot API did not answer in time") from None
            except error.TelegramError as failure:
                raise fault_of(failure) from None
            return self._updates.received

    async def acknowledge(self, query_id: str) -> None:
        """Stop the wait of a client whose button was pressed; raises `PollFault`, also for an old press."""
        with self._metrics.track_source_call("answerCallbackQuery"):
            try:
                async with asyncio.timeout(_ACKNOWLEDGE_S):
                    await self._bot(self._calls).answer_callback_query(query_id)
            except TimeoutError:
                raise PollFault("timeout", "the Bot API did not answer in time") from None
            except error.TelegramError as failure:
                raise fault_of(failure) from None

    async def __aenter__(self) -> BotApi:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._updates.shutdown()
        await self._calls.shutdown()

    def _bot(self, request: BotRequest) -> Bot:
        return bot_of(self._token(), api_base_url=self._base_url, request=request)


class _AsTheyCame(BotRequest):
    """Keeps the updates of the last answer and hides them from the library.

    The library would parse the whole list, and one update of an unknown shape would hold up all others.
    """

    def __init__(self) -> None:
        super().__init__(connections=2, connect_timeout_s=_CONNECT_S, read_timeout_s=_MARGIN_S)
        self.received: Sequence[dict[str, Any]] = ()

    async def do_request(self, *given: Any, **named: Any) -> tuple[int, bytes]:
        status, payload = await super().do_request(*given, **named)
        if status >= 300:
            return status, payload
        self.received = updates_in(payload)
        return status, _NOTHING


def updates_in(payload: bytes) -> Sequence[dict[str, Any]]:
    """Return the updates of an answer that have an id, with everything in them; raises `BadAnswer`."""
    try:
        answer = json.loads(payload)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict) or answer.get("ok") is not True:
        raise BadAnswer("the Bot API's answer is not what it documents")
    result = answer.get("result")
    if not isinstance(result, list):
        raise BadAnswer("the Bot API's answer holds no list of updates")
    usable = [item for item in result if isinstance(item, dict) and _is_id(item.get("update_id"))]
    if result and not usable:
        raise BadAnswer("the Bot API's answer holds no update with an id")
    return usable


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62
