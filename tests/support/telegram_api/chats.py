"""Where a message goes: its chat, its topic, and the message that it replies to.

Sources: https://core.telegram.org/bots/api#sendmessage, #replyparameters; refusals in the words of the public server.
"""

from __future__ import annotations

from typing import Any

from .errors import ApiError, bad_request
from .parameters import Parameters
from .state import BotState

__all__ = ["chat_of", "reply_target", "topic_of"]


def chat_of(state: BotState, parameters: Parameters) -> dict[str, Any]:
    given = parameters.text("chat_id")
    if not given:
        raise bad_request("chat_id is empty")
    chat = _chat_by_name(state, given) if given.startswith("@") else state.chats.get(_number(given))
    if chat is None:
        raise bad_request("chat not found")
    if chat["id"] in state.blocked:
        raise ApiError(403, "Forbidden: bot was blocked by the user")
    return chat


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise bad_request("chat not found") from None


def _chat_by_name(state: BotState, name: str) -> dict[str, Any] | None:
    return next((chat for chat in state.chats.values() if f"@{chat.get('username')}" == name), None)


def topic_of(state: BotState, chat_id: int, parameters: Parameters) -> int | None:
    """#sendmessage: message_thread_id is for forum supergroups only, and names a topic that exists."""
    topic = parameters.integer("message_thread_id")
    if topic is not None and topic not in state.topics.get(chat_id, ()):
        raise bad_request("message thread not found")
    return topic


def reply_target(state: BotState, chat_id: int, parameters: Parameters) -> int | None:
    """`reply_parameters`, or the older `reply_to_message_id` beside `allow_sending_without_reply`."""
    given = parameters.structured("reply_parameters")
    if isinstance(given, dict):
        target, lenient = given.get("message_id"), bool(given.get("allow_sending_without_reply"))
    else:
        target = parameters.integer("reply_to_message_id")
        lenient = parameters.boolean("allow_sending_without_reply")
    if target is None:
        return None
    if int(target) in state.messages.get(chat_id, ()):
        return int(target)
    if lenient:
        return None
    raise bad_request("message to be replied not found")
