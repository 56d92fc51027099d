"""`butlers messenger` against a Messenger on a real database: what it answers is what a person reads."""

from __future__ import annotations

import asyncio
import json
import shutil
from datetime import timedelta
from typing import Any

import pytest

from butler_cli.local.state import StateDir, write_private
from butler_cli.main import run
from tests.integration.messenger.household import ADA, BEN, Client, Place, notify
from tests.integration.messenger.test_circuit import OPEN
from tests.integration.messenger.test_retries import paused
from tests.integration.messenger.test_service_levels import failing, until
from tests.support.telegram_api import Fault


def state_of(place: Place, messenger: Client) -> StateDir:
    """A state directory that knows this Messenger and its keys; there is no Switchboard."""
    state = StateDir.at(place.folder / "state")
    state.create()
    for key in ("jwks.json", "local.pem", "switchboard.pem"):
        shutil.copy(place.folder / key, state.keys_dir / key)
    service = {"ops": f"{messenger.base}/ops/v1", "mcp": f"{messenger.base}/mcp"}
    write_private(state.endpoints_file, json.dumps({"switchboard": service, "messenger": service}))
    return state


async def test_a_person_reads_how_delivery_stands(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    async with place.messenger("answer_wait_s = 0.2", limits={"recipient_per_minute": 2}) as messenger:
        state = state_of(place, messenger)

        async def told(*arguments: str) -> str:
            capsys.readouterr()
            assert await asyncio.to_thread(run, ["messenger", *arguments, "--state", str(state.root)]) == 0
            return capsys.readouterr().out

        assert "nothing is under way (100 may be)\nthe last hour: nobody was told anything" in await told(
            "status"
        )
        for n in (1, 2):
            answer = await messenger.notify(notify(f"{n}", idempotency_key=f"{n}"))
            assert answer.delivery is not None
            await place.until_status(answer.delivery.delivery_id, "sent")
        place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=600))
        await messenger.notify(notify("3", recipient=str(BEN), idempotency_key="3", origin="health"))
        await paused(place, whole=True)
        await place.pool.execute(OPEN, timedelta(seconds=300))
        status = await told("status")
        queue = await told("queue")
        stats = await told("stats", "--by", "origin", "--since", "2h")
        limits = await told("limits", "--channel", "telegram")
        document: dict[str, Any] = json.loads(await told("limits", "--json"))
        whole: dict[str, Any] = json.loads(await told("status", "--json"))
    lines = status.splitlines()
    assert lines[0].startswith("1 under way of 100; 1 put off, until ")
    assert lines[1].startswith("the last hour: 3 asked for; 2 sent; half within ")
    assert "telegram: its last call went well" in lines[2]
    assert any(line.startswith(f"no room: recipient telegram {ADA} (2 of 2), again in ") for line in lines)
    assert any(line.startswith("telegram: its circuit is open (") for line in lines)
    assert any(line.startswith("telegram asks for a pause until ") for line in lines)
    assert queue.splitlines()[-1].split()[:7] == ["send", "telegram", "health", "1", "0", "1", "0"]
    rows = [line.split()[:8] for line in stats.splitlines()[2:]]
    assert rows[0] == ["all", "3", "2", "0", "0", "0", "1", "100"]
    assert [row[:4] for row in rows[1:]] == [["finance", "2", "2", "0"], ["health", "1", "0", "0"]]
    assert limits.splitlines()[1].split() == ["global", "-", "-", "3", "60", "57", "-"]
    assert any(
        line.split()[:6] == ["recipient", "telegram", str(ADA), "2", "2", "0"] for line in limits.splitlines()
    )
    assert document["budgets"][0]["used"] == 3
    assert set(whole) == {"queue", "stats", "limits", "channels", "circuits", "slo"}


async def test_a_person_reads_how_good_deliveries_are_and_lets_a_tight_channel_go(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    await failing(place.pool)
    async with place.messenger() as messenger:
        await until(place, "tight")
        state = state_of(place, messenger)

        async def told(*arguments: str) -> str:
            capsys.readouterr()
            assert await asyncio.to_thread(run, [*arguments, "--state", str(state.root)]) == 0
            return capsys.readouterr().out

        screen = await told("messenger", "slo")
        status = await told("messenger", "status")
        freed = await told("reset-slo", "telegram", "--reason", "mended")
        after = await told("messenger", "slo")
    rows = [line.split() for line in screen.splitlines()]
    assert ["telegram", "tight"] in [row[:2] for row in rows]
    success = next(row for row in rows if row[:2] == ["telegram", "success"])
    assert success[3:11] == ["99", "%", "80", "%", "100", "20.0", "-", "-1900"]
    assert "telegram is tight since" in status
    assert freed.endswith("the service level of telegram is let go; it was tight\n")
    assert ["telegram", "kept"] in [line.split()[:2] for line in after.splitlines()]
