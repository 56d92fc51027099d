"""What the seeded household knows: two contacts, and facts of two of its butlers."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import asyncpg

from tests.support.dashboard_rows import add_contact, add_record

__all__ = ["RECORDS", "Seeded", "seed_records"]

RECORDS = 60


class Seeded:
    """What tests ask for by name."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.walk: UUID = UUID(int=0)
        self.failed: UUID = UUID(int=0)
        self.letter: UUID = UUID(int=0)
        self.mara: UUID = UUID(int=0)
        self.bill: UUID = UUID(int=0)


async def seed_records(connection: asyncpg.Connection, seeded: Seeded) -> None:
    """Fill `shared`, `finance` and `general`; what was learned last is a bill."""
    now = seeded.now
    seeded.mara = await add_contact(connection, "Mara Vogel", ("telegram", "1002"))
    await add_contact(connection, "Tom Vogel", ("email", "tom@example.org"))

    async def add(butler: str, text: str, minutes: int, **more: Any) -> UUID:
        at = now - timedelta(minutes=minutes)
        return await add_record(connection, butler, text, at=at, **{"sender": "1002", **more})

    for number in range(RECORDS - 6):
        await add("general", f"Note number {number} about the house", 900 - number)
    day = now.date()
    more: dict[str, Any] = {"source_channel": "email", "sender": "Tom@example.org"}
    await add("general", "Put milk on the shopping list", 80, kind="list_item", title="milk", code="shopping")
    await add(
        "general",
        "Put bread on the shopping list",
        79,
        kind="list_item",
        title="bread",
        code="shopping",
        **more,
    )
    await add(
        "general", "Dentist for Leo on Thursday at 15:30", 60, kind="appointment", title="Dentist for Leo",
        occurred_on=day + timedelta(days=3), occurred_at=time(15, 30), request_id=seeded.walk,
    )  # fmt: skip
    await add("finance", "<b>Paid</b> 1234.50 EUR to the plumber", 50, kind="expense", title="plumber",
              amount=Decimal("1234.5"), currency="EUR", party="Rossi & Sons", contact_id=seeded.mara)  # fmt: skip
    await add("general", "I write as a stranger", 40, sender="777002", sender_class="external")
    seeded.bill = await add(
        "finance", "Electricity bill of 84 EUR is due on Friday", 30, kind="bill", title="electricity",
        amount=Decimal(84), currency="EUR", occurred_on=day + timedelta(days=4), request_id=seeded.walk,
    )  # fmt: skip
