"""PURE: the order to correct which butler a part of a request was for, and its answer (D71)."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from butler_contracts.text import ButlerName
from butler_kit.operations import ActBody, Refused
from butler_switchboard.dispatch.model import RequestState
from butler_switchboard.dispatch.withdrawing import own_parts
from butler_switchboard.operations.dead_letter_models import Operated, ReplayedPart
from butler_switchboard.operations.override_models import RerouteBody

__all__ = ["CorrectBody", "CorrectedView", "part_to_correct"]


class CorrectBody(ActBody):
    """Which butler was the right one; `butler`: whose part was meant, where several have one."""

    to: ButlerName
    butler: ButlerName | None = None


class CorrectedView(Operated):
    """A part that is with the right butler now; `withdraws`: its first one is told to take back what it noted.

    `offers` is the rule that its writer is offered since their corrections agree, `ends` the butler to which a rule
    went that this correction ended (ADR 0111).
    """

    request_id: UUID
    state: Literal["corrected"]
    was: str
    was_with: str
    withdraws: bool
    rerouted_from: UUID
    part: ReplayedPart
    offers: UUID | None = None
    ends: str | None = None


def part_to_correct(state: RequestState, asked: CorrectBody) -> RerouteBody:
    """Return the reroute that a correction amounts to. Raises `Refused` if it is unclear which part."""
    others = sorted({part.target for part in own_parts(state) if part.target != asked.to})
    if asked.butler is None and not others:
        raise Refused(f"request {state.request_id} is with {asked.to} already")
    if asked.butler is None and len(others) > 1:
        raise Refused(
            f"parts of request {state.request_id} are with {', '.join(others)}; say whose part was meant"
        )
    butler = asked.butler or others[0]
    return RerouteBody(butler=butler, to=asked.to, reason=asked.reason, requested_by=asked.requested_by)
