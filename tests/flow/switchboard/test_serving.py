"""The served Switchboard: what it counts, whom it refuses, what a full buffer and a database restart do."""

from __future__ import annotations

import asyncio
import re
from contextlib import AsyncExitStack, suppress
from typing import Any
from uuid import UUID

import httpx
import pytest

from butler_kit.config import BufferConfig
from butler_kit.db import acquire
from butler_kit.mcp import AuthenticationRefused, CachedMCPClient, ToolError
from butler_kit.queue.scanning import ScanPace
from butler_kit.runtime import SessionJob
from butler_switchboard.routing.prompt import ROUTE_TOOL
from tests.flow.switchboard.test_routing import classifier
from tests.support.butlers import answers, error_of
from tests.support.switchboard import BOT, telegram
from tests.support.switchboard_service import Household, until

BILL = "I paid the gas bill of 40 euro"


async def held(job: SessionJob, gate: asyncio.Event) -> None:
    await gate.wait()
    await job.tools.call(ROUTE_TOOL, {"butler": "general", "prompt": "x", "confidence": 1.0})


@pytest.mark.spec("CON-4.1", "SWB-41.1", "SWB-42.1", "SWB-42.2")
async def test_after_traffic_every_specified_series_is_on_the_metrics_page(home: Household):
    gate = asyncio.Event()
    home.butler("general").behaviour = answers(error=error_of("internal_error", retryable=True))
    small = "[buffer]\nqueue_capacity = 1\nworker_count = 1\nscanner_interval_s = 0.5\nscanner_grace_s = 0\n"
    async with home.run(small, prepare=classifier(lambda job: held(job, gate))) as running:
        first = await running.accepted(telegram(1, BILL, chat="1"))
        more = [await running.accepted(telegram(n, BILL, chat=str(n))) for n in range(2, 6)]
        await running.accepted(telegram(1, BILL, chat="1"))
        gate.set()
        for request in (first, *more):
            await home.settled(request)
        await running.switchboard.parts.gauges.sample()
        page = await running.metrics()
    expected = (
        "message_received_total",
        "message_deduplicated_total",
        "subroute_dispatched_total",
        "subroute_result_total",
        "retry_attempt_total",
        "lifecycle_transition_total",
        "routing_decision_total",
        "ingress_accept_latency_ms_count",
        "routing_decision_latency_ms_count",
        "subroute_latency_ms_count",
        "fanout_completion_latency_ms_count",
        "interactive_terminal_latency_ms_count",
        "queue_dequeue_by_tier_total",
    )
    for name in expected:
        assert re.search(rf"^butlers_switchboard_{name}(\{{[^}}]*\}})? [1-9]", page, re.M), name
    for name in ("queue_depth", "inflight_requests", "circuit_open_targets"):
        assert re.search(rf"^# TYPE butlers_switchboard_{name} gauge$", page, re.M), name
        assert re.search(rf"^butlers_switchboard_{name}(\{{[^}}]*\}})? \d", page, re.M), name
    assert re.search(r'dequeue_by_tier_total\{policy_tier="default",starvation_override="(f|F)alse"\}', page)
    assert re.search(r'^butlers_buffer_enqueue_total\{path="hot"\} [1-9]', page, re.M)
    assert re.search(r'^butlers_buffer_enqueue_total\{path="cold"\} [1-9]', page, re.M)
    assert re.search(r'^butlers_buffer_backpressure_total\{lane="default"\} [1-9]', page, re.M)
    assert re.search(r"^butlers_buffer_scanner_recovered_total [1-9]", page, re.M)
    assert re.search(r'^butlers_buffer_queue_depth\{lane="default"\} 0', page, re.M)
    assert re.search(r"^butlers_buffer_process_latency_ms_count [1-9]", page, re.M)


