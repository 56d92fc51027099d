"""Real PostgreSQL for tests: one embedded server per session, a database per test.

`fresh_database` is an empty database; `provisioned` gives databases with schemas, roles and migrations. The
migrated form is made once per set of schemas and copied for each test that asks for it. The server's files are in
memory where there is room: most of what a short-lived database costs is making and removing its hundreds of files.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg
import psutil
import pytest

from butler_cli.local.postgres import ADMIN_ROLE, EmbeddedPostgres
from butler_kit.db import Pool, ReaderPlan, SchemaPlan, open_pool, provision, quote_identifier

_numbers = count(1)
_FAST = {
    "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off",
    "wal_level": "minimal", "wal_compression": "off", "max_wal_size": "128MB",
}  # fmt: skip
"""Nothing here outlives the server, so nothing of it is made safe."""
_MEMORY = Path("/dev/shm")
_FOLDERS = "butlers-test-"
_ROOM_BYTES = 4 * 2**30
"""What must be free in memory before a server's files go there; a server takes 200 to 500 MB."""
_ENDED_MS = 10_000


@dataclass(frozen=True)
class Form:
    """What databases are copied from: their schemas, the roles that only read, and what was done in them since.

    `lived` is given the migrated template once; it leaves no connection open.
    """

    plans: tuple[SchemaPlan, ...]
    readers: tuple[ReaderPlan, ...] = ()
    lived: Callable[[Database], Awaitable[None]] | None = None


@dataclass
class Server:
    """The session's server and the migrated databases that tests are copied from."""

    postgres: EmbeddedPostgres
    templates: dict[Form, str] = field(default_factory=dict)

    def admin_dsn(self, database: str) -> str:
        password = self.postgres.admin_dsn.split(":")[2].split("@")[0]
        return self.postgres.dsn(ADMIN_ROLE, password, database=database)

    async def execute(self, statement: str) -> None:
        connection = await asyncpg.connect(self.admin_dsn("postgres"))
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    async def create(self, *, template: str | None = None) -> str:
        name = f"test_{next(_numbers)}"
        # Copied as files: the default writes every page of the template to the log.
        await self.execute(f"CREATE DATABASE {name} TEMPLATE {template or 'template0'} STRATEGY file_copy")
        return name

    async def roles(self) -> set[str]:
        """The roles of the whole server: those of all its databases."""
        connection = await asyncpg.connect(self.admin_dsn("postgres"))
        try:
            return {row["rolname"] for row in await connection.fetch("SELECT rolname FROM pg_roles")}
        finally:
            await connection.close()

    async def drop(self, name: str) -> None:
        await self.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    async def forget_role(self, name: str) -> None:
        """Drop a role that only reads, and the templates in which it may: whoever wants them makes both anew."""
        for form in [form for form in self.templates if name in {reader.role for reader in form.readers}]:
            await self.drop(self.templates.pop(form))
        await self.execute(f"DROP ROLE IF EXISTS {quote_identifier(name)}")

    async def template_for(self, form: Form) -> str:
        if form not in self.templates:
            name = await self.create()
            await provision(self.admin_dsn(name), form.plans, readers=form.readers)
            if form.lived is not None:
                await form.lived(Database(self, name, form.plans))
            self.templates[form] = name
        return self.templates[form]

    async def copy(self, form: Form) -> Database:
        """A migrated database; what belongs to the server and not to the template is set anew."""
        name = await self.create(template=await self.template_for(form))
        statements = [f"REVOKE ALL ON DATABASE {name} FROM PUBLIC"]
        owners: tuple[SchemaPlan | ReaderPlan, ...] = (*form.plans, *form.readers)
        for plan in owners:
            role, password = quote_identifier(plan.role), plan.password.replace("'", "''")
            statements.append(f"ALTER ROLE {role} PASSWORD '{password}'")
            statements.append(f"GRANT CONNECT ON DATABASE {name} TO {role}")
        await self.execute("; ".join(statements))
        return Database(self, name, form.plans)


