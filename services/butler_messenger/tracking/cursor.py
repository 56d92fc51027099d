"""PURE: a page of a list, and its end as an opaque cursor."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from butler_contracts.errors import ValidationFailed
from butler_messenger.delivery.records import Row

__all__ = ["page_of", "read_cursor", "write_cursor"]


def page_of(
    name: str,
    rows: Sequence[Row],
    view: Callable[[Row], dict[str, Any]],
    *,
    limit: int,
    own_id: str,
    at: str = "created_at",
) -> dict[str, Any]:
    """Return the first `limit` of the rows under `name`; one more was read. `next_cursor` is null on the last page.

    `at` and `own_id` are the columns by which the list is ordered.
    """
    page = rows[:limit]
    more = len(rows) > limit
    return {
        name: [view(row) for row in page],
        "next_cursor": write_cursor(page[-1][at], page[-1][own_id]) if more else None,
    }


def write_cursor(created_at: datetime, own_id: UUID) -> str:
    """The cursor of the page that ends with this row."""
    text = json.dumps([created_at.isoformat(), str(own_id)])
    return base64.urlsafe_b64encode(text.encode()).decode()


def read_cursor(cursor: str | None) -> tuple[datetime | None, UUID | None]:
    """Return the arguments of `write_cursor`; raise `ValidationFailed` for a cursor that it did not write."""
    if cursor is None:
        return None, None
    try:
        created_at, own_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        return datetime.fromisoformat(created_at), UUID(own_id)
    except (ValueError, TypeError, AttributeError, binascii.Error):
        raise ValidationFailed("cursor is not one of a search; leave it out to begin anew") from None
