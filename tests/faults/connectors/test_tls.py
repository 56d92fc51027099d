"""Mail over TLS: the household's own authority is trusted by its bundle or in the system's place, nobody else's is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from butler_kit.config import MailServer, SentMailbox
from butler_kit.time import SystemClock
from butler_messenger.delivery.channels.email import EmailChannel
from butler_messenger.delivery.channels.port import Outgoing
from butler_messenger.delivery.channels.sent_mailbox import ImapSentMailbox
from butler_messenger.delivery.outcomes import Sent, Unreachable
from tests.faults.connectors.sources import MAILBOX, PASSWORD, USER, imap_env, letter
from tests.integration.connectors.fake_switchboard import FakeSwitchboard
from tests.integration.connectors.running import connector, health_until, ready
from tests.support.certificates import Authority
from tests.support.mail.imap_server import ImapServer
from tests.support.mail.smtp_server import SmtpServer


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority.make(tmp_path / "authority")


@pytest.fixture(params=["SSL_CERT_FILE", "BUTLERS_CA_FILE"])
def variable(request: pytest.FixtureRequest) -> str:
    """How the authority is made known."""
    return str(request.param)


@pytest.fixture
async def secure_imap(authority: Authority) -> AsyncIterator[ImapServer]:
    async with ImapServer(user=USER, password=PASSWORD, tls=authority.server()) as server:
        yield server


def mailbox_env(imap: ImapServer, switchboard: FakeSwitchboard, folder: Path) -> dict[str, str]:
    token = switchboard.token_file("imap", MAILBOX)
    return imap_env(folder, port=imap.port, switchboard=switchboard.sse_url, token=token, IMAP_TLS="implicit")


async def test_a_mailbox_behind_the_households_own_authority_is_read(
    secure_imap: ImapServer,
    authority: Authority,
    switchboard: FakeSwitchboard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    monkeypatch.setenv(variable, str(authority.file))
    async with connector(mailbox_env(secure_imap, switchboard, tmp_path)) as service:
        await ready(service)
        await secure_imap.deliver(letter("in private", message_id="<tls@example.org>"))
        await switchboard.until(lambda s: len(s.texts) == 1, timeout_s=60)
    assert switchboard.texts == ["Subject: A bill\n\nin private"]


async def test_a_mailbox_that_cannot_prove_itself_never_sees_the_password(
    secure_imap: ImapServer,
    switchboard: FakeSwitchboard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    monkeypatch.setenv(variable, str(Authority.make(tmp_path / "other", "other").file))
    async with connector(mailbox_env(secure_imap, switchboard, tmp_path)) as service:
        page = await health_until(service, "degraded")
        assert not (await service.readiness()).ready
    assert "no TLS" in page["error_message"]
    assert "its certificate is not trusted" in page["error_message"]
    assert PASSWORD not in page["error_message"]
    assert switchboard.submissions == []


def channel(smtp: SmtpServer, tls: str) -> EmailChannel:
    server = MailServer(host=smtp.host, port=smtp.port, tls=tls)
    return EmailChannel(
        address=USER, password=PASSWORD, server=server, domain="example.org", clock=SystemClock()
    )


async def send(one: EmailChannel) -> tuple[object, int]:
    """The outcome of a mail to Ada, and how many marks were asked for."""
    marks: list[None] = []

    async def mark() -> None:
        marks.append(None)

    mail = Outgoing(uuid4(), "key", "finance", "send", "ada@example.org", "12 euro", subject="Money")
    return await one.send(mail, part=0, mark=mark), len(marks)


@pytest.mark.parametrize("tls", ["implicit", "starttls"])
async def test_a_mail_goes_out_over_tls_once(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, variable: str, tls: str
) -> None:
    monkeypatch.setenv(variable, str(authority.file))
    async with SmtpServer(
        user=USER, password=PASSWORD, tls=authority.server(), starttls=tls == "starttls"
    ) as smtp:
        outcome, marks = await send(channel(smtp, tls))
    assert isinstance(outcome, Sent)
    assert (len(smtp.accepted), marks) == (1, 1)


@pytest.mark.parametrize("tls", ["implicit", "starttls"])
async def test_a_mail_server_that_cannot_prove_itself_gets_neither_password_nor_mail(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, tls: str
) -> None:
    monkeypatch.setenv(variable, str(Authority.make(tmp_path / "other", "other").file))
    async with SmtpServer(
        user=USER, password=PASSWORD, tls=authority.server(), starttls=tls == "starttls"
    ) as smtp:
        outcome, marks = await send(channel(smtp, tls))
    assert isinstance(outcome, Unreachable)
    assert "its certificate is not trusted" in outcome.failure.message
    assert (smtp.accepted, marks) == ([], 0)


async def test_a_certificate_for_another_name_is_refused(
    authority: Authority, tmp_path: Path, switchboard: FakeSwitchboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUTLERS_CA_FILE", str(authority.file))
    elsewhere = authority.server("127.0.0.2")
    async with SmtpServer(user=USER, password=PASSWORD, tls=elsewhere) as smtp:
        outcome, _ = await send(channel(smtp, "implicit"))
    assert isinstance(outcome, Unreachable)
    assert "its certificate is for another name" in outcome.failure.message
    async with (
        ImapServer(user=USER, password=PASSWORD, tls=elsewhere) as imap,
        connector(mailbox_env(imap, switchboard, tmp_path)) as service,
    ):
        page = await health_until(service, "degraded")
    assert "its certificate is for another name" in page["error_message"]


async def test_a_mail_server_without_starttls_gets_no_mail_in_the_clear() -> None:
    async with SmtpServer() as smtp:
        outcome, marks = await send(channel(smtp, "starttls"))
    assert isinstance(outcome, Unreachable)
    assert (smtp.accepted, marks) == ([], 0)


async def test_the_sent_mailbox_is_asked_over_tls(
    secure_imap: ImapServer,
    authority: Authority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    await secure_imap.deliver(letter("sent", message_id="<ours@example.org>"))
    server = SentMailbox(host=secure_imap.host, port=secure_imap.port, tls="implicit", name="INBOX")
    mailbox = ImapSentMailbox(server, USER, PASSWORD)
    monkeypatch.setenv(variable, str(authority.file))
    async with asyncio.timeout(60):
        assert await mailbox.find("<ours@example.org>") == "found"
        assert await mailbox.find("<not-ours@example.org>") == "not_found"
        monkeypatch.setenv(variable, str(Authority.make(tmp_path / "other", "other").file))
        assert await mailbox.find("<ours@example.org>") == "unavailable"
