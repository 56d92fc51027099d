"""Reads of the data plane: the household's own ops API behind a port-forward, a reader's token, nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from butler_cli.local.keys import operator_token
from butler_cli.program import run
from butler_kubectl.main import cli
from tests.flow.cli.household import DoubleHousehold, household
from tests.flow.kubectl.fake import FakeKubectl, butler
from tests.support import request_lives as lives

REQUEST = str(lives.REQUEST)
BUTLERS = {
    "items": [
        butler("switchboard", role="switchboard"), butler("messenger", role="messenger"), butler("finance"),
    ]
}  # fmt: skip
NO_TOKEN = (
    'Error from server (Forbidden): serviceaccounts "butlers-reader" is forbidden: User "ana" cannot create resource '
    '"serviceaccounts/token" in API group "" in the namespace "home"\n'
)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[DoubleHousehold]:
    with household(tmp_path) as running:
        yield running


def reachable(kubectl: FakeKubectl, place: DoubleHousehold) -> FakeKubectl:
    """The cluster's way to the household: Services, tokens, port-forwards."""
    kubectl.on("get", "butlers.butlers.dev", says=BUTLERS)
    urls = json.loads(place.state.endpoints_file.read_text())
    for service in ("switchboard", "messenger", "finance"):
        port = int(urls[service]["ops"].rpartition(":")[2].partition("/")[0])
        token = operator_token(place.state, audience=service)
        kubectl.on(
            "get", "service", f"butler-{service}", says={"spec": {"ports": [{"name": "http", "port": 40101}]}}
        )
        kubectl.on("create", "token", f"--audience=butlers.dev/{service}", says=f"{token}\n")
        kubectl.on("port-forward", f"service/butler-{service}", forward=port)
    return kubectl


def verb(*arguments: str) -> int:
    return run(cli, arguments, name="kubectl butler")


