"""Retries, pauses, time-outs, order, dead letters (MSG-9, MSG-10, MSR-07, D43), and duplicates (MSG-7, MSR-04)."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from butler_contracts.errors import ErrorClass
from butler_contracts.keys import message_id_for
from tests.integration.messenger.household import ADA, BEN, Place, envelope, notify, request_context
from tests.support.mail.smtp_server import SmtpFault
from tests.support.telegram_api import Fault


@pytest.mark.spec("MSR-07.1", "MSG-9")
async def test_a_failure_that_may_pass_is_retried_with_growing_pauses(place: Place) -> None:
    place.smtp.script(SmtpFault("rcpt", "drop", count=2))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(channel="email", idempotency_key="x"))
        assert answer.delivery is not None
        row = await place.until_status(answer.delivery.delivery_id, "sent")
    attempts = await place.rows("SELECT * FROM delivery_attempts ORDER BY attempt")
    assert [(a["outcome"], a["error_class"], a["retryable"]) for a in attempts] == [
        ("failed", "target_unavailable", True),
        ("failed", "target_unavailable", True),
        ("sent", None, None),
    ]
    assert row["attempts_used"] == 3
    assert len(place.smtp.accepted) == 1


@pytest.mark.spec("MSR-07.1", "MSG-9")
@pytest.mark.parametrize(("limits", "attempts"), [({}, [1, 2, 3]), ({"maxAttempts": 2}, [1, 2])])
async def test_after_its_attempts_the_delivery_is_a_dead_letter_with_its_whole_story(
    place: Place, limits: dict[str, Any], attempts: list[int]
) -> None:
    place.smtp.script(SmtpFault("rcpt", "drop", count=10))
    subrequest_id = uuid4()
    async with place.messenger(spec=with_limits("email", **limits)) as messenger:
        data = envelope(notify("12 euro", channel="email", idempotency_key="x"), subrequest_id=subrequest_id)
        await messenger.execute(data)
        completion = await place.switchboard.completed(subrequest_id)
    assert completion.error is not None
    # Under its key it has ended: asking again would change nothing.
    assert completion.error.retryable is False
    [letter] = await place.rows("SELECT * FROM delivery_dead_letter")
    assert (letter["origin_butler"], letter["channel"], letter["error_class"]) == (
        "finance",
        "email",
        "target_unavailable",
    )
    assert letter["notify_request"]["delivery"]["message"] == "12 euro"
    assert [a["attempt"] for a in letter["attempts"]] == attempts
    told = completion.notify_response()
    assert told is not None
    assert told.delivery is not None
    assert told.delivery.state == "failed"
    row = await place.row(told.delivery.delivery_id)
    assert row["status"] == "dead_lettered"


async def test_a_mail_server_that_says_later_is_asked_again_past_the_attempts(place: Place) -> None:
    """As greylisting does: more refusals than attempts, then it takes the mail (D87)."""
    place.smtp.script(SmtpFault("rcpt", "status", count=3))
    place.smtp.script(SmtpFault("data", "status", count=2, status=452))
    limits = with_limits("email", deferralPausesSeconds=[0.05, 0.1], maxAttempts=1)
    async with place.messenger(spec=limits) as messenger:
        answer = await messenger.notify(notify(channel="email", idempotency_key="x"))
        assert answer.delivery is not None
        row = await place.until_status(answer.delivery.delivery_id, "sent", "dead_lettered")
    attempts = await place.rows(
        "SELECT outcome, consumed, error_message FROM delivery_attempts ORDER BY attempt"
    )
    assert row["status"] == "sent"
    assert row["attempts_used"] == 1
    assert [(a["outcome"], a["consumed"]) for a in attempts] == [("deferred", False)] * 5 + [("sent", True)]
    assert "451 4.3.0 scripted failure: it is to be tried later" in attempts[0]["error_message"]


async def test_a_mail_server_that_speaks_in_another_encoding_is_understood_all_the_same(place: Place) -> None:
    """Its words cannot be stored as they are; what it did with the mail can."""
    place.smtp.script(SmtpFault("rcpt", "status", text="r\udce9essayez plus tard"))
    place.smtp.script(SmtpFault("data", "accept", text="message accept\udce9"))
    async with place.messenger(spec=with_limits("email", deferralPausesSeconds=[0.05])) as messenger:
        answer = await messenger.notify(notify(channel="email", idempotency_key="x"))
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "sent", "failed", "uncertain", "dead_lettered")
    attempts = await place.rows(
        "SELECT outcome, error_message, provider_response FROM delivery_attempts ORDER BY attempt"
    )
    assert [row["outcome"] for row in attempts] == ["deferred", "sent"]
    assert "451 r\N{REPLACEMENT CHARACTER}essayez plus tard" in attempts[0]["error_message"]
    assert attempts[1]["provider_response"]["message"] == "message accept\N{REPLACEMENT CHARACTER}"
    assert len(place.smtp.accepted) == 1


async def test_what_is_deferred_waits_a_minute_by_default_and_ends_with_the_servers_words(
    place: Place,
) -> None:
    place.smtp.script(SmtpFault("rcpt", "status", count=10))
    async with place.messenger("answer_wait_s = 0.0") as messenger:
        answer = await messenger.notify(notify(channel="email", idempotency_key="x"))
        assert answer.delivery is not None
        async with asyncio.timeout(90):
            while not await place.rows("SELECT 1 FROM delivery_attempts WHERE outcome = 'deferred'"):
                await asyncio.sleep(0.02)
    [work] = await place.rows(
        "SELECT available_at > a.finished_at + interval '55 s' AS waits FROM delivery_work, delivery_attempts a"
    )
    await place.pool.execute("UPDATE delivery_requests SET expires_at = clock_now()")
    await place.pool.execute("UPDATE delivery_work SET available_at = clock_now()")
    async with place.messenger():
        row = await place.until_status(answer.delivery.delivery_id, "failed")
    assert work["waits"]
    assert "expired; last problem: the mail server said: 451" in row["error_message"]
    assert [letter["reason"] for letter in await place.rows("SELECT * FROM delivery_dead_letter")] == [
        "expired"
    ]


@pytest.mark.spec("MSR-07.2", "MSG-9")
async def test_a_refusal_of_the_content_ends_at_once(place: Place) -> None:
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(recipient="424242", idempotency_key="x"))
    assert answer.error is not None
    assert answer.error.error_class is ErrorClass.VALIDATION_ERROR
    assert len(await place.rows("SELECT 1 FROM delivery_attempts")) == 1


@pytest.mark.spec("MSR-07.2", "MSG-6.5", "MSG-9")
async def test_an_inner_failure_before_the_call_ends_at_once(place: Place) -> None:
    async with place.messenger(channels={"telegram": BrokenChannel()}) as messenger:
        answer = await messenger.notify(notify(idempotency_key="x"))
    assert answer.error is not None
    assert (answer.error.error_class, answer.error.retryable) == (ErrorClass.INTERNAL_ERROR, False)
    assert len(await place.rows("SELECT 1 FROM delivery_attempts")) == 1


class BrokenChannel:
    """A channel whose adapter has a defect."""

    name = "telegram"
    keeps_records = False
    autofile = False
    carries_files = False

    def tool_for(self, outgoing):
        return "telegram_send_message"

    def part_count(self, outgoing):
        return 1

    def enclosed(self, outgoing, part):
        return ()

    async def send(self, outgoing, *, part, mark):
        raise RuntimeError("defect")

    async def evidence(self, outgoing):
        return "none"

    async def records_problem(self):
        return None

    def record_id(self, outgoing):
        return ""

    async def aclose(self):
        return None


@pytest.mark.spec("MSR-07.3", "MSG-6.5", "MSG-9")
@pytest.mark.parametrize("channel", ["telegram", "email"])
async def test_a_call_that_takes_longer_than_its_channel_may_is_ended(place: Place, channel: str) -> None:
    place.telegram.script(Fault("sendMessage", "hang", count=10))
    place.smtp.script(SmtpFault("rcpt", "slow", count=10, delay_s=30.0))
    async with place.messenger(spec=with_limits(channel, timeoutSeconds=0.3, maxAttempts=1)) as messenger:
        answer = await messenger.notify(notify(channel=channel, idempotency_key="x"))
        assert answer.delivery is not None
        row = await place.until_status(answer.delivery.delivery_id, "uncertain", "dead_lettered")
        place.telegram.clear_faults()
        place.smtp.clear_faults()
    assert row["error_class"] == "timeout"
    # Telegram had the request; the mail server never had the content.
    assert row["status"] == ("uncertain" if channel == "telegram" else "dead_lettered")


@pytest.mark.spec("MSR-07.3")
async def test_the_answer_to_the_content_may_take_as_long_as_the_channel(place: Place) -> None:
    """A server that looks into mails answers long after any other step would have been given up."""
    place.smtp.script(SmtpFault("data", "slow", delay_s=1.5))
    async with place.messenger(spec=with_limits("email", connectTimeoutSeconds=0.5)) as messenger:
        answer = await messenger.notify(notify(channel="email", idempotency_key="x"))
        assert answer.delivery is not None
        row = await place.until_status(answer.delivery.delivery_id, "sent", "uncertain")
    assert row["status"] == "sent"
    assert len(place.smtp.accepted) == 1


def with_limits(channel: str, **limits: Any) -> dict[str, Any]:
    """What a manifest says of one channel."""
    return {"delivery": {"channels": {channel: limits}}}


async def paused(place: Place, *, whole: bool) -> None:
    """Returns when the provider's wish for a pause is on record, for a chat or for the whole channel."""
    table = "provider_throttle" if whole else "recipient_throttle"
    async with asyncio.timeout(90):
        while not await place.rows(f"SELECT 1 FROM {table}"):
            await asyncio.sleep(0.02)


