"""Which states of a delivery may follow which (MSG-12, D41)."""

from __future__ import annotations

import pytest

from butler_messenger.delivery.states import TERMINAL, Status, can_follow


@pytest.mark.parametrize("status", sorted(TERMINAL - {Status.UNCERTAIN}))
def test_an_end_is_final(status: Status) -> None:
    assert not any(can_follow(status, following) for following in Status)


def test_uncertain_is_left_only_by_evidence_or_an_operator() -> None:
    assert {s for s in Status if can_follow(Status.UNCERTAIN, s)} == {
        Status.SENT,
        Status.PENDING,
        Status.FAILED,
    }


def test_nothing_is_sent_without_a_call_in_progress() -> None:
    assert {s for s in Status if can_follow(s, Status.SENT)} == {Status.IN_PROGRESS, Status.UNCERTAIN}
