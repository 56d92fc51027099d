"""The whole household: a provider refuses for good, is mended, and an operator has the answer sent after all, once."""

import json
from typing import Any

import pytest

from tests.support.household import RunningPlace, until
from tests.support.telegram_api import Fault, message_update, person

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("household")]

ADA = 1001


async def replies_to(running: RunningPlace, message_id: int) -> list[dict[str, Any]]:
    return [one for one in running.providers.telegram.sent if one["reply_to_message_id"] == message_id]


async def listed(running: RunningPlace, *filters: str) -> list[dict[str, Any]]:
    verb = await running.place.verb("dead-letters", "--json", *filters)
    assert verb.code == 0, verb.stderr
    found: list[dict[str, Any]] = json.loads(verb.stdout)["dead_letters"]
    return found


async def test_what_a_provider_refused_for_good_is_replayed_once_from_the_command_line(
    running: RunningPlace,
) -> None:
    telegram, place = running.providers.telegram, running.place
    telegram.script(Fault("sendMessage", "status", count=1, status=403, chat_id=str(ADA)))
    update = telegram.inject(message_update(person(ADA, "Ada"), text="Paid 7.70 EUR for stamps"))
    message_id = update["message"]["message_id"]

    async def kept() -> bool:
        return bool(await listed(running))

    await until(kept, what="the refused answer is a dead letter")
    [letter] = await listed(running, "--of", "deliveries", "--channel", "telegram", "--butler", "finance")
    request_id = letter["request_id"]
    assert await replies_to(running, message_id) == []

    table = await place.verb("dead-letters")
    assert "reply by telegram to 1001" in table.stdout
    unknown = await place.verb("replay", "no-id", "--reason", "x")
    assert (unknown.code, unknown.stdout) == (1, "")

    replayed = await place.verb("replay", request_id, "--reason", "Ada lets the bot in again")
    assert (replayed.code, replayed.stderr) == (0, "")
    assert "(replay 1), which is sent" in replayed.stdout
    for again in (request_id, letter["dead_letter_id"], letter["delivery_id"]):
        refused = await place.verb("replay", again, "--reason", "once more")
        assert refused.code == 1
        assert "it was replayed by" in refused.stderr
    discarded = await place.verb("discard", request_id, "--reason", "too late")
    assert discarded.code == 1

    assert len(await replies_to(running, message_id)) == 1
    assert await listed(running) == []
    [closed] = await listed(running, "--only", "replayed")
    assert (closed["replay_count"], closed["closed_reason"]) == (1, "Ada lets the bot in again")

    async def told() -> bool:
        view = await running.ask("switchboard", f"requests/{request_id}")
        states = [one["delivery_state"] for one in view["notifications"] if one["origin_butler"] == "finance"]
        return states == ["sent"]

    await until(told, what="Switchboard knows that it was sent after all")
    trace = await place.verb("trace", request_id)
    assert "an operator replayed it" in trace.stdout
