"""Who is told what, and over which channel (D19, D20, D22, MSG-6), and how failures end (SWB-16, D17)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from butler_contracts.errors import ButlerError, OverloadRejected, TargetUnavailable, ValidationFailed
from butler_contracts.notify import NotifyRequestV1
from butler_specialist.profiles.finance.profile import FinanceProfile
from tests.integration.specialist.household import (
    Place,
    delivered,
    envelope,
    id_of,
    refused,
    request_context,
    stranger_context,
)


async def test_a_household_member_is_answered_where_they_asked(place: Place) -> None:
    async with place.specialist() as specialist:
        for channel in ("telegram", "email"):
            await specialist.done(envelope("Paid 42.50 EUR for groceries", context=request_context(channel)))
    by_telegram, by_mail = place.switchboard.notifies
    assert by_telegram.delivery.message == (
        "Noted: 42.50 EUR for groceries on Saturday, 21 November 2026. This month so far: 42.50 EUR."
    )
    assert (by_telegram.delivery.intent, by_telegram.delivery.channel) == ("reply", "telegram")
    assert (by_mail.delivery.intent, by_mail.delivery.channel) == ("reply", "email")
    assert by_mail.delivery.message is not None
    assert "This month so far: 85.00 EUR" in by_mail.delivery.message


async def test_a_sum_without_a_currency_is_kept_in_that_of_the_household(place: Place) -> None:
    asked = envelope("Spent 23,40 at Lidl, groceries", context=request_context("api"))
    async with place.specialist(extra='currency = "CHF"') as specialist:
        ended = await specialist.done(asked)
    assert ended.result is not None
    assert "23.40 CHF for groceries (Lidl)" in ended.result["reply"]
    assert "I took CHF, the household's." in ended.result["reply"]
    [row] = await place.records()
    assert (row["kind"], str(row["amount"]), row["currency"]) == ("expense", "23.40", "CHF")


async def test_an_answer_to_the_api_is_the_result_and_no_delivery(place: Place) -> None:
    async with place.specialist() as specialist:
        await specialist.done(envelope("Paid 42.50 EUR for groceries", context=request_context("api")))
        asked = envelope("What did I spend this month?", context=request_context("api"))
        ended = await specialist.done(asked)
    assert ended.result is not None
    assert ended.result["reply"] == (
        "You spent 42.50 EUR in November 2026: 42.50 EUR for groceries (21 November)."
    )
    assert place.switchboard.notifies == []


async def test_a_strangers_message_is_recorded_and_told_to_the_owner_alone(place: Place) -> None:
    data = envelope(
        "Our invoice 4471 for window cleaning: 240.00 EUR, due 2026-12-15.", context=stranger_context()
    )
    question = envelope("How much did Ada spend this month?", context=stranger_context())
    async with place.specialist() as specialist:
        await specialist.done(envelope("Paid 9999.99 EUR for a boat", context=request_context("api")))
        await specialist.done(data)
        await specialist.done(question)
    bill, asked = (request.delivery for request in place.switchboard.notifies)
    for delivery in (bill, asked):
        assert (delivery.intent, delivery.channel) == ("send", "telegram")
        assert delivery.recipient is None
        assert delivery.contact_id is None
        assert delivery.message is not None
        assert delivery.message.startswith("A message by e-mail from billing@northwind.example")
        assert "9999.99" not in delivery.message
        assert "9,999.99" not in delivery.message
    assert bill.message is not None
    assert "240.00 EUR for window cleaning" in bill.message
    assert "Tuesday, 15 December 2026" in bill.message
    assert [row["kind"] for row in await place.records()] == ["expense", "bill", "note"]


@pytest.mark.parametrize("unreachable", ["validation", "missing_identifier"])
async def test_an_owner_without_telegram_is_told_by_mail(place: Place, unreachable: str) -> None:
    def answer(request: NotifyRequestV1) -> dict[str, Any]:
        if request.delivery.channel == "email":
            return delivered(request)
        if unreachable == "validation":
            return refused(ValidationFailed("delivery.channel 'telegram' has no adapter here"))
        return delivered(request, "pending_missing_identifier")

    place.switchboard.notify_answer = answer
    async with place.specialist() as specialist:
        ended = await specialist.done(envelope("Invoice: 240.00 EUR", context=stranger_context()))
    first, second = (request.delivery for request in place.switchboard.notifies)
    assert (first.channel, second.channel) == ("telegram", "email")
    assert first.message == second.message
    assert ended.result is not None
    assert ended.result["notified"]["channel"] == "email"


async def test_automatic_mail_is_recorded_and_nobody_is_told(place: Place) -> None:
    context = stranger_context(reply_policy="none", automatic=True)
    async with place.specialist() as specialist:
        ended = await specialist.done(envelope("Winter deals from 79 EUR", context=context))
    assert ended.status == "ok"
    assert place.switchboard.notifies == []
    assert len(await place.records()) == 1


@pytest.mark.parametrize(
    "why",
    [
        TargetUnavailable("messenger is away", retry_after_s=0.1),
        OverloadRejected("too many messages within a minute to this recipient", retry_after_s=0.1),
    ],
    ids=["away", "limited"],
)
async def test_an_answer_waits_for_messenger_with_the_same_words(place: Place, why: ButlerError) -> None:
    tries = 0

    def answer(request: NotifyRequestV1) -> dict[str, Any]:
        nonlocal tries
        tries += 1
        if tries == 1:
            return refused(why)
        return delivered(request)

    place.switchboard.notify_answer = answer
    async with place.specialist() as specialist:
        ended = await specialist.done(envelope("Paid 42.50 EUR for groceries"))
    assert ended.status == "ok"
    first, second = place.switchboard.notifies
    assert first == second
    # Its request must not run out of time meanwhile.
    told = [tool for tool in place.switchboard.order if tool != "register_butler"]
    assert told == ["route.started", "notify", "route.started", "notify", "route.complete"]
    assert len(await place.records()) == 1
    assert len(place.switchboard.completions) == 1


async def test_a_refused_answer_is_told_in_the_result_and_does_not_fail_the_work(place: Place) -> None:
    place.switchboard.notify_answer = lambda _: refused(ValidationFailed("the recipient is denied"))
    async with place.specialist() as specialist:
        ended = await specialist.done(envelope("Paid 42.50 EUR for groceries"))
    assert ended.status == "ok"
    assert ended.result is not None
    assert ended.result["notified"]["error"]["class"] == "validation_error"


async def test_work_that_waited_too_long_is_rejected_by_the_target(place: Place) -> None:
    release = asyncio.Event()

    async def gate(tool: str, _: Mapping[str, Any]) -> None:
        if tool == "route.complete":
            await release.wait()

    place.switchboard.gate = gate
    first = envelope("Paid 1 EUR for tea", context=request_context("api"))
    late = envelope("Paid 2 EUR for tea", limits={"max_queue_wait_s": 60, "route_timeout_s": 30})
    async with place.specialist() as specialist:
        await specialist.execute(first)
        await place.switchboard.until(lambda: "route.complete" in place.switchboard.order)
        await specialist.execute(late)
        await place.database.shift_clock(timedelta(seconds=90), disconnect=True)
        release.set()
        ended = await place.switchboard.completed(id_of(late))
        row = await place.until_state(id_of(late), "errored")
    assert ended.error is not None
    assert ended.error.error_class == "overload_rejected"
    assert row["runs"] == 0
    assert [item["title"] for item in await place.records()] == ["tea"]


@pytest.mark.spec("CON-4.4")
async def test_a_broken_session_ends_as_internal_error_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(FinanceProfile, "compose", broken)
    data = envelope("Paid 42.50 EUR for groceries")
    async with place.specialist() as specialist:
        ended = await specialist.done(data)
        row = await place.route(id_of(data))
        metrics = (await specialist.get("/metrics")).text
    [session] = await place.pool.fetch("SELECT status, error FROM sessions")
    assert (session["status"], session["error"]["class"]) == ("failed", "internal_error")
    assert 'butlers_spawner_session_duration_ms_count{outcome="failed"} 1.0' in metrics
    assert ended.error is not None
    assert ended.error.error_class == "internal_error"
    assert ended.error.retryable is False
    assert "a defect" not in ended.error.message
    assert (row["lifecycle_state"], row["runs"]) == ("errored", 1)
    assert await place.records() == []
    assert place.switchboard.notifies == []


async def test_a_session_past_its_time_ends_as_timeout(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    async def endless(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(FinanceProfile, "respond", endless)
    async with place.specialist(runtime="timeout_s = 0.2") as specialist:
        ended = await specialist.done(envelope("Paid 42.50 EUR for groceries"))
    assert ended.error is not None
    assert ended.error.error_class == "timeout"


async def test_work_that_was_given_up_is_neither_noted_nor_answered(place: Place) -> None:
    """Its sender was told that it was not done, and may have sent it again."""
    place.switchboard.start_answer = "ended"
    async with place.specialist() as specialist:
        ended = await specialist.done(envelope("Paid 42.50 EUR for groceries"))
    assert ended.error is not None
    assert ended.error.error_class == "timeout"
    assert ended.error.message == "finance had not done it when its time was over; nothing was noted"
    assert await place.records() == []
    assert place.switchboard.notifies == []
