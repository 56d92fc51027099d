"""Calls outside that wait for a person: asked about, made once when approved, told of (D61, ADR 0101)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from butler_contracts.call_approvals import CallAsked, arguments_of
from butler_contracts.errors import TargetUnavailable, ValidationFailed
from butler_specialist.retention import prune
from tests.integration.specialist.household import Client, Place, household, request_context
from tests.integration.specialist.test_outside import SWITCH, TURN_ON, calls, home, offered, tools
from tests.integration.specialist.thinking import KEY, VARIABLE, api, in_turn
from tests.support.database import Provision
from tests.support.model_api import Answer, Asked, Call, ModelServer
from tests.support.tool_server import READS, LampServer, lamp_server, serving

ASKED = Call.of("answer", text="I asked whether I may switch on the kitchen lamp.")
WAITS = "This waits for an approval and is not done yet: lamps.switch (room: kitchen, on: true)."
APPROVED = {"state": "approved", "decided_by": "Ada", "decided_ago_s": 0.0}


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Any) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path, "home") as made:
        made.more_environment[VARIABLE] = KEY
        yield made


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer(in_turn(SWITCH, ASKED), key=KEY) as server:
        yield server


@pytest.fixture
async def lamps() -> AsyncIterator[LampServer]:
    async with lamp_server() as server:
        yield server


def manifest(model: ModelServer, lamps: LampServer, approval: str = "always", **more: Any) -> dict[str, Any]:
    return home(model, tools(lamps.url, approval=approval, **more))


async def wish(specialist: Client, text: str = TURN_ON, **changes: Any) -> str:
    """Ada's chat message is worked on; what the butler answered."""
    data = {**api(text, butler="home"), "request_context": request_context("telegram", **changes)}
    ended = await specialist.done(data)
    assert ended.status == "ok", ended.error
    switchboard = specialist.place.switchboard
    answer = await switchboard.until(lambda: switchboard.notifies[-1] if switchboard.notifies else None)
    return str(answer.delivery.message)


async def told(place: Place, count: int = 2) -> str:
    """What she is told after her answer."""
    found = await place.switchboard.until(
        lambda: place.switchboard.notifies if len(place.switchboard.notifies) >= count else None
    )
    return str(found[-1].delivery.message)


async def held(place: Place) -> list[dict[str, Any]]:
    return [dict(row) for row in await place.pool.fetch("SELECT * FROM held_calls ORDER BY held_at, call_id")]


async def ended(place: Place, count: int = 1) -> list[dict[str, Any]]:
    """The calls, once that many have come to their end."""
    async with asyncio.timeout(60):
        while True:
            rows = await held(place)
            if sum(row["ended_at"] is not None for row in rows) >= count:
                return rows
            await asyncio.sleep(0.05)


async def test_a_call_is_not_made_before_somebody_approves_and_then_once_and_she_reads_what_became_of_it(
    place: Place, model: ModelServer, lamps: LampServer
) -> None:
    async with place.specialist(spec=manifest(model, lamps)) as specialist:
        answer = await wish(specialist)
        await place.switchboard.until(lambda: len(place.switchboard.asked_calls) >= 2)
        assert lamps.switched == []
        assert await calls(place) == []
        place.switchboard.verdict = lambda _: APPROVED
        said = await told(place)
        [row] = await ended(place)
    assert answer == f"I asked whether I may switch on the kitchen lamp.\n\n{WAITS}"
    asked = place.switchboard.asked_calls[0]
    assert arguments_of(asked.arguments) == {"room": "kitchen", "on": True}
    assert {one.call_id for one in place.switchboard.asked_calls} == {asked.call_id} == {row["call_id"]}
    assert lamps.switched == [("kitchen", True)]
    assert said == (
        "Ada approved of it, and it was done: lamps.switch (room: kitchen, on: true). "
        "lamps says: “the lamp in the kitchen is on now”"
    )
    reply = place.switchboard.notifies[-1]
    assert (reply.delivery.intent, reply.request_context.request_id if reply.request_context else None) == (
        "reply",
        asked.request_id,
    )
    [called] = await calls(place)
    assert (called["call_id"], called["state"]) == (asked.call_id, "returned")
    assert "is not done: somebody is asked to approve" in model.asked[-1].told[-1]
    assert "Somebody has to approve of each call" in offered(model)["lamps_switch"]["description"]


