"""Header fields of a mail as text, whatever is in them (RFC 5322, RFC 2047). Pure.

Invariant: nothing raises, and no field costs more than its first `FIELD_MAX` characters.
"""

from __future__ import annotations

import binascii
import re
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses
from itertools import islice
from typing import Any, Final

from butler_kit.sources.bounds import clip, identity_of

__all__ = ["FIELD_MAX", "Sender", "decoded", "header_map", "message_ids", "own_message_id", "sender_of"]

FIELD_MAX: Final = 4_000
_FIELDS_MAX: Final = 200
_IDS_MAX: Final = 50
_FOLD: Final = re.compile(r"[\r\n]+[ \t]*")
_MESSAGE_ID: Final = re.compile(r"<([^<>\s]{1,500})>")
_NAME: Final = re.compile(r"[A-Za-z0-9-]{1,80}")
_ADDRESS: Final = re.compile(r"[^\s<>()\[\],;:\\\"@]{1,64}@[^\s<>()\[\],;:\\\"@]{1,253}")

Sender = tuple[str, str | None]
"""Address in lower case, and the name shown with it."""
UNKNOWN_SENDER: Final = "unknown"


def header_map(message: Message[Any, Any]) -> dict[str, list[str]]:
    """Return every field by lower-case name, its lines unfolded, in the order of the mail (topmost first)."""
    found: dict[str, list[str]] = {}
    for name, value in islice(message.raw_items(), _FIELDS_MAX):
        if _NAME.fullmatch(str(name)):
            found.setdefault(str(name).lower(), []).append(_unfolded(value))
    return found


def decoded(value: str) -> str:
    """Return a field's value with its encoded words decoded; an unknown charset is read as UTF-8 or Latin."""
    try:
        parts = decode_header(value[:FIELD_MAX])
    except (HeaderParseError, binascii.Error, ValueError, IndexError):
        return clip(value, FIELD_MAX, mark="…")
    words = (part if isinstance(part, str) else text_of_bytes(part, charset) for part, charset in parts)
    return " ".join(clip("".join(words), FIELD_MAX, mark="…").split())


def text_of_bytes(content: bytes, charset: str | None) -> str:
    """Decode by the declared charset if it fits, else UTF-8, else the Latin that fits everything."""
    for name in (charset, "utf-8"):
        if not name or (name.lower() in ("us-ascii", "ascii") and not content.isascii()):
            continue
        try:
            return content.decode(name)
        except (LookupError, UnicodeError, ValueError):
            continue
    return content.decode("cp1252", "replace")


def sender_of(headers: dict[str, list[str]]) -> Sender:
    """Return the sender in `From`, else `Sender`, else the return path; `unknown` when none is an address."""
    for field in ("from", "sender", "return-path"):
        for value in headers.get(field, [])[:1]:
            for name, address in _addresses(value[:FIELD_MAX]):
                identity = identity_of(address.lower())
                if identity is not None and _ADDRESS.fullmatch(identity):
                    return identity, clip(decoded(name), 256, mark="…") or None
    return UNKNOWN_SENDER, None


def _addresses(value: str) -> list[tuple[str, str]]:
    try:
        return getaddresses([value])
    except (RecursionError, ValueError, IndexError, TypeError, AttributeError):  # nested comments, mostly
        return [("", address) for address in _ADDRESS.findall(value)[:1]]


def own_message_id(headers: dict[str, list[str]]) -> str | None:
    """Return the mail's Message-ID in its angle brackets; None when it has no usable one."""
    return next(iter(message_ids(headers, "message-id")), None)


def message_ids(headers: dict[str, list[str]], field: str) -> list[str]:
    """Return the ids of a field in order; of very many the first and the last ones."""
    value = " ".join(headers.get(field, []))[: FIELD_MAX * 8]
    found = [f"<{inner}>" for inner in _MESSAGE_ID.findall(value) if identity_of(inner) == inner]
    return found if len(found) <= _IDS_MAX else [found[0], *found[-_IDS_MAX + 1 :]]


def _unfolded(value: object) -> str:
    line = _FOLD.sub(" ", str(value)[:FIELD_MAX]).strip()
    # The parser keeps what is not ASCII as surrogates: most likely bare UTF-8.
    if not line.isascii():
        line = text_of_bytes(line.encode("utf-8", "surrogateescape"), "utf-8")
    return clip(line, FIELD_MAX, mark="…")
