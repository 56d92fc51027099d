"""The Bot API (https://core.telegram.org/bots/api) with python-telegram-bot, to poll and send as a bot."""

from butler_kit.botapi.library import Bot, error
from butler_kit.botapi.refusals import pause_of
from butler_kit.botapi.request import BotRequest, NeverReached, ServerFault

__all__ = ["Bot", "BotRequest", "NeverReached", "ServerFault", "bot_of", "error", "pause_of"]


def bot_of(token: str, *, api_base_url: str, request: BotRequest) -> Bot:
    """Return the bot of this token at this server; its calls use `request`, which its owner shuts down."""
    base_url = f"{api_base_url.rstrip('/')}/bot"
    return Bot(token, base_url=base_url, request=request, get_updates_request=request)
