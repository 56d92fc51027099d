"""The custom resources in kubectl's hands: short names, explanations, scaling, and refusals as a person meets them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from butler_resources.crds.examples import EXAMPLES as ON_THE_REFERENCE_PAGE
from butler_resources.kinds.names import KINDS
from tests.e2e.cluster import Cluster

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
FINANCE = {
    "apiVersion": "butlers.dev/v1alpha1",
    "kind": "Butler",
    "metadata": {"name": "finance"},
    "spec": {"role": "specialist", "profile": "finance", "replicas": 0},
}
TELEGRAM = {
    "apiVersion": "butlers.dev/v1alpha1",
    "kind": "Connector",
    "metadata": {"name": "telegram"},
    "spec": {
        "type": "telegram_bot",
        "endpointIdentity": "telegram:bot:household",
        "telegramBot": {"tokenSecretRef": {"name": "telegram-bot", "key": "token"}},
        "checkpoint": "switchboard",
        "suspend": True,
    },
}


def test_butlers_are_listed_scaled_and_removed_by_short_name(cluster: Cluster, namespace: str) -> None:
    here = ("--namespace", namespace)
    cluster.apply(FINANCE, namespace=namespace)
    assert "finance" in cluster.kubectl("get", "btl", *here)
    cluster.kubectl("scale", "btl", "finance", "--replicas=2", *here)
    assert cluster.get("butler", "finance", namespace=namespace)["spec"]["replicas"] == 2  # type: ignore[index]
    shown = cluster.kubectl("get", ",".join(names.short for names in KINDS), *here)
    assert shown.splitlines()[0].split() == ["NAME", "READY", "REASON", "ELIGIBILITY", "ROLE", "PODS", "AGE"]
    cluster.kubectl("delete", "btl", "finance", *here)
    assert cluster.get("butler", "finance", namespace=namespace) is None


def test_the_plural_means_butlers_and_nothing_else(cluster: Cluster, namespace: str) -> None:
    """As long as the category was called `butlers` too, kubectl took all of these for every kind of the household."""
    here = ("--namespace", namespace)
    cluster.apply(FINANCE, TELEGRAM, namespace=namespace)
    assert "finance" in cluster.kubectl("get", "butlers", "finance", *here)
    assert "finance" in cluster.kubectl("describe", "butlers", "finance", *here)
    cluster.kubectl("annotate", "butlers", "finance", "example.org/seen=yes", *here)
    patch = '{"spec": {"replicas": 1}}'
    cluster.kubectl("patch", "butlers", "finance", "--type=merge", f"--patch={patch}", *here)
    cluster.kubectl("scale", "butlers", "finance", "--replicas=0", *here)
    seen = cluster.run("kubectl", "get", "butlers", "-w", "--request-timeout=3s", *here)
    assert "finance" in seen.stdout, seen.stderr
    waited = cluster.run(
        "kubectl", "wait", "--for=condition=Ready", "butlers", "--all", "--timeout=2s", *here
    )
    assert "butlers/finance" in waited.stderr
    assert "telegram" not in waited.stderr
    gone = cluster.kubectl("delete", "butlers", "--all", "--dry-run=server", *here)
    assert "finance" in gone
    assert "telegram" not in gone


def test_what_make_up_prints_at_its_end_works_as_printed(cluster: Cluster) -> None:
    cluster.ready("butler,connector")
    text = (ROOT / "cluster" / "household.sh").read_text("utf-8").partition("<<TEXT")[2]
    commands = re.findall(r"^  (kubectl .*)$", text, re.MULTILINE)
    assert [command.split()[1] for command in commands] == ["butler", "get", "describe"]
    path = f"{cluster.directory / 'bin'}:/usr/bin:/bin"
    place = {"PATH": path, "KUBECONFIG": str(cluster.kubeconfig), "HOME": str(cluster.directory)}
    for command in commands:
        done = subprocess.run(
            ["/bin/sh", "-c", command], env=place, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        assert "finance" in done.stdout, command


def test_a_connector_is_scaled_like_a_butler(cluster: Cluster, namespace: str) -> None:
    cluster.apply(TELEGRAM, namespace=namespace)
    cluster.kubectl("scale", "connector", "telegram", "--replicas=2", "--namespace", namespace)
    assert cluster.get("connector", "telegram", namespace=namespace)["spec"]["replicas"] == 2  # type: ignore[index]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("butler.spec", "switchboard receives and routes messages"),
        (
            "butler.spec.runtime.family",
            "run the command-line tool of that name, which must be installed where the butler runs",
        ),
        ("connector.spec.imap", "The mailbox and its account"),
        ("bfj.spec.dateTo", "Last day to read, inclusive"),
        ("btlop.spec.requestedBy", "an admission policy refuses"),
    ],
)
def test_explain_reads_as_documentation(cluster: Cluster, field: str, expected: str) -> None:
    text = " ".join(cluster.kubectl("explain", field).split())
    assert expected.casefold() in text.casefold()


def test_a_refusal_on_the_command_line_names_the_field_and_the_remedy(
    cluster: Cluster, namespace: str
) -> None:
    misspelt = FINANCE | {"spec": {"role": "specialist", "profile": "finance", "proflie": "travel"}}
    foreign = FINANCE | {"spec": {"role": "specialist", "profile": "finance", "routing": {}}}
    words = [
        cluster.run(
            "kubectl", "apply", "--namespace", namespace, "--filename", "-", stdin=json.dumps(wrong)
        ).stderr
        for wrong in (misspelt, foreign)
    ]
    assert 'unknown field "spec.proflie"' in words[0]
    assert "spec.routing: Invalid value" in words[1]
    assert "`routing` belongs to role switchboard; remove it or change `role`" in words[1]


@pytest.mark.parametrize("place", ["demo", "household"])
def test_the_examples_can_be_applied_as_they_are(cluster: Cluster, namespace: str, place: str) -> None:
    strictly = ("--dry-run=server", "--validate=strict", "--namespace", namespace)
    told = cluster.kubectl("apply", *strictly, "--filename", str(EXAMPLES / place))
    for name in ("butler.butlers.dev/finance", "connector.butlers.dev/mail"):
        assert f"{name} created (server dry run)" in told


def test_the_examples_of_the_reference_page_can_be_created(cluster: Cluster, namespace: str) -> None:
    text = "---\n".join(ON_THE_REFERENCE_PAGE.values())
    strictly = ("--dry-run=server", "--validate=strict", "--namespace", namespace)
    told = cluster.kubectl("create", *strictly, "--filename", "-", stdin=text)
    assert told.count("created (server dry run)") == len(KINDS)
