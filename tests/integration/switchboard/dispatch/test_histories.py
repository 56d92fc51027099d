"""What is read of a thread: this one alone, what came before, the last minutes or messages, no more than fits."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.ingest import IngestEnvelopeV1
from butler_contracts.keys import dedupe_key
from butler_contracts.triage import PASS_THROUGH
from butler_kit.db import Pool
from butler_kit.runtime.history import Bounds, History
from butler_kit.runtime.tokens import BY_BYTES
from butler_kit.time import SystemClock, new_uuid7
from butler_switchboard.dispatch import histories
from butler_switchboard.dispatch.histories import Histories
from butler_switchboard.dispatch.state import load_request
from butler_switchboard.dispatch.store import DispatchStore
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.ingress.context import Decisions, admission_row
from butler_switchboard.ingress.lane import Lane
from butler_switchboard.ingress.senders import SenderDecision
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from tests.support.database import Provision
from tests.support.switchboard import mail, switchboard_database, telegram

START = datetime.now(UTC).replace(microsecond=0)
TOLD = (
    "INSERT INTO notifications (notification_id, request_id, origin_butler, purpose, intent, channel, message_excerpt,"
    " status, created_at, updated_at) VALUES ($1, $2, 'finance', 'answer', $4, 'telegram', $3, $5, now(), now())"
)


@dataclass
class Inbox:
    """Messages at moments of a test's choice; minutes are counted from `START`."""

    pool: Pool
    lane: Lane
    numbers: count[int]

    async def put(
        self, envelope: IngestEnvelopeV1, *, minute: float = 0, sender: str = "household", **columns: Any
    ) -> UUID:
        [request_id] = await self.put_all({minute: envelope}, sender=sender, **columns)
        return request_id

    async def put_all(
        self, envelopes: Mapping[float, IngestEnvelopeV1], *, sender: str = "household", **columns: Any
    ) -> list[UUID]:
        rows = [
            admission_row(
                envelope,
                new_uuid7(START + timedelta(minutes=minute)),
                Decisions(
                    dedupe_key(envelope),
                    SenderDecision(sender, "allow" if sender == "household" else "owner", False, "test"),  # type: ignore[arg-type]
                    PASS_THROUGH,
                    "default",  # type: ignore[arg-type]
                ),
            )
            for minute, envelope in envelopes.items()
        ]
        ids = [one.request_id for one in await self.lane.write(rows)]
        for name, value in columns.items():
            await self.pool.execute(
                f"UPDATE message_inbox SET {name} = $1 WHERE request_id = ANY($2)", value, ids
            )
        return ids

    def said(self, text: str, **more: Any) -> IngestEnvelopeV1:
        return telegram(next(self.numbers), text, **more)

    async def before(self, request_id: UUID, bounds: Bounds | None = None) -> History:
        state = await DispatchStore(self.pool).load(request_id)
        assert state is not None
        return await self.reading(bounds).before(state)

    def reading(self, bounds: Bounds | None = None) -> Histories:
        household = Contacts(self.pool, SystemClock())
        return Histories(self.pool, household, bounds or Bounds(), lambda: BY_BYTES)

    async def texts(self, request_id: UUID, bounds: Bounds | None = None) -> list[str]:
        return [text for _, text in shown(await self.before(request_id, bounds))]


def shown(history: History) -> list[tuple[str, str]]:
    return [(line["from"], line["text"]) for line in map(json.loads, history.text.splitlines())]


def answer(text: str) -> dict[str, Any]:
    return {"text": text, "parts": []}


@pytest.fixture
async def inbox(provisioned: Provision) -> AsyncIterator[Inbox]:
    pool = await (await switchboard_database(provisioned)).pool("switchboard")
    await Retention(pool, RetentionPolicy()).prepare()
    await pool.fetch("SELECT make_inbox_months($1, $2)", START, START + timedelta(days=3))
    lane = Lane(pool)
    yield Inbox(pool, lane, count(1))
    await lane.close()


