"""What was said before is read of one thread of one endpoint, the last half hour, and of the household alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.integration.specialist.household import Client, Place, envelope, request_context, stranger_context

BEFORE = "Paid the plumber 180 EUR today"
ASKED = "How much was that?"


def told(text: str, **changes: Any) -> dict[str, Any]:
    now = datetime.now(UTC)
    context = request_context(**{"received_at": now.isoformat().replace("+00:00", "Z"), **changes})
    return envelope(text, context=context)


async def answer(specialist: Client, document: dict[str, Any]) -> str:
    await specialist.done(document)
    said = specialist.place.switchboard.notifies[-1].delivery.message
    assert said is not None
    return said


async def test_the_last_turn_of_a_chat_is_read_back_and_another_chats_is_not(place: Place):
    async with place.specialist() as specialist:
        await answer(specialist, told(BEFORE))
        assert await answer(specialist, told(ASKED)) == f"That was 180.00 EUR: “{BEFORE}”."
        elsewhere = (
            {"source_thread_identity": "1002"},
            {"source_endpoint_identity": "telegram:another"},
        )
        for other in elsewhere:
            assert (await answer(specialist, told(ASKED, **other))).startswith("I can't tell what")
    assert len(await place.records()) == 1, "nothing is kept of a follow-up"


async def test_what_was_said_long_ago_is_no_turn_any_more(place: Place):
    async with place.specialist() as specialist:
        await answer(specialist, told(BEFORE))
        later = (datetime.now(UTC) + timedelta(minutes=31)).isoformat().replace("+00:00", "Z")
        assert (await answer(specialist, told(ASKED, received_at=later))).startswith("I can't tell what")


async def test_a_strangers_words_are_no_turn_of_a_member(place: Place):
    async with place.specialist() as specialist:
        stranger = stranger_context("telegram", source_sender_identity="4242", source_thread_identity="1001")
        await specialist.done(envelope("Invoice over 99 EUR due on 1 December", context=stranger))
        assert (await answer(specialist, told(ASKED))).startswith("I can't tell what")
