"""Replays and discards dead letters, each once (MSR-04.3, MSR-08.3, MSR-08.4, D4, D41).

Invariants: a replay is a new delivery of the same request, under its key with `::replay-N`, after every check of a
new one; parts that the person has are not sent again; what they may have is sent again only if an operator says so
despite the evidence. Effect, lineage and the record of who, when and why are one transaction, which asks only the
database: providers and contacts are asked before it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID

from butler_contracts.errors import TargetUnavailable
from butler_contracts.notify import NotifyRequestV1
from butler_contracts.stored import Unreadable, stored
from butler_kit.db import Connection, NamedQueries
from butler_kit.operations import Acting, Done, Effect, Operations, Order, Refused
from butler_messenger.admission.key import replay_key
from butler_messenger.admission.plan import thread_of
from butler_messenger.admission.resolve import Target
from butler_messenger.admission.service import DeliveryAdmission
from butler_messenger.admission.store import NewDelivery
from butler_messenger.deadletters.evidence import Lookout, Seen
from butler_messenger.deadletters.reader import unknown_dead_letter
from butler_messenger.deadletters.views import ReplayPolicy, evidence_of, not_eligible_because, was_uncertain
from butler_messenger.delivery.records import Row, notify_response
from butler_messenger.delivery.states import Status
from butler_messenger.tracking.reader import unknown_delivery

__all__ = ["DeadLetters"]

_SQL: Final = NamedQueries("butler_messenger.sql", "dead_letters.sql")
_ADD: Final = NamedQueries("butler_messenger.sql", "delivery.sql")["add_dead_letter"]
_QUARANTINED: Final = frozenset({Status.FAILED, Status.UNCERTAIN, Status.DEAD_LETTERED})


class DeadLetters:
    """The operators' actions; they quarantine a delivery that is not yet a dead letter."""

    def __init__(
        self,
        operations: Operations,
        admission: DeliveryAdmission,
        lookout: Lookout,
        policy: ReplayPolicy,
        *,
        new_id: Callable[[], UUID],
    ) -> None:
        self._operations = operations
        self._admission = admission
        self._lookout = lookout
        self._policy = policy
        self._new_id = new_id

    async def replay(self, dead_letter_id: UUID, order: Order) -> dict[str, Any]:
        """Send it again and return the new delivery. Raises `UnknownDeadLetter`, `Refused`, `KeyReused`."""
        seen = await self._lookout.dead_letter(dead_letter_id)

        async def act(acting: Acting) -> Effect:
            return await self._replay(acting, await _locked(acting.connection, dead_letter_id), seen)

        return await self._told(await self._operations.run(order, act))

    async def replay_delivery(self, delivery_id: UUID, order: Order) -> dict[str, Any]:
        """Do the same for a failed delivery."""
        seen = await self._lookout.delivery(delivery_id)

        async def act(acting: Acting) -> Effect:
            return await self._replay(acting, await self._quarantined(acting, delivery_id), seen)

        return await self._told(await self._operations.run(order, act))

    async def discard(self, dead_letter_id: UUID, order: Order) -> dict[str, Any]:
        """Keep it and never replay it. Raises like `replay`."""

        async def act(acting: Acting) -> Effect:
            return await self._discard(acting, await _locked(acting.connection, dead_letter_id))

        return (await self._operations.run(order, act)).document()

    async def discard_delivery(self, delivery_id: UUID, order: Order) -> dict[str, Any]:
        """Do the same for a failed delivery."""

        async def act(acting: Acting) -> Effect:
            return await self._discard(acting, await self._quarantined(acting, delivery_id))

        return (await self._operations.run(order, act)).document()

    async def _told(self, done: Done) -> dict[str, Any]:
        """Return the answer with the new delivery's outcome, or its state if it is still under way."""
        delivery = await self._admission.outcome(UUID(done.answer["delivery_id"]))
        if delivery is None:
            return done.document()
        answer = notify_response(delivery)
        return {
            **done.document(),
            "status": delivery.status.value,
            "notify_response": answer.to_wire(),
        }

    async def _quarantined(self, acting: Acting, delivery_id: UUID) -> Row:
        """Return the dead letter of a delivery; if there is none, create it in the operator's name."""
        connection = acting.connection
        delivery = await connection.fetchrow(_SQL["lock_delivery"], delivery_id)
        if delivery is None:
            raise unknown_delivery(delivery_id)
        known = await connection.fetchval(_SQL["of_delivery"], delivery_id)
        if known is None:
            _check_quarantine(delivery_id, delivery)
            known = self._new_id()
            await connection.execute(_ADD, known, delivery_id, f"by an operator: {acting.order.reason}")
            await connection.execute(_SQL["quarantined_by"], known, acting.order.who)
        return await _locked(connection, known)

    async def _replay(self, acting: Acting, letter: Row, seen: Seen | None) -> Effect:
        self._check_eligible(letter)
        if seen is None:
            raise TargetUnavailable("it changed while it was looked at; ask again", retry_after_s=1.0)
        _check_certain(letter, seen, resend=bool(acting.order.params.get("resend_uncertain")))
        notify = _wish_of(letter)
        target = seen.destination()
        dead_letter_id: UUID = letter["dead_letter_id"]
        number = letter["replay_count"] + 1
        new = self._new_delivery(letter, notify, target, replay_key(letter["idempotency_key"], number))
        stored = await self._admission.insert_again(acting.connection, new, replay_of=dead_letter_id)
        if stored is None:
            raise Refused(
                f"dead letter {dead_letter_id} cannot be replayed: its replay {number} exists already"
            )
        order = acting.order
        closed = await acting.connection.fetchval(
            _SQL["replayed"], dead_letter_id, order.who, order.reason, stored.delivery_id
        )
        if closed is None:
            raise Refused(f"dead letter {dead_letter_id} was closed by somebody else at this moment")
        acting.afterwards.append(lambda: self._admission.admitted(stored))
        return Effect(
            answer={
                "dead_letter_id": str(dead_letter_id),
                "delivery_id": str(stored.delivery_id),
                "request_id": str(stored.request_id) if stored.request_id is not None else None,
                "idempotency_key": stored.idempotency_key,
                "status": stored.status.value,
                "replay_count": number,
            },
            summary=f"replay {number} of dead letter {dead_letter_id}: delivery {stored.delivery_id}",
            request_id=stored.request_id,
        )

    async def _discard(self, acting: Acting, letter: Row) -> Effect:
        dead_letter_id: UUID = letter["dead_letter_id"]
        order = acting.order
        closed = await acting.connection.fetchval(_SQL["discard"], dead_letter_id, order.who, order.reason)
        if closed is None:
            raise Refused(
                f"dead letter {dead_letter_id} cannot be discarded: {not_eligible_because(letter, self._policy)}"
            )
        return Effect(
            answer={
                "dead_letter_id": str(dead_letter_id),
                "delivery_id": str(letter["delivery_id"]),
                "request_id": str(letter["request_id"]) if letter["request_id"] is not None else None,
                "state": "discarded",
            },
            summary=f"dead letter {dead_letter_id} is discarded: {letter['error_message']}",
            request_id=letter["request_id"],
        )

    def _check_eligible(self, letter: Row) -> None:
        because = not_eligible_because(letter, self._policy)
        if because is not None:
            raise Refused(f"dead letter {letter['dead_letter_id']} cannot be replayed: {because}")

    def _new_delivery(self, letter: Row, notify: NotifyRequestV1, target: Target, key: str) -> NewDelivery:
        former: Mapping[str, Any] = (letter["kept"] or {}).get("delivery", {})
        subrequest = former.get("subrequest_id")
        return NewDelivery(
            delivery_id=self._new_id(),
            idempotency_key=key,
            request_id=letter["request_id"],
            subrequest_id=UUID(subrequest) if subrequest else None,
            origin_butler=letter["origin_butler"],
            intent=letter["intent"],
            channel=letter["channel"],
            contact_id=target.contact_id,
            target_identity=target.identity,
            thread_identity=thread_of(target, notify),
            reply_to=target.reply_to,
            notify_request=letter["notify_request"],
            route_context=former.get("route_context"),
            status=Status.PENDING,
            expires_after_s=self._admission.expires_after_s,
        )


