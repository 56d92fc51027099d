"""What the bot says in a test's chats, in order, and what is pressed there."""

from __future__ import annotations

from typing import Any

from tests.support.telegram_api import TelegramApiServer, callback_update

__all__ = ["Chats", "button"]


class Chats:
    """What the bot said, from a moment on."""

    def __init__(self, telegram: TelegramApiServer) -> None:
        self.telegram = telegram
        self._seen = len(telegram.sent)

    async def next(self) -> dict[str, Any]:
        """The next message of the bot."""
        self._seen += 1
        await self.telegram.until(lambda api: len(api.sent) >= self._seen)
        return self.telegram.sent[self._seen - 1]

    async def pressed(self, who: dict[str, Any], sent: dict[str, Any], label: str, **content: Any) -> str:
        """Press the button with this label; what the bot says to that, quoting the message."""
        self.telegram.inject(callback_update(who, sent, button(sent, label), **content))
        told = await self.next()
        assert (told["chat_id"], told["reply_to_message_id"]) == (sent["chat_id"], sent["message_id"])
        return str(told["text"]).partition("] ")[2]


def button(sent: dict[str, Any], label: str) -> str:
    rows = sent["reply_markup"]["inline_keyboard"]
    return str(next(one["callback_data"] for row in rows for one in row if one["text"] == label))