@pytest.mark.spec("SWB-03.8")
async def test_a_thread_is_read_alone_with_our_answers_and_only_what_came_before(inbox: Inbox):
    await inbox.put(inbox.said("gas was 40"), aggregated_reply=answer("[finance] Noted"))
    await inbox.put(inbox.said("of another chat", chat="7"), minute=1)
    elsewhere = inbox.said("of another bot").to_wire()
    elsewhere["source"]["endpoint_identity"] = "telegram:bot:other"
    await inbox.put(IngestEnvelopeV1.model_validate(elsewhere), minute=2)
    await inbox.put(inbox.said("[not kept]"), minute=3, lifecycle_state="recorded")
    await inbox.put(inbox.said("and water?"), minute=4, error_class="timeout")
    heat = await inbox.put(inbox.said("and heat?"), minute=4.5, aggregated_reply=answer("not what was told"))
    for told, intent, status in (
        ("70 EUR", "reply", "ok"),
        ("lost", "reply", "error"),
        ("to Ben", "send", "ok"),
    ):
        await inbox.pool.execute(TOLD, uuid4(), heat, told, intent, status)
    current = await inbox.put(inbox.said("well?"), minute=5)
    await inbox.put(inbox.said("said later"), minute=6)
    assert shown(await inbox.before(current)) == [
        ("writer", "gas was 40"),
        ("butlers", "[finance] Noted"),
        ("writer", "and water?"),
        ("butlers", "Not done: timeout"),
        ("writer", "and heat?"),
        ("butlers", "[finance] 70 EUR"),
    ]


@pytest.mark.spec("SWB-03.8")
async def test_the_last_minutes_or_messages_are_read_whichever_is_more(inbox: Inbox):
    long_ago = {float(number): inbox.said(f"old {number}") for number in range(40)}
    await inbox.put_all(long_ago)
    quiet = await inbox.put(inbox.said("now"), minute=100)
    assert await inbox.texts(quiet) == [f"old {number}" for number in range(10, 40)]
    busy = {100 + number / 10: inbox.said(f"new {number}") for number in range(1, 60)}
    await inbox.put_all(busy)
    current = await inbox.put(inbox.said("and now"), minute=110)
    assert await inbox.texts(current) == ["now", *(f"new {number}" for number in range(1, 60))]
    assert await inbox.texts(current, Bounds(messages=2, minutes=5)) == [
        f"new {number}" for number in range(50, 60)
    ]
    assert await inbox.texts(current, Bounds(messages=2, minutes=0)) == ["new 58", "new 59"]
    assert await inbox.texts(current, Bounds(messages=0, minutes=0)) == []


async def test_a_flood_gives_two_hundred_messages_and_64_kilobytes_at_most(inbox: Inbox):
    await inbox.put_all({number / 1000: inbox.said(f"{number}") for number in range(260)})
    current = await inbox.put(inbox.said("now"), minute=1)
    assert await inbox.texts(current) == [str(number) for number in range(60, 260)]
    await inbox.put_all({2 + number / 1000: inbox.said(f"{number} " + "ä" * 4_000) for number in range(30)})
    history = await inbox.before(await inbox.put(inbox.said("now"), minute=3))
    assert 60_000 < len(history.text.encode()) <= 64_000
    assert shown(history)[-1][1].startswith("29 ")
    assert history.tokens <= 50_000


async def test_no_more_leaves_the_database_than_may_be_given(inbox: Inbox, monkeypatch: pytest.MonkeyPatch):
    await inbox.put_all({float(number): inbox.said("x" * 5_000) for number in range(20)})
    current = await inbox.put(inbox.said("now"), minute=30)
    read: list[int] = []
    whole = Histories._rows

    async def seen(self: Histories, state: Any) -> Any:
        rows = await whole(self, state)
        read.append(sum(len(row["text"]) for row in rows))
        return rows

    monkeypatch.setattr(Histories, "_rows", seen)
    assert (await inbox.before(current, Bounds(tokens=1_000))).tokens <= 1_000
    assert read == [2_000]


async def test_a_group_names_its_members_and_numbers_strangers_whatever_they_call_themselves(inbox: Inbox):
    await inbox.put(inbox.said("I am here", sender="1002"), minute=0)
    await inbox.put(inbox.said("me too", sender="1001"), minute=1)
    await inbox.put(inbox.said("I am Ada", sender="666"), minute=2, sender="other")
    await inbox.put(inbox.said("and I", sender="667"), minute=3, sender="other")
    current = await inbox.put(inbox.said("who is there?", sender="1001"), minute=4)
    history = await inbox.before(current)
    assert [speaker for speaker, _ in shown(history)] == [
        "Ben Example", "writer", "outsider 1", "outsider 2",
    ]  # fmt: skip
    assert (history.household, history.others) == (True, True)
    assert not {"1001", "1002", "666"} & set(history.text.split('"'))


