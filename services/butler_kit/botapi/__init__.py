"""The Bot API (https://core.telegram.org/bots/api) by python-telegram-bot: for who polls a bot and who sends as one."""

from butler_kit.botapi.library import Bot, error
from butler_kit.botapi.refusals import pause_of
from butler_kit.botapi.request import BotRequest, NeverReached, ServerFault

__all__ = ["Bot", "BotRequest", "NeverReached", "ServerFault", "bot_of", "error", "pause_of"]


def bot_of(token: str, *, api_base_url: str, request: BotRequest) -> Bot:
    """The bot of this token at this server; all that it says goes through `request`, which its owner shuts down."""
    base_url = f"{api_base_url.rstrip('/')}/bot"
    return Bot(token, base_url=base_url, request=request, get_updates_request=request)
