"""What a butler needs in the database: its schema, role, migrations, and grants between butlers (D51, D49, D22).

Pure, and the only definition of it: the local supervisor prepares a whole household with it, the init step of a pod
one butler. Migrations belong to the services (`<package>/sql/migrations`).
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from butler_contracts.errors import ValidationFailed
from butler_kit.config import demand
from butler_kit.config.demand import connection_limit
from butler_kit.config.models import Role
from butler_kit.db import Grant, MigrationSource, ReaderPlan, SchemaPlan

__all__ = [
    "DASHBOARD",
    "DASHBOARD_PEOPLE",
    "DASHBOARD_ROLE",
    "DASHBOARD_VIEWS",
    "KEPT",
    "Member",
    "dashboard_plan",
    "mark_of",
    "plans_of",
    "role_of",
    "role_password",
    "schema_named",
    "stand_in_of",
]

SHARED_SCHEMA: Final = "shared"
MIGRATIONS: Final = {
    "switchboard": MigrationSource("switchboard", "butler_switchboard", "sql/migrations"),
    "messenger": MigrationSource("messenger", "butler_messenger", "sql/migrations"),
    "specialist": MigrationSource("specialist", "butler_specialist", "sql/migrations"),
}
SHARED_MIGRATIONS: Final = MigrationSource("shared", "butler_messenger", "sql/shared_migrations")
CONTACT_TABLES: Final = ("contacts", "contact_info")
"""The tables of Messenger's schema that Switchboard may read: who is of the household (D22)."""

DASHBOARD: Final = "dashboard"
"""A name that no butler may have: its role would be the dashboard's."""
DASHBOARD_ROLE: Final = "butler_dashboard"
MOST_DASHBOARDS: Final = 3
"""The dashboard's pods do not know how many they are; beyond this number, the last get no connection."""
DASHBOARD_LIMIT: Final = connection_limit(demand.DASHBOARD, replicas=MOST_DASHBOARDS)
DASHBOARD_VIEWS: Final = {
    "switchboard": (
        "dashboard_audit",
        "dashboard_backfills",
        "dashboard_beats",
        "dashboard_butlers",
        "dashboard_calls",
        "dashboard_conflicts",
        "dashboard_connectors",
        "dashboard_dead_letters",
        "dashboard_fanout",
        "dashboard_notifications",
        "dashboard_plans",
        "dashboard_quality",
        "dashboard_request_work",
        "dashboard_refusals",
        "dashboard_requests",
        "dashboard_rollout_counts",
        "dashboard_rollouts",
        "dashboard_rollups",
        "dashboard_runtimes",
        "dashboard_sessions",
        "dashboard_stats_daily",
        "dashboard_stats_hourly",
        "dashboard_subroutes",
        "dashboard_switchboard_level",
        "dashboard_transitions",
        "dashboard_usage",
    ),
    "messenger": (
        "dashboard_approval_rules",
        "dashboard_approvals",
        "dashboard_call_approvals",
        "dashboard_attempts",
        "dashboard_deliveries",
        "dashboard_delivery_dead_letters",
        "dashboard_delivery_work",
        "dashboard_receipts",
        "dashboard_service_levels",
        "dashboard_suppressions",
    ),
    "specialist": ("dashboard_records",),
}
"""All that the dashboard may read, by role, besides who is of the household."""
DASHBOARD_PEOPLE: Final = "dashboard_people"
KEPT: Final = ("dashboard_sign_in", "dashboard_link")
"""Sign-ins and one-time links: all that the dashboard keeps. It may write nothing else."""
_SHOWING_PEOPLE: Final = Grant(DASHBOARD_ROLE, (DASHBOARD_PEOPLE,), schema=SHARED_SCHEMA)


@dataclass(frozen=True, slots=True)
class Member:
    """A butler as the database sees it; `readers` are the schemas of the Switchboards it serves."""

    role: Role
    schema: str
    readers: tuple[str, ...] = ()
    uid: str | None = None
    """That of its resource on a cluster: a butler that comes back under the same name has another."""
    connection_limit: int | None = None
    """How many connections its role may have; None leaves that as it is."""


def mark_of(uid: str) -> str:
    """Return the mark kept beside a schema, which identifies its owner once the butler is gone."""
    return f"butlers: of {uid}"


def schema_named(butler: str) -> str:
    """Return the schema of the butler called `butler`, unless its configuration names another."""
    return butler.replace("-", "_")


def role_of(schema: str) -> str:
    """Return the database role that owns `schema`."""
    return f"butler_{schema}"


def stand_in_of(role: str) -> str:
    """Return the stand-in for `role` while replicas use its old password; no schema's role has this name."""
    return role.replace("butler_", "butler2_", 1)


def plans_of(member: Member, password: str) -> tuple[SchemaPlan, ...]:
    """Return the plans for `member`, whose role gets `password`.

    Both sides of a grant request it, because either may come first. Raises `ValidationFailed` for the one name that
    no butler may have.
    """
    if member.schema == DASHBOARD:
        raise ValidationFailed(f"a butler cannot be called '{DASHBOARD}', whose role reads views; rename it")
    role = role_of(member.schema)
    grants = _showing(member.role, member.schema)
    if member.role == "switchboard":
        grants = (_reading_contacts(role), *grants)
    mark = None if member.uid is None else mark_of(member.uid)
    limit = member.connection_limit
    own = SchemaPlan(member.schema, role, password, (MIGRATIONS[member.role],), grants, mark, limit)
    if member.role != "messenger":
        return (own,)
    readers = tuple(_reading_contacts(role_of(reader)) for reader in member.readers)
    return own, SchemaPlan(SHARED_SCHEMA, role, password, (SHARED_MIGRATIONS,), (*readers, _SHOWING_PEOPLE))


def dashboard_plan(password: str, *, switchboard: str, messenger: str) -> ReaderPlan:
    """Return the plan for the dashboard: a role that reads the views of these two and of every specialist."""
    grants = (*_showing("switchboard", switchboard), *_showing("messenger", messenger), _SHOWING_PEOPLE)
    everywhere = DASHBOARD_VIEWS["specialist"]
    return ReaderPlan(DASHBOARD_ROLE, password, grants, everywhere, DASHBOARD_LIMIT)


def role_password(admin_password: str, role: str) -> str:
    """Return the password of `role`, derived from the administrator's: same in all replicas, kept nowhere."""
    return hmac.new(admin_password.encode(), role.encode(), hashlib.sha256).hexdigest()


def _reading_contacts(role: str) -> Grant:
    return Grant(role, CONTACT_TABLES, schema=SHARED_SCHEMA)


def _showing(role: Role, schema: str) -> tuple[Grant, ...]:
    views = DASHBOARD_VIEWS.get(role)
    if views is None:
        return ()
    keeping = Grant(DASHBOARD_ROLE, KEPT, ("SELECT", "INSERT", "DELETE"), schema=schema)
    return (Grant(DASHBOARD_ROLE, views, schema=schema), *([keeping] if role == "switchboard" else []))
