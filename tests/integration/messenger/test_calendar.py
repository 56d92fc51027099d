"""The tools `calendar_*` of a Messenger whose calendar is at a real CalDAV server (MSR-01.2, D53)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest

from butler_kit.mcp import ToolError
from tests.integration.messenger.household import Place
from tests.support.loopback import free_port
from tests.support.radicale import NEEDS_RADICALE, PASSWORD, USER, radicale

TOOLS = {
    "calendar_list", "calendar_freebusy", "calendar_create", "calendar_move", "calendar_delete", "calendar_status",
}  # fmt: skip
START = (datetime.now(UTC) + timedelta(days=9)).replace(hour=9, minute=0, second=0, microsecond=0)
ID = str(uuid5(NAMESPACE_URL, "dentist"))
OTHER = str(uuid5(NAMESPACE_URL, "optician"))


def account(url: str) -> dict[str, Any]:
    calendar = {"provider": "caldav", "url": url, "username": USER}
    return {"modules": {"calendar": {**calendar, "secretRef": {"name": "c", "key": "k"}}}}


def wish(event_id: str = ID, *, hours: int = 0) -> dict[str, Any]:
    start = START + timedelta(hours=hours)
    end = start + timedelta(hours=1)
    return {
        "event_id": event_id, "title": "Dentist", "start": start.isoformat(), "end": end.isoformat(),
        "timezone": "Europe/Berlin",
    }  # fmt: skip


def period() -> dict[str, str]:
    return {"start": START.isoformat(), "end": (START + timedelta(hours=8)).isoformat()}


@NEEDS_RADICALE
async def test_the_tools_book_list_move_and_delete_at_a_real_server(place: Place, tmp_path: Path) -> None:
    place.more_environment["BUTLER_CALENDAR_SECRET"] = PASSWORD
    async with radicale(tmp_path) as server, place.messenger(spec=account(server.url)) as messenger:
        switchboard = place.keys.switchboard()
        assert await messenger.listed_tools(switchboard) >= TOOLS
        booked = await messenger.tool("calendar_create", wish(), token=switchboard)
        assert (booked["status"], booked["event"]["event_id"]) == ("booked", ID)
        again = await messenger.tool("calendar_create", wish(), token=switchboard)
        assert again == booked
        assert await server.resources() == [f"{ID}.ics"]
        met = await messenger.tool("calendar_create", wish(OTHER), token=switchboard)
        assert (met["status"], len(met["free"])) == ("conflict", 3)
        busy = await messenger.tool("calendar_freebusy", period(), token=switchboard)
        assert len(busy["busy"]) == 1
        assert "Dentist" not in str(busy)
        moved = await messenger.tool("calendar_move", wish(hours=2), token=switchboard)
        assert moved["status"] == "booked"
        [event] = (await messenger.tool("calendar_list", period(), token=switchboard))["events"]
        assert datetime.fromisoformat(event["start"]) == START + timedelta(hours=2)
        assert (await messenger.tool("calendar_delete", {"event_id": ID}))["status"] == "deleted"
        assert (await messenger.tool("calendar_delete", {"event_id": ID}))["status"] == "absent"
        shown = (await messenger.get("/ops/v1/calendar")).json()
        assert (shown["provider"], shown["state"]) == ("caldav", "well")


@NEEDS_RADICALE
async def test_a_server_that_is_away_is_a_state_and_not_a_crash_and_is_used_when_it_is_back(
    place: Place, tmp_path: Path
) -> None:
    port = free_port()
    place.more_environment["BUTLER_CALENDAR_SECRET"] = PASSWORD
    url = f"http://127.0.0.1:{port}/{USER}/home/"
    async with place.messenger(spec=account(url)) as messenger:
        with pytest.raises(ToolError, match="cannot be reached") as away:
            await messenger.tool("calendar_create", wish())
        assert away.value.error is not None
        assert away.value.error.retryable
        shown = (await messenger.get("/ops/v1/calendar")).json()
        assert shown["state"] == "amiss"
        assert (await messenger.get("/readyz")).status_code == 200
        async with radicale(tmp_path, port=port):
            assert (await messenger.tool("calendar_create", wish()))["status"] == "booked"
        assert PASSWORD not in str(shown)


async def test_a_messenger_without_a_secret_answers_that_it_is_off_and_says_no_capability(
    place: Place,
) -> None:
    async with place.messenger() as messenger:
        assert (await messenger.tool("calendar_create", wish()))["status"] == "off"
        assert (await messenger.tool("calendar_status", {}))["state"] == "off"
        [card] = place.switchboard.registrations[:1]
        assert "calendar" not in card["capabilities"]
        assert set(card["tools"]) >= TOOLS


async def test_no_butler_calls_messengers_calendar_itself(place: Place) -> None:
    async with place.messenger() as messenger:
        butler = place.keys.other("finance", "butler")
        assert not TOOLS & await messenger.listed_tools(butler)
        with pytest.raises(ToolError):
            await messenger.tool("calendar_list", period(), token=butler)
