"""The log of the SMTP server: one accepted mail as a value and as a JSON line."""

from __future__ import annotations

import email
import email.policy
import json
from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Self

from aiosmtpd.smtp import Envelope

from tests.support.line_journal import read_lines

__all__ = ["AcceptedMail", "accepted_mail", "read_log"]


@dataclass(frozen=True, slots=True)
class AcceptedMail:
    """One accepted mail: envelope, the headers that matter, the text part (line ends \n), and all bytes."""

    seq: int
    time: float
    mail_from: str
    rcpt_to: tuple[str, ...]
    message_id: str
    subject: str
    text: str
    raw: bytes

    def message(self) -> EmailMessage:
        return email.message_from_bytes(self.raw, policy=email.policy.default)

    def to_json(self) -> str:
        return json.dumps({**asdict(self), "raw": b64encode(self.raw).decode()}, ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> Self:
        values = json.loads(line)
        return cls(**{**values, "rcpt_to": tuple(values["rcpt_to"]), "raw": b64decode(values["raw"])})


def read_log(log: Path | None) -> list[AcceptedMail]:
    """Mails of an earlier run; a torn last line is a mail that was never acknowledged."""
    return [] if log is None else [AcceptedMail.from_json(line) for line in read_lines(log)]


def accepted_mail(envelope: Envelope, *, seq: int, now: float) -> AcceptedMail:
    raw = envelope.content if isinstance(envelope.content, bytes) else str(envelope.content or "").encode()
    message = email.message_from_bytes(raw, policy=email.policy.default)
    body = message.get_body(("plain",))
    return AcceptedMail(
        seq=seq,
        time=now,
        mail_from=envelope.mail_from or "",
        rcpt_to=tuple(envelope.rcpt_tos),
        message_id=str(message.get("Message-ID", "")),
        subject=str(message.get("Subject", "")),
        text=str(body.get_content()).replace("\r\n", "\n") if body is not None else "",
        raw=raw,
    )
