"""The invitation in a mail: its part `text/calendar`, or a file that is one (RFC 6047). Pure.

Invariants: nothing raises; one that is too large to be an invitation is not read, and stays a file of the mail. A
mail server's report about another mail is never an invitation.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from datetime import datetime
from email.message import Message
from typing import Any, Final, TypeAlias

from butler_kit.mail.outline import CALENDAR_BYTES, Outline, is_calendar

__all__ = ["invitation_of"]

_MOST_PARTS: Final = 500
_MOST_READ: Final = 3
Mail: TypeAlias = "Message[Any, Any]"


def invitation_of(message: Mail, *, written_at: datetime, has_words: bool) -> dict[str, Any] | None:
    """Return the `InvitationV1` as JSON; `has_words`: the mail has its own text, which may say the same."""
    if message.get_content_type() == "multipart/report":
        return None
    for part, is_form in _calendars(message):
        found = _read(part, written_at, apart=has_words and not is_form)
        if found is not None:
            return found
    return None


def _calendars(message: Mail) -> list[tuple[Mail, bool]]:
    """Return the first few parts, each with whether it is a form of the mail's text; those come first."""
    found = list(_walked(message, within_forms=False))
    return sorted(found, key=lambda pair: not pair[1])[:_MOST_READ]


def _walked(message: Mail, *, within_forms: bool) -> Iterator[tuple[Mail, bool]]:
    waiting: list[tuple[Any, bool]] = [(message, within_forms)]
    for _ in range(_MOST_PARTS):
        if not waiting:
            return
        part, is_form = waiting.pop()
        kind, children = part.get_content_type(), part.get_payload()
        if isinstance(children, list):
            # A mail forwarded as a file says something else than the text above it.
            forms = kind == "multipart/alternative" or (is_form and kind != "message/rfc822")
            waiting += [(child, forms) for child in reversed(children) if isinstance(child, Message)]
        elif is_calendar(kind, part):
            yield part, is_form


def _read(part: Mail, written_at: datetime, *, apart: bool) -> dict[str, Any] | None:
    # Imported here: few mails have an invitation.
    from butler_kit.calendar.invited import invitation_in
    from butler_kit.calendar.lines import text_of

    content = _content(part)
    if content is None:
        return None
    charset, method = _said(part, "charset"), _said(part, "method")
    found = invitation_in(text_of(content, charset), method=method, written_at=written_at, apart=apart)
    return found.model_dump(mode="json", exclude_defaults=True) if found is not None else None


def _content(part: Mail) -> bytes | None:
    """Return the part's bytes; None if they are incomplete or too many."""
    if isinstance(part, Outline) and (part.is_cut or not part.get_payload()):
        return None
    if len(str(part.get_payload())) > CALENDAR_BYTES * 2:
        return None
    try:
        content = part.get_payload(decode=True)
    except (ValueError, binascii.Error, LookupError, AssertionError, AttributeError):
        return None
    return content if isinstance(content, bytes) and 0 < len(content) <= CALENDAR_BYTES else None


def _said(part: Mail, name: str) -> str | None:
    """Return a parameter of the part's content type."""
    try:
        value = part.get_param(name)
    except (ValueError, TypeError, LookupError):
        return None
    if isinstance(value, tuple):
        value = value[2]
    return value.strip() if isinstance(value, str) and len(value) <= 60 else None
