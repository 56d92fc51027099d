"""A Messenger that is killed again and again over a backlog: bounded tries, nothing doubled, order kept (MSG-7)."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections import Counter
from pathlib import Path
from uuid import UUID

import pytest

from tests.faults.ledger import LEDGER, chance
from tests.faults.providers.test_outages import behind, provider_port, tried
from tests.integration.messenger.household import Place, notify
from tests.support.line import Line

REPOSITORY = Path(__file__).parents[3]
CHATS, PER_CHAT, LIVES = 5, 8, 4
MOST_TRIES = 3
"""MSR-07's, at the provider."""


async def start(place: Place) -> asyncio.subprocess.Process:
    config = place.folder / "butler.toml"
    config.write_text(place.config_text())
    with (place.folder / "log").open("ab") as log:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "butler_messenger",
            "--config",
            str(config),
            cwd=REPOSITORY,
            env={"PATH": os.environ["PATH"], **place.env},
            stdout=log,
            stderr=log,
        )


async def admitted(place: Place) -> list[UUID]:
    """A backlog that waits for its provider."""
    chats = [7000 + number for number in range(CHATS)]
    for chat in chats:
        place.telegram.add_chat({"id": chat, "type": "group", "title": f"Chat {chat}"})
    found = []
    async with Line(provider_port(place, "telegram")) as line:
        await line.cut()
        async with place.messenger(text=behind(place, "telegram", line)) as messenger:
            for number in range(PER_CHAT):
                for chat in chats:
                    wish = notify(str(number), recipient=str(chat), idempotency_key=f"{chat} {number}")
                    answer = await messenger.notify(wish)
                    assert answer.delivery is not None
                    found.append(UUID(answer.delivery.delivery_id))
            await tried(place, 1)
    return found


@pytest.mark.faults_full
async def test_a_restart_loop_over_a_backlog_sends_each_message_once_or_tells_that_it_is_uncertain(
    place: Place,
) -> None:
    backlog = await admitted(place)
    draws = chance("restart loop of Messenger")
    process = await start(place)
    for _ in range(LIVES - 1):
        already = len(place.telegram.sent)
        wanted = already + draws.randrange(1, 9)
        await place.telegram.until(lambda api, n=wanted: len(api.sent) >= n, timeout_s=120)  # type: ignore[misc]
        process.kill()
        await process.wait()
        LEDGER.kills += 1
        process = await start(place)
    left: list[dict[str, object]] = [{}]
    async with asyncio.timeout(180):
        while left:
            left = await place.rows("SELECT 1 FROM delivery_work")
            await asyncio.sleep(0.1)
    process.terminate()
    assert await asyncio.wait_for(process.wait(), 60) == 0

    rows = await place.rows("SELECT * FROM delivery_requests WHERE delivery_id = ANY($1)", backlog)
    uncertain = [row for row in rows if row["status"] == "uncertain"]
    LEDGER.messages += len(rows)
    LEDGER.uncertain += len(uncertain)
    assert {row["status"] for row in rows} <= {"sent", "uncertain"}
    assert len(rows) == CHATS * PER_CHAT
    # A kill leaves open at most what every worker had in its hands.
    assert len(uncertain) <= (LIVES - 1) * 8
    assert max(row["attempts_used"] for row in rows) <= MOST_TRIES
    # What a kill left uncertain is told to the owner (D64).
    answers = [one for one in place.telegram.sent if "may not have arrived" not in one["text"]]
    told = [note for one in place.telegram.sent for note in re.findall(r"butlers discard (\S+)", one["text"])]
    assert set(told) <= {str(row["delivery_id"]) for row in uncertain}
    assert len(told) == len(set(told))
    seen = Counter((one["chat_id"], one["text"]) for one in answers)
    assert set(seen.values()) == {1}
    certain = {
        (int(row["target_identity"]), row["notify_request"]["delivery"]["message"]) for row in rows
    } - {(int(row["target_identity"]), row["notify_request"]["delivery"]["message"]) for row in uncertain}
    assert certain <= {(chat, text.partition("] ")[2]) for chat, text in seen}
    for chat in {one["chat_id"] for one in answers}:
        order = [int(one["text"].split()[-1]) for one in answers if one["chat_id"] == chat]
        assert order == sorted(order)
