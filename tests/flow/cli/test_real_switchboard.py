"""The verbs against Switchboard's own ops API on a real database: what it writes is what they read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from butler_cli.local.keys import local_key_file
from butler_cli.local.state import StateDir, write_private
from butler_cli.main import run
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from butler_switchboard.registry.records import Declaration
from tests.integration.switchboard.operations.requests import a_finished_request, a_waiting_request
from tests.integration.switchboard.operations.served import Served, serve
from tests.support.database import Provision
from tests.support.switchboard import BOT, switchboard_database


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    state = StateDir.at(tmp_path / "state")
    state.create()
    return state


@pytest.fixture
async def served(provisioned: Provision, state: StateDir) -> AsyncIterator[Served]:
    """Serves with the state directory's keys; there is no Messenger."""
    database = await switchboard_database(provisioned)
    pool = await database.pool("switchboard")
    await Retention(pool, RetentionPolicy()).prepare()
    async with serve(pool, state.keys_dir) as running:
        base = f"http://127.0.0.1:{running.port}"
        nobody = "http://127.0.0.1:9"
        places = {
            "switchboard": {"ops": f"{base}/ops/v1", "mcp": f"{base}/mcp"},
            "messenger": {"ops": f"{nobody}/ops/v1", "mcp": f"{nobody}/mcp"},
        }
        write_private(state.endpoints_file, json.dumps(places))
        yield running


async def verb(state: StateDir, *arguments: str) -> int:
    return await asyncio.to_thread(run, [*arguments, "--state", str(state.root)])