@dataclass
class Database:
    """One test's database; `pool(schema)` connects as the role that owns the schema."""

    server: Server
    name: str
    plans: tuple[SchemaPlan, ...] = ()
    _pools: list[Pool] = field(default_factory=list)

    @property
    def admin_dsn(self) -> str:
        return self.server.admin_dsn(self.name)

    def dsn(self, schema: str) -> str:
        plan = self._plan(schema)
        return self.server.postgres.dsn(plan.role, plan.password, schema, database=self.name)

    async def pool(self, schema: str, *, max_size: int = 10, min_size: int = 1) -> Pool:
        pool = await open_pool(
            self.dsn(schema), schema, name=f"test-{schema}", min_size=min_size, max_size=max_size
        )
        self._pools.append(pool)
        return pool

    async def admin(self) -> asyncpg.Connection:
        return await asyncpg.connect(self.admin_dsn)

    async def shift_clock(self, by: timedelta, *, disconnect: bool = False) -> None:
        """Set `clock_now()` ahead by `by` for every new connection; this object's pools reconnect.

        `disconnect` also ends the connections of other processes, so that they see it too, and waits for their end.
        """
        await self.server.execute(
            f"ALTER DATABASE {self.name} SET butlers.clock_shift = '{by.total_seconds()} seconds'"
        )
        for pool in self._pools:
            await pool.expire_connections()
        if disconnect:
            for most_ms in (0, _ENDED_MS):
                await self.server.execute(
                    f"SELECT pg_terminate_backend(pid, {most_ms}) FROM pg_stat_activity WHERE datname = '{self.name}'"
                )

    async def close(self) -> None:
        for pool in self._pools:
            pool.terminate()
        await self.server.drop(self.name)

    def _plan(self, schema: str) -> SchemaPlan:
        return next(plan for plan in self.plans if plan.schema == schema)


Provision = Callable[..., Awaitable[Database]]


def plan_for(schema: str) -> SchemaPlan:
    """A butler's schema with nothing but the kit's own tables."""
    return SchemaPlan(schema, f"butler_{schema}", f"password-of-{schema}")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    with running_server() as server:
        yield server


@contextmanager
def running_server() -> Iterator[Server]:
    """A server of its own; roles belong to all of a server, so what is about them wants one that nobody used."""
    memory = roomy_memory()
    if memory is not None:
        forget_the_dead(memory)
    folder = Path(tempfile.mkdtemp(prefix=f"{_FOLDERS}{os.getpid()}-", dir=memory))
    postgres = EmbeddedPostgres(folder, settings=_FAST)
    try:
        postgres.start()
        yield Server(postgres)
    finally:
        postgres.stop(deadline_s=5)
        shutil.rmtree(folder, ignore_errors=True)


def forget_the_dead(memory: Path) -> None:
    """Remove what runs that were killed left in memory: their process is gone, and nobody holds the server's lock.

    A process that lives may be about to take its lock, so its folder is not even looked at.
    """
    for folder in memory.glob(f"{_FOLDERS}*"):
        pid = folder.name.removeprefix(_FOLDERS).partition("-")[0]
        if pid.isdecimal() and psutil.pid_exists(int(pid)):
            continue
        with suppress(OSError), (folder / "pg" / "owner.lock").open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)


def roomy_memory() -> Path | None:
    """A folder that is kept in memory; None, the usual place of temporary files, when it has too little room."""
    try:
        free = shutil.disk_usage(_MEMORY).free
    except OSError:
        return None
    return _MEMORY if free >= _ROOM_BYTES and os.access(_MEMORY, os.W_OK) else None


@pytest.fixture
async def fresh_database(postgres_server: Server) -> AsyncIterator[Database]:
    """An empty database; it goes with the roles that were made in it, which no other test is to meet."""
    before = await postgres_server.roles()
    database = Database(postgres_server, await postgres_server.create())
    yield database
    await database.close()
    made = await postgres_server.roles() - before
    if made:
        await postgres_server.execute(f"DROP ROLE {', '.join(map(quote_identifier, made))}")


@pytest.fixture
async def provisioned(postgres_server: Server) -> AsyncIterator[Provision]:
    """Call with schema names or `SchemaPlan`s: `db = await provisioned("finance")`; `others` are fields of `Form`."""
    made: list[Database] = []

    async def make(*wanted: str | SchemaPlan, **others: Any) -> Database:
        plans = tuple(plan_for(item) if isinstance(item, str) else item for item in wanted)
        made.append(await postgres_server.copy(Form(plans, **others)))
        return made[-1]

    yield make
    for database in made:
        await database.close()
