"""How somebody is reached who asked for a reminder: where they asked, else where else; strangers not at all."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from butler_contracts.context import RequestContext
from butler_contracts.people import AddressV1, PeopleV1, PersonV1
from butler_kit.time import new_uuid7
from butler_specialist.remind.reach import Reach, reach_of

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
ADA, BEA = uuid4(), uuid4()


def context(channel: str, **changes: Any) -> RequestContext:
    return RequestContext.model_validate(
        {
            "request_id": str(new_uuid7(NOW)),
            "received_at": NOW,
            "source_channel": channel,
            "source_endpoint_identity": "household",
            "source_sender_identity": "ada@example.org",
            **changes,
        }
    )


def people(sender: UUID | None, *channels: str) -> PeopleV1:
    addresses = tuple(AddressV1(channel=channel, value="ada") for channel in channels)
    other = PersonV1(contact_id=BEA, name="Bea", addresses=(AddressV1(channel="telegram", value="2002"),))
    return PeopleV1(sender=sender, members=(other, PersonV1(contact_id=ADA, name="Ada", addresses=addresses)))


def test_a_member_is_reminded_where_they_asked() -> None:
    known = people(ADA, "telegram", "email")
    assert reach_of(context("email"), known) == Reach("email", ADA, None)
    assert reach_of(context("telegram"), known) == Reach("telegram", ADA, None)


def test_without_a_contact_the_address_itself_is_where() -> None:
    assert reach_of(context("email"), None) == Reach("email", None, "ada@example.org")


def test_whoever_asked_by_http_is_reminded_on_a_channel_that_can_be_written_to() -> None:
    assert reach_of(context("api"), people(ADA, "api", "email")) == Reach("email", ADA, None)
    assert reach_of(context("mcp"), people(ADA, "email", "telegram")) == Reach("telegram", ADA, None)


def test_nobody_is_promised_a_reminder_that_cannot_be_sent() -> None:
    assert reach_of(context("api"), people(ADA, "api")) is None
    assert reach_of(context("api"), people(None, "telegram")) is None
    assert reach_of(context("api"), None) is None


def test_a_stranger_is_not_reminded() -> None:
    stranger = context("email", sender_class="other", reply_policy="owner")
    assert reach_of(stranger, people(ADA, "email")) is None
