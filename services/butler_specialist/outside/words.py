"""What the sender is told about calls that may have been made, in their language (pure; D61)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from butler_contracts.errors import ErrorDetail, InternalFailure
from butler_contracts.language import Language
from butler_contracts.uncertain import UNCERTAIN
from butler_specialist.locale import noop, say
from butler_specialist.outside.model import Called, CallState

__all__ = ["listed_calls", "look_text", "unanswered_text", "uncertain_error"]

_SHOWN: Final = 5
_BROKEN_OFF: Final = noop(
    "I was interrupted while I worked on this, and do not do it a second time by myself."
)
_DONE: Final = noop("This was done: {calls}.")
_PERHAPS: Final = noop("This may have been done, or not: {calls}.")
_NOT_DONE: Final = noop("This was refused: {calls}.")
_LOOK: Final = noop("Look how things stand before you ask again.")
_BY_STATE: Final = (
    (CallState.RETURNED, _DONE),
    (CallState.BEGUN, _PERHAPS),
    (CallState.FAILED, _NOT_DONE),
)


def uncertain_error(calls: Sequence[Called], language: Language) -> ErrorDetail:
    """Return the error of work whose session broke off after a call outside."""
    said = [say(language, _BROKEN_OFF)]
    for state, text in _BY_STATE:
        of_state = [call for call in calls if call.state is state]
        if of_state:
            said.append(say(language, text, calls=listed_calls(of_state)))
    said.append(say(language, _LOOK))
    return InternalFailure(" ".join(said), details={"original_class": UNCERTAIN}).to_detail()


def unanswered_text(calls: Sequence[Called], language: Language) -> str:
    """Return what is added to an answer whose session got no reply to a call; empty if there was none."""
    if not calls:
        return ""
    return f"{say(language, _PERHAPS, calls=listed_calls(calls))} {say(language, _LOOK)}"


def look_text(language: Language) -> str:
    """Return what to do if nobody knows whether something was done."""
    return say(language, _LOOK)


def listed_calls(calls: Sequence[Called]) -> str:
    """Return the first few calls with their arguments, as a person reads them."""
    named = [
        f"{call.server}.{call.tool}" + (f" ({call.shown})" if call.shown else "") for call in calls[:_SHOWN]
    ]
    return "; ".join(named) + (" …" if len(calls) > _SHOWN else "")
