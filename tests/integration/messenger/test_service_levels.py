"""When too much of a channel fails or is late, what answers nothing slows down, until it is well again (MSG-15)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest

from butler_contracts.errors import ErrorClass
from butler_kit.db import Pool
from butler_kit.service_levels import Count, Sli
from butler_kit.telemetry import MESSENGER, Metrics
from butler_messenger.admission.limits import RateLimited
from butler_messenger.admission.store import AdmissionStore
from butler_messenger.delivery.circuits import Account
from butler_messenger.delivery.outcomes import ACCOUNT_REFUSED
from butler_messenger.service_levels.figures import figures, most_within_s
from butler_messenger.service_levels.keeper import Keeper
from butler_messenger.service_levels.objectives import Objective, Policy
from butler_messenger.service_levels.tally import Tally
from butler_messenger.settings import SloSettings
from tests.integration.messenger.admissions import limits_of, new_delivery
from tests.integration.messenger.household import ADA, BEN, PLANS, Client, Place, envelope, notify
from tests.support.database import Database, Provision

TELEGRAM = Account("telegram", "bot")
POLICY = Policy(SloSettings().targets())
HOUR = POLICY.fast.long_s
ENDED = """
INSERT INTO delivery_requests (
    delivery_id, idempotency_key, origin_butler, intent, channel, identity_scope, target_identity, notify_request,
    status, attempts_used, error_class, created_at, updated_at, expires_at, terminal_at, replay_of, error_retryable
)
SELECT gen_random_uuid(), gen_random_uuid()::text, 'finance', $2, $3, 'bot', '1001', '{}', $4, $5, $6,
       clock_now() - make_interval(secs => $7::float8 + $8::float8), clock_now(), clock_now(),
       clock_now() - make_interval(secs => $8::float8),
       CASE WHEN $9::boolean THEN gen_random_uuid() END, CASE WHEN $6::text IS NOT NULL THEN $10::boolean END
