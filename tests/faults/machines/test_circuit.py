"""An account's circuit against a plain list of what happened: calls overlap, workers die, time jumps (MSR-06)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from butler_kit.breaker import BreakerState
from butler_messenger.delivery.breaker import Circuit, CircuitPolicy, Hold, Pass, Ticket, Verdict
from tests.faults.machines.stage import Effort

POLICY = CircuitPolicy(failures=3, reset_s=10.0, probes=2)
PROBE_S = 4.0
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Call:
    ticket: Ticket
    epoch: int
    """How often the state had changed when it began."""


class Circuits(RuleBasedStateMachine):
    """The oracle counts by the words of the specification and knows nothing of generations."""

    def __init__(self) -> None:
        super().__init__()
        self.circuit = Circuit()
        self.now = START
        self.under_way: list[Call] = []
        self.ids = 0
        self.state, self.epoch = "closed", 0
        self.in_a_row = self.good_probes = 0
        self.open_until: datetime | None = None
        self.probe: Call | None = None
        self.probe_until = START

    @rule()
    def call(self) -> None:
        gate = self.circuit.gate(POLICY, self.now, draw=0.0)
        if self.state == "closed":
            assert isinstance(gate, Pass)
            self.under_way.append(Call(gate.ticket, self.epoch))
            return
        waits = self.open_until is not None and self.now < self.open_until
        waits = waits or (self.probe is not None and self.now < self.probe_until)
        assert isinstance(gate, Hold) == waits
        if not waits:
            self.begin_probe()

    def begin_probe(self) -> None:
        self.ids += 1
        until = self.now + timedelta(seconds=PROBE_S)
        self.circuit = self.circuit.probed_by(UUID(int=self.ids), self.now, until=until)
        if self.state == "open":
            self.become("half-open")
        self.probe = Call(Ticket(self.circuit.generation, UUID(int=self.ids)), self.epoch)
        self.probe_until = until
        self.under_way.append(self.probe)

    def become(self, state: str) -> None:
        self.state, self.epoch = state, self.epoch + 1
        self.good_probes, self.probe = 0, None
        self.open_until = self.now + timedelta(seconds=POLICY.reset_s) if state == "open" else None

    @precondition(lambda self: self.under_way)
    @rule(data=st.data(), verdict=st.sampled_from(Verdict))
    def end(self, data: st.DataObject, verdict: Verdict) -> None:
        call = self.under_way.pop(data.draw(st.integers(0, len(self.under_way) - 1)))
        self.circuit = self.circuit.after(POLICY, self.now, call.ticket, verdict, "away")
        if self.state == "closed" and call.ticket.probe_id is None and call.epoch == self.epoch:
            self.closed_call_ended(verdict)
        elif call == self.probe:
            self.probe_ended(verdict)

    def closed_call_ended(self, verdict: Verdict) -> None:
        if verdict is Verdict.FAILED:
            self.in_a_row += 1
            if self.in_a_row >= POLICY.failures:
                self.become("open")
        elif verdict is not Verdict.NOTHING:
            self.in_a_row = 0

    def probe_ended(self, verdict: Verdict) -> None:
        self.probe = None
        if verdict is Verdict.FAILED:
            self.in_a_row += 1
            self.become("open")
        elif verdict is Verdict.TAKEN:
            self.in_a_row, self.good_probes = 0, self.good_probes + 1
            if self.good_probes >= POLICY.probes:
                self.become("closed")

    @precondition(lambda self: self.under_way)
    @rule()
    def a_worker_dies(self) -> None:
        self.under_way.pop(0)

    @rule()
    def an_operator_resets_it(self) -> None:
        self.circuit = self.circuit.reset(self.now)
        self.become("closed")
        self.in_a_row = 0

    # Binary fractions: their sums are exact, so that a boundary is one for both sides.
    @rule(by=st.sampled_from([0.5, 3.5, 4.0, 9.75, 10.0, 30.0]))
    def time_passes(self, by: float) -> None:
        self.now += timedelta(seconds=by)

    @invariant()
    def it_is_as_the_list_says(self) -> None:
        assert self.circuit.state.value == self.state
        assert self.circuit.failures == self.in_a_row
        assert self.circuit.retry_at == self.open_until
        assert bool(self.circuit.trip_reason) == (self.circuit.state is not BreakerState.CLOSED)


@pytest.mark.spec("MSR-06.1", "MSR-06.2", "MSG-9")
def test_a_circuit_opens_probes_and_closes_as_its_history_says(effort: Effort) -> None:
    effort.check(Circuits, examples=80, steps=40)
