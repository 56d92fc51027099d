"""How delivery stands: budgets of the minute, the queue, what became of a window's deliveries (MSG-5.1.4, MSR-10)."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from butler_contracts.errors import ButlerError, ValidationFailed
from butler_kit.db import Pool
from butler_kit.time import SystemClock
from butler_messenger.admission.store import AdmissionStore, demands_of
from butler_messenger.health.questions import LimitsQuestion, QueueQuestion, StatsQuestion
from butler_messenger.health.reader import HealthReader
from tests.integration.messenger.admissions import limits_of, new_delivery
from tests.integration.messenger.household import PLANS, Place, notify
from tests.integration.messenger.test_retries import paused
from tests.support.database import Database, Provision
from tests.support.telegram_api import Fault

USUAL = limits_of()
NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
ENDED = """
INSERT INTO delivery_requests (
    delivery_id, idempotency_key, origin_butler, intent, channel, identity_scope, notify_request, status, attempts_used,
    error_class, created_at, updated_at, expires_at, terminal_at
)
SELECT gen_random_uuid(), gen_random_uuid()::text, $1, $2, $3, 'bot', '{}', $4, $5, $6, $7::timestamptz, $7, $7,
       $7::timestamptz + make_interval(secs => $8)
"""


@pytest.fixture
async def database(provisioned: Provision) -> Database:
    return await provisioned(*PLANS)


@pytest.fixture
async def pool(database: Database) -> Pool:
    return await database.pool("messenger")


def reader(pool: Pool, **rates: Any) -> HealthReader:
    return HealthReader(pool, limits_of(**rates), ("telegram", "email"), clock=SystemClock())


async def admit(pool: Pool, **wish: Any) -> ButlerError | None:
    try:
        await AdmissionStore(pool).admit(new_delivery(**wish), USUAL)
    except ButlerError as refused:
        return refused
    return None


async def ended(
    pool: Pool,
    after_s: float | None,
    *,
    status: str = "sent",
    origin: str = "finance",
    intent: str = "send",
    channel: str = "telegram",
    attempts: int = 1,
    error: str | None = None,
    at: datetime = NOW,
) -> None:
    await pool.execute(ENDED, origin, intent, channel, status, attempts, error, at, after_s)


@pytest.mark.spec("MSG-5.1.4")
async def test_every_budget_says_what_is_used_what_is_left_and_when_there_is_room_again(
    pool: Pool, database: Database
) -> None:
    for _ in range(10):
        assert await admit(pool) is None
    assert await admit(pool, intent="reply", channel="email", to="a@b.de", thread="email:<m@b.de>") is None
    refused = await admit(pool)
    seen = (await reader(pool).limits(LimitsQuestion()))["budgets"]
    by_name = {(one["dimension"], one["channel"], one["whose"]): one for one in seen}
    figures = {name: (one["limit"], one["used"], one["room"]) for name, one in by_name.items()}
    assert figures == {
        ("global", None, None): (60, 10.5, 49.5),
        ("channel", "telegram", None): (30, 10, 20),
        ("channel", "email", None): (20, 0.5, 19.5),
        ("recipient", "telegram", "1001"): (10, 10, 0),
        ("recipient", "email", "a@b.de"): (10, 0.5, 9.5),
        ("thread", "email", "email:<m@b.de>"): (10, 0.5, 9.5),
        ("origin", None, "finance"): (48, 10, 38),
        ("origin", "telegram", "finance"): (24, 10, 14),
    }
    assert [one for one in seen if one["free_in_s"] is not None] == [by_name["recipient", "telegram", "1001"]]
    assert refused is not None
    assert refused.retry_after_s is not None
    free_in_s = by_name["recipient", "telegram", "1001"]["free_in_s"]
    assert 0 < free_in_s <= refused.retry_after_s
    mail = await reader(pool).limits(LimitsQuestion(channel="email"))
    assert {one["channel"] for one in mail["budgets"]} == {"email", None}
    await database.shift_clock(timedelta(seconds=66))
    empty = await reader(await database.pool("messenger")).limits(LimitsQuestion())
    assert [(one["dimension"], one["used"]) for one in empty["budgets"]] == [
        ("global", 0),
        ("channel", 0),
        ("channel", 0),
    ]


TWELFTHS = st.integers(0, 9)
"""How long ago, so that nothing leaves the window between two looks at it."""
TAKEN = st.lists(st.tuples(TWELFTHS, st.integers(0, 8), st.integers(0, 8).map(lambda n: n / 2)), max_size=8)
TAKE = """
INSERT INTO rate_used
SELECT 'recipient:telegram.bot:1001', to_timestamp(floor(extract(EPOCH FROM clock_now()) / 5) * 5 - 5 * $1::integer),
       $2, $3, $4
