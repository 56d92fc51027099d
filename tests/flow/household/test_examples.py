"""Every message of `examples/messages` through the real household, once, and what became of it."""

import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime

import httpx
import pytest
import pytest_asyncio

from examples.demo.report import differences
from examples.demo.sending import Sender, waves
from examples.demo.watching import Finished, Watcher
from tests.support.household import RunningPlace, until
from tests.support.memory import LIMIT_MB, alone_mb
from tests.support.messages import load_examples

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("household")]

WAVE_DEADLINE_S = 90.0
TELEGRAM_OF_THE_HOUSEHOLD = {1001, 1002}


@dataclass(frozen=True)
class Day:
    """The household after all messages, and each message's end by its name in the index."""

    running: RunningPlace
    ends: dict[str, Finished]

    def of(self, channel: str) -> list[Finished]:
        return [end for end in self.ends.values() if end.sent.message.channel == channel]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def day(running: RunningPlace) -> AsyncIterator[Day]:
    providers, household = running.providers, running.household
    sender = Sender(providers, household.endpoints["webhook"], run=f"{time.time_ns():x}")
    watcher = Watcher(household, providers)
    ends: list[Finished] = []
    for wave in waves(load_examples()):
        sent = [await sender.send(message) for message in wave]
        ends += await watcher.finished(sent, deadline_s=WAVE_DEADLINE_S)
    yield Day(running, {end.sent.message.id: end for end in ends})


async def test_every_message_ends_where_a_person_would_expect_it(day: Day) -> None:
    assert differences(list(day.ends.values())) == []


@pytest.mark.spec("CNX-01.3")
async def test_a_duplicate_is_the_request_of_its_original_and_is_answered_once(day: Day) -> None:
    duplicates = [end for end in day.ends.values() if end.sent.message.duplicate_of]
    assert {end.sent.message.channel for end in duplicates} == {"telegram", "email", "api"}
    for end in duplicates:
        original = day.ends[end.sent.message.duplicate_of or ""]
        assert end.request_id == original.request_id
        assert end.replies == original.replies
    telegram = [
        (one["chat_id"], one["reply_to_message_id"], one["text"])
        for one in day.running.providers.telegram.sent
    ]
    answered = [one for one in telegram if one[1] is not None]
    assert len(answered) == len(set(answered))
    mails = [(str(mail.message()["In-Reply-To"]), mail.text) for mail in day.running.providers.smtp.accepted]
    assert len(mails) == len(set(mails))


async def test_a_stranger_gets_nothing_from_any_provider(day: Day) -> None:
    noted = [end for end in day.ends.values() if end.sent.message.reply == "owner-note"]
    assert {end.sent.message.channel for end in noted} == {"telegram", "email"}
    assert all(end.notes and not end.replies for end in noted)
    household_chats = TELEGRAM_OF_THE_HOUSEHOLD | {
        chat for end in day.of("telegram") if end.sent.message.reply == "yes" for chat in [_chat(end)]
    }
    strangers = {_chat(end) for end in day.of("telegram") if end.sent.message.reply == "owner-note"}
    log = day.running.providers.telegram.log
    assert strangers
    assert {entry["chat_id"] for entry in log} <= household_chats - strangers
    recipients = {to for mail in day.running.providers.smtp.accepted for to in mail.rcpt_to}
    assert recipients <= {"ada@example.org", "ben@example.org"}


async def test_an_injection_is_data(day: Day) -> None:
    end = day.ends["telegram-injection"]
    assert end.butlers == ("general",)
    assert len(end.replies) == 1
    told = [one for one in day.running.providers.telegram.sent if "tool_call" in one["text"]]
    assert told == []
    trace = json.loads((await day.running.place.verb("trace", end.request_id, "--json")).stdout)
    assert {item["origin_butler"] for item in trace["notifications"] if item["intent"] != "react"} == {
        "general"
    }


@pytest.mark.parametrize(
    "name",
    ["mail-two-domains", "telegram-injection", "mail-stranger-invoice", "telegram-groceries-again",
     "telegram-edited-blood-pressure", "mail-newsletter", "api-question-flight"],
)  # fmt: skip
async def test_the_trace_tells_the_whole_of_it(day: Day, name: str) -> None:
    end = day.ends[name]
    told = await day.running.place.verb("trace", end.request_id)
    assert (told.code, told.stderr) == (0, "")
    assert end.request_id in told.stdout
    for butler in end.butlers:
        assert butler in told.stdout
    for reply in end.replies:
        said = " ".join(reply.partition("] ")[2].split() or reply.split())
        assert said[:40] in " ".join(told.stdout.split())


