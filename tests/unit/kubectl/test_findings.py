"""What a diagnosis finds in what it has seen, and what it passes over."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from butler_kubectl.findings import Evidence, findings

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
KEYS = [{"iss": "https://cluster"}, {"iss": "butlers.dev/switchboard"}]


def trust(keys: list[dict[str, str]]) -> dict[str, Any]:
    return {"data": {"jwks.json": json.dumps({"keys": keys}), "subjects.json": '{"subjects": {}}'}}


def event(kind: str, name: str, at: str = "2026-03-01T09:59:00Z") -> dict[str, Any]:
    about = {"kind": kind, "name": name}
    return {"metadata": {}, "involvedObject": about, "reason": "Bad", "message": "it is", "lastTimestamp": at}


def well(**other: Any) -> Evidence:
    seen: dict[str, Any] = {
        "resources": [
            {"kind": "Butler", "metadata": {"name": "finance"},
             "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Ready"}]}}],
        "operators": [{"metadata": {"name": "o", "namespace": "n"}, "status": {"readyReplicas": 1}}],
        "trust": trust(KEYS),
        "signing_keys": frozenset({"signing.pem"}),
    }  # fmt: skip
    return Evidence(**{**seen, **other})


def said(evidence: Evidence) -> list[tuple[str, str]]:
    return [(one.what, one.said) for one in findings(evidence, now=NOW)]


def test_nothing_is_found_where_all_is_well() -> None:
    assert said(well()) == []


def test_a_refused_token_is_named_with_what_to_do_and_what_is_suspended_is_nothing_wrong() -> None:
    words = "SourceReachable: the Bot API refuses the bot's token; check spec.telegramBot.tokenSecretRef"
    ready = {"type": "Ready", "status": "False", "reason": "Unauthorized", "message": words}
    off = {"type": "Ready", "status": "True", "reason": "Suspended", "message": "nothing runs, as asked"}
    stale = {"type": "Online", "status": "False", "reason": "HeartbeatMissed", "message": "too old"}
    telegram = {"kind": "Connector", "metadata": {"name": "telegram"}, "status": {"conditions": [ready]}}
    mail = {"kind": "Connector", "metadata": {"name": "mail"}, "status": {"conditions": [off, stale]}}
    (found,) = findings(well(resources=[telegram, mail]), now=NOW)
    assert (found.what, found.said) == ("connector/telegram", f"Unauthorized: {words}")
    assert "Secret" in found.do


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (None, "the trust document is missing, so no token is accepted"),
        ({"data": {}}, "the trust document cannot be read"),
        ({"data": {"jwks.json": "[]", "subjects.json": "{}"}}, "the trust document cannot be read"),
        (trust(KEYS[:1]), "it has no key of Switchboard, so butlers take no calls"),
        (trust(KEYS[1:]), "it has no key of the cluster, so nobody's token is accepted"),
    ],
)
def test_an_incomplete_trust_document_is_found(document: Any, problem: str) -> None:
    assert said(well(trust=document)) == [("configmap/butlers-trust", problem)]


def test_a_missing_signing_key_and_a_missing_operator_are_found() -> None:
    assert said(well(signing_keys=None)) == [
        ("secret/switchboard-signing", "Switchboard's signing key is missing")
    ]
    assert said(well(operators=[])) == [("operator", "no operator is installed")]


def test_what_may_not_be_seen_is_said_once_and_not_taken_for_missing() -> None:
    unseen = {"operator": "no", "configmap/butlers-trust": "no", "secret/switchboard-signing": "no"}
    found = said(well(operators=[], trust=None, signing_keys=None, unseen=unseen))
    assert found == [(what, "not looked at: no") for what in unseen]


def test_warnings_of_the_last_hour_count_unless_what_they_are_about_is_well_or_gone() -> None:
    old = event("ReplicaSet", "old", at="2026-03-01T08:00:00Z")
    events = [
        event("Butler", "finance"),
        event("Connector", "gone"),
        event("Pod", "gone"),
        old,
        event("ReplicaSet", "x"),
    ]
    assert said(well(events=events)) == [("replicaset/x", "event Bad: it is")]


def test_a_pod_tells_why_it_is_not_ready() -> None:
    def pod(**status: Any) -> dict[str, Any]:
        return {"metadata": {"name": "p"}, "status": {"phase": "Pending", **status}}

    unscheduled = {"type": "PodScheduled", "status": "False", "message": "0/1 nodes: too little memory"}
    pulling = {"name": "c", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "not found"}}}
    assert said(well(pods=[pod(conditions=[unscheduled])])) == [
        ("pod/p", "no node takes it: 0/1 nodes: too little memory")
    ]
    assert said(well(pods=[pod(containerStatuses=[{**pulling, "image": "i:1"}])])) == [
        ("image i:1", "it cannot be pulled for pod p: not found")
    ]
    assert said(well(pods=[pod(), pod(conditions=[{"type": "Ready", "status": "True"}])])) == [
        ("pod/p", "is Pending, not ready")
    ]


def resource(kind: str, name: str, progress: tuple[str, str, str]) -> dict[str, Any]:
    status, reason, message = progress
    conditions = [
        {"type": "Ready", "status": "True", "reason": "Ready"},
        {"type": "Progressing", "status": status, "reason": reason, "message": message},
    ]
    return {"kind": kind, "metadata": {"name": name}, "status": {"conditions": conditions}}


def test_an_image_that_nobody_can_pull_is_one_finding() -> None:
    def pod(name: str, reason: str, message: str) -> dict[str, Any]:
        labels = {"butlers.dev/kind": "Butler", "butlers.dev/name": name}
        waits = {
            "name": "provision",
            "image": "b:no",
            "state": {"waiting": {"reason": reason, "message": message}},
        }
        return {
            "metadata": {"name": f"{name}-1", "labels": labels},
            "status": {"phase": "Pending", "initContainerStatuses": [waits]},
        }

    stuck = ("False", "ImagePullFailed", "b:no: not found")
    waits = ("True", "WaitingForCanary", "b:no is tried by butler/switchboard first; until then b:1 goes on")
    found = well(
        resources=[
            resource("Butler", "switchboard", stuck),
            resource("Butler", "finance", stuck),
            *(resource("Connector", f"c{number}", waits) for number in range(28)),
        ],
        pods=[
            pod("switchboard", "ImagePullBackOff", "Back-off pulling image b:no"),
            pod("finance", "ErrImagePull", "not found"),
        ],
        events=[event("Butler", "switchboard"), event("Pod", "switchboard-1"), event("Pod", "finance-1")],
    )
    assert said(found) == [
        ("image b:no", "it cannot be pulled for butler/finance, butler/switchboard; 28 more wait until it is ready "
         "and run on with the old image: not found"),
    ]  # fmt: skip
    (one,) = findings(found, now=NOW)
    assert "helm rollback" in one.do


def test_a_roll_out_that_does_not_get_on_is_found_although_the_old_pod_is_ready() -> None:
    late = resource("Butler", "finance", ("False", "ProgressDeadlineExceeded", "no new pod in 600 s"))
    assert said(well(resources=[late])) == [
        ("butler/finance", "ProgressDeadlineExceeded: no new pod in 600 s")
    ]
