"""Corrections teach: a rule that a member agrees to, and examples that decide if the household wants it (ADR 0111)."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.actions import Pressed
from butler_switchboard.dispatch.buttons import Always, Never
from tests.flow.switchboard.test_corrections import BEN, said, told
from tests.flow.switchboard.test_overrides import operator
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running

PLUMBER = ("I paid the plumber 40 euro", "I paid 55 euro to the plumber", "We paid the plumber 60 euro")
NEW = "I paid the plumber 70 euro"
WRONG = "no, that was for health"
LEARNS = "[routing]\nlearn = true\n"
OFFER = "Shall such messages of yours always go to health?"


async def corrected(
    home: Household, running: Running, *texts: str, first: int = 1, **more: Any
) -> list[UUID]:
    """Messages that went to finance, each of them corrected."""
    requests = []
    for number, text in enumerate(texts):
        requests.append(await said(home, running, first + 2 * number, text, **more))
        await said(home, running, first + 2 * number + 1, WRONG, **more)
    return requests


def buttons(home: Household) -> dict[str, str]:
    """The buttons under Switchboard's last word that has any: label → reference."""
    for envelope in reversed(home.messenger.got):
        context = envelope.input.context
        request = context.notify_request if context is not None else None
        if request is not None and request.origin_butler == "switchboard" and request.delivery.actions:
            told_as = envelope.subrequest.subrequest_id
            return {one.label: Pressed(told_as, one.id).reference for one in request.delivery.actions}
    return {}


async def pressed(
    home: Household, running: Running, number: int, label: str, reference: str, *, sender: str = "1001"
) -> UUID:
    request_id = await running.accepted(
        telegram(number, label, pressed=reference, message_id="77", sender=sender, chat=sender)
    )
    await home.settled(request_id)
    await home.idle()
    return request_id


async def butlers_of(home: Household, request_id: UUID) -> list[str]:
    return [row["target"] for row in await home.subroutes(request_id)]


async def rules(home: Household) -> list[tuple[str, str]]:
    rows = await home.pool.fetch("SELECT butler, state FROM learned_rule ORDER BY offered_at")
    return [(row["butler"], row["state"]) for row in rows]


async def test_after_the_third_agreement_a_rule_is_offered_and_decides_once_it_is_agreed_to(home: Household):
    async with home.run() as running:
        await corrected(home, running, *PLUMBER[:2])
        assert buttons(home) == {}
        await corrected(home, running, PLUMBER[2], first=5)
        assert told(home)[-1].endswith(f"\n{OFFER}")
        assert list(buttons(home)) == ["Yes, always", "No, decide each time"]
        before = await said(home, running, 7, NEW)
        reference = buttons(home)["Yes, always"]
        await pressed(home, running, 8, "Yes, always", reference)
        after = await said(home, running, 9, "I paid the plumber 80 euro")
        await pressed(home, running, 10, "Yes, always", reference)
    assert await butlers_of(home, before) == ["finance"]
    assert await butlers_of(home, after) == ["health"]
    assert told(home)[-2:] == [
        "From now on such messages of yours go to health. Correct one, and the rule ends.",
        "That was answered already, so nothing was changed.",
    ]
    [rule_id] = [row["rule_id"] for row in await home.pool.fetch("SELECT rule_id FROM learned_rule")]
    plan = await home.plan(after)
    assert (plan["decided_by"], plan["reason"]) == ("policy", f"learned_rule:{rule_id}")
    entries = await home.pool.fetch(
        "SELECT actor FROM dashboard_audit_log WHERE operation = 'learned.answer'"
    )
    assert len(entries) == 2
    assert all(entry["actor"].startswith("member:") for entry in entries)


async def test_a_rule_that_is_declined_is_not_offered_again_and_decides_nothing(home: Household):
    async with home.run() as running:
        await corrected(home, running, *PLUMBER)
        await pressed(home, running, 20, "No, decide each time", buttons(home)["No, decide each time"])
        [again] = await corrected(home, running, NEW, first=21)
    assert told(home)[-2] == "Good, I go on deciding each time."
    assert OFFER not in told(home)[-1]
    assert (await home.plan(again))["decided_by"] == "runtime"
    assert await rules(home) == [("health", "declined")]


async def test_a_correction_of_what_a_rule_decided_ends_the_rule(home: Household):
    async with home.run() as running:
        await corrected(home, running, *PLUMBER)
        await pressed(home, running, 20, "Yes, always", buttons(home)["Yes, always"])
        wrong = await said(home, running, 21, NEW)
        await said(home, running, 22, "no, that was for general")
        after = await said(home, running, 23, "I paid the plumber 80 euro")
    assert await butlers_of(home, wrong) == ["health", "general", "health"]
    assert told(home)[-1].endswith("\nThe rule by which such messages went to health is ended.")
    assert await butlers_of(home, after) == ["finance"]
    assert await rules(home) == [("health", "ended")]


async def test_a_rule_is_its_members_alone_and_only_they_answer_the_offer(home: Household):
    async with home.run() as running:
        await corrected(home, running, *PLUMBER)
        reference = buttons(home)["Yes, always"]
        await pressed(home, running, 20, "Yes, always", reference, sender=BEN)
        assert await rules(home) == [("health", "offered")]
        await pressed(home, running, 21, "Yes, always", reference)
        bens = await said(home, running, 22, NEW, sender=BEN, chat=BEN)
    assert await butlers_of(home, bens) == ["finance"]
    assert "Somebody else was asked that; nothing was changed." in told(home)


