"""A watch that misses changes: its namespace is watched anew, and no other is disturbed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from butler_kit.time import ManualClock
from butler_operator.cluster.client import connect
from butler_operator.cluster.errors import ClusterUnavailable
from butler_operator.control import resync as resync_module
from butler_operator.control import watching as watching_module
from butler_operator.control.kinds import register_all
from butler_operator.control.runtime import Runtime
from butler_operator.control.watching import Watching
from butler_operator.reconcile.standing import SERVED, Standing
from butler_operator.settings import OperatorSettings
from tests.unit.operator.test_conditions import NOW


class Lists:
    """The API server's lists: each look at a namespace of `late` shows one more Butler, of which no watch told."""

    def __init__(self, *late: str) -> None:
        self.late, self.silent = set(late), set[str]()
        self.butlers: list[dict[str, Any]] = []

    async def list_all(self, kind: str, namespace: str, **_: Any) -> list[dict[str, Any]]:
        if namespace in self.silent:
            raise ClusterUnavailable("no answer")
        if kind == "Butler" and namespace in self.late:
            version = str(len(self.butlers) + 1)
            metadata = {"name": f"b{version}", "namespace": namespace, "resourceVersion": version}
            self.butlers.append({"metadata": metadata, "spec": {}})
        return [one for one in self.butlers if kind == "Butler" and one["metadata"]["namespace"] == namespace]

    async def get(self, *_: Any) -> None:
        return None


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resync_module, "SETTLE_S", 0.0)
    monkeypatch.setattr(watching_module, "LOOK_S", 0.005)
    monkeypatch.setattr(watching_module, "FIRST_S", 0.0)


@asynccontextmanager
async def serving(lists: Lists) -> AsyncIterator[tuple[Runtime, Any]]:
    cluster = await connect(host="http://127.0.0.1:9")
    settings = OperatorSettings(namespaces=("home", "cabin"))
    runtime = Runtime(settings=settings, cluster=cluster, http=httpx.AsyncClient(), clock=ManualClock(NOW))
    runtime.served |= {"home", "cabin"}
    resync = register_all(runtime).resync
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cluster, "list_all", lists.list_all)
            patch.setattr(cluster, "get", lists.get)
            yield runtime, resync
    finally:
        await runtime.close()


async def test_only_the_namespace_that_missed_changes_twice_is_watched_anew() -> None:
    lists = Lists("home")
    async with serving(lists) as (runtime, resync):
        await resync.round()
        assert (resync.behind, runtime.stale) == ({"home": 1, "cabin": 0}, set())
        await resync.round()
        assert (resync.behind, runtime.stale) == ({"home": 2, "cabin": 0}, {"home"})
        assert resync.rounds_behind == 0


async def test_a_round_that_misses_nothing_begins_the_count_again_and_one_without_an_answer_does_not() -> (
    None
):
    lists = Lists("home")
    async with serving(lists) as (runtime, resync):
        await resync.round()
        lists.silent = {"home"}
        await resync.round()
        assert resync.behind["home"] == 1
        lists.silent, lists.late = set(), set()
        await resync.round()
        assert (resync.behind["home"], runtime.stale) == (0, set())


async def test_where_watching_anew_helps_nowhere_every_namespace_is_behind() -> None:
    lists = Lists("home", "cabin")
    async with serving(lists) as (runtime, resync):
        for number in range(1, 5):
            await resync.round()
            assert resync.rounds_behind == number
            assert runtime.stale == ({"home", "cabin"} if number % 2 == 0 else set())
            runtime.stale.clear()


async def until(seen: Callable[[], bool]) -> None:
    async with asyncio.timeout(90):
        while not seen():
            await asyncio.sleep(0.002)


async def test_a_stale_namespace_is_watched_anew_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def looked(*_: Any) -> Standing:
        return SERVED

    begun: Counter[str] = Counter()

    async def watch(namespace: str) -> None:
        begun[namespace] += 1
        await asyncio.Event().wait()

    monkeypatch.setattr(watching_module, "look", looked)
    async with serving(Lists()) as (runtime, _):
        task = asyncio.create_task(Watching(runtime, watch).run())
        try:
            await until(lambda: begun == {"home": 1, "cabin": 1})
            runtime.stale.add("home")
            await until(lambda: begun == {"home": 2, "cabin": 1})
            await until(lambda: runtime.served == {"home", "cabin"})
            assert runtime.stale == set()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
