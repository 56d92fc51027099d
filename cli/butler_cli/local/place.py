"""The local place from start to end: what `butlers up` does once everything is settled.

Invariant: whatever happens after the lock is taken, every process is stopped in order, PostgreSQL last, and
`endpoints.json` exists only while everything is up.
"""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any, Final

import httpx

from butler_cli.local.backfills import BackfillOrders
from butler_cli.local.contacts import load_contacts
from butler_cli.local.dashboard import LINK_LIFE, one_time_link
from butler_cli.local.declare import Declarations, report_evidence, wait_registered
from butler_cli.local.duties import every
from butler_cli.local.endpoints import endpoints_of
from butler_cli.local.following import ContactsFollower
from butler_cli.local.keys import (
    REWRITE_AFTER_S,
    dashboard_token,
    ensure_keys,
    operator_token,
    write_tokens,
)
from butler_cli.local.launch.orphans import Orphans
from butler_cli.local.launch.process import Launcher
from butler_cli.local.notes import models_note, notes_of
from butler_cli.local.plan import HOST, ProcessSpec, Stage, stages_of
from butler_cli.local.postgres import EmbeddedPostgres
from butler_cli.local.prepare import Household, process_environment, write_configuration
from butler_cli.local.probe import http_probe
from butler_cli.local.provision import provision_household
from butler_cli.local.state import StateDir, write_private
from butler_cli.local.status import Phase, write_status
from butler_cli.local.supervisor import Supervisor
from butler_kit.runtime.api.packages import are_installed
from butler_kit.time import SystemClock

__all__ = ["Place"]

READY_DEADLINE_S: Final = 90.0
"""For each stage; a process that is not ready by then ends the start."""
REGISTERED_DEADLINE_S: Final = 30.0
SOURCES_DEADLINE_S: Final = 15.0
"""How long a start waits for connectors to reach their sources before it goes on without them."""
OPS_TIMEOUT_S: Final = 3.0
DATABASE_CHECK_S: Final = 2.0
BUTLER_STAGES: Final = (Stage.MESSENGER, Stage.SPECIALISTS)
TOKEN_CHECK_S: Final = 5.0
LOG_CHECK_S: Final = 30.0
CONTACTS_CHECK_S: Final = 1.0
ORPHAN_CHECK_S: Final = 30.0