async def test_the_dashboard_shows_the_day_to_whoever_opens_a_link_once(day: Day) -> None:
    base = day.running.household.endpoints["dashboard"]
    assert any(line.startswith(f"dashboard: {base}/login?once=") for line in day.running.place.lines)
    link = json.loads((await day.running.place.verb("dashboard", "--json")).stdout)["link"]
    async with httpx.AsyncClient(timeout=WAVE_DEADLINE_S, trust_env=False) as http:
        assert (await http.get(f"{base}/api/connectors")).status_code == 401
        assert (await http.get(link)).status_code == 200
        listed = (await http.get(f"{base}/api/connectors")).json()["connectors"]
        assert {(entry["connector_type"], entry["liveness"]) for entry in listed} == {
            ("telegram_bot", "online"),
            ("imap", "online"),
            ("webhook", "online"),
        }
        for end in day.of("telegram"):
            life = (await http.get(f"{base}/api/requests/{end.request_id}")).json()
            assert set(end.butlers) == {part["target"] for part in life["subroutes"]}
            answers = [one for one in life["deliveries"] if one["intent"] == "reply"]
            assert len(answers) == len(end.replies)
            assert all(one["status"] == "sent" and one["receipts"] for one in answers)
            assert life["timeline"][0]["event"] == "observed"
    async with httpx.AsyncClient(timeout=WAVE_DEADLINE_S, trust_env=False) as another:
        assert (await another.get(link)).status_code == 401


async def test_each_service_stays_small(day: Day) -> None:
    processes = (await day.running.status())["processes"]
    sizes = {one["name"]: alone_mb(one["name"], one["pid"]) for one in processes}
    assert {"switchboard", "messenger", "dashboard", "telegram", "mail", "webhook", "finance"} <= set(sizes)
    assert all(size <= LIMIT_MB for size in sizes.values()), sizes


def _chat(end: Finished) -> int:
    (content,) = (value for key, value in end.sent.message.document.items() if key != "update_id")
    return int(content["chat"]["id"])


async def test_a_mail_that_comes_back_shows_its_delivery_as_bounced_suppresses_its_address_and_is_told_once(
    day: Day,
) -> None:
    running, mail = day.running, day.running.providers.smtp.accepted[0]
    [address] = mail.rcpt_to
    await running.providers.imap.deliver(came_back(str(mail.message()["Message-ID"]), address))

    def told() -> list[str]:
        return [one["text"] for one in running.providers.telegram.sent if "came back" in one["text"]]

    async def heard() -> bool:
        return bool(told())

    await until(heard, what="the owner is told of the bounce")
    assert "(5.1.1 smtp; 550 no such user)" in told()[0]
    bounced = json.loads((await running.place.verb("deliveries", "--status", "bounced", "--json")).stdout)
    assert [one["target_identity"] for one in bounced["deliveries"]] == [address]
    listed = json.loads((await running.place.verb("suppressions", "--json")).stdout)["suppressions"]
    assert [(one["target_identity"], one["reason"]) for one in listed] == [(address, "bounced")]
    ended = await running.place.verb("suppressions", "end", listed[0]["suppression_id"])
    assert ended.stdout == f"{address} on email is written to again\n"
    assert len(told()) == 1


def came_back(message_id: str, address: str) -> bytes:
    """What a mail server sends where it cannot deliver the mail of this Message-ID."""
    return (
        "Return-Path: <>\r\nFrom: Mail Delivery System <MAILER-DAEMON@mx.example.org>\r\nTo: household@example.org\r\n"
        f"Subject: Undelivered Mail Returned to Sender\r\nMessage-ID: <dsn-of-{time.time_ns()}@mx.example.org>\r\n"
        f"Date: {format_datetime(datetime.now(UTC))}\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/plain\r\n\r\nYour message could not be delivered.\r\n"
        "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.org\r\n\r\n"
        f"Final-Recipient: rfc822; {address}\r\nAction: failed\r\nStatus: 5.1.1\r\n"
        "Diagnostic-Code: smtp; 550 no such user\r\n"
        f"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {message_id}\r\n--b--\r\n"
    ).encode()
