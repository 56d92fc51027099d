"""A butler sends a file through a whole household: from the manifest to the person's chat and mailbox (ADR 0103)."""

from __future__ import annotations

import hashlib
from typing import Any

import yaml

from butler_kit.auth import TokenFile
from butler_kit.mcp import CachedMCPClient
from tests.support.file_store import FileStore
from tests.support.household import Place, RunningPlace, until

BILL = bytes(range(256)) * 200


def with_store(place: Place, store: FileStore) -> None:
    """The demo's manifests, with a store from which files may come."""
    manifest = place.manifests / "butlers.yaml"
    documents = list(yaml.safe_load_all(manifest.read_text("utf-8")))
    [messenger] = [one for one in documents if one["metadata"]["name"] == "messenger"]
    messenger["spec"]["modules"]["attachments"] = {"origins": [store.url], "patienceSeconds": 5}
    manifest.write_text(yaml.safe_dump_all(documents, allow_unicode=True), "utf-8")


async def test_a_butlers_file_reaches_its_person_and_one_that_is_gone_is_named(fresh_place: Place) -> None:
    async with FileStore() as store:
        with_store(fresh_place, store)
        files = [store.put("bill.pdf", BILL), store.put("gone.pdf", BILL)]
        del store.files["gone.pdf"]
        async with fresh_place.up() as running:
            answers = [
                await notified(fresh_place, running, channel, files, recipient)
                for channel, recipient in (("telegram", "1001"), ("email", "ada@example.org"))
            ]
            telegram, smtp = running.providers.telegram, running.providers.smtp

            async def there() -> bool:
                mails = [mail for mail in smtp.accepted if "The bill" in mail.text]
                return bool(mails) and any("gone.pdf" in one["text"] for one in telegram.sent)

            await until(there, what="both messages with their file")
            chat = [one for one in telegram.sent if one["chat_id"] == 1001]
            [mail] = [mail for mail in smtp.accepted if "The bill" in mail.text]
    assert {answer["status"] for answer in answers} == {"ok"}
    assert [one["text"] for one in chat] == [
        "[finance] The bill.",
        "[finance] bill.pdf",
        "[finance] I could not attach “gone.pdf”: the file is no longer there.",
    ]
    assert chat[1]["document"]["sha256"] == hashlib.sha256(BILL).hexdigest()
    [attached] = mail.message().iter_attachments()
    assert (attached.get_filename(), attached.get_content()) == ("bill.pdf", BILL)
    assert "gone.pdf" in mail.text


async def notified(
    place: Place, running: RunningPlace, channel: str, files: list[dict[str, Any]], recipient: str
) -> dict[str, Any]:
    """What Switchboard answers `finance`, who wants it sent."""
    wish = {
        "schema_version": "notify.v1",
        "origin_butler": "finance",
        "delivery": {
            "intent": "send", "channel": channel, "recipient": recipient, "subject": "Bill", "message": "The bill.",
            "idempotency_key": f"bill-{channel}", "attachments": files,
        },
    }  # fmt: skip
    url = running.household.endpoints["switchboard"]["mcp"]
    client = CachedMCPClient.for_service(url, TokenFile(place.state.token_file("finance")).read)
    try:
        return await client.call("notify", {"notify_request": wish}, timeout_s=20)
    finally:
        await client.aclose()
