"""Accepts routed work: one transaction, one answer, then a worker may take it (CON-4.4, SWB-11.1, SWB-15.3, D12).

Invariant: `accepted` is returned only for durable work; a known subrequest is answered with its stored state,
whatever the repeat carries.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from butler_contracts.errors import OverloadRejected, ValidationFailed
from butler_contracts.parse import parse
from butler_contracts.route import (
    RouteEnvelopeV1,
    RouteResponseV1,
    make_route_response,
    make_route_response_accepted,
)
from butler_kit.auth import Caller
from butler_kit.telemetry import SpanName, bind_request, get_logger, span
from butler_kit.time import Clock
from butler_specialist.accept.validate import check_acceptable, lane_of, order_key, teller_of, thread_key
from butler_specialist.metrics import RouteMetrics
from butler_specialist.store.inbox import RouteInbox
from butler_specialist.store.model import RoutedWork
from butler_specialist.work.answers import terminal_response

__all__ = ["AcceptRules", "RouteAcceptance"]

_log = get_logger(__name__)

Offer = Callable[[UUID, str, str], object]
_FULL_RETRY_S = 5.0


@dataclass(frozen=True, slots=True)
class AcceptRules:
    """The butler's own name, its trusted callers and its capabilities."""

    own_name: str
    trusted_callers: tuple[str, ...]
    capabilities: Collection[str]


class RouteAcceptance:
    """The accept phase; `offer(subrequest_id, lane, source)` hands stored work to this process's workers."""

    def __init__(
        self, *, rules: AcceptRules, inbox: RouteInbox, offer: Offer, metrics: RouteMetrics, clock: Clock
    ) -> None:
        self._rules = rules
        self._inbox = inbox
        self._offer = offer
        self._metrics = metrics
        self._clock = clock

    async def route_execute(self, caller: Caller, data: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one `route.v1`.

        Raises `ContractViolation` for an envelope that cannot be read, and `OverloadRejected`, `TargetUnavailable`
        or `TimedOut` when nothing was stored and the same subrequest may be sent again.
        """
        started = self._clock.monotonic()
        envelope = parse(RouteEnvelopeV1, data)
        with (
            bind_request(envelope.request_context.request_id),
            span(SpanName.ROUTE_EXECUTE, parent=envelope.trace_context, butler=self._rules.own_name),
        ):
            response = await self._respond(envelope, caller)
        self._metrics.acknowledged((self._clock.monotonic() - started) * 1000)
        return response.to_wire()

    async def _respond(self, envelope: RouteEnvelopeV1, caller: Caller) -> RouteResponseV1:
        rules = self._rules
        try:
            check_acceptable(
                envelope,
                caller,
                trusted=rules.trusted_callers,
                own_name=rules.own_name,
                capabilities=rules.capabilities,
            )
            return await self._accept(envelope)
        except ValidationFailed as refusal:
            _log.warning("route_refused", caller=caller.subject, problem=refusal.message)
            return make_route_response(envelope, duration_ms=0.0, error=refusal.to_detail())

    async def _accept(self, envelope: RouteEnvelopeV1) -> RouteResponseV1:
        subrequest_id, lane = envelope.subrequest.subrequest_id, lane_of(envelope)
        source = envelope.request_context.source_channel.value
        thread, teller = thread_key(envelope), teller_of(envelope)
        order = order_key(envelope)
        if await self._inbox.accept(envelope, lane=lane, thread_key=thread, teller=teller, order_key=order):
            self._metrics.queued()
            self._offer(subrequest_id, lane, source)
            _log.info("route_accepted", subrequest_id=str(subrequest_id), lane=lane)
            return make_route_response_accepted(envelope)
        known = await self._inbox.find(subrequest_id)
        if known is None:
            raise OverloadRejected(
                f"{self._rules.own_name} has all the work it may queue", retry_after_s=_FULL_RETRY_S
            )
        return _stored_state(envelope, known)


def _stored_state(envelope: RouteEnvelopeV1, known: RoutedWork) -> RouteResponseV1:
    if known.request_id != envelope.request_context.request_id:
        raise ValidationFailed(
            f"subrequest.subrequest_id: belongs to request {known.request_id}; expected an id of its own"
        )
    if known.finished_at is None:
        return make_route_response_accepted(envelope)
    return terminal_response(known)
