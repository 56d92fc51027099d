"""The list that a message continues without naming it: "oh and eggs", "put some tea on there too".

The conversation is only read for a message that needs it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

from butler_specialist.store.earlier import Conversation, Earlier
from butler_specialist.store.model import Record
from butler_specialist.understanding.list_names import SHOPPING, TASKS
from butler_specialist.understanding.lists import goes_on
from butler_specialist.understanding.reading import Reading

__all__ = ["with_list"]

_FOLLOWED: Final = timedelta(minutes=60)


async def with_list(reading: Reading, conversation: Conversation) -> Reading:
    """Return the reading with the list of the person's last message, if this one may continue it."""
    if reading.subject or not goes_on(reading):
        return reading
    last = next((one for one in await conversation.earlier() if one.in_thread), None)
    if last is None or last.ended_at < reading.moment - _FOLLOWED:
        return reading
    name = _list_of(last)
    return replace(reading, at_list=name) if name else reading


def _list_of(last: Earlier) -> str:
    """Return the one list that a message added things to."""
    names = {_name(row) for row in last.told}
    return names.pop() if len(names) == 1 else ""


def _name(row: Record) -> str:
    if row.kind in ("list_item", "list_removal"):
        return row.code or SHOPPING
    return TASKS if row.kind == "task" and row.details else ""