async def attempts_of(place: Place, delivery_id: UUID) -> list[tuple[str, bool]]:
    rows = await place.rows(
        "SELECT outcome, consumed FROM delivery_attempts WHERE delivery_id = $1 ORDER BY attempt", delivery_id
    )
    return [(row["outcome"], row["consumed"]) for row in rows]


@pytest.mark.spec("MSG-8", "MSG-9", "MSG-18", "MSR-05.4")
async def test_a_throttled_channel_waits_as_a_whole_and_takes_nothing_new_until_its_pause_ends(
    place: Place,
) -> None:
    place.telegram.script(
        Fault("sendMessage", "status", count=1, status=429, retry_after_s=5, chat_id=str(ADA))
    )
    async with place.messenger("answer_wait_s = 0.2") as messenger:
        first = await messenger.notify(notify("first", idempotency_key="a"))
        await paused(place, whole=True)
        refused = await messenger.execute(envelope(notify("new", recipient=str(BEN), idempotency_key="b")))
        mail = await messenger.notify(notify("mail", channel="email", idempotency_key="c"))
        assert mail.delivery is not None
        await place.until_status(mail.delivery.delivery_id, "sent")
        assert place.telegram.sent == []
        assert first.delivery is not None
        row = await place.until_status(first.delivery.delivery_id, "sent")
        # Once the window is over, the very wish that was refused is taken.
        again = await messenger.notify(notify("new", recipient=str(BEN), idempotency_key="b"))
    assert refused.error is not None
    assert (refused.error.error_class, refused.error.retryable) == (ErrorClass.TARGET_UNAVAILABLE, True)
    assert 0 < (refused.error.retry_after_s or 0) <= 5
    assert not refused.error.message.endswith("in this chat")
    assert again.status == "ok"
    assert row["attempts_used"] == 1
    assert await attempts_of(place, row["delivery_id"]) == [("throttled", False), ("sent", True)]


