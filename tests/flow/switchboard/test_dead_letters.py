"""What fails beyond retry is kept, and an operator has it done again: once, and only what failed (SWB-32, D12, D55)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from butler_contracts.keys import subrequest_id
from butler_kit.mcp import ToolError
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from tests.support.butlers import accepts, accepts_then_answers, answers, error_of, in_turn
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, Running, until

BILL = "I paid the gas bill of 40 euro"
TWO_PARTS = "I paid 40 euro for the gas bill. My blood pressure this morning was 120 over 80."
WHY = {"reason": "finance is mended"}
BROKEN = error_of("internal_error", message="the ledger is closed")


@asynccontextmanager
async def operator(running: Running, subject: str = "ada") -> AsyncIterator[httpx.AsyncClient]:
    token = running.household.keys.sign(subject, "operator", receiver="switchboard")
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=f"{running.url}/ops/v1", headers=headers, timeout=20) as client:
        yield client


async def failed(home: Household, running: Running, text: str = BILL, number: int = 1) -> UUID:
    """A request that ended errored, its announcements over."""
    row = await home.settled(await running.accepted(telegram(number, text)))
    assert row["lifecycle_state"] == "errored"
    return UUID(str(row["request_id"]))


async def dead_letters(home: Household) -> list[dict[str, Any]]:
    rows = await home.pool.fetch("SELECT * FROM dead_letter ORDER BY generation")
    return [dict(row) for row in rows]


async def audited(home: Household) -> list[tuple[Any, ...]]:
    rows = await home.pool.fetch(
        "SELECT actor, operation, reason, result FROM dashboard_audit_log WHERE operation LIKE '%replay%'"
        " OR operation LIKE '%discard%' ORDER BY audit_id"
    )
    return [tuple(row) for row in rows]


def attempts(home: Household, name: str) -> list[int]:
    return [envelope.subrequest.attempt for envelope in home.butler(name).got]


@pytest.mark.spec("SWB-32.1")
@pytest.mark.parametrize("retryable", [True, False])
async def test_what_fails_beyond_retry_is_kept_once_with_its_own_copy(home: Household, retryable: bool):
    home.butler("finance").behaviour = accepts_then_answers(error=error_of(retryable=retryable))
    async with home.run() as running:
        request_id = await failed(home, running)
        [letter] = await dead_letters(home)
        async with operator(running) as ops:
            shown = (await ops.get(f"/dead-letters/{letter['dead_letter_id']}")).json()
    assert (letter["request_id"], letter["state"], letter["targets"]) == (request_id, "open", ["finance"])
    assert letter["attempts"] == (3 if retryable else 1)
    assert shown["message"]["raw_payload"]["payload"]["normalized_text"] == BILL
    assert [part["attempt"] for part in shown["subroutes"]] == ([1, 2, 3] if retryable else [1])
    assert shown["plan"]["plan"]["targets"][0]["butler"] == "finance"
    assert shown["replay_eligible"]


async def test_what_succeeds_leaves_no_dead_letter(home: Household):
    async with home.run() as running:
        await home.settled(await running.accepted(telegram(1, BILL)))
    assert await dead_letters(home) == []


@pytest.mark.spec("SWB-32.1", "SWB-32.2")
async def test_a_replay_sends_only_the_failed_part_again_under_the_same_request(home: Household):
    home.butler("finance").behaviour = in_turn(answers(error=BROKEN), answers())
    async with home.run() as running, operator(running) as ops:
        request_id = await failed(home, running, TWO_PARTS)
        [letter] = await dead_letters(home)
        plan = await home.plan(request_id)
        answer = (await ops.post(f"/dead-letters/{letter['dead_letter_id']}/replay", json=WHY)).json()
        row = await home.settled(request_id)
        view = (await ops.get(f"/requests/{request_id}")).json()
        page = await running.metrics()
    assert 'lifecycle_transition_total{state="parsed"} 1.0' in page
    assert 'fanout_completion_latency_ms_count{outcome="errored"} 1.0' in page
    assert 'fanout_completion_latency_ms_count{outcome="parsed"}' not in page, (
        "when it was replayed counts for nobody"
    )
    segment = answer["parts"][0]["segment_id"]
    assert answer["parts"] == [
        {
            "target": "finance",
            "segment_id": segment,
            "attempt": 2,
            "subrequest_id": str(subrequest_id(request_id, segment, "finance", 2)),
        }
    ]
    assert (row["lifecycle_state"], row["error_class"]) == ("parsed", None)
    assert (attempts(home, "finance"), attempts(home, "health")) == ([1, 2], [1])
    assert await home.plan(request_id) == plan, "a replay routes nothing anew"
    assert {envelope.request_context.request_id for envelope in home.butler("finance").got} == {request_id}
    lineage = {(part["target"], part["attempt"]): part["replay_of"] for part in view["subroutes"]}
    assert lineage == {
        ("finance", 1): None,
        ("finance", 2): str(letter["dead_letter_id"]),
        ("health", 1): None,
    }
    [shown] = view["dead_letters"]
    assert (shown["state"], shown["outcome"], shown["closed_by"]) == ("replayed", "parsed", "ada")
    assert "replayed" in [entry["event"] for entry in view["timeline"]]
    [entry] = [entry for entry in view["audit"] if entry["operation"] == "dead_letter.replay"]
    assert (entry["actor"], entry["reason"], entry["result"]) == ("ada", "finance is mended", "ok")
    assert entry["audit_id"] == answer["audit_id"]
    assert letter["created_at"] < datetime.fromisoformat(entry["at"]) <= row["final_state_at"]


async def test_a_replay_has_its_own_tries_and_its_failure_is_a_dead_letter_of_the_same_request(
    home: Household,
):
    home.butler("finance").behaviour = accepts_then_answers(error=error_of(retryable=True))
    async with home.run() as running, operator(running) as ops:
        request_id = await failed(home, running)
        await ops.post(f"/requests/{request_id}/replay", json=WHY)
        await home.settled(request_id)
        assert attempts(home, "finance") == [1, 2, 3, 4, 5, 6]
        first, second = await dead_letters(home)
        assert (first["state"], first["outcome"], second["state"]) == ("replayed", "errored", "open")
        assert (second["replay_of"], second["generation"]) == (first["dead_letter_id"], 2)
        home.butler("finance").behaviour = answers()
        again = (await ops.post(f"/requests/{request_id}/replay", json=WHY)).json()
        row = await home.settled(request_id)
    assert (again["dead_letter_id"], again["replay"]) == (str(second["dead_letter_id"]), 2)
    assert row["lifecycle_state"] == "parsed"


@pytest.mark.spec("SWB-32.2")
async def test_two_replays_at_once_over_two_replicas_run_once(home: Household):
    home.butler("finance").behaviour = in_turn(answers(error=BROKEN), answers())
    async with home.run() as one, home.run() as other, operator(one) as left, operator(other, "ben") as right:
        request_id = await failed(home, one)
        [letter] = await dead_letters(home)
        path = f"/dead-letters/{letter['dead_letter_id']}/replay"
        answered = await asyncio.gather(
            *(ops.post(path, json=WHY) for ops in (left, right) for _ in range(3))
        )
        await home.settled(request_id)
        late = await left.post(path, json=WHY)
    statuses = sorted(answer.status_code for answer in answered)
    assert statuses == [200, 409, 409, 409, 409, 409]
    assert attempts(home, "finance") == [1, 2]
    assert late.status_code == 409
    said = late.json()["error"]["message"]
    assert "it was replayed by" in said
    assert "its request then ended parsed" in said
    done = await audited(home)
    assert len(done) == 7
    assert [result for *_, result in done].count("ok") == 1
    assert {reason for _, _, reason, _ in done} == {"finance is mended"}


@pytest.mark.spec("SWB-32.2")
async def test_the_same_key_again_gets_the_same_answer_and_does_nothing(home: Household):
    home.butler("finance").behaviour = in_turn(answers(error=BROKEN), answers())
    key = {"Idempotency-Key": str(uuid4())}
    async with home.run() as one, home.run() as other, operator(one) as left, operator(other) as right:
        request_id = await failed(home, one)
        path = f"/requests/{request_id}/replay"
        first, second = await asyncio.gather(
            left.post(path, json=WHY, headers=key), right.post(path, json=WHY, headers=key)
        )
        await home.settled(request_id)
        third = await right.post(path, json=WHY, headers=key)
        other_body = await left.post(path, json={"reason": "another"}, headers=key)
        other_target = await left.post("/butlers/finance/release", json=WHY, headers=key)
    documents = [answer.json() for answer in (first, second, third)]
    assert sorted(document.pop("repeated") for document in documents) == [False, True, True]
    assert documents[0] == documents[1] == documents[2]
    assert attempts(home, "finance") == [1, 2]
    assert len(await audited(home)) == 1
    assert (other_body.status_code, other_target.status_code) == (422, 422)
    assert "needs a key of its own" in other_body.json()["error"]["message"]


async def test_a_request_that_is_under_way_or_went_well_is_not_replayed(home: Household):
    home.butler("finance").behaviour = accepts()
    async with home.run() as running, operator(running) as ops:
        waiting = await running.accepted(telegram(1, BILL))
        await home.butler("finance").received()
        under_way = await ops.post(f"/requests/{waiting}/replay", json=WHY)
        home.butler("health").behaviour = answers()
        well = await home.settled(
            await running.accepted(telegram(2, "My blood pressure was 120 over 80", chat="2"))
        )
        fine = await ops.post(f"/requests/{well['request_id']}/replay", json=WHY)
        unknown = await ops.post(f"/requests/{uuid4()}/replay", json=WHY)
    assert "still under way" in under_way.json()["error"]["message"]
    assert "nothing of it failed for good" in fine.json()["error"]["message"]
    assert {answer.status_code for answer in (under_way, fine, unknown)} == {404}


async def test_what_was_answered_too_late_is_not_done_twice(home: Household):
    home.butler("finance").behaviour = accepts()
    async with home.run("[dispatch]\nrun_timeout_s = 0.5\n") as running, operator(running) as ops:
        request = await running.accepted(telegram(1, BILL))
        [envelope] = await home.butler("finance").received()
        await home.butler("finance").started(envelope)
        row = await home.settled(request)
        assert row["error_class"] == "timeout"
        assert await home.butler("finance").complete(envelope, result={"reply": "noted"}) == "late"
        refused = await ops.post(f"/requests/{request}/replay", json=WHY)
    assert refused.status_code == 409
    assert "answered after all, only too late" in refused.json()["error"]["message"]
    assert attempts(home, "finance") == [1]
    [(_, _, _, result)] = await audited(home)
    assert result == "refused"


async def test_a_replay_needs_nothing_but_the_dead_letter_itself(home: Household):
    home.butler("finance").behaviour = in_turn(answers(error=BROKEN), answers())
    async with home.run() as running, operator(running) as ops:
        request_id = await failed(home, running)
    await home.database.shift_clock(timedelta(days=70))
    async with home.run() as running, operator(running) as ops:
        await Retention(home.pool, RetentionPolicy()).sweep()
        await home.pool.execute("DELETE FROM route_plan")
        await home.pool.execute("DELETE FROM subroute")
        assert (await ops.get(f"/requests/{request_id}")).status_code == 404
        answer = await ops.post(f"/requests/{request_id}/replay", json=WHY)
        assert answer.status_code == 200, answer.text
        row = await home.settled(request_id)
    assert (row["lifecycle_state"], row["normalized_text"]) == ("parsed", BILL)
    assert attempts(home, "finance") == [1, 2]
    assert home.butler("finance").got[0].input == home.butler("finance").got[1].input


async def test_a_discarded_one_is_kept_and_never_replayed(home: Household):
    home.butler("finance").behaviour = answers(error=BROKEN)
    async with home.run() as running, operator(running) as ops:
        request_id = await failed(home, running)
        [letter] = await dead_letters(home)
        path = f"/dead-letters/{letter['dead_letter_id']}"
        discarded = await ops.post(f"{path}/discard", json={"reason": "a test message"})
        again = await ops.post(f"{path}/discard", json={"reason": "a test message"})
        replayed = await ops.post(f"{path}/replay", json=WHY)
        open_ones = (await ops.get("/dead-letters")).json()["dead_letters"]
        kept = (await ops.get("/dead-letters", params={"state": "discarded"})).json()["dead_letters"]
    assert discarded.json()["state"] == "discarded"
    assert (again.status_code, replayed.status_code) == (409, 409)
    assert "it was discarded by ada" in replayed.json()["error"]["message"]
    assert open_ones == []
    assert [entry["request_id"] for entry in kept] == [str(request_id)]
    assert [line[1:] for line in await audited(home)] == [
        ("dead_letter.discard", "a test message", "ok"),
        ("dead_letter.discard", "a test message", "refused"),
        ("dead_letter.replay", "finance is mended", "refused"),
    ]
    assert attempts(home, "finance") == [1]


async def test_the_list_goes_in_pages_and_by_what_is_asked(home: Household):
    home.butler("finance").behaviour = answers(error=BROKEN)
    async with home.run() as running, operator(running) as ops:
        requests = [await failed(home, running, number=number) for number in (1, 2, 3)]
        first = (await ops.get("/dead-letters", params={"limit": 2})).json()
        second = (await ops.get("/dead-letters", params={"limit": 2, "before": first["next"]})).json()
        counts = {
            name: len((await ops.get("/dead-letters", params={name: value})).json()["dead_letters"])
            for name, value in (
                ("target", "finance"),
                ("channel", "email"),
                ("error_class", "internal_error"),
                ("request_id", str(requests[0])),
            )
        }
        bad = await ops.get("/dead-letters", params={"before": str(uuid4())})
    found = [entry["request_id"] for page in (first, second) for entry in page["dead_letters"]]
    assert found == [str(request_id) for request_id in reversed(requests)]
    assert second["next"] is None
    assert counts == {"target": 3, "channel": 0, "error_class": 3, "request_id": 1}
    assert bad.status_code == 400


async def test_a_message_that_nobody_may_get_is_kept_but_not_replayed(home: Household):
    async with home.run("[routing]\npatience_s = 0.1\n") as running, operator(running) as ops:
        for name in ("finance", "health", "general"):
            await ops.post(f"/butlers/{name}/quarantine", json={"reason": "holiday"})
        request_id = await failed(home, running)
        [letter] = await dead_letters(home)
        refused = await ops.post(f"/requests/{request_id}/replay", json=WHY)
    assert (letter["targets"], letter["error_class"]) == ([], "routing_error")
    assert "the message has to be sent again" in refused.json()["error"]["message"]


NO_TARGETS = """
    targets = '{}', error_class = 'validation_error', error_message = 'the message has no text',
    plan = jsonb_set(plan::jsonb, '{plan,targets}', '[]')::json
