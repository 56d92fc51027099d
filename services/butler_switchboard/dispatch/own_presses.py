"""PURE: the plans of presses of Switchboard's own buttons: "Wrong butler", which one, a rule, "Take it back".

Invariants: a message is corrected by who wrote it, nobody else; an offer is answered by whom it was made. What is
pressed twice changes nothing twice. What is done is what the same words would do (ADR 0077, ADR 0111).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

from butler_contracts.actions import ACTIONS_MAX
from butler_contracts.language import Language
from butler_contracts.text import plain_line
from butler_switchboard.dispatch.buttons import RightButler, WrongButler, mark_of
from butler_switchboard.dispatch.correcting import Meant, of_same_person, plan_of_correction
from butler_switchboard.dispatch.held import decided_before, taken_back_words
from butler_switchboard.dispatch.model import Offered, Plan, RequestState, Settling, Subroute, Word
from butler_switchboard.dispatch.plans import nothing_to_do
from butler_switchboard.dispatch.withdrawing import own_parts
from butler_switchboard.learning.deciding import BY_EXAMPLES, BY_RULE, LearnedRule
from butler_switchboard.locale import noop, say
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.rules.correcting import Correction

__all__ = [
    "SURE",
    "plan_of_answer_to_offer",
    "plan_of_right",
    "plan_of_take_back",
    "plan_of_wrong",
    "wrong_button",
]

SURE: Final = 0.85
"""How sure a decision is under which nobody is asked whether it was right."""
_PRESSED: Final = "pressed"
_SHOWN: Final = 60
_LABEL_MAX: Final = 40

_WRONG: Final = noop("Wrong butler")
_WHICH_ONE: Final = noop("Which butler is “{what}” for?")
_NO_OTHER: Final = noop("There is no other butler that could take “{what}” now; nothing was changed.")
_ALREADY: Final = noop("“{what}” is with {butlers} by now; nothing was changed.")
_ANOTHERS: Final = noop("Only who wrote that message can say whose it is; nothing was changed.")
_NOT_THEIRS: Final = noop("Only who wrote that message can take it back; nothing was changed.")
_NOT_ASKED: Final = noop("Somebody else was asked that; nothing was changed.")


def wrong_button(state: RequestState, butler: str, language: Language) -> Offered | None:
    """Return the button under a butler's answer to a member; None where the decision was sure, or not its."""
    message = state.message
    if message.context.sender_class != "household" or message.backfill_job_id is not None:
        return None
    if state.plan is None or not _unsure(state.plan) or _part_of(state, butler) is None:
        return None
    return Offered(WrongButler(state.request_id).action, say(language, _WRONG))


def plan_of_wrong(
    state: RequestState,
    meant: RequestState,
    butler: str,
    ranked: Sequence[str],
    registry: RegistryView,
    language: Language,
) -> Plan:
    """Ask which butler was the right one; `ranked` are the butlers' names, the likeliest first."""
    plan, what = nothing_to_do(state, _PRESSED), plain_line(meant.message.text, most=_SHOWN)
    if not of_same_person(state, meant):
        return replace(plan, said=say(language, _ANOTHERS))
    part = _part_of(state=meant, butler=butler)
    if part is None:
        now = ", ".join(sorted({one.target for one in own_parts(meant)}))
        return replace(plan, said=say(language, _ALREADY, what=what, butlers=now))
    offers = _choices(meant, part, ranked, registry)
    if not offers:
        return replace(plan, said=say(language, _NO_OTHER, what=what))
    return replace(plan, said=say(language, _WHICH_ONE, what=what), offers=offers)


def plan_of_right(
    state: RequestState, meant: RequestState, chosen: RightButler, registry: RegistryView, language: Language
) -> Plan | None:
    """Return the correction that a choice amounts to; None for a part or a butler that is not known (any more)."""
    if not of_same_person(state, meant):
        return replace(nothing_to_do(state, _PRESSED), said=say(language, _ANOTHERS))
    part = next((one for one in own_parts(meant) if one.position == chosen.position), None)
    to = next((name for name in registry.names if mark_of(name) == chosen.mark), None)
    if part is None or to is None:
        return None
    said = Correction(to, part.target, language)
    return plan_of_correction(state, said, Meant(meant), registry)


def plan_of_answer_to_offer(
    state: RequestState, rule: LearnedRule, person: UUID | None, *, always: bool, language: Language
) -> Plan:
    """Return the plan that settles an offer, by the person to whom it was made."""
    plan = nothing_to_do(state, _PRESSED)
    if rule.person != person:
        return replace(plan, said=say(language, _NOT_ASKED))
    return replace(plan, said="", settles=Settling(rule.rule_id, rule.butler, always, language))


def plan_of_take_back(state: RequestState, meant: RequestState) -> Plan | None:
    """Return the plan that takes a held message back, by who wrote it; None if it held nothing."""
    held = meant.plan.held if meant.plan is not None else None
    if held is None:
        return None
    plan = nothing_to_do(state, _PRESSED)
    if not of_same_person(state, meant):
        return replace(plan, said=say(held.language, _NOT_THEIRS))
    if held.word is Word.WITHDRAWN:
        return replace(plan, said=taken_back_words(meant, held))
    if held.word is not None or meant.concluded:
        return replace(plan, said=decided_before(meant, held))
    return replace(plan, said=taken_back_words(meant, held), takes_back=meant.request_id)


def _unsure(plan: Plan) -> bool:
    if plan.fallback or plan.reason.partition(":")[0] in (BY_EXAMPLES, BY_RULE):
        return True
    return plan.decided_by == "runtime" and plan.confidence is not None and plan.confidence < SURE


def _part_of(state: RequestState, butler: str) -> Subroute | None:
    return next((one for one in own_parts(state) if one.target == butler), None)


def _choices(
    meant: RequestState, part: Subroute, ranked: Sequence[str], registry: RegistryView
) -> tuple[Offered, ...]:
    """Return a button for each of the likeliest butlers that may have the part and never had it (D12)."""
    had = {one.target for one in meant.subroutes if one.position == part.position}
    free = [name for name in ranked if name not in had and registry.eligible(name)]
    return tuple(
        Offered(RightButler(meant.request_id, part.position, mark_of(name)).action, name[:_LABEL_MAX])
        for name in free[:ACTIONS_MAX]
    )
