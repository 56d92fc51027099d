"""What the API says of connectors, over HTTP, from rows as Switchboard and the roll-ups write them."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote

import pytest
from lxml import html

from tests.support.dashboard import dashboard_served
from tests.support.dashboard_rows import (
    add_beat,
    add_connector,
    add_day,
    add_fanout,
    add_hour,
    add_standby,
    add_transition,
    hour_of,
    now_of,
)

BOT = "telegram:bot:home"
MAIL = "imap:ada+home@example.org"


async def get(served, path, **query):
    answer = await served.http.get(f"/api{path}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def words_of(element):
    return "".join(map(str, element.itertext()))


def one(kind, endpoint, more=""):
    return f"/connectors/{kind}/{quote(endpoint, safe='')}{more}"


async def a_fleet(admin):
    """One connector online, one stale, one offline for long."""
    await add_connector(admin, "telegram_bot", BOT, silent_s=20)
    await add_connector(
        admin, "imap", MAIL, silent_s=400, state="degraded", error_message="login is slow", version="1.2.4"
    )
    await add_connector(admin, "webhook", "webhook:old", silent_s=86_400)


@pytest.mark.spec("SWB-43.1", "CNX-15.1")
async def test_every_known_connector_is_listed_with_its_liveness_and_its_day_so_far(served, admin):
    await a_fleet(admin)
    await add_standby(admin, "imap", MAIL)
    await add_standby(admin, "imap", MAIL, silent_s=70)
    now = await now_of(admin)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    await add_hour(admin, "telegram_bot", BOT, midnight, 7, messages_failed=1, healthy_count=15)
    await add_hour(admin, "telegram_bot", BOT, midnight - timedelta(hours=1), 100)
    if hour_of(now) > midnight:
        await add_hour(admin, "telegram_bot", BOT, hour_of(now), 3)
    found = await get(served, "/connectors")
    listed = {entry["connector_type"]: entry for entry in found["connectors"]}
    assert found["next"] is None
    assert {kind: entry["liveness"] for kind, entry in listed.items()} == {
        "telegram_bot": "online",
        "imap": "stale",
        "webhook": "offline",
    }
    assert all(
        set(entry)
        == {
            "connector_type", "endpoint_identity", "liveness", "state", "error_message", "version", "uptime_s",
            "last_heartbeat_at", "first_seen_at", "today", "standbys", "undeclared_at",
        }
        for entry in listed.values()
    )  # fmt: skip
    assert {kind: entry["standbys"] for kind, entry in listed.items()} == {
        "telegram_bot": 0, "imap": 1, "webhook": 0,
    }  # fmt: skip
    mail = listed["imap"]
    assert (mail["endpoint_identity"], mail["state"], mail["error_message"]) == (
        MAIL, "degraded", "login is slow",
    )  # fmt: skip
    assert (mail["version"], mail["uptime_s"], mail["today"]) == ("1.2.4", 18_000.0, None)
    today = listed["telegram_bot"]["today"]
    hours = 2 if hour_of(now) > midnight else 1
    assert today["messages_ingested"] == (10 if hours == 2 else 7)
    assert (today["messages_failed"], today["uptime_pct"]) == (1, 75.0 if hours == 2 else 50.0)


async def test_a_fleet_of_any_size_comes_page_by_page_each_connector_once(served, admin):
    for number in range(7):
        await add_connector(admin, "imap" if number % 2 else "webhook", f"box {number}")
    seen, cursor = list[tuple[str, str]](), dict[str, str]()
    while True:
        page = await get(served, "/connectors", limit=2, **cursor)
        seen += [(entry["connector_type"], entry["endpoint_identity"]) for entry in page["connectors"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert seen == sorted(seen)
    assert len(set(seen)) == len(seen) == 7


async def test_connectors_are_chosen_by_type_state_and_liveness(served, admin):
    await a_fleet(admin)

    async def types(**query):
        return [
            entry["connector_type"] for entry in (await get(served, "/connectors", **query))["connectors"]
        ]

    assert await types(liveness="online") == ["telegram_bot"]
    assert await types(liveness="stale") == ["imap"]
    assert await types(liveness="offline") == ["webhook"]
    assert await types(state="degraded") == ["imap"]
    assert await types(connector_type="webhook", state="healthy") == ["webhook"]


async def test_today_begins_at_the_household_s_midnight(database, admin, tmp_path):
    await add_connector(admin, "telegram_bot", BOT)
    now = hour_of(await now_of(admin))
    for back in range(48):
        await add_hour(admin, "telegram_bot", BOT, now - timedelta(hours=back), 1)
    counts = set()
    for zone, shift in (("Etc/GMT-14", 14), ("Etc/GMT+12", -12), ("UTC", 0)):
        async with dashboard_served(database, tmp_path / str(shift), timezone=zone) as there:
            (entry,) = (await get(there, "/connectors"))["connectors"]
        passed = (now + timedelta(hours=shift)).hour + 1
        assert entry["today"]["messages_ingested"] == passed
        counts.add(passed)
    assert len(counts) > 1


@pytest.mark.spec("SWB-43.2", "CNX-15.2")
async def test_one_connector_is_told_in_full(served, admin):
    at = await now_of(admin)
    await add_connector(admin, "imap", MAIL, checkpoint_cursor="uid:99", checkpoint_updated_at=at, silent_s=1)
    found = await get(served, one("imap", MAIL))
    listed = (await get(served, "/connectors"))["connectors"][0]
    assert set(found) - set(listed) == {"instance_id", "registered_via", "checkpoint", "counters"}
    assert {name: found[name] for name in listed} == listed
    assert found["registered_via"] == "self"
    assert found["checkpoint"]["cursor"] == "uid:99"
    assert found["counters"] == {"messages_ingested": 7, "messages_failed": 1}
    row = await admin.fetchrow("SELECT instance_id FROM connector_registry")
    assert found["instance_id"] == str(row["instance_id"])


STRANGE = ("imap:ada@example.org", "a/b", "a/stats", "stats", "a b?c#d%2F", "ключ", "a//b/")


async def test_an_identity_of_any_characters_has_its_paths(served, admin):
    for endpoint in STRANGE:
        await add_connector(admin, "webhook", endpoint)
    for endpoint in STRANGE:
        for more in ("", "/stats", "/standing"):
            assert (await get(served, one("webhook", endpoint, more)))["endpoint_identity"] == endpoint


async def test_a_connector_that_never_beat_is_not_there(served):
    for more in ("", "/stats", "/standing"):
        answer = await served.http.get(f"/api{one('imap', 'nobody', more)}")
        assert answer.status_code == 404
        assert "imap:nobody" in answer.json()["error"]["message"]


@pytest.mark.spec("SWB-43.3", "CNX-15.3")
async def test_statistics_are_by_hour_for_a_day_and_a_week_and_by_day_for_a_month(served, admin):
    await add_connector(admin, "telegram_bot", BOT)
    now = await now_of(admin)
    hour, day = hour_of(now), now.date()
    await add_hour(
        admin, "telegram_bot", BOT, hour, 5, messages_failed=5, healthy_count=15, degraded_count=15
    )
    await add_hour(admin, "telegram_bot", BOT, hour - timedelta(hours=23), 2)
    await add_hour(admin, "telegram_bot", BOT, hour - timedelta(hours=24), 40)
    await add_hour(admin, "telegram_bot", BOT, hour - timedelta(hours=167), 1000)
    await add_hour(admin, "telegram_bot", BOT, hour - timedelta(hours=168), 5000)
    await add_day(admin, "telegram_bot", BOT, day, 11, coverage_pct=None)
    await add_day(admin, "telegram_bot", BOT, day - timedelta(days=29), 22)
    await add_day(admin, "telegram_bot", BOT, day - timedelta(days=30), 44)

    one_day = await get(served, one("telegram_bot", BOT, "/stats"), period="24h")
    assert set(one_day) == {"connector_type", "endpoint_identity", "period", "summary", "timeseries"}
    assert (one_day["connector_type"], one_day["endpoint_identity"], one_day["period"]) == (
        "telegram_bot", BOT, "24h",
    )  # fmt: skip
    assert len(one_day["timeseries"]) == 24
    assert one_day["summary"]["messages_ingested"] == 7
    assert (one_day["summary"]["uptime_pct"], one_day["summary"]["error_rate_pct"]) == (75.0, 41.67)
    newest = one_day["timeseries"][-1]
    assert newest["bucket"] == hour.isoformat().replace("+00:00", "Z")
    assert (newest["messages_ingested"], newest["messages_failed"]) == (5, 5)
    assert (newest["heartbeat_count"], newest["healthy_count"], newest["degraded_count"]) == (30, 15, 15)
    assert (newest["uptime_pct"], newest["coverage_pct"]) == (50.0, 100.0)
    silent = one_day["timeseries"][5]
    assert (silent["messages_ingested"], silent["heartbeat_count"], silent["uptime_pct"]) == (0, 0, None)

    week = await get(served, one("telegram_bot", BOT, "/stats"), period="7d")
    assert len(week["timeseries"]) == 168
    assert week["summary"]["messages_ingested"] == 1047

    month = await get(served, one("telegram_bot", BOT, "/stats"), period="30d")
    assert len(month["timeseries"]) == 30
    assert month["summary"]["messages_ingested"] == 33
    assert month["timeseries"][-1]["bucket"] == f"{day}T00:00:00Z"
    assert [bucket["coverage_pct"] for bucket in (month["timeseries"][0], month["timeseries"][-1])] == [
        50.0,
        None,
    ]


@pytest.mark.spec("SWB-43.4")
async def test_a_summary_counts_the_fleet_and_gives_each_one_s_part(served, admin):
    await a_fleet(admin)
    now = await now_of(admin)
    await add_hour(admin, "telegram_bot", BOT, hour_of(now), 6)
    await add_hour(admin, "imap", MAIL, hour_of(now) - timedelta(hours=1), 4, healthy_count=0)
    await add_hour(admin, "imap", MAIL, hour_of(now) - timedelta(hours=30), 50)
    await add_day(admin, "imap", MAIL, now.date() - timedelta(days=3), 900)
    for period, mail, total in (("24h", 4, 10), ("7d", 54, 60), ("30d", 900, 900)):
        found = await get(served, "/connectors/summary", period=period)
        assert found["period"] == period
        assert (found["total_connectors"], found["online"], found["stale"], found["offline"]) == (3, 1, 1, 1)
        assert found["summary"]["messages_ingested"] == total
        parts = {entry["connector_type"]: entry for entry in found["connectors"]}
        assert parts["imap"]["summary"]["messages_ingested"] == mail
        assert (parts["imap"]["endpoint_identity"], parts["imap"]["liveness"]) == (MAIL, "stale")
        assert parts["webhook"]["summary"]["uptime_pct"] is None
    assert (await get(served, "/connectors/summary"))["summary"]["uptime_pct"] == 50.0


async def test_a_connector_that_was_removed_keeps_its_past_and_is_not_missed(served, admin):
    now = await now_of(admin)
    await add_connector(admin, "telegram_bot", BOT, silent_s=20)
    await add_connector(admin, "webhook", "webhook:old", silent_s=86_400, undeclared_at=now)
    await add_hour(admin, "webhook", "webhook:old", hour_of(now), 5)
    found = await get(served, "/connectors/summary")
    assert (found["online"], found["stale"], found["offline"]) == (1, 0, 0)
    assert (found["total_connectors"], found["summary"]["messages_ingested"]) == (2, 5)
    listed = (await get(served, "/connectors"))["connectors"]
    assert [one["undeclared_at"] is not None for one in listed] == [False, True]
    async with served.anybody(headers={"accept": "text/html"}, follow_redirects=True) as http:
        token = served.keys.sign("ada", "dashboard", receiver="dashboard")
        await http.post("/login", data={"token": token, "next": "/connectors"})
        today = words_of(html.fromstring((await http.get("/")).text))
        page = html.fromstring((await http.get("/connectors")).text)
    assert "Connectors" in today
    assert "webhook:old" not in today
    [card] = [one for one in page.iter("li") if one.get("data-connector") == "webhook:old"]
    assert "removed" in words_of(card)
    assert "offline" not in words_of(card)


async def test_the_volume_of_each_connector_lies_on_common_buckets(served, admin):
    await a_fleet(admin)
    hour = hour_of(await now_of(admin))
    await add_hour(admin, "telegram_bot", BOT, hour, 6)
    await add_hour(admin, "imap", MAIL, hour - timedelta(hours=2), 4)
    found = await get(served, "/connectors/volume", period="24h")
    assert len(found["buckets"]) == 24
    counts = {entry["connector_type"]: entry["messages_ingested"] for entry in found["connectors"]}
    assert (counts["telegram_bot"][-3:], counts["imap"][-3:]) == ([0, 0, 6], [4, 0, 0])
    assert sum(counts["webhook"]) == 0
    await add_day(admin, "imap", MAIL, hour.date() - timedelta(days=29), 8)
    month = await get(served, "/connectors/volume", period="30d")
    by_day = {entry["connector_type"]: entry["messages_ingested"] for entry in month["connectors"]}
    assert (len(month["buckets"]), by_day["imap"]) == (30, [8] + [0] * 29)


@pytest.mark.spec("SWB-43.5", "CNX-15.4")
async def test_fan_out_is_the_matrix_of_connectors_and_butlers_from_the_daily_table(served, admin):
    day = (await now_of(admin)).date()
    await add_fanout(admin, "telegram_bot", BOT, "finance", day, 5)
    await add_fanout(admin, "telegram_bot", BOT, "finance", day - timedelta(days=6), 6)
    await add_fanout(admin, "telegram_bot", BOT, "health", day, 1)
    await add_fanout(admin, "imap", MAIL, "finance", day - timedelta(days=7), 40)
    await add_fanout(admin, "imap", MAIL, "finance", day - timedelta(days=30), 400)
    week = await get(served, "/connectors/fanout", period="7d")
    assert week == {
        "period": "7d",
        "butlers": ["finance", "health"],
        "connectors": [
            {
                "connector_type": "telegram_bot",
                "endpoint_identity": BOT,
                "targets": {"finance": 11, "health": 1},
            }
        ],
    }
    month = await get(served, "/connectors/fanout", period="30d")
    assert [entry["targets"] for entry in month["connectors"]] == [
        {"finance": 40},
        {"finance": 11, "health": 1},
    ]
    refused = await served.http.get("/api/connectors/fanout", params={"period": "24h"})
    assert refused.status_code == 400


async def test_the_error_log_has_what_was_not_healthy_newest_first(served, admin):
    now = await now_of(admin)
    for back in range(5):
        state = "healthy" if back == 2 else "error"
        at = now - timedelta(minutes=back)
        await add_beat(admin, "imap", MAIL, at, state=state, error_message=f"refused {back}")
        await add_beat(admin, "telegram_bot", BOT, at, state=state, error_message=f"away {back}")
    first = await get(served, "/connectors/errors", limit=3)
    second = await get(served, "/connectors/errors", limit=50, cursor=first["next"])
    said = [entry["error_message"] for entry in first["errors"] + second["errors"]]
    assert said == [f"{what} {back}" for back in (0, 1, 3, 4) for what in ("away", "refused")]
    assert second["next"] is None
    own = await get(served, one("imap", MAIL, "/errors"), limit=2)
    rest = await get(served, one("imap", MAIL, "/errors"), cursor=own["next"])
    mail = own["errors"] + rest["errors"]
    assert [entry["error_message"] for entry in mail] == [f"refused {back}" for back in (0, 1, 3, 4)]
    assert {(entry["connector_type"], entry["endpoint_identity"], entry["state"]) for entry in mail} == {
        ("imap", MAIL, "error")
    }


async def test_a_connector_s_standing_names_who_flagged_it_and_why(served, admin):
    now = await now_of(admin)
    await add_connector(
        admin, "imap", MAIL, eligibility_state="quarantined", quarantine_reason="loops", quarantined_at=now
    )
    await add_transition(admin, "connector", f"imap:{MAIL}", now, "quarantined")
    await add_transition(admin, "connector", f"telegram_bot:{BOT}", now, "stale")
    found = await get(served, one("imap", MAIL, "/standing"))
    assert (found["eligibility_state"], found["quarantine_reason"]) == ("quarantined", "loops")
    assert [line["new_state"] for line in found["transitions"]] == ["quarantined"]
