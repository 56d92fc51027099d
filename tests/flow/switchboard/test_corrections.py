"""A member says that a message went to the wrong butler: the right one gets it, once, and the first lets go (D71)."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from butler_contracts.errors import TargetUnavailable
from butler_contracts.keys import subrequest_id
from butler_kit.queue import Lease
from butler_switchboard.dispatch.model import Correcting, Plan
from butler_switchboard.dispatch.state import load_request
from butler_switchboard.dispatch.store import DispatchStore
from tests.flow.switchboard.test_edits import PROVEN
from tests.flow.switchboard.test_overrides import BILL, operator, under_way
from tests.support.butlers import accepts_then_answers, answers, error_of, in_turn
from tests.support.switchboard import MAILBOX, mail, telegram
from tests.support.switchboard_service import Household, Running

TWO = "I paid the gas bill of 40 euro. My blood pressure was 120/80"
STRANGER, BEN = "6666", "1002"


async def said(home: Household, running: Running, number: int, text: str, **more: Any) -> UUID:
    """A message, once nothing is left to do for it."""
    request_id = await running.accepted(telegram(number, text, **more))
    await home.settled(request_id)
    await home.idle()
    return request_id


def told(home: Household) -> list[str]:
    """What Switchboard itself said in the chat."""
    replies = home.messenger.replies()
    return [str(one.delivery.message) for one in replies if one.origin_butler == "switchboard"]


async def branches(home: Household, request_id: UUID) -> list[tuple[str, str, str]]:
    return [(row["segment_id"], row["target"], row["state"]) for row in await home.subroutes(request_id)]


async def labels(home: Household) -> list[tuple[str, ...]]:
    rows = await home.pool.fetch(
        "SELECT said_by, text, was_with, right_butler FROM correction ORDER BY corrected_at"
    )
    return [tuple(row) for row in rows]


async def test_the_message_goes_to_the_right_butler_and_the_first_takes_back_what_it_noted(home: Household):
    async with home.run() as running:
        bill = await said(home, running, 1, BILL)
        correction = await said(home, running, 2, "no, that was for health")
    finance, health = home.butler("finance"), home.butler("health")
    [envelope], [_, withdrawal] = health.got, finance.got
    assert envelope.input.prompt == withdrawal.input.prompt == BILL
    assert envelope.request_context.request_id == withdrawal.request_context.request_id == bill
    assert withdrawal.supersedes is not None
    assert [(one.request_id, one.segment_id) for one in withdrawal.supersedes.parts] == [(bill, "s1")]
    assert withdrawal.supersedes.moved_to == ("health",)
    first = subrequest_id(bill, "s1", "finance", 1)
    rows = {row["target"]: row for row in await home.subroutes(bill) if row["segment_id"] == "s1"}
    assert rows["health"]["rerouted_from"] == first
    assert await branches(home, bill) == [
        ("s1", "finance", "ok"),
        ("s1", "health", "ok"),
        ("s1-withdrawn", "finance", "ok"),
    ]
    assert [(await home.row(one))["lifecycle_state"] for one in (bill, correction)] == ["parsed", "parsed"]
    assert told(home) == [f"“{BILL}” goes to health; finance takes back what it noted of it."]
    assert home.messenger.reactions(correction)[-1] == "✅"
    assert await labels(home) == [("member", BILL, "finance", "health")]
    [entry] = await home.pool.fetch("SELECT * FROM dashboard_audit_log WHERE operation = 'request.correct'")
    assert (entry["request_id"], entry["reason"], entry["result"]) == (bill, "no, that was for health", "ok")
    assert entry["actor"].startswith("member:")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "nein, das war für health",
            f"„{BILL}“ geht an health; finance nimmt zurück, was es davon notiert hat.",
        ),
        ("non, c'était pour health", f"« {BILL} » va à health ; finance retire ce qu'il en avait noté."),
        ("no, eso era para health", f"«{BILL}» va a health; finance retira lo que había anotado."),
    ],
)
async def test_the_answer_is_in_the_language_of_the_correction(home: Household, text: str, answer: str):
    async with home.run() as running:
        await said(home, running, 1, BILL)
        await said(home, running, 2, text)
    assert told(home) == [answer]
    assert len(home.butler("health").got) == 1


async def test_said_twice_it_is_done_once(home: Household):
    async with home.run() as one, home.run() as other:
        await said(home, one, 1, BILL)
        correction = await said(home, one, 2, "no, that was for health")
        again = telegram(2, "no, that was for health")
        assert await other.accepted(again) == correction
        await said(home, other, 3, "no, that was for health!")
    assert (len(home.butler("finance").got), len(home.butler("health").got)) == (2, 1)
    assert told(home)[1:] == [f"“{BILL}” is with health already."]
    assert len(await labels(home)) == 1


async def test_whoever_takes_up_a_correction_after_a_crash_does_it_no_second_time(home: Household):
    async with home.run() as running:
        bill = await said(home, running, 1, BILL)
        correction = await said(home, running, 2, "no, that was for health")
        async with home.pool.acquire() as connection:
            state = await load_request(connection, correction)
        assert state is not None
        assert state.plan is not None
        assert state.plan.corrects is not None
        correctors = running.switchboard.parts.correctors
        assert await correctors.carry_out(state, state.plan, state.plan.corrects) == state.plan
        await home.idle()
    assert len(await branches(home, bill)) == 3
    assert len(home.butler("health").got) == 1


@pytest.mark.parametrize("text", ["no, that was for health", "no, that was for health, not finance"])
async def test_a_correction_that_is_done_is_told_as_done_by_whoever_takes_it_up_again(
    home: Household, monkeypatch: pytest.MonkeyPatch, text: str
):
    commit_plan, lost = DispatchStore.commit_plan, list[UUID]()

    async def lost_once(store: DispatchStore, lease: Lease, plan: Plan, **more: Any) -> object:
        if plan.corrects is not None and not lost:
            lost.append(plan.request_id)
            raise TargetUnavailable("the database is away", retryable=True)
        return await commit_plan(store, lease, plan, **more)

    monkeypatch.setattr(DispatchStore, "commit_plan", lost_once)
    async with home.run() as running:
        bill = await said(home, running, 1, BILL)
        correction = await said(home, running, 2, text)
    assert lost == [correction]
    assert told(home) == [f"“{BILL}” goes to health; finance takes back what it noted of it."]
    assert [target for _, target, _ in await branches(home, bill)] == ["finance", "health", "finance"]
    assert await labels(home) == [("member", BILL, "finance", "health")]


async def test_a_message_that_is_under_way_is_stopped_there_and_done_by_the_right_butler(home: Household):
    async with home.run() as running:
        bill = await under_way(home, running)
        home.butler("finance").behaviour = accepts_then_answers(result={"reply": "nothing was noted"})
        await said(home, running, 2, "no, that was for health")
        row = await home.row(bill)
    [first, *_] = await home.subroutes(bill)
    assert home.butler("finance").recalled == [first["subrequest_id"]]
    assert await branches(home, bill) == [
        ("s1", "finance", "skipped"),
        ("s1", "health", "ok"),
        ("s1-withdrawn", "finance", "ok"),
    ]
    assert row["lifecycle_state"] == "parsed"


async def test_a_strangers_correction_is_content_in_their_own_chat_and_in_the_households(home: Household):
    async with home.run() as running:
        bill = await said(home, running, 1, BILL)
        await said(home, running, 2, BILL, sender=STRANGER, chat=STRANGER)
        await said(home, running, 3, "no, that was for health", sender=STRANGER, chat=STRANGER)
        await said(home, running, 4, "no, that was for health", sender=STRANGER)
        await said(home, running, 5, "no, that was for health", sender=STRANGER, replies_to="1")
    assert await branches(home, bill) == [("s1", "finance", "ok")]
    assert (await labels(home), told(home)) == ([], [])


async def mailed(home: Household, running: Running, number: int, text: str, **more: Any) -> UUID:
    """A mail of one chain, once nothing is left to do for it."""
    envelope = mail(f"<{number}@x>", text, thread="<1@x>", **more).to_wire()
    token = running.household.keys.connector("imap", MAILBOX)
    request_id = UUID((await running.call(token, "ingestion.ingest", {"envelope": envelope}))["request_id"])
    await home.settled(request_id)
    await home.idle()
    return request_id


async def test_a_members_mail_corrects_the_one_before_and_a_mail_without_proof_does_not(home: Household):
    quoting = "no, that was for health\n\nOn Monday the butlers wrote:\n> Noted: 40 EUR"
    async with home.run() as running:
        bill = await mailed(home, running, 1, BILL, headers=PROVEN)
        await mailed(home, running, 2, quoting)
        assert await branches(home, bill) == [("s1", "finance", "ok")]
        await mailed(home, running, 3, quoting, headers=PROVEN)
    assert [target for _, target, _ in await branches(home, bill)] == ["finance", "health", "finance"]
    assert told(home) == [f"“{BILL}” goes to health; finance takes back what it noted of it."]


async def posted(home: Household, running: Running, number: int, text: str, *, sender: str = "1001") -> UUID:
    """A message over HTTP, which belongs to no chat, once nothing is left to do for it."""
    envelope = telegram(number, text, sender=sender).to_wire()
    envelope["source"] = {"channel": "api", "provider": "internal", "endpoint_identity": "api:home"}
    del envelope["event"]["external_thread_id"]
    token = home.keys.connector("webhook", "api:home")
    answer = await running.call(token, "ingestion.ingest", {"envelope": envelope})
    request_id = UUID(answer["request_id"])
    await home.settled(request_id)
    await home.idle()
    return request_id


async def test_over_http_where_there_is_no_chat_the_same_senders_last_message_is_meant(home: Household):
    async with home.run() as running:
        bill = await posted(home, running, 1, BILL)
        others = await posted(home, running, 2, BILL, sender="1002")
        correction = await posted(home, running, 3, "no, that was for health")
    assert [target for _, target, _ in await branches(home, bill)] == ["finance", "health", "finance"]
    assert await branches(home, others) == [("s1", "finance", "ok")]
    reply = (await home.row(correction))["aggregated_reply"]
    assert reply["text"] == f"“{BILL}” goes to health; finance takes back what it noted of it."
    assert await labels(home) == [("member", BILL, "finance", "health")]


async def test_nobody_corrects_what_another_member_wrote(home: Household):
    async with home.run() as running:
        bill = await said(home, running, 1, BILL)
        await said(home, running, 2, "no, that was for health", sender=BEN)
        await said(home, running, 3, "no, that was for health", sender=BEN, replies_to="1")
    assert await branches(home, bill) == [("s1", "finance", "ok")]
    assert await labels(home) == []


async def test_what_was_corrected_may_be_corrected_but_goes_to_nobody_twice(home: Household):
    async with home.run() as running:
        bill = await said(home, running, 1, BILL)
        await said(home, running, 2, "no, that was for health")
        await said(home, running, 3, "sorry, that was for general")
        await said(home, running, 4, "no, that was for finance")
    assert await branches(home, bill) == [
        ("s1", "finance", "ok"),
        ("s1", "health", "ok"),
        ("s1", "general", "ok"),
        ("s1-withdrawn", "finance", "ok"),
        ("s1-withdrawn", "health", "ok"),
    ]
    assert told(home)[-1] == (
        f"“{BILL}” cannot go to finance any more, and nothing was changed. Please write it to finance again."
    )
    assert [label[2:] for label in await labels(home)] == [("finance", "health"), ("health", "general")]


async def test_a_butler_that_nobody_knows_is_no_correction_but_a_message_like_any_other(home: Household):
    async with home.run() as running:
        bill = await said(home, running, 1, BILL)
        other = await said(home, running, 2, "no, that was for grandma")
    assert await branches(home, bill) == [("s1", "finance", "ok")]
    assert len(await branches(home, other)) == 1
    assert told(home) == []


async def test_without_a_message_just_now_it_is_a_message_like_any_other(home: Household):
    async with home.run() as running:
        other = await said(home, running, 2, "no, that was for health")
    assert len(await branches(home, other)) == 1
    assert (told(home), await labels(home)) == ([], [])


@pytest.mark.parametrize("held", ["health", "finance"])
async def test_while_a_butler_that_it_needs_is_held_nothing_is_changed_and_it_is_said(
    home: Household, held: str
):
    async with home.run() as running, operator(running) as ops:
        bill = await said(home, running, 1, BILL)
        await ops.post(f"/butlers/{held}/quarantine", json={"reason": "maintenance"})
        await said(home, running, 2, "no, that was for health")
    assert await branches(home, bill) == [("s1", "finance", "ok")]
    assert told(home) == [
        f"{held} takes nothing at the moment, so nothing was changed. Please say it again later."
    ]
    assert await labels(home) == []


@pytest.mark.parametrize("held", ["health", "finance"])
async def test_a_butler_that_is_held_between_the_decision_and_the_deed_is_named_as_well(
    home: Household, held: str
):
    async with home.run() as running, operator(running) as ops:
        bill = await said(home, running, 1, BILL)
        async with home.pool.acquire() as connection:
            state = await load_request(connection, bill)
        assert state is not None
        assert state.plan is not None
        await ops.post(f"/butlers/{held}/quarantine", json={"reason": "maintenance"})
        decided = Correcting(bill, "finance", "health", otherwise="too late", held={held: f"{held} is held"})
        done = await running.switchboard.parts.correctors.carry_out(state, state.plan, decided)
    assert (done.said, done.corrects) == (f"{held} is held", None)
    assert await branches(home, bill) == [("s1", "finance", "ok")]
    assert await labels(home) == []


async def test_of_several_parts_it_is_asked_which_and_both_names_answer(home: Household):
    async with home.run() as running:
        both = await said(home, running, 1, TWO)
        assert [target for _, target, _ in await branches(home, both)] == ["finance", "health"]
        await said(home, running, 2, "no, that was for general")
        assert home.butler("general").got == []
        await said(home, running, 3, "from health to general")
    question, done = told(home)
    assert question == (
        f"Which part of “{TWO}” do you mean? It is with finance, health."
        " Say it with both names: from finance to general"
    )
    assert done == "“My blood pressure was 120/80” goes to general; health takes back what it noted of it."
    assert [(segment, target) for segment, target, _ in await branches(home, both)] == [
        ("s1", "finance"),
        ("s2", "health"),
        ("s2", "general"),
        ("s2-withdrawn", "health"),
    ]


async def test_a_reply_corrects_the_message_that_it_replies_to(home: Household):
    async with home.run() as running:
        bill = await said(home, running, 1, BILL)
        later = await said(home, running, 2, "My blood pressure was 120/80")
        await said(home, running, 3, "no, that was for general", replies_to="1")
    assert len(await branches(home, bill)) == 3
    assert len(await branches(home, later)) == 1


async def test_what_a_butler_did_not_take_back_waits_for_the_operator(home: Household):
    home.butler("finance").behaviour = in_turn(
        accepts_then_answers(), answers(error=error_of("internal_error")), accepts_then_answers()
    )
    async with home.run() as running, operator(running) as ops:
        bill = await said(home, running, 1, BILL)
        await said(home, running, 2, "no, that was for health")
        failed = (await home.row(bill))["lifecycle_state"]
        await ops.post(f"/requests/{bill}/replay", json={"reason": "mended"})
        row = await home.settled(bill)
    assert (failed, row["lifecycle_state"]) == ("errored", "parsed")
    assert [one.supersedes is not None for one in home.butler("finance").got] == [False, True, True]
    assert len(home.butler("health").got) == 1


async def test_an_operator_corrects_by_the_same_road_and_by_name_once(home: Household):
    wish = {"to": "health", "reason": "a bill of the dentist"}
    async with home.run() as running, operator(running) as ops:
        bill = await said(home, running, 1, BILL)
        path, key = f"/requests/{bill}/correct", {"Idempotency-Key": "once"}
        first, again = [(await ops.post(path, json=wish, headers=key)).json() for _ in range(2)]
        await home.settled(bill)
        late = await ops.post(path, json=wish)
    assert (first["state"], first["was_with"], first["withdraws"]) == ("corrected", "finance", True)
    assert (again["repeated"], again["part"]) == (True, first["part"])
    assert (late.status_code, "with health already" in late.text) == (409, True)
    assert await branches(home, bill) == [
        ("s1", "finance", "ok"),
        ("s1", "health", "ok"),
        ("s1-withdrawn", "finance", "ok"),
    ]
    assert await labels(home) == [("operator", BILL, "finance", "health")]
    assert told(home) == []


async def test_an_operator_corrects_what_went_to_a_butler_that_is_gone_and_nobody_is_asked_to_take_it_back(
    home: Household,
):
    wish = {"to": "health", "reason": "a bill of the dentist"}
    async with home.run() as running, operator(running) as ops:
        bill = await said(home, running, 1, BILL)
        await home.pool.execute("DELETE FROM butler_registry WHERE name = 'finance'")
        corrected = (await ops.post(f"/requests/{bill}/correct", json=wish)).json()
        row = await home.settled(bill)
    assert (corrected["was_with"], corrected["withdraws"]) == ("finance", False)
    assert await branches(home, bill) == [("s1", "finance", "ok"), ("s1", "health", "ok")]
    assert row["lifecycle_state"] == "parsed"


async def test_of_a_members_and_an_operators_correction_at_once_one_is_done(home: Household):
    async with home.run() as running, operator(running) as ops:
        bill = await said(home, running, 1, BILL)
        wish = {"to": "general", "reason": "no bill at all"}
        answer, correction = await asyncio.gather(
            ops.post(f"/requests/{bill}/correct", json={**wish, "butler": "finance"}),
            running.accepted(telegram(2, "no, that was for health, not finance")),
        )
        await home.settled(correction)
        await home.idle()
    [(_, _, was_with, _)] = await labels(home)
    assert was_with == "finance"
    assert len(home.butler("health").got) + len(home.butler("general").got) == 1
    assert len(home.butler("finance").got) == 2
    assert answer.status_code in (200, 409)


async def test_an_operator_is_told_why_nothing_was_corrected(home: Household):
    async with home.run() as running, operator(running) as ops:
        both = await said(home, running, 1, TWO)
        path = f"/requests/{both}/correct"
        which = await ops.post(path, json={"to": "general", "reason": "x"})
        nobody = await ops.post(path, json={"to": "butcher", "butler": "health", "reason": "x"})
        await ops.post("/butlers/health/quarantine", json={"reason": "maintenance"})
        held = await ops.post(path, json={"to": "general", "butler": "health", "reason": "x"})
        unknown = await ops.post(f"/requests/{uuid4()}/correct", json={"to": "general", "reason": "x"})
    assert "are with finance, health; say whose part" in which.text
    assert "no specialist butcher" in nobody.text
    assert "health is in quarantine" in held.text
    assert unknown.status_code == 404
    assert len(await branches(home, both)) == 2
    assert await labels(home) == []
