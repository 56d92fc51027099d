"""When a connector is online, and which of its beats counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler_switchboard.registry.eligibility import State
from butler_switchboard.registry.liveness import (
    BeatKind,
    Liveness,
    LivenessPolicy,
    Seen,
    beat_kind,
    eligibility,
    liveness,
)

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
POLICY = LivenessPolicy()


@pytest.mark.spec("CNX-12.1", "SWB-21.3")
@pytest.mark.parametrize(
    ("age_s", "expected"),
    [
        (0, Liveness.ONLINE),
        (299, Liveness.ONLINE),
        (300, Liveness.STALE),
        (900, Liveness.STALE),
        (901, Liveness.OFFLINE),
        (None, Liveness.OFFLINE),
    ],
)
def test_liveness_follows_from_the_age_of_the_last_beat(age_s, expected: Liveness):
    last = None if age_s is None else NOW - timedelta(seconds=age_s)
    assert liveness(last, NOW, POLICY) is expected


def test_the_thresholds_are_configurable():
    policy = LivenessPolicy(online_s=120, offline_s=240)
    ages = [119, 120, 240, 241]
    states = [liveness(NOW - timedelta(seconds=age), NOW, policy).value for age in ages]
    assert states == ["online", "stale", "stale", "offline"]


@pytest.mark.spec("CNX-12.2")
@given(st.floats(0, 1e6), st.booleans())
def test_a_quarantine_outranks_any_heartbeat(age_s: float, quarantined: bool):
    last = NOW - timedelta(seconds=age_s)
    state = eligibility(last, quarantined=quarantined, now=NOW, policy=POLICY)
    if quarantined:
        assert state is State.QUARANTINED
    else:
        alive = liveness(last, NOW, POLICY) is Liveness.ONLINE
        assert state is (State.ACTIVE if alive else State.STALE)


def seen(*, uptime_s: float = 600, silent_s: float = 60) -> Seen:
    last = NOW - timedelta(seconds=silent_s)
    return Seen(uuid4(), last - timedelta(seconds=uptime_s), uptime_s, last)


def kind(known: Seen | None, *, same: bool, uptime_s: float) -> BeatKind:
    instance = known.instance_id if known is not None and same else uuid4()
    return beat_kind(known, instance, uptime_s=uptime_s, received_at=NOW, policy=POLICY)


def test_beats_of_one_instance_go_forward_only():
    known = seen(uptime_s=600)
    assert kind(None, same=False, uptime_s=0) is BeatKind.FIRST
    assert kind(known, same=True, uptime_s=660) is BeatKind.NEXT
    assert kind(known, same=True, uptime_s=600) is BeatKind.LATE
    assert kind(known, same=True, uptime_s=10) is BeatKind.LATE


def test_the_instance_that_started_last_is_the_running_one():
    assert kind(seen(uptime_s=600), same=False, uptime_s=5) is BeatKind.RESTART
    assert kind(seen(uptime_s=10), same=False, uptime_s=3_600) is BeatKind.OUTDATED


def test_an_older_instance_counts_again_when_the_newer_one_is_silent():
    assert kind(seen(uptime_s=10, silent_s=301), same=False, uptime_s=3_600) is BeatKind.RESTART
