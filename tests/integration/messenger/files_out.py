"""A Messenger whose manifest names a store of files, and what became of what it was asked to send."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from butler_contracts.notify import NotifyResponseV1
from tests.integration.messenger.household import Client, Place
from tests.support.file_store import FileStore
from tests.support.manifests import merged

__all__ = ["attempts", "sending_files", "sent"]


@asynccontextmanager
async def sending_files(
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
