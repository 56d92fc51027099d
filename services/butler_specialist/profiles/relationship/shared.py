"""A contact that somebody shared: a name and a number without any words (pure)."""

from __future__ import annotations

import re
from typing import Final

from butler_specialist.store.model import RecordDraft
from butler_specialist.understanding.reading import Reading

__all__ = ["shared_contact"]

_KIND: Final = "[contact "
_NUMBER: Final = re.compile(r"\+?[\d()/-]{5,20}")


def shared_contact(reading: Reading) -> RecordDraft | None:
    """Return the contact of a message that is nothing else; None without a name or a number."""
    shown = reading.descriptor
    if shown is None or not shown.startswith(_KIND):
        return None
    name, _, number = shown[len(_KIND) : -1].rpartition(" ")
    if not name.strip() or _NUMBER.fullmatch(number) is None:
        return None
    details = {"day": "of the message"}
    return RecordDraft(
        "contact", reading.today, reading.text, party=name.strip(), code=number, details=details
    )