@pytest.mark.parametrize(
    ("decided", "words"),
    [
        (
            {"state": "denied", "decided_by": "Ada"},
            "Ada did not approve of it. Nothing was done: lamps.switch (room: kitchen, on: true).",
        ),
        (
            {"state": "expired"},
            "Nobody approved of it in time. Nothing was done: lamps.switch (room: kitchen, on: true).",
        ),
        (
            {**APPROVED, "decided_ago_s": 901.0},
            "Ada approved of it, and I came too late to do it. Nothing was done: "
            "lamps.switch (room: kitchen, on: true).",
        ),
        (
            {**APPROVED, "arguments_digest": "0" * 64},
            "Nobody could be asked for an approval. Nothing was done: lamps.switch (room: kitchen, on: true).",
        ),
    ],
)
async def test_what_is_denied_over_or_about_another_call_is_never_made_and_she_reads_so(
    place: Place, model: ModelServer, lamps: LampServer, decided: dict[str, Any], words: str
) -> None:
    place.switchboard.verdict = lambda _: decided
    async with place.specialist(spec=manifest(model, lamps)) as specialist:
        await wish(specialist)
        assert await told(place) == words
        await ended(place)
    assert lamps.switched == []
    assert await calls(place) == []


async def test_while_switchboard_or_messenger_is_away_it_waits_and_is_not_made(
    place: Place, model: ModelServer, lamps: LampServer
) -> None:
    away = True

    def decided(_: CallAsked) -> dict[str, Any]:
        if away:
            raise TargetUnavailable("messenger cannot be reached")
        return APPROVED

    place.switchboard.verdict = decided
    async with place.specialist(spec=manifest(model, lamps)) as specialist:
        await wish(specialist)
        await place.switchboard.until(lambda: len(place.switchboard.asked_calls) >= 2)
        assert ((await held(place))[0]["verdict"], lamps.switched) == (None, [])
        away = False
        assert "it was done" in await told(place)
    assert lamps.switched == [("kitchen", True)]


async def test_a_switchboard_of_the_release_before_is_waited_for(
    place: Place, model: ModelServer, lamps: LampServer
) -> None:
    before = True

    def decided(_: CallAsked) -> dict[str, Any]:
        if before:
            raise ValidationFailed(
                "no tool 'messenger_approval_ask' for the role switchboard; tools for it: …"
            )
        return APPROVED

    place.switchboard.verdict = decided
    async with place.specialist(spec=manifest(model, lamps)) as specialist:
        await wish(specialist)
        await place.switchboard.until(lambda: len(place.switchboard.asked_calls) >= 2)
        assert ((await held(place))[0]["verdict"], lamps.switched) == (None, [])
        before = False
        assert "it was done" in await told(place)


async def test_what_switchboard_refuses_to_ask_is_never_made_and_is_told(
    place: Place, model: ModelServer, lamps: LampServer
) -> None:
    def refuse(_: CallAsked) -> dict[str, Any]:
        raise ValidationFailed("the request was cancelled")

    place.switchboard.verdict = refuse
    async with place.specialist(spec=manifest(model, lamps)) as specialist:
        await wish(specialist)
        assert "Nobody could be asked for an approval." in await told(place)
        [row] = await ended(place)
    assert (row["verdict"], row["problem"], lamps.switched) == ("refused", "the request was cancelled", [])


async def test_only_what_may_destroy_waits_where_the_manifest_says_destructive(
    place: Place, model: ModelServer
) -> None:
    server = MCPServer("door")
    made: list[str] = []

    @server.tool("look", annotations=READS, structured_output=False)
    def look() -> str:
        made.append("look")
        return "closed"

    @server.tool("ring", annotations=ToolAnnotations(destructive_hint=False), structured_output=False)
    def ring() -> str:
        made.append("ring")
        return "rung"

    @server.tool("unlock", structured_output=False)
    def unlock() -> str:
        made.append("unlock")
        return "unlocked"

    model.behaviour = in_turn(
        Call.of("door_look"), Call.of("door_ring"), Call.of("door_unlock"), Call.of("answer", text="Done.")
    )
    async with serving(server) as url:
        door = {"name": "door", "url": url, "allow": ["look", "ring", "unlock"], "approval": "destructive"}
        async with place.specialist(spec=home(model, door)) as specialist:
            answer = await wish(specialist, "Open the door")
            await place.switchboard.until(lambda: bool(place.switchboard.asked_calls))
    assert made == ["look", "ring"]
    assert [one.tool for one in place.switchboard.asked_calls][:1] == ["unlock"]
    assert answer.endswith("This waits for an approval and is not done yet: door.unlock.")


async def test_the_same_call_is_asked_for_once_and_what_nobody_can_read_is_not_asked_for(
    place: Place, model: ModelServer
) -> None:
    server = MCPServer("notes")

    @server.tool("send", structured_output=False)
    def send(text: str) -> str:
        return "sent"

    short, long = Call.of("notes_send", text="hello"), Call.of("notes_send", text="x" * 1_500)
    others = [Call.of("notes_send", text=str(number)) for number in range(5)]

    def all_at_once(asked: Asked) -> Answer:
        return Answer(
            calls=(Call.of("answer", text="I asked."),) if asked.told else (short, short, long, *others)
        )

    model.behaviour = all_at_once
    async with serving(server) as url:
        notes = {"name": "notes", "url": url, "allow": ["send"], "approval": "always"}
        async with place.specialist(spec=home(model, notes)) as specialist:
            await wish(specialist, "Send hello")
    _, again, too_long, *_, sixth = model.asked[-1].told
    assert "waits for an approval already" in again
    assert "longer than 1500 bytes" in too_long
    assert "5 calls wait for an approval" in sixth
    assert [row["arguments"] for row in await held(place)][:1] == ['{"text":"hello"}']
    assert len(await held(place)) == 5


