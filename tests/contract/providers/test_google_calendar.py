"""The double of Google's Calendar API behaves as its documents say ("Events", "Handle API errors")."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.support.google_calendar import GoogleDouble

DENTIST = {
    "id": "0123456789abcdefv",
    "summary": "Dentist",
    "start": {"dateTime": "2026-12-01T10:00:00+01:00"},
    "end": {"dateTime": "2026-12-01T11:00:00+01:00"},
}
PATH = "/calendars/primary/events"


@pytest.fixture
async def double() -> AsyncIterator[GoogleDouble]:
    async with GoogleDouble() as made:
        yield made


@pytest.fixture
async def client(double: GoogleDouble) -> AsyncIterator[httpx.AsyncClient]:
    """Whoever holds an access token."""
    async with httpx.AsyncClient(trust_env=False) as http:
        answer = await granted(http, double)
        http.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
        http.base_url = httpx.URL(double.api)
        yield http


async def granted(http: httpx.AsyncClient, double: GoogleDouble, **changes: str) -> httpx.Response:
    form = {"client_id": "a", "client_secret": "client-secret-1", "refresh_token": "refresh-1"}
    form |= {"grant_type": "refresh_token", **changes}
    return await http.post(double.api.replace("/calendar/v3", "/token"), data=form)


def reason(answer: httpx.Response) -> str:
    return str(answer.json()["error"]["errors"][0]["reason"])


async def listed(client: httpx.AsyncClient, **query: str) -> dict[str, Any]:
    answer = await client.get(PATH, params={"singleEvents": "true", "orderBy": "startTime", **query})
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


async def test_a_refresh_token_gives_an_access_token_with_its_time_and_a_revoked_one_is_invalid_grant(
    double: GoogleDouble, client: httpx.AsyncClient
) -> None:
    answer = await granted(client, double)
    assert (answer.status_code, answer.json()["token_type"]) == (200, "Bearer")
    assert answer.json()["expires_in"] > 0
    revoked = await granted(client, double, refresh_token="gone")
    assert (revoked.status_code, revoked.json()["error"]) == (400, "invalid_grant")
    stranger = await granted(client, double, client_secret="other")
    assert (stranger.status_code, stranger.json()["error"]) == (401, "invalid_client")


async def test_without_a_valid_access_token_nothing_is_told(client: httpx.AsyncClient) -> None:
    answer = await client.get(PATH, headers={"Authorization": "Bearer other"})
    assert (answer.status_code, reason(answer)) == (401, "authError")


@pytest.mark.parametrize("event_id", ["abcd", "with-dash", "UPPER", "wxyz0"])
async def test_an_id_is_of_base32hex_and_of_five_letters_at_least(
    client: httpx.AsyncClient, event_id: str
) -> None:
    answer = await client.post(PATH, json={**DENTIST, "id": event_id})
    assert answer.status_code == 400


async def test_an_id_is_kept_for_good_a_deleted_event_is_cancelled_and_deleted_once(
    client: httpx.AsyncClient,
) -> None:
    assert (await client.post(PATH, json=DENTIST)).status_code == 200
    again = await client.post(PATH, json=DENTIST)
    assert (again.status_code, reason(again)) == (409, "duplicate")
    own = f"{PATH}/{DENTIST['id']}"
    assert (await client.delete(own)).status_code == 204
    gone = await client.delete(own)
    assert (gone.status_code, reason(gone)) == (410, "deleted")
    assert (await client.get(own)).json()["status"] == "cancelled"
    assert (await client.post(PATH, json=DENTIST)).status_code == 409
    assert (await listed(client))["items"] == []
    assert (await client.get(f"{PATH}/aaaaa")).status_code == 404


async def test_a_patch_leaves_what_it_does_not_name_and_nulls_empty_a_field(
    client: httpx.AsyncClient,
) -> None:
    await client.post(PATH, json={**DENTIST, "location": "Marktplatz"})
    day = {"start": {"date": "2026-12-02", "dateTime": None}, "end": {"date": "2026-12-03", "dateTime": None}}
    changed = (await client.patch(f"{PATH}/{DENTIST['id']}", json=day)).json()
    assert (changed["summary"], changed["location"]) == ("Dentist", "Marktplatz")
    assert (changed["start"], changed["end"]) == ({"date": "2026-12-02"}, {"date": "2026-12-03"})
    half = await client.patch(f"{PATH}/{DENTIST['id']}", json={"start": {"dateTime": "2026-12-01T10:00:00Z"}})
    assert half.status_code == 400


async def test_a_list_is_in_order_in_pages_and_both_bounds_are_exclusive(
    double: GoogleDouble, client: httpx.AsyncClient
) -> None:
    for hour in (12, 10, 11):
        at = {
            "start": {"dateTime": f"2026-12-01T{hour}:00:00Z"},
            "end": {"dateTime": f"2026-12-01T{hour}:30:00Z"},
        }
        await client.post(PATH, json={**DENTIST, "id": f"aaaaa{hour}", **at})
    bounds = {"timeMin": "2026-12-01T10:30:00Z", "timeMax": "2026-12-01T12:00:00Z"}
    assert [one["id"] for one in (await listed(client, **bounds))["items"]] == ["aaaaa11"]
    double.page = 2
    first = await listed(client)
    rest = await listed(client, pageToken=first["nextPageToken"])
    assert [one["id"] for one in (*first["items"], *rest["items"])] == ["aaaaa10", "aaaaa11", "aaaaa12"]
    assert "nextPageToken" not in rest


async def test_another_calendar_is_not_found(client: httpx.AsyncClient) -> None:
    answer = await client.get("/calendars/family/events")
    assert (answer.status_code, reason(answer)) == (404, "notFound")
