"""Notices as documents of the Events API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from butler_operator.cluster.events import event_of
from butler_operator.reconcile.notices import Notice

BUTLER = {
    "apiVersion": "butlers.dev/v1alpha1",
    "kind": "Butler",
    "metadata": {"name": "finance", "namespace": "home", "uid": "u", "resourceVersion": 7},
}


def event(note: str, *, second: int = 0) -> dict[str, Any]:
    notice = Notice("Warning", "Stalled", note)
    return event_of(BUTLER, notice, now=datetime(2027, 3, 1, 8, 0, second, tzinfo=UTC), instance="one")


@pytest.mark.parametrize("letter", ["a", "ü", "家", "🙂"])
def test_a_note_of_any_letters_is_cut_to_the_bytes_that_the_api_takes(letter: str) -> None:
    note = event(letter * 2_000)["note"]
    assert set(note) == {letter}
    assert 1_024 - len(letter.encode()) < len(note.encode()) <= 1_024


def test_a_note_that_fits_is_whole() -> None:
    assert event("nicht verfügbar")["note"] == "nicht verfügbar"


def test_the_same_notice_at_another_time_is_another_event() -> None:
    assert event("away")["metadata"]["name"] == event("away")["metadata"]["name"]
    assert event("away")["metadata"]["name"] != event("away", second=1)["metadata"]["name"]