async def test_a_throttled_reaction_holds_up_its_own_chat_alone(place: Place) -> None:
    place.telegram.script(Fault("setMessageReaction", "status", count=1, status=429, retry_after_s=60))
    async with place.messenger("answer_wait_s = 0.2") as messenger:
        await messenger.notify(notify(None, intent="react", emoji="👀", context=request_context()))
        await paused(place, whole=False)
        refused = await messenger.execute(envelope(notify("new", idempotency_key="a")))
        other = await messenger.notify(notify("other chat", recipient=str(BEN), idempotency_key="b"))
        assert other.delivery is not None
        await place.until_status(other.delivery.delivery_id, "sent")
    assert refused.error is not None
    assert (refused.error.error_class, refused.error.retryable) == (ErrorClass.TARGET_UNAVAILABLE, True)
    assert refused.error.message.endswith("in this chat")
    assert await place.rows("SELECT 1 FROM provider_throttle") == []


async def test_a_pause_outlives_a_restart(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=600))
    async with place.messenger("answer_wait_s = 0.2") as messenger:
        await messenger.notify(notify("first", idempotency_key="a"))
        await paused(place, whole=True)
    async with place.messenger() as messenger:
        refused = await messenger.execute(envelope(notify("second", idempotency_key="b")))
    assert refused.error is not None
    assert refused.error.retry_after_s is not None
    assert refused.error.retry_after_s > 500
    assert place.telegram.sent == []


