"""PURE: what is offered to a person whose corrections agree, and what is said about it (D71, ADR 0041, ADR 0111).

Invariant: an offer is made once, of what one person said three times with nothing against it; it is theirs alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from uuid import UUID, uuid5

from butler_contracts.language import Language
from butler_switchboard.dispatch.buttons import Always, Never
from butler_switchboard.dispatch.model import Offered
from butler_switchboard.learning.deciding import LearnedRule, RuleState
from butler_switchboard.learning.examples import LIKE, Example, agreed
from butler_switchboard.locale import noop, say

__all__ = ["answer_of", "buttons_of", "ended_words", "offer_words", "rule_to_offer"]

_MOST_RULES: Final = 50
"""Rules that one person may have, with what they were offered and did not answer."""
_NAMESPACE: Final = UUID("8f1c7d52-93a4-5b1e-8a7e-0f5f4c1d2b90")

_OFFER: Final = noop("Shall such messages of yours always go to {butler}?")
_YES: Final = noop("Yes, always")
_NO: Final = noop("No, decide each time")
_ENDED: Final = noop("The rule by which such messages went to {butler} is ended.")
_ANSWERS: Final[dict[RuleState, str]] = {
    "in_force": noop("From now on such messages of yours go to {butler}. Correct one, and the rule ends."),
    "declined": noop("Good, I go on deciding each time."),
}
_ANSWERED: Final = noop("That was answered already, so nothing was changed.")


def rule_to_offer(
    newest: Example, examples: Iterable[Example], former: Sequence[LearnedRule], *, order_uid: str
) -> LearnedRule | None:
    """Return the rule to offer after the correction `newest`; None without an agreement, or if it was offered."""
    if len(former) >= _MOST_RULES:
        return None
    found = agreed(newest.text, (one for one in examples if one.person == newest.person))
    if found is None or found.butler != newest.butler:
        return None
    if any(rule.butler == newest.butler and rule.like(newest.text) >= LIKE for rule in former):
        return None
    rule_id, texts = uuid5(_NAMESPACE, order_uid), tuple(one.text for one in found.by)
    return LearnedRule(rule_id, newest.person, newest.butler, texts, "offered")


def offer_words(butler: str, language: Language) -> str:
    return say(language, _OFFER, butler=butler)


def ended_words(butler: str, language: Language) -> str:
    return say(language, _ENDED, butler=butler)


def buttons_of(rule_id: UUID, language: Language) -> tuple[Offered, ...]:
    """Return the two answers to an offer."""
    return (
        Offered(Always(rule_id).action, say(language, _YES)),
        Offered(Never(rule_id).action, say(language, _NO)),
    )


def answer_of(state: RuleState, butler: str, language: Language, *, before: bool) -> str:
    """Return what is said to a press; `before`: the offer was answered by an earlier one."""
    text = None if before else _ANSWERS.get(state)
    return say(language, text or _ANSWERED, butler=butler)
