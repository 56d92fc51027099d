"""A file that does not come costs the file and never the message, and nothing is dropped in silence (ADR 0103)."""

from __future__ import annotations

from typing import Any

import pytest

from butler_contracts.errors import ErrorClass
from tests.integration.messenger.files_out import attempts, sending_files, sent
from tests.integration.messenger.household import (
    ADA,
    CONTACTS,
    Place,
    envelope,
    notify,
)
from tests.support.file_store import FileStore
from tests.support.mail.smtp_server import SmtpFault
from tests.support.telegram_api import Fault


@pytest.mark.parametrize("channel", ["telegram", "email"])
@pytest.mark.parametrize(
    ("way", "what", "why"),
    [
        ("lie", None, "its store gives another content than the digest announced"),
        ("endless", None, "its store gives more than the 8 bytes announced"),
        ("status", 404, "it is not there any more (404)"),
        ("status", 403, "its store does not give it (403)"),
        ("redirect", "http://127.0.0.1:1/", "its store sends elsewhere for it (307), which is not followed"),
    ],
)
async def test_a_file_that_cannot_come_is_named_in_the_message_and_in_the_answer(
    place: Place, store: FileStore, channel: str, way: str, what: Any, why: str
) -> None:
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    files = [store.put("bill.pdf", b"%PDF-1.7"), store.put("ok.pdf", b"%PDF-1.7")]
    store.meets(way, name="bill.pdf", what=what)
    async with sending_files(place, store) as client:
        answer = await client.notify(
            notify("Two files.", channel=channel, idempotency_key="a", attachments=files)
        )
        again = await client.notify(
            notify("Two files.", channel=channel, idempotency_key="a", attachments=files)
        )
        assert answer.delivery is not None
        trace = (await client.get(f"/ops/v1/deliveries/{answer.delivery.delivery_id}")).json()
    assert sent(answer) == ("sent", [f"bill.pdf is not attached: {why}"])
    assert answer.delivery.not_attached[0].error.error_class is ErrorClass.VALIDATION_ERROR
    assert again.delivery == answer.delivery
    if channel == "telegram":
        texts = [one["text"] for one in place.telegram.sent]
        assert texts[0] == "[finance] Two files."
        assert texts[1].startswith("[finance] I could not attach “bill.pdf”: ")
        assert place.telegram.sent[2]["document"]["name"] == "ok.pdf"
    else:
        [mail] = place.smtp.accepted
        assert mail.text.startswith("Two files.\n\nI could not attach “bill.pdf”: ")
        assert [part.get_filename() for part in mail.message().iter_attachments()] == ["ok.pdf"]
    assert (await attempts(place))[0] == ("fetch_attachment", "failed", "validation_error")
    problems = [(file["name"], file["problem"]) for file in trace["attachments"]]
    assert problems == [("bill.pdf", f"bill.pdf is not attached: {why}"), ("ok.pdf", None)]
    assert store.url not in str(trace)


async def test_whoever_reads_it_reads_it_in_their_language(place: Place, store: FileStore) -> None:
    ada = {**CONTACTS[0], "language": "de"}
    place.write_contacts([ada, CONTACTS[1]])
    store.put("bill.pdf", b"%PDF")
    gone = store.put("bill.pdf", b"%PDF")
    store.files.clear()
    async with sending_files(place, store) as client:
        await client.notify(notify("Hier.", channel="email", idempotency_key="a", attachments=[gone]))
    [mail] = place.smtp.accepted
    assert mail.text == "Hier.\n\nIch konnte „bill.pdf“ nicht anhängen: Die Datei ist nicht mehr da.\n"


async def test_a_store_that_is_away_is_waited_for_without_an_attempt(place: Place, store: FileStore) -> None:
    wish = notify("Here.", channel="email", idempotency_key="a", attachments=[store.put("a.pdf", b"%PDF")])
    store.meets("status", what=503)
    async with sending_files(place, store) as client:
        answer = await client.notify(wish)
        assert answer.delivery is not None
        assert answer.delivery.state == "queued"
        waiting = await place.row(answer.delivery.delivery_id)
        channels = (await client.get("/ops/v1/channels")).json()["channels"]
        store.as_it_should()
        row = await place.until_status(answer.delivery.delivery_id, "sent")
    assert waiting["error_message"] == "a.pdf is not there yet: its store answers 503"
    assert channels == []  # the provider was not asked
    assert (row["attempts_used"], row["not_attached"]) == (1, None)
    *looks, last = await attempts(place)
    assert set(looks) == {("fetch_attachment", "failed", "target_unavailable")}
    assert last == ("email_send_message", "sent", None)
    [mail] = place.smtp.accepted
    assert [part.get_filename() for part in mail.message().iter_attachments()] == ["a.pdf"]
    assert await place.rows("SELECT 1 FROM provider_circuit") == []


