"""A butler that does something each minute: real Switchboard, Messenger and chats, and a process that dies."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import yaml

from tests.flow.household.test_own_butler import EXAMPLE
from tests.support.household import RunningPlace, place, until
from tests.support.loopback import free_port
from tests.support.model_api import Answer, Asked, Call, ModelServer
from tests.support.tool_server import LampServer, lamp_server

ADA, BEN = 1001, 1002
EACH_MINUTE = "* * * * *"
DARK = "It gets dark: say that the lamps may be turned on."
TURN_ON = "Turn on the kitchen lamp."


def write_home(manifests: Path, model: ModelServer, lamps: str) -> None:
    """The example, at this model and these lamps, with one schedule for the owner and one for another member."""
    document = yaml.safe_load(EXAMPLE.read_text("utf-8"))
    spec = document["spec"]
    spec["runtime"] |= {"baseUrl": model.base_url("openai"), "model": "stub"}
    spec["tools"][0]["url"] = lamps
    spec["schedules"] = [
        {"name": "dark", "cron": EACH_MINUTE, "prompt": DARK},
        {"name": "evening", "cron": EACH_MINUTE, "prompt": TURN_ON, "to": "Ben Example"},
    ]
    (manifests / "home.yaml").write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")


def thinks(asked: Asked) -> Answer:
    if DARK in asked.user:
        return Answer(calls=(Call.of("answer", text="It is dark, the lamps may be turned on."),))
    if asked.told:
        return Answer(calls=(Call.of("answer", text="The kitchen lamp is on."),))
    return Answer(calls=(Call.of("lamps_switch", room="kitchen", on=True),))


def chat(up: RunningPlace, number: int) -> list[str]:
    sent = up.providers.telegram.sent
    return [str(one["text"]) for one in sent if int(one["chat_id"]) == number]


async def shown(up: RunningPlace) -> dict[str, dict[str, Any]]:
    table = await up.place.verb("schedules")
    assert (table.code, "Ben Example" in table.stdout) == (0, True), table.stderr
    verb = await up.place.verb("schedules", "--butler", "home", "--json")
    assert verb.code == 0, verb.stderr
    return {entry["name"]: entry for entry in json.loads(verb.stdout)["schedules"]}


async def test_each_is_told_their_own_once_and_a_death_after_the_switch_is_told_and_not_repeated(
    tmp_path: Path,
) -> None:
    async with (
        ModelServer(thinks) as model,
        lamp_server(port=free_port()) as lamps,
        place(tmp_path / "household") as made,
    ):
        write_home(made.manifests, model, lamps.url)
        async with made.up() as up:
            lamps.before_answer = lambda: _kill(up, lamps)
            await ended(up)
            await told_to_each(up, lamps)
            await counted_once(up)


def _kill(up: RunningPlace, lamps: LampServer) -> None:
    """Between the call and the commit."""
    lamps.before_answer = None
    os.kill(up.pids()["home"], signal.SIGKILL)


async def ended(up: RunningPlace) -> None:
    """The first minute of both is over, and told."""

    async def told() -> bool:
        return bool(chat(up, ADA)) and bool(chat(up, BEN))

    await until(told, what="the first minute")


async def told_to_each(up: RunningPlace, lamps: LampServer) -> None:
    assert chat(up, ADA)[0] == "[home] It is dark, the lamps may be turned on."
    line = chat(up, BEN)[0]
    assert line.startswith("[home] The schedule “evening”, due ")
    assert "I was interrupted while I worked on this" in line
    assert "lamps.switch (room: kitchen, on: true)" in line
    minutes = [entry["runs"] for entry in (await shown(up)).values()]
    assert len(lamps.switched) <= len(minutes[1])
    assert {run["state"] for run in minutes[0]} <= {"done", "waiting"}
    assert "uncertain" in {run["state"] for run in minutes[1]}


async def counted_once(up: RunningPlace) -> None:
    """Each minute was one run, and each run was one word to one person."""
    rows = await up.rows(
        "SELECT scheduled ->> 'name' AS name, scheduled ->> 'due_at' AS due_at FROM home.route_inbox"
        " WHERE scheduled IS NOT NULL"
    )
    assert len({(row["name"], row["due_at"]) for row in rows}) == len(rows)
    keys = await up.rows(
        "SELECT idempotency_key, count(*) AS deliveries FROM messenger.delivery_requests GROUP BY 1"
    )
    assert [row for row in keys if row["deliveries"] > 1] == []
