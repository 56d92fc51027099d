"""Every channel keeps the same promises to the worker: mark, then the call; certain only when certain (D41)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_contracts.notify import Format
from butler_kit.config import MailServer
from butler_kit.queue import LeaseLost
from butler_kit.time import SystemClock
from butler_messenger.delivery.channels.email import EmailChannel
from butler_messenger.delivery.channels.port import Channel, Enclosed, Outgoing
from butler_messenger.delivery.channels.telegram import TelegramChannel
from butler_messenger.delivery.outcomes import Ambiguous, Refused, Sent, Unreachable
from tests.support.loopback import free_socket
from tests.support.mail.smtp_server import SmtpFault, SmtpServer
from tests.support.markdown_texts import MARKDOWN
from tests.support.telegram_api import Fault, TelegramApiServer

TOKEN = "4711:token-of-the-test-bot"
USER, PASSWORD = "home@butlers.test", "password-of-the-mailbox"


@dataclass
class Bench:
    """One channel with its provider, and how to make the provider fail."""

    channel: Channel
    outgoing: Outgoing
    seen: Callable[[], int]
    refuse: Callable[[], None]
    lose_answer: Callable[[], None]
    refuse_file: Callable[[], None]
    wire: Callable[[], list[Any]]
    """What the provider has of each message."""


def outgoing(target: str) -> Outgoing:
    return Outgoing(uuid4(), "key", "finance", "send", target, "12 euro", subject="Money")


@asynccontextmanager
async def telegram() -> AsyncIterator[Bench]:
    async with TelegramApiServer(token=TOKEN) as api:
        api.add_chat({"id": 1001, "type": "private", "first_name": "Ada"})
        channel = TelegramChannel(token=TOKEN, api_base_url=api.url, timeout_s=5.0)
        yield Bench(
            channel,
            outgoing("1001"),
            lambda: len(api.sent),
            lambda: api.script(Fault("sendMessage", "status", status=400)),
            lambda: api.script(Fault("sendMessage", "drop", applied=True)),
            lambda: api.script(Fault("sendDocument", "status", status=413)),
            lambda: [(one["text"], [e["type"] for e in one.get("entities", ())]) for one in api.sent],
        )
        await channel.aclose()


@asynccontextmanager
async def email() -> AsyncIterator[Bench]:
    async with SmtpServer(user=USER, password=PASSWORD) as smtp:
        yield Bench(
            email_channel(smtp.port),
            outgoing("ada@example.org"),
            lambda: len(smtp.accepted),
            lambda: smtp.script(SmtpFault("data", "status", status=550)),
            lambda: smtp.script(SmtpFault("data", "drop")),
            lambda: smtp.script(SmtpFault("data", "status", status=554)),
            lambda: [one.message().get_content().replace("\r\n", "\n").strip() for one in smtp.accepted],
        )


def email_channel(port: int, *, password: str = PASSWORD) -> EmailChannel:
    server = MailServer(host="127.0.0.1", port=port, tls="none")
    return EmailChannel(
        address=USER, password=password, server=server, domain="butlers.test", clock=SystemClock()
    )


BENCHES = pytest.mark.parametrize("bench", [telegram, email])


class Marks:
    """Counts marks, and what the provider had seen at each."""

    def __init__(self, seen: Callable[[], int]) -> None:
        self.seen_at: list[int] = []
        self._seen = seen

    async def __call__(self) -> None:
        self.seen_at.append(self._seen())


@BENCHES
async def test_the_mark_comes_before_the_provider_has_anything_and_once_a_call(bench) -> None:
    async with bench() as b:
        marks = Marks(b.seen)
        outcome = await b.channel.send(b.outgoing, part=0, mark=marks)
        assert isinstance(outcome, Sent)
        assert outcome.provider_delivery_id
        assert marks.seen_at == [0]
        assert b.seen() == 1
        assert "12 euro" not in str(outcome.response)


@BENCHES
async def test_a_mark_that_is_refused_prevents_the_call(bench) -> None:
    async with bench() as b:

        async def refuse() -> None:
            raise LeaseLost("another worker has it")

        with pytest.raises(LeaseLost):
            await b.channel.send(b.outgoing, part=0, mark=refuse)
        assert b.seen() == 0


@BENCHES
async def test_a_providers_refusal_is_proof_that_nothing_was_sent(bench) -> None:
    async with bench() as b:
        b.refuse()
        outcome = await b.channel.send(b.outgoing, part=0, mark=Marks(b.seen))
        assert isinstance(outcome, Refused)
        assert b.seen() == 0


@BENCHES
async def test_a_lost_answer_is_ambiguous(bench) -> None:
    async with bench() as b:
        b.lose_answer()
        outcome = await b.channel.send(b.outgoing, part=0, mark=Marks(b.seen))
        assert isinstance(outcome, Ambiguous)
        assert b.seen() == 1


@pytest.mark.parametrize("name", ["telegram", "email"])
async def test_a_provider_that_cannot_be_reached_has_sent_nothing_and_may_be_tried_again(name: str) -> None:
    with free_socket() as unused:
        port = unused.getsockname()[1]
        channel: Channel = (
            TelegramChannel(token=TOKEN, api_base_url=f"http://127.0.0.1:{port}", timeout_s=5.0)
            if name == "telegram"
            else email_channel(port)
        )
        target = "1001" if name == "telegram" else "ada@example.org"
        outcome = await channel.send(outgoing(target), part=0, mark=Marks(lambda: 0))
        await channel.aclose()
    assert isinstance(outcome, Unreachable)
    assert outcome.failure.retryable


async def test_a_wrong_password_of_the_mail_account_is_refused_before_the_mark() -> None:
    async with SmtpServer(user=USER, password=PASSWORD) as smtp:
        marks = Marks(lambda: len(smtp.accepted))
        channel = email_channel(smtp.port, password="wrong")
        outcome = await channel.send(outgoing("ada@example.org"), part=0, mark=marks)
    assert isinstance(outcome, Refused)
    assert not outcome.failure.retryable
    assert marks.seen_at == []


@BENCHES
async def test_each_delivery_names_its_channel_tool(bench) -> None:
    async with bench() as b:
        send = b.channel.tool_for(b.outgoing)
        reply = b.channel.tool_for(replace(b.outgoing, intent="reply", reply_to="7"))
    assert send == f"{b.channel.name}_send_message"
    assert reply in ("telegram_reply_to_message", "email_reply_to_thread")


MARKED = "# Today\n**12 €** for *Ben* 👋: [the bill](https://example.org/a_b)\n> `x` 2*3*4"


@pytest.mark.parametrize("form", ["plain", "markdown"])
async def test_each_channel_says_a_text_as_its_format_has_it_and_a_second_time_the_same(form: Format) -> None:
    """Twice, as after an answer that was lost: what the provider gets is the same to the byte."""
    async with telegram() as chat, email() as mail:
        said = replace(chat.outgoing, message=MARKED, format=form)
        for bench in (chat, mail):
            for _ in range(2):
                to = replace(said, target=bench.outgoing.target)
                assert isinstance(await bench.channel.send(to, part=0, mark=Marks(bench.seen)), Sent)
        first, second = chat.wire()
        letter, again = mail.wire()
    assert (first, letter) == (second, again)
    marked = form == "markdown"
    assert first[0] == f"[finance] {MARKED if not marked else TODAY}"
    assert first[1] == (["bold", "bold", "italic", "text_link", "blockquote", "code"] if marked else [])
    assert letter == (BY_MAIL if marked else MARKED)


TODAY = "Today\n12 € for Ben 👋: the bill\nx 2*3*4"
BY_MAIL = "Today\n12 € for Ben 👋: the bill (https://example.org/a_b)\n> x 2*3*4"


@settings(max_examples=60, deadline=None)
@given(st.lists(MARKDOWN, max_size=200).map(" ".join).filter(str.strip))
def test_telegram_refuses_no_text_whatever_is_written(markdown: str) -> None:
    asyncio.run(_sent_whole(markdown))


async def _sent_whole(markdown: str) -> None:
    async with telegram() as b:
        said = replace(b.outgoing, message=markdown, format="markdown")
        for part in range(b.channel.part_count(said)):
            assert isinstance(await b.channel.send(said, part=part, mark=Marks(b.seen)), Sent)


def with_file(outgoing: Outgoing) -> Outgoing:
    return replace(outgoing, files=(Enclosed("bill.pdf", "application/pdf", 4, content=b"%PDF"),))


@BENCHES
async def test_a_file_goes_in_the_call_that_says_that_it_carries_it(bench) -> None:
    async with bench() as b:
        marks, whole = Marks(b.seen), with_file(b.outgoing)
        assert b.channel.carries_files
        assert (b.channel.part_count(whole), b.channel.enclosed(whole, 0)) == (1, (0,))
        assert isinstance(await b.channel.send(whole, part=0, mark=marks), Sent)
        assert (marks.seen_at, b.seen()) == ([0], 1)


@pytest.mark.parametrize("name", ["telegram", "email"])
async def test_a_call_that_is_refused_names_the_files_without_which_it_may_be_taken(name: str) -> None:
    bench = telegram if name == "telegram" else email
    async with bench() as b:
        b.refuse_file()
        outcome = await b.channel.send(with_file(b.outgoing), part=0, mark=Marks(b.seen))
        assert isinstance(outcome, Refused)
        assert (outcome.files, b.seen()) == ((0,), 0)
        b.refuse()
        plain = await b.channel.send(b.outgoing, part=0, mark=Marks(b.seen))
        assert isinstance(plain, Refused)
        assert plain.files == ()


async def test_a_mail_server_that_says_how_much_it_takes_is_not_sent_more() -> None:
    """RFC 1870: the size stands in MAIL FROM, so that nothing of the mail is on its way when it is refused."""
    async with SmtpServer(user=USER, password=PASSWORD, most_bytes=10_000) as smtp:
        channel, marks = email_channel(smtp.port), Marks(lambda: len(smtp.accepted))
        large = Enclosed("a.zip", "application/zip", 20_000, content=bytes(20_000))
        outcome = await channel.send(replace(outgoing("ada@example.org"), files=(large,)), part=0, mark=marks)
    assert isinstance(outcome, Refused)
    assert (outcome.files, marks.seen_at) == ((0,), [])


async def test_a_mail_server_without_logins_is_used_without_one() -> None:
    async with SmtpServer() as smtp:
        outcome = await email_channel(smtp.port).send(
            outgoing("ada@example.org"), part=0, mark=Marks(lambda: len(smtp.accepted))
        )
        assert isinstance(outcome, Sent)
        assert len(smtp.accepted) == 1
