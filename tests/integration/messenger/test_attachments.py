"""Files go out with a message by the road of every message: once, approved of, never dropped in silence (ADR 0103)."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from butler_contracts.attachments import TOGETHER_MAX
from butler_contracts.errors import ErrorClass
from butler_contracts.notify import NotifyResponseV1
from tests.integration.messenger.household import (
    ADA,
    CONTACTS,
    Client,
    Place,
    envelope,
    notify,
    request_context,
)
from tests.integration.messenger.test_approvals import decided
from tests.support.file_store import FileStore
from tests.support.mail.smtp_server import SmtpFault
from tests.support.manifests import merged
from tests.support.telegram_api import Fault

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


@pytest.fixture
async def store() -> AsyncIterator[FileStore]:
    async with FileStore() as made:
        yield made


@asynccontextmanager
async def messenger(
    place: Place, store: FileStore, *, more: Mapping[str, Any] | None = None, **module: Any
) -> AsyncIterator[Client]:
    """By the manifest: files may come from the store."""
    spec = {"modules": {"attachments": {"origins": [store.url], **module}}}
    async with place.messenger(spec=merged(spec, more or {})) as client:
        yield client


def sent(answer: NotifyResponseV1) -> tuple[str, list[str]]:
    assert answer.error is None
    assert answer.delivery is not None
    return answer.delivery.state, [one.error.message for one in answer.delivery.not_attached]


async def attempts(place: Place) -> list[tuple[str, str, str | None]]:
    rows = await place.rows("SELECT tool, outcome, error_class FROM delivery_attempts ORDER BY attempt")
    return [(row["tool"], row["outcome"], row["error_class"]) for row in rows]


async def test_on_telegram_a_short_text_is_the_caption_of_its_file(place: Place, store: FileStore) -> None:
    content = bytes(range(256)) * 400
    bill = store.put("Rechnung März.pdf", content)
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    async with messenger(place, store) as client:
        context = request_context(source_message_identity="7")
        answer = await client.notify(
            notify(
                "Here is the **bill**.",
                intent="reply",
                context=context,
                format="markdown",
                attachments=[bill],
            )
        )
    assert sent(answer) == ("sent", [])
    [one] = place.telegram.sent
    assert one["text"] == "[finance] Here is the bill."
    assert [entity["type"] for entity in one["entities"]] == ["bold"]
    assert one["document"] == {
        "name": "Rechnung März.pdf",
        "media_type": "application/pdf",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    assert await attempts(place) == [("telegram_reply_to_message", "sent", None)]


async def test_pictures_are_shown_and_what_telegram_does_not_show_goes_as_a_document(
    place: Place, store: FileStore
) -> None:
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    files = [
        store.put("a.png", PNG) | {"media_type": "image/png"},
        store.put("no picture.png", b"text") | {"media_type": "image/png"},
        store.put("c.txt", b"text") | {"media_type": "text/plain"},
    ]
    actions = [{"id": "yes", "label": "Yes"}]
    async with messenger(place, store) as client:
        answer = await client.notify(
            notify("word " * 1200, idempotency_key="a", attachments=files, actions=actions)
        )
    assert sent(answer) == ("sent", [])
    first, second, *rest = place.telegram.sent
    assert (first["text"][:15], second["text"][:15]) == ("[finance] (1/2)", "[finance] (2/2)")
    assert [("photo" in one, one["text"]) for one in rest] == [
        (True, "[finance] a.png"),
        (False, "[finance] no picture.png"),
        (False, "[finance] c.txt"),
    ]
    assert ["reply_markup" in one for one in place.telegram.sent] == [False, False, False, False, True]
    receipts = await place.rows("SELECT part FROM delivery_receipts ORDER BY part")
    assert [row["part"] for row in receipts] == [0, 1, 2, 3, 4]


async def test_a_mail_carries_every_file_to_the_byte(place: Place, store: FileStore) -> None:
    content = bytes(range(256)) * 400
    files = [store.put("Rechnung März.pdf", content), store.put("b.zip", b"PK")]
    async with messenger(place, store) as client:
        answer = await client.notify(notify("Two.", channel="email", idempotency_key="a", attachments=files))
    assert sent(answer) == ("sent", [])
    [mail] = place.smtp.accepted
    _, one, two = mail.message().iter_parts()
    assert (one.get_filename(), one.get_content()) == ("Rechnung März.pdf", content)
    assert (two.get_filename(), two.get_content_disposition()) == ("b.zip", "attachment")
    assert mail.text == "Two.\n"


async def test_the_same_wish_again_is_the_same_delivery_and_nothing_is_fetched_for_it(
    place: Place, store: FileStore
) -> None:
    wish = notify("Two.", channel="email", idempotency_key="a", attachments=[store.put("a.pdf", b"%PDF")])
    async with messenger(place, store) as client:
        first, second = await client.notify(wish), await client.notify(wish)
    assert first.delivery == second.delivery
    assert (len(place.smtp.accepted), len(store.asked)) == (1, 1)


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
    async with messenger(place, store) as client:
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
    async with messenger(place, store) as client:
        await client.notify(notify("Hier.", channel="email", idempotency_key="a", attachments=[gone]))
    [mail] = place.smtp.accepted
    assert mail.text == "Hier.\n\nIch konnte „bill.pdf“ nicht anhängen: Die Datei ist nicht mehr da.\n"


async def test_a_store_that_is_away_is_waited_for_without_an_attempt(place: Place, store: FileStore) -> None:
    wish = notify("Here.", channel="email", idempotency_key="a", attachments=[store.put("a.pdf", b"%PDF")])
    store.meets("status", what=503)
    async with messenger(place, store) as client:
        answer = await client.notify(wish)
        assert answer.delivery is not None
        assert answer.delivery.state == "queued"
        waiting = await place.row(answer.delivery.delivery_id)
        store.as_it_should()
        row = await place.until_status(answer.delivery.delivery_id, "sent")
    assert waiting["error_message"] == "a.pdf is not there yet: its store answers 503"
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
    async with messenger(place, store, patienceSeconds=0.3) as client:
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
    async with messenger(place, store) as client:
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
    async with messenger(place, store) as client:
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
    async with messenger(place, store) as client:
        answer = await client.notify(
            notify("One.", recipient="4711", idempotency_key="a", attachments=[store.put("a.pdf", b"%PDF")])
        )
        delivery_id = answer.delivery.delivery_id if answer.delivery is not None else ""
        row = await place.until_status(delivery_id, "failed")
    assert "Chat not found" in row["error_message"]
    assert place.telegram.sent == []


async def test_what_is_lost_after_the_file_went_out_is_uncertain_and_not_sent_again(
    place: Place, store: FileStore
) -> None:
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    place.telegram.script(Fault("sendDocument", "drop", applied=True))
    async with messenger(place, store) as client:
        answer = await client.notify(
            notify("One.", idempotency_key="a", attachments=[store.put("a.pdf", b"%PDF")])
        )
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "uncertain")
    assert len([one for one in place.telegram.sent if "document" in one]) == 1


async def test_a_pause_of_the_provider_sends_no_part_twice(place: Place, store: FileStore) -> None:
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    place.telegram.script(Fault("sendDocument", "status", status=429, retry_after_s=1))
    files = [store.put("a.pdf", b"%PDF"), store.put("b.pdf", b"%PDF")]
    async with messenger(place, store) as client:
        answer = await client.notify(notify("Two.", idempotency_key="a", attachments=files))
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "sent")
    assert [one["text"] for one in place.telegram.sent] == [
        "[finance] Two.",
        "[finance] a.pdf",
        "[finance] b.pdf",
    ]


async def test_twenty_megabytes_go_out_by_mail_and_a_byte_more_is_refused(
    place: Place, store: FileStore
) -> None:
    whole = store.put("all.zip", bytes(TOGETHER_MAX))
    async with messenger(place, store) as client:
        answer = await client.notify(
            notify("All.", channel="email", idempotency_key="a", attachments=[whole])
        )
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "sent")
        more = store.put("more.zip", bytes(TOGETHER_MAX + 1))
        refused = await client.post(
            "/ops/v1/notify/validate", {"notify_request": notify("x", attachments=[more])}
        )
    [mail] = place.smtp.accepted
    [file] = mail.message().iter_attachments()
    assert len(file.get_content()) == TOGETHER_MAX
    assert refused.json()["valid"] is False
    assert "size_bytes" in refused.json()["error"]["message"]


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
    async with messenger(place, store) as client:
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


async def test_a_dry_run_counts_the_messages_and_fetches_nothing(place: Place, store: FileStore) -> None:
    files = [store.put("a.pdf", b"%PDF"), store.put("b.pdf", b"%PDF")]
    wish = notify("x", idempotency_key="a", attachments=files)
    async with messenger(place, store) as client:
        said = (await client.post("/ops/v1/notify/dry-run", {"notify_request": wish})).json()
    assert (said["decision"], said["parts"], said["tool"]) == ("admitted", 3, "telegram_send_message")
    assert store.asked == []


async def test_who_approves_reads_name_size_and_digest_and_nothing_is_fetched_before(
    place: Place, store: FileStore
) -> None:
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    bill = store.put("bill.pdf", b"%PDF" * 300)
    wish = notify(
        "Here.", channel="email", recipient="ben@example.org", idempotency_key="a", attachments=[bill]
    )
    async with messenger(place, store, more={"modules": {"approvals": {}}}) as client:
        answer = await client.notify(wish)
        assert answer.delivery is not None
        approval_id = answer.delivery.delivery_id
        await place.telegram.until(lambda api: bool(api.sent))
        listed = (await client.get("/ops/v1/approvals")).json()["approvals"][0]
        asked = place.telegram.sent[0]["text"]
        before = list(store.asked)
        assert (await decided(client, approval_id, "approve")).status_code == 200
        await place.until_status(approval_id, "sent")
    assert before == []
    line = f"File: bill.pdf (1,200 bytes, application/pdf, from 127.0.0.1) {bill['digest']}"
    assert line in asked
    assert line in listed["preview"]
    assert (listed["attachments"][0]["name"], listed["attachments"][0]["digest"]) == (
        "bill.pdf",
        bill["digest"],
    )
    assert store.url not in f"{asked}{listed}"
    assert [mail.rcpt_to for mail in place.smtp.accepted] == [("ben@example.org",)]


async def test_a_message_with_files_is_not_told_with_others_in_a_digest(
    place: Place, store: FileStore
) -> None:
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    place.write_contacts([{**CONTACTS[0], "digestAt": "08:00"}, CONTACTS[1]])
    bill = store.put("bill.pdf", b"%PDF")
    async with messenger(place, store) as client:
        answer = await client.notify(notify("Here.", idempotency_key="a", urgency="low", attachments=[bill]))
        waits = await client.notify(notify("There.", idempotency_key="b", urgency="low"))
    assert sent(answer) == ("sent", [])
    assert waits.delivery is not None
    assert waits.delivery.state == "queued"
    assert [one["text"] for one in place.telegram.sent] == ["[finance] Here."]


async def test_an_origin_that_was_taken_away_meanwhile_is_not_asked(place: Place, store: FileStore) -> None:
    """What was admitted before the manifest changed goes without its file, and says so."""
    bill = store.put("bill.pdf", b"%PDF")
    store.meets("status", what=503)
    wish = notify("Here.", channel="email", idempotency_key="a", attachments=[bill])
    async with messenger(place, store) as client:
        answer = await client.notify(wish)
    assert answer.delivery is not None
    asked = len(store.asked)
    async with place.messenger():
        row = await place.until_status(answer.delivery.delivery_id, "sent")
    assert row["not_attached"]["0"]["error_class"] == "validation_error"
    assert len(store.asked) == asked
    assert "I was not given the file" in place.smtp.accepted[0].text


async def test_what_finds_no_room_beside_another_messages_files_comes_when_those_are_gone(
    place: Place, store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty megabytes are held at a time, here ten bytes; who waits for room holds no worker and loses nothing."""
    monkeypatch.setattr("butler_messenger.attachments.carrying.IN_HAND", 10)
    first, second = (
        notify(
            name,
            channel="email",
            recipient=f"{name}@example.org",
            idempotency_key=name,
            attachments=[store.put(f"{name}.pdf", b"%PDF-1")],
        )
        for name in ("one", "two")
    )
    store.meets("slow", name="one.pdf")
    async with messenger(place, store) as client:
        ids = []
        for wish in (first, second):
            answer = await client.notify(wish)
            assert answer.delivery is not None
            assert answer.delivery.state == "queued"
            ids.append(answer.delivery.delivery_id)
        asked = [path for path, _ in store.asked]
        store.as_it_should()
        for delivery_id in ids:
            await place.until_status(delivery_id, "sent")
    assert asked == ["/f/one.pdf"]
    assert sorted(mail.rcpt_to[0] for mail in place.smtp.accepted) == ["one@example.org", "two@example.org"]
    assert {name for name, *_ in await attempts(place)} == {"email_send_message"}, (
        "to wait for room is no attempt"
    )


