"""How long a message waits for a butler that is away, under the shipped settings: by time, by tier (D77)."""

from __future__ import annotations

import pytest

from butler_contracts.errors import ErrorClass, ErrorDetail
from tests.integration.switchboard.dispatch.conftest import Dispatching
from tests.support.switchboard import butler

BROKEN = ErrorDetail(error_class=ErrorClass.INTERNAL_ERROR, message="the ledger is broken", retryable=False)
A_DEAD_NODE_S = 400.0
"""Forty seconds until it counts as dead, three hundred until its pods are moved, one minute to start them."""


async def with_an_open_circuit(dispatching: Dispatching) -> None:
    dispatching.butlers.away.add("finance")
    for chat in range(10, 15):
        await dispatching.admit("finance a bill", chat=str(chat))
    await dispatching.work_for(8.0)
    assert dispatching.metrics.value("butlers.switchboard.circuit_open_targets") == 1


async def test_a_restart_of_a_few_seconds_fails_nobody_however_many_messages_meet_it(
    dispatching: Dispatching,
):
    dispatching.butlers.away.add("finance")
    asked = [
        await dispatching.admit("finance a bill", chat=str(chat), tier="interactive") for chat in range(20)
    ]
    await dispatching.work_for(4.5)
    dispatching.butlers.away.clear()
    await dispatching.work_for(10.0)
    assert set(dispatching.butlers.accepted) == set(asked)


async def test_what_is_for_a_butler_that_has_not_registered_yet_waits_until_it_has(dispatching: Dispatching):
    """Messenger's own mail, say, in the first second of a household: it is nobody's mistake."""
    dispatching.butlers.unregistered.add("messenger")
    mail = await dispatching.admit("messenger unsubscribe", chat="1")
    await dispatching.work_for(30.0)
    assert (await dispatching.ended(mail), dispatching.butlers.called) == (None, [])
    dispatching.butlers.unregistered.clear()
    await dispatching.work_for(60.0)
    assert dispatching.butlers.called == ["messenger"]


async def test_what_waits_for_a_butler_while_its_resource_is_replaced_is_sent_when_it_is_declared_again(
    dispatching: Dispatching,
):
    dispatching.butlers.undeclared.add("finance")
    mail = await dispatching.admit("finance a bill")
    await dispatching.work_for(30.0)
    assert (await dispatching.ended(mail), dispatching.butlers.called) == (None, [])
    dispatching.butlers.undeclared.clear()
    await dispatching.work_for(60.0)
    assert dispatching.butlers.called == ["finance"]


async def test_what_is_for_a_butler_that_is_declared_no_more_ends_as_one_that_cannot_be_reached(
    dispatching: Dispatching,
):
    dispatching.butlers.undeclared.add("finance")
    asked = await dispatching.admit("finance how much was it?", tier="interactive")
    await dispatching.work_for(120.0)
    assert (await dispatching.ended(asked) or ())[:2] == ("errored", "target_unavailable")
    assert dispatching.butlers.called == []


@pytest.mark.spec("SWB-13.3")
async def test_a_new_interactive_route_at_an_open_circuit_ends_within_five_seconds(dispatching: Dispatching):
    await with_an_open_circuit(dispatching)
    calls = len(dispatching.butlers.called)
    asked = await dispatching.admit("finance how much was it?", tier="interactive")
    mail = await dispatching.admit("finance another bill", chat="2")
    await dispatching.work_for(5.0)
    ended = await dispatching.ended(asked)
    assert ended is not None
    assert ended[:2] == ("errored", "target_unavailable")
    assert ended[2] <= 5.0
    assert await dispatching.ended(mail) is None
    assert len(dispatching.butlers.called) - calls <= 3, "an open circuit let calls through"
    assert [await dispatching.tier_of(request) for request in (asked, mail)] == ["interactive", "default"]


async def test_an_interactive_message_gets_through_when_the_target_is_back_within_that_time(
    dispatching: Dispatching,
):
    await with_an_open_circuit(dispatching)
    asked = await dispatching.admit("finance how much was it?", tier="interactive")
    await dispatching.work_for(1.0)
    dispatching.butlers.away.clear()
    await dispatching.work_for(4.0)
    assert asked in dispatching.butlers.accepted


