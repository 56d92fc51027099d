"""A Messenger killed around a file: before its call it goes out once, around it once or uncertain (ADR 0103)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from butler_kit.faults import points
from tests.faults.household import Armed
from tests.faults.kills.test_approvals import PATIENCE_S, messenger
from tests.faults.ledger import LEDGER
from tests.integration.messenger.household import ADA, Place, household, notify
from tests.support.database import Provision
from tests.support.file_store import FileStore

FINE, OPEN = "sent", "uncertain"


@pytest.fixture
async def place(provisioned: Provision, tmp_path: Path) -> AsyncIterator[Place]:
    async with household(provisioned, tmp_path) as made:
        yield made


@pytest.fixture
async def store() -> AsyncIterator[FileStore]:
    async with FileStore() as made:
        yield made


@pytest.mark.parametrize("channel", ["telegram", "email"])
@pytest.mark.parametrize(
    ("point", "ends"),
    [
        (points.FILES_FETCHED, FINE),
        (points.MARKED, OPEN),
        (points.PROVIDER_ANSWERED, OPEN),
        (points.RECEIPT_COMMITTED, FINE),
    ],
)
async def test_a_kill_around_a_file_shows_it_once_or_ends_uncertain(
    place: Place, store: FileStore, tmp_path: Path, channel: str, point: str, ends: str
) -> None:
    """One file with a short text is one call on either channel."""
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    wish = notify(
        "The bill.",
        channel=channel,
        idempotency_key="bill",
        attachments=[store.put("bill.pdf", b"%PDF" * 1000)],
    )
    spec = {"modules": {"attachments": {"origins": [store.url]}}}
    await killed_at(place, Armed(tmp_path / "faults"), spec, f"{point}@{channel}.send", wish)
    async with place.messenger(spec=spec) as client:
        answer = await client.notify(wish)
        assert answer.delivery is not None
        row = await place.until_status(answer.delivery.delivery_id, "sent", "uncertain")
    seen = files_seen(place)
    enter(seen, uncertain=row["status"] == OPEN)
    assert (row["status"], seen) == (ends, 0 if point == points.MARKED else 1)


@pytest.mark.parametrize("point", [points.FILES_FETCHED, points.RECEIPT_COMMITTED])
async def test_a_kill_between_files_sends_none_twice(
    place: Place, store: FileStore, tmp_path: Path, point: str
) -> None:
    place.telegram.add_chat({"id": ADA, "type": "private", "first_name": "Ada"})
    files = [store.put(name, b"%PDF") for name in ("a.pdf", "gone.pdf", "b.pdf")]
    del store.files["gone.pdf"]
    wish = notify("Three.", idempotency_key="three", attachments=files)
    spec = {"modules": {"attachments": {"origins": [store.url]}}}
    await killed_at(place, Armed(tmp_path / "faults"), spec, f"{point}@telegram.send", wish)
    async with place.messenger(spec=spec) as client:
        answer = await client.notify(wish)
        assert answer.delivery is not None
        await place.until_status(answer.delivery.delivery_id, "sent")
        known = await client.notify(wish)
    texts = [one["text"] for one in place.telegram.sent]
    enter(texts.count("[finance] a.pdf"), uncertain=False)
    assert texts == [
        "[finance] Three.",
        "[finance] a.pdf",
        "[finance] I could not attach “gone.pdf”: the file is no longer there.",
        "[finance] b.pdf",
    ]
    assert known.delivery is not None
    assert [one.name for one in known.delivery.not_attached] == ["gone.pdf"]


async def killed_at(
    place: Place, armed: Armed, spec: dict[str, Any], point: str, wish: dict[str, Any]
) -> None:
    """One life of a Messenger that is asked to send, and ends there."""
    async with messenger(place, armed, spec) as (client, process):
        armed.arm([point])
        asking = asyncio.ensure_future(client.notify(wish))
        async with asyncio.timeout(PATIENCE_S):
            assert await process.wait() < 0
        await asyncio.gather(asking, return_exceptions=True)
    LEDGER.kills += 1


def files_seen(place: Place) -> int:
    shown = sum("document" in one for one in place.telegram.sent)
    return shown + sum(bool(list(mail.message().iter_attachments())) for mail in place.smtp.accepted)


def enter(seen: int, *, uncertain: bool) -> None:
    LEDGER.messages += 1
    LEDGER.uncertain += uncertain
    LEDGER.doubles += seen > 1
    LEDGER.losses += seen == 0 and not uncertain
