"""The Bot API server with the client of the project: python-telegram-bot's Bot and Updater."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator

import pytest
from telegram import Bot, ReactionTypeEmoji, ReplyParameters, Update
from telegram.error import BadRequest, Conflict, Forbidden, InvalidToken, NetworkError, RetryAfter
from telegram.ext import Updater

from tests.support.telegram_api import Fault, TelegramApiServer, message_update, person

TOKEN = "7000001:household-test"
ADA = person(1001, "Ada", username="ada")


@pytest.fixture
async def api() -> AsyncIterator[TelegramApiServer]:
    async with TelegramApiServer(token=TOKEN) as server:
        server.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
        yield server


@pytest.fixture
async def bot(api: TelegramApiServer) -> AsyncIterator[Bot]:
    async with Bot(TOKEN, base_url=api.base_url) as bot:
        yield bot


async def test_the_bot_knows_itself(bot: Bot) -> None:
    assert (bot.id, bot.username) == (7000001, "household_butlers_bot")


async def test_the_updater_receives_what_is_injected_and_confirms_it(
    api: TelegramApiServer, bot: Bot
) -> None:
    queue: asyncio.Queue[object] = asyncio.Queue()
    api.inject(message_update(ADA, text="Paid 42.50 EUR for groceries"))
    photo = [{"file_id": "p1", "file_unique_id": "u1", "width": 1280, "height": 960}]
    async with Updater(bot, queue) as updater:
        await updater.start_polling(poll_interval=0, timeout=1)
        async with asyncio.timeout(90):
            first = await queue.get()
            api.inject(message_update(ADA, photo=photo, caption="the receipt"))
            second = await queue.get()
            await api.until(lambda api: not api.state.queue)
        await updater.stop()
    assert isinstance(first, Update)
    assert isinstance(second, Update)
    assert first.message is not None
    assert second.message is not None
    assert (first.message.text, second.message.caption) == ("Paid 42.50 EUR for groceries", "the receipt")
    assert (first.message.chat.id, second.message.photo[0].width) == (1001, 1280)


async def test_send_reply_and_react(api: TelegramApiServer, bot: Bot) -> None:
    update = api.inject(message_update(ADA, text="hello"))
    message_id = update["message"]["message_id"]
    sent = await bot.send_message(1001, "Noted.", reply_parameters=ReplyParameters(message_id))
    assert sent.reply_to_message is not None
    assert sent.reply_to_message.message_id == message_id
    assert await bot.set_message_reaction(1001, message_id, "👍") is True
    assert api.reaction(1001, message_id) == "👍"
    assert await bot.set_message_reaction(1001, message_id) is True
    assert api.reaction(1001, message_id) is None


async def test_refusals_arrive_as_the_library_s_exceptions(api: TelegramApiServer, bot: Bot) -> None:
    update = api.inject(message_update(ADA, text="hello"))
    with pytest.raises(BadRequest, match=r"(?i)reaction_invalid"):
        await bot.set_message_reaction(1001, update["message"]["message_id"], ReactionTypeEmoji("✅"))
    # Given as text, the library takes a glyph that it does not know for the id of a custom emoji.
    with pytest.raises(BadRequest, match=r"(?i)must be a valid number"):
        await bot.set_message_reaction(1001, update["message"]["message_id"], "✅")
    with pytest.raises(BadRequest, match="Message to be replied not found"):
        await bot.send_message(1001, "x", reply_parameters=ReplyParameters(999))
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.send_message(4711, "x")
    api.add_chat({"id": 1002, "type": "private", "first_name": "Ben"}, blocked=True)
    with pytest.raises(Forbidden, match="bot was blocked by the user"):
        await bot.send_message(1002, "x")
    with pytest.raises(InvalidToken):
        await Bot("1:other", base_url=api.base_url).initialize()


async def test_flood_control_arrives_as_retry_after(api: TelegramApiServer, bot: Bot) -> None:
    api.script(Fault("sendMessage", "status", status=429, retry_after_s=9))
    with pytest.raises(RetryAfter) as caught:
        await bot.send_message(1001, "x")
    waiting = caught.value.retry_after
    assert (waiting if isinstance(waiting, int) else waiting.total_seconds()) == 9


@pytest.mark.parametrize("status", [500, 502])
async def test_an_outage_arrives_as_a_network_error(api: TelegramApiServer, bot: Bot, status: int) -> None:
    api.script(Fault("sendMessage", "status", status=status))
    with pytest.raises(NetworkError):
        await bot.send_message(1001, "x")


async def test_a_lost_answer_is_a_network_error_although_the_message_went_out(
    api: TelegramApiServer, bot: Bot
) -> None:
    api.script(Fault("sendMessage", "drop", applied=True))
    with pytest.raises(NetworkError):
        await bot.send_message(1001, "once")
    assert [entry["text"] for entry in api.sent] == ["once"]


async def test_two_pollers_conflict(api: TelegramApiServer, bot: Bot) -> None:
    first = asyncio.create_task(bot.get_updates(timeout=10))
    await api.until(lambda api: api.polling)
    async with Bot(TOKEN, base_url=api.base_url) as second:
        await second.get_updates()
    with pytest.raises(Conflict):
        await first


async def test_a_topic_of_a_forum_is_written_to_and_one_that_is_gone_is_a_bad_request(
    api: TelegramApiServer, bot: Bot
) -> None:
    forum = {"id": -1001, "type": "supergroup", "title": "Home", "is_forum": True}
    api.inject(message_update(ADA, chat=forum, text="hello", message_thread_id=7, is_topic_message=True))
    sent = await bot.send_message(-1001, "hello", message_thread_id=7)
    assert (sent.message_thread_id, sent.is_topic_message) == (7, True)
    with pytest.raises(BadRequest, match="thread not found"):
        await bot.send_message(-1001, "hello", message_thread_id=8)


async def test_files_arrive_with_their_name_their_caption_and_every_byte(
    api: TelegramApiServer, bot: Bot
) -> None:
    content = bytes(range(256)) * 1000
    sent = await bot.send_document(1001, content, filename="bill.pdf", caption="the bill")
    picture = await bot.send_photo(1001, b"\x89PNG\r\n\x1a\n" + bytes(10), filename="a.png")
    assert sent.document is not None
    assert (sent.document.file_name, sent.document.file_size, sent.caption) == (
        "bill.pdf",
        len(content),
        "the bill",
    )
    assert len(picture.photo) == 1
    kept = api.sent[0]["document"]
    assert (kept["sha256"], kept["size"]) == (hashlib.sha256(content).hexdigest(), len(content))


async def test_what_is_no_picture_or_too_large_is_refused_as_the_public_server_does(bot: Bot) -> None:
    with pytest.raises(BadRequest, match=r"(?i)image_process_failed"):
        await bot.send_photo(1001, b"text", filename="a.png")
    with pytest.raises(BadRequest, match=r"(?i)too big"):
        await bot.send_photo(1001, bytes(10_000_001), filename="a.png")
    with pytest.raises(BadRequest, match=r"(?i)caption is too long"):
        await bot.send_document(1001, b"x", filename="a", caption="x" * 1025)
    with pytest.raises(BadRequest, match=r"(?i)non-empty"):
        await bot.send_document(1001, b"", filename="a")
