"""A household with a calendar at Google's double: appointments go in, meet what is there, and are there once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from tests.support.chats import Chats
from tests.support.google_calendar import GoogleDouble
from tests.support.household import RunningPlace, place, until
from tests.support.telegram_api import message_update, person

ADA = person(1001, "Ada")
BERLIN = ZoneInfo("Europe/Berlin")


def day() -> date:
    """A weekday some days ahead."""
    found = datetime.now(BERLIN).date() + timedelta(days=9)
    while found.weekday() >= 5:
        found += timedelta(days=1)
    return found


def moment(on: date, hour: int) -> str:
    return datetime(on.year, on.month, on.day, hour, tzinfo=BERLIN).astimezone(UTC).isoformat()


def documents(manifests: Path) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    for path in sorted(manifests.glob("*.yaml")):
        yield path, [one for one in yaml.safe_load_all(path.read_text("utf-8")) if one]


def with_calendar(manifests: Path, google: GoogleDouble) -> None:
    """The household's account, and that the appointments of its specialists go there."""
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "calendar", "labels": {"butlers.dev/usable-by": "household"}},
        "stringData": {"user": google.secret},
    }
    for path, found in documents(manifests):
        for one in found:
            if one["kind"] != "Butler":
                continue
            modules = one["spec"].setdefault("modules", {})
            if one["metadata"]["name"] == "messenger":
                modules["calendar"] = {"url": google.api, "secretRef": {"name": "calendar", "key": "user"}}
            elif one["spec"]["role"] == "specialist":
                modules["calendar"] = {"appointmentMinutes": 60}
            elif not modules:
                del one["spec"]["modules"]
        path.write_text(yaml.safe_dump_all(found), encoding="utf-8")
    (manifests / "calendar.yaml").write_text(yaml.safe_dump(secret), encoding="utf-8")


async def said(up: RunningPlace, chats: Chats, text: str) -> str:
    up.providers.telegram.inject(message_update(ADA, text=text))
    return str((await chats.next())["text"])


def times(google: GoogleDouble) -> list[tuple[str, str]]:
    return sorted((one["start"]["dateTime"], one["summary"]) for one in google.there)


@pytest.mark.spec("SWB-24.2")
async def test_appointments_go_into_the_calendar_and_nothing_is_booked_over(tmp_path: Path) -> None:
    on = day()
    async with GoogleDouble() as google, place(tmp_path / "household") as made:
        with_calendar(made.manifests, google)
        async with made.up() as up:
            await up.back({})
            chats = Chats(up.providers.telegram)
            answer = await said(up, chats, f"Dentist on {on:%d.%m.%Y} at 10:00")
            assert "It is in the calendar." in answer
            assert [start for start, _ in times(google)] == [moment(on, 10)]

            answer = await said(up, chats, f"Optician appointment on {on:%d.%m.%Y} at 10:00")
            assert "It is not in the calendar, for then there is “Dentist" in answer
            assert "Free instead: 11:00, 09:00 and 11:30. Which one shall it be?" in answer
            assert len(google.there) == 1

            standing = await up.ask("switchboard", "modules")
            [calendar] = [one for one in standing["modules"] if one["name"] == "calendar"]
            said_of_it = (calendar["provider"], calendar["conflicts"], calendar["state"])
            assert said_of_it == ("google", "suggest", "well")
            enabled = {one["name"]: (one["enabled"], one["scopes"]) for one in standing["modules"]}
            bot_only = (True, {"bot": True, "user": False})
            assert enabled == {
                "calendar": (True, None), "telegram": bot_only, "email": bot_only, "memory": (True, None),
            }  # fmt: skip
            status = await up.status()
            assert status["calendar"]["state"] == "well"
            assert (
                "calendar (google): in use; what is in the way is answered with free times" in status["notes"]
            )


async def test_an_outage_is_said_and_made_good_once_and_a_late_conflict_is_told(tmp_path: Path) -> None:
    on = day()
    async with GoogleDouble() as google, place(tmp_path / "household") as made:
        with_calendar(made.manifests, google)
        async with made.up() as up:
            await up.back({})
            chats = Chats(up.providers.telegram)
            google.down = True
            answer = await said(up, chats, f"Dentist on {on:%d.%m.%Y} at 10:00")
            assert "The calendar cannot be reached now; it goes in as soon as it can be." in answer
            google.add("theirs", "Parents' evening", moment(on, 10), moment(on, 11))
            google.down = False
            told = str((await chats.next())["text"])
            assert "could not go into the calendar" in told
            assert "“Parents' evening” (10:00–11:00)" in told
            assert [summary for _, summary in times(google)] == ["Parents' evening"]

            former = up.pids()["messenger"]
            await up.kill("messenger")
            answer = await said(up, chats, f"Plumber on {on + timedelta(days=1):%d.%m.%Y} at 14:00")
            await up.back({"messenger": former})

            async def there() -> bool:
                return len(google.there) == 2

            await until(there, what="the plumber in the calendar")
            assert len(google.there) == 2
