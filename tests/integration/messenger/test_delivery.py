"""What a household sees on Telegram and in its mailbox (MSG-4.1, MSG-6.3, MSG-6.4, MSR-02.1, MSR-02.2, D20, D21)."""

from __future__ import annotations

from uuid import uuid4

import pytest

from butler_contracts.errors import ErrorClass
from tests.integration.messenger.household import (
    ADA,
    ADDRESS,
    BEN,
    MAIL_PASSWORD,
    Place,
    config_text,
    envelope,
    notify,
    request_context,
)
from tests.support.mail.smtp_server import SmtpServer
from tests.support.telegram_api import Fault, message_update, person


def ask(place: Place, text: str = "What did I spend?") -> int:
    """Ada writes to the bot; the id of her message."""
    update = place.telegram.inject(message_update(person(ADA, "Ada"), text=text))
    return int(update["message"]["message_id"])


@pytest.mark.spec("MSG-4.1", "MSG-6.4", "MSR-02.2", "MSG-18", "MSG-4")
async def test_a_reply_quotes_the_question_and_comes_back_as_notify_response(place: Place) -> None:
    question = ask(place)
    context = request_context(source_message_identity=str(question))
    async with place.messenger() as messenger:
        data = envelope(notify("12 euro.", intent="reply", context=context))
        response = await messenger.execute(data)
    assert (response.status, str(response.request_context.request_id)) == ("ok", context["request_id"])
    assert str(response.subrequest_id) == data["subrequest"]["subrequest_id"]
    assert response.result is not None
    assert response.result["notify_response"]["schema_version"] == "notify_response.v1"
    answer = response.notify_response()
    assert answer is not None
    assert answer.request_context is not None
    assert str(answer.request_context.request_id) == context["request_id"]
    assert (answer.status, answer.error) == ("ok", None)
    assert answer.delivery is not None
    assert (answer.delivery.channel, answer.delivery.state) == ("telegram", "sent")
    [sent] = place.telegram.sent
    assert (sent["chat_id"], sent["text"], sent["reply_to_message_id"]) == (
        ADA,
        "[finance] 12 euro.",
        question,
    )
    row = await place.row(answer.delivery.delivery_id)
    assert (row["origin_butler"], row["intent"], str(row["request_id"])) == (
        "finance",
        "reply",
        context["request_id"],
    )


@pytest.mark.spec("MSG-4.1", "MSG-6.4", "MSR-02.2")
async def test_a_failure_comes_back_with_class_message_and_retryable(place: Place) -> None:
    context = request_context()
    async with place.messenger() as messenger:
        wish = notify(intent="reply", context=context, recipient="666")
        response = await messenger.execute(envelope(wish))
    assert response.status == "error"
    answer = response.notify_response()
    assert answer is not None
    assert answer.error is not None
    assert response.error == answer.error
    assert answer.error.error_class is ErrorClass.VALIDATION_ERROR
    assert answer.error.message
    assert answer.error.retryable is False
    assert str(answer.request_context.request_id if answer.request_context else "") == context["request_id"]
    assert place.telegram.sent == []


@pytest.mark.spec("MSG-6.4")
async def test_a_delivery_that_its_provider_refuses_is_an_error_and_not_retryable(place: Place) -> None:
    context = request_context()
    place.telegram.script(
        Fault("sendMessage", "status", status=400, description="Bad Request: chat not found")
    )
    async with place.messenger() as messenger:
        response = await messenger.execute(envelope(notify(intent="reply", context=context)))
    assert response.result is not None
    wire = response.result["notify_response"]
    assert (wire["status"], wire["request_context"]) == ("error", {"request_id": context["request_id"]})
    assert wire["delivery"]["state"] == "failed"
    assert (wire["error"]["class"], wire["error"]["retryable"]) == ("validation_error", False)
    assert "not found" in wire["error"]["message"]


