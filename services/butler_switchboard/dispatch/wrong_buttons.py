"""Puts the button "Wrong butler" under butlers' answers, where the decision was not sure (D71, ADR 0111)."""

from __future__ import annotations

from butler_contracts.actions import ACTIONS_MAX, ActionV1
from butler_contracts.language import Language
from butler_contracts.notify import NotifyRequestV1
from butler_kit.db import Pool, acquire
from butler_switchboard.dispatch.failure_words import language_for
from butler_switchboard.dispatch.own_presses import wrong_button
from butler_switchboard.dispatch.state import load_request

__all__ = ["WrongButtons"]


class WrongButtons:
    """`language` is the household's, for messages that could be in several."""

    def __init__(self, pool: Pool, *, language: Language) -> None:
        self._pool = pool
        self._language: Language = language

    async def under(self, request: NotifyRequestV1) -> NotifyRequestV1:
        """Return the intent, with the button if it is such an answer and has room for one."""
        delivery, context = request.delivery, request.request_context
        has_buttons = delivery.channel == "telegram" and delivery.intent == "reply"
        if context is None or not has_buttons or len(delivery.actions) >= ACTIONS_MAX:
            return request
        async with acquire(self._pool, doing="reading what is answered") as connection:
            state = await load_request(connection, context.request_id)
        if state is None:
            return request
        offered = wrong_button(state, request.origin_butler, language_for(state, self._language))
        if offered is None:
            return request
        actions = (*delivery.actions, ActionV1(id=offered.id, label=offered.label))
        return request.model_copy(update={"delivery": delivery.model_copy(update={"actions": actions})})