@pytest.mark.spec("MSG-10")
async def test_a_thread_keeps_its_order_through_retries_and_other_threads_do_not_wait(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=2, status=409, chat_id=str(ADA)))
    subrequests = [uuid4() for _ in range(6)]
    async with place.messenger("answer_wait_s = 0.0") as messenger:
        for number, subrequest_id in enumerate(subrequests[:5]):
            wish = notify(f"ada {number}", recipient=str(ADA), idempotency_key=f"a{number}")
            await messenger.notify(wish, subrequest_id=subrequest_id)
        await messenger.notify(
            notify("ben", recipient=str(BEN), idempotency_key="b"), subrequest_id=subrequests[5]
        )
        for subrequest_id in subrequests:
            await place.switchboard.completed(subrequest_id)
    ada = [sent["text"] for sent in place.telegram.sent if sent["chat_id"] == ADA]
    assert ada == [f"[finance] ada {number}" for number in range(5)]
    # Ben's message did not wait for the retries of Ada's first one.
    assert place.telegram.sent[0]["chat_id"] == BEN
    # The history can be put in order again: admission, attempts and receipts have times.
    history = await place.rows(
        "SELECT d.thread_identity, r.received_at FROM delivery_requests d JOIN delivery_receipts r USING (delivery_id)"
        " WHERE d.thread_identity = 'telegram:1001' ORDER BY d.created_at"
    )
    assert [h["received_at"] for h in history] == sorted(h["received_at"] for h in history)
    assert len(history) == 5


async def test_a_delivery_that_cannot_go_out_in_time_ends(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "status", count=1, status=429, retry_after_s=600))
    subrequest_id = uuid4()
    async with place.messenger("answer_wait_s = 0.0\nexpires_after_s = 1.0") as messenger:
        await messenger.notify(notify(idempotency_key="x"), subrequest_id=subrequest_id)
        completion = await place.switchboard.completed(subrequest_id)
    assert completion.error is not None
    assert completion.error.error_class is ErrorClass.TIMEOUT
    assert "expired" in completion.error.message


@pytest.mark.spec("MSG-7", "MSR-04.2", "MSG-18", "MSG-6.4")
async def test_a_repeat_of_a_sent_message_is_answered_with_its_first_outcome(place: Place) -> None:
    context = request_context()
    wish = notify("12 euro", intent="reply", context=context)
    async with place.messenger() as messenger:
        first = await messenger.notify(wish, subrequest_id=uuid4())
        again = await messenger.notify(wish, subrequest_id=uuid4())
    assert first == again
    assert first.delivery is not None
    assert first.delivery.state == "sent"
    assert len(place.telegram.sent) == 1
    assert len(await place.rows("SELECT 1 FROM delivery_requests")) == 1