@pytest.mark.spec("CON-4.1", "SWB-06.1", "SWB-06.2", "SWB-06.4", "SWB-06.5", "SWB-14.2")
async def test_a_full_tier_is_no_reason_to_refuse_and_every_channel_gets_through(home: Household):
    gate = asyncio.Event()
    small = "[buffer]\nqueue_capacity = 4\nworker_count = 2\nscanner_interval_s = 0.3\nscanner_grace_s = 0\n"
    async with home.run(small, prepare=classifier(lambda job: held(job, gate))) as running:
        accepted = [await running.accepted(telegram(n, BILL, chat=str(n))) for n in range(20)]
        letter = telegram(99, BILL).to_wire()
        letter["source"] = {"channel": "api", "provider": "internal", "endpoint_identity": "api:home"}
        token = home.keys.connector("webhook", "api:home")
        accepted.append(
            UUID((await running.call(token, "ingestion.ingest", {"envelope": letter}))["request_id"])
        )
        buffer = running.switchboard.parts.queue.buffer
        assert buffer.capacity == 4
        assert buffer.depth("default") <= 4
        assert accepted[-1] in buffer.refs(), "the other channel found no place"
        assert (
            await home.pool.fetchval("SELECT count(*) FROM message_inbox WHERE final_state_at IS NULL") == 21
        )
        pushed_back = running.switchboard.metrics.value("butlers.buffer.backpressure_total", lane="default")
        assert pushed_back >= 14
        page = await running.metrics()
        assert 'message_received_total{channel="telegram",policy_tier="default"} 20.0' in page
        assert 'message_received_total{channel="api",policy_tier="default"} 1.0' in page
        gate.set()
        for request in accepted:
            assert (await home.settled(request))["lifecycle_state"] == "parsed"


async def test_a_database_restart_in_mid_flow_loses_and_doubles_nothing(home: Household):
    async with home.run() as running:
        accepted: dict[int, UUID] = {}

        async def submit(number: int) -> None:
            async with asyncio.timeout(60):
                while number not in accepted:
                    with suppress(ToolError, ConnectionError):
                        accepted[number] = await running.accepted(
                            telegram(number, BILL, chat=str(number % 7))
                        )
                    await asyncio.sleep(0.02)

        async def cut() -> None:
            for _ in range(5):
                await asyncio.sleep(0.2)
                await home.database.server.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    f" WHERE datname = '{home.database.name}' AND application_name = 'switchboard'"
                )

        await asyncio.gather(cut(), *(submit(number) for number in range(60)))
        await home.pool.execute("UPDATE inbox_work SET available_at = least(available_at, clock_now())")
        await home.idle(deadline_s=90)
    rows = await home.pool.fetch("SELECT request_id, lifecycle_state FROM message_inbox")
    assert {row["request_id"] for row in rows} == set(accepted.values())
    assert len(rows) == len(set(accepted.values())) == 60
    assert {row["lifecycle_state"] for row in rows} == {"parsed"}
    sent = {(e.request_context.request_id, e.subrequest.subrequest_id) for e in home.butler("finance").got}
    assert len(sent) == 60


GARBAGE: tuple[Any, ...] = (
    {},
    {"envelope": None},
    {"envelope": "x"},
    {"envelope": {}},
    {"envelope": {"schema_version": "ingest.v1", "source": 7}},
    {"envelope": telegram(1).to_wire(), "more": 1},
)


MALFORMED: tuple[dict[str, Any], ...] = (
    {},
    {"subrequest_id": "x"},
    {"subrequest_id": "-" * 36},
    {"subrequest_id": "0" * 36},
    {"route_response": {}},
    {"route_response": 1},
)


@pytest.mark.parametrize("args", GARBAGE)
async def test_garbage_is_a_validation_error_and_leaves_nothing(home: Household, args: dict[str, Any]):
    async with home.run() as running:
        with pytest.raises(ToolError) as refused:
            await running.call(home.keys.connector("telegram_bot", BOT), "ingestion.ingest", args)
        assert refused.value.error is not None
        assert refused.value.error.error_class == "validation_error"
        for tool in ("route.started", "route.complete"):
            for bad in MALFORMED:
                with pytest.raises(ToolError) as refused:
                    await running.call(home.keys.butler("finance"), tool, bad)
                assert refused.value.error is not None
                assert refused.value.error.error_class == "validation_error"
        assert await home.pool.fetchval("SELECT count(*) FROM message_inbox") == 0


