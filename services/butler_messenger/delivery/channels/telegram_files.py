"""PURE: a text with its files as the messages that Telegram takes of it (ADR 0103).

One file with a short text is one message, the text its caption; otherwise the text comes first and each file after it,
by itself. Invariants: how many messages it is follows from the text and the number of files alone, so that a part that
has a receipt is never sent again; in the place of a file that does not come stands a sentence.

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
"""Of a document or a photo, counted in UTF-16 units as a text is."""
PHOTO_LIMIT: Final = 10_000_000
_PHOTOS: Final = frozenset({"image/jpeg", "image/png"})


@dataclass(frozen=True, slots=True)
class Piece:
    """One message: what it says, and the number of the file that it carries, whose caption that is."""

    said: Part
    file: int | None = None


def telegram_pieces(outgoing: Outgoing) -> tuple[Piece, ...]:
    """The messages of a delivery, in their order."""
    texts = telegram_parts(outgoing.origin_butler, outgoing.said)
    if len(outgoing.files) == 1 and len(texts) == 1 and units(texts[0].text) <= CAPTION_LIMIT:
        return (_captioned(texts[0], outgoing.files[0]),)
    files = (_alone(outgoing.origin_butler, number, one) for number, one in enumerate(outgoing.files))
    return (*(Piece(text) for text in texts), *files)


def is_photo(file: Enclosed) -> bool:
    """Whether it may be sent as a picture that is shown; of one that is too large by its sides Telegram says so."""
    return file.media_type.lower() in _PHOTOS and file.size_bytes <= PHOTO_LIMIT


def _captioned(text: Part, file: Enclosed) -> Piece:
    if file.instead is None:
        return Piece(text, 0)
    return Piece(replace(text, text=f"{text.text}\n\n{file.instead}"))


def _alone(origin: str, number: int, file: Enclosed) -> Piece:
    if file.instead is None:
        return Piece(Part(f"[{origin}] {file.name}"), number)
    return Piece(Part(f"[{origin}] {file.instead}"))
