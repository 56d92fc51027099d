"""What the database must have for a butler: its schema, role, migrations, and who reads what of whom (D51, D49, D22).

Pure, and the only place that says so: the local supervisor prepares a whole household with it, the init step of a pod
one butler. Migrations belong to the services (`<package>/sql/migrations`).
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from butler_kit.config.models import Role
from butler_kit.db import Grant, MigrationSource, SchemaPlan

__all__ = ["Member", "plans_of", "role_of", "role_password", "schema_named"]

SHARED_SCHEMA: Final = "shared"
MIGRATIONS: Final = {
    "switchboard": MigrationSource("switchboard", "butler_switchboard", "sql/migrations"),
    "messenger": MigrationSource("messenger", "butler_messenger", "sql/migrations"),
    "specialist": MigrationSource("specialist", "butler_specialist", "sql/migrations"),
}
SHARED_MIGRATIONS: Final = MigrationSource("shared", "butler_messenger", "sql/shared_migrations")
CONTACT_TABLES: Final = ("contacts", "contact_info")
"""What Switchboard may read of Messenger's schema: who is of the household (D22)."""


@dataclass(frozen=True, slots=True)
class Member:
    """A butler as the database sees it; `readers` are the schemas of the Switchboards it serves."""

    role: Role
    schema: str
    readers: tuple[str, ...] = ()


def schema_named(butler: str) -> str:
    """The schema of the butler called `butler`, unless its configuration says another."""
    return butler.replace("-", "_")


def role_of(schema: str) -> str:
    """The database role that owns `schema`."""
    return f"butler_{schema}"


def plans_of(member: Member, password: str) -> tuple[SchemaPlan, ...]:
    """What the database must have for `member`, whose role gets `password`.

    Both sides of a grant ask for it, because either may come first.
    """
    role = role_of(member.schema)
    grants = (_reading_contacts(role),) if member.role == "switchboard" else ()
    own = SchemaPlan(member.schema, role, password, (MIGRATIONS[member.role],), grants)
    if member.role != "messenger":
        return (own,)
    readers = tuple(_reading_contacts(role_of(reader)) for reader in member.readers)
    return own, SchemaPlan(SHARED_SCHEMA, role, password, (SHARED_MIGRATIONS,), readers)


def role_password(admin_password: str, role: str) -> str:
    """The password of `role`, made from the administrator's: the same in every replica, kept nowhere."""
    return hmac.new(admin_password.encode(), role.encode(), hashlib.sha256).hexdigest()


def _reading_contacts(role: str) -> Grant:
    return Grant(role, CONTACT_TABLES, schema=SHARED_SCHEMA)
