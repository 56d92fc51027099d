"""A volume claim is made once; what the place wishes later is for new ones."""

import copy
from dataclasses import replace
from typing import Any

from butler_operator.reconcile.drift import with_hash
from butler_operator.reconcile.ownership import adoption
from butler_operator.reconcile.plan import plan
from butler_resources.kinds import parse_manifests
from butler_resources.render.cluster import Place, render_connector

MAIL = """
apiVersion: butlers.dev/v1alpha1
kind: Connector
metadata: {name: mail}
spec:
  type: imap
  endpointIdentity: imap:household@example.org
  imap: {host: imap.example.org, username: household, passwordSecretRef: {name: mail, key: password}}
"""
OWNER = {"apiVersion": "butlers.dev/v1alpha1", "kind": "Connector", "name": "mail", "uid": "u-1"}
PLACE = Place(namespace="household", image="butlers:1", operator_namespace="butlers-system")


def test_a_new_storage_class_changes_no_volume_that_is_there() -> None:
    (connector,) = parse_manifests({"mail": MAIL}).connectors
    live = render_connector(connector, PLACE, owner=OWNER, inputs={})
    wished = replace(PLACE, image="butlers:2", storage_class="fast", storage_size="1Gi")
    desired = render_connector(connector, wished, owner=OWNER, inputs={})

    def applied(found: tuple[dict[str, object], ...]) -> set[object]:
        made = plan(desired, found, owner=OWNER, prunable=(), tolerated={})
        return {manifest["kind"] for manifest in made.apply}

    assert "PersistentVolumeClaim" in applied(())
    assert "PersistentVolumeClaim" not in applied(live)
    assert "Deployment" in applied(live)


def test_a_volume_is_told_its_owner_in_the_version_that_is_read_now() -> None:
    (connector,) = parse_manifests({"mail": MAIL}).connectors
    live = [child_of(one) for one in render_connector(connector, PLACE, owner=OWNER, inputs={})]
    newer = OWNER | {"apiVersion": "butlers.dev/v1alpha2"}
    desired = render_connector(connector, PLACE, owner=newer, inputs={})
    made = plan(desired, live, owner=newer, prunable=(), tolerated={})
    ((volume, manifest),) = made.adopt
    assert volume["kind"] == "PersistentVolumeClaim"
    told = adoption(volume, manifest)["metadata"]
    assert [one["apiVersion"] for one in told["ownerReferences"]] == ["butlers.dev/v1alpha2"]
    assert "PersistentVolumeClaim" not in {one["kind"] for one in made.apply}
    assert {one["kind"] for one in made.apply} >= {"Deployment", "NetworkPolicy"}
    assert not plan(live, live, owner=OWNER, prunable=(), tolerated={}).adopt


def child_of(manifest: Any) -> dict[str, Any]:
    """A manifest as it was applied."""
    body = copy.deepcopy(with_hash(manifest))
    body["metadata"] |= {"uid": f"u-{body['kind']}", "resourceVersion": "7"}
    return body
