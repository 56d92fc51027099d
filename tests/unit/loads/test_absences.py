"""A message that failed is a loss, unless the scenario says whose absence it met (D77)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from butler_contracts.ingest import SourceChannel
from tests.flow.household.load import End, Handed
from tests.support.absences import WAITS, Absence, Failure, losses_of

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
AWAY = Absence("finance", NOON, NOON + timedelta(minutes=1), at_most=2)
TOLD = Failure("a message", True, "target_unavailable", ("finance",), NOON + timedelta(seconds=30))


def test_with_nobody_away_every_failure_is_a_loss():
    assert losses_of([TOLD]) == ["a message ended with target_unavailable of finance"]
    assert losses_of([]) == []


def test_a_chat_is_told_of_a_butler_that_is_away_and_that_is_no_loss():
    late = replace(TOLD, ended_at=AWAY.until + WAITS)
    assert losses_of([TOLD, late], [AWAY]) == []


@pytest.mark.parametrize(
    "other",
    [
        replace(TOLD, in_chat=False),
        replace(TOLD, error_class="timeout"),
        replace(TOLD, error_class=None),
        replace(TOLD, targets=("health",)),
        replace(TOLD, targets=("finance", "health")),
        replace(TOLD, targets=()),
        replace(TOLD, ended_at=NOON - timedelta(seconds=1)),
        replace(TOLD, ended_at=AWAY.until + WAITS + timedelta(seconds=1)),
    ],
)
def test_an_absence_explains_nothing_else(other):
    assert len(losses_of([TOLD, other], [AWAY])) == 1


def test_an_absence_explains_only_so_many():
    assert losses_of([TOLD] * 3, [AWAY]) == ["3 messages were told that finance is away, where 2 may be"]


def test_a_household_s_load_reads_a_failure_from_the_ops_api():
    request = {
        "lifecycle_state": "errored",
        "error": {"error_class": "target_unavailable", "message": "finance is away"},
        "final_state_at": "2026-01-01T12:00:30Z",
        "subroutes": [{"target": "finance", "state": "error"}, {"target": "health", "state": "ok"}],
    }
    end = End(Handed(SourceChannel.TELEGRAM, "ada", 1, "7", "key"), request, [])
    assert replace(end.failure, message=TOLD.message) == TOLD
