"""A household under `butlers up` whose Switchboard asks a model: what the model reads of a chat, and of no other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from examples.demo.thinking import write_model
from tests.support.chats import Chats
from tests.support.household import RunningPlace, place, until
from tests.support.model_api import Asked, ModelServer
from tests.support.telegram_api import message_update, person

ADA, BEN = person(1001, "Ada"), person(1002, "Ben")
FENCE = re.compile(r"<<<untrusted (\w+)\n(.*?)\nuntrusted \1>>>", re.DOTALL)


def routed(server: ModelServer, text: str) -> Asked:
    """The first question of the session that routed `text`."""
    names = [("route_to_butler", asked) for asked in server.asked if not asked.results]
    [found] = [
        asked
        for name, asked in names
        if asked.payload == text and any(tool["name"] == name for tool in asked.tools)
    ]
    return found


async def ended(up: RunningPlace, count: int) -> None:
    """So many messages have their end: what was answered to them is known."""

    async def done() -> bool:
        query = "SELECT count(*) AS n FROM switchboard.message_inbox WHERE final_state_at IS NOT NULL"
        return bool((await up.rows(query))[0]["n"] >= count)

    await until(done, what=f"{count} messages at their end")


@pytest.mark.spec("SWB-03.8")
async def test_the_second_message_is_routed_by_a_model_that_reads_the_first_and_its_answer(
    tmp_path: Path,
) -> None:
    async with ModelServer("keywords") as server, place(tmp_path / "household") as made:
        write_model(server, made.manifests)
        async with made.up() as up:
            await up.back({})
            telegram = up.providers.telegram
            chats = Chats(telegram)
            for number, (who, text) in enumerate(
                ((ADA, "Paid 40 EUR for gas"), (BEN, "Paid 70 EUR for shoes"), (ADA, "and water 12 EUR")), 1
            ):
                telegram.inject(message_update(who, text=text))
                await chats.next()
                await ended(up, number)
        asked = routed(server, "and water 12 EUR")
    before, current = (match[2] for match in FENCE.finditer(asked.user))
    said = [(line["from"], line["text"]) for line in map(json.loads, before.splitlines())]
    assert current == "and water 12 EUR"
    assert said == [("writer", "Paid 40 EUR for gas"), ("butlers", "[finance] Noted: 40 EUR")]
    assert "shoes" not in asked.user + asked.system
    assert "40 EUR" not in FENCE.sub("", asked.user)
