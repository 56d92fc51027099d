"""Two people in two time zones, from the contacts file to what each is told when, by a real Switchboard and butler."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from butler_messenger.contacts.sync import sync_contacts
from tests.flow.household.test_persons import answer, health, home, serving
from tests.flow.household.test_reminders import sent
from tests.integration.specialist.household import Place
from tests.support.switchboard_service import Household, until

__all__ = ["health", "home"]

CONTACTS = """
- name: Ada Example
  role: owner
  identifiers: [{type: telegram, value: "1001"}]
- name: Ben Example
  role: member
  identifiers: [{type: telegram, value: "1002"}]
"""


async def writes(home: Household, folder: Path, text: str) -> None:
    """The contacts file says so from now on, and Messenger takes it over."""
    file = folder / "contacts.yaml"
    file.write_text(text)
    await sync_contacts(await home.database.pool("shared", max_size=2), file)


async def zones_known(health: Place, count: int) -> None:
    async def known() -> bool:
        found: int = await health.pool.fetchval("SELECT count(*) FROM person_settings")
        return found == count

    await until(known, what="the settings at the butler")


async def told_of(home: Household, health: Place, text: str) -> list[str | None]:
    """Wait until it was told; everything that was sent by then."""

    async def over() -> bool:
        state: str = await health.pool.fetchval("SELECT state FROM reminders WHERE text = $1", text)
        return state == "sent"

    await until(over, what=f"the reminder '{text}'")
    return [one.delivery.message for one in sent(home)]


def eight(day: date, zone: str) -> datetime:
    return datetime.combine(day, time(8), ZoneInfo(zone)).astimezone(UTC)


async def test_eight_o_clock_is_each_one_s_own_and_follows_who_moves(
    home: Household, health: Place, tmp_path: Path
) -> None:
    day = (datetime.now(UTC) + timedelta(days=3)).date()
    said = f"Remind me on {day:%-d %B} at 8:00 to take the"
    await writes(home, tmp_path, f"{CONTACTS}  timezone: America/New_York\n")
    async with home.run() as running, serving(health, running):
        await zones_known(health, 1)
        hers = await answer(home, running, 1, f"{said} white tablet")
        his = await answer(home, running, 2, f"{said} blue tablet", sender="1002")
    assert ("at 08:00" in hers, "at 08:00" in his) == (True, True)
    rows = await health.pool.fetch("SELECT text, due_at FROM reminders ORDER BY due_at")
    assert [(row["text"], row["due_at"]) for row in rows] == [
        ("take the white tablet", eight(day, "Europe/Berlin")),
        ("take the blue tablet", eight(day, "America/New_York")),
    ]

    await home.database.shift_clock(eight(day, "Europe/Berlin") - datetime.now(UTC))
    await health.database.shift_clock(eight(day, "Europe/Berlin") - datetime.now(UTC))
    async with home.run() as running, serving(health, running):
        assert await told_of(home, health, "take the white tablet") == ["Reminder: take the white tablet"]

    await writes(home, tmp_path, f"{CONTACTS}  timezone: Europe/Lisbon\n")
    await home.database.shift_clock(eight(day, "Europe/Lisbon") - datetime.now(UTC))
    await health.database.shift_clock(eight(day, "Europe/Lisbon") - datetime.now(UTC))
    async with home.run() as running, serving(health, running):
        assert await told_of(home, health, "take the blue tablet") == [
            "Reminder: take the white tablet",
            "Reminder: take the blue tablet",
        ]
    moved = await health.pool.fetchrow(
        "SELECT due_at, zone FROM reminders WHERE text = 'take the blue tablet'"
    )
    assert moved is not None
    assert (moved["due_at"], moved["zone"]) == (eight(day, "Europe/Lisbon"), "Europe/Lisbon")
