"""PURE: the dry run: what would have become of messages by what was learned (D71, ADR 0111).

Invariant: a message never decides about itself: the examples that came of it are left out. What somebody wrote in
confidence is not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from butler_kit.textmodel.features import fold_as_long
from butler_kit.wording.privacy import keeps_private
from butler_switchboard.learning.deciding import LearnedRule, Teachings, verdict_of_learned
from butler_switchboard.learning.examples import Example
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.registry_view import RegistryView

__all__ = ["Decided", "Difference", "differences"]


@dataclass(frozen=True, slots=True)
class Decided:
    """A stored message of `person`, and the butlers that it went to."""

    request_id: UUID
    received_at: datetime
    person: UUID | None
    message: RoutingMessage
    butlers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A message that would go to `butler` by what was learned; `reason` as it would be recorded."""

    decided: Decided
    butler: str
    confidence: float
    reason: str


def differences(
    decided: Iterable[Decided],
    registry: RegistryView,
    examples: Sequence[Example],
    rules: Mapping[UUID, Sequence[LearnedRule]],
) -> list[Difference]:
    """Return the messages that would go elsewhere, in the order given."""
    found = (_difference(one, registry, examples, rules) for one in decided)
    return [one for one in found if one is not None]


def _difference(
    one: Decided,
    registry: RegistryView,
    examples: Sequence[Example],
    rules: Mapping[UUID, Sequence[LearnedRule]],
) -> Difference | None:
    if keeps_private(one.message.text, fold_as_long):
        return None
    theirs = rules.get(one.person, ()) if one.person is not None else ()
    known = Teachings(tuple(examples), tuple(theirs)).without(one.request_id)
    judged = verdict_of_learned(one.message, registry, known)
    if judged is None or [target.butler for target in judged.targets] == list(one.butlers):
        return None
    return Difference(one, judged.targets[0].butler, judged.confidence, judged.reason)
