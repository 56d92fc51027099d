"""PURE: a text with its files as Telegram messages (ADR 0103).

One file with a short text is one message, with the text as its caption; otherwise the text comes first and each file
follows on its own. Invariants: the number of messages depends only on the text and the number of files, so that a
part with a receipt is never sent again; a sentence stands in place of a missing file.

Source: https://core.telegram.org/bots/api#senddocument, #sendphoto, #sending-files.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from butler_messenger.delivery.channels.port import Enclosed, Outgoing
from butler_messenger.delivery.channels.telegram_texts import Part, telegram_parts
from butler_messenger.delivery.splitting import units

__all__ = ["CAPTION_LIMIT", "Piece", "is_photo", "telegram_pieces"]

CAPTION_LIMIT: Final = 1024
"""The longest caption of a document or a photo, counted in UTF-16 units like a text."""
PHOTO_LIMIT: Final = 10_000_000
_PHOTOS: Final = frozenset({"image/jpeg", "image/png"})


@dataclass(frozen=True, slots=True)
class Piece:
    """One message: its text, and the number of the file that it carries, with the text as caption."""

    said: Part
    file: int | None = None


def telegram_pieces(outgoing: Outgoing) -> tuple[Piece, ...]:
    """Return the messages of a delivery, in order."""
    texts = telegram_parts(outgoing.origin_butler, outgoing.said, marked=outgoing.marked)
    if len(outgoing.files) == 1 and len(texts) == 1 and units(texts[0].text) <= CAPTION_LIMIT:
        return (_captioned(texts[0], outgoing.files[0]),)
    mark = f"[{outgoing.origin_butler}] " if outgoing.marked else ""
    files = (_alone(mark, number, one) for number, one in enumerate(outgoing.files))
    return (*(Piece(text) for text in texts), *files)


def is_photo(file: Enclosed) -> bool:
    """Return whether it may be sent as a photo; Telegram itself refuses one with too large dimensions."""
    return file.media_type.lower() in _PHOTOS and file.size_bytes <= PHOTO_LIMIT


def _captioned(text: Part, file: Enclosed) -> Piece:
    if file.instead is None:
        return Piece(text, 0)
    return Piece(replace(text, text=f"{text.text}\n\n{file.instead}"))


def _alone(mark: str, number: int, file: Enclosed) -> Piece:
    if file.instead is None:
        return Piece(Part(f"{mark}{file.name}"), number)
    return Piece(Part(f"{mark}{file.instead}"))
