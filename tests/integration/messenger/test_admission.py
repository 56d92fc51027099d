"""What Messenger lets in, and that nothing happens to what it does not (MSG-6.1, 6.2, 6.5, MSG-13, MSG-13.1)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from butler_contracts.errors import ButlerError, ErrorClass
from butler_kit.db import transaction
from butler_kit.mcp import ToolError
from butler_messenger.admission.limits import AdmissionLimits
from butler_messenger.admission.store import AdmissionStore
from tests.integration.messenger.admissions import new_delivery
from tests.integration.messenger.household import (
    ADA,
    BOT_TOKEN,
    MAIL_PASSWORD,
    Place,
    envelope,
    notify,
    request_context,
)
from tests.integration.messenger.test_retries import paused
from tests.support.telegram_api import Fault


async def nothing_happened(place: Place) -> bool:
    rows = await place.rows("SELECT 1 FROM delivery_requests")
    return not rows and not place.telegram.log and not place.smtp.accepted


async def refused(messenger: Any, data: dict[str, Any], **how: Any) -> tuple[str, bool, str]:
    """How a call is refused, whether in the response or before one could be made: class, retryable, message."""
    try:
        error = (await messenger.execute(data, **how)).error
    except ToolError as failure:
        error = failure.error
    assert error is not None
    return error.error_class.value, error.retryable, error.message


@pytest.mark.spec("MSG-13", "MSG-13.1", "MSG-13.2", "SWB-40.1")
async def test_only_a_trusted_caller_with_the_origin_of_its_token_reaches_a_channel(place: Place) -> None:
    keys, data = place.keys, envelope(notify(idempotency_key="x"))
    tokens = {
        keys.other("finance", "butler"): "'finance'",
        keys.other("health", "butler", origin="finance"): "'health'",
        keys.other("operator", "operator"): "'operator'",
        keys.switchboard(origin="health"): "'health'",
        keys.switchboard(origin=None): "origin",
    }
    async with place.messenger() as messenger:
        for token, named in tokens.items():
            first, again = (
                await refused(messenger, data, token=token),
                await refused(messenger, data, token=token),
            )
            assert first == again
            assert first[:2] == ("validation_error", False)
            assert named in first[2]
        assert await nothing_happened(place)
        unauthenticated = await messenger.get("/sse", token=keys.switchboard(receiver="finance"))
        assert unauthenticated.status_code == 401
        assert (await messenger.execute(data)).status == "ok"


@pytest.mark.spec("MSG-13.1", "MSG-13.2")
async def test_the_trusted_callers_are_configured_and_may_be_nobody(place: Place) -> None:
    data = envelope(notify(idempotency_key="x"))
    async with place.messenger(spec={"trustedCallers": []}) as messenger:
        error_class, retryable, message = await refused(messenger, data)
        assert (error_class, retryable) == ("validation_error", False)
        assert "'switchboard'" in message
        assert await nothing_happened(place)
    plane = place.keys.other("other-plane", "operator", origin="finance")
    async with place.messenger(spec={"trustedCallers": ["other-plane"]}) as messenger:
        assert (await messenger.execute(data, token=plane)).status == "ok"
        # The envelope is read before the caller is judged.
        broken = {**data, "schema_version": "route.v9"}
        assert "route.v" in (await refused(messenger, broken))[2]


INCOMPLETE: list[tuple[dict[str, Any], str]] = [
    ({**notify(), "schema_version": "notify.v9"}, "notify.v"),
    ({key: value for key, value in notify().items() if key != "origin_butler"}, "origin_butler"),
    (notify(origin="health"), "origin_butler"),
    (notify(intent="shout"), "intent"),
    (notify(channel="pigeon"), "channel"),
    *[
        ({**notify(), "delivery": {k: v for k, v in notify()["delivery"].items() if k != field}}, field)
        for field in ("intent", "channel")
    ],
    (notify("   "), "message"),
    (notify(None), "message"),
    (notify(intent="reply"), "request_context"),
    (
        notify(intent="reply", context=request_context(source_thread_identity=None)),
        "source_thread_identity",
    ),
    *[
        (
            notify(intent="reply", context={k: v for k, v in request_context().items() if k != field}),
            field,
        )
        for field in (
            "request_id",
            "source_channel",
            "source_endpoint_identity",
            "source_sender_identity",
        )
    ],
]


@pytest.mark.spec("MSG-6.1", "MSG-18", "MSG-4.1")
async def test_an_incomplete_or_unknown_notify_is_refused_by_field_without_effect(place: Place) -> None:
    async with place.messenger() as messenger:
        for wish, named in INCOMPLETE:
            data = envelope(wish, context=request_context())
            error_class, retryable, message = await refused(messenger, data, token=place.keys.switchboard())
            assert (error_class, retryable) == ("validation_error", False)
            assert named in message
    assert await nothing_happened(place)


@pytest.mark.spec("MSG-6.1", "MSG-18", "MSG-4.1")
async def test_a_missing_notify_is_refused(place: Place) -> None:
    async with place.messenger() as messenger:
        assert (await refused(messenger, envelope(None)))[0] == "validation_error"
    assert await nothing_happened(place)


async def test_a_channel_without_an_adapter_is_refused_and_the_known_ones_are_named(place: Place) -> None:
    async with place.messenger() as messenger:
        error = await refused(messenger, envelope(notify(channel="sms", idempotency_key="x")))
    assert error[0] == "validation_error"
    assert "email, telegram" in error[2]


@pytest.mark.spec("MSG-13", "MSG-6.2")
async def test_recipients_that_the_household_denies_are_never_called(place: Place) -> None:
    async with place.messenger(f'deny_recipients = ["telegram:{ADA}"]') as messenger:
        error = await refused(messenger, envelope(notify(idempotency_key="x")))
        assert error[0] == "validation_error"
        assert await nothing_happened(place)
        assert (await messenger.notify(notify(channel="email", idempotency_key="y"))).status == "ok"


@pytest.mark.spec("MSG-13")
async def test_neither_credentials_nor_messages_are_logged(
    place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    secret = "the pin of the safe is 4711-0815"
    async with place.messenger() as messenger:
        await messenger.notify(notify(secret, idempotency_key="x"))
        await messenger.notify(notify(secret, channel="email", idempotency_key="y"))
        place.telegram.script(Fault("sendMessage", "status", count=1, status=401))
        await messenger.notify(notify(secret, recipient="1002", idempotency_key="z"))
    out, err = capfd.readouterr()
    logged = out + err
    assert "delivery_ended" in logged
    for hidden in (BOT_TOKEN, MAIL_PASSWORD, secret):
        assert hidden not in logged


async def test_a_stranger_and_automatic_mail_are_not_answered_but_the_owner_is_told(place: Place) -> None:
    stranger = request_context(
        "email", source_sender_identity="x@evil.test", reply_policy="owner", sender_class="other"
    )
    automatic = request_context("email", reply_policy="none", automatic=True)
    async with place.messenger() as messenger:
        for context in (stranger, automatic):
            wish = notify(intent="reply", channel="email", context=context)
            assert (await refused(messenger, envelope(wish)))[0] == "validation_error"
        assert await nothing_happened(place)
        told = await messenger.notify(notify("An invoice of 12 euro came.", context=stranger))
    assert told.status == "ok"
    assert [sent["chat_id"] for sent in place.telegram.sent] == [ADA]


@pytest.mark.spec("MSG-6.5", "MSG-18", "MSG-9")
async def test_refusals_have_the_class_that_says_what_to_do(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=60))
    async with place.messenger("max_in_flight = 2\nanswer_wait_s = 0.3") as messenger:
        invalid = await refused(messenger, envelope(notify(recipient="nobody at all", idempotency_key="a")))
        assert invalid[:2] == (ErrorClass.VALIDATION_ERROR, False)
        waiting = await messenger.notify(notify(idempotency_key="b"))
        assert waiting.delivery is not None
        assert waiting.delivery.state == "queued"
        await paused(place, whole=True)
        throttled = await messenger.execute(envelope(notify(idempotency_key="c")))
        assert throttled.error is not None
        assert (throttled.error.error_class, throttled.error.retryable) == (
            ErrorClass.TARGET_UNAVAILABLE,
            True,
        )
        assert throttled.error.retry_after_s is not None
        assert 50 < throttled.error.retry_after_s <= 60
        # The mail server answers so late that both places are taken.
        place.slow_mail(6.0)
        await messenger.notify(notify(channel="email", idempotency_key="d"))
        full = await messenger.execute(envelope(notify(channel="email", idempotency_key="e")))
        assert full.error is not None
        assert (full.error.error_class, full.error.retryable) == (ErrorClass.OVERLOAD_REJECTED, True)
        assert full.error.retry_after_s is not None


@pytest.mark.parametrize(
    ("attempt", "taken", "expected"),
    [
        (0, False, ErrorClass.OVERLOAD_REJECTED),
        (1, True, ErrorClass.OVERLOAD_REJECTED),
        (1, False, ErrorClass.TARGET_UNAVAILABLE),
        (2, True, ErrorClass.TARGET_UNAVAILABLE),
    ],
    ids=["new", "at its first try", "due again after a try", "at its second try"],
)
async def test_a_channel_holds_places_from_its_first_try_in_vain_on(
    place: Place, attempt: int, taken: bool, expected: ErrorClass
) -> None:
    lease = f"'{uuid4()}', now() + interval '30 s'" if taken else "NULL, NULL"
    await place.rows(
        "INSERT INTO delivery_work"
        " (item_id, lane, source, thread_key, attempt, available_at, enqueued_at, lease_id, lease_until)"
        f" VALUES ('{uuid4()}', 'send', 'finance/telegram', 'telegram:1', {attempt}, now(), now(), {lease}) RETURNING 1"
    )
    async with transaction(place.pool, doing="admitting") as connection:
        with pytest.raises(ButlerError) as refused:
            await AdmissionStore(place.pool).admit_exactly(
                connection, new_delivery(), AdmissionLimits(max_in_flight=1)
            )
    assert refused.value.error_class is expected


@pytest.mark.parametrize("way", [{"recipient": "4711"}, {"recipient": "-100200"}])
async def test_what_a_stranger_wrote_is_told_to_nobody_outside_the_household(place: Place, way) -> None:
    stranger = {"reply_policy": "owner", "sender_class": "other", "source_sender_identity": "666"}
    context = request_context(**stranger, source_thread_identity="-100200:5")
    async with place.messenger() as messenger:
        refused = await messenger.execute(envelope(notify("hello", context=context, **way)))
        told = await messenger.execute(envelope(notify("hello", context=context)))
    assert refused.error is not None
    assert refused.error.error_class is ErrorClass.VALIDATION_ERROR
    assert told.status == "ok"
    assert [entry["chat_id"] for entry in place.telegram.sent] == [ADA]


async def test_what_a_stranger_wrote_is_parked_for_nobody_but_the_owner(place: Place) -> None:
    context = request_context(reply_policy="owner", sender_class="other", source_sender_identity="666")
    ben = str(await place.pool.fetchval("SELECT contact_id FROM shared.contacts WHERE name = 'Ben'"))
    async with place.messenger() as messenger:
        data = envelope(notify("hello", channel="email", contact_id=ben, context=context))
        assert (await refused(messenger, data))[0] == "validation_error"
    assert await nothing_happened(place)