def test_a_trace_is_told_as_on_one_machine_and_leaves_nothing_behind(
    kubectl: FakeKubectl, place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    from butler_cli.main import run as local

    reachable(kubectl, place)
    place.told.requests[REQUEST] = lives.life()
    place.told.deliveries[:] = [lives.delivery(request_id=REQUEST)]
    assert local(["trace", REQUEST, "--state", str(place.state.root)]) == 0
    wanted = capsys.readouterr().out
    assert verb("trace", REQUEST[:13], "-n", "home", "--request-timeout", "9s") == 0
    assert capsys.readouterr().out == wanted
    assert kubectl.living() == []
    forwards = [call for call in kubectl.calls if call[0] == "port-forward"]
    assert [call[1:4] for call in forwards] == [
        [f"service/butler-{name}", ":40101", "--address=127.0.0.1"] for name in ("switchboard", "messenger")
    ]
    assert all("--namespace=home" in call and "--request-timeout=9s" not in call for call in forwards)
    tokens = [call for call in kubectl.calls if call[:2] == ["create", "token"]]
    assert [call[2] for call in tokens] == ["butlers-reader"] * 2


def test_lists_come_as_table_json_and_names(
    kubectl: FakeKubectl, place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    reachable(kubectl, place)
    place.told.deliveries[:] = [lives.delivery(request_id=REQUEST)]
    own_id = place.told.deliveries[0]["delivery_id"]
    assert verb("deliveries", "--channel", "telegram", "--limit", "3") == 0
    heading, row = capsys.readouterr().out.splitlines()
    assert heading.split()[:3] == ["DELIVERY", "AGE", "FROM"]
    assert row.startswith(own_id)
    assert place.told.queries[-1] == {"channel": "telegram", "limit": "3"}
    assert verb("deliveries", "--no-headers") == 0
    assert capsys.readouterr().out.splitlines() == [row]
    assert verb("deliveries", "-o", "name") == 0
    assert capsys.readouterr().out == f"delivery/{own_id}\n"
    assert verb("deliveries", "-o", "json") == 0
    assert json.loads(capsys.readouterr().out)["deliveries"][0]["delivery_id"] == own_id
    assert verb("deliveries", "-o", "json", "-w") == 2


def test_the_circuits_of_a_household_on_a_cluster_are_shown_as_on_one_machine(
    kubectl: FakeKubectl, place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    reachable(kubectl, place)
    place.told.circuits[:] = [
        {
            "channel": "telegram",
            "state": "open",
            "consecutive_failures": 5,
            "trip_reason": "did not answer in time",
        }
    ]
    assert verb("circuits", "--no-headers") == 0
    (row,) = capsys.readouterr().out.splitlines()
    assert row.split()[:3] == ["telegram", "open", "5"]
    assert row.endswith("did not answer in time")
    assert verb("circuits", "-o", "name") == 0
    assert capsys.readouterr().out == "circuit/telegram\n"


def test_the_service_levels_of_a_household_on_a_cluster_are_shown_as_on_one_machine(
    kubectl: FakeKubectl, place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    reachable(kubectl, place)
    place.told.own_levels[:] = [{"name": "switchboard", "state": "kept", "burn": 0.5}]
    place.told.levels[:] = [{"channel": "telegram", "state": "tight", "burn": 20, "cause": "success"}]
    assert verb("slo", "--no-headers") == 0
    own, row = capsys.readouterr().out.splitlines()
    assert own.split()[:2] == ["switchboard", "kept"]
    assert row.split()[:2] == ["telegram", "tight"]
    assert row.endswith("success")
    assert verb("slo", "-o", "name") == 0
    assert capsys.readouterr().out == "slo/switchboard\nslo/telegram\n"


@pytest.mark.spec("SWB-37.1")
def test_the_quality_of_routing_on_a_cluster_is_shown_with_its_drifts_as_on_one_machine(
    kubectl: FakeKubectl, place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    from butler_cli.main import run as local

    reachable(kubectl, place)
    assert verb("quality") == 0
    assert capsys.readouterr().out == "no day with a routed message is over\n"
    span = {"decisions": 84, "segments": 84, "counts": {"corrected": 42}}
    shares = {"recent": {"count": 42, "of": 84}, "before": {"count": 0, "of": 84}}
    place.told.quality = {
        "slices": [{"dimension": "model", "name": "small", "recent": span, "before": {**span, "counts": {}}}],
        "drifts": [{"dimension": "model", "name": "small", "measure": "corrected", **shares}],
    }
    assert local(["quality", "--by", "model", "--state", str(place.state.root)]) == 0
    wanted = capsys.readouterr().out
    assert verb("quality", "--by", "model") == 0
    assert capsys.readouterr().out == wanted
    assert wanted.splitlines()[-1].startswith(
        "drift: messages said to be another butler's, model small: 42 of 84"
    )
    assert verb("quality", "--no-headers") == 0
    (row,) = capsys.readouterr().out.splitlines()
    assert row.split()[:2] == ["model", "small"]
    assert verb("quality", "-o", "name") == 2
    assert verb("quality", "--by", "weather") == 2


def test_the_skills_of_a_household_on_a_cluster_are_shown_as_on_one_machine(
    kubectl: FakeKubectl, place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    reachable(kubectl, place)
    place.told.skills[:] = [
        {"name": "message-triage", "version": "3", "in_use": True, "description": "Whose it is.", "text": "…"}
    ]
    assert verb("skills", "--no-headers") == 0
    (row,) = capsys.readouterr().out.splitlines()
    assert row.split()[:3] == ["message-triage", "3", "yes"]
    assert verb("skills", "-o", "name") == 0
    assert capsys.readouterr().out == "skill/message-triage\n"
    assert verb("skills", "-o", "json") == 0
    assert json.loads(capsys.readouterr().out)["skills"][0]["text"] == "…"


def test_the_schedules_of_a_household_on_a_cluster_are_shown_as_on_one_machine(
    kubectl: FakeKubectl, place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    from butler_cli.main import run as local

    reachable(kubectl, place)
    assert verb("schedules") == 0
    assert capsys.readouterr().out == "no butler has anything to do by the clock\n"
    run_before = {
        "due_at": "2026-03-01T08:00:00Z",
        "state": "done",
        "told": "42 EUR in February",
        "moments": 1,
    }
    place.told.schedules[:] = [
        {"name": "month", "cron": "0 8 1 * *", "next_due": "2026-04-01T08:00:00Z", "runs": [run_before]}
    ]
    assert local(["schedules", "--state", str(place.state.root)]) == 0
    wanted = capsys.readouterr().out
    assert "42 EUR in February" in wanted
    assert verb("schedules", "--butler", "finance") == 0
    assert capsys.readouterr().out == wanted
    assert place.told.queries[-1] == {"limit": "1"}
    assert verb("schedules", "-o", "json") == 0
    assert json.loads(capsys.readouterr().out)["schedules"][0]["butler"] == "finance"
    assert place.told.queries[-1] == {"limit": "10"}
    prompt = {
        "name": "week",
        "kind": "prompt",
        "cron": "0 8 * * 0",
        "next_due": "2026-03-08T08:00:00Z",
        "runs": [],
    }
    job = {**prompt, "name": "eligibility-sweep", "kind": "job"}
    place.told.own_schedules[:] = [job, prompt]
    assert verb("schedules") == 0
    shown = capsys.readouterr().out
    assert ("week" in shown, "month" in shown, "eligibility-sweep" in shown) == (True, True, False)
    assert verb("schedules", "--butler", "switchboard") == 0
    shown = capsys.readouterr().out
    assert ("week" in shown, "month" in shown, "eligibility-sweep" in shown) == (True, False, True)
    assert verb("schedules", "--butler", "travel") == 1
    assert "no butler 'travel' keeps records here; there are finance" in capsys.readouterr().err
    assert kubectl.living() == []


def test_the_sessions_of_a_request_are_read_as_a_person_who_may_act(
    kubectl: FakeKubectl, place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    from butler_cli.main import run as local

    reachable(kubectl, place)
    place.told.requests[REQUEST] = lives.life(subroutes=[lives.subroute("finance")])
    place.told.sessions = {"finance": [lives.kept_session(words=("lunch 12,50", "I note it."))]}
    assert local(["sessions", REQUEST, "--state", str(place.state.root)]) == 0
    wanted = capsys.readouterr().out
    assert "I note it." in wanted
    assert verb("sessions", f"request/{REQUEST}", "--operator", "ada") == 0
    assert capsys.readouterr().out == wanted
    tokens = [call[2] for call in kubectl.calls if call[:2] == ["create", "token"]]
    assert set(tokens) == {"butlers-person-ada"}
    assert verb("sessions", REQUEST, "--operator", "ada", "-o", "json") == 0
    assert json.loads(capsys.readouterr().out)["sessions"][0]["transcript"]["prompt"] == "lunch 12,50"
    assert verb("sessions", REQUEST) == 2
    assert "--operator" in capsys.readouterr().err
    assert kubectl.living() == []


def test_what_a_budget_let_not_begin_stands_below_the_usage_on_a_cluster_too(
    kubectl: FakeKubectl, place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    reachable(kubectl, place)
    place.told.refused[:] = [{"day": "2026-11-28", "butler": "finance", "refused": 3}]
    assert verb("usage") == 0
    assert capsys.readouterr().out.splitlines() == [
        "no model was asked",
        "2026-11-28 finance: 3 not begun, a budget was used up",
    ]


def test_what_waits_for_an_approval_on_a_cluster_is_shown_as_on_one_machine(
    kubectl: FakeKubectl, place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    reachable(kubectl, place)
    place.told.approvals[:] = [{"approval_id": "a-1", "state": "waiting", "origin_butler": "finance"}]
    assert verb("approvals", "--no-headers") == 0
    assert "finance" in capsys.readouterr().out
    assert verb("approvals", "-o", "name") == 0
    assert capsys.readouterr().out == "approval/a-1\n"
    place.told.rules[:] = [{"rule_id": "r-1", "state": "in_force", "origin_butler": "health"}]
    assert verb("approvals", "rules", "--no-headers") == 0
    assert "health" in capsys.readouterr().out
    assert verb("approvals", "-n", "home", "rules", "-o", "name") == 0
    assert capsys.readouterr().out == "approval-rule/r-1\n"
    assert "--namespace=home" in kubectl.calls[-1]
    place.told.suppressions[:] = [{"suppression_id": "s-1", "state": "in_force", "target_identity": "1002"}]
    assert verb("suppressions", "--no-headers") == 0
    assert "1002" in capsys.readouterr().out
    assert verb("suppressions", "-o", "name") == 0
    assert capsys.readouterr().out == "suppression/s-1\n"
    place.told.learned[:] = [{"rule_id": "l-1", "state": "in_force", "butler": "finance"}]
    assert verb("learned", "--no-headers") == 0
    assert "finance" in capsys.readouterr().out
    assert verb("learned", "-o", "name") == 0
    assert capsys.readouterr().out == "learned-rule/l-1\n"
    place.told.known[:] = [{"person": "p-1", "name": "Ben", "butler": "general", "facts": 2}]
    place.told.silent[:] = ["travel"]
    assert verb("memory") == 0
    assert capsys.readouterr().out.splitlines()[-1] == "travel could not be asked"
    assert verb("memory", "-o", "name") == 0
    assert capsys.readouterr().out == "person/p-1\n"


def test_top_shows_what_switchboard_knows_now(
    kubectl: FakeKubectl, place: DoubleHousehold, capsys: pytest.CaptureFixture[str]
) -> None:
    reachable(kubectl, place)
    place.told.butlers[:] = ["finance"]
    place.told.requests[REQUEST] = {
        "request_id": REQUEST, "received_at": "2026-03-01T09:30:00Z", "butlers": ["finance"],
    }  # fmt: skip
    assert verb("top") == 0
    text = capsys.readouterr().out
    assert text.splitlines()[0].split() == [
        "BUTLER",
        "ROLE",
        "ELIGIBILITY",
        "HEARD",
        "AT",
        "WORK",
        "RESTARTS",
        "PROBLEM",
    ]
    assert text.splitlines()[1].split() == ["finance", "-", "-", "-", "1", "-", "-"]
    assert "1 under way, the oldest for " in text


def test_the_missing_right_is_named_with_the_role_that_gives_it(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    kubectl.on("get", "butlers.butlers.dev", says=BUTLERS)
    kubectl.on("get", "service", says={"spec": {"ports": [{"name": "http", "port": 40101}]}})
    kubectl.on("port-forward", forward=9).on("create", "token", complains=NO_TOKEN, code=1)
    assert verb("top") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "kubectl butler: ana may not create serviceaccounts/token in namespace home; the chart's ClusterRole "
        "butlers:RELEASE_NAMESPACE:reader gives it; bind it in the household's namespace with `kubectl create"
    )
    assert kubectl.living() == []


def test_a_forward_that_does_not_open_is_said_in_kubectl_s_words(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    kubectl.on("get", "butlers.butlers.dev", says=BUTLERS)
    kubectl.on("get", "service", says={"spec": {"ports": [{"port": 40101}]}})
    kubectl.on("port-forward", complains="error: unable to forward port because pod is not running\n", code=1)
    assert verb("trace", REQUEST) == 1
    said = capsys.readouterr().err
    assert said == "kubectl butler: unable to forward port because pod is not running\n"


def test_a_namespace_without_a_household_is_said(
    kubectl: FakeKubectl, capsys: pytest.CaptureFixture[str]
) -> None:
    kubectl.on("get", "butlers.butlers.dev", says={"items": []})
    assert verb("top", "-n", "default") == 1
    assert capsys.readouterr().err.startswith(
        "kubectl butler: no Butler with role switchboard in namespace default; -n names the household's"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_port_forward_never_outlives_the_verb(
    kubectl: FakeKubectl, place: DoubleHousehold, number: signal.Signals
) -> None:
    reachable(kubectl, place)
    program = "from butler_kubectl.main import butler; butler()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "top", "-w"], stdout=subprocess.PIPE, env=os.environ, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("BUTLER")
    assert len(kubectl.living()) == 1
    process.send_signal(number)
    process.communicate(timeout=90)
    wanted = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
    assert process.returncode == wanted[number]
    deadline = time.monotonic() + 60
    while kubectl.living() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert kubectl.living() == []
