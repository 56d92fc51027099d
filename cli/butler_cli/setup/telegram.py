"""Ask Telegram about a bot and its owner before anything is written (https://core.telegram.org/bots/api).

Invariant: no text of this module contains the token.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from butler_cli.setup.answers import Unacceptable
from butler_kit.botapi import Bot, BotRequest, NeverReached, bot_of, error

__all__ = ["bot_name", "check_account", "id_of_writer"]

CONNECT_S: Final = 10.0
ANSWER_S: Final = 20.0
POLL_S: Final = 10
_SAID_CHARS: Final = 200


def bot_name(token: str, *, api: str) -> str:
    """Return the bot's name without @; `Unacceptable` if the token is refused or another program has it."""
    return asyncio.run(_bot_name(token, api))


def check_account(token: str, number: str, *, api: str, bot: str) -> None:
    """Raise `Unacceptable` unless the bot may write to this account."""
    asyncio.run(_check_account(token, number, api, bot))


def id_of_writer(token: str, code: str, *, api: str, bot: str, patience_s: float) -> tuple[str, str]:
    """Wait for the private message that holds `code`; return its writer's number and first name.

    Messages sent to the bot until then are discarded with it: nobody is there yet to answer them.
    """
    return asyncio.run(_id_of_writer(token, code, api, bot, patience_s))


async def _bot_name(token: str, api: str) -> str:
    async with _talking(token, api) as bot:
        user = await bot.get_me()
        hook = await bot.get_webhook_info()
        if hook.url:
            raise Unacceptable(
                f"the messages of @{user.username} go to another program (a webhook is set); "
                "make a new bot with @BotFather, or remove the webhook"
            )
        return str(user.username)


async def _check_account(token: str, number: str, api: str, name: str) -> None:
    async with _talking(token, api) as bot:
        try:
            await bot.send_chat_action(int(number), "typing")
        except (error.BadRequest, error.Forbidden) as refused:
            raise Unacceptable(
                f"@{name} cannot write to {number} ({_said(refused)}); open https://t.me/{name}, press Start, "
                "and answer again with your own number"
            ) from None


async def _id_of_writer(token: str, code: str, api: str, name: str, patience_s: float) -> tuple[str, str]:
    deadline, offset = time.monotonic() + patience_s, None
    async with _talking(token, api) as bot:
        while (left := deadline - time.monotonic()) > 0:
            wait = max(1, min(POLL_S, int(left)))
            updates = await bot.get_updates(offset=offset, timeout=wait, allowed_updates=["message"])
            found = _writer(updates, code)
            if updates:
                offset = updates[-1].update_id + 1
            if found is not None:
                # Confirmed, so that the household does not take the code for a message.
                await bot.get_updates(offset=offset, timeout=0, allowed_updates=["message"])
                return found
    raise Unacceptable(f"@{name} got no message with {code} within {patience_s:g} s")


def _writer(updates: Sequence[Any], code: str) -> tuple[str, str] | None:
    for update in updates:
        message = update.message
        if message is None or message.from_user is None or message.chat.type != "private":
            continue
        if (message.text or "").strip() in (code, f"/start {code}"):
            return str(message.from_user.id), message.from_user.first_name
    return None


@asynccontextmanager
async def _talking(token: str, api: str) -> AsyncIterator[Bot]:
    """Yield the bot, for calls with timeouts; errors become words for the person who typed the token."""
    request = BotRequest(connections=2, connect_timeout_s=CONNECT_S, read_timeout_s=ANSWER_S)
    try:
        yield bot_of(token, api_base_url=api, request=request)
    except error.InvalidToken:
        raise Unacceptable("Telegram does not know this bot token; copy it again from @BotFather") from None
    except error.Conflict:
        raise Unacceptable(
            "another program reads this bot's messages now; stop it, or make a new bot"
        ) from None
    except NeverReached as failure:
        raise Unacceptable(f"{api} cannot be reached ({_said(failure)}); is this machine online?") from None
    except error.TelegramError as failure:
        raise Unacceptable(f"{api} did not answer as it should ({_said(failure)}); try again") from None
    finally:
        await request.shutdown()


def _said(failure: error.TelegramError) -> str:
    return " ".join(failure.message.split())[:_SAID_CHARS] or type(failure).__name__
