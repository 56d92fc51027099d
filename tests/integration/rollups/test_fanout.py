"""Who answered whom: messages by connector, butler and day, as their outcomes are now (SWB-22.3, CNX-13.3)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from butler_contracts.ingest import CONNECTOR_SOURCES
from butler_rollups.models import Job
from butler_rollups.sql_engine import SqlEngine
from tests.support.database import Server
from tests.support.rollups.desk import Desk, open_desk
from tests.support.rollups.fleets import BEGIN
from tests.support.rollups.messages import Message, add_messages
from tests.support.rollups.oracle import fanout_of

DAY = timedelta(days=1)
MIDNIGHT = BEGIN.replace(hour=0)


@pytest.fixture(scope="module")
def desk(postgres_server: Server) -> Iterator[Desk]:
    with open_desk(postgres_server) as opened:
        yield opened


@pytest.mark.spec("SWB-22.3", "CNX-13.3")
def test_messages_are_counted_by_connector_butler_and_day(desk: Desk):
    messages = some_messages(random.Random(3), 200)
    desk.empty()
    desk.run(add_messages(desk.connection, messages))
    for start in (MIDNIGHT, MIDNIGHT + DAY):
        desk.publish(SqlEngine(), Job.FANOUT, start, start + DAY)
    assert desk.fanout() == fanout_of((m.connector, m.endpoint, m.received_at, m.butlers) for m in messages)
    assert desk.recorded(Job.FANOUT) == [MIDNIGHT, MIDNIGHT + DAY]


@pytest.mark.spec("SWB-22.3", "SWB-22.5", "CNX-13.3")
def test_a_pair_that_is_no_more_after_a_replay_goes_with_the_next_run(desk: Desk):
    message = Message(UUID(int=1), BEGIN, "email", "imap", "home@example.org", ("finance", "health"))
    desk.empty()
    desk.run(add_messages(desk.connection, [message]))
    desk.publish(SqlEngine(), Job.FANOUT, MIDNIGHT, MIDNIGHT + DAY)
    again = desk.publish(SqlEngine(), Job.FANOUT, MIDNIGHT, MIDNIGHT + DAY)
    assert (again.changed, again.deleted) == (0, 0)
    late = Message(UUID(int=2), BEGIN, "email", "imap", "home@example.org", None)
    desk.run(add_messages(desk.connection, [late]))
    rerouted = json.dumps([{"target_butler": "finance"}, {"target_butler": "travel"}])
    desk.run(desk.connection.execute("UPDATE message_inbox SET dispatch_outcomes = $1::text::json", rerouted))
    done = desk.publish(SqlEngine(), Job.FANOUT, MIDNIGHT, MIDNIGHT + DAY)
    assert (done.changed, done.deleted) == (2, 1)
    day = MIDNIGHT.date()
    assert desk.fanout() == {("imap", "home@example.org", name, day): 2 for name in ("finance", "travel")}


def some_messages(rng: random.Random, count: int) -> list[Message]:
    """Messages of two days from every kind of connector: none, one and several butlers, one of them twice."""
    kinds: Sequence[tuple[str, str]] = tuple(CONNECTOR_SOURCES.values())
    fates: Sequence[Any] = (None, (), ("finance",), ("finance", "health"), ("travel", "travel"))
    return [
        Message(
            UUID(int=number), moment(rng), *rng.choice(kinds), f"box-{rng.randrange(3)}", rng.choice(fates)
        )
        for number in range(1, count + 1)
    ]


def moment(rng: random.Random) -> datetime:
    return MIDNIGHT + timedelta(seconds=rng.uniform(0, 2 * 86_400 - 1))
