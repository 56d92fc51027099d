"""What `kubectl scale` finds in a status: of butlers and of connectors, also those with one pod."""

from __future__ import annotations

from typing import Any

import pytest

from butler_operator.reconcile.butler import ButlerRules
from butler_operator.reconcile.connector import ConnectorRules
from butler_operator.reconcile.workload import Workload, workload_of
from butler_resources.kinds import parse_manifests
from tests.unit.operator.test_conditions import NOW
from tests.unit.operator.test_workload import SERVING, deployment

MANIFESTS = """
apiVersion: butlers.dev/v1alpha1
kind: Butler
metadata: {name: finance}
spec: {role: specialist, profile: finance}
---
apiVersion: butlers.dev/v1alpha1
kind: Connector
metadata: {name: mail}
spec:
  type: imap
  endpointIdentity: imap:household@example.org
  imap: {host: imap.example.org, username: household, passwordSecretRef: {name: mail, key: password}}
"""
ONE_POD = workload_of([deployment(**SERVING)])


def told(kind: str, workload: Workload) -> dict[str, Any]:
    """The status fields of the one resource of that kind."""
    manifests = parse_manifests({"household": MANIFESTS})
    if kind == "Butler":
        return ButlerRules().fields(manifests.butlers[0], workload, None, {}, NOW)
    return ConnectorRules().fields(manifests.connectors[0], workload, None, {}, NOW)


@pytest.mark.parametrize(("kind", "name"), [("Butler", "finance"), ("Connector", "mail")])
def test_the_pods_are_counted_and_selected_however_many_there_are(kind: str, name: str) -> None:
    fields = told(kind, ONE_POD)
    assert (fields["replicas"], fields["readyReplicas"]) == (1, 1)
    assert f"app.kubernetes.io/instance={name}" in fields["selector"].split(",")


@pytest.mark.parametrize("kind", ["Butler", "Connector"])
def test_nothing_is_counted_before_the_deployment_was_seen(kind: str) -> None:
    fields = told(kind, workload_of([]))
    assert not {"replicas", "readyReplicas"} & set(fields)
    assert fields["selector"]
