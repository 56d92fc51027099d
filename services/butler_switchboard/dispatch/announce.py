"""Tells the person how a request ended, and where its answers contradict each other (SWB-08.2, 08.3, 29.1, 31.1).

The terminal reaction is best effort. Messages are durable: each is sent to Messenger until it is admitted, for at
most an hour; the work row stays in the queue for that time.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import structlog

from butler_contracts.actions import ActionV1
from butler_contracts.errors import ErrorClass
from butler_contracts.language import Language
from butler_kit.faults import points, reached_async
from butler_kit.time import Clock
from butler_switchboard.dispatch.arbitration import contradictions_of
from butler_switchboard.dispatch.disclosing import disclosed
from butler_switchboard.dispatch.failure_words import failure_text, language_for
from butler_switchboard.dispatch.held import closing_words
from butler_switchboard.dispatch.lifecycle import (
    CANCELLED,
    ENDED_BY_OPERATOR,
    Lifecycle,
    end_text,
    error_reply,
    is_interactive,
)
from butler_switchboard.dispatch.model import Plan, RequestState, Subroute, SubrouteState, Word
from butler_switchboard.dispatch.notify import Notifier
from butler_switchboard.dispatch.outcome import conclude, unrouted_end
from butler_switchboard.dispatch.reactions import Reactions
from butler_switchboard.dispatch.recall import Recall

__all__ = ["Announcer"]

_log = structlog.get_logger(__name__)

REACTION_WAIT_S = 2.0
GIVE_UP_AFTER = timedelta(hours=1)


class Announcer:
    """Performs `Announce` steps; `language` is the household's, for messages that could be in several."""

    def __init__(
        self,
        notifier: Notifier,
        reactions: Reactions,
        recall: Recall,
        clock: Clock,
        *,
        language: Language = "en",
    ) -> None:
        self._notifier = notifier
        self._reactions = reactions
        self._recall = recall
        self._clock = clock
        self._language: Language = language

    async def announce(self, state: RequestState) -> bool:
        """Send the announcements; return False if they have to be tried again later."""
        lifecycle_state = state.message.lifecycle_state
        if lifecycle_state in ENDED_BY_OPERATOR:
            return await self._ended_by_operator(state)
        if not await self._unasked(state):
            return False
        failed = lifecycle_state == "errored"
        silent = state.plan is None or state.plan.held is None
        if (lifecycle_state == "recorded" and silent) or (state.plan is None and not failed):
            return True
        shown = Lifecycle.ERRORED if failed else Lifecycle.PARSED
        await self._reactions.settle(state.message.context, shown, timeout_s=REACTION_WAIT_S)
        if state.plan is not None and not await self._said_of(state, state.plan):
            return False
        contradicted = disclosed(contradictions_of(state))
        if contradicted is not None and not await self._said(state, contradicted, purpose="contradiction"):
            return False
        return not failed or await self._reply(state)

    async def _ended_by_operator(self, state: RequestState) -> bool:
        """Tell the targets first: what they do not begin needs no mention. Withdraw earlier hand-overs."""
        cancelled = state.message.lifecycle_state == CANCELLED
        recalled = await self._recall.recall(_stopped(state))
        await reached_async(points.END_RECALLED)
        recalled = await self._unasked(state) and recalled
        if cancelled:
            recalled = await self._withdrawn(state.request_id) and recalled
        recalled = recalled or self._too_late(state)
        shown = Lifecycle.ERRORED if cancelled else Lifecycle.PARSED
        await self._reactions.settle(state.message.context, shown, timeout_s=REACTION_WAIT_S)
        language = language_for(state, self._language)
        text = end_text(state.message.lifecycle_state, state.request_id, language)
        return (not cancelled or await self._said(state, text)) and recalled

    async def _unasked(self, state: RequestState) -> bool:
        """Withdraw a question about it whose answer is not needed any more; return whether that is done."""
        held = state.plan.held if state.plan is not None else None
        if held is None or held.word not in (None, Word.WITHDRAWN):
            return True
        return await self._recall.unask(state.request_id) or self._too_late(state)

    async def _withdrawn(self, request_id: UUID) -> bool:
        """Withdraw what waits at Messenger; return whether nothing is left there or on its way."""
        quiet = not await self._notifier.hands_over(request_id)
        return await self._recall.withdraw(request_id) and quiet

    async def _reply(self, state: RequestState) -> bool:
        context = state.message.context
        let_go = state.plan is None and unrouted_end(state).error_class is ErrorClass.OVERLOAD_REJECTED
        if let_go and not is_interactive(context.source_channel):
            return True  # answers to a flood would be another flood
        return await self._said(state, _text(state, self._language))

    async def _said_of(self, state: RequestState, plan: Plan) -> bool:
        """Say what Switchboard itself answers, with its buttons, if it answers."""
        said = closing_words(plan, state.message.text)
        if said is None:
            return True
        actions = tuple(ActionV1(id=one.id, label=one.label) for one in plan.offers)
        return await self._said(state, said, actions=actions)

    async def _said(
        self,
        state: RequestState,
        text: str,
        *,
        purpose: str = "error_reply",
        actions: tuple[ActionV1, ...] = (),
    ) -> bool:
        request = error_reply(state.message.context_of_answer, text, actions)
        if request is None:
            return True
        response = await self._notifier.send(request, purpose=purpose)
        if response.error is None or not response.error.retryable:
            return True
        if not self._too_late(state):
            return False
        _log.error(
            "said_in_vain", purpose=purpose, request_id=str(state.request_id), error=response.error.message
        )
        return True

    def _too_late(self, state: RequestState) -> bool:
        ended = state.message.final_state_at or self._clock.now()
        return self._clock.now() - ended >= GIVE_UP_AFTER


def _stopped(state: RequestState) -> list[Subroute]:
    return [item for item in state.subroutes if item.state is SubrouteState.SKIPPED]


def _text(state: RequestState, usual: Language) -> str:
    """Return the failure text; without a plan, or an error in it, the request was given up."""
    error = (conclude(state).error if state.plan is not None else None) or unrouted_end(state)
    failed = [item for item in state.latest() if item.state is not SubrouteState.OK]
    return failure_text(state, failed, error, usual)
