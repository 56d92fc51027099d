"""A change of a Secret that asks to be heard of replaces its pods at once; of any other at the next resync."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import kmock
import pytest

from butler_operator.control import reload
from butler_resources.kinds.names import INPUTS_HASH_ANNOTATION, RELOAD_LABEL
from tests.support.cluster_resources import api_connector, butler, database_secret, secret, switchboard

Start = Callable[..., Any]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reload, "AGAIN_S", 0.2)
    monkeypatch.setattr(reload, "REFUSED_AGAIN_S", 0.2)


def _token(value: str, *, label: str | None = "true") -> dict[str, Any]:
    made = secret("webhook", token=value)
    if label is not None:
        labels = made["metadata"].get("labels") or {}
        made["metadata"] |= {"labels": {**labels, RELOAD_LABEL: label}}
    return made


def _inputs(home: Any, name: str = "connector-api") -> Any:
    made = home.api.find("Deployment", name) or {}
    return made["spec"]["template"]["metadata"]["annotations"][INPUTS_HASH_ANNOTATION]


async def _settled(home: Any, token: dict[str, Any]) -> None:
    for body in (database_secret(), token, switchboard(), butler("finance"), api_connector()):
        home.api.have(body)
    await home.until(home.has("Connector", "api", "Deployed", "True"))
    await home.until(home.has("Butler", "finance", "Deployed", "True"))
    await home.settled()


async def test_a_labelled_secret_s_change_replaces_the_pods_that_read_it_and_no_others(start: Start) -> None:
    async with start() as home:
        await _settled(home, _token("old"))
        before, other = _inputs(home), _inputs(home, "butler-finance")
        home.api.have(_token("new"))
        await home.until(lambda: _inputs(home) != before)
        assert _inputs(home, "butler-finance") == other


async def test_a_secret_without_the_label_waits_for_the_resync(start: Start) -> None:
    async with start() as home:
        await _settled(home, _token("old", label=None))
        before = _inputs(home)
        home.api.have(_token("new", label=None))
        home.api.edit("Connector", "api", lambda body: body["spec"].update({"suspend": True}))
        await home.until(lambda: home.api.find("Deployment", "connector-api")["spec"]["replicas"] == 0)
        assert _inputs(home) == before
        home.api.have(_token("new"))
        await home.until(lambda: _inputs(home) != before)


async def test_only_metadata_is_asked_for(start: Start) -> None:
    seen: list[str] = []

    def listen(request: kmock.Request) -> None:
        if request.resource is not None and request.resource.plural == "secrets" and not request.name:
            seen.append(request.headers.get("Accept", ""))

    async with start() as home:
        home.api.outage = listen
        await _settled(home, _token("old"))
        before = _inputs(home)
        home.api.have(_token("new"))
        await home.until(lambda: _inputs(home) != before)
        await home.until(lambda: seen)
        assert all("PartialObjectMetadata" in accept for accept in seen)


async def test_without_the_right_to_watch_all_else_goes_on_and_the_right_is_used_once_it_is_there(
    start: Start,
) -> None:
    refused = 0

    def forbid(request: kmock.Request) -> kmock.KubernetesError | None:
        nonlocal refused
        if request.resource is None or request.resource.plural != "secrets" or request.name:
            return None
        refused += 1
        return kmock.KubernetesError(status=403, reason="Forbidden", message="cannot list secrets")

    async with start() as home:
        home.api.outage = forbid
        await _settled(home, _token("old"))
        await home.until(lambda: refused > 1)
        before = _inputs(home)
        home.api.have(_token("new"))
        await home.settled()
        assert _inputs(home) == before
        home.api.outage = lambda request: None
        await home.until(lambda: _inputs(home) != before)


async def test_a_change_that_fell_into_a_gap_of_the_watch_is_found_by_the_next_one(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reload, "WATCH_S", 1.0)
    async with start() as home:
        await _settled(home, _token("old"))
        before = _inputs(home)
        with home.api.unwatched():
            home.api.have(_token("new"))
        await home.until(lambda: _inputs(home) != before)


async def test_nobody_is_followed_after_the_end(start: Start) -> None:
    async with start() as home:
        await _settled(home, _token("old"))
    left = [task for task in asyncio.all_tasks() if task.get_name().startswith("reload")]
    assert left == []
