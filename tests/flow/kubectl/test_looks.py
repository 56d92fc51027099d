"""Status, get, logs, backfill, diagnose, completion: what they ask kubectl and what a person reads."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from butler_cli.program import run
from butler_kubectl.complete import choices
from butler_kubectl.main import VERBS, cli
from tests.flow.kubectl.fake import FakeKubectl, butler, condition, connector

MISSING = condition("ResolvedRefs", "False", "SecretNotFound", "Secret telegram does not exist")
BLOCKED = condition("Ready", "False", "Blocked", "waits for ResolvedRefs")
HELD = condition("Eligible", "False", "Quarantined", "quarantined by ana: wrong sums")


def verb(*arguments: str) -> int:
    return run(cli, arguments, name="kubectl butler")


def unwell() -> dict[str, Any]:
    return {
        "items": [
            connector("telegram", MISSING, BLOCKED, state="offline"),
            butler("finance", condition("Ready"), HELD, state="quarantined"),
            butler("switchboard", role="switchboard"),
        ]
    }


def test_status_tells_each_and_then_what_is_wrong(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    kubectl.on("get", says=unwell())
    assert verb("status", "-n", "home") == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["NAME", "READY", "STATE", "PODS", "AGE", "WHY"]
    assert lines[1][:4] == ["butler/finance", "True", "quarantined", "1/1"]
    assert lines[2][:4] == ["butler/switchboard", "True", "-", "1/1"]
    assert lines[3][:4] == ["connector/telegram", "False", "offline", "-"]
    assert [" ".join(line) for line in lines[4:]] == [
        "",
        "What is wrong",
        "butler/finance: Quarantined: quarantined by ana: wrong sums",
        "connector/telegram: SecretNotFound: Secret telegram does not exist",
    ]
    assert kubectl.calls == [
        ["get", "butlers.butlers.dev,connectors.butlers.dev", "--output=json", "--namespace=home"]
    ]


def test_status_shows_the_version_that_pods_run_where_it_is_asked_for_more(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    current = butler("finance")
    current["status"]["version"] = "1.4.0"
    kubectl.on("get", says={"items": [current, connector("telegram", condition("Ready"))]})
    assert verb("status", "-o", "wide") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["NAME", "READY", "STATE", "PODS", "AGE", "VERSION", "WHY"]
    assert [line[-2] for line in lines[1:3]] == ["1.4.0", "-"]


def test_status_says_for_whom_a_roll_out_waits_and_takes_it_for_no_trouble(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    waits = condition("Progressing", "True", "WaitingForCanary", "b:2 is tried by butler/switchboard first")
    stuck = condition("Progressing", "False", "ImagePullFailed", "b:2: not found")
    items = [butler("finance", condition("Ready"), waits), butler("switchboard", condition("Ready"), stuck)]
    kubectl.on("get", says={"items": items})
    assert verb("status") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "WaitingForCanary: b:2 is tried by butler/switchboard first" in out
    assert out.endswith("What is wrong butler/switchboard: ImagePullFailed: b:2: not found")


def test_status_is_0_only_when_all_are_ready(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    kubectl.on("--selector=a=b", says={"items": [butler("finance")]}).on("get", says={"items": []})
    assert verb("status", "-l", "a=b") == 0
    assert verb("status", "-l", "a=b", "-o", "name") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "butler.butlers.dev/finance"
    assert verb("status", "-A") == 1
    assert capsys.readouterr().err == "no butler and no connector in any namespace\n"


@pytest.mark.parametrize("reason", ["Suspended", "ScaledToZero"])
def test_what_is_switched_off_on_purpose_is_as_asked(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str], reason: str
) -> None:
    off = condition("Ready", "True", reason, "nothing runs, as asked")
    silent = condition("Eligible", "False", "Stale", "stale: never seen")
    kubectl.on("get", says={"items": [butler("finance", off, silent, state="stale")]})
    assert verb("status") == 0
    shown = capsys.readouterr().out
    assert "What is wrong" not in shown
    assert f"{reason}: nothing runs, as asked" in shown


def test_what_a_connector_says_of_its_source_is_wrong_although_its_pod_is_ready(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = condition("SourceReachable", "False", "Unreachable", "mail.example.org:993 cannot be reached")
    kubectl.on("get", says={"items": [connector("mail", condition("Ready"), condition("Online"), cut)]})
    assert verb("status") == 0, "its pod is as asked"
    assert "connector/mail: Unreachable: mail.example.org:993 cannot be reached" in capsys.readouterr().out


def test_status_of_every_namespace_has_a_column_for_it(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    kubectl.on("get", "--all-namespaces", says={"items": [butler("finance")]})
    assert verb("status", "-A") == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:2] == ["home", "butler/finance"]


def test_get_and_logs_leave_the_word_to_kubectl(
    kubectl: FakeKubectl, capfd: pytest.CaptureFixture[str]
) -> None:
    kubectl.on("get", says="a table\n").on("logs", says="a line\n")
    assert verb("get", "-A", "-l", "a=b", "-o", "jsonpath={.items}", "--no-headers") == 0
    assert verb("get", "butler/finance", "-w") == 0
    assert verb("logs", "connector/telegram", "-f", "--since", "5m", "-p", "--tail", "7") == 0
    assert capfd.readouterr().out == "a table\na table\na line\n"
    assert kubectl.calls == [
        ["get", "butlers.butlers.dev,connectors.butlers.dev,backfilljobs.butlers.dev,butleroperations.butlers.dev",
         "--all-namespaces", "--no-headers", "--selector=a=b", "--output=jsonpath={.items}"],
        ["get", "butlers.butlers.dev/finance", "--watch"],
        ["logs", "--selector=butlers.dev/kind=Connector,butlers.dev/name=telegram", "--all-containers",
         "--ignore-errors", "--prefix", "--max-log-requests=20", "--tail=7", "--follow", "--previous", "--since=5m"],
    ]  # fmt: skip


def test_kubectl_s_own_exit_code_is_kept(kubectl: FakeKubectl) -> None:
    kubectl.on("logs", complains="error: no\n", code=1)
    assert verb("logs", "butler/finance") == 1


def job(name: str, state: str, **spec: Any) -> dict[str, Any]:
    return {
        "kind": "BackfillJob",
        "metadata": {"name": name, "namespace": "home", "creationTimestamp": "2026-03-01T09:00:00Z"},
        "spec": {
            "connectorRef": "mail",
            "dateFrom": "2026-01-01",
            "dateTo": "2026-01-31",
            "dailyCostCapCents": 500,
            **spec,
        },
        "status": {"state": state, "rowsProcessed": 12, "costSpentTodayCents": 250},
    }


def test_backfills_are_shown_with_how_to_steer_each(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [
        job("a", "active"),
        job("b", "paused", suspend=True),
        job("c", "cost_capped"),
        job("d", "completed"),
    ]
    kubectl.on("get", "backfilljobs.butlers.dev", says={"items": found})
    assert verb("backfill") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:8] == ["a", "mail", "2026-01-01", "2026-01-31", "active", "12", "-", "2.50"]
    patch = 'kubectl patch backfilljob {} --type merge -p \'{{"spec":{{"suspend":{}}}}}\''
    assert lines[5:] == [
        f"to pause a: {patch.format('a', 'true')}",
        f"b is suspended; to let it go on: {patch.format('b', 'false')}",
        f"c has reached its cap; to let it go on: {patch.format('c', 'true')}, then the same with false",
    ]


def test_a_diagnosis_names_causes_and_what_to_do(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pod = {
        "kind": "Pod",
        "metadata": {"name": "connector-telegram-1"},
        "spec": {"containers": [{"env": [{"name": "BOT_TOKEN", "value": "12345:AAAA"}]}]},
        "status": {"phase": "Running", "containerStatuses": [
            {"name": "connector", "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
             "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}}}]},
    }  # fmt: skip
    kubectl.on("get", "deployments.apps", "--all-namespaces", says={"items": [
        {"metadata": {"name": "butlers-operator", "namespace": "op"}, "status": {}}]})  # fmt: skip
    kubectl.on("get", "pods", says={"items": [pod]}).on("get", "events", complains=NO_EVENTS, code=1)
    kubectl.on(
        "get",
        "configmap",
        says={"data": {"jwks.json": '{"keys": [{"iss": "x"}]}', "subjects.json": '{"subjects": {}}'}},
    )
    kubectl.on("get", "secret", "--output=name", says="secret/switchboard-signing").on(
        "get", "secret", says="other.pem "
    )
    kubectl.on("logs", says="Authorization: Bearer abcdefghijklmnop\n").on(
        "version", says={"serverVersion": {}}
    )
    kubectl.on("get", "butlers.butlers.dev,connectors.butlers.dev,backfilljobs.butlers.dev", says=unwell())
    kubectl.on("get", says={"items": []})
    bundle = tmp_path / "b.tar.gz"
    assert verb("diagnose", "--bundle", str(bundle)) == 1
    printed = capsys.readouterr()
    for said in (
        "operator\n  it does not run: no pod of it is ready\n",
        "configmap/butlers-trust\n  it has no key of Switchboard, so butlers take no calls\n",
        "secret/switchboard-signing\n  it has no signing.pem\n",
        "connector/telegram\n  SecretNotFound: Secret telegram does not exist\n  → create the Secret",
        "butler/finance\n  Quarantined: quarantined by ana: wrong sums\n  → to end the hold: kubectl butler release",
        "pod/connector-telegram-1\n  connector waits (CrashLoopBackOff), ended last with 1 (Error)\n",
        "events\n  not looked at: ana may not list events in namespace home\n",
    ):
        assert said in printed.out, said
    assert bundle.stat().st_mode & 0o777 == 0o600
    with tarfile.open(bundle) as archive:
        files = {one.name: archive.extractfile(one).read().decode() for one in archive}  # type: ignore[union-attr]
    whole = "".join(files.values())
    assert "butlers-diagnosis/logs/connector-telegram-1.previous.log" in files
    assert "12345:AAAA" not in whole
    assert "abcdefghijklmnop" not in whole
    secrets = [call for call in kubectl.calls if "secret" in call]
    assert secrets
    assert all("--output=json" not in call and "--output=yaml" not in call for call in secrets)
    assert verb("diagnose", "--bundle", str(bundle)) == 1
    assert "exists; name another file" in capsys.readouterr().err


NO_EVENTS = (
    'Error from server (Forbidden): events is forbidden: User "ana" cannot list resource "events" in API group "" in '
    'the namespace "home"\n'
)


def test_a_household_that_is_well_has_no_findings(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = json.dumps({"keys": [{"iss": "https://cluster"}, {"iss": "butlers.dev/switchboard"}]})
    well = {"metadata": {"name": "butlers-operator", "namespace": "op"}, "status": {"readyReplicas": 1}}
    gone = {"metadata": {}, "involvedObject": {"kind": "Butler", "name": "finance"}, "reason": "Stale",
            "lastTimestamp": "2999-01-01T00:00:00Z"}  # fmt: skip
    kubectl.on("get", "deployments.apps", says={"items": [well]}).on("get", "pods", says={"items": []})
    kubectl.on("get", "events", says={"items": [gone]})
    kubectl.on("get", "configmap", says={"data": {"jwks.json": keys, "subjects.json": '{"subjects": {}}'}})
    kubectl.on("get", "secret", says="signing.pem ")
    kubectl.on("get", says={"items": [butler("finance")]})
    assert verb("diagnose") == 0
    assert capsys.readouterr().out.startswith("nothing is wrong")


def test_completion_offers_verbs_flags_values_and_names(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from butler_kubectl import complete

    kubectl.on(
        "get",
        "--output=name",
        says="butler.butlers.dev/mail\nbutler.butlers.dev/finance\nconnector.butlers.dev/mail\n",
    )
    assert choices([""]) == list(VERBS)
    assert choices(["d"]) == ["deliveries", "dead-letters", "discard", "deny", "dashboard", "diagnose"]
    assert choices(["status", "--no"]) == ["--no-headers"]
    assert choices(["status", "-o", ""]) == ["json", "yaml", "name", "wide"]
    assert choices(["-n", "home", "release", "finance", ""]) == ["butler/mail", "connector/mail", "finance"]
    assert kubectl.calls[-1][-2:] == ["--namespace=home", "--request-timeout=2s"]
    monkeypatch.setattr("sys.argv", ["kubectl_complete-quarantine", "f"])
    complete.quarantine()
    assert capsys.readouterr().out == "finance\n:4\n"


def test_completion_is_silent_when_the_cluster_is(kubectl: FakeKubectl) -> None:
    kubectl.on("get", complains="Unable to connect to the server: dial tcp: i/o timeout\n", code=1)
    assert choices(["release", ""]) == []


def test_a_kubectl_that_never_ends_is_given_up_and_ended(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("butler_kubectl.kubectl.GRACE_S", 0.8)
    kubectl.on("get", stays=True)
    assert verb("status", "--request-timeout", "200ms") == 1
    assert capsys.readouterr().err.startswith(
        "kubectl butler: kubectl did not end within 1 s; does the cluster answer?"
    )
    assert kubectl.living() == []


def test_what_is_no_json_is_said(kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]) -> None:
    kubectl.on("get", says="hello")
    assert verb("status") == 1
    assert "kubectl printed something that is no JSON object" in capsys.readouterr().err


def test_status_names_the_data_that_deleted_butlers_left(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    switchboard = butler("switchboard", role="switchboard")
    switchboard["status"]["databases"] = [
        {"butler": "finance", "state": "InUse"},
        {"butler": "garden", "state": "Retained"},
        {"butler": "pets", "state": "Dropped"},
    ]
    kubectl.on("get", says={"items": [switchboard]})
    assert verb("status") == 0
    printed = capsys.readouterr().out
    assert "What is left" in printed
    assert "garden was deleted; its data is retained" in printed
    assert "pets" not in printed
