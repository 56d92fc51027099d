"""Builds the readers that find what messages say about people; loaded only if the household wants it."""

from __future__ import annotations

import secrets

from butler_kit.db import Pool
from butler_kit.runtime import Spawner
from butler_kit.runtime.sessions import PostgresSessionStore
from butler_switchboard.assembly.known import Known
from butler_switchboard.dispatch.former import FormerVersions
from butler_switchboard.dispatch.model import PersonOf
from butler_switchboard.dispatch.store import DispatchStore
from butler_switchboard.extraction.extractor import Extractor, Reads, Runs
from butler_switchboard.extraction.readers import Readers
from butler_switchboard.extraction.sessions import Unmeasured, WithoutWords
from butler_switchboard.extraction.store import ExtractionStore
from butler_switchboard.operations.audit import Audit

__all__ = ["readers_of"]


def readers_of(
    known: Known, pool: Pool, store: ExtractionStore, person_of: PersonOf, audit: Audit
) -> Readers:
    reads = Reads(DispatchStore(pool), FormerVersions(pool), person_of)
    runs = _runs(known, _spawner(known, pool, audit))
    extractor = Extractor(reads, runs, store, audit)
    return Readers(pool, extractor, known.config.buffer, replica=known.replica)


def _runs(known: Known, spawner: Spawner) -> Runs:
    routing, runtime = known.config.routing, known.config.runtime
    return Runs(
        spawner=spawner,
        rules=known.rules,
        model=runtime.asked_model,
        deadline_s=min(routing.session_timeout_s, runtime.timeout_s),
        new_id=known.new_id,
        new_boundary=lambda: secrets.token_hex(16),
    )


def _spawner(known: Known, pool: Pool, audit: Audit) -> Spawner:
    """Build a spawner with a slot of its own, so that no message waits for routing while another is read."""
    return Spawner(
        known.config.butler.name,
        known.thinking.family,
        1,
        clock=known.clock,
        metrics=Unmeasured(known.metrics),
        session_store=WithoutWords(PostgresSessionStore(pool)),
        on_completed=audit.session_completed,
        budget_s=known.config.budget.session.seconds,
    )
