"""What a butler had of a message before it was edited, as it is told with the edit (D54, D71)."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from butler_contracts.base import UUID7, StrictModel
from butler_contracts.text import ButlerName, Identity

__all__ = ["FORMER_MAX", "NO_BUTLER", "FormerPartV1", "SupersedesV1"]

FORMER_MAX: Final = 32
NO_BUTLER: Final = "switchboard"
"""In `moved_to`, where no butler may have the new text: it stays with Switchboard."""


class FormerPartV1(StrictModel):
    """One segment of a former version: the request and the segment that the butler knows it by."""

    request_id: UUID7
    segment_id: Identity


class SupersedesV1(StrictModel):
    """The work takes the place of these parts, the newest first.

    Where `moved_to` names anybody, the new text is theirs: nothing of it is for this butler, which lets the parts go.
    Where it names `switchboard`, no butler got the new text.
    """

    parts: Annotated[tuple[FormerPartV1, ...], Field(min_length=1, max_length=FORMER_MAX)]
    moved_to: Annotated[tuple[ButlerName, ...], Field(max_length=16)] = ()
