"""Finds what a press of one of Switchboard's own buttons is about (ADR 0041, ADR 0111)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

from butler_contracts.language import Language
from butler_kit.db import Pool, acquire
from butler_kit.wording.language import language_of
from butler_switchboard.dispatch.buttons import Always, Never, OwnButton, RightButler, TakeBack, WrongButler
from butler_switchboard.dispatch.failure_words import language_for
from butler_switchboard.dispatch.model import PersonOf, Plan, RequestState
from butler_switchboard.dispatch.notifications import Told
from butler_switchboard.dispatch.own_presses import (
    plan_of_answer_to_offer,
    plan_of_right,
    plan_of_take_back,
    plan_of_wrong,
)
from butler_switchboard.dispatch.state import load_request
from butler_switchboard.learning.store import LearningStore
from butler_switchboard.routing.registry_view import RegistryView

__all__ = ["SWITCHBOARD", "OwnPresses", "Ranks"]

SWITCHBOARD: Final = "switchboard"
Ranks = Callable[[RequestState, RegistryView], Sequence[str]]
"""Names the butlers for a message, the likeliest first."""


class OwnPresses:
    """Plans presses of Switchboard's buttons; `language` is the household's."""

    def __init__(
        self, pool: Pool, learning: LearningStore, person_of: PersonOf, ranks: Ranks, *, language: Language
    ) -> None:
        self._pool = pool
        self._learning = learning
        self._person_of = person_of
        self._ranks = ranks
        self._language: Language = language

    async def plan(
        self, state: RequestState, button: OwnButton, told: Told, registry: RegistryView
    ) -> Plan | None:
        """Return the plan; None if the message `told` had no such button, or what it is about is gone."""
        match button:
            case WrongButler(request_id) if told.request_id == request_id:
                return await self._wrong(state, request_id, told.origin, registry)
            case RightButler() if told.origin == SWITCHBOARD:
                return await self._right(state, button, registry)
            case Always(rule_id) | Never(rule_id) if told.origin == SWITCHBOARD:
                return await self._answered(state, rule_id, always=isinstance(button, Always))
            case TakeBack(request_id) if told.origin == SWITCHBOARD and told.request_id == request_id:
                meant = await _request(self._pool, request_id)
                return plan_of_take_back(state, meant) if meant is not None else None
            case _:
                return None

    async def _wrong(
        self, state: RequestState, request_id: UUID, butler: str, registry: RegistryView
    ) -> Plan | None:
        meant = await _request(self._pool, request_id)
        if meant is None:
            return None
        language = language_for(meant, self._language)
        return plan_of_wrong(state, meant, butler, self._ranks(meant, registry), registry, language)

    async def _right(self, state: RequestState, chosen: RightButler, registry: RegistryView) -> Plan | None:
        meant = await _request(self._pool, chosen.request_id)
        if meant is None:
            return None
        return plan_of_right(state, meant, chosen, registry, language_for(meant, self._language))

    async def _answered(self, state: RequestState, rule_id: UUID, *, always: bool) -> Plan | None:
        rule = await self._learning.rule(rule_id)
        if rule is None:
            return None
        person = await self._person_of(state.message.context)
        language = language_of("\n".join(rule.texts), self._language)
        return plan_of_answer_to_offer(state, rule, person, always=always, language=language)


async def _request(pool: Pool, request_id: UUID) -> RequestState | None:
    async with acquire(pool, doing="reading what a button is about") as connection:
        return await load_request(connection, request_id)
