"""The texts about a message that failed, wholly or in part, in its sender's language (pure; SWB-08.3, 31.1).

Details for an operator are in the request's record; these texts say what to do, and end with the error's class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from butler_contracts.budgets import ends_a_budget
from butler_contracts.errors import ErrorClass, ErrorDetail
from butler_contracts.language import Language
from butler_contracts.uncertain import is_uncertain
from butler_kit.wording.language import language_of
from butler_switchboard.dispatch.model import RequestState, Subroute, SubrouteState
from butler_switchboard.locale import noop, say
from butler_switchboard.routing.verdict import NONE_TRIED

__all__ = [
    "LET_GO",
    "NOT_WORKABLE",
    "cancelled_text",
    "completed_text",
    "failure_text",
    "given_up_text",
    "language_for",
]

NOT_WORKABLE: Final = noop("it could not be worked on")
LET_GO: Final = noop("too many messages were waiting, and this was one of the oldest")

_NONE_TRIED: Final = noop(
    "no butler that could take a part of it is running, and since the parts depend on each other none was tried"
)
_DONE: Final = noop("Done: {butlers}.")
_NOT_DONE: Final = noop("Not done: {butler}: {why} {advice}")
_NOT_DONE_AT_ALL: Final = noop("Not done: {why} {advice}")
_OWN_WORDS: Final = noop("Not done: {butler}: {said}")
_PERHAPS: Final = noop("Perhaps done: {butler}: {said}")
_NOT_TRIED: Final = noop("Not done: {butler}: not tried, because {because}. {advice}")
_WAITED_FOR: Final = noop("it was to wait for {butler}, which did not succeed")
_EARLIER: Final = noop("an earlier part failed")
_WANTED_ANYWAY: Final = noop("Send this part again if you want it all the same.")
_KEPT_AS: Final = noop("Your message is kept; its number is {number}.")
_CANCELLED: Final = noop("Not done: the household's operator stopped this. What was done before that stays.")
_COMPLETED: Final = noop("The household's operator has taken care of this (number {number}).")

_WHY: Final[dict[ErrorClass, str]] = {
    ErrorClass.TIMEOUT: noop("there was no answer in time"),
    ErrorClass.TARGET_UNAVAILABLE: noop("it cannot be reached at the moment"),
    ErrorClass.OVERLOAD_REJECTED: noop("there is too much to do at the moment"),
    ErrorClass.VALIDATION_ERROR: noop("this cannot be worked with: {said}"),
    ErrorClass.ROUTING_ERROR: noop("no butler that could take it is running"),
    ErrorClass.CLASSIFICATION_ERROR: noop("I could not tell who should take it"),
    ErrorClass.INTERNAL_ERROR: noop("something broke on our side"),
}
_ADVICE: Final[dict[ErrorClass, str]] = {
    ErrorClass.TIMEOUT: noop("It may still answer late; if not, send this part again."),
    ErrorClass.TARGET_UNAVAILABLE: noop("Please send this part again in a few minutes."),
    ErrorClass.OVERLOAD_REJECTED: noop("Please send it again later."),
    ErrorClass.VALIDATION_ERROR: noop("Please say it differently."),
    ErrorClass.ROUTING_ERROR: noop("Please send it again in a few minutes."),
    ErrorClass.CLASSIFICATION_ERROR: noop("Please say it differently."),
    ErrorClass.INTERNAL_ERROR: noop("The household's operator can see it under this number."),
}


def language_for(state: RequestState, usual: Language) -> Language:
    """Return the language of the message; the household's if its words could be in several."""
    return language_of(state.message.text, usual)


def failure_text(
    state: RequestState, failed: Sequence[Subroute], error: ErrorDetail, usual: Language = "en"
) -> str:
    """Return what worked, what did not, what to do; `error` is reported if no part is to blame."""
    language = language_for(state, usual)
    worked = [item.target for item in state.latest() if item.state is SubrouteState.OK]
    lines = [say(language, _DONE, butlers=", ".join(worked))] if worked else []
    lines += [_of_part(item, state.latest(), error, language) for item in failed]
    if not failed:
        lines.append(_with_class(say(language, _NOT_DONE_AT_ALL, **_told(error, language)), error))
    return "\n".join([*lines, say(language, _KEPT_AS, number=state.request_id)])


def given_up_text(request_id: UUID, error: ErrorDetail, language: Language) -> str:
    """Return the text for a message ended without being routed; `error` has one of our own two reasons."""
    first = say(language, _NOT_DONE_AT_ALL, **_told(error, language))
    return "\n".join((_with_class(first, error), say(language, _KEPT_AS, number=request_id)))


def cancelled_text(request_id: UUID, language: Language) -> str:
    """Return the text for the sender of a message that an operator stopped."""
    return "\n".join((say(language, _CANCELLED), say(language, _KEPT_AS, number=request_id)))


def completed_text(request_id: UUID, language: Language) -> str:
    """Return the text for the sender of a message that an operator took care of."""
    return say(language, _COMPLETED, number=request_id)


def _of_part(item: Subroute, latest: Sequence[Subroute], error: ErrorDetail, language: Language) -> str:
    if item.state is SubrouteState.SKIPPED:
        return _not_tried(item, latest, language)
    of = item.error or error
    if item.error is not None and (ends_a_budget(of) or is_uncertain(of)):
        text = _PERHAPS if is_uncertain(of) else _OWN_WORDS
        return say(language, text, butler=item.target, said=of.message)
    return _with_class(say(language, _NOT_DONE, butler=item.target, **_told(of, language)), of)


def _told(error: ErrorDetail, language: Language) -> dict[str, str]:
    """Return why it failed and what to do; of an error's own words only those meant for the sender."""
    own = error.message in (LET_GO, NOT_WORKABLE)
    why = error.message if own else _WHY[error.error_class]
    why = _NONE_TRIED if error.message.endswith(NONE_TRIED) else why
    told = say(language, why, said=error.message)
    return {"why": _ended(told), "advice": say(language, _ADVICE[error.error_class])}


def _ended(text: str) -> str:
    """Add a full stop, unless the text has an end of its own: "which unit?"."""
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def _with_class(text: str, error: ErrorDetail) -> str:
    return f"{text} ({error.error_class.value})"


def _not_tried(skipped: Subroute, latest: Sequence[Subroute], language: Language) -> str:
    """Return the text for a part that waited in vain for another: which one, and what may be done."""
    failed = [
        one.target for one in latest if one.position < skipped.position and one.state is SubrouteState.ERROR
    ]
    because = say(language, _WAITED_FOR, butler=failed[-1]) if failed else say(language, _EARLIER)
    advice = say(language, _WANTED_ANYWAY)
    return say(language, _NOT_TRIED, butler=skipped.target, because=because, advice=advice)
