"""What operators read of what was learned, and the dry run (D71, ADR 0111). It changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Final, Protocol
from uuid import UUID

from butler_kit.time import Clock
from butler_switchboard.learning.examples import version_of
from butler_switchboard.learning.models import DifferenceView, LearnedRuleView, LearnedView, TriedView
from butler_switchboard.learning.store import LearningStore
from butler_switchboard.learning.trying import differences
from butler_switchboard.routing.registry_view import RegistryView

__all__ = ["LearningDesk"]

_MOST_READ: Final = 1_000
Names = Callable[[], Awaitable[dict[UUID, str]]]
"""The contacts' names."""


class _Registry(Protocol):
    def view(self) -> RegistryView: ...


class LearningDesk:
    """Lists rules, and decides stored messages again by what was learned; `names` are the contacts'."""

    def __init__(self, store: LearningStore, registry: _Registry, names: Names, clock: Clock) -> None:
        self._store = store
        self._registry = registry
        self._names = names
        self._clock = clock

    async def listed(self, *, every: bool, limit: int) -> LearnedView:
        """Return the rules, newest first, and what the household's examples are."""
        examples = await self._store.examples()
        rows = await self._store.listed(every=every, limit=limit)
        names = await self._names()
        return LearnedView(
            learns=self._store.learns,
            examples=len(examples),
            version=version_of(examples),
            rules=[
                LearnedRuleView.model_validate(dict(row) | {"name": names.get(row["person"])}) for row in rows
            ],
        )

    async def tried(self, days: int) -> TriedView:
        """Return which of members' newest messages would go elsewhere, of the last `days`, newest first."""
        examples = await self._store.examples()
        decided = await self._store.decided(self._clock.now() - timedelta(days=days), _MOST_READ)
        people = {one.person for one in decided if one.person is not None}
        rules = {person: await self._store.rules_of(person) for person in sorted(people, key=str)}
        tried = partial(differences, decided, self._registry.view(), examples, rules)
        found = await asyncio.to_thread(tried)
        return TriedView(
            learns=self._store.learns,
            examples=len(examples),
            version=version_of(examples),
            read=len(decided),
            differences=[DifferenceView.told(one) for one in found],
        )
