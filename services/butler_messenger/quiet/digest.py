"""PURE: joins several messages of one butler to one person into one (D66, docs/adr/0080).

Invariant: every text is in it whole, in order of arrival; one that would make it too long is left for the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from butler_contracts.notify import MESSAGE_MAX
from butler_kit.markup import BETWEEN, Words, together
from butler_messenger.admission.plan import planned_again
from butler_messenger.admission.store import NewDelivery
from butler_messenger.delivery.records import Row

__all__ = ["digest_of", "that_fit"]

_OF_ONE: Final = ("subject", "format")
"""The fields that belong to each message alone."""


def that_fit(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the first rows whose texts fit into one message together; at least one."""
    length, fitting = 0, 0
    for row in rows:
        length += len(_words(row).text) + len(BETWEEN)
        if fitting and length > MESSAGE_MAX:
            break
        fitting += 1
    return rows[:fitting]


def digest_of(rows: Sequence[Row], digest_id: UUID, *, expires_after_s: float) -> NewDelivery:
    """Return the joint message; its own end is reported to nobody, only that of each message in it."""
    first = planned_again(rows[0], expires_after_s=expires_after_s)
    told = {name: value for name, value in first.notify_request["delivery"].items() if name not in _OF_ONE}
    words = together([_words(row) for row in rows])
    told |= {"message": words.text, "idempotency_key": None}
    if words.format != "plain":
        told["format"] = words.format
    return replace(
        first,
        delivery_id=digest_id,
        idempotency_key=f"digest:{digest_id}",
        request_id=None,
        subrequest_id=None,
        notify_request={**first.notify_request, "delivery": told, "request_context": None},
        route_context=None,
    )


def _words(row: Row) -> Words:
    wish = row["notify_request"]["delivery"]
    return Words(wish["message"].strip(), wish.get("format", "plain"))
