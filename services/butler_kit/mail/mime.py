"""The readable text and the references to attachments of a MIME message (RFC 2045, RFC 9051 §6.4.5). Pure.

Invariant: bounded parts, depth and text; broken MIME yields what can be read of it. Part numbers are those of the
IMAP server.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from typing import Any, Final, TypeAlias

from butler_contracts.ingest import ATTACHMENTS_MAX
from butler_kit.mail.forwards import MARK
from butler_kit.mail.headers import decoded, header_map, text_of_bytes
from butler_kit.mail.html import lean, text_of_html
from butler_kit.mail.outline import Outline
from butler_kit.sources.bounds import CUT_MARK, clip

__all__ = ["TEXT_MAX_CHARS", "MailContent", "Part", "parse_mail", "read_content"]

TEXT_MAX_CHARS: Final = 200_000
_PARTS_MAX: Final = 500
_DEPTH_MAX: Final = 20
_BODY_MAX_BYTES: Final = 1_000_000
_HTML_MAX_BYTES: Final = 4 * 1024 * 1024
_FORWARDED_FIELDS: Final = ("From", "Date", "To", "Subject")
_MEDIA_TYPE: Final = re.compile(r"[A-Za-z0-9!#$&^_.+-]{1,100}/[A-Za-z0-9!#$&^_.+-]{1,100}")
Mail: TypeAlias = "Message[Any, Any]"


@dataclass(frozen=True)
class Part:
    """An attachment: `number` is its IMAP part number, `size_bytes` its decoded size."""

    number: str
    media_type: str
    filename: str | None
    size_bytes: int


@dataclass
class MailContent:
    """The text as the sender wrote it, including quotations, and the attachments."""

    text: str = ""
    attachments: list[Part] = field(default_factory=list)


def parse_mail(content: bytes) -> Mail:
    """Parse the message; if its structure defeats the parser, return its header fields with the rest as text.

    compat32, not `policy.default`: that policy parses header fields in quadratic time and raises for many
    malformed ones.
    """
    try:
        return BytesParser(policy=compat32).parsebytes(content)
    except (RecursionError, ValueError, IndexError, AttributeError, TypeError, LookupError):
        head, _, body = content.replace(b"\r\n", b"\n").partition(b"\n\n")
        message = BytesParser(policy=compat32).parsebytes(head + b"\n\n", headersonly=True)
        for name in ("content-type", "content-transfer-encoding"):
            del message[name]
        message.set_payload(body[:_BODY_MAX_BYTES].decode("latin-1"))
        return message


def read_content(message: Mail) -> MailContent:
    """Return the plain text, or that of the HTML if there is none, and every other part as a reference."""
    reader = _Reader()
    text = reader.read(message, "", 0)
    return MailContent(clip(text.strip(), TEXT_MAX_CHARS), reader.attachments[:ATTACHMENTS_MAX])


class _Reader:
    """Walks the parts once."""

    def __init__(self) -> None:
        self.attachments: list[Part] = []
        self._parts = 0

    def read(self, part: Mail, number: str, depth: int) -> str:
        """Return the text of a part; note anything else as an attachment."""
        self._parts += 1
        if self._parts > _PARTS_MAX or depth > _DEPTH_MAX:
            return ""
        kind = part.get_content_type()
        children = part.get_payload()
        if kind == "message/rfc822" and isinstance(children, list):
            return self._forwarded(part, children, number or "1", depth)
        if isinstance(children, list) and kind.startswith("multipart/"):
            numbered = [(child, f"{number}.{index}".lstrip(".")) for index, child in enumerate(children, 1)]
            if kind == "multipart/report":
                numbered = self._without_returned(numbered)
            return (
                self._alternative(numbered, depth)
                if kind == "multipart/alternative"
                else self._all(numbered, depth)
            )
        own = number or "1"
        if kind in ("text/plain", "text/html") and not _is_attachment(part):
            return _body(part, html=kind == "text/html")
        if not kind.startswith("multipart/"):
            self.attachments.append(_attachment(part, own, kind))
            return ""
        # A multipart without a single boundary: treat its content as text.
        return _body(part, html=False)

    def _all(self, children: list[tuple[Any, str]], depth: int) -> str:
        texts = [
            self.read(child, number, depth + 1) for child, number in children if isinstance(child, Message)
        ]
        return "\n\n".join(text for text in texts if text.strip())

    def _forwarded(self, part: Mail, children: list[Any], number: str, depth: int) -> str:
        """Return the text of a mail that is attached whole, below the fields that a reader would see."""
        self.attachments.append(_attachment(part, number, "message/rfc822"))
        texts = []
        for child in children[:1]:
            if isinstance(child, Message):
                own = number if isinstance(child.get_payload(), list) else f"{number}.1"
                headers = header_map(child)
                fields = [
                    f"{name}: {decoded(headers[name.lower()][0])}"
                    for name in _FORWARDED_FIELDS
                    if headers.get(name.lower())
                ]
                texts.append("\n".join([MARK, *fields, "", self.read(child, own, depth + 1)]))
        return "".join(texts).rstrip()

    def _without_returned(self, children: list[tuple[Any, str]]) -> list[tuple[Any, str]]:
        """Return a report's parts without the mail it is about, which its sender did not write (RFC 3462)."""
        kept = []
        for child, number in children:
            if isinstance(child, Message) and child.get_content_type() == "message/rfc822":
                self.attachments.append(_attachment(child, number, "message/rfc822"))
            else:
                kept.append((child, number))
        return kept

    def _alternative(self, children: list[tuple[Any, str]], depth: int) -> str:
        """Return the plain text if not empty, else the last form with text (the richest, RFC 2046 §5.1.4)."""
        known = [(child, number) for child, number in children if isinstance(child, Message)]
        plain = [(child, number) for child, number in known if child.get_content_type() == "text/plain"]
        others = [pair for pair in known if pair not in plain]
        found = self._all(plain, depth)
        if found.strip():
            for child, number in others:
                self._note_attachments(child, number, depth + 1)
            return found
        texts = [self.read(child, number, depth + 1) for child, number in others]
        return next((text for text in reversed(texts) if text.strip()), "")

    def _note_attachments(self, part: Mail, number: str, depth: int) -> None:
        """Note the attachments of a form that is not read (a picture beside the HTML, an invitation)."""
        if part.get_content_type() != "text/html" or _is_attachment(part):
            self.read_quietly(part, number, depth)

    def read_quietly(self, part: Mail, number: str, depth: int) -> None:
        """Walk a part for its attachments alone."""
        if isinstance(part.get_payload(), list) and part.get_content_maintype() == "multipart":
            for index, child in enumerate(part.get_payload(), 1):
                self._parts += 1
                if isinstance(child, Message) and self._parts <= _PARTS_MAX and depth <= _DEPTH_MAX:
                    self._note_attachments(child, f"{number}.{index}", depth + 1)
        elif (
            part.get_content_maintype() != "text"
            or _is_attachment(part)
            or part.get_content_type() == "text/calendar"
        ):
            self.attachments.append(_attachment(part, number, part.get_content_type()))


