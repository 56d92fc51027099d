"""A database with a household's past in it, and the real dashboard process that reads it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import httpx

from butler_kit.db import ReaderPlan, provision
from butler_provision.plans import Member, dashboard_plan, plans_of
from tests.support.database import Server
from tests.support.keys import HouseholdKeys

__all__ = ["DEADLINE_S", "Dashboard", "Place"]

T = TypeVar("T")
DEADLINE_S = 60.0
ZONE = "Asia/Kolkata"
"""Half an hour off every other zone: what is shown in UTC by mistake is seen."""
SILENCE = {"BUTLERS_CONNECTOR_ONLINE_S": "3600", "BUTLERS_CONNECTOR_OFFLINE_S": "36000"}
"""So long that no connector of a test grows stale while the test runs."""


def _wait(work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, run in a thread of its own: the browser's loop is this one's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result(DEADLINE_S)


@dataclass
class Place:
    """One migrated database; what is asked of it is asked by an administrator."""

    server: Server
    name: str

    @classmethod
    def make(cls, server: Server) -> Place:
        """A migrated database of Switchboard, Messenger and two specialists, and a role that reads the views."""
        place = cls(server, _wait(server.create()))
        members = (
            Member("switchboard", "switchboard", ("switchboard",)),
            Member("messenger", "messenger", ()),
            Member("specialist", "finance"),
            Member("specialist", "general"),
        )
        plans = [plan for member in members for plan in plans_of(member, f"password-of-{member.schema}")]
        reader: ReaderPlan = dashboard_plan(
            "password-of-dashboard", switchboard="switchboard", messenger="messenger"
        )
        _wait(provision(place.admin_dsn, plans, readers=[reader]))
        return place

    @property
    def admin_dsn(self) -> str:
        return self.server.admin_dsn(self.name)

    @property
    def reader_dsn(self) -> str:
        return self.server.postgres.dsn("butler_dashboard", "password-of-dashboard", database=self.name)

    def ask(self, work: Callable[[asyncpg.Connection], Awaitable[T]]) -> T:
        """Run `work` on a connection of its own."""

        async def run() -> T:
            connection = await asyncpg.connect(self.admin_dsn)
            try:
                return await work(connection)
            finally:
                await connection.close()

        return _wait(run())

    def execute(self, statement: str, *values: Any) -> None:
        self.ask(lambda connection: connection.execute(statement, *values))

    def close_for_all(self) -> None:
        """The database takes no connection until it is opened again."""
        _wait(
            self.server.execute(
                f"ALTER DATABASE {self.name} WITH CONNECTION LIMIT 0;"
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.name}'"
            )
        )

    def open_again(self) -> None:
        _wait(self.server.execute(f"ALTER DATABASE {self.name} WITH CONNECTION LIMIT -1"))

    def drop(self) -> None:
        _wait(self.server.drop(self.name))


class Dashboard:
    """The process, told to listen on a free port; `more` goes into its environment."""

    def __init__(self, place: Place, folder: Path, **more: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.keys = HouseholdKeys(folder / "keys")
        self._log = folder / "dashboard.log"
        env = {
            "PATH": os.environ["PATH"],
            # The pages of the tree that is tested, where another one is installed.
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "BUTLERS_DATABASE_URL": place.reader_dsn,
            "BUTLERS_JWKS_FILE": str(self.keys.jwks),
            "BUTLERS_PORT": "0",
            "BUTLERS_TIMEZONE": ZONE,
            **SILENCE,
            **more,
        }
        with self._log.open("wb") as log:
            self._process = subprocess.Popen([sys.executable, "-m", "butler_dashboard"], env=env, stderr=log)
        self.url = f"http://127.0.0.1:{self._port()}"

    @property
    def token(self) -> str:
        return self.keys.sign("ada", "dashboard", receiver="dashboard")

    @property
    def log(self) -> str:
        return self._log.read_text("utf-8", "replace")

    def get(self, path: str, **more: Any) -> httpx.Response:
        """One GET, as whoever holds a token."""
        headers = {"authorization": f"Bearer {self.token}", "accept": "text/html"}
        return httpx.get(f"{self.url}{path}", headers=headers, timeout=DEADLINE_S, **more)

    def one_time_link(self) -> str:
        """A link that signs a browser in."""
        answer = httpx.post(
            f"{self.url}/login/once", headers={"authorization": f"Bearer {self.token}"}, timeout=DEADLINE_S
        )
        return f"{self.url}{answer.raise_for_status().json()['path']}"

    def terminate(self) -> int:
        """Ask it to end, as a supervisor does; its exit code."""
        self._process.terminate()
        return self._process.wait(DEADLINE_S)

    def stop(self) -> None:
        if self._process.poll() is None:
            self.terminate()

    def _port(self) -> int:
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline and self._process.poll() is None:
            for line in self.log.splitlines():
                if '"serving"' in line:
                    return int(json.loads(line)["port"])
            time.sleep(0.05)
        self._process.kill()
        raise RuntimeError(f"the dashboard did not start: {self.log}")
