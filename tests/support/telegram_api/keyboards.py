"""Inline keyboards under messages, and what acknowledges a press.

Sources: https://core.telegram.org/bots/api#inlinekeyboardmarkup, #inlinekeyboardbutton, #callbackquery,
#answercallbackquery; the wording of refusals as the public server gives it.
"""

from __future__ import annotations

from typing import Any

from .errors import bad_request
from .parameters import Parameters
from .state import BotState

__all__ = ["answer_callback_query", "reply_markup"]

_MOST_BYTES = 64
_MOST_TEXT = 200
_TOO_OLD = "query is too old and response timeout expired or query ID is invalid"


def reply_markup(parameters: Parameters) -> dict[str, Any] | None:
    """The inline keyboard of a message, each button with `callback_data` of 1 to 64 bytes."""
    given = parameters.structured("reply_markup")
    if given is None:
        return None
    if not isinstance(given, dict) or not isinstance(rows := given.get("inline_keyboard"), list):
        raise bad_request("object expected as reply markup")
    if not all(isinstance(row, list) for row in rows):
        raise bad_request('field "inline_keyboard" must be an Array of Arrays')
    for button in (button for row in rows for button in row):
        if not isinstance(button, dict) or not str(button.get("text") or "").strip():
            raise bad_request(
                "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"
            )
        if not 1 <= len(str(button.get("callback_data") or "").encode()) <= _MOST_BYTES:
            raise bad_request("BUTTON_DATA_INVALID")
    return {"inline_keyboard": rows}


def answer_callback_query(state: BotState, parameters: Parameters, _: dict[str, Any]) -> Any:
    """True once for each query that was handed out; the client's progress bar ends then. None grows too old here."""
    query_id = parameters.text("callback_query_id") or ""
    if query_id not in state.open_queries:
        raise bad_request(_TOO_OLD)
    text = parameters.text("text")
    if text is not None and len(text) > _MOST_TEXT:
        raise bad_request("MESSAGE_TOO_LONG")
    state.add_log("callback_answer", callback_query_id=query_id, text=text)
    return True
