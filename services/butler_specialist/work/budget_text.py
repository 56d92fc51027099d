"""The texts that tell the sender a budget is used up, in their language (pure; SWB-33.1)."""

from __future__ import annotations

from typing import Final

from butler_contracts.budgets import Bound
from butler_contracts.language import Language
from butler_specialist.locale import noop, say

__all__ = ["budget_text"]

_TOO_MUCH: Final = noop(
    "This message needs more than one message may take, so nothing of it was noted. Say it in shorter messages, or let "
    "the household's owner raise the budget."
)
_TOO_LONG: Final = noop(
    "This message took longer than one message may, so nothing of it was noted. Send it again, or say it in shorter "
    "messages."
)
_DAY: Final = noop(
    "What I may spend today is used up, so nothing of this was noted. Send it again tomorrow, or let the household's "
    "owner raise the budget."
)
_PERSON: Final = noop(
    "What may be spent on your messages today is used up, so nothing of this was noted. Send it again tomorrow, or let "
    "the household's owner raise the budget."
)
_TEXTS: Final = {
    Bound.SESSION_SECONDS: _TOO_LONG,
    Bound.DAY_CENTS: _DAY,
    Bound.DAY_SESSIONS: _DAY,
    Bound.PERSON_DAY_CENTS: _PERSON,
}


def budget_text(bound: str, language: Language) -> str:
    """Return the text for a bound of `butler_contracts.budgets`."""
    return say(language, _TEXTS.get(Bound(bound), _TOO_MUCH))
