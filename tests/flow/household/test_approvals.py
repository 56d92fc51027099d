"""A message that waits, from the question to the tap or the mail that sends it: every process, a person who answers."""

from __future__ import annotations

from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime

import pytest
import yaml

from tests.support.chats import Chats, button
from tests.support.household import Place, RunningPlace, until
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
    path = place.manifests / "contacts.yaml"
    secret = yaml.safe_load(path.read_text("utf-8"))
    people = yaml.safe_load(secret["stringData"]["contacts.yaml"])
    for identifier in people[0]["identifiers"]:
        identifier["primary"] = identifier["type"] == "email"
    secret["stringData"]["contacts.yaml"] = yaml.safe_dump(people, allow_unicode=True)
    path.write_text(yaml.safe_dump(secret, allow_unicode=True), "utf-8")


def answer_to(question: EmailMessage, text: str, *, proven: bool) -> EmailMessage:
    """What Ada's mail program makes of an answer, and what somebody sends who writes in her name."""
    answer = EmailMessage()
    if proven:
        answer["Authentication-Results"] = "mx.example.org; dmarc=pass header.from=example.org"
    answer["From"], answer["To"] = "Ada <ada@example.org>", "household@example.org"
    answer["Subject"] = f"AW: {question['Subject']}"
    answer["Message-ID"] = f"<{text.strip('!').lower()}@mail.example.org>"
    answer["In-Reply-To"] = answer["References"] = question["Message-ID"]
    answer["Date"] = format_datetime(datetime.now(UTC))
    quoted = "\n".join(f"> {line}" for line in question.get_content().splitlines())
    answer.set_content(f"{text}\n\nOn Mon, Nov 9, 2026 at 10:00 AM Butlers wrote:\n{quoted}\n")
    return answer


def mails_about(running: RunningPlace, told: str) -> list[EmailMessage]:
    """The household's mails with `told` in their subject, as the provider took them."""
    return [
        mail for one in running.providers.smtp.accepted if told in str((mail := one.message())["Subject"])
    ]


async def mail_about(running: RunningPlace, told: str, *, number: int) -> EmailMessage:
    """The `number`-th of those mails, once it is there."""

    async def there() -> bool:
        return len(mails_about(running, told)) >= number

    await until(there, what=f"mail {number} about {told}")
    return mails_about(running, told)[number - 1]


@pytest.mark.faults_full
async def test_a_reminder_that_waits_is_sent_once_by_a_proven_yes_in_answer_to_the_mail_that_asks(
    fresh_place: Place,
) -> None:
    gated(fresh_place)
    asked_by_mail(fresh_place)
    async with fresh_place.up() as running:
        await running.back({})
        telegram, imap = running.providers.telegram, running.providers.imap
        telegram.inject(message_update(ADA, text="Remind me in 2 seconds to water the plants"))
        question = await mail_about(running, "[messenger]", number=1)
        assert "general wants to write to Ada" in question.get_content()
        # What the forged mail asks for may be asked about in turn: only this question's mails are counted.
        mark = str(question["Subject"]).split()[-1]

        forged = answer_to(question, "No", proven=False)
        await imap.deliver(forged.as_bytes())

        async def read() -> bool:
            return bool(
                await running.rows(
                    "SELECT FROM switchboard.message_inbox WHERE source_channel = 'email'"
                    " AND lifecycle_state IN ('parsed', 'dispatched', 'completed')"
                )
            )

        await until(read, what="the forged mail is routed")
        assert not await running.rows("SELECT FROM messenger.delivery_approval WHERE decision IS NOT NULL")
        await imap.deliver(answer_to(question, "Yes!", proven=True).as_bytes())
        approved = await mail_about(running, mark, number=2)
        await imap.deliver(answer_to(question, "Nein", proven=True).as_bytes())
        late = await mail_about(running, mark, number=3)
        assert "Approved: it is sent to Ada" in approved.get_content()
        assert "it was approved by Ada" in late.get_content()
        verdicts = await running.rows(
            "SELECT decision, decided_by, decided_via FROM messenger.delivery_approval WHERE decision IS NOT NULL"
        )

        def reminders() -> list[str]:
            return [one["text"] for one in telegram.sent if "Reminder: water the plants" in one["text"]]

        async def arrived() -> bool:
            return bool(reminders())

        await until(arrived, what="the reminder")
    assert [(one["decision"], one["decided_via"]) for one in verdicts] == [("approved", "email")]
    assert reminders() == ["[general] Reminder: water the plants"]
    assert len(mails_about(running, mark)) == 3
