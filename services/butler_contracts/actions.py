"""What a person may answer a message with by one press, and the reference that its button carries (ADR 0041). Pure.

Invariant: a reference is at most 64 bytes (https://core.telegram.org/bots/api#inlinekeyboardbutton), and whoever holds
it learns nothing from it.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import Field

from butler_contracts.base import StrictModel
from butler_contracts.text import Line

__all__ = [
    "ACTIONS_MAX",
    "REFERENCE_MAX",
    "ActionId",
    "ActionV1",
    "Pressed",
    "Remedy",
    "RemedyPressed",
    "Verdict",
    "VerdictPressed",
    "id_of",
    "messengers_own",
    "pressed_of",
    "remedy_of",
    "short_id",
    "verdict_of",
]

ACTIONS_MAX: Final = 4
REFERENCE_MAX: Final = 64
_SHORT: Final = r"[A-Za-z0-9_-]{22}"
_SHORT_ID: Final = re.compile(_SHORT)
_ACTION: Final = r"[A-Za-z0-9_.-]{1,39}"
_VERDICT: Final = re.compile(rf"(approve|deny)\.({_SHORT})")
_REMEDY: Final = re.compile(rf"(resend|arrived)\.({_SHORT})")
_REFERENCE: Final = re.compile(rf"1\.({_SHORT})\.({_ACTION})")

ActionId = Annotated[str, Field(pattern=rf"^{_ACTION}$")]
"""What the butler that offered it knows it by; nobody else reads anything in it."""


class ActionV1(StrictModel):
    """One answer that is offered with a message; `label` is what a person reads."""

    id: ActionId
    label: Annotated[Line, Field(min_length=1, max_length=40)]


@dataclass(frozen=True, slots=True)
class Pressed:
    """Which action of which notification somebody pressed."""

    notification_id: UUID
    action: str

    @property
    def reference(self) -> str:
        """What the button carries to the provider and back."""
        return f"1.{short_id(self.notification_id)}.{self.action}"


def pressed_of(reference: str) -> Pressed | None:
    """What a reference stands for; None for one that is none of ours."""
    found = _REFERENCE.fullmatch(reference)
    notification_id = id_of(found[1]) if found is not None else None
    return Pressed(notification_id, found[2]) if found is not None and notification_id is not None else None


Verdict = Literal["approve", "deny"]


@dataclass(frozen=True, slots=True)
class VerdictPressed:
    """What an approver answered to a question of Messenger's own, which has an id for each whom it asks (ADR 0072)."""

    verdict: Verdict
    question_id: UUID

    @property
    def action(self) -> str:
        """The id of the action that offers it."""
        return f"{self.verdict}.{short_id(self.question_id)}"

    @property
    def pressed(self) -> Pressed:
        """What its button stands for: a notification that nobody wanted of Switchboard, known by the same id."""
        return Pressed(self.question_id, self.action)


def verdict_of(action: str) -> VerdictPressed | None:
    """The verdict that an action offers; None for any other action."""
    found = _VERDICT.fullmatch(action)
    question_id = id_of(found[2]) if found is not None else None
    if found is None or question_id is None:
        return None
    return VerdictPressed("approve" if found[1] == "approve" else "deny", question_id)


Remedy = Literal["resend", "arrived"]


@dataclass(frozen=True, slots=True)
class RemedyPressed:
    """What the owner answered to Messenger's note that a message may not have arrived (ADR 0108)."""

    remedy: Remedy
    note_id: UUID

    @property
    def action(self) -> str:
        """The id of the action that offers it."""
        return f"{self.remedy}.{short_id(self.note_id)}"

    @property
    def pressed(self) -> Pressed:
        """What its button stands for: as under a question, a notification that is known by the same id."""
        return Pressed(self.note_id, self.action)


def remedy_of(action: str) -> RemedyPressed | None:
    """The remedy that an action offers; None for any other action."""
    found = _REMEDY.fullmatch(action)
    note_id = id_of(found[2]) if found is not None else None
    if found is None or note_id is None:
        return None
    return RemedyPressed("resend" if found[1] == "resend" else "arrived", note_id)


def messengers_own(action: str) -> UUID | None:
    """The id of Messenger's own question or note that an action is offered under; None for a butler's."""
    verdict, remedy = verdict_of(action), remedy_of(action)
    if verdict is not None:
        return verdict.question_id
    return remedy.note_id if remedy is not None else None


def short_id(value: UUID) -> str:
    """An id in 22 characters."""
    return urlsafe_b64encode(value.bytes).rstrip(b"=").decode()


def id_of(short: str) -> UUID | None:
    """The id of `short_id`, of which there is one spelling; None for anything else."""
    if _SHORT_ID.fullmatch(short) is None:
        return None
    value = UUID(bytes=urlsafe_b64decode(f"{short}=="))
    return value if short_id(value) == short else None
