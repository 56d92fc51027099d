"""The circuits of all accounts in the database, with logs and metrics of their changes (MSG-9, MSR-06).

Invariant: a change is decided on the current row, which nobody else can change meanwhile, so replicas agree on one
state and on one probe. A provider's answer is stored before the circuit counts it, and even if the count is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any, Final, Self
from uuid import UUID

from butler_contracts.errors import InternalFailure, TargetUnavailable, TimedOut
from butler_contracts.stored import stored
from butler_kit.breaker import BreakerState
from butler_kit.db import Connection, NamedQueries, Pool, acquire, transaction
from butler_kit.telemetry import Metrics, get_logger
from butler_messenger.delivery.breaker import (
    Circuit,
    CircuitPolicy,
    Hold,
    Pass,
    Ticket,
    verdict_of,
)
from butler_messenger.delivery.outcomes import ProviderOutcome
from butler_messenger.delivery.records import Delivery, Row

__all__ = ["Account", "Circuits", "circuit_of"]

_log = get_logger(__name__)
_SQL: Final = NamedQueries("butler_messenger.sql", "circuit.sql")
_TRANSITION: Final = "butlers.messenger.circuit_transition"
_OPEN: Final = "butlers.messenger.circuit_open"
_REASON_CHARS: Final = 300

PROBE_SLACK_S: Final = 10.0
"""Extra time for what a probe does besides its calls: its marker and its receipt."""


@dataclass(frozen=True, slots=True)
class Account:
    """A provider account, which has a circuit of its own."""

    channel: str
    identity_scope: str

    @classmethod
    def of(cls, delivery: Delivery) -> Self:
        return cls(delivery.channel, delivery.identity_scope)


class Circuits:
    """Reads and changes circuits; `draw` returns numbers from [0, 1)."""

    def __init__(
        self, pool: Pool, policy: CircuitPolicy, metrics: Metrics, *, draw: Callable[[], float]
    ) -> None:
        self.policy = policy
        self._pool = pool
        self._metrics = metrics
        self._draw = draw

    async def enter(
        self, account: Account, seen: Circuit, now: datetime, *, probe_id: UUID, call_s: float
    ) -> Ticket | Hold:
        """Return a ticket if a call may go out, by the circuit `seen` at `now`; a probe is taken at once.

        `call_s` is how long the call may take; a probe without a result by then is given up.
        """
        gate = seen.gate(self.policy, now, draw=self._draw())
        if isinstance(gate, Pass):
            return gate.ticket
        if isinstance(gate, Hold):
            return gate
        async with transaction(self._pool, doing="probing a provider") as connection:
            before, now = await _held(connection, account)
            gate = before.gate(self.policy, now, draw=self._draw())
            if isinstance(gate, Pass):
                return gate.ticket
            if isinstance(gate, Hold):
                return gate
            until = now + timedelta(seconds=call_s + PROBE_SLACK_S)
            after = before.probed_by(probe_id, now, until=until)
            await _save(connection, account, after)
        self._tell(account, before, after)
        return Ticket(after.generation, probe_id)

    async def heard(
        self, account: Account, seen: Circuit, ticket: Ticket, outcome: ProviderOutcome, *, reason: str
    ) -> None:
        """Count the end of a call; `reason` is kept with a failure.

        A database outage loses the count, and makes a probe run into its time limit.
        """
        verdict = verdict_of(outcome)
        if not seen.needs(ticket, verdict):
            return
        try:
            async with transaction(self._pool, doing="recording how a provider is") as connection:
                before, now = await _held(connection, account)
                after = before.after(self.policy, now, ticket, verdict, reason[:_REASON_CHARS])
                if after != before:
                    await _save(connection, account, after)
        except (TargetUnavailable, TimedOut) as error:
            _log.warning("circuit_not_recorded", channel=account.channel, problem=error.message)
            return
        self._tell(account, before, after)

    async def reset(self, connection: Connection, account: Account) -> tuple[Circuit, Callable[[], None]]:
        """Close it in the caller's transaction, and release the deliveries that it held.

        Returns the former circuit, and a callback that reports the change after the commit.
        """
        before, now = await _held(connection, account)
        after = before.reset(now)
        await _save(connection, account, after)
        if before.retry_at is not None:
            held_until = before.retry_at + timedelta(seconds=self.policy.spread_s)
            await connection.execute(_SQL["wake_held"], account.channel, account.identity_scope, held_until)
        return before, lambda: self._tell(account, before, after, by="an operator")

    async def all(self) -> Mapping[Account, Circuit]:
        """Return the circuits that ever failed."""
        async with acquire(self._pool, doing="reading the circuits") as connection:
            rows = await connection.fetch(_SQL["circuits"])
        return {Account(row["channel"], row["identity_scope"]): circuit_of(row) for row in rows}

    async def look(self, accounts: tuple[Account, ...]) -> None:
        """Set the gauges, so that all replicas report the same, whichever changed a circuit."""
        known = await self.all()
        for account in accounts:
            is_open = known.get(account, Circuit()).state is not BreakerState.CLOSED
            self._metrics.set(_OPEN, int(is_open), channel=account.channel)

    def _tell(self, account: Account, before: Circuit, after: Circuit, *, by: str = "") -> None:
        if before.state is after.state:
            return
        _log.warning(
            "circuit_transition",
            channel=account.channel,
            state=after.state.value,
            reason=after.trip_reason or by or "the provider takes messages again",
        )
        self._metrics.count(_TRANSITION, channel=account.channel, state=after.state.value)


def circuit_of(row: Row, *, prefix: str = "") -> Circuit:
    """Return the circuit in the columns of a row, named with `prefix`; a closed one if there is none."""
    if row[f"{prefix}state"] is None:
        return Circuit()
    columns: dict[str, Any] = {field.name: row[prefix + field.name] for field in fields(Circuit)}
    return Circuit(**{**columns, "state": stored(BreakerState, columns["state"])})


async def _held(connection: Connection, account: Account) -> tuple[Circuit, datetime]:
    row = await connection.fetchrow(_SQL["hold"], account.channel, account.identity_scope)
    if row is None:
        raise InternalFailure("a circuit was written and nothing said so")
    return circuit_of(row), row["db_now"]


async def _save(connection: Connection, account: Account, circuit: Circuit) -> None:
    await connection.execute(
        _SQL["save"],
        account.channel,
        account.identity_scope,
        circuit.state.value,
        circuit.failures,
        circuit.successes,
        circuit.generation,
        circuit.changed_at,
        circuit.retry_at,
        circuit.probe_id,
        circuit.probe_until,
        circuit.trip_reason,
    )
