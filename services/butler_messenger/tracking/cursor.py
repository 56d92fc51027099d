"""PURE: where a page ended, as an opaque text."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from uuid import UUID

from butler_contracts.errors import ValidationFailed

__all__ = ["read_cursor", "write_cursor"]


def write_cursor(created_at: datetime, own_id: UUID) -> str:
    """The cursor of the page that ends with this row."""
    text = json.dumps([created_at.isoformat(), str(own_id)])
    return base64.urlsafe_b64encode(text.encode()).decode()


def read_cursor(cursor: str | None) -> tuple[datetime | None, UUID | None]:
    """What `write_cursor` was given; a cursor that it did not write is a `ValidationFailed`."""
    if cursor is None:
        return None, None
    try:
        created_at, own_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        return datetime.fromisoformat(created_at), UUID(own_id)
    except (ValueError, TypeError, AttributeError, binascii.Error):
        raise ValidationFailed("cursor is not one of a search; leave it out to begin anew") from None
