"""What a mail server says became of a mail is read from its report, however it encloses the mail (RFC 3464)."""

from __future__ import annotations

import pytest

from butler_kit.mail.mime import parse_mail
from butler_kit.mail.reports import report_of

STATUS = """Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; ben@example.org
Action: failed
Status: 5.1.1 (no such user)
Diagnostic-Code: smtp; 550 5.1.1
 no such user
"""
WHOLE = "Content-Type: message/rfc822\n\nMessage-ID: <butlers.1@home>\nSubject: Dinner\n\nAt eight\n"
HEADER = "Content-Type: text/rfc822-headers\n\nMessage-ID: <butlers.1@home>\nSubject: Dinner\n"


def report(*parts: str, kind: str = "report; report-type=delivery-status", more: str = "") -> bytes:
    body = "".join(f"--b\n{part}" for part in ("Content-Type: text/plain\n\nSorry.\n", *parts))
    return f'From: MAILER-DAEMON@mx\n{more}Content-Type: multipart/{kind}; boundary="b"\n\n{body}--b--\n'.encode()


@pytest.mark.parametrize(
    "mail",
    [
        report(STATUS, WHOLE),
        report(STATUS, HEADER),
        report(STATUS, more="References: <r@x> <butlers.1@home>\n"),
    ],
    ids=["the mail", "its header", "a reference"],
)
def test_a_report_names_the_mail_and_what_became_of_it(mail: bytes) -> None:
    assert report_of(parse_mail(mail)) == {
        "message_id": "<butlers.1@home>",
        "recipients": [{"action": "failed", "status": "5.1.1", "diagnostic": "smtp; 550 5.1.1 no such user"}],
    }


@pytest.mark.parametrize(
    ("mail", "read"),
    [
        (report(STATUS, WHOLE, kind="mixed"), None),
        (report(STATUS, kind="report; report-type=disposition-notification"), None),
        (b"From: ben@example.org\n\n" + STATUS.encode(), None),
        (report(), {"message_id": None, "recipients": []}),
        (report(STATUS.replace("5.1.1", "broken")), {"message_id": None, "recipients": []}),
        (report(STATUS.replace("failed", "vanished")), {"message_id": None, "recipients": []}),
    ],
    ids=["mixed", "a receipt", "no report", "nothing said", "no status", "no action"],
)
def test_what_says_nothing_is_a_report_all_the_same_and_other_mails_are_none(
    mail: bytes, read: dict[str, object] | None
) -> None:
    assert report_of(parse_mail(mail)) == read


def test_a_report_without_end_is_read_to_its_bound() -> None:
    groups = "\nFinal-Recipient: rfc822; b@example.org\nAction: failed\nStatus: 5.1.1\n" * 500
    read = report_of(
        parse_mail(report(f"Content-Type: message/delivery-status\n\nReporting-MTA: dns; x\n{groups}"))
    )
    assert read is not None
    assert len(read["recipients"]) == 20
