"""Wires a specialist: the one place that knows every part (architecture §3)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from butler_contracts.invitation import CAPABILITY as INVITATIONS
from butler_contracts.memory import CAPABILITY
from butler_kit.auth import TokenFile
from butler_kit.config import MemberEnvironment, demand, read_environment
from butler_kit.db import Pool, open_pool
from butler_kit.mcp import CachedMCPClient
from butler_kit.queue import LeasedQueue, QueueRunner, TierBuffer
from butler_kit.runtime import Spawner
from butler_kit.runtime.budget import Spending, Terms
from butler_kit.runtime.sessions import PostgresSessionStore
from butler_kit.telemetry import BUFFER, CALENDAR, REMINDER, ROUTE, SCHEDULE, SPAWNER, Metrics
from butler_kit.time import Clock, new_uuid7
from butler_specialist.accept.cancelling import Cancelling
from butler_specialist.accept.service import AcceptRules, RouteAcceptance
from butler_specialist.accept.validate import LANES
from butler_specialist.booking.keeper import Bookings
from butler_specialist.booking.opened import bookings_of, told_of, tool_servers_of
from butler_specialist.held.handler import HeldWorker
from butler_specialist.held.queue import held_runner
from butler_specialist.held.store import HeldStore
from butler_specialist.instructions import instructions_of
from butler_specialist.metrics import CalendarMetrics, ReminderMetrics, RouteMetrics, ScheduleMetrics
from butler_specialist.outside.journal import Journal
from butler_specialist.people.keeper import People
from butler_specialist.profiles import load_profile
from butler_specialist.remind.handler import OfRecords, ReminderWorker
from butler_specialist.remind.queue import reminder_runner
from butler_specialist.schedules.keeper import LANE, ScheduleKeeper
from butler_specialist.settings import SpecialistConfig
from butler_specialist.store.inbox import RouteInbox
from butler_specialist.store.invitations import InvitationStore
from butler_specialist.store.model import Outcome
from butler_specialist.store.people import PeopleStore
from butler_specialist.store.records import RecordStore
from butler_specialist.store.reminders import ReminderStore
from butler_specialist.store.schedules import ScheduleStore
from butler_specialist.store.upcoming import UpcomingStore
from butler_specialist.store.visibility import policy_of
from butler_specialist.thinking.chosen import specialist_thinking
from butler_specialist.thinking.prompt import Texts
from butler_specialist.thinking.shared import SharedFacts
from butler_specialist.thinking.spending import SwitchboardLedger
from butler_specialist.thinking.told import session_settings, threads_of
from butler_specialist.upcoming.keeper import Upcoming, UpcomingSettings
from butler_specialist.work.booking import BookedAnswers
from butler_specialist.work.handler import RouteWorker
from butler_specialist.work.inviting import Invitations
from butler_specialist.work.knowing import Sources
from butler_specialist.work.outside import CallsOutside
from butler_specialist.work.pressing import Presses
from butler_specialist.work.scheduled import ScheduledRuns
from butler_specialist.work.session import RulesSessions, Sessions
from butler_specialist.work.switchboard import Switchboard

__all__ = ["Specialist"]

_SWITCHBOARD_TIMEOUT_S: Final = 10.0
_DRAIN_S: Final = 12.0
_TOOL: Final = "route.execute"


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts that exist once the database is reachable."""

    pool: Pool
    queue: LeasedQueue
    runner: QueueRunner
    acceptance: RouteAcceptance
    cancelling: Cancelling
    reminders: ReminderStore
    reminding: QueueRunner
    held: HeldStore
    holding: QueueRunner
    upcoming: Upcoming
    people: People
    schedules: ScheduleKeeper
    bookings: Bookings | None


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the work on a message needs besides its inbox."""

    pool: Pool
    people: People
    reminders: ReminderStore
    bookings: Bookings | None


class Specialist:
    """One instance: its configuration before it starts, and its parts while it runs."""

    def __init__(self, config: SpecialistConfig, env: Mapping[str, str], *, clock: Clock) -> None:
        self.config = config
        self.environment = read_environment(MemberEnvironment, env)
        self.clock = clock
        self.metrics = Metrics((*ROUTE, *REMINDER, *CALENDAR, *SCHEDULE, *SPAWNER, *BUFFER))
        self.route_metrics = RouteMetrics(self.metrics)
        self.reminder_metrics = ReminderMetrics(self.metrics)
        self.calendar_metrics = CalendarMetrics(self.metrics)
        self.instructions = instructions_of(config.butler, env)
        self.profile = load_profile(config.butler.profile, instructions=self.instructions)
        self.rules = RulesSessions(self.profile)
        privacy = config.privacy
        self.policy = policy_of(self.profile.audiences, household=privacy.household, private=privacy.private)
        self.switchboard = CachedMCPClient.for_service(
            self.environment.switchboard_mcp_url,
            TokenFile(self.environment.token_file).read,
            timeout_s=_SWITCHBOARD_TIMEOUT_S,
        )
        self.tool_servers = tool_servers_of(config, env, self.switchboard, clock)
        self.thinking = specialist_thinking(
            config.runtime,
            env,
            self.profile,
            self.rules,
            clock,
            pool=lambda: self.parts.pool,
            texts=Texts.of(self.profile, **self._told),
            spending=self._spending(),
            servers=self.tool_servers,
            shared=SharedFacts(Switchboard(self.switchboard), clock),
        )
        self._parts: _Parts | None = None

    @property
    def _told(self) -> dict[str, Any]:
        """Return what a model is told besides the common instructions and the profile's."""
        own = self.instructions if self.config.butler.profile is not None else None
        names = self.tool_servers.names if self.tool_servers is not None else ()
        books = self.config.modules.calendar is not None
        return {"servers": list(names), "instructions": own, "books": books}

    def _spending(self) -> Spending:
        ledger = SwitchboardLedger(self.switchboard)
        return Spending(Terms.of(self.config.budget, self.config.runtime), lambda: ledger, self.metrics)

    @property
    def parts(self) -> _Parts:
        if self._parts is None:
            raise RuntimeError("the specialist has not been started")
        return self._parts

    @property
    def capabilities(self) -> tuple[str, ...]:
        """Return the capabilities: the tool itself, and those the profile and the configuration name."""
        memory = (CAPABILITY,) if self.config.modules.memory is not None else ()
        named = (_TOOL, *self.profile.capabilities, *memory, *self.config.butler.capabilities)
        return tuple(dict.fromkeys(named))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Open everything needed to serve; close it in reverse order."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.switchboard.aclose)
            stack.push_async_callback(self.thinking.aclose)
            if self.tool_servers is not None:
                stack.push_async_callback(self.tool_servers.aclose)
            pool = await open_pool(
                self.environment.current_database_url,
                self.config.butler.db_schema,
                name=self.config.butler.name,
                min_size=demand.POOL_LEAST,
                max_size=demand.specialist_pool(self.config.runtime.max_concurrent_sessions),
            )
            stack.push_async_callback(pool.close)
            self._parts = self._wire(pool)
            await self._parts.people.begin()
            yield

    def _wire(self, pool: Pool) -> _Parts:
        butler, buffer = self.config.butler, self.config.buffer
        queue = LeasedQueue(pool, f"{butler.db_schema}.route_work", replica=self.environment.replica)
        people = People(
            PeopleStore(pool),
            self.config.ways,
            changed=lambda: upcoming.changed(),
            moved=lambda: reminding.look(),
        )
        records, store = RecordStore(pool), UpcomingStore(pool)
        reminders = ReminderStore(pool, quiet=people.quiet_of)
        upcoming = Upcoming(
            settings=self._upcoming_settings(people),
            records=records,
            store=store,
            look=lambda: reminding.look(),
        )
        reminding = self._reminding(pool, reminders, OfRecords(upcoming.text_of, store.lapse_held))

        bookings = bookings_of(
            self.config, pool, self.switchboard, people, self.policy, self.calendar_metrics, self.clock
        )

        def written(outcome: Outcome) -> None:
            if outcome.reminders:
                reminding.look()
            if outcome.records or outcome.changes or outcome.wishes:
                upcoming.changed()

        inbox = RouteInbox(
            pool, capacity=buffer.work_capacity, policy=self.policy, books=bookings is not None
        )
        kept = _Kept(pool, people, reminders, bookings)
        sessions = self._sessions(pool, records, reminders, people)
        worker = self._worker(inbox, sessions, kept, written)
        runner = self._runner(queue, worker)
        acceptance = RouteAcceptance(
            rules=AcceptRules(butler.name, butler.security.trusted_route_callers, self.capabilities),
            inbox=inbox,
            offer=runner.offer,
            metrics=self.route_metrics,
            clock=self.clock,
        )
        cancelling = Cancelling(inbox, Journal(pool), runner.renew)
        schedules = ScheduleKeeper(
            ScheduleStore(pool),
            self.config.schedules,
            own_name=butler.name,
            session_s=self.config.runtime.timeout_s,
            offer=runner.offer,
            metrics=self.route_metrics,
        )
        held = HeldStore(pool)
        return _Parts(
            pool,
            queue,
            runner,
            acceptance,
            cancelling,
            reminders,
            reminding,
            held,
            self._holding(pool, held),
            upcoming,
            people,
            schedules,
            bookings,
        )

    def _runner(self, queue: LeasedQueue, worker: RouteWorker) -> QueueRunner:
        buffer = self.config.buffer
        return QueueRunner(
            queue,
            TierBuffer[UUID](
                (*LANES, LANE),
                capacity=buffer.queue_capacity,
                max_consecutive=buffer.max_consecutive_same_tier,
            ),
            worker.process,
            on_exhausted=worker.give_up,
            workers=self.config.runtime.max_concurrent_sessions,
            scanner_interval_s=buffer.scanner_interval_s,
            scanner_grace_s=buffer.scanner_grace_s,
            scanner_batch=buffer.scanner_batch_size,
            drain_s=_DRAIN_S,
            observer=self.route_metrics,
        )

    def _worker(
        self, inbox: RouteInbox, sessions: Sessions, kept: _Kept, written: Callable[[Outcome], None]
    ) -> RouteWorker:
        name, switchboard = self.config.butler.name, Switchboard(self.switchboard)
        ways = kept.people.of
        return RouteWorker(
            own_name=name,
            inbox=inbox,
            sessions=sessions,
            presses=Presses(own_name=name, reminders=kept.reminders),
            invitations=Invitations(name, self._invited(kept.pool), ways, self.policy, self.calendar_metrics),
            calls=CallsOutside(name, Journal(kept.pool), lambda work: ways(work.contact_id).language),
            runs=ScheduledRuns(name, inbox, switchboard, ways, ScheduleMetrics(self.metrics)),
            booked=BookedAnswers(kept.bookings, ways),
            switchboard=switchboard,
            metrics=self.route_metrics,
            written=written,
        )

    def _invited(self, pool: Pool) -> InvitationStore | None:
        """Return the store of invitations, for a butler that makes records of them."""
        return InvitationStore(pool) if INVITATIONS in self.capabilities else None

    def _upcoming_settings(self, people: People) -> UpcomingSettings:
        butler = self.config.butler
        wanted = frozenset(butler.remind_of)
        return UpcomingSettings(self.profile.topics, wanted, people.of, butler.remind_before)

    def _reminding(self, pool: Pool, reminders: ReminderStore, of_records: OfRecords) -> QueueRunner:
        butler, environment = self.config.butler, self.environment
        worker = ReminderWorker(
            own_name=butler.name,
            store=reminders,
            switchboard=Switchboard(self.switchboard),
            metrics=self.reminder_metrics,
            of_records=of_records,
        )
        return reminder_runner(
            pool, worker, schema=butler.db_schema, replica=environment.replica, drain_s=_DRAIN_S
        )

    def _holding(self, pool: Pool, held: HeldStore) -> QueueRunner:
        butler, environment = self.config.butler, self.environment
        worker = HeldWorker(
            own_name=butler.name,
            store=held,
            switchboard=Switchboard(self.switchboard),
            servers=self.tool_servers,
        )
        return held_runner(
            pool, worker, schema=butler.db_schema, replica=environment.replica, drain_s=_DRAIN_S
        )

    def _sessions(
        self, pool: Pool, records: RecordStore, reminders: ReminderStore, people: People
    ) -> Sessions:
        sources = Sources(
            pool,
            records,
            reminders,
            people,
            self.config.butler.currency or "",
            self.policy,
            self.config.modules.memory is not None,
            told_of(self.config, self.switchboard),
        )
        spawner = Spawner(
            self.config.butler.name,
            self.thinking.family,
            self.config.runtime.max_concurrent_sessions,
            clock=self.clock,
            metrics=self.metrics,
            session_store=PostgresSessionStore(pool),
            budget_s=self.config.budget.session.seconds,
            keeps_words=self.config.runtime.keeps_words,
        )
        return Sessions(
            settings=session_settings(self.config, self.profile, self._told),
            profile=self.profile,
            spawner=spawner,
            rules=self.rules,
            answering=sources.answering,
            threads=threads_of(pool, self.config, self.thinking.asks),
            known=records.move_to_contacts,
            new_id=lambda: new_uuid7(self.clock.now()),
        )