@pytest.mark.spec("MSG-5", "MSR-02.1", "MSG-6.3", "MSR-11.2")
async def test_each_intent_goes_through_its_own_channel_tool_and_says_who_speaks(place: Place) -> None:
    question = ask(place)
    wishes = [
        notify("one", channel="telegram", idempotency_key="a"),
        notify("two", intent="reply", context=request_context(source_message_identity=str(question))),
        notify("three", channel="email", subject="Report", idempotency_key="b"),
        notify("four", intent="reply", channel="email", subject="Question", context=request_context("email")),
    ]
    async with place.messenger() as messenger:
        for wish in wishes:
            assert (await messenger.notify(wish)).status == "ok"
        tools = await place.rows(
            "SELECT a.tool FROM delivery_attempts a JOIN delivery_requests d USING (delivery_id) ORDER BY d.created_at"
        )
        listed = await messenger.listed_tools(place.keys.switchboard())
        as_butler = await messenger.listed_tools(place.keys.other("finance", "butler"))
    assert [row["tool"] for row in tools] == [
        "telegram_send_message",
        "telegram_reply_to_message",
        "email_send_message",
        "email_reply_to_thread",
    ]
    # Nobody but Messenger itself can reach a channel tool that sends.
    assert not {row["tool"] for row in tools} & (listed | as_butler)
    assert not {name for name in as_butler if name.startswith(("telegram_", "email_"))}
    # Beside them it has its core tools, the calendar's, those that read its mailbox; nothing that a skill would bring.
    others = {name for name in listed | as_butler if not name.startswith(("messenger_", "calendar_"))}
    assert others == {
        "route.execute",
        "email_search_inbox",
        "email_read_message",
        "email_check_and_route_inbox",
    }
    assert [sent["text"] for sent in place.telegram.sent] == ["[finance] one", "[finance] two"]
    assert [mail.subject for mail in place.smtp.accepted] == ["[finance] Report", "Re: [finance] Question"]
    [new, reply] = place.smtp.accepted
    assert new.rcpt_to == reply.rcpt_to == ("ada@example.org",)
    assert new.mail_from == ADDRESS
    assert reply.message()["In-Reply-To"] == "<question@example.org>"
    assert reply.message()["References"] == "<root@example.org> <question@example.org>"
    assert reply.message()["Auto-Submitted"] == "auto-replied"


@pytest.mark.spec("MSG-6.3")
async def test_a_household_may_have_the_mark_left_out_where_one_butler_alone_answers(place: Place) -> None:
    """What several may answer, what nobody asked for and every subject say who speaks all the same."""
    several = {"delivery": {"channels": {"telegram": {"mark": "several"}}}}
    alone, among = (notify(word, intent="reply", context=request_context()) for word in ("one", "two"))
    mail = notify("three", intent="reply", channel="email", context=request_context("email"))
    async with place.messenger(spec=several) as messenger:
        for wish, by_itself in ((alone, True), (among, False), (mail, True)):
            document = envelope(wish)
            if by_itself:
                document["input"]["context"]["lineage"]["alone"] = True
            assert (await messenger.execute(document)).status == "ok"
        assert (await messenger.notify(notify("four", idempotency_key="a"))).status == "ok"
    assert [sent["text"] for sent in place.telegram.sent] == ["one", "[finance] two", "[finance] four"]
    assert [one.subject for one in place.smtp.accepted] == ["Re: [finance] Your message"]


async def test_addresses_with_umlauts_are_written_to(place: Place) -> None:
    recipients = ["joerg@m\u00fcller.example", "j\u00f6rg@m\u00fcller.example"]
    async with place.messenger() as messenger:
        for recipient in recipients:
            answer = await messenger.notify(
                notify("12 \u20ac", channel="email", recipient=recipient, idempotency_key=recipient)
            )
            assert answer.delivery is not None
            assert answer.delivery.state == "sent"
    domain, name = place.smtp.accepted
    assert domain.rcpt_to == ("joerg@xn--mller-kva.example",)
    assert name.rcpt_to == ("j\u00f6rg@xn--mller-kva.example",)
    assert "j\u00f6rg@xn--mller-kva.example".encode() in name.raw
    assert "12 \u20ac" in domain.message().get_content()


