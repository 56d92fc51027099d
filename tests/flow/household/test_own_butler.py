"""A household with a butler that its manifest alone describes, and lamps behind a real MCP server (D58, D61)."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import yaml

from butler_resources.kinds import load_manifests
from tests.support.chats import Chats
from tests.support.home_servers import switches_lamps
from tests.support.household import RunningPlace, place, until
from tests.support.loopback import free_port
from tests.support.model_api import Answer, Asked, Call, ModelServer
from tests.support.telegram_api import message_update, person
from tests.support.tool_server import LampServer, lamp_server

ADA = person(1001, "Ada")
EXAMPLE = Path(__file__).parents[3] / "examples" / "home" / "butler.yaml"
TURN_ON = "Turn on the kitchen lamp"


def write_home(manifests: Path, model: ModelServer, url: str) -> None:
    """The example, at this model and these lamps."""
    document = yaml.safe_load(EXAMPLE.read_text("utf-8"))
    document["spec"]["runtime"] |= {"baseUrl": model.base_url("openai"), "model": "stub"}
    for server in document["spec"]["tools"]:
        server["url"] = url
    (manifests / "home.yaml").write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")


async def said(up: RunningPlace, chats: Chats, text: str) -> str:
    """What Ada is answered to `text`."""
    up.providers.telegram.inject(message_update(ADA, text=text))
    answer = await chats.next()
    return str(answer["text"])


async def stated(up: RunningPlace, words: str) -> None:
    async def noted() -> bool:
        return any(words in note for note in (await up.status())["notes"])

    await until(noted, what=f"a note in butlers status: {words}")


async def test_a_lamp_is_switched_a_server_that_is_away_is_told_of_and_a_kill_switches_nothing_twice(
    tmp_path: Path,
) -> None:
    port = free_port()
    async with ModelServer(switches_lamps) as model, place(tmp_path / "household") as made:
        write_home(made.manifests, model, f"http://127.0.0.1:{port}/mcp")
        async with made.up() as up:
            await up.back({})
            chats = Chats(up.providers.telegram)
            assert "The lamps cannot be reached now" in await said(up, chats, TURN_ON)
            await stated(up, "tools of home cannot be used: the tool server lamps at 127.0.0.1")
            looked = (await up.place.verb("doctor", "--offline")).stdout
            assert "soon   home: tools of home cannot be used: the tool server lamps at 127.0.0.1" in looked
            async with lamp_server(port=port) as lamps:
                await switched(up, chats, lamps)
                await killed(up, chats, lamps)
                await answered(up, chats, model)


async def switched(up: RunningPlace, chats: Chats, lamps: LampServer) -> None:
    """The server is back, and used without anybody doing anything."""
    for _ in range(20):
        if "[home] The kitchen lamp is on." in await said(up, chats, TURN_ON):
            break
        await asyncio.sleep(1)
    assert lamps.switched == [("kitchen", True)]


async def killed(up: RunningPlace, chats: Chats, lamps: LampServer) -> None:
    """The process dies when the lamp is switched and nothing of that is known to it."""
    lamps.switched.clear()
    former = up.pids()["home"]
    lamps.before_answer = lambda: _kill(former, lamps)
    answer = await said(up, chats, TURN_ON)
    assert "Perhaps done: home: I was interrupted" in answer
    assert "This may have been done, or not: lamps.switch (room: kitchen, on: true)." in answer
    await up.back({"home": former})
    assert lamps.switched == [("kitchen", True)]
    [kept] = await up.rows("SELECT state FROM home.external_calls WHERE state = 'begun'")
    assert kept["state"] == "begun"


def _asks_which(asked: Asked) -> Answer:
    if "sofa" in asked.payload:
        return Answer(calls=(Call.of("answer", text=f"On: {asked.payload}."),))
    return Answer(calls=(Call.of("ask", question="Which lamp do you mean?"),))


ASKED = "SELECT 1 FROM switchboard.subroute WHERE response #>> '{result,asks}' = 'true'"
"""Whose question a person has read is known when its part has ended, which a person's hands are too slow to notice."""


async def answered(up: RunningPlace, chats: Chats, model: ModelServer) -> None:
    """The answer to its question finds it, in plain words; what is no answer does not go there."""
    model.behaviour = _asks_which
    assert "[home] Which lamp do you mean?" in await said(up, chats, "Turn on a lamp")
    async with asyncio.timeout(20.0):
        while not await up.rows(ASKED):
            await asyncio.sleep(0.1)
    assert await said(up, chats, "the one beside the sofa") == "[home] On: the one beside the sofa."
    assert "[home] Which lamp do you mean?" in await said(up, chats, "Turn on a lamp")
    assert "[general]" in await said(up, chats, "Buy milk")


def _kill(pid: int, lamps: LampServer) -> None:
    lamps.before_answer = None
    os.kill(pid, signal.SIGKILL)


def test_the_example_is_a_butler_that_every_household_may_have() -> None:
    [home] = load_manifests(EXAMPLE.parent).butlers
    assert (home.name, home.spec.profile) == ("home", None)
    assert [(one.allow, one.approval) for one in home.spec.tools] == [
        (("list", "switch"), "never"),
        (("unlock",), "always"),
    ]
