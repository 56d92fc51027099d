"""One person who is wanted too much: what a minute holds goes, the rest follows in order, and nobody else waits."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta

import pytest

from butler_contracts.route import RouteResponseV1
from tests.integration.messenger.household import ADA, BEN, Place
from tests.integration.messenger.test_limited import USUAL, say, texts


@pytest.mark.faults_full
async def test_of_a_thousand_wishes_for_one_person_ten_go_a_minute_in_order_and_nobody_else_waits(
    place: Place,
) -> None:
    wishes, at_once = [f"wish {n:04}" for n in range(1000)], asyncio.Semaphore(50)
    async with place.messenger(limits=USUAL) as messenger:

        async def wanted(text: str) -> RouteResponseV1:
            async with at_once:
                return await say(messenger, text)

        flood = [asyncio.create_task(wanted(text)) for text in wishes]
        began = time.monotonic()
        other = await say(messenger, "for Ben", BEN)
        bens_s = time.monotonic() - began
        answers = [await answer for answer in flood]
        taken = [text for text, answer in zip(wishes, answers, strict=True) if answer.error is None]
        assert (len(taken), other.error) == (10, None)
        await place.telegram.until(lambda api: len(api.sent) == 11)
        assert (sorted(texts(place, ADA)), texts(place, BEN)) == (taken, ["for Ben"])
        assert bens_s < 5.0
        rest, minutes = [text for text in wishes if text not in taken], 0
        while rest:
            minutes += 1
            assert minutes <= 110, f"{len(rest)} are still refused"
            await place.database.shift_clock(minutes * timedelta(seconds=66), disconnect=True)
            while rest and (await say(messenger, rest[0])).error is None:
                rest = rest[1:]
        await place.telegram.until(lambda api: len(api.sent) == 1001)
    assert texts(place, ADA)[10:] == [text for text in wishes if text not in taken]
    assert minutes >= 99