FROM generate_series(1, $1)
"""


@pytest.fixture
async def database(provisioned: Provision) -> Database:
    return await provisioned(*PLANS)


@pytest.fixture
async def pool(database: Database) -> Pool:
    return await database.pool("messenger")


async def ended(
    pool: Pool,
    count: int,
    status: str = "sent",
    *,
    intent: str = "send",
    channel: str = "telegram",
    attempts: int = 1,
    error: str | None = None,
    took_s: float = 1.0,
    ago_s: float = 60.0,
    replay: bool = False,
    may_pass: bool = True,
) -> None:
    """So many deliveries that ended lately."""
    await pool.execute(
        ENDED, count, intent, channel, status, attempts, error, took_s, ago_s, replay, may_pass
    )


async def failing(pool: Pool, count: int = 20) -> None:
    """A channel of which a fifth fails."""
    await ended(pool, count * 4)
    await ended(pool, count, "dead_lettered", error="target_unavailable")


def keeper(pool: Pool, tally: Tally | None = None, *, places: int = 100, **policy: Any) -> Keeper:
    return Keeper(
        pool,
        Policy(SloSettings().targets(), **policy),
        [TELEGRAM],
        tally or Tally(),
        Metrics(MESSENGER),
        places=places,
    )


async def looked(pool: Pool, one: Keeper | None = None) -> dict[str, Any]:
    """What a look makes of it, however short ago the last one was."""
    await pool.execute("UPDATE service_level SET evaluated_at = NULL")
    await (one or keeper(pool)).look()
    row = await pool.fetchrow("SELECT * FROM service_level")
    assert row is not None
    return dict(row)


async def counted(pool: Pool, sli: Sli, channel: str = "telegram") -> Count:
    async with pool.acquire() as connection:
        found = await figures(connection, POLICY.windows_s, POLICY)
    return found[channel].counts[sli][HOUR]


@pytest.mark.spec("MSG-15")
async def test_success_is_of_what_ended_but_for_what_could_not_be_sent_by_its_own_fault(pool: Pool) -> None:
    await ended(pool, 7)
    await ended(pool, 1, "failed", error="timeout")
    await ended(pool, 1, "uncertain", error="target_unavailable")
    await ended(pool, 1, "dead_lettered", error="target_unavailable")
    await ended(pool, 5, "failed", error="validation_error", may_pass=False)
    await ended(pool, 4, "failed", error="target_unavailable", may_pass=False)  # people who blocked the bot
    await ended(pool, 5, "failed", intent="react", error="target_unavailable")
    await ended(pool, 3, "dead_lettered", channel="email", error="target_unavailable")
    await ended(pool, 9, "failed", error="timeout", ago_s=7 * 3600)
    assert await counted(pool, Sli(Objective.SUCCESS)) == Count(10, 3)
    assert await counted(pool, Sli(Objective.SUCCESS), "email") == Count(3, 3)


async def test_what_nobody_gave_an_address_or_approved_in_time_is_no_failure_of_the_account(
    pool: Pool,
) -> None:
    await ended(pool, 4, "failed", error="timeout", may_pass=False)
    await pool.execute("UPDATE delivery_requests SET target_identity = NULL")
    await ended(pool, 5, "failed", error="timeout", may_pass=False)
    await pool.execute(
        "INSERT INTO delivery_approval (delivery_id, tool, requested_at, expires_at, decision, decided_at)"
        " SELECT delivery_id, 'telegram_send_message', created_at, terminal_at, 'expired', terminal_at"
        " FROM delivery_requests WHERE target_identity IS NOT NULL"
    )
    await ended(pool, 7)
    await ended(pool, 1, "failed", error="timeout", may_pass=False)
    assert await counted(pool, Sli(Objective.SUCCESS)) == Count(8, 1)


async def test_an_account_that_its_provider_does_not_know_fails_for_everybody(pool: Pool) -> None:
    await ended(pool, 2, "failed", error="target_unavailable", may_pass=False)
    await pool.execute(
        "INSERT INTO delivery_attempts (delivery_id, attempt, tool, started_at, outcome, provider_response)"
        " SELECT delivery_id, 1, 'telegram_send_message', clock_now(), 'failed', $1 FROM delivery_requests",
        dict(ACCOUNT_REFUSED),
    )
    assert await counted(pool, Sli(Objective.SUCCESS)) == Count(2, 2)


@pytest.mark.spec("MSG-15")
async def test_latency_is_of_what_was_sent_by_channel_and_intent(pool: Pool) -> None:
    for took_s, count in ((1, 90), (31, 6), (61, 4)):
        await ended(pool, count, intent="reply", took_s=took_s)
        await ended(pool, count, took_s=took_s)
    await ended(pool, 1, "failed", error="timeout", took_s=86_400)
    await ended(pool, 2, channel="email", intent="reply", took_s=119)
    assert await counted(pool, Sli(Objective.LATENCY, "reply")) == Count(100, 10)
    assert await counted(pool, Sli(Objective.LATENCY, "send")) == Count(100, 4)
    assert await counted(pool, Sli(Objective.LATENCY, "reply"), "email") == Count(2, 0)
    async with pool.acquire() as connection:
        told = await most_within_s(connection, HOUR)
    assert told["telegram", "reply"] == pytest.approx(31)


async def test_what_waited_for_an_address_is_not_late(pool: Pool) -> None:
    await ended(pool, 1, took_s=86_400)
    await pool.execute("UPDATE delivery_requests SET due_since = terminal_at - interval '2 s'")
    assert await counted(pool, Sli(Objective.LATENCY, "send")) == Count(1, 0)


@pytest.mark.spec("MSG-15")
async def test_a_message_that_two_calls_may_have_brought_counts_as_said_twice(pool: Pool) -> None:
    await ended(pool, 5)
    await ended(pool, 3, attempts=2)
    again = await pool.fetch("SELECT delivery_id FROM delivery_requests WHERE attempts_used = 2")
    for row, outcome in zip(again, ("uncertain", "failed", "sent"), strict=True):
        for attempt, came_to in enumerate((outcome, "sent"), 1):
            await pool.execute(
                "INSERT INTO delivery_attempts (delivery_id, attempt, tool, started_at, outcome)"
                " VALUES ($1, $2, 'telegram_send_message', clock_now(), $3)",
                row["delivery_id"],
                attempt,
                came_to,
            )
    assert await counted(pool, Sli(Objective.ONCE)) == Count(8, 2)


@pytest.mark.spec("MSG-15")
async def test_refusals_and_full_places_are_counted_of_all_replicas(pool: Pool) -> None:
    one, two = Tally(), Tally()
    for tally in (one, two):
        for _ in range(10):
            tally.asked("telegram")
        tally.refused("telegram", RateLimited("recipient", retry_after_s=1))
        tally.refused("telegram", RateLimited("tight", retry_after_s=1))
    for _ in range(4):
        await AdmissionStore(pool).admit(new_delivery(), limits_of())
    await looked(pool, keeper(pool, one, places=5))
    await looked(pool, keeper(pool, two, places=6))
    # What a tight channel refuses is no reason to stay tight.
    assert await counted(pool, Sli(Objective.ADMISSION)) == Count(20, 2)
    assert await counted(pool, Sli(Objective.QUEUE)) == Count(2, 1)


@pytest.mark.spec("MSG-15")
async def test_dead_letters_and_replays_are_counted(pool: Pool) -> None:
    await ended(pool, 9)
    await ended(pool, 3, replay=True)
    await ended(pool, 1, "failed", error="timeout", replay=True)
    for by in (None, None, "ada"):
        await pool.execute(
            "INSERT INTO delivery_dead_letter (dead_letter_id, delivery_id, idempotency_key, origin_butler, channel,"
            " intent, notify_request, reason, error_class, error_message, attempts, replay_eligible, quarantined_by,"
            " created_at) VALUES ($1, $1, 'k', 'finance', 'telegram', 'send', '{}', 'x', 'timeout', 'x', '[]', true,"
            " $2, clock_now())",
            uuid4(),
            by,
        )
    assert await counted(pool, Sli(Objective.DEAD_LETTERS)) == Count(13, 2)
    assert await counted(pool, Sli(Objective.REPLAYS)) == Count(4, 1)


@pytest.mark.spec("MSG-15")
async def test_a_burning_budget_makes_the_channel_tight_for_all_replicas_once_and_it_is_let_go_by_itself(
    pool: Pool, database: Database
) -> None:
    await failing(pool)
    await asyncio.gather(*(keeper(pool).look() for _ in range(4)))
    tight = await pool.fetchrow("SELECT * FROM service_level")
    assert tight is not None
    assert (tight["state"], tight["cause"]) == ("tight", "success")
    changes = "SELECT state, actor, why FROM service_level_change ORDER BY change_id"
    [change] = await pool.fetch(changes)
    assert (change["state"], change["actor"]) == ("tight", "messenger")
    assert change["why"] == "the error budget of success burns 20.0 times too fast"
    await database.shift_clock(timedelta(minutes=10))
    pool = await database.pool("messenger")
    assert (await looked(pool))["state"] == "tight"
    # The half hour that the slow pair looks back is over, and the quarter of an hour after it.
    await database.shift_clock(timedelta(minutes=50))
    pool = await database.pool("messenger")
    assert (await looked(pool))["state"] == "kept"
    assert [row["state"] for row in await pool.fetch(changes)] == ["tight", "kept"]


@pytest.mark.spec("MSG-15")
async def test_a_tight_channel_takes_half_of_its_sends_and_every_reply(pool: Pool) -> None:
    store, limits = AdmissionStore(pool), limits_of(recipient_per_minute=1000, per_minute=1000)
    refusals: list[RateLimited] = []
    await failing(pool)
    await looked(pool)

    async def fits(**wish: Any) -> bool:
        try:
            return await store.admit(new_delivery(**wish), limits) is not None
        except RateLimited as refused:
            refusals.append(refused)
            return False

    assert [await fits(origin=f"b{n % 4}") for n in range(16)] == [True] * 15 + [False]
    [refused] = refusals
    assert (refused.dimension, refused.error_class) == ("tight", ErrorClass.OVERLOAD_REJECTED)
    assert refused.retryable
    assert 0 < (refused.retry_after_s or 0) <= 65
    assert all([await fits(intent="reply") for _ in range(20)])
    assert await fits(channel="email")
    assert await fits(intent="react")


async def say(messenger: Client, text: str, to: int = ADA, **more: Any) -> ErrorClass | None:
    wish = notify(text, recipient=str(to), idempotency_key=f"{to}:{text}", **more)
    answer = await messenger.execute(envelope(wish))
    return answer.error.error_class if answer.error is not None else None


@pytest.mark.spec("MSG-15")
async def test_what_a_tight_channel_refuses_comes_again_and_is_said_once(place: Place) -> None:
    said = {"slo": {"sendShare": 0.1}, "channels": {"telegram": {"perMinute": 10}}}
    await failing(place.pool)
    async with place.messenger(spec={"delivery": said}) as messenger:
        await until(place, "tight")
        assert await say(messenger, "first") is None
        wish = notify("second", recipient=str(BEN), idempotency_key="second")
        refused = await messenger.execute(envelope(wish))
        dry = await messenger.tool("messenger_dry_run", {"notify_request": wish})
    assert refused.error is not None
    assert (refused.error.error_class, refused.error.retryable) == (ErrorClass.OVERLOAD_REJECTED, True)
    assert "while too much of it fails or is late" in refused.error.message
    assert refused.error.retry_after_s is not None
    assert [one["room"] for one in dry["budgets"] if one["dimension"] == "tight"] == [0]
    assert dry["decision"] == "refused"
    await place.database.shift_clock(timedelta(seconds=refused.error.retry_after_s + 0.1))
    async with place.messenger(spec={"delivery": said}) as messenger:
        assert (await messenger.execute(envelope(wish))).error is None
        await place.telegram.until(lambda api: len(api.sent) == 2)
    assert [sent["text"].split("] ")[-1] for sent in place.telegram.sent] == ["first", "second"]


async def until(place: Place, state: str) -> dict[str, Any]:
    """Wait until Telegram's service level is in a state."""
    async with asyncio.timeout(90):
        while True:
            rows = await place.rows("SELECT * FROM service_level WHERE channel = 'telegram'")
            if rows and rows[0]["state"] == state:
                return rows[0]
            await asyncio.sleep(0.02)