async def _locked(connection: Connection, dead_letter_id: UUID) -> Row:
    row = await connection.fetchrow(_SQL["lock"], dead_letter_id)
    if row is None:
        raise unknown_dead_letter(dead_letter_id)
    return dict(row)


def _check_quarantine(delivery_id: UUID, delivery: Row) -> None:
    if delivery["intent"] == "react":
        raise Refused(f"delivery {delivery_id} is a reaction; a reaction is tried once and never again")
    if delivery["status"] not in _QUARANTINED:
        raise Refused(
            f"delivery {delivery_id} is {delivery['status']}; only what failed or is uncertain can be quarantined"
        )


def _check_certain(letter: Row, seen: Seen, *, resend: bool) -> None:
    """Refuse to resend blindly: the evidence is checked and reported, then the operator decides (D41)."""
    if not was_uncertain(letter):
        return
    if seen.records is None:
        raise TargetUnavailable("it became uncertain at this moment; ask again", retry_after_s=1.0)
    if seen.records == "found":
        raise Refused(
            f"delivery {letter['delivery_id']} is not sent again: the account's own records have it; "
            "discard it instead"
        )
    if not resend:
        raise Refused(
            f"delivery {letter['delivery_id']} may have arrived ({evidence_of(letter)}; the provider's records: "
            f"{seen.records}); to send it again although the person may then read it twice, say resend_uncertain"
        )


def _wish_of(letter: Row) -> NotifyRequestV1:
    try:
        return stored(NotifyRequestV1, letter["notify_request"])
    except Unreadable as failure:
        raise Refused(
            f"dead letter {letter['dead_letter_id']} cannot be replayed: {failure.message}"
        ) from failure
