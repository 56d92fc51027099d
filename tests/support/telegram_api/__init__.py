"""A Telegram Bot API server of our own, for tests and the demo: https://core.telegram.org/bots/api.

It follows the document for the methods that the project uses, keeps its state in a file, and can be told
to fail. `docs/reference/test-providers.md` lists what it offers and where it is narrower than Telegram.
"""

from __future__ import annotations

from .faults import Fault
from .reactions import ALLOWED_REACTIONS
from .server import TelegramApiServer
from .updates import callback_update, message_update, person, private_chat

__all__ = [
    "ALLOWED_REACTIONS", "Fault", "TelegramApiServer", "callback_update", "message_update", "person", "private_chat",
]  # fmt: skip
