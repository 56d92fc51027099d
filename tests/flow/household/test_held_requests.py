"""A child writes to a butler that needs a grown-up's word: every process, and the people who decide (ADR 0124)."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.chats import Chats, button
from tests.support.household import Place, RunningPlace, until
from tests.support.telegram_api import callback_update, message_update, person

ADA, BEN = person(1001, "Ada"), person(1002, "Ben")
PAID = "I paid 40 EUR for gas"


def with_a_child(place: Place) -> None:
    """Ben needs Ada's word for finance."""
    path = place.manifests / "contacts.yaml"
    secret = yaml.safe_load(path.read_text("utf-8"))
    people = yaml.safe_load(secret["stringData"]["contacts.yaml"])
    [ben] = [one for one in people if one["name"].startswith("Ben")]
    ben |= {"role": "child", "limits": {"askFirst": ["finance"]}}
    secret["stringData"]["contacts.yaml"] = yaml.safe_dump(people, allow_unicode=True)
    path.write_text(yaml.safe_dump(secret, allow_unicode=True), "utf-8")


async def asked(chats: Chats) -> dict[str, Any]:
    """Ben is told that Ada is asked; the question to her."""
    first, second = await chats.next(), await chats.next()
    question, told = (first, second) if first["chat_id"] == ADA["id"] else (second, first)
    assert (question["chat_id"], told["chat_id"]) == (ADA["id"], BEN["id"])
    assert "I have asked Ada Example." in str(told["text"])
    assert f"asks finance and needs your approval:\n\n| {PAID}\n" in str(question["text"])
    return question


async def at_rest(running: RunningPlace) -> None:
    async def sent() -> bool:
        return not await running.rows("SELECT FROM messenger.delivery_requests WHERE status <> 'sent'")

    await until(sent, what="everything is sent")


@pytest.mark.faults_full
async def test_a_tap_of_the_owner_gives_it_to_the_butler_once_though_two_processes_are_killed_around_it(
    fresh_place: Place,
) -> None:
    with_a_child(fresh_place)
    async with fresh_place.up() as running:
        await running.back({})
        telegram, chats = running.providers.telegram, Chats(running.providers.telegram)
        telegram.inject(message_update(BEN, text=PAID))
        question = await asked(chats)
        assert (
            await chats.pressed(BEN, question, "Approve")
        ) == "This was asked of somebody else; nothing was changed."
        assert await running.rows("SELECT FROM finance.records") == []
        await at_rest(running)
        former = await running.kill("switchboard", "messenger")
        telegram.inject(callback_update(ADA, question, button(question, "Approve")))
        await running.back(former)
        told = [await chats.next() for _ in range(2)]
        [answer] = [one for one in told if one["chat_id"] == BEN["id"]]
        [said] = [one for one in told if one["chat_id"] == ADA["id"]]
        kept = await running.rows("SELECT FROM finance.records")
        [request] = await running.rows(
            "SELECT request_id FROM switchboard.route_plan WHERE plan #>> '{held,word}' IS NOT NULL"
        )
        traced = (await fresh_place.verb("trace", str(request["request_id"]))).stdout
    assert "Approved: finance gets it now, once." in str(said["text"])
    assert str(answer["text"]).startswith("[finance] ")
    assert len(kept) == 1
    assert "Ada Example agreed to it for finance" in traced


@pytest.mark.faults_full
async def test_a_no_at_the_command_line_is_told_to_the_child(fresh_place: Place) -> None:
    with_a_child(fresh_place)
    async with fresh_place.up() as running:
        await running.back({})
        telegram, chats = running.providers.telegram, Chats(running.providers.telegram)
        telegram.inject(message_update(BEN, text=PAID))
        await asked(chats)
        listed = yaml.safe_load((await fresh_place.verb("approvals", "--json")).stdout)
        [row] = listed["approvals"]
        assert (row["kind"], row["tool"], row["person"]) == ("call", "switchboard.route", "Ben Example")
        assert (await fresh_place.verb("deny", row["approval_id"], "--reason", "not now")).code == 0
        told = await chats.next()
        assert await running.rows("SELECT FROM finance.records") == []
    assert told["chat_id"] == BEN["id"]
    assert f"said no to “{PAID}”." in str(told["text"])
