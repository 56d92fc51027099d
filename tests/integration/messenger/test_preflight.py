"""What would become of a message, asked before it is sent: by admission's own checks, and without a trace (MSR-10)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from butler_kit.mcp import ToolError
from tests.integration.messenger.household import (
    ADA,
    BEN,
    Client,
    Place,
    envelope,
    notify,
    request_context,
)
from tests.integration.messenger.test_circuit import OPEN
from tests.integration.messenger.test_retries import paused
from tests.support.telegram_api import Fault

STRANGER = {"sender_class": "other", "reply_policy": "owner"}
KNOWN: dict[str, Any] = {"idempotency_key": "known"}


def strangers() -> dict[str, Any]:
    """The context of a message from outside the household."""
    return request_context(**STRANGER, source_sender_identity="9", source_thread_identity="9")


async def dry_run(messenger: Client, wish: Mapping[str, Any], **how: Any) -> dict[str, Any]:
    return await messenger.tool("messenger_dry_run", {"notify_request": dict(wish)}, **how)


async def validated(messenger: Client, wish: Mapping[str, Any], **how: Any) -> dict[str, Any]:
    return await messenger.tool("messenger_validate_notify", {"notify_request": dict(wish)}, **how)


async def everything(place: Place) -> dict[str, list[str]]:
    """All rows of all tables of the household with the transaction that wrote each last, and every sequence."""
    admin = await place.database.admin()
    try:
        tables = await admin.fetch(
            "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables"
            " WHERE schemaname IN ('messenger', 'shared')"
        )
        assert len(tables) > 10
        found = {table["name"]: await _rows(admin, table["name"]) for table in tables}
        sequences = await admin.fetch("SELECT s::text AS whole FROM pg_sequences AS s ORDER BY 1")
        return {**found, "sequences": [row["whole"] for row in sequences]}
    finally:
        await admin.close()


async def _rows(admin: asyncpg.Connection, table: str) -> list[str]:
    rows = await admin.fetch(f"SELECT t.xmin::text || t.ctid::text || t::text AS whole FROM {table} AS t")
    return sorted(row["whole"] for row in rows)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "channel": (notify(channel="sms", idempotency_key="x"), "no adapter here"),
    "reply policy": (
        notify(intent="reply", context=request_context(reply_policy="none")),
        "nobody is told of it",
    ),
    "target": (
        notify(recipient="nobody there", idempotency_key="x"),
        "recipient is not one of channel telegram",
    ),
    "recipient lists": (notify(recipient="666", idempotency_key="x"), "deny_recipients"),
    "disguised": (notify(recipient=str(ADA), context=request_context(**STRANGER)), "sender is not answered"),
    "key": (notify(), "delivery.idempotency_key: is missing"),
}


@pytest.mark.spec("MSR-10.1", "MSG-5.1.3")
async def test_a_notify_is_refused_beforehand_in_the_words_of_its_refusal(place: Place) -> None:
    async with place.messenger('deny_recipients = ["666"]') as messenger:
        for name, (wish, words) in REFUSED.items():
            before = await validated(messenger, wish)
            really = await messenger.execute(envelope(wish))
            assert really.error is not None, name
            said = before["error"]
            assert words in said["message"], name
            assert (before["valid"], said["message"]) == (False, really.error.message), name
            assert (said["class"], said["retryable"]) == ("validation_error", really.error.retryable), name
            assert (await dry_run(messenger, wish))["error"] == before["error"]
        fine = await validated(messenger, notify(idempotency_key="x"))
    assert fine == {"valid": True, "error": None, "problems": []}
    assert await place.rows("SELECT 1 FROM delivery_requests") == []


@pytest.mark.spec("MSR-10.1", "MSG-5.1.3")
async def test_what_is_wrong_with_an_envelope_is_said_field_by_field(place: Place) -> None:
    wrong = notify(intent="shout", idempotency_key="x", colour="red")
    async with place.messenger() as messenger:
        answer = await validated(messenger, wrong)
        whole = await messenger.tool("messenger_validate_notify", {"envelope": envelope(wrong)})
        with pytest.raises(ToolError, match=r"notify_request .* or envelope"):
            await messenger.tool("messenger_validate_notify", {})
    assert [(one["path"], one["problem"]) for one in answer["problems"]] == [
        ("delivery.intent", "is 'shout'"),
        ("delivery.colour", "is not a known field"),
    ]
    assert answer["error"]["message"].startswith("notify.v1 refused: delivery.intent")
    assert [one["path"] for one in whole["problems"]] == [
        f"input.context.notify_request.{one['path']}" for one in answer["problems"]
    ]


@pytest.mark.spec("MSR-10.1", "MSG-5.1.3")
async def test_who_asks_is_checked_as_who_calls(place: Place) -> None:
    wish = notify(idempotency_key="x")
    moved = envelope(notify(intent="reply", context=request_context()), context=request_context())
    async with place.messenger() as messenger:
        for token, words in (
            (place.keys.switchboard(origin="health"), "the token's origin is 'health'"),
            (place.keys.switchboard(), None),
            (messenger.operator(), None),
        ):
            answer = await validated(messenger, wish, token=token)
            assert answer["valid"] is (words is None)
            assert words is None or words in answer["error"]["message"]
        for token, data, words in (
            (messenger.operator(), envelope(wish), "operator"),
            (place.keys.switchboard(), moved, "request_context.request_id differs"),
            (place.keys.switchboard(), envelope(wish), None),
        ):
            answer = await messenger.tool("messenger_validate_notify", {"envelope": data}, token=token)
            assert answer["valid"] is (words is None)
            assert words is None or words in answer["error"]["message"]
        butler = place.keys.other("finance", "butler")
        with pytest.raises(ToolError):
            await validated(messenger, wish, token=butler)


@pytest.mark.spec("MSR-10.2", "MSG-5.1.3")
async def test_a_dry_run_says_where_it_would_go_by_what_and_with_which_room(place: Place) -> None:
    long = notify("word " * 1500, intent="reply", context=request_context())
    async with place.messenger(limits={}) as messenger:
        await messenger.notify(notify("hello", idempotency_key="1"))
        answer = await dry_run(messenger, long)
        mail = await dry_run(messenger, notify(channel="email", idempotency_key="2"))
        done = await messenger.notify(long)
    assert (answer["valid"], answer["decision"], answer["admitted"]) == (True, "admitted", True)
    assert answer["target"]["target_identity"] == str(ADA)
    assert (answer["target"]["thread_identity"], answer["target"]["reply_to"]) == (f"telegram:{ADA}", "7")
    assert (answer["tool"], answer["parts"]) == ("telegram_reply_to_message", 2)
    assert (mail["tool"], mail["parts"], mail["target"]["target_identity"]) == (
        "email_send_message",
        1,
        "ada@example.org",
    )
    budgets = {one["dimension"]: (one["limit"], one["used"], one["room"]) for one in answer["budgets"]}
    assert budgets == {"global": (60, 1, 59), "channel": (30, 1, 29), "recipient": (10, 1, 9)}
    assert done.delivery is not None
    row = await place.row(done.delivery.delivery_id)
    assert row["idempotency_key"] == answer["idempotency_key"]
    assert row["target_identity"] == answer["target"]["target_identity"]
    assert row["thread_identity"] == answer["target"]["thread_identity"]


@pytest.mark.spec("MSR-10.2", "MSG-5.1.3")
async def test_a_dry_run_says_what_would_become_of_it(place: Place) -> None:
    told = notify("a stranger wrote", context=strangers())
    extra = "strangers_at_once = 1\nanswer_wait_s = 0.2"
    async with place.messenger(extra, limits={"recipient_per_minute": 2}) as messenger:
        assert (await dry_run(messenger, told))["decision"] == "admitted"
        assert (await messenger.notify(told)).error is None
        more = notify("and again", context=strangers())
        assert (await dry_run(messenger, more))["decision"] == "collected"
        kept = await messenger.notify(more)
        assert kept.delivery is not None
        assert (await place.row(kept.delivery.delivery_id))["collected_at"] is not None
        first = await messenger.notify(notify("one", **KNOWN))
        assert first.delivery is not None
        known = await dry_run(messenger, notify("one", **KNOWN))
        assert (known["decision"], known["admitted"]) == ("duplicate", False)
        assert known["duplicate_of"] == {"delivery_id": first.delivery.delivery_id, "status": "sent"}
        limited = await dry_run(messenger, notify("two", idempotency_key="two"))
        refused = await messenger.notify(notify("two", idempotency_key="two"))
        contact = await place.pool.fetchval("SELECT contact_id::text FROM shared.contacts WHERE name = 'Ben'")
        parked = await dry_run(
            messenger, notify(channel="email", contact_id=contact, idempotency_key="three")
        )
        place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=600))
        await messenger.notify(notify("four", recipient=str(BEN), idempotency_key="four"))
        await paused(place, whole=True)
        resting = await dry_run(messenger, notify("five", recipient=str(BEN), idempotency_key="five"))
    assert refused.error is not None
    assert (limited["decision"], limited["admitted"]) == ("refused", False)
    assert limited["error"]["message"] == refused.error.message
    assert limited["error"]["class"] == "overload_rejected"
    assert refused.error.retry_after_s is not None
    assert limited["error"]["retry_after_s"] == pytest.approx(refused.error.retry_after_s, abs=60)
    [full] = [one for one in limited["budgets"] if one["free_in_s"] is not None]
    assert (full["dimension"], full["whose"], full["room"]) == ("recipient", str(ADA), 0)
    assert full["free_in_s"] == pytest.approx(limited["error"]["retry_after_s"], abs=60)
    assert (parked["decision"], parked["admitted"], parked["tool"]) == ("parked", True, None)
    assert parked["target"]["contact_id"] == contact
    assert (resting["decision"], resting["error"]["class"]) == ("refused", "target_unavailable")
    assert 0 < resting["error"]["retry_after_s"] <= 600


async def test_an_open_circuit_is_told_beforehand_as_it_would_be_then(place: Place) -> None:
    wish = notify(idempotency_key="x")
    await place.pool.execute(OPEN, timedelta(seconds=300))
    async with place.messenger() as messenger:
        answer = await dry_run(messenger, wish)
        mail = await dry_run(messenger, notify(channel="email", idempotency_key="mail"))
        refused = await messenger.notify(wish)
    assert refused.error is not None
    assert (answer["decision"], mail["decision"]) == ("refused", "admitted")
    assert (answer["error"]["class"], answer["valid"]) == ("target_unavailable", True)
    assert answer["error"]["message"].startswith("the circuit of telegram is open")


@pytest.mark.spec("MSR-10.1", "MSR-10.2", "MSG-5.1.3")
async def test_nothing_in_the_whole_database_is_changed_by_asking(place: Place) -> None:
    told = notify("a stranger wrote", context=strangers())
    contact = await place.pool.fetchval("SELECT contact_id::text FROM shared.contacts WHERE name = 'Ben'")
    wishes = [
        notify("one", **KNOWN),
        notify("two", idempotency_key="two"),
        notify(intent="reply", context=request_context()),
        notify(None, intent="react", emoji="👍", context=request_context()),
        notify(channel="email", contact_id=contact, idempotency_key="three"),
        notify("to Ben", recipient=str(BEN), idempotency_key="four"),
        told,
        *(wish for wish, _ in REFUSED.values()),
    ]
    extra = "answer_wait_s = 0.2\nstrangers_at_once = 0"
    async with place.messenger(extra, limits={"recipient_per_minute": 1}) as messenger:
        first = await messenger.notify(notify("one", **KNOWN))
        assert first.delivery is not None
        await place.until_reported(first.delivery.delivery_id)
        before = await everything(place)
        sent = len(place.telegram.sent)
        decisions = set()
        for wish in wishes:
            await validated(messenger, wish)
            decisions.add((await dry_run(messenger, wish))["decision"])
            data = envelope(wish, subrequest_id=uuid4())
            await messenger.tool("messenger_dry_run", {"envelope": data}, token=place.keys.switchboard())
        after = await everything(place)
        assert len(place.telegram.sent) == sent
    assert decisions == {"duplicate", "collected", "refused", "admitted", "parked", "invalid"}
    assert after == before


@pytest.mark.spec("MSG-5.1.3")
async def test_the_ops_api_answers_the_same(place: Place) -> None:
    wish = notify(idempotency_key="x")
    async with place.messenger() as messenger:
        by_tool = await dry_run(messenger, wish)
        asked = {"notify_request": wish}
        answer = await messenger.post("/ops/v1/notify/dry-run", asked)
        valid = await messenger.post("/ops/v1/notify/validate", asked)
        wrong = await messenger.post("/ops/v1/notify/validate", {"notify_request": wish, "colour": "red"})
        butler = place.keys.other("finance", "butler")
        foreign = await messenger.post("/ops/v1/notify/dry-run", asked, token=butler)
    assert answer.json() == by_tool
    assert valid.json() == {"valid": True, "error": None, "problems": []}
    assert (wrong.status_code, foreign.status_code) == (400, 403)
