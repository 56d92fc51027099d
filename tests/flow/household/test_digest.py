"""A digest from a word in a chat to one message: real Switchboard, real health butler, real contacts."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from butler_contracts.notify import NotifyRequestV1
from butler_switchboard.schedules import digest
from tests.flow.household.test_persons import answer, health, home, serving
from tests.flow.household.test_reminders import sent
from tests.flow.household.test_two_zones import CONTACTS, writes, zones_known
from tests.integration.specialist.household import Place
from tests.support.switchboard_service import Household, until

__all__ = ["health", "home"]

BERLIN = ZoneInfo("Europe/Berlin")
YESTERDAY = """
INSERT INTO schedule_runs (job, due_at, claimed_by, claimed_at, status)
SELECT 'digest:' || contact_id, $1, 'earlier', clock_now(), 'done'
FROM shared.contacts WHERE role IN ('owner', 'member')
"""
ENDED = "SELECT count(*) FROM schedule_runs WHERE job LIKE 'digest:%' AND claimed_by <> 'earlier' AND status = 'done'"


def digests(home: Household) -> list[NotifyRequestV1]:
    return [one for one in sent(home) if (one.delivery.idempotency_key or "").startswith("digest:")]


async def test_each_member_is_told_once_what_is_on_today_and_who_could_not_be_asked(
    home: Household, health: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest, "_WAITED_FOR", timedelta(0))  # "general" here is of the release before
    now = datetime.now(BERLIN)
    noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
    await home.database.shift_clock(noon - now)
    spec = {"household": {"timezone": "Europe/Berlin", "language": "de", "digestAt": "11:55"}}
    async with home.run(spec=spec) as running, serving(health, running):
        await answer(home, running, 1, "Dentist appointment for Leo today at 15:30")
        members = await home.pool.fetchval(
            "SELECT count(*) FROM shared.contacts WHERE role IN ('owner', 'member')"
        )
        await home.pool.execute(YESTERDAY, noon - timedelta(days=1, minutes=5))

        async def told() -> bool:
            ended: int = await home.pool.fetchval(ENDED)
            return bool(ended == members)

        await until(told, what="the digests")
        await running.switchboard.parts.scheduler.run_due()
    keys = [one.delivery.idempotency_key for one in digests(home)]
    assert len(keys) == len(set(keys)) == members
    messages = {one.delivery.message for one in digests(home)}
    [message] = messages
    assert message is not None
    heading, text, left_out = message.splitlines()
    assert heading == "Das steht heute an:"
    assert "Dentist" in text
    assert "15:30" in text
    assert left_out == "general konnte ich nicht fragen."


async def test_who_is_elsewhere_is_told_at_their_own_hour_in_their_language_of_their_day(
    home: Household, health: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest, "_WAITED_FOR", timedelta(0))
    now = datetime.now(BERLIN)
    noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
    theirs = (noon - timedelta(minutes=5)).astimezone(ZoneInfo("America/New_York"))
    own = f'  timezone: America/New_York\n  language: es\n  digestAt: "{theirs:%H:%M}"\n'
    await writes(home, tmp_path, f"{CONTACTS}{own}")
    await home.database.shift_clock(noon - now)
    spec = {"household": {"timezone": "Europe/Berlin", "language": "de", "digestAt": "20:00"}}
    async with home.run(spec=spec) as running, serving(health, running):
        await zones_known(health, 1)
        await answer(home, running, 1, "Dentist appointment for Leo today at 15:30")
        await home.pool.execute(YESTERDAY, noon - timedelta(days=1, minutes=5))

        async def told() -> bool:
            ended: int = await home.pool.fetchval(ENDED)
            return bool(ended)

        await until(told, what="the digest")
        await running.switchboard.parts.scheduler.run_due()
    [one] = digests(home)
    ben = await home.pool.fetchval("SELECT contact_id FROM shared.contacts WHERE name = 'Ben Example'")
    assert one.delivery.idempotency_key == f"digest:{ben}:{theirs.date()}"
    heading, text, _ = (one.delivery.message or "").splitlines()
    assert heading == "Esto hay hoy:"
    at = noon.replace(hour=15, minute=30).astimezone(theirs.tzinfo)
    assert f"{at:%H:%M}" in text, "Ada's half past three in Berlin by the clock of who is told"
