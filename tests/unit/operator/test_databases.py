"""The ledger of who has a part of a household's database: pure, by example."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from butler_operator.reconcile.databases import (
    GONE_KEPT,
    Entry,
    departures,
    followed,
    heard,
    ledger_of,
    overdue,
    to_status,
)

NOW = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
GARDEN = Entry("garden", "u-1", "delete")


def gone(entry: Entry = GARDEN) -> Entry:
    (found,) = followed([entry], [], NOW)
    return found


def test_the_moment_of_a_deletion_is_kept_over_looks_and_restarts() -> None:
    later = followed([gone()], [], NOW + timedelta(hours=1))
    assert later == [gone()] == ledger_of({"databases": to_status([gone()])})


def test_nobody_is_due_before_the_time_is_over_and_the_next_look_is_then() -> None:
    assert overdue([gone()], NOW + timedelta(seconds=20), after_s=60) == ([], 40.0)
    assert overdue([gone()], NOW + timedelta(seconds=60), after_s=60) == ([gone()], None)


def test_only_what_is_proved_is_told_to_the_pods() -> None:
    assert departures([GARDEN, gone()]) == ()
    (told,) = departures([Entry("garden", "u-1", "delete", "Leaving", "2026-03-01T10:00:00Z", proved=True)])
    assert (told.butler, told.uid, told.drop) == ("garden", "u-1", True)


def test_what_a_pod_said_of_an_earlier_butler_of_the_name_says_nothing_of_this_one() -> None:
    said = [{"departed": {"dropped": ["garden=u-0"]}}]
    assert heard([gone(), GARDEN], said) == [gone(), GARDEN]
    (done,) = heard([gone()], [{"departed": {"retained": ["garden=u-1"], "left": ["x=y"]}}])
    assert done.state == "Retained"


def test_the_longest_gone_are_forgotten_and_nobody_who_is_there() -> None:
    many = [
        Entry(f"b{n:03}", str(n), state="Dropped", gone_since=f"2026-01-{n % 28 + 1:02}T00:00:00Z")
        for n in range(80)
    ]
    kept = followed(many, [GARDEN], NOW)
    assert len(kept) == GONE_KEPT + 1
    assert GARDEN in kept
