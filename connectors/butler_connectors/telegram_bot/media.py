"""Describes a message without text in words, and references its files (D14, CNX-02.7). Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from butler_contracts.ingest import ATTACHMENT_BYTES_MAX, IngestAttachment
from butler_kit.sources.bounds import clip, identity_of

__all__ = ["attachments_of", "describe", "is_service_message"]

_FILES: Final = {
    "photo": "image/jpeg",
    "document": "application/octet-stream",
    "video": "video/mp4",
    "animation": "video/mp4",
    "audio": "audio/mpeg",
    "voice": "audio/ogg",
    "video_note": "video/mp4",
    "sticker": "image/webp",
}
"""Kinds of content that have a file, with the media type that Telegram gives when it names none."""
_SERVICE: Final = frozenset(
    {
        "new_chat_members", "left_chat_member", "new_chat_title", "new_chat_photo", "delete_chat_photo",
        "group_chat_created", "supergroup_chat_created", "channel_chat_created", "pinned_message",
        "message_auto_delete_timer_changed", "migrate_to_chat_id", "migrate_from_chat_id",
        "successful_payment", "refunded_payment", "users_shared", "chat_shared", "connected_website",
        "write_access_allowed", "passport_data", "proximity_alert_triggered", "boost_added",
        "chat_background_set", "forum_topic_created", "forum_topic_edited", "forum_topic_closed",
        "forum_topic_reopened", "general_forum_topic_hidden", "general_forum_topic_unhidden",
        "giveaway_created", "giveaway_completed", "video_chat_scheduled", "video_chat_started",
        "video_chat_ended", "video_chat_participants_invited", "web_app_data", "gift", "unique_gift",
        "gift_upgrade_sent", "checklist_tasks_done", "checklist_tasks_added", "paid_message_price_changed",
        "direct_message_price_changed", "suggested_post_approved", "suggested_post_approval_failed",
        "suggested_post_declined", "suggested_post_paid", "suggested_post_refunded",
    }
)  # fmt: skip
"""Fields of a `message` that report an event in the chat instead of something said."""
_MEDIA_TYPE: Final = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,100}/[A-Za-z0-9!#$&^_.+-]{1,100}")
_WORD_CHARS: Final = 120


def is_service_message(message: Mapping[str, Any]) -> bool:
    """Return whether the message is Telegram's own note about the chat (someone joined, a title changed)."""
    return not _SERVICE.isdisjoint(message)


def attachments_of(message: Mapping[str, Any]) -> tuple[IngestAttachment, ...]:
    """Return references to the message's files; for a photo, its largest size."""
    found = (_attachment(_file(message, kind), media_type) for kind, media_type in _FILES.items())
    return tuple(attachment for attachment in found if attachment is not None)


def describe(message: Mapping[str, Any]) -> str:
    """Return what it shows, in brackets: `[photo 1280x960]`, `[voice message 7 s]`, `[sticker 👍]`."""
    for kind in ("animation", "photo", "video", "video_note", "voice", "audio", "sticker", "document"):
        file = _file(message, kind)
        if file is not None:
            return _bracket(_FILE_WORDS[kind], *_details(kind, file))
    return _describe_other(message)


_FILE_WORDS: Final = {
    "animation": "animation",
    "photo": "photo",
    "video": "video",
    "video_note": "video note",
    "voice": "voice message",
    "audio": "audio",
    "sticker": "sticker",
    "document": "file",
}


def _describe_other(message: Mapping[str, Any]) -> str:
    location, contact, poll = (_object(message.get(key)) for key in ("location", "contact", "poll"))
    venue, dice = _object(message.get("venue")), _object(message.get("dice"))
    if venue is not None:
        return _bracket("place", venue.get("title"), venue.get("address"))
    if location is not None:
        return _bracket("location", f"{location.get('latitude')}, {location.get('longitude')}")
    if contact is not None:
        return _bracket(
            "contact", contact.get("first_name"), contact.get("last_name"), contact.get("phone_number")
        )
    if poll is not None:
        return _bracket("poll", poll.get("question"))
    if dice is not None:
        return _bracket("dice", dice.get("emoji"), dice.get("value"))
    return "[a message without text]"


def _details(kind: str, file: Mapping[str, Any]) -> list[object]:
    if kind == "sticker":
        return [file.get("emoji")]
    if kind == "document":
        return [file.get("file_name")]
    if kind == "audio":
        return [file.get("performer"), file.get("title") or file.get("file_name"), _seconds(file)]
    return [_size(file), _seconds(file)]


def _attachment(file: Mapping[str, Any] | None, default: str) -> IngestAttachment | None:
    reference = identity_of(f"telegram:file:{file.get('file_id')}") if file and file.get("file_id") else None
    if file is None or reference is None:
        return None
    media_type = file.get("mime_type")
    known = isinstance(media_type, str) and _MEDIA_TYPE.fullmatch(media_type) is not None
    name = file.get("file_name")
    # A sticker is a drawing of a fixed size, and an animation's still picture has its own entry.
    return IngestAttachment(
        media_type=str(media_type) if known else default,
        storage_ref=reference,
        size_bytes=_whole(file.get("file_size"), 0, ATTACHMENT_BYTES_MAX) or 0,
        filename=clip(name, 255, mark="…") if isinstance(name, str) and name else None,
        width=_whole(file.get("width"), 1, 1_000_000),
        height=_whole(file.get("height"), 1, 1_000_000),
    )


def _file(message: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    if kind == "document" and _object(message.get("animation")) is not None:
        return None  # Telegram repeats an animation as a document
    if kind != "photo":
        return _object(message.get(kind))
    sizes = message.get("photo")
    found = [size for size in sizes if isinstance(size, Mapping)] if isinstance(sizes, list) else []
    return max(found, key=lambda size: _whole(size.get("width"), 0, 1_000_000) or 0, default=None)


def _object(value: object) -> Mapping[str, Any] | None:
    return value if isinstance(value, Mapping) else None


def _whole(value: object, low: int, high: int) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if low <= value <= high else None


def _size(file: Mapping[str, Any]) -> str | None:
    width, height = _whole(file.get("width"), 1, 1_000_000), _whole(file.get("height"), 1, 1_000_000)
    return f"{width}x{height}" if width and height else None


def _seconds(file: Mapping[str, Any]) -> str | None:
    seconds = _whole(file.get("duration"), 0, 10_000_000)
    return None if seconds is None else f"{seconds} s"


def _bracket(kind: str, *details: object) -> str:
    words = [
        kind,
        *(clip(str(detail), _WORD_CHARS, mark="…") for detail in details if detail not in (None, "")),
    ]
    return f"[{' '.join(' '.join(words).split())}]"
