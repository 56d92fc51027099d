"""What Switchboard does with targets that answer, fail, hang, repeat themselves and come back."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import uuid4

import pytest
from structlog.testing import capture_logs

from butler_contracts.errors import ErrorClass, OverloadRejected, TargetUnavailable, ValidationFailed
from butler_contracts.ingest import PolicyTier
from butler_contracts.keys import subrequest_id
from butler_contracts.route import make_route_response
from butler_kit.mcp import ToolError
from butler_switchboard.dispatch.breaker import BreakerPolicy
from butler_switchboard.dispatch.retry import Patience, RetryPolicy
from tests.support.butlers import (
    accepts,
    accepts_then_answers,
    answers,
    error_of,
    hangs,
    in_turn,
    refuses,
    says,
)
from tests.support.switchboard import telegram
from tests.support.switchboard_service import Household, until

HURRIED = dict.fromkeys(PolicyTier, Patience(tries_s=0.5, circuit_s=0.5))
INTERACTIVE = {"policy_tier": "interactive"}
SOURCE = ("source_channel", "source_endpoint_identity", "source_sender_identity", "source_thread_identity")
BILL = "I paid the gas bill of 40 euro"
TWO_PARTS = "I paid 40 euro for the gas bill. My blood pressure this morning was 120 over 80."


@pytest.mark.spec("SWB-05.1")
async def test_an_answer_is_kept_with_its_result_and_duration(home: Household):
    home.butler("finance").behaviour = answers(result={"reply": "noted 40 euro"})
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, BILL)))
    [branch] = await home.subroutes(row["request_id"])
    assert (branch["state"], branch["duration_ms"]) == ("ok", 7.0)
    assert branch["response"]["result"] == {"reply": "noted 40 euro"}
    assert row["dispatch_outcomes"][0]["duration_ms"] == 7.0
    assert row["aggregated_reply"]["parts"] == [{"butler": "finance", "reply": "noted 40 euro"}]


@pytest.mark.spec("SWB-05.1")
async def test_an_answer_for_another_request_is_a_validation_error(home: Household):
    other = telegram(1)
    async with home.run() as running:
        foreign = await running.accepted(other)
        await home.settled(foreign)
        mixed_up = home.butler("general").got[0]
        home.butler("finance").behaviour = says(
            make_route_response(mixed_up, duration_ms=1, result={"reply": "?"}).to_wire()
        )
        row = await home.settled(await running.accepted(telegram(2, BILL)))
    assert (row["lifecycle_state"], row["error_class"]) == ("errored", "validation_error")


@pytest.mark.spec("SWB-05.2", "SWB-16.2")
@pytest.mark.parametrize("way", [accepts_then_answers, answers])
@pytest.mark.parametrize("retryable", [True, False])
async def test_an_error_is_kept_raw_and_normalised(home: Household, way: Any, retryable: bool):
    error = error_of("quota_burnt", message="the ledger is closed", retryable=retryable)
    home.butler("finance").behaviour = way(error=error)
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, BILL)))
    branch = (await home.subroutes(row["request_id"]))[0]
    assert (branch["error_class"], branch["error_message"], branch["retryable"]) == (
        "internal_error",
        "the ledger is closed",
        retryable,
    )
    assert branch["error_original_class"] == "quota_burnt"
    assert branch["response"]["status"] == "error"
    assert branch["response"]["error"]["message"] == "the ledger is closed"
    [reply] = home.messenger.replies()
    assert "internal_error" in str(reply.delivery.message)
    assert "quota_burnt" not in str(reply.delivery.message)


@pytest.mark.spec("SWB-05.3")
@pytest.mark.parametrize("version", ["route_response.v9", None])
async def test_an_answer_of_an_unknown_version_is_a_validation_error(home: Household, version: str | None):
    home.butler("finance").behaviour = says({"schema_version": version, "status": "ok"})
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, BILL)))
    assert row["error_class"] == "validation_error"
    assert "schema_version" in row["error_message"]
    assert len(home.butler("finance").got) == 1


async def test_a_validation_error_in_the_answer_is_never_retried(home: Household):
    home.butler("finance").behaviour = answers(error=error_of("validation_error"))
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, BILL)))
    assert len(home.butler("finance").got) == 1
    assert row["dispatch_outcomes"][0]["attempts"] == 1


async def test_a_retryable_error_gets_three_attempts_each_under_its_own_id(home: Household):
    finance = home.butler("finance")
    finance.behaviour = accepts_then_answers(error=error_of("target_unavailable", retryable=True))
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        row = await home.settled(request)
    sent = [envelope.subrequest for envelope in finance.got]
    assert [one.attempt for one in sent] == [1, 2, 3]
    assert [one.subrequest_id for one in sent] == [
        subrequest_id(request, one.segment_id, "finance", one.attempt) for one in sent
    ]
    assert (row["lifecycle_state"], row["dispatch_outcomes"][0]["attempts"]) == ("errored", 3)


async def test_a_second_attempt_may_succeed(home: Household):
    failing = accepts_then_answers(error=error_of("internal_error", retryable=True))
    home.butler("finance").behaviour = in_turn(failing, accepts_then_answers())
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, BILL)))
    assert (row["lifecycle_state"], row["error_class"]) == ("parsed", None)
    assert row["dispatch_outcomes"][0]["attempts"] == 2


async def test_a_butler_that_asks_for_a_pause_is_asked_again_after_it(home: Household):
    busy = error_of("overload_rejected", retryable=True).model_copy(update={"retry_after_s": 1.0})
    home.butler("finance").behaviour = in_turn(answers(error=busy), answers())
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, BILL)))
    first, second = await home.subroutes(row["request_id"])
    assert (row["lifecycle_state"], second["state"]) == ("parsed", "ok")
    assert second["first_sent_at"] - first["finished_at"] >= timedelta(seconds=1)


@pytest.mark.spec("SWB-11.1")
async def test_a_try_without_an_answer_is_repeated_under_the_same_subrequest_id(home: Household):
    finance = home.butler("finance")
    finance.behaviour = in_turn(hangs(), hangs(), accepts_then_answers())
    async with home.run("[dispatch]\naccept_timeout_s = 0.2\n") as running:
        row = await home.settled(await running.accepted(telegram(1, BILL)))
    assert row["lifecycle_state"] == "parsed"
    # The first call, its repetition, and the next try; a slow machine repeats more.
    assert len(finance.got) >= 3
    identities = {
        (one.request_context.request_id, one.subrequest.subrequest_id, one.subrequest.segment_id)
        for one in finance.got
    }
    assert len(identities) == 1
    assert {one.subrequest.attempt for one in finance.got} == {1}


HASTY: dict[str, Any] = {
    "retries": {"baseDelaySeconds": 0.02, "maxDelaySeconds": 0.05},
    "tiers": {
        tier: {"patienceSeconds": 0.5, "circuitPatienceSeconds": 0.5} for tier in ("default", "interactive")
    },
}
FOR_ALL = {"runTimeoutSeconds": 0.3}
FOR_ONE = {"targets": [{"butler": "finance", "runTimeoutSeconds": 0.3}]}


@pytest.mark.spec("SWB-05.4", "SWB-13.1")
@pytest.mark.parametrize("timeouts", [FOR_ALL, FOR_ONE], ids=["of all targets", "of this target"])
async def test_silence_after_the_start_is_a_timeout_and_no_connection_is_target_unavailable(
    home: Household, timeouts: dict[str, Any]
):
    async def start_only(butler: Any, envelope: Any) -> dict[str, Any]:
        butler.later(butler.started(envelope))
        return await accepts()(butler, envelope)

    home.butler("finance").behaviour = start_only
    await home.butler("health").stop()
    async with home.run(spec={"dispatch": HASTY | timeouts}) as running:
        silent = await running.accepted(telegram(1, BILL))
        away = await running.accepted(telegram(2, "My blood pressure was 120 over 80", chat="2"))
        assert (await home.settled(silent))["error_class"] == "timeout"
        assert (await home.settled(away))["error_class"] == "target_unavailable"
    [branch] = await home.subroutes(silent)
    assert (branch["state"], branch["attempt"], branch["response"]) == ("error", 1, None)


async def test_a_full_target_ends_as_overload_and_not_as_absence(home: Household):
    home.butler("finance").behaviour = refuses(OverloadRejected("my queue is full"))
    async with home.run(retry=RetryPolicy(base_delay_s=0.01, tiers=HURRIED)) as running:
        row = await home.settled(await running.accepted(telegram(1, BILL)))
    assert row["error_class"] == "overload_rejected"
    assert "my queue is full" in row["error_message"]
    assert len(home.butler("finance").got) > 1


@pytest.mark.spec("SWB-13.2")
@pytest.mark.parametrize("attempts", [3, 2])
async def test_a_refusal_that_is_final_fails_fast_and_a_retryable_one_is_retried_within_bounds(
    home: Household, attempts: int
):
    home.butler("finance").behaviour = refuses(ValidationFailed("I do not do gas"))
    home.butler("health").behaviour = answers(error=error_of("internal_error", retryable=True))
    pauses = {"baseDelaySeconds": 0.1, "maxDelaySeconds": 0.4, "maxAttempts": attempts}
    async with home.run(spec={"dispatch": {"retries": pauses}}) as running:
        final = await home.settled(await running.accepted(telegram(1, BILL)))
        request = await running.accepted(telegram(2, "My blood pressure was 120 over 80"))
        retried = await home.settled(request)
    assert (final["error_class"], len(home.butler("finance").got)) == ("validation_error", 1)
    assert (retried["error_class"], len(home.butler("health").got)) == ("internal_error", attempts)
    branches = await home.subroutes(request)
    waited = [later["finished_at"] - earlier["finished_at"] for earlier, later in pairwise(branches)]
    # A pause is a third shorter at most, and the second one twice the first.
    assert all(pause >= timedelta(seconds=least) for pause, least in zip(waited, (0.05, 0.1), strict=False))
    assert len(branches) == attempts


async def test_a_target_that_was_killed_gets_its_message_when_it_is_back(home: Household):
    finance = home.butler("finance")
    await finance.stop()
    policy = RetryPolicy(base_delay_s=0.05, max_delay_s=0.2)
    async with home.run(retry=policy, breaker=BreakerPolicy(recovery_s=0.2)) as running:
        request = await running.accepted(telegram(1, BILL))

        async def tried() -> bool:
            return any(branch["transport_tries"] >= 2 for branch in await home.subroutes(request))

        await until(tried, what="a second try")
        await finance.start()
        row = await home.settled(request)
    assert row["lifecycle_state"] == "parsed"
    assert len(finance.requests()) == 1


@pytest.mark.spec("SWB-13.3")
async def test_a_circuit_opens_fails_fast_is_seen_and_closes_again(home: Household):
    finance = home.butler("finance")
    finance.behaviour = refuses(TargetUnavailable("the ledger is down"))
    with capture_logs() as logs:
        async with home.run(spec={"dispatch": {"circuit": {"failures": 3, "resetSeconds": 3}}}) as running:
            waiting = [await running.accepted(telegram(n, BILL, chat=f"mail{n}")) for n in range(5)]

            async def opened() -> bool:
                return "butlers_switchboard_circuit_open_targets 1.0" in await running.metrics()

            await until(opened, what="the circuit opening")
            called = len(finance.got)
            asked = await running.accepted(telegram(10, BILL, chat="1", control=INTERACTIVE))
            well = await running.accepted(telegram(11, "My blood pressure was 120 over 80", chat="1"))
            assert (await home.settled(well))["lifecycle_state"] == "parsed"
            row = await home.settled(asked)
            assert len(finance.got) - called <= 2, "the open circuit let calls through"
            states_of_the_rest = [(await home.row(request))["final_state_at"] for request in waiting]
            finance.behaviour = accepts_then_answers()
            for request in waiting:
                assert (await home.settled(request))["lifecycle_state"] == "parsed"
            page = await running.metrics()
            assert 'circuit_transition_total{state="closed",target="finance"}' in page
            assert "butlers_switchboard_circuit_open_targets 0.0" in page
    assert row["error_class"] == "target_unavailable"
    assert states_of_the_rest == [None] * 5, "what could wait was not waited for"
    states = [log["state"] for log in logs if log["event"] == "circuit_transition"]
    assert states[0] == "open"
    assert {"half-open", "closed"} <= set(states)


async def test_a_late_answer_is_kept_and_changes_nothing(home: Household):
    finance = home.butler("finance")

    async def start_only(butler: Any, envelope: Any) -> dict[str, Any]:
        butler.later(butler.started(envelope))
        return await accepts()(butler, envelope)

    finance.behaviour = start_only
    async with home.run("[dispatch]\nrun_timeout_s = 0.2\n") as running:
        request = await running.accepted(telegram(1, BILL))
        ended = await home.settled(request)
        assert await finance.complete(finance.got[0], result={"reply": "at last"}) == "late"
        [branch] = await home.subroutes(request)
        assert (branch["state"], branch["error_class"]) == ("error", "timeout")
        assert branch["late_response"]["result"] == {"reply": "at last"}
        assert await home.row(request) == ended
        assert 'subroute_late_total{target="finance"} 1.0' in await running.metrics()


@pytest.mark.spec("CON-4.4")
async def test_the_routing_session_is_over_while_the_target_still_works(home: Household):
    finance = home.butler("finance")
    finance.behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        [envelope] = await finance.received()

        async def acknowledged() -> bool:
            [branch] = await home.subroutes(request)
            return bool(branch["state"] == "accepted")

        await until(acknowledged, what="the acknowledgement")
        [session] = await home.pool.fetch("SELECT status FROM sessions WHERE request_id = $1", request)
        assert session["status"] == "completed"
        assert await finance.complete(envelope, result={"reply": "noted"}) == "recorded"
        assert (await home.settled(request))["lifecycle_state"] == "parsed"


async def test_the_same_answer_twice_is_a_duplicate_and_counts_once(home: Household):
    finance = home.butler("finance")
    finance.behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        [envelope] = await finance.received()
        assert await finance.complete(envelope, result={"reply": "done"}) == "recorded"
        assert await finance.complete(envelope, result={"reply": "done"}) == "duplicate"
        row = await home.settled(request)
        assert await finance.complete(envelope, result={"reply": "done"}) == "duplicate"
        [branch] = await home.subroutes(request)
        assert branch["late_response"] is None
        assert await home.row(request) == row
        assert 'subroute_result_total{outcome="ok",target="finance"} 1.0' in await running.metrics()


@pytest.mark.spec("SWB-05.3")
async def test_a_completion_of_an_unknown_version_is_refused_and_ends_its_branch(home: Household):
    finance = home.butler("finance")
    finance.behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        [envelope] = await finance.received()
        document = make_route_response(envelope, duration_ms=1.0, result={"reply": "x"}).to_wire()
        with pytest.raises(ToolError, match="schema_version"):
            await finance.tell(
                "route.complete", route_response={**document, "schema_version": "route_response.v9"}
            )
        row = await home.settled(request)
    assert (row["lifecycle_state"], row["error_class"]) == ("errored", "validation_error")


@pytest.mark.spec("SWB-05.3")
@pytest.mark.parametrize("result", [{"reply": "ok \ud83d"}, "done"])
async def test_a_completion_whose_result_cannot_be_read_is_refused_and_ends_its_branch(
    home: Household, result: object
):
    """Half of an emoji, as a text cut by UTF-16 units has, or a text where an object belongs."""
    finance = home.butler("finance")
    finance.behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        [envelope] = await finance.received()
        document = make_route_response(envelope, duration_ms=1.0, result={"reply": "x"}).to_wire()
        with pytest.raises(ToolError, match="route_response"):
            await finance.tell("route.complete", route_response={**document, "result": result})
        row = await home.settled(request)
    assert (row["lifecycle_state"], row["error_class"]) == ("errored", "validation_error")
    [branch] = await home.subroutes(request)
    assert (branch["attempt"], branch["transport_tries"]) == (1, 1)


async def test_a_butler_cannot_answer_for_another(home: Household):
    home.butler("finance").behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        [envelope] = await home.butler("finance").received()
        with pytest.raises(ToolError, match="cannot answer for finance"):
            await home.butler("health").complete(envelope, result={"reply": "mine"})
        assert await home.butler("health").started(envelope) == {"status": "ignored"}
        [branch] = await home.subroutes(request)
        assert branch["state"] == "accepted"


async def test_work_that_begins_once_more_has_its_whole_time_again(home: Household):
    finance = home.butler("finance")
    finance.behaviour = accepts()
    async with home.run() as running:
        request = await running.accepted(telegram(1, BILL))
        [envelope] = await finance.received()
        assert await finance.started(envelope) == {"status": "recorded"}
        [first] = await home.subroutes(request)
        assert await finance.started(envelope) == {"status": "recorded"}
        [second] = await home.subroutes(request)
        assert second["started_at"] > first["started_at"]
        assert second["deadline_at"] > first["deadline_at"]
        await finance.complete(envelope, result={"reply": "Noted."})
        assert await finance.started(envelope) == {"status": "ended"}
        await home.settled(request)


async def test_an_answer_to_nothing_that_was_sent_is_refused(home: Household):
    finance = home.butler("finance")
    finance.behaviour = accepts()
    async with home.run() as running:
        await running.accepted(telegram(1, BILL))
        [envelope] = await finance.received()
        invented = envelope.subrequest.model_copy(update={"subrequest_id": uuid4()})
        with pytest.raises(ToolError, match="was never sent to finance"):
            await finance.complete(envelope.model_copy(update={"subrequest": invented}), result={})


async def test_an_answer_may_overtake_the_acknowledgement(home: Household):
    async def answers_first(butler: Any, envelope: Any) -> dict[str, Any]:
        await butler.complete(envelope, result={"reply": "quick"})
        return await accepts()(butler, envelope)

    home.butler("finance").behaviour = answers_first
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, BILL)))
    assert row["lifecycle_state"] == "parsed"
    assert len(home.butler("finance").got) == 1


@pytest.mark.spec("SWB-30.1")
async def test_parts_of_a_message_are_worked_on_at_the_same_time(home: Household):
    both = asyncio.Barrier(2)

    async def meets(butler: Any, envelope: Any) -> dict[str, Any]:
        await both.wait()
        return await answers()(butler, envelope)

    home.butler("finance").behaviour = home.butler("health").behaviour = meets
    async with home.run() as running:
        row = await home.settled(await running.accepted(telegram(1, TWO_PARTS)))
    assert [item["status"] for item in row["dispatch_outcomes"]] == ["ok", "ok"]
    assert [len(home.butler(name).got) for name in ("finance", "health")] == [1, 1], "none waited in vain"


@pytest.mark.spec("SWB-01.4", "SWB-15.2", "SWB-23.3")
async def test_every_part_carries_the_root_context_unchanged_in_a_whole_route_envelope(home: Household):
    async with home.run() as running:
        trace = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
        request = await running.accepted(telegram(1, TWO_PARTS, control={"trace_context": trace}))
        row = await home.settled(request)
    [finance], [health] = home.butler("finance").got, home.butler("health").got
    for envelope in (finance, health):
        wire = envelope.to_wire()
        assert wire["schema_version"] == "route.v1"
        assert wire["request_context"] == row["request_context"]
        assert wire["request_context"]["request_id"] == str(request)
        assert wire["request_context"].keys() >= {"received_at", *SOURCE}
        assert wire["target"] == {"butler": wire["target"]["butler"], "tool": "route.execute"}
        assert wire["subrequest"]["fanout_mode"] == "parallel"
        assert wire["input"]["prompt"].strip()
        assert wire["trace_context"] == trace
    assert finance.subrequest.segment_id != health.subrequest.segment_id
    assert finance.subrequest.subrequest_id != health.subrequest.subrequest_id


@pytest.mark.spec("SWB-15.3")
async def test_an_answer_needs_every_part_of_its_contract(home: Household):
    finance = home.butler("finance")
    async with home.run() as running:
        for number, missing in enumerate(
            ("request_context", "status", "timing", "subrequest_id", "schema_version", "result"), start=1
        ):

            async def incomplete(butler: Any, envelope: Any, missing: str = missing) -> dict[str, Any]:
                whole = make_route_response(envelope, duration_ms=1, result={"reply": "x"}).to_wire()
                return {name: value for name, value in whole.items() if name != missing}

            finance.behaviour = incomplete
            row = await home.settled(await running.accepted(telegram(number, BILL)))
            assert row["error_class"] == "validation_error", missing
            assert missing in row["error_message"]
        finance.behaviour = answers()
        assert (await home.settled(await running.accepted(telegram(99, BILL))))["lifecycle_state"] == "parsed"


@pytest.mark.spec("SWB-35.1")
async def test_a_target_that_does_not_offer_the_tool_is_a_validation_error_and_is_never_called(
    home: Household,
):
    async with home.run() as running:
        await home.butler("finance").register(tools=("something.else",))
        await running.switchboard.parts.registry.refresh()
        row = await home.settled(await running.accepted(telegram(1, BILL)))
    assert row["error_class"] == "validation_error"
    assert "route.execute" in row["error_message"]
    assert home.butler("finance").got == []


@pytest.mark.spec("SWB-16.3", "SWB-31.1")
async def test_one_part_failing_keeps_what_the_other_did_and_says_both(home: Household):
    home.butler("health").behaviour = answers(error=error_of("validation_error", message="which unit?"))
    async with home.run() as running:
        request = await running.accepted(telegram(1, TWO_PARTS))
        row = await home.settled(request)
    assert row["lifecycle_state"] == "errored"
    outcomes = {item["target_butler"]: item for item in row["dispatch_outcomes"]}
    assert (outcomes["finance"]["status"], outcomes["finance"]["error_class"]) == ("ok", None)
    assert (outcomes["health"]["status"], outcomes["health"]["error_class"]) == ("error", "validation_error")
    [reply] = home.messenger.replies()
    assert "Done: finance" in str(reply.delivery.message)
    assert "health: this cannot be worked with: which unit? Please say it" in str(reply.delivery.message)
    assert str(request) in str(reply.delivery.message)


async def test_every_call_carries_a_token_for_that_target_and_that_subrequest(home: Household):
    async with home.run() as running:
        await home.settled(await running.accepted(telegram(1, BILL)))
    [caller], [envelope] = home.butler("finance").callers, home.butler("finance").got
    assert (caller.subject, caller.token_id) == ("switchboard", str(envelope.subrequest.subrequest_id))


@pytest.mark.spec("SWB-16.1")
async def test_a_failure_class_of_every_kind_is_one_of_the_seven(home: Household):
    async with home.run() as running:
        for number, name in enumerate(("timeout", "overload_rejected", "nonsense", "routing_error"), start=1):
            home.butler("finance").behaviour = answers(error=error_of(name))
            row = await home.settled(await running.accepted(telegram(number, BILL)))
            assert row["error_class"] in {item.value for item in ErrorClass}
            assert row["error_class"] not in ("routing_error", "classification_error")
