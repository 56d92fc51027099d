"""A member has another told something, without any model: once, with the outcome, and the answer says so."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from tests.integration.specialist.household import Place
from tests.integration.specialist.test_notify_tool import ADA, ADAS, BEN, BENS, GAS, said, told


async def test_rules_pass_on_what_an_adult_asks_to_tell_a_member(place: Place) -> None:
    async with place.specialist() as specialist:
        await specialist.done(said())
    [(intent, to, words), (reply, nobody, answer)] = told(place)
    assert (intent, to, words) == ("send", str(BEN), BENS)
    assert (reply, nobody) == ("reply", None)
    assert (answer or "").startswith("Noted: 40.00 EUR")
    assert (answer or "").endswith(f"Passing it on:\n\n{ADAS.rpartition(chr(10))[2]}")
    assert [row["kind"] for row in await place.records()] == ["expense"]


@pytest.mark.parametrize("role", ["child", "guest"])
async def test_a_child_and_a_guest_pass_nothing_on(place: Place, role: str) -> None:
    data = said(GAS)
    _with_role(data, ADA, role)
    async with place.specialist() as specialist:
        await specialist.done(data)
    assert [intent for intent, _, _ in told(place)] == ["reply"]


async def test_nothing_is_passed_on_from_a_group(place: Place) -> None:
    data = said(GAS)
    data["request_context"]["source_thread_identity"] = "-7000"
    async with place.specialist() as specialist:
        await specialist.done(data)
    assert str(BEN) not in [to for _, to, _ in told(place)]


def _with_role(data: dict[str, Any], contact: UUID, role: str) -> None:
    for member in data["input"]["context"]["people"]["members"]:
        if member["contact_id"] == str(contact):
            member["role"] = role
