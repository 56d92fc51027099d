"""What spark-submit is given runs the jobs in the order in which they need each other (SWB-22.2, D34)."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from butler_rollups import cli

APPS = Path(__file__).parents[3] / "spark-apps" / "apps"
ID = "00000000-0000-0000-0000-000000000001"
SPARK = ("--engine", "spark")


def ran(
    monkeypatch: pytest.MonkeyPatch, app: str, *given: str, codes: Mapping[str, int]
) -> tuple[int, list[tuple[str, ...]]]:
    """The exit code of a program and the command lines that it performed; `codes` by job."""
    performed: list[tuple[str, ...]] = []

    def perform(arguments: Sequence[str], env: Mapping[str, str]) -> int:
        performed.append(tuple(arguments))
        return codes.get(arguments[0], 0)

    monkeypatch.setattr(cli, "perform", perform)
    monkeypatch.setattr(sys, "argv", [app, *given])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(APPS / app), run_name="__main__")
    return int(str(ended.value.code)), performed


def test_after_a_backfill_the_hours_that_are_due_come_first_then_what_it_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = ("--backfill", ID, "--json")
    code, performed = ran(monkeypatch, "backfill.py", *given, codes={})
    assert code == 0
    assert performed == [
        ("hourly", *SPARK, "--json"),
        *((job, *SPARK, *given) for job in ("hourly", "daily", "fanout")),
    ]


def test_once_a_day_the_days_come_before_what_is_made_of_messages_and_none_hides_another_s_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code, performed = ran(monkeypatch, "days.py", "--json", codes={"daily": 5})
    assert code == 5
    assert performed == [(job, *SPARK, "--json") for job in ("daily", "fanout", "quality")]
