"""What the manifest's `delivery` says decides how messages are delivered (MSG-11.3)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from butler_contracts.errors import ErrorClass
from butler_kit.mcp import ToolError
from butler_resources.kinds import ManifestError
from tests.integration.messenger.household import Client, Place, envelope, notify
from tests.integration.messenger.test_dead_letters import blocked, letter_of, refused_soon
from tests.support.mail.smtp_server import SmtpFault
from tests.support.manifests import butler_of


@pytest.mark.spec("MSG-11.3")
async def test_as_many_deliveries_are_under_way_as_the_manifest_says(place: Place) -> None:
    place.slow_mail()
    said = {"maxInFlight": 1, "answerWaitSeconds": 0}
    async with place.messenger(spec={"delivery": said}) as messenger:
        taken = await messenger.execute(envelope(notify(channel="email", idempotency_key="1")))
        full = await messenger.execute(envelope(notify(channel="email", idempotency_key="2")))
    assert taken.error is None
    assert full.error is not None
    assert (full.error.error_class, full.error.retryable) == (ErrorClass.OVERLOAD_REJECTED, True)
    assert "at most 1 may be" in full.error.message


@pytest.mark.spec("MSG-11.3")
async def test_each_channel_is_tried_as_the_manifest_says_of_it(place: Place) -> None:
    place.smtp.script(SmtpFault("rcpt", "drop", count=1))
    place.smtp.script(SmtpFault("rcpt", "slow", delay_s=30))
    said = {"email": {"maxAttempts": 2, "timeoutSeconds": 3, "baseDelaySeconds": 0.3, "jitter": 0}}
    async with place.messenger(spec={"delivery": {"channels": said}}) as messenger:
        answer = await messenger.notify(notify(channel="email", idempotency_key="mail"))
        assert answer.delivery is not None
        mail = await place.until_status(answer.delivery.delivery_id, "dead_lettered")
    first, second = await place.rows("SELECT * FROM delivery_attempts ORDER BY attempt")
    assert "did not answer within 3 s" in mail["error_message"]
    assert second["latency_ms"] >= 3000
    # The pause begins before the attempt that it follows is written down.
    assert second["started_at"] - first["finished_at"] >= timedelta(seconds=0.2)


@pytest.mark.spec("MSG-11.3")
@pytest.mark.parametrize(("said", "times"), [({"dedupeRetentionDays": 1}, 2), ({}, 1)])
async def test_a_message_is_known_again_for_as_many_days_as_the_manifest_says(
    place: Place, said: dict[str, Any], times: int
) -> None:
    wish = notify("once", idempotency_key="the-same")
    async with place.messenger(spec={"delivery": said}) as messenger:
        sent = await messenger.notify(wish)
        assert sent.delivery is not None
        await place.until_reported(sent.delivery.delivery_id)
    await place.database.shift_clock(timedelta(days=2))
    async with place.messenger(spec={"delivery": said}) as messenger:
        if times == 2:  # a sweep begins with each start
            await until_forgotten(place, sent.delivery.delivery_id)
        await messenger.notify(wish)
        await place.telegram.until(lambda api: len(api.sent) == times)


async def until_forgotten(place: Place, delivery_id: str) -> None:
    async with asyncio.timeout(90):
        while await place.rows("SELECT FROM delivery_requests WHERE delivery_id = $1", UUID(delivery_id)):
            await asyncio.sleep(0.02)


async def replay(messenger: Client, letter: dict[str, Any]) -> dict[str, Any]:
    blocked(messenger.place)
    which = {"dead_letter_id": str(letter["dead_letter_id"])}
    again = await messenger.tool("messenger_dead_letter_replay", which)
    await messenger.place.until_status(again["delivery_id"], "failed")
    return await letter_of(messenger.place, again["delivery_id"])


@pytest.mark.spec("MSG-11.3")
async def test_a_message_is_sent_again_as_often_as_the_manifest_says(place: Place) -> None:
    async with place.messenger(spec={"delivery": {"deadLetterMaxReplays": 2}}) as messenger:
        letter = await refused_soon(place, messenger, "once")
        for _ in range(2):
            letter = await replay(messenger, letter)
        which = {"dead_letter_id": str(letter["dead_letter_id"])}
        shown = await messenger.tool("messenger_dead_letter_inspect", which)
        with pytest.raises(ToolError, match="sent again 2 times, the most that deadLetterMaxReplays allows"):
            await messenger.tool("messenger_dead_letter_replay", which)
        discarded = await messenger.tool("messenger_dead_letter_discard", {**which, "reason": "too late"})
    assert shown["replay_eligible"] is False
    assert "deadLetterMaxReplays" in shown["assessment"]["because"]
    assert discarded["state"] == "discarded"


@pytest.mark.spec("MSG-11.3")
async def test_a_message_is_sent_again_up_to_the_age_that_the_manifest_says(place: Place) -> None:
    said = {"delivery": {"deadLetterReplayDays": 3}}
    async with place.messenger(spec=said) as messenger:
        old = await refused_soon(place, messenger, "old")
    await place.database.shift_clock(timedelta(days=4))
    async with place.messenger(spec=said) as messenger:
        fresh = await refused_soon(place, messenger, "fresh")
        with pytest.raises(ToolError, match="older than 3 days"):
            await messenger.tool(
                "messenger_dead_letter_replay", {"dead_letter_id": str(old["dead_letter_id"])}
            )
        await replay(messenger, fresh)


BEYOND: dict[str, tuple[dict[str, Any], str]] = {
    "places": ({"maxInFlight": 0}, "maxInFlight"),
    "time-out": ({"channels": {"email": {"timeoutSeconds": 0}}}, "timeoutSeconds"),
    "tries": ({"channels": {"email": {"maxAttempts": 21}}}, "maxAttempts"),
    "a minute": ({"channels": {"telegram": {"perMinute": 0}}}, "perMinute"),
    "a person": ({"limits": {"recipientPerMinute": 0}}, "recipientPerMinute"),
    "known again": ({"dedupeRetentionDays": 0}, "dedupeRetentionDays"),
    "replays": ({"deadLetterMaxReplays": -1}, "deadLetterMaxReplays"),
    "older than kept": ({"deadLetterDays": 5, "deadLetterReplayDays": 6}, "at most deadLetterDays"),
}


@pytest.mark.spec("MSG-11.3")
@pytest.mark.parametrize("what", BEYOND)
def test_a_policy_beyond_its_bounds_is_refused_by_name(what: str) -> None:
    said, named = BEYOND[what]
    with pytest.raises(ManifestError, match=named):
        butler_of({"role": "messenger", "delivery": said})
