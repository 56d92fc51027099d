"""Rollouts in PostgreSQL: begun once, rolled back once, shared by all replicas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from butler_contracts.stored import stored
from butler_kit.db import NamedQueries, Pool, acquire, transaction
from butler_rollups.drift import Share
from butler_switchboard.operations.audit import Audit, AuditEntry
from butler_switchboard.rollouts.judging import Counts, Finding, Signal, effect_of_threads
from butler_switchboard.rollouts.trial import Arm, Rollout, Version

__all__ = ["RolloutStore", "Standing"]

_SQL: Final = NamedQueries("butler_switchboard", "sql/rollouts.sql")
_ACTOR: Final = "switchboard"


@dataclass(frozen=True, slots=True)
class Standing:
    """When the trial of a candidate began, and when and why it was rolled back."""

    begun_at: datetime
    rolled_back_at: datetime | None = None
    worse: Finding | None = None

    @property
    def running(self) -> bool:
        return self.rolled_back_at is None


class RolloutStore:
    """Raises `TargetUnavailable` while the database is away."""

    def __init__(self, pool: Pool, audit: Audit) -> None:
        self._pool = pool
        self._audit = audit

    async def begin(self, rollout: Rollout) -> None:
        """Begin a rollout, unless it is known; the beginning is audited."""
        usual, candidate = rollout.usual, rollout.candidate
        async with transaction(self._pool, doing="beginning a rollout") as connection:
            begun = await connection.fetchval(
                _SQL["begin"],
                rollout.key,
                rollout.label(usual),
                usual.prompt,
                rollout.label(candidate),
                candidate.prompt,
                rollout.attempt,
            )
            if begun is not None:
                summary = (
                    f"{_named(rollout, candidate)} gets {rollout.percent} % of the threads beside "
                    f"{_named(rollout, usual)}"
                )
                await self._audit.record_in(connection, _entry(rollout, "rollout.begin", summary))

    async def running(self, rollout: Rollout) -> bool:
        """Return whether it has begun and is not rolled back."""
        async with acquire(self._pool, doing="reading whether a rollout runs") as connection:
            return bool(await connection.fetchval(_SQL["running"], rollout.key))

    async def standing(self, rollout: Rollout) -> Standing | None:
        """Return its standing; None before it has begun. Raises `Unreadable`."""
        async with acquire(self._pool, doing="reading a rollout") as connection:
            row = await connection.fetchrow(_SQL["standing"], rollout.key)
        if row is None:
            return None
        evidence = row["evidence"]
        return Standing(
            row["begun_at"], row["rolled_back_at"], stored(Finding, evidence) if evidence else None
        )

    async def counts(self, rollout: Rollout) -> dict[Arm, Counts]:
        """Return the decisions of both arms since it began."""
        async with acquire(self._pool, doing="counting a rollout's decisions") as connection:
            rows = {row["arm"]: dict(row) for row in await connection.fetch(_SQL["counts"], rollout.key)}
        return {arm: _counts(rows.get(arm.value)) for arm in Arm}

    async def roll_back(self, rollout: Rollout, worse: Finding) -> bool:
        """Roll the candidate back, with an audit entry; return False if that is done already."""
        async with transaction(self._pool, doing="rolling a candidate back") as connection:
            done = await connection.fetchval(_SQL["roll_back"], rollout.key, _evidence(worse))
            if done is not None:
                summary = f"{_named(rollout, rollout.candidate)} gets no further thread: {_said(worse)}"
                await self._audit.record_in(connection, _entry(rollout, "rollout.roll_back", summary))
        return done is not None


def _counts(row: Mapping[str, Any] | None) -> Counts:
    if row is None:
        return Counts()
    counts = Counts(row["decisions"], {signal: row[signal.value] for signal in Signal})
    effects = {signal: _effect(counts.share(signal), signal, row) for signal in Signal}
    return replace(counts, effects=effects)


def _effect(share: Share, signal: Signal, row: Mapping[str, Any]) -> float:
    """Compute the effect from sums over threads: events squared, events by decisions, decisions squared."""
    squared, crossed = row[f"{signal.value}_squared"], row[f"{signal.value}_crossed"]
    squares = squared - 2 * share.rate * crossed + share.rate**2 * row["decisions_squared"]
    return effect_of_threads(share, threads=row["threads"], squares=squares)


def _evidence(worse: Finding) -> dict[str, Any]:
    shares = {name: _share(getattr(worse, name)) for name in ("candidate", "usual")}
    return {"signal": worse.signal.value, "p": worse.p, **shares}


def _share(share: Share) -> dict[str, int]:
    return {"count": share.count, "of": share.of}


def _said(worse: Finding) -> str:
    tried, known = worse.candidate, worse.usual
    return f"{worse.signal.value} {tried.count} of {tried.of}, usually {known.count} of {known.of}, p {worse.p:.2g}"


def _named(rollout: Rollout, version: Version) -> str:
    return f"{rollout.label(version)} with {version.prompt}"


def _entry(rollout: Rollout, operation: str, summary: str) -> AuditEntry:
    return AuditEntry(
        butler="switchboard",
        actor=_ACTOR,
        operation=operation,
        subject=f"rollout/{rollout.key}",
        summary=summary,
        result="ok",
    )
