"""The message and its parts as routing sees them, shared by every runtime family (SWB-03.1, SWB-03.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from typing import Any, Literal
from uuid import UUID

from butler_kit.runtime.history import NO_HISTORY, History

__all__ = ["MAX_RANGES", "Join", "MeantWord", "RouteCall", "RoutingMessage", "Segment", "Spoken"]

Join = Literal["all", "any"]
"""When a message with several parts is done: all of them succeeded, or any of them."""
MAX_RANGES = 64
"""The most character ranges that `route.v1` carries for one segment."""
_MOST_JOINING = 4
"""The most words that only join, as in "and by the way"."""
_JOINTS = (" ", "\n", "\n\n")
"""The separators of two ranges: their line breaks, at most a blank line, as where a clause is left out."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A butler that answered `to`, a message of the same conversation, `ago`; `request` tells messages apart.

    `asks`: the answer is a question to whoever writes now.
    """

    butler: str
    ago: timedelta
    to: str = ""
    request: str = ""
    asks: bool = False


@dataclass(frozen=True, slots=True)
class MeantWord:
    """What a message replies to: who worked on it or sent it, its request, and the answers it offered."""

    butlers: tuple[str, ...]
    request_id: UUID | None = None
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoutingMessage:
    """One message to route. `text` is the normalised text; all character ranges point into it.

    `spoke` are the butlers that answered recently in its conversation, latest first; `told` those that were told
    something in it over a longer time. `history` is for a model alone.
    """

    text: str
    channel: str = "api"
    subject: str | None = None
    sender_class: Literal["household", "other"] = "household"
    automatic: bool = False
    spoke: tuple[Spoken, ...] = ()
    told: tuple[Spoken, ...] = ()
    history: History = NO_HISTORY

    @property
    def has_foreign_history(self) -> bool:
        """Whether somebody with other rights than its sender spoke before in its thread."""
        return self.history.others if self.sender_class == "household" else self.history.household

    @property
    def unsaid_subject(self) -> str | None:
        """The subject, unless the text begins with it, as a mail's normalised text does."""
        said = self.subject is not None and self.text.startswith(f"Subject: {self.subject}")
        return None if said else self.subject

    @property
    def headline(self) -> int:
        """The number of characters that a mail's subject takes at the beginning of the text."""
        headed = self.channel == "email" and self.text.startswith("Subject: ")
        return len(self.text.partition("\n")[0]) if headed else 0


@dataclass(frozen=True, slots=True)
class Segment:
    """The part of the message that a prompt covers: half-open, ascending character ranges and why."""

    char_ranges: tuple[tuple[int, int], ...] = ()
    rationale: str = ""

    def excerpt(self, text: str) -> str:
        """Return the covered text: the ranges in order.

        A space joins them, or line breaks where the text has breaks or a clause between them.
        """
        gaps = [text[first[1] : second[0]] for first, second in pairwise(self.char_ranges)]
        parts = [text[start:end] for start, end in self.char_ranges]
        joints = [_JOINTS[2 if _has_more(gap) else min(gap.count("\n"), 2)] for gap in gaps]
        return "".join(part for pair in zip(parts, [*joints, ""], strict=False) for part in pair)

    def as_json(self) -> dict[str, Any]:
        """Return the form of `route.v1`'s `input.segment`; empty parts are left out."""
        ranges = [[start, end] for start, end in self.char_ranges]
        return {
            **({"char_ranges": ranges} if ranges else {}),
            **({"rationale": self.rationale} if self.rationale else {}),
        }

    @classmethod
    def whole(cls, text: str, rationale: str) -> Segment:
        """Return the segment of the entire message."""
        return cls(char_ranges=((0, len(text)),) if text else (), rationale=rationale)


def _has_more(gap: str) -> bool:
    """Return whether the gap holds a clause: words and punctuation, or more than a few joining words."""
    marked = any(mark in gap for mark in ".;!?,") and any(character.isalnum() for character in gap)
    return marked or len(gap.split()) > _MOST_JOINING


@dataclass(frozen=True, slots=True)
class RouteCall:
    """One requested route, as a session asks for it by `route_to_butler`, before any validation.

    `after` says whether it waits for the call before it, and whether that one has to succeed.
    """

    butler: str
    prompt: str
    segment: Segment = field(default_factory=Segment)
    confidence: float = 1.0
    after: Literal["always", "success"] | None = None
