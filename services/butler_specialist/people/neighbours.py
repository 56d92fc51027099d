"""PURE: which members of the household may be told something, where, and in which language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from butler_contracts.language import Language
from butler_contracts.notify import DeliveryChannel
from butler_contracts.people import PeopleV1, PersonV1
from butler_specialist.remind.reach import PUSHED

__all__ = ["Neighbour", "neighbours_of"]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A member; `channel` is where they are written to first, or None."""

    contact_id: UUID
    name: str
    channel: DeliveryChannel | None
    language: Language

    @classmethod
    def of(cls, person: PersonV1, language: Language) -> Neighbour:
        return cls(person.contact_id, person.name, _channel(person), language)


def neighbours_of(
    people: PeopleV1 | None, writer: UUID | None, language_of: Callable[[UUID], Language]
) -> tuple[Neighbour, ...]:
    """Return the other members; none for a sender who is no contact."""
    if people is None or writer is None:
        return ()
    return tuple(
        Neighbour.of(one, language_of(one.contact_id)) for one in people.members if one.contact_id != writer
    )


def _channel(person: PersonV1) -> DeliveryChannel | None:
    known = {address.channel for address in person.addresses}
    return next((channel for channel in PUSHED if channel in known), None)
