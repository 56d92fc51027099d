"""PURE: the ids of the buttons that Switchboard itself offers (ADR 0041, ADR 0111).

Invariant: an id says all that is needed to understand a press, and nothing that may be done: whose press it is, and of
which message the button was, is looked up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID
from zlib import crc32

from butler_contracts.actions import id_of, short_id

__all__ = ["Always", "Never", "OwnButton", "RightButler", "TakeBack", "WrongButler", "mark_of", "own_button"]

_SHORT: Final = r"([A-Za-z0-9_-]{22})"
_ONE: Final = re.compile(rf"(wrong|always|never|unask)\.{_SHORT}")
_RIGHT: Final = re.compile(rf"to\.{_SHORT}\.([1-9][0-9]?)\.([0-9a-f]{{8}})")


@dataclass(frozen=True, slots=True)
class WrongButler:
    """Under a butler's answer: the message was another butler's."""

    request_id: UUID

    @property
    def action(self) -> str:
        return f"wrong.{short_id(self.request_id)}"


@dataclass(frozen=True, slots=True)
class RightButler:
    """Under the question which one: the part at `position` was the butler's of this mark."""

    request_id: UUID
    position: int
    mark: str

    @property
    def action(self) -> str:
        return f"to.{short_id(self.request_id)}.{self.position}.{self.mark}"


@dataclass(frozen=True, slots=True)
class Always:
    """Under the offer of a rule: yes."""

    rule_id: UUID

    @property
    def action(self) -> str:
        return f"always.{short_id(self.rule_id)}"


@dataclass(frozen=True, slots=True)
class Never:
    """Under the offer of a rule: no."""

    rule_id: UUID

    @property
    def action(self) -> str:
        return f"never.{short_id(self.rule_id)}"


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Under the word that somebody is asked: the message is not wanted any more (ADR 0124)."""

    request_id: UUID

    @property
    def action(self) -> str:
        return f"unask.{short_id(self.request_id)}"


OwnButton = WrongButler | RightButler | Always | Never | TakeBack
_KINDS: Final[dict[str, type[WrongButler | Always | Never | TakeBack]]] = {
    "wrong": WrongButler,
    "always": Always,
    "never": Never,
    "unask": TakeBack,
}


def own_button(action: str) -> OwnButton | None:
    """Return which of Switchboard's buttons an action is; None for a butler's."""
    one, right = _ONE.fullmatch(action), _RIGHT.fullmatch(action)
    if right is not None:
        request_id = id_of(right[1])
        return RightButler(request_id, int(right[2]), right[3]) if request_id is not None else None
    known = id_of(one[2]) if one is not None else None
    return _KINDS[one[1]](known) if one is not None and known is not None else None


def mark_of(butler: str) -> str:
    """Return the mark of a butler's name: short enough for a button, the same in every process."""
    return f"{crc32(butler.encode()):08x}"
