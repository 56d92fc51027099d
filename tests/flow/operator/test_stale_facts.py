"""An old list, or a watch that tells late: nothing is made, changed or deleted by what is no longer so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from butler_operator.control import resync
from butler_operator.reconcile.key import Key
from tests.support.cluster_resources import butler, database_secret, switchboard

Start = Callable[..., Any]


def conflicts(home: Any, kind: str) -> float:
    value: float = home.runtime.metrics.value("butlers.operator.errors", kind=kind, error="ClusterConflict")
    return value


async def garden(home: Any) -> None:
    home.api.have(database_secret())
    home.api.have(switchboard())
    home.api.have(butler("garden", profile="general"))
    await home.until(home.has("Butler", "garden", "Deployed", "True"))
    await home.until(lambda: home.api.is_watched("Butler"))
    await home.settled()
    home.api.writes.clear()


def looked(home: Any) -> float:
    value: float = home.runtime.metrics.value("butlers.operator.reconcile", kind="Household", outcome="ok")
    return value


def written(home: Any, name: str) -> list[tuple[str, str]]:
    return [(verb, kind) for verb, (kind, _, called), _ in home.api.writes if called == name]


async def test_no_child_is_made_again_for_a_butler_whose_deletion_was_not_told(start: Start) -> None:
    async with start() as home:
        await garden(home)
        body = home.api.find("Butler", "garden")
        with home.api.unwatched():
            home.api.store.pop(("Butler", "home", "garden"))
        uid = body["metadata"]["uid"]
        for kind, _, name in list(home.api.store):
            references = home.api.find(kind, name)["metadata"].get("ownerReferences") or []
            if any(reference["uid"] == uid for reference in references):
                home.api.remove(kind, name)
        await home.until(lambda: conflicts(home, "Butler"))
        await home.settled()
        assert written(home, "butler-garden") == []


async def test_no_child_is_made_for_the_earlier_butler_of_a_name(start: Start) -> None:
    async with start() as home:
        await garden(home)
        with home.api.unwatched():
            home.api.store.pop(("Butler", "home", "garden"))
            home.api.have(butler("garden", profile="general"))
        home.api.remove("Service", "butler-garden")
        await home.until(lambda: conflicts(home, "Butler"))
        await home.settled()
        assert written(home, "butler-garden") == []


async def test_no_pod_goes_back_to_what_a_butler_said_before(start: Start) -> None:
    async with start() as home:
        await garden(home)
        with home.api.unwatched():
            home.api.edit("Butler", "garden", lambda body: body["spec"].update(profile="travel"))
        home.api.edit("Service", "butler-garden", lambda body: body["spec"].update(ports=[]))
        await home.until(lambda: conflicts(home, "Butler"))
        await home.settled()
        assert written(home, "butler-garden") == []
        home.api.edit("Butler", "garden", lambda body: body["metadata"].update(annotations={"seen": "1"}))
        await home.until(lambda: home.api.find("Service", "butler-garden")["spec"]["ports"])


async def test_a_list_that_is_old_makes_nobody_forget_what_is_there(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resync, "SETTLE_S", 0.1)
    async with start(resync_s=1) as home:
        await garden(home)
        listing, listed = home.runtime.cluster.list_all, Counter[str]()

        async def old(kind: str, namespace: str, **more: Any) -> list[Any]:
            listed[kind] += 1
            found: list[Any] = await listing(kind, namespace, **more)
            return [body for body in found if body["metadata"]["name"] not in ("garden", "butler-garden")]

        home.runtime.cluster.list_all = old
        await home.until(lambda: listed["Pod"] >= 2)
        await home.settled()
        assert home.runtime.observed.get("Butler", "home", "garden") is not None
        assert home.runtime.observed.get("Service", "home", "butler-garden") is not None
        assert written(home, "butler-garden") == []


async def test_a_signing_key_stays_while_the_watches_have_told_of_no_resource(start: Start) -> None:
    async with start() as home:
        await garden(home)
        key = home.api.find("Secret", "switchboard-signing")["metadata"]["uid"]
        for name in ("garden", "switchboard"):
            home.runtime.observed.drop(home.api.find("Butler", name))
        rounds = looked(home)
        home.runtime.queue.add(Key.household("home"))
        await home.until(lambda: looked(home) >= rounds + 2)
        assert home.api.find("Secret", "switchboard-signing")["metadata"]["uid"] == key
        assert home.api.find("ConfigMap", "butlers-trust") is not None
        assert not [verb for verb, _, _ in home.api.writes if verb == "delete"]
