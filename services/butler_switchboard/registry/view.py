"""The registry as routing and dispatch see it: a snapshot in memory, at most a second old (SWB-09.1, SWB-10.4, D30).

Invariants: liveness is judged when it is asked for, by the database's clock carried on monotonically; only a
butler that is active both on record and by that judgement is eligible; Switchboard and Messenger are never targets of
routing; silence counts as lost only while this process could have heard something.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from butler_contracts.errors import ButlerError
from butler_contracts.route import ROUTE_V1
from butler_contracts.text import excerpt
from butler_kit.telemetry import get_logger
from butler_kit.time import Clock
from butler_switchboard.registry.eligibility import State
from butler_switchboard.registry.records import ButlerRecord
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.routing.registry_view import ButlerProfile, Presence, RegistryView

__all__ = ["Registry"]

_log = get_logger(__name__)

REFRESH_S: Final = 1.0
DEAF_AFTER: Final = timedelta(seconds=10)
"""After a longer gap between two reads, heartbeats may have been missed on our side."""
BECAUSE_MAX: Final = 200


@dataclass(frozen=True)
class _Snapshot:
    """Rows with the time of the database and of this process's monotonic clock."""

    at: datetime
    monotonic: float
    listening_since: datetime
    butlers: dict[str, ButlerRecord] = field(default_factory=dict)

    def now(self, monotonic: float) -> datetime:
        return self.at + timedelta(seconds=max(0.0, monotonic - self.monotonic))


class Registry:
    """Answers from memory; call `refresh` before the first question, `run` keeps it fresh."""

    def __init__(self, store: ButlerStore, clock: Clock, *, refresh_s: float = REFRESH_S) -> None:
        self._store = store
        self._clock = clock
        self._refresh_s = refresh_s
        self._snapshot: _Snapshot | None = None
        self._outdated = asyncio.Event()
        self._reading = asyncio.Lock()

    def view(self) -> RegistryView:
        """Return the specialists declared with an endpoint, each with whether it may be chosen now."""
        now = self._now()
        return RegistryView.of(
            _profile(record, now)
            for record in self._butlers().values()
            if record.role == "specialist" and record.endpoint_url is not None
        )

    def endpoint(self, name: str) -> str | None:
        """Return the butler's endpoint from its declaration."""
        record = self._butlers().get(name)
        return record.endpoint_url if record is not None else None

    def expected(self, name: str) -> bool:
        """Return whether the butler is declared but has not registered yet, so its tools are not known."""
        record = self._butlers().get(name)
        return record is not None and record.route_contract is None

    def capable(self, name: str, tool: str) -> bool:
        """Return whether the butler has registered with `tool` and our `route.v1` (SWB-35.1)."""
        record = self._butlers().get(name)
        return record is not None and tool in record.tools and record.route_contract == ROUTE_V1

    def mailbox(self, name: str) -> str | None:
        """Return the endpoint identity whose mail the butler may submit, from its declaration (D47)."""
        record = self._butlers().get(name)
        return record.mailbox if record is not None else None

    def presence(self) -> Mapping[str, Presence]:
        """Return how long each butler has been silent, and when its process registered (D17)."""
        now = self._now()
        return {name: self._presence(record, now) for name, record in self._butlers().items()}

    def quarantined(self) -> frozenset[str]:
        """Return the butlers that were in quarantine on record when the registry was last read."""
        known = self._butlers().values()
        return frozenset(record.name for record in known if record.eligibility_state is State.QUARANTINED)

    def outdate(self) -> None:
        """Ask for a refresh at once: this process has changed the registry."""
        self._outdated.set()

    async def refresh(self) -> None:
        """Read the registry; one read at a time, so that an older one never replaces a newer one."""
        async with self._reading:
            await self._read()

    async def _read(self) -> None:
        self._outdated.clear()
        monotonic = self._clock.monotonic()
        at, records = await self._store.all()
        known = self._snapshot
        deaf = known is None or abs(at - known.at) > DEAF_AFTER
        since = at if known is None or deaf else known.listening_since
        self._snapshot = _Snapshot(at, monotonic, since, {record.name: record for record in records})

    async def run(self, stopping: asyncio.Event) -> None:
        """Refresh every second and at once after own changes; an outage leaves the snapshot as it is."""
        while not stopping.is_set():
            try:
                await self.refresh()
            except ButlerError as failure:
                _log.warning("registry_not_refreshed", problem=failure.message)
            try:
                async with asyncio.timeout(self._refresh_s):
                    await self._outdated.wait()
            except TimeoutError:
                continue

    def _butlers(self) -> dict[str, ButlerRecord]:
        return self._snapshot.butlers if self._snapshot is not None else {}

    def _now(self) -> datetime:
        if self._snapshot is None:
            return self._clock.now()
        return self._snapshot.now(self._clock.monotonic())

    def _presence(self, record: ButlerRecord, now: datetime) -> Presence:
        heard = record.last_seen_at
        if self._snapshot is not None:
            since = self._snapshot.listening_since
            heard = max(heard, since) if heard is not None else since
        silent = max(timedelta(0), now - heard) if heard is not None else timedelta(0)
        return Presence(silent / timedelta(seconds=1), record.liveness_ttl_s, record.registered_at)


def _profile(record: ButlerRecord, now: datetime) -> ButlerProfile:
    judged = record.judged(now=now)
    eligible = record.eligibility_state is State.ACTIVE and judged.eligibility_state is State.ACTIVE
    return ButlerProfile(
        name=record.name,
        description=record.description,
        triggers=record.triggers,
        capabilities=record.capabilities,
        eligible=eligible,
        required_information=record.required_information,
        barred_because="" if eligible else _because(record, judged),
        precedence=record.arbitration_priority,
    )


def _because(record: ButlerRecord, judged: ButlerRecord) -> str:
    """Return why the butler may not be chosen now: its state, and the reason given for it."""
    worse = judged if judged.eligibility_state is not State.ACTIVE else record
    given = worse.quarantine_reason if worse.eligibility_state is State.QUARANTINED else None
    return excerpt(f"{worse.eligibility_state.value}: {given or worse.eligibility_reason}", limit=BECAUSE_MAX)