async def test_a_batch_answers_in_order_and_a_bad_one_fails_alone(home: Household):
    batch = [telegram(n, BILL, chat="7").to_wire() for n in range(12)]
    batch[3]["schema_version"] = "ingest.v9"
    batch[5]["source"]["endpoint_identity"] = "telegram:bot:other"
    batch[8] = batch[7]
    async with home.run() as running:
        token = home.keys.connector("telegram_bot", BOT)
        answer = await running.call(token, "ingestion.ingest_batch", {"envelopes": batch})
    results = answer["results"]
    assert [index for index, item in enumerate(results) if "error" in item] == [3, 5]
    assert results[3]["error"]["class"] == "validation_error"
    assert [item.get("duplicate") for item in results].count(True) == 1
    assert results[8]["request_id"] == results[7]["request_id"]
    rows = await home.pool.fetch("SELECT request_id, external_event_id FROM message_inbox")
    by_event = {row["external_event_id"]: str(row["request_id"]) for row in rows}
    good = [index for index in range(12) if index not in (3, 5, 8)]
    assert [results[index]["request_id"] for index in good] == [by_event[str(index)] for index in good]
    ids = [results[index]["request_id"] for index in good]
    assert ids == sorted(ids), "one thread's messages were admitted out of order"


async def test_a_token_opens_only_what_it_was_made_for(home: Household):
    envelope = {"envelope": telegram(1).to_wire()}
    async with home.run() as running:
        for token in ("nonsense", home.keys.connector("telegram_bot", BOT, receiver="messenger")):
            with pytest.raises(AuthenticationRefused):
                await running.call(token, "ingestion.ingest", envelope)
        with pytest.raises(ToolError):
            await running.call(home.keys.butler("finance"), "ingestion.ingest", envelope)
        with pytest.raises(ToolError):
            await running.call(home.keys.connector("telegram_bot", BOT), "notify", {"notify_request": {}})
        with pytest.raises(ToolError):
            await running.call(home.keys.connector("imap", BOT), "ingestion.ingest", envelope)
        assert await home.pool.fetchval("SELECT count(*) FROM message_inbox") == 0


async def test_what_is_too_large_is_refused_before_it_is_read(home: Household):
    async with home.run() as running:
        token = home.keys.connector("telegram_bot", BOT)
        client = CachedMCPClient.for_service(f"{running.url}/sse", lambda: token)
        try:
            with pytest.raises(ToolError):
                await client.call("ingestion.ingest", {"envelope": {"x": "y" * 5_000_000}})
        finally:
            await client.aclose()
        async with httpx.AsyncClient(timeout=60) as plain:
            answer = await plain.post(
                f"{running.url}/mcp",
                content=b"x" * 5_000_000,
                headers={"authorization": f"Bearer {token}", "content-type": "application/json"},
            )
        assert answer.status_code == 413
        assert (await running.ingest(telegram(1, BILL)))["status"] == "accepted"


@pytest.mark.spec("CON-4.1", "SWB-24.3", "SWB-06.2", "SWB-06.3")
async def test_the_buffer_has_the_specified_defaults(home: Household):
    defaults = BufferConfig()
    assert (defaults.queue_capacity, defaults.worker_count) == (100, 3)
    assert (defaults.scanner_interval_s, defaults.scanner_grace_s, defaults.scanner_batch_size) == (
        30,
        10,
        50,
    )
    async with home.run("[buffer]\n") as running:
        queue = running.switchboard.parts.queue
        assert queue.buffer.capacity == 100
        assert queue.runner._workers == 3
        assert queue.runner._pace == ScanPace(interval_s=30, grace_s=10, batch=50)


