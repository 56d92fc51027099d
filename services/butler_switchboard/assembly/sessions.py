"""The runtime whose sessions judge messages."""

from __future__ import annotations

from butler_kit.db import Pool
from butler_kit.runtime import Spawner
from butler_kit.runtime.sessions import PostgresSessionStore
from butler_switchboard.assembly.known import Known
from butler_switchboard.operations.audit import Audit

__all__ = ["spawner_of"]


def spawner_of(known: Known, pool: Pool, audit: Audit) -> Spawner:
    return Spawner(
        known.config.butler.name,
        known.thinking.family,
        known.config.runtime.max_concurrent_sessions,
        clock=known.clock,
        metrics=known.metrics,
        session_store=PostgresSessionStore(pool),
        on_completed=audit.session_completed,
        budget_s=known.config.budget.session.seconds,
        keeps_words=known.config.runtime.keeps_words,
        on_trial=known.on_trial.family if known.on_trial is not None else None,
    )
