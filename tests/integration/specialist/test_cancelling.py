"""What an operator has ended is not done here: `route.cancel` against work in every state (SWB-38, D70, ADR 0075)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_kit.mcp import CachedMCPClient, ToolError
from butler_kit.queue.hands import Hands
from butler_kit.runtime.commandline import COMMAND_LINES
from tests.integration.specialist.household import Client, Place, envelope, id_of
from tests.integration.specialist.thinking import KEY, VARIABLE, api
from tests.support.command_lines import pids_in, starts_another, until_over

SPENT = "Paid 42.50 EUR for groceries"


async def cancelled(
    place: Place, client: Client, subrequest: UUID, token: str | None = None
) -> dict[str, Any]:
    token = token or place.keys.as_switchboard(place.name)
    desk = CachedMCPClient(f"{client.base}/mcp", lambda: token, timeout_s=20.0)
    try:
        return await desk.call("route.cancel", {"subrequest_id": str(subrequest)})
    finally:
        await desk.aclose()


async def cancel(place: Place, client: Client, subrequest: UUID, token: str | None = None) -> str:
    return str((await cancelled(place, client, subrequest, token))["status"])


def held_at(place: Place, tool: str) -> asyncio.Event:
    """Hold the first call of a tool until the event is set."""
    opened, seen = asyncio.Event(), False

    async def gate(called: str, _: Mapping[str, Any]) -> None:
        nonlocal seen
        if called == tool and not seen:
            seen = True
            await opened.wait()

    place.switchboard.gate = gate
    return opened


@pytest.mark.spec("SWB-38.1")
async def test_work_in_hand_is_ended_and_nothing_of_it_is_noted_or_told(place: Place):
    held_at(place, "route.started")  # and never opened: what runs has to be ended
    work, after = envelope(SPENT), envelope("Paid 1 EUR for tea")
    async with place.specialist(runtime="max_concurrent_sessions = 1") as client:
        await client.execute(work)
        await place.switchboard.until(lambda: "route.started" in place.switchboard.order)
        assert await cancel(place, client, id_of(work)) == "cancelled"
        assert await cancel(place, client, id_of(work)) == "cancelled"
        row = await place.route(id_of(work))
        await client.done(after)  # by the one worker that there is
        again = await client.execute(work)
    assert (row["lifecycle_state"], row["tags"], row["finished_at"] is not None) == (
        "errored",
        ["cancelled"],
        True,
    )
    assert [record["subrequest_id"] for record in await place.records()] == [id_of(after)]
    assert [one.subrequest_id for one in place.switchboard.completions] == [id_of(after)]
    assert len(place.switchboard.notifies) == 1
    assert again.error is not None
    assert "an operator ended this" in again.error.message


@pytest.mark.spec("SWB-38.1")
async def test_what_it_had_called_outside_is_named_without_its_arguments_each_time(place: Place):
    held_at(place, "route.started")
    work = envelope(SPENT)
    async with place.specialist(runtime="max_concurrent_sessions = 1") as client:
        await client.execute(work)
        await place.switchboard.until(lambda: "route.started" in place.switchboard.order)
        for tool, read_only, state in (
            ("lamp_on", False, "returned"),
            ("door_open", False, "begun"),
            ("lamps", True, "returned"),
            ("siren", False, "unsent"),
            ("alarm", False, "failed"),
        ):
            await place.pool.execute(
                "INSERT INTO external_calls (call_id, request_id, segment_id, subrequest_id, session_id, server, tool,"
                " read_only, args_digest, args_shown, begun_at, state)"
                " SELECT $1::uuid, request_id, segment_id, subrequest_id, $2::uuid, 'home', $3::text, $4::boolean, 'd',"
                " 'room: hall', now(), $5::text FROM route_inbox WHERE subrequest_id = $6",
                uuid4(), uuid4(), tool, read_only, state, id_of(work),
            )  # fmt: skip
        answers = [await cancelled(place, client, id_of(work)) for _ in range(2)]
    assert answers[0] == answers[1]
    assert answers[0]["status"] == "cancelled"
    assert sorted((one["tool"], one["state"]) for one in answers[0]["called"]) == [
        ("door_open", "begun"),
        ("lamp_on", "returned"),
    ]
    assert "hall" not in str(answers[0])


@pytest.mark.spec("SWB-38.1")
async def test_the_program_of_its_session_and_what_that_started_are_ended_at_once(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Not at the next renewal of leases, which never comes here."""
    monkeypatch.setitem(COMMAND_LINES, "codex", starts_another(tmp_path / "pids"))
    monkeypatch.setattr(Hands, "keep_renewing", never)
    place.more_environment[VARIABLE] = KEY
    work = api(SPENT)
    runtime = {
        "family": "codex",
        "baseUrl": "http://127.0.0.1:9/v1",
        "apiKeySecretRef": {"name": "model", "key": "api-key"},
        "model": "stub",
    }
    async with place.specialist(spec={"runtime": runtime}) as client:
        await client.execute(work)
        running = await pids_in(tmp_path / "pids")
        assert len(running) == 2
        assert await cancel(place, client, id_of(work)) == "cancelled"
        await until_over(running)
    assert await place.records() == []
    assert (place.switchboard.completions, place.switchboard.notifies) == ([], [])


async def never(_: Hands, __: float) -> None:
    await asyncio.Event().wait()


@pytest.mark.spec("SWB-38.1")
async def test_what_has_its_outcome_stays_done(place: Place):
    opened = held_at(place, "notify")
    work = envelope(SPENT)
    async with place.specialist() as client:
        await client.execute(work)
        await place.switchboard.until(lambda: "notify" in place.switchboard.order)
        assert await cancel(place, client, id_of(work)) == "ended"
        opened.set()
        response = await place.switchboard.completed(id_of(work))
    assert response.status == "ok"
    assert len(await place.records()) == 1


async def test_only_switchboard_cancels_and_what_never_came_is_unknown(place: Place):
    async with place.specialist() as client:
        assert await cancel(place, client, uuid4()) == "unknown"
        with pytest.raises(ToolError):
            await cancel(place, client, uuid4(), place.keys.sign("ada", "operator", receiver=place.name))
