"""A message with files as Telegram and as a mail has it (ADR 0103)."""

from __future__ import annotations

import email
import email.policy
from dataclasses import replace
from datetime import UTC, datetime
from email.message import EmailMessage, MIMEPart
from uuid import UUID

import pytest

from butler_messenger.delivery.channels.email_compose import compose, with_files
from butler_messenger.delivery.channels.port import Enclosed, Outgoing, upload_s
from butler_messenger.delivery.channels.telegram_files import CAPTION_LIMIT, is_photo, telegram_pieces
from butler_messenger.delivery.splitting import units

PDF = Enclosed("bill.pdf", "application/pdf", 4, content=b"%PDF")
LOST = Enclosed(
    "lost.pdf", "application/pdf", 4, instead="I could not attach “lost.pdf”: the file is no longer there."
)


def outgoing(message: str, *files: Enclosed) -> Outgoing:
    return Outgoing(UUID(int=1), "key", "finance", "send", "1001", message, files=files)


def test_one_file_with_a_short_text_is_one_message_with_a_caption() -> None:
    [one] = telegram_pieces(outgoing("Here is the bill.", PDF))
    assert (one.said.text, one.file) == ("[finance] Here is the bill.", 0)


def test_a_text_that_is_too_long_for_a_caption_stands_before_its_file() -> None:
    room = CAPTION_LIMIT - units("[finance] ")
    assert len(telegram_pieces(outgoing("💶" * (room // 2), PDF))) == 1
    text, file = telegram_pieces(outgoing("💶" * (room // 2 + 1), PDF))
    assert (text.file, file.file, file.said.text) == (None, 0, "[finance] bill.pdf")


def test_several_files_stand_one_by_one_behind_all_of_the_text() -> None:
    pieces = telegram_pieces(outgoing("word " * 1500, PDF, LOST, PDF))
    assert [piece.file for piece in pieces] == [None, None, 0, None, 2]
    assert pieces[3].said.text == f"[finance] {LOST.instead}"
    assert all(units(piece.said.text) <= 4096 for piece in pieces)


def test_files_of_an_answer_without_a_mark_have_none_either() -> None:
    bare = replace(outgoing("Here they are.", PDF, LOST), marked=False)
    assert [piece.said.text for piece in telegram_pieces(bare)] == [
        "Here they are.",
        "bill.pdf",
        LOST.instead,
    ]


@pytest.mark.parametrize("message", ["short", "long " * 400, "long " * 2000])
@pytest.mark.parametrize("count", [1, 2, 10])
def test_what_becomes_of_a_file_changes_no_number_of_messages(message: str, count: int) -> None:
    """A part that has a receipt is never sent again, so none may move."""
    whole = telegram_pieces(outgoing(message, *[PDF] * count))
    for lost in range(count):
        files = [replace(PDF, content=None, instead="gone") if n == lost else PDF for n in range(count)]
        assert len(telegram_pieces(outgoing(message, *files))) == len(whole)


def test_the_sentence_of_a_file_that_would_have_had_a_caption_stands_below_its_text() -> None:
    [one] = telegram_pieces(outgoing("Here it is.", LOST))
    assert (one.said.text, one.file) == (f"[finance] Here it is.\n\n{LOST.instead}", None)


@pytest.mark.parametrize(
    ("media_type", "size", "shown"),
    [
        ("image/jpeg", 10_000_000, True),
        ("image/PNG", 1, True),
        ("image/jpeg", 10_000_001, False),
        ("image/gif", 1, False),
        ("image/svg+xml", 1, False),
        ("application/pdf", 1, False),
    ],
)
def test_a_picture_is_shown_within_the_bounds_of_telegram(media_type: str, size: int, shown: bool) -> None:
    assert is_photo(Enclosed("a", media_type, size)) is shown


def mail(*files: Enclosed, recipient: str = "ada@example.org") -> EmailMessage:
    message = compose(
        sender="home@butlers.test",
        recipient=recipient,
        origin="finance",
        subject="Bill",
        body="Here it is.",
        message_id="<m@butlers.test>",
        date=datetime(2026, 3, 1, tzinfo=UTC),
    )
    return email.message_from_bytes(with_files(message, files), policy=email.policy.default)


def text_of(part: MIMEPart) -> str:
    return str(part.get_content()).replace("\r\n", "\n")


def test_a_mail_has_its_text_first_and_each_file_attached_to_the_byte() -> None:
    found = mail(PDF, replace(PDF, name="b.txt", media_type="text/plain", content=b"a\r\nb\xff"))
    assert found.get_content_type() == "multipart/mixed"
    body, one, two = found.iter_parts()
    assert text_of(body) == "Here it is.\n"
    assert [part.get_content_disposition() for part in (one, two)] == ["attachment", "attachment"]
    assert (one.get_content_type(), one.get_filename(), one.get_content()) == (
        "application/pdf",
        "bill.pdf",
        b"%PDF",
    )
    assert (two.get_content_type(), two.get_payload(decode=True)) == ("text/plain", b"a\r\nb\xff")
    assert found["Message-ID"] == "<m@butlers.test>"


@pytest.mark.parametrize("recipient", ["ada@example.org", "jörg@example.org"])
@pytest.mark.parametrize(
    "name",
    ["Rechnung März 2026.pdf", "חשבון.pdf", 'a"b;c.pdf', "x" * 116 + ".pdf", "👨‍👩‍👧.png", "a%20b='.pdf"],
)
def test_a_name_of_any_script_arrives_as_it_is(name: str, recipient: str) -> None:
    """By RFC 2231 where the headers are in ASCII, by RFC 6532 where the server takes letters."""
    found = mail(replace(PDF, name=name), recipient=recipient)
    [_, one] = found.iter_parts()
    assert one.get_filename() == name


def test_headers_in_ascii_have_names_by_rfc_2231() -> None:
    message = compose(
        sender="a@b.example", recipient="c@d.example", origin="finance", subject=None, body="x",
        message_id="<m@b.example>", date=datetime(2026, 3, 1, tzinfo=UTC),
    )  # fmt: skip
    written = with_files(message, [replace(PDF, name="März.pdf")])
    assert written.isascii()
    assert b"filename*=utf-8''M%C3%A4rz.pdf" in written


@pytest.mark.parametrize("media_type", ["message/rfc822", "multipart/mixed", "Message/partial"])
def test_what_is_a_message_itself_goes_as_any_file(media_type: str) -> None:
    [_, one] = mail(replace(PDF, media_type=media_type)).iter_parts()
    assert (one.get_content_type(), one.get_content()) == ("application/octet-stream", b"%PDF")


def test_what_does_not_come_is_named_at_the_end_of_the_text() -> None:
    found = mail(LOST, PDF)
    body, *files = found.iter_parts()
    assert text_of(body) == f"Here it is.\n\n{LOST.instead}\n"
    assert [part.get_filename() for part in files] == ["bill.pdf"]
    alone = mail(LOST)
    assert (alone.get_content_type(), text_of(alone)) == ("text/plain", f"Here it is.\n\n{LOST.instead}\n")


def test_a_call_has_longer_by_what_it_carries() -> None:
    assert upload_s([replace(PDF, content=bytes(20_000_000)), LOST]) == 200.0