async def test_a_life_in_the_database_is_told_in_words(
    served: Served, state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    request_id = await a_finished_request(served.pool)
    assert await verb(state, "trace", str(request_id)) == 0
    text = capsys.readouterr().out
    for said in (
        f"Request {request_id}",
        "done after 3.1 s: every part was worked on",
        f"received   by telegram from 1001, through connector {BOT}",
        "repeated   the same event came again with other content",
        "“lunch was 21 euros”",
        "routed     to finance; decided by the rules family, confidence 0.93",
        "model m1, prompt p1",
        "finance    did not take it: not reachable (target_unavailable): connection refused",
        "finance    failed: no answer in time (timeout): no answer; it may be tried again",
        "an answer that came after this was kept and not used",
        "finance    was sent the message, attempt 2",
        "answered “Noted.”",
        "finance    answers the sender by telegram",
        "messenger  delivered it to Telegram",
        "Deliveries are missing here: ",
        "Answer\nNoted.",
    ):
        assert said in text, said
    assert await verb(state, "trace", str(request_id), "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["request_id"], document["deliveries"]) == (str(request_id), None)


async def test_requests_are_listed_by_state_and_found_by_the_beginning_of_their_id(
    served: Served, state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    finished = await a_finished_request(served.pool)
    waiting = await a_waiting_request(served.pool, 2, "what is for dinner")
    assert await verb(state, "requests", "--state", "accepted", "--channel", "telegram", "--since", "1h") == 0
    _, row = capsys.readouterr().out.splitlines()
    assert row.startswith(str(waiting))
    assert row.endswith("what is for dinner")
    assert await verb(state, "trace", str(finished)[:23]) == 0
    assert f"Request {finished}" in capsys.readouterr().out
    assert await verb(state, "trace", str(waiting)) == 0
    assert "now       waits in the queue (interactive)" in capsys.readouterr().out


async def test_a_correction_says_who_has_it_and_who_takes_back_or_why_nothing_was_done(
    served: Served, state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    request_id = await a_finished_request(served.pool)
    for name in ("finance", "health"):
        declared = Declaration("specialist", f"http://{name}.example:40105/mcp")
        await served.butlers.declare(name, declared, actor="ada")
    begun = str(request_id)[:23]
    assert await verb(state, "correct", begun, "--to", "butcher", "--reason", "meat") != 0
    assert "no specialist butcher runs here" in capsys.readouterr().err
    assert await verb(state, "correct", begun, "--to", "health", "--reason", "a bill of the dentist") == 0
    assert capsys.readouterr().out == (
        "given to health; finance takes back what it noted;"
        f" `butlers trace {request_id}` tells what becomes of it\n"
    )
    assert await verb(state, "correct", begun, "--to", "health", "--reason", "again") != 0
    assert "is with health already" in capsys.readouterr().err


async def test_a_hold_reaches_the_registry_and_the_audit(
    served: Served, state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    await served.butlers.declare(
        "finance", Declaration("specialist", "http://127.0.0.1:40105/mcp"), actor="ada"
    )
    assert await verb(state, "quarantine", "finance", "--reason", "wrong sums", "--until", "2h") == 0
    assert "finance is quarantined until " in capsys.readouterr().out
    assert await verb(state, "release", "finance", "--reason", "mended") == 0
    assert "finance is stale (" in capsys.readouterr().out
    rows = await served.pool.fetch(
        "SELECT operation, actor, reason FROM dashboard_audit_log ORDER BY audit_id"
    )
    assert [tuple(row) for row in rows][-2:] == [
        ("butler.quarantine", "operator", "wrong sums"),
        ("butler.release", "operator", "mended"),
    ]
    assert await verb(state, "quarantine", "fiannce", "--reason", "x") == 1
    assert capsys.readouterr().err == ("butlers: no butler 'fiannce' in this household; it has finance\n")


async def test_a_connector_that_beats_is_shown_online(
    served: Served, state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    beat = {
        "schema_version": "connector.heartbeat.v1",
        "connector": {
            "connector_type": "telegram_bot",
            "endpoint_identity": BOT,
            "instance_id": str(uuid4()),
        },
        "status": {"state": "healthy", "uptime_s": 5.0},
        "counters": {"messages_ingested": 12},
        "checkpoint": {"cursor": "901", "updated_at": "2026-03-01T09:30:00Z"},
        "sent_at": "2026-03-01T09:30:00Z",
    }
    client = served.tools()
    await client.call("connector.heartbeat", {"heartbeat": beat})
    await client.aclose()
    await served.connectors.flush()
    assert await verb(state, "connectors") == 0
    _, row = capsys.readouterr().out.splitlines()
    assert row.split()[:5] == ["telegram_bot", BOT, "online", "healthy", "active"]
    assert "  12  " in row


WHY = ("--reason", "written twice")


async def finance_has_it(served: Served) -> UUID:
    """A request whose one part finance did; two butlers more may be asked."""
    request_id = await a_finished_request(served.pool)
    for name in ("finance", "health"):
        await served.butlers.declare(name, Declaration("specialist", "http://127.0.0.1:9/mcp"), actor="ada")
    return request_id


@pytest.mark.parametrize(("name", "ended"), [("cancel", "cancelled"), ("complete", "force_completed")])
async def test_a_request_under_way_is_ended_once_by_the_beginning_of_its_id(
    served: Served, state: StateDir, capsys: pytest.CaptureFixture[str], name: str, ended: str
) -> None:
    request_id = await a_waiting_request(served.pool)
    assert await verb(state, name, str(request_id)[:23], *WHY) == 0
    assert capsys.readouterr().out == f"request {request_id} is {ended.replace('_', '-')}\n"
    row = await served.pool.fetchrow("SELECT lifecycle_state, ended_by_operator FROM message_inbox")
    assert row is not None
    assert (row["lifecycle_state"], row["ended_by_operator"]["by"], row["ended_by_operator"]["reason"]) == (
        ended,
        "operator",
        "written twice",
    )
    assert await verb(state, name, str(request_id), *WHY) == 1
    assert f"has ended already: {ended}" in capsys.readouterr().err


async def test_an_end_is_told_to_scripts_as_a_document(
    served: Served, state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    request_id = await a_waiting_request(served.pool)
    assert await verb(state, "cancel", str(request_id), *WHY, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["request_id"], document["state"], document["stopped"]) == (
        str(request_id),
        "cancelled",
        [],
    )


async def test_a_part_goes_to_another_butler_and_never_back_to_who_did_it(
    served: Served, state: StateDir, capsys: pytest.CaptureFixture[str]
) -> None:
    request_id = await finance_has_it(served)
    assert await verb(state, "reroute", str(request_id), "--to", "butcher", *WHY) == 1
    assert "no specialist butcher" in capsys.readouterr().err
    assert await verb(state, "reroute", str(request_id), "--to", "health", "--of", "travel", *WHY) == 1
    assert "it is at finance" in capsys.readouterr().err
    assert await verb(state, "reroute", str(request_id)[:23], "--to", "health", *WHY) == 0
    assert capsys.readouterr().out.startswith("given to health; `butlers trace ")
    assert await verb(state, "reroute", str(request_id), "--to", "finance", *WHY) == 1
    assert "nothing is done twice" in capsys.readouterr().err
    newest = await served.pool.fetchrow("SELECT target, state FROM subroute ORDER BY attempt DESC LIMIT 1")
    assert newest is not None
    assert tuple(newest) == ("health", "pending")


@pytest.mark.parametrize("order", [("cancel",), ("complete",), ("reroute", "--to", "health")])
async def test_an_order_without_a_request_a_reason_or_a_key_changes_nothing(
    served: Served, state: StateDir, capsys: pytest.CaptureFixture[str], order: tuple[str, ...]
) -> None:
    request_id = await a_waiting_request(served.pool)
    name, *rest = order
    assert await verb(state, name, str(uuid4()), *rest, *WHY) == 1
    assert capsys.readouterr().err.startswith("butlers: ")
    assert await verb(state, name, str(request_id), *rest, "--reason", " ") == 1
    assert "--reason is empty" in capsys.readouterr().err
    local_key_file(state).unlink()
    assert await verb(state, name, str(request_id), *rest, *WHY) == 1
    assert capsys.readouterr().err.startswith("butlers: ")
    assert await served.pool.fetchval("SELECT final_state_at FROM message_inbox") is None
    assert await served.pool.fetchval("SELECT count(*) FROM dashboard_audit_log WHERE result = 'ok'") == 0
