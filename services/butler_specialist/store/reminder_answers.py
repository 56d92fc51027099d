"""What was answered to tellings of reminders, as the JSON that `commit_outcome` takes (pure; ADR 0041)."""

from __future__ import annotations

from typing import Any

from butler_specialist.store.model import Outcome, RoutedWork
from butler_specialist.store.reminder_model import reminder_id

__all__ = ["answers_of"]


def answers_of(work: RoutedWork, outcome: Outcome) -> list[dict[str, Any]]:
    """The answers of an outcome; what is put off is put off as the reminder that the same outcome asks for."""
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
