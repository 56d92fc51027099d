"""sendDocument and sendPhoto, with the file as a part of the form: https://core.telegram.org/bots/api#sending-files.

What a photo may be is looked at as the public server does: 10 MB, and bytes that begin as a picture does.
"""

from __future__ import annotations

import hashlib
from typing import Any, Literal

from .chats import chat_of, reply_target, topic_of
from .errors import ApiError, bad_request
from .given_entities import given_entities
from .keyboards import reply_markup
from .parameters import Parameters, Upload
from .state import BotState

__all__ = ["send_file"]

_MAX_CAPTION = 1024
_MAX_DOCUMENT = 50_000_000
_MAX_PHOTO = 10_000_000
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")


def send_file(
    kind: Literal["document", "photo"], state: BotState, parameters: Parameters, bot: dict[str, Any]
) -> Any:
    """One file with its caption; the log keeps its name, its kind, its size and its digest."""
    chat = chat_of(state, parameters)
    file = parameters.file(kind)
    if file is None:
        raise bad_request(f"there is no {kind} in the request")
    _check(kind, file)
    caption = parameters.text("caption") or ""
    if len(caption) > _MAX_CAPTION:
        raise bad_request("message caption is too long")
    topic = topic_of(state, chat["id"], parameters)
    reply_to, markup = reply_target(state, chat["id"], parameters), reply_markup(parameters)
    entities = given_entities(parameters, caption, "caption_entities")
    said: dict[str, Any] = {
        "name": file.filename,
        "media_type": file.media_type,
        "size": len(file.content),
        "sha256": hashlib.sha256(file.content).hexdigest(),
    }
    entry = state.add_log(
        "message",
        chat_id=chat["id"],
        message_id=state.next_message_id(chat["id"]),
        text=caption,
        reply_to_message_id=reply_to,
        message_thread_id=topic,
        **{kind: said},
        **({"entities": entities} if entities else {}),
        **({"reply_markup": markup} if markup else {}),
    )
    identity = {"file_id": f"{kind}-{entry['message_id']}", "file_unique_id": said["sha256"][:16]}
    shown: Any = {**identity, "file_name": file.filename, "file_size": len(file.content)}
    if kind == "photo":
        shown = [{**identity, "width": 90, "height": 90, "file_size": len(file.content)}]
    return {
        "message_id": entry["message_id"], "date": int(entry["time"]), "chat": chat, "from": bot,
        kind: shown, "caption": caption,
    }  # fmt: skip


def _check(kind: str, file: Upload) -> None:
    if not file.content:
        raise bad_request("file must be non-empty")
    if len(file.content) > _MAX_DOCUMENT:
        raise ApiError(413, "Request Entity Too Large")
    if kind == "photo" and len(file.content) > _MAX_PHOTO:
        raise bad_request("file is too big")
    if kind == "photo" and not file.content.startswith(_PICTURES):
        raise bad_request("IMAGE_PROCESS_FAILED")