async def post(messenger: Client, path: str, token: str, body: dict[str, Any]) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "once"}
    async with httpx.AsyncClient(timeout=60) as http:
        return await http.post(f"{messenger.base}/ops/v1{path}", headers=headers, json=body)


@pytest.mark.spec("MSG-15")
async def test_it_is_told_everywhere_and_an_operator_lets_it_go_which_is_kept(place: Place) -> None:
    path, why = "/slo/telegram/reset", {"reason": "the line is back", "requested_by": "ada"}
    await failing(place.pool)
    async with place.messenger() as messenger:
        await until(place, "tight")
        [told] = (await messenger.tool("messenger_slo_status", {"channel": "telegram"}))["slo"]
        whole = (await messenger.get("/ops/v1/slo")).json()
        butler = place.keys.other("finance", "butler")
        assert (await post(messenger, path, butler, why)).status_code == 403
        done = await post(messenger, path, messenger.operator(), why)
        repeated = await post(messenger, path, messenger.operator(), why)
        # The same figures are still there, and count no more.
        await place.pool.execute("UPDATE service_level SET evaluated_at = NULL")
        [freed] = (await messenger.tool("messenger_slo_status", {"channel": "telegram"}))["slo"]
        metrics = (await messenger.get("/metrics")).text
    assert (await looked(place.pool))["state"] == "kept"
    assert [one["channel"] for one in whole["slo"]] == ["email", "telegram"]
    assert (told["state"], told["cause"], told["burn"]) == ("tight", "success", pytest.approx(20))
    assert told["released_at"] > told["burning_at"]
    success = next(one for one in told["objectives"] if one["objective"] == "success")
    assert (success["target"], success["acts"]) == (0.99, True)
    assert [(one["events"], one["bad"]) for one in success["windows"]] == [(100, 20)] * 4
    assert success["budget_left"] == pytest.approx(-19)
    assert whole["policy"]["fast"] == {"long_s": 3600, "short_s": 300, "burn": 14.4}
    assert (done.json()["was"], done.json()["state"], done.json()["repeated"]) == ("tight", "kept", False)
    assert repeated.json()["repeated"] is True
    assert (freed["state"], freed["counted_from"] is not None) == ("kept", True)
    assert [(one["state"], one["by"], one["why"]) for one in freed["changes"]] == [
        ("kept", "ada", "the line is back"),
        ("tight", "messenger", "the error budget of success burns 20.0 times too fast"),
    ]
    [kept] = await place.rows("SELECT action, target, reason, requested_by, state FROM operation")
    assert kept == {
        "action": "slo.reset",
        "target": "slo/telegram",
        "reason": "the line is back",
        "requested_by": "ada",
        "state": "done",
    }
    for state in ("tight", "kept"):
        assert f'butlers_messenger_slo_transition_total{{channel="telegram",state="{state}"}} 1.0' in metrics
    assert 'butlers_messenger_slo_tight{channel="telegram"}' in metrics