async def test_former_versions_of_the_message_itself_are_not_before_it(inbox: Inbox):
    await inbox.put(inbox.said("paid 40", message_id="70"))
    current = await inbox.put(inbox.said("paid 50", message_id="70", supersedes="1"), minute=1)
    assert await inbox.texts(current) == []


@pytest.mark.spec("SWB-03.9")
async def test_the_chain_of_a_mail_is_read_whatever_its_age_newest_kept_and_quotes_once(inbox: Inbox):
    first = "The roof costs 900 euro."
    await inbox.put(mail("<a@x>", first, thread="<a@x>"), minute=0, sender="other")
    await inbox.put(mail("<o@x>", "another chain", thread="<o@x>"), minute=1, sender="other")
    second = f"Monday is fine.\nOn 3 May the roofers wrote:\n> {first}"
    await inbox.put(
        mail("<b@x>", second, thread="<a@x>"), minute=60 * 24, aggregated_reply=answer("[general] Noted")
    )
    current = await inbox.put(mail("<c@x>", "It is done", thread="<a@x>"), minute=60 * 48)
    chain = ["The roof costs 900 euro.", "Monday is fine.\nOn 3 May the roofers wrote:", "[general] Noted"]
    assert await inbox.texts(current) == chain
    for name in "dg":
        await inbox.put(mail(f"<{name}@x>", name * 60_000, thread="<a@x>"), minute=60 * 49)
    await inbox.put(mail("<e@x>", "the newest", thread="<a@x>"), minute=60 * 50)
    history = await inbox.before(await inbox.put(mail("<f@x>", "now", thread="<a@x>"), minute=60 * 51))
    [cut, whole, newest] = shown(history)
    assert newest == ("writer", "the newest")
    assert (whole[1], cut[1][:3], cut[1][-2:]) == ("g" * 60_000, "ddd", "d…")
    assert 49_000 < history.tokens <= 50_000
    assert history.counted_by == "UTF-8 bytes / 1.5"


async def test_what_is_read_from_a_mailboxs_past_gets_no_history_and_its_age_is_not_said(inbox: Inbox):
    job = "019ca8d9-0b40-7000-8000-000000000001"
    await inbox.put(mail("<a@x>", "long ago", thread="<a@x>"), backfill_job_id=job)
    history = await inbox.before(await inbox.put(mail("<b@x>", "now", thread="<a@x>"), minute=1))
    assert json.loads(history.text) == {"from": "writer", "text": "long ago"}
    wire = mail("<c@x>", "of the past", thread="<a@x>").to_wire()
    wire["control"]["backfill_job_id"] = job
    past = await inbox.put(IngestEnvelopeV1.model_validate(wire), minute=2)
    assert await inbox.texts(past) == []


async def test_a_message_is_routed_without_what_cannot_be_read_in_time(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
):
    await inbox.put(inbox.said("before"))
    current = await inbox.put(inbox.said("now"), minute=1)
    monkeypatch.setattr(histories, "_READ_S", 0.2)
    blocked = await inbox.pool.acquire()
    try:
        async with blocked.transaction():
            await blocked.execute("LOCK TABLE message_inbox IN ACCESS EXCLUSIVE MODE")
            state = await load_request(blocked, current)
            assert state is not None
            assert (await inbox.reading().before(state)).lines == 0
    finally:
        await inbox.pool.release(blocked)
    assert await inbox.texts(current) == ["before"]


@pytest.mark.spec("SWB-03.9")
async def test_the_chain_of_a_mail_shows_nothing_that_another_member_wrote_in_it(inbox: Inbox):
    """A mail names its chain itself: whoever knows an id would read what another said and was answered (D68)."""
    await inbox.put(
        mail("<a@x>", "Ada's own canary", thread="<a@x>"), aggregated_reply=answer("[health] canary of Ada")
    )
    await inbox.put(mail("<s@x>", "of a stranger", thread="<a@x>", sender="s@else.example"), sender="other")
    bens = mail("<b@x>", "and mine?", thread="<a@x>", sender="ben@example.org")
    assert await inbox.texts(await inbox.put(bens, minute=1)) == ["of a stranger"]
    adas = mail("<c@x>", "and mine?", thread="<a@x>")
    assert "Ada's own canary" in await inbox.texts(await inbox.put(adas, minute=2))
