"""The cached household: a database that stands still delays one caller, not all."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import cast

import pytest

from butler_kit.db import Pool
from butler_kit.time import ManualClock
from butler_switchboard.ingress.contacts import REFRESH_S, Contacts
from butler_switchboard.ingress.senders import ContactBook

NOW = datetime(2026, 3, 1, tzinfo=UTC)
KNOWN = ContactBook(members=frozenset({("telegram", "1001")}), has_owner=True)


class _Household:
    """What a read of the contacts finds; it may stand still."""

    def __init__(self) -> None:
        self.moving = asyncio.Event()
        self.moving.set()
        self.reads = 0

    async def __call__(self) -> ContactBook:
        self.reads += 1
        await self.moving.wait()
        return KNOWN


async def test_while_one_caller_reads_the_others_take_the_household_that_is_known(
    monkeypatch: pytest.MonkeyPatch,
):
    clock, household = ManualClock(NOW), _Household()
    contacts = Contacts(cast(Pool, None), clock)
    monkeypatch.setattr(contacts, "_read", household)
    assert await contacts.book() is KNOWN
    clock.advance(REFRESH_S + 1)
    household.moving.clear()

    reader = asyncio.create_task(contacts.book())
    while household.reads < 2:
        await asyncio.sleep(0)
    async with asyncio.timeout(90):
        assert await contacts.book() is KNOWN

    household.moving.set()
    assert await reader is KNOWN
    assert household.reads == 2
