"""Gives a message to the butler it was for, and keeps the pair as a label (SWB-37, D71, ADR 0077).

Invariants: a correction is a reroute whose first butler takes back what it noted, in the same transaction as its
label and its audit; said twice it is done once. A withdrawal is an open branch of the request until its butler has
done it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal
from uuid import UUID

from butler_contracts.errors import Conflict, NotFound
from butler_contracts.stored import stored
from butler_kit.db import NamedQueries
from butler_kit.operations import Acting, Effect, Operations, Order
from butler_switchboard.dispatch.correcting import has_buttons, operation_uid, words_of
from butler_switchboard.dispatch.model import Correcting, PersonOf, Plan, RequestState, Subroute
from butler_switchboard.dispatch.plans import nothing_to_do
from butler_switchboard.dispatch.recall import Recall
from butler_switchboard.dispatch.state import add_branches
from butler_switchboard.dispatch.withdrawing import may_have_noted, withdrawal_of
from butler_switchboard.learning.deciding import by_learned_rule
from butler_switchboard.learning.examples import Example, example_of
from butler_switchboard.learning.offering import buttons_of, ended_words, offer_words
from butler_switchboard.learning.settling import end_rule, offer_after
from butler_switchboard.operations.correction_models import CorrectBody, CorrectedView, part_to_correct
from butler_switchboard.operations.dead_letters import Waker
from butler_switchboard.operations.rerouting import (
    Held,
    Rerouted,
    check_not_held,
    reroute_part,
    tell_rerouted,
)

__all__ = ["Correctors"]

_KEEP: Final = NamedQueries("butler_switchboard", "sql/corrections.sql")["keep"]
_TEXT_MAX: Final = 4_000
"""The most characters kept in a label."""
SaidBy = Literal["member", "operator"]


class Correctors:
    """Carries out members' and operators' corrections; `person_of` names the member for the audit."""

    def __init__(self, operations: Operations, waker: Waker, recall: Recall, person_of: PersonOf) -> None:
        self._operations = operations
        self._waker = waker
        self._recall = recall
        self._person_of = person_of

    async def carry_out(self, state: RequestState, plan: Plan, corrects: Correcting) -> Plan:
        """Carry out a member's correction; return the plan, which says otherwise if it is too late."""
        asked = CorrectBody(
            butler=corrects.butler, to=corrects.to, reason=words_of(state) or "said in a message"
        )
        person = await self._person_of(state.message.context)
        order = Order(
            uid=operation_uid(state),
            action="request.correct",
            target=f"request/{corrects.request_id}",
            reason=asked.reason,
            actor=f"member:{person or 'unknown'}",
            params={"butler": corrects.butler, "to": corrects.to},
        )
        try:
            taught_by = person if has_buttons(state) else None
            done = await self._correct(
                corrects.request_id, asked, order, said_by="member", taught_by=taught_by
            )
        except Held as held:
            said = corrects.held.get(held.butler, corrects.otherwise)
            return replace(nothing_to_do(state, plan.reason), said=said)
        except (Conflict, NotFound):
            return replace(nothing_to_do(state, plan.reason), said=corrects.otherwise)
        return _with_what_was_learned(plan, corrects, done)

    async def correct(self, request_id: UUID, asked: CorrectBody, order: Order) -> CorrectedView:
        """Carry out an operator's correction. Raises as `Rerouting.reroute`."""
        return await self._correct(request_id, asked, order, said_by="operator")

    async def _correct(
        self,
        request_id: UUID,
        asked: CorrectBody,
        order: Order,
        *,
        said_by: SaidBy,
        taught_by: UUID | None = None,
    ) -> CorrectedView:
        """Correct once; `taught_by` is the member who can be offered a rule."""
        left: list[Subroute] = []

        async def act(acting: Acting) -> Effect:
            done = await reroute_part(acting, request_id, lambda state: part_to_correct(state, asked))
            left.append(done.part)
            withdraws = await _withdraw(acting, done)
            await _keep(acting, done, said_by)
            ends = await _end_rule(acting, done)
            offered = await offer_after(acting.connection, _example(done, taught_by), order_uid=order.uid)
            summary = f"the part of {done.part.target} ({done.part.state.value}) was {asked.to}'s"
            answer = done.answer() | {
                "state": "corrected",
                "was_with": done.part.target,
                "withdraws": withdraws,
                "offers": str(offered.rule_id) if offered is not None else None,
                "ends": ends,
            }
            return Effect(answer, summary, request_id=request_id)

        done = await self._operations.run(order, act)
        if not done.repeated:
            await tell_rerouted(request_id, left, self._waker, self._recall)
        return stored(CorrectedView, done.document())


async def _withdraw(acting: Acting, done: Rerouted) -> bool:
    """Add a branch for the first butler to take back what it noted; return whether there is anything.

    A butler that is not declared any more has nothing to take back.
    """
    if not may_have_noted(done.part):
        return False
    if await check_not_held(acting.connection, done.part.target) is None:
        return False
    branch = withdrawal_of(done.state, done.part)
    await add_branches(acting.connection, done.state.request_id, [branch])
    return True


async def _keep(acting: Acting, done: Rerouted, said_by: SaidBy) -> None:
    order, state = acting.order, done.state
    await acting.connection.execute(
        _KEEP,
        order.uid,
        state.request_id,
        done.part.segment_id,
        order.who,
        said_by,
        state.message.context.sender_class,
        _label(done),
        done.part.target,
        done.branch.target,
    )


def _label(done: Rerouted) -> str:
    """Return the words of the part that was corrected."""
    plan, position = done.state.plan, done.part.position
    planned = [one.prompt for one in plan.targets if one.position == position] if plan is not None else []
    return "".join(planned)[:_TEXT_MAX]


def _example(done: Rerouted, person: UUID | None) -> Example | None:
    """Return what the correction teaches, as it is read back later."""
    if person is None:
        return None
    return example_of(
        request_id=done.state.request_id,
        segment_id=done.part.segment_id,
        person=person,
        text=_label(done),
        butler=done.branch.target,
    )


async def _end_rule(acting: Acting, done: Rerouted) -> str | None:
    """End the rule that had sent the message to the wrong butler; return that butler's name."""
    rule_id = by_learned_rule(done.state.plan.reason) if done.state.plan is not None else None
    return await end_rule(acting.connection, rule_id, acting.order) if rule_id is not None else None


def _with_what_was_learned(plan: Plan, corrects: Correcting, done: CorrectedView) -> Plan:
    """Return the plan, which also says which rule ended, and offers one."""
    if plan.said is None:
        return plan
    language, lines = corrects.language, [plan.said]
    if done.ends is not None:
        lines.append(ended_words(done.ends, language))
    if done.offers is None:
        return replace(plan, said="\n".join(lines))
    lines.append(offer_words(done.part.target, language))
    return replace(plan, said="\n".join(lines), offers=buttons_of(done.offers, language))
