"""Answers to reminders that were told, as the JSON that `commit_outcome` takes (pure; ADR 0041)."""

from __future__ import annotations

from typing import Any

from butler_specialist.store.model import Outcome, RoutedWork
from butler_specialist.store.reminder_model import reminder_id

__all__ = ["answers_of"]


def answers_of(work: RoutedWork, outcome: Outcome) -> list[dict[str, Any]]:
    """Return the answers of an outcome; one that puts off refers to the new reminder of the same outcome."""
    later = reminder_id(work.request_id, work.envelope.subrequest.segment_id, 0)
    return [
        {
            "reminder_id": str(one.reminder_id),
            "due_at": one.due_at.isoformat(),
            "answer": one.answer,
            "put_off_as": str(later) if one.answer == "put_off" else None,
            "replaces": one.replaces,
        }
        for one in outcome.answers
    ]
