"""Offers rules after corrections, settles members' answers, and ends rules (D71, ADR 0111).

Invariants: an offer commits with the correction that it follows; an answer, and an end, are orders that are carried out
once. A correction of what a rule decided ends the rule, in the same transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from butler_contracts.errors import NotFound
from butler_contracts.stored import stored
from butler_kit.db import Connection, NamedQueries
from butler_kit.operations import Acting, Effect, Operations, Order, Refused
from butler_switchboard.dispatch.correcting import words_of
from butler_switchboard.dispatch.model import PersonOf, Plan, RequestState, Settling
from butler_switchboard.learning.deciding import LearnedRule, RuleState
from butler_switchboard.learning.examples import Example
from butler_switchboard.learning.models import EndedRuleView
from butler_switchboard.learning.offering import answer_of, rule_to_offer
from butler_switchboard.learning.store import examples_in, rules_in

__all__ = ["Answered", "Settlers", "UnknownRule", "end_rule", "offer_after"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/learning.sql")


class UnknownRule(NotFound):
    """No learned rule has this id."""


async def offer_after(
    connection: Connection, newest: Example | None, *, order_uid: str
) -> LearnedRule | None:
    """Offer a rule if the correction `newest`, which is kept already, makes one; return it."""
    if newest is None:
        return None
    examples, former = await examples_in(connection), await rules_in(connection, newest.person)
    rule = rule_to_offer(newest, examples, former, order_uid=order_uid)
    if rule is not None:
        await connection.execute(
            _SQL["offer"], rule.rule_id, rule.person, rule.butler, list(rule.texts), newest.request_id
        )
    return rule


async def end_rule(connection: Connection, rule_id: UUID, order: Order) -> str | None:
    """End a rule that is in force; return its butler, or None if it is not."""
    row = await connection.fetchrow(_SQL["end"], rule_id, order.who, order.reason)
    return str(row["butler"]) if row is not None else None


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of an answer; `before`: another one had settled the offer."""

    state: RuleState
    before: bool


class Settlers:
    """Carries out what members answer to offers, and operators' ends; `person_of` names the member."""

    def __init__(self, operations: Operations, person_of: PersonOf) -> None:
        self._operations = operations
        self._person_of = person_of

    async def settle(self, state: RequestState, plan: Plan, settles: Settling) -> Plan:
        """Settle an offer by a press; return the plan, which says what it came to."""
        person = await self._person_of(state.message.context)
        order = Order(
            uid=f"learned:{state.request_id}",
            action="learned.answer",
            target=f"learned-rule/{settles.rule_id}",
            reason=words_of(state) or "pressed",
            actor=f"member:{person or 'unknown'}",
            params={"always": settles.always},
        )
        wanted: RuleState = "in_force" if settles.always else "declined"

        async def act(acting: Acting) -> Effect:
            done = await acting.connection.fetchval(_SQL["answer"], settles.rule_id, person, wanted)
            summary = f"such messages go to {settles.butler}" if settles.always else "declined"
            return Effect(
                {"state": wanted, "before": done is None}, summary if done else "was answered before"
            )

        done = await self._operations.run(order, act)
        answered = stored(Answered, done.answer)
        said = answer_of(answered.state, settles.butler, settles.language, before=answered.before)
        return replace(plan, said=said)

    async def end(self, rule_id: UUID, order: Order) -> EndedRuleView:
        """End a rule on an operator's order. Raises `UnknownRule`, `Refused` if it is not in force, `KeyReused`."""

        async def act(acting: Acting) -> Effect:
            row = await acting.connection.fetchrow(_SQL["rule"], rule_id)
            if row is None:
                raise UnknownRule(f"learned rule {rule_id} is not known")
            butler = await end_rule(acting.connection, rule_id, acting.order)
            if butler is None:
                raise Refused(f"learned rule {rule_id} is not in force, it is {row['state']}")
            answer = {"rule_id": str(rule_id), "butler": butler, "state": "ended"}
            return Effect(answer, f"messages like {len(row['texts'])} texts do not go to {butler} by rule")

        done = await self._operations.run(order, act)
        return stored(EndedRuleView, done.document())
