"""PURE: page cursors as opaque text; anything else is refused by name.

A list walks an index from the position in its cursor (keyset), so the hundredth page costs as much as the first.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import ValidationFailed
from butler_contracts.text import text_fault

__all__ = [
    "BEGINNING_OF_TIME",
    "CURSOR_MAX",
    "END_OF_TIME",
    "NEWEST_ID",
    "SCANNED_MAX",
    "moment",
    "read_cursor",
    "text",
    "write_cursor",
]

CURSOR_MAX: Final = 2_000
SCANNED_MAX: Final = 20_000
"""The most rows that one page of a long list looks through; then the page ends, and says where."""
NEWEST_ID: Final = UUID(int=2**128 - 1)
END_OF_TIME: Final = datetime(9998, 1, 1, tzinfo=UTC)
BEGINNING_OF_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NOT_OURS: Final = "cursor: it is not the `next` of a page of this list; leave it out to begin anew"


def write_cursor(*key: datetime | UUID | str | int) -> str:
    """Return the cursor of the page that ends with the row of this key."""
    plain = [part.isoformat() if isinstance(part, datetime) else part for part in key]
    document = json.dumps(plain, default=str, separators=(",", ":"))
    return base64.urlsafe_b64encode(document.encode()).decode().rstrip("=")


def read_cursor(cursor: str, *kinds: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return the key given to `write_cursor`, each part parsed by its kind. Raises `ValidationFailed`."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        parts: Sequence[Any] = json.loads(base64.b64decode(padded.encode(), altchars=b"-_", validate=True))
        if not isinstance(parts, list) or len(parts) != len(kinds):
            raise ValueError
        return tuple(kind(part) for kind, part in zip(kinds, parts, strict=True))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError, binascii.Error):
        raise ValidationFailed(_NOT_OURS) from None


def moment(part: Any) -> datetime:
    """Parse a moment in a cursor, within the years that the database and a conversion can hold."""
    read = datetime.fromisoformat(part)
    if read.tzinfo is None or not BEGINNING_OF_TIME <= read <= END_OF_TIME:
        raise ValueError
    return read


def text(part: Any) -> str:
    """Parse a text in a cursor."""
    if not isinstance(part, str) or text_fault(part):
        raise ValueError
    return part
