"""The path from a plan to the people: the parts that move a request on."""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass
from uuid import UUID

from butler_kit.db import Pool
from butler_kit.operations import Operations
from butler_kit.runtime import Spawner
from butler_kit.runtime.history import Bounds
from butler_kit.runtime.tokens import token_counter
from butler_switchboard.assembly.known import Known
from butler_switchboard.assembly.learning import Learning, learning
from butler_switchboard.backfill.scope import BackfillScope
from butler_switchboard.dispatch.advance import Advance, FollowsTheEnd
from butler_switchboard.dispatch.announce import Announcer
from butler_switchboard.dispatch.breakers import Breakers
from butler_switchboard.dispatch.call_approvals import CallApprovals
from butler_switchboard.dispatch.clocks import Clocks
from butler_switchboard.dispatch.completions import Completions
from butler_switchboard.dispatch.conversations import Conversations
from butler_switchboard.dispatch.corrections import Corrections
from butler_switchboard.dispatch.dispatcher import Dispatcher
from butler_switchboard.dispatch.former import FormerVersions
from butler_switchboard.dispatch.hearing import HeldParts
from butler_switchboard.dispatch.held_store import HeldStore
from butler_switchboard.dispatch.histories import Histories
from butler_switchboard.dispatch.limits import Limits
from butler_switchboard.dispatch.notifications import Notifications
from butler_switchboard.dispatch.notify import Notifier
from butler_switchboard.dispatch.planner import RoutePlanner
from butler_switchboard.dispatch.postponing import Postponing
from butler_switchboard.dispatch.reactions import Reactions
from butler_switchboard.dispatch.recall import Recall
from butler_switchboard.dispatch.replies import Replies
from butler_switchboard.dispatch.results import Results
from butler_switchboard.dispatch.store import DispatchStore
from butler_switchboard.dispatch.targets import Targets
from butler_switchboard.dispatch.tiers import PlannerPolicy
from butler_switchboard.ingress.buffer import InboxQueue
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.ingress.store import InboxStore
from butler_switchboard.operations.actions import OperatorAudit
from butler_switchboard.operations.audit import Audit
from butler_switchboard.operations.correcting import Correctors
from butler_switchboard.operations.dead_letters import Waker
from butler_switchboard.policies import clocks_of, rule_routes, tier_policies
from butler_switchboard.registry.view import Registry
from butler_switchboard.rollouts.rollouts import Rollouts
from butler_switchboard.rollouts.store import RolloutStore
from butler_switchboard.rollouts.ways import Ways

__all__ = ["Dispatching", "completions", "dispatching"]


@dataclass(frozen=True, slots=True)
class Dispatching:
    """The path from a plan to the people: the parts that move a request on."""

    store: DispatchStore
    targets: Targets
    notifications: Notifications
    notifier: Notifier
    call_approvals: CallApprovals
    reactions: Reactions
    advance: Advance
    recall: Recall
    clocks: Clocks
    breakers: Breakers
    operations: Operations
    correctors: Correctors
    waker: LateWaker
    rollouts: Rollouts
    learned: Learning


@dataclass(slots=True)
class LateWaker:
    """Wakes requests through the queue, which is set later: it is built around the parts it wakes."""

    queue: Waker | None = None

    async def wake(self, request_id: UUID) -> None:
        if self.queue is not None:
            await self.queue.wake(request_id)