"""


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(taken=TAKEN, intent=st.sampled_from(("send", "reply")))
async def test_what_is_shown_of_a_budget_is_what_admission_decides_by(
    pool: Pool, taken: list[tuple[int, int, float]], intent: str
) -> None:
    await pool.execute("DELETE FROM rate_used")
    for shard, (ago, sends, replies) in enumerate(taken):
        await pool.execute(TAKE, ago, shard, sends, replies)
    new = new_delivery(intent=intent)
    began = time.monotonic()
    refused = await AdmissionStore(pool).outlook(new, USUAL)
    seen = await reader(pool).headrooms(demands_of(new, USUAL), cost=1.0 if intent == "send" else 0.5)
    between_s = time.monotonic() - began
    [recipient] = [one for one in seen if one.demand.key.startswith("recipient")]
    assert (recipient.free_in_s is None) == (refused is None)
    if refused is not None and recipient.free_in_s is not None:
        assert refused.retry_after_s is not None
        assert -0.01 <= refused.retry_after_s - recipient.free_in_s <= between_s + 0.01
    assert await pool.fetchval("SELECT count(*) FROM delivery_requests") == 0


@pytest.mark.spec("MSR-10.3", "MSG-5.1.4")
async def test_the_queue_is_counted_by_state_lane_channel_and_origin(pool: Pool) -> None:
    assert (await reader(pool).queue(QueueQuestion()))["oldest_at"] is None
    for key, wish in (
        ("waits", {}),
        ("is called", {}),
        ("comes again", {}),
        ("answers", {"intent": "reply", "channel": "email", "origin": "health"}),
    ):
        assert await admit(pool, key=key, **wish) is None
    await pool.execute(
        "UPDATE delivery_requests SET status = 'in_progress' WHERE idempotency_key = 'is called'"
    )
    await pool.execute(
        "UPDATE delivery_work SET available_at = clock_now() + interval '10 minutes', attempt = 1 WHERE item_id ="
        " (SELECT delivery_id FROM delivery_requests WHERE idempotency_key = 'comes again')"
    )
    seen = await reader(pool).queue(QueueQuestion())
    by_mail = await reader(pool).queue(QueueQuestion(channel="email"))
    assert (seen["deliveries"], seen["pending"], seen["in_progress"], seen["places"]) == (4, 3, 1, 10_000)
    assert (seen["admitted"], seen["awaiting_retry"], seen["in_provider_call"]) == (2, 1, 1)
    groups = {(one["lane"], one["channel"], one["origin_butler"]): one for one in seen["groups"]}
    assert set(groups) == {("send", "telegram", "finance"), ("reply", "email", "health")}
    telegram, email = groups["send", "telegram", "finance"], groups["reply", "email", "health"]
    assert (telegram["deliveries"], telegram["admitted"], telegram["in_provider_call"]) == (3, 1, 1)
    assert seen["oldest_at"] == telegram["oldest_at"] < email["oldest_at"]
    assert seen["oldest_s"] > 0
    assert seen["deferred_until"] == telegram["next_try_at"] == telegram["deferred_until"] > seen["oldest_at"]
    assert email["deferred_until"] is None
    assert (by_mail["deliveries"], by_mail["groups"]) == (1, [email])


@pytest.mark.spec("MSR-10.4", "MSG-5.1.4")
async def test_a_window_is_counted_with_rates_and_measured_times_in_groups(pool: Pool) -> None:
    for seconds in range(1, 21):
        await ended(pool, seconds)
    await ended(pool, 100, channel="email", origin="health", intent="reply", attempts=3)
    await ended(pool, 1, status="failed", error="validation_error")
    await ended(pool, 1, status="dead_lettered", error="timeout", attempts=3)
    await ended(pool, 1, status="uncertain", error="timeout", channel="email")
    await ended(pool, None, status="pending")
    await ended(pool, 9, at=NOW - timedelta(hours=2))
    window = {"since": NOW - timedelta(hours=1), "until": NOW + timedelta(hours=1)}

    async def counted(**asked: Any) -> dict[str, Any]:
        return await reader(pool).stats(StatsQuestion(**(window | asked)))

    whole = await counted()
    states = {name: count for name, count in whole["states"].items() if count}
    assert states == {"sent": 21, "failed": 1, "dead_lettered": 1, "uncertain": 1, "pending": 1}
    assert (whole["deliveries"], whole["retried"], whole["retry_rate"]) == (25, 2, 2 / 25)
    assert (whole["success_rate"], whole["dead_letter_rate"]) == (21 / 24, 1 / 24)
    assert whole["sent_after_s"] == {"p50": 11, "p95": 20}
    assert (whole["group_by"], whole["groups"]) == (None, [])
    assert (await counted(since=NOW - timedelta(hours=3)))["deliveries"] == 26
    groups = {
        by: {one["of"]: one["deliveries"] for one in (await counted(group_by=by))["groups"]}
        for by in ("channel", "intent", "origin_butler", "outcome", "error_class")
    }
    assert groups == {
        "channel": {"telegram": 23, "email": 2},
        "intent": {"send": 24, "reply": 1},
        "origin_butler": {"finance": 24, "health": 1},
        "outcome": states,
        "error_class": {None: 22, "validation_error": 1, "timeout": 2},
    }
    [email] = [one for one in (await counted(group_by="channel"))["groups"] if one["of"] == "email"]
    assert (email["sent_after_s"], email["success_rate"]) == ({"p50": 100, "p95": 100}, 1 / 2)
    nothing = await counted(since=NOW + timedelta(minutes=30))
    assert (nothing["deliveries"], nothing["success_rate"], nothing["sent_after_s"]["p50"]) == (0, None, None)
    with pytest.raises(ValidationFailed, match="shorter window"):
        await counted(since=NOW - timedelta(days=40))


@pytest.mark.spec("MSR-10.4", "MSG-5.1.4")
async def test_tools_and_ops_api_tell_the_same_and_only_to_those_who_may_know(place: Place) -> None:
    async with place.messenger() as messenger:
        await messenger.notify(notify("one", idempotency_key="1"))
        stats = await messenger.tool("messenger_delivery_stats", {"group_by": "channel"})
        limits = await messenger.tool("messenger_rate_limit_status", {"channel": "telegram"})
        over = (await messenger.get("/ops/v1/stats?group_by=channel")).json()
        same = (await messenger.get("/ops/v1/limits?channel=telegram")).json()
        butler = place.keys.other("finance", "butler")
        for name in ("stats", "limits", "queue"):
            assert (await messenger.get(f"/ops/v1/{name}", token=butler)).status_code == 403
        assert (await messenger.get("/ops/v1/stats?group_by=colour")).status_code == 400
        assert not {name for name in await messenger.listed_tools(butler) if "stats" in name or "dry" in name}
        place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=600))
        await messenger.notify(notify("two", idempotency_key="2"))
        await paused(place, whole=True)
        queue = await messenger.tool("messenger_queue_depth", {})
        assert (await messenger.get("/ops/v1/queue?channel=telegram")).json()["groups"] == queue["groups"]
        [pause] = (await messenger.tool("messenger_rate_limit_status", {}))["pauses"]
    assert (queue["deliveries"], queue["awaiting_retry"]) == (1, 1)
    assert (stats["deliveries"], stats["states"]["sent"], stats["groups"][0]["of"]) == (1, 1, "telegram")
    assert over["groups"] == stats["groups"]
    assert stats["sent_after_s"]["p50"] > 0
    assert [(one["dimension"], one["used"]) for one in same["budgets"]] == [
        (one["dimension"], one["used"]) for one in limits["budgets"]
    ]
    assert (pause["channel"], pause["identity_scope"], pause["target_identity"]) == ("telegram", "bot", None)
    assert pause["until"].endswith("Z")
