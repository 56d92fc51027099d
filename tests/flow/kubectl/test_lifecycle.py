"""Restart, suspend and resume: what is changed, in which order, what is waited for, how it ends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from butler_cli.program import run
from butler_kubectl import lifecycle
from butler_kubectl.complete import choices
from butler_kubectl.main import cli
from butler_resources.kinds.names import PAUSED_ANNOTATION, RESTARTED_AT_ANNOTATION
from tests.flow.kubectl.fake import FakeKubectl, butler, condition, connector

MOMENT = "2026-03-01T10:00:00.000+00:00"
SWITCHBOARD = butler("switchboard", role="switchboard")
MESSENGER = butler("messenger", role="messenger")


def verb(*arguments: str) -> int:
    return run(cli, arguments, name="kubectl butler")


def deployment(replicas: int = 1, *, running: int | None = None, restarted_at: str = "") -> dict[str, Any]:
    annotations = {RESTARTED_AT_ANNOTATION: restarted_at} if restarted_at else {}
    there = replicas if running is None else running
    return {
        "kind": "Deployment",
        "metadata": {"name": "d", "generation": 4},
        "spec": {"replicas": replicas, "template": {"metadata": {"annotations": annotations}}},
        "status": {
            "observedGeneration": 4, "replicas": there, "updatedReplicas": there, "availableReplicas": there,
        },
    }  # fmt: skip


def household(
    kubectl: FakeKubectl, *found: dict[str, Any], made: dict[str, Any] | None = None
) -> FakeKubectl:
    """A cluster with these resources, each of them patched as it is; `made` is everybody's Deployment."""
    kubectl.on("get", "butlers.butlers.dev,connectors.butlers.dev", says={"items": list(found)})
    for one in found:
        key = f"{one['kind'].lower()}s.butlers.dev/{one['metadata']['name']}"
        kubectl.on("patch", key, says=one).on("get", key, says=one)
    for one in found if made is not None else ():
        kubectl.on("get", f"deployment/{one['kind'].lower()}-{one['metadata']['name']}", says=made)
    return kubectl


def patched(kubectl: FakeKubectl) -> list[str]:
    return [call[1] for call in kubectl.calls if call[0] == "patch"]


def patch_of(call: list[str]) -> Any:
    return json.loads(next(word for word in call if word.startswith("--patch=")).removeprefix("--patch="))


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> str:
    """The restart's moment, which its Deployment has to bear."""
    monkeypatch.setattr("butler_kubectl.verbs.restart.now", lambda: MOMENT)
    return MOMENT


