"""The life of dead letters under any order of replays, discards, late answers and lost months (SWB-32, D12, D55).

Switchboard's own store and `DeadLetters` on a real database; the worker is a rule that ends every branch that is under
way. What was done once is never done again, and every failing end is one dead letter.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from butler_contracts.errors import ErrorClass, ErrorDetail, KeyReused
from butler_kit.operations import Operations, Order, Refused
from butler_kit.queue import LeasedQueue
from butler_kit.telemetry import SWITCHBOARD, Metrics
from butler_switchboard.dispatch.model import Plan, PlannedTarget, SubrouteState
from butler_switchboard.dispatch.outcome import conclude
from butler_switchboard.dispatch.store import DispatchStore
from butler_switchboard.operations.actions import OperatorAudit
from butler_switchboard.operations.audit import Audit
from butler_switchboard.operations.dead_letters import DeadLetters
from tests.faults.machines.stage import Effort, Stage, frozen_stage
from tests.integration.switchboard.operations.requests import a_waiting_request
from tests.support.database import Server
from tests.support.switchboard import SHARED_PLAN, SWITCHBOARD_PLAN

NAMES = ("finance", "health", "travel")
ENDS = st.lists(st.sampled_from(["ok", "error", "error"]), min_size=3, max_size=3)
TABLES = (
    "message_inbox", "ingest_dedupe", "inbox_work", "route_plan", "subroute", "dead_letter", "operation",
    "dashboard_audit_log",
)  # fmt: skip
WRONG = ErrorDetail(error_class=ErrorClass.INTERNAL_ERROR, message="closed", retryable=False)


async def at_once(*works: Awaitable[Any]) -> list[Any]:
    return list(await asyncio.gather(*works))


class Nobody:
    async def wake(self, request_id: UUID) -> None:
        return None


@dataclass
class World:
    stage: Stage
    store: DispatchStore
    replicas: tuple[DeadLetters, DeadLetters]


class DeadLetterLife(RuleBasedStateMachine):
    world: ClassVar[World]

    def do(self, awaitable: Awaitable[Any]) -> Any:
        return self.world.stage.do(awaitable)

    def fetch(self, query: str, *arguments: Any) -> list[Any]:
        found: list[Any] = self.do(self.world.stage.pool.fetch(query, *arguments))
        return found

    @initialize(ends=ENDS)
    def a_request_is_routed_and_ends(self, ends: list[str]) -> None:
        stage = self.world.stage
        stage.empty(*TABLES)
        self.attempts: Counter[str] = Counter()
        self.done: set[str] = set()
        self.failures = 0
        self.late = False
        self.keys: dict[str, tuple[str, UUID]] = {}
        self.request: UUID = self.do(a_waiting_request(stage.pool))
        lease = self.do(LeasedQueue(stage.pool, "inbox_work").claim(self.request))
        targets = tuple(PlannedTarget(n, f"s{n}", name, "do it") for n, name in enumerate(NAMES, start=1))
        plan = Plan(
            request_id=self.request,
            targets=targets,
            family="rules",
            model_version="m",
            prompt_version="p",
            decided_by="runtime",
            confidence=0.9,
            fallback=False,
            reason="routed",
        )
        self.do(self.world.store.commit_plan(lease, plan, quarantined=()))
        self.work(ends)

    def under_way(self) -> bool:
        return bool(self.fetch("SELECT 1 FROM message_inbox WHERE final_state_at IS NULL"))

    def letters(self) -> list[Any]:
        return self.fetch("SELECT * FROM dead_letter ORDER BY generation")

    def work(self, ends: list[str]) -> None:
        """A worker ends every branch that is under way, then the request, then leaves the queue."""
        state = self.do(self.world.store.load(self.request))
        for part, end in zip(state.latest(), ends, strict=True):
            if part.state is not SubrouteState.PENDING:
                continue
            assert part.target not in self.done, f"{part.target} did it already"
            assert part.attempt == self.attempts[part.target] + 1
            self.attempts[part.target] += 1
            if end == "ok":
                self.done.add(part.target)
            error = None if end == "ok" else WRONG
            self.do(
                self.world.store.mark_ended(
                    part.subrequest_id, error=error, response={"status": end}, duration_ms=1.0
                )
            )
        outcome = conclude(self.do(self.world.store.load(self.request)))
        written = self.do(at_once(*(self.world.store.conclude(self.request, outcome) for _ in range(2))))
        assert sorted(ended_at is not None for ended_at in written) == [False, True]
        self.failures += outcome.lifecycle_state == "errored"
        self.fetch("DELETE FROM inbox_work")

    @precondition(lambda self: self.under_way())
    @rule(ends=ENDS)
    def a_worker_is_free(self, ends: list[str]) -> None:
        self.the_worker_goes_on(ends)

    def the_worker_goes_on(self, ends: list[str]) -> None:
        assert self.fetch("SELECT 1 FROM inbox_work WHERE lease_id IS NULL"), (
            "replayed, and nobody would work"
        )
        self.work(ends)

    @precondition(lambda self: self.letters())
    @rule(
        pick=st.integers(0, 5),
        verb=st.sampled_from(["replay", "replay", "replay", "discard"]),
        known=st.booleans(),
        ends=st.one_of(ENDS, ENDS, st.none()),
    )
    def operators_act_at_once(self, pick: int, verb: str, known: bool, ends: list[str] | None) -> None:
        letters = self.letters()
        letter = letters[-1 - pick % len(letters)]
        keys = [f"k{len(self.keys)}", f"k{len(self.keys) + 1}"]
        if known and self.keys:
            keys[0] = sorted(self.keys)[pick % len(self.keys)]
        acts = [self.act(replica, verb, letter["dead_letter_id"], key) for replica, key in enumerate(keys)]
        results = self.do(at_once(*acts))
        for key in keys:
            self.keys.setdefault(key, (verb, letter["dead_letter_id"]))
        done = [result for result in results if result == "done"]
        assert len(done) <= (letter["state"] == "open")
        if ends is not None and self.under_way():
            self.the_worker_goes_on(ends)

    async def act(self, replica: int, verb: str, letter: UUID, key: str) -> str:
        order = Order(key, f"dead_letter.{verb}", f"dead_letter/{letter}", "why", "ada")
        service = self.world.replicas[replica]
        try:
            if verb == "replay":
                answer: Any = await service.replay(letter, order)
            else:
                answer = await service.discard(letter, order)
        except Refused:
            return "refused"
        except KeyReused:
            assert self.keys[key] != (verb, letter)
            return "other"
        return "again" if answer.repeated else "done"

    @precondition(lambda self: not self.under_way())
    @rule(pick=st.integers(0, 2))
    def a_target_answers_too_late(self, pick: int) -> None:
        rows = self.fetch(
            "SELECT DISTINCT ON (position) subrequest_id, target, state FROM subroute ORDER BY position, attempt DESC"
        )
        if not rows or rows[pick]["state"] != "error":
            return
        self.do(self.world.store.keep_late_response(rows[pick]["subrequest_id"], {"status": "ok"}))
        self.late = True
        self.done.add(rows[pick]["target"])

    @precondition(lambda self: not self.under_way())
    @rule()
    def the_month_is_dropped(self) -> None:
        self.fetch("DELETE FROM message_inbox")
        if not self.late:
            self.fetch("DELETE FROM route_plan")
            self.fetch("DELETE FROM subroute")

    @invariant()
    def every_failing_end_is_one_dead_letter_and_at_most_one_waits(self) -> None:
        if not hasattr(self, "request"):
            return
        letters = self.letters()
        assert [letter["generation"] for letter in letters] == list(range(1, self.failures + 1))
        waiting = [letter for letter in letters if letter["state"] == "open"]
        assert len(waiting) <= (not self.under_way())
        before = [None, *(letter["dead_letter_id"] for letter in letters)]
        assert [letter["replay_of"] for letter in letters] == before[: len(letters)]

    @invariant()
    def what_was_done_to_a_dead_letter_is_one_operation_and_one_entry(self) -> None:
        acted = self.fetch("SELECT target, count(*) FROM operation WHERE state = 'done' GROUP BY target")
        assert all(row["count"] == 1 for row in acted)
        closed = self.fetch("SELECT operation_uid FROM dead_letter WHERE state <> 'open'")
        done = self.fetch("SELECT uid FROM operation WHERE state = 'done'")
        assert {row["operation_uid"] for row in closed} == {row["uid"] for row in done}
        [unaudited] = self.fetch(
            "SELECT count(*) FROM operation FULL JOIN dashboard_audit_log USING (audit_id)"
            " WHERE uid IS NULL OR dashboard_audit_log.at IS NULL"
        )
        assert unaudited["count"] == 0


def test_dead_letters_are_made_once_and_acted_on_once(postgres_server: Server, effort: Effort) -> None:
    with frozen_stage(postgres_server, (SWITCHBOARD_PLAN, SHARED_PLAN), "switchboard") as stage:
        audit = OperatorAudit(Audit(stage.pool, Metrics(SWITCHBOARD)))
        replicas = tuple(DeadLetters(stage.pool, Operations(stage.pool, audit), Nobody()) for _ in range(2))
        DeadLetterLife.world = World(stage, DispatchStore(stage.pool), (replicas[0], replicas[1]))
        effort.check(DeadLetterLife, examples=15, steps=14)
