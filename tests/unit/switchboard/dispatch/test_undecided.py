"""A message that nobody can take yet is thought about once, however often it is looked at (ADR 0087)."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

from butler_contracts.errors import InternalFailure
from butler_contracts.ingest import PolicyTier
from butler_kit.runtime import SessionJob, SessionResult
from butler_switchboard.dispatch.model import JoinPolicy, RequestState
from butler_switchboard.dispatch.planner import RoutePlanner
from butler_switchboard.dispatch.tiers import PlannerPolicy, TierPolicy
from butler_switchboard.dispatch.undecided import AGAIN_S, Undecided
from butler_switchboard.ingress.message import InboxMessage
from butler_switchboard.learning.deciding import NOTHING, Teachings
from butler_switchboard.rollouts.ways import Ways
from butler_switchboard.routing.message import RoutingMessage
from butler_switchboard.routing.prompt import ROUTE_TOOL
from butler_switchboard.routing.registry_view import ButlerProfile, RegistryView
from butler_switchboard.routing.verdict import verdict
from tests.unit.switchboard.dispatch.build import NOW, message

PATIENCE_S = 120.0
LOOKS = 60


def household(**eligible: bool) -> RegistryView:
    return RegistryView.of(ButlerProfile(name, eligible=there) for name, there in eligible.items())


@dataclass
class Clock:
    passed: float = 0.0

    def now(self) -> datetime:
        return NOW + timedelta(seconds=self.passed)

    def monotonic(self) -> float:
        return self.passed


@dataclass
class Model:
    """Counts its sessions; each calls for `finance`, or breaks off."""

    breaks: bool = False
    sessions: int = 0

    async def trigger(self, job: SessionJob, source: str) -> SessionResult:
        self.sessions += 1
        status, error = "completed", None
        if self.breaks:
            status, error = "failed", InternalFailure("the model is gone").to_detail()
        else:
            await job.tools.call(ROUTE_TOOL, {"butler": "finance", "prompt": "pay the gas bill"})
        ledger = job.tools.ledger
        return SessionResult(job.session_id, "route", "api", status, ledger, NOW, NOW, 0.0, error)


@dataclass
class Registry:
    seen: RegistryView = field(default_factory=lambda: household(finance=False, general=False))

    def view(self) -> RegistryView:
        return self.seen


class Nothing:
    """Every collaborator that has nothing to say of a first message."""

    async def of(self, _: InboxMessage) -> tuple[RequestState, ...]:
        return ()

    async def nobody(self, *_: Any) -> None:
        return None

    plan = meant = offered_last = nobody

    async def around(self, message: RoutingMessage, _: RequestState) -> RoutingMessage:
        return message


async def nobody_taught(_: RequestState) -> Teachings:
    return NOTHING


def waiting(request_id: UUID | None = None) -> RequestState:
    said = message()
    envelope = {**said.envelope, "control": {}}
    return RequestState(replace(said, envelope=envelope, request_id=request_id or said.request_id), None, ())


def planner(model: Model, registry: Registry, clock: Clock, taught: Any = nobody_taught) -> RoutePlanner:
    nothing: Any = Nothing()
    tiers = {tier: TierPolicy("stub", 30.0, JoinPolicy.ALL) for tier in PolicyTier}
    router = SimpleNamespace(model_version="stub")
    rules: Any = SimpleNamespace(router=router, prepared=lambda *_: nullcontext())
    spawner: Any = model
    return RoutePlanner(
        former=nothing, registry=registry, spawner=spawner, rules=rules,
        policy=PlannerPolicy(0.5, PATIENCE_S, 16, tiers), clock=clock, new_id=uuid4, new_boundary=lambda: "0" * 32,
        events=SimpleNamespace(routed=lambda **_: None), backfills=nothing, conversations=nothing, replies=nothing,
        presses=nothing, corrections=nothing, person_of=nothing.nobody,
        limits=SimpleNamespace(of=nothing.nobody),
        taught=SimpleNamespace(of=taught),
        ways=Ways("", None, nothing),
    )  # fmt: skip


async def looked_at(routes: RoutePlanner, state: RequestState, clock: Clock, times: int = LOOKS) -> list[Any]:
    """What each look comes to, two seconds apart, as the queue looks."""
    found = []
    for _ in range(times):
        found.append(await routes.plan(state))
        clock.passed += 2.0
    return found


async def test_a_message_that_waits_for_any_butler_costs_one_session_and_ends_with_its_words() -> None:
    model, clock = Model(), Clock()
    found = await looked_at(planner(model, Registry(), clock), waiting(), clock, LOOKS + 1)
    assert found[:LOOKS] == [None] * LOOKS
    assert model.sessions == 1
    assert found[-1].error is not None
    assert found[-1].reason == "ineligible_target:finance"


async def test_it_is_thought_again_when_the_registry_has_changed_and_then_goes_out() -> None:
    model, clock, registry = Model(), Clock(), Registry()
    routes, state = planner(model, registry, clock), waiting()
    await looked_at(routes, state, clock, 5)
    registry.seen = household(finance=True, general=False)
    [plan] = await looked_at(routes, state, clock, 1)
    assert [target.butler for target in plan.targets] == ["finance"]
    assert model.sessions == 2


async def test_a_butler_that_comes_and_goes_costs_no_session_for_each_time() -> None:
    model, clock, registry = Model(), Clock(), Registry()
    routes, state = planner(model, registry, clock), waiting()
    for there in (False, True) * 10:
        registry.seen = household(finance=False, general=False, travel=there)
        await looked_at(routes, state, clock, 1)
    assert model.sessions == 2


async def test_a_session_that_broke_off_is_tried_again_after_a_while_and_not_every_two_seconds() -> None:
    model, clock = Model(breaks=True), Clock()
    await looked_at(planner(model, Registry(), clock), waiting(), clock)
    assert 2 <= model.sessions <= PATIENCE_S / AGAIN_S


async def test_another_message_is_thought_about_for_itself() -> None:
    model, clock = Model(), Clock()
    routes = planner(model, Registry(), clock)
    for state in (waiting(), waiting(uuid4())):
        await looked_at(routes, state, clock, 2)
    assert model.sessions == 2


def test_what_is_remembered_is_bounded_and_only_what_waits() -> None:
    kept, registry, first = Undecided(most=2), household(general=False), UUID(int=0)
    waits = verdict([], registry, routing := RoutingMessage("pay the gas bill"), 0.5)
    for number in range(3):
        kept.keep(UUID(int=number), registry, waits, now=0.0, broke_off=False)
    assert kept.of(first, registry, now=0.0) is None
    assert kept.of(UUID(int=2), registry, now=0.0) == waits
    there = household(general=True)
    kept.keep(first, there, verdict([], there, routing, 0.5), now=0.0, broke_off=False)
    assert kept.of(first, there, now=0.0) is None
