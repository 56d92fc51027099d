"""Decides where a message goes: policy first, then one routing session, then the verdict over what it recorded
(SWB-03, SWB-04, SWB-28; D12, D54).

The session may call exactly one tool, which only records. The recorded calls are judged against the registry;
anything but a valid call means `general` with the original text. Nothing here sends anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol
from uuid import UUID

import structlog

from butler_contracts.errors import ErrorClass, OverloadRejected
from butler_kit.runtime import (
    RulesFamily,
    SessionJob,
    SessionResult,
    SessionTool,
    Spawner,
    ToolBelt,
)
from butler_kit.runtime.budget.ledger import LEDGER_AWAY
from butler_kit.telemetry import SpanName, span
from butler_kit.time import Clock
from butler_kit.wording.danger import may_be_danger
from butler_switchboard.dispatch.about_ours import plan_about_ours
from butler_switchboard.dispatch.edits import Edit
from butler_switchboard.dispatch.held import is_urgent, may_be_held
from butler_switchboard.dispatch.invitations import plan_of_invitation, with_invitation
from butler_switchboard.dispatch.limited import (
    NOT_AT_THIS_HOUR,
    Limited,
    answered_at_once,
    not_now,
    taken_back,
    within_limits,
)
from butler_switchboard.dispatch.model import PersonOf, Plan, RequestState
from butler_switchboard.dispatch.planning import (
    BackfillJobs,
    Corrected,
    CurrentRegistry,
    FormerVersions,
    LimitedPeople,
    Pressing,
    RepliedTo,
    SpokenBefore,
    Taught,
    ThreadBefore,
)
from butler_switchboard.dispatch.plans import nothing_to_do, plan_of, refused, told_of, with_precedence
from butler_switchboard.dispatch.privately import told_privately
from butler_switchboard.dispatch.tiers import PlannerPolicy
from butler_switchboard.dispatch.undecided import Undecided
from butler_switchboard.learning.deciding import may_be_learned, verdict_of_learned
from butler_switchboard.rollouts.ways import Ways
from butler_switchboard.routing.everybody import verdict_of_all
from butler_switchboard.routing.memory import verdict_of_memories, verdict_of_memory
from butler_switchboard.routing.message import MeantWord, RoutingMessage
from butler_switchboard.routing.own_words import in_own_words
from butler_switchboard.routing.policy import policy_decision
from butler_switchboard.routing.prompt import (
    ROUTE_TOOL,
    ROUTE_TOOL_SCHEMA,
    payload,
    prompt_version,
    system_text,
)
from butler_switchboard.routing.registry_view import RegistryView
from butler_switchboard.routing.rules.program import RulesSessions, rules_program
from butler_switchboard.routing.rules.replying import answers_what_was_offered, reply_decision
from butler_switchboard.routing.tellers import with_teller
from butler_switchboard.routing.verdict import Provenance, Verdict, stood_in, verdict

__all__ = ["ROUTE", "PlannerEvents", "RoutePlanner"]

_log = structlog.get_logger(__name__)

ROUTE = SessionTool(
    ROUTE_TOOL, "Send the message, or one part of it, to one butler.", ROUTE_TOOL_SCHEMA, last="last"
)


class PlannerEvents(Protocol):
    """The metrics events of routing (SWB-42.1, SWB-03.5)."""

    def routed(self, *, family: str, reason: str, fallback: bool, seconds: float) -> None: ...


class RoutePlanner:
    """Makes plans; it commits nothing."""

    def __init__(
        self,
        *,
        former: FormerVersions,
        registry: CurrentRegistry,
        spawner: Spawner,
        rules: RulesSessions,
        policy: PlannerPolicy,
        clock: Clock,
        new_id: Callable[[], UUID],
        new_boundary: Callable[[], str],
        events: PlannerEvents,
        backfills: BackfillJobs,
        conversations: SpokenBefore,
        replies: RepliedTo,
        presses: Pressing,
        corrections: Corrected,
        ways: Ways,
        person_of: PersonOf,
        limits: LimitedPeople,
        taught: Taught,
        histories: ThreadBefore | None = None,
    ) -> None:
        self._limits = limits
        self._taught = taught
        self._person_of = person_of
        self._former = former
        self._registry = registry
        self._spawner = spawner
        self._rules = rules
        self._policy = policy
        self._clock = clock
        self._new_id = new_id
        self._new_boundary = new_boundary
        self._events = events
        self._backfills = backfills
        self._conversations = conversations
        self._replies = replies
        self._presses = presses
        self._corrections = corrections
        self._ways = ways
        self._histories = histories
        self._undecided = Undecided()

    async def plan(self, state: RequestState) -> Plan | None:
        """Return the plan, or None while no butler at all may be chosen and the message can still wait.

        It records the policy of its tier, so that a later manifest leaves no doubt why somebody gave up.
        """
        found = await self._decided(state)
        return replace(found, policy=self._policy.tiers[state.tier].in_force) if found is not None else None

    async def _decided(self, state: RequestState) -> Plan | None:
        if not state.message.text.strip():
            return refused(state, ErrorClass.VALIDATION_ERROR, "the message has no text", reason="empty_text")
        if state.message.pressed is not None:
            plan = await self._pressed(state)
            return plan if plan.error is None or not self._may_wait(state) else None
        if (about_ours := plan_about_ours(state)) is not None:
            return about_ours
        limited = await self._limits.of(state.message.context)
        if limited is None:
            return await self._planned(state)
        if may_be_danger(state.message.text):
            found = await self._planned(state)
            return answered_at_once(found, limited, state.message.text) if found is not None else None
        if (late := _too_late(state, limited)) is not None:
            return await self._refused(state, late)
        found = await self._planned(state)
        if found is None:
            return None
        return within_limits(found, limited, holds=may_be_held(state), urgent=is_urgent(state))

    async def _pressed(self, state: RequestState) -> Plan:
        """Return the plan of a press; one that corrects is within the limits of who pressed, as in words."""
        plan = await self._presses.plan(state, self._registry.view())
        limited = await self._limits.of(state.message.context) if plan.corrects is not None else None
        if limited is None:
            return plan
        return _too_late(state, limited) or within_limits(plan, limited)

    async def _refused(self, state: RequestState, late: Plan) -> Plan | None:
        """Return the refusal outside of somebody's hours; what an edit takes back is taken back at any hour."""
        if state.message.supersedes is None:
            return late
        found = await self._planned(state)
        return replace(late, targets=taken_back(found)) if found is not None else None

    async def _planned(self, state: RequestState) -> Plan | None:
        """Return the plan of a message for the household's butlers, before any limits on who may ask them."""
        corrected = await self._corrections.plan(state, self._registry.view())
        if corrected is not None:
            return corrected
        edit = Edit(state, await self._former.of(state.message))
        if edit.comes_too_early and self._may_wait(state):
            return None
        if edit.recorded_as is not None:
            return nothing_to_do(state, edit.recorded_as)
        if (invited := plan_of_invitation(state, self._registry.view())) is not None:
            return await self._within_scope(state, invited)
        started = self._clock.monotonic()
        message = _routing_message(state)
        meant = await self._meant(state, message)
        decided_by, judged = await self._decide(state, message, meant)
        if judged is None:
            return None
        told = told_of(meant, plan_of(state, decided_by, judged, self._policy.tiers[state.tier].join))
        plan = await self._within_scope(state, with_invitation(told, state, self._registry.view()))
        plan = told_privately(edit.told_to_holders(plan, self._registry.view()), state.message.text)
        plan = with_precedence(plan, self._registry.view())
        if plan.error is not None and self._may_wait(state):
            return None
        seconds = self._clock.monotonic() - started
        self._events.routed(family=plan.family, reason=plan.reason, fallback=plan.fallback, seconds=seconds)
        _log.info(
            "routed",
            targets=[target.butler for target in plan.targets],
            decided_by=decided_by,
            confidence=plan.confidence,
            fallback=plan.fallback,
            reason=plan.reason,
        )
        return plan

    async def _meant(self, state: RequestState, message: RoutingMessage) -> MeantWord | None:
        meant = await self._replies.meant(state)
        if meant is None and answers_what_was_offered(message):
            meant = await self._replies.offered_last(state)
        return meant

    async def _decide(
        self, state: RequestState, message: RoutingMessage, meant: MeantWord | None
    ) -> tuple[str, Verdict | None]:
        context, registry = state.message.context, self._registry.view()
        of_all_memories = verdict_of_memories(message, registry)
        if of_all_memories is not None:
            return "policy", of_all_memories
        demanded = policy_decision(
            message,
            triage_decision=context.triage_decision,
            triage_target=context.triage_target,
            rule_id=context.triage_rule_id,
            routes=self._policy.routes,
        ) or reply_decision(message, meant, registry)
        if demanded is not None:
            source = Provenance("policy", demanded.rule, "")
            judged = verdict(demanded.calls, registry, message, 0.0, provenance=source, policy=True)
            return "policy", replace(judged, join=demanded.join)
        to_all = verdict_of_all(message, registry) if state.message.supersedes is None else None
        if to_all is not None:
            return "policy", to_all
        remembered = verdict_of_memory(message, registry)
        if remembered is not None:
            return "policy", remembered
        learned = await self._learned(state, message, registry) if meant is None else None
        if learned is not None:
            return "policy", learned
        waiting = self._undecided.of(state.request_id, registry, now=self._clock.monotonic())
        if waiting is not None:
            return "runtime", waiting
        message = await self._conversations.around(message, state)
        asked = await self._ask(state, message, registry)
        if asked is None or state.message.supersedes is not None:
            return "runtime", asked
        return "runtime", with_teller(asked, message, registry)

    async def _learned(
        self, state: RequestState, message: RoutingMessage, registry: RegistryView
    ) -> Verdict | None:
        if not may_be_learned(message):
            return None
        return verdict_of_learned(message, registry, await self._taught.of(state))

    async def _ask(
        self, state: RequestState, message: RoutingMessage, registry: RegistryView
    ) -> Verdict | None:
        """Run one session; return None if there is no slot for it now, or the budget cannot be checked."""
        session_id, tier = self._new_id(), self._policy.tiers[state.tier]
        from_past = state.message.backfill_job_id is not None
        way = await self._ways.of(state.message.context, tier.model, from_past=from_past)
        if self._histories is not None and way.model is not None:
            message = replace(message, history=await self._histories.before(state))
        job = SessionJob(
            session_id=session_id,
            kind="route",
            system_text=system_text(registry, way.instructions),
            payload=payload(message, boundary=self._new_boundary()),
            tools=ToolBelt([ROUTE], max_calls=self._policy.max_tool_calls),
            model=way.model or self._rules.router.model_version,
            prompt_version=prompt_version(way.instructions),
            deadline_s=tier.session_timeout_s,
            request_id=state.request_id,
            tags=message.history.tags,
            person=await self._person_of(state.message.context),
            on_trial=way.on_trial,
        )
        program = rules_program(self._rules.router, message, registry, threshold=self._policy.threshold)
        try:
            with self._rules.prepared(session_id, program), span(SpanName.LLM_DECISION):
                result = await self._spawner.trigger(job, "ingress")
        except OverloadRejected:
            return None
        if result.error is not None and result.error.original_class == LEDGER_AWAY:
            return None
        judged = way.told(_judge(result, job, registry, message, self._policy.threshold), result)
        self._undecided.keep(
            state.request_id,
            registry,
            judged,
            now=self._clock.monotonic(),
            broke_off=result.status != "completed",
        )
        return judged

    async def _within_scope(self, state: RequestState, plan: Plan) -> Plan:
        """Limit a backfilled message to the butlers that the backfill is for; the rest is only recorded."""
        job_id = state.message.backfill_job_id
        scope = await self._backfills.of(job_id) if job_id is not None else None
        if scope is None or plan.error is not None:
            return plan
        wanted = tuple(target for target in plan.targets if scope.wants(target.butler))
        if wanted == plan.targets:
            return plan
        reason = plan.reason if wanted else f"outside_backfill:{job_id}"
        return replace(plan, targets=wanted, reason=reason)

    def _may_wait(self, state: RequestState) -> bool:
        age = self._clock.now() - state.message.context.received_at
        return age.total_seconds() < self._policy.patience_s


def _too_late(state: RequestState, limited: Limited) -> Plan | None:
    """Return the plan that refuses a message outside of its writer's hours; None within them."""
    said = not_now(limited, state.message.context.received_at)
    return replace(nothing_to_do(state, NOT_AT_THIS_HOUR), said=said) if said is not None else None


def _judge(
    result: SessionResult, job: SessionJob, registry: RegistryView, message: RoutingMessage, threshold: float
) -> Verdict:
    calls: list[Mapping[str, Any]] = [dict(call.args) for call in result.tool_calls]
    why = result.error.original_class if result.error is not None else None
    failure = None if result.status == "completed" else why or result.status
    source = Provenance(result.family, result.model or job.model or "", job.prompt_version or "")
    judged = verdict(calls, registry, message, threshold, failure=failure, provenance=source)
    if message.has_foreign_history and result.family != RulesFamily.name:
        judged = in_own_words(judged, message)
    return judged if failure is not None or why is None else stood_in(judged, why)


def _routing_message(state: RequestState) -> RoutingMessage:
    context = state.message.context
    return RoutingMessage(
        text=state.message.text,
        channel=context.source_channel.value,
        subject=state.message.subject,
        sender_class=context.sender_class,
        automatic=context.automatic,
    )