def _is_attachment(part: Mail) -> bool:
    disposition = str(part.get("content-disposition") or "").strip().lower()
    return disposition.startswith("attachment")


def _body(part: Mail, *, html: bool) -> str:
    whole = _payload(part)
    content = lean(whole[:_HTML_MAX_BYTES]) if html else whole[:_BODY_MAX_BYTES]
    is_cut = len(whole) > (_HTML_MAX_BYTES if html else _BODY_MAX_BYTES) or (
        isinstance(part, Outline) and part.is_cut
    )
    try:
        charset = part.get_content_charset()
    except (LookupError, ValueError, TypeError):
        charset = None
    text = text_of_bytes(content, charset)
    text = text_of_html(text) if html else text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix(CUT_MARK) + CUT_MARK if is_cut else text


def _payload(part: Mail) -> bytes:
    try:
        content = part.get_payload(decode=True)
    except (ValueError, binascii.Error, LookupError, AssertionError, AttributeError):
        content = str(part.get_payload()).encode("utf-8", "surrogateescape")
    return content if isinstance(content, bytes) else b""


def _attachment(part: Mail, number: str, kind: str) -> Part:
    return Part(
        number=number,
        media_type=kind if _MEDIA_TYPE.fullmatch(kind) else "application/octet-stream",
        filename=_filename(part),
        size_bytes=_decoded_size(part),
    )


def _filename(part: Mail) -> str | None:
    try:
        name = part.get_filename()
    except (LookupError, ValueError, TypeError, IndexError):
        return None
    if not name:
        return None
    shown = decoded(str(name)).replace("/", "_").replace("\\", "_").strip()
    return clip(shown, 255, mark="…") or None


def _decoded_size(part: Mail) -> int:
    """Return the size without decoding: the part may be large, or not even fetched."""
    content = part.get_payload()
    if isinstance(part, Outline) and part.octets:
        is_base64 = str(part.get("content-transfer-encoding") or "").strip().lower() == "base64"
        # Lines of 76 digits and a line end hold 57 bytes.
        return part.octets * 57 // 78 if is_base64 else part.octets
    if isinstance(content, list):
        return sum(_decoded_size(child) for child in content[:_PARTS_MAX] if isinstance(child, Message))
    text = str(content)
    encoding = str(part.get("content-transfer-encoding") or "").strip().lower()
    if encoding != "base64":
        return len(text)
    digits = len(text) - text.count("\n") - text.count("\r")
    return max(0, digits * 3 // 4 - text[-8:].count("="))
