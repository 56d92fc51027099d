"""The breaker against a plain list of what happened: calls overlap, probes are lost, time jumps (SWB-13.3)."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from butler_kit.time import ManualClock
from butler_switchboard.dispatch.breaker import BreakerPolicy
from butler_switchboard.dispatch.breakers import Breakers
from tests.faults.machines.stage import START, Effort

POLICY = BreakerPolicy(
    failure_threshold=3, recovery_s=10.0, success_threshold=2, sustained_s=0.0, first_recovery_s=10.0
)
LONGEST_CALL_S = 5.0
"""The accept clock: a call has ended long before a breaker that it opened lets a probe through."""


@dataclass(frozen=True)
class Call:
    began_at: float
    probe: bool


class Told:
    """The events of the breakers, in order."""

    def __init__(self) -> None:
        self.states: list[str] = ["closed"]
        self.open = 0

    def circuit_transition(self, target: str, state: str) -> None:
        self.states.append(state)

    def circuits_open(self, count: int) -> None:
        self.open = count


class Circuit(RuleBasedStateMachine):
    """The oracle keeps the history and derives the state from it anew at each question."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock(START)
        self.told = Told()
        self.breakers = Breakers(POLICY, self.clock, self.told)
        self.under_way: list[Call] = []
        self.row_of_failures = 0
        self.open_since: float | None = None
        self.probed_at: float | None = None
        self.good_probes = 0

    @property
    def now(self) -> float:
        return self.clock.monotonic()

    def waits(self) -> bool:
        """Whether an open circuit has to wait: for its recovery, or for the probe that is out."""
        if self.open_since is None:
            return False
        since = self.probed_at if self.probed_at is not None else self.open_since
        return self.now - since < POLICY.recovery_s and not (self.probed_at is None and self.good_probes)

    @rule()
    def call(self) -> None:
        expected = not self.waits()
        admitted = self.breakers.admit("finance")
        assert admitted == expected
        if not admitted:
            return
        probe = self.open_since is not None
        if probe:
            self.probed_at = self.now
        self.under_way.append(Call(self.now, probe))

    @precondition(lambda self: self.under_way)
    @rule(data=st.data(), good=st.booleans())
    def end(self, data: st.DataObject, good: bool) -> None:
        call = self.under_way.pop(data.draw(st.integers(0, len(self.under_way) - 1)))
        if good:
            self.breakers.accepted("finance")
        else:
            self.breakers.failed("finance", "refused")
        if self.open_since is None:
            self.row_of_failures = 0 if good else self.row_of_failures + 1
            if self.row_of_failures >= POLICY.failure_threshold:
                self.open()
        elif call.probe:
            self.probe_ended(good)

    def open(self) -> None:
        self.open_since, self.probed_at, self.good_probes = self.now, None, 0

    def probe_ended(self, good: bool) -> None:
        if not good:
            self.open()
            return
        self.good_probes, self.probed_at = self.good_probes + 1, None
        if self.good_probes >= POLICY.success_threshold:
            self.open_since, self.row_of_failures = None, 0

    @precondition(lambda self: self.under_way)
    @rule()
    def a_call_is_cut_off_and_never_reported(self) -> None:
        self.under_way.pop(0)

    # Binary fractions: their sums are exact, so that a boundary is one for both sides.
    @rule(by=st.sampled_from([0.5, 4.0, 9.75, 10.0, 30.0]))
    def time_passes(self, by: float) -> None:
        while self.under_way and self.now + by - self.under_way[0].began_at > LONGEST_CALL_S:
            self.clock.advance(max(0.0, self.under_way[0].began_at + LONGEST_CALL_S - self.now))
            by -= min(by, LONGEST_CALL_S)
            self.under_way.pop(0)
        self.clock.advance(by)

    @invariant()
    def at_most_one_probe_is_out(self) -> None:
        recent = [c for c in self.under_way if c.probe and self.now - c.began_at < POLICY.recovery_s]
        assert len(recent) <= 1

    @invariant()
    def transitions_are_told_once_and_in_a_legal_order(self) -> None:
        legal = {
            ("closed", "open"),
            ("open", "half-open"),
            ("half-open", "open"),
            ("half-open", "closed"),
        }
        assert set(zip(self.told.states, self.told.states[1:], strict=False)) <= legal
        assert self.told.open == (self.told.states[-1] != "closed")
        assert (self.open_since is None) == (self.told.states[-1] == "closed")


def test_a_circuit_opens_probes_and_closes_as_its_history_says(effort: Effort) -> None:
    effort.check(Circuit, examples=80, steps=40)
