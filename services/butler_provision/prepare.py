"""Preparation of one butler's part of the database, waiting for a database that is not there yet.

Safe for several replicas at once (an advisory lock), when repeated, for an older replica that still runs (migrations
only go forward and expand first), and for an older program with a newer database. A butler's password is derived from
the administrator's, so no secret has to be kept between runs; when it changes, running replicas keep theirs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from butler_contracts.errors import TargetUnavailable
from butler_kit.db import (
    Login,
    ProvisionResult,
    ReaderPlan,
    SchemaPlan,
    find_login,
    is_collision,
    is_outage,
    provision,
)
from butler_kit.db.faults import DRIVER_ERRORS
from butler_kit.tls import distrust
from butler_provision.plans import (
    DASHBOARD_ROLE,
    Member,
    dashboard_plan,
    plans_of,
    role_of,
    role_password,
    schema_named,
    stand_in_of,
)
from butler_provision.urls import AdminUrl

__all__ = ["Prepared", "Shown", "find_url", "prepare", "prepare_dashboard"]

T = TypeVar("T")
PAUSE_S: Final = 1.0
TELL_EVERY_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Prepared:
    """`url` is the service's own; `applied` the labels of the migrations applied now."""

    url: str = field(repr=False)
    role_isolation: bool
    applied: tuple[str, ...]
    open_to_all: bool = False
    """Whether the database held something before the butlers came, so that every role of the server may enter it."""
    departed: Mapping[str, list[str]] = field(default_factory=dict)
    """The butlers that are gone, by outcome."""


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
    own, stand_in = _logins(admin, role_of(member.schema))
    plans = plans_of(member, own.password)
    result = await _provision(admin, plans, stand_in={own.role: stand_in}, wait_s=wait_s, tell=tell)
    return _prepared(admin, result, own.role)


async def find_url(
    member: Member, admin: AdminUrl, *, wait_s: float, tell: Callable[[str], None]
) -> Prepared:
    """Return the URL of `member` for a job on its tables; its own pods prepare those and its role.

    Raises as `prepare`.
    """
    own, stand_in = _logins(admin, role_of(member.schema))

    async def look() -> Login | None:
        return await find_login(admin.text, member.schema, own, stand_in)

    login = await _when_reachable(admin, look, wait_s=wait_s, tell=tell)
    return Prepared(_url(admin, login), login is not None, ())


async def prepare_dashboard(
    shown: Shown, admin: AdminUrl, *, wait_s: float, tell: Callable[[str], None]
) -> Prepared:
    """Let the dashboard read the views that `shown` has by now; later ones are granted by their owner's run.

    Raises as `prepare`.
    """
    own, stand_in = _logins(admin, DASHBOARD_ROLE)
    plan = dashboard_plan(
        own.password, switchboard=schema_named(shown.switchboard), messenger=schema_named(shown.messenger)
    )
    result = await _provision(
        admin, (), readers=(plan,), stand_in={own.role: stand_in}, wait_s=wait_s, tell=tell
    )
    return _prepared(admin, result, own.role)


def _logins(admin: AdminUrl, role: str) -> tuple[Login, Login]:
    """Return the role and its stand-in, with passwords derived from the administrator's."""
    own, stand_in = (Login(name, role_password(admin.password, name)) for name in (role, stand_in_of(role)))
    return own, stand_in


def _prepared(admin: AdminUrl, result: ProvisionResult, role: str) -> Prepared:
    applied = tuple(label for labels in result.applied.values() for label in labels)
    url = _url(admin, result.logins.get(role))
    return Prepared(url, result.role_isolation, applied, open_to_all=result.open_to_all)


def _url(admin: AdminUrl, login: Login | None) -> str:
    return admin.text if login is None else admin.as_role(login.role, login.password)


async def _provision(
    admin: AdminUrl,
    plans: tuple[SchemaPlan, ...],
    *,
    readers: tuple[ReaderPlan, ...] = (),
    stand_in: Mapping[str, Login],
    wait_s: float,
    tell: Callable[[str], None],
) -> ProvisionResult:
    async def attempt() -> ProvisionResult:
        return await provision(admin.text, plans, readers=readers, stand_ins=stand_in, allow_newer=True)

    return await _when_reachable(admin, attempt, wait_s=wait_s, tell=tell)


async def _when_reachable(
    admin: AdminUrl, attempt: Callable[[], Awaitable[T]], *, wait_s: float, tell: Callable[[str], None]
) -> T:
    began = time.monotonic()
    told_s = -TELL_EVERY_S
    while True:
        try:
            return await attempt()
        except DRIVER_ERRORS as error:
            if not _passes(error):
                raise
            if (refused := distrust(error)) is not None:
                raise TargetUnavailable(
                    f"the database at {admin.server} is not trusted: {refused}"
                ) from error
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
    """Return whether waiting may help; a lock that another butler's run holds counts too (TimeoutError)."""
    return isinstance(error, TimeoutError) or is_outage(error) or is_collision(error)
