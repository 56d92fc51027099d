"""Prepares the database for a household: a schema and a role per butler, tables, grants (D51, D49).

Migrations belong to the services (`<package>/sql/migrations`); here is only who owns what, and who may read what
of whom. Passwords of roles are made once and kept among the state directory's secrets.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from typing import Final

from butler_cli.local.secrets import Secrets
from butler_kit.db import Grant, MigrationSource, ProvisionResult, SchemaPlan, provision
from butler_resources.kinds import Butler, Manifests, SecretRef, database_secret
from butler_resources.render import schema_of

__all__ = ["provision_household", "role_of", "schema_plans"]

SHARED_SCHEMA: Final = "shared"
MIGRATIONS: Final = {
    "switchboard": MigrationSource("switchboard", "butler_switchboard", "sql/migrations"),
    "messenger": MigrationSource("messenger", "butler_messenger", "sql/migrations"),
    "specialist": MigrationSource("specialist", "butler_specialist", "sql/migrations"),
}
SHARED_MIGRATIONS: Final = MigrationSource("shared", "butler_messenger", "sql/shared_migrations")
CONTACT_TABLES: Final = ("contacts", "contact_info")
"""What Switchboard may read of Messenger's schema: who is of the household (D22)."""


def role_of(butler: Butler) -> str:
    """The database role of a butler."""
    return f"butler_{schema_of(butler)}"


def schema_plans(manifests: Manifests, password: Callable[[Butler], str]) -> Iterator[SchemaPlan]:
    """What the database must have for `manifests`; `password` gives each butler's."""
    for butler in manifests.butlers:
        yield SchemaPlan(
            schema=schema_of(butler),
            role=role_of(butler),
            password=password(butler),
            migrations=(MIGRATIONS[butler.spec.role],),
        )
    readers = tuple(role_of(butler) for butler in manifests.with_role("switchboard"))
    for messenger in manifests.with_role("messenger"):
        yield SchemaPlan(
            schema=SHARED_SCHEMA,
            role=role_of(messenger),
            password=password(messenger),
            migrations=(SHARED_MIGRATIONS,),
            grants=tuple(Grant(reader, CONTACT_TABLES) for reader in readers),
        )


async def provision_household(
    manifests: Manifests,
    *,
    admin_dsn: str,
    dsn: Callable[[str, str, str], str],
    known: Secrets,
) -> ProvisionResult:
    """Bring the database up to date and keep each butler's URL as the secret that its environment names.

    `dsn(role, password, schema)` makes a URL. Raises `MigrationError`.
    """
    passwords = {butler.name: _password(butler, known) for butler in manifests.butlers}
    plans = tuple(schema_plans(manifests, lambda butler: passwords[butler.name]))
    result = await provision(admin_dsn, plans)
    for butler in manifests.butlers:
        schema = schema_of(butler)
        url = dsn(result.roles[schema], passwords[butler.name], schema)
        known.keep(database_secret(butler), url)
    return result


def _password(butler: Butler, known: Secrets) -> str:
    ref = SecretRef(name=f"database-{butler.name}", key="password")
    password = known.find(ref)
    if not password:
        password = secrets.token_urlsafe(24)
        known.keep(ref, password)
    return password
