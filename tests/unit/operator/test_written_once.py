"""A volume claim is made once; what the place wishes later is for new ones."""

from dataclasses import replace

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
