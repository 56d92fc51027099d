"""PURE: the plan for a member's "no, that was for finance" (D71, ADR 0077).

Invariant: it changes one part of one message of the same person, or nothing, and says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from butler_contracts.ingest import SourceChannel
from butler_contracts.text import plain_line
from butler_switchboard.dispatch.lifecycle import ENDED_BY_OPERATOR
from butler_switchboard.dispatch.model import Correcting, Plan, RequestState, Subroute
from butler_switchboard.dispatch.plans import nothing_to_do
from butler_switchboard.dispatch.withdrawing import may_have_noted, own_parts
from butler_switchboard.locale import noop, say
from butler_switchboard.operations.correction_models import CorrectedView
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.rules.correcting import Correction, correction_in
from butler_switchboard.routing.rules.follow_up import own_words

__all__ = [
    "Meant",
    "has_buttons",
    "of_same_person",
    "operation_uid",
    "plan_of_correction",
    "plan_of_deed",
    "said_by_member",
    "words_of",
]

_SHOWN: Final = 60
"""How many characters of a message are shown for its writer to recognise it."""


@dataclass(frozen=True, slots=True)
class Meant:
    """The message that a correction is about; `butler` is the one whose words are replied to."""

    request: RequestState
    butler: str | None = None


def operation_uid(state: RequestState) -> str:
    """Return the key under which the correction in a message is carried out, once."""
    return f"correction:{state.request_id}"


def words_of(state: RequestState) -> str:
    """Return what the sender wrote themselves."""
    return own_words(state.message.text, state.message.subject)


def said_by_member(state: RequestState, registry: RegistryView) -> Correction | None:
    """Return the correction in a member's own new message; a stranger's words, and history, are content."""
    message = state.message
    member = message.context.sender_class == "household" and not message.context.automatic
    if not member or message.supersedes is not None or message.backfill_job_id is not None:
        return None
    return correction_in(words_of(state), registry.names)


def has_buttons(state: RequestState) -> bool:
    """Return whether the answer to a message may carry buttons of Switchboard's own."""
    context = state.message.context
    return context.source_channel is SourceChannel.TELEGRAM and context.reply_policy == "allow"


def of_same_person(state: RequestState, earlier: RequestState) -> bool:
    """Return whether one member wrote both, in one conversation or not."""
    mine, theirs = state.message.context, earlier.message.context
    return theirs.sender_class == "household" and (
        (mine.source_channel, mine.source_sender_identity.lower())
        == (theirs.source_channel, theirs.source_sender_identity.lower())
    )


def plan_of_correction(state: RequestState, said: Correction, meant: Meant, registry: RegistryView) -> Plan:
    """Return the plan: what is done (`corrects`), and the answer, also if done, impossible or unclear."""
    parts, of = own_parts(meant.request), said.of or meant.butler
    named = [part for part in parts if of is None or part.target == of]
    wrong = [part for part in named if part.target != said.to]
    answer = _Answer(said, meant.request)
    plan = nothing_to_do(state, f"correction_of:{meant.request.request_id}")
    if not named:
        return replace(plan, said=answer.elsewhere(of or "", parts))
    if not wrong:
        return replace(plan, said=answer.already())
    if len(wrong) > 1:
        return replace(plan, said=answer.which(wrong))
    asked = _asked(wrong[0], said.to)
    held = next((name for name in asked if not registry.eligible(name)), None)
    if held is not None:
        return replace(plan, said=answer.held(held))
    if meant.request.message.lifecycle_state in ENDED_BY_OPERATOR:
        return replace(plan, said=answer.too_late())
    corrects = Correcting(
        meant.request.request_id,
        wrong[0].target,
        said.to,
        otherwise=answer.too_late(),
        held={name: answer.held(name) for name in asked},
        language=said.language,
    )
    return replace(plan, said=answer.done(wrong[0], withdraws=may_have_noted(wrong[0])), corrects=corrects)


def plan_of_deed(state: RequestState, said: Correction, corrected: RequestState, deed: CorrectedView) -> Plan:
    """Return the plan of a correction that is done already: what it says was decided before."""
    answer = _Answer(said, corrected)
    part = next(item for item in corrected.subroutes if item.subrequest_id == deed.rerouted_from)
    corrects = Correcting(
        corrected.request_id,
        deed.was_with,
        deed.part.target,
        otherwise=answer.too_late(),
        held={},
        language=said.language,
    )
    plan = nothing_to_do(state, f"correction_of:{corrected.request_id}")
    return replace(plan, said=answer.done(part, withdraws=deed.withdraws), corrects=corrects)


def _asked(part: Subroute, to: str) -> tuple[str, ...]:
    """Return the butlers that would have to take something."""
    return (to, part.target) if may_have_noted(part) else (to,)


_DONE: Final = noop("“{what}” goes to {to}; {butler} takes back what it noted of it.")
_GOES: Final = noop("“{what}” goes to {to}.")
_ALREADY: Final = noop("“{what}” is with {to} already.")
_ELSEWHERE: Final = noop("“{what}” is not with {butler} but with {butlers}; nothing was changed.")
_WHICH: Final = noop(
    "Which part of “{what}” do you mean? It is with {butlers}. Say it with both names: from {butler} to {to}"
)
_HELD: Final = noop(
    "{butler} takes nothing at the moment, so nothing was changed. Please say it again later."
)
_TOO_LATE: Final = noop(
    "“{what}” cannot go to {to} any more, and nothing was changed. Please write it to {to} again."
)


class _Answer:
    """The answers, in the language of the correction."""

    def __init__(self, said: Correction, meant: RequestState) -> None:
        self._language = said.language
        self._meant = meant
        self._known = {"what": _shown(meant.message.text), "to": said.to}

    def done(self, part: Subroute, *, withdraws: bool) -> str:
        plan = self._meant.plan
        what = plan.target_at(part.position).prompt if plan is not None else self._meant.message.text
        return self._say(_DONE if withdraws else _GOES, what=_shown(what), butler=part.target)

    def already(self) -> str:
        return self._say(_ALREADY)

    def elsewhere(self, butler: str, parts: Sequence[Subroute]) -> str:
        return self._say(_ELSEWHERE, butler=butler, butlers=_names(parts))

    def which(self, parts: Sequence[Subroute]) -> str:
        return self._say(_WHICH, butlers=_names(parts), butler=parts[0].target)

    def held(self, butler: str) -> str:
        return self._say(_HELD, butler=butler)

    def too_late(self) -> str:
        return self._say(_TOO_LATE)

    def _say(self, text: str, **more: str) -> str:
        return say(self._language, text, **(self._known | more))


def _shown(text: str) -> str:
    return plain_line(text, most=_SHOWN)


def _names(parts: Sequence[Subroute]) -> str:
    return ", ".join(part.target for part in parts)