@pytest.mark.spec("SWB-07.1")
async def test_workers_take_high_priority_before_interactive_before_default(home: Household):
    gate = asyncio.Event()
    one = "[buffer]\nworker_count = 1\nscanner_interval_s = 0.5\n"
    async with home.run(one, prepare=classifier(lambda job: held(job, gate))) as running:
        token = home.keys.connector("telegram_bot", BOT, max_tier="high_priority")
        sent: dict[str, UUID] = {}
        for number, tier in enumerate(("default", "default", "interactive", "high_priority"), start=1):
            envelope = telegram(number, BILL, chat=str(number), control={"policy_tier": tier}).to_wire()
            answer = await running.call(token, "ingestion.ingest", {"envelope": envelope})
            sent[f"{tier}-{number}"] = UUID(answer["request_id"])
        gate.set()
        for request in sent.values():
            await home.settled(request)
    order = home.butler("general").requests()
    names = [name for request in order for name, known in sent.items() if known == request]
    assert names == ["default-1", "high_priority-4", "interactive-3", "default-2"]


@pytest.mark.spec("CON-4.1", "CON-4.3")
async def test_three_routing_sessions_run_at_once_and_each_knows_only_its_own_message(home: Household):
    meeting = asyncio.Barrier(3)

    async def meets(job: SessionJob) -> None:
        async with asyncio.timeout(90):
            await meeting.wait()
        text = job.payload if isinstance(job.payload, str) else job.payload.decode()
        own = next(word for word in ("alpha", "beta", "gamma") if word in text)
        target = {"alpha": "finance", "beta": "health", "gamma": "general"}[own]
        await job.tools.call(ROUTE_TOOL, {"butler": target, "prompt": own, "confidence": 1.0})

    async with home.run(prepare=classifier(meets)) as running:
        requests = [
            await running.accepted(telegram(number, f"the word is {word}", chat=word))
            for number, word in enumerate(("alpha", "beta", "gamma"), start=1)
        ]
        for request in requests:
            await home.settled(request)
    assert home.butler("finance").requests() == [requests[0]]
    assert home.butler("health").requests() == [requests[1]]
    assert home.butler("general").requests() == [requests[2]]


@pytest.mark.spec("SWB-02.1")
async def test_a_message_lies_in_its_months_partition_with_everything_that_became_of_it(home: Household):
    home.butler("general").behaviour = answers(result={"reply": "kept"})
    async with home.run() as running:
        request = await running.accepted(telegram(1, "Please remember this"))
        row = await home.settled(request)
    partition = await home.pool.fetchval(
        "SELECT tableoid::regclass::text FROM message_inbox WHERE request_id = $1", request
    )
    assert partition == f"message_inbox_{row['received_at']:%Y%m}"
    assert row["request_context"]["request_id"] == str(request)
    assert row["raw_payload"]["payload"]["raw"]["message"]["text"] == "Please remember this"
    assert row["normalized_text"] == "Please remember this"
    assert row["routing_output"]["targets"]
    assert row["dispatch_outcomes"][0]["status"] == "ok"
    assert row["aggregated_reply"]["text"]
    assert row["lifecycle_state"] == "parsed"
    assert row["final_state_at"] is not None


async def test_what_looks_at_every_partition_leaves_no_connection_that_remembers_them(home: Household):
    upkeep = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = 'switchboard-upkeep'"
    )
    async with home.run() as running:
        parts = running.switchboard.parts
        await parts.retention.prepare()
        await parts.statistics.measure()
        async with AsyncExitStack() as every:
            for _ in range(parts.pool.get_idle_size()):
                connection = await every.enter_async_context(acquire(parts.pool))
                known = await connection.fetch("SELECT statement FROM pg_prepared_statements")
                assert not any("oldest beat" in row["statement"] for row in known)

        async def given_back() -> bool:
            return bool(await home.pool.fetchval(upkeep) == 0)

        await until(given_back, what="the end of the connections for upkeep")
