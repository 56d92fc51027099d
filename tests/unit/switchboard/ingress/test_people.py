"""Whom a butler is told of with a message: the contact who wrote, over every address, and nobody for a stranger's."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from butler_contracts.context import RequestContext
from butler_contracts.people import PEOPLE_MAX, AddressV1, PersonV1
from butler_kit.time import new_uuid7
from butler_switchboard.ingress.senders import ContactBook

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
MARA, TOM, LEO = uuid4(), uuid4(), uuid4()


def person(contact_id: Any, name: str, **addresses: str) -> PersonV1:
    known = tuple(AddressV1(channel=channel, value=value) for channel, value in addresses.items())
    return PersonV1(contact_id=contact_id, name=name, addresses=known)


BOOK = ContactBook(
    frozenset(),
    has_owner=True,
    people=(
        person(MARA, "Mara", telegram="777001", email="mara@example.com", api="mara"),
        person(TOM, "Tom", telegram="777002"),
        person(LEO, "Leo"),
    ),
)


def context(channel: str, sender: str, **changes: Any) -> RequestContext:
    return RequestContext(
        request_id=new_uuid7(NOW),
        received_at=NOW,
        source_channel=channel,
        source_endpoint_identity="here",
        source_sender_identity=sender,
        **changes,
    )


@pytest.mark.parametrize(
    ("channel", "sender"),
    [("telegram", "777001"), ("email", "mara@example.com"), ("email", "Mara@Example.com"), ("api", "mara")],
)
def test_one_contact_is_the_same_from_every_address(channel: str, sender: str) -> None:
    people = BOOK.people_of(context(channel, sender))
    assert people is not None
    assert people.sender == MARA
    assert [member.name for member in people.members] == ["Leo", "Mara", "Tom"]


def test_a_stranger_is_nobody_even_with_a_members_name_or_unproven_address() -> None:
    for sender in ("Mara", "mara@example.com"):
        unproven = context("email", sender, sender_class="other", reply_policy="owner")
        assert BOOK.people_of(unproven) is None


def test_a_sender_of_the_household_without_a_contact_is_none_of_them() -> None:
    people = BOOK.people_of(context("api", "home-assistant"))
    assert people is not None
    assert people.sender is None


def test_more_people_than_the_contract_takes_still_include_the_sender() -> None:
    many = tuple(person(uuid4(), f"A{number:04}") for number in range(PEOPLE_MAX + 5))
    book = ContactBook(frozenset(), has_owner=True, people=(*many, *BOOK.people))
    people = book.people_of(context("telegram", "777002"))
    assert people is not None
    assert len(people.members) == PEOPLE_MAX
    assert people.sender == TOM
    assert "Tom" in [member.name for member in people.members]


def test_who_works_when_nobody_wrote_is_told_of_the_household_around_the_owner_or_the_member_of_a_name() -> (
    None
):
    owner, member = BOOK.people[0], BOOK.people[1]
    book = replace(BOOK, owner_id=owner.contact_id)
    of_the_owner, of_the_member = book.people_around(None), book.people_around(member.name)
    assert of_the_owner is not None
    assert of_the_member is not None
    assert (of_the_owner.sender, of_the_member.sender) == (owner.contact_id, member.contact_id)
    assert of_the_owner.members == of_the_member.members
    assert book.people_around("Nobody") is None
    assert BOOK.people_around(None) is None
