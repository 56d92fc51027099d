"""Files go out with a message by the road of every message: once, in order, approved of (ADR 0103)."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from butler_contracts.attachments import TOGETHER_MAX
from tests.integration.messenger.files_out import attempts, sending_files, sent
from tests.integration.messenger.household import (
    ADA,
    CONTACTS,
    Place,
    notify,
    request_context,
)
from tests.integration.messenger.test_approvals import decided
from tests.support.file_store import FileStore
from tests.support.telegram_api import Fault

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


async def test_on_telegram_a_short_text_is_the_caption_of_its_file(place: Place, store: FileStore) -> None:
    content = bytes(range(256)) * 400
    bill = store.put("Rechnung März.pdf", content)
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    async with sending_files(place, store) as client:
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
    async with sending_files(place, store) as client:
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
    async with sending_files(place, store) as client:
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
    async with sending_files(place, store) as client:
        first, second = await client.notify(wish), await client.notify(wish)
    assert first.delivery == second.delivery
    assert (len(place.smtp.accepted), len(store.asked)) == (1, 1)


async def test_what_is_lost_after_the_file_went_out_is_uncertain_and_not_sent_again(
    place: Place, store: FileStore
) -> None:
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    place.telegram.script(Fault("sendDocument", "drop", applied=True))
    async with sending_files(place, store) as client:
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
    async with sending_files(place, store) as client:
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
    async with sending_files(place, store) as client:
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


async def test_a_dry_run_counts_the_messages_and_fetches_nothing(place: Place, store: FileStore) -> None:
    files = [store.put("a.pdf", b"%PDF"), store.put("b.pdf", b"%PDF")]
    wish = notify("x", idempotency_key="a", attachments=files)
    async with sending_files(place, store) as client:
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
    async with sending_files(place, store, more={"modules": {"approvals": {}}}) as client:
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
    async with sending_files(place, store) as client:
        answer = await client.notify(notify("Here.", idempotency_key="a", urgency="low", attachments=[bill]))
        waits = await client.notify(notify("There.", idempotency_key="b", urgency="low"))
    assert sent(answer) == ("sent", [])
    assert waits.delivery is not None
    assert waits.delivery.state == "queued"
    assert [one["text"] for one in place.telegram.sent] == ["[finance] Here."]


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
    async with sending_files(place, store) as client:
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
    async with sending_files(place, store) as one, sending_files(place, store) as other:
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
    async with sending_files(place, store, tokenSecretRef={"name": "files", "key": "token"}) as client:
        assert sent(await client.notify(wish)) == ("sent", [])
    assert store.asked == [("/f/a.pdf", f"Bearer {token}" if token is not None else None)]
