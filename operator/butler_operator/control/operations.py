"""Carry out ButlerOperations: call the right service under the object's UID and report the outcome (D4).

Invariant: a lost answer, a restart or a second operator cannot run one twice: the UID is the idempotency key.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from butler_kit.telemetry import get_logger
from butler_operator.cluster.errors import ClusterGone
from butler_operator.control.runtime import Runtime
from butler_operator.gateways.ops import OpsNotFound, OpsRefused, OpsUnavailable
from butler_operator.operations.life import Ended, Step, ended, next_step, running, settled, waiting
from butler_operator.operations.orders import Call, OrderProblem, calls_of
from butler_operator.operations.words import said
from butler_operator.reconcile.conditions import Condition
from butler_operator.reconcile.key import Key
from butler_operator.reconcile.notices import Notice
from butler_operator.reconcile.outcome import Outcome, done, requeue
from butler_operator.reconcile.resource import is_deleting, problem_text
from butler_operator.reconcile.status import patch_of
from butler_resources.kinds import ButlerOperation, Connector, ManifestError
from butler_resources.kinds.conditions import Reason
from butler_resources.kinds.objects import parse_object
from butler_resources.kinds.statuses import OperationPhase

__all__ = ["OperationRunner"]

_log = get_logger(__name__)
AGAIN_S: Final = 5.0
"""Pause before a service that did not answer is asked again."""
Body = dict[str, Any]
Change = tuple[dict[str, Any], tuple[Condition, ...]]


class OperationRunner:
    """`reconcile` for ButlerOperations."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def reconcile(self, key: Key) -> Outcome:
        """Advance one operation as far as possible now."""
        body = self._runtime.observed.resource(key)
        if body is None or is_deleting(body):
            return done()
        try:
            return await self._advance(body)
        except ClusterGone:
            return done()

    async def _advance(self, body: Body) -> Outcome:
        now = self._runtime.clock.now()
        over = settled(body, now)
        if over is None:
            return await self._go_on(body, now)
        if over is Step.DELETE:
            metadata = body["metadata"]
            await self._runtime.cluster.delete(
                body["kind"], metadata["namespace"], metadata["name"], uid=metadata["uid"]
            )
        return done()

    async def _go_on(self, body: Body, now: datetime) -> Outcome:
        try:
            operation = parse_object(ButlerOperation, body)
        except ManifestError as error:
            invalid = Ended(OperationPhase.FAILED, Reason.INVALID_SPEC, problem_text(error), {})
            return await self._end(body, invalid, now)
        step = next_step(operation, body, now)
        if step is Step.EXPIRE:
            return await self._end(body, _expired(operation), now)
        if step is Step.GIVE_UP:
            return await self._end(body, _unknown(), now)
        return await self._ask(body, operation, now)

    async def _ask(self, body: Body, operation: ButlerOperation, now: datetime) -> Outcome:
        try:
            calls = calls_of(operation, self._connector(body, operation))
        except OrderProblem as problem:
            return await self._end(body, Ended(OperationPhase.FAILED, Reason.REFUSED, str(problem), {}), now)
        body = await self._tell(body, running(body, now), now)
        try:
            answer = await self._first_that_knows(body, calls)
        except OpsUnavailable as error:
            await self._tell(body, waiting(error.message), now)
            return requeue(AGAIN_S, error.message)
        except OpsRefused as error:
            if error.retryable:
                await self._tell(body, waiting(error.message), now)
                return requeue(AGAIN_S, error.message)
            return await self._end(body, Ended(OperationPhase.FAILED, Reason.REFUSED, error.message, {}), now)
        succeeded = Ended(OperationPhase.SUCCEEDED, Reason.COMPLETED, said(operation, answer), answer)
        return await self._end(body, succeeded, now)

    async def _first_that_knows(self, body: Body, calls: tuple[Call, ...]) -> Mapping[str, Any]:
        metadata = body["metadata"]
        for call in calls:
            ops = self._runtime.ops(metadata["namespace"], call.service)
            try:
                return await ops.request("POST", call.path, call.body, idempotency_key=metadata["uid"])
            except OpsNotFound:
                if call is calls[-1]:
                    raise
        raise AssertionError("an operation is at least one call")

    def _connector(self, body: Body, operation: ButlerOperation) -> Connector | None:
        namespace, name = body["metadata"]["namespace"], operation.spec.target.name
        for connector, _ in self._runtime.parsed("Connector", namespace):
            if isinstance(connector, Connector) and connector.name == name:
                return connector
        return None

    async def _end(self, body: Body, outcome: Ended, now: datetime) -> Outcome:
        body = await self._tell(body, ended(outcome, now), now)
        phase = outcome.phase
        notice = Notice(
            "Normal" if phase is OperationPhase.SUCCEEDED else "Warning", phase.value, outcome.message
        )
        await self._runtime.events.record(body, notice)
        _log.info("operation_ended", key=str(Key.of(body)), phase=outcome.phase.value, said=outcome.message)
        return done()

    async def _tell(self, body: Body, change: Change, now: datetime) -> Body:
        fields, conditions = change
        generation = body["metadata"].get("generation", 0)
        seen = {"observedGeneration": generation, **fields}
        patch = patch_of(body.get("status"), seen, conditions, generation=generation, now=now)
        if patch is None:
            return body
        written = await self._runtime.cluster.write_status(body, patch)
        self._runtime.metrics.count("butlers.operator.writes", kind="ButlerOperation", verb="status")
        self._runtime.observed.put(written)
        return written


def _expired(operation: ButlerOperation) -> Ended:
    limit = operation.spec.expires_after_seconds
    text = (
        f"not done: nobody could be asked within {limit} s; create the operation again if it is still wanted"
    )
    return Ended(OperationPhase.EXPIRED, Reason.EXPIRED, text, {})


def _unknown() -> Ended:
    text = "asked for and never answered; look at the target, and create the operation again if it is still wanted"
    return Ended(OperationPhase.EXPIRED, Reason.EXPIRED, text, {})
