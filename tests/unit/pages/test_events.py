"""`/events`: a bounded number of listeners, each told every change once, all of them let go at the drain."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager, suppress
from typing import cast

from butler_contracts.errors import TargetUnavailable
from butler_dashboard.pages.events import EventLimits, Events
from butler_dashboard.reads.changes import Marks
from butler_dashboard.reads.reader import Reader
from tests.unit.pages.conftest import address

DEADLINE_S = 60
STILL = dict.fromkeys(Marks.model_fields, "1")


class Household:
    """What a look at the marks finds."""

    def __init__(self):
        self.found = Marks(**STILL)
        self.looks = 0
        self.looked = asyncio.Condition()

    async def look(self, _):
        async with self.looked:
            self.looks += 1
            self.looked.notify_all()
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    async def was_seen(self):
        """Until two more looks have been taken: the first may have begun before."""
        async with self.looked:
            until = self.looks + 2
            await asyncio.wait_for(self.looked.wait_for(lambda: self.looks >= until), DEADLINE_S)


async def everybody(_):
    """May listen."""
    return True


@asynccontextmanager
async def listening(**limits):
    household = Household()
    often = EventLimits(every_s=0.01, **limits)
    events = Events(cast("Reader", None), everybody, limits=often, look=household.look)
    stopping = asyncio.Event()
    running = asyncio.create_task(events.run(stopping))
    try:
        yield events, household
    finally:
        stopping.set()
        events.end()
        await asyncio.wait_for(running, DEADLINE_S)


async def heard(events):
    """A listener, after its greeting."""
    answer = await events.answer(address("/events"))
    stream = answer.body_iterator
    assert "event: hello" in await anext(stream)
    return stream


async def next_of(stream, kind):
    """The next event of this kind, beats aside."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            name, data = (line.partition(": ")[2] for line in (await anext(stream)).strip().splitlines()[-2:])
            if name == kind:
                return json.loads(data)


async def test_every_listener_is_told_which_part_changed():
    async with listening() as (events, household):
        streams = [await heard(events), await heard(events)]
        await household.was_seen()
        household.found = Marks(**{**STILL, "requests": "2", "butlers": "2"})
        for stream in streams:
            assert await next_of(stream, "change") == {"topics": ["butlers", "requests"]}


async def test_nobody_looks_while_nobody_listens():
    async with listening() as (events, household):
        stream = await heard(events)
        await household.was_seen()
        await stream.aclose()
        assert events.listeners == 0
        looks = household.looks
        for _ in range(100):
            await asyncio.sleep(0)
        assert household.looks <= looks + 1


async def test_what_changed_during_an_outage_is_told_when_it_is_over():
    async with listening() as (events, household):
        stream = await heard(events)
        await household.was_seen()
        household.found = TargetUnavailable("away")
        assert await next_of(stream, "away") == {}
        household.found = Marks(**STILL)
        assert await next_of(stream, "back") == {}
        assert await next_of(stream, "change") == {"topics": sorted(STILL)}


async def test_a_silent_stream_beats():
    async with listening(beat_s=0.01) as (events, _):
        stream = await heard(events)
        assert await next_of(stream, "beat") == {}


async def test_no_more_listen_than_may_and_one_that_left_makes_room():
    async with listening(listeners=2) as (events, _):
        first, _second = await heard(events), await heard(events)
        refused = await events.answer(address("/events"))
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "30"
        await first.aclose()
        assert (await events.answer(address("/events"))).status_code == 200


async def test_the_drain_ends_every_stream_and_lets_nobody_in():
    async with listening() as (events, _):
        stream = await heard(events)
        events.end()
        async with asyncio.timeout(DEADLINE_S):
            with suppress(StopAsyncIteration):
                while True:
                    await anext(stream)
        assert events.listeners == 0
        assert (await events.answer(address("/events"))).status_code == 503