async def test_a_session_that_breaks_off_asks_nobody_and_the_one_after_it_asks_once(
    place: Place, model: ModelServer, lamps: LampServer
) -> None:
    """What it wished for counts with its outcome alone, so it may run again."""
    model.script = [in_turn(SWITCH, ASKED), "500", "500", "500"]
    async with place.specialist(spec=manifest(model, lamps)) as specialist:
        await specialist.execute(
            {**api(TURN_ON, butler="home"), "request_context": request_context("telegram")}
        )
        await place.switchboard.until(lambda: len(place.switchboard.notifies) == 1)
        await place.switchboard.until(lambda: bool(place.switchboard.asked_calls))
    assert len(await held(place)) == 1
    assert lamps.switched == []


async def test_a_server_that_is_away_or_refuses_after_the_approval_is_told_of_and_nothing_is_made_twice(
    place: Place, model: ModelServer, lamps: LampServer
) -> None:
    async with place.specialist(spec=manifest(model, lamps, timeoutSeconds=1)) as specialist:
        for trouble, status, words in (
            ("fails", 403, "it was refused"),
            ("hangs", 500, "It may have been done, or not"),
            ("lost", 500, "It may have been done, or not"),
        ):
            before = len(place.switchboard.notifies)
            lamps.trouble, lamps.status = trouble, status  # type: ignore[assignment]
            place.switchboard.verdict = lambda _: APPROVED
            await specialist.execute(
                {**api(TURN_ON, butler="home"), "request_context": request_context("telegram")}
            )
            assert words in await told(place, before + 2), trouble
    assert lamps.switched == [("kitchen", True)]  # by the one whose answer was lost
    assert [row["outcome"] for row in await held(place)] == ["failed", "unknown", "unknown"]


async def test_what_the_manifest_allows_no_more_is_not_made_though_it_was_approved(
    place: Place, model: ModelServer, lamps: LampServer
) -> None:
    async with place.specialist(spec=manifest(model, lamps)) as specialist:
        await wish(specialist)
        await place.switchboard.until(lambda: bool(place.switchboard.asked_calls))
    place.switchboard.verdict = lambda _: APPROVED
    async with place.specialist(spec=manifest(model, lamps, allow=["list"])):
        assert "I may not do it any more. Nothing was done" in await told(place)
    async with place.specialist(spec=home(model)):
        pass
    assert lamps.switched == []


async def test_two_replicas_make_it_once(place: Place, model: ModelServer, lamps: LampServer) -> None:
    async with (
        place.specialist(spec=manifest(model, lamps)) as specialist,
        place.specialist(spec=manifest(model, lamps)),
    ):
        await wish(specialist)
        place.switchboard.verdict = lambda _: APPROVED
        await told(place)
        await ended(place)
    assert lamps.switched == [("kitchen", True)]
    assert len(place.switchboard.notifies) == 2


async def test_whoever_wrote_where_nothing_can_be_answered_later_is_told_where_they_can_be(
    place: Place, model: ModelServer, lamps: LampServer
) -> None:
    place.switchboard.verdict = lambda _: APPROVED
    async with place.specialist(spec=manifest(model, lamps)) as specialist:
        answer = await specialist.done(api(TURN_ON, butler="home"))
        [row] = await ended(place)
    assert WAITS in str((answer.result or {})["reply"])
    assert (row["outcome"], lamps.switched) == ("returned", [("kitchen", True)])


async def test_an_end_that_cannot_be_handed_over_waits_and_the_call_is_not_made_again(
    place: Place, model: ModelServer, lamps: LampServer
) -> None:
    async with place.specialist(spec=manifest(model, lamps)) as specialist:
        await wish(specialist)
        refused = 0

        async def gate(tool: str, _: Any) -> None:
            nonlocal refused
            if tool == "notify" and refused < 2:
                refused += 1
                raise TargetUnavailable("messenger is away")

        place.switchboard.gate = gate
        place.switchboard.verdict = lambda _: APPROVED
        await told(place)
        await ended(place)
    assert (refused, lamps.switched) == (2, [("kitchen", True)])


async def test_old_rows_go(place: Place, model: ModelServer, lamps: LampServer) -> None:
    place.switchboard.verdict = lambda _: {"state": "denied", "decided_by": "Ada"}
    async with place.specialist(spec=manifest(model, lamps)) as specialist:
        await wish(specialist)
        await ended(place)
    await place.database.shift_clock(timedelta(days=91), disconnect=True)
    await prune(place.pool)
    assert await held(place) == []