async def test_replicas_send_a_file_once(place: Place, store: FileStore) -> None:
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    wish = notify("One.", idempotency_key="a", attachments=[store.put("a.pdf", b"%PDF")])
    async with messenger(place, store) as one, messenger(place, store) as other:
        answers = await asyncio.gather(one.notify(wish), other.notify(wish))
        assert answers[0].delivery is not None
        await place.until_status(answers[0].delivery.delivery_id, "sent")
    assert [one["text"] for one in place.telegram.sent] == ["[finance] One."]


@pytest.mark.parametrize("token", ["t0ken-of-the-store", None])
async def test_a_store_is_shown_the_token_of_the_manifests_secret_where_there_is_one(
    place: Place, store: FileStore, token: str | None
) -> None:
    """A secret that is not there keeps no Messenger from running: the store is asked without."""
    place.more_environment.update({"BUTLER_ATTACHMENTS_TOKEN": token} if token is not None else {})
    wish = notify("One.", channel="email", idempotency_key="a", attachments=[store.put("a.pdf", b"%PDF")])
    async with messenger(place, store, tokenSecretRef={"name": "files", "key": "token"}) as client:
        assert sent(await client.notify(wish)) == ("sent", [])
    assert store.asked == [("/f/a.pdf", f"Bearer {token}" if token is not None else None)]
