"""Telegram with nothing but python-telegram-bot's `Bot`: send, reply, react (MSR-02.1, D20, D21).

Texts longer than one message, and files, go out in parts, each with its own call, marker and receipt. Markup is sent
as entities, never by `parse_mode`: no text can be refused for its markup (ADR 0102). Buttons stand under the last
part (ADR 0041).
Sources: https://core.telegram.org/bots/api#sendmessage, #senddocument, #sendphoto, #messageentity, #replyparameters,
#setmessagereaction, #inlinekeyboardmarkup.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, NotRequired, TypedDict, Unpack

import structlog
from telegram import InlineKeyboardMarkup, InputFile, Message, ReactionTypeEmoji, ReplyParameters
from telegram.error import BadRequest, TelegramError

from butler_contracts.errors import ErrorClass
from butler_kit.botapi import BotRequest, bot_of
from butler_messenger.delivery.channels.port import Enclosed, Mark, Outgoing, upload_s
from butler_messenger.delivery.channels.telegram_buttons import keyboard
from butler_messenger.delivery.channels.telegram_errors import (
    is_lost_topic,
    is_refused_glyph,
    of_a_file,
    outcome_of,
)
from butler_messenger.delivery.channels.telegram_files import Piece, is_photo, telegram_pieces
from butler_messenger.delivery.channels.telegram_texts import Part
from butler_messenger.delivery.decisions import Evidence
from butler_messenger.delivery.outcomes import Failure, ProviderOutcome, Refused, Sent
from butler_messenger.settings import DEFAULT_GLYPHS

__all__ = ["TelegramChannel"]

_log = structlog.get_logger(__name__)

CONNECT_TIMEOUT_S: Final = 5.0


class _More(TypedDict):
    """The arguments of a message besides its text."""

    topic: NotRequired[str | None]
    buttons: NotRequired[InlineKeyboardMarkup | None]
    mark: Mark


class TelegramChannel:
    """One bot; safe for parallel calls. `timeout_s` bounds a single HTTP exchange.

    `glyphs` lists what to try for an emoji, in order; an emoji that is not listed is tried as it is.
    """

    name = "telegram"
    keeps_records = False
    autofile = False
    carries_files = True

    def __init__(
        self,
        *,
        token: str,
        api_base_url: str,
        timeout_s: float = 15.0,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        connections: int = 16,
        glyphs: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._request = BotRequest(
            connections=connections,
            connect_timeout_s=min(connect_timeout_s, timeout_s),
            read_timeout_s=timeout_s,
        )
        self._timeout_s = timeout_s
        self._bot = bot_of(token, api_base_url=api_base_url, request=self._request)
        self._glyphs = dict(DEFAULT_GLYPHS if glyphs is None else glyphs)
        self._refused: set[str] = set()

    def tool_for(self, outgoing: Outgoing) -> str:
        if outgoing.intent == "react":
            return "telegram_set_reaction"
        return "telegram_send_message" if outgoing.reply_to is None else "telegram_reply_to_message"

    def part_count(self, outgoing: Outgoing) -> int:
        return 1 if outgoing.intent == "react" else len(telegram_pieces(outgoing))

    def enclosed(self, outgoing: Outgoing, part: int) -> tuple[int, ...]:
        file = telegram_pieces(outgoing)[part].file if outgoing.files else None
        return (file,) if file is not None else ()

    async def send(self, outgoing: Outgoing, *, part: int, mark: Mark) -> ProviderOutcome:
        if outgoing.intent == "react":
            return await self.react(outgoing.target, outgoing.reply_to, outgoing.emoji, mark=mark)
        pieces = telegram_pieces(outgoing)
        piece, last = pieces[part], part == len(pieces) - 1
        buttons = keyboard(outgoing.buttons) if last else None
        # Only the first part quotes the message it answers.
        reply_to = outgoing.reply_to if outgoing.intent == "reply" and part == 0 else None
        more: _More = {"topic": outgoing.topic, "buttons": buttons, "mark": mark}
        if piece.file is not None:
            file = outgoing.files[piece.file]
            return await self._file(outgoing.target, piece, file, _quoted(reply_to), **more)
        if reply_to is None:
            return await self.telegram_send_message(outgoing.target, piece.said, **more)
        return await self.telegram_reply_to_message(outgoing.target, piece.said, reply_to, **more)

    async def telegram_send_message(self, chat: str, said: Part, **more: Unpack[_More]) -> ProviderOutcome:
        """sendMessage; the provider's id of the message is `<chat>:<message_id>`."""
        return await self._message(chat, said, None, **more)

    async def telegram_reply_to_message(
        self, chat: str, said: Part, reply_to: str, **more: Unpack[_More]
    ) -> ProviderOutcome:
        """sendMessage with `reply_parameters`; if the message is gone, the reply is sent without a quote."""
        return await self._message(chat, said, _quoted(reply_to), **more)

    async def _message(
        self,
        chat: str,
        said: Part,
        quoted: ReplyParameters | None,
        *,
        topic: str | None = None,
        buttons: InlineKeyboardMarkup | None = None,
        mark: Mark,
    ) -> ProviderOutcome:
        send = partial(
            self._bot.send_message,
            _chat_id(chat),
            said.text,
            entities=said.entities or None,
            reply_parameters=quoted,
            reply_markup=buttons,
        )
        try:
            return await _in_topic(topic, send, mark)
        except TelegramError as error:
            return outcome_of(error)

    async def _file(
        self,
        chat: str,
        piece: Piece,
        file: Enclosed,
        quoted: ReplyParameters | None,
        *,
        topic: str | None = None,
        buttons: InlineKeyboardMarkup | None = None,
        mark: Mark,
    ) -> ProviderOutcome:
        """sendPhoto for a picture; sendDocument for other files, and for a picture that sendPhoto refuses."""
        if file.content is None or piece.file is None:
            raise ValueError("a file is sent that was not fetched")
        upload = InputFile(file.content, filename=file.name)
        more: dict[str, Any] = {
            "caption": piece.said.text,
            "caption_entities": piece.said.entities or None,
            "reply_parameters": quoted,
            "reply_markup": buttons,
            "read_timeout": self._timeout_s + upload_s([file]),
        }
        try:
            if is_photo(file):
                try:
                    photo = partial(self._bot.send_photo, _chat_id(chat), upload, **more)
                    return await _in_topic(topic, photo, mark)
                except BadRequest as error:
                    _log.info("telegram_photo_refused", problem=error.message, action="sent as a document")
            document = partial(self._bot.send_document, _chat_id(chat), upload, **more)
            return await _in_topic(topic, document, mark)
        except TelegramError as error:
            return of_a_file(error, piece.file)

    async def react(
        self, chat: str, message_id: str | None, emoji: str | None, *, mark: Mark
    ) -> ProviderOutcome:
        """setMessageReaction with the first glyph that the bot may use; expected 400s are warnings (SWB-08.4)."""
        if message_id is None or emoji is None:
            text = "a reaction needs the message it is set on and an emoji"
            return Refused(Failure(ErrorClass.VALIDATION_ERROR, text, retryable=False))
        wanted = self._glyphs.get(emoji, (emoji,))
        outcome: ProviderOutcome = _no_glyph(emoji)
        for glyph in wanted:
            if glyph in self._refused:
                continue
            # As plain text, a glyph that the library does not know would go out as the id of a custom emoji.
            reaction = [ReactionTypeEmoji(glyph)]
            await mark()
            try:
                await self._bot.set_message_reaction(_chat_id(chat), int(message_id), reaction=reaction)
            except TelegramError as error:
                outcome = outcome_of(error)
                if is_refused_glyph(error):
                    self._remember(glyph)
                    continue
                if isinstance(outcome, Refused):
                    _log.warning("telegram_reaction_refused", problem=outcome.failure.message)
                return outcome
            return Sent(f"{chat}:{message_id}", {"reaction": glyph})
        return outcome

    def _remember(self, glyph: str) -> None:
        self._refused.add(glyph)
        _log.warning("telegram_glyph_refused", glyph=glyph, action="not tried again by this process")

    async def evidence(self, outgoing: Outgoing) -> Evidence:
        """The Bot API has no way to ask what a bot has sent."""
        return "none"

    async def records_problem(self) -> str | None:
        return None

    def record_id(self, outgoing: Outgoing) -> str:
        """Return the chat, since there is no id before the answer."""
        return outgoing.target

    async def aclose(self) -> None:
        await self._request.shutdown()


