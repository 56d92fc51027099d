"""A registry on a real database, and the butlers that talk to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from butler_kit.db import Pool
from butler_kit.telemetry import SWITCHBOARD, Metrics
from butler_kit.time import SystemClock
from butler_switchboard.operations.audit import Audit
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.eligibility import Hold
from butler_switchboard.registry.records import ButlerRecord, Declaration, Registration
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.registry.view import Registry
from tests.support.switchboard import butler

__all__ = ["Household", "declaration", "registration"]


def declaration(name: str, *, role: str = "specialist", hold: Hold | None = None, **more: Any) -> Declaration:
    return Declaration(role=role, endpoint_url=f"http://127.0.0.1:1/{name}/mcp", manifest_hold=hold, **more)


def registration(*tools: str, **more: Any) -> Registration:
    return Registration(tools=("route.execute", *tools), **more)


@dataclass
class Recorded:
    """What the registry told the metrics."""

    changes: list[tuple[str, str]] = field(default_factory=list)

    def eligibility_changed(self, butler: str, state: str) -> None:
        self.changes.append((butler, state))


class Household:
    """One process's registry."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.store = ButlerStore(pool)
        self.audit = Audit(pool, Metrics(SWITCHBOARD))
        self.told = Recorded()
        self.registry = Registry(self.store, SystemClock())
        self.butlers = Butlers(
            pool=pool, store=self.store, audit=self.audit, events=self.told, changed=self.registry.outdate
        )

    async def introduce(self, name: str, *tools: str, **declared: Any) -> ButlerRecord:
        """Declare and register a butler."""
        await self.butlers.declare(name, declaration(name, **declared), actor="operator")
        return await self.butlers.register(butler(name), registration(*tools))

    async def state(self, name: str) -> tuple[str, str]:
        row = await self.row(name)
        return row["eligibility_state"], row["eligibility_reason"]

    async def row(self, name: str) -> dict[str, Any]:
        row = await self.pool.fetchrow("SELECT * FROM butler_registry WHERE name = $1", name)
        assert row is not None
        return dict(row)

    async def log(self, name: str) -> list[tuple[str, str, str, str]]:
        """Transitions of one butler, oldest first: from, to, why, who."""
        rows = await self.store.transitions("butler", name)
        return [
            (row["previous_state"], row["new_state"], row["reason"], row["actor"]) for row in reversed(rows)
        ]

    async def audited(self, operation: str) -> list[dict[str, Any]]:
        await self.audit.flush()
        rows = await self.pool.fetch("SELECT * FROM dashboard_audit_log WHERE operation = $1", operation)
        return [dict(row) for row in rows]

    async def eligible(self, name: str) -> bool:
        await self.registry.refresh()
        return self.registry.view().eligible(name)