class Place:
    """A running household. `report` gets a line of progress at a time."""

    def __init__(
        self, household: Household, state: StateDir, report: Callable[[str], None], launcher: Launcher
    ) -> None:
        self._household = household
        self._launcher = launcher
        self._orphans = Orphans()
        self._state = state
        self._report = report
        self._clock = SystemClock()
        self._tokens_written_at = self._clock.now()
        self._postgres = EmbeddedPostgres(state.root)
        self._stop = asyncio.Event()
        self._changed = asyncio.Event()
        self._phase: Phase = "starting"
        self._notes = notes_of(household.manifests, household.secrets.what_to_do)
        self._contacts = ContactsFollower(household, state)
        self.became_ready = False

    async def run(self) -> None:
        """Start everything, stay until a signal asks for the end, stop everything in order."""
        self._follow_signals()
        self._state.endpoints_file.unlink(missing_ok=True)
        async with AsyncExitStack() as stack:
            stack.callback(self._postgres.stop)
            client = await stack.enter_async_context(
                httpx.AsyncClient(timeout=OPS_TIMEOUT_S, trust_env=False)
            )
            supervisor = self._supervisor()
            stack.callback(self._state.endpoints_file.unlink, missing_ok=True)
            stack.push_async_callback(self._stop_processes, supervisor)
            try:
                await self._until_stopped(self._live(supervisor, client))
            except Exception as error:
                self._phase = "failed"
                self._write_status(supervisor, error=str(error))
                raise
        self._state.status_file.unlink(missing_ok=True)
        self._report("stopped")

    def _follow_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._stop.set)

    def _supervisor(self) -> Supervisor:
        secrets = self._household.secrets
        supervisor = Supervisor(
            self._state,
            env=lambda spec: process_environment(spec, secrets=secrets),
            launcher=self._launcher,
            probe=http_probe,
        )
        supervisor.on_change(self._changed.set)
        self._launcher.on_replaced(lambda: self._tell_replaced(supervisor))
        supervisor.on_change(lambda: self._show_change(supervisor))
        return supervisor

    def _tell_replaced(self, supervisor: Supervisor) -> None:
        self._report("the fork server ended and was started again; no process was lost")
        self._show_change(supervisor)

    def _show_change(self, supervisor: Supervisor) -> None:
        """Write the status; a failure, as on a full disk, ends nothing, and the next change is shown."""
        try:
            self._write_status(supervisor)
        except OSError as error:
            with suppress(OSError):
                self._report(f"{self._state.status_file}: {error.strerror}; `butlers status` is behind")

    async def _until_stopped(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` until it ends or a signal asks for the end; then it is cancelled and awaited."""
        if self._stop.is_set():
            work.close()
            return
        task = asyncio.create_task(work)
        stop = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop.cancel()
            task.cancel()
            outcome = (await asyncio.gather(task, stop, return_exceptions=True))[0]
        while isinstance(outcome, ExceptionGroup):
            outcome = outcome.exceptions[0]
        if isinstance(outcome, Exception):
            raise outcome

    async def _live(self, supervisor: Supervisor, client: httpx.AsyncClient) -> None:
        """Start, then do the standing duties; ends only by cancellation or an error."""
        async with asyncio.TaskGroup() as duties:
            await self._start(supervisor, client, duties)
            duties.create_task(every(TOKEN_CHECK_S, self._renew_tokens, self._report))
            duties.create_task(every(LOG_CHECK_S, supervisor.bound_logs, self._report))
            duties.create_task(
                every(CONTACTS_CHECK_S, lambda: self._follow_contacts(supervisor), self._report)
            )
            duties.create_task(every(DATABASE_CHECK_S, self._revive_database, self._report))
            duties.create_task(every(ORPHAN_CHECK_S, lambda: self._end_orphans(supervisor), self._report))
            duties.create_task(self._launcher.watch())

    async def _start(
        self, supervisor: Supervisor, client: httpx.AsyncClient, duties: asyncio.TaskGroup
    ) -> None:
        began, household = time.monotonic(), self._household
        self._write_status(supervisor)
        for pid in supervisor.end_leftovers():
            self._report(f"ended process {pid}, left by a supervisor that was killed")
        await self._prepare_state()
        await self._start_processes(supervisor, self._declarations(client), duties)
        duties.create_task(self._backfills(client).run(household.manifests))
        await self._announce(client)
        seconds = time.monotonic() - began
        self._report(
            f"ready in {seconds:.1f} s: {len(household.specs)} processes, "
            f"addresses in {self._state.endpoints_file}"
        )
        for note in (*self._notes, *models_note(household.manifests, installed=are_installed())):
            self._report(f"note: {note}")
        # Last: a follower of `--detach` stops reading these lines when the status says so.
        self._phase, self.became_ready = "ready", True
        self._write_status(supervisor)

    async def _start_processes(
        self, supervisor: Supervisor, declarations: Declarations, duties: asyncio.TaskGroup
    ) -> None:
        """Start all but the connectors in parallel, each waiting for what it needs; the connectors follow."""
        household, stages = self._household, dict(stages_of(self._household.specs))
        connectors, dashboard = stages.pop(Stage.CONNECTORS, ()), stages.pop(Stage.DASHBOARD, ())
        for members in (*stages.values(), dashboard):
            supervisor.start(members)
        await self._wait_ready(supervisor, stages.pop(Stage.SWITCHBOARD, ()))
        await declarations.declare(household.manifests, ports=household.ports, now=self._clock.now())
        duties.create_task(self._report_evidence(supervisor, declarations))
        for members in stages.values():
            await self._wait_ready(supervisor, members)
        # Messages that a source brings before every butler is known would be routed without the one they are for.
        await self._wait_registered(declarations)
        supervisor.start(connectors)
        await self._wait_ready(supervisor, dashboard)
        await self._wait_for_sources(supervisor, [spec.name for spec in connectors])

    async def _announce(self, client: httpx.AsyncClient) -> None:
        """Write where everything is, and print the dashboard's link."""
        household = self._household
        document = endpoints_of(household.manifests, ports=household.ports, dsn=self._postgres.admin_dsn)
        link = await one_time_link(client, url=document["dashboard"], token=dashboard_token(self._state))
        self._report(f"dashboard: {link}" + (f" ({LINK_LIFE})" if link != document["dashboard"] else ""))
        write_private(self._state.endpoints_file, json.dumps(document, indent=1) + "\n")

    async def _wait_ready(self, supervisor: Supervisor, members: Sequence[ProcessSpec]) -> None:
        names = [spec.name for spec in members]
        await supervisor.wait_ready(names, deadline_s=READY_DEADLINE_S)
        if names:
            self._report(f"{', '.join(names)} ready")

    async def _wait_for_sources(self, supervisor: Supervisor, names: list[str]) -> None:
        """Wait for sources; an absent provider is an outage, not a mistake: its connector keeps trying."""
        late = await supervisor.late_after(names, deadline_s=SOURCES_DEADLINE_S)
        reached = [name for name in names if name not in late]
        if reached:
            self._report(f"{', '.join(reached)} ready")
        for name in late:
            self._report(f"{name} has not reached its source yet and keeps trying; see `butlers connectors`")

    async def _wait_registered(self, declarations: Declarations) -> None:
        late = await wait_registered(declarations, self._butlers(), deadline_s=REGISTERED_DEADLINE_S)
        if late:
            self._report(
                f"not registered at Switchboard after {REGISTERED_DEADLINE_S:g} s: {', '.join(late)}"
            )

    def _butlers(self) -> list[str]:
        return [spec.name for spec in self._household.specs if spec.stage in BUTLER_STAGES]

    async def _prepare_state(self) -> None:
        household = self._household
        ensure_keys(self._state)
        self._write_tokens()
        write_configuration(household, self._state)
        # Blocking on purpose: the server must be a child of the main thread, and nothing else runs yet.
        self._postgres.start()
        self._report(f"PostgreSQL ready on {HOST}:{self._postgres.port}")
        result = await provision_household(
            household.manifests,
            admin_dsn=self._postgres.admin_dsn,
            dsn=self._postgres.dsn,
            known=household.secrets,
        )
        applied = sum(len(labels) for labels in result.applied.values())
        self._report(f"database up to date ({applied} migrations applied)")
        for spec in household.specs:
            if spec.stage is Stage.MESSENGER:
                env = process_environment(spec, secrets=household.secrets)
                await load_contacts(spec, env=env, state=self._state, launcher=self._launcher)
                self._report("contacts loaded")

    async def _report_evidence(self, supervisor: Supervisor, declarations: Declarations) -> None:
        await report_evidence(
            declarations,
            names=self._butlers(),
            snapshot=supervisor.snapshot,
            changed=self._changed,
            clock=self._clock,
        )

    def _declarations(self, client: httpx.AsyncClient) -> Declarations:
        return Declarations(client, ops_url=self._ops_url(), token=lambda: operator_token(self._state))

    def _backfills(self, client: httpx.AsyncClient) -> BackfillOrders:
        return BackfillOrders(
            client, ops_url=self._ops_url(), token=lambda: operator_token(self._state), report=self._report
        )

    def _ops_url(self) -> str:
        return f"http://{HOST}:{self._household.ports.by_process['switchboard']}/ops/v1"

    def _write_tokens(self) -> None:
        grants = [(spec.name, spec.grant) for spec in self._household.specs if spec.grant is not None]
        write_tokens(self._state, grants)
        self._tokens_written_at = self._clock.now()

    def _renew_tokens(self) -> None:
        # By the wall clock: a machine that slept wakes up with older tokens than its monotonic clock says.
        due = abs((self._clock.now() - self._tokens_written_at).total_seconds()) >= REWRITE_AFTER_S
        files = [
            self._state.token_file(spec.name) for spec in self._household.specs if spec.grant is not None
        ]
        if due or not all(file.exists() for file in files):
            self._write_tokens()

    def _follow_contacts(self, supervisor: Supervisor) -> None:
        told = self._contacts.look()
        if told is not None:
            self._report(told)
            self._show_change(supervisor)

    def _revive_database(self) -> None:
        if not self._postgres.is_running():
            self._report("PostgreSQL ended; starting it again")
            self._postgres.start()

    def _end_orphans(self, supervisor: Supervisor) -> None:
        started = {child.pid for child in supervisor.snapshot()} | {self._postgres.pid, self._launcher.pid}
        for pid in self._orphans.end({pid for pid in started if pid is not None}):
            self._report(f"ended process {pid}, left by a process that ended")

    async def _stop_processes(self, supervisor: Supervisor) -> None:
        if self._phase != "failed":
            self._phase = "stopping"
            self._write_status(supervisor)
        self._report("stopping: dashboard, connectors, specialists, messenger, switchboard, PostgreSQL")
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, supervisor.kill)
        await supervisor.stop()

    def _write_status(self, supervisor: Supervisor, *, error: str | None = None) -> None:
        if self._phase == "failed" and error is None:
            return
        write_status(
            self._state,
            phase=self._phase,
            manifests=str(self._household.directory.absolute()),
            processes=supervisor.snapshot(),
            ports=dict(self._household.ports.by_process),
            port_base=self._household.port_base,
            now=self._clock.now(),
            notes=(*self._notes, *filter(None, [self._contacts.problem])),
            fork_server=self._launcher.pid,
            error=error,
        )