def _chat_id(chat: str) -> int | str:
    return chat if chat.startswith("@") else int(chat)


def _quoted(reply_to: str | None) -> ReplyParameters | None:
    """Return the answered message; if it is gone, the reply is sent without a quote."""
    if reply_to is None:
        return None
    return ReplyParameters(int(reply_to), allow_sending_without_reply=True)


async def _in_topic(topic: str | None, send: Callable[..., Awaitable[Message]], mark: Mark) -> Sent:
    """Send into a topic; if that one is lost, into its chat: the refusal proves that nothing was sent."""
    await mark()
    try:
        return _sent(await send(message_thread_id=int(topic) if topic is not None else None))
    except BadRequest as error:
        if topic is None or not is_lost_topic(error):
            raise
        _log.info("telegram_topic_lost", problem=error.message, action="sent to the chat")
    await mark()
    return _sent(await send())


def _sent(message: Message) -> Sent:
    response: dict[str, Any] = {"chat_id": message.chat_id, "message_id": message.message_id}
    return Sent(f"{message.chat_id}:{message.message_id}", response)


def _no_glyph(emoji: str) -> Refused:
    text = f"Telegram lets bots use none of the glyphs that stand for {emoji}"
    return Refused(Failure(ErrorClass.VALIDATION_ERROR, text, retryable=False))
