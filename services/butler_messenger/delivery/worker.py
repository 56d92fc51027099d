"""Takes a delivery under its lease to its next state: call, decide, record (MSG-7, MSG-9, MSG-10, D41, D43).

Invariant: a provider call is made only after its marker was committed under a valid lease; an open marker is resolved
before anything else. The end of a delivery is stored before it is announced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar
from uuid import UUID

from butler_contracts.errors import ButlerError, ErrorClass
from butler_kit.faults import points, reached_async
from butler_kit.queue import Decision as QueueDecision
from butler_kit.queue import Defer, Finish, Finished, Lease
from butler_kit.telemetry import SpanName, bind_request, get_logger, span
from butler_kit.time import Clock
from butler_messenger.attachments.carrying import Carrier
from butler_messenger.delivery.breaker import Hold, Ticket
from butler_messenger.delivery.calls import Call, Calling, ChannelRules, attributes_of, class_of, result_of
from butler_messenger.delivery.channels.port import Channel, Outgoing, upload_s
from butler_messenger.delivery.circuits import Account, Circuits
from butler_messenger.delivery.decisions import (
    STOPPED,
    Complete,
    DeadLetter,
    Evidence,
    Fail,
    Found,
    LookAgain,
    MarkUncertain,
    Resume,
    Retry,
    RetryPolicy,
    Wait,
    after_call,
    after_crash,
)
from butler_messenger.delivery.endings import Endings
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.outcomes import Failure, ProviderOutcome, Refused, Sent
from butler_messenger.delivery.outgoing import outgoing_of
from butler_messenger.delivery.receipts import Receipts
from butler_messenger.delivery.records import Delivery
from butler_messenger.delivery.states import Status
from butler_messenger.delivery.store import (
    AttemptResult,
    DeadLetterMark,
    DeliveryStore,
    SuppressionMark,
    Work,
)
from butler_messenger.delivery.waiting import TerminalWaiters

__all__ = ["DeliveryWorker"]

_log = get_logger(__name__)

T = TypeVar("T")

EVIDENCE_DELAY_S: Final = 5.0
"""The time for a mail account to file a message before its Sent mailbox is queried."""
_LONGEST_DEFER_S: Final = 3600.0
_EXHAUSTED: Final = "retries exhausted"
_NOT_WORKABLE: Final = "could not be worked on"


class DeliveryWorker:
    """The handler of the delivery queue; safe for any number of parallel leases."""

    def __init__(
        self,
        *,
        store: DeliveryStore,
        channels: Mapping[str, Channel],
        rules: Mapping[str, ChannelRules],
        circuits: Circuits,
        carrier: Carrier,
        metrics: DeliveryMetrics,
        clock: Clock,
        draw: Callable[[], float],
        new_id: Callable[[], UUID],
        on_terminal: Callable[[Delivery], None],
        waiters: TerminalWaiters | None = None,
    ) -> None:
        self._store = store
        self._channels = channels
        self._rules = rules
        self._circuits = circuits
        self._carrier = carrier
        self._metrics = metrics
        self._clock = clock
        self._draw = draw
        self._new_id = new_id
        self._endings = Endings(metrics, on_terminal)
        self._calling = Calling(store, self._endings, rules)
        self._waiters = waiters or TerminalWaiters()
        self._receipts = Receipts()

    async def aclose(self) -> None:
        """Write the last receipts."""
        await self._receipts.aclose()
        await self._carrier.aclose()

    async def deliver(self, lease: Lease) -> QueueDecision:
        """Work on one delivery until it ends or has to wait."""
        await self._receipts.written(lease.item_id)
        work = await self._store.load(lease.item_id)
        if work is None or work.delivery.status not in (Status.PENDING, Status.IN_PROGRESS):
            return Finish()
        delivery = work.delivery
        request = delivery.request_id or delivery.route_request_id or delivery.delivery_id
        with (
            bind_request(request, delivery_id=str(delivery.delivery_id)),
            span(SpanName.DELIVERY, delivery.trace_context, **attributes_of(delivery)),
        ):
            return await self._step(lease, work)

    async def give_up(self, lease: Lease, cause: BaseException) -> QueueDecision:
        """End a delivery that cannot be worked on (the queue's `on_exhausted`).

        It fails, with a dead letter; it is `uncertain` if a provider may have it.
        """
        why = cause.message if isinstance(cause, ButlerError) else type(cause).__name__
        failure = Failure(ErrorClass.INTERNAL_ERROR, f"it could not be delivered: {why}", retryable=False)
        mark = DeadLetterMark(self._new_id(), _NOT_WORKABLE)
        with bind_request(lease.item_id, delivery_id=str(lease.item_id)):
            _log.error("delivery_given_up", cause=type(cause).__name__)
            await self._endings.announce(await self._store.abandon(lease, failure, dead_letter=mark))
        return Finish()

    async def _step(self, lease: Lease, work: Work) -> QueueDecision:
        delivery = work.delivery
        channel = self._channels.get(delivery.channel)
        if channel is None:
            text = f"channel {delivery.channel} is no longer configured"
            failure = Failure(ErrorClass.VALIDATION_ERROR, text, retryable=False)
            return await self._fail(lease, delivery, failure, "channel gone")
        if work.marked_part is not None:
            decided = await self._after_crash(lease, work, channel)
            if decided is not None:
                return decided
            reloaded = await self._store.load(delivery.delivery_id)
            if reloaded is None:
                return Finish()
            work = reloaded
        if work.now >= work.delivery.expires_at:
            return await self._expired(lease, work.delivery)
        if work.throttled_until is not None:
            return _defer(work, (work.throttled_until - work.now).total_seconds())
        return await self._attempt(lease, work, channel)

    async def _expired(self, lease: Lease, delivery: Delivery) -> QueueDecision:
        last = f"; last problem: {delivery.failure.message}" if delivery.failure is not None else ""
        failure = Failure(
            ErrorClass.TIMEOUT, f"it could not be delivered before it expired{last}", retryable=False
        )
        return await self._fail(lease, delivery, failure, "expired")

    async def _fail(self, lease: Lease, delivery: Delivery, failure: Failure, reason: str) -> QueueDecision:
        mark = self._dead_letter(delivery, reason)
        return await self._endings.end(
            lambda: self._store.end(lease, Status.FAILED, failure, dead_letter=mark)
        )

    def _dead_letter(self, delivery: Delivery, reason: str) -> DeadLetterMark | None:
        """Return the dead letter that waits for an operator; None for a reaction (D20)."""
        return None if delivery.intent == "react" else DeadLetterMark(self._new_id(), reason)

    def _suppression(self, outcome: ProviderOutcome) -> SuppressionMark | None:
        """Return the suppression if the provider says the recipient does not exist (docs/adr/0083)."""
        said = outcome.no_such_recipient if isinstance(outcome, Refused) else None
        return SuppressionMark(self._new_id(), said) if said is not None else None

    async def _after_crash(self, lease: Lease, work: Work, channel: Channel) -> QueueDecision | None:
        """Resolve an open marker; None when the delivery may go on."""
        delivery, rules = work.delivery, self._rules[work.delivery.channel]
        outgoing = outgoing_of(delivery)
        marked_for_s = (work.now - work.marked_at).total_seconds() if work.marked_at is not None else 0.0
        decision = after_crash(
            intent=delivery.intent,
            guarantee=rules.guarantee(delivery.intent),
            evidence=await self._evidence(channel, outgoing),
            autofile=channel.autofile,
            marked_for_s=marked_for_s,
            cause=work.marked_cause,
        )
        match decision:
            case Found():
                return await self._endings.end(lambda: self._store.found(work, channel.record_id(outgoing)))
            case LookAgain(delay_s):
                return Defer(delay_s)
            case MarkUncertain(failure):
                return await self._end_interrupted(lease, work, Status.UNCERTAIN, failure)
            case Fail(failure):
                return await self._end_interrupted(lease, work, Status.FAILED, failure)
            case Resume():
                return await self._resume(lease, work, rules.policy)

    async def _evidence(self, channel: Channel, outgoing: Outgoing) -> Evidence:
        return await channel.evidence(outgoing) if channel.keeps_records else "none"

    async def _resume(self, lease: Lease, work: Work, policy: RetryPolicy) -> QueueDecision | None:
        cause = work.marked_cause or Failure(ErrorClass.TIMEOUT, STOPPED, retryable=True)
        failure = replace(cause, message=f"{cause.message}; it may be sent again", retryable=True)
        resumed = await self._store.resume(lease, work, failure)
        if resumed is None:
            return Finish()
        if resumed.attempts_used < policy.max_attempts:
            return None
        mark = self._dead_letter(resumed, _EXHAUSTED)
        return await self._endings.end(
            lambda: self._store.end(lease, Status.DEAD_LETTERED, failure, dead_letter=mark)
        )

    async def _attempt(self, lease: Lease, work: Work, channel: Channel) -> QueueDecision:
        delivery = work.delivery
        outgoing = outgoing_of(delivery)
        parts = [part for part in range(channel.part_count(outgoing)) if part not in work.received_parts]
        if not parts:
            return await self._endings.end(lambda: self._store.all_received(lease))

        async def send(ready: Work, whole: Outgoing) -> QueueDecision:
            return await self._send(lease, ready, channel, parts, whole)

        if not outgoing.files:
            return await send(work, outgoing)
        policy = self._rules[delivery.channel].policy
        return await self._carrier.carry(lease, work, channel, parts, outgoing, policy=policy, send=send)

    async def _send(
        self, lease: Lease, work: Work, channel: Channel, parts: Sequence[int], outgoing: Outgoing
    ) -> QueueDecision:
        entered = await self._enter(lease, work, outgoing, calls=len(parts))
        if isinstance(entered, Hold):
            return _defer(work, entered.delay_s)
        if lease.attempt == 1:
            self._metrics.started(work.delivery, waited_ms=lease.waited_ms)
        return await self._call(lease, work, channel, parts, outgoing, entered)

    async def _enter(self, lease: Lease, work: Work, outgoing: Outgoing, *, calls: int) -> Ticket | Hold:
        """Return a ticket if a call may be made: none with an open circuit, one at a time in recovery."""
        timeout_s = self._rules[work.delivery.channel].policy.timeout_s
        return await self._circuits.enter(
            Account.of(work.delivery),
            work.circuit,
            work.now,
            probe_id=lease.lease_id,
            call_s=2 * (timeout_s * calls + upload_s(outgoing.files)),  # before the marker, and after it
        )

    async def _call(
        self,
        lease: Lease,
        work: Work,
        channel: Channel,
        parts: Sequence[int],
        outgoing: Outgoing,
        ticket: Ticket,
    ) -> QueueDecision:
        delivery = work.delivery
        decision: QueueDecision = Finish()
        for part in parts:
            tool, last = channel.tool_for(outgoing), part == parts[-1]
            call = Call(lease, work.last_attempt + 1, part, tool, last=last)
            started = self._clock.monotonic()
            outcome = await self._calling.make(call, channel, outgoing)
            await reached_async(points.PROVIDER_ANSWERED, delivery.channel, delivery.intent)
            latency_ms = (self._clock.monotonic() - started) * 1000
            result = result_of(call, outcome, latency_ms)
            self._metrics.called(
                delivery, outcome=result.outcome, error_class=class_of(result.failure), latency_ms=latency_ms
            )
            decision = await self._settle(work, call, outcome, result, channel)
            sent = isinstance(outcome, Sent)
            if last or not sent:
                reason = result.failure.message if result.failure is not None else ""
                await self._circuits.heard(Account.of(delivery), work.circuit, ticket, outcome, reason=reason)
            if not sent:
                break
        return decision

    async def _settle(
        self,
        work: Work,
        call: Call,
        outcome: ProviderOutcome,
        result: AttemptResult,
        channel: Channel,
    ) -> QueueDecision:
        """Record the outcome of the call and return what the queue does next."""
        delivery = work.delivery
        rules = self._rules[delivery.channel]
        if isinstance(outcome, Refused) and outcome.files:
            refused = outcome
            await self._endings.persist(lambda: self._carrier.refused(call.lease, work, refused, result))
            return Defer(0.0)
        decision = after_call(
            outcome,
            intent=delivery.intent,
            bounded=delivery.topic is not None,
            attempts_used=delivery.attempts_used + 1,
            tries=call.attempt,
            deferrals=work.deferrals,
            policy=rules.policy_for(delivery.intent, tight=work.tight),
            guarantee=rules.guarantee(delivery.intent),
            draw=self._draw(),
        )
        lease = call.lease
        match decision:
            case Complete(sent):
                return await self._sent(delivery, call, sent, result)
            case Retry(delay_s, failure):
                _log.warning("delivery_retry", problem=failure.message, attempt=call.attempt, delay_s=delay_s)
                await self._endings.persist(lambda: self._store.put_back(lease, result))
                self._metrics.retried(delivery, error_class=failure.error_class.value)
                return _defer(work, delay_s)
            case Wait(delay_s, whole):
                await self._endings.persist(
                    lambda: self._store.throttled(lease, delivery, result, pause_s=delay_s, whole=whole)
                )
                pauses = "channel" if whole else "chat"
                _log.warning("provider_throttled", channel=delivery.channel, pause_s=delay_s, pauses=pauses)
                return _defer(work, delay_s)
            case Fail(failure):
                mark, none = self._dead_letter(delivery, "refused for good"), self._suppression(outcome)
                return await self._end_with(lease, Status.FAILED, failure, result, mark, none)
            case DeadLetter(failure):
                mark = self._dead_letter(delivery, _EXHAUSTED)
                return await self._end_with(lease, Status.DEAD_LETTERED, failure, result, mark)
            case MarkUncertain(failure):
                if channel.keeps_records:
                    await self._endings.persist(lambda: self._store.leave_open(lease, result))
                    return Defer(EVIDENCE_DELAY_S)
                return await self._end_with(lease, Status.UNCERTAIN, failure, result)

    async def _sent(
        self, delivery: Delivery, call: Call, outcome: Sent, result: AttemptResult
    ) -> QueueDecision:
        """Keep the receipt until it is stored, whatever becomes of the lease meanwhile."""
        write = self._completed if call.last else self._part_sent
        return await self._receipts.keep(delivery.delivery_id, write(delivery, call, outcome, result))

    async def _part_sent(
        self, delivery: Delivery, call: Call, outcome: Sent, result: AttemptResult
    ) -> QueueDecision:
        provider_id = outcome.provider_delivery_id
        await self._endings.persist(lambda: self._store.part_sent(delivery.delivery_id, result, provider_id))
        return Finish()

    async def _completed(
        self, delivery: Delivery, call: Call, outcome: Sent, result: AttemptResult
    ) -> QueueDecision:
        provider_id = outcome.provider_delivery_id
        told = self._waiters.promise(delivery.delivery_id)
        try:
            completed = await self._endings.persist(
                lambda: self._store.complete(call.lease, result, provider_id, told=told)
            )
            await self._endings.announce(completed.delivery)
        finally:
            self._waiters.withdraw(delivery.delivery_id)
        return Finished() if completed.out_of_queue else Finish()

    async def _end_with(
        self,
        lease: Lease,
        status: Status,
        failure: Failure,
        result: AttemptResult,
        dead_letter: DeadLetterMark | None = None,
        suppression: SuppressionMark | None = None,
    ) -> QueueDecision:
        return await self._endings.end(
            lambda: self._store.end(
                lease, status, failure, result=result, dead_letter=dead_letter, suppression=suppression
            )
        )

    async def _end_interrupted(
        self, lease: Lease, work: Work, status: Status, failure: Failure
    ) -> QueueDecision:
        return await self._endings.end(lambda: self._store.end_interrupted(lease, work, status, failure))


def _defer(work: Work, delay_s: float) -> Defer:
    """Defer, but not past the delivery's own expiry."""
    left_s = (work.delivery.expires_at - work.now).total_seconds()
    return Defer(max(0.0, min(delay_s, left_s, _LONGEST_DEFER_S)))
