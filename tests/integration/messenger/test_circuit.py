"""A provider that does not answer is left alone: what waits, what is refused, and how it comes back (MSG-9, MSR-06)."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest

from butler_contracts.errors import ErrorClass
from butler_contracts.route import RouteResponseV1
from butler_kit.breaker import BreakerState
from butler_kit.telemetry import MESSENGER, Metrics
from butler_messenger.delivery.breaker import Circuit, CircuitPolicy, Hold, Ticket
from butler_messenger.delivery.circuits import Account, Circuits
from butler_messenger.delivery.outcomes import Failure, Sent, Unreachable
from tests.integration.messenger.away_channel import AwayChannel
from tests.integration.messenger.household import (
    ADA,
    BEN,
    Client,
    Place,
    envelope,
    messenger_process,
    notify,
)
from tests.support.telegram_api import Fault

TELEGRAM = Account("telegram", "bot")
POLICY = CircuitPolicy()
RESET = timedelta(seconds=61)
AWAY = Unreachable(Failure(ErrorClass.TARGET_UNAVAILABLE, "no route to the provider", True))
OPEN = (
    "INSERT INTO provider_circuit (channel, identity_scope, state, failures, generation, retry_at, trip_reason)"
    " VALUES ('telegram', 'bot', 'open', 5, 1, clock_now() + $1, 'no route')"
)


def circuit(**said: Any) -> dict[str, Any]:
    """A manifest's `delivery` with the usual circuit, one worker, no waiting for ends, and time for calls that wait."""
    usual = {"failures": POLICY.failures, **said}
    patient = {"telegram": {"timeoutSeconds": 60}}
    return {
        "delivery": {"answerWaitSeconds": 0, "workerCount": 1, "circuit": usual, "channels": patient},
    }


async def say(messenger: Client, text: str, to: int = ADA) -> RouteResponseV1:
    return await messenger.execute(envelope(notify(text, recipient=str(to), idempotency_key=f"{to}:{text}")))


async def until_circuit(place: Place, state: str, failures: int | None = None) -> dict[str, Any]:
    """Wait until the circuit of Telegram is in a state, after so many failures."""
    async with asyncio.timeout(90):
        while True:
            for row in await place.rows("SELECT * FROM provider_circuit"):
                if row["state"] == state and failures in (None, row["failures"]):
                    return row
            await asyncio.sleep(0.02)


async def until_held(place: Place, count: int) -> None:
    """Wait until so many deliveries are put off to the circuit's next probe."""
    async with asyncio.timeout(90):
        while (
            len(
                await place.rows(
                    "SELECT 1 FROM delivery_work WHERE available_at > clock_now() + interval '20 s'"
                )
            )
            < count
        ):
            await asyncio.sleep(0.02)


async def until_taken(messenger: Client, text: str) -> None:
    """Come again until the wish is taken."""
    async with asyncio.timeout(90):
        while (await say(messenger, text)).error is not None:
            await asyncio.sleep(0.05)


async def attempts(place: Place) -> int:
    return len(await place.rows("SELECT 1 FROM delivery_attempts"))


@pytest.mark.spec("MSR-06.1", "MSR-06.2", "MSG-9")
async def test_a_provider_that_is_away_is_asked_five_times_and_every_message_goes_out_once_when_it_is_back(
    place: Place,
) -> None:
    provider = AwayChannel()
    provider.answering.clear()
    async with place.messenger(spec=circuit(), channels={"telegram": provider}) as messenger:
        taken = [await say(messenger, f"{n}", to) for n in range(3) for to in (ADA, BEN)]
        provider.answering.set()
        await until_circuit(place, "open")
        await until_held(place, 2)
        refused = await say(messenger, "new")
        assert (provider.calls, await attempts(place)) == (5, 5)
        provider.away = False
        await place.database.shift_clock(RESET, disconnect=True)
        for answer in taken:
            told = answer.notify_response()
            assert told is not None
            assert told.delivery is not None
            row = await place.until_status(told.delivery.delivery_id, "sent")
            assert row["attempts_used"] == 1
        await until_circuit(place, "closed", 0)
        again = await say(messenger, "new")
        await until_sent(provider, 7)
    assert [answer.error for answer in taken] == [None] * 6
    assert refused.error is not None
    assert (refused.error.error_class, refused.error.retryable) == (ErrorClass.TARGET_UNAVAILABLE, True)
    assert refused.error.message.startswith("the circuit of telegram is open")
    assert "no route to the provider" in refused.error.message
    assert 1 <= (refused.error.retry_after_s or 0) <= 60
    assert again.error is None
    assert sorted(provider.sent) == sorted([*(f"{n}" for n in range(3) for _ in range(2)), "new"])


async def until_sent(provider: AwayChannel, count: int) -> None:
    async with asyncio.timeout(90):
        while len(provider.sent) < count:
            await asyncio.sleep(0.02)


