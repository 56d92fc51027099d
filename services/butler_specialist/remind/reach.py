"""PURE: how a person is reached later, without a message of theirs to reply to (D67, MSG-6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from butler_contracts.context import RequestContext
from butler_contracts.notify import DeliveryChannel
from butler_contracts.people import AddressV1, PeopleV1

__all__ = ["PUSHED", "Reach", "channels_of", "other_ways", "reach_of"]

PUSHED: Final[tuple[DeliveryChannel, ...]] = ("telegram", "email")
"""The channels on which Messenger can write first, in the order used for the owner."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The channel, with the contact, whose identifier Messenger knows, or else the address itself."""

    channel: DeliveryChannel
    contact_id: UUID | None
    address: str | None


def reach_of(context: RequestContext, people: PeopleV1 | None) -> Reach | None:
    """Return where they asked, else another address of theirs; None if nothing can be sent to them.

    Only members of the household are reminded (D22).
    """
    if context.sender_class != "household":
        return None
    channel = cast(DeliveryChannel, context.source_channel.value)
    contact_id = people.sender if people is not None else None
    if channel in PUSHED:
        return Reach(channel, contact_id, None if contact_id else context.source_sender_identity)
    known = {address.channel for address in _addresses(people)}
    return next((Reach(one, contact_id, None) for one in PUSHED if one in known), None)


def channels_of(people: PeopleV1 | None, contact_id: UUID | None) -> list[DeliveryChannel]:
    """Return Messenger's channels, first those where the household knows an address of the contact."""
    members = people.members if people is not None else ()
    own = (one.addresses for one in members if one.contact_id == contact_id)
    known = {address.channel for addresses in own for address in addresses}
    return sorted(PUSHED, key=lambda channel: channel not in known)


def other_ways(reach: Reach) -> tuple[Reach, ...]:
    """Return where else a contact can be written to if the first channel is refused."""
    if reach.contact_id is None:
        return ()
    return tuple(Reach(one, reach.contact_id, None) for one in PUSHED if one != reach.channel)


def _addresses(people: PeopleV1 | None) -> tuple[AddressV1, ...]:
    if people is None or people.sender is None:
        return ()
    return next((one.addresses for one in people.members if one.contact_id == people.sender), ())
