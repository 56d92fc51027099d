"""Killed between the provider's acceptance and the receipt: never sent twice, never lost in silence (D41, MSG-7)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import structlog
from imapclient import IMAPClient

from tests.integration.messenger.household import (
    ADDRESS,
    MAIL_PASSWORD,
    Client,
    Place,
    envelope,
    eventually,
    messenger_process,
    notify,
    request_context,
)
from tests.support.mail.imap_server import ImapServer
from tests.support.mail.smtp_server import SmtpFault
from tests.support.telegram_api import Fault

LEASE = timedelta(seconds=40)


async def killed(place: Place, point: str, wish: Mapping[str, Any], *, text: str | None = None) -> UUID:
    """Give a wish to a Messenger that dies at `point` of its call; its subrequest."""
    subrequest_id = uuid4()
    config = place.folder / "butler.toml"
    config.write_text(text or place.config_text("answer_wait_s = 0.0"), encoding="utf-8")
    process, port = await messenger_process(config, point, {**os.environ, **place.env})
    try:
        client = Client(place, f"http://127.0.0.1:{port}")
        with contextlib.suppress(ConnectionError):
            await client.execute(envelope(wish, subrequest_id=subrequest_id))
        assert await asyncio.wait_for(process.wait(), 90) == -signal.SIGKILL
        await client.aclose()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return subrequest_id


async def only_row(place: Place) -> dict[str, Any]:
    """A butler's; on a slow machine Messenger has told the owner of the uncertain one meanwhile."""
    [row] = await place.rows("SELECT * FROM delivery_requests WHERE origin_butler <> 'messenger'")
    return row


def deliveries_seen(place: Place) -> int:
    """What providers took of butlers' messages; on a slow machine the owner is told of the uncertain one meanwhile."""
    said = [str(one["text"]) for one in place.telegram.sent] + [mail.text for mail in place.smtp.accepted]
    return sum(
        text.strip().startswith(("You spent", "[finance] You spent", "next", "[finance] next"))
        for text in said
    )


@pytest.mark.parametrize("channel", ["telegram", "email"])
async def test_a_crash_before_the_call_is_followed_by_one_send(place: Place, channel: str) -> None:
    subrequest_id = await killed(place, "before_mark", notify(channel=channel, idempotency_key="x"))
    assert deliveries_seen(place) == 0
    await place.database.shift_clock(LEASE)
    async with place.messenger():
        completion = await place.switchboard.completed(subrequest_id)
    assert completion.status == "ok"
    assert deliveries_seen(place) == 1


@pytest.mark.spec("MSG-7")
@pytest.mark.parametrize("channel", ["telegram", "email"])
@pytest.mark.parametrize("point", ["after_mark", "after_call"])
async def test_a_crash_during_the_call_is_uncertain_and_never_sent_again(
    place: Place, channel: str, point: str
) -> None:
    wish = notify(channel=channel, idempotency_key="x")
    subrequest_id = await killed(place, point, wish)
    seen = deliveries_seen(place)
    assert seen == (1 if point == "after_call" else 0)
    await place.database.shift_clock(LEASE)
    async with place.messenger() as messenger:
        completion = await place.switchboard.completed(subrequest_id)
        # The thread goes on, and asking again changes nothing.
        assert (await messenger.notify(notify("next", channel=channel, idempotency_key="y"))).status == "ok"
        again = await messenger.notify(wish)
    told = completion.notify_response()
    assert told is not None
    assert told.delivery is not None
    assert told.delivery.state == "uncertain"
    assert again == told
    assert deliveries_seen(place) == seen + 1


async def test_a_crash_is_followed_by_another_send_where_the_household_chose_so(place: Place) -> None:
    chosen = {"channels": {"telegram": {"atLeastOnce": ["send"]}}, "answerWaitSeconds": 0}
    text = place.rendered({"delivery": chosen})
    subrequest_id = await killed(place, "after_call", notify(idempotency_key="x"), text=text)
    await place.database.shift_clock(LEASE)
    async with place.messenger(text=text):
        assert (await place.switchboard.completed(subrequest_id)).status == "ok"
    assert len(place.telegram.sent) == 2


def with_mailbox(place: Place, imap: ImapServer, *, autofile: bool) -> str:
    mailbox = (
        f'\n[modules.email.bot.sent_mailbox]\nhost = "127.0.0.1"\nport = {imap.port}\n'
        'tls = "none"\nname = "INBOX"\n'
    )
    bot = f"[modules.email.bot]\nsent_autofile = {str(autofile).lower()}\n\n[modules.email.bot.smtp]"
    return place.config_text("answer_wait_s = 0.0").replace("[modules.email.bot.smtp]", bot) + mailbox


