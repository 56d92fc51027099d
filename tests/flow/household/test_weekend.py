"""Friday the power goes, Monday it is back: what waited at the providers keeps its day, and nothing is given up."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest
import yaml

from tests.support.household import Place, RunningPlace, until
from tests.support.telegram_api import message_update, person

pytestmark = pytest.mark.xdist_group("household")

BERLIN = ZoneInfo("Europe/Berlin")
ADA, BEN = person(1001, "Ada"), person(1002, "Ben")
MONDAY: Final = datetime.now(UTC)
FRIDAY, SATURDAY = MONDAY - timedelta(days=3), MONDAY - timedelta(days=2)
SUNDAY_NIGHT: Final = MONDAY - timedelta(hours=20)
"""Telegram keeps updates for a day."""
DAMAGED: Final = "Paid 2.20 EUR for honey"


def day(moment: datetime, *, yesterday: bool = False) -> date:
    return moment.astimezone(BERLIN).date() - timedelta(days=yesterday)


async def mail(place: Place, moment: datetime, text: str) -> str:
    """A member's mail that came when the household was away; its Message-ID."""
    letter = EmailMessage()
    letter["Authentication-Results"] = "mx.example.org; dmarc=pass header.from=example.org"
    letter["From"], letter["To"] = "ada@example.org", "household@example.org"
    letter["Subject"], letter["Message-ID"] = "Bills", f"<{moment:%j}@mail.example.org>"
    letter["Date"] = format_datetime(moment)
    letter.set_content(text)
    await place.providers.imap.deliver(letter.as_bytes(), when=moment)
    return str(letter["Message-ID"])


def tell(place: Place, who: dict[str, Any], text: str, moment: datetime = MONDAY) -> int:
    """A message to the bot; its number in the chat."""
    update = message_update(who, text=text, date=int(moment.timestamp()))
    return int(place.providers.telegram.inject(update)["message"]["message_id"])


async def post(up: RunningPlace, text: str) -> bool:
    answer = await up.post("stamps", {"text": text, "sender": "ada", "thread": "weekend"})
    return answer is not None and answer.status_code == 202


async def friday(up: RunningPlace) -> list[int]:
    """Ada's three messages are taken in while finance does not move; the second is damaged, and the power goes."""
    finance = up.pids()["finance"]
    os.kill(finance, signal.SIGSTOP)
    chat = [
        tell(up.place, ADA, text) for text in ("Paid 1.10 EUR for rolls", DAMAGED, "Paid 3.30 EUR for tea")
    ]

    async def taken_in() -> bool:
        [found] = await up.rows("SELECT count(*) AS n FROM switchboard.message_inbox")
        return bool(found["n"] == len(chat))

    await until(taken_in, what="Friday's messages are stored")
    damaged = await up.rows(
        'UPDATE switchboard.message_inbox SET request_context = \'{"by": "hand"}\' '
        f"WHERE normalized_text = '{DAMAGED}' RETURNING request_id"
    )
    assert len(damaged) == 1
    await up.kill_supervisor()
    return chat


async def records(up: RunningPlace) -> dict[str, date]:
    """What finance keeps, by amount."""
    rows = await up.rows("SELECT amount, occurred_on FROM finance.records ORDER BY seq")
    assert len(rows) == len({row["amount"] for row in rows}), "something is booked twice"
    return {f"{row['amount']:.2f}": row["occurred_on"] for row in rows}


async def all_booked(up: RunningPlace, meant: Mapping[str, date]) -> None:
    async def booked() -> bool:
        # No pause between the tries of the damaged row is waited for.
        await up.rows(
            "UPDATE switchboard.inbox_work SET available_at = now() WHERE lease_id IS NULL RETURNING 1"
        )
        open_ones = await up.rows("SELECT item_id FROM switchboard.inbox_work")
        return not open_ones and (await records(up)).keys() == meant.keys()

    await until(booked, what="everything is booked and nothing waits")


async def letters(place: Place) -> list[dict[str, Any]]:
    verb = await place.verb("dead-letters", "--json")
    found: list[dict[str, Any]] = json.loads(verb.stdout)["dead_letters"]
    return found


def look_often(place: Place) -> None:
    """Have Switchboard's scanner look all the time: the damaged row is tried again by nothing else."""
    file = place.manifests / "butlers.yaml"
    documents = list(yaml.safe_load_all(file.read_text("utf-8")))
    [switchboard] = [one for one in documents if one["spec"]["role"] == "switchboard"]
    switchboard["spec"]["buffer"] = {"scannerIntervalSeconds": 0.5, "scannerGraceSeconds": 0.2}
    file.write_text(yaml.safe_dump_all(documents), "utf-8")


async def test_after_a_weekend_without_power_every_date_is_right_and_nothing_is_given_up(
    fresh_place: Place,
) -> None:
    look_often(fresh_place)
    async with fresh_place.up() as before:
        await before.back({})
        chat = await friday(before)

        await mail(fresh_place, FRIDAY, "I paid 42.00 EUR at Rewe yesterday.")
        await mail(fresh_place, SATURDAY, "I paid 17.30 EUR for the taxi.")
        lunch = await mail(fresh_place, SUNDAY_NIGHT, "I paid 9.90 EUR for lunch today.")
        bread = tell(fresh_place, BEN, "Paid 8.80 EUR for bread yesterday", SUNDAY_NIGHT)
        assert not await post(before, "Paid 6.60 EUR for stamps yesterday")

        async with fresh_place.up() as monday:
            await until(
                lambda: post(monday, "Paid 6.60 EUR for stamps yesterday"),
                what="the sender that repeats its post is heard",
            )
            meant = {
                "1.10": day(MONDAY),
                "3.30": day(MONDAY),
                "42.00": day(FRIDAY, yesterday=True),
                "17.30": day(SATURDAY),
                "9.90": day(SUNDAY_NIGHT),
                "8.80": day(SUNDAY_NIGHT, yesterday=True),
                "6.60": day(MONDAY, yesterday=True),
            }
            await all_booked(monday, meant)
            assert await records(monday) == meant
            [letter] = await letters(fresh_place)
            assert letter["error_class"] == "internal_error"
            # What is older than a day on arrival is kept and not answered any more (D22).
            await _answered_once(fresh_place, {1001: [chat[0], chat[2]], 1002: [bread]}, [lunch])
    assert list(fresh_place.state.root.rglob("*.refused.jsonl")) == []
    assert list(fresh_place.state.root.rglob("*.parked/*")) == []


async def _answered_once(place: Place, chats: Mapping[int, list[int]], mails: list[str]) -> None:
    telegram, smtp = place.providers.telegram, place.providers.smtp

    async def told() -> bool:
        return len(smtp.accepted) >= len(mails) and all(
            set(ids) <= replies(one) for one, ids in chats.items()
        )

    def replies(chat: int) -> set[int]:
        return {one["reply_to_message_id"] for one in telegram.sent if one["chat_id"] == chat}

    await until(told, what="everybody is answered")
    answered = Counter((one["chat_id"], one["reply_to_message_id"]) for one in telegram.sent)
    for chat, asked in chats.items():
        assert [answered[chat, number] for number in asked] == [1] * len(asked)
    assert Counter(str(one.message()["In-Reply-To"]) for one in smtp.accepted) == Counter(mails)