async def test_a_household_at_an_international_domain_writes_under_its_name_in_dns(place: Place) -> None:
    own = "butler@m\u00fcller.example"
    place.more_environment["BUTLER_EMAIL_ADDRESS"] = own
    async with SmtpServer(user=own, password=MAIL_PASSWORD) as smtp:
        text = config_text(api=place.telegram.url, smtp_port=smtp.port)
        async with place.messenger(text=text) as messenger:
            answer = await messenger.notify(notify("12 euro", channel="email", idempotency_key="x"))
            assert answer.delivery is not None
            await place.until_status(answer.delivery.delivery_id, "sent")
        [mail] = smtp.accepted
    assert mail.mail_from == "butler@xn--mller-kva.example"
    assert mail.message_id.endswith("@xn--mller-kva.example>")


async def test_a_server_that_takes_no_umlauts_in_names_is_told_of_in_words(place: Place) -> None:
    async with SmtpServer(smtputf8=False) as plain:
        text = config_text(api=place.telegram.url, smtp_port=plain.port)
        async with place.messenger(text=text) as messenger:
            answer = await messenger.notify(
                notify(channel="email", recipient="j\u00f6rg@example.org", idempotency_key="x")
            )
            domain = notify(channel="email", recipient="joerg@m\u00fcller.example", idempotency_key="y")
            other = await messenger.notify(domain)
    assert answer.error is not None
    assert (answer.error.error_class, answer.error.retryable) == (ErrorClass.VALIDATION_ERROR, False)
    assert "use an address in plain letters" in answer.error.message
    assert other.status == "ok"


async def test_a_long_answer_comes_in_parts_with_a_receipt_each(place: Place) -> None:
    text = "\n\n".join(f"{number} " + "x" * 2000 for number in range(5))
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(text, idempotency_key="long"))
    assert answer.delivery is not None
    assert answer.delivery.state == "sent"
    texts = [sent["text"] for sent in place.telegram.sent]
    assert len(texts) == 3
    assert [text[: len("[finance] (1/3) ")] for text in texts] == [f"[finance] ({n}/3) " for n in (1, 2, 3)]
    assert all(len(text) <= 4096 for text in texts)
    receipts = await place.rows("SELECT * FROM delivery_receipts ORDER BY part")
    assert [r["provider_delivery_id"] for r in receipts] == [
        f"{ADA}:{sent['message_id']}" for sent in place.telegram.sent
    ]


async def test_a_long_mail_is_one_mail(place: Place) -> None:
    text = "word " * 4000
    async with place.messenger() as messenger:
        wish = notify(
            text, channel="email", recipient="ada@example.org", subject="Report", idempotency_key="long"
        )
        assert (await messenger.notify(wish)).status == "ok"
    [mail] = place.smtp.accepted
    assert "(1/" not in (said := mail.message().get_content())
    assert said.split() == text.split()


@pytest.mark.parametrize("form", ["plain", "markdown"])
async def test_parts_that_were_received_are_not_sent_again_by_a_retry(place: Place, form: str) -> None:
    bold = "**" if form == "markdown" else ""
    text = "\n\n".join(f"{bold}{number}{bold} " + "x" * 3000 for number in range(3))
    async with place.messenger() as messenger:
        place.telegram.script(Fault("sendMessage", "slow", count=1, delay_s=0.0))
        place.telegram.script(Fault("sendMessage", "status", count=1, status=409))
        answer = await messenger.notify(notify(text, idempotency_key="long", format=form))
        assert answer.delivery is not None
        row = await place.until_status(answer.delivery.delivery_id, "sent")
    assert [sent["text"].split()[1:3] for sent in place.telegram.sent] == [
        ["(1/3)", "0"], ["(2/3)", "1"], ["(3/3)", "2"],
    ]  # fmt: skip
    assert [len(sent.get("entities", ())) for sent in place.telegram.sent] == [1 if bold else 0] * 3
    assert row["attempts_used"] == 2


