"""Who is household, who is only content, and who may be told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from butler_contracts.keys import message_id_for
from butler_switchboard.ingress.senders import ContactBook, SenderPolicy, classify_sender
from tests.support.switchboard import MAILBOX, mail, telegram

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BOOK = ContactBook(
    frozenset({("telegram", "1001"), ("email", "ada@example.org"), ("email", "mailer-daemon@example.org")}),
    True,
)
PASSED = {"Authentication-Results": ["mx.example.org; spf=pass; dmarc=pass (p=none) header.from=example.org"]}
OURS = SenderPolicy(trusted_authserv_ids=("mx.example.org",))


def decide(envelope, *, policy: SenderPolicy | None = None):
    decision = classify_sender(envelope, BOOK, policy or OURS, now=NOW)
    return decision.sender_class, decision.reply_policy


def test_a_member_on_telegram_is_answered_and_a_stranger_never_is():
    assert decide(telegram(1, observed_at=NOW)) == ("household", "allow")
    assert decide(telegram(1, sender="666", observed_at=NOW)) == ("other", "owner")


def test_a_members_mail_counts_only_with_a_dmarc_pass_for_that_very_domain():
    assert decide(mail("<1@x>", headers=PASSED, observed_at=NOW)) == ("household", "allow")
    assert decide(mail("<1@x>", observed_at=NOW)) == ("other", "owner")
    other_domain = {"Authentication-Results": ["mx.example.org; dmarc=pass header.from=evil.example"]}
    assert decide(mail("<1@x>", headers=other_domain, observed_at=NOW)) == ("other", "owner")


def test_a_forged_verdict_below_the_servers_own_does_not_count():
    lines = ["mx.example.org; dmarc=fail header.from=example.org", *PASSED["Authentication-Results"]]
    assert decide(mail("<1@x>", headers={"Authentication-Results": lines}, observed_at=NOW)) == (
        "other",
        "owner",
    )


def test_a_verdict_of_a_server_that_is_not_trusted_does_not_count():
    policy = SenderPolicy(trusted_authserv_ids=("mx.home.example",))
    assert decide(mail("<1@x>", headers=PASSED, observed_at=NOW), policy=policy) == ("other", "owner")
    mine = {
        "Authentication-Results": [
            *PASSED["Authentication-Results"],
            "mx.home.example; dmarc=pass header.from=example.org",
        ]
    }
    assert decide(mail("<1@x>", headers=mine, observed_at=NOW), policy=policy) == ("household", "allow")


HOUSEHOLD, OTHER = ("household", "allow"), ("other", "owner")


def says(*lines: str, trusted: tuple[str, ...] = ("mx.example.org",)):
    policy = SenderPolicy(trusted_authserv_ids=trusted)
    return decide(
        mail("<1@x>", headers={"Authentication-Results": list(lines)}, observed_at=NOW), policy=policy
    )


def test_without_a_server_that_is_known_by_name_no_verdict_proves_anything():
    assert says("mx.example.org; dmarc=pass header.from=example.org", trusted=()) == OTHER
    assert says("; dmarc=pass header.from=example.org", trusted=()) == OTHER
    assert says("dmarc=pass header.from=example.org", trusted=()) == OTHER


def test_a_forged_line_above_or_below_changes_nothing_for_the_known_servers_own():
    forged = "mx.evil.example; dmarc=pass header.from=example.org"
    for verdict, expected in (("pass", HOUSEHOLD), ("fail", OTHER)):
        own = f"mx.example.org; dmarc={verdict} header.from=example.org"
        assert says(forged, own, forged) == expected
        assert says(own, "mx.example.org; dmarc=pass header.from=example.org") == expected


@pytest.mark.parametrize(
    "head",
    [
        "mx.example.org",
        "MX.Example.Org",
        "mx.example.org 1",
        "mx.example.org\r\n\t1 ",
        "(our (own) server) mx.example.org (version) 1 (one)",
        "\r\n mx.example.org",
    ],
)
def test_a_servers_name_is_read_as_the_standard_writes_it(head):
    assert says(f"{head};\r\n dmarc=pass\r\n\theader.from=example.org") == HOUSEHOLD
    assert says(f"{head}; dmarc=pass header.from=example.org", trusted=("Mx.Example.ORG",)) == HOUSEHOLD


@pytest.mark.parametrize(
    "head",
    [
        "mx.example.org 2",
        "mx.example.org 1 1",
        "mx.example.org.evil.example",
        "evil.example mx.example.org",
        "(mx.example.org) evil.example",
        "(mx.example.org)",
        '"evil.example" mx.example.org evil',
        "mx.example.org@evil.example",
        "(never closed mx.example.org",
        "",
    ],
)
def test_what_only_looks_like_the_servers_name_is_not_it(head):
    assert says(f"{head}; dmarc=pass header.from=example.org") == OTHER


def test_the_operators_word_is_proof_for_a_member_and_for_nobody_else():
    known = classify_sender(mail("<1@x>", observed_at=NOW), BOOK, SenderPolicy(), now=NOW, vouched=True)
    assert (known.sender_class, known.reply_policy) == HOUSEHOLD
    stranger = mail("<1@x>", sender="eve@example.org", observed_at=NOW)
    assert classify_sender(stranger, BOOK, SenderPolicy(), now=NOW, vouched=True).sender_class == "other"


def test_a_comment_cannot_smuggle_a_pass():
    forged = {"Authentication-Results": ["mx.example.org; dmarc=fail (dmarc=pass header.from=example.org)"]}
    assert decide(mail("<1@x>", headers=forged, observed_at=NOW)) == ("other", "owner")


def test_a_mailbox_that_accepts_only_the_household_needs_no_verdict():
    policy = SenderPolicy(trusted_endpoints=(MAILBOX,))
    assert decide(mail("<1@x>", observed_at=NOW), policy=policy) == ("household", "allow")


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto-Submitted": ["auto-replied"]},
        {"Precedence": ["bulk"]},
        {"List-Id": ["<news.example.org>"]},
        {"List-Unsubscribe": ["<mailto:x@example.org>"]},
        {"Return-Path": ["<>"]},
        {"Message-ID": [message_id_for("any delivery", "home.example")]},
    ],
)
def test_automatic_mail_is_recorded_in_silence(headers):
    assert decide(mail("<1@x>", headers={**PASSED, **headers}, observed_at=NOW)) == (
        "household",
        "none",
    )


def test_auto_submitted_no_is_a_person():
    assert decide(mail("<1@x>", headers={**PASSED, "Auto-Submitted": ["no"]}, observed_at=NOW)) == (
        "household",
        "allow",
    )


def test_a_mail_system_is_never_answered():
    assert (
        decide(mail("<1@x>", sender="MAILER-DAEMON@example.org", headers=PASSED, observed_at=NOW))[1]
        == "none"
    )


def test_what_arrives_a_day_late_is_history():
    late = NOW - timedelta(hours=24, seconds=1)
    assert decide(telegram(1, observed_at=late)) == ("household", "none")
    assert decide(telegram(1, observed_at=NOW - timedelta(hours=23))) == ("household", "allow")


@pytest.mark.parametrize(
    "verdict",
    [
        "mx.example.org; dmarc=fail (p=none (nested) ; dmarc=pass header.from=example.org ; x)",
        'mx.example.org; spf=pass smtp.mailfrom="x; dmarc=pass header.from=example.org; "@evil.example; dmarc=fail',
        'mx.example.org; spf=pass smtp.mailfrom="x\\"; dmarc=pass header.from=example.org; y"@evil.example',
        "mx.example.org; spf=pass (domain of evil\\); dmarc=pass header.from=example.org; \\( is fine)",
        "mx.example.org; spf=pass (never closed; dmarc=pass header.from=example.org",
        "mx.example.org; dmarc=pass header.from=example.org; dmarc=fail header.from=example.org",
        "mx.example.org; dmarc=pass header.from=evil.example header.from=example.org",
        "mx.example.org; dmarc=pass",
    ],
)
def test_what_a_sender_can_write_into_a_verdict_proves_nothing(verdict):
    forged = {"Authentication-Results": [verdict]}
    assert decide(mail("<1@x>", headers=forged, observed_at=NOW)) == ("other", "owner")


@pytest.mark.parametrize(
    "author",
    [
        ["ada@example.org", "mallory@example.org"],
        ["ada@example.org, mallory@example.org"],
        ["ada@example.org <mallory@example.org>"],
        ["ada@example.org (mallory@example.org"],
        ['"ada@example.org" <mallory@example.org>'],
        ['"ada@example.org"@example.org'],
        ["<@evil.example:ada@example.org>"],
        ["Ada ada@example.org>"],
        ["mallory@example.org"],
        [],
    ],
)
def test_a_verdict_counts_only_for_a_mail_with_one_author(author):
    headers = {**PASSED, "From": author}
    assert decide(mail("<1@x>", headers=headers, observed_at=NOW)) == ("other", "owner")


@pytest.mark.parametrize(
    "author", ["Ada <ada@example.org>", '"Ada @ home" <Ada@Example.org>', "ada@example.org (Ada)"]
)
def test_a_member_may_write_her_name_as_she_likes(author):
    headers = {**PASSED, "From": [author]}
    assert decide(mail("<1@x>", headers=headers, observed_at=NOW)) == ("household", "allow")


def test_a_member_with_an_umlaut_in_her_domain_is_known_in_either_spelling():
    book = ContactBook(frozenset({("email", "ada@xn--mller-kva.example")}), True)
    assert book.is_member("email", "Ada@M\u00fcller.example")
    assert book.is_member("email", "ada@xn--mller-kva.example")


def test_a_letter_that_only_looks_the_same_in_lower_case_is_another_address():
    book = ContactBook(frozenset({("email", "kim@example.org")}), True)
    headers = {**PASSED, "From": ["\u212aim@example.org"]}
    forged = mail("<1@x>", sender="kim@example.org", headers=headers, observed_at=NOW)
    assert classify_sender(forged, book, OURS, now=NOW).sender_class == "other"
