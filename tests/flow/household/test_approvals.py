"""A message that waits, from the question in a chat to the tap that sends it: every process, a person who presses."""

from __future__ import annotations

import pytest
import yaml

from tests.support.chats import Chats, button
from tests.support.household import Place
from tests.support.telegram_api import callback_update, message_update, person

ADA, BEN, STRANGER = person(1001, "Ada"), person(1002, "Ben"), person(6666, "Marc")


def gated(place: Place) -> None:
    """The demo's manifests, with what butlers send to chats unasked held."""
    manifest = place.manifests / "butlers.yaml"
    documents = list(yaml.safe_load_all(manifest.read_text("utf-8")))
    [messenger] = [one for one in documents if one["metadata"]["name"] == "messenger"]
    messenger["spec"]["modules"]["approvals"] = {"gatedTools": ["telegram_send_message"]}
    manifest.write_text(yaml.safe_dump_all(documents, allow_unicode=True), "utf-8")


@pytest.mark.faults_full
async def test_a_reminder_that_waits_is_sent_once_by_a_tap_of_the_owner_and_nobody_elses(
    fresh_place: Place,
) -> None:
    gated(fresh_place)
    async with fresh_place.up() as running:
        await running.back({})
        telegram = running.providers.telegram
        chats = Chats(telegram)
        telegram.inject(message_update(ADA, text="Remind me in 2 seconds to water the plants"))
        assert "I will remind you on" in (await chats.next())["text"]
        question = await chats.next()
        assert "general wants to write to Ada" in question["text"]
        assert "Reminder: water the plants" in question["text"]
        telegram.inject(callback_update(STRANGER, question, button(question, "Approve")))
        assert (
            await chats.pressed(BEN, question, "Approve")
        ) == "This was asked of somebody else; nothing was changed."
        held = await running.rows(
            "SELECT status FROM messenger.delivery_requests WHERE status = 'pending_approval'"
        )
        assert len(held) == 1
        telegram.inject(callback_update(ADA, question, button(question, "Approve")))
        told = [(await chats.next())["text"] for _ in range(2)]
        assert sorted("Approved: it is sent to Ada" in one for one in told) == [False, True]
        assert sum(one == "[general] Reminder: water the plants" for one in told) == 1
        again = await chats.pressed(ADA, question, "Deny")
        assert "it was approved by" in again
        sent = await running.rows(
            "SELECT status FROM messenger.delivery_requests WHERE origin_butler = 'general'"
        )
    assert {row["status"] for row in sent} == {"sent"}
    assert sum("Reminder: water the plants" in one["text"] for one in telegram.sent) == 2, (
        "the question, and it itself"
    )
