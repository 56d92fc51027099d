"""What goes to Messenger with a butler's answer: the button "Wrong butler", and whether no other butler answers.

The button is for decisions that were not sure (D71, ADR 0111); who answers alone may need no mark (ADR 0126).
"""

from __future__ import annotations

from dataclasses import dataclass

from butler_contracts.actions import ACTIONS_MAX, ActionV1
from butler_contracts.language import Language
from butler_contracts.notify import NotifyRequestV1
from butler_kit.db import Pool, acquire
from butler_switchboard.dispatch.failure_words import language_for
from butler_switchboard.dispatch.model import RequestState
from butler_switchboard.dispatch.own_presses import wrong_button
from butler_switchboard.dispatch.state import load_request

__all__ = ["Answer", "Answers", "answers_alone"]


@dataclass(frozen=True, slots=True)
class Answer:
    """An intent as it goes to Messenger; `alone` means that its butler is the only one that got the message."""

    request: NotifyRequestV1
    alone: bool = False


class Answers:
    """`language` is the household's, for messages that could be in several."""

    def __init__(self, pool: Pool, *, language: Language) -> None:
        self._pool = pool
        self._language: Language = language

    async def of(self, request: NotifyRequestV1) -> Answer:
        """Return the intent; a reply on Telegram with its button, if it has room for one."""
        delivery, context = request.delivery, request.request_context
        if context is None or delivery.channel != "telegram" or delivery.intent != "reply":
            return Answer(request)
        async with acquire(self._pool, doing="reading what is answered") as connection:
            state = await load_request(connection, context.request_id)
        if state is None:
            return Answer(request)
        return Answer(self._with_button(request, state), answers_alone(state, request.origin_butler))

    def _with_button(self, request: NotifyRequestV1, state: RequestState) -> NotifyRequestV1:
        delivery = request.delivery
        if len(delivery.actions) >= ACTIONS_MAX:
            return request
        offered = wrong_button(state, request.origin_butler, language_for(state, self._language))
        if offered is None:
            return request
        actions = (*delivery.actions, ActionV1(id=offered.id, label=offered.label))
        return request.model_copy(update={"delivery": delivery.model_copy(update={"actions": actions})})


def answers_alone(state: RequestState, butler: str) -> bool:
    """Return whether no other butler has, had or will get any of the message, and Switchboard says nothing to it."""
    if state.plan is None or state.plan.said is not None:
        return False
    asked = {one.butler for one in state.plan.targets} | {one.target for one in state.subroutes}
    return asked == {butler}
