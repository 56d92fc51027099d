"""What a connector says of its source: a condition, the words of `Ready`, and one event."""

from __future__ import annotations

from typing import Any

import pytest

from butler_operator.reconcile.butler import ButlerRules
from butler_operator.reconcile.conditions import Condition, failed, merge, passed
from butler_operator.reconcile.notices import notices
from butler_operator.reconcile.registry import RegistryView, view_of, with_channels
from butler_operator.reconcile.source import because, channels_reachable, reachable
from butler_operator.reconcile.status import ACCEPTED, conditions_of
from butler_operator.reconcile.workload import ready_condition, workload_of
from butler_resources.kinds import Butler
from tests.support.cluster_resources import messenger
from tests.unit.operator.test_conditions import NOW
from tests.unit.operator.test_workload import deployment, pod, waiting

IDENTITY = ("telegram_bot", "telegram:home")
REFUSED = {
    "kind": "unauthorized",
    "message": "the Bot API refuses the bot's token; check the Secret of spec.telegramBot.tokenSecretRef",
}


def heard(*, liveness: str = "online", state: str = "healthy", **more: Any) -> RegistryView:
    kind, endpoint = IDENTITY
    told = {"liveness": liveness, "eligibility_state": "active", "state": state, **more}
    return view_of([], [{"connector_type": kind, "endpoint_identity": endpoint, **told}])


def telling(fault: Any, **more: Any) -> RegistryView:
    return heard(capabilities={"source_fault": fault}, **more)


@pytest.mark.parametrize(
    ("seen", "status", "reason", "says"),
    [
        (RegistryView(problem="no answer"), "Unknown", "SwitchboardUnreachable", "no answer"),
        (RegistryView(heard=True), "Unknown", "NeverSeen", "no heartbeat"),
        (telling(REFUSED, liveness="stale"), "Unknown", "HeartbeatMissed", "not heard of"),
        (telling(None), "True", "Reached", ""),
        (telling(REFUSED), "False", "Unauthorized", "check the Secret of spec.telegramBot.tokenSecretRef"),
        (telling({"kind": "timeout", "message": "no answer"}), "False", "Unreachable", "no answer"),
        (telling({"kind": "connection_error", "message": "x"}), "False", "Unreachable", "x"),
        (telling({"kind": "conflict", "message": "x"}), "False", "SourceTaken", "x"),
        (telling({"kind": "of tomorrow", "message": "x"}), "False", "Failing", "x"),
    ],
)
def test_the_condition_says_what_the_last_heartbeat_said(
    seen: RegistryView, status: str, reason: str, says: str
) -> None:
    condition = reachable(IDENTITY, seen)
    assert (condition.status, condition.reason) == (status, reason)
    assert says in condition.message


def test_a_trouble_that_is_not_the_source_s_says_nothing_against_it() -> None:
    assert reachable(IDENTITY, telling(None, state="error", error_message="park: full")).status == "True"


def test_a_connector_that_knows_no_such_word_is_judged_by_its_state() -> None:
    assert reachable(IDENTITY, heard(state="degraded", error_message="slow")).status == "True"
    unable = reachable(IDENTITY, heard(state="error", error_message="no such channel"))
    assert (unable.status, unable.reason, unable.message) == ("False", "Failing", "no such channel")


def test_pods_that_are_not_ready_for_it_say_so_in_ready_and_wait_for_a_person() -> None:
    starting = workload_of([deployment(), pod()])
    said = reachable(IDENTITY, telling(REFUSED))
    ready = because(ready_condition(starting, suspended=False), starting, [said])
    assert (ready.status, ready.reason) == ("False", "Unauthorized")
    assert ready.message == f"SourceReachable: {REFUSED['message']}"
    reached = [ACCEPTED, passed("ResolvedRefs", "Resolved"), passed("Deployed", "Deployed"), ready]
    by_type = {condition.type: condition for condition in conditions_of(reached)}
    assert (by_type["Reconciling"].status, by_type["Stalled"].status) == ("False", "True")


@pytest.mark.parametrize(
    "body", [pod(containers=[waiting("ImagePullBackOff", "not found")]),
             pod(conditions=[{"type": "PodScheduled", "status": "False", "message": "no memory"}])],
)  # fmt: skip
def test_what_keeps_a_pod_from_running_comes_first(body: dict[str, Any]) -> None:
    workload = workload_of([deployment(), body])
    ready = ready_condition(workload, suspended=False)
    assert because(ready, workload, [reachable(IDENTITY, telling(REFUSED))]) == ready


def test_pods_that_are_ready_stay_so_whatever_the_source_does() -> None:
    ready, nothing = passed("Ready", "Ready"), workload_of([])
    assert because(ready, nothing, [failed("SourceReachable", "Unreachable", "x")]) == ready


def test_a_refused_token_is_one_event_and_its_end_another() -> None:
    said = reachable(IDENTITY, telling(REFUSED))
    summary = failed("Ready", "Unauthorized", f"SourceReachable: {said.message}")
    (told,) = notices(_stored(passed("Ready", "Ready")), [summary, said])
    assert (told.type, told.reason) == ("Warning", "Unauthorized")
    assert "tokenSecretRef" in told.note
    assert notices(_stored(summary, said), [summary, said]) == ()
    well = reachable(IDENTITY, telling(None))
    ended = notices(_stored(summary, said), [passed("Ready", "Ready"), well])
    assert {(one.type, one.reason) for one in ended} == {("Normal", "Ready"), ("Normal", "Reached")}


def test_a_source_that_is_reached_at_once_is_no_news() -> None:
    assert (
        notices(_stored(reachable(IDENTITY, RegistryView(heard=True))), [reachable(IDENTITY, telling(None))])
        == ()
    )


def _stored(*conditions: Condition) -> dict[str, Any]:
    return {"conditions": merge([], conditions, generation=1, now=NOW)}


def said_of_channels(*channels: dict[str, Any]) -> RegistryView:
    known = {"eligibility_state": "active", "eligibility_reason": "alive"}
    return with_channels(view_of([{"name": "messenger", **known}], []), channels)


def the_messenger() -> Butler:
    body = messenger("contacts", "contacts.yaml")
    body["spec"]["modules"] = {
        "telegram": {"bot": {"tokenSecretRef": {"name": "telegram", "key": "token"}}},
    }  # fmt: skip
    return ButlerRules().parse(body)


@pytest.mark.parametrize(
    ("channels", "status", "reason", "says"),
    [
        ([], "True", "Reached", "nothing was sent"),
        ([{"channel": "telegram", "fault": None}], "True", "Reached", "the last call of telegram"),
        (
            [{"channel": "telegram", "fault": REFUSED}],
            "False",
            "Unauthorized",
            "telegram: the Bot API refuses",
        ),
        ([{"channel": "email", "fault": REFUSED}], "True", "Reached", "nothing was sent"),
    ],
)
def test_messenger_says_which_channel_does_not_get_through(
    channels: list[dict[str, Any]], status: str, reason: str, says: str
) -> None:
    condition = channels_reachable(the_messenger(), said_of_channels(*channels))
    assert condition is not None
    assert (condition.status, condition.reason) == (status, reason)
    assert says in condition.message


def test_without_messenger_s_word_there_is_no_condition_of_its_channels() -> None:
    silent = with_channels(view_of([], []), None)
    assert channels_reachable(the_messenger(), silent) is None
