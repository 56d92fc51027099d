"""A beat for each household: one that never ends delays no other; a change brings the next at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager

import pytest

from butler_operator.control import beats as beats_module
from butler_operator.control.beats import Beats

LONG_S = 3_600.0


class Households:
    """Counts the beats of each; those in `hung` never end."""

    def __init__(self, *members: str) -> None:
        self.members: Collection[str] = members
        self.hung: set[str] = set()
        self.beaten: Counter[str] = Counter()
        self.left: list[str] = []

    async def beat(self, namespace: str) -> None:
        self.beaten[namespace] += 1
        if namespace in self.hung:
            await asyncio.Event().wait()

    def beats(self, every_s: float) -> Beats:
        return Beats(self.beat, lambda: self.members, left=self.left.append, every_s=every_s)


@pytest.fixture(autouse=True)
def _nothing_to_settle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beats_module, "SETTLE_S", 0.0)


@asynccontextmanager
async def running(beats: Beats) -> AsyncIterator[None]:
    task = asyncio.create_task(beats.run())
    try:
        yield
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(seen: Callable[[], bool]) -> None:
    async with asyncio.timeout(90):
        while not seen():
            await asyncio.sleep(0.002)


async def test_a_household_whose_beat_never_ends_delays_no_other() -> None:
    both = Households("home", "cabin")
    both.hung.add("home")
    async with running(both.beats(every_s=0.01)):
        await until(lambda: both.beaten["cabin"] >= 5)
    assert both.beaten["home"] == 1


async def test_a_change_brings_its_own_household_s_beat_at_once_and_no_other_s() -> None:
    both = Households("home", "cabin")
    beats = both.beats(every_s=LONG_S)
    async with running(beats):
        await until(lambda: both.beaten == {"home": 1, "cabin": 1})
        beats.soon("cabin")
        await until(lambda: both.beaten["cabin"] == 2)
    assert both.beaten["home"] == 1


async def test_a_change_during_a_beat_is_not_lost() -> None:
    one = Households("home")
    beats = one.beats(every_s=LONG_S)
    plain = one.beat

    async def beat_with_news(namespace: str) -> None:
        await plain(namespace)
        if one.beaten[namespace] == 1:
            beats.soon(namespace)

    beats._beat = beat_with_news
    async with running(beats):
        await until(lambda: one.beaten["home"] == 2)


async def test_a_household_that_comes_is_beaten_and_one_that_goes_is_left() -> None:
    some = Households("home")
    beats = some.beats(every_s=LONG_S)
    async with running(beats):
        await until(lambda: some.beaten["home"] == 1)
        some.members = ["cabin"]
        beats.soon("cabin")
        await until(lambda: some.beaten["cabin"] == 1)
        beats.soon("home")
        await until(lambda: some.left == ["home"])
        some.members = ["cabin", "home"]
        beats.soon("home")
        await until(lambda: some.beaten["home"] == 2)
    assert some.left == ["home"]


async def test_whoever_takes_over_again_beats_everywhere_again() -> None:
    both = Households("home", "cabin")
    both.hung.add("home")
    beats = both.beats(every_s=LONG_S)
    for times in (1, 2):
        async with running(beats):
            await until(lambda: both.beaten == {"home": times, "cabin": times})  # noqa: B023 - called in the loop
    assert both.left == []
