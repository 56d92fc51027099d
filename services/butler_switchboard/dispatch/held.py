"""PURE: what a plan holds until a grown-up agrees: who is asked about what, and what its writer is told (ADR 0124).

Invariant: nothing is held of what nobody else may read, of mail from the past, or of a message that is not answered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from butler_contracts.ingest import PolicyTier
from butler_contracts.request_approvals import written_request
from butler_contracts.text import plain_line
from butler_kit.textmodel.features import fold_as_long
from butler_kit.wording.privacy import keeps_private
from butler_switchboard.dispatch.buttons import TakeBack
from butler_switchboard.dispatch.model import Branch, Held, Offered, Plan, RequestState, Word
from butler_switchboard.locale import noop, say

__all__ = [
    "arguments_of",
    "branches_of",
    "closing_words",
    "decided_before",
    "is_urgent",
    "may_be_held",
    "offer_to_take_back",
    "taken_back_words",
    "told_words",
]

_SHOWN: Final = 60
_URGENT: Final = re.compile(
    r"\b(?:urgent|urgently|urgente|urgence|urgentemente|dringend|eilt|eilig|asap|right now|sofort|ahora mismo)\b"
)

_ASKED: Final = noop(
    "I have asked {whom}. With a yes it is done at once, and you need not write it again; I tell you if it is a no."
)
_TAKE_BACK: Final = noop("Take it back")
_NO: Final = noop("{name} said no to “{what}”. You can talk about it together.")
_NO_WORD: Final = noop(
    "There was no answer from {whom} in time, so nothing was done about “{what}”. Please talk to {whom} and write it "
    "again then."
)
_TAKEN_BACK: Final = noop("“{what}” is taken back, and nobody is asked about it any more.")
_DECIDED: Final = noop("“{what}” is decided already; nothing was changed.")


def may_be_held(state: RequestState) -> bool:
    """Return whether somebody may be asked about the message, and its writer told so."""
    message, context = state.message, state.message.context
    if context.sender_class != "household" or context.reply_policy != "allow" or context.automatic:
        return False
    return message.backfill_job_id is None and not keeps_private(message.text, fold_as_long)


def is_urgent(state: RequestState) -> bool:
    """Return whether the message does not wait for the end of somebody's quiet hours."""
    said = _URGENT.search(fold_as_long(state.message.text)) is not None
    return said or state.tier is PolicyTier.HIGH_PRIORITY


def arguments_of(state: RequestState, held: Held) -> str:
    """Return what is asked about, as the one text that is shown."""
    butlers = tuple(dict.fromkeys(one.butler for one in held.targets))
    return written_request(butlers, state.message.text, urgent=held.urgent)


def branches_of(held: Held) -> Sequence[Branch]:
    """Return the first attempts at what is held."""
    return [Branch(one.segment_id, one.butler, 1, one.position) for one in held.targets]


def told_words(held: Held) -> str:
    """Return what the writer is told at once."""
    asked = say(held.language, _ASKED, whom=held.whom)
    return asked if held.besides is None else f"{asked}\n\n{held.besides}"


def offer_to_take_back(state: RequestState, held: Held) -> Offered:
    """Return the button under that."""
    return Offered(TakeBack(state.request_id).action, say(held.language, _TAKE_BACK))


def closing_words(plan: Plan, text: str) -> str | None:
    """Return what Switchboard itself says at the end of a request about `text`; None if nothing."""
    held = plan.held
    if held is None or held.word is Word.UNASKED:
        return plan.said
    match held.word:
        case Word.DENIED:
            return say(held.language, _NO, name=held.said_by or held.whom, what=_shown(text))
        case Word.EXPIRED:
            return say(held.language, _NO_WORD, whom=held.whom, what=_shown(text))
        case _:
            return None


def taken_back_words(meant: RequestState, held: Held) -> str:
    return say(held.language, _TAKEN_BACK, what=_shown(meant.message.text))


def decided_before(meant: RequestState, held: Held) -> str:
    return say(held.language, _DECIDED, what=_shown(meant.message.text))


def _shown(text: str) -> str:
    return plain_line(text, most=_SHOWN)