@pytest.mark.parametrize(("glyphs", "shown"), [(None, "👍"), ({"✅": ["✅", "👌"]}, "👌")])
async def test_the_first_glyph_that_a_bot_may_use_is_set_and_the_refused_one_is_not_tried_again(
    place: Place, capfd: pytest.CaptureFixture[str], glyphs: dict[str, list[str]] | None, shown: str
) -> None:
    first, second = ask(place), ask(place)
    spec = {} if glyphs is None else {"delivery": {"reactionGlyphs": glyphs}}
    async with place.messenger(spec=spec) as messenger:
        for message in (first, second):
            context = request_context(source_message_identity=str(message))
            answer = await messenger.notify(notify(None, intent="react", emoji="✅", context=context))
            assert answer.status == "ok"
        assert place.telegram.reaction(ADA, first) == place.telegram.reaction(ADA, second) == shown
    out, err = capfd.readouterr()
    assert (out + err).count("telegram_glyph_refused") == 1


async def test_the_last_reaction_wins_and_each_is_tried_once(place: Place) -> None:
    message = ask(place)
    context = request_context(source_message_identity=str(message))
    async with place.messenger() as messenger:
        for emoji in ("👀", "👾"):
            await messenger.notify(notify(None, intent="react", emoji=emoji, context=context))
        assert place.telegram.reaction(ADA, message) == "👾"
        place.telegram.script(Fault("setMessageReaction", "status", count=1, status=500))
        failed = await messenger.notify(notify(None, intent="react", emoji="👀", context=context))
    assert failed.error is not None
    assert failed.delivery is not None
    assert failed.delivery.state == "failed"
    assert await place.rows("SELECT 1 FROM delivery_dead_letter") == []
    # Nobody waits for the end of a reaction, so nobody is told of it.
    assert place.switchboard.completions == []
    assert place.telegram.reaction(ADA, message) == "👾"


async def test_a_reaction_to_a_message_that_is_gone_is_an_end_and_no_crash(place: Place) -> None:
    context = request_context(source_message_identity="424242")
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(None, intent="react", emoji="👀", context=context))
    assert answer.error is not None
    assert answer.error.error_class is ErrorClass.VALIDATION_ERROR


async def test_a_blocked_bot_is_told_of_at_once(place: Place) -> None:
    place.telegram.add_chat({"id": BEN, "type": "private", "first_name": "Ben"}, blocked=True)
    async with place.messenger() as messenger:
        answer = await messenger.notify(notify(recipient=str(BEN), idempotency_key="x"))
    assert answer.error is not None
    assert (answer.error.error_class, answer.error.retryable) == (ErrorClass.TARGET_UNAVAILABLE, False)
    assert "blocked" in answer.error.message


async def test_the_answer_says_queued_while_the_delivery_is_under_way(place: Place) -> None:
    place.telegram.script(Fault("sendMessage", "slow", count=1, delay_s=1.0))
    subrequest_id = uuid4()
    async with place.messenger("answer_wait_s = 0.1") as messenger:
        answer = await messenger.notify(notify(idempotency_key="slow"), subrequest_id=subrequest_id)
        assert answer.delivery is not None
        assert (answer.status, answer.delivery.state) == ("ok", "queued")
        completion = await place.switchboard.completed(subrequest_id)
    told = completion.notify_response()
    assert told is not None
    assert told.delivery is not None
    assert (told.delivery.delivery_id, told.delivery.state) == (answer.delivery.delivery_id, "sent")
