"""A kept record changes with the outcome that says so: once, from the state that was seen, by the household alone."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from butler_contracts.errors import InternalFailure
from butler_contracts.parse import parse
from butler_contracts.route import RouteEnvelopeV1
from butler_kit.queue import Lease, LeasedQueue
from butler_specialist.accept.validate import teller_of
from butler_specialist.store.conversation import StoredConversation
from butler_specialist.store.inbox import RouteInbox
from butler_specialist.store.model import (
    Outcome,
    Question,
    Record,
    RecordChange,
    RecordDraft,
    RoutedWork,
    as_draft,
)
from butler_specialist.store.records import RecordStore
from butler_specialist.store.visibility import ALL_HOUSEHOLD, Viewer
from tests.integration.specialist.household import MOMENT, Place, envelope, request_context, stranger_context
from tests.integration.specialist.test_ops import request_of, shown

EVERYBODY = Viewer(None, ALL_HOUSEHOLD)
LIDL = RecordDraft(
    "expense",
    date(2026, 11, 21),
    "Spent 23.40 at Lidl",
    title="Lidl",
    amount=Decimal("23.40"),
    currency="EUR",
)


@dataclass
class Desk:
    """The store of one specialist, worked by hand."""

    place: Place

    @property
    def inbox(self) -> RouteInbox:
        return RouteInbox(self.place.pool, capacity=100)

    async def take(self, data: dict[str, Any], *, thread: str = "t") -> tuple[Lease, RoutedWork]:
        document = parse(RouteEnvelopeV1, data)
        await self.inbox.accept(document, lane="default", thread_key=thread, teller=teller_of(document))
        lease = await LeasedQueue(self.place.pool, "route_work").claim(document.subrequest.subrequest_id)
        work = await self.inbox.find(document.subrequest.subrequest_id)
        assert lease is not None
        assert work is not None
        return lease, work

    async def write(self, outcome: Outcome, data: dict[str, Any] | None = None) -> RoutedWork | None:
        lease, work = await self.take(data or envelope("anything"))
        written = await self.inbox.commit(lease, work, outcome)
        await self.inbox.finish(lease)
        return written

    async def only(self) -> Record:
        [record] = await RecordStore(self.place.pool).find(["expense"], viewer=EVERYBODY)
        return record

    async def history(self) -> list[dict[str, Any]]:
        return [dict(row) for row in await self.place.pool.fetch("SELECT * FROM record_changes ORDER BY seq")]

    def conversation(self, subrequest_id: UUID) -> StoredConversation:
        return StoredConversation(
            self.place.pool,
            viewer=EVERYBODY,
            teller="telegram:1001",
            thread_key="t",
            subrequest_id=subrequest_id,
        )


@pytest.fixture
async def desk(place: Place) -> Desk:
    """A desk on whose only record 23.40 EUR stand."""
    desk = Desk(place)
    await desk.write(Outcome(result={}, records=(LIDL,)))
    return desk


def corrected(record: Record, amount: str) -> RecordChange:
    after = replace(as_draft(record), amount=Decimal(amount))
    return RecordChange(record.record_id, record.version, "corrected", after)


async def test_a_changed_record_is_read_as_it_is_now_and_its_former_value_is_kept(desk: Desk) -> None:
    before = await desk.only()
    await desk.write(Outcome(result={}, changes=(corrected(before, "66.00"),)))
    now = await desk.only()
    assert (now.amount, now.version, now.record_id) == (Decimal("66.00"), 2, before.record_id)
    assert as_draft(now) == replace(LIDL, amount=Decimal("66.00"))
    [change] = await desk.history()
    assert (change["cause"], change["version"], change["former"]["title"]) == ("corrected", 1, "Lidl")
    assert Decimal(str(change["former"]["amount"])) == Decimal("23.40")


async def test_a_withdrawn_record_is_read_by_nobody_and_is_there_to_be_put_back(desk: Desk) -> None:
    record = await desk.only()
    await desk.write(Outcome(result={}, changes=(RecordChange(record.record_id, 1, "withdrawn"),)))
    assert await RecordStore(desk.place.pool).find(["expense"], all_senders=True, viewer=EVERYBODY) == []
    [row] = await desk.place.records()
    assert (row["withdrawn_at"] is not None, row["amount"], row["version"]) == (True, Decimal("23.40"), 2)
    lease, work = await desk.take(envelope("undo"))
    earlier = await desk.conversation(work.subrequest_id).earlier()
    former = earlier[0].changed[0].former
    assert (former.amount, former.withdrawn, earlier[1].told[0].withdrawn) == (Decimal("23.40"), False, True)
    back = RecordChange(record.record_id, 2, "undone", as_draft(former), undoes=earlier[0].request_id)
    await desk.inbox.commit(lease, work, Outcome(result={}, changes=(back,)))
    assert as_draft(await desk.only()) == LIDL
    assert [row["undoes"] for row in await desk.history()] == [None, earlier[0].request_id]


async def test_the_second_of_two_changes_of_one_state_is_decided_anew_and_writes_nothing_before(
    desk: Desk,
) -> None:
    record = await desk.only()
    first, second = await desk.take(envelope("no, 66")), await desk.take(envelope("no, 70"), thread="u")
    outcomes = (
        Outcome(result={}, records=(LIDL,), changes=(corrected(record, "66.00"),)),
        Outcome(result={}, records=(LIDL,), changes=(corrected(record, "70.00"),)),
    )
    done = await asyncio.gather(
        *(
            desk.inbox.commit(*taken, outcome)
            for taken, outcome in zip((first, second), outcomes, strict=True)
        ),
        return_exceptions=True,
    )
    [problem] = [one for one in done if isinstance(one, BaseException)]
    assert isinstance(problem, InternalFailure)
    assert problem.retryable
    loser = done.index(problem)
    assert len(await desk.place.records()) == 2
    assert (await desk.place.route((first, second)[loser][1].subrequest_id))["outcome_at"] is None
    seen = next(row for row in await desk.conversation(UUID(int=0)).records([record.record_id]))
    again = Outcome(result={}, changes=(corrected(seen, ("66.00", "70.00")[loser]),))
    await desk.inbox.commit(*(first, second)[loser], again)
    assert [row["version"] for row in await desk.history()] == [1, 2]
    now = next(row for row in await desk.conversation(UUID(int=0)).records([record.record_id]))
    assert now.amount == Decimal(("66.00", "70.00")[loser])


async def test_of_several_changes_all_are_made_or_none(desk: Desk) -> None:
    await desk.write(Outcome(result={}, records=(LIDL,)))
    one, two = await RecordStore(desk.place.pool).find(["expense"], viewer=EVERYBODY)
    wrong = replace(corrected(two, "1.00"), version=7)
    lease, work = await desk.take(envelope("anything"))
    with pytest.raises(InternalFailure):
        await desk.inbox.commit(lease, work, Outcome(result={}, changes=(corrected(one, "1.00"), wrong)))
    assert {row["amount"] for row in await desk.place.records()} == {Decimal("23.40")}
    assert await desk.history() == []


async def test_an_outcome_that_is_written_again_changes_nothing_again(desk: Desk) -> None:
    record = await desk.only()
    outcome = Outcome(result={}, changes=(corrected(record, "66.00"),))
    context = request_context()
    data = envelope("no, 66", context=context)
    lease, work = await desk.take(data)
    assert await desk.inbox.commit(lease, work, outcome) is not None
    assert await desk.inbox.commit(lease, work, outcome) is None
    await desk.inbox.finish(lease)
    # Another attempt at the same segment of the same request.
    assert await desk.write(outcome, envelope("no, 66", context=context, attempt=2)) is not None
    assert ((await desk.only()).version, len(await desk.history())) == (2, 1)


async def test_a_stranger_changes_nothing(desk: Desk) -> None:
    record = await desk.only()
    lease, work = await desk.take(envelope("no, 66", context=stranger_context()))
    with pytest.raises(InternalFailure):
        await desk.inbox.commit(lease, work, Outcome(result={}, changes=(corrected(record, "66.00"),)))
    assert (await desk.only()).amount == Decimal("23.40")


async def test_what_was_said_before_is_the_persons_own_with_what_was_asked_back(desk: Desk) -> None:
    record = await desk.only()
    question = Question("delete the expense", MOMENT, (record.record_id,))
    await desk.write(Outcome(result={}, question=question), envelope("delete the expense"))
    other = request_context(source_sender_identity="1002")
    await desk.write(Outcome(result={}, records=(LIDL,)), envelope("Spent 23.40 at Lidl", context=other))
    asked, told = await desk.conversation(UUID(int=0)).earlier()
    assert (asked.question, asked.told, asked.in_thread) == (question, (), True)
    assert [one.amount for one in told.told] == [Decimal("23.40")]


async def test_the_operator_is_shown_the_state_of_each_record_and_what_a_request_changed(desk: Desk) -> None:
    record, place = await desk.only(), desk.place
    change = envelope("no, 66")
    await desk.write(Outcome(result={}, changes=(corrected(record, "66.00"),)), change)
    await desk.write(Outcome(result={}, records=(LIDL,)))
    last = next(
        row for row in await RecordStore(place.pool).find(["expense"], viewer=EVERYBODY) if row.version == 1
    )
    await desk.write(Outcome(result={}, changes=(RecordChange(last.record_id, 1, "withdrawn"),)))
    async with place.specialist() as specialist:
        records = (await shown(place, specialist, "records")).json()["records"]
        request = (await shown(place, specialist, request_of(change))).json()
    assert [row["state"] for row in records] == ["withdrawn", "changed"]
    assert [row["former"]["text"] for row in request["changes"]] == ["Spent 23.40 at Lidl"]
