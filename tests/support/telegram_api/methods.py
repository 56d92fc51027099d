"""The bot's methods other than getUpdates: each takes the state and the parameters, and returns `result`.

Sources: https://core.telegram.org/bots/api (#getme, #sendmessage, #senddocument, #sendphoto, #sendchataction,
#setmessagereaction, #deletewebhook, #getwebhookinfo); the wording of refusals as the public server gives it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .chats import chat_of, reply_target, topic_of
from .entities import parse_text
from .errors import bad_request
from .files import send_file
from .given_entities import given_entities
from .keyboards import answer_callback_query, reply_markup
from .parameters import Parameters
from .reactions import ALLOWED_REACTIONS
from .state import BotState

__all__ = ["METHODS", "bot_user"]

_MAX_TEXT = 4096
_ACTIONS = frozenset(
    {"typing", "upload_photo", "record_voice", "upload_voice", "upload_document", "find_location"}
)


def bot_user(token: str) -> dict[str, Any]:
    """The bot itself; its id is the number before the colon of its token, as Telegram issues them."""
    number = token.partition(":")[0]
    return {
        "id": int(number) if number.isdigit() else 1,
        "is_bot": True,
        "first_name": "Butlers",
        "username": "household_butlers_bot",
        "can_join_groups": True,
        "can_read_all_group_messages": True,
        "supports_inline_queries": False,
    }


def get_me(_: BotState, __: Parameters, bot: dict[str, Any]) -> Any:
    return bot


def get_webhook_info(state: BotState, _: Parameters, __: dict[str, Any]) -> Any:
    return {"url": "", "has_custom_certificate": False, "pending_update_count": len(state.queue)}


def delete_webhook(state: BotState, parameters: Parameters, _: dict[str, Any]) -> Any:
    """There is never a webhook; `drop_pending_updates` empties the queue."""
    if parameters.boolean("drop_pending_updates"):
        state.confirm_below(state.next_update_id)
    return True


def send_message(state: BotState, parameters: Parameters, bot: dict[str, Any]) -> Any:
    chat = chat_of(state, parameters)
    text, entities = parse_text(parameters.text("text") or "", parameters.text("parse_mode"))
    if not text.strip():
        raise bad_request("message text is empty")
    if len(text) > _MAX_TEXT:
        raise bad_request("message is too long")
    entities = entities or given_entities(parameters, text)
    topic = topic_of(state, chat["id"], parameters)
    reply_to = reply_target(state, chat["id"], parameters)
    markup = reply_markup(parameters)
    message_id = state.next_message_id(chat["id"])
    entry = state.add_log(
        "message",
        chat_id=chat["id"],
        message_id=message_id,
        text=text,
        reply_to_message_id=reply_to,
        message_thread_id=topic,
        **({"entities": entities} if entities else {}),
        **({"reply_markup": markup} if markup else {}),
    )
    message: dict[str, Any] = {
        "message_id": message_id, "date": int(entry["time"]), "chat": chat, "from": bot, "text": text,
    }  # fmt: skip
    if entities:
        message["entities"] = entities
    if markup:
        message["reply_markup"] = markup
    if topic is not None:
        message |= {"message_thread_id": topic, "is_topic_message": True}
    if reply_to is not None:
        message["reply_to_message"] = {"message_id": reply_to, "date": int(entry["time"]), "chat": chat}
    return message


def send_document(state: BotState, parameters: Parameters, bot: dict[str, Any]) -> Any:
    return send_file("document", state, parameters, bot)


def send_photo(state: BotState, parameters: Parameters, bot: dict[str, Any]) -> Any:
    return send_file("photo", state, parameters, bot)


def send_chat_action(state: BotState, parameters: Parameters, _: dict[str, Any]) -> Any:
    """#sendchataction: shown for five seconds at most, so nothing is kept of it."""
    chat_of(state, parameters)
    if parameters.text("action") not in _ACTIONS:
        raise bad_request("wrong parameter action in request")
    return True


def set_message_reaction(state: BotState, parameters: Parameters, _: dict[str, Any]) -> Any:
    """Replaces what the bot had set; an absent or empty list removes it. A bot may set one at most."""
    chat = chat_of(state, parameters)
    message_id = parameters.required_integer("message_id", missing="message identifier is not specified")
    wanted = _reactions(parameters)
    if message_id not in state.messages.get(chat["id"], ()):
        raise bad_request("message to react not found")
    state.add_log("reaction", chat_id=chat["id"], message_id=message_id, reaction=wanted)
    return True


def _reactions(parameters: Parameters) -> list[dict[str, Any]]:
    given = parameters.structured("reaction") or []
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        raise bad_request("can't parse reaction types JSON object")
    if len(given) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    for item in given:
        _check_reaction(item)
    return [{"type": "emoji", "emoji": item["emoji"]} for item in given]


def _check_reaction(item: dict[str, Any]) -> None:
    """What is no reaction type is refused by the Bot API server itself, before Telegram is asked."""
    if item.get("type") not in {"emoji", "custom_emoji", "paid"}:
        raise bad_request("can't parse ReactionType: invalid reaction type specified")
    if item["type"] == "custom_emoji" and not str(item.get("custom_emoji_id", "")).isdecimal():
        raise bad_request('can\'t parse ReactionType: Field "custom_emoji_id" must be a valid Number')
    if item["type"] != "emoji" or item.get("emoji") not in ALLOWED_REACTIONS:
        raise bad_request("REACTION_INVALID")


METHODS: dict[str, Callable[[BotState, Parameters, dict[str, Any]], Any]] = {
    "getme": get_me,
    "getwebhookinfo": get_webhook_info,
    "deletewebhook": delete_webhook,
    "sendmessage": send_message,
    "senddocument": send_document,
    "sendphoto": send_photo,
    "sendchataction": send_chat_action,
    "setmessagereaction": set_message_reaction,
    "answercallbackquery": answer_callback_query,
}
"""Method names are case-insensitive (Bot API, Making requests)."""