@pytest.mark.spec("MSG-7")
async def test_a_mail_that_its_sent_mailbox_has_was_sent(place: Place) -> None:
    async with ImapServer(user=ADDRESS, password=MAIL_PASSWORD) as imap:
        text = with_mailbox(place, imap, autofile=False)
        subrequest_id = await killed(
            place, "after_call", notify(channel="email", idempotency_key="x"), text=text
        )
        await imap.deliver(place.smtp.accepted[0].raw)
        await place.database.shift_clock(LEASE)
        async with place.messenger(text=text):
            completion = await place.switchboard.completed(subrequest_id)
    assert completion.status == "ok"
    assert len(place.smtp.accepted) == 1
    row = await only_row(place)
    assert (row["status"], row["provider_delivery_id"]) == ("sent", place.smtp.accepted[0].message_id)
    [receipt] = await place.rows("SELECT evidence FROM delivery_receipts")
    assert receipt["evidence"] == "sent_mailbox"


@pytest.mark.parametrize("autofile", [True, False])
async def test_a_mail_that_is_not_in_the_sent_mailbox_is_sent_again_only_where_the_account_files_itself(
    place: Place, autofile: bool
) -> None:
    async with ImapServer(user=ADDRESS, password=MAIL_PASSWORD) as imap:
        text = with_mailbox(place, imap, autofile=autofile)
        subrequest_id = await killed(
            place, "after_mark", notify(channel="email", idempotency_key="x"), text=text
        )
        await place.database.shift_clock(timedelta(seconds=200))
        async with place.messenger(text=text):
            completion = await place.switchboard.completed(subrequest_id)
    told = completion.notify_response()
    assert told is not None
    assert told.delivery is not None
    assert told.delivery.state == ("sent" if autofile else "uncertain")
    assert len(place.smtp.accepted) == (1 if autofile else 0)
    assert (await only_row(place))["status"] == ("sent" if autofile else "uncertain")


async def test_an_account_gets_its_two_minutes_to_file(place: Place) -> None:
    async with ImapServer(user=ADDRESS, password=MAIL_PASSWORD) as imap:
        text = with_mailbox(place, imap, autofile=True)
        await killed(place, "after_call", notify(channel="email", idempotency_key="x"), text=text)
        await place.database.shift_clock(LEASE)
        seen = imap.connections_seen
        async with place.messenger(text=text):
            await eventually(lambda: imap.connections_seen > seen)
            await asyncio.sleep(0.2)
            assert (await only_row(place))["status"] == "in_progress"
    assert len(place.smtp.accepted) == 1


@pytest.mark.parametrize("applied", [True, False])
async def test_a_connection_that_breaks_after_the_request_leaves_it_uncertain(
    place: Place, applied: bool
) -> None:
    place.telegram.script(Fault("sendMessage", "drop", count=1, applied=applied))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(idempotency_key="x"))
    assert answer.delivery is not None
    assert answer.delivery.state == "uncertain"
    assert len(place.telegram.sent) == (1 if applied else 0)


async def test_a_lost_answer_to_the_content_of_a_mail_is_resolved_by_the_sent_mailbox(place: Place) -> None:
    place.smtp.script(SmtpFault("data", "drop"))
    subrequest_id = uuid4()
    wish = notify(channel="email", intent="reply", context=request_context("email"))
    async with (
        ImapServer(user=ADDRESS, password=MAIL_PASSWORD) as imap,
        place.messenger(text=with_mailbox(place, imap, autofile=False)) as messenger,
    ):
        await messenger.execute(envelope(wish, subrequest_id=subrequest_id))
        await place.smtp.until(lambda smtp: len(smtp.accepted) == 1)
        await imap.deliver(place.smtp.accepted[0].raw)
        completion = await place.switchboard.completed(subrequest_id)
    assert completion.status == "ok"
    assert len(place.smtp.accepted) == 1


@pytest.mark.parametrize(
    ("password", "name", "said"),
    [
        ("another password", "INBOX", "the mail server refuses the login to the sent mailbox ("),
        (MAIL_PASSWORD, "Nowhere", "the account has no mailbox 'Nowhere': check"),
        (MAIL_PASSWORD, "Messages envoy\u00e9s", "the account has no mailbox 'Messages envoy\u00e9s': check"),
    ],
)
async def test_a_sent_mailbox_that_cannot_be_asked_is_told_of_before_it_is_needed(
    place: Place, password: str, name: str, said: str
) -> None:
    await told_before_it_is_needed(place, password=password, name=name, said=said)


