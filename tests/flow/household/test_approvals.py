"""A message that waits, from the question to the tap or the mail that sends it: every process, a person who answers."""

from __future__ import annotations

from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime

import pytest
import yaml

from tests.support.chats import Chats, button
from tests.support.household import Place, until
from tests.support.telegram_api import callback_update, message_update, person

ADA, BEN, STRANGER = person(1001, "Ada"), person(1002, "Ben"), person(6666, "Marc")


def gated(place: Place) -> None:
    """The demo's manifests, with what butlers send to chats unasked held."""
    manifest = place.manifests / "butlers.yaml"
    documents = list(yaml.safe_load_all(manifest.read_text("utf-8")))
    [messenger] = [one for one in documents if one["metadata"]["name"] == "messenger"]
    messenger["spec"]["modules"]["approvals"] = {"gatedTools": ["telegram_send_message"]}
    manifest.write_text(yaml.safe_dump_all(documents, allow_unicode=True), "utf-8")


@pytest.mark.faults_full
async def test_a_reminder_that_waits_is_sent_once_by_a_tap_of_the_owner_and_nobody_elses(
    fresh_place: Place,
) -> None:
    gated(fresh_place)
    async with fresh_place.up() as running:
        await running.back({})
        telegram = running.providers.telegram
        chats = Chats(telegram)
        telegram.inject(message_update(ADA, text="Remind me in 2 seconds to water the plants"))
        assert "I will remind you on" in (await chats.next())["text"]
        question = await chats.next()
        assert "general wants to write to Ada" in question["text"]
        assert "Reminder: water the plants" in question["text"]
        telegram.inject(callback_update(STRANGER, question, button(question, "Approve")))
        assert (
            await chats.pressed(BEN, question, "Approve")
        ) == "This was asked of somebody else; nothing was changed."
        held = await running.rows(
            "SELECT status FROM messenger.delivery_requests WHERE status = 'pending_approval'"
        )
        assert len(held) == 1
        telegram.inject(callback_update(ADA, question, button(question, "Approve")))
        told = [(await chats.next())["text"] for _ in range(2)]
        assert sorted("Approved: it is sent to Ada" in one for one in told) == [False, True]
        assert sum(one == "[general] Reminder: water the plants" for one in told) == 1
        again = await chats.pressed(ADA, question, "Deny")
        assert "it was approved by" in again
        sent = await running.rows(
            "SELECT status FROM messenger.delivery_requests WHERE origin_butler = 'general'"
        )
    assert {row["status"] for row in sent} == {"sent"}
    assert sum("Reminder: water the plants" in one["text"] for one in telegram.sent) == 2, (
        "the question, and it itself"
    )


def asked_by_mail(place: Place) -> None:
    """Ada is asked by mail first."""
    contacts = place.manifests / "contacts.yaml"
    text = contacts.read_text("utf-8")
    text = text.replace('value: "1001", primary: true', 'value: "1001"')
    contacts.write_text(
        text.replace("value: ada@example.org", "value: ada@example.org, primary: true"), "utf-8"
    )


def answer_to(question: EmailMessage, text: str, *, number: int, proven: bool) -> bytes:
    """What Ada's mail program makes of an answer, and somebody who writes in her name."""
    answer = EmailMessage()
    if proven:
        answer["Authentication-Results"] = "mx.example.org; dmarc=pass header.from=example.org"
    answer["From"], answer["To"] = "Ada <ada@example.org>", "household@example.org"
    answer["Subject"], answer["Message-ID"] = f"AW: {question['Subject']}", f"<a{number}@mail.example.org>"
    answer["In-Reply-To"] = answer["References"] = question["Message-ID"]
    answer["Date"] = format_datetime(datetime.now(UTC))
    quoted = "\n".join(f"> {line}" for line in question.get_content().splitlines())
    answer.set_content(f"{text}\n\nOn Mon, Nov 9, 2026 at 10:00 AM Butlers wrote:\n{quoted}\n")
    return answer.as_bytes()


@pytest.mark.faults_full
async def test_a_reminder_that_waits_is_sent_once_by_a_proven_yes_in_answer_to_the_mail_that_asks(
    fresh_place: Place,
) -> None:
    gated(fresh_place)
    asked_by_mail(fresh_place)
    async with fresh_place.up() as running:
        await running.back({})
        telegram, smtp, imap = running.providers.telegram, running.providers.smtp, running.providers.imap
        telegram.inject(message_update(ADA, text="Remind me in 2 seconds to water the plants"))

        def about_it() -> list[EmailMessage]:
            found = [one.message() for one in smtp.accepted]
            return [
                one for one in found if str(one["Subject"]).startswith(("[messenger]", "Re: [messenger]"))
            ]

        async def asked() -> bool:
            return len(about_it()) == 1

        async def answered() -> bool:
            return len(about_it()) == 3

        await until(asked, what="the mail that asks")
        [question] = about_it()
        assert "general wants to write to Ada" in question.get_content()
        await imap.deliver(answer_to(question, "no", number=1, proven=False))
        await imap.deliver(answer_to(question, "Yes!", number=2, proven=True))
        await imap.deliver(answer_to(question, "Nein", number=3, proven=True))
        await until(answered, what="an answer to each proven mail")
        [verdict] = await running.rows(
            "SELECT decision, decided_by, decided_via FROM messenger.delivery_approval"
        )
        sent = [one["text"] for one in telegram.sent if "Reminder: water the plants" in one["text"]]
    _, approved, late = (one.get_content() for one in about_it())
    assert "Approved: it is sent to Ada" in approved
    assert "it was approved by Ada" in late
    assert (verdict["decision"], verdict["decided_via"]) == ("approved", "email")
    assert sent == ["[general] Reminder: water the plants"]
