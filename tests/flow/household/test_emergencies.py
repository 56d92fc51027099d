"""Somebody in danger is answered at once, whatever else waits for them, under the limits that a household has."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.household import RunningPlace, place, until
from tests.support.telegram_api import message_update, person

ADA = person(1001, "Ada")
FLOOD = 30
"""More than a chat is answered within a minute."""
AT_ONCE_S = 10.0


def usual_limits(manifests: Path) -> None:
    """What Messenger has without a word in its manifest; the demo's are for its own load."""
    path = manifests / "butlers.yaml"
    documents = [one for one in yaml.safe_load_all(path.read_text("utf-8")) if one]
    [messenger] = [one for one in documents if one["spec"]["role"] == "messenger"]
    messenger["spec"].pop("delivery")
    path.write_text(yaml.safe_dump_all(documents, allow_unicode=True), encoding="utf-8")


def sent(up: RunningPlace) -> list[dict[str, Any]]:
    return list(up.providers.telegram.sent)


async def held_back(up: RunningPlace) -> None:
    """Until nothing more is said for a while though most of it is still to be told."""
    before = -1
    while len(sent(up)) != before or before == 0:
        before = len(sent(up))
        await asyncio.sleep(3)
    assert before < FLOOD


@pytest.mark.parametrize("told", ["I paid {} EUR for gas", "My pulse is {}"])
async def test_whoever_writes_of_danger_is_answered_before_all_that_waits(tmp_path: Path, told: str) -> None:
    async with place(tmp_path / "household") as made:
        usual_limits(made.manifests)
        async with made.up() as up:
            await up.back({})
            for number in range(FLOOD):
                up.providers.telegram.inject(message_update(ADA, text=told.format(50 + number)))
            await held_back(up)
            waiting = len(sent(up))
            up.providers.telegram.inject(message_update(ADA, text="I feel unconscious"))

            async def alarmed() -> bool:
                return any("Call 112 now" in one["text"] for one in sent(up)[waiting:])

            await until(alarmed, what="whom to call", deadline_s=AT_ONCE_S)