async def test_a_password_that_imap_does_not_take_is_told_of_before_it_is_needed(place: Place) -> None:
    password = "p\u00e4ssword"
    place.more_environment["BUTLER_EMAIL_PASSWORD"] = password
    said = "the login to the sent mailbox has a letter that IMAP does not take: "
    await told_before_it_is_needed(place, password=password, name="INBOX", said=said)


async def told_before_it_is_needed(place: Place, *, password: str, name: str, said: str) -> None:
    async with ImapServer(user=ADDRESS, password=password) as imap:
        text = with_mailbox(place, imap, autofile=False).replace('"INBOX"', f'"{name}"')
        with structlog.testing.capture_logs() as logs:
            async with place.messenger(text=text) as messenger:
                await eventually(lambda: any(log["event"] == "sent_records_unavailable" for log in logs))
                metrics = (await messenger.get("/metrics")).text
    [told] = [log["problem"] for log in logs if log["event"] == "sent_records_unavailable"]
    assert told.startswith(said)
    assert "[modules.email.bot.sent_mailbox]" in told
    assert password not in told
    assert 'butlers_messenger_records_available{channel="email"} 0.0' in metrics


async def test_a_sent_mailbox_that_can_be_asked_says_so(place: Place) -> None:
    async with (
        ImapServer(user=ADDRESS, password=MAIL_PASSWORD) as imap,
        place.messenger(text=with_mailbox(place, imap, autofile=False)) as messenger,
        asyncio.timeout(90),
    ):
        while "records_available{" not in (metrics := (await messenger.get("/metrics")).text):
            await asyncio.sleep(0.05)
    assert 'butlers_messenger_records_available{channel="email"} 1.0' in metrics


async def test_a_sent_mailbox_may_have_the_name_that_its_people_see(place: Place) -> None:
    def create(port: int) -> None:
        with IMAPClient("127.0.0.1", port, ssl=False) as client:
            client.login(ADDRESS, MAIL_PASSWORD)
            client.create_folder("Messages envoy\u00e9s")

    async with ImapServer(user=ADDRESS, password=MAIL_PASSWORD) as imap:
        await asyncio.to_thread(create, imap.port)
        text = with_mailbox(place, imap, autofile=False).replace('"INBOX"', '"Messages envoy\u00e9s"')
        async with place.messenger(text=text) as messenger, asyncio.timeout(90):
            while "records_available{" not in (metrics := (await messenger.get("/metrics")).text):
                await asyncio.sleep(0.05)
    assert 'butlers_messenger_records_available{channel="email"} 1.0' in metrics


async def test_what_left_a_delivery_uncertain_is_told_as_it_was(place: Place) -> None:
    """The connection broke while Messenger ran on: its words are not those of a Messenger that stopped."""
    place.smtp.script(SmtpFault("data", "drop"))
    async with (
        ImapServer(user=ADDRESS, password=MAIL_PASSWORD) as imap,
        place.messenger(text=with_mailbox(place, imap, autofile=False)) as messenger,
    ):
        answer = await messenger.notify(notify(channel="email", idempotency_key="x"))
        assert answer.delivery is not None
        row = await place.until_status(answer.delivery.delivery_id, "uncertain")
    [attempt] = await place.rows("SELECT error_class, error_message FROM delivery_attempts")
    assert (row["error_class"], attempt["error_class"]) == ("target_unavailable", "target_unavailable")
    for told in (row["error_message"], attempt["error_message"]):
        assert told.startswith("the mail server's answer to the content was lost (")
        assert "Messenger stopped" not in told


async def test_parts_before_a_crash_are_not_sent_again(place: Place) -> None:
    """The second part is under way when the process dies: the first stays, the rest waits for an operator."""
    text = "\n\n".join(f"{number} " + "x" * 3000 for number in range(3))
    place.telegram.script(Fault("sendMessage", "slow", count=1, delay_s=0.0))
    place.telegram.script(Fault("sendMessage", "drop", count=1, applied=True))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(text, idempotency_key="x"))
        again = await messenger.notify(notify(text, idempotency_key="x"))
    assert answer.delivery is not None
    assert answer.delivery.state == "uncertain"
    assert again == answer
    assert len(place.telegram.sent) == 2
    assert [r["part"] for r in await place.rows("SELECT part FROM delivery_receipts")] == [0]
