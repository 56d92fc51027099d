"""The way in: from a connector's envelope to a durable request that waits for its turn."""

from __future__ import annotations

from dataclasses import dataclass

from butler_kit.db import Pool
from butler_switchboard.assembly.dispatching import Dispatching
from butler_switchboard.assembly.known import Known
from butler_switchboard.backfill.scope import BackfillScope
from butler_switchboard.ingress.admission import Admission
from butler_switchboard.ingress.backlog import Backlog
from butler_switchboard.ingress.buffer import InboxQueue
from butler_switchboard.ingress.contacts import Contacts
from butler_switchboard.ingress.intake import Intake, IntakePolicy
from butler_switchboard.ingress.senders import SenderPolicy
from butler_switchboard.ingress.submitters import MESSENGER
from butler_switchboard.operations.audit import Audit
from butler_switchboard.policies import backlog_limits, triage_rules
from butler_switchboard.registry.view import Registry
from butler_switchboard.settings import SwitchboardRouting

__all__ = ["TakingIn", "taking_in"]


@dataclass(frozen=True, slots=True)
class TakingIn:
    """The parts that accept a message, and where it waits."""

    admission: Admission
    contacts: Contacts
    backlog: Backlog
    intake: Intake
    queue: InboxQueue


def taking_in(
    known: Known,
    pool: Pool,
    contacts: Contacts,
    registry: Registry,
    side: Dispatching,
    scope: BackfillScope,
    audit: Audit,
) -> TakingIn:
    """Build the way in. Accepted messages go to `side`; `scope` knows which belong to a backfill."""
    advance, buffer = side.advance, known.config.buffer
    queue = InboxQueue(
        pool, buffer, advance, known.events, on_exhausted=advance.give_up, replica=known.replica
    )
    side.waker.queue = queue
    admission = Admission(pool)
    backlog = Backlog(
        pool,
        known.clock,
        queue,
        known.events,
        backlog_limits(buffer),
        tight_share=known.config.slo.default_share,
    )
    intake = Intake(
        pool=pool,
        admission=admission,
        contacts=contacts,
        queue=queue,
        backlog=backlog,
        reactions=side.reactions,
        policy=_policy(known.config.routing),
        events=known.events,
        clock=known.clock,
        new_id=known.new_id,
        backfills=scope,
        audit=audit,
        mailbox=lambda: registry.mailbox(MESSENGER),
    )
    return TakingIn(admission, contacts, backlog, intake, queue)


def _policy(routing: SwitchboardRouting) -> IntakePolicy:
    return IntakePolicy(
        rules=triage_rules(routing),
        senders=SenderPolicy(routing.trusted_authserv_ids, routing.trusted_endpoints),
        new_request_on_conflict=frozenset(routing.new_request_on_conflict),
        thread_affinity=routing.thread_affinity,
    )
