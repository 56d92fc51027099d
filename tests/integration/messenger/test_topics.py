"""Answers in the topics of a Telegram forum (MSG-6.4, MSG-10, D11, D20)."""

from __future__ import annotations

from typing import Any

import pytest

from butler_contracts.errors import ErrorClass
from tests.integration.messenger.household import ADA, Place, notify, request_context
from tests.support.telegram_api import Fault, message_update, person

FORUM: dict[str, Any] = {"id": -100200, "type": "supergroup", "title": "Home", "is_forum": True}
REPLY: dict[str, Any] = {"intent": "reply"}


def asked_in(place: Place, topic: int) -> dict[str, Any]:
    """Ada asks in a topic; the root context as the connector and Switchboard make it."""
    update = place.telegram.inject(
        message_update(
            person(ADA, "Ada"), chat=FORUM, text="Spent?", message_thread_id=topic, is_topic_message=True
        )
    )
    return request_context(
        source_thread_identity=f"{FORUM['id']}:{topic}",
        source_message_identity=str(update["message"]["message_id"]),
    )


async def test_a_reply_stands_in_the_topic_of_its_question_in_all_its_parts(place: Place) -> None:
    context = asked_in(place, 5)
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify("word " * 1200, context=context, **REPLY))
    assert answer.delivery is not None
    assert answer.delivery.state == "sent"
    sent = place.telegram.sent
    assert len(sent) == 2
    assert {(entry["chat_id"], entry["message_thread_id"]) for entry in sent} == {(FORUM["id"], 5)}
    assert [entry["reply_to_message_id"] for entry in sent] == [
        int(context["source_message_identity"]),
        None,
    ]
    row = await place.row(answer.delivery.delivery_id)
    assert (row["target_identity"], row["thread_identity"]) == ("-100200", "telegram:-100200:5")


async def test_a_reaction_is_set_on_a_message_in_a_topic(place: Place) -> None:
    context = asked_in(place, 5)
    async with place.messenger() as messenger:
        await messenger.notify(notify(None, intent="react", emoji="👀", context=context))
    assert place.telegram.reaction(FORUM["id"], int(context["source_message_identity"])) == "👀"


async def test_an_answer_to_the_person_alone_is_in_no_topic(place: Place) -> None:
    context = asked_in(place, 5)
    async with place.messenger() as messenger:
        await messenger.notify(notify("12 euro.", context=context, recipient=str(ADA), **REPLY))
    [sent] = place.telegram.sent
    assert (sent["chat_id"], sent["message_thread_id"]) == (ADA, None)


async def test_an_answer_to_a_topic_that_is_gone_stands_in_its_group_in_all_its_parts(place: Place) -> None:
    context = asked_in(place, 5) | {"source_thread_identity": f"{FORUM['id']}:6"}
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify("word " * 1200, context=context, **REPLY))
    assert answer.delivery is not None
    assert answer.delivery.state == "sent"
    sent = place.telegram.sent
    assert [(entry["chat_id"], entry["message_thread_id"]) for entry in sent] == [(FORUM["id"], None)] * 2
    assert sent[0]["reply_to_message_id"] == int(context["source_message_identity"])


@pytest.mark.parametrize("words", ["TOPIC_CLOSED", "TOPIC_DELETED"])
async def test_an_answer_to_a_topic_that_takes_nothing_stands_in_its_group(place: Place, words: str) -> None:
    context = asked_in(place, 5)
    refusal = Fault("sendMessage", "status", count=1, status=400, description=f"Bad Request: {words}")
    place.telegram.script(refusal)
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify("12 euro.", context=context, **REPLY))
    assert answer.delivery is not None
    assert answer.delivery.state == "sent"
    assert [entry["message_thread_id"] for entry in place.telegram.sent] == [None]


async def test_a_group_that_is_gone_with_its_topic_is_an_end_that_says_so(place: Place) -> None:
    context = asked_in(place, 5)
    for words in ("message thread not found", "chat not found"):
        refusal = Fault("sendMessage", "status", count=1, status=400, description=f"Bad Request: {words}")
        place.telegram.script(refusal)
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify("12 euro.", context=context, **REPLY))
    assert answer.error is not None
    assert (answer.error.error_class, answer.error.retryable) == (ErrorClass.VALIDATION_ERROR, False)
    assert "Chat not found" in answer.error.message
    assert place.telegram.sent == []


async def test_one_topic_does_not_wait_for_another(place: Place) -> None:
    slow, quick = asked_in(place, 5), asked_in(place, 9)
    place.telegram.script(Fault("sendMessage", "hang", count=1))
    async with place.messenger("answer_wait_s = 0.1") as messenger:
        await messenger.notify(notify("first", context=slow, **REPLY))
        behind = await messenger.notify(notify("second", context=slow, **REPLY))
        other = await messenger.notify(notify("other", context=quick, **REPLY))
        assert behind.delivery is not None
        assert other.delivery is not None
        await place.until_status(other.delivery.delivery_id, "sent")
        assert (await place.row(behind.delivery.delivery_id))["status"] == "pending"
        place.telegram.clear_faults()
        await place.until_status(behind.delivery.delivery_id, "sent")