def dispatching(
    known: Known,
    pool: Pool,
    registry: Registry,
    contacts: Contacts,
    spawner: Spawner,
    scope: BackfillScope,
    audit: Audit,
    after: FollowsTheEnd,
) -> Dispatching:
    inbox = InboxStore(pool)
    store = DispatchStore(pool)
    targets = Targets(registry, known.signer)
    notifications = Notifications(pool, audit)
    clocks = clocks_of(known.config)
    breakers = Breakers(known.breaker, known.clock, known.events)
    recall = Recall(targets, registry, store)
    operations, waker = Operations(pool, OperatorAudit(audit)), LateWaker()
    learned = learning(known, pool, registry, contacts, notifications, operations)
    notifier = Notifier(
        inbox=inbox,
        notifications=notifications,
        targets=targets,
        new_id=known.new_id,
        answers=learned.answers,
    )
    reactions = Reactions(notifier)
    correctors = Correctors(operations, waker, recall, contacts.person_of)
    rollouts, former = RolloutStore(pool, audit), FormerVersions(pool)
    words = HeldParts(HeldStore(pool), targets, notifier, former, audit, known.clock, waker.wake)
    advance = Advance(
        store=store,
        planner=_planner(known, pool, registry, contacts, spawner, scope, learned, rollouts),
        dispatcher=_dispatcher(known, pool, store, targets, registry, contacts, clocks, breakers),
        announcer=Announcer(notifier, reactions, recall, known.clock, language=known.config.butler.language),
        butlers=registry,
        retry=known.retry,
        clock=known.clock,
        events=known.events,
        correctors=correctors,
        settlers=learned.settlers,
        words=words,
        after=after,
        language=known.config.butler.language,
    )
    return Dispatching(
        store=store,
        targets=targets,
        notifications=notifications,
        notifier=notifier,
        call_approvals=CallApprovals(inbox=inbox, targets=targets),
        reactions=reactions,
        advance=advance,
        recall=recall,
        clocks=clocks,
        breakers=breakers,
        operations=operations,
        correctors=correctors,
        waker=waker,
        rollouts=Rollouts(
            known.rollout,
            rollouts,
            known.events,
            standing=known.on_trial.standing if known.on_trial is not None else None,
        ),
        learned=learned,
    )


def _planner(
    known: Known,
    pool: Pool,
    registry: Registry,
    contacts: Contacts,
    spawner: Spawner,
    scope: BackfillScope,
    learned: Learning,
    rollouts: RolloutStore,
) -> RoutePlanner:
    routing, runtime = known.config.routing, known.config.runtime
    policy = PlannerPolicy(
        routing.confidence_threshold,
        routing.patience_s,
        runtime.max_tool_calls,
        tier_policies(known.config),
        rule_routes(routing),
    )
    replies = Replies(pool, contacts.person_of)
    instructions = routing.instructions or ""
    return RoutePlanner(
        former=FormerVersions(pool),
        registry=registry,
        spawner=spawner,
        rules=known.rules,
        policy=policy,
        clock=known.clock,
        new_id=known.new_id,
        new_boundary=lambda: secrets.token_hex(16),
        events=known.events,
        backfills=scope,
        conversations=Conversations(pool),
        replies=replies,
        presses=learned.presses,
        corrections=Corrections(pool, replies),
        ways=Ways(instructions, known.rollout, rollouts),
        histories=_histories(known, pool, contacts),
        person_of=contacts.person_of,
        taught=learned.store,
        limits=Limits(contacts, known.config.butler.timezone, known.config.butler.language),
    )


def _histories(known: Known, pool: Pool, contacts: Contacts) -> Histories | None:
    """Return the histories for a model; None if no model is asked or the manifest allows no history."""
    runtime, thinking = known.config.runtime, (known.thinking, known.on_trial)
    if not runtime.asking or runtime.history.tokens == 0:
        return None

    def asks() -> bool:
        return any(one.asks() for one in thinking if one is not None)

    if asks():
        token_counter()  # loads meanwhile
    given = runtime.history
    bounds = Bounds(given.messages, given.minutes, given.tokens)
    return Histories(pool, contacts, bounds, token_counter, wanted=asks)


def _dispatcher(
    known: Known,
    pool: Pool,
    store: DispatchStore,
    targets: Targets,
    registry: Registry,
    contacts: Contacts,
    clocks: Clocks,
    breakers: Breakers,
) -> Dispatcher:
    postponing = Postponing(
        store=store,
        breakers=breakers,
        retry=known.retry,
        clock=known.clock,
        events=known.events,
        rng=random.Random(),
    )
    return Dispatcher(
        store=store,
        targets=targets,
        facts=registry,
        contacts=contacts,
        results=Results(pool),
        breakers=breakers,
        postponing=postponing,
        clocks=clocks,
        clock=known.clock,
        events=known.events,
    )


def completions(known: Known, side: Dispatching, queue: InboxQueue, audit: Audit) -> Completions:
    return Completions(
        store=side.store,
        notifications=side.notifications,
        waker=queue,
        clocks=side.clocks,
        breakers=side.breakers,
        clock=known.clock,
        events=known.events,
        audit=audit,
    )
