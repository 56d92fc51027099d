"""PURE: what names a question of Messenger's own in the subject of its mail, and so in an answer to it (ADR 0076).

Invariant: a mark holds nothing but the id of the question, which nobody is told but whom it was put to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from butler_contracts.actions import id_of, short_id

__all__ = ["AnswerWritten", "answer_of", "question_mark", "question_of"]

_SHORT: Final = r"[A-Za-z0-9_-]{22}"
_MARK: Final = re.compile(rf"\(question ({_SHORT})\)")
_ACTION: Final = re.compile(rf"answer\.({_SHORT})")


def question_mark(question_id: UUID) -> str:
    """What stands in the subject of the question, and of every answer to it."""
    return f"(question {short_id(question_id)})"


def question_of(subject: str) -> UUID | None:
    """The question that a subject names; None where it names none, or several."""
    found = set(_MARK.findall(subject))
    return id_of(found.pop()) if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class AnswerWritten:
    """Somebody answered this question in words, which are the prompt."""

    question_id: UUID

    @property
    def action(self) -> str:
        """The id of the action under which it is routed, as a press is under that of its button."""
        return f"answer.{short_id(self.question_id)}"


def answer_of(action: str) -> AnswerWritten | None:
    """What `AnswerWritten.action` stands for; None for any other action."""
    found = _ACTION.fullmatch(action)
    question_id = id_of(found[1]) if found is not None else None
    return AnswerWritten(question_id) if question_id is not None else None
