"""Starts the Bot API server: inside a test's event loop, or as the process that the demo runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.loopback import LoopbackServer

from .app import BotApi
from .faults import Fault
from .state import BotState
from .updates import inject, redeliver

__all__ = ["TelegramApiServer"]


class TelegramApiServer:
    """The provider of one bot on a loopback port, with direct access to what the control API offers.

    `state_file` keeps everything over a restart; without it the state lives in memory. `base_url` is what
    python-telegram-bot calls `base_url`: it ends in `/bot`.
    """

    def __init__(
        self,
        *,
        token: str,
        port: int = 0,
        state_file: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.token = token
        self.state = BotState(clock=clock, journal=state_file)
        self.state.load()
        self._activity = asyncio.Event()
        self.state.on_change = self._pulse
        self.api = BotApi(token=token, state=self.state)
        self._server = LoopbackServer(self.api.app(), port=port)

    @property
    def url(self) -> str:
        """Of the server; the control API is at `<url>/control/…`."""
        return self._server.url

    @property
    def base_url(self) -> str:
        return f"{self.url}/bot"

    @property
    def log(self) -> list[dict[str, Any]]:
        return self.state.log

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The messages that the bot sent, in order."""
        return [entry for entry in self.state.log if entry["kind"] == "message"]

    def reaction(self, chat_id: int, message_id: int) -> str | None:
        """The emoji that the bot has on a message now."""
        current = self.state.reactions.get((chat_id, message_id), [])
        return str(current[0]["emoji"]) if current else None

    @property
    def answered(self) -> list[str]:
        """The callback queries that the bot acknowledged, in order."""
        return [entry["callback_query_id"] for entry in self.state.log if entry["kind"] == "callback_answer"]

    def inject(self, update: dict[str, Any]) -> dict[str, Any]:
        """Queue an update (ids and date are filled in) and return it as it will be handed out."""
        done = inject(self.state, update)
        self.api.poller.wake()
        completed: dict[str, Any] = done["update"]
        return completed

    def redeliver(self, update_id: int) -> None:
        redeliver(self.state, update_id)
        self.api.poller.wake()

    def add_chat(self, chat: dict[str, Any], *, blocked: bool = False) -> None:
        self.state.record("chat", chat=chat, blocked=blocked)

    def script(self, fault: Fault) -> None:
        self.api.faults.add(fault)

    def clear_faults(self) -> None:
        self.api.faults.clear()

    def _pulse(self) -> None:
        self._activity.set()
        self._activity = asyncio.Event()

    @property
    def polling(self) -> bool:
        """Whether a getUpdates call is waiting now."""
        return self.api.poller.waiting > 0

    async def until(self, reached: Callable[[Self], bool], *, timeout_s: float = 90.0) -> None:
        """Wait until the condition holds, e.g. `lambda api: len(api.sent) == 2`; else TimeoutError."""
        async with asyncio.timeout(timeout_s):
            while not reached(self):
                await self._activity.wait()

    async def start(self) -> None:
        await self._server.start()

    async def stop(self) -> None:
        self.api.faults.clear()
        self.api.poller.close()
        await self._server.stop()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
