"""`route.execute`: from an authenticated call to a durable delivery and its answer (MSG-4.1, MSG-6, MSG-7, D18).

Order, each step before any effect of the next: envelope → caller, lineage, origin → reply policy → target →
recipient lists → idempotency key → duplicate? → suppressed? → bounds → store and queue → answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from butler_contracts.errors import ButlerError, ErrorDetail, InternalFailure, ValidationFailed
from butler_contracts.notify import NotifyRequestV1, NotifyResponseV1
from butler_contracts.route import RouteEnvelopeV1, RouteResponseV1, make_route_response
from butler_kit.auth import Caller
from butler_kit.db import Connection, Pool, transaction
from butler_kit.faults import points, reached_async
from butler_kit.telemetry import Span, SpanName, bind_request, current_trace_context, get_logger, span
from butler_kit.time import Clock
from butler_messenger.admission.limits import AdmissionLimits, source_of
from butler_messenger.admission.parking import Parking
from butler_messenger.admission.plan import key_of, planned
from butler_messenger.admission.resolve import MissingIdentifier, Target
from butler_messenger.admission.store import AdmissionStore, NewDelivery, lane_for
from butler_messenger.admission.taking import TakingIn
from butler_messenger.admission.targeting import Targeting
from butler_messenger.admission.validate import Wish, authenticated_wish, read_envelope
from butler_messenger.approvals.holding import Holding
from butler_messenger.delivery.calls import attributes_of
from butler_messenger.delivery.metrics import DeliveryMetrics
from butler_messenger.delivery.records import Delivery, notify_response
from butler_messenger.delivery.states import Status
from butler_messenger.delivery.waiting import TerminalWaiters
from butler_messenger.owner.window import OwnerWindow
from butler_messenger.quiet.keeping import QuietTimes
from butler_messenger.suppressions.refusing import SuppressionList

__all__ = ["AdmissionSettings", "DeliveryAdmission"]

_log = get_logger(__name__)

Offer = Callable[[UUID, str, str], object]


@dataclass(frozen=True, slots=True)
class AdmissionSettings:
    """The settings that admission decides by."""

    own_name: str
    trusted_callers: tuple[str, ...]
    limits: AdmissionLimits
    expires_after_s: float
    answer_wait_s: float
    may_leave_mark: frozenset[str] = frozenset()
    """The channels on which an answer says who speaks only where several butlers may (ADR 0126)."""


class DeliveryAdmission:
    """Admits notifies; `offer(delivery_id, lane, source)` hands a stored one to this process's workers."""

    def __init__(
        self,
        *,
        settings: AdmissionSettings,
        pool: Pool,
        store: AdmissionStore,
        targeting: Targeting,
        parking: Parking,
        holding: Holding,
        quiet: QuietTimes,
        suppressions: SuppressionList,
        release: Callable[[UUID], Awaitable[object]],
        taking: TakingIn,
        window: OwnerWindow,
        waiters: TerminalWaiters,
        metrics: DeliveryMetrics,
        offer: Offer,
        clock: Clock,
        new_id: Callable[[], UUID],
    ) -> None:
        self._settings = settings
        self._pool = pool
        self._store = store
        self._targeting = targeting
        self._parking = parking
        self._holding = holding
        self._quiet = quiet
        self._suppressions = suppressions
        self._release = release
        self._taking = taking
        self._window = window
        self._waiters = waiters
        self._metrics = metrics
        self._offer = offer
        self._clock = clock
        self._new_id = new_id

    async def route_execute(self, caller: Caller, data: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one `route.v1` with a `route_response.v1`; raises only for an envelope that cannot be read."""
        started = self._clock.monotonic()
        envelope = read_envelope(data)
        with (
            bind_request(envelope.request_context.request_id),
            span(SpanName.DELIVERY, parent=envelope.trace_context) as root,
        ):
            response = await self._respond(envelope, caller, started, root)
        return response.to_wire()

    async def _respond(
        self, envelope: RouteEnvelopeV1, caller: Caller, started: float, root: Span
    ) -> RouteResponseV1:
        try:
            said = await self._taking.take(envelope, caller)
            if said is not None:
                return make_route_response(envelope, duration_ms=self._elapsed_ms(started), result=said)
            delivery = await self._admit(envelope, caller)
        except ButlerError as error:
            return self._refusal(envelope, error.to_detail(), started)
        except Exception:
            _log.exception("admission_failed", subrequest_id=str(envelope.subrequest.subrequest_id))
            failure = InternalFailure("Messenger failed to admit the delivery; its log has the reason")
            return self._refusal(envelope, failure.to_detail(), started)
        for name, value in attributes_of(delivery).items():
            root.set_attribute(name, value)
        answer = notify_response(delivery)
        return make_route_response(
            envelope,
            duration_ms=self._elapsed_ms(started),
            result={"notify_response": answer.to_wire()},
            error=answer.error,
        )

    def _refusal(self, envelope: RouteEnvelopeV1, detail: ErrorDetail, started: float) -> RouteResponseV1:
        _log.warning(
            "delivery_refused",
            subrequest_id=str(envelope.subrequest.subrequest_id),
            error_class=detail.error_class.value,
            problem=detail.message,
        )
        answer = NotifyResponseV1(
            request_context={"request_id": envelope.request_context.request_id}, status="error", error=detail
        )
        return make_route_response(
            envelope,
            duration_ms=self._elapsed_ms(started),
            result={"notify_response": answer.to_wire()},
            error=detail,
        )

    def _elapsed_ms(self, started: float) -> float:
        return (self._clock.monotonic() - started) * 1000

    async def _admit(self, envelope: RouteEnvelopeV1, caller: Caller) -> Delivery:
        settings = self._settings
        with span(SpanName.VALIDATE):
            wish = authenticated_wish(
                envelope, caller, trusted=settings.trusted_callers, own_name=settings.own_name
            )
            self._metrics.requested(wish.notify)
            with self._refusals_counted(wish.notify):
                target = await self._targeting.target(wish.notify)
        with self._refusals_counted(wish.notify):
            delivery = await self._store_once(wish, target)
        waits = delivery.collected or delivery.quiet_until is not None
        if delivery.status in (Status.PENDING, Status.IN_PROGRESS) and not waits:
            return await self._ended(delivery)
        return delivery

    @contextmanager
    def _refusals_counted(self, notify: NotifyRequestV1) -> Iterator[None]:
        try:
            yield
        except ButlerError as error:
            self._metrics.rejected(notify, error)
            raise

    async def again(self, notify: NotifyRequestV1) -> Target:
        """Return the current target of a stored notify, checked like a new one. Raises `ValidationFailed`."""
        target = await self._targeting.target(notify)
        if isinstance(target, MissingIdentifier):
            raise ValidationFailed(
                f"the contact has no identifier for channel '{notify.delivery.channel}' yet; add it first"
            )
        return target

    async def insert_again(
        self, connection: Connection, new: NewDelivery, *, replay_of: UUID
    ) -> Delivery | None:
        """Store and queue a replay within the limits; None if its key is known. Refuses like admission."""
        await self._suppressions.check(connection, new)
        return await self._store.admit_replay(connection, new, self._settings.limits, replay_of=replay_of)

    @property
    def expires_after_s(self) -> float:
        """How long a delivery may wait after its admission."""
        return self._settings.expires_after_s

    def admitted(self, delivery: Delivery) -> None:
        """Hand a stored delivery to this process's workers."""
        source = source_of(delivery.origin_butler, delivery.channel)
        self._offer(delivery.delivery_id, lane_for(delivery.intent), source)

    async def outcome(self, delivery_id: UUID) -> Delivery | None:
        """Return the delivery after a short wait for its end; the requester is still told the outcome."""
        delivery = await self._store.get(delivery_id)
        if delivery is None or delivery.terminal:
            return delivery
        wait_s = self._settings.answer_wait_s
        ended = await self._waiters.wait(delivery_id, timeout_s=wait_s, asked=False)
        return ended or await self._store.get(delivery_id)

    async def _store_once(self, wish: Wish, target: Target | MissingIdentifier) -> Delivery:
        with span(SpanName.IDEMPOTENCY_CHECK):
            key = key_of(wish.notify, target, wish.envelope.subrequest.subrequest_id)
            new = self._new_delivery(wish, target, key)
            known = await self._store.of_call(new)
        if known is None:
            with span(SpanName.PERSISTENCE_WRITE):
                stored = await self._store_new(new, target)
            if stored is not None:
                return stored
            known = await self._store.find(key)
        if known is None:
            raise InternalFailure("the delivery with this idempotency key vanished while it was looked up")
        self._metrics.deduplicated(known)
        return known

    async def _store_new(self, new: NewDelivery, target: Target | MissingIdentifier) -> Delivery | None:
        if await self._is_suppressed(new):
            return None
        with span(SpanName.RATE_LIMIT_CHECK):
            stored, to_offer = await self._store_or_refuse(new, target)
        await reached_async(points.ADMIT_COMMITTED)
        if stored is not None and to_offer is not None:
            source = source_of(to_offer.origin_butler, to_offer.channel)
            self._offer(to_offer.delivery_id, lane_for(to_offer.intent), source)
        return stored

    async def _is_suppressed(self, new: NewDelivery) -> bool:
        """Return whether the recipient is suppressed and the known delivery is the answer.

        Raises the refusal if there is no known delivery.
        """
        refused = await self._suppressions.refusal(new)
        if refused is None:
            return False
        if await self._store.find(new.idempotency_key) is None:
            await self._suppressions.remember(refused, new.origin_butler)
            raise refused
        return True

    async def _store_or_refuse(
        self, new: NewDelivery, target: Target | MissingIdentifier
    ) -> tuple[Delivery | None, NewDelivery | None]:
        """Return the stored delivery and the one to offer to the workers; neither if the key is known."""
        if isinstance(target, MissingIdentifier):
            return await self._park_or_refuse(new, target)
        tool = self._holding.tool_of(new)
        if tool is not None:
            return await self._hold_or_refuse(new, tool), None
        if new.topic is not None:
            return await self._count_or_refuse(new)
        if await self._quiet.holds(new):
            return await self._keep_or_refuse(new), None
        await reached_async(points.ADMIT_BEFORE_COMMIT)
        stored = await self._store.admit(new, self._settings.limits)
        return stored, new

    async def _park_or_refuse(
        self, new: NewDelivery, missing: MissingIdentifier
    ) -> tuple[Delivery | None, NewDelivery | None]:
        """Return the delivery parked for its identifier, and the notice about it."""
        way = await self._parking.way_to_owner()
        async with transaction(self._pool, doing="parking a delivery") as connection:
            parked = await self._parking.park(
                connection, new, missing, self._settings.limits, way_to_owner=way
            )
            await reached_async(points.ADMIT_BEFORE_COMMIT)
        return parked if parked is not None else (None, None)

    async def _hold_or_refuse(self, new: NewDelivery, tool: str) -> Delivery | None:
        """Hold for approval, using no budget before it (MSR-03.1), unless a rule allows the delivery."""
        async with transaction(self._pool, doing="holding a delivery") as connection:
            held, allowed = await self._holding.admit(connection, new, tool)
            await reached_async(points.ADMIT_BEFORE_COMMIT)
        if held is None or not allowed:
            return held
        await self._release(held.delivery_id)
        return await self._store.get(held.delivery_id) or held

    async def _keep_or_refuse(self, new: NewDelivery) -> Delivery | None:
        """Keep for the end of quiet hours, using no budget before it."""
        async with transaction(self._pool, doing="keeping a delivery for the morning") as connection:
            kept = await self._store.keep(connection, new)
            await reached_async(points.ADMIT_BEFORE_COMMIT)
        return kept

    async def _count_or_refuse(self, new: NewDelivery) -> tuple[Delivery | None, NewDelivery | None]:
        """Admit within the window: on its own as usual, or collected for a digest (`owner/window.py`)."""
        async with transaction(self._pool, doing="admitting a delivery") as connection:
            if await self._store.is_known(connection, new.idempotency_key):
                return None, None
            counted = await self._window.counted(connection, new)
            kept = counted.collected or await self._quiet.until(connection, counted) is not None
            if kept:
                stored = await self._store.insert(connection, counted)
            else:
                stored = await self._store.admit_exactly(connection, counted, self._settings.limits)
            await reached_async(points.ADMIT_BEFORE_COMMIT)
        return stored, None if kept else counted

    def _new_delivery(self, wish: Wish, target: Target | MissingIdentifier, key: str) -> NewDelivery:
        return planned(
            wish.notify,
            target,
            key=key,
            delivery_id=self._new_id(),
            subrequest_id=wish.envelope.subrequest.subrequest_id,
            route_context={
                "request_id": str(wish.envelope.request_context.request_id),
                "trace_context": current_trace_context(),
                **({"unmarked": True} if self._unmarked(wish) else {}),
            },
            expires_after_s=self._settings.expires_after_s,
        )

    def _unmarked(self, wish: Wish) -> bool:
        """Decided once and kept: the parts of a delivery may not change when its settings do."""
        return wish.alone and wish.notify.delivery.channel in self._settings.may_leave_mark

    async def _ended(self, delivery: Delivery) -> Delivery:
        """Wait briefly for the end; return the delivery as it then stands."""
        ended = await self._waiters.wait(delivery.delivery_id, timeout_s=self._settings.answer_wait_s)
        await reached_async(points.ADMIT_BEFORE_ANSWER)
        return ended or await self._store.get(delivery.delivery_id) or delivery
