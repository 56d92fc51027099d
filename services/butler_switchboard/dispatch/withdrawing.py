"""PURE: the branch by which a butler takes back what it noted of a part meant for another (D71, ADR 0077).

It belongs to the request that it takes back from, after the plan's own positions, and its segment names the part. To
the butler it is an edit whose words went elsewhere: the record is withdrawn, never deleted, and the answer says so.
"""

from __future__ import annotations

from typing import Final

from butler_contracts.former import FORMER_MAX, FormerPartV1, SupersedesV1
from butler_contracts.stored import stored
from butler_switchboard.dispatch.model import (
    Branch,
    Plan,
    PlannedTarget,
    RequestState,
    Subroute,
    SubrouteState,
)

__all__ = ["is_withdrawal", "lets_go", "may_have_noted", "own_parts", "planned_target", "withdrawal_of"]

_BEHIND: Final = 1000
"""More positions than any plan has."""
_SUFFIX: Final = "-withdrawn"


def is_withdrawal(branch: Subroute) -> bool:
    """Return whether the branch takes something back instead of giving something to do."""
    return branch.position > _BEHIND


def lets_go(plan: Plan, branch: Subroute) -> bool:
    """Return whether its butler only takes back what it has, by a correction or an edit for others."""
    return is_withdrawal(branch) or bool((plan.target_at(branch.position).supersedes or {}).get("moved_to"))


def own_parts(state: RequestState) -> tuple[Subroute, ...]:
    """Return the newest attempt of each part of the message itself."""
    return tuple(item for item in state.latest() if not is_withdrawal(item))


def may_have_noted(part: Subroute) -> bool:
    """Return whether its butler may have noted some of the part: it was sent, and did not surely fail."""
    if part.state is SubrouteState.ERROR:
        return part.late_ok or (part.accepted_at is not None and part.response is None)
    return part.transport_tries > 0


def withdrawal_of(state: RequestState, part: Subroute) -> Branch:
    """Return the branch by which the butler of `part` takes it back."""
    last = max((item.position for item in state.subroutes), default=0)
    return Branch(f"{part.segment_id}{_SUFFIX}", part.target, 1, max(last, _BEHIND) + 1)


def planned_target(state: RequestState, plan: Plan, branch: Subroute) -> PlannedTarget:
    """Return what the branch's butler gets: its part of the plan, or what it has to take back."""
    if not is_withdrawal(branch):
        return plan.target_at(branch.position)
    segment = branch.segment_id.removesuffix(_SUFFIX)
    taken = next(target for target in plan.targets if target.segment_id == segment)
    now = next(item.target for item in own_parts(state) if item.position == taken.position)
    parts = (FormerPartV1(request_id=state.request_id, segment_id=segment), *_edited(taken, branch.target))
    told = SupersedesV1(parts=parts[:FORMER_MAX], moved_to=(now,))
    return PlannedTarget(
        branch.position, branch.segment_id, branch.target, taken.prompt, supersedes=told.to_wire()
    )


def _edited(taken: PlannedTarget, butler: str) -> tuple[FormerPartV1, ...]:
    """Return what the part replaced at its first butler, if the message is an edit."""
    if taken.supersedes is None or taken.butler != butler:
        return ()
    return stored(SupersedesV1, taken.supersedes).parts
