"""Fleets of connectors: what they really did, and the beats that tell of it.

Instances restart, overlap (the old process beats on after the new one began), fall silent for hours, send a beat twice,
lose their counters, and their beats lie in any order. `Fleet.true` is what they add up to, by construction.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

__all__ = ["BEGIN", "HOUR", "VOLUMES", "Beat", "Fleet", "Shape", "fleet_of"]

BEGIN = datetime(2026, 3, 28, 20, tzinfo=UTC)
"""Some hours before a midnight, and before Europe's clocks go forward; Kolkata's hours begin at half past ours."""
VOLUMES = ("messages_ingested", "messages_failed", "source_api_calls", "dedupe_accepted")
HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Beat:
    """One row of `connector_heartbeat_log`, in the order of its columns."""

    connector_type: str
    endpoint_identity: str
    instance_id: UUID
    received_at: datetime
    sent_at: datetime
    state: str
    error_message: str | None
    uptime_s: float
    heartbeat_interval_s: float
    messages_ingested: int
    messages_failed: int
    source_api_calls: int
    checkpoint_saves: int
    dedupe_accepted: int

    def row(self) -> tuple[object, ...]:
        return astuple(self)


@dataclass(frozen=True, slots=True)
class Shape:
    """What may happen to a fleet, as chances a beat."""

    begin: datetime = BEGIN
    connectors: int = 3
    hours: int = 8
    interval_s: float = 300.0
    restart: float = 0.03
    overlap: bool = True
    silence: float = 0.02
    twice: float = 0.03
    reset: float = 0.01


@dataclass
class Fleet:
    """`beats` in no order; `true` the increments that they report: (endpoint, hour) → volume → sum."""

    beats: list[Beat] = field(default_factory=list)
    true: dict[tuple[str, datetime], Counter[str]] = field(default_factory=dict)

    @property
    def end(self) -> datetime:
        """The end of the last hour with a beat; `BEGIN` of an empty fleet."""
        last = max((beat.received_at for beat in self.beats), default=BEGIN)
        return last.replace(minute=0, second=0, microsecond=0) + HOUR


def fleet_of(rng: random.Random, shape: Shape) -> Fleet:
    """A fleet by `rng` and nothing else."""
    fleet = Fleet()
    for number in range(shape.connectors):
        _Connector(fleet, rng, shape, f"source-{number}").live()
    rng.shuffle(fleet.beats)
    return fleet


class _Connector:
    def __init__(self, fleet: Fleet, rng: random.Random, shape: Shape, endpoint: str) -> None:
        self.fleet, self.rng, self.shape, self.endpoint = fleet, rng, shape, endpoint
        self.interval_s = rng.choice((60.0, shape.interval_s))

    def live(self) -> None:
        at = self.shape.begin + timedelta(seconds=self.rng.uniform(0, 3600))
        end = self.shape.begin + timedelta(hours=self.shape.hours)
        while at < end:
            at = self._instance(at, end)

    def _instance(self, started: datetime, end: datetime) -> datetime:
        """One process from its start to its death; returns when the next one starts."""
        rng, shape = self.rng, self.shape
        instance, counters, at = UUID(int=rng.getrandbits(128)), Counter[str](), started
        while at < end:
            if rng.random() < shape.reset:
                counters.clear()
            self._beat(instance, counters, at, started)
            if rng.random() < shape.restart:
                following = at + timedelta(seconds=rng.uniform(0, 200))
                for late in range(rng.randrange(1, 4) if shape.overlap else 0):
                    beat_at = at + (late + 1) * timedelta(seconds=self.interval_s)
                    if beat_at < end:
                        self._beat(instance, counters, beat_at, started)
                return following
            silent = rng.choice((7200.0, 9000.0)) if rng.random() < shape.silence else 0.0
            at += timedelta(seconds=silent + self.interval_s * rng.uniform(0.8, 1.2))
        return end

    def _beat(self, instance: UUID, counters: Counter[str], at: datetime, started: datetime) -> None:
        """Count what was done since the last beat; it is true of the hour in which it is reported."""
        hour = at.replace(minute=0, second=0, microsecond=0)
        true = self.fleet.true.setdefault((self.endpoint, hour), Counter())
        for name in VOLUMES:
            done = self.rng.randrange(0, 9)
            counters[name] += done
            true[name] += done
        state = self.rng.choice(("healthy", "healthy", "healthy", "degraded", "error"))
        beat = Beat(
            "imap",
            self.endpoint,
            instance,
            at,
            at - timedelta(milliseconds=self.rng.randrange(1000)),
            state,
            None if state == "healthy" else "trouble",
            (at - started).total_seconds(),
            self.interval_s,
            counters["messages_ingested"],
            counters["messages_failed"],
            counters["source_api_calls"],
            0,
            counters["dedupe_accepted"],
        )
        # The same beat again adds nothing to what was done.
        self.fleet.beats.extend([beat] * (2 if self.rng.random() < self.shape.twice else 1))
