"""What people see of a message's life: reactions, error replies, and silence where nobody is to be told."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from butler_contracts.errors import ValidationFailed
from butler_contracts.notify import NotifyDelivery, NotifyDeliveryOutcome, NotifyRequestV1, NotifyResponseV1
from butler_contracts.route import RouteEnvelopeV1
from tests.flow.switchboard.test_routing import classifier
from tests.flow.switchboard.test_serving import held
from tests.support.butlers import FakeButler, accepts, accepts_then_answers, answers, error_of, refuses
from tests.support.switchboard import MAILBOX, mail, telegram
from tests.support.switchboard_service import Household, Running, until

BILL = "I paid the gas bill of 40 euro"
EYE, CHECK, INVADER = "👀", "✅", "👾"
MEMBER = {"Authentication-Results": ["mx.example.org; dmarc=pass header.from=example.org"]}


@pytest.mark.spec("SWB-08.1", "SWB-08.2")
async def test_a_message_is_seen_first_and_checked_off_when_every_part_is_done(home: Household):
    home.butler("finance").behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        [envelope] = await home.butler("finance").received()

        async def seen() -> bool:
            return bool(home.messenger.reactions(request))

        await until(seen, what="the eye")
        assert home.messenger.reactions(request) == [EYE]
        assert 'lifecycle_transition_total{state="progress"} 1.0' in await running.metrics()
        await home.butler("finance").complete(envelope, result={"reply": "noted"})
        row = await home.settled(request)
        assert row["lifecycle_state"] == "parsed"
        assert home.messenger.reactions(request) == [EYE, CHECK]
        assert home.messenger.replies() == []
    [first, last] = home.messenger.told
    assert first.origin_butler == last.origin_butler == "switchboard"
    assert last.request_context is not None
    assert last.request_context.source_message_identity == "1"


@pytest.mark.spec("SWB-08.1")
async def test_a_message_that_still_waits_in_the_queue_is_in_progress_and_has_its_eye(home: Household):
    gate = asyncio.Event()
    one = "[buffer]\nworker_count = 1\n"
    async with home.run(one, prepare=classifier(lambda job: held(job, gate))) as running:
        in_hand = await running.accepted(telegram(1, BILL, chat="1001"))
        waiting = await running.accepted(telegram(2, BILL, chat="1002", sender="1002"))

        async def both_seen() -> bool:
            return home.messenger.reactions(in_hand) == home.messenger.reactions(waiting) == [EYE]

        await until(both_seen, what="the eye on a message that waits")
        assert await home.pool.fetchval("SELECT attempt FROM inbox_work WHERE item_id = $1", waiting) == 0
        row = await home.row(waiting)
        assert row["progress_at"] == row["received_at"]
        assert 'lifecycle_transition_total{state="progress"} 2.0' in await running.metrics()
        assert (await running.accepted(telegram(2, BILL, chat="1002", sender="1002"))) == waiting
        gate.set()
        assert (await home.settled(waiting))["lifecycle_state"] == "parsed"
    assert home.messenger.reactions(waiting) == [EYE, CHECK]


@pytest.mark.spec("SWB-08.3", "CON-4.4")
async def test_a_failed_message_shows_the_invader_and_a_reply_that_helps(home: Household):
    home.butler("finance").behaviour = accepts_then_answers(
        error=error_of("validation_error", message="I cannot read the amount")
    )
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        row = await home.settled(request)
        metrics = await running.metrics()
    assert 'subroute_result_total{outcome="validation_error",target="finance"} 1.0' in metrics
    assert (row["lifecycle_state"], row["error_class"]) == ("errored", "validation_error")
    assert home.messenger.reactions(request)[-1] == INVADER
    [reply] = home.messenger.replies()
    text = str(reply.delivery.message)
    assert "finance" in text
    assert "I cannot read the amount" in text
    assert "Please say it differently" in text
    assert str(request) in text
    assert reply.request_context is not None
    assert reply.request_context.source_thread_identity == "1001"


@pytest.mark.spec("SWB-08.4")
async def test_a_refused_reaction_is_a_warning_and_the_message_goes_on(home: Household):
    home.messenger.behaviour = refuses(ValidationFailed("REACTION_INVALID"))
    with capture_logs() as logs:
        async with home.run() as running:
            row = await home.settled(await running.accepted(telegram(1, BILL)))
    assert row["lifecycle_state"] == "parsed"
    warnings = [log for log in logs if log["event"] == "reaction_failed"]
    assert warnings
    assert {log["log_level"] for log in warnings} == {"warning"}
    assert "REACTION_INVALID" in warnings[0]["error"]


async def test_a_slow_eye_never_comes_after_the_check_mark(home: Household):
    admit, release = home.messenger.behaviour, asyncio.Event()
    arrived: list[str] = []

    async def slow_first(butler: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        glyph = str(envelope.input.context.notify_request.delivery.emoji)  # type: ignore[union-attr]
        if glyph == EYE:
            await release.wait()
        answer = await admit(butler, envelope)
        arrived.append(glyph)
        return answer

    home.messenger.behaviour = slow_first
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        await home.finished(request)
        release.set()
        await home.settled(request)

        async def both() -> bool:
            return len(arrived) == 2

        await until(both, what="both reactions")
    assert arrived == [EYE, CHECK]


async def test_an_error_reply_waits_for_a_messenger_that_is_away(home: Household):
    home.butler("finance").behaviour = answers(error=error_of("validation_error"))
    await home.messenger.stop()
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        await home.finished(request)
        assert await home.pool.fetchval("SELECT count(*) FROM inbox_work") == 1
    await home.messenger.start()
    await home.pool.execute("UPDATE inbox_work SET available_at = clock_now()")
    async with home.run():
        await home.settled(request)
    assert len(home.messenger.replies()) == 1
    statuses = await home.pool.fetch("SELECT status FROM notifications WHERE purpose = 'error_reply'")
    assert [record["status"] for record in statuses] == ["ok"]


async def submit_mail(running: Running, **fields: Any) -> Any:
    from uuid import UUID

    token = running.household.keys.connector("imap", MAILBOX)
    envelope = mail(**fields).to_wire()
    accepted = await running.call(token, "ingestion.ingest", {"envelope": envelope})
    return UUID(accepted["request_id"])


async def test_strangers_and_machines_and_history_are_told_nothing(home: Household):
    for one in home.butlers.values():
        one.behaviour = answers(error=error_of("validation_error"))
    yesterday = datetime.now(UTC) - timedelta(hours=25)
    async with home.run() as running:
        silent = [
            await running.accepted(telegram(1, BILL, sender="6666", chat="6666")),
            await running.accepted(telegram(2, BILL, observed_at=yesterday)),
            await submit_mail(running, message_id="<a@x>", text=BILL, sender="shop@elsewhere.example"),
            await submit_mail(
                running, message_id="<b@x>", text=BILL, headers={**MEMBER, "Auto-Submitted": ["auto-replied"]}
            ),
            await submit_mail(running, message_id="<c@x>", text=BILL),
        ]
        rows = [await home.settled(request) for request in silent]
        assert [row["lifecycle_state"] for row in rows] == ["errored"] * 5
        assert [row["reply_policy"] for row in rows] == ["owner", "none", "owner", "none", "owner"]
        assert home.messenger.told == []
        proven = await submit_mail(running, message_id="<d@x>", text=BILL, headers=MEMBER)
        await home.settled(proven)
    [reply] = home.messenger.told
    assert (reply.delivery.channel, reply.delivery.intent) == ("email", "reply")


@pytest.mark.spec("CON-4.1", "SWB-06.3")
async def test_whitespace_is_an_error_and_is_never_routed(home: Household):
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, "  \n ")))
    assert (row["lifecycle_state"], row["error_class"]) == ("errored", "validation_error")
    assert all(one.got == [] for one in home.butlers.values())
    assert await home.pool.fetchval("SELECT count(*) FROM sessions") == 0


async def test_an_api_caller_reads_the_failure_where_the_answer_would_be(home: Household):
    home.butler("finance").behaviour = answers(error=error_of("timeout", message="too slow"))
    envelope = telegram(1, BILL).to_wire()
    envelope["source"] = {"channel": "api", "provider": "internal", "endpoint_identity": "api:home"}
    async with home.run() as running:
        token = home.keys.connector("webhook", "api:home")
        answer = await running.call(token, "ingestion.ingest", {"envelope": envelope})
        from uuid import UUID

        row = await home.settled(UUID(answer["request_id"]))
    assert "Not done: finance: there was no answer in time." in row["aggregated_reply"]["text"]
    assert home.messenger.told == []


@pytest.mark.spec("SWB-17.2")
async def test_what_other_butlers_did_is_audited_under_their_own_names(home: Household):
    finance = home.butler("finance")
    finance.behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, "Please pay the gas bill of 84.20 euro by Friday"))
        [envelope] = await finance.received()
        wish = NotifyRequestV1(
            origin_butler="finance",
            delivery=NotifyDelivery(intent="reply", channel="telegram", message="Noted: the private words"),
            request_context=envelope.request_context,
        )
        await finance.tell("notify", notify_request=wish.to_wire())
        delivery = next(
            id for id, told in home.messenger.deliveries.items() if told.delivery.intent == "reply"
        )
        sent = NotifyResponseV1(
            status="ok",
            delivery=NotifyDeliveryOutcome(channel="telegram", delivery_id=str(delivery), state="sent"),
        )
        assert await home.messenger.tell(
            "route.complete",
            route_response={
                "schema_version": "route_response.v1",
                "request_context": {"request_id": str(request)},
                "subrequest_id": str(delivery),
                "status": "ok",
                "result": {"notify_response": sent.to_wire()},
                "timing": {"duration_ms": 3.0},
            },
        ) == {"status": "recorded"}
        await finance.complete(envelope, result={"records": 1})
        await home.settled(request)

        async def written() -> list[tuple[str, ...]]:
            rows = await home.pool.fetch(
                "SELECT butler, actor, operation, summary, result FROM dashboard_audit_log"
                " WHERE request_id = $1 AND butler <> 'switchboard' ORDER BY audit_id",
                request,
            )
            return [tuple(row) for row in rows] if len(rows) == 2 else []

        found = await until(written, what="both entries")
    assert found == [
        ("messenger", "messenger", "delivery.completed", "delivery on telegram", "sent"),
        (
            "finance",
            "finance",
            "session.completed",
            "route session for a part of the request, 1 noted in 12 ms",
            "completed",
        ),
    ]


@pytest.mark.spec("SWB-17.1")
async def test_who_there_is_what_was_called_told_and_done_stays_after_the_process(home: Household):
    finance = home.butler("finance")
    finance.behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, "Please pay the gas bill of 84.20 euro by Friday"))
        [envelope] = await finance.received()
        wish = NotifyRequestV1(
            origin_butler="finance",
            delivery=NotifyDelivery(intent="reply", channel="telegram", message="Noted."),
            request_context=envelope.request_context,
        )
        await finance.tell("notify", notify_request=wish.to_wire())
        await finance.complete(envelope, result={"records": 1})
        await home.settled(request)
    known = await home.pool.fetchrow("SELECT * FROM butler_registry WHERE name = 'finance'")
    calls = await home.pool.fetch("SELECT * FROM routing_log WHERE request_id = $1", request)
    told = await home.pool.fetch(
        "SELECT * FROM notifications WHERE request_id = $1 AND intent = 'reply'", request
    )
    done = await home.pool.fetch("SELECT * FROM dashboard_audit_log WHERE request_id = $1", request)
    assert known is not None
    assert (known["endpoint_url"], known["eligibility_state"]) == (finance.url, "active")
    assert [(row["target_butler"], row["tool_name"], row["success"]) for row in calls] == [
        ("finance", "route.execute", True)
    ]
    assert [(row["origin_butler"], row["message_excerpt"]) for row in told] == [("finance", "Noted.")]
    assert ("switchboard", "session.completed", "completed") in [
        (row["butler"], row["operation"], row["result"]) for row in done
    ]
