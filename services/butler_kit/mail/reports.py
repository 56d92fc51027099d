"""A mail server's report about a mail of ours: a delivery status notification (RFC 3464). Pure.

Invariant: nothing raises; a report that cannot be read is an empty report, but still a report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from email.parser import HeaderParser
from typing import Any, Final, TypeAlias

from butler_contracts.delivery_report import RECIPIENTS_MAX, DeliveryReportV1
from butler_contracts.parse import ContractViolation, parse
from butler_contracts.text import plain_line
from butler_kit.mail.headers import decoded, header_map, message_ids

__all__ = ["report_of"]

_STATUS: Final = re.compile(r"[245]\.\d{1,3}\.\d{1,3}(?!\d)")
_ACTIONS: Final = frozenset({"failed", "delayed", "delivered", "relayed", "expanded"})
_PARTS_MAX: Final = 20
_GROUPS_MAX: Final = RECIPIENTS_MAX + 1
_DIAGNOSTIC_MAX: Final = 200
_HEADERS_MAX: Final = 64 * 1024
Mail: TypeAlias = "Message[Any, Any]"


def report_of(message: Mail) -> dict[str, Any] | None:
    """Return a `DeliveryReportV1` as JSON; None for a mail that is no such notification."""
    if message.get_content_type() != "multipart/report" or _report_type(message) != "delivery-status":
        return None
    parts = message.get_payload()
    children = parts[:_PARTS_MAX] if isinstance(parts, list) else []
    read = [part for part in children if isinstance(part, Message)]
    document = {
        "message_id": next(_reported_ids(message, read), None),
        "recipients": [one for part in read for one in _recipients(part)][:RECIPIENTS_MAX],
    }
    try:
        return parse(DeliveryReportV1, document).to_wire()
    except ContractViolation:
        return DeliveryReportV1().to_wire()


def _report_type(message: Mail) -> str:
    try:
        return str(message.get_param("report-type") or "").strip().lower()
    except (ValueError, TypeError, LookupError):
        return ""


def _reported_ids(message: Mail, parts: list[Mail]) -> Iterator[str]:
    """Yield the mail's ids: from what the report encloses of it, then from the report's references."""
    for part in parts:
        enclosed = _enclosed(part)
        if enclosed is not None:
            yield from message_ids(header_map(enclosed), "message-id")
    own = header_map(message)
    yield from (*message_ids(own, "in-reply-to"), *reversed(message_ids(own, "references")))


def _enclosed(part: Mail) -> Mail | None:
    """Return the enclosed mail, whole or its header alone."""
    payload, kind = part.get_payload(), part.get_content_type()
    if kind == "message/rfc822" and isinstance(payload, list) and payload:
        return payload[0] if isinstance(payload[0], Message) else None
    if kind in ("text/rfc822-headers", "message/rfc822-headers") and isinstance(payload, str):
        return HeaderParser().parsestr(payload[:_HEADERS_MAX])
    return None


def _recipients(part: Mail) -> Iterator[dict[str, Any]]:
    """Yield one entry per group of fields with an outcome; the first group is about the mail as a whole."""
    groups = part.get_payload()
    if part.get_content_type() != "message/delivery-status" or not isinstance(groups, list):
        return
    for group in groups[:_GROUPS_MAX]:
        fields = header_map(group) if isinstance(group, Message) else {}
        action = next(iter(fields.get("action", [])), "").strip().lower()
        status = _STATUS.search(next(iter(fields.get("status", [])), ""))
        if action in _ACTIONS and status is not None:
            told = decoded(next(iter(fields.get("diagnostic-code", [])), ""))
            diagnostic = plain_line(told, most=_DIAGNOSTIC_MAX) or None
            yield {"action": action, "status": status[0], "diagnostic": diagnostic}
