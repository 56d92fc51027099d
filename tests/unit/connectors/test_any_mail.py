"""Any bytes are a mail: bounded, never an exception, always an envelope that the contract takes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.keys import dedupe_key
from butler_contracts.parse import parse
from butler_kit.mail.html import text_of_html
from butler_kit.mail.normalize import FetchedMail, MailSource, NormalisedMail, normalise
from butler_kit.mail.replies import own_part
from butler_kit.sources.events import Skipped
from butler_kit.sources.senders import SenderLists

SOURCE = MailSource("imap:household@example.org")
WHEN = datetime(2026, 11, 20, 10, 15, tzinfo=UTC)
HEAD = b"From: Ada <Ada@Example.org>\r\nMessage-ID: <a@b>\r\nSubject: x\r\n"


def read(content: bytes, source: MailSource = SOURCE, *, size: int | None = None) -> NormalisedMail:
    return normalise(FetchedMail(7, 3, WHEN, size or len(content), content), source)


def envelope(content: bytes) -> IngestEnvelopeV1:
    found = read(content).content
    assert isinstance(found, IngestEnvelopeV1)
    return found


FRAGMENTS = st.sampled_from(
    [
        b"From: ", b"a@b.c", b"<", b">", b"=?utf-8?b?", b"=?=", b"Content-Type: ", b"multipart/mixed; boundary=x",
        b"text/html; charset=", b"--x", b"--x--", b"\r\n", b"\r\n\r\n", b"\xff\xfe", b"\x00", b"(", b'"',
        b"message/rfc822",
        b"Content-Transfer-Encoding: base64", b"Message-ID: <", b"References: <a> <b>", b"<div style=display:none>",
        b"Content-Disposition: attachment; filename*=utf-8''%ff", b"&#xD800;", b"utf-7", b"Subject: =?x?q?y?=",
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.binary(max_size=400), st.lists(FRAGMENTS, max_size=40).map(b"".join)))
def test_any_bytes_give_an_envelope(content: bytes) -> None:
    found = envelope(content)
    assert parse(IngestEnvelopeV1, found.to_wire()) == found
    assert read(content) == read(content)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_markup_gives_text(markup: str) -> None:
    text_of_html(markup)
    text_of_html(f"<p style='{markup}'>{markup}</p>")


@pytest.mark.parametrize(
    "content",
    [
        HEAD + b"\r\n" + b"x" * 100_000,
        HEAD + b"X-Long: " + b"y" * 900_000 + b"\r\n\r\nhi",
        HEAD + b"Content-Type: text/html\r\n\r\n" + b"<div>" * 30_000 + b"hi",
        HEAD + b"Content-Type: text/html\r\n\r\n" + b"<table><tr><td>" * 3_000 + b"hi",
        b"From: " + b"(" * 4_000 + b"\r\n\r\nhi",
        HEAD
        + b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n'
        + b"--b\r\nContent-Type: image/png\r\n\r\nx\r\n" * 5_000,
        HEAD
        + b"".join(
            b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (n, n) for n in range(400)
        ),
        HEAD + b"\r\n" + b"\n" * 60_000 + b"On " + b"x " * 30_000,
    ],
    ids=["line", "header", "deep", "tables", "comments", "parts", "nested", "blank lines"],
)
def test_monstrous_mails_stay_within_bounds(content: bytes) -> None:
    found = envelope(content)
    assert len(found.payload.attachments) <= 100
    assert len(found.payload.normalized_text) <= 65_536


def test_a_mail_without_message_id_gets_no_made_up_one() -> None:
    content = b"From: ada@example.org\r\nSubject: x\r\n\r\nhello"
    first, again = envelope(content), envelope(content)
    assert first.event.external_event_id == "unknown"
    assert first.event.external_message_id is None
    assert dedupe_key(first).strategy == "content_hash"
    assert dedupe_key(first) == dedupe_key(again)


def test_what_a_reader_does_not_see_is_not_in_the_text() -> None:
    hidden = (
        b"<p>Seen.</p><div style='display: none'>ghost one</div><span style='font-size:0px'>ghost two</span>"
        b"<p hidden>ghost three</p><script>ghost four</script><style>ghost five</style><!-- ghost six -->"
        b"<div style='visibility:hidden'>ghost seven</div><p style='font-size:10px'>Seen too.</p>"
    )
    text = envelope(HEAD + b"Content-Type: text/html\r\n\r\n" + hidden).payload.normalized_text
    assert "ghost" not in text
    assert "Seen." in text
    assert "Seen too." in text


def test_the_plain_part_is_preferred_unless_it_is_blank() -> None:
    def alternative(plain: bytes) -> str:
        body = b'Content-Type: multipart/alternative; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n'
        rest = b"\r\n--b\r\nContent-Type: text/html\r\n\r\n<b>rich</b>\r\n--b--\r\n"
        return envelope(HEAD + body + plain + rest).payload.normalized_text

    assert alternative(b"plain") == "Subject: x\n\nplain"
    assert alternative(b"  ") == "Subject: x\n\nrich"


@pytest.mark.parametrize(
    ("declared", "content", "text"),
    [
        (b"utf-8", "é€".encode("cp1252"), "é€"),
        (b"us-ascii", "é".encode(), "é"),
        (b"no-such-charset", "é".encode(), "é"),
        (b"iso-8859-1", "é".encode("latin-1"), "é"),
    ],
)
def test_broken_charsets_are_read_as_what_they_most_likely_are(
    declared: bytes, content: bytes, text: str
) -> None:
    found = envelope(HEAD + b"Content-Type: text/plain; charset=" + declared + b"\r\n\r\n" + content)
    assert found.payload.normalized_text == f"Subject: x\n\n{text}"


def test_the_headers_keep_their_order_and_the_thread_is_the_root() -> None:
    content = (
        b"Authentication-Results: mx.mine; dmarc=pass header.from=example.org\r\n"
        b"Authentication-Results: mx.forged;\r\n\tdmarc=fail\r\n"
        b"From: Ada <Ada@Example.org>\r\nMessage-ID: <three@x>\r\n"
        b"In-Reply-To: <two@x>\r\nReferences: <one@x>\r\n <two@x>\r\n\r\nhi"
    )
    found = envelope(content)
    assert found.payload.raw is not None
    assert found.payload.raw["headers"]["authentication-results"] == [
        "mx.mine; dmarc=pass header.from=example.org",
        "mx.forged; dmarc=fail",
    ]
    assert found.event.external_thread_id == "<one@x>"
    assert found.payload.raw["references"] == ["<one@x>", "<two@x>"]
    assert found.sender.identity == "ada@example.org"
    assert found.event.observed_at == WHEN


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("Yes.\n\nOn Thu, Nov 19, 2026 at 6:40 PM Ben <b@x.org> wrote:\n\n> old", "Yes."),
        ("Ja.\n\nAm 19.11.2026 um 10:00 schrieb Ben <b@x.org>:\n> alt", "Ja."),
        ("Ok\n\n-----Original Message-----\nFrom: a\nSent: b\nTo: c\nSubject: d\n\nold", "Ok"),
        ("No quotation here.", "No quotation here."),
    ],
)
def test_what_is_quoted_is_left_out(text: str, own: str) -> None:
    assert own_part(text, subject="Re: x") == own


def test_a_skipped_domain_is_not_submitted() -> None:
    source = MailSource("imap:x", senders=SenderLists.of(skip="@example.org"))
    assert read(HEAD + b"\r\nhi", source).content == Skipped("sender_skipped")


def test_what_is_about_a_mail_of_ours_is_submitted_whoever_sends_it() -> None:
    source = MailSource("imap:x", senders=SenderLists.of(allow="@family.example"))
    unsubscribing = HEAD.replace(b"Subject: x", b"Subject: unsubscribe CwsLCwsLSwuLCwsLCwsLCw") + b"\r\n"
    report = (
        HEAD + b'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n--b--\r\n'
    )
    for mail in (unsubscribing, report):
        assert isinstance(read(mail, source).content, IngestEnvelopeV1)
    assert read(HEAD + b"\r\nhi", source).content == Skipped("sender_not_allowed")
