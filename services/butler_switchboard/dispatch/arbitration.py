"""Decides which answer counts if the butlers of one request contradict each other (pure; SWB-29.1, ADR 0096).

Two answers contradict each other if both make a claim about one subject, with different values. The winner has the
highest arbitration priority, then the first name, then the first subrequest id; there is none if the claims are not
decidable or a butler contradicts itself. Invariant: decided from the committed plan and the stored answers alone, in
whatever order they came, so that every replica and every run decides the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from butler_contracts.claims import ClaimV1, claims_of
from butler_switchboard.dispatch.model import RequestState, Subroute, SubrouteState
from butler_switchboard.dispatch.withdrawing import own_parts

__all__ = ["Claimed", "Contradiction", "DecidedBy", "arbitrate", "contradictions_of", "standings"]

DecidedBy = Literal["priority", "name", "subrequest"]


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim and the butler that made it."""

    butler: str
    subrequest_id: UUID
    priority: int
    claim: ClaimV1

    @property
    def rank(self) -> tuple[int, str, str]:
        """The sort key: the lower, the more it counts; no two subrequests are equal."""
        return (-self.priority, self.butler, str(self.subrequest_id))


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Differing claims about one subject, in the order of their ranks; without `by` nobody is right.

    A claim with the winner's value has won as well.
    """

    claimed: tuple[Claimed, ...]
    by: DecidedBy | None

    @property
    def winner(self) -> Claimed | None:
        return self.claimed[0] if self.by is not None else None

    @property
    def losers(self) -> tuple[Claimed, ...]:
        """The claims that differ from the winner's; all of them if there is no winner."""
        if self.by is None:
            return self.claimed
        return tuple(one for one in self.claimed if one.claim.has != self.claimed[0].claim.has)


def arbitrate(claimed: Iterable[Claimed]) -> tuple[Contradiction, ...]:
    """Return the contradictions among claims, by subject; one that contradicts only itself is left alone."""
    by_subject: dict[str, list[Claimed]] = {}
    for one in sorted(claimed, key=lambda one: (*one.rank, one.claim.has)):
        by_subject.setdefault(one.claim.about, []).append(one)
    return tuple(
        Contradiction(tuple(said), _decided_by(said))
        for _, said in sorted(by_subject.items())
        if len({one.claim.has for one in said}) > 1 and len({one.subrequest_id for one in said}) > 1
    )


def _decided_by(said: list[Claimed]) -> DecidedBy | None:
    first = said[0]
    if not all(one.claim.decidable for one in said):
        return None
    if any(one.subrequest_id == first.subrequest_id and one.claim.has != first.claim.has for one in said):
        return None
    next_best = next(one for one in said if one.claim.has != first.claim.has)
    if first.priority != next_best.priority:
        return "priority"
    return "name" if first.butler != next_best.butler else "subrequest"


def contradictions_of(state: RequestState) -> tuple[Contradiction, ...]:
    """Return the contradictions of the butlers that have done their part of the message."""
    return arbitrate(_claimed(state))


def standings(found: Iterable[Contradiction], subrequest: UUID) -> list[dict[str, str | None]]:
    """Return the outcome of a subrequest's contradicted claims, as it is stored with the request."""
    return [
        {
            "subject": one.claim.subject,
            "value": one.claim.value,
            "standing": _standing(one, conflict),
            "decided_by": conflict.by,
        }
        for conflict in found
        for one in conflict.claimed
        if one.subrequest_id == subrequest
    ]


def _standing(one: Claimed, conflict: Contradiction) -> str:
    if conflict.by is None:
        return "undecided"
    return "lost" if one in conflict.losers else "won"


def _claimed(state: RequestState) -> Iterator[Claimed]:
    done: list[Subroute] = [item for item in own_parts(state) if item.state is SubrouteState.OK]
    if state.plan is None or len(done) < 2:
        return
    priorities = {target.butler: target.precedence for target in state.plan.targets}
    for item in done:
        for claim in claims_of(item.response):
            yield Claimed(item.target, item.subrequest_id, priorities.get(item.target, 0), claim)
