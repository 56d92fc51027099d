"""Prepares one butler's part of the database, waiting for a database that is not there yet.

Safe for several replicas at once (an advisory lock), repeated, for an older replica that still runs (migrations only
go forward and expand first), and for an older program that meets a newer database. A butler's password is made from
the administrator's, so nothing has to be remembered between runs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import asyncpg

from butler_contracts.errors import TargetUnavailable
from butler_kit.db import ProvisionResult, ReaderPlan, SchemaPlan, is_collision, is_outage, provision
from butler_provision.plans import (
    DASHBOARD_ROLE,
    Member,
    dashboard_plan,
    plans_of,
    role_of,
    role_password,
    schema_named,
)
from butler_provision.urls import AdminUrl

__all__ = ["Prepared", "Shown", "find_url", "prepare", "prepare_dashboard"]

PAUSE_S: Final = 1.0
TELL_EVERY_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Prepared:
    """`url` is the service's own; `applied` the labels of the migrations applied now."""

    url: str = field(repr=False)
    role_isolation: bool
    applied: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """The butlers whose views the dashboard reads, by name."""

    switchboard: str = "switchboard"
    messenger: str = "messenger"


async def prepare(member: Member, admin: AdminUrl, *, wait_s: float, tell: Callable[[str], None]) -> Prepared:
    """Bring the database up to date for `member`; `tell` gets a line for a person now and then.

    Raises `TargetUnavailable` when the database does not answer for `wait_s`, `MigrationError` as `migrate`, and
    asyncpg's error when the server refuses the administrator.
    """
    role = role_of(member.schema)
    password = role_password(admin.password, role)
    result = await _when_reachable(admin, plans_of(member, password), wait_s=wait_s, tell=tell)
    return _prepared(admin, result, role, password)


async def find_url(
    member: Member, admin: AdminUrl, *, wait_s: float, tell: Callable[[str], None]
) -> Prepared:
    """The URL of `member` for a job that works in its tables; they and its role are its own pods' business.

    Raises as `prepare`.
    """
    role = role_of(member.schema)
    result = await _when_reachable(admin, (), wait_s=wait_s, tell=tell)
    return _prepared(admin, result, role, role_password(admin.password, role))


async def prepare_dashboard(
    shown: Shown, admin: AdminUrl, *, wait_s: float, tell: Callable[[str], None]
) -> Prepared:
    """Let the dashboard read the views that `shown` has by now; those that come later come with their owner's run.

    Raises as `prepare`.
    """
    password = role_password(admin.password, DASHBOARD_ROLE)
    plan = dashboard_plan(
        password, switchboard=schema_named(shown.switchboard), messenger=schema_named(shown.messenger)
    )
    result = await _when_reachable(admin, (), readers=(plan,), wait_s=wait_s, tell=tell)
    return _prepared(admin, result, plan.role, password)


def _prepared(admin: AdminUrl, result: ProvisionResult, role: str, password: str) -> Prepared:
    url = admin.as_role(role, password) if result.role_isolation else admin.text
    applied = tuple(label for labels in result.applied.values() for label in labels)
    return Prepared(url, result.role_isolation, applied)


async def _when_reachable(
    admin: AdminUrl,
    plans: tuple[SchemaPlan, ...],
    *,
    readers: tuple[ReaderPlan, ...] = (),
    wait_s: float,
    tell: Callable[[str], None],
) -> ProvisionResult:
    began = time.monotonic()
    told_s = -TELL_EVERY_S
    while True:
        try:
            return await provision(admin.text, plans, readers=readers, allow_newer=True)
        except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError) as error:
            if not _passes(error):
                raise
            waited_s = time.monotonic() - began
            problem = f"{type(error).__name__}: {error}".rstrip(": ")
            if waited_s + PAUSE_S > wait_s:
                raise TargetUnavailable(
                    f"the database at {admin.server} did not answer for {wait_s:g} s ({problem}); "
                    "is it running, and does a NetworkPolicy let this pod reach it?"
                ) from error
            if waited_s - told_s >= TELL_EVERY_S:
                told_s = waited_s
                tell(f"waiting for the database at {admin.server}, {waited_s:.0f} of {wait_s:g} s: {problem}")
        await asyncio.sleep(PAUSE_S)


def _passes(error: BaseException) -> bool:
    """Whether waiting may help; a lock that another butler's run holds counts too (TimeoutError)."""
    return isinstance(error, TimeoutError) or is_outage(error) or is_collision(error)
