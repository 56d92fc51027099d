"""What a table gives away on a narrow terminal, and what it never does."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from butler_cli.output.lists import (
    approvals,
    circuits,
    connectors,
    deliveries,
    learned,
    requests,
    schedules,
    skills,
    suppressions,
)
from butler_cli.output.moments import age, span
from butler_cli.output.tables import Column, table
from tests.support import request_lives as lives

COLUMNS = (
    Column("ID", gives="id"),
    Column("STATE"),
    Column("TRIES", "right", gives="optional"),
    Column("TEXT", gives="flexible"),
)
ROW = ("019ca8d9-0b40-7000-8000-000000000001", "parsed", 3, "a text of some length that is long")


def at_width(width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(table(COLUMNS, [ROW]))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("width", "row"),
    [
        (100, "019ca8d9-0b40-7000-8000-000000000001  parsed      3  a text of some length that is long"),
        (70, "019ca8d9-0b40-7000-8000-000000000001  parsed      3  a text of some l…"),
        (45, "019ca8d9-0b40-7000  parsed      3  a text of…"),
        (38, "019ca8d9-0b40-7000  parsed  a text of…"),
    ],
)
def test_a_narrow_terminal_cuts_texts_then_ids_then_leaves_columns_out(width: int, row: str) -> None:
    assert at_width(width)[1] == row


@pytest.mark.parametrize("width", range(1, 120))
def test_every_row_stays_one_line_at_any_width(width: int) -> None:
    assert len(at_width(width)) == 2


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"error_message": None}, "3 parked"),
        ({"error_message": "telegram: refuses the token"}, "3 parked; telegram: refuses the token"),
        (
            {"error_message": "parked: 3 parked (3 by internal_error)"},
            "parked: 3 parked (3 by internal_error)",
        ),
    ],
)
def test_messages_that_wait_parked_are_named_behind_any_other_problem(
    state: dict[str, object], words: str
) -> None:
    console = Console(file=io.StringIO(), width=200, color_system=None)
    entry = {"counters": {"messages_parked": 3}, **state}
    console.print(connectors.table_of([entry], now=datetime(2026, 11, 22, tzinfo=UTC)))
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines()[1].endswith(words)


@pytest.mark.parametrize(
    "module",
    [requests, deliveries, connectors, circuits, approvals, suppressions, learned, skills, schedules],
    ids=lambda module: module.__name__,
)
def test_every_list_fits_into_80_columns(module: object) -> None:
    row = {
        **lives.summary(),
        **lives.delivery("pending_missing_identifier"),
        "connector_type": "telegram_bot",
        "liveness": "offline",
        "state": "degraded",
        "eligibility_state": "quarantined",
        "counters": {"messages_ingested": 123_456, "messages_failed": 1, "dedupe_accepted": 7},
        "last_heartbeat_at": lives.wire(0),
        "checkpoint_updated_at": lives.wire(0),
    }
    console = Console(file=io.StringIO(), width=80, color_system=None)
    console.print(module.table_of([row], now=lives.moment(3_600)))  # type: ignore[attr-defined]
    assert isinstance(console.file, io.StringIO)
    heading, line = console.file.getvalue().splitlines()
    assert len(heading) <= 80
    assert len(line) <= 80


def test_a_schedule_says_for_whom_it_is_when_it_comes_and_what_came_of_it_last() -> None:
    entry = {
        "butler": "finance",
        "name": "bills",
        "cron": "0 7 * * 1",
        "to": None,
        "next_due": "2026-11-23T06:00:00Z",
        "runs": [{"state": "missed", "moments": 3, "due_at": "2026-11-16T06:00:00Z"}],
    }
    done = {"state": "done", "moments": 1, "due_at": "2026-11-21T00:00:00Z", "told": "Two bills are due."}
    console = Console(file=io.StringIO(), width=120, color_system=None)
    rows = [entry, {**entry, "to": "Ben", "runs": [done]}, {**entry, "runs": []}]
    console.print(schedules.table_of(rows, now=datetime(2026, 11, 22, tzinfo=UTC)))
    assert isinstance(console.file, io.StringIO)
    missed, said, new = (line.split("  ") for line in console.file.getvalue().splitlines()[1:])
    assert [cell.strip() for cell in missed if cell][-2:] == ["1 d", "missed 3 times, the last 5 d ago"]
    assert [cell.strip() for cell in said if cell][-3:] == ["Ben", "1 d", "done 1 d ago: Two bills are due."]
    assert [cell.strip() for cell in new if cell.strip()][-3:] == ["owner", "1 d", "-"]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-1, "0 ms"),
        (0.08, "80 ms"),
        (1.84, "1.8 s"),
        (45, "45 s"),
        (200, "3 min"),
        (7_300, "2 h"),
        (900_000, "10 d"),
    ],
)
def test_spans_are_said_in_their_largest_unit(seconds: float, said: str) -> None:
    assert span(seconds) == said


def test_an_age_of_nothing_is_nothing() -> None:
    assert age(None, lives.AT) is None
    assert age("yesterday", lives.AT) is None
