"""To whom an answer goes, decided by data alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args
from uuid import uuid4

import pytest

from butler_contracts.ingest import SourceChannel
from butler_contracts.notify import DeliveryChannel
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.markup import said
from butler_kit.time import new_uuid7
from butler_specialist.store.model import Outcome
from butler_specialist.work.answers import succeeded

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


def envelope(channel: SourceChannel, **context: Any) -> RouteEnvelopeV1:
    return RouteEnvelopeV1.model_validate(
        {
            "request_context": {
                "request_id": str(new_uuid7(NOW)),
                "received_at": NOW,
                "source_channel": channel,
                "source_endpoint_identity": "household",
                "source_sender_identity": "ada",
                "source_thread_identity": "1001",
                **context,
            },
            "subrequest": {"subrequest_id": str(uuid4()), "segment_id": "s1"},
            "target": {"butler": "finance"},
            "input": {"prompt": "x"},
        }
    )


@pytest.mark.parametrize("channel", list(SourceChannel))
def test_an_answer_goes_out_where_its_message_came_in_else_to_the_owner(channel: SourceChannel) -> None:
    outcome = succeeded(envelope(channel), answer="Noted.", records=(), own_name="finance", language="en")
    if channel in (SourceChannel.API, SourceChannel.MCP):
        assert (outcome.result or {})["reply"] == "Noted."
        assert outcome.notify is None
        return
    assert outcome.notify is not None
    delivery = outcome.notify.delivery
    if channel in get_args(DeliveryChannel):
        assert (delivery.intent, str(delivery.channel), delivery.message) == (
            "reply",
            channel.value,
            "Noted.",
        )
    else:
        assert (delivery.intent, delivery.channel) == ("send", "telegram")
        assert delivery.message == f"A message by {channel} from ada: Noted."
        assert outcome.fallback is not None
        assert outcome.fallback.delivery.channel == "email"


def test_an_answer_that_is_too_long_for_a_message_says_that_it_is_cut() -> None:
    outcome = succeeded(
        envelope(SourceChannel.TELEGRAM), answer="x" * 20_000, records=(), own_name="finance", language="en"
    )
    assert outcome.notify is not None
    assert outcome.notify.delivery.message is not None
    assert outcome.notify.delivery.message.endswith("x … (this answer is cut; what was noted is whole)")
    assert len(outcome.notify.delivery.message) == 16_000


ANSWER = "**Kept**: see [it](https://example.org)"


def test_a_models_answer_is_markdown_where_it_is_delivered_and_plain_where_it_is_the_result() -> None:
    def outcome(channel: SourceChannel) -> Outcome:
        return succeeded(
            envelope(channel), answer=ANSWER, format="markdown", records=(), own_name="finance", language="en"
        )

    notify = outcome(SourceChannel.TELEGRAM).notify
    assert notify is not None
    assert (notify.delivery.message, notify.delivery.format) == (ANSWER, "markdown")
    assert (outcome(SourceChannel.API).result or {})["reply"] == "Kept: see it (https://example.org)"


def test_what_the_owner_is_told_beside_a_models_answer_stays_as_it_is() -> None:
    stranger = {
        "reply_policy": "owner",
        "sender_class": "other",
        "source_sender_identity": "a_b_c@example.org",
        "source_sender_name": "*Ada* 2*3",
    }
    outcome = succeeded(
        envelope(SourceChannel.EMAIL, **stranger),
        answer=ANSWER,
        format="markdown",
        records=(),
        own_name="general",
        language="en",
    )
    assert outcome.notify is not None
    delivery = outcome.notify.delivery
    text = said(delivery.message or "", delivery.format)
    head, answer, how = text.split("\n\n")
    assert head == (
        "A message by e-mail from a_b_c@example.org, who goes by “*Ada* 2*3” (not confirmed as one of your contacts):"
    )
    assert answer == "Kept: see it (https://example.org)"
    assert how.startswith("To make them a member: butlers contacts add 'Ada 2 3' --email a_b_c@example.org (")


def told(channel: SourceChannel, **context: Any) -> str:
    stranger = {"reply_policy": "owner", "sender_class": "other", **context}
    outcome = succeeded(
        envelope(channel, **stranger), answer="Kept.", records=(), own_name="general", language="en"
    )
    assert outcome.notify is not None
    assert outcome.notify.request_context is not None
    assert outcome.notify.request_context.source_sender_name is None
    return outcome.notify.delivery.message or ""


def test_a_mail_in_the_name_of_a_contact_is_not_called_an_unknown_one() -> None:
    message = told(SourceChannel.EMAIL, source_sender_name="Ada Example")
    assert "from ada, who goes by “Ada Example” (not confirmed" in message
    assert "butlers contacts add 'Ada Example' --email ada (" in message
    assert message.endswith("If they already are one, this mail did not prove that it is theirs.")


def test_a_stranger_without_a_name_is_named_by_their_id_and_a_machine_is_not_to_be_added() -> None:
    assert told(SourceChannel.TELEGRAM).startswith("A message on Telegram from ada (not confirmed")
    assert "To make them" not in told(SourceChannel.EMAIL, automatic=True)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("Marc 'Weber'; rm -rf /", "'Marc Weber rm -rf'"),
        ("--owner", "owner"),
        ("$(date)", "date"),
        ("“„", "NAME"),
        ("x" * 200, "x" * 60),
    ],
)
def test_the_name_of_a_stranger_is_one_harmless_word_of_the_command(name: str, word: str) -> None:
    message = told(SourceChannel.TELEGRAM, source_sender_name=name)
    assert f"butlers contacts add {word} --telegram ada (" in message


def test_the_owner_reads_of_a_stranger_in_the_language_of_the_household() -> None:
    stranger = envelope(SourceChannel.TELEGRAM, reply_policy="owner", sender_class="other")
    outcome = succeeded(stranger, answer="Notiert.", records=(), own_name="general", language="de")
    assert outcome.notify is not None
    message = outcome.notify.delivery.message or ""
    assert message.startswith(
        "Eine Nachricht bei Telegram von ada (nicht als einer deiner Kontakte bestätigt)"
    )
    assert "Um den Absender aufzunehmen: butlers contacts add NAME --telegram ada" in message


def test_an_answer_by_mail_leaves_the_subject_to_the_mail_that_it_answers() -> None:
    outcome = succeeded(
        envelope(SourceChannel.EMAIL), answer="Noted.", records=(), own_name="finance", language="en"
    )
    assert outcome.notify is not None
    assert outcome.notify.delivery.subject is None