def test_a_restart_changes_the_resource_alone_and_ends_when_new_pods_serve(
    kubectl: FakeKubectl, moment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = deployment(), deployment(restarted_at=moment)
    household(kubectl, butler("finance"))
    kubectl.on("get", "deployment/butler-finance", says=before, once=True)
    half = {**after, "status": {**after["status"], "replicas": 2}}
    kubectl.on("get", "deployment/butler-finance", says=half, once=True)
    kubectl.on("get", "deployment/butler-finance", says=after)
    assert verb("restart", "butler/finance") == 0
    assert capsys.readouterr().out == "butler/finance is restarted\n"
    change = next(call for call in kubectl.calls if call[0] == "patch")
    assert patch_of(change) == {"metadata": {"annotations": {RESTARTED_AT_ANNOTATION: moment}}}
    assert {"--type=merge", "--field-manager=kubectl-butler"} <= set(change)
    assert not any(call[0] in ("delete", "rollout") for call in kubectl.calls)
    assert len([call for call in kubectl.calls if "deployment/butler-finance" in call]) == 3


def test_all_of_a_household_restart_one_after_another_switchboard_first_and_sources_last(
    kubectl: FakeKubectl, moment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = (connector("mail"), butler("travel"), MESSENGER, butler("finance"), SWITCHBOARD)
    household(kubectl, *found, made=deployment(restarted_at=moment))
    assert verb("restart", "--all") == 0
    order = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert order == [
        "butler/switchboard", "butler/messenger", "butler/finance", "butler/travel", "connector/mail",
    ]  # fmt: skip
    looked = [call[1] for call in kubectl.calls if call[0] == "patch" or call[1].startswith("deployment/")]
    assert looked[:3] == [
        "butlers.butlers.dev/switchboard", "deployment/butler-switchboard", "butlers.butlers.dev/messenger",
    ]  # fmt: skip


def test_what_comes_after_one_that_does_not_start_again_is_left_alone(
    kubectl: FakeKubectl, moment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = butler("finance", condition("Ready", "False", "ImagePullFailed", "no such image"))
    household(kubectl, broken, connector("mail"), made=deployment())
    assert verb("restart", "--all", "--timeout", "1s") == 1
    assert patched(kubectl) == ["butlers.butlers.dev/finance"]
    assert capsys.readouterr().err.splitlines() == [
        "kubectl butler: butler/finance: not done within 1 s: ImagePullFailed: no such image",
        "kubectl butler: connector/mail: left as it is, because butler/finance is not as asked",
    ]


def test_without_a_wait_all_are_asked_at_once(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    household(kubectl, butler("finance"), connector("mail"))
    assert verb("restart", "--all", "--no-wait", "-o", "name") == 0
    assert capsys.readouterr().out == "butler.butlers.dev/finance\nconnector.butlers.dev/mail\n"
    assert not any(word.startswith("deployment/") for call in kubectl.calls for word in call)


def test_what_does_not_run_cannot_be_restarted_and_that_is_no_failure(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    sleeping, none = butler("finance"), butler("travel")
    sleeping["spec"] |= {"suspend": True}
    none["spec"] |= {"replicas": 0}
    household(kubectl, sleeping, none)
    assert verb("restart", "--all") == 0
    assert capsys.readouterr().out.splitlines() == [
        "butler/finance is suspended: nothing runs that could be restarted",
        "butler/travel has 0 replicas: nothing runs that could be restarted",
    ]
    assert patched(kubectl) == []


def test_what_the_operator_leaves_alone_is_refused(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    paused = butler("finance")
    paused["metadata"] |= {"annotations": {PAUSED_ANNOTATION: "true"}}
    household(kubectl, paused)
    assert verb("suspend", "finance") == 1
    assert "take the annotation butlers.dev/paused off" in capsys.readouterr().err
    assert patched(kubectl) == []


def test_a_suspended_household_hands_nothing_over_any_more_before_it_stops(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    household(kubectl, SWITCHBOARD, butler("finance"), connector("mail"), made=deployment(0))
    assert verb("suspend", "--all") == 0
    assert capsys.readouterr().out.splitlines() == [
        "connector/mail is suspended", "butler/finance is suspended", "butler/switchboard is suspended",
    ]  # fmt: skip
    assert {json.dumps(patch_of(call)) for call in kubectl.calls if call[0] == "patch"} == {
        '{"spec": {"suspend": true}}'
    }


def test_a_resumed_one_is_waited_for_until_all_its_pods_serve(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    two = butler("finance")
    two["spec"] |= {"replicas": 2}
    household(kubectl, two)
    kubectl.on("get", "deployment/butler-finance", says=deployment(0), once=True)
    kubectl.on("get", "deployment/butler-finance", says=deployment(2, running=1), once=True)
    kubectl.on("get", "deployment/butler-finance", says=deployment(2))
    assert verb("resume", "finance") == 0
    assert capsys.readouterr().out == "butler/finance is resumed\n"
    change = next(call for call in kubectl.calls if call[0] == "patch")
    assert patch_of(change) == {"spec": {"suspend": False}}


def test_a_dry_run_changes_nothing_and_waits_for_nothing(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    household(kubectl, butler("finance"))
    assert verb("suspend", "finance", "--dry-run=server") == 0
    assert "butler/finance would be changed: it is suspended then (server dry run)" in capsys.readouterr().out
    assert any("--dry-run=server" in call for call in kubectl.calls)


@pytest.mark.parametrize("words", [(), ("finance", "--all"), ("-l", "a=b", "--all")])
def test_what_is_meant_is_said_in_exactly_one_way(
    kubectl: FakeKubectl, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert verb("restart", *words) == 2
    assert "say --all" in capsys.readouterr().err


def test_a_right_that_is_missing_is_named_with_its_role(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (
        'Error from server (Forbidden): butlers.butlers.dev "finance" is forbidden: User "bob" cannot patch resource '
        '"butlers" in API group "butlers.dev" in the namespace "home"\n'
    )
    kubectl.on("patch", complains=words, code=1)
    household(kubectl, butler("finance"))
    assert verb("restart", "finance") == 1
    assert (
        "bob may not patch butlers.butlers.dev in namespace home; the ClusterRole edit"
        in capsys.readouterr().err
    )


def test_the_verbs_complete_names(kubectl: FakeKubectl) -> None:
    kubectl.on("get", "--output=name", says="butler.butlers.dev/finance\nconnector.butlers.dev/mail\n")
    assert (
        choices(["restart", ""]) == choices(["suspend", ""]) == choices(["resume", ""]) == ["finance", "mail"]
    )
    assert "--all" in choices(["restart", "--"])


def test_plugin_and_operator_mean_the_same_annotations() -> None:
    assert (lifecycle.RESTARTED_AT, lifecycle.PAUSED) == (RESTARTED_AT_ANNOTATION, PAUSED_ANNOTATION)
