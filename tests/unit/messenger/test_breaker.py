"""What of a provider call counts against the provider, and how long its circuit holds others up (MSR-06, MSG-9)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from butler_contracts.errors import ErrorClass
from butler_kit.breaker import BreakerState
from butler_messenger.admission.limits import AdmissionLimits, CircuitOpenError, Standing, refusal
from butler_messenger.delivery.breaker import (
    Circuit,
    CircuitPolicy,
    Hold,
    Pass,
    Ticket,
    Try,
    Verdict,
    verdict_of,
)
from butler_messenger.delivery.outcomes import (
    ACCOUNT_REFUSED,
    Ambiguous,
    Deferred,
    Failure,
    ProviderOutcome,
    Refused,
    Sent,
    Throttled,
    Unreachable,
)

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
POLICY = CircuitPolicy()


def failure(error_class: ErrorClass, *, retryable: bool = True) -> Failure:
    return Failure(error_class, "words", retryable)


AWAY = failure(ErrorClass.TARGET_UNAVAILABLE)


@pytest.mark.spec("MSR-06.1", "MSG-9")
@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (Sent("1"), Verdict.TAKEN),
        (Unreachable(AWAY), Verdict.FAILED),
        (Ambiguous(AWAY), Verdict.FAILED),
        (Ambiguous(failure(ErrorClass.TIMEOUT)), Verdict.FAILED),
        (Refused(AWAY, answered=False), Verdict.FAILED),
        (Refused(failure(ErrorClass.VALIDATION_ERROR)), Verdict.ANSWERED),
        (Refused(failure(ErrorClass.TARGET_UNAVAILABLE, retryable=False), ACCOUNT_REFUSED), Verdict.ANSWERED),
        (Refused(AWAY), Verdict.ANSWERED),
        (Throttled(30), Verdict.ANSWERED),
        (Deferred(AWAY), Verdict.ANSWERED),
        (Ambiguous(failure(ErrorClass.INTERNAL_ERROR)), Verdict.NOTHING),
        (Refused(failure(ErrorClass.INTERNAL_ERROR), answered=False), Verdict.NOTHING),
    ],
)
def test_only_a_provider_without_an_answer_fails(outcome: ProviderOutcome, verdict: Verdict) -> None:
    assert verdict_of(outcome) is verdict


def tripped(failures: int = POLICY.failures) -> Circuit:
    circuit = Circuit()
    for _ in range(failures):
        circuit = circuit.after(POLICY, NOW, Ticket(circuit.generation), Verdict.FAILED, "no route")
    return circuit


@pytest.mark.spec("MSR-06.1", "MSG-9")
def test_the_fifth_failure_in_a_row_opens_it_and_an_answer_in_between_begins_anew() -> None:
    four = tripped(4)
    assert four.state is BreakerState.CLOSED
    assert four.after(POLICY, NOW, Ticket(0), Verdict.ANSWERED).failures == 0
    assert four.after(POLICY, NOW, Ticket(0), Verdict.NOTHING) == four
    opened = tripped()
    assert (opened.state, opened.failures, opened.trip_reason) == (BreakerState.OPEN, 5, "no route")
    assert opened.retry_at == NOW + timedelta(seconds=60)


@pytest.mark.spec("MSR-06.1", "MSG-9")
def test_an_open_circuit_refuses_before_anything_else_is_looked_at_and_names_itself() -> None:
    full = Standing(
        ahead=100,
        own=100,
        held=100,
        lacking=("global",),
        circuit_open_for_s=41.6,
        circuit_tripped_by="no route",
    )
    refused = refusal(full, AdmissionLimits(), intent="send", channel="telegram")
    assert isinstance(refused, CircuitOpenError)
    assert (refused.error_class, refused.retryable) == (ErrorClass.TARGET_UNAVAILABLE, True)
    assert (refused.message, refused.retry_after_s) == (
        "the circuit of telegram is open for another 42 s (no route)",
        41.6,
    )


def test_those_that_wait_come_apart_from_one_another_and_never_before_their_time() -> None:
    opened = tripped()
    first, last = opened.gate(POLICY, NOW, draw=0.0), opened.gate(POLICY, NOW, draw=1.0)
    assert (first, last) == (Hold(60.0), Hold(62.0))
    later = NOW + timedelta(seconds=60)
    assert opened.gate(POLICY, later, draw=0.0) == Try()
    probing = opened.probed_by(uuid4(), later, until=later + timedelta(seconds=25))
    assert [probing.gate(POLICY, later, draw=draw) for draw in (0.0, 1.0)] == [Hold(1.0), Hold(3.0)]


@pytest.mark.spec("MSR-06.2", "MSG-9")
@pytest.mark.parametrize("end", [Verdict.ANSWERED, Verdict.NOTHING])
def test_a_probe_that_was_answered_but_not_taken_lets_the_next_one_out_and_counts_neither_way(
    end: Verdict,
) -> None:
    probe = uuid4()
    probing = tripped().probed_by(probe, NOW, until=NOW + timedelta(seconds=25))
    after = probing.after(POLICY, NOW, Ticket(probing.generation, probe), end)
    assert (after.state, after.successes, after.failures) == (BreakerState.HALF_OPEN, 0, 5)
    assert after.gate(POLICY, NOW, draw=0.0) == Try()


def test_a_reset_closes_it_and_what_is_under_way_counts_no_more() -> None:
    probe = uuid4()
    probing = tripped().probed_by(probe, NOW, until=NOW + timedelta(seconds=25))
    closed = probing.reset(NOW)
    assert (closed.state, closed.failures, closed.trip_reason) == (BreakerState.CLOSED, 0, "")
    for ticket in (Ticket(probing.generation, probe), Ticket(0)):
        assert closed.after(POLICY, NOW, ticket, Verdict.FAILED, "late") == closed
    assert isinstance(closed.gate(POLICY, NOW, draw=0.5), Pass)
