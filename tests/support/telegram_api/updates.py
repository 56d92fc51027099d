"""Injecting updates: completes what a test leaves out, and queues it for getUpdates.

The builders make the objects of https://core.telegram.org/bots/api#update and #message; `inject` fills
`update_id` (growing by one), `message_id` (per chat) and `date` (now) where they are absent.
"""

from __future__ import annotations

import copy
from typing import Any

from .state import MAX_LOG, MAX_QUEUE, MESSAGE_TYPES, UPDATE_TYPES, BotState

__all__ = ["callback_update", "inject", "message_update", "person", "private_chat", "redeliver"]


def person(user_id: int, first_name: str, **extra: Any) -> dict[str, Any]:
    return {"id": user_id, "is_bot": False, "first_name": first_name, **extra}


def private_chat(user: dict[str, Any]) -> dict[str, Any]:
    """A private chat has the id of its person."""
    return {"id": user["id"], "type": "private", "first_name": user["first_name"]}


def message_update(
    user: dict[str, Any],
    *,
    chat: dict[str, Any] | None = None,
    kind: str = "message",
    **content: Any,
) -> dict[str, Any]:
    """An update with a message: `text=…`, or `photo=[…], caption=…`, `document=…`, `voice=…`, `location=…`"""
    message: dict[str, Any] = {"chat": chat or private_chat(user), **content}
    if kind not in {"channel_post", "edited_channel_post"}:
        message["from"] = user
    return {kind: message}


def callback_update(user: dict[str, Any], sent: dict[str, Any], data: str, **content: Any) -> dict[str, Any]:
    """An update for a press: `sent` is the logged message with the button, `data` what its button carries, or not.

    The `id` of the query is filled in (https://core.telegram.org/bots/api#callbackquery).
    """
    message = {"message_id": sent["message_id"], "chat": {"id": sent["chat_id"], "type": "private"}}
    shown = {"text": sent["text"], "reply_markup": sent.get("reply_markup")}
    message |= {
        "date": int(sent["time"]),
        **{name: value for name, value in shown.items() if value is not None},
    }
    return {
        "callback_query": {"from": user, "message": message, "chat_instance": "1", "data": data, **content}
    }


def inject(state: BotState, given: dict[str, Any]) -> dict[str, Any]:
    """Queue one update; returns it completed, with `queued` false when its type is not in `allowed_updates`.

    An `update_id` that was issued before hands the same update out once more, whatever the offset: what a
    poller sees whose confirmation was lost. Raises ValueError on an update that Telegram could not send.
    """
    kinds = [name for name in given if name != "update_id"]
    if len(kinds) != 1 or kinds[0] not in UPDATE_TYPES:
        found = ", ".join(kinds) or "none"
        raise ValueError(f"an update carries exactly one of its optional fields, got: {found}")
    if len(state.queue) >= MAX_QUEUE or len(state.issued) >= MAX_LOG:
        raise ValueError(f"{MAX_QUEUE} updates are waiting or {MAX_LOG} were issued: no more fit")
    if given.get("update_id") in state.issued:
        return redeliver(state, int(given["update_id"]))
    update = copy.deepcopy(given)
    if kinds[0] in MESSAGE_TYPES:
        _complete_message(state, update[kinds[0]], edited=kinds[0].startswith("edited_"))
    if kinds[0] == "callback_query":
        update["callback_query"].setdefault("id", str(4_000_000_000_000_000_000 + len(state.issued)))
    update["update_id"] = int(given.get("update_id") or state.next_update_id)
    queued = kinds[0] in state.allowed_updates
    state.record("update", update=update, at=state.clock(), queued=queued, redelivery=False)
    return {"update": update, "queued": queued}


def redeliver(state: BotState, update_id: int) -> dict[str, Any]:
    """Hand an update out again, unchanged."""
    update = state.issued.get(update_id)
    if update is None:
        raise ValueError(f"update {update_id} was never issued")
    state.record("update", update=update, at=state.clock(), queued=True, redelivery=True)
    return {"update": update, "queued": True}


def _complete_message(state: BotState, message: Any, *, edited: bool) -> None:
    chat = message.get("chat") if isinstance(message, dict) else None
    if not isinstance(chat, dict) or "id" not in chat:
        raise ValueError("a message needs a chat with an id")
    if edited and "message_id" not in message:
        raise ValueError("an edited message needs the message_id of the message that was edited")
    message.setdefault("message_id", state.next_message_id(message["chat"]["id"]))
    message.setdefault("date", int(state.clock()))
    if edited:
        message.setdefault("edit_date", int(state.clock()))
