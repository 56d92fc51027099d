"""`kill -9` of each kind of process while dozens of messages are under way: nothing lost, doubled or out of order."""

import os
import signal
from pathlib import Path

import httpx
import pytest

from tests.flow.household.load import Load
from tests.support.household import RunningPlace, is_alive, until
from tests.support.telegram_api import message_update, person

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("household")]

IN_TURN = (("finance",), ("messenger",), ("switchboard",), ("telegram", "mail", "webhook"))


async def test_processes_killed_in_turn_lose_nothing_and_double_nothing(running: RunningPlace) -> None:
    loads: list[Load] = []
    former: dict[str, int] = {}
    for number, processes in enumerate(IN_TURN, start=1):
        load = Load(running, number=number)
        await load.send()
        await load.answers_begin()
        former |= await running.kill(*processes)
        loads.append(load)

    for load in loads:
        await load.check(await load.settled())
    await running.back(former)
    assert all(one["chat_id"] < 0 for one in running.providers.telegram.sent), (
        "somebody else was told something"
    )


async def test_a_killed_database_loses_nothing_and_doubles_nothing(running: RunningPlace) -> None:
    load = Load(running, number=9)
    await load.send()
    await load.answers_begin()

    postmaster = _postmaster(running)
    os.kill(postmaster, signal.SIGKILL)

    ends = await load.settled()
    assert not is_alive(postmaster)
    assert is_alive(_postmaster(running))
    assert "PostgreSQL ended; starting it again" in running.place.lines
    await load.check(ends)


async def test_what_was_fetched_while_switchboard_was_down_is_kept_though_the_connector_dies_too(
    running: RunningPlace,
) -> None:
    telegram = running.providers.telegram
    former = await running.kill("switchboard")
    update = telegram.inject(message_update(person(1001, "Ada"), text="Paid 7.70 EUR for stamps"))
    await telegram.until(lambda api: any(one.handed_out for one in api.state.queue))
    assert not await _answers(running, "switchboard")

    former |= await running.kill("telegram")

    await running.back(former)
    message_id = update["message"]["message_id"]
    await telegram.until(lambda api: _answers_to(api.sent, message_id) == 1, timeout_s=60)
    await until(lambda: _confirmed(running, update["update_id"]), what="the update is confirmed")
    assert _answers_to(telegram.sent, message_id) == 1


def _postmaster(running: RunningPlace) -> int:
    file: Path = running.place.state.root / "pg" / "data" / "postmaster.pid"
    return int(file.read_text().split()[0])


def _answers_to(sent: list[dict[str, object]], message_id: int) -> int:
    return sum(one["chat_id"] == 1001 and one["reply_to_message_id"] == message_id for one in sent)


async def _confirmed(running: RunningPlace, update_id: int) -> bool:
    return all(one.update_id != update_id for one in running.providers.telegram.state.queue)


async def _answers(running: RunningPlace, service: str) -> bool:
    url = running.household.endpoints[service]["ops"].replace("/ops/v1", "/healthz")
    async with httpx.AsyncClient(timeout=5, trust_env=False) as client:
        try:
            return (await client.get(url)).status_code == 200
        except httpx.TransportError:
            return False
