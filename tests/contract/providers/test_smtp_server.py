"""The SMTP server against RFC 5321 and RFC 4954, through aiosmtplib."""

from __future__ import annotations

import signal
from email.message import EmailMessage
from pathlib import Path

import aiosmtplib
import httpx
import pytest

from tests.support.child import ChildProcess
from tests.support.mail.smtp_server import SmtpFault, SmtpServer


def mail(text: str = "Grüße, noted.\n") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "butlers@example.org"
    message["To"] = "ada@example.org"
    message["Subject"] = "Re: Strom – Abschlag"
    message["Message-ID"] = "<d-1@butlers.example.org>"
    message.set_content(text)
    return message


async def send_to(
    port: int, *, username: str | None = None, password: str | None = None, timeout_s: float = 15
) -> str:
    _, answer = await aiosmtplib.send(
        mail(),
        hostname="127.0.0.1",
        port=port,
        timeout=timeout_s,
        start_tls=False,
        username=username,
        password=password,
    )
    return answer


async def send(server: SmtpServer, *, username: str | None = None, password: str | None = None) -> str:
    return await send_to(server.port, username=username, password=password)


async def test_an_accepted_mail_is_logged_before_its_250_and_survives_a_restart(tmp_path: Path) -> None:
    """RFC 5321 §4.2.5: with the 250 after DATA the server takes responsibility for the mail."""
    log = tmp_path / "mails.jsonl"
    async with SmtpServer(log=log) as first:
        assert "queued as 1" in await send(first)
    async with SmtpServer(log=log) as second:
        assert "queued as 2" in await send(second)
        kept, new = second.accepted
    assert (kept.mail_from, kept.rcpt_to) == ("butlers@example.org", ("ada@example.org",))
    assert (kept.message_id, kept.subject) == ("<d-1@butlers.example.org>", "Re: Strom – Abschlag")
    assert kept.text == "Grüße, noted.\n"
    assert kept.raw == new.raw
    assert kept.message()["To"] == "ada@example.org"


async def test_a_torn_last_line_is_a_mail_that_was_never_acknowledged(tmp_path: Path) -> None:
    log = tmp_path / "mails.jsonl"
    async with SmtpServer(log=log) as server:
        await send(server)
    with log.open("a", encoding="utf-8") as file:
        file.write('{"seq": 2, "mail_fr')
    async with SmtpServer(log=log) as server:
        await send(server)
    assert [accepted.seq for accepted in SmtpServer(log=log).accepted] == [1, 2]


async def test_auth_is_required_when_there_are_credentials() -> None:
    """RFC 4954: AUTH; 530 without it, 535 with a wrong password."""
    async with SmtpServer(user="butlers", password="right") as server:
        with pytest.raises(aiosmtplib.SMTPSenderRefused) as refused:
            await send(server)
        assert refused.value.code == 530
        with pytest.raises(aiosmtplib.SMTPAuthenticationError) as wrong:
            await send(server, username="butlers", password="wrong")
        assert wrong.value.code == 535
        await send(server, username="butlers", password="right")
        assert len(server.accepted) == 1


@pytest.mark.parametrize("mechanism", ["auth_login", "auth_plain"])
async def test_both_auth_mechanisms_work(mechanism: str) -> None:
    async with SmtpServer(user="butlers", password="right") as server:
        client = aiosmtplib.SMTP(hostname=server.host, port=server.port, timeout=15, start_tls=False)
        await client.connect()
        await client.ehlo()
        assert (await getattr(client, mechanism)("butlers", "right")).code == 235
        await client.quit()


@pytest.mark.parametrize("status", [451, 550])
async def test_a_scripted_refusal_at_rcpt_or_data_keeps_nothing(status: int) -> None:
    """RFC 5321 §4.2.1: 4yz transient, 5yz permanent."""
    async with SmtpServer() as server:
        server.script(SmtpFault("rcpt", "status", status=status))
        with pytest.raises(aiosmtplib.SMTPRecipientsRefused) as refused:
            await send(server)
        assert refused.value.recipients[0].code == status
        server.script(SmtpFault("data", "status", status=status))
        with pytest.raises(aiosmtplib.SMTPDataError) as failed:
            await send(server)
        assert failed.value.code == status
        assert server.accepted == []
        await send(server)
        assert len(server.accepted) == 1


@pytest.mark.parametrize(("stage", "kept"), [("data", 1), ("rcpt", 0)])
async def test_a_drop_gives_no_answer_whether_or_not_the_mail_was_taken(stage: str, kept: int) -> None:
    async with SmtpServer() as server:
        server.script(SmtpFault(stage, "drop"))
        with pytest.raises(aiosmtplib.SMTPException):
            await send(server)
        assert len(server.accepted) == kept


async def test_a_slow_answer_runs_into_the_client_s_deadline() -> None:
    async with SmtpServer() as server:
        server.script(SmtpFault("data", "slow", delay_s=30))
        with pytest.raises(aiosmtplib.SMTPException):
            await send_to(server.port, timeout_s=0.5)
        assert server.accepted == []


def test_an_impossible_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="expected rcpt or data"):
        SmtpFault("helo", "drop")
    with pytest.raises(ValueError, match="expected at data only"):
        SmtpFault("rcpt", "accept")


async def test_the_process_logs_mails_and_takes_faults_on_its_control_port(tmp_path: Path) -> None:
    log = tmp_path / "mails.jsonl"
    arguments = ["--port", "0", "--log", str(log)]
    with ChildProcess.python_module("tests.support.mail.smtp_server", *arguments) as child:
        words = child.read_line().split()
        port, control = int(words[3].rpartition(":")[2]), words[5]
        async with httpx.AsyncClient(base_url=control, timeout=60) as client:
            fault = {"stage": "rcpt", "kind": "status", "status": 550}
            assert (await client.post("/control/faults", json=fault)).json() == {"scripted": True}
            with pytest.raises(aiosmtplib.SMTPRecipientsRefused):
                await send_to(port)
            await send_to(port)
            logged = (await client.get("/control/log")).json()["log"]
        assert [entry["subject"] for entry in logged] == ["Re: Strom – Abschlag"]
        assert child.stop(signal.SIGTERM) == 0
    assert len(log.read_text(encoding="utf-8").splitlines()) == 1
