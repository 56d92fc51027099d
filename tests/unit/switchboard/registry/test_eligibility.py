"""Which state follows from which evidence, in the order of the decision."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from butler_switchboard.registry.eligibility import (
    Facts,
    Hold,
    Origin,
    PodEvidence,
    Signal,
    Standing,
    State,
    decide,
)
from butler_switchboard.registry.records import ButlerRecord, Registration, Report

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ALIVE = Facts("specialist", ("route.execute",), NOW - timedelta(seconds=30), 90)
ACTIVE = Standing(State.ACTIVE, "alive")
LOOPING = Standing(State.QUARANTINED, "crash_loop", Origin.AUTOMATIC, NOW - timedelta(minutes=5))


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def pod(**more) -> PodEvidence:
    ready = PodEvidence(
        ready=True,
        ready_since=NOW - seconds(600),
        unready_since=None,
        crash_loop=False,
        rollout=False,
        observed_at=NOW - seconds(5),
    )
    return replace(ready, **more)


def unready(for_s: float, **more) -> PodEvidence:
    return pod(ready=False, ready_since=None, unready_since=NOW - seconds(for_s), **more)


EVERYTHING_WRONG = replace(
    ALIVE,
    tools=("telegram_send_message",),
    last_seen_at=None,
    operator_hold=Hold("by ada"),
    manifest_hold=Hold("by manifest"),
    pod=unready(60, crash_loop=True),
)


@pytest.mark.parametrize(
    ("facts", "state", "reason"),
    [
        (EVERYTHING_WRONG, State.QUARANTINED, "operator_hold"),
        (replace(EVERYTHING_WRONG, operator_hold=None), State.QUARANTINED, "manifest_hold"),
        (
            replace(EVERYTHING_WRONG, operator_hold=None, manifest_hold=None),
            State.QUARANTINED,
            "channel_tool_ownership",
        ),
        (
            replace(ALIVE, last_seen_at=None, pod=unready(60, crash_loop=True)),
            State.QUARANTINED,
            "crash_loop",
        ),
        (replace(ALIVE, pod=unready(11)), State.STALE, "pod_unready"),
        (replace(ALIVE, last_seen_at=NOW - seconds(91)), State.STALE, "heartbeat_missed"),
        (replace(ALIVE, last_seen_at=NOW - seconds(90 + 15 * 60 + 1)), State.QUARANTINED, "not_seen"),
        (replace(ALIVE, last_seen_at=None), State.STALE, "never_seen"),
        (ALIVE, State.ACTIVE, "alive"),
    ],
)
def test_the_strongest_evidence_decides(facts: Facts, state: State, reason: str):
    verdict = decide(facts, ACTIVE, now=NOW)
    assert (verdict.state, verdict.reason) == (state, reason)


@pytest.mark.parametrize(
    "harmless",
    [
        unready(9),
        unready(600, rollout=True),
        unready(600, observed_at=NOW - seconds(61)),
        unready(600, crash_loop=True, observed_at=NOW - seconds(61)),
    ],
    ids=["just now", "our own rollout", "old evidence", "old crash loop"],
)
def test_evidence_that_says_nothing_leaves_the_heartbeat_to_decide(harmless: PodEvidence):
    assert decide(replace(ALIVE, pod=harmless), ACTIVE, now=NOW).state is State.ACTIVE


@pytest.mark.parametrize(
    ("evidence", "signal", "recovers"),
    [
        (pod(ready_since=NOW - seconds(61)), Signal.HEARTBEAT, True),
        (pod(ready_since=NOW - seconds(61)), Signal.REGISTERED, True),
        (pod(ready_since=NOW - seconds(59)), Signal.HEARTBEAT, False),
        (pod(ready_since=NOW - seconds(59)), Signal.REGISTERED, False),
        (unready(1), Signal.HEARTBEAT, False),
        (None, Signal.HEARTBEAT, False),
    ],
)
def test_a_crash_loop_needs_a_sign_of_life_and_a_ready_minute(evidence, signal: Signal, recovers: bool):
    facts = replace(ALIVE, last_seen_at=NOW, pod=evidence)
    assert (decide(facts, LOOPING, now=NOW, signal=signal).state is State.ACTIVE) is recovers


def test_a_quarantine_is_not_ended_by_a_sign_of_life_from_before_it():
    standing = Standing(State.QUARANTINED, "not_seen", Origin.AUTOMATIC, NOW - seconds(20))
    assert decide(ALIVE, standing, now=NOW).state is State.QUARANTINED
    later = replace(ALIVE, last_seen_at=NOW - seconds(10))
    assert decide(later, standing, now=NOW).reason == "heartbeat_recovery"


def test_a_clock_that_was_ahead_keeps_nobody_alive_for_long():
    ahead = replace(ALIVE, last_seen_at=NOW + timedelta(days=1))
    assert decide(ahead, ACTIVE, now=NOW).state is State.STALE


def test_messenger_may_own_channel_tools():
    facts = replace(ALIVE, role="messenger", tools=("email_send_message",))
    assert decide(facts, ACTIVE, now=NOW).state is State.ACTIVE


class Life(RuleBasedStateMachine):
    """A butler's life in random events; the record must keep the promises whatever the order."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.record = ButlerRecord("finance", "specialist", NOW)
        self.last_sign: datetime | None = None
        self.hold_until: datetime | None = None
        self.held = False
        self.manifest = False

    def keep(self, record: ButlerRecord, signal: Signal = Signal.NONE) -> None:
        self.record = record.judged(now=self.now, signal=signal)
        if self.held and self.hold_until is not None and self.now >= self.hold_until:
            self.held = False

    @rule(by=st.sampled_from([1, 5, 20, 61, 100, 1_000, 5_000]))
    def time_passes(self, by: int) -> None:
        self.now += seconds(by)

    @rule()
    def sweep(self) -> None:
        self.keep(self.record)

    @rule(tools=st.sampled_from([("route.execute",), ("route.execute", "telegram_send_message")]))
    def register(self, tools: tuple[str, ...]) -> None:
        self.last_sign = self.now
        self.keep(self.record.registered(Registration(tools=tools), now=self.now), Signal.REGISTERED)

    @precondition(lambda self: self.record.registered_at is not None)
    @rule()
    def heartbeat(self) -> None:
        self.last_sign = self.now
        self.keep(replace(self.record, last_seen_at=self.now), Signal.HEARTBEAT)

    @rule(ready=st.booleans(), crash_loop=st.booleans(), restarts=st.integers(0, 3), rollout=st.booleans())
    def report(self, ready: bool, crash_loop: bool, restarts: int, rollout: bool) -> None:
        report = Report(ready, restarts, crash_loop and not ready, self.now, rollout)
        self.keep(self.record.reported(report, now=self.now))

    @rule(until=st.sampled_from([None, 30, 600]))
    def quarantine(self, until: int | None) -> None:
        self.hold_until = None if until is None else self.now + seconds(until)
        self.held = True
        self.keep(self.record.held(Hold("by ada", self.hold_until), now=self.now))

    @rule()
    def release(self) -> None:
        if self.record.quarantine_origin is not Origin.MANIFEST:
            self.held = False
            self.keep(self.record.released())

    @rule(held=st.booleans())
    def edit_manifest(self, held: bool) -> None:
        self.manifest = held
        self.keep(replace(self.record, manifest_hold_reason="frozen" if held else None))

    @invariant()
    def a_hold_in_force_is_a_quarantine(self) -> None:
        verdict = self.record.judged(now=self.now)
        in_force = self.held and (self.hold_until is None or self.now < self.hold_until)
        if in_force or self.manifest:
            assert verdict.eligibility_state is State.QUARANTINED

    @invariant()
    def who_is_active_has_lately_shown_life_and_offers_no_channel_tools(self) -> None:
        verdict = self.record.judged(now=self.now)
        if verdict.eligibility_state is State.ACTIVE:
            assert self.last_sign is not None
            assert self.now - self.last_sign <= seconds(90)
            assert "telegram_send_message" not in verdict.tools
            assert (
                verdict.pod is None
                or not verdict.pod.crash_loop
                or self.now - verdict.pod.observed_at > seconds(60)
            )

    @invariant()
    def quarantine_columns_are_set_exactly_in_quarantine(self) -> None:
        verdict = self.record.judged(now=self.now)
        quarantined = verdict.eligibility_state is State.QUARANTINED
        told = (verdict.quarantined_at, verdict.quarantine_reason, verdict.quarantine_origin)
        assert all((value is not None) == quarantined for value in told)

    @invariant()
    def judging_again_changes_nothing(self) -> None:
        verdict = self.record.judged(now=self.now)
        assert verdict.judged(now=self.now) == verdict


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
