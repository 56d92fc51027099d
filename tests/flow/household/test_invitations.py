"""Invitations from the mailbox to the calendar: connector, Switchboard, butler, Messenger, CalDAV server (ADR 0105)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from butler_kit.calendar.caldav import CalDav, CalDavAccount
from butler_kit.calendar.exchange import Exchange
from butler_kit.calendar.port import Span
from butler_kit.time import SystemClock
from tests.flow.household.test_calendar import BERLIN, documents
from tests.support.chats import Chats
from tests.support.household import RunningPlace, place, until
from tests.support.invitations import calendar, event, google, mailed
from tests.support.radicale import NEEDS_RADICALE, PASSWORD, USER, Radicale, radicale

pytestmark = NEEDS_RADICALE

PROVEN = "Authentication-Results: mx.example.org; dmarc=pass header.from=example.org"
BY_A_PROGRAM = "Auto-Submitted: auto-generated"
DAY = (datetime.now(BERLIN) + timedelta(days=12)).replace(hour=0, minute=0, second=0, microsecond=0)


def at(hour: int, minute: int = 0) -> datetime:
    return DAY.replace(hour=hour, minute=minute).astimezone(UTC)


def stamp(moment: datetime) -> str:
    return f"{moment:%Y%m%dT%H%M%SZ}"


def with_calendar(manifests: Path, url: str) -> None:
    """The household's calendar at a CalDAV server, for the butler that keeps appointments."""
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "calendar", "labels": {"butlers.dev/usable-by": "household"}},
        "stringData": {"password": PASSWORD},
    }
    account = {
        "provider": "caldav",
        "url": url,
        "username": USER,
        "secretRef": {"name": "calendar", "key": "password"},
    }
    for path, found in documents(manifests):
        for one in found:
            if one["kind"] != "Butler":
                continue
            if one["metadata"]["name"] == "messenger":
                one["spec"].setdefault("modules", {})["calendar"] = account
            elif one["metadata"]["name"] == "general":
                one["spec"].setdefault("modules", {})["calendar"] = {"appointmentMinutes": 60}
        path.write_text(yaml.safe_dump_all(found), encoding="utf-8")
    (manifests / "calendar.yaml").write_text(yaml.safe_dump(secret), encoding="utf-8")


async def there(dav: Radicale) -> list[tuple[str, datetime | None, datetime | None]]:
    """What the calendar has on that day, as another program reads it."""
    account = CalDavAccount(dav.url, USER, PASSWORD, BERLIN)
    port = CalDav(account, Exchange(timeout_s=10), SystemClock())
    found = await port.events(Span(at(0), at(0) + timedelta(days=1)))
    await port.aclose()
    return sorted((one.title, one.start, one.end) for one in found)


async def told(up: RunningPlace, chats: Chats, mail: bytes) -> str:
    await up.providers.imap.deliver(mail)
    return str((await chats.next())["text"])


async def test_an_invitation_of_the_mailbox_is_booked_moved_and_taken_out_again(tmp_path: Path) -> None:
    async with radicale(tmp_path) as dav, place(tmp_path / "household") as made:
        with_calendar(made.manifests, dav.url)
        async with made.up() as up:
            await up.back({})
            chats = Chats(up.providers.telegram)
            # As Google mails it: by itself, so that its member is told where they are written to first.
            first = google(stamp(at(17)), stamp(at(18, 30)))
            sent: dict[str, Any] = {"form": "google", "base64": True, "more": [PROVEN, BY_A_PROGRAM]}
            answer = await told(up, chats, mailed(first, message_id="<1@google.example>", **sent))
            assert "at 17:00: “Dentist”. Until 18:30. Place: “12 High Street, Springfield”." in answer
            assert answer.endswith("It is in the calendar.")
            assert await there(dav) == [("Dentist", at(17), at(18, 30))]

            later = google(stamp(at(19)), stamp(at(20)), sequence=1)
            answer = await told(up, chats, mailed(later, message_id="<2@google.example>", **sent))
            assert "Moved to " in answer
            assert await there(dav) == [("Dentist", at(19), at(20))]

            off = google(stamp(at(19)), stamp(at(20)), method="CANCEL", sequence=2)
            cancelled = mailed(off, message_id="<3@google.example>", method="CANCEL", **sent)
            answer = await told(up, chats, cancelled)
            assert "Called off and taken back: “Dentist”" in answer
            assert answer.endswith("It is no longer in the calendar.")
            assert await there(dav) == []


async def test_what_a_members_program_has_there_is_not_booked_twice_and_a_strangers_never(
    tmp_path: Path,
) -> None:
    when = (f"DTSTART:{stamp(at(10))}", f"DTEND:{stamp(at(11))}", "SUMMARY:Choir")
    async with radicale(tmp_path) as dav, place(tmp_path / "household") as made:
        with_calendar(made.manifests, dav.url)
        async with made.up() as up:
            await up.back({})
            await dav.put("choir-1", *when)
            own = calendar(*event(*when, uid="choir-1"))
            await up.providers.imap.deliver(mailed(own, message_id="<4@mail.example>", more=[PROVEN]))

            async def answered() -> bool:
                return bool(up.providers.smtp.accepted)

            await until(answered, what="the mail that answers")
            text = up.providers.smtp.accepted[0].text
            assert "It is in the calendar already." in " ".join(text.split())
            strangers = calendar(*event(*when, uid="choir-2"))
            mail = mailed(strangers, message_id="<5@elsewhere.example>", sender="zoe@elsewhere.example")
            await up.providers.imap.deliver(mail)

            async def ended() -> bool:
                query = "SELECT count(*) AS n FROM switchboard.message_inbox WHERE final_state_at IS NOT NULL"
                return bool((await up.rows(query))[0]["n"] >= 2)

            await until(ended, what="the stranger's mail at its end")
            records = await up.rows("SELECT kind, details FROM general.records")
            assert [one["kind"] for one in records] == ["appointment"]
            assert await dav.resources() == ["choir-1.ics"]
