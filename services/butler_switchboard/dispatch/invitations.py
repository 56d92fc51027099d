"""PURE: an invitation that came with a mail goes to the butler that keeps appointments, as it was read (ADR 0105).

Invariant: a calendar program's own text reaches no butler, which would note the same twice or take an answer for an
appointment; what somebody wrote themselves beside a file is routed like any message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from butler_contracts.ingest import SourceChannel
from butler_contracts.invitation import CAPABILITY, SEGMENT, InvitationV1
from butler_contracts.parse import ContractViolation, parse
from butler_switchboard.dispatch.model import Plan, PlannedTarget, RequestState, Subroute
from butler_switchboard.dispatch.plans import nothing_to_do
from butler_switchboard.ingress.message import InboxMessage
from butler_switchboard.routing.registry_view import GENERAL, RegistryView

__all__ = ["INVITED", "invitation_for", "invitation_of", "plan_of_invitation", "with_invitation"]

INVITED: Final = "invitation"


def invitation_of(message: InboxMessage) -> InvitationV1 | None:
    """Return the invitation that the connector read; None for any other message."""
    raw: Mapping[str, Any] = message.envelope["payload"].get("raw") or {}
    said = raw.get("invitation")
    if said is None or message.context.source_channel is not SourceChannel.EMAIL:
        return None
    try:
        return parse(InvitationV1, said)
    except ContractViolation:
        return None


def plan_of_invitation(state: RequestState, registry: RegistryView) -> Plan | None:
    """Return the plan of a mail that is only an invitation; None for any other, or if nobody records it."""
    invitation, keeper = invitation_of(state.message), _keeper(registry)
    if invitation is None or keeper is None:
        return None
    if not invitation.is_all and not state.message.context.automatic:
        return None
    target = PlannedTarget(1, SEGMENT, keeper, state.message.text)
    return replace(nothing_to_do(state, INVITED), targets=(target,))


def with_invitation(plan: Plan, state: RequestState, registry: RegistryView) -> Plan:
    """Return the plan of a mail's words, with the invitation in place of the words its keeper would read."""
    invitation, keeper = invitation_of(state.message), _keeper(registry)
    if invitation is None or keeper is None or plan.error is not None:
        return plan
    others = tuple(one for one in plan.targets if one.butler != keeper)
    position = max((one.position for one in others), default=0) + 1
    own = PlannedTarget(position, SEGMENT, keeper, state.message.text)
    return replace(plan, targets=(*others, own))


def invitation_for(state: RequestState, plan: Plan, subroute: Subroute) -> InvitationV1 | None:
    """Return the invitation for a branch; `apart` if no butler is given the words of the mail."""
    if subroute.segment_id != SEGMENT:
        return None
    invitation = invitation_of(state.message)
    if invitation is None:
        return None
    return invitation.model_copy(update={"apart": invitation.apart and len(plan.targets) == 1})


def _keeper(registry: RegistryView) -> str | None:
    """Return the butler that records invitations: `general` if it does, else the first by name."""
    names = [one.name for one in registry.butlers if one.eligible and CAPABILITY in one.capabilities]
    return GENERAL if GENERAL in names else next(iter(names), None)