@pytest.mark.spec("MSR-06.2", "MSG-9")
async def test_one_call_at_a_time_finds_out_over_all_replicas_and_a_failed_one_opens_the_circuit_again(
    place: Place,
) -> None:
    provider = AwayChannel()
    provider.answering.clear()
    manifest, channels = circuit(resetSeconds=1), {"telegram": provider}
    manifest["delivery"]["workerCount"] = 4
    async with (
        place.messenger(spec=manifest, channels=channels) as one,
        place.messenger(spec=manifest, channels=channels) as two,
    ):
        for n in range(10):
            await say((one, two)[n % 2], f"{n}", 2000 + n)
        provider.answering.set()
        await until_circuit(place, "open")
        reopened = await until_circuit(place, "open", 7)
        provider.away = False
        await until_sent(provider, 10)
        await until_circuit(place, "closed", 0)
    assert provider.beside[:2] == [1, 1]
    assert reopened["generation"] > 3
    assert sorted(provider.sent, key=int) == [f"{n}" for n in range(10)]
    assert {row["attempts_used"] for row in await place.rows("SELECT * FROM delivery_requests")} == {1}


async def circuits_of(place: Place) -> Circuits:
    """Those of one replica, with connections of its own."""
    pool = await place.database.pool("messenger")
    return Circuits(pool, POLICY, Metrics(MESSENGER), draw=random.random)


@pytest.mark.spec("MSR-06.1", "MSR-06.2")
async def test_replicas_agree_on_when_it_opened_and_on_whose_call_is_the_probe(place: Place) -> None:
    replicas = [await circuits_of(place) for _ in range(3)]
    closed, ticket = Circuit(), Ticket(0)
    await asyncio.gather(
        *(replicas[n % 3].heard(TELEGRAM, closed, ticket, AWAY, reason="away") for n in range(12))
    )
    opened = (await replicas[0].all())[TELEGRAM]
    # The fifth opened it; those that began before it and failed after it change nothing.
    assert (opened.state, opened.failures, opened.generation) == (BreakerState.OPEN, 5, 1)
    await replicas[1].heard(TELEGRAM, closed, ticket, Sent("1"), reason="")
    await replicas[1].heard(TELEGRAM, closed, ticket, AWAY, reason="late")
    assert (await replicas[2].all())[TELEGRAM] == opened

    assert opened.retry_at is not None
    due = opened.retry_at + timedelta(seconds=1)
    await place.database.shift_clock(RESET)
    ids = [uuid4() for _ in range(16)]
    entered = await asyncio.gather(
        *(replicas[n % 3].enter(TELEGRAM, opened, due, probe_id=i, call_s=15) for n, i in enumerate(ids))
    )
    assert sum(isinstance(one, Ticket) for one in entered) == 1
    assert sum(isinstance(one, Hold) for one in entered) == 15
    assert (await replicas[0].all())[TELEGRAM].state is BreakerState.HALF_OPEN


@pytest.mark.spec("MSR-06.1")
async def test_a_refusal_by_an_open_circuit_consumes_nothing_and_outlives_a_restart(place: Place) -> None:
    await place.pool.execute(OPEN, timedelta(seconds=300))
    plenty = circuit()
    plenty["delivery"] |= {
        "limits": {"perMinute": 10_000, "recipientPerMinute": 10_000},
        "channels": {"telegram": {"perMinute": 10_000}},
    }
    for spec in (circuit(), plenty):  # counted exactly, and with so much room that nothing is counted
        async with place.messenger(spec=spec) as messenger:
            refused = await say(messenger, "one")
            mail = await messenger.notify(notify("by mail", channel="email", idempotency_key="mail"))
        assert refused.error is not None
        assert refused.error.error_class is ErrorClass.TARGET_UNAVAILABLE
        assert 100 < (refused.error.retry_after_s or 0) <= 300
        assert mail.error is None
    assert place.telegram.sent == []
    assert await place.rows("SELECT 1 FROM rate_used WHERE key LIKE '%telegram%'") == []
    assert len(await place.rows("SELECT 1 FROM delivery_requests")) == 1


@pytest.mark.spec("MSR-06.2")
async def test_a_circuit_for_which_nothing_waits_is_closed_by_the_next_messages(place: Place) -> None:
    await place.pool.execute(OPEN, timedelta(seconds=-1))
    async with place.messenger(spec=circuit()) as messenger:
        assert (await say(messenger, "one")).error is None
        half = await until_circuit(place, "half-open", 0)
        assert (half["successes"], half["probe_id"]) == (1, None)
        assert (await say(messenger, "two")).error is None
        await until_circuit(place, "closed", 0)


@pytest.mark.spec("MSR-06.1", "MSG-9")
@pytest.mark.parametrize("status", [400, 401, 403, 409, 429])
async def test_what_the_provider_answers_is_no_failure_of_it_and_ends_a_row_of_them(
    place: Place, status: int
) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=500, chat_id=str(BEN)))
    place.telegram.script(Fault("sendMessage", "status", count=3, status=status, retry_after_s=1))
    async with place.messenger(spec=circuit(failures=3)) as messenger:
        await say(messenger, "fails", BEN)
        await until_circuit(place, "closed", 1)
        for n in range(2):
            await say(messenger, f"{n}")
        row = await until_circuit(place, "closed", 0)
    assert row["trip_reason"] == ""


