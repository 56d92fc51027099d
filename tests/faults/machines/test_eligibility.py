"""Eligibility under racing reports, beats, holds and sweeps of two replicas, against a plain model (D30, D35, SWB-10).

A race is made, not hoped for: a second event is written between the first one's read and its write.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from butler_contracts.errors import ValidationFailed
from butler_kit.auth import Forbidden
from butler_kit.db import Connection
from butler_kit.telemetry import SWITCHBOARD, Metrics
from butler_switchboard.operations.audit import Audit
from butler_switchboard.operations.retention import Retention, RetentionPolicy
from butler_switchboard.registry.butlers import Butlers
from butler_switchboard.registry.eligibility import Hold
from butler_switchboard.registry.records import ButlerRecord, Declaration, Registration, Report
from butler_switchboard.registry.store import ButlerStore
from butler_switchboard.registry.view import Registry
from tests.faults.machines.eligibility_model import TTL_S, Event, Model
from tests.faults.machines.stage import START, Effort, Stage, frozen_stage
from tests.support.database import Server
from tests.support.switchboard import SHARED_PLAN, SWITCHBOARD_PLAN, butler

NAME = "finance"
Event_ = st.builds(
    Event,
    kind=st.sampled_from(
        [
            "heartbeat", "heartbeat", "register", "declare", "declare_held", "quarantine", "quarantine", "release",
            "report", "report", "report", "sweep",
        ]
    ),
    until=st.sampled_from([None, 50, 200, 1_500]),
    owns_channel_tool=st.sampled_from([False, False, False, True]),
    ready=st.booleans(),
    crash_loop=st.sampled_from([False, False, True]),
    rollout=st.sampled_from([False, False, True]),
    restarts=st.integers(0, 1),
    observed=st.sampled_from([0, 0, 0, -7, -30, -70, 40]),
)  # fmt: skip
"""`until` and `observed` are seconds from now; the machine makes moments of them."""


class RacedStore(ButlerStore):
    """After the next read of a row, `between` happens before anything is written."""

    between: Callable[[], Awaitable[None]] | None = None

    async def load(self, connection: Connection, name: str) -> tuple[datetime, ButlerRecord] | None:
        found = await super().load(connection, name)
        between, self.between = self.between, None
        if between is not None:
            await between()
        return found


class Uncounted:
    def eligibility_changed(self, butler: str, state: str) -> None: ...


@dataclass
class World:
    stage: Stage

    def replica(self, store: ButlerStore) -> Butlers:
        pool = self.stage.pool
        return Butlers(pool=pool, store=store, audit=Audit(pool, Metrics(SWITCHBOARD)), events=Uncounted())


class Eligibility(RuleBasedStateMachine):
    """`holds`: an operator's hold, kept apart from the model, for what must never be forgotten."""

    world: ClassVar[World]

    def __init__(self) -> None:
        super().__init__()
        self.world.stage.empty("butler_registry", "eligibility_evidence", "eligibility_log")
        self.store = RacedStore(self.world.stage.pool)
        self.here, self.there = (
            self.world.replica(self.store),
            self.world.replica(ButlerStore(self.world.stage.pool)),
        )
        self.seconds = 0
        self.model = Model()

    def do(self, awaitable: Any) -> Any:
        return self.world.stage.do(awaitable)

    def at(self, seconds: int | None) -> datetime | None:
        return None if seconds is None else START + timedelta(seconds=seconds)

    def moments(self, event: Event) -> Event:
        until = None if event.until is None else self.seconds + event.until
        return Event(**{**vars(event), "until": until, "observed": self.seconds + event.observed})

    async def tell(self, butlers: Butlers, event: Event) -> None:
        """Let it happen; what is refused changes nothing."""
        hold = Hold("by hand", self.at(event.until))
        with suppress(Forbidden, ValidationFailed):
            match event.kind:
                case "declare":
                    await butlers.declare(NAME, declaration(None), actor="manifest")
                case "declare_held":
                    await butlers.declare(NAME, declaration(hold), actor="manifest")
                case "register":
                    tools = (FORBIDDEN,) if event.owns_channel_tool else ("route.execute",)
                    await butlers.register(butler(NAME), Registration(tools=tools))
                case "heartbeat":
                    await butlers.heartbeat(butler(NAME))
                case "quarantine":
                    await butlers.quarantine(NAME, hold, actor="ada")
                case "release":
                    await butlers.release(NAME, reason="mended", actor="ada")
                case "sweep":
                    await butlers.sweep()
                case _:
                    observed = self.at(event.observed)
                    assert observed is not None
                    report = Report(event.ready, event.restarts, event.crash_loop, observed, event.rollout)
                    await butlers.report(NAME, report, actor="operator")

    @initialize()
    def is_declared_and_introduces_itself(self) -> None:
        for kind in ("declare", "register"):
            self.happens(Event(kind))

    @rule(seconds=st.sampled_from([1, 11, 61, 91, 300, 1_000]))
    def time_passes(self, seconds: int) -> None:
        self.seconds += seconds
        self.world.stage.pass_time(timedelta(seconds=seconds))

    @rule(event=Event_)
    def happens(self, event: Event) -> None:
        event = self.moments(event)
        self.do(self.tell(self.there, event))
        self.model = self.model.after(event, self.seconds) or self.model

    @rule(first=Event_, second=Event_)
    def two_happen_at_once(self, first: Event, second: Event) -> None:
        """The second comes between the first one's read and write: it is as if they had come one after the other."""
        first, second = self.moments(first), self.moments(second)
        self.store.between = lambda: self.tell(self.there, second)
        self.do(self.tell(self.here, first))
        if self.store.between is not None:
            self.store.between = None  # A sweep that found nothing late reads no row.
            self.do(self.tell(self.there, second))
        orders = [self.in_order(first, second), self.in_order(second, first)]
        [row] = self.do(self.world.stage.pool.fetch(ROW))
        likely = [model for model in orders if self.shown(row) == comparable(model)]
        assert likely, f"{self.shown(row)} is neither of {[comparable(model) for model in orders]}"
        self.model = likely[0]

    def in_order(self, *events: Event) -> Model:
        model = self.model
        for event in events:
            model = model.after(event, self.seconds) or model
        return model

    def shown(self, row: Any) -> tuple[Any, ...]:
        def seconds(moment: datetime | None) -> float | None:
            return None if moment is None else (moment - START).total_seconds()

        reason = "" if row["eligibility_state"] == "active" else row["eligibility_reason"]
        held_until = row["quarantine_until"] if row["quarantine_origin"] == "operator" else None
        return (
            row["eligibility_state"], reason, row["quarantine_origin"], seconds(row["quarantined_at"]),
            seconds(held_until), seconds(row["last_seen_at"]), row["manifest_hold_reason"] is not None,
            seconds(row["manifest_hold_until"]), seconds(row["observed_at"]), row["ready"], row["crash_loop"],
            row["rollout"], seconds(row["ready_since"] or row["unready_since"]), FORBIDDEN in row["tools"],
        )  # fmt: skip

    @invariant()
    def the_record_is_what_the_model_says(self) -> None:
        for row in self.do(self.world.stage.pool.fetch(ROW)):
            assert self.shown(row) == comparable(self.model)

    @invariant()
    def nobody_is_chosen_whom_the_evidence_of_now_forbids(self) -> None:
        registry = Registry(self.store, self.world.stage)
        self.do(registry.refresh())
        may = self.model.state == "active" and self.model.judged(self.seconds).state == "active"
        assert registry.view().eligible(NAME) == may

    @invariant()
    def the_log_has_every_change(self) -> None:
        log = self.do(self.world.stage.pool.fetch(LOG))
        states = [("stale", "never_seen"), *((line["new_state"], line["reason"]) for line in log)]
        assert [line["previous_state"] for line in log] == [state for state, _ in states[:-1]]
        for row in self.do(self.world.stage.pool.fetch(ROW)):
            assert states[-1] == (row["eligibility_state"], row["eligibility_reason"])


