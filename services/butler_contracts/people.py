"""The household's people as a butler is told of them with its work (SWB-01.4, D22, D68)."""

from __future__ import annotations

from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.text import Identity

__all__ = ["ADDRESSES_MAX", "PEOPLE_MAX", "AddressV1", "PeopleV1", "PersonV1"]

PEOPLE_MAX: Final = 100
ADDRESSES_MAX: Final = 50


class AddressV1(StrictModel):
    """Where a person writes from, normalised: the channel and the identity on it."""

    channel: Identity
    value: Identity


class PersonV1(StrictModel):
    """A contact of the household; the id stays the same whichever address they write from.

    `role` is only said of a child or a guest, so that a release before reads everybody else.
    """

    contact_id: UUID
    name: Identity
    addresses: Annotated[tuple[AddressV1, ...], Field(max_length=ADDRESSES_MAX)] = ()
    role: Literal["child", "guest"] | None = Field(default=None, exclude_if=lambda value: value is None)


class PeopleV1(StrictModel):
    """Owner and members; `sender` is who of them wrote, where it is one of them."""

    sender: UUID | None = None
    members: Annotated[tuple[PersonV1, ...], Field(max_length=PEOPLE_MAX)] = ()
