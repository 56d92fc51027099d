"""The runtime whose sessions judge messages."""

from __future__ import annotations

from butler_kit.db import Pool
from butler_kit.runtime import Spawner, choose_family
from butler_kit.runtime.sessions import PostgresSessionStore
from butler_kit.telemetry import get_logger
from butler_switchboard.assembly.known import Known
from butler_switchboard.operations.audit import Audit

__all__ = ["spawner_of"]


_log = get_logger(__name__)


def spawner_of(known: Known, pool: Pool, audit: Audit) -> Spawner:
    runtime = known.config.runtime
    chosen = choose_family(runtime.family, {"rules": known.rules.family}, fallback=runtime.fallback)
    if chosen.fallback_reason is not None:
        _log.warning("runtime_fallback", reason=chosen.fallback_reason)
    return Spawner(
        known.config.butler.name,
        chosen.family,
        runtime.max_concurrent_sessions,
        clock=known.clock,
        metrics=known.metrics,
        session_store=PostgresSessionStore(pool),
        on_completed=audit.session_completed,
    )
