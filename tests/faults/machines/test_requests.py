"""A request under crashing, stalling and stale workers: routed once, ended once, in any order (D12, D17, ADR 0002).

Switchboard's own `Advance`, dispatcher and store on a real database. The classifier gives another plan each time it is
asked, and what the targets answer is fixed before the run: so the end is known, however the wakes and crashes fall.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, ClassVar, cast
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from butler_contracts.context import RequestContext
from butler_contracts.errors import ErrorClass, ErrorDetail, TargetUnavailable
from butler_contracts.ingest import PolicyTier
from butler_contracts.route import RouteEnvelopeV1, make_route_response, make_route_response_accepted
from butler_kit.queue import Defer, Finish, Lease, LeasedQueue, LeaseLost, Unblock
from butler_switchboard.dispatch.advance import Advance
from butler_switchboard.dispatch.breaker import BreakerPolicy
from butler_switchboard.dispatch.breakers import Breakers
from butler_switchboard.dispatch.clocks import Clocks, Timeouts
from butler_switchboard.dispatch.completions import Completions
from butler_switchboard.dispatch.dispatcher import Dispatcher
from butler_switchboard.dispatch.model import AbortPolicy, FanoutMode, Plan, PlannedTarget, RequestState
from butler_switchboard.dispatch.postponing import Postponing
from butler_switchboard.dispatch.results import Results
from butler_switchboard.dispatch.retry import Patience, RetryPolicy
from butler_switchboard.dispatch.store import DispatchStore
from butler_switchboard.routing.registry_view import Presence
from tests.faults.machines.stage import Effort, Stage, frozen_stage
from tests.integration.switchboard.operations.requests import a_waiting_request
from tests.support.database import Server
from tests.support.switchboard import SHARED_PLAN, SWITCHBOARD_PLAN, butler

NAMES = ("finance", "health", "travel")
TERMINAL = {"ok", "error", "skipped"}
NEVER_SILENT = Clocks(Timeouts(run_s=600_000.0))
FOR_EVER = Patience(tries_s=1e9, circuit_s=1e9)
PATIENT = RetryPolicy(
    max_attempts=3, base_delay_s=1.0, max_delay_s=10.0, tiers=dict.fromkeys(PolicyTier, FOR_EVER)
)
CALLS = ["accepts", "answers", "accepts, unheard", "down", "killed before", "killed after", "stalls"]
ROUTES = ["at once", "killed", "stalls"]
PICKS = st.integers(0, 11)
ANSWERS = st.lists(st.sampled_from(["ok", "ok", "again", "error"]), min_size=3, max_size=3)


GO_ON: ContextVar[asyncio.Event] = ContextVar("go_on")
"""What a worker that stands still waits for, with all the branches that it has sent out."""


class Killed(BaseException):
    """The process is gone."""


class Anything:
    """Whatever is told here, nobody counts it."""

    def __getattr__(self, _: str) -> Any:
        return lambda *args, **kwargs: None


def error(kind: str) -> ErrorDetail | None:
    if kind == "ok":
        return None
    return ErrorDetail(error_class=ErrorClass.INTERNAL_ERROR, message=kind, retryable=kind == "again")


@dataclass
class Stalled:
    task: asyncio.Task[None]
    go_on: asyncio.Event


@dataclass
class Outside:
    """The targets and the classifier: idempotent, scripted, and with a memory of what they were given."""

    answers: dict[str, list[str]]
    mode: FanoutMode
    abort: AbortPolicy
    call: str = "accepts"
    route: str = "at once"
    asked: int = 0
    given: dict[UUID, RouteEnvelopeV1] = field(default_factory=dict)
    prompts: dict[tuple[str, int], set[tuple[UUID, str, str]]] = field(default_factory=dict)
    stalled: asyncio.Event = field(default_factory=asyncio.Event)

    async def stand_still(self) -> None:
        self.stalled.set()
        await GO_ON.get().wait()

    async def plan(self, state: RequestState) -> Plan:
        assert state.plan is None, "routed again"
        self.asked += 1
        number, names = self.asked, list(self.answers)
        if self.route == "stalls":
            await self.stand_still()
        if self.route == "killed":
            raise Killed
        return Plan(
            request_id=state.request_id,
            targets=tuple(
                PlannedTarget(position, f"s{position}", name, f"{name}, as decided at {number}")
                for position, name in enumerate(names, start=1)
            ),
            family="rules",
            model_version=f"m{number}",
            prompt_version="p1",
            decided_by="runtime",
            confidence=0.9,
            fallback=False,
            reason="routed",
            fanout_mode=self.mode,
            abort_policy=self.abort,
        )

    async def execute(self, envelope: RouteEnvelopeV1, *, timeout_s: float) -> dict[str, Any]:
        this = self.call
        if this == "down":
            raise TargetUnavailable("down", retryable=True)
        if this == "killed before":
            raise Killed
        sub = envelope.subrequest
        self.given[sub.subrequest_id] = envelope
        self.prompts.setdefault((sub.segment_id, sub.attempt), set()).add(
            (sub.subrequest_id, envelope.target.butler, envelope.input.prompt)
        )
        if this == "killed after":
            raise Killed
        if this == "stalls":
            await self.stand_still()
        if this == "accepts, unheard":
            raise TargetUnavailable("the answer was lost", retryable=True)
        if this == "answers":
            return self.answer(envelope)
        return make_route_response_accepted(envelope).to_wire()

    def answer(self, envelope: RouteEnvelopeV1) -> dict[str, Any]:
        kind = self.answers[envelope.target.butler][envelope.subrequest.attempt - 1]
        return make_route_response(envelope, duration_ms=1.0, result={}, error=error(kind)).to_wire()

    def expected(self) -> list[str]:
        """How the branches end, worked out without any of the code under test."""
        ends: list[str] = []
        for kinds in self.answers.values():
            stops = self.mode is FanoutMode.CONDITIONAL or (
                self.mode is FanoutMode.ORDERED and self.abort is AbortPolicy.STOP
            )
            if stops and any(end != "ok" for end in ends):
                ends.append("skipped")
                continue
            last = next((kind for kind in kinds if kind != "again"), "again")
            ends.append("ok" if last == "ok" else "error")
        return ends


@dataclass
class World:
    stage: Stage
    queue: LeasedQueue
    store: DispatchStore
    request: UUID
    work: dict[str, Any]

    def begin(self) -> None:
        """The one request is as it was when it had been accepted."""
        self.stage.empty("route_plan", "subroute", "routing_log", "inbox_work")
        self.stage.run(
            "UPDATE message_inbox SET lifecycle_state = 'accepted', final_state_at = NULL, routing_output = NULL"
        )
        self.stage.do(self.queue.enqueue(None, item_id=self.request, **self.work))


class Requests(RuleBasedStateMachine):
    world: ClassVar[World]

    def __init__(self) -> None:
        super().__init__()
        self.world.begin()
        self.stalled: list[Stalled] = []
        self.seen: dict[str, str] = {}

    def do(self, awaitable: Awaitable[Any]) -> Any:
        return self.world.stage.do(awaitable)

    @initialize(
        answers=st.lists(ANSWERS, min_size=1, max_size=3),
        mode=st.sampled_from(FanoutMode),
        abort=st.sampled_from(AbortPolicy),
    )
    def wire(self, answers: list[list[str]], mode: FanoutMode, abort: AbortPolicy) -> None:
        stage, store, anything = self.world.stage, self.world.store, cast(Any, Anything())
        self.outside = Outside(dict(zip(NAMES, answers, strict=False)), mode, abort)
        breakers = Breakers(BreakerPolicy(), stage, anything)
        dispatcher = Dispatcher(
            store=store,
            targets=cast(Any, self.outside),
            facts=cast(Any, AllCapable()),
            contacts=Strangers(),
            results=Results(stage.pool),
            breakers=breakers,
            postponing=Postponing(
                store=store,
                breakers=breakers,
                retry=PATIENT,
                clock=stage,
                events=anything,
                rng=random.Random(1),
            ),
            clocks=NEVER_SILENT,
            clock=stage,
            events=anything,
        )
        self.advance = Advance(
            store=store,
            planner=self.outside,
            correctors=anything,
            settlers=anything,
            words=cast(Any, NothingHeld()),
            dispatcher=dispatcher,
            announcer=cast(Any, Silent()),
            butlers=cast(Any, AllAlive()),
            retry=PATIENT,
            clock=stage,
            events=anything,
        )
        self.completions = Completions(
            store=store,
            notifications=anything,
            waker=cast(Any, Wakes(self.world.queue)),
            clocks=NEVER_SILENT,
            breakers=breakers,
            clock=stage,
            events=anything,
            audit=anything,
        )

    @rule(
        wait=st.sampled_from([0, 3, 31]),
        wakes=st.integers(0, 2),
        call=st.sampled_from(CALLS),
        route=st.sampled_from(ROUTES),
    )
    def work(self, wait: int, wakes: int, call: str, route: str) -> None:
        self.world.stage.pass_time(timedelta(seconds=wait))
        for _ in range(wakes):
            self.do(self.world.queue.wake(self.world.request))
        self.outside.call, self.outside.route = call, route
        self.do(self.begin())

    async def begin(self) -> None:
        lease = await self.world.queue.claim(self.world.request)
        if lease is None:
            return
        self.outside.stalled.clear()
        go_on = asyncio.Event()
        task = asyncio.ensure_future(self.hold(lease, go_on))
        stands = asyncio.ensure_future(self.outside.stalled.wait())
        await asyncio.wait({task, stands}, return_when=asyncio.FIRST_COMPLETED)
        stands.cancel()
        if task.done():
            task.result()
        else:
            self.stalled.append(Stalled(task, go_on))

    async def hold(self, lease: Lease, go_on: asyncio.Event) -> None:
        GO_ON.set(go_on)
        queue = self.world.queue
        try:
            match await self.advance(lease):
                case Finish():
                    await queue.finish(lease)
                case Defer(delay_s):
                    await queue.defer(lease, delay_s)
                case Unblock(delay_s):
                    await queue.unblock(lease, delay_s=delay_s)
        except (Killed, LeaseLost):
            return
        except BaseExceptionGroup as group:
            if group.split(Killed)[1] is not None:
                raise

    # Which branch gets how far beside a killed one is left to the machine: what is drawn must not depend on it.
    @rule(pick=PICKS, call=st.sampled_from(CALLS[:6]))
    def a_stalled_worker_goes_on(self, pick: int, call: str) -> None:
        if self.stalled:
            stalled = self.stalled.pop(pick % len(self.stalled))
            self.outside.call, self.outside.route = call, "at once"
            stalled.go_on.set()
            self.do(stalled.task)

    @rule(pick=PICKS, begins=st.booleans())
    def a_target_begins_or_answers_once_or_again(self, pick: int, begins: bool) -> None:
        if not self.outside.given:
            return
        subrequest = sorted(self.outside.given)[pick % len(self.outside.given)]
        envelope = self.outside.given[subrequest]
        if begins:
            self.do(self.completions.started(butler(envelope.target.butler), subrequest))
        else:
            self.answer(envelope)

    def answer(self, envelope: RouteEnvelopeV1) -> None:
        caller = butler(envelope.target.butler)
        self.do(self.completions.complete(caller, self.outside.answer(envelope)))

    def facts(self) -> dict[str, str]:
        """What may never change once it is there: the plan, ended branches, the end."""
        rows = self.do(
            self.world.stage.pool.fetch(
                "SELECT 'plan' AS what, plan::text AS value FROM route_plan"
                " UNION ALL SELECT subrequest_id::text, concat_ws(' ', attempt, state, finished_at, error_message)"
                " FROM subroute WHERE state IN ('ok', 'error', 'skipped')"
                " UNION ALL SELECT 'end', concat_ws(' ', lifecycle_state, final_state_at, routing_output)"
                " FROM message_inbox WHERE final_state_at IS NOT NULL"
            )
        )
        return {row["what"]: row["value"] for row in rows}

    @invariant()
    def what_is_decided_stays(self) -> None:
        facts = self.facts()
        assert {key: facts.get(key) for key in self.seen} == self.seen
        self.seen = facts

    @invariant()
    def each_attempt_is_one_subrequest_to_one_target(self) -> None:
        if hasattr(self, "outside"):
            assert all(len(given) == 1 for given in self.outside.prompts.values()), self.outside.prompts

    @invariant()
    def a_new_attempt_follows_a_received_retryable_error_only(self) -> None:
        wrong = self.do(
            self.world.stage.pool.fetch(
                "SELECT later.* FROM subroute AS later JOIN subroute AS earlier USING (request_id, segment_id)"
                " WHERE later.attempt = earlier.attempt + 1"
                " AND NOT (earlier.state = 'error' AND earlier.retryable AND earlier.response IS NOT NULL)"
            )
        )
        assert not wrong

    def teardown(self) -> None:
        """Everybody goes on; the request ends as it had to from the start."""
        if not hasattr(self, "outside"):
            return
        for stalled in self.stalled:
            self.outside.call, self.outside.route = "accepts", "at once"
            stalled.go_on.set()
            self.do(stalled.task)
        for _ in range(60):
            if not self.do(self.world.queue.depth()):
                break
            self.world.stage.pass_time(timedelta(seconds=31))
            self.outside.call, self.outside.route = "accepts", "at once"
            self.do(self.begin())
            for envelope in list(self.outside.given.values()):
                self.answer(envelope)
        assert not self.do(self.world.queue.depth()), "the request never comes to rest"
        self.what_is_decided_stays()
        rows = self.do(
            self.world.stage.pool.fetch(
                "SELECT DISTINCT ON (position) position, state FROM subroute ORDER BY position, attempt DESC"
            )
        )
        assert [row["state"] for row in rows] == self.outside.expected()
        lifecycle = "parsed" if all(end == "ok" for end in self.outside.expected()) else "errored"
        assert self.seen["end"].startswith(lifecycle)


class AllCapable:
    def endpoint(self, name: str) -> str | None:
        return f"http://127.0.0.1:1/{name}/mcp"

    def expected(self, name: str) -> bool:
        return False

    def capable(self, name: str, tool: str) -> bool:
        return True


class Strangers:
    async def people_of(self, context: RequestContext) -> None:
        return None


class AllAlive:
    def presence(self) -> dict[str, Presence]:
        return {}

    def quarantined(self) -> frozenset[str]:
        return frozenset()

    async def refresh(self) -> None: ...


class NothingHeld:
    async def let_former_go(self, state: RequestState) -> None: ...


class Silent:
    async def announce(self, state: RequestState) -> bool:
        return True


@dataclass
class Wakes:
    queue: LeasedQueue

    async def wake(self, request_id: UUID) -> None:
        await self.queue.wake(request_id)


def test_a_request_is_routed_once_and_ends_as_its_answers_say(
    postgres_server: Server, effort: Effort
) -> None:
    with frozen_stage(postgres_server, (SWITCHBOARD_PLAN, SHARED_PLAN), "switchboard") as stage:
        request = stage.do(a_waiting_request(stage.pool))
        [row] = stage.do(stage.pool.fetch("SELECT lane, source, thread_key FROM inbox_work"))
        queue = LeasedQueue(stage.pool, "switchboard.inbox_work")
        Requests.world = World(stage, queue, DispatchStore(stage.pool), request, dict(row))
        effort.check(Requests, examples=15, steps=20)