async def test_mail_outlives_the_death_of_a_node_and_an_open_circuit_costs_it_no_tries(
    dispatching: Dispatching,
):
    await with_an_open_circuit(dispatching)
    mail = await dispatching.admit("finance another bill", chat="2")
    await dispatching.work_for(A_DEAD_NODE_S)
    assert await dispatching.ended(mail) is None
    dispatching.butlers.away.clear()
    await dispatching.work_for(60.0)
    await dispatching.finish(mail)
    await dispatching.work()
    assert (await dispatching.ended(mail) or ())[:1] == ("parsed",)
    assert await dispatching.pool.fetchval("SELECT count(*) FROM dead_letter") == 0
    tries = await dispatching.pool.fetchval(
        "SELECT transport_tries FROM subroute WHERE request_id = $1", mail
    )
    looked = await dispatching.pool.fetchval(
        "SELECT count(*) FROM routing_log WHERE request_id = $1 AND error LIKE '%circuit is open%'", mail
    )
    assert tries < 30
    assert looked == 1, "the log repeats itself"


async def test_mail_that_a_dead_node_had_accepted_is_waited_for_as_long(dispatching: Dispatching):
    mail = await dispatching.admit("finance a bill")
    await dispatching.work()
    for silent_s in (181.0, A_DEAD_NODE_S):
        dispatching.butlers.silent_s["finance"] = silent_s
        await dispatching.work_for(A_DEAD_NODE_S / 2)
        assert await dispatching.ended(mail) is None
    dispatching.butlers.silent_s["finance"] = 5.0
    await dispatching.finish(mail)
    await dispatching.work()
    assert (await dispatching.ended(mail) or ())[:1] == ("parsed",)


async def test_what_can_wait_is_a_dead_letter_after_a_quarter_of_an_hour_and_not_before(
    dispatching: Dispatching,
):
    await with_an_open_circuit(dispatching)
    mail = await dispatching.admit("finance another bill", chat="2")
    await dispatching.work_for(890.0)
    assert await dispatching.ended(mail) is None
    await dispatching.work_for(11.0)
    ended = await dispatching.ended(mail)
    assert ended is not None
    assert ended[:2] == ("errored", "target_unavailable")
    assert (
        await dispatching.pool.fetchval("SELECT count(*) FROM dead_letter WHERE request_id = $1", mail) == 1
    )


async def test_a_chat_goes_on_with_a_butler_that_is_well_and_keeps_its_order_for_the_one_that_is_away(
    dispatching: Dispatching,
):
    dispatching.butlers.away.add("finance")
    first = await dispatching.admit("finance the first bill")
    reading = await dispatching.admit("health 120 over 80")
    await dispatching.work()
    assert reading in dispatching.butlers.accepted
    await dispatching.work_for(120.0)
    dispatching.butlers.away.clear()
    second = await dispatching.admit("finance the second bill")
    await dispatching.work()
    assert second not in dispatching.butlers.accepted, "it overtook what waits before it"
    await dispatching.work_for(60.0)
    taken = [request for request in dispatching.butlers.accepted if request != reading]
    assert taken == [first, second]


async def test_runs_that_fail_one_after_another_open_the_circuit(dispatching: Dispatching):
    for number in range(5):
        assert dispatching.metrics.value("butlers.switchboard.circuit_open_targets") in (None, 0)
        request = await dispatching.admit("finance a bill", chat=str(number))
        await dispatching.work()
        await dispatching.finish(request, BROKEN)
        await dispatching.work()
    assert dispatching.metrics.value("butlers.switchboard.circuit_open_targets") == 1
    asked = await dispatching.admit("finance how much?", tier="interactive", chat="9")
    await dispatching.work_for(5.0)
    assert asked in dispatching.butlers.accepted, "no probe was let through"


async def test_runs_that_never_answer_open_the_circuit_too(dispatching: Dispatching):
    requests = [await dispatching.admit("finance a bill", chat=str(number)) for number in range(5)]
    await dispatching.work()
    for request in requests:
        subrequest = dispatching.butlers.accepted[request][0].subrequest.subrequest_id
        await dispatching.completions.started(butler("finance"), subrequest)
    await dispatching.work_for(121.0)
    assert {(await dispatching.ended(request) or ("", ""))[1] for request in requests} == {"timeout"}
    assert dispatching.metrics.value("butlers.switchboard.circuit_open_targets") == 1
