"""What a finished message means for extraction (pure; ADR 0085)."""

from __future__ import annotations

from butler_kit.textmodel.features import fold, fold_as_long
from butler_kit.wording.about_me import forgets_all
from butler_kit.wording.privacy import keeps_private
from butler_switchboard.dispatch.model import RequestState, SubrouteState

__all__ = ["forgets", "is_worth_reading", "makes_private"]


def forgets(state: RequestState) -> bool:
    """Return whether a member asks, now and not in history, for everything known about them to be forgotten."""
    asks = _is_a_members(state) and forgets_all(state.message.text, fold)
    return asks and state.message.backfill_job_id is None


def is_worth_reading(state: RequestState) -> bool:
    """Return whether it is a member's own current message that a butler accepted.

    History, presses, corrections and messages that they want kept private are not.
    """
    message, plan = state.message, state.plan
    if not _is_a_members(state) or message.context.automatic or message.backfill_job_id is not None:
        return False
    if message.pressed is not None or plan is None or plan.corrects is not None:
        return False
    if keeps_private(message.text, fold_as_long):
        return False
    return any(one.accepted_at is not None or one.state is SubrouteState.OK for one in state.subroutes)


def makes_private(state: RequestState) -> bool:
    """Return whether a member's edit says that its message is private; former versions did not."""
    if not _is_a_members(state) or state.message.supersedes is None:
        return False
    return keeps_private(state.message.text, fold_as_long)


def _is_a_members(state: RequestState) -> bool:
    return state.message.context.sender_class == "household"
