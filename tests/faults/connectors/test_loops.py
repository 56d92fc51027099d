"""Automatic answers, bounces and other bots reach a whole household and set off nothing (D22, D23, RFC 3834)."""

from __future__ import annotations

import pytest

from examples.demo.providers import MAILBOX
from tests.faults.connectors.sources import letter
from tests.faults.household import Field
from tests.faults.ledger import LEDGER
from tests.support.household import until
from tests.support.mail.accepted_mail import AcceptedMail
from tests.support.telegram_api import message_update, person

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("faults-loops"),
    pytest.mark.faults_full,
]

QUESTION = "<loop-question@mail.example.org>"
ROUNDS = 3
BOT = {**person(5005, "Echo"), "is_bot": True}


def responses(ours: AcceptedMail, number: int) -> list[bytes]:
    """What machines send on getting a mail of ours; `number` makes each a mail of its own."""
    answered = str(ours.message()["Message-ID"])
    thread = {"In_Reply_To": answered, "References": answered, "To": MAILBOX}
    bounce = {**thread, "From": "MAILER-DAEMON@mail.example.org", "Return_Path": "<>"}
    return [
        letter(
            "I am away.",
            message_id=f"<away-{number}@mail.example.org>",
            Auto_Submitted="auto-replied",
            **thread,
        ),
        letter("I am away.", message_id=f"<bulk-{number}@mail.example.org>", Precedence="bulk", **thread),
        letter(
            "Undelivered Mail Returned to Sender", message_id=f"<bounce-{number}@mail.example.org>", **bounce
        ),
        ours.raw,
    ]


async def test_automatic_answers_bounces_and_our_own_mail_are_recorded_and_never_answered(
    field: Field,
) -> None:
    smtp, imap = field.running.providers.smtp, field.running.providers.imap
    await imap.deliver(letter("I paid the gas bill of 40.00 EUR", message_id=QUESTION))
    await smtp.until(lambda one: len(one.accepted) == 1, timeout_s=120)
    [ours] = smtp.accepted
    assert ours.message()["In-Reply-To"] == QUESTION
    sent = [mail for number in range(ROUNDS) for mail in responses(ours, number)]
    for mail in sent:
        await imap.deliver(mail)
    wanted = 1 + ROUNDS * 3 + 1  # our own mail is the same one each time

    async def all_ended() -> bool:
        rows = await field.running.rows(
            "SELECT final_state_at FROM switchboard.message_inbox WHERE source_channel = 'email'"
        )
        return len(rows) == wanted and all(row["final_state_at"] is not None for row in rows)

    await until(all_ended, what="every mail has come to its end", deadline_s=120)
    # An ordinary question shows that the household still answers; by then anything else would have gone out.
    await imap.deliver(letter("I paid the rent of 900.00 EUR", message_id="<last@mail.example.org>"))
    await smtp.until(lambda one: len(one.accepted) >= 2, timeout_s=120)
    LEDGER.messages += wanted + 1
    answered = [str(mail.message()["In-Reply-To"]) for mail in smtp.accepted]
    assert answered == [QUESTION, "<last@mail.example.org>"]


async def test_a_bot_that_speaks_to_ours_is_never_spoken_to(field: Field) -> None:
    telegram = field.running.providers.telegram
    group = {"id": -5005, "type": "group", "title": "Bots"}
    for number in range(ROUNDS):
        telegram.inject(message_update(BOT, chat=group, text=f"Paid {number + 1}.10 EUR for echoes"))

    async def ended() -> bool:
        rows = await field.running.rows(
            "SELECT final_state_at FROM switchboard.message_inbox WHERE source_sender_identity = '5005'"
        )
        return len(rows) == ROUNDS and all(row["final_state_at"] is not None for row in rows)

    await until(ended, what="every message of the bot has come to its end", deadline_s=120)
    telegram.inject(message_update(person(1001, "Ada"), text="Paid 7.70 EUR for stamps"))
    await telegram.until(lambda api: any("7.70" in one["text"] for one in api.sent), timeout_s=120)
    LEDGER.messages += ROUNDS + 1
    assert [one for one in telegram.sent if one["chat_id"] in (5005, -5005)] == []
