"""Butlers of one request that claim different things: which one counts is decided once, whatever dies meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from butler_contracts.route import RouteEnvelopeV1, make_route_response
from butler_switchboard.registry.records import Declaration
from tests.support.butlers import FakeButler, accepts, answers
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running

ORDERED = "First note my blood pressure 120 over 80, then pay the gas bill of 40 euro"


def claims(value: str, **more: Any) -> dict[str, Any]:
    return {"records": 1, "claims": [{"subject": "day of the doctor", "value": value, **more}]}


async def prefer(home: Household, running: Running, name: str) -> None:
    """The household's manifest gives one butler the last word."""
    parts, butler = running.switchboard.parts, home.butler(name)
    declaration = Declaration(role=butler.role, endpoint_url=butler.url, arbitration_priority=5)
    await parts.butlers.declare(name, declaration, actor="test")
    await parts.registry.refresh()


@pytest.mark.spec("SWB-29.1")
async def test_after_deaths_and_a_changed_manifest_the_same_one_counts_and_it_is_told_once(home: Household):
    home.butler("finance").behaviour = answers(result=claims("2026-12-03"))
    home.butler("health").behaviour = accepts()
    async with home.run() as running:
        await prefer(home, running, "health")
        request = await running.accepted(telegram(1, ORDERED))
        [first] = await home.butler("health").received()
    await home.messenger.stop()
    async with home.run():  # whose manifests prefer nobody: by its name finance would be the first
        await home.butler("health").complete(first, result=claims("2026-12-01"))
        row = await home.finished(request)
        assert await home.pool.fetchval("SELECT count(*) FROM inbox_work") == 1, "it is still to be told"
    await home.messenger.start()
    await home.pool.execute("UPDATE inbox_work SET available_at = clock_now()")
    async with home.run():
        await home.settled(request)
    standing = {
        one["target_butler"]: [(claim["standing"], claim["decided_by"]) for claim in one["claims"]]
        for one in row["dispatch_outcomes"]
    }
    assert standing == {"health": [("won", "priority")], "finance": [("lost", "priority")]}
    [reply] = home.messenger.replies()
    assert reply.origin_butler == "switchboard"
    assert reply.delivery.message == (
        "I go by what health has: 2026-12-01. finance has something else: 2026-12-03."
    )
    rows = await home.pool.fetch("SELECT status FROM notifications WHERE purpose = 'contradiction'")
    assert [one["status"] for one in rows] == ["ok"]


@pytest.mark.spec("SWB-29.1")
async def test_where_nothing_may_be_preferred_all_are_told_whatever_the_priority(home: Household):
    home.butler("health").behaviour = answers(result=claims("5 ml", decidable=False))
    home.butler("finance").behaviour = answers(result=claims("10 ml", decidable=False))
    async with home.run() as running:
        await prefer(home, running, "health")
        row = await home.settled(await running.accepted(telegram(1, ORDERED)))
        metrics = await running.metrics()
    assert {claim["standing"] for one in row["dispatch_outcomes"] for claim in one["claims"]} == {"undecided"}
    [reply] = home.messenger.replies()
    assert str(reply.delivery.message).startswith(
        "These differ, and I do not choose between them: health: 5 ml; finance: 10 ml."
    )
    assert 'contradiction_total{decided_by="nobody"} 1.0' in metrics


async def test_a_claim_that_is_none_ends_its_part_with_an_error_that_names_it(home: Household):
    async def misshapen(_: FakeButler, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        answer = make_route_response(envelope, duration_ms=1.0).to_wire()
        return {**answer, "result": {"claims": [{"subject": "the doctor"}]}}

    home.butler("health").behaviour = misshapen
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, ORDERED)))
    assert [one["status"] for one in row["dispatch_outcomes"]] == ["error", "ok"]
    assert "result.claims[0].value" in row["dispatch_outcomes"][0]["error_message"]