FORBIDDEN = "telegram_send_message"
"""What it registered shows late: two registrations at once may leave the same state and differ in this."""
ROW = """
SELECT r.*, e.ready, e.ready_since, e.unready_since, e.crash_loop, e.rollout, e.observed_at
FROM butler_registry AS r LEFT JOIN eligibility_evidence AS e ON e.butler = r.name
"""
LOG = "SELECT previous_state, new_state, reason FROM eligibility_log ORDER BY entry_id"


def comparable(model: Model) -> tuple[Any, ...]:
    pod = model.pod
    known = (None,) * 5 if pod is None else (pod.observed, pod.ready, pod.crash_loop, pod.rollout, pod.since)
    return (
        model.state, model.reason, model.origin, model.since, model.held_until, model.seen, model.manifest,
        model.manifest_until, *known, model.owns_channel_tool,
    )  # fmt: skip


def declaration(hold: Hold | None) -> Declaration:
    return Declaration(
        role="specialist", endpoint_url="http://127.0.0.1:1/mcp", manifest_hold=hold, liveness_ttl_s=TTL_S
    )


def test_eligibility_follows_the_evidence_in_its_order(postgres_server: Server, effort: Effort) -> None:
    with frozen_stage(postgres_server, (SWITCHBOARD_PLAN, SHARED_PLAN), "switchboard") as stage:
        stage.set_time(START)
        stage.do(Retention(stage.pool, RetentionPolicy()).prepare())
        Eligibility.world = World(stage)
        effort.check(Eligibility, examples=25, steps=24)