"""


@pytest.mark.parametrize(
    ("as_kept", "said"),
    [
        ("targets = '{}', error_message = 'it could not be announced'", "none of its parts failed"),
        (NO_TARGETS, "(the message has no text), and a replay never routes anew; the same message would end"),
    ],
)
async def test_why_there_is_nothing_to_send_again_is_said_as_it_is(home: Household, as_kept: str, said: str):
    """Of a plan that sends nothing, and of one whose parts were all done when its request was given up."""
    home.butler("finance").behaviour = answers(error=BROKEN)
    async with home.run() as running, operator(running) as ops:
        request_id = await failed(home, running)
        await home.pool.execute(f"UPDATE dead_letter SET {as_kept}")
        [letter] = (await ops.get("/dead-letters")).json()["dead_letters"]
        refused = await ops.post(f"/requests/{request_id}/replay", json=WHY)
    assert said in letter["not_eligible_because"]
    assert said in refused.json()["error"]["message"]
    assert "sent again" not in letter["not_eligible_because"]


async def test_who_asked_is_believed_from_an_operator_and_kept(home: Household):
    home.butler("finance").behaviour = in_turn(answers(error=BROKEN), answers())
    async with home.run() as running, operator(running, "butlers-operator") as ops:
        request_id = await failed(home, running)
        await ops.post(f"/requests/{request_id}/replay", json={**WHY, "requested_by": "carol@example.org"})
        await home.settled(request_id)
        view = (await ops.get(f"/requests/{request_id}")).json()
    [entry] = [entry for entry in view["audit"] if entry["operation"] == "request.replay"]
    assert entry["actor"] == "carol@example.org"
    assert "(asked by butlers-operator)" in entry["summary"]
    [row] = await home.pool.fetch("SELECT actor, requested_by, state FROM operation")
    assert tuple(row) == ("butlers-operator", "carol@example.org", "done")


async def test_the_tools_do_the_same_and_only_for_those_who_may(home: Household):
    home.butler("finance").behaviour = in_turn(answers(error=BROKEN), answers())
    async with home.run() as running:
        request_id = await failed(home, running)
        ada = home.keys.sign("ada", "operator", receiver="switchboard")
        reader = home.keys.sign("pages", "dashboard", receiver="switchboard")
        [listed] = (await running.call(reader, "dead_letter.list", {}))["dead_letters"]
        which = {"dead_letter_id": listed["dead_letter_id"]}
        shown = await running.call(reader, "dead_letter.inspect", which)
        with pytest.raises(ToolError):
            await running.call(reader, "dead_letter.replay", {**which, **WHY})
        answer = await running.call(ada, "dead_letter.replay", {**which, **WHY, "idempotency_key": "k"})
        again = await running.call(ada, "dead_letter.replay", {**which, **WHY, "idempotency_key": "k"})
        with pytest.raises(ToolError, match="it was replayed by ada"):
            await running.call(ada, "dead_letter.discard", {**which, **WHY})
        row = await home.settled(request_id)
    assert shown["message"]["normalized_text"] == BILL
    assert (answer["repeated"], again["repeated"]) == (False, True)
    assert row["lifecycle_state"] == "parsed"


async def test_a_replay_takes_its_turn_behind_the_threads_newer_messages(home: Household):
    home.butler("finance").behaviour = in_turn(answers(error=BROKEN), accepts_then_answers())
    async with home.run() as running, operator(running) as ops:
        first = await failed(home, running)
        second = await running.accepted(telegram(2, BILL))
        await home.settled(second)
        await ops.post(f"/requests/{first}/replay", json=WHY)
        await home.settled(first)
    assert [envelope.request_context.request_id for envelope in home.butler("finance").got] == [
        first,
        second,
        first,
    ]


async def test_the_person_sees_the_good_end_after_the_bad_one(home: Household):
    home.butler("finance").behaviour = in_turn(answers(error=BROKEN), answers())
    async with home.run() as running, operator(running) as ops:
        request_id = await failed(home, running)
        await ops.post(f"/requests/{request_id}/replay", json=WHY)
        await home.settled(request_id)

        async def shown() -> bool:
            return home.messenger.reactions(request_id)[-1:] == ["✅"]

        await until(shown, what="the check mark")
    assert len(home.messenger.replies()) == 1, "the failure was told once"


async def test_old_and_too_many_dead_letters_go(home: Household):
    home.butler("finance").behaviour = answers(error=BROKEN)
    async with home.run() as running:
        for number in (1, 2, 3):
            await failed(home, running, number=number)
    swept = await Retention(home.pool, RetentionPolicy(dead_letter_max=2)).sweep()
    assert swept.deleted["dead_letters"] == 1
    await home.database.shift_clock(timedelta(days=91))
    assert (await Retention(home.pool, RetentionPolicy()).sweep()).deleted["dead_letters"] == 2
