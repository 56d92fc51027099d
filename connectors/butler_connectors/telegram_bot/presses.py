"""PURE: a button press as a message in its chat (ADR 0041; https://core.telegram.org/bots/api#callbackquery).

A client may send any data under any message, so nothing here is trusted: Switchboard looks up what it names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["as_message", "event_of_press", "is_press", "query_of"]

_PLACE: Final = ("chat", "message_id", "message_thread_id", "is_topic_message")
_UNNAMED: Final = "[button]"


def query_of(update: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the callback query of an update; None for any other update."""
    query = update.get("callback_query")
    return query if isinstance(query, Mapping) else None


def is_press(query: Mapping[str, Any]) -> bool:
    """Return whether it comes from a button with data; a game's button has none."""
    return all(isinstance(query.get(name), str) and query[name] for name in ("id", "data"))


def as_message(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the press as a message from the person, in the place of the message that has the button.

    It has no date: that of the message is when the button was sent, not when it was pressed.
    """
    message = query.get("message")
    message = message if isinstance(message, Mapping) else {}
    place = {name: message[name] for name in _PLACE if name in message}
    return {**place, "from": query.get("from"), "text": _label(message, query.get("data"))}


def event_of_press(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a press event besides its place: the query's own id, by which it is recognised."""
    return {"external_event_id": f"callback_query:{query.get('id')}", "pressed": query.get("data")}


def _label(message: Mapping[str, Any], data: object) -> str:
    """Return the label of the button; an old message comes without its buttons (#inaccessiblemessage)."""
    markup = message.get("reply_markup")
    rows = markup.get("inline_keyboard") if isinstance(markup, Mapping) else None
    for row in rows if isinstance(rows, list) else ():
        for button in row if isinstance(row, list) else ():
            if isinstance(button, Mapping) and button.get("callback_data") == data:
                label = button.get("text")
                return label if isinstance(label, str) else _UNNAMED
    return _UNNAMED
