"""E-mail with aiosmtplib: send and reply, one SMTP dialogue per message (MSR-02.1, D41).

The marker is set after the server has accepted sender and recipient, immediately before the content: whatever
fails earlier was certainly not sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from email.message import EmailMessage
from typing import Final
from uuid import UUID

import aiosmtplib

from butler_contracts.addresses import wire_address
from butler_contracts.errors import ErrorClass
from butler_contracts.keys import message_id_for
from butler_contracts.text import storable
from butler_kit.config import MailServer
from butler_kit.time import Clock
from butler_kit.tls import client_context
from butler_messenger.delivery.channels.email_compose import compose, with_files
from butler_messenger.delivery.channels.port import Enclosed, Mark, Outgoing, upload_s
from butler_messenger.delivery.channels.sent_mailbox import ImapSentMailbox
from butler_messenger.delivery.channels.smtp_errors import Stage, outcome_of
from butler_messenger.delivery.decisions import Evidence
from butler_messenger.delivery.outcomes import Failure, ProviderOutcome, Refused, Sent

__all__ = ["EmailChannel"]


_NO_SMTPUTF8: Final = (
    "the mail server takes no addresses whose name has letters such as ö (it does not offer SMTPUTF8): "
    "use an address in plain letters for this person"
)


class EmailChannel:
    """One mail account; `address` is both the login and the sender.

    `step_timeout_s` bounds the connection and each step before the content, `timeout_s` the answer to the content:
    servers that scan mails answer its end after half a minute (RFC 5321 §4.5.3.2.6 allows ten).
    `list_unsubscribe`: a connector reads the account's mailbox, so that unsubscribe mails sent there are seen.
    """

    name = "email"
    carries_files = True

    def __init__(
        self,
        *,
        address: str,
        password: str,
        server: MailServer,
        domain: str,
        clock: Clock,
        timeout_s: float = 45.0,
        step_timeout_s: float = 15.0,
        sent_mailbox: ImapSentMailbox | None = None,
        autofile: bool = False,
        list_unsubscribe: bool = True,
    ) -> None:
        self.keeps_records = sent_mailbox is not None
        self.autofile = autofile and sent_mailbox is not None
        self._address = address
        self._sender = wire_address(address)
        self._password = password
        self._server = server
        self._domain = domain
        self._clock = clock
        self._timeout_s = timeout_s
        self._step_timeout_s = step_timeout_s
        self._sent_mailbox = sent_mailbox
        self._list_unsubscribe = list_unsubscribe

    def tool_for(self, outgoing: Outgoing) -> str:
        return "email_reply_to_thread" if outgoing.intent == "reply" else "email_send_message"

    def part_count(self, outgoing: Outgoing) -> int:
        return 1

    def enclosed(self, outgoing: Outgoing, part: int) -> tuple[int, ...]:
        return tuple(range(len(outgoing.files)))

    async def send(self, outgoing: Outgoing, *, part: int, mark: Mark) -> ProviderOutcome:
        message_id = self.record_id(outgoing)
        if outgoing.intent == "reply":
            return await self.email_reply_to_thread(
                outgoing.target,
                outgoing.subject,
                outgoing.said.plain,
                reply_to=outgoing.reply_to,
                references=outgoing.references,
                origin=outgoing.origin_butler,
                message_id=message_id,
                mark=mark,
                files=outgoing.files,
            )
        return await self.email_send_message(
            outgoing.target,
            outgoing.subject,
            outgoing.said.plain,
            origin=outgoing.origin_butler,
            message_id=message_id,
            mark=mark,
            unsubscribe_token=outgoing.unsubscribe_token if self._list_unsubscribe else None,
            files=outgoing.files,
        )

    async def email_send_message(
        self,
        to: str,
        subject: str | None,
        body: str,
        *,
        origin: str,
        message_id: str,
        mark: Mark,
        unsubscribe_token: UUID | None = None,
        files: Sequence[Enclosed] = (),
    ) -> ProviderOutcome:
        """Send a new message; the provider's id is the Message-ID."""
        message = compose(
            sender=self._sender,
            recipient=to,
            origin=origin,
            subject=subject,
            body=body,
            message_id=message_id,
            date=self._clock.now(),
            unsubscribe_token=unsubscribe_token,
        )
        return await self._hand_over(to, message, message_id, files, mark)

    async def email_reply_to_thread(
        self,
        to: str,
        subject: str | None,
        body: str,
        *,
        reply_to: str | None,
        references: Sequence[str],
        origin: str,
        message_id: str,
        mark: Mark,
        files: Sequence[Enclosed] = (),
    ) -> ProviderOutcome:
        """Send a reply, in the thread of the mail `reply_to` if that is known."""
        message = compose(
            sender=self._sender,
            recipient=to,
            origin=origin,
            subject=subject,
            body=body,
            message_id=message_id,
            date=self._clock.now(),
            reply=True,
            reply_to=reply_to,
            references=references,
        )
        return await self._hand_over(to, message, message_id, files, mark)

    async def _hand_over(
        self, to: str, message: EmailMessage, message_id: str, files: Sequence[Enclosed], mark: Mark
    ) -> ProviderOutcome:
        stage: Stage = "connecting"
        carried = tuple(number for number, one in enumerate(files) if one.content is not None)
        # Encoding twenty megabytes as base64 takes half a second, which would hold up others.
        content = await asyncio.to_thread(with_files, message, files) if files else bytes(message)
        try:
            client = self._client()
        except OSError as error:
            return outcome_of(error, stage=stage)
        try:
            await client.connect()
            stage = "talking"
            refusal = await self._log_in(client)
            if refusal is not None:
                return refusal
            refusal = await self._introduce(client, to, len(content) if carried else None)
            if refusal is not None:
                return refusal
            await mark()
            stage = "content"
            response = await client.data(content, timeout=self._timeout_s + upload_s(files))
        except (aiosmtplib.SMTPException, OSError) as error:
            return outcome_of(error, stage=stage, files=carried)
        finally:
            client.close()
        return Sent(message_id, {"code": response.code, "message": storable(response.message[:300])})

    def _client(self) -> aiosmtplib.SMTP:
        return aiosmtplib.SMTP(
            hostname=self._server.host,
            port=self._server.port,
            use_tls=self._server.tls == "implicit",
            start_tls=self._server.tls == "starttls",
            tls_context=client_context() if self._server.tls != "none" else None,
            local_hostname=self._domain,
            timeout=self._step_timeout_s,
        )

    async def _introduce(self, client: aiosmtplib.SMTP, to: str, size: int | None) -> Refused | None:
        """Send sender and recipient; a non-ASCII name needs a server that takes it (RFC 6531).

        For a mail with files the size is announced, so that the server can refuse it at once (RFC 1870).
        """
        sized = [f"SIZE={size}"] if size is not None and client.supports_extension("size") else []
        if self._sender.isascii() and to.isascii():
            await client.mail(self._sender, options=sized)
            await client.rcpt(to)
            return None
        if not client.supports_extension("smtputf8"):
            return Refused(Failure(ErrorClass.VALIDATION_ERROR, _NO_SMTPUTF8, retryable=False))
        await client.mail(self._sender, options=["SMTPUTF8", *sized], encoding="utf-8")
        await client.rcpt(to, encoding="utf-8")
        return None

    async def _log_in(self, client: aiosmtplib.SMTP) -> Refused | None:
        await client.ehlo()
        if client.supports_extension("auth"):
            await client.login(self._address, self._password)
            return None
        if self._server.tls == "none":
            return None
        text = "the mail server offers no login: check [modules.email.bot.smtp] port and tls"
        return Refused(Failure(ErrorClass.TARGET_UNAVAILABLE, text, retryable=False))

    async def evidence(self, outgoing: Outgoing) -> Evidence:
        """Look for our own Message-ID in the Sent mailbox, if one is configured."""
        if self._sent_mailbox is None:
            return "none"
        return await self._sent_mailbox.find(self.record_id(outgoing))

    async def records_problem(self) -> str | None:
        """Return what keeps us from the Sent mailbox, if one is configured."""
        return await self._sent_mailbox.problem() if self._sent_mailbox is not None else None

    def record_id(self, outgoing: Outgoing) -> str:
        """Our own Message-ID, the same on every try (D41)."""
        return message_id_for(outgoing.idempotency_key, self._domain)

    async def aclose(self) -> None:
        """Nothing is kept open between messages."""
