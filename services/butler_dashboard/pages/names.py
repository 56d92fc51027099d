"""People by name (pure): contacts of the household by name, everybody else by address."""

from __future__ import annotations

import re
from typing import Final

from butler_dashboard.reads.delivery_models import DeliveryDetail
from butler_dashboard.reads.people import People
from butler_dashboard.reads.request_models import RequestLife

__all__ = ["diverted_word", "with_names"]

_DIVERTED: Final = re.compile(r"(?P<name>[^ ]+)(?: \((?P<state>[a-z_]+)(?:: (?P<why>.*))?\))?", re.DOTALL)
_STATES: Final = {"quarantined": "was held", "stale": "was silent"}


def with_names(life: RequestLife, people: People) -> RequestLife:
    """Return the same life with names in place of addresses, for display of its steps."""
    source = life.source
    sender = people.name(source.channel, source.sender_identity)
    if sender is not None:
        thread = None if source.thread_identity == source.sender_identity else source.thread_identity
        source = source.model_copy(update={"sender_identity": sender, "thread_identity": thread})
    told = tuple(
        note.model_copy(update={"recipient": people.name(note.channel, note.recipient) or note.recipient})
        if note.recipient
        else note
        for note in life.notifications
    )
    sent = tuple(_to_whom(delivery, people) for delivery in life.deliveries)
    return life.model_copy(update={"source": source, "notifications": told, "deliveries": sent})


def _to_whom(delivery: DeliveryDetail, people: People) -> DeliveryDetail:
    address = delivery.target_identity
    name = people.name(delivery.channel, address) if address else None
    return delivery.model_copy(update={"target_identity": name}) if name else delivery


def diverted_word(barred: str) -> str:
    """Return routing's `health (quarantined: on holiday)` in words: `health was held: on holiday`."""
    read = _DIVERTED.fullmatch(barred)
    if read is None:
        return f"{barred} could not take it"
    said = f"{read['name']} {_STATES.get(read['state'] or '', 'could not take it')}"
    return f"{said}: {read['why']}" if read["why"] else said