async def test_a_store_that_stays_away_costs_the_file_and_not_the_message(
    place: Place, store: FileStore
) -> None:
    wish = notify("Here.", channel="email", idempotency_key="a", attachments=[store.put("a.pdf", b"%PDF")])
    store.meets("status", what=503)
    async with sending_files(place, store, patienceSeconds=0.3) as client:
        answer = await client.notify(wish)
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "sent")
        known = await client.notify(wish)
    assert sent(known) == ("sent", ["a.pdf is not attached: its store answers 503"])
    assert known.delivery is not None
    assert known.delivery.not_attached[0].error.error_class is ErrorClass.TARGET_UNAVAILABLE
    [mail] = place.smtp.accepted
    assert mail.text.startswith("Here.\n\nI could not attach “a.pdf”: ")


async def test_what_telegram_takes_only_without_the_file_goes_without_it_and_says_so(
    place: Place, store: FileStore
) -> None:
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    files = [store.put("a.exe", b"MZ"), store.put("b.pdf", b"%PDF")]
    place.telegram.script(Fault("sendDocument", "status", status=413, description="Request Entity Too Large"))
    async with sending_files(place, store) as client:
        answer = await client.notify(notify("Two.", idempotency_key="a", attachments=files))
        assert answer.delivery is not None
        row = await place.until_status(answer.delivery.delivery_id, "sent")
    assert row["attempts_used"] == 1
    text, said, file = place.telegram.sent
    assert text["text"] == "[finance] Two."
    assert (
        said["text"]
        == "[finance] I could not attach “a.exe”: it is not taken here, for its size or its kind."
    )
    assert file["document"]["name"] == "b.pdf"


@pytest.mark.parametrize(
    ("stage", "said"), [("data", "5.2.3 message too large"), ("data", "5.7.0 blocked content")]
)
async def test_what_a_mail_server_takes_only_without_the_files_goes_without_them(
    place: Place, store: FileStore, stage: str, said: str
) -> None:
    place.smtp.script(SmtpFault(stage, "status", status=552, text=said))
    files = [store.put("a.exe", b"MZ"), store.put("b.pdf", b"%PDF")]
    async with sending_files(place, store) as client:
        answer = await client.notify(notify("Two.", channel="email", idempotency_key="a", attachments=files))
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "sent")
    [mail] = place.smtp.accepted
    assert list(mail.message().iter_attachments()) == []
    assert mail.text.count("it is not taken here, for its size or its kind") == 2
    assert await place.rows("SELECT 1 FROM suppression") == []


async def test_a_refusal_that_is_not_about_the_file_ends_the_delivery_as_ever(
    place: Place, store: FileStore
) -> None:
    """The chat is not known to the bot: the text that goes in the file's place is refused as well."""
    async with sending_files(place, store) as client:
        answer = await client.notify(
            notify("One.", recipient="4711", idempotency_key="a", attachments=[store.put("a.pdf", b"%PDF")])
        )
        delivery_id = answer.delivery.delivery_id if answer.delivery is not None else ""
        row = await place.until_status(delivery_id, "failed")
    assert "Chat not found" in row["error_message"]
    assert place.telegram.sent == []


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"uri": "http://127.0.0.1:1/f/a.pdf"}, "below none of the origins"),
        ({"uri": "https://files.example.org/a.pdf"}, "below none of the origins"),
        ({"name": "../a.pdf"}, "is a path"),
        ({"name": "a\nBcc: m@example.org"}, "not shown"),
        ({"name": "\u202efdp.exe"}, "turns the direction"),
    ],
)
async def test_what_may_not_be_sent_is_refused_before_anything_is_written(
    place: Place, store: FileStore, changes: dict[str, str], word: str
) -> None:
    wish = notify("x", idempotency_key="a", attachments=[store.put("a.pdf", b"%PDF") | changes])
    async with sending_files(place, store) as client:
        valid = (await client.post("/ops/v1/notify/validate", {"notify_request": wish})).json()
    assert valid["valid"] is False
    assert word in str(valid)
    assert await place.rows("SELECT 1 FROM delivery_requests") == []
    assert store.asked == []


async def test_without_the_module_files_are_refused_in_words(place: Place, store: FileStore) -> None:
    wish = notify("x", idempotency_key="a", attachments=[store.put("a.pdf", b"%PDF")])
    async with place.messenger() as client:
        response = await client.execute(envelope(wish))
    assert response.error is not None
    assert "names no modules.attachments" in response.error.message
    assert store.asked == []


async def test_an_origin_that_was_taken_away_meanwhile_is_not_asked(place: Place, store: FileStore) -> None:
    """What was admitted before the manifest changed goes without its file, and says so."""
    bill = store.put("bill.pdf", b"%PDF")
    store.meets("status", what=503)
    wish = notify("Here.", channel="email", idempotency_key="a", attachments=[bill])
    async with sending_files(place, store) as client:
        answer = await client.notify(wish)
    assert answer.delivery is not None
    asked = len(store.asked)
    async with place.messenger():
        row = await place.until_status(answer.delivery.delivery_id, "sent")
    assert row["not_attached"]["0"]["error_class"] == "validation_error"
    assert len(store.asked) == asked
    assert "I was not given the file" in place.smtp.accepted[0].text
