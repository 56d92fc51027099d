"""Shows the circuits of the configured channels, and closes one for an operator (MSR-06.3, D4).

Invariant: the reset and the record of who, when and why are one transaction.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from butler_contracts.errors import NotFound
from butler_kit.operations import Acting, Effect, Operations, Order
from butler_messenger.admission.store import IDENTITY_SCOPE
from butler_messenger.delivery.breaker import Circuit
from butler_messenger.delivery.circuits import Account, Circuits

__all__ = ["CircuitDesk", "UnknownChannel"]


class UnknownChannel(NotFound):
    """No such channel is configured here."""


class CircuitDesk:
    """Gives the same answers on every replica."""

    def __init__(self, circuits: Circuits, operations: Operations, channels: Collection[str]) -> None:
        self._circuits = circuits
        self._operations = operations
        self._accounts = tuple(Account(channel, IDENTITY_SCOPE) for channel in sorted(channels))

    async def status(self, channel: str | None = None) -> dict[str, Any]:
        """Return one entry per configured channel, or only `channel`. Raises `UnknownChannel`."""
        asked = self._accounts if channel is None else (self._account(channel),)
        known = await self._circuits.all()
        return {"circuits": [self._view(account, known.get(account, Circuit())) for account in asked]}

    async def reset(self, channel: str, order: Order) -> dict[str, Any]:
        """Close its circuit and release the waiting deliveries. Raises `UnknownChannel`, `KeyReused`."""
        account = self._account(channel)

        async def act(acting: Acting) -> Effect:
            before, tell = await self._circuits.reset(acting.connection, account)
            acting.afterwards.append(tell)
            was = f"{before.state.value}, {before.failures} failures in a row"
            answer = {"channel": channel, "state": "closed", "was": before.state.value}
            return Effect(answer, f"the circuit of {channel} is closed; it was {was}")

        return (await self._operations.run(order, act)).document()

    async def look(self) -> None:
        """Bring the gauges up to date."""
        await self._circuits.look(self._accounts)

    def _account(self, channel: str) -> Account:
        for account in self._accounts:
            if account.channel == channel:
                return account
        known = ", ".join(account.channel for account in self._accounts) or "none"
        raise UnknownChannel(f"no channel {channel!r} here; configured: {known}")

    def _view(self, account: Account, circuit: Circuit) -> dict[str, Any]:
        policy = self._circuits.policy
        return {
            "channel": account.channel,
            "identity_scope": account.identity_scope,
            "state": circuit.state.value,
            "consecutive_failures": circuit.failures,
            "probe_successes": circuit.successes,
            "trip_reason": circuit.trip_reason or None,
            "changed_at": _time(circuit.changed_at),
            "next_probe_at": _time(circuit.retry_at),
            "recovery": {
                "failures": policy.failures,
                "reset_s": policy.reset_s,
                "probes": policy.probes,
            },
        }


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None
