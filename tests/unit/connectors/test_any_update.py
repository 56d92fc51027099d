"""Any JSON is an update: an envelope, or a reason; never an exception."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler_connectors.telegram_bot.normalize import TelegramSource, envelope_of, thread_of
from butler_connectors.telegram_bot.taking import events_of
from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.parse import parse
from butler_kit.sources.events import Malformed, Skipped
from butler_kit.sources.senders import SenderLists

SOURCE = TelegramSource("telegram:bot:household")
NOW = datetime(2026, 11, 22, tzinfo=UTC)
FIELDS = st.sampled_from(
    ["update_id", "message", "edited_message", "channel_post", "from", "sender_chat", "chat", "id", "date", "text",
     "caption", "photo", "file_id", "width", "message_id", "message_thread_id", "is_topic_message", "first_name",
     "voice", "duration", "document", "mime_type", "file_name", "edit_date", "poll", "location", "callback_query",
     "data", "reply_markup", "inline_keyboard", "callback_data"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=5),
    max_leaves=20,
)
MESSAGES = st.fixed_dictionaries(
    {
        "chat": st.fixed_dictionaries({"id": st.integers(-(10**12), 10**12)}),
        "from": st.fixed_dictionaries({"id": st.integers(1, 10**10)}),
    },
    optional=dict.fromkeys(
        ("text", "caption", "photo", "voice", "document", "sticker", "date", "message_id", "location"), JSON
    ),
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(FIELDS, JSON, max_size=6), MESSAGES)
def test_any_json_is_settled(update: dict[str, Any], message: dict[str, Any]) -> None:
    for given_update in (
        update,
        {"update_id": 7, "message": message},
        {"update_id": 7, "edited_message": message},
        {"update_id": 7, "callback_query": message | {"message": message, "id": "9", "data": "x"}},
        {"update_id": 7, "callback_query": update},
    ):
        thread_of(given_update)
        found = envelope_of(given_update, SOURCE, now=NOW)
        assert isinstance(found, IngestEnvelopeV1 | Skipped | Malformed)
        if isinstance(found, IngestEnvelopeV1):
            assert parse(IngestEnvelopeV1, found.to_wire()) == found


def message(**content: Any) -> dict[str, Any]:
    base = {
        "message_id": 3,
        "date": 1_795_190_400,
        "chat": {"id": 1001},
        "from": {"id": 1001, "first_name": "Ada"},
    }
    return base | content


def envelope(update: dict[str, Any], source: TelegramSource = SOURCE) -> IngestEnvelopeV1:
    found = envelope_of({"update_id": 9} | update, source, now=NOW)
    assert isinstance(found, IngestEnvelopeV1)
    return found


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"text": "hello"}, "hello"),
        (
            {
                "photo": [
                    {"file_id": "a", "width": 90, "height": 67},
                    {"file_id": "b", "width": 1280, "height": 960},
                ]
            },
            "[photo 1280x960]",
        ),
        ({"photo": [{"file_id": "a", "width": 90, "height": 67}], "caption": "A receipt"}, "A receipt"),
        ({"voice": {"file_id": "a", "duration": 7}}, "[voice message 7 s]"),
        ({"sticker": {"file_id": "a", "emoji": "👍"}}, "[sticker 👍]"),
        ({"document": {"file_id": "a", "file_name": "bill.pdf"}}, "[file bill.pdf]"),
        ({"location": {"latitude": 48.2, "longitude": 16.4}}, "[location 48.2, 16.4]"),
        ({"poll": {"question": "When?"}}, "[poll When?]"),
        ({"text": " \u0000 "}, "\ufffd"),
        ({"story": {}}, "[a message without text]"),
    ],
)
def test_every_message_says_something(content: dict[str, Any], text: str) -> None:
    assert envelope({"message": message(**content)}).payload.normalized_text == text


@pytest.mark.parametrize(
    "note", ["new_chat_title", "gift", "checklist_tasks_done", "suggested_post_approved"]
)
def test_what_telegram_notes_about_a_chat_is_nobodys_message(note: str) -> None:
    update = {"update_id": 9, "message": message(**{note: {}})}
    assert envelope_of(update, SOURCE, now=NOW) == Skipped("service_message")


def test_an_edit_names_the_message_that_it_edits() -> None:
    found = envelope({"edited_message": message(text="now", edit_date=1_795_190_500)})
    assert found.event.supersedes == found.event.external_message_id == "3"


def test_an_edit_keeps_the_day_of_the_message_whose_words_it_mends() -> None:
    before_midnight = 1_795_190_300
    found = envelope(
        {
            "edited_message": message(
                text="paid today", date=before_midnight, edit_date=before_midnight + 86_400
            )
        }
    )
    assert found.event.observed_at == datetime.fromtimestamp(before_midnight, UTC)


def test_channels_topics_and_anonymous_admins_have_their_own_identity() -> None:
    channel = {"id": -100, "title": "News"}
    post = envelope(
        {"channel_post": {"message_id": 1, "date": 1, "chat": channel, "sender_chat": channel, "text": "x"}}
    )
    assert (post.sender.identity, post.sender.display_name) == ("-100", "News")
    topic = message(text="x", message_thread_id=5, is_topic_message=True)
    assert envelope({"message": topic}).event.external_thread_id == "1001:5"
    anonymous = message(text="x", sender_chat={"id": -7, "title": "Family"})
    assert envelope({"message": anonymous}).sender.identity == "-7"


def test_only_allowed_senders_are_read() -> None:
    source = TelegramSource("telegram:bot:x", senders=SenderLists.of(allow="1002"))
    assert envelope_of({"update_id": 1, "message": message(text="x")}, source, now=NOW) == Skipped(
        "sender_not_allowed"
    )


def test_a_huge_update_is_cut_and_kept() -> None:
    found = envelope({"message": message(text="x" * 4096, entities=[{"type": "b" * 900}] * 900)})
    assert found.payload.normalized_text == "x" * 4096


def test_the_cursor_only_grows_even_when_an_old_update_comes_again() -> None:
    updates = [{"update_id": number, "message": message(text="x")} for number in (10, 4, 11)]
    contents = [envelope_of(update, SOURCE, now=NOW) for update in updates]
    events = events_of(updates, contents, offset=10)
    assert [event.cursor for event in events] == ["11", "11", "12"]
