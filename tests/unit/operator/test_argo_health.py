"""What Argo CD shows for the statuses that the operator writes, and that kstatus comes to the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import pytest

from butler_operator.backfill.decide import conditions as of_backfill
from butler_operator.backfill.decide import waiting as backfill_waits
from butler_operator.operations.life import Ended, ended, running
from butler_operator.operations.life import waiting as operation_waits
from butler_operator.reconcile.conditions import Condition, failed, passed
from butler_operator.reconcile.progress import progress_of
from butler_operator.reconcile.status import ACCEPTED, conditions_of, patch_of, paused_conditions, rejected
from butler_operator.reconcile.workload import ready_condition, workload_of
from butler_resources.kinds import BackfillState as State
from butler_resources.kinds.conditions import Reason
from butler_resources.kinds.names import KINDS, PAUSED_ANNOTATION
from butler_resources.kinds.statuses import OperationPhase
from tests.support.argo_health import SCRIPTS, health
from tests.support.kstatus import kstatus_of
from tests.unit.operator.backfill.test_decide import ROW
from tests.unit.operator.test_conditions import NOW
from tests.unit.operator.test_progress import CRASHING, LATE, PULLING, SETTLED, WRITTEN, rolling
from tests.unit.operator.test_workload import pod

Body = dict[str, Any]
AGREES: Final = {
    "Healthy": ("Current",),
    "Suspended": ("Current",),
    "Progressing": ("InProgress",),
    "Degraded": ("Failed",),
}
ENDED_ITS_ROLL_OUT: Final = "NewReplicaSetAvailable"


def resource(kind: str, conditions: Sequence[Condition], **fields: Any) -> Body:
    patch = patch_of(None, {"observedGeneration": 1, **fields}, conditions, generation=1, now=NOW)
    return {"kind": kind, "metadata": {"name": "x", "generation": 1}, "status": patch}


def with_pods(children: list[Body], *, suspended: bool = False, waits: str = "") -> Body:
    workload = workload_of(children)
    ready = ready_condition(workload, suspended=suspended)
    return resource(
        "Butler", conditions_of([*WRITTEN, ready], progress=progress_of(children, workload, waits=waits))
    )


def refused(kind: str) -> Body:
    return resource(kind, conditions_of([rejected("spec.suspend: expected true or false")]))


SERVES = with_pods(rolling(pod(ready=True), **SETTLED))
MISSING = failed("ResolvedRefs", Reason.SECRET_NOT_FOUND, "Secret telegram does not exist")
TOKEN = failed("Ready", Reason.UNAUTHORIZED, "SourceReachable: 401", terminal=True)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (SERVES, "Healthy", "1 of 1 pod available"),
        (with_pods(rolling(wanted=0, replicas=0)), "Healthy", "spec.replicas is 0"),
        (with_pods(rolling(wanted=0, replicas=0), suspended=True), "Suspended", "nothing runs, as asked"),
        (with_pods([]), "Progressing", "the Deployment is being made"),
        (with_pods(rolling()), "Progressing", "a roll-out is on its way"),
        (with_pods(rolling(), waits="switchboard tries it"), "Progressing", "switchboard tries it"),
        (with_pods(rolling(PULLING)), "Progressing", "not found"),
        (with_pods(rolling(PULLING, said=LATE)), "Degraded", "not found"),
        (with_pods(rolling(said=LATE)), "Degraded", "within 60 s"),
        (refused("Butler"), "Degraded", "expected true or false"),
        (refused("Connector"), "Degraded", "expected true or false"),
        (resource("Connector", conditions_of([ACCEPTED, MISSING])), "Progressing", "Secret telegram does not exist"),
        (resource("Connector", conditions_of([*WRITTEN, TOKEN])), "Degraded", "SourceReachable: 401"),
    ],
)  # fmt: skip
def test_a_butler_or_connector_is_in_argo_what_it_is_for_kstatus(body: Body, status: str, says: str) -> None:
    shown, message = health(body)
    assert shown == status
    assert says in message
    assert kstatus_of(body) in AGREES[shown]


def test_pods_that_fall_after_they_served_are_degraded_before_kstatus_gives_them_up() -> None:
    body = with_pods(rolling(CRASHING, said=ENDED_ITS_ROLL_OUT, replicas=1, updatedReplicas=1))
    assert health(body) == ("Degraded", "butler ended 5 times, last with status 2")
    assert kstatus_of(body) == "InProgress"


@pytest.mark.parametrize("kind", sorted(names.kind for names in KINDS))
def test_what_the_operator_has_not_looked_at_is_progressing(kind: str) -> None:
    new: Body = {"kind": kind, "metadata": {"name": "x", "generation": 1}}
    assert health(new)[0] == health(new | {"status": {}})[0] == "Progressing"
    edited = resource(kind, [passed("Ready", Reason.READY), passed("Complete", Reason.COMPLETED)])
    edited["metadata"]["generation"] = 2
    assert health(edited)[0] == "Progressing"
    assert kstatus_of(edited) == "InProgress"


def test_a_paused_resource_is_suspended_whatever_its_status_was() -> None:
    patch = patch_of(SERVES["status"], {}, paused_conditions(), generation=2, now=NOW)
    metadata = {"name": "x", "generation": 2, "annotations": {PAUSED_ANNOTATION: "true"}}
    status, message = health(
        {"kind": "Butler", "metadata": metadata, "status": {**SERVES["status"], **(patch or {})}}
    )
    assert (status, PAUSED_ANNOTATION in message) == ("Suspended", True)
    metadata["annotations"] = {PAUSED_ANNOTATION: "false"}
    assert health(SERVES | {"metadata": metadata | {"generation": 1}})[0] == "Healthy"


@pytest.mark.parametrize(
    ("state", "status", "says"),
    [
        (State.PENDING, "Progressing", "has not taken the job yet"),
        (State.ACTIVE, "Progressing", "reads its history"),
        (State.PAUSED, "Suspended", "spec.suspend is true"),
        (State.COST_CAPPED, "Degraded", "spend has reached"),
        (State.ERROR, "Degraded", "gave up"),
        (State.CANCELLED, "Degraded", "cancelled before its end"),
        (State.COMPLETED, "Healthy", "messages taken"),
    ],
)
def test_a_backfill_is_progressing_until_it_ends(state: State, status: str, says: str) -> None:
    body = resource("BackfillJob", of_backfill(replace(ROW, state=state)))
    shown, message = health(body)
    assert shown == status
    assert says in message
    stuck = state in (State.COST_CAPPED, State.ERROR)
    assert kstatus_of(body) == ("Failed" if stuck else "Current"), "kstatus knows no Complete and no Failed"


def test_a_backfill_without_its_connector_is_waited_for() -> None:
    missing = failed("ResolvedRefs", Reason.CONNECTOR_NOT_FOUND, "no Connector mail")
    body = resource("BackfillJob", backfill_waits(missing, failed("Progressing", Reason.BLOCKED, "blocked")))
    assert health(body) == ("Progressing", "ResolvedRefs is False: no Connector mail")
    assert kstatus_of(body) == "InProgress"


def test_an_operation_is_progressing_until_it_ends_well_or_badly() -> None:
    created = {"metadata": {"creationTimestamp": "2026-01-31T12:00:00Z"}}
    fields, conditions = running(created, NOW + timedelta(seconds=1))
    assert health(resource("ButlerOperation", conditions, **fields)) == ("Progressing", "being asked for")
    fields, conditions = operation_waits("switchboard does not answer")
    assert health(resource("ButlerOperation", conditions, **fields)) == (
        "Progressing",
        "switchboard does not answer",
    )
    done = Ended(OperationPhase.SUCCEEDED, Reason.COMPLETED, "released", {})
    assert health(resource("ButlerOperation", ended(done, NOW)[1])) == ("Healthy", "released")
    for phase, reason in ((OperationPhase.FAILED, Reason.REFUSED), (OperationPhase.EXPIRED, Reason.EXPIRED)):
        gone = Ended(phase, reason, "no such butler", {})
        assert health(resource("ButlerOperation", ended(gone, NOW)[1])) == ("Degraded", "no such butler")


def test_every_kind_has_its_health_check() -> None:
    assert set(SCRIPTS) == {names.kind for names in KINDS}
