"""What learns from corrections, and the buttons by which people correct."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from butler_kit.db import Pool
from butler_kit.operations import Operations
from butler_switchboard.assembly.known import Known
from butler_switchboard.dispatch.answers import Answers
from butler_switchboard.dispatch.model import RequestState
from butler_switchboard.dispatch.notifications import Notifications
from butler_switchboard.dispatch.own_pressing import OwnPresses
from butler_switchboard.dispatch.pressing import Presses
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.learning.desk import LearningDesk
from butler_switchboard.learning.settling import Settlers
from butler_switchboard.learning.store import LearningStore
from butler_switchboard.registry.view import Registry
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import GENERAL, RegistryView
from butler_switchboard.routing.rules.router import RulesRouter

__all__ = ["Learning", "learning"]


@dataclass(frozen=True, slots=True)
class Learning:
    """What decides, what is pressed and what operators read."""

    store: LearningStore
    presses: Presses
    answers: Answers
    settlers: Settlers
    desk: LearningDesk


def learning(
    known: Known,
    pool: Pool,
    registry: Registry,
    contacts: Contacts,
    notifications: Notifications,
    operations: Operations,
) -> Learning:
    language = known.config.butler.language
    store = LearningStore(pool, contacts.person_of, learns=known.config.routing.learn)
    ranks = _Likeliest(known.rules.router)
    own = OwnPresses(pool, store, contacts.person_of, ranks, language=language)
    return Learning(
        store=store,
        presses=Presses(notifications, own),
        answers=Answers(pool, language=language),
        settlers=Settlers(operations, contacts.person_of),
        desk=LearningDesk(store, registry, contacts.names, known.clock),
    )


@dataclass(frozen=True, slots=True)
class _Likeliest:
    """Names the butlers by how likely the rules find them for a message, the catch-all last."""

    router: RulesRouter

    def __call__(self, state: RequestState, registry: RegistryView) -> Sequence[str]:
        message = RoutingMessage(text=state.message.text, subject=state.message.subject)
        scores = dict(self.router.decide(message, registry).explanation.scores)
        return sorted(registry.names, key=lambda name: (name == GENERAL, -scores.get(name, 0.0), name))
