"""A yes or no in answer to the mail that asks decides once, for whom it was asked of, and is answered (ADR 0076)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from email.message import EmailMessage
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.questions import AnswerWritten, question_of
from butler_contracts.route import RouteResponseV1
from butler_messenger.contacts.sync import sync_contacts
from tests.integration.messenger.household import BEN, CONTACTS, Client, Place, envelope, request_context
from tests.integration.messenger.test_approval_buttons import press_id
from tests.integration.messenger.test_approvals import GATED, decided, held, told
from tests.integration.messenger.test_call_approvals import ask, call

ADAS, BENS = "ada@example.org", "ben@example.org"


@pytest.fixture
async def by_mail(place: Place) -> Place:
    """Ada is reached by mail alone; Ben has an address too."""
    ada = {**CONTACTS[0], "identifiers": [{"type": "email", "value": ADAS}]}
    telegram = {"type": "telegram", "value": str(BEN), "primary": True}
    ben = {**CONTACTS[1], "identifiers": [telegram, {"type": "email", "value": BENS}]}
    await sync_contacts(place.pool, place.write_contacts([ada, ben]))
    return place


def mails(place: Place) -> list[EmailMessage]:
    return [one.message() for one in place.smtp.accepted]


async def asked(place: Place) -> UUID:
    """The question that the mail to Ada names in its subject."""
    async with asyncio.timeout(90):
        while not mails(place):
            await asyncio.sleep(0.02)
    question = question_of(str(mails(place)[0]["Subject"]))
    assert question is not None
    return question


async def wrote(
    messenger: Client, question: UUID, text: str, *, sender: str = ADAS, number: int = 1, **context: Any
) -> RouteResponseV1:
    """As Switchboard routes it: what the mail says above what it quotes; the same number is the same mail."""
    root = request_context(
        "email",
        source_sender_identity=sender,
        source_thread_identity="<question@butlers.test>",
        source_message_identity=f"<answer-{number}@example.org>",
        request_id=press_id(number),
        **context,
    )
    data = envelope(None, context=root)
    data["input"] = {"prompt": text, "context": {"pressed": AnswerWritten(question).action}}
    return await messenger.execute(data, token=messenger.place.keys.switchboard(origin=None))


def said(answer: RouteResponseV1) -> str:
    assert answer.result is not None
    return str(answer.result["said"])


async def test_a_yes_sends_it_and_the_same_mail_again_is_done_and_answered_once(by_mail: Place) -> None:
    place = by_mail
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        question = await asked(place)
        first = await wrote(messenger, question, "Yes.\n\nSent from my phone")
        assert (await wrote(messenger, question, "Yes.\n\nSent from my phone")).result == first.result
        await place.until_status(delivery_id, "sent")
        late = await wrote(messenger, question, "no", number=2)
        async with asyncio.timeout(90):
            while len(mails(place)) < 3:
                await asyncio.sleep(0.02)
    ask, answer, _ = mails(place)
    assert '"yes" or "no" alone in its first line' in ask.get_content()
    assert (answer["To"], answer["In-Reply-To"]) == (ADAS, "<answer-1@example.org>")
    assert str(answer["Subject"]) == f"Re: {ask['Subject']}"
    assert said(first) == f"Approved: it is sent to Ben ({BEN} on telegram)."
    assert "it was approved by Ada at" in said(late)
    assert told(place, BEN) == ["[finance] Dinner at eight"]
    [approval] = await place.rows("SELECT decision, decided_by, decided_via, reason FROM delivery_approval")
    assert tuple(approval.values()) == ("approved", "Ada", "email", "by mail, in answer to the question")


async def test_a_no_ends_it_unsent_and_other_words_are_answered_by_how_to_decide(by_mail: Place) -> None:
    place = by_mail
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        question = await asked(place)
        unclear = await wrote(messenger, question, "Yes, but say nine\n> yes")
        assert (await place.row(delivery_id))["status"] == "pending_approval"
        await wrote(messenger, question, "Nein!", number=2)
        row = await place.until_status(delivery_id, "failed")
        after = await wrote(messenger, question, "Thank you", number=3)
    assert said(unclear).startswith("I read nothing but the first line of your answer")
    assert row["error_message"] == "it was not approved: Ada said no (by mail, in answer to the question)"
    assert "it was denied by Ada at" in said(after)
    assert told(place, BEN) == []


async def test_nobody_decides_but_whom_the_question_was_put_to_proven_and_within_its_time(
    by_mail: Place,
) -> None:
    place = by_mail
    stranger = {"sender_class": "other", "reply_policy": "owner"}
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        question = await asked(place)
        others = await wrote(messenger, question, "yes", sender=BENS)
        unproven = await wrote(messenger, question, "yes", number=2, **stranger)
        unknown = await wrote(messenger, uuid4(), "yes", number=3)
        assert (await place.row(delivery_id))["status"] == "pending_approval"
        await place.database.shift_clock(timedelta(hours=73), disconnect=True)
        await place.until_status(delivery_id, "failed")
        late = await wrote(messenger, question, "yes", number=4)
    assert said(others) == "This was asked of somebody else; nothing was changed."
    assert unproven.status == "error"
    assert said(unknown) == "I do not know this question any more; nothing was changed."
    assert "its time was over" in said(late)
    assert await place.rows("SELECT 1 FROM operation WHERE state = 'done'") == []
    assert [mail["To"] for mail in mails(place)].count(ADAS) <= 4  # nothing to who proved nothing


async def test_a_mail_after_an_operators_verdict_says_whose_it_was(by_mail: Place) -> None:
    place = by_mail
    async with place.messenger(spec=GATED) as messenger:
        delivery_id = await held(messenger)
        question = await asked(place)
        await decided(messenger, delivery_id, "deny")
        answer = await wrote(messenger, question, "oui")
    assert "it was denied by ana at" in said(answer)


async def test_a_machine_that_answers_every_answer_is_answered_a_bounded_number_of_times(
    by_mail: Place,
) -> None:
    place = by_mail
    async with place.messenger(spec=GATED) as messenger:
        await held(messenger)
        question = await asked(place)
        for number in range(1, 36):
            await wrote(messenger, question, "I am away until Monday", number=number)
    answers = await place.rows("SELECT 1 FROM delivery_requests WHERE intent = 'reply'")
    assert len(answers) == 30


async def test_a_yes_decides_on_a_call_as_well(by_mail: Place) -> None:
    place = by_mail
    async with place.messenger() as messenger:
        wanted = call()
        await ask(messenger, wanted)
        question = await asked(place)
        forged = await wrote(messenger, question, "yes", sender=BENS)
        assert (await ask(messenger, wanted))["state"] == "waiting"
        answer = await wrote(messenger, question, "Ja", number=2)
        after = await ask(messenger, wanted)
    [asking, *_] = mails(place)
    assert "[messenger] A call waits for your approval (question " in str(asking["Subject"])
    assert '| door: "front"' in asking.get_content()
    assert said(forged) == "This was asked of somebody else; nothing was changed."
    assert said(answer) == "Approved: door.unlock is called, once."
    assert (after["state"], after["decided_by"]) == ("approved", "Ada")