async def test_a_probe_whose_messenger_was_killed_holds_nobody_up_for_ever(place: Place) -> None:
    await place.pool.execute(OPEN, timedelta(seconds=-1))
    config = place.folder / "butler.toml"
    config.write_text(place.rendered(circuit()), encoding="utf-8")
    process, port = await messenger_process(config, "after_mark", {**os.environ, **place.env})
    client = Client(place, f"http://127.0.0.1:{port}")
    await say(client, "killed")
    assert await asyncio.wait_for(process.wait(), 90) == -signal.SIGKILL
    await client.aclose()
    dead = await until_circuit(place, "half-open")
    async with place.messenger(spec=circuit()) as messenger:
        await say(messenger, "waits", BEN)
        async with asyncio.timeout(90):
            while not await place.rows("SELECT 1 FROM delivery_work WHERE attempt > 2 AND lane = 'send'"):
                await asyncio.sleep(0.02)
        assert place.telegram.sent == []
        await place.database.shift_clock(timedelta(seconds=100), disconnect=True)
        await place.telegram.until(lambda api: any("waits" in one["text"] for one in api.sent))
    assert dead["probe_id"] is not None
    assert dead["probe_until"] is not None


@pytest.mark.spec("MSG-9")
async def test_ten_minutes_without_a_provider_lose_and_double_nothing_of_those_who_come_again(
    place: Place,
) -> None:
    provider = AwayChannel()
    kept = [f"{n}" for n in range(10)]
    async with place.messenger(spec=circuit(), channels={"telegram": provider}) as messenger:
        for minute in range(10):
            while kept and (await say(messenger, kept[0])).error is None:
                kept.pop(0)
            await until_circuit(place, "open", POLICY.failures + minute)
            await until_held(place, 1)
            provider.away = minute < 9
            await place.database.shift_clock((minute + 1) * RESET, disconnect=True)
        for text in kept:
            await until_taken(messenger, text)
        await until_sent(provider, 10)
        await until_circuit(place, "closed", 0)
    assert provider.sent == [f"{n}" for n in range(10)]
    assert await place.rows("SELECT 1 FROM delivery_dead_letter") == []
    assert await place.rows("SELECT 1 FROM delivery_requests WHERE status <> 'sent'") == []


async def post(messenger: Client, path: str, token: str, body: Any, key: str = "k") -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
    async with httpx.AsyncClient(timeout=60) as http:
        return await http.post(f"{messenger.base}/ops/v1{path}", headers=headers, json=body)


@pytest.mark.spec("MSR-06.3", "MSG-5.1.4")
async def test_the_circuits_are_told_and_an_operator_closes_one_which_lets_go_what_it_held(
    place: Place,
) -> None:
    provider = AwayChannel()
    path, why = "/circuits/telegram/reset", {"reason": "it is back", "requested_by": "ada"}
    async with place.messenger(spec=circuit(), channels={"telegram": provider}) as messenger:
        answer = await messenger.tool("messenger_circuit_status", {})
        assert [(one["channel"], one["state"]) for one in answer["circuits"]] == [("telegram", "closed")]
        await say(messenger, "one")
        await until_circuit(place, "open")
        [told] = (await messenger.tool("messenger_circuit_status", {"channel": "telegram"}))["circuits"]
        assert (await messenger.get("/ops/v1/circuits")).json() == {"circuits": [told]}
        await until_held(place, 1)
        butler = place.keys.other("finance", "butler")
        assert (await post(messenger, path, butler, why)).status_code == 403
        assert (await post(messenger, "/circuits/email/reset", messenger.operator(), why)).status_code == 404
        provider.away = False
        done = await post(messenger, path, messenger.operator(), why)
        await until_sent(provider, 1)
        repeated = await post(messenger, path, messenger.operator(), why)
        metrics = (await messenger.get("/metrics")).text
    assert told["state"] == "open"
    assert told["consecutive_failures"] == 5
    assert told["trip_reason"] == "no route to the provider"
    assert told["recovery"] == {"failures": 5, "reset_s": 60.0, "probes": 2}
    assert told["next_probe_at"] is not None
    assert (done.json()["was"], done.json()["state"], done.json()["repeated"]) == ("open", "closed", False)
    assert repeated.json()["repeated"] is True
    [kept] = await place.rows("SELECT action, target, reason, requested_by, state FROM operation")
    assert kept == {
        "action": "circuit.reset",
        "target": "circuit/telegram",
        "reason": "it is back",
        "requested_by": "ada",
        "state": "done",
    }
    for state in ("open", "closed"):
        assert (
            f'butlers_messenger_circuit_transition_total{{channel="telegram",state="{state}"}} 1.0' in metrics
        )
    assert 'butlers_messenger_circuit_open{channel="telegram"}' in metrics
