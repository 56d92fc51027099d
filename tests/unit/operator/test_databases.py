"""The ledger of who has a part of a household's database: pure, by example."""

from __future__ import annotations

import json
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
from butler_resources.kinds.statuses import DATABASES_MOST, ButlerStatus

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


def test_more_butlers_than_the_status_has_room_for_leave_it_valid_and_those_it_knows_in_it() -> None:
    first = [Entry(f"m{n:05}", f"u-{n}") for n in range(DATABASES_MOST - GONE_KEPT)]
    going = [Entry(f"z{n:02}", f"u-{n}") for n in range(GONE_KEPT)]
    newer = [Entry(f"a{n:02}", f"u-a{n}") for n in range(50)]
    full = followed([*first, *going], [*newer, *first], NOW)
    assert len(full) == DATABASES_MOST
    assert [one for one in full if one.state == "InUse"] == first
    told = {"databases": to_status(full)}
    assert len(ButlerStatus.model_validate_json(json.dumps(told)).databases) == DATABASES_MOST
    room = followed(ledger_of(told), [*newer, *first[50:]], NOW)
    assert set(newer) <= set(room), "whoever comes takes the place of one that went"
