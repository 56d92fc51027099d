"""The text of a mail is found wherever it is, and what is cut off is marked."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_kit.mail.html import text_of_html
from butler_kit.mail.outline import assemble, described_parts, structure_of, text_parts
from butler_kit.sources.bounds import CUT_MARK
from tests.unit.connectors.test_any_mail import HEAD, envelope, read

PICTURE = b"data:image/jpeg;base64," + base64.b64encode(b"x" * 600_000)
HTML = b"Content-Type: text/html; charset=utf-8\r\n\r\n"


@pytest.mark.parametrize(
    "bulk",
    [
        b'<img alt="the garden" src="' + PICTURE + b'">',
        b"<div style='background:url(" + PICTURE + b")'>the garden</div>",
        b"<style>" + b"p { margin: 0 } " * 40_000 + b"</style>",
        b"<!--[if mso]>" + b"<xml><o:OfficeDocumentSettings/></xml>" * 20_000 + b"<![endif]-->",
        b"<script>" + b"var a = '<p>';" * 50_000 + b"</script>",
        b"".join(b'<p class="MsoNormal" title="%d"><b id="x"></b></p>' % (n % 9) * 40 for n in range(300)),
    ],
    ids=["picture", "background", "style", "comment", "script", "attributes"],
)
def test_text_behind_bulky_markup_is_read(bulk: bytes) -> None:
    content = HEAD + HTML + b"<html><body>" + bulk + b"<p>Paid 75.10 EUR</p></body></html>"
    assert "Paid 75.10 EUR" in envelope(content).payload.normalized_text


def test_text_that_is_cut_off_ends_with_a_mark() -> None:
    assert text_of_html("<p>word " * 200_000).endswith(CUT_MARK)
    plain = HEAD + b"\r\n" + b"many words " * 120_000
    assert envelope(plain).payload.normalized_text.endswith(CUT_MARK)
    part = read(HEAD + b"\r\nthe beginning", size=5_000_000).content
    assert "the beginning\n[… cut]" in part.payload.normalized_text  # type: ignore[union-attr]


def forwarded(inner: bytes, *, kind: bytes = b"mixed") -> bytes:
    return (
        HEAD + b'Content-Type: multipart/%s; boundary="b"\r\n\r\n' % kind
        + b"--b\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n"
        + b"--b\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment\r\n\r\n" + inner + b"\r\n--b--\r\n"
    )  # fmt: skip


BILL = (
    b"From: shop@example.net\r\nDate: Fri, 20 Nov 2026 08:00:00 +0000\r\nSubject: =?utf-8?q?Your_bill?=\r\n"
    b"\r\nTotal: 75.10 EUR"
)


def test_a_mail_forwarded_as_an_attachment_is_read() -> None:
    found = envelope(forwarded(BILL))
    assert found.payload.normalized_text == (
        "Subject: x\n\nSee below.\n\n---------- Forwarded message ----------\nFrom: shop@example.net\n"
        "Date: Fri, 20 Nov 2026 08:00:00 +0000\nSubject: Your bill\n\nTotal: 75.10 EUR"
    )
    (reference,) = found.payload.attachments
    assert (reference.media_type, reference.storage_ref) == ("message/rfc822", "imap:3/7/2#INBOX")


def test_a_forwarded_mail_with_parts_keeps_the_servers_part_numbers() -> None:
    inner = (
        b"From: shop@example.net\r\nSubject: parts\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n"
        b"--c\r\nContent-Type: text/plain\r\n\r\ninner text\r\n--c\r\nContent-Type: image/png\r\n\r\nx\r\n--c--\r\n"
    )
    found = envelope(forwarded(inner))
    assert "inner text" in found.payload.normalized_text
    places = [reference.storage_ref for reference in found.payload.attachments]
    assert places == ["imap:3/7/2#INBOX", "imap:3/7/2.2#INBOX"]


def test_mails_within_mails_are_read_to_a_bounded_depth() -> None:
    content = b"the innermost"
    for number in range(60):
        content = forwarded(b"From: a@b.c\r\nSubject: level %d\r\n\r\n" % number + content)
    assert "See below." in envelope(content).payload.normalized_text


def test_the_mail_that_a_report_returns_is_not_its_senders_word() -> None:
    found = envelope(forwarded(BILL, kind=b"report"))
    assert "75.10" not in found.payload.normalized_text
    assert [reference.media_type for reference in found.payload.attachments] == ["message/rfc822"]


TEXT = (b"text", b"plain", (b"charset", b"utf-8"), None, None, b"8bit", 900, 3)
PHOTO = (b"image", b"jpeg", None, None, None, b"base64", 3_000_000, None)
HTML_PART = (b"text", b"html", None, None, None, b"8bit", 9_000_000, 3)
WITHIN = (b"message", b"rfc822", None, None, None, b"7bit", 2_000, (), TEXT, 6)


def test_the_parts_with_text_are_asked_for_and_no_others() -> None:
    root = structure_of(([PHOTO, ([TEXT, HTML_PART], b"alternative"), WITHIN], b"mixed"))
    assert root is not None
    heads = {"4.MIME": b"Content-Disposition: attachment\r\n\r\n"}
    assert text_parts(root, heads) == [
        "BODY.PEEK[2.1]<0.900>",
        "BODY.PEEK[2.2]<0.4194304>",
        "BODY.PEEK[3.1]<0.900>",
    ]
    asked = described_parts(root)
    assert [one.partition("[")[2].partition("]")[0] for one in asked] == [
        "HEADER", "1.MIME", "2.1.MIME", "2.2.MIME", "3.MIME", "3.HEADER", "3.1.MIME",
    ]  # fmt: skip


def test_an_attached_text_is_not_asked_for() -> None:
    root = structure_of(([TEXT, TEXT], b"mixed"))
    assert root is not None
    heads = {"2.MIME": b'Content-Disposition: attachment; filename="a.txt"\r\n\r\n'}
    assert text_parts(root, heads) == ["BODY.PEEK[1]<0.900>"]


ATOMS = st.one_of(
    st.none(), st.integers(-5, 10_000_000), st.sampled_from([b"text", b"plain", b"MESSAGE", b"RFC822", b""])
)
STRUCTURES = st.recursive(
    st.one_of(ATOMS, st.just(TEXT), st.just(PHOTO), st.just(WITHIN)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=9).map(tuple),
        st.tuples(st.lists(inner, max_size=9), st.just(b"mixed")),
    ),
    max_leaves=40,
)


@settings(max_examples=300, deadline=None)
@given(STRUCTURES)
def test_any_structure_is_bounded_or_none(body: Any) -> None:
    root = structure_of(body)
    if root is None:
        return
    assert len(described_parts(root)) <= 201
    asked = text_parts(root, {})
    assert sum(int(one.rpartition(".")[2].rstrip(">")) for one in asked) <= 6 * 1024 * 1024
    mail = assemble(root, {})
    assert sum(1 for _ in mail.walk()) < 20_000
