"""PURE: where a message goes by what the household's corrections teach (D71, ADR 0111).

Invariant: it speaks only for a member's own message that no policy has decided, and only for a butler that may be
chosen now; where it is unsure, or taught two things, it says nothing. Equal teachings decide equally at each replica.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal
from uuid import UUID

from butler_switchboard.learning.examples import LIKE, Example, agreed, likeness, taught, version_of
from butler_switchboard.routing.message import RouteCall, RoutingMessage, Segment
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.verdict import Provenance, Verdict, verdict

__all__ = [
    "BY_EXAMPLES",
    "BY_RULE",
    "NOTHING",
    "LearnedRule",
    "RuleState",
    "Teachings",
    "by_learned_rule",
    "may_be_learned",
    "verdict_of_learned",
]

BY_EXAMPLES: Final = "learned"
BY_RULE: Final = "learned_rule"
"""The tags of a reason; behind each stands which correction, or which rule."""

RuleState = Literal["offered", "in_force", "declined", "ended"]


@dataclass(frozen=True, slots=True)
class LearnedRule:
    """What was offered to a person after their corrections agreed; `texts` are theirs, of these corrections."""

    rule_id: UUID
    person: UUID
    butler: str
    texts: tuple[str, ...]
    state: RuleState

    def like(self, text: str) -> float:
        """Return how like the likest of its texts is."""
        return max((likeness(text, one) for one in self.texts), default=0.0)


@dataclass(frozen=True, slots=True)
class Teachings:
    """What may decide a message: the household's examples if it learns, and the rules of the message's writer."""

    examples: tuple[Example, ...] = ()
    rules: tuple[LearnedRule, ...] = ()

    def without(self, request_id: UUID) -> Teachings:
        """Return what is left without the examples of one message."""
        return replace(self, examples=tuple(one for one in self.examples if one.request_id != request_id))


NOTHING: Final = Teachings()


@dataclass(frozen=True, slots=True)
class _Found:
    butler: str
    likeness: float
    reason: str
    version: str


def may_be_learned(message: RoutingMessage) -> bool:
    """Return whether a message may be decided by what was learned at all."""
    return _judged(message) is not None


def verdict_of_learned(message: RoutingMessage, registry: RegistryView, known: Teachings) -> Verdict | None:
    """Return the decision that rules, then examples, make for the whole message; None if they make none."""
    text = _judged(message)
    if text is None:
        return None
    found = _by_rules(text, known.rules) or _by_examples(text, known)
    if found is None or not registry.eligible(found.butler):
        return None
    segment = Segment.whole(message.text, "is like what members said was this butler's")
    call = RouteCall(found.butler, message.text, segment, confidence=found.likeness)
    source = Provenance("policy", found.version, "")
    judged = verdict([call], registry, message, 0.0, provenance=source, policy=True)
    return replace(judged, reason=found.reason)


def by_learned_rule(reason: str) -> UUID | None:
    """Return the rule that made a decision, by its reason; None if none did."""
    tag, _, rule_id = reason.partition(":")
    try:
        return UUID(rule_id) if tag == BY_RULE else None
    except ValueError:
        return None


def _judged(message: RoutingMessage) -> str | None:
    if message.sender_class != "household" or message.automatic:
        return None
    return taught(message.text, message.subject)


def _by_rules(text: str, rules: Sequence[LearnedRule]) -> _Found | None:
    like = [(rule.like(text), rule) for rule in rules if rule.state == "in_force"]
    near = sorted(
        ((how, rule) for how, rule in like if how >= LIKE),
        key=lambda found: (-found[0], str(found[1].rule_id)),
    )
    if len({rule.butler for _, rule in near}) != 1:
        return None
    how, rule = near[0]
    return _Found(rule.butler, how, f"{BY_RULE}:{rule.rule_id}", BY_RULE)


def _by_examples(text: str, known: Teachings) -> _Found | None:
    """Return what the examples agree on, unless the writer has declined that."""
    found = agreed(text, known.examples)
    if found is None:
        return None
    declined = (rule for rule in known.rules if rule.state == "declined" and rule.butler == found.butler)
    if any(rule.like(text) >= LIKE for rule in declined):
        return None
    version = f"{BY_EXAMPLES}:{version_of(known.examples)}"
    return _Found(found.butler, found.likeness, f"{BY_EXAMPLES}:{found.likest.request_id}", version)
