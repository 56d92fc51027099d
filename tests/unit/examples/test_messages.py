"""The example messages: complete, varied, and what their files say they are."""

from __future__ import annotations

import email
import email.policy
import shutil
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.messages import (
    EXAMPLES,
    ExampleMessage,
    fresh_mail,
    fresh_post,
    fresh_update,
    load_examples,
)
from tests.support.telegram_api import TelegramApiServer

NOW = datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC)
EXAMPLES_BY_ID = {message.id: message for message in load_examples()}
MAILS = [message for message in EXAMPLES_BY_ID.values() if message.channel == "email"]


def test_there_are_about_forty_messages_on_every_channel_for_every_butler() -> None:
    channels = Counter(message.channel for message in EXAMPLES_BY_ID.values())
    assert len(EXAMPLES_BY_ID) >= 40
    assert min(channels[channel] for channel in ("email", "telegram", "api")) >= 5
    reached = {butler for message in EXAMPLES_BY_ID.values() for butler in message.butlers}
    assert reached == {"general", "relationship", "health", "finance", "travel"}
    assert {message.reply for message in EXAMPLES_BY_ID.values()} == {"yes", "owner-note", "none"}


def test_every_channel_has_a_duplicate() -> None:
    duplicates = [message for message in EXAMPLES_BY_ID.values() if message.duplicate_of]
    assert {message.channel for message in duplicates} == {"email", "telegram", "api"}


@pytest.mark.parametrize("message", MAILS, ids=lambda message: message.id)
def test_a_mail_parses_without_defects_and_names_its_sender(message: ExampleMessage) -> None:
    parsed = email.message_from_bytes(message.raw, policy=email.policy.default)
    assert [part.defects for part in parsed.walk() if part.defects] == []
    assert parsed["From"].addresses[0].addr_spec == message.sender
    assert parsed["Date"].datetime.tzinfo is not None
    assert parsed["Message-ID"]


@pytest.mark.parametrize("message", MAILS, ids=lambda message: message.id)
def test_only_mail_that_proves_its_household_sender_is_answered(message: ExampleMessage) -> None:
    parsed = email.message_from_bytes(message.raw, policy=email.policy.default)
    proven = "dmarc=pass header.from=example.org" in str(parsed.get("Authentication-Results", ""))
    assert (message.reply == "yes") == (proven and message.sender in {"ada@example.org", "ben@example.org"})


def test_the_mails_cover_the_charsets_encodings_and_structures_of_real_mail() -> None:
    parts = [
        part
        for message in MAILS
        for part in email.message_from_bytes(message.raw, policy=email.policy.default).walk()
    ]
    assert {part.get_content_charset() for part in parts} >= {
        "utf-8", "iso-8859-1", "windows-1252", "koi8-r", "us-ascii",
    }  # fmt: skip
    assert {part.get("Content-Transfer-Encoding") for part in parts} >= {
        "7bit", "8bit", "base64", "quoted-printable",
    }  # fmt: skip
    assert {part.get_content_type() for part in parts} >= {
        "multipart/alternative", "multipart/mixed", "multipart/report", "text/html", "text/calendar",
        "application/pdf",
    }  # fmt: skip


def test_a_fresh_mail_is_dated_now_and_stays_in_its_thread() -> None:
    first = email.message_from_bytes(fresh_mail(EXAMPLES_BY_ID["mail-flight-booking"], now=NOW, run="r7"))
    second = email.message_from_bytes(fresh_mail(EXAMPLES_BY_ID["mail-itinerary-change"], now=NOW, run="r7"))
    assert first["Date"] == "Sat, 02 Jan 2027 03:04:05 +0000"
    assert first["Message-ID"] == second["In-Reply-To"] == "<flight-1.r7@mail.example.org>"


@pytest.mark.parametrize("message", MAILS, ids=lambda message: message.id)
def test_a_fresh_mail_keeps_its_body(message: ExampleMessage) -> None:
    fresh = fresh_mail(message, now=NOW, run="r7")
    assert fresh.partition(b"\r\n\r\n")[2] == message.raw.partition(b"\r\n\r\n")[2]


async def test_fresh_updates_are_taken_by_the_bot_api_server_and_refer_to_each_other() -> None:
    server = TelegramApiServer(token="1:t", clock=NOW.timestamp)
    injected: dict[str, dict[str, Any]] = {}
    for message in EXAMPLES_BY_ID.values():
        if message.channel == "telegram" and message.duplicate_of is None:
            injected[message.id] = server.inject(fresh_update(message, now=NOW, injected=injected))
    first = injected["telegram-blood-pressure"]["message"]
    assert injected["telegram-edited-blood-pressure"]["edited_message"]["message_id"] == first["message_id"]
    reply = injected["telegram-reply-to-groceries"]["message"]["reply_to_message"]
    assert reply["message_id"] == injected["telegram-groceries"]["message"]["message_id"]
    assert len(server.state.queue) == len(injected)


def test_a_fresh_post_carries_the_run_in_its_key() -> None:
    key, body = fresh_post(EXAMPLES_BY_ID["api-flight-delay"], run="r7")
    assert key == "delay-0001-r7"
    assert body["tier"] == "high_priority"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("channel: api", "channel: fax", "channel is one of"),
        ('butlers: ["health"]', 'butlers: ["astrology"]', "unknown butlers"),
        ("duplicate_of: mail-school-books", "duplicate_of: mail-nowhere", "not an earlier message"),
        ("file: api/gift-idea.json", "file: api/gone.json", "is not a .json file here"),
        ("id: api-gift-idea", "id: api-shopping-list", "used twice"),
        ("endpoint: \"webhook", "endpint: \"webhook", "expected the keys"),
        ("sender: \"1002\"", "sender: 1002", "a text that is not empty"),
    ],
)  # fmt: skip
def test_an_inconsistent_manifest_is_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    folder = tmp_path / "messages"
    shutil.copytree(EXAMPLES, folder)
    index = folder / "index.yaml"
    text = index.read_text(encoding="utf-8")
    assert old in text
    index.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=problem):
        load_examples(folder)


def test_a_file_that_no_message_names_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "messages"
    shutil.copytree(EXAMPLES, folder)
    (folder / "api" / "forgotten.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match="no message names this file"):
        load_examples(folder)