@pytest.mark.spec("MSG-7", "MSR-04.2", "MSG-18")
async def test_a_repeat_of_a_failed_message_fails_the_same_way_without_a_call(place: Place) -> None:
    wish = notify(recipient="424242", idempotency_key="x")
    async with place.messenger() as messenger:
        first = await messenger.notify(wish)
        again = await messenger.notify(wish)
    assert first == again
    assert first.error is not None
    assert len(await place.rows("SELECT 1 FROM delivery_attempts")) == 1


@pytest.mark.spec("MSG-7", "MSR-04.2", "MSG-18")
async def test_repeats_of_a_message_under_way_join_it(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "slow", count=1, delay_s=0.8))
    wish = notify("12 euro", intent="reply", context=request_context())
    async with place.messenger("answer_wait_s = 2.0") as messenger:
        answers = await asyncio.gather(*(messenger.notify(wish, subrequest_id=uuid4()) for _ in range(8)))
    assert len({a.delivery.delivery_id for a in answers if a.delivery is not None}) == 1
    assert len(place.telegram.sent) == 1
    assert len(await place.rows("SELECT 1 FROM delivery_requests")) == 1


@pytest.mark.spec("MSG-7")
async def test_a_message_of_no_request_needs_the_callers_key_and_is_sent_once_under_it(place: Place) -> None:
    async with place.messenger() as messenger:
        refused = await messenger.execute(envelope(notify("weekly report")))
        assert refused.error is not None
        assert "idempotency_key" in refused.error.message
        first = await messenger.notify(notify("weekly report", idempotency_key="week-10"))
        again = await messenger.notify(notify("weekly report", idempotency_key="week-10"))
    assert first == again
    assert len(place.telegram.sent) == 1


@pytest.mark.spec("MSG-7")
async def test_the_mail_carries_the_key_as_its_message_id(place: Place) -> None:
    async with place.messenger() as messenger:
        await messenger.notify(notify(channel="email", idempotency_key="x"))
    [mail] = place.smtp.accepted
    [row] = await place.rows("SELECT * FROM delivery_requests")
    assert mail.message_id == row["provider_delivery_id"]
    assert mail.message_id == message_id_for(row["idempotency_key"], "butlers.test")
    assert mail.message_id.endswith("@butlers.test>")


@pytest.mark.spec("MSG-7", "MSG-12")
async def test_the_database_itself_refuses_a_second_row_of_a_key(place: Place) -> None:
    async with place.messenger() as messenger:
        await messenger.notify(notify(idempotency_key="x"))
    with pytest.raises(asyncpg.UniqueViolationError) as second:
        await place.pool.execute(
            "INSERT INTO delivery_requests"
            " SELECT (jsonb_populate_record(d, jsonb_build_object('delivery_id', $1::text))).*"
            " FROM delivery_requests d",
            str(uuid4()),
        )
    assert second.value.constraint_name == "delivery_requests_idempotency_key_key"


async def test_what_was_admitted_before_a_pause_waits_until_its_end(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "slow", count=1, delay_s=0.5, chat_id=str(BEN)))
    waiting = uuid4()
    async with place.messenger("answer_wait_s = 0.0\nworker_count = 1") as messenger:
        await messenger.notify(notify("under way", recipient=str(BEN), idempotency_key="a"))
        await messenger.notify(
            notify("waits", recipient=str(ADA), idempotency_key="b"), subrequest_id=waiting
        )
        await place.pool.execute(
            "INSERT INTO provider_throttle VALUES ('telegram', 'bot', clock_now() + interval '2 s', clock_now())"
        )
        await place.switchboard.completed(waiting)
    [row] = await place.rows(
        "SELECT d.first_attempt_at >= t.throttled_until AS waited, d.attempts_used"
        " FROM delivery_requests d, provider_throttle t WHERE d.target_identity = '1001'"
    )
    assert row == {"waited": True, "attempts_used": 1}
