"""Prepare the database for a household: a schema and a role per butler, tables, grants (D51, D49).

`butler_provision.plans` says what each butler needs, as on a cluster. Passwords of roles are created once and kept
among the state directory's secrets.
"""

from __future__ import annotations

import secrets
import tomllib
from collections.abc import Callable, Iterator

from butler_cli.local.plan import DASHBOARD, DASHBOARD_DATABASE
from butler_cli.local.secrets import Secrets
from butler_kit.db import ProvisionResult, ReaderPlan, SchemaPlan, provision
from butler_provision.member import limit_of
from butler_provision.plans import Member, dashboard_plan, plans_of
from butler_resources.kinds import Butler, Household, Manifests, SecretRef, database_secret
from butler_resources.render import default_port, render_butler_toml, schema_of

__all__ = ["provision_household", "schema_plans"]


def schema_plans(manifests: Manifests, password: Callable[[Butler], str]) -> Iterator[SchemaPlan]:
    """Yield what the database must have for `manifests`; `password` returns each butler's password."""
    readers = tuple(schema_of(butler) for butler in manifests.with_role("switchboard"))
    for butler in manifests.butlers:
        limit = limit_of(tomllib.loads(render_butler_toml(butler, Household(), port=default_port(butler))))
        member = Member(butler.spec.role, schema_of(butler), readers, connection_limit=limit)
        yield from plans_of(member, password(butler))


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
    passwords = {butler.name: _password(butler.name, known) for butler in manifests.butlers}
    plans = tuple(schema_plans(manifests, lambda butler: passwords[butler.name]))
    reader = _dashboard(manifests, _password(DASHBOARD, known))
    result = await provision(admin_dsn, plans, readers=[reader])
    known.keep(DASHBOARD_DATABASE, dsn(reader.role, reader.password, reader.grants[0].schema or "public"))
    for butler in manifests.butlers:
        schema = schema_of(butler)
        url = dsn(result.roles[schema], passwords[butler.name], schema)
        known.keep(database_secret(butler), url)
    return result


def _dashboard(manifests: Manifests, password: str) -> ReaderPlan:
    schemas = {butler.spec.role: schema_of(butler) for butler in manifests.butlers}
    return dashboard_plan(password, switchboard=schemas["switchboard"], messenger=schemas["messenger"])


def _password(process: str, known: Secrets) -> str:
    ref = SecretRef(name=f"database-{process}", key="password")
    password = known.find(ref)
    if not password:
        password = secrets.token_urlsafe(24)
        known.keep(ref, password)
    return password
