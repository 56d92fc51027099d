"""A deleted butler's part of the database: closed or dropped by its Switchboard's next pod, when that is certain."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import kmock

from tests.support.cluster_resources import butler, database_secret, pod, switchboard

Start = Callable[..., Any]


def _household(home: Any, **database: Any) -> None:
    home.api.have(database_secret())
    home.api.have(switchboard())
    home.api.have(butler("finance"))
    home.api.have(butler("garden", profile="general", database=database) if database else butler("garden"))


def _ledger(home: Any) -> dict[str, dict[str, Any]]:
    found = home.api.find("Butler", "switchboard") or {}
    return {one["butler"]: one for one in (found.get("status") or {}).get("databases") or ()}


def _states(home: Any) -> dict[str, str]:
    return {name: one["state"] for name, one in _ledger(home).items()}


def _told(home: Any, name: str = "switchboard") -> list[str]:
    """What the Switchboard's next pods are told of butlers that are gone."""
    made = home.api.find("Deployment", f"butler-{name}")
    command = made["spec"]["template"]["spec"]["initContainers"][0]["command"]
    return [" ".join(pair) for pair in pairwise(command) if pair[0] in ("--retain", "--drop")]


def _all_in_use(home: Any) -> Callable[[], bool]:
    return lambda: _states(home) == dict.fromkeys(("finance", "garden", "switchboard"), "InUse")


def _said(outcome: str, ident: str) -> dict[str, Any]:
    """A Switchboard's pod whose init container has done it."""
    message = json.dumps({"role_isolation": True, "applied": [], "departed": {outcome: [ident]}})
    ended = {"name": "provision", "state": {"terminated": {"exitCode": 0, "message": message}}}
    return pod("Butler", "switchboard", initContainerStatuses=[ended])


async def test_a_deleted_butler_s_role_is_closed_and_its_data_named_as_retained(start: Start) -> None:
    async with start(retire_after_s=0.5) as home:
        _household(home)
        await home.until(_all_in_use(home))
        assert _told(home) == []
        ident = f"garden={_ledger(home)['garden']['uid']}"
        home.api.remove("Butler", "garden")
        await home.until(lambda: _told(home) == [f"--retain {ident}"])
        await home.until(lambda: _states(home)["garden"] == "Leaving")
        home.api.have(_said("retained", ident))
        await home.until(lambda: _states(home)["garden"] == "Retained")
        assert _told(home) == [f"--retain {ident}"]
        assert _told(home, "finance") == []


async def test_the_policy_is_known_after_the_resource_is_gone_and_the_operator_was_away(start: Start) -> None:
    async with start(retire_after_s=0.5) as home:
        _household(home, reclaimPolicy="delete")
        await home.until(_all_in_use(home))
        uid = _ledger(home)["garden"]["uid"]
        api = home.api
    body = api.store.pop(("Butler", "home", "garden"))
    assert body["metadata"]["uid"] == uid
    async with start(retire_after_s=0.5) as home:
        await home.until(lambda: _told(home) == [f"--drop garden={uid}"])
        home.api.have(_said("dropped", f"garden={uid}"))
        await home.until(lambda: _states(home)["garden"] == "Dropped")


async def test_a_butler_that_comes_back_is_another_one_and_in_use(start: Start) -> None:
    async with start(retire_after_s=0.5) as home:
        _household(home, reclaimPolicy="delete")
        await home.until(_all_in_use(home))
        home.api.remove("Butler", "garden")
        await home.until(lambda: _told(home) != [])
        home.api.have(butler("garden"))
        await home.until(_all_in_use(home))
        await home.until(lambda: _told(home) == [])


async def test_a_suspended_or_broken_butler_is_no_deleted_one(start: Start) -> None:
    async with start(retire_after_s=0.2) as home:
        _household(home, reclaimPolicy="delete")
        await home.until(_all_in_use(home))
        home.api.edit("Butler", "garden", lambda body: body["spec"].update({"suspend": True}))
        home.api.edit("Butler", "finance", lambda body: body["spec"].update({"nonsense": True}))
        await home.until(home.has("Butler", "finance", "Accepted", "False"))
        await home.settled()
        assert _all_in_use(home)()
        assert _told(home) == []


async def test_nothing_is_done_to_a_butler_that_only_the_watch_has_lost(start: Start) -> None:
    async with start(retire_after_s=0.2, retry_s=0.2) as home:
        _household(home, reclaimPolicy="delete")
        await home.until(_all_in_use(home))
        await home.settled()  # the news of its own status would bring it back
        home.runtime.observed.drop(home.api.find("Butler", "garden"))
        home.api.edit(
            "Butler", "switchboard", lambda body: body["metadata"].update({"labels": {"look": "now"}})
        )
        await home.until(lambda: _states(home)["garden"] == "Leaving")
        asked = "/butlers/garden"
        await home.until(lambda: any(asked in one for one in home.api.asked))
        await home.settled()
        assert _told(home) == []


async def test_nothing_is_done_while_the_api_server_does_not_say_that_it_is_gone(start: Start) -> None:
    def deaf(request: kmock.Request) -> kmock.KubernetesError | None:
        asked = "GET" in str(request.method) and request.name == "garden"
        return kmock.KubernetesError(status=403, reason="Forbidden", message="no") if asked else None

    async with start(retire_after_s=0.2, retry_s=0.2) as home:
        _household(home, reclaimPolicy="delete")
        await home.until(_all_in_use(home))
        home.api.remove("Butler", "garden")
        home.api.outage = deaf
        await home.until(lambda: _states(home)["garden"] == "Leaving")
        await home.settled()
        assert _told(home) == []
        home.api.outage = lambda request: None
        await home.until(lambda: len(_told(home)) == 1)


async def test_another_switchboard_begins_anew_and_takes_nobody_s_data(start: Start) -> None:
    async with start(retire_after_s=0.2) as home:
        _household(home, reclaimPolicy="delete")
        await home.until(_all_in_use(home))
        for name in ("garden", "switchboard"):
            home.api.remove("Butler", name)
        await home.until(lambda: home.api.find("Butler", "switchboard") is None)
        home.api.have(switchboard())
        await home.until(lambda: _states(home) == dict.fromkeys(("finance", "switchboard"), "InUse"))
        await home.settled()
        assert _told(home) == []


async def test_a_butler_with_a_database_of_its_own_is_not_in_the_ledger(start: Start) -> None:
    async with start(retire_after_s=0.2) as home:
        _household(home, secretRef={"name": "own", "key": "url"})
        await home.until(lambda: _states(home) == dict.fromkeys(("finance", "switchboard"), "InUse"))
