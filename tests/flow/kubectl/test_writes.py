"""Quarantine, release, replay and discard: what is created, whose name it bears, what is printed, how it ends (D4)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from butler_cli.program import run
from butler_kubectl.main import cli
from butler_kubectl.verbs.quarantine import quarantine
from tests.flow.kubectl.fake import FakeKubectl, butler, connector, operation

LETTER = "019ca8d9-0b40-7000-8000-000000000001"
ANA = {"status": {"userInfo": {"username": "ana"}}}
FORBIDDEN = (
    'Error from server (Forbidden): butleroperations.butlers.dev is forbidden: User "ana" cannot create resource '
    '"butleroperations" in API group "butlers.dev" in the namespace "home"\n'
)
POLICY = (
    'Error from server (Forbidden): error when creating "STDIN": butleroperations.butlers.dev "q" is forbidden: '
    "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: spec.requestedBy is 'ana', but you are 'bob': "
    "put your own name there\n"
)
SAID = "finance is quarantined"


def done(kubectl: FakeKubectl, phase: str = "Succeeded", message: str = SAID) -> FakeKubectl:
    kubectl.on("whoami", says=ANA).on("create", echo=True)
    return kubectl.on("butleroperation.butlers.dev/quarantine-finance-abcde", says=operation(phase, message))


def verb(*arguments: str) -> int:
    return run(cli, arguments, name="kubectl butler")


def test_a_quarantine_is_an_operation_in_the_name_of_whoever_asks(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    done(kubectl)
    assert verb("quarantine", "butler/finance", "--reason", "wrong sums", "--until", "2026-03-02") == 0
    assert capsys.readouterr().out == f"{SAID}\n"
    assert kubectl.created == [
        {
            "apiVersion": "butlers.dev/v1alpha1",
            "kind": "ButlerOperation",
            "metadata": {"generateName": "quarantine-finance-"},
            "spec": {
                "action": "quarantine",
                "target": {"kind": "Butler", "name": "finance"},
                "reason": "wrong sums",
                "requestedBy": "ana",
                "params": {"until": "2026-03-02T00:00:00Z"},
            },
        }
    ]


def test_every_flag_of_kubectl_is_passed_on_in_either_place(kubectl: FakeKubectl) -> None:
    done(kubectl)
    before = ["--kubeconfig", "/k", "--context", "c", "--cluster", "cl", "--user", "u", "-n", "elsewhere"]
    after = ["--as", "ana", "--as-group", "g1", "--as-group", "g2", "-n", "home", "--request-timeout", "9s"]
    assert verb(*before, "quarantine", "butler/finance", "--reason", "x", *after) == 0
    passed = [
        "--kubeconfig=/k", "--context=c", "--cluster=cl", "--user=u", "--as=ana", "--namespace=home",
        "--as-group=g1", "--as-group=g2", "--request-timeout=9s",
    ]  # fmt: skip
    assert len(kubectl.calls) == 3
    for call in kubectl.calls:
        assert call[-len(passed) :] == passed


def test_the_short_form_is_the_same_verb(kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]) -> None:
    done(kubectl)
    assert run(quarantine, ["butler/finance", "--reason", "x"], name="kubectl quarantine") == 0
    assert capsys.readouterr().out == f"{SAID}\n"


def test_a_bare_name_is_looked_up_and_refused_when_it_is_two_things(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    kubectl.on(
        "get",
        "butlers.butlers.dev,connectors.butlers.dev",
        says={"items": [butler("mail"), connector("mail")]},
    )
    assert verb("quarantine", "mail", "--reason", "x") == 1
    assert capsys.readouterr().err == (
        "kubectl butler: mail is more than one thing here, name one: butler/mail or connector/mail\n"
    )
    assert verb("quarantine", "post", "--reason", "x") == 1
    assert (
        "no butler or connector 'post' in this namespace; it has butler/mail, connector/mail"
        in capsys.readouterr().err
    )
    assert kubectl.created == []


def test_labels_choose_targets_and_one_refusal_does_not_stop_the_others(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {"items": [butler("finance"), connector("mail")]}
    kubectl.on("whoami", says=ANA).on("get", "--selector=tier=x", says=found)
    kubectl.on("create", complains=FORBIDDEN, code=1, once=True).on("create", echo=True)
    kubectl.on("get", says=operation("Succeeded", "mail is quarantined"))
    assert verb("quarantine", "-l", "tier=x", "--reason", "x") == 1
    printed = capsys.readouterr()
    assert printed.out == "mail is quarantined\n"
    assert printed.err.startswith(
        "kubectl butler: butler/finance: ana may not create butleroperations.butlers.dev in namespace home; the "
        "ClusterRole edit, bound in that namespace, gives it"
    )
    assert [one["spec"]["target"]["kind"] for one in kubectl.created] == ["Butler", "Connector"]


def test_another_s_name_is_refused_in_the_policy_s_words(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    kubectl.on("whoami", says=ANA).on("create", complains=POLICY, code=1)
    assert verb("release", "butler/finance", "--reason", "x") == 1
    assert capsys.readouterr().err == (
        "kubectl butler: butler/finance: spec.requestedBy is 'ana', but you are 'bob': put your own name there\n"
    )


@pytest.mark.parametrize(
    ("phase", "message"), [("Failed", "no such butler"), ("Expired", "not done: nobody")]
)
def test_what_ends_badly_is_said_with_exit_code_1(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str], phase: str, message: str
) -> None:
    done(kubectl, phase, message)
    assert verb("quarantine", "butler/finance", "--reason", "x") == 1
    assert capsys.readouterr().err == f"kubectl butler: butler/finance: {message}\n"


def test_an_operation_that_nobody_takes_up_is_named(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    done(kubectl, "Pending", "")
    assert verb("quarantine", "butler/finance", "--reason", "x", "--timeout", "300ms") == 1
    assert capsys.readouterr().err == (
        "kubectl butler: butler/finance: not done within 0.3 s; it goes on as "
        "butleroperation/quarantine-finance-abcde, "
        "which nobody has taken up: does the operator run? `kubectl butler diagnose` looks\n"
    )


def test_without_waiting_the_operation_is_named(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    done(kubectl)
    assert verb("quarantine", "butler/finance", "--reason", "x", "--no-wait") == 0
    said = capsys.readouterr().out
    assert said == "butleroperation/quarantine-finance-abcde asks for quarantine of butler/finance\n"
    assert len(kubectl.calls) == 2


@pytest.mark.parametrize("kind", ["client", "server"])
def test_a_dry_run_reaches_kubectl_and_says_so(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    done(kubectl)
    assert verb("quarantine", "butler/finance", "--reason", "x", f"--dry-run={kind}") == 0
    said = capsys.readouterr().out
    assert said == f"would ask for quarantine of butler/finance in the name of ana ({kind} dry run)\n"
    assert f"--dry-run={kind}" in kubectl.calls[-1]


def test_scripts_get_the_operation_as_json_yaml_or_name(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    done(kubectl)
    wanted = operation("Succeeded", SAID)
    ask = ("quarantine", "butler/finance", "--reason", "x", "-o")
    assert verb(*ask, "json") == 0
    assert json.loads(capsys.readouterr().out) == wanted
    assert verb(*ask, "yaml") == 0
    assert yaml.safe_load(capsys.readouterr().out) == wanted
    assert verb(*ask, "name") == 0
    assert capsys.readouterr().out == "butleroperation.butlers.dev/quarantine-finance-abcde\n"
    assert verb(*ask, "wide") == 0
    assert capsys.readouterr().out == f"{SAID} (butleroperation/quarantine-finance-abcde, audit 17)\n"


@pytest.mark.parametrize(
    ("action", "text", "target"),
    [
        ("replay", f"dead-letter/{LETTER}", {"kind": "DeadLetter", "id": LETTER}),
        ("replay", f"request/{LETTER}", {"kind": "Request", "id": LETTER}),
        ("discard", f"delivery/{LETTER}", {"kind": "Delivery", "id": LETTER}),
        ("reset-circuit", "telegram", {"kind": "Circuit", "name": "telegram"}),
        ("reset-slo", "telegram", {"kind": "ServiceLevel", "name": "telegram"}),
        ("reset-slo", "switchboard", {"kind": "ServiceLevel", "name": "switchboard"}),
        ("approve", LETTER, {"kind": "Approval", "id": LETTER}),
        ("deny", f"approval/{LETTER}", {"kind": "Approval", "id": LETTER}),
        ("approvals end", LETTER, {"kind": "ApprovalRule", "id": LETTER}),
        ("suppressions end", LETTER, {"kind": "Suppression", "id": LETTER}),
        ("learned end", LETTER, {"kind": "LearnedRule", "id": LETTER}),
        ("memory forget", f"person/{LETTER}", {"kind": "Person", "id": LETTER}),
        ("suppressions add email", "ben@example.org", {"kind": "Channel", "name": "email"}),
        ("cancel", LETTER, {"kind": "Request", "id": LETTER}),
        ("complete", f"request/{LETTER}", {"kind": "Request", "id": LETTER}),
    ],
)
def test_what_is_written_out_needs_no_reader(
    kubectl: FakeKubectl, action: str, text: str, target: dict[str, str]
) -> None:
    kubectl.on("whoami", says=ANA).on("create", echo=True)
    assert verb(*action.split(), text, "--reason", "x", "-y", "--no-wait") == 0
    assert [one["spec"]["target"] for one in kubectl.created] == [target]
    assert [call[0] for call in kubectl.calls] == ["auth", "create"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("discard", f"dead-letter/{LETTER}"),
        ("deny", LETTER),
        ("replay", f"delivery/{LETTER}", "--resend-uncertain"),
        ("cancel", LETTER),
        ("complete", LETTER),
        ("memory", "forget", LETTER),
    ],
)
def test_what_cannot_be_undone_is_refused_where_nobody_can_be_asked(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert verb(*arguments, "--reason", "x") == 1
    assert capsys.readouterr().err.endswith("nobody can be asked here; say -y if it is meant\n")
    assert kubectl.calls == []


def test_a_reroute_names_who_has_the_part_and_who_is_to_have_it(kubectl: FakeKubectl) -> None:
    kubectl.on("whoami", says=ANA).on("create", echo=True)
    ask = ("reroute", LETTER, "--of", "finance", "--to", "health", "--reason", "x", "--no-wait")
    assert verb(*ask) == 0
    assert kubectl.created[0]["spec"]["target"] == {"kind": "Request", "id": LETTER}
    assert kubectl.created[0]["spec"]["params"] == {"butler": "finance", "to": "health"}
    assert verb("reroute", LETTER, "--reason", "x") == 2


def test_what_is_uncertain_goes_again_only_when_it_is_said(kubectl: FakeKubectl) -> None:
    kubectl.on("whoami", says=ANA).on("create", echo=True)
    assert verb("replay", f"delivery/{LETTER}", "--resend-uncertain", "-y", "--reason", "x", "--no-wait") == 0
    assert kubectl.created[0]["spec"]["params"] == {"resendUncertain": "true"}
    assert verb("replay", f"request/{LETTER}", "--resend-uncertain", "-y", "--reason", "x") == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("quarantine", "--reason", "x"),
        ("quarantine", "finance"),
        ("quarantine", "pod/finance", "--reason", "x"),
        ("quarantine", "connector/mail", "--until", "2h", "--reason", "x"),
        ("replay", "pod/x", "--reason", "x"),
        ("release", "butler/finance", "--reason", "x", "--timeout", "soon"),
        ("status", "--request-timeout", "soon"),
        ("nothing",),
    ],
)
def test_wrong_usage_is_exit_code_2_and_one_line(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert verb(*arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--help" in line
    assert kubectl.calls == []


def test_an_empty_reason_is_refused_before_anything_is_asked(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verb("release", "butler/finance", "--reason", " ") == 1
    assert "--reason is empty" in capsys.readouterr().err
    assert kubectl.calls == []


def test_a_missing_kubectl_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("KUBECTL", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert verb("status") == 1
    assert "kubectl is not on PATH; install it" in capsys.readouterr().err
    monkeypatch.setenv("KUBECTL", "/nowhere/kubectl")
    assert verb("status") == 1
    assert "KUBECTL is /nowhere/kubectl, and there is no such program" in capsys.readouterr().err