async def test_what_is_said_in_confidence_teaches_nothing(home: Household):
    async with home.run(LEARNS) as running, operator(running) as ops:
        await corrected(home, running, *(f"{text}, keep that between us" for text in PLUMBER))
        learned = (await ops.get("/learned")).json()
        later = await said(home, running, 20, NEW)
    assert (learned["learns"], learned["examples"], learned["rules"]) == (True, 0, [])
    assert await rules(home) == []
    assert await butlers_of(home, later) == ["finance"]


async def test_the_households_examples_decide_only_where_it_asks_for_that(home: Household):
    async with home.run() as running, operator(running) as ops:
        await corrected(home, running, PLUMBER[0])
        await corrected(home, running, PLUMBER[1], first=11, sender=BEN, chat=BEN)
        without = await said(home, running, 20, NEW)
        tried = (await ops.get("/routing/learned", params={"days": 30})).json()
    async with home.run(LEARNS) as running, home.run(LEARNS) as other:
        here = await said(home, running, 21, "I paid the plumber 80 euro")
        there = await said(home, other, 22, "I paid the plumber 90 euro")
        stranger = await said(home, running, 23, "I paid the plumber 90 euro", sender="6666", chat="6666")
    assert await butlers_of(home, without) == ["finance"]
    assert (tried["learns"], tried["examples"]) == (False, 2)
    [found] = [one for one in tried["differences"] if one["request_id"] == str(without)]
    assert (found["went_to"], found["would_go_to"], found["text"]) == (["finance"], "health", NEW)
    assert [await butlers_of(home, one) for one in (here, there)] == [["health"], ["health"]]
    plans = [await home.plan(one) for one in (here, there)]
    assert {plan["model_version"] for plan in plans} == {f"learned:{tried['version']}"}
    assert all(plan["reason"].startswith("learned:") for plan in plans)
    assert "health" not in await butlers_of(home, stranger)


async def test_one_correction_against_it_is_enough_for_the_model_to_decide_again(home: Household):
    async with home.run(LEARNS) as running:
        await corrected(home, running, PLUMBER[0])
        await corrected(home, running, PLUMBER[1], first=11, sender=BEN, chat=BEN)
        wrong = await said(home, running, 20, NEW)
        await said(home, running, 21, "no, that was for general")
        after = await said(home, running, 22, "I paid the plumber 80 euro")
    assert (await butlers_of(home, wrong))[0] == "health"
    assert await butlers_of(home, after) == ["finance"]


async def test_a_held_butler_gets_nothing_by_a_rule(home: Household):
    async with home.run() as running, operator(running) as ops:
        await corrected(home, running, *PLUMBER)
        await pressed(home, running, 20, "Yes, always", buttons(home)["Yes, always"])
        await ops.post("/butlers/health/quarantine", json={"reason": "maintenance"})
        await running.switchboard.parts.registry.refresh()
        later = await said(home, running, 21, NEW)
    assert await butlers_of(home, later) == ["finance"]


async def test_an_operator_lists_the_rules_and_ends_one_once(home: Household):
    why = {"reason": "they moved"}
    async with home.run() as running, operator(running) as ops:
        await corrected(home, running, *PLUMBER)
        await pressed(home, running, 20, "Yes, always", buttons(home)["Yes, always"])
        [rule] = (await ops.get("/learned")).json()["rules"]
        path, key = f"/learned/{rule['rule_id']}/end", {"Idempotency-Key": "once"}
        first, again = [(await ops.post(path, json=why, headers=key)).json() for _ in range(2)]
        late = await ops.post(path, json=why)
        unknown = await ops.post(f"/learned/{uuid4()}/end", json=why)
        after = await said(home, running, 21, NEW)
        in_force = (await ops.get("/learned")).json()["rules"]
        [every] = (await ops.get("/learned", params={"state": "all"})).json()["rules"]
    assert (rule["butler"], rule["name"], rule["state"]) == ("health", "Ada Example", "in_force")
    assert sorted(rule["texts"]) == sorted(PLUMBER)
    assert (first["state"], first["butler"], again["repeated"]) == ("ended", "health", True)
    assert (late.status_code, unknown.status_code) == (409, 404)
    assert "is not in force, it is ended" in late.text
    assert await butlers_of(home, after) == ["finance"]
    assert in_force == []
    assert (every["state"], every["ended_by"], every["end_reason"]) == ("ended", "ada", "they moved")


@pytest.mark.parametrize("button", [Always, Never])
async def test_an_offer_that_was_never_made_is_answered_by_the_general_butler(home: Household, button: Any):
    async with home.run() as running:
        await corrected(home, running, *PLUMBER)
        _, _, label = next(iter(buttons(home).values())).partition(".")
        notification = label.partition(".")[0]
        await pressed(home, running, 20, "Yes", f"1.{notification}.{button(uuid4()).action}")
        await pressed(home, running, 21, "Yes", Pressed(uuid4(), button(uuid4()).action).reference)
    assert len([one for one in home.butler("general").got if one.pressed is not None]) == 2
    assert await rules(home) == [("health", "offered")]
